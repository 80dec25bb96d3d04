"""Programs of statements on devices, errors and pointers, by the short names of the statements."""

from __future__ import annotations

from typing import Any

from conformance.cases.hip.side import SIZE, Side, ids
from conformance.cases.hip.using import hidden, then
from fakecuda.spec import hip, runtime

SUCCESS, INVALID_VALUE = 0, 1
ATTRIBUTE = ids("hipDeviceAttribute_t", "hipDeviceAttribute")
BUS = {"hip": ATTRIBUTE["PciBusId"], "cuda": runtime.ENUMS["cudaDeviceAttr"]["cudaDevAttrPciBusId"]}
POINTER = ids("hipPointer_attribute", "HIP_POINTER_ATTRIBUTE_")
STACK, HEAP = 0, 2
DEVICES = 2
LARGE = 1 << 20


def refused(*codes: int) -> int:
    """Return success if every code is a failure."""
    return SUCCESS if all(codes) else INVALID_VALUE


def first_failure(*codes: int) -> int:
    """Return the first code that is a failure, or success."""
    return next((code for code in codes if code), SUCCESS)


def other_thread(w: Side) -> Any:
    """Return another thread of the first process."""
    return w.a.thread("other")


def bus_ids(w: Side) -> int:
    """Find each device by where it is."""
    for number in range(DEVICES):
        text = w.get("DeviceGetPCIBusId", 64, number)
        assert w.get("DeviceGetByPCIBusId", text) == number
        bus = w.get("DeviceGetAttribute", BUS[w.prefix], number)
        assert int(text.split(b":")[1], 16) == bus
    return SUCCESS


def no_bus_ids(w: Side) -> int:
    """Ask for the text of a device that is not there, or where it has no place."""
    return refused(
        w("DeviceGetPCIBusId", 64, 0, null=0),
        *(w("DeviceGetPCIBusId", length, number) for length, number in ((0, 0), (-1, 0), (64, -1), (64, DEVICES))),
    )


def reset_elsewhere(w: Side, name: str, *args: Any) -> int:
    """Make a call before another thread resets the device."""
    code = w(name, *args)
    w.get("DeviceReset", on=other_thread(w))
    return code


def after_reset_elsewhere(w: Side, what: str) -> int:
    """Use what was there before another thread reset the device."""
    thing = w.ptr if what == "Free" else w.stream()
    w.get("DeviceReset", on=other_thread(w))
    return w(what, thing)


def cache_configs(w: Side) -> int:
    """Set every configuration of the cache and ask for it: on AMD there is one."""
    for config in range(4):
        w.get("DeviceSetCacheConfig", config)
        assert w.get("DeviceGetCacheConfig") in {0, config}
    return SUCCESS


def limit(w: Side, number: int, value: int) -> int:
    """Set a limit and ask for it; it may be rounded."""
    w.get("DeviceSetLimit", number, value)
    assert w.get("DeviceGetLimit", number) >= value
    return SUCCESS


def flags(w: Side) -> int:
    """Set how each device is waited for and ask for it."""
    for number in range(DEVICES):
        w.get("SetDevice", number)
        for value in (0, 1, 2, 4):
            w.get("SetDeviceFlags", value)
            assert w.get("GetDeviceFlags") & 7 == value
    return SUCCESS


def flags_elsewhere(w: Side) -> int:
    """Set them in another thread."""
    w.get("SetDeviceFlags", 4, on=other_thread(w))
    assert w.get("GetDeviceFlags") & 7 == 4
    return SUCCESS


def chosen(w: Side, *, threads: bool) -> int:
    """Make each device the thread's, in one thread or in several."""
    for number in range(DEVICES):
        thread = w.a.thread(str(number)) if threads else None
        w.get("SetDevice", number, on=thread)
        assert w.get("GetDevice", on=thread) == number
    return SUCCESS


def apart(w: Side) -> int:
    """Allocate memory of the devices of two threads."""
    for number in range(DEVICES):
        thread = w.a.thread(str(number))
        w.get("SetDevice", number, on=thread)
        ptr = w.get("Malloc", SIZE, on=thread)
        assert w.get("PointerGetAttributes", ptr, on=thread)[1] == number
    return SUCCESS


def texts(w: Side, name: str) -> int:
    """Ask for the text of every code."""
    for code in hip.ENUMS["hipError_t"].values():
        answer = w.get(name, code)
        assert answer, code
    return SUCCESS


def on_a_peer(w: Side) -> int:
    """Ask for the type and the device of memory of another device."""
    there = w.there
    assert w.get("PointerGetAttribute", POINTER["MEMORY_TYPE"], there) == 2
    assert w.get("PointerGetAttribute", POINTER["DEVICE_ORDINAL"], there) == 1
    return SUCCESS


def buffer_ids(w: Side) -> int:
    """Memory that was freed and allocated again has another id."""
    first = w.ptr
    before = w.get("PointerGetAttribute", POINTER["BUFFER_ID"], first)
    w.get("Free", first)
    assert w.get("PointerGetAttribute", POINTER["BUFFER_ID"], w.ptr) != before
    return SUCCESS


