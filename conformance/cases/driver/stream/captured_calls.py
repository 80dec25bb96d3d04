"""Captured streams, and refused calls that keep or invalidate the capture."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.graph.fixtures import ROOM, graph
from conformance.cases.driver.module.fixtures import function
from conformance.cases.driver.stream.fixtures import LEGACY, NON_BLOCKING, stream, word
from conformance.kit.world import Process
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.case import Entry, Then
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

GLOBAL, THREAD_LOCAL, RELAXED = range(3)
"""CUstreamCaptureMode."""
UPLOAD = 2
"""CUgraphInstantiate_flags."""
BIT_16 = 64
BROKEN = Result.STREAM_CAPTURE_INVALIDATED
KINDS = ((1, (0, 0), (0, 0), 0),)
"""A CUmemcpyAttributes."""
Row = tuple[str, str, Callable[[Process, int], tuple[Any, ...]], Result]
"""A mistake: the call, its arguments by the captured stream, and the answer."""


def captured(a: Process, mode: int = RELAXED, flags: int = NON_BLOCKING) -> int:
    """Return a new stream that is being captured."""
    begun = stream(a, flags)
    a.ok.cuStreamBeginCapture(begun, mode)
    return begun


def captured_into(a: Process, of: int) -> int:
    """Return a new stream that is being captured into a graph."""
    begun = stream(a, NON_BLOCKING)
    a.ok.cuStreamBeginCaptureToGraph(begun, of, None, None, 0, RELAXED)
    return begun


def broken(a: Process) -> int:
    """Return a new stream whose capture is invalidated."""
    begun = captured(a)
    a.c.cuStreamSynchronize(begun)
    return begun


def joined(a: Process, begun: int) -> int:
    """Return a new stream that has joined a capture."""
    other, event = stream(a, NON_BLOCKING), a.ok.cuEventCreate(0)
    a.ok.cuEventRecord(event, begun)
    a.ok.cuStreamWaitEvent(other, event, 0)
    return other


def ended(a: Process) -> int:
    """Return an event recorded in an ended capture."""
    begun, event = captured(a), a.ok.cuEventCreate(0)
    a.ok.cuEventRecord(event, begun)
    a.ok.cuStreamEndCapture(begun)
    return int(event)


def told_of_captures(entry: Entry, argument: str = "hStream") -> None:
    """Add the cases of a call on a stream whose capture is active or invalidated."""
    entry.also(f"a captured {argument}")(lambda _w, i: i.evolve(**{argument: captured(i.process)}))
    entry.also(f"a broken capture of {argument}", code=BROKEN)(lambda _w, i: i.evolve(**{argument: broken(i.process)}))


def _elsewhere(a: Process) -> int:
    """Return a function of another context."""
    a.ok.cuCtxCreate(None, 0, a.device)
    made = function(a)
    a.ok.cuCtxPopCurrent()
    return made


def _copies(a: Process, begun: int, count: int = 1) -> tuple[Plain, ...]:
    """Return the arguments of a batch of one copy."""
    place = word(a)
    return (place,), (place + 256,), (8,), count, KINDS, (0,), 1, begun


def _without_attributes(begun: int) -> tuple[Plain, ...]:
    """Return a CUlaunchConfig with a number of attributes, but a null array."""
    return *_extended(begun)[:-1], None


def _extended(begun: int, *attributes: tuple[int, ...], blocks: int = 1, threads: int = 1) -> tuple[Plain, ...]:
    """Return a CUlaunchConfig."""
    return blocks, 1, 1, threads, 1, 1, 0, begun, attributes


def _records(a: Process, begun: int, event: int, flags: int) -> tuple[Plain, ...]:
    """Return the arguments of a launch that records an event."""
    return _extended(begun, (7, event, flags, 0)), function(a), 0, 0


def _launches(call: str, func: int, begun: int, threads: int) -> tuple[Plain, ...]:
    """Return the arguments of a launch."""
    if call == "cuLaunchKernelEx":
        return _extended(begun, threads=threads), func, 0, 0
    return func, 1, 1, 1, threads, 1, 1, 0, begun, 0, *[0] * (call == "cuLaunchKernel")


def _ranges(a: Process, call: str, flags: int, begun: int) -> tuple[Plain, ...]:
    """Return the arguments of a batch for one range of managed memory."""
    places: tuple[Plain, ...] = (((1, a.device),), (0,), 1) if "Prefetch" in call else ()
    return (a.ok.cuMemAllocManaged(ROOM, 1),), (ROOM,), 1, *places, flags, begun


def _popped(a: Process) -> tuple[int, int]:
    """Return memory and a value, with no current context."""
    place = word(a)
    a.ok.cuCtxPopCurrent()
    return place, 0


LAUNCHES = ("cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel")
BATCHES = ("cuMemPrefetchBatchAsync", "cuMemDiscardBatchAsync", "cuMemDiscardAndPrefetchBatchAsync")
VALUE, HANDLE, UNSUPPORTED = Result.INVALID_VALUE, Result.INVALID_HANDLE, Result.STREAM_CAPTURE_UNSUPPORTED
MISTAKES: tuple[Row, ...] = (
    ("null", "cuModuleUnload", lambda _a, _: (0,), HANDLE),
    ("flags", "cuMemAllocManaged", lambda _a, _: (64, 9), VALUE),
    ("no bytes", "cuMemAllocManaged", lambda _a, _: (0, 1), VALUE),
    ("no bytes", "cuMemAllocPitch", lambda _a, _: (64, 0, 4), VALUE),
    ("more than there are addresses", "cuMemAllocAsync", lambda _a, begun: (1 << 60, begun), Result.OUT_OF_MEMORY),
    ("flags", "cuGraphInstantiate", lambda a, _: (graph(a), 99), VALUE),
    (
        "an upload elsewhere",
        "cuGraphInstantiateWithParams",
        lambda a, _: (graph(a), (UPLOAD, stream(a, NON_BLOCKING), 0, 0)),
        Result.SUCCESS,
    ),
    ("null", "cuGraphInstantiateWithParams", lambda a, _: (graph(a), None), VALUE),
    ("flags", "cuGraphInstantiateWithParams", lambda a, begun: (graph(a), (UPLOAD | BIT_16, begun, 0, 0)), VALUE),
    ("an address", "cuMemsetD16Async", lambda a, begun: (word(a) + 1, 0, 1, begun), VALUE),
    ("a pitch", "cuMemsetD2D16Async", lambda a, begun: (word(a), 33, 0, 1, 2, begun), VALUE),
    ("a width", "cuMemsetD2D16Async", lambda a, begun: (word(a), 2, 0, 2, 2, begun), VALUE),
    ("null", "cuMemcpyAsync", lambda a, begun: (0, word(a), 8, begun), VALUE),
    ("nowhere", "cuMemcpyDtoDAsync", lambda a, begun: (word(a), 8, 8, begun), VALUE),
    ("null", "cuMemcpy2DAsync", lambda _a, begun: (None, begun), VALUE),
    ("null", "cuMemcpy3DAsync", lambda _a, begun: (None, begun), VALUE),
    ("none", "cuMemcpyBatchAsync", lambda a, begun: _copies(a, begun, 0), VALUE),
    ("null", "cuMemcpyBatchAsync", lambda _a, begun: (None, None, None, 1, None, None, 1, begun), VALUE),
    ("a stream", "cuMemcpyBatchAsync", _copies, UNSUPPORTED),
    (
        "a place",
        "cuMemPrefetchAsync",
        lambda a, _: (a.ok.cuMemAllocManaged(ROOM, 1), 64, (1, a.device), 9, stream(a, NON_BLOCKING)),
        VALUE,
    ),
    ("flags", "cuEventRecordWithFlags", lambda a, begun: (a.ok.cuEventCreate(0), begun, 2), VALUE),
    ("flags", "cuStreamWaitEvent", lambda a, begun: (begun, a.ok.cuEventCreate(0), 2), VALUE),
    ("flags", "cuStreamAddCallback", lambda _a, _: (0, 1, 0, 7), VALUE),
    ("null", "cuStreamAddCallback", lambda _a, begun: (begun, 0, 0, 0), VALUE),
    ("without a context", "cuMemsetD8", lambda a, _: (*_popped(a), 8), Result.INVALID_CONTEXT),
    ("without a context", "cuMemsetD8Async", lambda a, _: (*_popped(a), 8, 0), Result.INVALID_CONTEXT),
    ("in it without a context", "cuMemsetD8Async", lambda a, begun: (*_popped(a), 8, begun), Result.SUCCESS),
    ("a reduction", "cuStreamBatchMemOp", lambda a, begun: (begun, 1, ((8, 0, 0, 14, word(a), 1),), 0), VALUE),
    ("null", "cuLaunchKernel", lambda _a, begun: _launches("cuLaunchKernel", 0, begun, 1), HANDLE),
    ("null", "cuLaunchKernelEx", lambda _a, begun: (_extended(begun), 0, 0, 0), HANDLE),
    (
        "null for attributes",
        "cuLaunchKernelEx",
        lambda a, begun: (_without_attributes(begun), function(a), 0, 0),
        VALUE,
    ),
    ("an attribute", "cuLaunchKernelEx", lambda a, begun: (_extended(begun, (99,)), function(a), 0, 0), VALUE),
    ("a domain", "cuLaunchKernelEx", lambda a, begun: (_extended(begun, (10, 9)), function(a), 0, 0), VALUE),
    ("a carve-out", "cuLaunchKernelEx", lambda a, begun: (_extended(begun, (14, 101)), function(a), 0, 0), VALUE),
    (
        "an event with times",
        "cuLaunchKernelEx",
        lambda a, begun: _records(a, begun, a.ok.cuEventCreate(0), 0),
        Result.NOT_SUPPORTED,
    ),
    (
        "an external event with times",
        "cuLaunchKernelEx",
        lambda a, begun: _records(a, begun, a.ok.cuEventCreate(0), 1),
        Result.NOT_SUPPORTED,
    ),
    ("an event's flags", "cuLaunchKernelEx", lambda a, begun: _records(a, begun, a.ok.cuEventCreate(2), 2), VALUE),
    ("no event", "cuLaunchKernelEx", lambda a, begun: _records(a, begun, 0, 1), HANDLE),
    *[
        ("another context's", one, lambda a, begun, one=one: _launches(one, _elsewhere(a), begun, 1), HANDLE)
        for one in LAUNCHES
    ],
    *[("flags", one, lambda a, begun, one=one: _ranges(a, one, 7, begun), VALUE) for one in BATCHES],
    *[
        (f"stream {legacy}", one, lambda a, _, one=one, legacy=legacy: _ranges(a, one, 0, legacy), VALUE)
        for one in BATCHES
        for legacy in (0, LEGACY)
    ],
)
"""Calls that keep the capture valid, mostly because they report an error first."""
FORBIDDEN: tuple[Row, ...] = (
    ("", "cuMemFree_v1", lambda _a, _: (7,), UNSUPPORTED),
    ("", "cuMemAlloc", lambda _a, _: (0,), UNSUPPORTED),
    ("", "cuMemPoolImportFromShareableHandle", lambda _a, _: (-1, 1, 0), UNSUPPORTED),
    ("of nothing", "cuGraphInstantiateWithParams", lambda _a, _: (0, (0, 0, 0, 0)), UNSUPPORTED),
    (
        "no upload",
        "cuGraphInstantiateWithParams",
        lambda a, _: (graph(a), (0, stream(a, NON_BLOCKING), 0, 0)),
        UNSUPPORTED,
    ),
    ("an upload", "cuGraphInstantiateWithParams", lambda a, begun: (graph(a), (UPLOAD, begun, 0, 0)), UNSUPPORTED),
    ("", "cuStreamDestroy", lambda _a, _: (LEGACY,), Result.STREAM_CAPTURE_IMPLICIT),
    ("", "cuStreamCopyAttributes", lambda a, _: (stream(a, NON_BLOCKING), LEGACY), Result.STREAM_CAPTURE_IMPLICIT),
    ("to it", "cuStreamCopyAttributes", lambda _a, begun: (begun, 0), Result.STREAM_CAPTURE_IMPLICIT),
    ("no event", "cuStreamWaitEvent", lambda _a, begun: (begun, 0, 0), HANDLE),
    ("an interprocess event", "cuStreamWaitEvent", lambda a, begun: (begun, a.ok.cuEventCreate(6), 0), UNSUPPORTED),
    ("an ended capture", "cuStreamWaitEvent", lambda a, begun: (begun, ended(a), 0), VALUE),
    *[("no threads", one, lambda a, begun, one=one: _launches(one, function(a), begun, 0), VALUE) for one in LAUNCHES],
    (
        "a cluster",
        "cuLaunchKernelEx",
        lambda a, begun: (_extended(begun, (4, 3, 1, 1), blocks=4), function(a), 0, 0),
        Result.INVALID_CLUSTER_SIZE,
    ),
    (
        "too many blocks",
        "cuLaunchCooperativeKernel",
        lambda a, begun: (function(a), 1 << 20, 1, 1, 32, 1, 1, 0, begun, 0),
        Result.COOPERATIVE_LAUNCH_TOO_LARGE,
    ),
    *[("", one, lambda a, begun, one=one: _ranges(a, one, 0, begun), UNSUPPORTED) for one in BATCHES],
)
"""Calls that invalidate the capture."""


def refuse_calls(asks: Entry, rows: tuple[Row, ...], then: Then) -> None:
    """Add the cases of a capture query after another call was refused.

    Args:
        asks: The entry of the call.
        rows: The other calls.
        then: Checks the answer.
    """
    for what, call, arguments, code in rows:

        @asks.also(f"behind {call} {what}".rstrip(), then=then)
        def refused(
            _w: World,
            i: Invocation,
            call: str = call,
            arguments: Callable[[Process, int], tuple[Any, ...]] = arguments,
            code: Result = code,
        ) -> Invocation:
            a, begun = i.process, stream(i.process)
            given = arguments(a, begun)
            a.ok.cuStreamBeginCapture(begun, GLOBAL)
            assert getattr(a.c, call)(*given)[0] == code
            return i.evolve(hStream=begun)
