"""The fixture: what a test gets, what fails it at its end, and what outlives its machine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Suite

pytest.importorskip("cuda.bindings.driver")


def test_fixture_gives_a_fresh_machine_and_the_public_names(suite: Suite) -> None:
    """Each test has a machine of its own, which the module reaches; the object has the module's names."""
    suite.write(
        test_it="""
            import pytest
            import fakecuda as module
            from cuda.bindings import driver
            from fakecuda.machine import install

            seen = []

            @pytest.mark.parametrize("number", range(2))
            def test_fresh(fakecuda, number):
                assert fakecuda.calls == []
                assert driver.cuDeviceGetCount()[0] == driver.CUresult.CUDA_ERROR_NOT_INITIALIZED
                assert driver.cuInit(0)[0] == 0
                assert fakecuda.here.driver.cuDeviceGetCount()[1] == 2
                assert [call.call for call in fakecuda.calls] == ["cuDeviceGetCount", "cuInit", "cuDeviceGetCount"]
                assert fakecuda.machine is install.installed()
                assert fakecuda.machine not in seen
                assert all(machine.closed for machine in seen)
                seen.append(fakecuda.machine)

            def test_nothing_remains():
                assert install.installed() is None
                assert seen[-1].closed

            def test_processes(fakecuda):
                other = fakecuda.spawn("other")
                assert fakecuda.processes == {"here": fakecuda.here, "other": other}
                assert fakecuda.spawn().name == "a"
                assert other.c.cuInit(0) == (0,)
                assert fakecuda.findings == []

            def test_names(fakecuda):
                assert set(module.__all__) - {"machine"} <= set(dir(fakecuda))
                assert fakecuda.UndefinedBehaviour is module.UndefinedBehaviour
                with pytest.raises(AttributeError, match="nor the module fakecuda has 'nothing'"):
                    fakecuda.nothing
        """
    )
    done = suite.run()
    assert done.counts == {"PASSED": 5}, done.out
    assert done.code == 0


def test_undefined_behaviour_fails_the_test_at_its_end(suite: Suite) -> None:
    """Findings of calls through C fail the test itself, with rule, quote and facts."""
    suite.write(
        test_it="""
            import pytest
            from fakecuda import UndefinedBehaviour

            def garbage(fakecuda):
                fakecuda.here.c.cuInit(0)
                thread = fakecuda.here.current_thread()
                thread.call = thread.native
                fakecuda.here.c.cuMemRelease(0xDEAD)

            def test_fails(fakecuda):
                garbage(fakecuda)

            @pytest.mark.xfail(raises=UndefinedBehaviour)
            def test_expected(fakecuda):
                garbage(fakecuda)

            def test_expected_of_c(fakecuda):
                with fakecuda.expect_undefined() as came:
                    garbage(fakecuda)
                assert came[0].call == fakecuda.findings[0].call == "cuMemRelease"

            @pytest.mark.fakecuda(strict=False)
            def test_lax(fakecuda):
                garbage(fakecuda)

            def test_at_once(fakecuda):
                fakecuda.here.c.cuInit(0)
                with fakecuda.expect_undefined("va.handle.HANDLE_IS_HELD"):
                    fakecuda.here.c.cuMemRelease(0xDEAD)

            @pytest.fixture
            def late(fakecuda):
                yield
                garbage(fakecuda)

            def test_teardown(late):
                pass

            def test_both(fakecuda):
                garbage(fakecuda)
                assert False, "the test's own"
        """
    )
    done = suite.run()
    assert done.counts == {"FAILED": 2, "PASSED": 4, "XFAIL": 1, "ERROR": 1}, done.out
    assert (
        "FAILED test_it.py::test_fails - fakecuda.errors.UndefinedBehaviour: cuMemRelease in process here" in done.out
    )
    assert "FAILED test_it.py::test_both - AssertionError: the test's own" in done.out
    assert "ERROR test_it.py::test_teardown - fakecuda.errors.UndefinedBehaviour: cuMemRelease" in done.out
    own = done.out.partition("_ test_fails _")[2].partition("_ test_both _")[0]
    assert "rule       va.handle.HANDLE_IS_HELD (undefined)" in own
    assert "source     cuMemRelease: “If handle is not a valid handle the behavior is" in own
    assert "yield" not in own, "the plugin's own source is no part of the report"
    both = done.out.partition("_ test_both _")[2].partition("short test summary")[0]
    assert "- Captured fakecuda call -" in both
    assert "here/" in both
    assert "cuMemRelease(handle=57005) -> " in both
    assert "- Captured fakecuda undefined behaviour call -" in both
    assert "cuMemRelease in process here" in both
    assert done.code == pytest.ExitCode.TESTS_FAILED


