"""Questions about what a longer random search found: handles by context, descriptors of managed pools, default streams."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.copy.fixtures import struct
from conformance.cases.runtime.fixtures import PAGE, between, box, using
from conformance.kit.world import GRANULE, access
from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import Process, World

LAZY = 1
HERE, NODE = (1, 0), (3, 0)
PINNED, MANAGED = 1, 2
DMA_BUF = 1
ROOM = 32 << 20
UNIFIED, DEVICE = 4, 2
LEGACY, PER_THREAD = 1, 2
LEAST, GREATEST = 0, -5
INTERPROCESS = 6


def opens(b: Process, handle: bytes) -> int:
    """Open a handle twice, ask for what is there, and close one of both; return the address, 0 where it is refused."""
    code, there = b.c.cuIpcOpenMemHandle(handle, LAZY)
    if code:
        return 0
    b.c.cuIpcOpenMemHandle(handle, LAZY)
    b.c.cuMemGetAddressRange(there)
    b.c.cuMemcpyDtoH(bytearray(4), there, 4)
    b.c.cuIpcCloseMemHandle(there)
    return int(there)


@question()
def handles_of_memory_by_context(w: World) -> None:
    """The handle of memory that is exported while its own context is current, another one, and from another thread."""
    a, b, c = w.process(), w.process(), w.process()
    own = a.context
    ptr = a.ok.cuMemAlloc(PAGE)
    a.ok.cuMemsetD8(ptr, 5, PAGE)
    first = a.ok.cuIpcGetMemHandle(ptr)
    a.c.cuIpcGetMemHandle(ptr)
    other = a.ok.cuCtxCreate(None, 0, 0)
    second = a.ok.cuIpcGetMemHandle(ptr)
    a.c.cuIpcGetMemHandle(ptr)
    third = a.ok.cuCtxCreate(None, 0, 0)
    a.c.cuIpcGetMemHandle(ptr)
    a.c.cuCtxSetCurrent(own)
    a.c.cuIpcGetMemHandle(ptr)
    a.c.cudaSetDevice(0)
    a.c.cudaIpcGetMemHandle(ptr)
    a.c.cuIpcOpenMemHandle(first, LAZY)
    a.c.cuIpcOpenMemHandle(second, LAZY)
    one = opens(b, first)
    two = opens(b, second)
    b.c.cuCtxCreate(None, 0, 0)
    opens(b, first)
    opens(b, second)
    b.c.cuCtxSetCurrent(b.context)
    for there in (one, two, one, two):
        b.c.cuIpcCloseMemHandle(there)
    opens(c, second)
    a.c.cuCtxSetCurrent(own)
    a.c.cuCtxDestroy(third)
    a.c.cuCtxDestroy(other)
    opens(b, second)
    opens(b, first)
    again = a.ok.cuCtxCreate(None, 0, 0)
    a.c.cuIpcGetMemHandle(ptr)
    a.c.cuCtxDestroy(own)
    opens(b, second)
    opens(c, first)
    a.c.cuIpcGetMemHandle(ptr)
    a.c.cuCtxDestroy(again)


@question()
def handles_of_two_contexts_in_two_contexts(w: World) -> None:
    """Whether the rule of one context for a process and device asks for the context of the memory or of its export."""
    a, b = w.process(), w.process()
    own = a.context
    one = a.ok.cuMemAlloc(PAGE)
    first = a.ok.cuIpcGetMemHandle(one)
    a.ok.cuCtxCreate(None, 0, 0)
    two = a.ok.cuMemAlloc(PAGE)
    second = a.ok.cuIpcGetMemHandle(two)
    of_one = a.ok.cuIpcGetMemHandle(one)
    a.c.cuMemFree(one)
    opens(b, of_one)
    opens(b, first)
    opens(b, second)
    b.ok.cuCtxCreate(None, 0, 0)
    opens(b, second)
    opens(b, of_one)
    a.c.cuCtxDestroy(own)
    opens(b, second)


@question()
def handles_of_memory_by_device(w: World) -> None:
    """Of memory of one device while the other one is current, opened on either."""
    w.needs_devices(2)
    a, b, c = w.process(), w.process(), w.process()
    own = a.context
    ptr = a.ok.cuMemAlloc(PAGE)
    a.ok.cuMemsetD8(ptr, 5, PAGE)
    a.ok.cuCtxSynchronize()
    first = a.ok.cuIpcGetMemHandle(ptr)
    a.ok.cuCtxCreate(None, 0, 1)
    second = a.ok.cuIpcGetMemHandle(ptr)
    a.c.cuIpcGetMemHandle(ptr)
    opens(b, first)
    opens(b, second)
    c.ok.cuCtxCreate(None, 0, 1)
    opens(c, second)
    opens(c, first)
    a.c.cuIpcOpenMemHandle(second, LAZY)
    a.c.cuCtxDestroy(a.ok.cuCtxGetCurrent())
    opens(c, second)
    a.c.cuCtxSetCurrent(own)
    a.c.cuMemFree(ptr)
    opens(c, second)


@question()
def handles_of_events_by_context(w: World) -> None:
    """The handle of an event while another context is current, and from two contexts of one device."""
    a, b = w.process(), w.process()
    made = a.ok.cuEventCreate(INTERPROCESS)
    first = a.ok.cuIpcGetEventHandle(made)
    a.c.cuIpcGetEventHandle(made)
    a.ok.cuCtxCreate(None, 0, 0)
    code, second = a.c.cuIpcGetEventHandle(made)
    for handle in (first, second if not code else first):
        opened, event = b.c.cuIpcOpenEventHandle(handle)
        if not opened:
            b.c.cuEventQuery(event)
            b.c.cuEventDestroy(event)


@question()
def descriptors_of_memory_of_pools(w: World) -> None:
    """CuMemGetHandleForAddressRange of managed memory, and of pools of each kind: the device's own ones, and new ones."""
    for kind in ("managed", "own", "own managed", "new", "new managed", "host", "managed host"):
        for size in (PAGE, GRANULE):
            a = w.process()
            if kind == "managed":
                memory = a.ok.cuMemAllocManaged(ROOM, 1)
            else:
                allocated = MANAGED if "managed" in kind else PINNED
                if kind.startswith("own"):
                    code, pool = a.c.cuMemGetMemPool(HERE, allocated)
                else:
                    code, pool = a.c.cuMemPoolCreate((allocated, 0, NODE if "host" in kind else HERE, 0, 0, 0, 0))
                if code:
                    continue
                memory = a.ok.cuMemAllocFromPoolAsync(ROOM, pool, 0)
                a.c.cuStreamSynchronize(0)
            a.c.cuMemGetHandleForAddressRange(memory, size, DMA_BUF, 0)


