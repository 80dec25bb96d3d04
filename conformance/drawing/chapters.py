"""The calls that programs are drawn from, by chapter, and how often each comes."""

from __future__ import annotations

from fakecuda.rules.registry import DRIVER, OPS, RUNTIME, chapter
from realcuda.guard import guarded

WORDS = (
    ("runtime.ipc", ("Ipc",)),
    ("runtime.pool", ("Pool", "MallocAsync", "FreeAsync", "MallocFromPool")),
    ("runtime.peer", ("Peer", "P2P")),
    ("runtime.copy", ("Memcpy", "Memset")),
    ("runtime.unified", ("MemAdvise", "Prefetch", "MemRange", "Managed", "AttachMem")),
    ("runtime.stream", ("Stream", "LaunchHost")),
    ("runtime.event", ("Event",)),
    ("runtime.host", ("Host",)),
    ("runtime.memory", ("Malloc", "Free", "Pointer", "MemGetInfo")),
)
"""The chapters of the runtime API, each with words in the names of its calls; the first that fits is a call's."""
DEVICE = "runtime.device"
"""The chapter of the runtime API's other calls."""
CAPTURING = frozenset({"cuStreamBeginCapture", "cuStreamBeginCaptureToGraph", "cuThreadExchangeStreamCaptureMode"})
"""Calls whose success outlasts a program in the process that made them: a capture goes on, and a thread heeds others so."""
CASES_ALONE = (
    *(
        f"cuCheckpointProcess{does}"
        for does in ("Checkpoint", "GetRestoreThreadId", "GetState", "Lock", "Restore", "Unlock")
    ),
    *("cuLinkAddData", "cuLinkAddFile", "cuLinkComplete", "cuLinkCreate", "cuLinkDestroy"),
    *("cuModuleGetSurfRef", "cuModuleGetTexRef"),
    *("cuLaunchKernelEx", "cuOccupancyMaxActiveClusters", "cuOccupancyMaxPotentialClusterSize"),
    *("cuLibraryGetManaged", "cuLibraryGetUnifiedFunction", "cuLibraryLoadFromFile", "cuModuleLoad"),
    *("cuSurfObjectCreate", "cuSurfObjectDestroy", "cuSurfObjectGetResourceDesc"),
    *("cuTensorMapEncodeIm2col", "cuTensorMapEncodeIm2colWide", "cuTensorMapEncodeTiled", "cuTensorMapReplaceAddress"),
    *("cuTexObjectCreate", "cuTexObjectDestroy", "cuTexObjectGetResourceDesc"),
    *("cuTexObjectGetResourceViewDesc", "cuTexObjectGetTextureDesc"),
)
"""Calls for whose structs, files and objects nothing is drawn: cases ask for them."""
ASKED_DEAD = ("cuCtxGetDevice_v2", "cuCtxSynchronize_v2")
"""Calls that take a destroyed context; only the state machine, whose processes are new ones, makes them."""
NEVER = frozenset({*ASKED_DEAD, "cuLaunchHostFunc", "cudaLaunchHostFunc_v2", *CASES_ALONE})
"""Calls that are not drawn: those, and what a driver follows into whatever it is given."""
TWINS = frozenset(
    f"runtime.{name}"
    for name in (
        "any_node",
        "array",
        "array_copy",
        "executable",
        "graph",
        "kernel_node",
        "library",
        "listing",
        "texture",
        "user_object",
    )
)
"""Chapters of the runtime API that are drawn by the driver's calls alone, which theirs are."""
CAPTURES = ("cudaStreamBeginCapture", "cudaStreamBeginCaptureToGraph", "cudaStreamUpdateCaptureDependencies")
"""Calls of captures. The driver's calls stand for them, too."""


def chapter_of(call: str) -> str:
    """Return the chapter that a call is drawn with."""
    if call in RUNTIME.ops:
        return next((name for name, words in WORDS if any(word in call for word in words)), DEVICE)
    return chapter(OPS[call].module)


def _chapters() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for call in sorted({*DRIVER.ops, *RUNTIME.ops}):
        if not guarded(call) and call not in NEVER and call not in CAPTURES and chapter(OPS[call].module) not in TWINS:
            found.setdefault(chapter_of(call), []).append(call)
    return {name: tuple(calls) for name, calls in sorted(found.items())}


CHAPTERS = _chapters()
"""The calls of each chapter."""
OFTEN = {
    **dict.fromkeys(("cuMemAlloc", "cuMemCreate", "cuMemAddressReserve", "cuMemMap", "cuIpcGetMemHandle"), 3.0),
    **dict.fromkeys(("cuIpcOpenMemHandle", "cuMemPoolCreate", "cuMemAllocFromPoolAsync", "cuStreamCreate"), 3.0),
    **dict.fromkeys(("cuEventCreate", "cuMemAllocManaged", "cuMemHostAlloc", "cuMemSetAccess"), 3.0),
    **dict.fromkeys(("cudaMalloc", "cudaIpcGetMemHandle", "cudaIpcOpenMemHandle", "cudaMemPoolCreate"), 3.0),
    **dict.fromkeys(("cudaStreamCreate", "cudaEventCreateWithFlags", "cudaMallocManaged", "cudaHostAlloc"), 3.0),
}
"""Calls that come more often than the others of their chapter: what the others need."""
DEAR = {
    **dict.fromkeys(("cuCtxCreate", "cuCtxDestroy", "cuCtxDetach", "cudaDeviceReset"), 0.1),
    **dict.fromkeys(("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxReset"), 0.2),
    **dict.fromkeys(("cuCtxSetLimit", "cuCtxSetFlags", "cuCtxSetCacheConfig", "cuCtxAttach"), 0.2),
    **dict.fromkeys(("cuStreamSetAttribute", "cudaStreamSetAttribute", "cuCtxEnablePeerAccess"), 0.3),
    **dict.fromkeys(("cudaSetDevice", "cudaInitDevice", "cudaDeviceSetLimit", "cudaSetDeviceFlags"), 0.3),
    **dict.fromkeys(("cuDeviceSetMemPool", "cuMemSetMemPool", "cudaDeviceSetMemPool", "cudaMemSetMemPool"), 0.5),
    **dict.fromkeys(("cudaDeviceEnablePeerAccess", "cudaDeviceDisablePeerAccess", "cuCtxSetSharedMemConfig"), 0.5),
    **dict.fromkeys(("cuDevicePrimaryCtxSetFlags", "cudaDeviceSetCacheConfig"), 0.2),
    **dict.fromkeys(CAPTURING, 0.3),
}
"""Calls that come less often: they make or end a context, which takes a card long, change it for good, or capture."""
