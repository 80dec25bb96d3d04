"""Objects of a process that uses HIP, and valid arguments for its calls."""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, Any

from fakecuda.model.memory.blocks import UNIT
from tests.bindings.world import SIZE, World

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Process

    from .calls import Circle

GRANULE = 2 << 20
POSIX, PINNED, DEVICE, READ_WRITE = 1, 1, 1, 3
INTERPROCESS = 6
DEVICE_TO_DEVICE = 3


class HipWorld:
    """Objects of one process, made through HIP.

    Args:
        process: The process.

    Attributes:
        driver: The look-alike of hip-python.
    """

    def __init__(self, process: Process) -> None:
        self.driver = h = process.hip
        made = World.made
        made((h.hipInit(0)[0], None))
        self.context = made(h.hipDevicePrimaryCtxRetain(0))
        self.peer = made(h.hipDevicePrimaryCtxRetain(1))
        self.pointer = int(made(h.hipMalloc(SIZE)))
        self.managed = int(made(h.hipMallocManaged(SIZE, 1)))
        self.pinned = int(made(h.hipHostMalloc(SIZE, 0)))
        self.stream = made(h.hipStreamCreateWithFlags(1))
        self.event = made(h.hipEventCreateWithFlags(INTERPROCESS))
        self.timed = made(h.hipEventCreate())
        h.hipEventRecord(self.timed, 0)
        self.ipc = made(h.hipIpcGetMemHandle(self.pointer))
        self.ipc_event = made(h.hipIpcGetEventHandle(self.event))
        self.bus = process.c.hipDeviceGetPCIBusId(20, 0)[1]
        self.limit, self.p2p = h.hipLimit_t(2), h.hipDeviceP2PAttr(2)
        self.error, self.kind = h.hipError_t(1), h.hipMemcpyKind(DEVICE_TO_DEVICE)
        self.pages = mmap.mmap(-1, 2 * SIZE)
        self.page = ctypes.addressof(ctypes.c_char.from_buffer(self.pages))
        h.hipHostRegister(self.page + SIZE, SIZE, 0)
        self.host = ctypes.create_string_buffer(SIZE)
        self._set_up_mappings()
        self._set_up_pools()

    def _set_up_mappings(self) -> None:
        h, made = self.driver, World.made
        self.posix = h.hipMemAllocationHandleType(POSIX)
        self.prop = h.hipMemAllocationProp()
        self.prop.type = h.hipMemAllocationType(PINNED)
        # The field after the type; hip-python's class has no name for it.
        ctypes.c_int32.from_address(int(self.prop) + 4).value = POSIX
        self.prop.location.type = h.hipMemLocationType(DEVICE)
        self.access = h.hipMemAccessDesc()
        self.access.location.type = h.hipMemLocationType(DEVICE)
        self.access.flags = h.hipMemAccessFlags(READ_WRITE)
        self.granularity = h.hipMemAllocationGranularity_flags(0)
        self.handle = made(h.hipMemCreate(GRANULE, self.prop, 0))
        self.empty, self.mapped = (int(made(h.hipMemAddressReserve(GRANULE, 0, 0, 0))) for _ in range(2))
        h.hipMemMap(self.mapped, GRANULE, 0, self.handle, 0)
        h.hipMemSetAccess(self.mapped, GRANULE, self.access, 1)

    def _set_up_pools(self) -> None:
        h, made = self.driver, World.made
        self.pool = made(h.hipDeviceGetDefaultMemPool(0))
        self.props = h.hipMemPoolProps()
        self.props.allocType = self.prop.type
        self.props.handleTypes = self.posix
        self.props.location.type = self.prop.location.type
        self.own_pool = made(h.hipMemPoolCreate(self.props))
        self.attribute, self.value = h.hipMemPoolAttr(4), ctypes.c_uint64()
        self.room = ctypes.addressof(self.value)
        self.pooled = int(made(h.hipMallocFromPoolAsync(SIZE, self.own_pool, 0)))


def _nothing(_: HipWorld) -> tuple[Any, ...]:
    return ()


def _first(_: HipWorld) -> tuple[Any, ...]:
    return (0,)


def _in_stream(w: HipWorld) -> tuple[Any, ...]:
    return (w.stream,)


