"""Captures: what is submitted to some streams becomes nodes of a graph, and is done by nobody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, evolve, field

from fakecuda.model.effect import effect
from fakecuda.model.graph import graph
from fakecuda.model.graph.graph import PLAIN
from fakecuda.model.work.stream import NON_BLOCKING, PER_THREAD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.graph.graph import Data, Graph, Node
    from fakecuda.model.history import Stack
    from fakecuda.model.os.process import Process
    from fakecuda.model.os.thread import Thread
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream

    After = dict[Node, Data]
    """Nodes that another comes after, and what the edges from them are like."""
    Gate = Callable[[Call, Any, tuple[Any, ...]], Any]

GLOBAL, THREAD_LOCAL, RELAXED = range(3)
"""CUstreamCaptureMode."""
NONE, ACTIVE, INVALIDATED = range(3)
"""CUstreamCaptureStatus."""


@define(eq=False)
class Capture:
    """A capture.

    Attributes:
        number: Its id, which no other capture of the process has.
        graph: What it adds nodes to.
        origin: The stream that it was begun on.
        mode: What it forbids, CUstreamCaptureMode.
        thread: The thread that began it.
        streams: Its streams, each with the nodes that its next node comes after, and what those edges are like.
        left: Such nodes of streams that were destroyed.
        valid: Whether nothing has broken it.
        over: Whether it has ended.
    """

    number: int
    graph: Graph
    origin: Stream
    mode: int
    thread: Thread = field(repr=False)
    streams: dict[Stream, After] = field(factory=dict, repr=False)
    left: After = field(factory=dict, repr=False)
    valid: bool = True
    over: bool = False

    def blocking_in(self, context: Context) -> bool:
        """Return whether a stream of it has an order with the legacy stream of a context."""
        return any(one.context is context and not one.flags & NON_BLOCKING for one in self.streams)

    def is_joined(self) -> bool:
        """Return whether all that its streams were given comes before what the first one is given next."""
        seen = dict.fromkeys(self.streams[self.origin])
        for node in (found := list(seen)):
            later = [other for other in node.after if other not in seen]
            seen.update(dict.fromkeys(later))
            found += later
        ends = [self.left, *(nodes for stream, nodes in self.streams.items() if stream is not self.origin)]
        return all(node in seen for nodes in ends for node in nodes)

    def __str__(self) -> str:
        return f"capture {self.number} of {self.origin}"


@define(eq=False)
class Captures:
    """The captures of a process.

    Attributes:
        gate: Makes the calls of the process, while nothing else does.
        of: The capture that a stream takes part in.
        events: The capture in which an event was recorded last, and what it stands for there.
        begun: How many it has begun, which number them.
    """

    gate: Gate
    of: dict[Stream, Capture] = field(factory=dict)
    events: dict[Event, tuple[Capture, After]] = field(factory=dict)
    begun: int = 0

    def all(self) -> list[Capture]:
        """Return the captures that are under way, those that are no longer valid included."""
        return list(dict.fromkeys(self.of.values()))

    def pass_on(self, parent: Thread, thread: Thread) -> None:
        """Have a thread of a fork have begun what the one that forked began."""
        for one in self.all():
            one.thread = thread if one.thread is parent else one.thread

    def forbidding(self, thread: Thread) -> list[Capture]:
        """Return the captures that forbid a thread calls that are unsafe, which depends on its own mode, too."""
        mode = thread.capture_mode
        if mode not in {GLOBAL, THREAD_LOCAL}:
            return []
        every = self.all()
        if mode == GLOBAL:
            return [one for one in every if one.mode == GLOBAL or (one.mode != RELAXED and one.thread is thread)]
        return [one for one in every if one.mode != RELAXED and one.thread is thread]


def in_fork(fork: Process, state: Captures) -> Captures:
    """Return the captures of a process as a fork of it has them: copies, which that one's do not change.

    Args:
        fork: The fork, which has copies of the events, the streams and the graphs by now.
        state: The captures.
    """
    twins: dict[Any, Any] = {one: evolve(one, graph=_twin(fork, one.graph)) for one in state.all()}
    twins |= {event: fork.events.get(event.handle, event) for event in state.events}

    def nodes(after: After) -> After:
        found = {fork.graphs.get(node.handle): data for node, data in after.items()}
        return {node: data for node, data in found.items() if isinstance(node, graph.Node)}

    def stream(one: Stream) -> Stream:
        own = fork.streams.get(one.handle) if one.handle > PER_THREAD else None
        return own or one

    for twin in (twins[one] for one in state.all()):
        twin.origin = stream(twin.origin)
        twin.streams = {stream(one): nodes(after) for one, after in twin.streams.items()}
        twin.left = nodes(twin.left)
    events = {twins[event]: (twins.get(one, one), nodes(after)) for event, (one, after) in state.events.items()}
    return Captures(state.gate, {stream(one): twins[own] for one, own in state.of.items()}, events, state.begun)


def _twin(fork: Process, one: Graph) -> Graph:
    found = fork.graphs[one.handle]
    assert isinstance(found, graph.Graph)
    return found


@effect()
def begin(
    process: Process, gate: Gate, stream: Stream, mode: int, thread: Thread, stack: Stack, into: Graph | None = None
) -> Capture:
    """Begin to capture a stream.

    Args:
        process: The process.
        gate: Makes the calls of the process from now on.
        stream: The stream.
        mode: CUstreamCaptureMode.
        thread: The thread that begins it.
        stack: Its stack.
        into: The graph that gets the nodes; None for a new one.
    """
    state = process.captures = process.captures or Captures(gate)
    process.turn_gate()
    to = graph.create(process, stack) if into is None else into
    state.begun += 1
    made = Capture(state.begun, to, stream, mode, thread)
    join(state, made, stream, {})
    return made


@effect()
def join(state: Captures, capture: Capture, stream: Stream, after: After) -> None:
    """Have a stream take part in a capture, and what it is given next come after some nodes, too."""
    state.of[stream] = capture
    before = capture.streams.setdefault(stream, {})
    before.update({node: data for node, data in after.items() if before.get(node) != PLAIN})


@effect()
def replace(capture: Capture, stream: Stream, after: After) -> None:
    """Have what a stream is given next come after some nodes, and after no others."""
    capture.streams[stream] = after


@effect()
def put(
    capture: Capture,
    stream: Stream,
    kind: int,
    params: Any,
    stack: Stack,
    data: Data | None = None,
) -> None:
    """Add a node for what a stream was given; data are what its edges are like, where that is said."""
    after = capture.streams[stream]
    like = after.values() if data is None else [data] * len(after)
    made = graph.add_node(capture.graph, kind, params, after, stack, like)
    capture.streams[stream] = {made: PLAIN}


@effect()
def launch(
    state: Captures,
    capture: Capture,
    stream: Stream,
    made: tuple[int, Any],
    stack: Stack,
    data: Data | None,
    events: Sequence[tuple[Event, Data]],
) -> None:
    """Add the node of a launch, for which events stand then.

    Args:
        state: The captures.
        capture: The capture.
        stream: The stream.
        made: The kind of the node, and its parameters.
        stack: The stack of the call.
        data: What the edges to the node are like, where that is said.
        events: The events, each with what edges from the node are like to what waits for it.
    """
    put(capture, stream, *made, stack, data)
    (node,) = capture.streams[stream]
    state.events.update({event: (capture, {node: like}) for event, like in events})


@effect()
def record(state: Captures, event: Event, capture: Capture, stream: Stream) -> None:
    """Have an event stand for what a stream that is captured was given until now."""
    state.events[event] = capture, dict(capture.streams[stream])


@effect()
def forget(state: Captures, event: Event) -> None:
    """Note that an event is none of a capture any more."""
    state.events.pop(event, None)


@effect()
def exchange(thread: Thread, mode: int) -> int:
    """Have a thread heed captures otherwise; return how it did before, CUstreamCaptureMode."""
    before, thread.capture_mode = thread.capture_mode, mode
    return before


@effect()
def invalidate(captures: Sequence[Capture]) -> None:
    """Note that captures were broken."""
    for one in captures:
        one.valid = False


@effect()
def end(state: Captures, capture: Capture, stack: Stack, *, whole: bool) -> Graph:
    """End a capture, and return its graph, which ends with it where that is not whole."""
    capture.over = True
    for stream in capture.streams:
        del state.of[stream]
    if not whole:
        graph.end(capture.graph, stack)
    return capture.graph


@effect(beside="what has ended tells it, whoever comes next")
def leave(state: Captures, stack: Stack) -> None:
    """Note that events and streams have ended.

    With the stream that it was begun on a capture ends; what another one was given is to be joined all the same.
    """
    for event in [one for one in state.events if one.ended]:
        del state.events[event]
    for capture in [one for one in state.all() if one.origin.ended]:
        end(state, capture, stack, whole=False)
    for stream in [one for one in state.of if one.ended]:
        capture = state.of.pop(stream)
        capture.left.update(capture.streams.pop(stream))
