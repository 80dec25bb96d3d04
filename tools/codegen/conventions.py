"""Conventions of the modules of cuda.bindings that are written by hand.

They are about types. What is special about a parameter of a call stands in ``fakecuda/spec/<API>.overrides.toml``.
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
    """The conventions of a module of cuda.bindings.

    Attributes:
        name: The module: ``driver`` or ``runtime``.
        described: The description of its calls.
        ops: Its modelled calls.
        code: The class of its result codes.
        numbers: Coercions of integer classes that differ from the coercion of handles. They take None as 0.
        numbered: Types of enums read by ``.value`` that are first read as numbers.
        packed: Structs whose plain value depends on their content, with the function that reads their memory.
        by_attribute: Unions that an attribute selects.
        taken: Unmodelled calls whose arguments are read, and refused, as in the binding.
        twins: Handle classes of the driver API that arrays may contain, too, by type.
    """

    name: str
    described: Description
    ops: Mapping[str, Op]
    code: str
    numbers: dict[str, str] = field(factory=dict)
    numbered: frozenset[str] = frozenset()
    packed: dict[str, str] = field(factory=dict)
    by_attribute: frozenset[str] = frozenset()
    taken: tuple[str, ...] = ()
    twins: dict[str, tuple[str, ...]] = field(factory=dict)

    def handle(self, kind: str) -> str:
        """Return the coercion of a handle class; empty for other types."""
        return self.numbers.get(kind) or ("handle" if kind in self.described.handles else "")


DRIVER_BINDING = Conventions(
    name="driver",
    described=driver.DESCRIPTION,
    ops=DRIVER.ops,
    code="CUresult",
    numbers={"cuuint32_t": "value32", "cuuint64_t": "flags", "CUdevice": "device"},
    numbered=frozenset({"CUgraphMem_attribute", "CUmemPool_attribute"}),
    packed={
        "CUDA_RESOURCE_DESC": "resource",
        "CUcheckpointRestoreArgs": "restore_args",
        "CUlaunchConfig": "launch_config",
        "CUstreamBatchMemOpParams": "mem_op",
    },
    by_attribute=frozenset({"CUstreamAttrValue"}),
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
    numbered=frozenset({"cudaGraphMemAttributeType", "cudaMemPoolAttr"}),
    packed={"cudaResourceDesc": "runtime_resource"},
    by_attribute=frozenset({"cudaStreamAttrValue"}),
    taken=tuple(name for name in TAKEN.split() if name not in RUNTIME.ops),
    twins={"cudaGraphNode_t": ("CUgraphNode",)},
)
