"""cuEventDestroy: destroy an event.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.event.fixtures import elsewhere, exported, exporter_destroyed, opened, recorded, refuse
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.kit.case import Entry
from conformance.kit.program import INSIDE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuEventDestroy", hEvent=a.ok.cuEventCreate(0))


entry = Entry("cuEventDestroy", valid)
refuse(entry)
entry.without("not_initialized")  # to such a process the handle is garbage, which the driver follows
entry.also("a recorded one", hEvent=lambda i: recorded(i.process))
entry.also("of another context", hEvent=lambda i: elsewhere(i.process)[0])


@entry.also("the others live on")
def others(_w: World, i: Invocation) -> None:
    a = i.process
    first, second = recorded(a), recorded(a)
    a.ok.cuEventDestroy(first)
    a.ok.cuEventQuery(second)


@entry.also("an event of another process")
def of_another_process(w: World, i: Invocation) -> Invocation:
    """Pass an imported event; the exporter's event stays usable."""
    a, b = i.process, w.process()
    ours, theirs = opened(a, b)
    a.ok.cuEventDestroy(ours)
    b.ok.cuEventQuery(theirs)
    return i.evolve(hEvent=opened(a, b)[0])


# It must be freed with cuEventDestroy, in whatever order.
entry.also("an opened one whose exporter destroyed it")(exporter_destroyed)


@entry.also("an exported one while it is open")
def while_open(w: World, i: Invocation) -> Invocation:
    event, handle = exported(i.process)
    w.process().ok.cuIpcOpenEventHandle(handle)
    return i.evolve(hEvent=event)


@entry.world("EVENT_IS_GIVEN", "before cuInit")
def uninitialized(w: World, _i: Invocation) -> Invocation:
    return w.process(init=False).call("cuEventDestroy", hEvent=0)


@entry.also("from a thread without a context")
def other_thread(w: World, i: Invocation) -> Invocation:
    return i.on_thread(w.thread_name())


@entry.also("before its work is done")
def pending(w: World, i: Invocation) -> None:
    a, event, blocked = i.process, i.args["hEvent"], stream(i.process, NON_BLOCKING)
    block(w, a, blocked)
    a.ok.cuEventRecord(event, blocked)
    assert a.c.cuEventQuery(event) == (Result.NOT_READY,)


@entry.also("inside of a function of the host")
def inside(_w: World, i: Invocation) -> Invocation:
    return i.on_thread(INSIDE)


test_event_destroy = entry.test()