@question()
def copies_of_rows_with_pools_of_the_host(w: World) -> None:
    """Rows and slices to, from and within memory of a pool of the host, by each call and kind of memory."""
    for given in (None, access(0)):
        a = using(w)
        context = a.ok.cuCtxGetCurrent()
        pool = a.ok.cuMemPoolCreate((PINNED, 0, (2, 0), 0, 0, 0, 0))
        if given is not None:
            a.c.cuMemPoolSetAccess(pool, (given,), 1)
        memory = a.ok.cuMemAllocFromPoolAsync(PAGE, pool, 0)
        a.c.cuStreamSynchronize(0)
        device = a.ok.cuMemAlloc(PAGE)
        for target, source in ((memory, device), (device, memory), (memory, memory + 512)):
            sides = {"dstPtr": (target, 16, 8, 4), "srcPtr": (source, 16, 8, 4)}
            for call in ("cudaMemcpy3DPeer", "cudaMemcpy3DPeerAsync"):
                getattr(a.c, call)(between(a, **sides, extent=(8, 2, 1)), *[0] * call.endswith("Async"))
            for kind in (3, 4):
                a.c.cudaMemcpy3D(box(a, **sides, extent=(8, 2, 1), kind=kind))
                a.c.cudaMemcpy3DAsync(box(a, **sides, extent=(8, 2, 1), kind=kind), 0)
                a.c.cudaMemcpy2D(target, 16, source, 16, 8, 2, kind)
                a.c.cudaMemcpy2DAsync(target, 16, source, 16, 8, 2, kind, 0)
            a.c.cudaMemcpyPeer(target, 0, source, 0, 16)
            a.c.cudaMemcpyPeerAsync(target, 0, source, 0, 16, 0)
            shape = {"dstPitch": 16, "srcPitch": 16, "WidthInBytes": 8, "Height": 2}
            deep = {**shape, "dstHeight": 4, "srcHeight": 4, "Depth": 2}
            for of in (DEVICE, UNIFIED):
                kinds = {"dstMemoryType": of, "srcMemoryType": of, "dstDevice": target, "srcDevice": source}
                a.c.cuMemcpy2D(struct("CUDA_MEMCPY2D", **kinds, **shape))
                a.c.cuMemcpy2DAsync(struct("CUDA_MEMCPY2D", **kinds, **shape), 0)
                a.c.cuMemcpy3D(struct("CUDA_MEMCPY3D", **kinds, **deep))
                a.c.cuMemcpy3DAsync(struct("CUDA_MEMCPY3D", **kinds, **deep), 0)
                both = {"dstContext": context, "srcContext": context}
                a.c.cuMemcpy3DPeer(struct("CUDA_MEMCPY3D_PEER", **kinds, **deep, **both))
                a.c.cuMemcpy3DPeerAsync(struct("CUDA_MEMCPY3D_PEER", **kinds, **deep, **both), 0)


