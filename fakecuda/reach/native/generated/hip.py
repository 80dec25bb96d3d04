"""The functions behind the stubs of HIP; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from ctypes import c_float, c_int32, c_uint32, c_uint64, memmove, string_at
from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import HIP
from fakecuda.spec.hip_memory import (
    MOST,
    mem_ops_at,
    number_at,
    put_attribute,
    put_attributes,
    put_int,
    put_number_lists,
    put_numbers,
    put_word,
    word,
)
from fakecuda.model.memory.space import MEMORY
from fakecuda.model.os.threads import own
from fakecuda.reach.native.callbacks import SUCCESS, hip_door
from fakecuda.reach.native.values import many, nulls, text_at
from fakecuda.rules.dispatch import late

if TYPE_CHECKING:
    from fakecuda.model.os.thread import Thread

anyone, failed, failed_text, find = hip_door.anyone, hip_door.failed, hip_door.failed_text, hip_door.find
threads: dict[int | str, Thread] = {}
"""The threads of the attached machine, by native id."""


put_float, put_int32, put_uint32, put_uint64 = (Struct(code).pack_into for code in "fiIQ")


_HIP_MEMCPY3D = Struct("<QQQQi4xQQQQQQQQQi4xQQQQQQQQ")


def read_HIP_MEMCPY3D(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22 = _HIP_MEMCPY3D.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22)


_hipArrayMapInfo = Struct("<QQiiiiQIIIIIII4xQI4xQQIIIIIIIII4xQQQi4xQQII8x")


_hipDeviceProp_t = Struct("<256s16s8sI4xQQiiQiiiiiiiiQiiQQiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiQiiiiiiiiiiiiiiiiQiiiiiiiiiiiiQiiiiQiiiiiiIiIiiii252x128x256sQiIQQiiiiii")


def read_hipDeviceProp_t(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, v31, v32, v33, v34, v35, v36, v37, v38, v39, v40, v41, v42, v43, v44, v45, v46, v47, v48, v49, v50, v51, v52, v53, v54, v55, v56, v57, v58, v59, v60, v61, v62, v63, v64, v65, v66, v67, v68, v69, v70, v71, v72, v73, v74, v75, v76, v77, v78, v79, v80, v81, v82, v83, v84, v85, v86, v87, v88, v89, v90, v91, v92, v93, v94, v95, v96, v97, v98, v99, v100, v101, v102, v103, v104, v105, v106, v107, v108, v109, v110, v111, v112, v113, v114, v115, v116, v117, v118, v119, v120, v121, v122, v123, v124, v125, v126, v127, v128 = _hipDeviceProp_t.unpack_from(MEMORY, pointer)
    return (v0.partition(b'\0')[0], v1, v2, v3, v4, v5, v6, v7, v8, v9, (v10, v11, v12), (v13, v14, v15), v16, v17, v18, v19, v20, v21, v22, v23, v24, v25, v26, v27, v28, v29, v30, (v31, v32), (v33, v34), (v35, v36, v37), (v38, v39), (v40, v41, v42), (v43, v44, v45), v46, (v47, v48), (v49, v50, v51), (v52, v53), v54, (v55, v56), (v57, v58, v59), (v60, v61), (v62, v63, v64), v65, (v66, v67), v68, v69, v70, v71, v72, v73, v74, v75, v76, v77, v78, v79, v80, v81, v82, v83, v84, v85, v86, v87, v88, v89, v90, v91, v92, v93, v94, v95, v96, v97, v98, v99, v100, v101, v102, v103, v104, v105, v106, v107, v108, v109, v110, v111, v112, v113, v114, v115, v116, v117, v118, v119, (v120,), v121, v122, v123, v124, v125, v126, v127, v128)


def write_hipDeviceProp_t(pointer: int, value: Any) -> None:
    _hipDeviceProp_t.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5], value[6], value[7], value[8], value[9], value[10][0], value[10][1], value[10][2], value[11][0], value[11][1], value[11][2], value[12], value[13], value[14], value[15], value[16], value[17], value[18], value[19], value[20], value[21], value[22], value[23], value[24], value[25], value[26], value[27][0], value[27][1], value[28][0], value[28][1], value[29][0], value[29][1], value[29][2], value[30][0], value[30][1], value[31][0], value[31][1], value[31][2], value[32][0], value[32][1], value[32][2], value[33], value[34][0], value[34][1], value[35][0], value[35][1], value[35][2], value[36][0], value[36][1], value[37], value[38][0], value[38][1], value[39][0], value[39][1], value[39][2], value[40][0], value[40][1], value[41][0], value[41][1], value[41][2], value[42], value[43][0], value[43][1], value[44], value[45], value[46], value[47], value[48], value[49], value[50], value[51], value[52], value[53], value[54], value[55], value[56], value[57], value[58], value[59], value[60], value[61], value[62], value[63], value[64], value[65], value[66], value[67], value[68], value[69], value[70], value[71], value[72], value[73], value[74], value[75], value[76], value[77], value[78], value[79], value[80], value[81], value[82], value[83], value[84], value[85], value[86], value[87], value[88], value[89], value[90], value[91], value[92], value[93], value[94], value[95], value[96][0], value[97], value[98], value[99], value[100], value[101], value[102], value[103], value[104])


_hipExtent = Struct("<QQQ")


_hipMemAccessDesc = Struct("<iii")


def read_hipMemAccessDesc(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2 = _hipMemAccessDesc.unpack_from(MEMORY, pointer)
    return ((v0, v1), v2)


_hipMemAllocationProp = Struct("<iiiiQBBH4x")


def read_hipMemAllocationProp(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7 = _hipMemAllocationProp.unpack_from(MEMORY, pointer)
    return (v0, v1, (v2, v3), v4, (v5, v6, v7))


def write_hipMemAllocationProp(pointer: int, value: Any) -> None:
    _hipMemAllocationProp.pack_into(MEMORY, pointer, value[0], value[1], value[2][0], value[2][1], value[3], value[4][0], value[4][1], value[4][2])


_hipMemLocation = Struct("<ii")


def read_hipMemLocation(pointer: int) -> tuple[Any, ...]:
    v0, v1 = _hipMemLocation.unpack_from(MEMORY, pointer)
    return (v0, v1)


_hipMemPoolProps = Struct("<iiiiQQ56x")


def read_hipMemPoolProps(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5 = _hipMemPoolProps.unpack_from(MEMORY, pointer)
    return (v0, v1, (v2, v3), v4, v5)


_hipMemcpy3DBatchOp = Struct("<i4xQQQiii4xQQQiiQQQiI")


def read_hipMemcpy3DBatchOp(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16 = _hipMemcpy3DBatchOp.unpack_from(MEMORY, pointer)
    return ((v0, ((v1, v2, v3, (v4, v5)),)), (v6, ((v7, v8, v9, (v10, v11)),)), (v12, v13, v14), v15, v16)


_hipMemcpy3DParms = Struct("<QQQQQQQQQQQQQQQQQQQi4x")


def read_hipMemcpy3DParms(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19 = _hipMemcpy3DParms.unpack_from(MEMORY, pointer)
    return (v0, (v1, v2, v3), (v4, v5, v6, v7), v8, (v9, v10, v11), (v12, v13, v14, v15), (v16, v17, v18), v19)


_hipMemcpy3DPeerParms = Struct("<QQQQQQQQi4xQQQQQQQQi4xQQQ")


def read_hipMemcpy3DPeerParms(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15, v16, v17, v18, v19, v20 = _hipMemcpy3DPeerParms.unpack_from(MEMORY, pointer)
    return (v0, (v1, v2, v3), (v4, v5, v6, v7), v8, v9, (v10, v11, v12), (v13, v14, v15, v16), v17, (v18, v19, v20))


_hipMemcpyAttributes = Struct("<iiiiiI")


def read_hipMemcpyAttributes(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5 = _hipMemcpyAttributes.unpack_from(MEMORY, pointer)
    return (v0, (v1, v2), (v3, v4), v5)


_hipPitchedPtr = Struct("<QQQQ")


def write_hipPitchedPtr(pointer: int, value: Any) -> None:
    _hipPitchedPtr.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3])


_hipPointerAttribute_t = Struct("<iiQQiI")


def write_hipPointerAttribute_t(pointer: int, value: Any) -> None:
    _hipPointerAttribute_t.pack_into(MEMORY, pointer, value[0], value[1], value[2], value[3], value[4], value[5])


_hip_Memcpy2D = Struct("<QQi4xQQQQQQi4xQQQQQQ")


def read_hip_Memcpy2D(pointer: int) -> tuple[Any, ...]:
    v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15 = _hip_Memcpy2D.unpack_from(MEMORY, pointer)
    return (v0, v1, v2, v3, v4, v5, v6, v7, v8, v9, v10, v11, v12, v13, v14, v15)


_hipChooseDevice = late(globals(), HIP.ops, "hipChooseDevice")
_hipChooseDevice_nulls = frozenset({"device"})


def hipChooseDevice(device: int, prop: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not device:
            call = call.without(_hipChooseDevice_nulls)
        code, out = _hipChooseDevice(call, read_hipDeviceProp_t(prop) if prop else None)
        if code:
            return SUCCESS | code
        if device:
            put_int32(MEMORY, device, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipChooseDevice", raised)


_hipCtxCreate = late(globals(), HIP.ops, "hipCtxCreate")
_hipCtxCreate_nulls = frozenset({"ctx"})


def hipCtxCreate(ctx: int, flags: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ctx:
            call = call.without(_hipCtxCreate_nulls)
        code, out = _hipCtxCreate(call, flags, device)
        if code:
            return SUCCESS | code
        if ctx:
            put_uint64(MEMORY, ctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxCreate", raised)


_hipCtxDestroy = late(globals(), HIP.ops, "hipCtxDestroy")


def hipCtxDestroy(ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipCtxDestroy(call, ctx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxDestroy", raised)


_hipCtxDisablePeerAccess = late(globals(), HIP.ops, "hipCtxDisablePeerAccess")


def hipCtxDisablePeerAccess(peerCtx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipCtxDisablePeerAccess(call, peerCtx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxDisablePeerAccess", raised)


_hipCtxEnablePeerAccess = late(globals(), HIP.ops, "hipCtxEnablePeerAccess")


def hipCtxEnablePeerAccess(peerCtx: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipCtxEnablePeerAccess(call, peerCtx, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxEnablePeerAccess", raised)


_hipCtxGetApiVersion = late(globals(), HIP.ops, "hipCtxGetApiVersion")
_hipCtxGetApiVersion_nulls = frozenset({"apiVersion"})


def hipCtxGetApiVersion(ctx: int, apiVersion: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not apiVersion:
            call = call.without(_hipCtxGetApiVersion_nulls)
        code, out = _hipCtxGetApiVersion(call, ctx)
        if code:
            return SUCCESS | code
        if apiVersion:
            put_uint32(MEMORY, apiVersion, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxGetApiVersion", raised)


_hipCtxGetCacheConfig = late(globals(), HIP.ops, "hipCtxGetCacheConfig")
_hipCtxGetCacheConfig_nulls = frozenset({"cacheConfig"})


def hipCtxGetCacheConfig(cacheConfig: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not cacheConfig:
            call = call.without(_hipCtxGetCacheConfig_nulls)
        code, out = _hipCtxGetCacheConfig(call)
        if code:
            return SUCCESS | code
        if cacheConfig:
            put_int32(MEMORY, cacheConfig, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxGetCacheConfig", raised)


_hipCtxGetCurrent = late(globals(), HIP.ops, "hipCtxGetCurrent")
_hipCtxGetCurrent_nulls = frozenset({"ctx"})


def hipCtxGetCurrent(ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ctx:
            call = call.without(_hipCtxGetCurrent_nulls)
        code, out = _hipCtxGetCurrent(call)
        if code:
            return SUCCESS | code
        if ctx:
            put_uint64(MEMORY, ctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxGetCurrent", raised)


_hipCtxGetDevice = late(globals(), HIP.ops, "hipCtxGetDevice")
_hipCtxGetDevice_nulls = frozenset({"device"})


def hipCtxGetDevice(device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not device:
            call = call.without(_hipCtxGetDevice_nulls)
        code, out = _hipCtxGetDevice(call)
        if code:
            return SUCCESS | code
        if device:
            put_int32(MEMORY, device, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxGetDevice", raised)


_hipCtxGetFlags = late(globals(), HIP.ops, "hipCtxGetFlags")
_hipCtxGetFlags_nulls = frozenset({"flags"})


def hipCtxGetFlags(flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not flags:
            call = call.without(_hipCtxGetFlags_nulls)
        code, out = _hipCtxGetFlags(call)
        if code:
            return SUCCESS | code
        if flags:
            put_uint32(MEMORY, flags, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxGetFlags", raised)


_hipCtxGetSharedMemConfig = late(globals(), HIP.ops, "hipCtxGetSharedMemConfig")
_hipCtxGetSharedMemConfig_nulls = frozenset({"pConfig"})


def hipCtxGetSharedMemConfig(pConfig: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pConfig:
            call = call.without(_hipCtxGetSharedMemConfig_nulls)
        code, out = _hipCtxGetSharedMemConfig(call)
        if code:
            return SUCCESS | code
        if pConfig:
            put_int32(MEMORY, pConfig, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxGetSharedMemConfig", raised)


_hipCtxPopCurrent = late(globals(), HIP.ops, "hipCtxPopCurrent")
_hipCtxPopCurrent_nulls = frozenset({"ctx"})


def hipCtxPopCurrent(ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ctx:
            call = call.without(_hipCtxPopCurrent_nulls)
        code, out = _hipCtxPopCurrent(call)
        if code:
            return SUCCESS | code
        if ctx:
            put_uint64(MEMORY, ctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxPopCurrent", raised)


_hipCtxPushCurrent = late(globals(), HIP.ops, "hipCtxPushCurrent")


def hipCtxPushCurrent(ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipCtxPushCurrent(call, ctx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxPushCurrent", raised)


_hipCtxSetCacheConfig = late(globals(), HIP.ops, "hipCtxSetCacheConfig")


def hipCtxSetCacheConfig(cacheConfig: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipCtxSetCacheConfig(call, cacheConfig)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxSetCacheConfig", raised)


_hipCtxSetCurrent = late(globals(), HIP.ops, "hipCtxSetCurrent")


def hipCtxSetCurrent(ctx: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipCtxSetCurrent(call, ctx)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxSetCurrent", raised)


_hipCtxSetSharedMemConfig = late(globals(), HIP.ops, "hipCtxSetSharedMemConfig")


def hipCtxSetSharedMemConfig(config: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipCtxSetSharedMemConfig(call, config)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxSetSharedMemConfig", raised)


_hipCtxSynchronize = late(globals(), HIP.ops, "hipCtxSynchronize")


def hipCtxSynchronize() -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipCtxSynchronize(call)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipCtxSynchronize", raised)


_hipDeviceCanAccessPeer = late(globals(), HIP.ops, "hipDeviceCanAccessPeer")
_hipDeviceCanAccessPeer_nulls = frozenset({"canAccessPeer"})


def hipDeviceCanAccessPeer(canAccessPeer: int, deviceId: int, peerDeviceId: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not canAccessPeer:
            call = call.without(_hipDeviceCanAccessPeer_nulls)
        code, out = _hipDeviceCanAccessPeer(call, deviceId, peerDeviceId)
        if code:
            return SUCCESS | code
        if canAccessPeer:
            put_int32(MEMORY, canAccessPeer, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceCanAccessPeer", raised)


_hipDeviceComputeCapability = late(globals(), HIP.ops, "hipDeviceComputeCapability")


def hipDeviceComputeCapability(major: int, minor: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (major and minor):
            call = call.without(nulls(major=major, minor=minor))
        code, out = _hipDeviceComputeCapability(call, device)
        if code:
            return SUCCESS | code
        if major:
            put_int32(MEMORY, major, out[0])
        if minor:
            put_int32(MEMORY, minor, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceComputeCapability", raised)


_hipDeviceDisablePeerAccess = late(globals(), HIP.ops, "hipDeviceDisablePeerAccess")


def hipDeviceDisablePeerAccess(peerDeviceId: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDeviceDisablePeerAccess(call, peerDeviceId)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceDisablePeerAccess", raised)


_hipDeviceEnablePeerAccess = late(globals(), HIP.ops, "hipDeviceEnablePeerAccess")


def hipDeviceEnablePeerAccess(peerDeviceId: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDeviceEnablePeerAccess(call, peerDeviceId, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceEnablePeerAccess", raised)


_hipDeviceGet = late(globals(), HIP.ops, "hipDeviceGet")
_hipDeviceGet_nulls = frozenset({"device"})


def hipDeviceGet(device: int, ordinal: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not device:
            call = call.without(_hipDeviceGet_nulls)
        code, out = _hipDeviceGet(call, ordinal)
        if code:
            return SUCCESS | code
        if device:
            put_int32(MEMORY, device, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGet", raised)


_hipDeviceGetAttribute = late(globals(), HIP.ops, "hipDeviceGetAttribute")
_hipDeviceGetAttribute_nulls = frozenset({"pi"})


def hipDeviceGetAttribute(pi: int, attr: int, deviceId: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pi:
            call = call.without(_hipDeviceGetAttribute_nulls)
        code, out = _hipDeviceGetAttribute(call, attr, deviceId)
        if code:
            return SUCCESS | code
        if pi:
            put_int32(MEMORY, pi, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGetAttribute", raised)


_hipDeviceGetByPCIBusId = late(globals(), HIP.ops, "hipDeviceGetByPCIBusId")
_hipDeviceGetByPCIBusId_nulls = frozenset({"device"})


def hipDeviceGetByPCIBusId(device: int, pciBusId: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not device:
            call = call.without(_hipDeviceGetByPCIBusId_nulls)
        code, out = _hipDeviceGetByPCIBusId(call, string_at(pciBusId) if pciBusId else None)
        if code:
            return SUCCESS | code
        if device:
            put_int32(MEMORY, device, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGetByPCIBusId", raised)


_hipDeviceGetCacheConfig = late(globals(), HIP.ops, "hipDeviceGetCacheConfig")
_hipDeviceGetCacheConfig_nulls = frozenset({"cacheConfig"})


def hipDeviceGetCacheConfig(cacheConfig: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not cacheConfig:
            call = call.without(_hipDeviceGetCacheConfig_nulls)
        code, out = _hipDeviceGetCacheConfig(call)
        if code:
            return SUCCESS | code
        if cacheConfig:
            put_int32(MEMORY, cacheConfig, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGetCacheConfig", raised)


_hipDeviceGetDefaultMemPool = late(globals(), HIP.ops, "hipDeviceGetDefaultMemPool")
_hipDeviceGetDefaultMemPool_nulls = frozenset({"mem_pool"})


def hipDeviceGetDefaultMemPool(mem_pool: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not mem_pool:
            call = call.without(_hipDeviceGetDefaultMemPool_nulls)
        code, out = _hipDeviceGetDefaultMemPool(call, device)
        if code:
            return SUCCESS | code
        if mem_pool:
            put_uint64(MEMORY, mem_pool, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGetDefaultMemPool", raised)


_hipDeviceGetLimit = late(globals(), HIP.ops, "hipDeviceGetLimit")
_hipDeviceGetLimit_nulls = frozenset({"pValue"})


def hipDeviceGetLimit(pValue: int, limit: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pValue:
            call = call.without(_hipDeviceGetLimit_nulls)
        code, out = _hipDeviceGetLimit(call, limit)
        if code:
            return SUCCESS | code
        if pValue:
            put_uint64(MEMORY, pValue, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGetLimit", raised)


_hipDeviceGetMemPool = late(globals(), HIP.ops, "hipDeviceGetMemPool")
_hipDeviceGetMemPool_nulls = frozenset({"mem_pool"})


def hipDeviceGetMemPool(mem_pool: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not mem_pool:
            call = call.without(_hipDeviceGetMemPool_nulls)
        code, out = _hipDeviceGetMemPool(call, device)
        if code:
            return SUCCESS | code
        if mem_pool:
            put_uint64(MEMORY, mem_pool, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGetMemPool", raised)


_hipDeviceGetName = late(globals(), HIP.ops, "hipDeviceGetName")
_hipDeviceGetName_nulls = frozenset({"name"})


def hipDeviceGetName(name: int, len_: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not name:
            call = call.without(_hipDeviceGetName_nulls)
        code, out = _hipDeviceGetName(call, len_, device)
        if code:
            return SUCCESS | code
        if name:
            memmove(name, out + b"\0", len(out) + 1)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGetName", raised)


_hipDeviceGetP2PAttribute = late(globals(), HIP.ops, "hipDeviceGetP2PAttribute")
_hipDeviceGetP2PAttribute_nulls = frozenset({"value"})


def hipDeviceGetP2PAttribute(value: int, attr: int, srcDevice: int, dstDevice: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not value:
            call = call.without(_hipDeviceGetP2PAttribute_nulls)
        code, out = _hipDeviceGetP2PAttribute(call, attr, srcDevice, dstDevice)
        if code:
            return SUCCESS | code
        if value:
            put_int32(MEMORY, value, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGetP2PAttribute", raised)


_hipDeviceGetPCIBusId = late(globals(), HIP.ops, "hipDeviceGetPCIBusId")
_hipDeviceGetPCIBusId_nulls = frozenset({"pciBusId"})


def hipDeviceGetPCIBusId(pciBusId: int, len_: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pciBusId:
            call = call.without(_hipDeviceGetPCIBusId_nulls)
        code, out = _hipDeviceGetPCIBusId(call, len_, device)
        if code:
            return SUCCESS | code
        if pciBusId:
            memmove(pciBusId, out + b"\0", len(out) + 1)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGetPCIBusId", raised)


_hipDeviceGetSharedMemConfig = late(globals(), HIP.ops, "hipDeviceGetSharedMemConfig")
_hipDeviceGetSharedMemConfig_nulls = frozenset({"pConfig"})


def hipDeviceGetSharedMemConfig(pConfig: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pConfig:
            call = call.without(_hipDeviceGetSharedMemConfig_nulls)
        code, out = _hipDeviceGetSharedMemConfig(call)
        if code:
            return SUCCESS | code
        if pConfig:
            put_int32(MEMORY, pConfig, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGetSharedMemConfig", raised)


_hipDeviceGetStreamPriorityRange = late(globals(), HIP.ops, "hipDeviceGetStreamPriorityRange")


def hipDeviceGetStreamPriorityRange(leastPriority: int, greatestPriority: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (leastPriority and greatestPriority):
            call = call.without(nulls(leastPriority=leastPriority, greatestPriority=greatestPriority))
        code, out = _hipDeviceGetStreamPriorityRange(call)
        if code:
            return SUCCESS | code
        if leastPriority:
            put_int32(MEMORY, leastPriority, out[0])
        if greatestPriority:
            put_int32(MEMORY, greatestPriority, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGetStreamPriorityRange", raised)


_hipDeviceGetUuid = late(globals(), HIP.ops, "hipDeviceGetUuid")
_hipDeviceGetUuid_nulls = frozenset({"uuid"})


def hipDeviceGetUuid(uuid: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not uuid:
            call = call.without(_hipDeviceGetUuid_nulls)
        code, out = _hipDeviceGetUuid(call, device)
        if code:
            return SUCCESS | code
        if uuid:
            memmove(uuid, out, len(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceGetUuid", raised)


_hipDevicePrimaryCtxGetState = late(globals(), HIP.ops, "hipDevicePrimaryCtxGetState")


def hipDevicePrimaryCtxGetState(dev: int, flags: int, active: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (flags and active):
            call = call.without(nulls(flags=flags, active=active))
        code, out = _hipDevicePrimaryCtxGetState(call, dev)
        if code:
            return SUCCESS | code
        if flags:
            put_uint32(MEMORY, flags, out[0])
        if active:
            put_int32(MEMORY, active, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDevicePrimaryCtxGetState", raised)


_hipDevicePrimaryCtxRelease = late(globals(), HIP.ops, "hipDevicePrimaryCtxRelease")


def hipDevicePrimaryCtxRelease(dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDevicePrimaryCtxRelease(call, dev)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDevicePrimaryCtxRelease", raised)


_hipDevicePrimaryCtxReset = late(globals(), HIP.ops, "hipDevicePrimaryCtxReset")


def hipDevicePrimaryCtxReset(dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDevicePrimaryCtxReset(call, dev)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDevicePrimaryCtxReset", raised)


_hipDevicePrimaryCtxRetain = late(globals(), HIP.ops, "hipDevicePrimaryCtxRetain")
_hipDevicePrimaryCtxRetain_nulls = frozenset({"pctx"})


def hipDevicePrimaryCtxRetain(pctx: int, dev: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pctx:
            call = call.without(_hipDevicePrimaryCtxRetain_nulls)
        code, out = _hipDevicePrimaryCtxRetain(call, dev)
        if code:
            return SUCCESS | code
        if pctx:
            put_uint64(MEMORY, pctx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDevicePrimaryCtxRetain", raised)


_hipDevicePrimaryCtxSetFlags = late(globals(), HIP.ops, "hipDevicePrimaryCtxSetFlags")


def hipDevicePrimaryCtxSetFlags(dev: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDevicePrimaryCtxSetFlags(call, dev, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDevicePrimaryCtxSetFlags", raised)


_hipDeviceReset = late(globals(), HIP.ops, "hipDeviceReset")


def hipDeviceReset() -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDeviceReset(call)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceReset", raised)


_hipDeviceSetCacheConfig = late(globals(), HIP.ops, "hipDeviceSetCacheConfig")


def hipDeviceSetCacheConfig(cacheConfig: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDeviceSetCacheConfig(call, cacheConfig)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceSetCacheConfig", raised)


_hipDeviceSetLimit = late(globals(), HIP.ops, "hipDeviceSetLimit")


def hipDeviceSetLimit(limit: int, value: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDeviceSetLimit(call, limit, value)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceSetLimit", raised)


_hipDeviceSetMemPool = late(globals(), HIP.ops, "hipDeviceSetMemPool")


def hipDeviceSetMemPool(device: int, mem_pool: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDeviceSetMemPool(call, device, mem_pool)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceSetMemPool", raised)


_hipDeviceSetSharedMemConfig = late(globals(), HIP.ops, "hipDeviceSetSharedMemConfig")


def hipDeviceSetSharedMemConfig(config: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDeviceSetSharedMemConfig(call, config)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceSetSharedMemConfig", raised)


_hipDeviceSynchronize = late(globals(), HIP.ops, "hipDeviceSynchronize")


def hipDeviceSynchronize() -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDeviceSynchronize(call)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceSynchronize", raised)


_hipDeviceTotalMem = late(globals(), HIP.ops, "hipDeviceTotalMem")
_hipDeviceTotalMem_nulls = frozenset({"bytes"})


def hipDeviceTotalMem(bytes_: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not bytes_:
            call = call.without(_hipDeviceTotalMem_nulls)
        code, out = _hipDeviceTotalMem(call, device)
        if code:
            return SUCCESS | code
        if bytes_:
            put_uint64(MEMORY, bytes_, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDeviceTotalMem", raised)


_hipDriverGetVersion = late(globals(), HIP.ops, "hipDriverGetVersion")
_hipDriverGetVersion_nulls = frozenset({"driverVersion"})


def hipDriverGetVersion(driverVersion: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not driverVersion:
            call = call.without(_hipDriverGetVersion_nulls)
        code, out = _hipDriverGetVersion(call)
        if code:
            return SUCCESS | code
        if driverVersion:
            put_int32(MEMORY, driverVersion, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDriverGetVersion", raised)


_hipDrvGetErrorName = late(globals(), HIP.ops, "hipDrvGetErrorName")
_hipDrvGetErrorName_nulls = frozenset({"errorString"})


def hipDrvGetErrorName(hipError: int, errorString: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not errorString:
            call = call.without(_hipDrvGetErrorName_nulls)
        code, out = _hipDrvGetErrorName(call, hipError)
        if code:
            return SUCCESS | code
        if errorString:
            put_uint64(MEMORY, errorString, text_at(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDrvGetErrorName", raised)


_hipDrvGetErrorString = late(globals(), HIP.ops, "hipDrvGetErrorString")
_hipDrvGetErrorString_nulls = frozenset({"errorString"})


def hipDrvGetErrorString(hipError: int, errorString: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not errorString:
            call = call.without(_hipDrvGetErrorString_nulls)
        code, out = _hipDrvGetErrorString(call, hipError)
        if code:
            return SUCCESS | code
        if errorString:
            put_uint64(MEMORY, errorString, text_at(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDrvGetErrorString", raised)


_hipDrvMemcpy2DUnaligned = late(globals(), HIP.ops, "hipDrvMemcpy2DUnaligned")


def hipDrvMemcpy2DUnaligned(pCopy: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDrvMemcpy2DUnaligned(call, read_hip_Memcpy2D(pCopy) if pCopy else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDrvMemcpy2DUnaligned", raised)


_hipDrvMemcpy3D = late(globals(), HIP.ops, "hipDrvMemcpy3D")


def hipDrvMemcpy3D(pCopy: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDrvMemcpy3D(call, read_HIP_MEMCPY3D(pCopy) if pCopy else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDrvMemcpy3D", raised)


_hipDrvMemcpy3DAsync = late(globals(), HIP.ops, "hipDrvMemcpy3DAsync")


def hipDrvMemcpy3DAsync(pCopy: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipDrvMemcpy3DAsync(call, read_HIP_MEMCPY3D(pCopy) if pCopy else None, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDrvMemcpy3DAsync", raised)


_hipDrvPointerGetAttributes = late(globals(), HIP.ops, "hipDrvPointerGetAttributes")
_hipDrvPointerGetAttributes_nulls = frozenset({"data"})


def hipDrvPointerGetAttributes(numAttributes: int, attributes: int, data: int, ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not data:
            call = call.without(_hipDrvPointerGetAttributes_nulls)
        given = tuple((c_int32 * many(attributes, 4, min(numAttributes, MOST))).from_address(attributes)) if attributes else None
        code, out = _hipDrvPointerGetAttributes(call, numAttributes, given, ptr)
        if code:
            return SUCCESS | code
        if data:
            put_attributes(data, out, given)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipDrvPointerGetAttributes", raised)


_hipEventCreate = late(globals(), HIP.ops, "hipEventCreate")
_hipEventCreate_nulls = frozenset({"event"})


def hipEventCreate(event: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not event:
            call = call.without(_hipEventCreate_nulls)
        code, out = _hipEventCreate(call)
        if code:
            return SUCCESS | code
        if event:
            put_uint64(MEMORY, event, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipEventCreate", raised)


_hipEventCreateWithFlags = late(globals(), HIP.ops, "hipEventCreateWithFlags")
_hipEventCreateWithFlags_nulls = frozenset({"event"})


def hipEventCreateWithFlags(event: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not event:
            call = call.without(_hipEventCreateWithFlags_nulls)
        code, out = _hipEventCreateWithFlags(call, flags)
        if code:
            return SUCCESS | code
        if event:
            put_uint64(MEMORY, event, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipEventCreateWithFlags", raised)


_hipEventDestroy = late(globals(), HIP.ops, "hipEventDestroy")


def hipEventDestroy(event: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipEventDestroy(call, event)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipEventDestroy", raised)


_hipEventElapsedTime = late(globals(), HIP.ops, "hipEventElapsedTime")
_hipEventElapsedTime_nulls = frozenset({"ms"})


def hipEventElapsedTime(ms: int, start: int, stop: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ms:
            call = call.without(_hipEventElapsedTime_nulls)
        code, out = _hipEventElapsedTime(call, start, stop)
        if code:
            return SUCCESS | code
        if ms:
            put_float(MEMORY, ms, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipEventElapsedTime", raised)


_hipEventQuery = late(globals(), HIP.ops, "hipEventQuery")


def hipEventQuery(event: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipEventQuery(call, event)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipEventQuery", raised)


_hipEventRecord = late(globals(), HIP.ops, "hipEventRecord")


def hipEventRecord(event: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipEventRecord(call, event, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipEventRecord", raised)


_hipEventRecordWithFlags = late(globals(), HIP.ops, "hipEventRecordWithFlags")


def hipEventRecordWithFlags(event: int, stream: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipEventRecordWithFlags(call, event, stream, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipEventRecordWithFlags", raised)


_hipEventRecord_spt = late(globals(), HIP.ops, "hipEventRecord_spt")


def hipEventRecord_spt(event: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipEventRecord_spt(call, event, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipEventRecord_spt", raised)


_hipEventSynchronize = late(globals(), HIP.ops, "hipEventSynchronize")


def hipEventSynchronize(event: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipEventSynchronize(call, event)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipEventSynchronize", raised)


_hipExtGetLastError = late(globals(), HIP.ops, "hipExtGetLastError")


def hipExtGetLastError() -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipExtGetLastError(call)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipExtGetLastError", raised)


_hipExtGetLinkTypeAndHopCount = late(globals(), HIP.ops, "hipExtGetLinkTypeAndHopCount")


def hipExtGetLinkTypeAndHopCount(device1: int, device2: int, linktype: int, hopcount: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (linktype and hopcount):
            call = call.without(nulls(linktype=linktype, hopcount=hopcount))
        code, out = _hipExtGetLinkTypeAndHopCount(call, device1, device2)
        if code:
            return SUCCESS | code
        if linktype:
            put_uint32(MEMORY, linktype, out[0])
        if hopcount:
            put_uint32(MEMORY, hopcount, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipExtGetLinkTypeAndHopCount", raised)


_hipExtMallocWithFlags = late(globals(), HIP.ops, "hipExtMallocWithFlags")
_hipExtMallocWithFlags_nulls = frozenset({"ptr"})


def hipExtMallocWithFlags(ptr: int, sizeBytes: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ptr:
            call = call.without(_hipExtMallocWithFlags_nulls)
        code, out = _hipExtMallocWithFlags(call, sizeBytes, flags)
        if code:
            return SUCCESS | code
        if ptr:
            put_uint64(MEMORY, ptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipExtMallocWithFlags", raised)


_hipExtStreamCreateWithCUMask = late(globals(), HIP.ops, "hipExtStreamCreateWithCUMask")
_hipExtStreamCreateWithCUMask_nulls = frozenset({"stream"})


def hipExtStreamCreateWithCUMask(stream: int, cuMaskSize: int, cuMask: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not stream:
            call = call.without(_hipExtStreamCreateWithCUMask_nulls)
        code, out = _hipExtStreamCreateWithCUMask(call, cuMaskSize, tuple((c_uint32 * many(cuMask, 4, min(cuMaskSize, MOST))).from_address(cuMask)) if cuMask else None)
        if code:
            return SUCCESS | code
        if stream:
            put_uint64(MEMORY, stream, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipExtStreamCreateWithCUMask", raised)


_hipExtStreamGetCUMask = late(globals(), HIP.ops, "hipExtStreamGetCUMask")
_hipExtStreamGetCUMask_nulls = frozenset({"cuMask"})


def hipExtStreamGetCUMask(stream: int, cuMaskSize: int, cuMask: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not cuMask:
            call = call.without(_hipExtStreamGetCUMask_nulls)
        code, out = _hipExtStreamGetCUMask(call, stream, cuMaskSize)
        if code:
            return SUCCESS | code
        if cuMask:
            put_numbers(cuMask, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipExtStreamGetCUMask", raised)


_hipFree = late(globals(), HIP.ops, "hipFree")


def hipFree(ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipFree(call, ptr)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipFree", raised)


_hipFreeAsync = late(globals(), HIP.ops, "hipFreeAsync")


def hipFreeAsync(dev_ptr: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipFreeAsync(call, dev_ptr, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipFreeAsync", raised)


_hipFreeHost = late(globals(), HIP.ops, "hipFreeHost")


def hipFreeHost(ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipFreeHost(call, ptr)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipFreeHost", raised)


_hipGetDevice = late(globals(), HIP.ops, "hipGetDevice")
_hipGetDevice_nulls = frozenset({"deviceId"})


def hipGetDevice(deviceId: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not deviceId:
            call = call.without(_hipGetDevice_nulls)
        code, out = _hipGetDevice(call)
        if code:
            return SUCCESS | code
        if deviceId:
            put_int32(MEMORY, deviceId, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipGetDevice", raised)


_hipGetDeviceCount = late(globals(), HIP.ops, "hipGetDeviceCount")
_hipGetDeviceCount_nulls = frozenset({"count"})


def hipGetDeviceCount(count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not count:
            call = call.without(_hipGetDeviceCount_nulls)
        code, out = _hipGetDeviceCount(call)
        if code:
            return SUCCESS | code
        if count:
            put_int32(MEMORY, count, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipGetDeviceCount", raised)


_hipGetDeviceFlags = late(globals(), HIP.ops, "hipGetDeviceFlags")
_hipGetDeviceFlags_nulls = frozenset({"flags"})


def hipGetDeviceFlags(flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not flags:
            call = call.without(_hipGetDeviceFlags_nulls)
        code, out = _hipGetDeviceFlags(call)
        if code:
            return SUCCESS | code
        if flags:
            put_uint32(MEMORY, flags, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipGetDeviceFlags", raised)


_hipGetDeviceProperties = late(globals(), HIP.ops, "hipGetDeviceProperties")
_hipGetDeviceProperties_nulls = frozenset({"prop"})


def hipGetDeviceProperties(prop: int, deviceId: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not prop:
            call = call.without(_hipGetDeviceProperties_nulls)
        code, out = _hipGetDeviceProperties(call, deviceId)
        if code:
            return SUCCESS | code
        if prop:
            write_hipDeviceProp_t(prop, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipGetDeviceProperties", raised)


_hipGetDriverEntryPoint = late(globals(), HIP.ops, "hipGetDriverEntryPoint")


def hipGetDriverEntryPoint(symbol: int, funcPtr: int, flags: int, driverStatus: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (funcPtr and driverStatus):
            call = call.without(nulls(funcPtr=funcPtr, driverStatus=driverStatus))
        code, out = _hipGetDriverEntryPoint(call, string_at(symbol) if symbol else None, flags)
        if code:
            if driverStatus:
                put_int32(MEMORY, driverStatus, 1)
            return SUCCESS | code
        if funcPtr:
            put_uint64(MEMORY, funcPtr, out[0])
        if driverStatus:
            put_int32(MEMORY, driverStatus, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipGetDriverEntryPoint", raised)


_hipGetDriverEntryPoint_spt = late(globals(), HIP.ops, "hipGetDriverEntryPoint_spt")


def hipGetDriverEntryPoint_spt(symbol: int, funcPtr: int, flags: int, status: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (funcPtr and status):
            call = call.without(nulls(funcPtr=funcPtr, status=status))
        code, out = _hipGetDriverEntryPoint_spt(call, string_at(symbol) if symbol else None, flags)
        if code:
            if status:
                put_int32(MEMORY, status, 1)
            return SUCCESS | code
        if funcPtr:
            put_uint64(MEMORY, funcPtr, out[0])
        if status:
            put_int32(MEMORY, status, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipGetDriverEntryPoint_spt", raised)


_hipGetErrorName = late(globals(), HIP.ops, "hipGetErrorName")


def hipGetErrorName(hip_error: int) -> int:
    try:
        thread = threads.get(own.number) or anyone()
        return text_at(_hipGetErrorName(thread.native, hip_error)[1])
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed_text("hipGetErrorName", raised)


_hipGetErrorString = late(globals(), HIP.ops, "hipGetErrorString")


def hipGetErrorString(hipError: int) -> int:
    try:
        thread = threads.get(own.number) or anyone()
        return text_at(_hipGetErrorString(thread.native, hipError)[1])
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed_text("hipGetErrorString", raised)


_hipGetLastError = late(globals(), HIP.ops, "hipGetLastError")


def hipGetLastError() -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipGetLastError(call)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipGetLastError", raised)


_hipGetProcAddress = late(globals(), HIP.ops, "hipGetProcAddress")


def hipGetProcAddress(symbol: int, pfn: int, hipVersion: int, flags: int, symbolStatus: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (pfn and symbolStatus):
            call = call.without(nulls(pfn=pfn, symbolStatus=symbolStatus))
        code, out = _hipGetProcAddress(call, string_at(symbol) if symbol else None, hipVersion, flags)
        if code:
            if symbolStatus:
                put_int32(MEMORY, symbolStatus, 1)
            return SUCCESS | code
        if pfn:
            put_uint64(MEMORY, pfn, out[0])
        if symbolStatus:
            put_int32(MEMORY, symbolStatus, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipGetProcAddress", raised)


_hipGetProcAddress_spt = late(globals(), HIP.ops, "hipGetProcAddress_spt")


def hipGetProcAddress_spt(symbol: int, pfn: int, hipVersion: int, flags: int, symbolStatus: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (pfn and symbolStatus):
            call = call.without(nulls(pfn=pfn, symbolStatus=symbolStatus))
        code, out = _hipGetProcAddress_spt(call, string_at(symbol) if symbol else None, hipVersion, flags)
        if code:
            if symbolStatus:
                put_int32(MEMORY, symbolStatus, 1)
            return SUCCESS | code
        if pfn:
            put_uint64(MEMORY, pfn, out[0])
        if symbolStatus:
            put_int32(MEMORY, symbolStatus, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipGetProcAddress_spt", raised)


_hipHostAlloc = late(globals(), HIP.ops, "hipHostAlloc")
_hipHostAlloc_nulls = frozenset({"ptr"})


def hipHostAlloc(ptr: int, size: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ptr:
            call = call.without(_hipHostAlloc_nulls)
        code, out = _hipHostAlloc(call, size, flags)
        if code:
            return SUCCESS | code
        if ptr:
            put_uint64(MEMORY, ptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipHostAlloc", raised)


_hipHostFree = late(globals(), HIP.ops, "hipHostFree")


def hipHostFree(ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipHostFree(call, ptr)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipHostFree", raised)


_hipHostGetDevicePointer = late(globals(), HIP.ops, "hipHostGetDevicePointer")
_hipHostGetDevicePointer_nulls = frozenset({"devPtr"})


def hipHostGetDevicePointer(devPtr: int, hstPtr: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not devPtr:
            call = call.without(_hipHostGetDevicePointer_nulls)
        code, out = _hipHostGetDevicePointer(call, hstPtr, flags)
        if code:
            return SUCCESS | code
        if devPtr:
            put_uint64(MEMORY, devPtr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipHostGetDevicePointer", raised)


_hipHostGetFlags = late(globals(), HIP.ops, "hipHostGetFlags")
_hipHostGetFlags_nulls = frozenset({"flagsPtr"})


def hipHostGetFlags(flagsPtr: int, hostPtr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not flagsPtr:
            call = call.without(_hipHostGetFlags_nulls)
        code, out = _hipHostGetFlags(call, hostPtr)
        if code:
            return SUCCESS | code
        if flagsPtr:
            put_uint32(MEMORY, flagsPtr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipHostGetFlags", raised)


_hipHostMalloc = late(globals(), HIP.ops, "hipHostMalloc")
_hipHostMalloc_nulls = frozenset({"ptr"})


def hipHostMalloc(ptr: int, size: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ptr:
            call = call.without(_hipHostMalloc_nulls)
        code, out = _hipHostMalloc(call, size, flags)
        if code:
            return SUCCESS | code
        if ptr:
            put_uint64(MEMORY, ptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipHostMalloc", raised)


_hipHostRegister = late(globals(), HIP.ops, "hipHostRegister")


def hipHostRegister(hostPtr: int, sizeBytes: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipHostRegister(call, hostPtr, sizeBytes, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipHostRegister", raised)


_hipHostUnregister = late(globals(), HIP.ops, "hipHostUnregister")


def hipHostUnregister(hostPtr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipHostUnregister(call, hostPtr)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipHostUnregister", raised)


_hipInit = late(globals(), HIP.ops, "hipInit")


def hipInit(flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipInit(call, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipInit", raised)


_hipIpcCloseMemHandle = late(globals(), HIP.ops, "hipIpcCloseMemHandle")


def hipIpcCloseMemHandle(devPtr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipIpcCloseMemHandle(call, devPtr)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipIpcCloseMemHandle", raised)


_hipIpcGetEventHandle = late(globals(), HIP.ops, "hipIpcGetEventHandle")
_hipIpcGetEventHandle_nulls = frozenset({"handle"})


def hipIpcGetEventHandle(handle: int, event: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not handle:
            call = call.without(_hipIpcGetEventHandle_nulls)
        code, out = _hipIpcGetEventHandle(call, event)
        if code:
            return SUCCESS | code
        if handle:
            memmove(handle, out, len(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipIpcGetEventHandle", raised)


_hipIpcGetMemHandle = late(globals(), HIP.ops, "hipIpcGetMemHandle")
_hipIpcGetMemHandle_nulls = frozenset({"handle"})


def hipIpcGetMemHandle(handle: int, devPtr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not handle:
            call = call.without(_hipIpcGetMemHandle_nulls)
        code, out = _hipIpcGetMemHandle(call, devPtr)
        if code:
            return SUCCESS | code
        if handle:
            memmove(handle, out, len(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipIpcGetMemHandle", raised)


_hipIpcOpenEventHandle = late(globals(), HIP.ops, "hipIpcOpenEventHandle")
_hipIpcOpenEventHandle_nulls = frozenset({"event"})


def hipIpcOpenEventHandle(event: int, handle: Any) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not event:
            call = call.without(_hipIpcOpenEventHandle_nulls)
        code, out = _hipIpcOpenEventHandle(call, bytes(handle))
        if code:
            return SUCCESS | code
        if event:
            put_uint64(MEMORY, event, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipIpcOpenEventHandle", raised)


_hipIpcOpenMemHandle = late(globals(), HIP.ops, "hipIpcOpenMemHandle")
_hipIpcOpenMemHandle_nulls = frozenset({"devPtr"})


def hipIpcOpenMemHandle(devPtr: int, handle: Any, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not devPtr:
            call = call.without(_hipIpcOpenMemHandle_nulls)
        code, out = _hipIpcOpenMemHandle(call, bytes(handle), flags)
        if code:
            return SUCCESS | code
        if devPtr:
            put_uint64(MEMORY, devPtr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipIpcOpenMemHandle", raised)


_hipLaunchHostFunc = late(globals(), HIP.ops, "hipLaunchHostFunc")


def hipLaunchHostFunc(stream: int, fn: int, userData: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipLaunchHostFunc(call, stream, fn, userData)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipLaunchHostFunc", raised)


_hipLaunchHostFunc_spt = late(globals(), HIP.ops, "hipLaunchHostFunc_spt")


def hipLaunchHostFunc_spt(stream: int, fn: int, userData: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipLaunchHostFunc_spt(call, stream, fn, userData)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipLaunchHostFunc_spt", raised)


_hipMalloc = late(globals(), HIP.ops, "hipMalloc")
_hipMalloc_nulls = frozenset({"ptr"})


def hipMalloc(ptr: int, size: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ptr:
            call = call.without(_hipMalloc_nulls)
        code, out = _hipMalloc(call, size)
        if code:
            return SUCCESS | code
        if ptr:
            put_uint64(MEMORY, ptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMalloc", raised)


_hipMalloc3D = late(globals(), HIP.ops, "hipMalloc3D")
_hipMalloc3D_nulls = frozenset({"pitchedDevPtr"})


def hipMalloc3D(pitchedDevPtr: int, extent: Any) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pitchedDevPtr:
            call = call.without(_hipMalloc3D_nulls)
        code, out = _hipMalloc3D(call, _hipExtent.unpack(bytes(extent)))
        if code:
            return SUCCESS | code
        if pitchedDevPtr:
            write_hipPitchedPtr(pitchedDevPtr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMalloc3D", raised)


_hipMallocAsync = late(globals(), HIP.ops, "hipMallocAsync")
_hipMallocAsync_nulls = frozenset({"dev_ptr"})


def hipMallocAsync(dev_ptr: int, size: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not dev_ptr:
            call = call.without(_hipMallocAsync_nulls)
        code, out = _hipMallocAsync(call, size, stream)
        if code:
            return SUCCESS | code
        if dev_ptr:
            put_uint64(MEMORY, dev_ptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMallocAsync", raised)


_hipMallocFromPoolAsync = late(globals(), HIP.ops, "hipMallocFromPoolAsync")
_hipMallocFromPoolAsync_nulls = frozenset({"dev_ptr"})


def hipMallocFromPoolAsync(dev_ptr: int, size: int, mem_pool: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not dev_ptr:
            call = call.without(_hipMallocFromPoolAsync_nulls)
        code, out = _hipMallocFromPoolAsync(call, size, mem_pool, stream)
        if code:
            return SUCCESS | code
        if dev_ptr:
            put_uint64(MEMORY, dev_ptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMallocFromPoolAsync", raised)


_hipMallocHost = late(globals(), HIP.ops, "hipMallocHost")
_hipMallocHost_nulls = frozenset({"ptr"})


def hipMallocHost(ptr: int, size: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ptr:
            call = call.without(_hipMallocHost_nulls)
        code, out = _hipMallocHost(call, size)
        if code:
            return SUCCESS | code
        if ptr:
            put_uint64(MEMORY, ptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMallocHost", raised)


_hipMallocManaged = late(globals(), HIP.ops, "hipMallocManaged")
_hipMallocManaged_nulls = frozenset({"dev_ptr"})


def hipMallocManaged(dev_ptr: int, size: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not dev_ptr:
            call = call.without(_hipMallocManaged_nulls)
        code, out = _hipMallocManaged(call, size, flags)
        if code:
            return SUCCESS | code
        if dev_ptr:
            put_uint64(MEMORY, dev_ptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMallocManaged", raised)


_hipMallocPitch = late(globals(), HIP.ops, "hipMallocPitch")


def hipMallocPitch(ptr: int, pitch: int, width: int, height: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (ptr and pitch):
            call = call.without(nulls(ptr=ptr, pitch=pitch))
        code, out = _hipMallocPitch(call, width, height)
        if code:
            return SUCCESS | code
        if ptr:
            put_uint64(MEMORY, ptr, out[0])
        if pitch:
            put_uint64(MEMORY, pitch, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMallocPitch", raised)


_hipMemAddressFree = late(globals(), HIP.ops, "hipMemAddressFree")


def hipMemAddressFree(devPtr: int, size: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemAddressFree(call, devPtr, size)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemAddressFree", raised)


_hipMemAddressReserve = late(globals(), HIP.ops, "hipMemAddressReserve")
_hipMemAddressReserve_nulls = frozenset({"ptr"})


def hipMemAddressReserve(ptr: int, size: int, alignment: int, addr: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ptr:
            call = call.without(_hipMemAddressReserve_nulls)
        code, out = _hipMemAddressReserve(call, size, alignment, addr, flags)
        if code:
            return SUCCESS | code
        if ptr:
            put_uint64(MEMORY, ptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemAddressReserve", raised)


_hipMemAdvise = late(globals(), HIP.ops, "hipMemAdvise")


def hipMemAdvise(dev_ptr: int, count: int, advice: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemAdvise(call, dev_ptr, count, advice, device)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemAdvise", raised)


_hipMemAdvise_v2 = late(globals(), HIP.ops, "hipMemAdvise_v2")


def hipMemAdvise_v2(dev_ptr: int, count: int, advice: int, location: Any) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemAdvise_v2(call, dev_ptr, count, advice, _hipMemLocation.unpack(bytes(location)))
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemAdvise_v2", raised)


_hipMemAllocHost = late(globals(), HIP.ops, "hipMemAllocHost")
_hipMemAllocHost_nulls = frozenset({"ptr"})


def hipMemAllocHost(ptr: int, size: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not ptr:
            call = call.without(_hipMemAllocHost_nulls)
        code, out = _hipMemAllocHost(call, size)
        if code:
            return SUCCESS | code
        if ptr:
            put_uint64(MEMORY, ptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemAllocHost", raised)


_hipMemAllocPitch = late(globals(), HIP.ops, "hipMemAllocPitch")


def hipMemAllocPitch(dptr: int, pitch: int, widthInBytes: int, height: int, elementSizeBytes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (dptr and pitch):
            call = call.without(nulls(dptr=dptr, pitch=pitch))
        code, out = _hipMemAllocPitch(call, widthInBytes, height, elementSizeBytes)
        if code:
            return SUCCESS | code
        if dptr:
            put_uint64(MEMORY, dptr, out[0])
        if pitch:
            put_uint64(MEMORY, pitch, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemAllocPitch", raised)


_hipMemCreate = late(globals(), HIP.ops, "hipMemCreate")
_hipMemCreate_nulls = frozenset({"handle"})


def hipMemCreate(handle: int, size: int, prop: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not handle:
            call = call.without(_hipMemCreate_nulls)
        code, out = _hipMemCreate(call, size, read_hipMemAllocationProp(prop) if prop else None, flags)
        if code:
            return SUCCESS | code
        if handle:
            put_uint64(MEMORY, handle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemCreate", raised)


_hipMemExportToShareableHandle = late(globals(), HIP.ops, "hipMemExportToShareableHandle")
_hipMemExportToShareableHandle_nulls = frozenset({"shareableHandle"})


def hipMemExportToShareableHandle(shareableHandle: int, handle: int, handleType: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not shareableHandle:
            call = call.without(_hipMemExportToShareableHandle_nulls)
        code, out = _hipMemExportToShareableHandle(call, handle, handleType, flags)
        if code:
            return SUCCESS | code
        if shareableHandle:
            put_int(shareableHandle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemExportToShareableHandle", raised)


_hipMemGetAccess = late(globals(), HIP.ops, "hipMemGetAccess")
_hipMemGetAccess_nulls = frozenset({"flags"})


def hipMemGetAccess(flags: int, location: int, ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not flags:
            call = call.without(_hipMemGetAccess_nulls)
        code, out = _hipMemGetAccess(call, read_hipMemLocation(location) if location else None, ptr)
        if code:
            return SUCCESS | code
        if flags:
            put_uint64(MEMORY, flags, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemGetAccess", raised)


_hipMemGetAddressRange = late(globals(), HIP.ops, "hipMemGetAddressRange")


def hipMemGetAddressRange(pbase: int, psize: int, dptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (pbase and psize):
            call = call.without(nulls(pbase=pbase, psize=psize))
        code, out = _hipMemGetAddressRange(call, dptr)
        if code:
            return SUCCESS | code
        if pbase:
            put_uint64(MEMORY, pbase, out[0])
        if psize:
            put_uint64(MEMORY, psize, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemGetAddressRange", raised)


_hipMemGetAllocationGranularity = late(globals(), HIP.ops, "hipMemGetAllocationGranularity")
_hipMemGetAllocationGranularity_nulls = frozenset({"granularity"})


def hipMemGetAllocationGranularity(granularity: int, prop: int, option: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not granularity:
            call = call.without(_hipMemGetAllocationGranularity_nulls)
        code, out = _hipMemGetAllocationGranularity(call, read_hipMemAllocationProp(prop) if prop else None, option)
        if code:
            return SUCCESS | code
        if granularity:
            put_uint64(MEMORY, granularity, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemGetAllocationGranularity", raised)


_hipMemGetAllocationPropertiesFromHandle = late(globals(), HIP.ops, "hipMemGetAllocationPropertiesFromHandle")
_hipMemGetAllocationPropertiesFromHandle_nulls = frozenset({"prop"})


def hipMemGetAllocationPropertiesFromHandle(prop: int, handle: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not prop:
            call = call.without(_hipMemGetAllocationPropertiesFromHandle_nulls)
        code, out = _hipMemGetAllocationPropertiesFromHandle(call, handle)
        if code:
            return SUCCESS | code
        if prop:
            write_hipMemAllocationProp(prop, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemGetAllocationPropertiesFromHandle", raised)


_hipMemGetDefaultMemPool = late(globals(), HIP.ops, "hipMemGetDefaultMemPool")
_hipMemGetDefaultMemPool_nulls = frozenset({"memPool"})


def hipMemGetDefaultMemPool(memPool: int, location: int, type_: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not memPool:
            call = call.without(_hipMemGetDefaultMemPool_nulls)
        code, out = _hipMemGetDefaultMemPool(call, read_hipMemLocation(location) if location else None, type_)
        if code:
            return SUCCESS | code
        if memPool:
            put_uint64(MEMORY, memPool, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemGetDefaultMemPool", raised)


_hipMemGetHandleForAddressRange = late(globals(), HIP.ops, "hipMemGetHandleForAddressRange")
_hipMemGetHandleForAddressRange_nulls = frozenset({"handle"})


def hipMemGetHandleForAddressRange(handle: int, dptr: int, size: int, handleType: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not handle:
            call = call.without(_hipMemGetHandleForAddressRange_nulls)
        code, out = _hipMemGetHandleForAddressRange(call, dptr, size, handleType, flags)
        if code:
            return SUCCESS | code
        if handle:
            put_int(handle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemGetHandleForAddressRange", raised)


_hipMemGetInfo = late(globals(), HIP.ops, "hipMemGetInfo")


def hipMemGetInfo(free: int, total: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not (free and total):
            call = call.without(nulls(free=free, total=total))
        code, out = _hipMemGetInfo(call)
        if code:
            return SUCCESS | code
        if free:
            put_uint64(MEMORY, free, out[0])
        if total:
            put_uint64(MEMORY, total, out[1])
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemGetInfo", raised)


_hipMemGetMemPool = late(globals(), HIP.ops, "hipMemGetMemPool")
_hipMemGetMemPool_nulls = frozenset({"pool"})


def hipMemGetMemPool(pool: int, location: int, type_: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pool:
            call = call.without(_hipMemGetMemPool_nulls)
        code, out = _hipMemGetMemPool(call, read_hipMemLocation(location) if location else None, type_)
        if code:
            return SUCCESS | code
        if pool:
            put_uint64(MEMORY, pool, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemGetMemPool", raised)


_hipMemImportFromShareableHandle = late(globals(), HIP.ops, "hipMemImportFromShareableHandle")
_hipMemImportFromShareableHandle_nulls = frozenset({"handle"})


def hipMemImportFromShareableHandle(handle: int, osHandle: int, shHandleType: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not handle:
            call = call.without(_hipMemImportFromShareableHandle_nulls)
        code, out = _hipMemImportFromShareableHandle(call, osHandle, shHandleType)
        if code:
            return SUCCESS | code
        if handle:
            put_uint64(MEMORY, handle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemImportFromShareableHandle", raised)


_hipMemMap = late(globals(), HIP.ops, "hipMemMap")


def hipMemMap(ptr: int, size: int, offset: int, handle: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemMap(call, ptr, size, offset, handle, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemMap", raised)


_hipMemMapArrayAsync = late(globals(), HIP.ops, "hipMemMapArrayAsync")


def hipMemMapArrayAsync(mapInfoList: int, count: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemMapArrayAsync(call, mapInfoList, count, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemMapArrayAsync", raised)


_hipMemPoolCreate = late(globals(), HIP.ops, "hipMemPoolCreate")
_hipMemPoolCreate_nulls = frozenset({"mem_pool"})


def hipMemPoolCreate(mem_pool: int, pool_props: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not mem_pool:
            call = call.without(_hipMemPoolCreate_nulls)
        code, out = _hipMemPoolCreate(call, read_hipMemPoolProps(pool_props) if pool_props else None)
        if code:
            return SUCCESS | code
        if mem_pool:
            put_uint64(MEMORY, mem_pool, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPoolCreate", raised)


_hipMemPoolDestroy = late(globals(), HIP.ops, "hipMemPoolDestroy")


def hipMemPoolDestroy(mem_pool: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemPoolDestroy(call, mem_pool)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPoolDestroy", raised)


_hipMemPoolExportPointer = late(globals(), HIP.ops, "hipMemPoolExportPointer")
_hipMemPoolExportPointer_nulls = frozenset({"export_data"})


def hipMemPoolExportPointer(export_data: int, dev_ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not export_data:
            call = call.without(_hipMemPoolExportPointer_nulls)
        code, out = _hipMemPoolExportPointer(call, dev_ptr)
        if code:
            return SUCCESS | code
        if export_data:
            memmove(export_data, out, len(out))
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPoolExportPointer", raised)


_hipMemPoolExportToShareableHandle = late(globals(), HIP.ops, "hipMemPoolExportToShareableHandle")
_hipMemPoolExportToShareableHandle_nulls = frozenset({"shared_handle"})


def hipMemPoolExportToShareableHandle(shared_handle: int, mem_pool: int, handle_type: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not shared_handle:
            call = call.without(_hipMemPoolExportToShareableHandle_nulls)
        code, out = _hipMemPoolExportToShareableHandle(call, mem_pool, handle_type, flags)
        if code:
            return SUCCESS | code
        if shared_handle:
            put_int(shared_handle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPoolExportToShareableHandle", raised)


_hipMemPoolGetAccess = late(globals(), HIP.ops, "hipMemPoolGetAccess")
_hipMemPoolGetAccess_nulls = frozenset({"flags"})


def hipMemPoolGetAccess(flags: int, mem_pool: int, location: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not flags:
            call = call.without(_hipMemPoolGetAccess_nulls)
        code, out = _hipMemPoolGetAccess(call, mem_pool, read_hipMemLocation(location) if location else None)
        if code:
            return SUCCESS | code
        if flags:
            put_int32(MEMORY, flags, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPoolGetAccess", raised)


_hipMemPoolGetAttribute = late(globals(), HIP.ops, "hipMemPoolGetAttribute")
_hipMemPoolGetAttribute_nulls = frozenset({"value"})


def hipMemPoolGetAttribute(mem_pool: int, attr: int, value: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not value:
            call = call.without(_hipMemPoolGetAttribute_nulls)
        code, out = _hipMemPoolGetAttribute(call, mem_pool, attr)
        if code:
            return SUCCESS | code
        if value:
            put_word(value, out, attr)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPoolGetAttribute", raised)


_hipMemPoolImportFromShareableHandle = late(globals(), HIP.ops, "hipMemPoolImportFromShareableHandle")
_hipMemPoolImportFromShareableHandle_nulls = frozenset({"mem_pool"})


def hipMemPoolImportFromShareableHandle(mem_pool: int, shared_handle: int, handle_type: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not mem_pool:
            call = call.without(_hipMemPoolImportFromShareableHandle_nulls)
        code, out = _hipMemPoolImportFromShareableHandle(call, shared_handle, handle_type, flags)
        if code:
            return SUCCESS | code
        if mem_pool:
            put_uint64(MEMORY, mem_pool, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPoolImportFromShareableHandle", raised)


_hipMemPoolImportPointer = late(globals(), HIP.ops, "hipMemPoolImportPointer")
_hipMemPoolImportPointer_nulls = frozenset({"dev_ptr"})


def hipMemPoolImportPointer(dev_ptr: int, mem_pool: int, export_data: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not dev_ptr:
            call = call.without(_hipMemPoolImportPointer_nulls)
        code, out = _hipMemPoolImportPointer(call, mem_pool, string_at(export_data, 64) if export_data else None)
        if code:
            return SUCCESS | code
        if dev_ptr:
            put_uint64(MEMORY, dev_ptr, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPoolImportPointer", raised)


_hipMemPoolSetAccess = late(globals(), HIP.ops, "hipMemPoolSetAccess")


def hipMemPoolSetAccess(mem_pool: int, desc_list: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemPoolSetAccess(call, mem_pool, tuple(read_hipMemAccessDesc(desc_list + 12 * n) for n in range(many(desc_list, 12, min(count, MOST)))) if desc_list else None, count)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPoolSetAccess", raised)


_hipMemPoolSetAttribute = late(globals(), HIP.ops, "hipMemPoolSetAttribute")


def hipMemPoolSetAttribute(mem_pool: int, attr: int, value: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemPoolSetAttribute(call, mem_pool, attr, word(value, attr))
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPoolSetAttribute", raised)


_hipMemPoolTrimTo = late(globals(), HIP.ops, "hipMemPoolTrimTo")


def hipMemPoolTrimTo(mem_pool: int, min_bytes_to_hold: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemPoolTrimTo(call, mem_pool, min_bytes_to_hold)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPoolTrimTo", raised)


_hipMemPrefetchAsync = late(globals(), HIP.ops, "hipMemPrefetchAsync")


def hipMemPrefetchAsync(dev_ptr: int, count: int, device: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemPrefetchAsync(call, dev_ptr, count, device, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPrefetchAsync", raised)


_hipMemPrefetchAsync_v2 = late(globals(), HIP.ops, "hipMemPrefetchAsync_v2")


def hipMemPrefetchAsync_v2(dev_ptr: int, count: int, location: Any, flags: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemPrefetchAsync_v2(call, dev_ptr, count, _hipMemLocation.unpack(bytes(location)), flags, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPrefetchAsync_v2", raised)


_hipMemPrefetchBatchAsync = late(globals(), HIP.ops, "hipMemPrefetchBatchAsync")


def hipMemPrefetchBatchAsync(dev_ptrs: int, sizes: int, count: int, prefetch_locs: int, prefetch_loc_idxs: int, num_prefetch_locs: int, flags: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemPrefetchBatchAsync(call, tuple((c_uint64 * many(dev_ptrs, 8, min(count, MOST))).from_address(dev_ptrs)) if dev_ptrs else None, tuple((c_uint64 * many(sizes, 8, min(count, MOST))).from_address(sizes)) if sizes else None, count, tuple(read_hipMemLocation(prefetch_locs + 8 * n) for n in range(many(prefetch_locs, 8, min(num_prefetch_locs, MOST)))) if prefetch_locs else None, tuple((c_uint64 * many(prefetch_loc_idxs, 8, min(num_prefetch_locs, MOST))).from_address(prefetch_loc_idxs)) if prefetch_loc_idxs else None, num_prefetch_locs, flags, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPrefetchBatchAsync", raised)


_hipMemPtrGetInfo = late(globals(), HIP.ops, "hipMemPtrGetInfo")
_hipMemPtrGetInfo_nulls = frozenset({"size"})


def hipMemPtrGetInfo(ptr: int, size: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not size:
            call = call.without(_hipMemPtrGetInfo_nulls)
        code, out = _hipMemPtrGetInfo(call, ptr)
        if code:
            return SUCCESS | code
        if size:
            put_uint64(MEMORY, size, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemPtrGetInfo", raised)


_hipMemRangeGetAttribute = late(globals(), HIP.ops, "hipMemRangeGetAttribute")
_hipMemRangeGetAttribute_nulls = frozenset({"data"})


def hipMemRangeGetAttribute(data: int, data_size: int, attribute: int, dev_ptr: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not data:
            call = call.without(_hipMemRangeGetAttribute_nulls)
        code, out = _hipMemRangeGetAttribute(call, data_size, attribute, dev_ptr, count)
        if code:
            return SUCCESS | code
        if data:
            put_numbers(data, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemRangeGetAttribute", raised)


_hipMemRangeGetAttributes = late(globals(), HIP.ops, "hipMemRangeGetAttributes")
_hipMemRangeGetAttributes_nulls = frozenset({"data"})


def hipMemRangeGetAttributes(data: int, data_sizes: int, attributes: int, num_attributes: int, dev_ptr: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not data:
            call = call.without(_hipMemRangeGetAttributes_nulls)
        code, out = _hipMemRangeGetAttributes(call, tuple((c_uint64 * many(data_sizes, 8, min(num_attributes, MOST))).from_address(data_sizes)) if data_sizes else None, tuple((c_int32 * many(attributes, 4, min(num_attributes, MOST))).from_address(attributes)) if attributes else None, num_attributes, dev_ptr, count)
        if code:
            return SUCCESS | code
        if data:
            put_number_lists(data, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemRangeGetAttributes", raised)


_hipMemRelease = late(globals(), HIP.ops, "hipMemRelease")


def hipMemRelease(handle: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemRelease(call, handle)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemRelease", raised)


_hipMemRetainAllocationHandle = late(globals(), HIP.ops, "hipMemRetainAllocationHandle")
_hipMemRetainAllocationHandle_nulls = frozenset({"handle"})


def hipMemRetainAllocationHandle(handle: int, addr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not handle:
            call = call.without(_hipMemRetainAllocationHandle_nulls)
        code, out = _hipMemRetainAllocationHandle(call, addr)
        if code:
            return SUCCESS | code
        if handle:
            put_uint64(MEMORY, handle, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemRetainAllocationHandle", raised)


_hipMemSetAccess = late(globals(), HIP.ops, "hipMemSetAccess")


def hipMemSetAccess(ptr: int, size: int, desc: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemSetAccess(call, ptr, size, tuple(read_hipMemAccessDesc(desc + 12 * n) for n in range(many(desc, 12, min(count, MOST)))) if desc else None, count)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemSetAccess", raised)


_hipMemSetMemPool = late(globals(), HIP.ops, "hipMemSetMemPool")


def hipMemSetMemPool(location: int, type_: int, pool: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemSetMemPool(call, read_hipMemLocation(location) if location else None, type_, pool)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemSetMemPool", raised)


_hipMemUnmap = late(globals(), HIP.ops, "hipMemUnmap")


def hipMemUnmap(ptr: int, size: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemUnmap(call, ptr, size)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemUnmap", raised)


_hipMemcpy = late(globals(), HIP.ops, "hipMemcpy")


def hipMemcpy(dst: int, src: int, sizeBytes: int, kind: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpy(call, dst, src, sizeBytes, kind)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy", raised)


_hipMemcpy2D = late(globals(), HIP.ops, "hipMemcpy2D")


def hipMemcpy2D(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpy2D(call, dst, dpitch, src, spitch, width, height, kind)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy2D", raised)


_hipMemcpy2DAsync = late(globals(), HIP.ops, "hipMemcpy2DAsync")


def hipMemcpy2DAsync(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpy2DAsync(call, dst, dpitch, src, spitch, width, height, kind, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy2DAsync", raised)


_hipMemcpy2DAsync_spt = late(globals(), HIP.ops, "hipMemcpy2DAsync_spt")


def hipMemcpy2DAsync_spt(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpy2DAsync_spt(call, dst, dpitch, src, spitch, width, height, kind, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy2DAsync_spt", raised)


_hipMemcpy2D_spt = late(globals(), HIP.ops, "hipMemcpy2D_spt")


def hipMemcpy2D_spt(dst: int, dpitch: int, src: int, spitch: int, width: int, height: int, kind: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpy2D_spt(call, dst, dpitch, src, spitch, width, height, kind)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy2D_spt", raised)


_hipMemcpy3D = late(globals(), HIP.ops, "hipMemcpy3D")


def hipMemcpy3D(p: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpy3D(call, read_hipMemcpy3DParms(p) if p else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy3D", raised)


_hipMemcpy3DAsync = late(globals(), HIP.ops, "hipMemcpy3DAsync")


def hipMemcpy3DAsync(p: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpy3DAsync(call, read_hipMemcpy3DParms(p) if p else None, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy3DAsync", raised)


_hipMemcpy3DAsync_spt = late(globals(), HIP.ops, "hipMemcpy3DAsync_spt")


def hipMemcpy3DAsync_spt(p: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpy3DAsync_spt(call, read_hipMemcpy3DParms(p) if p else None, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy3DAsync_spt", raised)


_hipMemcpy3DBatchAsync = late(globals(), HIP.ops, "hipMemcpy3DBatchAsync")
_hipMemcpy3DBatchAsync_nulls = frozenset({"failIdx"})


def hipMemcpy3DBatchAsync(numOps: int, opList: int, failIdx: int, flags: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not failIdx:
            call = call.without(_hipMemcpy3DBatchAsync_nulls)
        code, out = _hipMemcpy3DBatchAsync(call, numOps, tuple(read_hipMemcpy3DBatchOp(opList + 112 * n) for n in range(many(opList, 112, min(numOps, MOST)))) if opList else None, flags, stream)
        if code:
            if failIdx:
                put_uint64(MEMORY, failIdx, thread.failed_at)
            return SUCCESS | code
        if failIdx:
            put_uint64(MEMORY, failIdx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy3DBatchAsync", raised)


_hipMemcpy3DPeer = late(globals(), HIP.ops, "hipMemcpy3DPeer")


def hipMemcpy3DPeer(p: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpy3DPeer(call, read_hipMemcpy3DPeerParms(p) if p else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy3DPeer", raised)


_hipMemcpy3DPeerAsync = late(globals(), HIP.ops, "hipMemcpy3DPeerAsync")


def hipMemcpy3DPeerAsync(p: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpy3DPeerAsync(call, read_hipMemcpy3DPeerParms(p) if p else None, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy3DPeerAsync", raised)


_hipMemcpy3D_spt = late(globals(), HIP.ops, "hipMemcpy3D_spt")


def hipMemcpy3D_spt(p: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpy3D_spt(call, read_hipMemcpy3DParms(p) if p else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy3D_spt", raised)


_hipMemcpyAsync = late(globals(), HIP.ops, "hipMemcpyAsync")


def hipMemcpyAsync(dst: int, src: int, sizeBytes: int, kind: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyAsync(call, dst, src, sizeBytes, kind, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyAsync", raised)


_hipMemcpyAsync_spt = late(globals(), HIP.ops, "hipMemcpyAsync_spt")


def hipMemcpyAsync_spt(dst: int, src: int, sizeBytes: int, kind: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyAsync_spt(call, dst, src, sizeBytes, kind, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyAsync_spt", raised)


_hipMemcpyBatchAsync = late(globals(), HIP.ops, "hipMemcpyBatchAsync")
_hipMemcpyBatchAsync_nulls = frozenset({"failIdx"})


def hipMemcpyBatchAsync(dsts: int, srcs: int, sizes: int, count: int, attrs: int, attrsIdxs: int, numAttrs: int, failIdx: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not failIdx:
            call = call.without(_hipMemcpyBatchAsync_nulls)
        code, out = _hipMemcpyBatchAsync(call, tuple((c_uint64 * many(dsts, 8, min(count, MOST))).from_address(dsts)) if dsts else None, tuple((c_uint64 * many(srcs, 8, min(count, MOST))).from_address(srcs)) if srcs else None, tuple((c_uint64 * many(sizes, 8, min(count, MOST))).from_address(sizes)) if sizes else None, count, tuple(read_hipMemcpyAttributes(attrs + 24 * n) for n in range(many(attrs, 24, min(numAttrs, MOST)))) if attrs else None, tuple((c_uint64 * many(attrsIdxs, 8, min(numAttrs, MOST))).from_address(attrsIdxs)) if attrsIdxs else None, numAttrs, stream)
        if code:
            if failIdx:
                put_uint64(MEMORY, failIdx, thread.failed_at)
            return SUCCESS | code
        if failIdx:
            put_uint64(MEMORY, failIdx, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyBatchAsync", raised)


_hipMemcpyDtoD = late(globals(), HIP.ops, "hipMemcpyDtoD")


def hipMemcpyDtoD(dst: int, src: int, sizeBytes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyDtoD(call, dst, src, sizeBytes)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyDtoD", raised)


_hipMemcpyDtoDAsync = late(globals(), HIP.ops, "hipMemcpyDtoDAsync")


def hipMemcpyDtoDAsync(dst: int, src: int, sizeBytes: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyDtoDAsync(call, dst, src, sizeBytes, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyDtoDAsync", raised)


_hipMemcpyDtoH = late(globals(), HIP.ops, "hipMemcpyDtoH")


def hipMemcpyDtoH(dst: int, src: int, sizeBytes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyDtoH(call, dst, src, sizeBytes)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyDtoH", raised)


_hipMemcpyDtoHAsync = late(globals(), HIP.ops, "hipMemcpyDtoHAsync")


def hipMemcpyDtoHAsync(dst: int, src: int, sizeBytes: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyDtoHAsync(call, dst, src, sizeBytes, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyDtoHAsync", raised)


_hipMemcpyHtoD = late(globals(), HIP.ops, "hipMemcpyHtoD")


def hipMemcpyHtoD(dst: int, src: int, sizeBytes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyHtoD(call, dst, src, sizeBytes)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyHtoD", raised)


_hipMemcpyHtoDAsync = late(globals(), HIP.ops, "hipMemcpyHtoDAsync")


def hipMemcpyHtoDAsync(dst: int, src: int, sizeBytes: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyHtoDAsync(call, dst, src, sizeBytes, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyHtoDAsync", raised)


_hipMemcpyParam2D = late(globals(), HIP.ops, "hipMemcpyParam2D")


def hipMemcpyParam2D(pCopy: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyParam2D(call, read_hip_Memcpy2D(pCopy) if pCopy else None)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyParam2D", raised)


_hipMemcpyParam2DAsync = late(globals(), HIP.ops, "hipMemcpyParam2DAsync")


def hipMemcpyParam2DAsync(pCopy: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyParam2DAsync(call, read_hip_Memcpy2D(pCopy) if pCopy else None, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyParam2DAsync", raised)


_hipMemcpyPeer = late(globals(), HIP.ops, "hipMemcpyPeer")


def hipMemcpyPeer(dst: int, dstDeviceId: int, src: int, srcDeviceId: int, sizeBytes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyPeer(call, dst, dstDeviceId, src, srcDeviceId, sizeBytes)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyPeer", raised)


_hipMemcpyPeerAsync = late(globals(), HIP.ops, "hipMemcpyPeerAsync")


def hipMemcpyPeerAsync(dst: int, dstDeviceId: int, src: int, srcDevice: int, sizeBytes: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyPeerAsync(call, dst, dstDeviceId, src, srcDevice, sizeBytes, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyPeerAsync", raised)


_hipMemcpyWithStream = late(globals(), HIP.ops, "hipMemcpyWithStream")


def hipMemcpyWithStream(dst: int, src: int, sizeBytes: int, kind: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpyWithStream(call, dst, src, sizeBytes, kind, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpyWithStream", raised)


_hipMemcpy_spt = late(globals(), HIP.ops, "hipMemcpy_spt")


def hipMemcpy_spt(dst: int, src: int, sizeBytes: int, kind: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemcpy_spt(call, dst, src, sizeBytes, kind)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemcpy_spt", raised)


_hipMemset = late(globals(), HIP.ops, "hipMemset")


def hipMemset(dst: int, value: int, sizeBytes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemset(call, dst, value, sizeBytes)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemset", raised)


_hipMemset2D = late(globals(), HIP.ops, "hipMemset2D")


def hipMemset2D(dst: int, pitch: int, value: int, width: int, height: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemset2D(call, dst, pitch, value, width, height)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemset2D", raised)


_hipMemset2DAsync = late(globals(), HIP.ops, "hipMemset2DAsync")


def hipMemset2DAsync(dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemset2DAsync(call, dst, pitch, value, width, height, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemset2DAsync", raised)


_hipMemset2DAsync_spt = late(globals(), HIP.ops, "hipMemset2DAsync_spt")


def hipMemset2DAsync_spt(dst: int, pitch: int, value: int, width: int, height: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemset2DAsync_spt(call, dst, pitch, value, width, height, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemset2DAsync_spt", raised)


_hipMemset2D_spt = late(globals(), HIP.ops, "hipMemset2D_spt")


def hipMemset2D_spt(dst: int, pitch: int, value: int, width: int, height: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemset2D_spt(call, dst, pitch, value, width, height)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemset2D_spt", raised)


_hipMemset3D = late(globals(), HIP.ops, "hipMemset3D")


def hipMemset3D(pitchedDevPtr: Any, value: int, extent: Any) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemset3D(call, _hipPitchedPtr.unpack(bytes(pitchedDevPtr)), value, _hipExtent.unpack(bytes(extent)))
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemset3D", raised)


_hipMemset3DAsync = late(globals(), HIP.ops, "hipMemset3DAsync")


def hipMemset3DAsync(pitchedDevPtr: Any, value: int, extent: Any, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemset3DAsync(call, _hipPitchedPtr.unpack(bytes(pitchedDevPtr)), value, _hipExtent.unpack(bytes(extent)), stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemset3DAsync", raised)


_hipMemset3DAsync_spt = late(globals(), HIP.ops, "hipMemset3DAsync_spt")


def hipMemset3DAsync_spt(pitchedDevPtr: Any, value: int, extent: Any, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemset3DAsync_spt(call, _hipPitchedPtr.unpack(bytes(pitchedDevPtr)), value, _hipExtent.unpack(bytes(extent)), stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemset3DAsync_spt", raised)


_hipMemset3D_spt = late(globals(), HIP.ops, "hipMemset3D_spt")


def hipMemset3D_spt(pitchedDevPtr: Any, value: int, extent: Any) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemset3D_spt(call, _hipPitchedPtr.unpack(bytes(pitchedDevPtr)), value, _hipExtent.unpack(bytes(extent)))
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemset3D_spt", raised)


_hipMemsetAsync = late(globals(), HIP.ops, "hipMemsetAsync")


def hipMemsetAsync(dst: int, value: int, sizeBytes: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetAsync(call, dst, value, sizeBytes, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetAsync", raised)


_hipMemsetAsync_spt = late(globals(), HIP.ops, "hipMemsetAsync_spt")


def hipMemsetAsync_spt(dst: int, value: int, sizeBytes: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetAsync_spt(call, dst, value, sizeBytes, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetAsync_spt", raised)


_hipMemsetD16 = late(globals(), HIP.ops, "hipMemsetD16")


def hipMemsetD16(dest: int, value: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetD16(call, dest, value, count)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetD16", raised)


_hipMemsetD16Async = late(globals(), HIP.ops, "hipMemsetD16Async")


def hipMemsetD16Async(dest: int, value: int, count: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetD16Async(call, dest, value, count, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetD16Async", raised)


_hipMemsetD2D16 = late(globals(), HIP.ops, "hipMemsetD2D16")


def hipMemsetD2D16(dst: int, dstPitch: int, value: int, width: int, height: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetD2D16(call, dst, dstPitch, value, width, height)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetD2D16", raised)


_hipMemsetD2D16Async = late(globals(), HIP.ops, "hipMemsetD2D16Async")


def hipMemsetD2D16Async(dst: int, dstPitch: int, value: int, width: int, height: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetD2D16Async(call, dst, dstPitch, value, width, height, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetD2D16Async", raised)


_hipMemsetD2D32 = late(globals(), HIP.ops, "hipMemsetD2D32")


def hipMemsetD2D32(dst: int, dstPitch: int, value: int, width: int, height: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetD2D32(call, dst, dstPitch, value, width, height)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetD2D32", raised)


_hipMemsetD2D32Async = late(globals(), HIP.ops, "hipMemsetD2D32Async")


def hipMemsetD2D32Async(dst: int, dstPitch: int, value: int, width: int, height: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetD2D32Async(call, dst, dstPitch, value, width, height, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetD2D32Async", raised)


_hipMemsetD2D8 = late(globals(), HIP.ops, "hipMemsetD2D8")


def hipMemsetD2D8(dst: int, dstPitch: int, value: int, width: int, height: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetD2D8(call, dst, dstPitch, value, width, height)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetD2D8", raised)


_hipMemsetD2D8Async = late(globals(), HIP.ops, "hipMemsetD2D8Async")


def hipMemsetD2D8Async(dst: int, dstPitch: int, value: int, width: int, height: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetD2D8Async(call, dst, dstPitch, value, width, height, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetD2D8Async", raised)


_hipMemsetD32 = late(globals(), HIP.ops, "hipMemsetD32")


def hipMemsetD32(dest: int, value: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetD32(call, dest, value, count)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetD32", raised)


_hipMemsetD32Async = late(globals(), HIP.ops, "hipMemsetD32Async")


def hipMemsetD32Async(dst: int, value: int, count: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetD32Async(call, dst, value, count, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetD32Async", raised)


_hipMemsetD8 = late(globals(), HIP.ops, "hipMemsetD8")


def hipMemsetD8(dest: int, value: int, count: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetD8(call, dest, value, count)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetD8", raised)


_hipMemsetD8Async = late(globals(), HIP.ops, "hipMemsetD8Async")


def hipMemsetD8Async(dest: int, value: int, count: int, stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemsetD8Async(call, dest, value, count, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemsetD8Async", raised)


_hipMemset_spt = late(globals(), HIP.ops, "hipMemset_spt")


def hipMemset_spt(dst: int, value: int, sizeBytes: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipMemset_spt(call, dst, value, sizeBytes)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipMemset_spt", raised)


_hipPeekAtLastError = late(globals(), HIP.ops, "hipPeekAtLastError")


def hipPeekAtLastError() -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipPeekAtLastError(call)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipPeekAtLastError", raised)


_hipPointerGetAttribute = late(globals(), HIP.ops, "hipPointerGetAttribute")
_hipPointerGetAttribute_nulls = frozenset({"data"})


def hipPointerGetAttribute(data: int, attribute: int, ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not data:
            call = call.without(_hipPointerGetAttribute_nulls)
        code, out = _hipPointerGetAttribute(call, attribute, ptr)
        if code:
            return SUCCESS | code
        if data:
            put_attribute(data, out, attribute)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipPointerGetAttribute", raised)


_hipPointerGetAttributes = late(globals(), HIP.ops, "hipPointerGetAttributes")
_hipPointerGetAttributes_nulls = frozenset({"attributes"})


def hipPointerGetAttributes(attributes: int, ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not attributes:
            call = call.without(_hipPointerGetAttributes_nulls)
        code, out = _hipPointerGetAttributes(call, ptr)
        if code:
            return SUCCESS | code
        if attributes:
            write_hipPointerAttribute_t(attributes, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipPointerGetAttributes", raised)


_hipPointerSetAttribute = late(globals(), HIP.ops, "hipPointerSetAttribute")


def hipPointerSetAttribute(value: int, attribute: int, ptr: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipPointerSetAttribute(call, number_at(value), attribute, ptr)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipPointerSetAttribute", raised)


_hipRuntimeGetVersion = late(globals(), HIP.ops, "hipRuntimeGetVersion")
_hipRuntimeGetVersion_nulls = frozenset({"runtimeVersion"})


def hipRuntimeGetVersion(runtimeVersion: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not runtimeVersion:
            call = call.without(_hipRuntimeGetVersion_nulls)
        code, out = _hipRuntimeGetVersion(call)
        if code:
            return SUCCESS | code
        if runtimeVersion:
            put_int32(MEMORY, runtimeVersion, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipRuntimeGetVersion", raised)


_hipSetDevice = late(globals(), HIP.ops, "hipSetDevice")


def hipSetDevice(deviceId: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipSetDevice(call, deviceId)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipSetDevice", raised)


_hipSetDeviceFlags = late(globals(), HIP.ops, "hipSetDeviceFlags")


def hipSetDeviceFlags(flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipSetDeviceFlags(call, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipSetDeviceFlags", raised)


_hipSetValidDevices = late(globals(), HIP.ops, "hipSetValidDevices")


def hipSetValidDevices(device_arr: int, len_: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipSetValidDevices(call, tuple((c_int32 * many(device_arr, 4, min(max(len_, 0), MOST))).from_address(device_arr)) if device_arr else None, len_)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipSetValidDevices", raised)


_hipStreamAddCallback = late(globals(), HIP.ops, "hipStreamAddCallback")


def hipStreamAddCallback(stream: int, callback: int, userData: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamAddCallback(call, stream, callback, userData, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamAddCallback", raised)


_hipStreamAddCallback_spt = late(globals(), HIP.ops, "hipStreamAddCallback_spt")


def hipStreamAddCallback_spt(stream: int, callback: int, userData: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamAddCallback_spt(call, stream, callback, userData, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamAddCallback_spt", raised)


_hipStreamAttachMemAsync = late(globals(), HIP.ops, "hipStreamAttachMemAsync")


def hipStreamAttachMemAsync(stream: int, dev_ptr: int, length: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamAttachMemAsync(call, stream, dev_ptr, length, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamAttachMemAsync", raised)


_hipStreamBatchMemOp = late(globals(), HIP.ops, "hipStreamBatchMemOp")


def hipStreamBatchMemOp(stream: int, count: int, paramArray: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamBatchMemOp(call, stream, count, mem_ops_at(paramArray, count), flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamBatchMemOp", raised)


_hipStreamCopyAttributes = late(globals(), HIP.ops, "hipStreamCopyAttributes")


def hipStreamCopyAttributes(dst: int, src: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamCopyAttributes(call, dst, src)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamCopyAttributes", raised)


_hipStreamCreate = late(globals(), HIP.ops, "hipStreamCreate")
_hipStreamCreate_nulls = frozenset({"stream"})


def hipStreamCreate(stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not stream:
            call = call.without(_hipStreamCreate_nulls)
        code, out = _hipStreamCreate(call)
        if code:
            return SUCCESS | code
        if stream:
            put_uint64(MEMORY, stream, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamCreate", raised)


_hipStreamCreateWithFlags = late(globals(), HIP.ops, "hipStreamCreateWithFlags")
_hipStreamCreateWithFlags_nulls = frozenset({"stream"})


def hipStreamCreateWithFlags(stream: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not stream:
            call = call.without(_hipStreamCreateWithFlags_nulls)
        code, out = _hipStreamCreateWithFlags(call, flags)
        if code:
            return SUCCESS | code
        if stream:
            put_uint64(MEMORY, stream, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamCreateWithFlags", raised)


_hipStreamCreateWithPriority = late(globals(), HIP.ops, "hipStreamCreateWithPriority")
_hipStreamCreateWithPriority_nulls = frozenset({"stream"})


def hipStreamCreateWithPriority(stream: int, flags: int, priority: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not stream:
            call = call.without(_hipStreamCreateWithPriority_nulls)
        code, out = _hipStreamCreateWithPriority(call, flags, priority)
        if code:
            return SUCCESS | code
        if stream:
            put_uint64(MEMORY, stream, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamCreateWithPriority", raised)


_hipStreamDestroy = late(globals(), HIP.ops, "hipStreamDestroy")


def hipStreamDestroy(stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamDestroy(call, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamDestroy", raised)


_hipStreamGetAttribute = late(globals(), HIP.ops, "hipStreamGetAttribute")
_hipStreamGetAttribute_nulls = frozenset({"value_out"})


def hipStreamGetAttribute(stream: int, attr: int, value_out: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not value_out:
            call = call.without(_hipStreamGetAttribute_nulls)
        code, out = _hipStreamGetAttribute(call, stream, attr)
        if code:
            return SUCCESS | code
        if value_out:
            put_int(value_out, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamGetAttribute", raised)


_hipStreamGetDevice = late(globals(), HIP.ops, "hipStreamGetDevice")
_hipStreamGetDevice_nulls = frozenset({"device"})


def hipStreamGetDevice(stream: int, device: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not device:
            call = call.without(_hipStreamGetDevice_nulls)
        code, out = _hipStreamGetDevice(call, stream)
        if code:
            return SUCCESS | code
        if device:
            put_int32(MEMORY, device, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamGetDevice", raised)


_hipStreamGetFlags = late(globals(), HIP.ops, "hipStreamGetFlags")
_hipStreamGetFlags_nulls = frozenset({"flags"})


def hipStreamGetFlags(stream: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not flags:
            call = call.without(_hipStreamGetFlags_nulls)
        code, out = _hipStreamGetFlags(call, stream)
        if code:
            return SUCCESS | code
        if flags:
            put_uint32(MEMORY, flags, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamGetFlags", raised)


_hipStreamGetFlags_spt = late(globals(), HIP.ops, "hipStreamGetFlags_spt")
_hipStreamGetFlags_spt_nulls = frozenset({"flags"})


def hipStreamGetFlags_spt(stream: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not flags:
            call = call.without(_hipStreamGetFlags_spt_nulls)
        code, out = _hipStreamGetFlags_spt(call, stream)
        if code:
            return SUCCESS | code
        if flags:
            put_uint32(MEMORY, flags, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamGetFlags_spt", raised)


_hipStreamGetId = late(globals(), HIP.ops, "hipStreamGetId")
_hipStreamGetId_nulls = frozenset({"streamId"})


def hipStreamGetId(stream: int, streamId: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not streamId:
            call = call.without(_hipStreamGetId_nulls)
        code, out = _hipStreamGetId(call, stream)
        if code:
            return SUCCESS | code
        if streamId:
            put_uint64(MEMORY, streamId, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamGetId", raised)


_hipStreamGetPriority = late(globals(), HIP.ops, "hipStreamGetPriority")
_hipStreamGetPriority_nulls = frozenset({"priority"})


def hipStreamGetPriority(stream: int, priority: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not priority:
            call = call.without(_hipStreamGetPriority_nulls)
        code, out = _hipStreamGetPriority(call, stream)
        if code:
            return SUCCESS | code
        if priority:
            put_int32(MEMORY, priority, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamGetPriority", raised)


_hipStreamGetPriority_spt = late(globals(), HIP.ops, "hipStreamGetPriority_spt")
_hipStreamGetPriority_spt_nulls = frozenset({"priority"})


def hipStreamGetPriority_spt(stream: int, priority: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not priority:
            call = call.without(_hipStreamGetPriority_spt_nulls)
        code, out = _hipStreamGetPriority_spt(call, stream)
        if code:
            return SUCCESS | code
        if priority:
            put_int32(MEMORY, priority, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamGetPriority_spt", raised)


_hipStreamIsCapturing = late(globals(), HIP.ops, "hipStreamIsCapturing")
_hipStreamIsCapturing_nulls = frozenset({"pCaptureStatus"})


def hipStreamIsCapturing(stream: int, pCaptureStatus: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pCaptureStatus:
            call = call.without(_hipStreamIsCapturing_nulls)
        code, out = _hipStreamIsCapturing(call, stream)
        if code:
            return SUCCESS | code
        if pCaptureStatus:
            put_int32(MEMORY, pCaptureStatus, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamIsCapturing", raised)


_hipStreamIsCapturing_spt = late(globals(), HIP.ops, "hipStreamIsCapturing_spt")
_hipStreamIsCapturing_spt_nulls = frozenset({"pCaptureStatus"})


def hipStreamIsCapturing_spt(stream: int, pCaptureStatus: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        if not pCaptureStatus:
            call = call.without(_hipStreamIsCapturing_spt_nulls)
        code, out = _hipStreamIsCapturing_spt(call, stream)
        if code:
            return SUCCESS | code
        if pCaptureStatus:
            put_int32(MEMORY, pCaptureStatus, out)
        return SUCCESS
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamIsCapturing_spt", raised)


_hipStreamQuery = late(globals(), HIP.ops, "hipStreamQuery")


def hipStreamQuery(stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamQuery(call, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamQuery", raised)


_hipStreamQuery_spt = late(globals(), HIP.ops, "hipStreamQuery_spt")


def hipStreamQuery_spt(stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamQuery_spt(call, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamQuery_spt", raised)


_hipStreamSetAttribute = late(globals(), HIP.ops, "hipStreamSetAttribute")


def hipStreamSetAttribute(stream: int, attr: int, value: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamSetAttribute(call, stream, attr, number_at(value))
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamSetAttribute", raised)


_hipStreamSynchronize = late(globals(), HIP.ops, "hipStreamSynchronize")


def hipStreamSynchronize(stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamSynchronize(call, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamSynchronize", raised)


_hipStreamSynchronize_spt = late(globals(), HIP.ops, "hipStreamSynchronize_spt")


def hipStreamSynchronize_spt(stream: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamSynchronize_spt(call, stream)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamSynchronize_spt", raised)


_hipStreamWaitEvent = late(globals(), HIP.ops, "hipStreamWaitEvent")


def hipStreamWaitEvent(stream: int, event: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamWaitEvent(call, stream, event, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamWaitEvent", raised)


_hipStreamWaitEvent_spt = late(globals(), HIP.ops, "hipStreamWaitEvent_spt")


def hipStreamWaitEvent_spt(stream: int, event: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamWaitEvent_spt(call, stream, event, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamWaitEvent_spt", raised)


_hipStreamWaitValue32 = late(globals(), HIP.ops, "hipStreamWaitValue32")


def hipStreamWaitValue32(stream: int, ptr: int, value: int, flags: int, mask: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamWaitValue32(call, stream, ptr, value, flags, mask)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamWaitValue32", raised)


_hipStreamWaitValue64 = late(globals(), HIP.ops, "hipStreamWaitValue64")


def hipStreamWaitValue64(stream: int, ptr: int, value: int, flags: int, mask: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamWaitValue64(call, stream, ptr, value, flags, mask)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamWaitValue64", raised)


_hipStreamWriteValue32 = late(globals(), HIP.ops, "hipStreamWriteValue32")


def hipStreamWriteValue32(stream: int, ptr: int, value: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamWriteValue32(call, stream, ptr, value, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamWriteValue32", raised)


_hipStreamWriteValue64 = late(globals(), HIP.ops, "hipStreamWriteValue64")


def hipStreamWriteValue64(stream: int, ptr: int, value: int, flags: int) -> int:
    try:
        thread = threads.get(own.number) or find()
        call = thread.native
        code, _ = _hipStreamWriteValue64(call, stream, ptr, value, flags)
        return SUCCESS | code
    except BaseException as raised:  # noqa: BLE001 - no exception can travel through C
        return failed("hipStreamWriteValue64", raised)


RETURNED = ('hipGetErrorName', 'hipGetErrorString')


ARGUMENTS: dict[str, tuple[str, ...]] = {
    "hipChooseDevice": ('P', 'P'),
    "hipCtxCreate": ('P', 'I', 'i'),
    "hipCtxDestroy": ('Q',),
    "hipCtxDisablePeerAccess": ('Q',),
    "hipCtxEnablePeerAccess": ('Q', 'I'),
    "hipCtxGetApiVersion": ('Q', 'P'),
    "hipCtxGetCacheConfig": ('P',),
    "hipCtxGetCurrent": ('P',),
    "hipCtxGetDevice": ('P',),
    "hipCtxGetFlags": ('P',),
    "hipCtxGetSharedMemConfig": ('P',),
    "hipCtxPopCurrent": ('P',),
    "hipCtxPushCurrent": ('Q',),
    "hipCtxSetCacheConfig": ('i',),
    "hipCtxSetCurrent": ('Q',),
    "hipCtxSetSharedMemConfig": ('i',),
    "hipCtxSynchronize": (),
    "hipDeviceCanAccessPeer": ('P', 'i', 'i'),
    "hipDeviceComputeCapability": ('P', 'P', 'i'),
    "hipDeviceDisablePeerAccess": ('i',),
    "hipDeviceEnablePeerAccess": ('i', 'I'),
    "hipDeviceGet": ('P', 'i'),
    "hipDeviceGetAttribute": ('P', 'i', 'i'),
    "hipDeviceGetByPCIBusId": ('P', 'P'),
    "hipDeviceGetCacheConfig": ('P',),
    "hipDeviceGetDefaultMemPool": ('P', 'i'),
    "hipDeviceGetLimit": ('P', 'i'),
    "hipDeviceGetMemPool": ('P', 'i'),
    "hipDeviceGetName": ('P', 'i', 'i'),
    "hipDeviceGetP2PAttribute": ('P', 'i', 'i', 'i'),
    "hipDeviceGetPCIBusId": ('P', 'i', 'i'),
    "hipDeviceGetSharedMemConfig": ('P',),
    "hipDeviceGetStreamPriorityRange": ('P', 'P'),
    "hipDeviceGetUuid": ('P', 'i'),
    "hipDevicePrimaryCtxGetState": ('i', 'P', 'P'),
    "hipDevicePrimaryCtxRelease": ('i',),
    "hipDevicePrimaryCtxReset": ('i',),
    "hipDevicePrimaryCtxRetain": ('P', 'i'),
    "hipDevicePrimaryCtxSetFlags": ('i', 'I'),
    "hipDeviceReset": (),
    "hipDeviceSetCacheConfig": ('i',),
    "hipDeviceSetLimit": ('i', 'Q'),
    "hipDeviceSetMemPool": ('i', 'Q'),
    "hipDeviceSetSharedMemConfig": ('i',),
    "hipDeviceSynchronize": (),
    "hipDeviceTotalMem": ('P', 'i'),
    "hipDriverGetVersion": ('P',),
    "hipDrvGetErrorName": ('i', 'P'),
    "hipDrvGetErrorString": ('i', 'P'),
    "hipDrvMemcpy2DUnaligned": ('P',),
    "hipDrvMemcpy3D": ('P',),
    "hipDrvMemcpy3DAsync": ('P', 'Q'),
    "hipDrvPointerGetAttributes": ('I', 'P', 'P', 'P'),
    "hipEventCreate": ('P',),
    "hipEventCreateWithFlags": ('P', 'I'),
    "hipEventDestroy": ('Q',),
    "hipEventElapsedTime": ('P', 'Q', 'Q'),
    "hipEventQuery": ('Q',),
    "hipEventRecord": ('Q', 'Q'),
    "hipEventRecordWithFlags": ('Q', 'Q', 'I'),
    "hipEventRecord_spt": ('Q', 'Q'),
    "hipEventSynchronize": ('Q',),
    "hipExtGetLastError": (),
    "hipExtGetLinkTypeAndHopCount": ('i', 'i', 'P', 'P'),
    "hipExtMallocWithFlags": ('P', 'Q', 'I'),
    "hipExtStreamCreateWithCUMask": ('P', 'I', 'P'),
    "hipExtStreamGetCUMask": ('Q', 'I', 'P'),
    "hipFree": ('P',),
    "hipFreeAsync": ('P', 'Q'),
    "hipFreeHost": ('P',),
    "hipGetDevice": ('P',),
    "hipGetDeviceCount": ('P',),
    "hipGetDeviceFlags": ('P',),
    "hipGetDeviceProperties": ('P', 'i'),
    "hipGetDriverEntryPoint": ('P', 'P', 'Q', 'P'),
    "hipGetDriverEntryPoint_spt": ('P', 'P', 'Q', 'P'),
    "hipGetErrorName": ('i',),
    "hipGetErrorString": ('i',),
    "hipGetLastError": (),
    "hipGetProcAddress": ('P', 'P', 'i', 'Q', 'P'),
    "hipGetProcAddress_spt": ('P', 'P', 'i', 'Q', 'P'),
    "hipHostAlloc": ('P', 'Q', 'I'),
    "hipHostFree": ('P',),
    "hipHostGetDevicePointer": ('P', 'P', 'I'),
    "hipHostGetFlags": ('P', 'P'),
    "hipHostMalloc": ('P', 'Q', 'I'),
    "hipHostRegister": ('P', 'Q', 'I'),
    "hipHostUnregister": ('P',),
    "hipInit": ('I',),
    "hipIpcCloseMemHandle": ('P',),
    "hipIpcGetEventHandle": ('P', 'Q'),
    "hipIpcGetMemHandle": ('P', 'P'),
    "hipIpcOpenEventHandle": ('P', 'S64'),
    "hipIpcOpenMemHandle": ('P', 'S64', 'I'),
    "hipLaunchHostFunc": ('Q', 'Q', 'P'),
    "hipLaunchHostFunc_spt": ('Q', 'Q', 'P'),
    "hipMalloc": ('P', 'Q'),
    "hipMalloc3D": ('P', 'S24'),
    "hipMallocAsync": ('P', 'Q', 'Q'),
    "hipMallocFromPoolAsync": ('P', 'Q', 'Q', 'Q'),
    "hipMallocHost": ('P', 'Q'),
    "hipMallocManaged": ('P', 'Q', 'I'),
    "hipMallocPitch": ('P', 'P', 'Q', 'Q'),
    "hipMemAddressFree": ('P', 'Q'),
    "hipMemAddressReserve": ('P', 'Q', 'Q', 'P', 'Q'),
    "hipMemAdvise": ('P', 'Q', 'i', 'i'),
    "hipMemAdvise_v2": ('P', 'Q', 'i', 'S8'),
    "hipMemAllocHost": ('P', 'Q'),
    "hipMemAllocPitch": ('P', 'P', 'Q', 'Q', 'I'),
    "hipMemCreate": ('P', 'Q', 'P', 'Q'),
    "hipMemExportToShareableHandle": ('P', 'Q', 'i', 'Q'),
    "hipMemGetAccess": ('P', 'P', 'P'),
    "hipMemGetAddressRange": ('P', 'P', 'P'),
    "hipMemGetAllocationGranularity": ('P', 'P', 'i'),
    "hipMemGetAllocationPropertiesFromHandle": ('P', 'Q'),
    "hipMemGetDefaultMemPool": ('P', 'P', 'i'),
    "hipMemGetHandleForAddressRange": ('P', 'P', 'Q', 'i', 'Q'),
    "hipMemGetInfo": ('P', 'P'),
    "hipMemGetMemPool": ('P', 'P', 'i'),
    "hipMemImportFromShareableHandle": ('P', 'P', 'i'),
    "hipMemMap": ('P', 'Q', 'Q', 'Q', 'Q'),
    "hipMemMapArrayAsync": ('P', 'I', 'Q'),
    "hipMemPoolCreate": ('P', 'P'),
    "hipMemPoolDestroy": ('Q',),
    "hipMemPoolExportPointer": ('P', 'P'),
    "hipMemPoolExportToShareableHandle": ('P', 'Q', 'i', 'I'),
    "hipMemPoolGetAccess": ('P', 'Q', 'P'),
    "hipMemPoolGetAttribute": ('Q', 'i', 'P'),
    "hipMemPoolImportFromShareableHandle": ('P', 'P', 'i', 'I'),
    "hipMemPoolImportPointer": ('P', 'Q', 'P'),
    "hipMemPoolSetAccess": ('Q', 'P', 'Q'),
    "hipMemPoolSetAttribute": ('Q', 'i', 'P'),
    "hipMemPoolTrimTo": ('Q', 'Q'),
    "hipMemPrefetchAsync": ('P', 'Q', 'i', 'Q'),
    "hipMemPrefetchAsync_v2": ('P', 'Q', 'S8', 'I', 'Q'),
    "hipMemPrefetchBatchAsync": ('P', 'P', 'Q', 'P', 'P', 'Q', 'Q', 'Q'),
    "hipMemPtrGetInfo": ('P', 'P'),
    "hipMemRangeGetAttribute": ('P', 'Q', 'i', 'P', 'Q'),
    "hipMemRangeGetAttributes": ('P', 'P', 'P', 'Q', 'P', 'Q'),
    "hipMemRelease": ('Q',),
    "hipMemRetainAllocationHandle": ('P', 'P'),
    "hipMemSetAccess": ('P', 'Q', 'P', 'Q'),
    "hipMemSetMemPool": ('P', 'i', 'Q'),
    "hipMemUnmap": ('P', 'Q'),
    "hipMemcpy": ('P', 'P', 'Q', 'i'),
    "hipMemcpy2D": ('P', 'Q', 'P', 'Q', 'Q', 'Q', 'i'),
    "hipMemcpy2DAsync": ('P', 'Q', 'P', 'Q', 'Q', 'Q', 'i', 'Q'),
    "hipMemcpy2DAsync_spt": ('P', 'Q', 'P', 'Q', 'Q', 'Q', 'i', 'Q'),
    "hipMemcpy2D_spt": ('P', 'Q', 'P', 'Q', 'Q', 'Q', 'i'),
    "hipMemcpy3D": ('P',),
    "hipMemcpy3DAsync": ('P', 'Q'),
    "hipMemcpy3DAsync_spt": ('P', 'Q'),
    "hipMemcpy3DBatchAsync": ('Q', 'P', 'P', 'Q', 'Q'),
    "hipMemcpy3DPeer": ('P',),
    "hipMemcpy3DPeerAsync": ('P', 'Q'),
    "hipMemcpy3D_spt": ('P',),
    "hipMemcpyAsync": ('P', 'P', 'Q', 'i', 'Q'),
    "hipMemcpyAsync_spt": ('P', 'P', 'Q', 'i', 'Q'),
    "hipMemcpyBatchAsync": ('P', 'P', 'P', 'Q', 'P', 'P', 'Q', 'P', 'Q'),
    "hipMemcpyDtoD": ('P', 'P', 'Q'),
    "hipMemcpyDtoDAsync": ('P', 'P', 'Q', 'Q'),
    "hipMemcpyDtoH": ('P', 'P', 'Q'),
    "hipMemcpyDtoHAsync": ('P', 'P', 'Q', 'Q'),
    "hipMemcpyHtoD": ('P', 'P', 'Q'),
    "hipMemcpyHtoDAsync": ('P', 'P', 'Q', 'Q'),
    "hipMemcpyParam2D": ('P',),
    "hipMemcpyParam2DAsync": ('P', 'Q'),
    "hipMemcpyPeer": ('P', 'i', 'P', 'i', 'Q'),
    "hipMemcpyPeerAsync": ('P', 'i', 'P', 'i', 'Q', 'Q'),
    "hipMemcpyWithStream": ('P', 'P', 'Q', 'i', 'Q'),
    "hipMemcpy_spt": ('P', 'P', 'Q', 'i'),
    "hipMemset": ('P', 'i', 'Q'),
    "hipMemset2D": ('P', 'Q', 'i', 'Q', 'Q'),
    "hipMemset2DAsync": ('P', 'Q', 'i', 'Q', 'Q', 'Q'),
    "hipMemset2DAsync_spt": ('P', 'Q', 'i', 'Q', 'Q', 'Q'),
    "hipMemset2D_spt": ('P', 'Q', 'i', 'Q', 'Q'),
    "hipMemset3D": ('S32', 'i', 'S24'),
    "hipMemset3DAsync": ('S32', 'i', 'S24', 'Q'),
    "hipMemset3DAsync_spt": ('S32', 'i', 'S24', 'Q'),
    "hipMemset3D_spt": ('S32', 'i', 'S24'),
    "hipMemsetAsync": ('P', 'i', 'Q', 'Q'),
    "hipMemsetAsync_spt": ('P', 'i', 'Q', 'Q'),
    "hipMemsetD16": ('P', 'H', 'Q'),
    "hipMemsetD16Async": ('P', 'H', 'Q', 'Q'),
    "hipMemsetD2D16": ('P', 'Q', 'H', 'Q', 'Q'),
    "hipMemsetD2D16Async": ('P', 'Q', 'H', 'Q', 'Q', 'Q'),
    "hipMemsetD2D32": ('P', 'Q', 'I', 'Q', 'Q'),
    "hipMemsetD2D32Async": ('P', 'Q', 'I', 'Q', 'Q', 'Q'),
    "hipMemsetD2D8": ('P', 'Q', 'B', 'Q', 'Q'),
    "hipMemsetD2D8Async": ('P', 'Q', 'B', 'Q', 'Q', 'Q'),
    "hipMemsetD32": ('P', 'i', 'Q'),
    "hipMemsetD32Async": ('P', 'i', 'Q', 'Q'),
    "hipMemsetD8": ('P', 'B', 'Q'),
    "hipMemsetD8Async": ('P', 'B', 'Q', 'Q'),
    "hipMemset_spt": ('P', 'i', 'Q'),
    "hipPeekAtLastError": (),
    "hipPointerGetAttribute": ('P', 'i', 'P'),
    "hipPointerGetAttributes": ('P', 'P'),
    "hipPointerSetAttribute": ('P', 'i', 'P'),
    "hipRuntimeGetVersion": ('P',),
    "hipSetDevice": ('i',),
    "hipSetDeviceFlags": ('I',),
    "hipSetValidDevices": ('P', 'i'),
    "hipStreamAddCallback": ('Q', 'Q', 'P', 'I'),
    "hipStreamAddCallback_spt": ('Q', 'Q', 'P', 'I'),
    "hipStreamAttachMemAsync": ('Q', 'P', 'Q', 'I'),
    "hipStreamBatchMemOp": ('Q', 'I', 'P', 'I'),
    "hipStreamCopyAttributes": ('Q', 'Q'),
    "hipStreamCreate": ('P',),
    "hipStreamCreateWithFlags": ('P', 'I'),
    "hipStreamCreateWithPriority": ('P', 'I', 'i'),
    "hipStreamDestroy": ('Q',),
    "hipStreamGetAttribute": ('Q', 'i', 'P'),
    "hipStreamGetDevice": ('Q', 'P'),
    "hipStreamGetFlags": ('Q', 'P'),
    "hipStreamGetFlags_spt": ('Q', 'P'),
    "hipStreamGetId": ('Q', 'P'),
    "hipStreamGetPriority": ('Q', 'P'),
    "hipStreamGetPriority_spt": ('Q', 'P'),
    "hipStreamIsCapturing": ('Q', 'P'),
    "hipStreamIsCapturing_spt": ('Q', 'P'),
    "hipStreamQuery": ('Q',),
    "hipStreamQuery_spt": ('Q',),
    "hipStreamSetAttribute": ('Q', 'i', 'P'),
    "hipStreamSynchronize": ('Q',),
    "hipStreamSynchronize_spt": ('Q',),
    "hipStreamWaitEvent": ('Q', 'Q', 'I'),
    "hipStreamWaitEvent_spt": ('Q', 'Q', 'I'),
    "hipStreamWaitValue32": ('Q', 'P', 'I', 'I', 'I'),
    "hipStreamWaitValue64": ('Q', 'P', 'Q', 'I', 'Q'),
    "hipStreamWriteValue32": ('Q', 'P', 'I', 'I'),
    "hipStreamWriteValue64": ('Q', 'P', 'Q', 'I'),
}
