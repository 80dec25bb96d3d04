"""Queries of captures, and the capture mode of a thread.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.anywhere import anywhere
from conformance.cases.driver.graph.fixtures import graph
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.module.fixtures import function
from conformance.cases.driver.stream.captured_calls import GLOBAL, RELAXED, THREAD_LOCAL, broken, captured, joined
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, accept, refuse, stream
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

PROGRAMMATIC = (1, 0, 1)
"""A CUgraphEdgeData."""


def asked(w: World) -> Invocation:
    return w.process().call("cuStreamGetCaptureInfo", hStream=0)


def not_captured(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the status CU_STREAM_CAPTURE_STATUS_NONE."""
    assert results[0] == 0


def told(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the graph is the capture's, and that the next node has no dependency."""
    status, _, of, nodes, edges, count = results
    assert (status, nodes, edges, count) == (1, (), (), 0)
    assert i.process.ok.cuGraphGetNodes(of, 1)[-1] == 0


def broken_off(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the status CU_STREAM_CAPTURE_STATUS_INVALIDATED."""
    assert results[0] == 2


asks = Entry("cuStreamGetCaptureInfo", asked, not_captured)
refuse(asks)
accept(asks)
asks.null("captureStatus_out", "RESULT_IS_GIVEN")
asks.null("dependencies_out", None)
asks.also("while it is captured", then=told, hStream=lambda i: captured(i.process))
asks.also("when its capture was broken", then=broken_off, hStream=lambda i: broken(i.process))


@asks.world("LEGACY_STREAM_IS_FREE")
def blocking(_w: World, i: Invocation) -> None:
    captured(i.process, flags=0)


@asks.also("the nodes that it was given last")
def behind_a_node(_w: World, i: Invocation) -> Invocation:
    a = i.process
    begun = captured(a)
    a.ok.cuMemsetD8Async(a.ok.cuMemAlloc(64), 7, 16, begun)
    _, _, of, nodes, edges, count = a.ok.cuStreamGetCaptureInfo(begun)
    assert (edges, count) == (((0, 0, 0),), 1)
    assert a.ok.cuGraphGetNodes(of, 1) == (nodes, 1)
    other = joined(a, begun)
    assert a.ok.cuStreamGetCaptureInfo(other)[2:4] == (of, nodes)
    return i.evolve(hStream=other)


for number, trigger, edge in ((7, (0,), (1, 0, 1)), (7, (1,), (2, 0, 1)), (12, (), (2, 0, 0))):

    @asks.also(f"behind an event of a launch, {number} {trigger}")
    def behind_an_event(
        _w: World,
        i: Invocation,
        attribute: tuple[int, ...] = (number, 0, 0, *trigger),
        edge: tuple[int, ...] = edge,
    ) -> Invocation:
        a, begun, other = i.process, captured(i.process), stream(i.process, NON_BLOCKING)
        event = a.ok.cuEventCreate(2)
        given = (attribute[0], event, *attribute[2:])
        a.ok.cuLaunchKernelEx((*[1] * 6, 0, begun, (given,)), function(a), 0, 0)
        for one, data in ((other, edge), (begun, (0, 0, 0))):
            a.ok.cuStreamWaitEvent(one, event, 0)
            assert a.ok.cuStreamGetCaptureInfo(one)[4] == (data,)
        return i.evolve(hStream=other)


for nulls in ("edgeData_out dependencies_out", "edgeData_out", "id_out graph_out", "numDependencies_out"):
    asks.null(nulls, None)


@asks.also("the data of edges alone", rule="DATA_COME_WITH_NODES")
def data_alone(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i.evolve(hStream=captured(i.process)), null="dependencies_out")


@asks.world("NO_DATA_ARE_LOST", "", "hStream")
def early(_w: World, i: Invocation) -> Invocation:
    a, of, begun = i.process, graph(i.process), stream(i.process, NON_BLOCKING)
    a.ok.cuStreamBeginCaptureToGraph(begun, of, (of_kernel(a, of),), (PROGRAMMATIC,), 1, RELAXED)
    assert a.ok.cuStreamGetCaptureInfo(begun)[4:] == ((PROGRAMMATIC,), 1)
    return attrs.evolve(i.evolve(hStream=begun), null="edgeData_out")


test_stream_get_capture_info = asks.test()


def exchanged(w: World) -> Invocation:
    return w.process().call("cuThreadExchangeStreamCaptureMode", mode=GLOBAL)


def goes_back(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the thread has its earlier capture mode."""
    assert results == (GLOBAL,)
    assert i.c.cuThreadExchangeStreamCaptureMode(GLOBAL) == (0, i.args["mode"])


exchanges = Entry("cuThreadExchangeStreamCaptureMode", exchanged, goes_back)
anywhere(exchanges)


@exchanges.undefined("MODE_IS_GIVEN", code=Result.INVALID_VALUE)
def no_mode(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i, null="mode")


for mode in (THREAD_LOCAL, RELAXED):
    exchanges.also(f"{mode}", mode=mode, then=goes_back)


@exchanges.also("a relaxed thread makes calls that are unsafe", then=goes_back)
def unsafe(_w: World, i: Invocation) -> Invocation:
    a = i.process
    begun = captured(a, GLOBAL)
    assert a.ok.cuThreadExchangeStreamCaptureMode(RELAXED) == GLOBAL
    a.ok.cuMemAlloc(64)
    a.ok.cuStreamEndCapture(begun)
    a.ok.cuThreadExchangeStreamCaptureMode(GLOBAL)
    return i


@exchanges.also("a thread that heeds its own captures makes such calls beside another's", then=goes_back)
def beside(_w: World, i: Invocation) -> Invocation:
    a = i.process
    begun, other = captured(a, GLOBAL), a.thread("other")
    other.ok.cuCtxSetCurrent(a.context)
    assert other.c.cuMemAlloc(64)[0] == Result.STREAM_CAPTURE_UNSUPPORTED
    assert a.c.cuStreamEndCapture(begun)[0] == Result.STREAM_CAPTURE_INVALIDATED
    begun = captured(a, GLOBAL)
    other.ok.cuThreadExchangeStreamCaptureMode(THREAD_LOCAL)
    other.ok.cuMemAlloc(64)
    a.ok.cuStreamEndCapture(begun)
    return i


test_thread_exchange_stream_capture_mode = exchanges.test()
