"""Machines of a module and of a session."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

MODULE = """
    import pytest
    from cuda.bindings import driver

    pytestmark = pytest.mark.fakecuda(profile="h200-x4"{mark})

    @pytest.fixture(scope="module")
    def context(fakecuda_module):
        driver.cuInit(0)
        return driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(0)[1])
"""


def test_a_module_has_one_machine(suite: Suite) -> None:
    """Described by the module's mark; what one test makes is there in the next, and not in another module."""
    suite.write(
        test_one=MODULE.format(mark="")
        + """
    made = []

    def test_make(context, fakecuda_module):
        assert len(fakecuda_module.machine.devices) == 4
        made.append(driver.cuMemAlloc(512)[1])

    def test_use(context):
        assert driver.cuMemFree(made.pop()) == (driver.CUresult.CUDA_SUCCESS,)

    def test_own(context, fakecuda):
        assert driver.cuMemAlloc(512)[0] == driver.CUresult.CUDA_ERROR_NOT_INITIALIZED
""",
        test_two="""
    from cuda.bindings import driver

    def test_nothing(fakecuda_module):
        assert driver.cuMemAlloc(512)[0] == driver.CUresult.CUDA_ERROR_NOT_INITIALIZED
""",
    )
    done = suite.run()
    assert done.counts == {"PASSED": 4}


def test_a_session_has_one_machine(suite: Suite) -> None:
    """Whatever the modules."""
    for name in ("test_one", "test_two"):
        suite.write(
            **{
                name: """
    def test_it(fakecuda_session, pytestconfig):
        before = getattr(pytestconfig, "machine_before", fakecuda_session.machine)
        assert fakecuda_session.machine is before
        pytestconfig.machine_before = before
"""
            }
        )
    assert suite.run().counts == {"PASSED": 2}


FREED_TWICE = """
    def test_first(context):
        pass

    def test_second(context):
        stream = driver.cuStreamCreate(0)[1]
        driver.cuStreamDestroy(stream)
        try:
            driver.cuStreamDestroy(stream)
        except Exception:
            pass

    def test_third(context):
        pass
"""


def test_what_is_found_fails_the_test_in_which_it_came(suite: Suite) -> None:
    """And no other."""
    suite.write(test_it=MODULE.format(mark="") + FREED_TWICE)
    done = suite.run()
    assert done.counts == {"PASSED": 2, "FAILED": 1}
    assert "FAILED test_it.py::test_second - fakecuda.errors.UndefinedBehaviour" in done.out


REFUSED = """
    def test_first(context):
        assert driver.cuMemAlloc(0)[0]

    def test_second(context):
        assert driver.cuMemAlloc(512)[0] == 0
"""


def test_refused_calls_fail_the_test_that_made_them(suite: Suite) -> None:
    """Where the module's mark says so."""
    suite.write(test_it=MODULE.format(mark=", errors='error'") + REFUSED)
    done = suite.run()
    assert done.counts == {"PASSED": 1, "FAILED": 1}
    assert "FAILED test_it.py::test_first - Failed: 1 refused call: cuMemAlloc -> INVALID_VALUE" in done.out


@pytest.mark.parametrize(("mode", "status"), [("error", "ERROR"), ("report", "PASSED")])
def test_what_is_left_is_told_with_the_last_test(suite: Suite, mode: str, status: str) -> None:
    """Each of a module's tests may use what another one has made."""
    suite.write(test_it=MODULE.format(mark=f", leaks='{mode}'") + REFUSED)
    done = suite.run()
    assert done.counts == {"PASSED": 2, **({"ERROR": 1} if status == "ERROR" else {})}
    assert ("1 test left something behind" in done.out) == (mode == "report")
    assert ("ERROR test_it.py::test_second" in done.out) == (mode == "error")


def test_a_module_takes_no_list_of_profiles(suite: Suite) -> None:
    """Which its tests would have to run for, each by itself."""
    suite.write(
        test_it="""
    import pytest

    pytestmark = pytest.mark.fakecuda(profile=["h200", "h200-x2"])

    def test_it(fakecuda_module):
        pass
"""
    )
    done = suite.run()
    assert done.counts == {"ERROR": 1}
    assert "a list of profiles needs a test with the argument fakecuda" in done.out
