"""What the report of a failed test says of how it uses fakecuda."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.testing import hints

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

NO_FIXTURE = "the mark fakecuda describes a machine, but the test uses none: add the argument fakecuda"
NO_PYTHON = "the programs that the test started made no call on its machine: Python programs reach it by themselves"
NO_BINDINGS = "cuda-bindings is not installed: pip install 'fakecuda[cuda]'"


def test_a_mark_without_the_fixture_is_told_where_the_test_fails(suite: Suite) -> None:
    """A module's mark is of no harm to tests that need no machine."""
    suite.write(
        test_it="""
            import pytest

            pytestmark = pytest.mark.fakecuda(profile="h200")

            def test_fails():
                raise OSError("driver library not found")

            def test_passes():
                pass
        """
    )
    done = suite.run()
    assert done.counts == {"FAILED": 1, "PASSED": 1}
    assert done.out.count(NO_FIXTURE) == 1


@pytest.mark.skipif(not NATIVE, reason=NEEDS)
@pytest.mark.parametrize(("child", "told"), [("['true']", 1), ("[sys.executable, '-c', CHILD]", 0)])
def test_a_compiled_program_is_told_where_the_test_fails(suite: Suite, child: str, told: int) -> None:
    """One in Python that has called the machine is none."""
    suite.write(
        test_it=f"""
            import subprocess
            import sys

            CHILD = "from cuda.bindings import driver; assert int(driver.cuInit(0)[0]) == 0"

            def test_it(fakecuda):
                subprocess.run({child}, check=True)
                assert False
        """
    )
    done = suite.run(door="native")
    assert done.counts == {"FAILED": 1}
    assert done.out.count(NO_PYTHON) == told


ABSENT = """
import importlib.abc
import sys

class Absent(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name == "cuda" or name.startswith("cuda."):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
"""


@pytest.mark.parametrize("where", ["at the top", "in the test"])
def test_missing_bindings_are_told(suite: Suite, where: str) -> None:
    """Where a module or a test cannot import them."""
    line = "from cuda.bindings import driver"
    suite.write(conftest=ABSENT)
    top, body = (line, "pass") if where == "at the top" else ("", line)
    suite.write(test_it=f"{top}\n\ndef test_it():\n    {body}\n")
    done = suite.run(fresh=True)
    assert done.counts in ({"ERROR": 1}, {"FAILED": 1})
    assert done.out.count(NO_BINDINGS) == 1


def test_where_the_bindings_are_there_nothing_is_said() -> None:
    """A test that imports something else of theirs has another mistake."""
    pytest.importorskip("cuda.bindings")
    assert list(hints.of_text("No module named 'cuda.bindings'")) == []
    assert list(hints.of_text("No module named 'numpy'")) == []


UNCALLED = """
    import pytest
    from cuda.bindings import driver

    def test_cpu(fakecuda):
        pass

    @pytest.mark.usefixtures("fakecuda")
    def test_cpu_by_its_mark():
        pass

    @pytest.fixture
    def between(fakecuda):
        pass

    def test_cpu_by_a_fixture(between):
        pass

    def test_calls(fakecuda):
        driver.cuInit(0)

    def test_looks(fakecuda):
        assert not fakecuda.calls

    def test_spawns(fakecuda):
        fakecuda.spawn()

    def test_skips(fakecuda):
        pytest.skip("later")

    def test_of_the_module(fakecuda_module):
        pass

    def test_fails(fakecuda):
        raise KeyError

    def test_mistypes(fakecuda):
        fakecuda.fail("cuMemAloc")

    def test_explores(fakecuda):
        fakecuda.explore(lambda machine: 1 / 0).check()

    def test_fails_later(fakecuda):
        driver.cuInit(0)
        raise KeyError
"""
AUTOUSE = """
    import pytest

    @pytest.fixture(autouse=True)
    def machine(fakecuda):
        pass

    def test_automatic():
        pass
"""
LINE = "fakecuda: 3 tests took the fixture and made no call: the code under test may have fallen back to the CPU; -rP lists"


def test_a_test_without_a_call_is_told(suite: Suite) -> None:
    """Where it fails; if it passes, a line counts it. It counts no test that looks at its machine, or that did not ask."""
    pytest.importorskip("cuda.bindings.driver")
    suite.write(test_it=UNCALLED, test_autouse=AUTOUSE)
    done = suite.run()
    assert done.counts == {"PASSED": 8, "FAILED": 4, "SKIPPED": 1}, done.out
    assert LINE in done.out
    sections = re.findall(
        r"_ (\w+) _+\n(?:(?!^_{3}).*\n)*?.*Captured fakecuda without calls call", done.out, re.MULTILINE
    )
    assert sorted(sections) == ["test_cpu", "test_cpu_by_a_fixture", "test_cpu_by_its_mark"]
    assert done.out.count("fakecuda hints call -") == 1
    assert "made no call:" not in suite.run("-k", "calls or looks or automatic").out


def test_examples_have_their_own_machines(suite: Suite) -> None:
    """The test's own is of no use then."""
    pytest.importorskip("hypothesis")
    suite.write(
        test_it="""
            from cuda.bindings import driver
            from hypothesis import given, settings, strategies as st

            @settings(deadline=None)
            @given(st.integers())
            def test_it(fakecuda, number):
                driver.cuInit(0)
        """
    )
    done = suite.run()
    assert done.counts == {"PASSED": 1}, done.out
    assert "made no call:" not in done.out
