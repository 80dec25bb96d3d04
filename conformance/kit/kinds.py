"""Kinds of names: what each argument and result of a call stands for."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from attrs import frozen

from conformance.kit.calls import CALLS
from conformance.kit.nvml import KINDS
from fakecuda.rules.registry import HIP, RUNTIME, api_of
from fakecuda.spec import forms, launch_config, mem_ops, node_params, resources
from fakecuda.spec.both import ENUMS, STRUCTS
from fakecuda.spec.stream_values import WINDOW
from realcuda.layouts import layout, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from fakecuda.spec.description import Param

SHARED = {"ipc", "fd", "fabric", "file", "pooldata"}
"""Kinds that have one space per machine."""
ADDRESSES = ("dptr", "va", "pinned", "host", "image")
"""Kinds whose values are addresses, which may point inside an object."""
LAUNCHES = ("cuLaunchCooperativeKernel", "cuLaunchKernel", "cuLaunchKernelEx")
NUMBERS = {"fd", "buffer", "texture", "surface", "pid", "bytes"}
"""Kinds whose values are small integers, referenced only by the same kind."""
UNTOLD = {"image", "bytes", "text", "pci"}
"""Kinds of results whose values differ between machines and are not compared."""

TYPES = {
    "CUdeviceptr": "dptr",
    "CUdeviceptr_v1": "dptr",
    "CUcontext": "ctx",
    "CUmemGenericAllocationHandle": "handle",
    "CUipcMemHandle": "ipc",
    "CUipcEventHandle": "ipc",
    "CUmemPoolPtrExportData": "pooldata",
    "CUmemoryPool": "pool",
    "CUarray": "array",
    "CUmipmappedArray": "mipmapped",
    "CUstream": "stream",
    "CUevent": "event",
    "CUmodule": "module",
    "CUfunction": "kernel",
    "CUtexObject": "texture",
    "CUsurfObject": "surface",
    "CUlibrary": "library",
    "CUlinkState": "linker",
    "CUkernel": "kernel",
    "CUhostFn": "function",
    "CUstreamCallback": "function",
    "CUgraph": "graph",
    "CUgraphConditionalHandle": "condition",
    "CUgraphExec": "executable",
    "CUgraphNode": "node",
    "CUuserObject": "object",
    "cudaIpcMemHandle_t": "ipc",
    "cudaIpcEventHandle_t": "ipc",
    "cudaMemPoolPtrExportData": "pooldata",
    "cudaMemPool_t": "pool",
    "cudaArray_t": "array",
    "cudaArray_const_t": "array",
    "cudaMipmappedArray_t": "mipmapped",
    "cudaMipmappedArray_const_t": "mipmapped",
    "cudaStream_t": "stream",
    "cudaEvent_t": "event",
    "cudaTextureObject_t": "texture",
    "cudaSurfaceObject_t": "surface",
    "cudaUserObject_t": "object",
    "cudaLibrary_t": "library",
    "cudaKernel_t": "kernel",
    "cudaGraphConditionalHandle": "condition",
    "cudaGraph_t": "graph",
    "cudaGraphExec_t": "executable",
    "cudaGraphNode_t": "node",
    "cudaHostFn_t": "function",
    "hipIpcMemHandle_st": "ipc",
    "hipIpcEventHandle_st": "ipc",
    "hipMemGenericAllocationHandle_t": "handle",
    "hipMemPool_t": "pool",
    "hipMemPoolPtrExportData": "pooldata",
    "hipStream_t": "stream",
    "hipEvent_t": "event",
    "nvmlDevice_t": "device",
    "nvmlEventSet_t": "set",
    "cudaStreamCallback_t": "function",
}
"""Kinds by C type."""
OTHERS: dict[tuple[str, str], Any] = {
    ("cuLaunchHostFunc", "userData"): "pinned",
    ("cuStreamAddCallback", "userData"): "pinned",
    ("cuUserObjectCreate", "ptr"): "pinned",
    ("cuLibraryLoadFromFile", "fileName"): "file",
    **dict.fromkeys(
        [
            (f"cuCheckpointProcess{does}", "pid")
            for does in ("GetState", "GetRestoreThreadId", "Lock", "Checkpoint", "Restore", "Unlock")
        ],
        "pid",
    ),
    ("cuLinkAddFile", "path"): "file",
    ("cuLinkAddData", "size"): "bytes",
    ("cuLinkComplete", "cubinOut"): "image",
    ("cuLinkComplete", "sizeOut"): "bytes",
    ("cudaLibraryLoadFromFile", "fileName"): "file",
    ("cuModuleLoad", "fname"): "file",
    ("cuMemAddressReserve", "ptr"): "va",
    ("cuMemRetainAllocationHandle", "addr"): "dptr",
    ("cuMemAllocHost", "pp"): "pinned",
    ("cuMemHostAlloc", "pp"): "pinned",
    ("cuMemFreeHost", "p"): "pinned",
    ("cuMemHostGetDevicePointer", "p"): "pinned",
    ("cuMemHostGetFlags", "p"): "pinned",
    ("cuMemHostRegister", "p"): "host",
    ("cuMemHostUnregister", "p"): "host",
    ("cuCtxCreate_v3", "paramsArray"): "host",
    ("cuMemGetHandleForAddressRange", "handle"): "fd",
    **dict.fromkeys(
        [
            ("cudaFreeHost", "ptr"),
            ("cudaHostAlloc", "pHost"),
            ("cudaHostGetDevicePointer", "pHost"),
            ("cudaHostGetFlags", "pHost"),
            ("cudaLaunchHostFunc", "userData"),
            ("cudaMallocHost", "ptr"),
            ("cudaStreamAddCallback", "userData"),
            ("cudaUserObjectCreate", "ptr"),
        ],
        "pinned",
    ),
    **dict.fromkeys(
        [
            ("cudaFuncGetAttributes", "func"),
            ("cudaFuncSetAttribute", "func"),
            ("cudaFuncSetCacheConfig", "func"),
            ("cudaFuncSetSharedMemConfig", "func"),
            ("cudaOccupancyAvailableDynamicSMemPerBlock", "func"),
            ("cudaOccupancyMaxActiveBlocksPerMultiprocessor", "func"),
            ("cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", "func"),
        ],
        "kernel",
    ),
    **dict.fromkeys([("hipHostMalloc", "ptr"), ("hipHostAlloc", "ptr"), ("hipHostFree", "ptr")], "pinned"),
    ("hipMemAddressReserve", "ptr"): "va",
    ("hipHostRegister", "hostPtr"): "host",
    ("hipHostUnregister", "hostPtr"): "host",
    ("cudaHostRegister", "ptr"): "host",
    ("cudaHostUnregister", "ptr"): "host",
    **dict.fromkeys(product(LAUNCHES, ("kernelParams", "extra")), "volatile"),
    ("cudaGetDriverEntryPoint", "funcPtr"): "volatile",
    ("cudaGetDriverEntryPointByVersion", "funcPtr"): "volatile",
    **KINDS,
}
"""Kinds by call and parameter, if the type does not determine them."""
SIZES = {
    "cuMemAlloc": "bytesize",
    "cuMemAllocManaged": "bytesize",
    "cuMemAllocHost": "bytesize",
    "cuMemHostAlloc": "bytesize",
    "cuMemAllocAsync": "bytesize",
    "cuMemAllocFromPoolAsync": "bytesize",
    "cuMemAddressReserve": "size",
    "cuMemCreate": "size",
    **dict.fromkeys(
        [
            "cudaHostAlloc",
            "cudaMalloc",
            "cudaMallocAsync",
            "cudaMallocFromPoolAsync",
            "cudaMallocHost",
            "cudaMallocManaged",
            "hipHostMalloc",
            "hipMalloc",
            "hipMemAddressReserve",
            "hipMemCreate",
        ],
        "size",
    ),
}
"""The input with the size of a result's memory."""
INHERIT = {
    "cuIpcGetMemHandle": "dptr",
    "cuIpcOpenMemHandle": "handle",
    "cuMemPoolExportPointer": "ptr",
    "cuMemPoolImportPointer": "shareData",
    "cudaIpcGetMemHandle": "devPtr",
    "cudaIpcOpenMemHandle": "handle",
    "hipIpcGetMemHandle": "devPtr",
    "hipIpcOpenMemHandle": "handle",
    "cudaMemPoolExportPointer": "ptr",
    "cudaMemPoolImportPointer": "exportData",
}
"""The input whose size a result inherits."""
_ATTRIBUTE = ENUMS["CUpointer_attribute"]
ATTRIBUTES = {
    _ATTRIBUTE[f"CU_POINTER_ATTRIBUTE_{name}"]: kind
    for name, kind in {
        "CONTEXT": "ctx",
        "DEVICE_POINTER": "dptr",
        "RANGE_START_ADDR": "dptr",
        "MAPPING_BASE_ADDR": "dptr",
        "BUFFER_ID": "buffer",
        "MEMORY_BLOCK_ID": "block",
        "MEMPOOL_HANDLE": "pool",
        "P2P_TOKENS": "volatile",
        "HOST_POINTER": "volatile",
    }.items()
}
"""Kinds of cuPointerGetAttribute's results, by attribute."""
OPERATIONS: dict[int, tuple[str, ...]] = {
    **dict.fromkeys(mem_ops.WAITS | mem_ops.WRITES, ("", "dptr", "", "")),
    mem_ops.REDUCTION: ("", "", "", "", "dptr", ""),
}
"""Kinds of a memory operation's members, by operation."""
IMPORTED_POOL = ("cuMemPoolImportFromShareableHandle", "handle")
IDENTITIES = frozenset(
    {"uuid", "luid", "luidDeviceNodeMask", "pciBusID", "pciDeviceID", "pciDomainID", "multiGpuBoardGroupID"}
)
"""Members of cudaDeviceProp that differ from card to card."""
REGISTERS = ENUMS["CUfunction_attribute"]["CU_FUNC_ATTRIBUTE_NUM_REGS"]
OF_A_COMPILER = frozenset({"numRegs", "deviceNodeUpdateStatus", "sharedMemoryMode"})
"""Members of cudaFuncAttributes that depend on the driver's compiler."""
PITCHED = ("dptr", "", "", "")
PLACED = ("array", ("", "", ""), PITCHED)
MEMBERS: dict[str, tuple[Any, ...]] = {
    "CUDA_HOST_NODE_PARAMS": ("function", "pinned"),
    "CUDA_GRAPH_INSTANTIATE_PARAMS": ("", "stream", "node", ""),
    "CUDA_BATCH_MEM_OP_NODE_PARAMS": ("ctx", "", "host", ""),
    "CUDA_MEM_ALLOC_NODE_PARAMS": ("", "host", "", "", "dptr"),
    "CUctxCreateParams": ("host", "", "host"),
    "CUDA_KERNEL_NODE_PARAMS": ("kernel", *[""] * 7, "volatile", "volatile", "kernel", "ctx"),
    "CUDA_KERNEL_NODE_PARAMS_v1": ("kernel", *[""] * 7, "volatile", "volatile"),
    "cudaDeviceProp": tuple("volatile" if label in IDENTITIES else "" for label in shown(layout("cudaDeviceProp"))),
    "cudaMemcpy3DParms": (*PLACED, *PLACED, ("", "", ""), ""),
    "cudaMemcpy3DPeerParms": (*PLACED, "", *PLACED, "", ("", "", "")),
    "cudaFuncAttributes": tuple(
        "volatile" if label in OF_A_COMPILER else "" for label in shown(layout("cudaFuncAttributes"))
    ),
    "cudaGraphInstantiateParams": ("", "stream", "node", ""),
    "cudaHostNodeParams": ("function", "pinned"),
    "cudaMemAllocNodeParams": ("", "host", "", "", "dptr"),
    "cudaKernelNodeParams": ("kernel", ("", "", ""), ("", "", ""), "", "volatile", "volatile"),
    "cudaMemsetParams": ("dptr", "", "", "", "", ""),
    "cudaPitchedPtr": PITCHED,
    "cudaTextureDesc": (("", "", ""), "", "", "", ("volatile",) * 4, *[""] * 8),  # nor the border's colour
    "cudaPointerAttributes": ("", "", "dptr", "dptr", "volatile"),  # libcudart 13.0 leaves the last one as it is
}
"""Kinds of members of runtime structs."""
POSIX = ENUMS["CUmemAllocationHandleType"]["CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR"]


