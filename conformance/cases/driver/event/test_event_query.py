"""cuEventQuery: whether an event's work is complete.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EVENT.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.event.fixtures import FLAG, accept_opened, elsewhere, exported, recorded, refuse
from conformance.cases.driver.stream.fixtures import LEGACY, NON_BLOCKING, PER_THREAD, block, stream
from conformance.kit.case import Entry
from conformance.kit.program import INSIDE

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.world import Invocation, Process, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuEventQuery", hEvent=a.ok.cuEventCreate(0))


entry = Entry("cuEventQuery", valid)
refuse(entry)
entry.without("not_initialized")  # to such a process the handle is garbage, which the driver follows
accept_opened(entry)
entry.also("a recorded one", hEvent=lambda i: recorded(i.process, FLAG["BLOCKING_SYNC"]))
entry.also("of another context", hEvent=lambda i: elsewhere(i.process)[0])


@entry.also("after work")
def work(_w: World, i: Invocation) -> None:
    a = i.process
    a.ok.cuMemsetD8(a.ok.cuMemAlloc(4096), 7, 4096)
    a.ok.cuEventRecord(i.args["hEvent"], 0)
    a.ok.cuEventSynchronize(i.args["hEvent"])


@entry.world("EVENT_IS_GIVEN", "before cuInit")
def uninitialized(w: World, _i: Invocation) -> Invocation:
    return w.process(init=False).call("cuEventQuery", hEvent=0)


@entry.also("from a thread without a context")
def other_thread(w: World, i: Invocation) -> Invocation:
    return i.on_thread(w.thread_name())


for name, made in {
    "legacy": lambda _: LEGACY,
    "per thread": lambda _: PER_THREAD,
    "created": stream,
    "non-blocking": lambda a: stream(a, NON_BLOCKING),
}.items():

    @entry.world("WORK_IS_DONE", name)
    def waits(w: World, i: Invocation, made: Callable[[Process], int] = made) -> None:
        blocked = made(i.process)
        block(w, i.process, blocked)
        i.process.ok.cuEventRecord(i.args["hEvent"], blocked)


@entry.world("WORK_IS_DONE", "of the default stream, which waits for another")
def waits_for_another(w: World, i: Invocation) -> None:
    block(w, i.process, stream(i.process))
    i.process.ok.cuEventRecord(i.args["hEvent"], LEGACY)


@entry.world("WORK_IS_DONE", "of a stream that waits for the default one")
def waits_for_the_default(w: World, i: Invocation) -> None:
    other = stream(i.process)
    block(w, i.process, LEGACY)
    i.process.ok.cuEventRecord(i.args["hEvent"], other)


@entry.world("WORK_IS_DONE", "of another process")
def another_process_waits(w: World, i: Invocation) -> Invocation:
    b = w.process()
    event, handle = exported(b)
    blocked = stream(b, NON_BLOCKING)
    block(w, b, blocked)
    b.ok.cuEventRecord(event, blocked)
    return i.evolve(hEvent=i.process.ok.cuIpcOpenEventHandle(handle))


@entry.also("its work came to be done")
def unblocked(w: World, i: Invocation) -> None:
    blocked = stream(i.process, NON_BLOCKING)
    unblock = block(w, i.process, blocked)
    i.process.ok.cuEventRecord(i.args["hEvent"], blocked)
    unblock()
    i.process.ok.cuEventSynchronize(i.args["hEvent"])


@entry.also("a stream that does not block on its own waits")
def independent(w: World, i: Invocation) -> None:
    block(w, i.process, stream(i.process, NON_BLOCKING))
    i.process.ok.cuEventRecord(i.args["hEvent"], LEGACY)
    i.process.ok.cuEventSynchronize(i.args["hEvent"])


@entry.also("inside of a function of the host")
def inside(_w: World, i: Invocation) -> Invocation:
    return i.on_thread(INSIDE)


test_event_query = entry.test()
