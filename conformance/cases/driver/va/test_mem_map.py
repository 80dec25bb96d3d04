"""cuMemMap: map a handle's memory in a reservation.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.multicast.fixtures import check_described, team
from conformance.cases.driver.va.fixtures import NOWHERE, TILE_POOL, adjoining, content, half_mapped, prop, released
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, access
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


SIZE = 2 * GRANULE


def valid(w: World) -> Invocation:
    a = w.process()
    ptr = a.ok.cuMemAddressReserve(2 * SIZE, 0, 0, 0)
    return a.call("cuMemMap", ptr=ptr, size=SIZE, offset=0, handle=a.ok.cuMemCreate(SIZE, prop(), 0), flags=0)


def tiles(i: Invocation) -> int:
    """Return a handle of memory for array tiles."""
    made: int = i.process.ok.cuMemCreate(SIZE, prop(handle_types=0, capabilities=(0, 0, TILE_POOL)), 0)
    return made


def shown(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check the mapping and its handle, without access."""
    ptr = i.args["ptr"]
    assert i.c.cuMemGetAddressRange(ptr + 1) == (Result.NOT_FOUND, None, None)
    assert i.process.ok.cuMemRetainAllocationHandle(ptr + 1) == i.args["handle"]
    assert i.process.ok.cuMemGetAccess((1, 0), ptr) == 0
    assert i.c.cuMemsetD8(ptr, 1, 16) == (Result.INVALID_VALUE,)


entry = Entry("cuMemMap", valid, shown)
entry.breaks("FLAGS_ARE_ZERO", flags=1)
entry.breaks("POINTER_IS_GIVEN", ptr=0)
entry.breaks("SIZE_IS_POSITIVE", size=0)
entry.breaks("HANDLE_IS_GIVEN", handle=0)
for label, members in {"": {}, "a part": {"size": GRANULE}}.items():
    entry.breaks("TILES_ARE_ARRAYS", label, handle=tiles, **members)
entry.breaks("ALLOCATION_IS_MAPPED_WHOLE", "a part", size=GRANULE)
entry.breaks("ALLOCATION_IS_MAPPED_WHOLE", "more than there is", size=SIZE + GRANULE)
entry.breaks("ALLOCATION_IS_MAPPED_WHOLE", "no multiple of the granularity", size=SIZE - 4096)
entry.breaks("ALLOCATION_IS_MAPPED_WHOLE", "an offset", offset=GRANULE)
entry.breaks("ALLOCATION_IS_MAPPED_WHOLE", "an odd offset", offset=4096)
entry.breaks("POINTER_IS_ALIGNED", ptr=lambda i: i.args["ptr"] + 4096)
entry.breaks("RANGE_IS_RESERVED", ptr=NOWHERE)
entry.undefined(
    "RANGE_ENDS_IN_THE_RESERVATION", code=Result.INVALID_VALUE, ptr=lambda i: i.args["ptr"] + 2 * SIZE - GRANULE
)
entry.breaks("RANGE_IS_RESERVED", "allocated", ptr=lambda i: i.process.ok.cuMemAlloc(SIZE))
entry.undefined("SIZE_IS_THAT_OF_A_RELEASED_HANDLE", code=Result.NOT_SUPPORTED, handle=lambda i: released(i.process))
entry.undefined(
    "SIZE_IS_THAT_OF_A_RELEASED_HANDLE",
    "an offset",
    code=Result.NOT_SUPPORTED,
    size=GRANULE,
    offset=GRANULE,
    handle=lambda i: released(i.process),
)
entry.undefined("HANDLE_IS_HELD", code=Result.INVALID_VALUE, size=GRANULE, handle=lambda i: released(i.process))

entry.also("inside the reservation", ptr=lambda i: i.args["ptr"] + GRANULE)
entry.also("at its end", ptr=lambda i: i.args["ptr"] + SIZE)


@entry.undefined("HANDLE_IS_HELD", "another process's", code=Result.INVALID_VALUE)
def foreign(w: World, i: Invocation) -> Invocation:
    return i.evolve(handle=w.process().ok.cuMemCreate(SIZE, prop(), 0))


@entry.world("RANGE_IS_RESERVED", "freed")
def freed(_: World, i: Invocation) -> None:
    i.process.ok.cuMemAddressFree(i.args["ptr"], 2 * SIZE)


@entry.world("RANGE_IS_NOT_MAPPED")
def mapped(_: World, i: Invocation) -> None:
    i.run()


@entry.world("RANGE_IS_NOT_MAPPED", "a part of it")
def partly_mapped(_: World, i: Invocation) -> Invocation:
    i.run()
    return i.evolve(ptr=i.args["ptr"] + GRANULE)


@entry.also("the same memory beside itself")
def beside(_: World, i: Invocation) -> Invocation:
    i.run()
    return i.evolve(ptr=i.args["ptr"] + SIZE)


@entry.also("the addresses of one memory show the same bytes")
def aliased(_: World, i: Invocation) -> None:
    a = i.process
    handle = a.ok.cuMemCreate(GRANULE, prop(), 0)
    ptr = adjoining(a, (handle, handle))
    a.ok.cuMemsetD8(ptr, 9, 4)
    assert content(a, ptr + GRANULE) == b"\x09" * 4


@entry.also("after an unmapping", then=shown)
def again(_: World, i: Invocation) -> None:
    i.run()
    i.process.ok.cuMemSetAccess(i.args["ptr"], SIZE, (access(),), 1)
    i.process.ok.cuMemUnmap(i.args["ptr"], SIZE)


@entry.also("a mapping keeps memory whose handle is released")
def kept(_: World, i: Invocation) -> None:
    a, ptr = i.process, half_mapped(i.process)
    a.ok.cuMemsetD8(ptr, 6, 4)
    handle = a.ok.cuMemRetainAllocationHandle(ptr)
    a.ok.cuMemRelease(handle)
    a.ok.cuMemRelease(handle)
    assert content(a, ptr) == b"\6" * 4


@entry.also("an imported handle")
def imported(w: World, i: Invocation) -> Invocation:
    b = w.process()
    descriptor = b.ok.cuMemExportToShareableHandle(b.ok.cuMemCreate(SIZE, prop(), 0), 1, 0)
    return i.evolve(handle=i.process.ok.cuMemImportFromShareableHandle(descriptor, 1))


@entry.also("a multicast object")
def multicast(w: World, i: Invocation) -> Invocation:
    handle = team(w, i.process, size=SIZE)
    assert i.c.cuMemMap(i.args["ptr"], GRANULE, 0, handle, 0) == (Result.NOT_SUPPORTED,)
    return i.evolve(handle=handle)


@entry.also("memory of another device")
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(handle=i.process.ok.cuMemCreate(SIZE, prop(location=(1, 1)), 0))


test_mem_map = entry.test()


def test_system_is_legal() -> None:
    """In an illegal system state, memory can be mapped, but no multicast object."""

    def multicast(w: World, i: Invocation) -> Invocation:
        i.run()
        size = i.args["size"]
        return i.evolve(handle=team(w, i.process, size=size), ptr=i.args["ptr"] + size)

    check_described(entry, "SYSTEM_IS_LEGAL", Result.ILLEGAL_STATE, multicast, state="illegal")
