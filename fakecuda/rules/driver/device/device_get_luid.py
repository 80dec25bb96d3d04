"""cuDeviceGetLuid: the identifier that graphics APIs use for a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

DEVICE_HAS_A_LUID = Rule(
    "the operating system gives devices LUIDs, as Windows does",
    Result.NOT_SUPPORTED,
    observed("cuDeviceGetLuid", "on Linux cuDeviceGetLuid answers NOT_SUPPORTED for every device"),
    fix="use cuDeviceGetUuid to tell devices apart on Linux; only Windows has LUIDs",
)


@DRIVER.op("cuDeviceGetLuid")
def device_get_luid(call: Call, dev: int) -> tuple[bytes, int]:
    """Return the 8 bytes of the device's LUID and its node mask, from the profile."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    device = device_of(call, dev)
    if not device.profile.luid:
        raise DEVICE_HAS_A_LUID.broken(device=device)
    # EFFECT
    return device.profile.luid, device.profile.node_mask
