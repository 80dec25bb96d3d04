"""The clock: what moves it on, and by how much."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.model.work.clock import LAUNCH, SECOND, TICK
from fakecuda.profiles import load

from .world import GRANULE, READ_WRITE, created, done, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Process

SIZE = 64 << 20
HBM, NVLINK, PCIE = 4_800, 450, 64
"""Bytes per nanosecond."""
ROWS = 512, 1024, 2048
"""Row bytes, rows, and pitch."""


def test_every_record_is_later(machine: Machine) -> None:
    """By a tick at least, and by no more where nothing happens between them, whatever the system's clock says."""
    a = started(machine)
    events = [done(a.c.cuEventCreate(0)) for _ in range(9)]
    for event in events:
        done(a.c.cuEventRecord(event, 0))
    times = [done(a.c.cuEventElapsedTime(events[0], event)) for event in events]
    assert times == [number * TICK / 1e6 for number in range(9)]


def test_the_test_lets_time_pass(machine: Machine) -> None:
    """What is recorded before is not moved; calls take no time."""
    a = started(machine)
    start, end = (done(a.c.cuEventCreate(0)) for _ in range(2))
    done(a.c.cuEventRecord(start, 0))
    assert machine.clock.now == TICK / SECOND
    machine.clock.advance(1.5)
    machine.clock.advance(0)
    machine.clock.advance(2)
    assert machine.clock.now == 3.5 + TICK / SECOND
    done(a.c.cuEventRecord(end, 0))
    assert done(a.c.cuEventElapsedTime(start, end)) == 3500 + TICK / 1e6


@pytest.mark.parametrize("seconds", [-1, -1e-9, math.nan, math.inf, -math.inf, "1", None])
def test_time_does_not_go_backwards(machine: Machine, seconds: Any) -> None:
    """The error says what to write, and nothing has happened."""
    before = machine.snapshot()
    with pytest.raises(FakeCudaError, match=r"clock\.advance\(.*\): pass a finite number of seconds"):
        machine.clock.advance(seconds)
    assert machine.snapshot() == before
    assert machine.clock.now == 0


def host(a: Process) -> int:
    """Return memory of the host that is not page-locked."""
    return a.host_memory(SIZE)


