"""cuGraphConditionalHandleCreate: create a condition for a conditional node."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph import conditional
from fakecuda.model.history import here
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.graph.conditional import sound
from fakecuda.rules.driver.graph.handle import any_graph_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

ASSIGNS = 1
"""CU_GRAPH_COND_ASSIGN_DEFAULT."""

FLAGS_ARE_KNOWN = Rule(
    "`flags` is 0 or CU_GRAPH_COND_ASSIGN_DEFAULT",
    Result.INVALID_VALUE,
    manual("cuGraphConditionalHandleCreate", "Currently must be CU_GRAPH_COND_ASSIGN_DEFAULT or 0"),
    fix="pass 0 or CU_GRAPH_COND_ASSIGN_DEFAULT",
)


@DRIVER.op("cuGraphConditionalHandleCreate")
def graph_conditional_handle_create(call: Call, handle: int, ctx: int, default: int, flags: int) -> int:
    """Create a conditional handle for a graph.

    Args:
        call: The call.
        handle: The graph.
        ctx: The context of its node.
        default: The number that launches assign, if they do.
        flags: Whether they do: CU_GRAPH_COND_ASSIGN_DEFAULT.
    """
    # CHECK
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if flags & ~ASSIGNS:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    of = any_graph_of(call, handle)
    context = sound(call, ctx)
    # EFFECT
    return conditional.create(of, context, default, bool(flags), here()).handle
