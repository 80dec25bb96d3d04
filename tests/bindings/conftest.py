"""Checks of the process after all tests of a file."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

STATUS = Path("/proc/self/status")


def data() -> int:
    """Return how many KiB of its own the process has mapped; 0 where the system does not tell."""
    found = re.search(r"^VmData:\s+(\d+)", STATUS.read_text(), re.MULTILINE) if STATUS.exists() else None
    return int(found[1]) if found else 0


@pytest.fixture(autouse=True, scope="module")
def _little_is_kept() -> Iterator[None]:
    """A system that promises no more memory than it has would refuse later tests their fork."""
    before = data()
    yield
    assert data() - before < 1 << 20, "a real module was given a size for which it keeps memory"