@frozen
class Described:
    """Kinds of the parameters in a CUgraphNodeParams.

    Attributes:
        kinds: They.
        told: The kind of what a call makes for the node.
        runtime: Whether it is a cudaGraphNodeParams.
    """

    kinds: tuple[str, ...]
    told: str
    runtime: bool = False


_COPIED = tuple("host" if ctype == "void*" else TYPES.get(ctype, "") for ctype, _ in STRUCTS["CUDA_MEMCPY3D"])
NODES: dict[int, tuple[str, ...]] = {
    node_params.KERNEL: MEMBERS["CUDA_KERNEL_NODE_PARAMS"],
    node_params.MEMCPY: ("", "", "ctx", *_COPIED),
    node_params.MEMSET: ("dptr", *[""] * 5, "ctx"),
    node_params.HOST: ("function", "pinned"),
    node_params.CHILD: ("graph", ""),
    node_params.WAIT_EVENT: ("event",),
    node_params.EVENT_RECORD: ("event",),
    node_params.BATCH_MEM_OP: MEMBERS["CUDA_BATCH_MEM_OP_NODE_PARAMS"],
    node_params.MEM_ALLOC: (*[""] * 8, "host", "", "", "dptr"),
    node_params.MEM_FREE: ("dptr",),
    node_params.CONDITIONAL: ("condition", "", "", "", "ctx"),
}
"""Kinds of node parameters, by node type."""
RUNTIME_NODES: dict[int, tuple[str, ...]] = NODES | {
    node_params.KERNEL: ("kernel", *[""] * 7, "volatile", "volatile", "", ""),
    node_params.MEMCPY: ("", "", "", *(["array", "", "", "", "dptr", "", "", ""] * 2), "", "", "", ""),
    node_params.MEMSET: ("dptr", *[""] * 6),
    node_params.HOST: ("function", "pinned", "", ""),
    node_params.WAIT_EVENT: ("event", ""),
    node_params.EVENT_RECORD: ("event", ""),
    node_params.CONDITIONAL: ("condition", "", "", "", ""),
}
"""Kinds of node parameters in a cudaGraphNodeParams, by node type."""
MADE = {node_params.MEM_ALLOC: "dptr", node_params.CONDITIONAL: "graph"}
"""The kind of a call's result for a node, by node type."""
RESOURCES = {resources.ARRAY: "array", resources.MIPMAPPED: "mipmapped"}
"""By CUresourcetype, the kind of an array."""


