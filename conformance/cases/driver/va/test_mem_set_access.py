"""cuMemSetAccess: set the access of locations to mappings.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.multicast.fixtures import mapped, team
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.cases.driver.va.fixtures import (
    HOST,
    HOST_NUMA,
    HOST_NUMA_CURRENT,
    NOWHERE,
    READ,
    neighbours,
    on_model,
    prop,
)
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, GRANULE, READ_WRITE, access
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


SIZE = 2 * GRANULE


def location(kind: int, number: int = 0) -> tuple[Plain, ...]:
    """Return descriptors that give one location full access."""
    return (((kind, number), READ_WRITE),)


def valid(w: World) -> Invocation:
    """Set access to the first of two adjoining mappings, in a larger reservation."""
    a = w.process()
    ptr = a.ok.cuMemAddressReserve(3 * SIZE, 0, 0, 0)
    for start in (ptr, ptr + SIZE):
        a.ok.cuMemMap(start, SIZE, 0, a.ok.cuMemCreate(SIZE, prop(), 0), 0)
    return a.call("cuMemSetAccess", ptr=ptr, size=SIZE, desc=(access(),), count=1)


def accessible(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that exactly the range can be written."""
    a, end = i.process, i.args["ptr"] + i.args["size"]
    assert a.ok.cuMemGetAccess((DEVICE, 0), i.args["ptr"]) == READ_WRITE
    a.ok.cuMemsetD8(end - 8, 1, 8)
    assert a.c.cuMemsetD8(end, 1, 8) == (Result.INVALID_VALUE,)


