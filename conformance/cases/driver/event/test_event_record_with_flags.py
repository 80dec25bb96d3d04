"""cuEventRecordWithFlags: record the work of a stream in an event.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.event.fixtures import accept_opened, captures, elsewhere, recorded, refuse
from conformance.cases.driver.event.test_event_record import LEGACY, PER_THREAD, timed
from conformance.cases.driver.stream import fixtures as streams
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

EXTERNAL = 1


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuEventRecordWithFlags", hEvent=a.ok.cuEventCreate(0), hStream=0, flags=0)


entry = Entry("cuEventRecordWithFlags", valid, timed)
refuse(entry)
accept_opened(entry)
streams.refuse(entry)
entry.breaks("EVENT_IS_THE_STREAM_S", hEvent=lambda i: elsewhere(i.process)[0])
entry.breaks("FLAGS_ARE_KNOWN", flags=2)
entry.breaks("FLAGS_ARE_KNOWN", "and external", flags=EXTERNAL | 2)
entry.breaks("STREAM_IS_CAPTURING", flags=EXTERNAL)
captures(entry)
entry.also("legacy default stream", hStream=LEGACY, then=timed)
entry.also("default stream per thread", hStream=PER_THREAD, then=timed)


@entry.also("the last record counts")
def again(_w: World, i: Invocation) -> None:
    a, event = i.process, i.args["hEvent"]
    a.ok.cuEventRecordWithFlags(event, 0, 0)
    later = recorded(a)
    a.ok.cuEventRecordWithFlags(event, 0, 0)
    a.ok.cuEventSynchronize(event)
    assert a.ok.cuEventElapsedTime(event, later) <= 0


test_event_record_with_flags = entry.test()
