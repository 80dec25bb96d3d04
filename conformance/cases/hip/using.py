"""Programs of statements on pools, memory, events, streams, errors and devices, by the short names of the statements."""

from __future__ import annotations

from typing import Any

from conformance.cases.hip.sharing import every
from conformance.cases.hip.side import ALL, READ_WRITE, SIZE, Side

INVALID = ALL
"""A stream that is none."""
UNTIMED, INTERPROCESS = 2, 4


def freed_twice(w: Side) -> int:
    """Free memory of a pool twice."""
    ptr, stream = w.get("MallocAsync", SIZE, 0), w.stream()
    w.get("FreeAsync", ptr, stream)
    w.get("StreamSynchronize", stream)
    return w("FreeAsync", ptr, stream)


def pool_access(w: Side, pool: int | None = None, desc: Any = (((1, 1), READ_WRITE),), count: int = 1) -> int:
    """Set access to a pool, with one argument that differs."""
    return w("MemPoolSetAccess", w.pool if pool is None else pool, desc, count)


def new_pool(w: Side, handles: int = 1) -> int:
    """Return a new pool that can be exported."""
    usage = (0,) if w.prefix == "cuda" else ()
    return int(w.get("MemPoolCreate", (1, handles, (1, 0), 0, 0, *usage)))


def exported_pool(w: Side) -> int:
    """Return a pool that was imported."""
    descriptor = w.get("MemPoolExportToShareableHandle", new_pool(w), 1, 0)
    return int(w.get("MemPoolImportFromShareableHandle", descriptor, 1, 0))


def after_reset(w: Side, what: str) -> int:
    """Use what was there before the device was reset."""
    thing = w.ptr if what == "Free" else w.stream()
    w.get("DeviceReset")
    return w(what, thing)


def apart(w: Side, *, elapsed: bool) -> int:
    """Use events of two devices."""
    first = w.event()
    w.get("SetDevice", 1)
    if not elapsed:
        return w("EventRecord", first, 0)
    return w("EventElapsedTime", first, w.event())


def twice(w: Side, what: str) -> int:
    """Destroy an event or a stream twice."""
    thing = w.event() if what == "EventDestroy" else w.stream()
    w.get(what, thing)
    return w(what, thing)


def then(w: Side, *calls: tuple[Any, ...]) -> int:
    """Make calls one after the other; the last one's code is the answer."""
    code = 0
    for name, *args in calls:
        null = args.pop() if args and isinstance(args[-1], dict) else {}
        code = w(name, *args, **null)
    return code


def gone(w: Side) -> int:
    """Return a stream that was destroyed."""
    stream = w.stream()
    w.get("StreamDestroy", stream)
    return stream


def hidden(name: str, *args: Any) -> Any:
    """Return the program that makes a call where every device is hidden."""

    def program(w: Side) -> int:
        return w(name, *args, on=w.machine.spawn(visible_devices="-1"))

    program.calls = (name,)  # type: ignore[attr-defined] # what it names
    return program


