"""Streams.

Streams: HIP detects a missing stream, and answers hipErrorContextIsDestroyed, or hipErrorInvalidHandle in queries.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from fakecuda.model import context_effects, history
from fakecuda.model.memory import pool_effects
from fakecuda.model.os.runtimes import HipDevice
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import LEGACY, PER_THREAD, Stream
from fakecuda.model.work.stream_scheduler import unfinished
from fakecuda.rules.core import Rule, guard, hip_tests, source, undefined
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import waited
from fakecuda.rules.hip.active import acting, active, answering, arrived, context_on, does, entered, given, refuse
from fakecuda.rules.registry import HIP
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

NON_BLOCKING = 1
WAIT_EXTERNAL = 1
LOOKS_AT_FLAGS_LAST = "hipStreamWaitEvent.looks-at-flags-last"
FOLLOWS_STREAMS = "hipStreamDestroy.follows-streams"
FOLLOWS_THE_CAPTURE = "hipStreamWaitEvent.follows-the-capture"
HIGH, LOW = -1, 1

FLAGS_ARE_KNOWN = Rule(
    "`flags` is hipStreamDefault or hipStreamNonBlocking",
    Result.INVALID_VALUE,
    hip_tests("hipStreamCreateWithFlags", "HIP answers hipErrorInvalidValue to any other value"),
    fix="pass hipStreamDefault or hipStreamNonBlocking",
)
STREAM_IS_LIVE = Rule(
    "the stream is a default stream or a created stream that has not been destroyed",
    Result.CONTEXT_IS_DESTROYED,
    hip_tests(
        "hipStreamDestroy",
        "HIP answers hipErrorContextIsDestroyed to a destroyed stream and to an uninitialised stream handle",
    ),
    fix="call hipStreamDestroy once, after the last use of the stream",
)
STREAM_IS_FOLLOWED = Rule(
    "the stream is a default stream or a created stream that has not been destroyed",
    Result.CONTEXT_IS_DESTROYED,
    undefined(
        "hipStreamDestroy",
        "the manual says nothing about destroyed streams; libamdhip64 7.2.4 does not look them up: "
        "hipStreamDestroy succeeds twice, and hipStreamQuery crashes then",
    ),
    fix="call hipStreamDestroy once, after the last use of the stream",
)
STREAM_OUTLIVES_NO_RESET = Rule(
    "the device of the stream has not been reset since the stream was created",
    Result.INVALID_HANDLE,
    hip_tests(
        "hipStreamDestroy",
        "after hipDeviceReset, HIP answers hipErrorInvalidHandle to a stream that was created before",
    ),
    fix="call hipStreamDestroy before hipDeviceReset, and create new streams after it",
)
STREAM_TO_ASK_IS_LIVE = Rule(
    "each stream argument is a default stream or a created stream that has not been destroyed",
    Result.INVALID_HANDLE,
    source("hipStreamGetFlags", "clr answers hipErrorInvalidResourceHandle if this rule is broken"),
    fix="pass a stream that hipStreamCreate returned, before hipStreamDestroy",
)
STREAM_TO_USE_IS_LIVE = Rule(
    "`stream` is a default stream or a created stream that has not been destroyed",
    Result.INVALID_HANDLE,
    hip_tests(
        "hipFreeAsync",
        "HIP answers hipErrorInvalidHandle to the stream -1; clr does the same in "
        "hipMallocAsync and hipMemcpyBatchAsync",
    ),
    fix="call hipStreamDestroy after the last batch, allocation and free on the stream, or pass a default stream",
)
STREAM_TO_ASK_IS_GIVEN = Rule(
    "`stream` is not null",
    Result.INVALID_VALUE,
    hip_tests("hipStreamGetFlags", "HIP answers hipErrorInvalidValue to a null argument"),
    fix="pass hipStreamGetFlags a stream that hipStreamCreate returned",
)
STREAM_TO_WAIT_IS_LIVE = Rule(
    "`stream` is a default stream or a created stream that has not been destroyed",
    Result.INVALID_HANDLE,
    hip_tests("hipStreamWaitEvent", "HIP answers hipErrorInvalidHandle to an uninitialised event"),
    fix="call hipStreamWaitEvent before hipStreamDestroy, or pass a default stream",
)
STREAM_IS_CREATED = Rule(
    "`stream` is not a default stream",
    Result.INVALID_HANDLE,
    source(
        "hipStreamDestroy",
        "clr answers hipErrorInvalidHandle to null, and hipErrorInvalidResourceHandle to the other default streams",
    ),
    fix="do not destroy default streams",
)
EVENT_IS_THERE = Rule(
    "`event` is not null",
    Result.INVALID_HANDLE,
    source("hipStreamWaitEvent", "clr answers hipErrorInvalidHandle to null"),
    fix="pass an event that hipEventCreate returned, before hipEventDestroy",
)
EVENT_TO_AWAIT_IS_KNOWN = Rule(
    "`event` is an event of this process that has not been destroyed",
    Result.INVALID_HANDLE,
    undefined("hipStreamWaitEvent", "the manual says nothing about any other value; clr uses the value as a pointer"),
    fix="pass an event that hipEventCreate returned, before hipEventDestroy",
)
WAIT_FLAGS_ARE_ZERO = Rule(
    "`flags` is 0, or in HIP 7.2 hipEventWaitExternal",
    Result.INVALID_VALUE,
    source(
        "hipStreamWaitEvent",
        "clr answers hipErrorInvalidValue to every flag except hipEventWaitExternal, which is for graphs",
    ),
    fix="pass 0 for the flags of hipStreamWaitEvent",
)
STREAM_IS_CAPTURED = Rule(
    "`stream` is being captured if `flags` has hipEventWaitExternal",
    Result.INVALID_HANDLE,
    source("hipStreamWaitEvent", "clr of 2026 answers hipErrorInvalidHandle if this rule is broken"),
    fix="pass 0 for the flags of hipStreamWaitEvent: an external wait is only for captured streams",
)
CAPTURE_IS_FOLLOWED = Rule(
    "`stream` is being captured if `flags` has hipEventWaitExternal",
    Result.INVALID_HANDLE,
    undefined(
        "hipStreamWaitEvent",
        "the manual says nothing about streams that are not captured; libamdhip64 7.2.4 follows their graph, "
        "which is null, and crashes (hipStreamWaitEvent_common)",
    ),
    fix="pass 0 for the flags of hipStreamWaitEvent: an external wait is only for captured streams",
)
WORK_IS_DONE = Rule(
    "all work of `stream` is complete",
    Result.NOT_READY,
    hip_tests("hipStreamQuery", "HIP answers hipErrorNotReady while the work of the stream runs"),
    fix="call hipStreamSynchronize, or call hipStreamQuery again until it succeeds: the work is still running",
)


def found(call: Call, handle: int) -> Stream | None:
    """Return the stream of a handle, or None if unknown.

    The call has entered.
    """
    if handle > PER_THREAD:
        return call.process.streams.get(handle)
    context, handle = acting(call), handle or LEGACY
    return context.default_streams.get(handle) or context_effects.default_stream(context, handle, call.thread.name)


@guard
def stream_of(call: Call, handle: int) -> Stream:
    """Return the stream of a handle."""
    stream = found(call, handle)
    if stream is None:
        was = call.process.freed.get(handle)
        if isinstance(was, Stream) and not was.destroyed:
            raise STREAM_OUTLIVES_NO_RESET.broken(stream=was)
        if does(call, FOLLOWS_STREAMS):
            call.undefined(STREAM_IS_FOLLOWED, stream=handle, found=was)
            raise STREAM_IS_FOLLOWED.broken(stream=handle, found=was)
        raise STREAM_IS_LIVE.broken(stream=handle, found=was)
    return stream


@guard
def event_stream(call: Call, handle: int) -> Stream:
    """Return the stream for the record of an event."""
    return stream_of(call, handle)


@guard
def stream_at(call: Call, handle: int) -> Stream:
    """Return the stream of a handle, for batches and pools, even after a device reset."""
    stream = found(call, handle)
    if stream is None:
        raise STREAM_TO_USE_IS_LIVE.broken(stream=handle, found=call.process.freed.get(handle))
    return stream


@guard
def require_stream_to_ask(call: Call, handle: int) -> Stream:
    """Return the stream of a handle, for a query."""
    stream = found(call, handle)
    if stream is None:
        refuse(call, STREAM_TO_ASK_IS_LIVE, stream=handle, found=call.process.freed.get(handle))
    return cast("Stream", stream)  # each year's runtime has a code for it


@guard
def streaming(call: Call) -> Context:
    """Return the context of a new stream, on the thread's device."""
    entered(call)
    context = acting(call)
    given(call)
    return context


