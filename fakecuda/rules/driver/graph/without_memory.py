"""What graphs with nodes that allocate or free memory are not used for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model.graph_memory import executable_of, has_memory
from fakecuda.rules.core import Rule, guard, observed

if TYPE_CHECKING:
    from fakecuda.model.graph import Graph

GRAPH_HAS_NO_MEMORY = Rule(
    "no node of a graph that is copied, or that loses nodes or edges, allocates or frees memory",
    Result.NOT_SUPPORTED,
    observed(
        "cuGraphClone",
        "a graph with a node that allocates answers NOT_SUPPORTED, to cuGraphDestroyNode, too; and one to which a free was refused",
    ),
)
ONE_IS_EXECUTABLE = Rule(
    "of a graph with nodes that allocate or free memory no other executable graph is there",
    Result.NOT_SUPPORTED,
    observed("cuGraphInstantiate", "a second executable graph of a graph that allocates answers NOT_SUPPORTED"),
)


@guard
def without_memory(of: Graph) -> Graph:
    """Return a graph, which has no such nodes."""
    if has_memory(of):
        raise GRAPH_HAS_NO_MEMORY.broken(graph=of)
    return of


@guard
def cloneable(of: Graph) -> Graph:
    """Return a graph that can be cloned: a node that frees memory was not refused in it either."""
    if of.refused:
        raise GRAPH_HAS_NO_MEMORY.broken(graph=of)
    return without_memory(of)


@guard
def only(of: Graph) -> None:
    """Check that a graph with such nodes was not made executable, or that what was made of it has ended."""
    made = executable_of(of) if has_memory(of) else None
    if made is not None:
        raise ONE_IS_EXECUTABLE.broken(graph=of, executable=made)
