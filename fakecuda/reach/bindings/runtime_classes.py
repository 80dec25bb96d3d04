"""The classes of ``cuda.bindings.runtime``: those of the wheel, or the fallback."""

from __future__ import annotations

from importlib import import_module
from struct import Struct
from typing import Any

from fakecuda.reach.bindings.fallback_classes import Callback, StandIns, binding
from fakecuda.reach.bindings.installed import INSTALLED, RUNTIME_MODULE
from fakecuda.reach.bindings.integers import INTEGERS, signed
from fakecuda.reach.bindings.pointers import host
from fakecuda.reach.bindings.struct_members import Shapes
from fakecuda.spec.codes import Result
from fakecuda.spec.runtime import DESCRIPTION, ENUMS, STRUCTS

ANONYMOUS = {
    "cuda_bindings_runtime__anon_pod0": "anon_struct0",
    "cuda_bindings_runtime__anon_pod1": "anon_union0",
    "cuda_bindings_runtime__anon_pod2": "anon_struct1",
    "cuda_bindings_runtime__anon_pod3": "anon_struct2",
    "cuda_bindings_runtime__anon_pod4": "anon_struct3",
    "cuda_bindings_runtime__anon_pod5": "anon_struct4",
    "cuda_bindings_runtime__anon_pod6": "anon_struct5",
    "cuda_bindings_runtime__anon_pod10": "anon_union3",
    "cuda_bindings_runtime__anon_pod11": "anon_struct7",
    "cuda_bindings_runtime__anon_pod12": "anon_struct8",
    "cuda_bindings_runtime__anon_pod29": "anon_struct18",
    "cuda_bindings_runtime__anon_pod30": "anon_struct19",
    "cuda_bindings_runtime__anon_pod31": "anon_struct20",
    "cuda_bindings_runtime__anon_pod32": "anon_struct21",
    "cuda_bindings_runtime__anon_pod33": "anon_struct22",
}
"""Types without a name: their names in the description, and in the binding."""
NESTED = {
    **{name: STRUCTS[label] for label, name in ANONYMOUS.items()},
    # The runtime API's header declares it inside another struct.
    "anon_struct6": [("unsigned char", "deviceId"), ("unsigned char", "localityDomainId")],
}
NAMED = [
    "cudaAccessPolicyWindow",
    "cudaArrayMemoryRequirements",
    "cudaArraySparseProperties",
    "cudaChannelFormatDesc",
    "cudaDeviceProp",
    "cudaExtent",
    "cudaFuncAttributes",
    "cudaGraphEdgeData",
    "cudaGraphExecUpdateResultInfo",
    "cudaGraphInstantiateParams",
    "cudaHostNodeParams",
    "cudaIpcEventHandle_t",
    "cudaIpcMemHandle_t",
    "cudaKernelNodeParams",
    "cudaLaunchMemSyncDomainMap",
    "cudaMemAllocNodeParams",
    "cudaMemAccessDesc",
    "cudaMemPoolProps",
    "cudaMemPoolPtrExportData",
    "cudaMemcpy3DBatchOp",
    "cudaMemcpy3DOperand",
    "cudaMemcpy3DParms",
    "cudaMemcpy3DPeerParms",
    "cudaMemcpyAttributes",
    "cudaMemsetParams",
    "cudaOffset3D",
    "cudaPitchedPtr",
    "cudaPointerAttributes",
    "cudaPos",
    "cudaResourceDesc",
    "cudaResourceViewDesc",
    "cudaStreamAttrValue",
    "cudaTextureDesc",
    "dim3",
]
UUID = [("char", "bytes[16]")]
SHAPES = Shapes(
    {
        **{name: STRUCTS[name] for name in NAMED},
        **NESTED,
        "CUuuid": UUID,
        "cudaUUID_t": UUID,
        "cudaMemLocation": [*STRUCTS["cudaMemLocation"], ("anon_struct6", "localized")],
    },
    frozenset(NESTED),
    frozenset({"anon_union0", "anon_union3", "cudaStreamAttrValue"}),
    ENUMS,
    lambda _: lambda value: signed(int(value)),
    ANONYMOUS,
    {"dim3": Struct("3I").pack(1, 1, 1), "cudaKernelNodeParams": Struct("Q6I").pack(0, *[1] * 6)},
)
"""The members of the structs that modelled calls take."""
CALLBACKS = (
    "cudaAsyncCallback",
    "cudaGraphRecaptureCallback_t",
    "cudaHostFn_t",
    "cudaLogsCallback_t",
    "cudaStreamCallback_t",
)
DRIVERS = {
    "cudaEglStreamConnection": "CUeglStreamConnection",
    "cudaEvent_t": "CUevent",
    "cudaFunction_t": "CUfunction",
    "cudaGraphExec_t": "CUgraphExec",
    "cudaGraphNode_t": "CUgraphNode",
    "cudaGraph_t": "CUgraph",
    "cudaMemPool_t": "CUmemoryPool",
    "cudaStream_t": "CUstream",
    "cudaUserObject_t": "CUuserObject",
}
"""Handle classes that the binding derives from the driver API's classes, and shows like these."""


class RuntimeStandIns(StandIns):
    """The classes, constants and helpers of ``cuda.bindings.runtime``.

    Args:
        driver: ``cuda.bindings.driver``, or its fallback.
    """

    def __init__(self, driver: Any = binding) -> None:
        bases = {name: getattr(driver, base) for name, base in DRIVERS.items()} | dict.fromkeys(CALLBACKS, Callback)
        super().__init__(RUNTIME_MODULE, DESCRIPTION, SHAPES, bases)

    def __dir__(self) -> list[str]:
        """List the available names."""
        helpers = ["getLocalRuntimeVersion", "make_cudaExtent", "make_cudaPitchedPtr", "make_cudaPos"]
        return sorted([*super().__dir__(), *helpers])

    def getLocalRuntimeVersion(self) -> tuple[Any, int]:
        """Return the version of the runtime library."""
        return self.cudaError_t(int(Result.SUCCESS)), DESCRIPTION.constants["CUDART_VERSION"]

    def make_cudaExtent(self, w: Any, h: Any, d: Any) -> Any:
        """Return a cudaExtent."""
        return self._filled("cudaExtent", width=w, height=h, depth=d)

    def make_cudaPos(self, x: Any, y: Any, z: Any) -> Any:
        """Return a cudaPos."""
        return self._filled("cudaPos", x=x, y=y, z=z)

    def make_cudaPitchedPtr(self, d: Any, p: Any, xsz: Any, ysz: Any) -> Any:
        """Return a cudaPitchedPtr."""
        made = self._filled("cudaPitchedPtr", pitch=p, xsize=xsz, ysize=ysz)
        made.ptr = host(d)[0]
        return made

    def _filled(self, kind: str, **values: Any) -> Any:
        numbers = {label: INTEGERS["size_t"](value) for label, value in values.items()}
        made = getattr(self, kind)()
        for label, number in numbers.items():
            setattr(made, label, number)
        return made


runtime_binding: Any = import_module(RUNTIME_MODULE) if INSTALLED else RuntimeStandIns()
"""``cuda.bindings.runtime``, or its fallback."""
