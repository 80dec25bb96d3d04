"""What a test that leaves a context behind costs beside one that does not, in a small suite and in a large one."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .effort import EFFORT

SMALL, LARGE = 100, 20_000
"""How many tests the suites have; as many of each run as the small one has."""
ROUNDS = 3
LIMIT = 5e-3
"""Seconds of CPU that a leak may cost its test."""
GROWTH = 1.5
"""What a leaking test of the large suite may take, by what one of the small suite takes."""
SUITE = """
import time
import pytest
from cuda.bindings import driver as d

WARM, RUN, TIMES = {warm}, {run}, []

@pytest.mark.parametrize("number", range({tests}))
def test_it(fakecuda, number):
    TIMES.append(time.process_time())
    d.cuInit(0)
    context = d.cuCtxCreate(None, 0, 0)[1]
    if not {leaks}:
        d.cuCtxDestroy(context)
    if number == RUN - 1:
        with open("spent", "w") as file:
            file.write(str((TIMES[-1] - TIMES[WARM]) / (RUN - 1 - WARM)))
        pytest.exit("enough", 0)
"""
COMMAND = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "fakecuda.plugin", "--fakecuda-door=lookalike")


def left_behind() -> tuple[float, float]:
    """Return what a leak costs a test of the large suite, in seconds, and a leaking test there by one of the small suite."""
    run = EFFORT.of(SMALL, 10)
    large = EFFORT.of(LARGE, 10)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pytest.ini").write_text("[pytest]\n")
        rounds = [
            [_spent(folder, tests, run, leaks=leaks) for tests, leaks in ((large, True), (large, False), (run, True))]
            for _ in range(EFFORT.of(ROUNDS))
        ]
    leaking, clean, small = (min(values) for values in zip(*rounds, strict=True))
    return leaking - clean, leaking / small


def _spent(folder: Path, tests: int, run: int, *, leaks: bool) -> float:
    """Return the seconds of CPU that each of the first tests of a suite takes."""
    (folder / "test_it.py").write_text(SUITE.format(tests=tests, run=run, warm=run // 5, leaks=leaks))
    root = str(Path(__file__).parents[1])
    environ = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": root}
    subprocess.run([sys.executable, *COMMAND], cwd=folder, env=environ, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own interpreter
    return float((folder / "spent").read_text())
