"""Patterns of graphs: several related calls with fixed and drawn arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.graph.fixtures import copy, launch, memset
from conformance.drawing.joint import KINDS
from conformance.drawing.nodes import NO_DATA, PLAIN, PROGRAMMATIC, allocates
from conformance.drawing.rows import ROWS
from conformance.drawing.values import PAGE
from conformance.kit.kernels import PTX
from conformance.kit.program import MAIN
from fakecuda.spec.node_params import CHILD, CONDITIONAL, pack

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.drawing.drawing import Drawing

    Make = Callable[..., Any]
    """Makes a call in a process; returns its result, True for none, None if it fails."""

STREAMS = (0, 1, 2)
FLAGS = (0, 0, 0, 1, 8, 9, 2, 4)
"""CUgraphInstantiate_flags."""


SETTERS = (
    *(f"cuGraphExec{kind}NodeSetParams" for kind in ("Kernel", "Memset", "Memcpy", "ChildGraph", "Host", "BatchMemOp")),
    "cuGraphExecEventRecordNodeSetEvent",
    "cuGraphExecEventWaitNodeSetEvent",
)
"""Calls that change a node of an executable graph."""
RARE = tuple(f"cuGraphAdd{kind}Node" for kind in ("Host", "EventRecord", "EventWait", "BatchMemOp"))
"""Calls that add rare kinds of nodes."""


def some(drawing: Drawing, process: str, make: Make, *calls: str, on: str = MAIN, often: int = 1) -> Any:
    """Make one of some calls with drawn arguments, a third with a wrong one.

    Args:
        drawing: Draws.
        process: The calling process.
        make: Makes a call.
        calls: The calls.
        on: The calling thread.
        often: How many are made.
    """
    found = None
    for _ in range(often):
        call = drawing.random.choice(calls)
        place = drawing.random.choice((None, None, 0, 1, 2, 3))
        given = drawing.arguments(process, call, place)
        if given is not None:
            found = make(process, call, *given, on=on)
    return found


def elsewhere(drawing: Drawing, process: str, make: Make) -> Any:
    """Make another context of any device current, and return it."""
    device = drawing.random.randrange(drawing.devices)
    if not drawing.runtime:
        return make(process, "cuCtxCreate", None, 0, device)
    context = make(process, "cuDevicePrimaryCtxRetain", device)
    return context and make(process, "cuCtxPushCurrent", context) and context


def function(make: Make, process: str) -> Any:
    """Return a function without parameters of a new module."""
    module = make(process, "cuModuleLoadData", PTX)
    return module and make(process, "cuModuleGetFunction", module, b"empty")


def plain(drawing: Drawing, process: str, make: Make, graph: int, count: int = 3) -> list[int]:
    """Add nodes to a graph, each after the previous node or independent; return them."""
    random = drawing.random
    memory = make(process, "cuMemAlloc", PAGE)
    kernel = random.randrange(2) and function(make, process)
    nodes: list[int] = []
    for _ in range(count):
        after = nodes[-1:] if random.randrange(3) else []
        place = graph, tuple(after) or None, len(after)
        kind = random.randrange(5)
        if kind == 0 or not memory:
            made = make(process, "cuGraphAddEmptyNode", *place)
        elif kind == 4:
            call = random.choice(RARE)
            given = drawing.arguments(process, call)
            made = given and make(process, call, *place, *given[3:])
        elif kind == 1 and kernel:
            made = make(process, "cuGraphAddKernelNode", *place, launch(kernel))
        elif kind == 2:
            made = make(process, "cuGraphAddMemcpyNode", *place, copy(memory, memory + ROWS), 0)
        else:
            made = make(process, "cuGraphAddMemsetNode", *place, memset(memory, random.randrange(9)), 0)
        nodes += [made] if made else []
    return nodes


def run(drawing: Drawing, process: str, make: Make, graph: int, times: int = 1) -> Any:
    """Instantiate a graph and launch it in any stream; return the executable graph."""
    random = drawing.random
    flags = random.choice(FLAGS)
    executable = (
        make(process, "cuGraphInstantiateWithParams", graph, (flags, random.choice(STREAMS), 0, 0))
        if random.randrange(2)
        else make(process, "cuGraphInstantiate", graph, flags & ~2)
    )
    for _ in range(times if executable else 0):
        make(process, "cuGraphLaunch", executable, random.choice(STREAMS))
    return executable


def of_devices(drawing: Drawing, process: str, make: Make) -> None:
    """Add nodes with memory of two contexts to a graph, while either is current."""
    random = drawing.random
    own, first = make(process, "cuCtxGetCurrent"), make(process, "cuMemAlloc", PAGE)
    other = first and elsewhere(drawing, process, make)
    second = other and make(process, "cuMemAlloc", PAGE)
    if not second:
        return
    kernel = random.randrange(2) and function(make, process)
    if random.randrange(2):
        make(process, "cuCtxPopCurrent")
    graph = make(process, "cuGraphCreate", 0)
    contexts = (0, own, other)
    for _ in range(random.randint(1, 4) if graph else 0):
        dst, src = random.choice((first, second)), random.choice((first, second)) + ROWS
        kind = random.randrange(4)
        if kind == 0 and kernel:
            make(process, "cuGraphAddKernelNode", graph, None, 0, launch(kernel, ctx=random.choice(contexts)))
        elif kind == 1:
            make(process, "cuGraphAddMemcpyNode", graph, None, 0, copy(dst, src), random.choice(contexts))
        else:
            make(process, "cuGraphAddMemsetNode", graph, None, 0, memset(dst), random.choice(contexts))
    executable = graph and run(drawing, process, make, graph)
    if executable:
        some(drawing, process, make, "cuGraphExecMemsetNodeSetParams", "cuGraphExecMemcpyNodeSetParams", often=2)
    while make(process, "cuCtxGetCurrent") not in {own, None} and make(process, "cuCtxPopCurrent"):
        pass


def upload(drawing: Drawing, process: str, make: Make) -> None:
    """Upload a graph in streams of two contexts; a stream may be captured."""
    random = drawing.random
    graph = make(process, "cuGraphCreate", 0)
    if not graph:
        return
    plain(drawing, process, make, graph, random.randint(0, 2))
    streams = [*STREAMS, make(process, "cuStreamCreate", random.choice((0, 1)))]
    if random.randrange(2) and elsewhere(drawing, process, make):
        streams.append(make(process, "cuStreamCreate", random.choice((0, 1))))
        if random.randrange(3):
            make(process, "cuCtxPopCurrent")
    streams = [one for one in streams if one is not None]
    captured = random.choice(streams[3:] or [0]) if random.randrange(3) == 0 else 0
    if captured:
        make(process, "cuStreamBeginCapture", captured, random.choice((0, 1, 2)))
    for _ in range(random.randint(1, 3)):
        stream = random.choice(streams)
        params = (random.choice((2, 2, 3, 0, 6)), stream, 0, 0)
        if random.randrange(2):
            executable = make(process, "cuGraphInstantiateWithParams", graph, params)
        else:
            executable = make(process, "cuGraphInstantiate", graph, random.choice((0, 1, 8)))
        if executable:
            make(process, "cuGraphUpload", executable, random.choice(streams))
            make(process, "cuGraphLaunch", executable, random.choice(streams))
    if captured:
        make(process, "cuStreamEndCapture", captured)


def memory_nodes(drawing: Drawing, process: str, make: Make) -> None:
    """Allocate and free memory by graph nodes in several orders, and by calls."""
    random = drawing.random
    graph = make(process, "cuGraphCreate", 0)
    params = allocates(random.choice((64, PAGE, 3 << 20)), device=random.randrange(drawing.devices))
    node = graph and make(process, "cuGraphAddMemAllocNode", graph, None, 0, params)
    known = [one.value for one in drawing.named(process, "dptr")]
    if not node or not known:
        return
    address, last = known[-1], node
    if random.randrange(2):
        last = make(process, "cuGraphAddMemsetNode", graph, (node,), 1, memset(address), 0) or node
    into = [graph, graph, graph]
    other = make(process, "cuGraphCreate", 0)
    into += [other] if other else []
    if random.randrange(3) == 0 and other:
        make(process, "cuGraphAddChildGraphNode", random.choice((graph, other)), None, 0, random.choice((graph, other)))
    for _ in range(random.choice((0, 1, 1, 2))):
        target = random.choice(into)
        after = random.choice(((last,), (node,), None)) if target == graph else None
        made = make(
            process, "cuGraphAddMemFreeNode", target, after, len(after or ()), address + random.choice((0, 0, 0, 1))
        )
        if made and target == graph and random.randrange(2):
            make(process, "cuGraphAddEmptyNode", graph, (made,), 1)
    some(
        drawing,
        process,
        make,
        "cuGraphClone",
        "cuGraphDestroyNode",
        "cuGraphMemAllocNodeGetParams",
        "cuGraphAddDependencies",
    )
    run(drawing, process, make, graph, random.randint(1, 2))
    if random.randrange(2):
        make(process, "cuStreamSynchronize", 0)
    if random.randrange(2):
        run(drawing, process, make, other or graph)
    make(process, *random.choice((("cuMemFree", address), ("cuMemFreeAsync", address, 0), ("cuDeviceGraphMemTrim", 0))))
    some(drawing, process, make, "cuDeviceGetGraphMemAttribute", "cuGraphExecDestroy", "cuGraphMemFreeNodeGetParams")


def nest(drawing: Drawing, process: str, make: Make) -> None:
    """Add child graphs to graphs, clone them, and change their nodes."""
    random = drawing.random
    inner, middle, outer = (make(process, "cuGraphCreate", 0) for _ in range(3))
    if not (inner and middle and outer):
        return
    if random.randrange(4):
        plain(drawing, process, make, inner, random.randint(1, 2))
    else:
        make(process, "cuGraphAddMemAllocNode", inner, None, 0, allocates(PAGE))
    node = make(process, "cuGraphAddChildGraphNode", middle, None, 0, inner)
    moved = pack(CHILD, (middle, random.choice((0, 0, 1, 2))))
    if random.randrange(2):
        make(process, "cuGraphAddChildGraphNode", outer, None, 0, random.choice((middle, middle, outer)))
    else:
        make(process, "cuGraphAddNode", outer, None, None, 0, moved)
    embedded = node and make(process, "cuGraphChildGraphNodeGetGraph", node)
    if embedded:
        make(process, "cuGraphAddEmptyNode", embedded, None, 0)
        some(drawing, process, make, "cuGraphDestroy", "cuGraphAddMemAllocNode", "cuGraphClone")
    clone = make(process, "cuGraphClone", random.choice((middle, outer)))
    if clone:
        some(drawing, process, make, "cuGraphNodeFindInClone", "cuGraphGetNodes", "cuGraphGetRootNodes", often=2)
    executable = run(drawing, process, make, random.choice((middle, outer)))
    if executable and node:
        make(
            process,
            "cuGraphExecChildGraphNodeSetParams",
            executable,
            node,
            random.choice((inner, middle, outer, clone or 0)),
        )
        some(drawing, process, make, "cuGraphDestroyNode", "cuGraphExecUpdate", "cuGraphDestroy")


def update(drawing: Drawing, process: str, make: Make) -> None:
    """Change an executable graph, by its nodes and by another graph."""
    random = drawing.random
    if random.randrange(2):
        make(process, "function")
        make(process, "cuEventCreate", 0)
    graph = make(process, "cuGraphCreate", 0)
    nodes = graph and plain(drawing, process, make, graph, random.randint(1, 4))
    executable = nodes and make(process, "cuGraphInstantiate", graph, random.choice(FLAGS) & ~2)
    if not executable:
        return
    there = {one.kind for one in drawing.model.processes[process].graphs[graph].nodes}
    words = [word for word, kind in KINDS.items() if kind in there]
    setters = [call for call in SETTERS if any(f"{word}Node" in call for word in words)]
    some(drawing, process, make, *setters, "cuGraphExecNodeSetParams", often=2)
    some(drawing, process, make, *SETTERS, "cuGraphNodeSetEnabled", "cuGraphNodeGetEnabled", often=2)
    other = graph if random.randrange(3) == 0 else make(process, "cuGraphClone", graph)
    if random.randrange(2):
        setters = [f"cuGraph{kind}NodeSetParams" for kind in ("Kernel", "Memset", "Memcpy", "")]
        some(
            drawing,
            process,
            make,
            *setters,
            "cuGraphAddEmptyNode",
            "cuGraphDestroyNode",
            "cuGraphAddDependencies",
            often=2,
        )
    if other:
        make(
            process,
            random.choice(("cuGraphExecUpdate", "cuGraphExecUpdate", "cuGraphExecUpdate_v1")),
            executable,
            other,
        )
    some(drawing, process, make, "cuGraphExecUpdate", "cuGraphLaunch", "cuGraphExecGetFlags", often=2)


def edges(drawing: Drawing, process: str, make: Make) -> None:
    """Change edges of a graph, with edge data."""
    random = drawing.random
    graph = make(process, "cuGraphCreate", 0)
    kernel = graph and function(make, process)
    if not kernel:
        return
    nodes = [make(process, "cuGraphAddKernelNode", graph, None, 0, launch(kernel)) for _ in range(3)]
    nodes += [make(process, "cuGraphAddEmptyNode", graph, None, 0)]
    nodes = [one for one in nodes if one]
    for _ in range(random.randint(2, 4) if len(nodes) > 1 else 0):
        ends = random.sample(nodes, 2)
        data = random.choice((None, (PLAIN,), *[(one,) for one in PROGRAMMATIC], (random.choice(NO_DATA),)))
        call = random.choice(("cuGraphAddDependencies", "cuGraphAddDependencies", "cuGraphRemoveDependencies"))
        make(process, call, graph, (ends[0],), (ends[1],), data, 1)
    asks = ("cuGraphGetEdges", "cuGraphNodeGetDependencies", "cuGraphNodeGetDependentNodes", "cuGraphGetEdges_v1")
    some(drawing, process, make, *asks, often=2)
    run(drawing, process, make, graph)


def user_objects(drawing: Drawing, process: str, make: Make) -> None:
    """Have graphs and clones retain a user object."""
    random = drawing.random
    made = make(process, "function")
    thing = made and make(process, "cuUserObjectCreate", 0, made, random.choice((1, 2, 3)), 1)
    graph = thing and make(process, "cuGraphCreate", 0)
    if not graph:
        return
    make(process, "cuGraphRetainUserObject", graph, thing, random.choice((1, 2)), random.choice((0, 1)))
    make(process, "cuGraphClone", graph)
    run(drawing, process, make, graph)
    calls = (
        "cuGraphReleaseUserObject",
        "cuUserObjectRelease",
        "cuUserObjectRetain",
        "cuGraphDestroy",
        "cuGraphRetainUserObject",
    )
    some(drawing, process, make, *calls, often=3)


def conditional(drawing: Drawing, process: str, make: Make) -> None:
    """Add a conditional node with body nodes to a graph; every loop ends."""
    random = drawing.random
    graph, context = make(process, "cuGraphCreate", 0), make(process, "cuCtxGetCurrent")
    if not (graph and context):
        return
    kind, default = random.choice(((0, 0), (0, 1), (1, 0), (2, 0), (2, 1)))
    handle = make(
        process,
        "cuGraphConditionalHandleCreate",
        graph,
        random.choice((0, context, context)),
        default,
        random.choice((1, 1, 0)),
    )
    if not handle:
        return
    (number, *_) = drawing.model.program.answers[-1]["outs"].values()
    handle = number if isinstance(number, int) else handle
    size = random.choice((1, 1, 2)) if kind != 1 else 1
    params = pack(
        CONDITIONAL, (handle, kind, random.choice((size, size, size, 0, 3)), 0, random.choice((context, context, 0)))
    )
    if not make(process, "cuGraphAddNode", graph, None, None, 0, params):
        return
    bodies = [one.value for one in drawing.named(process, "graph")][-size:]
    for one in bodies:
        plain(drawing, process, make, one, random.randint(0, 2))
        some(
            drawing,
            process,
            make,
            "cuGraphAddMemAllocNode",
            "cuGraphAddHostNode",
            "cuGraphAddChildGraphNode",
            "cuGraphClone",
        )
    run(drawing, process, make, graph, 2)
    some(drawing, process, make, "cuGraphClone", "cuGraphNodeGetType", "cuGraphDestroy", "cuGraphExecUpdate", often=2)


GRAPHS = (of_devices, upload, memory_nodes, nest, update, edges, user_objects, conditional)
"""All graph patterns."""
