"""cuMemPoolGetAccess: whether a device can access the memory of a pool.

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
    pool,
    refuse,
)
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, READ_WRITE

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuMemPoolGetAccess", memPool=pool(a), location=(DEVICE, 0))


def all_of_it(_: World, __: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the location can read and write."""
    assert results == (READ_WRITE,)


def nothing(_: World, __: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the location has no access."""
    assert results == (0,)


entry = Entry("cuMemPoolGetAccess", valid, all_of_it)
refuse(entry, "memPool")
entry.null("flags", "RESULT_IS_GIVEN")
entry.breaks("LOCATION_IS_GIVEN", location=None)
entry.breaks("LOCATION_IS_KNOWN", location=(DEVICE, 99))
entry.breaks("LOCATION_IS_KNOWN", "negative device", location=(DEVICE, -1))
for where in (NONE, HOST_NUMA_CURRENT, 5, 99):
    entry.breaks("LOCATION_IS_KNOWN", f"location type {where}", location=(where, 0))
entry.also("the host", location=(HOST, 0), then=nothing)
entry.also("a node of the host", location=(HOST_NUMA, 0), then=nothing)
entry.also("the default pool", memPool=lambda i: i.process.ok.cuDeviceGetDefaultMemPool(0), then=all_of_it)


@entry.also("another device", then=nothing)
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(location=(DEVICE, 1))


entry.also(
    "the host of its pool", then=all_of_it, memPool=lambda i: pool(i.process, location=(HOST, 0)), location=(HOST, 0)
)


entry.also("a device of the host's pool", then=nothing, memPool=lambda i: pool(i.process, location=(HOST, 0)))


entry.also("managed", then=nothing, memPool=lambda i: pool(i.process, kind=MANAGED))


@entry.also("an imported pool", then=all_of_it)
def import_(w: World, i: Invocation) -> Invocation:
    return i.evolve(memPool=imported(i.process, w.process())[0])


test_mem_pool_get_access = entry.test()
