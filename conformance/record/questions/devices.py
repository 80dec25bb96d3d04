"""Questions about two devices: work in streams of another device, and memory that one has of the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.peer.fixtures import peer_of, peered
from conformance.cases.driver.pool.fixtures import SIZE, memory, pool, shared
from conformance.cases.driver.stream.fixtures import EQUAL, NON_BLOCKING, block, elsewhere, stream, word
from conformance.cases.driver.unified.fixtures import ACCESSED, ATTRIBUTE, PREFERRED, READ_MOSTLY, managed
from conformance.cases.driver.unified.fixtures import SIZE as RANGE
from conformance.cases.driver.va.fixtures import half_mapped
from conformance.kit.world import GRANULE, POSIX, access, location, pinned
from conformance.record.questions.fixtures import question
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

ORDINAL, POOL, OWNER = (
    ENUMS["CUpointer_attribute"][f"CU_POINTER_ATTRIBUTE_{name}"]
    for name in ("DEVICE_ORDINAL", "MEMPOOL_HANDLE", "CONTEXT")
)
NONE, READ, WHOLE = 0, 1, 3
"""CUmemAccess_flags."""


def told(a: Process, ptr: int) -> None:
    """Ask on which device memory lies, and its first bytes."""
    a.c.cuPointerGetAttribute(ORDINAL, ptr)
    a.c.cuMemcpyDtoH(bytearray(4), ptr, 4)


def uses(a: Process, ptr: int, into: int) -> None:
    """Use memory in each way: set it, read it, copy it at once and in the default stream."""
    a.c.cuMemsetD8(ptr, 3, 16)
    a.c.cuMemsetD8Async(ptr, 4, 16, 0)
    a.c.cuMemcpyDtoH(bytearray(4), ptr, 4)
    a.c.cuMemcpyDtoD(into, ptr, 16)
    a.c.cuMemcpyDtoDAsync(ptr, into, 16, 0)
    a.c.cuMemcpyAsync(into, ptr, 16, 0)
    a.c.cuCtxSynchronize()
    told(a, into)


@question()
def access_to_pools_of_another_device(w: World) -> None:
    """What each access to a pool's memory allows the other device, before the memory is there and after."""
    a = peered(w)
    theirs, into = pool(a, location=location(1)), word(a)
    ptr = memory(a, theirs)
    a.c.cuCtxSynchronize()
    for flags in (NONE, READ, WHOLE, NONE, WHOLE):
        a.c.cuMemPoolSetAccess(theirs, (access(0, flags),), 1)
        a.c.cuMemPoolGetAccess(theirs, location(0))
        a.c.cuMemPoolGetAccess(theirs, location(1))
        uses(a, ptr, into)
        uses(a, memory(a, theirs), into)
    for descriptions in (
        (access(0), access(1)),
        (access(0, NONE), access(1, NONE)),
        (access(0, NONE), access(2)),
        (access(0), access(0, NONE)),
    ):
        a.c.cuMemPoolSetAccess(theirs, descriptions, len(descriptions))
        a.c.cuMemPoolGetAccess(theirs, location(0))
        a.c.cuMemPoolGetAccess(theirs, location(1))


@question()
def streams_of_another_device(w: World) -> None:
    """On which device calls with a stream of another device than the current context's do their work."""
    a = peered(w)
    near, far = word(a), 0
    theirs, context = elsewhere(a, 1)
    a.ok.cuCtxPushCurrent(context)
    far = word(a)
    a.ok.cuCtxPopCurrent()
    a.c.cuStreamGetDevice(theirs)
    allocated = a.c.cuMemAllocAsync(SIZE, theirs)
    if allocated[0] == 0:
        a.c.cuStreamSynchronize(theirs)
        told(a, allocated[1])
        a.c.cuPointerGetAttribute(POOL, allocated[1])
        a.c.cuMemFreeAsync(allocated[1], 0)
    a.c.cuMemAllocFromPoolAsync(SIZE, pool(a), theirs)
    a.c.cuMemAllocFromPoolAsync(SIZE, pool(a, location=location(1)), 0)
    for ptr in (near, far):
        a.c.cuMemsetD8Async(ptr, 7, 4, theirs)
        a.c.cuMemsetD2D32Async(ptr, 512, 7, 2, 2, theirs)
        a.c.cuMemcpyDtoDAsync(far, ptr, 4, theirs)
        a.c.cuMemcpyAsync(near, ptr, 4, theirs)
        a.c.cuStreamWriteValue32(theirs, ptr, 5, 0)
        a.c.cuStreamWaitValue32(theirs, ptr, 5, EQUAL)
        a.c.cuStreamSynchronize(theirs)
        told(a, ptr)
    of_managed = managed(a)
    a.c.cuMemPrefetchAsync(of_managed, RANGE, location(), 0, theirs)
    a.c.cuMemPrefetchAsync(of_managed, RANGE, location(1), 0, theirs)
    a.c.cuStreamAttachMemAsync(theirs, of_managed, 0, 1)
    for event_of in (0, 1):
        if event_of:
            a.ok.cuCtxPushCurrent(context)
        event = a.ok.cuEventCreate(0)
        for recording in (0, theirs):
            a.c.cuEventRecord(event, recording)
            a.c.cuStreamWaitEvent(theirs, event, 0)
            a.c.cuStreamWaitEvent(0, event, 0)
        a.c.cuStreamCopyAttributes(theirs, 0)
    a.c.cuCtxSynchronize()


