"""cuMemUnmap: unmap mappings; the address reservation remains.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.cases.driver.va.fixtures import NOWHERE, most, neighbours, prop
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, access
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


SIZE = 2 * GRANULE


def valid(w: World) -> Invocation:
    """Unmap the first of two adjoining mappings, in a larger reservation."""
    a = w.process()
    ptr = a.ok.cuMemAddressReserve(3 * SIZE, 0, 0, 0)
    for start in (ptr, ptr + SIZE):
        a.ok.cuMemMap(start, SIZE, 0, a.ok.cuMemCreate(SIZE, prop(), 0), 0)
    return a.call("cuMemUnmap", ptr=ptr, size=SIZE)


def reserved(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the range is unmapped and can be mapped again."""
    ptr, size = i.args["ptr"], i.args["size"]
    assert i.c.cuMemGetAddressRange(ptr) == (Result.NOT_FOUND, None, None)
    i.process.ok.cuMemMap(ptr, size, 0, i.process.ok.cuMemCreate(size, prop(), 0), 0)


entry = Entry("cuMemUnmap", valid, reserved)


@entry.undefined("MEMORY_IS_AT_REST", code=Result.SUCCESS)
def in_use(w: World, i: Invocation) -> None:
    a, waiting = i.process, stream(i.process, NON_BLOCKING)
    a.ok.cuMemSetAccess(i.args["ptr"], SIZE, (access(),), 1)
    block(w, a, waiting)
    a.ok.cuMemsetD8Async(i.args["ptr"], 1, SIZE, waiting)


entry.breaks("RANGE_IS_RESERVED", ptr=NOWHERE)
entry.breaks("RANGE_IS_RESERVED", "null", ptr=0)
entry.breaks("RANGE_IS_RESERVED", "allocated", ptr=lambda i: i.process.ok.cuMemAlloc(SIZE))
entry.breaks("RANGE_IS_RESERVED", "empty", size=0)
entry.breaks("MAPPINGS_ARE_WHOLE", size=GRANULE)
entry.breaks("MAPPINGS_ARE_WHOLE", "the start is cut", ptr=lambda i: i.args["ptr"] + GRANULE)
entry.breaks("MAPPINGS_ARE_WHOLE", "the end is cut", size=SIZE + GRANULE)


@entry.also("behind the end of a reservation with nothing mapped in the process")
def nothing_mapped(w: World, _: Invocation) -> Invocation:
    b = w.process()
    return b.call("cuMemUnmap", ptr=b.ok.cuMemAddressReserve(SIZE, 0, 0, 0) + 1, size=SIZE)


entry.also("behind the end of the reservation", size=1 << 45)
entry.also("behind its end by a byte", ptr=lambda i: i.args["ptr"] + 2 * SIZE + 1, size=SIZE)
entry.also("the second mapping", ptr=lambda i: i.args["ptr"] + SIZE, then=reserved)
entry.also("both mappings", size=2 * SIZE, then=reserved)
entry.also("the whole reservation", size=3 * SIZE)
entry.also("where nothing is mapped", ptr=lambda i: i.args["ptr"] + 2 * SIZE)


@entry.also("a second time")
def twice(_: World, i: Invocation) -> None:
    i.run()


@entry.also("the other mapping stays")
def other_stays(_: World, i: Invocation) -> Invocation:
    i.run()
    second = i.args["ptr"] + SIZE
    assert i.process.ok.cuMemRetainAllocationHandle(second)
    return i.evolve(ptr=second)


@entry.also("access does not outlast it")
def access_ends(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["ptr"]
    a.ok.cuMemSetAccess(ptr, SIZE, (((1, 0), 3),), 1)
    handle = a.ok.cuMemRetainAllocationHandle(ptr)
    a.ok.cuMemUnmap(ptr, SIZE)
    a.ok.cuMemMap(ptr, SIZE, 0, handle, 0)
    assert a.ok.cuMemGetAccess((1, 0), ptr) == 0


@entry.also("across reservations that adjoin")
def across_reservations(w: World, i: Invocation) -> Invocation:
    return i.evolve(ptr=neighbours(w, i.process, GRANULE), size=2 * GRANULE)


@entry.also("the handle stays")
def handle_stays(_: World, i: Invocation) -> None:
    handle = i.process.ok.cuMemRetainAllocationHandle(i.args["ptr"])
    i.run()
    i.process.ok.cuMemMap(i.args["ptr"], SIZE, 0, handle, 0)


@entry.also("the last mapping frees the memory")
def freed_at_last(_: World, i: Invocation) -> None:
    a = i.process
    size = most(a)
    ptr, handle = a.ok.cuMemAddressReserve(size, 0, 0, 0), a.ok.cuMemCreate(size, prop(), 0)
    a.ok.cuMemMap(ptr, size, 0, handle, 0)
    a.ok.cuMemRelease(handle)
    assert a.c.cuMemCreate(size, prop(), 0) == (Result.OUT_OF_MEMORY, None)
    a.ok.cuMemUnmap(ptr, size)
    a.ok.cuMemRelease(a.ok.cuMemCreate(size, prop(), 0))


entry.alone("the-last-mapping-frees-the-memory")

test_mem_unmap = entry.test()
