"""More questions about memory pools: those that the answers to the first ones have raised."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.pool.fixtures import (
    ATTRIBUTE,
    CHUNK,
    FABRIC,
    HOST,
    HOST_NUMA,
    HOST_NUMA_CURRENT,
    MANAGED,
    NONE,
    SIZE,
    imported,
    memory,
    pool,
    props,
)
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.kit.world import DEVICE, PINNED, POSIX, access
from conformance.record.questions.fixtures import question
from conformance.record.questions.pools import KEEP, books

if TYPE_CHECKING:
    from conformance.kit.world import World


@question()
def freed_after_its_pool(w: World) -> None:
    """Whether memory of a pool that was destroyed can be freed in each way, and what the process can do then."""
    for free in ("cuMemFreeAsync", "cuMemFree"):
        for handle_types in (0, POSIX):
            a = w.process()
            for _round in range(4):
                made = pool(a, handle_types=handle_types)
                ptr = memory(a, made)
                a.c.cuMemPoolDestroy(made)
                getattr(a.c, free)(ptr, *((0,) if free == "cuMemFreeAsync" else ()))
            a.c.cuCtxSynchronize()
            a.c.cuMemAllocFromPoolAsync(SIZE, pool(a), 0)
            a.c.cuCtxSynchronize()


@question()
def books_after_a_free_at_once(w: World) -> None:
    """When bytes that cuMemFree has freed stop counting as used, by pools that keep and that do not."""
    a = w.process()
    for keep in (0, KEEP):
        made = pool(a)
        a.ok.cuMemPoolSetAttribute(made, ATTRIBUTE["RELEASE_THRESHOLD"], keep)
        first, second, third = (memory(a, made, size) for size in (SIZE, CHUNK, 1))
        books(a, made)
        a.c.cuMemFree(first)
        books(a, made)
        a.c.cuCtxSynchronize()
        books(a, made)
        a.c.cuMemFreeAsync(second, 0)
        books(a, made)
        a.c.cuCtxSynchronize()
        books(a, made)
        a.c.cuMemFree(third)
        books(a, made)
        a.c.cuMemPoolTrimTo(made, 0)
        a.c.cuMemPoolSetAttribute(made, ATTRIBUTE["USED_MEM_HIGH"], 0)
        books(a, made)
        memory(a, made, 3 * SIZE)
        books(a, made)


@question()
def blocks_that_join(w: World) -> None:
    """What an allocation takes of blocks that are too small each: before they are seen to be free, and with one in use."""
    for seen in (True, False):
        for kept in (None, 0, 1, 2):
            for size in (2 * CHUNK, 3 * CHUNK, 4 * CHUNK):
                a = w.process()
                made = pool(a)
                a.ok.cuMemPoolSetAttribute(made, ATTRIBUTE["RELEASE_THRESHOLD"], KEEP)
                parts = [memory(a, made, CHUNK) for _round in range(3)]
                for number, ptr in enumerate(parts):
                    if number != kept:
                        a.ok.cuMemFreeAsync(ptr, 0)
                if seen:
                    a.ok.cuCtxSynchronize()
                a.c.cuMemAllocFromPoolAsync(size, made, 0)
                books(a, made)


@question()
def descriptors_of_memory_of_pools(w: World) -> None:
    """Where in a pool's block cuMemGetHandleForAddressRange takes a range: at its start, behind that, over several."""
    a = w.process()
    made = pool(a)
    for size in (SIZE, SIZE, 2 << 20, 2 << 20, CHUNK):
        ptr = memory(a, made, size)
        a.c.cuCtxSynchronize()
        for start in (ptr, ptr + SIZE):
            for length in (SIZE, 2 * SIZE, 2 << 20, CHUNK):
                a.c.cuMemGetHandleForAddressRange(start, length, 1, 0)


@question()
def a_managed_pool_that_is_the_devices(w: World) -> None:
    """Which memory cuMemAllocAsync gives, and which pools are current, once a managed pool was set for the device."""
    a = w.process()
    made = pool(a, kind=MANAGED)
    a.c.cuDeviceSetMemPool(0, made)
    a.c.cuDeviceGetMemPool(0)
    for kind in (PINNED, MANAGED):
        a.c.cuMemGetMemPool((DEVICE, 0), kind)
    ptr = a.c.cuMemAllocAsync(SIZE, 0)[1]
    a.c.cuPointerGetAttribute(8, ptr)
    for other in (PINNED, MANAGED):
        a.c.cuMemSetMemPool((DEVICE, 0), other, made)