NULL = {"null": 0}
BAD_MALLOC = ("Malloc", 1, NULL)
PROGRAMS: dict[str, Any] = {
    "hipDeviceGetDefaultMemPool_Negative_Parameters@82": lambda w: w("DeviceGetDefaultMemPool", 0, null=0),
    "hipDeviceGetDefaultMemPool_Negative_Parameters@86": lambda w: w("DeviceGetDefaultMemPool", -1),
    "hipDeviceGetDefaultMemPool_Negative_Parameters@90": lambda w: w("DeviceGetDefaultMemPool", 2),
    "hipDeviceGetMemPool_Negative_Parameters@255": lambda w: w("DeviceGetMemPool", 0, null=0),
    "hipDeviceGetMemPool_Negative_Parameters@259": lambda w: w("DeviceGetMemPool", -1),
    "hipDeviceGetMemPool_Negative_Parameters@263": lambda w: w("DeviceGetMemPool", 2),
    "hipFreeAsync_Negative_Parameters/1": lambda w: w("FreeAsync", 0, w.stream()),
    "hipFreeAsync_Negative_Parameters@60": lambda w: w("FreeAsync", 0, w.stream()),
    "hipFreeAsync_Negative_Parameters@66": lambda w: w("FreeAsync", w.get("MallocAsync", SIZE, 0), INVALID),
    "hipFreeAsync_Negative_Parameters@76": freed_twice,
    "hipMemPoolExportPointer_Negative@67": lambda w: w("MemPoolExportPointer", w.get("MallocAsync", SIZE, 0), null=0),
    "hipMemPoolExportPointer_Negative@71": lambda w: w("MemPoolExportPointer", 0),
    "hipMemPoolExportToShareableHandle_SameProc/1": lambda w: 0 * exported_pool(w),
    "hipMemPoolImportFromShareableHandle_Negative@65": lambda w: w(
        "MemPoolImportFromShareableHandle", w.get("MemPoolExportToShareableHandle", new_pool(w), 1, 0), 1, 0, null=0
    ),
    "hipMemPoolImportFromShareableHandle_Negative@71": lambda w: w("MemPoolImportFromShareableHandle", 0, 1, 0),
    "hipMemPoolImportFromShareableHandle_Negative@76": lambda w: w(
        "MemPoolImportFromShareableHandle", w.get("MemPoolExportToShareableHandle", new_pool(w), 1, 0), 0, 0
    ),
    "hipMemPoolImportPointer_Negative@76": lambda w: w("MemPoolImportPointer", exported_pool(w), bytes(64), null=0),
    "hipMemPoolImportPointer_Negative@80": lambda w: w("MemPoolImportPointer", 0, bytes(64)),
    "hipMemPoolImportPointer_Negative@84": lambda w: w("MemPoolImportPointer", exported_pool(w), None),
    "hipMemPoolSetAccess_Negative_Parameters/1": lambda w: pool_access(w, desc=None),
    "hipMemPoolSetAccess_Negative_Parameters/2": lambda w: pool_access(w, desc=(((1, 1), READ_WRITE),) * 3, count=3),
    "hipMemPoolSetAccess_Negative_Parameters/3": lambda w: pool_access(w, desc=(((0, 1), READ_WRITE),)),
    "hipMemPoolSetAccess_Negative_Parameters/4": lambda w: pool_access(w, desc=(((1, 2), READ_WRITE),)),
    "hipMemPoolSetAccess_Negative_Parameters/5": lambda w: pool_access(w, desc=(((1, 0), 0),)),
    "hipMemPoolSetAccess_Negative_Parameters@262": lambda w: pool_access(w, pool=0),
    "hipMemPoolSetAccess_Negative_Parameters@266": lambda w: pool_access(w, desc=None),
    "hipMemPoolSetAccess_Negative_Parameters@270": lambda w: pool_access(w, desc=(((1, 1), READ_WRITE),) * 3, count=3),
    "hipMemPoolSetAccess_Negative_Parameters@276": lambda w: pool_access(w, desc=(((0, 1), READ_WRITE),)),
    "hipMemPoolTrimTo_Negative_Parameter@55": lambda w: w("MemPoolTrimTo", 0, SIZE),
    "hipMemPoolSetAccess_Negative_Parameters@282": lambda w: pool_access(w, desc=(((1, 2), READ_WRITE),)),
    "hipMemPoolSetAccess_Negative_Parameters@288": lambda w: pool_access(w, desc=(((1, 0), 0),)),
    "hipMemPoolSetAccess_NegTst@462": lambda w: pool_access(w, pool=0),
    "hipMemPoolSetAccess_NegTst@470": lambda w: pool_access(w, desc=(((1, 1), 5),)),
    "hipMemPoolSetAccess_NegTst@479": lambda w: pool_access(w, desc=(((0, 1), READ_WRITE),)),
    "hipMemPoolSetAccess_NegTst@488": lambda w: pool_access(w, desc=(((1, -1), READ_WRITE),)),
    "hipMemPoolSetAccess_NegTst@498": lambda w: pool_access(w, desc=(((1, 2), READ_WRITE),)),
    "hipMemPoolSetAttribute_Negative_Parameters@487": lambda w: w("MemPoolSetAttribute", 0, 4, 1),
    "hipMemPoolSetAttribute_Negative_Parameters@491": lambda w: w("MemPoolSetAttribute", w.pool, 9, 1),
    "hipMemPoolSetAttribute_Negative_Parameters@497": lambda w: w("MemPoolSetAttribute", w.pool, 4, None),
    "hipMemPoolSetAttribute_Negative_Parameters@504": lambda w: w("MemPoolSetAttribute", w.pool, 6, 1),
    "hipMemPoolSetAttribute_Negative_Parameters@511": lambda w: w("MemPoolSetAttribute", w.pool, 8, 1),
    "hipMemPoolGetAttribute_Negative_Parameters@611": lambda w: w("MemPoolGetAttribute", 0, 4),
    "hipMemPoolGetAttribute_Negative_Parameters@615": lambda w: w("MemPoolGetAttribute", w.pool, 9),
    "hipMemPoolGetAttribute_Negative_Parameters@621": lambda w: w("MemPoolGetAttribute", w.pool, 4, null=0),
    "HipDeviceGetCacheConfig_Negative_Parameters@195": lambda w: w("DeviceGetCacheConfig", null=0),
    "hipDeviceGetLimit_Negative_Parameters@183": lambda w: w("DeviceGetLimit", 0, null=0),
    "hipDeviceGetLimit_Negative_Parameters@188": lambda w: w("DeviceGetLimit", (1 << 32) - 1),
    "hipDeviceGet_Negative@250": lambda w: w("DeviceGet", 0, null=0),
    "hipDeviceGet_Negative@261": lambda w: w("DeviceGet", -1),
    "hipEventElapsedTime_NullCheck@65": lambda w: w("EventElapsedTime", w.event(), w.event(), null=0),
    "hipEventElapsedTime_NullCheck@68": lambda w: w("EventElapsedTime", 0, w.event()),
    "hipEventElapsedTime_NullCheck@69": lambda w: w("EventElapsedTime", w.event(), 0),
    "hipEventElapsedTime_DisableTiming@93": lambda w: w("EventElapsedTime", w.event(UNTIMED), w.event(UNTIMED)),
    "hipEventRecord_Negative@163": lambda w: w("EventRecord", 0, 0),
    "hipEventRecord_Negative@177": lambda w: apart(w, elapsed=False),
    "hipEventCreate_IncompatibleFlags@101": lambda w: w("EventCreateWithFlags", INTERPROCESS),
    "hipEventCreate_IncompatibleFlags@104": lambda w: w("EventCreateWithFlags", 0xC0000000),
    "hipEventCreate_IncompatibleFlags@113": lambda w: w("EventCreateWithFlags", 0xC0000007),
    "hipDeviceReset_Positive_Basic@80": lambda w: after_reset(w, "Free"),
    "hipDeviceReset_Positive_Basic@85": lambda w: after_reset(w, "StreamDestroy"),
    "hipDeviceGet_Negative@256": lambda w: w("DeviceGet", 2),
    "hipDrvGetErrorString_Negative_Parameters@74": lambda w: w("DrvGetErrorString", -1),
    "hipDrvGetErrorString_Negative_Parameters@79": lambda w: w("DrvGetErrorString", 0, null=0),
    "hipEventElapsedTime_DifferentDevices@133": lambda w: apart(w, elapsed=True),
    "hipGetLastError_with_hipMemcpyDtoHAsync@174": lambda w: w("MemcpyDtoHAsync", w.host, w.ptr, 2 * SIZE, w.stream()),
    "hipGetLastError_with_hipMemcpyDtoHAsync@177": lambda w: then(
        w, ("MemcpyDtoHAsync", w.host, w.ptr, 2 * SIZE, 0), ("GetLastError",)
    ),
    "hipGetLastError_with_hipMemcpyDtoHAsync@182": lambda w: w("MemcpyDtoDAsync", w.ptr, w.ptr, 2 * SIZE, w.stream()),
    "hipGetLastError_with_hipMemcpyDtoHAsync@185": lambda w: then(
        w, ("MemcpyDtoDAsync", w.ptr, w.ptr, 2 * SIZE, 0), ("GetLastError",)
    ),
    "hipGetLastError_with_hipMemcpy2DAsync@496": lambda w: w(
        "Memcpy2DAsync", w.host, 64, w.ptr, 512, 128, 2, 2, w.stream()
    ),
    "hipGetLastError_with_hipMemcpy2DAsync@499": lambda w: then(
        w, ("Memcpy2DAsync", w.host, 64, w.ptr, 512, 128, 2, 2, 0), ("GetLastError",)
    ),
    "hipGetLastError_with_hipMemcpy2DAsync@504": lambda w: w("Memset2DAsync", w.ptr, 512, 22, 128, 9 * 8, w.stream()),
    "hipGetLastError_with_hipMemcpy2DAsync@507": lambda w: then(
        w, ("Memset2DAsync", w.ptr, 512, 22, 128, 9 * 8, 0), ("GetLastError",)
    ),
    "hipGetLastError_with_hipMemsetAsync@538": lambda w: w("MemsetAsync", w.ptr, 0, 2 * SIZE, w.stream()),
    "hipGetLastError_with_hipMemsetAsync@540": lambda w: then(
        w, ("MemsetAsync", w.ptr, 0, 2 * SIZE, 0), ("GetLastError",)
    ),
    "hipGetLastError_Positive_Basic@55": lambda w: then(w, BAD_MALLOC),
    "hipGetLastError_Positive_Basic@56": lambda w: then(w, BAD_MALLOC, ("GetLastError",)),
    "hipGetLastError_with_MemCpyAsync@578": lambda w: w("MemcpyAsync", w.host, w.ptr, SIZE + 1, 2, 0),
    "hipGetLastError_with_MemCpyAsync@580": lambda w: then(
        w, ("MemcpyAsync", w.host, w.ptr, SIZE + 1, 2, 0), ("GetLastError",)
    ),
    "hipGetLastError_Positive_Threaded@77": lambda w: then(w, BAD_MALLOC),
    "hipGetLastError_Positive_Threaded@83": lambda w: then(w, BAD_MALLOC, ("GetLastError",)),
    "hipPeekAtLastError_Positive_Basic@48": lambda w: then(w, BAD_MALLOC),
    "hipPeekAtLastError_Positive_Basic@49": lambda w: then(w, BAD_MALLOC, ("PeekAtLastError",)),
    "hipPeekAtLastError_Positive_Basic@50": lambda w: then(w, BAD_MALLOC, ("PeekAtLastError",), ("GetLastError",)),
    "hipPeekAtLastError_Positive_Threaded@70": lambda w: then(w, BAD_MALLOC),
    "hipPeekAtLastError_Positive_Threaded@76": lambda w: then(w, BAD_MALLOC, ("PeekAtLastError",)),
    "hipEventDestroy_Negative@142": lambda w: w("EventDestroy", 0),
    "hipEventDestroy_Negative@149": lambda w: twice(w, "EventDestroy"),
    "hipEventCreate_IncompatibleFlags@121": lambda w: w("EventCreateWithFlags", 1 << 20),
    "hipExtMallocWithFlags_Negative_Parameters@106": lambda w: w("ExtMallocWithFlags", SIZE, 1, null=0),
    "hipExtMallocWithFlags_Negative_Parameters@112": lambda w: w("ExtMallocWithFlags", ALL, 1),
    "hipExtMallocWithFlags_Negative_Parameters@120": lambda w: w("ExtMallocWithFlags", SIZE, 2, null=0),
    "hipExtMallocWithFlags_Negative_Parameters@126": lambda w: w("ExtMallocWithFlags", 0, 2),
    "hipExtMallocWithFlags_Negative_Parameters@131": lambda w: w("ExtMallocWithFlags", 16, 2),
    "hipExtMallocWithFlags_Negative_Parameters@85": lambda w: w("ExtMallocWithFlags", SIZE, 2),
    "hipExtMallocWithFlags_Negative_Parameters@92": lambda w: w("ExtMallocWithFlags", SIZE, 0, null=0),
    "hipExtMallocWithFlags_Negative_Parameters@98": lambda w: w("ExtMallocWithFlags", ALL, 0),
    "hipFreeNegativeDev@162": lambda w: w("Free", w.host),
    "hipHostAlloc_Negative@91": lambda w: w("HostAlloc", 4, 0, null=0),
    "hipHostAlloc_Negative@95": lambda w: w("HostAlloc", ALL, 0),
    "hipHostAlloc_Negative@101": lambda w: w("HostAlloc", 4, 0x100),
    "hipHostFree_InvalidMemory@43": lambda w: w("HostFree", w.host),
    "hipHostGetDevicePointer_Negative@38": lambda w: w("HostGetDevicePointer", w.get("HostMalloc", SIZE, 0), 0, null=0),
    "hipHostGetDevicePointer_Negative@43": lambda w: w("HostGetDevicePointer", 0, 0),
    "hipHostGetDevicePointer_Negative@49": lambda w: w("HostGetDevicePointer", w.host, 0),
    "hipHostGetDevicePointer_Negative@55": lambda w: w("HostGetDevicePointer", w.get("HostMalloc", SIZE, 0), 1),
    "hipHostGetFlags_InvalidArgs@194": lambda w: w("HostGetFlags", w.ptr),
    "hipHostMalloc_ArgValidation@45": lambda w: w("HostMalloc", SIZE, 0, null=0),
    "hipHostMalloc_ArgValidation@49": lambda w: w("HostMalloc", ALL, 0),
    "hipHostMalloc_ArgValidation@54": lambda w: w("HostMalloc", SIZE, (1 << 32) - 1),
    "hipHostMalloc_ArgValidation@64": lambda w: w("HostMalloc", SIZE, 0xC0000000),
    "hipHostRegister_Negative@959": lambda w: w("HostRegister", 0, 1, 0),
    "hipHostRegister_Negative@964": lambda w: w("HostRegister", w.host, 0, 0),
    "hipHostRegister_Negative@984": lambda w: w("HostRegister", w.host, 0, 0),
    "hipHostUnregister_NotRegisteredPointer@79": lambda w: w("HostUnregister", w.host),
    "hipMalloc_Negative_Parameters@54": lambda w: w("Malloc", SIZE, null=0),
    "hipMalloc_Negative_Parameters@57": lambda w: w("Malloc", ALL),
    "hipMallocManaged_Large@157": lambda w: w("MallocManaged", ALL, 1),
    "hipMallocPitch_Negative@222": lambda w: w("MallocPitch", 1, 1, null=0),
    "hipMallocPitch_Negative@226": lambda w: w("MallocPitch", 1, 1, null=1),
    "hipMallocPitch_Negative@237": lambda w: w("MallocPitch", 1, ALL),
    "hipMemGetAddressRange_Negative@113": lambda w: w("MemGetAddressRange", w.freed()),
    "hipMemGetAddressRange_Negative@116": lambda w: w("MemGetAddressRange", w.ptr + SIZE + 1),
    "hipStreamCreateWithFlags_Negative_NullStream@27": lambda w: w("StreamCreateWithFlags", 0, null=0),
    "hipStreamCreateWithFlags_Negative_InvalidFlag@35": lambda w: every(
        *(w("StreamCreateWithFlags", flags) for flags in (2, 0xFF))
    ),
    "hipStreamCreateWithPriority_NegTst@914": lambda w: w("StreamCreateWithPriority", 0, 0, null=0),
    "hipStreamCreateWithPriority_NegTst@919": lambda w: w("StreamCreateWithPriority", (1 << 32) - 1, 0),
    "hipStreamDestroy_Negative_DoubleDestroy@35": lambda w: twice(w, "StreamDestroy"),
    "hipStreamGetDevice_Negative@56": lambda w: w("StreamGetDevice", 0, null=0),
    "hipStreamGetDevice_Negative@57": lambda w: w("StreamGetDevice", 2, null=0),
    "hipStreamGetDevice_Negative@58": lambda w: w("StreamGetDevice", w.stream(), null=0),
    "hipStreamGetFlags_Negative@54": lambda w: w("StreamGetFlags", 0),
    "hipStreamGetFlags_Negative@63": lambda w: w("StreamGetFlags", w.stream(), null=0),
    "hipStreamGetPriority_stream_nullptr@99": lambda w: w("StreamGetPriority", w.stream(), null=0),
    "hipStreamQuery_WithDestroyedStream@76": lambda w: w("StreamQuery", gone(w)),
    "hipStreamQuery_WithUninitializedStream@87": lambda w: w("StreamQuery", INVALID),
    "hipStreamSynchronize_UninitializedStream@45": lambda w: w("StreamSynchronize", INVALID),
    "hipStreamWaitEvent_UninitializedStream_Negative@76": lambda w: w("StreamWaitEvent", INVALID, w.event(), 0),
}
"""What each statement says, as a program that returns the code."""
HIDDEN: dict[str, tuple[Any, ...]] = {
    "DeviceCanAccessPeer": (0, 1),
    "DeviceDisablePeerAccess": (1,),
    "DeviceEnablePeerAccess": (1, 0),
    "DeviceGet": (0,),
    "DeviceGetName": (64, 0),
    "DeviceReset": (),
    "DeviceSynchronize": (),
    "DeviceTotalMem": (0,),
    "EventCreate": (),
    "GetDevice": (),
    "GetDeviceCount": (),
    "GetDeviceFlags": (),
    "HostMalloc": (SIZE, 0),
    "HostRegister": (SIZE, SIZE, 0),
    "Malloc": (SIZE,),
    "MallocManaged": (SIZE, 1),
    "MallocPitch": (64, 2),
    "MemAllocPitch": (64, 2, 4),
    "MemGetInfo": (),
    "SetDevice": (0,),
    "SetDeviceFlags": (0,),
    "StreamCreate": (),
}
"""Calls that are made where every device is hidden."""
PROGRAMS |= {f"NoGpuTst_hip{name}/1": hidden(name, *args) for name, args in HIDDEN.items()}
