"""Programs of statements that something works, on virtual memory, pools and memory, by the short names of the statements.

A program answers the greatest code of its calls; what it reads back is asserted. Where the test of hip-tests launches a
kernel to look at memory, a copy looks at it here, and a memset writes it; where all of a test is its kernel, there is none.
"""

from __future__ import annotations

import ctypes
from typing import Any

from conformance.cases.hip.sharing import PROGRAMS as SAID
from conformance.cases.hip.sharing import G, again, exported, reserved
from conformance.cases.hip.side import ALL, PROP, READ_WRITE, SIZE, Side
from conformance.cases.hip.using import new_pool

OWN = (((1, 0), READ_WRITE),)
THRESHOLD, RESERVED, RESERVED_HIGH, USED, USED_HIGH = 4, 5, 6, 7, 8
"""hipMemPoolAttr."""


def filled(w: Side, value: int) -> int:
    """Return host memory that holds a byte over and over."""
    place = w.host
    ctypes.memset(place, value, SIZE)
    return place


def holds(w: Side, ptr: int, value: int, on: Any = None) -> bool:
    """Return whether memory holds a byte over and over."""
    place = (on or w.a).host_memory(SIZE)
    assert w("Memcpy", place, ptr, SIZE, 4, on=on) == 0
    return ctypes.string_at(place, SIZE) == bytes([value]) * SIZE


def mapped(w: Side, handle: int, device: int = 0, ptr: int = 0, on: Any = None) -> int:
    """Map a handle, for a device to use; return the address."""
    w.get("SetDevice", device, on=on)
    ptr = ptr or w.get("MemAddressReserve", G, 0, 0, 0, on=on)
    w.get("MemMap", ptr, G, 0, handle, 0, on=on)
    w.get("MemSetAccess", ptr, G, (((1, device), READ_WRITE),), 1, on=on)
    return ptr


def unmapped(w: Side, ptr: int) -> None:
    """Unmap it again, and free the addresses."""
    w.get("MemUnmap", ptr, G)
    w.get("MemAddressFree", ptr, G)


def sizes(w: Side) -> int:
    """Allocate different multiples of the granularity and release them."""
    codes = []
    for number in range(1, 6):
        code, handle = w.all("MemCreate", number * G, PROP(), 0)
        codes += [code, w("MemRelease", handle)]
    return int(max(codes))


def granularities(w: Side, option: int, *devices: int) -> int:
    """Ask devices for a granularity, which is a power of two."""
    answers = [w.all("MemGetAllocationGranularity", PROP(id=device), option) for device in devices]
    assert all(size and not size & (size - 1) for _, size in answers)
    return int(max(code for code, _ in answers))


def properties(w: Side) -> int:
    """What memory was created with can be asked for."""
    code, found = w.all("MemGetAllocationPropertiesFromHandle", w.handle(device=1))
    assert found == PROP(id=1)
    return int(code)


def grandchild(w: Side) -> int:
    """A process imports memory, and finds in it what the one that exported it has written."""
    handle = w.handle()
    ptr = mapped(w, handle)
    w.get("Memcpy", ptr, filled(w, 7), SIZE, 1)
    other = w.machine.spawn()
    descriptor = w.get("MemExportToShareableHandle", handle, 1, 0)
    cell = ctypes.c_int(descriptor)
    points = "points-to" in " ".join(w.machine.profile.hip.ways)
    code, mine = w.all("MemImportFromShareableHandle", ctypes.addressof(cell) if points else descriptor, 1, on=other)
    assert holds(w, mapped(w, mine, on=other), 7, on=other)
    return int(code)


def physical_reuse(w: Side, *devices: int) -> int:
    """One handle is mapped at one address after the other, and keeps what it holds."""
    for device in devices:
        handle = w.handle(device=device)
        for number in range(3):
            ptr = mapped(w, handle, device)
            assert not number or holds(w, ptr, number)
            w.get("Memcpy", ptr, filled(w, number + 1), SIZE, 1)
            unmapped(w, ptr)
    return 0


