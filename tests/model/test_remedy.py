"""What the report of a deadlock advises: the lines, writes that never run, and waits that no value ends."""

from __future__ import annotations

import ctypes
import itertools
import threading
from typing import TYPE_CHECKING

import pytest

from fakecuda import EndlessWait, Machine
from fakecuda.model.memory.backing import Extent
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.work import remedy
from fakecuda.rules.driver.stream import stream_wait_value
from fakecuda.rules.driver.stream.launch_host_func import FUNCTION
from fakecuda.rules.hip import values

from .blocked_streams import AND, EQUAL, LONG, NON_BLOCKING, NOR, Beside, endless, waits, word
from .world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Process
    from fakecuda.model.work.value import Value
    from tests.conftest import Clock

    Queue = Callable[[Process, int, int], None]


@pytest.fixture
def machine(patient: Machine) -> Machine:
    """Return a machine whose waits end only if they are proved endless."""
    return patient


def stream(a: Process, flags: int = NON_BLOCKING) -> int:
    """Return a new stream."""
    return int(done(a.c.cuStreamCreate(flags)))


def wait_for(a: Process, stream: int, place: int) -> None:
    """Have a stream wait for a 1."""
    done(a.c.cuStreamWaitValue32(stream, place, 1, EQUAL))


def write(a: Process, stream: int, place: int) -> None:
    """Have a stream write the 1."""
    done(a.c.cuStreamWriteValue32(stream, place, 1, 0))


def fill(a: Process, stream: int, place: int) -> None:
    """Have a stream set the byte by a memset."""
    done(a.c.cuMemsetD8Async(place, 1, 1, stream))


def copy(a: Process, stream: int, place: int) -> None:
    """Have a stream copy other bytes to the place."""
    done(a.c.cuMemcpyDtoDAsync(place, word(a), 4, stream))


def read(a: Process, stream: int, place: int) -> None:
    """Have a stream copy the bytes to another place."""
    done(a.c.cuMemcpyDtoDAsync(done(a.c.cuMemAlloc(4)), place, 4, stream))


def beside(a: Process, stream: int, place: int) -> None:
    """Have a stream write to other bytes of the memory."""
    done(a.c.cuStreamWriteValue32(stream, place + 4, 1, 0))


def itself(_: Process, waiting: int) -> int:
    """Return the stream that waits."""
    return waiting


def by_event(a: Process, waiting: int) -> int:
    """Return a stream that waits for an event behind the wait."""
    event, other = done(a.c.cuEventCreate(0)), stream(a)
    done(a.c.cuEventRecord(event, waiting))
    done(a.c.cuStreamWaitEvent(other, event, 0))
    return other


def by_context(a: Process, waiting: int) -> int:
    """Return a stream of a context that waits for an event behind the wait, and waits for the event itself, too."""
    event, other = done(a.c.cuEventCreate(0)), stream(a)
    done(a.c.cuEventRecord(event, waiting))
    done(a.c.cuCtxWaitEvent(done(a.c.cuCtxGetCurrent()), event))
    done(a.c.cuStreamWaitEvent(other, event, 0))
    return other


def legacy(_: Process, waiting: int) -> int:
    """Return the default stream, which waits for streams that block on it."""
    del waiting
    return 0


@pytest.mark.parametrize(
    ("queue", "is_write"), [(write, True), (fill, True), (copy, True), (read, False), (beside, False)]
)
@pytest.mark.parametrize("path", [itself, by_event, by_context, legacy])
def test_a_write_behind_the_wait_never_runs(
    machine: Machine, path: Callable[[Process, int], int], queue: Queue, *, is_write: bool
) -> None:
    """The report says so, and the fix names the lines of the write and of the wait; of other work it says nothing."""
    a = started(machine)
    place = int(done(a.c.cuMemAlloc(8)))
    done(a.c.cuMemsetD8(place, 0, 8))
    waiting = stream(a, 0)
    wait_for(a, waiting, place)
    if queue is copy or queue is read:
        done(a.c.cuMemAlloc(8))
    queue(a, path(a, waiting), place)
    lines = endless(a.c.cuCtxSynchronize)
    told = [line for line in lines if line.startswith("  behind ")]
    assert [(queue.__name__ in line, "comes after this wait: it never runs" in line) for line in told] == [
        (True, True)
    ] * is_write
    before, _, after = lines[-1].partition(" before the wait")
    assert ("fix        queue the write at " in before, f" in {queue.__name__}" in before) == (is_write, is_write)
    assert "in wait_for" in after


def test_two_waits_that_hold_each_other_s_write(machine: Machine) -> None:
    """Each write comes after the other wait; each has its fix."""
    a = started(machine)
    one, two, here, there = stream(a), stream(a), word(a), word(a)
    wait_for(a, one, here)
    write(a, one, there)
    wait_for(a, two, there)
    fill(a, two, here)
    lines = endless(a.c.cuCtxSynchronize)
    told = [line for line in lines if line.startswith("  behind ")]
    assert ["comes after the wait queued at " in line for line in told] == [True, True]
    fixes = [line for line in lines if line.startswith("fix ")]
    assert [("in fill before the wait" in line, "in write before the wait" in line) for line in fixes] == [
        (True, False),
        (False, True),
    ]


