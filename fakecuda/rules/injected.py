"""What refuses a call that a test has injected a fault into: no rule of a driver's, and nothing is wrong with the call."""

from __future__ import annotations

from fakecuda.rules.core import Rule, Source
from fakecuda.spec.codes import Result

NO_FAULT_IS_INJECTED = Rule(
    "the test injects no fault into the call",
    Result.UNKNOWN,
    Source("injected", "fakecuda.fail", "the test has it refused"),
    fix="handle the error that the test injects",
)
"""What broke it is the fact ``injected``, the fault; the code is the fault's."""