def virtual_reuse(w: Side) -> int:
    """Handles of different devices are mapped at one address in turn, each with what it holds."""
    ptr, handles = reserved(w), [w.handle(device=device) for device in (0, 1)]
    for number in range(4):
        mapped(w, handles[number % 2], number % 2, ptr)
        assert number < 2 or holds(w, ptr, number % 2 + 1)
        w.get("Memcpy", ptr, filled(w, number % 2 + 1), SIZE, 1)
        w.get("MemUnmap", ptr, G)
    return 0


def retained(w: Side) -> int:
    """The handle of an address is the one that was mapped there."""
    handle = w.handle()
    code, found = w.all("MemRetainAllocationHandle", mapped(w, handle))
    assert found == handle
    return int(code)


def grown(w: Side) -> int:
    """A second handle behind the first: one range, with what the first holds."""
    ptr = reserved(w, 2 * G)
    mapped(w, w.handle(), ptr=ptr)
    w.get("Memcpy", ptr, filled(w, 5), SIZE, 1)
    mapped(w, w.handle(), ptr=ptr + G)
    w.get("Memcpy", ptr + G, filled(w, 6), SIZE, 1)
    assert holds(w, ptr, 5)
    assert holds(w, ptr + G, 6)
    return 0


def exchanged(w: Side, other: int, call: str = "Memcpy") -> int:
    """Copy from a mapping to other memory and back."""
    ptr, rest = mapped(w, w.handle()), (4,) if call == "Memcpy" else ()
    w.get("Memcpy", ptr, filled(w, 3), SIZE, 1)
    codes = [w(call, other, ptr, SIZE, *rest)]
    w.get("Memset", ptr, 0, SIZE)
    codes.append(w(call, ptr, other, SIZE, *rest))
    assert holds(w, ptr, 3)
    return max(codes)


def between_devices(w: Side) -> int:
    """Copy from a mapping of one device to one of another."""
    second, first = mapped(w, w.handle(device=1), 1), mapped(w, w.handle())
    w.get("Memcpy", first, filled(w, 4), SIZE, 1)
    w.get("MemSetAccess", second, G, OWN, 1)
    code = w("MemcpyPeer", second, 1, first, 0, SIZE)
    assert holds(w, second, 4)
    return code


def accesses(w: Side) -> int:
    """A device has the access that it was given, and another one has none."""
    ptr = mapped(w, w.handle())
    assert w.all("MemGetAccess", (1, 0), ptr) == (0, READ_WRITE)
    code, none = w.all("MemGetAccess", (1, 1), ptr)
    assert none == 0
    return int(code)


def used(w: Side, pool: int = 0, stream: int = 0, on: Any = None) -> int:
    """Take memory of a pool, or of the current one, in a stream's order, use it and free it; return where it was."""
    given = (
        w.get("MallocFromPoolAsync", SIZE, pool, stream, on=on) if pool else w.get("MallocAsync", SIZE, stream, on=on)
    )
    w.get("MemsetAsync", given, 5, SIZE, stream, on=on)
    w.get("StreamSynchronize", stream, on=on)
    assert holds(w, given, 5)
    w.get("FreeAsync", given, stream, on=on)
    w.get("StreamSynchronize", stream, on=on)
    return int(given)


def each(w: Side, *streams: int, pool: int = 0) -> int:
    """Do that in several streams."""
    return 0 * sum(used(w, pool, stream) for stream in streams)


def on_devices(w: Side, *, own: bool = False, trim: bool = False) -> int:
    """Do that on every device, from pools of their own or not, which may be trimmed."""
    for number in (0, 1):
        w.get("SetDevice", number)
        pool = new_pool_of(w, number) if own else 0
        if trim:
            trimmed(w, pool)
        used(w, pool)
    return 0


def new_pool_of(w: Side, number: int) -> int:
    """Return a new pool of a device."""
    usage = (0,) if w.prefix == "cuda" else ()
    return int(w.get("MemPoolCreate", (1, 0, (1, number), 0, 0, *usage)))


def attribute(w: Side, pool: int, which: int, value: int | None = None) -> int:
    """Return an attribute of a pool, once it has been set if a value is given."""
    if value is not None:
        w.get("MemPoolSetAttribute", pool, which, value)
    return int(w.get("MemPoolGetAttribute", pool, which))


