"""Calls that wait for what nothing brings about: which calls, what the error tells of the wait, and the wait timeout."""

from __future__ import annotations

import ctypes
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda import Machine
from fakecuda.model import history
from fakecuda.model.work import deadlock, remedy, wait_graph
from fakecuda.model.work.value import Value
from tests.model.blocked_streams import AND, EQUAL, GEQ, NON_BLOCKING, Beside, blocked, endless, waits, word, written

from .world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Process

    Call = Callable[[], tuple[Any, ...]]


def calls(a: Process) -> dict[str, Call]:
    """Return calls that wait for a stream that never goes on."""
    stream, place = blocked(a)
    event = done(a.c.cuEventCreate(0))
    done(a.c.cuEventRecord(event, stream))
    context = done(a.c.cuCtxGetCurrent())
    host = done(a.c.cuMemAllocHost(64))
    return {
        "cuStreamSynchronize": lambda: a.c.cuStreamSynchronize(stream),
        "cuEventSynchronize": lambda: a.c.cuEventSynchronize(event),
        "cuCtxSynchronize": a.c.cuCtxSynchronize,
        "cuMemFree": lambda: a.c.cuMemFree(place),
        "cuMemFreeHost": lambda: a.c.cuMemFreeHost(host),
        "cuCtxDestroy": lambda: a.c.cuCtxDestroy(context),
        "cudaDeviceSynchronize": a.c.cudaDeviceSynchronize,
    }


def _line_of(lines: list[str]) -> str:
    """Return the line of the first call of a report."""
    return next(line for line in lines if line.startswith("  at ")).replace("  at      ", " at")


@pytest.mark.parametrize("completion", ["eager", "manual"])
@pytest.mark.parametrize(
    "name",
    [
        "cuStreamSynchronize",
        "cuEventSynchronize",
        "cuCtxSynchronize",
        "cuMemFree",
        "cuMemFreeHost",
        "cuCtxDestroy",
        "cudaDeviceSynchronize",
    ],
)
@pytest.mark.usefixtures("by_itself")
def test_what_a_program_of_one_thread_waits_for_in_vain(name: str, completion: str) -> None:
    """Each call that waits ends at once and says who waits for what; the machine is as it was."""
    with Machine("h200-x2", wait_timeout=float("inf"), completion=completion) as machine:
        a = started(machine)
        call = calls(a)[name]
        machine.complete()
        before = machine.snapshot()
        first, *middle = endless(call)
        who = f"{name} in thread {threading.get_native_id()} of process a"
        waits, what = first.removesuffix(", and no other thread or process can end the wait").split(" waits for ", 1)
        assert waits == who
        (stream,) = machine.scheduler.pending
        work = stream.work[0]
        memory = work.needs.memory[0]
        assert isinstance(work.ready, Value)
        place = memory.start
        (queued,) = history.story(work.queued, history.NOWHERE, ("queued", ""))[:1]
        assert ["/tests/model/" in line or "<fakecuda" in line for line in middle if line.startswith("  at ")] == [True]
        assert [line for line in middle if not line.startswith("  at ")] == [
            f"waits      {who}",
            f"  for      {what}",
            f"waits      {stream}",
            f"  {stream.history()[0]}",
            f"  {queued}",
            f"  for      the 32 bits at {place:#x}, which are 0x0 and must become 0x1 (CU_STREAM_WAIT_VALUE_EQ)",
            f"  value    at byte 0 of {memory}",
            f"  {memory.history()[0]}",
            "  from     a write: cuStreamWriteValue32, a copy, a kernel",
            (
                f"fix        write the value before the wait {queued.removeprefix('queued ')}; or from another stream before the "
                f"call that waits{_line_of(middle)}; or from a thread or process that does not wait: use "
                "cuStreamWriteValue32, a copy or a kernel"
            ),
        ]
        assert [str(one).split("\n  ") for one in machine.deadlocks] == [
            ["deadlock: 1 call waits and can never return", *middle]
        ]
        assert machine.snapshot() == before
        assert not machine.scheduler.census.waiting
        written(a, place)
        assert call() == (0,)


@pytest.mark.parametrize(
    ("condition", "told"),
    [
        (GEQ, "0x5 or more (CU_STREAM_WAIT_VALUE_GEQ)"),
        (EQUAL, "0x5 (CU_STREAM_WAIT_VALUE_EQ)"),
        (AND, "a number that shares a bit with 0x5 (CU_STREAM_WAIT_VALUE_AND)"),
    ],
)
def test_the_value_is_told(patient: Machine, condition: int, told: str) -> None:
    """In words, with its address and its bits, also of 64 bits and of HIP."""
    a = started(patient)
    stream, place = done(a.c.cuStreamCreate(NON_BLOCKING)), word(a)
    done(a.c.cuStreamWaitValue32(stream, place, 5, condition))
    lines = endless(lambda: a.c.cuStreamSynchronize(stream))
    assert f"  for      the 32 bits at {place:#x}, which are 0x0 and must become {told}" in lines