def mapped(w: Side) -> int:
    """Managed memory is mapped."""
    for attach in (1, 2):
        assert w.get("PointerGetAttribute", POINTER["MAPPED"], w.get("MallocManaged", SIZE, attach)) == 1
    return SUCCESS


def kinds(w: Side) -> int:
    """Ask for the type of memory of devices, of the host and of both."""
    for name, args, kind in (("Malloc", (), 2), ("HostMalloc", (0,), 1)):
        assert w.get("PointerGetAttribute", POINTER["MEMORY_TYPE"], w.get(name, SIZE, *args)) == kind
    return SUCCESS


def unregistered(w: Side) -> int:
    """Ask for the attributes of the host's own memory."""
    assert w.get("PointerGetAttributes", w.host)[:2] == (0, -2)
    return SUCCESS


def clusters(w: Side, size: int) -> int:
    """Allocate memory of all devices; an address in each tells its device and its range."""
    for number in range(DEVICES):
        w.get("SetDevice", number)
        for _ in range(4):
            ptr = w.get("Malloc", size)
            assert w.get("PointerGetAttributes", ptr + size - 1)[:3] == (2, number, ptr + size - 1)
    return SUCCESS


def pointer(name: str, what: str = "ptr") -> Any:
    """Return the program that asks for one attribute of memory."""
    return lambda w: w("PointerGetAttribute", POINTER[name], {"ptr": w.ptr, "host": w.host, "freed": w.freed()}[what])


def set_pointer(w: Side, value: int | None = 1, attribute: str = "SYNC_MEMOPS", ptr: int | None = None) -> int:
    """Set an attribute of memory."""
    return w("PointerSetAttribute", value, POINTER.get(attribute, -1), w.ptr if ptr is None else ptr)


