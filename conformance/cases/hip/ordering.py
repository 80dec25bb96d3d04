"""Programs of statements on streams, events and copies between devices, by the short names of the statements.

Where the tests run a kernel, a function of the host keeps a stream busy.
"""

from __future__ import annotations

import ctypes
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from conformance.cases.hip.describing import DEVICES, SUCCESS, first_failure, refused
from conformance.cases.hip.side import SIZE, Side
from conformance.cases.hip.using import INVALID

if TYPE_CHECKING:
    from collections.abc import Iterator

PER_THREAD, NON_BLOCKING, DISABLE_TIMING, BLOCKING_SYNC = 2, 1, 2, 1
FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
CALLBACK = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)
UNITS = 10
"""Words of the mask of all compute units."""


@contextmanager
def busy(w: Side, *streams: int) -> Iterator[None]:
    """Keep streams busy."""
    done = threading.Event()
    function = FUNCTION(lambda _: done.wait(10) and None)
    address = ctypes.cast(function, ctypes.c_void_p).value
    for stream in streams:
        w.get("LaunchHostFunc", stream, address, 0)
    try:
        yield
    finally:
        done.set()
        w.get("DeviceSynchronize")


def asked(w: Side, stream: int, *working: int) -> int:
    """Ask a stream whether it is done while streams are busy."""
    with busy(w, *(working or (stream,))):
        return w("StreamQuery", stream)


def copied(w: Side, name: str, *stream: int) -> int:
    """Ask the null stream whether it is done after a copy between devices."""
    there = w.there
    with busy(w, 0):
        w.get(name, there, 1, w.ptr, 0, SIZE, *stream)
        return w("StreamQuery", 0)


def copied_elsewhere(w: Side) -> int:
    """Copy from one device to another in a stream of the other."""
    here, back = w.ptr, w.host
    w.get("Memset", here, 7, SIZE)
    w.get("DeviceSynchronize")
    w.get("SetDevice", 1)
    there, stream = w.get("Malloc", SIZE), w.stream()
    w.get("MemcpyPeerAsync", there, 1, here, 0, SIZE, stream)
    w.get("StreamSynchronize", stream)
    w.get("Memcpy", back, there, SIZE, 2)
    assert ctypes.string_at(back, SIZE) == bytes([7] * SIZE)
    return SUCCESS


def copies_refused(w: Side) -> int:
    """Copy too much, to nothing, from nothing and between devices that are not there."""
    here, there = w.ptr, w.there
    return refused(
        w("MemcpyPeerAsync", 0, 1, here, 0, SIZE, 0),
        w("MemcpyPeerAsync", there, 1, 0, 0, SIZE, 0),
        w("MemcpyPeerAsync", there, 1, here, 0, SIZE + 1, 0),
        w("MemcpyPeerAsync", there, DEVICES, here, 0, SIZE, 0),
        w("MemcpyPeerAsync", there, 1, here, DEVICES, SIZE, 0),
    )


def streamed(w: Side, stream: int, sync: str = "StreamSynchronize") -> int:
    """Have a stream do something, and wait for it."""
    w.get("MemsetAsync", w.ptr, 7, SIZE, stream)
    return w(sync, *((stream,) if sync == "StreamSynchronize" else ()))


def destroyed_after_work(w: Side) -> int:
    """Destroy a stream that has done its work."""
    stream = w.stream()
    return first_failure(streamed(w, stream), w("StreamQuery", stream), w("StreamDestroy", stream))


def priorities(w: Side) -> int:
    """Create a stream of every priority, and have it do something."""
    _, least, greatest = w.all("DeviceGetStreamPriorityRange")
    codes = []
    for flags in (0, NON_BLOCKING):
        for priority in range(greatest, least + 1):
            stream = w.get("StreamCreateWithPriority", flags, priority)
            assert w.get("StreamGetPriority", stream) == priority
            codes.append(streamed(w, stream))
    return first_failure(*codes)


def extremes(w: Side) -> int:
    """A priority out of range is clamped."""
    _, least, greatest = w.all("DeviceGetStreamPriorityRange")
    for priority, kept in ((least + 1, least), (greatest - 1, greatest), (0, 0)):
        assert w.get("StreamGetPriority", w.get("StreamCreateWithPriority", 0, priority)) == kept
    return SUCCESS


def flags_of(w: Side) -> int:
    """Ask a stream for its flags."""
    for flags in (0, NON_BLOCKING):
        assert w.get("StreamGetFlags", w.get("StreamCreateWithFlags", flags)) == flags
    return SUCCESS


