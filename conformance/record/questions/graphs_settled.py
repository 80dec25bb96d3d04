"""Questions about graphs and captures that new random programs raised: uploads, other devices, frees, captures, children."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.graph.conditionals import embedded
from conformance.cases.driver.graph.fixtures import (
    DEVICE,
    ROOM,
    UNIFIED,
    between,
    copy,
    executable,
    graph,
    memset,
    node,
    of_memset,
)
from conformance.cases.driver.graph.memory import RELAXED, allocating
from conformance.cases.driver.graph.test_memory import allocation
from conformance.cases.driver.graph.test_node import of_kernel
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, destroyed, elsewhere, stream, without_context
from conformance.cases.driver.texture.fixtures import SAMPLING, linear, pitched
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

AUTO_FREE, UPLOAD, FOR_DEVICES, PRIORITY = 1, 2, 4, 8
"""CUgraphInstantiate_flags."""
MODES = (0, 1, 2)
"""CUstreamCaptureMode: global, thread-local, relaxed."""


def capturing(a: Process, mode: int = RELAXED) -> int:
    """Return a new stream that captures."""
    working = stream(a, NON_BLOCKING)
    a.ok.cuStreamBeginCapture(working, mode)
    return working


def _instantiated(a: Process, of: int, flags: int, upload: int) -> None:
    code, made, _ = a.c.cuGraphInstantiateWithParams(of, (flags, upload, 0, 0))
    if not code and made:
        a.c.cuGraphExecDestroy(made)


@question()
def streams_that_upload(w: World) -> None:
    """Which stream may upload, by kind of stream, with and without the flag, of an empty graph and of one with work."""
    a = w.process()
    there, other = elsewhere(a)
    for of in (graph(a), _filling(a)):
        for flags in (0, UPLOAD, UPLOAD | PRIORITY, UPLOAD | AUTO_FREE):
            for upload in (0, 1, 2, stream(a), stream(a, NON_BLOCKING), there):
                _instantiated(a, of, flags, upload)
    a.ok.cuCtxPushCurrent(other)
    for upload in (0, 1, stream(a)):
        _instantiated(a, _filling(a), UPLOAD, upload)


def _filling(a: Process) -> int:
    of = graph(a)
    of_memset(a, a.ok.cuMemAlloc(ROOM), of=of)
    return of


@question()
def captures_while_a_graph_is_uploaded(w: World) -> None:
    """What an upload makes of a capture: of its own stream, and of others in each mode."""
    for mode in MODES:
        a = w.process()
        of, upload, idle = _filling(a), capturing(a, mode), stream(a, NON_BLOCKING)
        for flags, by in ((0, upload), (UPLOAD, upload), (UPLOAD, idle), (UPLOAD, 0), (UPLOAD, 1), (0, idle)):
            _instantiated(a, of, flags, by)
            a.c.cuStreamGetCaptureInfo(upload)
        a.c.cuStreamEndCapture(upload)
        a.c.cuGraphInstantiate(of, UPLOAD)
        blocking = stream(a)
        a.ok.cuStreamBeginCapture(blocking, mode)
        for flags, by in ((UPLOAD, 0), (UPLOAD, 1), (0, 0), (UPLOAD, blocking)):
            _instantiated(a, of, flags, by)
        a.c.cuStreamEndCapture(blocking)


@question()
def uploads_with_what_is_gone(w: World) -> None:
    """A stream that was destroyed, or whose context was; without a current context; before a null graph."""
    a = w.process()
    of = _filling(a)
    _instantiated(a, 0, UPLOAD, stream(a))
    _instantiated(a, of, 1 << 20, stream(a))
    _instantiated(a, of, 1 << 20, capturing(a))
    _instantiated(a, 0, UPLOAD, capturing(a))
    good = stream(a)
    a.ok.cuCtxPopCurrent()
    for upload in (0, 1, 2, good):
        _instantiated(a, of, UPLOAD, upload)
        _instantiated(a, of, 0, upload)


@question()
def uploads_by_a_stream_of_a_destroyed_context(w: World) -> None:
    """A stream whose context was destroyed uploads a graph; a destroyed one with no flag."""
    a = w.process()
    of = _filling(a)
    _instantiated(a, of, 0, without_context(a))
    _instantiated(a, of, UPLOAD, without_context(a))
    _instantiated(a, of, 0, destroyed(a))


@question()
def nodes_for_memory_of_another_device(w: World) -> None:
    """A memset, a copy and a kernel with one device's context and another's memory, with peer access and without."""
    a = w.process()
    here = a.context
    there = a.ok.cuCtxCreate(None, 0, 1)
    far, managed = a.ok.cuMemAlloc(ROOM), a.ok.cuMemAllocManaged(ROOM, 1)
    a.ok.cuCtxPopCurrent()
    near = a.ok.cuMemAlloc(ROOM)
    for peer in (False, True):
        if peer:
            a.c.cuCtxEnablePeerAccess(there, 0)
        of = graph(a)
        for context in (here, there):
            a.c.cuGraphAddMemsetNode(of, None, 0, memset(far), context)
            a.c.cuGraphAddMemsetNode(of, None, 0, memset(near), context)
            a.c.cuGraphAddMemsetNode(of, None, 0, memset(managed), context)
            for dst, src in ((near, far), (far, near), (far, far), (near, near)):
                a.c.cuGraphAddMemcpyNode(of, None, 0, copy(dst, src), context)
            a.c.cuGraphAddMemcpyNode(of, None, 0, between((UNIFIED, far), (DEVICE, near), 16), context)
        code, made = a.c.cuGraphInstantiate(of, 0)
        if not code:
            a.c.cuGraphLaunch(made, 0)
            a.c.cuCtxSynchronize()
            a.ok.cuCtxPushCurrent(there)
            a.c.cuCtxSynchronize()
            a.c.cuGraphLaunch(made, 0)
            a.c.cuCtxSynchronize()
            a.ok.cuCtxPopCurrent()


@question()
def settings_for_memory_of_another_device(w: World) -> None:
    """Nodes and executable graphs that are changed to another device's memory, by either context."""
    a = w.process()
    here = a.context
    there = a.ok.cuCtxCreate(None, 0, 1)
    far = a.ok.cuMemAlloc(ROOM)
    a.ok.cuCtxPopCurrent()
    near = a.ok.cuMemAlloc(ROOM)
    of = graph(a)
    fill = a.ok.cuGraphAddMemsetNode(of, None, 0, memset(near), here)
    moves = a.ok.cuGraphAddMemcpyNode(of, None, 0, copy(near, near + 64), here)
    made = executable(a, of)
    for context in (here, there):
        a.c.cuGraphExecMemsetNodeSetParams(made, fill, memset(far), context)
        a.c.cuGraphExecMemcpyNodeSetParams(made, moves, copy(far, near), context)
    a.c.cuGraphMemsetNodeSetParams(fill, memset(far))
    a.c.cuGraphMemcpyNodeSetParams(moves, copy(far, near))
    a.c.cuGraphExecUpdate(made, of)
    other = graph(a)
    a.ok.cuCtxPushCurrent(there)
    a.c.cuGraphAddMemsetNode(other, None, 0, memset(far), there)
    a.c.cuGraphAddMemcpyNode(other, None, 0, copy(far, far + 64), there)
    a.c.cuGraphExecUpdate(made, other)


