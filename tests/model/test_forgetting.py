"""Processes that have ended long ago cost nothing; what a driver would say of what they have left is said still."""

from __future__ import annotations

import gc
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.model import ending
from fakecuda.model.memory.address_ranges import Territory
from fakecuda.model.memory.space import WINDOW
from fakecuda.model.os.rng import Chance
from fakecuda.model.work.wait_graph import FEW
from fakecuda.spec.codes import Result

from .world import GRANULE, LAZY, POSIX, done, started

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Process

KEPT = 5
PINNED = 1
ON_DEVICE = (1, 0)
FABRIC = 8


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    """Return a machine that forgets soon."""
    monkeypatch.setattr(ending, "DEAD_KEPT", KEPT)
    with Machine("nvl72", strict=False) as made:
        yield made
        made.check_invariants()


def live_and_die(machine: Machine) -> dict[str, bytes]:
    """Have a process use a bit of everything, and be killed; return the handles that it has given out."""
    a = started(machine)
    memory = done(a.c.cuMemAlloc(GRANULE))
    done(a.c.cuMemHostAlloc(4096, 0))
    stream = done(a.c.cuStreamCreate(1))
    done(a.c.cuMemAllocAsync(512, stream))
    handle = done(a.c.cuIpcGetMemHandle(memory))
    event = done(a.c.cuEventCreate(6))
    name = done(a.c.cuIpcGetEventHandle(event))
    part = done(a.c.cuMemCreate(GRANULE, (PINNED, FABRIC, ON_DEVICE, 0, (0, 0, 0)), 0))
    fabric = done(a.c.cuMemExportToShareableHandle(part, FABRIC, 0))
    a.kill()
    return {"memory": handle, "event": name, "fabric": fabric}


def bury(machine: Machine, count: int = KEPT) -> None:
    """Have so many processes come and go."""
    for _ in range(count):
        machine.spawn().kill()


def objects(machine: Machine) -> int:
    """Return how many objects there are, but for those of the log, and but for events that can be opened for ever."""
    machine.calls.clear()
    machine.exchange.exported_events.clear()
    gc.collect()
    return len(gc.get_objects())


def grown(machine: Machine, count: int) -> int:
    """Return how many objects more there are when so many processes have come and gone, after some had."""
    for _ in range(2 * KEPT):
        live_and_die(machine)
    before = objects(machine)
    for _ in range(count):
        live_and_die(machine)
    return objects(machine) - before


def test_processes_that_have_ended_leave_nothing(machine: Machine) -> None:
    """However many there were, and the machine's tables are as short as before."""
    assert grown(machine, 100) < 20
    assert len(machine.processes) == len(machine.dead) == KEPT
    assert len(machine.exchange.shares) == KEPT
    assert len(machine.exchange.fabric_handles) <= 1
    assert len(machine.territory.retired) == 1
    assert not machine.living


@pytest.mark.long("a hundred thousand processes; tests of each commit see a hundred")
def test_a_hundred_thousand_processes_leave_nothing() -> None:
    """Without a shorter memory either."""
    with Machine("nvl72", strict=False) as machine:
        for _ in range(ending.DEAD_KEPT):
            live_and_die(machine)
        assert grown(machine, 100_000) < 100


def test_what_handles_of_the_dead_answer(machine: Machine) -> None:
    """The same as when they had just died, and others what they ever answered."""
    b = started(machine)
    known = live_and_die(machine)
    answers = []
    for _ in range(2):
        answers.append(
            (
                b.c.cuIpcOpenMemHandle(known["memory"], LAZY),
                b.c.cuIpcOpenMemHandle(bytes(64), LAZY),
                b.c.cuIpcOpenMemHandle(known["event"], LAZY),
                b.c.cuMemImportFromShareableHandle(known["fabric"], FABRIC)[0] != 0,
            )
        )
        bury(machine)
    assert known["memory"] not in machine.exchange.shares
    unknown = (Result.INVALID_VALUE, None)
    assert answers == [((Result.INVALID_HANDLE, None), unknown, unknown, True)] * 2
    with Machine("nvl72", strict=False) as other:
        assert started(other).c.cuIpcOpenMemHandle(known["memory"], LAZY) == unknown


