"""The objects before a program's first step: processes, contexts, streams, memory."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from attrs import define, field

from conformance.cases.driver.graph.fixtures import ARRAY, UNIFIED, between, launch, memset
from conformance.fuzz.ordered.kernels import CODE, KERNEL, SETTERS, VARIABLE, fills_by_kernel
from conformance.fuzz.ordered.program import (
    ARRAYS,
    DEVICE_FLAG,
    FIRST,
    HOST_FLAG,
    LEGACY,
    LOOKS,
    NON_BLOCKING,
    OTHER,
    PER_THREAD,
    PITCH,
    SECOND,
    SECOND_FLAG,
    SIZE,
)
from conformance.fuzz.ordered.reading import stream_of
from fakecuda.spec import mem_ops
from fakecuda.spec.codes import Result
from fakecuda.spec.node_params import CONDITIONAL, MEM_ALLOC, pack

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.fuzz.ordered.program import Graph, Node, Program
    from conformance.fuzz.ordered.reading import Stream
    from fakecuda import Machine

PORTABLE = 1
"""CU_MEMHOSTALLOC_PORTABLE."""
PINNED, HOST = 1, 2
"""CU_MEM_ALLOCATION_TYPE_PINNED, CU_MEM_LOCATION_TYPE_HOST."""
INTERPROCESS = 4 | 2
"""CU_EVENT_INTERPROCESS, CU_EVENT_DISABLE_TIMING."""
GRANULE = 2 << 20
PAGE = 4096
PRIMARY = 2
"""The index of the first call that releases a primary context."""
DEVICE_LAUNCH, CTX_SYNC_MEMOPS = 4, 128
"""CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH, CU_CTX_SYNC_MEMOPS."""
UINT8 = 1
"""CU_AD_FORMAT_UNSIGNED_INT8."""
CONDITIONS = {"geq": 0, "eq": 1, "and": 2}
WRITE_32, WAIT_32 = 2, 1
PROTOTYPE = ctypes.CFUNCTYPE(None, ctypes.c_void_p)
NOTHING = PROTOTYPE(lambda _: None)
FUNCTION = ctypes.cast(NOTHING, ctypes.c_void_p).value
"""A host function that does nothing."""
CALLED = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(lambda *_: None)
CALLBACK = ctypes.cast(CALLED, ctypes.c_void_p).value
"""A callback that does nothing."""
THREADS = {(FIRST, 0): "main", (FIRST, 1): "second", (SECOND, 0): "other", (OTHER, 0): "main"}
"""The names of threads, by context and number."""


ASSIGN_DEFAULT = 1
"""CU_GRAPH_COND_ASSIGN_DEFAULT."""
KINDS = {"if": 0, "while": 1, "switch": 2}
"""CUgraphConditionalNodeType."""


class Unexpected(Exception):  # noqa: N818 - what a drawn program should not do
    """A drawn program's call is refused, or breaks another rule."""


def spawned(machine: Machine) -> Any:
    """Start process b as a simulated process."""
    return machine.spawn("b")


def ok(answer: tuple[Any, ...]) -> Any:
    """Return the results of a call that must succeed."""
    code, *results = answer
    if code:
        msg = f"a call answers {Result(code).name}"
        raise Unexpected(msg)
    return results[0] if len(results) == 1 else tuple(results) or None


