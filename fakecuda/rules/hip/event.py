"""Events."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.clock import TICK
from fakecuda.model.work.event import INTERPROCESS
from fakecuda.rules.core import Rule, guard, hip_tests, source, undefined
from fakecuda.rules.driver.context.current import require_usable_context
from fakecuda.rules.driver.event.handle import DISABLE_TIMING, awaited, done, exporter_has
from fakecuda.rules.hip.active import acting, active, answering, arrived, entered
from fakecuda.rules.hip.stream import event_stream
from fakecuda.rules.registry import HIP
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.work.event import Event

NO_FENCE, TO_DEVICE, TO_SYSTEM = 0x20000000, 0x40000000, 0x80000000
RELEASES = NO_FENCE | TO_DEVICE | TO_SYSTEM
KNOWN = 1 | DISABLE_TIMING | INTERPROCESS | RELEASES
EXTERNAL = 1
MILLISECOND = 1_000_000
"""Nanoseconds in a millisecond."""

FLAGS_MAKE_SENSE = Rule(
    "`flags` has only known bits, at most one ReleaseTo bit (0x20000000 and up), and DisableTiming if it has "
    "Interprocess",
    Result.INVALID_VALUE,
    hip_tests(
        "hipEventCreateWithFlags",
        "HIP answers hipErrorInvalidValue to unknown flags, to two ReleaseTo flags, "
        "and to Interprocess without DisableTiming",
    ),
    fix="add hipEventDisableTiming to hipEventInterprocess, and pass at most one hipEventReleaseTo flag",
)
EVENT_IS_GIVEN = Rule(
    "no event argument is null",
    Result.INVALID_HANDLE,
    hip_tests("hipEventRecord", "every call that takes an event answers hipErrorInvalidHandle to a null event"),
    fix="pass an event that hipEventCreate returned",
)
EVENT_IS_LIVE = Rule(
    "`event` is an event of this process that has not been destroyed",
    Result.CONTEXT_IS_DESTROYED,
    hip_tests(
        "hipEventDestroy",
        "a second hipEventDestroy of the same event answers hipErrorContextIsDestroyed; clr "
        "answers the same to an unknown event",
    ),
    fix="call hipEventDestroy once, and clear the variable after it",
)
EVENT_IS_KNOWN = Rule(
    "each event argument is an event of this process that has not been destroyed",
    Result.CONTEXT_IS_DESTROYED,
    undefined("hipEventQuery", "the manual says nothing about any other value; clr uses the value as a pointer"),
    fix="call hipEventDestroy once, after the last use of the event",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` is 0 or hipEventRecordExternal",
    Result.INVALID_VALUE,
    source(
        "hipEventRecordWithFlags",
        "clr answers hipErrorInvalidValue to every flag except hipEventRecordExternal, which is for graphs",
    ),
    fix="pass 0 for the flags of hipEventRecordWithFlags",
)
DEVICES_ARE_ONE = Rule(
    "the event and the stream, or both events, belong to the same device",
    Result.INVALID_HANDLE,
    source(
        "hipEventRecord", "clr answers hipErrorInvalidResourceHandle for another device, also in hipEventElapsedTime"
    ),
    fix="call hipSetDevice for the stream's device before hipEventCreate, and compare events of one device",
)
EVENTS_ARE_TIMED = Rule(
    "both events were created without hipEventDisableTiming and have been recorded",
    Result.INVALID_HANDLE,
    hip_tests(
        "hipEventElapsedTime", "HIP answers hipErrorInvalidHandle if an event was never recorded or has no timing"
    ),
    fix="create both events without hipEventDisableTiming, and call hipEventRecord on both first",
)
WORK_IS_DONE = Rule(
    "the work before each event argument is complete",
    Result.NOT_READY,
    source("hipEventQuery", "clr answers hipErrorNotReady while the work runs, also in hipEventElapsedTime"),
    fix="call hipEventSynchronize first, or query again until it succeeds: the work is still running",
)


@guard
def event_of(call: Call, handle: int) -> Event:
    """Return the event of a handle; any other value is undefined."""
    if not handle:
        raise EVENT_IS_GIVEN.broken()
    return known_event(call, handle)


@guard
def known_event(call: Call, handle: int) -> Event:
    """Return the event of a nonzero handle."""
    process = call.process
    event = process.events.get(handle)
    if event is None:
        found = process.freed.get(handle)
        call.undefined(EVENT_IS_KNOWN, event=handle, found=found)
        raise EVENT_IS_KNOWN.broken(event=handle, found=found)
    return event


@guard
def usable_event(call: Call, handle: int) -> Event:
    """Return the event of a handle, whose device must not have failed."""
    event = event_of(call, handle)
    require_usable_context(event.context)
    exporter_has(call, event)
    return event


@HIP.op("hipEventCreate")
def event_create(call: Call) -> int:
    """Create an event of the thread's device, with timing."""
    answering(call)
    return context_effects.create_event(acting(call), 0, history.here()).handle


