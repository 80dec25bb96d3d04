"""What comes of several streams, threads, events and graphs in captures."""

from __future__ import annotations

from functools import partial
from typing import Any

from conformance.record.capture.scene import GLOBAL, RELAXED, THREAD_LOCAL, Scene, question

EXTERNAL, SET = 1, 1


@question
def beginnings(s: Scene) -> None:
    """Which streams are captured, and when."""
    for label, stream in (
        ("null", 0),
        ("legacy", 1),
        ("per thread", 2),
        ("own", s.stream()),
        ("blocking", s.stream(0)),
    ):
        for mode in (-1, 3, GLOBAL, GLOBAL, 3):
            s.begin(stream, mode, label)
        s.look(stream, label)
        s.end(stream, label)
        s.end(stream, label)
    s.ask("end of none", "cuStreamEndCapture", s.stream())
    s.get("cuCtxSetCurrent", None)
    for stream in (0, 1, 2):
        for mode in (GLOBAL, 3):
            s.begin(stream, mode, "no context")
        s.ask("no context", "cuStreamIsCapturing", stream, show=int)
        s.ask("no context", "cuStreamGetCaptureInfo", stream)
        s.ask("no context", "cuStreamEndCapture", stream)
        s.ask("no context", "cuStreamUpdateCaptureDependencies", stream, None, None, 0, 0)
    s.get("cuCtxSetCurrent", s.context)
    stream = s.stream()
    s.get("cuCtxSetCurrent", None)
    s.begin(stream, GLOBAL, "no context, created")
    s.ask("no context, created", "cuStreamIsCapturing", stream, show=int)
    s.ask("no context, created", "cuStreamEndCapture", stream)


@question
def modes_exchanged(s: Scene) -> None:
    """What cuThreadExchangeStreamCaptureMode takes and gives."""
    for mode in (GLOBAL, THREAD_LOCAL, RELAXED, 3, -1, GLOBAL):
        s.ask(f"{mode}", "cuThreadExchangeStreamCaptureMode", s.mode(mode), show=int)
    s.ask("here", "cuThreadExchangeStreamCaptureMode", s.mode(RELAXED), show=int)
    s.elsewhere(lambda: s.ask("elsewhere", "cuThreadExchangeStreamCaptureMode", s.mode(GLOBAL), show=int))
    s.get("cuCtxSetCurrent", None)
    s.ask("no context", "cuThreadExchangeStreamCaptureMode", s.mode(GLOBAL), show=int)


@question
def infos(s: Scene) -> None:
    """Ids, and what an embedded order looks like."""
    first, second = s.stream(), s.stream()
    for stream in (first, second, first):
        s.begin(stream, RELAXED)
        _, _, number, *_ = s.cu.cuStreamGetCaptureInfo(stream)
        s.tell("id", int(number))
        s.fill(stream)
        s.look(stream)
        s.fill(stream)
        s.look(stream)
        s.end(stream)
        s.look(stream)


@question
def threads(s: Scene) -> None:
    """Who ends a capture, and whose captures forbid what."""
    for mode in (GLOBAL, THREAD_LOCAL, RELAXED):
        stream = s.stream()
        s.begin(stream, mode, f"{mode}")
        for act in (s.fill, s.look, s.end):
            s.elsewhere(partial(act, stream, f"{mode} elsewhere"))
        s.look(stream, f"{mode}")
        s.end(stream, f"{mode}")
        s.ask(f"{mode} behind", "cuMemAlloc", 64)
    stream = s.stream()
    s.elsewhere(lambda: s.begin(stream, GLOBAL, "a thread that ends"))
    s.ask("a thread that ended", "cuMemAlloc", 64)
    s.look(stream, "a thread that ended")
    s.end(stream, "a thread that ended")
    s.ask("behind", "cuMemAlloc", 64)


