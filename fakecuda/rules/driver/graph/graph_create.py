"""cuGraphCreate: create an empty graph."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph import graph
from fakecuda.model.history import here
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    manual("cuGraphCreate", "Graph creation flags, must be 0"),
    fix="pass 0 for the flags of cuGraphCreate",
)


@DRIVER.op("cuGraphCreate")
def graph_create(call: Call, flags: int) -> int:
    """Return a new graph.

    Args:
        call: The call.
        flags: Must be 0.
    """
    # CHECK
    process = require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    # EFFECT
    return graph.create(process, here()).handle
