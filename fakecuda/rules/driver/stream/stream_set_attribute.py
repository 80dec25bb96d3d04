"""cuStreamSetAttribute: set an attribute of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, undefined
from fakecuda.rules.driver.context.ctx_get_stream_priority_range import clamped
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.stream.stream_get_attribute import attribute_known
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.stream_values import DOMAIN, DOMAIN_MAP, POLICY, PRIORITY, WINDOW

if TYPE_CHECKING:
    from typing import Any

    from fakecuda.model.call import Call
    from fakecuda.model.context import Device

WIDEST = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE"]
DOMAINS = ENUMS["CUdevice_attribute"]["CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT"]
PERSISTING = ENUMS["CUaccessProperty"]["CU_ACCESS_PROPERTY_PERSISTING"]
KNOWN = {
    POLICY: frozenset(ENUMS["CUsynchronizationPolicy"].values()),
    DOMAIN: frozenset(ENUMS["CUlaunchMemSyncDomain"].values()),
}
"""The valid values of attributes with few values."""

VALUE_IS_GIVEN = Rule(
    "`value` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuStreamSetAttribute",
        "the manual says nothing about a null argument; driver 580 reads from the null pointer (segmentation fault)",
    ),
    fix="pass the address of the value",
)
WINDOW_IS_NOT_TOO_LARGE = Rule(
    "`num_bytes` of the access policy window does not exceed the device's limit",
    Result.INVALID_VALUE,
    manual("CUaccessPolicyWindow", "num_bytes is limited by CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE"),
    fix="keep num_bytes within CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE",
)
HIT_RATIO_IS_A_SHARE = Rule(
    "`hitRatio` of an access policy window is from 0 to 1",
    Result.INVALID_VALUE,
    manual("CUaccessPolicyWindow", 'sum of "hit segments" / window == approx. ratio'),
    fix="set hitRatio to a number from 0.0 to 1.0",
)
MISSES_DO_NOT_PERSIST = Rule(
    "`missProp` of an access policy window is not CU_ACCESS_PROPERTY_PERSISTING",
    Result.INVALID_VALUE,
    manual("CUaccessPolicyWindow", "Must be either NORMAL or STREAMING"),
    fix="set missProp to CU_ACCESS_PROPERTY_NORMAL or CU_ACCESS_PROPERTY_STREAMING",
)
DOMAINS_ARE_THERE = Rule(
    "each id in a memory sync domain map is less than the number of domains that the device has",
    Result.INVALID_VALUE,
    manual(
        "CUlaunchMemSyncDomainMap", "Domain ID range is available through CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT"
    ),
    fix="map to domains below CU_DEVICE_ATTRIBUTE_MEM_SYNC_DOMAIN_COUNT",
)
VALUE_IS_KNOWN = Rule(
    "a synchronization policy is a CUsynchronizationPolicy, and a memory sync domain a CUlaunchMemSyncDomain",
    Result.INVALID_VALUE,
    manual("cuStreamSetAttribute", "CUDA_ERROR_INVALID_VALUE"),
    fix="set a CUsynchronizationPolicy or a CUlaunchMemSyncDomain, as the attribute requires",
)


@guard
def suits(device: Device, attribute: int, value: tuple[Any, ...]) -> None:
    """Check that streams of a device accept an attribute value."""
    if attribute == WINDOW:
        window_suits(device, *value)
    elif attribute == DOMAIN_MAP:
        if max(value) >= device.profile.attributes.get(DOMAINS, 1):
            raise DOMAINS_ARE_THERE.broken(value=value, device=device)
    elif attribute != PRIORITY and value[0] not in KNOWN[attribute]:
        raise VALUE_IS_KNOWN.broken(attribute=attribute, value=value)


@guard
def window_suits(device: Device, base: int, size: int, ratio: float, _hit: int, miss: int) -> None:
    """Check an access policy window, without its address and hit property."""
    if size > device.profile.attributes.get(WIDEST, 0):
        raise WINDOW_IS_NOT_TOO_LARGE.broken(base=base, size=size)
    if not 0 <= ratio <= 1:
        raise HIT_RATIO_IS_A_SHARE.broken(ratio=ratio)
    if miss == PERSISTING:
        raise MISSES_DO_NOT_PERSIST.broken(miss=miss)


@DRIVER.op("cuStreamSetAttribute")
def stream_set_attribute(call: Call, stream: int, attribute: int, value: tuple[Any, ...] | None) -> None:
    """Set an attribute of a stream, for work that is submitted later.

    Args:
        call: The call.
        stream: The stream.
        attribute: CUstreamAttrID.
        value: The value, as :mod:`fakecuda.spec.stream_values` has it; a priority is clamped.
    """
    # CHECK
    changed = stream_of(call, stream, "cuStreamSetAttribute")
    attribute_known(attribute)
    if value is None:
        call.undefined(VALUE_IS_GIVEN)
        raise VALUE_IS_GIVEN.broken()
    suits(changed.context.device, attribute, value)
    # EFFECT
    if attribute == PRIORITY:
        changed.set_priority(clamped(call, changed.context, value[0]))
    else:
        changed.set_attribute(attribute, value)
