"""A machine with a schedule: one order, drawn from a number, or told by a text."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from fakecuda import FakeCudaError, UndefinedBehaviour
from fakecuda.model.os.interruption import is_torn
from tests.model.world import done, started
from tests.orders import programs

if TYPE_CHECKING:
    from fakecuda import Machine, Orders

SIZE = 4096


def asked(orders: Orders) -> list[str]:
    """Return who made calls, in order, of two actors that make three each."""
    process = started(orders.machine)

    def ask() -> None:
        for _ in range(3):
            done(process.c.cuDeviceGetCount())

    for name in ("one", "two"):
        orders.start(ask, process=process, name=name)
    orders.join()
    return [step.name for step in orders.steps]


def order_of(schedule: int | str) -> tuple[list[str], str]:
    """Return the order that a schedule gives, and its text."""
    with fakecuda.simulate("h200", schedule=schedule) as machine:
        names = asked(machine.orders)
        return names, machine.orders.text


def test_an_order_is_drawn_and_repeated() -> None:
    """By its number, or by its text; another number gives another one."""
    drawn = [order_of(number) for number in range(4)]
    assert [order_of(number) for number in range(4)] == drawn
    assert len({text for _, text in drawn}) > 1
    for names, text in drawn:
        assert order_of(text) == (names, text)


def test_streams_take_turns() -> None:
    """A query answers one or the other, as is drawn; the machine's end does what is left."""
    answers = set()
    for number in range(20):
        with fakecuda.simulate("h200", schedule=number) as machine:
            c = started(machine).c
            memory, stream = done(c.cuMemAlloc(SIZE)), done(c.cuStreamCreate(1))
            done(c.cuMemsetD8Async(memory, 1, SIZE, stream))
            answers.add(c.cuStreamQuery(stream)[0])
    assert answers == {0, 600}


def test_a_bug_is_found_by_some_numbers_and_told_with_the_order() -> None:
    """The text of the order repeats it."""
    texts = []
    for number in range(12):
        error: Exception | None = None
        try:
            with fakecuda.simulate("h200", schedule=number) as machine:
                programs.asleep(machine.orders, fixed=False)
        except (AssertionError, UndefinedBehaviour) as failure:
            error = failure
        text = machine.orders.text
        assert machine.notes == [f"the order, which schedule={text!r} repeats"]
        if error is not None:
            texts.append(text)
            assert error.__notes__[-1] == f"with schedule={number}: {text!r}"
    assert 0 < len(texts) < 12
    with pytest.raises((AssertionError, UndefinedBehaviour)), fakecuda.simulate("h200", schedule=texts[0]) as machine:
        programs.asleep(machine.orders, fixed=False)


def test_a_search_takes_a_number_too() -> None:
    """For the one order that it gives."""
    found = fakecuda.explore(partial(programs.asleep, fixed=True), profile="h200", schedule=3)
    assert (found.orders, found.error) == (1, None)


def test_the_machine_is_as_it_was_when_the_block_ends() -> None:
    """Its lock is its own again, and nobody takes turns."""
    with fakecuda.simulate("h200", schedule=0) as machine:
        started(machine)
    assert machine.scheduler.census.turns is None
    assert not is_torn(machine)
    assert type(machine.lock).__name__ == "RLock"


def test_a_machine_without_a_schedule_says_so(machine_of_a_test: Machine) -> None:
    """With what to write."""
    with pytest.raises(FakeCudaError, match="orders need a machine with a schedule"):
        _ = machine_of_a_test.orders
    assert machine_of_a_test.notes == []


@pytest.fixture
def machine_of_a_test() -> Any:
    """A machine."""
    with fakecuda.simulate("h200") as machine:
        yield machine


@pytest.mark.parametrize(
    ("schedule", "told"),
    [(1.5, "schedule=1.5"), (True, "schedule=True"), ("a b", "'a' does not have the form PLACE:NAME")],
)
def test_what_is_no_schedule_is_refused(schedule: Any, told: str) -> None:
    """By the text of what to write."""
    with pytest.raises(FakeCudaError, match=told), fakecuda.simulate("h200", schedule=schedule):
        pass
    assert fakecuda.installed() is None
