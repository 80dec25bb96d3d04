"""What graphs and what was made of them are changed by: parameters, updates, enabled nodes, memory, user objects."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conformance.record.asking import enum
from conformance.record.capture.calls import CALLBACK, _address, _function, _pool_props
from conformance.record.capture.scene import ROOM, Scene, question

if TYPE_CHECKING:
    from collections.abc import Callable

NODES = ("memset", "memcpy", "host", "record", "wait", "child", "empty", "kernel")
"""Kinds of nodes."""


class Kinds:
    """What makes nodes of each kind, and what they are changed to."""

    def __init__(self, s: Scene) -> None:
        """Begin with memory, events and graphs to change between."""
        self.s = s
        self.one, self.other = s.memory(), s.memory()
        self.first, self.second = s.event(), s.event()
        self.function = _function(s)
        self.inner, self.longer = s.graph(1), s.graph(2)

    def host(self, data: int = 0, function: int | None = None) -> Any:
        """Return parameters of a function of the host."""
        made = self.s.cu.CUDA_HOST_NODE_PARAMS()
        made.fn, made.userData = _address(CALLBACK) if function is None else function, data
        return made

    def kernel(self, blocks: int = 1) -> Any:
        """Return parameters of a kernel."""
        made = self.s.cu.CUDA_KERNEL_NODE_PARAMS()
        made.func = self.function
        made.gridDimX = blocks
        made.gridDimY = made.gridDimZ = made.blockDimX = made.blockDimY = made.blockDimZ = 1
        return made

    def add(self, graph: Any, kind: str, after: list[Any] | None = None) -> Any:
        """Return a new node of a kind."""
        s, deps = self.s, (after, len(after or []))
        made: dict[str, Callable[[], Any]] = {
            "memset": lambda: s.get("cuGraphAddMemsetNode", graph, *deps, s.memset(self.one), s.context),
            "memcpy": lambda: s.get("cuGraphAddMemcpyNode", graph, *deps, s.copy(self.one, self.other), s.context),
            "host": lambda: s.get("cuGraphAddHostNode", graph, *deps, self.host()),
            "record": lambda: s.get("cuGraphAddEventRecordNode", graph, *deps, self.first),
            "wait": lambda: s.get("cuGraphAddEventWaitNode", graph, *deps, self.first),
            "child": lambda: s.get("cuGraphAddChildGraphNode", graph, *deps, self.inner),
            "empty": lambda: s.get("cuGraphAddEmptyNode", graph, *deps),
            "kernel": lambda: s.get("cuGraphAddKernelNode", graph, *deps, self.kernel()),
        }
        return made[kind]()

    def changes(self) -> dict[str, tuple[str, list[tuple[str, tuple[Any, ...]]]]]:
        """Return, for each kind, how its setters end, and what they are given."""
        s = self.s
        fills = {
            "same": s.memset(self.one),
            "value": s.memset(self.one, 9),
            "place": s.memset(self.other),
            "width": s.memset(self.one, width=32),
            "size": s.memset(self.one, size=4, width=4),
            "rows": s.memset(self.one, height=2),
            "no width": s.memset(self.one, width=0),
            "element": s.memset(self.one, size=3),
            "nowhere": s.memset(8),
            "none": None,
        }
        copies = {
            "same": s.copy(self.one, self.other),
            "turned": s.copy(self.other, self.one),
            "size": s.copy(self.one, self.other, 32),
            "no bytes": s.copy(self.one, self.other, 0),
            "nowhere": s.copy(8, self.other),
            "none": None,
        }
        return {
            "memset": ("MemsetNodeSetParams", [(key, (one,)) for key, one in fills.items()]),
            "memcpy": ("MemcpyNodeSetParams", [(key, (one,)) for key, one in copies.items()]),
            "host": (
                "HostNodeSetParams",
                [("same", (self.host(),)), ("data", (self.host(1),)), ("null", (self.host(0, 0),)), ("none", (None,))],
            ),
            "record": (
                "EventRecordNodeSetEvent",
                [("same", (self.first,)), ("other", (self.second,)), ("null", (0,))],
            ),
            "wait": ("EventWaitNodeSetEvent", [("same", (self.first,)), ("other", (self.second,)), ("null", (0,))]),
            "child": ("ChildGraphNodeSetParams", [("same", (self.inner,)), ("longer", (self.longer,)), ("null", (0,))]),
            "kernel": (
                "KernelNodeSetParams",
                [("same", (self.kernel(),)), ("blocks", (self.kernel(2),)), ("none", (None,))],
            ),
        }


@question
def setters(s: Scene) -> None:
    """Parameters of nodes, before and after their graph was made executable."""
    kinds = Kinds(s)
    for kind, (name, given) in kinds.changes().items():
        for label, args in given:
            text = f"{kind} {label}"
            graph = s.graph()
            node, empty = kinds.add(graph, kind), kinds.add(graph, "empty")
            made = s.executable(graph)
            more = (s.context,) if kind in ("memset", "memcpy") else ()
            if kind != "child":
                s.ask(text, f"cuGraph{name}", node, *args)
                s.ask(f"{text}, of another kind", f"cuGraph{name}", empty, *args)
                s.ask(f"{text}, null", f"cuGraph{name}", 0, *args)
            s.ask(text, f"cuGraphExec{name}", made, node, *args, *more)
            s.ask(f"{text}, of another kind", f"cuGraphExec{name}", made, empty, *args, *more)
            s.ask(f"{text}, of another graph", f"cuGraphExec{name}", made, kinds.add(s.graph(), kind), *args, *more)
            s.ask(f"{text}, null node", f"cuGraphExec{name}", made, 0, *args, *more)
            s.ask(f"{text}, null", f"cuGraphExec{name}", 0, node, *args, *more)
            if more:
                s.ask(f"{text}, no context", f"cuGraphExec{name}", made, node, *args, 0)
            if label != "null":
                s.ask(f"{text}, launch", "cuGraphLaunch", made, 0)
                s.ask(f"{text}, launch", "cuCtxSynchronize")
    s.get("cuCtxSetCurrent", None)
    graph = s.graph()
    for kind in ("host", "record", "wait", "empty"):
        kinds.add(graph, kind)


@question
def enabled(s: Scene) -> None:
    """Nodes that are switched off."""
    kinds = Kinds(s)
    for kind in NODES:
        graph = s.graph()
        node = kinds.add(graph, kind)
        made = s.executable(graph)
        for value in (0, 1, 2, 0):
            s.ask(f"{kind} {value}", "cuGraphNodeSetEnabled", made, node, value)
            s.ask(f"{kind} {value}", "cuGraphNodeGetEnabled", made, node, show=int)
        foreign = kinds.add(s.graph(), kind)
        s.ask(f"{kind} foreign", "cuGraphNodeSetEnabled", made, foreign, 0)
        s.ask(f"{kind} foreign", "cuGraphNodeGetEnabled", made, foreign, show=int)
        s.ask(f"{kind} null", "cuGraphNodeSetEnabled", made, 0, 0)
        s.ask(f"{kind} null", "cuGraphNodeSetEnabled", 0, node, 0)
        s.ask(f"{kind} launch", "cuGraphLaunch", made, 0)
        s.ask(f"{kind} launch", "cuCtxSynchronize")
        s.ask(f"{kind} update", "cuGraphExecUpdate", made, graph, show=lambda said: int(said.result))
        s.ask(f"{kind} behind", "cuGraphNodeGetEnabled", made, node, show=int)


@question
def updates(s: Scene) -> None:
    """cuGraphExecUpdate: what may differ."""
    kinds = Kinds(s)

    def told(said: Any) -> list[Any]:
        return [int(said.result), bool(int(said.errorNode)), bool(int(said.errorFromNode))]

    def build(*names: str, chain: bool = False) -> Any:
        graph, last = s.graph(), None
        for name in names:
            last = kinds.add(graph, name, [last] if chain and last is not None else None)
        return graph

    shapes: dict[str, tuple[tuple[str, ...], bool]] = {
        "nothing": ((), False),
        **{kind: ((kind,), False) for kind in NODES},
        "memset and empty": (("memset", "empty"), False),
        "empty and memset": (("empty", "memset"), False),
        "memset, empty": (("memset", "empty"), True),
        "empty, memset": (("empty", "memset"), True),
        "two memsets": (("memset", "memset"), False),
    }
    for first, (names, chain) in shapes.items():
        for second, (others, other_chain) in shapes.items():
            made = s.executable(build(*names, chain=chain))
            label = f"{first} to {second}"
            code, *said = s.cu.cuGraphExecUpdate(made, build(*others, chain=other_chain))
            s.tell(label, [int(code), told(said[0]) if said and said[0] is not None else None])
            if first == second:
                s.ask(label, "cuGraphLaunch", made, 0)
                s.ask(label, "cuCtxSynchronize")
    kind_changes = kinds.changes()
    for kind, (name, given) in kind_changes.items():
        for label, args in given:
            if kind == "child" or label in ("null", "none", "nowhere", "no width", "no bytes", "element"):
                continue
            graph = s.graph()
            node = kinds.add(graph, kind)
            made = s.executable(graph)
            s.ask(f"{kind} {label}", f"cuGraph{name}", node, *args)
            code, *said = s.cu.cuGraphExecUpdate(made, graph)
            s.tell(f"{kind} {label}", [int(code), told(said[0]) if said and said[0] is not None else None])
    cycle = s.graph()
    nodes = [s.get("cuGraphAddEmptyNode", cycle, None, 0) for _ in range(2)]
    made = s.executable(cycle)
    s.get("cuGraphAddDependencies", cycle, nodes, nodes[::-1], None, 2)
    s.ask("a cycle", "cuGraphExecUpdate", made, cycle, show=told)
    s.ask("null", "cuGraphExecUpdate", made, 0, show=told)
    s.ask("null", "cuGraphExecUpdate", 0, cycle, show=told)


@question
def listings(s: Scene) -> None:
    """Nodes, roots, edges and neighbours: how many, with room for how many."""
    graph = s.graph()
    first = s.get("cuGraphAddEmptyNode", graph, None, 0)
    second = s.get("cuGraphAddEmptyNode", graph, [first], 1)
    third = s.get("cuGraphAddEmptyNode", graph, [first, second], 2)
    places = {int(node): place for place, node in enumerate((first, second, third))}

    def told(said: Any) -> Any:
        *lists, count = said
        return [
            int(count),
            *([places.get(int(x), -1) for x in one] for one in lists[:1]),
            *([places.get(int(x), -1) for x in one] for one in lists[1:2] if one and not hasattr(one[0], "type")),
        ]

    for room in (0, 1, 2, 3, 4, 6):
        s.ask(f"{room}", "cuGraphGetNodes", graph, room, show=told)
        s.ask(f"{room}", "cuGraphGetRootNodes", graph, room, show=told)
        s.ask(f"{room}", "cuGraphGetEdges", graph, room, show=told)
        for place, node in enumerate((first, second, third)):
            s.ask(f"{room} {place}", "cuGraphNodeGetDependencies", node, room, show=told)
            s.ask(f"{room} {place}", "cuGraphNodeGetDependentNodes", node, room, show=told)
    empty = s.graph()
    for call in ("cuGraphGetNodes", "cuGraphGetRootNodes", "cuGraphGetEdges"):
        for room in (0, 2):
            s.ask(f"empty {room}", call, empty, room, show=told)
            s.ask(f"null {room}", call, 0, room)
    for call in ("cuGraphNodeGetDependencies", "cuGraphNodeGetDependentNodes"):
        s.ask("null", call, 0, 0)
    s.get("cuCtxSetCurrent", None)
    s.ask("no context", "cuGraphGetNodes", graph, 0)


@question
def instantiated_with(s: Scene) -> None:
    """cuGraphInstantiateWithParams, and what is told of flags."""
    stream = s.stream()
    graph, cycle = s.graph(1), s.graph()
    nodes = [s.get("cuGraphAddEmptyNode", cycle, None, 0) for _ in range(2)]
    s.get("cuGraphAddDependencies", cycle, nodes, nodes[::-1], None, 2)
    for name, of in (("graph", graph), ("cycle", cycle), ("null", 0)):
        for flags in (0, 1, 2, 4, 5, 8, 16):
            for upload in (None, stream, 0):
                params = s.cu.CUDA_GRAPH_INSTANTIATE_PARAMS()
                params.flags = flags
                if upload is not None:
                    params.hUploadStream = upload
                label = f"{name} {flags} {'stream' if upload is stream else upload}"
                made = s.ask(label, "cuGraphInstantiateWithParams", of, params)
                s.tell(label, [int(params.result_out), bool(int(params.hErrNode_out))])
                if made is not None:
                    s.ask(label, "cuGraphExecGetFlags", made, show=int)
    s.ask("none", "cuGraphInstantiateWithParams", graph, None)


@question
def printed(s: Scene) -> None:
    """CuGraphDebugDotPrint."""
    kinds = Kinds(s)
    graph = s.graph()
    node = kinds.add(graph, "empty")
    kinds.add(graph, "memset", [node])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "graph.dot")
        for flags in (0, 1, 1 << 20):
            s.ask(f"{flags}", "cuGraphDebugDotPrint", graph, str(path).encode(), flags)
            s.tell(f"{flags}", len(path.read_text().splitlines()) if path.exists() else None)
            if flags == 0 and path.exists():
                s.tell("text", path.read_text().splitlines())
        s.ask("nowhere", "cuGraphDebugDotPrint", graph, str(path / "x" / "y").encode(), 0)
    s.ask("null", "cuGraphDebugDotPrint", 0, b"x", 0)


@question
def memory_nodes(s: Scene) -> None:
    """Nodes that allocate and free, and what a device keeps for them."""
    attributes = {number: enum(s.cu.CUgraphMem_attribute, number) for number in range(4)}

    def told(label: str) -> None:
        for number, attribute in attributes.items():
            s.ask(f"{label} {number}", "cuDeviceGetGraphMemAttribute", 0, attribute, show=int)

    def params(size: int = ROOM) -> Any:
        made = s.cu.CUDA_MEM_ALLOC_NODE_PARAMS()
        made.poolProps, made.bytesize = _pool_props(s), size
        return made

    told("before")
    graph, given = s.graph(), params()
    node = s.ask("allocate", "cuGraphAddMemAllocNode", graph, None, 0, given)
    s.tell("place", bool(int(given.dptr)))
    s.ask("no bytes", "cuGraphAddMemAllocNode", graph, None, 0, params(0))
    s.ask("none", "cuGraphAddMemAllocNode", graph, None, 0, None)
    made = s.ask("instantiate", "cuGraphInstantiate", graph, 0)
    s.ask("instantiate again", "cuGraphInstantiate", graph, 0)
    s.ask("clone", "cuGraphClone", graph)
    s.ask("destroy node", "cuGraphDestroyNode", node)
    told("made")
    for _ in range(2):
        s.ask("launch", "cuGraphLaunch", made, 0)
        s.ask("launch", "cuCtxSynchronize")
    told("launched")
    s.ask("free", "cuMemFree", given.dptr)
    s.ask("launch", "cuGraphLaunch", made, 0)
    freeing = s.graph()
    s.ask("free node", "cuGraphAddMemFreeNode", freeing, None, 0, given.dptr)
    s.ask("free node of plain memory", "cuGraphAddMemFreeNode", freeing, None, 0, s.memory())
    s.ask("free node of null", "cuGraphAddMemFreeNode", freeing, None, 0, 0)
    s.ask("free twice", "cuGraphAddMemFreeNode", freeing, None, 0, given.dptr)
    frees = s.ask("instantiate", "cuGraphInstantiate", freeing, 0)
    if frees is not None:
        for _ in range(2):
            s.ask("launch free", "cuGraphLaunch", frees, 0)
            s.ask("launch free", "cuCtxSynchronize")
    told("freed")
    s.ask("trim", "cuDeviceGraphMemTrim", 0)
    told("trimmed")
    for number, attribute in attributes.items():
        for value in (0, 1):
            s.ask(f"set {number} {value}", "cuDeviceSetGraphMemAttribute", 0, attribute, s.cu.cuuint64_t(value))
    s.ask("trim 99", "cuDeviceGraphMemTrim", 99)
    automatic = s.ask("automatic", "cuGraphInstantiate", graph, 1)
    s.tell("automatic", automatic is not None)


@question
def captured_memory(s: Scene) -> None:
    """Memory that a captured stream allocates and frees."""
    stream = s.stream()
    s.begin(stream)
    place = s.ask("allocate", "cuMemAllocAsync", ROOM, stream)
    s.ask("fill", "cuMemsetD8Async", place, 7, 16, stream)
    s.look(stream)
    s.ask("free", "cuMemFreeAsync", place, stream)
    s.ask("free again", "cuMemFreeAsync", place, stream)
    s.look(stream)
    graph = s.end(stream)
    if graph is not None:
        made = s.executable(graph)
        for _ in range(2):
            s.ask("launch", "cuGraphLaunch", made, stream)
            s.ask("launch", "cuStreamSynchronize", stream)
    s.begin(stream)
    s.ask("outside", "cuMemFreeAsync", s.place, stream)
    s.end(stream)


@question
def user_objects(s: Scene) -> None:
    """Counted things of graphs."""
    calls = _address(CALLBACK)
    s.ask("flags", "cuUserObjectCreate", 1, calls, 1, 0)
    s.ask("no count", "cuUserObjectCreate", 1, calls, 0, 1)
    s.ask("no function", "cuUserObjectCreate", 1, 0, 1, 1)
    thing = s.ask("create", "cuUserObjectCreate", 1, calls, 1, 1)
    graph = s.graph()
    for count in (0, 1, 3):
        s.ask(f"retain {count}", "cuUserObjectRetain", thing, count)
        s.ask(f"graph {count}", "cuGraphRetainUserObject", graph, thing, count, 0)
    s.ask("move", "cuGraphRetainUserObject", graph, thing, 1, 1)
    s.ask("graph flags", "cuGraphRetainUserObject", graph, thing, 1, 2)
    for count in (0, 2, 99, 1):
        s.ask(f"release of graph {count}", "cuGraphReleaseUserObject", graph, thing, count)
    s.ask("release 0", "cuUserObjectRelease", thing, 0)
    s.ask("release 1", "cuUserObjectRelease", thing, 1)
    s.ask("null", "cuUserObjectRetain", 0, 1)
    s.ask("null", "cuGraphRetainUserObject", 0, thing, 1, 0)
    s.ask("null", "cuGraphRetainUserObject", graph, 0, 1, 0)
    s.ask("release 99", "cuUserObjectRelease", thing, 99)
