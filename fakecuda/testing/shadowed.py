"""``pytest --fakecuda=shadow``: the tests run on the real driver in a pytest of their own, and their calls are checked afterwards."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from fakecuda.errors import FakeCudaError

if TYPE_CHECKING:
    from collections.abc import Sequence

OPTION, SHADOW, REAL = "--fakecuda", "shadow", "real"


def main(arguments: Sequence[str]) -> int:
    """Run pytest with the recording library before the driver; report what the tests did wrong.

    Args:
        arguments: Those of pytest, with ``--fakecuda=shadow`` among them.

    Returns:
        1 if a test did something wrong, else the exit status of pytest.

    Raises:
        pytest.UsageError: The conformance suite is not installed, or there is no driver.
    """
    try:
        from conformance.record.beside import check_real  # noqa: PLC0415 - another distribution
    except ImportError as error:
        msg = f"--fakecuda=shadow needs the conformance suite, which lacks {error.name}: docs/gpu.md says how to install it"
        raise pytest.UsageError(msg) from error
    try:
        return check_real([sys.executable, "-m", "pytest", *_on_real(arguments)], None, "")
    except FakeCudaError as error:
        raise pytest.UsageError(str(error)) from error


def _on_real(arguments: Sequence[str]) -> list[str]:
    """Return the arguments with which the tests run on the real driver."""
    found = [
        REAL if one == SHADOW and before == OPTION else one
        for before, one in zip(["", *arguments], arguments, strict=False)
    ]
    return [f"{OPTION}={REAL}" if one == f"{OPTION}={SHADOW}" else one for one in found]
