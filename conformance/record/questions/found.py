"""Questions about what a random search found, with its neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.copy.fixtures import struct
from conformance.cases.runtime.fixtures import HERE, INTERPROCESS, PAGE, event, fresh, managed, stream, using
from conformance.kit.world import access
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

RANGES: tuple[tuple[str, tuple[object, ...]], ...] = (
    ("cudaCtxResetPersistingL2Cache", ()),
    ("cudaMemRangeGetAttribute", (4, 1, 0, PAGE)),
    ("cudaMemRangeGetAttribute", (0, 99, 0, 0)),
    ("cudaMemRangeGetAttributes", ((4, 4), (1, 2), 2, 0, PAGE)),
    ("cudaMemRangeGetAttributes", (None, None, 0, 0, 0)),
    ("cudaMemAdvise", (0, PAGE, 5, HERE)),
    ("cudaMemPrefetchAsync", (0, PAGE, HERE, 0, 0)),
    ("cudaDeviceFlushGPUDirectRDMAWrites", (0, 100)),
)
"""Calls of ranges of memory and their neighbours, with arguments that name nothing."""
OTHERS: tuple[tuple[str, tuple[object, ...]], ...] = (
    ("cudaDeviceGetCacheConfig", ()),
    ("cudaDeviceGetLimit", (0,)),
    ("cudaDeviceGetLimit", (99,)),
    ("cudaDeviceGetSharedMemConfig", ()),
    ("cudaDeviceGetStreamPriorityRange", ()),
    ("cudaDeviceSetCacheConfig", (1,)),
    ("cudaDeviceSetLimit", (99, 0)),
    ("cudaDeviceSetSharedMemConfig", (1,)),
    ("cudaDeviceSynchronize", ()),
    ("cudaEventCreateWithFlags", (8,)),
    ("cudaEventRecord", (0, 0)),
    ("cudaHostRegister", (0, PAGE, 0)),
    ("cudaHostUnregister", (0,)),
    ("cudaIpcCloseMemHandle", (0,)),
    ("cudaIpcGetEventHandle", (0,)),
    ("cudaIpcGetMemHandle", (0,)),
    ("cudaIpcOpenEventHandle", (bytes(64),)),
    ("cudaIpcOpenMemHandle", (bytes(64), 1)),
    ("cudaMemGetInfo", ()),
    ("cudaStreamCreateWithFlags", (2,)),
    ("cudaStreamGetFlags", (0,)),
    ("cudaStreamGetId", (0,)),
    ("cudaStreamGetPriority", (0,)),
    ("cudaStreamIsCapturing", (0,)),
    ("cudaStreamQuery", (0,)),
    ("cudaStreamSynchronize", (0,)),
)
"""The other calls that need a context and have no question of their own."""
NULLS = ("cudaMemRangeGetAttribute", "cudaMemRangeGetAttributes")


@question()
def calls_of_ranges_in_a_thread_without_a_context(w: World) -> None:
    """From a thread to which nothing is current, of memory that is there and of none, and what is current then."""
    a = using(w)
    range_ = managed(a)
    real: tuple[tuple[str, tuple[object, ...]], ...] = (
        ("cudaMemRangeGetAttribute", (4, 1, range_, PAGE)),
        ("cudaMemRangeGetAttributes", ((4, 4), (1, 2), 2, range_, PAGE)),
        ("cudaMemAdvise", (range_, PAGE, 5, HERE)),
    )
    for call, arguments in (*real, *RANGES):
        thread = a.thread(w.thread_name())
        getattr(thread.c, call)(*arguments)
        thread.c.cudaPeekAtLastError()
        thread.c.cuCtxGetCurrent()
    for call in NULLS:
        thread = a.thread(w.thread_name())
        arguments = dict(RANGES)[call]
        getattr(thread.c, call)(*arguments, null="data")
        thread.c.cuCtxGetCurrent()


@question()
def other_calls_in_a_thread_without_a_context(w: World) -> None:
    """Likewise of every other call that needs a context."""
    a = using(w)
    for call, arguments in OTHERS:
        thread = a.thread(w.thread_name())
        getattr(thread.c, call)(*arguments)
        thread.c.cuCtxGetCurrent()


@question()
def calls_of_ranges_where_nothing_was_called(w: World) -> None:
    """In a process where nothing was called, and what is current then."""
    for call in ("cudaCtxResetPersistingL2Cache", *NULLS):
        a = fresh(w)
        getattr(a.c, call)(*dict(RANGES)[call])
        a.c.cuCtxGetCurrent()
        a.c.cuDevicePrimaryCtxGetState(0)


@question()
def calls_of_ranges_after_a_reset(w: World) -> None:
    """After the device's reset, and after the thread's context was popped."""
    a = using(w)
    for call in ("cudaCtxResetPersistingL2Cache", *NULLS):
        a.c.cudaDeviceReset()
        getattr(a.c, call)(*dict(RANGES)[call])
        a.c.cuCtxGetCurrent()
        a.c.cudaSetDevice(0)
        a.c.cuCtxPopCurrent()
        getattr(a.c, call)(*dict(RANGES)[call])
        a.c.cuCtxGetCurrent()
        a.c.cudaSetDevice(0)


@question()
def an_event_s_handle_without_room(w: World) -> None:
    """A null pointer for the handle of an event: of one that can be shared, of one that can't, and of none."""
    for flags in (INTERPROCESS, 2, None):
        a = using(w)
        one = 0 if flags is None else event(a, flags)
        a.c.cudaIpcGetEventHandle(one, null="handle")


