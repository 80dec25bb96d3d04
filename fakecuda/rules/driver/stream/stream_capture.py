"""Captures: calls that record the work of a stream into a graph.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html

A capture begins on a stream. Others take part in it that wait for its events, and have to be joined to the first one by
such waits before it ends. ``captured`` handles the calls during a capture.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.graph import capture
from fakecuda.model.graph.capture import ACTIVE, INVALIDATED, NONE, RELAXED
from fakecuda.model.graph.graph import KERNEL
from fakecuda.model.history import here
from fakecuda.model.work.stream import LEGACY
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.driver.graph.edges import data_of
from fakecuda.rules.driver.graph.handle import GRAPH_IS_GIVEN, graph_of
from fakecuda.rules.driver.stream.capture_state import CAPTURE_IS_VALID, LEGACY_STREAM_IS_FREE, invalidate
from fakecuda.rules.driver.stream.captured import gate
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.graph.capture import After, Capture
    from fakecuda.model.graph.graph import Graph
    from fakecuda.model.work.stream import Stream

    Nodes = tuple[int, ...] | None
    Data = tuple[tuple[int, ...], ...] | None

SET = 1
"""CU_STREAM_SET_CAPTURE_DEPENDENCIES."""

MODE_IS_KNOWN = Rule(
    "`mode` is a CUstreamCaptureMode",
    Result.INVALID_VALUE,
    manual("cuStreamBeginCapture", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a CUstreamCaptureMode",
)
STREAM_IS_NOT_LEGACY = Rule(
    "the stream is not the legacy default stream",
    Result.STREAM_CAPTURE_UNSUPPORTED,
    manual("cuStreamBeginCapture", "Capture may not be initiated if stream is CU_STREAM_LEGACY"),
    fix="capture a created stream or CU_STREAM_PER_THREAD",
)
CAPTURE_IS_NEW = Rule(
    "the stream is not being captured already",
    Result.ILLEGAL_STATE,
    manual("cuStreamBeginCapture", "it may only be initiated if the stream is not already in capture mode"),
    fix="end the capture with cuStreamEndCapture before you begin the next one",
)
STREAM_IS_CAPTURED = Rule(
    "the stream is being captured",
    Result.ILLEGAL_STATE,
    manual("cuStreamUpdateCaptureDependencies", "Returns CUDA_ERROR_ILLEGAL_STATE if the stream is not capturing"),
    fix="begin the capture with cuStreamBeginCapture",
)
STREAM_BEGAN_IT = Rule(
    "the capture began on the stream that is passed",
    Result.STREAM_CAPTURE_UNMATCHED,
    manual("cuStreamEndCapture", "Capture must have been initiated on hStream"),
    fix="pass cuStreamEndCapture the stream that was passed to cuStreamBeginCapture",
)
STREAMS_ARE_JOINED = Rule(
    "the origin stream waits, by events, for all work of the other streams of the capture",
    Result.STREAM_CAPTURE_UNJOINED,
    observed(
        "cuStreamEndCapture",
        "cuStreamEndCapture answers STREAM_CAPTURE_UNJOINED if the origin stream does not "
        "wait for work in another captured stream",
    ),
    fix="record an event in each other stream, and make the origin stream wait for each event with cuStreamWaitEvent",
)
THREAD_BEGAN_IT = Rule(
    "the calling thread began the capture, or the capture has the mode CU_STREAM_CAPTURE_MODE_RELAXED",
    Result.STREAM_CAPTURE_WRONG_THREAD,
    manual("cuStreamEndCapture", "this call must be from the same thread as cuStreamBeginCapture"),
    fix="end the capture in the thread that began it, or begin it with CU_STREAM_CAPTURE_MODE_RELAXED",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` is CU_STREAM_ADD_CAPTURE_DEPENDENCIES or CU_STREAM_SET_CAPTURE_DEPENDENCIES",
    Result.INVALID_VALUE,
    manual("cuStreamUpdateCaptureDependencies", "Valid flags are"),
    fix="pass CU_STREAM_ADD_CAPTURE_DEPENDENCIES or CU_STREAM_SET_CAPTURE_DEPENDENCIES",
)
DEPENDENCIES_ARE_OF_THE_GRAPH = Rule(
    "the first `numDependencies` entries of `dependencies` are nodes of the graph that the stream is captured to",
    Result.INVALID_VALUE,
    manual("cuStreamBeginCaptureToGraph", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass nodes of the graph that is captured to",
)
SECOND_CAPTURE_BEGINS_AFRESH = Rule(
    "`numDependencies` is 0 if a stream is being captured to the graph already",
    Result.ILLEGAL_STATE,
    undefined(
        "cuStreamBeginCaptureToGraph", "the manual says nothing about this; driver 580 crashes (segmentation fault)"
    ),
    fix="end the first capture of this graph, or capture to another graph",
)
GRAPH_IS_NOT_CAPTURED_INTO = Rule(
    "no stream is being captured to the graph already",
    Result.ILLEGAL_STATE,
    observed(
        "cuStreamBeginCaptureToGraph",
        "the driver answers ILLEGAL_STATE if another stream is being captured to the graph",
    ),
    fix="end the first capture of this graph, or capture to another graph",
)


@guard
def fresh(call: Call, handle: int, mode: int, name: str) -> Stream:
    """Return a stream on which a capture can begin.

    Args:
        call: The call.
        handle: The stream.
        mode: CUstreamCaptureMode.
        name: The call.
    """
    require_driver_up(call)
    if not 0 <= mode <= RELAXED:
        raise MODE_IS_KNOWN.broken(mode=mode)
    stream = stream_of(call, handle, name)
    if stream.handle == LEGACY:
        raise STREAM_IS_NOT_LEGACY.broken(stream=stream)
    if capture_of(call, stream) is not None:
        raise CAPTURE_IS_NEW.broken(stream=stream)
    return stream


def capture_of(call: Call, stream: Stream) -> Capture | None:
    """Return the capture of a stream, or None."""
    state = call.process.captures
    return None if state is None else state.of.get(stream)


@guard
def asked_of(call: Call, handle: int, name: str) -> tuple[Stream, Capture | None]:
    """Return a stream and its capture for a query; captures forbid the legacy stream."""
    asked = stream_of(call, handle, name)
    state = call.process.captures
    if asked.handle == LEGACY and state is not None and any(one.blocking_in(asked.context) for one in state.all()):
        raise LEGACY_STREAM_IS_FREE.broken(stream=asked)
    return asked, capture_of(call, asked)


def status_of(found: Capture | None) -> int:
    """Return the CUstreamCaptureStatus of a stream."""
    return NONE if found is None else ACTIVE if found.valid else INVALIDATED


@guard
def captured(call: Call, handle: int, name: str) -> tuple[Stream, Capture]:
    """Return a captured stream and its capture."""
    require_driver_up(call)
    stream = stream_of(call, handle, name)
    found = capture_of(call, stream)
    if found is None:
        raise STREAM_IS_CAPTURED.broken(stream=stream)
    return stream, found


@guard
def dependencies(call: Call, of: Graph, nodes: Nodes, data: Data, count: int) -> After:
    """Return the dependencies of a stream's next node, with their edge data.

    A node may be named twice. What an edge is like has to suit a kernel.
    """
    known = call.process.graphs
    found: list[Any] = [known.get(one) for one in (nodes or ())[:count]]
    if len(found) < count or not all(node in of.nodes for node in found):
        raise DEPENDENCIES_ARE_OF_THE_GRAPH.broken(graph=of, dependencies=nodes)
    return dict(zip(found, data_of([(node.kind, KERNEL) for node in found], data), strict=True))


@DRIVER.op("cuStreamBeginCapture")
def stream_begin_capture(call: Call, stream: int, mode: int) -> None:
    """Begin to capture a stream.

    Args:
        call: The call.
        stream: The stream, none that is captured and not the legacy one.
        mode: What the capture forbids meanwhile, CUstreamCaptureMode.
    """
    # CHECK
    begun = fresh(call, stream, mode, "cuStreamBeginCapture")
    # EFFECT
    capture.begin(call.process, gate, begun, mode, call.thread, here())


@DRIVER.op("cuStreamBeginCaptureToGraph", several="the first node's dependencies are the stream's")
def stream_begin_capture_to_graph(
    call: Call, stream: int, graph: int, nodes: Nodes, data: Data, count: int, mode: int
) -> None:
    """Begin to capture a stream into a graph.

    Args:
        call: The call.
        stream: The stream.
        graph: The graph.
        nodes: The nodes that the first one comes after.
        data: What the edges from those are like; None for nothing that is said of any.
        count: Their number.
        mode: What the capture forbids meanwhile, CUstreamCaptureMode.
    """
    # CHECK
    require_driver_up(call)
    if not graph:
        raise GRAPH_IS_GIVEN.broken()
    begun = fresh(call, stream, mode, "cuStreamBeginCaptureToGraph")
    into = graph_of(call, graph)
    after = dependencies(call, into, nodes, data, count)
    state = call.process.captures
    if state is not None and any(one.graph is into for one in state.all()):
        if after:
            call.undefined(SECOND_CAPTURE_BEGINS_AFRESH, graph=into, dependencies=nodes)
            raise SECOND_CAPTURE_BEGINS_AFRESH.broken(graph=into, dependencies=nodes)
        raise GRAPH_IS_NOT_CAPTURED_INTO.broken(graph=into)
    # EFFECT
    made = capture.begin(call.process, gate, begun, mode, call.thread, here(), into)
    capture.replace(made, begun, after)


@DRIVER.op("cuStreamEndCapture", acts_before=(STREAM_BEGAN_IT, CAPTURE_IS_VALID, THREAD_BEGAN_IT, STREAMS_ARE_JOINED))
def stream_end_capture(call: Call, stream: int) -> int:
    """End a capture and return its graph. An invalidated or incomplete capture has no graph."""
    # CHECK
    ending, found = captured(call, stream, "cuStreamEndCapture")
    state = call.process.captures
    assert state is not None
    # EFFECT
    if ending is not found.origin:
        invalidate([found], STREAM_BEGAN_IT)
        raise STREAM_BEGAN_IT.broken(stream=ending, capture=found)
    alone = found.mode != RELAXED and found.thread is not call.thread
    joined = found.is_joined()
    whole = found.valid and not alone and joined
    valid = found.valid
    made = capture.end(state, found, here(), whole=whole)
    if not valid:
        raise CAPTURE_IS_VALID.broken(invalidated_by=found.invalidated_by, stream=ending, capture=found)
    if not joined:
        raise STREAMS_ARE_JOINED.broken(capture=found)
    if alone:
        raise THREAD_BEGAN_IT.broken(thread=found.thread.name, capture=found)
    return made.handle


@DRIVER.op("cuStreamIsCapturing")
def stream_is_capturing(call: Call, stream: int) -> int:
    """Return a stream's CUstreamCaptureStatus."""
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    _, found = asked_of(call, stream, "cuStreamIsCapturing")
    # EFFECT
    return status_of(found)


@DRIVER.op("cuStreamUpdateCaptureDependencies")
def stream_update_capture_dependencies(
    call: Call, stream: int, nodes: Nodes, data: Data, count: int, flags: int
) -> None:
    """Change the dependencies of the next node that a captured stream adds to its graph.

    Args:
        call: The call.
        stream: The stream.
        nodes: The nodes.
        data: What the edges from those are like; None for nothing that is said of any.
        count: Their number.
        flags: CUstreamUpdateCaptureDependencies_flags: whether they are added.
    """
    # CHECK
    changed, found = captured(call, stream, "cuStreamUpdateCaptureDependencies")
    if not found.valid:
        raise CAPTURE_IS_VALID.broken(invalidated_by=found.invalidated_by, stream=changed, capture=found)
    if flags & ~SET:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    after = dependencies(call, found.graph, nodes, data, count)
    # EFFECT
    capture.replace(found, changed, after if flags else found.streams[changed] | after)
