"""The modelled calls of HIP's look-alike; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.rules.registry import HIP
from fakecuda.model.os import threads
from fakecuda.model.memory.space import MEMORY
from fakecuda.rules.dispatch import late
from fakecuda.reach.bindings import hip_coercion
from fakecuda.reach.bindings.hip_classes import hip_binding

if TYPE_CHECKING:
    from fakecuda.model.os.threads import Callers

_own = threads.own
_answers = hip_coercion.ANSWERS
_errors = hip_coercion.ERRORS
Pointer = hip_coercion.Pointer
SUCCESS = _errors[0]
_address = hip_coercion.address
_by_value = hip_coercion.by_value
_encoded = hip_coercion.encoded
_listed = hip_coercion.listed
_mem_ops = hip_coercion.mem_ops
_memory = hip_coercion.memory
_numbers = hip_coercion.numbers
_pointers = hip_coercion.pointers
_number_at = hip_coercion.number_at
_put_attribute = hip_coercion.put_attribute
_put_int = hip_coercion.put_int
_put_numbers = hip_coercion.put_numbers
_put_word = hip_coercion.put_word
_text = hip_coercion.text
_unset = hip_coercion.unset
_word = hip_coercion.word
HIP_MEMCPY3D = hip_binding.HIP_MEMCPY3D
hipCtx_t = hip_binding.ihipCtx_t
hipDeviceAttribute_t = hip_binding.hipDeviceAttribute_t
hipDeviceP2PAttr = hip_binding.hipDeviceP2PAttr
hipDeviceProp_t = hip_binding.hipDeviceProp_t
hipDriverEntryPointQueryResult = hip_binding.hipDriverEntryPointQueryResult
hipDriverProcAddressQueryResult = hip_binding.hipDriverProcAddressQueryResult
hipError_t = hip_binding.hipError_t
hipEvent_t = hip_binding.ihipEvent_t
hipExtent = hip_binding.hipExtent
hipFuncCache_t = hip_binding.hipFuncCache_t
hipHostFn_t = hip_binding.hipHostFn_t
hipIpcEventHandle_st = hip_binding.hipIpcEventHandle_st
hipIpcMemHandle_st = hip_binding.hipIpcMemHandle_st
hipLaunchAttributeID = hip_binding.hipLaunchAttributeID
hipLimit_t = hip_binding.hipLimit_t
hipMemAccessDesc = hip_binding.hipMemAccessDesc
hipMemAccessFlags = hip_binding.hipMemAccessFlags
hipMemAllocationGranularity_flags = hip_binding.hipMemAllocationGranularity_flags
hipMemAllocationHandleType = hip_binding.hipMemAllocationHandleType
hipMemAllocationProp = hip_binding.hipMemAllocationProp
hipMemAllocationType = hip_binding.hipMemAllocationType
hipMemGenericAllocationHandle_t = hip_binding.ihipMemGenericAllocationHandle
hipMemLocation = hip_binding.hipMemLocation
hipMemPoolAttr = hip_binding.hipMemPoolAttr
hipMemPoolProps = hip_binding.hipMemPoolProps
hipMemPoolPtrExportData = hip_binding.hipMemPoolPtrExportData
hipMemPool_t = hip_binding.ihipMemPoolHandle_t
hipMemRangeAttribute = hip_binding.hipMemRangeAttribute
hipMemRangeHandleType = hip_binding.hipMemRangeHandleType
hipMemcpy3DBatchOp = hip_binding.hipMemcpy3DBatchOp
hipMemcpy3DParms = hip_binding.hipMemcpy3DParms
hipMemcpy3DPeerParms = hip_binding.hipMemcpy3DPeerParms
hipMemcpyAttributes = hip_binding.hipMemcpyAttributes
hipMemcpyKind = hip_binding.hipMemcpyKind
hipMemoryAdvise = hip_binding.hipMemoryAdvise
hipPitchedPtr = hip_binding.hipPitchedPtr
hipPointerAttribute_t = hip_binding.hipPointerAttribute_t
hipPointer_attribute = hip_binding.hipPointer_attribute
hipSharedMemConfig = hip_binding.hipSharedMemConfig
hipStreamCallback_t = hip_binding.hipStreamCallback_t
hipStreamCaptureStatus = hip_binding.hipStreamCaptureStatus
hipStream_t = hip_binding.ihipStream_t
hipUUID_t = hip_binding.hipUUID_t
hip_Memcpy2D = hip_binding.hip_Memcpy2D
_unsigned_char = hip_coercion.INTEGERS["unsigned char"]
_unsigned_short = hip_coercion.INTEGERS["unsigned short"]
_unsigned_int = hip_coercion.INTEGERS["unsigned int"]
_size_t = hip_coercion.INTEGERS["size_t"]
_unsigned_long_long = hip_coercion.INTEGERS["unsigned long long"]
_uint32_t = hip_coercion.INTEGERS["uint32_t"]
_uint64_t = hip_coercion.INTEGERS["uint64_t"]
_signed = hip_coercion.INTEGERS["int"]
_hipDeviceAttribute_t = hip_coercion.enumerator("hipDeviceAttribute_t")
_hipDeviceP2PAttr = hip_coercion.enumerator("hipDeviceP2PAttr")
_hipError_t = hip_coercion.enumerator("hipError_t")
_hipFuncCache_t = hip_coercion.enumerator("hipFuncCache_t")
_hipLaunchAttributeID = hip_coercion.enumerator("hipLaunchAttributeID")
_hipLimit_t = hip_coercion.enumerator("hipLimit_t")
_hipMemAllocationGranularity_flags = hip_coercion.enumerator("hipMemAllocationGranularity_flags")
_hipMemAllocationHandleType = hip_coercion.enumerator("hipMemAllocationHandleType")
_hipMemAllocationType = hip_coercion.enumerator("hipMemAllocationType")
_hipMemPoolAttr = hip_coercion.enumerator("hipMemPoolAttr")
_hipMemRangeAttribute = hip_coercion.enumerator("hipMemRangeAttribute")
_hipMemRangeHandleType = hip_coercion.enumerator("hipMemRangeHandleType")
_hipMemcpyKind = hip_coercion.enumerator("hipMemcpyKind")
_hipMemoryAdvise = hip_coercion.enumerator("hipMemoryAdvise")
_hipPointer_attribute = hip_coercion.enumerator("hipPointer_attribute")
_hipSharedMemConfig = hip_coercion.enumerator("hipSharedMemConfig")
_hipCtx_t_handle = hip_coercion.handle(hipCtx_t)
_hipEvent_t_handle = hip_coercion.handle(hipEvent_t)
_hipHostFn_t_handle = hip_coercion.handle(hipHostFn_t)
_hipMemGenericAllocationHandle_t_handle = hip_coercion.handle(hipMemGenericAllocationHandle_t)
_hipMemPool_t_handle = hip_coercion.handle(hipMemPool_t)
_hipStreamCallback_t_handle = hip_coercion.handle(hipStreamCallback_t)
_hipStream_t_handle = hip_coercion.handle(hipStream_t)
_hipDriverEntryPointQueryResult_members = hip_coercion.members(hipDriverEntryPointQueryResult)
_hipDriverProcAddressQueryResult_members = hip_coercion.members(hipDriverProcAddressQueryResult)
_hipFuncCache_t_members = hip_coercion.members(hipFuncCache_t)
_hipMemAccessFlags_members = hip_coercion.members(hipMemAccessFlags)
_hipSharedMemConfig_members = hip_coercion.members(hipSharedMemConfig)
_hipStreamCaptureStatus_members = hip_coercion.members(hipStreamCaptureStatus)
_hipChooseDevice = late(globals(), HIP.ops, "hipChooseDevice")
_hipCtxCreate = late(globals(), HIP.ops, "hipCtxCreate")
_hipCtxDestroy = late(globals(), HIP.ops, "hipCtxDestroy")
_hipCtxDisablePeerAccess = late(globals(), HIP.ops, "hipCtxDisablePeerAccess")
_hipCtxEnablePeerAccess = late(globals(), HIP.ops, "hipCtxEnablePeerAccess")
_hipCtxGetApiVersion = late(globals(), HIP.ops, "hipCtxGetApiVersion")
_hipCtxGetCacheConfig = late(globals(), HIP.ops, "hipCtxGetCacheConfig")
_hipCtxGetCurrent = late(globals(), HIP.ops, "hipCtxGetCurrent")
_hipCtxGetDevice = late(globals(), HIP.ops, "hipCtxGetDevice")
_hipCtxGetFlags = late(globals(), HIP.ops, "hipCtxGetFlags")
_hipCtxGetSharedMemConfig = late(globals(), HIP.ops, "hipCtxGetSharedMemConfig")
_hipCtxPopCurrent = late(globals(), HIP.ops, "hipCtxPopCurrent")
_hipCtxPushCurrent = late(globals(), HIP.ops, "hipCtxPushCurrent")
_hipCtxSetCacheConfig = late(globals(), HIP.ops, "hipCtxSetCacheConfig")
_hipCtxSetCurrent = late(globals(), HIP.ops, "hipCtxSetCurrent")
_hipCtxSetSharedMemConfig = late(globals(), HIP.ops, "hipCtxSetSharedMemConfig")
_hipCtxSynchronize = late(globals(), HIP.ops, "hipCtxSynchronize")
_hipDeviceCanAccessPeer = late(globals(), HIP.ops, "hipDeviceCanAccessPeer")
_hipDeviceComputeCapability = late(globals(), HIP.ops, "hipDeviceComputeCapability")
_hipDeviceDisablePeerAccess = late(globals(), HIP.ops, "hipDeviceDisablePeerAccess")
_hipDeviceEnablePeerAccess = late(globals(), HIP.ops, "hipDeviceEnablePeerAccess")
_hipDeviceGet = late(globals(), HIP.ops, "hipDeviceGet")
_hipDeviceGetAttribute = late(globals(), HIP.ops, "hipDeviceGetAttribute")
_hipDeviceGetByPCIBusId = late(globals(), HIP.ops, "hipDeviceGetByPCIBusId")
_hipDeviceGetCacheConfig = late(globals(), HIP.ops, "hipDeviceGetCacheConfig")
_hipDeviceGetDefaultMemPool = late(globals(), HIP.ops, "hipDeviceGetDefaultMemPool")
_hipDeviceGetLimit = late(globals(), HIP.ops, "hipDeviceGetLimit")
_hipDeviceGetMemPool = late(globals(), HIP.ops, "hipDeviceGetMemPool")
_hipDeviceGetName = late(globals(), HIP.ops, "hipDeviceGetName")
_hipDeviceGetP2PAttribute = late(globals(), HIP.ops, "hipDeviceGetP2PAttribute")
_hipDeviceGetPCIBusId = late(globals(), HIP.ops, "hipDeviceGetPCIBusId")
_hipDeviceGetSharedMemConfig = late(globals(), HIP.ops, "hipDeviceGetSharedMemConfig")
_hipDeviceGetStreamPriorityRange = late(globals(), HIP.ops, "hipDeviceGetStreamPriorityRange")
_hipDeviceGetUuid = late(globals(), HIP.ops, "hipDeviceGetUuid")
_hipDevicePrimaryCtxGetState = late(globals(), HIP.ops, "hipDevicePrimaryCtxGetState")
_hipDevicePrimaryCtxRelease = late(globals(), HIP.ops, "hipDevicePrimaryCtxRelease")
_hipDevicePrimaryCtxReset = late(globals(), HIP.ops, "hipDevicePrimaryCtxReset")
_hipDevicePrimaryCtxRetain = late(globals(), HIP.ops, "hipDevicePrimaryCtxRetain")
_hipDevicePrimaryCtxSetFlags = late(globals(), HIP.ops, "hipDevicePrimaryCtxSetFlags")
_hipDeviceReset = late(globals(), HIP.ops, "hipDeviceReset")
_hipDeviceSetCacheConfig = late(globals(), HIP.ops, "hipDeviceSetCacheConfig")
_hipDeviceSetLimit = late(globals(), HIP.ops, "hipDeviceSetLimit")
_hipDeviceSetMemPool = late(globals(), HIP.ops, "hipDeviceSetMemPool")
_hipDeviceSetSharedMemConfig = late(globals(), HIP.ops, "hipDeviceSetSharedMemConfig")
_hipDeviceSynchronize = late(globals(), HIP.ops, "hipDeviceSynchronize")
_hipDeviceTotalMem = late(globals(), HIP.ops, "hipDeviceTotalMem")
_hipDriverGetVersion = late(globals(), HIP.ops, "hipDriverGetVersion")
_hipDrvGetErrorName = late(globals(), HIP.ops, "hipDrvGetErrorName")
_hipDrvGetErrorString = late(globals(), HIP.ops, "hipDrvGetErrorString")
_hipDrvMemcpy2DUnaligned = late(globals(), HIP.ops, "hipDrvMemcpy2DUnaligned")
_hipDrvMemcpy3D = late(globals(), HIP.ops, "hipDrvMemcpy3D")
_hipDrvMemcpy3DAsync = late(globals(), HIP.ops, "hipDrvMemcpy3DAsync")
_hipEventCreate = late(globals(), HIP.ops, "hipEventCreate")
_hipEventCreateWithFlags = late(globals(), HIP.ops, "hipEventCreateWithFlags")
_hipEventDestroy = late(globals(), HIP.ops, "hipEventDestroy")
_hipEventElapsedTime = late(globals(), HIP.ops, "hipEventElapsedTime")
_hipEventQuery = late(globals(), HIP.ops, "hipEventQuery")
_hipEventRecord = late(globals(), HIP.ops, "hipEventRecord")
_hipEventRecordWithFlags = late(globals(), HIP.ops, "hipEventRecordWithFlags")
_hipEventRecord_spt = late(globals(), HIP.ops, "hipEventRecord_spt")
_hipEventSynchronize = late(globals(), HIP.ops, "hipEventSynchronize")
_hipExtGetLastError = late(globals(), HIP.ops, "hipExtGetLastError")
_hipExtGetLinkTypeAndHopCount = late(globals(), HIP.ops, "hipExtGetLinkTypeAndHopCount")
_hipExtMallocWithFlags = late(globals(), HIP.ops, "hipExtMallocWithFlags")
_hipExtStreamCreateWithCUMask = late(globals(), HIP.ops, "hipExtStreamCreateWithCUMask")
_hipExtStreamGetCUMask = late(globals(), HIP.ops, "hipExtStreamGetCUMask")
_hipFree = late(globals(), HIP.ops, "hipFree")
_hipFreeAsync = late(globals(), HIP.ops, "hipFreeAsync")
_hipFreeHost = late(globals(), HIP.ops, "hipFreeHost")
_hipGetDevice = late(globals(), HIP.ops, "hipGetDevice")
_hipGetDeviceCount = late(globals(), HIP.ops, "hipGetDeviceCount")
_hipGetDeviceFlags = late(globals(), HIP.ops, "hipGetDeviceFlags")
_hipGetDeviceProperties = late(globals(), HIP.ops, "hipGetDeviceProperties")
_hipGetDriverEntryPoint = late(globals(), HIP.ops, "hipGetDriverEntryPoint")
_hipGetDriverEntryPoint_spt = late(globals(), HIP.ops, "hipGetDriverEntryPoint_spt")
_hipGetErrorName = late(globals(), HIP.ops, "hipGetErrorName")
_hipGetErrorString = late(globals(), HIP.ops, "hipGetErrorString")
_hipGetLastError = late(globals(), HIP.ops, "hipGetLastError")
_hipGetProcAddress = late(globals(), HIP.ops, "hipGetProcAddress")
_hipGetProcAddress_spt = late(globals(), HIP.ops, "hipGetProcAddress_spt")
_hipHostAlloc = late(globals(), HIP.ops, "hipHostAlloc")
_hipHostFree = late(globals(), HIP.ops, "hipHostFree")
_hipHostGetDevicePointer = late(globals(), HIP.ops, "hipHostGetDevicePointer")
_hipHostGetFlags = late(globals(), HIP.ops, "hipHostGetFlags")
_hipHostMalloc = late(globals(), HIP.ops, "hipHostMalloc")
_hipHostRegister = late(globals(), HIP.ops, "hipHostRegister")
_hipHostUnregister = late(globals(), HIP.ops, "hipHostUnregister")
_hipInit = late(globals(), HIP.ops, "hipInit")
_hipIpcCloseMemHandle = late(globals(), HIP.ops, "hipIpcCloseMemHandle")
_hipIpcGetEventHandle = late(globals(), HIP.ops, "hipIpcGetEventHandle")
_hipIpcGetMemHandle = late(globals(), HIP.ops, "hipIpcGetMemHandle")
_hipIpcOpenEventHandle = late(globals(), HIP.ops, "hipIpcOpenEventHandle")
_hipIpcOpenMemHandle = late(globals(), HIP.ops, "hipIpcOpenMemHandle")
_hipLaunchHostFunc = late(globals(), HIP.ops, "hipLaunchHostFunc")
_hipLaunchHostFunc_spt = late(globals(), HIP.ops, "hipLaunchHostFunc_spt")
_hipMalloc = late(globals(), HIP.ops, "hipMalloc")
_hipMalloc3D = late(globals(), HIP.ops, "hipMalloc3D")
_hipMallocAsync = late(globals(), HIP.ops, "hipMallocAsync")
_hipMallocFromPoolAsync = late(globals(), HIP.ops, "hipMallocFromPoolAsync")
_hipMallocHost = late(globals(), HIP.ops, "hipMallocHost")
_hipMallocManaged = late(globals(), HIP.ops, "hipMallocManaged")
_hipMallocPitch = late(globals(), HIP.ops, "hipMallocPitch")
_hipMemAddressFree = late(globals(), HIP.ops, "hipMemAddressFree")
_hipMemAddressReserve = late(globals(), HIP.ops, "hipMemAddressReserve")
_hipMemAdvise = late(globals(), HIP.ops, "hipMemAdvise")
_hipMemAdvise_v2 = late(globals(), HIP.ops, "hipMemAdvise_v2")
_hipMemAllocHost = late(globals(), HIP.ops, "hipMemAllocHost")
_hipMemAllocPitch = late(globals(), HIP.ops, "hipMemAllocPitch")
_hipMemCreate = late(globals(), HIP.ops, "hipMemCreate")
_hipMemExportToShareableHandle = late(globals(), HIP.ops, "hipMemExportToShareableHandle")
_hipMemGetAccess = late(globals(), HIP.ops, "hipMemGetAccess")
_hipMemGetAddressRange = late(globals(), HIP.ops, "hipMemGetAddressRange")
_hipMemGetAllocationGranularity = late(globals(), HIP.ops, "hipMemGetAllocationGranularity")
_hipMemGetAllocationPropertiesFromHandle = late(globals(), HIP.ops, "hipMemGetAllocationPropertiesFromHandle")
_hipMemGetDefaultMemPool = late(globals(), HIP.ops, "hipMemGetDefaultMemPool")
_hipMemGetHandleForAddressRange = late(globals(), HIP.ops, "hipMemGetHandleForAddressRange")
_hipMemGetInfo = late(globals(), HIP.ops, "hipMemGetInfo")
_hipMemGetMemPool = late(globals(), HIP.ops, "hipMemGetMemPool")
_hipMemImportFromShareableHandle = late(globals(), HIP.ops, "hipMemImportFromShareableHandle")
_hipMemMap = late(globals(), HIP.ops, "hipMemMap")
_hipMemMapArrayAsync = late(globals(), HIP.ops, "hipMemMapArrayAsync")
_hipMemPoolCreate = late(globals(), HIP.ops, "hipMemPoolCreate")
_hipMemPoolDestroy = late(globals(), HIP.ops, "hipMemPoolDestroy")
_hipMemPoolExportPointer = late(globals(), HIP.ops, "hipMemPoolExportPointer")
_hipMemPoolExportToShareableHandle = late(globals(), HIP.ops, "hipMemPoolExportToShareableHandle")
_hipMemPoolGetAccess = late(globals(), HIP.ops, "hipMemPoolGetAccess")
_hipMemPoolGetAttribute = late(globals(), HIP.ops, "hipMemPoolGetAttribute")
_hipMemPoolImportFromShareableHandle = late(globals(), HIP.ops, "hipMemPoolImportFromShareableHandle")
_hipMemPoolImportPointer = late(globals(), HIP.ops, "hipMemPoolImportPointer")
_hipMemPoolSetAccess = late(globals(), HIP.ops, "hipMemPoolSetAccess")
_hipMemPoolSetAttribute = late(globals(), HIP.ops, "hipMemPoolSetAttribute")
_hipMemPoolTrimTo = late(globals(), HIP.ops, "hipMemPoolTrimTo")
_hipMemPrefetchAsync = late(globals(), HIP.ops, "hipMemPrefetchAsync")
_hipMemPrefetchAsync_v2 = late(globals(), HIP.ops, "hipMemPrefetchAsync_v2")
_hipMemPrefetchBatchAsync = late(globals(), HIP.ops, "hipMemPrefetchBatchAsync")
_hipMemPtrGetInfo = late(globals(), HIP.ops, "hipMemPtrGetInfo")
_hipMemRangeGetAttribute = late(globals(), HIP.ops, "hipMemRangeGetAttribute")
_hipMemRangeGetAttributes = late(globals(), HIP.ops, "hipMemRangeGetAttributes")
_hipMemRelease = late(globals(), HIP.ops, "hipMemRelease")
_hipMemRetainAllocationHandle = late(globals(), HIP.ops, "hipMemRetainAllocationHandle")
_hipMemSetAccess = late(globals(), HIP.ops, "hipMemSetAccess")
_hipMemSetMemPool = late(globals(), HIP.ops, "hipMemSetMemPool")
_hipMemUnmap = late(globals(), HIP.ops, "hipMemUnmap")
_hipMemcpy = late(globals(), HIP.ops, "hipMemcpy")
_hipMemcpy2D = late(globals(), HIP.ops, "hipMemcpy2D")
_hipMemcpy2DAsync = late(globals(), HIP.ops, "hipMemcpy2DAsync")
_hipMemcpy2DAsync_spt = late(globals(), HIP.ops, "hipMemcpy2DAsync_spt")
_hipMemcpy2D_spt = late(globals(), HIP.ops, "hipMemcpy2D_spt")
_hipMemcpy3D = late(globals(), HIP.ops, "hipMemcpy3D")
_hipMemcpy3DAsync = late(globals(), HIP.ops, "hipMemcpy3DAsync")
_hipMemcpy3DAsync_spt = late(globals(), HIP.ops, "hipMemcpy3DAsync_spt")
_hipMemcpy3DBatchAsync = late(globals(), HIP.ops, "hipMemcpy3DBatchAsync")
_hipMemcpy3DPeer = late(globals(), HIP.ops, "hipMemcpy3DPeer")
_hipMemcpy3DPeerAsync = late(globals(), HIP.ops, "hipMemcpy3DPeerAsync")
_hipMemcpy3D_spt = late(globals(), HIP.ops, "hipMemcpy3D_spt")
_hipMemcpyAsync = late(globals(), HIP.ops, "hipMemcpyAsync")
_hipMemcpyAsync_spt = late(globals(), HIP.ops, "hipMemcpyAsync_spt")
_hipMemcpyBatchAsync = late(globals(), HIP.ops, "hipMemcpyBatchAsync")
_hipMemcpyDtoD = late(globals(), HIP.ops, "hipMemcpyDtoD")
_hipMemcpyDtoDAsync = late(globals(), HIP.ops, "hipMemcpyDtoDAsync")
_hipMemcpyDtoH = late(globals(), HIP.ops, "hipMemcpyDtoH")
_hipMemcpyDtoHAsync = late(globals(), HIP.ops, "hipMemcpyDtoHAsync")
_hipMemcpyHtoD = late(globals(), HIP.ops, "hipMemcpyHtoD")
_hipMemcpyHtoDAsync = late(globals(), HIP.ops, "hipMemcpyHtoDAsync")
_hipMemcpyParam2D = late(globals(), HIP.ops, "hipMemcpyParam2D")
_hipMemcpyParam2DAsync = late(globals(), HIP.ops, "hipMemcpyParam2DAsync")
_hipMemcpyPeer = late(globals(), HIP.ops, "hipMemcpyPeer")
_hipMemcpyPeerAsync = late(globals(), HIP.ops, "hipMemcpyPeerAsync")
_hipMemcpyWithStream = late(globals(), HIP.ops, "hipMemcpyWithStream")
_hipMemcpy_spt = late(globals(), HIP.ops, "hipMemcpy_spt")
_hipMemset = late(globals(), HIP.ops, "hipMemset")
_hipMemset2D = late(globals(), HIP.ops, "hipMemset2D")
_hipMemset2DAsync = late(globals(), HIP.ops, "hipMemset2DAsync")
_hipMemset2DAsync_spt = late(globals(), HIP.ops, "hipMemset2DAsync_spt")
_hipMemset2D_spt = late(globals(), HIP.ops, "hipMemset2D_spt")
_hipMemset3D = late(globals(), HIP.ops, "hipMemset3D")
_hipMemset3DAsync = late(globals(), HIP.ops, "hipMemset3DAsync")
_hipMemset3DAsync_spt = late(globals(), HIP.ops, "hipMemset3DAsync_spt")
_hipMemset3D_spt = late(globals(), HIP.ops, "hipMemset3D_spt")
_hipMemsetAsync = late(globals(), HIP.ops, "hipMemsetAsync")
_hipMemsetAsync_spt = late(globals(), HIP.ops, "hipMemsetAsync_spt")
_hipMemsetD16 = late(globals(), HIP.ops, "hipMemsetD16")
_hipMemsetD16Async = late(globals(), HIP.ops, "hipMemsetD16Async")
_hipMemsetD2D16 = late(globals(), HIP.ops, "hipMemsetD2D16")
_hipMemsetD2D16Async = late(globals(), HIP.ops, "hipMemsetD2D16Async")
_hipMemsetD2D32 = late(globals(), HIP.ops, "hipMemsetD2D32")
_hipMemsetD2D32Async = late(globals(), HIP.ops, "hipMemsetD2D32Async")
_hipMemsetD2D8 = late(globals(), HIP.ops, "hipMemsetD2D8")
_hipMemsetD2D8Async = late(globals(), HIP.ops, "hipMemsetD2D8Async")
_hipMemsetD32 = late(globals(), HIP.ops, "hipMemsetD32")
_hipMemsetD32Async = late(globals(), HIP.ops, "hipMemsetD32Async")
_hipMemsetD8 = late(globals(), HIP.ops, "hipMemsetD8")
_hipMemsetD8Async = late(globals(), HIP.ops, "hipMemsetD8Async")
_hipMemset_spt = late(globals(), HIP.ops, "hipMemset_spt")
_hipPeekAtLastError = late(globals(), HIP.ops, "hipPeekAtLastError")
_hipPointerGetAttribute = late(globals(), HIP.ops, "hipPointerGetAttribute")
_hipPointerGetAttributes = late(globals(), HIP.ops, "hipPointerGetAttributes")
_hipPointerSetAttribute = late(globals(), HIP.ops, "hipPointerSetAttribute")
_hipRuntimeGetVersion = late(globals(), HIP.ops, "hipRuntimeGetVersion")
_hipSetDevice = late(globals(), HIP.ops, "hipSetDevice")
_hipSetDeviceFlags = late(globals(), HIP.ops, "hipSetDeviceFlags")
_hipStreamAddCallback = late(globals(), HIP.ops, "hipStreamAddCallback")
_hipStreamAddCallback_spt = late(globals(), HIP.ops, "hipStreamAddCallback_spt")
_hipStreamAttachMemAsync = late(globals(), HIP.ops, "hipStreamAttachMemAsync")
_hipStreamBatchMemOp = late(globals(), HIP.ops, "hipStreamBatchMemOp")
_hipStreamCopyAttributes = late(globals(), HIP.ops, "hipStreamCopyAttributes")
_hipStreamCreate = late(globals(), HIP.ops, "hipStreamCreate")
_hipStreamCreateWithFlags = late(globals(), HIP.ops, "hipStreamCreateWithFlags")
_hipStreamCreateWithPriority = late(globals(), HIP.ops, "hipStreamCreateWithPriority")
_hipStreamDestroy = late(globals(), HIP.ops, "hipStreamDestroy")
_hipStreamGetAttribute = late(globals(), HIP.ops, "hipStreamGetAttribute")
_hipStreamGetDevice = late(globals(), HIP.ops, "hipStreamGetDevice")
_hipStreamGetFlags = late(globals(), HIP.ops, "hipStreamGetFlags")
_hipStreamGetFlags_spt = late(globals(), HIP.ops, "hipStreamGetFlags_spt")
_hipStreamGetId = late(globals(), HIP.ops, "hipStreamGetId")
_hipStreamGetPriority = late(globals(), HIP.ops, "hipStreamGetPriority")
_hipStreamGetPriority_spt = late(globals(), HIP.ops, "hipStreamGetPriority_spt")
_hipStreamIsCapturing = late(globals(), HIP.ops, "hipStreamIsCapturing")
_hipStreamIsCapturing_spt = late(globals(), HIP.ops, "hipStreamIsCapturing_spt")
_hipStreamQuery = late(globals(), HIP.ops, "hipStreamQuery")
_hipStreamQuery_spt = late(globals(), HIP.ops, "hipStreamQuery_spt")
_hipStreamSetAttribute = late(globals(), HIP.ops, "hipStreamSetAttribute")
_hipStreamSynchronize = late(globals(), HIP.ops, "hipStreamSynchronize")
_hipStreamSynchronize_spt = late(globals(), HIP.ops, "hipStreamSynchronize_spt")
_hipStreamWaitEvent = late(globals(), HIP.ops, "hipStreamWaitEvent")
_hipStreamWaitEvent_spt = late(globals(), HIP.ops, "hipStreamWaitEvent_spt")
_hipStreamWaitValue32 = late(globals(), HIP.ops, "hipStreamWaitValue32")
_hipStreamWaitValue64 = late(globals(), HIP.ops, "hipStreamWaitValue64")
_hipStreamWriteValue32 = late(globals(), HIP.ops, "hipStreamWriteValue32")
_hipStreamWriteValue64 = late(globals(), HIP.ops, "hipStreamWriteValue64")
_HIP_MEMCPY3D_layout = Struct("@QQQQiQQQQQQQQQiQQQQQQQQ")


def _HIP_MEMCPY3D_read(where: int) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22 = _HIP_MEMCPY3D_layout.unpack_from(MEMORY, where)
    return (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22)


_HIP_MEMCPY3D_plain = hip_coercion.struct(HIP_MEMCPY3D, _HIP_MEMCPY3D_read)
_hipDeviceProp_t_layout = Struct("@256s16s8sIQQiiQiiiiiiiiQiiQQiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiQiiiiiiiiiiiiiiiiQiiiiiiiiiiiiQiiiiQiiiiiiIiIiiii252x128x256sQiIQQiiiiii")


def _hipDeviceProp_t_read(where: int) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63, m64, m65, m66, m67, m68, m69, m70, m71, m72, m73, m74, m75, m76, m77, m78, m79, m80, m81, m82, m83, m84, m85, m86, m87, m88, m89, m90, m91, m92, m93, m94, m95, m96, m97, m98, m99, m100, m101, m102, m103, m104, m105, m106, m107, m108, m109, m110, m111, m112, m113, m114, m115, m116, m117, m118, m119, m120, m121, m122, m123, m124, m125, m126, m127, m128 = _hipDeviceProp_t_layout.unpack_from(MEMORY, where)
    return (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, (m10, m11, m12), (m13, m14, m15), m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, (m31, m32), (m33, m34), (m35, m36, m37), (m38, m39), (m40, m41, m42), (m43, m44, m45), m46, (m47, m48), (m49, m50, m51), (m52, m53), m54, (m55, m56), (m57, m58, m59), (m60, m61), (m62, m63, m64), m65, (m66, m67), m68, m69, m70, m71, m72, m73, m74, m75, m76, m77, m78, m79, m80, m81, m82, m83, m84, m85, m86, m87, m88, m89, m90, m91, m92, m93, m94, m95, m96, m97, m98, m99, m100, m101, m102, m103, m104, m105, m106, m107, m108, m109, m110, m111, m112, m113, m114, m115, m116, m117, m118, m119, (m120,), m121, m122, m123, m124, m125, m126, m127, m128)


_hipDeviceProp_t_plain = hip_coercion.struct(hipDeviceProp_t, _hipDeviceProp_t_read)


def _hipDeviceProp_t_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, (m10, m11, m12), (m13, m14, m15), m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, (m31, m32), (m33, m34), (m35, m36, m37), (m38, m39), (m40, m41, m42), (m43, m44, m45), m46, (m47, m48), (m49, m50, m51), (m52, m53), m54, (m55, m56), (m57, m58, m59), (m60, m61), (m62, m63, m64), m65, (m66, m67), m68, m69, m70, m71, m72, m73, m74, m75, m76, m77, m78, m79, m80, m81, m82, m83, m84, m85, m86, m87, m88, m89, m90, m91, m92, m93, m94, m95, m96, m97, m98, m99, m100, m101, m102, m103, m104, m105, m106, m107, m108, m109, m110, m111, m112, m113, m114, m115, m116, m117, m118, m119, (m120,), m121, m122, m123, m124, m125, m126, m127, m128) = plain
    item = hipDeviceProp_t()
    _hipDeviceProp_t_layout.pack_into(MEMORY, int(item), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63, m64, m65, m66, m67, m68, m69, m70, m71, m72, m73, m74, m75, m76, m77, m78, m79, m80, m81, m82, m83, m84, m85, m86, m87, m88, m89, m90, m91, m92, m93, m94, m95, m96, m97, m98, m99, m100, m101, m102, m103, m104, m105, m106, m107, m108, m109, m110, m111, m112, m113, m114, m115, m116, m117, m118, m119, m120, m121, m122, m123, m124, m125, m126, m127, m128)
    return item


_hipExtent_layout = Struct("@QQQ")


def _hipExtent_read(where: int) -> Any:
    m0, m1, m2 = _hipExtent_layout.unpack_from(MEMORY, where)
    return (m0, m1, m2)


_hipExtent_plain = hip_coercion.struct(hipExtent, _hipExtent_read)
_hipIpcEventHandle_st_layout = Struct("@64s")


def _hipIpcEventHandle_st_read(where: int) -> Any:
    m0, = _hipIpcEventHandle_st_layout.unpack_from(MEMORY, where)
    return m0


_hipIpcEventHandle_st_plain = hip_coercion.struct(hipIpcEventHandle_st, _hipIpcEventHandle_st_read)


def _hipIpcEventHandle_st_made(plain: Any) -> Any:
    m0 = plain
    item = hipIpcEventHandle_st()
    _hipIpcEventHandle_st_layout.pack_into(MEMORY, int(item), m0)
    return item


_hipIpcMemHandle_st_layout = Struct("@64s")


def _hipIpcMemHandle_st_read(where: int) -> Any:
    m0, = _hipIpcMemHandle_st_layout.unpack_from(MEMORY, where)
    return m0


_hipIpcMemHandle_st_plain = hip_coercion.struct(hipIpcMemHandle_st, _hipIpcMemHandle_st_read)


def _hipIpcMemHandle_st_made(plain: Any) -> Any:
    m0 = plain
    item = hipIpcMemHandle_st()
    _hipIpcMemHandle_st_layout.pack_into(MEMORY, int(item), m0)
    return item


_hipMemAccessDesc_layout = Struct("@iii")


def _hipMemAccessDesc_read(where: int) -> Any:
    m0, m1, m2 = _hipMemAccessDesc_layout.unpack_from(MEMORY, where)
    return ((m0, m1), m2)


_hipMemAccessDesc_plain = hip_coercion.struct(hipMemAccessDesc, _hipMemAccessDesc_read)
_hipMemAccessDesc_array = hip_coercion.array(hipMemAccessDesc, _hipMemAccessDesc_read, 16)
_hipMemAllocationProp_layout = Struct("@iiiiQBBH")


def _hipMemAllocationProp_read(where: int) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7 = _hipMemAllocationProp_layout.unpack_from(MEMORY, where)
    return (m0, m1, (m2, m3), m4, (m5, m6, m7))


_hipMemAllocationProp_plain = hip_coercion.struct(hipMemAllocationProp, _hipMemAllocationProp_read)


def _hipMemAllocationProp_made(plain: Any) -> Any:
    (m0, m1, (m2, m3), m4, (m5, m6, m7)) = plain
    item = hipMemAllocationProp()
    _hipMemAllocationProp_layout.pack_into(MEMORY, int(item), m0, m1, m2, m3, m4, m5, m6, m7)
    return item


_hipMemLocation_layout = Struct("@ii")


def _hipMemLocation_read(where: int) -> Any:
    m0, m1 = _hipMemLocation_layout.unpack_from(MEMORY, where)
    return (m0, m1)


_hipMemLocation_plain = hip_coercion.struct(hipMemLocation, _hipMemLocation_read)
_hipMemLocation_array = hip_coercion.array(hipMemLocation, _hipMemLocation_read, 8)
_hipMemPoolProps_layout = Struct("@iiiiQQ")


def _hipMemPoolProps_read(where: int) -> Any:
    m0, m1, m2, m3, m4, m5 = _hipMemPoolProps_layout.unpack_from(MEMORY, where)
    return (m0, m1, (m2, m3), m4, m5)


_hipMemPoolProps_plain = hip_coercion.struct(hipMemPoolProps, _hipMemPoolProps_read)
_hipMemPoolPtrExportData_layout = Struct("@64s")


def _hipMemPoolPtrExportData_read(where: int) -> Any:
    m0, = _hipMemPoolPtrExportData_layout.unpack_from(MEMORY, where)
    return m0


_hipMemPoolPtrExportData_plain = hip_coercion.struct(hipMemPoolPtrExportData, _hipMemPoolPtrExportData_read)


def _hipMemPoolPtrExportData_made(plain: Any) -> Any:
    m0 = plain
    item = hipMemPoolPtrExportData()
    _hipMemPoolPtrExportData_layout.pack_into(MEMORY, int(item), m0)
    return item


_hipMemcpy3DBatchOp_layout = Struct("@iQQQiiiQQQiiQQQiI")


def _hipMemcpy3DBatchOp_read(where: int) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16 = _hipMemcpy3DBatchOp_layout.unpack_from(MEMORY, where)
    return ((m0, ((m1, m2, m3, (m4, m5)),)), (m6, ((m7, m8, m9, (m10, m11)),)), (m12, m13, m14), m15, m16)


_hipMemcpy3DBatchOp_plain = hip_coercion.struct(hipMemcpy3DBatchOp, _hipMemcpy3DBatchOp_read)
_hipMemcpy3DBatchOp_array = hip_coercion.array(hipMemcpy3DBatchOp, _hipMemcpy3DBatchOp_read, 112)
_hipMemcpy3DParms_layout = Struct("@QQQQQQQQQQQQQQQQQQQi")


def _hipMemcpy3DParms_read(where: int) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19 = _hipMemcpy3DParms_layout.unpack_from(MEMORY, where)
    return (m0, (m1, m2, m3), (m4, m5, m6, m7), m8, (m9, m10, m11), (m12, m13, m14, m15), (m16, m17, m18), m19)


_hipMemcpy3DParms_plain = hip_coercion.struct(hipMemcpy3DParms, _hipMemcpy3DParms_read)
_hipMemcpy3DPeerParms_layout = Struct("@QQQQQQQQiQQQQQQQQiQQQ")


def _hipMemcpy3DPeerParms_read(where: int) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20 = _hipMemcpy3DPeerParms_layout.unpack_from(MEMORY, where)
    return (m0, (m1, m2, m3), (m4, m5, m6, m7), m8, m9, (m10, m11, m12), (m13, m14, m15, m16), m17, (m18, m19, m20))


_hipMemcpy3DPeerParms_plain = hip_coercion.struct(hipMemcpy3DPeerParms, _hipMemcpy3DPeerParms_read)
_hipMemcpyAttributes_layout = Struct("@iiiiiI")


def _hipMemcpyAttributes_read(where: int) -> Any:
    m0, m1, m2, m3, m4, m5 = _hipMemcpyAttributes_layout.unpack_from(MEMORY, where)
    return (m0, (m1, m2), (m3, m4), m5)


_hipMemcpyAttributes_plain = hip_coercion.struct(hipMemcpyAttributes, _hipMemcpyAttributes_read)
_hipMemcpyAttributes_array = hip_coercion.array(hipMemcpyAttributes, _hipMemcpyAttributes_read, 24)
_hipPitchedPtr_layout = Struct("@QQQQ")


def _hipPitchedPtr_read(where: int) -> Any:
    m0, m1, m2, m3 = _hipPitchedPtr_layout.unpack_from(MEMORY, where)
    return (m0, m1, m2, m3)


_hipPitchedPtr_plain = hip_coercion.struct(hipPitchedPtr, _hipPitchedPtr_read)


def _hipPitchedPtr_made(plain: Any) -> Any:
    (m0, m1, m2, m3) = plain
    item = hipPitchedPtr()
    _hipPitchedPtr_layout.pack_into(MEMORY, int(item), m0, m1, m2, m3)
    return item


_hipPointerAttribute_t_layout = Struct("@iiQQiI")


def _hipPointerAttribute_t_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4, m5) = plain
    item = hipPointerAttribute_t()
    _hipPointerAttribute_t_layout.pack_into(MEMORY, int(item), m0, m1, m2, m3, m4, m5)
    return item


_hipUUID_t_layout = Struct("@16s")


def _hipUUID_t_made(plain: Any) -> Any:
    m0 = plain
    item = hipUUID_t()
    _hipUUID_t_layout.pack_into(MEMORY, int(item), m0)
    return item


_hip_Memcpy2D_layout = Struct("@QQiQQQQQQiQQQQQQ")


def _hip_Memcpy2D_read(where: int) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15 = _hip_Memcpy2D_layout.unpack_from(MEMORY, where)
    return (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15)


_hip_Memcpy2D_plain = hip_coercion.struct(hip_Memcpy2D, _hip_Memcpy2D_read)

class Calls:
    """The modelled calls of ``rocm.bindings.hip``.

    Args:
        callers: The simulated threads of the calling OS threads.
    """

    __slots__ = ("_callers",)

    def __init__(self, callers: Callers) -> None:
        self._callers = callers

    def hipChooseDevice(self, prop: Any) -> tuple[Any, ...]:
        prop = _hipDeviceProp_t_plain(prop)
        code, out = _hipChooseDevice(self._callers[_own.number].call, prop)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipCtxCreate(self, flags: Any, device: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, out = _hipCtxCreate(self._callers[_own.number].call, flags, device)
        if code:
            return _errors[code], None
        return SUCCESS, hipCtx_t(out) if out else None

    def hipCtxDestroy(self, ctx: Any) -> tuple[Any, ...]:
        ctx = ctx if type(ctx) is int and not ctx >> 64 else int(ctx) if type(ctx) is hipCtx_t else _hipCtx_t_handle(ctx)
        code, _ = _hipCtxDestroy(self._callers[_own.number].call, ctx)
        return _answers[code]

    def hipCtxDisablePeerAccess(self, peerCtx: Any) -> tuple[Any, ...]:
        peerCtx = peerCtx if type(peerCtx) is int and not peerCtx >> 64 else int(peerCtx) if type(peerCtx) is hipCtx_t else _hipCtx_t_handle(peerCtx)
        code, _ = _hipCtxDisablePeerAccess(self._callers[_own.number].call, peerCtx)
        return _answers[code]

    def hipCtxEnablePeerAccess(self, peerCtx: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        peerCtx = peerCtx if type(peerCtx) is int and not peerCtx >> 64 else int(peerCtx) if type(peerCtx) is hipCtx_t else _hipCtx_t_handle(peerCtx)
        code, _ = _hipCtxEnablePeerAccess(self._callers[_own.number].call, peerCtx, flags)
        return _answers[code]

    def hipCtxGetApiVersion(self, ctx: Any) -> tuple[Any, ...]:
        ctx = ctx if type(ctx) is int and not ctx >> 64 else int(ctx) if type(ctx) is hipCtx_t else _hipCtx_t_handle(ctx)
        code, out = _hipCtxGetApiVersion(self._callers[_own.number].call, ctx)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipCtxGetCacheConfig(self) -> tuple[Any, ...]:
        code, out = _hipCtxGetCacheConfig(self._callers[_own.number].call)
        if code:
            return _errors[code], 0
        return SUCCESS, _hipFuncCache_t_members[out]

    def hipCtxGetCurrent(self) -> tuple[Any, ...]:
        code, out = _hipCtxGetCurrent(self._callers[_own.number].call)
        if code:
            return _errors[code], None
        return SUCCESS, hipCtx_t(out) if out else None

    def hipCtxGetDevice(self) -> tuple[Any, ...]:
        code, out = _hipCtxGetDevice(self._callers[_own.number].call)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipCtxGetFlags(self) -> tuple[Any, ...]:
        code, out = _hipCtxGetFlags(self._callers[_own.number].call)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipCtxGetSharedMemConfig(self) -> tuple[Any, ...]:
        code, out = _hipCtxGetSharedMemConfig(self._callers[_own.number].call)
        if code:
            return _errors[code], 0
        return SUCCESS, _hipSharedMemConfig_members[out]

    def hipCtxPopCurrent(self) -> tuple[Any, ...]:
        code, out = _hipCtxPopCurrent(self._callers[_own.number].call)
        if code:
            return _errors[code], None
        return SUCCESS, hipCtx_t(out) if out else None

    def hipCtxPushCurrent(self, ctx: Any) -> tuple[Any, ...]:
        ctx = ctx if type(ctx) is int and not ctx >> 64 else int(ctx) if type(ctx) is hipCtx_t else _hipCtx_t_handle(ctx)
        code, _ = _hipCtxPushCurrent(self._callers[_own.number].call, ctx)
        return _answers[code]

    def hipCtxSetCacheConfig(self, cacheConfig: Any) -> tuple[Any, ...]:
        cacheConfig = +cacheConfig if type(cacheConfig) is hipFuncCache_t else _hipFuncCache_t(cacheConfig, "cacheConfig")
        code, _ = _hipCtxSetCacheConfig(self._callers[_own.number].call, cacheConfig)
        return _answers[code]

    def hipCtxSetCurrent(self, ctx: Any) -> tuple[Any, ...]:
        ctx = ctx if type(ctx) is int and not ctx >> 64 else int(ctx) if type(ctx) is hipCtx_t else _hipCtx_t_handle(ctx)
        code, _ = _hipCtxSetCurrent(self._callers[_own.number].call, ctx)
        return _answers[code]

    def hipCtxSetSharedMemConfig(self, config: Any) -> tuple[Any, ...]:
        config = +config if type(config) is hipSharedMemConfig else _hipSharedMemConfig(config, "config")
        code, _ = _hipCtxSetSharedMemConfig(self._callers[_own.number].call, config)
        return _answers[code]

    def hipCtxSynchronize(self) -> tuple[Any, ...]:
        code, _ = _hipCtxSynchronize(self._callers[_own.number].call)
        return _answers[code]

    def hipDeviceCanAccessPeer(self, deviceId: Any, peerDeviceId: Any) -> tuple[Any, ...]:
        if type(deviceId) is not int or (deviceId + 0x80000000) >> 32:
            deviceId = _signed(deviceId)
        if type(peerDeviceId) is not int or (peerDeviceId + 0x80000000) >> 32:
            peerDeviceId = _signed(peerDeviceId)
        code, out = _hipDeviceCanAccessPeer(self._callers[_own.number].call, deviceId, peerDeviceId)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipDeviceComputeCapability(self, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, out = _hipDeviceComputeCapability(self._callers[_own.number].call, device)
        if code:
            return _errors[code], 0, 0
        major, minor = out
        return SUCCESS, major, minor

    def hipDeviceDisablePeerAccess(self, peerDeviceId: Any) -> tuple[Any, ...]:
        if type(peerDeviceId) is not int or (peerDeviceId + 0x80000000) >> 32:
            peerDeviceId = _signed(peerDeviceId)
        code, _ = _hipDeviceDisablePeerAccess(self._callers[_own.number].call, peerDeviceId)
        return _answers[code]

    def hipDeviceEnablePeerAccess(self, peerDeviceId: Any, flags: Any) -> tuple[Any, ...]:
        if type(peerDeviceId) is not int or (peerDeviceId + 0x80000000) >> 32:
            peerDeviceId = _signed(peerDeviceId)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, _ = _hipDeviceEnablePeerAccess(self._callers[_own.number].call, peerDeviceId, flags)
        return _answers[code]

    def hipDeviceGet(self, ordinal: Any) -> tuple[Any, ...]:
        if type(ordinal) is not int or (ordinal + 0x80000000) >> 32:
            ordinal = _signed(ordinal)
        code, out = _hipDeviceGet(self._callers[_own.number].call, ordinal)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipDeviceGetAttribute(self, attr: Any, deviceId: Any) -> tuple[Any, ...]:
        if type(deviceId) is not int or (deviceId + 0x80000000) >> 32:
            deviceId = _signed(deviceId)
        attr = +attr if type(attr) is hipDeviceAttribute_t else _hipDeviceAttribute_t(attr, "attr")
        code, out = _hipDeviceGetAttribute(self._callers[_own.number].call, attr, deviceId)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipDeviceGetByPCIBusId(self, pciBusId: Any) -> tuple[Any, ...]:
        pciBusId = _encoded(pciBusId)
        code, out = _hipDeviceGetByPCIBusId(self._callers[_own.number].call, pciBusId)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipDeviceGetCacheConfig(self) -> tuple[Any, ...]:
        code, out = _hipDeviceGetCacheConfig(self._callers[_own.number].call)
        if code:
            return _errors[code], 0
        return SUCCESS, _hipFuncCache_t_members[out]

    def hipDeviceGetDefaultMemPool(self, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, out = _hipDeviceGetDefaultMemPool(self._callers[_own.number].call, device)
        if code:
            return _errors[code], None
        return SUCCESS, hipMemPool_t(out) if out else None

    def hipDeviceGetLimit(self, limit: Any) -> tuple[Any, ...]:
        limit = +limit if type(limit) is hipLimit_t else _hipLimit_t(limit, "limit")
        code, out = _hipDeviceGetLimit(self._callers[_own.number].call, limit)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipDeviceGetMemPool(self, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, out = _hipDeviceGetMemPool(self._callers[_own.number].call, device)
        if code:
            return _errors[code], None
        return SUCCESS, hipMemPool_t(out) if out else None

    def hipDeviceGetName(self, len: Any, device: Any) -> tuple[Any, ...]:
        if type(len) is not int or (len + 0x80000000) >> 32:
            len = _signed(len)
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, out = _hipDeviceGetName(self._callers[_own.number].call, len, device)
        if code:
            return _errors[code], None
        return SUCCESS, _text(out)

    def hipDeviceGetP2PAttribute(self, attr: Any, srcDevice: Any, dstDevice: Any) -> tuple[Any, ...]:
        if type(srcDevice) is not int or (srcDevice + 0x80000000) >> 32:
            srcDevice = _signed(srcDevice)
        if type(dstDevice) is not int or (dstDevice + 0x80000000) >> 32:
            dstDevice = _signed(dstDevice)
        attr = +attr if type(attr) is hipDeviceP2PAttr else _hipDeviceP2PAttr(attr, "attr")
        code, out = _hipDeviceGetP2PAttribute(self._callers[_own.number].call, attr, srcDevice, dstDevice)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipDeviceGetPCIBusId(self, len: Any, device: Any) -> tuple[Any, ...]:
        if type(len) is not int or (len + 0x80000000) >> 32:
            len = _signed(len)
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, out = _hipDeviceGetPCIBusId(self._callers[_own.number].call, len, device)
        if code:
            return _errors[code], None
        return SUCCESS, _text(out)

    def hipDeviceGetSharedMemConfig(self) -> tuple[Any, ...]:
        code, out = _hipDeviceGetSharedMemConfig(self._callers[_own.number].call)
        if code:
            return _errors[code], 0
        return SUCCESS, _hipSharedMemConfig_members[out]

    def hipDeviceGetStreamPriorityRange(self) -> tuple[Any, ...]:
        code, out = _hipDeviceGetStreamPriorityRange(self._callers[_own.number].call)
        if code:
            return _errors[code], 0, 0
        leastPriority, greatestPriority = out
        return SUCCESS, leastPriority, greatestPriority

    def hipDeviceGetUuid(self, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, out = _hipDeviceGetUuid(self._callers[_own.number].call, device)
        if code:
            return _errors[code], hipUUID_t()
        return SUCCESS, _hipUUID_t_made(out)

    def hipDevicePrimaryCtxGetState(self, dev: Any) -> tuple[Any, ...]:
        if type(dev) is not int or (dev + 0x80000000) >> 32:
            dev = _signed(dev)
        code, out = _hipDevicePrimaryCtxGetState(self._callers[_own.number].call, dev)
        if code:
            return _errors[code], 0, 0
        flags, active = out
        return SUCCESS, flags, active

    def hipDevicePrimaryCtxRelease(self, dev: Any) -> tuple[Any, ...]:
        if type(dev) is not int or (dev + 0x80000000) >> 32:
            dev = _signed(dev)
        code, _ = _hipDevicePrimaryCtxRelease(self._callers[_own.number].call, dev)
        return _answers[code]

    def hipDevicePrimaryCtxReset(self, dev: Any) -> tuple[Any, ...]:
        if type(dev) is not int or (dev + 0x80000000) >> 32:
            dev = _signed(dev)
        code, _ = _hipDevicePrimaryCtxReset(self._callers[_own.number].call, dev)
        return _answers[code]

    def hipDevicePrimaryCtxRetain(self, dev: Any) -> tuple[Any, ...]:
        if type(dev) is not int or (dev + 0x80000000) >> 32:
            dev = _signed(dev)
        code, out = _hipDevicePrimaryCtxRetain(self._callers[_own.number].call, dev)
        if code:
            return _errors[code], None
        return SUCCESS, hipCtx_t(out) if out else None

    def hipDevicePrimaryCtxSetFlags(self, dev: Any, flags: Any) -> tuple[Any, ...]:
        if type(dev) is not int or (dev + 0x80000000) >> 32:
            dev = _signed(dev)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, _ = _hipDevicePrimaryCtxSetFlags(self._callers[_own.number].call, dev, flags)
        return _answers[code]

    def hipDeviceReset(self) -> tuple[Any, ...]:
        code, _ = _hipDeviceReset(self._callers[_own.number].call)
        return _answers[code]

    def hipDeviceSetCacheConfig(self, cacheConfig: Any) -> tuple[Any, ...]:
        cacheConfig = +cacheConfig if type(cacheConfig) is hipFuncCache_t else _hipFuncCache_t(cacheConfig, "cacheConfig")
        code, _ = _hipDeviceSetCacheConfig(self._callers[_own.number].call, cacheConfig)
        return _answers[code]

    def hipDeviceSetLimit(self, limit: Any, value: Any) -> tuple[Any, ...]:
        if type(value) is not int or value >> 64:
            value = _size_t(value)
        limit = +limit if type(limit) is hipLimit_t else _hipLimit_t(limit, "limit")
        code, _ = _hipDeviceSetLimit(self._callers[_own.number].call, limit, value)
        return _answers[code]

    def hipDeviceSetMemPool(self, device: Any, mem_pool: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        mem_pool = mem_pool if type(mem_pool) is int and not mem_pool >> 64 else int(mem_pool) if type(mem_pool) is hipMemPool_t else _hipMemPool_t_handle(mem_pool)
        code, _ = _hipDeviceSetMemPool(self._callers[_own.number].call, device, mem_pool)
        return _answers[code]

    def hipDeviceSetSharedMemConfig(self, config: Any) -> tuple[Any, ...]:
        config = +config if type(config) is hipSharedMemConfig else _hipSharedMemConfig(config, "config")
        code, _ = _hipDeviceSetSharedMemConfig(self._callers[_own.number].call, config)
        return _answers[code]

    def hipDeviceSynchronize(self) -> tuple[Any, ...]:
        code, _ = _hipDeviceSynchronize(self._callers[_own.number].call)
        return _answers[code]

    def hipDeviceTotalMem(self, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, out = _hipDeviceTotalMem(self._callers[_own.number].call, device)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipDriverGetVersion(self) -> tuple[Any, ...]:
        code, out = _hipDriverGetVersion(self._callers[_own.number].call)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipDrvGetErrorName(self, hipError: Any) -> tuple[Any, ...]:
        hipError = +hipError if type(hipError) is hipError_t else _hipError_t(hipError, "hipError")
        code, out = _hipDrvGetErrorName(self._callers[_own.number].call, hipError)
        if code:
            return _errors[code], None
        return SUCCESS, _text(out)

    def hipDrvGetErrorString(self, hipError: Any) -> tuple[Any, ...]:
        hipError = +hipError if type(hipError) is hipError_t else _hipError_t(hipError, "hipError")
        code, out = _hipDrvGetErrorString(self._callers[_own.number].call, hipError)
        if code:
            return _errors[code], None
        return SUCCESS, _text(out)

    def hipDrvMemcpy2DUnaligned(self, pCopy: Any) -> tuple[Any, ...]:
        pCopy = _hip_Memcpy2D_plain(pCopy)
        code, _ = _hipDrvMemcpy2DUnaligned(self._callers[_own.number].call, pCopy)
        return _answers[code]

    def hipDrvMemcpy3D(self, pCopy: Any) -> tuple[Any, ...]:
        pCopy = _HIP_MEMCPY3D_plain(pCopy)
        code, _ = _hipDrvMemcpy3D(self._callers[_own.number].call, pCopy)
        return _answers[code]

    def hipDrvMemcpy3DAsync(self, pCopy: Any, stream: Any) -> tuple[Any, ...]:
        pCopy = _HIP_MEMCPY3D_plain(pCopy)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipDrvMemcpy3DAsync(self._callers[_own.number].call, pCopy, stream)
        return _answers[code]

    def hipEventCreate(self) -> tuple[Any, ...]:
        code, out = _hipEventCreate(self._callers[_own.number].call)
        if code:
            return _errors[code], None
        return SUCCESS, hipEvent_t(out) if out else None

    def hipEventCreateWithFlags(self, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _hipEventCreateWithFlags(self._callers[_own.number].call, flags)
        if code:
            return _errors[code], None
        return SUCCESS, hipEvent_t(out) if out else None

    def hipEventDestroy(self, event: Any) -> tuple[Any, ...]:
        event = event if type(event) is int and not event >> 64 else int(event) if type(event) is hipEvent_t else _hipEvent_t_handle(event)
        code, _ = _hipEventDestroy(self._callers[_own.number].call, event)
        return _answers[code]

    def hipEventElapsedTime(self, start: Any, stop: Any) -> tuple[Any, ...]:
        start = start if type(start) is int and not start >> 64 else int(start) if type(start) is hipEvent_t else _hipEvent_t_handle(start)
        stop = stop if type(stop) is int and not stop >> 64 else int(stop) if type(stop) is hipEvent_t else _hipEvent_t_handle(stop)
        code, out = _hipEventElapsedTime(self._callers[_own.number].call, start, stop)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipEventQuery(self, event: Any) -> tuple[Any, ...]:
        event = event if type(event) is int and not event >> 64 else int(event) if type(event) is hipEvent_t else _hipEvent_t_handle(event)
        code, _ = _hipEventQuery(self._callers[_own.number].call, event)
        return _answers[code]

    def hipEventRecord(self, event: Any, stream: Any) -> tuple[Any, ...]:
        event = event if type(event) is int and not event >> 64 else int(event) if type(event) is hipEvent_t else _hipEvent_t_handle(event)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipEventRecord(self._callers[_own.number].call, event, stream)
        return _answers[code]

    def hipEventRecordWithFlags(self, event: Any, stream: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        event = event if type(event) is int and not event >> 64 else int(event) if type(event) is hipEvent_t else _hipEvent_t_handle(event)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipEventRecordWithFlags(self._callers[_own.number].call, event, stream, flags)
        return _answers[code]

    def hipEventRecord_spt(self, event: Any, stream: Any) -> tuple[Any, ...]:
        event = event if type(event) is int and not event >> 64 else int(event) if type(event) is hipEvent_t else _hipEvent_t_handle(event)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipEventRecord_spt(self._callers[_own.number].call, event, stream)
        return _answers[code]

    def hipEventSynchronize(self, event: Any) -> tuple[Any, ...]:
        event = event if type(event) is int and not event >> 64 else int(event) if type(event) is hipEvent_t else _hipEvent_t_handle(event)
        code, _ = _hipEventSynchronize(self._callers[_own.number].call, event)
        return _answers[code]

    def hipExtGetLastError(self) -> tuple[Any, ...]:
        code, _ = _hipExtGetLastError(self._callers[_own.number].call)
        return _answers[code]

    def hipExtGetLinkTypeAndHopCount(self, device1: Any, device2: Any) -> tuple[Any, ...]:
        if type(device1) is not int or (device1 + 0x80000000) >> 32:
            device1 = _signed(device1)
        if type(device2) is not int or (device2 + 0x80000000) >> 32:
            device2 = _signed(device2)
        code, out = _hipExtGetLinkTypeAndHopCount(self._callers[_own.number].call, device1, device2)
        if code:
            return _errors[code], 0, 0
        linktype, hopcount = out
        return SUCCESS, linktype, hopcount

    def hipExtMallocWithFlags(self, sizeBytes: Any, flags: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _hipExtMallocWithFlags(self._callers[_own.number].call, sizeBytes, flags)
        if code:
            return _errors[code], None
        return SUCCESS, _memory(out, sizeBytes)

    def hipExtStreamCreateWithCUMask(self, cuMaskSize: Any, cuMask: Any) -> tuple[Any, ...]:
        if type(cuMaskSize) is not int or cuMaskSize >> 32:
            cuMaskSize = _uint32_t(cuMaskSize)
        cuMask = _numbers(cuMask, cuMaskSize)
        code, out = _hipExtStreamCreateWithCUMask(self._callers[_own.number].call, cuMaskSize, cuMask)
        if code:
            return _errors[code], None
        return SUCCESS, hipStream_t(out) if out else None

    def hipExtStreamGetCUMask(self, stream: Any, cuMaskSize: Any, cuMask: Any) -> tuple[Any, ...]:
        if type(cuMaskSize) is not int or cuMaskSize >> 32:
            cuMaskSize = _uint32_t(cuMaskSize)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        cuMask = _listed(cuMask)
        call = self._callers[_own.number].call
        if not cuMask:
            call = call.without(frozenset({"cuMask"}))
        code, out = _hipExtStreamGetCUMask(call, stream, cuMaskSize)
        if not code:
            _put_numbers(cuMask, out)
        return _answers[code]

    def hipFree(self, ptr: Any) -> tuple[Any, ...]:
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        code, _ = _hipFree(self._callers[_own.number].call, ptr)
        return _answers[code]

    def hipFreeAsync(self, dev_ptr: Any, stream: Any) -> tuple[Any, ...]:
        dev_ptr = dev_ptr if type(dev_ptr) is int and not dev_ptr >> 64 else int(dev_ptr) if isinstance(dev_ptr, Pointer) else _address(dev_ptr)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipFreeAsync(self._callers[_own.number].call, dev_ptr, stream)
        return _answers[code]

    def hipFreeHost(self, ptr: Any) -> tuple[Any, ...]:
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        code, _ = _hipFreeHost(self._callers[_own.number].call, ptr)
        return _answers[code]

    def hipGetDevice(self) -> tuple[Any, ...]:
        code, out = _hipGetDevice(self._callers[_own.number].call)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipGetDeviceCount(self) -> tuple[Any, ...]:
        code, out = _hipGetDeviceCount(self._callers[_own.number].call)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipGetDeviceFlags(self) -> tuple[Any, ...]:
        code, out = _hipGetDeviceFlags(self._callers[_own.number].call)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipGetDeviceProperties(self, deviceId: Any) -> tuple[Any, ...]:
        if type(deviceId) is not int or (deviceId + 0x80000000) >> 32:
            deviceId = _signed(deviceId)
        code, out = _hipGetDeviceProperties(self._callers[_own.number].call, deviceId)
        if code:
            return _errors[code], hipDeviceProp_t()
        return SUCCESS, _hipDeviceProp_t_made(out)

    def hipGetDriverEntryPoint(self, symbol: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        symbol = _encoded(symbol)
        code, out = _hipGetDriverEntryPoint(self._callers[_own.number].call, symbol, flags)
        if code:
            return _errors[code], None, hipDriverEntryPointQueryResult(1)
        funcPtr, driverStatus = out
        return SUCCESS, Pointer(funcPtr) if funcPtr else None, _hipDriverEntryPointQueryResult_members[driverStatus]

    def hipGetDriverEntryPoint_spt(self, symbol: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        symbol = _encoded(symbol)
        code, out = _hipGetDriverEntryPoint_spt(self._callers[_own.number].call, symbol, flags)
        if code:
            return _errors[code], None, hipDriverEntryPointQueryResult(1)
        funcPtr, status = out
        return SUCCESS, Pointer(funcPtr) if funcPtr else None, _hipDriverEntryPointQueryResult_members[status]

    def hipGetErrorName(self, hip_error: Any) -> tuple[Any, ...]:
        hip_error = +hip_error if type(hip_error) is hipError_t else _hipError_t(hip_error, "hip_error")
        code, out = _hipGetErrorName(self._callers[_own.number].call, hip_error)
        if code:
            return _errors[code], None
        return SUCCESS, _text(out)

    def hipGetErrorString(self, hipError: Any) -> tuple[Any, ...]:
        hipError = +hipError if type(hipError) is hipError_t else _hipError_t(hipError, "hipError")
        code, out = _hipGetErrorString(self._callers[_own.number].call, hipError)
        if code:
            return _errors[code], None
        return SUCCESS, _text(out)

    def hipGetLastError(self) -> tuple[Any, ...]:
        code, _ = _hipGetLastError(self._callers[_own.number].call)
        return _answers[code]

    def hipGetProcAddress(self, symbol: Any, hipVersion: Any, flags: Any) -> tuple[Any, ...]:
        if type(hipVersion) is not int or (hipVersion + 0x80000000) >> 32:
            hipVersion = _signed(hipVersion)
        if type(flags) is not int or flags >> 64:
            flags = _uint64_t(flags)
        symbol = _encoded(symbol)
        code, out = _hipGetProcAddress(self._callers[_own.number].call, symbol, hipVersion, flags)
        if code:
            return _errors[code], None, hipDriverProcAddressQueryResult(1)
        pfn, symbolStatus = out
        return SUCCESS, Pointer(pfn) if pfn else None, _hipDriverProcAddressQueryResult_members[symbolStatus]

    def hipGetProcAddress_spt(self, symbol: Any, hipVersion: Any, flags: Any) -> tuple[Any, ...]:
        if type(hipVersion) is not int or (hipVersion + 0x80000000) >> 32:
            hipVersion = _signed(hipVersion)
        if type(flags) is not int or flags >> 64:
            flags = _uint64_t(flags)
        symbol = _encoded(symbol)
        code, out = _hipGetProcAddress_spt(self._callers[_own.number].call, symbol, hipVersion, flags)
        if code:
            return _errors[code], None, hipDriverProcAddressQueryResult(1)
        pfn, symbolStatus = out
        return SUCCESS, Pointer(pfn) if pfn else None, _hipDriverProcAddressQueryResult_members[symbolStatus]

    def hipHostAlloc(self, size: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _hipHostAlloc(self._callers[_own.number].call, size, flags)
        if code:
            return _errors[code], None
        return SUCCESS, Pointer(out) if out else None

    def hipHostFree(self, ptr: Any) -> tuple[Any, ...]:
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        code, _ = _hipHostFree(self._callers[_own.number].call, ptr)
        return _answers[code]

    def hipHostGetDevicePointer(self, hstPtr: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        hstPtr = hstPtr if type(hstPtr) is int and not hstPtr >> 64 else int(hstPtr) if isinstance(hstPtr, Pointer) else _address(hstPtr)
        code, out = _hipHostGetDevicePointer(self._callers[_own.number].call, hstPtr, flags)
        if code:
            return _errors[code], None
        return SUCCESS, Pointer(out) if out else None

    def hipHostGetFlags(self, hostPtr: Any) -> tuple[Any, ...]:
        hostPtr = hostPtr if type(hostPtr) is int and not hostPtr >> 64 else int(hostPtr) if isinstance(hostPtr, Pointer) else _address(hostPtr)
        code, out = _hipHostGetFlags(self._callers[_own.number].call, hostPtr)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipHostMalloc(self, size: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _hipHostMalloc(self._callers[_own.number].call, size, flags)
        if code:
            return _errors[code], None
        return SUCCESS, Pointer(out) if out else None

    def hipHostRegister(self, hostPtr: Any, sizeBytes: Any, flags: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        hostPtr = hostPtr if type(hostPtr) is int and not hostPtr >> 64 else int(hostPtr) if isinstance(hostPtr, Pointer) else _address(hostPtr)
        code, _ = _hipHostRegister(self._callers[_own.number].call, hostPtr, sizeBytes, flags)
        return _answers[code]

    def hipHostUnregister(self, hostPtr: Any) -> tuple[Any, ...]:
        hostPtr = hostPtr if type(hostPtr) is int and not hostPtr >> 64 else int(hostPtr) if isinstance(hostPtr, Pointer) else _address(hostPtr)
        code, _ = _hipHostUnregister(self._callers[_own.number].call, hostPtr)
        return _answers[code]

    def hipInit(self, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, _ = _hipInit(self._callers[_own.number].call, flags)
        return _answers[code]

    def hipIpcCloseMemHandle(self, devPtr: Any) -> tuple[Any, ...]:
        devPtr = devPtr if type(devPtr) is int and not devPtr >> 64 else int(devPtr) if isinstance(devPtr, Pointer) else _address(devPtr)
        code, _ = _hipIpcCloseMemHandle(self._callers[_own.number].call, devPtr)
        return _answers[code]

    def hipIpcGetEventHandle(self, event: Any) -> tuple[Any, ...]:
        event = event if type(event) is int and not event >> 64 else int(event) if type(event) is hipEvent_t else _hipEvent_t_handle(event)
        code, out = _hipIpcGetEventHandle(self._callers[_own.number].call, event)
        if code:
            return _errors[code], hipIpcEventHandle_st()
        return SUCCESS, _hipIpcEventHandle_st_made(out)

    def hipIpcGetMemHandle(self, devPtr: Any) -> tuple[Any, ...]:
        devPtr = devPtr if type(devPtr) is int and not devPtr >> 64 else int(devPtr) if isinstance(devPtr, Pointer) else _address(devPtr)
        code, out = _hipIpcGetMemHandle(self._callers[_own.number].call, devPtr)
        if code:
            return _errors[code], hipIpcMemHandle_st()
        return SUCCESS, _hipIpcMemHandle_st_made(out)

    def hipIpcOpenEventHandle(self, handle: Any) -> tuple[Any, ...]:
        handle = _by_value(_hipIpcEventHandle_st_plain(handle), "handle")
        code, out = _hipIpcOpenEventHandle(self._callers[_own.number].call, handle)
        if code:
            return _errors[code], None
        return SUCCESS, hipEvent_t(out) if out else None

    def hipIpcOpenMemHandle(self, handle: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        handle = _by_value(_hipIpcMemHandle_st_plain(handle), "handle")
        code, out = _hipIpcOpenMemHandle(self._callers[_own.number].call, handle, flags)
        if code:
            return _errors[code], None
        return SUCCESS, Pointer(out) if out else None

    def hipLaunchHostFunc(self, stream: Any, fn: Any, userData: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        fn = fn if type(fn) is int and not fn >> 64 else int(fn) if type(fn) is hipHostFn_t else _hipHostFn_t_handle(fn)
        userData = userData if type(userData) is int and not userData >> 64 else int(userData) if isinstance(userData, Pointer) else _address(userData)
        code, _ = _hipLaunchHostFunc(self._callers[_own.number].call, stream, fn, userData)
        return _answers[code]

    def hipLaunchHostFunc_spt(self, stream: Any, fn: Any, userData: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        fn = fn if type(fn) is int and not fn >> 64 else int(fn) if type(fn) is hipHostFn_t else _hipHostFn_t_handle(fn)
        userData = userData if type(userData) is int and not userData >> 64 else int(userData) if isinstance(userData, Pointer) else _address(userData)
        code, _ = _hipLaunchHostFunc_spt(self._callers[_own.number].call, stream, fn, userData)
        return _answers[code]

    def hipMalloc(self, size: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        code, out = _hipMalloc(self._callers[_own.number].call, size)
        if code:
            return _errors[code], None
        return SUCCESS, _memory(out, size)

    def hipMalloc3D(self, extent: Any) -> tuple[Any, ...]:
        extent = _by_value(_hipExtent_plain(extent), "extent")
        code, out = _hipMalloc3D(self._callers[_own.number].call, extent)
        if code:
            return _errors[code], hipPitchedPtr()
        return SUCCESS, _hipPitchedPtr_made(out)

    def hipMallocAsync(self, size: Any, stream: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, out = _hipMallocAsync(self._callers[_own.number].call, size, stream)
        if code:
            return _errors[code], None
        return SUCCESS, _memory(out, size)

    def hipMallocFromPoolAsync(self, size: Any, mem_pool: Any, stream: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        mem_pool = mem_pool if type(mem_pool) is int and not mem_pool >> 64 else int(mem_pool) if type(mem_pool) is hipMemPool_t else _hipMemPool_t_handle(mem_pool)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, out = _hipMallocFromPoolAsync(self._callers[_own.number].call, size, mem_pool, stream)
        if code:
            return _errors[code], None
        return SUCCESS, _memory(out, size)

    def hipMallocHost(self, size: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        code, out = _hipMallocHost(self._callers[_own.number].call, size)
        if code:
            return _errors[code], None
        return SUCCESS, Pointer(out) if out else None

    def hipMallocManaged(self, size: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _hipMallocManaged(self._callers[_own.number].call, size, flags)
        if code:
            return _errors[code], None
        return SUCCESS, _memory(out, size)

    def hipMallocPitch(self, width: Any, height: Any) -> tuple[Any, ...]:
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        code, out = _hipMallocPitch(self._callers[_own.number].call, width, height)
        if code:
            return _errors[code], None, 0
        ptr, pitch = out
        return SUCCESS, Pointer(ptr) if ptr else None, pitch

    def hipMemAddressFree(self, devPtr: Any, size: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        devPtr = devPtr if type(devPtr) is int and not devPtr >> 64 else int(devPtr) if isinstance(devPtr, Pointer) else _address(devPtr)
        code, _ = _hipMemAddressFree(self._callers[_own.number].call, devPtr, size)
        return _answers[code]

    def hipMemAddressReserve(self, size: Any, alignment: Any, addr: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(alignment) is not int or alignment >> 64:
            alignment = _size_t(alignment)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        addr = addr if type(addr) is int and not addr >> 64 else int(addr) if isinstance(addr, Pointer) else _address(addr)
        code, out = _hipMemAddressReserve(self._callers[_own.number].call, size, alignment, addr, flags)
        if code:
            return _errors[code], None
        return SUCCESS, Pointer(out) if out else None

    def hipMemAdvise(self, dev_ptr: Any, count: Any, advice: Any, device: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        advice = +advice if type(advice) is hipMemoryAdvise else _hipMemoryAdvise(advice, "advice")
        dev_ptr = dev_ptr if type(dev_ptr) is int and not dev_ptr >> 64 else int(dev_ptr) if isinstance(dev_ptr, Pointer) else _address(dev_ptr)
        code, _ = _hipMemAdvise(self._callers[_own.number].call, dev_ptr, count, advice, device)
        return _answers[code]

    def hipMemAdvise_v2(self, dev_ptr: Any, count: Any, advice: Any, location: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        advice = +advice if type(advice) is hipMemoryAdvise else _hipMemoryAdvise(advice, "advice")
        dev_ptr = dev_ptr if type(dev_ptr) is int and not dev_ptr >> 64 else int(dev_ptr) if isinstance(dev_ptr, Pointer) else _address(dev_ptr)
        location = _by_value(_hipMemLocation_plain(location), "location")
        code, _ = _hipMemAdvise_v2(self._callers[_own.number].call, dev_ptr, count, advice, location)
        return _answers[code]

    def hipMemAllocHost(self, size: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        code, out = _hipMemAllocHost(self._callers[_own.number].call, size)
        if code:
            return _errors[code], None
        return SUCCESS, Pointer(out) if out else None

    def hipMemAllocPitch(self, widthInBytes: Any, height: Any, elementSizeBytes: Any) -> tuple[Any, ...]:
        if type(widthInBytes) is not int or widthInBytes >> 64:
            widthInBytes = _size_t(widthInBytes)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        if type(elementSizeBytes) is not int or elementSizeBytes >> 32:
            elementSizeBytes = _unsigned_int(elementSizeBytes)
        code, out = _hipMemAllocPitch(self._callers[_own.number].call, widthInBytes, height, elementSizeBytes)
        if code:
            return _errors[code], None, 0
        dptr, pitch = out
        return SUCCESS, Pointer(dptr) if dptr else None, pitch

    def hipMemCreate(self, size: Any, prop: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        prop = _hipMemAllocationProp_plain(prop)
        code, out = _hipMemCreate(self._callers[_own.number].call, size, prop, flags)
        if code:
            return _errors[code], None
        return SUCCESS, hipMemGenericAllocationHandle_t(out) if out else None

    def hipMemExportToShareableHandle(self, shareableHandle: Any, handle: Any, handleType: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        handleType = +handleType if type(handleType) is hipMemAllocationHandleType else _hipMemAllocationHandleType(handleType, "handleType")
        shareableHandle = shareableHandle if type(shareableHandle) is int and not shareableHandle >> 64 else int(shareableHandle) if isinstance(shareableHandle, Pointer) else _address(shareableHandle)
        handle = handle if type(handle) is int and not handle >> 64 else int(handle) if type(handle) is hipMemGenericAllocationHandle_t else _hipMemGenericAllocationHandle_t_handle(handle)
        call = self._callers[_own.number].call
        if not shareableHandle:
            call = call.without(frozenset({"shareableHandle"}))
        code, out = _hipMemExportToShareableHandle(call, handle, handleType, flags)
        if not code:
            _put_int(shareableHandle, out)
        return _answers[code]

    def hipMemGetAccess(self, location: Any, ptr: Any) -> tuple[Any, ...]:
        location = _hipMemLocation_plain(location)
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        code, out = _hipMemGetAccess(self._callers[_own.number].call, location, ptr)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipMemGetAddressRange(self, dptr: Any) -> tuple[Any, ...]:
        dptr = dptr if type(dptr) is int and not dptr >> 64 else int(dptr) if isinstance(dptr, Pointer) else _address(dptr)
        code, out = _hipMemGetAddressRange(self._callers[_own.number].call, dptr)
        if code:
            return _errors[code], None, 0
        pbase, psize = out
        return SUCCESS, Pointer(pbase) if pbase else None, psize

    def hipMemGetAllocationGranularity(self, prop: Any, option: Any) -> tuple[Any, ...]:
        option = +option if type(option) is hipMemAllocationGranularity_flags else _hipMemAllocationGranularity_flags(option, "option")
        prop = _hipMemAllocationProp_plain(prop)
        code, out = _hipMemGetAllocationGranularity(self._callers[_own.number].call, prop, option)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipMemGetAllocationPropertiesFromHandle(self, handle: Any) -> tuple[Any, ...]:
        handle = handle if type(handle) is int and not handle >> 64 else int(handle) if type(handle) is hipMemGenericAllocationHandle_t else _hipMemGenericAllocationHandle_t_handle(handle)
        code, out = _hipMemGetAllocationPropertiesFromHandle(self._callers[_own.number].call, handle)
        if code:
            return _errors[code], hipMemAllocationProp()
        return SUCCESS, _hipMemAllocationProp_made(out)

    def hipMemGetDefaultMemPool(self, location: Any, type: Any) -> tuple[Any, ...]:
        type = +type if type.__class__ is hipMemAllocationType else _hipMemAllocationType(type, "type")
        location = _hipMemLocation_plain(location)
        code, out = _hipMemGetDefaultMemPool(self._callers[_own.number].call, location, type)
        if code:
            return _errors[code], None
        return SUCCESS, hipMemPool_t(out) if out else None

    def hipMemGetHandleForAddressRange(self, handle: Any, dptr: Any, size: Any, handleType: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        handleType = +handleType if type(handleType) is hipMemRangeHandleType else _hipMemRangeHandleType(handleType, "handleType")
        handle = handle if type(handle) is int and not handle >> 64 else int(handle) if isinstance(handle, Pointer) else _address(handle)
        dptr = dptr if type(dptr) is int and not dptr >> 64 else int(dptr) if isinstance(dptr, Pointer) else _address(dptr)
        call = self._callers[_own.number].call
        if not handle:
            call = call.without(frozenset({"handle"}))
        code, out = _hipMemGetHandleForAddressRange(call, dptr, size, handleType, flags)
        if not code:
            _put_int(handle, out)
        return _answers[code]

    def hipMemGetInfo(self) -> tuple[Any, ...]:
        code, out = _hipMemGetInfo(self._callers[_own.number].call)
        if code:
            return _errors[code], 0, 0
        free, total = out
        return SUCCESS, free, total

    def hipMemGetMemPool(self, location: Any, type: Any) -> tuple[Any, ...]:
        type = +type if type.__class__ is hipMemAllocationType else _hipMemAllocationType(type, "type")
        location = _hipMemLocation_plain(location)
        code, out = _hipMemGetMemPool(self._callers[_own.number].call, location, type)
        if code:
            return _errors[code], None
        return SUCCESS, hipMemPool_t(out) if out else None

    def hipMemImportFromShareableHandle(self, osHandle: Any, shHandleType: Any) -> tuple[Any, ...]:
        shHandleType = +shHandleType if type(shHandleType) is hipMemAllocationHandleType else _hipMemAllocationHandleType(shHandleType, "shHandleType")
        osHandle = osHandle if type(osHandle) is int and not osHandle >> 64 else int(osHandle) if isinstance(osHandle, Pointer) else _address(osHandle)
        code, out = _hipMemImportFromShareableHandle(self._callers[_own.number].call, osHandle, shHandleType)
        if code:
            return _errors[code], None
        return SUCCESS, hipMemGenericAllocationHandle_t(out) if out else None

    def hipMemMap(self, ptr: Any, size: Any, offset: Any, handle: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(offset) is not int or offset >> 64:
            offset = _size_t(offset)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        handle = handle if type(handle) is int and not handle >> 64 else int(handle) if type(handle) is hipMemGenericAllocationHandle_t else _hipMemGenericAllocationHandle_t_handle(handle)
        code, _ = _hipMemMap(self._callers[_own.number].call, ptr, size, offset, handle, flags)
        return _answers[code]

    def hipMemMapArrayAsync(self, mapInfoList: Any, count: Any, stream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        mapInfoList = mapInfoList if type(mapInfoList) is int and not mapInfoList >> 64 else int(mapInfoList) if isinstance(mapInfoList, Pointer) else _address(mapInfoList)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemMapArrayAsync(self._callers[_own.number].call, mapInfoList, count, stream)
        return _answers[code]

    def hipMemPoolCreate(self, pool_props: Any) -> tuple[Any, ...]:
        pool_props = _hipMemPoolProps_plain(pool_props)
        code, out = _hipMemPoolCreate(self._callers[_own.number].call, pool_props)
        if code:
            return _errors[code], None
        return SUCCESS, hipMemPool_t(out) if out else None

    def hipMemPoolDestroy(self, mem_pool: Any) -> tuple[Any, ...]:
        mem_pool = mem_pool if type(mem_pool) is int and not mem_pool >> 64 else int(mem_pool) if type(mem_pool) is hipMemPool_t else _hipMemPool_t_handle(mem_pool)
        code, _ = _hipMemPoolDestroy(self._callers[_own.number].call, mem_pool)
        return _answers[code]

    def hipMemPoolExportPointer(self, dev_ptr: Any) -> tuple[Any, ...]:
        dev_ptr = dev_ptr if type(dev_ptr) is int and not dev_ptr >> 64 else int(dev_ptr) if isinstance(dev_ptr, Pointer) else _address(dev_ptr)
        code, out = _hipMemPoolExportPointer(self._callers[_own.number].call, dev_ptr)
        if code:
            return _errors[code], hipMemPoolPtrExportData()
        return SUCCESS, _hipMemPoolPtrExportData_made(out)

    def hipMemPoolExportToShareableHandle(self, shared_handle: Any, mem_pool: Any, handle_type: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        handle_type = +handle_type if type(handle_type) is hipMemAllocationHandleType else _hipMemAllocationHandleType(handle_type, "handle_type")
        shared_handle = shared_handle if type(shared_handle) is int and not shared_handle >> 64 else int(shared_handle) if isinstance(shared_handle, Pointer) else _address(shared_handle)
        mem_pool = mem_pool if type(mem_pool) is int and not mem_pool >> 64 else int(mem_pool) if type(mem_pool) is hipMemPool_t else _hipMemPool_t_handle(mem_pool)
        call = self._callers[_own.number].call
        if not shared_handle:
            call = call.without(frozenset({"shared_handle"}))
        code, out = _hipMemPoolExportToShareableHandle(call, mem_pool, handle_type, flags)
        if not code:
            _put_int(shared_handle, out)
        return _answers[code]

    def hipMemPoolGetAccess(self, mem_pool: Any, location: Any) -> tuple[Any, ...]:
        mem_pool = mem_pool if type(mem_pool) is int and not mem_pool >> 64 else int(mem_pool) if type(mem_pool) is hipMemPool_t else _hipMemPool_t_handle(mem_pool)
        location = _hipMemLocation_plain(location)
        code, out = _hipMemPoolGetAccess(self._callers[_own.number].call, mem_pool, location)
        if code:
            return _errors[code], 0
        return SUCCESS, _hipMemAccessFlags_members[out]

    def hipMemPoolGetAttribute(self, mem_pool: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        attr = +attr if type(attr) is hipMemPoolAttr else _hipMemPoolAttr(attr, "attr")
        mem_pool = mem_pool if type(mem_pool) is int and not mem_pool >> 64 else int(mem_pool) if type(mem_pool) is hipMemPool_t else _hipMemPool_t_handle(mem_pool)
        value = value if type(value) is int and not value >> 64 else int(value) if isinstance(value, Pointer) else _address(value)
        call = self._callers[_own.number].call
        if not value:
            call = call.without(frozenset({"value"}))
        code, out = _hipMemPoolGetAttribute(call, mem_pool, attr)
        if not code:
            _put_word(value, out, attr)
        return _answers[code]

    def hipMemPoolImportFromShareableHandle(self, shared_handle: Any, handle_type: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        handle_type = +handle_type if type(handle_type) is hipMemAllocationHandleType else _hipMemAllocationHandleType(handle_type, "handle_type")
        shared_handle = shared_handle if type(shared_handle) is int and not shared_handle >> 64 else int(shared_handle) if isinstance(shared_handle, Pointer) else _address(shared_handle)
        code, out = _hipMemPoolImportFromShareableHandle(self._callers[_own.number].call, shared_handle, handle_type, flags)
        if code:
            return _errors[code], None
        return SUCCESS, hipMemPool_t(out) if out else None

    def hipMemPoolImportPointer(self, mem_pool: Any, export_data: Any) -> tuple[Any, ...]:
        mem_pool = mem_pool if type(mem_pool) is int and not mem_pool >> 64 else int(mem_pool) if type(mem_pool) is hipMemPool_t else _hipMemPool_t_handle(mem_pool)
        export_data = _hipMemPoolPtrExportData_plain(export_data)
        code, out = _hipMemPoolImportPointer(self._callers[_own.number].call, mem_pool, export_data)
        if code:
            return _errors[code], None
        return SUCCESS, Pointer(out) if out else None

    def hipMemPoolSetAccess(self, mem_pool: Any, desc_list: Any, count: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        mem_pool = mem_pool if type(mem_pool) is int and not mem_pool >> 64 else int(mem_pool) if type(mem_pool) is hipMemPool_t else _hipMemPool_t_handle(mem_pool)
        desc_list = _hipMemAccessDesc_array(desc_list, count)
        code, _ = _hipMemPoolSetAccess(self._callers[_own.number].call, mem_pool, desc_list, count)
        return _answers[code]

    def hipMemPoolSetAttribute(self, mem_pool: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        attr = +attr if type(attr) is hipMemPoolAttr else _hipMemPoolAttr(attr, "attr")
        mem_pool = mem_pool if type(mem_pool) is int and not mem_pool >> 64 else int(mem_pool) if type(mem_pool) is hipMemPool_t else _hipMemPool_t_handle(mem_pool)
        value = value if type(value) is int and not value >> 64 else int(value) if isinstance(value, Pointer) else _address(value)
        value = _word(value, attr)
        code, _ = _hipMemPoolSetAttribute(self._callers[_own.number].call, mem_pool, attr, value)
        return _answers[code]

    def hipMemPoolTrimTo(self, mem_pool: Any, min_bytes_to_hold: Any) -> tuple[Any, ...]:
        if type(min_bytes_to_hold) is not int or min_bytes_to_hold >> 64:
            min_bytes_to_hold = _size_t(min_bytes_to_hold)
        mem_pool = mem_pool if type(mem_pool) is int and not mem_pool >> 64 else int(mem_pool) if type(mem_pool) is hipMemPool_t else _hipMemPool_t_handle(mem_pool)
        code, _ = _hipMemPoolTrimTo(self._callers[_own.number].call, mem_pool, min_bytes_to_hold)
        return _answers[code]

    def hipMemPrefetchAsync(self, dev_ptr: Any, count: Any, device: Any, stream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        dev_ptr = dev_ptr if type(dev_ptr) is int and not dev_ptr >> 64 else int(dev_ptr) if isinstance(dev_ptr, Pointer) else _address(dev_ptr)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemPrefetchAsync(self._callers[_own.number].call, dev_ptr, count, device, stream)
        return _answers[code]

    def hipMemPrefetchAsync_v2(self, dev_ptr: Any, count: Any, location: Any, flags: Any, stream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        dev_ptr = dev_ptr if type(dev_ptr) is int and not dev_ptr >> 64 else int(dev_ptr) if isinstance(dev_ptr, Pointer) else _address(dev_ptr)
        location = _by_value(_hipMemLocation_plain(location), "location")
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemPrefetchAsync_v2(self._callers[_own.number].call, dev_ptr, count, location, flags, stream)
        return _answers[code]

    def hipMemPrefetchBatchAsync(self, dev_ptrs: Any, count: Any, prefetch_locs: Any, num_prefetch_locs: Any, flags: Any, stream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(num_prefetch_locs) is not int or num_prefetch_locs >> 64:
            num_prefetch_locs = _size_t(num_prefetch_locs)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        dev_ptrs = _pointers(dev_ptrs, count)
        prefetch_locs = _hipMemLocation_array(prefetch_locs, num_prefetch_locs)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemPrefetchBatchAsync(self._callers[_own.number].call, dev_ptrs, _unset(count), count, prefetch_locs, _unset(num_prefetch_locs), num_prefetch_locs, flags, stream)
        if code:
            return _errors[code], 0, 0
        return SUCCESS, 0, 0

    def hipMemPtrGetInfo(self, ptr: Any) -> tuple[Any, ...]:
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        code, out = _hipMemPtrGetInfo(self._callers[_own.number].call, ptr)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipMemRangeGetAttribute(self, data: Any, data_size: Any, attribute: Any, dev_ptr: Any, count: Any) -> tuple[Any, ...]:
        if type(data_size) is not int or data_size >> 64:
            data_size = _size_t(data_size)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        attribute = +attribute if type(attribute) is hipMemRangeAttribute else _hipMemRangeAttribute(attribute, "attribute")
        data = data if type(data) is int and not data >> 64 else int(data) if isinstance(data, Pointer) else _address(data)
        dev_ptr = dev_ptr if type(dev_ptr) is int and not dev_ptr >> 64 else int(dev_ptr) if isinstance(dev_ptr, Pointer) else _address(dev_ptr)
        call = self._callers[_own.number].call
        if not data:
            call = call.without(frozenset({"data"}))
        code, out = _hipMemRangeGetAttribute(call, data_size, attribute, dev_ptr, count)
        if not code:
            _put_numbers(data, out)
        return _answers[code]

    def hipMemRangeGetAttributes(self, num_attributes: Any, dev_ptr: Any, count: Any) -> tuple[Any, ...]:
        if type(num_attributes) is not int or num_attributes >> 64:
            num_attributes = _size_t(num_attributes)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        dev_ptr = dev_ptr if type(dev_ptr) is int and not dev_ptr >> 64 else int(dev_ptr) if isinstance(dev_ptr, Pointer) else _address(dev_ptr)
        call = self._callers[_own.number].call
        call = call.without(frozenset({"data"}))
        code, _ = _hipMemRangeGetAttributes(call, _unset(num_attributes), _unset(num_attributes), num_attributes, dev_ptr, count)
        return _errors[code], None, 0, 0

    def hipMemRelease(self, handle: Any) -> tuple[Any, ...]:
        handle = handle if type(handle) is int and not handle >> 64 else int(handle) if type(handle) is hipMemGenericAllocationHandle_t else _hipMemGenericAllocationHandle_t_handle(handle)
        code, _ = _hipMemRelease(self._callers[_own.number].call, handle)
        return _answers[code]

    def hipMemRetainAllocationHandle(self, addr: Any) -> tuple[Any, ...]:
        addr = addr if type(addr) is int and not addr >> 64 else int(addr) if isinstance(addr, Pointer) else _address(addr)
        code, out = _hipMemRetainAllocationHandle(self._callers[_own.number].call, addr)
        if code:
            return _errors[code], None
        return SUCCESS, hipMemGenericAllocationHandle_t(out) if out else None

    def hipMemSetAccess(self, ptr: Any, size: Any, desc: Any, count: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        desc = _hipMemAccessDesc_array(desc, count)
        code, _ = _hipMemSetAccess(self._callers[_own.number].call, ptr, size, desc, count)
        return _answers[code]

    def hipMemSetMemPool(self, location: Any, type: Any, pool: Any) -> tuple[Any, ...]:
        type = +type if type.__class__ is hipMemAllocationType else _hipMemAllocationType(type, "type")
        location = _hipMemLocation_plain(location)
        pool = pool if pool.__class__ is int and not pool >> 64 else int(pool) if pool.__class__ is hipMemPool_t else _hipMemPool_t_handle(pool)
        code, _ = _hipMemSetMemPool(self._callers[_own.number].call, location, type, pool)
        return _answers[code]

    def hipMemUnmap(self, ptr: Any, size: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        code, _ = _hipMemUnmap(self._callers[_own.number].call, ptr, size)
        return _answers[code]

    def hipMemcpy(self, dst: Any, src: Any, sizeBytes: Any, kind: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        kind = +kind if type(kind) is hipMemcpyKind else _hipMemcpyKind(kind, "kind")
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        code, _ = _hipMemcpy(self._callers[_own.number].call, dst, src, sizeBytes, kind)
        return _answers[code]

    def hipMemcpy2D(self, dst: Any, dpitch: Any, src: Any, spitch: Any, width: Any, height: Any, kind: Any) -> tuple[Any, ...]:
        if type(dpitch) is not int or dpitch >> 64:
            dpitch = _size_t(dpitch)
        if type(spitch) is not int or spitch >> 64:
            spitch = _size_t(spitch)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        kind = +kind if type(kind) is hipMemcpyKind else _hipMemcpyKind(kind, "kind")
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        code, _ = _hipMemcpy2D(self._callers[_own.number].call, dst, dpitch, src, spitch, width, height, kind)
        return _answers[code]

    def hipMemcpy2DAsync(self, dst: Any, dpitch: Any, src: Any, spitch: Any, width: Any, height: Any, kind: Any, stream: Any) -> tuple[Any, ...]:
        if type(dpitch) is not int or dpitch >> 64:
            dpitch = _size_t(dpitch)
        if type(spitch) is not int or spitch >> 64:
            spitch = _size_t(spitch)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        kind = +kind if type(kind) is hipMemcpyKind else _hipMemcpyKind(kind, "kind")
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpy2DAsync(self._callers[_own.number].call, dst, dpitch, src, spitch, width, height, kind, stream)
        return _answers[code]

    def hipMemcpy2DAsync_spt(self, dst: Any, dpitch: Any, src: Any, spitch: Any, width: Any, height: Any, kind: Any, stream: Any) -> tuple[Any, ...]:
        if type(dpitch) is not int or dpitch >> 64:
            dpitch = _size_t(dpitch)
        if type(spitch) is not int or spitch >> 64:
            spitch = _size_t(spitch)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        kind = +kind if type(kind) is hipMemcpyKind else _hipMemcpyKind(kind, "kind")
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpy2DAsync_spt(self._callers[_own.number].call, dst, dpitch, src, spitch, width, height, kind, stream)
        return _answers[code]

    def hipMemcpy2D_spt(self, dst: Any, dpitch: Any, src: Any, spitch: Any, width: Any, height: Any, kind: Any) -> tuple[Any, ...]:
        if type(dpitch) is not int or dpitch >> 64:
            dpitch = _size_t(dpitch)
        if type(spitch) is not int or spitch >> 64:
            spitch = _size_t(spitch)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        kind = +kind if type(kind) is hipMemcpyKind else _hipMemcpyKind(kind, "kind")
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        code, _ = _hipMemcpy2D_spt(self._callers[_own.number].call, dst, dpitch, src, spitch, width, height, kind)
        return _answers[code]

    def hipMemcpy3D(self, p: Any) -> tuple[Any, ...]:
        p = _hipMemcpy3DParms_plain(p)
        code, _ = _hipMemcpy3D(self._callers[_own.number].call, p)
        return _answers[code]

    def hipMemcpy3DAsync(self, p: Any, stream: Any) -> tuple[Any, ...]:
        p = _hipMemcpy3DParms_plain(p)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpy3DAsync(self._callers[_own.number].call, p, stream)
        return _answers[code]

    def hipMemcpy3DAsync_spt(self, p: Any, stream: Any) -> tuple[Any, ...]:
        p = _hipMemcpy3DParms_plain(p)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpy3DAsync_spt(self._callers[_own.number].call, p, stream)
        return _answers[code]

    def hipMemcpy3DBatchAsync(self, numOps: Any, opList: Any, flags: Any, stream: Any) -> tuple[Any, ...]:
        if type(numOps) is not int or numOps >> 64:
            numOps = _size_t(numOps)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        opList = _hipMemcpy3DBatchOp_array(opList, numOps)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, out = _hipMemcpy3DBatchAsync(self._callers[_own.number].call, numOps, opList, flags, stream)
        if code:
            return _errors[code], self._callers.current().failed_at
        return SUCCESS, out

    def hipMemcpy3DPeer(self, p: Any) -> tuple[Any, ...]:
        p = _hipMemcpy3DPeerParms_plain(p)
        code, _ = _hipMemcpy3DPeer(self._callers[_own.number].call, p)
        return _answers[code]

    def hipMemcpy3DPeerAsync(self, p: Any, stream: Any) -> tuple[Any, ...]:
        p = _hipMemcpy3DPeerParms_plain(p)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpy3DPeerAsync(self._callers[_own.number].call, p, stream)
        return _answers[code]

    def hipMemcpy3D_spt(self, p: Any) -> tuple[Any, ...]:
        p = _hipMemcpy3DParms_plain(p)
        code, _ = _hipMemcpy3D_spt(self._callers[_own.number].call, p)
        return _answers[code]

    def hipMemcpyAsync(self, dst: Any, src: Any, sizeBytes: Any, kind: Any, stream: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        kind = +kind if type(kind) is hipMemcpyKind else _hipMemcpyKind(kind, "kind")
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpyAsync(self._callers[_own.number].call, dst, src, sizeBytes, kind, stream)
        return _answers[code]

    def hipMemcpyAsync_spt(self, dst: Any, src: Any, sizeBytes: Any, kind: Any, stream: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        kind = +kind if type(kind) is hipMemcpyKind else _hipMemcpyKind(kind, "kind")
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpyAsync_spt(self._callers[_own.number].call, dst, src, sizeBytes, kind, stream)
        return _answers[code]

    def hipMemcpyBatchAsync(self, srcs: Any, count: Any, attrs: Any, numAttrs: Any, stream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(numAttrs) is not int or numAttrs >> 64:
            numAttrs = _size_t(numAttrs)
        srcs = _pointers(srcs, count)
        attrs = _hipMemcpyAttributes_array(attrs, numAttrs)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, out = _hipMemcpyBatchAsync(self._callers[_own.number].call, _unset(count), srcs, _unset(count), count, attrs, _unset(numAttrs), numAttrs, stream)
        if code:
            return _errors[code], None, 0, 0, self._callers.current().failed_at
        return SUCCESS, None, 0, 0, out

    def hipMemcpyDtoD(self, dst: Any, src: Any, sizeBytes: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        code, _ = _hipMemcpyDtoD(self._callers[_own.number].call, dst, src, sizeBytes)
        return _answers[code]

    def hipMemcpyDtoDAsync(self, dst: Any, src: Any, sizeBytes: Any, stream: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpyDtoDAsync(self._callers[_own.number].call, dst, src, sizeBytes, stream)
        return _answers[code]

    def hipMemcpyDtoH(self, dst: Any, src: Any, sizeBytes: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        code, _ = _hipMemcpyDtoH(self._callers[_own.number].call, dst, src, sizeBytes)
        return _answers[code]

    def hipMemcpyDtoHAsync(self, dst: Any, src: Any, sizeBytes: Any, stream: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpyDtoHAsync(self._callers[_own.number].call, dst, src, sizeBytes, stream)
        return _answers[code]

    def hipMemcpyHtoD(self, dst: Any, src: Any, sizeBytes: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        code, _ = _hipMemcpyHtoD(self._callers[_own.number].call, dst, src, sizeBytes)
        return _answers[code]

    def hipMemcpyHtoDAsync(self, dst: Any, src: Any, sizeBytes: Any, stream: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpyHtoDAsync(self._callers[_own.number].call, dst, src, sizeBytes, stream)
        return _answers[code]

    def hipMemcpyParam2D(self, pCopy: Any) -> tuple[Any, ...]:
        pCopy = _hip_Memcpy2D_plain(pCopy)
        code, _ = _hipMemcpyParam2D(self._callers[_own.number].call, pCopy)
        return _answers[code]

    def hipMemcpyParam2DAsync(self, pCopy: Any, stream: Any) -> tuple[Any, ...]:
        pCopy = _hip_Memcpy2D_plain(pCopy)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpyParam2DAsync(self._callers[_own.number].call, pCopy, stream)
        return _answers[code]

    def hipMemcpyPeer(self, dst: Any, dstDeviceId: Any, src: Any, srcDeviceId: Any, sizeBytes: Any) -> tuple[Any, ...]:
        if type(dstDeviceId) is not int or (dstDeviceId + 0x80000000) >> 32:
            dstDeviceId = _signed(dstDeviceId)
        if type(srcDeviceId) is not int or (srcDeviceId + 0x80000000) >> 32:
            srcDeviceId = _signed(srcDeviceId)
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        code, _ = _hipMemcpyPeer(self._callers[_own.number].call, dst, dstDeviceId, src, srcDeviceId, sizeBytes)
        return _answers[code]

    def hipMemcpyPeerAsync(self, dst: Any, dstDeviceId: Any, src: Any, srcDevice: Any, sizeBytes: Any, stream: Any) -> tuple[Any, ...]:
        if type(dstDeviceId) is not int or (dstDeviceId + 0x80000000) >> 32:
            dstDeviceId = _signed(dstDeviceId)
        if type(srcDevice) is not int or (srcDevice + 0x80000000) >> 32:
            srcDevice = _signed(srcDevice)
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpyPeerAsync(self._callers[_own.number].call, dst, dstDeviceId, src, srcDevice, sizeBytes, stream)
        return _answers[code]

    def hipMemcpyWithStream(self, dst: Any, src: Any, sizeBytes: Any, kind: Any, stream: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        kind = +kind if type(kind) is hipMemcpyKind else _hipMemcpyKind(kind, "kind")
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemcpyWithStream(self._callers[_own.number].call, dst, src, sizeBytes, kind, stream)
        return _answers[code]

    def hipMemcpy_spt(self, dst: Any, src: Any, sizeBytes: Any, kind: Any) -> tuple[Any, ...]:
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        kind = +kind if type(kind) is hipMemcpyKind else _hipMemcpyKind(kind, "kind")
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if isinstance(src, Pointer) else _address(src)
        code, _ = _hipMemcpy_spt(self._callers[_own.number].call, dst, src, sizeBytes, kind)
        return _answers[code]

    def hipMemset(self, dst: Any, value: Any, sizeBytes: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        code, _ = _hipMemset(self._callers[_own.number].call, dst, value, sizeBytes)
        return _answers[code]

    def hipMemset2D(self, dst: Any, pitch: Any, value: Any, width: Any, height: Any) -> tuple[Any, ...]:
        if type(pitch) is not int or pitch >> 64:
            pitch = _size_t(pitch)
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        code, _ = _hipMemset2D(self._callers[_own.number].call, dst, pitch, value, width, height)
        return _answers[code]

    def hipMemset2DAsync(self, dst: Any, pitch: Any, value: Any, width: Any, height: Any, stream: Any) -> tuple[Any, ...]:
        if type(pitch) is not int or pitch >> 64:
            pitch = _size_t(pitch)
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemset2DAsync(self._callers[_own.number].call, dst, pitch, value, width, height, stream)
        return _answers[code]

    def hipMemset2DAsync_spt(self, dst: Any, pitch: Any, value: Any, width: Any, height: Any, stream: Any) -> tuple[Any, ...]:
        if type(pitch) is not int or pitch >> 64:
            pitch = _size_t(pitch)
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemset2DAsync_spt(self._callers[_own.number].call, dst, pitch, value, width, height, stream)
        return _answers[code]

    def hipMemset2D_spt(self, dst: Any, pitch: Any, value: Any, width: Any, height: Any) -> tuple[Any, ...]:
        if type(pitch) is not int or pitch >> 64:
            pitch = _size_t(pitch)
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        code, _ = _hipMemset2D_spt(self._callers[_own.number].call, dst, pitch, value, width, height)
        return _answers[code]

    def hipMemset3D(self, pitchedDevPtr: Any, value: Any, extent: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        pitchedDevPtr = _by_value(_hipPitchedPtr_plain(pitchedDevPtr), "pitchedDevPtr")
        extent = _by_value(_hipExtent_plain(extent), "extent")
        code, _ = _hipMemset3D(self._callers[_own.number].call, pitchedDevPtr, value, extent)
        return _answers[code]

    def hipMemset3DAsync(self, pitchedDevPtr: Any, value: Any, extent: Any, stream: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        pitchedDevPtr = _by_value(_hipPitchedPtr_plain(pitchedDevPtr), "pitchedDevPtr")
        extent = _by_value(_hipExtent_plain(extent), "extent")
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemset3DAsync(self._callers[_own.number].call, pitchedDevPtr, value, extent, stream)
        return _answers[code]

    def hipMemset3DAsync_spt(self, pitchedDevPtr: Any, value: Any, extent: Any, stream: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        pitchedDevPtr = _by_value(_hipPitchedPtr_plain(pitchedDevPtr), "pitchedDevPtr")
        extent = _by_value(_hipExtent_plain(extent), "extent")
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemset3DAsync_spt(self._callers[_own.number].call, pitchedDevPtr, value, extent, stream)
        return _answers[code]

    def hipMemset3D_spt(self, pitchedDevPtr: Any, value: Any, extent: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        pitchedDevPtr = _by_value(_hipPitchedPtr_plain(pitchedDevPtr), "pitchedDevPtr")
        extent = _by_value(_hipExtent_plain(extent), "extent")
        code, _ = _hipMemset3D_spt(self._callers[_own.number].call, pitchedDevPtr, value, extent)
        return _answers[code]

    def hipMemsetAsync(self, dst: Any, value: Any, sizeBytes: Any, stream: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemsetAsync(self._callers[_own.number].call, dst, value, sizeBytes, stream)
        return _answers[code]

    def hipMemsetAsync_spt(self, dst: Any, value: Any, sizeBytes: Any, stream: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemsetAsync_spt(self._callers[_own.number].call, dst, value, sizeBytes, stream)
        return _answers[code]

    def hipMemsetD16(self, dest: Any, value: Any, count: Any) -> tuple[Any, ...]:
        if type(value) is not int or value >> 16:
            value = _unsigned_short(value)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        dest = dest if type(dest) is int and not dest >> 64 else int(dest) if isinstance(dest, Pointer) else _address(dest)
        code, _ = _hipMemsetD16(self._callers[_own.number].call, dest, value, count)
        return _answers[code]

    def hipMemsetD16Async(self, dest: Any, value: Any, count: Any, stream: Any) -> tuple[Any, ...]:
        if type(value) is not int or value >> 16:
            value = _unsigned_short(value)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        dest = dest if type(dest) is int and not dest >> 64 else int(dest) if isinstance(dest, Pointer) else _address(dest)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemsetD16Async(self._callers[_own.number].call, dest, value, count, stream)
        return _answers[code]

    def hipMemsetD2D16(self, dst: Any, dstPitch: Any, value: Any, width: Any, height: Any) -> tuple[Any, ...]:
        if type(dstPitch) is not int or dstPitch >> 64:
            dstPitch = _size_t(dstPitch)
        if type(value) is not int or value >> 16:
            value = _unsigned_short(value)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        code, _ = _hipMemsetD2D16(self._callers[_own.number].call, dst, dstPitch, value, width, height)
        return _answers[code]

    def hipMemsetD2D16Async(self, dst: Any, dstPitch: Any, value: Any, width: Any, height: Any, stream: Any) -> tuple[Any, ...]:
        if type(dstPitch) is not int or dstPitch >> 64:
            dstPitch = _size_t(dstPitch)
        if type(value) is not int or value >> 16:
            value = _unsigned_short(value)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemsetD2D16Async(self._callers[_own.number].call, dst, dstPitch, value, width, height, stream)
        return _answers[code]

    def hipMemsetD2D32(self, dst: Any, dstPitch: Any, value: Any, width: Any, height: Any) -> tuple[Any, ...]:
        if type(dstPitch) is not int or dstPitch >> 64:
            dstPitch = _size_t(dstPitch)
        if type(value) is not int or value >> 32:
            value = _unsigned_int(value)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        code, _ = _hipMemsetD2D32(self._callers[_own.number].call, dst, dstPitch, value, width, height)
        return _answers[code]

    def hipMemsetD2D32Async(self, dst: Any, dstPitch: Any, value: Any, width: Any, height: Any, stream: Any) -> tuple[Any, ...]:
        if type(dstPitch) is not int or dstPitch >> 64:
            dstPitch = _size_t(dstPitch)
        if type(value) is not int or value >> 32:
            value = _unsigned_int(value)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemsetD2D32Async(self._callers[_own.number].call, dst, dstPitch, value, width, height, stream)
        return _answers[code]

    def hipMemsetD2D8(self, dst: Any, dstPitch: Any, value: Any, width: Any, height: Any) -> tuple[Any, ...]:
        if type(dstPitch) is not int or dstPitch >> 64:
            dstPitch = _size_t(dstPitch)
        if type(value) is not int or value >> 8:
            value = _unsigned_char(value)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        code, _ = _hipMemsetD2D8(self._callers[_own.number].call, dst, dstPitch, value, width, height)
        return _answers[code]

    def hipMemsetD2D8Async(self, dst: Any, dstPitch: Any, value: Any, width: Any, height: Any, stream: Any) -> tuple[Any, ...]:
        if type(dstPitch) is not int or dstPitch >> 64:
            dstPitch = _size_t(dstPitch)
        if type(value) is not int or value >> 8:
            value = _unsigned_char(value)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemsetD2D8Async(self._callers[_own.number].call, dst, dstPitch, value, width, height, stream)
        return _answers[code]

    def hipMemsetD32(self, dest: Any, value: Any, count: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        dest = dest if type(dest) is int and not dest >> 64 else int(dest) if isinstance(dest, Pointer) else _address(dest)
        code, _ = _hipMemsetD32(self._callers[_own.number].call, dest, value, count)
        return _answers[code]

    def hipMemsetD32Async(self, dst: Any, value: Any, count: Any, stream: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemsetD32Async(self._callers[_own.number].call, dst, value, count, stream)
        return _answers[code]

    def hipMemsetD8(self, dest: Any, value: Any, count: Any) -> tuple[Any, ...]:
        if type(value) is not int or value >> 8:
            value = _unsigned_char(value)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        dest = dest if type(dest) is int and not dest >> 64 else int(dest) if isinstance(dest, Pointer) else _address(dest)
        code, _ = _hipMemsetD8(self._callers[_own.number].call, dest, value, count)
        return _answers[code]

    def hipMemsetD8Async(self, dest: Any, value: Any, count: Any, stream: Any) -> tuple[Any, ...]:
        if type(value) is not int or value >> 8:
            value = _unsigned_char(value)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        dest = dest if type(dest) is int and not dest >> 64 else int(dest) if isinstance(dest, Pointer) else _address(dest)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipMemsetD8Async(self._callers[_own.number].call, dest, value, count, stream)
        return _answers[code]

    def hipMemset_spt(self, dst: Any, value: Any, sizeBytes: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(sizeBytes) is not int or sizeBytes >> 64:
            sizeBytes = _size_t(sizeBytes)
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if isinstance(dst, Pointer) else _address(dst)
        code, _ = _hipMemset_spt(self._callers[_own.number].call, dst, value, sizeBytes)
        return _answers[code]

    def hipPeekAtLastError(self) -> tuple[Any, ...]:
        code, _ = _hipPeekAtLastError(self._callers[_own.number].call)
        return _answers[code]

    def hipPointerGetAttribute(self, data: Any, attribute: Any, ptr: Any) -> tuple[Any, ...]:
        attribute = +attribute if type(attribute) is hipPointer_attribute else _hipPointer_attribute(attribute, "attribute")
        data = data if type(data) is int and not data >> 64 else int(data) if isinstance(data, Pointer) else _address(data)
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        call = self._callers[_own.number].call
        if not data:
            call = call.without(frozenset({"data"}))
        code, out = _hipPointerGetAttribute(call, attribute, ptr)
        if not code:
            _put_attribute(data, out, attribute)
        return _answers[code]

    def hipPointerGetAttributes(self, ptr: Any) -> tuple[Any, ...]:
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        code, out = _hipPointerGetAttributes(self._callers[_own.number].call, ptr)
        if code:
            return _errors[code], hipPointerAttribute_t()
        return SUCCESS, _hipPointerAttribute_t_made(out)

    def hipPointerSetAttribute(self, value: Any, attribute: Any, ptr: Any) -> tuple[Any, ...]:
        attribute = +attribute if type(attribute) is hipPointer_attribute else _hipPointer_attribute(attribute, "attribute")
        value = value if type(value) is int and not value >> 64 else int(value) if isinstance(value, Pointer) else _address(value)
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        value = _number_at(value)
        code, _ = _hipPointerSetAttribute(self._callers[_own.number].call, value, attribute, ptr)
        return _answers[code]

    def hipRuntimeGetVersion(self) -> tuple[Any, ...]:
        code, out = _hipRuntimeGetVersion(self._callers[_own.number].call)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipSetDevice(self, deviceId: Any) -> tuple[Any, ...]:
        if type(deviceId) is not int or (deviceId + 0x80000000) >> 32:
            deviceId = _signed(deviceId)
        code, _ = _hipSetDevice(self._callers[_own.number].call, deviceId)
        return _answers[code]

    def hipSetDeviceFlags(self, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, _ = _hipSetDeviceFlags(self._callers[_own.number].call, flags)
        return _answers[code]

    def hipStreamAddCallback(self, stream: Any, callback: Any, userData: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        callback = callback if type(callback) is int and not callback >> 64 else int(callback) if type(callback) is hipStreamCallback_t else _hipStreamCallback_t_handle(callback)
        userData = userData if type(userData) is int and not userData >> 64 else int(userData) if isinstance(userData, Pointer) else _address(userData)
        code, _ = _hipStreamAddCallback(self._callers[_own.number].call, stream, callback, userData, flags)
        return _answers[code]

    def hipStreamAddCallback_spt(self, stream: Any, callback: Any, userData: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        callback = callback if type(callback) is int and not callback >> 64 else int(callback) if type(callback) is hipStreamCallback_t else _hipStreamCallback_t_handle(callback)
        userData = userData if type(userData) is int and not userData >> 64 else int(userData) if isinstance(userData, Pointer) else _address(userData)
        code, _ = _hipStreamAddCallback_spt(self._callers[_own.number].call, stream, callback, userData, flags)
        return _answers[code]

    def hipStreamAttachMemAsync(self, stream: Any, dev_ptr: Any, length: Any, flags: Any) -> tuple[Any, ...]:
        if type(length) is not int or length >> 64:
            length = _size_t(length)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        dev_ptr = dev_ptr if type(dev_ptr) is int and not dev_ptr >> 64 else int(dev_ptr) if isinstance(dev_ptr, Pointer) else _address(dev_ptr)
        code, _ = _hipStreamAttachMemAsync(self._callers[_own.number].call, stream, dev_ptr, length, flags)
        return _answers[code]

    def hipStreamBatchMemOp(self, stream: Any, count: Any, paramArray: Any, flags: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        paramArray = _mem_ops(paramArray, count)
        code, _ = _hipStreamBatchMemOp(self._callers[_own.number].call, stream, count, paramArray, flags)
        return _answers[code]

    def hipStreamCopyAttributes(self, dst: Any, src: Any) -> tuple[Any, ...]:
        dst = dst if type(dst) is int and not dst >> 64 else int(dst) if type(dst) is hipStream_t else _hipStream_t_handle(dst)
        src = src if type(src) is int and not src >> 64 else int(src) if type(src) is hipStream_t else _hipStream_t_handle(src)
        code, _ = _hipStreamCopyAttributes(self._callers[_own.number].call, dst, src)
        return _answers[code]

    def hipStreamCreate(self) -> tuple[Any, ...]:
        code, out = _hipStreamCreate(self._callers[_own.number].call)
        if code:
            return _errors[code], None
        return SUCCESS, hipStream_t(out) if out else None

    def hipStreamCreateWithFlags(self, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _hipStreamCreateWithFlags(self._callers[_own.number].call, flags)
        if code:
            return _errors[code], None
        return SUCCESS, hipStream_t(out) if out else None

    def hipStreamCreateWithPriority(self, flags: Any, priority: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if type(priority) is not int or (priority + 0x80000000) >> 32:
            priority = _signed(priority)
        code, out = _hipStreamCreateWithPriority(self._callers[_own.number].call, flags, priority)
        if code:
            return _errors[code], None
        return SUCCESS, hipStream_t(out) if out else None

    def hipStreamDestroy(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipStreamDestroy(self._callers[_own.number].call, stream)
        return _answers[code]

    def hipStreamGetAttribute(self, stream: Any, attr: Any, value_out: Any) -> tuple[Any, ...]:
        attr = +attr if type(attr) is hipLaunchAttributeID else _hipLaunchAttributeID(attr, "attr")
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        value_out = value_out if type(value_out) is int and not value_out >> 64 else int(value_out) if isinstance(value_out, Pointer) else _address(value_out)
        call = self._callers[_own.number].call
        if not value_out:
            call = call.without(frozenset({"value_out"}))
        code, out = _hipStreamGetAttribute(call, stream, attr)
        if not code:
            _put_int(value_out, out)
        return _answers[code]

    def hipStreamGetDevice(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, out = _hipStreamGetDevice(self._callers[_own.number].call, stream)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipStreamGetFlags(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, out = _hipStreamGetFlags(self._callers[_own.number].call, stream)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipStreamGetFlags_spt(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, out = _hipStreamGetFlags_spt(self._callers[_own.number].call, stream)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipStreamGetId(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, out = _hipStreamGetId(self._callers[_own.number].call, stream)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipStreamGetPriority(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, out = _hipStreamGetPriority(self._callers[_own.number].call, stream)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipStreamGetPriority_spt(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, out = _hipStreamGetPriority_spt(self._callers[_own.number].call, stream)
        if code:
            return _errors[code], 0
        return SUCCESS, out

    def hipStreamIsCapturing(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, out = _hipStreamIsCapturing(self._callers[_own.number].call, stream)
        if code:
            return _errors[code], 0
        return SUCCESS, _hipStreamCaptureStatus_members[out]

    def hipStreamIsCapturing_spt(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, out = _hipStreamIsCapturing_spt(self._callers[_own.number].call, stream)
        if code:
            return _errors[code], 0
        return SUCCESS, _hipStreamCaptureStatus_members[out]

    def hipStreamQuery(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipStreamQuery(self._callers[_own.number].call, stream)
        return _answers[code]

    def hipStreamQuery_spt(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipStreamQuery_spt(self._callers[_own.number].call, stream)
        return _answers[code]

    def hipStreamSetAttribute(self, stream: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        attr = +attr if type(attr) is hipLaunchAttributeID else _hipLaunchAttributeID(attr, "attr")
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        value = value if type(value) is int and not value >> 64 else int(value) if isinstance(value, Pointer) else _address(value)
        value = _number_at(value)
        code, _ = _hipStreamSetAttribute(self._callers[_own.number].call, stream, attr, value)
        return _answers[code]

    def hipStreamSynchronize(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipStreamSynchronize(self._callers[_own.number].call, stream)
        return _answers[code]

    def hipStreamSynchronize_spt(self, stream: Any) -> tuple[Any, ...]:
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        code, _ = _hipStreamSynchronize_spt(self._callers[_own.number].call, stream)
        return _answers[code]

    def hipStreamWaitEvent(self, stream: Any, event: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        event = event if type(event) is int and not event >> 64 else int(event) if type(event) is hipEvent_t else _hipEvent_t_handle(event)
        code, _ = _hipStreamWaitEvent(self._callers[_own.number].call, stream, event, flags)
        return _answers[code]

    def hipStreamWaitEvent_spt(self, stream: Any, event: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        event = event if type(event) is int and not event >> 64 else int(event) if type(event) is hipEvent_t else _hipEvent_t_handle(event)
        code, _ = _hipStreamWaitEvent_spt(self._callers[_own.number].call, stream, event, flags)
        return _answers[code]

    def hipStreamWaitValue32(self, stream: Any, ptr: Any, value: Any, flags: Any, mask: Any) -> tuple[Any, ...]:
        if type(value) is not int or value >> 32:
            value = _uint32_t(value)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if type(mask) is not int or mask >> 32:
            mask = _uint32_t(mask)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        code, _ = _hipStreamWaitValue32(self._callers[_own.number].call, stream, ptr, value, flags, mask)
        return _answers[code]

    def hipStreamWaitValue64(self, stream: Any, ptr: Any, value: Any, flags: Any, mask: Any) -> tuple[Any, ...]:
        if type(value) is not int or value >> 64:
            value = _uint64_t(value)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if type(mask) is not int or mask >> 64:
            mask = _uint64_t(mask)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        code, _ = _hipStreamWaitValue64(self._callers[_own.number].call, stream, ptr, value, flags, mask)
        return _answers[code]

    def hipStreamWriteValue32(self, stream: Any, ptr: Any, value: Any, flags: Any) -> tuple[Any, ...]:
        if type(value) is not int or value >> 32:
            value = _uint32_t(value)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        code, _ = _hipStreamWriteValue32(self._callers[_own.number].call, stream, ptr, value, flags)
        return _answers[code]

    def hipStreamWriteValue64(self, stream: Any, ptr: Any, value: Any, flags: Any) -> tuple[Any, ...]:
        if type(value) is not int or value >> 64:
            value = _uint64_t(value)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        stream = stream if type(stream) is int and not stream >> 64 else int(stream) if type(stream) is hipStream_t else _hipStream_t_handle(stream)
        ptr = ptr if type(ptr) is int and not ptr >> 64 else int(ptr) if isinstance(ptr, Pointer) else _address(ptr)
        code, _ = _hipStreamWriteValue64(self._callers[_own.number].call, stream, ptr, value, flags)
        return _answers[code]