@question()
def nothing_is_asked(w: World) -> None:
    """What is looked at where nothing is allocated, freed or set."""
    a, b = w.process(), w.process()
    into, _source = imported(a, b)
    made = pool(a)
    for of in (0, into, made):
        a.c.cuMemAllocFromPoolAsync(0, of, 0)
        a.c.cuMemAllocFromPoolAsync(0, of, 2)
        a.c.cuMemPoolSetAccess(of, None, 0)
        a.c.cuMemPoolSetAccess(of, None, 1)
        a.c.cuMemPoolSetAccess(of, (access(99),), 0)
    for stream_ in (0, 1, 2):
        a.c.cuMemFreeAsync(0, stream_)
    books(a, made)


@question()
def what_has_to_be_exported(w: World) -> None:
    """Whether an export of the pool before or after the allocation is enough, of each type, and what a destroyed pool leaves."""
    a = w.process()
    for types in (POSIX, FABRIC, POSIX | FABRIC):
        code, made = a.c.cuMemPoolCreate(props(handle_types=types))
        if code:
            continue
        early = memory(a, made)
        a.c.cuMemPoolExportPointer(early)
        a.c.cuMemPoolExportToShareableHandle(made, FABRIC, 0)
        a.c.cuMemPoolExportPointer(early)
        a.c.cuMemPoolExportToShareableHandle(made, POSIX, 0)
        a.c.cuMemPoolExportPointer(early)
        a.c.cuMemPoolExportPointer(memory(a, made))
        a.c.cuMemPoolDestroy(made)
        a.c.cuMemPoolExportPointer(early)


@question()
def managed_frees(w: World) -> None:
    """What cuMemFreeAsync looks at first of an address in managed memory, in linear memory and in that of each pool."""
    a = w.process()
    managed, linear = a.ok.cuMemAllocManaged(CHUNK, 1), a.ok.cuMemAlloc(CHUNK)
    pooled = [memory(a, pool(a, kind=kind, location=(where, 0))) for kind, where in ((MANAGED, NONE), (PINNED, HOST))]
    for ptr in (managed, linear, *pooled):
        for offset in (1, 512, 0):
            a.c.cuMemFreeAsync(ptr + offset, 0)
        a.c.cuCtxSynchronize()
        a.c.cuMemFreeAsync(ptr, 0)


@question()
def pointers_of_each_kind(w: World) -> None:
    """Each attribute of memory of each kind of pool, at its beginning and inside, and what can be set."""
    a = w.process()
    for kind, where in ((PINNED, DEVICE), (PINNED, HOST), (PINNED, HOST_NUMA), (MANAGED, NONE), (MANAGED, HOST)):
        ptr = memory(a, pool(a, kind=kind, location=(where, 0)))
        a.c.cuCtxSynchronize()
        for address in (ptr, ptr + 1):
            for attribute in (1, 2, 3, 4, 5, 6, 8, 9, 10, 13, 14, 15, 16, 17, 21):
                a.c.cuPointerGetAttribute(attribute, address)
            a.c.cuPointerSetAttribute(1, 6, address)
            a.c.cuPointerGetAttribute(6, address)
            a.c.cuPointerSetAttribute(0, 6, address)
            a.c.cuPointerSetAttribute(1, 99, address)


