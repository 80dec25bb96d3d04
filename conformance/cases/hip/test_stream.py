"""Streams of HIP."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import attrs

from conformance.cases.hip.both import both
from conformance.cases.hip.fixtures import (
    ALL,
    NEW,
    RELEASE,
    SIZE,
    ended,
    entries,
    event,
    gone,
    memory,
    new,
    reset,
    stream,
    there,
    waiting,
)
from conformance.kit.case import suite
from conformance.kit.program import MAIN
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cases.hip.both import Calls
    from conformance.kit.world import Invocation, Process, World

NOT_BLOCKING = 1
PER_THREAD = 2
Stream: TypeAlias = int | None
"""A stream, or None for the case's own stream."""


def reset_here(a: Process, thread: str = MAIN) -> int:
    """Return a stream from before a thread reset its device."""
    made = stream(a)
    a.thread(thread).ok.hipDeviceReset()
    return made


every = entries(
    {
        **dict.fromkeys(
            ("hipDeviceGetStreamPriorityRange", "hipDeviceReset", "hipDeviceSynchronize", "hipStreamCreate")
        ),
        "hipStreamCreateWithFlags": lambda _: (NOT_BLOCKING,),
        "hipStreamCreateWithPriority": lambda _: (NOT_BLOCKING, 0),
        **{
            f"hipStream{does}": lambda a: (stream(a),)
            for does in (
                *("Destroy", "GetDevice", "GetFlags", "GetId", "GetPriority", "IsCapturing", "Query", "Synchronize"),
            )
        },
        "hipStreamWaitEvent": lambda a: (stream(a), event(a), 0),
    }
)
for flags in (2, 0xFF):
    every["hipStreamCreateWithFlags"].breaks("stream.FLAGS_ARE_KNOWN", f"{flags}", flags=flags)
for flags in (2, (1 << 32) - 1):
    every["hipStreamCreateWithPriority"].breaks("stream.FLAGS_ARE_KNOWN", f"{flags}", flags=flags)
every["hipStreamDestroy"].breaks("STREAM_IS_CREATED", stream=0)
every["hipStreamDestroy"].breaks("STREAM_OUTLIVES_NO_RESET", stream=new(reset))
every["hipStreamDestroy"].breaks("STREAM_OUTLIVES_NO_RESET", "of this device", stream=new(reset_here))
every["hipStreamDestroy"].breaks("STREAM_OUTLIVES_NO_RESET", "reset by another thread", stream=new(reset_here, "other"))
for call in ("hipStreamQuery", "hipStreamSynchronize"):
    every[call].breaks("STREAM_IS_LIVE", stream=new(gone))
    every[call].breaks("STREAM_IS_LIVE", "never was", stream=ALL)
    every[call].undefined("STREAM_IS_FOLLOWED", code=Result.CONTEXT_IS_DESTROYED, stream=new(gone))
    every[call].only(RELEASE, "STREAM_IS_FOLLOWED")
every["hipStreamGetFlags"].breaks("STREAM_TO_ASK_IS_GIVEN", stream=0)


def unfinished(w: World, i: Invocation) -> None:
    """Have the stream's work wait."""
    waiting(w)
    i.process.ok.hipMemsetAsync(memory(i.process), 0, SIZE, i.args["stream"])


for call in ("hipStreamQuery", "hipStreamQuery_spt"):
    every[call].also("work is not done", rule="WORK_IS_DONE")(unfinished)


def at_work(working: Stream, asked: Stream) -> Callable[[World, Invocation], Invocation]:
    """Return a query of a stream while it, or another one, is busy."""

    def act(w: World, i: Invocation) -> Invocation:
        a = i.process
        busy = i.args["stream"] if working is None else working
        waiting(w)
        a.ok.hipMemsetAsync(memory(a), 0, SIZE, busy)
        return i.evolve(stream=busy if asked is None else asked)

    return act


query = every["hipStreamQuery"]
for label, working, asked in (
    ("a stream at work", None, None),
    ("the null stream behind another one", None, 0),
    ("the null stream behind the thread's", PER_THREAD, 0),
    ("the thread's stream at work", PER_THREAD, PER_THREAD),
):
    query.also(label, rule="WORK_IS_DONE")(at_work(working, asked))


@query.also("behind an event of a stream at work", rule="WORK_IS_DONE")
def waits(w: World, i: Invocation) -> Invocation:
    a, waiting_one = i.process, stream(i.process)
    at_work(None, None)(w, i)
    done = a.ok.hipEventCreate()
    a.ok.hipEventRecord(done, i.args["stream"])
    a.ok.hipStreamWaitEvent(waiting_one, done, 0)
    a.ok.hipMemsetAsync(memory(a), 7, SIZE, waiting_one)
    return i.evolve(stream=waiting_one)


