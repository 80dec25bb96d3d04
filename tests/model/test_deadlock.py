"""What a machine keeps of calls that wait for each other, and when a test expects it."""

from __future__ import annotations

import os
import threading
from copy import copy
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import EndlessWait, Machine
from fakecuda.machine import deadlocks
from fakecuda.model.work import wait_graph, waiting
from fakecuda.model.work.blocked import FOREVER, Blocked, Held
from fakecuda.model.work.waiting import Wait
from tests.limits import until

from .blocked_streams import Beside, blocked, waits
from .world import done, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conftest import Clock


@pytest.fixture
def judged(by_itself: None) -> Iterator[Machine]:
    """Return a machine that is judged at its end for what it has waited for."""
    del by_itself
    with Machine("h200", strict=False, wait_timeout=float("inf")) as made:
        deadlocks.judge(made)
        yield made


def by_raises(call: Callable[[], object]) -> None:
    """Expect the exception."""
    with pytest.raises(EndlessWait):
        call()


def by_name(call: Callable[[], object]) -> None:
    """Catch the exception by its name."""
    try:
        call()
    except EndlessWait:
        return


def swallow(call: Callable[[], object]) -> None:
    """Catch whatever there is."""
    try:
        call()
    except Exception:  # noqa: BLE001 - as libraries do
        return


@pytest.mark.parametrize(("catch", "expected"), [(by_raises, True), (by_name, True), (swallow, False)])
def test_what_a_function_catches_that_names_it_is_expected(
    judged: Machine, catch: Callable[[Callable[[], object]], None], *, expected: bool
) -> None:
    """What one catches that takes every exception is not; it is reported once."""
    a = started(judged)
    stream, _ = blocked(a)
    catch(partial(a.c.cuStreamSynchronize, stream))
    assert [one.is_expected for one in judged.deadlocks] == [expected]
    assert deadlocks.take(judged) == ([] if expected else judged.deadlocks)
    assert not deadlocks.take(judged)
    assert not judged.deadlocks[0].errors


def test_an_exception_that_is_on_its_way_is_not_expected(judged: Machine) -> None:
    """No function has caught it; the report of its failure leaves it out."""
    a = started(judged)
    stream, _ = blocked(a)
    failure = EndlessWait()
    judged.deadlocks[:] = []
    swallow(partial(a.c.cuStreamSynchronize, stream))
    (one,) = judged.deadlocks
    one.errors[:] = [failure]
    assert not one.is_expected
    failure.deadlock = one
    assert deadlocks.of_failure(judged, failure) == []


def test_calls_that_outlast_the_wait_timeout_together_are_one(by_itself: None, clock: Clock) -> None:
    """Each ends by an exception of its own, with the lines of the first; the report has the command lines of OS processes."""
    del by_itself, clock
    with Machine("h200", strict=False, wait_timeout=30) as made:
        a = started(made)
        (one, first), (two, _) = blocked(a), blocked(a)
        a.command = "pid 7: rank"
        made.scheduler.census.outside = lambda: ["this test"]
        other = Beside(lambda: a.thread("other").c.cuStreamSynchronize(two))
        waits(made)
        with pytest.raises(EndlessWait) as caught:
            a.c.cuStreamSynchronize(one)
        theirs = other.end().split("\n")
        (kept,) = made.deadlocks
        assert str(kept).split("\n")[0] == "deadlock: a call has waited for 30 s without success"
        assert str(kept).split("\n")[1:] == str(caught.value).split("\n")[1:] == theirs[1:]
        assert repr(caught.value) == f"EndlessWait({str(caught.value)!r})"
        assert copy(caught.value.args[0]) == str(caught.value)  # as pickle does
        assert theirs.count("    process  pid 7: rank") in {1, 2}
        assert "  not woken by this test" in theirs
        done(a.c.cuMemsetD8Async(first, 1, 1, 2))


def test_calls_of_other_tests_are_no_members(by_itself: None, clock: Clock) -> None:
    """A call that waits in another test's process may go on: neither its streams nor its threads stand in the report."""
    del by_itself, clock
    with Machine("h200", strict=False, wait_timeout=30) as made:
        a, b = started(made, name="a"), started(made, name="b")
        made.scheduler.census.group = lambda process: process.name
        by = Blocked("a lock", FOREVER, 0, 0)
        held = [Held(f"thread of {one.name}", by, process=one) for one in (a, b)]
        made.scheduler.census.members = lambda _: made.scheduler.census.look.held.extend(held) or ["this test"]  # type: ignore[func-returns-value]
        (mine, _), _ = blocked(a), blocked(b)
        theirs = Wait("their stream", lambda: False, "their call", thread=b.current_thread())
        made.scheduler.census.waiting[-1] = theirs
        with pytest.raises(EndlessWait):
            a.c.cuStreamSynchronize(mine)
        del made.scheduler.census.waiting[-1]
        (kept,) = made.deadlocks
        assert [*kept.processes] == ["a"]
        assert theirs not in kept.waits
        assert [line for line in str(kept).split("\n") if line.startswith("  waits")] == [
            f"  waits      cuStreamSynchronize in thread {threading.get_native_id()} of process a",
            f"  waits      {next(iter(made.scheduler.pending))}",
            "  waits      thread of a",
        ]


