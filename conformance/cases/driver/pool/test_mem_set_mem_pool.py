"""cuMemSetMemPool: set the current memory pool of a location.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.pool.fixtures import (
    HOST,
    HOST_NUMA,
    HOST_NUMA_CURRENT,
    INVISIBLE,
    LOCALITY_DOMAIN,
    MANAGED,
    NONE,
    check_support,
    imported,
    pool,
    refuse,
    refuse_places,
)
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, PINNED

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemSetMemPool", location=(DEVICE, 0), type=PINNED, pool=pool(a))


def current(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the pool is the current pool."""
    assert i.process.ok.cuMemGetMemPool(i.args["location"], i.args["type"]) == i.args["pool"]


entry = Entry("cuMemSetMemPool", valid, current)
refuse(entry)
refuse_places(entry)
for where in (HOST_NUMA_CURRENT, INVISIBLE, LOCALITY_DOMAIN, 99):
    entry.breaks("LOCATION_HAS_A_POOL", f"no type, location type {where}", location=(where, 0), type=0)
entry.breaks("POOL_IS_GIVEN", "where no pool is kept", location=(99, 0), type=0, pool=0)
entry.breaks("POOL_MATCHES", "location", location=(HOST, 0))
entry.breaks("POOL_MATCHES", "type", type=MANAGED)
entry.breaks(
    "POOL_MATCHES",
    "the default pool of a node",
    pool=lambda i: i.process.ok.cuMemGetDefaultMemPool((HOST_NUMA, 0), PINNED),
)
entry.also("the default pool", pool=lambda i: i.process.ok.cuDeviceGetDefaultMemPool(0), then=current)


@entry.world("POOL_ALLOCATES")
def import_(w: World, i: Invocation) -> Invocation:
    return i.evolve(pool=imported(i.process, w.process())[0])


@entry.world("POOL_MATCHES", "another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(location=(DEVICE, 1))


for kind, where in ((PINNED, HOST), (PINNED, HOST_NUMA), (MANAGED, NONE), (MANAGED, DEVICE), (MANAGED, HOST)):

    @entry.also(f"type {kind} with location type {where}", then=current)
    def other_kind(_: World, i: Invocation, kind: int = kind, where: int = where) -> Invocation:
        made = pool(i.process, kind=kind, location=(where, 0))
        return i.evolve(location=(where, 0), type=kind, pool=made)


@entry.after("the device has it too")
def of_the_device(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert i.process.ok.cuDeviceGetMemPool(0) == i.args["pool"]


test_mem_set_mem_pool = entry.test()


def test_pools_are_supported() -> None:
    check_support(entry, 1)  # a handle that nothing looks at