@question
def two_captures(s: Scene) -> None:
    """Which captures an unsafe call invalidates."""
    for first_mode, second_mode in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2), (2, 0)):
        label = f"{first_mode} {second_mode}"
        first, second = s.stream(), s.stream()
        s.begin(first, first_mode, label)
        s.begin(second, second_mode, label)
        s.fill(first, label)
        s.ask(label, "cuMemAlloc", 64)
        for stream in (first, second):
            s.look(stream, label)
            s.fill(stream, label)
            s.end(stream, label)
        third, fourth = s.stream(), s.stream()
        s.begin(third, first_mode, f"{label} in two threads")
        s.there(partial(s.begin, fourth, second_mode, f"{label} in two threads"))
        s.ask(f"{label} in two threads", "cuMemAlloc", 64)
        for stream in (third, fourth):
            s.look(stream, f"{label} in two threads")
        s.end(third, f"{label} in two threads")
        s.there(partial(s.end, fourth, f"{label} in two threads"))
        s.end(fourth, f"{label} in two threads, again")
        s.ask(f"{label} behind", "cuMemAlloc", 64)


@question
def forks(s: Scene) -> None:
    """Streams that join a capture by events."""
    first, second, third = s.stream(), s.stream(), s.stream(0)
    event, back, more = s.event(), s.event(2), s.event()
    s.begin(first)
    s.fill(first)
    s.ask("record", "cuEventRecord", event, first)
    s.look(first)
    s.ask("wait", "cuStreamWaitEvent", second, event, 0)
    s.look(second)
    s.fill(second)
    s.fill(first)
    s.ask("again", "cuStreamWaitEvent", second, event, 0)
    s.look(second)
    s.ask("record", "cuEventRecord", more, second)
    s.ask("third", "cuStreamWaitEvent", third, more, 0)
    s.fill(third)
    s.ask("begin of one that joined", "cuStreamBeginCapture", second, s.mode(GLOBAL))
    s.ask("end of one that joined", "cuStreamEndCapture", second)
    s.look(second)
    s.ask("record", "cuEventRecord", back, third)
    s.ask("back", "cuStreamWaitEvent", first, back, 0)
    s.look(first)
    s.ask("record", "cuEventRecord", back, second)
    s.ask("back", "cuStreamWaitEvent", first, back, 0)
    s.look(first)
    s.fill(first)
    s.end(first)
    for stream in (first, second, third):
        s.look(stream, "behind")
        s.fill(stream, "behind")
    for one in (event, back, more):
        s.ask("behind", "cuEventQuery", one)
        s.ask("behind", "cuEventSynchronize", one)
        s.ask("behind", "cuStreamWaitEvent", first, one, 0)


@question
def unjoined(s: Scene) -> None:
    """A stream that does not come back; with nothing in it, with work in it, and when it was destroyed."""
    for work in ("nothing", "work", "joined and more", "destroyed", "destroyed with work", "dependencies replaced"):
        first, second, event, back = s.stream(), s.stream(), s.event(), s.event()
        s.begin(first, GLOBAL, work)
        s.fill(first, work)
        s.ask(work, "cuEventRecord", event, first)
        s.ask(work, "cuStreamWaitEvent", second, event, 0)
        if work not in {"nothing", "destroyed"}:
            s.fill(second, work)
        if work == "joined and more":
            s.ask(work, "cuEventRecord", back, second)
            s.ask(work, "cuStreamWaitEvent", first, back, 0)
            s.fill(second, work)
        if work.startswith("destroyed"):
            s.ask(work, "cuStreamDestroy", second)
            s.look(first, work)
        elif work == "dependencies replaced":
            s.ask(work, "cuStreamUpdateCaptureDependencies", second, None, None, 0, SET)
        s.end(first, work)
        if not work.startswith("destroyed"):
            s.look(second, work)
            s.fill(second, work)
        s.look(first, work)
        s.ask(work, "cuEventQuery", event)


