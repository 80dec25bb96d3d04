"""cuCtxWaitEvent: a context's work waits for an event.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry
from conformance.context.parts import GARBAGE
from conformance.context.test_ctx_record_event import dead
from conformance.event.parts import FLAG, accept_opened, elsewhere, recorded, refuse
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.program import Plain
    from conformance.world import Invocation, World


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


test_ctx_wait_event = entry.test()
