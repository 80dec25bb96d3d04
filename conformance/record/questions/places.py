"""Questions about what memory says of itself: who may access it, its attributes, and memory for tiles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.peer.fixtures import peer_of, peered
from conformance.cases.driver.pool.fixtures import memory as pooled
from conformance.cases.driver.pool.fixtures import pool
from conformance.cases.driver.va.fixtures import half_mapped, imported, prop
from conformance.kit.world import GRANULE, POSIX, access
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

LOCATIONS = ((1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (3, -1), (4, 0), (0, 0), (5, 0), (1, 1), (1, 99))
ATTRIBUTES = (*range(1, 5), *range(6, 22))
"""CUpointer_attribute, but for the tokens of RDMA."""
TILES = 1
"""CU_MEM_CREATE_USAGE_TILE_POOL."""


def told(a: Process, ptr: int) -> None:
    """Ask which access each location has to memory."""
    for location in LOCATIONS:
        a.c.cuMemGetAccess(location, ptr)


def attributes(a: Process, *places: int) -> None:
    """Ask every attribute of pointers."""
    for ptr in places:
        for attribute in ATTRIBUTES:
            a.c.cuPointerGetAttribute(attribute, ptr)


@question()
def access_of_each_location_to_mappings(w: World) -> None:
    """What cuMemGetAccess says of the host and its nodes, of memory of a device and of the host, by what was set."""
    for place in (1, 2, 3):
        for handles in (0, POSIX):
            if place == 2 and handles:
                continue
            a = w.process()
            for flags in (0, 1, 3):
                ptr = half_mapped(a, flags, location=(place, 0), handle_types=handles)
                told(a, ptr)
                told(a, ptr + GRANULE - 1)
                for host in ((2, 0), (3, 0)):
                    for wanted in (1, 3, 0):
                        a.c.cuMemSetAccess(ptr, GRANULE, ((host, wanted),), 1)
                        told(a, ptr)
                a.c.cuMemSetAccess(ptr, GRANULE, (access(flags=0),), 1)
                told(a, ptr)
            told(a, ptr + GRANULE)


@question()
def access_of_each_location_to_other_memory(w: World) -> None:
    """The same of memory of every other kind."""
    a, b = w.process(), w.process()
    made = pool(a)
    registered = a.host_memory(PAGE)
    a.ok.cuMemHostRegister(registered, PAGE, 0)
    for ptr in (
        a.ok.cuMemAlloc(PAGE),
        a.ok.cuMemAllocManaged(PAGE, 1),
        a.ok.cuMemAllocHost(PAGE),
        a.ok.cuMemHostAlloc(PAGE, 7),
        registered,
        pooled(a, made),
        pooled(a, pool(a, location=(3, 0))),
        imported(a, b)[0],
        a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0),
    ):
        told(a, ptr)


@question()
def attributes_of_mappings(w: World) -> None:
    """Every attribute of mapped memory, by who has access, in its middle and behind it, while nothing is current, too."""
    a = w.process()
    for flags in (0, 1, 3):
        ptr = half_mapped(a, flags)
        attributes(a, ptr, ptr + GRANULE - 1, ptr + GRANULE)
        if flags:
            a.ok.cuMemSetAccess(ptr, GRANULE, (access(flags=0),), 1)
            attributes(a, ptr)
    whole = a.ok.cuMemAddressReserve(2 * GRANULE, 0, 0, 0)
    for number, flags in enumerate((1, 3)):
        start = whole + number * GRANULE
        a.ok.cuMemMap(start, GRANULE, 0, a.ok.cuMemCreate(GRANULE, prop(), 0), 0)
        a.ok.cuMemSetAccess(start, GRANULE, (access(flags=flags),), 1)
    attributes(a, whole, whole + GRANULE)
    a.ok.cuCtxPopCurrent()
    attributes(a, whole)


@question()
def attributes_of_mappings_of_the_host(w: World) -> None:
    """The same of memory of the host that was made by cuMemCreate."""
    a = w.process()
    for place in (2, 3):
        for flags in (0, 1, 3):
            ptr = half_mapped(a, flags, location=(place, 0), handle_types=0)
            attributes(a, ptr)
            a.c.cuMemSetAccess(ptr, GRANULE, (((3, 0), 3),), 1)
            attributes(a, ptr)


@question()
def attributes_of_other_memory(w: World) -> None:
    """The same of memory of every other kind: access flags and what the mapping is."""
    a, b = w.process(), w.process()
    registered = a.host_memory(PAGE)
    a.ok.cuMemHostRegister(registered, PAGE, 0)
    attributes(
        a,
        a.ok.cuMemAlloc(PAGE),
        a.ok.cuMemAlloc(GRANULE) + PAGE,
        a.ok.cuMemAllocManaged(PAGE, 1),
        a.ok.cuMemAllocHost(PAGE),
        registered,
        pooled(a, pool(a)),
        imported(a, b)[0],
        a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0),
    )


@question()
def attributes_of_mappings_on_two_devices(w: World) -> None:
    """Access flags of mapped memory by which device is current, and which has access."""
    a = peered(w)
    other = peer_of(a)
    for home in (0, 1):
        for first in (0, 1, 3):
            for second in (0, 1, 3):
                ptr = a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0)
                a.ok.cuMemMap(ptr, GRANULE, 0, a.ok.cuMemCreate(GRANULE, prop(location=(1, home)), 0), 0)
                a.ok.cuMemSetAccess(ptr, GRANULE, (access(0, first), access(1, second)), 2)
                told(a, ptr)
                for context in (a.context, other, 0):
                    a.ok.cuCtxPushCurrent(context) if context else a.ok.cuCtxSetCurrent(0)
                    for attribute in (1, 9, 16):
                        a.c.cuPointerGetAttribute(attribute, ptr)
                    a.c.cuPointerGetAttributes(3, (1, 9, 16), ptr)
                    a.ok.cuCtxSetCurrent(a.context)


@question()
def access_of_the_host_on_two_devices(w: World) -> None:
    """Of which device the access is that cuMemGetAccess tells for the host: by what is current, and by the memory's place."""
    a = peered(w)
    other = peer_of(a)
    for home in (0, 1):
        for first, second in ((1, 3), (3, 1), (0, 1), (1, 0)):
            ptr = a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0)
            a.ok.cuMemMap(ptr, GRANULE, 0, a.ok.cuMemCreate(GRANULE, prop(location=(1, home)), 0), 0)
            a.ok.cuMemSetAccess(ptr, GRANULE, (access(0, first), access(1, second)), 2)
            for context in (a.context, other, 0):
                a.ok.cuCtxSetCurrent(context)
                told(a, ptr)
            a.ok.cuCtxSetCurrent(a.context)


