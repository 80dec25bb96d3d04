"""What HIP refuses, rule by rule: the code, and what breaks the rule.

``SWEEPS`` holds for every call that checks a rule: a value for the parameters of a type or of a name. ``REFUSED`` holds for
one call: arguments other than those of its valid call, or a program whose last call breaks the rule.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from conformance.cases.hip.refused_streams import STREAMS
from conformance.cases.hip.side import ALL, PROP, READ_WRITE, SIZE
from conformance.cases.hip.using import apart, gone
from conformance.cases.hip.valid import HERE, VALID, G, reserved
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cases.hip.side import Side

    Changes = dict[str, Any] | Callable[[Side], int]
    Refusals = dict[str, tuple[int, Changes]]

HUGE = 1 << 49
"""More bytes than a device has, or the host."""
UNKNOWN = 0x123450
"""A handle that nothing has."""
READ, NONE = 1, 0


def reset(w: Side) -> int:
    """Return a stream of the second device from before that was reset."""
    w.get("SetDevice", 1)
    stream = w.stream()
    w.get("DeviceReset")
    w.get("SetDevice", 0)
    return stream


def ended(w: Side) -> int:
    """Return an event that was destroyed."""
    event = w.event()
    w.get("EventDestroy", event)
    return event


def made_here(w: Side, what: str) -> int:
    """Open in a process what it shares itself."""
    if what == "Mem":
        return w("IpcOpenMemHandle", w.get("IpcGetMemHandle", w.ptr), 1)
    return w("IpcOpenEventHandle", w.get("IpcGetEventHandle", w.get("EventCreateWithFlags", 6)))


def orphaned(w: Side, how: str) -> int:
    """Open memory whose owner has ended, or has freed it."""
    b = w.machine.spawn()
    ptr = w.get("Malloc", G, on=b)
    handle = w.get("IpcGetMemHandle", ptr, on=b)
    if how == "kill":
        b.kill()
    else:
        w.get("Free", ptr, on=b)
    return w("IpcOpenMemHandle", handle, 1)


def unseen(w: Side) -> int:
    """Open memory that was exported on a device whose number the process does not see."""
    w.get("SetDevice", 1)
    handle = w.get("IpcGetMemHandle", w.ptr)
    return w("IpcOpenMemHandle", handle, 1, on=w.machine.spawn(visible_devices="0"))


def unfinished(w: Side, call: str) -> int:
    """Ask of work that waits until somebody waits for it."""
    w.machine.scheduler.manual = True
    stream, first, last = w.stream(), w.event(), int(w.get("EventCreateWithFlags", 0))
    w.get("MemsetAsync", w.ptr, 0, SIZE, stream)
    w.get("EventRecord", last, stream)
    return w(call, *{"StreamQuery": (stream,), "EventQuery": (last,), "EventElapsedTime": (first, last)}[call])


def failing(w: Side, call: str) -> int:
    """Ask which call has failed last."""
    w("Malloc", 1, null=0)
    return w(call)


def registered_twice(w: Side) -> int:
    """Register memory of the host that is registered in part."""
    ptr = w.host
    w.get("HostRegister", ptr, SIZE, 0)
    return w("HostRegister", ptr + SIZE // 2, SIZE, 0)


def unrequested(w: Side) -> int:
    """Export memory that was not made for it."""
    return w("MemExportToShareableHandle", w.get("MemCreate", G, PROP(handles=0), 0), 1, 0)


def exported_twice(w: Side) -> int:
    """Export memory that was imported."""
    descriptor = w.get("MemExportToShareableHandle", w.handle(), 1, 0)
    imported = w.get("MemImportFromShareableHandle", descriptor, 1)
    os.close(descriptor)
    return w("MemExportToShareableHandle", imported, 1, 0)


def of_a_fabric(w: Side) -> int:
    """Export memory of a card without fabric handles as one."""
    return w("MemExportToShareableHandle", w.get("MemCreate", G, PROP(handles=8), 0), 8, 0)


def beyond_the_limit(w: Side, *, current: bool = False) -> int:
    """Allocate from a pool, or the device's current one, what fits behind what was freed, but not behind the most that it had."""
    pool, size = w.get("MemPoolCreate", (1, 1, HERE, 0, 1 << 30)), 1 << 29
    w.get("FreeAsync", w.get("MallocFromPoolAsync", size, pool, 0), 0)
    w.get("DeviceSynchronize")
    if current:
        w.get("DeviceSetMemPool", 0, pool)
        return w("MallocAsync", size + size // 8, 0)
    return w("MallocFromPoolAsync", size + size // 8, pool, 0)


def ended_twice(w: Side, *, kept: bool) -> int:
    """End a pool twice, the second time while memory that it gave out keeps it, or not."""
    pool = w.get("MemPoolCreate", (1, 1, HERE, 0, 0))
    if kept:
        w.get("MallocFromPoolAsync", SIZE, pool, 0)
    w.get("MemPoolDestroy", pool)
    return w("MemPoolDestroy", pool)


def released(w: Side, call: str, *args: Any) -> int:
    """Use a handle that was released, while its memory is mapped."""
    ptr, handle = reserved(w), w.handle()
    w.get("MemMap", ptr, G, 0, handle, 0)
    w.get("MemRelease", handle)
    return w(call, handle, *args)


def longer(w: Side) -> int:
    """Map more than the allocation has."""
    return w("MemMap", w.get("MemAddressReserve", 2 * G, 0, 0, 0), 2 * G, 0, w.handle(), 0)


def exhausted(w: Side, call: str) -> int:
    """Call when the process has no address left."""
    w.machine.exhaust_addresses(w.a)
    return w(call, *VALID[f"hip{call}"](w))


def prohibited(w: Side, call: str) -> int:
    """Copy where devices admit no contexts; HIP has no name for that."""
    for number in range(len(w.machine.devices)):
        w.machine.set_compute_mode(number, "PROHIBITED")
    return w(call, w.host, w.host, SIZE, 0, *(() if call == "Memcpy" else (0,)))


SWEEPS: dict[str, tuple[int, dict[str, Any]]] = {
    "active.DEVICE_IS_THERE": (
        Result.INVALID_DEVICE,
        dict.fromkeys(("dev", "device", "deviceId", "ordinal", "peerDeviceId", "dstDevice"), 2),
    ),
    "context.CALL_IS_IMPLEMENTED": (Result.NOT_SUPPORTED, {}),
    "context.CONTEXT_IS_KNOWN": (Result.INVALID_CONTEXT, {"hipCtx_t": UNKNOWN}),
    "copy.DEVICE_IS_THERE": (Result.INVALID_DEVICE, {"dstDeviceId": 2}),
    "copy.KIND_IS_KNOWN": (Error.INVALID_MEMCPY_DIRECTION, {"hipMemcpyKind": 7}),
    "copy.PITCH_SPANS_THE_ROW": (Error.INVALID_PITCH_VALUE, {"dpitch": 15}),
    "copy.POINTERS_ARE_GIVEN": (Result.INVALID_VALUE, {"dst": 0, "dest": 0}),
    "copy.SIZES_SUFFICE": (Result.INVALID_VALUE, {"sizeBytes": SIZE + 1, "count": SIZE + 1, "height": 65}),
    "device.TEXT_FITS": (Result.INVALID_VALUE, {"len": 0}),
    "event.EVENT_IS_GIVEN": (Result.INVALID_HANDLE, {"hipEvent_t": 0}),
    "event.EVENT_IS_KNOWN": (Result.CONTEXT_IS_DESTROYED, {"hipEvent_t": ended}),
    "handle.HANDLE_IS_GIVEN": (Result.INVALID_VALUE, {"hipMemGenericAllocationHandle_t": 0}),
    "handle.HANDLE_IS_HELD": (Result.INVALID_VALUE, {"hipMemGenericAllocationHandle_t": UNKNOWN}),
    "memory.ELEMENT_SIZE_IS_KNOWN": (Result.INVALID_VALUE, {"elementSizeBytes": 3}),
    "memory.HOST_FLAGS_ARE_KNOWN": (Result.INVALID_VALUE, {"flags": 1 << 20}),
    "memory.MEMORY_SUFFICES": (Result.OUT_OF_MEMORY, {"size": HUGE, "sizeBytes": HUGE, "height": HUGE}),
    "memory.POINTER_IS_A_BASE": (Result.INVALID_VALUE, {"ptr": 0x10}),
    "memory.POINTER_IS_PAGE_LOCKED": (Result.INVALID_VALUE, {"hstPtr": 0x10, "hostPtr": 0x10}),
    "pool.DEVICE_HAS_A_POOL": (Result.INVALID_VALUE, {"device": 2}),
    "pool.MEMORY_SUFFICES": (Result.OUT_OF_MEMORY, {"size": HUGE}),
    "pool.POOL_IS_GIVEN": (Result.INVALID_VALUE, {"hipMemPool_t": 0}),
    "pool.POOL_IS_KNOWN": (Result.INVALID_VALUE, {"hipMemPool_t": UNKNOWN}),
    "stream.FLAGS_ARE_KNOWN": (Result.INVALID_VALUE, {"flags": 2}),
    "stream.STREAM_IS_LIVE": (Result.CONTEXT_IS_DESTROYED, {"hipStream_t": gone}),
    "stream.STREAM_OUTLIVES_NO_RESET": (Result.INVALID_HANDLE, {"hipStream_t": reset}),
    "stream.STREAM_TO_ASK_IS_LIVE": (Result.INVALID_HANDLE, {"hipStream_t": gone}),
    "stream.STREAM_TO_USE_IS_LIVE": (Result.INVALID_HANDLE, {"hipStream_t": gone}),
    "va.RANGE_IS_GIVEN": (Result.INVALID_VALUE, {"ptr": 0, "devPtr": 0}),
}
"""By the rule without ``hip.``: the code, and values by the type or the name of a parameter; the last one that fits is taken."""

REFUSED: dict[str, Refusals] = {
    "hipCtxCreate": {
        "DEVICE_HAS_A_CONTEXT": (Result.INVALID_VALUE, {"device": 2}),
        "RESULT_IS_GIVEN": (Result.INVALID_VALUE, lambda w: w("CtxCreate", 0, 0, null=0)),
    },
    "hipCtxGetCurrent": {"RESULT_IS_GIVEN": (Result.INVALID_VALUE, lambda w: w("CtxGetCurrent", null=0))},
    "hipCtxGetSharedMemConfig": {
        "RESULT_IS_GIVEN": (Result.INVALID_VALUE, lambda w: w("CtxGetSharedMemConfig", null=0))
    },
    "hipCtxSetCacheConfig": {"CONFIG_IS_KNOWN": (Result.INVALID_VALUE, {"cacheConfig": 4})},
    "hipCtxDestroy": {"CONTEXT_IS_GIVEN": (Result.INVALID_VALUE, {"ctx": 0})},
    "hipCtxPopCurrent": {"A_CONTEXT_WAS_PUSHED": (Result.INVALID_CONTEXT, lambda w: w("CtxPopCurrent"))},
    "hipCtxPushCurrent": {"CONTEXT_TO_PUSH_IS_GIVEN": (Result.INVALID_CONTEXT, {"ctx": 0})},
    "hipDeviceDisablePeerAccess": {
        "PEER_IS_REACHABLE": (Result.INVALID_DEVICE, {"peerDeviceId": 0}),
        "PEER_IS_ENABLED": (Result.PEER_ACCESS_NOT_ENABLED, lambda w: w("DeviceDisablePeerAccess", 1)),
    },
    "hipDeviceEnablePeerAccess": {
        "FLAGS_ARE_ZERO": (Result.INVALID_VALUE, {"flags": 1}),
        "PEER_IS_REACHABLE": (Result.INVALID_DEVICE, {"peerDeviceId": 2}),
        "PEER_IS_NOT_ENABLED": (
            Result.PEER_ACCESS_ALREADY_ENABLED,
            lambda w: w("DeviceEnablePeerAccess", 1, 0) or w("DeviceEnablePeerAccess", 1, 0),
        ),
    },
    "hipDeviceGetByPCIBusId": {"BUS_ID_IS_FOUND": (Result.INVALID_VALUE, {"pciBusId": b"0000:ff:1f.7"})},
    "hipDeviceGetP2PAttribute": {
        "DEVICES_DIFFER": (Result.INVALID_DEVICE, {"dstDevice": 0}),
        "ATTRIBUTE_IS_KNOWN": (Result.INVALID_VALUE, {"attr": 9}),
    },
    "hipDevicePrimaryCtxSetFlags": {
        "PRIMARY_FLAGS_STAY": (Result.CONTEXT_ALREADY_IN_USE, lambda w: w("DevicePrimaryCtxSetFlags", 0, 0)),
        "DEVICE_IS_THERE": (Result.INVALID_DEVICE, lambda w: w("DevicePrimaryCtxSetFlags", 2, 0)),
    },
    "hipDeviceSetMemPool": {"POOL_IS_THE_DEVICE_S": (Result.INVALID_DEVICE, {"device": 1})},
    "hipDrvGetErrorName": {"CODE_IS_KNOWN": (Result.INVALID_VALUE, {"hipError": 9999})},
    "hipDrvGetErrorString": {"CODE_IS_KNOWN": (Result.INVALID_VALUE, {"hipError": 9999})},
    "hipEventCreateWithFlags": {"FLAGS_MAKE_SENSE": (Result.INVALID_VALUE, {"flags": 1 << 20})},
    "hipEventDestroy": {"EVENT_IS_LIVE": (Result.CONTEXT_IS_DESTROYED, {"event": ended})},
    "hipEventElapsedTime": {
        "DEVICES_ARE_ONE": (Result.INVALID_HANDLE, lambda w: apart(w, elapsed=True)),
        "EVENTS_ARE_TIMED": (Result.INVALID_HANDLE, lambda w: w("EventElapsedTime", w.event(2), w.event())),
        "WORK_IS_DONE": (Result.NOT_READY, lambda w: unfinished(w, "EventElapsedTime")),
    },
    "hipEventQuery": {"WORK_IS_DONE": (Result.NOT_READY, lambda w: unfinished(w, "EventQuery"))},
    "hipEventRecord": {"DEVICES_ARE_ONE": (Result.INVALID_HANDLE, lambda w: apart(w, elapsed=False))},
    "hipEventRecordWithFlags": {
        "FLAGS_ARE_KNOWN": (Result.INVALID_VALUE, {"flags": 2}),
        "DEVICES_ARE_ONE": (Result.INVALID_HANDLE, {"stream": lambda w: [w.get("SetDevice", 1), w.stream()][1]}),
    },
    "hipExtGetLastError": {"NO_CALL_HAS_FAILED": (Result.INVALID_VALUE, lambda w: failing(w, "ExtGetLastError"))},
    "hipExtMallocWithFlags": {"MALLOC_FLAGS_ARE_KNOWN": (Result.INVALID_VALUE, {"flags": 1 << 20})},
    "hipFreeAsync": {"POINTER_IS_A_BASE": (Result.INVALID_VALUE, {"dev_ptr": 0x10})},
    "hipGetLastError": {"NO_CALL_HAS_FAILED": (Result.INVALID_VALUE, lambda w: failing(w, "GetLastError"))},
    "hipHostGetDevicePointer": {"FLAGS_ARE_ZERO": (Result.INVALID_VALUE, {"flags": 1})},
    "hipHostRegister": {
        "RANGE_CAN_BE_REGISTERED": (Result.INVALID_VALUE, {"sizeBytes": 0}),
        "RANGE_CAN_BE_LOCKED": (Result.INVALID_VALUE, {"hostPtr": 0x10}),
        "RANGE_IS_NOT_REGISTERED": (Result.HOST_MEMORY_ALREADY_REGISTERED, registered_twice),
        "RANGE_IS_THE_CALLERS": (Result.INVALID_VALUE, {"hostPtr": lambda w: w.ptr}),
    },
    "hipHostUnregister": {"POINTER_IS_REGISTERED": (Result.HOST_MEMORY_NOT_REGISTERED, {"hostPtr": 0x10})},
    "hipInit": {"INIT_FLAGS_ARE_ZERO": (Result.INVALID_VALUE, {"flags": 1})},
    "hipIpcCloseMemHandle": {"POINTER_IS_A_MAPPING": (Result.INVALID_VALUE, {"devPtr": 0})},
    "hipIpcGetEventHandle": {
        "EVENT_IS_GIVEN": (Result.INVALID_VALUE, {"event": 0}),
        "EVENT_IS_KNOWN": (Result.CONTEXT_IS_DESTROYED, {"event": ended}),
        "EVENT_IS_INTERPROCESS": (Error.INVALID_CONFIGURATION, {"event": lambda w: w.event()}),
    },
    "hipIpcGetMemHandle": {"POINTER_IS_ALLOCATED": (Result.INVALID_VALUE, {"devPtr": 0x10})},
    "hipIpcOpenEventHandle": {
        "EVENT_IS_KNOWN": (Result.INVALID_VALUE, {"handle": bytes(64)}),
        "EVENT_IS_ANOTHER_PROCESS_S": (Result.INVALID_CONTEXT, lambda w: made_here(w, "Event")),
    },
    "hipIpcOpenMemHandle": {
        "FLAGS_ARE_LAZY": (Result.INVALID_VALUE, {"flags": 0}),
        "HANDLE_IS_NOT_EMPTY": (Result.INVALID_VALUE, {"handle": bytes(64)}),
        "HANDLE_IS_ANOTHER_PROCESS_S": (Result.INVALID_CONTEXT, lambda w: made_here(w, "Mem")),
        "OWNER_IS_SEEN": (Result.INVALID_VALUE, unseen),
        "HANDLE_ATTACHES": (Error.INVALID_DEVICE_POINTER, lambda w: orphaned(w, "kill")),
        "HANDLE_ATTACHES/addresses": (Error.INVALID_DEVICE_POINTER, lambda w: exhausted(w, "IpcOpenMemHandle")),
        "EXPORTER_HAS_IT": (Error.INVALID_DEVICE_POINTER, lambda w: orphaned(w, "free")),
    },
    "hipMallocManaged": {
        "MANAGED_MAKES_SENSE": (Result.INVALID_VALUE, {"flags": 9}),
        "MEMORY_SUFFICES": (Result.OUT_OF_MEMORY, {"size": ALL}),
    },
    "hipMemAddressFree": {
        "RANGE_IS_A_RESERVATION": (Result.INVALID_VALUE, {"devPtr": 0x10}),
        "NOTHING_IS_MAPPED": (Result.UNKNOWN, {"devPtr": lambda w: w.mapped()}),
    },
    "hipMemAddressReserve": {
        "FLAGS_ARE_ZERO": (Result.INVALID_VALUE, {"flags": 1}),
        "SIZE_IS_ALIGNED": (Result.INVALID_VALUE, {"size": 0}),
        "ADDRESSES_SUFFICE": (Result.OUT_OF_MEMORY, {"size": 1 << 47}),
        "ADDRESSES_SUFFICE/exhausted": (Result.OUT_OF_MEMORY, lambda w: exhausted(w, "MemAddressReserve")),
    },
    "hipMemCreate": {
        "PROPERTIES_MAKE_SENSE": (Result.INVALID_VALUE, {"prop": None}),
        "DEVICE_IS_THERE": (Result.INVALID_DEVICE, {"prop": PROP(id=2)}),
        "HANDLE_TYPE_IS_SUPPORTED": (Result.NOT_SUPPORTED, {"prop": PROP(handles=9)}),
        "NODE_IS_THERE": (Result.INVALID_VALUE, {"prop": PROP(where=3, id=1)}),
        "PAGES_ARE_WHOLE": (Result.OUT_OF_MEMORY, {"size": G + 2048}),
        "MEMORY_SUFFICES": (Result.OUT_OF_MEMORY, {"size": HUGE}),
        "SIZE_IS_ALIGNED": (Result.INVALID_VALUE, {"size": G + 1}),
    },
    "hipMemExportToShareableHandle": {
        "FLAGS_ARE_ZERO": (Result.INVALID_VALUE, {"flags": 1}),
        "TYPE_WAS_REQUESTED": (Result.INVALID_VALUE, unrequested),
        "MEMORY_IS_ITS_OWN": (Result.INVALID_VALUE, exported_twice),
        "FABRIC_IS_THERE": (Result.INVALID_VALUE, of_a_fabric),
    },
    "hipMemGetAccess": {
        "LOCATION_IS_A_DEVICE": (Result.INVALID_VALUE, {"location": (Result.INVALID_VALUE, 2)}),
        "POINTER_IS_MAPPED": (Result.INVALID_VALUE, {"ptr": 0x10}),
    },
    "hipMemGetAddressRange": {"POINTER_IS_IN_MEMORY": (Result.NOT_FOUND, {"dptr": 0x10})},
    "hipMemGetAllocationGranularity": {"ARGUMENTS_MAKE_SENSE": (Result.INVALID_VALUE, {"option": 9})},
    "hipMemImportFromShareableHandle": {"HANDLE_IS_EXPORTED_MEMORY": (Result.INVALID_VALUE, {"osHandle": 0})},
    "hipMemMap": {
        "OFFSET_IS_ZERO": (Result.INVALID_VALUE, {"offset": G}),
        "PIECE_IS_ALIGNED": (Result.INVALID_VALUE, {"size": 1}),
        "PIECE_IS_ALLOCATED": (Result.INVALID_VALUE, longer),
        "RANGE_IS_FREE": (Result.INVALID_VALUE, {"ptr": lambda w: w.mapped()}),
    },
    "hipMemMapArrayAsync": {
        "ARRAYS_ARE_IMPLEMENTED": (Result.NOT_SUPPORTED, lambda w: w("MemMapArrayAsync", w.host, 1, 0))
    },
    "hipMemcpyBatchAsync": {"SIZES_SUFFICE": (Result.INVALID_VALUE, {"sizes": (2 * SIZE,)})},
    "hipMemPoolCreate": {"PROPERTIES_MAKE_SENSE": (Result.INVALID_VALUE, {"pool_props": None})},
    "hipMemPoolExportPointer": {"POINTER_IS_GIVEN": (Result.INVALID_VALUE, {"dev_ptr": 0})},
    "hipMemPoolExportToShareableHandle": {"POOL_EXPORTS": (Result.INVALID_VALUE, {"flags": 1})},
    "hipMemPoolGetAccess": {"LOCATION_IS_A_DEVICE": (Result.INVALID_VALUE, {"location": None})},
    "hipMemPoolGetAttribute": {"ATTRIBUTE_IS_KNOWN": (Result.INVALID_VALUE, {"attr": 99})},
    "hipMemPoolImportFromShareableHandle": {
        "HANDLE_IS_GIVEN": (Result.INVALID_VALUE, {"shared_handle": 0}),
        "HANDLE_IS_A_POOL": (Result.OUT_OF_MEMORY, {"shared_handle": 9999}),
    },
    "hipMemPoolImportPointer": {
        "POINTER_IS_GIVEN": (Result.INVALID_VALUE, {"export_data": None}),
        "ADDRESSES_SUFFICE": (Result.OUT_OF_MEMORY, lambda w: exhausted(w, "MemPoolImportPointer")),
    },
    "hipMemPoolSetAccess": {
        "DESCRIPTIONS_ARE_GIVEN": (Result.INVALID_VALUE, {"desc_list": None}),
        "COUNT_FITS_THE_DEVICES": (Result.INVALID_DEVICE, {"count": 3}),
        "LOCATION_TO_OPEN_IS_A_DEVICE": (Result.INVALID_VALUE, {"desc_list": (((0, 1), READ_WRITE),)}),
        "DEVICE_IS_THERE": (Result.INVALID_DEVICE, {"desc_list": (((1, 2), READ_WRITE),)}),
        "OWNER_KEEPS_ACCESS": (Result.INVALID_DEVICE, {"desc_list": ((HERE, NONE),)}),
        "OWNER_KEEPS_WRITING": (Result.NOT_SUPPORTED, {"desc_list": ((HERE, READ),)}),
    },
    "hipMallocAsync": {"LIMIT_SUFFICES": (Result.OUT_OF_MEMORY, lambda w: beyond_the_limit(w, current=True))},
    "hipMallocFromPoolAsync": {"LIMIT_SUFFICES": (Result.OUT_OF_MEMORY, beyond_the_limit)},
    "hipMemPoolDestroy": {
        "POOL_IS_NO_DEFAULT": (
            Result.INVALID_VALUE,
            lambda w: w("MemPoolDestroy", w.get("DeviceGetDefaultMemPool", 0)),
        ),
        "POOL_TO_END_IS_KNOWN": (Result.INVALID_VALUE, lambda w: ended_twice(w, kept=False)),
        "POOL_IS_KNOWN": (Result.INVALID_VALUE, lambda w: ended_twice(w, kept=True)),
    },
    "hipMemPoolSetAttribute": {
        "ATTRIBUTE_IS_KNOWN": (Result.INVALID_VALUE, {"value": None}),
        "ATTRIBUTE_CAN_BE_SET": (Result.INVALID_VALUE, {"attr": 5}),
        "MARK_IS_RESET": (Result.INVALID_VALUE, {"attr": 6, "value": 1}),
    },
    "hipMemcpy": {"DEVICE_IS_NOT_PROHIBITED": (Result.UNKNOWN, lambda w: prohibited(w, "Memcpy"))},
    "hipMemcpyAsync": {"DEVICE_IS_NOT_PROHIBITED": (Result.UNKNOWN, lambda w: prohibited(w, "MemcpyAsync"))},
    "hipMemcpyWithStream": {"DEVICE_IS_NOT_PROHIBITED": (Result.UNKNOWN, lambda w: prohibited(w, "MemcpyWithStream"))},
    "hipMemPtrGetInfo": {"SIZE_CAN_BE_TOLD": (Result.INVALID_VALUE, {"ptr": 0x10})},
    "hipMemRelease": {"HANDLE_IS_HELD/mapped": (Result.INVALID_VALUE, lambda w: released(w, "MemRelease"))},
    "hipMemRetainAllocationHandle": {"POINTER_IS_MAPPED": (Result.INVALID_VALUE, {"addr": 0x10})},
    "hipMemSetAccess": {
        "DESCRIPTIONS_ARE_GIVEN": (Result.INVALID_VALUE, {"desc": None}),
        "MAPPINGS_ARE_WHOLE": (Result.INVALID_VALUE, {"size": G // 2}),
        "LOCATION_IS_KNOWN": (Result.INVALID_VALUE, {"desc": (((1, 2), READ_WRITE),)}),
        "FLAGS_ARE_KNOWN": (Result.INVALID_VALUE, {"desc": ((HERE, 7),)}),
    },
    "hipMemUnmap": {"MAPPINGS_ARE_WHOLE": (Result.INVALID_VALUE, {"size": G // 2})},
    "hipPeekAtLastError": {"NO_CALL_HAS_FAILED": (Result.INVALID_VALUE, lambda w: failing(w, "PeekAtLastError"))},
    "hipSetDeviceFlags": {"DEVICE_FLAGS_ARE_KNOWN": (Result.INVALID_VALUE, {"flags": 1 << 20})},
    "hipStreamDestroy": {"STREAM_IS_CREATED": (Result.INVALID_HANDLE, {"stream": 0})},
    "hipStreamGetFlags": {"STREAM_TO_ASK_IS_GIVEN": (Result.INVALID_VALUE, {"stream": 0})},
    "hipStreamQuery": {"WORK_IS_DONE": (Result.NOT_READY, lambda w: unfinished(w, "StreamQuery"))},
    "hipStreamWaitEvent": {
        "WAIT_FLAGS_ARE_ZERO": (Result.INVALID_VALUE, {"flags": 2}),
        "STREAM_IS_CAPTURED": (Result.INVALID_HANDLE, {"flags": 1}),
        "EVENT_IS_THERE": (Result.INVALID_HANDLE, {"event": 0}),
        "EVENT_TO_AWAIT_IS_KNOWN": (Result.INVALID_HANDLE, {"event": ended}),
        "STREAM_TO_WAIT_IS_LIVE": (Result.INVALID_HANDLE, {"stream": ALL}),
    },
    **STREAMS,
}
REFUSED |= {
    f"{call}_spt": REFUSED.get(f"{call}_spt", {})
    | {
        rule: refusal
        for rule, refusal in rules.items()
        if isinstance(refusal[1], dict) and rule != "STREAM_TO_ASK_IS_GIVEN"
    }
    for call, rules in REFUSED.items()
    if f"{call}_spt" in HIP.ops
}
"""Those whose default stream is the thread's refuse the same, but for no stream."""
