"""Restrictions of graphs with memory nodes or conditionals, and of graphs that a node owns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.graph.graph import CHILD, CONDITIONAL
from fakecuda.model.graph.graph_memory import executable_of, has_memory
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.graph.graph import Graph

GRAPH_HAS_NO_MEMORY = Rule(
    "the graph to embed, to clone or to remove a node from has no memory nodes, and no refused call tried to add one",
    Result.NOT_SUPPORTED,
    observed(
        "cuGraphClone",
        "cuGraphClone and cuGraphDestroyNode answer NOT_SUPPORTED for a graph with an allocation node, and for a "
        "graph after a refused call that was to add a free node to it",
    ),
    fix="build another graph instead of cloning or changing one with memory nodes",
)
GRAPH_HAS_NO_CONDITIONALS = Rule(
    "the graph to embed or clone has no conditional node or conditional handle, and is not a conditional body",
    Result.NOT_SUPPORTED,
    manual("cuGraphClone", "which contain memory allocation nodes, memory free nodes, or conditional nodes"),
    fix="build another graph instead of cloning one with conditionals",
)
GRAPH_IS_ITS_OWN = Rule(
    "no node owns the graph to instantiate, to embed or to move",
    Result.NOT_SUPPORTED,
    observed(
        "cuGraphInstantiate", "the driver answers NOT_SUPPORTED to the graph of a child node and to a conditional body"
    ),
    fix="use the graph that contains the node, or call cuGraphClone before cuGraphAddNode moves the graph",
)
GRAPH_IS_NO_CHILD_S = Rule(
    "the graph that gets the node is not the graph of a child graph node",
    Result.NOT_SUPPORTED,
    observed(
        "cuGraphAddNode",
        "the driver answers NOT_SUPPORTED to a memory node in the graph of a child node, whether "
        "the graph was moved or cloned",
    ),
    fix="add the memory nodes before you pass the graph to cuGraphAddNode as a child graph",
)
ONE_IS_EXECUTABLE = Rule(
    "if the graph has memory or conditional nodes, no executable graph of it exists yet",
    Result.NOT_SUPPORTED,
    observed(
        "cuGraphInstantiate",
        "the driver answers NOT_SUPPORTED to a second executable graph of a graph with memory or conditional nodes, and "
        "to a child node that takes over a graph with memory nodes and an executable graph",
    ),
    fix="call cuGraphExecDestroy before you instantiate or move the graph",
)


@guard
def without_memory(of: Graph) -> Graph:
    """Check that a graph has no memory nodes, and return it."""
    if has_memory(of):
        raise GRAPH_HAS_NO_MEMORY.broken(graph=of)
    return of


@guard
def embeddable(of: Graph) -> Graph:
    """Check that a node can embed a clone of a graph, and return the graph."""
    without_memory(of)
    return without_conditionals(of)


@guard
def without_conditionals(of: Graph) -> Graph:
    """Check that a graph has no conditionals and is not a body graph, and return it."""
    bodies = of.owner is not None and of.owner.kind == CONDITIONAL
    if bodies or of.around()[-1].conditions or any(node.kind == CONDITIONAL for node in of.every()):
        raise GRAPH_HAS_NO_CONDITIONALS.broken(graph=of)
    return of


@guard
def independent(of: Graph) -> Graph:
    """Check that no node owns a graph, and return the graph."""
    if of.owner is not None:
        raise GRAPH_IS_ITS_OWN.broken(graph=of, node=of.owner)
    return of


@guard
def growing(of: Graph) -> None:
    """Check that a graph can get allocation and free nodes."""
    if of.owner is not None and of.owner.kind == CHILD:
        raise GRAPH_IS_NO_CHILD_S.broken(graph=of, node=of.owner)


@guard
def only(of: Graph) -> None:
    """Check that a graph with memory nodes has no living executable graph."""
    made = executable_of(of, early=False) if has_memory(of) else None
    if made is not None:
        raise ONE_IS_EXECUTABLE.broken(graph=of, executable=made)


@guard
def alone(of: Graph) -> None:
    """Check that a graph has no living executable graph."""
    made = executable_of(of)
    if made is not None:
        raise ONE_IS_EXECUTABLE.broken(graph=of, executable=made)
