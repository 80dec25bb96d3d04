"""cuDevicePrimaryCtxRetain: retain a device's primary context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__PRIMARY__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import fakecuda
from conformance.cases.driver.context.fixtures import (
    MAP_HOST,
    another,
    described,
    prohibited,
    ready,
    room_for_one,
    spoil,
)
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuDevicePrimaryCtxRetain", dev=0)


entry = Entry("cuDevicePrimaryCtxRetain", valid)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.null("pctx", "RESULT_IS_GIVEN")


@entry.world("CONTEXTS_ARE_ALIKE")
def beside_cuda_3_1(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate_v1(0, 0)


@entry.also("the same context every time")
def same(_w: World, i: Invocation) -> None:
    c = i.process.c
    assert c.cuDevicePrimaryCtxRetain(0) == c.cuDevicePrimaryCtxRetain(0)


@entry.also("it is active until it is released")
def active(_w: World, i: Invocation) -> None:
    c = i.process.c
    c.cuDevicePrimaryCtxRetain(0)
    assert c.cuDevicePrimaryCtxGetState(0) == (Result.SUCCESS, 0, 1)


@entry.also("it is not pushed onto the stack")
def not_pushed(_w: World, i: Invocation) -> None:
    c = i.process.c
    c.cuDevicePrimaryCtxRetain(0)
    assert c.cuCtxGetCurrent() == (Result.SUCCESS, 0)


@entry.also("it always supports pinned allocations")
def pinned(_w: World, i: Invocation) -> None:
    c = i.process.c
    c.cuCtxPushCurrent(c.cuDevicePrimaryCtxRetain(0)[1])
    assert c.cuCtxGetFlags() == (Result.SUCCESS, MAP_HOST)


@entry.also("after a reset it is the same handle, active again where it is current")
def after_reset(_w: World, i: Invocation) -> None:
    c = i.process.c
    _, context = c.cuDevicePrimaryCtxRetain(0)
    c.cuCtxSetCurrent(context)
    c.cuDevicePrimaryCtxReset(0)
    assert c.cuDevicePrimaryCtxRetain(0) == (Result.SUCCESS, context)
    assert c.cuCtxSynchronize() == (Result.SUCCESS,)


@entry.world("PROCESS_IS_SOUND")
def spoilt(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)
    spoil(i.process)


entry.model_only("PROCESS_IS_SOUND", code=Result.LAUNCH_FAILED)  # a fault of the card, which nobody needs to see twice


test_device_primary_ctx_retain = entry.test()


def test_device_admits_contexts() -> None:
    with described(prohibited()) as c:
        assert c.cuDevicePrimaryCtxRetain(0) == (Result.UNKNOWN, None)


def test_device_is_available() -> None:
    """In exclusive-process mode, only the one context can be retained again."""
    machine = fakecuda.Machine("h200")
    machine.set_compute_mode(0, "EXCLUSIVE_PROCESS")
    with ready(machine) as a:
        b = another(machine)
        assert a.c.cuDevicePrimaryCtxRetain(0)[0] == Result.SUCCESS
        assert a.c.cuDevicePrimaryCtxRetain(0)[0] == Result.SUCCESS
        assert b.c.cuDevicePrimaryCtxRetain(0) == (Result.DEVICE_UNAVAILABLE, None)
        a.kill()
        assert b.c.cuDevicePrimaryCtxRetain(0)[0] == Result.SUCCESS
        machine.lose_device(0)
        assert b.c.cuDevicePrimaryCtxReset(0) == (Result.SUCCESS,)
        assert b.c.cuDevicePrimaryCtxRetain(0) == (Result.DEVICE_UNAVAILABLE, None)


def test_memory_suffices() -> None:
    with described(room_for_one()) as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuDevicePrimaryCtxRetain(0) == (Result.OUT_OF_MEMORY, None)
        c.cuCtxDestroy(c.cuCtxGetCurrent()[1])
        assert c.cuDevicePrimaryCtxRetain(0)[0] == Result.SUCCESS
        assert c.cuDevicePrimaryCtxRetain(0)[0] == Result.SUCCESS