@question()
def copies_between_devices_in_streams(w: World) -> None:
    """What copies between devices do in streams, with peer access and without, and what waits for them."""
    a = peered(w)
    context = peer_of(a)
    near = word(a)
    a.ok.cuCtxPushCurrent(context)
    far = word(a)
    a.ok.cuCtxPopCurrent()
    working = stream(a, NON_BLOCKING)
    for enabled in (False, True):
        if enabled:
            a.ok.cuCtxEnablePeerAccess(context, 0)
        a.c.cuMemsetD8(near, 9, 64)
        a.c.cuMemcpyDtoDAsync(far, near, 16, working)
        a.c.cuMemcpyAsync(far + 16, near, 16, working)
        a.c.cuMemcpyPeerAsync(far + 32, context, near, a.context, 16, working)
        a.c.cuMemcpyPeerAsync(far + 48, a.context, near, context, 16, working)
        a.c.cuMemsetD8Async(far, 8, 4, working)
        a.c.cuMemsetD8(far, 8, 4)
        a.c.cuStreamSynchronize(working)
        for place in (far, far + 16, far + 32, far + 48):
            told(a, place)
    a.c.cuCtxDisablePeerAccess(context)
    a.c.cuMemsetD8Async(far, 6, 4, working)
    told(a, far)


@question()
def managed_memory_of_two_devices(w: World) -> None:
    """What is told of ranges that one device has and another one accesses."""
    a = peered(w)
    peer_of(a)
    ptr = managed(a)
    for advice, place in (
        (ACCESSED, 1),
        (ACCESSED, 0),
        (PREFERRED, 1),
        (READ_MOSTLY, 1),
        (PREFERRED, 2),
        (ACCESSED, 2),
    ):
        a.c.cuMemAdvise(ptr, RANGE, advice, location(place))
    for place in (1, 0, 2):
        a.c.cuMemPrefetchAsync(ptr, RANGE // 2, location(place), 0, 0)
        a.c.cuCtxSynchronize()
        a.c.cuMemRangeGetAttribute(4, ATTRIBUTE["LAST_PREFETCH_LOCATION"], ptr, RANGE // 2)
        a.c.cuMemRangeGetAttribute(4, ATTRIBUTE["LAST_PREFETCH_LOCATION"], ptr, RANGE)
    a.c.cuMemRangeGetAttribute(12, ATTRIBUTE["ACCESSED_BY"], ptr, RANGE)
    a.c.cuMemRangeGetAttribute(4, ATTRIBUTE["PREFERRED_LOCATION"], ptr, RANGE)
    a.c.cuPointerGetAttribute(ORDINAL, ptr)


@question()
def pools_that_are_current_on_another_device(w: World) -> None:
    """Which pools a device takes as its own, and where memory then comes from."""
    a = peered(w)
    near, far = pool(a), pool(a, location=location(1))
    for device in (0, 1):
        for made in (near, far):
            a.c.cuDeviceSetMemPool(device, made)
            a.c.cuMemSetMemPool(location(device), 1, made)
            a.c.cuDeviceGetMemPool(device)
    told(a, a.ok.cuMemAllocAsync(SIZE, 0))
    context = a.ok.cuCtxCreate(None, 0, 1)
    told(a, a.ok.cuMemAllocAsync(SIZE, 0))
    a.c.cuMemAllocFromPoolAsync(SIZE, near, 0)
    a.c.cuMemPoolDestroy(far)
    a.c.cuDeviceGetMemPool(1)
    told(a, a.ok.cuMemAllocAsync(SIZE, 0))
    a.c.cuCtxDestroy(context)


@question()
def pools_of_another_device_between_processes(w: World) -> None:
    """What an importer that has a context on one device alone can do with a pool of another one."""
    w.needs_devices(2)
    a, b = w.process(), w.process(1)
    made = pool(b, handle_types=POSIX, location=location(1))
    descriptor = b.ok.cuMemPoolExportToShareableHandle(made, POSIX, 0)
    ptr, data = shared(b, made)
    into = a.ok.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0)
    target = word(a)
    for device in (0, 1):
        a.c.cuMemPoolGetAccess(into, location(device))
    opened = a.c.cuMemPoolImportPointer(into, data)
    for flags in (NONE, WHOLE):
        a.c.cuMemPoolSetAccess(into, (access(0, flags),), 1)
        if opened[0] == 0:
            uses(a, opened[1], target)
    told(b, ptr)


@question()
def sides_of_copies_between_contexts(w: World) -> None:
    """Through which device a pool's memory and a mapping are reached, by the contexts that are named and the current one."""
    a = peered(w)
    other = peer_of(a)
    handle = a.ok.cuMemCreate(GRANULE, pinned(), 0)
    mapped = a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0)
    a.ok.cuMemMap(mapped, GRANULE, 0, handle, 0)
    a.ok.cuMemSetAccess(mapped, GRANULE, (access(0),), 1)
    here, there = memory(a, pool(a, location=location(0))), memory(a, pool(a, location=location(1)))
    a.c.cuCtxSynchronize()
    for current in (a.context, other):
        a.ok.cuCtxPushCurrent(current)
        into = word(a)
        for ptr in (mapped, here, there):
            for own in (0, a.context, other):
                for across in (0, a.context, other):
                    a.c.cuMemcpyPeer(into, across, ptr, own, 4)
                    a.c.cuMemcpyPeer(ptr, own, into, across, 4)
                    a.c.cuMemcpyPeerAsync(ptr, own, into, across, 4, 0)
        a.c.cuCtxSynchronize()
        a.ok.cuCtxPopCurrent()


