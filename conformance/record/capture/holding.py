"""What graphs do with memory, values and cooperative kernels, where the manual leaves a choice."""

from __future__ import annotations

from typing import Any

from conformance.record.asking import enum
from conformance.record.capture.calls import _function, _pool_props
from conformance.record.capture.scene import RELAXED, ROOM, Scene, question

WAIT, WRITE = 1, 2
"""CUstreamBatchMemOpType."""
USED, USED_HIGH, HELD, HELD_HIGH = range(4)
"""CUgraphMem_attribute."""
HUGE = 1 << 40
MANY = 1 << 20
"""Blocks that do not run at once."""


def _told(s: Scene, label: str) -> None:
    for number in range(4):
        attribute = enum(s.cu.CUgraphMem_attribute, number)
        s.ask(f"{label} {number}", "cuDeviceGetGraphMemAttribute", 0, attribute, show=int)


def _allocation(s: Scene, size: int = ROOM) -> Any:
    made = s.cu.CUDA_MEM_ALLOC_NODE_PARAMS()
    made.poolProps, made.bytesize = _pool_props(s), size
    return made


def _operation(s: Scene, kind: int, place: Any, value: int = 0, flags: int = 0) -> Any:
    made = s.cu.CUstreamBatchMemOpParams()
    made.operation = enum(s.cu.CUstreamBatchMemOpType, kind)
    part = made.waitValue if kind == WAIT else made.writeValue
    part.operation = enum(s.cu.CUstreamBatchMemOpType, kind)
    part.address, part.value, part.flags = place, s.cu.cuuint32_t(value), flags
    return made


def _batch(s: Scene, *operations: Any, count: int | None = None, flags: int = 0, context: Any = None) -> Any:
    made = s.cu.CUDA_BATCH_MEM_OP_NODE_PARAMS()
    made.ctx = s.context if context is None else context
    made.count = len(operations) if count is None else count
    made.paramArray, made.flags = list(operations), flags
    return made


@question
def memory_of_executables(s: Scene) -> None:
    """What a device keeps for memory of graphs when what was launched is destroyed, and what a reset leaves."""
    graph = s.graph()
    given = _allocation(s)
    s.ask("allocate", "cuGraphAddMemAllocNode", graph, None, 0, given)
    made = s.executable(graph)
    s.ask("launch", "cuGraphLaunch", made, 0)
    s.ask("launch", "cuCtxSynchronize")
    for number in (USED_HIGH, HELD_HIGH):
        attribute = enum(s.cu.CUgraphMem_attribute, number)
        s.ask(f"reset {number}", "cuDeviceSetGraphMemAttribute", 0, attribute, s.cu.cuuint64_t(0))
    _told(s, "reset")
    s.ask("destroy", "cuGraphExecDestroy", made)
    _told(s, "destroyed")
    s.ask("read", "cuMemcpyDtoH", bytearray(16), given.dptr, 16)
    s.ask("again", "cuGraphInstantiate", graph, 0)
    s.ask("destroy the graph", "cuGraphDestroy", graph)
    s.ask("free", "cuMemFreeAsync", given.dptr, 0)
    s.ask("freed", "cuCtxSynchronize")
    _told(s, "freed")
    s.ask("trim", "cuDeviceGraphMemTrim", 0)
    _told(s, "trimmed")


@question
def memory_of_odd_sizes(s: Scene) -> None:
    """No bytes and too many, captured and by nodes."""
    stream = s.stream()
    for size in (0, HUGE):
        s.begin(stream, RELAXED, f"{size}")
        place = s.ask(f"{size}", "cuMemAllocAsync", size, stream)
        s.tell(f"{size} is somewhere", place is not None and bool(int(place)))
        s.look(stream, f"{size}")
        graph = s.end(stream, f"{size}")
        if graph is not None:
            made = s.ask(f"{size}", "cuGraphInstantiate", graph, 0)
            if made is not None:
                s.ask(f"{size}", "cuGraphLaunch", made, stream)
                s.ask(f"{size}", "cuStreamSynchronize", stream)
    graph = s.graph()
    s.ask("a huge node", "cuGraphAddMemAllocNode", graph, None, 0, _allocation(s, HUGE))
    made = s.ask("a huge node", "cuGraphInstantiate", graph, 0)
    if made is not None:
        s.ask("a huge node", "cuGraphLaunch", made, stream)


