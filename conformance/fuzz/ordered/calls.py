"""The driver calls of a program's steps, with their arguments.

Where several calls do the same, the step's numbers choose one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.cases.driver.graph.fixtures import ARRAY, UNIFIED
from conformance.fuzz.ordered.kernels import CODE, FILE, fills_by_kernel
from conformance.fuzz.ordered.program import ARRAYS, FIRST, HOST_POOL, HOSTED, OF_HOST, PITCH, SIZE
from conformance.fuzz.ordered.stage import CALLBACK, CONDITIONS, FUNCTION, GRANULE, WAIT_32, WRITE_32
from conformance.fuzz.ordered.uses import batch_order, fetched_to

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.fuzz.ordered.stage import Stage

    Call = tuple[Any, ...]
    """The name of a call, and its arguments."""
    Place = tuple[str, int]
    """Memory, and an offset in it."""
    Corner = tuple[str, int, int]
    """Memory, the first byte of a row, and the first row."""

LEGACY_HANDLE = 1
IN_DEVICE, ON_HOST = (1, 0), (2, 0)
"""CUmemLocation of the device, and of the host."""
STACK_SIZE = 0
"""CU_LIMIT_STACK_SIZE."""
SYNC_MEMOPS = 6
"""CU_POINTER_ATTRIBUTE_SYNC_MEMOPS."""
ON_DEVICE = frozenset("abcdmn")
"""Device memory outside pools and arrays."""
CONTEXT_ENDS = ("cuCtxDestroy", "cuCtxDetach", "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxReset")
"""Calls that destroy a context, by the context or its device."""


@frozen
class Side:
    """The objects of an actor's calls.

    Attributes:
        stage: What exists.
        process: The actor's process.
        stream: The handle of its stream.
        context: The handle of its context.
        where: Which context that is.
    """

    stage: Stage
    process: int
    stream: int
    context: int
    where: int

    def at(self, buffer: str, first: int = 0) -> int:
        """Return an address."""
        return self.stage.places[buffer, self.process] + first

    def event(self, name: str) -> int:
        """Return the handle of an event."""
        return self.stage.events[name, self.process]

    def operation(self, place: str, value: int, how: str = "") -> tuple[int, ...]:
        """Return an operation of a batch: a wait for a value, or else a write."""
        return (WAIT_32 if how else WRITE_32), self.at(place), value, CONDITIONS[how] if how else 0

    def end(self, buffer: str) -> Call:
        """Return the call that ends memory."""
        if buffer == "m":
            return "cuMemUnmap", self.at(buffer), GRANULE
        if buffer == "n":
            return "cuMemSetAccess", self.at(buffer), GRANULE, ((IN_DEVICE, 0),), 1
        if buffer == "v":
            return self.stage.variable
        if buffer == "t":
            return "cuMipmappedArrayDestroy", self.stage.mipmapped
        ends = {"h": "cuMemFreeHost", "w": "cuMemHostUnregister", "a": "cuIpcCloseMemHandle"}
        return ends.get(buffer, "cuArrayDestroy" if buffer in ARRAYS else "cuMemFree"), self.at(buffer)

    def copy(self, to: str, at: int, of: str, first: int, count: int) -> Call:
        """Return a copy call: of any addresses, across devices or contexts, or in a batch."""
        if {to, of} & {*ARRAYS}:
            return self.of_array((to, at), (of, first), count)
        dst, src, form = self.at(to, at), self.at(of, first), (at + first + count) % 4
        order = batch_order((to, at, of, first, count))
        if order and self.stream != LEGACY_HANDLE:
            half = count // 2 or count
            parts = [(0, half), (half, count - half)] if count > half else [(0, count)]
            dsts, srcs = (tuple(start + offset for offset, _ in parts) for start in (dst, src))
            sizes = tuple(size for _, size in parts)
            attributes = order, (0, 0), (0, 0), 0
            return "cuMemcpyBatchAsync", dsts, srcs, sizes, len(parts), (attributes,), (0,), 1, self.stream
        if {to, of} <= ON_DEVICE and form == 1:
            return "cuMemcpyDtoDAsync", dst, src, count, self.stream
        if {to, of} == {"a", "b"} and not self.process:
            return "cuMemcpyPeerAsync", dst, self.context, src, self.context, count, self.stream
        return "cuMemcpyAsync", dst, src, count, self.stream

    def of_array(self, to: Place, of: Place, count: int) -> Call:
        """Return a call that copies a row to or from an array."""
        (dst, at), (src, first) = to, of
        if src == "h" and count % 4:
            return "cuMemcpyHtoAAsync", self.at(dst), at, self.at(src, first), count, self.stream
        if dst == "h" and count % 4:
            return "cuMemcpyAtoHAsync", self.at(dst, at), self.at(src), first, count, self.stream
        return self.described((src, first, 0), (dst, at, 0), (count, 1), at + first)

    def box(self, to: str, of: str, first: int, width: int, pitch: int, height: int, *, now: bool = False) -> Call:
        """Return a call that copies a rectangle between an array and other memory."""
        place = first % pitch, first // pitch
        return self.described((of, *place), (to, *place), (width, height), first // 4 + (to in ARRAYS), now=now)

    def described(self, of: Corner, to: Corner, size: tuple[int, int], form: int, *, now: bool = False) -> Call:
        """Return a copy call with a struct: 2D, 3D, or 3D between contexts."""
        ending, stream = ("", ()) if now else ("Async", (self.stream,))
        flat, solid = [], []
        for buffer, x, y in (of, to):
            at, array, pitch = self.at(buffer), buffer in ARRAYS, PITCH * (size[1] > 1)
            where = (ARRAY, 0, 0, at) if array else (UNIFIED, 0, at, 0)
            flat += [x, y, *where, pitch]
            solid += [x, y, 0, 0, *where, 0 if array else self.context, pitch, 0]
        if form % 3 == 0:
            return f"cuMemcpy3DPeer{ending}", (*solid, *size, 1), *stream
        if form % 3 == 1:
            unaligned = "Unaligned" if now and to[0] in ARRAYS else ""
            return f"cuMemcpy2D{unaligned or ending}", (*flat, *size), *stream
        struct = *(0 if place % 11 == 8 else one for place, one in enumerate(solid)), *size, 1
        return f"cuMemcpy3D{ending}", struct, *stream

    def as_host(self, to: str, at: int, of: str, first: int, count: int) -> Call:
        """Return a copy call that uses managed memory as host memory."""
        name = "cuMemcpyDtoHAsync" if to == "u" else "cuMemcpyHtoDAsync"
        return name, self.at(to, at), self.at(of, first), count, self.stream

    def discard(self, to: str, first: int, count: int) -> Call:
        """Return a call that discards managed memory, and maybe prefetches it."""
        ranges = (self.at(to, first),), (count,), 1
        if count % 32:
            return "cuMemDiscardAndPrefetchBatchAsync", *ranges, (IN_DEVICE,), (0,), 1, 0, self.stream
        return "cuMemDiscardBatchAsync", *ranges, 0, self.stream

    def copy_now(self, to: str, at: int, of: str, first: int, count: int) -> Call:
        """Return a call that copies without a stream."""
        arrays = {to, of} & {*ARRAYS}
        if len(arrays) == 2:
            return "cuMemcpyAtoA", self.at(to), at, self.at(of), first, count
        if to in arrays:
            return f"cuMemcpy{'H' if of == 'h' else 'D'}toA", self.at(to), at, self.at(of, first), count
        if of in arrays:
            return f"cuMemcpyAto{'H' if to == 'h' else 'D'}", self.at(to, at), self.at(of), first, count
        dst, src = self.at(to, at), self.at(of, first)
        if {to, of} == {"a", "b"} and not self.process and at % 2 == 0:
            return "cuMemcpyPeer", dst, self.stage.contexts[FIRST], src, self.stage.contexts[FIRST], count
        return "cuMemcpyDtoD" if {to, of} <= ON_DEVICE and count > 2 else "cuMemcpy", dst, src, count

    def fetch(self, of: str, first: int, count: int, *stream: int) -> Call:
        """Return a copy to host memory that the device cannot access, maybe in a stream."""
        name = f"cuMemcpy{'A' if of in ARRAYS else 'D'}toH{'Async' if stream else ''}"
        place = (self.at(of), first) if of in ARRAYS else (self.at(of, first),)
        to_pool = fetched_to(count, self.process, now=not stream) == HOST_POOL
        host = self.stage.host_pool if to_pool else self.stage.plain
        return name, host, *place, count, *stream

    def put(self, to: str, first: int, count: int, *stream: int) -> Call:
        """Return a copy from host memory that is not page-locked, maybe in a stream."""
        name = f"cuMemcpyHto{'A' if to in ARRAYS else 'D'}{'Async' if stream else ''}"
        place = (self.at(to), first) if to in ARRAYS else (self.at(to, first),)
        return name, *place, self.stage.plain, count, *stream

    def fill(self, to: str, first: int, count: int) -> Call:
        """Return a memset of bytes or words, or a kernel launch if it runs at once."""
        scheduler, at_once = self.stage.machine.scheduler, to not in {*HOSTED, *OF_HOST}
        if fills_by_kernel((to, first, count)) and at_once and not (scheduler.manual or scheduler.pending):
            places, function = self.stage.arguments(self.at(to, first), count), self.stage.functions[self.where]
            if count == 1:
                return "cuLaunchKernelEx", (*[1] * 6, 0, self.stream, ()), function, places, 0
            if to == "b":
                return "cuLaunchCooperativeKernel", function, *[1] * 6, 0, self.stream, places
            return "cuLaunchKernel", function, *[1] * 6, 0, self.stream, places, 0
        name, width = _words(first, count)
        return f"{name}Async", self.at(to, first), 1, count // width, self.stream

    def fill_now(self, to: str, first: int, count: int) -> Call:
        """Return a memset without a stream."""
        name, width = _words(first, count)
        return name, self.at(to, first), 1, count // width

    def rows(self, to: str, first: int, width: int, pitch: int, height: int, *stream: int) -> Call:
        """Return a memset of rows, maybe in a stream."""
        word = 1 << (first // 4 + height) % 3
        name = f"cuMemsetD2D{8 * word}{'Async' if stream else ''}"
        return name, self.at(to, first), pitch, 1, width // word, height, *stream

    def end_context(self, form: int) -> Call:
        """Return a call that destroys the second context."""
        return CONTEXT_ENDS[form], (self.stage.device if self.stage.primary else self.context)

    def call(self, form: int) -> Call:
        """Return a call of a host function."""
        if form:
            return "cuStreamAddCallback", self.stream, CALLBACK, 0, 0
        return "cuLaunchHostFunc", self.stream, FUNCTION, 0

    def allocate(self, slot: str) -> Call:
        """Return an allocation from the device's pool, which is named or implied."""
        if slot == "s0":
            return "cuMemAllocAsync", SIZE, self.stream
        return "cuMemAllocFromPoolAsync", SIZE, self.stage.pool, self.stream

    def write(self, place: str, value: int) -> Call:
        """Return a call that writes a value of 32 or 64 bits."""
        return f"cuStreamWriteValue{64 if value == 2 else 32}", self.stream, self.at(place), value, 0

    def wait(self, place: str, value: int, how: str) -> Call:
        """Return a call that waits for a value of 32 or 64 bits."""
        bits = 64 if how == "geq" else 32
        return f"cuStreamWaitValue{bits}", self.stream, self.at(place), value, CONDITIONS[how]

    def record(self, event: str) -> Call:
        """Return a call that records an event."""
        if event == "x1":
            return "cuEventRecordWithFlags", self.event(event), self.stream, 0
        return "cuEventRecord", self.event(event), self.stream

    def batch(self, ones: Sequence[Sequence[Any]]) -> Call:
        """Return the call that makes a batch of operations."""
        return "cuStreamBatchMemOp", self.stream, len(ones), tuple(self.operation(*one) for one in ones), 0


