"""Repeated runs of a passed test.

The test runs once for each possible fault, or in other orders.
"""

from __future__ import annotations

import inspect
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import evolve

from fakecuda import Machine, explore
from fakecuda.errors import FakeCudaError
from fakecuda.simulated.runs.run import Prepared
from fakecuda.simulated.runs.sweep import sweep
from fakecuda.testing import fixtures_again, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from fakecuda import Orders

Done = TypeVar("Done")


def swept(item: pytest.Function, chosen: dict[str, Any]) -> None:
    """Sweep a passed test, and fail it if a fault goes wrong.

    Do nothing on a real driver.
    Each run has its own machine, according to the test's mark, and makes the fixtures that act on it again. A machine
    of another OS process is not swept.

    Args:
        item: The test.
        chosen: The mark's arguments for the sweep: ``budget`` and ``codes``.
    """
    __tracebackhide__ = True
    if not _can_repeat(item, "sweep"):
        return

    @contextmanager
    def prepare(machine: Machine) -> Iterator[Callable[[], object]]:
        with fixtures_again.made(item, machine) as arguments:
            yield lambda: item.obj(**arguments)

    again: Any = Prepared(item.name, prepare)  # fixtures meet no fault
    only = item.config.getoption("--fakecuda-sweep")
    done = _done("sweep", lambda: sweep(again, only=only, **chosen, **item.stash[settings.OPTIONS]))
    if done.found:
        settings.fail(done.report)
    item.add_report_section("call", "fakecuda sweep", done.report)


def explored(item: pytest.Function, chosen: dict[str, Any]) -> None:
    """Run a passed test in other orders, and fail it if an order fails.

    Args:
        item: The test.
        chosen: The mark's arguments for the search: ``schedules``, ``budget`` and ``prune``.
    """
    __tracebackhide__ = True
    if not _can_repeat(item, "explore"):
        return

    item.stash[settings.MACHINE].orders.join()  # first let the actors of the test's own run end

    def in_order(orders: Orders) -> None:
        orders.machine.turns = orders  # the test starts its actors through it
        with fixtures_again.made(item, orders.machine) as arguments:
            item.obj(**arguments)

    in_order.__name__ = item.name
    kept = {name: value for name, value in item.stash[settings.OPTIONS].items() if name != "schedule"}
    done = _done("explore", lambda: explore(in_order, **chosen, **kept))
    if done.error is not None:
        settings.fail(evolve(done, again=f'@pytest.mark.fakecuda(schedule="{done.schedule}")').report)
    item.add_report_section("call", "fakecuda explore", done.report)


def _can_repeat(item: pytest.Function, word: str) -> bool:
    """Return whether a test can run on another machine; a test that is written otherwise fails.

    Args:
        item: The test.
        word: The mark's argument, ``sweep`` or ``explore``, for error messages.
    """
    __tracebackhide__ = True
    made, problem = settings.machine_of(item), ""
    if made is None or (isinstance(made, Machine) and settings.OPTIONS not in item.stash):
        problem = (
            "the test has no machine of its own: give the test the argument fakecuda, and write what a wider fixture does "
            "as a function that the test calls"
        )
    elif getattr(item.obj, "is_hypothesis_test", False):
        problem = f"Hypothesis runs this test with its own examples: use {word} on a test without Hypothesis"
    elif inspect.iscoroutinefunction(item.obj):
        problem = f"the test is a coroutine function: use {word} on a function that calls asyncio.run"
    elif not isinstance(made, Machine) or settings.TRACE in item.stash:
        return False
    if problem:
        settings.fail(f"{word}: {problem}")
    return True


def _done(word: str, search: Callable[[], Done]) -> Done:
    """Return the result of a search. Wrong arguments fail the test."""
    __tracebackhide__ = True
    try:
        done = search()
    except FakeCudaError as error:
        problem = f"{word}: {error}"
    else:
        return done
    return settings.fail(problem)
