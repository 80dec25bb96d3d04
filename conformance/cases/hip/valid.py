"""Arguments of a valid call of HIP.ops, by the call: what refusals change one of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.hip.side import PROP, READ_WRITE, SIZE
from conformance.cases.hip.using import INTERPROCESS, UNTIMED, new_pool
from conformance.cases.hip.valid_memory import MEMORY
from conformance.cases.hip.valid_streams import STREAMS
from fakecuda.rules.registry import HIP

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cases.hip.side import Side

    Arguments = Callable[[Side], tuple[Any, ...]]

G = 2 << 20
"""Bytes of an allocation: a multiple of every granularity."""
NOT_BLOCKING = 1
HERE = (1, 0)
"""The hipMemLocation of the first device."""
DESCRIPTOR = 1
"""A handle that is a descriptor."""


def context(w: Side) -> int:
    """Return the context of the first device."""
    return int(w.get("DevicePrimaryCtxRetain", 0))


def pushed(w: Side) -> tuple[()]:
    """Push a context, to be popped."""
    w.get("CtxPushCurrent", context(w))
    return ()


def pinned(w: Side) -> int:
    """Return new page-locked memory."""
    return int(w.get("HostMalloc", SIZE, 0))


def registered(w: Side) -> int:
    """Return registered memory of the host."""
    host = w.host
    w.get("HostRegister", host, SIZE, 0)
    return host


def reserved(w: Side) -> int:
    """Return a new reservation."""
    return int(w.get("MemAddressReserve", G, 0, 0, 0))


def shared(w: Side) -> bytes:
    """Return the handle of memory of another process."""
    b = w.machine.spawn()
    return bytes(w.get("IpcGetMemHandle", w.get("Malloc", SIZE, on=b), on=b))


def shared_event(w: Side) -> bytes:
    """Return the handle of an event of another process."""
    b = w.machine.spawn()
    return bytes(w.get("IpcGetEventHandle", w.get("EventCreateWithFlags", UNTIMED | INTERPROCESS, on=b), on=b))


def descriptor(w: Side) -> int:
    """Return the descriptor of an allocation."""
    return int(w.get("MemExportToShareableHandle", w.handle(), DESCRIPTOR, 0))


def pooled(w: Side) -> int:
    """Return new memory of a pool that can be exported."""
    pool = new_pool(w)
    w.get("MemPoolExportToShareableHandle", pool, DESCRIPTOR, 0)
    return int(w.get("MallocFromPoolAsync", SIZE, pool, 0))


def imported(w: Side) -> tuple[int, bytes]:
    """Return a pool of another process as it is imported, and what is told of memory of it."""
    b = w.machine.spawn()
    theirs = w.get("MemPoolCreate", (1, 1, HERE, 0, 0), on=b)
    mine = w.get(
        "MemPoolImportFromShareableHandle", w.get("MemPoolExportToShareableHandle", theirs, 1, 0, on=b), DESCRIPTOR, 0
    )
    return mine, w.get("MemPoolExportPointer", w.get("MallocFromPoolAsync", SIZE, theirs, 0, on=b), on=b)


def rows(w: Side) -> tuple[int, int, int, int, int, int]:
    """Return both sides of a copy of rows, their pitches, and what is copied."""
    return w.ptr, 64, w.ptr, 64, 16, 4


def enabled(w: Side) -> tuple[int]:
    """Enable access to the second device, to be disabled."""
    w.get("DeviceEnablePeerAccess", 1, 0)
    return (1,)


NOTHING: Arguments = lambda _: ()  # noqa: E731 - one of a table
FIRST: Arguments = lambda _: (0,)  # noqa: E731 - one of a table
NO_ARGUMENTS = (
    "hipCtxGetCurrent hipCtxGetDevice hipCtxGetSharedMemConfig hipDeviceGetCacheConfig hipDeviceGetSharedMemConfig hipDeviceGetStreamPriorityRange "
    "hipDeviceReset hipDeviceSynchronize hipDriverGetVersion hipEventCreate hipExtGetLastError hipGetDevice "
    "hipGetDeviceCount hipGetDeviceFlags hipGetLastError hipMemGetInfo hipPeekAtLastError hipRuntimeGetVersion "
    "hipStreamCreate"
)
OF_A_DEVICE = (
    "hipDeviceGet hipDeviceGetDefaultMemPool hipDeviceGetMemPool hipDevicePrimaryCtxGetState hipDevicePrimaryCtxRelease "
    "hipDevicePrimaryCtxReset hipDevicePrimaryCtxRetain hipDeviceGetUuid hipDeviceTotalMem hipSetDevice"
)
OF_A_STREAM = (
    "hipStreamDestroy hipStreamGetDevice hipStreamGetFlags hipStreamGetId hipStreamGetPriority hipStreamIsCapturing "
    "hipStreamQuery hipStreamSynchronize"
)

VALID: dict[str, Arguments] = {
    **dict.fromkeys(NO_ARGUMENTS.split(), NOTHING),
    **dict.fromkeys(OF_A_DEVICE.split(), FIRST),
    **dict.fromkeys(OF_A_STREAM.split(), lambda w: (w.stream(),)),
    "hipCtxCreate": lambda _: (0, 0),
    "hipCtxDestroy": lambda w: (context(w),),
    "hipCtxDisablePeerAccess": lambda w: (context(w),),
    "hipCtxEnablePeerAccess": lambda w: (context(w), 0),
    "hipCtxPopCurrent": pushed,
    "hipCtxPushCurrent": lambda w: (context(w),),
    "hipCtxSetCurrent": lambda w: (context(w),),
    "hipDeviceCanAccessPeer": lambda _: (0, 1),
    "hipDeviceDisablePeerAccess": enabled,
    "hipDeviceEnablePeerAccess": lambda _: (1, 0),
    "hipDeviceGetByPCIBusId": lambda w: (w.get("DeviceGetPCIBusId", 20, 0),),
    "hipDeviceGetLimit": lambda _: (0,),
    "hipDeviceGetName": lambda _: (64, 0),
    "hipDeviceGetP2PAttribute": lambda _: (2, 0, 1),
    "hipDeviceGetPCIBusId": lambda _: (20, 0),
    "hipDeviceSetMemPool": lambda w: (0, new_pool(w)),
    "hipDrvGetErrorName": lambda _: (1,),
    "hipDrvGetErrorString": lambda _: (1,),
    "hipEventCreateWithFlags": lambda _: (UNTIMED,),
    "hipEventDestroy": lambda w: (w.event(),),
    "hipEventElapsedTime": lambda w: (w.event(), w.event()),
    "hipEventQuery": lambda w: (w.event(),),
    "hipEventRecord": lambda w: (w.event(), 0),
    "hipEventRecordWithFlags": lambda w: (w.event(), w.stream(), 0),
    "hipEventSynchronize": lambda w: (w.event(),),
    "hipExtMallocWithFlags": lambda _: (SIZE, 0),
    "hipFree": lambda w: (w.ptr,),
    "hipFreeAsync": lambda w: (w.get("MallocAsync", SIZE, 0), 0),
    "hipFreeHost": lambda w: (pinned(w),),
    "hipGetErrorName": lambda _: (1,),
    "hipGetErrorString": lambda _: (1,),
    "hipHostAlloc": lambda _: (SIZE, 0),
    "hipHostFree": lambda w: (pinned(w),),
    "hipHostGetDevicePointer": lambda w: (pinned(w), 0),
    "hipHostGetFlags": lambda w: (pinned(w),),
    "hipHostMalloc": lambda _: (SIZE, 0),
    "hipHostRegister": lambda w: (w.host, SIZE, 0),
    "hipHostUnregister": lambda w: (registered(w),),
    "hipInit": lambda _: (0,),
    "hipIpcCloseMemHandle": lambda w: (w.get("IpcOpenMemHandle", shared(w), 1),),
    "hipIpcGetEventHandle": lambda w: (w.get("EventCreateWithFlags", UNTIMED | INTERPROCESS),),
    "hipIpcGetMemHandle": lambda w: (w.ptr,),
    "hipIpcOpenEventHandle": lambda w: (shared_event(w),),
    "hipIpcOpenMemHandle": lambda w: (shared(w), 1),
    "hipMalloc": lambda _: (SIZE,),
    "hipMallocAsync": lambda w: (SIZE, w.stream()),
    "hipMallocFromPoolAsync": lambda w: (SIZE, new_pool(w), w.stream()),
    "hipMallocHost": lambda _: (SIZE,),
    "hipMallocManaged": lambda _: (SIZE, 1),
    "hipMallocPitch": lambda _: (64, 4),
    "hipMemAddressFree": lambda w: (reserved(w), G),
    "hipMemAddressReserve": lambda _: (G, 0, 0, 0),
    "hipMemAllocHost": lambda _: (SIZE,),
    "hipMemAllocPitch": lambda _: (64, 4, 4),
    "hipMemCreate": lambda _: (G, PROP(), 0),
    "hipMemExportToShareableHandle": lambda w: (w.handle(), DESCRIPTOR, 0),
    "hipMemGetAccess": lambda w: (HERE, w.mapped()),
    "hipMemGetAddressRange": lambda w: (w.ptr,),
    "hipMemGetAllocationGranularity": lambda _: (PROP(), 0),
    "hipMemGetAllocationPropertiesFromHandle": lambda w: (w.handle(),),
    "hipMemImportFromShareableHandle": lambda w: (descriptor(w), DESCRIPTOR),
    "hipMemMap": lambda w: (reserved(w), G, 0, w.handle(), 0),
    "hipMemPoolCreate": lambda _: ((1, 1, HERE, 0, 0),),
    "hipMemPoolDestroy": lambda w: (new_pool(w),),
    "hipMemPoolExportPointer": lambda w: (pooled(w),),
    "hipMemPoolExportToShareableHandle": lambda w: (new_pool(w), DESCRIPTOR, 0),
    "hipMemPoolGetAccess": lambda w: (w.pool, HERE),
    "hipMemPoolGetAttribute": lambda w: (w.pool, 4),
    "hipMemPoolImportFromShareableHandle": lambda w: (
        w.get("MemPoolExportToShareableHandle", new_pool(w), 1, 0),
        DESCRIPTOR,
        0,
    ),
    "hipMemPoolImportPointer": imported,
    "hipMemPoolSetAccess": lambda w: (w.pool, (((1, 1), READ_WRITE),), 1),
    "hipMemPoolSetAttribute": lambda w: (w.pool, 4, SIZE),
    "hipMemPoolTrimTo": lambda w: (w.pool, 0),
    "hipMemPtrGetInfo": lambda w: (w.ptr,),
    "hipMemRelease": lambda w: (w.handle(),),
    "hipMemRetainAllocationHandle": lambda w: (w.mapped(),),
    "hipMemSetAccess": lambda w: (w.mapped(), G, ((HERE, READ_WRITE),), 1),
    "hipMemUnmap": lambda w: (w.mapped(), G),
    "hipMemcpy": lambda w: (w.ptr, w.ptr, SIZE, 3),
    "hipMemcpy2D": lambda w: (*rows(w), 3),
    "hipMemcpy2DAsync": lambda w: (*rows(w), 3, w.stream()),
    "hipMemcpyAsync": lambda w: (w.ptr, w.ptr, SIZE, 3, w.stream()),
    "hipMemcpyDtoD": lambda w: (w.ptr, w.ptr, SIZE),
    "hipMemcpyDtoDAsync": lambda w: (w.ptr, w.ptr, SIZE, w.stream()),
    "hipMemcpyDtoH": lambda w: (w.host, w.ptr, SIZE),
    "hipMemcpyDtoHAsync": lambda w: (w.host, w.ptr, SIZE, w.stream()),
    "hipMemcpyHtoD": lambda w: (w.ptr, w.host, SIZE),
    "hipMemcpyHtoDAsync": lambda w: (w.ptr, w.host, SIZE, w.stream()),
    "hipMemcpyPeer": lambda w: (w.there, 1, w.ptr, 0, SIZE),
    "hipMemcpyPeerAsync": lambda w: (w.there, 1, w.ptr, 0, SIZE, w.stream()),
    "hipMemcpyWithStream": lambda w: (w.ptr, w.ptr, SIZE, 3, w.stream()),
    "hipMemset": lambda w: (w.ptr, 7, SIZE),
    "hipMemset2D": lambda w: (w.ptr, 64, 7, 16, 4),
    "hipMemset2DAsync": lambda w: (w.ptr, 64, 7, 16, 4, w.stream()),
    "hipMemsetAsync": lambda w: (w.ptr, 7, SIZE, w.stream()),
    "hipMemsetD8": lambda w: (w.ptr, 7, SIZE),
    "hipMemsetD8Async": lambda w: (w.ptr, 7, SIZE, w.stream()),
    "hipSetDeviceFlags": lambda _: (0,),
    "hipStreamCreateWithFlags": lambda _: (NOT_BLOCKING,),
    "hipStreamCreateWithPriority": lambda _: (NOT_BLOCKING, 0),
    "hipStreamWaitEvent": lambda w: (w.stream(), w.event(), 0),
    **MEMORY,
    **STREAMS,
}
VALID |= {f"{call}_spt": arguments for call, arguments in VALID.items() if f"{call}_spt" in HIP.ops}
"""Those of a call whose default stream is the thread's are the same."""
