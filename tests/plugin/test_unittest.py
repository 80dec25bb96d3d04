"""Tests of unittest are swept and explored, and their failures are reported, as those of functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

pytest.importorskip("cuda.bindings.driver")
REPEATED = """
    import unittest
    import pytest
    from cuda.bindings import driver

    DONE = []

    class Failed(Exception):
        pass

    def checked(answer):
        if answer[0]:
            raise Failed(answer[0].name)
        return answer[1] if answer[1:] else None

    @pytest.mark.usefixtures("fakecuda")
    class Test(unittest.TestCase):
        def setUp(self):
            checked(driver.cuInit(0))
            self.context = checked(driver.cuCtxCreate(None, 0, 0))
            self.addCleanup(self.clean, "first")
            self.addCleanup(self.clean, "last")

        def clean(self, which):
            DONE.append(which)

        def tearDown(self):
            checked(driver.cuCtxDestroy(self.context))
            DONE.append("tearDown")

        @pytest.mark.fakecuda(RUN, leaks="error")
        def test_tidy(self):
            with self.subTest("memory"):
                memory = checked(driver.cuMemAlloc(64))
            self.assertEqual(driver.cuMemFree(memory), (0,))

        @pytest.mark.fakecuda(RUN)
        @unittest.skip("planted")
        def test_skipped(self):
            pass

        @pytest.mark.fakecuda(RUN)
        @unittest.expectedFailure
        def test_expected(self):
            checked(driver.cuInit(1))

    def test_what_was_done():
        runs = len(DONE) // 3
        assert runs >= 4  # two tests, and at least two runs more of one
        assert DONE == ["tearDown", "last", "first"] * runs, DONE
"""


@pytest.mark.parametrize("run", ["sweep={'codes': ['OUT_OF_MEMORY']}", "explore=True"], ids=["sweep", "explore"])
def test_each_run_is_set_up_and_torn_down(suite: Suite, run: str) -> None:
    """With its cleanups, and without faults; a skipped test and an expected failure run once."""
    suite.write(test_it=REPEATED.replace("RUN,", f"{run},").replace("RUN)", f"{run})"))
    done = suite.run()
    assert done.counts == {"PASSED": 2, "SKIPPED": 1, "XFAIL": 1}, done.out
    assert done.out.count(f"fakecuda {run.partition('=')[0]} call") == 1


WRONG = """
    import unittest
    import pytest
    from cuda.bindings import driver

    RUNS = []

    class Base(unittest.TestCase):
        def setUp(self):
            RUNS.append(self.id())
            driver.cuInit(0)

    @pytest.mark.usefixtures("fakecuda")
    @pytest.mark.fakecuda(sweep={"codes": ["OUT_OF_MEMORY"]})
    class Test(Base):
        def test_left(self):
            context = driver.cuCtxCreate(None, 0, 0)[1]
            memory = driver.cuMemAlloc(64)[1]
            if driver.cuMemAlloc(64)[0]:
                raise KeyError
            driver.cuCtxDestroy(context)

        def test_cleanup(self):
            def fails():
                if RUNS.count(self.id()) > 1:
                    raise KeyError("cleanup")
            self.addCleanup(fails)

        def test_tear_down(self):
            pass

        def tearDown(self):
            if RUNS.count(self.id()) > 1 and "tear_down" in self.id():
                raise KeyError("tearDown")

    class TestAlone(unittest.TestCase):
        @pytest.mark.fakecuda(explore=True)
        def test_alone(self):
            pass

    @pytest.mark.usefixtures("fakecuda")
    class TestFailed(unittest.TestCase):
        @pytest.mark.fakecuda(leaks="error", sweep=True)
        def test_failed(self):
            driver.cuInit(0)
            context = Context()
            driver.cuMemAlloc(0)
            assert not context

    class Context:
        def __init__(self):
            self.context = driver.cuCtxCreate(None, 0, 0)[1]

        def __del__(self):
            driver.cuCtxDestroy(self.context)
"""


def test_what_goes_wrong_is_reported(suite: Suite) -> None:
    """Faults, and what a cleanup or tearDown of a run raises; a test without a machine says what to write."""
    suite.write(test_it=WRONG)
    done = suite.run()
    assert done.counts == {"FAILED": 5}, done.out
    assert "#3  cuMemAlloc (no. 2) -> OUT_OF_MEMORY, in process here" in done.out
    assert "came out   KeyError\n" in done.out
    assert "KeyError: 'cleanup'" in done.out
    assert "KeyError: 'tearDown'" in done.out
    assert 'the test has no machine of its own: write @pytest.mark.usefixtures("fakecuda") above the class' in done.out


def test_a_failed_test_is_reported(suite: Suite) -> None:
    """With its last calls and its refused calls. What only its traceback holds is no leak."""
    suite.write(test_it=WRONG)
    done = suite.run("-k", "test_failed")
    assert done.counts == {"FAILED": 1}, done.out
    assert "Captured fakecuda call" in done.out
    assert "1 refused call: cuMemAlloc -> INVALID_VALUE" in done.out
    assert "left behind" not in done.out
    assert "sweep of" not in done.out
