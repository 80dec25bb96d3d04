"""cuDeviceSetMemPool: set the current memory pool of a device.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__DEVICE.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE
from conformance.cases.driver.pool.fixtures import MANAGED, NONE, imported, pool
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, PINNED
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuDeviceSetMemPool", dev=0, pool=a.ok.cuDeviceGetDefaultMemPool(0))


entry = Entry("cuDeviceSetMemPool", valid)
entry.breaks("DEVICE_CAN_HAVE_A_POOL", dev=99)
entry.breaks("DEVICE_CAN_HAVE_A_POOL", "negative device", dev=-1)
entry.breaks("POOL_IS_GIVEN", pool=0)
entry.undefined("POOL_IS_KNOWN", code=Result.INVALID_VALUE, pool=GARBAGE)


@entry.world("POOL_IS_LOCAL", "pool of another device")
def other_pool(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(pool=i.process.ok.cuDeviceGetDefaultMemPool(1))


@entry.world("POOL_IS_LOCAL", "another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(dev=1)


@entry.world("POOL_IS_LOCAL", "managed by no device")
def managed(_: World, i: Invocation) -> Invocation:
    return i.evolve(pool=pool(i.process, kind=MANAGED, location=(NONE, 0)))


@entry.also("a managed pool of the device")
def managed_there(_: World, i: Invocation) -> None:
    a, made = i.process, pool(i.process, kind=MANAGED)
    a.ok.cuDeviceSetMemPool(0, made)
    a.ok.cuMemGetMemPool((DEVICE, 0), MANAGED)
    a.ok.cuMemGetMemPool((DEVICE, 0), PINNED)


@entry.world("POOL_ALLOCATES")
def import_(w: World, i: Invocation) -> Invocation:
    return i.evolve(pool=imported(i.process, w.process())[0])


@entry.also("another device and its pool")
def both(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(dev=1, pool=i.process.ok.cuDeviceGetDefaultMemPool(1))


@entry.after("it is the current pool")
def current(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert i.process.ok.cuDeviceGetMemPool(0) == i.args["pool"]


test_device_set_mem_pool = entry.test()