@question
def merges(s: Scene) -> None:
    """Two captures that meet, and a stream outside that waits for one."""
    for mode in (GLOBAL, RELAXED):
        first, second, event = s.stream(), s.stream(), s.event()
        s.begin(first, mode, "merge")
        s.begin(second, mode, "merge")
        s.fill(first, "merge")
        s.ask("merge", "cuEventRecord", event, first)
        s.ask("merge", "cuStreamWaitEvent", second, event, 0)
        for stream in (first, second):
            s.look(stream, "merge")
            s.end(stream, "merge")
        outside, captured, before = s.stream(), s.stream(), s.event()
        s.ask("before", "cuEventRecord", before, outside)
        s.begin(captured, mode, "isolation")
        s.ask("an event from before", "cuStreamWaitEvent", captured, before, 0)
        s.look(captured, "isolation")
        s.end(captured, "isolation")
        s.begin(captured, mode, "recorded meanwhile")
        s.ask("recorded meanwhile", "cuEventRecord", before, outside)
        s.ask("recorded meanwhile", "cuStreamWaitEvent", captured, before, 0)
        s.look(captured, "recorded meanwhile")
        s.end(captured, "recorded meanwhile")
        for legacy in (0, 1, 2, s.stream(0)):
            blocking = s.stream(0)
            s.begin(blocking, mode, f"legacy waits {mode}")
            s.ask("legacy waits", "cuEventRecord", event, blocking)
            s.ask("legacy waits", "cuStreamWaitEvent", legacy, event, 0)
            s.look(blocking, "legacy waits")
            s.end(blocking, "legacy waits")
            s.end(legacy, "legacy waits, itself")


@question
def events(s: Scene) -> None:
    """Events that a capture has recorded."""
    before, stream = s.event(), s.stream()
    asks: dict[str, Any] = {
        "query": lambda event: ("cuEventQuery", event),
        "synchronize": lambda event: ("cuEventSynchronize", event),
        "elapsed": lambda event: ("cuEventElapsedTime", event, s.event()),
        "elapsed behind": lambda event: ("cuEventElapsedTime", before, event),
        "destroy": lambda event: ("cuEventDestroy", event),
        "record elsewhere": lambda event: ("cuEventRecord", event, s.stream()),
        "record again": lambda event: ("cuEventRecord", event, stream),
        "context waits": lambda event: ("cuCtxWaitEvent", s.context, event),
        "node": lambda event: ("cuGraphAddEventRecordNode", s.graph(), None, 0, event),
        "external wait": lambda event: ("cuStreamWaitEvent", stream, event, EXTERNAL),
        "external wait elsewhere": lambda event: ("cuStreamWaitEvent", s.stream(), event, EXTERNAL),
    }
    s.get("cuEventRecord", before, stream)
    for mode in (GLOBAL, THREAD_LOCAL, RELAXED):
        for when in ("while", "invalid", "behind", "outside"):
            for name, make in asks.items():
                label, stream, event, outside = f"{name} {when} {mode}", s.stream(), s.event(), s.event()
                name_of, *args = make(event if when != "outside" else outside)
                s.begin(stream, mode, label)
                s.fill(stream, label)
                s.ask(label, "cuEventRecord", event, stream)
                if when == "invalid":
                    s.ask(label, "cuStreamSynchronize", stream)
                if when == "behind":
                    s.end(stream, label)
                s.ask(label, name_of, *args)
                s.look(stream, label)
                if when != "behind":
                    s.end(stream, label)
                if name != "destroy":
                    s.ask(label, "cuEventQuery", event)


