"""cuDeviceGet: the handle of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.os.process import READY
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDeviceGet")
def device_get(call: Call, ordinal: int) -> int:
    """Return the CUdevice of an ordinal."""
    # CHECK
    if call.process.state != READY or call.thread.in_function:
        require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    device_of(call, ordinal)
    # EFFECT
    return ordinal
