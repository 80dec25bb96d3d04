"""cuDevicePrimaryCtxReset: destroy a device's primary context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.stream import race
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDevicePrimaryCtxReset")
def device_primary_ctx_reset(call: Call, dev: int) -> None:
    """Reset the primary context of a device, with all its objects. References stay, and are released as usual."""
    # CHECK
    process = require_initialized(call)
    device = device_of(call, dev)
    primary = process.primary(device.ordinal)
    if primary.context is not None:
        race.destroyed(call, primary.context)
    # EFFECT
    context_effects.reset(process, primary, history.here())
