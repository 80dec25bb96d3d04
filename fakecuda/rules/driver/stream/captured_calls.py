"""Names of calls by what they do during a capture. All other calls run as usual."""

from __future__ import annotations

from fakecuda.spec.driver import CALLS

OLDER = (
    *("cuStreamWaitValue32_v1", "cuStreamWaitValue64_v1", "cuStreamWriteValue32_v1", "cuStreamWriteValue64_v1"),
    "cuStreamBatchMemOp_v1",
)
"""Older forms with a stream, which devices do not support; a capture refuses them."""
UNSAFE = frozenset(
    [
        "cuMemAlloc",
        "cuMemAllocPitch",
        "cuMemAllocHost",
        "cuMemHostAlloc",
        "cuMemAllocManaged",
        "cuMemFree",
        "cuMemFree_v1",
        "cuMemFreeHost",
        "cuMemHostRegister",
        "cuMemHostUnregister",
        "cuMemAdvise",
        "cuGraphInstantiate",
        "cuGraphExecDestroy",
        "cuModuleUnload",
        "cuLibraryUnload",
        "cuCtxSetLimit",
        "cuCtxSetCacheConfig",
        "cuCtxSetSharedMemConfig",
        "cuTexObjectCreate",
        "cuTexObjectDestroy",
        "cuSurfObjectCreate",
        "cuSurfObjectDestroy",
        "cuPointerSetAttribute",
        "cuMemPoolCreate",
        "cuMemPoolDestroy",
        "cuMemPoolExportToShareableHandle",
        "cuMemPoolExportPointer",
        "cuMemPoolSetAccess",
        "cuMemPoolGetAccess",
        "cuMemPoolImportFromShareableHandle",
        "cuMemPoolTrimTo",
        "cuMemPoolSetAttribute",
        "cuMemPoolGetAttribute",
        "cuDeviceSetMemPool",
        "cuArrayCreate",
        "cuArray3DCreate",
        "cuArrayDestroy",
        "cuMipmappedArrayCreate",
        "cuMipmappedArrayDestroy",
        "cuProfilerStart",
        "cuProfilerStop",
        "cudaMemcpyArrayToArray",  # whose calls of the driver would be safe
    ]
)
"""Calls without a stream that are unsafe during a capture."""
UNSAFE_ELSEWHERE = frozenset(
    [
        *("cuStreamSynchronize", "cuStreamQuery", "cuStreamAttachMemAsync"),
        *("cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemFreeAsync"),
        *OLDER,
    ]
)
"""Calls with a stream that are unsafe if the stream is not captured."""
UNHARMED = frozenset(
    [
        *("cuStreamGetPriority", "cuStreamGetCtx"),
        *("cuStreamGetAttribute", "cuStreamSetAttribute", "cuStreamCopyAttributes"),
        *("cuStreamBeginCapture", "cuStreamBeginCaptureToGraph", "cuStreamEndCapture"),
        *("cuStreamIsCapturing", "cuStreamGetCaptureInfo", "cuStreamUpdateCaptureDependencies"),
    ]
)
"""Calls that may name a captured stream, and do not change its capture."""
ASKING = frozenset({"cuStreamIsCapturing", "cuStreamGetCaptureInfo"})
"""Calls that query captures, and do not invalidate them."""
TOLD_WHILE_VALID = frozenset(
    {"cuStreamGetPriority", "cuStreamGetCtx", "cuStreamGetAttribute", "cuStreamCopyAttributes"}
)
"""Queries of a stream that fail if its capture was invalidated."""
IN_FORKS = frozenset(
    [
        *("cuArrayDestroy", "cuMipmappedArrayDestroy", "cuEventQuery", "cuEventSynchronize", "cuEventElapsedTime"),
        *("cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemFreeAsync", "cuStreamQuery", "cuStreamSynchronize"),
        "cuStreamAttachMemAsync",
    ]
)
"""Calls, besides those about captures, that follow the copies of captures in a fork."""
HARMLESS = frozenset({"cuMemcpyBatchAsync"})
"""Calls that fail on a captured stream, and do not invalidate the capture."""
UNMODELLED = frozenset({"cuMemcpy3DPeerAsync", "cuMemcpyAtoHAsync", "cuMemcpyHtoAAsync"})
"""Calls whose nodes are not modelled, or were not recorded on a card."""
AT_ONCE = frozenset(name for name in CALLS if name.startswith(("cuMemcpy", "cuMemset")) and not name.endswith("Async"))
"""Synchronous copies and memsets, which use the legacy stream."""
OF_OTHERS = frozenset(
    [
        *("GetLastError", "PeekAtLastError", "GetErrorName", "GetErrorString", "GetDevice", "SetDevice"),
        *("GetDeviceCount", "GetDeviceProperties", "GetDeviceProperties_v2", "RuntimeGetVersion"),
        *("GetDriverEntryPoint", "GetDriverEntryPointByVersion", "StreamIsCapturing"),
    ]
)
"""Runtime and HIP calls that a capture ignores, without ``cuda`` or ``hip``."""
UNSEEN = frozenset({"cudaFuncGetAttributes", "cudaGraphExecMemcpyNodeSetParams1D"})
"""Runtime calls that a capture does not notice, as recorded on a card."""