@question()
def copies_of_rows_from_pools_of_other_devices(w: World) -> None:
    """By cuMemcpy3DPeer and its kin, with contexts and without, from a pool that grants the current device nothing."""
    w.needs_devices(2)
    rows = {"dstMemoryType": 2, "srcMemoryType": 2, "dstPitch": 16, "srcPitch": 16, "dstHeight": 4, "srcHeight": 4}
    extent = {"WidthInBytes": 8, "Height": 3, "Depth": 2}
    for call in ("cuMemcpy3DPeer", "cuMemcpy3DPeerAsync"):
        for given in (False, True):
            a = w.process(1)
            pool = a.ok.cuMemPoolCreate((1, 0, (1, 0), 0, 0, 0, 0))
            memory = a.ok.cuMemAllocFromPoolAsync(PAGE, pool, 0)
            a.c.cuStreamSynchronize(0)
            contexts = {"dstContext": a.context, "srcContext": a.context} if given else {}
            copy = struct("CUDA_MEMCPY3D_PEER", dstDevice=memory, srcDevice=memory + 512, **rows, **extent, **contexts)
            getattr(a.c, call)(copy, *[0] * call.endswith("Async"))
            a.c.cuCtxGetCurrent()


@question()
def handles_of_streams_in_a_thread_without_a_context(w: World) -> None:
    """Of a stream that was created, from a thread to which nothing is current."""
    a = using(w)
    working, one = stream(a), event(a)
    for call, arguments in (
        ("cudaStreamGetFlags", (working,)),
        ("cudaStreamGetPriority", (working,)),
        ("cudaStreamGetId", (working,)),
        ("cudaStreamSynchronize", (working,)),
        ("cudaStreamWaitEvent", (working, one, 0)),
        ("cudaStreamIsCapturing", (working,)),
        ("cudaStreamGetAttribute", (working, 3)),
        ("cudaStreamCopyAttributes", (working, working)),
        ("cudaStreamAttachMemAsync", (working, 0, 0, 1)),
        ("cudaIpcGetEventHandle", (one,)),
        ("cudaEventDestroy", (one,)),
        ("cudaStreamDestroy", (working,)),
    ):
        thread = a.thread(w.thread_name())
        getattr(thread.c, call)(*arguments)
        thread.c.cuCtxGetCurrent()


NOWHERE = 0x3FF0_0000_0000
"""An address that no driver gives out."""
PLACES = ((2, 0), (3, 0))
"""Locations of pools of the host: of any node, and of the first one."""
ACCESS_FLAGS = 16


