"""What a page of the session costs tests that pass: the same suite with ``--fakecuda-html`` and without, in turns."""

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
"""What the suite may take with a page, by what it takes without; a page of so few tests is mostly imports."""
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
    """Return what a suite takes with a page by what it takes without, and the seconds that each test takes more.

    Both are medians of pairs of runs, of CPU.
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
    """Return the seconds of CPU that a run takes."""
    root = str(Path(__file__).parents[1])
    environ = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": root}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *COMMAND, *options], cwd=folder, env=environ, check=True, stdout=subprocess.DEVNULL)  # noqa: S603 - our own interpreter
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
