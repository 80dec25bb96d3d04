"""Deadlocks of processes that a test starts, and on a worker of xdist: one report for all that wait."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS
from tests.plugin.test_deadlock import RANKS, WORLD, told

if TYPE_CHECKING:
    from .conftest import Suite

pytest.importorskip("cuda.bindings.driver")


@pytest.mark.skipif(not NATIVE, reason=NEEDS)
def test_deadlocks_of_processes(suite: Suite) -> None:
    """Ranks that are spawned, forked or run; one report for all, also if the test has killed them."""
    suite.write(
        ranks=RANKS,
        test_it=WORLD
        + """
    from ranks import rank

    @pytest.mark.parametrize("how", ["spawn", "fork", "forkserver"])
    def test_ranks(fakecuda, how):
        context = multiprocessing.get_context(how)
        ranks = [context.Process(target=rank) for _ in range(2)]
        for one in ranks: one.start()
        for one in ranks: one.join()

    @pytest.mark.parametrize("pipe", [{}, {"stderr": subprocess.PIPE}, {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}])
    def test_programs(fakecuda, pipe):
        subprocess.run([sys.executable, "-c", "from ranks import *; rank()"], **pipe)

    def test_a_thread_and_a_process(fakecuda):
        thread = threading.Thread(target=wait, args=(place(),))
        thread.start()
        subprocess.run([sys.executable, "-c", "from ranks import *; rank()"])
        thread.join()

    def test_killed(fakecuda):
        ranks = [multiprocessing.get_context("spawn").Process(target=rank) for _ in range(2)]
        for one in ranks: one.start()
        while len(fakecuda.machine.scheduler.census.waiting) < 2: time.sleep(0.01)
        ranks[0].join(1)
        for one in ranks:
            one.kill()
            one.join()
        assert [one.exitcode for one in ranks] == [0, 0]

    def test_killed_and_right(fakecuda):
        one = multiprocessing.get_context("spawn").Process(target=rank)
        one.start()
        while not fakecuda.machine.scheduler.census.waiting: time.sleep(0.01)
        one.join(0.3)
        one.kill()
        one.join()

    HELPS = (
        "import sys; from ranks import *; begin(); time.sleep(0.5); handle = cu.CUipcMemHandle();"
        "ctypes.memmove(handle.getPtr(), bytes.fromhex(sys.argv[1]), 64); at = int(ok(cu.cuIpcOpenMemHandle(handle, 1)));"
        "write(at); ok(cu.cuCtxSynchronize())"
    )

    def test_the_other_rank_helps(fakecuda):
        at = place()
        shared = ctypes.string_at(ok(cu.cuIpcGetMemHandle(at)).getPtr(), 64)
        with subprocess.Popen([sys.executable, "-c", HELPS, shared.hex()]) as other:
            ok(wait(at))
        assert other.returncode == 0
""",
    )
    done = suite.run("-W", "ignore", door="native", fresh=True)
    assert done.counts == {"FAILED": 8, "PASSED": 2}, done.out
    report = told(done, "test_ranks[spawn]")
    assert report.count("EndlessWait: deadlock: 2 calls wait and can never return\n") == 1
    assert report.count("\n      waits      cuStreamSynchronize in thread") == 2
    assert report.count("\n        process  pid ") == 2
    assert "for      the end of OS process" in report
    assert "CALL_IS_ANSWERED" not in done.out
    killed = told(done, "test_killed")
    assert (
        killed.count("deadlock: 2 calls waited and could not return, while other calls waited for a limited time") == 1
    )
    assert killed.index("Captured fakecuda deadlock") < killed.index("Captured fakecuda call")


WORKER = """
    go = threading.Event()

    def older():
        while True:
            time.sleep(0.01)
            if go.is_set():
                place_to_write and write(place_to_write.pop())
                return

    place_to_write = []

    @pytest.fixture(scope="module")
    def helper():
        thread = threading.Thread(target=older)
        thread.start()
        yield
        go.set()
        thread.join()

    def test_proved(fakecuda):
        with pytest.raises(EndlessWait, match="can end the wait"):
            wait(place())

    def test_in_threads(fakecuda):
        threads = [threading.Thread(target=wait, args=(place(),)) for _ in range(2)]
        for one in threads: one.start()
        for one in threads: one.join()

    def test_helped(helper, fakecuda):
        place_to_write.append(place())
        threading.Timer(0.3, go.set).start()
        ok(wait(*place_to_write))
"""


def test_a_worker_of_xdist_proves_deadlocks(suite: Suite) -> None:
    """Its receiver is no helper; an equally old thread that has not called the machine yet is a helper."""
    suite.write(test_it=WORLD + WORKER)
    done = suite.run("-W", "ignore", "-n", "1", fresh=True)
    assert done.counts == {"PASSED": 2, "FAILED": 1}, done.out
    assert "EndlessWait: deadlock: 2 calls wait and can never return" in told(done, "test_in_threads")