@question()
def attributes_of_pools_and_linear_memory_on_two_devices(w: World) -> None:
    """Access flags of other memory of one device for the other, with peer access and without."""
    a = peered(w)
    other = peer_of(a)
    linear, made = a.ok.cuMemAlloc(PAGE), pool(a)
    of_pool = pooled(a, made)
    a.ok.cuCtxSynchronize()
    for _step in range(3):
        for context in (a.context, other):
            a.ok.cuCtxPushCurrent(context)
            for ptr in (linear, of_pool):
                for attribute in (1, 9, 16):
                    a.c.cuPointerGetAttribute(attribute, ptr)
                a.c.cuMemGetAccess((1, 0), ptr)
                a.c.cuMemGetAccess((1, 1), ptr)
            a.ok.cuCtxPopCurrent()
        a.c.cuCtxPushCurrent(other)
        a.c.cuCtxEnablePeerAccess(a.context, 0)
        a.c.cuCtxPopCurrent()
        a.c.cuMemPoolSetAccess(made, (access(1, 1 + 2 * _step),), 1)


@question()
def memory_for_tiles(w: World) -> None:
    """Which properties go with it, what its handle says, and whether it is mapped, used and shared."""
    a = w.process(context=False)
    for usage in (0, TILES, 2, 3, 4, 0x8000, 0xFFFF):
        for place in ((1, 0), (3, 0), (2, 0), (1, 99)):
            for handles in (0, POSIX, 8):
                if place == (2, 0) and handles:
                    continue
                for compression, rdma in ((0, 0), (1, 0), (0, 1), (1, 1), (2, 0)):
                    wanted = prop(location=place, handle_types=handles, capabilities=(compression, rdma, usage))
                    a.c.cuMemGetAllocationGranularity(wanted, 0)
                    code, handle = a.c.cuMemCreate(GRANULE, wanted, 0)
                    if code:
                        continue
                    a.c.cuMemGetAllocationPropertiesFromHandle(handle)
                    a.c.cuMemRelease(handle)
        wanted = prop(capabilities=(0, 0, usage))
        for size in (0, 1, 64 << 10, GRANULE + 1, 2 * GRANULE):
            a.c.cuMemCreate(size, wanted, 0)
        a.c.cuMemCreate(GRANULE, wanted, 1)


@question()
def uses_of_memory_for_tiles(w: World) -> None:
    """Whether it is mapped, given access, written, shared and retained as other memory is."""
    for usage in (0, TILES):
        a, b = w.process(), w.process()
        ptr = a.ok.cuMemAddressReserve(2 * GRANULE, 0, 0, 0)
        code, handle = a.c.cuMemCreate(GRANULE, prop(capabilities=(0, 0, usage)), 0)
        if code:
            continue
        a.c.cuMemMap(ptr, GRANULE, 0, handle, 0)
        a.c.cuMemSetAccess(ptr, GRANULE, (access(),), 1)
        attributes(a, ptr)
        a.c.cuMemsetD8(ptr, 5, GRANULE)
        a.c.cuMemcpyDtoH(bytearray(4), ptr, 4)
        a.c.cuMemGetAccess((1, 0), ptr)
        a.c.cuMemRetainAllocationHandle(ptr)
        code, descriptor = a.c.cuMemExportToShareableHandle(handle, POSIX, 0)
        if not code:
            code, there = b.c.cuMemImportFromShareableHandle(descriptor, POSIX)
            if not code:
                b.c.cuMemGetAllocationPropertiesFromHandle(there)
                place = b.ok.cuMemAddressReserve(GRANULE, 0, 0, 0)
                b.c.cuMemMap(place, GRANULE, 0, there, 0)
                b.c.cuMemSetAccess(place, GRANULE, (access(),), 1)
                b.c.cuMemcpyDtoH(bytearray(4), place, 4)
        a.c.cuMemUnmap(ptr, GRANULE)
        a.c.cuMemRelease(handle)
        a.c.cuCtxSynchronize()
