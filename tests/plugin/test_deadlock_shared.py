"""Deadlocks on the one machine of all workers fail the test whose process, or whose children, wait; no other test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS

from .test_deadlock import RANKS, WORLD, told
from .test_shared import WORKERS

pytest.importorskip("cuda.bindings.driver")

if TYPE_CHECKING:
    from .conftest import Suite

pytestmark = pytest.mark.skipif(not NATIVE, reason=NEEDS)
LIMITED = """
    from functools import partial
    from fakecuda.testing import xdist
    # The machine's wait timeout is the session's.
    xdist.Machine = partial(xdist.Machine, wait_timeout={})
"""
PATIENT = LIMITED.format(36000)
"""A wait timeout so long that only a proof ends a wait."""
IMPATIENT = LIMITED.format(1)
"""A wait timeout that ends waits without a proof."""
TESTS = '''
    from ranks import rank

    CHILD = "from ranks import *; rank()"

    def run(program=CHILD):
        return subprocess.run([sys.executable, "-c", program], stderr=subprocess.DEVNULL)

    def test_child(fakecuda):
        begin()
        run()

    def test_child_alone(fakecuda):
        run()

    def test_child_before(fakecuda):
        run()
        begin()

    def test_fork(fakecuda):
        pid = os.fork()
        if not pid:
            try:
                rank()
            finally:
                os._exit(0)
        os.waitpid(pid, 0)

    def test_swallowed(fakecuda):
        try:
            rank()
        except Exception:
            pass

    def test_raised(fakecuda):
        rank()

    def test_two_children(fakecuda):
        ranks = [multiprocessing.get_context("spawn").Process(target=rank) for _ in range(2)]
        for one in ranks: one.start()
        for one in ranks: one.join()

    def test_caught(fakecuda):
        with pytest.raises(EndlessWait) as caught:
            rank()
        assert str(caught.value.deadlock).startswith("deadlock: 1 call waits and can never return")

    def test_expected(fakecuda):
        with fakecuda.expect_deadlock() as came:
            run()
        assert len(came) == 1
        assert "ranks" in str(came[0])
        with fakecuda.expect_deadlock() as came:
            rank()
        assert len(came) == 1

    def test_expected_and_none(fakecuda):
        begin()
        with pytest.raises(AssertionError, match="expected a deadlock, but there was none"), fakecuda.expect_deadlock():
            run("from ranks import *; begin()")

    CATCHES = """
    import sys
    from ranks import *
    from fakecuda import EndlessWait
    try:
        rank()
    except EndlessWait as error:
        open(sys.argv[1], "w").write(str(error.deadlock))
    """

    def test_caught_in_the_child(fakecuda, tmp_path):
        with fakecuda.expect_deadlock() as came:
            subprocess.run([sys.executable, "-c", inspect.cleandoc(CATCHES), str(tmp_path / "it")])
        assert (tmp_path / "it").read_text() == str(came[0])

    def test_right(fakecuda):
        write(place())
'''
SHARED = WORLD.replace("import asyncio,", "import inspect, os, asyncio,").replace(
    "fakecuda(wait_timeout=3600)", "fakecuda()"
)
FAILED = ("child", "child_alone", "child_before", "fork", "swallowed", "raised", "two_children")


@pytest.mark.parametrize("workers", WORKERS)
def test_deadlocks_of_children_fail_their_test(suite: Suite, workers: tuple[str, ...]) -> None:
    """By one report, which names the child and where it waits for what; a test may expect it."""
    suite.write(ranks=RANKS, conftest=PATIENT, test_it=SHARED + TESTS)
    done = suite.run("-W", "ignore", "--fakecuda-shared=h200", *workers, door="native", fresh=True)
    assert done.counts == {"FAILED": len(FAILED), "PASSED": 5}, done.out
    assert {line.partition("::test_")[2].partition(" ")[0] for line in done.lines if "FAILED" in line} == {*FAILED}
    for name in ("child", "child_alone", "child_before"):
        report = told(done, f"test_{name}")
        assert report.count("EndlessWait: deadlock: 1 call waits and can never return\n") == 1, report
        assert report.count("waits      cuStreamSynchronize in thread") == 1
        assert "from ranks import *; rank()" in report.partition("process  pid ")[2].partition("\n")[0]
        assert "in wait\n        for      stream" in report
        assert "fix        write the value before the wait at " in report
        assert "for      the end of OS process" in report
    assert "deadlock: 1 call" not in told(done, "test_raised").partition("Captured fakecuda")[2]
    assert "CALL_IS_ANSWERED" not in done.out


PROVED = """
    from ranks import rank

    @pytest.fixture(params=range(2))
    def again(request):
        return request.param

    def test_alone(fakecuda, again):
        rank()

    def test_threads(fakecuda):
        threads = [threading.Thread(target=wait, args=(place(),)) for _ in range(2)]
        for one in threads: one.start()
        for one in threads: one.join()

    def test_lock_of_a_host_function(fakecuda):
        begin()
        stream, lock = ok(cu.cuStreamCreate(1)), threading.Lock()
        def takes(_):
            with lock: pass
        function = FUNCTION(takes)
        with lock:
            ok(cu.cuLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p).value, 0))
            ok(cu.cuStreamSynchronize(stream))

    def test_child(fakecuda):
        begin()
        subprocess.run([sys.executable, "-c", "from ranks import *; rank()"], stderr=subprocess.DEVNULL)

    def test_ranks(fakecuda):
        ranks = [multiprocessing.get_context("spawn").Process(target=rank) for _ in range(2)]
        for one in ranks: one.start()
        for one in ranks: one.join()

    def test_right(fakecuda):
        at = place()
        thread = threading.Thread(target=lambda: (time.sleep(0.3), write(at)))
        thread.start()
        ok(wait(at))
        thread.join()
