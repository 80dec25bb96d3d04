"""The suite's options; a conftest in a folder below the root is read in time when pytest is given that folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.options import (
    conformance_machines,
    conformance_target,
    pytest_addoption,
    pytest_configure,
)
from conformance.seen import SEEN

if TYPE_CHECKING:
    import pytest

__all__ = ["conformance_machines", "conformance_target", "pytest_addoption", "pytest_configure"]

SEEN.watch()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the test of what the whole run has seen at its end."""
    items.sort(key=lambda item: item.path.name == "test_seen.py" and item.originalname.startswith("test_every"))  # type: ignore[attr-defined]
