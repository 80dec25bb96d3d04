"""Drawn wait graphs of threads and simulated processes: what is proved at once is what a plain search of the graph finds.

An actor is a thread of one of two processes. It has a value in memory that both see, an event, a lock that it holds until its
end, and a list of steps. What has come stays, so that the search needs no order: it goes on until no actor can. Then all whose
calls wait in the machine end by one deadlock, and the rest may go on.
"""

from __future__ import annotations

import threading
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import EndlessWait, Machine
from fakecuda.model.work import blocked

from .world import done, started

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.conftest import Clock

    Step = tuple[str, int]
    Graph = list[list[Step]]

WAITS = ("value", "event", "ends", "lock")
"""What an actor waits for: another actor's value, event, end or lock."""
GIVES = {"write": "value", "set": "event"}
STEPS = (*WAITS, "value", *GIVES, *GIVES, "pause")
SEEDS = range(24)
EQUAL, NON_BLOCKING = 1, 1


def drawn(seed: int) -> Graph:
    """Return the steps of two to five actors; those that wait for ever in Python alone are drawn again."""
    random = Random(seed)  # noqa: S311 - nothing secret is drawn
    while True:
        number = random.randint(2, 5)
        graph = [
            [(random.choice(STEPS), random.randrange(number)) for _ in range(random.randint(1, 3))]
            for _ in range(number)
        ]
        graph = [
            [(what, of) for what, of in steps if what not in {"ends", "lock"} or of != me]
            for me, steps in enumerate(graph)
        ]
        if searched(graph) is not None:
            return graph


def searched(graph: Graph) -> list[set[int]] | None:
    """Return which actors end by which deadlock, in order; None if some wait for ever."""
    come: set[Step] = set()
    at, over, rounds = [0] * len(graph), set[int](), list[set[int]]()
    while len(over) < len(graph):
        moved = False
        for me, steps in enumerate(graph):
            while me not in over:
                if at[me] == len(steps):
                    over.add(me)
                    come |= {("ends", me), ("lock", me)}
                elif (step := steps[at[me]])[0] in WAITS and step not in come:
                    break
                else:
                    come.add((GIVES.get(step[0], ""), step[1]))
                    at[me] += 1
                moved = True
        if moved:
            continue
        stuck = {me for me, steps in enumerate(graph) if me not in over and steps[at[me]][0] == "value"}
        if len(over) < len(graph) and not stuck:
            return None
        if stuck:
            rounds.append(stuck)
            over |= stuck
            come |= {(what, me) for me in stuck for what in ("ends", "lock")}
    return rounds


class Run:
    """A run of a graph.

    Args:
        machine: The machine.
        graph: The graph.

    Attributes:
        ended: By actor the deadlock that has ended it.
    """

    def __init__(self, machine: Machine, graph: Graph) -> None:
        self.ended: dict[int, object] = {}
        self._graph = graph
        a, b = started(machine), started(machine, name="other")
        page = int(done(a.c.cuMemAlloc(4 * len(graph))))
        done(a.c.cuMemsetD8(page, 0, 4 * len(graph)))
        theirs = int(done(b.c.cuIpcOpenMemHandle(done(a.c.cuIpcGetMemHandle(page)), 1)))
        self._contexts = [int(done(one.c.cuCtxGetCurrent())) for one in (a, b)]
        self._processes, self._places = (a, b), (page, theirs)
        self._events = [threading.Event() for _ in graph]
        self._locks = [threading.Lock() for _ in graph]
        self._ready = threading.Barrier(len(graph))
        self._threads = [threading.Thread(target=self._act, args=(me,), name=f"actor {me}") for me in range(len(graph))]
        for thread in self._threads:
            thread.start()
        for thread in self._threads:
            thread.join()

    def _act(self, me: int) -> None:
        c = self._processes[me % 2].thread(f"actor {me}").c
        done(c.cuCtxSetCurrent(self._contexts[me % 2]))
        with self._locks[me]:
            self._ready.wait()
            try:
                for what, of in self._graph[me]:
                    self._do(c, what, of, self._places[me % 2] + 4 * of)
            except EndlessWait as error:
                self.ended[me] = error.deadlock

    def _do(self, c: Any, what: str, of: int, place: int) -> None:
        if what in {"value", "write"}:
            stream = done(c.cuStreamCreate(NON_BLOCKING))
            if what == "write":
                done(c.cuStreamWriteValue32(stream, place, 1, 0))
            else:
                done(c.cuStreamWaitValue32(stream, place, 1, EQUAL))
                done(c.cuStreamSynchronize(stream))
        elif what == "event":
            self._events[of].wait()
        elif what == "set":
            self._events[of].set()
        elif what == "ends":
            self._threads[of].join()
        elif what == "lock":
            with self._locks[of]:
                pass
        else:
            threading.Event().wait(0.002)  # who waits with a limit goes on


def compared(graph: Graph, machine: Machine) -> str:
    """Return how a run differs from the search; nothing if it does not."""
    run, expected = Run(machine, graph), searched(graph)
    found = [{me for me, deadlock in run.ended.items() if deadlock is one} for one in machine.deadlocks]
    proved = all("can never return" in str(one) for one in machine.deadlocks)
    return "" if proved and found == expected else f"{graph}: found {found}, proved {proved}, expected {expected}"


@pytest.fixture
def machine(by_itself: None) -> Iterator[Machine]:
    """Return a machine whose wait timeout never ends: a graph whose deadlock is not proved hangs."""
    del by_itself
    with Machine("h200", wait_timeout=float("inf"), races=False) as made:
        yield made


@pytest.mark.parametrize("seed", SEEDS)
def test_drawn_graphs(machine: Machine, seed: int) -> None:
    """What is proved, and who ends by it; the others go on."""
    assert compared(drawn(seed), machine) == ""


def test_the_graphs_are_of_all_kinds() -> None:
    """With a deadlock, with several, and without; some where one that joins is beside those that wait in the machine."""
    graphs = [drawn(seed) for seed in SEEDS]
    assert {min(len(searched(graph) or []), 2) for graph in graphs} == {0, 1, 2}
    assert {what for graph in graphs for steps in graph for what, _ in steps} == set(STEPS)


def test_who_counts_a_joiner_as_a_helper_is_found(
    by_itself: None, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The deadlock is not proved then, and the wait timeout ends it."""
    del by_itself, clock
    graph = [[("value", 0)], [("ends", 0)]]
    with Machine("h200", wait_timeout=60, races=False) as made:
        assert compared(graph, made) == ""
    monkeypatch.setattr(blocked, "why", lambda *_: None)
    with Machine("h200", wait_timeout=60, races=False) as made:
        assert "proved False" in compared(graph, made)
