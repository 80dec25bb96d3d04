"""cuCtxRecordEvent: an event captures the work of a context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.context.handle import live_context_of
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.event.handle import usable_event_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

CONTEXT_IS_GIVEN = Rule(
    "`hCtx` is not null",
    Result.INVALID_CONTEXT,
    manual("cuCtxRecordEvent", "CUDA_ERROR_INVALID_CONTEXT"),
    fix="pass the context; cuCtxGetCurrent returns the current context",
)
EVENT_IS_THE_CONTEXT_S = Rule(
    "`hEvent` belongs to the context `hCtx`",
    Result.INVALID_HANDLE,
    manual(
        "cuCtxRecordEvent",
        "hEvent and hCtx must be from the same CUDA context, otherwise CUDA_ERROR_INVALID_HANDLE will be returned",
    ),
    fix="create the event while the context hCtx is current",
)


@guard
def given_context_of(call: Call, handle: int) -> Context:
    """Return the context of a handle that is neither null nor destroyed."""
    if not handle:
        raise CONTEXT_IS_GIVEN.broken()
    return live_context_of(call, handle)


@DRIVER.op("cuCtxRecordEvent", several="an event that was recorded in a capture leaves it")
@orders.makes(orders.AWAITED_EVENT)
def ctx_record_event(call: Call, context: int, event: int) -> None:
    """Record all work of a context in an event. The context need not be current."""
    # CHECK
    require_initialized(call)
    captured = given_context_of(call, context)
    recorded = usable_event_of(call, event)
    if recorded.context is not captured:
        raise EVENT_IS_THE_CONTEXT_S.broken(event=recorded, context=captured)
    # EFFECT
    recorded.record_all()
