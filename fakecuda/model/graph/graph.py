"""Graphs with their nodes and edges."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.model.graph import user_object
from fakecuda.model.os import handles

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fakecuda.model.context import Context
    from fakecuda.model.graph.conditional import Condition
    from fakecuda.model.graph.user_object import UserObject
    from fakecuda.model.history import Stack
    from fakecuda.model.os.process import Process

KERNEL, MEMCPY, MEMSET, HOST, CHILD, EMPTY, WAIT_EVENT, EVENT_RECORD = range(8)
MEM_ALLOC, MEM_FREE, BATCH_MEM_OP, CONDITIONAL = range(10, 14)
"""CUgraphNodeType of the modelled kinds of nodes."""

Data = tuple[int, int, int]
"""The data of an edge: source port, destination port, CUgraphDependencyType."""
PLAIN: Data = (0, 0, 0)
"""An edge without data."""


class Captured(tuple[tuple[int, ...], "Context"]):
    """The parameters of a memset that was captured, with the stream's context.

    It uses that context, whatever context its memory has. A memset that a call has added uses its memory's.
    """

    __slots__ = ()


@define(eq=False)
class Node(history.Lifetime):
    """A node of a graph.

    Attributes:
        handle: The CUgraphNode.
        graph: Its graph.
        kind: Its CUgraphNodeType.
        params: Its parameters, as they were passed. For a child node the child graph, for a conditional node its
            branches.
        number: Its number in its graph, in the order in which nodes were added.
        after: The nodes that it depends on, with the data of each edge.
        before: The nodes that depend on it, with the data of each edge.
        origin: The node that it was cloned from.
        behind: The memory that it or a node before it frees, by the edges that were there when it was added.
    """

    handle: int
    graph: Graph
    kind: int
    params: Any = field(repr=False)
    number: int = 0
    after: dict[Node, Data] = field(factory=dict, repr=False)
    before: dict[Node, Data] = field(factory=dict, repr=False)
    origin: Node | None = field(default=None, repr=False)
    behind: tuple[Any, ...] = field(default=(), repr=False)

    @effect()
    def change(self, params: Any) -> None:
        """Replace the parameters of the node."""
        self.params = params

    def embedded(self) -> tuple[Graph, ...]:
        """Return the graphs that are embedded in the node."""
        if self.kind == CONDITIONAL:
            return tuple(self.params.bodies)
        return (self.params,) if self.kind == CHILD else ()

    def __repr__(self) -> str:
        return f"node {self.handle:#x} of {self.graph}"


@define(eq=False)
class Graph(history.Lifetime):
    """A graph.

    Attributes:
        handle: The CUgraph.
        process: Its process.
        number: Its number among its process's graphs and executable graphs, in the order in which they were made.
        added: How many nodes were added to it.
        nodes: Its nodes in the order in which they were added.
        roots: Its nodes without dependencies, in the order in which they became such nodes.
        leaves: Its nodes that no node depends on, in the order in which they became such nodes. A clone has that order.
        owner: The node that it is embedded in. It ends with that node.
        objects: The user objects that it holds, with the number of references.
        conditions: The conditions of the graph and of graphs in it, by handle. An embedded graph has none.
        moved: Whether its node took over the original graph, and not a clone.
        gone: The number of its last node that was destroyed, or refused after the driver had begun to add it, among those of its
            process; 0 without any. A clone has that of its original.
        remembers: Whether a refused one was a memory node: the graph then counts as one with memory nodes.
    """

    handle: int
    process: Process
    number: int
    added: int = 0
    nodes: dict[Node, None] = field(factory=dict, repr=False)
    roots: dict[Node, None] = field(factory=dict, repr=False)
    leaves: dict[Node, None] = field(factory=dict, repr=False)
    owner: Node | None = field(default=None, repr=False)
    objects: dict[UserObject, int] = field(factory=dict, repr=False)
    conditions: dict[int, Condition] = field(factory=dict, repr=False)
    moved: bool = False
    gone: int = 0
    remembers: bool = False

    @effect()
    def refuse(self, kind: int, after: Iterable[Node] = ()) -> None:
        """Record that the graph refused a new node of a kind with dependencies."""
        self.gone = next_gone(self.process)
        for node in after:
            if node in self.leaves:  # it stopped being one, and became one again
                del self.leaves[node]
                self.leaves[node] = None
        self.remembers = self.remembers or kind in {MEM_ALLOC, MEM_FREE}

    def ordered(self) -> list[Node] | None:
        """Return the nodes in topological order.

        None if nodes depend on each other in a cycle.
        """
        missing = {node: len(node.after) for node in self.nodes}
        found = [node for node, number in missing.items() if not number]
        for node in found:
            for later in node.before:
                missing[later] -= 1
                if not missing[later]:
                    found.append(later)
        return found if len(found) == len(self.nodes) else None

    def every(self) -> Iterator[Node]:
        """Yield the nodes in the order of addition, each before its embedded nodes."""
        for node in self.nodes:
            yield node
            for graph in node.embedded():
                yield from graph.every()

    def around(self) -> list[Graph]:
        """Return the graph and the graphs around it, innermost first."""
        found = [self]
        while found[-1].owner is not None:
            found.append(found[-1].owner.graph)
        return found

    def conditioned(self) -> list[Condition]:
        """Return the conditions of the graph and its embedded graphs."""
        return [one for one in self.around()[-1].conditions.values() if self in one.graph.around()]

    def __repr__(self) -> str:
        return f"graph {self.handle:#x}"


@effect(makes="Graph")
def create(process: Process, stack: Stack, owner: Node | None = None) -> Graph:
    """Create an empty graph, and return it."""
    graph = Graph(handles.new_handle(process, "graph"), process, next_number(process), owner=owner, created=stack)
    process.graphs[graph.handle] = graph
    return graph


def next_number(process: Process) -> int:
    """Return the number for a process's next graph or executable graph."""
    process.numbered_graphs += 1
    return process.numbered_graphs


