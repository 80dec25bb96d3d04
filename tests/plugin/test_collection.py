"""The setting ``fakecuda_collection``: a machine answers while conftest files and test modules are imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE

if TYPE_CHECKING:
    from .conftest import Suite

SETTING = "fakecuda_collection=h200-x4"
CONFTEST = """
    from cuda.bindings import driver
    driver.cuInit(0)
    count = int(driver.cuDeviceGetCount()[1])
"""
TEST = """
    import pytest
    from conftest import count, driver

    pytestmark = pytest.mark.skipif(driver.cuDeviceGetCount()[0] != 0, reason="no device")
    memory = []

    @pytest.mark.parametrize("number", range(count))
    @pytest.mark.fakecuda(profile="h200")
    def test_it(fakecuda, number):
        assert driver.cuDeviceGetCount()[0] == driver.CUresult.CUDA_ERROR_NOT_INITIALIZED
        driver.cuInit(0)
        assert driver.cuDeviceGetCount()[1] == 1
"""


@pytest.mark.parametrize("door", ["lookalike", "native"])
@pytest.mark.parametrize(
    "workers",
    [(), ("-n", "1"), ("--fakecuda-shared",), ("--fakecuda-shared", "-n", "1")],
    ids=["", "a worker", "a shared machine", "a worker of a shared machine"],
)
def test_imports_find_devices(suite: Suite, door: str, workers: tuple[str, ...]) -> None:
    """Those of the profile; the tests have their own machines."""
    if door == "native" and not NATIVE:
        pytest.skip("there is no native door")
    shared = "--fakecuda-shared" in workers
    text = TEST.replace("[1] == 1", "[1] == 2") if shared else TEST
    suite.write(conftest=CONFTEST, test_it=text)
    done = suite.run("-o", SETTING, *workers, door=door)
    assert done.counts == {"PASSED": 4}, done.out


def test_the_machine_ends_before_the_tests(suite: Suite) -> None:
    """Otherwise a test without a machine would pass. Late uses of its objects are reported."""
    suite.write(
        conftest="",
        test_it="""
            import pytest
            from cuda.bindings import driver
            from fakecuda.machine.install import installed

            machine = installed()
            driver.cuInit(0)
            context = driver.cuCtxCreate(None, 0, 0)[1]
            memory = driver.cuMemAlloc(64)[1]

            def test_none():
                assert machine is not None
                assert machine.closed
                assert installed() is None

            def test_late(fakecuda):
                driver.cuInit(0)
                driver.cuCtxCreate(None, 0, 0)
                driver.cuMemFree(memory)
        """,
    )
    done = suite.run("-o", SETTING, door="lookalike")
    assert done.counts == {"PASSED": 2, "ERROR": 1}, done.out
    assert "to cuMemFree, but the machine that returned this value has ended" in done.out


@pytest.mark.parametrize("option", ["--collect-only", "--fixtures", "--version"])
def test_a_run_without_tests(suite: Suite, option: str) -> None:
    """The machine ends with it."""
    suite.write(conftest=CONFTEST, test_it=TEST)
    assert suite.run("-o", SETTING, option, door="lookalike").code == pytest.ExitCode.OK


def test_an_unknown_profile(suite: Suite) -> None:
    """The run ends with one line."""
    suite.write(conftest=CONFTEST, test_it=TEST)
    done = suite.run("-o", "fakecuda_collection=h20", door="lookalike")
    assert done.code == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: fakecuda_collection: " in done.out
    assert "h200" in done.out


@pytest.mark.parametrize("door", ["lookalike", "native"])
def test_undefined_behaviour_of_an_import(suite: Suite, door: str) -> None:
    """It ends the run, although the code swallows the exception."""
    if door == "native" and not NATIVE:
        pytest.skip("there is no native door")
    suite.write(
        conftest="",
        test_it="""
            from contextlib import suppress
            from cuda.bindings import driver
            driver.cuInit(0)
            driver.cuCtxCreate(None, 0, 0)
            with suppress(Exception):
                driver.cuMemRelease(12345)

            def test_it():
                pass
        """,
    )
    done = suite.run("-o", SETTING, door=door)
    assert done.code == pytest.ExitCode.USAGE_ERROR, done.out
    assert "ERROR: while tests were collected: cuMemRelease" in done.out