@question
def memory_of_properties(s: Scene) -> None:
    """What an allocation of a graph may be of."""

    def ask(label: str, **members: Any) -> None:
        given, props = _allocation(s), _pool_props(s)
        for name, value in members.items():
            if name == "location":
                props.location.type, props.location.id = enum(s.cu.CUmemLocationType, value[0]), value[1]
            else:
                setattr(props, name, value)
        given.poolProps = props
        s.ask(label, "cuGraphAddMemAllocNode", s.graph(), None, 0, given)

    ask("plain")
    for kind, place in ((0, 0), (1, -1), (1, 99), (2, 0), (3, 0), (4, 0)):
        ask(f"location {kind} {place}", location=(kind, place))
    for kind in (0, 2, 99):
        ask(f"type {kind}", allocType=enum(s.cu.CUmemAllocationType, kind))
    for kind in (1, 8, 99):
        ask(f"handle {kind}", handleTypes=enum(s.cu.CUmemAllocationHandleType, kind))
    ask("at most", maxSize=64)
    ask("usage", usage=1)


@question
def memory_is_not_copied(s: Scene) -> None:
    """Children, edges, updates and frees of graphs with memory."""
    kinds = s.graph()
    given = _allocation(s)
    first = s.ask("allocate", "cuGraphAddMemAllocNode", kinds, None, 0, given)
    second = s.ask("free", "cuGraphAddMemFreeNode", kinds, [first], 1, given.dptr)
    s.ask("remove", "cuGraphRemoveDependencies", kinds, [first], [second], None, 1)
    empty = s.get("cuGraphAddEmptyNode", kinds, [second], 1)
    s.ask("remove another", "cuGraphRemoveDependencies", kinds, [second], [empty], None, 1)
    s.ask("destroy", "cuGraphDestroyNode", second)
    s.ask("child", "cuGraphAddChildGraphNode", s.graph(), None, 0, kinds)
    s.ask("clone", "cuGraphClone", kinds)
    made = s.executable(kinds)
    s.ask("update", "cuGraphExecUpdate", made, kinds, show=lambda info: int(info.result))
    other = s.graph()
    again = _allocation(s)
    node = s.get("cuGraphAddMemAllocNode", other, None, 0, again)
    node = s.get("cuGraphAddMemFreeNode", other, [node], 1, again.dptr)
    s.get("cuGraphAddEmptyNode", other, [node], 1)
    s.ask("update by another", "cuGraphExecUpdate", made, other, show=lambda info: int(info.result))
    s.ask("enabled", "cuGraphNodeSetEnabled", made, first, 0)
    s.ask("free before a launch", "cuMemFree", given.dptr)
    s.ask("free in a stream before a launch", "cuMemFreeAsync", given.dptr, 0)
    s.ask("launch", "cuGraphLaunch", made, 0)
    s.ask("free what was freed", "cuMemFree", given.dptr)


