"""What is drawn: from a seed that the report tells, which repeats it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import settings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Run = Callable[..., subprocess.CompletedProcess[str]]

SUITE = """
from hypothesis import given, settings, strategies as st

@settings(max_examples=3)
@given(st.integers())
def test_it(number):
    print("got", number)
"""


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run a suite that draws three numbers."""
    (tmp_path / "test_it.py").write_text(SUITE)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")

    def started(*options: str) -> subprocess.CompletedProcess[str]:
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-rP",
            "-p",
            "no:cacheprovider",
            "-p",
            "conformance.runner.chance",
            *options,
        ]
        path = os.pathsep.join(filter(None, sys.path))
        environ = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTHONPATH": path}
        return subprocess.run(command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False)

    return started


def drawn(done: subprocess.CompletedProcess[str]) -> list[str]:
    """Return the numbers that a run drew."""
    assert done.returncode == 0, done.stdout
    return [line for line in done.stdout.splitlines() if line.startswith("got ")]


def test_runs_draw_the_same(run: Run) -> None:
    """From the same seed as ever; another one is told at the head and at the end, and repeats them, in workers too."""
    first = run()
    assert "drawn from seed 0; --random draws from a fresh one\n" in first.stdout
    assert drawn(first) == drawn(run("--random=0"))
    other = run("--random")
    (seed,) = set(re.findall(r"^drawn from seed (\d+); repeat with --random=\1$", other.stdout, re.MULTILINE))
    assert drawn(other) != drawn(first)
    assert drawn(run("-p", "xdist", "-n1", f"--random={seed}")) == drawn(other)


def test_workers_get_a_seed_that_was_made_up(run: Run) -> None:
    """The one that the report tells."""
    pytest.importorskip("xdist")
    done = run("-p", "xdist", "-n1", "--random")
    (seed,) = set(re.findall(r"^drawn from seed (\d+)", done.stdout, re.MULTILINE))
    assert drawn(done) == drawn(run(f"--random={seed}"))


def test_a_seed_is_a_number(run: Run) -> None:
    """A file that was meant is not taken for one."""
    assert "'test_it.py' is not a seed: write --random=SEED" in run("--random", "test_it.py").stderr


def test_nothing_is_kept_of_other_runs() -> None:
    """Nor is a slow example ended."""
    chosen = settings()
    assert (chosen.database, chosen.deadline) == (None, None)