@query.also("the null stream behind three others", rule="WORK_IS_DONE")
def behind_three(w: World, i: Invocation) -> Invocation:
    for working in (stream(i.process), stream(i.process), i.args["stream"]):
        at_work(working, None)(w, i)
    return i.evolve(stream=0)


for call, rest in {"hipMemcpyPeer": (), "hipMemcpyPeerAsync": (0,)}.items():

    @query.also(f"the null stream behind {call}", rule="WORK_IS_DONE")
    def copied(w: World, i: Invocation, call: str = call, rest: tuple[int, ...] = rest) -> Invocation:
        a, target = i.process, there(i.process)
        behind = at_work(0, 0)(w, i)
        getattr(a.ok, call)(target, 1, memory(a), 0, SIZE, *rest)
        return behind


for call in ("hipStreamWaitEvent", "hipStreamWaitEvent_spt"):
    wait = every[call]
    wait.breaks("WAIT_FLAGS_ARE_ZERO", flags=2)
    wait.breaks("STREAM_IS_CAPTURED", flags=1)
    wait.only(NEW, "STREAM_IS_CAPTURED")
    wait.undefined("CAPTURE_IS_FOLLOWED", code=Result.INVALID_HANDLE, flags=1)
    wait.only(RELEASE, "CAPTURE_IS_FOLLOWED")
    wait.breaks("EVENT_IS_THERE", event=0)
    wait.breaks("EVENT_TO_AWAIT_IS_KNOWN", event=new(ended))
    wait.breaks("STREAM_TO_WAIT_IS_LIVE", stream=ALL)
    wait.breaks("STREAM_TO_WAIT_IS_LIVE", "destroyed", stream=new(gone))


@every["hipDeviceReset"].after("again")
def nothing_is_left(_w: World, i: Invocation, _r: tuple[()]) -> None:
    """Check that a device without objects can be reset."""
    assert i.run() == (0,)


device = every["hipStreamGetDevice"]


def numbers(_w: World, i: Invocation, _r: tuple[int]) -> None:
    """Check that a default stream has the device of the thread."""
    for number in (1, 0):
        i.process.ok.hipSetDevice(number)
        assert i.run() == (0, number)


for label, asked in {"the null stream": 0, "the thread's stream": PER_THREAD}.items():
    device.also(label, stream=asked, then=numbers)

    @device.also(f"{label}, without a place", code=Result.INVALID_VALUE)
    def placeless(_w: World, i: Invocation, asked: int = asked) -> Invocation:
        return attrs.evolve(i.evolve(stream=asked), null="device")


@both("StreamGetDevice", "of a stream of another device")
def of_another_device(c: Calls, _number: int) -> None:
    c.SetDevice(1)
    made = c.StreamCreate()
    c.SetDevice(0)
    assert c.StreamGetDevice(made) == 1


@device.after("of another device, in other threads")
def in_other_threads(w: World, i: Invocation, _r: tuple[int]) -> None:
    for _ in range(2):
        c = i.process.thread(w.thread_name()).ok
        c.hipSetDevice(1)
        made = c.hipStreamCreate()
        c.hipSetDevice(0)
        assert c.hipStreamGetDevice(made) == 1


@both("StreamGetFlags", "as they were given")
def flags_of(c: Calls, _flags: int) -> None:
    for flags in (0, NOT_BLOCKING):
        assert c.StreamGetFlags(c.StreamCreateWithFlags(flags)) == flags


@both("StreamCreateWithPriority", "each priority")
def priorities(c: Calls, _stream: int) -> None:
    """Check a stream of each priority; others are clamped."""
    least, greatest = c.DeviceGetStreamPriorityRange()
    for flags in (0, NOT_BLOCKING):
        for priority in range(greatest, least + 1):
            made = c.StreamCreateWithPriority(flags, priority)
            assert c.StreamGetPriority(made) == priority
            c.MemsetAsync(c.Malloc(SIZE), 7, SIZE, made)
            c.StreamSynchronize(made)
    for priority, kept in ((least + 1, least), (greatest - 1, greatest), (0, 0)):
        assert c.StreamGetPriority(c.StreamCreateWithPriority(0, priority)) == kept


@both("StreamGetPriority", "of the default streams")
def default_priority(c: Calls, found: int) -> None:
    assert found == 0
    assert c.StreamGetPriority(0) == c.StreamGetPriority(c.StreamCreate()) == 0


@both("StreamDestroy", "its work is done")
def destroyed(c: Calls) -> None:
    for made in (c.StreamCreate(), 0, PER_THREAD):
        c.MemsetAsync(c.Malloc(SIZE), 7, SIZE, made)
        c.StreamSynchronize(made)
        c.StreamQuery(made)
    made = c.StreamCreate()
    c.MemsetAsync(c.Malloc(SIZE), 7, SIZE, made)
    c.DeviceSynchronize()
    c.StreamDestroy(made)


test_stream = suite(*every.values())