def test_what_stands_while_others_wait_for_a_limited_time(judged: Machine) -> None:
    """It is kept as long as it is so, with all the calls that were in it; it goes when one of them goes on."""
    a = started(judged)
    (one, first), (two, second) = blocked(a), blocked(a)
    context = done(a.c.cuCtxGetCurrent())
    calls: list[Any] = []
    for name, stream in (("one", one), ("two", two)):
        calls.append(Beside(partial(a.thread(name).c.cuStreamSynchronize, stream)))
    assert until(lambda: len(judged.scheduler.census.waiting) == 2)
    idle = threading.Event()
    while (
        judged.scheduler.census.standing is None
        or str(judged.scheduler.census.standing).count("cuStreamSynchronize in thread") < 2
    ):
        idle.wait(1)
    standing = judged.scheduler.census.standing
    assert "2 calls waited and could not return" in str(standing)
    assert "s more at most" in str(standing)
    idle.wait(4 * waiting.CENSUS)
    assert judged.scheduler.census.standing is standing
    assert deadlocks.of_failure(judged, KeyError()) == [str(standing)]
    judged.scheduler.census.standing = standing
    for place in (first, second):
        done(a.c.cuCtxSetCurrent(context))
        done(a.c.cuStreamWriteValue32(done(a.c.cuStreamCreate(1)), place, 1, 0))
    assert [call.end() for call in calls] == [(0,), (0,)]
    assert getattr(judged.scheduler.census, "standing", 1) is None
    assert not judged.deadlocks


@pytest.fixture
def tests(by_itself: None) -> Iterator[tuple[Machine, Any, Any]]:
    """Return a machine that serves two tests, and a process of each."""
    del by_itself
    with Machine("h200", strict=False, wait_timeout=float("inf")) as made:
        census = made.scheduler.census
        census.group, census.outside = lambda process: process.name, lambda: ["another test"]
        yield made, started(made, name="a"), started(made, name="b")


def of_group(machine: Machine, group: str) -> list[str]:
    """Return what can end the waits of a test."""
    with machine.lock:
        return wait_graph.find(machine, group=group).callers


def test_a_test_that_shares_nothing_waits_by_itself(tests: tuple[Machine, Any, Any]) -> None:
    """Whatever another test does: its calls go on."""
    machine, a, b = tests
    mine, _ = blocked(a)
    theirs = Wait(object(), lambda: True, "their call", thread=b.current_thread())
    machine.scheduler.census.waiting[-1] = theirs
    with pytest.raises(EndlessWait, match="no other thread or process can end the wait"):
        a.c.cuStreamSynchronize(mine)
    assert theirs.end is None
    assert of_group(machine, "b") == ["their call, whose wait is over"]
    del machine.scheduler.census.waiting[-1]


def test_who_shares_memory_may_be_woken(tests: tuple[Machine, Any, Any]) -> None:
    """Its exporter and its importer; so may who shares an event."""
    machine, a, b = tests
    assert (of_group(machine, "a"), of_group(machine, "b")) == ([], [])
    handle = done(a.c.cuIpcGetEventHandle(done(a.c.cuEventCreate(6))))
    told = "another process, which can have memory or events of process "
    assert (of_group(machine, "a"), of_group(machine, "b")) == ([f"{told}a"], [])
    done(b.c.cuIpcOpenEventHandle(handle))
    assert of_group(machine, "b") == [f"{told}b"]


@pytest.mark.parametrize("share", ["ipc", "pool", "handle"])
def test_memory_is_shared_in_each_way(tests: tuple[Machine, Any, Any], share: str) -> None:
    """By an allocation, a pool or a handle."""
    machine, a, _ = tests
    if share == "ipc":
        done(a.c.cuIpcGetMemHandle(done(a.c.cuMemAlloc(64))))
    elif share == "pool":
        pool = done(a.c.cuMemPoolCreate((1, 1, (1, 0), 0, 0, 0, 0)))
        os.close(done(a.c.cuMemPoolExportToShareableHandle(pool, 1, 0)))
    else:
        memory = done(a.c.cuMemCreate(2 << 20, (1, 1, (1, 0), 0, (0, 0, 0)), 0))
        os.close(done(a.c.cuMemExportToShareableHandle(memory, 1, 0)))
    assert len(of_group(machine, "a")) == 1


def test_what_others_can_end_without_memory(tests: tuple[Machine, Any, Any]) -> None:
    """A wait for something else than work; a value that the host can write counts for its own test."""
    machine, a, _ = tests
    machine.scheduler.census.waiting[-1] = Wait("an event of a card", lambda: False, "it", thread=a.current_thread())
    assert of_group(machine, "a") == ["another process, which can end the wait for an event of a card"]
    del machine.scheduler.census.waiting[-1]
    place = done(a.c.cuMemHostAlloc(64, 0))
    done(a.c.cuStreamWaitValue32(done(a.c.cuStreamCreate(1)), place, 7, 1))
    assert [one.partition(",")[0] for one in of_group(machine, "a")] == ["the host"]
    assert of_group(machine, "b") == []
