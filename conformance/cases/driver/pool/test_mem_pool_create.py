"""cuMemPoolCreate: create a memory pool.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.context.fixtures import described, with_attributes, without
from conformance.cases.driver.device.fixtures import without_pools
from conformance.cases.driver.pool.fixtures import (
    CHUNK,
    FABRIC,
    HOST,
    HOST_NUMA,
    HOST_NUMA_CURRENT,
    INVISIBLE,
    LOCALITY_DOMAIN,
    MANAGED,
    NONE,
    books,
    memory,
    props,
    value,
)
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, POSIX
from fakecuda.profiles import load
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process(context=False).call("cuMemPoolCreate", poolProps=props())


def empty(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the pool is empty, with all policies and no threshold."""
    a, made = i.process, results[0]
    assert books(a, made) == (0, 0)
    for name in ("REUSE_FOLLOW_EVENT_DEPENDENCIES", "REUSE_ALLOW_OPPORTUNISTIC", "REUSE_ALLOW_INTERNAL_DEPENDENCIES"):
        assert value(a, made, name) == 1
    assert value(a, made, "RELEASE_THRESHOLD") == 0
    where = i.args["poolProps"][2]
    a.c.cuMemPoolGetAccess(made, (DEVICE, 0))
    a.c.cuMemPoolGetAccess(made, where)


entry = Entry("cuMemPoolCreate", valid, empty)
entry.null("pool", "RESULT_IS_GIVEN")
entry.breaks("PROPERTIES_ARE_GIVEN", poolProps=None)
for kind in (0, 3, 99):
    entry.breaks("TYPE_IS_KNOWN", f"type {kind}", poolProps=props(kind=kind))
for where in (NONE, HOST_NUMA_CURRENT, INVISIBLE, LOCALITY_DOMAIN, 99):
    entry.breaks("LOCATION_IS_KNOWN", f"location type {where}", poolProps=props(location=(where, 0)))
for where in (INVISIBLE, LOCALITY_DOMAIN, 99):
    given = props(kind=MANAGED, location=(where, 0))
    entry.breaks("LOCATION_IS_OF_MANAGED_MEMORY", f"location type {where}", poolProps=given)
entry.breaks("NODE_IS_THERE", poolProps=props(location=(HOST_NUMA, 99)))
entry.breaks("DEVICE_IS_THERE", poolProps=props(location=(DEVICE, 99)))
entry.breaks("DEVICE_IS_THERE", "negative device", poolProps=props(location=(DEVICE, -1)))
entry.breaks("DEVICE_IS_THERE", "managed", poolProps=props(kind=MANAGED, location=(DEVICE, 99)))
for types in (2, 4, 3, 16):
    entry.breaks("HANDLE_TYPES_ARE_SUPPORTED", f"handle types {types}", poolProps=props(handle_types=types))
entry.breaks("HANDLE_TYPES_ARE_SUPPORTED", "of a node", poolProps=props(handle_types=2, location=(HOST_NUMA, 0)))
entry.breaks("HOST_HAS_NO_HANDLE_TYPES", poolProps=props(handle_types=POSIX, location=(HOST, 0)))
entry.breaks("MANAGED_HAS_NO_HANDLE_TYPES", poolProps=props(kind=MANAGED, handle_types=POSIX))
entry.breaks("MANAGED_HAS_NO_LIMIT", poolProps=props(kind=MANAGED, max_size=CHUNK))
entry.breaks("MANAGED_HAS_NO_USAGE", poolProps=props(kind=MANAGED, usage=2))
entry.breaks("RDMA_IS_KNOWN", poolProps=props(rdma=1))
entry.also("for fabric handles", poolProps=props(handle_types=FABRIC), then=empty)
entry.also("whatever the security attributes", poolProps=props(security=0x1000), then=empty)
entry.also("the host", poolProps=props(location=(HOST, 0)), then=empty)
entry.also("the host, whatever its id", poolProps=props(location=(HOST, 99)), then=empty)
entry.also("a node of the host", poolProps=props(location=(HOST_NUMA, 0)), then=empty)
entry.also("a node of the host, shared", poolProps=props(handle_types=POSIX, location=(HOST_NUMA, 0)), then=empty)
entry.also("managed", poolProps=props(kind=MANAGED, location=(NONE, 0)), then=empty)
entry.also(
    "managed by the current node, whatever its id", poolProps=props(kind=MANAGED, location=(HOST_NUMA_CURRENT, 99))
)
for where in (DEVICE, HOST, HOST_NUMA, HOST_NUMA_CURRENT):
    entry.also(f"managed with location type {where}", poolProps=props(kind=MANAGED, location=(where, 0)), then=empty)
entry.also("shared", poolProps=props(handle_types=POSIX), then=empty)
entry.also("limited", poolProps=props(max_size=1), then=empty)
entry.also("for decompression", poolProps=props(usage=2), then=empty)
entry.also("an unknown usage", poolProps=props(usage=0x8000), then=empty)


@entry.also("another device", then=empty)
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(poolProps=props(location=(DEVICE, 1)))


@entry.also("a limit is a number of blocks")
def limited(w: World, i: Invocation) -> Invocation:
    a, limits = w.process(), props(max_size=1)
    memory(a, a.ok.cuMemPoolCreate(limits), CHUNK)
    return i.evolve(poolProps=limits)


@entry.after("each is another")
def another(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert i.run()[1] != results[0]


test_mem_pool_create = entry.test()


def test_pools_are_supported() -> None:
    with described(without_pools()) as c:
        assert c.cuMemPoolCreate(props()) == (Result.NOT_SUPPORTED, None)


def test_what_an_older_driver_knows() -> None:
    """Older drivers support NUMA pools only, without managed or host pools."""
    with described(load("driver-12.4")) as c:
        assert c.cuMemPoolCreate(props(location=(HOST_NUMA, 0)))[0] == Result.SUCCESS
        assert c.cuMemPoolCreate(props(location=(HOST, 0))) == (Result.INVALID_VALUE, None)
        assert c.cuMemPoolCreate(props(kind=MANAGED)) == (Result.INVALID_VALUE, None)
        assert c.cuMemPoolCreate(props(usage=2)) == (Result.INVALID_VALUE, None)


def test_managed_memory_need_not_be_shared() -> None:
    """Managed pools work on devices without shared managed memory, unlike the manual."""
    with described(without("CONCURRENT_MANAGED_ACCESS")) as c:
        assert c.cuMemPoolCreate(props(kind=MANAGED))[0] == Result.SUCCESS


def test_handle_types_are_the_devices() -> None:
    with described(with_attributes(MEMPOOL_SUPPORTED_HANDLE_TYPES=0)) as c:
        assert c.cuMemPoolCreate(props(handle_types=POSIX)) == (Result.INVALID_VALUE, None)


def test_a_newer_driver_knows_of_rdma() -> None:
    with described(attrs.evolve(load("h200"), driver_version=13040)) as c:
        assert c.cuMemPoolCreate(props(rdma=1))[0] == Result.SUCCESS