def test_a_write_behind_a_host_function(machine: Machine) -> None:
    """It may run yet: the report names the function, and not the wait."""
    a = started(machine)
    waiting, other, place, go = stream(a), stream(a), word(a), threading.Event()
    wait_for(a, waiting, place)
    function = FUNCTION(lambda _: go.wait(LONG) and None)
    done(a.c.cuLaunchHostFunc(other, ctypes.cast(function, ctypes.c_void_p).value, 0))
    write(a, other, place)
    with machine.lock:
        streams = list(machine.scheduler.pending)
        ((_, root),) = remedy.behind(streams, streams[0].work[0])
        assert remedy.kind(root) == "host function"
    go.set()
    done(a.c.cuCtxSynchronize())


def test_many_waits_have_few_fixes(machine: Machine) -> None:
    """The first ones, each once."""
    a = started(machine)
    for _ in range(2):
        wait_for(a, stream(a), word(a))
    done(a.c.cuStreamWaitValue32(stream(a), word(a), 1, EQUAL))
    done(a.c.cuStreamWaitValue32(stream(a), word(a), 1, EQUAL))
    done(a.c.cuStreamWaitValue32(stream(a), word(a), 1, EQUAL))
    lines = endless(a.c.cuCtxSynchronize)
    fixes = [line for line in lines if line.startswith("fix ")]
    assert len({*fixes}) == len(fixes) == remedy.MOST


@pytest.mark.parametrize(
    ("value", "condition", "why"),
    [(0, AND, "0x0 has no bit to share"), (0xFFFFFFFF, NOR, "0xffffffff has every bit")],
)
def test_a_wait_that_no_value_ends(machine: Machine, value: int, condition: int, why: str) -> None:
    """The report says why, and advises no write; the host, which can write the memory, is no helper."""
    a = started(machine)
    waiting, place = stream(a), int(done(a.c.cuMemAllocHost(64)))
    done(a.c.cuStreamWaitValue32(waiting, place, value, condition))
    lines = endless(lambda: a.c.cuStreamSynchronize(waiting))
    assert [line for line in lines if "never " in line] == [
        line for line in lines if line.startswith(f"  never    no value ends this wait: {why}")
    ]
    assert not any(line.startswith("  from ") for line in lines)
    assert lines[-1].startswith("fix        change the value or the flags of the wait at ")


def test_a_hip_wait_outside_its_mask(by_itself: None) -> None:
    """The report names the bits that the mask leaves out."""
    del by_itself
    with Machine("hip-clr-2026", strict=False, wait_timeout=float("inf")) as machine:
        a = machine.spawn()
        waiting, place = done(a.c.hipStreamCreate()), done(a.c.hipMalloc(4))
        done(a.c.hipMemset(place, 0, 4))
        done(a.c.hipStreamWaitValue32(waiting, place, 0x105, values.EQ, 0xFF))
        lines = endless(lambda: a.c.hipStreamSynchronize(waiting))
    why = "it compares the bits 0xff alone, and 0x105 has the bits 0x100 beside them"
    assert f"  never    no value ends this wait: {why}" in lines
    assert lines[-1].startswith("fix        change the value or the mask of the wait at ")
    assert lines[-1].endswith(why)


def places() -> Iterator[Value]:
    """Yield waits for a byte, by each condition: of CUDA's 32 bits at the end of memory, of HIP's with each mask."""
    piece = Extent(HostMemory(1, 1), 0, 1), 0, 1
    for number, condition in itertools.product((0, 1, 6, 0x7F, 0x80, 0xFF, 0x100, 0x1FF, 0xFFFFFFFF), range(4)):
        yield stream_wait_value.awaited(piece, 0, number, 1, condition)
        yield stream_wait_value.awaited(piece, 0, number, 4, condition)
        for mask in (0, 1, 6, 0x80, 0xF0, 0xFF, 0xFFFFFFFF):
            yield values.awaited(piece, (0, 1), number, mask, condition)
            yield values.awaited(piece, (0, 4), number, mask, condition)


def test_which_waits_no_value_ends() -> None:
    """Every value of a byte is tried."""
    found = [(bool(value.endless), any(map(value.holds, range(256)))) for value in places()]
    assert {*found} == {(True, False), (False, True)}


@pytest.mark.parametrize("queue", [write, None])
def test_the_wait_timeout_of_a_wait_that_nothing_ends(by_itself: None, clock: Clock, queue: Queue | None) -> None:
    """Another thread may call yet; the fix names the write that stands behind the wait, else the line of the call."""
    del by_itself, clock
    with Machine("h200", strict=False, wait_timeout=30) as machine:
        a = started(machine)
        waiting, place = stream(a), word(a)
        wait_for(a, waiting, place)
        if queue is not None:
            queue(a, waiting, place)
        machine.scheduler.census.outside = lambda: ["another process"]
        other = Beside(lambda: a.c.cuStreamSynchronize(waiting))
        waits(machine)
        with pytest.raises(EndlessWait) as caught:
            a.thread("other").c.cuStreamSynchronize(waiting)
        other.end()
    last = str(caught.value).split("\n  ")[-1]
    start = "fix        queue the write at " if queue else f"fix        end the wait at {__file__}"
    assert last.startswith(start)
