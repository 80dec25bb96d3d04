"""Machines that several OS processes share, asked of the fixture."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from .conftest import ALIKE

WORKERS = [pytest.param((), marks=ALIKE, id="alone"), pytest.param(("-n", "2"), id="workers")]
"""pytest options without workers, or with two."""

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


@pytest.mark.parametrize("workers", WORKERS)
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
            assert type(fakecuda.machine).__name__ == "TestMachine"
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


@pytest.mark.parametrize("workers", WORKERS)
def test_what_is_found_fails_its_test(suite: Suite, workers: tuple[str, ...]) -> None:
    """Swallowed or not, in the test or in a child of it, once; and no other test."""
    suite.write(
        test_it="""
        import subprocess
        import sys
        import fakecuda as fake
        from cuda.bindings import driver
        from cuda.bindings.driver import cuCtxCreate, cuEventCreate, cuEventDestroy, cuInit

        CHILD = "from cuda.bindings import driver as d; d.cuInit(0); d.cuCtxCreate(None, 0, 0); e = d.cuEventCreate(0)[1];"
        CHILD += "d.cuEventDestroy(e)\\ntry: d.cuEventDestroy(e)\\nexcept Exception: pass"

        def twice():
            cuInit(0), cuCtxCreate(None, 0, 0)
            event = cuEventCreate(0)[1]
            cuEventDestroy(event), cuEventDestroy(event)

        def test_raised(fakecuda):
            twice()

        def test_swallowed(fakecuda):
            try:
                twice()
            except Exception:
                pass

        def test_child(fakecuda):
            fakecuda.here.c.cuInit(0)
            subprocess.run([sys.executable, "-c", CHILD], check=True)

        def test_expected(fakecuda):
            with fake.expect_undefined("event.handle.EVENT_IS_LIVE") as came:
                twice()
            assert [one.call for one in came] == ["cuEventDestroy"]

        def test_none(fakecuda):
            cuInit(0)
        """
    )
    outcome = suite.run("--fakecuda-shared=h200", *workers, door="")
    assert outcome.counts == {"FAILED": 3, "PASSED": 2}, outcome.out
    assert "on the shared machine" not in outcome.out
    assert "fakecuda: undefined behaviour" not in outcome.out
    for name in ("raised", "swallowed", "child"):
        [line] = [line for line in outcome.out.splitlines() if line.startswith(f"FAILED test_it.py::test_{name}")]
        assert "cuEventDestroy in process" in line
    assert "test_it.py:14 in twice" in outcome.out
    assert re.search(r"process +\w+, pid \d+:\s+\S+\s+-c\s+from\s+cuda.bindings", outcome.plain)


def test_what_a_suite_cannot_fix_is_suppressed(suite: Suite) -> None:
    """Where the machine is, so that nothing is raised; an entry that suppresses nothing fails the run."""
    test = """
        from cuda.bindings import driver

        def test_it(fakecuda):
            driver.cuInit(0)
            driver.cuCtxCreate(None, 0, 0)
            event = driver.cuEventCreate(0)[1]
            assert [int(driver.cuEventDestroy(event)[0]) for _ in range(2)] == [0, 709]
    """
    ini = "[pytest]\nfakecuda_suppress =\n    event.handle.EVENT_IS_LIVE test_it: known\n"
    suite.write(test_it=test)
    (suite.folder / "pytest.ini").write_text(ini)
    for more, code in (("", 0), ("    event.handle.EVENT_IS_LIVE other: known\n", 1)):
        (suite.folder / "pytest.ini").write_text(ini + more)
        outcome = suite.run("--fakecuda-shared=h200", "-n", "1", door="")
        assert (outcome.counts, outcome.code) == ({"PASSED": 1}, code), outcome.out
        assert ("other: known' suppresses nothing" in outcome.out) == bool(more)


@pytest.mark.parametrize("workers", WORKERS)
def test_what_is_left_fails_its_test(suite: Suite, workers: tuple[str, ...]) -> None:
    """Whoever has it, the test or a child of it; what nobody has any more is given back first."""
    suite.write(
        test_it="""
        import subprocess
        import sys
        import pytest
        from cuda.bindings import driver

        CHILD = "from cuda.bindings import driver as d; d.cuInit(0); d.cuCtxCreate(None, 0, 0); d.cuStreamCreate(0)"

        class Memory:
            def __init__(self):
                self.pointer = driver.cuMemAlloc(4096)[1]
            def __del__(self):
                driver.cuMemFree(self.pointer)

        @pytest.fixture(autouse=True)
        def context(fakecuda):
            driver.cuInit(0)
            context = driver.cuCtxCreate(None, 0, 0)[1]
            yield
            driver.cuCtxDestroy(context)

        def test_left():
            driver.cuMemAddressReserve(2 << 20, 0, 0, 0)

        def test_child():
            subprocess.run([sys.executable, "-c", CHILD], check=True)

        def test_collected():
            memory = Memory()
            memory.itself = memory

        @pytest.mark.fakecuda(leaks_allowed=["reservation"])
        def test_allowed():
            driver.cuMemAddressReserve(2 << 20, 0, 0, 0)
        """
    )
    outcome = suite.run("--fakecuda-shared=h200", "--fakecuda-leaks=error", *workers, door="")
    assert outcome.counts == {"PASSED": 4, "ERROR": 2}, outcome.out
    assert "left behind: 1 reservation" in outcome.out
    assert "left behind: 1 context, 1 stream" in outcome.out
    assert "on the shared machine" not in outcome.out
    assert re.search(r"made at \S+test_it.py:\d+ in test_left, by cuMemAddressReserve\(size=2 MiB, ", outcome.out)
    assert re.search(r"stream: .*, made at <string>:1 in <module>, by cuStreamCreate\(Flags=0\)", outcome.out)


def test_which_of_several_objects_is_left(suite: Suite) -> None:
    """The owner knows the calls of the test and of its children, and where the others were freed."""
    suite.write(
        test_it="""
        from cuda.bindings import driver

        def test_it(fakecuda):
            driver.cuInit(0)
            driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
            made = [driver.cuMemAlloc(64)[1] for _ in range(3)]
            driver.cuMemFree(made[1])
        """
    )
    outcome = suite.run("--fakecuda-shared=h200", "--fakecuda-leaks=error", "-n", "1", door="")
    assert "1st and 3rd of 3 made at this line; the other 1 was freed at " in outcome.out, outcome.out


def test_a_file_that_is_taken_for_a_profile_is_told_so(suite: Suite) -> None:
    """With what to write in front of a path."""
    suite.write(test_it="def test_a(fakecuda): pass\n")
    done = suite.run("--fakecuda-shared", "test_it.py", door="")
    assert "ERROR: --fakecuda-shared: profile 'test_it.py' is unknown; " in done.out
    assert "write a profile after '=': --fakecuda-shared=h200-x2" in done.out
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


def test_calls_are_those_of_the_tests_own_process(suite: Suite) -> None:
    """With their codes, results and rules; those of the test before are not among them."""
    suite.write(
        test_it="""
        import pytest
        from cuda.bindings import driver

        @pytest.mark.parametrize("number", range(2))
        def test_it(fakecuda, number):
            driver.cuInit(0)
            driver.cuDeviceGetCount()
            driver.cuCtxDestroy(0)
            first, counted, refused = fakecuda.calls
            assert (first.call, first.args, first.code) == ("cuInit", (0,), 0)
            assert (counted.call, counted.outs, counted.rule) == ("cuDeviceGetCount", 2, None)
            assert refused.code and refused.rule is not None and refused.outs is None
            assert {call.process for call in fakecuda.calls} == {fakecuda.here.name}
            assert "cuCtxDestroy" in str(refused)

        def test_without_a_call(fakecuda):
            pass

        def test_what_the_owner_has(fakecuda):
            fakecuda.spawn()
        """
    )
    outcome = suite.run("--fakecuda-shared=h200-x2", "--fakecuda-errors=ignore", door="")
    assert outcome.counts == {"PASSED": 3, "FAILED": 1}, outcome.out
    assert "fakecuda: 1 test took the fixture and made no call" in outcome.out
    assert "the test's machine has no 'spawn': with --fakecuda-shared it belongs to another OS process" in outcome.out
