"""Edges of graphs: which nodes depend on which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.graph import graph
from fakecuda.model.graph.graph import KERNEL, PLAIN
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.graph.handle import any_graph_of
from fakecuda.rules.driver.graph.without_memory import without_memory
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.model.call import Call
    from fakecuda.model.graph.graph import Data as Row
    from fakecuda.model.graph.graph import Graph, Node

    Nodes = tuple[int, ...] | None
    Data = tuple[tuple[int, ...], ...] | None

ENDS_ARE_GIVEN = Rule(
    "`from` and `to` are not null if `numDependencies` is not 0",
    Result.INVALID_VALUE,
    manual("cuGraphAddDependencies", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass numDependencies nodes in each of from and to",
)
ENDS_ARE_OF_THE_GRAPH = Rule(
    "each node in `from` and `to` belongs to the graph",
    Result.INVALID_VALUE,
    manual("cuGraphAddDependencies", "Each node in from and to must belong to hGraph"),
    fix="pass nodes of the graph hGraph",
)
ENDS_DIFFER = Rule(
    "`from` and `to` of each edge are different nodes",
    Result.INVALID_VALUE,
    observed(
        "cuGraphAddDependencies",
        "the driver answers INVALID_VALUE to an edge from a node to itself, and adds the edges of a longer cycle",
    ),
    fix="pass two different nodes for each edge",
)
DATA_ARE_DEFAULT = Rule(
    "edge data is 0, or the edge is programmatic between kernels, or of default type from a kernel's launch-order port",
    Result.INVALID_VALUE,
    observed("cuGraphAddDependencies", "the driver answers INVALID_VALUE to a programmatic edge between empty nodes"),
    fix="pass null for the edge data",
)
WHOLE, PROGRAMMATIC, BEGUN = range(3)
"""CU_GRAPH_KERNEL_NODE_PORT_DEFAULT, _PROGRAMMATIC and _LAUNCH_ORDER."""
EDGE_IS_NEW = Rule(
    "the graph does not yet have any of the edges in `from` and `to`",
    Result.INVALID_VALUE,
    manual("cuGraphAddDependencies", "Specifying an existing dependency will return an error"),
    fix="add each edge once",
)
EDGE_IS_THERE = Rule(
    "the graph has all of the edges in `from` and `to`",
    Result.INVALID_VALUE,
    manual("cuGraphRemoveDependencies", "Specifying an edge that does not exist in the graph"),
    fix="remove only edges that exist",
)


@guard
def edges(call: Call, handle: int, first: Nodes, second: Nodes, count: int) -> list[tuple[Node, Node]]:
    """Return the edges of a call as pairs: a node and the node that depends on it.

    Args:
        call: The call.
        handle: The graph.
        first: The nodes that others depend on.
        second: The nodes that depend on these.
        count: How many edges there are.
    """
    return ends_in(call, any_graph_of(call, handle), first, second, count)


@guard
def ends_in(call: Call, changed: Graph, first: Nodes, second: Nodes, count: int) -> list[tuple[Node, Node]]:
    """Return the edges of a call, which the graph has; arguments as for :func:`edges`."""
    if not count:
        return []
    if first is None or second is None:
        raise ENDS_ARE_GIVEN.broken(count=count)
    known = call.process.graphs
    ends: list[Any] = [(known.get(one), known.get(other)) for one, other in zip(first, second, strict=False)][:count]
    if len(ends) < count:
        raise ENDS_ARE_GIVEN.broken(count=count)
    for one, other in ends:
        if one not in changed.nodes or other not in changed.nodes:
            raise ENDS_ARE_OF_THE_GRAPH.broken(graph=changed)
        if one is other:
            raise ENDS_DIFFER.broken(node=one)
    return ends


@guard
def data_of(ends: Sequence[tuple[int, int]], data: Data) -> list[Row]:
    """Return checked edge data.

    Args:
        ends: The kinds of the nodes of each.
        data: What each is like; None for nothing that is said of any.
    """
    rows: list[Any] = list((data or ())[: len(ends)])
    rows += [PLAIN] * (len(ends) - len(rows))
    for (one, other), row in zip(ends, rows, strict=True):
        if row != PLAIN and not _fits(one, other, row):
            raise DATA_ARE_DEFAULT.broken(kind=one, dependent=other, data=row)
    return rows


def _fits(first: int, second: int, row: Row) -> bool:
    """Return whether an edge between nodes of these kinds can have this data."""
    port, to, kind = row
    if first != KERNEL or to:
        return False
    return port in {PROGRAMMATIC, BEGUN} and second == KERNEL if kind == PROGRAMMATIC else (port, kind) == (BEGUN, 0)


@DRIVER.op(
    "cuGraphAddDependencies", acts_before=(EDGE_IS_NEW,), several="the edges before one that is refused are added"
)
def graph_add_dependencies(call: Call, handle: int, first: Nodes, second: Nodes, data: Data, count: int) -> None:
    """Add edges to a graph; arguments as for :func:`edges`, with the edge data."""
    # CHECK
    added = edges(call, handle, first, second, count)
    rows = data_of([(one.kind, other.kind) for one, other in added], data)
    # EFFECT
    for (one, other), row in zip(added, rows, strict=True):
        if other in one.before:
            raise EDGE_IS_NEW.broken(node=one, dependent=other)
        graph.connect([(one, other)], [row])


@DRIVER.op(
    "cuGraphRemoveDependencies",
    acts_before=(EDGE_IS_THERE,),
    several="the edges before one that is refused are removed",
)
def graph_remove_dependencies(call: Call, handle: int, first: Nodes, second: Nodes, _: Data, count: int) -> None:
    """Remove edges from a graph; arguments as for :func:`edges`. The call ignores the edge data."""
    # CHECK
    removed = ends_in(call, without_memory(any_graph_of(call, handle)), first, second, count)
    # EFFECT
    for one, other in removed:
        if other not in one.before:
            raise EDGE_IS_THERE.broken(node=one, dependent=other)
        graph.disconnect([(one, other)])
