"""Streams: the order of their work, default streams, and how a stream ends."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from fakecuda import EndlessWait, Machine, UndefinedBehaviour
from fakecuda.model.work.stream import LEGACY, NON_BLOCKING, PER_THREAD

from .world import contents, done, started

if TYPE_CHECKING:
    from fakecuda import Process

EQUAL = 1
NOT_READY = 600
INTERPROCESS = 6


def word(a: Process) -> int:
    """Return the address of four bytes of zeros."""
    address = int(done(a.c.cuMemAlloc(4)))
    done(a.c.cuMemsetD8(address, 0, 4))
    done(a.c.cuStreamSynchronize(0))
    return address


def new(a: Process, flags: int = NON_BLOCKING) -> int:
    """Return a new stream."""
    return int(done(a.c.cuStreamCreate(flags)))


def blocked(a: Process, flags: int = NON_BLOCKING) -> tuple[int, int]:
    """Return a stream that waits, and the address at which it waits for a 1."""
    gate, stream = word(a), new(a, flags)
    done(a.c.cuStreamWaitValue32(stream, gate, 1, EQUAL))
    return stream, gate


def release(a: Process, gate: int) -> None:
    """Write the 1."""
    done(a.c.cuStreamWriteValue32(new(a), gate, 1, 0))


def busy(a: Process, stream: int) -> bool:
    """Return whether a stream has work left."""
    (code,) = a.c.cuStreamQuery(stream)
    assert code in {0, NOT_READY}
    return bool(code)


def test_work_is_done_in_the_call_that_submits_it(machine: Machine) -> None:
    """Nothing is queued where nothing waits."""
    a = started(machine)
    place = word(a)
    done(a.c.cuStreamWriteValue32(new(a, 0), place, 5, 0))
    assert not machine.scheduler.pending
    assert contents(a, place, 4) == b"\5\0\0\0"


def test_work_waits_behind_what_waits_in_its_stream(machine: Machine) -> None:
    """It is done in order, once what it waits for is there; then nothing is queued."""
    a = started(machine)
    place = word(a)
    stream, gate = blocked(a)
    for value in (1, 2, 3):
        done(a.c.cuStreamWriteValue32(stream, place, value, 0))
    assert busy(a, stream)
    (waiting,) = machine.scheduler.pending
    assert [work.number for work in waiting.work] == sorted(work.number for work in waiting.work)
    assert contents(a, place, 4) == bytes(4)
    release(a, gate)
    assert not busy(a, stream)
    assert not machine.scheduler.pending
    assert contents(a, place, 4) == b"\3\0\0\0"


def test_each_thread_has_a_default_stream_of_its_own(machine: Machine) -> None:
    """CU_STREAM_PER_THREAD is the caller's; the legacy one is everybody's."""
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    one, two = a.thread("one").c, a.thread("two").c
    for c in (one, two):
        done(c.cuCtxSetCurrent(context))
    gate = word(a)
    done(one.cuStreamWaitValue32(PER_THREAD, gate, 1, EQUAL))
    assert [c.cuStreamQuery(PER_THREAD) for c in (one, two)] == [(NOT_READY,), (0,)]
    assert [c.cuStreamQuery(LEGACY) for c in (one, two)] == [(NOT_READY,)] * 2
    assert [repr(stream) for stream in machine.scheduler.pending] == [
        f"per-thread default stream 0x2 of {a.contexts[context]}",
    ]
    release(a, gate)
    assert len(a.contexts[context].default_streams) == 3


def test_what_stream_0_stands_for_is_the_callers_affair(machine: Machine) -> None:
    """The legacy stream, or in calls of per-thread variants that of the thread."""
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    thread = a.thread("one")
    done(thread.c.cuCtxSetCurrent(context))
    record = a.threads["one"]
    record.call = record.per_thread
    gate = word(a)
    done(thread.c.cuStreamWaitValue32(0, gate, 1, EQUAL))
    (waiting,) = machine.scheduler.pending
    assert waiting.handle == PER_THREAD
    release(a, gate)


@pytest.mark.parametrize("flags", [0, NON_BLOCKING])
@pytest.mark.usefixtures("by_itself")
def test_work_goes_with_its_context(machine: Machine, flags: int) -> None:
    """The end waits for it: events that were to come are done then, streams of other contexts go on."""
    a = started(machine)
    other = new(a)
    context = done(a.c.cuCtxCreate(None, 0, 0))
    stream, gate = blocked(a, flags)
    event = done(a.c.cuEventCreate(0))
    done(a.c.cuEventRecord(event, stream))
    done(a.c.cuStreamWaitEvent(other, event, 0))
    assert busy(a, other)
    with pytest.raises(EndlessWait, match=r"^cuCtxDestroy in .* waits for context"):
        a.c.cuCtxDestroy(context)
    release(a, gate)
    done(a.c.cuCtxDestroy(context))
    assert not machine.scheduler.pending
    assert not busy(a, other)
    machine.check_invariants()


def test_a_destroyed_stream_does_its_work(machine: Machine) -> None:
    """Nobody waits for it but who ends its context."""
    a = started(machine)
    place = word(a)
    stream, gate = blocked(a)
    done(a.c.cuStreamWriteValue32(stream, place, 3, 0))
    done(a.c.cuStreamDestroy(stream))
    assert machine.scheduler.pending
    machine.check_invariants()
    release(a, gate)
    assert contents(a, place, 4) == b"\3\0\0\0"
    context = done(a.c.cuCtxCreate(None, 0, 0))
    stream, gate = blocked(a)
    done(a.c.cuStreamDestroy(stream))
    release(a, gate)
    done(a.c.cuCtxDestroy(context))
    assert not machine.scheduler.pending


@pytest.mark.parametrize("end", ["exit", "kill"])
def test_work_goes_with_its_process(machine: Machine, end: str) -> None:
    """What another process waits for is done then."""
    a, b = started(machine), started(machine)
    stream, _ = blocked(a)
    event = done(a.c.cuEventCreate(INTERPROCESS))
    opened = done(b.c.cuIpcOpenEventHandle(done(a.c.cuIpcGetEventHandle(event))))
    done(a.c.cuEventRecord(event, stream))
    follower = new(b)
    done(b.c.cuStreamWaitEvent(follower, opened, 0))
    assert busy(b, follower)
    getattr(a, end)()
    assert not busy(b, follower)
    assert not machine.scheduler.pending
    assert not a.streams


def test_a_destroyed_stream_tells_its_story(machine: Machine) -> None:
    """A use after cuStreamDestroy is reported with where the stream came from and where it ended."""
    a = started(machine)
    stream = new(a)
    done(a.c.cuStreamDestroy(stream))
    with pytest.raises(UndefinedBehaviour) as report:
        a.c.cuStreamQuery(stream)
    assert report.value.finding.rule.id == "stream.handle.STREAM_IS_LIVE"
    story = str(report.value)
    assert f"object     destroyed stream {stream:#x}" in story
    assert "created at " in story
    assert story.count("test_a_destroyed_stream_tells_its_story") == 3


def test_a_forked_machine_has_locks_of_its_own(machine: Machine) -> None:
    """A call can wait there, whoever held the parent's lock."""
    a = started(machine)
    machine.fork(threading.get_native_id())
    stream, gate = blocked(a)
    assert busy(a, stream)
    release(a, gate)
    done(a.c.cuStreamSynchronize(stream))