def test_the_value_that_is_there_is_told(patient: Machine) -> None:
    """Where it lies in which memory; memory that has been freed meanwhile has no line."""
    a = started(patient)
    stream, start = done(a.c.cuStreamCreate(NON_BLOCKING)), done(a.c.cuMemAlloc(64))
    done(a.c.cuMemsetD32(start, 7, 16))
    done(a.c.cuStreamWaitValue32(stream, start + 12, 5, EQUAL))
    lines = endless(lambda: a.c.cuStreamSynchronize(stream))
    assert (
        f"  for      the 32 bits at {start + 12:#x}, which are 0x7 and must become 0x5 (CU_STREAM_WAIT_VALUE_EQ)"
        in lines
    )
    assert f"  value    at byte 12 of {a.memory.at(start)}" in lines
    (waiting,) = patient.scheduler.pending
    value = waiting.work[0].ready
    assert isinstance(value, Value)
    value.address = 8  # as if its memory had been freed
    assert "  value " not in "".join(endless(lambda: a.c.cuStreamSynchronize(stream)))


def test_hip_has_its_own_words() -> None:
    """The condition, the bits that count, and the call that writes the value."""
    with Machine("hip-clr-2026") as machine:
        a = machine.spawn()
        stream, place = done(a.c.hipStreamCreate()), done(a.c.hipMalloc(4))
        done(a.c.hipMemset(place, 0, 4))
        assert a.c.hipStreamWaitValue32(stream, place, 0x5, 1, 0xFF) == (0,)
        streams = [waiting] = list(machine.scheduler.pending)
        lines = [one for one in deadlock._wanted(waiting, streams) if isinstance(one, str)]
        assert any(line.endswith("must become 0x5 (hipStreamWaitValueEq) in the bits 0xff") for line in lines)
        assert lines[-1] == "    from     a write: hipStreamWriteValue32, a copy, a kernel"
        (fix,) = remedy.fixes(machine, streams, [], [])()
        assert fix.endswith("does not wait: use hipStreamWriteValue32, a copy or a kernel")


def test_work_that_comes_after_other_work_is_told(patient: Machine) -> None:
    """By an event, by the order of the default stream, or by a context's wait for an event."""
    a = started(patient)
    stream, _ = blocked(a)
    (first,) = patient.scheduler.pending
    event, other = done(a.c.cuEventCreate(0)), done(a.c.cuStreamCreate(NON_BLOCKING))
    done(a.c.cuEventRecord(event, stream))
    done(a.c.cuStreamWaitEvent(other, event, 0))
    done(a.c.cuCtxWaitEvent(done(a.c.cuCtxGetCurrent()), event))
    done(a.c.cuEventRecord(done(a.c.cuEventCreate(0)), 0))
    _, second, third = patient.scheduler.pending
    lines = endless(a.c.cuCtxSynchronize)
    told = [lines[lines.index(f"waits      {stream}") :] for stream in (second, third)]
    assert [next(line for line in rest if line.startswith("  for ")) for rest in told] == [
        f"  for      work of {first}",
        "  for      work that comes before its own",
    ]


def test_the_host_may_write_what_it_can_see(patient: Machine) -> None:
    """No call is needed for pinned or registered memory: such a wait is not ended, whoever else is there."""
    a = started(patient)
    page = a.host_memory(4096)
    done(a.c.cuMemHostRegister(page, 4096, 0))
    for place in (page, done(a.c.cuMemAllocHost(64))):
        stream, _ = blocked(a, place)
        other = Beside(partial(a.thread("other").c.cuStreamSynchronize, stream))
        waits(patient)
        with patient.lock:
            patient.scheduler.census.alone = True
            found = wait_graph.find(patient)
            patient.scheduler.census.alone = False
        assert found.callers == [
            f"the host, which can write the 32 bits at {place:#x}, which are 0x0 and must become 0x1 (CU_STREAM_WAIT_VALUE_EQ)"
        ]
        ctypes.c_uint.from_address(place).value = 1
        assert other.end() == (0,)


@pytest.mark.parametrize("wait_timeout", [0, -1, True, "60", None, float("nan")])
def test_a_wait_timeout_that_is_none(wait_timeout: Any) -> None:
    """It is told, with what can be written."""
    with pytest.raises(fakecuda.FakeCudaError) as caught:
        Machine(wait_timeout=wait_timeout)
    assert str(caught.value) == (
        f"wait_timeout={wait_timeout!r} is not a number of seconds above 0: use 60, or float('inf') to wait forever"
    )
