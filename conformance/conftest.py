"""The suite's options and groups, for pytest runs in this folder."""

from __future__ import annotations

from conformance.runner.group import pytest_pycollect_makeitem
from conformance.runner.hooks import (
    pytest_collection_modifyitems,
    pytest_deselected,
    pytest_runtest_makereport,
    pytest_runtest_protocol,
    pytest_runtest_setup,
    pytest_sessionfinish,
    pytest_sessionstart,
    pytest_terminal_summary,
    pytest_testnodedown,
)
from conformance.runner.options import (
    pytest_addoption,
    pytest_configure,
    pytest_unconfigure,
)
from conformance.runner.wait_timeout import conformance_wait_timeout

__all__ = [
    "conformance_wait_timeout",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_deselected",
    "pytest_pycollect_makeitem",
    "pytest_runtest_makereport",
    "pytest_runtest_protocol",
    "pytest_runtest_setup",
    "pytest_sessionfinish",
    "pytest_sessionstart",
    "pytest_terminal_summary",
    "pytest_testnodedown",
    "pytest_unconfigure",
]
