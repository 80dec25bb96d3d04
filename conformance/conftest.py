"""The suite's options; a conftest in a folder below the root is read in time when pytest is given that folder."""

from __future__ import annotations

from conformance.options import (
    conformance_machines,
    conformance_target,
    pytest_addoption,
    pytest_configure,
)

__all__ = ["conformance_machines", "conformance_target", "pytest_addoption", "pytest_configure"]
