"""Graphs with their nodes and edges, and executable graphs that are made of them."""

from __future__ import annotations

from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.model.graph import user_object
from fakecuda.model.graph.conditional import Choice, Condition

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fakecuda.model.context import Context
    from fakecuda.model.graph.user_object import UserObject
    from fakecuda.model.history import Stack
    from fakecuda.model.os.process import Process

KERNEL, MEMCPY, MEMSET, HOST, CHILD, EMPTY, WAIT_EVENT, EVENT_RECORD = range(8)
MEM_ALLOC, MEM_FREE, BATCH_MEM_OP, CONDITIONAL = range(10, 14)
"""CUgraphNodeType of the modelled kinds of nodes."""
DEVICE = 4
"""CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH: the executable graph can be launched by kernels."""

Data = tuple[int, int, int]
"""The data of an edge: the port that it comes from, the port that it leads to, and CUgraphDependencyType."""
PLAIN: Data = (0, 0, 0)
"""An edge without data."""


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
    """

    handle: int
    graph: Graph
    kind: int
    params: Any = field(repr=False)
    number: int = 0
    after: dict[Node, Data] = field(factory=dict, repr=False)
    before: dict[Node, Data] = field(factory=dict, repr=False)
    origin: Node | None = field(default=None, repr=False)

    @effect()
    def change(self, params: Any) -> None:
        """Replace its parameters."""
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
        owner: The node that it is embedded in. It ends with that node.
        objects: The user objects that it holds, with the number of references.
        conditions: The conditions of the graph and of graphs in it, by handle. An embedded graph has none.
        moved: Whether its node took over the original graph, and not a clone.
        refused: Whether a free node was refused. The driver does not clone such a graph.
    """

    handle: int
    process: Process
    number: int
    added: int = 0
    nodes: dict[Node, None] = field(factory=dict, repr=False)
    owner: Node | None = field(default=None, repr=False)
    objects: dict[UserObject, int] = field(factory=dict, repr=False)
    conditions: dict[int, Condition] = field(factory=dict, repr=False)
    moved: bool = False
    refused: bool = False

    @effect()
    def refuse(self) -> None:
        """Record that a free node was refused."""
        self.refused = True

    @property
    def is_owned(self) -> bool:
        """Whether its node owns the original graph, by a move or as a conditional node."""
        return self.owner is not None and (self.moved or self.owner.kind == CONDITIONAL)

    def ordered(self) -> list[Node] | None:
        """Return its nodes, each after its dependencies.

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
        """Yield its nodes in the order of addition, each followed by embedded nodes."""
        for node in self.nodes:
            yield node
            for graph in node.embedded():
                yield from graph.every()

    def around(self) -> list[Graph]:
        """Return the graph and the graphs that it is embedded in, the nearest first."""
        found = [self]
        while found[-1].owner is not None:
            found.append(found[-1].owner.graph)
        return found

    def conditioned(self) -> list[Condition]:
        """Return the conditions that were made for the graph and its embedded graphs."""
        return [one for one in self.around()[-1].conditions.values() if self in one.graph.around()]

    def __repr__(self) -> str:
        return f"graph {self.handle:#x}"


@define(eq=False)
class Step:
    """The step of an executable graph for a node.

    Attributes:
        node: The node of the original graph.
        kind: Its CUgraphNodeType.
        params: Its parameters. For a child node a body, for a conditional node a choice among bodies.
        after: The indices of the steps that it comes after, with the data of those edges.
        enabled: Whether launches run it.
    """

    node: Node
    kind: int
    params: Any = field(repr=False)
    after: tuple[tuple[int, Data], ...] = ()
    enabled: bool = True

    @effect()
    def change(self, params: Any) -> None:
        """Replace the parameters for later launches."""
        self.params = params

    def embedded(self) -> tuple[Body, ...]:
        """Return the bodies of the graphs that are embedded in its node."""
        if self.kind == CONDITIONAL:
            return tuple(self.params.bodies)
        return (self.params,) if self.kind == CHILD else ()

    @effect()
    def enable(self, enabled: bool) -> None:  # noqa: FBT001 - as the attribute
        """Enable or disable the step in later launches."""
        self.enabled = enabled


@define(eq=False)
class Body:
    """The steps of an executable graph for a graph or an embedded graph.

    Attributes:
        steps: Its steps, in the order in which their nodes were added.
        order: Its steps, in the order of a launch.
        objects: The user objects that it holds, with the number of references.
    """

    steps: list[Step]
    order: list[Step] = field(repr=False)
    objects: dict[UserObject, int] = field(factory=dict, repr=False)

    def every(self) -> Iterator[Step]:
        """Yield all steps in order, each followed by the steps of its embedded bodies."""
        for step in self.order:
            yield step
            for body in step.embedded():
                yield from body.every()

    def chosen(self, later: Callable[[Choice], bool] = lambda _: False) -> Iterator[Step]:
        """Yield the steps of a launch in order: enabled steps and chosen bodies.

        A condition is read when its step is reached, so the caller must run each step before it takes the next.

        Args:
            later: Takes over a choice that cannot be made yet, and returns whether it has. Nothing is yielded for such
                a choice.
        """
        for step in self.order:
            if step.enabled:
                yield step
            bodies: Iterable[Body] = step.embedded()
            if step.kind == CONDITIONAL:
                bodies = () if later(step.params) else step.params.chosen()
            for body in bodies:
                yield from body.chosen(later)

    def kept(self) -> Body:
        """Return a copy of its present state, for a launch that runs it later."""
        bodies = {CHILD, CONDITIONAL}
        order = [
            evolve(step, params=step.params.kept()) if step.kind in bodies else evolve(step) for step in self.order
        ]
        return Body(order, order)

    def parts(self) -> Iterator[Body]:
        """Yield the body, and all bodies that are embedded in it."""
        yield self
        for step in self.steps:
            for body in step.embedded():
                yield from body.parts()


@define(eq=False)
class Executable(history.Lifetime):
    """An executable graph.

    Attributes:
        handle: The CUgraphExec.
        process: Its process.
        number: Its number among its process's graphs and executable graphs, in the order in which they were made.
        flags: CUgraphInstantiate_flags, without flags that have no effect here.
        body: The steps of a launch.
        context: The context of its nodes, if it is device-launchable.
        launcher: The context of its kernels that launch graphs. None if no kernel did when it was made.
        placed: The steps of a launch by a kernel: ``body`` at the last upload or launch. None before that.
        runs: How many runs of it are in progress, if it is device-launchable.
        waits: Whether a kernel has launched it behind a run in progress.
    """

    handle: int
    process: Process
    number: int
    flags: int
    body: Body = field(repr=False)
    context: Context | None = field(default=None, repr=False)
    launcher: Context | None = field(default=None, repr=False)
    placed: Body | None = field(default=None, repr=False)
    runs: int = 0
    waits: bool = False

    def step_of(self, node: Node) -> Step | None:
        """Return the step for a node. None if the node is not of the original graph."""
        return next((step for step in self.body.every() if step.node is node), None)

    def conditions(self) -> dict[int, Condition]:
        """Return the conditions of its conditional nodes, by handle."""
        found = (step.params.condition for step in self.body.every() if step.kind == CONDITIONAL)
        return {condition.handle: condition for condition in found}

    def __repr__(self) -> str:
        return f"executable graph {self.handle:#x}"


Item = Graph | Node | Executable
"""An object with a handle among a process's graphs."""


