"""Machines that several OS processes share, asked of the fixture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from .conftest import Suite


@pytest.mark.parametrize("door", ["", "lookalike"])
def test_forks_attach(suite: Suite, door: str) -> None:
    """A forked child is a process of the test's machine, and what it held is gone with it."""
    suite.write(
        test_it="""
        import os
        import pytest
        from cuda.bindings import driver

        @pytest.mark.filterwarnings("ignore::fakecuda.errors.HookMissingWarning")
        @pytest.mark.fakecuda(shared=True)
        def test_it(fakecuda):
            pid = os.fork()
            if not pid:
                codes = [driver.cuInit(0)[0], driver.cuCtxCreate(None, 0, 0)[0], driver.cuMemAlloc(1 << 20)[0]]
                os._exit(sum(map(int, codes)))
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
            assert [call.call for call in fakecuda.calls] == ["cuInit", "cuCtxCreate", "cuMemAlloc"]
            fakecuda.here.c.cuDriverGetVersion()
            assert fakecuda.machine.devices[0].memory.used == 0
        """
    )
    outcome = suite.run(door=door)
    assert outcome.counts == {"PASSED": 1}, outcome.out


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "workers"])
def test_workers_may_share_a_machine(suite: Suite, workers: tuple[str, ...]) -> None:
    """Each test is a new process of the one machine."""
    suite.write(
        test_it="""
        import pytest
        from cuda.bindings import driver

        @pytest.mark.parametrize("number", range(4))
        def test_it(fakecuda, number):
            assert int(driver.cuDeviceGetCount()[0]) == 3
            driver.cuInit(0)
            assert driver.cuDeviceGetCount()[1] == 1
            assert type(fakecuda.machine).__name__ == "RemoteMachine"
        """
    )
    outcome = suite.run("--fakecuda-shared=h200", *workers, door="")
    assert outcome.counts == {"PASSED": 4}, outcome.out


def test_workers_have_machines_of_their_own(suite: Suite) -> None:
    """Without the option no worker sees what another does."""
    suite.write(
        test_it="""
        import pytest
        from cuda.bindings import driver

        @pytest.mark.fakecuda(profile="h200")
        @pytest.mark.parametrize("number", range(4))
        def test_it(fakecuda, number):
            driver.cuInit(0)
            driver.cuCtxCreate(None, 0, 0)
            free, total = driver.cuMemGetInfo()[1:]
            assert driver.cuMemAlloc(free - (64 << 20))[0] == 0
        """
    )
    outcome = suite.run("-n", "2", door="")
    assert outcome.counts == {"PASSED": 4}, outcome.out


def test_undefined_behaviour_on_a_shared_machine_fails_the_run(suite: Suite) -> None:
    """No test is known to have done it, but the run fails and says what it was."""
    suite.write(
        test_it="""
        from cuda.bindings import driver

        def test_it(fakecuda):
            driver.cuInit(0)
            driver.cuCtxCreate(None, 0, 0)
            event = driver.cuEventCreate(0)[1]
            driver.cuEventDestroy(event)
            driver.cuEventDestroy(event)
        """
    )
    outcome = suite.run("--fakecuda-shared", door="")
    assert outcome.code == 1
    assert "fakecuda: undefined behaviour: cuEventDestroy in process a" in outcome.out


def test_a_file_that_is_taken_for_a_profile_is_told_so(suite: Suite) -> None:
    """With what to write in front of a path."""
    suite.write(test_it="def test_a(fakecuda): pass\n")
    done = suite.run("--fakecuda-shared", "test_it.py", door="")
    assert "ERROR: --fakecuda-shared: profile 'test_it.py' is unknown: use one of " in done.out
    assert "in front of a test's path write --fakecuda-shared=h200-x2" in done.out
    assert done.code == pytest.ExitCode.USAGE_ERROR


def test_refused_calls_of_a_test_are_its_own(suite: Suite) -> None:
    """They are told with its report, with their rule and what broke it, and can be expected."""
    suite.write(
        test_it="""
        import pytest
        from cuda.bindings import driver

        @pytest.fixture(autouse=True)
        def context(fakecuda):
            driver.cuInit(0)
            driver.cuCtxCreate(None, 0, 0)

        def test_refused():
            driver.cuMemAlloc(0)

        def test_expected(fakecuda):
            with fakecuda.expect("INVALID_VALUE") as came:
                driver.cuMemAlloc(0)
            assert [one.rule.id for one in came] == ["memory.mem_alloc.SIZE_IS_POSITIVE"]

        def test_expected_in_vain(fakecuda):
            with fakecuda.expect("NOT_READY"):
                driver.cuMemFree(5)
        """
    )
    outcome = suite.run("--fakecuda-shared=h200", "--fakecuda-errors=error", door="")
    assert outcome.counts == {"PASSED": 1, "FAILED": 2}, outcome.out
    assert "cuMemAlloc in process a -> INVALID_VALUE: breaks the rule: the size is not 0" in outcome.out
    assert "no call was refused with NOT_READY" in outcome.out
    assert "cuMemFree in process c -> INVALID_VALUE" in outcome.out
