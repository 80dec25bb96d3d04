"""Graphs: nodes and what each comes after, and what is made of them to be launched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from fakecuda.model import history
from fakecuda.model.effect import effect

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fakecuda.model.history import Stack
    from fakecuda.model.process import Process

KERNEL, MEMCPY, MEMSET, HOST, CHILD, EMPTY, WAIT_EVENT, EVENT_RECORD = range(8)
MEM_ALLOC, MEM_FREE, BATCH_MEM_OP = range(10, 13)
"""CUgraphNodeType, of the nodes that are modelled."""


@define(eq=False)
class Node(history.Lifetime):
    """A node of a graph.

    Attributes:
        handle: The CUgraphNode.
        graph: Its graph.
        kind: What it does, CUgraphNodeType.
        params: What it does that with, as the call that made it was told; of a child its graph.
        after: The nodes that it depends on.
        before: The nodes that depend on it.
        origin: The node that it is a clone of.
    """

    handle: int
    graph: Graph
    kind: int
    params: Any = field(repr=False)
    after: dict[Node, None] = field(factory=dict, repr=False)
    before: dict[Node, None] = field(factory=dict, repr=False)
    origin: Node | None = field(default=None, repr=False)

    @effect()
    def change(self, params: Any) -> None:  # noqa: ANN401 - as the attribute
        """Have it do its kind of thing with something else."""
        self.params = params

    def __repr__(self) -> str:
        return f"node {self.handle:#x} of {self.graph}"


@define(eq=False)
class Graph(history.Lifetime):
    """A graph.

    Attributes:
        handle: The CUgraph.
        process: Its process.
        nodes: Its nodes in the order in which they were added.
        owner: The node that it is embedded in, which ends it.
    """

    handle: int
    process: Process
    nodes: dict[Node, None] = field(factory=dict, repr=False)
    owner: Node | None = field(default=None, repr=False)

    def ordered(self) -> list[Node] | None:
        """Return its nodes, each behind those that it depends on; None where some depend on each other."""
        missing = {node: len(node.after) for node in self.nodes}
        found = [node for node, number in missing.items() if not number]
        for node in found:
            for later in node.before:
                missing[later] -= 1
                if not missing[later]:
                    found.append(later)
        return found if len(found) == len(self.nodes) else None

    def around(self) -> list[Graph]:
        """Return it, and the graphs that it is embedded in, the nearest first."""
        found = [self]
        while found[-1].owner is not None:
            found.append(found[-1].owner.graph)
        return found

    def __repr__(self) -> str:
        return f"graph {self.handle:#x}"


@define(eq=False)
class Executable(history.Lifetime):
    """An executable graph.

    Attributes:
        handle: The CUgraphExec.
        process: Its process.
        steps: What a launch does, in order: kinds of nodes and their parameters.
    """

    handle: int
    process: Process
    steps: list[tuple[int, Any]] = field(repr=False)

    def __repr__(self) -> str:
        return f"executable graph {self.handle:#x}"


def is_held(item: Graph | Node | Executable) -> bool:
    """Return whether a program has to destroy something: a node, and a graph that is embedded in one, go with others."""
    return isinstance(item, Executable) or (isinstance(item, Graph) and item.owner is None)


def in_fork(fork: Process, items: Mapping[int, Graph | Node | Executable]) -> dict[int, Graph | Node | Executable]:
    """Return the graphs of a process as a fork of it has them: copies under the same handles.

    Args:
        fork: The fork, which has copies of the events by now.
        items: The graphs, their nodes, and the executable ones, by their handles.
    """
    twins: dict[Any, Any] = {
        item: evolve(item) if isinstance(item, Node) else evolve(item, process=fork) for item in items.values()
    }
    for twin in twins.values():
        if isinstance(twin, Graph):
            twin.nodes = {twins[node]: None for node in twin.nodes}
            twin.owner = twins.get(twin.owner)
        elif isinstance(twin, Node):
            twin.graph = twins[twin.graph]
            twin.after, twin.before = (
                {twins[node]: how for node, how in side.items()} for side in (twin.after, twin.before)
            )
            twin.params = twins.get(twin.params, twin.params) if twin.kind == CHILD else twin.params
    return {item.handle: twins[item] for item in items.values()}


def steps_of(graph: Graph) -> list[tuple[int, Any]] | None:
    """Return what a launch of a graph does, in order; None where nodes depend on each other."""
    nodes = graph.ordered()
    if nodes is None:
        return None
    steps: list[tuple[int, Any]] = []
    for node in nodes:
        if node.kind == CHILD:
            inner = steps_of(node.params)
            if inner is None:
                return None
            steps += inner
        else:
            steps.append((node.kind, node.params))
    return steps


@effect(makes="Graph")
def create(process: Process, stack: Stack, owner: Node | None = None) -> Graph:
    """Return a new graph without nodes."""
    graph = Graph(process.machine.territory.new_handle(), process, owner=owner, created=stack)
    process.graphs[graph.handle] = graph
    return graph


@effect(makes="Node")
def add_node(graph: Graph, kind: int, params: Any, after: Iterable[Node], stack: Stack) -> Node:  # noqa: ANN401 - as Node has them
    """Return a new node of a graph.

    Args:
        graph: The graph.
        kind: What it does, CUgraphNodeType.
        params: What it does that with; of a child the graph that it gets a clone of.
        after: The nodes that it depends on.
        stack: The stack that adds it.
    """
    process = graph.process
    node = Node(process.machine.territory.new_handle(), graph, kind, params, created=stack)
    graph.nodes[node] = None
    process.graphs[node.handle] = node
    connect([(other, node) for other in after])
    if kind == CHILD:
        node.params = clone(params, stack, node)
    elif kind == MEM_FREE:
        params.frees[graph] = None
    return node


@effect()
def connect(edges: Iterable[tuple[Node, Node]]) -> None:
    """Have nodes depend on others: of each edge the second one on the first."""
    for first, second in edges:
        first.before[second] = second.after[first] = None


@effect()
def disconnect(edges: Iterable[tuple[Node, Node]]) -> None:
    """Have nodes depend on others no longer."""
    for first, second in edges:
        del first.before[second], second.after[first]


@effect(ends="node")
def remove_node(node: Node, stack: Stack) -> None:
    """End a node, with its edges, and with the graph that is embedded in it."""
    disconnect([*((other, node) for other in node.after), *((node, other) for other in node.before)])
    del node.graph.nodes[node]
    _end_node(node, stack)


@effect(ends="graph")
def end(graph: Graph, stack: Stack) -> None:
    """End a graph with its nodes."""
    graph.ended = stack
    process = graph.process
    del process.graphs[graph.handle]
    process.note_freed(graph.handle, graph)
    for node in graph.nodes:
        _end_node(node, stack)


def _end_node(node: Node, stack: Stack) -> None:
    node.ended = stack
    process = node.graph.process
    del process.graphs[node.handle]
    process.note_freed(node.handle, node)
    if node.kind == CHILD:
        end(node.params, stack)


@effect()
def clone(graph: Graph, stack: Stack, owner: Node | None = None) -> Graph:
    """Return a copy of a graph.

    Args:
        graph: The graph.
        stack: The stack that makes it.
        owner: The node that it is embedded in.
    """
    copy = create(graph.process, stack, owner)
    copies: dict[Node, Node] = {}
    for node in graph.nodes:
        made = copies[node] = add_node(copy, node.kind, node.params, (), stack)
        made.origin = node
    connect([(copies[other], made) for node, made in copies.items() for other in node.after])
    return copy


@effect(makes="Executable")
def instantiate(process: Process, steps: list[tuple[int, Any]], stack: Stack) -> Executable:
    """Return a new executable graph, which does some steps."""
    executable = Executable(process.machine.territory.new_handle(), process, steps, created=stack)
    process.graphs[executable.handle] = executable
    return executable


@effect(ends="executable")
def end_executable(executable: Executable, stack: Stack) -> None:
    """End an executable graph; launches that are under way go on."""
    executable.ended = stack
    process = executable.process
    del process.graphs[executable.handle]
    process.note_freed(executable.handle, executable)