HIP_VALID: dict[str, Callable[[HipWorld], tuple[Any, ...]]] = {
    **dict.fromkeys(
        [
            "hipCtxGetCurrent",
            "hipCtxGetDevice",
            "hipCtxPopCurrent",
            "hipDeviceGetCacheConfig",
            "hipDeviceGetSharedMemConfig",
            "hipDeviceGetStreamPriorityRange",
            "hipDeviceReset",
            "hipDeviceSynchronize",
            "hipDriverGetVersion",
            "hipEventCreate",
            "hipGetDevice",
            "hipGetDeviceCount",
            "hipGetDeviceFlags",
            "hipMemGetInfo",
            "hipRuntimeGetVersion",
            "hipStreamCreate",
        ],
        _nothing,
    ),
    **dict.fromkeys(
        [
            "hipDeviceGet",
            "hipDeviceGetDefaultMemPool",
            "hipDeviceGetMemPool",
            "hipDeviceGetUuid",
            "hipDevicePrimaryCtxGetState",
            "hipDevicePrimaryCtxRelease",
            "hipDevicePrimaryCtxReset",
            "hipDevicePrimaryCtxRetain",
            "hipDeviceTotalMem",
            "hipInit",
            "hipSetDevice",
            "hipSetDeviceFlags",
        ],
        _first,
    ),
    **dict.fromkeys(
        [
            "hipStreamDestroy",
            "hipStreamGetDevice",
            "hipStreamGetFlags",
            "hipStreamGetId",
            "hipStreamGetPriority",
            "hipStreamIsCapturing",
            "hipStreamQuery",
            "hipStreamSynchronize",
        ],
        _in_stream,
    ),
    "hipCtxCreate": lambda _: (0, 0),
    "hipCtxDestroy": lambda w: (w.context,),
    "hipCtxDisablePeerAccess": lambda w: (w.peer,),
    "hipCtxEnablePeerAccess": lambda w: (w.peer, 0),
    "hipCtxPushCurrent": lambda w: (w.context,),
    "hipCtxSetCurrent": lambda w: (w.context,),
    "hipDeviceCanAccessPeer": lambda _: (0, 1),
    "hipDeviceDisablePeerAccess": lambda _: (1,),
    "hipDeviceEnablePeerAccess": lambda _: (1, 0),
    "hipDeviceGetByPCIBusId": lambda w: (w.bus,),
    "hipDeviceGetLimit": lambda w: (w.limit,),
    "hipDeviceGetName": lambda _: (64, 0),
    "hipDeviceGetP2PAttribute": lambda w: (w.p2p, 0, 1),
    "hipDeviceGetPCIBusId": lambda _: (20, 0),
    "hipDeviceSetMemPool": lambda w: (0, w.pool),
    "hipEventCreateWithFlags": lambda _: (0,),
    "hipEventElapsedTime": lambda w: (w.timed, w.timed),
    "hipEventQuery": lambda w: (w.event,),
    "hipEventRecord": lambda w: (w.event, 0),
    "hipEventRecordWithFlags": lambda w: (w.event, 0, 0),
    "hipEventSynchronize": lambda w: (w.event,),
    "hipExtMallocWithFlags": lambda _: (SIZE, 0),
    "hipGetErrorName": lambda w: (w.error,),
    "hipGetErrorString": lambda w: (w.error,),
    "hipHostAlloc": lambda _: (UNIT, 0),
    "hipHostFree": lambda w: (w.pinned,),
    "hipHostGetDevicePointer": lambda w: (w.pinned, 0),
    "hipHostGetFlags": lambda w: (w.pinned,),
    "hipHostMalloc": lambda _: (UNIT, 0),
    "hipHostRegister": lambda w: (w.page, SIZE, 0),
    "hipIpcGetEventHandle": lambda w: (w.event,),
    "hipIpcGetMemHandle": lambda w: (w.pointer,),
    "hipIpcOpenEventHandle": lambda w: (w.ipc_event,),
    "hipIpcOpenMemHandle": lambda w: (w.ipc, 1),
    "hipMalloc": lambda _: (SIZE,),
    "hipMallocAsync": lambda _: (SIZE, 0),
    "hipMallocFromPoolAsync": lambda w: (SIZE, w.own_pool, 0),
    "hipMallocHost": lambda _: (UNIT,),
    "hipMallocManaged": lambda _: (SIZE, 1),
    "hipMallocPitch": lambda _: (100, 10),
    "hipMemAddressReserve": lambda _: (GRANULE, 0, 0, 0),
    "hipMemAllocHost": lambda _: (UNIT,),
    "hipMemAllocPitch": lambda _: (100, 10, 4),
    "hipMemCreate": lambda w: (GRANULE, w.prop, 0),
    "hipMemGetAccess": lambda w: (w.prop.location, w.mapped),
    "hipMemGetAddressRange": lambda w: (w.pointer,),
    "hipMemGetAllocationGranularity": lambda w: (w.prop, w.granularity),
    "hipMemGetAllocationPropertiesFromHandle": lambda w: (w.handle,),
    "hipMemMap": lambda w: (w.empty, GRANULE, 0, w.handle, 0),
    "hipMemPoolCreate": lambda w: (w.props,),
    "hipMemPoolGetAccess": lambda w: (w.pool, w.prop.location),
    "hipMemPoolGetAttribute": lambda w: (w.pool, w.attribute, w.room),
    "hipMemPoolSetAccess": lambda w: (w.pool, w.access, 1),
    "hipMemPoolSetAttribute": lambda w: (w.pool, w.attribute, w.room),
    "hipMemPoolTrimTo": lambda w: (w.pool, 0),
    "hipMemRetainAllocationHandle": lambda w: (w.mapped,),
    "hipMemSetAccess": lambda w: (w.mapped, GRANULE, w.access, 1),
    "hipMemcpy": lambda w: (w.pointer, w.pointer, SIZE, w.kind),
    "hipMemcpy2D": lambda w: (w.pointer, 64, w.pointer, 64, 0, 0, w.kind),
    "hipMemcpy2DAsync": lambda w: (w.pointer, 64, w.pointer, 64, 0, 0, w.kind, 0),
    "hipMemcpyAsync": lambda w: (w.pointer, w.pointer, SIZE, w.kind, 0),
    "hipMemcpyDtoD": lambda w: (w.pointer, w.pointer, SIZE),
    "hipMemcpyDtoDAsync": lambda w: (w.pointer, w.pointer, SIZE, 0),
    "hipMemcpyDtoH": lambda w: (w.host, w.pointer, SIZE),
    "hipMemcpyDtoHAsync": lambda w: (w.host, w.pointer, SIZE, 0),
    "hipMemcpyHtoD": lambda w: (w.pointer, w.host, SIZE),
    "hipMemcpyHtoDAsync": lambda w: (w.pointer, w.host, SIZE, 0),
    "hipMemcpyPeer": lambda w: (w.pointer, 0, w.pointer, 0, SIZE),
    "hipMemcpyPeerAsync": lambda w: (w.pointer, 0, w.pointer, 0, SIZE, 0),
    "hipMemcpyWithStream": lambda w: (w.pointer, w.pointer, SIZE, w.kind, 0),
    "hipMemset": lambda w: (w.pointer, 7, SIZE),
    "hipMemset2D": lambda w: (w.pointer, 64, 7, 32, 4),
    "hipMemset2DAsync": lambda w: (w.pointer, 64, 7, 32, 4, 0),
    "hipMemsetAsync": lambda w: (w.pointer, 7, SIZE, 0),
    "hipMemsetD8": lambda w: (w.pointer, 7, SIZE),
    "hipMemsetD8Async": lambda w: (w.pointer, 7, SIZE, 0),
    "hipStreamCreateWithFlags": lambda _: (0,),
    "hipStreamCreateWithPriority": lambda _: (1, -1),
    "hipStreamWaitEvent": lambda w: (w.stream, w.event, 0),
}
"""Arguments of calls that succeed, alone or in a circle. HIP does not support some calls of contexts."""
HIP_CIRCLES: tuple[Circle, ...] = (
    *(
        {made: None, undone: lambda _, it: (it,)}
        for made, undone in (
            ("hipMalloc", "hipFree"),
            ("hipExtMallocWithFlags", "hipFree"),
            ("hipMallocManaged", "hipFree"),
            ("hipMallocPitch", "hipFree"),
            ("hipMemAllocPitch", "hipFree"),
            ("hipHostMalloc", "hipHostFree"),
            ("hipHostAlloc", "hipFreeHost"),
            ("hipMallocHost", "hipFreeHost"),
            ("hipMemAllocHost", "hipFreeHost"),
            ("hipMemPoolCreate", "hipMemPoolDestroy"),
            ("hipEventCreate", "hipEventDestroy"),
            ("hipEventCreateWithFlags", "hipEventDestroy"),
            ("hipIpcOpenEventHandle", "hipEventDestroy"),
            ("hipIpcOpenMemHandle", "hipIpcCloseMemHandle"),
            ("hipStreamCreate", "hipStreamDestroy"),
            ("hipStreamCreateWithFlags", "hipStreamDestroy"),
            ("hipStreamCreateWithPriority", "hipStreamDestroy"),
            ("hipMemCreate", "hipMemRelease"),
            ("hipMemRetainAllocationHandle", "hipMemRelease"),
            ("hipCtxCreate", "hipCtxDestroy"),
        )
    ),
    {"hipMallocAsync": None, "hipFreeAsync": lambda _, it: (it, 0)},
    {"hipMallocFromPoolAsync": None, "hipFreeAsync": lambda _, it: (it, 0)},
    {"hipHostRegister": None, "hipHostUnregister": lambda w, _: (w.page,)},
    {"hipMemAddressReserve": None, "hipMemAddressFree": lambda _, it: (it, GRANULE)},
    {"hipMemMap": None, "hipMemUnmap": lambda w, _: (w.empty, GRANULE)},
    {"hipDevicePrimaryCtxRetain": None, "hipDevicePrimaryCtxRelease": None},
    {"hipDeviceEnablePeerAccess": None, "hipDeviceDisablePeerAccess": None},
    {"hipCtxEnablePeerAccess": None, "hipCtxDisablePeerAccess": None},
    {"hipCtxPushCurrent": None, "hipCtxPopCurrent": None},
)
"""Circles of calls that undo each other."""
