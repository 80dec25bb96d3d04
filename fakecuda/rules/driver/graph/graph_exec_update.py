"""cuGraphExecUpdate: update an executable graph from a graph of the same shape."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph import executables, graph_memory
from fakecuda.model.graph.graph import CONDITIONAL, EVENT_RECORD, WAIT_EVENT
from fakecuda.model.history import here
from fakecuda.rules.core import Broken, Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.graph.alike import (
    CONTEXT_STAYS,
    COOPERATION_STAYS,
    EDGES_STAY,
    KINDS_STAY,
    LAUNCHERS_STAY,
    MEMORY_STAYS,
    NODES_ARE_AS_MANY,
    OPERATIONS_STAY,
    SHAPE_STAYS,
    alike,
    pairs,
)
from fakecuda.rules.driver.graph.handle import executable_of, graph_of
from fakecuda.rules.driver.graph.updatable import revisable
from fakecuda.rules.driver.graph.without_memory import only
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph.conditional import Branches, Choice
    from fakecuda.model.graph.executables import Executable
    from fakecuda.model.graph.graph import Graph, Node
    from fakecuda.rules.driver.graph.alike import Pairs

    Info = tuple[int, int, int]
    """CUgraphExecUpdateResultInfo: a CUgraphExecUpdateResult, and two nodes."""

SOURCE_IS_ITS_OWN = Rule(
    "`hGraph` is neither a conditional body nor the graph of a child graph node",
    Result.INVALID_VALUE,
    observed(
        "cuGraphExecUpdate", "the driver answers INVALID_VALUE to the graph of a child node and to a conditional body"
    ),
    fix="pass a graph that no node owns: the instantiated graph, or one with the same nodes and dependencies",
)
MEMORY_IS_THE_SAME = Rule(
    "each memory node of `hGraph` allocates or frees the memory of the same allocation node as the node that it "
    "replaces",
    Result.GRAPH_EXEC_UPDATE_FAILURE,
    manual("cuGraphExecUpdate", "if something about a node is unsupported, like the node's type or configuration"),
    fix="instantiate a graph with memory nodes again instead of updating it",
)

BRANCHES_STAY = Rule(
    "each conditional node of `hGraph` has the conditional type, body count and context of the node that it replaces",
    Result.GRAPH_EXEC_UPDATE_FAILURE,
    manual("cuGraphExecUpdate", "Changing node parameters is not supported"),
    fix="instantiate the graph again for another conditional node",
)
EVENTS_OUTLIVE_UPDATES = Rule(
    "no event of an event node of `hGraph` has been destroyed",
    Result.GRAPH_EXEC_UPDATE_FAILURE,
    undefined(
        "cuGraphExecUpdate",
        "the manual says nothing about destroyed events; driver 580 answers GRAPH_EXEC_UPDATE_FAILURE, and SUCCESS in a process that has "
        "made and destroyed other objects",
    ),
    fix="destroy the event after the update, or give the node another event before",
)

ERROR, TOPOLOGY, KIND, PARAMETERS, NOT_SUPPORTED, FUNCTION, ATTRIBUTES = 1, 2, 3, 5, 6, 7, 8
"""Values of CUgraphExecUpdateResult."""
WHY = {
    NODES_ARE_AS_MANY: TOPOLOGY,
    EDGES_STAY: TOPOLOGY,
    KINDS_STAY: KIND,
    SHAPE_STAYS: PARAMETERS,
    MEMORY_STAYS: PARAMETERS,
    CONTEXT_STAYS: FUNCTION,
    LAUNCHERS_STAY: FUNCTION,
    OPERATIONS_STAY: PARAMETERS,
    BRANCHES_STAY: PARAMETERS,
    MEMORY_IS_THE_SAME: NOT_SUPPORTED,
    COOPERATION_STAYS: ATTRIBUTES,
}
"""The CUgraphExecUpdateResult for each broken rule."""


@guard
def branches_kept(was: Choice, node: Node) -> None:
    """Check that a conditional keeps its type, size and context."""
    told: Branches = node.params
    if (was.kind, len(was.bodies)) != (told.kind, told.size) or was.condition.context is not told.context:
        raise BRANCHES_STAY.broken(node=node, was=was.kind, kind=told.kind, size=told.size)


@guard
def changeable(call: Call, executable: int, handle: int) -> tuple[Executable, Graph, Pairs]:
    """Return an executable graph, a graph, and the pairs of their steps and nodes.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The graph.
    """
    require_initialized(call)
    held = executable_of(call, executable)
    source = graph_of(call, handle)
    if source.owner is not None:
        raise SOURCE_IS_ITS_OWN.broken(graph=source, node=source.owner)
    if held.graph is not source:
        only(source)
    revisable(source, held.body)
    found = pairs(held.body, source)
    for step, node in found:
        if step.kind in graph_memory.NODES and step.params is not node.params:
            raise MEMORY_IS_THE_SAME.broken(node=node, was=step.params)
        if step.kind == CONDITIONAL:
            branches_kept(step.params, node)
        if step.kind in {EVENT_RECORD, WAIT_EVENT} and node.params.destroyed:
            call.undefined(EVENTS_OUTLIVE_UPDATES, node=node, event=node.params)
            raise EVENTS_OUTLIVE_UPDATES.broken(node=node, event=node.params)
    alike(call, held, found)
    return held, source, found


@guard
def checked(call: Call, executable: int, handle: int) -> tuple[Executable, Graph, Pairs]:
    """Return what :func:`changeable` does; broken rules set the update's result."""
    try:
        return changeable(call, executable, handle)
    except Broken as broken:
        why = WHY.get(broken.facts.get("of", broken.rule), ERROR)
        node, other = (broken.facts.get(name) for name in ("node", "dependency"))
        raise broken.telling((why, *(0 if one is None else one.handle for one in (node, other))))  # noqa: B904 - it is the same


@DRIVER.op("cuGraphExecUpdate")
def graph_exec_update(call: Call, executable: int, handle: int) -> Info:
    """Update an executable graph from a graph, and return the result of the update: CU_GRAPH_EXEC_UPDATE_SUCCESS.

    Args:
        call: The call.
        executable: The executable graph.
        handle: The graph.
    """
    # CHECK
    held, source, found = checked(call, executable, handle)
    # EFFECT
    executables.revise(held, source, found, here())
    return 0, 0, 0
