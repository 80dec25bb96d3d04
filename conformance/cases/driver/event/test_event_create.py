"""cuEventCreate: create an event in the current context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.event.fixtures import FLAG, SHARED, UNTIMED, exported
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

BLOCKING = FLAG["BLOCKING_SYNC"]


def valid(w: World) -> Invocation:
    return w.process().call("cuEventCreate", Flags=FLAG["DEFAULT"])


def no_work(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that a new event is complete before its first record."""
    (event,) = results
    i.process.ok.cuEventQuery(event)
    i.process.ok.cuEventSynchronize(event)


entry = Entry("cuEventCreate", valid, no_work)
entry.null("phEvent", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_KNOWN", Flags=8)
entry.breaks("FLAGS_ARE_KNOWN", "16", Flags=16)
entry.breaks("FLAGS_ARE_KNOWN", "highest bit", Flags=1 << 31)
entry.breaks("INTERPROCESS_IS_UNTIMED", Flags=FLAG["INTERPROCESS"])
entry.breaks("INTERPROCESS_IS_UNTIMED", "that blocks", Flags=FLAG["INTERPROCESS"] | BLOCKING)


def recorded_and_destroyed(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    (event,) = results
    i.process.ok.cuEventRecord(event, 0)
    i.process.ok.cuEventSynchronize(event)
    i.process.ok.cuEventDestroy(event)


for name, flags in {
    "blocking": BLOCKING,
    "untimed": UNTIMED,
    "blocking and untimed": BLOCKING | UNTIMED,
    "interprocess": SHARED,
    "interprocess that blocks": SHARED | BLOCKING,
}.items():
    entry.also(name, then=recorded_and_destroyed, Flags=flags)


@entry.also("each has a handle of its own")
def many(_w: World, i: Invocation) -> None:
    assert len({i.process.ok.cuEventCreate(0) for _ in range(3)}) == 3


@entry.also("an interprocess event is the exporter's own")
def exporter(_w: World, i: Invocation) -> None:
    event, _ = exported(i.process)
    i.process.ok.cuEventRecord(event, 0)


test_event_create = entry.test()
