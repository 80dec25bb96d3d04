"""cuMemGetMemPool: the memory pool that a location allocates from.

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
    pool,
)
from conformance.world import DEVICE, PINNED
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.program import Plain
    from conformance.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuMemGetMemPool", location=(DEVICE, 0), type=PINNED)


def default(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """It is the default pool."""
    assert (i.process.ok.cuMemGetDefaultMemPool(i.args["location"], i.args["type"]),) == results


entry = Entry("cuMemGetMemPool", valid, default)
entry.null("pool", "RESULT_IS_GIVEN")
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
entry.also("the host", location=(HOST, 0), then=default)
entry.also("a node of the host", location=(HOST_NUMA, 0), then=default)
for where in (NONE, DEVICE, HOST, HOST_NUMA):
    entry.also(f"managed with location type {where}", location=(where, 0), type=MANAGED, then=default)


@entry.also("what the device was set to")
def set_by_the_device(_: World, i: Invocation) -> None:
    made = pool(i.process)
    i.process.ok.cuDeviceSetMemPool(0, made)
    assert i.run()[1] == made


@entry.also("what the location was set to")
def set_(_: World, i: Invocation) -> Invocation:
    a, made = i.process, pool(i.process, kind=MANAGED, location=(NONE, 0))
    a.ok.cuMemSetMemPool((NONE, 0), MANAGED, made)
    assert a.ok.cuMemGetMemPool((NONE, 0), MANAGED) == made
    assert a.ok.cuMemGetMemPool((DEVICE, 0), MANAGED) != made
    return i.evolve(location=(NONE, 0), type=MANAGED)


test_mem_get_mem_pool = entry.test()


def test_pools_are_supported() -> None:
    with described(without_pools()) as c:
        assert c.cuMemGetMemPool((DEVICE, 0), PINNED)[0] == Result.NOT_SUPPORTED


def test_devices_share_managed_memory() -> None:
    with described(without("CONCURRENT_MANAGED_ACCESS")) as c:
        assert c.cuMemGetMemPool((NONE, 0), MANAGED)[0] == Result.NOT_SUPPORTED
