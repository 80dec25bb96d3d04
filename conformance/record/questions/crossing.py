"""Questions about work whose stream, memory and current context are of different devices, and of work that seldom goes wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.peer.fixtures import peer_of, peered
from conformance.cases.driver.pool.fixtures import CHUNK, SIZE, pool
from conformance.cases.driver.pool.fixtures import memory as pooled
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream, word
from conformance.cases.driver.unified.fixtures import managed
from conformance.cases.driver.va.fixtures import NOWHERE
from conformance.cases.runtime.fixtures import using
from conformance.kit.program import FORKED
from conformance.kit.world import GRANULE, POSIX, access, location, pinned
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

ATTRIBUTES = ((1, (0, 0), (0, 0), 0),)
"""Attributes of a batch of copies."""
CALLS = ("cuMemcpyAsync", "cuMemcpyDtoDAsync", "cuMemcpyPeerAsync", "cuMemcpyBatchAsync", "cuMemcpy2DAsync")


def copy(a: Process, call: str, into: int, source: int, contexts: tuple[int, int], on: int) -> None:
    """Copy 16 bytes by a call.

    Args:
        a: The process.
        call: The call.
        into: Where to.
        source: Where from.
        contexts: Those of the destination's and of the source's device.
        on: The stream.
    """
    if call == "cuMemcpyPeerAsync":
        a.c.cuMemcpyPeerAsync(into, contexts[0], source, contexts[1], 16, on)
    elif call == "cuMemcpyBatchAsync":
        a.c.cuMemcpyBatchAsync((into,), (source,), (16,), 1, ATTRIBUTES, (0,), 1, on)
    elif call == "cuMemcpy2DAsync":
        a.c.cuMemcpy2DAsync((0, 0, 2, 0, source, 0, 4, 0, 0, 2, 0, into, 0, 4, 4, 4), on)
    else:
        getattr(a.c, call)(into, source, 16, on)


def memory_of(a: Process, kind: str, contexts: tuple[int, int], device: int) -> int:
    """Return memory of a device of which the other one has no access."""
    a.ok.cuCtxPushCurrent(contexts[device])
    if kind == "pool":
        made: int = pooled(a, pool(a, location=location(device)))
    elif kind == "mapping":
        made = a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0)
        a.ok.cuMemMap(made, GRANULE, 0, a.ok.cuMemCreate(GRANULE, pinned(device), 0), 0)
        a.ok.cuMemSetAccess(made, GRANULE, (access(device),), 1)
    else:
        made = a.ok.cuMemAlloc(PAGE)
    a.ok.cuCtxSynchronize()
    a.ok.cuCtxPopCurrent()
    return made


def _copies(w: World, kind: str, call: str) -> None:
    a = peered(w)
    contexts = (a.context, peer_of(a))
    here, there = (memory_of(a, kind, contexts, device) for device in (0, 1))
    beside = [memory_of(a, kind, contexts, device) for device in (0, 1)]
    streams = []
    for context in contexts:
        a.ok.cuCtxPushCurrent(context)
        streams.append(stream(a, NON_BLOCKING))
        a.ok.cuCtxPopCurrent()
    sides = ((here, 0), (there, 1))
    for current in (0, 1, None):
        a.ok.cuCtxSetCurrent(contexts[current] if current is not None else 0)
        for on in streams:
            for into, first in sides:
                for source, second in sides:
                    given = beside[second] if into == source else source
                    copy(a, call, into, given, (contexts[first], contexts[second]), on)
            for into, _ in sides:
                a.c.cuMemsetD8Async(into, 1, 16, on)
    for context in contexts:
        a.c.cuCtxSetCurrent(context)
        a.c.cuCtxSynchronize()


@question()
def copies_of_pools_between_devices(w: World) -> None:
    """Whose access counts: that of the current context's device, the stream's, or the memory's own; cuMemcpyAsync."""
    _copies(w, "pool", "cuMemcpyAsync")


@question()
def device_copies_of_pools_between_devices(w: World) -> None:
    """Likewise, of cuMemcpyDtoDAsync."""
    _copies(w, "pool", "cuMemcpyDtoDAsync")


@question()
def peer_copies_of_pools_between_devices(w: World) -> None:
    """Likewise, of cuMemcpyPeerAsync."""
    _copies(w, "pool", "cuMemcpyPeerAsync")


