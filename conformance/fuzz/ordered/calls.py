"""The calls of a program's steps: the driver's call and its arguments, by the step's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.fuzz.ordered.program import SIZE
from conformance.fuzz.ordered.stage import CONDITIONS, FUNCTION, GRANULE, WAIT_32, WRITE_32

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from conformance.fuzz.ordered.stage import Stage

    Call = tuple[Any, ...]
    """The name of a call, and its arguments."""

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
    """

    stage: Stage
    process: int
    stream: int
    context: int

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

    def batch(self, ones: Sequence[Sequence[Any]]) -> Call:
        """Return the call that makes a batch of operations."""
        return "cuStreamBatchMemOp", self.stream, len(ones), tuple(self.operation(*one) for one in ones), 0


CALLS: dict[str, Callable[..., Call]] = {
    "fill": lambda on, to, first, count: ("cuMemsetD8Async", on.at(to, first), 1, count, on.stream),
    "fill_now": lambda on, to, first, count: ("cuMemsetD8", on.at(to, first), 1, count),
    "rows": lambda on, to, first, width, pitch, height: (
        *("cuMemsetD2D8Async", on.at(to, first), pitch),
        *(1, width, height, on.stream),
    ),
    "copy": lambda on, to, at, of, first, count: (
        *("cuMemcpyAsync", on.at(to, at), on.at(of, first)),
        *(count, on.stream),
    ),
    "copy_now": lambda on, to, at, of, first, count: ("cuMemcpy", on.at(to, at), on.at(of, first), count),
    "fetch": lambda on, of, first, count: ("cuMemcpyDtoHAsync", on.stage.plain, on.at(of, first), count, on.stream),
    "fetch_now": lambda on, of, first, count: ("cuMemcpyDtoH", on.stage.plain, on.at(of, first), count),
    "put": lambda on, to, first, count: ("cuMemcpyHtoDAsync", on.at(to, first), on.stage.plain, count, on.stream),
    "put_now": lambda on, to, first, count: ("cuMemcpyHtoD", on.at(to, first), on.stage.plain, count),
    "record": lambda on, event: ("cuEventRecord", on.event(event), on.stream),
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
    "write": lambda on, place, value: ("cuStreamWriteValue32", on.stream, on.at(place), value, 0),
    "await": lambda on, place, value, how: (
        *("cuStreamWaitValue32", on.stream, on.at(place)),
        *(value, CONDITIONS[how]),
    ),
    "batch": Side.batch,
    "call": lambda on: ("cuLaunchHostFunc", on.stream, FUNCTION, 0),
    "allocate": lambda on, _: ("cuMemAllocAsync", SIZE, on.stream),
    "free": lambda on, slot: ("cuMemFreeAsync", on.at(slot), on.stream),
    "free_now": lambda on, slot: ("cuMemFree", on.at(slot)),
    "launch": lambda on, number: ("cuGraphLaunch", on.stage.graphs[number], on.stream),
}
"""Each takes the actor's side and the step's arguments."""
