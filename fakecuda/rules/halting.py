"""Rules of calls of a checkpointed process.

``fakecuda.rules.driver.checkpoint.halted`` checks them, in place of the operation.
"""

from __future__ import annotations

from fakecuda.rules.core import Rule, observed, undefined
from fakecuda.spec.codes import Result

DEVICE_IS_THERE_TO_ASK = Rule(
    "the process is not checkpointed during a query of its devices and memory",
    Result.OPERATING_SYSTEM,
    observed("cuMemGetInfo", "on an H100, a checkpointed process answers OPERATING_SYSTEM at once"),
    fix="call cuCheckpointProcessRestore before the query",
)
MEMORY_IS_THERE_TO_EXPORT = Rule(
    "the process is not checkpointed during an export of its memory",
    Result.UNKNOWN,
    observed("cuMemExportToShareableHandle", "on an H100, a checkpointed process answers UNKNOWN at once"),
    fix="call cuCheckpointProcessRestore before the export",
)
MEMORY_IS_THERE_TO_READ = Rule(
    "the process is not checkpointed during a query of streams or events",
    Result.UNKNOWN,
    undefined(
        "cuStreamQuery",
        "the manual says nothing about a checkpointed process; driver 580 reads its memory (segmentation fault)",
    ),
    fix="query streams and events after cuCheckpointProcessUnlock",
)

WHILE_PUT_AWAY = {int(rule.code): rule for rule in (DEVICE_IS_THERE_TO_ASK, MEMORY_IS_THERE_TO_EXPORT)}
"""Rules of a checkpointed process, by code."""
WHILE_HALTED = (*WHILE_PUT_AWAY.values(), MEMORY_IS_THERE_TO_READ)
"""All rules of this module."""