def inaccessible(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    assert i.process.ok.cuMemGetAccess((DEVICE, 0), i.args["ptr"]) == 0
    assert i.c.cuMemcpyDtoH(bytearray(8), i.args["ptr"], 8) == (Result.INVALID_VALUE,)


def accessible_to_both(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that one device can read the range, and the other one write it."""
    assert [i.process.ok.cuMemGetAccess((DEVICE, device), i.args["ptr"]) for device in (0, 1)] == [READ, READ_WRITE]


entry = Entry("cuMemSetAccess", valid, accessible)


@entry.undefined("MEMORY_IS_AT_REST", code=Result.SUCCESS)
def in_use(w: World, i: Invocation) -> Invocation:
    a, waiting = i.process, stream(i.process, NON_BLOCKING)
    a.ok.cuMemSetAccess(i.args["ptr"], SIZE, (access(),), 1)
    block(w, a, waiting)
    a.ok.cuMemsetD8Async(i.args["ptr"], 1, SIZE, waiting)
    return i.evolve(desc=(access(flags=READ),))


entry.breaks("DESCRIPTION_IS_GIVEN", desc=None)
entry.breaks("DESCRIPTION_IS_GIVEN", "none of them", count=0)
entry.breaks("RANGE_IS_RESERVED", ptr=NOWHERE)
entry.breaks("RANGE_IS_RESERVED", "null", ptr=0)
entry.breaks("RANGE_IS_RESERVED", "allocated", ptr=lambda i: i.process.ok.cuMemAlloc(SIZE))
entry.breaks("RANGE_IS_RESERVED", "empty", size=0)
entry.breaks("RANGE_IS_FILLED", "behind the end of the reservation", size=1 << 45)
entry.breaks("RANGE_IS_FILLED", "behind its end by a byte", ptr=lambda i: i.args["ptr"] + 2 * SIZE + 1, size=SIZE)
entry.breaks("MAPPINGS_ARE_WHOLE", size=GRANULE)
entry.breaks("MAPPINGS_ARE_WHOLE", "the start is cut", ptr=lambda i: i.args["ptr"] + GRANULE)
entry.breaks("MAPPINGS_ARE_WHOLE", "the end is cut", size=SIZE + GRANULE)
entry.breaks("RANGE_IS_FILLED", size=3 * SIZE)
entry.breaks(
    "RANGE_IS_FILLED",
    "behind the end of a reservation with nothing mapped, beside another",
    ptr=lambda i: i.process.ok.cuMemAddressReserve(SIZE, 0, 0, 0) + 1,
    size=SIZE,
)
entry.breaks("RANGE_IS_FILLED", "where nothing is mapped", ptr=lambda i: i.args["ptr"] + 2 * SIZE)


@entry.world("RANGE_IS_FILLED", "with nothing mapped in the process")
def nothing_mapped(w: World, _: Invocation) -> Invocation:
    b = w.process()
    ptr = b.ok.cuMemAddressReserve(SIZE, 0, 0, 0) + 1
    return b.call("cuMemSetAccess", ptr=ptr, size=SIZE, desc=(access(),), count=1)


for kind in (0, HOST_NUMA_CURRENT, 9):
    entry.breaks("LOCATION_IS_KNOWN", f"location {kind}", desc=location(kind))
entry.breaks("LOCATION_IS_KNOWN", "a device beyond the last", desc=location(DEVICE, 99))
entry.breaks("LOCATION_IS_KNOWN", "a negative device", desc=location(DEVICE, -1))
entry.breaks("LOCATION_SUITS_THE_MEMORY", desc=location(HOST))
entry.breaks("LOCATION_SUITS_THE_MEMORY", "a NUMA node", desc=location(HOST_NUMA))
entry.breaks("LOCATION_SUITS_THE_MEMORY", "behind one that does", desc=(access(flags=READ), *location(HOST)), count=2)
for flags in (2, 4, 7):
    entry.breaks("FLAGS_ARE_KNOWN", f"flags {flags}", desc=(access(flags=flags),))


@entry.world("DEVICE_IS_OF_THE_TEAM")
def of_another_team(w: World, i: Invocation) -> Invocation:
    """Pass a multicast object and a device outside its team."""
    return i.evolve(ptr=mapped(i.process, team(w, i.process, 1, size=SIZE), SIZE, 1), desc=location(DEVICE, 1))


@entry.world("LOCATION_SUITS_THE_MEMORY", "a multicast object")
def the_hosts(w: World, i: Invocation) -> Invocation:
    return i.evolve(ptr=mapped(i.process, team(w, i.process, size=SIZE), SIZE), desc=location(HOST))


@entry.also("a multicast object", then=accessible_to_both)
def multicast(w: World, i: Invocation) -> Invocation:
    a = i.process
    ptr = mapped(a, team(w, a, size=SIZE), SIZE, 1)
    return i.evolve(ptr=ptr, desc=(access(0, READ), access(1)), count=2)


entry.also("none of the host to a device's memory, which it never has", desc=(((HOST, 0), 0),))
entry.also("the second mapping", ptr=lambda i: i.args["ptr"] + SIZE, then=accessible)
entry.also("both mappings", size=2 * SIZE, then=accessible)
entry.also("more descriptions than are counted", desc=(*location(DEVICE), *location(9)), then=accessible)


@entry.also("to read")
def read_only(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["ptr"]
    a.ok.cuMemSetAccess(ptr, SIZE, (access(flags=READ),), 1)
    a.ok.cuMemcpyDtoH(bytearray(8), ptr, 8)
    assert a.c.cuMemsetD8(ptr, 1, 8) == (Result.INVALID_VALUE,)


@entry.also("access is taken away", then=inaccessible)
def taken_away(_: World, i: Invocation) -> Invocation:
    i.run()
    return i.evolve(desc=(access(flags=0),))


@entry.also("across reservations that adjoin")
def across_reservations(w: World, i: Invocation) -> Invocation:
    return i.evolve(ptr=neighbours(w, i.process, GRANULE), size=2 * GRANULE)


def of_the_host(i: Invocation, flags: int, kind: int = HOST, number: int = 0) -> Invocation:
    """Return the call that sets the host's access to a new mapping of host memory."""
    a = i.process
    ptr = a.ok.cuMemAddressReserve(SIZE, 0, 0, 0)
    a.ok.cuMemMap(ptr, SIZE, 0, a.ok.cuMemCreate(SIZE, prop(location=(kind, 0), handle_types=0), 0), 0)
    return i.evolve(ptr=ptr, desc=(((kind, number), flags),))


def as_described(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the host's access is reported."""
    ((where, flags),) = i.args["desc"]
    assert i.process.ok.cuMemGetAccess(where, i.args["ptr"]) == flags


@entry.also("the host's access to its own memory", then=as_described)
def host_memory(_: World, i: Invocation) -> Invocation:
    return of_the_host(i, READ_WRITE)


@entry.also("a NUMA node's memory, whose id is ignored")
def numa_memory(_: World, i: Invocation) -> Invocation:
    return of_the_host(i, READ_WRITE, HOST_NUMA, 99)


@entry.also("no access of the host to its own memory", then=as_described)
def host_without_access(_: World, i: Invocation) -> Invocation:
    return of_the_host(i, 0)


@entry.also("the host's access is taken away", then=as_described)
def host_access_taken_away(_: World, i: Invocation) -> Invocation:
    given = of_the_host(i, READ_WRITE)
    given.run()
    return given.evolve(desc=(((HOST, 0), 0),))


@entry.also("a second device", then=accessible)
def second_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    w.needs(i.process.ok.cuDeviceCanAccessPeer(1, 0), "peer access")
    return i.evolve(desc=(access(0), access(1, READ)), count=2)


@entry.also("each device by itself")
def by_itself(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    w.needs(i.process.ok.cuDeviceCanAccessPeer(1, 0), "peer access")
    a, ptr = i.process, i.args["ptr"]
    a.ok.cuMemSetAccess(ptr, SIZE, (access(1),), 1)
    assert [a.ok.cuMemGetAccess((DEVICE, device), ptr) for device in (0, 1)] == [0, READ_WRITE]
    assert a.c.cuMemsetD8(ptr, 1, 8) == (Result.INVALID_VALUE,)
    a.ok.cuCtxCreate(None, 0, 1)
    a.ok.cuMemsetD8(ptr, 1, 8)
    a.ok.cuCtxPopCurrent()


@entry.also("a description that fails leaves those before it")
def one_after_the_other(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["ptr"]
    assert a.c.cuMemSetAccess(ptr, SIZE, (access(flags=READ), *location(HOST)), 2) == (Result.NOT_SUPPORTED,)
    a.ok.cuMemGetAccess((DEVICE, 0), ptr)


test_mem_set_access = entry.test()


def test_device_is_reachable() -> None:
    on_model(
        entry, "DEVICE_IS_REACHABLE", Result.INVALID_DEVICE, lambda _, i: i.evolve(desc=location(DEVICE, 1)), peers={}
    )