@guard
def create(call: Call, flags: int, priority: int) -> int:
    """Create a stream on the thread's device, and return it."""
    context = streaming(call)
    if flags & ~NON_BLOCKING:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    if not HIGH <= priority <= LOW:
        priority = HIGH if priority < HIGH else LOW
    return context_effects.create_stream(context, flags, priority, history.here(history.OURS + 1)).handle


@HIP.op("hipStreamCreate")
def stream_create(call: Call) -> int:
    """Create a stream that blocks on the null stream, and return it."""
    return context_effects.create_stream(streaming(call), 0, 0, history.here()).handle


@HIP.op("hipStreamCreateWithFlags")
def stream_create_with_flags(call: Call, flags: int) -> int:
    """Create a stream, and return it."""
    return create(call, flags, 0)


@HIP.op("hipStreamCreateWithPriority")
def stream_create_with_priority(call: Call, flags: int, priority: int) -> int:
    """Create a stream with the priority nearest to the requested priority."""
    return create(call, flags, priority)


@HIP.op("hipDeviceGetStreamPriorityRange")
def get_priority_range(call: Call) -> tuple[int, int]:
    """Return the least and the greatest priority."""
    entered(call)
    return LOW, HIGH


@HIP.op("hipStreamDestroy")
def stream_destroy(call: Call, handle: int) -> None:
    """Destroy a stream. Pending work of a destroyed stream still runs."""
    # CHECK
    process = entered(call)
    if handle <= PER_THREAD:
        raise STREAM_IS_CREATED.broken(stream=handle)
    stream = stream_of(call, handle)
    # EFFECT
    context_effects.end_stream(process, stream, history.here(), destroyed=True)


