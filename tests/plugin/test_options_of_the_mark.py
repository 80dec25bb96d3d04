"""Each option of the mark has its effect on each form of a test, or a refusal that says what to write."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.testing import settings

if TYPE_CHECKING:
    from tests.plugin.conftest import Outcome, Suite

pytest.importorskip("cuda.bindings.driver")

MACHINES = {
    "profile": ("profile='pcie-pair'", "machine.profile.name == 'pcie-pair'"),
    "strict": ("strict=False", "not machine.strict"),
    "races": ("races=False", "machine.races is None"),
    "kernels": ("kernels='skip'", "machine.kernels == 'skip'"),
    "seed": ("seed=5", "machine._chance._root.startswith('seed 5 of ')"),
    "handles": ("handles='card'", "machine.handles == 'card'"),
    "memory_cap": ("memory_cap=4096", "machine.pinned.cap == 4096"),
    "completion": ("completion='manual'", "machine.scheduler.manual"),
    "wait_timeout": ("wait_timeout=5", "machine.scheduler.wait_timeout == 5"),
    "clock": ("clock='real'", "machine.clock.real"),
    "schedule": ("schedule=3", "machine.turns is not None"),
    "door": ("door='lookalike'", "type(driver.cuInit).__name__ == 'function'"),
    "shared": ("shared=False", "machine.offer.forbidden"),
    "inherit": ("inherit=True", "driver.cuDeviceGetCount()[0] == 0"),
}
"""Options of the machine, each with a condition that holds only with the option."""
CHECKS = {
    "leaks": ("leaks='error'", "context()", "ERROR", "left behind: 1 context"),
    "leaks_allowed": ("leaks='error', leaks_allowed=['context']", "context()", "PASSED", ""),
    "errors": ("errors='error'", "driver.cuInit(1)", "FAILED", "1 refused call: cuInit"),
    "errors_allowed": ("errors='error', errors_allowed=['cuInit']", "driver.cuInit(1)", "PASSED", ""),
    "sweep": (
        "sweep=True",
        "driver.cuInit(0); driver.cuDeviceGetCount()",
        "FAILED",
        "sweep of {}: 2 calls, 3 injected failures",
    ),
    "explore": ("explore=3", "driver.cuInit(0)", "PASSED", "explore of {}: 1 order tried"),
}
"""Options of checks, each with a body, its outcome, and part of the output."""
FORMS = {
    "function": """
        @MARK
        def NAME(fakecuda):
            body()
    """,
    "plain": """
        class TestNAME:
            @MARK
            def NAME(self, fakecuda):
                body()
    """,
    "class": """
        @MARK
        class TestNAME:
            def NAME(self, fakecuda):
                body()
    """,
    "parametrised": """
        @MARK
        @pytest.mark.parametrize("value", [3])
        def NAME(fakecuda, value):
            body()
    """,
    "unittest": """
        @pytest.mark.usefixtures("fakecuda")
        class TestNAME(unittest.TestCase):
            @MARK
            def NAME(self):
                body()
    """,
    "class_of_unittest": """
        @pytest.mark.usefixtures("fakecuda")
        @MARK
        class TestNAME(unittest.TestCase):
            def NAME(self):
                body()
    """,
    "async_unittest": """
        @pytest.mark.usefixtures("fakecuda")
        class TestNAME(unittest.IsolatedAsyncioTestCase):
            @MARK
            async def NAME(self):
                body()
    """,
    "coroutine": """
        @MARK
        async def NAME(fakecuda):
            body()
    """,
}
REFUSED = {
    (
        "sweep",
        "async_unittest",
    ): "sweep: unittest runs the tests of an IsolatedAsyncioTestCase in its own event loop: use",
    (
        "explore",
        "async_unittest",
    ): "explore: unittest runs the tests of an IsolatedAsyncioTestCase in its own event loop:",
    ("sweep", "coroutine"): "sweep: the test is a coroutine function: use sweep on a function that calls asyncio.run",
    (
        "explore",
        "coroutine",
    ): "explore: the test is a coroutine function: use explore on a function that calls asyncio.run",
}
"""Options that a form refuses, with the text."""
HEAD = """
    import unittest
    import pytest
    import fakecuda as module
    from cuda.bindings import driver

    def context():
        driver.cuInit(0)
        driver.cuCtxCreate(None, 0, 0)
