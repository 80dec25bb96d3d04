"""Graphs: nodes and what each comes after, and what is made of them to be launched."""

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
"""CUgraphNodeType, of the nodes that are modelled."""
DEVICE = 4
"""CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH: an executable graph is made for launches by devices."""

Data = tuple[int, int, int]
"""What an edge is like: the port that it comes from, the one that it leads to, and CUgraphDependencyType."""
PLAIN: Data = (0, 0, 0)
"""An edge of which nothing was said."""


@define(eq=False)
class Node(history.Lifetime):
    """A node of a graph.

    Attributes:
        handle: The CUgraphNode.
        graph: Its graph.
        kind: What it does, CUgraphNodeType.
        params: What it does that with, as the call that made it was told; of a child its graph, of a conditional branches.
        number: Which of its graph's it is, in the order in which they were added.
        after: The nodes that it depends on, and what each edge is like.
        before: The nodes that depend on it, likewise.
        origin: The node that it is a clone of.
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
        """Have it do its kind of thing with something else."""
        self.params = params

    def embedded(self) -> tuple[Graph, ...]:
        """Return the graphs that are embedded in it."""
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
        number: Which of its process's graphs it is, executable ones among them, in the order in which they were made.
        added: How many nodes were added to it.
        nodes: Its nodes in the order in which they were added.
        owner: The node that it is embedded in, which ends it.
        objects: The user objects that it holds, and how many references.
        conditions: The conditions that were made for it, and for graphs inside it, by their handles; an embedded one has none.
        moved: Whether its node took it over as it was, and not a clone of it.
        refused: Whether a node was refused that frees memory: the driver does not clone it afterwards.
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
        """Note that a node was refused that frees memory."""
        self.refused = True

    @property
    def is_owned(self) -> bool:
        """Whether its node owns it, and no clone of it: it was taken over, or is a conditional's."""
        return self.owner is not None and (self.moved or self.owner.kind == CONDITIONAL)

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

    def every(self) -> Iterator[Node]:
        """Yield its nodes, and those of graphs that are embedded in it, in the order in which they were added."""
        for node in self.nodes:
            yield node
            for graph in node.embedded():
                yield from graph.every()

    def around(self) -> list[Graph]:
        """Return it, and the graphs that it is embedded in, the nearest first."""
        found = [self]
        while found[-1].owner is not None:
            found.append(found[-1].owner.graph)
        return found

    def conditioned(self) -> list[Condition]:
        """Return the conditions that were made for it, and for graphs that are embedded in it."""
        return [one for one in self.around()[-1].conditions.values() if self in one.graph.around()]

    def __repr__(self) -> str:
        return f"graph {self.handle:#x}"


@define(eq=False)
class Step:
    """What an executable graph does for a node.

    Attributes:
        node: The node of the graph that it was made of.
        kind: What it does, CUgraphNodeType.
        params: What it does that with; of a child a body, of a conditional a choice among some.
        after: The places of the steps that it comes behind, and what those edges are like.
        enabled: Whether it does anything.
    """

    node: Node
    kind: int
    params: Any = field(repr=False)
    after: tuple[tuple[int, Data], ...] = ()
    enabled: bool = True

    @effect()
    def change(self, params: Any) -> None:
        """Have later launches do it with something else."""
        self.params = params

    def embedded(self) -> tuple[Body, ...]:
        """Return what it does of the graphs that are embedded in its node."""
        if self.kind == CONDITIONAL:
            return tuple(self.params.bodies)
        return (self.params,) if self.kind == CHILD else ()

    @effect()
    def enable(self, enabled: bool) -> None:  # noqa: FBT001 - as the attribute
        """Have later launches do it, or leave it out."""
        self.enabled = enabled


