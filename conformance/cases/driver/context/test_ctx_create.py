"""cuCtxCreate: create a context and make it current.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

import fakecuda
from conformance.cases.driver.context.fixtures import (
    BLOCKING,
    MAP_HOST,
    SPIN,
    YIELD,
    accept_flags,
    another,
    described,
    flags_of_it,
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
    return w.process().call("cuCtxCreate", ctxCreateParams=None, flags=0, dev=0)


entry = Entry("cuCtxCreate", valid, flags_of_it)
entry.breaks("DEVICE_IS_VALID", dev=99)
entry.breaks("DEVICE_IS_VALID", "negative device", dev=-1)
entry.breaks("FLAGS_ARE_KNOWN", flags=256)
entry.breaks("FLAGS_ARE_KNOWN", "two scheduling flags", flags=SPIN | YIELD)
entry.breaks("AFFINITY_IS_GIVEN", ctxCreateParams=(0, 1, 0))
entry.breaks("AFFINITY_IS_LEFT_OUT", "without MPS", ctxCreateParams=lambda i: (i.process.host_memory(4096), 1, 0))
entry.undefined("GRAPHICS_IS_LEFT_OUT", code=Result.NOT_SUPPORTED, ctxCreateParams=(0, 0, 1))
entry.null("pctx", "RESULT_IS_GIVEN")
entry.also("parameters that ask for nothing", ctxCreateParams=(0, 0, 0))
accept_flags(entry)
entry.also("SCHED_BLOCKING_SYNC", then=flags_of_it, flags=BLOCKING)
entry.also("a scheduling flag and others", then=flags_of_it, flags=BLOCKING | MAP_HOST)


@entry.also("on another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    assert i.process.ok.cuCtxCreate(None, 0, 1)
    assert i.process.ok.cuCtxGetDevice() == 1
    return i


@entry.also("it is current to the calling thread alone")
def current(w: World, i: Invocation) -> None:
    a = i.process
    assert a.ok.cuCtxCreate(None, 0, 0) == a.ok.cuCtxGetCurrent() != a.context
    assert a.thread(w.thread_name()).ok.cuCtxGetCurrent() == 0


@entry.also("popping it restores the context that it supplanted")
def supplanted(_w: World, i: Invocation) -> None:
    a = i.process
    assert a.ok.cuCtxCreate(None, 0, 0) == a.ok.cuCtxPopCurrent()
    assert a.ok.cuCtxGetCurrent() == a.context


@entry.also("it is not the primary context")
def not_primary(_w: World, i: Invocation) -> None:
    a = i.process
    assert a.ok.cuDevicePrimaryCtxGetState(0) == (0, 0)
    assert a.ok.cuDevicePrimaryCtxRetain(0) != a.context


@entry.world("CONTEXTS_ARE_ALIKE")
def beside_cuda_3_1(w: World, i: Invocation) -> Invocation:
    a = w.process(context=False)
    a.ok.cuCtxCreate_v1(0, 0)
    return attrs.evolve(i, process=a)


@entry.world("PROCESS_IS_SOUND")
def spoilt(_w: World, i: Invocation) -> None:
    spoil(i.process)


entry.model_only("PROCESS_IS_SOUND", code=Result.LAUNCH_FAILED)  # a fault of the card, which nobody needs to see twice


test_ctx_create = entry.test()


def test_device_admits_contexts() -> None:
    with described(prohibited()) as c:
        assert c.cuCtxCreate(None, 0, 0) == (Result.UNKNOWN, None)


def test_device_is_available_to_one_process() -> None:
    """In exclusive-process mode, only one process can have a context on a device."""
    machine = fakecuda.Machine("h200-x2")
    machine.set_compute_mode(0, "EXCLUSIVE_PROCESS")
    with ready(machine) as a:
        b = another(machine)
        _, context = a.c.cuCtxCreate(None, 0, 0)
        assert b.c.cuCtxCreate(None, 0, 0) == (Result.DEVICE_UNAVAILABLE, None)
        assert a.c.cuCtxCreate(None, 0, 0) == (Result.DEVICE_UNAVAILABLE, None)
        assert b.c.cuCtxCreate(None, 0, 1)[0] == Result.SUCCESS
        a.c.cuCtxDestroy(context)
        assert b.c.cuCtxCreate(None, 0, 0)[0] == Result.SUCCESS


def test_device_is_available_unless_lost() -> None:
    machine = fakecuda.Machine("h200-x2")
    machine.lose_device(0)
    with ready(machine) as a:
        assert a.c.cuDeviceGetCount() == (Result.SUCCESS, 2)
        assert a.c.cuCtxCreate(None, 0, 0) == (Result.DEVICE_UNAVAILABLE, None)
        assert a.c.cuCtxCreate(None, 0, 1)[0] == Result.SUCCESS


def test_memory_suffices() -> None:
    with described(room_for_one()) as c:
        _, context = c.cuCtxCreate(None, 0, 0)
        assert c.cuCtxCreate(None, 0, 0) == (Result.OUT_OF_MEMORY, None)
        c.cuCtxDestroy(context)
        assert c.cuCtxCreate(None, 0, 0)[0] == Result.SUCCESS
