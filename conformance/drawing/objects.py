"""Argument values and handles for calls of arrays, graphs and code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.drawing import tensors
from conformance.drawing.images import IMAGES, KERNELS, VARIABLES
from conformance.drawing.shapes import FLAT, NO_SAMPLINGS, NO_VIEWS, NOT_FLAT, NOT_SOLID, SAMPLINGS, SOLID, VIEWS
from conformance.drawing.values import LOCATIONS, NO_LOCATIONS
from fakecuda.model.code.linking import Linker
from fakecuda.model.code.module import Function, Kernel, Library, Module
from fakecuda.model.graph.executables import Executable
from fakecuda.model.graph.graph import Graph, Node
from fakecuda.rules.registry import DRIVER, chapter
from fakecuda.spec.both import CALLS

if TYPE_CHECKING:
    from conformance.drawing.values import Values
    from fakecuda.model.os.process import Process
    from fakecuda.spec.description import Param

NO_OPTIONS: Values = ((None,), (None,))
NONE: Values = ((0,), (0,))
NO_STRUCT: Values = ((None,), (None,))
THREADS = ((1, 32, 64, 128), (0, 2000))
CODE: dict[str, Values] = {
    **dict.fromkeys(("image", "fatCubin", "code", "data"), IMAGES),
    "size": NONE,
    "symbol": KERNELS,
    **dict.fromkeys(("options", "optionValues", "jitOptions", "jitOptionsValues"), NO_OPTIONS),
    **dict.fromkeys(("libraryOptions", "libraryOptionValues"), NO_OPTIONS),
    **dict.fromkeys(("numOptions", "numJitOptions", "numLibraryOptions"), NONE),
    "numFunctions": ((1, 5), (0, 99)),
    "numKernels": ((1, 5), (0, 99)),
    "paramIndex": ((0, 1), (9,)),
}
LAUNCH: dict[str, Values] = {
    "gridDimX": ((1, 2), (0,)),
    "gridDimY": ((1, 2), (0, 1 << 16)),
    "gridDimZ": ((1, 1), (0, 1 << 16)),
    "blockDimX": THREADS,
    "blockDimY": ((1, 1, 2), (0, 2000)),
    "blockDimZ": ((1,), (0, 65)),
    "sharedMemBytes": ((0, 1024), (1 << 20,)),
    "kernelParams": NONE,
    "extra": NONE,
    "value": ((0, 1, 50, 1024), (-1, 1 << 20)),
    "val": ((0, 1, 50, 1024), (-1, 1 << 20)),
    "blockSize": ((32, 128, 1024), (0, -1, 2000)),
    "dynamicSMemSize": ((0, 1024), (1 << 20,)),
    "numBlocks": ((1, 2), (0, -1)),
    "blockSizeToDynamicSMemSize": NONE,
    "blockSizeLimit": ((0, 256), (-1,)),
    "flags": ((0, 1), (2,)),
}
BATCHES: dict[str, Values] = {
    "sizes": (((1, 1),), ((0, 1),)),
    "prefetchLocs": (tuple((one,) for one in LOCATIONS), tuple((one,) for one in NO_LOCATIONS)),
    "prefetchLocIdxs": (((0,),), ((1,),)),
    "numPrefetchLocs": ((1,), (0,)),
    "count": ((2,), (0,)),
    "flags": ((0,), (1,)),
}
COPIES: dict[str, Values] = {
    **dict.fromkeys(("dstOffset", "srcOffset"), ((0, 0, 64, 128), (7, 1 << 20))),
    "ByteCount": ((16, 64), (0,)),
    "srcHost": ((bytes(range(64)),), (bytes(64),)),
    "dstHost": ((bytearray(64),), (bytearray(64),)),
}
COUNTS = ("numDependencies", "numDependentNodes", "numEdges", "numNodes", "numRootNodes")
GRAPHS: dict[str, Values] = {
    "flags": ((0, 0, 0, 1, 8, 9), (2, 3, 16, 1 << 31)),
    "isEnabled": ((0, 1), (2,)),
    "defaultLaunchValue": ((0, 0, 1), (0,)),
    "edgeData": NO_OPTIONS,
    "dependencyData": NO_OPTIONS,
    **dict.fromkeys(COUNTS, ((0, 1, 3), (0,))),
    **dict.fromkeys(("count", "initialRefcount"), ((1, 2), (0,))),
    "path": ((b"/dev/null",), (b"/nowhere/graph.dot", b"", None)),
}
CHAPTERS: dict[str, dict[str, Values]] = {
    "array": {
        "numMipmapLevels": ((1, 2, 3, 7), (0, 8, 99)),
        "level": ((0, 0, 1, 2), (9, 1 << 31)),
        "planeIdx": ((0, 1), (2, 9)),
    },
    "graph": GRAPHS,
    "module": CODE,
    "linker": CODE,
    "tensor": tensors.NAMES,
    "library": CODE | LAUNCH,
    "execution": CODE | LAUNCH,
    "unified": BATCHES,
    "copy": COPIES,
}
"""Values of parameters by name, for a chapter's calls."""