@HIP.op("hipStreamQuery")
def stream_query(call: Call, handle: int) -> None:
    """Succeed if all work of a stream is complete."""
    entered(call)
    stream = stream_of(call, handle)
    stream_scheduler.look(call.machine)
    if unfinished(stream):
        raise WORK_IS_DONE.broken(stream=stream)
    race.seen(call, stream, orders.QUERIED)


@HIP.op("hipStreamSynchronize")
def stream_synchronize(call: Call, handle: int) -> None:
    """Wait for the work of a stream. For the null stream, also wait for all blocking streams."""
    entered(call)
    stream = stream_of(call, handle)
    waited(stream.context, stream, by=orders.SYNCHRONIZED, last=True)
    pool_effects.seen_of_stream(stream)


@HIP.op("hipDeviceSynchronize")
def device_synchronize(call: Call) -> None:
    """Wait for the work of all streams of the thread's device."""
    context = active(call)
    waited(context, by=orders.SYNCHRONIZED, last=True)
    pool_effects.seen_of_context(context)


@guard
def wait_flags(flags: int, known: int) -> None:
    """Check the flags of hipStreamWaitEvent."""
    if flags & ~known:
        raise WAIT_FLAGS_ARE_ZERO.broken(flags=flags)


@HIP.op("hipStreamWaitEvent")
def stream_wait_event(call: Call, handle: int, event: int, flags: int) -> None:
    """Have later work of a stream wait for the work that an event has recorded."""
    # CHECK
    process = entered(call)
    last = does(call, LOOKS_AT_FLAGS_LAST)
    if not last:
        wait_flags(flags, WAIT_EXTERNAL)
    if not event:
        raise EVENT_IS_THERE.broken(event=event)
    waiting = found(call, handle)
    if waiting is None:
        raise STREAM_TO_WAIT_IS_LIVE.broken(stream=handle, found=process.freed.get(handle))
    awaited = process.events.get(event)
    if awaited is None:
        call.undefined(EVENT_TO_AWAIT_IS_KNOWN, event=event, found=process.freed.get(event))
        raise EVENT_TO_AWAIT_IS_KNOWN.broken(event=event, found=process.freed.get(event))
    if last:
        wait_flags(flags, 0)
    if flags and does(call, FOLLOWS_THE_CAPTURE):
        call.undefined(CAPTURE_IS_FOLLOWED, flags=flags)
        raise CAPTURE_IS_FOLLOWED.broken(flags=flags)
    if flags:
        raise STREAM_IS_CAPTURED.broken(flags=flags)
    # EFFECT
    awaited.precede(waiting)


@HIP.op("hipStreamGetFlags")
def get_flags(call: Call, handle: int) -> int:
    """Return the flags with which a stream was created."""
    answering(call)
    if not handle:
        raise STREAM_TO_ASK_IS_GIVEN.broken()
    return require_stream_to_ask(call, handle).flags


@HIP.op("hipStreamGetPriority")
def get_priority(call: Call, handle: int) -> int:
    """Return a stream's priority."""
    answering(call)
    return require_stream_to_ask(call, handle).priority


@HIP.op("hipStreamGetId")
def get_id(call: Call, handle: int) -> int:
    """Return the id of a stream, which is unique in the process."""
    arrived(call, "hipStreamGetId")
    given(call)
    return require_stream_to_ask(call, handle).identify()


@HIP.op("hipStreamGetDevice")
def get_device(call: Call, handle: int) -> int:
    """Return the number of a stream's device."""
    process = answering(call)
    stream = found(call, handle)
    if stream is None:
        raise STREAM_IS_LIVE.broken(stream=handle, found=process.freed.get(handle))
    return process.number_of(stream.context.device)


@HIP.op("hipStreamIsCapturing")
def is_capturing(call: Call, handle: int) -> int:
    """Return hipStreamCaptureStatusNone: no modelled call captures a stream."""
    answering(call)
    require_stream_to_ask(call, handle)
    return 0


@HIP.op("hipDeviceReset", several="it sets the device's flags and ends its context")
def device_reset(call: Call) -> None:
    """Destroy all objects of the process on the thread's device, and reset its scheduling flags. Limits stay."""
    # CHECK
    process = entered(call)
    device = process.devices[call.thread.device]
    in_use = process.primary(device.ordinal).active
    if in_use:
        context_on(call, device)
    # EFFECT
    process.runtimes.hip_device(device.ordinal).set_flags(HipDevice().flags)
    if in_use:
        context_effects.deactivate(process, process.primary(device.ordinal), history.here())
        call.thread.make_current(None)