PROGRAMS: dict[str, Any] = {
    "hipDeviceGetByPCIBusId_NegativeInputString@109": lambda w: refused(
        w("DeviceGetByPCIBusId", b""), w("DeviceGetByPCIBusId", b"0000:")
    ),
    "hipDeviceGetByPCIBusId_Functional@45": bus_ids,
    "hipDeviceGetPCIBusId_NegTst@152": no_bus_ids,
    "hipDeviceReset_Positive_Threaded@129": lambda w: reset_elsewhere(w, "DeviceSetCacheConfig", 2),
    "hipDeviceReset_Positive_Threaded@134": lambda w: reset_elsewhere(w, "DeviceSetSharedMemConfig", 2),
    "hipDeviceReset_Positive_Threaded@149": lambda w: after_reset_elsewhere(w, "Free"),
    "hipDeviceReset_Positive_Threaded@154": lambda w: after_reset_elsewhere(w, "StreamDestroy"),
    "hipDeviceReset_Positive_Basic@65": lambda w: w("DeviceSetCacheConfig", 2),
    "hipDeviceReset_Positive_Basic@70": lambda w: w("DeviceSetSharedMemConfig", 2),
    "hipDeviceGetCacheConfig_Positive_Basic@129": cache_configs,
    "hipDeviceSetCacheConfig_Positive_Basic@52": lambda w: first_failure(
        *(w("DeviceSetCacheConfig", config) for config in range(4))
    ),
    "hipDeviceSetLimit_Positive_MallocHeapSize@112": lambda w: limit(w, HEAP, w.get("DeviceGetLimit", HEAP) + 1024),
    "hipDeviceSetLimit_Negative_Parameters@154": lambda w: w("DeviceSetLimit", (1 << 32) - 1, 1024),
    "hipDeviceSetLimit_Positive_StackSize@56": lambda w: limit(w, STACK, w.get("DeviceGetLimit", STACK) + 16),
    "hipGetDeviceCount_NegTst@45": lambda w: refused(w("GetDeviceCount", null=0)),
    "Print_Out_Device_Count@95": lambda w: SUCCESS if w.get("GetDeviceCount") == DEVICES else INVALID_VALUE,
    "hipGetSetDeviceFlags_SetThenGet@104": flags,
    "hipGetSetDeviceFlags_Threaded@135": flags_elsewhere,
    "hipGetSetDeviceFlags_NullptrFlag@48": lambda w: w("GetDeviceFlags", null=0),
    "hipInit_Positive@44": lambda w: then(w, ("Init", 0), ("GetDeviceCount",)),
    "hipSetGetDevice_Positive_Threaded_Basic@129": apart,
    "hipSetDevice_BasicSetGet@47": lambda w: chosen(w, threads=False),
    "hipGetSetDevice_MultiThreaded@76": lambda w: chosen(w, threads=True),
    "NoGpuTst_hipDeviceComputeCapability/1": hidden("DeviceComputeCapability", 0),
    "NoGpuTst_hipGetDeviceProperties/1": hidden("GetDeviceProperties", 0),
    "NoGpuTst_hipPointerGetAttributes/1": hidden("PointerGetAttributes", SIZE),
    "hipDrvGetErrorString_Positive_Basic@44": lambda w: texts(w, "DrvGetErrorString"),
    "hipGetErrorName_Positive_Basic@47": lambda w: texts(w, "GetErrorName"),
    "hipGetErrorString_Positive_Basic@47": lambda w: texts(w, "GetErrorString"),
    "hipGetErrorString_Negative_Parameters@72": lambda w: SUCCESS if w.get("GetErrorString", -1) else INVALID_VALUE,
    "hipDeviceGetP2PAttribute_Basic@63": lambda w: first_failure(
        *(w("DeviceGetP2PAttribute", attribute, *pair) for attribute in range(1, 5) for pair in ((0, 1), (1, 0)))
    ),
    "hipPointerGetAttribute_PeerGPU@149": on_a_peer,
    "hipPointerGetAttribute_BufferID@186": buffer_ids,
    "hipPointerGetAttribute_HostDeviceOrdinal@218": pointer("DEVICE_ORDINAL", "host"),
    "hipPointerGetAttribute_HostDeviceOrdinal@221": pointer("DEVICE_ORDINAL", "host"),
    "hipPointerGetAttribute_MappedMem@232": mapped,
    "hipPointerGetAttribute_MemoryTypes@61": kinds,
    "hipPointerGetAttribute_Negative@273": lambda w: w("PointerGetAttribute", POINTER["DEVICE_POINTER"], w.ptr, null=0),
    "hipPointerGetAttribute_Negative@280": lambda w: w("PointerGetAttribute", POINTER["DEVICE_POINTER"], 0),
    "hipPointerGetAttribute_Negative@283": lambda w: w("PointerGetAttribute", POINTER["DEVICE_POINTER"], 0),
    "hipPointerGetAttribute_Negative@291": pointer("DEVICE_POINTER", "freed"),
    "hipPointerGetAttribute_Negative@297": pointer("RANGE_START_ADDR", "host"),
    "hipPointerGetAttribute_Negative@302": pointer("HOST_POINTER"),
    "hipPointerGetAttribute_Negative@306": pointer("BUFFER_ID", "host"),
    "hipPointerGetAttribute_Negative@311": lambda w: w("PointerGetAttribute", -1, w.host),
    "hipPointerGetAttribute_Negative@317": pointer("IS_GPU_DIRECT_RDMA_CAPABLE"),
    "hipPointerGetAttribute_Negative@322": pointer("MEMPOOL_HANDLE"),
    "hipPointerGetAttribute_Negative@326": pointer("CONTEXT"),
    "hipPointerGetAttribute_Negative@330": pointer("P2P_TOKENS"),
    "hipPointerGetAttribute_Negative@335": pointer("IS_LEGACY_HIP_IPC_CAPABLE"),
    "hipPointerGetAttribute_Negative@341": pointer("ALLOWED_HANDLE_TYPES"),
    "hipPointerGetAttributes_ClusterAlloc@320": lambda w: clusters(w, LARGE),
    "hipPointerGetAttributes_TinyClusterAlloc@337": lambda w: clusters(w, 16),
    "hipPointerGetAttributes_Negative@385": lambda w: w("PointerGetAttributes", w.ptr, null=0),
    "hipPointerGetAttributes_Negative@393": lambda w: w("PointerGetAttributes", 0),
    "hipPointerGetAttributes_GpuIter_Unregistered_Memory@511": unregistered,
    "hipPointerSetAttribute_Negative_Parameters@82": lambda w: set_pointer(w, value=None),
    "hipPointerSetAttribute_Negative_Parameters@87": lambda w: set_pointer(w, attribute="none"),
    "hipPointerSetAttribute_Negative_Parameters@93": lambda w: set_pointer(w, ptr=0),
    "hipPointerSetAttribute_Negative_Parameters@99": lambda w: set_pointer(w, ptr=w.host),
    "hipPointerSetAttribute_Negative_Parameters@105": lambda w: set_pointer(w, ptr=w.freed()),
}
"""What each statement says, as a program that returns the code."""
COPIES: dict[str, tuple[Any, ...]] = {
    "hipMemcpyParam2DAsync": (None, 0),
    "hipDrvMemcpy3DAsync": (None, 2),
    "hipMemPrefetchAsync": (0, 1024, 0, 0),
}
"""Calls that are given nothing to copy, and their arguments."""
LINES = {
    "hipMemcpyParam2DAsync": ("238", "240"),
    "hipDrvMemcpy3DAsync": ("267", "269"),
    "hipMemPrefetchAsync": ("456", "458"),
}
"""The lines of the statements on them: on the call, and on hipGetLastError after it."""
for _call, (_line, _after) in LINES.items():
    _own = (_call.removeprefix("hip"), *COPIES[_call])
    PROGRAMS[f"hipGetLastError_with_{_call}@{_line}"] = lambda w, own=_own: w(*own)
    PROGRAMS[f"hipGetLastError_with_{_call}@{_after}"] = lambda w, own=_own: then(w, own, ("GetLastError",))
    for _program in (PROGRAMS[f"hipGetLastError_with_{_call}@{one}"] for one in (_line, _after)):
        _program.calls = (_own[0],)
