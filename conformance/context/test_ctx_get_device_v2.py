"""cuCtxGetDevice_v2: the device of a context.

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
    return w.process().call("cuCtxGetDevice_v2", ctx=0)


entry = Entry("cuCtxGetDevice_v2", valid)
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, ctx=GARBAGE)
entry.null("device", "RESULT_IS_GIVEN")


@entry.also("a destroyed context passes")
@entry.undefined("CONTEXT_IS_USABLE", code=Result.SUCCESS)
def destroyed(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    context = i.process.ok.cuCtxCreate(None, 0, 1)
    i.process.ok.cuCtxDestroy(context)
    return i.evolve(ctx=context)


@entry.also("a destroyed context that is current passes")
def current_one(w: World, i: Invocation) -> None:
    i.process.thread(w.thread_name()).ok.cuCtxDestroy(i.process.context)


@entry.also("an inactive primary context passes")
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


test_ctx_get_device_v2 = entry.test()
