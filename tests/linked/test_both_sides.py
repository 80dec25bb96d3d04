"""The client in C reads and writes the arguments of every call as the functions in Python do."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from fakecuda.reach.remote.linked import nvml_tables, tables
from fakecuda.rules.registry import DRIVER, FORMS, NVML, RUNTIME

ROOT = Path(__file__).parents[2]
IN_C_ALONE = 2 + 2 + 2
"""Calls without a Python side: cuGetProcAddress, texts, and function look-ups."""
NULLS_FOLLOWED = 3
"""Calls without null pointers, which a driver dereferences."""
OTHER_NVML = {"nvmlDeviceGetHandleByUUIDV"}
"""NVML calls that only Python makes."""


def test_every_call_is_made_alike(tmp_path: Path) -> None:
    """Of the same memory and the same results, eight times with others, and once with null pointers."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.linked.both_sides", str(tmp_path)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    both = len([name for api in (DRIVER, FORMS, RUNTIME) for name in api.ops if not tables.points(name)]) - IN_C_ALONE
    made = 9 * (both + len(nvml_tables.modelled())) - NULLS_FOLLOWED
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{made}\n", "")


def test_python_alone_makes_few_calls() -> None:
    """They are named in docs/linked.md."""
    assert set(NVML.ops) - set(nvml_tables.modelled()) == OTHER_NVML
    page = (ROOT / "docs" / "linked.md").read_text()
    assert all(name in page for name in OTHER_NVML)
