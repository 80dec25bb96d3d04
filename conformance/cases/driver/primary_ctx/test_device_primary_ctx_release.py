"""cuDevicePrimaryCtxRelease: release a reference to a primary context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import BLOCKING
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


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


@entry.after("the last one resets the context")
def reset(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert i.process.ok.cuDevicePrimaryCtxGetState(0) == (0, 0)


def current_of_it(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Query the current context, and whether it is alive."""
    assert i.process.ok.cuCtxGetCurrent() != 0
    assert i.process.c.cuCtxSynchronize() == (Result.CONTEXT_IS_DESTROYED,)


@entry.also("it pops in no circumstances", then=current_of_it)
def current(_w: World, i: Invocation) -> None:
    a = i.process
    a.ok.cuCtxSetCurrent(a.ok.cuDevicePrimaryCtxRetain(0))
    a.ok.cuDevicePrimaryCtxRelease(0)


def state(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    i.c.cuDevicePrimaryCtxGetState(0)


@entry.also("flags that were set", then=state)
def flags(_w: World, i: Invocation) -> None:
    i.process.ok.cuDevicePrimaryCtxSetFlags(0, BLOCKING)


@entry.also("safe after a reset")
def after_reset(_w: World, i: Invocation) -> None:
    i.process.c.cuDevicePrimaryCtxReset(0)


@entry.also("any thread may")
def other_thread(w: World, i: Invocation) -> Invocation:
    return i.process.thread(w.thread_name()).call("cuDevicePrimaryCtxRelease", dev=0)


test_device_primary_ctx_release = entry.test()
