"""Orders that commute: a search tries one of them, and loses none of the others."""

from __future__ import annotations

from functools import partial
from math import comb
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.machine.orders import touching
from fakecuda.machine.orders.clocks import read
from fakecuda.machine.runs.explore import Search
from fakecuda.model.effect import watched
from fakecuda.model.machine import MANUAL
from tests.model.world import GRANULE, created, done, mapped, started
from tests.orders import programs
from tests.orders.programs import asked, explored

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Orders, Process
    from fakecuda.machine.runs.explore import Run

SIZE = 4096
SETTINGS = {"profile": "h200", "seed": 0, "completion": MANUAL, "shared": False, "races": False}


class Classes(Search):
    """A search that notes its orders, with equivalent ones as one."""

    def __init__(self, program: Callable[[Orders], object], *, prune: bool) -> None:
        super().__init__(program, SETTINGS, prune=prune)
        self.found: set[int] = set()

    def _add(self, done: Run, *others: Any) -> None:
        self.found.add(read(done.steps).classes[-2])  # the end comes after whatever came last
        super()._add(done, *others)


def tried(program: Callable[[Orders], object], *, prune: bool) -> tuple[int, set[int]]:
    """Return how many orders a whole search tries, and which they are, those that commute as one."""
    search = Classes(program, prune=prune)
    with watched(search.note):
        assert search.search(5000, 0, None) is None
    assert not search.left
    return search.tried, search.found


def in_two_streams(orders: Orders) -> None:
    """Two streams fill memory of their own, one of them twice."""
    c = started(orders.machine).c
    for count in (1, 2):
        stream = done(c.cuStreamCreate(1))
        for _ in range(count):
            done(c.cuMemsetD8Async(done(c.cuMemAlloc(SIZE)), 1, SIZE, stream))


def behind_the_default_stream(orders: Orders) -> None:
    """Work of a stream comes after that of the default one, which copies what a third stream fills."""
    c = started(orders.machine).c
    first, second, last = (done(c.cuMemAlloc(SIZE)) for _ in range(3))
    blocking, other = done(c.cuStreamCreate(0)), done(c.cuStreamCreate(1))
    done(c.cuMemsetD8Async(first, 1, SIZE, other))
    done(c.cuMemsetD8Async(second, 2, SIZE, 0))
    done(c.cuMemcpyDtoDAsync(last, first, SIZE, blocking))


def of_one_buffer(orders: Orders) -> None:
    """Two processes fill one buffer, which one of them exports; nobody looks when."""
    (owner,), (reader,) = programs.threads(orders, "one"), programs.threads(orders, "two")
    memory = done(owner.cuMemAlloc(SIZE))
    opened = done(reader.cuIpcOpenMemHandle(done(owner.cuIpcGetMemHandle(memory)), 1))
    for name, c, address in (("a", owner, memory), ("b", reader, opened)):
        orders.start(c.cuMemsetD8, address, 1, SIZE, process=orders.machine.processes[name], name=name)


def taken_in_turn(orders: Orders) -> None:
    """Two processes take one lock."""
    lock = orders.lock()

    def hold() -> None:
        with lock:
            pass

    for _ in range(2):
        orders.start(hold, process=orders.machine.spawn())


def test_calls_of_two_processes_commute() -> None:
    """One order stands for all, however many calls there are."""
    found = explored(partial(asked, calls=10, processes=2))
    assert (found.orders, found.whole, found.error) == (1, True, None)


@pytest.mark.parametrize("calls", [1, 2, 3])
def test_threads_of_one_process_do_not(calls: int) -> None:
    """They share what they have in Python: each order is tried, once."""
    found = explored(partial(asked, calls=calls, processes=1))
    assert found.whole
    assert found.orders == comb(2 * calls + 2, calls + 1)


@pytest.mark.parametrize(
    "program",
    [partial(asked, calls=1, processes=2), in_two_streams, behind_the_default_stream, of_one_buffer, taken_in_turn],
)
def test_nothing_is_lost_by_pruning(program: Any) -> None:
    """A search that prunes tries each order that one without tries, but for those that commute."""
    every, all_classes = tried(program, prune=False)
    few, classes = tried(program, prune=True)
    assert classes == all_classes
    assert len(classes) <= few < every


def test_effects_have_the_names_that_orders_know() -> None:
    """An effect that is renamed would count as one that touches all."""
    with watched(after=lambda _: None) as effects:
        exact = {*touching.QUEUEING, touching.WORK, *touching.FAILS}
        assert exact <= effects.keys()
        assert [prefix for prefix in touching.COUNTED if not any(name.startswith(prefix) for name in effects)] == []


def test_streams_commute_but_for_what_they_share() -> None:
    """Of three fills in two streams one order is left."""
    assert explored(in_two_streams).orders == 1


def test_memory_that_another_process_unmaps_is_no_business_of_the_first() -> None:
    """Each has its own addresses: one order stands for all."""

    def program(orders: Orders) -> None:
        def act(process: Process) -> None:
            done(process.c.cuInit(0))
            done(process.c.cuCtxCreate(None, 0, 0))
            done(process.c.cuMemUnmap(mapped(process, created(process)), GRANULE))

        for _ in range(2):
            process = orders.machine.spawn()
            orders.start(act, process, process=process)

    assert explored(program).orders == 1
