"""Conventions of cuda.bindings that are written by hand.

They follow neither from prototypes nor from signatures.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import field, frozen

from fakecuda.rules.registry import DRIVER, RUNTIME
from fakecuda.spec import driver, runtime

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fakecuda.rules.dispatch import Op
    from fakecuda.spec.description import Description


@frozen
class Conventions:
    """The conventions of a module of cuda.bindings. Pairs are a call and a keyword.

    Attributes:
        name: The module: ``driver`` or ``runtime``.
        described: The description of its calls.
        ops: Its modelled calls.
        code: The class of its result codes.
        numbers: Coercions of integer classes that differ from the coercion of handles. They take None as 0.
        by_value: Enums that are read by ``.value``.
        numbered: Types of enums read by ``.value`` that are first read as numbers.
        measured: Arrays of enums that are refused if they are shorter than their count.
        unmeasured: Arrays that are read in full, whatever their count.
        whole: Such arrays that also determine the number of results.
        late: Arrays that are checked after the attributes that they belong to.
        shared: Inputs that another process has exported.
        packed: Structs whose plain value depends on their content, with the function that reads their memory.
        by_attribute: Unions that an attribute selects.
        words: How to read new values of attributes, by call.
        results: How to convert results that depend on arguments, by call; ``{}`` stands for the plain value.
        options: Arrays with one value of any type per option.
        arguments: Arguments of kernels.
        taken: Unmodelled calls whose arguments are read, and refused, as in the binding.
        twins: Handle classes of the driver API that arrays may contain, too, by type.
    """

    name: str
    described: Description
    ops: Mapping[str, Op]
    code: str
    numbers: dict[str, str] = field(factory=dict)
    by_value: frozenset[tuple[str, str]] = frozenset()
    numbered: frozenset[str] = frozenset()
    measured: frozenset[tuple[str, str]] = frozenset()
    unmeasured: frozenset[tuple[str, str]] = frozenset()
    whole: frozenset[tuple[str, str]] = frozenset()
    late: frozenset[tuple[str, str]] = frozenset()
    shared: dict[str, str] = field(factory=dict)
    packed: dict[str, str] = field(factory=dict)
    by_attribute: frozenset[str] = frozenset()
    words: dict[str, str] = field(factory=dict)
    results: dict[str, str] = field(factory=dict)
    options: frozenset[tuple[str, str]] = frozenset()
    arguments: frozenset[tuple[str, str]] = frozenset()
    taken: tuple[str, ...] = ()
    twins: dict[str, tuple[str, ...]] = field(factory=dict)

    def handle(self, kind: str) -> str:
        """Return the coercion of a handle class; empty for other types."""
        return self.numbers.get(kind) or ("handle" if kind in self.described.handles else "")


EXPORTED = "_filled(CUmemFabricHandle, {0}) if type({0}) is bytes else {0}"
DRIVER_BINDING = Conventions(
    name="driver",
    described=driver.DESCRIPTION,
    ops=DRIVER.ops,
    code="CUresult",
    numbers={"cuuint32_t": "value32", "cuuint64_t": "flags", "CUdevice": "device"},
    by_value=frozenset(
        {
            ("cuPointerGetAttribute", "attribute"),
            ("cuPointerSetAttribute", "attribute"),
            ("cuMemExportToShareableHandle", "handleType"),
            ("cuMemPoolExportToShareableHandle", "handleType"),
            ("cuDeviceGetGraphMemAttribute", "attr"),
            ("cuDeviceSetGraphMemAttribute", "attr"),
            ("cuMemPoolGetAttribute", "attr"),
            ("cuMemPoolSetAttribute", "attr"),
            ("cuMemRangeGetAttribute", "attribute"),
        }
    ),
    numbered=frozenset({"CUgraphMem_attribute", "CUmemPool_attribute"}),
    measured=frozenset(
        {("cuDeviceGetHostAtomicCapabilities", "operations"), ("cuDeviceGetP2PAtomicCapabilities", "operations")}
    ),
    unmeasured=frozenset(
        (f"cuGraph{change}Dependencies", array) for change in ("Add", "Remove") for array in ("from_", "to", "edgeData")
    )
    | {
        ("cuGraphAddNode", "dependencies"),
        ("cuGraphAddNode", "dependencyData"),
        ("cuStreamBeginCaptureToGraph", "dependencyData"),
        *(
            (f"cuTensorMapEncode{of}", array)
            for of in ("Tiled", "Im2col", "Im2colWide")
            for array in (
                *("globalDim", "globalStrides", "boxDim", "elementStrides"),
                *("pixelBoxLowerCorner", "pixelBoxUpperCorner"),
            )
        ),
        ("cuStreamUpdateCaptureDependencies", "dependencies"),
        ("cuStreamUpdateCaptureDependencies", "dependencyData"),
    },
    whole=frozenset({("cuMemRangeGetAttributes", "attributes"), ("cuPointerGetAttributes", "attributes")}),
    late=frozenset({("cuMemRangeGetAttributes", "dataSizes")}),
    shared={"cuMemImportFromShareableHandle": "osHandle", "cuMemPoolImportFromShareableHandle": "handle"},
    packed={
        "CUDA_RESOURCE_DESC": "resource",
        "CUcheckpointRestoreArgs": "restore_args",
        "CUlaunchConfig": "launch_config",
        "CUstreamBatchMemOpParams": "mem_op",
    },
    by_attribute=frozenset({"CUstreamAttrValue"}),
    words={
        "cuDeviceSetGraphMemAttribute": "_size_word(value)",
        "cuMemPoolSetAttribute": "_pool_word(value, attr)",
        "cuPointerSetAttribute": "_word(value, attribute, _CUpointer_attribute_known)",
    },
    results={
        "cuDeviceGetGraphMemAttribute": "cuuint64_t({})",
        "cuDeviceGetName": "_name({}, length)",
        "cuLinkCreate": "_linker({}, held_optionValues)",
        "cuMemExportToShareableHandle": EXPORTED,
        "cuMemPoolExportToShareableHandle": EXPORTED,
        "cuMemPoolGetAttribute": "_pool_value(attr, {})",
        "cuMemRangeGetAttribute": "_range_value({})",
        "cuMemRangeGetAttributes": "_range_values(attributes, dataSizes, {})",
        "cuPointerGetAttribute": "_pointer_value(attribute, {})",
        "cuSurfObjectGetResourceDesc": "_resource_made({})",
        "cuTexObjectGetResourceDesc": "_resource_made({})",
        "cuPointerGetAttributes": "_pointer_values(attributes, {})",
        "cuThreadExchangeStreamCaptureMode": "CUstreamCaptureMode({} & 0xFFFFFFFF)",
    },
    options=frozenset(
        {
            ("cuModuleLoadDataEx", "optionValues"),
            ("cuLibraryLoadFromFile", "jitOptionsValues"),
            ("cuLibraryLoadFromFile", "libraryOptionValues"),
            ("cuLinkCreate", "optionValues"),
            ("cuLinkAddData", "optionValues"),
            ("cuLinkAddFile", "optionValues"),
            ("cuLibraryLoadData", "jitOptionsValues"),
            ("cuLibraryLoadData", "libraryOptionValues"),
        }
    ),
    arguments=frozenset(
        (call, "kernelParams") for call in ("cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel")
    ),
)
TAKEN = """
    cudaArrayGetInfo cudaArrayGetMemoryRequirements cudaArrayGetPlane cudaArrayGetSparseProperties
    cudaDevResourceGenerateDesc cudaDevSmResourceSplit cudaDevSmResourceSplitByCount
    cudaDeviceGetDevResource cudaDeviceGetExecutionCtx cudaDeviceGetGraphMemAttribute
    cudaDeviceGraphMemTrim cudaDeviceRegisterAsyncNotification cudaDeviceSetGraphMemAttribute
    cudaDeviceUnregisterAsyncNotification cudaEventCreateFromEGLSync cudaExecutionCtxDestroy
    cudaExecutionCtxGetDevResource cudaExecutionCtxGetDevice cudaExecutionCtxGetId
    cudaExecutionCtxRecordEvent cudaExecutionCtxStreamCreate cudaExecutionCtxSynchronize
    cudaExecutionCtxWaitEvent cudaFreeArray cudaFreeMipmappedArray cudaGreenCtxCreate
    cudaLogsRegisterCallback cudaMalloc3DArray cudaMallocArray cudaMallocMipmappedArray
    cudaMemDiscardAndPrefetchBatchAsync cudaMemDiscardBatchAsync cudaMemcpy2DArrayToArray
    cudaMemcpy2DFromArray cudaMemcpy2DFromArrayAsync cudaMemcpy2DToArray cudaMemcpy2DToArrayAsync
    cudaMemcpy3DBatchAsync cudaMemcpy3DWithAttributesAsync cudaMemcpyArrayToArray cudaMemcpyFromArray
    cudaMemcpyFromArrayAsync cudaMemcpyToArray cudaMemcpyToArrayAsync cudaStreamGetDevResource
