"""Calls that wait for each other fail their test, wherever they are made; what a test catches on purpose does not.

No machine here has a wait timeout that ends in time: a deadlock that is not proved hangs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from .conftest import Outcome, Suite

pytest.importorskip("cuda.bindings.driver")

RANKS = """
    import ctypes, time
    from cuda.bindings import driver as cu

    def ok(answer):
        code, *results = answer
        assert int(code) == 0, code
        return results[0] if results else None

    def begin():
        ok(cu.cuInit(0))
        ok(cu.cuCtxSetCurrent(ok(cu.cuDevicePrimaryCtxRetain(0))))

    def place():
        begin()
        found = int(ok(cu.cuMemAlloc(4)))
        ok(cu.cuMemsetD8(found, 0, 4))
        ok(cu.cuCtxSynchronize())
        return found

    def wait(at):
        begin()
        stream = ok(cu.cuStreamCreate(1))
        ok(cu.cuStreamWaitValue32(stream, at, 1, 0))
        return cu.cuStreamSynchronize(stream)

    def write(at):
        begin()
        ok(cu.cuStreamWriteValue32(ok(cu.cuStreamCreate(1)), at, 1, 0))

    def rank():
        ok(wait(place()))
"""
"""The imports of a child, which are a third of its cost."""
WORLD = (
    """
    import asyncio, ctypes, multiprocessing, subprocess, sys, threading, time
    from concurrent.futures import ThreadPoolExecutor
    import pytest

    import fakecuda as module
    from fakecuda import EndlessWait

    # A dying thread formats its traceback, and parses sources for that: Python 3.11 cannot do so in two threads at a time.
    threading.excepthook = lambda _: None
    pytestmark = pytest.mark.fakecuda(wait_timeout=3600)
    FUNCTION = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
"""
    + RANKS
)
IN_THREADS = """
    def test_threads(fakecuda):
        threads = [threading.Thread(target=wait, args=(place(),)) for _ in range(2)]
        for one in threads: one.start()
        for one in threads: one.join()

    def test_joins_that_are_longer_than_the_wait_timeout(fakecuda):
        threads = [threading.Thread(target=wait, args=(place(),)) for _ in range(2)]
        for one in threads: one.start()
        for one in threads: one.join(36000)

    def test_executor_whose_futures_are_dropped(fakecuda):
        with ThreadPoolExecutor(2) as pool:
            pool.submit(wait, place())
            pool.submit(wait, place())

    def test_event_that_comes_behind_the_wait(fakecuda):
        at, event = place(), threading.Event()
        def help():
            event.wait()
            write(at)
        thread = threading.Thread(target=help)
        thread.start()
        try:
            ok(wait(at))
        finally:
            event.set()
            thread.join()

    def test_barrier(fakecuda):
        at, barrier = place(), threading.Barrier(2)
        def help():
            try:
                ok(wait(at))
                barrier.wait()
            finally:
                barrier.abort()
        thread = threading.Thread(target=help)
        thread.start()
        barrier.wait()

    def test_to_thread(fakecuda):
        async def main():
            await asyncio.gather(asyncio.to_thread(wait, place()), asyncio.to_thread(wait, place()))
        asyncio.run(main())

    def test_swallowed(fakecuda):
        def quiet():
            try:
                wait(at)
            except Exception:
                pass
        at = place()
        thread = threading.Thread(target=quiet)
        thread.start()
        thread.join()
"""
RIGHT = """
    @pytest.mark.parametrize("pause", [0, 0.3])
    def test_helper(fakecuda, pause):
        at = place()
        def help():
            time.sleep(pause)
            write(at)
        thread = threading.Thread(target=help)
        thread.start()
        ok(wait(at))
        thread.join()

    def test_join_with_a_limit(fakecuda):
        at = place()
        thread = threading.Thread(target=wait, args=(at,))
        thread.start()
        thread.join(0.3)
        write(at)
        thread.join()

    def test_event_with_a_limit(fakecuda):
        at, event = place(), threading.Event()
        def help():
            event.wait(0.3)
            write(at)
        thread = threading.Thread(target=help)
        thread.start()
        ok(wait(at))
        thread.join()

    def test_process_with_a_limit(fakecuda):
        at = place()
        def help():
            try:
                subprocess.run(["sleep", "36000"], timeout=0.3)
            except subprocess.TimeoutExpired:
                write(at)
        thread = threading.Thread(target=help)
        thread.start()
        ok(wait(at))
        thread.join()

    def test_process_that_ends(fakecuda):
        at = place()
        def help():
            subprocess.run(["sleep", "0.3"])
            write(at)
        thread = threading.Thread(target=help)
        thread.start()
        ok(wait(at))
        thread.join()

    def test_loop_with_a_timer(fakecuda):
        at = place()
        async def main():
            waiting = asyncio.create_task(asyncio.to_thread(wait, at))
            await asyncio.sleep(0.3)
            write(at)
            await waiting
        asyncio.run(main())
