"""cuDevicePrimaryCtxRelease: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process(context=False)
    a.c.cuDevicePrimaryCtxRetain(0)
    return a.call("cuDevicePrimaryCtxRelease", dev=0)


entry = Entry("cuDevicePrimaryCtxRelease", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)


@entry.world("PRIMARY_IS_RETAINED")
def released(_w: World, i: Invocation) -> None:
    i.process.c.cuDevicePrimaryCtxRelease(0)


@entry.world("PRIMARY_IS_RETAINED")
def never_retained(w: World, _i: Invocation) -> Invocation:
    return w.process(context=False).call("cuDevicePrimaryCtxRelease", dev=0)


@entry.also("references count")
def references(_w: World, i: Invocation) -> Invocation:
    c = i.process.c
    c.cuDevicePrimaryCtxRetain(0)
    c.cuDevicePrimaryCtxRelease(0)
    assert c.cuDevicePrimaryCtxGetState(0) == (Result.SUCCESS, 0, 1)
    return i


@entry.also("the last one resets the context")
def last(_w: World, i: Invocation) -> None:
    c = i.process.c
    c.cuDevicePrimaryCtxSetFlags(0, 4)
    c.cuDevicePrimaryCtxRelease(0)
    assert c.cuDevicePrimaryCtxGetState(0) == (Result.SUCCESS, 0, 0)


@entry.also("it pops in no circumstances")
def stays_current(_w: World, i: Invocation) -> None:
    c = i.process.c
    _, context = c.cuDevicePrimaryCtxRetain(0)
    c.cuCtxSetCurrent(context)
    c.cuDevicePrimaryCtxRelease(0)
    c.cuDevicePrimaryCtxRelease(0)
    assert c.cuCtxGetCurrent() == (Result.SUCCESS, context)
    assert c.cuCtxSynchronize() == (Result.CONTEXT_IS_DESTROYED,)


@entry.also("safe after a reset")
def after_reset(_w: World, i: Invocation) -> None:
    i.process.c.cuDevicePrimaryCtxReset(0)


@entry.also("any thread may")
def other_thread(_w: World, i: Invocation) -> Invocation:
    return i.process.thread("second").call("cuDevicePrimaryCtxRelease", dev=0)


test_device_primary_ctx_release = entry.test()