@HIP.op("hipEventCreateWithFlags")
def event_create_with_flags(call: Call, flags: int) -> int:
    """Create an event of the thread's device, and return it."""
    # CHECK
    answering(call)
    releases = (flags & RELEASES).bit_count()
    if flags & ~KNOWN or releases > 1 or (flags & INTERPROCESS and not flags & DISABLE_TIMING):
        raise FLAGS_MAKE_SENSE.broken(flags=flags)
    # EFFECT
    return context_effects.create_event(acting(call), flags, history.here()).handle


@HIP.op("hipEventDestroy")
def event_destroy(call: Call, handle: int) -> None:
    """Destroy an event."""
    # CHECK
    process = entered(call)
    if not handle:
        raise EVENT_IS_GIVEN.broken()
    event = process.events.get(handle)
    if event is None:
        raise EVENT_IS_LIVE.broken(event=handle, found=process.freed.get(handle))
    # EFFECT
    context_effects.end_event(process, event, history.here(), destroyed=True)


@guard
@orders.makes(orders.AWAITED_EVENT)
def record(call: Call, handle: int, stream: int) -> None:
    """Record a stream's work so far in an event."""
    # CHECK
    event = usable_event(call, handle)
    recorded = event_stream(call, stream)
    if recorded.context is not event.context:
        raise DEVICES_ARE_ONE.broken(event=event, stream=recorded)
    # EFFECT
    event.record(recorded)


@HIP.op("hipEventRecord")
def event_record(call: Call, event: int, stream: int) -> None:
    """Record a stream's work so far in an event."""
    active(call)
    record(call, event, stream)


@HIP.op("hipEventRecordWithFlags")
def event_record_with_flags(call: Call, event: int, stream: int, flags: int) -> None:
    """Record the work so far of a stream in an event. hipEventRecordExternal makes no difference."""
    arrived(call, "hipEventRecordWithFlags")
    acting(call)
    if flags & ~EXTERNAL:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    record(call, event, stream)


@HIP.op("hipEventSynchronize")
def event_synchronize(call: Call, handle: int) -> None:
    """Wait for the recorded work of an event."""
    # CHECK
    active(call)
    event = usable_event(call, handle)
    # EFFECT
    awaited(call, event, orders.SYNCHRONIZED)


@HIP.op("hipEventQuery")
def event_query(call: Call, handle: int) -> None:
    """Succeed if the recorded work of an event is complete."""
    # CHECK
    active(call)
    event = usable_event(call, handle)
    stream_scheduler.look(call.machine)
    if event.pending:
        raise WORK_IS_DONE.broken(event=event)
    done(call, event, by=orders.QUERIED)


@HIP.op("hipEventElapsedTime")
def event_elapsed_time(call: Call, start: int, stop: int) -> float:
    """Return the milliseconds between the records of two events."""
    # CHECK
    answering(call)
    if not start or not stop:
        raise EVENT_IS_GIVEN.broken()
    first, last = (event_of(call, handle) for handle in (start, stop))
    if first.context is not last.context:
        raise DEVICES_ARE_ONE.broken(start=first, stop=last)
    if not first.records or not last.records or (first.flags | last.flags) & DISABLE_TIMING:
        raise EVENTS_ARE_TIMED.broken(start=first, stop=last)
    stream_scheduler.look(call.machine)
    if first.pending or last.pending:
        raise WORK_IS_DONE.broken(start=first, stop=last)
    done(call, first, last, by=orders.QUERIED)
    # EFFECT
    assert first.recorded is not None
    assert last.recorded is not None
    return (last.recorded - first.recorded) * TICK / MILLISECOND
