"""cuCtxGetDevice_v2: the device of a context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import top
from fakecuda.rules.driver.context.handle import usable_context_of
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up, require_initialized
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuCtxGetDevice_v2")
def ctx_get_device_v2(call: Call, ctx: int) -> int:
    """Return the device of a context. Null stands for the current context.

    Args:
        call: The call.
        ctx: The CUcontext, or 0; a destroyed one still answers.

    Returns:
        The device's ordinal.
    """
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    require_initialized(call)
    context = usable_context_of(call, ctx) if ctx else top(call)
    # EFFECT
    return call.process.number_of(context.device)