@define(eq=False)
class Body:
    """What an executable graph has of a graph.

    Attributes:
        steps: Its steps, in the order in which their nodes were added.
        order: The same in the order of a launch.
        objects: The user objects that it holds, and how many references.
    """

    steps: list[Step]
    order: list[Step] = field(repr=False)
    objects: dict[UserObject, int] = field(factory=dict, repr=False)

    def every(self) -> Iterator[Step]:
        """Yield all steps in order, those of a child, and of whatever a conditional may do, behind the step that stands for it."""
        for step in self.order:
            yield step
            for body in step.embedded():
                yield from body.every()

    def chosen(self, later: Callable[[Choice], bool] = lambda _: False) -> Iterator[Step]:
        """Yield the steps of a launch in order: those that are enabled, and of conditionals what their conditions choose.

        A condition is looked at when a step comes to it, so that those before it are to be done then.

        Args:
            later: Takes a choice that cannot be made yet, and returns whether it has; nothing is yielded of that.
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
        """Return it as it is now, for a launch that comes to it later."""
        bodies = {CHILD, CONDITIONAL}
        order = [
            evolve(step, params=step.params.kept()) if step.kind in bodies else evolve(step) for step in self.order
        ]
        return Body(order, order)

    def parts(self) -> Iterator[Body]:
        """Yield it, and the bodies of its children, and of what its conditionals may do."""
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
        number: Which of its process's graphs it is, those of nodes among them, in the order in which they were made.
        flags: CUgraphInstantiate_flags, without those that change nothing about it.
        body: What a launch does.
        context: The context of its nodes, if it is made for launches by devices.
        launcher: The context of those of its kernels that launch graphs; None where none did when it was made.
        placed: What a launch by a device does: what ``body`` was when it was uploaded or launched last; None before.
        runs: How many runs of it are under way, if it is made for launches by devices.
        waits: Whether a kernel has launched it behind a run that is under way.
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
        """Return what it does for a node; None where that is none of the graph that it was made of."""
        return next((step for step in self.body.every() if step.node is node), None)

    def conditions(self) -> dict[int, Condition]:
        """Return what its conditionals follow, by the handles that kernels are given."""
        found = (step.params.condition for step in self.body.every() if step.kind == CONDITIONAL)
        return {condition.handle: condition for condition in found}

    def __repr__(self) -> str:
        return f"executable graph {self.handle:#x}"


Item = Graph | Node | Executable
"""What has a handle among a process's graphs."""


def is_held(item: Item) -> bool:
    """Return whether a program has to destroy something: nodes and graphs that are embedded go with others."""
    return isinstance(item, Executable) or (isinstance(item, Graph) and item.owner is None)


def in_fork(fork: Process, items: Mapping[int, Item], objects: Mapping[UserObject, UserObject]) -> dict[int, Item]:
    """Return the graphs of a process as a fork of it has them: copies under the same handles.

    Args:
        fork: The fork, which has copies of the events by now.
        items: The graphs, their nodes, and the executable ones, by their handles.
        objects: By user objects the fork's copies.
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
    """Return the body of an executable graph as a fork has it; nodes that were destroyed are nobody's."""

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
    """Return what a launch of a graph does; None where nodes depend on each other."""
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
    """Return the number of a process's next graph."""
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
        kind: What it does, CUgraphNodeType.
        params: What it does that with; of a child the graph that it gets a clone of, of a conditional branches without graphs.
        after: The nodes that it depends on.
        stack: The stack that adds it.
        data: What the edges from those are like; of edges behind the last one nothing was said.
        moves: Whether a child takes its graph over.
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
    """Have nodes depend on others: of each edge the second one on the first; data as of a new node."""
    for (first, second), what in zip(edges, chain(data, repeat(PLAIN)), strict=False):
        first.before[second] = second.after[first] = what


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
        if not graph.ended:  # as one whose capture was broken has
            end(graph, stack)


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
    """Return a new executable graph, which holds what a graph holds; the rest as it has them."""
    handle = process.machine.territory.new_handle()
    number = _number(process)
    executable = Executable(handle, process, number, flags, body, context, launcher, created=stack)
    process.graphs[executable.handle] = executable
    hold(body, graph)
    return executable


@effect()
def hold(body: Body, graph: Graph) -> None:
    """Have a body hold the user objects that a graph holds, and those of children what theirs do."""
    user_object.share(body, graph)
    for step, node in zip(body.steps, graph.nodes, strict=True):
        for part, embedded in zip(step.embedded(), node.embedded(), strict=True):
            hold(part, embedded)


@effect()
def take_over(body: Body, graph: Graph, pairs: Iterable[tuple[Step, Node]], stack: Stack) -> None:
    """Have a body do, and hold, what a graph does now.

    Args:
        body: The body.
        graph: The graph.
        pairs: Its steps, those of children among them, with the nodes that they stand for.
        stack: The stack that has it so.
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
    """Have the conditions of an executable graph be as they are by default; nobody knows what kernels have left of others."""
    for step in executable.body.every():
        if step.kind == CONDITIONAL:
            choice: Choice = step.params
            left = None if choice.condition.was_set else 0
            choice.condition.assign(choice.default if choice.assigned else left)


@effect()
def place(executable: Executable) -> None:
    """Have launches by devices do what an executable graph does now."""
    executable.placed = executable.body.kept()


@effect()
def begin_launch(executable: Executable) -> Body:
    """Return what holds the user objects of an executable graph until a launch of it has ended."""
    launch = Body([], [])
    for part in executable.body.parts():
        user_object.share(launch, part)
    return launch


@effect(ends="executable")
def end_executable(executable: Executable, stack: Stack) -> None:
    """End an executable graph; launches that are under way go on."""
    executable.ended = stack
    process = executable.process
    del process.graphs[executable.handle]
    process.note_freed(executable.handle, executable)
    for part in executable.body.parts():
        user_object.let_all_go(part, stack)
