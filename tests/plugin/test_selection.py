"""What a test is answered depends on no other test: addresses, handles and times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

pytest.importorskip("cuda.bindings.driver")

if TYPE_CHECKING:
    from .conftest import Suite

VALUES = """
    import ctypes
    import pytest
    import fakecuda as module
    from cuda.bindings import driver

    @pytest.fixture(scope="module")
    def machine_for_all():
        with module.Machine("h200") as machine:
            values(machine.spawn().driver)
            yield machine

    def values(made):
        made.cuInit(0)
        context = int(made.cuCtxCreate(None, 0, 0)[1])
        pointer = made.cuMemAlloc(4096)[1]
        handle = made.cuIpcGetMemHandle(pointer)[1]
        start, end = made.cuEventCreate(0)[1], made.cuEventCreate(0)[1]
        made.cuEventRecord(start, 0)
        made.cuMemsetD8(pointer, 1, 4096)
        made.cuEventRecord(end, 0)
        return context, int(pointer), ctypes.string_at(handle.getPtr(), 8).hex(), made.cuEventElapsedTime(start, end)[1]

    def test_a(machine_for_all, fakecuda):
        print("\\nVALUES", values(driver))

    def test_b(machine_for_all, fakecuda):
        own = [module.Machine().spawn().driver for _ in range(2)]
        print("\\nVALUES", values(driver), values(own[0]), values(own[1]))
"""


def test_a_selection_of_tests_changes_nothing(suite: Suite) -> None:
    """A test alone is answered what it is behind others, by the fixture's machine and by its own."""
    suite.write(test_it=VALUES)
    whole, alone = suite.run("-s", door=""), suite.run("-s", "-k", "test_b", door="")
    assert (whole.counts, alone.counts) == ({"PASSED": 2}, {"PASSED": 1}), whole.out
    found = [[line for line in run.out.splitlines() if line.startswith("VALUES")] for run in (whole, alone)]
    assert found[0][1:] == found[1]
    assert len({value for line in found[0] for value in line.split() if value.startswith("(")}) == 4


def test_a_test_that_runs_again_is_answered_the_same(suite: Suite) -> None:
    """Its machines are counted anew."""
    suite.write(
        conftest="""
            from _pytest.runner import runtestprotocol

            def pytest_runtest_protocol(item, nextitem):
                for _ in range(2):
                    item._initrequest()
                    for report in runtestprotocol(item, nextitem=nextitem, log=False):
                        item.ihook.pytest_runtest_logreport(report=report)
                return True
        """,
        test_it="""
            import fakecuda as module

            def test_it():
                print("VALUES", module.Machine().random_bytes(8).hex(), module.Machine().random_bytes(8).hex())
        """,
    )
    done = suite.run("-s")
    lines = [line[line.index("VALUES") :] for line in done.out.splitlines() if "VALUES" in line]
    assert len(lines) >= 2, done.out
    assert len(set(lines)) == 1, done.out
    first, second = lines[0].split()[1:3]
    assert first != second


def test_the_report_tells_what_was_drawn_again(suite: Suite) -> None:
    """Beside the last calls of a test that failed."""
    suite.write(
        test_it="""
            import pytest
            import fakecuda as module

            @pytest.fixture
            def other(request):
                with module.Machine(seed=7) as machine:
                    a = machine.spawn().c
                    a.cuInit(0)
                    a.cuCtxCreate(None, 0, 0)
                    yield machine

            @pytest.mark.fakecuda(seed=7)
            def test_it(other, fakecuda):
                a = fakecuda.spawn().c
                a.cuInit(0)
                a.cuCtxCreate(None, 0, 0)
                assert len(fakecuda.machine.notes) == 1
                assert not other.notes
                raise ValueError
        """
    )
    done = suite.run()
    assert "ValueError" in done.out
    assert "note: the handles at 0x" in done.out
    assert "belong to another machine, so fakecuda chose others" in done.out


def test_the_clock_is_virtual_unless_it_is_marked(suite: Suite) -> None:
    """The test advances it; a real one is the system's."""
    suite.write(
        test_it="""
            import time
            import pytest
            from cuda.bindings import driver

            def elapsed(advance):
                driver.cuInit(0)
                driver.cuCtxCreate(None, 0, 0)
                start, end = driver.cuEventCreate(0)[1], driver.cuEventCreate(0)[1]
                driver.cuEventRecord(start, 0)
                advance(0.05)
                driver.cuEventRecord(end, 0)
                return driver.cuEventElapsedTime(start, end)[1]

            def test_virtual(fakecuda):
                assert elapsed(time.sleep) == pytest.approx(0.0005)
                assert elapsed(fakecuda.machine.clock.advance) == pytest.approx(50.0005)

            @pytest.mark.fakecuda(clock="real")
            def test_real(fakecuda):
                assert elapsed(time.sleep) >= 50

            @pytest.mark.fakecuda(clock="wall")
            def test_unknown(fakecuda):
                pass
        """
    )
    done = suite.run()
    assert done.counts == {"PASSED": 2, "ERROR": 1}, done.out
    assert "clock='wall' is not a kind of clock: use clock='virtual' or clock='real'" in done.out