OUTLIVED = """
    import threading, pytest
    from cuda.bindings import driver

    kept, go, done = [], threading.Event(), threading.Event()

    def work():
        go.wait()
        driver.cuDeviceGetCount()
        done.set()

    def test_thread(fakecuda):
        driver.cuInit(0)
        threading.Thread(target=work, daemon=True).start()

    def test_value(fakecuda):
        kept.append(fakecuda.spawn().c)
        c = fakecuda.here.c
        c.cuInit(0)
        kept.append(c.cuDevicePrimaryCtxRetain(0)[1])

    def test_user(fakecuda):
        driver.cuInit(0)
        go.set()
        done.wait()
        with fakecuda.expect_undefined():
            fakecuda.here.c.cuCtxSetCurrent(kept[1])
        assert "cuDeviceGetCount" not in [call.call for call in fakecuda.calls]

    def test_after(fakecuda):
        with pytest.raises(fakecuda.MachineClosed):
            kept[0].cuInit(0)
"""


def test_what_outlives_its_machine_is_an_error_of_its_test(suite: Suite) -> None:
    """The test that left a thread or a value behind has the error, the one in which it showed passes."""
    suite.write(test_it=OUTLIVED)
    done = suite.run()
    assert done.counts == {"PASSED": 4, "ERROR": 2}, done.out
    assert "ERROR test_it.py::test_thread - test_it.py::test_thread: thread " in done.out
    assert "called cuDeviceGetCount after the thread's machine had ended" in done.out
    assert (
        "ERROR test_it.py::test_value - test_it.py::test_value: test_it.py::test_user passed handle or address 0x"
        in done.out
    )
    assert " to cuCtxSetCurrent, but the machine that returned this value has ended: do not keep" in done.out
    assert done.code == pytest.ExitCode.TESTS_FAILED


def test_what_outlives_its_machine_is_reported_by_workers(suite: Suite) -> None:
    """Under pytest-xdist the text names the test; the run fails all the same."""
    pytest.importorskip("xdist")
    suite.write(test_it=OUTLIVED)
    done = suite.run("-n1")
    assert done.counts == {"PASSED": 4, "ERROR": 2}, done.out
    assert "test_it.py::test_thread: thread " in done.out
    assert "test_it.py::test_value: test_it.py::test_user passed handle or address 0x" in done.out
    assert done.code == pytest.ExitCode.TESTS_FAILED


def test_machine_inside_given(suite: Suite) -> None:
    """A property has a machine per example; the decorator works above and below ``@given``."""
    pytest.importorskip("hypothesis")
    suite.write(
        test_it="""
            import fakecuda
            from cuda.bindings import driver
            from hypothesis import given, settings, strategies as st

            seen = set()
            kept = []

            @settings(max_examples=5, database=None, deadline=None)
            @given(st.integers(1, 9))
            @fakecuda.simulate("h200", door="lookalike")
            def test_below(size):
                assert driver.cuDeviceGetCount()[1] is None
                driver.cuInit(0)
                kept.append(fakecuda.installed())
                assert driver.cuDeviceGetCount()[1] == 1

            @fakecuda.simulate("h200", door="lookalike")
            @settings(max_examples=5, database=None, deadline=None)
            @given(st.integers(1, 9))
            def test_above(size):
                driver.cuInit(0)
                seen.add(fakecuda.installed())

            def test_counts():
                assert len(set(map(id, kept))) == len(kept) > 1
                assert len(seen) == 1
        """
    )
    done = suite.run()
    assert done.counts == {"PASSED": 3}, done.out


def test_hypothesis_is_not_needed(suite: Suite) -> None:
    """Where it is not installed, tests have their machine all the same."""
    suite.write(
        conftest="""
        import sys

        sys.modules["hypothesis"] = None
        """,
        test_it="""
        def test_it(fakecuda):
            assert fakecuda.here.c.cuInit(0) == (0,)
        """,
    )
    outcome = suite.run()
    assert outcome.counts == {"PASSED": 1}, outcome.out