"""
"""Calls of the runtime API in scope that were not modelled when the list was made."""
RUNTIME_BINDING = Conventions(
    name="runtime",
    described=runtime.DESCRIPTION,
    ops=RUNTIME.ops,
    code="cudaError_t",
    by_value=frozenset(
        {
            ("cudaDeviceGetGraphMemAttribute", "attr"),
            ("cudaDeviceSetGraphMemAttribute", "attr"),
            ("cudaMemPoolExportToShareableHandle", "handleType"),
            ("cudaMemPoolGetAttribute", "attr"),
            ("cudaMemPoolSetAttribute", "attr"),
            ("cudaMemRangeGetAttribute", "attribute"),
        }
    ),
    numbered=frozenset({"cudaGraphMemAttributeType", "cudaMemPoolAttr"}),
    measured=frozenset(
        [
            *(
                ("cudaDeviceGetHostAtomicCapabilities", "operations"),
                ("cudaDeviceGetP2PAtomicCapabilities", "operations"),
            ),
            *(
                (f"cudaLibraryLoad{what}", options)
                for what in ("Data", "FromFile")
                for options in ("jitOptions", "libraryOptions")
            ),
        ]
    ),
    unmeasured=frozenset(
        (f"cudaGraph{change}Dependencies", array)
        for change in ("Add", "Remove")
        for array in ("from_", "to", "edgeData")
    )
    | {
        ("cudaGraphAddMemcpyNode1D", "pDependencies"),
        ("cudaGraphAddNode", "pDependencies"),
        ("cudaGraphAddNode", "dependencyData"),
        ("cudaStreamBeginCaptureToGraph", "dependencyData"),
        ("cudaStreamUpdateCaptureDependencies", "dependencies"),
        ("cudaStreamUpdateCaptureDependencies", "dependencyData"),
    },
    whole=frozenset({("cudaMemRangeGetAttributes", "attributes")}),
    late=frozenset({("cudaMemRangeGetAttributes", "dataSizes")}),
    shared={"cudaMemPoolImportFromShareableHandle": "shareableHandle"},
    packed={"cudaResourceDesc": "runtime_resource"},
    by_attribute=frozenset({"cudaStreamAttrValue"}),
    words={"cudaDeviceSetGraphMemAttribute": "_size_word(value)", "cudaMemPoolSetAttribute": "_pool_word(value, attr)"},
    results={
        "cudaDeviceGetGraphMemAttribute": "fallback_classes.binding.cuuint64_t({})",
        "cudaGetSurfaceObjectResourceDesc": "_runtime_resource_made(cudaResourceDesc, {})",
        "cudaGetTextureObjectResourceDesc": "_runtime_resource_made(cudaResourceDesc, {})",
        "cudaMemPoolExportToShareableHandle": EXPORTED,
        "cudaMemPoolGetAttribute": "_pool_value(attr, {})",
        "cudaThreadExchangeStreamCaptureMode": "cudaStreamCaptureMode({} & 0xFFFFFFFF)",
        "cudaMemRangeGetAttribute": "_range_value({})",
        "cudaMemRangeGetAttributes": "_range_values(attributes, dataSizes, {})",
    },
    options=frozenset(
        (f"cudaLibraryLoad{what}", values)
        for what in ("Data", "FromFile")
        for values in ("jitOptionsValues", "libraryOptionValues")
    ),
    taken=tuple(name for name in TAKEN.split() if name not in RUNTIME.ops),
    twins={"cudaGraphNode_t": ("CUgraphNode",)},
)
