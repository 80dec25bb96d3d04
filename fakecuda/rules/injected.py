"""The rule of injected faults. It is not a driver's rule, and the call is correct."""

from __future__ import annotations

from fakecuda.rules.core import Rule, Source
from fakecuda.spec.codes import Result

NO_FAULT_IS_INJECTED = Rule(
    "the test injects no fault into the call",
    Result.UNKNOWN,
    Source("injected", "fakecuda.fail", "the test has it refused"),
    fix="handle the error that the test injects",
)
"""The fact ``injected`` is the fault, and the code is the fault's code."""