def work(a: Process) -> dict[str, tuple[Callable[[], Any], int]]:
    """Return what a process does and how many nanoseconds its bytes take."""
    c = a.c
    one, other = (done(c.cuMemAlloc(SIZE)) for _ in range(2))
    pinned = done(c.cuMemHostAlloc(SIZE, 0))
    mine = host(a)
    there = done(c.cuCtxGetCurrent()), done(c.cuCtxCreate(None, 0, 1))
    far = done(c.cuMemAlloc(SIZE))
    done(c.cuCtxPopCurrent())
    stream = done(c.cuStreamCreate(1))
    width, height, pitch = ROWS
    virtual = done(c.cuMemAddressReserve(2 * GRANULE, 0, 0, 0))
    for number in range(2):
        done(c.cuMemMap(virtual + number * GRANULE, GRANULE, 0, created(a), 0))
    done(c.cuMemSetAccess(virtual, 2 * GRANULE, [((1, 0), READ_WRITE)], 1))
    return {
        "on a card": (lambda: c.cuMemcpyDtoD(one, other, SIZE), 2 * SIZE // HBM),
        "on a card, in a stream": (lambda: c.cuMemcpyDtoDAsync(one, other, SIZE, stream), 2 * SIZE // HBM),
        "from the host": (lambda: c.cuMemcpyHtoD(one, mine, SIZE), SIZE // PCIE),
        "to the host": (lambda: c.cuMemcpyDtoH(mine, one, SIZE), SIZE // PCIE),
        "to pinned memory, in a stream": (lambda: c.cuMemcpyDtoHAsync(pinned, one, SIZE, stream), SIZE // PCIE),
        "within the host": (lambda: c.cuMemcpy(pinned, mine, SIZE), SIZE // PCIE),
        "to a peer": (lambda: c.cuMemcpyPeer(far, there[1], one, there[0], SIZE), SIZE // NVLINK),
        "to two mappings": (lambda: c.cuMemcpyDtoD(virtual, one, 2 * GRANULE), 4 * GRANULE // HBM),
        "of rows": (lambda: c.cudaMemcpy2D(one, pitch, other, width, width, height, 3), 2 * width * height // HBM),
        "a memset": (lambda: c.cuMemsetD32(one, 5, SIZE // 4), SIZE // HBM),
        "a memset of the host": (lambda: c.cuMemsetD8(pinned, 5, SIZE), SIZE // PCIE),
        "a memset of rows": (lambda: c.cuMemsetD2D8Async(one, pitch, 5, width, height, stream), width * height // HBM),
        "nothing": (lambda: c.cuMemsetD8(one, 5, 0), -LAUNCH),
        "a value": (lambda: c.cuStreamWriteValue32(stream, one, 5, 0), 0),
        "a value that is there": (lambda: c.cuStreamWaitValue32(stream, one, 0, 0), 0),
        "a barrier": (lambda: c.cuStreamSynchronize(stream), -LAUNCH),
        "slices of the runtime": (
            lambda: c.cudaMemset3D((one, pitch, width, height), 5, (width, height, 2)),
            2 * width * height // HBM,
        ),
    }


WORK = (
    "on a card",
    "on a card, in a stream",
    "from the host",
    "to the host",
    "to pinned memory, in a stream",
    "within the host",
    "to a peer",
    "to two mappings",
    "of rows",
    "a memset",
    "a memset of the host",
    "a memset of rows",
    "nothing",
    "a value",
    "a value that is there",
    "a barrier",
    "slices of the runtime",
)


@pytest.mark.parametrize("completion", ["eager", "manual"])
@pytest.mark.parametrize("name", WORK)
def test_work_takes_a_launch_and_its_bytes_over_a_bandwidth(name: str, completion: str) -> None:
    """By what it moves and between which memories, once it is done."""
    with Machine("h200-x2", seed=1, completion=completion) as machine:
        a = started(machine)
        do, taken = work(a)[name]
        assert machine.clock.worked == 0
        done(do())
        machine.complete()
        assert machine.clock.worked == LAUNCH + taken


def test_the_table_of_work_is_whole(machine: Machine) -> None:
    """Every row of it is tested."""
    assert tuple(work(started(machine))) == WORK


def test_work_that_waits_takes_its_time_when_it_is_done() -> None:
    """An event after it is later by that, one before it is not."""
    with Machine("h200-x2", seed=1, completion="manual") as machine:
        a = started(machine)
        stream, memory = done(a.c.cuStreamCreate(1)), done(a.c.cuMemAlloc(SIZE))
        events = [done(a.c.cuEventCreate(0)) for _ in range(2)]
        done(a.c.cuEventRecord(events[0], stream))
        done(a.c.cuMemsetD8Async(memory, 1, SIZE, stream))
        done(a.c.cuEventRecord(events[1], stream))
        assert machine.clock.worked == 0
        done(a.c.cuStreamSynchronize(stream))
        took = LAUNCH + SIZE // HBM + TICK
        assert done(a.c.cuEventElapsedTime(*events)) == took // TICK * TICK / 1e6


def test_functions_and_prefetches_take_a_launch(machine: Machine) -> None:
    """Whatever they do, and however long that takes."""
    a = started(machine)
    stream = done(a.c.cuStreamCreate(1))
    done(a.c.cuLaunchHostFunc(stream, a.c_function("abs"), 0))
    done(a.c.cuStreamSynchronize(stream))
    assert machine.clock.worked == LAUNCH
    managed = done(a.c.cuMemAllocManaged(SIZE, 1))
    done(a.c.cuMemPrefetchAsync(managed, SIZE, (1, 0), 0, stream))
    done(a.c.cuStreamAttachMemAsync(stream, managed, 0, 1))
    assert machine.clock.worked == 3 * LAUNCH


def test_a_profile_says_how_fast_bytes_move() -> None:
    """Cards that cannot access each other copy over the bus, in whichever direction they cannot."""
    profile = load("h200-x2")
    peers = {**profile.peers, (0, 1): attrs.evolve(profile.peers[0, 1], can_access=False)}
    bandwidth = attrs.evolve(profile.bandwidth, memory=2 * SIZE * SECOND, link=SIZE * SECOND, bus=SECOND)
    with Machine(attrs.evolve(profile, peers=peers, bandwidth=bandwidth), seed=1) as machine:
        a = started(machine)
        near, here = done(a.c.cuMemAlloc(SIZE)), done(a.c.cuCtxGetCurrent())
        there = done(a.c.cuCtxCreate(None, 0, 1))
        far = done(a.c.cuMemAlloc(SIZE))
        contexts, taken = {near: here, far: there}, []
        for target, source in ((far, far), (far, near), (near, far)):
            before = machine.clock.worked
            done(a.c.cuMemcpyPeer(target, contexts[target], source, contexts[source], SIZE))
            taken.append(machine.clock.worked - before - LAUNCH)
        assert taken == [1, 1, SIZE]


def test_a_real_clock_is_the_systems(monkeypatch: pytest.MonkeyPatch) -> None:
    """Work takes what it takes; the test can let time pass beside it."""
    with Machine("h200-x2", clock="real") as machine:
        a = started(machine)
        start, end, last = (done(a.c.cuEventCreate(0)) for _ in range(3))
        memory = done(a.c.cuMemAlloc(SIZE))
        monkeypatch.setattr(time, "monotonic_ns", lambda: 7 * SECOND)
        done(a.c.cuEventRecord(start, 0))
        done(a.c.cuMemsetD8(memory, 1, SIZE))
        assert machine.clock.now == 7
        monkeypatch.setattr(time, "monotonic_ns", lambda: 8 * SECOND)
        done(a.c.cuEventRecord(end, 0))
        assert done(a.c.cuEventElapsedTime(start, end)) == 1000
        machine.clock.advance(0.25)
        done(a.c.cuEventRecord(last, 0))
        assert done(a.c.cuEventElapsedTime(end, last)) == 250


def test_there_are_two_clocks() -> None:
    """An unknown one is refused by a text that names them."""
    with pytest.raises(FakeCudaError, match="clock='wall' is not a kind of clock: use clock='virtual' or clock='real'"):
        Machine("h200", clock="wall")