@question()
def frees_of_what_graphs_allocate(w: World) -> None:
    """When a node may free an allocation: behind others, in a second graph, twice, after nodes that failed, without an order."""
    a = w.process()
    of = graph(a)
    first, params = a.ok.cuGraphAddMemAllocNode(of, None, 0, allocation(a))
    memory = params[-1]
    behind = node(a, of, first)
    a.c.cuGraphAddMemFreeNode(of, None, 0, memory)
    a.c.cuGraphAddMemFreeNode(of, (node(a, of),), 1, memory)
    a.c.cuGraphAddMemFreeNode(of, (behind,), 1, memory + 64)
    a.c.cuGraphAddMemFreeNode(of, (behind,), 1, memory)
    a.c.cuGraphAddMemFreeNode(of, (behind,), 1, memory)
    second = graph(a)
    a.c.cuGraphAddMemFreeNode(second, None, 0, memory)
    third = graph(a)
    begun, params = a.ok.cuGraphAddMemAllocNode(third, None, 0, allocation(a))
    for _ in range(2):
        a.c.cuGraphAddMemFreeNode(graph(a), None, 0, params[-1])
    a.c.cuGraphAddChildGraphNode(third, (begun,), 1, third)
    a.c.cuGraphAddMemFreeNode(third, (begun,), 1, params[-1])
    left, right = node(a, third, begun), node(a, third, begun)
    a.c.cuGraphAddMemFreeNode(third, (left, right), 2, params[-1])
    a.c.cuGraphInstantiate(third, 0)
    a.c.cuGraphInstantiate(of, 0)


