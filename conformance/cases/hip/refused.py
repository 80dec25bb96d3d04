"""What HIP refuses, rule by rule: the code, and what breaks the rule.

``SWEEPS`` holds for every call that checks a rule: a value for the parameters of a type or of a name. ``REFUSED`` holds for
one call: arguments other than those of its valid call, or a program whose last call breaks the rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.hip.refused_streams import STREAMS
from conformance.cases.hip.side import ALL, PROP, READ_WRITE, SIZE
from conformance.cases.hip.using import apart, gone
from conformance.cases.hip.valid import HERE, VALID, G, reserved
from fakecuda.api import HIP

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
    w.machine.manual = True
    stream, first, last = w.stream(), w.event(), int(w.get("EventCreateWithFlags", 0))
    w.get("MemsetAsync", w.ptr, 0, SIZE, stream)
    w.get("EventRecord", last, stream)
    return w(call, *{"StreamQuery": (stream,), "EventQuery": (last,), "EventElapsedTime": (first, last)}[call])


def failing(w: Side, call: str) -> int:
    """Ask which call has failed last."""
    w("Malloc", 1, null=0)
    return w(call)


def unrequested(w: Side) -> int:
    """Export memory that was not made for it."""
    return w("MemExportToShareableHandle", w.get("MemCreate", G, PROP(handles=0), 0), 1, 0)


def released(w: Side, call: str, *args: Any) -> int:  # noqa: ANN401 - plain values
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
        101,
        dict.fromkeys(("dev", "device", "deviceId", "ordinal", "peerDeviceId", "dstDevice"), 2),
    ),
    "context.CALL_IS_IMPLEMENTED": (801, {}),
    "context.CONTEXT_IS_KNOWN": (201, {"hipCtx_t": UNKNOWN}),
    "copy.DEVICE_IS_THERE": (101, {"dstDeviceId": 2}),
    "copy.KIND_IS_KNOWN": (21, {"hipMemcpyKind": 7}),
    "copy.PITCH_SPANS_THE_ROW": (12, {"dpitch": 15}),
    "copy.POINTERS_ARE_GIVEN": (1, {"dst": 0, "dest": 0}),
    "copy.SIZES_SUFFICE": (1, {"sizeBytes": SIZE + 1, "count": SIZE + 1, "height": 65}),
    "device.TEXT_FITS": (1, {"len": 0}),
    "event.EVENT_IS_GIVEN": (400, {"hipEvent_t": 0}),
    "event.EVENT_IS_KNOWN": (709, {"hipEvent_t": ended}),
    "handle.HANDLE_IS_GIVEN": (1, {"hipMemGenericAllocationHandle_t": 0}),
    "handle.HANDLE_IS_HELD": (1, {"hipMemGenericAllocationHandle_t": UNKNOWN}),
    "memory.ELEMENT_SIZE_IS_KNOWN": (1, {"elementSizeBytes": 3}),
    "memory.HOST_FLAGS_ARE_KNOWN": (1, {"flags": 1 << 20}),
    "memory.MEMORY_SUFFICES": (2, {"size": HUGE, "sizeBytes": HUGE, "height": HUGE}),
    "memory.POINTER_IS_A_BASE": (1, {"ptr": 0x10}),
    "memory.POINTER_IS_PAGE_LOCKED": (1, {"hstPtr": 0x10, "hostPtr": 0x10}),
    "pool.DEVICE_HAS_A_POOL": (1, {"device": 2}),
    "pool.MEMORY_SUFFICES": (2, {"size": HUGE}),
    "pool.POOL_IS_GIVEN": (1, {"hipMemPool_t": 0}),
    "pool.POOL_IS_KNOWN": (1, {"hipMemPool_t": UNKNOWN}),
    "stream.FLAGS_ARE_KNOWN": (1, {"flags": 2}),
    "stream.STREAM_IS_LIVE": (709, {"hipStream_t": gone}),
    "stream.STREAM_OUTLIVES_NO_RESET": (400, {"hipStream_t": reset}),
    "stream.STREAM_TO_ASK_IS_LIVE": (400, {"hipStream_t": gone}),
    "stream.STREAM_TO_USE_IS_LIVE": (400, {"hipStream_t": gone}),
    "va.RANGE_IS_GIVEN": (1, {"ptr": 0, "devPtr": 0}),
}
"""By the rule without ``hip.``: the code, and values by the type or the name of a parameter; the last one that fits is taken."""

REFUSED: dict[str, Refusals] = {
    "hipCtxCreate": {"DEVICE_HAS_A_CONTEXT": (1, {"device": 2})},
    "hipCtxDestroy": {"CONTEXT_IS_GIVEN": (1, {"ctx": 0})},
    "hipCtxPopCurrent": {"A_CONTEXT_WAS_PUSHED": (201, lambda w: w("CtxPopCurrent"))},
    "hipCtxPushCurrent": {"CONTEXT_TO_PUSH_IS_GIVEN": (201, {"ctx": 0})},
    "hipDeviceDisablePeerAccess": {
        "PEER_IS_REACHABLE": (101, {"peerDeviceId": 0}),
        "PEER_IS_ENABLED": (705, lambda w: w("DeviceDisablePeerAccess", 1)),
    },
    "hipDeviceEnablePeerAccess": {
        "FLAGS_ARE_ZERO": (1, {"flags": 1}),
        "PEER_IS_REACHABLE": (101, {"peerDeviceId": 2}),
        "PEER_IS_NOT_ENABLED": (704, lambda w: w("DeviceEnablePeerAccess", 1, 0) or w("DeviceEnablePeerAccess", 1, 0)),
    },
    "hipDeviceGetByPCIBusId": {"BUS_ID_IS_FOUND": (1, {"pciBusId": b"0000:ff:1f.7"})},
    "hipDeviceGetP2PAttribute": {
        "DEVICES_DIFFER": (101, {"dstDevice": 0}),
        "ATTRIBUTE_IS_KNOWN": (1, {"attr": 9}),
    },
    "hipDevicePrimaryCtxSetFlags": {
        "PRIMARY_FLAGS_STAY": (216, lambda w: w("DevicePrimaryCtxSetFlags", 0, 0)),
        "DEVICE_IS_THERE": (101, lambda w: w("DevicePrimaryCtxSetFlags", 2, 0)),
    },
    "hipDeviceSetMemPool": {"POOL_IS_THE_DEVICE_S": (101, {"device": 1})},
    "hipDrvGetErrorName": {"CODE_IS_KNOWN": (1, {"hipError": 9999})},
    "hipDrvGetErrorString": {"CODE_IS_KNOWN": (1, {"hipError": 9999})},
    "hipEventCreateWithFlags": {"FLAGS_MAKE_SENSE": (1, {"flags": 1 << 20})},
    "hipEventDestroy": {"EVENT_IS_LIVE": (709, {"event": ended})},
    "hipEventElapsedTime": {
        "DEVICES_ARE_ONE": (400, lambda w: apart(w, elapsed=True)),
        "EVENTS_ARE_TIMED": (400, lambda w: w("EventElapsedTime", w.event(2), w.event())),
        "WORK_IS_DONE": (600, lambda w: unfinished(w, "EventElapsedTime")),
    },
    "hipEventQuery": {"WORK_IS_DONE": (600, lambda w: unfinished(w, "EventQuery"))},
    "hipEventRecord": {"DEVICES_ARE_ONE": (400, lambda w: apart(w, elapsed=False))},
    "hipEventRecordWithFlags": {
        "FLAGS_ARE_KNOWN": (1, {"flags": 2}),
        "DEVICES_ARE_ONE": (400, {"stream": lambda w: [w.get("SetDevice", 1), w.stream()][1]}),
    },
    "hipExtGetLastError": {"NO_CALL_HAS_FAILED": (1, lambda w: failing(w, "ExtGetLastError"))},
    "hipExtMallocWithFlags": {"MALLOC_FLAGS_ARE_KNOWN": (1, {"flags": 1 << 20})},
    "hipFreeAsync": {"POINTER_IS_A_BASE": (1, {"dev_ptr": 0x10})},
    "hipGetLastError": {"NO_CALL_HAS_FAILED": (1, lambda w: failing(w, "GetLastError"))},
    "hipHostGetDevicePointer": {"FLAGS_ARE_ZERO": (1, {"flags": 1})},
    "hipHostRegister": {"RANGE_CAN_BE_REGISTERED": (1, {"sizeBytes": 0})},
    "hipHostUnregister": {"POINTER_IS_REGISTERED": (713, {"hostPtr": 0x10})},
    "hipInit": {"INIT_FLAGS_ARE_ZERO": (1, {"flags": 1})},
    "hipIpcCloseMemHandle": {"POINTER_IS_A_MAPPING": (1, {"devPtr": 0})},
    "hipIpcGetEventHandle": {
        "EVENT_IS_GIVEN": (1, {"event": 0}),
        "EVENT_IS_KNOWN": (709, {"event": ended}),
        "EVENT_IS_INTERPROCESS": (9, {"event": lambda w: w.event()}),
    },
    "hipIpcGetMemHandle": {"POINTER_IS_ALLOCATED": (1, {"devPtr": 0x10})},
    "hipIpcOpenEventHandle": {
        "EVENT_IS_KNOWN": (1, {"handle": bytes(64)}),
        "EVENT_IS_ANOTHER_PROCESS_S": (201, lambda w: made_here(w, "Event")),
    },
    "hipIpcOpenMemHandle": {
        "FLAGS_ARE_LAZY": (1, {"flags": 0}),
        "HANDLE_IS_NOT_EMPTY": (1, {"handle": bytes(64)}),
        "HANDLE_IS_ANOTHER_PROCESS_S": (201, lambda w: made_here(w, "Mem")),
        "OWNER_IS_SEEN": (1, unseen),
        "HANDLE_ATTACHES": (17, lambda w: orphaned(w, "kill")),
        "HANDLE_ATTACHES/addresses": (17, lambda w: exhausted(w, "IpcOpenMemHandle")),
        "EXPORTER_HAS_IT": (17, lambda w: orphaned(w, "free")),
    },
    "hipMallocManaged": {"MANAGED_MAKES_SENSE": (1, {"flags": 9}), "MEMORY_SUFFICES": (2, {"size": ALL})},
    "hipMemAddressFree": {
        "RANGE_IS_A_RESERVATION": (1, {"devPtr": 0x10}),
        "NOTHING_IS_MAPPED": (999, {"devPtr": lambda w: w.mapped()}),
    },
    "hipMemAddressReserve": {
        "FLAGS_ARE_ZERO": (1, {"flags": 1}),
        "SIZE_IS_ALIGNED": (1, {"size": 0}),
        "ADDRESSES_SUFFICE": (2, {"size": 1 << 47}),
        "ADDRESSES_SUFFICE/exhausted": (2, lambda w: exhausted(w, "MemAddressReserve")),
    },
    "hipMemCreate": {
        "PROPERTIES_MAKE_SENSE": (1, {"prop": None}),
        "DEVICE_IS_THERE": (101, {"prop": PROP(id=2)}),
        "HANDLE_TYPE_IS_SUPPORTED": (801, {"prop": PROP(handles=8)}),
        "MEMORY_SUFFICES": (2, {"size": HUGE}),
        "SIZE_IS_ALIGNED": (1, {"size": G + 1}),
    },
    "hipMemExportToShareableHandle": {
        "FLAGS_ARE_ZERO": (1, {"flags": 1}),
        "TYPE_WAS_REQUESTED": (1, unrequested),
    },
    "hipMemGetAccess": {
        "LOCATION_IS_A_DEVICE": (1, {"location": (1, 2)}),
        "POINTER_IS_MAPPED": (1, {"ptr": 0x10}),
    },
    "hipMemGetAddressRange": {"POINTER_IS_IN_MEMORY": (500, {"dptr": 0x10})},
    "hipMemGetAllocationGranularity": {"ARGUMENTS_MAKE_SENSE": (1, {"option": 9})},
    "hipMemImportFromShareableHandle": {"HANDLE_IS_EXPORTED_MEMORY": (1, {"osHandle": 0})},
    "hipMemMap": {
        "OFFSET_IS_ZERO": (1, {"offset": G}),
        "PIECE_IS_ALIGNED": (1, {"size": 1}),
        "PIECE_IS_ALLOCATED": (1, longer),
        "RANGE_IS_FREE": (1, {"ptr": lambda w: w.mapped()}),
    },
    "hipMemMapArrayAsync": {"ARRAYS_ARE_IMPLEMENTED": (801, lambda w: w("MemMapArrayAsync", w.host, 1, 0))},
    "hipMemcpyBatchAsync": {"SIZES_SUFFICE": (1, {"sizes": (2 * SIZE,)})},
    "hipMemPoolCreate": {"PROPERTIES_MAKE_SENSE": (1, {"pool_props": None})},
    "hipMemPoolExportPointer": {"POINTER_IS_GIVEN": (1, {"dev_ptr": 0})},
    "hipMemPoolExportToShareableHandle": {"POOL_EXPORTS": (1, {"flags": 1})},
    "hipMemPoolGetAccess": {"LOCATION_IS_A_DEVICE": (1, {"location": None})},
    "hipMemPoolGetAttribute": {"ATTRIBUTE_IS_KNOWN": (1, {"attr": 99})},
    "hipMemPoolImportFromShareableHandle": {
        "HANDLE_IS_GIVEN": (1, {"shared_handle": 0}),
        "HANDLE_IS_A_POOL": (2, {"shared_handle": 9999}),
    },
    "hipMemPoolImportPointer": {
        "POINTER_IS_GIVEN": (1, {"export_data": None}),
        "ADDRESSES_SUFFICE": (2, lambda w: exhausted(w, "MemPoolImportPointer")),
    },
    "hipMemPoolSetAccess": {
        "DESCRIPTIONS_ARE_GIVEN": (1, {"desc_list": None}),
        "COUNT_FITS_THE_DEVICES": (101, {"count": 3}),
        "LOCATION_TO_OPEN_IS_A_DEVICE": (1, {"desc_list": (((0, 1), READ_WRITE),)}),
        "DEVICE_IS_THERE": (101, {"desc_list": (((1, 2), READ_WRITE),)}),
        "OWNER_KEEPS_ACCESS": (101, {"desc_list": ((HERE, NONE),)}),
        "OWNER_KEEPS_WRITING": (801, {"desc_list": ((HERE, READ),)}),
    },
    "hipMemPoolSetAttribute": {"ATTRIBUTE_IS_KNOWN": (1, {"value": None})},
    "hipMemcpy": {"DEVICE_IS_NOT_PROHIBITED": (999, lambda w: prohibited(w, "Memcpy"))},
    "hipMemcpyAsync": {"DEVICE_IS_NOT_PROHIBITED": (999, lambda w: prohibited(w, "MemcpyAsync"))},
    "hipMemcpyWithStream": {"DEVICE_IS_NOT_PROHIBITED": (999, lambda w: prohibited(w, "MemcpyWithStream"))},
    "hipMemPtrGetInfo": {"SIZE_CAN_BE_TOLD": (1, {"ptr": 0x10})},
    "hipMemRelease": {"HANDLE_IS_HELD/mapped": (1, lambda w: released(w, "MemRelease"))},
    "hipMemRetainAllocationHandle": {"POINTER_IS_MAPPED": (1, {"addr": 0x10})},
    "hipMemSetAccess": {
        "DESCRIPTIONS_ARE_GIVEN": (1, {"desc": None}),
        "MAPPINGS_ARE_WHOLE": (1, {"size": G // 2}),
        "LOCATION_IS_KNOWN": (1, {"desc": (((1, 2), READ_WRITE),)}),
        "FLAGS_ARE_KNOWN": (1, {"desc": ((HERE, 7),)}),
    },
    "hipMemUnmap": {"MAPPINGS_ARE_WHOLE": (1, {"size": G // 2})},
    "hipPeekAtLastError": {"NO_CALL_HAS_FAILED": (1, lambda w: failing(w, "PeekAtLastError"))},
    "hipSetDeviceFlags": {"DEVICE_FLAGS_ARE_KNOWN": (1, {"flags": 1 << 20})},
    "hipStreamDestroy": {"STREAM_IS_CREATED": (400, {"stream": 0})},
    "hipStreamGetFlags": {"STREAM_TO_ASK_IS_GIVEN": (1, {"stream": 0})},
    "hipStreamQuery": {"WORK_IS_DONE": (600, lambda w: unfinished(w, "StreamQuery"))},
    "hipStreamWaitEvent": {
        "WAIT_FLAGS_ARE_ZERO": (1, {"flags": 2}),
        "EVENT_IS_THERE": (400, {"event": 0}),
        "STREAM_TO_WAIT_IS_LIVE": (400, {"stream": ALL}),
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
