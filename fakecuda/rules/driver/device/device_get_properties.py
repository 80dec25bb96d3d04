"""cuDeviceGetProperties: the CUdevprop properties of a device, from CUDA 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

PROPERTIES = [
    ENUMS["CUdevice_attribute"][f"CU_DEVICE_ATTRIBUTE_{name}"]
    for name in (
        "MAX_THREADS_PER_BLOCK",
        "MAX_BLOCK_DIM_X",
        "MAX_BLOCK_DIM_Y",
        "MAX_BLOCK_DIM_Z",
        "MAX_GRID_DIM_X",
        "MAX_GRID_DIM_Y",
        "MAX_GRID_DIM_Z",
        "MAX_SHARED_MEMORY_PER_BLOCK",
        "TOTAL_CONSTANT_MEMORY",
        "WARP_SIZE",
        "MAX_PITCH",
        "MAX_REGISTERS_PER_BLOCK",
        "CLOCK_RATE",
        "TEXTURE_ALIGNMENT",
    )
]
"""The attributes that CUdevprop holds, in the order of its members."""


@DRIVER.op("cuDeviceGetProperties")
def device_get_properties(call: Call, dev: int) -> tuple[Any, ...]:
    """Return a CUdevprop, whose members are attributes of the device."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    attributes = device_of(call, dev).profile.attributes
    # EFFECT
    threads, bx, by, bz, gx, gy, gz, *rest = (attributes.get(number, 0) for number in PROPERTIES)
    return threads, (bx, by, bz), (gx, gy, gz), *rest
