"""cuCtxWaitEvent: have a context's later work wait for an event.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE
from conformance.cases.driver.context.test_ctx_record_event import dead
from conformance.cases.driver.event.fixtures import FLAG, accept_opened, elsewhere, recorded, refuse
from conformance.cases.driver.stream import fixtures as streams
from conformance.cases.driver.stream.captured_calls import ended
from conformance.cases.driver.stream.fixtures import LEGACY, NON_BLOCKING, block, stream, word
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuCtxWaitEvent", hCtx=a.context, hEvent=a.ok.cuEventCreate(0))


def goes_on(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    i.process.ok.cuCtxSynchronize()


entry = Entry("cuCtxWaitEvent", valid, goes_on)
refuse(entry)
accept_opened(entry)
entry.breaks("CONTEXT_IS_GIVEN", hCtx=0)
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, hCtx=GARBAGE)
entry.breaks("CONTEXT_IS_LIVE", hCtx=lambda i: dead(i.process))
entry.undefined(
    "INTERPROCESS_EVENT_IS_THE_CONTEXT_S",
    code=Result.INVALID_HANDLE,
    hEvent=lambda i: elsewhere(i.process, FLAG["INTERPROCESS"] | FLAG["DISABLE_TIMING"])[0],
)
entry.also("a recorded one", then=goes_on, hEvent=lambda i: recorded(i.process))
entry.also("an event of another context", then=goes_on, hEvent=lambda i: elsewhere(i.process)[0])
entry.also("the context is not current", hCtx=lambda i: elsewhere(i.process)[1])


@entry.also("an event of another device", then=goes_on)
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(hEvent=elsewhere(i.process, device=1)[0])


@entry.also("the current context is destroyed")
def current_is_destroyed(w: World, i: Invocation) -> None:
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    i.process.thread(w.thread_name()).ok.cuCtxDestroy(context)


@entry.also("an event of a capture that has ended", code=Result.INVALID_VALUE)
def of_a_capture(_w: World, i: Invocation) -> Invocation:
    given = i.evolve(hEvent=ended(i.process))
    assert i.run() == (0,)
    return given


def pending(w: World, i: Invocation) -> Callable[[], None]:
    """Record the event in a waiting stream; return a function that releases it."""
    blocked = stream(i.process, NON_BLOCKING)
    unblock = block(w, i.process, blocked, streams.elsewhere(i.process)[0])
    i.process.ok.cuEventRecord(i.args["hEvent"], blocked)
    return unblock


def later_work_waits(w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that later work in each stream of the context waits for the event."""
    a, ((_, unblock),) = i.process, w.last
    place = a.ok.cuMemAlloc(4)
    working = stream(a, NON_BLOCKING)
    a.ok.cuStreamWriteValue32(working, place, 7, 0)
    for later in (working, LEGACY):
        event = a.ok.cuEventCreate(0)
        a.ok.cuEventRecord(event, later)
        assert a.c.cuEventQuery(event) == (Result.NOT_READY,)
    unblock()
    assert content(a, place) == bytes([7, 0, 0, 0])


@entry.also("the event waits, then so does later work", then=later_work_waits)
def waits(w: World, i: Invocation) -> None:
    pending(w, i)


@entry.also("earlier work does not wait")
def earlier(w: World, i: Invocation) -> None:
    a, place, working = i.process, word(i.process), stream(i.process, NON_BLOCKING)
    pending(w, i)
    a.ok.cuStreamWriteValue32(working, place, 7, 0)
    a.ok.cuStreamSynchronize(working)


def other_goes_on(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that work of another context does not wait."""
    i.process.ok.cuCtxCreate(None, 0, 0)
    working = stream(i.process, NON_BLOCKING)
    i.process.ok.cuStreamWriteValue32(working, word(i.process), 7, 0)
    i.process.ok.cuStreamSynchronize(working)
    i.process.ok.cuCtxPopCurrent()


@entry.also("the event waits, and another context does not", then=other_goes_on)
def waits_alone(w: World, i: Invocation) -> None:
    pending(w, i)


test_ctx_wait_event = entry.test()
