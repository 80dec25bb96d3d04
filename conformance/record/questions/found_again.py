"""Questions that differences of drawn programs, and calls that are refused while a stream is captured, left open."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.copy.fixtures import filled
from conformance.cases.driver.execution.launch_config import attribute
from conformance.cases.driver.graph.fixtures import ROOM
from conformance.cases.driver.graph.memory import RELAXED
from conformance.cases.driver.module.fixtures import function
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream
from conformance.cases.driver.va.fixtures import TILE_POOL, prop
from conformance.kit.world import GRANULE, access
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

NO_TIMING = 2
"""CU_EVENT_DISABLE_TIMING."""
EARLY = attribute("PROGRAMMATIC_STREAM_SERIALIZATION", 1)


@question()
def tile_pools(w: World) -> None:
    """Mapped in parts, beyond their end, where nothing is reserved, and used."""
    a = w.process()
    mapped = a.ok.cuMemAlloc(GRANULE)
    for size, offset in (
        (GRANULE, 0),
        (2 * GRANULE, 0),
        (4 * GRANULE, 0),
        (GRANULE, GRANULE),
        (100, 0),
        (GRANULE, 100),
    ):
        for where in ("reserved", "allocated", "unaligned"):
            tiles = a.ok.cuMemCreate(2 * GRANULE, prop(handle_types=0, capabilities=(0, 0, TILE_POOL)), 0)
            start = mapped if where == "allocated" else a.ok.cuMemAddressReserve(4 * GRANULE, 0, 0, 0)
            start += 4096 if where == "unaligned" else 0
            code, *_ = a.c.cuMemMap(start, size, offset, tiles, 0)
            if not code:
                a.c.cuMemSetAccess(start, size, (access(),), 1)
                a.c.cuMemsetD8(start, 1, 16)
                a.c.cuMemGetAllocationPropertiesFromHandle(tiles)
                a.c.cuMemUnmap(start, size)
            a.c.cuMemRelease(tiles)


def launched(a: Process, on: int, *attributes: tuple[int, ...]) -> int:
    """Launch a kernel with attributes; return the code."""
    code: int = a.c.cuLaunchKernelEx((*[1] * 6, 0, on, attributes), function(a), 0, 0)[0]
    return code


@question()
def events_of_launches_in_a_capture(w: World) -> None:
    """Of a launch, of its completion: what waits for them, whether early or not, and which edges that gives."""
    a = w.process()
    place = filled(a, 0, ROOM)
    for name, trigger in (("PROGRAMMATIC_EVENT", 0), ("PROGRAMMATIC_EVENT", 1), ("LAUNCH_COMPLETION_EVENT", None)):
        for waits in ("kernel", "early", "memset", "two", "event", "itself", "nothing"):
            working, other = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
            told = a.ok.cuEventCreate(NO_TIMING)
            a.ok.cuStreamBeginCapture(working, RELAXED)
            a.ok.cuMemsetD8Async(place, 1, 16, working)
            launched(a, working, attribute(name, told, 0, *(() if trigger is None else (trigger,))))
            if waits != "nothing":
                a.c.cuStreamWaitEvent(other, told, 0)
                a.c.cuStreamGetCaptureInfo(other)
            if waits == "memset":
                a.c.cuMemsetD8Async(place, 1, 16, other)
            elif waits == "itself":
                a.c.cuStreamWaitEvent(working, told, 0)
                launched(a, working)
            elif waits == "event":
                again = a.ok.cuEventCreate(NO_TIMING)
                a.c.cuEventRecord(again, other)
                a.c.cuStreamWaitEvent(working, again, 0)
                launched(a, working, EARLY)
            elif waits != "nothing":
                launched(a, other, *([EARLY] if waits == "early" else []))
            if waits == "two":
                launched(a, other, EARLY)
            if waits != "nothing":
                joins = a.ok.cuEventCreate(NO_TIMING)
                a.c.cuEventRecord(joins, other)
                a.c.cuStreamWaitEvent(working, joins, 0)
            code, of = a.c.cuStreamEndCapture(working)
            a.c.cuEventSynchronize(told)
            if not code:
                a.c.cuGraphGetEdges(of, 4)
                _, made = a.c.cuGraphInstantiate(of, 0)
                a.c.cuGraphLaunch(made, 0)
                a.c.cuStreamSynchronize(0)


@question()
def events_of_launches_that_are_asked_in_a_capture(w: World) -> None:
    """A query of such an event, and a wait for it, with what they leave of the capture."""
    a = w.process()
    for ask in ("cuEventQuery", "cuEventSynchronize", "cuEventRecord", "cuStreamWaitEvent", "cuEventDestroy"):
        working, other = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
        told = a.ok.cuEventCreate(NO_TIMING)
        a.ok.cuStreamBeginCapture(working, RELAXED)
        launched(a, working, attribute("PROGRAMMATIC_EVENT", told, 0, 0))
        args = {"cuEventRecord": (told, other), "cuStreamWaitEvent": (0, told, 0)}.get(ask, (told,))
        getattr(a.c, ask)(*args)
        a.c.cuStreamIsCapturing(working)
        a.c.cuStreamEndCapture(working)


@question()
def events_of_launches_in_a_capture_that_are_refused(w: World) -> None:
    """With timing, of flags, null, destroyed, and of one that the legacy stream has."""
    a = w.process()
    for event in (a.ok.cuEventCreate(0), 0):
        for flags in (0, 1, 2):
            working = stream(a, NON_BLOCKING)
            a.ok.cuStreamBeginCapture(working, RELAXED)
            launched(a, working, attribute("PROGRAMMATIC_EVENT", event, flags, 0))
            a.c.cuStreamIsCapturing(working)
            a.c.cuStreamEndCapture(working)