def newest(call: str) -> str:
    """Return the name of a call's newest form."""
    row = forms.DESCRIPTION.rows.get(call)
    return call if row is None else str(row["base"])


def kind_of(call: str, param: Param, inputs: Mapping[str, Any]) -> str | tuple[Any, ...] | Described:
    """Return the kind of a parameter: of a name, ``volatile``, or "" for a literal.

    Args:
        call: The call's name.
        param: Its parameter.
        inputs: The call's inputs by name: attributes and handle types decide.
    """
    form, call = call, newest(call)
    other: str | tuple[str, ...] | None = OTHERS.get((form, param.name)) or OTHERS.get((call, param.name))
    if other is not None:
        return other
    if param.kind == "host":
        return "host"
    if param.type in resources.OF:
        return _resource(inputs.get(param.name))
    if param.type == "CUlaunchConfig":
        return _launch(inputs.get(param.name))
    if param.type == "CUcheckpointRestoreArgs":
        return ""
    if param.type in MEMBERS:
        return MEMBERS[param.type]
    if param.type in {"CUgraphNodeParams", "cudaGraphNodeParams"} and isinstance(
        value := inputs.get(param.name), bytes
    ):
        number, _, _ = node_params.unpack(value)
        runtime = param.type == "cudaGraphNodeParams"
        return Described((RUNTIME_NODES if runtime else NODES).get(number, ()), MADE.get(number, ""), runtime)
    if param.name == "value_out" and inputs["attr"] == launch_config.UPDATABLE:
        return "updatable"
    if param.type in {"CUstreamAttrValue", "cudaStreamAttrValue"}:
        return ("dptr", "", "", "", "") if inputs["attr"] == WINDOW else ""
    if param.type == "CUstreamBatchMemOpParams" and isinstance(value := inputs.get(param.name), tuple):
        return tuple(OPERATIONS.get(operation[0], "") for operation in value)
    if param.type == "CUarrayMapInfo" and isinstance(value := inputs.get(param.name), tuple):
        return tuple(("", RESOURCES.get(one[0], "array"), "", "", "", "", "handle", *("",) * 4) for one in value)
    if param.role == "in" and param.array and isinstance(value := inputs.get(param.name), tuple):
        return (_members(param.type) or _scalar(call, param),) * len(value)
    if param.array and param.kind == "integer" and (room := _room(call, param, inputs)) is not None:
        return (_scalar(call, param),) * room
    if param.kind == "struct" and not param.array:
        return _members(param.type)
    if param.name == "pi" and "Device" not in call and inputs["attrib"] == REGISTERS:
        return "volatile"  # a driver's compiler knows what it makes of PTX
    if call == "cuPointerGetAttribute" and param.name == "data":
        return ATTRIBUTES.get(inputs["attribute"], "")
    if call == "cuPointerGetAttributes" and param.name == "data":
        asked = (inputs["attributes"] or ())[: inputs["numAttributes"]]
        return tuple(ATTRIBUTES.get(attribute, "") for attribute in asked)
    if param.name in {"osHandle", "shareableHandle", "handle_out"} or (call, param.name) == IMPORTED_POOL:
        return "fd" if inputs.get("handleType", inputs.get("shHandleType")) == POSIX else "fabric"
    return _scalar(call, param)


