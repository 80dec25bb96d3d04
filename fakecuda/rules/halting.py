"""Rules of calls of a checkpointed process.

``fakecuda.rules.driver.checkpoint.halted`` checks them, in place of the operation.
"""

from __future__ import annotations

from fakecuda.rules.core import Rule, observed, undefined
from fakecuda.spec.codes import Result

DEVICE_IS_THERE_TO_ASK = Rule(
    "the process is not put away, for a call that asks what the kernel's driver knows of its devices and its memory",
    Result.OPERATING_SYSTEM,
    observed("cuMemGetInfo", "of a process that is put away it answers OPERATING_SYSTEM at once, on an H100"),
    fix="bring the process back with cuCheckpointProcessRestore before it asks",
)
MEMORY_IS_THERE_TO_EXPORT = Rule(
    "the process is not put away, for a call that exports its memory",
    Result.UNKNOWN,
    observed("cuMemExportToShareableHandle", "of a process that is put away it answers UNKNOWN at once, on an H100"),
    fix="bring the process back with cuCheckpointProcessRestore before it exports memory",
)
MEMORY_IS_THERE_TO_READ = Rule(
    "the process is not put away, for a call that looks at how far work is",
    Result.UNKNOWN,
    undefined(
        "cuStreamQuery", "silent about a process that is put away; driver 580 reads its memory (segmentation fault)"
    ),
    fix="let threads wait for cuCheckpointProcessUnlock before they look at streams and events",
)

WHILE_PUT_AWAY = {int(rule.code): rule for rule in (DEVICE_IS_THERE_TO_ASK, MEMORY_IS_THERE_TO_EXPORT)}
"""The rules with a code, by code."""
WHILE_HALTED = (*WHILE_PUT_AWAY.values(), MEMORY_IS_THERE_TO_READ)
"""All rules of this module."""
