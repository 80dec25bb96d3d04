"""cuEventRecord: record the work of a stream in an event.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.event.fixtures import UNTIMED, accept_opened, captures, elsewhere, opened, refuse
from conformance.cases.driver.stream import fixtures as streams
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

LEGACY, PER_THREAD = 1, 2
"""CU_STREAM_LEGACY and CU_STREAM_PER_THREAD."""


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuEventRecord", hEvent=a.ok.cuEventCreate(0), hStream=0)


def timed(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the event can be waited for, and that its last record has the time."""
    a, event = i.process, i.args["hEvent"]
    a.ok.cuEventSynchronize(event)
    a.ok.cuEventQuery(event)
    assert a.ok.cuEventElapsedTime(event, event) == 0
    a.ok.cuEventRecord(event, 0)
    a.ok.cuEventSynchronize(event)


entry = Entry("cuEventRecord", valid, timed)
refuse(entry)
accept_opened(entry)
streams.refuse(entry)
entry.breaks("EVENT_IS_THE_STREAM_S", hEvent=lambda i: elsewhere(i.process)[0])
captures(entry)
entry.also("legacy default stream", hStream=LEGACY, then=timed)
entry.also("default stream per thread", hStream=PER_THREAD, then=timed)
entry.also("without timing", hEvent=lambda i: i.process.ok.cuEventCreate(UNTIMED))


@entry.world("EVENT_IS_THE_STREAM_S", "another context is current")
def another_context(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


@entry.world("EVENT_IS_THE_STREAM_S", "of another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(hEvent=elsewhere(i.process, device=1)[0])


@entry.world("EVENT_IS_THE_STREAM_S", "opened in another context")
def opened_in_another_context(w: World, i: Invocation) -> Invocation:
    event, _ = opened(i.process, w.process())
    i.process.ok.cuCtxCreate(None, 0, 0)
    return i.evolve(hEvent=event)


test_event_record = entry.test()
