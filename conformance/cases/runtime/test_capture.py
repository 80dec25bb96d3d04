"""Captures in the runtime API, which records stream work into a graph.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.va.fixtures import content
from conformance.cases.runtime.fixtures import (
    DEVICE_TO_DEVICE,
    HOST_TO_DEVICE,
    PAGE,
    array,
    event,
    graph,
    memory,
    pinned,
    stream,
)
from conformance.cases.runtime.test_library import current
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.case import Then
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

GLOBAL, THREAD_LOCAL, RELAXED = range(3)
LEGACY = 1
SET = 1


def captured(a: Process, mode: int = RELAXED) -> int:
    """Return a new stream that is being captured."""
    begun = stream(a)
    a.ok.cudaStreamBeginCapture(begun, mode)
    return begun


def broken(a: Process) -> int:
    """Return a new stream whose capture is invalidated."""
    begun = captured(a)
    a.c.cudaStreamSynchronize(begun)
    return begun


def with_a_node(a: Process) -> int:
    """Return a new captured stream with a node."""
    place, begun = memory(a), captured(a)
    a.ok.cudaMemsetAsync(place, 7, 16, begun)
    return begun


def launched(a: Process, of: int) -> None:
    """Launch a graph, and wait for it."""
    a.ok.cudaGraphLaunch(a.ok.cudaGraphInstantiate(of, 0), 0)
    a.ok.cudaDeviceSynchronize()


def over(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the capture has ended."""
    i.process.c.cudaStreamEndCapture(i.args["stream"])


begins = Entry.of("cudaStreamBeginCapture", lambda a: (stream(a), RELAXED))
to_graph = Entry.of("cudaStreamBeginCaptureToGraph", lambda a: (stream(a), graph(a), None, None, 0, RELAXED))
ends = Entry.of("cudaStreamEndCapture", lambda a: (captured(a),))
updates = Entry.of("cudaStreamUpdateCaptureDependencies", lambda a: (captured(a), None, None, 0, SET))
asks = Entry.of("cudaStreamIsCapturing", lambda a: (stream(a),))
tells = Entry.of("cudaStreamGetCaptureInfo", lambda a: (stream(a),))
exchanges = Entry.of("cudaThreadExchangeStreamCaptureMode", lambda _: (RELAXED,))

for one in (begins, to_graph):
    one.then = over
    one.breaks("MODE_IS_KNOWN", mode=3)
    one.breaks("STREAM_IS_NOT_LEGACY", stream=LEGACY)
    one.breaks("STREAM_IS_NOT_LEGACY", "null", stream=0)
    one.breaks("CAPTURE_IS_NEW", stream=lambda i: captured(i.process))
    for mode in (GLOBAL, THREAD_LOCAL):
        one.also(f"in mode {mode}", mode=mode, then=over)
for one in (begins, to_graph, ends, updates, asks, tells, exchanges):
    one.also("in a thread without a context", then=current)(lambda w, i: i.on_thread(w.thread_name()))
to_graph.breaks("GRAPH_IS_GIVEN", graph=0)
to_graph.breaks("stream.stream_capture.DEPENDENCIES_ARE_OF_THE_GRAPH", numDependencies=1)
ends.breaks("STREAM_IS_CAPTURED", stream=lambda i: stream(i.process))
ends.breaks("CAPTURE_IS_VALID", stream=lambda i: broken(i.process))
updates.breaks("STREAM_IS_CAPTURED", stream=lambda i: stream(i.process))
updates.breaks("CAPTURE_IS_VALID", stream=lambda i: broken(i.process))
updates.breaks("FLAGS_ARE_KNOWN", flags=2)
updates.breaks("stream.stream_capture.DEPENDENCIES_ARE_OF_THE_GRAPH", numDependencies=1)
tells.null("captureStatus_out", "RESULT_IS_GIVEN")
tells.also("when its capture was broken", stream=lambda i: broken(i.process))
tells.also("while it is captured", stream=lambda i: captured(i.process))
tells.also("behind a node", stream=lambda i: with_a_node(i.process))


@tells.also("of the legacy stream, which waits for one that is captured", rule="LEGACY_STREAM_IS_FREE")
def of_the_legacy_stream(_w: World, i: Invocation) -> Invocation:
    a = i.process
    a.ok.cudaStreamBeginCapture(a.ok.cudaStreamCreate(), RELAXED)
    return i.evolve(stream=LEGACY)


exchanges.without("inside_function")  # which the driver lets be
for mode in (GLOBAL, THREAD_LOCAL):
    exchanges.also(f"mode {mode}", mode=mode)
asks.null("pCaptureStatus", "RESULT_IS_GIVEN")
asks.also("when its capture was broken", stream=lambda i: broken(i.process))
asks.also("while it is captured", stream=lambda i: captured(i.process))


def nodes(a: Process, working: int) -> None:
    """Give the stream work that becomes nodes."""
    place, other, host, done = memory(a), memory(a), pinned(a), event(a)
    a.c.cudaMemsetAsync(place, 7, 16, working)
    a.c.cudaMemset2DAsync(place, 64, 7, 16, 2, working)
    a.c.cudaMemcpyAsync(other, place, 16, DEVICE_TO_DEVICE, working)
    a.c.cudaMemcpyAsync(other, host, 16, HOST_TO_DEVICE, working)
    a.c.cudaMemcpy2DAsync(other, 64, place, 64, 16, 2, DEVICE_TO_DEVICE, working)
    a.c.cudaLaunchHostFunc(working, a.c_function("abs"), 0)
    a.c.cudaEventRecord(done, working)
    a.c.cudaStreamWaitEvent(working, done, 0)


