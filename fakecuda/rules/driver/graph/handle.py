"""Rules of calls with a CUgraph, CUgraphNode or CUgraphExec that the process owns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph.executables import Executable
from fakecuda.model.graph.graph import Graph, Node
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

GRAPH_IS_GIVEN = Rule(
    "no graph argument is null",
    Result.INVALID_VALUE,
    manual("cuGraphDestroy", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a graph that cuGraphCreate or cuGraphClone returned",
)
GRAPH_IS_KNOWN = Rule(
    "each graph argument is a graph of this process that has not been destroyed",
    Result.INVALID_VALUE,
    undefined("cuGraphDestroy", "the manual says nothing about other handles, and about a later use"),
    fix="use a graph before cuGraphDestroy, and destroy it once",
)
GRAPH_IS_EMBEDDED_NOWHERE = Rule(
    "the graph to destroy is neither the graph of a child graph node nor a conditional body",
    Result.INVALID_VALUE,
    observed(
        "cuGraphDestroy", "the driver answers INVALID_VALUE to the graph of a child node, because the node owns it"
    ),
    fix="destroy the graph that contains the child graph node",
)
NODE_IS_GIVEN = Rule(
    "no node argument is null",
    Result.INVALID_VALUE,
    manual("cuGraphDestroyNode", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a node that cuGraphAddNode or a similar call returned",
)
NODE_IS_KNOWN = Rule(
    "each node argument is a node of this process that has not been destroyed",
    Result.INVALID_VALUE,
    undefined("cuGraphDestroyNode", "the manual says nothing about other handles, and about a later use"),
    fix="use the node before cuGraphDestroyNode, and before its graph is destroyed",
)
EXECUTABLE_IS_GIVEN = Rule(
    "the executable graph is not null",
    Result.INVALID_VALUE,
    manual("cuGraphExecDestroy", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass an executable graph that cuGraphInstantiate returned",
)
EXECUTABLE_IS_KNOWN = Rule(
    "the executable graph belongs to this process and has not been destroyed",
    Result.INVALID_VALUE,
    undefined("cuGraphExecDestroy", "the manual says nothing about other handles, and about a later use"),
    fix="use an executable graph before cuGraphExecDestroy, and destroy it once",
)


@guard
def graph_of(call: Call, handle: int) -> Graph:
    """Return the graph of a handle."""
    if not handle:
        raise GRAPH_IS_GIVEN.broken()
    graph = call.process.graphs.get(handle)
    if not isinstance(graph, Graph):
        call.undefined(GRAPH_IS_KNOWN, graph=call.process.freed.get(handle, handle))
        raise GRAPH_IS_KNOWN.broken(graph=handle)
    return graph


@guard
def node_of(call: Call, handle: int) -> Node:
    """Return the node of a handle."""
    if not handle:
        raise NODE_IS_GIVEN.broken()
    node = call.process.graphs.get(handle)
    if not isinstance(node, Node):
        call.undefined(NODE_IS_KNOWN, node=call.process.freed.get(handle, handle))
        raise NODE_IS_KNOWN.broken(node=handle)
    return node


@guard
def executable_of(call: Call, handle: int) -> Executable:
    """Return the executable graph of a handle."""
    if not handle:
        raise EXECUTABLE_IS_GIVEN.broken()
    executable = call.process.graphs.get(handle)
    if not isinstance(executable, Executable):
        call.undefined(EXECUTABLE_IS_KNOWN, executable=call.process.freed.get(handle, handle))
        raise EXECUTABLE_IS_KNOWN.broken(executable=handle)
    return executable


@guard
def own_graph_of(call: Call, handle: int) -> Graph:
    """Return the graph of a handle, which no node embeds."""
    graph = graph_of(call, handle)
    if graph.owner is not None:
        raise GRAPH_IS_EMBEDDED_NOWHERE.broken(graph=graph, node=graph.owner)
    return graph


@guard
def any_graph_of(call: Call, handle: int) -> Graph:
    """Return the graph of a handle, for calls that also work in forks."""
    if not handle:
        raise GRAPH_IS_GIVEN.broken()
    require_driver_up(call)
    return graph_of(call, handle)
