"""cuCtxSynchronize_v2: wait for a context's work."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import pool_effects
from fakecuda.rules.driver.context.current import current, require_usable_context
from fakecuda.rules.driver.context.handle import live_context_of
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.stream.order import waited
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuCtxSynchronize_v2")
def ctx_synchronize_v2(call: Call, ctx: int) -> None:
    """Wait for all work of a context. Null stands for the current context.

    Args:
        call: The call.
        ctx: The CUcontext, or 0.
    """
    # CHECK
    require_initialized(call)
    if ctx:
        context = live_context_of(call, ctx)
        require_usable_context(context)
    else:
        context = current(call)
    # EFFECT
    waited(context, by=orders.SYNCHRONIZED, last=True)
    pool_effects.seen_of_context(context)
