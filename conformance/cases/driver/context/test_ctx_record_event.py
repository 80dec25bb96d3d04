"""cuCtxRecordEvent: record the work of a context in an event.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE
from conformance.cases.driver.event.fixtures import accept_opened, elsewhere, recorded, refuse
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuCtxRecordEvent", hCtx=a.context, hEvent=a.ok.cuEventCreate(0))


def waited(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the event can be waited for and has a time."""
    a, event = i.process, i.args["hEvent"]
    a.ok.cuEventSynchronize(event)
    a.ok.cuEventQuery(event)
    assert a.ok.cuEventElapsedTime(event, event) == 0


def dead(a: Process) -> int:
    """Return a destroyed context."""
    context: int = a.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuCtxDestroy(context)
    return context


entry = Entry("cuCtxRecordEvent", valid, waited)
refuse(entry)
accept_opened(entry)
entry.breaks("CONTEXT_IS_GIVEN", hCtx=0)
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, hCtx=GARBAGE)
entry.breaks("CONTEXT_IS_LIVE", hCtx=lambda i: dead(i.process))
entry.breaks("EVENT_IS_THE_CONTEXT_S", hEvent=lambda i: elsewhere(i.process)[0])
entry.breaks("EVENT_IS_THE_CONTEXT_S", "another context", hCtx=lambda i: elsewhere(i.process)[1])


@entry.world("EVENT_IS_THE_CONTEXT_S", "of another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(hEvent=elsewhere(i.process, device=1)[0])


@entry.also("the context is not current", then=waited)
def not_current(_w: World, i: Invocation) -> Invocation:
    event, context = elsewhere(i.process)
    return i.evolve(hCtx=context, hEvent=event)


@entry.also("last recorded in a capture that has ended", then=waited)
def captured_before(_w: World, i: Invocation) -> None:
    a, event = i.process, i.args["hEvent"]
    begun = stream(a, NON_BLOCKING)
    a.ok.cuStreamBeginCapture(begun, 0)
    a.ok.cuEventRecord(event, begun)
    a.ok.cuStreamEndCapture(begun)


@entry.also("the current context is destroyed")
def current_is_destroyed(w: World, i: Invocation) -> None:
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    i.process.thread(w.thread_name()).ok.cuCtxDestroy(context)


@entry.after("later work leaves it alone")
def left_alone(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    a, event = i.process, i.args["hEvent"]
    a.ok.cuEventSynchronize(event)
    other = recorded(a)
    before = a.ok.cuEventElapsedTime(event, other)
    a.ok.cuMemsetD8(a.ok.cuMemAlloc(4096), 7, 4096)
    a.ok.cuCtxSynchronize()
    assert a.ok.cuEventElapsedTime(event, other) == before


def not_ready(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the event is not ready while the context has work."""
    assert i.process.c.cuEventQuery(i.args["hEvent"]) == (Result.NOT_READY,)


for kind, flags in {"blocks on the default one": 0, "does not": NON_BLOCKING}.items():

    @entry.also(f"a stream of the context waits, one that {kind}", then=not_ready)
    def waits(w: World, i: Invocation, flags: int = flags) -> None:
        first = stream(i.process, flags)
        stream(i.process, flags)
        block(w, i.process, first)


@entry.after("work that comes later is not captured")
def later_work(w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    i.process.ok.cuEventSynchronize(i.args["hEvent"])
    block(w, i.process, stream(i.process))
    i.process.ok.cuEventQuery(i.args["hEvent"])


@entry.also("a stream of another context waits", then=waited)
def another_waits(w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)
    block(w, i.process, stream(i.process, NON_BLOCKING))
    i.process.ok.cuCtxPopCurrent()


test_ctx_record_event = entry.test()