def kept(w: Side) -> int:
    """Return a new pool that keeps what it has reserved."""
    pool = new_pool(w, 0)
    assert attribute(w, pool, THRESHOLD, ALL) == ALL
    return pool


def set_get(w: Side, *attributes: int) -> int:
    """Policies and the threshold are what they are set to."""
    pool = new_pool(w, 0)
    for which in attributes:
        for value in (0, 1):
            assert attribute(w, pool, which, value) == value
    return 0


def defaults(w: Side) -> int:
    """A new pool has all policies, no threshold, and nothing reserved or in use."""
    pool = new_pool(w, 0)
    assert [attribute(w, pool, which) for which in range(1, 9)] == [1, 1, 1, 0, 0, 0, 0, 0]
    return 0


def with_policy(w: Side, which: int) -> int:
    """Memory can be taken and used with a policy and without it."""
    pool = new_pool(w, 0)
    for value in (0, 1):
        attribute(w, pool, which, value)
        used(w, pool, w.stream())
    return 0


def usage(w: Side) -> int:
    """What is in use and what was most, as memory is taken and freed; what was most can be set to what is, in HIP to 0."""
    pool = kept(w)
    taken = [w.get("MallocFromPoolAsync", 1 << 20, pool, 0) for _ in range(3)]
    assert attribute(w, pool, USED) == attribute(w, pool, USED_HIGH) == 3 << 20
    reserved_ = attribute(w, pool, RESERVED)
    assert reserved_ == attribute(w, pool, RESERVED_HIGH) >= 3 << 20
    for ptr in taken:
        w.get("FreeAsync", ptr, 0)
    w.get("StreamSynchronize", 0)
    assert attribute(w, pool, USED) == 0
    assert attribute(w, pool, USED_HIGH) == 3 << 20
    assert attribute(w, pool, RESERVED) == reserved_
    w.get("MemPoolSetAttribute", pool, USED_HIGH, 0)
    w.get("MemPoolSetAttribute", pool, RESERVED_HIGH, 0)
    assert attribute(w, pool, USED_HIGH) == 0
    assert attribute(w, pool, RESERVED_HIGH) == (0 if w.prefix == "hip" else reserved_)
    return 0


def trimmed(w: Side, pool: int = 0) -> int:
    """What is not in use is given back, down to what the pool is to hold."""
    pool = pool or kept(w)
    attribute(w, pool, THRESHOLD, ALL)
    for size in (ALL, 1 << 20, 0):
        used(w, pool)
        w.get("MemPoolTrimTo", pool, size)
    assert attribute(w, pool, RESERVED) == 0
    return 0


def reused(w: Side) -> int:
    """What was freed in a stream is what the stream gets next."""
    pool, stream = kept(w), w.stream()
    assert used(w, pool, stream) == used(w, pool, stream)
    return 0


def apart(w: Side) -> int:
    """What hipMalloc gives is none of the pool that a device has from the beginning."""
    before = attribute(w, w.pool, USED), attribute(w, w.pool, RESERVED)
    assert w.ptr
    assert before == (attribute(w, w.pool, USED), attribute(w, w.pool, RESERVED))
    return 0


def current(w: Side, *, destroyed: bool = False) -> int:
    """The pool that was set is the device's, seen by every thread, until it is destroyed."""
    for number in (0, 1):
        pool = new_pool_of(w, number)
        default = w.get("DeviceGetDefaultMemPool", number)
        w.get("DeviceSetMemPool", number, pool)
        assert w.get("DeviceGetMemPool", number, on=w.a.thread("other")) == pool
        if destroyed:
            w.get("MemPoolDestroy", pool)
            assert w.get("DeviceGetMemPool", number) == default
    return 0


def own_access(w: Side, *, everybody: bool = False) -> int:
    """Access is what it was set to."""
    pool = new_pool(w, 0)
    assert w.get("MemPoolGetAccess", pool, (1, 0)) == READ_WRITE
    assert not everybody or w.get("MemPoolGetAccess", pool, (1, 1)) == 0
    for number in (0, 1)[: 1 + everybody]:
        w.get("MemPoolSetAccess", pool, (((1, number), READ_WRITE),), 1)
        assert w.get("MemPoolGetAccess", pool, (1, number)) == READ_WRITE
    return 0


