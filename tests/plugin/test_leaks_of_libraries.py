"""What libraries keep is no leak: primary contexts of cuda.core, and access between contexts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from tests.plugin.conftest import Suite

needs_native = pytest.mark.skipif(not NATIVE, reason=NEEDS)


@needs_native
def test_what_cuda_core_keeps_is_no_leak(suite: Suite) -> None:
    """One retain a thread and device; whoever retains beside it is told."""
    pytest.importorskip("cuda.core")
    suite.write(
        test_it="""
    import threading
    import pytest
    import fakecuda
    from cuda.bindings import driver
    from cuda.core import Device

    pytestmark = pytest.mark.fakecuda(leaks="error")

    def use():
        device = Device(0)
        device.set_current()
        stream = device.create_stream()
        device.allocate(64, stream=stream).close()
        stream.close()
        SEEN.append([leak.kind for leak in fakecuda.leaks(kept=True) if "reference" in leak.text])

    def test_kept(fakecuda):
        use()
        thread = threading.Thread(target=use)
        thread.start()
        thread.join()
        assert SEEN == [["kept"], ["kept", "kept"]]
        fakecuda.assert_no_leaks()

    def test_kept_from_an_earlier_machine(fakecuda):
        pass

    def test_retained(fakecuda):
        use()
        driver.cuDevicePrimaryCtxRetain(0)

    def test_stream(fakecuda):
        Device(0).set_current()
        KEPT.append(Device(0).create_stream())

    KEPT, SEEN = [], []
"""
    )
    done = suite.run(door="native")
    assert done.counts == {"PASSED": 4, "ERROR": 2}, done.out
    assert "ERROR test_it.py::test_retained - Failed: left behind: 1 retain" in done.lines
    assert "ERROR test_it.py::test_stream - Failed: left behind: 1 stream" in done.lines


@needs_native
def test_access_between_contexts_that_libraries_keep_is_kept(suite: Suite) -> None:
    """It ends with them, and the program cannot end them. Access of a context that the program made or retains counts."""
    pytest.importorskip("cuda.core")
    suite.write(
        test_it="""
    import pytest
    from cuda.bindings import driver
    from cuda.core import Device

    pytestmark = pytest.mark.fakecuda(profile="h200-x2", leaks="error")

    def kept():
        contexts = []
        for number in (1, 0):
            Device(number).set_current()
            contexts.append(driver.cuCtxGetCurrent()[1])
        return contexts[::-1]

    def enable(peer):
        assert driver.cuCtxEnablePeerAccess(peer, 0) == (0,)

    def test_kept(fakecuda):
        first, second = kept()
        enable(second)
        assert [leak.text for leak in fakecuda.leaks()] == []
        assert [leak.text[:9] for leak in fakecuda.leaks(kept=True)].count("access of") == 1

    @pytest.mark.fakecuda(leaks_allowed=["retain"], profile="h200-x2", leaks="error")
    def test_retained(fakecuda):
        first, second = kept()
        driver.cuDevicePrimaryCtxRetain(1)
        enable(second)

    @pytest.mark.fakecuda(leaks_allowed=["context"], profile="h200-x2", leaks="error")
    def test_made(fakecuda):
        first, second = kept()
        made = driver.cuCtxCreate(None, 0, 0)[1]
        enable(second)

    @pytest.mark.fakecuda(leaks_allowed=["context"], profile="h200-x2", leaks="error")
    def test_access_to_a_made_one(fakecuda):
        first, second = kept()
        made = driver.cuCtxCreate(None, 0, 1)[1]
        driver.cuCtxSetCurrent(first)
        enable(made)

    def test_without_a_library(fakecuda):
        driver.cuInit(0)
        for number in (1, 0):
            driver.cuCtxSetCurrent(driver.cuDevicePrimaryCtxRetain(number)[1])
        enable(driver.cuDevicePrimaryCtxRetain(1)[1])
"""
    )
    done = suite.run(door="native")
    assert done.counts == {"PASSED": 5, "ERROR": 4}, done.out
    for name in ("retained", "made", "access_to_a_made_one"):
        assert f"ERROR test_it.py::test_{name} - Failed: left behind: 1 peer" in done.lines
