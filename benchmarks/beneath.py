"""Calls of the runtime API and of HIP, timed beside equivalent driver calls.

The difference is compared with a limit: a call above the driver may look up the current context, translate a code and
read its arguments, and nothing more.
"""

from __future__ import annotations

from ctypes import addressof
from typing import TYPE_CHECKING, Any

from fakecuda.model.memory.blocks import UNIT
from fakecuda.rules.registry import DRIVER, HIP, RUNTIME
from tests.bindings.runtime_valid import VALID as RUNTIME_VALID
from tests.bindings.runtime_world import RuntimeWorld
from tests.bindings.world import SIZE

from .calls import NODES, ROUNDS, Api, LookAlike
from .effort import EFFORT
from .hip_world import HIP_CIRCLES, HIP_VALID, HipWorld

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .calls import Args, Circle

LIMIT = 0.5e-6
"""Maximum of a call's additional time over the driver's, in seconds."""
STRUCTS = {"cudaMalloc3D": 2e-6}
"""Calls with their own limit, because they take and return structs where the driver has numbers."""
DEVICE_TO_DEVICE = 3
WHAT_SPARSE_ONES_HAVE = "MemoryRequirements", "SparseProperties"
"""Queries that the described arrays do not support."""


def _made(_: Any, made: Any) -> tuple[Any, ...]:
    return (made,)


def _freed_in_order(_: Any, made: Any) -> tuple[Any, ...]:
    return made, 0


def _kind(w: RuntimeWorld) -> Any:
    return w.driver.cudaMemcpyKind(DEVICE_TO_DEVICE)


def _nothing(params: Any) -> Any:
    """Return a description of a copy of zero bytes, as in the driver's benchmark."""
    params.extent.width = 0
    return params


