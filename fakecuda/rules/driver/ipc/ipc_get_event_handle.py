"""cuIpcGetEventHandle: a handle by which other processes open an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.work.event import INTERPROCESS
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.context.handle import USE_AFTER_DESTRUCTION
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.driver.event.handle import event_of
from fakecuda.rules.driver.ipc.supported import interprocess
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.work.event import Event

EVENT_IS_GIVEN = Rule(
    "`event` is not null",
    Result.INVALID_VALUE,
    observed(
        "cuIpcGetEventHandle", "the driver answers INVALID_VALUE to a null event, whether a context is current or not"
    ),
    fix="pass an event that cuEventCreate created with CU_EVENT_INTERPROCESS",
)
EVENT_IS_LIVE = Rule(
    "`event` has not been destroyed",
    Result.SUCCESS,
    undefined(
        "cuEventDestroy",
        "the manual says nothing about a later use; driver 580 reads the event's flags from freed memory",
    ),
    fix="call cuIpcGetEventHandle before cuEventDestroy",
)
EVENT_IS_INTERPROCESS = Rule(
    "`event` was created with CU_EVENT_INTERPROCESS",
    Result.INVALID_HANDLE,
    manual(
        "cuIpcGetEventHandle",
        "This event must have been created with the CU_EVENT_INTERPROCESS and CU_EVENT_DISABLE_TIMING flags set",
    ),
    fix="create the event with CU_EVENT_INTERPROCESS and CU_EVENT_DISABLE_TIMING",
)
EVENT_HAS_A_CONTEXT = Rule(
    "the context of `event` has not been destroyed",
    Result.INVALID_HANDLE,
    USE_AFTER_DESTRUCTION,
    fix="call cuIpcGetEventHandle before the event's context is destroyed",
)
CONTEXT_HAS_EVENTS = Rule(
    "if `event` belongs to another context, the current context has itself created an interprocess event",
    Result.INVALID_HANDLE,
    undefined(
        "cuIpcGetEventHandle",
        "the manual says nothing about this; driver 580 looks for the event in the current context, and crashes",
    ),
    fix="make the event's context current before cuIpcGetEventHandle",
)
EVENT_IS_OF_THE_CURRENT_CONTEXT = Rule(
    "`event` belongs to the current context",
    Result.SUCCESS,
    undefined(
        "cuIpcGetEventHandle",
        "the manual says nothing about this; driver 580 returns the handle of the event with the same place "
        "among those of the current context",
    ),
    fix="make the event's context current before cuIpcGetEventHandle",
)


@DRIVER.op("cuIpcGetEventHandle")
def ipc_get_event_handle(call: Call, event: int) -> bytes:
    """Return the IPC handle of an event of the current context: the same 64 bytes each time.

    An imported event has no handle.
    """
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    exported = exportable(call, event)
    # EFFECT
    return exported.export()


@guard
def exportable(call: Call, event: int) -> Event:
    """Return an event that can be exported, for the current context."""
    if not event:
        raise EVENT_IS_GIVEN.broken()
    context = current(call)
    interprocess(context)
    exported = event_of(call, event)
    if exported.destroyed:
        call.undefined(EVENT_IS_LIVE, event=exported)
    if not exported.flags & INTERPROCESS:
        raise EVENT_IS_INTERPROCESS.broken(event=exported)
    if exported.context.destroyed:
        call.undefined(EVENT_HAS_A_CONTEXT, event=exported)
        raise EVENT_HAS_A_CONTEXT.broken(event=exported)
    if exported.context is not context:
        if not context.shared_events:
            call.undefined(CONTEXT_HAS_EVENTS, event=exported, context=context)
            raise CONTEXT_HAS_EVENTS.broken(event=exported, context=context)
        call.undefined(EVENT_IS_OF_THE_CURRENT_CONTEXT, event=exported, context=context)
        shared = context.shared_events
        return shared[exported.place] if exported.place < len(shared) else exported
    return exported