def _words(first: int, count: int) -> tuple[str, int]:
    """Return a memset call, and its word size in bytes."""
    width = 2 if count == 8 else 4 if (first | count) % 4 == 0 else 1
    return f"cuMemsetD{8 * width}", width


LOADS: tuple[Call, ...] = (
    ("cuModuleLoadData", CODE),
    ("cuModuleLoadDataEx", CODE, 0, None, None),
    ("cuModuleLoadFatBinary", CODE),
    ("cuModuleLoad", bytes(FILE)),
)
"""The calls that load a module."""
CALLS: dict[str, Callable[..., Call]] = {
    "fill": Side.fill,
    "fill_now": Side.fill_now,
    "reset": lambda on, place, value: ("cuMemsetD32Async", on.at(place), value, 1, on.stream),
    "rows": lambda on, *place: on.rows(*place, on.stream),
    "rows_now": Side.rows,
    "copy": Side.copy,
    "as_host": Side.as_host,
    "prefetch": lambda on, to, first, count: (
        *("cuMemPrefetchAsync", on.at(to, first), count),
        *(IN_DEVICE if first else ON_HOST, 0, on.stream),
    ),
    "discard": Side.discard,
    "attach": lambda on, to, first, _: ("cuStreamAttachMemAsync", on.stream, on.at(to), 0, 1 << first % 3),
    "look": lambda _, *__: ("cuDriverGetVersion",),
    "touch": lambda _, *__: ("cuDriverGetVersion",),
    "copy_now": Side.copy_now,
    "box": Side.box,
    "box_now": lambda on, *box: on.box(*box, now=True),
    "fetch": lambda on, *place: on.fetch(*place, on.stream),
    "fetch_now": Side.fetch,
    "put": lambda on, *place: on.put(*place, on.stream),
    "put_now": Side.put,
    "record": Side.record,
    "wait": lambda on, event: ("cuStreamWaitEvent", on.stream, on.event(event), 0),
    "event_sync": lambda on, event: ("cuEventSynchronize", on.event(event)),
    "event_query": lambda on, event: ("cuEventQuery", on.event(event)),
    "elapsed": lambda on, event: ("cuEventElapsedTime", on.event(event), on.event(event)),
    "destroy_event": lambda on, event, form: (f"cuEventDestroy{form}", on.event(event)),
    "destroy_stream": lambda on, form: (f"cuStreamDestroy{form}", on.stream),
    "context_record": lambda on, event: ("cuCtxRecordEvent", on.context, on.event(event)),
    "context_wait": lambda on, event: ("cuCtxWaitEvent", on.context, on.event(event)),
    "context_sync": lambda _: ("cuCtxSynchronize",),
    "limit": lambda _: ("cuCtxSetLimit", STACK_SIZE, 2048),
    "load": lambda _, form: LOADS[form],
    "unload": lambda on, number: on.stage.unloads[number],
    "end_graph": lambda on, number: ("cuGraphExecDestroy", on.stage.device_graphs[number]),
    "end_context": Side.end_context,
    "lock": lambda on: ("cuCheckpointProcessLock", on.stage.pid, None),
    "say": lambda on, to: ("cuPointerSetAttribute", 1, SYNC_MEMOPS, on.at(to)),
    "upload": lambda on, number: ("cuGraphUpload", on.stage.graphs[number], on.stream),
    "sync": lambda on: ("cuStreamSynchronize", on.stream),
    "query": lambda on: ("cuStreamQuery", on.stream),
    "end": Side.end,
    "write": Side.write,
    "await": Side.wait,
    "batch": Side.batch,
    "call": Side.call,
    "allocate": Side.allocate,
    "free": lambda on, slot: ("cuMemFreeAsync", on.at(slot), on.stream),
    "free_now": lambda on, slot: ("cuMemFree", on.at(slot)),
    "launch": lambda on, number: ("cuGraphLaunch", on.stage.graphs[number], on.stream),
}
"""Functions that return a call, from the actor's side and the step's arguments."""