"""
BEFORE = """
@pytest.mark.fakecuda(inherit=True)
def test_before_NAME(fakecuda):
    driver.cuInit(0)
    driver.cuDevicePrimaryCtxRetain(0)
"""
"""A test whose machine leaves state that the next machine may inherit."""
CONFTEST = """
    import asyncio, inspect, pytest

    @pytest.hookimpl(tryfirst=True)
    def pytest_pyfunc_call(pyfuncitem):
        if inspect.iscoroutinefunction(pyfuncitem.obj):
            asyncio.run(pyfuncitem.obj(fakecuda=pyfuncitem.funcargs["fakecuda"]))
            return True
"""


def written(form: str, option: str, mark: str, body: str) -> str:
    """Return a test of some form."""
    name = f"test_{form}_{option}"
    source = textwrap.dedent(FORMS[form]).replace("MARK", f"pytest.mark.fakecuda({mark})").replace("NAME", name)
    before = BEFORE.replace("NAME", name) if option == "inherit" else ""
    return before + source.replace("body()", body)


def ended(done: Outcome, name: str) -> set[str]:
    """Return how a test ended, by the words of the summary."""
    return {
        line.partition(" ")[0]
        for line in done.lines
        if line.split(" - ")[0].partition("[")[0].rpartition("::")[2] == name
    }


def test_the_options_are_known() -> None:
    """The tables here have each of them."""
    assert {*MACHINES} == {*settings.ARGUMENTS}
    assert {*CHECKS} == {*settings.CHECKS}


@pytest.mark.skipif(not NATIVE, reason=NEEDS)
def test_each_option_on_each_form(suite: Suite) -> None:
    """The body sees the machine's options; checks end the test as they say. Without the option, the body fails."""
    body = "machine = module.installed(); assert {}"
    tests = [
        written(form, option, mark, body.format(seen)) for form in FORMS for option, (mark, seen) in MACHINES.items()
    ]
    tests += [written("function", f"no_{option}", "", body.format(seen)) for option, (_, seen) in MACHINES.items()]
    tests += [written(form, option, mark, seen) for form in FORMS for option, (mark, seen, *_) in CHECKS.items()]
    suite.write(conftest=CONFTEST, test_it=textwrap.dedent(HEAD) + "\n".join(tests))
    done = suite.run("--fakecuda-errors=ignore", door="native")
    wrong = {}
    for form in FORMS:
        for option in MACHINES:
            if (found := ended(done, f"test_{form}_{option}")) != {"PASSED"}:
                wrong[form, option] = found
        for option, (*_, how, told) in CHECKS.items():
            name = f"test_{form}_{option}"
            refusal = REFUSED.get((option, form), "")
            found = ended(done, name) - ({"PASSED"} if how == "ERROR" else set())
            if (
                found != {"FAILED" if refusal else how}
                or (refusal or told).format(name + "[3]" * (form == "parametrised")) not in done.out
            ):
                wrong[form, option] = found
    wrong |= {
        ("no option", one): {"PASSED"} for one in MACHINES if ended(done, f"test_function_no_{one}") != {"FAILED"}
    }
    assert not wrong, done.out


INI = """
    import pytest
    import fakecuda as module

    def test_without(fakecuda):
        assert module.installed().races.strict

    @pytest.mark.fakecuda(races=True)
    def test_mark(fakecuda):
        assert not module.installed().races.strict

    @pytest.mark.fakecuda(seed=1)
    def test_other_mark(fakecuda):
        assert module.installed().races.strict
"""


def test_the_ini_file_says_which_races_are_found(suite: Suite) -> None:
    """The closest mark goes before it."""
    suite.write(test_it=INI)
    assert suite.run("-ofakecuda_races=strict").counts == {"PASSED": 3}
    suite.write(test_it="def test_it(fakecuda):\n    assert fakecuda.machine.races is None\n")
    assert suite.run("-ofakecuda_races=false").counts == {"PASSED": 1}