def priorities(a: Process) -> None:
    """Ask for the priorities of the default streams."""
    for default in (0, LEGACY, PER_THREAD):
        a.c.cuStreamGetPriority(default)


@question()
def priorities_of_default_streams(w: World) -> None:
    """Before and after streams of the greatest priority came and went, in their context and in later ones."""
    a = w.process()
    own = a.context
    priorities(a)
    for _round in range(3):
        made = [a.ok.cuStreamCreateWithPriority(1, GREATEST) for _ in range(8)]
        priorities(a)
        for one in made:
            a.c.cuStreamDestroy(one)
        priorities(a)
        context = a.ok.cuCtxCreate(None, 0, 0)
        priorities(a)
        for _ in range(8):
            a.ok.cuStreamCreateWithPriority(1, GREATEST)
        a.c.cuCtxDestroy(context)
        a.c.cuCtxSetCurrent(own)
        priorities(a)
        thread = a.thread(w.thread_name())
        thread.c.cuCtxSetCurrent(own)
        thread.c.cuStreamGetPriority(PER_THREAD)


@question()
def priorities_of_default_streams_after_a_reset(w: World) -> None:
    """Likewise of the primary context, which is reset while such streams are there."""
    a = using(w)
    for _round in range(4):
        a.c.cudaSetDevice(0)
        priorities(a)
        for _ in range(8):
            a.ok.cudaStreamCreateWithPriority(1, GREATEST)
        priorities(a)
        a.c.cudaDeviceReset()
        thread = a.thread(w.thread_name())
        thread.c.cudaSetDevice(0)
        thread.c.cudaStreamGetPriority(PER_THREAD)
        thread.c.cudaStreamGetPriority(0)


@question()
def handles_of_events_beside_a_context_without_one(w: World) -> None:
    """An event's handle while another context is current: which never had such an event, had one, or has opened one."""
    for beside in ("none", "plain", "destroyed", "own", "opened", "first", "primary"):
        a, b = w.process(), w.process()
        foreign = b.ok.cuIpcGetEventHandle(b.ok.cuEventCreate(INTERPROCESS))
        made = a.ok.cuEventCreate(INTERPROCESS)
        if beside == "primary":
            a.ok.cuCtxPushCurrent(a.ok.cuDevicePrimaryCtxRetain(0))
        else:
            a.ok.cuCtxCreate(None, 0, 0)
        if beside == "plain":
            a.ok.cuEventCreate(2)
        elif beside in {"destroyed", "own"}:
            other = a.ok.cuEventCreate(INTERPROCESS)
            a.c.cuIpcGetEventHandle(other)
            if beside == "destroyed":
                a.ok.cuEventDestroy(other)
        elif beside == "opened":
            a.c.cuIpcOpenEventHandle(foreign)
        elif beside == "first":
            a.c.cuCtxSetCurrent(a.context)
            a.c.cuIpcGetEventHandle(made)
            a.c.cuCtxSetCurrent(a.ok.cuCtxCreate(None, 0, 0))
        code, handle = a.c.cuIpcGetEventHandle(made)
        if not code:
            opened, event = b.c.cuIpcOpenEventHandle(handle)
            if not opened:
                b.c.cuEventQuery(event)


