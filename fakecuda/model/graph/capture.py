"""Captures: work of captured streams becomes graph nodes and does not run."""

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
    from fakecuda.model.history import FailedCall, Stack
    from fakecuda.model.os.process import Process
    from fakecuda.model.os.thread import Thread
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream

    After = dict[Node, Data]
    """Nodes that a node depends on, with the edge data."""
    Gate = Callable[[Call, Any, tuple[Any, ...]], Any]

GLOBAL, THREAD_LOCAL, RELAXED = range(3)
"""CUstreamCaptureMode."""
NONE, ACTIVE, INVALIDATED = range(3)
"""CUstreamCaptureStatus."""


@define(eq=False)
class Capture:
    """A capture of streams into a graph.

    Attributes:
        number: Its id, unique in the process.
        graph: The graph that it adds nodes to.
        origin: The stream that it was begun on.
        mode: The CUstreamCaptureMode.
        thread: The thread that began it.
        working: The streams that nodes were added for.
        streams: The captured streams. Each has the nodes that its next node comes after, with the data of those edges.
        left: The same nodes of destroyed streams.
        valid: Whether it has not been invalidated.
        invalidated_by: The call that invalidated it, for reports. None while it is valid.
        over: Whether it has ended.
    """

    number: int
    graph: Graph
    origin: Stream
    mode: int
    thread: Thread = field(repr=False)
    working: dict[Stream, None] = field(factory=dict, repr=False)
    streams: dict[Stream, After] = field(factory=dict, repr=False)
    left: After = field(factory=dict, repr=False)
    valid: bool = True
    invalidated_by: FailedCall | None = field(default=None, repr=False)
    over: bool = False

    def blocking_in(self, context: Context) -> bool:
        """Return whether a captured stream synchronizes with a context's legacy stream."""
        return any(one.context is context and not one.flags & NON_BLOCKING for one in self.streams)

    def is_joined(self) -> bool:
        """Return whether the origin stream depends on all captured work.

        A stream without work of its own takes part without being joined.
        """
        seen = dict.fromkeys(self.streams[self.origin])
        for node in (found := list(seen)):
            later = [other for other in node.after if other not in seen]
            seen.update(dict.fromkeys(later))
            found += later
        ends = [self.left, *(self.streams[one] for one in self.working if one is not self.origin)]
        return all(node in seen for nodes in ends for node in nodes)

    def __str__(self) -> str:
        return f"capture {self.number} of {self.origin}"


@define(eq=False)
class Captures:
    """The captures of a process.

    Attributes:
        gate: Makes the calls of the process during captures, unless another gate does.
        of: The capture of each captured stream.
        events: For each event that was recorded in a capture: the capture, and the nodes before the last record.
        begun: How many captures were begun. The number is the id of the last one.
    """

    gate: Gate
    of: dict[Stream, Capture] = field(factory=dict)
    events: dict[Event, tuple[Capture, After]] = field(factory=dict)
    begun: int = 0

    def all(self) -> list[Capture]:
        """Return the captures in progress, including invalidated ones."""
        return list(dict.fromkeys(self.of.values()))

    def pass_on(self, parent: Thread, thread: Thread) -> None:
        """Give the captures of the forking thread to the fork's thread."""
        for one in self.all():
            one.thread = thread if one.thread is parent else one.thread

    def forbidding(self, thread: Thread) -> list[Capture]:
        """Return the captures that forbid unsafe calls to a thread.

        The thread's own mode counts, too.
        """
        mode = thread.capture_mode
        if mode == RELAXED:
            return []
        every = self.all()
        if mode == GLOBAL:
            return [one for one in every if one.mode == GLOBAL or (one.mode != RELAXED and one.thread is thread)]
        return [one for one in every if one.mode != RELAXED and one.thread is thread]


def in_fork(fork: Process, state: Captures) -> Captures:
    """Return a fork's copies of the captures of a process.

    Args:
        fork: The fork, which already has copies of the events, the streams and the graphs.
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
        twin.working = {stream(one): None for one in twin.working}
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
    """Begin a capture of a stream.

    Args:
        process: The process.
        gate: Makes the calls of the process during captures.
        stream: The stream.
        mode: CUstreamCaptureMode.
        thread: The thread that begins it.
        stack: Its stack.
        into: The graph that gets the nodes. None for a new graph.
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
    """Add a stream to a capture, with dependencies for its next node."""
    state.of[stream] = capture
    before = capture.streams.setdefault(stream, {})
    before.update({node: data for node, data in after.items() if before.get(node) != PLAIN})


@effect()
def replace(capture: Capture, stream: Stream, after: After) -> None:
    """Set the dependencies of a stream's next node."""
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
    """Add a node for work of a captured stream.

    ``data`` is the data of its edges, if given.
    """
    after = capture.streams[stream]
    like = after.values() if data is None else [data] * len(after)
    made = graph.add_node(capture.graph, kind, params, after, stack, like)
    capture.working[stream] = None
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
    """Add a kernel node, and have the launch's events stand for it.

    Args:
        state: The captures.
        capture: The capture.
        stream: The stream.
        made: The kind of the node, and its parameters.
        stack: The stack of the call.
        data: The data of the edges to the node. None for that of the captured edges.
        events: The events, each with the data of edges from the node to nodes that wait for the event.
    """
    put(capture, stream, *made, stack, data)
    (node,) = capture.streams[stream]
    state.events.update({event: (capture, {node: like}) for event, like in events})


@effect()
def record(state: Captures, event: Event, capture: Capture, stream: Stream) -> None:
    """Have an event stand for the present dependencies of a captured stream."""
    state.events[event] = capture, dict(capture.streams[stream])


@effect()
def forget(state: Captures, event: Event) -> None:
    """Remove an event from its capture."""
    state.events.pop(event, None)


@effect()
def exchange(thread: Thread, mode: int) -> int:
    """Set a thread's CUstreamCaptureMode, and return the previous mode."""
    before, thread.capture_mode = thread.capture_mode, mode
    return before


@effect()
def invalidate(captures: Sequence[Capture], by: FailedCall) -> None:
    """Invalidate captures because of a call."""
    for one in captures:
        one.invalidated_by = one.invalidated_by or by
        one.valid = False


@effect()
def end(state: Captures, capture: Capture, stack: Stack, *, whole: bool) -> Graph:
    """End a capture, and return its graph.

    Unless it is ``whole``, the graph ends, too.
    """
    capture.over = True
    for stream in capture.streams:
        del state.of[stream]
    if not whole:
        graph.end(capture.graph, stack)
    return capture.graph


@effect(beside="the next call notices what has ended")
def leave(state: Captures, stack: Stack) -> None:
    """Remove ended events and streams from captures.

    A capture ends with the stream that it was begun on. Nodes of other ended streams must still be joined.
    """
    for event in [one for one in state.events if one.ended]:
        del state.events[event]
    for capture in [one for one in state.all() if one.origin.ended]:
        end(state, capture, stack, whole=False)
    for stream in [one for one in state.of if one.ended]:
        capture = state.of.pop(stream)
        after = capture.streams.pop(stream)
        if stream in capture.working:
            del capture.working[stream]
            capture.left.update(after)
