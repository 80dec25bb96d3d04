"""The suite's options: a missing driver is a visible skip, or one line where it is required."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from conformance.runner.options import missing

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the cases of one entry point."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "conformance/cases/driver/va/test_mem_map.py",
        *arguments,
    ]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


def counted(told: str) -> int:
    """Return how many checks a run made, as it tells."""
    found = re.search(r"conformance: (\d+) checks", told)
    return int(found[1]) if found else 0


@pytest.fixture(scope="module")
def everything() -> subprocess.CompletedProcess[str]:
    """Return a run of all these cases, on the model."""
    return run("--target=model", "--profile=h200")


@pytest.fixture(autouse=True)
def _no_driver() -> None:
    if not missing():
        pytest.skip("a driver is there")


def test_a_missing_driver_is_a_visible_skip() -> None:
    """The reason stands in the summary, and nothing fails."""
    done = run("--target=real")
    assert done.returncode == 0
    assert "no real driver: " in done.stdout
    assert "passed" not in done.stdout


def test_a_required_driver_that_is_missing_is_fatal() -> None:
    """One line says so before any test."""
    done = run("--target=both", "--require-real")
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    (line,) = [one for one in done.stderr.splitlines() if one.strip()]
    assert line.startswith("ERROR: --require-real: no real driver: ")


def test_the_model_alone_needs_nothing(everything: subprocess.CompletedProcess[str]) -> None:
    """The cases run on a simulated machine of the profile that is named."""
    assert everything.returncode == 0


def test_a_call_selects_its_cases(everything: subprocess.CompletedProcess[str]) -> None:
    """Though neither their file nor their names have its name in them; another's cases are left out."""
    mine = run("--only=cuMemMap")
    assert mine.returncode == 0
    assert counted(mine.stdout) > counted(everything.stdout) - 2 > 1  # but for a test of something else there
    assert counted(run("--only=cuMemUnmap").stdout) == 0
