"""The cost of the HTML page for passed tests.

A suite runs with and without ``--fakecuda-html``, in turns.
"""

from __future__ import annotations

import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from .effort import EFFORT

TESTS, PAIRS = 500, 15
LIMIT = 1.1
"""Maximum time of the suite with a page, relative to without. With so few tests, a page is mostly imports."""
SUITE = """
import pytest
from cuda.bindings import driver as d

@pytest.mark.parametrize("number", range({tests}))
def test_it(fakecuda, number):
    d.cuInit(0)
    context = d.cuDevicePrimaryCtxRetain(0)[1]
    d.cuCtxSetCurrent(context)
    assert d.cuMemFree(d.cuMemAlloc(1 << 20)[1])[0] == 0
    d.cuDevicePrimaryCtxRelease(0)
"""
COMMAND = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "fakecuda.plugin", "--fakecuda-door=lookalike")


def page() -> tuple[float, float]:
    """Return a suite's relative time with a page, and the added time per test.

    The first is relative to the suite without a page, the second in seconds.
    Both are medians of pairs of runs, in CPU time.
    """
    tests = EFFORT.of(TESTS, 10)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_it.py").write_text(SUITE.format(tests=tests))
        (folder / "pytest.ini").write_text("[pytest]\n")
        pairs = [(_spent(folder, "--fakecuda-html=out"), _spent(folder)) for _ in range(EFFORT.of(PAIRS))]
    ratio = statistics.median(one / other for one, other in pairs)
    return ratio, statistics.median(one - other for one, other in pairs) / tests


def _spent(folder: Path, *options: str) -> float:
    """Return the CPU time of a run in seconds."""
    root = str(Path(__file__).parents[1])
    environ = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": root}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *COMMAND, *options], cwd=folder, env=environ, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own interpreter
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
