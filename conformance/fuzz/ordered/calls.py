"""The calls of a program's steps: the driver's call and its arguments, by the step's name.

Where several calls do the same, the step's numbers choose one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.fuzz.ordered.program import SIZE
from conformance.fuzz.ordered.stage import CONDITIONS, FUNCTION, GRANULE, WAIT_32, WRITE_32, fills_by_kernel

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.fuzz.ordered.stage import Stage

    Call = tuple[Any, ...]
    """The name of a call, and its arguments."""

LEGACY_HANDLE = 1
IN_ORDER = 1, (0, 0), (0, 0), 0
"""CUmemcpyAttributes of copies that read their sources in the order of the stream."""
STACK_SIZE = 0
"""CU_LIMIT_STACK_SIZE."""


@frozen
class Side:
    """What an actor's calls name.

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
        if buffer in {"m", "n"}:
            return "cuMemUnmap", self.at(buffer), GRANULE
        ends = {"h": "cuMemFreeHost", "a": "cuIpcCloseMemHandle"}
        return ends.get(buffer, "cuMemFree"), self.at(buffer)

    def copy(self, to: str, at: int, of: str, first: int, count: int) -> Call:
        """Return a call that copies: between any addresses, between devices, between contexts, or as a batch."""
        dst, src, form = self.at(to, at), self.at(of, first), (at + first + count) % 4
        if form == 0 and self.stream != LEGACY_HANDLE:
            half = count // 2 or count
            parts = [(0, half), (half, count - half)] if count > half else [(0, count)]
            dsts, srcs = (tuple(start + offset for offset, _ in parts) for start in (dst, src))
            sizes = tuple(size for _, size in parts)
            return "cuMemcpyBatchAsync", dsts, srcs, sizes, len(parts), (IN_ORDER,), (0,), 1, self.stream
        if {to, of} <= {"a", "b", "m", "n"} and form == 1:
            return "cuMemcpyDtoDAsync", dst, src, count, self.stream
        if {to, of} == {"a", "b"} and not self.process:
            return "cuMemcpyPeerAsync", dst, self.context, src, self.context, count, self.stream
        return "cuMemcpyAsync", dst, src, count, self.stream

    def fill(self, to: str, first: int, count: int) -> Call:
        """Return a call that fills bytes or words, or launches a kernel that does so if it runs at once."""
        scheduler = self.stage.machine.scheduler
        if fills_by_kernel((to, first, count)) and not (scheduler.manual or scheduler.pending):
            places = self.stage.arguments(self.at(to, first), count)
            return "cuLaunchKernel", self.stage.functions[self.where], *[1] * 6, 0, self.stream, places, 0
        if (first | count) % 4 == 0:
            return "cuMemsetD32Async", self.at(to, first), 1, count // 4, self.stream
        return "cuMemsetD8Async", self.at(to, first), 1, count, self.stream

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


CALLS: dict[str, Callable[..., Call]] = {
    "fill": Side.fill,
    "fill_now": lambda on, to, first, count: ("cuMemsetD8", on.at(to, first), 1, count),
    "rows": lambda on, to, first, width, pitch, height: (
        *("cuMemsetD2D8Async", on.at(to, first), pitch),
        *(1, width, height, on.stream),
    ),
    "copy": Side.copy,
    "copy_now": lambda on, to, at, of, first, count: ("cuMemcpy", on.at(to, at), on.at(of, first), count),
    "fetch": lambda on, of, first, count: ("cuMemcpyDtoHAsync", on.stage.plain, on.at(of, first), count, on.stream),
    "fetch_now": lambda on, of, first, count: ("cuMemcpyDtoH", on.stage.plain, on.at(of, first), count),
    "put": lambda on, to, first, count: ("cuMemcpyHtoDAsync", on.at(to, first), on.stage.plain, count, on.stream),
    "put_now": lambda on, to, first, count: ("cuMemcpyHtoD", on.at(to, first), on.stage.plain, count),
    "record": Side.record,
    "wait": lambda on, event: ("cuStreamWaitEvent", on.stream, on.event(event), 0),
    "event_sync": lambda on, event: ("cuEventSynchronize", on.event(event)),
    "event_query": lambda on, event: ("cuEventQuery", on.event(event)),
    "elapsed": lambda on, event: ("cuEventElapsedTime", on.event(event), on.event(event)),
    "destroy_event": lambda on, event: ("cuEventDestroy", on.event(event)),
    "destroy_stream": lambda on: ("cuStreamDestroy", on.stream),
    "context_record": lambda on, event: ("cuCtxRecordEvent", on.context, on.event(event)),
    "context_wait": lambda on, event: ("cuCtxWaitEvent", on.context, on.event(event)),
    "context_sync": lambda _: ("cuCtxSynchronize",),
    "limit": lambda _: ("cuCtxSetLimit", STACK_SIZE, 2048),
    "sync": lambda on: ("cuStreamSynchronize", on.stream),
    "query": lambda on: ("cuStreamQuery", on.stream),
    "end": Side.end,
    "write": Side.write,
    "await": Side.wait,
    "batch": Side.batch,
    "call": lambda on: ("cuLaunchHostFunc", on.stream, FUNCTION, 0),
    "allocate": lambda on, _: ("cuMemAllocAsync", SIZE, on.stream),
    "free": lambda on, slot: ("cuMemFreeAsync", on.at(slot), on.stream),
    "free_now": lambda on, slot: ("cuMemFree", on.at(slot)),
    "launch": lambda on, number: ("cuGraphLaunch", on.stage.graphs[number], on.stream),
}
"""Each takes the actor's side and the step's arguments."""