def test_events_of_the_dead_are_opened(machine: Machine) -> None:
    """For ever, as on a card."""
    known = [live_and_die(machine)["event"] for _ in range(2)]
    bury(machine)
    b = started(machine)
    for name in known:
        event = done(b.c.cuIpcOpenEventHandle(name))
        done(b.c.cuEventRecord(event, 0))
        done(b.c.cuEventSynchronize(event))
    contexts = {machine.exchange.exported_events[name].context for name in known}
    assert [str(context.process) for context in contexts] == ["process that ended long ago"]


def test_what_others_have_open_stays(machine: Machine) -> None:
    """A process is forgotten when nobody has anything of its memory any more."""
    a, b = started(machine, name="exporter"), started(machine)
    memory = done(a.c.cuMemAlloc(GRANULE))
    handle = done(a.c.cuIpcGetMemHandle(memory))
    opened = done(b.c.cuIpcOpenMemHandle(handle, LAZY))
    a.kill()
    bury(machine, 2 * KEPT)
    assert "exporter" in machine.processes
    assert machine.exchange.shares[handle].importers
    machine.check_invariants()
    done(b.c.cuIpcCloseMemHandle(opened))
    bury(machine)
    assert "exporter" not in machine.processes
    assert not machine.exchange.shares


def test_pools_that_others_have_stay(machine: Machine) -> None:
    """What its pointers name is of that pool as long as somebody has it."""
    a, b = started(machine, name="exporter"), started(machine)
    pool = done(a.c.cuMemPoolCreate((PINNED, POSIX, ON_DEVICE, 0, 0, 0, 0)))
    pointer = done(a.c.cuMemAllocFromPoolAsync(512, pool, 0))
    descriptor = done(a.c.cuMemPoolExportToShareableHandle(pool, POSIX, 0))
    imported = done(b.c.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0))
    os.close(descriptor)
    data = done(a.c.cuMemPoolExportPointer(pointer))
    a.kill()
    bury(machine, 2 * KEPT)
    assert "exporter" in machine.processes
    done(b.c.cuMemFreeAsync(done(b.c.cuMemPoolImportPointer(imported, data)), 0))
    done(b.c.cuMemPoolDestroy(imported))
    bury(machine)
    assert "exporter" not in machine.processes
    assert not machine.exchange.pool_shares


def test_the_process_of_this_one_is_never_forgotten(machine: Machine) -> None:
    """Calls through it say that it has ended."""
    here = machine.here
    here.kill()
    bury(machine, 2 * KEPT)
    assert machine.here is here


def test_a_name_is_used_again(machine: Machine) -> None:
    """Whoever bears it now is not forgotten for one who did; numbers are used once."""
    first = machine.spawn("worker")
    first.kill()
    second = machine.spawn("worker")
    bury(machine, KEPT)
    assert machine.processes["worker"] is second
    assert second.alive
    fork: Process = machine.spawn()
    assert len({one.pid for one in (first, second, fork, *machine.processes.values())}) == KEPT + 3


def test_addresses_that_adjoin_are_one_range() -> None:
    """In whatever order they come back; a part of a range serves a smaller wish."""
    made = Territory(Chance(1))
    taken: list[Any] = [made.window(1) for _ in range(5)]
    for number in (3, 0, 4, 1, 2):
        made.retire(taken[number])
    assert made.retired == [(taken[0][0], taken[4][1])]
    assert taken[4][1] - taken[0][0] == 5 * WINDOW


def test_threads_that_have_ended_are_forgotten(machine: Machine) -> None:
    """Those that have called the machine, however many there were."""
    a = started(machine)
    for _ in range(3 * FEW):
        thread = threading.Thread(target=a.c.cuDeviceGetCount)
        thread.start()
        thread.join()
    assert len(machine.scheduler.census.callers) <= 2 * FEW
    assert threading.get_native_id() in machine.scheduler.census.callers
    assert len(a.threads) == 1
