"""cuMemGetMemPool: the current memory pool of a location.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.pool.fixtures import HOST, HOST_NUMA, MANAGED, NONE, check_support, pool, refuse_places
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, PINNED

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuMemGetMemPool", location=(DEVICE, 0), type=PINNED)


def default(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the pool is the default pool."""
    assert (i.process.ok.cuMemGetDefaultMemPool(i.args["location"], i.args["type"]),) == results


entry = Entry("cuMemGetMemPool", valid, default)
entry.null("pool", "RESULT_IS_GIVEN")
refuse_places(entry)
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
    check_support(entry)
