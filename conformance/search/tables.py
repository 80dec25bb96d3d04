"""What programs are drawn from: the calls of each chapter, and values for arguments that no other table has."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.fuzz.choices import LOCATIONS, NO_LOCATIONS, NO_PLACES, NO_POOLS, PAGE, PLACES, POOLS, PROPERTIES
from conformance.kit.names import POSIX
from conformance.kit.world import GRANULE, access
from conformance.search import objects
from fakecuda.rules.registry import DRIVER, OPS, RUNTIME, chapter
from fakecuda.spec.stream_values import POLICY
from realcuda.guard import guarded

if TYPE_CHECKING:
    from conformance.search.objects import Values

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
NEVER = frozenset(
    {"cuCtxGetDevice_v2", "cuCtxSynchronize_v2", "cuLaunchHostFunc", "cudaLaunchHostFunc_v2", *CASES_ALONE}
)
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
"""Calls of captures, likewise."""


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

SIZES: Values = ((1, PAGE, GRANULE), (0, 1 << 60))
EXTENT = ((16, 2, 2), (64, 1, 1), (0, 2, 2))
NO_EXTENT = ((1 << 40, 2, 2), (65, 5, 3))
ATTRIBUTES = (1, (0, 0), (0, 0), 0)
"""A cudaMemcpyAttributes."""
KINDS: Values = ((4,), (5, -1))
RUNTIME_POOLS = tuple((*one[:4], *one[4:6]) for one in POOLS)
NO_RUNTIME_POOLS = tuple((*one[:4], *one[4:6]) for one in NO_POOLS)
CALLS: dict[tuple[str, str], Values] = {
    **objects.VALUES,
    ("cuDeviceGet", "ordinal"): ((0, 1), (-1, 99)),
    ("cuDeviceGetName", "len"): ((64, 256, 5), (0, -1)),
    ("cudaChooseDevice", "prop"): ((None,), (None,)),
    ("cudaDeviceGetByPCIBusId", "pciBusId"): ((b"0000:ff:1f.7",), (b"x", None)),
    ("cudaDeviceGetPCIBusId", "len"): ((20,), (3, 0)),
    ("cudaDeviceGetHostAtomicCapabilities", "operations"): (((0,), (0, 12)), (None, (99,))),
    ("cudaDeviceGetHostAtomicCapabilities", "count"): ((1,), (0,)),
    ("cudaDeviceGetP2PAtomicCapabilities", "operations"): (((0,), (0, 12)), (None, (99,))),
    ("cudaDeviceGetP2PAtomicCapabilities", "count"): ((1,), (0,)),
    ("cudaDeviceFlushGPUDirectRDMAWrites", "scope"): ((100, 200), (0,)),
    ("cudaEventRecordWithFlags", "flags"): ((0, 0, 1), (2,)),
    ("cudaGetDriverEntryPoint", "symbol"): ((b"cuMemAlloc", b"cuInit"), (b"cuNone",)),
    ("cudaGetDriverEntryPoint", "flags"): ((0, 1, 2), (4,)),
    ("cudaGetDriverEntryPointByVersion", "symbol"): ((b"cuMemAlloc", b"cuInit"), (b"cuNone",)),
    ("cudaGetDriverEntryPointByVersion", "flags"): ((0, 1, 2), (4,)),
    ("cudaGetDriverEntryPointByVersion", "cudaVersion"): ((13000, 2000), (99999,)),
    ("cudaLaunchHostFunc", "userData"): ((0,), (0,)),
    ("cuStreamAddCallback", "userData"): ((0,), (0,)),
    ("cudaStreamAddCallback", "userData"): ((0,), (0,)),
    ("cudaMalloc3D", "extent"): (((64, 4, 2), (1, 1, 1), (512, 2, 1)), ((0, 4, 2), (1 << 60, 1, 1))),
    ("cudaMalloc", "size"): SIZES,
    ("cudaMallocAsync", "size"): SIZES,
    ("cudaMallocFromPoolAsync", "size"): SIZES,
    ("cuMemAlloc", "bytesize"): ((1, PAGE, GRANULE, 3 * GRANULE), (0, 1 << 60)),
    ("cudaMemAdvise", "count"): ((1, PAGE), (0, 1 << 40)),
    ("cudaMemAdvise", "advice"): ((1, 2, 3, 4, 5, 6), (0, 7)),
    ("cudaMemAdvise", "location"): (LOCATIONS, NO_LOCATIONS),
    ("cudaMemPrefetchAsync", "count"): ((1, PAGE), (0, 1 << 40)),
    ("cudaMemPrefetchAsync", "location"): (LOCATIONS, NO_LOCATIONS),
    ("cudaMemRangeGetAttribute", "dataSize"): ((4,), (0, 8)),
    ("cudaMemRangeGetAttribute", "attribute"): ((1, 2, 3, 4, 5, 7), (0, 9)),
    ("cudaMemRangeGetAttribute", "count"): ((1, PAGE), (0, 1 << 40)),
    ("cudaMemRangeGetAttributes", "dataSizes"): (((4, 4), (4, 8)), (None, (4, 0))),
    ("cudaMemRangeGetAttributes", "attributes"): (((1, 3), (2, 3), (4, 3)), (None, (0, 3))),
    ("cudaMemRangeGetAttributes", "numAttributes"): ((1, 2), (0,)),
    ("cudaMemRangeGetAttributes", "count"): ((1, PAGE), (0, 1 << 40)),
    **{
        (call, name): values
        for call in ("cudaMemGetMemPool", "cudaMemSetMemPool", "cudaMemGetDefaultMemPool")
        for name, values in {"location": (PLACES, (None, *NO_PLACES)), "type": ((1, 1, 2), (0, 99))}.items()
    },
    ("cudaMemPoolCreate", "poolProps"): (RUNTIME_POOLS, (None, *NO_RUNTIME_POOLS)),
    ("cudaMemPoolExportToShareableHandle", "handleType"): ((POSIX,), (2, 99)),
    ("cudaMemPoolExportToShareableHandle", "flags"): ((0,), (1,)),
    ("cudaMemPoolImportFromShareableHandle", "handleType"): ((POSIX,), (2, 99)),
    ("cudaMemPoolImportFromShareableHandle", "flags"): ((0,), (1,)),
    ("cudaMemPoolGetAccess", "location"): (((1, 0), (1, 1), (2, 0)), (None, (1, 99), (0, 0))),
    ("cudaMemPoolSetAccess", "descList"): (
        ((access(),), (access(1),)),
        (None, (access(99),), (access(0, 1),), (access(0, 0),), (((2, 0), 3),)),
    ),
    ("cudaMemPoolSetAccess", "count"): ((1,), (0,)),
    ("cudaMemPoolSetAttribute", "attr"): ((1, 2, 3, 4, 6, 8), (0, 5, 7, 99)),
    ("cudaMemPoolSetAttribute", "value"): ((0,), (1,)),
    ("cudaMemset3D", "extent"): (EXTENT, NO_EXTENT),
    ("cudaMemset3DAsync", "extent"): (EXTENT, NO_EXTENT),
    ("cudaMemcpy2D", "dpitch"): ((16, 64), (0, 3)),
    ("cudaMemcpy2D", "spitch"): ((16, 64), (0, 3)),
    ("cudaMemcpy2DAsync", "dpitch"): ((16, 64), (0, 3)),
    ("cudaMemcpy2DAsync", "spitch"): ((16, 64), (0, 3)),
    ("cudaMemcpy", "kind"): KINDS,
    ("cudaStreamAttachMemAsync", "length"): ((0, 0, PAGE), (1,)),
    ("cudaStreamAttachMemAsync", "flags"): ((1, 1, 2, 4), (3,)),
    ("cudaStreamGetAttribute", "attr"): ((1, 2, 3, 8), (0, 99)),
    ("cudaStreamSetAttribute", "attr"): ((POLICY,), (0, 99)),
    ("cuMemImportFromShareableHandle", "shHandleType"): ((POSIX,), (99,)),
    ("cudaStreamSetAttribute", "value"): (((1,), (2,), (3,)), ((0,),)),
    ("cuMemCreate", "prop"): (
        (*PROPERTIES, (1, 0, (1, 1), 0, (0, 0, 0)), (1, POSIX, (1, 1), 0, (0, 0, 0))),
        (None, (1, 0, (1, 99), 0, (0, 0, 0)), (0, 0, (1, 0), 0, (0, 0, 0)), (1, 0, (1, 0), 0, (0, 1, 0))),
    ),
    ("cuMemCreate", "size"): ((GRANULE, GRANULE, 2 * GRANULE), (0, 1, 1 << 50)),
    ("cuMemAddressReserve", "size"): ((GRANULE, 2 * GRANULE, 4 * GRANULE), (0, 1, 1 << 60)),
    ("cuMemMap", "size"): ((GRANULE, GRANULE, 2 * GRANULE), (0, 3 * GRANULE)),
    ("cuMemUnmap", "size"): ((GRANULE, GRANULE, 2 * GRANULE), (0, 1)),
    ("cuMemSetAccess", "size"): ((GRANULE, GRANULE, 2 * GRANULE), (0, 8 * GRANULE)),
    ("cuMemSetAccess", "desc"): (
        ((access(),), (access(1),), (access(0, 1),), (access(0, 0),)),
        (None, (access(99),), (access(0, 2),), (((2, 0), 3),)),
    ),
    **{
        (call, name): values
        for call in ("cuMemcpyBatchAsync", "cudaMemcpyBatchAsync")
        for name, values in {
            "sizes": (((8, 16),), ((1 << 40, 8), (0, 8))),
            "attrs": (((ATTRIBUTES,),), (((0, *ATTRIBUTES[1:]),), ((*ATTRIBUTES[:3], 2),))),
            "attrsIdxs": (((0,),), ((1,),)),
            "numAttrs": ((1,), (0,)),
            "count": ((2,), (0,)),
        }.items()
    },
    ("cudaMemcpyWithAttributesAsync", "attr"): ((ATTRIBUTES,), ((0, *ATTRIBUTES[1:]),)),
    **{
        (f"cudaMem{kind}BatchAsync", name): values
        for kind in ("Prefetch", "Discard", "DiscardAndPrefetch")
        for name, values in objects.BATCHES.items()
    },
    ("cuCtxCreate", "ctxCreateParams"): ((None,), (None,)),
    ("cuCtxCreate", "dev"): ((0, 1), (-1, 99)),
}
"""Values by call and parameter, before those of :mod:`conformance.fuzz.choices`."""
