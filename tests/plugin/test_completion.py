"""The mark's argument ``completion``: a forgotten synchronisation shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("cuda.bindings.driver")

if TYPE_CHECKING:
    from .conftest import Suite

CODE = """
    import pytest
    from cuda.bindings import driver

    def ok(answer):
        code, *values = answer
        assert code == 0, code
        return values[0] if values else None

    def fill(pinned, *, forgetful):
        # Write 4 bytes of ones for the host, and wait for them unless somebody has forgotten to.
        stream, event = ok(driver.cuStreamCreate(1)), ok(driver.cuEventCreate(0))
        ok(driver.cuStreamWriteValue32(stream, int(pinned), 0x01010101, 0))
        ok(driver.cuEventRecord(event, stream))
        if not forgetful:
            ok(driver.cuStreamSynchronize(stream))
        return event

    @pytest.fixture
    def pinned(fakecuda):
        ok(driver.cuInit(0))
        ok(driver.cuCtxSetCurrent(ok(driver.cuDevicePrimaryCtxRetain(0))))
        return ok(driver.cuMemAllocHost(4))

    def written(pinned):
        import ctypes
        return ctypes.string_at(int(pinned), 4) == bytes([1, 1, 1, 1])

    def test_eager(pinned):
        event = fill(pinned, forgetful=True)
        assert driver.cuEventQuery(event) == (0,)
        assert written(pinned)

    @pytest.mark.fakecuda(completion="manual")
    class TestManual:
        def test_forgotten(self, pinned):
            event = fill(pinned, forgetful=True)
            assert driver.cuEventQuery(event) == (driver.CUresult.CUDA_ERROR_NOT_READY,)
            assert not written(pinned)

        def test_waited_for(self, pinned):
            event = fill(pinned, forgetful=False)
            assert driver.cuEventQuery(event) == (0,)
            assert written(pinned)

        def test_by_hand(self, fakecuda, pinned):
            event = fill(pinned, forgetful=True)
            fakecuda.machine.complete()
            assert driver.cuEventQuery(event) == (0,)
            assert written(pinned)

    def test_without_a_mark():
        import fakecuda
        with fakecuda.simulate(completion="manual") as machine:
            assert machine.scheduler.manual

    @pytest.mark.fakecuda(completion="late")
    def test_another(fakecuda):
        raise AssertionError
"""


@pytest.mark.parametrize("door", ["lookalike", ""])
def test_a_forgotten_synchronisation_shows(suite: Suite, door: str) -> None:
    """Work that nobody waits for is not done: its event is not ready, its bytes are not there; through either door."""
    suite.write(test_it=CODE)
    done = suite.run(door=door)
    assert done.counts == {"PASSED": 5, "ERROR": 1}, done.out
    assert "completion='late' is not a way to complete work: use completion='eager' or completion='manual'" in done.out
