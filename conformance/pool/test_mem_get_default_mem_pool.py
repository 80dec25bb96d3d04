"""cuMemGetDefaultMemPool: the memory pool that a location has from the beginning.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry
from conformance.context.parts import described, without
from conformance.device.parts import without_pools
from conformance.pool.parts import (
    HOST,
    HOST_NUMA,
    HOST_NUMA_CURRENT,
    INVISIBLE,
    LOCALITY_DOMAIN,
    MANAGED,
    NONE,
)
from conformance.world import DEVICE, PINNED
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.program import Plain
    from conformance.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuMemGetDefaultMemPool", location=(DEVICE, 0), type=PINNED)


def the_device_s(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """It is what the device answers."""
    assert (i.process.ok.cuDeviceGetDefaultMemPool(0),) == results


entry = Entry("cuMemGetDefaultMemPool", valid, the_device_s)
entry.null("pool_out", "RESULT_IS_GIVEN")
for kind in (0, 3, 99):
    entry.breaks("TYPE_IS_KNOWN", f"type {kind}", type=kind)
entry.breaks("LOCATION_IS_GIVEN", location=None)
entry.breaks("LOCATION_IS_KNOWN", f"location type {NONE}", location=(NONE, 0))
for where in (HOST_NUMA_CURRENT, INVISIBLE, LOCALITY_DOMAIN, 99):
    entry.breaks("LOCATION_HAS_A_POOL", f"location type {where}", location=(where, 0))
    entry.breaks("LOCATION_HAS_A_POOL", f"managed, location type {where}", location=(where, 0), type=MANAGED)
entry.breaks("NODE_IS_THERE", location=(HOST_NUMA, 99))
entry.breaks("DEVICE_CAN_HAVE_A_POOL", location=(DEVICE, 99))
entry.breaks("DEVICE_CAN_HAVE_A_POOL", "negative device", location=(DEVICE, -1))
entry.also("the host", location=(HOST, 0))
entry.also("a node of the host", location=(HOST_NUMA, 0))
for where in (NONE, DEVICE, HOST, HOST_NUMA):
    entry.also(f"managed with location type {where}", location=(where, 0), type=MANAGED)


@entry.also("each location and type has one")
def distinct(_: World, i: Invocation) -> None:
    places = [((DEVICE, 0), PINNED), ((HOST, 0), PINNED), ((HOST_NUMA, 0), PINNED), ((NONE, 0), MANAGED)]
    assert len({i.process.ok.cuMemGetDefaultMemPool(*place) for place in places}) == len(places)


@entry.also("the host's id does not count")
def ignored(_: World, i: Invocation) -> Invocation:
    assert i.process.ok.cuMemGetDefaultMemPool((HOST, 5), PINNED) == i.process.ok.cuMemGetDefaultMemPool(
        (HOST, 0), PINNED
    )
    return i


@entry.also("another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    assert i.process.ok.cuDeviceGetDefaultMemPool(1) == i.evolve(location=(DEVICE, 1)).run()[1]
    return i.evolve(location=(DEVICE, 1))


test_mem_get_default_mem_pool = entry.test()


def test_pools_are_supported() -> None:
    with described(without_pools()) as c:
        assert c.cuMemGetDefaultMemPool((DEVICE, 0), PINNED)[0] == Result.NOT_SUPPORTED


def test_devices_share_managed_memory() -> None:
    with described(without("CONCURRENT_MANAGED_ACCESS")) as c:
        assert c.cuMemGetDefaultMemPool((NONE, 0), MANAGED)[0] == Result.NOT_SUPPORTED
