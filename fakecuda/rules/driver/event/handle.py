"""Rules of calls with a CUevent: the event belongs to the calling process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import pool_effects
from fakecuda.model.work.event import Event
from fakecuda.model.work.waiting import wait
from fakecuda.rules.core import Rule, guard, observed, undefined
from fakecuda.rules.driver.context.current import failed
from fakecuda.rules.driver.context.handle import USE_AFTER_DESTRUCTION
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.spec.orders import Order

DISABLE_TIMING = 2

EVENT_IS_GIVEN = Rule(
    "no event handle that the call uses is null",
    Result.INVALID_HANDLE,
    observed("cuEventQuery", "the driver answers INVALID_HANDLE to a null event, even before cuInit"),
    fix="pass an event that cuEventCreate returned",
)
EVENT_IS_KNOWN = Rule(
    "each event handle that the call uses is an event of this process",
    Result.INVALID_HANDLE,
    undefined(
        "cuEventQuery",
        "the manual says nothing about any other value; driver 580 uses the value as a pointer (segmentation fault)",
    ),
    fix="pass an event that cuEventCreate or cuIpcOpenEventHandle returned in this process",
)
EVENT_IS_LIVE = Rule(
    "no event that the call uses has been destroyed",
    Result.CONTEXT_IS_DESTROYED,
    undefined(
        "cuEventDestroy",
        "the manual says nothing about a later use; driver 580 reads freed memory: calls answer "
        "CONTEXT_IS_DESTROYED until the memory is used again",
    ),
    fix="call cuEventDestroy once, after the last use of the event",
)
EVENT_HAS_A_CONTEXT = Rule(
    "the context of each event that the call uses has not been destroyed",
    Result.CONTEXT_IS_DESTROYED,
    USE_AFTER_DESTRUCTION,
    fix="destroy the event before its context",
)
EXPORTED_EVENT_IS_LIVE = Rule(
    "if the event is imported, the exporting process has not destroyed the original event",
    Result.SUCCESS,
    undefined(
        "cuIpcOpenEventHandle",
        "Performing operations on the imported event after the exported event has been freed with cuEventDestroy will "
        "result in undefined behavior",
    ),
    fix="keep the exported event until every process that opened it has called cuEventDestroy",
)


@guard
def event_of(call: Call, handle: int) -> Event:
    """Return the event of a handle, destroyed or not; any other value is undefined."""
    process = call.process
    event = process.events.get(handle) or process.freed.get(handle)
    if not isinstance(event, Event):
        call.undefined(EVENT_IS_KNOWN, event=handle)
        raise EVENT_IS_KNOWN.broken(event=handle)
    return event


@guard
def live_event_of(call: Call, handle: int) -> Event:
    """Return the event of a handle; neither it nor its context may be destroyed."""
    if not handle:
        raise EVENT_IS_GIVEN.broken()
    return named_event_of(call, handle)


@guard
def named_event_of(call: Call, handle: int) -> Event:
    """Return the event of a nonzero handle, as :func:`live_event_of` does."""
    event = event_of(call, handle)
    if event.destroyed:
        call.undefined(EVENT_IS_LIVE, event=event)
        raise EVENT_IS_LIVE.broken(event=event)
    context = event.context
    if context.destroyed:
        call.undefined(EVENT_HAS_A_CONTEXT, event=event)
        raise EVENT_HAS_A_CONTEXT.broken(event=event)
    if context.lost:
        failed(context)
    return event


@guard
def usable_event_of(call: Call, handle: int) -> Event:
    """Return the event of a handle; a destroyed exporter's event is undefined."""
    event = live_event_of(call, handle)
    exporter_has(call, event)
    return event


@guard
def exporter_has(call: Call, event: Event) -> None:
    """Report the use of an opened event that its exporter has destroyed."""
    if event.exported is not None and event.exported.destroyed:
        call.undefined(EXPORTED_EVENT_IS_LIVE, event=event, exported=event.exported)


@guard
def awaited(call: Call, event: Event, by: Order) -> None:
    """Wait for the work of an event's last record, if the event was recorded.

    Args:
        call: The call.
        event: The event.
        by: The order that the wait makes.
    """
    work = event.pending
    if work is not None:
        wait(call.machine, event, lambda: work.done, lambda: [work.stream], last=True)
        if work.stream.context.lost:
            failed(work.stream.context)
    done(call, event, by=by)
    pool_effects.seen_of_event(call.process, event)


def done(call: Call, *events: Event, by: Order) -> None:
    """Note that the host now comes after the work that events captured."""
    races = call.machine.races
    if races is not None and races.streams and races.takes(by):
        for event in events:
            captured = (event.exported or event).order
            if captured is not None:
                races.seen(captured)