"""
CAUGHT = """
    def test_raises(fakecuda):
        with pytest.raises(EndlessWait, match="no other thread or process can end the wait"):
            wait(place())

    def test_raises_in_a_thread(fakecuda):
        def expects():
            with pytest.raises(module.EndlessWait):
                wait(place())
        thread = threading.Thread(target=expects)
        thread.start()
        thread.join()

    def test_future(fakecuda):
        with ThreadPoolExecutor(1) as pool:
            future = pool.submit(wait, place())
            with pytest.raises(EndlessWait):
                future.result()

    def test_except(fakecuda):
        found = []
        def catches():
            try:
                wait(at)
            except EndlessWait as error:
                found.append(error.deadlock)
        at = place()
        thread = threading.Thread(target=catches)
        thread.start()
        thread.join()
        assert str(found[0]).startswith("deadlock: 1 call waits and can never return")

    def test_expected(fakecuda):
        at = place()
        thread = threading.Thread(target=wait, args=(at,))
        with fakecuda.expect_deadlock() as came:
            thread.start()
            thread.join()
        assert len(came) == 1
        with fakecuda.expect_deadlock():
            wait(at)

    def test_expected_and_none(fakecuda):
        with pytest.raises(AssertionError, match="expected a deadlock, but there was none"), fakecuda.expect_deadlock():
            pass

    def test_none_is_installed():
        with pytest.raises(module.FakeCudaError, match="needs a simulated machine"), module.expect_deadlock():
            pass
