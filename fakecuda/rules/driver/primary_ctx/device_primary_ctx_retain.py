"""cuDevicePrimaryCtxRetain: retain a device's primary context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.rules.driver.context.ctx_create import admitting, alike
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDevicePrimaryCtxRetain")
def device_primary_ctx_retain(call: Call, dev: int) -> int:
    """Retain the primary context of a device and return it. The call does not make it current.

    Args:
        call: The call.
        dev: The device.

    Returns:
        The CUcontext, the same value for the device however often it is reset.
    """
    # CHECK
    process = require_initialized(call)
    device = device_of(call, dev)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    primary = process.primary(device.ordinal)
    if not primary.active:
        alike(call)
        admitting(call, device)
    # EFFECT
    return context_effects.retain(process, device, primary, history.here(), call.thread.name).handle