def next_gone(process: Process) -> int:
    """Return the number of a process's next refused or destroyed node."""
    process.gone_nodes += 1
    return process.gone_nodes


@effect(makes="Node")
def add_node(
    graph: Graph,
    kind: int,
    params: Any,
    after: Iterable[Node],
    stack: Stack,
    data: Iterable[Data] = (),
    *,
    moves: bool = False,
) -> Node:
    """Add a node to a graph, and return it.

    Args:
        graph: The graph.
        kind: Its CUgraphNodeType.
        params: Its parameters. For a child node the graph to clone, for a conditional node branches without graphs.
        after: The nodes that it depends on.
        stack: The stack that adds it.
        data: The data of the edges from those nodes, in order. Further edges have no data.
        moves: Whether a child node takes the graph itself instead of a clone.
    """
    process = graph.process
    node = Node(handles.new_handle(process, "node"), graph, kind, params, graph.added, created=stack)
    graph.added += 1
    graph.nodes[node] = graph.roots[node] = graph.leaves[node] = None
    process.graphs[node.handle] = node
    after = tuple(after)
    connect([(other, node) for other in after], data)
    freed = [memory for other in after for memory in other.behind]
    if kind == MEM_FREE:
        freed.append(params)
    if freed:
        node.behind = tuple(dict.fromkeys(freed))
    if kind == CHILD and moves:
        params.owner, params.moved = node, True
    elif kind == CHILD:
        node.params = clone(params, stack, node)
    elif kind == CONDITIONAL:
        params.condition.node = node
        params.bodies = tuple(create(process, stack, node) for _ in range(params.size))
    elif kind == MEM_FREE:
        params.frees[graph] = None
    return node


@effect()
def embed(node: Node, of: Graph, stack: Stack) -> None:
    """Give a child node a clone of another graph; its graph ends."""
    was, node.params = node.params, clone(of, stack, node)
    end(was, stack, again=True)


@effect()
def connect(edges: Iterable[tuple[Node, Node]], data: Iterable[Data] = ()) -> None:
    """Add edges: the second node of each depends on the first.

    ``data`` as in :func:`add_node`.
    """
    for (first, second), what in zip(edges, chain(data, repeat(PLAIN)), strict=False):
        first.before[second] = second.after[first] = what
        first.graph.leaves.pop(first, None)
        second.graph.roots.pop(second, None)


@effect()
def disconnect(edges: Iterable[tuple[Node, Node]]) -> None:
    """Remove edges between nodes."""
    for first, second in edges:
        del first.before[second], second.after[first]
        if not first.before:
            first.graph.leaves[first] = None
        if not second.after:
            second.graph.roots[second] = None


@effect(ends="node")
def remove_node(node: Node, stack: Stack) -> None:
    """Remove a node with its edges and its embedded graphs."""
    disconnect([*((other, node) for other in node.after), *((node, other) for other in node.before)])
    del node.graph.nodes[node], node.graph.roots[node], node.graph.leaves[node]
    node.graph.gone = next_gone(node.graph.process)
    _end_node(node, stack)
    handles.give_again(node.graph.process, "node", node.handle)


@effect(ends="graph")
def end(graph: Graph, stack: Stack, *, again: bool = False) -> None:
    """Destroy a graph with its nodes.

    ``again`` gives its handle to a new graph, if the machine's ``handles`` says so.
    """
    graph.ended = stack
    process = graph.process
    del process.graphs[graph.handle]
    process.note_freed(graph.handle, graph)
    if again:
        handles.give_again(process, "graph", graph.handle)
    for condition in graph.conditions.values():
        condition.ended = stack
    for node in graph.nodes:
        _end_node(node, stack)
    user_object.let_all_go(graph, stack)


def _end_node(node: Node, stack: Stack) -> None:
    node.ended = stack
    process = node.graph.process
    del process.graphs[node.handle]
    process.note_freed(node.handle, node)
    if node.kind == CONDITIONAL:
        node.params.condition.node = None
    for graph in node.embedded():
        if not graph.ended:  # the graph of a broken capture has ended already
            end(graph, stack)


@effect()
def clone(graph: Graph, stack: Stack, owner: Node | None = None) -> Graph:
    """Return a clone of a graph.

    Args:
        graph: The graph.
        stack: The stack that makes it.
        owner: The node that the clone is embedded in. None for a clone by itself.
    """
    copy = create(graph.process, stack, owner)
    copies: dict[Node, Node] = {}
    for node in graph.nodes:
        params = evolve(node.params, laid=None) if node.kind == BATCH_MEM_OP else node.params
        made = copies[node] = add_node(copy, node.kind, params, (), stack)
        made.origin = node
    edges = {(copies[other], made): data for node, made in copies.items() for other, data in node.after.items()}
    connect(edges, edges.values())
    user_object.share(copy, graph)
    copy.gone = graph.gone
    copy.leaves = {copies[node]: None for node in graph.leaves}
    return copy