_NODES: tuple[Circle, ...] = tuple(
    {f"cuda{name.removeprefix('cu')}": None, "cudaGraphDestroyNode": _made} for name in NODES
)
RUNTIME_CIRCLES: tuple[Circle, ...] = (
    {"cudaSetDevice": None},
    {"cudaSetDevice": lambda *_: (1,), "cudaDeviceReset": None},
    {"cudaMalloc": None, "cudaFree": _made},
    {"cudaMallocManaged": None, "cudaFree": _made},
    {"cudaMallocPitch": None, "cudaFree": _made},
    {"cudaMalloc3D": None, "cudaFree": lambda _, made: (made.ptr,)},
    {"cudaMallocHost": lambda *_: (UNIT,), "cudaFreeHost": _made},
    {"cudaHostAlloc": lambda *_: (UNIT, 0), "cudaFreeHost": _made},
    {"cudaHostRegister": None, "cudaHostUnregister": lambda w, _: (w.page,)},
    {"cudaMallocAsync": None, "cudaFreeAsync": _freed_in_order},
    {"cudaMallocFromPoolAsync": None, "cudaFreeAsync": _freed_in_order},
    {"cudaMemPoolCreate": None, "cudaMemPoolDestroy": _made},
    {"cudaMemPoolImportFromShareableHandle": None, "cudaMemPoolDestroy": _made},
    {"cudaMemPoolImportPointer": None, "cudaFree": _made},
    {"cudaEventCreate": None, "cudaEventDestroy": _made},
    {"cudaEventCreateWithFlags": None, "cudaEventDestroy": _made},
    {"cudaIpcOpenEventHandle": None, "cudaEventDestroy": _made},
    {"cudaIpcOpenMemHandle": None, "cudaIpcCloseMemHandle": _made},
    {"cudaStreamCreate": None, "cudaStreamDestroy": _made},
    {"cudaStreamCreateWithFlags": None, "cudaStreamDestroy": _made},
    {"cudaStreamCreateWithPriority": None, "cudaStreamDestroy": _made},
    {"cudaDeviceEnablePeerAccess": None, "cudaDeviceDisablePeerAccess": None},
    *_NODES,
    {"cudaGraphAddMemFreeNode": lambda w, _: (w.graph, [w.node], 1, w.graph_memory()[1])},
    {
        "cudaGraphAddDependencies": None,
        "cudaGraphRemoveDependencies": lambda w, _: (w.graph, [w.node], [w.child], [w.edge], 1),
    },
    {"cudaGraphCreate": None, "cudaGraphDestroy": _made},
    {"cudaGraphClone": None, "cudaGraphDestroy": _made},
    {"cudaGraphInstantiate": None, "cudaGraphExecDestroy": _made},
    {"cudaGraphRetainUserObject": None, "cudaGraphReleaseUserObject": None},
    {"cudaUserObjectRetain": None, "cudaUserObjectRelease": None},
    {"cudaStreamBeginCapture": None, "cudaStreamEndCapture": lambda w, _: (w.stream,)},
    {"cudaStreamBeginCaptureToGraph": None, "cudaStreamEndCapture": lambda w, _: (w.stream,)},
    {"cudaLibraryLoadData": None, "cudaLibraryUnload": _made},
    {"cudaMallocArray": None, "cudaFreeArray": _made},
    {"cudaMalloc3DArray": None, "cudaFreeArray": _made},
    {"cudaMallocMipmappedArray": None, "cudaFreeMipmappedArray": _made},
    {"cudaCreateTextureObject": None, "cudaDestroyTextureObject": _made},
    {"cudaCreateSurfaceObject": None, "cudaDestroySurfaceObject": _made},
    {"cudaStreamSynchronize": None},
    {"cudaLaunchHostFunc": None, "cudaStreamSynchronize": lambda w, _: (w.stream,)},
    {"cudaStreamAddCallback": None, "cudaStreamSynchronize": lambda w, _: (w.stream,)},
    {"cudaMemcpy": lambda w, _: (w.pointer, w.pointer, SIZE, _kind(w))},
    {"cudaMemcpyAsync": lambda w, _: (w.pointer, w.pointer, SIZE, _kind(w), 0)},
    {"cudaMemcpyPeer": lambda w, _: (w.pointer, 0, w.pointer, 0, SIZE)},
    {"cudaMemcpyPeerAsync": lambda w, _: (w.pointer, 0, w.pointer, 0, SIZE, 0)},
    {"cudaMemcpy3D": lambda w, _: (_nothing(w.box),)},
    {"cudaMemcpy3DAsync": lambda w, _: (_nothing(w.box), 0)},
    {"cudaMemcpy3DPeer": lambda w, _: (_nothing(w.peers),)},
    {"cudaMemcpy3DPeerAsync": lambda w, _: (_nothing(w.peers), 0)},
    {"cudaMemcpyBatchAsync": lambda w, _: ([w.pointer], [w.pointer], [SIZE], 1, [w.attributes], [0], 1, 2)},
)
RUNTIME_API = Api(
    "h200-x2",
    RuntimeWorld,
    RUNTIME_VALID,
    RUNTIME_CIRCLES,
    frozenset({"cudaIpcOpenMemHandle", "cudaIpcOpenEventHandle"}),
    frozenset({"cudaMemPoolExportToShareableHandle"}),
    frozenset(
        {
            *(f"cuda{kind}Get{what}" for kind in ("Array", "MipmappedArray") for what in WHAT_SPARSE_ONES_HAVE),
            "cudaArrayGetPlane",
            "cudaGraphKernelNodeGetParams",
            "cudaLaunchHostFunc_v2",
            "cudaLibraryGetUnifiedFunction",
            "cudaMemcpyWithAttributesAsync",
        }
    ),
)
HIP_API = Api(
    "hip-clr-2026",
    HipWorld,
    HIP_VALID,
    HIP_CIRCLES,
    frozenset({"hipIpcOpenMemHandle", "hipIpcOpenEventHandle"}),
)
BENEATH = {
    "CanAccessPeer": "cuDeviceCanAccessPeer",
    "DeviceDisablePeerAccess": "cuCtxDisablePeerAccess",
    "DeviceEnablePeerAccess": "cuCtxEnablePeerAccess",
    "DeviceReset": "cuDevicePrimaryCtxReset",
    "EventCreate": "cuEventCreate",
    "EventCreateWithFlags": "cuEventCreate",
    "ExtMallocWithFlags": "cuMemAlloc",
    "Free": "cuMemFree",
    "FreeAsync": "cuMemFreeAsync",
    "FreeHost": "cuMemFreeHost",
    "GetDevice": "cuCtxGetDevice",
    "GetDeviceCount": "cuDeviceGetCount",
    "GetDeviceFlags": "cuCtxGetFlags",
    "GetDriverEntryPoint": "cuGetProcAddress",
    "GetDriverEntryPointByVersion": "cuGetProcAddress",
    "HostAlloc": "cuMemHostAlloc",
    "HostFree": "cuMemFreeHost",
    "HostMalloc": "cuMemHostAlloc",
    "Malloc": "cuMemAlloc",
    "Malloc3D": "cuMemAllocPitch",
    "MallocHost": "cuMemAllocHost",
    "MallocPitch": "cuMemAllocPitch",
    "Memcpy": "cuMemcpyDtoD",
    "Memcpy2D": "cuMemcpy2DUnaligned",
    "MemcpyAsync": "cuMemcpyDtoDAsync",
    "MemcpyWithStream": "cuMemcpyDtoD",
    "Memset": "cuMemsetD8",
    "Memset2D": "cuMemsetD2D8",
    "Memset2DAsync": "cuMemsetD2D8Async",
    "MemsetAsync": "cuMemsetD8Async",
    "PointerGetAttributes": "cuPointerGetAttributes",
    "RuntimeGetVersion": "cuDriverGetVersion",
    "SetDevice": "cuCtxSetCurrent",
    "SetDeviceFlags": "cuCtxSetFlags",
    "StreamCreateWithFlags": "cuStreamCreate",
}
"""Calls of the driver API, by the names of the calls above them without prefix."""
ANYWHERE: dict[str, Args] = {
    "hipMemcpyDtoH": lambda w, _: (addressof(w.host), w.pointer, SIZE),
    "hipMemcpyDtoHAsync": lambda w, _: (addressof(w.host), w.pointer, SIZE, 0),
    "hipMemcpyHtoD": lambda w, _: (w.pointer, addressof(w.host), SIZE),
    "hipMemcpyHtoDAsync": lambda w, _: (w.pointer, addressof(w.host), SIZE, 0),
}
"""Copies of HIP that take any addresses, whatever their names say, and have to look up the memory. The driver's calls of
these names take a host address for granted. So they are compared with cuMemcpy, which does the same, with these arguments."""
BY_FUNCTION = {one.function: name for name, one in DRIVER.ops.items()}