@question()
def handles_of_several_events_beside_a_context_with_one(w: World) -> None:
    """Which event a handle names that another context's is made under: recorded work tells them apart."""
    a, b = w.process(), w.process()
    made = [a.ok.cuEventCreate(INTERPROCESS) for _ in range(3)]
    own = a.context
    a.ok.cuCtxCreate(None, 0, 0)
    other = a.ok.cuEventCreate(INTERPROCESS)
    for event in (*made, other):
        a.c.cuIpcGetEventHandle(event)
    a.c.cuCtxSetCurrent(own)
    for event in (*made, other):
        code, handle = a.c.cuIpcGetEventHandle(event)
        if not code:
            b.c.cuIpcOpenEventHandle(handle)


ATTRIBUTES = range(1, 21)


def kinds_of_memory(a: Process) -> list[int]:
    """Return an address of each kind of memory."""
    here = a.ok.cuMemAlloc(PAGE)
    registered = a.host_memory(8192)
    a.ok.cuMemHostRegister(registered, 100, 0)
    whole = a.host_memory(8192)
    a.ok.cuMemHostRegister(whole, PAGE, 2)
    pooled = []
    for place in (HERE, (2, 0), NODE):
        pool = a.ok.cuMemPoolCreate((PINNED, 0, place, 0, 0, 0, 0))
        pooled.append(a.ok.cuMemAllocFromPoolAsync(PAGE, pool, 0))
    a.c.cuStreamSynchronize(0)
    mapped = a.mapped()[0]
    return [here, a.ok.cuMemAllocManaged(PAGE, 1), a.ok.cuMemAllocHost(PAGE), registered, whole, *pooled, mapped]


@question()
def attributes_of_pointers_in_a_thread_without_a_context(w: World) -> None:
    """Every attribute of every kind of memory, with the context that made it, another one, and none."""
    a = w.process()
    several = kinds_of_memory(a)
    thread = a.thread(w.thread_name())
    for memory in several:
        for plus in (0, 16):
            for attribute in ATTRIBUTES:
                a.c.cuPointerGetAttribute(attribute, memory + plus)
                thread.c.cuPointerGetAttribute(attribute, memory + plus)
    a.ok.cuCtxCreate(None, 0, 0)
    for memory in several:
        for attribute in ATTRIBUTES:
            a.c.cuPointerGetAttribute(attribute, memory)


@question()
def null_arguments_while_the_process_ends(w: World) -> None:
    """What is asked first by calls that need no context, when the driver is being torn down."""
    a = w.process()
    a.begin_exit()
    name = b"0000:00:00.0"
    for call, arguments, null in (
        ("cuDeviceGetByPCIBusId", (None,), ""),
        ("cuDeviceGetByPCIBusId", (name,), ""),
        ("cuDeviceGetByPCIBusId", (name,), "dev"),
        ("cuDeviceGetPCIBusId", (20, 0), "pciBusId"),
        ("cuDeviceGetPCIBusId", (0, 0), ""),
        ("cuDeviceGet", (0,), "device"),
        ("cuDeviceGetCount", (), "count"),
        ("cuDeviceGetName", (20, 0), "name"),
        ("cuDeviceGetUuid", (0,), "uuid"),
        ("cuDeviceTotalMem", (0,), "bytes"),
        ("cuDeviceGetAttribute", (1, 0), "pi"),
        ("cuDriverGetVersion", (), "driverVersion"),
        ("cuDeviceCanAccessPeer", (0, 0), "canAccessPeer"),
        ("cuDeviceGetP2PAttribute", (1, 0, 0), "value"),
        ("cuDeviceGetMemPool", (0,), "pool"),
        ("cuDeviceGetDefaultMemPool", (0,), "pool_out"),
        ("cuDevicePrimaryCtxRetain", (0,), "pctx"),
        ("cuCtxGetCurrent", (), "pctx"),
        ("cuGetErrorName", (0,), "pStr"),
    ):
        getattr(a.c, call)(*arguments, **({"null": null} if null else {}))


