"""cuDevicePrimaryCtxSetFlags: set the flags of a device's primary context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.context import MAP_HOST
from fakecuda.rules.driver.context.ctx_create import FLAGS_ARE_KNOWN, known
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDevicePrimaryCtxSetFlags")
def device_primary_ctx_set_flags(call: Call, dev: int, flags: int) -> None:
    """Set the flags of the primary context of a device, even if the context is active."""
    # CHECK
    process = require_initialized(call)
    device = device_of(call, dev)
    if flags & MAP_HOST or not known(call, flags):
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    # EFFECT
    process.primary(device.ordinal).set_flags(flags)
