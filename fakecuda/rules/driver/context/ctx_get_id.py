"""cuCtxGetId: a number that no other context of the process has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.context.handle import live_context_of
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up, require_initialized
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuCtxGetId")
def ctx_get_id(call: Call, ctx: int) -> int:
    """Return the id of a context. Null stands for the current context. Ids count the contexts of the process from 1.

    Args:
        call: The call.
        ctx: The CUcontext, or 0.

    Returns:
        The id; a primary context that is activated again has a new id.
    """
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    require_initialized(call)
    context = live_context_of(call, ctx) if ctx else current(call)
    # EFFECT
    return context.identity
