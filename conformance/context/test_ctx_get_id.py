"""cuCtxGetId: a number that no other context of the process has.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry
from conformance.context.parts import GARBAGE
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxGetId", ctx=0)


entry = Entry("cuCtxGetId", valid)
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, ctx=GARBAGE)
entry.null("ctxId", "RESULT_IS_GIVEN")


@entry.world("CONTEXT_IS_LIVE")
def destroyed(_w: World, i: Invocation) -> Invocation:
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    i.process.ok.cuCtxDestroy(context)
    return i.evolve(ctx=context)


@entry.world("CONTEXT_IS_LIVE", "inactive primary context")
def inactive_primary(_w: World, i: Invocation) -> Invocation:
    context = i.process.ok.cuDevicePrimaryCtxRetain(0)
    i.process.ok.cuDevicePrimaryCtxRelease(0)
    return i.evolve(ctx=context)


@entry.also("of another context")
def other(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    a = i.process
    context = a.ok.cuCtxCreate(None, 0, 1)
    a.ok.cuCtxPopCurrent()
    return i.evolve(ctx=context)


@entry.also("of a context that is given no other needs to be current")
def none_current(w: World, i: Invocation) -> Invocation:
    return i.evolve(ctx=i.process.context).on_thread(w.thread_name())


@entry.also("of a context that is given the current one may be destroyed")
def current_destroyed(w: World, i: Invocation) -> Invocation:
    a = i.process
    context = a.ok.cuCtxCreate(None, 0, 0)
    a.thread(w.thread_name()).ok.cuCtxDestroy(context)
    return i.evolve(ctx=a.context)


@entry.also("of a primary context")
def primary(_w: World, i: Invocation) -> Invocation:
    return i.evolve(ctx=i.process.ok.cuDevicePrimaryCtxRetain(0))


@entry.also("the current one's, given or not")
def same(_w: World, i: Invocation) -> None:
    assert i.process.ok.cuCtxGetId(0) == i.process.ok.cuCtxGetId(i.process.context)


@entry.also("an id is never given again")
def anew(_w: World, i: Invocation) -> None:
    a, ids = i.process, []
    for _ in range(3):
        context = a.ok.cuCtxCreate(None, 0, 0)
        ids.append(a.ok.cuCtxGetId(context))
        a.ok.cuCtxDestroy(context)
    assert len({*ids, a.ok.cuCtxGetId(0)}) == 4


@entry.also("a primary context that is activated anew has another one")
def activated(_w: World, i: Invocation) -> None:
    a, ids = i.process, []
    for _ in range(2):
        ids.append(a.ok.cuCtxGetId(a.ok.cuDevicePrimaryCtxRetain(0)))
        a.ok.cuDevicePrimaryCtxRelease(0)
    assert ids[0] != ids[1]


test_ctx_get_id = entry.test()
