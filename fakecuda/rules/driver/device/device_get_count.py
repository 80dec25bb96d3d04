"""cuDeviceGetCount: the number of devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.os.process import READY
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDeviceGetCount")
def device_get_count(call: Call) -> int:
    """Return the number of devices that the process sees."""
    # CHECK
    if call.process.state != READY or call.thread.in_function:
        require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    return len(call.process.devices)
