"""cuDevicePrimaryCtxReset: destroy a device's primary context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process(context=False)
    a.c.cuCtxSetCurrent(a.c.cuDevicePrimaryCtxRetain(0)[1])
    return a.call("cuDevicePrimaryCtxReset", dev=0)


entry = Entry("cuDevicePrimaryCtxReset", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)


@entry.also("an inactive one")
def inactive(_w: World, i: Invocation) -> None:
    i.process.c.cuDevicePrimaryCtxRelease(0)


@entry.also("never active")
def never_active(w: World, i: Invocation) -> Invocation:
    return w.process(context=False).call(i.call, **i.args)


@entry.also("the flags that an inactive one was given are gone")
def flags(_w: World, i: Invocation) -> None:
    c = i.process.c
    c.cuDevicePrimaryCtxRelease(0)
    c.cuDevicePrimaryCtxSetFlags(0, 4)
    c.cuDevicePrimaryCtxReset(0)
    assert c.cuDevicePrimaryCtxGetState(0) == (Result.SUCCESS, 0, 0)


@entry.also("allocations and state are gone, current it stays")
def destroyed(_w: World, i: Invocation) -> None:
    c = i.process.c
    _, context = c.cuCtxGetCurrent()
    _, pointer = c.cuMemAlloc(4096)
    c.cuDevicePrimaryCtxSetFlags(0, 4)
    c.cuDevicePrimaryCtxReset(0)
    assert c.cuDevicePrimaryCtxGetState(0) == (Result.SUCCESS, 0, 0)
    assert c.cuCtxGetCurrent() == (Result.SUCCESS, context)
    assert c.cuMemFree(pointer) == (Result.CONTEXT_IS_DESTROYED,)


@entry.also("it does not release")
def references_stay(_w: World, i: Invocation) -> None:
    c = i.process.c
    c.cuDevicePrimaryCtxReset(0)
    assert c.cuDevicePrimaryCtxRelease(0) == (Result.SUCCESS,)
    assert c.cuDevicePrimaryCtxRelease(0) == (Result.INVALID_CONTEXT,)


@entry.also("retained again, it counts on")
def count(_w: World, i: Invocation) -> None:
    c = i.process.c
    c.cuDevicePrimaryCtxReset(0)
    c.cuDevicePrimaryCtxRetain(0)
    c.cuDevicePrimaryCtxRelease(0)
    assert c.cuDevicePrimaryCtxGetState(0) == (Result.SUCCESS, 0, 1)


test_device_primary_ctx_reset = entry.test()