"""


@pytest.mark.parametrize("workers", WORKERS)
def test_a_cycle_of_one_test_is_proved(suite: Suite, workers: tuple[str, ...]) -> None:
    """Whatever other tests do: threads, a host function, children; a call that a thread ends goes on."""
    suite.write(ranks=RANKS, conftest=PATIENT, test_it=SHARED + PROVED)
    done = suite.run("-W", "ignore", "--fakecuda-shared=h200", *workers, door="native", fresh=True)
    assert done.counts == {"FAILED": 6, "PASSED": 1}, done.out
    report = told(done, "test_threads")
    assert "EndlessWait: deadlock: 2 calls wait and can never return\n" in report
    assert report.count("waits      cuStreamSynchronize in thread") == 2
    assert "fix        write the value before the wait at " in report
    assert "fix        let the host function return" in told(done, "test_lock_of_a_host_function")
    assert "EndlessWait: deadlock: 2 calls wait and can never return\n" in told(done, "test_ranks")
    assert "EndlessWait: deadlock: 1 call waits and can never return\n" in told(done, "test_child")


def test_what_may_still_come_is_waited_for(suite: Suite) -> None:
    """A thread of the test sleeps: the wait ends with the machine's limit. The report lists the calls of that test alone."""
    suite.write(
        conftest=IMPATIENT,
        test_it=SHARED
        + """
    def test_sleeper(fakecuda):
        threading.Thread(target=time.sleep, args=(36000,), daemon=True).start()
        rank()
""",
    )
    done = suite.run("-W", "ignore", "--fakecuda-shared=h200", "-n", "1", door="native", fresh=True)
    assert done.counts == {"FAILED": 1}, done.out
    report = told(done, "test_sleeper")
    assert "and nothing has ended the wait within 1 s\n" in report, report
    assert report.count("waits      cuStreamSynchronize in thread") == 1
    fix = report.partition("fix        end the wait at ")[2].partition("\n")[0]
    assert " in wait from another thread or process, or give the machine a longer time limit than" in fix


def test_a_test_of_another_worker_may_help(suite: Suite) -> None:
    """It opens the memory of this one: a wait of a test that has shared memory is not said to be endless."""
    suite.write(
        conftest=PATIENT,
        test_it=SHARED
        + """
    def test_waits(fakecuda, request):
        at = place()
        content = ctypes.string_at(ok(cu.cuIpcGetMemHandle(at)).getPtr(), 64)
        (request.config.rootpath / "part").write_bytes(content)
        (request.config.rootpath / "part").rename(request.config.rootpath / "whole")
        ok(wait(at))

    def test_helps(fakecuda, request):
        while not (request.config.rootpath / "whole").exists(): time.sleep(0.01)
        time.sleep(0.5)
        begin()
        handle = cu.CUipcMemHandle()
        ctypes.memmove(handle.getPtr(), (request.config.rootpath / "whole").read_bytes(), 64)
        write(int(ok(cu.cuIpcOpenMemHandle(handle, 1))))
        ok(cu.cuCtxSynchronize())
""",
    )
    done = suite.run("-W", "ignore", "--fakecuda-shared=h200", "-n", "2", door="native", fresh=True)
    assert done.counts == {"PASSED": 2}, done.out
