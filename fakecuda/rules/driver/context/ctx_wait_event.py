"""cuCtxWaitEvent: a context's work waits for an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.work.event import INTERPROCESS
from fakecuda.rules.core import Rule, undefined
from fakecuda.rules.driver.context.ctx_record_event import given_context_of
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.event.handle import usable_event_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

INTERPROCESS_EVENT_IS_THE_CONTEXT_S = Rule(
    "`hEvent` belongs to the context `hCtx` if it is an interprocess event",
    Result.INVALID_HANDLE,
    undefined("cuCtxWaitEvent", "the manual says nothing about this; driver 580 crashes (segmentation fault)"),
    fix="create the interprocess event in the context that waits for it",
)


@DRIVER.op("cuCtxWaitEvent")
def ctx_wait_event(call: Call, context: int, event: int) -> None:
    """Make later work of a context wait for the work that an event has recorded, in any context.

    The context need not be current.
    """
    # CHECK
    require_initialized(call)
    waiting = given_context_of(call, context)
    awaited = usable_event_of(call, event)
    if awaited.flags & INTERPROCESS and awaited.context is not waiting:
        call.undefined(INTERPROCESS_EVENT_IS_THE_CONTEXT_S, event=awaited, context=waiting)
        raise INTERPROCESS_EVENT_IS_THE_CONTEXT_S.broken(event=awaited, context=waiting)
    # EFFECT
    awaited.precede_all(waiting)
