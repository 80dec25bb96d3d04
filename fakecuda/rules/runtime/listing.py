"""Queries of a graph's nodes and edges in the runtime API, which uses other names for some results."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.graph.graph_debug_dot_print import graph_debug_dot_print
from fakecuda.rules.driver.graph.listing import (
    graph_get_edges,
    graph_get_nodes,
    graph_get_root_nodes,
    graph_node_get_dependencies,
    graph_node_get_dependent_nodes,
)
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active
from fakecuda.rules.runtime.through import through

if TYPE_CHECKING:
    from fakecuda.model.call import Call

DRIVERS = {
    "pRootNodes": "rootNodes",
    "pNumRootNodes": "numRootNodes",
    "pDependencies": "dependencies",
    "pNumDependencies": "numDependencies",
    "pDependentNodes": "dependentNodes",
    "pNumDependentNodes": "numDependentNodes",
}
"""Driver names of results that the runtime API names differently."""


def renamed(call: Call) -> Call:
    """Return the call with the driver's names of its null result pointers."""
    return call.without(frozenset(DRIVERS.get(name, name) for name in call.nulls)) if call.nulls else call


@RUNTIME.op("cudaGraphGetRootNodes")
def get_root_nodes(call: Call, graph: int, room: int) -> object:
    """Return the root nodes of a graph, and their number.

    Args:
        call: The call.
        graph: The graph.
        room: How many nodes there is room for.
    """
    active(call)
    return graph_get_root_nodes(renamed(call), graph, room)


@RUNTIME.op("cudaGraphNodeGetDependencies")
def get_dependencies(call: Call, node: int, room: int) -> object:
    """Return the nodes that a node depends on, the edge data, and their number."""
    active(call)
    return graph_node_get_dependencies(renamed(call), node, room)


@RUNTIME.op("cudaGraphNodeGetDependentNodes")
def get_dependent_nodes(call: Call, node: int, room: int) -> object:
    """Return the nodes that depend on a node, the edge data, and their number."""
    active(call)
    return graph_node_get_dependent_nodes(renamed(call), node, room)


through("cudaGraphDebugDotPrint", graph_debug_dot_print)
through("cudaGraphGetEdges", graph_get_edges)
through("cudaGraphGetNodes", graph_get_nodes)
