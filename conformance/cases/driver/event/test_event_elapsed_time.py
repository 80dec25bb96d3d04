"""cuEventElapsedTime: the time between two events.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.event.fixtures import UNTIMED, elsewhere, opened, recorded, refuse
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.kit.case import Entry
from conformance.kit.program import INSIDE

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuEventElapsedTime", hStart=recorded(a), hEnd=recorded(a))


def both_ways(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the sign of the time in both directions, and 0 for one event."""
    start, end = i.args["hStart"], i.args["hEnd"]
    assert results[0] >= 0
    assert i.process.ok.cuEventElapsedTime(end, start) == -results[0]
    assert i.process.ok.cuEventElapsedTime(start, start) == 0


entry = Entry("cuEventElapsedTime", valid, both_ways)
entry.without("not_initialized")  # to such a process the handles are garbage, which the driver follows
entry.null("pMilliseconds", "TIME_IS_GIVEN")


def recorded_elsewhere(a: Process, device: int = 0) -> int:
    """Return a recorded event of another context."""
    event, context = elsewhere(a, device=device)
    a.ok.cuCtxRecordEvent(context, event)
    a.ok.cuEventSynchronize(event)
    return event


for side in ("hStart", "hEnd"):
    refuse(entry, side)
    entry.breaks("EVENT_IS_RECORDED", side, **{side: lambda i: i.process.ok.cuEventCreate(0)})
    entry.breaks("EVENT_IS_TIMED", side, **{side: lambda i: recorded(i.process, UNTIMED)})
    entry.breaks("EVENTS_SHARE_A_CONTEXT", side, **{side: lambda i: recorded_elsewhere(i.process)})

    @entry.world("WORK_IS_DONE", side)
    def waits(w: World, i: Invocation, side: str = side) -> None:
        blocked = stream(i.process, NON_BLOCKING)
        block(w, i.process, blocked)
        i.process.ok.cuEventRecord(i.args[side], blocked)

    @entry.world("WORK_IS_DONE", f"{side} for the first time")
    def first_waits(w: World, i: Invocation, side: str = side) -> Invocation:
        blocked, event = stream(i.process, NON_BLOCKING), i.process.ok.cuEventCreate(0)
        block(w, i.process, blocked)
        i.process.ok.cuEventRecord(event, blocked)
        return i.evolve(**{side: event})


@entry.world("EVENT_IS_RECORDED", "neither")
def neither(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hStart=i.process.ok.cuEventCreate(0), hEnd=i.process.ok.cuEventCreate(0))


@entry.world("EVENTS_SHARE_A_CONTEXT", "of two devices")
def two_devices(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(hEnd=recorded_elsewhere(i.process, device=1))


@entry.world("EVENT_IS_TIMED", "of another process")
def of_another_process(w: World, i: Invocation) -> Invocation:
    """Pass an imported event, which has no time, as with CU_EVENT_DISABLE_TIMING."""
    event, _ = opened(i.process, w.process())
    i.process.ok.cuEventRecord(event, 0)
    i.process.ok.cuEventSynchronize(event)
    return i.evolve(hStart=event, hEnd=event)


@entry.world("EVENT_IS_GIVEN", "before cuInit")
def uninitialized(w: World, _i: Invocation) -> Invocation:
    return w.process(init=False).call("cuEventElapsedTime", hStart=0, hEnd=0)


@entry.also("while another context is current", then=both_ways)
def another_context(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


@entry.also("the last record counts")
def again(_w: World, i: Invocation) -> None:
    a, start, end = i.process, i.args["hStart"], i.args["hEnd"]
    a.ok.cuEventRecord(start, 0)
    a.ok.cuEventSynchronize(start)
    assert a.ok.cuEventElapsedTime(start, end) <= 0


@entry.also("recorded by cuCtxRecordEvent", then=both_ways)
def of_a_context(_w: World, i: Invocation) -> None:
    a = i.process
    a.ok.cuCtxRecordEvent(a.context, i.args["hEnd"])
    a.ok.cuEventSynchronize(i.args["hEnd"])


@entry.also("inside of a function of the host")
def inside(_w: World, i: Invocation) -> Invocation:
    return i.on_thread(INSIDE)


test_event_elapsed_time = entry.test()