def is_held(item: Item) -> bool:
    """Return whether the program destroys the object.

    Nodes and embedded graphs end with others.
    """
    return isinstance(item, Executable) or (isinstance(item, Graph) and item.owner is None)


def in_fork(fork: Process, items: Mapping[int, Item], objects: Mapping[UserObject, UserObject]) -> dict[int, Item]:
    """Return a fork's copies of the graphs of a process, with the same handles.

    Args:
        fork: The fork, which already has copies of the events.
        items: The graphs, their nodes, and the executable graphs, by handle.
        objects: The fork's copies of user objects.
    """
    twins: dict[Any, Any] = {
        item: evolve(item) if isinstance(item, Node) else evolve(item, process=fork) for item in items.values()
    }
    graphs = [item for item in items.values() if isinstance(item, Graph)]
    twins |= {condition: evolve(condition) for graph in graphs for condition in graph.conditions.values()}
    for twin in twins.values():
        if isinstance(twin, Graph):
            twin.nodes = {twins[node]: None for node in twin.nodes}
            twin.owner = twins.get(twin.owner)
            twin.objects = {objects[item]: count for item, count in twin.objects.items()}
            twin.conditions = {number: twins[one] for number, one in twin.conditions.items()}
        elif isinstance(twin, Condition):
            twin.graph, twin.node = twins.get(twin.graph, twin.graph), twins.get(twin.node)
        elif isinstance(twin, Node):
            twin.graph = twins[twin.graph]
            twin.after, twin.before = (
                {twins[node]: data for node, data in side.items()} for side in (twin.after, twin.before)
            )
            if twin.kind == CHILD:
                twin.params = twins[twin.params]
            elif twin.kind == CONDITIONAL:
                bodies = tuple(twins[one] for one in twin.params.bodies)
                twin.params = evolve(twin.params, condition=twins[twin.params.condition], bodies=bodies)
        else:
            twin.body = _twin_of(twin.body, twins)
            twin.placed = None if twin.placed is None else _twin_of(twin.placed, twins)
            twin.runs, twin.waits = 0, False
    return {item.handle: twins[item] for item in items.values()}


