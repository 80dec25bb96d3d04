"""Calls of programs by chapter, with their weights."""

from __future__ import annotations

from conformance.kit.kinds import newest
from fakecuda.rules.registry import DRIVER, FORMS, OPS, RUNTIME, chapter
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
"""The runtime chapters, each with words in call names; the first match decides."""
DEVICE = "runtime.device"
"""The chapter of the other runtime calls."""
HALTING = frozenset({"cuCheckpointProcessLock", "cuCheckpointProcessCheckpoint", "cuCheckpointProcessRestore"})
"""Calls that halt another process, or wait until it resumes."""
NEVER = {
    "cuCtxCreate_v1": "makes a context in which most drawn calls are refused",
    "cudaChooseDevice_v1": "is a form of libcudart.so.12; programs are made with libcudart.so.13",
    "cudaGetDeviceProperties_v2": "is a form of libcudart.so.12; programs are made with libcudart.so.13",
    "cudaLaunchHostFunc_v2": "is newer than the recorded drivers",
    "cudaSetValidDevices": "stays with the thread of a process that later programs share",
}
"""Calls that are never drawn, besides those that a guard refuses, with reasons."""
ASKED_DEAD = ("cuCtxGetDevice_v2", "cuCtxSynchronize_v2")
"""Calls that accept a destroyed context; only the state machine passes one."""
OLDER = 0.2
"""The relative weight of an older form of a call."""
TWINS = frozenset(
    f"runtime.{name}"
    for name in (
        "any_node",
        "array",
        "array_copy",
        "executable",
        "graph",
        "kernel_node",
        "launch",
        "library",
        "listing",
        "symbol",
        "symbol_node",
        "texture",
        "twelve",
        "user_object",
    )
)
"""Runtime chapters that equal driver chapters, which programs draw instead."""
CAPTURES = ("cudaStreamBeginCapture", "cudaStreamBeginCaptureToGraph", "cudaStreamUpdateCaptureDependencies")
"""Runtime calls of captures, which the driver's calls represent."""


def chapter_of(call: str) -> str:
    """Return the chapter of a call in drawn programs."""
    if call in RUNTIME.ops:
        return next((name for name, words in WORDS if any(word in call for word in words)), DEVICE)
    return _own(call)


def is_dear(call: str) -> bool:
    """Return whether only few programs make a call or its newest form."""
    return newest(call) in DEAR


def share_of(call: str) -> float:
    """Return the weight of a call in its chapter; older forms weigh less."""
    base = newest(call)
    return DEAR.get(base, 1.0) * OFTEN.get(base, 1.0) * (1.0 if base == call else OLDER)


def _own(call: str) -> str:
    """Return the chapter of a call's operation."""
    return chapter(OPS[newest(call)].module)


def _chapters() -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for call in sorted({*DRIVER.ops, *RUNTIME.ops, *FORMS.ops}):
        if not guarded(call) and call not in NEVER and call not in CAPTURES and _own(call) not in TWINS:
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
"""Weights above 1 of calls whose results the other calls of a chapter need."""
DEAR = {
    **dict.fromkeys(("cuCtxCreate", "cuCtxDestroy", "cuCtxDetach", "cudaDeviceReset"), 0.1),
    **dict.fromkeys(("cuDevicePrimaryCtxRetain", "cuDevicePrimaryCtxRelease", "cuDevicePrimaryCtxReset"), 0.2),
    **dict.fromkeys(("cuCtxSetLimit", "cuCtxSetFlags", "cuCtxSetCacheConfig", "cuCtxAttach"), 0.2),
    **dict.fromkeys(("cuStreamSetAttribute", "cudaStreamSetAttribute", "cuCtxEnablePeerAccess"), 0.3),
    **dict.fromkeys(("cudaSetDevice", "cudaInitDevice", "cudaDeviceSetLimit", "cudaSetDeviceFlags"), 0.3),
    **dict.fromkeys(("cuDeviceSetMemPool", "cuMemSetMemPool", "cudaDeviceSetMemPool", "cudaMemSetMemPool"), 0.5),
    **dict.fromkeys(("cudaDeviceEnablePeerAccess", "cudaDeviceDisablePeerAccess", "cuCtxSetSharedMemConfig"), 0.5),
    **dict.fromkeys(("cuDevicePrimaryCtxSetFlags", "cudaDeviceSetCacheConfig"), 0.2),
    **dict.fromkeys(HALTING, 0.3),
}
"""Weights below 1 of slow calls, permanent changes, and calls that halt a process."""