def shared(w: Side, on: Any = None, *, asked: bool = False) -> int:
    """Memory of a pool that was imported holds what the exporter has written."""
    pool = new_pool(w)
    ptr = w.get("MallocFromPoolAsync", SIZE, pool, 0)
    w.get("MemsetAsync", ptr, 9, SIZE, 0)
    w.get("StreamSynchronize", 0)
    descriptor = w.get("MemPoolExportToShareableHandle", pool, 1, 0)
    data = w.get("MemPoolExportPointer", ptr)
    mine = w.get("MemPoolImportFromShareableHandle", descriptor, 1, 0, on=on)
    if asked:
        w.get("MemPoolSetAccess", pool, (((1, 1), READ_WRITE),), 1)
        return w("MemPoolGetAccess", mine, (1, 0), on=on)
    assert holds(w, w.get("MemPoolImportPointer", mine, data, on=on), 9, on=on)
    return 0


PROGRAMS: dict[str, Any] = {
    "hipMemCreate_BasicAllocateDeAlloc_MultGranularity@63": sizes,
    "hipMemCreate_MapNonContiguousChunks@272": grown,
    "hipMemExportToShareableHandle_Positive_Basic@48": lambda w: w("MemExportToShareableHandle", w.handle(), 1, 0),
    "hipMemGetAllocationGranularity_AllGPUs@103": lambda w: granularities(w, 0, 0, 1),
    "hipMemGetAllocationGranularity_MinGranularity@61": lambda w: granularities(w, 0, 0),
    "hipMemGetAllocationGranularity_RecommendedGranularity@82": lambda w: granularities(w, 1, 0),
    "hipMemGetAllocationPropertiesFromHandle_functional@48": properties,
    "hipMemImportFromShareableHandle_MulProc_GrndChldUseHdl@423": grandchild,
    "hipMemImportFromShareableHandle_Positive_Basic@60": exported,
    "hipMemMap_PhysicalMemoryReuse_SingleGPU@121": lambda w: physical_reuse(w, 0),
    "hipMemMap_PhysicalMemoryReuse_MultiDev@264": lambda w: physical_reuse(w, 0, 1),
    "hipMemMap_VMMMemoryReuse_MultiGPU@407": virtual_reuse,
    "hipMemMap_MapPartialPhysicalMem@497": SAID["hipMemMap_MapPartialPhysicalMem/1"],
    "hipMemMap_SameMemoryReuse@55": again,
    "hipMemMap_MapPartialVMMMem@551": SAID["hipMemMap_MapPartialVMMMem/1"],
    "hipMemRetainAllocationHandle_SetGet@50": retained,
    "hipMemSetAccess_GrowVMM@1204": grown,
    "hipMemSetAccess_EntireVMMRangeSetGet@213": SAID["hipMemSetAccess_EntireVMMRangeSetGet/1"],
    "hipMemSetAccess_Vmm2UnifiedMemCpy@552": lambda w: exchanged(w, w.get("MallocManaged", SIZE, 1)),
    "hipMemSetAccess_Vmm2DevMemCpy@625": lambda w: exchanged(w, w.ptr, "MemcpyDtoD"),
    "hipMemSetAccess_Vmm2PeerDevMemCpy@682": lambda w: exchanged(w, w.there, "MemcpyDtoD"),
    "hipMemSetAccess_SetGet@76": accesses,
    "hipMemSetAccess_Vmm2VMMMemCpy@850": lambda w: exchanged(w, mapped(w, w.handle())),
    "hipMemSetAccess_Vmm2VMMInterDevMemCpy@913": between_devices,
    "hipDeviceGetMemPool_Positive_Threaded@206": current,
    "hipDeviceSetMemPool_Positive_Basic@75": current,
    "hipDeviceGetMemPool_Functional@117": lambda w: 0 * attribute(w, w.get("DeviceGetMemPool", 0), THRESHOLD, ALL),
    "hipDeviceSetMemPool_DestroyCurrentMempool@112": lambda w: current(w, destroyed=True),
    "hipDeviceSetMemPool_functional@149": lambda w: current(w) + each(w, 0),
    "hipMallocAsync_basic@173": lambda w: each(w, 0),
    "hipMallocAsync_Multistream_Concurrent@195": lambda w: each(w, w.stream(), w.stream()),
    "hipMallocAsync_Multidevice@301": on_devices,
    "hipMallocAsync_ByUsinghipFree@502": lambda w: w("Free", w.get("MallocAsync", SIZE, 0)),
    "hipMallocAsync_DefaultStreams_Concurrent@633": lambda w: each(w, w.stream(), 0, 2),
    "hipMallocAsync_Basic_TwoAllocs@70": lambda w: each(w, w.stream()) + each(w, w.stream()),
    "hipMallocFromPoolAsync_ReleaseThreshold@298": lambda w: each(w, 0, pool=kept(w)) + each(w, 0, pool=new_pool(w, 0)),
    "hipMallocFromPoolAsync_NullStream@321": lambda w: each(w, 0, pool=new_pool(w, 0)),
    "hipMallocFromPoolAsync_hipStreamPerThread@340": lambda w: each(w, 2, pool=new_pool(w, 0)),
    "hipMallocFromPoolAsync_Basic_OneAlloc@49": lambda w: each(w, w.stream(), pool=new_pool(w, 0)),
    "hipMallocFromPoolAsync_MultStream_DefaultStreams@793": lambda w: each(w, w.stream(), 0, 2, pool=new_pool(w, 0)),
    "hipMallocFromPoolAsync_MultStream_UserStreams@811": lambda w: each(w, w.stream(), w.stream(), pool=new_pool(w, 0)),
    "hipMallocFromPoolAsync_ReuseFollowEventDependencies@828": lambda w: with_policy(w, 1),
    "hipMallocFromPoolAsync_ReuseAllowOpportunistic@846": lambda w: with_policy(w, 2),
    "hipMallocFromPoolAsync_ReuseAllowInternalDependencies@866": lambda w: with_policy(w, 3),
    "hipMallocFromPoolAsync_Basic_Reuse@89": reused,
    "hipMemPoolApi_BasicTrim@226": trimmed,
    "hipMemPoolApi_BasicReuse@314": reused,
    "hipMemPoolApi_Default@553": lambda w: each(w, 0, pool=w.pool),
    "hipMemPoolExportToShareableHandle_ChldCheckAccess/1": lambda w: shared(w, w.machine.spawn(), asked=True),
    "hipMemPoolExportToShareableHandle_ChldUseHdl@137": lambda w: shared(w, w.machine.spawn()),
    "hipMemPoolExportToShareableHandle_ChldCheckAccess@247": lambda w: shared(w, w.machine.spawn(), asked=True),
    "hipMemPoolExportToShareableHandle_GrndChldUseHdl@351": lambda w: shared(w, w.machine.spawn()),
    "hipMemPoolExportToShareableHandle_SameProc@74": shared,
    "hipMemPoolGetAccess_SetGet@643": lambda w: own_access(w, everybody=True),
    "hipMemPoolSetGetAccess_Positive_Basic@69": own_access,
    "hipMemPoolSetAttribute_Opportunistic@120": lambda w: with_policy(w, 2),
    "hipMemPoolSetAttribute_EventDependencies@336": lambda w: with_policy(w, 1),
    "hipMemPoolSetGetAttribute_Positive_Default@52": defaults,
    "hipMemPoolSetAttribute_ResetMemHighAttr@538": usage,
    "hipMemPoolGetAttribute_SetGet@713": lambda w: set_get(w, 1, 2, 3, THRESHOLD),
    "hipMemPoolGetAttribute_UsedMem@739": usage,
    "hipMemPoolGetAttribute_ReservedMem@838": usage,
    "hipMemPoolSetGetAttribute_Positive_MemBasic@85": lambda w: set_get(w, THRESHOLD),
    "hipMemPoolGetAttribute_UsageStatistics@886": usage,
    "hipMemPoolGetAttribute_hipMalloc_DefMempool@960": apart,
    "hipMemPoolGetAttribute_CheckDefaultValues@998": defaults,
    "hipMemPoolTrimTo_VaryingMinBytesToHold@210": trimmed,
    "hipMemPoolTrimTo_MGpuVaryingMinBytesToHold@230": lambda w: on_devices(w, own=True, trim=True),
}
"""What each statement says, as a program that returns the code."""
