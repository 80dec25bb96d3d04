"""``pytest --fakecuda=shadow``: tests on the real driver with recorded calls."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from fakecuda.machine.serve import run_program

if TYPE_CHECKING:
    from collections.abc import Sequence

OPTION, SHADOW, REAL = "--fakecuda", "shadow", "real"


def main(arguments: Sequence[str]) -> int:
    """Run pytest with the recording library; report mistakes in the tests' calls.

    Args:
        arguments: Those of pytest, with ``--fakecuda=shadow`` among them.

    Returns:
        1 if a test did something wrong, 2 if the tests cannot run so or not all was seen, else the exit status of pytest.
    """
    check = ["-m", "fakecuda", "check", "--real", "--"]
    return run_program([sys.executable, *check, sys.executable, *_started(arguments), *_on_real(arguments)])


def _started(arguments: Sequence[str]) -> list[str]:
    """Return how Python was started, without the arguments of pytest: ``python -m pytest`` has another ``sys.path`` than ``pytest``."""
    _, *words = sys.orig_argv
    before = len(words) - len(arguments)
    return words[:before] if words[before:] == list(arguments) else ["-m", "pytest"]


def _on_real(arguments: Sequence[str]) -> list[str]:
    """Return the arguments for the tests on the real driver, also if a file or PYTEST_ADDOPTS has the option."""
    before = ["", *arguments]
    found = [REAL if one == SHADOW and last == OPTION else one for last, one in zip(before, arguments, strict=False)]
    found = [f"{OPTION}={REAL}" if one == f"{OPTION}={SHADOW}" else one for one in found]
    return found if found != list(arguments) else [f"{OPTION}={REAL}", *arguments]
