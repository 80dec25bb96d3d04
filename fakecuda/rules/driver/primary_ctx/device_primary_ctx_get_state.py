"""cuDevicePrimaryCtxGetState: flags and activity of a device's primary context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDevicePrimaryCtxGetState")
def device_primary_ctx_get_state(call: Call, dev: int) -> tuple[int, int]:
    """Return the flags of the primary context of a device, and 1 if the context is active."""
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    process = require_initialized(call)
    device = device_of(call, dev)
    # EFFECT
    primary = process.primary(device.ordinal)
    return primary.flags, int(primary.active)