@question
def recorded_again(s: Scene) -> None:
    """What waits for an event that was recorded elsewhere or again."""
    first, second, event = s.stream(), s.stream(), s.event()
    s.begin(first)
    s.fill(first)
    s.ask("record", "cuEventRecord", event, first)
    s.fill(first)
    s.ask("record", "cuEventRecord", event, first)
    s.ask("wait", "cuStreamWaitEvent", second, event, 0)
    s.look(second)
    s.ask("recorded outside", "cuEventRecord", event, s.stream())
    s.ask("recorded outside", "cuEventQuery", event)
    s.ask("recorded outside", "cuEventSynchronize", event)
    s.ask("waits for outside", "cuStreamWaitEvent", first, event, 0)
    s.look(first)
    s.end(first)
    s.begin(first, GLOBAL, "nothing recorded")
    empty = s.event()
    s.ask("nothing before", "cuEventRecord", empty, first)
    s.ask("nothing before", "cuStreamWaitEvent", second, empty, 0)
    s.look(second, "nothing before")
    s.fill(second, "nothing before")
    s.look(second, "nothing before")
    s.ask("nothing before", "cuEventRecord", empty, second)
    s.ask("nothing before", "cuStreamWaitEvent", first, empty, 0)
    s.end(first, "nothing before")


@question
def invalidated(s: Scene) -> None:
    """What an invalidated capture answers to everything, and which error comes first."""
    stream, event, graph = s.stream(), s.event(), s.executable(s.graph(1))
    joined, outside = s.stream(), s.stream()
    s.begin(stream)
    s.fill(stream)
    s.ask("record", "cuEventRecord", event, stream)
    s.ask("join", "cuStreamWaitEvent", joined, event, 0)
    s.ask("break", "cuStreamSynchronize", stream)
    for one in (stream, joined):
        s.look(one)
        s.fill(one)
        s.ask("copy nowhere", "cuMemcpyAsync", 8, 8, 16, one)
        s.ask("copy nothing", "cuMemcpyAsync", s.place, s.place, 0, one)
        s.ask("set nothing", "cuMemsetD8Async", s.place, 0, 0, one)
        s.ask("no function", "cuLaunchHostFunc", one, 0, 0)
        s.ask("record", "cuEventRecord", event, one)
        s.ask("wait", "cuStreamWaitEvent", one, event, 0)
        s.ask("wait elsewhere", "cuStreamWaitEvent", outside if one is joined else 2, event, 0)
        s.ask("query event", "cuEventQuery", event)
        s.ask("query", "cuStreamQuery", one)
        s.ask("synchronize", "cuStreamSynchronize", one)
        s.ask("launch", "cuGraphLaunch", graph, one)
        s.ask("allocate", "cuMemAllocAsync", 64, one)
        s.ask("update", "cuStreamUpdateCaptureDependencies", one, None, None, 0, SET)
        s.begin(one)
        s.ask("allocate unsafe", "cuMemAlloc", 64)
    s.elsewhere(lambda: s.end(stream, "elsewhere"))
    s.end(joined, "joined")
    s.end(stream)
    for one in (stream, joined):
        s.look(one)
        s.fill(one)
    s.ask("behind", "cuEventQuery", event)


@question
def invalidated_by_the_legacy_stream(s: Scene) -> None:
    """Whether an implicit dependence invalidates, and what is told then."""
    for stream in (s.stream(0), 2):
        for legacy in (0, 1):
            s.begin(stream, RELAXED)
            s.ask("info", "cuStreamGetCaptureInfo", legacy)
            s.ask("capturing", "cuStreamIsCapturing", legacy, show=int)
            s.look(stream)
            s.fill(stream)
            s.fill(legacy, "legacy")
            s.ask("legacy query", "cuStreamQuery", legacy)
            s.look(stream)
            s.end(stream)


