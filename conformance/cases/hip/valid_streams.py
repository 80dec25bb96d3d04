"""Arguments of valid calls of HIP on what streams are given, on devices and on pointers, by the call."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from conformance.cases.hip.side import SIZE
from fakecuda.spec import mem_ops
from fakecuda.spec.hip import ENUMS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.cases.hip.side import Side

EQ = 1
EVERY = (1 << 32) - 1
UNITS = 10
"""Words of the mask of an MI300X's compute units."""
BUFFER = ENUMS["hipPointer_attribute"]["HIP_POINTER_ATTRIBUTE_BUFFER_ID"]
SYNC_MEMOPS = ENUMS["hipPointer_attribute"]["HIP_POINTER_ATTRIBUTE_SYNC_MEMOPS"]
POLICY = ENUMS["hipLaunchAttributeID"]["hipLaunchAttributeSynchronizationPolicy"]
_function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda _: None)
_callback = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p)(lambda *_: None)
FUNCTION, CALLBACK = (ctypes.cast(one, ctypes.c_void_p).value or 0 for one in (_function, _callback))
"""Addresses of functions of the host that do nothing."""


def zeros(w: Side) -> int:
    """Return new memory of zeros."""
    ptr = w.ptr
    w.get("Memset", ptr, 0, SIZE)
    return ptr


def write(w: Side) -> tuple[tuple[int, ...], ...]:
    """Return a batch of one operation."""
    return ((mem_ops.WRITE_32, w.ptr, 7, 0),)


STREAMS: dict[str, Callable[[Side], tuple[Any, ...]]] = {
    "hipChooseDevice": lambda w: (w.get("GetDeviceProperties", 0),),
    "hipDeviceComputeCapability": lambda _: (0,),
    "hipDeviceGetAttribute": lambda _: (ENUMS["hipDeviceAttribute_t"]["hipDeviceAttributeWarpSize"], 0),
    "hipDeviceSetCacheConfig": lambda _: (1,),
    "hipDeviceSetLimit": lambda _: (0, 2048),
    "hipDeviceSetSharedMemConfig": lambda _: (1,),
    "hipDrvPointerGetAttributes": lambda w: (1, (BUFFER,), w.ptr),
    "hipExtGetLinkTypeAndHopCount": lambda _: (0, 1),
    "hipExtStreamCreateWithCUMask": lambda _: (1, (7,)),
    "hipExtStreamGetCUMask": lambda w: (w.stream(), UNITS),
    "hipGetDeviceProperties": lambda _: (0,),
    "hipGetDriverEntryPoint": lambda _: (b"hipFree", 0),
    "hipGetProcAddress": lambda _: (b"hipFree", 600, 0),
    "hipLaunchHostFunc": lambda w: (w.stream(), FUNCTION, 0),
    "hipPointerGetAttribute": lambda w: (BUFFER, w.ptr),
    "hipPointerGetAttributes": lambda w: (w.ptr,),
    "hipPointerSetAttribute": lambda w: (1, SYNC_MEMOPS, w.ptr),
    "hipSetValidDevices": lambda _: ((1, 0), 2),
    "hipStreamAddCallback": lambda w: (w.stream(), CALLBACK, 0, 0),
    "hipStreamAttachMemAsync": lambda w: (w.stream(), w.get("MallocManaged", SIZE, 1), SIZE, 4),
    "hipStreamBatchMemOp": lambda w: (w.stream(), 1, write(w), 0),
    "hipStreamCopyAttributes": lambda w: (w.stream(), w.stream()),
    "hipStreamGetAttribute": lambda w: (w.stream(), POLICY),
    "hipStreamSetAttribute": lambda w: (w.stream(), POLICY, 2),
    "hipStreamWaitValue32": lambda w: (w.stream(), zeros(w), 0, EQ, EVERY),
    "hipStreamWaitValue64": lambda w: (w.stream(), zeros(w), 0, EQ, EVERY),
    "hipStreamWriteValue32": lambda w: (w.stream(), w.ptr, 7, 0),
    "hipStreamWriteValue64": lambda w: (w.stream(), w.ptr, 7, 0),
}
"""Arguments of a valid call, made when they are needed."""