def _twin_of(body: Body, twins: Mapping[Any, Any]) -> Body:
    """Return a fork's copy of a body; steps of destroyed nodes keep the parent's node."""

    def copied(step: Step) -> Any:
        if step.kind == CONDITIONAL:
            condition = twins.get(step.params.condition, step.params.condition)
            return evolve(
                step.params, condition=condition, bodies=tuple(_twin_of(one, twins) for one in step.embedded())
            )
        return _twin_of(step.params, twins) if step.kind == CHILD else step.params

    copies = {step: evolve(step, node=twins.get(step.node, step.node), params=copied(step)) for step in body.steps}
    return Body(list(copies.values()), [copies[step] for step in body.order])


def body_of(graph: Graph) -> Body | None:
    """Return the steps of a launch of a graph.

    None if nodes depend on each other in a cycle.
    """
    ordered = graph.ordered()
    if ordered is None:
        return None
    places = {node: place for place, node in enumerate(graph.nodes)}
    steps: list[Step] = []
    for node in graph.nodes:
        bodies = [body_of(one) for one in node.embedded()]
        if None in bodies:
            return None
        params: Any = bodies[0] if node.kind == CHILD else node.params
        if node.kind == CONDITIONAL:
            one: Condition = params.condition
            params = Choice(one, params.kind, one.default, one.assigned, tuple(body for body in bodies if body))
        after = tuple((places[other], data) for other, data in node.after.items())
        steps.append(Step(node, node.kind, params, after))
    return Body(steps, [steps[places[node]] for node in ordered])


@effect(makes="Graph")
def create(process: Process, stack: Stack, owner: Node | None = None) -> Graph:
    """Return a new graph without nodes."""
    graph = Graph(process.machine.territory.new_handle(), process, _number(process), owner=owner, created=stack)
    process.graphs[graph.handle] = graph
    return graph


