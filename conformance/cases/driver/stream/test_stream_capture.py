"""Captures, which record the work of a stream into a graph.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.graph.fixtures import DEVICE, ROOM, executable, graph, node, refuse_graph
from conformance.cases.driver.module.fixtures import function
from conformance.cases.driver.stream.captured_calls import (
    FORBIDDEN,
    GLOBAL,
    MISTAKES,
    RELAXED,
    THREAD_LOCAL,
    broken,
    captured,
    captured_into,
    joined,
    refuse_calls,
)
from conformance.cases.driver.stream.fixtures import (
    LEGACY,
    NON_BLOCKING,
    PER_THREAD,
    accept,
    block,
    elsewhere,
    refuse,
    stream,
)
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from conformance.kit.program import FORKED
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

SET = 1


def asked(w: World) -> Invocation:
    return w.process().call("cuStreamIsCapturing", hStream=0)


def not_capturing(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the status CU_STREAM_CAPTURE_STATUS_NONE."""
    assert results == (0,)


def active(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the status CU_STREAM_CAPTURE_STATUS_ACTIVE."""
    assert results == (1,)


def invalid(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the status CU_STREAM_CAPTURE_STATUS_INVALIDATED."""
    assert results == (2,)


asks = Entry("cuStreamIsCapturing", asked, not_capturing)
asks.null("captureStatus", "RESULT_IS_GIVEN")
refuse(asks)
accept(asks)


@asks.also("while it waits", then=not_capturing)
def waits(w: World, i: Invocation) -> Invocation:
    blocked = stream(i.process, NON_BLOCKING)
    block(w, i.process, blocked)
    return i.evolve(hStream=blocked)


@asks.also("while it is captured", then=active)
def while_captured(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hStream=captured(i.process))


@asks.also("when its capture was broken", then=invalid)
def when_broken(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hStream=broken(i.process))


@asks.world("LEGACY_STREAM_IS_FREE")
def blocking(_w: World, i: Invocation) -> None:
    captured(i.process, flags=0)


@asks.also("behind a launch without a configuration", then=active)
def no_configuration(_w: World, i: Invocation) -> Invocation:
    a, begun = i.process, captured(i.process)
    assert a.c.cuLaunchKernelEx(None, function(a), 0, 0) == (Result.INVALID_VALUE,)
    return i.evolve(hStream=begun)


refuse_calls(asks, MISTAKES, active)
refuse_calls(asks, FORBIDDEN, invalid)
test_stream_is_capturing = asks.test()


def capturable(w: World, a: Process) -> int:
    """Return the per-thread stream, whose capture ends with the case."""

    def end() -> None:
        a.c.cuStreamEndCapture(PER_THREAD)

    w.last.append((a, end))
    return PER_THREAD


def over(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the capture has ended."""
    i.process.ok.cuStreamEndCapture(i.args["hStream"])


def begun(w: World) -> Invocation:
    a = w.process()
    return a.call("cuStreamBeginCapture", hStream=capturable(w, a), mode=RELAXED)


def becomes_a_graph(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that captured work runs only when the graph is launched."""
    a, working = i.process, i.args["hStream"]
    a.ok.cuStreamEndCapture(working)
    place = filled(a, 0, ROOM)
    again = i.evolve(mode=RELAXED)
    assert again.run() == (0,)
    a.ok.cuMemsetD8Async(place, 7, 16, working)
    made = a.ok.cuStreamEndCapture(working)
    assert content(a, place, 16) == bytes(16)
    a.ok.cuGraphLaunch(executable(a, made), working)
    a.ok.cuStreamSynchronize(working)
    assert content(a, place, 20) == bytes([7] * 16 + [0] * 4)


begins = Entry("cuStreamBeginCapture", begun)
begins.after("what it is given becomes a graph")(becomes_a_graph)


@begins.after("it is given work of each kind")
def of_each_kind(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    a, begun = i.process, i.args["hStream"]
    a.ok.cuStreamEndCapture(begun)
    first, second, third = (filled(a, 0, ROOM) for _ in range(3))
    code, event = function(a), a.ok.cuEventCreate(0)
    assert i.run() == (0,)
    rows = (0, 0, DEVICE, 0, first, 0, 32, 0, 0, DEVICE, 0, second, 0, 32, 8, 2)
    box = (0, 0, 0, 0, DEVICE, 0, second, *[0] * 8, DEVICE, 0, third, *[0] * 4, 64, 1, 1)
    a.ok.cuMemsetD2D16Async(first, 32, 0x0707, 4, 2, begun)
    a.ok.cuMemcpy2DAsync(rows, begun)
    a.ok.cuMemcpy2DAsync((*rows[:-1], 0), begun)
    a.ok.cuMemcpy3DAsync(box, begun)
    a.ok.cuLaunchKernel(code, *[1] * 6, 0, begun, 0, 0)
    a.ok.cuLaunchKernelEx((*[1] * 6, 0, begun, ((0,),)), code, 0, 0)
    a.ok.cuEventRecordWithFlags(event, begun, 1)
    a.ok.cuStreamWaitEvent(begun, event, 1)
    made = executable(a, a.ok.cuStreamEndCapture(begun))
    assert content(a, third, 64) == bytes(64)
    a.ok.cuGraphLaunch(made, begun)
    a.ok.cuStreamSynchronize(begun)
    a.ok.cuEventQuery(event)
    assert content(a, third, 64) == (bytes([7] * 8) + bytes(24)) * 2


to_graph = Entry(
    "cuStreamBeginCaptureToGraph",
    lambda w: _to_graph(w, w.process()),
)


def _to_graph(w: World, a: Process) -> Invocation:
    return a.call(
        "cuStreamBeginCaptureToGraph",
        hStream=capturable(w, a),
        hGraph=graph(a),
        dependencies=None,
        dependencyData=None,
        numDependencies=0,
        mode=RELAXED,
    )


for entry in (begins, to_graph):
    refuse(entry)
    entry.breaks("MODE_IS_KNOWN", mode=3)
    entry.breaks("STREAM_IS_NOT_LEGACY", hStream=LEGACY)
    entry.breaks("STREAM_IS_NOT_LEGACY", "null", hStream=0)
    entry.breaks("CAPTURE_IS_NEW", hStream=lambda i: captured(i.process))
    entry.world("CAPTURE_IS_NEW", "in a fork", "hStream")(
        lambda _w, i: i.evolve(hStream=captured(i.process)).on_thread(FORKED)
    )
    entry.also("a blocking one", hStream=lambda i: stream(i.process), then=over)
    for mode in (GLOBAL, THREAD_LOCAL):
        entry.also(f"in mode {mode}", mode=mode)
refuse_graph(to_graph, "hGraph")


@to_graph.world("GRAPH_IS_NOT_CAPTURED_INTO", "", "hGraph")
def captured_before(_w: World, i: Invocation) -> None:
    captured_into(i.process, i.args["hGraph"])


@to_graph.undefined("SECOND_CAPTURE_BEGINS_AFRESH", "", "hGraph", "dependencies", "numDependencies", code=401)
def captured_behind_a_node(_w: World, i: Invocation) -> Invocation:
    a, first = i.process, node(i.process, i.args["hGraph"])
    captured_into(a, i.args["hGraph"])
    return i.evolve(dependencies=(first,), numDependencies=1)


def depending(entry: Entry, of: Any) -> None:
    """Add the cases of dependencies."""
    entry.breaks("DEPENDENCIES_ARE_OF_THE_GRAPH", "none given", numDependencies=1)

    @entry.world("DEPENDENCIES_ARE_OF_THE_GRAPH", "of another", "dependencies", "numDependencies")
    def foreign(_w: World, i: Invocation) -> Invocation:
        return i.evolve(dependencies=(node(i.process, graph(i.process)),), numDependencies=1)

    @entry.world("DATA_ARE_DEFAULT", "", "dependencies", "dependencyData", "numDependencies")
    def programmatic(_w: World, i: Invocation) -> Invocation:
        """Add a programmatic dependency on a node that is not a kernel."""
        return i.evolve(dependencies=(node(i.process, of(i)),), dependencyData=((0, 0, 1),), numDependencies=1)

    @entry.also("behind a node that is named twice")
    def behind(_w: World, i: Invocation) -> Invocation:
        one = node(i.process, of(i))
        return i.evolve(dependencies=(one, one), numDependencies=2)


depending(to_graph, lambda i: i.args["hGraph"])
test_stream_begin_capture = begins.test()
test_stream_begin_capture_to_graph = to_graph.test()


def ended(w: World) -> Invocation:
    a = w.process()
    working = capturable(w, a)
    a.ok.cuStreamBeginCapture(working, RELAXED)
    return a.call("cuStreamEndCapture", hStream=working)


ends = Entry("cuStreamEndCapture", ended)
ends.without("second_thread")  # another thread has another stream per thread
refuse(ends)
ends.breaks("STREAM_IS_CAPTURED", hStream=lambda i: stream(i.process))
ends.breaks("STREAM_BEGAN_IT", hStream=lambda i: joined(i.process, i.args["hStream"]))
ends.breaks("CAPTURE_IS_VALID", hStream=lambda i: broken(i.process))


def begun_elsewhere(a: Process) -> int:
    """Return a new stream whose capture another thread has begun."""
    other, thread = stream(a), a.thread("other")
    thread.ok.cuCtxSetCurrent(a.context)
    thread.ok.cuStreamBeginCapture(other, THREAD_LOCAL)
    return other


for case, rule, made in (
    ("", "THREAD_BEGAN_IT", lambda i: begun_elsewhere(i.process)),
    ("in a fork", "THREAD_BEGAN_IT", lambda i: begun_elsewhere(i.process)),
    ("in a fork", "STREAM_BEGAN_IT", lambda i: joined(i.process, i.args["hStream"])),
    ("in a fork", "CAPTURE_IS_VALID", lambda i: broken(i.process)),
):

    @ends.world(rule, case, "hStream")
    def of_another(_w: World, i: Invocation, case: str = case, made: Callable[[Invocation], int] = made) -> Invocation:
        other = i.evolve(hStream=made(i))
        return other.on_thread(FORKED) if case else other


@ends.world("STREAMS_ARE_JOINED")
def not_joined(_w: World, i: Invocation) -> None:
    place = i.process.ok.cuMemAlloc(ROOM)
    i.process.ok.cuMemsetD8Async(place, 7, 16, joined(i.process, i.args["hStream"]))


@ends.also("a stream that was given nothing need not come back")
def nothing_to_join(_w: World, i: Invocation) -> None:
    joined(i.process, i.args["hStream"])


@ends.also("a stream that came back")
def came_back(_w: World, i: Invocation) -> None:
    a, event, place = i.process, i.process.ok.cuEventCreate(0), i.process.ok.cuMemAlloc(ROOM)
    other = joined(a, i.args["hStream"])
    a.ok.cuMemsetD8Async(place, 7, 16, other)
    a.ok.cuEventRecord(event, other)
    a.ok.cuStreamWaitEvent(i.args["hStream"], event, 0)


@ends.also("a copy of memory that the current context can use and the stream's device cannot")
def of_the_current_context(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    a, (there, context), here = i.process, elsewhere(i.process, device=1), stream(i.process, NON_BLOCKING)
    place, copy = (a.ok.cuMemAllocAsync(ROOM, here) for _ in range(2))
    a.ok.cuMemsetD8Async(place, 7, 16, here)
    a.ok.cuStreamSynchronize(here)
    a.ok.cuStreamBeginCapture(there, RELAXED)
    a.ok.cuCtxPushCurrent(context)
    assert a.c.cuMemcpyDtoDAsync(copy, place, 16, there) == (Result.INVALID_VALUE,)
    own = a.ok.cuMemAlloc(ROOM)
    assert a.c.cuMemcpyAsync(own, place, 16, there) == (Result.INVALID_VALUE,)
    assert a.c.cuMemcpyAsync(copy, own, 16, there) == (Result.INVALID_VALUE,)
    a.ok.cuCtxPopCurrent()
    a.ok.cuMemcpyDtoDAsync(copy, place, 16, there)
    made = i.evolve(hStream=there).run()[1]
    a.ok.cuGraphLaunch(a.ok.cuGraphInstantiate(made, 0), there)
    a.ok.cuStreamSynchronize(there)
    a.ok.cuMemcpyDtoHAsync(room := bytearray(16), copy, 16, here)
    a.ok.cuStreamSynchronize(here)
    assert room == bytes([7] * 16)


@ends.also("to a null result pointer", code=Result.ILLEGAL_STATE)
def to_null(_w: World, i: Invocation) -> None:
    """Check that the graph is lost and the capture has ended."""
    assert attrs.evolve(i, null="phGraph").run()[0] == 0


test_stream_end_capture = ends.test()


def updated(w: World) -> Invocation:
    a = w.process()
    of, working = graph(a), capturable(w, a)
    a.ok.cuStreamBeginCaptureToGraph(working, of, None, None, 0, RELAXED)
    one = node(a, of)
    return a.call(
        "cuStreamUpdateCaptureDependencies",
        hStream=working,
        dependencies=(one,),
        dependencyData=None,
        numDependencies=1,
        flags=0,
    )


updates = Entry("cuStreamUpdateCaptureDependencies", updated)
updates.without("second_thread")  # another thread has another stream per thread
refuse(updates)
updates.breaks("STREAM_IS_CAPTURED", hStream=lambda i: stream(i.process))
updates.breaks("CAPTURE_IS_VALID", hStream=lambda i: broken(i.process))
updates.breaks("FLAGS_ARE_KNOWN", flags=2)
updates.breaks("DEPENDENCIES_ARE_OF_THE_GRAPH", "none given", dependencies=None)
updates.breaks(
    "DEPENDENCIES_ARE_OF_THE_GRAPH", "of another", dependencies=lambda i: (node(i.process, graph(i.process)),)
)
updates.breaks("DATA_ARE_DEFAULT", dependencyData=((0, 0, 1),))
updates.also("they are set", flags=SET)
updates.also("there are none", dependencies=None, numDependencies=0, flags=SET)
test_stream_update_capture_dependencies = updates.test()