@question()
def batches_of_copies_of_pools_between_devices(w: World) -> None:
    """Likewise, of cuMemcpyBatchAsync and rows."""
    _copies(w, "pool", "cuMemcpyBatchAsync")
    _copies(w, "pool", "cuMemcpy2DAsync")


@question()
def copies_of_mappings_between_devices(w: World) -> None:
    """Likewise, of memory that is mapped."""
    for call in CALLS[:3]:
        _copies(w, "mapping", call)


@question()
def copies_of_linear_memory_between_devices(w: World) -> None:
    """Likewise, of linear memory, without peer access."""
    for call in CALLS[:3]:
        _copies(w, "linear", call)


@question()
def values_and_prefetches_between_devices(w: World) -> None:
    """Likewise, of memory operations and allocations: which device's pool gives memory, and who may write a value."""
    a = peered(w)
    contexts = (a.context, peer_of(a))
    places = [memory_of(a, kind, contexts, device) for kind in ("pool", "linear") for device in (0, 1)]
    streams = []
    for context in contexts:
        a.ok.cuCtxPushCurrent(context)
        streams.append(stream(a, NON_BLOCKING))
        a.ok.cuCtxPopCurrent()
    for current in (0, 1, None):
        a.ok.cuCtxSetCurrent(contexts[current] if current is not None else 0)
        for on in streams:
            code, ptr = a.c.cuMemAllocAsync(SIZE, on)
            if not code:
                a.c.cuPointerGetAttribute(9, ptr)
                a.c.cuMemFreeAsync(ptr, streams[0])
            for place in places[2:]:
                a.c.cuStreamWriteValue32(on, place, 1, 0)
            for place in places[:2]:
                a.c.cuMemcpyAsync(place, place + 64, 16, on)


@question()
def free_after_its_pool_again(w: World) -> None:
    """How often and where a process ends after memory of a destroyed pool was freed."""
    for number in range(6):
        a = w.process()
        for _round in range(1 + number % 3):
            made = pool(a, handle_types=POSIX if number > 2 else 0)
            ptr = pooled(a, made)
            a.c.cuMemPoolDestroy(made)
            a.c.cuMemFreeAsync(ptr, 0)
        a.c.cuCtxSynchronize()
        other = a.c.cuMemPoolCreate((1, 0, (1, 0), 0, 0, 0, 0))[1]
        a.c.cuMemAllocFromPoolAsync(SIZE, other, 0)
        a.c.cuCtxSynchronize()
        a.c.cuMemPoolDestroy(other)
        a.c.cuCtxSynchronize()


@question()
def free_after_its_pool_and_a_wait(w: World) -> None:
    """The same where the process waits before it frees, or frees before the pool's end is done."""
    for waits in (False, True):
        for _round in range(3):
            a = w.process()
            made = pool(a)
            ptr = pooled(a, made)
            if waits:
                a.c.cuCtxSynchronize()
            a.c.cuMemPoolDestroy(made)
            if waits:
                a.c.cuCtxSynchronize()
            a.c.cuMemFree(ptr)
            a.c.cuMemAllocFromPoolAsync(SIZE, pool(a), 0)
            a.c.cuCtxSynchronize()


@question()
def ranges_of_blocks_of_a_pool(w: World) -> None:
    """From where and how far a range runs that ends the process in cuMemGetHandleForAddressRange."""
    for start in (0, SIZE, GRANULE):
        a = w.process()
        ptr = pooled(a, pool(a), 2 * GRANULE)
        a.c.cuCtxSynchronize()
        for length in (SIZE, GRANULE, CHUNK - GRANULE, CHUNK - SIZE, CHUNK, CHUNK + GRANULE, 2 * CHUNK):
            a.c.cuMemGetHandleForAddressRange(ptr + start, length, 1, 0)


def _of_kind(a: Process, kind: str) -> int:
    if kind == "managed":
        return managed(a)
    if kind == "none":
        return NOWHERE
    made: int = a.ok.cuMemHostAlloc(PAGE, 1) if kind == "pinned" else a.ok.cuMemAlloc(PAGE)
    return made


