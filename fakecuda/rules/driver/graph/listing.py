"""Queries of a graph: its nodes, its edges, and the neighbours of a node.

Each call is given how many nodes there is room for, and tells how many there are of them, or in all where nothing is listed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph.graph import PLAIN
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.graph.handle import graph_of, node_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.model.call import Call
    from fakecuda.model.graph.graph import Data, Graph, Node

    Handles = tuple[int, ...]

ROOM = 1 << 20
"""The maximum number of written array entries."""

ENDS_COME_TOGETHER = Rule(
    "`from` and `to` are both null or both not null",
    Result.INVALID_VALUE,
    manual("cuGraphGetEdges", "`from` and `to` may both be NULL"),
    fix="pass both arrays, or null for both",
)
THERE_IS_ROOM = Rule(
    "if the output array is not null, the number of its entries that the caller passes is at least 1",
    Result.INVALID_VALUE,
    observed(
        "cuGraphGetNodes",
        "the driver answers INVALID_VALUE to an array with room for 0 entries, even for an empty graph",
    ),
    fix="pass null for the arrays to query the count, or make room for at least one entry",
)
DATA_COME_WITH_NODES = Rule(
    "`edgeData` is null if the output array for nodes is null",
    Result.INVALID_VALUE,
    manual("cuGraphGetEdges", "If `edgeData` is non-NULL then `from` and `to` must be as well"),
    fix="pass the arrays of the nodes as well",
)
NO_DATA_ARE_LOST = Rule(
    "`edgeData` is not null if the call lists nodes and an edge has data other than 0",
    Result.LOSSY_QUERY,
    manual("cuGraphGetEdges", "Attempting a lossy query via NULL `edgeData` will result in CUDA_ERROR_LOSSY_QUERY"),
    fix="pass an array for edgeData",
)


@guard
def counted(call: Call, count: str, room: int | None) -> int:
    """Return the size argument of a listing call, whose pointer must not be null."""
    if count in call.nulls or room is None:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    return room


@guard
def roomy(call: Call, nodes: str, room: int) -> None:
    """Check that a given node array has room for at least one entry."""
    if nodes not in call.nulls and not room:
        raise THERE_IS_ROOM.broken(room=room)


@guard
def wanted(call: Call, nodes: str, data: Iterable[Data]) -> bool:
    """Return whether the call asks for nodes; check that no edge data gets lost.

    Args:
        call: The call.
        nodes: The array of the nodes.
        data: What the edges are like.
    """
    listed = nodes not in call.nulls
    if not listed and "edgeData" not in call.nulls:
        raise DATA_COME_WITH_NODES.broken(nulls=call.nulls)
    if listed and "edgeData" in call.nulls and any(one != PLAIN for one in data):
        raise NO_DATA_ARE_LOST.broken(data=list(data))
    return listed


def padded(nodes: Iterable[Node], room: int) -> Handles:
    """Return the handles of nodes, padded with nulls to the size of the array."""
    found = [node.handle for node in nodes][:room]
    return (*found, *[0] * (min(room, ROOM) - len(found)))


def _behind(data: Iterable[Data], room: int) -> tuple[Data, ...]:
    found = list(data)[:room]
    return (*found, *[PLAIN] * (min(room, ROOM) - len(found)))


def _nodes_of(name: str, nodes: str, count: str, among: Callable[[Graph], Iterable[Node]]) -> Callable[..., object]:
    """Declare a call that lists nodes of a graph."""

    @DRIVER.op(name)
    def graph_get_nodes(call: Call, handle: int, room: int | None) -> tuple[Handles, int]:
        """Return nodes of a graph, and their number.

        Args:
            call: The call.
            handle: The graph.
            room: How many nodes there is room for.
        """
        # CHECK
        require_initialized(call)
        room = counted(call, count, room)
        found = list(among(graph_of(call, handle)))
        roomy(call, nodes, room)
        # EFFECT
        if nodes in call.nulls:
            return (), len(found)
        return padded(found, room), min(room, len(found))

    return graph_get_nodes


def _beside(
    name: str, nodes: str, count: str, which: Callable[[Node], dict[Node, Data]]
) -> Callable[[Call, int, int | None], tuple[Handles, tuple[Data, ...], int]]:
    """Declare a call that lists the neighbours of a node in one direction."""

    @DRIVER.op(name)
    def graph_node_get_nodes(call: Call, handle: int, room: int | None) -> tuple[Handles, tuple[Data, ...], int]:
        """Return the dependencies or dependents of a node, the edge data, and their number.

        Args:
            call: The call.
            handle: The node.
            room: How many nodes there is room for.
        """
        # CHECK
        require_initialized(call)
        room = counted(call, count, room)
        found = which(node_of(call, handle))
        roomy(call, nodes, room)
        listed = wanted(call, nodes, found.values())
        # EFFECT
        if not listed:
            return (), (), len(found)
        return padded(found, room), _behind(found.values(), room), min(room, len(found))

    return graph_node_get_nodes


@DRIVER.op("cuGraphGetEdges")
def graph_get_edges(call: Call, handle: int, room: int | None) -> tuple[Handles, Handles, tuple[Data, ...], int]:
    """Return the edges of a graph: their first nodes, their second nodes, their edge data, and their number.

    Args:
        call: The call.
        handle: The graph.
        room: How many edges there is room for.
    """
    # CHECK
    require_initialized(call)
    room = counted(call, "numEdges", room)
    edges = [(node, other, data) for node in graph_of(call, handle).nodes for other, data in node.before.items()]
    if ("from_" in call.nulls) != ("to" in call.nulls):
        raise ENDS_COME_TOGETHER.broken(nulls=call.nulls)
    roomy(call, "from_", room)
    listed = wanted(call, "from_", [data for _, _, data in edges[:room]])
    # EFFECT
    if not listed:
        return (), (), (), len(edges)
    first, second = padded([one for one, _, _ in edges], room), padded([other for _, other, _ in edges], room)
    return first, second, _behind([data for _, _, data in edges], room), min(room, len(edges))


graph_get_nodes = _nodes_of("cuGraphGetNodes", "nodes", "numNodes", lambda one: one.nodes)
# A driver lists the node first that became a root node last.
graph_get_root_nodes = _nodes_of(
    "cuGraphGetRootNodes",
    "rootNodes",
    "numRootNodes",
    lambda one: reversed(one.roots),
)
graph_node_get_dependencies = _beside(
    "cuGraphNodeGetDependencies", "dependencies", "numDependencies", lambda node: node.after
)
graph_node_get_dependent_nodes = _beside(
    "cuGraphNodeGetDependentNodes", "dependentNodes", "numDependentNodes", lambda node: node.before
)
