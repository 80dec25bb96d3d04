"""The suite's options; a conftest in a folder below the root is read in time when pytest is given that folder."""

from __future__ import annotations

from conformance.options import (
    conformance_asked,
    conformance_machines,
    conformance_target,
    pytest_addoption,
    pytest_configure,
)
from conformance.seen import conformance_seen, pytest_collection_modifyitems, pytest_deselected

__all__ = [
    "conformance_asked",
    "conformance_machines",
    "conformance_seen",
    "conformance_target",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_deselected",
]