@define(eq=False)
class Stage:
    """The objects of a program's steps.

    Args:
        program: The program.
        machine: The machine.
        start: Starts process b.

    Attributes:
        callers: The calls of each actor's thread.
        streams: The handle of each stream.
        places: The first address of each buffer, in each process.
        events: The handle of each event, in each process.
        contexts: The handle of each context.
        graphs: The executable graphs.
        functions: The kernel's handle in each context, if a step launches it.
        setters: The handles of kernels that set conditions.
        plain: The address of host memory that is not page-locked.
        host_pool: The address of memory of a host pool that grants the device no access.
        unloads: The calls that unload modules and libraries, by the numbers of their steps.
        device_graphs: The executable graphs that devices can launch, by the same numbers.
        mipmapped: The mipmapped array.
        variable: The call that unloads the variable.
        pool: The device's memory pool.
        device: The device.
        primary: Whether the second context is the primary one.
        pid: The number of process a.
    """

    program: Program
    machine: Machine
    start: Callable[[Machine], Any]
    callers: dict[int, Any] = field(factory=dict)
    streams: dict[Stream, int] = field(factory=dict)
    places: dict[tuple[str, int], int] = field(factory=dict)
    events: dict[tuple[str, int], int] = field(factory=dict)
    contexts: dict[int, int] = field(factory=dict)
    graphs: list[int] = field(factory=list)
    plain: int = 0
    host_pool: int = 0
    functions: dict[int, int] = field(factory=dict)
    setters: dict[str, int] = field(factory=dict)
    unloads: dict[int, tuple[str, int]] = field(factory=dict)
    device_graphs: dict[int, int] = field(factory=dict)
    mipmapped: int = 0
    variable: tuple[str, int] = "", 0
    pool: int = 0
    device: int = 0
    primary: bool = False
    pid: int = 0
    _room: Any = None
    _other: Any = None
    _condition: int = 0
    _memory: dict[int, int] = field(factory=dict)
    _kept: list[Any] = field(factory=list)

    def __attrs_post_init__(self) -> None:
        """Create the objects, and wait until the work is done."""
        a = self.machine.spawn("a")
        main = a.thread("main").c
        self.pid = a.pid
        ok(main.cuInit(0))
        self.pool = ok(main.cuDeviceGetDefaultMemPool(0))
        self.contexts[FIRST] = ok(main.cuCtxCreate(None, 0, 0))
        contexts = {actor.context for actor in self.program.actors}
        self._room = ctypes.create_string_buffer(SIZE)
        self.plain = ctypes.addressof(self._room)
        self.places = {(name, 0): int(ok(main.cuMemAlloc(SIZE))) for name in ("a", "b")}
        flags = int(ok(main.cuMemAlloc(SIZE)))
        self.places |= {(DEVICE_FLAG, 0): flags, (SECOND_FLAG, 0): flags + 8}
        names = repr((self.program.steps, self.program.graphs))
        self._allocate(a, main, names)
        if any(step.what in LOOKS for step in self.program.steps):
            assert self.machine.races is not None
            self.machine.races.watch_host(self.machine)
        self.events = {(name, 0): int(ok(main.cuEventCreate(0))) for name in ("x0", "x1")}
        ok(main.cuMemsetD8(flags, 0, SIZE))
        if SECOND in contexts:
            self._second(a.thread("other").c)
        if OTHER in contexts:
            self._share(main, flags)
        for number, actor in enumerate(self.program.actors):
            name = THREADS[actor.context, actor.thread]
            process = self._other if actor.process else a
            caller = process.thread(name).c
            if name == "second":
                ok(caller.cuCtxSetCurrent(self.contexts[FIRST]))
            self.callers[number] = caller
            handle = {LEGACY: 1, PER_THREAD: 2}.get(actor.kind)
            if handle is None:
                handle = int(ok(caller.cuStreamCreate(int(actor.kind == NON_BLOCKING))))
            self.streams[stream_of(self.program, number)] = handle
            if any(fills_by_kernel(step.args) for step in self.program.steps):
                self._load(caller, actor.context)
            self._ending(number, caller, main)
        if any(repr(what) in names for what in ("kernel", *SETTERS)):
            self._load(main, FIRST)
        for graph in self.program.graphs:
            self.graphs.append(self._build(main, graph))
        ok(main.cuCtxSynchronize())

    def _allocate(self, a: Any, main: Any, names: str) -> None:
        """Allocate the other memory that the program names."""
        for name in (HOST_FLAG, "h"):
            if repr(name) in names:
                self.places[name, 0] = int(ok(main.cuMemHostAlloc(SIZE, PORTABLE)))
                ok(main.cuMemsetD8(self.places[name, 0], 0, SIZE))
        if "'u'" in names:
            self.places["u", 0] = int(ok(main.cuMemAllocManaged(SIZE, 1)))
            ok(main.cuMemsetD8(self.places["u", 0], 0, SIZE))
        for name in ("r", "q"):
            if repr(name) in names:
                shape = (PITCH, SIZE // PITCH) if name == "q" else (SIZE, 0)
                self.places[name, 0] = ok(main.cuArrayCreate((*shape, UINT8, 1)))
        if "'fetch'" in names:
            pool = ok(main.cuMemPoolCreate((PINNED, 0, (HOST, 0), 0, 0, 0, 0)))
            self.host_pool = int(ok(main.cuMemAllocFromPoolAsync(SIZE, pool, 0)))
        if "'t'" in names:
            self.mipmapped = ok(main.cuMipmappedArrayCreate((SIZE, 0, 0, UINT8, 1, 0), 1))
            self.places["t", 0] = ok(main.cuMipmappedArrayGetLevel(self.mipmapped, 0))
        if "'w'" in names:
            self.places["w", 0] = place = a.host_memory(PAGE)
            ok(main.cuMemHostRegister(place, PAGE, PORTABLE))
        if "'m'" in names or "'n'" in names:
            self._map(main)
        if "'v'" in names:
            self._declare(main)

    def _second(self, other: Any) -> None:
        """Create the second context, as a primary one if a step releases it."""
        steps = self.program.steps
        self.primary = any(step.what == "end_context" and step.args[0] >= PRIMARY for step in steps)
        if self.primary:
            self.contexts[SECOND] = ok(other.cuDevicePrimaryCtxRetain(0))
            ok(other.cuCtxSetCurrent(self.contexts[SECOND]))
        else:
            self.contexts[SECOND] = ok(other.cuCtxCreate(None, 0, 0))
        if self.program.synchronous:
            ok(other.cuCtxSetFlags(CTX_SYNC_MEMOPS))
        self.events["y", 0] = int(ok(other.cuEventCreate(0)))
        self.places["c", 0] = int(ok(other.cuMemAlloc(SIZE)))

    def _ending(self, number: int, caller: Any, main: Any) -> None:
        """Create what an actor's steps end: modules, libraries, device-launched graphs."""
        for step in self.program.steps:
            if step.actor == number and step.what == "unload":
                if step.args[0] % 2:
                    library = ok(caller.cuLibraryLoadData(CODE, None, None, 0, None, None, 0))
                    ok(caller.cuLibraryGetModule(library))
                    self.unloads[step.args[0]] = "cuLibraryUnload", library
                else:
                    self.unloads[step.args[0]] = "cuModuleUnload", ok(caller.cuModuleLoadData(CODE))
            elif step.actor == number and step.what == "end_graph":
                graph = ok(main.cuGraphCreate(0))
                ok(main.cuGraphAddMemsetNode(graph, None, 0, memset(self.places["a", 0], 1), self.contexts[FIRST]))
                self.device_graphs[step.args[0]] = ok(main.cuGraphInstantiate(graph, DEVICE_LAUNCH))
                ok(main.cuGraphUpload(self.device_graphs[step.args[0]], 1))

    def _load(self, caller: Any, context: int) -> None:
        """Load the kernel in a context, unless it is loaded."""
        if context not in self.functions:
            module = ok(caller.cuModuleLoadData(CODE))
            self.functions[context] = ok(caller.cuModuleGetFunction(module, KERNEL.encode()))
            for name in SETTERS if context == FIRST else ():
                self.setters[name] = ok(caller.cuModuleGetFunction(module, f"ordered_{name}".encode()))

    def arguments(self, to: int, count: int) -> int:
        """Return the address of pointers to the kernel's arguments."""
        values = ctypes.c_uint64(to), ctypes.c_uint32(count)
        places = (ctypes.c_void_p * 2)(*map(ctypes.addressof, values))
        self._kept += [values, places]
        return ctypes.addressof(places)

    def _declare(self, main: Any) -> None:
        """Load the variable, by a library if an actor is in process b."""
        if OTHER in {actor.context for actor in self.program.actors}:
            library = ok(main.cuLibraryLoadData(VARIABLE, None, None, 0, None, None, 0))
            self.places["v", 0], _ = ok(main.cuLibraryGetGlobal(library, b"variable"))
            self.variable = "cuLibraryUnload", library
        else:
            module = ok(main.cuModuleLoadData(VARIABLE))
            self.places["v", 0], _ = ok(main.cuModuleGetGlobal(module, b"variable"))
            self.variable = "cuModuleUnload", module

    def _map(self, main: Any) -> None:
        """Map one handle twice."""
        handle = ok(main.cuMemCreate(GRANULE, (1, 1, (1, 0), 0, (0, 0, 0)), 0))
        for name in ("m", "n"):
            start = int(ok(main.cuMemAddressReserve(GRANULE, 0, 0, 0)))
            ok(main.cuMemMap(start, GRANULE, 0, handle, 0))
            ok(main.cuMemSetAccess(start, GRANULE, (((1, 0), 3),), 1))
            self.places[name, 0] = start

    def _share(self, main: Any, flags: int) -> None:
        """Start process b, which opens memory and an event of process a."""
        self._other = self.start(self.machine)
        there = self._other.thread("main").c
        ok(there.cuInit(0))
        self.contexts[OTHER] = ok(there.cuCtxCreate(None, 0, 0))
        for name, start in (("a", self.places["a", 0]), (DEVICE_FLAG, flags)):
            self.places[name, 1] = int(ok(there.cuIpcOpenMemHandle(ok(main.cuIpcGetMemHandle(start)), 1)))
        self.places["d", 1] = int(ok(there.cuMemAlloc(SIZE)))
        self.events["z", 1] = int(ok(there.cuEventCreate(0)))
        self.events["i", 0] = int(ok(main.cuEventCreate(INTERPROCESS)))
        self.events["i", 1] = int(ok(there.cuIpcOpenEventHandle(ok(main.cuIpcGetEventHandle(self.events["i", 0])))))

    def _build(self, main: Any, graph: Graph) -> int:
        if graph.capture:
            made = self._capture(main, graph)
        else:
            made = ok(main.cuGraphCreate(0))
            self._nodes(main, made, graph.nodes, len(self.graphs))
        return int(ok(main.cuGraphInstantiate(made, 0)))

    def _capture(self, main: Any, graph: Graph) -> int:
        streams = [int(ok(main.cuStreamCreate(1))) for _ in range(2)]
        event = int(ok(main.cuEventCreate(0)))
        ok(main.cuStreamBeginCapture(streams[0], 2))
        for what, stream, *args in graph.capture:
            if what == "fork":
                ok(main.cuEventRecord(event, streams[stream]))
                ok(main.cuStreamWaitEvent(streams[1 - stream], event, 0))
            else:
                buffer, first, count = args[0]
                ok(main.cuMemsetD8Async(self.places[buffer, 0] + first, 1, count, streams[stream]))
        return int(ok(main.cuStreamEndCapture(streams[0])))

    def _nodes(self, main: Any, graph: int, nodes: Sequence[Node], number: int) -> None:
        made: list[int] = []
        for node in nodes:
            if node.what == "choose":
                default = node.args[1]
                self._condition = ok(
                    main.cuGraphConditionalHandleCreate(graph, self.contexts[FIRST], default, ASSIGN_DEFAULT)
                )
        for node in nodes:
            after = tuple(made[one] for one in node.after)
            made.append(self._node(main, graph, node, after, number))

    def _node(self, main: Any, graph: int, node: Node, after: tuple[int, ...], number: int) -> int:
        edges, context, args = (graph, after or None, len(after)), self.contexts[FIRST], node.args
        if node.what == "child":
            child = ok(main.cuGraphCreate(0))
            self._nodes(main, child, args[0], number)
            return int(ok(main.cuGraphAddChildGraphNode(*edges, child)))
        if node.what == "choose":
            kind, _, bodies = node.args
            condition = self._condition, KINDS[kind], len(bodies), 0, context
            made, graphs = ok(main.cuGraphAddNode(graph, after or None, None, len(after), pack(CONDITIONAL, condition)))
            for one, nodes in zip(graphs, bodies, strict=True):
                self._nodes(main, one, nodes, number)
            return int(made)
        if node.what in {"set", "turn"}:
            function = self.setters[node.what]
            given = launch(function, kernelParams=self.arguments(self._condition, node.args[0]))
            return int(ok(main.cuGraphAddKernelNode(*edges, given)))
        if node.what == "allocate":
            given = (1, 0, 1, 0, *[0] * 4, 0, 0, SIZE, 0)
            made, (at,) = ok(main.cuGraphAddNode(graph, after or None, None, len(after), pack(MEM_ALLOC, given)))
            self._memory[number] = at
            return int(made)
        if node.what == "release":
            return int(ok(main.cuGraphAddMemFreeNode(*edges, self._memory[number])))
        if node.what in {"record", "wait"}:
            call = main.cuGraphAddEventRecordNode if node.what == "record" else main.cuGraphAddEventWaitNode
            return int(ok(call(*edges, self.events[args[0], 0])))
        if node.what == "call":
            return int(ok(main.cuGraphAddHostNode(*edges, (FUNCTION, 0))))
        if node.what in {"write", "await"}:
            place, value, *how = args
            operation = (WAIT_32 if how else WRITE_32, self.places[place, 0], value, CONDITIONS[how[0]] if how else 0)
            self._kept.append(ctypes.create_string_buffer(mem_ops.pack(operation)))
            given = (context, 1, ctypes.addressof(self._kept[-1]), 0)
            return int(ok(main.cuGraphAddBatchMemOpNode(*edges, given)))
        if node.what == "copy":
            dst, at, src, source, count = args
            ends = [
                (ARRAY, self.places[one, 0]) if one in ARRAYS else (UNIFIED, self.places[one, 0]) for one in (dst, src)
            ]
            struct = [*between(ends[0], ends[1], count)]
            struct[0], struct[11] = source, at
            return int(ok(main.cuGraphAddMemcpyNode(*edges, tuple(struct), context)))
        if node.what == "rows":
            buffer, first, width, pitch, height = args
            start = self.places[buffer, 0] + first
            params = memset(start, 1, width, pitch=pitch, height=height)
        else:
            buffer, first, count = args
            start = self._memory[number] if buffer == "own" else self.places[buffer, 0]
            if node.what == "kernel":
                given = launch(self.functions[FIRST], kernelParams=self.arguments(start + first, count))
                return int(ok(main.cuGraphAddKernelNode(*edges, given)))
            params = memset(start + first, 1, count)
        return int(ok(main.cuGraphAddMemsetNode(*edges, params, context)))