def masks(w: Side) -> int:
    """The null stream has all compute units; another one those of its mask."""
    every = w.get("ExtStreamGetCUMask", 0, UNITS)
    assert sum(word.bit_count() for word in every) == 304
    stream = w.get("ExtStreamCreateWithCUMask", 1, (0xFF,))
    assert w.get("ExtStreamGetCUMask", stream, UNITS) == (0xFF,)
    return SUCCESS


def nothing_masked(w: Side) -> int:
    """A mask without units is none."""
    stream = w.get("ExtStreamCreateWithCUMask", 1, (0,))
    assert w.get("ExtStreamGetCUMask", stream, UNITS) == w.get("ExtStreamGetCUMask", 0, UNITS)
    return SUCCESS


def called_back(w: Side) -> int:
    """Have a stream with a mask call a function."""
    seen: list[int] = []
    callback = CALLBACK(lambda _stream, code, _data: seen.append(code))
    stream = w.get("ExtStreamCreateWithCUMask", 1, (0xFF,))
    w.get("StreamAddCallback", stream, ctypes.cast(callback, ctypes.c_void_p).value, 0, 0)
    w.get("StreamSynchronize", stream)
    return seen[0]


def device_of(w: Side, stream: int | None = None, on: Any = None) -> int:
    """Ask a stream of the second device for its device when the first one is the thread's."""
    if stream is None:
        w.get("SetDevice", 1, on=on)
        created = w.get("StreamCreate", on=on)
        w.get("SetDevice", 0, on=on)
        assert w.get("StreamGetDevice", created, on=on) == 1
        return SUCCESS
    for number in range(DEVICES):
        w.get("SetDevice", number)
        assert w.get("StreamGetDevice", stream) == number
    return SUCCESS


def devices_of(w: Side) -> int:
    """Ask a new stream and the default ones for their device."""
    return first_failure(device_of(w), device_of(w, 0), device_of(w, PER_THREAD))


def waits(w: Side, *, event: bool) -> int:
    """Have a stream wait for an event of another one that is busy; ask the event, or the waiting stream."""
    working, waiting = w.stream(), w.stream()
    done = w.get("EventCreate")
    with busy(w, working):
        w.get("EventRecord", done, working)
        w.get("StreamWaitEvent", waiting, done, 0)
        w.get("MemsetAsync", w.ptr, 7, SIZE, waiting)
        return w("EventQuery", done) if event else w("StreamQuery", waiting)


def unfinished(w: Side) -> int:
    """Ask an event that its stream has not reached yet, and destroy it."""
    event = w.get("EventCreate")
    with busy(w, 0):
        w.get("EventRecord", event, 0)
        code = w("EventQuery", event)
        w.get("EventDestroy", event)
    return code


def elapsed(w: Side) -> int:
    """Ask for the time between two events."""
    start, stop = w.event(), w.event()
    w.get("EventSynchronize", stop)
    assert w.get("EventElapsedTime", start, stop) >= 0
    return SUCCESS


def events(w: Side, count: int) -> int:
    """Create, record, wait for and destroy events in some threads, on each device."""
    for number in range(count):
        thread = w.a.thread(str(number))
        w.get("SetDevice", number % DEVICES, on=thread)
        stream, event = w.get("StreamCreate", on=thread), w.get("EventCreate", on=thread)
        w.get("EventRecord", event, stream, on=thread)
        w.get("EventSynchronize", event, on=thread)
        assert w("EventQuery", event, on=thread) == SUCCESS
        w.get("EventDestroy", event, on=thread)
    return SUCCESS


def flagged(w: Side, *kinds: int) -> int:
    """Create events of all kinds, record and wait for them."""
    codes = []
    for flags in kinds:
        event = w.event(flags)
        codes += [w("EventSynchronize", event), w("EventDestroy", event)]
    return first_failure(*codes)


