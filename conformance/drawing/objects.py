"""What calls of arrays, graphs and code are drawn from: values for their arguments, and which things fit together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.drawing.values import LOCATIONS, NO_LOCATIONS
from conformance.kit.kernels import NEWER, PTX
from fakecuda.model.code.module import Function, Kernel, Library, Module
from fakecuda.model.graph.executables import Executable
from fakecuda.model.graph.graph import Graph, Node
from fakecuda.rules.registry import DRIVER, chapter
from fakecuda.spec.both import CALLS
from fakecuda.spec.node_params import EMPTY, pack

if TYPE_CHECKING:
    from collections.abc import Collection
    from random import Random

    from conformance.drawing.values import Values
    from fakecuda.model.os.process import Process
    from fakecuda.spec.description import Param

FLAT = ((64, 16, 1, 1), (64, 0, 32, 4), (16, 16, 2, 2))
NOT_FLAT = ((0, 0, 1, 1), (64, 16, 1, 3), (64, 16, 99, 1), (1 << 20, 16, 1, 1))
"""CUDA_ARRAY_DESCRIPTOR: width, height, format, channels."""
SOLID = ((64, 16, 0, 1, 1, 0), (64, 16, 4, 1, 1, 0), (64, 16, 4, 1, 1, 1), (64, 64, 6, 1, 4, 4), (64, 16, 0, 32, 1, 2))
NOT_SOLID = ((0, 16, 0, 1, 1, 0), (64, 16, 0, 1, 1, 4), (64, 16, 0, 1, 3, 0), (64, 0, 4, 1, 1, 0), (64, 32, 6, 1, 4, 4))
"""CUDA_ARRAY3D_DESCRIPTOR: width, height, depth, format, channels, flags."""
KERNELS = ((b"empty", b"store", b"most", b"exact", b"fixed"), (b"none", b"counter"))
VARIABLES = ((b"counter", b"table"), (b"none", b"empty"))
NO_OPTIONS: Values = ((None,), (None,))
NONE: Values = ((0,), (0,))
THREADS = ((1, 32, 64, 128), (0, 2000))
CODE: dict[str, Values] = {
    "image": ((PTX, PTX, NEWER), (b"nothing",)),
    "fatCubin": ((PTX,), (b"nothing",)),
    "code": ((PTX, PTX, NEWER), (b"nothing",)),
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
    "flags": ((0, 0, 1, 8), (2, 1 << 40)),
    "edgeData": NO_OPTIONS,
    "dependencyData": NO_OPTIONS,
    **dict.fromkeys(COUNTS, ((0, 1, 3), (0,))),
    **dict.fromkeys(("count", "initialRefcount"), ((1, 2), (0,))),
    "path": ((b"/dev/null",), (b"/nowhere/graph.dot", b"", None)),
}
CHAPTERS: dict[str, dict[str, Values]] = {
    "array": {"numMipmapLevels": ((1, 3), (0, 99)), "level": ((0, 1, 2), (9,))},
    "graph": GRAPHS,
    "module": CODE,
    "library": CODE | LAUNCH,
    "execution": CODE | LAUNCH,
    "unified": BATCHES,
    "copy": COPIES,
}
"""Values of the parameters of a chapter's calls by their names."""


def allocates(size: int, location: int = 1) -> tuple[Any, ...]:
    """Return the CUDA_MEM_ALLOC_NODE_PARAMS of memory of a size on device 0, or at a place of another type."""
    return (1, 0, (location, 0), 0, 0, 0, 0), 0, 0, size, 0


