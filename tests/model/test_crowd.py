"""Many threads, signals and processes at once: a short form of ``python -m conformance.fuzz.threads``, and what it must find.

Each runs in a child that measures no coverage: what measures it is slow with signals, and keeps its lock where a handler raises.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys

import pytest

from fakecuda.reach.native.stubs import NATIVE, NEEDS

SEED = 16
RUN = """
from conformance.fuzz.threads import tried
from fakecuda.reach.bindings.c import CLevel
{planted}
trials = tried({door!r}, {seed}, threads={threads}, calls=60)
print([trials.counts["threads"], trials.outcomes["SUCCESS"], trials.wrong])
"""
COLLECTOR_OFF = """
import gc
def call(_):
    gc.disable()
    return (0, 0, 0)
CLevel.cuMemGetInfo = call
"""
FOREIGN_EXCEPTION = """
def call(_):
    raise KeyError
CLevel.cuMemGetInfo = call
"""


def told(door: str, threads: int = 16, planted: str = "") -> tuple[int, int, list[str]]:
    """Return how many threads have ended, how many calls have succeeded, and what does not hold."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("COV")}
    code = RUN.format(door=door, seed=SEED, threads=threads, planted=planted)
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environ)
    assert done.returncode == 0, done.stderr
    ended, succeeded, wrong = ast.literal_eval(done.stdout)
    return ended, succeeded, wrong


@pytest.mark.long("what threads and signals meet is chance: .ci/long looks for it, each commit sees the planted bugs")
@pytest.mark.parametrize(
    "door", ["operations", "lookalike", pytest.param("native", marks=pytest.mark.skipif(not NATIVE, reason=NEEDS))]
)
def test_a_crowd_leaves_a_machine_whole(door: str) -> None:
    """Calls answer or raise what is documented, and every thread tells how it ended."""
    threads, succeeded, wrong = told(door)
    assert not wrong
    assert threads == 16
    assert succeeded > 100


def test_a_collector_that_stays_off_is_found() -> None:
    """As where a call that a handler ends does not put it back."""
    assert told("operations", 4, COLLECTOR_OFF)[2] == ["the collector is not as it was"]


def test_a_thread_that_dies_is_found() -> None:
    """By an exception that no call may raise."""
    assert any("KeyError" in line for line in told("operations", 4, FOREIGN_EXCEPTION)[2])
