"""cuCtxDetach: lower the usage count of the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.stream import race
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

CONTEXT_IS_THE_CURRENT_ONE = Rule(
    "`ctx` is the current context of the calling thread",
    Result.INVALID_CONTEXT,
    manual(
        "cuCtxDetach",
        "The context must be a handle that was passed back by cuCtxCreate() or cuCtxAttach(), and must be current to "
        "the calling thread",
    ),
    fix="call cuCtxSetCurrent with the context before cuCtxDetach",
)


@DRIVER.op("cuCtxDetach")
def ctx_detach(call: Call, ctx: int) -> None:
    """Lower the usage count of the current context; at 0 it is popped and destroyed, unless it is a primary context.

    A primary context is not destroyed.
    """
    # CHECK
    context = current(call)
    if ctx != context.handle:
        raise CONTEXT_IS_THE_CURRENT_ONE.broken(context=ctx, current=context)
    last = context.usage == 1 and not context.primary
    if last:
        race.destroyed(call, context)
    # EFFECT
    if last:
        context_effects.leave(call.thread, context, history.here())
    elif not context.primary:
        context.detach()