def beneath(name: str) -> str | None:
    """Return the driver call that does what a call above it does.

    The result is None if there is no such call.
    """
    if name in ANYWHERE:
        return "cuMemcpyAsync" if name.endswith("Async") else "cuMemcpy"
    bare = name.removeprefix("cuda").removeprefix("hip")
    for found in (BENEATH.get(bare), f"cu{bare}"):
        if found in DRIVER.ops:
            return found
    for guard in getattr((RUNTIME.ops.get(f"cuda{bare}") or RUNTIME.ops["cudaGetLastError"]).function, "guards", ()):
        if guard in BY_FUNCTION:
            return BY_FUNCTION[guard]
    return None


def above_the_driver() -> Iterator[tuple[str, str, float, float]]:
    """Yield calls above the driver, the driver's calls, and the seconds of both.

    The runs alternate, and the best of several rounds counts.
    """
    for api, ops in ((RUNTIME_API, RUNTIME.ops), (HIP_API, HIP.ops)):
        for name in sorted(ops):
            under = beneath(name)
            if under is not None and (name in api.valid or any(name in circle for circle in api.circles)):
                circle: Circle | None = {under: ANYWHERE[name]} if name in ANYWHERE else None
                with LookAlike(api) as upper, LookAlike() as lower:
                    times = [(upper.round(name), lower.round(under, circle)) for _ in range(EFFORT.of(ROUNDS))]
                yield name, under, min(above for above, _ in times), min(below for _, below in times)