TYPES: dict[str, Values] = {
    "CUDA_ARRAY_DESCRIPTOR": (FLAT, (None, *NOT_FLAT)),
    "CUDA_ARRAY3D_DESCRIPTOR": (SOLID, (None, *NOT_SOLID)),
    "CUDA_BATCH_MEM_OP_NODE_PARAMS": (((0, 0, 0, 0),), (None, (0, 257, 0, 0))),
    "CUDA_GRAPH_INSTANTIATE_PARAMS": (((0, 0, 0, 0), (1, 0, 0, 0)), (None, (16, 0, 0, 0), (1 << 40, 0, 0, 0))),
    "CUDA_MEM_ALLOC_NODE_PARAMS": ((allocates(4096), allocates(1)), (None, allocates(0), allocates(64, location=0))),
    "CUgraphNodeParams": ((pack(EMPTY, ()),), (None, pack(99, ()))),
    "CUkernelNodeAttrValue": ((bytes(64),), (None,)),
}
CLASSES: dict[str, tuple[type, ...]] = {
    "CUgraph": (Graph,),
    "CUgraphNode": (Node,),
    "CUgraphExec": (Executable,),
    "CUmodule": (Module,),
    "CUlibrary": (Library,),
    "CUkernel": (Kernel,),
    "CUfunction": (Function,),
}
"""What a handle of a type names."""
HANDLES = frozenset({"CUarray", "CUmipmappedArray", "CUuserObject", *CLASSES})
DEPENDENT = ("dependencies", "from_", "to")


def _values() -> dict[tuple[str, str], Values]:
    """Return the values of parameters, of the calls whose arguments these tables are for."""
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
    ("cuStreamUpdateCaptureDependencies", "dependencies"): NO_OPTIONS,
    ("cuStreamUpdateCaptureDependencies", "dependencyData"): NO_OPTIONS,
    ("cuStreamUpdateCaptureDependencies", "numDependencies"): NONE,
    ("cuStreamUpdateCaptureDependencies", "flags"): ((0, 1), (2,)),
    **{
        ("cuStreamBeginCaptureToGraph", name): values
        for name, values in {
            "dependencies": NO_OPTIONS,
            "dependencyData": NO_OPTIONS,
            "numDependencies": NONE,
            "mode": ((0, 1, 2), (3,)),
        }.items()
    },
    ("cuDeviceSetGraphMemAttribute", "attr"): ((1, 3), (0, 2, 4)),
    ("cuDeviceSetGraphMemAttribute", "value"): ((0,), (1,)),
    ("cuGraphCreate", "flags"): ((0,), (1,)),
    ("cuGraphDebugDotPrint", "flags"): ((0, 1, 1 << 10), (1 << 20,)),
    ("cuGraphRetainUserObject", "flags"): ((0, 1), (2,)),
    ("cuUserObjectCreate", "flags"): ((1,), (0, 2)),
    ("cuUserObjectCreate", "ptr"): NONE,
    **dict.fromkeys((("cuModuleGetFunction", "name"), ("cuLibraryGetKernel", "name")), KERNELS),
    **dict.fromkeys((("cuModuleGetGlobal", "name"), ("cuLibraryGetGlobal", "name")), VARIABLES),
}
"""Values by call and parameter."""


def held(state: Process, param: Param, value: Any) -> bool:
    """Return whether a value is the handle of what a parameter asks for, which is there."""
    if param.type in {"CUarray", "CUmipmappedArray"}:
        return value in state.arrays
    if param.type == "CUuserObject":
        return value in state.user_objects
    table: dict[int, Any] = state.graphs if param.type.startswith("CUgraph") else state.loaded
    return isinstance(table.get(value), CLASSES[param.type])


def together(
    random: Random, call: str, state: Process, given: tuple[Any, ...], named: Collection[Any]
) -> tuple[Any, ...]:
    """Return arguments of a call whose nodes are nodes of its graph; now and then of any graph.

    Args:
        random: Draws.
        call: The call.
        state: Its process.
        given: Its arguments.
        named: The handles of nodes that a program has names for; others are none to a card.
    """
    names = [param.name for param in CALLS[call].inputs]
    if not {"hGraph", "numDependencies"} <= set(names):
        return given
    found = dict(zip(names, given, strict=True))
    graph = state.graphs.get(found["hGraph"])
    own = list(graph.nodes) if isinstance(graph, Graph) else []
    every = [one for one in state.graphs.values() if isinstance(one, Node)]
    nodes = [one.handle for one in (own if random.randrange(12) else every) if one.handle in named]
    count = found["numDependencies"] if "to" in found else random.randint(0, 2)
    for name in (one for one in DEPENDENT if one in found):
        found[name] = tuple(random.choice(nodes) for _ in range(count)) if nodes and count else None
    if "to" not in found or not nodes:
        found["numDependencies"] = count if nodes else 0
    return tuple(found.values())