ATTRIBUTE_VALUES = (bytes(64), (1).to_bytes(4, "little") + bytes(60), (1).to_bytes(4, "little") * 3 + bytes(52))
TYPES: dict[str, Values] = {
    "CUDA_ARRAY_DESCRIPTOR": (FLAT, (None, *NOT_FLAT)),
    "CUDA_ARRAY3D_DESCRIPTOR": (SOLID, (None, *NOT_SOLID)),
    "CUkernelNodeAttrValue": (ATTRIBUTE_VALUES, (None, b"\xff" * 64)),
    "CUDA_TEXTURE_DESC": (SAMPLINGS, NO_SAMPLINGS),
    "CUDA_RESOURCE_VIEW_DESC": (VIEWS, NO_VIEWS),
    "CUcheckpointLockArgs": ((None, None, (5000, 0, (0,) * 7)), ((0, 1, (0,) * 7), (0, 0, (1, *(0,) * 6)))),
    "CUcheckpointCheckpointArgs": ((None, (0,)), (None,)),
    "CUcheckpointRestoreArgs": ((None, (0, 0, 0)), (None,)),
    "CUcheckpointUnlockArgs": ((None,), (None,)),
}
CLASSES: dict[str, tuple[type, ...]] = {
    "CUgraph": (Graph,),
    "CUgraphNode": (Node,),
    "CUgraphExec": (Executable,),
    "CUmodule": (Module,),
    "CUlibrary": (Library,),
    "CUkernel": (Kernel,),
    "CUfunction": (Function,),
    "CUlinkState": (Linker,),
}
"""The classes of objects of each handle type."""
HANDLES = frozenset({"CUarray", "CUmipmappedArray", "CUuserObject", *CLASSES})
OTHER_KIND = {
    "graph": "executable",
    "executable": "graph",
    "node": "graph",
    "module": "library",
    "library": "module",
    "array": "mipmapped",
    "mipmapped": "array",
}
"""The kind of handle to pass as a wrong kind."""
FREES_NODES = {("cuGraphAddMemFreeNode", "dptr")}
"""Parameters that take the address of an allocation node."""
DESCRIBED = {("cuTensorMapReplaceAddress", "tensorMap")}
"""Parameters that take host memory which another call has filled."""


def _values() -> dict[tuple[str, str], Values]:
    """Return the values of parameters in the calls of these tables."""
    found = {}
    for call, op in DRIVER.ops.items():
        names = CHAPTERS.get(chapter(op.module), {})
        if names is COPIES and not any(param.type == "CUarray" for param in CALLS[call].inputs):
            continue
        if names is BATCHES and "Batch" not in call:
            continue
        for param in CALLS[call].inputs:
            if param.type in TYPES or param.name in names:
                found[call, param.name] = TYPES.get(param.type) or names[param.name]
    return found


VALUES = {
    **_values(),
    **{
        (call, name): NO_OPTIONS if "Data" in name or name == "dependencies" else NONE
        for call in ("cuStreamUpdateCaptureDependencies", "cuStreamBeginCaptureToGraph")
        for name in ("dependencies", "dependencyData", "numDependencies")
    },
    ("cuStreamUpdateCaptureDependencies", "flags"): ((0, 1), (2,)),
    **{
        (call, "mode"): ((0, 1, 2, 2), (3, -1))
        for call in ("cuStreamBeginCapture", "cuStreamBeginCaptureToGraph", "cuThreadExchangeStreamCaptureMode")
    },
    ("cuDeviceSetGraphMemAttribute", "attr"): ((1, 3), (0, 2, 4)),
    ("cuDeviceSetGraphMemAttribute", "value"): ((0,), (1,)),
    ("cuGraphConditionalHandleCreate", "flags"): ((0, 1), (2,)),
    ("cuGraphCreate", "flags"): ((0,), (1,)),
    ("cuGraphDebugDotPrint", "flags"): ((0, 1, 1 << 10), (1 << 20,)),
    ("cuGraphRetainUserObject", "flags"): ((0, 1), (2,)),
    ("cuUserObjectCreate", "flags"): ((1,), (0, 2)),
    ("cuUserObjectCreate", "ptr"): NONE,
    **{
        (call, "name"): names
        for names, calls in {
            KERNELS: ("cuModuleGetFunction", "cuLibraryGetKernel"),
            VARIABLES: (
                "cuModuleGetGlobal",
                "cuLibraryGetGlobal",
                "cuLibraryGetManaged",
                "cuModuleGetTexRef",
                "cuModuleGetSurfRef",
            ),
        }.items()
        for call in calls
    },
    ("cuCtxCreate_v3", "paramsArray"): NONE,
    **{(f"cuMemcpy{kind}_v1", "pCopy"): NO_STRUCT for kind in ("2D", "2DAsync", "2DUnaligned", "3D", "3DAsync")},
    **{(f"cuArray{kind}Create_v1", "pAllocateArray"): NO_STRUCT for kind in ("", "3D")},
    ("cuCtxCreate_v3", "numParams"): ((0,), (1, -1)),
    **{(f"cuGraphInstantiate_v{number}", "bufferSize"): ((0, 64), (0,)) for number in (1, 2)},
    ("cuDeviceGetTexture1DLinearMaxWidth", "numChannels"): ((1, 2, 4), (0, 3, 7)),
    ("cuLinkAddData", "name"): ((b"input", None), (b"",)),
}
"""Values by call and parameter."""


def held(state: Process, param: Param, value: Any) -> bool:
    """Return whether a value is the handle of a live object of a parameter's kind."""
    if param.type in {"CUarray", "CUmipmappedArray"}:
        return value in state.arrays
    if param.type == "CUuserObject":
        return value in state.user_objects.live
    table: dict[int, Any] = state.graphs if param.type.startswith("CUgraph") else state.loaded
    return isinstance(table.get(value), CLASSES[param.type])