def _number(process: Process) -> int:
    """Return the number for a process's next graph."""
    process.numbered_graphs += 1
    return process.numbered_graphs


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
    """Return a new node of a graph.

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
    node = Node(process.machine.territory.new_handle(), graph, kind, params, graph.added, created=stack)
    graph.added += 1
    graph.nodes[node] = None
    process.graphs[node.handle] = node
    connect([(other, node) for other in after], data)
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
def connect(edges: Iterable[tuple[Node, Node]], data: Iterable[Data] = ()) -> None:
    """Add edges: the second node of each depends on the first.

    ``data`` as in :func:`add_node`.
    """
    for (first, second), what in zip(edges, chain(data, repeat(PLAIN)), strict=False):
        first.before[second] = second.after[first] = what


@effect()
def disconnect(edges: Iterable[tuple[Node, Node]]) -> None:
    """Remove edges between nodes."""
    for first, second in edges:
        del first.before[second], second.after[first]


@effect(ends="node")
def remove_node(node: Node, stack: Stack) -> None:
    """End a node with its edges and the graphs embedded in it."""
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
        made = copies[node] = add_node(copy, node.kind, node.params, (), stack)
        made.origin = node
    edges = {(copies[other], made): data for node, made in copies.items() for other, data in node.after.items()}
    connect(edges, edges.values())
    user_object.share(copy, graph)
    return copy


@effect(makes="Executable")
def instantiate(
    process: Process,
    graph: Graph,
    body: Body,
    flags: int,
    context: Context | None,
    launcher: Context | None,
    stack: Stack,
) -> Executable:
    """Return a new executable graph, which holds the user objects of a graph.

    Other arguments are its attributes.
    """
    handle = process.machine.territory.new_handle()
    number = _number(process)
    executable = Executable(handle, process, number, flags, body, context, launcher, created=stack)
    process.graphs[executable.handle] = executable
    hold(body, graph)
    return executable


@effect()
def hold(body: Body, graph: Graph) -> None:
    """Let a body hold the user objects that its graph holds, with all embedded graphs."""
    user_object.share(body, graph)
    for step, node in zip(body.steps, graph.nodes, strict=True):
        for part, embedded in zip(step.embedded(), node.embedded(), strict=True):
            hold(part, embedded)


@effect()
def take_over(body: Body, graph: Graph, pairs: Iterable[tuple[Step, Node]], stack: Stack) -> None:
    """Update a body to the present parameters and user objects of a graph.

    Args:
        body: The body.
        graph: The graph.
        pairs: Its steps and the steps of embedded graphs, each with its node.
        stack: The stack that updates it.
    """
    for step, node in pairs:
        if step.kind == CONDITIONAL:
            step.params.follow(node.params.condition)
        elif step.kind != CHILD:
            step.change(node.params)
    held = [(part, dict(part.objects)) for part in body.parts()]
    hold(body, graph)
    for part, objects in held:
        for item, count in objects.items():
            user_object.let_go(part, item, count, stack)


@effect()
def assign(executable: Executable) -> None:
    """Assign the defaults of an executable graph's conditions.

    The value of a condition without a default becomes unknown if a kernel has ever set it.
    """
    for step in executable.body.every():
        if step.kind == CONDITIONAL:
            choice: Choice = step.params
            left = None if choice.condition.was_set else 0
            choice.condition.assign(choice.default if choice.assigned else left)


@effect()
def place(executable: Executable) -> None:
    """Let launches by kernels run the present steps of an executable graph."""
    executable.placed = executable.body.kept()


@effect()
def begin_launch(executable: Executable) -> Body:
    """Return a body that holds an executable graph's user objects for one launch."""
    launch = Body([], [])
    for part in executable.body.parts():
        user_object.share(launch, part)
    return launch


@effect(ends="executable")
def end_executable(executable: Executable, stack: Stack) -> None:
    """End an executable graph; launches in progress continue."""
    executable.ended = stack
    process = executable.process
    del process.graphs[executable.handle]
    process.note_freed(executable.handle, executable)
    for part in executable.body.parts():
        user_object.let_all_go(part, stack)
