"""The modelled calls of the look-alike; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.model.os import threads
from fakecuda.model.memory.space import MEMORY
from fakecuda.model.os.system import CALLS_NULL
from fakecuda.rules.dispatch import late
from fakecuda.rules.registry import RUNTIME
from fakecuda.reach.bindings import arrays, fallback_classes, integers, pointers, unions
from fakecuda.reach.bindings.runtime_classes import runtime_binding

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.os.threads import Callers

_own = threads.own
SUCCESS = runtime_binding.cudaError_t(0)
_addresses = arrays.addresses
_counted = arrays.counted
_enums = arrays.enums
_filled = fallback_classes.filled
_given = arrays.given
_handle = integers.handle
_host = pointers.host
_image = pointers.image
_jit_values = pointers.jit_values
_measured = arrays.measured
_node_told = fallback_classes.node_told
_numbers = arrays.numbers
_padded = fallback_classes.padded
_plain_addresses = arrays.plain_addresses
_plain_numbers = arrays.plain_numbers
_plain_pointers = arrays.plain_pointers
_pool_value = fallback_classes.pool_value
_pool_word = unions.pool_word
_range_value = fallback_classes.range_value
_range_values = fallback_classes.range_values
_room = arrays.room
_runtime_resource = unions.runtime_resource
_runtime_resource_made = fallback_classes.runtime_resource_made
_shared = pointers.shared
_signed = integers.signed
_size_word = unions.size_word
_stream_value = unions.stream_value
_stream_value_made = fallback_classes.stream_value_made
_structs = arrays.structs
_text = pointers.text
_whole = arrays.whole
_wrong_type = arrays.wrong_type
_answers0 = fallback_classes.Failures(0, runtime_binding.cudaError_t)
_answers1 = fallback_classes.Failures(1, runtime_binding.cudaError_t)
_answers2 = fallback_classes.Failures(2, runtime_binding.cudaError_t)
_answers3 = fallback_classes.Failures(3, runtime_binding.cudaError_t)
_answers4 = fallback_classes.Failures(4, runtime_binding.cudaError_t)
_answers6 = fallback_classes.Failures(6, runtime_binding.cudaError_t)
EGLSyncKHR = getattr(runtime_binding, "EGLSyncKHR", arrays.Absent)
cudaAsyncCallback = getattr(runtime_binding, "cudaAsyncCallback", arrays.Absent)
cudaAsyncCallbackHandle_t = getattr(runtime_binding, "cudaAsyncCallbackHandle_t", arrays.Absent)
cudaDevResource = getattr(runtime_binding, "cudaDevResource", arrays.Absent)
cudaDevResourceDesc_t = getattr(runtime_binding, "cudaDevResourceDesc_t", arrays.Absent)
cudaDevResourceType = getattr(runtime_binding, "cudaDevResourceType", arrays.Absent)
cudaDevSmResourceGroupParams = getattr(runtime_binding, "cudaDevSmResourceGroupParams", arrays.Absent)
cudaLogsCallback_t = getattr(runtime_binding, "cudaLogsCallback_t", arrays.Absent)
cudaMemcpy3DBatchOp = getattr(runtime_binding, "cudaMemcpy3DBatchOp", arrays.Absent)
cudaArrayMemoryRequirements = runtime_binding.cudaArrayMemoryRequirements
cudaArraySparseProperties = runtime_binding.cudaArraySparseProperties
cudaArray_const_t = runtime_binding.cudaArray_const_t
cudaArray_t = runtime_binding.cudaArray_t
cudaAtomicOperation = runtime_binding.cudaAtomicOperation
cudaChannelFormatDesc = runtime_binding.cudaChannelFormatDesc
cudaDeviceAttr = runtime_binding.cudaDeviceAttr
cudaDeviceP2PAttr = runtime_binding.cudaDeviceP2PAttr
cudaDeviceProp = runtime_binding.cudaDeviceProp
cudaDriverEntryPointQueryResult = runtime_binding.cudaDriverEntryPointQueryResult
cudaError_t = runtime_binding.cudaError_t
cudaEvent_t = runtime_binding.cudaEvent_t
cudaExecutionContext_t = runtime_binding.cudaExecutionContext_t
cudaExtent = runtime_binding.cudaExtent
cudaFlushGPUDirectRDMAWritesScope = runtime_binding.cudaFlushGPUDirectRDMAWritesScope
cudaFlushGPUDirectRDMAWritesTarget = runtime_binding.cudaFlushGPUDirectRDMAWritesTarget
cudaFuncAttribute = runtime_binding.cudaFuncAttribute
cudaFuncAttributes = runtime_binding.cudaFuncAttributes
cudaFuncCache = runtime_binding.cudaFuncCache
cudaGraphConditionalHandle = runtime_binding.cudaGraphConditionalHandle
cudaGraphEdgeData = runtime_binding.cudaGraphEdgeData
cudaGraphExecUpdateResultInfo = runtime_binding.cudaGraphExecUpdateResultInfo
cudaGraphExec_t = runtime_binding.cudaGraphExec_t
cudaGraphInstantiateParams = runtime_binding.cudaGraphInstantiateParams
cudaGraphMemAttributeType = runtime_binding.cudaGraphMemAttributeType
cudaGraphNodeParams = getattr(runtime_binding, "cudaGraphNodeParams", arrays.Absent)
cudaGraphNodeType = runtime_binding.cudaGraphNodeType
cudaGraphNode_t = runtime_binding.cudaGraphNode_t
cudaGraph_t = runtime_binding.cudaGraph_t
cudaHostFn_t = runtime_binding.cudaHostFn_t
cudaHostNodeParams = runtime_binding.cudaHostNodeParams
cudaIpcEventHandle_t = runtime_binding.cudaIpcEventHandle_t
cudaIpcMemHandle_t = runtime_binding.cudaIpcMemHandle_t
cudaJitOption = runtime_binding.cudaJitOption
cudaKernelNodeAttrID = runtime_binding.cudaKernelNodeAttrID
cudaKernelNodeAttrValue = getattr(runtime_binding, "cudaKernelNodeAttrValue", arrays.Absent)
cudaKernelNodeParams = runtime_binding.cudaKernelNodeParams
cudaKernel_t = runtime_binding.cudaKernel_t
cudaLibraryOption = runtime_binding.cudaLibraryOption
cudaLibrary_t = runtime_binding.cudaLibrary_t
cudaLimit = runtime_binding.cudaLimit
cudaMemAccessDesc = runtime_binding.cudaMemAccessDesc
cudaMemAccessFlags = runtime_binding.cudaMemAccessFlags
cudaMemAllocNodeParams = runtime_binding.cudaMemAllocNodeParams
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
cudaMemsetParams = runtime_binding.cudaMemsetParams
cudaMipmappedArray_const_t = runtime_binding.cudaMipmappedArray_const_t
cudaMipmappedArray_t = runtime_binding.cudaMipmappedArray_t
cudaPitchedPtr = runtime_binding.cudaPitchedPtr
cudaPointerAttributes = runtime_binding.cudaPointerAttributes
cudaResourceDesc = runtime_binding.cudaResourceDesc
cudaResourceViewDesc = runtime_binding.cudaResourceViewDesc
cudaSharedMemConfig = runtime_binding.cudaSharedMemConfig
cudaStreamAttrID = runtime_binding.cudaStreamAttrID
cudaStreamAttrValue = runtime_binding.cudaStreamAttrValue
cudaStreamCallback_t = runtime_binding.cudaStreamCallback_t
cudaStreamCaptureMode = runtime_binding.cudaStreamCaptureMode
cudaStreamCaptureStatus = runtime_binding.cudaStreamCaptureStatus
cudaStream_t = runtime_binding.cudaStream_t
cudaSurfaceObject_t = runtime_binding.cudaSurfaceObject_t
cudaTextureDesc = runtime_binding.cudaTextureDesc
cudaTextureObject_t = runtime_binding.cudaTextureObject_t
cudaUserObject_t = runtime_binding.cudaUserObject_t
CUmemFabricHandle = fallback_classes.binding.CUmemFabricHandle
_unsigned_int = integers.INTEGERS["unsigned int"]
_size_t = integers.INTEGERS["size_t"]
_unsigned_long_long = integers.INTEGERS["unsigned long long"]
_cudaDevResourceType = integers.enumerator("cudaDevResourceType")
_cudaDeviceAttr = integers.enumerator("cudaDeviceAttr")
_cudaDeviceP2PAttr = integers.enumerator("cudaDeviceP2PAttr")
_cudaError_t = integers.enumerator("cudaError_t")
_cudaFlushGPUDirectRDMAWritesScope = integers.enumerator("cudaFlushGPUDirectRDMAWritesScope")
_cudaFlushGPUDirectRDMAWritesTarget = integers.enumerator("cudaFlushGPUDirectRDMAWritesTarget")
_cudaFuncAttribute = integers.enumerator("cudaFuncAttribute")
_cudaFuncCache = integers.enumerator("cudaFuncCache")
_cudaKernelNodeAttrID = integers.enumerator("cudaKernelNodeAttrID")
_cudaLimit = integers.enumerator("cudaLimit")
_cudaMemAllocationHandleType = integers.enumerator("cudaMemAllocationHandleType")
_cudaMemAllocationType = integers.enumerator("cudaMemAllocationType")
_cudaMemcpyKind = integers.enumerator("cudaMemcpyKind")
_cudaMemoryAdvise = integers.enumerator("cudaMemoryAdvise")
_cudaSharedMemConfig = integers.enumerator("cudaSharedMemConfig")
_cudaStreamAttrID = integers.enumerator("cudaStreamAttrID")
_cudaStreamCaptureMode = integers.enumerator("cudaStreamCaptureMode")
_cudaGraphMemAttributeType_known = integers.known("cudaGraphMemAttributeType")
_cudaGraphMemAttributeType_by_value = integers.numbered("cudaGraphMemAttributeType", _cudaGraphMemAttributeType_known)
_cudaMemAllocationHandleType_known = integers.known("cudaMemAllocationHandleType")
_cudaMemAllocationHandleType_by_value = integers.member("cudaMemAllocationHandleType", _cudaMemAllocationHandleType_known)
_cudaMemPoolAttr_known = integers.known("cudaMemPoolAttr")
_cudaMemPoolAttr_by_value = integers.numbered("cudaMemPoolAttr", _cudaMemPoolAttr_known)
_cudaMemRangeAttribute_known = integers.known("cudaMemRangeAttribute")
_cudaMemRangeAttribute_by_value = integers.member("cudaMemRangeAttribute", _cudaMemRangeAttribute_known)
_cudaMemRangeAttribute_sizes = arrays.sizes_of("cudaMemRangeAttribute")
CUgraphNode = fallback_classes.binding.CUgraphNode
_cudaArrayGetInfo = late(globals(), RUNTIME.ops, "cudaArrayGetInfo")
_cudaArrayGetMemoryRequirements = late(globals(), RUNTIME.ops, "cudaArrayGetMemoryRequirements")
_cudaArrayGetPlane = late(globals(), RUNTIME.ops, "cudaArrayGetPlane")
_cudaArrayGetSparseProperties = late(globals(), RUNTIME.ops, "cudaArrayGetSparseProperties")
_cudaChooseDevice = late(globals(), RUNTIME.ops, "cudaChooseDevice")
_cudaCreateSurfaceObject = late(globals(), RUNTIME.ops, "cudaCreateSurfaceObject")
_cudaCreateTextureObject = late(globals(), RUNTIME.ops, "cudaCreateTextureObject")
_cudaCtxResetPersistingL2Cache = late(globals(), RUNTIME.ops, "cudaCtxResetPersistingL2Cache")
_cudaDestroySurfaceObject = late(globals(), RUNTIME.ops, "cudaDestroySurfaceObject")
_cudaDestroyTextureObject = late(globals(), RUNTIME.ops, "cudaDestroyTextureObject")
_cudaDeviceCanAccessPeer = late(globals(), RUNTIME.ops, "cudaDeviceCanAccessPeer")
_cudaDeviceDisablePeerAccess = late(globals(), RUNTIME.ops, "cudaDeviceDisablePeerAccess")
_cudaDeviceEnablePeerAccess = late(globals(), RUNTIME.ops, "cudaDeviceEnablePeerAccess")
_cudaDeviceFlushGPUDirectRDMAWrites = late(globals(), RUNTIME.ops, "cudaDeviceFlushGPUDirectRDMAWrites")
_cudaDeviceGetAttribute = late(globals(), RUNTIME.ops, "cudaDeviceGetAttribute")
_cudaDeviceGetByPCIBusId = late(globals(), RUNTIME.ops, "cudaDeviceGetByPCIBusId")
_cudaDeviceGetCacheConfig = late(globals(), RUNTIME.ops, "cudaDeviceGetCacheConfig")
_cudaDeviceGetDefaultMemPool = late(globals(), RUNTIME.ops, "cudaDeviceGetDefaultMemPool")
_cudaDeviceGetGraphMemAttribute = late(globals(), RUNTIME.ops, "cudaDeviceGetGraphMemAttribute")
_cudaDeviceGetHostAtomicCapabilities = late(globals(), RUNTIME.ops, "cudaDeviceGetHostAtomicCapabilities")
_cudaDeviceGetLimit = late(globals(), RUNTIME.ops, "cudaDeviceGetLimit")
_cudaDeviceGetMemPool = late(globals(), RUNTIME.ops, "cudaDeviceGetMemPool")
_cudaDeviceGetP2PAtomicCapabilities = late(globals(), RUNTIME.ops, "cudaDeviceGetP2PAtomicCapabilities")
_cudaDeviceGetP2PAttribute = late(globals(), RUNTIME.ops, "cudaDeviceGetP2PAttribute")
_cudaDeviceGetPCIBusId = late(globals(), RUNTIME.ops, "cudaDeviceGetPCIBusId")
_cudaDeviceGetSharedMemConfig = late(globals(), RUNTIME.ops, "cudaDeviceGetSharedMemConfig")
_cudaDeviceGetStreamPriorityRange = late(globals(), RUNTIME.ops, "cudaDeviceGetStreamPriorityRange")
_cudaDeviceGetTexture1DLinearMaxWidth = late(globals(), RUNTIME.ops, "cudaDeviceGetTexture1DLinearMaxWidth")
_cudaDeviceGraphMemTrim = late(globals(), RUNTIME.ops, "cudaDeviceGraphMemTrim")
_cudaDeviceReset = late(globals(), RUNTIME.ops, "cudaDeviceReset")
_cudaDeviceSetCacheConfig = late(globals(), RUNTIME.ops, "cudaDeviceSetCacheConfig")
_cudaDeviceSetGraphMemAttribute = late(globals(), RUNTIME.ops, "cudaDeviceSetGraphMemAttribute")
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
_cudaFreeArray = late(globals(), RUNTIME.ops, "cudaFreeArray")
_cudaFreeAsync = late(globals(), RUNTIME.ops, "cudaFreeAsync")
_cudaFreeHost = late(globals(), RUNTIME.ops, "cudaFreeHost")
_cudaFreeMipmappedArray = late(globals(), RUNTIME.ops, "cudaFreeMipmappedArray")
_cudaFuncGetAttributes = late(globals(), RUNTIME.ops, "cudaFuncGetAttributes")
_cudaFuncSetAttribute = late(globals(), RUNTIME.ops, "cudaFuncSetAttribute")
_cudaFuncSetCacheConfig = late(globals(), RUNTIME.ops, "cudaFuncSetCacheConfig")
_cudaFuncSetSharedMemConfig = late(globals(), RUNTIME.ops, "cudaFuncSetSharedMemConfig")
_cudaGetChannelDesc = late(globals(), RUNTIME.ops, "cudaGetChannelDesc")
_cudaGetDevice = late(globals(), RUNTIME.ops, "cudaGetDevice")
_cudaGetDeviceCount = late(globals(), RUNTIME.ops, "cudaGetDeviceCount")
_cudaGetDeviceFlags = late(globals(), RUNTIME.ops, "cudaGetDeviceFlags")
_cudaGetDeviceProperties = late(globals(), RUNTIME.ops, "cudaGetDeviceProperties")
_cudaGetDriverEntryPoint = late(globals(), RUNTIME.ops, "cudaGetDriverEntryPoint")
_cudaGetDriverEntryPointByVersion = late(globals(), RUNTIME.ops, "cudaGetDriverEntryPointByVersion")
_cudaGetErrorName = late(globals(), RUNTIME.ops, "cudaGetErrorName")
_cudaGetErrorString = late(globals(), RUNTIME.ops, "cudaGetErrorString")
_cudaGetKernel = late(globals(), RUNTIME.ops, "cudaGetKernel")
_cudaGetLastError = late(globals(), RUNTIME.ops, "cudaGetLastError")
_cudaGetMipmappedArrayLevel = late(globals(), RUNTIME.ops, "cudaGetMipmappedArrayLevel")
_cudaGetSurfaceObjectResourceDesc = late(globals(), RUNTIME.ops, "cudaGetSurfaceObjectResourceDesc")
_cudaGetTextureObjectResourceDesc = late(globals(), RUNTIME.ops, "cudaGetTextureObjectResourceDesc")
_cudaGetTextureObjectResourceViewDesc = late(globals(), RUNTIME.ops, "cudaGetTextureObjectResourceViewDesc")
_cudaGetTextureObjectTextureDesc = late(globals(), RUNTIME.ops, "cudaGetTextureObjectTextureDesc")
_cudaGraphAddChildGraphNode = late(globals(), RUNTIME.ops, "cudaGraphAddChildGraphNode")
_cudaGraphAddDependencies = late(globals(), RUNTIME.ops, "cudaGraphAddDependencies")
_cudaGraphAddEmptyNode = late(globals(), RUNTIME.ops, "cudaGraphAddEmptyNode")
_cudaGraphAddEventRecordNode = late(globals(), RUNTIME.ops, "cudaGraphAddEventRecordNode")
_cudaGraphAddEventWaitNode = late(globals(), RUNTIME.ops, "cudaGraphAddEventWaitNode")
_cudaGraphAddHostNode = late(globals(), RUNTIME.ops, "cudaGraphAddHostNode")
_cudaGraphAddKernelNode = late(globals(), RUNTIME.ops, "cudaGraphAddKernelNode")
_cudaGraphAddMemAllocNode = late(globals(), RUNTIME.ops, "cudaGraphAddMemAllocNode")
_cudaGraphAddMemFreeNode = late(globals(), RUNTIME.ops, "cudaGraphAddMemFreeNode")
_cudaGraphAddMemcpyNode = late(globals(), RUNTIME.ops, "cudaGraphAddMemcpyNode")
_cudaGraphAddMemcpyNode1D = late(globals(), RUNTIME.ops, "cudaGraphAddMemcpyNode1D")
_cudaGraphAddMemsetNode = late(globals(), RUNTIME.ops, "cudaGraphAddMemsetNode")
_cudaGraphAddNode = late(globals(), RUNTIME.ops, "cudaGraphAddNode")
_cudaGraphChildGraphNodeGetGraph = late(globals(), RUNTIME.ops, "cudaGraphChildGraphNodeGetGraph")
_cudaGraphClone = late(globals(), RUNTIME.ops, "cudaGraphClone")
_cudaGraphConditionalHandleCreate = late(globals(), RUNTIME.ops, "cudaGraphConditionalHandleCreate")
_cudaGraphConditionalHandleCreate_v2 = late(globals(), RUNTIME.ops, "cudaGraphConditionalHandleCreate_v2")
_cudaGraphCreate = late(globals(), RUNTIME.ops, "cudaGraphCreate")
_cudaGraphDebugDotPrint = late(globals(), RUNTIME.ops, "cudaGraphDebugDotPrint")
_cudaGraphDestroy = late(globals(), RUNTIME.ops, "cudaGraphDestroy")
_cudaGraphDestroyNode = late(globals(), RUNTIME.ops, "cudaGraphDestroyNode")
_cudaGraphEventRecordNodeGetEvent = late(globals(), RUNTIME.ops, "cudaGraphEventRecordNodeGetEvent")
_cudaGraphEventRecordNodeSetEvent = late(globals(), RUNTIME.ops, "cudaGraphEventRecordNodeSetEvent")
_cudaGraphEventWaitNodeGetEvent = late(globals(), RUNTIME.ops, "cudaGraphEventWaitNodeGetEvent")
_cudaGraphEventWaitNodeSetEvent = late(globals(), RUNTIME.ops, "cudaGraphEventWaitNodeSetEvent")
_cudaGraphExecChildGraphNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphExecChildGraphNodeSetParams")
_cudaGraphExecDestroy = late(globals(), RUNTIME.ops, "cudaGraphExecDestroy")
_cudaGraphExecEventRecordNodeSetEvent = late(globals(), RUNTIME.ops, "cudaGraphExecEventRecordNodeSetEvent")
_cudaGraphExecEventWaitNodeSetEvent = late(globals(), RUNTIME.ops, "cudaGraphExecEventWaitNodeSetEvent")
_cudaGraphExecGetFlags = late(globals(), RUNTIME.ops, "cudaGraphExecGetFlags")
_cudaGraphExecHostNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphExecHostNodeSetParams")
_cudaGraphExecKernelNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphExecKernelNodeSetParams")
_cudaGraphExecMemcpyNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphExecMemcpyNodeSetParams")
_cudaGraphExecMemcpyNodeSetParams1D = late(globals(), RUNTIME.ops, "cudaGraphExecMemcpyNodeSetParams1D")
_cudaGraphExecMemsetNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphExecMemsetNodeSetParams")
_cudaGraphExecNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphExecNodeSetParams")
_cudaGraphExecUpdate = late(globals(), RUNTIME.ops, "cudaGraphExecUpdate")
_cudaGraphGetEdges = late(globals(), RUNTIME.ops, "cudaGraphGetEdges")
_cudaGraphGetNodes = late(globals(), RUNTIME.ops, "cudaGraphGetNodes")
_cudaGraphGetRootNodes = late(globals(), RUNTIME.ops, "cudaGraphGetRootNodes")
_cudaGraphHostNodeGetParams = late(globals(), RUNTIME.ops, "cudaGraphHostNodeGetParams")
_cudaGraphHostNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphHostNodeSetParams")
_cudaGraphInstantiate = late(globals(), RUNTIME.ops, "cudaGraphInstantiate")
_cudaGraphInstantiateWithFlags = late(globals(), RUNTIME.ops, "cudaGraphInstantiateWithFlags")
_cudaGraphInstantiateWithParams = late(globals(), RUNTIME.ops, "cudaGraphInstantiateWithParams")
_cudaGraphKernelNodeCopyAttributes = late(globals(), RUNTIME.ops, "cudaGraphKernelNodeCopyAttributes")
_cudaGraphKernelNodeGetAttribute = late(globals(), RUNTIME.ops, "cudaGraphKernelNodeGetAttribute")
_cudaGraphKernelNodeGetParams = late(globals(), RUNTIME.ops, "cudaGraphKernelNodeGetParams")
_cudaGraphKernelNodeSetAttribute = late(globals(), RUNTIME.ops, "cudaGraphKernelNodeSetAttribute")
_cudaGraphKernelNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphKernelNodeSetParams")
_cudaGraphLaunch = late(globals(), RUNTIME.ops, "cudaGraphLaunch")
_cudaGraphMemAllocNodeGetParams = late(globals(), RUNTIME.ops, "cudaGraphMemAllocNodeGetParams")
_cudaGraphMemFreeNodeGetParams = late(globals(), RUNTIME.ops, "cudaGraphMemFreeNodeGetParams")
_cudaGraphMemcpyNodeGetParams = late(globals(), RUNTIME.ops, "cudaGraphMemcpyNodeGetParams")
_cudaGraphMemcpyNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphMemcpyNodeSetParams")
_cudaGraphMemcpyNodeSetParams1D = late(globals(), RUNTIME.ops, "cudaGraphMemcpyNodeSetParams1D")
_cudaGraphMemsetNodeGetParams = late(globals(), RUNTIME.ops, "cudaGraphMemsetNodeGetParams")
_cudaGraphMemsetNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphMemsetNodeSetParams")
_cudaGraphNodeFindInClone = late(globals(), RUNTIME.ops, "cudaGraphNodeFindInClone")
_cudaGraphNodeGetDependencies = late(globals(), RUNTIME.ops, "cudaGraphNodeGetDependencies")
_cudaGraphNodeGetDependentNodes = late(globals(), RUNTIME.ops, "cudaGraphNodeGetDependentNodes")
_cudaGraphNodeGetEnabled = late(globals(), RUNTIME.ops, "cudaGraphNodeGetEnabled")
_cudaGraphNodeGetType = late(globals(), RUNTIME.ops, "cudaGraphNodeGetType")
_cudaGraphNodeSetEnabled = late(globals(), RUNTIME.ops, "cudaGraphNodeSetEnabled")
_cudaGraphNodeSetParams = late(globals(), RUNTIME.ops, "cudaGraphNodeSetParams")
_cudaGraphReleaseUserObject = late(globals(), RUNTIME.ops, "cudaGraphReleaseUserObject")
_cudaGraphRemoveDependencies = late(globals(), RUNTIME.ops, "cudaGraphRemoveDependencies")
_cudaGraphRetainUserObject = late(globals(), RUNTIME.ops, "cudaGraphRetainUserObject")
_cudaGraphUpload = late(globals(), RUNTIME.ops, "cudaGraphUpload")
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
_cudaKernelSetAttributeForDevice = late(globals(), RUNTIME.ops, "cudaKernelSetAttributeForDevice")
_cudaLaunchHostFunc = late(globals(), RUNTIME.ops, "cudaLaunchHostFunc")
_cudaLaunchHostFunc_v2 = late(globals(), RUNTIME.ops, "cudaLaunchHostFunc_v2")
_cudaLibraryEnumerateKernels = late(globals(), RUNTIME.ops, "cudaLibraryEnumerateKernels")
_cudaLibraryGetGlobal = late(globals(), RUNTIME.ops, "cudaLibraryGetGlobal")
_cudaLibraryGetKernel = late(globals(), RUNTIME.ops, "cudaLibraryGetKernel")
_cudaLibraryGetKernelCount = late(globals(), RUNTIME.ops, "cudaLibraryGetKernelCount")
_cudaLibraryGetManaged = late(globals(), RUNTIME.ops, "cudaLibraryGetManaged")
_cudaLibraryGetUnifiedFunction = late(globals(), RUNTIME.ops, "cudaLibraryGetUnifiedFunction")
_cudaLibraryLoadData = late(globals(), RUNTIME.ops, "cudaLibraryLoadData")
_cudaLibraryLoadFromFile = late(globals(), RUNTIME.ops, "cudaLibraryLoadFromFile")
_cudaLibraryUnload = late(globals(), RUNTIME.ops, "cudaLibraryUnload")
_cudaMalloc = late(globals(), RUNTIME.ops, "cudaMalloc")
_cudaMalloc3D = late(globals(), RUNTIME.ops, "cudaMalloc3D")
_cudaMalloc3DArray = late(globals(), RUNTIME.ops, "cudaMalloc3DArray")
_cudaMallocArray = late(globals(), RUNTIME.ops, "cudaMallocArray")
_cudaMallocAsync = late(globals(), RUNTIME.ops, "cudaMallocAsync")
_cudaMallocFromPoolAsync = late(globals(), RUNTIME.ops, "cudaMallocFromPoolAsync")
_cudaMallocHost = late(globals(), RUNTIME.ops, "cudaMallocHost")
_cudaMallocManaged = late(globals(), RUNTIME.ops, "cudaMallocManaged")
_cudaMallocMipmappedArray = late(globals(), RUNTIME.ops, "cudaMallocMipmappedArray")
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
_cudaMemcpy2DArrayToArray = late(globals(), RUNTIME.ops, "cudaMemcpy2DArrayToArray")
_cudaMemcpy2DAsync = late(globals(), RUNTIME.ops, "cudaMemcpy2DAsync")
_cudaMemcpy2DFromArray = late(globals(), RUNTIME.ops, "cudaMemcpy2DFromArray")
_cudaMemcpy2DFromArrayAsync = late(globals(), RUNTIME.ops, "cudaMemcpy2DFromArrayAsync")
_cudaMemcpy2DToArray = late(globals(), RUNTIME.ops, "cudaMemcpy2DToArray")
_cudaMemcpy2DToArrayAsync = late(globals(), RUNTIME.ops, "cudaMemcpy2DToArrayAsync")
_cudaMemcpy3D = late(globals(), RUNTIME.ops, "cudaMemcpy3D")
_cudaMemcpy3DAsync = late(globals(), RUNTIME.ops, "cudaMemcpy3DAsync")
_cudaMemcpy3DPeer = late(globals(), RUNTIME.ops, "cudaMemcpy3DPeer")
_cudaMemcpy3DPeerAsync = late(globals(), RUNTIME.ops, "cudaMemcpy3DPeerAsync")
_cudaMemcpyArrayToArray = late(globals(), RUNTIME.ops, "cudaMemcpyArrayToArray")
_cudaMemcpyAsync = late(globals(), RUNTIME.ops, "cudaMemcpyAsync")
_cudaMemcpyBatchAsync = late(globals(), RUNTIME.ops, "cudaMemcpyBatchAsync")
_cudaMemcpyFromArray = late(globals(), RUNTIME.ops, "cudaMemcpyFromArray")
_cudaMemcpyFromArrayAsync = late(globals(), RUNTIME.ops, "cudaMemcpyFromArrayAsync")
_cudaMemcpyPeer = late(globals(), RUNTIME.ops, "cudaMemcpyPeer")
_cudaMemcpyPeerAsync = late(globals(), RUNTIME.ops, "cudaMemcpyPeerAsync")
_cudaMemcpyToArray = late(globals(), RUNTIME.ops, "cudaMemcpyToArray")
_cudaMemcpyToArrayAsync = late(globals(), RUNTIME.ops, "cudaMemcpyToArrayAsync")
_cudaMemcpyWithAttributesAsync = late(globals(), RUNTIME.ops, "cudaMemcpyWithAttributesAsync")
_cudaMemset = late(globals(), RUNTIME.ops, "cudaMemset")
_cudaMemset2D = late(globals(), RUNTIME.ops, "cudaMemset2D")
_cudaMemset2DAsync = late(globals(), RUNTIME.ops, "cudaMemset2DAsync")
_cudaMemset3D = late(globals(), RUNTIME.ops, "cudaMemset3D")
_cudaMemset3DAsync = late(globals(), RUNTIME.ops, "cudaMemset3DAsync")
_cudaMemsetAsync = late(globals(), RUNTIME.ops, "cudaMemsetAsync")
_cudaMipmappedArrayGetMemoryRequirements = late(globals(), RUNTIME.ops, "cudaMipmappedArrayGetMemoryRequirements")
_cudaMipmappedArrayGetSparseProperties = late(globals(), RUNTIME.ops, "cudaMipmappedArrayGetSparseProperties")
_cudaOccupancyAvailableDynamicSMemPerBlock = late(globals(), RUNTIME.ops, "cudaOccupancyAvailableDynamicSMemPerBlock")
_cudaOccupancyMaxActiveBlocksPerMultiprocessor = late(globals(), RUNTIME.ops, "cudaOccupancyMaxActiveBlocksPerMultiprocessor")
_cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags = late(globals(), RUNTIME.ops, "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
_cudaPeekAtLastError = late(globals(), RUNTIME.ops, "cudaPeekAtLastError")
_cudaPointerGetAttributes = late(globals(), RUNTIME.ops, "cudaPointerGetAttributes")
_cudaProfilerStart = late(globals(), RUNTIME.ops, "cudaProfilerStart")
_cudaProfilerStop = late(globals(), RUNTIME.ops, "cudaProfilerStop")
_cudaRuntimeGetVersion = late(globals(), RUNTIME.ops, "cudaRuntimeGetVersion")
_cudaSetDevice = late(globals(), RUNTIME.ops, "cudaSetDevice")
_cudaSetDeviceFlags = late(globals(), RUNTIME.ops, "cudaSetDeviceFlags")
_cudaStreamAddCallback = late(globals(), RUNTIME.ops, "cudaStreamAddCallback")
_cudaStreamAttachMemAsync = late(globals(), RUNTIME.ops, "cudaStreamAttachMemAsync")
_cudaStreamBeginCapture = late(globals(), RUNTIME.ops, "cudaStreamBeginCapture")
_cudaStreamBeginCaptureToGraph = late(globals(), RUNTIME.ops, "cudaStreamBeginCaptureToGraph")
_cudaStreamCopyAttributes = late(globals(), RUNTIME.ops, "cudaStreamCopyAttributes")
_cudaStreamCreate = late(globals(), RUNTIME.ops, "cudaStreamCreate")
_cudaStreamCreateWithFlags = late(globals(), RUNTIME.ops, "cudaStreamCreateWithFlags")
_cudaStreamCreateWithPriority = late(globals(), RUNTIME.ops, "cudaStreamCreateWithPriority")
_cudaStreamDestroy = late(globals(), RUNTIME.ops, "cudaStreamDestroy")
_cudaStreamEndCapture = late(globals(), RUNTIME.ops, "cudaStreamEndCapture")
_cudaStreamGetAttribute = late(globals(), RUNTIME.ops, "cudaStreamGetAttribute")
_cudaStreamGetCaptureInfo = late(globals(), RUNTIME.ops, "cudaStreamGetCaptureInfo")
_cudaStreamGetDevice = late(globals(), RUNTIME.ops, "cudaStreamGetDevice")
_cudaStreamGetFlags = late(globals(), RUNTIME.ops, "cudaStreamGetFlags")
_cudaStreamGetId = late(globals(), RUNTIME.ops, "cudaStreamGetId")
_cudaStreamGetPriority = late(globals(), RUNTIME.ops, "cudaStreamGetPriority")
_cudaStreamIsCapturing = late(globals(), RUNTIME.ops, "cudaStreamIsCapturing")
_cudaStreamQuery = late(globals(), RUNTIME.ops, "cudaStreamQuery")
_cudaStreamSetAttribute = late(globals(), RUNTIME.ops, "cudaStreamSetAttribute")
_cudaStreamSynchronize = late(globals(), RUNTIME.ops, "cudaStreamSynchronize")
_cudaStreamUpdateCaptureDependencies = late(globals(), RUNTIME.ops, "cudaStreamUpdateCaptureDependencies")
_cudaStreamWaitEvent = late(globals(), RUNTIME.ops, "cudaStreamWaitEvent")
_cudaThreadExchangeStreamCaptureMode = late(globals(), RUNTIME.ops, "cudaThreadExchangeStreamCaptureMode")
_cudaUserObjectCreate = late(globals(), RUNTIME.ops, "cudaUserObjectCreate")
_cudaUserObjectRelease = late(globals(), RUNTIME.ops, "cudaUserObjectRelease")
_cudaUserObjectRetain = late(globals(), RUNTIME.ops, "cudaUserObjectRetain")
_cudaArrayMemoryRequirements_layout = Struct("@QQ")


def _cudaArrayMemoryRequirements_made(plain: Any) -> Any:
    (m0, m1) = plain
    item = cudaArrayMemoryRequirements()
    _cudaArrayMemoryRequirements_layout.pack_into(MEMORY, item.getPtr(), m0, m1)
    return item


_cudaArraySparseProperties_layout = Struct("@IIIIQI")


def _cudaArraySparseProperties_made(plain: Any) -> Any:
    ((m0, m1, m2), m3, m4, m5) = plain
    item = cudaArraySparseProperties()
    _cudaArraySparseProperties_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5)
    return item


_cudaChannelFormatDesc_layout = Struct("@iiiii")


def _cudaChannelFormatDesc_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4 = _cudaChannelFormatDesc_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3, m4)


def _cudaChannelFormatDesc_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4) = plain
    item = cudaChannelFormatDesc()
    _cudaChannelFormatDesc_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4)
    return item


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


def _cudaExtent_made(plain: Any) -> Any:
    (m0, m1, m2) = plain
    item = cudaExtent()
    _cudaExtent_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2)
    return item


_cudaFuncAttributes_layout = Struct("@QQQiiiiiiiiiiiiiii")


def _cudaFuncAttributes_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17) = plain
    item = cudaFuncAttributes()
    _cudaFuncAttributes_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17)
    return item


_cudaGraphEdgeData_layout = Struct("@BBB")


def _cudaGraphEdgeData_plain(item: Any) -> Any:
    m0, m1, m2 = _cudaGraphEdgeData_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2)


def _cudaGraphEdgeData_made(plain: Any) -> Any:
    (m0, m1, m2) = plain
    item = cudaGraphEdgeData()
    _cudaGraphEdgeData_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2)
    return item


_cudaGraphExecUpdateResultInfo_layout = Struct("@iQQ")


def _cudaGraphExecUpdateResultInfo_made(plain: Any) -> Any:
    (m0, m1, m2) = plain
    item = cudaGraphExecUpdateResultInfo()
    _cudaGraphExecUpdateResultInfo_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2)
    return item


_cudaGraphInstantiateParams_layout = Struct("@QQQi")


def _cudaGraphInstantiateParams_plain(item: Any) -> Any:
    m0, m1, m2, m3 = _cudaGraphInstantiateParams_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3)


def _cudaGraphInstantiateParams_told(item: Any, plain: Any) -> None:
    (m0, m1, m2, m3) = plain
    _cudaGraphInstantiateParams_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3)


_cudaGraphNodeParams_layout = Struct("@256s")


def _cudaGraphNodeParams_plain(item: Any) -> Any:
    (m0,) = _cudaGraphNodeParams_layout.unpack_from(MEMORY, item.getPtr())
    return m0


_cudaHostNodeParams_layout = Struct("@QQ")


def _cudaHostNodeParams_plain(item: Any) -> Any:
    m0, m1 = _cudaHostNodeParams_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1)


def _cudaHostNodeParams_made(plain: Any) -> Any:
    (m0, m1) = plain
    item = cudaHostNodeParams()
    _cudaHostNodeParams_layout.pack_into(MEMORY, item.getPtr(), m0, m1)
    return item


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


_cudaKernelNodeAttrValue_layout = Struct("@64s")


def _cudaKernelNodeAttrValue_plain(item: Any) -> Any:
    (m0,) = _cudaKernelNodeAttrValue_layout.unpack_from(MEMORY, item.getPtr())
    return m0


def _cudaKernelNodeAttrValue_made(plain: Any) -> Any:
    m0 = plain
    item = cudaKernelNodeAttrValue()
    _cudaKernelNodeAttrValue_layout.pack_into(MEMORY, item.getPtr(), m0)
    return item


_cudaKernelNodeParams_layout = Struct("@QIIIIIIIQQ")


def _cudaKernelNodeParams_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9 = _cudaKernelNodeParams_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, (m1, m2, m3), (m4, m5, m6), m7, m8, m9)


def _cudaKernelNodeParams_made(plain: Any) -> Any:
    (m0, (m1, m2, m3), (m4, m5, m6), m7, m8, m9) = plain
    item = cudaKernelNodeParams()
    _cudaKernelNodeParams_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9)
    return item


_cudaMemAccessDesc_layout = Struct("@iii")


def _cudaMemAccessDesc_plain(item: Any) -> Any:
    m0, m1, m2 = _cudaMemAccessDesc_layout.unpack_from(MEMORY, item.getPtr())
    return ((m0, m1), m2)


_cudaMemAllocNodeParams_layout = Struct("@iiiiQQH54xQQQQ")


def _cudaMemAllocNodeParams_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10 = _cudaMemAllocNodeParams_layout.unpack_from(MEMORY, item.getPtr())
    return ((m0, m1, (m2, m3), m4, m5, m6), m7, m8, m9, m10)


def _cudaMemAllocNodeParams_told(item: Any, plain: Any) -> None:
    ((m0, m1, (m2, m3), m4, m5, m6), m7, m8, m9, m10) = plain
    _cudaMemAllocNodeParams_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10)


def _cudaMemAllocNodeParams_made(plain: Any) -> Any:
    ((m0, m1, (m2, m3), m4, m5, m6), m7, m8, m9, m10) = plain
    item = cudaMemAllocNodeParams()
    _cudaMemAllocNodeParams_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10)
    return item


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


def _cudaMemcpy3DParms_made(plain: Any) -> Any:
    (m0, (m1, m2, m3), (m4, m5, m6, m7), m8, (m9, m10, m11), (m12, m13, m14, m15), (m16, m17, m18), m19) = plain
    item = cudaMemcpy3DParms()
    _cudaMemcpy3DParms_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19)
    return item


_cudaMemcpy3DPeerParms_layout = Struct("@QQQQQQQQiQQQQQQQQiQQQ")


def _cudaMemcpy3DPeerParms_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20 = _cudaMemcpy3DPeerParms_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, (m1, m2, m3), (m4, m5, m6, m7), m8, m9, (m10, m11, m12), (m13, m14, m15, m16), m17, (m18, m19, m20))


_cudaMemcpyAttributes_layout = Struct("@iiiiiI")


def _cudaMemcpyAttributes_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5 = _cudaMemcpyAttributes_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, (m1, m2), (m3, m4), m5)


_cudaMemsetParams_layout = Struct("@QQIIQQ")


def _cudaMemsetParams_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5 = _cudaMemsetParams_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3, m4, m5)


def _cudaMemsetParams_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4, m5) = plain
    item = cudaMemsetParams()
    _cudaMemsetParams_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5)
    return item


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


_cudaResourceDesc_plain = _runtime_resource
_cudaResourceViewDesc_layout = Struct("@iQQQIIII")


def _cudaResourceViewDesc_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7 = _cudaResourceViewDesc_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3, m4, m5, m6, m7)


def _cudaResourceViewDesc_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4, m5, m6, m7) = plain
    item = cudaResourceViewDesc()
    _cudaResourceViewDesc_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7)
    return item


_cudaTextureDesc_layout = Struct("@iiiiiiffffiIifffii")


def _cudaTextureDesc_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17 = _cudaTextureDesc_layout.unpack_from(MEMORY, item.getPtr())
    return ((m0, m1, m2), m3, m4, m5, (m6, m7, m8, m9), m10, m11, m12, m13, m14, m15, m16, m17)


def _cudaTextureDesc_made(plain: Any) -> Any:
    ((m0, m1, m2), m3, m4, m5, (m6, m7, m8, m9), m10, m11, m12, m13, m14, m15, m16, m17) = plain
    item = cudaTextureDesc()
    _cudaTextureDesc_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17)
    return item


class Calls:
    """The modelled calls of ``cuda.bindings.runtime``.

    Args:
        callers: The simulated threads of the calling OS threads.
    """

    __slots__ = ("_callers",)

    def __init__(self, callers: Callers) -> None:
        self._callers = callers

    def cudaArrayGetInfo(self, array: Any) -> tuple[Any, ...]:
        array = int(array) if type(array) is cudaArray_t else array if type(array) is int and not array >> 64 else _handle(array)
        code, out = _cudaArrayGetInfo(self._callers[_own.number].call, array)
        if code:
            return _answers3[code]
        desc, extent, flags = out
        return SUCCESS, _cudaChannelFormatDesc_made(desc), _cudaExtent_made(extent), flags

    def cudaArrayGetMemoryRequirements(self, array: Any, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        array = int(array) if type(array) is cudaArray_t else array if type(array) is int and not array >> 64 else _handle(array)
        code, out = _cudaArrayGetMemoryRequirements(self._callers[_own.number].call, array, device)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaArrayMemoryRequirements_made(out)

    def cudaArrayGetPlane(self, hArray: Any, planeIdx: Any) -> tuple[Any, ...]:
        if type(planeIdx) is not int or planeIdx >> 32:
            planeIdx = _unsigned_int(planeIdx)
        hArray = int(hArray) if type(hArray) is cudaArray_t else hArray if type(hArray) is int and not hArray >> 64 else _handle(hArray)
        code, out = _cudaArrayGetPlane(self._callers[_own.number].call, hArray, planeIdx)
        if code:
            return _answers1[code]
        return SUCCESS, cudaArray_t(out)

    def cudaArrayGetSparseProperties(self, array: Any) -> tuple[Any, ...]:
        array = int(array) if type(array) is cudaArray_t else array if type(array) is int and not array >> 64 else _handle(array)
        code, out = _cudaArrayGetSparseProperties(self._callers[_own.number].call, array)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaArraySparseProperties_made(out)

    def cudaChooseDevice(self, prop: Any) -> tuple[Any, ...]:
        if prop is not None and not isinstance(prop, cudaDeviceProp):
            raise _wrong_type(prop, "prop", cudaDeviceProp)
        prop = None if prop is None else _cudaDeviceProp_plain(prop)
        code, out = _cudaChooseDevice(self._callers[_own.number].call, prop)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaCreateSurfaceObject(self, pResDesc: Any) -> tuple[Any, ...]:
        if pResDesc is not None and not isinstance(pResDesc, cudaResourceDesc):
            raise _wrong_type(pResDesc, "pResDesc", cudaResourceDesc)
        pResDesc = None if pResDesc is None else _cudaResourceDesc_plain(pResDesc)
        code, out = _cudaCreateSurfaceObject(self._callers[_own.number].call, pResDesc)
        if code:
            return _answers1[code]
        return SUCCESS, cudaSurfaceObject_t(out)

    def cudaCreateTextureObject(self, pResDesc: Any, pTexDesc: Any, pResViewDesc: Any) -> tuple[Any, ...]:
        if pResDesc is not None and not isinstance(pResDesc, cudaResourceDesc):
            raise _wrong_type(pResDesc, "pResDesc", cudaResourceDesc)
        if pTexDesc is not None and not isinstance(pTexDesc, cudaTextureDesc):
            raise _wrong_type(pTexDesc, "pTexDesc", cudaTextureDesc)
        if pResViewDesc is not None and not isinstance(pResViewDesc, cudaResourceViewDesc):
            raise _wrong_type(pResViewDesc, "pResViewDesc", cudaResourceViewDesc)
        pResDesc = None if pResDesc is None else _cudaResourceDesc_plain(pResDesc)
        pTexDesc = None if pTexDesc is None else _cudaTextureDesc_plain(pTexDesc)
        pResViewDesc = None if pResViewDesc is None else _cudaResourceViewDesc_plain(pResViewDesc)
        code, out = _cudaCreateTextureObject(self._callers[_own.number].call, pResDesc, pTexDesc, pResViewDesc)
        if code:
            return _answers1[code]
        return SUCCESS, cudaTextureObject_t(out)

    def cudaCtxResetPersistingL2Cache(self) -> tuple[Any, ...]:
        code, _ = _cudaCtxResetPersistingL2Cache(self._callers[_own.number].call)
        return _answers0[code]

    def cudaDestroySurfaceObject(self, surfObject: Any) -> tuple[Any, ...]:
        surfObject = int(surfObject) if type(surfObject) is cudaSurfaceObject_t else surfObject if type(surfObject) is int and not surfObject >> 64 else _handle(surfObject)
        code, _ = _cudaDestroySurfaceObject(self._callers[_own.number].call, surfObject)
        return _answers0[code]

    def cudaDestroyTextureObject(self, texObject: Any) -> tuple[Any, ...]:
        texObject = int(texObject) if type(texObject) is cudaTextureObject_t else texObject if type(texObject) is int and not texObject >> 64 else _handle(texObject)
        code, _ = _cudaDestroyTextureObject(self._callers[_own.number].call, texObject)
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

    def cudaDeviceGetGraphMemAttribute(self, device: Any, attr: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        if attr is None:
            _given(attr, "attr")
        attr = +attr if type(attr) is cudaGraphMemAttributeType and attr in _cudaGraphMemAttributeType_known else _cudaGraphMemAttributeType_by_value(attr)
        code, out = _cudaDeviceGetGraphMemAttribute(self._callers[_own.number].call, device, attr)
        if code:
            return _answers1[code]
        return SUCCESS, fallback_classes.binding.cuuint64_t(out)

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

    def cudaDeviceGetTexture1DLinearMaxWidth(self, fmtDesc: Any, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        if fmtDesc is not None and not isinstance(fmtDesc, cudaChannelFormatDesc):
            raise _wrong_type(fmtDesc, "fmtDesc", cudaChannelFormatDesc)
        fmtDesc = None if fmtDesc is None else _cudaChannelFormatDesc_plain(fmtDesc)
        code, out = _cudaDeviceGetTexture1DLinearMaxWidth(self._callers[_own.number].call, fmtDesc, device)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaDeviceGraphMemTrim(self, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        code, _ = _cudaDeviceGraphMemTrim(self._callers[_own.number].call, device)
        return _answers0[code]

    def cudaDeviceReset(self) -> tuple[Any, ...]:
        code, _ = _cudaDeviceReset(self._callers[_own.number].call)
        return _answers0[code]

    def cudaDeviceSetCacheConfig(self, cacheConfig: Any) -> tuple[Any, ...]:
        if cacheConfig is None:
            _given(cacheConfig, "cacheConfig")
        cacheConfig = +cacheConfig if type(cacheConfig) is cudaFuncCache else _cudaFuncCache(cacheConfig)
        code, _ = _cudaDeviceSetCacheConfig(self._callers[_own.number].call, cacheConfig)
        return _answers0[code]

    def cudaDeviceSetGraphMemAttribute(self, device: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        if attr is None:
            _given(attr, "attr")
        attr = +attr if type(attr) is cudaGraphMemAttributeType and attr in _cudaGraphMemAttributeType_known else _cudaGraphMemAttributeType_by_value(attr)
        value = _size_word(value)
        code, _ = _cudaDeviceSetGraphMemAttribute(self._callers[_own.number].call, device, attr, value)
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

    def cudaFreeArray(self, array: Any) -> tuple[Any, ...]:
        array = int(array) if type(array) is cudaArray_t else array if type(array) is int and not array >> 64 else _handle(array)
        code, _ = _cudaFreeArray(self._callers[_own.number].call, array)
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

    def cudaFreeMipmappedArray(self, mipmappedArray: Any) -> tuple[Any, ...]:
        mipmappedArray = int(mipmappedArray) if type(mipmappedArray) is cudaMipmappedArray_t else mipmappedArray if type(mipmappedArray) is int and not mipmappedArray >> 64 else _handle(mipmappedArray)
        code, _ = _cudaFreeMipmappedArray(self._callers[_own.number].call, mipmappedArray)
        return _answers0[code]

    def cudaFuncGetAttributes(self, func: Any) -> tuple[Any, ...]:
        if type(func) is not int or func >> 64:
            func, held_func = _host(func)
        code, out = _cudaFuncGetAttributes(self._callers[_own.number].call, func)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaFuncAttributes_made(out)

    def cudaFuncSetAttribute(self, func: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if attr is None:
            _given(attr, "attr")
        if type(func) is not int or func >> 64:
            func, held_func = _host(func)
        attr = +attr if type(attr) is cudaFuncAttribute else _cudaFuncAttribute(attr)
        code, _ = _cudaFuncSetAttribute(self._callers[_own.number].call, func, attr, value)
        return _answers0[code]

    def cudaFuncSetCacheConfig(self, func: Any, cacheConfig: Any) -> tuple[Any, ...]:
        if cacheConfig is None:
            _given(cacheConfig, "cacheConfig")
        if type(func) is not int or func >> 64:
            func, held_func = _host(func)
        cacheConfig = +cacheConfig if type(cacheConfig) is cudaFuncCache else _cudaFuncCache(cacheConfig)
        code, _ = _cudaFuncSetCacheConfig(self._callers[_own.number].call, func, cacheConfig)
        return _answers0[code]

    def cudaFuncSetSharedMemConfig(self, func: Any, config: Any) -> tuple[Any, ...]:
        if config is None:
            _given(config, "config")
        if type(func) is not int or func >> 64:
            func, held_func = _host(func)
        config = +config if type(config) is cudaSharedMemConfig else _cudaSharedMemConfig(config)
        code, _ = _cudaFuncSetSharedMemConfig(self._callers[_own.number].call, func, config)
        return _answers0[code]

    def cudaGetChannelDesc(self, array: Any) -> tuple[Any, ...]:
        array = int(array) if type(array) is cudaArray_const_t else array if type(array) is int and not array >> 64 else _handle(array)
        code, out = _cudaGetChannelDesc(self._callers[_own.number].call, array)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaChannelFormatDesc_made(out)

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

    def cudaGetKernel(self, entryFuncAddr: Any) -> tuple[Any, ...]:
        if type(entryFuncAddr) is not int or entryFuncAddr >> 64:
            entryFuncAddr, held_entryFuncAddr = _host(entryFuncAddr)
        code, out = _cudaGetKernel(self._callers[_own.number].call, entryFuncAddr)
        if code:
            return _answers1[code]
        return SUCCESS, cudaKernel_t(out)

    def cudaGetLastError(self) -> tuple[Any, ...]:
        code, _ = _cudaGetLastError(self._callers[_own.number].call)
        return _answers0[code]

    def cudaGetMipmappedArrayLevel(self, mipmappedArray: Any, level: Any) -> tuple[Any, ...]:
        if type(level) is not int or level >> 32:
            level = _unsigned_int(level)
        mipmappedArray = int(mipmappedArray) if type(mipmappedArray) is cudaMipmappedArray_const_t else mipmappedArray if type(mipmappedArray) is int and not mipmappedArray >> 64 else _handle(mipmappedArray)
        code, out = _cudaGetMipmappedArrayLevel(self._callers[_own.number].call, mipmappedArray, level)
        if code:
            return _answers1[code]
        return SUCCESS, cudaArray_t(out)

    def cudaGetSurfaceObjectResourceDesc(self, surfObject: Any) -> tuple[Any, ...]:
        surfObject = int(surfObject) if type(surfObject) is cudaSurfaceObject_t else surfObject if type(surfObject) is int and not surfObject >> 64 else _handle(surfObject)
        code, out = _cudaGetSurfaceObjectResourceDesc(self._callers[_own.number].call, surfObject)
        if code:
            return _answers1[code]
        return SUCCESS, _runtime_resource_made(cudaResourceDesc, out)

    def cudaGetTextureObjectResourceDesc(self, texObject: Any) -> tuple[Any, ...]:
        texObject = int(texObject) if type(texObject) is cudaTextureObject_t else texObject if type(texObject) is int and not texObject >> 64 else _handle(texObject)
        code, out = _cudaGetTextureObjectResourceDesc(self._callers[_own.number].call, texObject)
        if code:
            return _answers1[code]
        return SUCCESS, _runtime_resource_made(cudaResourceDesc, out)

    def cudaGetTextureObjectResourceViewDesc(self, texObject: Any) -> tuple[Any, ...]:
        texObject = int(texObject) if type(texObject) is cudaTextureObject_t else texObject if type(texObject) is int and not texObject >> 64 else _handle(texObject)
        code, out = _cudaGetTextureObjectResourceViewDesc(self._callers[_own.number].call, texObject)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaResourceViewDesc_made(out)

    def cudaGetTextureObjectTextureDesc(self, texObject: Any) -> tuple[Any, ...]:
        texObject = int(texObject) if type(texObject) is cudaTextureObject_t else texObject if type(texObject) is int and not texObject >> 64 else _handle(texObject)
        code, out = _cudaGetTextureObjectTextureDesc(self._callers[_own.number].call, texObject)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaTextureDesc_made(out)

    def cudaGraphAddChildGraphNode(self, graph: Any, pDependencies: Any, numDependencies: Any, childGraph: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        childGraph = int(childGraph) if type(childGraph) is cudaGraph_t else childGraph if type(childGraph) is int and not childGraph >> 64 else _handle(childGraph)
        pDependencies = _structs(pDependencies, "pDependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        pDependencies = _plain_pointers(pDependencies, numDependencies)
        code, out = _cudaGraphAddChildGraphNode(self._callers[_own.number].call, graph, pDependencies, numDependencies, childGraph)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphNode_t(out)

    def cudaGraphAddDependencies(self, graph: Any, from_: Any, to: Any, edgeData: Any, numDependencies: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        edgeData = _structs(edgeData, "edgeData", cudaGraphEdgeData)
        to = _structs(to, "to", cudaGraphNode_t, CUgraphNode)
        from_ = _structs(from_, "from_", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        from_ = _plain_pointers(from_, len(from_))
        to = _plain_pointers(to, len(to))
        edgeData = _counted(edgeData, len(edgeData), _cudaGraphEdgeData_plain)
        code, _ = _cudaGraphAddDependencies(self._callers[_own.number].call, graph, from_, to, edgeData, numDependencies)
        return _answers0[code]

    def cudaGraphAddEmptyNode(self, graph: Any, pDependencies: Any, numDependencies: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        pDependencies = _structs(pDependencies, "pDependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        pDependencies = _plain_pointers(pDependencies, numDependencies)
        code, out = _cudaGraphAddEmptyNode(self._callers[_own.number].call, graph, pDependencies, numDependencies)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphNode_t(out)

    def cudaGraphAddEventRecordNode(self, graph: Any, pDependencies: Any, numDependencies: Any, event: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        pDependencies = _structs(pDependencies, "pDependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        pDependencies = _plain_pointers(pDependencies, numDependencies)
        code, out = _cudaGraphAddEventRecordNode(self._callers[_own.number].call, graph, pDependencies, numDependencies, event)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphNode_t(out)

    def cudaGraphAddEventWaitNode(self, graph: Any, pDependencies: Any, numDependencies: Any, event: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        pDependencies = _structs(pDependencies, "pDependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        pDependencies = _plain_pointers(pDependencies, numDependencies)
        code, out = _cudaGraphAddEventWaitNode(self._callers[_own.number].call, graph, pDependencies, numDependencies, event)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphNode_t(out)

    def cudaGraphAddHostNode(self, graph: Any, pDependencies: Any, numDependencies: Any, pNodeParams: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if pNodeParams is not None and not isinstance(pNodeParams, cudaHostNodeParams):
            raise _wrong_type(pNodeParams, "pNodeParams", cudaHostNodeParams)
        pDependencies = _structs(pDependencies, "pDependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        pDependencies = _plain_pointers(pDependencies, numDependencies)
        pNodeParams = None if pNodeParams is None else _cudaHostNodeParams_plain(pNodeParams)
        code, out = _cudaGraphAddHostNode(self._callers[_own.number].call, graph, pDependencies, numDependencies, pNodeParams)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphNode_t(out)

    def cudaGraphAddKernelNode(self, graph: Any, pDependencies: Any, numDependencies: Any, pNodeParams: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if pNodeParams is not None and not isinstance(pNodeParams, cudaKernelNodeParams):
            raise _wrong_type(pNodeParams, "pNodeParams", cudaKernelNodeParams)
        pDependencies = _structs(pDependencies, "pDependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        pDependencies = _plain_pointers(pDependencies, numDependencies)
        pNodeParams = None if pNodeParams is None else _cudaKernelNodeParams_plain(pNodeParams)
        code, out = _cudaGraphAddKernelNode(self._callers[_own.number].call, graph, pDependencies, numDependencies, pNodeParams)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphNode_t(out)

    def cudaGraphAddMemAllocNode(self, graph: Any, pDependencies: Any, numDependencies: Any, nodeParams: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if nodeParams is not None and not isinstance(nodeParams, cudaMemAllocNodeParams):
            raise _wrong_type(nodeParams, "nodeParams", cudaMemAllocNodeParams)
        pDependencies = _structs(pDependencies, "pDependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        pDependencies = _plain_pointers(pDependencies, numDependencies)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _cudaMemAllocNodeParams_plain(nodeParams)
        code, out = _cudaGraphAddMemAllocNode(self._callers[_own.number].call, graph, pDependencies, numDependencies, nodeParams)
        if held_nodeParams is not None and out is not None:
            _cudaMemAllocNodeParams_told(held_nodeParams, out[1])
        if code:
            return _answers1[code]
        pGraphNode, _ = out
        return SUCCESS, cudaGraphNode_t(pGraphNode)

    def cudaGraphAddMemFreeNode(self, graph: Any, pDependencies: Any, numDependencies: Any, dptr: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        pDependencies = _structs(pDependencies, "pDependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        pDependencies = _plain_pointers(pDependencies, numDependencies)
        if type(dptr) is not int or dptr >> 64:
            dptr, held_dptr = _host(dptr)
        code, out = _cudaGraphAddMemFreeNode(self._callers[_own.number].call, graph, pDependencies, numDependencies, dptr)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphNode_t(out)

    def cudaGraphAddMemcpyNode(self, graph: Any, pDependencies: Any, numDependencies: Any, pCopyParams: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if pCopyParams is not None and not isinstance(pCopyParams, cudaMemcpy3DParms):
            raise _wrong_type(pCopyParams, "pCopyParams", cudaMemcpy3DParms)
        pDependencies = _structs(pDependencies, "pDependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        pDependencies = _plain_pointers(pDependencies, numDependencies)
        pCopyParams = None if pCopyParams is None else _cudaMemcpy3DParms_plain(pCopyParams)
        code, out = _cudaGraphAddMemcpyNode(self._callers[_own.number].call, graph, pDependencies, numDependencies, pCopyParams)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphNode_t(out)

    def cudaGraphAddMemcpyNode1D(self, graph: Any, pDependencies: Any, numDependencies: Any, dst: Any, src: Any, count: Any, kind: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if kind is None:
            _given(kind, "kind")
        pDependencies = _structs(pDependencies, "pDependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        pDependencies = _plain_pointers(pDependencies, len(pDependencies))
        if type(dst) is not int or dst >> 64:
            dst, held_dst = _host(dst)
        if type(src) is not int or src >> 64:
            src, held_src = _host(src)
        kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)
        code, out = _cudaGraphAddMemcpyNode1D(self._callers[_own.number].call, graph, pDependencies, numDependencies, dst, src, count, kind)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphNode_t(out)

    def cudaGraphAddMemsetNode(self, graph: Any, pDependencies: Any, numDependencies: Any, pMemsetParams: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if pMemsetParams is not None and not isinstance(pMemsetParams, cudaMemsetParams):
            raise _wrong_type(pMemsetParams, "pMemsetParams", cudaMemsetParams)
        pDependencies = _structs(pDependencies, "pDependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        pDependencies = _plain_pointers(pDependencies, numDependencies)
        pMemsetParams = None if pMemsetParams is None else _cudaMemsetParams_plain(pMemsetParams)
        code, out = _cudaGraphAddMemsetNode(self._callers[_own.number].call, graph, pDependencies, numDependencies, pMemsetParams)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphNode_t(out)

    def cudaGraphAddNode(self, graph: Any, pDependencies: Any, dependencyData: Any, numDependencies: Any, nodeParams: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if nodeParams is not None and not isinstance(nodeParams, cudaGraphNodeParams):
            raise _wrong_type(nodeParams, "nodeParams", cudaGraphNodeParams)
        dependencyData = _structs(dependencyData, "dependencyData", cudaGraphEdgeData)
        pDependencies = _structs(pDependencies, "pDependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        pDependencies = _plain_pointers(pDependencies, len(pDependencies))
        dependencyData = _counted(dependencyData, len(dependencyData), _cudaGraphEdgeData_plain)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _cudaGraphNodeParams_plain(nodeParams)
        code, out = _cudaGraphAddNode(self._callers[_own.number].call, graph, pDependencies, dependencyData, numDependencies, nodeParams)
        if held_nodeParams is not None and out is not None:
            _node_told(held_nodeParams, out[1])
        if code:
            return _answers1[code]
        pGraphNode, _ = out
        return SUCCESS, cudaGraphNode_t(pGraphNode)

    def cudaGraphChildGraphNodeGetGraph(self, node: Any) -> tuple[Any, ...]:
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, out = _cudaGraphChildGraphNodeGetGraph(self._callers[_own.number].call, node)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraph_t(out)

    def cudaGraphClone(self, originalGraph: Any) -> tuple[Any, ...]:
        originalGraph = int(originalGraph) if type(originalGraph) is cudaGraph_t else originalGraph if type(originalGraph) is int and not originalGraph >> 64 else _handle(originalGraph)
        code, out = _cudaGraphClone(self._callers[_own.number].call, originalGraph)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraph_t(out)

    def cudaGraphConditionalHandleCreate(self, graph: Any, defaultLaunchValue: Any, flags: Any) -> tuple[Any, ...]:
        if type(defaultLaunchValue) is not int or defaultLaunchValue >> 32:
            defaultLaunchValue = _unsigned_int(defaultLaunchValue)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        code, out = _cudaGraphConditionalHandleCreate(self._callers[_own.number].call, graph, defaultLaunchValue, flags)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphConditionalHandle(out)

    def cudaGraphConditionalHandleCreate_v2(self, graph: Any, ctx: Any, defaultLaunchValue: Any, flags: Any) -> tuple[Any, ...]:
        if type(defaultLaunchValue) is not int or defaultLaunchValue >> 32:
            defaultLaunchValue = _unsigned_int(defaultLaunchValue)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        ctx = int(ctx) if type(ctx) is cudaExecutionContext_t else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        code, out = _cudaGraphConditionalHandleCreate_v2(self._callers[_own.number].call, graph, ctx, defaultLaunchValue, flags)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphConditionalHandle(out)

    def cudaGraphCreate(self, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _cudaGraphCreate(self._callers[_own.number].call, flags)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraph_t(out)

    def cudaGraphDebugDotPrint(self, graph: Any, path: Any, flags: Any) -> tuple[Any, ...]:
        path = _text(path)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        code, _ = _cudaGraphDebugDotPrint(self._callers[_own.number].call, graph, path, flags)
        return _answers0[code]

    def cudaGraphDestroy(self, graph: Any) -> tuple[Any, ...]:
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        code, _ = _cudaGraphDestroy(self._callers[_own.number].call, graph)
        return _answers0[code]

    def cudaGraphDestroyNode(self, node: Any) -> tuple[Any, ...]:
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, _ = _cudaGraphDestroyNode(self._callers[_own.number].call, node)
        return _answers0[code]

    def cudaGraphEventRecordNodeGetEvent(self, node: Any) -> tuple[Any, ...]:
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, out = _cudaGraphEventRecordNodeGetEvent(self._callers[_own.number].call, node)
        if code:
            return _answers1[code]
        return SUCCESS, cudaEvent_t(out)

    def cudaGraphEventRecordNodeSetEvent(self, node: Any, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, _ = _cudaGraphEventRecordNodeSetEvent(self._callers[_own.number].call, node, event)
        return _answers0[code]

    def cudaGraphEventWaitNodeGetEvent(self, node: Any) -> tuple[Any, ...]:
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, out = _cudaGraphEventWaitNodeGetEvent(self._callers[_own.number].call, node)
        if code:
            return _answers1[code]
        return SUCCESS, cudaEvent_t(out)

    def cudaGraphEventWaitNodeSetEvent(self, node: Any, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, _ = _cudaGraphEventWaitNodeSetEvent(self._callers[_own.number].call, node, event)
        return _answers0[code]

    def cudaGraphExecChildGraphNodeSetParams(self, hGraphExec: Any, node: Any, childGraph: Any) -> tuple[Any, ...]:
        childGraph = int(childGraph) if type(childGraph) is cudaGraph_t else childGraph if type(childGraph) is int and not childGraph >> 64 else _handle(childGraph)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is cudaGraphExec_t else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, _ = _cudaGraphExecChildGraphNodeSetParams(self._callers[_own.number].call, hGraphExec, node, childGraph)
        return _answers0[code]

    def cudaGraphExecDestroy(self, graphExec: Any) -> tuple[Any, ...]:
        graphExec = int(graphExec) if type(graphExec) is cudaGraphExec_t else graphExec if type(graphExec) is int and not graphExec >> 64 else _handle(graphExec)
        code, _ = _cudaGraphExecDestroy(self._callers[_own.number].call, graphExec)
        return _answers0[code]

    def cudaGraphExecEventRecordNodeSetEvent(self, hGraphExec: Any, hNode: Any, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        hNode = int(hNode) if type(hNode) is cudaGraphNode_t else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is cudaGraphExec_t else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, _ = _cudaGraphExecEventRecordNodeSetEvent(self._callers[_own.number].call, hGraphExec, hNode, event)
        return _answers0[code]

    def cudaGraphExecEventWaitNodeSetEvent(self, hGraphExec: Any, hNode: Any, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        hNode = int(hNode) if type(hNode) is cudaGraphNode_t else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is cudaGraphExec_t else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, _ = _cudaGraphExecEventWaitNodeSetEvent(self._callers[_own.number].call, hGraphExec, hNode, event)
        return _answers0[code]

    def cudaGraphExecGetFlags(self, graphExec: Any) -> tuple[Any, ...]:
        graphExec = int(graphExec) if type(graphExec) is cudaGraphExec_t else graphExec if type(graphExec) is int and not graphExec >> 64 else _handle(graphExec)
        code, out = _cudaGraphExecGetFlags(self._callers[_own.number].call, graphExec)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaGraphExecHostNodeSetParams(self, hGraphExec: Any, node: Any, pNodeParams: Any) -> tuple[Any, ...]:
        if pNodeParams is not None and not isinstance(pNodeParams, cudaHostNodeParams):
            raise _wrong_type(pNodeParams, "pNodeParams", cudaHostNodeParams)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is cudaGraphExec_t else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        pNodeParams = None if pNodeParams is None else _cudaHostNodeParams_plain(pNodeParams)
        code, _ = _cudaGraphExecHostNodeSetParams(self._callers[_own.number].call, hGraphExec, node, pNodeParams)
        return _answers0[code]

    def cudaGraphExecKernelNodeSetParams(self, hGraphExec: Any, node: Any, pNodeParams: Any) -> tuple[Any, ...]:
        if pNodeParams is not None and not isinstance(pNodeParams, cudaKernelNodeParams):
            raise _wrong_type(pNodeParams, "pNodeParams", cudaKernelNodeParams)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is cudaGraphExec_t else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        pNodeParams = None if pNodeParams is None else _cudaKernelNodeParams_plain(pNodeParams)
        code, _ = _cudaGraphExecKernelNodeSetParams(self._callers[_own.number].call, hGraphExec, node, pNodeParams)
        return _answers0[code]

    def cudaGraphExecMemcpyNodeSetParams(self, hGraphExec: Any, node: Any, pNodeParams: Any) -> tuple[Any, ...]:
        if pNodeParams is not None and not isinstance(pNodeParams, cudaMemcpy3DParms):
            raise _wrong_type(pNodeParams, "pNodeParams", cudaMemcpy3DParms)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is cudaGraphExec_t else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        pNodeParams = None if pNodeParams is None else _cudaMemcpy3DParms_plain(pNodeParams)
        code, _ = _cudaGraphExecMemcpyNodeSetParams(self._callers[_own.number].call, hGraphExec, node, pNodeParams)
        return _answers0[code]

    def cudaGraphExecMemcpyNodeSetParams1D(self, hGraphExec: Any, node: Any, dst: Any, src: Any, count: Any, kind: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if kind is None:
            _given(kind, "kind")
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is cudaGraphExec_t else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        if type(dst) is not int or dst >> 64:
            dst, held_dst = _host(dst)
        if type(src) is not int or src >> 64:
            src, held_src = _host(src)
        kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)
        code, _ = _cudaGraphExecMemcpyNodeSetParams1D(self._callers[_own.number].call, hGraphExec, node, dst, src, count, kind)
        return _answers0[code]

    def cudaGraphExecMemsetNodeSetParams(self, hGraphExec: Any, node: Any, pNodeParams: Any) -> tuple[Any, ...]:
        if pNodeParams is not None and not isinstance(pNodeParams, cudaMemsetParams):
            raise _wrong_type(pNodeParams, "pNodeParams", cudaMemsetParams)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is cudaGraphExec_t else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        pNodeParams = None if pNodeParams is None else _cudaMemsetParams_plain(pNodeParams)
        code, _ = _cudaGraphExecMemsetNodeSetParams(self._callers[_own.number].call, hGraphExec, node, pNodeParams)
        return _answers0[code]

    def cudaGraphExecNodeSetParams(self, graphExec: Any, node: Any, nodeParams: Any) -> tuple[Any, ...]:
        if nodeParams is not None and not isinstance(nodeParams, cudaGraphNodeParams):
            raise _wrong_type(nodeParams, "nodeParams", cudaGraphNodeParams)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        graphExec = int(graphExec) if type(graphExec) is cudaGraphExec_t else graphExec if type(graphExec) is int and not graphExec >> 64 else _handle(graphExec)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _cudaGraphNodeParams_plain(nodeParams)
        code, _ = _cudaGraphExecNodeSetParams(self._callers[_own.number].call, graphExec, node, nodeParams)
        return _answers0[code]

    def cudaGraphExecUpdate(self, hGraphExec: Any, hGraph: Any) -> tuple[Any, ...]:
        hGraph = int(hGraph) if type(hGraph) is cudaGraph_t else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is cudaGraphExec_t else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, out = _cudaGraphExecUpdate(self._callers[_own.number].call, hGraphExec, hGraph)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaGraphExecUpdateResultInfo_made(out)

    def cudaGraphGetEdges(self, graph: Any, numEdges: Any = 0) -> tuple[Any, ...]:
        if type(numEdges) is not int or numEdges >> 64:
            numEdges = _size_t(numEdges)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        _room(numEdges)
        call = self._callers[_own.number].call
        if not numEdges:
            call = call.without(frozenset({"from_", "to", "edgeData"}))
        code, out = _cudaGraphGetEdges(call, graph, numEdges)
        if code:
            return _answers4[code]
        from_, to, edgeData, numEdges = out
        return SUCCESS, [cudaGraphNode_t(one) for one in from_], [cudaGraphNode_t(one) for one in to], [_cudaGraphEdgeData_made(one) for one in edgeData], numEdges

    def cudaGraphGetNodes(self, graph: Any, numNodes: Any = 0) -> tuple[Any, ...]:
        if type(numNodes) is not int or numNodes >> 64:
            numNodes = _size_t(numNodes)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        _room(numNodes)
        call = self._callers[_own.number].call
        if not numNodes:
            call = call.without(frozenset({"nodes"}))
        code, out = _cudaGraphGetNodes(call, graph, numNodes)
        if code:
            return _answers2[code]
        nodes, numNodes = out
        return SUCCESS, [cudaGraphNode_t(one) for one in nodes], numNodes

    def cudaGraphGetRootNodes(self, graph: Any, pNumRootNodes: Any = 0) -> tuple[Any, ...]:
        if type(pNumRootNodes) is not int or pNumRootNodes >> 64:
            pNumRootNodes = _size_t(pNumRootNodes)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        _room(pNumRootNodes)
        call = self._callers[_own.number].call
        if not pNumRootNodes:
            call = call.without(frozenset({"pRootNodes"}))
        code, out = _cudaGraphGetRootNodes(call, graph, pNumRootNodes)
        if code:
            return _answers2[code]
        pRootNodes, pNumRootNodes = out
        return SUCCESS, [cudaGraphNode_t(one) for one in pRootNodes], pNumRootNodes

    def cudaGraphHostNodeGetParams(self, node: Any) -> tuple[Any, ...]:
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, out = _cudaGraphHostNodeGetParams(self._callers[_own.number].call, node)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaHostNodeParams_made(out)

    def cudaGraphHostNodeSetParams(self, node: Any, pNodeParams: Any) -> tuple[Any, ...]:
        if pNodeParams is not None and not isinstance(pNodeParams, cudaHostNodeParams):
            raise _wrong_type(pNodeParams, "pNodeParams", cudaHostNodeParams)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        pNodeParams = None if pNodeParams is None else _cudaHostNodeParams_plain(pNodeParams)
        code, _ = _cudaGraphHostNodeSetParams(self._callers[_own.number].call, node, pNodeParams)
        return _answers0[code]

    def cudaGraphInstantiate(self, graph: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        code, out = _cudaGraphInstantiate(self._callers[_own.number].call, graph, flags)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphExec_t(out)

    def cudaGraphInstantiateWithFlags(self, graph: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        code, out = _cudaGraphInstantiateWithFlags(self._callers[_own.number].call, graph, flags)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphExec_t(out)

    def cudaGraphInstantiateWithParams(self, graph: Any, instantiateParams: Any) -> tuple[Any, ...]:
        if instantiateParams is not None and not isinstance(instantiateParams, cudaGraphInstantiateParams):
            raise _wrong_type(instantiateParams, "instantiateParams", cudaGraphInstantiateParams)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        held_instantiateParams = instantiateParams
        instantiateParams = None if instantiateParams is None else _cudaGraphInstantiateParams_plain(instantiateParams)
        code, out = _cudaGraphInstantiateWithParams(self._callers[_own.number].call, graph, instantiateParams)
        if held_instantiateParams is not None and out is not None:
            _cudaGraphInstantiateParams_told(held_instantiateParams, out[1])
        if code:
            return _answers1[code]
        pGraphExec, _ = out
        return SUCCESS, cudaGraphExec_t(pGraphExec)

    def cudaGraphKernelNodeCopyAttributes(self, hDst: Any, hSrc: Any) -> tuple[Any, ...]:
        hSrc = int(hSrc) if type(hSrc) is cudaGraphNode_t else hSrc if type(hSrc) is int and not hSrc >> 64 else _handle(hSrc)
        hDst = int(hDst) if type(hDst) is cudaGraphNode_t else hDst if type(hDst) is int and not hDst >> 64 else _handle(hDst)
        code, _ = _cudaGraphKernelNodeCopyAttributes(self._callers[_own.number].call, hDst, hSrc)
        return _answers0[code]

    def cudaGraphKernelNodeGetAttribute(self, hNode: Any, attr: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        hNode = int(hNode) if type(hNode) is cudaGraphNode_t else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        attr = +attr if type(attr) is cudaKernelNodeAttrID else _cudaKernelNodeAttrID(attr)
        code, out = _cudaGraphKernelNodeGetAttribute(self._callers[_own.number].call, hNode, attr)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaKernelNodeAttrValue_made(out)

    def cudaGraphKernelNodeGetParams(self, node: Any) -> tuple[Any, ...]:
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, out = _cudaGraphKernelNodeGetParams(self._callers[_own.number].call, node)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaKernelNodeParams_made(out)

    def cudaGraphKernelNodeSetAttribute(self, hNode: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        if value is not None and not isinstance(value, cudaKernelNodeAttrValue):
            raise _wrong_type(value, "value", cudaKernelNodeAttrValue)
        hNode = int(hNode) if type(hNode) is cudaGraphNode_t else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        attr = +attr if type(attr) is cudaKernelNodeAttrID else _cudaKernelNodeAttrID(attr)
        value = None if value is None else _cudaKernelNodeAttrValue_plain(value)
        code, _ = _cudaGraphKernelNodeSetAttribute(self._callers[_own.number].call, hNode, attr, value)
        return _answers0[code]

    def cudaGraphKernelNodeSetParams(self, node: Any, pNodeParams: Any) -> tuple[Any, ...]:
        if pNodeParams is not None and not isinstance(pNodeParams, cudaKernelNodeParams):
            raise _wrong_type(pNodeParams, "pNodeParams", cudaKernelNodeParams)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        pNodeParams = None if pNodeParams is None else _cudaKernelNodeParams_plain(pNodeParams)
        code, _ = _cudaGraphKernelNodeSetParams(self._callers[_own.number].call, node, pNodeParams)
        return _answers0[code]

    def cudaGraphLaunch(self, graphExec: Any, stream: Any) -> tuple[Any, ...]:
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        graphExec = int(graphExec) if type(graphExec) is cudaGraphExec_t else graphExec if type(graphExec) is int and not graphExec >> 64 else _handle(graphExec)
        code, _ = _cudaGraphLaunch(self._callers[_own.number].call, graphExec, stream)
        return _answers0[code]

    def cudaGraphMemAllocNodeGetParams(self, node: Any) -> tuple[Any, ...]:
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, out = _cudaGraphMemAllocNodeGetParams(self._callers[_own.number].call, node)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaMemAllocNodeParams_made(out)

    def cudaGraphMemFreeNodeGetParams(self, node: Any) -> tuple[Any, ...]:
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, out = _cudaGraphMemFreeNodeGetParams(self._callers[_own.number].call, node)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaGraphMemcpyNodeGetParams(self, node: Any) -> tuple[Any, ...]:
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, out = _cudaGraphMemcpyNodeGetParams(self._callers[_own.number].call, node)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaMemcpy3DParms_made(out)

    def cudaGraphMemcpyNodeSetParams(self, node: Any, pNodeParams: Any) -> tuple[Any, ...]:
        if pNodeParams is not None and not isinstance(pNodeParams, cudaMemcpy3DParms):
            raise _wrong_type(pNodeParams, "pNodeParams", cudaMemcpy3DParms)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        pNodeParams = None if pNodeParams is None else _cudaMemcpy3DParms_plain(pNodeParams)
        code, _ = _cudaGraphMemcpyNodeSetParams(self._callers[_own.number].call, node, pNodeParams)
        return _answers0[code]

    def cudaGraphMemcpyNodeSetParams1D(self, node: Any, dst: Any, src: Any, count: Any, kind: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if kind is None:
            _given(kind, "kind")
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        if type(dst) is not int or dst >> 64:
            dst, held_dst = _host(dst)
        if type(src) is not int or src >> 64:
            src, held_src = _host(src)
        kind = +kind if type(kind) is cudaMemcpyKind else _cudaMemcpyKind(kind)
        code, _ = _cudaGraphMemcpyNodeSetParams1D(self._callers[_own.number].call, node, dst, src, count, kind)
        return _answers0[code]

    def cudaGraphMemsetNodeGetParams(self, node: Any) -> tuple[Any, ...]:
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, out = _cudaGraphMemsetNodeGetParams(self._callers[_own.number].call, node)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaMemsetParams_made(out)

    def cudaGraphMemsetNodeSetParams(self, node: Any, pNodeParams: Any) -> tuple[Any, ...]:
        if pNodeParams is not None and not isinstance(pNodeParams, cudaMemsetParams):
            raise _wrong_type(pNodeParams, "pNodeParams", cudaMemsetParams)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        pNodeParams = None if pNodeParams is None else _cudaMemsetParams_plain(pNodeParams)
        code, _ = _cudaGraphMemsetNodeSetParams(self._callers[_own.number].call, node, pNodeParams)
        return _answers0[code]

    def cudaGraphNodeFindInClone(self, originalNode: Any, clonedGraph: Any) -> tuple[Any, ...]:
        clonedGraph = int(clonedGraph) if type(clonedGraph) is cudaGraph_t else clonedGraph if type(clonedGraph) is int and not clonedGraph >> 64 else _handle(clonedGraph)
        originalNode = int(originalNode) if type(originalNode) is cudaGraphNode_t else originalNode if type(originalNode) is int and not originalNode >> 64 else _handle(originalNode)
        code, out = _cudaGraphNodeFindInClone(self._callers[_own.number].call, originalNode, clonedGraph)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphNode_t(out)

    def cudaGraphNodeGetDependencies(self, node: Any, pNumDependencies: Any = 0) -> tuple[Any, ...]:
        if type(pNumDependencies) is not int or pNumDependencies >> 64:
            pNumDependencies = _size_t(pNumDependencies)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        _room(pNumDependencies)
        call = self._callers[_own.number].call
        if not pNumDependencies:
            call = call.without(frozenset({"pDependencies", "edgeData"}))
        code, out = _cudaGraphNodeGetDependencies(call, node, pNumDependencies)
        if code:
            return _answers3[code]
        pDependencies, edgeData, pNumDependencies = out
        return SUCCESS, [cudaGraphNode_t(one) for one in pDependencies], [_cudaGraphEdgeData_made(one) for one in edgeData], pNumDependencies

    def cudaGraphNodeGetDependentNodes(self, node: Any, pNumDependentNodes: Any = 0) -> tuple[Any, ...]:
        if type(pNumDependentNodes) is not int or pNumDependentNodes >> 64:
            pNumDependentNodes = _size_t(pNumDependentNodes)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        _room(pNumDependentNodes)
        call = self._callers[_own.number].call
        if not pNumDependentNodes:
            call = call.without(frozenset({"pDependentNodes", "edgeData"}))
        code, out = _cudaGraphNodeGetDependentNodes(call, node, pNumDependentNodes)
        if code:
            return _answers3[code]
        pDependentNodes, edgeData, pNumDependentNodes = out
        return SUCCESS, [cudaGraphNode_t(one) for one in pDependentNodes], [_cudaGraphEdgeData_made(one) for one in edgeData], pNumDependentNodes

    def cudaGraphNodeGetEnabled(self, hGraphExec: Any, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is cudaGraphNode_t else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is cudaGraphExec_t else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, out = _cudaGraphNodeGetEnabled(self._callers[_own.number].call, hGraphExec, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaGraphNodeGetType(self, node: Any) -> tuple[Any, ...]:
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        code, out = _cudaGraphNodeGetType(self._callers[_own.number].call, node)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraphNodeType(out)

    def cudaGraphNodeSetEnabled(self, hGraphExec: Any, hNode: Any, isEnabled: Any) -> tuple[Any, ...]:
        if type(isEnabled) is not int or isEnabled >> 32:
            isEnabled = _unsigned_int(isEnabled)
        hNode = int(hNode) if type(hNode) is cudaGraphNode_t else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is cudaGraphExec_t else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, _ = _cudaGraphNodeSetEnabled(self._callers[_own.number].call, hGraphExec, hNode, isEnabled)
        return _answers0[code]

    def cudaGraphNodeSetParams(self, node: Any, nodeParams: Any) -> tuple[Any, ...]:
        if nodeParams is not None and not isinstance(nodeParams, cudaGraphNodeParams):
            raise _wrong_type(nodeParams, "nodeParams", cudaGraphNodeParams)
        node = int(node) if type(node) is cudaGraphNode_t else node if type(node) is int and not node >> 64 else _handle(node)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _cudaGraphNodeParams_plain(nodeParams)
        code, _ = _cudaGraphNodeSetParams(self._callers[_own.number].call, node, nodeParams)
        return _answers0[code]

    def cudaGraphReleaseUserObject(self, graph: Any, object: Any, count: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        object = int(object) if type(object) is cudaUserObject_t else object if type(object) is int and not object >> 64 else _handle(object)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        code, _ = _cudaGraphReleaseUserObject(self._callers[_own.number].call, graph, object, count)
        return _answers0[code]

    def cudaGraphRemoveDependencies(self, graph: Any, from_: Any, to: Any, edgeData: Any, numDependencies: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        edgeData = _structs(edgeData, "edgeData", cudaGraphEdgeData)
        to = _structs(to, "to", cudaGraphNode_t, CUgraphNode)
        from_ = _structs(from_, "from_", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        from_ = _plain_pointers(from_, len(from_))
        to = _plain_pointers(to, len(to))
        edgeData = _counted(edgeData, len(edgeData), _cudaGraphEdgeData_plain)
        code, _ = _cudaGraphRemoveDependencies(self._callers[_own.number].call, graph, from_, to, edgeData, numDependencies)
        return _answers0[code]

    def cudaGraphRetainUserObject(self, graph: Any, object: Any, count: Any, flags: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        object = int(object) if type(object) is cudaUserObject_t else object if type(object) is int and not object >> 64 else _handle(object)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        code, _ = _cudaGraphRetainUserObject(self._callers[_own.number].call, graph, object, count, flags)
        return _answers0[code]

    def cudaGraphUpload(self, graphExec: Any, stream: Any) -> tuple[Any, ...]:
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        graphExec = int(graphExec) if type(graphExec) is cudaGraphExec_t else graphExec if type(graphExec) is int and not graphExec >> 64 else _handle(graphExec)
        code, _ = _cudaGraphUpload(self._callers[_own.number].call, graphExec, stream)
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

    def cudaKernelSetAttributeForDevice(self, kernel: Any, attr: Any, value: Any, device: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        if attr is None:
            _given(attr, "attr")
        kernel = int(kernel) if type(kernel) is cudaKernel_t else kernel if type(kernel) is int and not kernel >> 64 else _handle(kernel)
        attr = +attr if type(attr) is cudaFuncAttribute else _cudaFuncAttribute(attr)
        code, _ = _cudaKernelSetAttributeForDevice(self._callers[_own.number].call, kernel, attr, value, device)
        return _answers0[code]

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

    def cudaLibraryEnumerateKernels(self, numKernels: Any, lib: Any) -> tuple[Any, ...]:
        if type(numKernels) is not int or numKernels >> 32:
            numKernels = _unsigned_int(numKernels)
        lib = int(lib) if type(lib) is cudaLibrary_t else lib if type(lib) is int and not lib >> 64 else _handle(lib)
        call = self._callers[_own.number].call
        if not numKernels:
            call = call.without(frozenset({"kernels"}))
        code, out = _cudaLibraryEnumerateKernels(call, numKernels, lib)
        if code:
            return _answers1[code]
        return SUCCESS, [cudaKernel_t(one) for one in out]

    def cudaLibraryGetGlobal(self, library: Any, name: Any) -> tuple[Any, ...]:
        name = _text(name)
        library = int(library) if type(library) is cudaLibrary_t else library if type(library) is int and not library >> 64 else _handle(library)
        code, out = _cudaLibraryGetGlobal(self._callers[_own.number].call, library, name)
        if code:
            return _answers2[code]
        dptr, bytes = out
        return SUCCESS, dptr, bytes

    def cudaLibraryGetKernel(self, library: Any, name: Any) -> tuple[Any, ...]:
        name = _text(name)
        library = int(library) if type(library) is cudaLibrary_t else library if type(library) is int and not library >> 64 else _handle(library)
        code, out = _cudaLibraryGetKernel(self._callers[_own.number].call, library, name)
        if code:
            return _answers1[code]
        return SUCCESS, cudaKernel_t(out)

    def cudaLibraryGetKernelCount(self, lib: Any) -> tuple[Any, ...]:
        lib = int(lib) if type(lib) is cudaLibrary_t else lib if type(lib) is int and not lib >> 64 else _handle(lib)
        code, out = _cudaLibraryGetKernelCount(self._callers[_own.number].call, lib)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaLibraryGetManaged(self, library: Any, name: Any) -> tuple[Any, ...]:
        name = _text(name)
        library = int(library) if type(library) is cudaLibrary_t else library if type(library) is int and not library >> 64 else _handle(library)
        code, out = _cudaLibraryGetManaged(self._callers[_own.number].call, library, name)
        if code:
            return _answers2[code]
        dptr, bytes = out
        return SUCCESS, dptr, bytes

    def cudaLibraryGetUnifiedFunction(self, library: Any, symbol: Any) -> tuple[Any, ...]:
        symbol = _text(symbol)
        library = int(library) if type(library) is cudaLibrary_t else library if type(library) is int and not library >> 64 else _handle(library)
        code, out = _cudaLibraryGetUnifiedFunction(self._callers[_own.number].call, library, symbol)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaLibraryLoadData(self, code: Any, jitOptions: Any, jitOptionsValues: Any, numJitOptions: Any, libraryOptions: Any, libraryOptionValues: Any, numLibraryOptions: Any) -> tuple[Any, ...]:
        if type(numJitOptions) is not int or numJitOptions >> 32:
            numJitOptions = _unsigned_int(numJitOptions)
        if type(numLibraryOptions) is not int or numLibraryOptions >> 32:
            numLibraryOptions = _unsigned_int(numLibraryOptions)
        libraryOptions = _enums(libraryOptions, "libraryOptions", cudaLibraryOption)
        jitOptions = _enums(jitOptions, "jitOptions", cudaJitOption)
        if type(code) is not bytes:
            code, held_code = _host(code)
        jitOptions = _measured(jitOptions, numJitOptions)
        jitOptionsValues, held_jitOptionsValues = _jit_values(jitOptionsValues, numJitOptions)
        libraryOptions = _measured(libraryOptions, numLibraryOptions)
        libraryOptionValues, held_libraryOptionValues = _jit_values(libraryOptionValues, numLibraryOptions)
        code = _image(code)
        code, out = _cudaLibraryLoadData(self._callers[_own.number].call, code, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues, numLibraryOptions)
        if code:
            return _answers1[code]
        return SUCCESS, cudaLibrary_t(out)

    def cudaLibraryLoadFromFile(self, fileName: Any, jitOptions: Any, jitOptionsValues: Any, numJitOptions: Any, libraryOptions: Any, libraryOptionValues: Any, numLibraryOptions: Any) -> tuple[Any, ...]:
        fileName = _text(fileName)
        if type(numJitOptions) is not int or numJitOptions >> 32:
            numJitOptions = _unsigned_int(numJitOptions)
        if type(numLibraryOptions) is not int or numLibraryOptions >> 32:
            numLibraryOptions = _unsigned_int(numLibraryOptions)
        libraryOptions = _enums(libraryOptions, "libraryOptions", cudaLibraryOption)
        jitOptions = _enums(jitOptions, "jitOptions", cudaJitOption)
        jitOptions = _measured(jitOptions, numJitOptions)
        jitOptionsValues, held_jitOptionsValues = _jit_values(jitOptionsValues, numJitOptions)
        libraryOptions = _measured(libraryOptions, numLibraryOptions)
        libraryOptionValues, held_libraryOptionValues = _jit_values(libraryOptionValues, numLibraryOptions)
        code, out = _cudaLibraryLoadFromFile(self._callers[_own.number].call, fileName, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues, numLibraryOptions)
        if code:
            return _answers1[code]
        return SUCCESS, cudaLibrary_t(out)

    def cudaLibraryUnload(self, library: Any) -> tuple[Any, ...]:
        library = int(library) if type(library) is cudaLibrary_t else library if type(library) is int and not library >> 64 else _handle(library)
        code, _ = _cudaLibraryUnload(self._callers[_own.number].call, library)
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

    def cudaMalloc3DArray(self, desc: Any, extent: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if desc is not None and not isinstance(desc, cudaChannelFormatDesc):
            raise _wrong_type(desc, "desc", cudaChannelFormatDesc)
        if not isinstance(extent, cudaExtent):
            raise _wrong_type(extent, "extent", cudaExtent)
        desc = None if desc is None else _cudaChannelFormatDesc_plain(desc)
        extent = _cudaExtent_plain(extent)
        code, out = _cudaMalloc3DArray(self._callers[_own.number].call, desc, extent, flags)
        if code:
            return _answers1[code]
        return SUCCESS, cudaArray_t(out)

    def cudaMallocArray(self, desc: Any, width: Any, height: Any, flags: Any) -> tuple[Any, ...]:
        if type(width) is not int or width >> 64:
            width = _size_t(width)
        if type(height) is not int or height >> 64:
            height = _size_t(height)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if desc is not None and not isinstance(desc, cudaChannelFormatDesc):
            raise _wrong_type(desc, "desc", cudaChannelFormatDesc)
        desc = None if desc is None else _cudaChannelFormatDesc_plain(desc)
        code, out = _cudaMallocArray(self._callers[_own.number].call, desc, width, height, flags)
        if code:
            return _answers1[code]
        return SUCCESS, cudaArray_t(out)

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

    def cudaMallocMipmappedArray(self, desc: Any, extent: Any, numLevels: Any, flags: Any) -> tuple[Any, ...]:
        if type(numLevels) is not int or numLevels >> 32:
            numLevels = _unsigned_int(numLevels)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if desc is not None and not isinstance(desc, cudaChannelFormatDesc):
            raise _wrong_type(desc, "desc", cudaChannelFormatDesc)
        if not isinstance(extent, cudaExtent):
            raise _wrong_type(extent, "extent", cudaExtent)
        desc = None if desc is None else _cudaChannelFormatDesc_plain(desc)
        extent = _cudaExtent_plain(extent)
        code, out = _cudaMallocMipmappedArray(self._callers[_own.number].call, desc, extent, numLevels, flags)
        if code:
            return _answers1[code]
        return SUCCESS, cudaMipmappedArray_t(out)

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

    def cudaMemcpy2DArrayToArray(self, dst: Any, wOffsetDst: Any, hOffsetDst: Any, src: Any, wOffsetSrc: Any, hOffsetSrc: Any, width: Any, height: Any, kind: Any) -> tuple[Any, ...]:
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
        code, _ = _cudaMemcpy2DArrayToArray(self._callers[_own.number].call, dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height, kind)
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

    def cudaMemcpy2DFromArray(self, dst: Any, dpitch: Any, src: Any, wOffset: Any, hOffset: Any, width: Any, height: Any, kind: Any) -> tuple[Any, ...]:
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
        code, _ = _cudaMemcpy2DFromArray(self._callers[_own.number].call, dst, dpitch, src, wOffset, hOffset, width, height, kind)
        return _answers0[code]

    def cudaMemcpy2DFromArrayAsync(self, dst: Any, dpitch: Any, src: Any, wOffset: Any, hOffset: Any, width: Any, height: Any, kind: Any, stream: Any) -> tuple[Any, ...]:
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
        code, _ = _cudaMemcpy2DFromArrayAsync(self._callers[_own.number].call, dst, dpitch, src, wOffset, hOffset, width, height, kind, stream)
        return _answers0[code]

    def cudaMemcpy2DToArray(self, dst: Any, wOffset: Any, hOffset: Any, src: Any, spitch: Any, width: Any, height: Any, kind: Any) -> tuple[Any, ...]:
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
        code, _ = _cudaMemcpy2DToArray(self._callers[_own.number].call, dst, wOffset, hOffset, src, spitch, width, height, kind)
        return _answers0[code]

    def cudaMemcpy2DToArrayAsync(self, dst: Any, wOffset: Any, hOffset: Any, src: Any, spitch: Any, width: Any, height: Any, kind: Any, stream: Any) -> tuple[Any, ...]:
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
        code, _ = _cudaMemcpy2DToArrayAsync(self._callers[_own.number].call, dst, wOffset, hOffset, src, spitch, width, height, kind, stream)
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

    def cudaMemcpyArrayToArray(self, dst: Any, wOffsetDst: Any, hOffsetDst: Any, src: Any, wOffsetSrc: Any, hOffsetSrc: Any, count: Any, kind: Any) -> tuple[Any, ...]:
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
        code, _ = _cudaMemcpyArrayToArray(self._callers[_own.number].call, dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, count, kind)
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

    def cudaMemcpyFromArray(self, dst: Any, src: Any, wOffset: Any, hOffset: Any, count: Any, kind: Any) -> tuple[Any, ...]:
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
        code, _ = _cudaMemcpyFromArray(self._callers[_own.number].call, dst, src, wOffset, hOffset, count, kind)
        return _answers0[code]

    def cudaMemcpyFromArrayAsync(self, dst: Any, src: Any, wOffset: Any, hOffset: Any, count: Any, kind: Any, stream: Any) -> tuple[Any, ...]:
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
        code, _ = _cudaMemcpyFromArrayAsync(self._callers[_own.number].call, dst, src, wOffset, hOffset, count, kind, stream)
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

    def cudaMemcpyToArray(self, dst: Any, wOffset: Any, hOffset: Any, src: Any, count: Any, kind: Any) -> tuple[Any, ...]:
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
        code, _ = _cudaMemcpyToArray(self._callers[_own.number].call, dst, wOffset, hOffset, src, count, kind)
        return _answers0[code]

    def cudaMemcpyToArrayAsync(self, dst: Any, wOffset: Any, hOffset: Any, src: Any, count: Any, kind: Any, stream: Any) -> tuple[Any, ...]:
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
        code, _ = _cudaMemcpyToArrayAsync(self._callers[_own.number].call, dst, wOffset, hOffset, src, count, kind, stream)
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

    def cudaMipmappedArrayGetMemoryRequirements(self, mipmap: Any, device: Any) -> tuple[Any, ...]:
        if type(device) is not int or (device + 0x80000000) >> 32:
            device = _signed(device)
        mipmap = int(mipmap) if type(mipmap) is cudaMipmappedArray_t else mipmap if type(mipmap) is int and not mipmap >> 64 else _handle(mipmap)
        code, out = _cudaMipmappedArrayGetMemoryRequirements(self._callers[_own.number].call, mipmap, device)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaArrayMemoryRequirements_made(out)

    def cudaMipmappedArrayGetSparseProperties(self, mipmap: Any) -> tuple[Any, ...]:
        mipmap = int(mipmap) if type(mipmap) is cudaMipmappedArray_t else mipmap if type(mipmap) is int and not mipmap >> 64 else _handle(mipmap)
        code, out = _cudaMipmappedArrayGetSparseProperties(self._callers[_own.number].call, mipmap)
        if code:
            return _answers1[code]
        return SUCCESS, _cudaArraySparseProperties_made(out)

    def cudaOccupancyAvailableDynamicSMemPerBlock(self, func: Any, numBlocks: Any, blockSize: Any) -> tuple[Any, ...]:
        if type(numBlocks) is not int or (numBlocks + 0x80000000) >> 32:
            numBlocks = _signed(numBlocks)
        if type(blockSize) is not int or (blockSize + 0x80000000) >> 32:
            blockSize = _signed(blockSize)
        if type(func) is not int or func >> 64:
            func, held_func = _host(func)
        code, out = _cudaOccupancyAvailableDynamicSMemPerBlock(self._callers[_own.number].call, func, numBlocks, blockSize)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaOccupancyMaxActiveBlocksPerMultiprocessor(self, func: Any, blockSize: Any, dynamicSMemSize: Any) -> tuple[Any, ...]:
        if type(blockSize) is not int or (blockSize + 0x80000000) >> 32:
            blockSize = _signed(blockSize)
        if type(dynamicSMemSize) is not int or dynamicSMemSize >> 64:
            dynamicSMemSize = _size_t(dynamicSMemSize)
        if type(func) is not int or func >> 64:
            func, held_func = _host(func)
        code, out = _cudaOccupancyMaxActiveBlocksPerMultiprocessor(self._callers[_own.number].call, func, blockSize, dynamicSMemSize)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(self, func: Any, blockSize: Any, dynamicSMemSize: Any, flags: Any) -> tuple[Any, ...]:
        if type(blockSize) is not int or (blockSize + 0x80000000) >> 32:
            blockSize = _signed(blockSize)
        if type(dynamicSMemSize) is not int or dynamicSMemSize >> 64:
            dynamicSMemSize = _size_t(dynamicSMemSize)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if type(func) is not int or func >> 64:
            func, held_func = _host(func)
        code, out = _cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(self._callers[_own.number].call, func, blockSize, dynamicSMemSize, flags)
        if code:
            return _answers1[code]
        return SUCCESS, out

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

    def cudaProfilerStart(self) -> tuple[Any, ...]:
        code, _ = _cudaProfilerStart(self._callers[_own.number].call)
        return _answers0[code]

    def cudaProfilerStop(self) -> tuple[Any, ...]:
        code, _ = _cudaProfilerStop(self._callers[_own.number].call)
        return _answers0[code]

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

    def cudaStreamBeginCapture(self, stream: Any, mode: Any) -> tuple[Any, ...]:
        if mode is None:
            _given(mode, "mode")
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        mode = +mode if type(mode) is cudaStreamCaptureMode else _cudaStreamCaptureMode(mode)
        code, _ = _cudaStreamBeginCapture(self._callers[_own.number].call, stream, mode)
        return _answers0[code]

    def cudaStreamBeginCaptureToGraph(self, stream: Any, graph: Any, dependencies: Any, dependencyData: Any, numDependencies: Any, mode: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if mode is None:
            _given(mode, "mode")
        dependencyData = _structs(dependencyData, "dependencyData", cudaGraphEdgeData)
        dependencies = _structs(dependencies, "dependencies", cudaGraphNode_t, CUgraphNode)
        graph = int(graph) if type(graph) is cudaGraph_t else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        dependencies = _plain_pointers(dependencies, numDependencies)
        dependencyData = _counted(dependencyData, len(dependencyData), _cudaGraphEdgeData_plain)
        mode = +mode if type(mode) is cudaStreamCaptureMode else _cudaStreamCaptureMode(mode)
        code, _ = _cudaStreamBeginCaptureToGraph(self._callers[_own.number].call, stream, graph, dependencies, dependencyData, numDependencies, mode)
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

    def cudaStreamEndCapture(self, stream: Any) -> tuple[Any, ...]:
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        code, out = _cudaStreamEndCapture(self._callers[_own.number].call, stream)
        if code:
            return _answers1[code]
        return SUCCESS, cudaGraph_t(out)

    def cudaStreamGetAttribute(self, hStream: Any, attr: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        hStream = int(hStream) if type(hStream) is cudaStream_t else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        attr = +attr if type(attr) is cudaStreamAttrID else _cudaStreamAttrID(attr)
        code, out = _cudaStreamGetAttribute(self._callers[_own.number].call, hStream, attr)
        if code:
            return _answers1[code]
        return SUCCESS, _stream_value_made(cudaStreamAttrValue, attr, out)

    def cudaStreamGetCaptureInfo(self, stream: Any) -> tuple[Any, ...]:
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        code, out = _cudaStreamGetCaptureInfo(self._callers[_own.number].call, stream)
        if code:
            return _answers6[code]
        captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out = out
        return SUCCESS, cudaStreamCaptureStatus(captureStatus_out), id_out, cudaGraph_t(graph_out), [cudaGraphNode_t(one) for one in dependencies_out], [_cudaGraphEdgeData_made(one) for one in edgeData_out], numDependencies_out

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

    def cudaStreamUpdateCaptureDependencies(self, stream: Any, dependencies: Any, dependencyData: Any, numDependencies: Any, flags: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        dependencyData = _structs(dependencyData, "dependencyData", cudaGraphEdgeData)
        dependencies = _structs(dependencies, "dependencies", cudaGraphNode_t, CUgraphNode)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        dependencies = _plain_pointers(dependencies, len(dependencies))
        dependencyData = _counted(dependencyData, len(dependencyData), _cudaGraphEdgeData_plain)
        code, _ = _cudaStreamUpdateCaptureDependencies(self._callers[_own.number].call, stream, dependencies, dependencyData, numDependencies, flags)
        return _answers0[code]

    def cudaStreamWaitEvent(self, stream: Any, event: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        event = int(event) if type(event) is cudaEvent_t else event if type(event) is int and not event >> 64 else _handle(event)
        stream = int(stream) if type(stream) is cudaStream_t else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        code, _ = _cudaStreamWaitEvent(self._callers[_own.number].call, stream, event, flags)
        return _answers0[code]

    def cudaThreadExchangeStreamCaptureMode(self, mode: Any) -> tuple[Any, ...]:
        if mode is None:
            _given(mode, "mode")
        mode = +mode if type(mode) is cudaStreamCaptureMode else _cudaStreamCaptureMode(mode)
        code, out = _cudaThreadExchangeStreamCaptureMode(self._callers[_own.number].call, mode)
        if code:
            return _answers1[code]
        return SUCCESS, cudaStreamCaptureMode(out & 0xFFFFFFFF)

    def cudaUserObjectCreate(self, ptr: Any, destroy: Any, initialRefcount: Any, flags: Any) -> tuple[Any, ...]:
        if type(initialRefcount) is not int or initialRefcount >> 32:
            initialRefcount = _unsigned_int(initialRefcount)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        destroy = int(destroy) if type(destroy) is cudaHostFn_t else destroy if type(destroy) is int and not destroy >> 64 else _handle(destroy)
        if type(ptr) is not int or ptr >> 64:
            ptr, held_ptr = _host(ptr)
        code, out = _cudaUserObjectCreate(self._callers[_own.number].call, ptr, destroy, initialRefcount, flags)
        if code:
            return _answers1[code]
        return SUCCESS, cudaUserObject_t(out)

    def cudaUserObjectRelease(self, object: Any, count: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        object = int(object) if type(object) is cudaUserObject_t else object if type(object) is int and not object >> 64 else _handle(object)
        code, _ = _cudaUserObjectRelease(self._callers[_own.number].call, object, count)
        return _answers0[code]

    def cudaUserObjectRetain(self, object: Any, count: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        object = int(object) if type(object) is cudaUserObject_t else object if type(object) is int and not object >> 64 else _handle(object)
        code, _ = _cudaUserObjectRetain(self._callers[_own.number].call, object, count)
        return _answers0[code]


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


def _take_cudaDeviceRegisterAsyncNotification(device: Any, callbackFunc: Any, userData: Any) -> None:
    if type(device) is not int or (device + 0x80000000) >> 32:
        device = _signed(device)
    callbackFunc = int(callbackFunc) if type(callbackFunc) is cudaAsyncCallback else callbackFunc if type(callbackFunc) is int and not callbackFunc >> 64 else _handle(callbackFunc)
    if type(userData) is not int or userData >> 64:
        userData, held_userData = _host(userData)


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


def _take_cudaStreamGetDevResource(hStream: Any, typename: Any) -> None:
    if typename is None:
        _given(typename, "typename")
    hStream = int(hStream) if type(hStream) is cudaStream_t else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
    typename = +typename if type(typename) is cudaDevResourceType else _cudaDevResourceType(typename)


TAKES: dict[str, Callable[..., None]] = {
    "cudaDevResourceGenerateDesc": _take_cudaDevResourceGenerateDesc,
    "cudaDevSmResourceSplit": _take_cudaDevSmResourceSplit,
    "cudaDevSmResourceSplitByCount": _take_cudaDevSmResourceSplitByCount,
    "cudaDeviceGetDevResource": _take_cudaDeviceGetDevResource,
    "cudaDeviceGetExecutionCtx": _take_cudaDeviceGetExecutionCtx,
    "cudaDeviceRegisterAsyncNotification": _take_cudaDeviceRegisterAsyncNotification,
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
    "cudaGreenCtxCreate": _take_cudaGreenCtxCreate,
    "cudaLogsRegisterCallback": _take_cudaLogsRegisterCallback,
    "cudaMemcpy3DBatchAsync": _take_cudaMemcpy3DBatchAsync,
    "cudaMemcpy3DWithAttributesAsync": _take_cudaMemcpy3DWithAttributesAsync,
    "cudaStreamGetDevResource": _take_cudaStreamGetDevResource,
}
"""Functions that read the arguments of unmodelled calls of ``cuda.bindings.runtime``."""
