"""A suite's last test costs what its first did: of tests that have ended the plugin keeps nothing but what it tells in the end."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Suite

pytestmark = pytest.mark.long("what grows does so slowly")

CONFTEST = """
    from fakecuda.reach.install import past_machines
    from fakecuda.reach.remote.owner import rendezvous

    past_machines.KEPT = rendezvous.REMEMBERED = 10
"""
TESTS = """
    import collections, gc, os, tempfile, threading
    import pytest
    from cuda.bindings import driver

    COUNTS = []

    def held():
        gc.collect()
        ours = collections.Counter(
            type(one).__qualname__ for one in gc.get_objects() if str(type(one).__module__).startswith("fakecuda.")
        )
        folder = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith("fakecuda-")]
        return ours, len(os.listdir("/proc/self/fd")), threading.active_count(), len(folder)

    @pytest.mark.parametrize("number", range({count}))
    def test_one(fakecuda, number):
        assert not int(driver.cuInit(0)[0])
        context = driver.cuCtxCreate(None, 0, 0)[1]
        memory = driver.cuMemAlloc(4096)[1]
        driver.cuIpcGetMemHandle(memory)
        driver.cuStreamCreate(1)
        assert int(driver.cuMemFree(4096 + number)[0])
        a, b = fakecuda.spawn(), fakecuda.spawn()
        assert a.c.cuInit(0) == (0,)
        COUNTS.append(held())

    def test_last():
        early, late = COUNTS[len(COUNTS) // 2], COUNTS[-1]
        assert late == early, (late[0] - early[0], late[1:], early[1:])
"""


@pytest.mark.parametrize(
    "door", ["lookalike", pytest.param("native", marks=pytest.mark.skipif(not NATIVE, reason=NEEDS))]
)
def test_nothing_grows(suite: Suite, tmp_path: Path, door: str) -> None:
    """Neither objects of ours, nor descriptors, threads or directories."""
    suite.environ["TMPDIR"] = str(tmp_path)
    suite.write(conftest=CONFTEST, test_it=TESTS.replace("{count}", "60"))
    outcome = suite.run(door=door)
    assert outcome.code == 0, outcome.out


@pytest.mark.long("ten thousand tests; another one sees sixty")
def test_nothing_grows_in_ten_thousand_tests(suite: Suite, tmp_path: Path) -> None:
    """Of machines that are remembered as many as ever."""
    suite.environ["TMPDIR"] = str(tmp_path)
    suite.write(
        test_it=TESTS.replace("{count}", "10_000").replace(
            "COUNTS.append(held())", "number % 500 or COUNTS.append(held())"
        )
    )
    outcome = suite.run()
    assert outcome.code == 0, outcome.out
