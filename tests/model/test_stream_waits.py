"""Waits of the host for a stream's work: which calls do the work, and what happens while a call waits."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import pytest

from fakecuda import FakeCudaError, Machine
from fakecuda.model.memory import transfer
from fakecuda.model.os.system import OWN
from fakecuda.model.work.stream import LEGACY
from tests.model.test_stream import blocked, busy, new, release, word

from .world import contents, done, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from fakecuda import Process

    Acts = tuple[Callable[[], tuple[Any, ...]], ...]

EQUAL = 1
NOT_READY = 600
ECC_UNCORRECTABLE = 214


@pytest.fixture
def manual() -> Iterator[Machine]:
    """Return a machine that does work when somebody waits for it, whole when the test ends."""
    with Machine("h200-x2", seed=1, completion="manual") as made:
        yield made
        made.check_invariants()


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
    done(a.c.cuStreamWriteValue32(bystander, word(a), 1, 0))
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
