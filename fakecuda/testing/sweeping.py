"""A test that is swept: when it has passed, it is run once more for each fault that it can meet."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.fixture import FakeCuda
from fakecuda.sweeping.sweep import sweep
from fakecuda.testing import keys

if TYPE_CHECKING:
    import pytest


def run(item: pytest.Function, chosen: dict[str, Any]) -> None:
    """Sweep a test that has passed; what is wrong with it fails it. On a driver, or another process's machine, nothing is done.

    Each run has a machine of its own, as the test's mark describes it, and the fixtures that the test has.

    Args:
        item: The test.
        chosen: The mark's arguments of the sweep: ``budget`` and ``codes``.
    """
    __tracebackhide__ = True
    made, problem = keys.machine_of(item), ""
    if made is None or (isinstance(made, Machine) and keys.OPTIONS not in item.stash):
        problem = "give the test the fixture fakecuda, whose machine is its own"
    elif getattr(item.obj, "is_hypothesis_test", False):
        problem = "Hypothesis runs the test with examples of its own: sweep one without"
    elif inspect.iscoroutinefunction(item.obj):
        problem = "the test is a coroutine function: sweep one that runs it, as by asyncio.run"
    elif not isinstance(made, Machine) or keys.TRACE in item.stash:
        return
    if problem:
        keys.fail(f"sweep: {problem}")
    arguments = {name: item.funcargs[name] for name in item._fixtureinfo.argnames}  # noqa: SLF001 - as pytest calls a test

    def again(machine: Machine) -> None:
        given = {**arguments, "fakecuda": FakeCuda(machine)} if "fakecuda" in arguments else arguments
        item.obj(**given)

    again.__name__ = item.name
    only = item.config.getoption("--fakecuda-sweep")
    try:
        done = sweep(again, only=only, **chosen, **item.stash[keys.OPTIONS])
    except FakeCudaError as error:
        problem = f"sweep: {error}"
    if problem:
        keys.fail(problem)
    if done.found:
        keys.fail(done.report)
    item.add_report_section("call", "fakecuda sweep", done.report)