def _room(call: str, param: Param, inputs: Mapping[str, Any]) -> int | None:
    """Return the length of a result array with a caller's size; None for others."""
    if not any(one.name == param.count and one.role == "inout" for one in CALLS[call].params):
        return None
    return int(inputs[param.count] or 0)


def _resource(value: Any) -> tuple[Any, ...] | str:
    """Return the kinds of a texture resource's members."""
    if not isinstance(value, tuple):
        return ""
    kind = RESOURCES.get(value[0], "dptr")
    return "", (kind, *("",) * (len(value[1]) - 1)) if value[1] else "", ""


def _launch(value: Any) -> tuple[Any, ...]:
    """Return the kinds of a launch configuration: its stream and events."""
    rows = (value[launch_config.ATTRIBUTES] if isinstance(value, tuple) else None) or ()
    events = dict.fromkeys((launch_config.EVENT, launch_config.COMPLETION), "event")
    kinds = tuple([("", events.get(one, ""), *("",) * (len(rest) - 1)) if rest else "" for one, *rest in rows])
    return (*("",) * launch_config.STREAM, "stream", kinds or "")


def _scalar(call: str, param: Param) -> str:
    """Return the kind of a scalar value."""
    options = {"optionValues", "jitOptionsValues", "libraryOptionValues"}
    if param.type == "void" and (param.name in options or param.role == "string_in"):
        return "image"
    kinds = {RUNTIME: {"integer"}, HIP: {"integer", "any"}}.get(api_of(call), set())
    return "dptr" if param.type == "void" and param.kind in kinds else TYPES.get(param.type, "")


def _members(kind: str) -> tuple[str, ...] | str:
    """Return the kinds of a struct's members; "" without device addresses."""
    kinds = tuple("host" if ctype == "void*" else TYPES.get(ctype, "") for ctype, _ in STRUCTS.get(kind, ()))
    return kinds if "dptr" in kinds else ""


assert all(name in CALLS for name in (*SIZES, *INHERIT)), "a call was renamed"
