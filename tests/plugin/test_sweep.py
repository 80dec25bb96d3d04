"""The mark ``sweep=True``: a test that passed is run with each fault that it can meet."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

SWEPT = """
    import pytest
    from cuda.bindings import driver

    class Failed(Exception):
        pass

    def checked(answer):
        if answer[0]:
            raise Failed(answer[0].name)
        return answer[1] if answer[1:] else None

    @pytest.fixture
    def size():
        return 4096

    def pair(size, tidy):
        checked(driver.cuInit(0))
        context = checked(driver.cuCtxCreate(None, 0, 0))
        first = checked(driver.cuMemAlloc(size))
        try:
            second = checked(driver.cuMemAlloc(size))
        except Failed:
            if tidy:
                checked(driver.cuMemFree(first))
            raise
        checked(driver.cuMemFree(first))
        checked(driver.cuMemFree(second))

    @pytest.mark.fakecuda(sweep=True, leaks_allowed=["context"])
    def test_tidy(fakecuda, size):
        pair(size, True)
        assert len([one for one in fakecuda.calls if one.call == "cuMemAlloc"]) == 2

    @pytest.mark.fakecuda(sweep={"codes": ["OUT_OF_MEMORY"]})
    def test_left(fakecuda, size):
        pair(size, False)

    @pytest.mark.fakecuda(sweep={"budget": 0})
    def test_no_time(fakecuda, size):
        pair(size, False)

    @pytest.mark.fakecuda(sweep=False)
    def test_not_swept(fakecuda, size):
        pair(size, False)

    @pytest.mark.fakecuda(sweep=True)
    def test_fails_anyway(fakecuda):
        assert driver.cuInit(1)[0] == 0

    @pytest.mark.fakecuda(sweep=True)
    def test_of_the_module(fakecuda_module):
        pass
"""


def test_a_test_is_swept(suite: Suite) -> None:
    """It fails by what is wrong; its machine is another one for each run, its other fixtures are what they were."""
    pytest.importorskip("cuda.bindings.driver")
    suite.write(test_it=SWEPT)
    done = suite.run("-rA")
    assert done.counts == {"PASSED": 3, "FAILED": 3}, done.out
    assert "sweep of test_left: 6 calls, 3 injected failures, 1 handled wrongly" in done.out
    assert re.search(
        r"#3  cuMemAlloc \(no. 2\) -> OUT_OF_MEMORY, in process here, at .*test_it.py:\d+ in pair", done.out
    )
    assert re.search(r"left       allocation: .*, of process here, made at .*test_it.py:\d+ in pair", done.out)
    assert re.search(r"sweep of test_tidy: 6 calls, \d+ injected failures, 0 handled wrongly", done.out)
    assert re.search(r"sweep of test_no_time: .*\nnot run: \d+", done.out)
    assert "sweep: the test has no machine of its own: give the test the argument fakecuda" in done.out
    assert "sweep of test_fails_anyway" not in done.out
    alone = suite.run("-rA", "--fakecuda-sweep=2", "-k", "left or tidy")
    assert alone.counts == {"PASSED": 2}, alone.out
    failed = suite.run("-rA", "--fakecuda-sweep=3", "-k", "left")
    assert "not run: 2" in failed.out
    assert failed.counts == {"FAILED": 1}


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("1", "has sweep=1: write True, or a dict"),
        ("{'budgets': 3}", "did you mean: budget"),
    ],
)
def test_what_is_wrong_with_the_mark_is_told(suite: Suite, given: str, told: str) -> None:
    """When the test begins."""
    suite.write(
        test_it=f"""
        import pytest

        @pytest.mark.fakecuda(sweep={given})
        def test_it(fakecuda):
            pass
        """
    )
    done = suite.run()
    assert told in done.out


def test_what_is_wrong_with_the_sweep_is_told(suite: Suite) -> None:
    """It fails the test; a fault that never came fails it, too."""
    suite.write(
        test_it="""
        import pytest

        @pytest.mark.fakecuda(sweep={"codes": ["OUT_OF_MEMRY"]})
        def test_code(fakecuda):
            pass

        def test_never_came(fakecuda):
            fakecuda.fail("cuMemMap")

        def test_failed(fakecuda):
            fakecuda.fail("cuMemMap")
            raise KeyError

        @pytest.mark.fakecuda(errors="error")
        def test_injected_is_expected(fakecuda):
            fakecuda.fail("cuInit", code="NO_DEVICE")
            fakecuda.here.driver.cuInit(0)
        """
    )
    done = suite.run()
    assert done.counts == {"FAILED": 3, "PASSED": 1}, done.out
    assert "sweep: 'OUT_OF_MEMRY' is not a code; did you mean: OUT_OF_MEMORY" in done.out
    assert "FAILED test_it.py::test_failed - KeyError" in done.lines
    assert re.search(
        r"fail\('cuMemMap', code='OUT_OF_MEMORY'\) made no call fail: only 0 such calls .*; set at .*test_it.py:\d+",
        done.out,
    )
    assert done.out.count("made no call fail") == 2


OTHERS = """
    import pytest
    from fakecuda import FakeCudaError

    @pytest.mark.fakecuda(sweep=True)
    def test_plain(fakecuda):
        pass

    def test_no_fault(fakecuda):
        with pytest.raises(FakeCudaError, match="belongs to another OS process"):
            fakecuda.fail("cuInit")
"""


def test_a_machine_of_another_process_has_no_faults(suite: Suite) -> None:
    """Its tests are run once, and cannot inject any."""
    suite.write(test_it=OTHERS)
    done = suite.run("-rA", "--fakecuda-shared")
    assert done.counts == {"PASSED": 2}, done.out
    assert "sweep of" not in done.out


def test_what_runs_otherwise_is_not_swept(suite: Suite) -> None:
    """Tests of Hypothesis, and coroutines that another plugin runs, say so."""
    suite.write(
        conftest="""
        import asyncio, inspect, pytest

        @pytest.hookimpl(tryfirst=True)
        def pytest_pyfunc_call(pyfuncitem):
            if inspect.iscoroutinefunction(pyfuncitem.obj):
                asyncio.run(pyfuncitem.obj(fakecuda=pyfuncitem.funcargs["fakecuda"]))
                return True
        """,
        test_it="""
        import pytest
        from hypothesis import given, strategies

        @pytest.mark.fakecuda(sweep=True)
        @given(strategies.booleans())
        def test_examples(fakecuda, given):
            pass

        @pytest.mark.fakecuda(sweep=True)
        async def test_coroutine(fakecuda):
            pass
        """,
    )
    done = suite.run()
    assert done.counts == {"FAILED": 2}, done.out
    assert "sweep: Hypothesis runs this test with its own examples" in done.out
    assert "sweep: the test is a coroutine function" in done.out