@question()
def frees_after_a_graph_was_launched(w: World) -> None:
    """When another graph may free what a graph allocates: before and after it is instantiated, launched, launched again."""
    a = w.process()
    of, memory = allocating(a)
    for step in ("new", "instantiated", "launched", "freed"):
        if step == "instantiated":
            made = executable(a, of)
        if step == "launched":
            a.c.cuGraphLaunch(made, 0)
            a.c.cuStreamSynchronize(0)
        if step == "freed":
            a.c.cuMemFreeAsync(memory, 0)
            a.c.cuStreamSynchronize(0)
        freeing = graph(a)
        a.c.cuGraphAddMemFreeNode(freeing, None, 0, memory)
        a.c.cuGraphInstantiate(freeing, 0)
    for flags in range(16):
        other, _ = allocating(a, frees=bool(flags & 1))
        a.c.cuGraphInstantiate(other, flags)
        a.c.cuGraphInstantiate(_filling(a), flags)


@question()
def captures_to_graphs_that_are_captured_into(w: World) -> None:
    """Two captures to one graph, the graph of a capture, its child's, an embedded one; and default streams."""
    a = w.process()
    of = graph(a)
    working, other = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    a.c.cuStreamBeginCaptureToGraph(working, of, None, None, 0, RELAXED)
    a.c.cuStreamBeginCaptureToGraph(other, of, None, None, 0, RELAXED)
    a.c.cuStreamBeginCaptureToGraph(working, of, None, None, 0, RELAXED)
    a.c.cuStreamBeginCaptureToGraph(working, graph(a), None, None, 0, RELAXED)
    a.c.cuStreamBeginCapture(working, RELAXED)
    a.c.cuGraphAddEmptyNode(of, None, 0)
    a.c.cuGraphInstantiate(of, 0)
    a.c.cuGraphClone(of)
    a.c.cuGraphAddChildGraphNode(graph(a), None, 0, of)
    a.c.cuGraphAddChildGraphNode(of, None, 0, graph(a))
    a.c.cuGraphDestroy(of)
    a.c.cuStreamEndCapture(working)
    for default in (0, 1, 2):
        for mode in MODES:
            a.c.cuStreamBeginCaptureToGraph(default, graph(a), None, None, 0, mode)
            a.c.cuStreamBeginCapture(default, mode)
            if default == 2:
                a.c.cuStreamEndCapture(2)
    a.c.cuStreamBeginCaptureToGraph(1, 0, None, None, 0, RELAXED)
    a.c.cuStreamBeginCaptureToGraph(1, of, None, None, 1, RELAXED)
    a.c.cuStreamBeginCaptureToGraph(1, graph(a), None, None, 0, 9)
    a.c.cuStreamBeginCaptureToGraph(stream(a), embedded(a), None, None, 0, RELAXED)