def told(a: Process, working: int) -> None:
    """Query devices, the stream and memory."""
    a.c.cudaGetDevice()
    a.c.cudaSetDevice(0)
    a.c.cudaDeviceGetAttribute(75, 0)
    a.c.cudaStreamGetFlags(working)
    a.c.cudaStreamIsCapturing(working)


def waits(a: Process, working: int) -> None:
    """Wait for the stream, which invalidates its capture, and give it work."""
    a.c.cudaStreamSynchronize(working)
    a.c.cudaLaunchHostFunc(working, a.c_function("abs"), 0)


def waits_for_all(a: Process, working: int) -> None:
    """Wait for all streams."""
    a.c.cudaDeviceSynchronize()
    a.c.cudaStreamIsCapturing(working)


def asks_whether_it_is_done(a: Process, working: int) -> None:
    """Query the stream."""
    a.c.cudaStreamQuery(working)
    a.c.cudaStreamIsCapturing(working)


def allocates(a: Process, working: int) -> None:
    """Allocate objects without a stream."""
    a.c.cudaMalloc(PAGE)
    a.c.cudaHostAlloc(PAGE, 0)
    a.c.cudaStreamIsCapturing(working)


def copies_at_once(a: Process, working: int) -> None:
    """Copy and set memory in the legacy stream."""
    place = memory(a)
    a.c.cudaMemcpy(place, memory(a), 16, DEVICE_TO_DEVICE)
    a.c.cudaMemset(place, 7, 16)
    a.c.cudaStreamIsCapturing(working)


def asks_of_an_event(a: Process, working: int) -> None:
    """Query an event that was recorded in the capture."""
    done = event(a)
    a.c.cudaEventRecord(done, working)
    a.c.cudaEventQuery(done)
    a.c.cudaStreamIsCapturing(working)


def waits_for_an_event(a: Process, working: int) -> None:
    """Wait for an event of the capture, and check the last error."""
    done = event(a)
    a.ok.cudaEventRecord(done, working)
    assert a.c.cudaEventSynchronize(done) == (Result.CAPTURED_EVENT,)
    assert a.c.cudaGetLastError() == (Result.CAPTURED_EVENT,)
    assert a.c.cudaLaunchHostFunc(working, a.c_function("abs"), 0) == (Result.STREAM_CAPTURE_INVALIDATED,)


def asks_of_devices(a: Process, working: int) -> None:
    """Synchronise or query all devices."""
    a.ok.cudaGetDeviceProperties(0)
    a.ok.cudaGetDeviceCount()
    assert a.ok.cudaStreamIsCapturing(working) == 1


WITHIN = (
    nodes,
    told,
    waits,
    waits_for_all,
    asks_whether_it_is_done,
    allocates,
    copies_at_once,
    asks_of_an_event,
    waits_for_an_event,
    asks_of_devices,
)
"""Calls during a capture, with the driver's answers."""


def _within(act: Callable[[Process, int], None]) -> Then:
    """Return a function that makes such calls during a capture."""

    def then(w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
        act(i.process, i.args["stream"])
        over(w, i, results)

    return then


for act in WITHIN:
    begins.after(act.__name__.replace("_", " "))(_within(act))
    if act not in {nodes, copies_at_once}:  # for these memory is made
        begins.also(f"globally and {act.__name__}", mode=GLOBAL, then=_within(act))


@begins.after("the graph does the work of two streams")
def of_two_streams(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    a, begun, other = i.process, i.args["stream"], stream(i.process)
    first, second, third, done = *(memory(a) for _ in range(3)), event(a)
    a.ok.cudaMemset(third, 0, PAGE)
    a.ok.cudaMemsetAsync(first, 0x107, 64, begun)
    a.ok.cudaMemcpyAsync(second, first, 64, DEVICE_TO_DEVICE, begun)
    a.ok.cudaEventRecord(done, begun)
    a.ok.cudaStreamWaitEvent(other, done, 0)
    a.ok.cudaMemcpy2DAsync(third, 16, second, 16, 8, 2, DEVICE_TO_DEVICE, other)
    a.ok.cudaLaunchHostFunc(other, a.c_function("abs"), 0)
    a.ok.cudaEventRecord(done, other)
    a.ok.cudaStreamWaitEvent(begun, done, 0)
    of = a.ok.cudaStreamEndCapture(begun)
    assert content(a, third, 64) == bytes(64)
    launched(a, of)
    assert content(a, third, 64) == (bytes([7] * 8) + bytes(8)) * 2 + bytes(32)


@begins.after("bytes that go to an array become a node for each row")
def to_an_array(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    a, begun, target, place, back = i.process, i.args["stream"], array(i.process), memory(i.process), memory(i.process)
    a.ok.cudaMemset(place, 7, PAGE)
    a.ok.cudaMemcpyToArrayAsync(target, 60, 1, place, 72, DEVICE_TO_DEVICE, begun)
    of = a.ok.cudaStreamEndCapture(begun)
    assert a.ok.cudaGraphGetNodes(of, 9)[-1] == 3
    launched(a, of)
    a.ok.cudaMemcpyFromArray(back, target, 60, 1, 72, DEVICE_TO_DEVICE)
    assert content(a, back, 72) == bytes([7] * 72)


@begins.after("a copy at once breaks the capture of a stream that blocks on the default one")
def beside_a_blocking_one(w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    over(w, i, results)
    a, place, begun = i.process, memory(i.process), i.process.ok.cudaStreamCreate()
    a.ok.cudaStreamBeginCapture(begun, RELAXED)
    assert a.c.cudaMemcpy(place, place + 32, 8, DEVICE_TO_DEVICE) == (Result.STREAM_CAPTURE_IMPLICIT,)
    assert a.c.cudaStreamEndCapture(begun)[0] == Result.STREAM_CAPTURE_INVALIDATED


test_capture = suite(begins, to_graph, ends, updates, asks, tells, exchanges)