PROGRAMS: dict[str, Any] = {
    "hipMemcpyPeer_Positive_Synchronization_Behavior@134": lambda w: copied(w, "MemcpyPeer"),
    "hipMemcpyPeerAsync_Positive_Synchronization_Behavior@145": lambda w: copied(w, "MemcpyPeerAsync", 0),
    "hipMemcpyPeerAsync_Negative_Parameters@312": lambda w: w("MemcpyPeerAsync", w.there, 1, w.ptr, 0, SIZE, INVALID),
    "hipMemcpyPeerAsync_StreamOnDiffDevice@198": copied_elsewhere,
    "hipMemcpyPeerAsync_Negative@35": copies_refused,
    "hipStreamCreate_default@22": lambda w: w("StreamDestroy", w.stream()),
    "hipStreamCreateWithFlags_Default@39": flags_of,
    "hipStreamCreateWithFlags_DefaultStreamInteraction@70": lambda w: asked(w, 0, w.stream()),
    "hipStreamCreateWithPriority_FunctionalForAllPriorities@829": priorities,
    "hipStreamCreateWithPriority_CheckPriorityVal@934": extremes,
    "hipStreamDestroy_WithFinishedWork@57": destroyed_after_work,
    "hipStreamDestroy_WithPendingWork@91": lambda w: asked(w, w.stream()),
    "hipStreamDestroy_WithPendingWork@92": lambda w: asked(w, 0, w.stream()),
    "hipExtStreamGetCUMask_Negative@187": lambda w: w("ExtStreamGetCUMask", 0, UNITS, null=0),
    "hipExtStreamGetCUMask_Negative@192": lambda w: w("ExtStreamGetCUMask", 0, 0),
    "hipExtStreamGetCUMask_verifyDefaultAndCustomMask@37": masks,
    "hipExtStreamCreateWithCUMask_ValidateCallbackFunc@128": called_back,
    "hipExtStreamCreateWithCUMask_AllCUsMasked@310": nothing_masked,
    "hipStreamGetFlags_StreamsCreatedWithCUMask@73": lambda w: w.get(
        "StreamGetFlags", w.get("ExtStreamCreateWithCUMask", 1, (1,))
    ),
    "hipStreamGetDevice_MThread@169": lambda w: first_failure(*(device_of(w, on=w.a.thread(name)) for name in "ab")),
    "hipStreamGetDevice_SetDiffDevice@187": device_of,
    "hipStreamGetDevice_NullStream@225": lambda w: device_of(w, 0),
    "hipStreamGetDevice_Usecase@77": devices_of,
    "hipStreamGetFlags_Basic@33": flags_of,
    "hipStreamGetPriority_nullptr_priority@108": lambda w: w("StreamGetPriority", 0),
    "hipStreamGetPriority_stream_priority@116": lambda w: w("StreamGetPriority", w.stream()),
    "hipStreamGetPriority_happy@35": priorities,
    "hipStreamSynchronize_EmptyStream@29": lambda w: w("StreamSynchronize", w.stream()),
    "hipStreamSynchronize_FinishWork@56": lambda w: first_failure(
        *(streamed(w, stream) for stream in (w.stream(), 0, PER_THREAD))
    ),
    "hipStreamSynchronize_NullStreamSynchronization@92": lambda w: asked(w, 0, *(w.stream() for _ in range(3))),
    "hipStreamSynchronize_NullStreamSynchronization@95": lambda w: asked(w, w.stream()),
    "hipStreamSynchronize_NullStreamAndStreamPerThread@161": lambda w: asked(w, 0, PER_THREAD),
    "hipStreamSynchronize_NullStreamAndStreamPerThread@162": lambda w: asked(w, PER_THREAD),
    "hipStreamWaitEvent_DifferentStreams@125": lambda w: waits(w, event=True),
    "hipStreamWaitEvent_DifferentStreams@136": lambda w: waits(w, event=False),
    "hipEventElapsedTime@192": elapsed,
    "hipEventMGpuMThreads_1@207": lambda w: events(w, 1),
    "hipEventMGpuMThreads_2@222": lambda w: events(w, 4),
    "hipEventRecord@56": lambda w: flagged(w, 0, BLOCKING_SYNC, DISABLE_TIMING),
    "hipEventSynchronize_NullCheck@147": lambda w: refused(w("EventSynchronize", 0)),
    "hipEventCreate_NullCheck@53": lambda w: refused(w("EventCreate", null=0), w("EventCreateWithFlags", 0, null=0)),
    "hipEventCreateWithFlags_Positive@52": lambda w: flagged(w, 0, BLOCKING_SYNC, DISABLE_TIMING, 6),
    "hipEventDestroy_Unfinished@81": unfinished,
    "hipEventSynchronize_NoEventRecord_Positive@117": lambda w: w("EventSynchronize", w.get("EventCreate")),
    "hipEventSynchronize_Default_Positive@92": lambda w: w("EventSynchronize", w.event()),
}
"""What each statement says, as a program that returns the code."""
