"""fakecuda: a simulated CUDA driver for tests that have no GPU, proven against the real one."""

from __future__ import annotations

from fakecuda.codes import Result
from fakecuda.errors import (
    FakeCudaError,
    MachineClosed,
    NotModelledWarning,
    ProcessDied,
    ProfileError,
    UndefinedBehaviour,
)
from fakecuda.machine import CallRecord, Machine, Process
from fakecuda.rule import Finding, Rule

__all__ = [
    "CallRecord",
    "FakeCudaError",
    "Finding",
    "Machine",
    "MachineClosed",
    "NotModelledWarning",
    "Process",
    "ProcessDied",
    "ProfileError",
    "Result",
    "Rule",
    "UndefinedBehaviour",
]
