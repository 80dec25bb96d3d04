"""The cost of a leaked context for its test, in a small and in a large suite."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from .effort import EFFORT

SMALL, LARGE = 100, 20_000
"""Numbers of tests in the suites. In each, as many tests run as the small one has."""
ROUNDS = 3
LIMIT = 5e-3
"""Maximum CPU time in seconds that a leak may cost its test."""
GROWTH = 1.5
"""Maximum time of a leaking test in the large suite, relative to the small suite."""
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
    """Return a leak's cost in a large suite, and its ratio to a small suite.

    The cost is in seconds. The ratio compares a leaking test's times in the two suites.
    """
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
    """Return the CPU time of each of the first tests of a suite, in seconds."""
    (folder / "test_it.py").write_text(SUITE.format(tests=tests, run=run, warm=run // 5, leaks=leaks))
    root = str(Path(__file__).parents[1])
    environ = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": root}
    subprocess.run([sys.executable, *COMMAND], cwd=folder, env=environ, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own interpreter
    return float((folder / "spent").read_text())
