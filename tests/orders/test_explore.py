"""A search over the orders of a program: what it finds, when it ends, and what it refuses."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from math import comb
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda import FakeCuda, FakeCudaError, UndefinedBehaviour
from fakecuda.machine import install
from fakecuda.machine.runs import explore as searching
from tests.model.world import done
from tests.orders import programs
from tests.orders.programs import asked, explored
from tools.museum.exhibits import asleep_too_early, handle_again, imported_twice, used_again

if TYPE_CHECKING:
    from fakecuda import Orders

SIZE = 4096


MUSEUM = [programs.asleep, programs.cached, programs.used_again]


@pytest.mark.parametrize("races", [True, False])
@pytest.mark.parametrize("program", MUSEUM)
def test_bugs_of_the_museum_fall_within_a_thousand_orders(program: Any, races: bool) -> None:  # noqa: FBT001
    """The first order shows none of them."""
    found = explored(partial(program, fixed=False), races=races)
    assert found.error is not None
    assert found.schedule
    assert 1 < found.orders <= 20


@pytest.mark.parametrize("program", MUSEUM)
def test_fixes_pass_every_order(program: Any) -> None:
    """All that there are."""
    fixed = explored(partial(program, fixed=True))
    assert fixed.error is None, fixed
    assert fixed.whole
    assert f"{fixed.orders} orders tried, none fails; there are no other orders" in fixed.report


@pytest.mark.parametrize("program", handle_again.EXHIBITS[0].programs.values())
def test_handles_of_destroyed_objects_come_again(program: Any) -> None:
    """A program that makes an object after it has destroyed one of the kind runs with both options of ``handles``."""
    pytest.importorskip("cuda.bindings.driver")

    def ran(orders: Orders, *, fixed: bool = False) -> None:
        program(FakeCuda(orders.machine), fixed=fixed)

    found = fakecuda.explore(ran)
    assert isinstance(found.error, UndefinedBehaviour)
    assert found.handles == "card"
    assert "\n  handles  new objects get the handles of destroyed ones, as on a card\n" in found.report
    assert found.again == f'fakecuda.explore(ran, schedule="{found.schedule}", handles="card")'
    assert fakecuda.explore(ran, schedule=found.schedule, handles="card").error is not None
    assert fakecuda.explore(ran, schedule=found.schedule).error is None
    assert fakecuda.explore(ran, handles="apart", schedules=20).error is None
    fixed = fakecuda.explore(partial(ran, fixed=True), schedules=20)
    assert fixed.error is None, fixed


def test_other_programs_run_once_in_each_order() -> None:
    """Of a program that destroys nothing there is no second kind of run."""
    orders = [found.orders for found in (explored(once), explored(once, handles="apart"))]
    assert orders == [1, 1]
    again = [explored(twice), explored(twice, handles="apart"), explored(twice, handles="card")]
    assert [one.orders for one in again] == [2, 1, 1]
    assert all(one.whole and one.error is None for one in again)


def once(orders: Orders) -> None:
    """Make an event."""
    made_and_destroyed(orders, 1)


def twice(orders: Orders) -> None:
    """Make an event after another."""
    made_and_destroyed(orders, 2)


def made_and_destroyed(orders: Orders, times: int) -> None:
    """Make and destroy an event, so many times."""
    call = orders.machine.spawn().c
    done(call.cuInit(0))
    done(call.cuCtxCreate(None, 0, 0))
    for _ in range(times):
        done(call.cuEventDestroy(done(call.cuEventCreate(0))))


@pytest.mark.parametrize("module", [asleep_too_early, imported_twice, used_again])
def test_programs_of_the_museum_fail_and_their_fixes_do_not(module: Any) -> None:
    """Museum 10, 22 and 24, with streams that do their work as late or as early as they can."""
    pytest.importorskip("cuda.bindings.driver")
    for exhibit in module.EXHIBITS:
        for program in exhibit.programs.values():
            for fixed in (False, True):
                found = fakecuda.explore(lambda orders: program(FakeCuda(orders.machine), fixed=fixed), schedules=40)  # noqa: B023
                assert (found.error is None) is fixed, found
                if not fixed:
                    assert isinstance(found.error, UndefinedBehaviour)
                    assert found.error.finding.rule.id in {exhibit.told[0], "stream.order.MEMORY_IS_AT_REST"}


def test_the_same_seed_gives_the_same_search() -> None:
    """What was found, by how many orders and in which words; another seed goes another way and finds it, too."""
    program = partial(programs.used_again, fixed=False)
    first, again = explored(program, seed=5), explored(program, seed=5)
    assert (first.schedule, first.orders) == (again.schedule, again.orders)
    assert [str(step) for step in first.steps] == [str(step) for step in again.steps]
    assert explored(program, seed=6).schedule


def test_ctrl_c_ends_the_search() -> None:
    """It is no failure of the program."""

    def program(orders: Orders) -> None:
        orders.start(lambda: None, name="other")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        explored(program)


def test_leaks_of_a_stopped_program_are_left_out() -> None:
    """They follow from its exception; leaks of a program that comes to its end fail the order."""

    def stops(orders: Orders) -> None:
        leaves(orders)
        raise KeyError

    def leaves(orders: Orders) -> None:
        orders.machine.here.c.cuInit(0)
        orders.machine.here.c.cuCtxCreate(None, 0, 0)

    done = fakecuda.explore(stops, leaks="error")
    assert isinstance(done.error, KeyError)
    assert done.error.__notes__ == []
    assert "left behind" not in done.report
    assert "left behind: 1 context" in fakecuda.explore(leaves, leaks="error").report


def test_undefined_behaviour_that_nobody_raises_fails_an_order() -> None:
    """What is swallowed, or was done through C, is told at the machine's end."""

    def program(orders: Orders) -> None:
        (c,) = programs.threads(orders, "one")
        memory = done(c.cuMemAlloc(SIZE))
        with suppress(UndefinedBehaviour):
            for _ in range(2):
                c.cuMemsetD8Async(memory, 1, SIZE, done(c.cuStreamCreate(1)))

    assert isinstance(explored(program).error, UndefinedBehaviour)


