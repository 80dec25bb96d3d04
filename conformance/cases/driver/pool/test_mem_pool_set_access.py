"""cuMemPoolSetAccess: set which devices can access the memory of a pool.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.pool.fixtures import (
    HOST,
    HOST_NUMA,
    HOST_NUMA_CURRENT,
    MANAGED,
    NONE,
    imported,
    memory,
    pool,
    refuse,
)
from conformance.cases.driver.va.fixtures import READ, content, on_model
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, PINNED, READ_WRITE, access
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemPoolSetAccess", pool=pool(a), map=(access(),), count=1)


def granted(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that each location has its new access."""
    for where, flags in i.args["map"]:
        assert i.process.ok.cuMemPoolGetAccess(i.args["pool"], where) == flags


entry = Entry("cuMemPoolSetAccess", valid, granted)
refuse(entry)
entry.breaks("DESCRIPTIONS_ARE_GIVEN", map=None)
entry.breaks("DESCRIPTIONS_ARE_GIVEN", "and none", map=None, count=0)
for flags in (2, 4, 0xFFFF):
    entry.breaks("FLAGS_ARE_KNOWN", f"flags {flags}", map=(access(flags=flags),))
for where in (NONE, HOST, HOST_NUMA, HOST_NUMA_CURRENT, 5, 99):
    entry.breaks("LOCATION_SUITS_THE_POOL", f"location type {where}", map=(((where, 0), READ_WRITE),))
for kind, home in ((PINNED, HOST), (PINNED, HOST_NUMA), (MANAGED, NONE), (MANAGED, DEVICE)):
    for where in (NONE, HOST_NUMA_CURRENT, 99):
        entry.breaks(
            "LOCATION_IS_KNOWN",
            f"type {kind} of location type {home}, location type {where}",
            pool=lambda i, kind=kind, home=home: pool(i.process, kind=kind, location=(home, 0)),
            map=(((where, 0), READ_WRITE),),
        )
entry.breaks("DEVICE_IS_THERE", map=(access(99),))
entry.breaks("DEVICE_IS_THERE", "negative device", map=(access(-1),))
entry.breaks("OWNER_KEEPS_ACCESS", "flags 0", map=(access(flags=0),))
entry.breaks("ACCESS_IS_WHOLE", map=(access(flags=READ),))
entry.breaks("ACCESS_IS_WHOLE", "of no device", map=(access(99, READ),))
entry.breaks("ACCESS_IS_WHOLE", "of no location", map=(((NONE, 0), READ),))


for home, where in ((HOST, HOST), (HOST, HOST_NUMA), (HOST_NUMA, HOST), (HOST_NUMA, HOST_NUMA)):

    @entry.world("HOST_KEEPS_ACCESS", f"location type {where} of {home}")
    def of_the_host(_: World, i: Invocation, home: int = home, where: int = where) -> Invocation:
        return i.evolve(pool=pool(i.process, location=(home, 0)), map=(((where, 0), 0),))


@entry.world("DEVICE_IS_THERE", "managed")
def no_device(_: World, i: Invocation) -> Invocation:
    return i.evolve(pool=pool(i.process, kind=MANAGED), map=(access(99),))


@entry.also("a managed pool", then=granted)
def managed(_: World, i: Invocation) -> Invocation:
    a, made = i.process, pool(i.process, kind=MANAGED)
    for where in ((DEVICE, 0), (HOST, 0), (HOST_NUMA, 0)):
        for flags in (READ_WRITE, 0):
            a.ok.cuMemPoolSetAccess(made, ((where, flags),), 1)
            assert a.ok.cuMemPoolGetAccess(made, where) == flags
    return i.evolve(pool=made)


entry.also("none of those that are given", map=(access(99),), count=0)


@entry.world("DEVICE_IS_THERE", "the second of two", "map", "count")
def second(_: World, i: Invocation) -> Invocation:
    return i.evolve(map=(access(), access(99)), count=2)


entry.also("fewer than there are", map=(access(), access(99)))
entry.also("the default pool", pool=lambda i: i.process.ok.cuDeviceGetDefaultMemPool(0), then=granted)


@entry.also("a pool of the host")
def host(_: World, i: Invocation) -> Invocation:
    made = pool(i.process, location=(HOST, 0))
    assert i.process.ok.cuMemPoolGetAccess(made, (DEVICE, 0)) == 0
    i.process.ok.cuMemPoolSetAccess(made, (((HOST, 0), READ_WRITE),), 1)
    return i.evolve(pool=made)


@entry.also("another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    w.needs(i.process.ok.cuDeviceCanAccessPeer(1, 0), "peer access")
    assert i.process.ok.cuMemPoolGetAccess(i.args["pool"], (DEVICE, 1)) == 0
    return i.evolve(map=(access(1),))


@entry.also("a device loses access again")
def lost(w: World, i: Invocation) -> Invocation:
    a = i.process
    w.needs_devices(2)
    w.needs(a.ok.cuDeviceCanAccessPeer(1, 0), "peer access")
    for flags in (READ_WRITE, 0):
        a.ok.cuMemPoolSetAccess(i.args["pool"], (access(1, flags),), 1)
        a.c.cuMemPoolGetAccess(i.args["pool"], (DEVICE, 1))
    return i


@entry.also("memory that was given out already")
def given_out(w: World, i: Invocation) -> Invocation:
    a = i.process
    w.needs_devices(2)
    w.needs(a.ok.cuDeviceCanAccessPeer(1, 0), "peer access")
    ptr = memory(a, i.args["pool"])
    a.ok.cuMemsetD8(ptr, 6, 16)
    a.ok.cuCtxSynchronize()
    a.ok.cuCtxCreate(None, 0, 1)
    assert a.c.cuMemsetD8(ptr, 1, 16) == (Result.INVALID_VALUE,)
    assert a.c.cuMemcpyDtoH(bytearray(4), ptr, 4) == (Result.INVALID_VALUE,)
    a.ok.cuMemPoolSetAccess(i.args["pool"], (access(1),), 1)
    assert content(a, ptr) == b"\6" * 4
    a.ok.cuMemsetD8(ptr, 1, 16)
    a.ok.cuCtxPopCurrent()
    return i


@entry.also("an imported pool")
def import_(w: World, i: Invocation) -> Invocation:
    return i.evolve(pool=imported(i.process, w.process())[0])


test_mem_pool_set_access = entry.test()


def another_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(map=(access(1),))


def test_device_is_reachable() -> None:
    on_model(entry, "DEVICE_IS_REACHABLE", Result.INVALID_DEVICE, another_device, peers={})
