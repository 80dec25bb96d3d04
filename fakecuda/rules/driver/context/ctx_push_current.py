"""cuCtxPushCurrent: push a context, which becomes current."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.handle import usable_context_of
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

CONTEXT_IS_GIVEN = Rule(
    "`ctx` is not null",
    Result.INVALID_VALUE,
    manual("cuCtxPushCurrent", "CUDA_ERROR_INVALID_VALUE"),
    fix="push a context that cuCtxCreate or cuDevicePrimaryCtxRetain returned; only cuCtxSetCurrent accepts null",
)


@DRIVER.op("cuCtxPushCurrent")
def ctx_push_current(call: Call, ctx: int) -> None:
    """Push a context onto the calling thread's stack."""
    # CHECK
    require_initialized(call)
    if not ctx:
        raise CONTEXT_IS_GIVEN.broken()
    context = usable_context_of(call, ctx)
    # EFFECT
    call.thread.push_context(context)
