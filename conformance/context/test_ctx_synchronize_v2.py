"""cuCtxSynchronize_v2: a context's work is done.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry
from conformance.context.parts import GARBAGE, lose
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxSynchronize_v2", ctx=0)


entry = Entry("cuCtxSynchronize_v2", valid)
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, ctx=GARBAGE)


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


@entry.world("CONTEXT_IS_SOUND")
def lost(w: World, i: Invocation) -> Invocation:
    lose(w, i.process)
    return i.evolve(ctx=i.process.context)


entry.model_only("CONTEXT_IS_SOUND", code=Result.LAUNCH_FAILED)  # a fault of the card, which nobody needs to see twice


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


@entry.also("after work")
def work(_w: World, i: Invocation) -> None:
    i.process.ok.cuMemsetD8(i.process.ok.cuMemAlloc(4096), 7, 4096)


test_ctx_synchronize_v2 = entry.test()