@question
def into_graphs(s: Scene) -> None:
    """Captures that go into a graph of the program's."""
    graph = s.graph()
    nodes = [s.get("cuGraphAddEmptyNode", graph, None, 0) for _ in range(2)]
    foreign = s.get("cuGraphAddEmptyNode", s.graph(), None, 0)
    for label, to, after, count, mode in (
        ("foreign node", graph, [foreign], 1, 0),
        ("null", 0, None, 0, 0),
        ("too few", graph, None, 1, 0),
        ("twice", graph, [nodes[0], nodes[0]], 2, 0),
        ("mode", graph, None, 0, 3),
        ("none of many", graph, nodes, 0, 0),
        ("one of many", graph, nodes, 1, 0),
        ("both", graph, nodes, 2, 0),
    ):
        stream = s.stream()
        s.ask(label, "cuStreamBeginCaptureToGraph", stream, to, after, None, count, s.mode(mode))
        s.look(stream, label)
        s.fill(stream, label)
        s.look(stream, label)
        code, ended = s.cu.cuStreamEndCapture(stream)
        s.tell(label, [int(code), ended is not None and int(ended) == int(graph)])
    for legacy in (0, 1, 2):
        s.ask(f"stream {legacy}", "cuStreamBeginCaptureToGraph", legacy, graph, None, None, 0, s.mode(0))
    s.end(2, "per thread")
    stream, other = s.stream(), s.stream()
    s.ask("begin", "cuStreamBeginCaptureToGraph", stream, graph, [nodes[0]], None, 1, s.mode(RELAXED))
    s.ask("a second", "cuStreamBeginCaptureToGraph", other, graph, [nodes[0]], None, 1, s.mode(RELAXED))
    s.ask("add", "cuGraphAddEmptyNode", graph, [nodes[1]], 1)
    s.ask("instantiate", "cuGraphInstantiate", graph, 0)
    s.ask("clone", "cuGraphClone", graph)
    s.ask("child", "cuGraphAddChildGraphNode", s.graph(), None, 0, graph)
    s.ask("destroy node", "cuGraphDestroyNode", nodes[0])
    s.ask("remove edge", "cuGraphRemoveDependencies", graph, nodes[:1], nodes[1:], None, 1)
    s.ask("destroy", "cuGraphDestroy", graph)
    s.look(stream)
    s.end(other, "a second")
    s.end(stream)
    s.begin(stream, RELAXED)
    s.fill(stream)
    _, _, _, own, *_ = s.cu.cuStreamGetCaptureInfo(stream)
    s.ask("own add", "cuGraphAddEmptyNode", own, None, 0)
    s.ask("own instantiate", "cuGraphInstantiate", own, 0)
    s.ask("own clone", "cuGraphClone", own)
    s.ask("own destroy", "cuGraphDestroy", own)
    s.end(stream)


@question
def broken_into_a_graph(s: Scene) -> None:
    """What is left of a graph of the program's when its capture is invalidated."""
    graph, stream = s.graph(1), s.stream()
    s.ask("begin", "cuStreamBeginCaptureToGraph", stream, graph, None, None, 0, s.mode(GLOBAL))
    s.fill(stream)
    s.ask("break", "cuStreamSynchronize", stream)
    s.tell("shape", s.shape(graph))
    s.end(stream)
    s.tell("shape", s.shape(graph))
    s.ask("destroy", "cuGraphDestroy", graph)


@question
def dependencies(s: Scene) -> None:
    """CuStreamUpdateCaptureDependencies."""
    stream = s.stream()
    foreign = s.get("cuGraphAddEmptyNode", s.graph(), None, 0)
    s.ask("not capturing", "cuStreamUpdateCaptureDependencies", stream, None, None, 0, 0)
    s.ask("not capturing, flags", "cuStreamUpdateCaptureDependencies", stream, None, None, 0, 7)
    s.begin(stream)
    for _ in range(2):
        s.fill(stream)
    _, _, _, graph, *_ = s.cu.cuStreamGetCaptureInfo(stream)
    nodes = [s.get("cuGraphAddEmptyNode", graph, None, 0) for _ in range(2)]
    for label, after, count, flags in (
        ("flags", None, 0, 2),
        ("foreign", [foreign], 1, 0),
        ("too few", None, 1, 0),
        ("twice", [nodes[0], nodes[0]], 2, 1),
        ("add", [nodes[0]], 1, 0),
        ("add again", [nodes[0]], 1, 0),
        ("set", nodes, 2, 1),
        ("set of many", nodes, 1, 1),
        ("set nothing", None, 0, 1),
        ("set", nodes, 2, 1),
    ):
        s.ask(label, "cuStreamUpdateCaptureDependencies", stream, after, None, count, flags)
        s.look(stream, label)
    s.fill(stream)
    s.look(stream)
    s.ask("remove node", "cuGraphDestroyNode", nodes[0])
    s.look(stream)
    s.end(stream)


