"""Events of HIP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.both import both
from conformance.cases.hip.fixtures import (
    INTERPROCESS,
    UNTIMED,
    elsewhere,
    ended,
    entries,
    event,
    memory,
    new,
    stream,
    waiting,
)
from conformance.kit.case import suite

if TYPE_CHECKING:
    from conformance.cases.hip.both import Calls
    from conformance.kit.world import Invocation, World


def unfinished(w: World, i: Invocation) -> Invocation:
    """Query an event that is recorded after waiting work."""
    a, working = i.process, stream(i.process)
    waiting(w)
    a.ok.hipMemsetAsync(memory(a), 0, 4096, working)
    last = a.ok.hipEventCreateWithFlags(0)
    a.ok.hipEventRecord(last, working)
    return i.evolve(**{list(i.args)[-1]: last})


every = entries(
    {
        "hipEventCreate": None,
        "hipEventCreateWithFlags": lambda _: (UNTIMED,),
        **{f"hipEvent{does}": lambda a: (event(a),) for does in ("Destroy", "Query", "Synchronize")},
        "hipEventElapsedTime": lambda a: (event(a), event(a)),
        "hipEventRecord": lambda a: (event(a), stream(a)),
        "hipEventRecordWithFlags": lambda a: (event(a), stream(a), 0),
    }
)
WRONG = {"unknown": 1 << 20, "shared and timed": INTERPROCESS, "two of which": 0xC0000000, "of all kinds": 0xC0000007}
for label, flags in WRONG.items():
    every["hipEventCreateWithFlags"].breaks("FLAGS_MAKE_SENSE", label, flags=flags)
every["hipEventDestroy"].breaks("EVENT_IS_LIVE", event=new(ended))
every["hipEventRecordWithFlags"].breaks("FLAGS_ARE_KNOWN", flags=2)
for call in ("hipEventRecord", "hipEventRecord_spt", "hipEventRecordWithFlags"):
    every[call].breaks("DEVICES_ARE_ONE", stream=new(elsewhere, stream))
    every[call].breaks("DEVICES_ARE_ONE", "the event's", event=new(elsewhere, event))

elapsed = every["hipEventElapsedTime"]
elapsed.breaks("DEVICES_ARE_ONE", stop=new(elsewhere, event))
elapsed.breaks("EVENTS_ARE_TIMED", start=new(event, UNTIMED))
elapsed.breaks("EVENTS_ARE_TIMED", "both", start=new(event, UNTIMED), stop=new(event, UNTIMED))
elapsed.breaks("EVENT_IS_GIVEN", "the first", start=0)
elapsed.breaks("EVENT_IS_GIVEN", "the second", stop=0)
for call in ("hipEventElapsedTime", "hipEventQuery"):
    every[call].also("work is not done", rule="WORK_IS_DONE")(unfinished)


@both("EventElapsedTime", "is not negative")
def time_passes(c: Calls, _found: float) -> None:
    start, stop = c.EventCreate(), c.EventCreate()
    for made in (start, stop):
        c.EventRecord(made, 0)
    c.EventSynchronize(stop)
    assert c.EventElapsedTime(start, stop) >= 0


@both("EventSynchronize", "of each kind")
def of_each_kind(c: Calls) -> None:
    """Check events of each kind; calls do not wait for an unrecorded event."""
    for flags in (0, 1, UNTIMED, UNTIMED | INTERPROCESS):
        made = c.EventCreateWithFlags(flags)
        c.EventSynchronize(made)
        c.EventRecord(made, 0)
        c.EventSynchronize(made)
        c.EventQuery(made)
        c.EventDestroy(made)


@every["hipEventSynchronize"].after("in threads of each device")
def in_threads(w: World, i: Invocation, _r: tuple[()]) -> None:
    for number in (0, 1, 0, 1):
        c = i.process.thread(w.thread_name()).ok
        c.hipSetDevice(number)
        queue, made = c.hipStreamCreate(), c.hipEventCreate()
        c.hipEventRecord(made, queue)
        c.hipEventSynchronize(made)
        c.hipEventQuery(made)
        c.hipEventDestroy(made)


every["hipEventDestroy"].also("work is not done")(unfinished)

test_event = suite(*every.values())