def copied(a: Process, memory: int) -> None:
    """Copy and fill memory by every kind of call, to memory of the device, from it, and within."""
    other = a.ok.cuMemAlloc(PAGE)
    a.c.cuMemcpyHtoD(memory, b"sixteen bytes, 1", 16)
    a.c.cuMemcpyDtoH(bytearray(16), memory, 16)
    a.c.cuMemcpyHtoDAsync(memory, b"sixteen bytes, 1", 16, 0)
    for target, source in ((memory, other), (other, memory), (memory, memory + 512)):
        a.c.cuMemcpyDtoD(target, source, 16)
        a.c.cuMemcpyDtoDAsync(target, source, 16, 0)
        a.c.cuMemcpy(target, source, 16)
        a.c.cuMemcpyAsync(target, source, 16, 0)
        a.c.cuMemcpyPeer(target, a.context, source, a.context, 16)
        a.c.cudaMemcpyAsync(target, source, 16, 4, 0)
        a.c.cudaMemcpy(target, source, 16, 3)
        a.c.cuMemcpyBatchAsync((target,), (source,), (16,), 1, ((1, (0, 0), (0, 0), 0),), (0,), 1, 2)
    a.c.cuMemsetD8(memory, 7, 16)
    a.c.cuMemsetD32Async(memory, 7, 4, 0)
    a.c.cuMemsetD2D8(memory, 64, 7, 4, 2)
    a.c.cudaMemsetAsync(memory, 7, 16, 0)
    a.c.cuPointerGetAttribute(ACCESS_FLAGS, memory)
    a.c.cuStreamSynchronize(0)


@question()
def copies_with_pools_of_the_host(w: World) -> None:
    """Memory of a pool of the host, whose access by the device was set or not."""
    for place in PLACES:
        for given in (None, access(0), access(0, 1)):
            a = w.process()
            pool = a.ok.cuMemPoolCreate((1, 0, place, 0, 0, 0, 0))
            if given is not None:
                a.c.cuMemPoolSetAccess(pool, (given,), 1)
            memory = a.ok.cuMemAllocFromPoolAsync(PAGE, pool, 0)
            a.c.cuStreamSynchronize(0)
            a.c.cuMemPoolGetAccess(pool, HERE)
            a.c.cuMemPoolGetAccess(pool, place)
            copied(a, memory)


@question()
def copies_with_pools_of_another_device(w: World) -> None:
    """Likewise of a pool of another device."""
    w.needs_devices(2)
    for given in (None, access(0), access(0, 1)):
        a = w.process()
        pool = a.ok.cuMemPoolCreate((1, 0, (1, 1), 0, 0, 0, 0))
        if given is not None:
            a.c.cuMemPoolSetAccess(pool, (given,), 1)
        memory = a.ok.cuMemAllocFromPoolAsync(PAGE, pool, 0)
        a.c.cuStreamSynchronize(0)
        copied(a, memory)


@question()
def copies_of_rows_between_devices_that_are_refused(w: World) -> None:
    """By cuMemcpy3DPeer without contexts: from where nothing is, from a mapping without access, and past memory's end."""
    rows = {"dstMemoryType": 2, "srcMemoryType": 2, "dstPitch": 16, "srcPitch": 16, "dstHeight": 4, "srcHeight": 4}
    extent = {"WidthInBytes": 8, "Height": 3, "Depth": 2}
    for kind in ("nowhere", "mapped", "past", "both"):
        a = w.process()
        memory = a.ok.cuMemAlloc(PAGE)
        source = {"nowhere": NOWHERE, "past": memory + PAGE - 16, "both": NOWHERE}.get(kind) or a.mapped(grant=False)[0]
        target = NOWHERE if kind == "both" else memory
        copy = struct("CUDA_MEMCPY3D_PEER", dstDevice=target, srcDevice=source, **rows, **extent)
        a.c.cuMemcpy3DPeer(copy)
        a.c.cuCtxGetCurrent()
