"""The functions behind the stubs; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from ctypes import c_float, c_int32, c_uint32, c_uint64, memmove, string_at
from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import DRIVER, FORMS
from fakecuda.spec.node_params import tell
from fakecuda.model.code.image import image_at
from fakecuda.model.memory.space import MEMORY
from fakecuda.model.os.threads import own
from fakecuda.reach.native.callbacks import SUCCESS, door
from fakecuda.reach.native.values import (
    edges_at,
    many,
    nulls,
    numbers_at,
    extents,
    many,
    nulls,
    read_launch_config,
    read_mem_ops,
    read_pool_attribute,
    read_resource,
    read_restore_args,
    read_shareable,
    read_stream_value,
    text_at,
    write_attribute,
    write_attributes,
    write_each,
    write_name,
    write_number_lists,
    write_numbers,
    write_pool_attribute,
    write_resource,
    write_shareable,
    write_stream_value,
)
from fakecuda.rules.dispatch import late

if TYPE_CHECKING:
    from fakecuda.model.os.thread import Thread

anyone, failed, find = door.anyone, door.failed, door.find
threads: dict[int | str, Thread] = {}
"""The threads of the attached machine, by native id."""


put_float, put_int32, put_uint32, put_uint64 = (Struct(code).pack_into for code in "fiIQ")


_CUDA_ARRAY3D_DESCRIPTOR = Struct("<QQQiII4x")


def read_CUDA_ARRAY3D_DESCRIPTOR(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5 = _CUDA_ARRAY3D_DESCRIPTOR.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5)


def write_CUDA_ARRAY3D_DESCRIPTOR(pointer: int, value: Any) -> None:
    _CUDA_ARRAY3D_DESCRIPTOR.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5])


_CUDA_ARRAY3D_DESCRIPTOR_v1 = Struct("<IIIiII")


def read_CUDA_ARRAY3D_DESCRIPTOR_v1(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5 = _CUDA_ARRAY3D_DESCRIPTOR_v1.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5)


def write_CUDA_ARRAY3D_DESCRIPTOR_v1(pointer: int, value: Any) -> None:
    _CUDA_ARRAY3D_DESCRIPTOR_v1.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5])


_CUDA_ARRAY_DESCRIPTOR = Struct("<QQiI")


def read_CUDA_ARRAY_DESCRIPTOR(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3 = _CUDA_ARRAY_DESCRIPTOR.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3)


def write_CUDA_ARRAY_DESCRIPTOR(pointer: int, value: Any) -> None:
    _CUDA_ARRAY_DESCRIPTOR.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3])


_CUDA_ARRAY_DESCRIPTOR_v1 = Struct("<IIiI")


def read_CUDA_ARRAY_DESCRIPTOR_v1(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3 = _CUDA_ARRAY_DESCRIPTOR_v1.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3)


def write_CUDA_ARRAY_DESCRIPTOR_v1(pointer: int, value: Any) -> None:
    _CUDA_ARRAY_DESCRIPTOR_v1.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3])


_CUDA_ARRAY_MEMORY_REQUIREMENTS = Struct("<QQ16x")


def write_CUDA_ARRAY_MEMORY_REQUIREMENTS(pointer: int, value: Any) -> None:
    _CUDA_ARRAY_MEMORY_REQUIREMENTS.pack_into(MEMORY, pointer, value[0], value[1])


_CUDA_ARRAY_SPARSE_PROPERTIES = Struct("<IIIIQI16x4x")


def write_CUDA_ARRAY_SPARSE_PROPERTIES(pointer: int, value: Any) -> None:
    _CUDA_ARRAY_SPARSE_PROPERTIES.pack_into(MEMORY, pointer, value[0][0], value[0][1], value[0][2], value[1], value[2], value[3])


_CUDA_BATCH_MEM_OP_NODE_PARAMS = Struct("<QI4xQI4x")


def read_CUDA_BATCH_MEM_OP_NODE_PARAMS(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3 = _CUDA_BATCH_MEM_OP_NODE_PARAMS.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3)


def write_CUDA_BATCH_MEM_OP_NODE_PARAMS(pointer: int, value: Any) -> None:
    _CUDA_BATCH_MEM_OP_NODE_PARAMS.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3])


_CUDA_GRAPH_INSTANTIATE_PARAMS = Struct("<QQQi4x")


def read_CUDA_GRAPH_INSTANTIATE_PARAMS(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3 = _CUDA_GRAPH_INSTANTIATE_PARAMS.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3)


def write_CUDA_GRAPH_INSTANTIATE_PARAMS(pointer: int, value: Any) -> None:
    _CUDA_GRAPH_INSTANTIATE_PARAMS.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3])


_CUDA_HOST_NODE_PARAMS = Struct("<QQ")


def read_CUDA_HOST_NODE_PARAMS(pointer: int) -> tuple[Any, ...]:
    v0, v1 = _CUDA_HOST_NODE_PARAMS.unpack_from(MEMORY, pointer)
    return (v0, v1)


def write_CUDA_HOST_NODE_PARAMS(pointer: int, value: Any) -> None:
    _CUDA_HOST_NODE_PARAMS.pack_into(MEMORY, pointer, value[0], value[1])


_CUDA_KERNEL_NODE_PARAMS = Struct("<QIIIIIII4xQQQQ")


def read_CUDA_KERNEL_NODE_PARAMS(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11 = _CUDA_KERNEL_NODE_PARAMS.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11)


def write_CUDA_KERNEL_NODE_PARAMS(pointer: int, value: Any) -> None:
    _CUDA_KERNEL_NODE_PARAMS.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8], value[9], value[10], value[11])


_CUDA_KERNEL_NODE_PARAMS_v1 = Struct("<QIIIIIII4xQQ")


def read_CUDA_KERNEL_NODE_PARAMS_v1(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9 = _CUDA_KERNEL_NODE_PARAMS_v1.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9)


def write_CUDA_KERNEL_NODE_PARAMS_v1(pointer: int, value: Any) -> None:
    _CUDA_KERNEL_NODE_PARAMS_v1.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8], value[9])


_CUDA_MEMCPY2D = Struct("<QQi4xQQQQQQi4xQQQQQQ")


def read_CUDA_MEMCPY2D(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15 = _CUDA_MEMCPY2D.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15)


_CUDA_MEMCPY2D_v1 = Struct("<IIi4xQI4xQIIIiQI4xQIII4x")


def read_CUDA_MEMCPY2D_v1(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15 = _CUDA_MEMCPY2D_v1.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15)


_CUDA_MEMCPY3D = Struct("<QQQQi4xQQQQQQQQQQi4xQQQQQQQQQ")


def read_CUDA_MEMCPY3D(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23, v24 = _CUDA_MEMCPY3D.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23, v24)


def write_CUDA_MEMCPY3D(pointer: int, value: Any) -> None:
    _CUDA_MEMCPY3D.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8], value[9], value[10], value[11], value[12], value[13], value[14], value[15], value[16], value[17], value[18], value[19], value[20], value[21], value[22], value[23], value[24])


_CUDA_MEMCPY3D_PEER = Struct("<QQQQi4xQQQQQQQQQQi4xQQQQQQQQQ")


def read_CUDA_MEMCPY3D_PEER(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23, v24 = _CUDA_MEMCPY3D_PEER.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23, v24)


_CUDA_MEMCPY3D_v1 = Struct("<IIIIi4xQI4xQQIIIIIIi4xQI4xQQIIIII4x")


def read_CUDA_MEMCPY3D_v1(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23, v24 = _CUDA_MEMCPY3D_v1.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23, v24)


_CUDA_MEMSET_NODE_PARAMS = Struct("<QQIIQQ")


def read_CUDA_MEMSET_NODE_PARAMS(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5 = _CUDA_MEMSET_NODE_PARAMS.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5)


def write_CUDA_MEMSET_NODE_PARAMS(pointer: int, value: Any) -> None:
    _CUDA_MEMSET_NODE_PARAMS.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5])


_CUDA_MEM_ALLOC_NODE_PARAMS = Struct("<iiiiQQHB53xQQQQ")


def read_CUDA_MEM_ALLOC_NODE_PARAMS(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11 = _CUDA_MEM_ALLOC_NODE_PARAMS.unpack_from(MEMORY, pointer)
    return ((v0, v1, (v2, v3), v4, v5, v6, v7), v8, v9, v10, v11)


def write_CUDA_MEM_ALLOC_NODE_PARAMS(pointer: int, value: Any) -> None:
    _CUDA_MEM_ALLOC_NODE_PARAMS.pack_into(MEMORY, pointer, value[0][0], value[0][1], value[0][2][0], value[0][2][1], value[0][3], value[0][4], value[0][5], value[0][6], value[1], value[2], value[3], value[4])


_CUDA_RESOURCE_VIEW_DESC = Struct("<i4xQQQIIII64x")


def read_CUDA_RESOURCE_VIEW_DESC(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7 = _CUDA_RESOURCE_VIEW_DESC.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5, v6, v7)


def write_CUDA_RESOURCE_VIEW_DESC(pointer: int, value: Any) -> None:
    _CUDA_RESOURCE_VIEW_DESC.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7])


_CUDA_TEXTURE_DESC = Struct("<iiiiIIifffffff48x")


def read_CUDA_TEXTURE_DESC(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13 = _CUDA_TEXTURE_DESC.unpack_from(MEMORY, pointer)
    return ((v0, v1, v2), v3, v4, v5, v6, v7, v8, v9, (v10, v11, v12, v13))


def write_CUDA_TEXTURE_DESC(pointer: int, value: Any) -> None:
    _CUDA_TEXTURE_DESC.pack_into(MEMORY, pointer, value[0][0], value[0][1], value[0][2], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8][0], value[8][1], value[8][2], value[8][3])


_CUarrayMapInfo = Struct("<i4xQi4xQQQQiiQQIIQ")


def read_CUarrayMapInfo(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13 = _CUarrayMapInfo.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, (v3, v4, v5, v6), v7, v8, v9, v10, v11, v12, v13)


_CUcheckpointCheckpointArgs = Struct("<Q56x")


def read_CUcheckpointCheckpointArgs(pointer: int) -> tuple[Any, ...]:
    (v0,) = _CUcheckpointCheckpointArgs.unpack_from(MEMORY, pointer)
    return (v0,)


_CUcheckpointLockArgs = Struct("<IIQQQQQQQ")


def read_CUcheckpointLockArgs(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8 = _CUcheckpointLockArgs.unpack_from(MEMORY, pointer)
    return (v0, v1, (v2, v3, v4, v5, v6, v7, v8))


_CUcheckpointUnlockArgs = Struct("<64x")


def read_CUcheckpointUnlockArgs(pointer: int) -> tuple[Any, ...]:
    () = _CUcheckpointUnlockArgs.unpack_from(MEMORY, pointer)
    return ()


_CUctxCreateParams = Struct("<Qi4xQ")


def read_CUctxCreateParams(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2 = _CUctxCreateParams.unpack_from(MEMORY, pointer)
    return (v0, v1, v2)


_CUdevprop = Struct("<iiiiiiiiiiiiii")


def write_CUdevprop(pointer: int, value: Any) -> None:
    _CUdevprop.pack_into(MEMORY, pointer, value[0], value[1][0], value[1][1], value[1][2], value[2][0], value[2][1], value[2][2], value[3], value[4], value[5], value[6], value[7], value[8], value[9])


_CUexecAffinityParam = Struct("<iI")


def write_CUexecAffinityParam(pointer: int, value: Any) -> None:
    _CUexecAffinityParam.pack_into(MEMORY, pointer, value[0], value[1][0])


_CUgraphEdgeData = Struct("<BBB5x")


def read_CUgraphEdgeData(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2 = _CUgraphEdgeData.unpack_from(MEMORY, pointer)
    return (v0, v1, v2)


def write_CUgraphEdgeData(pointer: int, value: Any) -> None:
    _CUgraphEdgeData.pack_into(MEMORY, pointer, value[0], value[1], value[2])


_CUgraphExecUpdateResultInfo = Struct("<i4xQQ")


def write_CUgraphExecUpdateResultInfo(pointer: int, value: Any) -> None:
    _CUgraphExecUpdateResultInfo.pack_into(MEMORY, pointer, value[0], value[1], value[2])


_CUmemAccessDesc = Struct("<iii")


def read_CUmemAccessDesc(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2 = _CUmemAccessDesc.unpack_from(MEMORY, pointer)
    return ((v0, v1), v2)


_CUmemAllocationProp = Struct("<iiiiQBBH4x")


def read_CUmemAllocationProp(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7 = _CUmemAllocationProp.unpack_from(MEMORY, pointer)
    return (v0, v1, (v2, v3), v4, (v5, v6, v7))


def write_CUmemAllocationProp(pointer: int, value: Any) -> None:
    _CUmemAllocationProp.pack_into(MEMORY, pointer, value[0], value[1], value[2][0], value[2][1], value[3], value[4][0], value[4][1], value[4][2])


_CUmemLocation = Struct("<ii")


def read_CUmemLocation(pointer: int) -> tuple[Any, ...]:
    v0, v1 = _CUmemLocation.unpack_from(MEMORY, pointer)
    return (v0, v1)


_CUmemPoolProps = Struct("<iiiiQQHB53x")


def read_CUmemPoolProps(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7 = _CUmemPoolProps.unpack_from(MEMORY, pointer)
    return (v0, v1, (v2, v3), v4, v5, v6, v7)


_CUmemcpyAttributes = Struct("<iiiiiI")


def read_CUmemcpyAttributes(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5 = _CUmemcpyAttributes.unpack_from(MEMORY, pointer)
    return (v0, (v1, v2), (v3, v4), v5)


_CUmulticastObjectProp = Struct("<I4xQQQ")


def read_CUmulticastObjectProp(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3 = _CUmulticastObjectProp.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3)


_CUtensorMap = Struct("<QQQQQQQQQQQQQQQQ")


def write_CUtensorMap(pointer: int, value: Any) -> None:
    _CUtensorMap.pack_into(MEMORY, pointer, value[0][0], value[0][1], value[0][2], value[0][3], value[0][4], value[0][5], value[0][6], value[0][7], value[0][8], value[0][9], value[0][10], value[0][11], value[0][12], value[0][13], value[0][14], value[0][15])


_cuArray3DCreate = late(globals(), DRIVER.ops, "cuArray3DCreate")
_cuArray3DCreate_nulls = frozenset({"pHandle"})


def cuArray3DCreate(pHandle: int, pAllocateArray: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pHandle:
            call = call.without(_cuArray3DCreate_nulls)
        code, out = _cuArray3DCreate(call, read_CUDA_ARRAY3D_DESCRIPTOR(pAllocateArray) if pAllocateArray else None)
        if code:
            return SUCCESS | code
        if pHandle:
            put_uint64(MEMORY, pHandle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuArray3DCreate", raised)


_cuArray3DGetDescriptor = late(globals(), DRIVER.ops, "cuArray3DGetDescriptor")
_cuArray3DGetDescriptor_nulls = frozenset({"pArrayDescriptor"})


def cuArray3DGetDescriptor(pArrayDescriptor: int, hArray: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pArrayDescriptor:
            call = call.without(_cuArray3DGetDescriptor_nulls)
        code, out = _cuArray3DGetDescriptor(call, hArray)
        if code:
            return SUCCESS | code
        if pArrayDescriptor:
            write_CUDA_ARRAY3D_DESCRIPTOR(pArrayDescriptor, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuArray3DGetDescriptor", raised)


_cuArrayCreate = late(globals(), DRIVER.ops, "cuArrayCreate")
_cuArrayCreate_nulls = frozenset({"pHandle"})


def cuArrayCreate(pHandle: int, pAllocateArray: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pHandle:
            call = call.without(_cuArrayCreate_nulls)
        code, out = _cuArrayCreate(call, read_CUDA_ARRAY_DESCRIPTOR(pAllocateArray) if pAllocateArray else None)
        if code:
            return SUCCESS | code
        if pHandle:
            put_uint64(MEMORY, pHandle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuArrayCreate", raised)


_cuArrayDestroy = late(globals(), DRIVER.ops, "cuArrayDestroy")


def cuArrayDestroy(hArray: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuArrayDestroy(call, hArray)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuArrayDestroy", raised)


_cuArrayGetDescriptor = late(globals(), DRIVER.ops, "cuArrayGetDescriptor")
_cuArrayGetDescriptor_nulls = frozenset({"pArrayDescriptor"})


def cuArrayGetDescriptor(pArrayDescriptor: int, hArray: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pArrayDescriptor:
            call = call.without(_cuArrayGetDescriptor_nulls)
        code, out = _cuArrayGetDescriptor(call, hArray)
        if code:
            return SUCCESS | code
        if pArrayDescriptor:
            write_CUDA_ARRAY_DESCRIPTOR(pArrayDescriptor, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuArrayGetDescriptor", raised)


_cuArrayGetMemoryRequirements = late(globals(), DRIVER.ops, "cuArrayGetMemoryRequirements")
_cuArrayGetMemoryRequirements_nulls = frozenset({"memoryRequirements"})


def cuArrayGetMemoryRequirements(memoryRequirements: int, array: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not memoryRequirements:
            call = call.without(_cuArrayGetMemoryRequirements_nulls)
        code, out = _cuArrayGetMemoryRequirements(call, array, device)
        if code:
            return SUCCESS | code
        if memoryRequirements:
            write_CUDA_ARRAY_MEMORY_REQUIREMENTS(memoryRequirements, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuArrayGetMemoryRequirements", raised)


_cuArrayGetPlane = late(globals(), DRIVER.ops, "cuArrayGetPlane")
_cuArrayGetPlane_nulls = frozenset({"pPlaneArray"})


def cuArrayGetPlane(pPlaneArray: int, hArray: int, planeIdx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pPlaneArray:
            call = call.without(_cuArrayGetPlane_nulls)
        code, out = _cuArrayGetPlane(call, hArray, planeIdx)
        if code:
            return SUCCESS | code
        if pPlaneArray:
            put_uint64(MEMORY, pPlaneArray, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuArrayGetPlane", raised)


_cuArrayGetSparseProperties = late(globals(), DRIVER.ops, "cuArrayGetSparseProperties")
_cuArrayGetSparseProperties_nulls = frozenset({"sparseProperties"})


def cuArrayGetSparseProperties(sparseProperties: int, array: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not sparseProperties:
            call = call.without(_cuArrayGetSparseProperties_nulls)
        code, out = _cuArrayGetSparseProperties(call, array)
        if code:
            return SUCCESS | code
        if sparseProperties:
            write_CUDA_ARRAY_SPARSE_PROPERTIES(sparseProperties, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuArrayGetSparseProperties", raised)


_cuCheckpointProcessCheckpoint = late(globals(), DRIVER.ops, "cuCheckpointProcessCheckpoint")


def cuCheckpointProcessCheckpoint(pid: int, args: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCheckpointProcessCheckpoint(call, pid, read_CUcheckpointCheckpointArgs(args) if args else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCheckpointProcessCheckpoint", raised)


_cuCheckpointProcessGetRestoreThreadId = late(globals(), DRIVER.ops, "cuCheckpointProcessGetRestoreThreadId")
_cuCheckpointProcessGetRestoreThreadId_nulls = frozenset({"tid"})


def cuCheckpointProcessGetRestoreThreadId(pid: int, tid: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not tid:
            call = call.without(_cuCheckpointProcessGetRestoreThreadId_nulls)
        code, out = _cuCheckpointProcessGetRestoreThreadId(call, pid)
        if code:
            return SUCCESS | code
        if tid:
            put_int32(MEMORY, tid, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCheckpointProcessGetRestoreThreadId", raised)


_cuCheckpointProcessGetState = late(globals(), DRIVER.ops, "cuCheckpointProcessGetState")
_cuCheckpointProcessGetState_nulls = frozenset({"state"})


def cuCheckpointProcessGetState(pid: int, state: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not state:
            call = call.without(_cuCheckpointProcessGetState_nulls)
        code, out = _cuCheckpointProcessGetState(call, pid)
        if code:
            return SUCCESS | code
        if state:
            put_int32(MEMORY, state, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCheckpointProcessGetState", raised)


_cuCheckpointProcessLock = late(globals(), DRIVER.ops, "cuCheckpointProcessLock")


def cuCheckpointProcessLock(pid: int, args: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCheckpointProcessLock(call, pid, read_CUcheckpointLockArgs(args) if args else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCheckpointProcessLock", raised)


_cuCheckpointProcessRestore = late(globals(), DRIVER.ops, "cuCheckpointProcessRestore")


def cuCheckpointProcessRestore(pid: int, args: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCheckpointProcessRestore(call, pid, read_restore_args(args) if args else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCheckpointProcessRestore", raised)


_cuCheckpointProcessUnlock = late(globals(), DRIVER.ops, "cuCheckpointProcessUnlock")


def cuCheckpointProcessUnlock(pid: int, args: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCheckpointProcessUnlock(call, pid, read_CUcheckpointUnlockArgs(args) if args else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCheckpointProcessUnlock", raised)


_cuCtxAttach = late(globals(), DRIVER.ops, "cuCtxAttach")
_cuCtxAttach_nulls = frozenset({"pctx"})


def cuCtxAttach(pctx: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pctx:
            call = call.without(_cuCtxAttach_nulls)
        code, out = _cuCtxAttach(call, flags)
        if code:
            return SUCCESS | code
        if pctx:
            put_uint64(MEMORY, pctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxAttach", raised)


_cuCtxCreate = late(globals(), DRIVER.ops, "cuCtxCreate")
_cuCtxCreate_nulls = frozenset({"pctx"})


def cuCtxCreate(pctx: int, ctxCreateParams: int, flags: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pctx:
            call = call.without(_cuCtxCreate_nulls)
        code, out = _cuCtxCreate(call, read_CUctxCreateParams(ctxCreateParams) if ctxCreateParams else None, flags, dev)
        if code:
            return SUCCESS | code
        if pctx:
            put_uint64(MEMORY, pctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxCreate", raised)


_cuCtxDestroy = late(globals(), DRIVER.ops, "cuCtxDestroy")


def cuCtxDestroy(ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxDestroy(call, ctx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxDestroy", raised)


_cuCtxDetach = late(globals(), DRIVER.ops, "cuCtxDetach")


def cuCtxDetach(ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxDetach(call, ctx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxDetach", raised)


_cuCtxDisablePeerAccess = late(globals(), DRIVER.ops, "cuCtxDisablePeerAccess")


def cuCtxDisablePeerAccess(peerContext: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxDisablePeerAccess(call, peerContext)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxDisablePeerAccess", raised)


_cuCtxEnablePeerAccess = late(globals(), DRIVER.ops, "cuCtxEnablePeerAccess")


def cuCtxEnablePeerAccess(peerContext: int, Flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxEnablePeerAccess(call, peerContext, Flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxEnablePeerAccess", raised)


_cuCtxGetApiVersion = late(globals(), DRIVER.ops, "cuCtxGetApiVersion")
_cuCtxGetApiVersion_nulls = frozenset({"version"})


def cuCtxGetApiVersion(ctx: int, version: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not version:
            call = call.without(_cuCtxGetApiVersion_nulls)
        code, out = _cuCtxGetApiVersion(call, ctx)
        if code:
            return SUCCESS | code
        if version:
            put_uint32(MEMORY, version, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxGetApiVersion", raised)


_cuCtxGetCacheConfig = late(globals(), DRIVER.ops, "cuCtxGetCacheConfig")
_cuCtxGetCacheConfig_nulls = frozenset({"pconfig"})


def cuCtxGetCacheConfig(pconfig: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pconfig:
            call = call.without(_cuCtxGetCacheConfig_nulls)
        code, out = _cuCtxGetCacheConfig(call)
        if code:
            return SUCCESS | code
        if pconfig:
            put_int32(MEMORY, pconfig, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxGetCacheConfig", raised)


_cuCtxGetCurrent = late(globals(), DRIVER.ops, "cuCtxGetCurrent")
_cuCtxGetCurrent_nulls = frozenset({"pctx"})


def cuCtxGetCurrent(pctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pctx:
            call = call.without(_cuCtxGetCurrent_nulls)
        code, out = _cuCtxGetCurrent(call)
        if code:
            return SUCCESS | code
        if pctx:
            put_uint64(MEMORY, pctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxGetCurrent", raised)


_cuCtxGetDevice = late(globals(), DRIVER.ops, "cuCtxGetDevice")
_cuCtxGetDevice_nulls = frozenset({"device"})


def cuCtxGetDevice(device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not device:
            call = call.without(_cuCtxGetDevice_nulls)
        code, out = _cuCtxGetDevice(call)
        if code:
            return SUCCESS | code
        if device:
            put_int32(MEMORY, device, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxGetDevice", raised)


_cuCtxGetDevice_v2 = late(globals(), DRIVER.ops, "cuCtxGetDevice_v2")
_cuCtxGetDevice_v2_nulls = frozenset({"device"})


def cuCtxGetDevice_v2(device: int, ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not device:
            call = call.without(_cuCtxGetDevice_v2_nulls)
        code, out = _cuCtxGetDevice_v2(call, ctx)
        if code:
            return SUCCESS | code
        if device:
            put_int32(MEMORY, device, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxGetDevice_v2", raised)


_cuCtxGetExecAffinity = late(globals(), DRIVER.ops, "cuCtxGetExecAffinity")
_cuCtxGetExecAffinity_nulls = frozenset({"pExecAffinity"})


def cuCtxGetExecAffinity(pExecAffinity: int, type_: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pExecAffinity:
            call = call.without(_cuCtxGetExecAffinity_nulls)
        code, out = _cuCtxGetExecAffinity(call, type_)
        if code:
            return SUCCESS | code
        if pExecAffinity:
            write_CUexecAffinityParam(pExecAffinity, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxGetExecAffinity", raised)


_cuCtxGetFlags = late(globals(), DRIVER.ops, "cuCtxGetFlags")
_cuCtxGetFlags_nulls = frozenset({"flags"})


def cuCtxGetFlags(flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not flags:
            call = call.without(_cuCtxGetFlags_nulls)
        code, out = _cuCtxGetFlags(call)
        if code:
            return SUCCESS | code
        if flags:
            put_uint32(MEMORY, flags, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxGetFlags", raised)


_cuCtxGetId = late(globals(), DRIVER.ops, "cuCtxGetId")
_cuCtxGetId_nulls = frozenset({"ctxId"})


def cuCtxGetId(ctx: int, ctxId: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ctxId:
            call = call.without(_cuCtxGetId_nulls)
        code, out = _cuCtxGetId(call, ctx)
        if code:
            return SUCCESS | code
        if ctxId:
            put_uint64(MEMORY, ctxId, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxGetId", raised)


_cuCtxGetLimit = late(globals(), DRIVER.ops, "cuCtxGetLimit")
_cuCtxGetLimit_nulls = frozenset({"pvalue"})


def cuCtxGetLimit(pvalue: int, limit: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pvalue:
            call = call.without(_cuCtxGetLimit_nulls)
        code, out = _cuCtxGetLimit(call, limit)
        if code:
            return SUCCESS | code
        if pvalue:
            put_uint64(MEMORY, pvalue, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxGetLimit", raised)


_cuCtxGetSharedMemConfig = late(globals(), DRIVER.ops, "cuCtxGetSharedMemConfig")
_cuCtxGetSharedMemConfig_nulls = frozenset({"pConfig"})


def cuCtxGetSharedMemConfig(pConfig: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pConfig:
            call = call.without(_cuCtxGetSharedMemConfig_nulls)
        code, out = _cuCtxGetSharedMemConfig(call)
        if code:
            return SUCCESS | code
        if pConfig:
            put_int32(MEMORY, pConfig, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxGetSharedMemConfig", raised)


_cuCtxGetStreamPriorityRange = late(globals(), DRIVER.ops, "cuCtxGetStreamPriorityRange")


def cuCtxGetStreamPriorityRange(leastPriority: int, greatestPriority: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (leastPriority and greatestPriority):
            call = call.without(nulls(leastPriority=leastPriority, greatestPriority=greatestPriority))
        code, out = _cuCtxGetStreamPriorityRange(call)
        if code:
            return SUCCESS | code
        if leastPriority:
            put_int32(MEMORY, leastPriority, out[0])
        if greatestPriority:
            put_int32(MEMORY, greatestPriority, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxGetStreamPriorityRange", raised)


_cuCtxPopCurrent = late(globals(), DRIVER.ops, "cuCtxPopCurrent")
_cuCtxPopCurrent_nulls = frozenset({"pctx"})


def cuCtxPopCurrent(pctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pctx:
            call = call.without(_cuCtxPopCurrent_nulls)
        code, out = _cuCtxPopCurrent(call)
        if code:
            return SUCCESS | code
        if pctx:
            put_uint64(MEMORY, pctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxPopCurrent", raised)


_cuCtxPushCurrent = late(globals(), DRIVER.ops, "cuCtxPushCurrent")


def cuCtxPushCurrent(ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxPushCurrent(call, ctx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxPushCurrent", raised)


_cuCtxRecordEvent = late(globals(), DRIVER.ops, "cuCtxRecordEvent")


def cuCtxRecordEvent(hCtx: int, hEvent: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxRecordEvent(call, hCtx, hEvent)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxRecordEvent", raised)


_cuCtxResetPersistingL2Cache = late(globals(), DRIVER.ops, "cuCtxResetPersistingL2Cache")


def cuCtxResetPersistingL2Cache() -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxResetPersistingL2Cache(call)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxResetPersistingL2Cache", raised)


_cuCtxSetCacheConfig = late(globals(), DRIVER.ops, "cuCtxSetCacheConfig")


def cuCtxSetCacheConfig(config: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxSetCacheConfig(call, config)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxSetCacheConfig", raised)


_cuCtxSetCurrent = late(globals(), DRIVER.ops, "cuCtxSetCurrent")


def cuCtxSetCurrent(ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxSetCurrent(call, ctx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxSetCurrent", raised)


_cuCtxSetFlags = late(globals(), DRIVER.ops, "cuCtxSetFlags")


def cuCtxSetFlags(flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxSetFlags(call, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxSetFlags", raised)


_cuCtxSetLimit = late(globals(), DRIVER.ops, "cuCtxSetLimit")


def cuCtxSetLimit(limit: int, value: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxSetLimit(call, limit, value)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxSetLimit", raised)


_cuCtxSetSharedMemConfig = late(globals(), DRIVER.ops, "cuCtxSetSharedMemConfig")


def cuCtxSetSharedMemConfig(config: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxSetSharedMemConfig(call, config)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxSetSharedMemConfig", raised)


_cuCtxSynchronize = late(globals(), DRIVER.ops, "cuCtxSynchronize")


def cuCtxSynchronize() -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxSynchronize(call)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxSynchronize", raised)


_cuCtxSynchronize_v2 = late(globals(), DRIVER.ops, "cuCtxSynchronize_v2")


def cuCtxSynchronize_v2(ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxSynchronize_v2(call, ctx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxSynchronize_v2", raised)


_cuCtxWaitEvent = late(globals(), DRIVER.ops, "cuCtxWaitEvent")


def cuCtxWaitEvent(hCtx: int, hEvent: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxWaitEvent(call, hCtx, hEvent)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxWaitEvent", raised)


_cuDeviceCanAccessPeer = late(globals(), DRIVER.ops, "cuDeviceCanAccessPeer")
_cuDeviceCanAccessPeer_nulls = frozenset({"canAccessPeer"})


def cuDeviceCanAccessPeer(canAccessPeer: int, dev: int, peerDev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not canAccessPeer:
            call = call.without(_cuDeviceCanAccessPeer_nulls)
        code, out = _cuDeviceCanAccessPeer(call, dev, peerDev)
        if code:
            return SUCCESS | code
        if canAccessPeer:
            put_int32(MEMORY, canAccessPeer, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceCanAccessPeer", raised)


_cuDeviceComputeCapability = late(globals(), DRIVER.ops, "cuDeviceComputeCapability")


def cuDeviceComputeCapability(major: int, minor: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (major and minor):
            call = call.without(nulls(major=major, minor=minor))
        code, out = _cuDeviceComputeCapability(call, dev)
        if code:
            return SUCCESS | code
        if major:
            put_int32(MEMORY, major, out[0])
        if minor:
            put_int32(MEMORY, minor, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceComputeCapability", raised)


_cuDeviceGet = late(globals(), DRIVER.ops, "cuDeviceGet")
_cuDeviceGet_nulls = frozenset({"device"})


def cuDeviceGet(device: int, ordinal: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not device:
            call = call.without(_cuDeviceGet_nulls)
        code, out = _cuDeviceGet(call, ordinal)
        if code:
            return SUCCESS | code
        if device:
            put_int32(MEMORY, device, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGet", raised)


_cuDeviceGetAttribute = late(globals(), DRIVER.ops, "cuDeviceGetAttribute")
_cuDeviceGetAttribute_nulls = frozenset({"pi"})


def cuDeviceGetAttribute(pi: int, attrib: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pi:
            call = call.without(_cuDeviceGetAttribute_nulls)
        code, out = _cuDeviceGetAttribute(call, attrib, dev)
        if code:
            return SUCCESS | code
        if pi:
            put_int32(MEMORY, pi, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetAttribute", raised)


_cuDeviceGetByPCIBusId = late(globals(), DRIVER.ops, "cuDeviceGetByPCIBusId")
_cuDeviceGetByPCIBusId_nulls = frozenset({"dev"})


def cuDeviceGetByPCIBusId(dev: int, pciBusId: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not dev:
            call = call.without(_cuDeviceGetByPCIBusId_nulls)
        code, out = _cuDeviceGetByPCIBusId(call, string_at(pciBusId) if pciBusId else None)
        if code:
            return SUCCESS | code
        if dev:
            put_int32(MEMORY, dev, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetByPCIBusId", raised)


_cuDeviceGetCount = late(globals(), DRIVER.ops, "cuDeviceGetCount")
_cuDeviceGetCount_nulls = frozenset({"count"})


def cuDeviceGetCount(count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not count:
            call = call.without(_cuDeviceGetCount_nulls)
        code, out = _cuDeviceGetCount(call)
        if code:
            return SUCCESS | code
        if count:
            put_int32(MEMORY, count, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetCount", raised)


_cuDeviceGetDefaultMemPool = late(globals(), DRIVER.ops, "cuDeviceGetDefaultMemPool")
_cuDeviceGetDefaultMemPool_nulls = frozenset({"pool_out"})


def cuDeviceGetDefaultMemPool(pool_out: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pool_out:
            call = call.without(_cuDeviceGetDefaultMemPool_nulls)
        code, out = _cuDeviceGetDefaultMemPool(call, dev)
        if code:
            return SUCCESS | code
        if pool_out:
            put_uint64(MEMORY, pool_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetDefaultMemPool", raised)


_cuDeviceGetExecAffinitySupport = late(globals(), DRIVER.ops, "cuDeviceGetExecAffinitySupport")
_cuDeviceGetExecAffinitySupport_nulls = frozenset({"pi"})


def cuDeviceGetExecAffinitySupport(pi: int, type_: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pi:
            call = call.without(_cuDeviceGetExecAffinitySupport_nulls)
        code, out = _cuDeviceGetExecAffinitySupport(call, type_, dev)
        if code:
            return SUCCESS | code
        if pi:
            put_int32(MEMORY, pi, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetExecAffinitySupport", raised)


_cuDeviceGetGraphMemAttribute = late(globals(), DRIVER.ops, "cuDeviceGetGraphMemAttribute")
_cuDeviceGetGraphMemAttribute_nulls = frozenset({"value"})


def cuDeviceGetGraphMemAttribute(device: int, attr: int, value: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not value:
            call = call.without(_cuDeviceGetGraphMemAttribute_nulls)
        code, out = _cuDeviceGetGraphMemAttribute(call, device, attr)
        if code:
            return SUCCESS | code
        if value:
            put_uint64(MEMORY, value, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetGraphMemAttribute", raised)


_cuDeviceGetHostAtomicCapabilities = late(globals(), DRIVER.ops, "cuDeviceGetHostAtomicCapabilities")
_cuDeviceGetHostAtomicCapabilities_nulls = frozenset({"capabilities"})


def cuDeviceGetHostAtomicCapabilities(capabilities: int, operations: int, count: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not capabilities:
            call = call.without(_cuDeviceGetHostAtomicCapabilities_nulls)
        code, out = _cuDeviceGetHostAtomicCapabilities(call, tuple((c_int32 * many(operations, 4, count)).from_address(operations)) if operations else None, count, dev)
        if code:
            return SUCCESS | code
        if capabilities:
            (c_uint32 * len(out)).from_address(capabilities)[:] = out
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetHostAtomicCapabilities", raised)


_cuDeviceGetLuid = late(globals(), DRIVER.ops, "cuDeviceGetLuid")


def cuDeviceGetLuid(luid: int, deviceNodeMask: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (luid and deviceNodeMask):
            call = call.without(nulls(luid=luid, deviceNodeMask=deviceNodeMask))
        code, out = _cuDeviceGetLuid(call, dev)
        if code:
            return SUCCESS | code
        if luid:
            memmove(luid, out[0], len(out[0]))
        if deviceNodeMask:
            put_uint32(MEMORY, deviceNodeMask, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetLuid", raised)


_cuDeviceGetMemPool = late(globals(), DRIVER.ops, "cuDeviceGetMemPool")
_cuDeviceGetMemPool_nulls = frozenset({"pool"})


def cuDeviceGetMemPool(pool: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pool:
            call = call.without(_cuDeviceGetMemPool_nulls)
        code, out = _cuDeviceGetMemPool(call, dev)
        if code:
            return SUCCESS | code
        if pool:
            put_uint64(MEMORY, pool, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetMemPool", raised)


_cuDeviceGetName = late(globals(), DRIVER.ops, "cuDeviceGetName")
_cuDeviceGetName_nulls = frozenset({"name"})


def cuDeviceGetName(name: int, len_: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not name:
            call = call.without(_cuDeviceGetName_nulls)
        code, out = _cuDeviceGetName(call, len_, dev)
        if code:
            return SUCCESS | code
        if name:
            write_name(name, out, len_)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetName", raised)


_cuDeviceGetP2PAtomicCapabilities = late(globals(), DRIVER.ops, "cuDeviceGetP2PAtomicCapabilities")
_cuDeviceGetP2PAtomicCapabilities_nulls = frozenset({"capabilities"})


def cuDeviceGetP2PAtomicCapabilities(capabilities: int, operations: int, count: int, srcDevice: int, dstDevice: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not capabilities:
            call = call.without(_cuDeviceGetP2PAtomicCapabilities_nulls)
        code, out = _cuDeviceGetP2PAtomicCapabilities(call, tuple((c_int32 * many(operations, 4, count)).from_address(operations)) if operations else None, count, srcDevice, dstDevice)
        if code:
            return SUCCESS | code
        if capabilities:
            (c_uint32 * len(out)).from_address(capabilities)[:] = out
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetP2PAtomicCapabilities", raised)


_cuDeviceGetP2PAttribute = late(globals(), DRIVER.ops, "cuDeviceGetP2PAttribute")
_cuDeviceGetP2PAttribute_nulls = frozenset({"value"})


def cuDeviceGetP2PAttribute(value: int, attrib: int, srcDevice: int, dstDevice: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not value:
            call = call.without(_cuDeviceGetP2PAttribute_nulls)
        code, out = _cuDeviceGetP2PAttribute(call, attrib, srcDevice, dstDevice)
        if code:
            return SUCCESS | code
        if value:
            put_int32(MEMORY, value, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetP2PAttribute", raised)


_cuDeviceGetPCIBusId = late(globals(), DRIVER.ops, "cuDeviceGetPCIBusId")
_cuDeviceGetPCIBusId_nulls = frozenset({"pciBusId"})


def cuDeviceGetPCIBusId(pciBusId: int, len_: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pciBusId:
            call = call.without(_cuDeviceGetPCIBusId_nulls)
        code, out = _cuDeviceGetPCIBusId(call, len_, dev)
        if code:
            return SUCCESS | code
        if pciBusId:
            memmove(pciBusId, out + b"\0", len(out) + 1)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetPCIBusId", raised)


_cuDeviceGetProperties = late(globals(), DRIVER.ops, "cuDeviceGetProperties")
_cuDeviceGetProperties_nulls = frozenset({"prop"})


def cuDeviceGetProperties(prop: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not prop:
            call = call.without(_cuDeviceGetProperties_nulls)
        code, out = _cuDeviceGetProperties(call, dev)
        if code:
            return SUCCESS | code
        if prop:
            write_CUdevprop(prop, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetProperties", raised)


_cuDeviceGetTexture1DLinearMaxWidth = late(globals(), DRIVER.ops, "cuDeviceGetTexture1DLinearMaxWidth")
_cuDeviceGetTexture1DLinearMaxWidth_nulls = frozenset({"maxWidthInElements"})


def cuDeviceGetTexture1DLinearMaxWidth(maxWidthInElements: int, format_: int, numChannels: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not maxWidthInElements:
            call = call.without(_cuDeviceGetTexture1DLinearMaxWidth_nulls)
        code, out = _cuDeviceGetTexture1DLinearMaxWidth(call, format_, numChannels, dev)
        if code:
            return SUCCESS | code
        if maxWidthInElements:
            put_uint64(MEMORY, maxWidthInElements, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetTexture1DLinearMaxWidth", raised)


_cuDeviceGetUuid = late(globals(), DRIVER.ops, "cuDeviceGetUuid")
_cuDeviceGetUuid_nulls = frozenset({"uuid"})


def cuDeviceGetUuid(uuid: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not uuid:
            call = call.without(_cuDeviceGetUuid_nulls)
        code, out = _cuDeviceGetUuid(call, dev)
        if code:
            return SUCCESS | code
        if uuid:
            memmove(uuid, out, len(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetUuid", raised)


_cuDeviceGraphMemTrim = late(globals(), DRIVER.ops, "cuDeviceGraphMemTrim")


def cuDeviceGraphMemTrim(device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuDeviceGraphMemTrim(call, device)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGraphMemTrim", raised)


_cuDevicePrimaryCtxGetState = late(globals(), DRIVER.ops, "cuDevicePrimaryCtxGetState")


def cuDevicePrimaryCtxGetState(dev: int, flags: int, active: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (flags and active):
            call = call.without(nulls(flags=flags, active=active))
        code, out = _cuDevicePrimaryCtxGetState(call, dev)
        if code:
            return SUCCESS | code
        if flags:
            put_uint32(MEMORY, flags, out[0])
        if active:
            put_int32(MEMORY, active, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDevicePrimaryCtxGetState", raised)


_cuDevicePrimaryCtxRelease = late(globals(), DRIVER.ops, "cuDevicePrimaryCtxRelease")


def cuDevicePrimaryCtxRelease(dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuDevicePrimaryCtxRelease(call, dev)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDevicePrimaryCtxRelease", raised)


_cuDevicePrimaryCtxReset = late(globals(), DRIVER.ops, "cuDevicePrimaryCtxReset")


def cuDevicePrimaryCtxReset(dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuDevicePrimaryCtxReset(call, dev)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDevicePrimaryCtxReset", raised)


_cuDevicePrimaryCtxRetain = late(globals(), DRIVER.ops, "cuDevicePrimaryCtxRetain")
_cuDevicePrimaryCtxRetain_nulls = frozenset({"pctx"})


def cuDevicePrimaryCtxRetain(pctx: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pctx:
            call = call.without(_cuDevicePrimaryCtxRetain_nulls)
        code, out = _cuDevicePrimaryCtxRetain(call, dev)
        if code:
            return SUCCESS | code
        if pctx:
            put_uint64(MEMORY, pctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDevicePrimaryCtxRetain", raised)


_cuDevicePrimaryCtxSetFlags = late(globals(), DRIVER.ops, "cuDevicePrimaryCtxSetFlags")


def cuDevicePrimaryCtxSetFlags(dev: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuDevicePrimaryCtxSetFlags(call, dev, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDevicePrimaryCtxSetFlags", raised)


_cuDeviceSetGraphMemAttribute = late(globals(), DRIVER.ops, "cuDeviceSetGraphMemAttribute")


def cuDeviceSetGraphMemAttribute(device: int, attr: int, value: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuDeviceSetGraphMemAttribute(call, device, attr, c_uint64.from_address(value).value if value else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceSetGraphMemAttribute", raised)


_cuDeviceSetMemPool = late(globals(), DRIVER.ops, "cuDeviceSetMemPool")


def cuDeviceSetMemPool(dev: int, pool: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuDeviceSetMemPool(call, dev, pool)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceSetMemPool", raised)


_cuDeviceTotalMem = late(globals(), DRIVER.ops, "cuDeviceTotalMem")
_cuDeviceTotalMem_nulls = frozenset({"bytes"})


def cuDeviceTotalMem(bytes_: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not bytes_:
            call = call.without(_cuDeviceTotalMem_nulls)
        code, out = _cuDeviceTotalMem(call, dev)
        if code:
            return SUCCESS | code
        if bytes_:
            put_uint64(MEMORY, bytes_, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceTotalMem", raised)


_cuDriverGetVersion = late(globals(), DRIVER.ops, "cuDriverGetVersion")
_cuDriverGetVersion_nulls = frozenset({"driverVersion"})


def cuDriverGetVersion(driverVersion: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not driverVersion:
            call = call.without(_cuDriverGetVersion_nulls)
        code, out = _cuDriverGetVersion(call)
        if code:
            return SUCCESS | code
        if driverVersion:
            put_int32(MEMORY, driverVersion, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDriverGetVersion", raised)


_cuEventCreate = late(globals(), DRIVER.ops, "cuEventCreate")
_cuEventCreate_nulls = frozenset({"phEvent"})


def cuEventCreate(phEvent: int, Flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phEvent:
            call = call.without(_cuEventCreate_nulls)
        code, out = _cuEventCreate(call, Flags)
        if code:
            return SUCCESS | code
        if phEvent:
            put_uint64(MEMORY, phEvent, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuEventCreate", raised)


_cuEventDestroy = late(globals(), DRIVER.ops, "cuEventDestroy")


def cuEventDestroy(hEvent: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuEventDestroy(call, hEvent)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuEventDestroy", raised)


_cuEventElapsedTime = late(globals(), DRIVER.ops, "cuEventElapsedTime")
_cuEventElapsedTime_nulls = frozenset({"pMilliseconds"})


def cuEventElapsedTime(pMilliseconds: int, hStart: int, hEnd: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pMilliseconds:
            call = call.without(_cuEventElapsedTime_nulls)
        code, out = _cuEventElapsedTime(call, hStart, hEnd)
        if code:
            return SUCCESS | code
        if pMilliseconds:
            put_float(MEMORY, pMilliseconds, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuEventElapsedTime", raised)


_cuEventQuery = late(globals(), DRIVER.ops, "cuEventQuery")


def cuEventQuery(hEvent: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuEventQuery(call, hEvent)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuEventQuery", raised)


_cuEventRecord = late(globals(), DRIVER.ops, "cuEventRecord")


def cuEventRecord(hEvent: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuEventRecord(call, hEvent, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuEventRecord", raised)


_cuEventRecordWithFlags = late(globals(), DRIVER.ops, "cuEventRecordWithFlags")


def cuEventRecordWithFlags(hEvent: int, hStream: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuEventRecordWithFlags(call, hEvent, hStream, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuEventRecordWithFlags", raised)


_cuEventSynchronize = late(globals(), DRIVER.ops, "cuEventSynchronize")


def cuEventSynchronize(hEvent: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuEventSynchronize(call, hEvent)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuEventSynchronize", raised)


_cuFlushGPUDirectRDMAWrites = late(globals(), DRIVER.ops, "cuFlushGPUDirectRDMAWrites")


def cuFlushGPUDirectRDMAWrites(target: int, scope: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuFlushGPUDirectRDMAWrites(call, target, scope)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuFlushGPUDirectRDMAWrites", raised)


_cuFuncGetAttribute = late(globals(), DRIVER.ops, "cuFuncGetAttribute")
_cuFuncGetAttribute_nulls = frozenset({"pi"})


def cuFuncGetAttribute(pi: int, attrib: int, hfunc: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pi:
            call = call.without(_cuFuncGetAttribute_nulls)
        code, out = _cuFuncGetAttribute(call, attrib, hfunc)
        if code:
            return SUCCESS | code
        if pi:
            put_int32(MEMORY, pi, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuFuncGetAttribute", raised)


_cuFuncGetModule = late(globals(), DRIVER.ops, "cuFuncGetModule")
_cuFuncGetModule_nulls = frozenset({"hmod"})


def cuFuncGetModule(hmod: int, hfunc: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not hmod:
            call = call.without(_cuFuncGetModule_nulls)
        code, out = _cuFuncGetModule(call, hfunc)
        if code:
            return SUCCESS | code
        if hmod:
            put_uint64(MEMORY, hmod, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuFuncGetModule", raised)


_cuFuncGetName = late(globals(), DRIVER.ops, "cuFuncGetName")
_cuFuncGetName_nulls = frozenset({"name"})


def cuFuncGetName(name: int, hfunc: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not name:
            call = call.without(_cuFuncGetName_nulls)
        code, out = _cuFuncGetName(call, hfunc)
        if code:
            return SUCCESS | code
        if name:
            put_uint64(MEMORY, name, text_at(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuFuncGetName", raised)


_cuFuncGetParamInfo = late(globals(), DRIVER.ops, "cuFuncGetParamInfo")


def cuFuncGetParamInfo(func: int, paramIndex: int, paramOffset: int, paramSize: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (paramOffset and paramSize):
            call = call.without(nulls(paramOffset=paramOffset, paramSize=paramSize))
        code, out = _cuFuncGetParamInfo(call, func, paramIndex)
        if code:
            return SUCCESS | code
        if paramOffset:
            put_uint64(MEMORY, paramOffset, out[0])
        if paramSize:
            put_uint64(MEMORY, paramSize, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuFuncGetParamInfo", raised)


_cuFuncIsLoaded = late(globals(), DRIVER.ops, "cuFuncIsLoaded")
_cuFuncIsLoaded_nulls = frozenset({"state"})


def cuFuncIsLoaded(state: int, function: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not state:
            call = call.without(_cuFuncIsLoaded_nulls)
        code, out = _cuFuncIsLoaded(call, function)
        if code:
            return SUCCESS | code
        if state:
            put_int32(MEMORY, state, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuFuncIsLoaded", raised)


_cuFuncLoad = late(globals(), DRIVER.ops, "cuFuncLoad")


def cuFuncLoad(function: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuFuncLoad(call, function)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuFuncLoad", raised)


_cuFuncSetAttribute = late(globals(), DRIVER.ops, "cuFuncSetAttribute")


def cuFuncSetAttribute(hfunc: int, attrib: int, value: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuFuncSetAttribute(call, hfunc, attrib, value)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuFuncSetAttribute", raised)


_cuFuncSetCacheConfig = late(globals(), DRIVER.ops, "cuFuncSetCacheConfig")


def cuFuncSetCacheConfig(hfunc: int, config: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuFuncSetCacheConfig(call, hfunc, config)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuFuncSetCacheConfig", raised)


_cuFuncSetSharedMemConfig = late(globals(), DRIVER.ops, "cuFuncSetSharedMemConfig")


def cuFuncSetSharedMemConfig(hfunc: int, config: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuFuncSetSharedMemConfig(call, hfunc, config)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuFuncSetSharedMemConfig", raised)


_cuGetErrorName = late(globals(), DRIVER.ops, "cuGetErrorName")
_cuGetErrorName_nulls = frozenset({"pStr"})


def cuGetErrorName(error_: int, pStr: int) -> int:
    try:
        thread = threads.get(own.number) or anyone()
        call = thread.native
        if not pStr:
            call = call.without(_cuGetErrorName_nulls)
        code, out = _cuGetErrorName(call, error_)
        if code:
            return SUCCESS | code
        if pStr:
            put_uint64(MEMORY, pStr, text_at(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGetErrorName", raised)


_cuGetErrorString = late(globals(), DRIVER.ops, "cuGetErrorString")
_cuGetErrorString_nulls = frozenset({"pStr"})


def cuGetErrorString(error_: int, pStr: int) -> int:
    try:
        thread = threads.get(own.number) or anyone()
        call = thread.native
        if not pStr:
            call = call.without(_cuGetErrorString_nulls)
        code, out = _cuGetErrorString(call, error_)
        if code:
            return SUCCESS | code
        if pStr:
            put_uint64(MEMORY, pStr, text_at(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGetErrorString", raised)


_cuGetProcAddress = late(globals(), DRIVER.ops, "cuGetProcAddress")


def cuGetProcAddress(symbol: int, pfn: int, cudaVersion: int, flags: int, symbolStatus: int) -> int:
    try:
        thread = threads.get(own.number) or anyone()
        call = thread.native
        if not (pfn and symbolStatus):
            call = call.without(nulls(pfn=pfn, symbolStatus=symbolStatus))
        code, out = _cuGetProcAddress(call, string_at(symbol) if symbol else None, cudaVersion, flags)
        if code:
            return SUCCESS | code
        if pfn:
            put_uint64(MEMORY, pfn, out[0])
        if symbolStatus:
            put_int32(MEMORY, symbolStatus, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGetProcAddress", raised)


_cuGraphAddBatchMemOpNode = late(globals(), DRIVER.ops, "cuGraphAddBatchMemOpNode")
_cuGraphAddBatchMemOpNode_nulls = frozenset({"phGraphNode"})


def cuGraphAddBatchMemOpNode(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphNode:
            call = call.without(_cuGraphAddBatchMemOpNode_nulls)
        code, out = _cuGraphAddBatchMemOpNode(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, read_CUDA_BATCH_MEM_OP_NODE_PARAMS(nodeParams) if nodeParams else None)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddBatchMemOpNode", raised)


_cuGraphAddChildGraphNode = late(globals(), DRIVER.ops, "cuGraphAddChildGraphNode")
_cuGraphAddChildGraphNode_nulls = frozenset({"phGraphNode"})


def cuGraphAddChildGraphNode(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int, childGraph: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphNode:
            call = call.without(_cuGraphAddChildGraphNode_nulls)
        code, out = _cuGraphAddChildGraphNode(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, childGraph)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddChildGraphNode", raised)


_cuGraphAddDependencies = late(globals(), DRIVER.ops, "cuGraphAddDependencies")


def cuGraphAddDependencies(hGraph: int, from_: int, to: int, edgeData: int, numDependencies: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphAddDependencies(call, hGraph, tuple((c_uint64 * many(from_, 8, numDependencies)).from_address(from_)) if from_ else None, tuple((c_uint64 * many(to, 8, numDependencies)).from_address(to)) if to else None, tuple(read_CUgraphEdgeData(edgeData + 8 * n) for n in range(many(edgeData, 8, numDependencies))) if edgeData else None, numDependencies)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddDependencies", raised)


_cuGraphAddEmptyNode = late(globals(), DRIVER.ops, "cuGraphAddEmptyNode")
_cuGraphAddEmptyNode_nulls = frozenset({"phGraphNode"})


def cuGraphAddEmptyNode(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphNode:
            call = call.without(_cuGraphAddEmptyNode_nulls)
        code, out = _cuGraphAddEmptyNode(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddEmptyNode", raised)


_cuGraphAddEventRecordNode = late(globals(), DRIVER.ops, "cuGraphAddEventRecordNode")
_cuGraphAddEventRecordNode_nulls = frozenset({"phGraphNode"})


def cuGraphAddEventRecordNode(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int, event: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphNode:
            call = call.without(_cuGraphAddEventRecordNode_nulls)
        code, out = _cuGraphAddEventRecordNode(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, event)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddEventRecordNode", raised)


_cuGraphAddEventWaitNode = late(globals(), DRIVER.ops, "cuGraphAddEventWaitNode")
_cuGraphAddEventWaitNode_nulls = frozenset({"phGraphNode"})


def cuGraphAddEventWaitNode(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int, event: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphNode:
            call = call.without(_cuGraphAddEventWaitNode_nulls)
        code, out = _cuGraphAddEventWaitNode(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, event)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddEventWaitNode", raised)


_cuGraphAddHostNode = late(globals(), DRIVER.ops, "cuGraphAddHostNode")
_cuGraphAddHostNode_nulls = frozenset({"phGraphNode"})


def cuGraphAddHostNode(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphNode:
            call = call.without(_cuGraphAddHostNode_nulls)
        code, out = _cuGraphAddHostNode(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, read_CUDA_HOST_NODE_PARAMS(nodeParams) if nodeParams else None)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddHostNode", raised)


_cuGraphAddKernelNode = late(globals(), DRIVER.ops, "cuGraphAddKernelNode")
_cuGraphAddKernelNode_nulls = frozenset({"phGraphNode"})


def cuGraphAddKernelNode(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphNode:
            call = call.without(_cuGraphAddKernelNode_nulls)
        code, out = _cuGraphAddKernelNode(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, read_CUDA_KERNEL_NODE_PARAMS(nodeParams) if nodeParams else None)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddKernelNode", raised)


_cuGraphAddMemAllocNode = late(globals(), DRIVER.ops, "cuGraphAddMemAllocNode")


def cuGraphAddMemAllocNode(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (phGraphNode and nodeParams):
            call = call.without(nulls(phGraphNode=phGraphNode, nodeParams=nodeParams))
        code, out = _cuGraphAddMemAllocNode(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, read_CUDA_MEM_ALLOC_NODE_PARAMS(nodeParams) if nodeParams else None)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out[0])
        if nodeParams:
            write_CUDA_MEM_ALLOC_NODE_PARAMS(nodeParams, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddMemAllocNode", raised)


_cuGraphAddMemFreeNode = late(globals(), DRIVER.ops, "cuGraphAddMemFreeNode")
_cuGraphAddMemFreeNode_nulls = frozenset({"phGraphNode"})


def cuGraphAddMemFreeNode(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int, dptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphNode:
            call = call.without(_cuGraphAddMemFreeNode_nulls)
        code, out = _cuGraphAddMemFreeNode(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, dptr)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddMemFreeNode", raised)


_cuGraphAddMemcpyNode = late(globals(), DRIVER.ops, "cuGraphAddMemcpyNode")
_cuGraphAddMemcpyNode_nulls = frozenset({"phGraphNode"})


def cuGraphAddMemcpyNode(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int, copyParams: int, ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphNode:
            call = call.without(_cuGraphAddMemcpyNode_nulls)
        code, out = _cuGraphAddMemcpyNode(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, read_CUDA_MEMCPY3D(copyParams) if copyParams else None, ctx)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddMemcpyNode", raised)


_cuGraphAddMemsetNode = late(globals(), DRIVER.ops, "cuGraphAddMemsetNode")
_cuGraphAddMemsetNode_nulls = frozenset({"phGraphNode"})


def cuGraphAddMemsetNode(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int, memsetParams: int, ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphNode:
            call = call.without(_cuGraphAddMemsetNode_nulls)
        code, out = _cuGraphAddMemsetNode(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, read_CUDA_MEMSET_NODE_PARAMS(memsetParams) if memsetParams else None, ctx)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddMemsetNode", raised)


_cuGraphAddNode = late(globals(), DRIVER.ops, "cuGraphAddNode")


def cuGraphAddNode(phGraphNode: int, hGraph: int, dependencies: int, dependencyData: int, numDependencies: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (phGraphNode and nodeParams):
            call = call.without(nulls(phGraphNode=phGraphNode, nodeParams=nodeParams))
        code, out = _cuGraphAddNode(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, tuple(read_CUgraphEdgeData(dependencyData + 8 * n) for n in range(many(dependencyData, 8, numDependencies))) if dependencyData else None, numDependencies, string_at(nodeParams, 256) if nodeParams else None)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out[0])
        if nodeParams:
            tell(MEMORY, nodeParams, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddNode", raised)


_cuGraphBatchMemOpNodeGetParams = late(globals(), DRIVER.ops, "cuGraphBatchMemOpNodeGetParams")
_cuGraphBatchMemOpNodeGetParams_nulls = frozenset({"nodeParams_out"})


def cuGraphBatchMemOpNodeGetParams(hNode: int, nodeParams_out: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not nodeParams_out:
            call = call.without(_cuGraphBatchMemOpNodeGetParams_nulls)
        code, out = _cuGraphBatchMemOpNodeGetParams(call, hNode)
        if code:
            return SUCCESS | code
        if nodeParams_out:
            write_CUDA_BATCH_MEM_OP_NODE_PARAMS(nodeParams_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphBatchMemOpNodeGetParams", raised)


_cuGraphBatchMemOpNodeSetParams = late(globals(), DRIVER.ops, "cuGraphBatchMemOpNodeSetParams")


def cuGraphBatchMemOpNodeSetParams(hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphBatchMemOpNodeSetParams(call, hNode, read_CUDA_BATCH_MEM_OP_NODE_PARAMS(nodeParams) if nodeParams else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphBatchMemOpNodeSetParams", raised)


_cuGraphChildGraphNodeGetGraph = late(globals(), DRIVER.ops, "cuGraphChildGraphNodeGetGraph")
_cuGraphChildGraphNodeGetGraph_nulls = frozenset({"phGraph"})


def cuGraphChildGraphNodeGetGraph(hNode: int, phGraph: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraph:
            call = call.without(_cuGraphChildGraphNodeGetGraph_nulls)
        code, out = _cuGraphChildGraphNodeGetGraph(call, hNode)
        if code:
            return SUCCESS | code
        if phGraph:
            put_uint64(MEMORY, phGraph, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphChildGraphNodeGetGraph", raised)


_cuGraphClone = late(globals(), DRIVER.ops, "cuGraphClone")
_cuGraphClone_nulls = frozenset({"phGraphClone"})


def cuGraphClone(phGraphClone: int, originalGraph: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphClone:
            call = call.without(_cuGraphClone_nulls)
        code, out = _cuGraphClone(call, originalGraph)
        if code:
            return SUCCESS | code
        if phGraphClone:
            put_uint64(MEMORY, phGraphClone, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphClone", raised)


_cuGraphConditionalHandleCreate = late(globals(), DRIVER.ops, "cuGraphConditionalHandleCreate")
_cuGraphConditionalHandleCreate_nulls = frozenset({"pHandle_out"})


def cuGraphConditionalHandleCreate(pHandle_out: int, hGraph: int, ctx: int, defaultLaunchValue: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pHandle_out:
            call = call.without(_cuGraphConditionalHandleCreate_nulls)
        code, out = _cuGraphConditionalHandleCreate(call, hGraph, ctx, defaultLaunchValue, flags)
        if code:
            return SUCCESS | code
        if pHandle_out:
            put_uint64(MEMORY, pHandle_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphConditionalHandleCreate", raised)


_cuGraphCreate = late(globals(), DRIVER.ops, "cuGraphCreate")
_cuGraphCreate_nulls = frozenset({"phGraph"})


def cuGraphCreate(phGraph: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraph:
            call = call.without(_cuGraphCreate_nulls)
        code, out = _cuGraphCreate(call, flags)
        if code:
            return SUCCESS | code
        if phGraph:
            put_uint64(MEMORY, phGraph, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphCreate", raised)


_cuGraphDebugDotPrint = late(globals(), DRIVER.ops, "cuGraphDebugDotPrint")


def cuGraphDebugDotPrint(hGraph: int, path: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphDebugDotPrint(call, hGraph, string_at(path) if path else None, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphDebugDotPrint", raised)


_cuGraphDestroy = late(globals(), DRIVER.ops, "cuGraphDestroy")


def cuGraphDestroy(hGraph: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphDestroy(call, hGraph)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphDestroy", raised)


_cuGraphDestroyNode = late(globals(), DRIVER.ops, "cuGraphDestroyNode")


def cuGraphDestroyNode(hNode: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphDestroyNode(call, hNode)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphDestroyNode", raised)


_cuGraphEventRecordNodeGetEvent = late(globals(), DRIVER.ops, "cuGraphEventRecordNodeGetEvent")
_cuGraphEventRecordNodeGetEvent_nulls = frozenset({"event_out"})


def cuGraphEventRecordNodeGetEvent(hNode: int, event_out: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not event_out:
            call = call.without(_cuGraphEventRecordNodeGetEvent_nulls)
        code, out = _cuGraphEventRecordNodeGetEvent(call, hNode)
        if code:
            return SUCCESS | code
        if event_out:
            put_uint64(MEMORY, event_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphEventRecordNodeGetEvent", raised)


_cuGraphEventRecordNodeSetEvent = late(globals(), DRIVER.ops, "cuGraphEventRecordNodeSetEvent")


def cuGraphEventRecordNodeSetEvent(hNode: int, event: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphEventRecordNodeSetEvent(call, hNode, event)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphEventRecordNodeSetEvent", raised)


_cuGraphEventWaitNodeGetEvent = late(globals(), DRIVER.ops, "cuGraphEventWaitNodeGetEvent")
_cuGraphEventWaitNodeGetEvent_nulls = frozenset({"event_out"})


def cuGraphEventWaitNodeGetEvent(hNode: int, event_out: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not event_out:
            call = call.without(_cuGraphEventWaitNodeGetEvent_nulls)
        code, out = _cuGraphEventWaitNodeGetEvent(call, hNode)
        if code:
            return SUCCESS | code
        if event_out:
            put_uint64(MEMORY, event_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphEventWaitNodeGetEvent", raised)


_cuGraphEventWaitNodeSetEvent = late(globals(), DRIVER.ops, "cuGraphEventWaitNodeSetEvent")


def cuGraphEventWaitNodeSetEvent(hNode: int, event: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphEventWaitNodeSetEvent(call, hNode, event)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphEventWaitNodeSetEvent", raised)


_cuGraphExecBatchMemOpNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecBatchMemOpNodeSetParams")


def cuGraphExecBatchMemOpNodeSetParams(hGraphExec: int, hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphExecBatchMemOpNodeSetParams(call, hGraphExec, hNode, read_CUDA_BATCH_MEM_OP_NODE_PARAMS(nodeParams) if nodeParams else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecBatchMemOpNodeSetParams", raised)


_cuGraphExecChildGraphNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecChildGraphNodeSetParams")


def cuGraphExecChildGraphNodeSetParams(hGraphExec: int, hNode: int, childGraph: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphExecChildGraphNodeSetParams(call, hGraphExec, hNode, childGraph)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecChildGraphNodeSetParams", raised)


_cuGraphExecDestroy = late(globals(), DRIVER.ops, "cuGraphExecDestroy")


def cuGraphExecDestroy(hGraphExec: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphExecDestroy(call, hGraphExec)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecDestroy", raised)


_cuGraphExecEventRecordNodeSetEvent = late(globals(), DRIVER.ops, "cuGraphExecEventRecordNodeSetEvent")


def cuGraphExecEventRecordNodeSetEvent(hGraphExec: int, hNode: int, event: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphExecEventRecordNodeSetEvent(call, hGraphExec, hNode, event)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecEventRecordNodeSetEvent", raised)


_cuGraphExecEventWaitNodeSetEvent = late(globals(), DRIVER.ops, "cuGraphExecEventWaitNodeSetEvent")


def cuGraphExecEventWaitNodeSetEvent(hGraphExec: int, hNode: int, event: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphExecEventWaitNodeSetEvent(call, hGraphExec, hNode, event)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecEventWaitNodeSetEvent", raised)


_cuGraphExecGetFlags = late(globals(), DRIVER.ops, "cuGraphExecGetFlags")
_cuGraphExecGetFlags_nulls = frozenset({"flags"})


def cuGraphExecGetFlags(hGraphExec: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not flags:
            call = call.without(_cuGraphExecGetFlags_nulls)
        code, out = _cuGraphExecGetFlags(call, hGraphExec)
        if code:
            return SUCCESS | code
        if flags:
            put_uint64(MEMORY, flags, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecGetFlags", raised)


_cuGraphExecHostNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecHostNodeSetParams")


def cuGraphExecHostNodeSetParams(hGraphExec: int, hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphExecHostNodeSetParams(call, hGraphExec, hNode, read_CUDA_HOST_NODE_PARAMS(nodeParams) if nodeParams else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecHostNodeSetParams", raised)


_cuGraphExecKernelNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecKernelNodeSetParams")


def cuGraphExecKernelNodeSetParams(hGraphExec: int, hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphExecKernelNodeSetParams(call, hGraphExec, hNode, read_CUDA_KERNEL_NODE_PARAMS(nodeParams) if nodeParams else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecKernelNodeSetParams", raised)


_cuGraphExecMemcpyNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecMemcpyNodeSetParams")


def cuGraphExecMemcpyNodeSetParams(hGraphExec: int, hNode: int, copyParams: int, ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphExecMemcpyNodeSetParams(call, hGraphExec, hNode, read_CUDA_MEMCPY3D(copyParams) if copyParams else None, ctx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecMemcpyNodeSetParams", raised)


_cuGraphExecMemsetNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecMemsetNodeSetParams")


def cuGraphExecMemsetNodeSetParams(hGraphExec: int, hNode: int, memsetParams: int, ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphExecMemsetNodeSetParams(call, hGraphExec, hNode, read_CUDA_MEMSET_NODE_PARAMS(memsetParams) if memsetParams else None, ctx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecMemsetNodeSetParams", raised)


_cuGraphExecNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecNodeSetParams")


def cuGraphExecNodeSetParams(hGraphExec: int, hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphExecNodeSetParams(call, hGraphExec, hNode, string_at(nodeParams, 256) if nodeParams else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecNodeSetParams", raised)


_cuGraphExecUpdate = late(globals(), DRIVER.ops, "cuGraphExecUpdate")
_cuGraphExecUpdate_nulls = frozenset({"resultInfo"})


def cuGraphExecUpdate(hGraphExec: int, hGraph: int, resultInfo: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not resultInfo:
            call = call.without(_cuGraphExecUpdate_nulls)
        code, out = _cuGraphExecUpdate(call, hGraphExec, hGraph)
        if out is None:
            return SUCCESS | code
        if resultInfo:
            write_CUgraphExecUpdateResultInfo(resultInfo, out)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecUpdate", raised)


_cuGraphGetEdges = late(globals(), DRIVER.ops, "cuGraphGetEdges")


def cuGraphGetEdges(hGraph: int, from_: int, to: int, edgeData: int, numEdges: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (from_ and to and edgeData and numEdges):
            call = call.without(nulls(from_=from_, to=to, edgeData=edgeData, numEdges=numEdges))
        code, out = _cuGraphGetEdges(call, hGraph, c_uint64.from_address(numEdges).value if numEdges else None)
        if code:
            return SUCCESS | code
        if from_:
            (c_uint64 * many(from_, 8, len(out[0]))).from_address(from_)[:] = out[0]
        if to:
            (c_uint64 * many(to, 8, len(out[1]))).from_address(to)[:] = out[1]
        if edgeData:
            write_each(write_CUgraphEdgeData, edgeData, 8, out[2])
        if numEdges:
            put_uint64(MEMORY, numEdges, out[3])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphGetEdges", raised)


_cuGraphGetNodes = late(globals(), DRIVER.ops, "cuGraphGetNodes")


def cuGraphGetNodes(hGraph: int, nodes: int, numNodes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (nodes and numNodes):
            call = call.without(nulls(nodes=nodes, numNodes=numNodes))
        code, out = _cuGraphGetNodes(call, hGraph, c_uint64.from_address(numNodes).value if numNodes else None)
        if code:
            return SUCCESS | code
        if nodes:
            (c_uint64 * many(nodes, 8, len(out[0]))).from_address(nodes)[:] = out[0]
        if numNodes:
            put_uint64(MEMORY, numNodes, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphGetNodes", raised)


_cuGraphGetRootNodes = late(globals(), DRIVER.ops, "cuGraphGetRootNodes")


def cuGraphGetRootNodes(hGraph: int, rootNodes: int, numRootNodes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (rootNodes and numRootNodes):
            call = call.without(nulls(rootNodes=rootNodes, numRootNodes=numRootNodes))
        code, out = _cuGraphGetRootNodes(call, hGraph, c_uint64.from_address(numRootNodes).value if numRootNodes else None)
        if code:
            return SUCCESS | code
        if rootNodes:
            (c_uint64 * many(rootNodes, 8, len(out[0]))).from_address(rootNodes)[:] = out[0]
        if numRootNodes:
            put_uint64(MEMORY, numRootNodes, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphGetRootNodes", raised)


_cuGraphHostNodeGetParams = late(globals(), DRIVER.ops, "cuGraphHostNodeGetParams")
_cuGraphHostNodeGetParams_nulls = frozenset({"nodeParams"})


def cuGraphHostNodeGetParams(hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not nodeParams:
            call = call.without(_cuGraphHostNodeGetParams_nulls)
        code, out = _cuGraphHostNodeGetParams(call, hNode)
        if code:
            return SUCCESS | code
        if nodeParams:
            write_CUDA_HOST_NODE_PARAMS(nodeParams, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphHostNodeGetParams", raised)


_cuGraphHostNodeSetParams = late(globals(), DRIVER.ops, "cuGraphHostNodeSetParams")


def cuGraphHostNodeSetParams(hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphHostNodeSetParams(call, hNode, read_CUDA_HOST_NODE_PARAMS(nodeParams) if nodeParams else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphHostNodeSetParams", raised)


_cuGraphInstantiate = late(globals(), DRIVER.ops, "cuGraphInstantiate")
_cuGraphInstantiate_nulls = frozenset({"phGraphExec"})


def cuGraphInstantiate(phGraphExec: int, hGraph: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphExec:
            call = call.without(_cuGraphInstantiate_nulls)
        code, out = _cuGraphInstantiate(call, hGraph, flags)
        if code:
            return SUCCESS | code
        if phGraphExec:
            put_uint64(MEMORY, phGraphExec, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphInstantiate", raised)


_cuGraphInstantiateWithParams = late(globals(), DRIVER.ops, "cuGraphInstantiateWithParams")


def cuGraphInstantiateWithParams(phGraphExec: int, hGraph: int, instantiateParams: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not (phGraphExec and instantiateParams):
            call = call.without(nulls(phGraphExec=phGraphExec, instantiateParams=instantiateParams))
        code, out = _cuGraphInstantiateWithParams(call, hGraph, read_CUDA_GRAPH_INSTANTIATE_PARAMS(instantiateParams) if instantiateParams else None)
        if out is None:
            return SUCCESS | code
        if phGraphExec and out[0] is not None:
            put_uint64(MEMORY, phGraphExec, out[0])
        if instantiateParams and out[1] is not None:
            write_CUDA_GRAPH_INSTANTIATE_PARAMS(instantiateParams, out[1])
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphInstantiateWithParams", raised)


_cuGraphKernelNodeCopyAttributes = late(globals(), DRIVER.ops, "cuGraphKernelNodeCopyAttributes")


def cuGraphKernelNodeCopyAttributes(dst: int, src: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphKernelNodeCopyAttributes(call, dst, src)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphKernelNodeCopyAttributes", raised)


_cuGraphKernelNodeGetAttribute = late(globals(), DRIVER.ops, "cuGraphKernelNodeGetAttribute")
_cuGraphKernelNodeGetAttribute_nulls = frozenset({"value_out"})


def cuGraphKernelNodeGetAttribute(hNode: int, attr: int, value_out: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not value_out:
            call = call.without(_cuGraphKernelNodeGetAttribute_nulls)
        code, out = _cuGraphKernelNodeGetAttribute(call, hNode, attr)
        if code:
            return SUCCESS | code
        if value_out:
            memmove(value_out, out, len(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphKernelNodeGetAttribute", raised)


_cuGraphKernelNodeGetParams = late(globals(), DRIVER.ops, "cuGraphKernelNodeGetParams")
_cuGraphKernelNodeGetParams_nulls = frozenset({"nodeParams"})


def cuGraphKernelNodeGetParams(hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not nodeParams:
            call = call.without(_cuGraphKernelNodeGetParams_nulls)
        code, out = _cuGraphKernelNodeGetParams(call, hNode)
        if code:
            return SUCCESS | code
        if nodeParams:
            write_CUDA_KERNEL_NODE_PARAMS(nodeParams, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphKernelNodeGetParams", raised)


_cuGraphKernelNodeSetAttribute = late(globals(), DRIVER.ops, "cuGraphKernelNodeSetAttribute")


def cuGraphKernelNodeSetAttribute(hNode: int, attr: int, value: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphKernelNodeSetAttribute(call, hNode, attr, string_at(value, 64) if value else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphKernelNodeSetAttribute", raised)


_cuGraphKernelNodeSetParams = late(globals(), DRIVER.ops, "cuGraphKernelNodeSetParams")


def cuGraphKernelNodeSetParams(hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphKernelNodeSetParams(call, hNode, read_CUDA_KERNEL_NODE_PARAMS(nodeParams) if nodeParams else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphKernelNodeSetParams", raised)


_cuGraphLaunch = late(globals(), DRIVER.ops, "cuGraphLaunch")


def cuGraphLaunch(hGraphExec: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuGraphLaunch(call, hGraphExec, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphLaunch", raised)


_cuGraphMemAllocNodeGetParams = late(globals(), DRIVER.ops, "cuGraphMemAllocNodeGetParams")
_cuGraphMemAllocNodeGetParams_nulls = frozenset({"params_out"})


def cuGraphMemAllocNodeGetParams(hNode: int, params_out: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not params_out:
            call = call.without(_cuGraphMemAllocNodeGetParams_nulls)
        code, out = _cuGraphMemAllocNodeGetParams(call, hNode)
        if code:
            return SUCCESS | code
        if params_out:
            write_CUDA_MEM_ALLOC_NODE_PARAMS(params_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphMemAllocNodeGetParams", raised)


_cuGraphMemFreeNodeGetParams = late(globals(), DRIVER.ops, "cuGraphMemFreeNodeGetParams")
_cuGraphMemFreeNodeGetParams_nulls = frozenset({"dptr_out"})


def cuGraphMemFreeNodeGetParams(hNode: int, dptr_out: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not dptr_out:
            call = call.without(_cuGraphMemFreeNodeGetParams_nulls)
        code, out = _cuGraphMemFreeNodeGetParams(call, hNode)
        if code:
            return SUCCESS | code
        if dptr_out:
            put_uint64(MEMORY, dptr_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphMemFreeNodeGetParams", raised)


_cuGraphMemcpyNodeGetParams = late(globals(), DRIVER.ops, "cuGraphMemcpyNodeGetParams")
_cuGraphMemcpyNodeGetParams_nulls = frozenset({"nodeParams"})


def cuGraphMemcpyNodeGetParams(hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not nodeParams:
            call = call.without(_cuGraphMemcpyNodeGetParams_nulls)
        code, out = _cuGraphMemcpyNodeGetParams(call, hNode)
        if code:
            return SUCCESS | code
        if nodeParams:
            write_CUDA_MEMCPY3D(nodeParams, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphMemcpyNodeGetParams", raised)


_cuGraphMemcpyNodeSetParams = late(globals(), DRIVER.ops, "cuGraphMemcpyNodeSetParams")


def cuGraphMemcpyNodeSetParams(hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphMemcpyNodeSetParams(call, hNode, read_CUDA_MEMCPY3D(nodeParams) if nodeParams else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphMemcpyNodeSetParams", raised)


_cuGraphMemsetNodeGetParams = late(globals(), DRIVER.ops, "cuGraphMemsetNodeGetParams")
_cuGraphMemsetNodeGetParams_nulls = frozenset({"nodeParams"})


def cuGraphMemsetNodeGetParams(hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not nodeParams:
            call = call.without(_cuGraphMemsetNodeGetParams_nulls)
        code, out = _cuGraphMemsetNodeGetParams(call, hNode)
        if code:
            return SUCCESS | code
        if nodeParams:
            write_CUDA_MEMSET_NODE_PARAMS(nodeParams, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphMemsetNodeGetParams", raised)


_cuGraphMemsetNodeSetParams = late(globals(), DRIVER.ops, "cuGraphMemsetNodeSetParams")


def cuGraphMemsetNodeSetParams(hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphMemsetNodeSetParams(call, hNode, read_CUDA_MEMSET_NODE_PARAMS(nodeParams) if nodeParams else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphMemsetNodeSetParams", raised)


_cuGraphNodeFindInClone = late(globals(), DRIVER.ops, "cuGraphNodeFindInClone")
_cuGraphNodeFindInClone_nulls = frozenset({"phNode"})


def cuGraphNodeFindInClone(phNode: int, hOriginalNode: int, hClonedGraph: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phNode:
            call = call.without(_cuGraphNodeFindInClone_nulls)
        code, out = _cuGraphNodeFindInClone(call, hOriginalNode, hClonedGraph)
        if code:
            return SUCCESS | code
        if phNode:
            put_uint64(MEMORY, phNode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphNodeFindInClone", raised)


_cuGraphNodeGetDependencies = late(globals(), DRIVER.ops, "cuGraphNodeGetDependencies")


def cuGraphNodeGetDependencies(hNode: int, dependencies: int, edgeData: int, numDependencies: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (dependencies and edgeData and numDependencies):
            call = call.without(nulls(dependencies=dependencies, edgeData=edgeData, numDependencies=numDependencies))
        code, out = _cuGraphNodeGetDependencies(call, hNode, c_uint64.from_address(numDependencies).value if numDependencies else None)
        if code:
            return SUCCESS | code
        if dependencies:
            (c_uint64 * many(dependencies, 8, len(out[0]))).from_address(dependencies)[:] = out[0]
        if edgeData:
            write_each(write_CUgraphEdgeData, edgeData, 8, out[1])
        if numDependencies:
            put_uint64(MEMORY, numDependencies, out[2])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphNodeGetDependencies", raised)


_cuGraphNodeGetDependentNodes = late(globals(), DRIVER.ops, "cuGraphNodeGetDependentNodes")


def cuGraphNodeGetDependentNodes(hNode: int, dependentNodes: int, edgeData: int, numDependentNodes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (dependentNodes and edgeData and numDependentNodes):
            call = call.without(nulls(dependentNodes=dependentNodes, edgeData=edgeData, numDependentNodes=numDependentNodes))
        code, out = _cuGraphNodeGetDependentNodes(call, hNode, c_uint64.from_address(numDependentNodes).value if numDependentNodes else None)
        if code:
            return SUCCESS | code
        if dependentNodes:
            (c_uint64 * many(dependentNodes, 8, len(out[0]))).from_address(dependentNodes)[:] = out[0]
        if edgeData:
            write_each(write_CUgraphEdgeData, edgeData, 8, out[1])
        if numDependentNodes:
            put_uint64(MEMORY, numDependentNodes, out[2])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphNodeGetDependentNodes", raised)


_cuGraphNodeGetEnabled = late(globals(), DRIVER.ops, "cuGraphNodeGetEnabled")
_cuGraphNodeGetEnabled_nulls = frozenset({"isEnabled"})


def cuGraphNodeGetEnabled(hGraphExec: int, hNode: int, isEnabled: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not isEnabled:
            call = call.without(_cuGraphNodeGetEnabled_nulls)
        code, out = _cuGraphNodeGetEnabled(call, hGraphExec, hNode)
        if code:
            return SUCCESS | code
        if isEnabled:
            put_uint32(MEMORY, isEnabled, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphNodeGetEnabled", raised)


_cuGraphNodeGetType = late(globals(), DRIVER.ops, "cuGraphNodeGetType")
_cuGraphNodeGetType_nulls = frozenset({"type"})


def cuGraphNodeGetType(hNode: int, type_: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not type_:
            call = call.without(_cuGraphNodeGetType_nulls)
        code, out = _cuGraphNodeGetType(call, hNode)
        if code:
            return SUCCESS | code
        if type_:
            put_int32(MEMORY, type_, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphNodeGetType", raised)


_cuGraphNodeSetEnabled = late(globals(), DRIVER.ops, "cuGraphNodeSetEnabled")


def cuGraphNodeSetEnabled(hGraphExec: int, hNode: int, isEnabled: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphNodeSetEnabled(call, hGraphExec, hNode, isEnabled)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphNodeSetEnabled", raised)


_cuGraphNodeSetParams = late(globals(), DRIVER.ops, "cuGraphNodeSetParams")


def cuGraphNodeSetParams(hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphNodeSetParams(call, hNode, string_at(nodeParams, 256) if nodeParams else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphNodeSetParams", raised)


_cuGraphReleaseUserObject = late(globals(), DRIVER.ops, "cuGraphReleaseUserObject")


def cuGraphReleaseUserObject(graph: int, object_: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphReleaseUserObject(call, graph, object_, count)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphReleaseUserObject", raised)


_cuGraphRemoveDependencies = late(globals(), DRIVER.ops, "cuGraphRemoveDependencies")


def cuGraphRemoveDependencies(hGraph: int, from_: int, to: int, edgeData: int, numDependencies: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphRemoveDependencies(call, hGraph, tuple((c_uint64 * many(from_, 8, numDependencies)).from_address(from_)) if from_ else None, tuple((c_uint64 * many(to, 8, numDependencies)).from_address(to)) if to else None, tuple(read_CUgraphEdgeData(edgeData + 8 * n) for n in range(many(edgeData, 8, numDependencies))) if edgeData else None, numDependencies)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphRemoveDependencies", raised)


_cuGraphRetainUserObject = late(globals(), DRIVER.ops, "cuGraphRetainUserObject")


def cuGraphRetainUserObject(graph: int, object_: int, count: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphRetainUserObject(call, graph, object_, count, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphRetainUserObject", raised)


_cuGraphUpload = late(globals(), DRIVER.ops, "cuGraphUpload")


def cuGraphUpload(hGraphExec: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuGraphUpload(call, hGraphExec, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphUpload", raised)


_cuInit = late(globals(), DRIVER.ops, "cuInit")


def cuInit(Flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuInit(call, Flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuInit", raised)


_cuIpcCloseMemHandle = late(globals(), DRIVER.ops, "cuIpcCloseMemHandle")


def cuIpcCloseMemHandle(dptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuIpcCloseMemHandle(call, dptr)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuIpcCloseMemHandle", raised)


_cuIpcGetEventHandle = late(globals(), DRIVER.ops, "cuIpcGetEventHandle")
_cuIpcGetEventHandle_nulls = frozenset({"pHandle"})


def cuIpcGetEventHandle(pHandle: int, event: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pHandle:
            call = call.without(_cuIpcGetEventHandle_nulls)
        code, out = _cuIpcGetEventHandle(call, event)
        if code:
            return SUCCESS | code
        if pHandle:
            memmove(pHandle, out, len(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuIpcGetEventHandle", raised)


_cuIpcGetMemHandle = late(globals(), DRIVER.ops, "cuIpcGetMemHandle")
_cuIpcGetMemHandle_nulls = frozenset({"pHandle"})


def cuIpcGetMemHandle(pHandle: int, dptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pHandle:
            call = call.without(_cuIpcGetMemHandle_nulls)
        code, out = _cuIpcGetMemHandle(call, dptr)
        if code:
            return SUCCESS | code
        if pHandle:
            memmove(pHandle, out, len(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuIpcGetMemHandle", raised)


_cuIpcOpenEventHandle = late(globals(), DRIVER.ops, "cuIpcOpenEventHandle")
_cuIpcOpenEventHandle_nulls = frozenset({"phEvent"})


def cuIpcOpenEventHandle(phEvent: int, handle: Any) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phEvent:
            call = call.without(_cuIpcOpenEventHandle_nulls)
        code, out = _cuIpcOpenEventHandle(call, bytes(handle))
        if code:
            return SUCCESS | code
        if phEvent:
            put_uint64(MEMORY, phEvent, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuIpcOpenEventHandle", raised)


_cuIpcOpenMemHandle = late(globals(), DRIVER.ops, "cuIpcOpenMemHandle")
_cuIpcOpenMemHandle_nulls = frozenset({"pdptr"})


def cuIpcOpenMemHandle(pdptr: int, handle: Any, Flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pdptr:
            call = call.without(_cuIpcOpenMemHandle_nulls)
        code, out = _cuIpcOpenMemHandle(call, bytes(handle), Flags)
        if code:
            return SUCCESS | code
        if pdptr:
            put_uint64(MEMORY, pdptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuIpcOpenMemHandle", raised)


_cuKernelGetAttribute = late(globals(), DRIVER.ops, "cuKernelGetAttribute")
_cuKernelGetAttribute_nulls = frozenset({"pi"})


def cuKernelGetAttribute(pi: int, attrib: int, kernel: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pi:
            call = call.without(_cuKernelGetAttribute_nulls)
        code, out = _cuKernelGetAttribute(call, attrib, kernel, dev)
        if code:
            return SUCCESS | code
        if pi:
            put_int32(MEMORY, pi, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuKernelGetAttribute", raised)


_cuKernelGetFunction = late(globals(), DRIVER.ops, "cuKernelGetFunction")
_cuKernelGetFunction_nulls = frozenset({"pFunc"})


def cuKernelGetFunction(pFunc: int, kernel: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pFunc:
            call = call.without(_cuKernelGetFunction_nulls)
        code, out = _cuKernelGetFunction(call, kernel)
        if code:
            return SUCCESS | code
        if pFunc:
            put_uint64(MEMORY, pFunc, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuKernelGetFunction", raised)


_cuKernelGetLibrary = late(globals(), DRIVER.ops, "cuKernelGetLibrary")
_cuKernelGetLibrary_nulls = frozenset({"pLib"})


def cuKernelGetLibrary(pLib: int, kernel: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pLib:
            call = call.without(_cuKernelGetLibrary_nulls)
        code, out = _cuKernelGetLibrary(call, kernel)
        if code:
            return SUCCESS | code
        if pLib:
            put_uint64(MEMORY, pLib, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuKernelGetLibrary", raised)


_cuKernelGetName = late(globals(), DRIVER.ops, "cuKernelGetName")
_cuKernelGetName_nulls = frozenset({"name"})


def cuKernelGetName(name: int, hfunc: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not name:
            call = call.without(_cuKernelGetName_nulls)
        code, out = _cuKernelGetName(call, hfunc)
        if code:
            return SUCCESS | code
        if name:
            put_uint64(MEMORY, name, text_at(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuKernelGetName", raised)


_cuKernelGetParamInfo = late(globals(), DRIVER.ops, "cuKernelGetParamInfo")


def cuKernelGetParamInfo(kernel: int, paramIndex: int, paramOffset: int, paramSize: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (paramOffset and paramSize):
            call = call.without(nulls(paramOffset=paramOffset, paramSize=paramSize))
        code, out = _cuKernelGetParamInfo(call, kernel, paramIndex)
        if code:
            return SUCCESS | code
        if paramOffset:
            put_uint64(MEMORY, paramOffset, out[0])
        if paramSize:
            put_uint64(MEMORY, paramSize, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuKernelGetParamInfo", raised)


_cuKernelSetAttribute = late(globals(), DRIVER.ops, "cuKernelSetAttribute")


def cuKernelSetAttribute(attrib: int, val: int, kernel: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuKernelSetAttribute(call, attrib, val, kernel, dev)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuKernelSetAttribute", raised)


_cuKernelSetCacheConfig = late(globals(), DRIVER.ops, "cuKernelSetCacheConfig")


def cuKernelSetCacheConfig(kernel: int, config: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuKernelSetCacheConfig(call, kernel, config, dev)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuKernelSetCacheConfig", raised)


_cuLaunchCooperativeKernel = late(globals(), DRIVER.ops, "cuLaunchCooperativeKernel")


def cuLaunchCooperativeKernel(f: int, gridDimX: int, gridDimY: int, gridDimZ: int, blockDimX: int, blockDimY: int, blockDimZ: int, sharedMemBytes: int, hStream: int, kernelParams: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuLaunchCooperativeKernel(call, f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream, kernelParams)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLaunchCooperativeKernel", raised)


_cuLaunchHostFunc = late(globals(), DRIVER.ops, "cuLaunchHostFunc")


def cuLaunchHostFunc(hStream: int, fn: int, userData: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuLaunchHostFunc(call, hStream, fn, userData)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLaunchHostFunc", raised)


_cuLaunchKernel = late(globals(), DRIVER.ops, "cuLaunchKernel")


def cuLaunchKernel(f: int, gridDimX: int, gridDimY: int, gridDimZ: int, blockDimX: int, blockDimY: int, blockDimZ: int, sharedMemBytes: int, hStream: int, kernelParams: int, extra: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuLaunchKernel(call, f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream, kernelParams, extra)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLaunchKernel", raised)


_cuLaunchKernelEx = late(globals(), DRIVER.ops, "cuLaunchKernelEx")


def cuLaunchKernelEx(config: int, f: int, kernelParams: int, extra: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuLaunchKernelEx(call, read_launch_config(config) if config else None, f, kernelParams, extra)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLaunchKernelEx", raised)


_cuLibraryEnumerateKernels = late(globals(), DRIVER.ops, "cuLibraryEnumerateKernels")
_cuLibraryEnumerateKernels_nulls = frozenset({"kernels"})


def cuLibraryEnumerateKernels(kernels: int, numKernels: int, lib: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not kernels:
            call = call.without(_cuLibraryEnumerateKernels_nulls)
        code, out = _cuLibraryEnumerateKernels(call, numKernels, lib)
        if code:
            return SUCCESS | code
        if kernels:
            (c_uint64 * len(out)).from_address(kernels)[:] = out
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLibraryEnumerateKernels", raised)


_cuLibraryGetGlobal = late(globals(), DRIVER.ops, "cuLibraryGetGlobal")


def cuLibraryGetGlobal(dptr: int, bytes_: int, library: int, name: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (dptr and bytes_):
            call = call.without(nulls(dptr=dptr, bytes=bytes_))
        code, out = _cuLibraryGetGlobal(call, library, string_at(name) if name else None)
        if code:
            return SUCCESS | code
        if dptr:
            put_uint64(MEMORY, dptr, out[0])
        if bytes_:
            put_uint64(MEMORY, bytes_, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLibraryGetGlobal", raised)


_cuLibraryGetKernel = late(globals(), DRIVER.ops, "cuLibraryGetKernel")
_cuLibraryGetKernel_nulls = frozenset({"pKernel"})


def cuLibraryGetKernel(pKernel: int, library: int, name: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pKernel:
            call = call.without(_cuLibraryGetKernel_nulls)
        code, out = _cuLibraryGetKernel(call, library, string_at(name) if name else None)
        if code:
            return SUCCESS | code
        if pKernel:
            put_uint64(MEMORY, pKernel, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLibraryGetKernel", raised)


_cuLibraryGetKernelCount = late(globals(), DRIVER.ops, "cuLibraryGetKernelCount")
_cuLibraryGetKernelCount_nulls = frozenset({"count"})


def cuLibraryGetKernelCount(count: int, lib: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not count:
            call = call.without(_cuLibraryGetKernelCount_nulls)
        code, out = _cuLibraryGetKernelCount(call, lib)
        if code:
            return SUCCESS | code
        if count:
            put_uint32(MEMORY, count, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLibraryGetKernelCount", raised)


_cuLibraryGetManaged = late(globals(), DRIVER.ops, "cuLibraryGetManaged")


def cuLibraryGetManaged(dptr: int, bytes_: int, library: int, name: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (dptr and bytes_):
            call = call.without(nulls(dptr=dptr, bytes=bytes_))
        code, out = _cuLibraryGetManaged(call, library, string_at(name) if name else None)
        if code:
            return SUCCESS | code
        if dptr:
            put_uint64(MEMORY, dptr, out[0])
        if bytes_:
            put_uint64(MEMORY, bytes_, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLibraryGetManaged", raised)


_cuLibraryGetModule = late(globals(), DRIVER.ops, "cuLibraryGetModule")
_cuLibraryGetModule_nulls = frozenset({"pMod"})


def cuLibraryGetModule(pMod: int, library: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pMod:
            call = call.without(_cuLibraryGetModule_nulls)
        code, out = _cuLibraryGetModule(call, library)
        if code:
            return SUCCESS | code
        if pMod:
            put_uint64(MEMORY, pMod, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLibraryGetModule", raised)


_cuLibraryGetUnifiedFunction = late(globals(), DRIVER.ops, "cuLibraryGetUnifiedFunction")
_cuLibraryGetUnifiedFunction_nulls = frozenset({"fptr"})


def cuLibraryGetUnifiedFunction(fptr: int, library: int, symbol: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not fptr:
            call = call.without(_cuLibraryGetUnifiedFunction_nulls)
        code, out = _cuLibraryGetUnifiedFunction(call, library, string_at(symbol) if symbol else None)
        if code:
            return SUCCESS | code
        if fptr:
            put_uint64(MEMORY, fptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLibraryGetUnifiedFunction", raised)


_cuLibraryLoadData = late(globals(), DRIVER.ops, "cuLibraryLoadData")
_cuLibraryLoadData_nulls = frozenset({"library"})


def cuLibraryLoadData(library: int, code_: int, jitOptions: int, jitOptionsValues: int, numJitOptions: int, libraryOptions: int, libraryOptionValues: int, numLibraryOptions: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not library:
            call = call.without(_cuLibraryLoadData_nulls)
        code, out = _cuLibraryLoadData(call, image_at(code_) if code_ else None, tuple((c_int32 * many(jitOptions, 4, numJitOptions)).from_address(jitOptions)) if jitOptions else None, tuple((c_uint64 * many(jitOptionsValues, 8, numJitOptions)).from_address(jitOptionsValues)) if jitOptionsValues else None, numJitOptions, tuple((c_int32 * many(libraryOptions, 4, numLibraryOptions)).from_address(libraryOptions)) if libraryOptions else None, tuple((c_uint64 * many(libraryOptionValues, 8, numLibraryOptions)).from_address(libraryOptionValues)) if libraryOptionValues else None, numLibraryOptions)
        if code:
            return SUCCESS | code
        if library:
            put_uint64(MEMORY, library, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLibraryLoadData", raised)


_cuLibraryLoadFromFile = late(globals(), DRIVER.ops, "cuLibraryLoadFromFile")
_cuLibraryLoadFromFile_nulls = frozenset({"library"})


def cuLibraryLoadFromFile(library: int, fileName: int, jitOptions: int, jitOptionsValues: int, numJitOptions: int, libraryOptions: int, libraryOptionValues: int, numLibraryOptions: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not library:
            call = call.without(_cuLibraryLoadFromFile_nulls)
        code, out = _cuLibraryLoadFromFile(call, string_at(fileName) if fileName else None, tuple((c_int32 * many(jitOptions, 4, numJitOptions)).from_address(jitOptions)) if jitOptions else None, tuple((c_uint64 * many(jitOptionsValues, 8, numJitOptions)).from_address(jitOptionsValues)) if jitOptionsValues else None, numJitOptions, tuple((c_int32 * many(libraryOptions, 4, numLibraryOptions)).from_address(libraryOptions)) if libraryOptions else None, tuple((c_uint64 * many(libraryOptionValues, 8, numLibraryOptions)).from_address(libraryOptionValues)) if libraryOptionValues else None, numLibraryOptions)
        if code:
            return SUCCESS | code
        if library:
            put_uint64(MEMORY, library, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLibraryLoadFromFile", raised)


_cuLibraryUnload = late(globals(), DRIVER.ops, "cuLibraryUnload")


def cuLibraryUnload(library: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuLibraryUnload(call, library)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLibraryUnload", raised)


_cuLinkAddData = late(globals(), DRIVER.ops, "cuLinkAddData")


def cuLinkAddData(state: int, type_: int, data: int, size: int, name: int, numOptions: int, options: int, optionValues: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuLinkAddData(call, state, type_, image_at(data) if data else None, size, string_at(name) if name else None, numOptions, tuple((c_int32 * many(options, 4, numOptions)).from_address(options)) if options else None, tuple((c_uint64 * many(optionValues, 8, numOptions)).from_address(optionValues)) if optionValues else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLinkAddData", raised)


_cuLinkAddFile = late(globals(), DRIVER.ops, "cuLinkAddFile")


def cuLinkAddFile(state: int, type_: int, path: int, numOptions: int, options: int, optionValues: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuLinkAddFile(call, state, type_, string_at(path) if path else None, numOptions, tuple((c_int32 * many(options, 4, numOptions)).from_address(options)) if options else None, tuple((c_uint64 * many(optionValues, 8, numOptions)).from_address(optionValues)) if optionValues else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLinkAddFile", raised)


_cuLinkComplete = late(globals(), DRIVER.ops, "cuLinkComplete")


def cuLinkComplete(state: int, cubinOut: int, sizeOut: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (cubinOut and sizeOut):
            call = call.without(nulls(cubinOut=cubinOut, sizeOut=sizeOut))
        code, out = _cuLinkComplete(call, state)
        if code:
            return SUCCESS | code
        if cubinOut:
            put_uint64(MEMORY, cubinOut, out[0])
        if sizeOut:
            put_uint64(MEMORY, sizeOut, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLinkComplete", raised)


_cuLinkCreate = late(globals(), DRIVER.ops, "cuLinkCreate")
_cuLinkCreate_nulls = frozenset({"stateOut"})


def cuLinkCreate(numOptions: int, options: int, optionValues: int, stateOut: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not stateOut:
            call = call.without(_cuLinkCreate_nulls)
        code, out = _cuLinkCreate(call, numOptions, tuple((c_int32 * many(options, 4, numOptions)).from_address(options)) if options else None, tuple((c_uint64 * many(optionValues, 8, numOptions)).from_address(optionValues)) if optionValues else None)
        if code:
            return SUCCESS | code
        if stateOut:
            put_uint64(MEMORY, stateOut, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLinkCreate", raised)


_cuLinkDestroy = late(globals(), DRIVER.ops, "cuLinkDestroy")


def cuLinkDestroy(state: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuLinkDestroy(call, state)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLinkDestroy", raised)


_cuMemAddressFree = late(globals(), DRIVER.ops, "cuMemAddressFree")


def cuMemAddressFree(ptr: int, size: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemAddressFree(call, ptr, size)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAddressFree", raised)


_cuMemAddressReserve = late(globals(), DRIVER.ops, "cuMemAddressReserve")
_cuMemAddressReserve_nulls = frozenset({"ptr"})


def cuMemAddressReserve(ptr: int, size: int, alignment: int, addr: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ptr:
            call = call.without(_cuMemAddressReserve_nulls)
        code, out = _cuMemAddressReserve(call, size, alignment, addr, flags)
        if code:
            return SUCCESS | code
        if ptr:
            put_uint64(MEMORY, ptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAddressReserve", raised)


_cuMemAdvise = late(globals(), DRIVER.ops, "cuMemAdvise")


def cuMemAdvise(devPtr: int, count: int, advice: int, location: Any) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemAdvise(call, devPtr, count, advice, _CUmemLocation.unpack(bytes(location)))
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAdvise", raised)


_cuMemAlloc = late(globals(), DRIVER.ops, "cuMemAlloc")
_cuMemAlloc_nulls = frozenset({"dptr"})


def cuMemAlloc(dptr: int, bytesize: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not dptr:
            call = call.without(_cuMemAlloc_nulls)
        code, out = _cuMemAlloc(call, bytesize)
        if code:
            return SUCCESS | code
        if dptr:
            put_uint64(MEMORY, dptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAlloc", raised)


_cuMemAllocAsync = late(globals(), DRIVER.ops, "cuMemAllocAsync")
_cuMemAllocAsync_nulls = frozenset({"dptr"})


def cuMemAllocAsync(dptr: int, bytesize: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not dptr:
            call = call.without(_cuMemAllocAsync_nulls)
        code, out = _cuMemAllocAsync(call, bytesize, hStream)
        if code:
            return SUCCESS | code
        if dptr:
            put_uint64(MEMORY, dptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAllocAsync", raised)


_cuMemAllocFromPoolAsync = late(globals(), DRIVER.ops, "cuMemAllocFromPoolAsync")
_cuMemAllocFromPoolAsync_nulls = frozenset({"dptr"})


def cuMemAllocFromPoolAsync(dptr: int, bytesize: int, pool: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not dptr:
            call = call.without(_cuMemAllocFromPoolAsync_nulls)
        code, out = _cuMemAllocFromPoolAsync(call, bytesize, pool, hStream)
        if code:
            return SUCCESS | code
        if dptr:
            put_uint64(MEMORY, dptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAllocFromPoolAsync", raised)


_cuMemAllocHost = late(globals(), DRIVER.ops, "cuMemAllocHost")
_cuMemAllocHost_nulls = frozenset({"pp"})


def cuMemAllocHost(pp: int, bytesize: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pp:
            call = call.without(_cuMemAllocHost_nulls)
        code, out = _cuMemAllocHost(call, bytesize)
        if code:
            return SUCCESS | code
        if pp:
            put_uint64(MEMORY, pp, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAllocHost", raised)


_cuMemAllocManaged = late(globals(), DRIVER.ops, "cuMemAllocManaged")
_cuMemAllocManaged_nulls = frozenset({"dptr"})


def cuMemAllocManaged(dptr: int, bytesize: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not dptr:
            call = call.without(_cuMemAllocManaged_nulls)
        code, out = _cuMemAllocManaged(call, bytesize, flags)
        if code:
            return SUCCESS | code
        if dptr:
            put_uint64(MEMORY, dptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAllocManaged", raised)


_cuMemAllocPitch = late(globals(), DRIVER.ops, "cuMemAllocPitch")


def cuMemAllocPitch(dptr: int, pPitch: int, WidthInBytes: int, Height: int, ElementSizeBytes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (dptr and pPitch):
            call = call.without(nulls(dptr=dptr, pPitch=pPitch))
        code, out = _cuMemAllocPitch(call, WidthInBytes, Height, ElementSizeBytes)
        if code:
            return SUCCESS | code
        if dptr:
            put_uint64(MEMORY, dptr, out[0])
        if pPitch:
            put_uint64(MEMORY, pPitch, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAllocPitch", raised)


_cuMemCreate = late(globals(), DRIVER.ops, "cuMemCreate")
_cuMemCreate_nulls = frozenset({"handle"})


def cuMemCreate(handle: int, size: int, prop: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not handle:
            call = call.without(_cuMemCreate_nulls)
        code, out = _cuMemCreate(call, size, read_CUmemAllocationProp(prop) if prop else None, flags)
        if code:
            return SUCCESS | code
        if handle:
            put_uint64(MEMORY, handle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemCreate", raised)


_cuMemDiscardAndPrefetchBatchAsync = late(globals(), DRIVER.ops, "cuMemDiscardAndPrefetchBatchAsync")


def cuMemDiscardAndPrefetchBatchAsync(dptrs: int, sizes: int, count: int, prefetchLocs: int, prefetchLocIdxs: int, numPrefetchLocs: int, flags: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemDiscardAndPrefetchBatchAsync(call, tuple((c_uint64 * many(dptrs, 8, count)).from_address(dptrs)) if dptrs else None, tuple((c_uint64 * many(sizes, 8, count)).from_address(sizes)) if sizes else None, count, tuple(read_CUmemLocation(prefetchLocs + 8 * n) for n in range(many(prefetchLocs, 8, min(numPrefetchLocs, count)))) if prefetchLocs else None, tuple((c_uint64 * many(prefetchLocIdxs, 8, min(numPrefetchLocs, count))).from_address(prefetchLocIdxs)) if prefetchLocIdxs else None, numPrefetchLocs, flags, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemDiscardAndPrefetchBatchAsync", raised)


_cuMemDiscardBatchAsync = late(globals(), DRIVER.ops, "cuMemDiscardBatchAsync")


def cuMemDiscardBatchAsync(dptrs: int, sizes: int, count: int, flags: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemDiscardBatchAsync(call, tuple((c_uint64 * many(dptrs, 8, count)).from_address(dptrs)) if dptrs else None, tuple((c_uint64 * many(sizes, 8, count)).from_address(sizes)) if sizes else None, count, flags, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemDiscardBatchAsync", raised)


_cuMemExportToShareableHandle = late(globals(), DRIVER.ops, "cuMemExportToShareableHandle")
_cuMemExportToShareableHandle_nulls = frozenset({"shareableHandle"})


def cuMemExportToShareableHandle(shareableHandle: int, handle: int, handleType: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not shareableHandle:
            call = call.without(_cuMemExportToShareableHandle_nulls)
        code, out = _cuMemExportToShareableHandle(call, handle, handleType, flags)
        if code:
            return SUCCESS | code
        if shareableHandle:
            write_shareable(shareableHandle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemExportToShareableHandle", raised)


_cuMemFree = late(globals(), DRIVER.ops, "cuMemFree")


def cuMemFree(dptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemFree(call, dptr)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemFree", raised)


_cuMemFreeAsync = late(globals(), DRIVER.ops, "cuMemFreeAsync")


def cuMemFreeAsync(dptr: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemFreeAsync(call, dptr, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemFreeAsync", raised)


_cuMemFreeHost = late(globals(), DRIVER.ops, "cuMemFreeHost")


def cuMemFreeHost(p: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemFreeHost(call, p)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemFreeHost", raised)


_cuMemGetAccess = late(globals(), DRIVER.ops, "cuMemGetAccess")
_cuMemGetAccess_nulls = frozenset({"flags"})


def cuMemGetAccess(flags: int, location: int, ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not flags:
            call = call.without(_cuMemGetAccess_nulls)
        code, out = _cuMemGetAccess(call, read_CUmemLocation(location) if location else None, ptr)
        if code:
            return SUCCESS | code
        if flags:
            put_uint64(MEMORY, flags, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemGetAccess", raised)


_cuMemGetAddressRange = late(globals(), DRIVER.ops, "cuMemGetAddressRange")


def cuMemGetAddressRange(pbase: int, psize: int, dptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (pbase and psize):
            call = call.without(nulls(pbase=pbase, psize=psize))
        code, out = _cuMemGetAddressRange(call, dptr)
        if code:
            return SUCCESS | code
        if pbase:
            put_uint64(MEMORY, pbase, out[0])
        if psize:
            put_uint64(MEMORY, psize, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemGetAddressRange", raised)


_cuMemGetAllocationGranularity = late(globals(), DRIVER.ops, "cuMemGetAllocationGranularity")
_cuMemGetAllocationGranularity_nulls = frozenset({"granularity"})


def cuMemGetAllocationGranularity(granularity: int, prop: int, option: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not granularity:
            call = call.without(_cuMemGetAllocationGranularity_nulls)
        code, out = _cuMemGetAllocationGranularity(call, read_CUmemAllocationProp(prop) if prop else None, option)
        if code:
            return SUCCESS | code
        if granularity:
            put_uint64(MEMORY, granularity, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemGetAllocationGranularity", raised)


_cuMemGetAllocationPropertiesFromHandle = late(globals(), DRIVER.ops, "cuMemGetAllocationPropertiesFromHandle")
_cuMemGetAllocationPropertiesFromHandle_nulls = frozenset({"prop"})


def cuMemGetAllocationPropertiesFromHandle(prop: int, handle: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not prop:
            call = call.without(_cuMemGetAllocationPropertiesFromHandle_nulls)
        code, out = _cuMemGetAllocationPropertiesFromHandle(call, handle)
        if code:
            return SUCCESS | code
        if prop:
            write_CUmemAllocationProp(prop, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemGetAllocationPropertiesFromHandle", raised)


_cuMemGetDefaultMemPool = late(globals(), DRIVER.ops, "cuMemGetDefaultMemPool")
_cuMemGetDefaultMemPool_nulls = frozenset({"pool_out"})


def cuMemGetDefaultMemPool(pool_out: int, location: int, type_: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pool_out:
            call = call.without(_cuMemGetDefaultMemPool_nulls)
        code, out = _cuMemGetDefaultMemPool(call, read_CUmemLocation(location) if location else None, type_)
        if code:
            return SUCCESS | code
        if pool_out:
            put_uint64(MEMORY, pool_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemGetDefaultMemPool", raised)


_cuMemGetHandleForAddressRange = late(globals(), DRIVER.ops, "cuMemGetHandleForAddressRange")
_cuMemGetHandleForAddressRange_nulls = frozenset({"handle"})


def cuMemGetHandleForAddressRange(handle: int, dptr: int, size: int, handleType: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not handle:
            call = call.without(_cuMemGetHandleForAddressRange_nulls)
        code, out = _cuMemGetHandleForAddressRange(call, dptr, size, handleType, flags)
        if code:
            return SUCCESS | code
        if handle:
            put_int32(MEMORY, handle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemGetHandleForAddressRange", raised)


_cuMemGetInfo = late(globals(), DRIVER.ops, "cuMemGetInfo")


def cuMemGetInfo(free: int, total: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (free and total):
            call = call.without(nulls(free=free, total=total))
        code, out = _cuMemGetInfo(call)
        if code:
            return SUCCESS | code
        if free:
            put_uint64(MEMORY, free, out[0])
        if total:
            put_uint64(MEMORY, total, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemGetInfo", raised)


_cuMemGetMemPool = late(globals(), DRIVER.ops, "cuMemGetMemPool")
_cuMemGetMemPool_nulls = frozenset({"pool"})


def cuMemGetMemPool(pool: int, location: int, type_: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pool:
            call = call.without(_cuMemGetMemPool_nulls)
        code, out = _cuMemGetMemPool(call, read_CUmemLocation(location) if location else None, type_)
        if code:
            return SUCCESS | code
        if pool:
            put_uint64(MEMORY, pool, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemGetMemPool", raised)


_cuMemHostAlloc = late(globals(), DRIVER.ops, "cuMemHostAlloc")
_cuMemHostAlloc_nulls = frozenset({"pp"})


def cuMemHostAlloc(pp: int, bytesize: int, Flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pp:
            call = call.without(_cuMemHostAlloc_nulls)
        code, out = _cuMemHostAlloc(call, bytesize, Flags)
        if code:
            return SUCCESS | code
        if pp:
            put_uint64(MEMORY, pp, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemHostAlloc", raised)


_cuMemHostGetDevicePointer = late(globals(), DRIVER.ops, "cuMemHostGetDevicePointer")
_cuMemHostGetDevicePointer_nulls = frozenset({"pdptr"})


def cuMemHostGetDevicePointer(pdptr: int, p: int, Flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pdptr:
            call = call.without(_cuMemHostGetDevicePointer_nulls)
        code, out = _cuMemHostGetDevicePointer(call, p, Flags)
        if code:
            return SUCCESS | code
        if pdptr:
            put_uint64(MEMORY, pdptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemHostGetDevicePointer", raised)


_cuMemHostGetFlags = late(globals(), DRIVER.ops, "cuMemHostGetFlags")
_cuMemHostGetFlags_nulls = frozenset({"pFlags"})


def cuMemHostGetFlags(pFlags: int, p: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pFlags:
            call = call.without(_cuMemHostGetFlags_nulls)
        code, out = _cuMemHostGetFlags(call, p)
        if code:
            return SUCCESS | code
        if pFlags:
            put_uint32(MEMORY, pFlags, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemHostGetFlags", raised)


_cuMemHostRegister = late(globals(), DRIVER.ops, "cuMemHostRegister")


def cuMemHostRegister(p: int, bytesize: int, Flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemHostRegister(call, p, bytesize, Flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemHostRegister", raised)


_cuMemHostUnregister = late(globals(), DRIVER.ops, "cuMemHostUnregister")


def cuMemHostUnregister(p: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemHostUnregister(call, p)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemHostUnregister", raised)


_cuMemImportFromShareableHandle = late(globals(), DRIVER.ops, "cuMemImportFromShareableHandle")
_cuMemImportFromShareableHandle_nulls = frozenset({"handle"})


def cuMemImportFromShareableHandle(handle: int, osHandle: int, shHandleType: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not handle:
            call = call.without(_cuMemImportFromShareableHandle_nulls)
        code, out = _cuMemImportFromShareableHandle(call, read_shareable(osHandle, shHandleType), shHandleType)
        if code:
            return SUCCESS | code
        if handle:
            put_uint64(MEMORY, handle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemImportFromShareableHandle", raised)


_cuMemMap = late(globals(), DRIVER.ops, "cuMemMap")


def cuMemMap(ptr: int, size: int, offset: int, handle: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemMap(call, ptr, size, offset, handle, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemMap", raised)


_cuMemMapArrayAsync = late(globals(), DRIVER.ops, "cuMemMapArrayAsync")


def cuMemMapArrayAsync(mapInfoList: int, count: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemMapArrayAsync(call, tuple(read_CUarrayMapInfo(mapInfoList + 96 * n) for n in range(many(mapInfoList, 96, count))) if mapInfoList else None, count, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemMapArrayAsync", raised)


_cuMemPoolCreate = late(globals(), DRIVER.ops, "cuMemPoolCreate")
_cuMemPoolCreate_nulls = frozenset({"pool"})


def cuMemPoolCreate(pool: int, poolProps: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pool:
            call = call.without(_cuMemPoolCreate_nulls)
        code, out = _cuMemPoolCreate(call, read_CUmemPoolProps(poolProps) if poolProps else None)
        if code:
            return SUCCESS | code
        if pool:
            put_uint64(MEMORY, pool, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPoolCreate", raised)


_cuMemPoolDestroy = late(globals(), DRIVER.ops, "cuMemPoolDestroy")


def cuMemPoolDestroy(pool: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemPoolDestroy(call, pool)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPoolDestroy", raised)


_cuMemPoolExportPointer = late(globals(), DRIVER.ops, "cuMemPoolExportPointer")
_cuMemPoolExportPointer_nulls = frozenset({"shareData_out"})


def cuMemPoolExportPointer(shareData_out: int, ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not shareData_out:
            call = call.without(_cuMemPoolExportPointer_nulls)
        code, out = _cuMemPoolExportPointer(call, ptr)
        if code:
            return SUCCESS | code
        if shareData_out:
            memmove(shareData_out, out, len(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPoolExportPointer", raised)


_cuMemPoolExportToShareableHandle = late(globals(), DRIVER.ops, "cuMemPoolExportToShareableHandle")
_cuMemPoolExportToShareableHandle_nulls = frozenset({"handle_out"})


def cuMemPoolExportToShareableHandle(handle_out: int, pool: int, handleType: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not handle_out:
            call = call.without(_cuMemPoolExportToShareableHandle_nulls)
        code, out = _cuMemPoolExportToShareableHandle(call, pool, handleType, flags)
        if code:
            return SUCCESS | code
        if handle_out:
            write_shareable(handle_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPoolExportToShareableHandle", raised)


_cuMemPoolGetAccess = late(globals(), DRIVER.ops, "cuMemPoolGetAccess")
_cuMemPoolGetAccess_nulls = frozenset({"flags"})


def cuMemPoolGetAccess(flags: int, memPool: int, location: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not flags:
            call = call.without(_cuMemPoolGetAccess_nulls)
        code, out = _cuMemPoolGetAccess(call, memPool, read_CUmemLocation(location) if location else None)
        if code:
            return SUCCESS | code
        if flags:
            put_int32(MEMORY, flags, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPoolGetAccess", raised)


_cuMemPoolGetAttribute = late(globals(), DRIVER.ops, "cuMemPoolGetAttribute")
_cuMemPoolGetAttribute_nulls = frozenset({"value"})


def cuMemPoolGetAttribute(pool: int, attr: int, value: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not value:
            call = call.without(_cuMemPoolGetAttribute_nulls)
        code, out = _cuMemPoolGetAttribute(call, pool, attr)
        if code:
            return SUCCESS | code
        if value:
            write_pool_attribute(value, attr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPoolGetAttribute", raised)


_cuMemPoolImportFromShareableHandle = late(globals(), DRIVER.ops, "cuMemPoolImportFromShareableHandle")
_cuMemPoolImportFromShareableHandle_nulls = frozenset({"pool_out"})


def cuMemPoolImportFromShareableHandle(pool_out: int, handle: int, handleType: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pool_out:
            call = call.without(_cuMemPoolImportFromShareableHandle_nulls)
        code, out = _cuMemPoolImportFromShareableHandle(call, read_shareable(handle, handleType), handleType, flags)
        if code:
            return SUCCESS | code
        if pool_out:
            put_uint64(MEMORY, pool_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPoolImportFromShareableHandle", raised)


_cuMemPoolImportPointer = late(globals(), DRIVER.ops, "cuMemPoolImportPointer")
_cuMemPoolImportPointer_nulls = frozenset({"ptr_out"})


def cuMemPoolImportPointer(ptr_out: int, pool: int, shareData: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ptr_out:
            call = call.without(_cuMemPoolImportPointer_nulls)
        code, out = _cuMemPoolImportPointer(call, pool, string_at(shareData, 64) if shareData else None)
        if code:
            return SUCCESS | code
        if ptr_out:
            put_uint64(MEMORY, ptr_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPoolImportPointer", raised)


_cuMemPoolSetAccess = late(globals(), DRIVER.ops, "cuMemPoolSetAccess")


def cuMemPoolSetAccess(pool: int, map_: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemPoolSetAccess(call, pool, tuple(read_CUmemAccessDesc(map_ + 12 * n) for n in range(many(map_, 12, count))) if map_ else None, count)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPoolSetAccess", raised)


_cuMemPoolSetAttribute = late(globals(), DRIVER.ops, "cuMemPoolSetAttribute")


def cuMemPoolSetAttribute(pool: int, attr: int, value: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemPoolSetAttribute(call, pool, attr, read_pool_attribute(value, attr))
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPoolSetAttribute", raised)


_cuMemPoolTrimTo = late(globals(), DRIVER.ops, "cuMemPoolTrimTo")


def cuMemPoolTrimTo(pool: int, minBytesToKeep: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemPoolTrimTo(call, pool, minBytesToKeep)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPoolTrimTo", raised)


_cuMemPrefetchAsync = late(globals(), DRIVER.ops, "cuMemPrefetchAsync")


def cuMemPrefetchAsync(devPtr: int, count: int, location: Any, flags: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemPrefetchAsync(call, devPtr, count, _CUmemLocation.unpack(bytes(location)), flags, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPrefetchAsync", raised)


_cuMemPrefetchBatchAsync = late(globals(), DRIVER.ops, "cuMemPrefetchBatchAsync")


def cuMemPrefetchBatchAsync(dptrs: int, sizes: int, count: int, prefetchLocs: int, prefetchLocIdxs: int, numPrefetchLocs: int, flags: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemPrefetchBatchAsync(call, tuple((c_uint64 * many(dptrs, 8, count)).from_address(dptrs)) if dptrs else None, tuple((c_uint64 * many(sizes, 8, count)).from_address(sizes)) if sizes else None, count, tuple(read_CUmemLocation(prefetchLocs + 8 * n) for n in range(many(prefetchLocs, 8, min(numPrefetchLocs, count)))) if prefetchLocs else None, tuple((c_uint64 * many(prefetchLocIdxs, 8, min(numPrefetchLocs, count))).from_address(prefetchLocIdxs)) if prefetchLocIdxs else None, numPrefetchLocs, flags, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPrefetchBatchAsync", raised)


_cuMemRangeGetAttribute = late(globals(), DRIVER.ops, "cuMemRangeGetAttribute")
_cuMemRangeGetAttribute_nulls = frozenset({"data"})


def cuMemRangeGetAttribute(data: int, dataSize: int, attribute: int, devPtr: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not data:
            call = call.without(_cuMemRangeGetAttribute_nulls)
        code, out = _cuMemRangeGetAttribute(call, dataSize, attribute, devPtr, count)
        if code:
            return SUCCESS | code
        if data:
            write_numbers(data, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemRangeGetAttribute", raised)


_cuMemRangeGetAttributes = late(globals(), DRIVER.ops, "cuMemRangeGetAttributes")
_cuMemRangeGetAttributes_nulls = frozenset({"data"})


def cuMemRangeGetAttributes(data: int, dataSizes: int, attributes: int, numAttributes: int, devPtr: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not data:
            call = call.without(_cuMemRangeGetAttributes_nulls)
        code, out = _cuMemRangeGetAttributes(call, tuple((c_uint64 * many(dataSizes, 8, numAttributes)).from_address(dataSizes)) if dataSizes else None, tuple((c_int32 * many(attributes, 4, numAttributes)).from_address(attributes)) if attributes else None, numAttributes, devPtr, count)
        if code:
            return SUCCESS | code
        if data:
            write_number_lists(data, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemRangeGetAttributes", raised)


_cuMemRelease = late(globals(), DRIVER.ops, "cuMemRelease")


def cuMemRelease(handle: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemRelease(call, handle)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemRelease", raised)


_cuMemRetainAllocationHandle = late(globals(), DRIVER.ops, "cuMemRetainAllocationHandle")
_cuMemRetainAllocationHandle_nulls = frozenset({"handle"})


def cuMemRetainAllocationHandle(handle: int, addr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not handle:
            call = call.without(_cuMemRetainAllocationHandle_nulls)
        code, out = _cuMemRetainAllocationHandle(call, addr)
        if code:
            return SUCCESS | code
        if handle:
            put_uint64(MEMORY, handle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemRetainAllocationHandle", raised)


_cuMemSetAccess = late(globals(), DRIVER.ops, "cuMemSetAccess")


def cuMemSetAccess(ptr: int, size: int, desc: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemSetAccess(call, ptr, size, tuple(read_CUmemAccessDesc(desc + 12 * n) for n in range(many(desc, 12, count))) if desc else None, count)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemSetAccess", raised)


_cuMemSetMemPool = late(globals(), DRIVER.ops, "cuMemSetMemPool")


def cuMemSetMemPool(location: int, type_: int, pool: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemSetMemPool(call, read_CUmemLocation(location) if location else None, type_, pool)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemSetMemPool", raised)


_cuMemUnmap = late(globals(), DRIVER.ops, "cuMemUnmap")


def cuMemUnmap(ptr: int, size: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemUnmap(call, ptr, size)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemUnmap", raised)


_cuMemcpy = late(globals(), DRIVER.ops, "cuMemcpy")


def cuMemcpy(dst: int, src: int, ByteCount: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpy(call, dst, src, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy", raised)


_cuMemcpy2D = late(globals(), DRIVER.ops, "cuMemcpy2D")


def cuMemcpy2D(pCopy: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpy2D(call, read_CUDA_MEMCPY2D(pCopy) if pCopy else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy2D", raised)


_cuMemcpy2DAsync = late(globals(), DRIVER.ops, "cuMemcpy2DAsync")


def cuMemcpy2DAsync(pCopy: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpy2DAsync(call, read_CUDA_MEMCPY2D(pCopy) if pCopy else None, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy2DAsync", raised)


_cuMemcpy2DUnaligned = late(globals(), DRIVER.ops, "cuMemcpy2DUnaligned")


def cuMemcpy2DUnaligned(pCopy: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpy2DUnaligned(call, read_CUDA_MEMCPY2D(pCopy) if pCopy else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy2DUnaligned", raised)


_cuMemcpy3D = late(globals(), DRIVER.ops, "cuMemcpy3D")


def cuMemcpy3D(pCopy: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpy3D(call, read_CUDA_MEMCPY3D(pCopy) if pCopy else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy3D", raised)


_cuMemcpy3DAsync = late(globals(), DRIVER.ops, "cuMemcpy3DAsync")


def cuMemcpy3DAsync(pCopy: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpy3DAsync(call, read_CUDA_MEMCPY3D(pCopy) if pCopy else None, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy3DAsync", raised)


_cuMemcpy3DPeer = late(globals(), DRIVER.ops, "cuMemcpy3DPeer")


def cuMemcpy3DPeer(pCopy: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpy3DPeer(call, read_CUDA_MEMCPY3D_PEER(pCopy) if pCopy else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy3DPeer", raised)


_cuMemcpy3DPeerAsync = late(globals(), DRIVER.ops, "cuMemcpy3DPeerAsync")


def cuMemcpy3DPeerAsync(pCopy: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpy3DPeerAsync(call, read_CUDA_MEMCPY3D_PEER(pCopy) if pCopy else None, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy3DPeerAsync", raised)


_cuMemcpyAsync = late(globals(), DRIVER.ops, "cuMemcpyAsync")


def cuMemcpyAsync(dst: int, src: int, ByteCount: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyAsync(call, dst, src, ByteCount, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyAsync", raised)


_cuMemcpyAtoA = late(globals(), DRIVER.ops, "cuMemcpyAtoA")


def cuMemcpyAtoA(dstArray: int, dstOffset: int, srcArray: int, srcOffset: int, ByteCount: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyAtoA(call, dstArray, dstOffset, srcArray, srcOffset, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyAtoA", raised)


_cuMemcpyAtoD = late(globals(), DRIVER.ops, "cuMemcpyAtoD")


def cuMemcpyAtoD(dstDevice: int, srcArray: int, srcOffset: int, ByteCount: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyAtoD(call, dstDevice, srcArray, srcOffset, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyAtoD", raised)


_cuMemcpyAtoH = late(globals(), DRIVER.ops, "cuMemcpyAtoH")


def cuMemcpyAtoH(dstHost: int, srcArray: int, srcOffset: int, ByteCount: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyAtoH(call, dstHost, srcArray, srcOffset, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyAtoH", raised)


_cuMemcpyAtoHAsync = late(globals(), DRIVER.ops, "cuMemcpyAtoHAsync")


def cuMemcpyAtoHAsync(dstHost: int, srcArray: int, srcOffset: int, ByteCount: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyAtoHAsync(call, dstHost, srcArray, srcOffset, ByteCount, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyAtoHAsync", raised)


_cuMemcpyBatchAsync = late(globals(), DRIVER.ops, "cuMemcpyBatchAsync")


def cuMemcpyBatchAsync(dsts: int, srcs: int, sizes: int, count: int, attrs: int, attrsIdxs: int, numAttrs: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyBatchAsync(call, tuple((c_uint64 * many(dsts, 8, count)).from_address(dsts)) if dsts else None, tuple((c_uint64 * many(srcs, 8, count)).from_address(srcs)) if srcs else None, tuple((c_uint64 * many(sizes, 8, count)).from_address(sizes)) if sizes else None, count, tuple(read_CUmemcpyAttributes(attrs + 24 * n) for n in range(many(attrs, 24, min(numAttrs, count)))) if attrs else None, tuple((c_uint64 * many(attrsIdxs, 8, min(numAttrs, count))).from_address(attrsIdxs)) if attrsIdxs else None, numAttrs, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyBatchAsync", raised)


_cuMemcpyDtoA = late(globals(), DRIVER.ops, "cuMemcpyDtoA")


def cuMemcpyDtoA(dstArray: int, dstOffset: int, srcDevice: int, ByteCount: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyDtoA(call, dstArray, dstOffset, srcDevice, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyDtoA", raised)


_cuMemcpyDtoD = late(globals(), DRIVER.ops, "cuMemcpyDtoD")


def cuMemcpyDtoD(dstDevice: int, srcDevice: int, ByteCount: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyDtoD(call, dstDevice, srcDevice, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyDtoD", raised)


_cuMemcpyDtoDAsync = late(globals(), DRIVER.ops, "cuMemcpyDtoDAsync")


def cuMemcpyDtoDAsync(dstDevice: int, srcDevice: int, ByteCount: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyDtoDAsync(call, dstDevice, srcDevice, ByteCount, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyDtoDAsync", raised)


_cuMemcpyDtoH = late(globals(), DRIVER.ops, "cuMemcpyDtoH")


def cuMemcpyDtoH(dstHost: int, srcDevice: int, ByteCount: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyDtoH(call, dstHost, srcDevice, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyDtoH", raised)


_cuMemcpyDtoHAsync = late(globals(), DRIVER.ops, "cuMemcpyDtoHAsync")


def cuMemcpyDtoHAsync(dstHost: int, srcDevice: int, ByteCount: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyDtoHAsync(call, dstHost, srcDevice, ByteCount, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyDtoHAsync", raised)


_cuMemcpyHtoA = late(globals(), DRIVER.ops, "cuMemcpyHtoA")


def cuMemcpyHtoA(dstArray: int, dstOffset: int, srcHost: int, ByteCount: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyHtoA(call, dstArray, dstOffset, srcHost, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyHtoA", raised)


_cuMemcpyHtoAAsync = late(globals(), DRIVER.ops, "cuMemcpyHtoAAsync")


def cuMemcpyHtoAAsync(dstArray: int, dstOffset: int, srcHost: int, ByteCount: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyHtoAAsync(call, dstArray, dstOffset, srcHost, ByteCount, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyHtoAAsync", raised)


_cuMemcpyHtoD = late(globals(), DRIVER.ops, "cuMemcpyHtoD")


def cuMemcpyHtoD(dstDevice: int, srcHost: int, ByteCount: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyHtoD(call, dstDevice, srcHost, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyHtoD", raised)


_cuMemcpyHtoDAsync = late(globals(), DRIVER.ops, "cuMemcpyHtoDAsync")


def cuMemcpyHtoDAsync(dstDevice: int, srcHost: int, ByteCount: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyHtoDAsync(call, dstDevice, srcHost, ByteCount, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyHtoDAsync", raised)


_cuMemcpyPeer = late(globals(), DRIVER.ops, "cuMemcpyPeer")


def cuMemcpyPeer(dstDevice: int, dstContext: int, srcDevice: int, srcContext: int, ByteCount: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyPeer(call, dstDevice, dstContext, srcDevice, srcContext, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyPeer", raised)


_cuMemcpyPeerAsync = late(globals(), DRIVER.ops, "cuMemcpyPeerAsync")


def cuMemcpyPeerAsync(dstDevice: int, dstContext: int, srcDevice: int, srcContext: int, ByteCount: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemcpyPeerAsync(call, dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyPeerAsync", raised)


_cuMemsetD16 = late(globals(), DRIVER.ops, "cuMemsetD16")


def cuMemsetD16(dstDevice: int, us: int, N: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemsetD16(call, dstDevice, us, N)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD16", raised)


_cuMemsetD16Async = late(globals(), DRIVER.ops, "cuMemsetD16Async")


def cuMemsetD16Async(dstDevice: int, us: int, N: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemsetD16Async(call, dstDevice, us, N, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD16Async", raised)


_cuMemsetD2D16 = late(globals(), DRIVER.ops, "cuMemsetD2D16")


def cuMemsetD2D16(dstDevice: int, dstPitch: int, us: int, Width: int, Height: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemsetD2D16(call, dstDevice, dstPitch, us, Width, Height)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD2D16", raised)


_cuMemsetD2D16Async = late(globals(), DRIVER.ops, "cuMemsetD2D16Async")


def cuMemsetD2D16Async(dstDevice: int, dstPitch: int, us: int, Width: int, Height: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemsetD2D16Async(call, dstDevice, dstPitch, us, Width, Height, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD2D16Async", raised)


_cuMemsetD2D32 = late(globals(), DRIVER.ops, "cuMemsetD2D32")


def cuMemsetD2D32(dstDevice: int, dstPitch: int, ui: int, Width: int, Height: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemsetD2D32(call, dstDevice, dstPitch, ui, Width, Height)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD2D32", raised)


_cuMemsetD2D32Async = late(globals(), DRIVER.ops, "cuMemsetD2D32Async")


def cuMemsetD2D32Async(dstDevice: int, dstPitch: int, ui: int, Width: int, Height: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemsetD2D32Async(call, dstDevice, dstPitch, ui, Width, Height, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD2D32Async", raised)


_cuMemsetD2D8 = late(globals(), DRIVER.ops, "cuMemsetD2D8")


def cuMemsetD2D8(dstDevice: int, dstPitch: int, uc: int, Width: int, Height: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemsetD2D8(call, dstDevice, dstPitch, uc, Width, Height)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD2D8", raised)


_cuMemsetD2D8Async = late(globals(), DRIVER.ops, "cuMemsetD2D8Async")


def cuMemsetD2D8Async(dstDevice: int, dstPitch: int, uc: int, Width: int, Height: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemsetD2D8Async(call, dstDevice, dstPitch, uc, Width, Height, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD2D8Async", raised)


_cuMemsetD32 = late(globals(), DRIVER.ops, "cuMemsetD32")


def cuMemsetD32(dstDevice: int, ui: int, N: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemsetD32(call, dstDevice, ui, N)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD32", raised)


_cuMemsetD32Async = late(globals(), DRIVER.ops, "cuMemsetD32Async")


def cuMemsetD32Async(dstDevice: int, ui: int, N: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemsetD32Async(call, dstDevice, ui, N, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD32Async", raised)


_cuMemsetD8 = late(globals(), DRIVER.ops, "cuMemsetD8")


def cuMemsetD8(dstDevice: int, uc: int, N: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemsetD8(call, dstDevice, uc, N)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD8", raised)


_cuMemsetD8Async = late(globals(), DRIVER.ops, "cuMemsetD8Async")


def cuMemsetD8Async(dstDevice: int, uc: int, N: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemsetD8Async(call, dstDevice, uc, N, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD8Async", raised)


_cuMipmappedArrayCreate = late(globals(), DRIVER.ops, "cuMipmappedArrayCreate")
_cuMipmappedArrayCreate_nulls = frozenset({"pHandle"})


def cuMipmappedArrayCreate(pHandle: int, pMipmappedArrayDesc: int, numMipmapLevels: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pHandle:
            call = call.without(_cuMipmappedArrayCreate_nulls)
        code, out = _cuMipmappedArrayCreate(call, read_CUDA_ARRAY3D_DESCRIPTOR(pMipmappedArrayDesc) if pMipmappedArrayDesc else None, numMipmapLevels)
        if code:
            return SUCCESS | code
        if pHandle:
            put_uint64(MEMORY, pHandle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMipmappedArrayCreate", raised)


_cuMipmappedArrayDestroy = late(globals(), DRIVER.ops, "cuMipmappedArrayDestroy")


def cuMipmappedArrayDestroy(hMipmappedArray: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMipmappedArrayDestroy(call, hMipmappedArray)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMipmappedArrayDestroy", raised)


_cuMipmappedArrayGetLevel = late(globals(), DRIVER.ops, "cuMipmappedArrayGetLevel")
_cuMipmappedArrayGetLevel_nulls = frozenset({"pLevelArray"})


def cuMipmappedArrayGetLevel(pLevelArray: int, hMipmappedArray: int, level: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pLevelArray:
            call = call.without(_cuMipmappedArrayGetLevel_nulls)
        code, out = _cuMipmappedArrayGetLevel(call, hMipmappedArray, level)
        if code:
            return SUCCESS | code
        if pLevelArray:
            put_uint64(MEMORY, pLevelArray, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMipmappedArrayGetLevel", raised)


_cuMipmappedArrayGetMemoryRequirements = late(globals(), DRIVER.ops, "cuMipmappedArrayGetMemoryRequirements")
_cuMipmappedArrayGetMemoryRequirements_nulls = frozenset({"memoryRequirements"})


def cuMipmappedArrayGetMemoryRequirements(memoryRequirements: int, mipmap: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not memoryRequirements:
            call = call.without(_cuMipmappedArrayGetMemoryRequirements_nulls)
        code, out = _cuMipmappedArrayGetMemoryRequirements(call, mipmap, device)
        if code:
            return SUCCESS | code
        if memoryRequirements:
            write_CUDA_ARRAY_MEMORY_REQUIREMENTS(memoryRequirements, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMipmappedArrayGetMemoryRequirements", raised)


_cuMipmappedArrayGetSparseProperties = late(globals(), DRIVER.ops, "cuMipmappedArrayGetSparseProperties")
_cuMipmappedArrayGetSparseProperties_nulls = frozenset({"sparseProperties"})


def cuMipmappedArrayGetSparseProperties(sparseProperties: int, mipmap: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not sparseProperties:
            call = call.without(_cuMipmappedArrayGetSparseProperties_nulls)
        code, out = _cuMipmappedArrayGetSparseProperties(call, mipmap)
        if code:
            return SUCCESS | code
        if sparseProperties:
            write_CUDA_ARRAY_SPARSE_PROPERTIES(sparseProperties, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMipmappedArrayGetSparseProperties", raised)


_cuModuleEnumerateFunctions = late(globals(), DRIVER.ops, "cuModuleEnumerateFunctions")
_cuModuleEnumerateFunctions_nulls = frozenset({"functions"})


def cuModuleEnumerateFunctions(functions: int, numFunctions: int, mod: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not functions:
            call = call.without(_cuModuleEnumerateFunctions_nulls)
        code, out = _cuModuleEnumerateFunctions(call, numFunctions, mod)
        if code:
            return SUCCESS | code
        if functions:
            (c_uint64 * len(out)).from_address(functions)[:] = out
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleEnumerateFunctions", raised)


_cuModuleGetFunction = late(globals(), DRIVER.ops, "cuModuleGetFunction")
_cuModuleGetFunction_nulls = frozenset({"hfunc"})


def cuModuleGetFunction(hfunc: int, hmod: int, name: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not hfunc:
            call = call.without(_cuModuleGetFunction_nulls)
        code, out = _cuModuleGetFunction(call, hmod, string_at(name) if name else None)
        if code:
            return SUCCESS | code
        if hfunc:
            put_uint64(MEMORY, hfunc, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleGetFunction", raised)


_cuModuleGetFunctionCount = late(globals(), DRIVER.ops, "cuModuleGetFunctionCount")
_cuModuleGetFunctionCount_nulls = frozenset({"count"})


def cuModuleGetFunctionCount(count: int, mod: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not count:
            call = call.without(_cuModuleGetFunctionCount_nulls)
        code, out = _cuModuleGetFunctionCount(call, mod)
        if code:
            return SUCCESS | code
        if count:
            put_uint32(MEMORY, count, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleGetFunctionCount", raised)


_cuModuleGetGlobal = late(globals(), DRIVER.ops, "cuModuleGetGlobal")


def cuModuleGetGlobal(dptr: int, bytes_: int, hmod: int, name: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (dptr and bytes_):
            call = call.without(nulls(dptr=dptr, bytes=bytes_))
        code, out = _cuModuleGetGlobal(call, hmod, string_at(name) if name else None)
        if code:
            return SUCCESS | code
        if dptr:
            put_uint64(MEMORY, dptr, out[0])
        if bytes_:
            put_uint64(MEMORY, bytes_, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleGetGlobal", raised)


_cuModuleGetLoadingMode = late(globals(), DRIVER.ops, "cuModuleGetLoadingMode")
_cuModuleGetLoadingMode_nulls = frozenset({"mode"})


def cuModuleGetLoadingMode(mode: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not mode:
            call = call.without(_cuModuleGetLoadingMode_nulls)
        code, out = _cuModuleGetLoadingMode(call)
        if code:
            return SUCCESS | code
        if mode:
            put_int32(MEMORY, mode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleGetLoadingMode", raised)


_cuModuleGetSurfRef = late(globals(), DRIVER.ops, "cuModuleGetSurfRef")
_cuModuleGetSurfRef_nulls = frozenset({"pSurfRef"})


def cuModuleGetSurfRef(pSurfRef: int, hmod: int, name: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pSurfRef:
            call = call.without(_cuModuleGetSurfRef_nulls)
        code, out = _cuModuleGetSurfRef(call, hmod, string_at(name) if name else None)
        if code:
            return SUCCESS | code
        if pSurfRef:
            put_uint64(MEMORY, pSurfRef, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleGetSurfRef", raised)


_cuModuleGetTexRef = late(globals(), DRIVER.ops, "cuModuleGetTexRef")
_cuModuleGetTexRef_nulls = frozenset({"pTexRef"})


def cuModuleGetTexRef(pTexRef: int, hmod: int, name: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pTexRef:
            call = call.without(_cuModuleGetTexRef_nulls)
        code, out = _cuModuleGetTexRef(call, hmod, string_at(name) if name else None)
        if code:
            return SUCCESS | code
        if pTexRef:
            put_uint64(MEMORY, pTexRef, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleGetTexRef", raised)


_cuModuleLoad = late(globals(), DRIVER.ops, "cuModuleLoad")
_cuModuleLoad_nulls = frozenset({"module"})


def cuModuleLoad(module: int, fname: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not module:
            call = call.without(_cuModuleLoad_nulls)
        code, out = _cuModuleLoad(call, string_at(fname) if fname else None)
        if code:
            return SUCCESS | code
        if module:
            put_uint64(MEMORY, module, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleLoad", raised)


_cuModuleLoadData = late(globals(), DRIVER.ops, "cuModuleLoadData")
_cuModuleLoadData_nulls = frozenset({"module"})


def cuModuleLoadData(module: int, image: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not module:
            call = call.without(_cuModuleLoadData_nulls)
        code, out = _cuModuleLoadData(call, image_at(image) if image else None)
        if code:
            return SUCCESS | code
        if module:
            put_uint64(MEMORY, module, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleLoadData", raised)


_cuModuleLoadDataEx = late(globals(), DRIVER.ops, "cuModuleLoadDataEx")
_cuModuleLoadDataEx_nulls = frozenset({"module"})


def cuModuleLoadDataEx(module: int, image: int, numOptions: int, options: int, optionValues: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not module:
            call = call.without(_cuModuleLoadDataEx_nulls)
        code, out = _cuModuleLoadDataEx(call, image_at(image) if image else None, numOptions, tuple((c_int32 * many(options, 4, numOptions)).from_address(options)) if options else None, tuple((c_uint64 * many(optionValues, 8, numOptions)).from_address(optionValues)) if optionValues else None)
        if code:
            return SUCCESS | code
        if module:
            put_uint64(MEMORY, module, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleLoadDataEx", raised)


_cuModuleLoadFatBinary = late(globals(), DRIVER.ops, "cuModuleLoadFatBinary")
_cuModuleLoadFatBinary_nulls = frozenset({"module"})


def cuModuleLoadFatBinary(module: int, fatCubin: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not module:
            call = call.without(_cuModuleLoadFatBinary_nulls)
        code, out = _cuModuleLoadFatBinary(call, image_at(fatCubin) if fatCubin else None)
        if code:
            return SUCCESS | code
        if module:
            put_uint64(MEMORY, module, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleLoadFatBinary", raised)


_cuModuleUnload = late(globals(), DRIVER.ops, "cuModuleUnload")


def cuModuleUnload(hmod: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuModuleUnload(call, hmod)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleUnload", raised)


_cuMulticastAddDevice = late(globals(), DRIVER.ops, "cuMulticastAddDevice")


def cuMulticastAddDevice(mcHandle: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMulticastAddDevice(call, mcHandle, dev)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMulticastAddDevice", raised)


_cuMulticastBindAddr = late(globals(), DRIVER.ops, "cuMulticastBindAddr")


def cuMulticastBindAddr(mcHandle: int, mcOffset: int, memptr: int, size: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMulticastBindAddr(call, mcHandle, mcOffset, memptr, size, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMulticastBindAddr", raised)


_cuMulticastBindMem = late(globals(), DRIVER.ops, "cuMulticastBindMem")


def cuMulticastBindMem(mcHandle: int, mcOffset: int, memHandle: int, memOffset: int, size: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMulticastBindMem(call, mcHandle, mcOffset, memHandle, memOffset, size, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMulticastBindMem", raised)


_cuMulticastCreate = late(globals(), DRIVER.ops, "cuMulticastCreate")
_cuMulticastCreate_nulls = frozenset({"mcHandle"})


def cuMulticastCreate(mcHandle: int, prop: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not mcHandle:
            call = call.without(_cuMulticastCreate_nulls)
        code, out = _cuMulticastCreate(call, read_CUmulticastObjectProp(prop) if prop else None)
        if code:
            return SUCCESS | code
        if mcHandle:
            put_uint64(MEMORY, mcHandle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMulticastCreate", raised)


_cuMulticastGetGranularity = late(globals(), DRIVER.ops, "cuMulticastGetGranularity")
_cuMulticastGetGranularity_nulls = frozenset({"granularity"})


def cuMulticastGetGranularity(granularity: int, prop: int, option: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not granularity:
            call = call.without(_cuMulticastGetGranularity_nulls)
        code, out = _cuMulticastGetGranularity(call, read_CUmulticastObjectProp(prop) if prop else None, option)
        if code:
            return SUCCESS | code
        if granularity:
            put_uint64(MEMORY, granularity, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMulticastGetGranularity", raised)


_cuMulticastUnbind = late(globals(), DRIVER.ops, "cuMulticastUnbind")


def cuMulticastUnbind(mcHandle: int, dev: int, mcOffset: int, size: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMulticastUnbind(call, mcHandle, dev, mcOffset, size)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMulticastUnbind", raised)


_cuOccupancyAvailableDynamicSMemPerBlock = late(globals(), DRIVER.ops, "cuOccupancyAvailableDynamicSMemPerBlock")
_cuOccupancyAvailableDynamicSMemPerBlock_nulls = frozenset({"dynamicSmemSize"})


def cuOccupancyAvailableDynamicSMemPerBlock(dynamicSmemSize: int, func: int, numBlocks: int, blockSize: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not dynamicSmemSize:
            call = call.without(_cuOccupancyAvailableDynamicSMemPerBlock_nulls)
        code, out = _cuOccupancyAvailableDynamicSMemPerBlock(call, func, numBlocks, blockSize)
        if code:
            return SUCCESS | code
        if dynamicSmemSize:
            put_uint64(MEMORY, dynamicSmemSize, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuOccupancyAvailableDynamicSMemPerBlock", raised)


_cuOccupancyMaxActiveBlocksPerMultiprocessor = late(globals(), DRIVER.ops, "cuOccupancyMaxActiveBlocksPerMultiprocessor")
_cuOccupancyMaxActiveBlocksPerMultiprocessor_nulls = frozenset({"numBlocks"})


def cuOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks: int, func: int, blockSize: int, dynamicSMemSize: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not numBlocks:
            call = call.without(_cuOccupancyMaxActiveBlocksPerMultiprocessor_nulls)
        code, out = _cuOccupancyMaxActiveBlocksPerMultiprocessor(call, func, blockSize, dynamicSMemSize)
        if code:
            return SUCCESS | code
        if numBlocks:
            put_int32(MEMORY, numBlocks, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuOccupancyMaxActiveBlocksPerMultiprocessor", raised)


_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags = late(globals(), DRIVER.ops, "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_nulls = frozenset({"numBlocks"})


def cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(numBlocks: int, func: int, blockSize: int, dynamicSMemSize: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not numBlocks:
            call = call.without(_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_nulls)
        code, out = _cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(call, func, blockSize, dynamicSMemSize, flags)
        if code:
            return SUCCESS | code
        if numBlocks:
            put_int32(MEMORY, numBlocks, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags", raised)


_cuOccupancyMaxActiveClusters = late(globals(), DRIVER.ops, "cuOccupancyMaxActiveClusters")
_cuOccupancyMaxActiveClusters_nulls = frozenset({"numClusters"})


def cuOccupancyMaxActiveClusters(numClusters: int, func: int, config: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not numClusters:
            call = call.without(_cuOccupancyMaxActiveClusters_nulls)
        code, out = _cuOccupancyMaxActiveClusters(call, func, read_launch_config(config) if config else None)
        if code:
            return SUCCESS | code
        if numClusters:
            put_int32(MEMORY, numClusters, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuOccupancyMaxActiveClusters", raised)


_cuOccupancyMaxPotentialBlockSize = late(globals(), DRIVER.ops, "cuOccupancyMaxPotentialBlockSize")


def cuOccupancyMaxPotentialBlockSize(minGridSize: int, blockSize: int, func: int, blockSizeToDynamicSMemSize: int, dynamicSMemSize: int, blockSizeLimit: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (minGridSize and blockSize):
            call = call.without(nulls(minGridSize=minGridSize, blockSize=blockSize))
        code, out = _cuOccupancyMaxPotentialBlockSize(call, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit)
        if code:
            return SUCCESS | code
        if minGridSize:
            put_int32(MEMORY, minGridSize, out[0])
        if blockSize:
            put_int32(MEMORY, blockSize, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuOccupancyMaxPotentialBlockSize", raised)


_cuOccupancyMaxPotentialBlockSizeWithFlags = late(globals(), DRIVER.ops, "cuOccupancyMaxPotentialBlockSizeWithFlags")


def cuOccupancyMaxPotentialBlockSizeWithFlags(minGridSize: int, blockSize: int, func: int, blockSizeToDynamicSMemSize: int, dynamicSMemSize: int, blockSizeLimit: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (minGridSize and blockSize):
            call = call.without(nulls(minGridSize=minGridSize, blockSize=blockSize))
        code, out = _cuOccupancyMaxPotentialBlockSizeWithFlags(call, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, flags)
        if code:
            return SUCCESS | code
        if minGridSize:
            put_int32(MEMORY, minGridSize, out[0])
        if blockSize:
            put_int32(MEMORY, blockSize, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuOccupancyMaxPotentialBlockSizeWithFlags", raised)


_cuOccupancyMaxPotentialClusterSize = late(globals(), DRIVER.ops, "cuOccupancyMaxPotentialClusterSize")
_cuOccupancyMaxPotentialClusterSize_nulls = frozenset({"clusterSize"})


def cuOccupancyMaxPotentialClusterSize(clusterSize: int, func: int, config: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not clusterSize:
            call = call.without(_cuOccupancyMaxPotentialClusterSize_nulls)
        code, out = _cuOccupancyMaxPotentialClusterSize(call, func, read_launch_config(config) if config else None)
        if code:
            return SUCCESS | code
        if clusterSize:
            put_int32(MEMORY, clusterSize, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuOccupancyMaxPotentialClusterSize", raised)


_cuPointerGetAttribute = late(globals(), DRIVER.ops, "cuPointerGetAttribute")
_cuPointerGetAttribute_nulls = frozenset({"data"})


def cuPointerGetAttribute(data: int, attribute: int, ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not data:
            call = call.without(_cuPointerGetAttribute_nulls)
        code, out = _cuPointerGetAttribute(call, attribute, ptr)
        if code:
            return SUCCESS | code
        if data:
            write_attribute(data, attribute, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuPointerGetAttribute", raised)


_cuPointerGetAttributes = late(globals(), DRIVER.ops, "cuPointerGetAttributes")
_cuPointerGetAttributes_nulls = frozenset({"data"})


def cuPointerGetAttributes(numAttributes: int, attributes: int, data: int, ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not data:
            call = call.without(_cuPointerGetAttributes_nulls)
        code, out = _cuPointerGetAttributes(call, numAttributes, tuple((c_int32 * many(attributes, 4, numAttributes)).from_address(attributes)) if attributes else None, ptr)
        if code:
            return SUCCESS | code
        if data:
            write_attributes(data, attributes, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuPointerGetAttributes", raised)


_cuPointerSetAttribute = late(globals(), DRIVER.ops, "cuPointerSetAttribute")


def cuPointerSetAttribute(value: int, attribute: int, ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuPointerSetAttribute(call, c_uint32.from_address(value).value if value else None, attribute, ptr)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuPointerSetAttribute", raised)


_cuProfilerStart = late(globals(), DRIVER.ops, "cuProfilerStart")


def cuProfilerStart() -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuProfilerStart(call)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuProfilerStart", raised)


_cuProfilerStop = late(globals(), DRIVER.ops, "cuProfilerStop")


def cuProfilerStop() -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuProfilerStop(call)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuProfilerStop", raised)


_cuStreamAddCallback = late(globals(), DRIVER.ops, "cuStreamAddCallback")


def cuStreamAddCallback(hStream: int, callback: int, userData: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamAddCallback(call, hStream, callback, userData, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamAddCallback", raised)


_cuStreamAttachMemAsync = late(globals(), DRIVER.ops, "cuStreamAttachMemAsync")


def cuStreamAttachMemAsync(hStream: int, dptr: int, length: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamAttachMemAsync(call, hStream, dptr, length, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamAttachMemAsync", raised)


_cuStreamBatchMemOp = late(globals(), DRIVER.ops, "cuStreamBatchMemOp")


def cuStreamBatchMemOp(stream: int, count: int, paramArray: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamBatchMemOp(call, stream, count, read_mem_ops(paramArray, count), flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamBatchMemOp", raised)


_cuStreamBeginCapture = late(globals(), DRIVER.ops, "cuStreamBeginCapture")


def cuStreamBeginCapture(hStream: int, mode: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamBeginCapture(call, hStream, mode)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamBeginCapture", raised)


_cuStreamBeginCaptureToGraph = late(globals(), DRIVER.ops, "cuStreamBeginCaptureToGraph")


def cuStreamBeginCaptureToGraph(hStream: int, hGraph: int, dependencies: int, dependencyData: int, numDependencies: int, mode: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamBeginCaptureToGraph(call, hStream, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, tuple(read_CUgraphEdgeData(dependencyData + 8 * n) for n in range(many(dependencyData, 8, numDependencies))) if dependencyData else None, numDependencies, mode)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamBeginCaptureToGraph", raised)


_cuStreamCopyAttributes = late(globals(), DRIVER.ops, "cuStreamCopyAttributes")


def cuStreamCopyAttributes(dst: int, src: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamCopyAttributes(call, dst, src)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamCopyAttributes", raised)


_cuStreamCreate = late(globals(), DRIVER.ops, "cuStreamCreate")
_cuStreamCreate_nulls = frozenset({"phStream"})


def cuStreamCreate(phStream: int, Flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phStream:
            call = call.without(_cuStreamCreate_nulls)
        code, out = _cuStreamCreate(call, Flags)
        if code:
            return SUCCESS | code
        if phStream:
            put_uint64(MEMORY, phStream, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamCreate", raised)


_cuStreamCreateWithPriority = late(globals(), DRIVER.ops, "cuStreamCreateWithPriority")
_cuStreamCreateWithPriority_nulls = frozenset({"phStream"})


def cuStreamCreateWithPriority(phStream: int, flags: int, priority: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phStream:
            call = call.without(_cuStreamCreateWithPriority_nulls)
        code, out = _cuStreamCreateWithPriority(call, flags, priority)
        if code:
            return SUCCESS | code
        if phStream:
            put_uint64(MEMORY, phStream, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamCreateWithPriority", raised)


_cuStreamDestroy = late(globals(), DRIVER.ops, "cuStreamDestroy")


def cuStreamDestroy(hStream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuStreamDestroy(call, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamDestroy", raised)


_cuStreamEndCapture = late(globals(), DRIVER.ops, "cuStreamEndCapture")
_cuStreamEndCapture_nulls = frozenset({"phGraph"})


def cuStreamEndCapture(hStream: int, phGraph: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not phGraph:
            call = call.without(_cuStreamEndCapture_nulls)
        code, out = _cuStreamEndCapture(call, hStream)
        if code:
            return SUCCESS | code
        if phGraph:
            put_uint64(MEMORY, phGraph, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamEndCapture", raised)


_cuStreamGetAttribute = late(globals(), DRIVER.ops, "cuStreamGetAttribute")
_cuStreamGetAttribute_nulls = frozenset({"value_out"})


def cuStreamGetAttribute(hStream: int, attr: int, value_out: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not value_out:
            call = call.without(_cuStreamGetAttribute_nulls)
        code, out = _cuStreamGetAttribute(call, hStream, attr)
        if code:
            return SUCCESS | code
        if value_out:
            write_stream_value(value_out, attr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamGetAttribute", raised)


_cuStreamGetCaptureInfo = late(globals(), DRIVER.ops, "cuStreamGetCaptureInfo")


def cuStreamGetCaptureInfo(hStream: int, captureStatus_out: int, id_out: int, graph_out: int, dependencies_out: int, edgeData_out: int, numDependencies_out: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not (captureStatus_out and id_out and graph_out and dependencies_out and edgeData_out and numDependencies_out):
            call = call.without(nulls(captureStatus_out=captureStatus_out, id_out=id_out, graph_out=graph_out, dependencies_out=dependencies_out, edgeData_out=edgeData_out, numDependencies_out=numDependencies_out))
        code, out = _cuStreamGetCaptureInfo(call, hStream)
        if code:
            return SUCCESS | code
        if captureStatus_out:
            put_int32(MEMORY, captureStatus_out, out[0])
        if id_out:
            put_uint64(MEMORY, id_out, out[1])
        if graph_out:
            put_uint64(MEMORY, graph_out, out[2])
        if dependencies_out:
            put_uint64(MEMORY, dependencies_out, numbers_at(out[3]))
        if edgeData_out:
            put_uint64(MEMORY, edgeData_out, edges_at(out[4]))
        if numDependencies_out:
            put_uint64(MEMORY, numDependencies_out, out[5])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamGetCaptureInfo", raised)


_cuStreamGetCtx = late(globals(), DRIVER.ops, "cuStreamGetCtx")
_cuStreamGetCtx_nulls = frozenset({"pctx"})


def cuStreamGetCtx(hStream: int, pctx: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not pctx:
            call = call.without(_cuStreamGetCtx_nulls)
        code, out = _cuStreamGetCtx(call, hStream)
        if code:
            return SUCCESS | code
        if pctx:
            put_uint64(MEMORY, pctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamGetCtx", raised)


_cuStreamGetDevice = late(globals(), DRIVER.ops, "cuStreamGetDevice")
_cuStreamGetDevice_nulls = frozenset({"device"})


def cuStreamGetDevice(hStream: int, device: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not device:
            call = call.without(_cuStreamGetDevice_nulls)
        code, out = _cuStreamGetDevice(call, hStream)
        if code:
            return SUCCESS | code
        if device:
            put_int32(MEMORY, device, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamGetDevice", raised)


_cuStreamGetFlags = late(globals(), DRIVER.ops, "cuStreamGetFlags")
_cuStreamGetFlags_nulls = frozenset({"flags"})


def cuStreamGetFlags(hStream: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not flags:
            call = call.without(_cuStreamGetFlags_nulls)
        code, out = _cuStreamGetFlags(call, hStream)
        if code:
            return SUCCESS | code
        if flags:
            put_uint32(MEMORY, flags, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamGetFlags", raised)


_cuStreamGetId = late(globals(), DRIVER.ops, "cuStreamGetId")
_cuStreamGetId_nulls = frozenset({"streamId"})


def cuStreamGetId(hStream: int, streamId: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not streamId:
            call = call.without(_cuStreamGetId_nulls)
        code, out = _cuStreamGetId(call, hStream)
        if code:
            return SUCCESS | code
        if streamId:
            put_uint64(MEMORY, streamId, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamGetId", raised)


_cuStreamGetPriority = late(globals(), DRIVER.ops, "cuStreamGetPriority")
_cuStreamGetPriority_nulls = frozenset({"priority"})


def cuStreamGetPriority(hStream: int, priority: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not priority:
            call = call.without(_cuStreamGetPriority_nulls)
        code, out = _cuStreamGetPriority(call, hStream)
        if code:
            return SUCCESS | code
        if priority:
            put_int32(MEMORY, priority, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamGetPriority", raised)


_cuStreamIsCapturing = late(globals(), DRIVER.ops, "cuStreamIsCapturing")
_cuStreamIsCapturing_nulls = frozenset({"captureStatus"})


def cuStreamIsCapturing(hStream: int, captureStatus: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not captureStatus:
            call = call.without(_cuStreamIsCapturing_nulls)
        code, out = _cuStreamIsCapturing(call, hStream)
        if code:
            return SUCCESS | code
        if captureStatus:
            put_int32(MEMORY, captureStatus, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamIsCapturing", raised)


_cuStreamQuery = late(globals(), DRIVER.ops, "cuStreamQuery")


def cuStreamQuery(hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamQuery(call, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamQuery", raised)


_cuStreamSetAttribute = late(globals(), DRIVER.ops, "cuStreamSetAttribute")


def cuStreamSetAttribute(hStream: int, attr: int, value: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamSetAttribute(call, hStream, attr, read_stream_value(value, attr) if value else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamSetAttribute", raised)


_cuStreamSynchronize = late(globals(), DRIVER.ops, "cuStreamSynchronize")


def cuStreamSynchronize(hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamSynchronize(call, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamSynchronize", raised)


_cuStreamUpdateCaptureDependencies = late(globals(), DRIVER.ops, "cuStreamUpdateCaptureDependencies")


def cuStreamUpdateCaptureDependencies(hStream: int, dependencies: int, dependencyData: int, numDependencies: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamUpdateCaptureDependencies(call, hStream, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, tuple(read_CUgraphEdgeData(dependencyData + 8 * n) for n in range(many(dependencyData, 8, numDependencies))) if dependencyData else None, numDependencies, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamUpdateCaptureDependencies", raised)


_cuStreamWaitEvent = late(globals(), DRIVER.ops, "cuStreamWaitEvent")


def cuStreamWaitEvent(hStream: int, hEvent: int, Flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamWaitEvent(call, hStream, hEvent, Flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamWaitEvent", raised)


_cuStreamWaitValue32 = late(globals(), DRIVER.ops, "cuStreamWaitValue32")


def cuStreamWaitValue32(stream: int, addr: int, value: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamWaitValue32(call, stream, addr, value, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamWaitValue32", raised)


_cuStreamWaitValue64 = late(globals(), DRIVER.ops, "cuStreamWaitValue64")


def cuStreamWaitValue64(stream: int, addr: int, value: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamWaitValue64(call, stream, addr, value, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamWaitValue64", raised)


_cuStreamWriteValue32 = late(globals(), DRIVER.ops, "cuStreamWriteValue32")


def cuStreamWriteValue32(stream: int, addr: int, value: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamWriteValue32(call, stream, addr, value, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamWriteValue32", raised)


_cuStreamWriteValue64 = late(globals(), DRIVER.ops, "cuStreamWriteValue64")


def cuStreamWriteValue64(stream: int, addr: int, value: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamWriteValue64(call, stream, addr, value, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamWriteValue64", raised)


_cuSurfObjectCreate = late(globals(), DRIVER.ops, "cuSurfObjectCreate")
_cuSurfObjectCreate_nulls = frozenset({"pSurfObject"})


def cuSurfObjectCreate(pSurfObject: int, pResDesc: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pSurfObject:
            call = call.without(_cuSurfObjectCreate_nulls)
        code, out = _cuSurfObjectCreate(call, read_resource(pResDesc) if pResDesc else None)
        if code:
            return SUCCESS | code
        if pSurfObject:
            put_uint64(MEMORY, pSurfObject, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuSurfObjectCreate", raised)


_cuSurfObjectDestroy = late(globals(), DRIVER.ops, "cuSurfObjectDestroy")


def cuSurfObjectDestroy(surfObject: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuSurfObjectDestroy(call, surfObject)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuSurfObjectDestroy", raised)


_cuSurfObjectGetResourceDesc = late(globals(), DRIVER.ops, "cuSurfObjectGetResourceDesc")
_cuSurfObjectGetResourceDesc_nulls = frozenset({"pResDesc"})


def cuSurfObjectGetResourceDesc(pResDesc: int, surfObject: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pResDesc:
            call = call.without(_cuSurfObjectGetResourceDesc_nulls)
        code, out = _cuSurfObjectGetResourceDesc(call, surfObject)
        if code:
            return SUCCESS | code
        if pResDesc:
            write_resource(pResDesc, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuSurfObjectGetResourceDesc", raised)


_cuTensorMapEncodeIm2col = late(globals(), DRIVER.ops, "cuTensorMapEncodeIm2col")
_cuTensorMapEncodeIm2col_nulls = frozenset({"tensorMap"})


def cuTensorMapEncodeIm2col(tensorMap: int, tensorDataType: int, tensorRank: int, globalAddress: int, globalDim: int, globalStrides: int, pixelBoxLowerCorner: int, pixelBoxUpperCorner: int, channelsPerPixel: int, pixelsPerColumn: int, elementStrides: int, interleave: int, swizzle: int, l2Promotion: int, oobFill: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not tensorMap:
            call = call.without(_cuTensorMapEncodeIm2col_nulls)
        code, out = _cuTensorMapEncodeIm2col(call, tensorDataType, tensorRank, globalAddress, extents(globalDim, tensorRank, 8, less=0), extents(globalStrides, tensorRank, 8, less=1), extents(pixelBoxLowerCorner, tensorRank, -4, less=2), extents(pixelBoxUpperCorner, tensorRank, -4, less=2), channelsPerPixel, pixelsPerColumn, extents(elementStrides, tensorRank, 4, less=0), interleave, swizzle, l2Promotion, oobFill)
        if code:
            return SUCCESS | code
        if tensorMap:
            write_CUtensorMap(tensorMap, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuTensorMapEncodeIm2col", raised)


_cuTensorMapEncodeIm2colWide = late(globals(), DRIVER.ops, "cuTensorMapEncodeIm2colWide")
_cuTensorMapEncodeIm2colWide_nulls = frozenset({"tensorMap"})


def cuTensorMapEncodeIm2colWide(tensorMap: int, tensorDataType: int, tensorRank: int, globalAddress: int, globalDim: int, globalStrides: int, pixelBoxLowerCornerWidth: int, pixelBoxUpperCornerWidth: int, channelsPerPixel: int, pixelsPerColumn: int, elementStrides: int, interleave: int, mode: int, swizzle: int, l2Promotion: int, oobFill: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not tensorMap:
            call = call.without(_cuTensorMapEncodeIm2colWide_nulls)
        code, out = _cuTensorMapEncodeIm2colWide(call, tensorDataType, tensorRank, globalAddress, extents(globalDim, tensorRank, 8, less=0), extents(globalStrides, tensorRank, 8, less=1), pixelBoxLowerCornerWidth, pixelBoxUpperCornerWidth, channelsPerPixel, pixelsPerColumn, extents(elementStrides, tensorRank, 4, less=0), interleave, mode, swizzle, l2Promotion, oobFill)
        if code:
            return SUCCESS | code
        if tensorMap:
            write_CUtensorMap(tensorMap, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuTensorMapEncodeIm2colWide", raised)


_cuTensorMapEncodeTiled = late(globals(), DRIVER.ops, "cuTensorMapEncodeTiled")
_cuTensorMapEncodeTiled_nulls = frozenset({"tensorMap"})


def cuTensorMapEncodeTiled(tensorMap: int, tensorDataType: int, tensorRank: int, globalAddress: int, globalDim: int, globalStrides: int, boxDim: int, elementStrides: int, interleave: int, swizzle: int, l2Promotion: int, oobFill: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not tensorMap:
            call = call.without(_cuTensorMapEncodeTiled_nulls)
        code, out = _cuTensorMapEncodeTiled(call, tensorDataType, tensorRank, globalAddress, extents(globalDim, tensorRank, 8, less=0), extents(globalStrides, tensorRank, 8, less=1), extents(boxDim, tensorRank, 4, less=0), extents(elementStrides, tensorRank, 4, less=0), interleave, swizzle, l2Promotion, oobFill)
        if code:
            return SUCCESS | code
        if tensorMap:
            write_CUtensorMap(tensorMap, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuTensorMapEncodeTiled", raised)


_cuTensorMapReplaceAddress = late(globals(), DRIVER.ops, "cuTensorMapReplaceAddress")


def cuTensorMapReplaceAddress(tensorMap: int, globalAddress: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuTensorMapReplaceAddress(call, tensorMap, globalAddress)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuTensorMapReplaceAddress", raised)


_cuTexObjectCreate = late(globals(), DRIVER.ops, "cuTexObjectCreate")
_cuTexObjectCreate_nulls = frozenset({"pTexObject"})


def cuTexObjectCreate(pTexObject: int, pResDesc: int, pTexDesc: int, pResViewDesc: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pTexObject:
            call = call.without(_cuTexObjectCreate_nulls)
        code, out = _cuTexObjectCreate(call, read_resource(pResDesc) if pResDesc else None, read_CUDA_TEXTURE_DESC(pTexDesc) if pTexDesc else None, read_CUDA_RESOURCE_VIEW_DESC(pResViewDesc) if pResViewDesc else None)
        if code:
            return SUCCESS | code
        if pTexObject:
            put_uint64(MEMORY, pTexObject, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuTexObjectCreate", raised)


_cuTexObjectDestroy = late(globals(), DRIVER.ops, "cuTexObjectDestroy")


def cuTexObjectDestroy(texObject: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuTexObjectDestroy(call, texObject)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuTexObjectDestroy", raised)


_cuTexObjectGetResourceDesc = late(globals(), DRIVER.ops, "cuTexObjectGetResourceDesc")
_cuTexObjectGetResourceDesc_nulls = frozenset({"pResDesc"})


def cuTexObjectGetResourceDesc(pResDesc: int, texObject: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pResDesc:
            call = call.without(_cuTexObjectGetResourceDesc_nulls)
        code, out = _cuTexObjectGetResourceDesc(call, texObject)
        if code:
            return SUCCESS | code
        if pResDesc:
            write_resource(pResDesc, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuTexObjectGetResourceDesc", raised)


_cuTexObjectGetResourceViewDesc = late(globals(), DRIVER.ops, "cuTexObjectGetResourceViewDesc")
_cuTexObjectGetResourceViewDesc_nulls = frozenset({"pResViewDesc"})


def cuTexObjectGetResourceViewDesc(pResViewDesc: int, texObject: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pResViewDesc:
            call = call.without(_cuTexObjectGetResourceViewDesc_nulls)
        code, out = _cuTexObjectGetResourceViewDesc(call, texObject)
        if code:
            return SUCCESS | code
        if pResViewDesc:
            write_CUDA_RESOURCE_VIEW_DESC(pResViewDesc, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuTexObjectGetResourceViewDesc", raised)


_cuTexObjectGetTextureDesc = late(globals(), DRIVER.ops, "cuTexObjectGetTextureDesc")
_cuTexObjectGetTextureDesc_nulls = frozenset({"pTexDesc"})


def cuTexObjectGetTextureDesc(pTexDesc: int, texObject: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pTexDesc:
            call = call.without(_cuTexObjectGetTextureDesc_nulls)
        code, out = _cuTexObjectGetTextureDesc(call, texObject)
        if code:
            return SUCCESS | code
        if pTexDesc:
            write_CUDA_TEXTURE_DESC(pTexDesc, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuTexObjectGetTextureDesc", raised)


_cuThreadExchangeStreamCaptureMode = late(globals(), DRIVER.ops, "cuThreadExchangeStreamCaptureMode")
_cuThreadExchangeStreamCaptureMode_nulls = frozenset({"mode"})


def cuThreadExchangeStreamCaptureMode(mode: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not mode:
            call = call.without(_cuThreadExchangeStreamCaptureMode_nulls)
        code, out = _cuThreadExchangeStreamCaptureMode(call, c_int32.from_address(mode).value if mode else None)
        if code:
            return SUCCESS | code
        if mode:
            put_int32(MEMORY, mode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuThreadExchangeStreamCaptureMode", raised)


_cuUserObjectCreate = late(globals(), DRIVER.ops, "cuUserObjectCreate")
_cuUserObjectCreate_nulls = frozenset({"object_out"})


def cuUserObjectCreate(object_out: int, ptr: int, destroy: int, initialRefcount: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not object_out:
            call = call.without(_cuUserObjectCreate_nulls)
        code, out = _cuUserObjectCreate(call, ptr, destroy, initialRefcount, flags)
        if code:
            return SUCCESS | code
        if object_out:
            put_uint64(MEMORY, object_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuUserObjectCreate", raised)


_cuUserObjectRelease = late(globals(), DRIVER.ops, "cuUserObjectRelease")


def cuUserObjectRelease(object_: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuUserObjectRelease(call, object_, count)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuUserObjectRelease", raised)


_cuUserObjectRetain = late(globals(), DRIVER.ops, "cuUserObjectRetain")


def cuUserObjectRetain(object_: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuUserObjectRetain(call, object_, count)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuUserObjectRetain", raised)


_cuArray3DCreate_v1 = late(globals(), FORMS.ops, "cuArray3DCreate_v1")
_cuArray3DCreate_v1_nulls = frozenset({"pHandle"})


def cuArray3DCreate_v1(pHandle: int, pAllocateArray: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pHandle:
            call = call.without(_cuArray3DCreate_v1_nulls)
        code, out = _cuArray3DCreate_v1(call, read_CUDA_ARRAY3D_DESCRIPTOR_v1(pAllocateArray) if pAllocateArray else None)
        if code:
            return SUCCESS | code
        if pHandle:
            put_uint64(MEMORY, pHandle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuArray3DCreate_v1", raised)


_cuArray3DGetDescriptor_v1 = late(globals(), FORMS.ops, "cuArray3DGetDescriptor_v1")
_cuArray3DGetDescriptor_v1_nulls = frozenset({"pArrayDescriptor"})


def cuArray3DGetDescriptor_v1(pArrayDescriptor: int, hArray: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pArrayDescriptor:
            call = call.without(_cuArray3DGetDescriptor_v1_nulls)
        code, out = _cuArray3DGetDescriptor_v1(call, hArray)
        if code:
            return SUCCESS | code
        if pArrayDescriptor:
            write_CUDA_ARRAY3D_DESCRIPTOR_v1(pArrayDescriptor, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuArray3DGetDescriptor_v1", raised)


_cuArrayCreate_v1 = late(globals(), FORMS.ops, "cuArrayCreate_v1")
_cuArrayCreate_v1_nulls = frozenset({"pHandle"})


def cuArrayCreate_v1(pHandle: int, pAllocateArray: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pHandle:
            call = call.without(_cuArrayCreate_v1_nulls)
        code, out = _cuArrayCreate_v1(call, read_CUDA_ARRAY_DESCRIPTOR_v1(pAllocateArray) if pAllocateArray else None)
        if code:
            return SUCCESS | code
        if pHandle:
            put_uint64(MEMORY, pHandle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuArrayCreate_v1", raised)


_cuArrayGetDescriptor_v1 = late(globals(), FORMS.ops, "cuArrayGetDescriptor_v1")
_cuArrayGetDescriptor_v1_nulls = frozenset({"pArrayDescriptor"})


def cuArrayGetDescriptor_v1(pArrayDescriptor: int, hArray: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pArrayDescriptor:
            call = call.without(_cuArrayGetDescriptor_v1_nulls)
        code, out = _cuArrayGetDescriptor_v1(call, hArray)
        if code:
            return SUCCESS | code
        if pArrayDescriptor:
            write_CUDA_ARRAY_DESCRIPTOR_v1(pArrayDescriptor, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuArrayGetDescriptor_v1", raised)


_cuCtxCreate_v1 = late(globals(), FORMS.ops, "cuCtxCreate_v1")
_cuCtxCreate_v1_nulls = frozenset({"pctx"})


def cuCtxCreate_v1(pctx: int, flags: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pctx:
            call = call.without(_cuCtxCreate_v1_nulls)
        code, out = _cuCtxCreate_v1(call, flags, dev)
        if code:
            return SUCCESS | code
        if pctx:
            put_uint64(MEMORY, pctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxCreate_v1", raised)


_cuCtxCreate_v2 = late(globals(), FORMS.ops, "cuCtxCreate_v2")
_cuCtxCreate_v2_nulls = frozenset({"pctx"})


def cuCtxCreate_v2(pctx: int, flags: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pctx:
            call = call.without(_cuCtxCreate_v2_nulls)
        code, out = _cuCtxCreate_v2(call, flags, dev)
        if code:
            return SUCCESS | code
        if pctx:
            put_uint64(MEMORY, pctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxCreate_v2", raised)


_cuCtxCreate_v3 = late(globals(), FORMS.ops, "cuCtxCreate_v3")
_cuCtxCreate_v3_nulls = frozenset({"pctx"})


def cuCtxCreate_v3(pctx: int, paramsArray: int, numParams: int, flags: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pctx:
            call = call.without(_cuCtxCreate_v3_nulls)
        code, out = _cuCtxCreate_v3(call, paramsArray, numParams, flags, dev)
        if code:
            return SUCCESS | code
        if pctx:
            put_uint64(MEMORY, pctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxCreate_v3", raised)


_cuCtxDestroy_v1 = late(globals(), FORMS.ops, "cuCtxDestroy_v1")


def cuCtxDestroy_v1(ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxDestroy_v1(call, ctx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxDestroy_v1", raised)


_cuCtxPopCurrent_v1 = late(globals(), FORMS.ops, "cuCtxPopCurrent_v1")
_cuCtxPopCurrent_v1_nulls = frozenset({"pctx"})


def cuCtxPopCurrent_v1(pctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pctx:
            call = call.without(_cuCtxPopCurrent_v1_nulls)
        code, out = _cuCtxPopCurrent_v1(call)
        if code:
            return SUCCESS | code
        if pctx:
            put_uint64(MEMORY, pctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxPopCurrent_v1", raised)


_cuCtxPushCurrent_v1 = late(globals(), FORMS.ops, "cuCtxPushCurrent_v1")


def cuCtxPushCurrent_v1(ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuCtxPushCurrent_v1(call, ctx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuCtxPushCurrent_v1", raised)


_cuDeviceGetUuid_v1 = late(globals(), FORMS.ops, "cuDeviceGetUuid_v1")
_cuDeviceGetUuid_v1_nulls = frozenset({"uuid"})


def cuDeviceGetUuid_v1(uuid: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not uuid:
            call = call.without(_cuDeviceGetUuid_v1_nulls)
        code, out = _cuDeviceGetUuid_v1(call, dev)
        if code:
            return SUCCESS | code
        if uuid:
            memmove(uuid, out, len(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceGetUuid_v1", raised)


_cuDevicePrimaryCtxRelease_v1 = late(globals(), FORMS.ops, "cuDevicePrimaryCtxRelease_v1")


def cuDevicePrimaryCtxRelease_v1(dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuDevicePrimaryCtxRelease_v1(call, dev)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDevicePrimaryCtxRelease_v1", raised)


_cuDevicePrimaryCtxReset_v1 = late(globals(), FORMS.ops, "cuDevicePrimaryCtxReset_v1")


def cuDevicePrimaryCtxReset_v1(dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuDevicePrimaryCtxReset_v1(call, dev)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDevicePrimaryCtxReset_v1", raised)


_cuDevicePrimaryCtxSetFlags_v1 = late(globals(), FORMS.ops, "cuDevicePrimaryCtxSetFlags_v1")


def cuDevicePrimaryCtxSetFlags_v1(dev: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuDevicePrimaryCtxSetFlags_v1(call, dev, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDevicePrimaryCtxSetFlags_v1", raised)


_cuDeviceTotalMem_v1 = late(globals(), FORMS.ops, "cuDeviceTotalMem_v1")
_cuDeviceTotalMem_v1_nulls = frozenset({"bytes"})


def cuDeviceTotalMem_v1(bytes_: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not bytes_:
            call = call.without(_cuDeviceTotalMem_v1_nulls)
        code, out = _cuDeviceTotalMem_v1(call, dev)
        if code:
            return SUCCESS | code
        if bytes_:
            put_uint32(MEMORY, bytes_, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuDeviceTotalMem_v1", raised)


_cuEventDestroy_v1 = late(globals(), FORMS.ops, "cuEventDestroy_v1")


def cuEventDestroy_v1(hEvent: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuEventDestroy_v1(call, hEvent)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuEventDestroy_v1", raised)


_cuEventElapsedTime_v1 = late(globals(), FORMS.ops, "cuEventElapsedTime_v1")
_cuEventElapsedTime_v1_nulls = frozenset({"pMilliseconds"})


def cuEventElapsedTime_v1(pMilliseconds: int, hStart: int, hEnd: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pMilliseconds:
            call = call.without(_cuEventElapsedTime_v1_nulls)
        code, out = _cuEventElapsedTime_v1(call, hStart, hEnd)
        if code:
            return SUCCESS | code
        if pMilliseconds:
            put_float(MEMORY, pMilliseconds, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuEventElapsedTime_v1", raised)


_cuGetProcAddress_v1 = late(globals(), FORMS.ops, "cuGetProcAddress_v1")
_cuGetProcAddress_v1_nulls = frozenset({"pfn"})


def cuGetProcAddress_v1(symbol: int, pfn: int, cudaVersion: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or anyone()
        call = thread.native
        if not pfn:
            call = call.without(_cuGetProcAddress_v1_nulls)
        code, out = _cuGetProcAddress_v1(call, string_at(symbol) if symbol else None, cudaVersion, flags)
        if code:
            return SUCCESS | code
        if pfn:
            put_uint64(MEMORY, pfn, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGetProcAddress_v1", raised)


_cuGraphAddDependencies_v1 = late(globals(), FORMS.ops, "cuGraphAddDependencies_v1")


def cuGraphAddDependencies_v1(hGraph: int, from_: int, to: int, numDependencies: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphAddDependencies_v1(call, hGraph, tuple((c_uint64 * many(from_, 8, numDependencies)).from_address(from_)) if from_ else None, tuple((c_uint64 * many(to, 8, numDependencies)).from_address(to)) if to else None, numDependencies)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddDependencies_v1", raised)


_cuGraphAddKernelNode_v1 = late(globals(), FORMS.ops, "cuGraphAddKernelNode_v1")
_cuGraphAddKernelNode_v1_nulls = frozenset({"phGraphNode"})


def cuGraphAddKernelNode_v1(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not phGraphNode:
            call = call.without(_cuGraphAddKernelNode_v1_nulls)
        code, out = _cuGraphAddKernelNode_v1(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, read_CUDA_KERNEL_NODE_PARAMS_v1(nodeParams) if nodeParams else None)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddKernelNode_v1", raised)


_cuGraphAddNode_v1 = late(globals(), FORMS.ops, "cuGraphAddNode_v1")


def cuGraphAddNode_v1(phGraphNode: int, hGraph: int, dependencies: int, numDependencies: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (phGraphNode and nodeParams):
            call = call.without(nulls(phGraphNode=phGraphNode, nodeParams=nodeParams))
        code, out = _cuGraphAddNode_v1(call, hGraph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, string_at(nodeParams, 256) if nodeParams else None)
        if code:
            return SUCCESS | code
        if phGraphNode:
            put_uint64(MEMORY, phGraphNode, out[0])
        if nodeParams:
            tell(MEMORY, nodeParams, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphAddNode_v1", raised)


_cuGraphExecKernelNodeSetParams_v1 = late(globals(), FORMS.ops, "cuGraphExecKernelNodeSetParams_v1")


def cuGraphExecKernelNodeSetParams_v1(hGraphExec: int, hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphExecKernelNodeSetParams_v1(call, hGraphExec, hNode, read_CUDA_KERNEL_NODE_PARAMS_v1(nodeParams) if nodeParams else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecKernelNodeSetParams_v1", raised)


_cuGraphExecUpdate_v1 = late(globals(), FORMS.ops, "cuGraphExecUpdate_v1")


def cuGraphExecUpdate_v1(hGraphExec: int, hGraph: int, hErrorNode_out: int, updateResult_out: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (hErrorNode_out and updateResult_out):
            call = call.without(nulls(hErrorNode_out=hErrorNode_out, updateResult_out=updateResult_out))
        code, out = _cuGraphExecUpdate_v1(call, hGraphExec, hGraph)
        if out is None:
            return SUCCESS | code
        if hErrorNode_out and out[0] is not None:
            put_uint64(MEMORY, hErrorNode_out, out[0])
        if updateResult_out and out[1] is not None:
            put_int32(MEMORY, updateResult_out, out[1])
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphExecUpdate_v1", raised)


_cuGraphGetEdges_v1 = late(globals(), FORMS.ops, "cuGraphGetEdges_v1")


def cuGraphGetEdges_v1(hGraph: int, from_: int, to: int, numEdges: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (from_ and to and numEdges):
            call = call.without(nulls(from_=from_, to=to, numEdges=numEdges))
        code, out = _cuGraphGetEdges_v1(call, hGraph, c_uint64.from_address(numEdges).value if numEdges else None)
        if code:
            return SUCCESS | code
        if from_:
            (c_uint64 * many(from_, 8, len(out[0]))).from_address(from_)[:] = out[0]
        if to:
            (c_uint64 * many(to, 8, len(out[1]))).from_address(to)[:] = out[1]
        if numEdges:
            put_uint64(MEMORY, numEdges, out[2])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphGetEdges_v1", raised)


_cuGraphInstantiate_v1 = late(globals(), FORMS.ops, "cuGraphInstantiate_v1")


def cuGraphInstantiate_v1(phGraphExec: int, hGraph: int, phErrorNode: int, logBuffer: int, bufferSize: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (phGraphExec and phErrorNode and logBuffer):
            call = call.without(nulls(phGraphExec=phGraphExec, phErrorNode=phErrorNode, logBuffer=logBuffer))
        code, out = _cuGraphInstantiate_v1(call, hGraph, bufferSize)
        if out is None:
            return SUCCESS | code
        if phGraphExec and out[0] is not None:
            put_uint64(MEMORY, phGraphExec, out[0])
        if phErrorNode and out[1] is not None:
            put_uint64(MEMORY, phErrorNode, out[1])
        if logBuffer and out[2] is not None:
            memmove(logBuffer, out[2] + b"\0", len(out[2]) + 1)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphInstantiate_v1", raised)


_cuGraphInstantiate_v2 = late(globals(), FORMS.ops, "cuGraphInstantiate_v2")


def cuGraphInstantiate_v2(phGraphExec: int, hGraph: int, phErrorNode: int, logBuffer: int, bufferSize: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (phGraphExec and phErrorNode and logBuffer):
            call = call.without(nulls(phGraphExec=phGraphExec, phErrorNode=phErrorNode, logBuffer=logBuffer))
        code, out = _cuGraphInstantiate_v2(call, hGraph, bufferSize)
        if out is None:
            return SUCCESS | code
        if phGraphExec and out[0] is not None:
            put_uint64(MEMORY, phGraphExec, out[0])
        if phErrorNode and out[1] is not None:
            put_uint64(MEMORY, phErrorNode, out[1])
        if logBuffer and out[2] is not None:
            memmove(logBuffer, out[2] + b"\0", len(out[2]) + 1)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphInstantiate_v2", raised)


_cuGraphKernelNodeGetParams_v1 = late(globals(), FORMS.ops, "cuGraphKernelNodeGetParams_v1")
_cuGraphKernelNodeGetParams_v1_nulls = frozenset({"nodeParams"})


def cuGraphKernelNodeGetParams_v1(hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not nodeParams:
            call = call.without(_cuGraphKernelNodeGetParams_v1_nulls)
        code, out = _cuGraphKernelNodeGetParams_v1(call, hNode)
        if code:
            return SUCCESS | code
        if nodeParams:
            write_CUDA_KERNEL_NODE_PARAMS_v1(nodeParams, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphKernelNodeGetParams_v1", raised)


_cuGraphKernelNodeSetParams_v1 = late(globals(), FORMS.ops, "cuGraphKernelNodeSetParams_v1")


def cuGraphKernelNodeSetParams_v1(hNode: int, nodeParams: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphKernelNodeSetParams_v1(call, hNode, read_CUDA_KERNEL_NODE_PARAMS_v1(nodeParams) if nodeParams else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphKernelNodeSetParams_v1", raised)


_cuGraphNodeGetDependencies_v1 = late(globals(), FORMS.ops, "cuGraphNodeGetDependencies_v1")


def cuGraphNodeGetDependencies_v1(hNode: int, dependencies: int, numDependencies: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (dependencies and numDependencies):
            call = call.without(nulls(dependencies=dependencies, numDependencies=numDependencies))
        code, out = _cuGraphNodeGetDependencies_v1(call, hNode, c_uint64.from_address(numDependencies).value if numDependencies else None)
        if code:
            return SUCCESS | code
        if dependencies:
            (c_uint64 * many(dependencies, 8, len(out[0]))).from_address(dependencies)[:] = out[0]
        if numDependencies:
            put_uint64(MEMORY, numDependencies, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphNodeGetDependencies_v1", raised)


_cuGraphNodeGetDependentNodes_v1 = late(globals(), FORMS.ops, "cuGraphNodeGetDependentNodes_v1")


def cuGraphNodeGetDependentNodes_v1(hNode: int, dependentNodes: int, numDependentNodes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (dependentNodes and numDependentNodes):
            call = call.without(nulls(dependentNodes=dependentNodes, numDependentNodes=numDependentNodes))
        code, out = _cuGraphNodeGetDependentNodes_v1(call, hNode, c_uint64.from_address(numDependentNodes).value if numDependentNodes else None)
        if code:
            return SUCCESS | code
        if dependentNodes:
            (c_uint64 * many(dependentNodes, 8, len(out[0]))).from_address(dependentNodes)[:] = out[0]
        if numDependentNodes:
            put_uint64(MEMORY, numDependentNodes, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphNodeGetDependentNodes_v1", raised)


_cuGraphRemoveDependencies_v1 = late(globals(), FORMS.ops, "cuGraphRemoveDependencies_v1")


def cuGraphRemoveDependencies_v1(hGraph: int, from_: int, to: int, numDependencies: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuGraphRemoveDependencies_v1(call, hGraph, tuple((c_uint64 * many(from_, 8, numDependencies)).from_address(from_)) if from_ else None, tuple((c_uint64 * many(to, 8, numDependencies)).from_address(to)) if to else None, numDependencies)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuGraphRemoveDependencies_v1", raised)


_cuIpcOpenMemHandle_v1 = late(globals(), FORMS.ops, "cuIpcOpenMemHandle_v1")
_cuIpcOpenMemHandle_v1_nulls = frozenset({"pdptr"})


def cuIpcOpenMemHandle_v1(pdptr: int, handle: Any, Flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pdptr:
            call = call.without(_cuIpcOpenMemHandle_v1_nulls)
        code, out = _cuIpcOpenMemHandle_v1(call, bytes(handle), Flags)
        if code:
            return SUCCESS | code
        if pdptr:
            put_uint64(MEMORY, pdptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuIpcOpenMemHandle_v1", raised)


_cuLinkAddData_v1 = late(globals(), FORMS.ops, "cuLinkAddData_v1")


def cuLinkAddData_v1(state: int, type_: int, data: int, size: int, name: int, numOptions: int, options: int, optionValues: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuLinkAddData_v1(call, state, type_, image_at(data) if data else None, size, string_at(name) if name else None, numOptions, tuple((c_int32 * many(options, 4, numOptions)).from_address(options)) if options else None, tuple((c_uint64 * many(optionValues, 8, numOptions)).from_address(optionValues)) if optionValues else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLinkAddData_v1", raised)


_cuLinkAddFile_v1 = late(globals(), FORMS.ops, "cuLinkAddFile_v1")


def cuLinkAddFile_v1(state: int, type_: int, path: int, numOptions: int, options: int, optionValues: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuLinkAddFile_v1(call, state, type_, string_at(path) if path else None, numOptions, tuple((c_int32 * many(options, 4, numOptions)).from_address(options)) if options else None, tuple((c_uint64 * many(optionValues, 8, numOptions)).from_address(optionValues)) if optionValues else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLinkAddFile_v1", raised)


_cuLinkCreate_v1 = late(globals(), FORMS.ops, "cuLinkCreate_v1")
_cuLinkCreate_v1_nulls = frozenset({"stateOut"})


def cuLinkCreate_v1(numOptions: int, options: int, optionValues: int, stateOut: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not stateOut:
            call = call.without(_cuLinkCreate_v1_nulls)
        code, out = _cuLinkCreate_v1(call, numOptions, tuple((c_int32 * many(options, 4, numOptions)).from_address(options)) if options else None, tuple((c_uint64 * many(optionValues, 8, numOptions)).from_address(optionValues)) if optionValues else None)
        if code:
            return SUCCESS | code
        if stateOut:
            put_uint64(MEMORY, stateOut, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuLinkCreate_v1", raised)


_cuMemAdvise_v1 = late(globals(), FORMS.ops, "cuMemAdvise_v1")


def cuMemAdvise_v1(devPtr: int, count: int, advice: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemAdvise_v1(call, devPtr, count, advice, device)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAdvise_v1", raised)


_cuMemAllocHost_v1 = late(globals(), FORMS.ops, "cuMemAllocHost_v1")
_cuMemAllocHost_v1_nulls = frozenset({"pp"})


def cuMemAllocHost_v1(pp: int, bytesize: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pp:
            call = call.without(_cuMemAllocHost_v1_nulls)
        code, out = _cuMemAllocHost_v1(call, bytesize)
        if code:
            return SUCCESS | code
        if pp:
            put_uint64(MEMORY, pp, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAllocHost_v1", raised)


_cuMemAllocPitch_v1 = late(globals(), FORMS.ops, "cuMemAllocPitch_v1")


def cuMemAllocPitch_v1(dptr: int, pPitch: int, WidthInBytes: int, Height: int, ElementSizeBytes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (dptr and pPitch):
            call = call.without(nulls(dptr=dptr, pPitch=pPitch))
        code, out = _cuMemAllocPitch_v1(call, WidthInBytes, Height, ElementSizeBytes)
        if code:
            return SUCCESS | code
        if dptr:
            put_uint32(MEMORY, dptr, out[0])
        if pPitch:
            put_uint32(MEMORY, pPitch, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAllocPitch_v1", raised)


_cuMemAlloc_v1 = late(globals(), FORMS.ops, "cuMemAlloc_v1")
_cuMemAlloc_v1_nulls = frozenset({"dptr"})


def cuMemAlloc_v1(dptr: int, bytesize: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not dptr:
            call = call.without(_cuMemAlloc_v1_nulls)
        code, out = _cuMemAlloc_v1(call, bytesize)
        if code:
            return SUCCESS | code
        if dptr:
            put_uint32(MEMORY, dptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemAlloc_v1", raised)


_cuMemFree_v1 = late(globals(), FORMS.ops, "cuMemFree_v1")


def cuMemFree_v1(dptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemFree_v1(call, dptr)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemFree_v1", raised)


_cuMemGetAddressRange_v1 = late(globals(), FORMS.ops, "cuMemGetAddressRange_v1")


def cuMemGetAddressRange_v1(pbase: int, psize: int, dptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (pbase and psize):
            call = call.without(nulls(pbase=pbase, psize=psize))
        code, out = _cuMemGetAddressRange_v1(call, dptr)
        if code:
            return SUCCESS | code
        if pbase:
            put_uint32(MEMORY, pbase, out[0])
        if psize:
            put_uint32(MEMORY, psize, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemGetAddressRange_v1", raised)


_cuMemGetInfo_v1 = late(globals(), FORMS.ops, "cuMemGetInfo_v1")


def cuMemGetInfo_v1(free: int, total: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (free and total):
            call = call.without(nulls(free=free, total=total))
        code, out = _cuMemGetInfo_v1(call)
        if code:
            return SUCCESS | code
        if free:
            put_uint32(MEMORY, free, out[0])
        if total:
            put_uint32(MEMORY, total, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemGetInfo_v1", raised)


_cuMemHostGetDevicePointer_v1 = late(globals(), FORMS.ops, "cuMemHostGetDevicePointer_v1")
_cuMemHostGetDevicePointer_v1_nulls = frozenset({"pdptr"})


def cuMemHostGetDevicePointer_v1(pdptr: int, p: int, Flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pdptr:
            call = call.without(_cuMemHostGetDevicePointer_v1_nulls)
        code, out = _cuMemHostGetDevicePointer_v1(call, p, Flags)
        if code:
            return SUCCESS | code
        if pdptr:
            put_uint32(MEMORY, pdptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemHostGetDevicePointer_v1", raised)


_cuMemHostRegister_v1 = late(globals(), FORMS.ops, "cuMemHostRegister_v1")


def cuMemHostRegister_v1(p: int, bytesize: int, Flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemHostRegister_v1(call, p, bytesize, Flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemHostRegister_v1", raised)


_cuMemPrefetchAsync_v1 = late(globals(), FORMS.ops, "cuMemPrefetchAsync_v1")


def cuMemPrefetchAsync_v1(devPtr: int, count: int, dstDevice: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuMemPrefetchAsync_v1(call, devPtr, count, dstDevice, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemPrefetchAsync_v1", raised)


_cuMemcpy2DAsync_v1 = late(globals(), FORMS.ops, "cuMemcpy2DAsync_v1")


def cuMemcpy2DAsync_v1(pCopy: int, hStream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpy2DAsync_v1(call, read_CUDA_MEMCPY2D_v1(pCopy) if pCopy else None, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy2DAsync_v1", raised)


_cuMemcpy2DUnaligned_v1 = late(globals(), FORMS.ops, "cuMemcpy2DUnaligned_v1")


def cuMemcpy2DUnaligned_v1(pCopy: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpy2DUnaligned_v1(call, read_CUDA_MEMCPY2D_v1(pCopy) if pCopy else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy2DUnaligned_v1", raised)


_cuMemcpy2D_v1 = late(globals(), FORMS.ops, "cuMemcpy2D_v1")


def cuMemcpy2D_v1(pCopy: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpy2D_v1(call, read_CUDA_MEMCPY2D_v1(pCopy) if pCopy else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy2D_v1", raised)


_cuMemcpy3DAsync_v1 = late(globals(), FORMS.ops, "cuMemcpy3DAsync_v1")


def cuMemcpy3DAsync_v1(pCopy: int, hStream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpy3DAsync_v1(call, read_CUDA_MEMCPY3D_v1(pCopy) if pCopy else None, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy3DAsync_v1", raised)


_cuMemcpy3D_v1 = late(globals(), FORMS.ops, "cuMemcpy3D_v1")


def cuMemcpy3D_v1(pCopy: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpy3D_v1(call, read_CUDA_MEMCPY3D_v1(pCopy) if pCopy else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpy3D_v1", raised)


_cuMemcpyAtoA_v1 = late(globals(), FORMS.ops, "cuMemcpyAtoA_v1")


def cuMemcpyAtoA_v1(dstArray: int, dstOffset: int, srcArray: int, srcOffset: int, ByteCount: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyAtoA_v1(call, dstArray, dstOffset, srcArray, srcOffset, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyAtoA_v1", raised)


_cuMemcpyAtoD_v1 = late(globals(), FORMS.ops, "cuMemcpyAtoD_v1")


def cuMemcpyAtoD_v1(dstDevice: int, srcArray: int, srcOffset: int, ByteCount: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyAtoD_v1(call, dstDevice, srcArray, srcOffset, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyAtoD_v1", raised)


_cuMemcpyAtoHAsync_v1 = late(globals(), FORMS.ops, "cuMemcpyAtoHAsync_v1")


def cuMemcpyAtoHAsync_v1(dstHost: int, srcArray: int, srcOffset: int, ByteCount: int, hStream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyAtoHAsync_v1(call, dstHost, srcArray, srcOffset, ByteCount, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyAtoHAsync_v1", raised)


_cuMemcpyAtoH_v1 = late(globals(), FORMS.ops, "cuMemcpyAtoH_v1")


def cuMemcpyAtoH_v1(dstHost: int, srcArray: int, srcOffset: int, ByteCount: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyAtoH_v1(call, dstHost, srcArray, srcOffset, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyAtoH_v1", raised)


_cuMemcpyBatchAsync_v1 = late(globals(), FORMS.ops, "cuMemcpyBatchAsync_v1")
_cuMemcpyBatchAsync_v1_nulls = frozenset({"failIdx"})


def cuMemcpyBatchAsync_v1(dsts: int, srcs: int, sizes: int, count: int, attrs: int, attrsIdxs: int, numAttrs: int, failIdx: int, hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not failIdx:
            call = call.without(_cuMemcpyBatchAsync_v1_nulls)
        code, out = _cuMemcpyBatchAsync_v1(call, tuple((c_uint64 * many(dsts, 8, count)).from_address(dsts)) if dsts else None, tuple((c_uint64 * many(srcs, 8, count)).from_address(srcs)) if srcs else None, tuple((c_uint64 * many(sizes, 8, count)).from_address(sizes)) if sizes else None, count, tuple(read_CUmemcpyAttributes(attrs + 24 * n) for n in range(many(attrs, 24, min(numAttrs, count)))) if attrs else None, tuple((c_uint64 * many(attrsIdxs, 8, min(numAttrs, count))).from_address(attrsIdxs)) if attrsIdxs else None, numAttrs, hStream)
        if out is None:
            return SUCCESS | code
        if failIdx:
            put_uint64(MEMORY, failIdx, out)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyBatchAsync_v1", raised)


_cuMemcpyDtoA_v1 = late(globals(), FORMS.ops, "cuMemcpyDtoA_v1")


def cuMemcpyDtoA_v1(dstArray: int, dstOffset: int, srcDevice: int, ByteCount: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyDtoA_v1(call, dstArray, dstOffset, srcDevice, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyDtoA_v1", raised)


_cuMemcpyDtoDAsync_v1 = late(globals(), FORMS.ops, "cuMemcpyDtoDAsync_v1")


def cuMemcpyDtoDAsync_v1(dstDevice: int, srcDevice: int, ByteCount: int, hStream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyDtoDAsync_v1(call, dstDevice, srcDevice, ByteCount, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyDtoDAsync_v1", raised)


_cuMemcpyDtoD_v1 = late(globals(), FORMS.ops, "cuMemcpyDtoD_v1")


def cuMemcpyDtoD_v1(dstDevice: int, srcDevice: int, ByteCount: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyDtoD_v1(call, dstDevice, srcDevice, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyDtoD_v1", raised)


_cuMemcpyDtoHAsync_v1 = late(globals(), FORMS.ops, "cuMemcpyDtoHAsync_v1")


def cuMemcpyDtoHAsync_v1(dstHost: int, srcDevice: int, ByteCount: int, hStream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyDtoHAsync_v1(call, dstHost, srcDevice, ByteCount, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyDtoHAsync_v1", raised)


_cuMemcpyDtoH_v1 = late(globals(), FORMS.ops, "cuMemcpyDtoH_v1")


def cuMemcpyDtoH_v1(dstHost: int, srcDevice: int, ByteCount: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyDtoH_v1(call, dstHost, srcDevice, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyDtoH_v1", raised)


_cuMemcpyHtoAAsync_v1 = late(globals(), FORMS.ops, "cuMemcpyHtoAAsync_v1")


def cuMemcpyHtoAAsync_v1(dstArray: int, dstOffset: int, srcHost: int, ByteCount: int, hStream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyHtoAAsync_v1(call, dstArray, dstOffset, srcHost, ByteCount, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyHtoAAsync_v1", raised)


_cuMemcpyHtoA_v1 = late(globals(), FORMS.ops, "cuMemcpyHtoA_v1")


def cuMemcpyHtoA_v1(dstArray: int, dstOffset: int, srcHost: int, ByteCount: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyHtoA_v1(call, dstArray, dstOffset, srcHost, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyHtoA_v1", raised)


_cuMemcpyHtoDAsync_v1 = late(globals(), FORMS.ops, "cuMemcpyHtoDAsync_v1")


def cuMemcpyHtoDAsync_v1(dstDevice: int, srcHost: int, ByteCount: int, hStream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyHtoDAsync_v1(call, dstDevice, srcHost, ByteCount, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyHtoDAsync_v1", raised)


_cuMemcpyHtoD_v1 = late(globals(), FORMS.ops, "cuMemcpyHtoD_v1")


def cuMemcpyHtoD_v1(dstDevice: int, srcHost: int, ByteCount: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemcpyHtoD_v1(call, dstDevice, srcHost, ByteCount)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemcpyHtoD_v1", raised)


_cuMemsetD16_v1 = late(globals(), FORMS.ops, "cuMemsetD16_v1")


def cuMemsetD16_v1(dstDevice: int, us: int, N: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemsetD16_v1(call, dstDevice, us, N)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD16_v1", raised)


_cuMemsetD2D16_v1 = late(globals(), FORMS.ops, "cuMemsetD2D16_v1")


def cuMemsetD2D16_v1(dstDevice: int, dstPitch: int, us: int, Width: int, Height: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemsetD2D16_v1(call, dstDevice, dstPitch, us, Width, Height)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD2D16_v1", raised)


_cuMemsetD2D32_v1 = late(globals(), FORMS.ops, "cuMemsetD2D32_v1")


def cuMemsetD2D32_v1(dstDevice: int, dstPitch: int, ui: int, Width: int, Height: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemsetD2D32_v1(call, dstDevice, dstPitch, ui, Width, Height)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD2D32_v1", raised)


_cuMemsetD2D8_v1 = late(globals(), FORMS.ops, "cuMemsetD2D8_v1")


def cuMemsetD2D8_v1(dstDevice: int, dstPitch: int, uc: int, Width: int, Height: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemsetD2D8_v1(call, dstDevice, dstPitch, uc, Width, Height)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD2D8_v1", raised)


_cuMemsetD32_v1 = late(globals(), FORMS.ops, "cuMemsetD32_v1")


def cuMemsetD32_v1(dstDevice: int, ui: int, N: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemsetD32_v1(call, dstDevice, ui, N)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD32_v1", raised)


_cuMemsetD8_v1 = late(globals(), FORMS.ops, "cuMemsetD8_v1")


def cuMemsetD8_v1(dstDevice: int, uc: int, N: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuMemsetD8_v1(call, dstDevice, uc, N)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuMemsetD8_v1", raised)


_cuModuleGetGlobal_v1 = late(globals(), FORMS.ops, "cuModuleGetGlobal_v1")


def cuModuleGetGlobal_v1(dptr: int, bytes_: int, hmod: int, name: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (dptr and bytes_):
            call = call.without(nulls(dptr=dptr, bytes=bytes_))
        code, out = _cuModuleGetGlobal_v1(call, hmod, string_at(name) if name else None)
        if code:
            return SUCCESS | code
        if dptr:
            put_uint32(MEMORY, dptr, out[0])
        if bytes_:
            put_uint32(MEMORY, bytes_, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuModuleGetGlobal_v1", raised)


_cuStreamBatchMemOp_v1 = late(globals(), FORMS.ops, "cuStreamBatchMemOp_v1")


def cuStreamBatchMemOp_v1(stream: int, count: int, paramArray: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamBatchMemOp_v1(call, stream, count, read_mem_ops(paramArray, count), flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamBatchMemOp_v1", raised)


_cuStreamBeginCapture_v1 = late(globals(), FORMS.ops, "cuStreamBeginCapture_v1")


def cuStreamBeginCapture_v1(hStream: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamBeginCapture_v1(call, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamBeginCapture_v1", raised)


_cuStreamDestroy_v1 = late(globals(), FORMS.ops, "cuStreamDestroy_v1")


def cuStreamDestroy_v1(hStream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _cuStreamDestroy_v1(call, hStream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamDestroy_v1", raised)


_cuStreamGetCaptureInfo_v1 = late(globals(), FORMS.ops, "cuStreamGetCaptureInfo_v1")


def cuStreamGetCaptureInfo_v1(hStream: int, captureStatus_out: int, id_out: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not (captureStatus_out and id_out):
            call = call.without(nulls(captureStatus_out=captureStatus_out, id_out=id_out))
        code, out = _cuStreamGetCaptureInfo_v1(call, hStream)
        if code:
            return SUCCESS | code
        if captureStatus_out:
            put_int32(MEMORY, captureStatus_out, out[0])
        if id_out:
            put_uint64(MEMORY, id_out, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamGetCaptureInfo_v1", raised)


_cuStreamGetCaptureInfo_v2 = late(globals(), FORMS.ops, "cuStreamGetCaptureInfo_v2")


def cuStreamGetCaptureInfo_v2(hStream: int, captureStatus_out: int, id_out: int, graph_out: int, dependencies_out: int, numDependencies_out: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        if not (captureStatus_out and id_out and graph_out and dependencies_out and numDependencies_out):
            call = call.without(nulls(captureStatus_out=captureStatus_out, id_out=id_out, graph_out=graph_out, dependencies_out=dependencies_out, numDependencies_out=numDependencies_out))
        code, out = _cuStreamGetCaptureInfo_v2(call, hStream)
        if code:
            return SUCCESS | code
        if captureStatus_out:
            put_int32(MEMORY, captureStatus_out, out[0])
        if id_out:
            put_uint64(MEMORY, id_out, out[1])
        if graph_out:
            put_uint64(MEMORY, graph_out, out[2])
        if dependencies_out:
            put_uint64(MEMORY, dependencies_out, numbers_at(out[3]))
        if numDependencies_out:
            put_uint64(MEMORY, numDependencies_out, out[4])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamGetCaptureInfo_v2", raised)


_cuStreamUpdateCaptureDependencies_v1 = late(globals(), FORMS.ops, "cuStreamUpdateCaptureDependencies_v1")


def cuStreamUpdateCaptureDependencies_v1(hStream: int, dependencies: int, numDependencies: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamUpdateCaptureDependencies_v1(call, hStream, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamUpdateCaptureDependencies_v1", raised)


_cuStreamWaitValue32_v1 = late(globals(), FORMS.ops, "cuStreamWaitValue32_v1")


def cuStreamWaitValue32_v1(stream: int, addr: int, value: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamWaitValue32_v1(call, stream, addr, value, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamWaitValue32_v1", raised)


_cuStreamWaitValue64_v1 = late(globals(), FORMS.ops, "cuStreamWaitValue64_v1")


def cuStreamWaitValue64_v1(stream: int, addr: int, value: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamWaitValue64_v1(call, stream, addr, value, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamWaitValue64_v1", raised)


_cuStreamWriteValue32_v1 = late(globals(), FORMS.ops, "cuStreamWriteValue32_v1")


def cuStreamWriteValue32_v1(stream: int, addr: int, value: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamWriteValue32_v1(call, stream, addr, value, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamWriteValue32_v1", raised)


_cuStreamWriteValue64_v1 = late(globals(), FORMS.ops, "cuStreamWriteValue64_v1")


def cuStreamWriteValue64_v1(stream: int, addr: int, value: int, flags: int, own_stream: bool = False) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.per_thread if own_stream else thread.native
        code, _ = _cuStreamWriteValue64_v1(call, stream, addr, value, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("cuStreamWriteValue64_v1", raised)