"""


def told(done: Outcome, test: str) -> str:
    """Return what a run says of a test that has failed."""
    return done.plain.partition(f"_ {test} _")[2].partition("\n____")[0].partition("\n====")[0]


@pytest.mark.parametrize(
    "door", ["lookalike", pytest.param("native", marks=pytest.mark.skipif(not NATIVE, reason=NEEDS))]
)
def test_deadlocks_in_threads(suite: Suite, door: str) -> None:
    """Each fails its test at once, by one report."""
    suite.write(test_it=WORLD + IN_THREADS)
    done = suite.run("-W", "ignore", door=door, fresh=True)
    assert done.counts == {"FAILED": 7}, done.out
    report = told(done, "test_threads")
    assert "EndlessWait: deadlock: 2 calls wait and can never return\n" in report
    assert report.count("waits      cuStreamSynchronize in thread") == 2
    assert report.count("in wait\n        for ") == 4
    assert "for      the end of thread Thread-" in report
    assert "fix        write the value before the wait at " in report
    assert "CALL_IS_ANSWERED" not in done.out
    longer = told(done, "test_joins_that_are_longer_than_the_wait_timeout")
    assert "2 calls wait and cannot return before the machine's time limit for waits (wait_timeout) is over" in longer
    assert "for      the result of a future" not in told(done, "test_executor_whose_futures_are_dropped")
    assert "for      a threading.Barrier" in told(done, "test_barrier")
    assert "for      another thread of its process, in an event loop" in told(done, "test_to_thread")


def test_correct_programs_of_the_same_shape(suite: Suite) -> None:
    """A helper that sleeps, or waits with a limit, is no member; a call that waits for it goes on."""
    suite.write(test_it=WORLD + RIGHT)
    done = suite.run(door="", fresh=True)
    assert done.counts == {"PASSED": 7}, done.out


def test_what_is_caught_on_purpose(suite: Suite) -> None:
    """By a function that names the exception, in whatever thread; or it is expected by a block."""
    suite.write(test_it=WORLD + CAUGHT)
    done = suite.run("-W", "ignore", fresh=True)
    assert done.counts == {"PASSED": 7}, done.out


@pytest.mark.skipif(not NATIVE, reason=NEEDS)
def test_deadlocks_of_host_functions_and_of_c(suite: Suite) -> None:
    """A host function that takes a lock of the thread that waits for it, or waits itself; calls by ctypes in a thread."""
    suite.write(
        test_it=WORLD
        + """
    @pytest.mark.parametrize("kind", [threading.Lock, threading.RLock], ids=["lock", "rlock"])
    def test_lock(fakecuda, kind):
        begin()
        stream, lock = ok(cu.cuStreamCreate(1)), kind()
        def takes(_):
            with lock: pass
        function = FUNCTION(takes)
        with lock:
            ok(cu.cuLaunchHostFunc(stream, ctypes.cast(function, ctypes.c_void_p).value, 0))
            ok(cu.cuStreamSynchronize(stream))

    def test_call(fakecuda):
        at = place()
        stream = ok(cu.cuStreamCreate(1))
        function = FUNCTION(lambda _: cu.cuStreamSynchronize(stream) and None)
        other = ok(cu.cuStreamCreate(1))
        ok(cu.cuStreamWaitValue32(stream, at, 1, 0))
        ok(cu.cuLaunchHostFunc(other, ctypes.cast(function, ctypes.c_void_p).value, 0))
        assert ok(cu.cuStreamSynchronize(other)) is None

    def test_in_c(fakecuda):
        at, answers = place(), []
        stream = ok(cu.cuStreamCreate(1))
        ok(cu.cuStreamWaitValue32(stream, at, 1, 0))
        library = ctypes.CDLL("libcuda.so.1")
        thread = threading.Thread(target=lambda: answers.append(library.cuStreamSynchronize(ctypes.c_void_p(int(stream)))))
        thread.start()
        thread.join()
        assert answers == [999]

    def test_join_within_a_function(fakecuda):
        at = place()
        thread = threading.Thread(target=wait, args=(at,))
        function = FUNCTION(lambda _: thread.start() or thread.join())
        other = ok(cu.cuStreamCreate(1))
        ok(cu.cuLaunchHostFunc(other, ctypes.cast(function, ctypes.c_void_p).value, 0))
        cu.cuStreamSynchronize(other)
"""
    )
    done = suite.run("-W", "ignore", door="native", fresh=True)
    assert done.counts == {"FAILED": 5}, done.out
    locked = told(done, "test_lock[lock]")
    assert "for      a lock, which another thread of its process lets go" in locked
    assert "fix        let the host function return" in locked
    assert "CALL_IS_ANSWERED" not in done.out
    assert "EndlessWait: deadlock: 1 call waits and can never return" in told(done, "test_in_c")


def test_simulate_raises_it_at_the_end(suite: Suite) -> None:
    """Also without the fixture; an exception that is under way gets it as a note."""
    suite.write(
        test_it=WORLD
        + """
    def beside(*places):
        for at in places or (place(),):
            thread = threading.Thread(target=wait, args=(at,))
            thread.start()
            thread.join()

    def test_raised():
        with pytest.raises(EndlessWait, match="deadlock: 1 call waits"), module.simulate(wait_timeout=3600):
            beside()

    def test_several():
        with pytest.raises(EndlessWait, match="deadlock: 1 call waits") as caught, module.simulate(wait_timeout=3600):
            beside(place(), place())
        assert [note[:30] for note in caught.value.__notes__] == ["and then: deadlock: 1 call wai"]

    def test_noted():
        with pytest.raises(KeyError) as caught, module.simulate(wait_timeout=3600):
            beside()
            raise KeyError
        assert [note[:21] for note in caught.value.__notes__] == ["deadlock: 1 call wait"]

    def test_own():
        with pytest.raises(EndlessWait) as caught, module.simulate(wait_timeout=3600):
            wait(place())
        assert not hasattr(caught.value, "__notes__")
"""
    )
    done = suite.run("-W", "ignore", fresh=True)
    assert done.counts == {"PASSED": 4}, done.out