@question
def batch_nodes(s: Scene) -> None:
    """Nodes that wait for values and write them."""
    place = s.memory()
    write, wait = _operation(s, WRITE, place, 1), _operation(s, WAIT, place, 1)
    graph = s.graph()
    node = s.ask("both", "cuGraphAddBatchMemOpNode", graph, None, 0, _batch(s, write, wait))
    for label, given in {
        "none": None,
        "no operations": _batch(s),
        "too many": _batch(s, write, count=257),
        "flags": _batch(s, write, flags=1),
        "no context": _batch(s, write, context=s.cu.CUcontext(0)),
        "nowhere": _batch(s, _operation(s, WRITE, s.cu.CUdeviceptr(8))),
        "odd": _batch(s, _operation(s, WRITE, s.cu.CUdeviceptr(int(place) + 2))),
        "a flag of a write": _batch(s, _operation(s, WRITE, place, flags=8)),
        "a flag of a wait": _batch(s, _operation(s, WAIT, place, flags=64)),
        "no operation": _batch(s, _operation(s, 99, place)),
    }.items():
        s.ask(label, "cuGraphAddBatchMemOpNode", s.graph(), None, 0, given)
        s.ask(f"set {label}", "cuGraphBatchMemOpNodeSetParams", node, given)
    s.ask("set", "cuGraphBatchMemOpNodeSetParams", node, _batch(s, write, wait))
    made = s.executable(graph)
    for label, given in {
        "value": _batch(s, _operation(s, WRITE, place, 2), _operation(s, WAIT, place, 2)),
        "fewer": _batch(s, write),
        "turned": _batch(s, wait, write),
        "condition": _batch(s, write, _operation(s, WAIT, place, 1, 1)),
        "place": _batch(s, _operation(s, WRITE, s.place, 1), _operation(s, WAIT, s.place, 1)),
        "none": None,
    }.items():
        s.ask(f"executable {label}", "cuGraphExecBatchMemOpNodeSetParams", made, node, given)
    s.ask("launch", "cuGraphLaunch", made, 0)
    s.ask("launch", "cuCtxSynchronize")
    stream = s.stream()
    s.begin(stream, RELAXED)
    s.ask("captured, none", "cuStreamBatchMemOp", stream, 0, [write], 0)
    s.look(stream)
    s.ask("captured, flags", "cuStreamBatchMemOp", stream, 1, [write], 1)
    s.look(stream)
    s.end(stream)


@question
def cooperative_launches(s: Scene) -> None:
    """What a cooperative launch becomes, and what that can be changed to."""
    function, one = _function(s), (1, 1, 1, 32, 1, 1, 0)
    stream = s.stream()

    def captured(call: str) -> tuple[Any, Any]:
        s.begin(stream, RELAXED, call)
        s.ask(call, call, function, *one, stream, 0, *([] if "Cooperative" in call else [0]))
        s.look(stream, call)
        graph = s.end(stream, call)
        return graph, s.get("cuGraphGetNodes", graph, 1)[0][0]

    def params(blocks: int) -> Any:
        made = s.cu.CUDA_KERNEL_NODE_PARAMS()
        made.func, made.gridDimX, made.blockDimX = function, blocks, 32
        made.gridDimY = made.gridDimZ = made.blockDimY = made.blockDimZ = 1
        return made

    plain, _ = captured("cuLaunchKernel")
    graph, node = captured("cuLaunchCooperativeKernel")
    made = s.executable(graph)
    for blocks in (2, MANY):
        s.ask(f"{blocks}", "cuGraphKernelNodeSetParams", node, params(blocks))
        s.ask(f"{blocks}", "cuGraphExecKernelNodeSetParams", made, node, params(blocks))
    s.ask("update", "cuGraphExecUpdate", made, plain, show=lambda info: int(info.result))
    s.ask("update", "cuGraphExecUpdate", s.executable(plain), graph, show=lambda info: int(info.result))
    s.ask("launch", "cuGraphLaunch", made, 0)
    s.ask("launch", "cuCtxSynchronize")
    for blocks in (0, MANY):
        s.begin(stream, RELAXED, f"{blocks} blocks")
        s.ask(f"{blocks} blocks", "cuLaunchCooperativeKernel", function, blocks, *one[1:], stream, 0)
        s.look(stream, f"{blocks} blocks")
        s.end(stream, f"{blocks} blocks")


@question
def attributes_of_the_legacy_stream(s: Scene) -> None:
    """Whether copying from it breaks a capture."""
    for label, flags in (("blocking", 0), ("not blocking", 1)):
        stream, other = s.stream(flags), s.stream()
        for source in (0, 1, 2, other):
            text = f"{label} from {source if isinstance(source, int) else 'another'}"
            s.begin(stream, RELAXED, text)
            s.ask(text, "cuStreamCopyAttributes", other, source)
            s.look(stream, text)
            s.ask(text, "cuStreamCopyAttributes", stream, source)
            s.look(stream, text)
            s.end(stream, text)
