"""cuMemGetDefaultMemPool: the default memory pool of a location.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.pool.fixtures import HOST, HOST_NUMA, MANAGED, NONE, check_support, refuse_places
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, PINNED

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuMemGetDefaultMemPool", location=(DEVICE, 0), type=PINNED)


def the_device_s(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the pool is the device's default pool."""
    assert (i.process.ok.cuDeviceGetDefaultMemPool(0),) == results


entry = Entry("cuMemGetDefaultMemPool", valid, the_device_s)
entry.null("pool_out", "RESULT_IS_GIVEN")
refuse_places(entry)
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
    check_support(entry)
