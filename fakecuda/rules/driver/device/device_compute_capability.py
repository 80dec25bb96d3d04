"""cuDeviceComputeCapability: the compute capability of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

MAJOR, MINOR = (
    ENUMS["CUdevice_attribute"][f"CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_{part}"] for part in ("MAJOR", "MINOR")
)


@DRIVER.op("cuDeviceComputeCapability")
def device_compute_capability(call: Call, dev: int) -> tuple[int, int]:
    """Return the major and minor revision number, which are attributes of the device."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    attributes = device_of(call, dev).profile.attributes
    # EFFECT
    return attributes.get(MAJOR, 0), attributes.get(MINOR, 0)
