"""Deadlocks on the one machine of all workers fail the test whose process, or whose children, wait; no other test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS

from .test_deadlock import WORLD, told
from .test_shared import WORKERS

pytest.importorskip("cuda.bindings.driver")

if TYPE_CHECKING:
    from .conftest import Suite

pytestmark = pytest.mark.skipif(not NATIVE, reason=NEEDS)
IMPATIENT = """
    from functools import partial
    from fakecuda.testing import xdist
    # The machine's wait timeout is the session's: here a second is enough to see that a call waits.
    xdist.Machine = partial(xdist.Machine, wait_timeout=1)
"""
TESTS = '''
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
        assert str(caught.value.deadlock).startswith("deadlock: a call has waited for ")

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
    from ranks import *
    try:
        rank()
    except EndlessWait as error:
        print(error.deadlock)
    """

    def test_caught_in_the_child(fakecuda):
        with fakecuda.expect_deadlock() as came:
            done = subprocess.run([sys.executable, "-c", inspect.cleandoc(CATCHES)], stdout=subprocess.PIPE, text=True)
        assert done.stdout == f"{came[0]}\\n"

    def test_right(fakecuda):
        write(place())
'''
FAILED = ("child", "child_alone", "child_before", "fork", "swallowed", "raised", "two_children")


@pytest.mark.parametrize("workers", WORKERS)
def test_deadlocks_of_children_fail_their_test(suite: Suite, workers: tuple[str, ...]) -> None:
    """By one report, which names the child and where it waits for what; a test may expect it."""
    world = WORLD.replace("import asyncio,", "import inspect, os, asyncio,").replace(
        "fakecuda(wait_timeout=3600)", "fakecuda()"
    )
    suite.write(ranks=world, conftest=IMPATIENT, test_it=world + TESTS)
    done = suite.run("-W", "ignore", "--fakecuda-shared=h200", *workers, door="native", anew=True)
    assert done.counts == {"FAILED": len(FAILED), "PASSED": 5}, done.out
    assert {line.partition("::test_")[2].partition(" ")[0] for line in done.lines if "FAILED" in line} == {*FAILED}
    for name in ("child", "child_alone", "child_before"):
        report = told(done, f"test_{name}")
        assert report.count("EndlessWait: deadlock: a call has waited for 1 s without success\n") == 1, report
        assert report.count("waits      cuStreamSynchronize in thread") == 1
        assert "from ranks import *; rank()" in report.partition("process  pid ")[2].partition("\n")[0]
        assert "in wait\n        for      stream" in report
        assert (
            "fix        end the wait from another thread or process, or give the machine a longer time limit than wait_timeout=1 seconds"
            in report
        )
    assert "deadlock: a call" not in told(done, "test_raised").partition("Captured fakecuda")[2]
    assert "CALL_IS_ANSWERED" not in done.out
