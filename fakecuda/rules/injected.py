"""The rule of a call that a test has injected a fault into.

No driver has such a rule.
"""

from __future__ import annotations

from fakecuda.rules.core import Rule, Source
from fakecuda.spec.codes import Result

NO_FAULT_IS_INJECTED = Rule(
    "the test injects no fault into the call",
    Result.UNKNOWN,
    Source("injected", "fakecuda.fail", "the test has it refused"),
    fix="handle the error that the test injects",
)
"""The rule of an injected fault. The fact ``injected`` is the fault."""