@question()
def descriptors_of_memory_of_pools_that_are_exported(w: World) -> None:
    """CuMemGetHandleForAddressRange of a pool for other processes: before and after a wait, and whatever was exported."""
    for exported in (False, True):
        for imported in (False, True):
            a = w.process()
            pool = a.ok.cuMemPoolCreate((PINNED, 1, HERE, 0, 0, 0, 0))
            first = a.ok.cuMemAllocFromPoolAsync(PAGE, pool, 0)
            if exported or imported:
                descriptor = a.ok.cuMemPoolExportToShareableHandle(pool, 1, 0)
                data = a.ok.cuMemPoolExportPointer(first)
                if imported:
                    a.ok.cuMemPoolImportPointer(a.ok.cuMemPoolImportFromShareableHandle(descriptor, 1, 0), data)
            for size in (PAGE, GRANULE, ROOM):
                for stream in (0, PER_THREAD):
                    memory = a.ok.cuMemAllocFromPoolAsync(size, pool, stream)
                    a.c.cuMemGetHandleForAddressRange(memory, PAGE, DMA_BUF, 0)
                    a.c.cuStreamSynchronize(stream)
                    a.c.cuMemGetHandleForAddressRange(memory, PAGE, DMA_BUF, 0)
                    if size > PAGE:
                        a.c.cuMemGetHandleForAddressRange(memory, size, DMA_BUF, 0)
    a = w.process()
    pool = a.ok.cuMemPoolCreate((PINNED, 0, HERE, 0, 0, 0, 0))
    for size in (PAGE, GRANULE, ROOM):
        memory = a.ok.cuMemAllocFromPoolAsync(size, pool, 0)
        a.c.cuMemGetHandleForAddressRange(memory, PAGE, DMA_BUF, 0)


@question()
def rows_between_devices_and_the_host(w: World) -> None:
    """cudaMemcpy3DPeer and its kin with memory of the host: of a list, locked, registered, and managed."""
    a = using(w)
    plain, registered = a.host_memory(8192), a.host_memory(8192)
    a.ok.cuMemHostRegister(registered, PAGE, 0)
    device = a.ok.cuMemAlloc(PAGE)
    for host in (plain, a.ok.cuMemAllocHost(PAGE), registered, a.ok.cuMemAllocManaged(PAGE, 1)):
        for target, source in ((host, device), (device, host), (host, host + 512)):
            sides = {"dstPtr": (target, 16, 8, 4), "srcPtr": (source, 16, 8, 4)}
            a.c.cudaMemcpy3DPeer(between(a, **sides, extent=(8, 2, 1)))
            a.c.cudaMemcpy3DPeerAsync(between(a, **sides, extent=(8, 2, 1)), 0)
            a.c.cudaMemcpyPeer(target, 0, source, 0, 16)


@question()
def calls_while_a_process_with_memory_of_another_device_ends(w: World) -> None:
    """What a process answers that exits with a handle of memory, of this device or the other one, or with none."""
    w.needs_devices(2)
    for device in (0, 1):
        for held in (None, 0, 1):
            for first in ("", "device", "forced"):
                a = w.process(device)
                if held is not None:
                    a.ok.cuMemCreate(GRANULE, (1, 0, (1, held), 0, (0, 0, 0)), 0)
                a.begin_exit()
                if first == "device":
                    a.c.cuDeviceGet(1, null="device")
                elif first:
                    a.c.cuDeviceGet(1)
                a.c.cuDeviceGetByPCIBusId(None)
                a.c.cuDeviceGetByPCIBusId(None)
                a.c.cuDeviceGetCount()