@question()
def mappings_of_another_device(w: World) -> None:
    """What access to memory that another device has allows in streams, by the device that is current."""
    for descriptions in ((access(1),), (access(0, READ),), (access(0),), (access(0), access(1)), (access(0, NONE),)):
        a = peered(w)
        handle, size = a.ok.cuMemCreate(2 << 20, pinned(1), 0), 2 << 20
        ptr = a.ok.cuMemAddressReserve(size, 0, 0, 0)
        a.ok.cuMemMap(ptr, size, 0, handle, 0)
        into = word(a)
        a.c.cuMemSetAccess(ptr, size, descriptions, len(descriptions))
        uses(a, ptr, into)
        a.c.cuStreamWriteValue32(0, ptr, 1, 0)
        a.c.cuStreamWaitValue32(0, ptr, 1, EQUAL)
        a.c.cuCtxSynchronize()


@question(alone=True)
def a_peer_that_is_lost_at_work(w: World) -> None:
    """Whether disabling peer access waits for work, and what becomes of work that needs it."""
    a = peered(w)
    context = peer_of(a)
    a.ok.cuCtxPushCurrent(context)
    far = word(a)
    a.ok.cuCtxPopCurrent()
    a.ok.cuCtxEnablePeerAccess(context, 0)
    working = stream(a, NON_BLOCKING)
    unblock = block(w, a, working)
    a.c.cuMemsetD8Async(far, 6, 4, working)
    a.c.cuStreamQuery(working)
    a.c.cuCtxDisablePeerAccess(context)
    a.c.cuStreamQuery(working)
    unblock()
    told(a, far)
    a.c.cuCtxSynchronize()
    a.ok.cuCtxPushCurrent(context)
    a.c.cuCtxSynchronize()


@question(alone=True)
def a_fault_of_one_of_two_devices(w: World) -> None:
    """Whether a fault is that of contexts on a device too, whose memory the work did not use."""
    a = peered(w)
    context = peer_of(a)
    a.c.cuStreamWriteValue32(0, half_mapped(a, 1), 1, 0)
    a.c.cuCtxSynchronize()
    a.ok.cuCtxPushCurrent(context)
    a.c.cuCtxSynchronize()
    a.c.cuMemAlloc(SIZE)
    a.c.cuCtxCreate(None, 0, 1)


@question()
def values_in_memory_of_another_device(w: World) -> None:
    """What waits for values and writes them in linear memory of a peer, before its access and after, and in an import."""
    a, b = peered(w), w.process(1)
    context = peer_of(a)
    a.ok.cuCtxPushCurrent(context)
    far = word(a)
    a.ok.cuCtxPopCurrent()
    opened = a.ok.cuIpcOpenMemHandle(b.ok.cuIpcGetMemHandle(word(b)), 1)
    for _ in range(2):
        for ptr in (far, opened):
            a.c.cuStreamWriteValue32(0, ptr, 1, 0)
            a.c.cuStreamWaitValue32(0, ptr, 1, EQUAL)
            a.c.cuCtxSynchronize()
        a.c.cuCtxEnablePeerAccess(context, 0)
    a.ok.cuCtxPushCurrent(context)
    a.c.cuStreamWriteValue32(0, opened, 2, 0)
    a.c.cuCtxSynchronize()


@question()
def flags_of_mappings(w: World) -> None:
    """Which contexts are told the host flags of a mapping: by where its memory lies and which devices may use it."""
    a = peered(w)
    other = peer_of(a)
    mappings = []
    for place in (0, 1):
        for granted in ((), (0,), (1,), (0, 1)):
            ptr = a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0)
            a.ok.cuMemMap(ptr, GRANULE, 0, a.ok.cuMemCreate(GRANULE, pinned(place), 0), 0)
            for device in granted:
                a.ok.cuMemSetAccess(ptr, GRANULE, (access(device),), 1)
            mappings.append(ptr)
    for current in (a.context, other):
        a.ok.cuCtxPushCurrent(current)
        for ptr in mappings:
            a.c.cuMemHostGetFlags(ptr)
            a.c.cuMemHostGetDevicePointer(ptr, 0)
            a.c.cuMemGetAddressRange(ptr)
            a.c.cuMemHostGetFlags(ptr + 5)
        a.ok.cuCtxPopCurrent()
