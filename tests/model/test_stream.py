"""Streams: what is queued, what it waits for, who waits for it."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from fakecuda import EndlessWait, FakeCudaError, Machine, UndefinedBehaviour
from fakecuda.model.memory import transfer
from fakecuda.model.os.system import OWN
from fakecuda.model.work.stream import LEGACY, NON_BLOCKING, PER_THREAD

from .world import contents, done, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from fakecuda import Process

    Acts = tuple[Callable[[], tuple[Any, ...]], ...]

EQUAL = 1
NOT_READY = 600
ECC_UNCORRECTABLE = 214
INTERPROCESS = 6


@pytest.fixture
def manual() -> Iterator[Machine]:
    """Return a machine that does work when somebody waits for it, whole when the test ends."""
    with Machine("h200-x2", seed=1, completion="manual") as made:
        yield made
        made.check_invariants()


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
    done(a.c.cuStreamWriteValue32(new(a), place, 5, 0))
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


def test_another_stream_goes_on(machine: Machine) -> None:
    """What does not wait is done at once, though something is queued."""
    a = started(machine)
    stream, _ = blocked(a)
    place = word(a)
    done(a.c.cuStreamWriteValue32(new(a), place, 5, 0))
    assert contents(a, place, 4) == b"\5\0\0\0"
    assert busy(a, stream)


@pytest.mark.parametrize("handle", [LEGACY, PER_THREAD])
def test_the_legacy_stream_keeps_order_with_streams_that_block_on_it(machine: Machine, handle: int) -> None:
    """Its work comes after theirs and before what they are given later, but for other contexts and non-blocking ones."""
    a = started(machine)
    gate = word(a)
    other, free = new(a, 0), new(a)
    first = handle if handle == PER_THREAD else new(a, 0)
    done(a.c.cuStreamWaitValue32(first, gate, 1, EQUAL))
    assert not busy(a, other)
    event, later, beside = (done(a.c.cuEventCreate(0)) for _ in range(3))
    done(a.c.cuEventRecord(event, LEGACY))
    done(a.c.cuEventRecord(later, other))
    done(a.c.cuEventRecord(beside, free))
    assert [a.c.cuEventQuery(one) for one in (event, later, beside)] == [(NOT_READY,), (NOT_READY,), (0,)]
    assert busy(a, LEGACY)
    release(a, gate)
    assert [a.c.cuEventQuery(one) for one in (event, later, beside)] == [(0,)] * 3
    assert not busy(a, LEGACY)


def test_a_stream_without_work_is_done_whatever_the_legacy_one_does(machine: Machine) -> None:
    """It would wait only if it was given work."""
    a = started(machine)
    gate, idle = word(a), new(a, 0)
    done(a.c.cuStreamWaitValue32(LEGACY, gate, 1, EQUAL))
    done(a.c.cuStreamSynchronize(idle))
    assert not busy(a, idle)
    done(a.c.cuEventRecord(done(a.c.cuEventCreate(0)), idle))
    assert busy(a, idle)
    release(a, gate)


def test_the_legacy_streams_of_two_contexts_know_nothing_of_each_other(machine: Machine) -> None:
    """Each orders the streams of its own context."""
    a = started(machine)
    stream, gate = blocked(a, 0)
    done(a.c.cuCtxCreate(None, 0, 0))
    place = word(a)
    done(a.c.cuMemsetD8(place, 7, 4))
    assert not busy(a, LEGACY)
    done(a.c.cuCtxPopCurrent())
    assert busy(a, LEGACY)
    release(a, gate)
    assert not busy(a, stream)


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


def test_an_event_of_work_that_waits(machine: Machine) -> None:
    """It is not ready, in whatever process it was opened; the last record counts, however late an earlier one ends."""
    a, b = started(machine), started(machine)
    stream, gate = blocked(a)
    event = done(a.c.cuEventCreate(INTERPROCESS))
    opened = done(b.c.cuIpcOpenEventHandle(done(a.c.cuIpcGetEventHandle(event))))
    done(a.c.cuEventRecord(event, stream))
    assert a.c.cuEventQuery(event) == b.c.cuEventQuery(opened) == (NOT_READY,)
    done(b.c.cuEventRecord(opened, new(b)))
    assert a.c.cuEventQuery(event) == b.c.cuEventQuery(opened) == (0,)
    recorded = a.events[event].recorded
    release(a, gate)
    assert not machine.scheduler.pending
    assert a.events[event].recorded == recorded


def test_an_event_waits_for_a_context(machine: Machine) -> None:
    """One that cuCtxRecordEvent records captures the work of all streams, and none that is done by then."""
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    gates = [blocked(a)[1] for _ in range(2)]
    event, later = (done(a.c.cuEventCreate(0)) for _ in range(2))
    done(a.c.cuCtxRecordEvent(context, event))
    for gate in gates:
        assert a.c.cuEventQuery(event) == (NOT_READY,)
        release(a, gate)
    done(a.c.cuCtxRecordEvent(context, later))
    done(a.c.cuEventQuery(event))
    assert done(a.c.cuEventElapsedTime(event, later)) >= 0


def test_a_context_waits_for_an_event(machine: Machine) -> None:
    """All that comes later does, in every stream; two waits must both end, and then none is left."""
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    early, place = new(a), word(a)
    pairs = [blocked(a) for _ in range(2)]
    done(a.c.cuCtxCreate(None, 0, 0))
    outside = new(a)
    done(a.c.cuCtxPopCurrent())
    done(a.c.cuStreamWriteValue32(early, place, 1, 0))
    for stream, _ in pairs:
        event = done(a.c.cuEventCreate(0))
        done(a.c.cuEventRecord(event, stream))
        done(a.c.cuCtxWaitEvent(context, event))
    late = new(a)
    done(a.c.cuStreamWriteValue32(late, place, 2, 0))
    assert not busy(a, early)
    assert len(a.contexts[context].gates) == 2
    for _, gate in pairs:
        assert busy(a, late)
        done(a.c.cuStreamWriteValue32(outside, gate, 1, 0))
    assert not busy(a, late)
    assert contents(a, place, 4) == b"\2\0\0\0"
    done(a.c.cuStreamWaitValue32(late, pairs[0][1], 2, EQUAL))
    assert busy(a, late)
    assert a.contexts[context].gates == []
    done(a.c.cuStreamWriteValue32(outside, pairs[0][1], 2, 0))


def test_a_context_does_not_wait_for_an_event_that_is_done(machine: Machine) -> None:
    """There is nothing to wait for."""
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    event = done(a.c.cuEventCreate(0))
    done(a.c.cuEventRecord(event, 0))
    done(a.c.cuCtxWaitEvent(context, event))
    assert a.contexts[context].gates == []


def test_manual_completion(manual: Machine) -> None:
    """Work is done when somebody waits for it, for its event or its context, or has the machine do it."""
    a = started(manual)
    place, stream = word(a), new(a)
    event = done(a.c.cuEventCreate(0))
    ways = (
        lambda: done(a.c.cuStreamSynchronize(stream)),
        lambda: done(a.c.cuEventSynchronize(event)),
        lambda: done(a.c.cuCtxSynchronize()),
        lambda: done(a.c.cuMemFree(word(a))),
        manual.complete,
    )
    for value, wait in enumerate(ways, 1):
        done(a.c.cuStreamWriteValue32(stream, place, value, 0))
        done(a.c.cuEventRecord(event, stream))
        assert busy(a, stream)
        assert a.c.cuEventQuery(event) == (NOT_READY,)
        wait()
        assert not busy(a, stream)
        assert a.c.cuEventQuery(event) == (0,)
        assert contents(a, place, 4) == bytes([value, 0, 0, 0])


def test_manual_completion_does_what_is_waited_for(manual: Machine) -> None:
    """Streams of which nobody has said that they come first stay as they are; those before the awaited one do not."""
    a = started(manual)
    place = word(a)
    bystander, other, follower = new(a), new(a, 0), new(a, 0)
    done(a.c.cuStreamWriteValue32(bystander, place, 1, 0))
    done(a.c.cuStreamWriteValue32(other, place, 2, 0))
    done(a.c.cuMemsetD8(place, 3, 4))
    done(a.c.cuStreamWriteValue32(follower, place, 4, 0))
    assert contents(a, place, 4) == b"\4\0\0\0"
    assert [busy(a, stream) for stream in (bystander, other, follower)] == [True, False, False]
    event = done(a.c.cuEventCreate(0))
    done(a.c.cuEventRecord(event, bystander))
    done(a.c.cuStreamWaitEvent(other, event, 0))
    done(a.c.cuStreamSynchronize(other))
    assert not busy(a, bystander)


def test_the_host_waits_where_its_memory_is_touched(manual: Machine) -> None:
    """A memset or copy that touches more than devices is done when the call returns, and all that comes before it."""
    a = started(manual)
    place = word(a)
    pinned = done(a.c.cuMemAllocHost(64))
    acts: Acts = (
        lambda: a.c.cuMemsetD8(pinned, 7, 4),
        lambda: a.c.cuMemcpyDtoD(pinned, place, 4),
        lambda: a.c.cuMemcpy(place, pinned, 4),
        lambda: a.c.cuMemcpyHtoD(place, b"abcd", 4),
        lambda: a.c.cuMemcpyDtoH(bytearray(4), place, 4),
    )
    for act in acts:
        done(a.c.cuMemsetD8(place, 0, 4))
        assert busy(a, LEGACY)
        done(act())
        assert not busy(a, LEGACY)
    context = done(a.c.cuCtxGetCurrent())
    acts = (
        lambda: a.c.cuMemsetD16(place, 7, 2),
        lambda: a.c.cuMemsetD32(place, 7, 1),
        lambda: a.c.cuMemcpy(place, place, 4),
        lambda: a.c.cuMemcpyDtoD(place, place, 4),
        lambda: a.c.cuMemcpyPeer(place, context, place, context, 4),
    )
    for act in acts:
        done(act())
        assert busy(a, LEGACY)
        done(a.c.cuCtxSynchronize())


def test_memory_goes_when_its_context_is_done_with_it(manual: Machine) -> None:
    """What frees linear, pinned and registered memory waits first."""
    a = started(manual)
    stream = new(a)
    page = a.host_memory(4096)
    done(a.c.cuMemHostRegister(page, 4096, 0))
    for address, give in (
        (word(a), a.c.cuMemFree),
        (done(a.c.cuMemAllocHost(64)), a.c.cuMemFreeHost),
        (page, a.c.cuMemHostUnregister),
    ):
        done(a.c.cuStreamWriteValue32(stream, address, 7, 0))
        done(give(address))
        assert not busy(a, stream)


def test_a_completion_that_there_is_not() -> None:
    """It is told, with those there are."""
    with pytest.raises(
        FakeCudaError,
        match=r"^completion='late' is not a way to complete work: use completion='eager' or completion='manual'$",
    ):
        Machine(completion="late")


WAITS: dict[str, Callable[[Process, int, int, int], int]] = {
    "cuStreamSynchronize": lambda a, stream, *_: a.c.cuStreamSynchronize(stream)[0],
    "cuCtxSynchronize": lambda a, *_: a.c.cuCtxSynchronize()[0],
    "cuCtxSynchronize_v2": lambda a, *_: a.c.cuCtxSynchronize_v2(0)[0],
    "cuEventSynchronize": lambda a, _, event, __: a.c.cuEventSynchronize(event)[0],
    "cuMemcpyDtoHAsync": lambda a, stream, _, place: a.c.cuMemcpyDtoHAsync(bytearray(4), place, 4, stream)[0],
    "cuMemcpyDtoH": lambda a, _, __, place: a.c.cuMemcpyDtoH(bytearray(4), place, 4)[0],
}
"""Calls that wait for a stream that blocks on the legacy one, or for an event in it."""


@pytest.mark.parametrize("call", WAITS)
def test_a_device_is_lost_while_a_call_waits_for_it(machine: Machine, call: str) -> None:
    """The call returns, with what the context answers from now on."""
    a = started(machine)
    place = word(a)
    stream, _ = blocked(a, 0)
    event = done(a.c.cuEventCreate(0))
    done(a.c.cuEventRecord(event, stream))
    timer = threading.Timer(0.05, machine.lose_device, [0])
    timer.start()
    assert WAITS[call](a, stream, event, place) == ECC_UNCORRECTABLE
    timer.join()


def test_one_thread_waits_while_another_writes(machine: Machine) -> None:
    """Calls of other threads go on meanwhile."""
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    stream, gate = blocked(a)
    answers: list[tuple[int, ...]] = []
    waiter = threading.Thread(target=lambda: answers.append(a.thread("other").c.cuStreamSynchronize(stream)))
    waiter.start()
    time.sleep(0.01)
    assert waiter.is_alive()
    assert busy(a, stream)
    assert done(a.c.cuCtxGetCurrent()) == context
    release(a, gate)
    waiter.join()
    assert answers == [(0,)]


def test_the_host_can_write_the_value(machine: Machine) -> None:
    """No call is needed: who waits looks again and again."""
    a = started(machine)
    page = a.host_memory(4096)
    done(a.c.cuMemHostRegister(page, 4096, 0))
    stream = new(a)
    done(a.c.cuStreamWaitValue32(stream, page, 1, EQUAL))
    answers: list[tuple[int, ...]] = []
    waiter = threading.Thread(target=lambda: answers.append(a.thread("other").c.cuStreamSynchronize(stream)))
    waiter.start()
    assert waiter.is_alive()
    transfer.fill(OWN.pieces(page, 4), 1, 4)
    waiter.join()
    assert answers == [(0,)]
    event = done(a.c.cuEventCreate(0))
    asks: Acts = (lambda: a.c.cuStreamQuery(stream), lambda: a.c.cuEventQuery(event))
    for value, ask in enumerate(asks, 2):
        done(a.c.cuStreamWaitValue32(stream, page, value, EQUAL))
        done(a.c.cuEventRecord(event, stream))
        assert ask() == (NOT_READY,)
        transfer.fill(OWN.pieces(page, 4), value, 4)
        assert ask() == (0,)


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


def test_priorities_are_clamped(machine: Machine) -> None:
    """To the range that the profile tells."""
    a = started(machine)
    least, greatest = done(a.c.cuCtxGetStreamPriorityRange())
    for asked, given in ((-1, -1), (-1000, greatest), (1000, least)):
        stream = done(a.c.cuStreamCreateWithPriority(0, asked))
        assert a.streams[stream].priority == given
