"""Shared fixtures of the suite's tests."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from conformance.kit.case import ENTRIES

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def entries_apart() -> Iterator[None]:
    """Keep the test's entries out of the suite's."""
    kept = dict(ENTRIES)
    yield
    ENTRIES.clear()
    ENTRIES.update(kept)