@question
def captured_parameters(s: Scene) -> None:
    """What is told of nodes that were captured."""
    stream, one, other = s.stream(), s.memory(), s.memory()
    fills: dict[str, tuple[Any, ...]] = {
        "cuMemsetD8Async": (one, 7, 16),
        "cuMemsetD16Async": (one, 7, 8),
        "cuMemsetD32Async": (one, 7, 4),
        "cuMemsetD2D8Async": (one, 64, 7, 16, 2),
        "cuMemsetD2D16Async": (one, 64, 7, 8, 2),
        "cuMemsetD2D32Async": (one, 64, 7, 4, 2),
    }
    for name, args in fills.items():
        s.begin(stream, GLOBAL, name)
        s.ask(name, name, *args, stream)
        graph = s.end(stream, name)
        node = s.get("cuGraphGetNodes", graph, 1)[0][0]
        told = s.get("cuGraphMemsetNodeGetParams", node)
        said = [
            int(told.dst) - int(one),
            *(int(getattr(told, key)) for key in ("pitch", "value", "elementSize", "width", "height")),
        ]
        s.tell(name, said)
    for name, args in {"cuMemcpyAsync": (one, other, 16), "cuMemcpyDtoDAsync": (one, other, 16)}.items():
        s.begin(stream, GLOBAL, name)
        s.ask(name, name, *args, stream)
        graph = s.end(stream, name)
        node = s.get("cuGraphGetNodes", graph, 1)[0][0]
        told = s.get("cuGraphMemcpyNodeGetParams", node)
        keys = (
            "srcMemoryType",
            "dstMemoryType",
            "srcPitch",
            "dstPitch",
            "srcHeight",
            "dstHeight",
            "WidthInBytes",
            "Height",
            "Depth",
        )
        s.tell(name, [int(getattr(told, key)) for key in keys])


@question
def launched(s: Scene) -> None:
    """That nothing is done while it is captured, and what a launch does then."""
    stream, one, out = s.stream(), s.memory(), bytearray(16)
    s.get("cuMemsetD8", one, 1, 16)
    s.get("cuCtxSynchronize")
    s.begin(stream, RELAXED)
    s.ask("fill", "cuMemsetD8Async", one, 7, 16, stream)
    inner = s.executable(s.graph(1))
    s.ask("a graph in a graph", "cuGraphLaunch", inner, stream)
    s.look(stream)
    graph = s.end(stream)
    s.get("cuMemcpyDtoH", out, one, 16)
    s.tell("not done", list(out))
    made = s.executable(graph)
    s.ask("launch", "cuGraphLaunch", made, stream)
    s.ask("synchronize", "cuStreamSynchronize", stream)
    s.get("cuMemcpyDtoH", out, one, 16)
    s.tell("done", list(out))
    s.begin(stream, RELAXED, "nothing")
    empty = s.end(stream, "nothing")
    s.ask("nothing", "cuGraphInstantiate", empty, 0)


@question
def ended_by_its_context(s: Scene) -> None:
    """What becomes of a capture whose context or stream is destroyed."""
    for mode in (GLOBAL, RELAXED):
        stream = s.stream()
        s.begin(stream, mode, "stream")
        s.fill(stream)
        s.ask("stream", "cuStreamDestroy", stream)
        s.ask("behind", "cuMemAlloc", 64)
    other = s.get("cuCtxCreate", None, 0, 0)
    stream = s.stream()
    s.begin(stream, RELAXED, "context")
    s.ask("context", "cuCtxDestroy", other)
    s.ask("behind", "cuCtxSetCurrent", s.context)
    s.ask("behind", "cuMemAlloc", 64)