@question()
def trims_within_an_allocation(w: World) -> None:
    """Of what pieces a pool gives back what it reserved for one large allocation, and whether neighbours become one."""
    a = w.process()
    made = pool(a)
    a.ok.cuMemPoolSetAttribute(made, ATTRIBUTE["RELEASE_THRESHOLD"], KEEP)
    for sizes in ((CHUNK,), (CHUNK // 2,), (CHUNK + 1,), (CHUNK, CHUNK), (PAGE, CHUNK), (2 * CHUNK, PAGE)):
        a.ok.cuMemFreeAsync(memory(a, made, 4 * CHUNK), 0)
        a.ok.cuCtxSynchronize()
        held = [memory(a, made, size) for size in sizes]
        books(a, made)
        for keep in (3 * CHUNK, CHUNK, 0):
            a.c.cuMemPoolTrimTo(made, keep)
            books(a, made)
        for ptr in held:
            a.ok.cuMemFreeAsync(ptr, 0)
        a.ok.cuCtxSynchronize()
        a.c.cuMemPoolTrimTo(made, 0)
        books(a, made)
    for ptr in [memory(a, made, CHUNK) for _round in range(3)]:
        a.ok.cuMemFreeAsync(ptr, 0)
    a.ok.cuCtxSynchronize()
    memory(a, made, 3 * CHUNK)
    books(a, made)


@question()
def access_of_the_host_and_its_nodes(w: World) -> None:
    """Whether the host and its nodes are one place to a managed pool, and to one of the host."""
    a = w.process()
    for kind, home in ((MANAGED, NONE), (MANAGED, HOST), (PINNED, HOST), (PINNED, HOST_NUMA)):
        made = pool(a, kind=kind, location=(home, 0))
        for where in ((HOST, 0), (HOST, 5), (HOST_NUMA, 0), (HOST_NUMA, 99), (DEVICE, 0)):
            for flags in (3, 0):
                a.c.cuMemPoolSetAccess(made, ((where, flags),), 1)
                for asked in ((HOST, 0), (HOST, 5), (HOST_NUMA, 0), (HOST_NUMA, 99), (DEVICE, 0)):
                    a.c.cuMemPoolGetAccess(made, asked)
        a.c.cuMemPoolSetAccess(made, (access(), ((HOST, 0), 0)), 2)
        a.c.cuMemPoolGetAccess(made, (DEVICE, 0))
        a.c.cuMemPoolSetAccess(made, (((DEVICE, 0), 0), access(99)), 2)
        a.c.cuMemPoolGetAccess(made, (DEVICE, 0))


@question()
def pools_of_the_current_node(w: World) -> None:
    """What a managed pool of the current node is to calls of current pools, and what it gives."""
    a = w.process()
    code, made = a.c.cuMemPoolCreate(props(kind=MANAGED, location=(HOST_NUMA_CURRENT, 0)))
    for where in ((HOST_NUMA_CURRENT, 0), (HOST_NUMA, 0), (NONE, 0)):
        a.c.cuMemGetDefaultMemPool(where, MANAGED)
        a.c.cuMemGetMemPool(where, MANAGED)
        if not code:
            a.c.cuMemSetMemPool(where, MANAGED, made)
    if not code:
        a.c.cuMemAllocFromPoolAsync(SIZE, made, 0)
    a.c.cuMemPoolCreate(props(kind=MANAGED, location=(HOST_NUMA_CURRENT, 99)))
    for kind in (5, 6, 99):
        a.c.cuMemPoolCreate(props(kind=MANAGED, location=(kind, 0)))


def short(w: World, allowed: int) -> None:
    """Ask what an allocation takes whose pool may have no more, while another stream has yet to free all of it.

    Args:
        w: The world.
        allowed: Whether the pool may let the allocation wait for that.
    """
    a = w.process()
    made = pool(a, max_size=CHUNK)
    a.ok.cuMemPoolSetAttribute(made, ATTRIBUTE["REUSE_ALLOW_INTERNAL_DEPENDENCIES"], allowed)
    first, second = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    ptr = memory(a, made, CHUNK, first)
    unblock = block(w, a, first)
    a.ok.cuMemFreeAsync(ptr, first)
    a.c.cuMemAllocFromPoolAsync(CHUNK, made, second)
    books(a, made)
    a.c.cuStreamQuery(second)
    unblock()
    a.c.cuCtxSynchronize()
    books(a, made)


@question()
def no_more_memory(w: World) -> None:
    """Whether an allocation waits for a free where its pool may have no more."""
    short(w, 1)


@question()
def no_more_memory_and_no_waiting(w: World) -> None:
    """Whether it fails where it may not wait."""
    short(w, 0)


@question()
def copies_between_pools_by_streams_of_each_device(w: World) -> None:
    """Whose access a copy needs: that of the stream's device, of the current one, or of either memory's; four grants."""
    w.needs_devices(2)
    for grants in ((), ((0, 1),), ((1, 0),), ((0, 1), (1, 0))):
        a = w.process()
        contexts = (a.ok.cuCtxGetCurrent(), a.ok.cuCtxCreate(None, 0, 1))
        pools = [pool(a, location=(DEVICE, device)) for device in (0, 1)]
        streams, pieces = [], []
        for device, context in enumerate(contexts):
            a.ok.cuCtxSetCurrent(context)
            streams.append(stream(a, NON_BLOCKING))
            pieces.append(a.ok.cuMemAllocFromPoolAsync(PAGE, pools[device], streams[device]))
            a.ok.cuStreamSynchronize(streams[device])
        for owner, other in grants:
            a.c.cuMemPoolSetAccess(pools[owner], (access(other),), 1)
        for context in contexts:
            a.ok.cuCtxSetCurrent(context)
            for working in streams:
                for source, target in ((0, 1), (1, 0), (0, 0), (1, 1)):
                    a.c.cuMemcpyAsync(pieces[target], pieces[source], 64, working)
                    a.c.cuMemcpyDtoDAsync(pieces[target], pieces[source], 64, working)
                a.c.cuMemsetD8Async(pieces[0], 1, 64, working)
                a.c.cuMemsetD8Async(pieces[1], 1, 64, working)
                a.c.cuStreamSynchronize(working)
            for source, target in ((0, 1), (1, 0), (0, 0), (1, 1)):
                a.c.cuMemcpy(pieces[target], pieces[source], 64)
