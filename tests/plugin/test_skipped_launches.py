"""Launches that tests skip: by which option, how many the session counts, and what a finding fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.plugin.test_findings import needs_native

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

pytest.importorskip("cuda.bindings.driver")

WORLD = """
    import pytest
    from cuda.bindings import driver

    PTX = (
        b".version 7.0\\n.target sm_70\\n.address_size 64\\n.visible .global .align 4 .u32 counter = 5;\\n"
        b".visible .entry count() { ret; }\\n.visible .entry other() { ret; }\\n"
    )

    def ok(answer):
        code, *results = answer
        assert code == driver.CUresult.CUDA_SUCCESS, code
        return results[0] if len(results) == 1 else results

    def launched(*names):
        ok(driver.cuInit(0))
        ok(driver.cuCtxCreate(None, 0, 0))
        module = ok(driver.cuModuleLoadData(PTX))
        for name in names:
            ok(driver.cuLaunchKernel(ok(driver.cuModuleGetFunction(module, name)), 1, 1, 1, 1, 1, 1, 0, 0, 0, 0))
        ok(driver.cuCtxSynchronize())
        return ok(driver.cuModuleGetGlobal(module, b"counter"))

    def test_nothing_is_read(fakecuda):
        launched(b"count", b"other", b"count")

    def test_result_is_read(fakecuda):
        place, size = launched(b"count")
        driver.cuMemcpyDtoH(bytearray(size), place, size)

    def test_finding_is_expected(fakecuda):
        place, size = launched(b"count")
        with fakecuda.expect_undefined("execution.skipped.CONTENT_IS_KNOWN"):
            driver.cuMemcpyDtoH(bytearray(size), place, size)
"""
RESULT = "test_it.py::test_result_is_read"


def test_the_default_is_an_error(suite: Suite) -> None:
    """It names the option, and no launch is counted."""
    suite.write(test_it=WORLD)
    done = suite.run()
    assert done.counts == {"FAILED": 3}
    assert 'skip launches like this one by kernels="skip"' in done.out
    assert "skipped" not in done.out.rpartition("short test summary")[0].rpartition("launches were")[2]


@pytest.mark.parametrize("how", ["--fakecuda-kernels=skip", "-ofakecuda_kernels=skip"])
def test_launches_are_skipped_and_counted(suite: Suite, how: str) -> None:
    """By the command line or the ini file; who reads a result fails."""
    suite.write(test_it=WORLD)
    done = suite.run(how)
    assert done.counts == {"PASSED": 2, "FAILED": 1}, done.out
    assert f"FAILED {RESULT}" in done.out
    assert "no skipped launch may have written the bytes that the host or a kernel reads" in done.out
    assert "object     skipped launch of kernel count in legacy default stream" in done.out
    assert "\nfakecuda: 5 launches were skipped in 3 tests: -rP lists them by kernel\n" in done.out
    assert "2 launches of kernel count\n1 launch of kernel other\n" in done.out


def test_the_mark_comes_first(suite: Suite) -> None:
    """A test whose mark says so gets the error in a session that skips."""
    suite.write(
        test_it=WORLD.replace("    def test_result", "    @pytest.mark.fakecuda(kernels='error')\n    def test_result")
    )
    done = suite.run("--fakecuda-kernels=skip", "-kresult or expected")
    assert f"FAILED {RESULT} - fakecuda.errors.KernelNotDefined" in done.out
    assert "\nfakecuda: 1 launch was skipped in 1 test: " in done.out


def test_examples_of_hypothesis_count(suite: Suite) -> None:
    """Each has a machine of its own."""
    pytest.importorskip("hypothesis")
    suite.write(
        test_it=WORLD.partition("    def test_nothing")[0]
        + """
    from hypothesis import HealthCheck, given, settings, strategies

    @pytest.mark.fakecuda(kernels="skip")
    @settings(max_examples=3, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(number=strategies.integers(0, 1000))
    def test_examples(fakecuda, number):
        launched(b"count", b"count")
"""
    )
    assert "fakecuda: 6 launches were skipped in 1 test: " in suite.run().out


@needs_native
def test_attached_processes_skip_as_the_machine_does(suite: Suite) -> None:
    """Each test is a process of one machine, which has the option of the session."""
    suite.write(test_it=WORLD)
    done = suite.run("--fakecuda-shared=h200", "--fakecuda-kernels=skip", door="")
    assert done.counts == {"PASSED": 2, "FAILED": 1}, done.out
    assert f"FAILED {RESULT}" in done.out
    assert "skipped launch of kernel count in legacy default stream" in done.out
    assert "\nfakecuda: 5 launches were skipped on the shared machine\n" in done.out


@needs_native
def test_children_skip_as_the_machine_does(suite: Suite) -> None:
    """A child is a process of the test's machine; its finding fails the test."""
    suite.write(world=WORLD.partition("    def test_nothing")[0])
    suite.write(
        test_it="""
    import subprocess
    import sys

    import pytest

    READS = "; driver.cuMemcpyDtoH(bytearray(4), place[0], 4)"

    @pytest.mark.fakecuda(kernels="skip")
    @pytest.mark.parametrize("reads", ["", READS])
    def test_child(fakecuda, reads):
        program = f"from world import driver, launched; place = launched(b\'count\'){reads}"
        subprocess.run([sys.executable, "-c", program], check=True)
"""
    )
    done = suite.run(door="")
    assert done.counts == {"PASSED": 1, "FAILED": 1}, done.out
    assert "skipped launch of kernel count in legacy default stream" in done.out
    assert "\nfakecuda: 2 launches were skipped in 2 tests: " in done.out