@question(alone=True)
def prefetches_in_forks(w: World) -> None:
    """Which ranges end the process that a fork prefetches in a created stream, used before by nobody, the parent, or a fork."""
    for kind in ("managed", "pinned", "none"):
        for used in (False, True):
            for on in ("created",):
                a = w.process()
                working = stream(a, NON_BLOCKING)
                known = managed(a)
                ptr = _of_kind(a, kind)
                if used:
                    a.ok.cuMemPrefetchAsync(known, PAGE, (2, 0), 0, working)
                    a.ok.cuCtxSynchronize()
                door = a.thread(FORKED).c
                door.cuMemPrefetchAsync(ptr, PAGE, (2, 0), 0, working if on == "created" else 1)
                a.c.cuMemPrefetchAsync(ptr, PAGE, (2, 0), 0, working if on == "created" else 1)


@question(alone=True)
def sizes_beyond_any_memory_after_forks(w: World) -> None:
    """Whether a size beyond any memory answers something else after a fork has called something of pools."""
    for before in (None, "trim none", "alloc of the runtime"):
        for on in (0, 2):
            a = using(w)
            a.ok.cudaFree(0)
            door = a.thread(FORKED).c
            if before == "trim none":
                door.cudaMemPoolTrimTo(0, 1)
            elif before == "trim":
                door.cudaMemPoolTrimTo(a.ok.cudaDeviceGetDefaultMemPool(0), 1)
            elif before == "alloc":
                door.cuMemAllocAsync(PAGE, 0)
            elif before == "alloc of the runtime":
                door.cudaMallocAsync(PAGE, on)
            elif before == "count":
                door.cudaGetDeviceCount()
            a.c.cudaMallocAsync(1 << 60, on)
            a.c.cudaMallocAsync(PAGE, on)
            a.c.cudaMallocAsync(1 << 60, on)


@question()
def sizes_beyond_any_memory(w: World) -> None:
    """What each size answers, from the smallest that no device has on."""
    a = w.process()
    made = pool(a)
    for exponent in (42, 44, 46, 47, 48, 50, 52, 56, 60, 62, 63):
        for size in ((1 << exponent) - 1, 1 << exponent):
            a.c.cuMemAllocAsync(size, 0)
            a.c.cuMemAllocFromPoolAsync(size, made, 0)
            a.c.cuMemAlloc(size)
    for size in ((1 << 64) - 1, (1 << 64) - 511, (1 << 64) - (32 << 20), (1 << 64) - (2 << 20)):
        a.c.cuMemAllocAsync(size, 0)
        a.c.cuMemAlloc(size)


@question()
def null_functions_of_the_host(w: World) -> None:
    """What calls with no function answer, in each kind of stream and with other faults, and whether the process ends."""
    for kind in ("legacy", "per thread", "created", "ended"):
        for call in ("cuLaunchHostFunc", "cuStreamAddCallback"):
            a = w.process()
            on = {"legacy": 1, "per thread": 2}.get(kind, 0) or stream(a, NON_BLOCKING)
            if kind == "ended":
                a.ok.cuStreamDestroy(on)
            if call == "cuLaunchHostFunc":
                a.c.cuLaunchHostFunc(on, 0, 0)
            else:
                a.c.cuStreamAddCallback(on, 0, 0, 0)
                a.c.cuStreamAddCallback(on, 0, 0, 1)
            a.c.cuCtxSynchronize()
    a = w.process()
    a.ok.cuCtxPopCurrent()
    a.c.cuLaunchHostFunc(0, 0, 0)
    a.c.cuStreamAddCallback(0, 0, 0, 0)
    a.c.cuStreamAddCallback(0, 0, 0, 1)


@question()
def a_copy_into_what_lies_before(w: World) -> None:
    """Whether allocations adjoin, so that an offset that wraps leads to other memory: large and small ones."""
    for size in (512, GRANULE, 3 * GRANULE, 16 * GRANULE):
        a = w.process()
        several = [word(a) if size == 512 else a.ok.cuMemAlloc(size) for _round in range(4)]
        for ptr in several:
            for start in (ptr - 16, ptr - 1, ptr - GRANULE, ptr + size - 8, ptr + size, ptr + size + GRANULE):
                a.c.cuMemsetD8(start, 1, 16)
        a.c.cuCtxSynchronize()
