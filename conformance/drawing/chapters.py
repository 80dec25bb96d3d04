"""The calls that programs are drawn from, by chapter, and how often each comes."""

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
"""The chapters of the runtime API, each with words in the names of its calls; the first that fits is a call's."""
DEVICE = "runtime.device"
"""The chapter of the runtime API's other calls."""
HALTING = frozenset({"cuCheckpointProcessLock", "cuCheckpointProcessCheckpoint", "cuCheckpointProcessRestore"})
"""Calls that halt another process, or wait until it goes on."""
NEVER = {
    "cuCtxCreate_v1": "makes a context in which most drawn calls are refused",
    "cudaChooseDevice_v1": "is a form of libcudart.so.12; programs are made with libcudart.so.13",
    "cudaGetDeviceProperties_v2": "is a form of libcudart.so.12; programs are made with libcudart.so.13",
    "cudaLaunchHostFunc_v2": "is newer than the recorded drivers",
    "cudaSetValidDevices": "stays with the thread of a process that later programs share",
}
"""Calls that are not drawn beside those that a guard refuses, and why."""
ASKED_DEAD = ("cuCtxGetDevice_v2", "cuCtxSynchronize_v2")
"""Calls that take a destroyed context; only the state machine, whose processes are new ones, passes one."""
OLDER = 0.2
"""How often an older form of a call comes, beside the newest form."""
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
"""Chapters of the runtime API that are drawn by the driver's calls alone, which theirs are."""
CAPTURES = ("cudaStreamBeginCapture", "cudaStreamBeginCaptureToGraph", "cudaStreamUpdateCaptureDependencies")
"""Calls of captures. The driver's calls stand for them, too."""


def chapter_of(call: str) -> str:
    """Return the chapter that a call is drawn with."""
    if call in RUNTIME.ops:
        return next((name for name, words in WORDS if any(word in call for word in words)), DEVICE)
    return _own(call)


def is_dear(call: str) -> bool:
    """Return whether a call, or its newest form, is made in few programs alone."""
    return newest(call) in DEAR


def share_of(call: str) -> float:
    """Return how often a call comes, beside the others of its chapter; an older form comes less often."""
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
    **dict.fromkeys(HALTING, 0.3),
}
"""Calls that come less often: they make or end a context, which takes a card long, change it for good, or halt a process."""
