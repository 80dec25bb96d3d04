"""What kinds of calls there are while a stream is captured, by their names; a call in no table does what it always does."""

from __future__ import annotations

from fakecuda.spec.driver import CALLS

OLDER = (
    *("cuStreamWaitValue32_v1", "cuStreamWaitValue64_v1", "cuStreamWriteValue32_v1", "cuStreamWriteValue64_v1"),
    "cuStreamBatchMemOp_v1",
)
"""Older forms with a stream, which no device supports; a capture refuses them first."""
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
"""Calls outside of any stream."""
UNSAFE_ELSEWHERE = frozenset(
    [
        *("cuStreamSynchronize", "cuStreamQuery", "cuStreamAttachMemAsync"),
        *("cuMemAllocAsync", "cuMemAllocFromPoolAsync", "cuMemFreeAsync"),
        *OLDER,
    ]
)
"""Calls with a stream that are unsafe where it is not captured."""
UNHARMED = frozenset(
    [
        *("cuStreamGetPriority", "cuStreamGetCtx"),
        *("cuStreamGetAttribute", "cuStreamSetAttribute", "cuStreamCopyAttributes"),
        *("cuStreamBeginCapture", "cuStreamBeginCaptureToGraph", "cuStreamEndCapture"),
        *("cuStreamIsCapturing", "cuStreamGetCaptureInfo", "cuStreamUpdateCaptureDependencies"),
    ]
)
"""Calls with a stream that may be captured."""
ASKING = frozenset({"cuStreamIsCapturing", "cuStreamGetCaptureInfo"})
"""Calls that tell of captures, and break none."""
TOLD_WHILE_VALID = frozenset(
    {"cuStreamGetPriority", "cuStreamGetCtx", "cuStreamGetAttribute", "cuStreamCopyAttributes"}
)
"""Calls that tell of a stream, unless its capture was broken."""
HARMLESS = frozenset({"cuMemcpyBatchAsync"})
"""Calls that a captured stream refuses without harm to the capture."""
UNMODELLED = frozenset({"cuMemcpy3DPeerAsync", "cuMemcpyAtoHAsync", "cuMemcpyHtoAAsync"})
"""Calls whose nodes are not modelled, or that no card has answered."""
AT_ONCE = frozenset(name for name in CALLS if name.startswith(("cuMemcpy", "cuMemset")) and not name.endswith("Async"))
"""Copies and memsets in the legacy stream."""
OF_OTHERS = frozenset(
    [
        *("GetLastError", "PeekAtLastError", "GetErrorName", "GetErrorString", "GetDevice", "SetDevice"),
        *("GetDeviceCount", "GetDeviceProperties", "GetDeviceProperties_v2", "RuntimeGetVersion"),
        *("GetDriverEntryPoint", "GetDriverEntryPointByVersion", "StreamIsCapturing"),
    ]
)
"""Calls of the runtime API and of HIP that a capture leaves alone, behind ``cuda`` or ``hip``."""
UNSEEN = frozenset({"cudaFuncGetAttributes", "cudaGraphExecMemcpyNodeSetParams1D"})
"""Calls of the runtime API that no capture sees, as a card showed, and that make none of the driver API here."""
