"""The functions of libcudart; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from ctypes import c_float, c_int32, c_uint32, c_uint64, memmove, string_at
from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import RUNTIME
from fakecuda.spec.node_params import tell
from fakecuda.model.code.image import image_at
from fakecuda.model.memory.space import MEMORY
from fakecuda.reach.native.values import (
    edges_at,
    many,
    nulls,
    numbers_at,
    read_pool_attribute,
    read_runtime_resource,
    read_shareable,
    read_stream_value,
    text_at,
    write_each,
    write_number_lists,
    write_numbers,
    write_pool_attribute,
    write_runtime_resource,
    write_shareable,
    write_stream_value,
)
from fakecuda.rules.dispatch import late

if TYPE_CHECKING:
    from fakecuda.model.call import Call


put_float, put_int32, put_uint32, put_uint64 = (Struct(code).pack_into for code in "fiIQ")


_cudaArrayMemoryRequirements = Struct("<QQ16x")


def write_cudaArrayMemoryRequirements(pointer: int, value: Any) -> None:
    _cudaArrayMemoryRequirements.pack_into(MEMORY, pointer, value[0], value[1])


_cudaArraySparseProperties = Struct("<IIIIQI16x4x")


def write_cudaArraySparseProperties(pointer: int, value: Any) -> None:
    _cudaArraySparseProperties.pack_into(MEMORY, pointer, value[0][0], value[0][1], value[0][2], value[1], value[2], value[3])


_cudaChannelFormatDesc = Struct("<iiiii")


def read_cudaChannelFormatDesc(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4 = _cudaChannelFormatDesc.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4)


def write_cudaChannelFormatDesc(pointer: int, value: Any) -> None:
    _cudaChannelFormatDesc.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4])


_cudaDeviceProp = Struct("<256s16s8sI4xQQiiQiiiiiii4xQiiQQiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiQiiiiiiiiiiiiiii4xQiiiiiiiiiiQiiiiQiiiiiiIiIiiiiiiiiIIi224x")


def read_cudaDeviceProp(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34, v35, v36, v37, v38, v39, v40, v41, v42, v43, v44, v45, v46, v47, v48, v49, v50, v51, v52, v53, v54, v55, v56, v57, v58, v59, v60, v61, v62, v63, v64, v65, v66, v67, v68, v69, v70, v71, v72, v73, v74, v75, v76, v77, v78, v79, v80, v81, v82, v83, v84, v85, v86, v87, v88, v89, v90, v91, v92, v93, v94, v95, v96, v97, v98, v99, v100, v101, v102, v103, v104, v105, v106, v107, v108, v109, v110, v111, v112, v113, v114, v115 = _cudaDeviceProp.unpack_from(MEMORY, pointer)
    return (v0.partition(b'\0')[0], v1, v2, v3, v4, v5, v6, v7, v8, v9, (v10, v11, v12), (v13, v14, v15), v16, v17, v18, v19, v20, v21, v22, v23, v24, v25, (v26, v27), (v28, v29), (v30, v31, v32), (v33, v34), (v35, v36, v37), (v38, v39, v40), v41, (v42, v43), (v44, v45, v46), (v47, v48), v49, (v50, v51), (v52, v53, v54), (v55, v56), (v57, v58, v59), v60, (v61, v62), v63, v64, v65, v66, v67, v68, v69, v70, v71, v72, v73, v74, v75, v76, v77, v78, v79, v80, v81, v82, v83, v84, v85, v86, v87, v88, v89, v90, v91, v92, v93, v94, v95, v96, v97, v98, v99, v100, v101, v102, v103, v104, v105, v106, v107, v108, v109, v110, v111, v112, v113, v114, v115)


def write_cudaDeviceProp(pointer: int, value: Any) -> None:
    _cudaDeviceProp.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8], value[9], value[10][0], value[10][1], value[10][2], value[11][0], value[11][1], value[11][2], value[12], value[13], value[14], value[15], value[16], value[17], value[18], value[19], value[20], value[21], value[22][0], value[22][1], value[23][0], value[23][1], value[24][0], value[24][1], value[24][2], value[25][0], value[25][1], value[26][0], value[26][1], value[26][2], value[27][0], value[27][1], value[27][2], value[28], value[29][0], value[29][1], value[30][0], value[30][1], value[30][2], value[31][0], value[31][1], value[32], value[33][0], value[33][1], value[34][0], value[34][1], value[34][2], value[35][0], value[35][1], value[36][0], value[36][1], value[36][2], value[37], value[38][0], value[38][1], value[39], value[40], value[41], value[42], value[43], value[44], value[45], value[46], value[47], value[48], value[49], value[50], value[51], value[52], value[53], value[54], value[55], value[56], value[57], value[58], value[59], value[60], value[61], value[62], value[63], value[64], value[65], value[66], value[67], value[68], value[69], value[70], value[71], value[72], value[73], value[74], value[75], value[76], value[77], value[78], value[79], value[80], value[81], value[82], value[83], value[84], value[85], value[86], value[87], value[88], value[89], value[90], value[91])


_cudaDeviceProp_v2 = Struct("<256s16s8sI4xQQiiQiiiiiiiiQiiQQiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiQiiiiiiiiiiiiiiiiQiiiiiiiiiiiiQiiiiQiiiiiiIiIiiii252x")


def read_cudaDeviceProp_v2(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34, v35, v36, v37, v38, v39, v40, v41, v42, v43, v44, v45, v46, v47, v48, v49, v50, v51, v52, v53, v54, v55, v56, v57, v58, v59, v60, v61, v62, v63, v64, v65, v66, v67, v68, v69, v70, v71, v72, v73, v74, v75, v76, v77, v78, v79, v80, v81, v82, v83, v84, v85, v86, v87, v88, v89, v90, v91, v92, v93, v94, v95, v96, v97, v98, v99, v100, v101, v102, v103, v104, v105, v106, v107, v108, v109, v110, v111, v112, v113, v114, v115, v116 = _cudaDeviceProp_v2.unpack_from(MEMORY, pointer)
    return (v0.partition(b'\0')[0], v1, v2, v3, v4, v5, v6, v7, v8, v9, (v10, v11, v12), (v13, v14, v15), v16, v17, v18, v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, (v31, v32), (v33, v34), (v35, v36, v37), (v38, v39), (v40, v41, v42), (v43, v44, v45), v46, (v47, v48), (v49, v50, v51), (v52, v53), v54, (v55, v56), (v57, v58, v59), (v60, v61), (v62, v63, v64), v65, (v66, v67), v68, v69, v70, v71, v72, v73, v74, v75, v76, v77, v78, v79, v80, v81, v82, v83, v84, v85, v86, v87, v88, v89, v90, v91, v92, v93, v94, v95, v96, v97, v98, v99, v100, v101, v102, v103, v104, v105, v106, v107, v108, v109, v110, v111, v112, v113, v114, v115, v116)


def write_cudaDeviceProp_v2(pointer: int, value: Any) -> None:
    _cudaDeviceProp_v2.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8], value[9], value[10][0], value[10][1], value[10][2], value[11][0], value[11][1], value[11][2], value[12], value[13], value[14], value[15], value[16], value[17], value[18], value[19], value[20], value[21], value[22], value[23], value[24], value[25], value[26], value[27][0], value[27][1], value[28][0], value[28][1], value[29][0], value[29][1], value[29][2], value[30][0], value[30][1], value[31][0], value[31][1], value[31][2], value[32][0], value[32][1], value[32][2], value[33], value[34][0], value[34][1], value[35][0], value[35][1], value[35][2], value[36][0], value[36][1], value[37], value[38][0], value[38][1], value[39][0], value[39][1], value[39][2], value[40][0], value[40][1], value[41][0], value[41][1], value[41][2], value[42], value[43][0], value[43][1], value[44], value[45], value[46], value[47], value[48], value[49], value[50], value[51], value[52], value[53], value[54], value[55], value[56], value[57], value[58], value[59], value[60], value[61], value[62], value[63], value[64], value[65], value[66], value[67], value[68], value[69], value[70], value[71], value[72], value[73], value[74], value[75], value[76], value[77], value[78], value[79], value[80], value[81], value[82], value[83], value[84], value[85], value[86], value[87], value[88], value[89], value[90], value[91], value[92])


_cudaExtent = Struct("<QQQ")


def write_cudaExtent(pointer: int, value: Any) -> None:
    _cudaExtent.pack_into(MEMORY, pointer, value[0], value[1], value[2])


_cudaFuncAttributes = Struct("<QQQiiiiiiiiiiiiiii56x4x")


def write_cudaFuncAttributes(pointer: int, value: Any) -> None:
    _cudaFuncAttributes.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8], value[9], value[10], value[11], value[12], value[13], value[14], value[15], value[16], value[17])


_cudaGraphEdgeData = Struct("<BBB5x")


def read_cudaGraphEdgeData(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2 = _cudaGraphEdgeData.unpack_from(MEMORY, pointer)
    return (v0, v1, v2)


def write_cudaGraphEdgeData(pointer: int, value: Any) -> None:
    _cudaGraphEdgeData.pack_into(MEMORY, pointer, value[0], value[1], value[2])


_cudaGraphExecUpdateResultInfo = Struct("<i4xQQ")


def write_cudaGraphExecUpdateResultInfo(pointer: int, value: Any) -> None:
    _cudaGraphExecUpdateResultInfo.pack_into(MEMORY, pointer, value[0], value[1], value[2])


_cudaGraphInstantiateParams = Struct("<QQQi4x")


def read_cudaGraphInstantiateParams(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3 = _cudaGraphInstantiateParams.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3)


def write_cudaGraphInstantiateParams(pointer: int, value: Any) -> None:
    _cudaGraphInstantiateParams.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3])


_cudaHostNodeParams = Struct("<QQ")


def read_cudaHostNodeParams(pointer: int) -> tuple[Any, ...]:
    v0, v1 = _cudaHostNodeParams.unpack_from(MEMORY, pointer)
    return (v0, v1)


def write_cudaHostNodeParams(pointer: int, value: Any) -> None:
    _cudaHostNodeParams.pack_into(MEMORY, pointer, value[0], value[1])


_cudaKernelNodeParams = Struct("<QIIIIIII4xQQ")


def read_cudaKernelNodeParams(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9 = _cudaKernelNodeParams.unpack_from(MEMORY, pointer)
    return (v0, (v1, v2, v3), (v4, v5, v6), v7, v8, v9)


def write_cudaKernelNodeParams(pointer: int, value: Any) -> None:
    _cudaKernelNodeParams.pack_into(MEMORY, pointer, value[0], value[1][0], value[1][1], value[1][2], value[2][0], value[2][1], value[2][2], value[3], value[4], value[5])


_cudaMemAccessDesc = Struct("<iii")


def read_cudaMemAccessDesc(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2 = _cudaMemAccessDesc.unpack_from(MEMORY, pointer)
    return ((v0, v1), v2)


_cudaMemAllocNodeParams = Struct("<iiiiQQH54xQQQQ")


def read_cudaMemAllocNodeParams(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10 = _cudaMemAllocNodeParams.unpack_from(MEMORY, pointer)
    return ((v0, v1, (v2, v3), v4, v5, v6), v7, v8, v9, v10)


def write_cudaMemAllocNodeParams(pointer: int, value: Any) -> None:
    _cudaMemAllocNodeParams.pack_into(MEMORY, pointer, value[0][0], value[0][1], value[0][2][0], value[0][2][1], value[0][3], value[0][4], value[0][5], value[1], value[2], value[3], value[4])


_cudaMemLocation = Struct("<ii")


def read_cudaMemLocation(pointer: int) -> tuple[Any, ...]:
    v0, v1 = _cudaMemLocation.unpack_from(MEMORY, pointer)
    return (v0, v1)


_cudaMemPoolProps = Struct("<iiiiQQH54x")


def read_cudaMemPoolProps(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6 = _cudaMemPoolProps.unpack_from(MEMORY, pointer)
    return (v0, v1, (v2, v3), v4, v5, v6)


_cudaMemcpy3DParms = Struct("<QQQQQQQQQQQQQQQQQQQi4x")


def read_cudaMemcpy3DParms(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19 = _cudaMemcpy3DParms.unpack_from(MEMORY, pointer)
    return (v0, (v1, v2, v3), (v4, v5, v6, v7), v8, (v9, v10, v11), (v12, v13, v14, v15), (v16, v17, v18), v19)


def write_cudaMemcpy3DParms(pointer: int, value: Any) -> None:
    _cudaMemcpy3DParms.pack_into(MEMORY, pointer, value[0], value[1][0], value[1][1], value[1][2], value[2][0], value[2][1], value[2][2], value[2][3], value[3], value[4][0], value[4][1], value[4][2], value[5][0], value[5][1], value[5][2], value[5][3], value[6][0], value[6][1], value[6][2], value[7])


_cudaMemcpy3DPeerParms = Struct("<QQQQQQQQi4xQQQQQQQQi4xQQQ")


def read_cudaMemcpy3DPeerParms(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20 = _cudaMemcpy3DPeerParms.unpack_from(MEMORY, pointer)
    return (v0, (v1, v2, v3), (v4, v5, v6, v7), v8, v9, (v10, v11, v12), (v13, v14, v15, v16), v17, (v18, v19, v20))


_cudaMemcpyAttributes = Struct("<iiiiiI")


def read_cudaMemcpyAttributes(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5 = _cudaMemcpyAttributes.unpack_from(MEMORY, pointer)
    return (v0, (v1, v2), (v3, v4), v5)


_cudaMemsetParams = Struct("<QQIIQQ")


def read_cudaMemsetParams(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5 = _cudaMemsetParams.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5)


def write_cudaMemsetParams(pointer: int, value: Any) -> None:
    _cudaMemsetParams.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5])


_cudaPitchedPtr = Struct("<QQQQ")


def write_cudaPitchedPtr(pointer: int, value: Any) -> None:
    _cudaPitchedPtr.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3])


_cudaPointerAttributes = Struct("<iiQQi4x56x")


def write_cudaPointerAttributes(pointer: int, value: Any) -> None:
    _cudaPointerAttributes.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4])


_cudaResourceViewDesc = Struct("<i4xQQQIIII64x")


def read_cudaResourceViewDesc(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7 = _cudaResourceViewDesc.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5, v6, v7)


def write_cudaResourceViewDesc(pointer: int, value: Any) -> None:
    _cudaResourceViewDesc.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7])


_cudaTextureDesc = Struct("<iiiiiiffffiIifffii")


def read_cudaTextureDesc(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17 = _cudaTextureDesc.unpack_from(MEMORY, pointer)
    return ((v0, v1, v2), v3, v4, v5, (v6, v7, v8, v9), v10, v11, v12, v13, v14, v15, v16, v17)


def write_cudaTextureDesc(pointer: int, value: Any) -> None:
    _cudaTextureDesc.pack_into(MEMORY, pointer, value[0][0], value[0][1], value[0][2], value[1], value[2], value[3], value[4][0], value[4][1], value[4][2], value[4][3], value[5], value[6], value[7], value[8], value[9], value[10], value[11], value[12])


_dim3 = Struct("<III")


_cudaArrayGetInfo = late(globals(), RUNTIME.ops, "cudaArrayGetInfo")


def cudaArrayGetInfo(call: Call, desc: int, extent: int, flags: int, array: int) -> int:
    if not (desc and extent and flags):
        call = call.without(nulls(desc=desc, extent=extent, flags=flags))
    code, out = _cudaArrayGetInfo(call, array)
    if code:
        return code
    if desc:
        write_cudaChannelFormatDesc(desc, out[0])
    if extent:
        write_cudaExtent(extent, out[1])
    if flags:
        put_uint32(MEMORY, flags, out[2])
    return 0


_cudaArrayGetMemoryRequirements = late(globals(), RUNTIME.ops, "cudaArrayGetMemoryRequirements")
_cudaArrayGetMemoryRequirements_nulls = frozenset({"memoryRequirements"})


def cudaArrayGetMemoryRequirements(call: Call, memoryRequirements: int, array: int, device: int) -> int:
    if not memoryRequirements:
        call = call.without(_cudaArrayGetMemoryRequirements_nulls)
    code, out = _cudaArrayGetMemoryRequirements(call, array, device)
    if code:
        return code
    if memoryRequirements:
        write_cudaArrayMemoryRequirements(memoryRequirements, out)
    return 0


_cudaArrayGetPlane = late(globals(), RUNTIME.ops, "cudaArrayGetPlane")
_cudaArrayGetPlane_nulls = frozenset({"pPlaneArray"})


def cudaArrayGetPlane(call: Call, pPlaneArray: int, hArray: int, planeIdx: int) -> int:
    if not pPlaneArray:
        call = call.without(_cudaArrayGetPlane_nulls)
    code, out = _cudaArrayGetPlane(call, hArray, planeIdx)
    if code:
        return code
    if pPlaneArray:
        put_uint64(MEMORY, pPlaneArray, out)
    return 0


_cudaArrayGetSparseProperties = late(globals(), RUNTIME.ops, "cudaArrayGetSparseProperties")
_cudaArrayGetSparseProperties_nulls = frozenset({"sparseProperties"})


def cudaArrayGetSparseProperties(call: Call, sparseProperties: int, array: int) -> int:
    if not sparseProperties:
        call = call.without(_cudaArrayGetSparseProperties_nulls)
    code, out = _cudaArrayGetSparseProperties(call, array)
    if code:
        return code
    if sparseProperties:
        write_cudaArraySparseProperties(sparseProperties, out)
    return 0


_cudaChooseDevice = late(globals(), RUNTIME.ops, "cudaChooseDevice")
_cudaChooseDevice_nulls = frozenset({"device"})


def cudaChooseDevice(call: Call, device: int, prop: int) -> int:
    if not device:
        call = call.without(_cudaChooseDevice_nulls)
    code, out = _cudaChooseDevice(call, read_cudaDeviceProp(prop) if prop else None)
    if code:
        return code
    if device:
        put_int32(MEMORY, device, out)
    return 0


_cudaChooseDevice_v1 = late(globals(), RUNTIME.ops, "cudaChooseDevice_v1")
_cudaChooseDevice_v1_nulls = frozenset({"device"})


def cudaChooseDevice_v1(call: Call, device: int, prop: int) -> int:
    if not device:
        call = call.without(_cudaChooseDevice_v1_nulls)
    code, out = _cudaChooseDevice_v1(call, read_cudaDeviceProp_v2(prop) if prop else None)
    if code:
        return code
    if device:
        put_int32(MEMORY, device, out)
    return 0


_cudaCreateSurfaceObject = late(globals(), RUNTIME.ops, "cudaCreateSurfaceObject")
_cudaCreateSurfaceObject_nulls = frozenset({"pSurfObject"})


def cudaCreateSurfaceObject(call: Call, pSurfObject: int, pResDesc: int) -> int:
    if not pSurfObject:
        call = call.without(_cudaCreateSurfaceObject_nulls)
    code, out = _cudaCreateSurfaceObject(call, read_runtime_resource(pResDesc) if pResDesc else None)
    if code:
        return code
    if pSurfObject:
        put_uint64(MEMORY, pSurfObject, out)
    return 0


_cudaCreateTextureObject = late(globals(), RUNTIME.ops, "cudaCreateTextureObject")
_cudaCreateTextureObject_nulls = frozenset({"pTexObject"})


def cudaCreateTextureObject(call: Call, pTexObject: int, pResDesc: int, pTexDesc: int, pResViewDesc: int) -> int:
    if not pTexObject:
        call = call.without(_cudaCreateTextureObject_nulls)
    code, out = _cudaCreateTextureObject(call, read_runtime_resource(pResDesc) if pResDesc else None, read_cudaTextureDesc(pTexDesc) if pTexDesc else None, read_cudaResourceViewDesc(pResViewDesc) if pResViewDesc else None)
    if code:
        return code
    if pTexObject:
        put_uint64(MEMORY, pTexObject, out)
    return 0


_cudaCtxResetPersistingL2Cache = late(globals(), RUNTIME.ops, "cudaCtxResetPersistingL2Cache")


def cudaCtxResetPersistingL2Cache(call: Call) -> int:
    return _cudaCtxResetPersistingL2Cache(call)[0]


_cudaDestroySurfaceObject = late(globals(), RUNTIME.ops, "cudaDestroySurfaceObject")


def cudaDestroySurfaceObject(call: Call, surfObject: int) -> int:
    return _cudaDestroySurfaceObject(call, surfObject)[0]


_cudaDestroyTextureObject = late(globals(), RUNTIME.ops, "cudaDestroyTextureObject")


def cudaDestroyTextureObject(call: Call, texObject: int) -> int:
    return _cudaDestroyTextureObject(call, texObject)[0]


_cudaDeviceCanAccessPeer = late(globals(), RUNTIME.ops, "cudaDeviceCanAccessPeer")
_cudaDeviceCanAccessPeer_nulls = frozenset({"canAccessPeer"})


def cudaDeviceCanAccessPeer(call: Call, canAccessPeer: int, device: int, peerDevice: int) -> int:
    if not canAccessPeer:
        call = call.without(_cudaDeviceCanAccessPeer_nulls)
    code, out = _cudaDeviceCanAccessPeer(call, device, peerDevice)
    if code:
        return code
    if canAccessPeer:
        put_int32(MEMORY, canAccessPeer, out)
    return 0


_cudaDeviceDisablePeerAccess = late(globals(), RUNTIME.ops, "cudaDeviceDisablePeerAccess")


def cudaDeviceDisablePeerAccess(call: Call, peerDevice: int) -> int:
    return _cudaDeviceDisablePeerAccess(call, peerDevice)[0]


_cudaDeviceEnablePeerAccess = late(globals(), RUNTIME.ops, "cudaDeviceEnablePeerAccess")


def cudaDeviceEnablePeerAccess(call: Call, peerDevice: int, flags: int) -> int:
    return _cudaDeviceEnablePeerAccess(call, peerDevice, flags)[0]


_cudaDeviceFlushGPUDirectRDMAWrites = late(globals(), RUNTIME.ops, "cudaDeviceFlushGPUDirectRDMAWrites")


def cudaDeviceFlushGPUDirectRDMAWrites(call: Call, target: int, scope: int) -> int:
    return _cudaDeviceFlushGPUDirectRDMAWrites(call, target, scope)[0]


_cudaDeviceGetAttribute = late(globals(), RUNTIME.ops, "cudaDeviceGetAttribute")
_cudaDeviceGetAttribute_nulls = frozenset({"value"})


def cudaDeviceGetAttribute(call: Call, value: int, attr: int, device: int) -> int:
    if not value:
        call = call.without(_cudaDeviceGetAttribute_nulls)
    code, out = _cudaDeviceGetAttribute(call, attr, device)
    if code:
        return code
    if value:
        put_int32(MEMORY, value, out)
    return 0


_cudaDeviceGetByPCIBusId = late(globals(), RUNTIME.ops, "cudaDeviceGetByPCIBusId")
_cudaDeviceGetByPCIBusId_nulls = frozenset({"device"})


def cudaDeviceGetByPCIBusId(call: Call, device: int, pciBusId: int) -> int:
    if not device:
        call = call.without(_cudaDeviceGetByPCIBusId_nulls)
    code, out = _cudaDeviceGetByPCIBusId(call, string_at(pciBusId) if pciBusId else None)
    if code:
        return code
    if device:
        put_int32(MEMORY, device, out)
    return 0


_cudaDeviceGetCacheConfig = late(globals(), RUNTIME.ops, "cudaDeviceGetCacheConfig")
_cudaDeviceGetCacheConfig_nulls = frozenset({"pCacheConfig"})


def cudaDeviceGetCacheConfig(call: Call, pCacheConfig: int) -> int:
    if not pCacheConfig:
        call = call.without(_cudaDeviceGetCacheConfig_nulls)
    code, out = _cudaDeviceGetCacheConfig(call)
    if code:
        return code
    if pCacheConfig:
        put_int32(MEMORY, pCacheConfig, out)
    return 0


_cudaDeviceGetDefaultMemPool = late(globals(), RUNTIME.ops, "cudaDeviceGetDefaultMemPool")
_cudaDeviceGetDefaultMemPool_nulls = frozenset({"memPool"})


def cudaDeviceGetDefaultMemPool(call: Call, memPool: int, device: int) -> int:
    if not memPool:
        call = call.without(_cudaDeviceGetDefaultMemPool_nulls)
    code, out = _cudaDeviceGetDefaultMemPool(call, device)
    if code:
        return code
    if memPool:
        put_uint64(MEMORY, memPool, out)
    return 0


_cudaDeviceGetGraphMemAttribute = late(globals(), RUNTIME.ops, "cudaDeviceGetGraphMemAttribute")
_cudaDeviceGetGraphMemAttribute_nulls = frozenset({"value"})


def cudaDeviceGetGraphMemAttribute(call: Call, device: int, attr: int, value: int) -> int:
    if not value:
        call = call.without(_cudaDeviceGetGraphMemAttribute_nulls)
    code, out = _cudaDeviceGetGraphMemAttribute(call, device, attr)
    if code:
        return code
    if value:
        put_uint64(MEMORY, value, out)
    return 0


_cudaDeviceGetHostAtomicCapabilities = late(globals(), RUNTIME.ops, "cudaDeviceGetHostAtomicCapabilities")
_cudaDeviceGetHostAtomicCapabilities_nulls = frozenset({"capabilities"})


def cudaDeviceGetHostAtomicCapabilities(call: Call, capabilities: int, operations: int, count: int, device: int) -> int:
    if not capabilities:
        call = call.without(_cudaDeviceGetHostAtomicCapabilities_nulls)
    code, out = _cudaDeviceGetHostAtomicCapabilities(call, tuple((c_int32 * many(operations, 4, count)).from_address(operations)) if operations else None, count, device)
    if code:
        return code
    if capabilities:
        (c_uint32 * len(out)).from_address(capabilities)[:] = out
    return 0


_cudaDeviceGetLimit = late(globals(), RUNTIME.ops, "cudaDeviceGetLimit")
_cudaDeviceGetLimit_nulls = frozenset({"pValue"})


def cudaDeviceGetLimit(call: Call, pValue: int, limit: int) -> int:
    if not pValue:
        call = call.without(_cudaDeviceGetLimit_nulls)
    code, out = _cudaDeviceGetLimit(call, limit)
    if code:
        return code
    if pValue:
        put_uint64(MEMORY, pValue, out)
    return 0


_cudaDeviceGetMemPool = late(globals(), RUNTIME.ops, "cudaDeviceGetMemPool")
_cudaDeviceGetMemPool_nulls = frozenset({"memPool"})


def cudaDeviceGetMemPool(call: Call, memPool: int, device: int) -> int:
    if not memPool:
        call = call.without(_cudaDeviceGetMemPool_nulls)
    code, out = _cudaDeviceGetMemPool(call, device)
    if code:
        return code
    if memPool:
        put_uint64(MEMORY, memPool, out)
    return 0


_cudaDeviceGetP2PAtomicCapabilities = late(globals(), RUNTIME.ops, "cudaDeviceGetP2PAtomicCapabilities")
_cudaDeviceGetP2PAtomicCapabilities_nulls = frozenset({"capabilities"})


def cudaDeviceGetP2PAtomicCapabilities(call: Call, capabilities: int, operations: int, count: int, srcDevice: int, dstDevice: int) -> int:
    if not capabilities:
        call = call.without(_cudaDeviceGetP2PAtomicCapabilities_nulls)
    code, out = _cudaDeviceGetP2PAtomicCapabilities(call, tuple((c_int32 * many(operations, 4, count)).from_address(operations)) if operations else None, count, srcDevice, dstDevice)
    if code:
        return code
    if capabilities:
        (c_uint32 * len(out)).from_address(capabilities)[:] = out
    return 0


_cudaDeviceGetP2PAttribute = late(globals(), RUNTIME.ops, "cudaDeviceGetP2PAttribute")
_cudaDeviceGetP2PAttribute_nulls = frozenset({"value"})


def cudaDeviceGetP2PAttribute(call: Call, value: int, attr: int, srcDevice: int, dstDevice: int) -> int:
    if not value:
        call = call.without(_cudaDeviceGetP2PAttribute_nulls)
    code, out = _cudaDeviceGetP2PAttribute(call, attr, srcDevice, dstDevice)
    if code:
        return code
    if value:
        put_int32(MEMORY, value, out)
    return 0


_cudaDeviceGetPCIBusId = late(globals(), RUNTIME.ops, "cudaDeviceGetPCIBusId")
_cudaDeviceGetPCIBusId_nulls = frozenset({"pciBusId"})


def cudaDeviceGetPCIBusId(call: Call, pciBusId: int, len_: int, device: int) -> int:
    if not pciBusId:
        call = call.without(_cudaDeviceGetPCIBusId_nulls)
    code, out = _cudaDeviceGetPCIBusId(call, len_, device)
    if code:
        return code
    if pciBusId:
        memmove(pciBusId, out + b"\0", len(out) + 1)
    return 0


_cudaDeviceGetSharedMemConfig = late(globals(), RUNTIME.ops, "cudaDeviceGetSharedMemConfig")
_cudaDeviceGetSharedMemConfig_nulls = frozenset({"pConfig"})


def cudaDeviceGetSharedMemConfig(call: Call, pConfig: int) -> int:
    if not pConfig:
        call = call.without(_cudaDeviceGetSharedMemConfig_nulls)
    code, out = _cudaDeviceGetSharedMemConfig(call)
    if code:
        return code
    if pConfig:
        put_int32(MEMORY, pConfig, out)
    return 0


_cudaDeviceGetStreamPriorityRange = late(globals(), RUNTIME.ops, "cudaDeviceGetStreamPriorityRange")


def cudaDeviceGetStreamPriorityRange(call: Call, leastPriority: int, greatestPriority: int) -> int:
    if not (leastPriority and greatestPriority):
        call = call.without(nulls(leastPriority=leastPriority, greatestPriority=greatestPriority))
    code, out = _cudaDeviceGetStreamPriorityRange(call)
    if code:
        return code
    if leastPriority:
        put_int32(MEMORY, leastPriority, out[0])
    if greatestPriority:
        put_int32(MEMORY, greatestPriority, out[1])
    return 0


_cudaDeviceGetTexture1DLinearMaxWidth = late(globals(), RUNTIME.ops, "cudaDeviceGetTexture1DLinearMaxWidth")
_cudaDeviceGetTexture1DLinearMaxWidth_nulls = frozenset({"maxWidthInElements"})


def cudaDeviceGetTexture1DLinearMaxWidth(call: Call, maxWidthInElements: int, fmtDesc: int, device: int) -> int:
    if not maxWidthInElements:
        call = call.without(_cudaDeviceGetTexture1DLinearMaxWidth_nulls)
    code, out = _cudaDeviceGetTexture1DLinearMaxWidth(call, read_cudaChannelFormatDesc(fmtDesc) if fmtDesc else None, device)
    if code:
        return code
    if maxWidthInElements:
        put_uint64(MEMORY, maxWidthInElements, out)
    return 0


_cudaDeviceGraphMemTrim = late(globals(), RUNTIME.ops, "cudaDeviceGraphMemTrim")


def cudaDeviceGraphMemTrim(call: Call, device: int) -> int:
    return _cudaDeviceGraphMemTrim(call, device)[0]


_cudaDeviceReset = late(globals(), RUNTIME.ops, "cudaDeviceReset")


def cudaDeviceReset(call: Call) -> int:
    return _cudaDeviceReset(call)[0]


_cudaDeviceSetCacheConfig = late(globals(), RUNTIME.ops, "cudaDeviceSetCacheConfig")


def cudaDeviceSetCacheConfig(call: Call, cacheConfig: int) -> int:
    return _cudaDeviceSetCacheConfig(call, cacheConfig)[0]


_cudaDeviceSetGraphMemAttribute = late(globals(), RUNTIME.ops, "cudaDeviceSetGraphMemAttribute")


def cudaDeviceSetGraphMemAttribute(call: Call, device: int, attr: int, value: int) -> int:
    return _cudaDeviceSetGraphMemAttribute(call, device, attr, c_uint64.from_address(value).value if value else None)[0]


_cudaDeviceSetLimit = late(globals(), RUNTIME.ops, "cudaDeviceSetLimit")


def cudaDeviceSetLimit(call: Call, limit: int, value: int) -> int:
    return _cudaDeviceSetLimit(call, limit, value)[0]


_cudaDeviceSetMemPool = late(globals(), RUNTIME.ops, "cudaDeviceSetMemPool")


def cudaDeviceSetMemPool(call: Call, device: int, memPool: int) -> int:
    return _cudaDeviceSetMemPool(call, device, memPool)[0]


_cudaDeviceSetSharedMemConfig = late(globals(), RUNTIME.ops, "cudaDeviceSetSharedMemConfig")


def cudaDeviceSetSharedMemConfig(call: Call, config: int) -> int:
    return _cudaDeviceSetSharedMemConfig(call, config)[0]


_cudaDeviceSynchronize = late(globals(), RUNTIME.ops, "cudaDeviceSynchronize")


def cudaDeviceSynchronize(call: Call) -> int:
    return _cudaDeviceSynchronize(call)[0]


_cudaDriverGetVersion = late(globals(), RUNTIME.ops, "cudaDriverGetVersion")
_cudaDriverGetVersion_nulls = frozenset({"driverVersion"})


def cudaDriverGetVersion(call: Call, driverVersion: int) -> int:
    if not driverVersion:
        call = call.without(_cudaDriverGetVersion_nulls)
    code, out = _cudaDriverGetVersion(call)
    if code:
        return code
    if driverVersion:
        put_int32(MEMORY, driverVersion, out)
    return 0


_cudaEventCreate = late(globals(), RUNTIME.ops, "cudaEventCreate")
_cudaEventCreate_nulls = frozenset({"event"})


def cudaEventCreate(call: Call, event: int) -> int:
    if not event:
        call = call.without(_cudaEventCreate_nulls)
    code, out = _cudaEventCreate(call)
    if code:
        return code
    if event:
        put_uint64(MEMORY, event, out)
    return 0


_cudaEventCreateWithFlags = late(globals(), RUNTIME.ops, "cudaEventCreateWithFlags")
_cudaEventCreateWithFlags_nulls = frozenset({"event"})


def cudaEventCreateWithFlags(call: Call, event: int, flags: int) -> int:
    if not event:
        call = call.without(_cudaEventCreateWithFlags_nulls)
    code, out = _cudaEventCreateWithFlags(call, flags)
    if code:
        return code
    if event:
        put_uint64(MEMORY, event, out)
    return 0


_cudaEventDestroy = late(globals(), RUNTIME.ops, "cudaEventDestroy")


def cudaEventDestroy(call: Call, event: int) -> int:
    return _cudaEventDestroy(call, event)[0]


_cudaEventElapsedTime = late(globals(), RUNTIME.ops, "cudaEventElapsedTime")
_cudaEventElapsedTime_nulls = frozenset({"ms"})


def cudaEventElapsedTime(call: Call, ms: int, start: int, end: int) -> int:
    if not ms:
        call = call.without(_cudaEventElapsedTime_nulls)
    code, out = _cudaEventElapsedTime(call, start, end)
    if code:
        return code
    if ms:
        put_float(MEMORY, ms, out)
    return 0


_cudaEventQuery = late(globals(), RUNTIME.ops, "cudaEventQuery")


def cudaEventQuery(call: Call, event: int) -> int:
    return _cudaEventQuery(call, event)[0]


_cudaEventRecord = late(globals(), RUNTIME.ops, "cudaEventRecord")


def cudaEventRecord(call: Call, event: int, stream: int) -> int:
    return _cudaEventRecord(call, event, stream)[0]


_cudaEventRecordWithFlags = late(globals(), RUNTIME.ops, "cudaEventRecordWithFlags")


def cudaEventRecordWithFlags(call: Call, event: int, stream: int, flags: int) -> int:
    return _cudaEventRecordWithFlags(call, event, stream, flags)[0]


_cudaEventSynchronize = late(globals(), RUNTIME.ops, "cudaEventSynchronize")


def cudaEventSynchronize(call: Call, event: int) -> int:
    return _cudaEventSynchronize(call, event)[0]


_cudaFree = late(globals(), RUNTIME.ops, "cudaFree")


def cudaFree(call: Call, devPtr: int) -> int:
    return _cudaFree(call, devPtr)[0]


_cudaFreeArray = late(globals(), RUNTIME.ops, "cudaFreeArray")


def cudaFreeArray(call: Call, array: int) -> int:
    return _cudaFreeArray(call, array)[0]


_cudaFreeAsync = late(globals(), RUNTIME.ops, "cudaFreeAsync")


def cudaFreeAsync(call: Call, devPtr: int, hStream: int) -> int:
    return _cudaFreeAsync(call, devPtr, hStream)[0]


_cudaFreeHost = late(globals(), RUNTIME.ops, "cudaFreeHost")


def cudaFreeHost(call: Call, ptr: int) -> int:
    return _cudaFreeHost(call, ptr)[0]


_cudaFreeMipmappedArray = late(globals(), RUNTIME.ops, "cudaFreeMipmappedArray")


def cudaFreeMipmappedArray(call: Call, mipmappedArray: int) -> int:
    return _cudaFreeMipmappedArray(call, mipmappedArray)[0]


_cudaFuncGetAttributes = late(globals(), RUNTIME.ops, "cudaFuncGetAttributes")
_cudaFuncGetAttributes_nulls = frozenset({"attr"})


def cudaFuncGetAttributes(call: Call, attr: int, func: int) -> int:
    if not attr:
        call = call.without(_cudaFuncGetAttributes_nulls)
    code, out = _cudaFuncGetAttributes(call, func)
    if code:
        return code
    if attr:
        write_cudaFuncAttributes(attr, out)
    return 0


_cudaFuncGetName = late(globals(), RUNTIME.ops, "cudaFuncGetName")
_cudaFuncGetName_nulls = frozenset({"name"})


def cudaFuncGetName(call: Call, name: int, func: int) -> int:
    if not name:
        call = call.without(_cudaFuncGetName_nulls)
    code, out = _cudaFuncGetName(call, func)
    if code:
        return code
    if name:
        put_uint64(MEMORY, name, text_at(out))
    return 0


_cudaFuncGetParamInfo = late(globals(), RUNTIME.ops, "cudaFuncGetParamInfo")


def cudaFuncGetParamInfo(call: Call, func: int, paramIndex: int, paramOffset: int, paramSize: int) -> int:
    if not (paramOffset and paramSize):
        call = call.without(nulls(paramOffset=paramOffset, paramSize=paramSize))
    code, out = _cudaFuncGetParamInfo(call, func, paramIndex)
    if code:
        return code
    if paramOffset:
        put_uint64(MEMORY, paramOffset, out[0])
    if paramSize:
        put_uint64(MEMORY, paramSize, out[1])
    return 0


_cudaFuncSetAttribute = late(globals(), RUNTIME.ops, "cudaFuncSetAttribute")


def cudaFuncSetAttribute(call: Call, func: int, attr: int, value: int) -> int:
    return _cudaFuncSetAttribute(call, func, attr, value)[0]


_cudaFuncSetCacheConfig = late(globals(), RUNTIME.ops, "cudaFuncSetCacheConfig")


def cudaFuncSetCacheConfig(call: Call, func: int, cacheConfig: int) -> int:
    return _cudaFuncSetCacheConfig(call, func, cacheConfig)[0]


_cudaFuncSetSharedMemConfig = late(globals(), RUNTIME.ops, "cudaFuncSetSharedMemConfig")


def cudaFuncSetSharedMemConfig(call: Call, func: int, config: int) -> int:
    return _cudaFuncSetSharedMemConfig(call, func, config)[0]


_cudaGetChannelDesc = late(globals(), RUNTIME.ops, "cudaGetChannelDesc")
_cudaGetChannelDesc_nulls = frozenset({"desc"})


def cudaGetChannelDesc(call: Call, desc: int, array: int) -> int:
    if not desc:
        call = call.without(_cudaGetChannelDesc_nulls)
    code, out = _cudaGetChannelDesc(call, array)
    if code:
        return code
    if desc:
        write_cudaChannelFormatDesc(desc, out)
    return 0


_cudaGetDevice = late(globals(), RUNTIME.ops, "cudaGetDevice")
_cudaGetDevice_nulls = frozenset({"device"})


def cudaGetDevice(call: Call, device: int) -> int:
    if not device:
        call = call.without(_cudaGetDevice_nulls)
    code, out = _cudaGetDevice(call)
    if code:
        return code
    if device:
        put_int32(MEMORY, device, out)
    return 0


_cudaGetDeviceCount = late(globals(), RUNTIME.ops, "cudaGetDeviceCount")
_cudaGetDeviceCount_nulls = frozenset({"count"})


def cudaGetDeviceCount(call: Call, count: int) -> int:
    if not count:
        call = call.without(_cudaGetDeviceCount_nulls)
    code, out = _cudaGetDeviceCount(call)
    if code:
        return code
    if count:
        put_int32(MEMORY, count, out)
    return 0


_cudaGetDeviceFlags = late(globals(), RUNTIME.ops, "cudaGetDeviceFlags")
_cudaGetDeviceFlags_nulls = frozenset({"flags"})


def cudaGetDeviceFlags(call: Call, flags: int) -> int:
    if not flags:
        call = call.without(_cudaGetDeviceFlags_nulls)
    code, out = _cudaGetDeviceFlags(call)
    if code:
        return code
    if flags:
        put_uint32(MEMORY, flags, out)
    return 0


_cudaGetDeviceProperties = late(globals(), RUNTIME.ops, "cudaGetDeviceProperties")
_cudaGetDeviceProperties_nulls = frozenset({"prop"})


def cudaGetDeviceProperties(call: Call, prop: int, device: int) -> int:
    if not prop:
        call = call.without(_cudaGetDeviceProperties_nulls)
    code, out = _cudaGetDeviceProperties(call, device)
    if code:
        return code
    if prop:
        write_cudaDeviceProp(prop, out)
    return 0


_cudaGetDeviceProperties_v2 = late(globals(), RUNTIME.ops, "cudaGetDeviceProperties_v2")
_cudaGetDeviceProperties_v2_nulls = frozenset({"prop"})


def cudaGetDeviceProperties_v2(call: Call, prop: int, device: int) -> int:
    if not prop:
        call = call.without(_cudaGetDeviceProperties_v2_nulls)
    code, out = _cudaGetDeviceProperties_v2(call, device)
    if code:
        return code
    if prop:
        write_cudaDeviceProp_v2(prop, out)
    return 0


_cudaGetDriverEntryPoint = late(globals(), RUNTIME.ops, "cudaGetDriverEntryPoint")


def cudaGetDriverEntryPoint(call: Call, symbol: int, funcPtr: int, flags: int, driverStatus: int) -> int:
    if not (funcPtr and driverStatus):
        call = call.without(nulls(funcPtr=funcPtr, driverStatus=driverStatus))
    code, out = _cudaGetDriverEntryPoint(call, string_at(symbol) if symbol else None, flags)
    if code:
        return code
    if funcPtr:
        put_uint64(MEMORY, funcPtr, out[0])
    if driverStatus:
        put_int32(MEMORY, driverStatus, out[1])
    return 0


_cudaGetDriverEntryPointByVersion = late(globals(), RUNTIME.ops, "cudaGetDriverEntryPointByVersion")


def cudaGetDriverEntryPointByVersion(call: Call, symbol: int, funcPtr: int, cudaVersion: int, flags: int, driverStatus: int) -> int:
    if not (funcPtr and driverStatus):
        call = call.without(nulls(funcPtr=funcPtr, driverStatus=driverStatus))
    code, out = _cudaGetDriverEntryPointByVersion(call, string_at(symbol) if symbol else None, cudaVersion, flags)
    if code:
        return code
    if funcPtr:
        put_uint64(MEMORY, funcPtr, out[0])
    if driverStatus:
        put_int32(MEMORY, driverStatus, out[1])
    return 0


_cudaGetErrorName = late(globals(), RUNTIME.ops, "cudaGetErrorName")


def cudaGetErrorName(call: Call, error_: int) -> int:
    return text_at(_cudaGetErrorName(call, error_)[1])


_cudaGetErrorString = late(globals(), RUNTIME.ops, "cudaGetErrorString")


def cudaGetErrorString(call: Call, error_: int) -> int:
    return text_at(_cudaGetErrorString(call, error_)[1])


_cudaGetFuncBySymbol = late(globals(), RUNTIME.ops, "cudaGetFuncBySymbol")
_cudaGetFuncBySymbol_nulls = frozenset({"functionPtr"})


def cudaGetFuncBySymbol(call: Call, functionPtr: int, symbolPtr: int) -> int:
    if not functionPtr:
        call = call.without(_cudaGetFuncBySymbol_nulls)
    code, out = _cudaGetFuncBySymbol(call, symbolPtr)
    if code:
        return code
    if functionPtr:
        put_uint64(MEMORY, functionPtr, out)
    return 0


_cudaGetKernel = late(globals(), RUNTIME.ops, "cudaGetKernel")
_cudaGetKernel_nulls = frozenset({"kernelPtr"})


def cudaGetKernel(call: Call, kernelPtr: int, entryFuncAddr: int) -> int:
    if not kernelPtr:
        call = call.without(_cudaGetKernel_nulls)
    code, out = _cudaGetKernel(call, entryFuncAddr)
    if code:
        return code
    if kernelPtr:
        put_uint64(MEMORY, kernelPtr, out)
    return 0


_cudaGetLastError = late(globals(), RUNTIME.ops, "cudaGetLastError")


def cudaGetLastError(call: Call) -> int:
    return _cudaGetLastError(call)[0]


_cudaGetMipmappedArrayLevel = late(globals(), RUNTIME.ops, "cudaGetMipmappedArrayLevel")
_cudaGetMipmappedArrayLevel_nulls = frozenset({"levelArray"})


def cudaGetMipmappedArrayLevel(call: Call, levelArray: int, mipmappedArray: int, level: int) -> int:
    if not levelArray:
        call = call.without(_cudaGetMipmappedArrayLevel_nulls)
    code, out = _cudaGetMipmappedArrayLevel(call, mipmappedArray, level)
    if code:
        return code
    if levelArray:
        put_uint64(MEMORY, levelArray, out)
    return 0


_cudaGetSurfaceObjectResourceDesc = late(globals(), RUNTIME.ops, "cudaGetSurfaceObjectResourceDesc")
_cudaGetSurfaceObjectResourceDesc_nulls = frozenset({"pResDesc"})


def cudaGetSurfaceObjectResourceDesc(call: Call, pResDesc: int, surfObject: int) -> int:
    if not pResDesc:
        call = call.without(_cudaGetSurfaceObjectResourceDesc_nulls)
    code, out = _cudaGetSurfaceObjectResourceDesc(call, surfObject)
    if code:
        return code
    if pResDesc:
        write_runtime_resource(pResDesc, out)
    return 0


_cudaGetSymbolAddress = late(globals(), RUNTIME.ops, "cudaGetSymbolAddress")
_cudaGetSymbolAddress_nulls = frozenset({"devPtr"})


def cudaGetSymbolAddress(call: Call, devPtr: int, symbol: int) -> int:
    if not devPtr:
        call = call.without(_cudaGetSymbolAddress_nulls)
    code, out = _cudaGetSymbolAddress(call, symbol)
    if code:
        return code
    if devPtr:
        put_uint64(MEMORY, devPtr, out)
    return 0


_cudaGetSymbolSize = late(globals(), RUNTIME.ops, "cudaGetSymbolSize")
_cudaGetSymbolSize_nulls = frozenset({"size"})


def cudaGetSymbolSize(call: Call, size: int, symbol: int) -> int:
    if not size:
        call = call.without(_cudaGetSymbolSize_nulls)
    code, out = _cudaGetSymbolSize(call, symbol)
    if code:
        return code
    if size:
        put_uint64(MEMORY, size, out)
    return 0


_cudaGetTextureObjectResourceDesc = late(globals(), RUNTIME.ops, "cudaGetTextureObjectResourceDesc")
_cudaGetTextureObjectResourceDesc_nulls = frozenset({"pResDesc"})


def cudaGetTextureObjectResourceDesc(call: Call, pResDesc: int, texObject: int) -> int:
    if not pResDesc:
        call = call.without(_cudaGetTextureObjectResourceDesc_nulls)
    code, out = _cudaGetTextureObjectResourceDesc(call, texObject)
    if code:
        return code
    if pResDesc:
        write_runtime_resource(pResDesc, out)
    return 0


_cudaGetTextureObjectResourceViewDesc = late(globals(), RUNTIME.ops, "cudaGetTextureObjectResourceViewDesc")
_cudaGetTextureObjectResourceViewDesc_nulls = frozenset({"pResViewDesc"})


def cudaGetTextureObjectResourceViewDesc(call: Call, pResViewDesc: int, texObject: int) -> int:
    if not pResViewDesc:
        call = call.without(_cudaGetTextureObjectResourceViewDesc_nulls)
    code, out = _cudaGetTextureObjectResourceViewDesc(call, texObject)
    if code:
        return code
    if pResViewDesc:
        write_cudaResourceViewDesc(pResViewDesc, out)
    return 0


_cudaGetTextureObjectTextureDesc = late(globals(), RUNTIME.ops, "cudaGetTextureObjectTextureDesc")
_cudaGetTextureObjectTextureDesc_nulls = frozenset({"pTexDesc"})


def cudaGetTextureObjectTextureDesc(call: Call, pTexDesc: int, texObject: int) -> int:
    if not pTexDesc:
        call = call.without(_cudaGetTextureObjectTextureDesc_nulls)
    code, out = _cudaGetTextureObjectTextureDesc(call, texObject)
    if code:
        return code
    if pTexDesc:
        write_cudaTextureDesc(pTexDesc, out)
    return 0


_cudaGraphAddChildGraphNode = late(globals(), RUNTIME.ops, "cudaGraphAddChildGraphNode")
_cudaGraphAddChildGraphNode_nulls = frozenset({"pGraphNode"})


def cudaGraphAddChildGraphNode(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, childGraph: int) -> int:
    if not pGraphNode:
        call = call.without(_cudaGraphAddChildGraphNode_nulls)
    code, out = _cudaGraphAddChildGraphNode(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, childGraph)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out)
    return 0


_cudaGraphAddDependencies = late(globals(), RUNTIME.ops, "cudaGraphAddDependencies")


def cudaGraphAddDependencies(call: Call, graph: int, from_: int, to: int, edgeData: int, numDependencies: int) -> int:
    return _cudaGraphAddDependencies(call, graph, tuple((c_uint64 * many(from_, 8, numDependencies)).from_address(from_)) if from_ else None, tuple((c_uint64 * many(to, 8, numDependencies)).from_address(to)) if to else None, tuple(read_cudaGraphEdgeData(edgeData + 8 * n) for n in range(many(edgeData, 8, numDependencies))) if edgeData else None, numDependencies)[0]


_cudaGraphAddDependencies_v1 = late(globals(), RUNTIME.ops, "cudaGraphAddDependencies_v1")


def cudaGraphAddDependencies_v1(call: Call, graph: int, from_: int, to: int, numDependencies: int) -> int:
    return _cudaGraphAddDependencies_v1(call, graph, tuple((c_uint64 * many(from_, 8, numDependencies)).from_address(from_)) if from_ else None, tuple((c_uint64 * many(to, 8, numDependencies)).from_address(to)) if to else None, numDependencies)[0]


_cudaGraphAddEmptyNode = late(globals(), RUNTIME.ops, "cudaGraphAddEmptyNode")
_cudaGraphAddEmptyNode_nulls = frozenset({"pGraphNode"})


def cudaGraphAddEmptyNode(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int) -> int:
    if not pGraphNode:
        call = call.without(_cudaGraphAddEmptyNode_nulls)
    code, out = _cudaGraphAddEmptyNode(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out)
    return 0


_cudaGraphAddEventRecordNode = late(globals(), RUNTIME.ops, "cudaGraphAddEventRecordNode")
_cudaGraphAddEventRecordNode_nulls = frozenset({"pGraphNode"})


def cudaGraphAddEventRecordNode(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, event: int) -> int:
    if not pGraphNode:
        call = call.without(_cudaGraphAddEventRecordNode_nulls)
    code, out = _cudaGraphAddEventRecordNode(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, event)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out)
    return 0


_cudaGraphAddEventWaitNode = late(globals(), RUNTIME.ops, "cudaGraphAddEventWaitNode")
_cudaGraphAddEventWaitNode_nulls = frozenset({"pGraphNode"})


def cudaGraphAddEventWaitNode(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, event: int) -> int:
    if not pGraphNode:
        call = call.without(_cudaGraphAddEventWaitNode_nulls)
    code, out = _cudaGraphAddEventWaitNode(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, event)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out)
    return 0


_cudaGraphAddHostNode = late(globals(), RUNTIME.ops, "cudaGraphAddHostNode")
_cudaGraphAddHostNode_nulls = frozenset({"pGraphNode"})


def cudaGraphAddHostNode(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, pNodeParams: int) -> int:
    if not pGraphNode:
        call = call.without(_cudaGraphAddHostNode_nulls)
    code, out = _cudaGraphAddHostNode(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, read_cudaHostNodeParams(pNodeParams) if pNodeParams else None)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out)
    return 0


_cudaGraphAddKernelNode = late(globals(), RUNTIME.ops, "cudaGraphAddKernelNode")
_cudaGraphAddKernelNode_nulls = frozenset({"pGraphNode"})


def cudaGraphAddKernelNode(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, pNodeParams: int) -> int:
    if not pGraphNode:
        call = call.without(_cudaGraphAddKernelNode_nulls)
    code, out = _cudaGraphAddKernelNode(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, read_cudaKernelNodeParams(pNodeParams) if pNodeParams else None)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out)
    return 0


_cudaGraphAddMemAllocNode = late(globals(), RUNTIME.ops, "cudaGraphAddMemAllocNode")


def cudaGraphAddMemAllocNode(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, nodeParams: int) -> int:
    if not (pGraphNode and nodeParams):
        call = call.without(nulls(pGraphNode=pGraphNode, nodeParams=nodeParams))
    code, out = _cudaGraphAddMemAllocNode(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, read_cudaMemAllocNodeParams(nodeParams) if nodeParams else None)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out[0])
    if nodeParams:
        write_cudaMemAllocNodeParams(nodeParams, out[1])
    return 0


_cudaGraphAddMemFreeNode = late(globals(), RUNTIME.ops, "cudaGraphAddMemFreeNode")
_cudaGraphAddMemFreeNode_nulls = frozenset({"pGraphNode"})


def cudaGraphAddMemFreeNode(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, dptr: int) -> int:
    if not pGraphNode:
        call = call.without(_cudaGraphAddMemFreeNode_nulls)
    code, out = _cudaGraphAddMemFreeNode(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, dptr)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out)
    return 0


_cudaGraphAddMemcpyNode = late(globals(), RUNTIME.ops, "cudaGraphAddMemcpyNode")
_cudaGraphAddMemcpyNode_nulls = frozenset({"pGraphNode"})


def cudaGraphAddMemcpyNode(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, pCopyParams: int) -> int:
    if not pGraphNode:
        call = call.without(_cudaGraphAddMemcpyNode_nulls)
    code, out = _cudaGraphAddMemcpyNode(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, read_cudaMemcpy3DParms(pCopyParams) if pCopyParams else None)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out)
    return 0


_cudaGraphAddMemcpyNode1D = late(globals(), RUNTIME.ops, "cudaGraphAddMemcpyNode1D")
_cudaGraphAddMemcpyNode1D_nulls = frozenset({"pGraphNode"})


def cudaGraphAddMemcpyNode1D(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, dst: int, src: int, count: int, kind: int) -> int:
    if not pGraphNode:
        call = call.without(_cudaGraphAddMemcpyNode1D_nulls)
    code, out = _cudaGraphAddMemcpyNode1D(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, dst, src, count, kind)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out)
    return 0


_cudaGraphAddMemcpyNodeFromSymbol = late(globals(), RUNTIME.ops, "cudaGraphAddMemcpyNodeFromSymbol")
_cudaGraphAddMemcpyNodeFromSymbol_nulls = frozenset({"pGraphNode"})


def cudaGraphAddMemcpyNodeFromSymbol(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, dst: int, symbol: int, count: int, offset: int, kind: int) -> int:
    if not pGraphNode:
        call = call.without(_cudaGraphAddMemcpyNodeFromSymbol_nulls)
    code, out = _cudaGraphAddMemcpyNodeFromSymbol(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, dst, symbol, count, offset, kind)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out)
    return 0


_cudaGraphAddMemcpyNodeToSymbol = late(globals(), RUNTIME.ops, "cudaGraphAddMemcpyNodeToSymbol")
_cudaGraphAddMemcpyNodeToSymbol_nulls = frozenset({"pGraphNode"})


def cudaGraphAddMemcpyNodeToSymbol(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, symbol: int, src: int, count: int, offset: int, kind: int) -> int:
    if not pGraphNode:
        call = call.without(_cudaGraphAddMemcpyNodeToSymbol_nulls)
    code, out = _cudaGraphAddMemcpyNodeToSymbol(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, symbol, src, count, offset, kind)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out)
    return 0


_cudaGraphAddMemsetNode = late(globals(), RUNTIME.ops, "cudaGraphAddMemsetNode")
_cudaGraphAddMemsetNode_nulls = frozenset({"pGraphNode"})


def cudaGraphAddMemsetNode(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, pMemsetParams: int) -> int:
    if not pGraphNode:
        call = call.without(_cudaGraphAddMemsetNode_nulls)
    code, out = _cudaGraphAddMemsetNode(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, read_cudaMemsetParams(pMemsetParams) if pMemsetParams else None)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out)
    return 0


_cudaGraphAddNode = late(globals(), RUNTIME.ops, "cudaGraphAddNode")


def cudaGraphAddNode(call: Call, pGraphNode: int, graph: int, pDependencies: int, dependencyData: int, numDependencies: int, nodeParams: int) -> int:
    if not (pGraphNode and nodeParams):
        call = call.without(nulls(pGraphNode=pGraphNode, nodeParams=nodeParams))
    code, out = _cudaGraphAddNode(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, tuple(read_cudaGraphEdgeData(dependencyData + 8 * n) for n in range(many(dependencyData, 8, numDependencies))) if dependencyData else None, numDependencies, string_at(nodeParams, 256) if nodeParams else None)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out[0])
    if nodeParams:
        tell(MEMORY, nodeParams, out[1])
    return 0


_cudaGraphAddNode_v1 = late(globals(), RUNTIME.ops, "cudaGraphAddNode_v1")


def cudaGraphAddNode_v1(call: Call, pGraphNode: int, graph: int, pDependencies: int, numDependencies: int, nodeParams: int) -> int:
    if not (pGraphNode and nodeParams):
        call = call.without(nulls(pGraphNode=pGraphNode, nodeParams=nodeParams))
    code, out = _cudaGraphAddNode_v1(call, graph, tuple((c_uint64 * many(pDependencies, 8, numDependencies)).from_address(pDependencies)) if pDependencies else None, numDependencies, string_at(nodeParams, 256) if nodeParams else None)
    if code:
        return code
    if pGraphNode:
        put_uint64(MEMORY, pGraphNode, out[0])
    if nodeParams:
        tell(MEMORY, nodeParams, out[1])
    return 0


_cudaGraphChildGraphNodeGetGraph = late(globals(), RUNTIME.ops, "cudaGraphChildGraphNodeGetGraph")
_cudaGraphChildGraphNodeGetGraph_nulls = frozenset({"pGraph"})


def cudaGraphChildGraphNodeGetGraph(call: Call, node: int, pGraph: int) -> int:
    if not pGraph:
        call = call.without(_cudaGraphChildGraphNodeGetGraph_nulls)
    code, out = _cudaGraphChildGraphNodeGetGraph(call, node)
    if code:
        return code
    if pGraph:
        put_uint64(MEMORY, pGraph, out)
    return 0


_cudaGraphClone = late(globals(), RUNTIME.ops, "cudaGraphClone")
_cudaGraphClone_nulls = frozenset({"pGraphClone"})


def cudaGraphClone(call: Call, pGraphClone: int, originalGraph: int) -> int:
    if not pGraphClone:
        call = call.without(_cudaGraphClone_nulls)
    code, out = _cudaGraphClone(call, originalGraph)
    if code:
        return code
    if pGraphClone:
        put_uint64(MEMORY, pGraphClone, out)
    return 0


_cudaGraphConditionalHandleCreate = late(globals(), RUNTIME.ops, "cudaGraphConditionalHandleCreate")
_cudaGraphConditionalHandleCreate_nulls = frozenset({"pHandle_out"})


def cudaGraphConditionalHandleCreate(call: Call, pHandle_out: int, graph: int, defaultLaunchValue: int, flags: int) -> int:
    if not pHandle_out:
        call = call.without(_cudaGraphConditionalHandleCreate_nulls)
    code, out = _cudaGraphConditionalHandleCreate(call, graph, defaultLaunchValue, flags)
    if code:
        return code
    if pHandle_out:
        put_uint64(MEMORY, pHandle_out, out)
    return 0


_cudaGraphConditionalHandleCreate_v2 = late(globals(), RUNTIME.ops, "cudaGraphConditionalHandleCreate_v2")
_cudaGraphConditionalHandleCreate_v2_nulls = frozenset({"pHandle_out"})


def cudaGraphConditionalHandleCreate_v2(call: Call, pHandle_out: int, graph: int, ctx: int, defaultLaunchValue: int, flags: int) -> int:
    if not pHandle_out:
        call = call.without(_cudaGraphConditionalHandleCreate_v2_nulls)
    code, out = _cudaGraphConditionalHandleCreate_v2(call, graph, ctx, defaultLaunchValue, flags)
    if code:
        return code
    if pHandle_out:
        put_uint64(MEMORY, pHandle_out, out)
    return 0


_cudaGraphCreate = late(globals(), RUNTIME.ops, "cudaGraphCreate")
_cudaGraphCreate_nulls = frozenset({"pGraph"})


def cudaGraphCreate(call: Call, pGraph: int, flags: int) -> int:
    if not pGraph:
        call = call.without(_cudaGraphCreate_nulls)
    code, out = _cudaGraphCreate(call, flags)
    if code:
        return code
    if pGraph:
        put_uint64(MEMORY, pGraph, out)
    return 0


_cudaGraphDebugDotPrint = late(globals(), RUNTIME.ops, "cudaGraphDebugDotPrint")


def cudaGraphDebugDotPrint(call: Call, graph: int, path: int, flags: int) -> int:
    return _cudaGraphDebugDotPrint(call, graph, string_at(path) if path else None, flags)[0]


_cudaGraphDestroy = late(globals(), RUNTIME.ops, "cudaGraphDestroy")


def cudaGraphDestroy(call: Call, graph: int) -> int:
    return _cudaGraphDestroy(call, graph)[0]


_cudaGraphDestroyNode = late(globals(), RUNTIME.ops, "cudaGraphDestroyNode")


def cudaGraphDestroyNode(call: Call, node: int) -> int:
    return _cudaGraphDestroyNode(call, node)[0]


_cudaGraphEventRecordNodeGetEvent = late(globals(), RUNTIME.ops, "cudaGraphEventRecordNodeGetEvent")
_cudaGraphEventRecordNodeGetEvent_nulls = frozenset({"event_out"})


def cudaGraphEventRecordNodeGetEvent(call: Call, node: int, event_out: int) -> int:
    if not event_out:
        call = call.without(_cudaGraphEventRecordNodeGetEvent_nulls)
    code, out = _cudaGraphEventRecordNodeGetEvent(call, node)
    if code:
        return code
    if event_out:
        put_uint64(MEMORY, event_out, out)
    return 0


_cudaGraphEventRecordNodeSetEvent = late(globals(), RUNTIME.ops, "cudaGraphEventRecordNodeSetEvent")


def cudaGraphEventRecordNodeSetEvent(call: Call, node: int, event: int) -> int:
    return _cudaGraphEventRecordNodeSetEvent(call, node, event)[0]


_cudaGraphEventWaitNodeGetEvent = late(globals(), RUNTIME.ops, "cudaGraphEventWaitNodeGetEvent")
_cudaGraphEventWaitNodeGetEvent_nulls = frozenset({"event_out"})


def cudaGraphEventWaitNodeGetEvent(call: Call, node: int, event_out: int) -> int:
    if not event_out:
        call = call.without(_cudaGraphEventWaitNodeGetEvent_nulls)
    code, out = _cudaGraphEventWaitNodeGetEvent(call, node)
    if code:
        return code
    if event_out:
        put_uint64(MEMORY, event_out, out)
    return 0


_cudaGraphEventWaitNodeSetEvent = late(globals(), RUNTIME.ops, "cudaGraphEventWaitNodeSetEvent")


def cudaGraphEventWaitNodeSetEvent(call: Call, node: int, event: int) -> int:
    return _cudaGraphEventWaitNodeSetEvent(call, node, event)[0]


_cudaGraphExecChildGraphNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphExecChildGraphNodeSetParams")


def cudaGraphExecChildGraphNodeSetParams(call: Call, hGraphExec: int, node: int, childGraph: int) -> int:
    return _cudaGraphExecChildGraphNodeSetParams(call, hGraphExec, node, childGraph)[0]


_cudaGraphExecDestroy = late(globals(), RUNTIME.ops, "cudaGraphExecDestroy")


def cudaGraphExecDestroy(call: Call, graphExec: int) -> int:
    return _cudaGraphExecDestroy(call, graphExec)[0]


_cudaGraphExecEventRecordNodeSetEvent = late(globals(), RUNTIME.ops, "cudaGraphExecEventRecordNodeSetEvent")


def cudaGraphExecEventRecordNodeSetEvent(call: Call, hGraphExec: int, hNode: int, event: int) -> int:
    return _cudaGraphExecEventRecordNodeSetEvent(call, hGraphExec, hNode, event)[0]


_cudaGraphExecEventWaitNodeSetEvent = late(globals(), RUNTIME.ops, "cudaGraphExecEventWaitNodeSetEvent")


def cudaGraphExecEventWaitNodeSetEvent(call: Call, hGraphExec: int, hNode: int, event: int) -> int:
    return _cudaGraphExecEventWaitNodeSetEvent(call, hGraphExec, hNode, event)[0]


_cudaGraphExecGetFlags = late(globals(), RUNTIME.ops, "cudaGraphExecGetFlags")
_cudaGraphExecGetFlags_nulls = frozenset({"flags"})


def cudaGraphExecGetFlags(call: Call, graphExec: int, flags: int) -> int:
    if not flags:
        call = call.without(_cudaGraphExecGetFlags_nulls)
    code, out = _cudaGraphExecGetFlags(call, graphExec)
    if code:
        return code
    if flags:
        put_uint64(MEMORY, flags, out)
    return 0


_cudaGraphExecHostNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphExecHostNodeSetParams")


def cudaGraphExecHostNodeSetParams(call: Call, hGraphExec: int, node: int, pNodeParams: int) -> int:
    return _cudaGraphExecHostNodeSetParams(call, hGraphExec, node, read_cudaHostNodeParams(pNodeParams) if pNodeParams else None)[0]


_cudaGraphExecKernelNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphExecKernelNodeSetParams")


def cudaGraphExecKernelNodeSetParams(call: Call, hGraphExec: int, node: int, pNodeParams: int) -> int:
    return _cudaGraphExecKernelNodeSetParams(call, hGraphExec, node, read_cudaKernelNodeParams(pNodeParams) if pNodeParams else None)[0]


_cudaGraphExecMemcpyNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphExecMemcpyNodeSetParams")


def cudaGraphExecMemcpyNodeSetParams(call: Call, hGraphExec: int, node: int, pNodeParams: int) -> int:
    return _cudaGraphExecMemcpyNodeSetParams(call, hGraphExec, node, read_cudaMemcpy3DParms(pNodeParams) if pNodeParams else None)[0]


_cudaGraphExecMemcpyNodeSetParams1D = late(globals(), RUNTIME.ops, "cudaGraphExecMemcpyNodeSetParams1D")


def cudaGraphExecMemcpyNodeSetParams1D(call: Call, hGraphExec: int, node: int, dst: int, src: int, count: int, kind: int) -> int:
    return _cudaGraphExecMemcpyNodeSetParams1D(call, hGraphExec, node, dst, src, count, kind)[0]


_cudaGraphExecMemcpyNodeSetParamsFromSymbol = late(globals(), RUNTIME.ops, "cudaGraphExecMemcpyNodeSetParamsFromSymbol")


def cudaGraphExecMemcpyNodeSetParamsFromSymbol(call: Call, hGraphExec: int, node: int, dst: int, symbol: int, count: int, offset: int, kind: int) -> int:
    return _cudaGraphExecMemcpyNodeSetParamsFromSymbol(call, hGraphExec, node, dst, symbol, count, offset, kind)[0]


_cudaGraphExecMemcpyNodeSetParamsToSymbol = late(globals(), RUNTIME.ops, "cudaGraphExecMemcpyNodeSetParamsToSymbol")


def cudaGraphExecMemcpyNodeSetParamsToSymbol(call: Call, hGraphExec: int, node: int, symbol: int, src: int, count: int, offset: int, kind: int) -> int:
    return _cudaGraphExecMemcpyNodeSetParamsToSymbol(call, hGraphExec, node, symbol, src, count, offset, kind)[0]


_cudaGraphExecMemsetNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphExecMemsetNodeSetParams")


def cudaGraphExecMemsetNodeSetParams(call: Call, hGraphExec: int, node: int, pNodeParams: int) -> int:
    return _cudaGraphExecMemsetNodeSetParams(call, hGraphExec, node, read_cudaMemsetParams(pNodeParams) if pNodeParams else None)[0]


_cudaGraphExecNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphExecNodeSetParams")


def cudaGraphExecNodeSetParams(call: Call, graphExec: int, node: int, nodeParams: int) -> int:
    return _cudaGraphExecNodeSetParams(call, graphExec, node, string_at(nodeParams, 256) if nodeParams else None)[0]


_cudaGraphExecUpdate = late(globals(), RUNTIME.ops, "cudaGraphExecUpdate")
_cudaGraphExecUpdate_nulls = frozenset({"resultInfo"})


def cudaGraphExecUpdate(call: Call, hGraphExec: int, hGraph: int, resultInfo: int) -> int:
    if not resultInfo:
        call = call.without(_cudaGraphExecUpdate_nulls)
    code, out = _cudaGraphExecUpdate(call, hGraphExec, hGraph)
    if out is None:
        return code
    if resultInfo:
        write_cudaGraphExecUpdateResultInfo(resultInfo, out)
    return code


_cudaGraphGetEdges = late(globals(), RUNTIME.ops, "cudaGraphGetEdges")


def cudaGraphGetEdges(call: Call, graph: int, from_: int, to: int, edgeData: int, numEdges: int) -> int:
    if not (from_ and to and edgeData and numEdges):
        call = call.without(nulls(from_=from_, to=to, edgeData=edgeData, numEdges=numEdges))
    code, out = _cudaGraphGetEdges(call, graph, c_uint64.from_address(numEdges).value if numEdges else None)
    if code:
        return code
    if from_:
        (c_uint64 * many(from_, 8, len(out[0]))).from_address(from_)[:] = out[0]
    if to:
        (c_uint64 * many(to, 8, len(out[1]))).from_address(to)[:] = out[1]
    if edgeData:
        write_each(write_cudaGraphEdgeData, edgeData, 8, out[2])
    if numEdges:
        put_uint64(MEMORY, numEdges, out[3])
    return 0


_cudaGraphGetEdges_v1 = late(globals(), RUNTIME.ops, "cudaGraphGetEdges_v1")


def cudaGraphGetEdges_v1(call: Call, graph: int, from_: int, to: int, numEdges: int) -> int:
    if not (from_ and to and numEdges):
        call = call.without(nulls(from_=from_, to=to, numEdges=numEdges))
    code, out = _cudaGraphGetEdges_v1(call, graph, c_uint64.from_address(numEdges).value if numEdges else None)
    if code:
        return code
    if from_:
        (c_uint64 * many(from_, 8, len(out[0]))).from_address(from_)[:] = out[0]
    if to:
        (c_uint64 * many(to, 8, len(out[1]))).from_address(to)[:] = out[1]
    if numEdges:
        put_uint64(MEMORY, numEdges, out[2])
    return 0


_cudaGraphGetNodes = late(globals(), RUNTIME.ops, "cudaGraphGetNodes")


def cudaGraphGetNodes(call: Call, graph: int, nodes: int, numNodes: int) -> int:
    if not (nodes and numNodes):
        call = call.without(nulls(nodes=nodes, numNodes=numNodes))
    code, out = _cudaGraphGetNodes(call, graph, c_uint64.from_address(numNodes).value if numNodes else None)
    if code:
        return code
    if nodes:
        (c_uint64 * many(nodes, 8, len(out[0]))).from_address(nodes)[:] = out[0]
    if numNodes:
        put_uint64(MEMORY, numNodes, out[1])
    return 0


_cudaGraphGetRootNodes = late(globals(), RUNTIME.ops, "cudaGraphGetRootNodes")


def cudaGraphGetRootNodes(call: Call, graph: int, pRootNodes: int, pNumRootNodes: int) -> int:
    if not (pRootNodes and pNumRootNodes):
        call = call.without(nulls(pRootNodes=pRootNodes, pNumRootNodes=pNumRootNodes))
    code, out = _cudaGraphGetRootNodes(call, graph, c_uint64.from_address(pNumRootNodes).value if pNumRootNodes else None)
    if code:
        return code
    if pRootNodes:
        (c_uint64 * many(pRootNodes, 8, len(out[0]))).from_address(pRootNodes)[:] = out[0]
    if pNumRootNodes:
        put_uint64(MEMORY, pNumRootNodes, out[1])
    return 0


_cudaGraphHostNodeGetParams = late(globals(), RUNTIME.ops, "cudaGraphHostNodeGetParams")
_cudaGraphHostNodeGetParams_nulls = frozenset({"pNodeParams"})


def cudaGraphHostNodeGetParams(call: Call, node: int, pNodeParams: int) -> int:
    if not pNodeParams:
        call = call.without(_cudaGraphHostNodeGetParams_nulls)
    code, out = _cudaGraphHostNodeGetParams(call, node)
    if code:
        return code
    if pNodeParams:
        write_cudaHostNodeParams(pNodeParams, out)
    return 0


_cudaGraphHostNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphHostNodeSetParams")


def cudaGraphHostNodeSetParams(call: Call, node: int, pNodeParams: int) -> int:
    return _cudaGraphHostNodeSetParams(call, node, read_cudaHostNodeParams(pNodeParams) if pNodeParams else None)[0]


_cudaGraphInstantiate = late(globals(), RUNTIME.ops, "cudaGraphInstantiate")
_cudaGraphInstantiate_nulls = frozenset({"pGraphExec"})


def cudaGraphInstantiate(call: Call, pGraphExec: int, graph: int, flags: int) -> int:
    if not pGraphExec:
        call = call.without(_cudaGraphInstantiate_nulls)
    code, out = _cudaGraphInstantiate(call, graph, flags)
    if code:
        return code
    if pGraphExec:
        put_uint64(MEMORY, pGraphExec, out)
    return 0


_cudaGraphInstantiateWithFlags = late(globals(), RUNTIME.ops, "cudaGraphInstantiateWithFlags")
_cudaGraphInstantiateWithFlags_nulls = frozenset({"pGraphExec"})


def cudaGraphInstantiateWithFlags(call: Call, pGraphExec: int, graph: int, flags: int) -> int:
    if not pGraphExec:
        call = call.without(_cudaGraphInstantiateWithFlags_nulls)
    code, out = _cudaGraphInstantiateWithFlags(call, graph, flags)
    if code:
        return code
    if pGraphExec:
        put_uint64(MEMORY, pGraphExec, out)
    return 0


_cudaGraphInstantiateWithParams = late(globals(), RUNTIME.ops, "cudaGraphInstantiateWithParams")


def cudaGraphInstantiateWithParams(call: Call, pGraphExec: int, graph: int, instantiateParams: int) -> int:
    if not (pGraphExec and instantiateParams):
        call = call.without(nulls(pGraphExec=pGraphExec, instantiateParams=instantiateParams))
    code, out = _cudaGraphInstantiateWithParams(call, graph, read_cudaGraphInstantiateParams(instantiateParams) if instantiateParams else None)
    if out is None:
        return code
    if pGraphExec and out[0] is not None:
        put_uint64(MEMORY, pGraphExec, out[0])
    if instantiateParams and out[1] is not None:
        write_cudaGraphInstantiateParams(instantiateParams, out[1])
    return code


_cudaGraphKernelNodeCopyAttributes = late(globals(), RUNTIME.ops, "cudaGraphKernelNodeCopyAttributes")


def cudaGraphKernelNodeCopyAttributes(call: Call, hDst: int, hSrc: int) -> int:
    return _cudaGraphKernelNodeCopyAttributes(call, hDst, hSrc)[0]


_cudaGraphKernelNodeGetAttribute = late(globals(), RUNTIME.ops, "cudaGraphKernelNodeGetAttribute")
_cudaGraphKernelNodeGetAttribute_nulls = frozenset({"value_out"})


def cudaGraphKernelNodeGetAttribute(call: Call, hNode: int, attr: int, value_out: int) -> int:
    if not value_out:
        call = call.without(_cudaGraphKernelNodeGetAttribute_nulls)
    code, out = _cudaGraphKernelNodeGetAttribute(call, hNode, attr)
    if code:
        return code
    if value_out:
        memmove(value_out, out, len(out))
    return 0


_cudaGraphKernelNodeGetParams = late(globals(), RUNTIME.ops, "cudaGraphKernelNodeGetParams")
_cudaGraphKernelNodeGetParams_nulls = frozenset({"pNodeParams"})


def cudaGraphKernelNodeGetParams(call: Call, node: int, pNodeParams: int) -> int:
    if not pNodeParams:
        call = call.without(_cudaGraphKernelNodeGetParams_nulls)
    code, out = _cudaGraphKernelNodeGetParams(call, node)
    if code:
        return code
    if pNodeParams:
        write_cudaKernelNodeParams(pNodeParams, out)
    return 0


_cudaGraphKernelNodeSetAttribute = late(globals(), RUNTIME.ops, "cudaGraphKernelNodeSetAttribute")


def cudaGraphKernelNodeSetAttribute(call: Call, hNode: int, attr: int, value: int) -> int:
    return _cudaGraphKernelNodeSetAttribute(call, hNode, attr, string_at(value, 64) if value else None)[0]


_cudaGraphKernelNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphKernelNodeSetParams")


def cudaGraphKernelNodeSetParams(call: Call, node: int, pNodeParams: int) -> int:
    return _cudaGraphKernelNodeSetParams(call, node, read_cudaKernelNodeParams(pNodeParams) if pNodeParams else None)[0]


_cudaGraphLaunch = late(globals(), RUNTIME.ops, "cudaGraphLaunch")


def cudaGraphLaunch(call: Call, graphExec: int, stream: int) -> int:
    return _cudaGraphLaunch(call, graphExec, stream)[0]


_cudaGraphMemAllocNodeGetParams = late(globals(), RUNTIME.ops, "cudaGraphMemAllocNodeGetParams")
_cudaGraphMemAllocNodeGetParams_nulls = frozenset({"params_out"})


def cudaGraphMemAllocNodeGetParams(call: Call, node: int, params_out: int) -> int:
    if not params_out:
        call = call.without(_cudaGraphMemAllocNodeGetParams_nulls)
    code, out = _cudaGraphMemAllocNodeGetParams(call, node)
    if code:
        return code
    if params_out:
        write_cudaMemAllocNodeParams(params_out, out)
    return 0


_cudaGraphMemFreeNodeGetParams = late(globals(), RUNTIME.ops, "cudaGraphMemFreeNodeGetParams")
_cudaGraphMemFreeNodeGetParams_nulls = frozenset({"dptr_out"})


def cudaGraphMemFreeNodeGetParams(call: Call, node: int, dptr_out: int) -> int:
    if not dptr_out:
        call = call.without(_cudaGraphMemFreeNodeGetParams_nulls)
    code, out = _cudaGraphMemFreeNodeGetParams(call, node)
    if code:
        return code
    if dptr_out:
        put_uint64(MEMORY, dptr_out, out)
    return 0


_cudaGraphMemcpyNodeGetParams = late(globals(), RUNTIME.ops, "cudaGraphMemcpyNodeGetParams")
_cudaGraphMemcpyNodeGetParams_nulls = frozenset({"pNodeParams"})


def cudaGraphMemcpyNodeGetParams(call: Call, node: int, pNodeParams: int) -> int:
    if not pNodeParams:
        call = call.without(_cudaGraphMemcpyNodeGetParams_nulls)
    code, out = _cudaGraphMemcpyNodeGetParams(call, node)
    if code:
        return code
    if pNodeParams:
        write_cudaMemcpy3DParms(pNodeParams, out)
    return 0


_cudaGraphMemcpyNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphMemcpyNodeSetParams")


def cudaGraphMemcpyNodeSetParams(call: Call, node: int, pNodeParams: int) -> int:
    return _cudaGraphMemcpyNodeSetParams(call, node, read_cudaMemcpy3DParms(pNodeParams) if pNodeParams else None)[0]


_cudaGraphMemcpyNodeSetParams1D = late(globals(), RUNTIME.ops, "cudaGraphMemcpyNodeSetParams1D")


def cudaGraphMemcpyNodeSetParams1D(call: Call, node: int, dst: int, src: int, count: int, kind: int) -> int:
    return _cudaGraphMemcpyNodeSetParams1D(call, node, dst, src, count, kind)[0]


_cudaGraphMemcpyNodeSetParamsFromSymbol = late(globals(), RUNTIME.ops, "cudaGraphMemcpyNodeSetParamsFromSymbol")


def cudaGraphMemcpyNodeSetParamsFromSymbol(call: Call, node: int, dst: int, symbol: int, count: int, offset: int, kind: int) -> int:
    return _cudaGraphMemcpyNodeSetParamsFromSymbol(call, node, dst, symbol, count, offset, kind)[0]


_cudaGraphMemcpyNodeSetParamsToSymbol = late(globals(), RUNTIME.ops, "cudaGraphMemcpyNodeSetParamsToSymbol")


def cudaGraphMemcpyNodeSetParamsToSymbol(call: Call, node: int, symbol: int, src: int, count: int, offset: int, kind: int) -> int:
    return _cudaGraphMemcpyNodeSetParamsToSymbol(call, node, symbol, src, count, offset, kind)[0]


_cudaGraphMemsetNodeGetParams = late(globals(), RUNTIME.ops, "cudaGraphMemsetNodeGetParams")
_cudaGraphMemsetNodeGetParams_nulls = frozenset({"pNodeParams"})


def cudaGraphMemsetNodeGetParams(call: Call, node: int, pNodeParams: int) -> int:
    if not pNodeParams:
        call = call.without(_cudaGraphMemsetNodeGetParams_nulls)
    code, out = _cudaGraphMemsetNodeGetParams(call, node)
    if code:
        return code
    if pNodeParams:
        write_cudaMemsetParams(pNodeParams, out)
    return 0


_cudaGraphMemsetNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphMemsetNodeSetParams")


def cudaGraphMemsetNodeSetParams(call: Call, node: int, pNodeParams: int) -> int:
    return _cudaGraphMemsetNodeSetParams(call, node, read_cudaMemsetParams(pNodeParams) if pNodeParams else None)[0]


_cudaGraphNodeFindInClone = late(globals(), RUNTIME.ops, "cudaGraphNodeFindInClone")
_cudaGraphNodeFindInClone_nulls = frozenset({"pNode"})


def cudaGraphNodeFindInClone(call: Call, pNode: int, originalNode: int, clonedGraph: int) -> int:
    if not pNode:
        call = call.without(_cudaGraphNodeFindInClone_nulls)
    code, out = _cudaGraphNodeFindInClone(call, originalNode, clonedGraph)
    if code:
        return code
    if pNode:
        put_uint64(MEMORY, pNode, out)
    return 0


_cudaGraphNodeGetDependencies = late(globals(), RUNTIME.ops, "cudaGraphNodeGetDependencies")


def cudaGraphNodeGetDependencies(call: Call, node: int, pDependencies: int, edgeData: int, pNumDependencies: int) -> int:
    if not (pDependencies and edgeData and pNumDependencies):
        call = call.without(nulls(pDependencies=pDependencies, edgeData=edgeData, pNumDependencies=pNumDependencies))
    code, out = _cudaGraphNodeGetDependencies(call, node, c_uint64.from_address(pNumDependencies).value if pNumDependencies else None)
    if code:
        return code
    if pDependencies:
        (c_uint64 * many(pDependencies, 8, len(out[0]))).from_address(pDependencies)[:] = out[0]
    if edgeData:
        write_each(write_cudaGraphEdgeData, edgeData, 8, out[1])
    if pNumDependencies:
        put_uint64(MEMORY, pNumDependencies, out[2])
    return 0


_cudaGraphNodeGetDependencies_v1 = late(globals(), RUNTIME.ops, "cudaGraphNodeGetDependencies_v1")


def cudaGraphNodeGetDependencies_v1(call: Call, node: int, pDependencies: int, pNumDependencies: int) -> int:
    if not (pDependencies and pNumDependencies):
        call = call.without(nulls(pDependencies=pDependencies, pNumDependencies=pNumDependencies))
    code, out = _cudaGraphNodeGetDependencies_v1(call, node, c_uint64.from_address(pNumDependencies).value if pNumDependencies else None)
    if code:
        return code
    if pDependencies:
        (c_uint64 * many(pDependencies, 8, len(out[0]))).from_address(pDependencies)[:] = out[0]
    if pNumDependencies:
        put_uint64(MEMORY, pNumDependencies, out[1])
    return 0


_cudaGraphNodeGetDependentNodes = late(globals(), RUNTIME.ops, "cudaGraphNodeGetDependentNodes")


def cudaGraphNodeGetDependentNodes(call: Call, node: int, pDependentNodes: int, edgeData: int, pNumDependentNodes: int) -> int:
    if not (pDependentNodes and edgeData and pNumDependentNodes):
        call = call.without(nulls(pDependentNodes=pDependentNodes, edgeData=edgeData, pNumDependentNodes=pNumDependentNodes))
    code, out = _cudaGraphNodeGetDependentNodes(call, node, c_uint64.from_address(pNumDependentNodes).value if pNumDependentNodes else None)
    if code:
        return code
    if pDependentNodes:
        (c_uint64 * many(pDependentNodes, 8, len(out[0]))).from_address(pDependentNodes)[:] = out[0]
    if edgeData:
        write_each(write_cudaGraphEdgeData, edgeData, 8, out[1])
    if pNumDependentNodes:
        put_uint64(MEMORY, pNumDependentNodes, out[2])
    return 0


_cudaGraphNodeGetDependentNodes_v1 = late(globals(), RUNTIME.ops, "cudaGraphNodeGetDependentNodes_v1")


def cudaGraphNodeGetDependentNodes_v1(call: Call, node: int, pDependentNodes: int, pNumDependentNodes: int) -> int:
    if not (pDependentNodes and pNumDependentNodes):
        call = call.without(nulls(pDependentNodes=pDependentNodes, pNumDependentNodes=pNumDependentNodes))
    code, out = _cudaGraphNodeGetDependentNodes_v1(call, node, c_uint64.from_address(pNumDependentNodes).value if pNumDependentNodes else None)
    if code:
        return code
    if pDependentNodes:
        (c_uint64 * many(pDependentNodes, 8, len(out[0]))).from_address(pDependentNodes)[:] = out[0]
    if pNumDependentNodes:
        put_uint64(MEMORY, pNumDependentNodes, out[1])
    return 0


_cudaGraphNodeGetEnabled = late(globals(), RUNTIME.ops, "cudaGraphNodeGetEnabled")
_cudaGraphNodeGetEnabled_nulls = frozenset({"isEnabled"})


def cudaGraphNodeGetEnabled(call: Call, hGraphExec: int, hNode: int, isEnabled: int) -> int:
    if not isEnabled:
        call = call.without(_cudaGraphNodeGetEnabled_nulls)
    code, out = _cudaGraphNodeGetEnabled(call, hGraphExec, hNode)
    if code:
        return code
    if isEnabled:
        put_uint32(MEMORY, isEnabled, out)
    return 0


_cudaGraphNodeGetType = late(globals(), RUNTIME.ops, "cudaGraphNodeGetType")
_cudaGraphNodeGetType_nulls = frozenset({"pType"})


def cudaGraphNodeGetType(call: Call, node: int, pType: int) -> int:
    if not pType:
        call = call.without(_cudaGraphNodeGetType_nulls)
    code, out = _cudaGraphNodeGetType(call, node)
    if code:
        return code
    if pType:
        put_int32(MEMORY, pType, out)
    return 0


_cudaGraphNodeSetEnabled = late(globals(), RUNTIME.ops, "cudaGraphNodeSetEnabled")


def cudaGraphNodeSetEnabled(call: Call, hGraphExec: int, hNode: int, isEnabled: int) -> int:
    return _cudaGraphNodeSetEnabled(call, hGraphExec, hNode, isEnabled)[0]


_cudaGraphNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphNodeSetParams")


def cudaGraphNodeSetParams(call: Call, node: int, nodeParams: int) -> int:
    return _cudaGraphNodeSetParams(call, node, string_at(nodeParams, 256) if nodeParams else None)[0]


_cudaGraphReleaseUserObject = late(globals(), RUNTIME.ops, "cudaGraphReleaseUserObject")


def cudaGraphReleaseUserObject(call: Call, graph: int, object_: int, count: int) -> int:
    return _cudaGraphReleaseUserObject(call, graph, object_, count)[0]


_cudaGraphRemoveDependencies = late(globals(), RUNTIME.ops, "cudaGraphRemoveDependencies")


def cudaGraphRemoveDependencies(call: Call, graph: int, from_: int, to: int, edgeData: int, numDependencies: int) -> int:
    return _cudaGraphRemoveDependencies(call, graph, tuple((c_uint64 * many(from_, 8, numDependencies)).from_address(from_)) if from_ else None, tuple((c_uint64 * many(to, 8, numDependencies)).from_address(to)) if to else None, tuple(read_cudaGraphEdgeData(edgeData + 8 * n) for n in range(many(edgeData, 8, numDependencies))) if edgeData else None, numDependencies)[0]


_cudaGraphRemoveDependencies_v1 = late(globals(), RUNTIME.ops, "cudaGraphRemoveDependencies_v1")


def cudaGraphRemoveDependencies_v1(call: Call, graph: int, from_: int, to: int, numDependencies: int) -> int:
    return _cudaGraphRemoveDependencies_v1(call, graph, tuple((c_uint64 * many(from_, 8, numDependencies)).from_address(from_)) if from_ else None, tuple((c_uint64 * many(to, 8, numDependencies)).from_address(to)) if to else None, numDependencies)[0]


_cudaGraphRetainUserObject = late(globals(), RUNTIME.ops, "cudaGraphRetainUserObject")


def cudaGraphRetainUserObject(call: Call, graph: int, object_: int, count: int, flags: int) -> int:
    return _cudaGraphRetainUserObject(call, graph, object_, count, flags)[0]


_cudaGraphUpload = late(globals(), RUNTIME.ops, "cudaGraphUpload")


def cudaGraphUpload(call: Call, graphExec: int, stream: int) -> int:
    return _cudaGraphUpload(call, graphExec, stream)[0]


_cudaHostAlloc = late(globals(), RUNTIME.ops, "cudaHostAlloc")
_cudaHostAlloc_nulls = frozenset({"pHost"})


def cudaHostAlloc(call: Call, pHost: int, size: int, flags: int) -> int:
    if not pHost:
        call = call.without(_cudaHostAlloc_nulls)
    code, out = _cudaHostAlloc(call, size, flags)
    if code:
        return code
    if pHost:
        put_uint64(MEMORY, pHost, out)
    return 0


_cudaHostGetDevicePointer = late(globals(), RUNTIME.ops, "cudaHostGetDevicePointer")
_cudaHostGetDevicePointer_nulls = frozenset({"pDevice"})


def cudaHostGetDevicePointer(call: Call, pDevice: int, pHost: int, flags: int) -> int:
    if not pDevice:
        call = call.without(_cudaHostGetDevicePointer_nulls)
    code, out = _cudaHostGetDevicePointer(call, pHost, flags)
    if code:
        return code
    if pDevice:
        put_uint64(MEMORY, pDevice, out)
    return 0


_cudaHostGetFlags = late(globals(), RUNTIME.ops, "cudaHostGetFlags")
_cudaHostGetFlags_nulls = frozenset({"pFlags"})


def cudaHostGetFlags(call: Call, pFlags: int, pHost: int) -> int:
    if not pFlags:
        call = call.without(_cudaHostGetFlags_nulls)
    code, out = _cudaHostGetFlags(call, pHost)
    if code:
        return code
    if pFlags:
        put_uint32(MEMORY, pFlags, out)
    return 0


_cudaHostRegister = late(globals(), RUNTIME.ops, "cudaHostRegister")


def cudaHostRegister(call: Call, ptr: int, size: int, flags: int) -> int:
    return _cudaHostRegister(call, ptr, size, flags)[0]


_cudaHostUnregister = late(globals(), RUNTIME.ops, "cudaHostUnregister")


def cudaHostUnregister(call: Call, ptr: int) -> int:
    return _cudaHostUnregister(call, ptr)[0]


_cudaInitDevice = late(globals(), RUNTIME.ops, "cudaInitDevice")


def cudaInitDevice(call: Call, device: int, deviceFlags: int, flags: int) -> int:
    return _cudaInitDevice(call, device, deviceFlags, flags)[0]


_cudaIpcCloseMemHandle = late(globals(), RUNTIME.ops, "cudaIpcCloseMemHandle")


def cudaIpcCloseMemHandle(call: Call, devPtr: int) -> int:
    return _cudaIpcCloseMemHandle(call, devPtr)[0]


_cudaIpcGetEventHandle = late(globals(), RUNTIME.ops, "cudaIpcGetEventHandle")
_cudaIpcGetEventHandle_nulls = frozenset({"handle"})


def cudaIpcGetEventHandle(call: Call, handle: int, event: int) -> int:
    if not handle:
        call = call.without(_cudaIpcGetEventHandle_nulls)
    code, out = _cudaIpcGetEventHandle(call, event)
    if code:
        return code
    if handle:
        memmove(handle, out, len(out))
    return 0


_cudaIpcGetMemHandle = late(globals(), RUNTIME.ops, "cudaIpcGetMemHandle")
_cudaIpcGetMemHandle_nulls = frozenset({"handle"})


def cudaIpcGetMemHandle(call: Call, handle: int, devPtr: int) -> int:
    if not handle:
        call = call.without(_cudaIpcGetMemHandle_nulls)
    code, out = _cudaIpcGetMemHandle(call, devPtr)
    if code:
        return code
    if handle:
        memmove(handle, out, len(out))
    return 0


_cudaIpcOpenEventHandle = late(globals(), RUNTIME.ops, "cudaIpcOpenEventHandle")
_cudaIpcOpenEventHandle_nulls = frozenset({"event"})


def cudaIpcOpenEventHandle(call: Call, event: int, handle: Any) -> int:
    if not event:
        call = call.without(_cudaIpcOpenEventHandle_nulls)
    code, out = _cudaIpcOpenEventHandle(call, bytes(handle))
    if code:
        return code
    if event:
        put_uint64(MEMORY, event, out)
    return 0


_cudaIpcOpenMemHandle = late(globals(), RUNTIME.ops, "cudaIpcOpenMemHandle")
_cudaIpcOpenMemHandle_nulls = frozenset({"devPtr"})


def cudaIpcOpenMemHandle(call: Call, devPtr: int, handle: Any, flags: int) -> int:
    if not devPtr:
        call = call.without(_cudaIpcOpenMemHandle_nulls)
    code, out = _cudaIpcOpenMemHandle(call, bytes(handle), flags)
    if code:
        return code
    if devPtr:
        put_uint64(MEMORY, devPtr, out)
    return 0


_cudaKernelSetAttributeForDevice = late(globals(), RUNTIME.ops, "cudaKernelSetAttributeForDevice")


def cudaKernelSetAttributeForDevice(call: Call, kernel: int, attr: int, value: int, device: int) -> int:
    return _cudaKernelSetAttributeForDevice(call, kernel, attr, value, device)[0]


_cudaLaunchCooperativeKernel = late(globals(), RUNTIME.ops, "cudaLaunchCooperativeKernel")


def cudaLaunchCooperativeKernel(call: Call, func: int, gridDim: Any, blockDim: Any, args: int, sharedMem: int, stream: int) -> int:
    return _cudaLaunchCooperativeKernel(call, func, _dim3.unpack(bytes(gridDim)), _dim3.unpack(bytes(blockDim)), args, sharedMem, stream)[0]


_cudaLaunchHostFunc = late(globals(), RUNTIME.ops, "cudaLaunchHostFunc")


def cudaLaunchHostFunc(call: Call, stream: int, fn: int, userData: int) -> int:
    return _cudaLaunchHostFunc(call, stream, fn, userData)[0]


_cudaLaunchHostFunc_v2 = late(globals(), RUNTIME.ops, "cudaLaunchHostFunc_v2")


def cudaLaunchHostFunc_v2(call: Call, stream: int, fn: int, userData: int, syncMode: int) -> int:
    return _cudaLaunchHostFunc_v2(call, stream, fn, userData, syncMode)[0]


_cudaLaunchKernel = late(globals(), RUNTIME.ops, "cudaLaunchKernel")


def cudaLaunchKernel(call: Call, func: int, gridDim: Any, blockDim: Any, args: int, sharedMem: int, stream: int) -> int:
    return _cudaLaunchKernel(call, func, _dim3.unpack(bytes(gridDim)), _dim3.unpack(bytes(blockDim)), args, sharedMem, stream)[0]


_cudaLaunchKernelExC = late(globals(), RUNTIME.ops, "cudaLaunchKernelExC")


def cudaLaunchKernelExC(call: Call, config: int, func: int, args: int) -> int:
    return _cudaLaunchKernelExC(call, config, func, args)[0]


_cudaLibraryEnumerateKernels = late(globals(), RUNTIME.ops, "cudaLibraryEnumerateKernels")
_cudaLibraryEnumerateKernels_nulls = frozenset({"kernels"})


def cudaLibraryEnumerateKernels(call: Call, kernels: int, numKernels: int, lib: int) -> int:
    if not kernels:
        call = call.without(_cudaLibraryEnumerateKernels_nulls)
    code, out = _cudaLibraryEnumerateKernels(call, numKernels, lib)
    if code:
        return code
    if kernels:
        (c_uint64 * len(out)).from_address(kernels)[:] = out
    return 0


_cudaLibraryGetGlobal = late(globals(), RUNTIME.ops, "cudaLibraryGetGlobal")


def cudaLibraryGetGlobal(call: Call, dptr: int, bytes_: int, library: int, name: int) -> int:
    if not (dptr and bytes_):
        call = call.without(nulls(dptr=dptr, bytes=bytes_))
    code, out = _cudaLibraryGetGlobal(call, library, string_at(name) if name else None)
    if code:
        return code
    if dptr:
        put_uint64(MEMORY, dptr, out[0])
    if bytes_:
        put_uint64(MEMORY, bytes_, out[1])
    return 0


_cudaLibraryGetKernel = late(globals(), RUNTIME.ops, "cudaLibraryGetKernel")
_cudaLibraryGetKernel_nulls = frozenset({"pKernel"})


def cudaLibraryGetKernel(call: Call, pKernel: int, library: int, name: int) -> int:
    if not pKernel:
        call = call.without(_cudaLibraryGetKernel_nulls)
    code, out = _cudaLibraryGetKernel(call, library, string_at(name) if name else None)
    if code:
        return code
    if pKernel:
        put_uint64(MEMORY, pKernel, out)
    return 0


_cudaLibraryGetKernelCount = late(globals(), RUNTIME.ops, "cudaLibraryGetKernelCount")
_cudaLibraryGetKernelCount_nulls = frozenset({"count"})


def cudaLibraryGetKernelCount(call: Call, count: int, lib: int) -> int:
    if not count:
        call = call.without(_cudaLibraryGetKernelCount_nulls)
    code, out = _cudaLibraryGetKernelCount(call, lib)
    if code:
        return code
    if count:
        put_uint32(MEMORY, count, out)
    return 0


_cudaLibraryGetManaged = late(globals(), RUNTIME.ops, "cudaLibraryGetManaged")


def cudaLibraryGetManaged(call: Call, dptr: int, bytes_: int, library: int, name: int) -> int:
    if not (dptr and bytes_):
        call = call.without(nulls(dptr=dptr, bytes=bytes_))
    code, out = _cudaLibraryGetManaged(call, library, string_at(name) if name else None)
    if code:
        return code
    if dptr:
        put_uint64(MEMORY, dptr, out[0])
    if bytes_:
        put_uint64(MEMORY, bytes_, out[1])
    return 0


_cudaLibraryGetUnifiedFunction = late(globals(), RUNTIME.ops, "cudaLibraryGetUnifiedFunction")
_cudaLibraryGetUnifiedFunction_nulls = frozenset({"fptr"})


def cudaLibraryGetUnifiedFunction(call: Call, fptr: int, library: int, symbol: int) -> int:
    if not fptr:
        call = call.without(_cudaLibraryGetUnifiedFunction_nulls)
    code, out = _cudaLibraryGetUnifiedFunction(call, library, string_at(symbol) if symbol else None)
    if code:
        return code
    if fptr:
        put_uint64(MEMORY, fptr, out)
    return 0


_cudaLibraryLoadData = late(globals(), RUNTIME.ops, "cudaLibraryLoadData")
_cudaLibraryLoadData_nulls = frozenset({"library"})


def cudaLibraryLoadData(call: Call, library: int, code_: int, jitOptions: int, jitOptionsValues: int, numJitOptions: int, libraryOptions: int, libraryOptionValues: int, numLibraryOptions: int) -> int:
    if not library:
        call = call.without(_cudaLibraryLoadData_nulls)
    code, out = _cudaLibraryLoadData(call, image_at(code_) if code_ else None, tuple((c_int32 * many(jitOptions, 4, numJitOptions)).from_address(jitOptions)) if jitOptions else None, tuple((c_uint64 * many(jitOptionsValues, 8, numJitOptions)).from_address(jitOptionsValues)) if jitOptionsValues else None, numJitOptions, tuple((c_int32 * many(libraryOptions, 4, numLibraryOptions)).from_address(libraryOptions)) if libraryOptions else None, tuple((c_uint64 * many(libraryOptionValues, 8, numLibraryOptions)).from_address(libraryOptionValues)) if libraryOptionValues else None, numLibraryOptions)
    if code:
        return code
    if library:
        put_uint64(MEMORY, library, out)
    return 0


_cudaLibraryLoadFromFile = late(globals(), RUNTIME.ops, "cudaLibraryLoadFromFile")
_cudaLibraryLoadFromFile_nulls = frozenset({"library"})


def cudaLibraryLoadFromFile(call: Call, library: int, fileName: int, jitOptions: int, jitOptionsValues: int, numJitOptions: int, libraryOptions: int, libraryOptionValues: int, numLibraryOptions: int) -> int:
    if not library:
        call = call.without(_cudaLibraryLoadFromFile_nulls)
    code, out = _cudaLibraryLoadFromFile(call, string_at(fileName) if fileName else None, tuple((c_int32 * many(jitOptions, 4, numJitOptions)).from_address(jitOptions)) if jitOptions else None, tuple((c_uint64 * many(jitOptionsValues, 8, numJitOptions)).from_address(jitOptionsValues)) if jitOptionsValues else None, numJitOptions, tuple((c_int32 * many(libraryOptions, 4, numLibraryOptions)).from_address(libraryOptions)) if libraryOptions else None, tuple((c_uint64 * many(libraryOptionValues, 8, numLibraryOptions)).from_address(libraryOptionValues)) if libraryOptionValues else None, numLibraryOptions)
    if code:
        return code
    if library:
        put_uint64(MEMORY, library, out)
    return 0


_cudaLibraryUnload = late(globals(), RUNTIME.ops, "cudaLibraryUnload")


def cudaLibraryUnload(call: Call, library: int) -> int:
    return _cudaLibraryUnload(call, library)[0]


_cudaMalloc = late(globals(), RUNTIME.ops, "cudaMalloc")
_cudaMalloc_nulls = frozenset({"devPtr"})


def cudaMalloc(call: Call, devPtr: int, size: int) -> int:
    if not devPtr:
        call = call.without(_cudaMalloc_nulls)
    code, out = _cudaMalloc(call, size)
    if code:
        return code
    if devPtr:
        put_uint64(MEMORY, devPtr, out)
    return 0


_cudaMalloc3D = late(globals(), RUNTIME.ops, "cudaMalloc3D")
_cudaMalloc3D_nulls = frozenset({"pitchedDevPtr"})


def cudaMalloc3D(call: Call, pitchedDevPtr: int, extent: Any) -> int:
    if not pitchedDevPtr:
        call = call.without(_cudaMalloc3D_nulls)
    code, out = _cudaMalloc3D(call, _cudaExtent.unpack(bytes(extent)))
    if code:
        return code
    if pitchedDevPtr:
        write_cudaPitchedPtr(pitchedDevPtr, out)
    return 0


_cudaMalloc3DArray = late(globals(), RUNTIME.ops, "cudaMalloc3DArray")
_cudaMalloc3DArray_nulls = frozenset({"array"})


def cudaMalloc3DArray(call: Call, array: int, desc: int, extent: Any, flags: int) -> int:
    if not array:
        call = call.without(_cudaMalloc3DArray_nulls)
    code, out = _cudaMalloc3DArray(call, read_cudaChannelFormatDesc(desc) if desc else None, _cudaExtent.unpack(bytes(extent)), flags)
    if code:
        return code
    if array:
        put_uint64(MEMORY, array, out)
    return 0


_cudaMallocArray = late(globals(), RUNTIME.ops, "cudaMallocArray")
_cudaMallocArray_nulls = frozenset({"array"})


def cudaMallocArray(call: Call, array: int, desc: int, width: int, height: int, flags: int) -> int:
    if not array:
        call = call.without(_cudaMallocArray_nulls)
    code, out = _cudaMallocArray(call, read_cudaChannelFormatDesc(desc) if desc else None, width, height, flags)
    if code:
        return code
    if array:
        put_uint64(MEMORY, array, out)
    return 0


_cudaMallocAsync = late(globals(), RUNTIME.ops, "cudaMallocAsync")
_cudaMallocAsync_nulls = frozenset({"devPtr"})


def cudaMallocAsync(call: Call, devPtr: int, size: int, hStream: int) -> int:
    if not devPtr:
        call = call.without(_cudaMallocAsync_nulls)
    code, out = _cudaMallocAsync(call, size, hStream)
    if code:
        return code
    if devPtr:
        put_uint64(MEMORY, devPtr, out)
    return 0


_cudaMallocFromPoolAsync = late(globals(), RUNTIME.ops, "cudaMallocFromPoolAsync")
_cudaMallocFromPoolAsync_nulls = frozenset({"ptr"})


def cudaMallocFromPoolAsync(call: Call, ptr: int, size: int, memPool: int, stream: int) -> int:
    if not ptr:
        call = call.without(_cudaMallocFromPoolAsync_nulls)
    code, out = _cudaMallocFromPoolAsync(call, size, memPool, stream)
    if code:
        return code
    if ptr:
        put_uint64(MEMORY, ptr, out)
    return 0


_cudaMallocHost = late(globals(), RUNTIME.ops, "cudaMallocHost")
_cudaMallocHost_nulls = frozenset({"ptr"})


def cudaMallocHost(call: Call, ptr: int, size: int) -> int:
    if not ptr:
        call = call.without(_cudaMallocHost_nulls)
    code, out = _cudaMallocHost(call, size)
    if code:
        return code
    if ptr:
        put_uint64(MEMORY, ptr, out)
    return 0


_cudaMallocManaged = late(globals(), RUNTIME.ops, "cudaMallocManaged")
_cudaMallocManaged_nulls = frozenset({"devPtr"})


def cudaMallocManaged(call: Call, devPtr: int, size: int, flags: int) -> int:
    if not devPtr:
        call = call.without(_cudaMallocManaged_nulls)
    code, out = _cudaMallocManaged(call, size, flags)
    if code:
        return code
    if devPtr:
        put_uint64(MEMORY, devPtr, out)
    return 0


_cudaMallocMipmappedArray = late(globals(), RUNTIME.ops, "cudaMallocMipmappedArray")
_cudaMallocMipmappedArray_nulls = frozenset({"mipmappedArray"})


def cudaMallocMipmappedArray(call: Call, mipmappedArray: int, desc: int, extent: Any, numLevels: int, flags: int) -> int:
    if not mipmappedArray:
        call = call.without(_cudaMallocMipmappedArray_nulls)
    code, out = _cudaMallocMipmappedArray(call, read_cudaChannelFormatDesc(desc) if desc else None, _cudaExtent.unpack(bytes(extent)), numLevels, flags)
    if code:
        return code
    if mipmappedArray:
        put_uint64(MEMORY, mipmappedArray, out)
    return 0


_cudaMallocPitch = late(globals(), RUNTIME.ops, "cudaMallocPitch")


def cudaMallocPitch(call: Call, devPtr: int, pitch: int, width: int, height: int) -> int:
    if not (devPtr and pitch):
        call = call.without(nulls(devPtr=devPtr, pitch=pitch))
    code, out = _cudaMallocPitch(call, width, height)
    if code:
        return code
    if devPtr:
        put_uint64(MEMORY, devPtr, out[0])
    if pitch:
        put_uint64(MEMORY, pitch, out[1])
    return 0


_cudaMemAdvise = late(globals(), RUNTIME.ops, "cudaMemAdvise")


def cudaMemAdvise(call: Call, devPtr: int, count: int, advice: int, location: Any) -> int:
    return _cudaMemAdvise(call, devPtr, count, advice, _cudaMemLocation.unpack(bytes(location)))[0]


_cudaMemAdvise_v1 = late(globals(), RUNTIME.ops, "cudaMemAdvise_v1")


def cudaMemAdvise_v1(call: Call, devPtr: int, count: int, advice: int, device: int) -> int:
    return _cudaMemAdvise_v1(call, devPtr, count, advice, device)[0]


_cudaMemDiscardAndPrefetchBatchAsync = late(globals(), RUNTIME.ops, "cudaMemDiscardAndPrefetchBatchAsync")


def cudaMemDiscardAndPrefetchBatchAsync(call: Call, dptrs: int, sizes: int, count: int, prefetchLocs: int, prefetchLocIdxs: int, numPrefetchLocs: int, flags: int, stream: int) -> int:
    return _cudaMemDiscardAndPrefetchBatchAsync(call, tuple((c_uint64 * many(dptrs, 8, count)).from_address(dptrs)) if dptrs else None, tuple((c_uint64 * many(sizes, 8, count)).from_address(sizes)) if sizes else None, count, tuple(read_cudaMemLocation(prefetchLocs + 8 * n) for n in range(many(prefetchLocs, 8, min(numPrefetchLocs, count)))) if prefetchLocs else None, tuple((c_uint64 * many(prefetchLocIdxs, 8, min(numPrefetchLocs, count))).from_address(prefetchLocIdxs)) if prefetchLocIdxs else None, numPrefetchLocs, flags, stream)[0]


_cudaMemDiscardBatchAsync = late(globals(), RUNTIME.ops, "cudaMemDiscardBatchAsync")


def cudaMemDiscardBatchAsync(call: Call, dptrs: int, sizes: int, count: int, flags: int, stream: int) -> int:
    return _cudaMemDiscardBatchAsync(call, tuple((c_uint64 * many(dptrs, 8, count)).from_address(dptrs)) if dptrs else None, tuple((c_uint64 * many(sizes, 8, count)).from_address(sizes)) if sizes else None, count, flags, stream)[0]


_cudaMemGetDefaultMemPool = late(globals(), RUNTIME.ops, "cudaMemGetDefaultMemPool")
_cudaMemGetDefaultMemPool_nulls = frozenset({"memPool"})


def cudaMemGetDefaultMemPool(call: Call, memPool: int, location: int, type_: int) -> int:
    if not memPool:
        call = call.without(_cudaMemGetDefaultMemPool_nulls)
    code, out = _cudaMemGetDefaultMemPool(call, read_cudaMemLocation(location) if location else None, type_)
    if code:
        return code
    if memPool:
        put_uint64(MEMORY, memPool, out)
    return 0


_cudaMemGetInfo = late(globals(), RUNTIME.ops, "cudaMemGetInfo")


def cudaMemGetInfo(call: Call, free: int, total: int) -> int:
    if not (free and total):
        call = call.without(nulls(free=free, total=total))
    code, out = _cudaMemGetInfo(call)
    if code:
        return code
    if free:
        put_uint64(MEMORY, free, out[0])
    if total:
        put_uint64(MEMORY, total, out[1])
    return 0


_cudaMemGetMemPool = late(globals(), RUNTIME.ops, "cudaMemGetMemPool")
_cudaMemGetMemPool_nulls = frozenset({"memPool"})


def cudaMemGetMemPool(call: Call, memPool: int, location: int, type_: int) -> int:
    if not memPool:
        call = call.without(_cudaMemGetMemPool_nulls)
    code, out = _cudaMemGetMemPool(call, read_cudaMemLocation(location) if location else None, type_)
    if code:
        return code
    if memPool:
        put_uint64(MEMORY, memPool, out)
    return 0


_cudaMemPoolCreate = late(globals(), RUNTIME.ops, "cudaMemPoolCreate")
_cudaMemPoolCreate_nulls = frozenset({"memPool"})


def cudaMemPoolCreate(call: Call, memPool: int, poolProps: int) -> int:
    if not memPool:
        call = call.without(_cudaMemPoolCreate_nulls)
    code, out = _cudaMemPoolCreate(call, read_cudaMemPoolProps(poolProps) if poolProps else None)
    if code:
        return code
    if memPool:
        put_uint64(MEMORY, memPool, out)
    return 0


_cudaMemPoolDestroy = late(globals(), RUNTIME.ops, "cudaMemPoolDestroy")


def cudaMemPoolDestroy(call: Call, memPool: int) -> int:
    return _cudaMemPoolDestroy(call, memPool)[0]


_cudaMemPoolExportPointer = late(globals(), RUNTIME.ops, "cudaMemPoolExportPointer")
_cudaMemPoolExportPointer_nulls = frozenset({"exportData"})


def cudaMemPoolExportPointer(call: Call, exportData: int, ptr: int) -> int:
    if not exportData:
        call = call.without(_cudaMemPoolExportPointer_nulls)
    code, out = _cudaMemPoolExportPointer(call, ptr)
    if code:
        return code
    if exportData:
        memmove(exportData, out, len(out))
    return 0


_cudaMemPoolExportToShareableHandle = late(globals(), RUNTIME.ops, "cudaMemPoolExportToShareableHandle")
_cudaMemPoolExportToShareableHandle_nulls = frozenset({"shareableHandle"})


def cudaMemPoolExportToShareableHandle(call: Call, shareableHandle: int, memPool: int, handleType: int, flags: int) -> int:
    if not shareableHandle:
        call = call.without(_cudaMemPoolExportToShareableHandle_nulls)
    code, out = _cudaMemPoolExportToShareableHandle(call, memPool, handleType, flags)
    if code:
        return code
    if shareableHandle:
        write_shareable(shareableHandle, out)
    return 0


_cudaMemPoolGetAccess = late(globals(), RUNTIME.ops, "cudaMemPoolGetAccess")
_cudaMemPoolGetAccess_nulls = frozenset({"flags"})


def cudaMemPoolGetAccess(call: Call, flags: int, memPool: int, location: int) -> int:
    if not flags:
        call = call.without(_cudaMemPoolGetAccess_nulls)
    code, out = _cudaMemPoolGetAccess(call, memPool, read_cudaMemLocation(location) if location else None)
    if code:
        return code
    if flags:
        put_int32(MEMORY, flags, out)
    return 0


_cudaMemPoolGetAttribute = late(globals(), RUNTIME.ops, "cudaMemPoolGetAttribute")
_cudaMemPoolGetAttribute_nulls = frozenset({"value"})


def cudaMemPoolGetAttribute(call: Call, memPool: int, attr: int, value: int) -> int:
    if not value:
        call = call.without(_cudaMemPoolGetAttribute_nulls)
    code, out = _cudaMemPoolGetAttribute(call, memPool, attr)
    if code:
        return code
    if value:
        write_pool_attribute(value, attr, out)
    return 0


_cudaMemPoolImportFromShareableHandle = late(globals(), RUNTIME.ops, "cudaMemPoolImportFromShareableHandle")
_cudaMemPoolImportFromShareableHandle_nulls = frozenset({"memPool"})


def cudaMemPoolImportFromShareableHandle(call: Call, memPool: int, shareableHandle: int, handleType: int, flags: int) -> int:
    if not memPool:
        call = call.without(_cudaMemPoolImportFromShareableHandle_nulls)
    code, out = _cudaMemPoolImportFromShareableHandle(call, read_shareable(shareableHandle, handleType), handleType, flags)
    if code:
        return code
    if memPool:
        put_uint64(MEMORY, memPool, out)
    return 0


_cudaMemPoolImportPointer = late(globals(), RUNTIME.ops, "cudaMemPoolImportPointer")
_cudaMemPoolImportPointer_nulls = frozenset({"ptr"})


def cudaMemPoolImportPointer(call: Call, ptr: int, memPool: int, exportData: int) -> int:
    if not ptr:
        call = call.without(_cudaMemPoolImportPointer_nulls)
    code, out = _cudaMemPoolImportPointer(call, memPool, string_at(exportData, 64) if exportData else None)
    if code:
        return code
    if ptr:
        put_uint64(MEMORY, ptr, out)
    return 0


_cudaMemPoolSetAccess = late(globals(), RUNTIME.ops, "cudaMemPoolSetAccess")


def cudaMemPoolSetAccess(call: Call, memPool: int, descList: int, count: int) -> int:
    return _cudaMemPoolSetAccess(call, memPool, tuple(read_cudaMemAccessDesc(descList + 12 * n) for n in range(many(descList, 12, count))) if descList else None, count)[0]


_cudaMemPoolSetAttribute = late(globals(), RUNTIME.ops, "cudaMemPoolSetAttribute")


def cudaMemPoolSetAttribute(call: Call, memPool: int, attr: int, value: int) -> int:
    return _cudaMemPoolSetAttribute(call, memPool, attr, read_pool_attribute(value, attr))[0]


_cudaMemPoolTrimTo = late(globals(), RUNTIME.ops, "cudaMemPoolTrimTo")


def cudaMemPoolTrimTo(call: Call, memPool: int, minBytesToKeep: int) -> int:
    return _cudaMemPoolTrimTo(call, memPool, minBytesToKeep)[0]


_cudaMemPrefetchAsync = late(globals(), RUNTIME.ops, "cudaMemPrefetchAsync")


def cudaMemPrefetchAsync(call: Call, devPtr: int, count: int, location: Any, flags: int, stream: int) -> int:
    return _cudaMemPrefetchAsync(call, devPtr, count, _cudaMemLocation.unpack(bytes(location)), flags, stream)[0]


_cudaMemPrefetchAsync_v1 = late(globals(), RUNTIME.ops, "cudaMemPrefetchAsync_v1")


def cudaMemPrefetchAsync_v1(call: Call, devPtr: int, count: int, dstDevice: int, stream: int) -> int:
    return _cudaMemPrefetchAsync_v1(call, devPtr, count, dstDevice, stream)[0]


_cudaMemPrefetchBatchAsync = late(globals(), RUNTIME.ops, "cudaMemPrefetchBatchAsync")


def cudaMemPrefetchBatchAsync(call: Call, dptrs: int, sizes: int, count: int, prefetchLocs: int, prefetchLocIdxs: int, numPrefetchLocs: int, flags: int, stream: int) -> int:
    return _cudaMemPrefetchBatchAsync(call, tuple((c_uint64 * many(dptrs, 8, count)).from_address(dptrs)) if dptrs else None, tuple((c_uint64 * many(sizes, 8, count)).from_address(sizes)) if sizes else None, count, tuple(read_cudaMemLocation(prefetchLocs + 8 * n) for n in range(many(prefetchLocs, 8, min(numPrefetchLocs, count)))) if prefetchLocs else None, tuple((c_uint64 * many(prefetchLocIdxs, 8, min(numPrefetchLocs, count))).from_address(prefetchLocIdxs)) if prefetchLocIdxs else None, numPrefetchLocs, flags, stream)[0]


_cudaMemRangeGetAttribute = late(globals(), RUNTIME.ops, "cudaMemRangeGetAttribute")
_cudaMemRangeGetAttribute_nulls = frozenset({"data"})


def cudaMemRangeGetAttribute(call: Call, data: int, dataSize: int, attribute: int, devPtr: int, count: int) -> int:
    if not data:
        call = call.without(_cudaMemRangeGetAttribute_nulls)
    code, out = _cudaMemRangeGetAttribute(call, dataSize, attribute, devPtr, count)
    if code:
        return code
    if data:
        write_numbers(data, out)
    return 0


_cudaMemRangeGetAttributes = late(globals(), RUNTIME.ops, "cudaMemRangeGetAttributes")
_cudaMemRangeGetAttributes_nulls = frozenset({"data"})


def cudaMemRangeGetAttributes(call: Call, data: int, dataSizes: int, attributes: int, numAttributes: int, devPtr: int, count: int) -> int:
    if not data:
        call = call.without(_cudaMemRangeGetAttributes_nulls)
    code, out = _cudaMemRangeGetAttributes(call, tuple((c_uint64 * many(dataSizes, 8, numAttributes)).from_address(dataSizes)) if dataSizes else None, tuple((c_int32 * many(attributes, 4, numAttributes)).from_address(attributes)) if attributes else None, numAttributes, devPtr, count)
    if code:
        return code
    if data:
        write_number_lists(data, out)
    return 0


_cudaMemSetMemPool = late(globals(), RUNTIME.ops, "cudaMemSetMemPool")


def cudaMemSetMemPool(call: Call, location: int, type_: int, memPool: int) -> int:
    return _cudaMemSetMemPool(call, read_cudaMemLocation(location) if location else None, type_, memPool)[0]


_cudaMemcpy = late(globals(), RUNTIME.ops, "cudaMemcpy")


def cudaMemcpy(call: Call, dst: int, src: int, count: int, kind: int) -> int:
    return _cudaMemcpy(call, dst, src, count, kind)[0]


_cudaMemcpy2D = late(globals(), RUNTIME.ops, "cudaMemcpy2D")


def cudaMemcpy2D(call: Call, dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> int:
    return _cudaMemcpy2D(call, dst, dpitch, src, spitch, width, height, kind)[0]


_cudaMemcpy2DArrayToArray = late(globals(), RUNTIME.ops, "cudaMemcpy2DArrayToArray")


def cudaMemcpy2DArrayToArray(call: Call, dst: int, wOffsetDst: int, hOffsetDst: int, src: int, wOffsetSrc: int, hOffsetSrc: int, width: int, height: int, kind: int) -> int:
    return _cudaMemcpy2DArrayToArray(call, dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height, kind)[0]


_cudaMemcpy2DAsync = late(globals(), RUNTIME.ops, "cudaMemcpy2DAsync")


def cudaMemcpy2DAsync(call: Call, dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int) -> int:
    return _cudaMemcpy2DAsync(call, dst, dpitch, src, spitch, width, height, kind, stream)[0]


_cudaMemcpy2DFromArray = late(globals(), RUNTIME.ops, "cudaMemcpy2DFromArray")


def cudaMemcpy2DFromArray(call: Call, dst: int, dpitch: int, src: int, wOffset: int, hOffset: int, width: int, height: int, kind: int) -> int:
    return _cudaMemcpy2DFromArray(call, dst, dpitch, src, wOffset, hOffset, width, height, kind)[0]


_cudaMemcpy2DFromArrayAsync = late(globals(), RUNTIME.ops, "cudaMemcpy2DFromArrayAsync")


def cudaMemcpy2DFromArrayAsync(call: Call, dst: int, dpitch: int, src: int, wOffset: int, hOffset: int, width: int, height: int, kind: int, stream: int) -> int:
    return _cudaMemcpy2DFromArrayAsync(call, dst, dpitch, src, wOffset, hOffset, width, height, kind, stream)[0]


_cudaMemcpy2DToArray = late(globals(), RUNTIME.ops, "cudaMemcpy2DToArray")


def cudaMemcpy2DToArray(call: Call, dst: int, wOffset: int, hOffset: int, src: int, spitch: int, width: int, height: int, kind: int) -> int:
    return _cudaMemcpy2DToArray(call, dst, wOffset, hOffset, src, spitch, width, height, kind)[0]


_cudaMemcpy2DToArrayAsync = late(globals(), RUNTIME.ops, "cudaMemcpy2DToArrayAsync")


def cudaMemcpy2DToArrayAsync(call: Call, dst: int, wOffset: int, hOffset: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int) -> int:
    return _cudaMemcpy2DToArrayAsync(call, dst, wOffset, hOffset, src, spitch, width, height, kind, stream)[0]


_cudaMemcpy3D = late(globals(), RUNTIME.ops, "cudaMemcpy3D")


def cudaMemcpy3D(call: Call, p: int) -> int:
    return _cudaMemcpy3D(call, read_cudaMemcpy3DParms(p) if p else None)[0]


_cudaMemcpy3DAsync = late(globals(), RUNTIME.ops, "cudaMemcpy3DAsync")


def cudaMemcpy3DAsync(call: Call, p: int, stream: int) -> int:
    return _cudaMemcpy3DAsync(call, read_cudaMemcpy3DParms(p) if p else None, stream)[0]


_cudaMemcpy3DPeer = late(globals(), RUNTIME.ops, "cudaMemcpy3DPeer")


def cudaMemcpy3DPeer(call: Call, p: int) -> int:
    return _cudaMemcpy3DPeer(call, read_cudaMemcpy3DPeerParms(p) if p else None)[0]


_cudaMemcpy3DPeerAsync = late(globals(), RUNTIME.ops, "cudaMemcpy3DPeerAsync")


def cudaMemcpy3DPeerAsync(call: Call, p: int, stream: int) -> int:
    return _cudaMemcpy3DPeerAsync(call, read_cudaMemcpy3DPeerParms(p) if p else None, stream)[0]


_cudaMemcpyArrayToArray = late(globals(), RUNTIME.ops, "cudaMemcpyArrayToArray")


def cudaMemcpyArrayToArray(call: Call, dst: int, wOffsetDst: int, hOffsetDst: int, src: int, wOffsetSrc: int, hOffsetSrc: int, count: int, kind: int) -> int:
    return _cudaMemcpyArrayToArray(call, dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, count, kind)[0]


_cudaMemcpyAsync = late(globals(), RUNTIME.ops, "cudaMemcpyAsync")


def cudaMemcpyAsync(call: Call, dst: int, src: int, count: int, kind: int, stream: int) -> int:
    return _cudaMemcpyAsync(call, dst, src, count, kind, stream)[0]


_cudaMemcpyBatchAsync = late(globals(), RUNTIME.ops, "cudaMemcpyBatchAsync")


def cudaMemcpyBatchAsync(call: Call, dsts: int, srcs: int, sizes: int, count: int, attrs: int, attrsIdxs: int, numAttrs: int, stream: int) -> int:
    return _cudaMemcpyBatchAsync(call, tuple((c_uint64 * many(dsts, 8, count)).from_address(dsts)) if dsts else None, tuple((c_uint64 * many(srcs, 8, count)).from_address(srcs)) if srcs else None, tuple((c_uint64 * many(sizes, 8, count)).from_address(sizes)) if sizes else None, count, tuple(read_cudaMemcpyAttributes(attrs + 24 * n) for n in range(many(attrs, 24, min(numAttrs, count)))) if attrs else None, tuple((c_uint64 * many(attrsIdxs, 8, min(numAttrs, count))).from_address(attrsIdxs)) if attrsIdxs else None, numAttrs, stream)[0]


_cudaMemcpyFromArray = late(globals(), RUNTIME.ops, "cudaMemcpyFromArray")


def cudaMemcpyFromArray(call: Call, dst: int, src: int, wOffset: int, hOffset: int, count: int, kind: int) -> int:
    return _cudaMemcpyFromArray(call, dst, src, wOffset, hOffset, count, kind)[0]


_cudaMemcpyFromArrayAsync = late(globals(), RUNTIME.ops, "cudaMemcpyFromArrayAsync")


def cudaMemcpyFromArrayAsync(call: Call, dst: int, src: int, wOffset: int, hOffset: int, count: int, kind: int, stream: int) -> int:
    return _cudaMemcpyFromArrayAsync(call, dst, src, wOffset, hOffset, count, kind, stream)[0]


_cudaMemcpyFromSymbol = late(globals(), RUNTIME.ops, "cudaMemcpyFromSymbol")


def cudaMemcpyFromSymbol(call: Call, dst: int, symbol: int, count: int, offset: int, kind: int) -> int:
    return _cudaMemcpyFromSymbol(call, dst, symbol, count, offset, kind)[0]


_cudaMemcpyFromSymbolAsync = late(globals(), RUNTIME.ops, "cudaMemcpyFromSymbolAsync")


def cudaMemcpyFromSymbolAsync(call: Call, dst: int, symbol: int, count: int, offset: int, kind: int, stream: int) -> int:
    return _cudaMemcpyFromSymbolAsync(call, dst, symbol, count, offset, kind, stream)[0]


_cudaMemcpyPeer = late(globals(), RUNTIME.ops, "cudaMemcpyPeer")


def cudaMemcpyPeer(call: Call, dst: int, dstDevice: int, src: int, srcDevice: int, count: int) -> int:
    return _cudaMemcpyPeer(call, dst, dstDevice, src, srcDevice, count)[0]


_cudaMemcpyPeerAsync = late(globals(), RUNTIME.ops, "cudaMemcpyPeerAsync")


def cudaMemcpyPeerAsync(call: Call, dst: int, dstDevice: int, src: int, srcDevice: int, count: int, stream: int) -> int:
    return _cudaMemcpyPeerAsync(call, dst, dstDevice, src, srcDevice, count, stream)[0]


_cudaMemcpyToArray = late(globals(), RUNTIME.ops, "cudaMemcpyToArray")


def cudaMemcpyToArray(call: Call, dst: int, wOffset: int, hOffset: int, src: int, count: int, kind: int) -> int:
    return _cudaMemcpyToArray(call, dst, wOffset, hOffset, src, count, kind)[0]


_cudaMemcpyToArrayAsync = late(globals(), RUNTIME.ops, "cudaMemcpyToArrayAsync")


def cudaMemcpyToArrayAsync(call: Call, dst: int, wOffset: int, hOffset: int, src: int, count: int, kind: int, stream: int) -> int:
    return _cudaMemcpyToArrayAsync(call, dst, wOffset, hOffset, src, count, kind, stream)[0]


_cudaMemcpyToSymbol = late(globals(), RUNTIME.ops, "cudaMemcpyToSymbol")


def cudaMemcpyToSymbol(call: Call, symbol: int, src: int, count: int, offset: int, kind: int) -> int:
    return _cudaMemcpyToSymbol(call, symbol, src, count, offset, kind)[0]


_cudaMemcpyToSymbolAsync = late(globals(), RUNTIME.ops, "cudaMemcpyToSymbolAsync")


def cudaMemcpyToSymbolAsync(call: Call, symbol: int, src: int, count: int, offset: int, kind: int, stream: int) -> int:
    return _cudaMemcpyToSymbolAsync(call, symbol, src, count, offset, kind, stream)[0]


_cudaMemcpyWithAttributesAsync = late(globals(), RUNTIME.ops, "cudaMemcpyWithAttributesAsync")


def cudaMemcpyWithAttributesAsync(call: Call, dst: int, src: int, size: int, attr: int, stream: int) -> int:
    return _cudaMemcpyWithAttributesAsync(call, dst, src, size, read_cudaMemcpyAttributes(attr) if attr else None, stream)[0]


_cudaMemset = late(globals(), RUNTIME.ops, "cudaMemset")


def cudaMemset(call: Call, devPtr: int, value: int, count: int) -> int:
    return _cudaMemset(call, devPtr, value, count)[0]


_cudaMemset2D = late(globals(), RUNTIME.ops, "cudaMemset2D")


def cudaMemset2D(call: Call, devPtr: int, pitch: int, value: int, width: int, height: int) -> int:
    return _cudaMemset2D(call, devPtr, pitch, value, width, height)[0]


_cudaMemset2DAsync = late(globals(), RUNTIME.ops, "cudaMemset2DAsync")


def cudaMemset2DAsync(call: Call, devPtr: int, pitch: int, value: int, width: int, height: int, stream: int) -> int:
    return _cudaMemset2DAsync(call, devPtr, pitch, value, width, height, stream)[0]


_cudaMemset3D = late(globals(), RUNTIME.ops, "cudaMemset3D")


def cudaMemset3D(call: Call, pitchedDevPtr: Any, value: int, extent: Any) -> int:
    return _cudaMemset3D(call, _cudaPitchedPtr.unpack(bytes(pitchedDevPtr)), value, _cudaExtent.unpack(bytes(extent)))[0]


_cudaMemset3DAsync = late(globals(), RUNTIME.ops, "cudaMemset3DAsync")


def cudaMemset3DAsync(call: Call, pitchedDevPtr: Any, value: int, extent: Any, stream: int) -> int:
    return _cudaMemset3DAsync(call, _cudaPitchedPtr.unpack(bytes(pitchedDevPtr)), value, _cudaExtent.unpack(bytes(extent)), stream)[0]


_cudaMemsetAsync = late(globals(), RUNTIME.ops, "cudaMemsetAsync")


def cudaMemsetAsync(call: Call, devPtr: int, value: int, count: int, stream: int) -> int:
    return _cudaMemsetAsync(call, devPtr, value, count, stream)[0]


_cudaMipmappedArrayGetMemoryRequirements = late(globals(), RUNTIME.ops, "cudaMipmappedArrayGetMemoryRequirements")
_cudaMipmappedArrayGetMemoryRequirements_nulls = frozenset({"memoryRequirements"})


def cudaMipmappedArrayGetMemoryRequirements(call: Call, memoryRequirements: int, mipmap: int, device: int) -> int:
    if not memoryRequirements:
        call = call.without(_cudaMipmappedArrayGetMemoryRequirements_nulls)
    code, out = _cudaMipmappedArrayGetMemoryRequirements(call, mipmap, device)
    if code:
        return code
    if memoryRequirements:
        write_cudaArrayMemoryRequirements(memoryRequirements, out)
    return 0


_cudaMipmappedArrayGetSparseProperties = late(globals(), RUNTIME.ops, "cudaMipmappedArrayGetSparseProperties")
_cudaMipmappedArrayGetSparseProperties_nulls = frozenset({"sparseProperties"})


def cudaMipmappedArrayGetSparseProperties(call: Call, sparseProperties: int, mipmap: int) -> int:
    if not sparseProperties:
        call = call.without(_cudaMipmappedArrayGetSparseProperties_nulls)
    code, out = _cudaMipmappedArrayGetSparseProperties(call, mipmap)
    if code:
        return code
    if sparseProperties:
        write_cudaArraySparseProperties(sparseProperties, out)
    return 0


_cudaOccupancyAvailableDynamicSMemPerBlock = late(globals(), RUNTIME.ops, "cudaOccupancyAvailableDynamicSMemPerBlock")
_cudaOccupancyAvailableDynamicSMemPerBlock_nulls = frozenset({"dynamicSmemSize"})


def cudaOccupancyAvailableDynamicSMemPerBlock(call: Call, dynamicSmemSize: int, func: int, numBlocks: int, blockSize: int) -> int:
    if not dynamicSmemSize:
        call = call.without(_cudaOccupancyAvailableDynamicSMemPerBlock_nulls)
    code, out = _cudaOccupancyAvailableDynamicSMemPerBlock(call, func, numBlocks, blockSize)
    if code:
        return code
    if dynamicSmemSize:
        put_uint64(MEMORY, dynamicSmemSize, out)
    return 0


_cudaOccupancyMaxActiveBlocksPerMultiprocessor = late(globals(), RUNTIME.ops, "cudaOccupancyMaxActiveBlocksPerMultiprocessor")
_cudaOccupancyMaxActiveBlocksPerMultiprocessor_nulls = frozenset({"numBlocks"})


def cudaOccupancyMaxActiveBlocksPerMultiprocessor(call: Call, numBlocks: int, func: int, blockSize: int, dynamicSMemSize: int) -> int:
    if not numBlocks:
        call = call.without(_cudaOccupancyMaxActiveBlocksPerMultiprocessor_nulls)
    code, out = _cudaOccupancyMaxActiveBlocksPerMultiprocessor(call, func, blockSize, dynamicSMemSize)
    if code:
        return code
    if numBlocks:
        put_int32(MEMORY, numBlocks, out)
    return 0


_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags = late(globals(), RUNTIME.ops, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_nulls = frozenset({"numBlocks"})


def cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(call: Call, numBlocks: int, func: int, blockSize: int, dynamicSMemSize: int, flags: int) -> int:
    if not numBlocks:
        call = call.without(_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_nulls)
    code, out = _cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(call, func, blockSize, dynamicSMemSize, flags)
    if code:
        return code
    if numBlocks:
        put_int32(MEMORY, numBlocks, out)
    return 0


_cudaOccupancyMaxActiveClusters = late(globals(), RUNTIME.ops, "cudaOccupancyMaxActiveClusters")
_cudaOccupancyMaxActiveClusters_nulls = frozenset({"numClusters"})


def cudaOccupancyMaxActiveClusters(call: Call, numClusters: int, func: int, config: int) -> int:
    if not numClusters:
        call = call.without(_cudaOccupancyMaxActiveClusters_nulls)
    code, out = _cudaOccupancyMaxActiveClusters(call, func, config)
    if code:
        return code
    if numClusters:
        put_int32(MEMORY, numClusters, out)
    return 0


_cudaOccupancyMaxPotentialClusterSize = late(globals(), RUNTIME.ops, "cudaOccupancyMaxPotentialClusterSize")
_cudaOccupancyMaxPotentialClusterSize_nulls = frozenset({"clusterSize"})


def cudaOccupancyMaxPotentialClusterSize(call: Call, clusterSize: int, func: int, config: int) -> int:
    if not clusterSize:
        call = call.without(_cudaOccupancyMaxPotentialClusterSize_nulls)
    code, out = _cudaOccupancyMaxPotentialClusterSize(call, func, config)
    if code:
        return code
    if clusterSize:
        put_int32(MEMORY, clusterSize, out)
    return 0


_cudaPeekAtLastError = late(globals(), RUNTIME.ops, "cudaPeekAtLastError")


def cudaPeekAtLastError(call: Call) -> int:
    return _cudaPeekAtLastError(call)[0]


_cudaPointerGetAttributes = late(globals(), RUNTIME.ops, "cudaPointerGetAttributes")
_cudaPointerGetAttributes_nulls = frozenset({"attributes"})


def cudaPointerGetAttributes(call: Call, attributes: int, ptr: int) -> int:
    if not attributes:
        call = call.without(_cudaPointerGetAttributes_nulls)
    code, out = _cudaPointerGetAttributes(call, ptr)
    if code:
        return code
    if attributes:
        write_cudaPointerAttributes(attributes, out)
    return 0


_cudaProfilerStart = late(globals(), RUNTIME.ops, "cudaProfilerStart")


def cudaProfilerStart(call: Call) -> int:
    return _cudaProfilerStart(call)[0]


_cudaProfilerStop = late(globals(), RUNTIME.ops, "cudaProfilerStop")


def cudaProfilerStop(call: Call) -> int:
    return _cudaProfilerStop(call)[0]


_cudaRuntimeGetVersion = late(globals(), RUNTIME.ops, "cudaRuntimeGetVersion")
_cudaRuntimeGetVersion_nulls = frozenset({"runtimeVersion"})


def cudaRuntimeGetVersion(call: Call, runtimeVersion: int) -> int:
    if not runtimeVersion:
        call = call.without(_cudaRuntimeGetVersion_nulls)
    code, out = _cudaRuntimeGetVersion(call)
    if code:
        return code
    if runtimeVersion:
        put_int32(MEMORY, runtimeVersion, out)
    return 0


_cudaSetDevice = late(globals(), RUNTIME.ops, "cudaSetDevice")


def cudaSetDevice(call: Call, device: int) -> int:
    return _cudaSetDevice(call, device)[0]


_cudaSetDeviceFlags = late(globals(), RUNTIME.ops, "cudaSetDeviceFlags")


def cudaSetDeviceFlags(call: Call, flags: int) -> int:
    return _cudaSetDeviceFlags(call, flags)[0]


_cudaSetValidDevices = late(globals(), RUNTIME.ops, "cudaSetValidDevices")


def cudaSetValidDevices(call: Call, device_arr: int, len_: int) -> int:
    return _cudaSetValidDevices(call, tuple((c_int32 * many(device_arr, 4, len_)).from_address(device_arr)) if device_arr else None, len_)[0]


_cudaStreamAddCallback = late(globals(), RUNTIME.ops, "cudaStreamAddCallback")


def cudaStreamAddCallback(call: Call, stream: int, callback: int, userData: int, flags: int) -> int:
    return _cudaStreamAddCallback(call, stream, callback, userData, flags)[0]


_cudaStreamAttachMemAsync = late(globals(), RUNTIME.ops, "cudaStreamAttachMemAsync")


def cudaStreamAttachMemAsync(call: Call, stream: int, devPtr: int, length: int, flags: int) -> int:
    return _cudaStreamAttachMemAsync(call, stream, devPtr, length, flags)[0]


_cudaStreamBeginCapture = late(globals(), RUNTIME.ops, "cudaStreamBeginCapture")


def cudaStreamBeginCapture(call: Call, stream: int, mode: int) -> int:
    return _cudaStreamBeginCapture(call, stream, mode)[0]


_cudaStreamBeginCaptureToGraph = late(globals(), RUNTIME.ops, "cudaStreamBeginCaptureToGraph")


def cudaStreamBeginCaptureToGraph(call: Call, stream: int, graph: int, dependencies: int, dependencyData: int, numDependencies: int, mode: int) -> int:
    return _cudaStreamBeginCaptureToGraph(call, stream, graph, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, tuple(read_cudaGraphEdgeData(dependencyData + 8 * n) for n in range(many(dependencyData, 8, numDependencies))) if dependencyData else None, numDependencies, mode)[0]


_cudaStreamCopyAttributes = late(globals(), RUNTIME.ops, "cudaStreamCopyAttributes")


def cudaStreamCopyAttributes(call: Call, dst: int, src: int) -> int:
    return _cudaStreamCopyAttributes(call, dst, src)[0]


_cudaStreamCreate = late(globals(), RUNTIME.ops, "cudaStreamCreate")
_cudaStreamCreate_nulls = frozenset({"pStream"})


def cudaStreamCreate(call: Call, pStream: int) -> int:
    if not pStream:
        call = call.without(_cudaStreamCreate_nulls)
    code, out = _cudaStreamCreate(call)
    if code:
        return code
    if pStream:
        put_uint64(MEMORY, pStream, out)
    return 0


_cudaStreamCreateWithFlags = late(globals(), RUNTIME.ops, "cudaStreamCreateWithFlags")
_cudaStreamCreateWithFlags_nulls = frozenset({"pStream"})


def cudaStreamCreateWithFlags(call: Call, pStream: int, flags: int) -> int:
    if not pStream:
        call = call.without(_cudaStreamCreateWithFlags_nulls)
    code, out = _cudaStreamCreateWithFlags(call, flags)
    if code:
        return code
    if pStream:
        put_uint64(MEMORY, pStream, out)
    return 0


_cudaStreamCreateWithPriority = late(globals(), RUNTIME.ops, "cudaStreamCreateWithPriority")
_cudaStreamCreateWithPriority_nulls = frozenset({"pStream"})


def cudaStreamCreateWithPriority(call: Call, pStream: int, flags: int, priority: int) -> int:
    if not pStream:
        call = call.without(_cudaStreamCreateWithPriority_nulls)
    code, out = _cudaStreamCreateWithPriority(call, flags, priority)
    if code:
        return code
    if pStream:
        put_uint64(MEMORY, pStream, out)
    return 0


_cudaStreamDestroy = late(globals(), RUNTIME.ops, "cudaStreamDestroy")


def cudaStreamDestroy(call: Call, stream: int) -> int:
    return _cudaStreamDestroy(call, stream)[0]


_cudaStreamEndCapture = late(globals(), RUNTIME.ops, "cudaStreamEndCapture")
_cudaStreamEndCapture_nulls = frozenset({"pGraph"})


def cudaStreamEndCapture(call: Call, stream: int, pGraph: int) -> int:
    if not pGraph:
        call = call.without(_cudaStreamEndCapture_nulls)
    code, out = _cudaStreamEndCapture(call, stream)
    if code:
        return code
    if pGraph:
        put_uint64(MEMORY, pGraph, out)
    return 0


_cudaStreamGetAttribute = late(globals(), RUNTIME.ops, "cudaStreamGetAttribute")
_cudaStreamGetAttribute_nulls = frozenset({"value_out"})


def cudaStreamGetAttribute(call: Call, hStream: int, attr: int, value_out: int) -> int:
    if not value_out:
        call = call.without(_cudaStreamGetAttribute_nulls)
    code, out = _cudaStreamGetAttribute(call, hStream, attr)
    if code:
        return code
    if value_out:
        write_stream_value(value_out, attr, out)
    return 0


_cudaStreamGetCaptureInfo = late(globals(), RUNTIME.ops, "cudaStreamGetCaptureInfo")


def cudaStreamGetCaptureInfo(call: Call, stream: int, captureStatus_out: int, id_out: int, graph_out: int, dependencies_out: int, edgeData_out: int, numDependencies_out: int) -> int:
    if not (captureStatus_out and id_out and graph_out and dependencies_out and edgeData_out and numDependencies_out):
        call = call.without(nulls(captureStatus_out=captureStatus_out, id_out=id_out, graph_out=graph_out, dependencies_out=dependencies_out, edgeData_out=edgeData_out, numDependencies_out=numDependencies_out))
    code, out = _cudaStreamGetCaptureInfo(call, stream)
    if code:
        return code
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
    return 0


_cudaStreamGetCaptureInfo_v1 = late(globals(), RUNTIME.ops, "cudaStreamGetCaptureInfo_v1")


def cudaStreamGetCaptureInfo_v1(call: Call, stream: int, captureStatus_out: int, id_out: int) -> int:
    if not (captureStatus_out and id_out):
        call = call.without(nulls(captureStatus_out=captureStatus_out, id_out=id_out))
    code, out = _cudaStreamGetCaptureInfo_v1(call, stream)
    if code:
        return code
    if captureStatus_out:
        put_int32(MEMORY, captureStatus_out, out[0])
    if id_out:
        put_uint64(MEMORY, id_out, out[1])
    return 0


_cudaStreamGetCaptureInfo_v2 = late(globals(), RUNTIME.ops, "cudaStreamGetCaptureInfo_v2")


def cudaStreamGetCaptureInfo_v2(call: Call, stream: int, captureStatus_out: int, id_out: int, graph_out: int, dependencies_out: int, numDependencies_out: int) -> int:
    if not (captureStatus_out and id_out and graph_out and dependencies_out and numDependencies_out):
        call = call.without(nulls(captureStatus_out=captureStatus_out, id_out=id_out, graph_out=graph_out, dependencies_out=dependencies_out, numDependencies_out=numDependencies_out))
    code, out = _cudaStreamGetCaptureInfo_v2(call, stream)
    if code:
        return code
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
    return 0


_cudaStreamGetDevice = late(globals(), RUNTIME.ops, "cudaStreamGetDevice")
_cudaStreamGetDevice_nulls = frozenset({"device"})


def cudaStreamGetDevice(call: Call, hStream: int, device: int) -> int:
    if not device:
        call = call.without(_cudaStreamGetDevice_nulls)
    code, out = _cudaStreamGetDevice(call, hStream)
    if code:
        return code
    if device:
        put_int32(MEMORY, device, out)
    return 0


_cudaStreamGetFlags = late(globals(), RUNTIME.ops, "cudaStreamGetFlags")
_cudaStreamGetFlags_nulls = frozenset({"flags"})


def cudaStreamGetFlags(call: Call, hStream: int, flags: int) -> int:
    if not flags:
        call = call.without(_cudaStreamGetFlags_nulls)
    code, out = _cudaStreamGetFlags(call, hStream)
    if code:
        return code
    if flags:
        put_uint32(MEMORY, flags, out)
    return 0


_cudaStreamGetId = late(globals(), RUNTIME.ops, "cudaStreamGetId")
_cudaStreamGetId_nulls = frozenset({"streamId"})


def cudaStreamGetId(call: Call, hStream: int, streamId: int) -> int:
    if not streamId:
        call = call.without(_cudaStreamGetId_nulls)
    code, out = _cudaStreamGetId(call, hStream)
    if code:
        return code
    if streamId:
        put_uint64(MEMORY, streamId, out)
    return 0


_cudaStreamGetPriority = late(globals(), RUNTIME.ops, "cudaStreamGetPriority")
_cudaStreamGetPriority_nulls = frozenset({"priority"})


def cudaStreamGetPriority(call: Call, hStream: int, priority: int) -> int:
    if not priority:
        call = call.without(_cudaStreamGetPriority_nulls)
    code, out = _cudaStreamGetPriority(call, hStream)
    if code:
        return code
    if priority:
        put_int32(MEMORY, priority, out)
    return 0


_cudaStreamIsCapturing = late(globals(), RUNTIME.ops, "cudaStreamIsCapturing")
_cudaStreamIsCapturing_nulls = frozenset({"pCaptureStatus"})


def cudaStreamIsCapturing(call: Call, stream: int, pCaptureStatus: int) -> int:
    if not pCaptureStatus:
        call = call.without(_cudaStreamIsCapturing_nulls)
    code, out = _cudaStreamIsCapturing(call, stream)
    if code:
        return code
    if pCaptureStatus:
        put_int32(MEMORY, pCaptureStatus, out)
    return 0


_cudaStreamQuery = late(globals(), RUNTIME.ops, "cudaStreamQuery")


def cudaStreamQuery(call: Call, stream: int) -> int:
    return _cudaStreamQuery(call, stream)[0]


_cudaStreamSetAttribute = late(globals(), RUNTIME.ops, "cudaStreamSetAttribute")


def cudaStreamSetAttribute(call: Call, hStream: int, attr: int, value: int) -> int:
    return _cudaStreamSetAttribute(call, hStream, attr, read_stream_value(value, attr) if value else None)[0]


_cudaStreamSynchronize = late(globals(), RUNTIME.ops, "cudaStreamSynchronize")


def cudaStreamSynchronize(call: Call, stream: int) -> int:
    return _cudaStreamSynchronize(call, stream)[0]


_cudaStreamUpdateCaptureDependencies = late(globals(), RUNTIME.ops, "cudaStreamUpdateCaptureDependencies")


def cudaStreamUpdateCaptureDependencies(call: Call, stream: int, dependencies: int, dependencyData: int, numDependencies: int, flags: int) -> int:
    return _cudaStreamUpdateCaptureDependencies(call, stream, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, tuple(read_cudaGraphEdgeData(dependencyData + 8 * n) for n in range(many(dependencyData, 8, numDependencies))) if dependencyData else None, numDependencies, flags)[0]


_cudaStreamUpdateCaptureDependencies_v1 = late(globals(), RUNTIME.ops, "cudaStreamUpdateCaptureDependencies_v1")


def cudaStreamUpdateCaptureDependencies_v1(call: Call, stream: int, dependencies: int, numDependencies: int, flags: int) -> int:
    return _cudaStreamUpdateCaptureDependencies_v1(call, stream, tuple((c_uint64 * many(dependencies, 8, numDependencies)).from_address(dependencies)) if dependencies else None, numDependencies, flags)[0]


_cudaStreamWaitEvent = late(globals(), RUNTIME.ops, "cudaStreamWaitEvent")


def cudaStreamWaitEvent(call: Call, stream: int, event: int, flags: int) -> int:
    return _cudaStreamWaitEvent(call, stream, event, flags)[0]


_cudaThreadExchangeStreamCaptureMode = late(globals(), RUNTIME.ops, "cudaThreadExchangeStreamCaptureMode")
_cudaThreadExchangeStreamCaptureMode_nulls = frozenset({"mode"})


def cudaThreadExchangeStreamCaptureMode(call: Call, mode: int) -> int:
    if not mode:
        call = call.without(_cudaThreadExchangeStreamCaptureMode_nulls)
    code, out = _cudaThreadExchangeStreamCaptureMode(call, c_int32.from_address(mode).value if mode else None)
    if code:
        return code
    if mode:
        put_int32(MEMORY, mode, out)
    return 0


_cudaUserObjectCreate = late(globals(), RUNTIME.ops, "cudaUserObjectCreate")
_cudaUserObjectCreate_nulls = frozenset({"object_out"})


def cudaUserObjectCreate(call: Call, object_out: int, ptr: int, destroy: int, initialRefcount: int, flags: int) -> int:
    if not object_out:
        call = call.without(_cudaUserObjectCreate_nulls)
    code, out = _cudaUserObjectCreate(call, ptr, destroy, initialRefcount, flags)
    if code:
        return code
    if object_out:
        put_uint64(MEMORY, object_out, out)
    return 0


_cudaUserObjectRelease = late(globals(), RUNTIME.ops, "cudaUserObjectRelease")


def cudaUserObjectRelease(call: Call, object_: int, count: int) -> int:
    return _cudaUserObjectRelease(call, object_, count)[0]


_cudaUserObjectRetain = late(globals(), RUNTIME.ops, "cudaUserObjectRetain")


def cudaUserObjectRetain(call: Call, object_: int, count: int) -> int:
    return _cudaUserObjectRetain(call, object_, count)[0]


RETURNED = ('cudaGetErrorName', 'cudaGetErrorString')


ARGUMENTS: dict[str, tuple[str, ...]] = {
    "cudaArrayGetInfo": ('P', 'P', 'P', 'Q'),
    "cudaArrayGetMemoryRequirements": ('P', 'Q', 'i'),
    "cudaArrayGetPlane": ('P', 'Q', 'I'),
    "cudaArrayGetSparseProperties": ('P', 'Q'),
    "cudaChooseDevice": ('P', 'P'),
    "cudaChooseDevice_v1": ('P', 'P'),
    "cudaCreateSurfaceObject": ('P', 'P'),
    "cudaCreateTextureObject": ('P', 'P', 'P', 'P'),
    "cudaCtxResetPersistingL2Cache": (),
    "cudaDestroySurfaceObject": ('Q',),
    "cudaDestroyTextureObject": ('Q',),
    "cudaDeviceCanAccessPeer": ('P', 'i', 'i'),
    "cudaDeviceDisablePeerAccess": ('i',),
    "cudaDeviceEnablePeerAccess": ('i', 'I'),
    "cudaDeviceFlushGPUDirectRDMAWrites": ('i', 'i'),
    "cudaDeviceGetAttribute": ('P', 'i', 'i'),
    "cudaDeviceGetByPCIBusId": ('P', 'P'),
    "cudaDeviceGetCacheConfig": ('P',),
    "cudaDeviceGetDefaultMemPool": ('P', 'i'),
    "cudaDeviceGetGraphMemAttribute": ('i', 'i', 'P'),
    "cudaDeviceGetHostAtomicCapabilities": ('P', 'P', 'I', 'i'),
    "cudaDeviceGetLimit": ('P', 'i'),
    "cudaDeviceGetMemPool": ('P', 'i'),
    "cudaDeviceGetP2PAtomicCapabilities": ('P', 'P', 'I', 'i', 'i'),
    "cudaDeviceGetP2PAttribute": ('P', 'i', 'i', 'i'),
    "cudaDeviceGetPCIBusId": ('P', 'i', 'i'),
    "cudaDeviceGetSharedMemConfig": ('P',),
    "cudaDeviceGetStreamPriorityRange": ('P', 'P'),
    "cudaDeviceGetTexture1DLinearMaxWidth": ('P', 'P', 'i'),
    "cudaDeviceGraphMemTrim": ('i',),
    "cudaDeviceReset": (),
    "cudaDeviceSetCacheConfig": ('i',),
    "cudaDeviceSetGraphMemAttribute": ('i', 'i', 'P'),
    "cudaDeviceSetLimit": ('i', 'Q'),
    "cudaDeviceSetMemPool": ('i', 'Q'),
    "cudaDeviceSetSharedMemConfig": ('i',),
    "cudaDeviceSynchronize": (),
    "cudaDriverGetVersion": ('P',),
    "cudaEventCreate": ('P',),
    "cudaEventCreateWithFlags": ('P', 'I'),
    "cudaEventDestroy": ('Q',),
    "cudaEventElapsedTime": ('P', 'Q', 'Q'),
    "cudaEventQuery": ('Q',),
    "cudaEventRecord": ('Q', 'Q'),
    "cudaEventRecordWithFlags": ('Q', 'Q', 'I'),
    "cudaEventSynchronize": ('Q',),
    "cudaFree": ('P',),
    "cudaFreeArray": ('Q',),
    "cudaFreeAsync": ('P', 'Q'),
    "cudaFreeHost": ('P',),
    "cudaFreeMipmappedArray": ('Q',),
    "cudaFuncGetAttributes": ('P', 'P'),
    "cudaFuncGetName": ('P', 'P'),
    "cudaFuncGetParamInfo": ('P', 'Q', 'P', 'P'),
    "cudaFuncSetAttribute": ('P', 'i', 'i'),
    "cudaFuncSetCacheConfig": ('P', 'i'),
    "cudaFuncSetSharedMemConfig": ('P', 'i'),
    "cudaGetChannelDesc": ('P', 'Q'),
    "cudaGetDevice": ('P',),
    "cudaGetDeviceCount": ('P',),
    "cudaGetDeviceFlags": ('P',),
    "cudaGetDeviceProperties": ('P', 'i'),
    "cudaGetDeviceProperties_v2": ('P', 'i'),
    "cudaGetDriverEntryPoint": ('P', 'P', 'Q', 'P'),
    "cudaGetDriverEntryPointByVersion": ('P', 'P', 'I', 'Q', 'P'),
    "cudaGetErrorName": ('i',),
    "cudaGetErrorString": ('i',),
    "cudaGetFuncBySymbol": ('P', 'P'),
    "cudaGetKernel": ('P', 'P'),
    "cudaGetLastError": (),
    "cudaGetMipmappedArrayLevel": ('P', 'Q', 'I'),
    "cudaGetSurfaceObjectResourceDesc": ('P', 'Q'),
    "cudaGetSymbolAddress": ('P', 'P'),
    "cudaGetSymbolSize": ('P', 'P'),
    "cudaGetTextureObjectResourceDesc": ('P', 'Q'),
    "cudaGetTextureObjectResourceViewDesc": ('P', 'Q'),
    "cudaGetTextureObjectTextureDesc": ('P', 'Q'),
    "cudaGraphAddChildGraphNode": ('P', 'Q', 'P', 'Q', 'Q'),
    "cudaGraphAddDependencies": ('Q', 'P', 'P', 'P', 'Q'),
    "cudaGraphAddDependencies_v1": ('Q', 'P', 'P', 'Q'),
    "cudaGraphAddEmptyNode": ('P', 'Q', 'P', 'Q'),
    "cudaGraphAddEventRecordNode": ('P', 'Q', 'P', 'Q', 'Q'),
    "cudaGraphAddEventWaitNode": ('P', 'Q', 'P', 'Q', 'Q'),
    "cudaGraphAddHostNode": ('P', 'Q', 'P', 'Q', 'P'),
    "cudaGraphAddKernelNode": ('P', 'Q', 'P', 'Q', 'P'),
    "cudaGraphAddMemAllocNode": ('P', 'Q', 'P', 'Q', 'P'),
    "cudaGraphAddMemFreeNode": ('P', 'Q', 'P', 'Q', 'P'),
    "cudaGraphAddMemcpyNode": ('P', 'Q', 'P', 'Q', 'P'),
    "cudaGraphAddMemcpyNode1D": ('P', 'Q', 'P', 'Q', 'P', 'P', 'Q', 'i'),
    "cudaGraphAddMemcpyNodeFromSymbol": ('P', 'Q', 'P', 'Q', 'P', 'P', 'Q', 'Q', 'i'),
    "cudaGraphAddMemcpyNodeToSymbol": ('P', 'Q', 'P', 'Q', 'P', 'P', 'Q', 'Q', 'i'),
    "cudaGraphAddMemsetNode": ('P', 'Q', 'P', 'Q', 'P'),
    "cudaGraphAddNode": ('P', 'Q', 'P', 'P', 'Q', 'P'),
    "cudaGraphAddNode_v1": ('P', 'Q', 'P', 'Q', 'P'),
    "cudaGraphChildGraphNodeGetGraph": ('Q', 'P'),
    "cudaGraphClone": ('P', 'Q'),
    "cudaGraphConditionalHandleCreate": ('P', 'Q', 'I', 'I'),
    "cudaGraphConditionalHandleCreate_v2": ('P', 'Q', 'Q', 'I', 'I'),
    "cudaGraphCreate": ('P', 'I'),
    "cudaGraphDebugDotPrint": ('Q', 'P', 'I'),
    "cudaGraphDestroy": ('Q',),
    "cudaGraphDestroyNode": ('Q',),
    "cudaGraphEventRecordNodeGetEvent": ('Q', 'P'),
    "cudaGraphEventRecordNodeSetEvent": ('Q', 'Q'),
    "cudaGraphEventWaitNodeGetEvent": ('Q', 'P'),
    "cudaGraphEventWaitNodeSetEvent": ('Q', 'Q'),
    "cudaGraphExecChildGraphNodeSetParams": ('Q', 'Q', 'Q'),
    "cudaGraphExecDestroy": ('Q',),
    "cudaGraphExecEventRecordNodeSetEvent": ('Q', 'Q', 'Q'),
    "cudaGraphExecEventWaitNodeSetEvent": ('Q', 'Q', 'Q'),
    "cudaGraphExecGetFlags": ('Q', 'P'),
    "cudaGraphExecHostNodeSetParams": ('Q', 'Q', 'P'),
    "cudaGraphExecKernelNodeSetParams": ('Q', 'Q', 'P'),
    "cudaGraphExecMemcpyNodeSetParams": ('Q', 'Q', 'P'),
    "cudaGraphExecMemcpyNodeSetParams1D": ('Q', 'Q', 'P', 'P', 'Q', 'i'),
    "cudaGraphExecMemcpyNodeSetParamsFromSymbol": ('Q', 'Q', 'P', 'P', 'Q', 'Q', 'i'),
    "cudaGraphExecMemcpyNodeSetParamsToSymbol": ('Q', 'Q', 'P', 'P', 'Q', 'Q', 'i'),
    "cudaGraphExecMemsetNodeSetParams": ('Q', 'Q', 'P'),
    "cudaGraphExecNodeSetParams": ('Q', 'Q', 'P'),
    "cudaGraphExecUpdate": ('Q', 'Q', 'P'),
    "cudaGraphGetEdges": ('Q', 'P', 'P', 'P', 'P'),
    "cudaGraphGetEdges_v1": ('Q', 'P', 'P', 'P'),
    "cudaGraphGetNodes": ('Q', 'P', 'P'),
    "cudaGraphGetRootNodes": ('Q', 'P', 'P'),
    "cudaGraphHostNodeGetParams": ('Q', 'P'),
    "cudaGraphHostNodeSetParams": ('Q', 'P'),
    "cudaGraphInstantiate": ('P', 'Q', 'Q'),
    "cudaGraphInstantiateWithFlags": ('P', 'Q', 'Q'),
    "cudaGraphInstantiateWithParams": ('P', 'Q', 'P'),
    "cudaGraphKernelNodeCopyAttributes": ('Q', 'Q'),
    "cudaGraphKernelNodeGetAttribute": ('Q', 'i', 'P'),
    "cudaGraphKernelNodeGetParams": ('Q', 'P'),
    "cudaGraphKernelNodeSetAttribute": ('Q', 'i', 'P'),
    "cudaGraphKernelNodeSetParams": ('Q', 'P'),
    "cudaGraphLaunch": ('Q', 'Q'),
    "cudaGraphMemAllocNodeGetParams": ('Q', 'P'),
    "cudaGraphMemFreeNodeGetParams": ('Q', 'P'),
    "cudaGraphMemcpyNodeGetParams": ('Q', 'P'),
    "cudaGraphMemcpyNodeSetParams": ('Q', 'P'),
    "cudaGraphMemcpyNodeSetParams1D": ('Q', 'P', 'P', 'Q', 'i'),
    "cudaGraphMemcpyNodeSetParamsFromSymbol": ('Q', 'P', 'P', 'Q', 'Q', 'i'),
    "cudaGraphMemcpyNodeSetParamsToSymbol": ('Q', 'P', 'P', 'Q', 'Q', 'i'),
    "cudaGraphMemsetNodeGetParams": ('Q', 'P'),
    "cudaGraphMemsetNodeSetParams": ('Q', 'P'),
    "cudaGraphNodeFindInClone": ('P', 'Q', 'Q'),
    "cudaGraphNodeGetDependencies": ('Q', 'P', 'P', 'P'),
    "cudaGraphNodeGetDependencies_v1": ('Q', 'P', 'P'),
    "cudaGraphNodeGetDependentNodes": ('Q', 'P', 'P', 'P'),
    "cudaGraphNodeGetDependentNodes_v1": ('Q', 'P', 'P'),
    "cudaGraphNodeGetEnabled": ('Q', 'Q', 'P'),
    "cudaGraphNodeGetType": ('Q', 'P'),
    "cudaGraphNodeSetEnabled": ('Q', 'Q', 'I'),
    "cudaGraphNodeSetParams": ('Q', 'P'),
    "cudaGraphReleaseUserObject": ('Q', 'Q', 'I'),
    "cudaGraphRemoveDependencies": ('Q', 'P', 'P', 'P', 'Q'),
    "cudaGraphRemoveDependencies_v1": ('Q', 'P', 'P', 'Q'),
    "cudaGraphRetainUserObject": ('Q', 'Q', 'I', 'I'),
    "cudaGraphUpload": ('Q', 'Q'),
    "cudaHostAlloc": ('P', 'Q', 'I'),
    "cudaHostGetDevicePointer": ('P', 'P', 'I'),
    "cudaHostGetFlags": ('P', 'P'),
    "cudaHostRegister": ('P', 'Q', 'I'),
    "cudaHostUnregister": ('P',),
    "cudaInitDevice": ('i', 'I', 'I'),
    "cudaIpcCloseMemHandle": ('P',),
    "cudaIpcGetEventHandle": ('P', 'Q'),
    "cudaIpcGetMemHandle": ('P', 'P'),
    "cudaIpcOpenEventHandle": ('P', 'S64'),
    "cudaIpcOpenMemHandle": ('P', 'S64', 'I'),
    "cudaKernelSetAttributeForDevice": ('Q', 'i', 'i', 'i'),
    "cudaLaunchCooperativeKernel": ('P', 'S12', 'S12', 'P', 'Q', 'Q'),
    "cudaLaunchHostFunc": ('Q', 'Q', 'P'),
    "cudaLaunchHostFunc_v2": ('Q', 'Q', 'P', 'I'),
    "cudaLaunchKernel": ('P', 'S12', 'S12', 'P', 'Q', 'Q'),
    "cudaLaunchKernelExC": ('P', 'P', 'P'),
    "cudaLibraryEnumerateKernels": ('P', 'I', 'Q'),
    "cudaLibraryGetGlobal": ('P', 'P', 'Q', 'P'),
    "cudaLibraryGetKernel": ('P', 'Q', 'P'),
    "cudaLibraryGetKernelCount": ('P', 'Q'),
    "cudaLibraryGetManaged": ('P', 'P', 'Q', 'P'),
    "cudaLibraryGetUnifiedFunction": ('P', 'Q', 'P'),
    "cudaLibraryLoadData": ('P', 'P', 'P', 'P', 'I', 'P', 'P', 'I'),
    "cudaLibraryLoadFromFile": ('P', 'P', 'P', 'P', 'I', 'P', 'P', 'I'),
    "cudaLibraryUnload": ('Q',),
    "cudaMalloc": ('P', 'Q'),
    "cudaMalloc3D": ('P', 'S24'),
    "cudaMalloc3DArray": ('P', 'P', 'S24', 'I'),
    "cudaMallocArray": ('P', 'P', 'Q', 'Q', 'I'),
    "cudaMallocAsync": ('P', 'Q', 'Q'),
    "cudaMallocFromPoolAsync": ('P', 'Q', 'Q', 'Q'),
    "cudaMallocHost": ('P', 'Q'),
    "cudaMallocManaged": ('P', 'Q', 'I'),
    "cudaMallocMipmappedArray": ('P', 'P', 'S24', 'I', 'I'),
    "cudaMallocPitch": ('P', 'P', 'Q', 'Q'),
    "cudaMemAdvise": ('P', 'Q', 'i', 'S8'),
    "cudaMemAdvise_v1": ('P', 'Q', 'i', 'i'),
    "cudaMemDiscardAndPrefetchBatchAsync": ('P', 'P', 'Q', 'P', 'P', 'Q', 'Q', 'Q'),
    "cudaMemDiscardBatchAsync": ('P', 'P', 'Q', 'Q', 'Q'),
    "cudaMemGetDefaultMemPool": ('P', 'P', 'i'),
    "cudaMemGetInfo": ('P', 'P'),
    "cudaMemGetMemPool": ('P', 'P', 'i'),
    "cudaMemPoolCreate": ('P', 'P'),
    "cudaMemPoolDestroy": ('Q',),
    "cudaMemPoolExportPointer": ('P', 'P'),
    "cudaMemPoolExportToShareableHandle": ('P', 'Q', 'i', 'I'),
    "cudaMemPoolGetAccess": ('P', 'Q', 'P'),
    "cudaMemPoolGetAttribute": ('Q', 'i', 'P'),
    "cudaMemPoolImportFromShareableHandle": ('P', 'P', 'i', 'I'),
    "cudaMemPoolImportPointer": ('P', 'Q', 'P'),
    "cudaMemPoolSetAccess": ('Q', 'P', 'Q'),
    "cudaMemPoolSetAttribute": ('Q', 'i', 'P'),
    "cudaMemPoolTrimTo": ('Q', 'Q'),
    "cudaMemPrefetchAsync": ('P', 'Q', 'S8', 'I', 'Q'),
    "cudaMemPrefetchAsync_v1": ('P', 'Q', 'i', 'Q'),
    "cudaMemPrefetchBatchAsync": ('P', 'P', 'Q', 'P', 'P', 'Q', 'Q', 'Q'),
    "cudaMemRangeGetAttribute": ('P', 'Q', 'i', 'P', 'Q'),
    "cudaMemRangeGetAttributes": ('P', 'P', 'P', 'Q', 'P', 'Q'),
    "cudaMemSetMemPool": ('P', 'i', 'Q'),
    "cudaMemcpy": ('P', 'P', 'Q', 'i'),
    "cudaMemcpy2D": ('P', 'Q', 'P', 'Q', 'Q', 'Q', 'i'),
    "cudaMemcpy2DArrayToArray": ('Q', 'Q', 'Q', 'Q', 'Q', 'Q', 'Q', 'Q', 'i'),
    "cudaMemcpy2DAsync": ('P', 'Q', 'P', 'Q', 'Q', 'Q', 'i', 'Q'),
    "cudaMemcpy2DFromArray": ('P', 'Q', 'Q', 'Q', 'Q', 'Q', 'Q', 'i'),
    "cudaMemcpy2DFromArrayAsync": ('P', 'Q', 'Q', 'Q', 'Q', 'Q', 'Q', 'i', 'Q'),
    "cudaMemcpy2DToArray": ('Q', 'Q', 'Q', 'P', 'Q', 'Q', 'Q', 'i'),
    "cudaMemcpy2DToArrayAsync": ('Q', 'Q', 'Q', 'P', 'Q', 'Q', 'Q', 'i', 'Q'),
    "cudaMemcpy3D": ('P',),
    "cudaMemcpy3DAsync": ('P', 'Q'),
    "cudaMemcpy3DPeer": ('P',),
    "cudaMemcpy3DPeerAsync": ('P', 'Q'),
    "cudaMemcpyArrayToArray": ('Q', 'Q', 'Q', 'Q', 'Q', 'Q', 'Q', 'i'),
    "cudaMemcpyAsync": ('P', 'P', 'Q', 'i', 'Q'),
    "cudaMemcpyBatchAsync": ('P', 'P', 'P', 'Q', 'P', 'P', 'Q', 'Q'),
    "cudaMemcpyFromArray": ('P', 'Q', 'Q', 'Q', 'Q', 'i'),
    "cudaMemcpyFromArrayAsync": ('P', 'Q', 'Q', 'Q', 'Q', 'i', 'Q'),
    "cudaMemcpyFromSymbol": ('P', 'P', 'Q', 'Q', 'i'),
    "cudaMemcpyFromSymbolAsync": ('P', 'P', 'Q', 'Q', 'i', 'Q'),
    "cudaMemcpyPeer": ('P', 'i', 'P', 'i', 'Q'),
    "cudaMemcpyPeerAsync": ('P', 'i', 'P', 'i', 'Q', 'Q'),
    "cudaMemcpyToArray": ('Q', 'Q', 'Q', 'P', 'Q', 'i'),
    "cudaMemcpyToArrayAsync": ('Q', 'Q', 'Q', 'P', 'Q', 'i', 'Q'),
    "cudaMemcpyToSymbol": ('P', 'P', 'Q', 'Q', 'i'),
    "cudaMemcpyToSymbolAsync": ('P', 'P', 'Q', 'Q', 'i', 'Q'),
    "cudaMemcpyWithAttributesAsync": ('P', 'P', 'Q', 'P', 'Q'),
    "cudaMemset": ('P', 'i', 'Q'),
    "cudaMemset2D": ('P', 'Q', 'i', 'Q', 'Q'),
    "cudaMemset2DAsync": ('P', 'Q', 'i', 'Q', 'Q', 'Q'),
    "cudaMemset3D": ('S32', 'i', 'S24'),
    "cudaMemset3DAsync": ('S32', 'i', 'S24', 'Q'),
    "cudaMemsetAsync": ('P', 'i', 'Q', 'Q'),
    "cudaMipmappedArrayGetMemoryRequirements": ('P', 'Q', 'i'),
    "cudaMipmappedArrayGetSparseProperties": ('P', 'Q'),
    "cudaOccupancyAvailableDynamicSMemPerBlock": ('P', 'P', 'i', 'i'),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": ('P', 'P', 'i', 'Q'),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": ('P', 'P', 'i', 'Q', 'I'),
    "cudaOccupancyMaxActiveClusters": ('P', 'P', 'P'),
    "cudaOccupancyMaxPotentialClusterSize": ('P', 'P', 'P'),
    "cudaPeekAtLastError": (),
    "cudaPointerGetAttributes": ('P', 'P'),
    "cudaProfilerStart": (),
    "cudaProfilerStop": (),
    "cudaRuntimeGetVersion": ('P',),
    "cudaSetDevice": ('i',),
    "cudaSetDeviceFlags": ('I',),
    "cudaSetValidDevices": ('P', 'i'),
    "cudaStreamAddCallback": ('Q', 'Q', 'P', 'I'),
    "cudaStreamAttachMemAsync": ('Q', 'P', 'Q', 'I'),
    "cudaStreamBeginCapture": ('Q', 'i'),
    "cudaStreamBeginCaptureToGraph": ('Q', 'Q', 'P', 'P', 'Q', 'i'),
    "cudaStreamCopyAttributes": ('Q', 'Q'),
    "cudaStreamCreate": ('P',),
    "cudaStreamCreateWithFlags": ('P', 'I'),
    "cudaStreamCreateWithPriority": ('P', 'I', 'i'),
    "cudaStreamDestroy": ('Q',),
    "cudaStreamEndCapture": ('Q', 'P'),
    "cudaStreamGetAttribute": ('Q', 'i', 'P'),
    "cudaStreamGetCaptureInfo": ('Q', 'P', 'P', 'P', 'P', 'P', 'P'),
    "cudaStreamGetCaptureInfo_v1": ('Q', 'P', 'P'),
    "cudaStreamGetCaptureInfo_v2": ('Q', 'P', 'P', 'P', 'P', 'P'),
    "cudaStreamGetDevice": ('Q', 'P'),
    "cudaStreamGetFlags": ('Q', 'P'),
    "cudaStreamGetId": ('Q', 'P'),
    "cudaStreamGetPriority": ('Q', 'P'),
    "cudaStreamIsCapturing": ('Q', 'P'),
    "cudaStreamQuery": ('Q',),
    "cudaStreamSetAttribute": ('Q', 'i', 'P'),
    "cudaStreamSynchronize": ('Q',),
    "cudaStreamUpdateCaptureDependencies": ('Q', 'P', 'P', 'Q', 'I'),
    "cudaStreamUpdateCaptureDependencies_v1": ('Q', 'P', 'Q', 'I'),
    "cudaStreamWaitEvent": ('Q', 'Q', 'I'),
    "cudaThreadExchangeStreamCaptureMode": ('P',),
    "cudaUserObjectCreate": ('P', 'P', 'Q', 'I', 'I'),
    "cudaUserObjectRelease": ('Q', 'I'),
    "cudaUserObjectRetain": ('Q', 'I'),
}
