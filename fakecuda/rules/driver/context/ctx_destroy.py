"""cuCtxDestroy: destroy a context and everything in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.handle import CONTEXT_IS_LIVE, context_of
from fakecuda.rules.driver.core.initialized import require_driver_up, require_initialized
from fakecuda.rules.driver.stream import race
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

CONTEXT_IS_GIVEN = Rule(
    "`ctx` is not null",
    Result.INVALID_VALUE,
    manual("cuCtxDestroy", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass the context that cuCtxCreate returned; do not call cuCtxDestroy without a context",
)
CONTEXT_IS_NOT_PRIMARY = Rule(
    "`ctx` is not a primary context",
    Result.INVALID_CONTEXT,
    manual("cuDevicePrimaryCtxRelease", "A retained context should always be released once the user is done using it"),
    fix="call cuDevicePrimaryCtxRelease for a primary context",
)


@DRIVER.op("cuCtxDestroy")
def ctx_destroy(call: Call, ctx: int) -> None:
    """Destroy a context; it is popped from the calling thread's stack if it is current there."""
    # CHECK
    require_driver_up(call)
    if not ctx:
        raise CONTEXT_IS_GIVEN.broken()
    require_initialized(call)
    context = context_of(call, ctx)
    if context.primary:
        raise CONTEXT_IS_NOT_PRIMARY.broken(context=context)
    if context.destroyed:
        raise CONTEXT_IS_LIVE.broken(context=context)
    race.destroyed(call, context)
    # EFFECT
    context_effects.leave(call.thread, context, history.here())
