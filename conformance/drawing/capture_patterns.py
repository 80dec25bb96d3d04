"""Patterns of captures: begin, fork, join, end and invalidate them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.drawing.graph_patterns import elsewhere, function, plain, run, some
from conformance.drawing.rows import ROWS
from conformance.drawing.values import PAGE
from conformance.kit.program import MAIN

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.drawing.drawing import Drawing
    from conformance.drawing.graph_patterns import Make

SECOND = "second"
MODES = (0, 1, 2, 2)
"""CUstreamCaptureMode."""
ASKS = ("cuStreamGetCaptureInfo", "cuStreamIsCapturing", "cuStreamGetCaptureInfo_v2", "cuStreamGetCaptureInfo_v1")


def work(drawing: Drawing, process: str, make: Make, streams: Sequence[int], memory: int, count: int = 3) -> None:
    """Give streams work, whether or not they are captured."""
    random = drawing.random
    kernel = random.randrange(3) == 0 and function(make, process)
    for _ in range(count):
        stream = random.choice(streams)
        match random.randrange(12):
            case 0 | 1 | 2:
                make(process, "cuMemsetD8Async", memory, random.randrange(9), 16, stream)
            case 3:
                make(process, "cuMemcpyDtoDAsync", memory, memory + ROWS, 16, stream)
            case 4 if kernel:
                make(process, "cuLaunchKernel", kernel, 1, 1, 1, 1, 1, 1, 0, stream, 0, 0)
            case 5:
                address = make(process, "cuMemAllocAsync", PAGE, stream)
                if address and random.randrange(2):
                    make(process, "cuMemsetD8Async", address, 1, 16, random.choice(streams))
                if address and random.randrange(2):
                    make(process, "cuMemFreeAsync", address, random.choice(streams))
            case 6:
                event = make(process, "cuEventCreate", random.choice((0, 2)))
                if event:
                    make(process, "cuEventRecordWithFlags", event, stream, random.choice((0, 1)))
                    make(process, "cuStreamWaitEvent", random.choice(streams), event, random.choice((0, 0, 1)))
            case 7:
                calls = (
                    "cuStreamWriteValue32",
                    "cuMemsetD2D8Async",
                    "cuMemcpyBatchAsync",
                    "cuStreamBatchMemOp",
                    "cuLaunchKernelEx",
                )
                some(drawing, process, make, *calls, "cuMemPrefetchAsync", "cuStreamAttachMemAsync")
            case 8:
                hosts = [one.value for one in drawing.named(process, "function")]
                if hosts:
                    make(process, "cuLaunchHostFunc", stream, random.choice(hosts), 0)
            case 9:
                make(process, random.choice(ASKS), stream)
            case _:
                some(drawing, process, make, "cuStreamUpdateCaptureDependencies", "cuStreamWaitEvent", "cuEventRecord")


def begin(drawing: Drawing, process: str, make: Make) -> tuple[int, int] | None:
    """Return a new stream and memory, or None."""
    stream = make(process, "cuStreamCreate", drawing.random.choice((0, 1, 1)))
    memory = stream and make(process, "cuMemAlloc", PAGE)
    return (stream, memory) if memory else None


def capture(drawing: Drawing, process: str, make: Make) -> None:
    """Capture a stream, and maybe other streams that fork from it or join it."""
    random = drawing.random
    begun = begin(drawing, process, make)
    if begun is None:
        return
    stream, memory = begun
    call = random.choice(("cuStreamBeginCapture",) * 5 + ("cuStreamBeginCapture_v1",))
    if not make(process, call, stream, *([random.choice(MODES)] if call == "cuStreamBeginCapture" else ())):
        return
    work(drawing, process, make, (stream,), memory, random.randint(0, 2))
    streams = [stream]
    for _ in range(random.choice((0, 1, 1, 2))):
        other = make(process, "cuStreamCreate", random.choice((0, 1)))
        fork = other and make(process, "cuEventCreate", 2)
        if fork and make(process, "cuEventRecord", fork, random.choice(streams)):
            make(process, "cuStreamWaitEvent", other, fork, 0)
            streams.append(other)
    work(drawing, process, make, streams, memory, random.randint(1, 4))
    for other in streams[1:] if random.randrange(3) else ():
        join = make(process, "cuEventCreate", 2)
        if join and make(process, "cuEventRecord", join, other):
            make(process, "cuStreamWaitEvent", stream, join, 0)
    if random.randrange(6) == 0:
        meet(drawing, process, make, stream)
    make(process, random.choice(ASKS), random.choice(streams))
    graph = make(process, "cuStreamEndCapture", random.choice((stream, stream, stream, streams[-1])))
    if isinstance(graph, int) and graph is not True:
        run(drawing, process, make, graph)
    make(process, "cuStreamEndCapture", stream)


def meet(drawing: Drawing, process: str, make: Make, stream: int) -> None:
    """Begin a second capture, and have a captured stream wait for it or another event."""
    other, event = make(process, "cuStreamCreate", 1), make(process, "cuEventCreate", 2)
    if not (other and event):
        return
    if drawing.random.randrange(4):
        make(process, "cuStreamBeginCapture", other, drawing.random.choice(MODES))
    make(process, "cuEventRecord", event, other)
    make(process, "cuStreamWaitEvent", stream, event, 0)
    make(process, "cuStreamEndCapture", other)


def capture_unsafe(drawing: Drawing, process: str, make: Make) -> None:
    """Make calls that captures refuse, in threads with any capture mode."""
    random = drawing.random
    begun = begin(drawing, process, make)
    if begun is None:
        return
    stream, memory = begun
    own = make(process, "cuCtxGetCurrent")
    threads = [MAIN, MAIN, SECOND]
    if own:
        make(process, "cuCtxSetCurrent", own, on=SECOND)
    if random.randrange(2):
        make(process, "cuThreadExchangeStreamCaptureMode", random.choice(MODES), on=random.choice(threads))
    if not make(process, "cuStreamBeginCapture", stream, random.choice(MODES), on=random.choice(threads)):
        return
    make(process, "cuMemsetD8Async", memory, 1, 16, stream)
    for _ in range(random.randint(1, 3)):
        on = random.choice(threads)
        match random.randrange(10):
            case 0:
                make(process, "cuMemAlloc", PAGE, on=on)
            case 1:
                make(
                    process,
                    random.choice(("cuStreamSynchronize", "cuStreamQuery")),
                    random.choice((stream, 0, 1, 2)),
                    on=on,
                )
            case 2:
                make(process, "cuMemsetD8Async", memory, 1, 16, random.choice((0, 1, 2)), on=on)
            case 3:
                make(process, "cuMemsetD8", memory, 1, 16, on=on)
            case 4:
                make(process, "cuCtxSynchronize", on=on)
            case 5:
                make(process, "cuThreadExchangeStreamCaptureMode", random.choice(MODES), on=on)
            case 6:
                make(process, "cuStreamDestroy", stream, on=on)
            case 7:
                calls = (
                    "cuMemFree",
                    "cuMemHostAlloc",
                    "cuModuleLoadData",
                    "cuEventQuery",
                    "cuEventSynchronize",
                    "cuModuleUnload",
                )
                some(drawing, process, make, *calls, "cuMemAllocManaged", "cuMemMap", "cuArrayCreate", on=on)
            case 8:
                some(
                    drawing,
                    process,
                    make,
                    "cuMemAllocAsync",
                    "cuMemFreeAsync",
                    "cuMemcpyDtoD",
                    "cuGraphLaunch",
                    "cuGraphUpload",
                    on=on,
                )
            case _:
                some(
                    drawing,
                    process,
                    make,
                    "cuStreamBeginCapture",
                    "cuStreamCopyAttributes",
                    "cuEventElapsedTime",
                    on=on,
                )
    make(process, random.choice(ASKS), stream)
    make(process, "cuStreamEndCapture", stream, on=random.choice(threads))
    make(process, "cuStreamEndCapture", stream)
    for on in (MAIN, SECOND):
        make(process, "cuThreadExchangeStreamCaptureMode", 0, on=on)


def capture_to_graph(drawing: Drawing, process: str, make: Make) -> None:
    """Capture streams into an existing graph, after some of its nodes."""
    random = drawing.random
    begun = begin(drawing, process, make)
    graph = begun and make(process, "cuGraphCreate", 0)
    if begun is None or not graph:
        return
    stream, memory = begun
    nodes = plain(drawing, process, make, graph, random.randint(0, 3))
    chosen = tuple(random.sample(nodes, min(len(nodes), random.randint(0, 2)))) or None
    data = tuple((0, 0, random.choice((0, 0, 1))) for _ in chosen) if chosen and random.randrange(3) == 0 else None
    into = random.choice((stream, stream, stream, stream, 0, 1, 2))
    args: tuple[Any, ...] = graph, chosen, data, len(chosen or ()), random.choice(MODES)
    made = make(process, "cuStreamBeginCaptureToGraph", into, *args)
    if random.randrange(3) == 0:
        other = make(process, "cuStreamCreate", 1)
        if other:
            make(process, "cuStreamBeginCaptureToGraph", other, *args)
            make(process, "cuStreamEndCapture", other)
    if made:
        work(drawing, process, make, (into,), memory, random.randint(1, 3))
        calls = ("cuGraphAddEmptyNode", "cuGraphDestroyNode", "cuGraphClone", "cuGraphInstantiate", "cuGraphDestroy")
        if random.randrange(2):
            some(
                drawing,
                process,
                make,
                *calls,
                "cuGraphAddDependencies",
                "cuGraphRemoveDependencies",
                "cuGraphAddMemFreeNode",
            )
        if random.randrange(2):
            some(drawing, process, make, "cuStreamUpdateCaptureDependencies")
        if random.randrange(2):
            after = chosen or tuple(nodes[:1]) or None
            count = len(after or ())
            make(process, "cuStreamUpdateCaptureDependencies_v1", into, after, count, random.choice((0, 1, 2)))
    make(process, "cuStreamEndCapture", into)
    run(drawing, process, make, graph)


def capture_across(drawing: Drawing, process: str, make: Make) -> None:
    """Fork a capture to a stream of another context."""
    random = drawing.random
    begun = begin(drawing, process, make)
    if begun is None:
        return
    stream, memory = begun
    if not elsewhere(drawing, process, make):
        return
    other, event = make(process, "cuStreamCreate", 1), make(process, "cuEventCreate", 2)
    far = make(process, "cuMemAlloc", PAGE)
    if random.randrange(2):
        make(process, "cuCtxPopCurrent")
    if not (other and event and far and make(process, "cuStreamBeginCapture", stream, random.choice(MODES))):
        return
    make(process, "cuMemsetD8Async", random.choice((memory, far)), 1, 16, stream)
    make(process, "cuEventRecord", event, stream)
    make(process, "cuStreamWaitEvent", other, event, 0)
    make(process, "cuMemsetD8Async", random.choice((memory, far)), 2, 16, other)
    work(drawing, process, make, (stream, other), random.choice((memory, far)), random.randint(0, 2))
    make(process, "cuEventRecord", event, other)
    make(process, "cuStreamWaitEvent", stream, event, 0)
    graph = make(process, "cuStreamEndCapture", stream)
    if graph:
        run(drawing, process, make, graph)


CAPTURES = (capture, capture, capture_unsafe, capture_unsafe, capture_to_graph, capture_across)
"""All capture patterns."""