@question()
def nodes_of_captures_that_are_destroyed(w: World) -> None:
    """The last node of a capture, an earlier one, one that a fork depends on; edges of them; what the end answers."""
    a = w.process()
    place = a.ok.cuMemAlloc(ROOM)
    working = capturing(a)
    a.ok.cuMemsetD8Async(place, 1, 16, working)
    a.ok.cuMemsetD8Async(place, 2, 16, working)
    of = a.c.cuStreamGetCaptureInfo(working)[3]
    code, nodes, *_ = a.c.cuGraphGetNodes(of, 4)
    for one in (nodes or ())[:2] if not code else ():
        a.c.cuGraphDestroyNode(one)
        a.c.cuGraphMemsetNodeSetParams(one, memset(place))
    if not code and nodes:
        a.c.cuGraphRemoveDependencies(of, (nodes[0],), (nodes[1],), None, 1)
        a.c.cuGraphAddDependencies(of, (nodes[0],), (nodes[1],), None, 1)
    a.c.cuStreamEndCapture(working)
    if not code and nodes:
        a.c.cuGraphDestroyNode(nodes[0])


@question()
def children_with_memory(w: World) -> None:
    """A graph into itself, with memory nodes and without; and executable children that are set."""
    a = w.process()
    for of in (graph(a), _filling(a), allocating(a)[0], allocating(a, frees=True)[0]):
        a.c.cuGraphAddChildGraphNode(of, None, 0, of)
        a.c.cuGraphAddChildGraphNode(graph(a), None, 0, of)
    outer, inner = graph(a), _filling(a)
    child = a.ok.cuGraphAddChildGraphNode(outer, None, 0, inner)
    made = executable(a, outer)
    longer = _filling(a)
    node(a, longer)
    kernel = graph(a)
    of_kernel(a)
    for new in (inner, _filling(a), graph(a), longer, kernel, allocating(a)[0], allocating(a, frees=True)[0], outer, 0):
        a.c.cuGraphExecChildGraphNodeSetParams(made, child, new)
    a.c.cuGraphExecChildGraphNodeSetParams(made, node(a, outer), inner)
    a.c.cuGraphExecChildGraphNodeSetParams(executable(a), child, inner)


@question()
def textures_of_few_rows(w: World) -> None:
    """Pitched memory of no row, one and two, and of widths; memory of one dimension of few elements."""
    a = w.process()
    for height in (0, 1, 2, 3):
        for width in (1, 64):
            a.c.cuTexObjectCreate(pitched(a, width=width, height=height), SAMPLING, None)
    for size in (0, 4, 8):
        a.c.cuTexObjectCreate(linear(a, size=size), SAMPLING, None)


@question()
def streams_of_a_destroyed_context(w: World) -> None:
    """Each call by itself with a stream whose context was destroyed, while another is current."""
    for call, rest in (
        ("cuEventRecord", None),
        ("cuStreamGetAttribute", (1,)),
        ("cuMemAllocAsync", None),
        ("cuStreamQuery", ()),
        ("cuStreamSynchronize", ()),
        ("cuStreamGetFlags", ()),
        ("cuStreamGetPriority", ()),
        ("cuStreamGetId", ()),
        ("cuStreamGetCtx", ()),
        ("cuStreamGetDevice", ()),
        ("cuStreamIsCapturing", ()),
        ("cuStreamBeginCapture", (2,)),
        ("cuStreamEndCapture", ()),
        ("cuStreamDestroy", ()),
        ("cuGraphLaunch", None),
        ("cuMemFreeAsync", None),
        ("cuMemsetD8Async", None),
        ("cuStreamWaitEvent", None),
    ):
        a = w.process()
        made, event, place = executable(a), a.ok.cuEventCreate(0), a.ok.cuMemAlloc(ROOM)
        gone = without_context(a)
        args = {
            "cuEventRecord": (event, gone),
            "cuMemAllocAsync": (ROOM, gone),
            "cuGraphLaunch": (made, gone),
            "cuMemFreeAsync": (place, gone),
            "cuMemsetD8Async": (place, 0, 16, gone),
            "cuStreamWaitEvent": (gone, event, 0),
        }.get(call, (gone, *(rest or ())))
        getattr(a.c, call)(*args)
