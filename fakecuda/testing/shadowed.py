"""``pytest --fakecuda=shadow``: tests on the real driver with recorded calls."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

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
    return subprocess.call([sys.executable, *check, sys.executable, "-m", "pytest", *_on_real(arguments)])  # noqa: S603 - the user's own


def _on_real(arguments: Sequence[str]) -> list[str]:
    """Return the arguments for the tests on the real driver."""
    before = ["", *arguments]
    found = [REAL if one == SHADOW and last == OPTION else one for last, one in zip(before, arguments, strict=False)]
    return [f"{OPTION}={REAL}" if one == f"{OPTION}={SHADOW}" else one for one in found]