def test_a_program_without_arguments_and_without_actors() -> None:
    """Its own calls and its streams are an order, too."""
    driver = pytest.importorskip("cuda.bindings.driver")

    def program() -> None:
        assert driver.cuInit(0) == (0,)

    assert explored(program).orders == 1


def test_the_search_ends_where_it_shall() -> None:
    """By the number of orders, or the budget."""
    program = partial(asked, calls=3, processes=1)
    found = explored(program, schedules=7)
    assert (found.orders, found.whole) == (7, False)
    assert found.report == "explore of asked: 7 orders tried, none fails; there are other orders"
    assert explored(program, budget=0).orders == 1


def test_a_program_that_does_something_else_each_time_is_told() -> None:
    """But for what it prepares once."""
    runs: list[int] = []

    def prepared(orders: Orders) -> None:
        runs.append(1)
        asked(orders, calls=2 if len(runs) == 1 else 1, processes=1)

    assert explored(prepared).orders == comb(4, 2)

    def unsteady(orders: Orders) -> None:
        runs.append(1)
        asked(orders, calls=len(runs) % 5, processes=1)

    with pytest.raises(FakeCudaError, match="differs from run to run"):
        explored(unsteady)


def test_a_program_without_an_end_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """After so many steps."""
    monkeypatch.setattr(searching, "MOST", 50)
    assert "has made 50 steps" in str(explored(partial(asked, calls=99, processes=1)).error)


def test_a_driver_is_not_explored(monkeypatch: pytest.MonkeyPatch) -> None:
    """It tells nobody whose turn it is."""
    monkeypatch.setattr(install, "instead", lambda profile: profile)
    with pytest.raises(FakeCudaError, match="skip this test with --fakecuda=real"):
        explored(lambda: None)


@pytest.mark.parametrize(
    ("function", "options", "told"),
    [
        (7, {}, "pass a function that takes an Orders object"),
        (asked, {"schedules": 0}, "schedules=0"),
        (asked, {"seed": "1"}, "seed='1'"),
        (asked, {"budget": -1}, "budget=-1"),
        (asked, {"prune": 1}, "prune=1"),
        (asked, {"schedule": "main@one:two"}, "'main@one:two' does not have the form PLACE:NAME"),
    ],
)
def test_what_is_wrong_is_refused(function: Any, options: dict[str, Any], told: str) -> None:
    """With what to write."""
    with pytest.raises(FakeCudaError, match=told):
        fakecuda.explore(function, **options)
