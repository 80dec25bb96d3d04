"""cuDriverGetVersion: the CUDA version that the driver supports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.os.process import DEINITIALIZED
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDriverGetVersion")
def driver_get_version(call: Call) -> int:
    """Return 1000 * major + 10 * minor; cuInit is not needed."""
    # CHECK
    if call.process.state == DEINITIALIZED:
        require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    return call.machine.profile.driver_version
