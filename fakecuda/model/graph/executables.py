"""Executable graphs: the steps that a launch of a graph runs."""

from __future__ import annotations

from itertools import starmap
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import define, evolve, field

from fakecuda.model import history
from fakecuda.model.context import LMEM_RESIZE_TO_MAX
from fakecuda.model.effect import effect
from fakecuda.model.graph import user_object
from fakecuda.model.graph.conditional import Choice, Condition
from fakecuda.model.graph.graph import (
    BATCH_MEM_OP,
    CHILD,
    CONDITIONAL,
    EVENT_RECORD,
    KERNEL,
    MEM_ALLOC,
    MEM_FREE,
    MEMCPY,
    MEMSET,
    WAIT_EVENT,
    Data,
    Graph,
    Node,
    next_number,
)
from fakecuda.model.memory.memory import Allocation, Managed, Mapped, Pinned, Registered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fakecuda.model.context import Context
    from fakecuda.model.graph.branches import Shape
    from fakecuda.model.graph.user_object import UserObject
    from fakecuda.model.history import Stack
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.stream import Stream, Work
    from fakecuda.model.work.stream_order import Captured

DEVICE = 4
"""CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH: the executable graph can be launched by kernels."""

TYPES, PLACES = slice(4, 16, 11), slice(6, 18, 11)
"""Where a CUDA_MEMCPY3D has the types of its source and its target, and their addresses outside of CU_MEMORYTYPE_HOST."""
OF_A_DEVICE, UNIFIED = 2, 4
"""CU_MEMORYTYPE_DEVICE and CU_MEMORYTYPE_UNIFIED."""


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
        """Replace the parameters of the step for later launches."""
        self.params = params

    def embedded(self) -> tuple[Body, ...]:
        """Return the bodies that are embedded in the step's node."""
        if self.kind == CONDITIONAL:
            return tuple(self.params.bodies)
        return (self.params,) if self.kind == CHILD else ()

    @property
    def home(self) -> Context | None:
        """The context in which the step works; None if any context will do."""
        home: Context | None = None
        if self.kind == KERNEL:
            home = self.params.function.module.context
        elif self.kind == CONDITIONAL:
            home = self.params.condition.context
        elif self.kind in {MEMSET, MEMCPY}:
            home = self.params[1]
        elif self.kind in {BATCH_MEM_OP, EVENT_RECORD, WAIT_EVENT}:
            home = self.params.context
        return home

    def runs_kernels(self, flags: int) -> Context | None:
        """Return the context in which kernels run for it: its own, or those that choose a body, copy or fill. None if none do.

        A copy needs kernels within a device, and from or to managed memory: in the context of its source, or else of its target. A memset
        needs kernels for rows that do not adjoin, and in a graph that devices can launch: in the context of its memory.

        Args:
            flags: CUgraphInstantiate_flags of the executable graph.
        """
        if self.kind == MEMCPY:
            copy = self.params[0]
            ends = list(starmap(self._end, zip(copy[TYPES], copy[PLACES], strict=True)))
            needed = Managed in ends or ends == [Allocation, Allocation]
            return self._context_of(*copy[PLACES]) if needed else None
        if self.kind == MEMSET:
            start, pitch, _, size, width, rows = self.params[0]
            needed = bool(flags & DEVICE) or (rows > 1 and pitch != width * size)
            return self._context_of(start) if needed else None
        return self.home if self.kind in {KERNEL, CONDITIONAL} else None

    def _context_of(self, *places: int) -> Context | None:
        """Return the context of the first memory that has one, or else the step's."""
        found = (getattr(self.node.graph.process.memory.at(place), "context", None) for place in places)
        return next(filter(None, found), self.home)

    def _end(self, kind: int, address: int) -> type | None:
        """Return whether an end of a copy, of a CUmemorytype, is managed or other memory of a device; None for any other end."""
        if kind not in {OF_A_DEVICE, UNIFIED}:
            return None
        found = self.node.graph.process.memory.at(address)
        if isinstance(found, Managed):
            return Managed
        elsewhere = isinstance(found, Pinned | Registered) or (kind == UNIFIED and isinstance(found, Mapped | None))
        return None if elsewhere else Allocation

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
        leaves: Its steps that no step comes after, in the order of the graph's leaves.
        gone: The number of the last node that its graph had refused or lost when it was made.
        objects: The user objects that it holds, with the number of references.
        shape: The kinds of its steps and their positions. None before the first launch.
    """

    steps: list[Step]
    order: list[Step] = field(repr=False)
    leaves: list[Step] = field(factory=list, repr=False)
    gone: int = 0
    objects: dict[UserObject, int] = field(factory=dict, repr=False)
    shape: Shape | None = field(default=None, init=False, repr=False)

    def every(self) -> Iterator[Step]:
        """Yield all steps in order, each before the steps of its embedded bodies."""
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
        """Return a copy of the present state, for a launch that runs later."""
        bodies = {CHILD, CONDITIONAL}
        order = [
            evolve(step, params=step.params.kept()) if step.kind in bodies else evolve(step) for step in self.order
        ]
        return Body(order, order)

    def parts(self) -> Iterator[Body]:
        """Yield the body and all bodies embedded in it."""
        yield self
        for step in self.steps:
            for body in step.embedded():
                yield from body.parts()


class Launched(NamedTuple):
    """A launch or an upload of an executable graph in a stream.

    Attributes:
        stream: The stream.
        work: The last work of the stream after it. None if all was done.
        order: What comes before it, for the detection of races. None if nothing is known of it.
    """

    stream: Stream
    work: Work | None
    order: Captured | None


@define(eq=False)
class Executable(history.Lifetime):
    """An executable graph.

    Attributes:
        handle: The CUgraphExec.
        process: Its process.
        number: Its number among its process's graphs and executable graphs, in the order in which they were made.
        graph: The graph that it was made of, or last updated from.
        remembers: Whether its graph had refused a memory node when it was made.
        flags: CUgraphInstantiate_flags, without flags that have no effect here.
        body: The steps of a launch.
        context: The context of its nodes, if it is device-launchable.
        launcher: The context of its kernels that launch graphs. None if no kernel did when it was made.
        placed: The steps of a launch by a kernel: ``body`` at the last upload or launch. None before that.
        runs: How many runs of it are in progress, if it is device-launchable.
        waits: Whether a kernel has launched it behind a run in progress.
        last: Its last launch in a stream. None if it was never launched.
        uploaded: Its last upload in a stream, if other work was in progress then.
    """

    handle: int
    process: Process
    number: int
    graph: Graph
    remembers: bool
    flags: int
    body: Body = field(repr=False)
    context: Context | None = field(default=None, repr=False)
    launcher: Context | None = field(default=None, repr=False)
    placed: Body | None = field(default=None, repr=False)
    runs: int = 0
    waits: bool = False
    last: Launched | None = field(default=None, repr=False)
    uploaded: Launched | None = field(default=None, repr=False)

    @property
    def has_memory(self) -> bool:
        """Whether the graph had memory nodes, or refused one, when it was instantiated."""
        return self.remembers or any(step.kind in {MEM_ALLOC, MEM_FREE} for step in self.body.every())

    def step_of(self, node: Node) -> Step | None:
        """Return the step of a node; None if the node is not in the original graph."""
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
    """Return whether the program must destroy the object.

    Nodes and embedded graphs end with others.
    """
    return isinstance(item, Executable) or (isinstance(item, Graph) and item.owner is None)


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
    order, leaves = ([steps[places[node]] for node in nodes] for nodes in (ordered, graph.leaves))
    return Body(steps, order, leaves, graph.gone)


@effect(makes="Executable")
def instantiate(
    process: Process,
    graph: Graph,
    body: Body,
    flags: int,
    context: Context | None,
    launcher: Context | None,
    stack: Stack,
    *,
    uploaded: bool = False,
) -> Executable:
    """Instantiate a graph, and return the executable graph.

    Local memory of the contexts in which it runs kernels no longer shrinks. Other arguments are its attributes, and whether it is
    uploaded at once: earlier executable graphs may have left memory at its addresses.
    """
    handle = process.machine.territory.new_handle()
    number = next_number(process)
    executable = Executable(
        handle,
        process,
        number,
        graph,
        graph.remembers,
        flags,
        body,
        context,
        launcher,
        created=stack,
    )
    process.graphs[executable.handle] = executable
    hold(body, graph)
    for step in body.every():
        working = step.runs_kernels(flags)
        if working is not None:
            working.flags |= LMEM_RESIZE_TO_MAX
        elif step.kind == MEM_ALLOC:
            step.params.instantiated = True
            if uploaded and step.params.is_allocated:
                step.params.overlaid = step.params.item
    return executable


@effect()
def hold(body: Body, graph: Graph) -> None:
    """Have a body hold the same user objects as its graph."""
    user_object.share(body, graph)
    for step, node in zip(body.steps, graph.nodes, strict=True):
        for part, embedded in zip(step.embedded(), node.embedded(), strict=True):
            hold(part, embedded)


@effect()
def revise(executable: Executable, graph: Graph, pairs: Iterable[tuple[Step, Node]], stack: Stack) -> None:
    """Update an executable graph from a graph, which becomes its original graph."""
    executable.graph = graph
    executable.remembers = executable.remembers or graph.remembers
    take_over(executable.body, graph, pairs, stack)


@effect()
def take_over(body: Body, graph: Graph, pairs: Iterable[tuple[Step, Node]], stack: Stack) -> None:
    """Update a body from the present parameters and user objects of a graph.

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


@effect(ends="executable")
def end_executable(executable: Executable, stack: Stack) -> None:
    """Destroy an executable graph; launches in progress continue."""
    executable.ended = stack
    process = executable.process
    del process.graphs[executable.handle]
    process.note_freed(executable.handle, executable)
    for part in executable.body.parts():
        user_object.let_all_go(part, stack)
