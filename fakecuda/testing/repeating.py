"""A test that is run again when it has passed: once for each fault that it can meet, or in other orders of its actors."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import evolve

from fakecuda import Machine, explore
from fakecuda.errors import FakeCudaError
from fakecuda.fixture import FakeCuda
from fakecuda.sweeping.sweep import sweep
from fakecuda.testing import keys

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

    from fakecuda import Orders

Done = TypeVar("Done")


def swept(item: pytest.Function, chosen: dict[str, Any]) -> None:
    """Sweep a test that has passed; what is wrong with it fails it. On a driver, or another process's machine, nothing is done.

    Each run has a machine of its own, as the test's mark describes it, and the fixtures that the test has.

    Args:
        item: The test.
        chosen: The mark's arguments of the sweep: ``budget`` and ``codes``.
    """
    __tracebackhide__ = True
    again = _program(item, "sweep")
    if again is None:
        return
    only = item.config.getoption("--fakecuda-sweep")
    done = _done("sweep", lambda: sweep(again, only=only, **chosen, **item.stash[keys.OPTIONS]))
    if done.found:
        keys.fail(done.report)
    item.add_report_section("call", "fakecuda sweep", done.report)


def explored(item: pytest.Function, chosen: dict[str, Any]) -> None:
    """Run a test that has passed in other orders; one that fails it is told, shortened. As :func:`swept` otherwise.

    Args:
        item: The test.
        chosen: The mark's arguments of the search: ``schedules``, ``budget`` and ``prune``.
    """
    __tracebackhide__ = True
    again = _program(item, "explore")
    if again is None:
        return

    item.stash[keys.MACHINE].orders.join()  # the test's own run ends first

    def in_order(orders: Orders) -> None:
        orders.machine.turns = orders  # what the test starts its actors with
        again(orders.machine)

    in_order.__name__ = item.name
    settings = {name: value for name, value in item.stash[keys.OPTIONS].items() if name != "schedule"}
    done = _done("explore", lambda: explore(in_order, **chosen, **settings))
    if done.error is not None:
        keys.fail(evolve(done, again=f'@pytest.mark.fakecuda(schedule="{done.schedule}")').report)
    item.add_report_section("call", "fakecuda explore", done.report)


def _program(item: pytest.Function, word: str) -> Callable[[Machine], None] | None:
    """Return what runs a test on a machine; None where that cannot be another one than its own.

    Args:
        item: The test.
        word: The mark's argument that asks for it; a test that cannot be run again fails by its name.
    """
    __tracebackhide__ = True
    made, problem = keys.machine_of(item), ""
    if made is None or (isinstance(made, Machine) and keys.OPTIONS not in item.stash):
        problem = "give the test the fixture fakecuda, whose machine is its own"
    elif getattr(item.obj, "is_hypothesis_test", False):
        problem = f"Hypothesis runs the test with examples of its own: {word} one without"
    elif inspect.iscoroutinefunction(item.obj):
        problem = f"the test is a coroutine function: {word} one that runs it, as by asyncio.run"
    elif not isinstance(made, Machine) or keys.TRACE in item.stash:
        return None
    if problem:
        keys.fail(f"{word}: {problem}")
    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}  # noqa: SLF001 - as pytest calls a test

    def again(machine: Machine) -> None:
        given = {**arguments, "fakecuda": FakeCuda(machine)} if "fakecuda" in arguments else arguments
        item.obj(**given)

    again.__name__ = item.name
    return again


def _done(word: str, search: Callable[[], Done]) -> Done:
    """Return what a search has shown; what is wrong with its arguments fails the test."""
    __tracebackhide__ = True
    try:
        done = search()
    except FakeCudaError as error:
        problem = f"{word}: {error}"
    else:
        return done
    return keys.fail(problem)
