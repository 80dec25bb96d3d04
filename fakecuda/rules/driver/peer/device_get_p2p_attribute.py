"""cuDeviceGetP2PAttribute: an attribute of the link between two devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS
from fakecuda.spec.versions import LINK_ATTRIBUTES

if TYPE_CHECKING:
    from fakecuda.model.call import Call

KNOWN = frozenset(ENUMS["CUdevice_P2PAttribute"].values())

DEVICES_DIFFER = Rule(
    "`srcDevice` and `dstDevice` differ",
    Result.INVALID_DEVICE,
    manual("cuDeviceGetP2PAttribute", "Returns CUDA_ERROR_INVALID_DEVICE if … they represent the same device"),
    fix="skip the call if both devices are the same: a device needs no link to itself",
)
ATTRIBUTE_IS_KNOWN = Rule(
    "the attribute is a CUdevice_P2PAttribute that this driver version supports",
    Result.INVALID_VALUE,
    manual("cuDeviceGetP2PAttribute", "Returns CUDA_ERROR_INVALID_VALUE if attrib is not valid"),
    fix="pass a CUdevice_P2PAttribute, such as CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED",
)


@DRIVER.op("cuDeviceGetP2PAttribute")
def device_get_p2p_attribute(call: Call, attrib: int, src: int, dst: int) -> int:
    """Return the attribute of the link from ``src`` to ``dst``, from the profile."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    pair = device_of(call, src).ordinal, device_of(call, dst).ordinal
    if src == dst:
        raise DEVICES_DIFFER.broken(device=src)
    peer = call.machine.profile.peers.get(pair)
    if attrib not in KNOWN or LINK_ATTRIBUTES.get(attrib, 0) > call.machine.profile.driver_version:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attrib)
    # EFFECT
    return peer.attributes.get(attrib, 0) if peer else 0
