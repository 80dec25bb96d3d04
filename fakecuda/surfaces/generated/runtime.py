"""The modelled calls of the look-alike; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.api import RUNTIME
from fakecuda.model import threads
from fakecuda.model.space import MEMORY
from fakecuda.model.system import CALLS_NULL
from fakecuda.rules.dispatch import late
from fakecuda.surfaces import coercion, standins
from fakecuda.surfaces.runtime_classes import runtime_binding

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.threads import Callers

_own = threads.own
SUCCESS = runtime_binding.cudaError_t(0)
_addresses = coercion.addresses
_counted = coercion.counted
_enums = coercion.enums
_filled = standins.filled
_given = coercion.given
_handle = coercion.handle
_host = coercion.host
_measured = coercion.measured
_numbers = coercion.numbers
_padded = standins.padded
_plain_addresses = coercion.plain_addresses
_plain_numbers = coercion.plain_numbers
_pool_value = standins.pool_value
_pool_word = coercion.pool_word
_range_value = standins.range_value
_range_values = standins.range_values
_shared = coercion.shared
_signed = coercion.signed
_stream_value = coercion.stream_value
_stream_value_made = standins.stream_value_made
_structs = coercion.structs
_text = coercion.text
_whole = coercion.whole
_wrong_type = coercion.wrong_type
_answers0 = standins.Failures(0, runtime_binding.cudaError_t)
_answers1 = standins.Failures(1, runtime_binding.cudaError_t)
_answers2 = standins.Failures(2, runtime_binding.cudaError_t)
EGLSyncKHR = getattr(runtime_binding, "EGLSyncKHR", coercion.Absent)
cudaArray_const_t = getattr(runtime_binding, "cudaArray_const_t", coercion.Absent)
cudaArray_t = getattr(runtime_binding, "cudaArray_t", coercion.Absent)
cudaAsyncCallback = getattr(runtime_binding, "cudaAsyncCallback", coercion.Absent)
cudaAsyncCallbackHandle_t = getattr(runtime_binding, "cudaAsyncCallbackHandle_t", coercion.Absent)
cudaChannelFormatDesc = getattr(runtime_binding, "cudaChannelFormatDesc", coercion.Absent)
cudaDevResource = getattr(runtime_binding, "cudaDevResource", coercion.Absent)
cudaDevResourceDesc_t = getattr(runtime_binding, "cudaDevResourceDesc_t", coercion.Absent)
cudaDevResourceType = getattr(runtime_binding, "cudaDevResourceType", coercion.Absent)
cudaDevSmResourceGroupParams = getattr(runtime_binding, "cudaDevSmResourceGroupParams", coercion.Absent)
cudaExecutionContext_t = getattr(runtime_binding, "cudaExecutionContext_t", coercion.Absent)
cudaGraphMemAttributeType = getattr(runtime_binding, "cudaGraphMemAttributeType", coercion.Absent)
cudaLogsCallback_t = getattr(runtime_binding, "cudaLogsCallback_t", coercion.Absent)
cudaMemcpy3DBatchOp = getattr(runtime_binding, "cudaMemcpy3DBatchOp", coercion.Absent)
cudaMipmappedArray_t = getattr(runtime_binding, "cudaMipmappedArray_t", coercion.Absent)
cudaAtomicOperation = runtime_binding.cudaAtomicOperation
cudaDeviceAttr = runtime_binding.cudaDeviceAttr
cudaDeviceP2PAttr = runtime_binding.cudaDeviceP2PAttr
cudaDeviceProp = runtime_binding.cudaDeviceProp
cudaDriverEntryPointQueryResult = runtime_binding.cudaDriverEntryPointQueryResult
cudaError_t = runtime_binding.cudaError_t
cudaEvent_t = runtime_binding.cudaEvent_t
cudaExtent = runtime_binding.cudaExtent
cudaFlushGPUDirectRDMAWritesScope = runtime_binding.cudaFlushGPUDirectRDMAWritesScope
cudaFlushGPUDirectRDMAWritesTarget = runtime_binding.cudaFlushGPUDirectRDMAWritesTarget
cudaFuncCache = runtime_binding.cudaFuncCache
cudaHostFn_t = runtime_binding.cudaHostFn_t
cudaIpcEventHandle_t = runtime_binding.cudaIpcEventHandle_t
cudaIpcMemHandle_t = runtime_binding.cudaIpcMemHandle_t
cudaLimit = runtime_binding.cudaLimit
cudaMemAccessDesc = runtime_binding.cudaMemAccessDesc
cudaMemAccessFlags = runtime_binding.cudaMemAccessFlags
cudaMemAllocationHandleType = runtime_binding.cudaMemAllocationHandleType
cudaMemAllocationType = runtime_binding.cudaMemAllocationType
cudaMemLocation = runtime_binding.cudaMemLocation
cudaMemPoolAttr = runtime_binding.cudaMemPoolAttr
cudaMemPoolProps = runtime_binding.cudaMemPoolProps
cudaMemPoolPtrExportData = runtime_binding.cudaMemPoolPtrExportData
cudaMemPool_t = runtime_binding.cudaMemPool_t
cudaMemRangeAttribute = runtime_binding.cudaMemRangeAttribute
cudaMemcpy3DParms = runtime_binding.cudaMemcpy3DParms
cudaMemcpy3DPeerParms = runtime_binding.cudaMemcpy3DPeerParms
cudaMemcpyAttributes = runtime_binding.cudaMemcpyAttributes
cudaMemcpyKind = runtime_binding.cudaMemcpyKind
cudaMemoryAdvise = runtime_binding.cudaMemoryAdvise
cudaPitchedPtr = runtime_binding.cudaPitchedPtr
cudaPointerAttributes = runtime_binding.cudaPointerAttributes
cudaSharedMemConfig = runtime_binding.cudaSharedMemConfig
cudaStreamAttrID = runtime_binding.cudaStreamAttrID
cudaStreamAttrValue = runtime_binding.cudaStreamAttrValue
cudaStreamCallback_t = runtime_binding.cudaStreamCallback_t
cudaStreamCaptureStatus = runtime_binding.cudaStreamCaptureStatus
cudaStream_t = runtime_binding.cudaStream_t
CUmemFabricHandle = standins.binding.CUmemFabricHandle
_unsigned_int = coercion.INTEGERS["unsigned int"]
_size_t = coercion.INTEGERS["size_t"]
_unsigned_long_long = coercion.INTEGERS["unsigned long long"]
_cudaDevResourceType = coercion.enumerator("cudaDevResourceType")
_cudaDeviceAttr = coercion.enumerator("cudaDeviceAttr")
_cudaDeviceP2PAttr = coercion.enumerator("cudaDeviceP2PAttr")
_cudaError_t = coercion.enumerator("cudaError_t")
_cudaFlushGPUDirectRDMAWritesScope = coercion.enumerator("cudaFlushGPUDirectRDMAWritesScope")
_cudaFlushGPUDirectRDMAWritesTarget = coercion.enumerator("cudaFlushGPUDirectRDMAWritesTarget")
_cudaFuncCache = coercion.enumerator("cudaFuncCache")
_cudaLimit = coercion.enumerator("cudaLimit")
_cudaMemAllocationHandleType = coercion.enumerator("cudaMemAllocationHandleType")
_cudaMemAllocationType = coercion.enumerator("cudaMemAllocationType")
_cudaMemcpyKind = coercion.enumerator("cudaMemcpyKind")
_cudaMemoryAdvise = coercion.enumerator("cudaMemoryAdvise")
_cudaSharedMemConfig = coercion.enumerator("cudaSharedMemConfig")
_cudaStreamAttrID = coercion.enumerator("cudaStreamAttrID")
_cudaGraphMemAttributeType_known = coercion.known("cudaGraphMemAttributeType")
_cudaGraphMemAttributeType_by_value = coercion.numbered("cudaGraphMemAttributeType", _cudaGraphMemAttributeType_known)
_cudaMemAllocationHandleType_known = coercion.known("cudaMemAllocationHandleType")
_cudaMemAllocationHandleType_by_value = coercion.member("cudaMemAllocationHandleType", _cudaMemAllocationHandleType_known)
_cudaMemPoolAttr_known = coercion.known("cudaMemPoolAttr")
_cudaMemPoolAttr_by_value = coercion.numbered("cudaMemPoolAttr", _cudaMemPoolAttr_known)
_cudaMemRangeAttribute_known = coercion.known("cudaMemRangeAttribute")
_cudaMemRangeAttribute_by_value = coercion.member("cudaMemRangeAttribute", _cudaMemRangeAttribute_known)
_cudaMemRangeAttribute_sizes = coercion.sizes_of("cudaMemRangeAttribute")
_cudaChooseDevice = late(globals(), RUNTIME.ops, "cudaChooseDevice")
_cudaCtxResetPersistingL2Cache = late(globals(), RUNTIME.ops, "cudaCtxResetPersistingL2Cache")
_cudaDeviceCanAccessPeer = late(globals(), RUNTIME.ops, "cudaDeviceCanAccessPeer")
_cudaDeviceDisablePeerAccess = late(globals(), RUNTIME.ops, "cudaDeviceDisablePeerAccess")
_cudaDeviceEnablePeerAccess = late(globals(), RUNTIME.ops, "cudaDeviceEnablePeerAccess")
_cudaDeviceFlushGPUDirectRDMAWrites = late(globals(), RUNTIME.ops, "cudaDeviceFlushGPUDirectRDMAWrites")
_cudaDeviceGetAttribute = late(globals(), RUNTIME.ops, "cudaDeviceGetAttribute")
_cudaDeviceGetByPCIBusId = late(globals(), RUNTIME.ops, "cudaDeviceGetByPCIBusId")
_cudaDeviceGetCacheConfig = late(globals(), RUNTIME.ops, "cudaDeviceGetCacheConfig")
_cudaDeviceGetDefaultMemPool = late(globals(), RUNTIME.ops, "cudaDeviceGetDefaultMemPool")
_cudaDeviceGetHostAtomicCapabilities = late(globals(), RUNTIME.ops, "cudaDeviceGetHostAtomicCapabilities")
_cudaDeviceGetLimit = late(globals(), RUNTIME.ops, "cudaDeviceGetLimit")
_cudaDeviceGetMemPool = late(globals(), RUNTIME.ops, "cudaDeviceGetMemPool")
_cudaDeviceGetP2PAtomicCapabilities = late(globals(), RUNTIME.ops, "cudaDeviceGetP2PAtomicCapabilities")
_cudaDeviceGetP2PAttribute = late(globals(), RUNTIME.ops, "cudaDeviceGetP2PAttribute")
_cudaDeviceGetPCIBusId = late(globals(), RUNTIME.ops, "cudaDeviceGetPCIBusId")
_cudaDeviceGetSharedMemConfig = late(globals(), RUNTIME.ops, "cudaDeviceGetSharedMemConfig")
_cudaDeviceGetStreamPriorityRange = late(globals(), RUNTIME.ops, "cudaDeviceGetStreamPriorityRange")
_cudaDeviceReset = late(globals(), RUNTIME.ops, "cudaDeviceReset")
_cudaDeviceSetCacheConfig = late(globals(), RUNTIME.ops, "cudaDeviceSetCacheConfig")
_cudaDeviceSetLimit = late(globals(), RUNTIME.ops, "cudaDeviceSetLimit")
_cudaDeviceSetMemPool = late(globals(), RUNTIME.ops, "cudaDeviceSetMemPool")
_cudaDeviceSetSharedMemConfig = late(globals(), RUNTIME.ops, "cudaDeviceSetSharedMemConfig")
_cudaDeviceSynchronize = late(globals(), RUNTIME.ops, "cudaDeviceSynchronize")
_cudaDriverGetVersion = late(globals(), RUNTIME.ops, "cudaDriverGetVersion")
_cudaEventCreate = late(globals(), RUNTIME.ops, "cudaEventCreate")
_cudaEventCreateWithFlags = late(globals(), RUNTIME.ops, "cudaEventCreateWithFlags")
_cudaEventDestroy = late(globals(), RUNTIME.ops, "cudaEventDestroy")
_cudaEventElapsedTime = late(globals(), RUNTIME.ops, "cudaEventElapsedTime")
_cudaEventQuery = late(globals(), RUNTIME.ops, "cudaEventQuery")
_cudaEventRecord = late(globals(), RUNTIME.ops, "cudaEventRecord")
_cudaEventRecordWithFlags = late(globals(), RUNTIME.ops, "cudaEventRecordWithFlags")
_cudaEventSynchronize = late(globals(), RUNTIME.ops, "cudaEventSynchronize")
_cudaFree = late(globals(), RUNTIME.ops, "cudaFree")
_cudaFreeAsync = late(globals(), RUNTIME.ops, "cudaFreeAsync")
_cudaFreeHost = late(globals(), RUNTIME.ops, "cudaFreeHost")
_cudaGetDevice = late(globals(), RUNTIME.ops, "cudaGetDevice")
_cudaGetDeviceCount = late(globals(), RUNTIME.ops, "cudaGetDeviceCount")
_cudaGetDeviceFlags = late(globals(), RUNTIME.ops, "cudaGetDeviceFlags")
_cudaGetDeviceProperties = late(globals(), RUNTIME.ops, "cudaGetDeviceProperties")
_cudaGetDriverEntryPoint = late(globals(), RUNTIME.ops, "cudaGetDriverEntryPoint")
_cudaGetDriverEntryPointByVersion = late(globals(), RUNTIME.ops, "cudaGetDriverEntryPointByVersion")
_cudaGetErrorName = late(globals(), RUNTIME.ops, "cudaGetErrorName")
_cudaGetErrorString = late(globals(), RUNTIME.ops, "cudaGetErrorString")
_cudaGetLastError = late(globals(), RUNTIME.ops, "cudaGetLastError")
_cudaHostAlloc = late(globals(), RUNTIME.ops, "cudaHostAlloc")
_cudaHostGetDevicePointer = late(globals(), RUNTIME.ops, "cudaHostGetDevicePointer")
_cudaHostGetFlags = late(globals(), RUNTIME.ops, "cudaHostGetFlags")
_cudaHostRegister = late(globals(), RUNTIME.ops, "cudaHostRegister")
_cudaHostUnregister = late(globals(), RUNTIME.ops, "cudaHostUnregister")
_cudaInitDevice = late(globals(), RUNTIME.ops, "cudaInitDevice")
_cudaIpcCloseMemHandle = late(globals(), RUNTIME.ops, "cudaIpcCloseMemHandle")
_cudaIpcGetEventHandle = late(globals(), RUNTIME.ops, "cudaIpcGetEventHandle")
_cudaIpcGetMemHandle = late(globals(), RUNTIME.ops, "cudaIpcGetMemHandle")
_cudaIpcOpenEventHandle = late(globals(), RUNTIME.ops, "cudaIpcOpenEventHandle")
_cudaIpcOpenMemHandle = late(globals(), RUNTIME.ops, "cudaIpcOpenMemHandle")
_cudaLaunchHostFunc = late(globals(), RUNTIME.ops, "cudaLaunchHostFunc")
_cudaLaunchHostFunc_v2 = late(globals(), RUNTIME.ops, "cudaLaunchHostFunc_v2")
_cudaMalloc = late(globals(), RUNTIME.ops, "cudaMalloc")
_cudaMalloc3D = late(globals(), RUNTIME.ops, "cudaMalloc3D")
_cudaMallocAsync = late(globals(), RUNTIME.ops, "cudaMallocAsync")
_cudaMallocFromPoolAsync = late(globals(), RUNTIME.ops, "cudaMallocFromPoolAsync")
_cudaMallocHost = late(globals(), RUNTIME.ops, "cudaMallocHost")
_cudaMallocManaged = late(globals(), RUNTIME.ops, "cudaMallocManaged")
_cudaMallocPitch = late(globals(), RUNTIME.ops, "cudaMallocPitch")
_cudaMemAdvise = late(globals(), RUNTIME.ops, "cudaMemAdvise")
_cudaMemDiscardAndPrefetchBatchAsync = late(globals(), RUNTIME.ops, "cudaMemDiscardAndPrefetchBatchAsync")
_cudaMemDiscardBatchAsync = late(globals(), RUNTIME.ops, "cudaMemDiscardBatchAsync")
_cudaMemGetDefaultMemPool = late(globals(), RUNTIME.ops, "cudaMemGetDefaultMemPool")
_cudaMemGetInfo = late(globals(), RUNTIME.ops, "cudaMemGetInfo")
_cudaMemGetMemPool = late(globals(), RUNTIME.ops, "cudaMemGetMemPool")
_cudaMemPoolCreate = late(globals(), RUNTIME.ops, "cudaMemPoolCreate")
_cudaMemPoolDestroy = late(globals(), RUNTIME.ops, "cudaMemPoolDestroy")
_cudaMemPoolExportPointer = late(globals(), RUNTIME.ops, "cudaMemPoolExportPointer")
_cudaMemPoolExportToShareableHandle = late(globals(), RUNTIME.ops, "cudaMemPoolExportToShareableHandle")
_cudaMemPoolGetAccess = late(globals(), RUNTIME.ops, "cudaMemPoolGetAccess")
_cudaMemPoolGetAttribute = late(globals(), RUNTIME.ops, "cudaMemPoolGetAttribute")
_cudaMemPoolImportFromShareableHandle = late(globals(), RUNTIME.ops, "cudaMemPoolImportFromShareableHandle")
_cudaMemPoolImportPointer = late(globals(), RUNTIME.ops, "cudaMemPoolImportPointer")
_cudaMemPoolSetAccess = late(globals(), RUNTIME.ops, "cudaMemPoolSetAccess")
_cudaMemPoolSetAttribute = late(globals(), RUNTIME.ops, "cudaMemPoolSetAttribute")
_cudaMemPoolTrimTo = late(globals(), RUNTIME.ops, "cudaMemPoolTrimTo")
_cudaMemPrefetchAsync = late(globals(), RUNTIME.ops, "cudaMemPrefetchAsync")
_cudaMemPrefetchBatchAsync = late(globals(), RUNTIME.ops, "cudaMemPrefetchBatchAsync")
_cudaMemRangeGetAttribute = late(globals(), RUNTIME.ops, "cudaMemRangeGetAttribute")
_cudaMemRangeGetAttributes = late(globals(), RUNTIME.ops, "cudaMemRangeGetAttributes")
_cudaMemSetMemPool = late(globals(), RUNTIME.ops, "cudaMemSetMemPool")
_cudaMemcpy = late(globals(), RUNTIME.ops, "cudaMemcpy")
_cudaMemcpy2D = late(globals(), RUNTIME.ops, "cudaMemcpy2D")
_cudaMemcpy2DAsync = late(globals(), RUNTIME.ops, "cudaMemcpy2DAsync")
_cudaMemcpy3D = late(globals(), RUNTIME.ops, "cudaMemcpy3D")
_cudaMemcpy3DAsync = late(globals(), RUNTIME.ops, "cudaMemcpy3DAsync")
_cudaMemcpy3DPeer = late(globals(), RUNTIME.ops, "cudaMemcpy3DPeer")
_cudaMemcpy3DPeerAsync = late(globals(), RUNTIME.ops, "cudaMemcpy3DPeerAsync")
_cudaMemcpyAsync = late(globals(), RUNTIME.ops, "cudaMemcpyAsync")
_cudaMemcpyBatchAsync = late(globals(), RUNTIME.ops, "cudaMemcpyBatchAsync")
_cudaMemcpyPeer = late(globals(), RUNTIME.ops, "cudaMemcpyPeer")
_cudaMemcpyPeerAsync = late(globals(), RUNTIME.ops, "cudaMemcpyPeerAsync")
_cudaMemcpyWithAttributesAsync = late(globals(), RUNTIME.ops, "cudaMemcpyWithAttributesAsync")
_cudaMemset = late(globals(), RUNTIME.ops, "cudaMemset")
_cudaMemset2D = late(globals(), RUNTIME.ops, "cudaMemset2D")
_cudaMemset2DAsync = late(globals(), RUNTIME.ops, "cudaMemset2DAsync")
_cudaMemset3D = late(globals(), RUNTIME.ops, "cudaMemset3D")
_cudaMemset3DAsync = late(globals(), RUNTIME.ops, "cudaMemset3DAsync")
_cudaMemsetAsync = late(globals(), RUNTIME.ops, "cudaMemsetAsync")
_cudaPeekAtLastError = late(globals(), RUNTIME.ops, "cudaPeekAtLastError")
_cudaPointerGetAttributes = late(globals(), RUNTIME.ops, "cudaPointerGetAttributes")
_cudaRuntimeGetVersion = late(globals(), RUNTIME.ops, "cudaRuntimeGetVersion")
_cudaSetDevice = late(globals(), RUNTIME.ops, "cudaSetDevice")
_cudaSetDeviceFlags = late(globals(), RUNTIME.ops, "cudaSetDeviceFlags")
_cudaStreamAddCallback = late(globals(), RUNTIME.ops, "cudaStreamAddCallback")
_cudaStreamAttachMemAsync = late(globals(), RUNTIME.ops, "cudaStreamAttachMemAsync")
_cudaStreamCopyAttributes = late(globals(), RUNTIME.ops, "cudaStreamCopyAttributes")
_cudaStreamCreate = late(globals(), RUNTIME.ops, "cudaStreamCreate")
_cudaStreamCreateWithFlags = late(globals(), RUNTIME.ops, "cudaStreamCreateWithFlags")
_cudaStreamCreateWithPriority = late(globals(), RUNTIME.ops, "cudaStreamCreateWithPriority")
_cudaStreamDestroy = late(globals(), RUNTIME.ops, "cudaStreamDestroy")
_cudaStreamGetAttribute = late(globals(), RUNTIME.ops, "cudaStreamGetAttribute")
_cudaStreamGetDevice = late(globals(), RUNTIME.ops, "cudaStreamGetDevice")
_cudaStreamGetFlags = late(globals(), RUNTIME.ops, "cudaStreamGetFlags")
_cudaStreamGetId = late(globals(), RUNTIME.ops, "cudaStreamGetId")
_cudaStreamGetPriority = late(globals(), RUNTIME.ops, "cudaStreamGetPriority")
_cudaStreamIsCapturing = late(globals(), RUNTIME.ops, "cudaStreamIsCapturing")
_cudaStreamQuery = late(globals(), RUNTIME.ops, "cudaStreamQuery")
_cudaStreamSetAttribute = late(globals(), RUNTIME.ops, "cudaStreamSetAttribute")
_cudaStreamSynchronize = late(globals(), RUNTIME.ops, "cudaStreamSynchronize")
_cudaStreamWaitEvent = late(globals(), RUNTIME.ops, "cudaStreamWaitEvent")
_cudaDeviceProp_layout = Struct("@256s16s8sIQQiiQiiiiiiiQiiQQiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiiQiiiiiiiiiiiiiiiQiiiiiiiiiiQiiiiQiiiiiiIiIiiiiiiiiIIi")


def _cudaDeviceProp_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63, m64, m65, m66, m67, m68, m69, m70, m71, m72, m73, m74, m75, m76, m77, m78, m79, m80, m81, m82, m83, m84, m85, m86, m87, m88, m89, m90, m91, m92, m93, m94, m95, m96, m97, m98, m99, m100, m101, m102, m103, m104, m105, m106, m107, m108, m109, m110, m111, m112, m113, m114, m115 = _cudaDeviceProp_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, (m10, m11, m12), (m13, m14, m15), m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, (m26, m27), (m28, m29), (m30, m31, m32), (m33, m34), (m35, m36, m37), (m38, m39, m40), m41, (m42, m43), (m44, m45, m46), (m47, m48), m49, (m50, m51), (m52, m53, m54), (m55, m56), (m57, m58, m59), m60, (m61, m62), m63, m64, m65, m66, m67, m68, m69, m70, m71, m72, m73, m74, m75, m76, m77, m78, m79, m80, m81, m82, m83, m84, m85, m86, m87, m88, m89, m90, m91, m92, m93, m94, m95, m96, m97, m98, m99, m100, m101, m102, m103, m104, m105, m106, m107, m108, m109, m110, m111, m112, m113, m114, m115)


def _cudaDeviceProp_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, (m10, m11, m12), (m13, m14, m15), m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, (m26, m27), (m28, m29), (m30, m31, m32), (m33, m34), (m35, m36, m37), (m38, m39, m40), m41, (m42, m43), (m44, m45, m46), (m47, m48), m49, (m50, m51), (m52, m53, m54), (m55, m56), (m57, m58, m59), m60, (m61, m62), m63, m64, m65, m66, m67, m68, m69, m70, m71, m72, m73, m74, m75, m76, m77, m78, m79, m80, m81, m82, m83, m84, m85, m86, m87, m88, m89, m90, m91, m92, m93, m94, m95, m96, m97, m98, m99, m100, m101, m102, m103, m104, m105, m106, m107, m108, m109, m110, m111, m112, m113, m114, m115) = plain
    item = cudaDeviceProp()
    _cudaDeviceProp_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24, m25, m26, m27, m28, m29, m30, m31, m32, m33, m34, m35, m36, m37, m38, m39, m40, m41, m42, m43, m44, m45, m46, m47, m48, m49, m50, m51, m52, m53, m54, m55, m56, m57, m58, m59, m60, m61, m62, m63, m64, m65, m66, m67, m68, m69, m70, m71, m72, m73, m74, m75, m76, m77, m78, m79, m80, m81, m82, m83, m84, m85, m86, m87, m88, m89, m90, m91, m92, m93, m94, m95, m96, m97, m98, m99, m100, m101, m102, m103, m104, m105, m106, m107, m108, m109, m110, m111, m112, m113, m114, m115)
    return item


_cudaExtent_layout = Struct("@QQQ")


def _cudaExtent_plain(item: Any) -> Any:
    m0, m1, m2 = _cudaExtent_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2)


_cudaIpcEventHandle_t_layout = Struct("@64s")


def _cudaIpcEventHandle_t_plain(item: Any) -> Any:
    (m0,) = _cudaIpcEventHandle_t_layout.unpack_from(MEMORY, item.getPtr())
    return m0


def _cudaIpcEventHandle_t_made(plain: Any) -> Any:
    m0 = plain
    item = cudaIpcEventHandle_t()
    _cudaIpcEventHandle_t_layout.pack_into(MEMORY, item.getPtr(), m0)
    return item


_cudaIpcMemHandle_t_layout = Struct("@64s")


def _cudaIpcMemHandle_t_plain(item: Any) -> Any:
    (m0,) = _cudaIpcMemHandle_t_layout.unpack_from(MEMORY, item.getPtr())
    return m0


def _cudaIpcMemHandle_t_made(plain: Any) -> Any:
    m0 = plain
    item = cudaIpcMemHandle_t()
    _cudaIpcMemHandle_t_layout.pack_into(MEMORY, item.getPtr(), m0)
    return item


_cudaMemAccessDesc_layout = Struct("@iii")


def _cudaMemAccessDesc_plain(item: Any) -> Any:
    m0, m1, m2 = _cudaMemAccessDesc_layout.unpack_from(MEMORY, item.getPtr())
    return ((m0, m1), m2)


_cudaMemLocation_layout = Struct("@ii")


def _cudaMemLocation_plain(item: Any) -> Any:
    m0, m1 = _cudaMemLocation_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1)


_cudaMemPoolProps_layout = Struct("@iiiiQQH")


def _cudaMemPoolProps_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6 = _cudaMemPoolProps_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, (m2, m3), m4, m5, m6)


_cudaMemPoolPtrExportData_layout = Struct("@64s")


def _cudaMemPoolPtrExportData_plain(item: Any) -> Any:
    (m0,) = _cudaMemPoolPtrExportData_layout.unpack_from(MEMORY, item.getPtr())
    return m0


def _cudaMemPoolPtrExportData_made(plain: Any) -> Any:
    m0 = plain
    item = cudaMemPoolPtrExportData()
    _cudaMemPoolPtrExportData_layout.pack_into(MEMORY, item.getPtr(), m0)
    return item


_cudaMemcpy3DParms_layout = Struct("@QQQQQQQQQQQQQQQQQQQi")


def _cudaMemcpy3DParms_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19 = _cudaMemcpy3DParms_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, (m1, m2, m3), (m4, m5, m6, m7), m8, (m9, m10, m11), (m12, m13, m14, m15), (m16, m17, m18), m19)


_cudaMemcpy3DPeerParms_layout = Struct("@QQQQQQQQiQQQQQQQQiQQQ")


def _cudaMemcpy3DPeerParms_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20 = _cudaMemcpy3DPeerParms_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, (m1, m2, m3), (m4, m5, m6, m7), m8, m9, (m10, m11, m12), (m13, m14, m15, m16), m17, (m18, m19, m20))


_cudaMemcpyAttributes_layout = Struct("@iiiiiI")


def _cudaMemcpyAttributes_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5 = _cudaMemcpyAttributes_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, (m1, m2), (m3, m4), m5)


_cudaPitchedPtr_layout = Struct("@QQQQ")


def _cudaPitchedPtr_plain(item: Any) -> Any:
    m0, m1, m2, m3 = _cudaPitchedPtr_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3)


def _cudaPitchedPtr_made(plain: Any) -> Any:
    (m0, m1, m2, m3) = plain
    item = cudaPitchedPtr()
    _cudaPitchedPtr_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3)
    return item


_cudaPointerAttributes_layout = Struct("@iiQQi")


def _cudaPointerAttributes_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4) = plain
    item = cudaPointerAttributes()
    _cudaPointerAttributes_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4)
    return item


class Calls:
    """The modelled calls of ``cuda.bindings.runtime``.

    Args:
        callers: The threads that calling OS threads act as.
    """

    __slots__ = ("_callers",)

    def __init__(self, callers: Callers) -> None:
        self._callers = callers

    def cudaChooseDevice(self, prop: Any) -> tuple[Any, ...]:
        if prop is not None and not isinstance(prop, cudaDeviceProp):
            raise _wrong_type(prop, "prop", cudaDeviceProp)
        prop = None if prop is None else _cudaDeviceProp_plain(prop)
        code, out = _cudaChooseDevice(self._callers[_own.number].call, prop)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaCtxResetPersistingL2Cache(self) -> tuple[Any, ...]:
        code, _ = _cudaCtxResetPersistingL2Cache(self._callers[_own.number].call)
        return _answers0[code]

    def cudaDeviceCanAccessPeer(self, device: Any, peerDevice: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        if type(peerDevice) is not int or (peerDevice + 0x80000000) >> 32:
            peerDevice = _signed(peerDevice)
        code, out = _cudaDeviceCanAccessPeer(self._callers[_own.number].call, device, peerDevice)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaDeviceDisablePeerAccess(self, peerDevice: Any) -> tuple[Any, ...]:
        if type(peerDevice) is not int or (peerDevice + 0x80000000) >> 32:
            peerDevice = _signed(peerDevice)
        code, _ = _cudaDeviceDisablePeerAccess(self._callers[_own.number].call, peerDevice)
        return _answers0[code]

    def cudaDeviceEnablePeerAccess(self, peerDevice: Any, flags: Any) -> tuple[Any, ...]:
        if type(peerDevice) is not int or (peerDevice + 0x80000000) >> 32:
            peerDevice = _signed(peerDevice)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, _ = _cudaDeviceEnablePeerAccess(self._callers[_own.number].call, peerDevice, flags)
        return _answers0[code]

    def cudaDeviceFlushGPUDirectRDMAWrites(self, target: Any, scope: Any) -> tuple[Any, ...]:
        if target is None:
            _given(target, "target")
        if scope is None:
            _given(scope, "scope")
        target = +target if type(target) is cudaFlushGPUDirectRDMAWritesTarget else _cudaFlushGPUDirectRDMAWritesTarget(target)
        scope = +scope if type(scope) is cudaFlushGPUDirectRDMAWritesScope else _cudaFlushGPUDirectRDMAWritesScope(scope)
        code, _ = _cudaDeviceFlushGPUDirectRDMAWrites(self._callers[_own.number].call, target, scope)
        return _answers0[code]

    def cudaDeviceGetAttribute(self, attr: Any, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        if attr is None:
            _given(attr, "attr")
        attr = +attr if type(attr) is cudaDeviceAttr else _cudaDeviceAttr(attr)
        code, out = _cudaDeviceGetAttribute(self._callers[_own.number].call, attr, device)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaDeviceGetByPCIBusId(self, pciBusId: Any) -> tuple[Any, ...]:
        pciBusId = _text(pciBusId)
        code, out = _cudaDeviceGetByPCIBusId(self._callers[_own.number].call, pciBusId)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaDeviceGetCacheConfig(self) -> tuple[Any, ...]:
        code, out = _cudaDeviceGetCacheConfig(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, cudaFuncCache(out)

    def cudaDeviceGetDefaultMemPool(self, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, out = _cudaDeviceGetDefaultMemPool(self._callers[_own.number].call, device)
        if code:
            return _answers1[code]
        return SUCCESS, cudaMemPool_t(out)

    def cudaDeviceGetHostAtomicCapabilities(self, operations: Any, count: Any, device: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        operations = _enums(operations, "operations", cudaAtomicOperation)
        operations = _measured(operations, count)
        code, out = _cudaDeviceGetHostAtomicCapabilities(self._callers[_own.number].call, operations, count, device)
        if code:
            return _answers1[code]
        return SUCCESS, list(out)

    def cudaDeviceGetLimit(self, limit: Any) -> tuple[Any, ...]:
        if limit is None:
            _given(limit, "limit")
        limit = +limit if type(limit) is cudaLimit else _cudaLimit(limit)
        code, out = _cudaDeviceGetLimit(self._callers[_own.number].call, limit)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaDeviceGetMemPool(self, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, out = _cudaDeviceGetMemPool(self._callers[_own.number].call, device)
        if code:
            return _answers1[code]
        return SUCCESS, cudaMemPool_t(out)

    def cudaDeviceGetP2PAtomicCapabilities(self, operations: Any, count: Any, srcDevice: Any, dstDevice: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        if type(srcDevice) is not int or (srcDevice + 0x80000000) >> 32:
            srcDevice = _signed(srcDevice)
        if type(dstDevice) is not int or (dstDevice + 0x80000000) >> 32:
            dstDevice = _signed(dstDevice)
        operations = _enums(operations, "operations", cudaAtomicOperation)
        operations = _measured(operations, count)
        code, out = _cudaDeviceGetP2PAtomicCapabilities(self._callers[_own.number].call, operations, count, srcDevice, dstDevice)
        if code:
            return _answers1[code]
        return SUCCESS, list(out)

    def cudaDeviceGetP2PAttribute(self, attr: Any, srcDevice: Any, dstDevice: Any) -> tuple[Any, ...]:
        if type(srcDevice) is not int or (srcDevice + 0x80000000) >> 32:
            srcDevice = _signed(srcDevice)
        if type(dstDevice) is not int or (dstDevice + 0x80000000) >> 32:
            dstDevice = _signed(dstDevice)
        if attr is None:
            _given(attr, "attr")
        attr = +attr if type(attr) is cudaDeviceP2PAttr else _cudaDeviceP2PAttr(attr)
        code, out = _cudaDeviceGetP2PAttribute(self._callers[_own.number].call, attr, srcDevice, dstDevice)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaDeviceGetPCIBusId(self, length: Any, device: Any) -> tuple[Any, ...]:
        if type(length) is not int or (length + 0x80000000) >> 32:
            length = _signed(length)
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, out = _cudaDeviceGetPCIBusId(self._callers[_own.number].call, length, device)
        if code:
            return _answers1[code]
        return SUCCESS, _padded(out, length)

    def cudaDeviceGetSharedMemConfig(self) -> tuple[Any, ...]:
        code, out = _cudaDeviceGetSharedMemConfig(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, cudaSharedMemConfig(out)

    def cudaDeviceGetStreamPriorityRange(self) -> tuple[Any, ...]:
        code, out = _cudaDeviceGetStreamPriorityRange(self._callers[_own.number].call)
        if code:
            return _answers2[code]
        leastPriority, greatestPriority = out
        return SUCCESS, leastPriority, greatestPriority

    def cudaDeviceReset(self) -> tuple[Any, ...]:
        code, _ = _cudaDeviceReset(self._callers[_own.number].call)
        return _answers0[code]

    def cudaDeviceSetCacheConfig(self, cacheConfig: Any) -> tuple[Any, ...]:
        if cacheConfig is None:
            _given(cacheConfig, "cacheConfig")
        cacheConfig = +cacheConfig if type(cacheConfig) is cudaFuncCache else _cudaFuncCache(cacheConfig)
        code, _ = _cudaDeviceSetCacheConfig(self._callers[_own.number].call, cacheConfig)
        return _answers0[code]

    def cudaDeviceSetLimit(self, limit: Any, value: Any) -> tuple[Any, ...]:
        if type(value) is not int or value >> 64:
            value = _size_t(value)
        if limit is None:
            _given(limit, "limit")
        limit = +limit if type(limit) is cudaLimit else _cudaLimit(limit)
        code, _ = _cudaDeviceSetLimit(self._callers[_own.number].call, limit, value)
        return _answers0[code]

    def cudaDeviceSetMemPool(self, device: Any, memPool: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        memPool = int(memPool) if type(memPool) is cudaMemPool_t else memPool if type(memPool) is int and not memPool >> 64 else _handle(memPool)
        code, _ = _cudaDeviceSetMemPool(self._callers[_own.number].call, device, memPool)
        return _answers0[code]

    def cudaDeviceSetSharedMemConfig(self, config: Any) -> tuple[Any, ...]:
        if config is None:
            _given(config, "config")
        config = +config if type(config) is cudaSharedMemConfig else _cudaSharedMemConfig(config)
        code, _ = _cudaDeviceSetSharedMemConfig(self._callers[_own.number].call, config)
        return _answers0[code]

    def cudaDeviceSynchronize(self) -> tuple[Any, ...]:
        code, _ = _cudaDeviceSynchronize(self._callers[_own.number].call)
        return _answers0[code]

    def cudaDriverGetVersion(self) -> tuple[Any, ...]:
        code, out = _cudaDriverGetVersion(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaEventCreate(self) -> tuple[Any, ...]:
        code, out = _cudaEventCreate(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, cudaEvent_t(out)

    def cudaEventCreateWithFlags(self, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _cudaEventCreateWithFlags(self._callers[_own.number].call, flags)
        if code:
            return _answers1[code]
        return SUCCESS, cudaEvent_t(out)

    def cudaEventDestroy(self, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        code, _ = _cudaEventDestroy(self._callers[_own.number].call, event)
        return _answers0[code]

    def cudaEventElapsedTime(self, start: Any, end: Any) -> tuple[Any, ...]:
        end = int(end) if type(end) is cudaEvent_t else end if type(end) is int and not end >> 64 else _handle(end)
        start = int(start) if type(start) is cudaEvent_t else start if type(start) is int and not start >> 64 else _handle(start)
        code, out = _cudaEventElapsedTime(self._callers[_own.number].call, start, end)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaEventQuery(self, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        code, _ = _cudaEventQuery(self._callers[_own.number].call, event)
        return _answers0[code]

    def cudaEventRecord(self, event: Any, stream: Any) -> tuple[Any, ...]:
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        code, _ = _cudaEventRecord(self._callers[_own.number].call, event, stream)
        return _answers0[code]

    def cudaEventRecordWithFlags(self, event: Any, stream: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        code, _ = _cudaEventRecordWithFlags(self._callers[_own.number].call, event, stream, flags)
        return _answers0[code]

    def cudaEventSynchronize(self, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        code, _ = _cudaEventSynchronize(self._callers[_own.number].call, event)
        return _answers0[code]

    def cudaFree(self, devPtr: Any) -> tuple[Any, ...]:
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        code, _ = _cudaFree(self._callers[_own.number].call, devPtr)
        return _answers0[code]

    def cudaFreeAsync(self, devPtr: Any, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is cudaStream_t else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        code, _ = _cudaFreeAsync(self._callers[_own.number].call, devPtr, hStream)
        return _answers0[code]

    def cudaFreeHost(self, ptr: Any) -> tuple[Any, ...]:
        if type(ptr) is not int or ptr >> 64:
            ptr, held_ptr = _host(ptr)
        code, _ = _cudaFreeHost(self._callers[_own.number].call, ptr)
        return _answers0[code]

    def cudaGetDevice(self) -> tuple[Any, ...]:
        code, out = _cudaGetDevice(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaGetDeviceCount(self) -> tuple[Any, ...]:
        code, out = _cudaGetDeviceCount(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaGetDeviceFlags(self) -> tuple[Any, ...]:
        code, out = _cudaGetDeviceFlags(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaGetDeviceProperties(self, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, out = _cudaGetDeviceProperties(self._callers[_own.number].call, device)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaDeviceProp_made(out)

    def cudaGetDriverEntryPoint(self, symbol: Any, flags: Any) -> tuple[Any, ...]:
        symbol = _text(symbol)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        code, out = _cudaGetDriverEntryPoint(self._callers[_own.number].call, symbol, flags)
        if code:
            return _answers2[code]
        funcPtr, driverStatus = out
        return SUCCESS, funcPtr, cudaDriverEntryPointQueryResult(driverStatus)

    def cudaGetDriverEntryPointByVersion(self, symbol: Any, cudaVersion: Any, flags: Any) -> tuple[Any, ...]:
        symbol = _text(symbol)
        if type(cudaVersion) is not int or cudaVersion >> 32:
            cudaVersion = _unsigned_int(cudaVersion)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        code, out = _cudaGetDriverEntryPointByVersion(self._callers[_own.number].call, symbol, cudaVersion, flags)
        if code:
            return _answers2[code]
        funcPtr, driverStatus = out
        return SUCCESS, funcPtr, cudaDriverEntryPointQueryResult(driverStatus)

    def cudaGetErrorName(self, error: Any) -> tuple[Any, ...]:
        if error is None:
            _given(error, "error")
        error = +error if type(error) is cudaError_t else _cudaError_t(error)
        code, out = _cudaGetErrorName(self._callers[_own.number].call, error)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaGetErrorString(self, error: Any) -> tuple[Any, ...]:
        if error is None:
            _given(error, "error")
        error = +error if type(error) is cudaError_t else _cudaError_t(error)
        code, out = _cudaGetErrorString(self._callers[_own.number].call, error)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaGetLastError(self) -> tuple[Any, ...]:
        code, _ = _cudaGetLastError(self._callers[_own.number].call)
        return _answers0[code]

    def cudaHostAlloc(self, size: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _cudaHostAlloc(self._callers[_own.number].call, size, flags)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaHostGetDevicePointer(self, pHost: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if type(pHost) is not int or pHost >> 64:
            pHost, held_pHost = _host(pHost)
        code, out = _cudaHostGetDevicePointer(self._callers[_own.number].call, pHost, flags)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaHostGetFlags(self, pHost: Any) -> tuple[Any, ...]:
        if type(pHost) is not int or pHost >> 64:
            pHost, held_pHost = _host(pHost)
        code, out = _cudaHostGetFlags(self._callers[_own.number].call, pHost)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaHostRegister(self, ptr: Any, size: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if type(ptr) is not int or ptr >> 64:
            ptr, held_ptr = _host(ptr)
        code, _ = _cudaHostRegister(self._callers[_own.number].call, ptr, size, flags)
        return _answers0[code]

    def cudaHostUnregister(self, ptr: Any) -> tuple[Any, ...]:
        if type(ptr) is not int or ptr >> 64:
            ptr, held_ptr = _host(ptr)
        code, _ = _cudaHostUnregister(self._callers[_own.number].call, ptr)
        return _answers0[code]

    def cudaInitDevice(self, device: Any, deviceFlags: Any, flags: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        if type(deviceFlags) is not int or deviceFlags >> 32:
            deviceFlags = _unsigned_int(deviceFlags)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, _ = _cudaInitDevice(self._callers[_own.number].call, device, deviceFlags, flags)
        return _answers0[code]

    def cudaIpcCloseMemHandle(self, devPtr: Any) -> tuple[Any, ...]:
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        code, _ = _cudaIpcCloseMemHandle(self._callers[_own.number].call, devPtr)
        return _answers0[code]

    def cudaIpcGetEventHandle(self, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        code, out = _cudaIpcGetEventHandle(self._callers[_own.number].call, event)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaIpcEventHandle_t_made(out)

    def cudaIpcGetMemHandle(self, devPtr: Any) -> tuple[Any, ...]:
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        code, out = _cudaIpcGetMemHandle(self._callers[_own.number].call, devPtr)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaIpcMemHandle_t_made(out)

    def cudaIpcOpenEventHandle(self, handle: Any) -> tuple[Any, ...]:
        if not isinstance(handle, cudaIpcEventHandle_t):
            raise _wrong_type(handle, "handle", cudaIpcEventHandle_t)
        handle = _cudaIpcEventHandle_t_plain(handle)
        code, out = _cudaIpcOpenEventHandle(self._callers[_own.number].call, handle)
        if code:
            return _answers1[code]
        return SUCCESS, cudaEvent_t(out)

    def cudaIpcOpenMemHandle(self, handle: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if not isinstance(handle, cudaIpcMemHandle_t):
            raise _wrong_type(handle, "handle", cudaIpcMemHandle_t)
        handle = _cudaIpcMemHandle_t_plain(handle)
        code, out = _cudaIpcOpenMemHandle(self._callers[_own.number].call, handle, flags)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaLaunchHostFunc(self, stream: Any, fn: Any, userData: Any) -> tuple[Any, ...]:
        fn = (int(fn) if type(fn) is cudaHostFn_t else fn if type(fn) is int and not fn >> 64 else _handle(fn)) or CALLS_NULL
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        if type(userData) is not int or userData >> 64:
            userData, held_userData = _host(userData)
        code, _ = _cudaLaunchHostFunc(self._callers[_own.number].call, stream, fn, userData)
        return _answers0[code]

    def cudaLaunchHostFunc_v2(self, stream: Any, fn: Any, userData: Any, syncMode: Any) -> tuple[Any, ...]:
        if type(syncMode) is not int or syncMode >> 32:
            syncMode = _unsigned_int(syncMode)
        fn = (int(fn) if type(fn) is cudaHostFn_t else fn if type(fn) is int and not fn >> 64 else _handle(fn)) or CALLS_NULL
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        if type(userData) is not int or userData >> 64:
            userData, held_userData = _host(userData)
        code, _ = _cudaLaunchHostFunc_v2(self._callers[_own.number].call, stream, fn, userData, syncMode)
        return _answers0[code]

    def cudaMalloc(self, size: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        code, out = _cudaMalloc(self._callers[_own.number].call, size)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaMalloc3D(self, extent: Any) -> tuple[Any, ...]:
        if not isinstance(extent, cudaExtent):
            raise _wrong_type(extent, "extent", cudaExtent)
        extent = _cudaExtent_plain(extent)
        code, out = _cudaMalloc3D(self._callers[_own.number].call, extent)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaPitchedPtr_made(out)

    def cudaMallocAsync(self, size: Any, hStream: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        hStream = int(hStream) if type(hStream) is cudaStream_t else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cudaMallocAsync(self._callers[_own.number].call, size, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaMallocFromPoolAsync(self, size: Any, memPool: Any, stream: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        memPool = int(memPool) if type(memPool) is cudaMemPool_t else memPool if type(memPool) is int and not memPool >> 64 else _handle(memPool)
        code, out = _cudaMallocFromPoolAsync(self._callers[_own.number].call, size, memPool, stream)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaMallocHost(self, size: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        code, out = _cudaMallocHost(self._callers[_own.number].call, size)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaMallocManaged(self, size: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _cudaMallocManaged(self._callers[_own.number].call, size, flags)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaMallocPitch(self, width: Any, height: Any) -> tuple[Any, ...]:
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        code, out = _cudaMallocPitch(self._callers[_own.number].call, width, height)
        if code:
            return _answers2[code]
        devPtr, pitch = out
        return SUCCESS, devPtr, pitch

    def cudaMemAdvise(self, devPtr: Any, count: Any, advice: Any, location: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if advice is None:
            _given(advice, "advice")
        if not isinstance(location, cudaMemLocation):
            raise _wrong_type(location, "location", cudaMemLocation)
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        advice = +advice if type(advice) is cudaMemoryAdvise else _cudaMemoryAdvise(advice)
        location = _cudaMemLocation_plain(location)
        code, _ = _cudaMemAdvise(self._callers[_own.number].call, devPtr, count, advice, location)
        return _answers0[code]

    def cudaMemDiscardAndPrefetchBatchAsync(self, dptrs: Any, sizes: Any, count: Any, prefetchLocs: Any, prefetchLocIdxs: Any, numPrefetchLocs: Any, flags: Any, stream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(numPrefetchLocs) is not int or numPrefetchLocs >> 64:
            numPrefetchLocs = _size_t(numPrefetchLocs)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        _numbers(prefetchLocIdxs, "prefetchLocIdxs")
        prefetchLocs = _structs(prefetchLocs, "prefetchLocs", cudaMemLocation)
        _numbers(sizes, "sizes")
        dptrs, held_dptrs = _addresses(dptrs)
        dptrs = _plain_addresses(dptrs, count)
        sizes = _plain_numbers(sizes, count)
        prefetchLocs = _counted(prefetchLocs, numPrefetchLocs, _cudaMemLocation_plain)
        prefetchLocIdxs = _plain_numbers(prefetchLocIdxs, numPrefetchLocs)
        code, _ = _cudaMemDiscardAndPrefetchBatchAsync(self._callers[_own.number].call, dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, stream)
        return _answers0[code]

    def cudaMemDiscardBatchAsync(self, dptrs: Any, sizes: Any, count: Any, flags: Any, stream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        _numbers(sizes, "sizes")
        dptrs, held_dptrs = _addresses(dptrs)
        dptrs = _plain_addresses(dptrs, count)
        sizes = _plain_numbers(sizes, count)
        code, _ = _cudaMemDiscardBatchAsync(self._callers[_own.number].call, dptrs, sizes, count, flags, stream)
        return _answers0[code]

    def cudaMemGetDefaultMemPool(self, location: Any, typename: Any) -> tuple[Any, ...]:
        if location is not None and not isinstance(location, cudaMemLocation):
            raise _wrong_type(location, "location", cudaMemLocation)
        if typename is None:
            _given(typename, "typename")
        location = None if location is None else _cudaMemLocation_plain(location)
        typename = +typename if type(typename) is cudaMemAllocationType else _cudaMemAllocationType(typename)
        code, out = _cudaMemGetDefaultMemPool(self._callers[_own.number].call, location, typename)
        if code:
            return _answers1[code]
        return SUCCESS, cudaMemPool_t(out)

    def cudaMemGetInfo(self) -> tuple[Any, ...]:
        code, out = _cudaMemGetInfo(self._callers[_own.number].call)
        if code:
            return _answers2[code]
        free, total = out
        return SUCCESS, free, total

    def cudaMemGetMemPool(self, location: Any, typename: Any) -> tuple[Any, ...]:
        if location is not None and not isinstance(location, cudaMemLocation):
            raise _wrong_type(location, "location", cudaMemLocation)
        if typename is None:
            _given(typename, "typename")
        location = None if location is None else _cudaMemLocation_plain(location)
        typename = +typename if type(typename) is cudaMemAllocationType else _cudaMemAllocationType(typename)
        code, out = _cudaMemGetMemPool(self._callers[_own.number].call, location, typename)
        if code:
            return _answers1[code]
        return SUCCESS, cudaMemPool_t(out)

    def cudaMemPoolCreate(self, poolProps: Any) -> tuple[Any, ...]:
        if poolProps is not None and not isinstance(poolProps, cudaMemPoolProps):
            raise _wrong_type(poolProps, "poolProps", cudaMemPoolProps)
        poolProps = None if poolProps is None else _cudaMemPoolProps_plain(poolProps)
        code, out = _cudaMemPoolCreate(self._callers[_own.number].call, poolProps)
        if code:
            return _answers1[code]
        return SUCCESS, cudaMemPool_t(out)

    def cudaMemPoolDestroy(self, memPool: Any) -> tuple[Any, ...]:
        memPool = int(memPool) if type(memPool) is cudaMemPool_t else memPool if type(memPool) is int and not memPool >> 64 else _handle(memPool)
        code, _ = _cudaMemPoolDestroy(self._callers[_own.number].call, memPool)
        return _answers0[code]

    def cudaMemPoolExportPointer(self, ptr: Any) -> tuple[Any, ...]:
        if type(ptr) is not int or ptr >> 64:
            ptr, held_ptr = _host(ptr)
        code, out = _cudaMemPoolExportPointer(self._callers[_own.number].call, ptr)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaMemPoolPtrExportData_made(out)

    def cudaMemPoolExportToShareableHandle(self, memPool: Any, handleType: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if handleType is None:
            _given(handleType, "handleType")
        memPool = int(memPool) if type(memPool) is cudaMemPool_t else memPool if type(memPool) is int and not memPool >> 64 else _handle(memPool)
        handleType = +handleType if type(handleType) is cudaMemAllocationHandleType and handleType in _cudaMemAllocationHandleType_known else _cudaMemAllocationHandleType_by_value(handleType)
        code, out = _cudaMemPoolExportToShareableHandle(self._callers[_own.number].call, memPool, handleType, flags)
        if code:
            return _answers1[code]
        return SUCCESS, _filled(CUmemFabricHandle, out) if type(out) is bytes else out

    def cudaMemPoolGetAccess(self, memPool: Any, location: Any) -> tuple[Any, ...]:
        if location is not None and not isinstance(location, cudaMemLocation):
            raise _wrong_type(location, "location", cudaMemLocation)
        memPool = int(memPool) if type(memPool) is cudaMemPool_t else memPool if type(memPool) is int and not memPool >> 64 else _handle(memPool)
        location = None if location is None else _cudaMemLocation_plain(location)
        code, out = _cudaMemPoolGetAccess(self._callers[_own.number].call, memPool, location)
        if code:
            return _answers1[code]
        return SUCCESS, cudaMemAccessFlags(out)

    def cudaMemPoolGetAttribute(self, memPool: Any, attr: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        memPool = int(memPool) if type(memPool) is cudaMemPool_t else memPool if type(memPool) is int and not memPool >> 64 else _handle(memPool)
        attr = +attr if type(attr) is cudaMemPoolAttr and attr in _cudaMemPoolAttr_known else _cudaMemPoolAttr_by_value(attr)
        code, out = _cudaMemPoolGetAttribute(self._callers[_own.number].call, memPool, attr)
        if code:
            return _answers1[code]
        return SUCCESS, _pool_value(attr, out)

    def cudaMemPoolImportFromShareableHandle(self, shareableHandle: Any, handleType: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if handleType is None:
            _given(handleType, "handleType")
        if type(shareableHandle) is not int or shareableHandle >> 64:
            shareableHandle, held_shareableHandle = _host(shareableHandle)
        handleType = +handleType if type(handleType) is cudaMemAllocationHandleType else _cudaMemAllocationHandleType(handleType)
        shareableHandle = _shared(shareableHandle, handleType)
        code, out = _cudaMemPoolImportFromShareableHandle(self._callers[_own.number].call, shareableHandle, handleType, flags)
        if code:
            return _answers1[code]
        return SUCCESS, cudaMemPool_t(out)

    def cudaMemPoolImportPointer(self, memPool: Any, exportData: Any) -> tuple[Any, ...]:
        if exportData is not None and not isinstance(exportData, cudaMemPoolPtrExportData):
            raise _wrong_type(exportData, "exportData", cudaMemPoolPtrExportData)
        memPool = int(memPool) if type(memPool) is cudaMemPool_t else memPool if type(memPool) is int and not memPool >> 64 else _handle(memPool)
        exportData = None if exportData is None else _cudaMemPoolPtrExportData_plain(exportData)
        code, out = _cudaMemPoolImportPointer(self._callers[_own.number].call, memPool, exportData)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaMemPoolSetAccess(self, memPool: Any, descList: Any, count: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        descList = _structs(descList, "descList", cudaMemAccessDesc)
        memPool = int(memPool) if type(memPool) is cudaMemPool_t else memPool if type(memPool) is int and not memPool >> 64 else _handle(memPool)
        descList = _counted(descList, count, _cudaMemAccessDesc_plain)
        code, _ = _cudaMemPoolSetAccess(self._callers[_own.number].call, memPool, descList, count)
        return _answers0[code]

    def cudaMemPoolSetAttribute(self, memPool: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        memPool = int(memPool) if type(memPool) is cudaMemPool_t else memPool if type(memPool) is int and not memPool >> 64 else _handle(memPool)
        attr = +attr if type(attr) is cudaMemPoolAttr and attr in _cudaMemPoolAttr_known else _cudaMemPoolAttr_by_value(attr)
        value = _pool_word(value, attr)
        code, _ = _cudaMemPoolSetAttribute(self._callers[_own.number].call, memPool, attr, value)
        return _answers0[code]

    def cudaMemPoolTrimTo(self, memPool: Any, minBytesToKeep: Any) -> tuple[Any, ...]:
        if type(minBytesToKeep) is not int or minBytesToKeep >> 64:
            minBytesToKeep = _size_t(minBytesToKeep)
        memPool = int(memPool) if type(memPool) is cudaMemPool_t else memPool if type(memPool) is int and not memPool >> 64 else _handle(memPool)
        code, _ = _cudaMemPoolTrimTo(self._callers[_own.number].call, memPool, minBytesToKeep)
        return _answers0[code]

    def cudaMemPrefetchAsync(self, devPtr: Any, count: Any, location: Any, flags: Any, stream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if not isinstance(location, cudaMemLocation):
            raise _wrong_type(location, "location", cudaMemLocation)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        location = _cudaMemLocation_plain(location)
        code, _ = _cudaMemPrefetchAsync(self._callers[_own.number].call, devPtr, count, location, flags, stream)
        return _answers0[code]

    def cudaMemPrefetchBatchAsync(self, dptrs: Any, sizes: Any, count: Any, prefetchLocs: Any, prefetchLocIdxs: Any, numPrefetchLocs: Any, flags: Any, stream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(numPrefetchLocs) is not int or numPrefetchLocs >> 64:
            numPrefetchLocs = _size_t(numPrefetchLocs)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        _numbers(prefetchLocIdxs, "prefetchLocIdxs")
        prefetchLocs = _structs(prefetchLocs, "prefetchLocs", cudaMemLocation)
        _numbers(sizes, "sizes")
        dptrs, held_dptrs = _addresses(dptrs)
        dptrs = _plain_addresses(dptrs, count)
        sizes = _plain_numbers(sizes, count)
        prefetchLocs = _counted(prefetchLocs, numPrefetchLocs, _cudaMemLocation_plain)
        prefetchLocIdxs = _plain_numbers(prefetchLocIdxs, numPrefetchLocs)
        code, _ = _cudaMemPrefetchBatchAsync(self._callers[_own.number].call, dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, stream)
        return _answers0[code]

    def cudaMemRangeGetAttribute(self, dataSize: Any, attribute: Any, devPtr: Any, count: Any) -> tuple[Any, ...]:
        if type(dataSize) is not int or dataSize >> 64:
            dataSize = _size_t(dataSize)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if attribute is None:
            _given(attribute, "attribute")
        attribute = +attribute if type(attribute) is cudaMemRangeAttribute and attribute in _cudaMemRangeAttribute_known else _cudaMemRangeAttribute_by_value(attribute)
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        code, out = _cudaMemRangeGetAttribute(self._callers[_own.number].call, dataSize, attribute, devPtr, count)
        if code:
            return _answers1[code]
        return SUCCESS, _range_value(out)

    def cudaMemRangeGetAttributes(self, dataSizes: Any, attributes: Any, numAttributes: Any, devPtr: Any, count: Any) -> tuple[Any, ...]:
        if type(numAttributes) is not int or numAttributes >> 64:
            numAttributes = _size_t(numAttributes)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        attributes = _enums(attributes, "attributes", cudaMemRangeAttribute)
        dataSizes = _cudaMemRangeAttribute_sizes(dataSizes, "dataSizes", numAttributes, attributes)
        attributes = _whole(attributes, numAttributes)
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        code, out = _cudaMemRangeGetAttributes(self._callers[_own.number].call, dataSizes, attributes, numAttributes, devPtr, count)
        if code:
            return _answers1[code]
        return SUCCESS, _range_values(attributes, dataSizes, out)

    def cudaMemSetMemPool(self, location: Any, typename: Any, memPool: Any) -> tuple[Any, ...]:
        if location is not None and not isinstance(location, cudaMemLocation):
            raise _wrong_type(location, "location", cudaMemLocation)
        if typename is None:
            _given(typename, "typename")
        memPool = int(memPool) if type(memPool) is cudaMemPool_t else memPool if type(memPool) is int and not memPool >> 64 else _handle(memPool)
        location = None if location is None else _cudaMemLocation_plain(location)
        typename = +typename if type(typename) is cudaMemAllocationType else _cudaMemAllocationType(typename)
        code, _ = _cudaMemSetMemPool(self._callers[_own.number].call, location, typename, memPool)
        return _answers0[code]

    def cudaMemcpy(self, dst: Any, src: Any, count: Any, kind: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if kind is None:
            _given(kind, "kind")
        if type(dst) is not int or dst >> 64:
            dst, held_dst = _host(dst)
        if type(src) is not int or src >> 64:
            src, held_src = _host(src)
        kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)
        code, _ = _cudaMemcpy(self._callers[_own.number].call, dst, src, count, kind)
        return _answers0[code]

    def cudaMemcpy2D(self, dst: Any, dpitch: Any, src: Any, spitch: Any, width: Any, height: Any, kind: Any) -> tuple[Any, ...]:
        if type(dpitch) is not int or dpitch >> 64:
            dpitch = _size_t(dpitch)
        if type(spitch) is not int or spitch >> 64:
            spitch = _size_t(spitch)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        if kind is None:
            _given(kind, "kind")
        if type(dst) is not int or dst >> 64:
            dst, held_dst = _host(dst)
        if type(src) is not int or src >> 64:
            src, held_src = _host(src)
        kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)
        code, _ = _cudaMemcpy2D(self._callers[_own.number].call, dst, dpitch, src, spitch, width, height, kind)
        return _answers0[code]

    def cudaMemcpy2DAsync(self, dst: Any, dpitch: Any, src: Any, spitch: Any, width: Any, height: Any, kind: Any, stream: Any) -> tuple[Any, ...]:
        if type(dpitch) is not int or dpitch >> 64:
            dpitch = _size_t(dpitch)
        if type(spitch) is not int or spitch >> 64:
            spitch = _size_t(spitch)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        if kind is None:
            _given(kind, "kind")
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        if type(dst) is not int or dst >> 64:
            dst, held_dst = _host(dst)
        if type(src) is not int or src >> 64:
            src, held_src = _host(src)
        kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)
        code, _ = _cudaMemcpy2DAsync(self._callers[_own.number].call, dst, dpitch, src, spitch, width, height, kind, stream)
        return _answers0[code]

    def cudaMemcpy3D(self, p: Any) -> tuple[Any, ...]:
        if p is not None and not isinstance(p, cudaMemcpy3DParms):
            raise _wrong_type(p, "p", cudaMemcpy3DParms)
        p = None if p is None else _cudaMemcpy3DParms_plain(p)
        code, _ = _cudaMemcpy3D(self._callers[_own.number].call, p)
        return _answers0[code]

    def cudaMemcpy3DAsync(self, p: Any, stream: Any) -> tuple[Any, ...]:
        if p is not None and not isinstance(p, cudaMemcpy3DParms):
            raise _wrong_type(p, "p", cudaMemcpy3DParms)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        p = None if p is None else _cudaMemcpy3DParms_plain(p)
        code, _ = _cudaMemcpy3DAsync(self._callers[_own.number].call, p, stream)
        return _answers0[code]

    def cudaMemcpy3DPeer(self, p: Any) -> tuple[Any, ...]:
        if p is not None and not isinstance(p, cudaMemcpy3DPeerParms):
            raise _wrong_type(p, "p", cudaMemcpy3DPeerParms)
        p = None if p is None else _cudaMemcpy3DPeerParms_plain(p)
        code, _ = _cudaMemcpy3DPeer(self._callers[_own.number].call, p)
        return _answers0[code]

    def cudaMemcpy3DPeerAsync(self, p: Any, stream: Any) -> tuple[Any, ...]:
        if p is not None and not isinstance(p, cudaMemcpy3DPeerParms):
            raise _wrong_type(p, "p", cudaMemcpy3DPeerParms)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        p = None if p is None else _cudaMemcpy3DPeerParms_plain(p)
        code, _ = _cudaMemcpy3DPeerAsync(self._callers[_own.number].call, p, stream)
        return _answers0[code]

    def cudaMemcpyAsync(self, dst: Any, src: Any, count: Any, kind: Any, stream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if kind is None:
            _given(kind, "kind")
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        if type(dst) is not int or dst >> 64:
            dst, held_dst = _host(dst)
        if type(src) is not int or src >> 64:
            src, held_src = _host(src)
        kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)
        code, _ = _cudaMemcpyAsync(self._callers[_own.number].call, dst, src, count, kind, stream)
        return _answers0[code]

    def cudaMemcpyBatchAsync(self, dsts: Any, srcs: Any, sizes: Any, count: Any, attrs: Any, attrsIdxs: Any, numAttrs: Any, stream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(numAttrs) is not int or numAttrs >> 64:
            numAttrs = _size_t(numAttrs)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        _numbers(attrsIdxs, "attrsIdxs")
        attrs = _structs(attrs, "attrs", cudaMemcpyAttributes)
        _numbers(sizes, "sizes")
        dsts, held_dsts = _addresses(dsts)
        srcs, held_srcs = _addresses(srcs)
        dsts = _plain_addresses(dsts, count)
        srcs = _plain_addresses(srcs, count)
        sizes = _plain_numbers(sizes, count)
        attrs = _counted(attrs, numAttrs, _cudaMemcpyAttributes_plain)
        attrsIdxs = _plain_numbers(attrsIdxs, numAttrs)
        code, _ = _cudaMemcpyBatchAsync(self._callers[_own.number].call, dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream)
        return _answers0[code]

    def cudaMemcpyPeer(self, dst: Any, dstDevice: Any, src: Any, srcDevice: Any, count: Any) -> tuple[Any, ...]:
        if type(dstDevice) is not int or (dstDevice + 0x80000000) >> 32:
            dstDevice = _signed(dstDevice)
        if type(srcDevice) is not int or (srcDevice + 0x80000000) >> 32:
            srcDevice = _signed(srcDevice)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(dst) is not int or dst >> 64:
            dst, held_dst = _host(dst)
        if type(src) is not int or src >> 64:
            src, held_src = _host(src)
        code, _ = _cudaMemcpyPeer(self._callers[_own.number].call, dst, dstDevice, src, srcDevice, count)
        return _answers0[code]

    def cudaMemcpyPeerAsync(self, dst: Any, dstDevice: Any, src: Any, srcDevice: Any, count: Any, stream: Any) -> tuple[Any, ...]:
        if type(dstDevice) is not int or (dstDevice + 0x80000000) >> 32:
            dstDevice = _signed(dstDevice)
        if type(srcDevice) is not int or (srcDevice + 0x80000000) >> 32:
            srcDevice = _signed(srcDevice)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        if type(dst) is not int or dst >> 64:
            dst, held_dst = _host(dst)
        if type(src) is not int or src >> 64:
            src, held_src = _host(src)
        code, _ = _cudaMemcpyPeerAsync(self._callers[_own.number].call, dst, dstDevice, src, srcDevice, count, stream)
        return _answers0[code]

    def cudaMemcpyWithAttributesAsync(self, dst: Any, src: Any, size: Any, attr: Any, stream: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if attr is not None and not isinstance(attr, cudaMemcpyAttributes):
            raise _wrong_type(attr, "attr", cudaMemcpyAttributes)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        if type(dst) is not int or dst >> 64:
            dst, held_dst = _host(dst)
        if type(src) is not int or src >> 64:
            src, held_src = _host(src)
        attr = None if attr is None else _cudaMemcpyAttributes_plain(attr)
        code, _ = _cudaMemcpyWithAttributesAsync(self._callers[_own.number].call, dst, src, size, attr, stream)
        return _answers0[code]

    def cudaMemset(self, devPtr: Any, value: Any, count: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        code, _ = _cudaMemset(self._callers[_own.number].call, devPtr, value, count)
        return _answers0[code]

    def cudaMemset2D(self, devPtr: Any, pitch: Any, value: Any, width: Any, height: Any) -> tuple[Any, ...]:
        if type(pitch) is not int or pitch >> 64:
            pitch = _size_t(pitch)
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        code, _ = _cudaMemset2D(self._callers[_own.number].call, devPtr, pitch, value, width, height)
        return _answers0[code]

    def cudaMemset2DAsync(self, devPtr: Any, pitch: Any, value: Any, width: Any, height: Any, stream: Any) -> tuple[Any, ...]:
        if type(pitch) is not int or pitch >> 64:
            pitch = _size_t(pitch)
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        code, _ = _cudaMemset2DAsync(self._callers[_own.number].call, devPtr, pitch, value, width, height, stream)
        return _answers0[code]

    def cudaMemset3D(self, pitchedDevPtr: Any, value: Any, extent: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if not isinstance(pitchedDevPtr, cudaPitchedPtr):
            raise _wrong_type(pitchedDevPtr, "pitchedDevPtr", cudaPitchedPtr)
        if not isinstance(extent, cudaExtent):
            raise _wrong_type(extent, "extent", cudaExtent)
        pitchedDevPtr = _cudaPitchedPtr_plain(pitchedDevPtr)
        extent = _cudaExtent_plain(extent)
        code, _ = _cudaMemset3D(self._callers[_own.number].call, pitchedDevPtr, value, extent)
        return _answers0[code]

    def cudaMemset3DAsync(self, pitchedDevPtr: Any, value: Any, extent: Any, stream: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if not isinstance(pitchedDevPtr, cudaPitchedPtr):
            raise _wrong_type(pitchedDevPtr, "pitchedDevPtr", cudaPitchedPtr)
        if not isinstance(extent, cudaExtent):
            raise _wrong_type(extent, "extent", cudaExtent)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        pitchedDevPtr = _cudaPitchedPtr_plain(pitchedDevPtr)
        extent = _cudaExtent_plain(extent)
        code, _ = _cudaMemset3DAsync(self._callers[_own.number].call, pitchedDevPtr, value, extent, stream)
        return _answers0[code]

    def cudaMemsetAsync(self, devPtr: Any, value: Any, count: Any, stream: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        code, _ = _cudaMemsetAsync(self._callers[_own.number].call, devPtr, value, count, stream)
        return _answers0[code]

    def cudaPeekAtLastError(self) -> tuple[Any, ...]:
        code, _ = _cudaPeekAtLastError(self._callers[_own.number].call)
        return _answers0[code]

    def cudaPointerGetAttributes(self, ptr: Any) -> tuple[Any, ...]:
        if type(ptr) is not int or ptr >> 64:
            ptr, held_ptr = _host(ptr)
        code, out = _cudaPointerGetAttributes(self._callers[_own.number].call, ptr)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaPointerAttributes_made(out)

    def cudaRuntimeGetVersion(self) -> tuple[Any, ...]:
        code, out = _cudaRuntimeGetVersion(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaSetDevice(self, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, _ = _cudaSetDevice(self._callers[_own.number].call, device)
        return _answers0[code]

    def cudaSetDeviceFlags(self, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, _ = _cudaSetDeviceFlags(self._callers[_own.number].call, flags)
        return _answers0[code]

    def cudaStreamAddCallback(self, stream: Any, callback: Any, userData: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        callback = (int(callback) if type(callback) is cudaStreamCallback_t else callback if type(callback) is int and not callback >> 64 else _handle(callback)) or CALLS_NULL
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        if type(userData) is not int or userData >> 64:
            userData, held_userData = _host(userData)
        code, _ = _cudaStreamAddCallback(self._callers[_own.number].call, stream, callback, userData, flags)
        return _answers0[code]

    def cudaStreamAttachMemAsync(self, stream: Any, devPtr: Any, length: Any, flags: Any) -> tuple[Any, ...]:
        if type(length) is not int or length >> 64:
            length = _size_t(length)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        if type(devPtr) is not int or devPtr >> 64:
            devPtr, held_devPtr = _host(devPtr)
        code, _ = _cudaStreamAttachMemAsync(self._callers[_own.number].call, stream, devPtr, length, flags)
        return _answers0[code]

    def cudaStreamCopyAttributes(self, dst: Any, src: Any) -> tuple[Any, ...]:
        src = int(src) if type(src) is cudaStream_t else src if type(src) is int and not src >> 64 else _handle(src)
        dst = int(dst) if type(dst) is cudaStream_t else dst if type(dst) is int and not dst >> 64 else _handle(dst)
        code, _ = _cudaStreamCopyAttributes(self._callers[_own.number].call, dst, src)
        return _answers0[code]

    def cudaStreamCreate(self) -> tuple[Any, ...]:
        code, out = _cudaStreamCreate(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, cudaStream_t(out)

    def cudaStreamCreateWithFlags(self, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _cudaStreamCreateWithFlags(self._callers[_own.number].call, flags)
        if code:
            return _answers1[code]
        return SUCCESS, cudaStream_t(out)

    def cudaStreamCreateWithPriority(self, flags: Any, priority: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if type(priority) is not int or (priority + 0x80000000) >> 32:
            priority = _signed(priority)
        code, out = _cudaStreamCreateWithPriority(self._callers[_own.number].call, flags, priority)
        if code:
            return _answers1[code]
        return SUCCESS, cudaStream_t(out)

    def cudaStreamDestroy(self, stream: Any) -> tuple[Any, ...]:
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        code, _ = _cudaStreamDestroy(self._callers[_own.number].call, stream)
        return _answers0[code]

    def cudaStreamGetAttribute(self, hStream: Any, attr: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        hStream = int(hStream) if type(hStream) is cudaStream_t else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        attr = +attr if type(attr) is cudaStreamAttrID else _cudaStreamAttrID(attr)
        code, out = _cudaStreamGetAttribute(self._callers[_own.number].call, hStream, attr)
        if code:
            return _answers1[code]
        return SUCCESS, _stream_value_made(cudaStreamAttrValue, attr, out)

    def cudaStreamGetDevice(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is cudaStream_t else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cudaStreamGetDevice(self._callers[_own.number].call, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaStreamGetFlags(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is cudaStream_t else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cudaStreamGetFlags(self._callers[_own.number].call, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaStreamGetId(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is cudaStream_t else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cudaStreamGetId(self._callers[_own.number].call, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaStreamGetPriority(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is cudaStream_t else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cudaStreamGetPriority(self._callers[_own.number].call, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaStreamIsCapturing(self, stream: Any) -> tuple[Any, ...]:
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        code, out = _cudaStreamIsCapturing(self._callers[_own.number].call, stream)
        if code:
            return _answers1[code]
        return SUCCESS, cudaStreamCaptureStatus(out)

    def cudaStreamQuery(self, stream: Any) -> tuple[Any, ...]:
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        code, _ = _cudaStreamQuery(self._callers[_own.number].call, stream)
        return _answers0[code]

    def cudaStreamSetAttribute(self, hStream: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        if value is not None and not isinstance(value, cudaStreamAttrValue):
            raise _wrong_type(value, "value", cudaStreamAttrValue)
        hStream = int(hStream) if type(hStream) is cudaStream_t else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        attr = +attr if type(attr) is cudaStreamAttrID else _cudaStreamAttrID(attr)
        value = None if value is None else _stream_value(value, attr)
        code, _ = _cudaStreamSetAttribute(self._callers[_own.number].call, hStream, attr, value)
        return _answers0[code]

    def cudaStreamSynchronize(self, stream: Any) -> tuple[Any, ...]:
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        code, _ = _cudaStreamSynchronize(self._callers[_own.number].call, stream)
        return _answers0[code]

    def cudaStreamWaitEvent(self, stream: Any, event: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        code, _ = _cudaStreamWaitEvent(self._callers[_own.number].call, stream, event, flags)
        return _answers0[code]


def _take_cudaArrayGetInfo(array: Any) -> None:
    array = int(array) if type(array) is cudaArray_t else array if type(array) is int and not array >> 64 else _handle(array)


def _take_cudaArrayGetMemoryRequirements(array: Any, device: Any) -> None:
    if type(device) is not int or (device + 0x80000000) >> 32:
        device = _signed(device)
    array = int(array) if type(array) is cudaArray_t else array if type(array) is int and not array >> 64 else _handle(array)


def _take_cudaArrayGetPlane(hArray: Any, planeIdx: Any) -> None:
    if type(planeIdx) is not int or planeIdx >> 32:
        planeIdx = _unsigned_int(planeIdx)
    hArray = int(hArray) if type(hArray) is cudaArray_t else hArray if type(hArray) is int and not hArray >> 64 else _handle(hArray)


def _take_cudaArrayGetSparseProperties(array: Any) -> None:
    array = int(array) if type(array) is cudaArray_t else array if type(array) is int and not array >> 64 else _handle(array)


def _take_cudaDevResourceGenerateDesc(resources: Any, nbResources: Any) -> None:
    if type(nbResources) is not int or nbResources >> 32:
        nbResources = _unsigned_int(nbResources)
    resources = _structs(resources, "resources", cudaDevResource)


def _take_cudaDevSmResourceSplit(nbGroups: Any, input_: Any, flags: Any, groupParams: Any) -> None:
    if type(nbGroups) is not int or nbGroups >> 32:
        nbGroups = _unsigned_int(nbGroups)
    if type(flags) is not int or flags >> 32:
        flags = _unsigned_int(flags)
    if input_ is not None and not isinstance(input_, cudaDevResource):
        raise _wrong_type(input_, "input_", cudaDevResource)
    groupParams = _structs(groupParams, "groupParams", cudaDevSmResourceGroupParams)


def _take_cudaDevSmResourceSplitByCount(nbGroups: Any, input_: Any, flags: Any, minCount: Any) -> None:
    if type(nbGroups) is not int or nbGroups >> 32:
        nbGroups = _unsigned_int(nbGroups)
    if type(flags) is not int or flags >> 32:
        flags = _unsigned_int(flags)
    if type(minCount) is not int or minCount >> 32:
        minCount = _unsigned_int(minCount)
    if input_ is not None and not isinstance(input_, cudaDevResource):
        raise _wrong_type(input_, "input_", cudaDevResource)


def _take_cudaDeviceGetDevResource(device: Any, typename: Any) -> None:
    if type(device) is not int or (device + 0x80000000) >> 32:
        device = _signed(device)
    if typename is None:
        _given(typename, "typename")
    typename = +typename if type(typename) is cudaDevResourceType else _cudaDevResourceType(typename)


def _take_cudaDeviceGetExecutionCtx(device: Any) -> None:
    if type(device) is not int or (device + 0x80000000) >> 32:
        device = _signed(device)


def _take_cudaDeviceGetGraphMemAttribute(device: Any, attr: Any) -> None:
    if type(device) is not int or (device + 0x80000000) >> 32:
        device = _signed(device)
    if attr is None:
        _given(attr, "attr")
    attr = +attr if type(attr) is cudaGraphMemAttributeType and attr in _cudaGraphMemAttributeType_known else _cudaGraphMemAttributeType_by_value(attr)


def _take_cudaDeviceGraphMemTrim(device: Any) -> None:
    if type(device) is not int or (device + 0x80000000) >> 32:
        device = _signed(device)


def _take_cudaDeviceRegisterAsyncNotification(device: Any, callbackFunc: Any, userData: Any) -> None:
    if type(device) is not int or (device + 0x80000000) >> 32:
        device = _signed(device)
    callbackFunc = int(callbackFunc) if type(callbackFunc) is cudaAsyncCallback else callbackFunc if type(callbackFunc) is int and not callbackFunc >> 64 else _handle(callbackFunc)
    if type(userData) is not int or userData >> 64:
        userData, held_userData = _host(userData)


def _take_cudaDeviceSetGraphMemAttribute(device: Any, attr: Any, value: Any) -> None:
    if type(device) is not int or (device + 0x80000000) >> 32:
        device = _signed(device)
    if attr is None:
        _given(attr, "attr")
    attr = +attr if type(attr) is cudaGraphMemAttributeType and attr in _cudaGraphMemAttributeType_known else _cudaGraphMemAttributeType_by_value(attr)
    value = value.getPtr()


def _take_cudaDeviceUnregisterAsyncNotification(device: Any, callback: Any) -> None:
    if type(device) is not int or (device + 0x80000000) >> 32:
        device = _signed(device)
    callback = int(callback) if type(callback) is cudaAsyncCallbackHandle_t else callback if type(callback) is int and not callback >> 64 else _handle(callback)


def _take_cudaEventCreateFromEGLSync(eglSync: Any, flags: Any) -> None:
    if type(flags) is not int or flags >> 32:
        flags = _unsigned_int(flags)
    eglSync = int(eglSync) if type(eglSync) is EGLSyncKHR else eglSync if type(eglSync) is int and not eglSync >> 64 else _handle(eglSync)


def _take_cudaExecutionCtxDestroy(ctx: Any) -> None:
    ctx = int(ctx) if type(ctx) is cudaExecutionContext_t else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)


def _take_cudaExecutionCtxGetDevResource(ctx: Any, typename: Any) -> None:
    if typename is None:
        _given(typename, "typename")
    ctx = int(ctx) if type(ctx) is cudaExecutionContext_t else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
    typename = +typename if type(typename) is cudaDevResourceType else _cudaDevResourceType(typename)


def _take_cudaExecutionCtxGetDevice(ctx: Any) -> None:
    ctx = int(ctx) if type(ctx) is cudaExecutionContext_t else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)


def _take_cudaExecutionCtxGetId(ctx: Any) -> None:
    ctx = int(ctx) if type(ctx) is cudaExecutionContext_t else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)


def _take_cudaExecutionCtxRecordEvent(ctx: Any, event: Any) -> None:
    event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
    ctx = int(ctx) if type(ctx) is cudaExecutionContext_t else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)


def _take_cudaExecutionCtxStreamCreate(ctx: Any, flags: Any, priority: Any) -> None:
    if type(flags) is not int or flags >> 32:
        flags = _unsigned_int(flags)
    if type(priority) is not int or (priority + 0x80000000) >> 32:
        priority = _signed(priority)
    ctx = int(ctx) if type(ctx) is cudaExecutionContext_t else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)


def _take_cudaExecutionCtxSynchronize(ctx: Any) -> None:
    ctx = int(ctx) if type(ctx) is cudaExecutionContext_t else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)


def _take_cudaExecutionCtxWaitEvent(ctx: Any, event: Any) -> None:
    event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
    ctx = int(ctx) if type(ctx) is cudaExecutionContext_t else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)


def _take_cudaFreeArray(array: Any) -> None:
    array = int(array) if type(array) is cudaArray_t else array if type(array) is int and not array >> 64 else _handle(array)


def _take_cudaFreeMipmappedArray(mipmappedArray: Any) -> None:
    mipmappedArray = int(mipmappedArray) if type(mipmappedArray) is cudaMipmappedArray_t else mipmappedArray if type(mipmappedArray) is int and not mipmappedArray >> 64 else _handle(mipmappedArray)


def _take_cudaGreenCtxCreate(desc: Any, device: Any, flags: Any) -> None:
    if type(device) is not int or (device + 0x80000000) >> 32:
        device = _signed(device)
    if type(flags) is not int or flags >> 32:
        flags = _unsigned_int(flags)
    desc = int(desc) if type(desc) is cudaDevResourceDesc_t else desc if type(desc) is int and not desc >> 64 else _handle(desc)


def _take_cudaLogsRegisterCallback(callbackFunc: Any, userData: Any) -> None:
    callbackFunc = int(callbackFunc) if type(callbackFunc) is cudaLogsCallback_t else callbackFunc if type(callbackFunc) is int and not callbackFunc >> 64 else _handle(callbackFunc)
    if type(userData) is not int or userData >> 64:
        userData, held_userData = _host(userData)


def _take_cudaMalloc3DArray(desc: Any, extent: Any, flags: Any) -> None:
    if type(flags) is not int or flags >> 32:
        flags = _unsigned_int(flags)
    if desc is not None and not isinstance(desc, cudaChannelFormatDesc):
        raise _wrong_type(desc, "desc", cudaChannelFormatDesc)
    if not isinstance(extent, cudaExtent):
        raise _wrong_type(extent, "extent", cudaExtent)


def _take_cudaMallocArray(desc: Any, width: Any, height: Any, flags: Any) -> None:
    if type(width) is not int or width >> 64:
        width = _size_t(width)
    if type(height) is not int or height >> 64:
        height = _size_t(height)
    if type(flags) is not int or flags >> 32:
        flags = _unsigned_int(flags)
    if desc is not None and not isinstance(desc, cudaChannelFormatDesc):
        raise _wrong_type(desc, "desc", cudaChannelFormatDesc)


def _take_cudaMallocMipmappedArray(desc: Any, extent: Any, numLevels: Any, flags: Any) -> None:
    if type(numLevels) is not int or numLevels >> 32:
        numLevels = _unsigned_int(numLevels)
    if type(flags) is not int or flags >> 32:
        flags = _unsigned_int(flags)
    if desc is not None and not isinstance(desc, cudaChannelFormatDesc):
        raise _wrong_type(desc, "desc", cudaChannelFormatDesc)
    if not isinstance(extent, cudaExtent):
        raise _wrong_type(extent, "extent", cudaExtent)


def _take_cudaMemcpy2DArrayToArray(dst: Any, wOffsetDst: Any, hOffsetDst: Any, src: Any, wOffsetSrc: Any, hOffsetSrc: Any, width: Any, height: Any, kind: Any) -> None:
    if type(wOffsetDst) is not int or wOffsetDst >> 64:
        wOffsetDst = _size_t(wOffsetDst)
    if type(hOffsetDst) is not int or hOffsetDst >> 64:
        hOffsetDst = _size_t(hOffsetDst)
    if type(wOffsetSrc) is not int or wOffsetSrc >> 64:
        wOffsetSrc = _size_t(wOffsetSrc)
    if type(hOffsetSrc) is not int or hOffsetSrc >> 64:
        hOffsetSrc = _size_t(hOffsetSrc)
    if type(width) is not int or width >> 64:
        width = _size_t(width)
    if type(height) is not int or height >> 64:
        height = _size_t(height)
    if kind is None:
        _given(kind, "kind")
    src = int(src) if type(src) is cudaArray_const_t else src if type(src) is int and not src >> 64 else _handle(src)
    dst = int(dst) if type(dst) is cudaArray_t else dst if type(dst) is int and not dst >> 64 else _handle(dst)
    kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)


def _take_cudaMemcpy2DFromArray(dst: Any, dpitch: Any, src: Any, wOffset: Any, hOffset: Any, width: Any, height: Any, kind: Any) -> None:
    if type(dpitch) is not int or dpitch >> 64:
        dpitch = _size_t(dpitch)
    if type(wOffset) is not int or wOffset >> 64:
        wOffset = _size_t(wOffset)
    if type(hOffset) is not int or hOffset >> 64:
        hOffset = _size_t(hOffset)
    if type(width) is not int or width >> 64:
        width = _size_t(width)
    if type(height) is not int or height >> 64:
        height = _size_t(height)
    if kind is None:
        _given(kind, "kind")
    src = int(src) if type(src) is cudaArray_const_t else src if type(src) is int and not src >> 64 else _handle(src)
    if type(dst) is not int or dst >> 64:
        dst, held_dst = _host(dst)
    kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)


def _take_cudaMemcpy2DFromArrayAsync(dst: Any, dpitch: Any, src: Any, wOffset: Any, hOffset: Any, width: Any, height: Any, kind: Any, stream: Any) -> None:
    if type(dpitch) is not int or dpitch >> 64:
        dpitch = _size_t(dpitch)
    if type(wOffset) is not int or wOffset >> 64:
        wOffset = _size_t(wOffset)
    if type(hOffset) is not int or hOffset >> 64:
        hOffset = _size_t(hOffset)
    if type(width) is not int or width >> 64:
        width = _size_t(width)
    if type(height) is not int or height >> 64:
        height = _size_t(height)
    if kind is None:
        _given(kind, "kind")
    stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
    src = int(src) if type(src) is cudaArray_const_t else src if type(src) is int and not src >> 64 else _handle(src)
    if type(dst) is not int or dst >> 64:
        dst, held_dst = _host(dst)
    kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)


def _take_cudaMemcpy2DToArray(dst: Any, wOffset: Any, hOffset: Any, src: Any, spitch: Any, width: Any, height: Any, kind: Any) -> None:
    if type(wOffset) is not int or wOffset >> 64:
        wOffset = _size_t(wOffset)
    if type(hOffset) is not int or hOffset >> 64:
        hOffset = _size_t(hOffset)
    if type(spitch) is not int or spitch >> 64:
        spitch = _size_t(spitch)
    if type(width) is not int or width >> 64:
        width = _size_t(width)
    if type(height) is not int or height >> 64:
        height = _size_t(height)
    if kind is None:
        _given(kind, "kind")
    dst = int(dst) if type(dst) is cudaArray_t else dst if type(dst) is int and not dst >> 64 else _handle(dst)
    if type(src) is not int or src >> 64:
        src, held_src = _host(src)
    kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)


def _take_cudaMemcpy2DToArrayAsync(dst: Any, wOffset: Any, hOffset: Any, src: Any, spitch: Any, width: Any, height: Any, kind: Any, stream: Any) -> None:
    if type(wOffset) is not int or wOffset >> 64:
        wOffset = _size_t(wOffset)
    if type(hOffset) is not int or hOffset >> 64:
        hOffset = _size_t(hOffset)
    if type(spitch) is not int or spitch >> 64:
        spitch = _size_t(spitch)
    if type(width) is not int or width >> 64:
        width = _size_t(width)
    if type(height) is not int or height >> 64:
        height = _size_t(height)
    if kind is None:
        _given(kind, "kind")
    stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
    dst = int(dst) if type(dst) is cudaArray_t else dst if type(dst) is int and not dst >> 64 else _handle(dst)
    if type(src) is not int or src >> 64:
        src, held_src = _host(src)
    kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)


def _take_cudaMemcpy3DBatchAsync(numOps: Any, opList: Any, flags: Any, stream: Any) -> None:
    if type(numOps) is not int or numOps >> 64:
        numOps = _size_t(numOps)
    if type(flags) is not int or flags >> 64:
        flags = _unsigned_long_long(flags)
    stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
    opList = _structs(opList, "opList", cudaMemcpy3DBatchOp)
    opList = _counted(opList, numOps, id)


def _take_cudaMemcpy3DWithAttributesAsync(op: Any, flags: Any, stream: Any) -> None:
    if type(flags) is not int or flags >> 64:
        flags = _unsigned_long_long(flags)
    if op is not None and not isinstance(op, cudaMemcpy3DBatchOp):
        raise _wrong_type(op, "op", cudaMemcpy3DBatchOp)
    stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)


def _take_cudaMemcpyArrayToArray(dst: Any, wOffsetDst: Any, hOffsetDst: Any, src: Any, wOffsetSrc: Any, hOffsetSrc: Any, count: Any, kind: Any) -> None:
    if type(wOffsetDst) is not int or wOffsetDst >> 64:
        wOffsetDst = _size_t(wOffsetDst)
    if type(hOffsetDst) is not int or hOffsetDst >> 64:
        hOffsetDst = _size_t(hOffsetDst)
    if type(wOffsetSrc) is not int or wOffsetSrc >> 64:
        wOffsetSrc = _size_t(wOffsetSrc)
    if type(hOffsetSrc) is not int or hOffsetSrc >> 64:
        hOffsetSrc = _size_t(hOffsetSrc)
    if type(count) is not int or count >> 64:
        count = _size_t(count)
    if kind is None:
        _given(kind, "kind")
    src = int(src) if type(src) is cudaArray_const_t else src if type(src) is int and not src >> 64 else _handle(src)
    dst = int(dst) if type(dst) is cudaArray_t else dst if type(dst) is int and not dst >> 64 else _handle(dst)
    kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)


def _take_cudaMemcpyFromArray(dst: Any, src: Any, wOffset: Any, hOffset: Any, count: Any, kind: Any) -> None:
    if type(wOffset) is not int or wOffset >> 64:
        wOffset = _size_t(wOffset)
    if type(hOffset) is not int or hOffset >> 64:
        hOffset = _size_t(hOffset)
    if type(count) is not int or count >> 64:
        count = _size_t(count)
    if kind is None:
        _given(kind, "kind")
    src = int(src) if type(src) is cudaArray_const_t else src if type(src) is int and not src >> 64 else _handle(src)
    if type(dst) is not int or dst >> 64:
        dst, held_dst = _host(dst)
    kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)


def _take_cudaMemcpyFromArrayAsync(dst: Any, src: Any, wOffset: Any, hOffset: Any, count: Any, kind: Any, stream: Any) -> None:
    if type(wOffset) is not int or wOffset >> 64:
        wOffset = _size_t(wOffset)
    if type(hOffset) is not int or hOffset >> 64:
        hOffset = _size_t(hOffset)
    if type(count) is not int or count >> 64:
        count = _size_t(count)
    if kind is None:
        _given(kind, "kind")
    stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
    src = int(src) if type(src) is cudaArray_const_t else src if type(src) is int and not src >> 64 else _handle(src)
    if type(dst) is not int or dst >> 64:
        dst, held_dst = _host(dst)
    kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)


def _take_cudaMemcpyToArray(dst: Any, wOffset: Any, hOffset: Any, src: Any, count: Any, kind: Any) -> None:
    if type(wOffset) is not int or wOffset >> 64:
        wOffset = _size_t(wOffset)
    if type(hOffset) is not int or hOffset >> 64:
        hOffset = _size_t(hOffset)
    if type(count) is not int or count >> 64:
        count = _size_t(count)
    if kind is None:
        _given(kind, "kind")
    dst = int(dst) if type(dst) is cudaArray_t else dst if type(dst) is int and not dst >> 64 else _handle(dst)
    if type(src) is not int or src >> 64:
        src, held_src = _host(src)
    kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)


def _take_cudaMemcpyToArrayAsync(dst: Any, wOffset: Any, hOffset: Any, src: Any, count: Any, kind: Any, stream: Any) -> None:
    if type(wOffset) is not int or wOffset >> 64:
        wOffset = _size_t(wOffset)
    if type(hOffset) is not int or hOffset >> 64:
        hOffset = _size_t(hOffset)
    if type(count) is not int or count >> 64:
        count = _size_t(count)
    if kind is None:
        _given(kind, "kind")
    stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
    dst = int(dst) if type(dst) is cudaArray_t else dst if type(dst) is int and not dst >> 64 else _handle(dst)
    if type(src) is not int or src >> 64:
        src, held_src = _host(src)
    kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)


def _take_cudaStreamGetDevResource(hStream: Any, typename: Any) -> None:
    if typename is None:
        _given(typename, "typename")
    hStream = int(hStream) if type(hStream) is cudaStream_t else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
    typename = +typename if type(typename) is cudaDevResourceType else _cudaDevResourceType(typename)


TAKES: dict[str, Callable[..., None]] = {
    "cudaArrayGetInfo": _take_cudaArrayGetInfo,
    "cudaArrayGetMemoryRequirements": _take_cudaArrayGetMemoryRequirements,
    "cudaArrayGetPlane": _take_cudaArrayGetPlane,
    "cudaArrayGetSparseProperties": _take_cudaArrayGetSparseProperties,
    "cudaDevResourceGenerateDesc": _take_cudaDevResourceGenerateDesc,
    "cudaDevSmResourceSplit": _take_cudaDevSmResourceSplit,
    "cudaDevSmResourceSplitByCount": _take_cudaDevSmResourceSplitByCount,
    "cudaDeviceGetDevResource": _take_cudaDeviceGetDevResource,
    "cudaDeviceGetExecutionCtx": _take_cudaDeviceGetExecutionCtx,
    "cudaDeviceGetGraphMemAttribute": _take_cudaDeviceGetGraphMemAttribute,
    "cudaDeviceGraphMemTrim": _take_cudaDeviceGraphMemTrim,
    "cudaDeviceRegisterAsyncNotification": _take_cudaDeviceRegisterAsyncNotification,
    "cudaDeviceSetGraphMemAttribute": _take_cudaDeviceSetGraphMemAttribute,
    "cudaDeviceUnregisterAsyncNotification": _take_cudaDeviceUnregisterAsyncNotification,
    "cudaEventCreateFromEGLSync": _take_cudaEventCreateFromEGLSync,
    "cudaExecutionCtxDestroy": _take_cudaExecutionCtxDestroy,
    "cudaExecutionCtxGetDevResource": _take_cudaExecutionCtxGetDevResource,
    "cudaExecutionCtxGetDevice": _take_cudaExecutionCtxGetDevice,
    "cudaExecutionCtxGetId": _take_cudaExecutionCtxGetId,
    "cudaExecutionCtxRecordEvent": _take_cudaExecutionCtxRecordEvent,
    "cudaExecutionCtxStreamCreate": _take_cudaExecutionCtxStreamCreate,
    "cudaExecutionCtxSynchronize": _take_cudaExecutionCtxSynchronize,
    "cudaExecutionCtxWaitEvent": _take_cudaExecutionCtxWaitEvent,
    "cudaFreeArray": _take_cudaFreeArray,
    "cudaFreeMipmappedArray": _take_cudaFreeMipmappedArray,
    "cudaGreenCtxCreate": _take_cudaGreenCtxCreate,
    "cudaLogsRegisterCallback": _take_cudaLogsRegisterCallback,
    "cudaMalloc3DArray": _take_cudaMalloc3DArray,
    "cudaMallocArray": _take_cudaMallocArray,
    "cudaMallocMipmappedArray": _take_cudaMallocMipmappedArray,
    "cudaMemcpy2DArrayToArray": _take_cudaMemcpy2DArrayToArray,
    "cudaMemcpy2DFromArray": _take_cudaMemcpy2DFromArray,
    "cudaMemcpy2DFromArrayAsync": _take_cudaMemcpy2DFromArrayAsync,
    "cudaMemcpy2DToArray": _take_cudaMemcpy2DToArray,
    "cudaMemcpy2DToArrayAsync": _take_cudaMemcpy2DToArrayAsync,
    "cudaMemcpy3DBatchAsync": _take_cudaMemcpy3DBatchAsync,
    "cudaMemcpy3DWithAttributesAsync": _take_cudaMemcpy3DWithAttributesAsync,
    "cudaMemcpyArrayToArray": _take_cudaMemcpyArrayToArray,
    "cudaMemcpyFromArray": _take_cudaMemcpyFromArray,
    "cudaMemcpyFromArrayAsync": _take_cudaMemcpyFromArrayAsync,
    "cudaMemcpyToArray": _take_cudaMemcpyToArray,
    "cudaMemcpyToArrayAsync": _take_cudaMemcpyToArrayAsync,
    "cudaStreamGetDevResource": _take_cudaStreamGetDevResource,
}
"""What takes the arguments of calls of ``cuda.bindings.runtime`` that are not modelled."""
