"""cuEventSynchronize: wait for an event's work.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.event.fixtures import FLAG, accept_opened, elsewhere, recorded, refuse
from conformance.cases.driver.stream.fixtures import EQUAL, NON_BLOCKING, block, stream, word
from conformance.kit.case import Entry
from conformance.kit.program import INSIDE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuEventSynchronize", hEvent=a.ok.cuEventCreate(0))


entry = Entry("cuEventSynchronize", valid)
refuse(entry)
entry.without("not_initialized")  # to such a process the handle is garbage, which the driver follows
accept_opened(entry)
entry.also("of another context", hEvent=lambda i: elsewhere(i.process)[0])
entry.also("a recorded one", hEvent=lambda i: recorded(i.process))
entry.also("a recorded one that blocks", hEvent=lambda i: recorded(i.process, FLAG["BLOCKING_SYNC"]))


@entry.also("after work")
def work(_w: World, i: Invocation) -> None:
    a = i.process
    a.ok.cuMemsetD8(a.ok.cuMemAlloc(4096), 7, 4096)
    a.ok.cuEventRecord(i.args["hEvent"], 0)


@entry.world("EVENT_IS_GIVEN", "before cuInit")
def uninitialized(w: World, _i: Invocation) -> Invocation:
    return w.process(init=False).call("cuEventSynchronize", hEvent=0)


@entry.also("from a thread without a context")
def other_thread(w: World, i: Invocation) -> Invocation:
    return i.on_thread(w.thread_name())


@entry.also("what it waits for comes")
def comes(_w: World, i: Invocation) -> None:
    a, event = i.process, i.args["hEvent"]
    gate, blocked, opener = word(a), stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    a.ok.cuStreamWaitValue32(blocked, gate, 1, EQUAL)
    a.ok.cuEventRecord(event, blocked)
    assert a.c.cuEventQuery(event) == (Result.NOT_READY,)
    a.ok.cuStreamWriteValue32(opener, gate, 1, 0)
    a.ok.cuEventSynchronize(event)
    a.ok.cuEventQuery(event)


@entry.also("another stream waits")
def another_waits(w: World, i: Invocation) -> None:
    a, event = i.process, i.args["hEvent"]
    block(w, a, stream(a, NON_BLOCKING))
    a.ok.cuEventRecord(event, stream(a))


@entry.also("inside of a function of the host")
def inside(_w: World, i: Invocation) -> Invocation:
    return i.on_thread(INSIDE)


test_event_synchronize = entry.test()
