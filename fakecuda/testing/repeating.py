"""Repeated runs of a passed test.

The test runs once for each possible fault, or in other orders.
"""

from __future__ import annotations

import inspect
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar
from unittest import IsolatedAsyncioTestCase, TestCase

import pytest
from attrs import evolve

from fakecuda import Machine, explore
from fakecuda.errors import FakeCudaError
from fakecuda.machine.runs.order_text import repeating
from fakecuda.machine.runs.run import Prepared
from fakecuda.machine.runs.sweep import sweep
from fakecuda.testing import fixtures_again, settings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Orders

Done = TypeVar("Done")


def repeat(item: pytest.Function) -> None:
    """Run a passed test again, with faults or in other orders, if its mark says so."""
    __tracebackhide__ = True
    if (chosen := settings.sweep_of(item)) is not None:
        swept(item, chosen)
    if (chosen := settings.explore_of(item)) is not None:
        explored(item, chosen)


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

    again: Any = Prepared(item.name, lambda machine: _prepared(item, machine))  # fixtures meet no fault
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
        with _prepared(item, orders.machine) as test:
            test()

    in_order.__name__ = item.name
    kept = {name: value for name, value in item.stash[settings.OPTIONS].items() if name != "schedule"}
    done = _done("explore", lambda: explore(in_order, **chosen, **kept))
    if done.error is not None:
        marked = {name: one for name, one in settings.arguments_of(item).items() if name not in {"explore", "sweep"}}
        again = f"@pytest.mark.fakecuda({repeating(done.schedule, done.handles, marked)})"
        settings.fail(evolve(done, again=again).report)
    item.add_report_section("call", "fakecuda explore", done.report)


@contextmanager
def _prepared(item: pytest.Function, machine: Machine) -> Iterator[Callable[[], object]]:
    """Make the fixtures of a test again for a machine, and yield a function that runs the test."""
    with ExitStack() as stack:
        arguments = stack.enter_context(fixtures_again.made(item, machine))
        if isinstance(case := settings.instance_of(item), TestCase):
            stack.enter_context(_set_up(case))
        yield lambda: item.obj(**arguments)


@contextmanager
def _set_up(case: TestCase) -> Iterator[None]:
    """Run unittest's set-up and tear-down around the block."""
    with ExitStack() as stack:
        stack.callback(_clean_up, case)
        case.setUp()
        stack.callback(case.tearDown)
        yield


def _clean_up(case: TestCase) -> None:
    """Call a test's cleanups, last first, without losing their exceptions."""
    with ExitStack() as stack:
        for function, arguments, keywords in case._cleanups:  # type: ignore[attr-defined] # noqa: SLF001 - unittest's own debug() reads it
            stack.callback(function, *arguments, **keywords)
        case._cleanups.clear()  # type: ignore[attr-defined] # noqa: SLF001 - as above


def _can_repeat(item: pytest.Function, word: str) -> bool:
    """Return whether a test can run again; otherwise fail it.

    Args:
        item: The test.
        word: The mark's argument, ``sweep`` or ``explore``, for error messages.
    """
    __tracebackhide__ = True
    made, problem = settings.machine_of(item), ""
    if made is None or (isinstance(made, Machine) and settings.OPTIONS not in item.stash):
        give = "give the test the argument fakecuda"
        if isinstance(settings.instance_of(item), TestCase):
            give = 'write @pytest.mark.usefixtures("fakecuda") above the class'
        problem = f"the test has no machine of its own: {give}, and write what a wider fixture does as a function that the test calls"
    elif lacking := fixtures_again.lacking(item):
        problem = (
            f"pytest {pytest.__version__} has no {lacking}, which making fixtures again needs: use another release from "
            f"{settings.OLDEST_PYTEST} on, or fakecuda.{word}(function) in the test"
        )
    elif getattr(item.obj, "is_hypothesis_test", False):
        problem = f"Hypothesis runs this test with its own examples: use {word} on a test without Hypothesis"
    elif isinstance(settings.instance_of(item), IsolatedAsyncioTestCase):
        problem = (
            f"unittest runs the tests of an IsolatedAsyncioTestCase in its own event loop: use {word} on a method of a "
            "unittest.TestCase that calls asyncio.run"
        )
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
