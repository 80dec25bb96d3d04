"""cuStreamWaitEvent: have a stream's later work wait for an event.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.event import fixtures as events
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, accept, block, refuse, stream, word
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuStreamWaitEvent", hStream=0, hEvent=a.ok.cuEventCreate(0), Flags=0)


entry = Entry("cuStreamWaitEvent", valid)
refuse(entry)
accept(entry)
events.refuse(entry)
events.accept_opened(entry)
entry.breaks("FLAGS_ARE_KNOWN", Flags=2)
entry.breaks("FLAGS_ARE_KNOWN", "highest bit", Flags=1 << 31)
entry.breaks("STREAM_IS_CAPTURING", Flags=1)
entry.also("an event of another context", hEvent=lambda i: events.elsewhere(i.process)[0])
entry.also("a recorded event", hEvent=lambda i: events.recorded(i.process))


@entry.world("EVENT_IS_OF_THE_CONTEXT", "", "hEvent")
def shared_elsewhere(_: World, i: Invocation) -> Invocation:
    shared = i.process.ok.cuEventCreate(6)
    i.process.ok.cuCtxCreate(None, 0, 0)
    return i.evolve(hEvent=shared)


@entry.undefined("EVENT_IS_OF_THE_CONTEXT", "of another device", "hEvent", code=Result.INVALID_HANDLE)
def shared_on_another_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    shared = i.process.ok.cuEventCreate(6)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(hEvent=shared)


@entry.also("an event of another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(hEvent=events.elsewhere(i.process, device=1)[0])


@entry.also("work after it comes after what the event captured")
def ordered(w: World, i: Invocation) -> None:
    a = i.process
    first, second, place = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING), word(a)
    event = a.ok.cuEventCreate(0)
    unblock = block(w, a, first)
    a.ok.cuStreamWriteValue32(first, place, 1, 0)
    a.ok.cuEventRecord(event, first)
    a.ok.cuStreamWaitEvent(second, event, 0)
    a.ok.cuStreamWriteValue32(second, place, 2, 0)
    assert a.c.cuStreamQuery(second) == (Result.NOT_READY,)
    unblock()
    assert content(a, place) == bytes([2, 0, 0, 0])


@entry.also("a later record changes nothing")
def recorded_again(w: World, i: Invocation) -> None:
    a = i.process
    first, second, blocked = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    event = a.ok.cuEventCreate(0)
    a.ok.cuEventRecord(event, first)
    a.ok.cuStreamWaitEvent(second, event, 0)
    block(w, a, blocked)
    a.ok.cuEventRecord(event, blocked)
    a.ok.cuStreamSynchronize(second)
    assert a.c.cuEventQuery(event) == (Result.NOT_READY,)


@entry.world("FLAGS_ARE_KNOWN", "of no event")
def flags_first(_w: World, i: Invocation) -> Invocation:
    return i.evolve(hEvent=0, Flags=2)


test_stream_wait_event = entry.test()
