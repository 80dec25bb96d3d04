"""The modelled calls of the look-alike; written by ``python -m tools.codegen``, do not edit."""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Any

from fakecuda.model.os import threads
from fakecuda.model.memory.space import MEMORY
from fakecuda.model.os.system import CALLS_NULL
from fakecuda.rules.dispatch import late
from fakecuda.rules.registry import DRIVER
from fakecuda.reach.bindings import arrays, fallback_classes, integers, options, pointers, unions
from fakecuda.reach.bindings.fallback_classes import binding

if TYPE_CHECKING:
    from fakecuda.model.os.threads import Callers

_own = threads.own
SUCCESS = binding.CUresult(0)
_counted = arrays.counted
_device = integers.device
_enums = arrays.enums
_filled = fallback_classes.filled
_flags = integers.flags
_given = arrays.given
_handle = integers.handle
_host = pointers.host
_image = pointers.image
_kernel_params = pointers.kernel_params
_launch_config = unions.launch_config
_linker = fallback_classes.linker
_measured = arrays.measured
_mem_op = unions.mem_op
_name = fallback_classes.name
_node_told = fallback_classes.node_told
_numbers = arrays.numbers
_options = options.options
_padded = fallback_classes.padded
_plain_numbers = arrays.plain_numbers
_plain_pointers = arrays.plain_pointers
_pointer_value = fallback_classes.pointer_value
_pointer_values = fallback_classes.pointer_values
_pool_value = fallback_classes.pool_value
_pool_word = unions.pool_word
_range_value = fallback_classes.range_value
_range_values = fallback_classes.range_values
_resource = unions.resource
_resource_made = fallback_classes.resource_made
_restore_args = unions.restore_args
_room = arrays.room
_shared = pointers.shared
_signed = integers.signed
_size_word = unions.size_word
_stream_value = unions.stream_value
_stream_value_made = fallback_classes.stream_value_made
_structs = arrays.structs
_text = pointers.text
_value32 = integers.value32
_whole = arrays.whole
_word = unions.word
_wrong_type = arrays.wrong_type
_answers0 = fallback_classes.Failures(0, binding.CUresult)
_answers1 = fallback_classes.Failures(1, binding.CUresult)
_answers2 = fallback_classes.Failures(2, binding.CUresult)
_answers3 = fallback_classes.Failures(3, binding.CUresult)
_answers4 = fallback_classes.Failures(4, binding.CUresult)
_answers6 = fallback_classes.Failures(6, binding.CUresult)
CUDA_ARRAY3D_DESCRIPTOR = binding.CUDA_ARRAY3D_DESCRIPTOR
CUDA_ARRAY_DESCRIPTOR = binding.CUDA_ARRAY_DESCRIPTOR
CUDA_ARRAY_MEMORY_REQUIREMENTS = binding.CUDA_ARRAY_MEMORY_REQUIREMENTS
CUDA_ARRAY_SPARSE_PROPERTIES = binding.CUDA_ARRAY_SPARSE_PROPERTIES
CUDA_BATCH_MEM_OP_NODE_PARAMS = binding.CUDA_BATCH_MEM_OP_NODE_PARAMS
CUDA_GRAPH_INSTANTIATE_PARAMS = binding.CUDA_GRAPH_INSTANTIATE_PARAMS
CUDA_HOST_NODE_PARAMS = binding.CUDA_HOST_NODE_PARAMS
CUDA_KERNEL_NODE_PARAMS = binding.CUDA_KERNEL_NODE_PARAMS
CUDA_MEMCPY2D = binding.CUDA_MEMCPY2D
CUDA_MEMCPY3D = binding.CUDA_MEMCPY3D
CUDA_MEMCPY3D_PEER = binding.CUDA_MEMCPY3D_PEER
CUDA_MEMSET_NODE_PARAMS = binding.CUDA_MEMSET_NODE_PARAMS
CUDA_MEM_ALLOC_NODE_PARAMS = binding.CUDA_MEM_ALLOC_NODE_PARAMS
CUDA_RESOURCE_DESC = binding.CUDA_RESOURCE_DESC
CUDA_RESOURCE_VIEW_DESC = binding.CUDA_RESOURCE_VIEW_DESC
CUDA_TEXTURE_DESC = binding.CUDA_TEXTURE_DESC
CUarray = binding.CUarray
CUarrayMapInfo = binding.CUarrayMapInfo
CUarray_format = binding.CUarray_format
CUatomicOperation = binding.CUatomicOperation
CUcheckpointCheckpointArgs = getattr(binding, "CUcheckpointCheckpointArgs", arrays.Absent)
CUcheckpointLockArgs = getattr(binding, "CUcheckpointLockArgs", arrays.Absent)
CUcheckpointRestoreArgs = getattr(binding, "CUcheckpointRestoreArgs", arrays.Absent)
CUcheckpointUnlockArgs = getattr(binding, "CUcheckpointUnlockArgs", arrays.Absent)
CUcontext = binding.CUcontext
CUctxCreateParams = binding.CUctxCreateParams
CUdevice = binding.CUdevice
CUdevice_P2PAttribute = binding.CUdevice_P2PAttribute
CUdevice_attribute = binding.CUdevice_attribute
CUdeviceptr = binding.CUdeviceptr
CUdevprop = binding.CUdevprop
CUdriverProcAddressQueryResult = binding.CUdriverProcAddressQueryResult
CUevent = binding.CUevent
CUexecAffinityParam = binding.CUexecAffinityParam
CUexecAffinityType = binding.CUexecAffinityType
CUflushGPUDirectRDMAWritesScope = binding.CUflushGPUDirectRDMAWritesScope
CUflushGPUDirectRDMAWritesTarget = binding.CUflushGPUDirectRDMAWritesTarget
CUfunc_cache = binding.CUfunc_cache
CUfunction = binding.CUfunction
CUfunctionLoadingState = binding.CUfunctionLoadingState
CUfunction_attribute = binding.CUfunction_attribute
CUgraph = binding.CUgraph
CUgraphConditionalHandle = binding.CUgraphConditionalHandle
CUgraphEdgeData = binding.CUgraphEdgeData
CUgraphExec = binding.CUgraphExec
CUgraphExecUpdateResultInfo = binding.CUgraphExecUpdateResultInfo
CUgraphMem_attribute = binding.CUgraphMem_attribute
CUgraphNode = binding.CUgraphNode
CUgraphNodeParams = getattr(binding, "CUgraphNodeParams", arrays.Absent)
CUgraphNodeType = binding.CUgraphNodeType
CUhostFn = binding.CUhostFn
CUipcEventHandle = binding.CUipcEventHandle
CUipcMemHandle = binding.CUipcMemHandle
CUjitInputType = binding.CUjitInputType
CUjit_option = binding.CUjit_option
CUkernel = binding.CUkernel
CUkernelNodeAttrID = binding.CUkernelNodeAttrID
CUkernelNodeAttrValue = getattr(binding, "CUkernelNodeAttrValue", arrays.Absent)
CUlaunchConfig = binding.CUlaunchConfig
CUlibrary = binding.CUlibrary
CUlibraryOption = binding.CUlibraryOption
CUlimit = binding.CUlimit
CUlinkState = binding.CUlinkState
CUmemAccessDesc = binding.CUmemAccessDesc
CUmemAccess_flags = binding.CUmemAccess_flags
CUmemAllocationGranularity_flags = binding.CUmemAllocationGranularity_flags
CUmemAllocationHandleType = binding.CUmemAllocationHandleType
CUmemAllocationProp = binding.CUmemAllocationProp
CUmemAllocationType = binding.CUmemAllocationType
CUmemGenericAllocationHandle = binding.CUmemGenericAllocationHandle
CUmemLocation = binding.CUmemLocation
CUmemPoolProps = binding.CUmemPoolProps
CUmemPoolPtrExportData = binding.CUmemPoolPtrExportData
CUmemPool_attribute = binding.CUmemPool_attribute
CUmemRangeHandleType = binding.CUmemRangeHandleType
CUmem_advise = binding.CUmem_advise
CUmem_range_attribute = binding.CUmem_range_attribute
CUmemcpyAttributes = binding.CUmemcpyAttributes
CUmemoryPool = binding.CUmemoryPool
CUmipmappedArray = binding.CUmipmappedArray
CUmodule = binding.CUmodule
CUmoduleLoadingMode = binding.CUmoduleLoadingMode
CUmulticastGranularity_flags = binding.CUmulticastGranularity_flags
CUmulticastObjectProp = binding.CUmulticastObjectProp
CUoccupancyB2DSize = binding.CUoccupancyB2DSize
CUpointer_attribute = binding.CUpointer_attribute
CUprocessState = binding.CUprocessState
CUresult = binding.CUresult
CUsharedconfig = binding.CUsharedconfig
CUstream = binding.CUstream
CUstreamAttrID = binding.CUstreamAttrID
CUstreamAttrValue = binding.CUstreamAttrValue
CUstreamBatchMemOpParams = binding.CUstreamBatchMemOpParams
CUstreamCallback = binding.CUstreamCallback
CUstreamCaptureMode = binding.CUstreamCaptureMode
CUstreamCaptureStatus = binding.CUstreamCaptureStatus
CUsurfObject = binding.CUsurfObject
CUsurfref = binding.CUsurfref
CUtensorMap = binding.CUtensorMap
CUtensorMapDataType = binding.CUtensorMapDataType
CUtensorMapFloatOOBfill = binding.CUtensorMapFloatOOBfill
CUtensorMapIm2ColWideMode = binding.CUtensorMapIm2ColWideMode
CUtensorMapInterleave = binding.CUtensorMapInterleave
CUtensorMapL2promotion = binding.CUtensorMapL2promotion
CUtensorMapSwizzle = binding.CUtensorMapSwizzle
CUtexObject = binding.CUtexObject
CUtexref = binding.CUtexref
CUuserObject = binding.CUuserObject
CUuuid = binding.CUuuid
cuuint32_t = binding.cuuint32_t
cuuint64_t = binding.cuuint64_t
CUmemFabricHandle = fallback_classes.binding.CUmemFabricHandle
_unsigned_char = integers.INTEGERS["unsigned char"]
_unsigned_short = integers.INTEGERS["unsigned short"]
_unsigned_int = integers.INTEGERS["unsigned int"]
_unsigned_long = integers.INTEGERS["unsigned long"]
_size_t = integers.INTEGERS["size_t"]
_unsigned_long_long = integers.INTEGERS["unsigned long long"]
_CUarray_format = integers.enumerator("CUarray_format")
_CUdevice_P2PAttribute = integers.enumerator("CUdevice_P2PAttribute")
_CUdevice_attribute = integers.enumerator("CUdevice_attribute")
_CUexecAffinityType = integers.enumerator("CUexecAffinityType")
_CUflushGPUDirectRDMAWritesScope = integers.enumerator("CUflushGPUDirectRDMAWritesScope")
_CUflushGPUDirectRDMAWritesTarget = integers.enumerator("CUflushGPUDirectRDMAWritesTarget")
_CUfunc_cache = integers.enumerator("CUfunc_cache")
_CUfunction_attribute = integers.enumerator("CUfunction_attribute")
_CUjitInputType = integers.enumerator("CUjitInputType")
_CUkernelNodeAttrID = integers.enumerator("CUkernelNodeAttrID")
_CUlimit = integers.enumerator("CUlimit")
_CUmemAllocationGranularity_flags = integers.enumerator("CUmemAllocationGranularity_flags")
_CUmemAllocationHandleType = integers.enumerator("CUmemAllocationHandleType")
_CUmemAllocationType = integers.enumerator("CUmemAllocationType")
_CUmemRangeHandleType = integers.enumerator("CUmemRangeHandleType")
_CUmem_advise = integers.enumerator("CUmem_advise")
_CUmulticastGranularity_flags = integers.enumerator("CUmulticastGranularity_flags")
_CUresult = integers.enumerator("CUresult")
_CUsharedconfig = integers.enumerator("CUsharedconfig")
_CUstreamAttrID = integers.enumerator("CUstreamAttrID")
_CUstreamCaptureMode = integers.enumerator("CUstreamCaptureMode")
_CUtensorMapDataType = integers.enumerator("CUtensorMapDataType")
_CUtensorMapFloatOOBfill = integers.enumerator("CUtensorMapFloatOOBfill")
_CUtensorMapIm2ColWideMode = integers.enumerator("CUtensorMapIm2ColWideMode")
_CUtensorMapInterleave = integers.enumerator("CUtensorMapInterleave")
_CUtensorMapL2promotion = integers.enumerator("CUtensorMapL2promotion")
_CUtensorMapSwizzle = integers.enumerator("CUtensorMapSwizzle")
_CUgraphMem_attribute_known = integers.known("CUgraphMem_attribute")
_CUgraphMem_attribute_by_value = integers.numbered("CUgraphMem_attribute", _CUgraphMem_attribute_known)
_CUmemAllocationHandleType_known = integers.known("CUmemAllocationHandleType")
_CUmemAllocationHandleType_by_value = integers.member("CUmemAllocationHandleType", _CUmemAllocationHandleType_known)
_CUmemPool_attribute_known = integers.known("CUmemPool_attribute")
_CUmemPool_attribute_by_value = integers.numbered("CUmemPool_attribute", _CUmemPool_attribute_known)
_CUmem_range_attribute_known = integers.known("CUmem_range_attribute")
_CUmem_range_attribute_by_value = integers.member("CUmem_range_attribute", _CUmem_range_attribute_known)
_CUpointer_attribute_known = integers.known("CUpointer_attribute")
_CUpointer_attribute_by_value = integers.member("CUpointer_attribute", _CUpointer_attribute_known)
_CUmem_range_attribute_sizes = arrays.sizes_of("CUmem_range_attribute")
_CUpointer_attribute_whole = arrays.whole_of("CUpointer_attribute")
_cuArray3DCreate = late(globals(), DRIVER.ops, "cuArray3DCreate")
_cuArray3DGetDescriptor = late(globals(), DRIVER.ops, "cuArray3DGetDescriptor")
_cuArrayCreate = late(globals(), DRIVER.ops, "cuArrayCreate")
_cuArrayDestroy = late(globals(), DRIVER.ops, "cuArrayDestroy")
_cuArrayGetDescriptor = late(globals(), DRIVER.ops, "cuArrayGetDescriptor")
_cuArrayGetMemoryRequirements = late(globals(), DRIVER.ops, "cuArrayGetMemoryRequirements")
_cuArrayGetPlane = late(globals(), DRIVER.ops, "cuArrayGetPlane")
_cuArrayGetSparseProperties = late(globals(), DRIVER.ops, "cuArrayGetSparseProperties")
_cuCheckpointProcessCheckpoint = late(globals(), DRIVER.ops, "cuCheckpointProcessCheckpoint")
_cuCheckpointProcessGetRestoreThreadId = late(globals(), DRIVER.ops, "cuCheckpointProcessGetRestoreThreadId")
_cuCheckpointProcessGetState = late(globals(), DRIVER.ops, "cuCheckpointProcessGetState")
_cuCheckpointProcessLock = late(globals(), DRIVER.ops, "cuCheckpointProcessLock")
_cuCheckpointProcessRestore = late(globals(), DRIVER.ops, "cuCheckpointProcessRestore")
_cuCheckpointProcessUnlock = late(globals(), DRIVER.ops, "cuCheckpointProcessUnlock")
_cuCtxAttach = late(globals(), DRIVER.ops, "cuCtxAttach")
_cuCtxCreate = late(globals(), DRIVER.ops, "cuCtxCreate")
_cuCtxDestroy = late(globals(), DRIVER.ops, "cuCtxDestroy")
_cuCtxDetach = late(globals(), DRIVER.ops, "cuCtxDetach")
_cuCtxDisablePeerAccess = late(globals(), DRIVER.ops, "cuCtxDisablePeerAccess")
_cuCtxEnablePeerAccess = late(globals(), DRIVER.ops, "cuCtxEnablePeerAccess")
_cuCtxGetApiVersion = late(globals(), DRIVER.ops, "cuCtxGetApiVersion")
_cuCtxGetCacheConfig = late(globals(), DRIVER.ops, "cuCtxGetCacheConfig")
_cuCtxGetCurrent = late(globals(), DRIVER.ops, "cuCtxGetCurrent")
_cuCtxGetDevice = late(globals(), DRIVER.ops, "cuCtxGetDevice")
_cuCtxGetDevice_v2 = late(globals(), DRIVER.ops, "cuCtxGetDevice_v2")
_cuCtxGetExecAffinity = late(globals(), DRIVER.ops, "cuCtxGetExecAffinity")
_cuCtxGetFlags = late(globals(), DRIVER.ops, "cuCtxGetFlags")
_cuCtxGetId = late(globals(), DRIVER.ops, "cuCtxGetId")
_cuCtxGetLimit = late(globals(), DRIVER.ops, "cuCtxGetLimit")
_cuCtxGetSharedMemConfig = late(globals(), DRIVER.ops, "cuCtxGetSharedMemConfig")
_cuCtxGetStreamPriorityRange = late(globals(), DRIVER.ops, "cuCtxGetStreamPriorityRange")
_cuCtxPopCurrent = late(globals(), DRIVER.ops, "cuCtxPopCurrent")
_cuCtxPushCurrent = late(globals(), DRIVER.ops, "cuCtxPushCurrent")
_cuCtxRecordEvent = late(globals(), DRIVER.ops, "cuCtxRecordEvent")
_cuCtxResetPersistingL2Cache = late(globals(), DRIVER.ops, "cuCtxResetPersistingL2Cache")
_cuCtxSetCacheConfig = late(globals(), DRIVER.ops, "cuCtxSetCacheConfig")
_cuCtxSetCurrent = late(globals(), DRIVER.ops, "cuCtxSetCurrent")
_cuCtxSetFlags = late(globals(), DRIVER.ops, "cuCtxSetFlags")
_cuCtxSetLimit = late(globals(), DRIVER.ops, "cuCtxSetLimit")
_cuCtxSetSharedMemConfig = late(globals(), DRIVER.ops, "cuCtxSetSharedMemConfig")
_cuCtxSynchronize = late(globals(), DRIVER.ops, "cuCtxSynchronize")
_cuCtxSynchronize_v2 = late(globals(), DRIVER.ops, "cuCtxSynchronize_v2")
_cuCtxWaitEvent = late(globals(), DRIVER.ops, "cuCtxWaitEvent")
_cuDeviceCanAccessPeer = late(globals(), DRIVER.ops, "cuDeviceCanAccessPeer")
_cuDeviceComputeCapability = late(globals(), DRIVER.ops, "cuDeviceComputeCapability")
_cuDeviceGet = late(globals(), DRIVER.ops, "cuDeviceGet")
_cuDeviceGetAttribute = late(globals(), DRIVER.ops, "cuDeviceGetAttribute")
_cuDeviceGetByPCIBusId = late(globals(), DRIVER.ops, "cuDeviceGetByPCIBusId")
_cuDeviceGetCount = late(globals(), DRIVER.ops, "cuDeviceGetCount")
_cuDeviceGetDefaultMemPool = late(globals(), DRIVER.ops, "cuDeviceGetDefaultMemPool")
_cuDeviceGetExecAffinitySupport = late(globals(), DRIVER.ops, "cuDeviceGetExecAffinitySupport")
_cuDeviceGetGraphMemAttribute = late(globals(), DRIVER.ops, "cuDeviceGetGraphMemAttribute")
_cuDeviceGetHostAtomicCapabilities = late(globals(), DRIVER.ops, "cuDeviceGetHostAtomicCapabilities")
_cuDeviceGetLuid = late(globals(), DRIVER.ops, "cuDeviceGetLuid")
_cuDeviceGetMemPool = late(globals(), DRIVER.ops, "cuDeviceGetMemPool")
_cuDeviceGetName = late(globals(), DRIVER.ops, "cuDeviceGetName")
_cuDeviceGetP2PAtomicCapabilities = late(globals(), DRIVER.ops, "cuDeviceGetP2PAtomicCapabilities")
_cuDeviceGetP2PAttribute = late(globals(), DRIVER.ops, "cuDeviceGetP2PAttribute")
_cuDeviceGetPCIBusId = late(globals(), DRIVER.ops, "cuDeviceGetPCIBusId")
_cuDeviceGetProperties = late(globals(), DRIVER.ops, "cuDeviceGetProperties")
_cuDeviceGetTexture1DLinearMaxWidth = late(globals(), DRIVER.ops, "cuDeviceGetTexture1DLinearMaxWidth")
_cuDeviceGetUuid = late(globals(), DRIVER.ops, "cuDeviceGetUuid")
_cuDeviceGraphMemTrim = late(globals(), DRIVER.ops, "cuDeviceGraphMemTrim")
_cuDevicePrimaryCtxGetState = late(globals(), DRIVER.ops, "cuDevicePrimaryCtxGetState")
_cuDevicePrimaryCtxRelease = late(globals(), DRIVER.ops, "cuDevicePrimaryCtxRelease")
_cuDevicePrimaryCtxReset = late(globals(), DRIVER.ops, "cuDevicePrimaryCtxReset")
_cuDevicePrimaryCtxRetain = late(globals(), DRIVER.ops, "cuDevicePrimaryCtxRetain")
_cuDevicePrimaryCtxSetFlags = late(globals(), DRIVER.ops, "cuDevicePrimaryCtxSetFlags")
_cuDeviceSetGraphMemAttribute = late(globals(), DRIVER.ops, "cuDeviceSetGraphMemAttribute")
_cuDeviceSetMemPool = late(globals(), DRIVER.ops, "cuDeviceSetMemPool")
_cuDeviceTotalMem = late(globals(), DRIVER.ops, "cuDeviceTotalMem")
_cuDriverGetVersion = late(globals(), DRIVER.ops, "cuDriverGetVersion")
_cuEventCreate = late(globals(), DRIVER.ops, "cuEventCreate")
_cuEventDestroy = late(globals(), DRIVER.ops, "cuEventDestroy")
_cuEventElapsedTime = late(globals(), DRIVER.ops, "cuEventElapsedTime")
_cuEventQuery = late(globals(), DRIVER.ops, "cuEventQuery")
_cuEventRecord = late(globals(), DRIVER.ops, "cuEventRecord")
_cuEventRecordWithFlags = late(globals(), DRIVER.ops, "cuEventRecordWithFlags")
_cuEventSynchronize = late(globals(), DRIVER.ops, "cuEventSynchronize")
_cuFlushGPUDirectRDMAWrites = late(globals(), DRIVER.ops, "cuFlushGPUDirectRDMAWrites")
_cuFuncGetAttribute = late(globals(), DRIVER.ops, "cuFuncGetAttribute")
_cuFuncGetModule = late(globals(), DRIVER.ops, "cuFuncGetModule")
_cuFuncGetName = late(globals(), DRIVER.ops, "cuFuncGetName")
_cuFuncGetParamInfo = late(globals(), DRIVER.ops, "cuFuncGetParamInfo")
_cuFuncIsLoaded = late(globals(), DRIVER.ops, "cuFuncIsLoaded")
_cuFuncLoad = late(globals(), DRIVER.ops, "cuFuncLoad")
_cuFuncSetAttribute = late(globals(), DRIVER.ops, "cuFuncSetAttribute")
_cuFuncSetCacheConfig = late(globals(), DRIVER.ops, "cuFuncSetCacheConfig")
_cuFuncSetSharedMemConfig = late(globals(), DRIVER.ops, "cuFuncSetSharedMemConfig")
_cuGetErrorName = late(globals(), DRIVER.ops, "cuGetErrorName")
_cuGetErrorString = late(globals(), DRIVER.ops, "cuGetErrorString")
_cuGetProcAddress = late(globals(), DRIVER.ops, "cuGetProcAddress")
_cuGraphAddBatchMemOpNode = late(globals(), DRIVER.ops, "cuGraphAddBatchMemOpNode")
_cuGraphAddChildGraphNode = late(globals(), DRIVER.ops, "cuGraphAddChildGraphNode")
_cuGraphAddDependencies = late(globals(), DRIVER.ops, "cuGraphAddDependencies")
_cuGraphAddEmptyNode = late(globals(), DRIVER.ops, "cuGraphAddEmptyNode")
_cuGraphAddEventRecordNode = late(globals(), DRIVER.ops, "cuGraphAddEventRecordNode")
_cuGraphAddEventWaitNode = late(globals(), DRIVER.ops, "cuGraphAddEventWaitNode")
_cuGraphAddHostNode = late(globals(), DRIVER.ops, "cuGraphAddHostNode")
_cuGraphAddKernelNode = late(globals(), DRIVER.ops, "cuGraphAddKernelNode")
_cuGraphAddMemAllocNode = late(globals(), DRIVER.ops, "cuGraphAddMemAllocNode")
_cuGraphAddMemFreeNode = late(globals(), DRIVER.ops, "cuGraphAddMemFreeNode")
_cuGraphAddMemcpyNode = late(globals(), DRIVER.ops, "cuGraphAddMemcpyNode")
_cuGraphAddMemsetNode = late(globals(), DRIVER.ops, "cuGraphAddMemsetNode")
_cuGraphAddNode = late(globals(), DRIVER.ops, "cuGraphAddNode")
_cuGraphBatchMemOpNodeGetParams = late(globals(), DRIVER.ops, "cuGraphBatchMemOpNodeGetParams")
_cuGraphBatchMemOpNodeSetParams = late(globals(), DRIVER.ops, "cuGraphBatchMemOpNodeSetParams")
_cuGraphChildGraphNodeGetGraph = late(globals(), DRIVER.ops, "cuGraphChildGraphNodeGetGraph")
_cuGraphClone = late(globals(), DRIVER.ops, "cuGraphClone")
_cuGraphConditionalHandleCreate = late(globals(), DRIVER.ops, "cuGraphConditionalHandleCreate")
_cuGraphCreate = late(globals(), DRIVER.ops, "cuGraphCreate")
_cuGraphDebugDotPrint = late(globals(), DRIVER.ops, "cuGraphDebugDotPrint")
_cuGraphDestroy = late(globals(), DRIVER.ops, "cuGraphDestroy")
_cuGraphDestroyNode = late(globals(), DRIVER.ops, "cuGraphDestroyNode")
_cuGraphEventRecordNodeGetEvent = late(globals(), DRIVER.ops, "cuGraphEventRecordNodeGetEvent")
_cuGraphEventRecordNodeSetEvent = late(globals(), DRIVER.ops, "cuGraphEventRecordNodeSetEvent")
_cuGraphEventWaitNodeGetEvent = late(globals(), DRIVER.ops, "cuGraphEventWaitNodeGetEvent")
_cuGraphEventWaitNodeSetEvent = late(globals(), DRIVER.ops, "cuGraphEventWaitNodeSetEvent")
_cuGraphExecBatchMemOpNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecBatchMemOpNodeSetParams")
_cuGraphExecChildGraphNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecChildGraphNodeSetParams")
_cuGraphExecDestroy = late(globals(), DRIVER.ops, "cuGraphExecDestroy")
_cuGraphExecEventRecordNodeSetEvent = late(globals(), DRIVER.ops, "cuGraphExecEventRecordNodeSetEvent")
_cuGraphExecEventWaitNodeSetEvent = late(globals(), DRIVER.ops, "cuGraphExecEventWaitNodeSetEvent")
_cuGraphExecGetFlags = late(globals(), DRIVER.ops, "cuGraphExecGetFlags")
_cuGraphExecHostNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecHostNodeSetParams")
_cuGraphExecKernelNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecKernelNodeSetParams")
_cuGraphExecMemcpyNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecMemcpyNodeSetParams")
_cuGraphExecMemsetNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecMemsetNodeSetParams")
_cuGraphExecNodeSetParams = late(globals(), DRIVER.ops, "cuGraphExecNodeSetParams")
_cuGraphExecUpdate = late(globals(), DRIVER.ops, "cuGraphExecUpdate")
_cuGraphGetEdges = late(globals(), DRIVER.ops, "cuGraphGetEdges")
_cuGraphGetNodes = late(globals(), DRIVER.ops, "cuGraphGetNodes")
_cuGraphGetRootNodes = late(globals(), DRIVER.ops, "cuGraphGetRootNodes")
_cuGraphHostNodeGetParams = late(globals(), DRIVER.ops, "cuGraphHostNodeGetParams")
_cuGraphHostNodeSetParams = late(globals(), DRIVER.ops, "cuGraphHostNodeSetParams")
_cuGraphInstantiate = late(globals(), DRIVER.ops, "cuGraphInstantiate")
_cuGraphInstantiateWithParams = late(globals(), DRIVER.ops, "cuGraphInstantiateWithParams")
_cuGraphKernelNodeCopyAttributes = late(globals(), DRIVER.ops, "cuGraphKernelNodeCopyAttributes")
_cuGraphKernelNodeGetAttribute = late(globals(), DRIVER.ops, "cuGraphKernelNodeGetAttribute")
_cuGraphKernelNodeGetParams = late(globals(), DRIVER.ops, "cuGraphKernelNodeGetParams")
_cuGraphKernelNodeSetAttribute = late(globals(), DRIVER.ops, "cuGraphKernelNodeSetAttribute")
_cuGraphKernelNodeSetParams = late(globals(), DRIVER.ops, "cuGraphKernelNodeSetParams")
_cuGraphLaunch = late(globals(), DRIVER.ops, "cuGraphLaunch")
_cuGraphMemAllocNodeGetParams = late(globals(), DRIVER.ops, "cuGraphMemAllocNodeGetParams")
_cuGraphMemFreeNodeGetParams = late(globals(), DRIVER.ops, "cuGraphMemFreeNodeGetParams")
_cuGraphMemcpyNodeGetParams = late(globals(), DRIVER.ops, "cuGraphMemcpyNodeGetParams")
_cuGraphMemcpyNodeSetParams = late(globals(), DRIVER.ops, "cuGraphMemcpyNodeSetParams")
_cuGraphMemsetNodeGetParams = late(globals(), DRIVER.ops, "cuGraphMemsetNodeGetParams")
_cuGraphMemsetNodeSetParams = late(globals(), DRIVER.ops, "cuGraphMemsetNodeSetParams")
_cuGraphNodeFindInClone = late(globals(), DRIVER.ops, "cuGraphNodeFindInClone")
_cuGraphNodeGetDependencies = late(globals(), DRIVER.ops, "cuGraphNodeGetDependencies")
_cuGraphNodeGetDependentNodes = late(globals(), DRIVER.ops, "cuGraphNodeGetDependentNodes")
_cuGraphNodeGetEnabled = late(globals(), DRIVER.ops, "cuGraphNodeGetEnabled")
_cuGraphNodeGetType = late(globals(), DRIVER.ops, "cuGraphNodeGetType")
_cuGraphNodeSetEnabled = late(globals(), DRIVER.ops, "cuGraphNodeSetEnabled")
_cuGraphNodeSetParams = late(globals(), DRIVER.ops, "cuGraphNodeSetParams")
_cuGraphReleaseUserObject = late(globals(), DRIVER.ops, "cuGraphReleaseUserObject")
_cuGraphRemoveDependencies = late(globals(), DRIVER.ops, "cuGraphRemoveDependencies")
_cuGraphRetainUserObject = late(globals(), DRIVER.ops, "cuGraphRetainUserObject")
_cuGraphUpload = late(globals(), DRIVER.ops, "cuGraphUpload")
_cuInit = late(globals(), DRIVER.ops, "cuInit")
_cuIpcCloseMemHandle = late(globals(), DRIVER.ops, "cuIpcCloseMemHandle")
_cuIpcGetEventHandle = late(globals(), DRIVER.ops, "cuIpcGetEventHandle")
_cuIpcGetMemHandle = late(globals(), DRIVER.ops, "cuIpcGetMemHandle")
_cuIpcOpenEventHandle = late(globals(), DRIVER.ops, "cuIpcOpenEventHandle")
_cuIpcOpenMemHandle = late(globals(), DRIVER.ops, "cuIpcOpenMemHandle")
_cuKernelGetAttribute = late(globals(), DRIVER.ops, "cuKernelGetAttribute")
_cuKernelGetFunction = late(globals(), DRIVER.ops, "cuKernelGetFunction")
_cuKernelGetLibrary = late(globals(), DRIVER.ops, "cuKernelGetLibrary")
_cuKernelGetName = late(globals(), DRIVER.ops, "cuKernelGetName")
_cuKernelGetParamInfo = late(globals(), DRIVER.ops, "cuKernelGetParamInfo")
_cuKernelSetAttribute = late(globals(), DRIVER.ops, "cuKernelSetAttribute")
_cuKernelSetCacheConfig = late(globals(), DRIVER.ops, "cuKernelSetCacheConfig")
_cuLaunchCooperativeKernel = late(globals(), DRIVER.ops, "cuLaunchCooperativeKernel")
_cuLaunchHostFunc = late(globals(), DRIVER.ops, "cuLaunchHostFunc")
_cuLaunchKernel = late(globals(), DRIVER.ops, "cuLaunchKernel")
_cuLaunchKernelEx = late(globals(), DRIVER.ops, "cuLaunchKernelEx")
_cuLibraryEnumerateKernels = late(globals(), DRIVER.ops, "cuLibraryEnumerateKernels")
_cuLibraryGetGlobal = late(globals(), DRIVER.ops, "cuLibraryGetGlobal")
_cuLibraryGetKernel = late(globals(), DRIVER.ops, "cuLibraryGetKernel")
_cuLibraryGetKernelCount = late(globals(), DRIVER.ops, "cuLibraryGetKernelCount")
_cuLibraryGetManaged = late(globals(), DRIVER.ops, "cuLibraryGetManaged")
_cuLibraryGetModule = late(globals(), DRIVER.ops, "cuLibraryGetModule")
_cuLibraryGetUnifiedFunction = late(globals(), DRIVER.ops, "cuLibraryGetUnifiedFunction")
_cuLibraryLoadData = late(globals(), DRIVER.ops, "cuLibraryLoadData")
_cuLibraryLoadFromFile = late(globals(), DRIVER.ops, "cuLibraryLoadFromFile")
_cuLibraryUnload = late(globals(), DRIVER.ops, "cuLibraryUnload")
_cuLinkAddData = late(globals(), DRIVER.ops, "cuLinkAddData")
_cuLinkAddFile = late(globals(), DRIVER.ops, "cuLinkAddFile")
_cuLinkComplete = late(globals(), DRIVER.ops, "cuLinkComplete")
_cuLinkCreate = late(globals(), DRIVER.ops, "cuLinkCreate")
_cuLinkDestroy = late(globals(), DRIVER.ops, "cuLinkDestroy")
_cuMemAddressFree = late(globals(), DRIVER.ops, "cuMemAddressFree")
_cuMemAddressReserve = late(globals(), DRIVER.ops, "cuMemAddressReserve")
_cuMemAdvise = late(globals(), DRIVER.ops, "cuMemAdvise")
_cuMemAlloc = late(globals(), DRIVER.ops, "cuMemAlloc")
_cuMemAllocAsync = late(globals(), DRIVER.ops, "cuMemAllocAsync")
_cuMemAllocFromPoolAsync = late(globals(), DRIVER.ops, "cuMemAllocFromPoolAsync")
_cuMemAllocHost = late(globals(), DRIVER.ops, "cuMemAllocHost")
_cuMemAllocManaged = late(globals(), DRIVER.ops, "cuMemAllocManaged")
_cuMemAllocPitch = late(globals(), DRIVER.ops, "cuMemAllocPitch")
_cuMemCreate = late(globals(), DRIVER.ops, "cuMemCreate")
_cuMemDiscardAndPrefetchBatchAsync = late(globals(), DRIVER.ops, "cuMemDiscardAndPrefetchBatchAsync")
_cuMemDiscardBatchAsync = late(globals(), DRIVER.ops, "cuMemDiscardBatchAsync")
_cuMemExportToShareableHandle = late(globals(), DRIVER.ops, "cuMemExportToShareableHandle")
_cuMemFree = late(globals(), DRIVER.ops, "cuMemFree")
_cuMemFreeAsync = late(globals(), DRIVER.ops, "cuMemFreeAsync")
_cuMemFreeHost = late(globals(), DRIVER.ops, "cuMemFreeHost")
_cuMemGetAccess = late(globals(), DRIVER.ops, "cuMemGetAccess")
_cuMemGetAddressRange = late(globals(), DRIVER.ops, "cuMemGetAddressRange")
_cuMemGetAllocationGranularity = late(globals(), DRIVER.ops, "cuMemGetAllocationGranularity")
_cuMemGetAllocationPropertiesFromHandle = late(globals(), DRIVER.ops, "cuMemGetAllocationPropertiesFromHandle")
_cuMemGetDefaultMemPool = late(globals(), DRIVER.ops, "cuMemGetDefaultMemPool")
_cuMemGetHandleForAddressRange = late(globals(), DRIVER.ops, "cuMemGetHandleForAddressRange")
_cuMemGetInfo = late(globals(), DRIVER.ops, "cuMemGetInfo")
_cuMemGetMemPool = late(globals(), DRIVER.ops, "cuMemGetMemPool")
_cuMemHostAlloc = late(globals(), DRIVER.ops, "cuMemHostAlloc")
_cuMemHostGetDevicePointer = late(globals(), DRIVER.ops, "cuMemHostGetDevicePointer")
_cuMemHostGetFlags = late(globals(), DRIVER.ops, "cuMemHostGetFlags")
_cuMemHostRegister = late(globals(), DRIVER.ops, "cuMemHostRegister")
_cuMemHostUnregister = late(globals(), DRIVER.ops, "cuMemHostUnregister")
_cuMemImportFromShareableHandle = late(globals(), DRIVER.ops, "cuMemImportFromShareableHandle")
_cuMemMap = late(globals(), DRIVER.ops, "cuMemMap")
_cuMemMapArrayAsync = late(globals(), DRIVER.ops, "cuMemMapArrayAsync")
_cuMemPoolCreate = late(globals(), DRIVER.ops, "cuMemPoolCreate")
_cuMemPoolDestroy = late(globals(), DRIVER.ops, "cuMemPoolDestroy")
_cuMemPoolExportPointer = late(globals(), DRIVER.ops, "cuMemPoolExportPointer")
_cuMemPoolExportToShareableHandle = late(globals(), DRIVER.ops, "cuMemPoolExportToShareableHandle")
_cuMemPoolGetAccess = late(globals(), DRIVER.ops, "cuMemPoolGetAccess")
_cuMemPoolGetAttribute = late(globals(), DRIVER.ops, "cuMemPoolGetAttribute")
_cuMemPoolImportFromShareableHandle = late(globals(), DRIVER.ops, "cuMemPoolImportFromShareableHandle")
_cuMemPoolImportPointer = late(globals(), DRIVER.ops, "cuMemPoolImportPointer")
_cuMemPoolSetAccess = late(globals(), DRIVER.ops, "cuMemPoolSetAccess")
_cuMemPoolSetAttribute = late(globals(), DRIVER.ops, "cuMemPoolSetAttribute")
_cuMemPoolTrimTo = late(globals(), DRIVER.ops, "cuMemPoolTrimTo")
_cuMemPrefetchAsync = late(globals(), DRIVER.ops, "cuMemPrefetchAsync")
_cuMemPrefetchBatchAsync = late(globals(), DRIVER.ops, "cuMemPrefetchBatchAsync")
_cuMemRangeGetAttribute = late(globals(), DRIVER.ops, "cuMemRangeGetAttribute")
_cuMemRangeGetAttributes = late(globals(), DRIVER.ops, "cuMemRangeGetAttributes")
_cuMemRelease = late(globals(), DRIVER.ops, "cuMemRelease")
_cuMemRetainAllocationHandle = late(globals(), DRIVER.ops, "cuMemRetainAllocationHandle")
_cuMemSetAccess = late(globals(), DRIVER.ops, "cuMemSetAccess")
_cuMemSetMemPool = late(globals(), DRIVER.ops, "cuMemSetMemPool")
_cuMemUnmap = late(globals(), DRIVER.ops, "cuMemUnmap")
_cuMemcpy = late(globals(), DRIVER.ops, "cuMemcpy")
_cuMemcpy2D = late(globals(), DRIVER.ops, "cuMemcpy2D")
_cuMemcpy2DAsync = late(globals(), DRIVER.ops, "cuMemcpy2DAsync")
_cuMemcpy2DUnaligned = late(globals(), DRIVER.ops, "cuMemcpy2DUnaligned")
_cuMemcpy3D = late(globals(), DRIVER.ops, "cuMemcpy3D")
_cuMemcpy3DAsync = late(globals(), DRIVER.ops, "cuMemcpy3DAsync")
_cuMemcpy3DPeer = late(globals(), DRIVER.ops, "cuMemcpy3DPeer")
_cuMemcpy3DPeerAsync = late(globals(), DRIVER.ops, "cuMemcpy3DPeerAsync")
_cuMemcpyAsync = late(globals(), DRIVER.ops, "cuMemcpyAsync")
_cuMemcpyAtoA = late(globals(), DRIVER.ops, "cuMemcpyAtoA")
_cuMemcpyAtoD = late(globals(), DRIVER.ops, "cuMemcpyAtoD")
_cuMemcpyAtoH = late(globals(), DRIVER.ops, "cuMemcpyAtoH")
_cuMemcpyAtoHAsync = late(globals(), DRIVER.ops, "cuMemcpyAtoHAsync")
_cuMemcpyBatchAsync = late(globals(), DRIVER.ops, "cuMemcpyBatchAsync")
_cuMemcpyDtoA = late(globals(), DRIVER.ops, "cuMemcpyDtoA")
_cuMemcpyDtoD = late(globals(), DRIVER.ops, "cuMemcpyDtoD")
_cuMemcpyDtoDAsync = late(globals(), DRIVER.ops, "cuMemcpyDtoDAsync")
_cuMemcpyDtoH = late(globals(), DRIVER.ops, "cuMemcpyDtoH")
_cuMemcpyDtoHAsync = late(globals(), DRIVER.ops, "cuMemcpyDtoHAsync")
_cuMemcpyHtoA = late(globals(), DRIVER.ops, "cuMemcpyHtoA")
_cuMemcpyHtoAAsync = late(globals(), DRIVER.ops, "cuMemcpyHtoAAsync")
_cuMemcpyHtoD = late(globals(), DRIVER.ops, "cuMemcpyHtoD")
_cuMemcpyHtoDAsync = late(globals(), DRIVER.ops, "cuMemcpyHtoDAsync")
_cuMemcpyPeer = late(globals(), DRIVER.ops, "cuMemcpyPeer")
_cuMemcpyPeerAsync = late(globals(), DRIVER.ops, "cuMemcpyPeerAsync")
_cuMemsetD16 = late(globals(), DRIVER.ops, "cuMemsetD16")
_cuMemsetD16Async = late(globals(), DRIVER.ops, "cuMemsetD16Async")
_cuMemsetD2D16 = late(globals(), DRIVER.ops, "cuMemsetD2D16")
_cuMemsetD2D16Async = late(globals(), DRIVER.ops, "cuMemsetD2D16Async")
_cuMemsetD2D32 = late(globals(), DRIVER.ops, "cuMemsetD2D32")
_cuMemsetD2D32Async = late(globals(), DRIVER.ops, "cuMemsetD2D32Async")
_cuMemsetD2D8 = late(globals(), DRIVER.ops, "cuMemsetD2D8")
_cuMemsetD2D8Async = late(globals(), DRIVER.ops, "cuMemsetD2D8Async")
_cuMemsetD32 = late(globals(), DRIVER.ops, "cuMemsetD32")
_cuMemsetD32Async = late(globals(), DRIVER.ops, "cuMemsetD32Async")
_cuMemsetD8 = late(globals(), DRIVER.ops, "cuMemsetD8")
_cuMemsetD8Async = late(globals(), DRIVER.ops, "cuMemsetD8Async")
_cuMipmappedArrayCreate = late(globals(), DRIVER.ops, "cuMipmappedArrayCreate")
_cuMipmappedArrayDestroy = late(globals(), DRIVER.ops, "cuMipmappedArrayDestroy")
_cuMipmappedArrayGetLevel = late(globals(), DRIVER.ops, "cuMipmappedArrayGetLevel")
_cuMipmappedArrayGetMemoryRequirements = late(globals(), DRIVER.ops, "cuMipmappedArrayGetMemoryRequirements")
_cuMipmappedArrayGetSparseProperties = late(globals(), DRIVER.ops, "cuMipmappedArrayGetSparseProperties")
_cuModuleEnumerateFunctions = late(globals(), DRIVER.ops, "cuModuleEnumerateFunctions")
_cuModuleGetFunction = late(globals(), DRIVER.ops, "cuModuleGetFunction")
_cuModuleGetFunctionCount = late(globals(), DRIVER.ops, "cuModuleGetFunctionCount")
_cuModuleGetGlobal = late(globals(), DRIVER.ops, "cuModuleGetGlobal")
_cuModuleGetLoadingMode = late(globals(), DRIVER.ops, "cuModuleGetLoadingMode")
_cuModuleGetSurfRef = late(globals(), DRIVER.ops, "cuModuleGetSurfRef")
_cuModuleGetTexRef = late(globals(), DRIVER.ops, "cuModuleGetTexRef")
_cuModuleLoad = late(globals(), DRIVER.ops, "cuModuleLoad")
_cuModuleLoadData = late(globals(), DRIVER.ops, "cuModuleLoadData")
_cuModuleLoadDataEx = late(globals(), DRIVER.ops, "cuModuleLoadDataEx")
_cuModuleLoadFatBinary = late(globals(), DRIVER.ops, "cuModuleLoadFatBinary")
_cuModuleUnload = late(globals(), DRIVER.ops, "cuModuleUnload")
_cuMulticastAddDevice = late(globals(), DRIVER.ops, "cuMulticastAddDevice")
_cuMulticastBindAddr = late(globals(), DRIVER.ops, "cuMulticastBindAddr")
_cuMulticastBindMem = late(globals(), DRIVER.ops, "cuMulticastBindMem")
_cuMulticastCreate = late(globals(), DRIVER.ops, "cuMulticastCreate")
_cuMulticastGetGranularity = late(globals(), DRIVER.ops, "cuMulticastGetGranularity")
_cuMulticastUnbind = late(globals(), DRIVER.ops, "cuMulticastUnbind")
_cuOccupancyAvailableDynamicSMemPerBlock = late(globals(), DRIVER.ops, "cuOccupancyAvailableDynamicSMemPerBlock")
_cuOccupancyMaxActiveBlocksPerMultiprocessor = late(globals(), DRIVER.ops, "cuOccupancyMaxActiveBlocksPerMultiprocessor")
_cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags = late(globals(), DRIVER.ops, "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags")
_cuOccupancyMaxActiveClusters = late(globals(), DRIVER.ops, "cuOccupancyMaxActiveClusters")
_cuOccupancyMaxPotentialBlockSize = late(globals(), DRIVER.ops, "cuOccupancyMaxPotentialBlockSize")
_cuOccupancyMaxPotentialBlockSizeWithFlags = late(globals(), DRIVER.ops, "cuOccupancyMaxPotentialBlockSizeWithFlags")
_cuOccupancyMaxPotentialClusterSize = late(globals(), DRIVER.ops, "cuOccupancyMaxPotentialClusterSize")
_cuPointerGetAttribute = late(globals(), DRIVER.ops, "cuPointerGetAttribute")
_cuPointerGetAttributes = late(globals(), DRIVER.ops, "cuPointerGetAttributes")
_cuPointerSetAttribute = late(globals(), DRIVER.ops, "cuPointerSetAttribute")
_cuProfilerStart = late(globals(), DRIVER.ops, "cuProfilerStart")
_cuProfilerStop = late(globals(), DRIVER.ops, "cuProfilerStop")
_cuStreamAddCallback = late(globals(), DRIVER.ops, "cuStreamAddCallback")
_cuStreamAttachMemAsync = late(globals(), DRIVER.ops, "cuStreamAttachMemAsync")
_cuStreamBatchMemOp = late(globals(), DRIVER.ops, "cuStreamBatchMemOp")
_cuStreamBeginCapture = late(globals(), DRIVER.ops, "cuStreamBeginCapture")
_cuStreamBeginCaptureToGraph = late(globals(), DRIVER.ops, "cuStreamBeginCaptureToGraph")
_cuStreamCopyAttributes = late(globals(), DRIVER.ops, "cuStreamCopyAttributes")
_cuStreamCreate = late(globals(), DRIVER.ops, "cuStreamCreate")
_cuStreamCreateWithPriority = late(globals(), DRIVER.ops, "cuStreamCreateWithPriority")
_cuStreamDestroy = late(globals(), DRIVER.ops, "cuStreamDestroy")
_cuStreamEndCapture = late(globals(), DRIVER.ops, "cuStreamEndCapture")
_cuStreamGetAttribute = late(globals(), DRIVER.ops, "cuStreamGetAttribute")
_cuStreamGetCaptureInfo = late(globals(), DRIVER.ops, "cuStreamGetCaptureInfo")
_cuStreamGetCtx = late(globals(), DRIVER.ops, "cuStreamGetCtx")
_cuStreamGetDevice = late(globals(), DRIVER.ops, "cuStreamGetDevice")
_cuStreamGetFlags = late(globals(), DRIVER.ops, "cuStreamGetFlags")
_cuStreamGetId = late(globals(), DRIVER.ops, "cuStreamGetId")
_cuStreamGetPriority = late(globals(), DRIVER.ops, "cuStreamGetPriority")
_cuStreamIsCapturing = late(globals(), DRIVER.ops, "cuStreamIsCapturing")
_cuStreamQuery = late(globals(), DRIVER.ops, "cuStreamQuery")
_cuStreamSetAttribute = late(globals(), DRIVER.ops, "cuStreamSetAttribute")
_cuStreamSynchronize = late(globals(), DRIVER.ops, "cuStreamSynchronize")
_cuStreamUpdateCaptureDependencies = late(globals(), DRIVER.ops, "cuStreamUpdateCaptureDependencies")
_cuStreamWaitEvent = late(globals(), DRIVER.ops, "cuStreamWaitEvent")
_cuStreamWaitValue32 = late(globals(), DRIVER.ops, "cuStreamWaitValue32")
_cuStreamWaitValue64 = late(globals(), DRIVER.ops, "cuStreamWaitValue64")
_cuStreamWriteValue32 = late(globals(), DRIVER.ops, "cuStreamWriteValue32")
_cuStreamWriteValue64 = late(globals(), DRIVER.ops, "cuStreamWriteValue64")
_cuSurfObjectCreate = late(globals(), DRIVER.ops, "cuSurfObjectCreate")
_cuSurfObjectDestroy = late(globals(), DRIVER.ops, "cuSurfObjectDestroy")
_cuSurfObjectGetResourceDesc = late(globals(), DRIVER.ops, "cuSurfObjectGetResourceDesc")
_cuTensorMapEncodeIm2col = late(globals(), DRIVER.ops, "cuTensorMapEncodeIm2col")
_cuTensorMapEncodeIm2colWide = late(globals(), DRIVER.ops, "cuTensorMapEncodeIm2colWide")
_cuTensorMapEncodeTiled = late(globals(), DRIVER.ops, "cuTensorMapEncodeTiled")
_cuTensorMapReplaceAddress = late(globals(), DRIVER.ops, "cuTensorMapReplaceAddress")
_cuTexObjectCreate = late(globals(), DRIVER.ops, "cuTexObjectCreate")
_cuTexObjectDestroy = late(globals(), DRIVER.ops, "cuTexObjectDestroy")
_cuTexObjectGetResourceDesc = late(globals(), DRIVER.ops, "cuTexObjectGetResourceDesc")
_cuTexObjectGetResourceViewDesc = late(globals(), DRIVER.ops, "cuTexObjectGetResourceViewDesc")
_cuTexObjectGetTextureDesc = late(globals(), DRIVER.ops, "cuTexObjectGetTextureDesc")
_cuThreadExchangeStreamCaptureMode = late(globals(), DRIVER.ops, "cuThreadExchangeStreamCaptureMode")
_cuUserObjectCreate = late(globals(), DRIVER.ops, "cuUserObjectCreate")
_cuUserObjectRelease = late(globals(), DRIVER.ops, "cuUserObjectRelease")
_cuUserObjectRetain = late(globals(), DRIVER.ops, "cuUserObjectRetain")
_CUDA_ARRAY3D_DESCRIPTOR_layout = Struct("@QQQiII")


def _CUDA_ARRAY3D_DESCRIPTOR_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5 = _CUDA_ARRAY3D_DESCRIPTOR_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3, m4, m5)


def _CUDA_ARRAY3D_DESCRIPTOR_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4, m5) = plain
    item = CUDA_ARRAY3D_DESCRIPTOR()
    _CUDA_ARRAY3D_DESCRIPTOR_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5)
    return item


_CUDA_ARRAY_DESCRIPTOR_layout = Struct("@QQiI")


def _CUDA_ARRAY_DESCRIPTOR_plain(item: Any) -> Any:
    m0, m1, m2, m3 = _CUDA_ARRAY_DESCRIPTOR_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3)


def _CUDA_ARRAY_DESCRIPTOR_made(plain: Any) -> Any:
    (m0, m1, m2, m3) = plain
    item = CUDA_ARRAY_DESCRIPTOR()
    _CUDA_ARRAY_DESCRIPTOR_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3)
    return item


_CUDA_ARRAY_MEMORY_REQUIREMENTS_layout = Struct("@QQ")


def _CUDA_ARRAY_MEMORY_REQUIREMENTS_made(plain: Any) -> Any:
    (m0, m1) = plain
    item = CUDA_ARRAY_MEMORY_REQUIREMENTS()
    _CUDA_ARRAY_MEMORY_REQUIREMENTS_layout.pack_into(MEMORY, item.getPtr(), m0, m1)
    return item


_CUDA_ARRAY_SPARSE_PROPERTIES_layout = Struct("@IIIIQI")


def _CUDA_ARRAY_SPARSE_PROPERTIES_made(plain: Any) -> Any:
    ((m0, m1, m2), m3, m4, m5) = plain
    item = CUDA_ARRAY_SPARSE_PROPERTIES()
    _CUDA_ARRAY_SPARSE_PROPERTIES_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5)
    return item


_CUDA_BATCH_MEM_OP_NODE_PARAMS_layout = Struct("@QIQI")


def _CUDA_BATCH_MEM_OP_NODE_PARAMS_plain(item: Any) -> Any:
    m0, m1, m2, m3 = _CUDA_BATCH_MEM_OP_NODE_PARAMS_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3)


def _CUDA_BATCH_MEM_OP_NODE_PARAMS_made(plain: Any) -> Any:
    (m0, m1, m2, m3) = plain
    item = CUDA_BATCH_MEM_OP_NODE_PARAMS()
    _CUDA_BATCH_MEM_OP_NODE_PARAMS_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3)
    return item


_CUDA_GRAPH_INSTANTIATE_PARAMS_layout = Struct("@QQQi")


def _CUDA_GRAPH_INSTANTIATE_PARAMS_plain(item: Any) -> Any:
    m0, m1, m2, m3 = _CUDA_GRAPH_INSTANTIATE_PARAMS_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3)


def _CUDA_GRAPH_INSTANTIATE_PARAMS_told(item: Any, plain: Any) -> None:
    (m0, m1, m2, m3) = plain
    _CUDA_GRAPH_INSTANTIATE_PARAMS_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3)


_CUDA_HOST_NODE_PARAMS_layout = Struct("@QQ")


def _CUDA_HOST_NODE_PARAMS_plain(item: Any) -> Any:
    m0, m1 = _CUDA_HOST_NODE_PARAMS_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1)


def _CUDA_HOST_NODE_PARAMS_made(plain: Any) -> Any:
    (m0, m1) = plain
    item = CUDA_HOST_NODE_PARAMS()
    _CUDA_HOST_NODE_PARAMS_layout.pack_into(MEMORY, item.getPtr(), m0, m1)
    return item


_CUDA_KERNEL_NODE_PARAMS_layout = Struct("@QIIIIIIIQQQQ")


def _CUDA_KERNEL_NODE_PARAMS_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11 = _CUDA_KERNEL_NODE_PARAMS_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11)


def _CUDA_KERNEL_NODE_PARAMS_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11) = plain
    item = CUDA_KERNEL_NODE_PARAMS()
    _CUDA_KERNEL_NODE_PARAMS_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11)
    return item


_CUDA_MEMCPY2D_layout = Struct("@QQiQQQQQQiQQQQQQ")


def _CUDA_MEMCPY2D_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15 = _CUDA_MEMCPY2D_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15)


_CUDA_MEMCPY3D_layout = Struct("@QQQQiQQQQQQQQQQiQQQQQQQQQ")


def _CUDA_MEMCPY3D_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24 = _CUDA_MEMCPY3D_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24)


def _CUDA_MEMCPY3D_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24) = plain
    item = CUDA_MEMCPY3D()
    _CUDA_MEMCPY3D_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24)
    return item


_CUDA_MEMCPY3D_PEER_layout = Struct("@QQQQiQQQQQQQQQQiQQQQQQQQQ")


def _CUDA_MEMCPY3D_PEER_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24 = _CUDA_MEMCPY3D_PEER_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15, m16, m17, m18, m19, m20, m21, m22, m23, m24)


_CUDA_MEMSET_NODE_PARAMS_layout = Struct("@QQIIQQ")


def _CUDA_MEMSET_NODE_PARAMS_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5 = _CUDA_MEMSET_NODE_PARAMS_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3, m4, m5)


def _CUDA_MEMSET_NODE_PARAMS_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4, m5) = plain
    item = CUDA_MEMSET_NODE_PARAMS()
    _CUDA_MEMSET_NODE_PARAMS_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5)
    return item


_CUDA_MEM_ALLOC_NODE_PARAMS_layout = Struct("@iiiiQQHB53xQQQQ")


def _CUDA_MEM_ALLOC_NODE_PARAMS_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11 = _CUDA_MEM_ALLOC_NODE_PARAMS_layout.unpack_from(MEMORY, item.getPtr())
    return ((m0, m1, (m2, m3), m4, m5, m6, m7), m8, m9, m10, m11)


def _CUDA_MEM_ALLOC_NODE_PARAMS_told(item: Any, plain: Any) -> None:
    ((m0, m1, (m2, m3), m4, m5, m6, m7), m8, m9, m10, m11) = plain
    _CUDA_MEM_ALLOC_NODE_PARAMS_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11)


def _CUDA_MEM_ALLOC_NODE_PARAMS_made(plain: Any) -> Any:
    ((m0, m1, (m2, m3), m4, m5, m6, m7), m8, m9, m10, m11) = plain
    item = CUDA_MEM_ALLOC_NODE_PARAMS()
    _CUDA_MEM_ALLOC_NODE_PARAMS_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11)
    return item


_CUDA_RESOURCE_DESC_plain = _resource
_CUDA_RESOURCE_VIEW_DESC_layout = Struct("@iQQQIIII")


def _CUDA_RESOURCE_VIEW_DESC_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7 = _CUDA_RESOURCE_VIEW_DESC_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3, m4, m5, m6, m7)


def _CUDA_RESOURCE_VIEW_DESC_made(plain: Any) -> Any:
    (m0, m1, m2, m3, m4, m5, m6, m7) = plain
    item = CUDA_RESOURCE_VIEW_DESC()
    _CUDA_RESOURCE_VIEW_DESC_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7)
    return item


_CUDA_TEXTURE_DESC_layout = Struct("@iiiiIIifffffff")


def _CUDA_TEXTURE_DESC_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13 = _CUDA_TEXTURE_DESC_layout.unpack_from(MEMORY, item.getPtr())
    return ((m0, m1, m2), m3, m4, m5, m6, m7, m8, m9, (m10, m11, m12, m13))


def _CUDA_TEXTURE_DESC_made(plain: Any) -> Any:
    ((m0, m1, m2), m3, m4, m5, m6, m7, m8, m9, (m10, m11, m12, m13)) = plain
    item = CUDA_TEXTURE_DESC()
    _CUDA_TEXTURE_DESC_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13)
    return item


_CUarrayMapInfo_layout = Struct("@iQiQQQQiiQQIIQ")


def _CUarrayMapInfo_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13 = _CUarrayMapInfo_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, (m3, m4, m5, m6), m7, m8, m9, m10, m11, m12, m13)


_CUcheckpointCheckpointArgs_layout = Struct("@Q")


def _CUcheckpointCheckpointArgs_plain(item: Any) -> Any:
    (m0,) = _CUcheckpointCheckpointArgs_layout.unpack_from(MEMORY, item.getPtr())
    return (m0,)


_CUcheckpointLockArgs_layout = Struct("@IIQQQQQQQ")


def _CUcheckpointLockArgs_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7, m8 = _CUcheckpointLockArgs_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, (m2, m3, m4, m5, m6, m7, m8))


_CUcheckpointRestoreArgs_plain = _restore_args
_CUcheckpointUnlockArgs_layout = Struct("@")


def _CUcheckpointUnlockArgs_plain(item: Any) -> Any:
    () = _CUcheckpointUnlockArgs_layout.unpack_from(MEMORY, item.getPtr())
    return ()


_CUctxCreateParams_layout = Struct("@QiQ")


def _CUctxCreateParams_plain(item: Any) -> Any:
    m0, m1, m2 = _CUctxCreateParams_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2)


_CUdevprop_layout = Struct("@iiiiiiiiiiiiii")


def _CUdevprop_made(plain: Any) -> Any:
    (m0, (m1, m2, m3), (m4, m5, m6), m7, m8, m9, m10, m11, m12, m13) = plain
    item = CUdevprop()
    _CUdevprop_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13)
    return item


_CUexecAffinityParam_layout = Struct("@iI")


def _CUexecAffinityParam_made(plain: Any) -> Any:
    (m0, (m1,)) = plain
    item = CUexecAffinityParam()
    _CUexecAffinityParam_layout.pack_into(MEMORY, item.getPtr(), m0, m1)
    return item


_CUgraphEdgeData_layout = Struct("@BBB")


def _CUgraphEdgeData_plain(item: Any) -> Any:
    m0, m1, m2 = _CUgraphEdgeData_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2)


def _CUgraphEdgeData_made(plain: Any) -> Any:
    (m0, m1, m2) = plain
    item = CUgraphEdgeData()
    _CUgraphEdgeData_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2)
    return item


_CUgraphExecUpdateResultInfo_layout = Struct("@iQQ")


def _CUgraphExecUpdateResultInfo_made(plain: Any) -> Any:
    (m0, m1, m2) = plain
    item = CUgraphExecUpdateResultInfo()
    _CUgraphExecUpdateResultInfo_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2)
    return item


_CUgraphNodeParams_layout = Struct("@256s")


def _CUgraphNodeParams_plain(item: Any) -> Any:
    (m0,) = _CUgraphNodeParams_layout.unpack_from(MEMORY, item.getPtr())
    return m0


_CUipcEventHandle_layout = Struct("@64s")


def _CUipcEventHandle_plain(item: Any) -> Any:
    (m0,) = _CUipcEventHandle_layout.unpack_from(MEMORY, item.getPtr())
    return m0


def _CUipcEventHandle_made(plain: Any) -> Any:
    m0 = plain
    item = CUipcEventHandle()
    _CUipcEventHandle_layout.pack_into(MEMORY, item.getPtr(), m0)
    return item


_CUipcMemHandle_layout = Struct("@64s")


def _CUipcMemHandle_plain(item: Any) -> Any:
    (m0,) = _CUipcMemHandle_layout.unpack_from(MEMORY, item.getPtr())
    return m0


def _CUipcMemHandle_made(plain: Any) -> Any:
    m0 = plain
    item = CUipcMemHandle()
    _CUipcMemHandle_layout.pack_into(MEMORY, item.getPtr(), m0)
    return item


_CUkernelNodeAttrValue_layout = Struct("@64s")


def _CUkernelNodeAttrValue_plain(item: Any) -> Any:
    (m0,) = _CUkernelNodeAttrValue_layout.unpack_from(MEMORY, item.getPtr())
    return m0


def _CUkernelNodeAttrValue_made(plain: Any) -> Any:
    m0 = plain
    item = CUkernelNodeAttrValue()
    _CUkernelNodeAttrValue_layout.pack_into(MEMORY, item.getPtr(), m0)
    return item


_CUlaunchConfig_plain = _launch_config
_CUmemAccessDesc_layout = Struct("@iii")


def _CUmemAccessDesc_plain(item: Any) -> Any:
    m0, m1, m2 = _CUmemAccessDesc_layout.unpack_from(MEMORY, item.getPtr())
    return ((m0, m1), m2)


_CUmemAllocationProp_layout = Struct("@iiiiQBBH")


def _CUmemAllocationProp_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7 = _CUmemAllocationProp_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, (m2, m3), m4, (m5, m6, m7))


def _CUmemAllocationProp_made(plain: Any) -> Any:
    (m0, m1, (m2, m3), m4, (m5, m6, m7)) = plain
    item = CUmemAllocationProp()
    _CUmemAllocationProp_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7)
    return item


_CUmemLocation_layout = Struct("@ii")


def _CUmemLocation_plain(item: Any) -> Any:
    m0, m1 = _CUmemLocation_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1)


_CUmemPoolProps_layout = Struct("@iiiiQQHB")


def _CUmemPoolProps_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5, m6, m7 = _CUmemPoolProps_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, (m2, m3), m4, m5, m6, m7)


_CUmemPoolPtrExportData_layout = Struct("@64s")


def _CUmemPoolPtrExportData_plain(item: Any) -> Any:
    (m0,) = _CUmemPoolPtrExportData_layout.unpack_from(MEMORY, item.getPtr())
    return m0


def _CUmemPoolPtrExportData_made(plain: Any) -> Any:
    m0 = plain
    item = CUmemPoolPtrExportData()
    _CUmemPoolPtrExportData_layout.pack_into(MEMORY, item.getPtr(), m0)
    return item


_CUmemcpyAttributes_layout = Struct("@iiiiiI")


def _CUmemcpyAttributes_plain(item: Any) -> Any:
    m0, m1, m2, m3, m4, m5 = _CUmemcpyAttributes_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, (m1, m2), (m3, m4), m5)


_CUmulticastObjectProp_layout = Struct("@IQQQ")


def _CUmulticastObjectProp_plain(item: Any) -> Any:
    m0, m1, m2, m3 = _CUmulticastObjectProp_layout.unpack_from(MEMORY, item.getPtr())
    return (m0, m1, m2, m3)


_CUstreamBatchMemOpParams_plain = _mem_op
_CUtensorMap_layout = Struct("@QQQQQQQQQQQQQQQQ")


def _CUtensorMap_made(plain: Any) -> Any:
    ((m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15),) = plain
    item = CUtensorMap()
    _CUtensorMap_layout.pack_into(MEMORY, item.getPtr(), m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15)
    return item


_CUuuid_layout = Struct("@16s")


def _CUuuid_made(plain: Any) -> Any:
    m0 = plain
    item = CUuuid()
    _CUuuid_layout.pack_into(MEMORY, item.getPtr(), m0)
    return item


class Calls:
    """The modelled calls of ``cuda.bindings.driver``.

    Args:
        callers: The simulated threads of the calling OS threads.
    """

    __slots__ = ("_callers",)

    def __init__(self, callers: Callers) -> None:
        self._callers = callers

    def cuArray3DCreate(self, pAllocateArray: Any) -> tuple[Any, ...]:
        if pAllocateArray is not None and not isinstance(pAllocateArray, CUDA_ARRAY3D_DESCRIPTOR):
            raise _wrong_type(pAllocateArray, "pAllocateArray", CUDA_ARRAY3D_DESCRIPTOR)
        pAllocateArray = None if pAllocateArray is None else _CUDA_ARRAY3D_DESCRIPTOR_plain(pAllocateArray)
        code, out = _cuArray3DCreate(self._callers[_own.number].call, pAllocateArray)
        if code:
            return _answers1[code]
        return SUCCESS, CUarray(out)

    def cuArray3DGetDescriptor(self, hArray: Any) -> tuple[Any, ...]:
        hArray = int(hArray) if type(hArray) is CUarray else hArray if type(hArray) is int and not hArray >> 64 else _handle(hArray)
        code, out = _cuArray3DGetDescriptor(self._callers[_own.number].call, hArray)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_ARRAY3D_DESCRIPTOR_made(out)

    def cuArrayCreate(self, pAllocateArray: Any) -> tuple[Any, ...]:
        if pAllocateArray is not None and not isinstance(pAllocateArray, CUDA_ARRAY_DESCRIPTOR):
            raise _wrong_type(pAllocateArray, "pAllocateArray", CUDA_ARRAY_DESCRIPTOR)
        pAllocateArray = None if pAllocateArray is None else _CUDA_ARRAY_DESCRIPTOR_plain(pAllocateArray)
        code, out = _cuArrayCreate(self._callers[_own.number].call, pAllocateArray)
        if code:
            return _answers1[code]
        return SUCCESS, CUarray(out)

    def cuArrayDestroy(self, hArray: Any) -> tuple[Any, ...]:
        hArray = int(hArray) if type(hArray) is CUarray else hArray if type(hArray) is int and not hArray >> 64 else _handle(hArray)
        code, _ = _cuArrayDestroy(self._callers[_own.number].call, hArray)
        return _answers0[code]

    def cuArrayGetDescriptor(self, hArray: Any) -> tuple[Any, ...]:
        hArray = int(hArray) if type(hArray) is CUarray else hArray if type(hArray) is int and not hArray >> 64 else _handle(hArray)
        code, out = _cuArrayGetDescriptor(self._callers[_own.number].call, hArray)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_ARRAY_DESCRIPTOR_made(out)

    def cuArrayGetMemoryRequirements(self, array: Any, device: Any) -> tuple[Any, ...]:
        device = int(device) if type(device) is CUdevice else _device(device)
        array = int(array) if type(array) is CUarray else array if type(array) is int and not array >> 64 else _handle(array)
        code, out = _cuArrayGetMemoryRequirements(self._callers[_own.number].call, array, device)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_ARRAY_MEMORY_REQUIREMENTS_made(out)

    def cuArrayGetPlane(self, hArray: Any, planeIdx: Any) -> tuple[Any, ...]:
        if type(planeIdx) is not int or planeIdx >> 32:
            planeIdx = _unsigned_int(planeIdx)
        hArray = int(hArray) if type(hArray) is CUarray else hArray if type(hArray) is int and not hArray >> 64 else _handle(hArray)
        code, out = _cuArrayGetPlane(self._callers[_own.number].call, hArray, planeIdx)
        if code:
            return _answers1[code]
        return SUCCESS, CUarray(out)

    def cuArrayGetSparseProperties(self, array: Any) -> tuple[Any, ...]:
        array = int(array) if type(array) is CUarray else array if type(array) is int and not array >> 64 else _handle(array)
        code, out = _cuArrayGetSparseProperties(self._callers[_own.number].call, array)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_ARRAY_SPARSE_PROPERTIES_made(out)

    def cuCheckpointProcessCheckpoint(self, pid: Any, args: Any) -> tuple[Any, ...]:
        if type(pid) is not int or (pid + 0x80000000) >> 32:
            pid = _signed(pid)
        if args is not None and not isinstance(args, CUcheckpointCheckpointArgs):
            raise _wrong_type(args, "args", CUcheckpointCheckpointArgs)
        args = None if args is None else _CUcheckpointCheckpointArgs_plain(args)
        code, _ = _cuCheckpointProcessCheckpoint(self._callers[_own.number].call, pid, args)
        return _answers0[code]

    def cuCheckpointProcessGetRestoreThreadId(self, pid: Any) -> tuple[Any, ...]:
        if type(pid) is not int or (pid + 0x80000000) >> 32:
            pid = _signed(pid)
        code, out = _cuCheckpointProcessGetRestoreThreadId(self._callers[_own.number].call, pid)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuCheckpointProcessGetState(self, pid: Any) -> tuple[Any, ...]:
        if type(pid) is not int or (pid + 0x80000000) >> 32:
            pid = _signed(pid)
        code, out = _cuCheckpointProcessGetState(self._callers[_own.number].call, pid)
        if code:
            return _answers1[code]
        return SUCCESS, CUprocessState(out)

    def cuCheckpointProcessLock(self, pid: Any, args: Any) -> tuple[Any, ...]:
        if type(pid) is not int or (pid + 0x80000000) >> 32:
            pid = _signed(pid)
        if args is not None and not isinstance(args, CUcheckpointLockArgs):
            raise _wrong_type(args, "args", CUcheckpointLockArgs)
        args = None if args is None else _CUcheckpointLockArgs_plain(args)
        code, _ = _cuCheckpointProcessLock(self._callers[_own.number].call, pid, args)
        return _answers0[code]

    def cuCheckpointProcessRestore(self, pid: Any, args: Any) -> tuple[Any, ...]:
        if type(pid) is not int or (pid + 0x80000000) >> 32:
            pid = _signed(pid)
        if args is not None and not isinstance(args, CUcheckpointRestoreArgs):
            raise _wrong_type(args, "args", CUcheckpointRestoreArgs)
        args = None if args is None else _CUcheckpointRestoreArgs_plain(args)
        code, _ = _cuCheckpointProcessRestore(self._callers[_own.number].call, pid, args)
        return _answers0[code]

    def cuCheckpointProcessUnlock(self, pid: Any, args: Any) -> tuple[Any, ...]:
        if type(pid) is not int or (pid + 0x80000000) >> 32:
            pid = _signed(pid)
        if args is not None and not isinstance(args, CUcheckpointUnlockArgs):
            raise _wrong_type(args, "args", CUcheckpointUnlockArgs)
        args = None if args is None else _CUcheckpointUnlockArgs_plain(args)
        code, _ = _cuCheckpointProcessUnlock(self._callers[_own.number].call, pid, args)
        return _answers0[code]

    def cuCtxAttach(self, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _cuCtxAttach(self._callers[_own.number].call, flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUcontext(out)

    def cuCtxCreate(self, ctxCreateParams: Any, flags: Any, dev: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if ctxCreateParams is not None and not isinstance(ctxCreateParams, CUctxCreateParams):
            raise _wrong_type(ctxCreateParams, "ctxCreateParams", CUctxCreateParams)
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        ctxCreateParams = None if ctxCreateParams is None else _CUctxCreateParams_plain(ctxCreateParams)
        code, out = _cuCtxCreate(self._callers[_own.number].call, ctxCreateParams, flags, dev)
        if code:
            return _answers1[code]
        return SUCCESS, CUcontext(out)

    def cuCtxDestroy(self, ctx: Any) -> tuple[Any, ...]:
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        code, _ = _cuCtxDestroy(self._callers[_own.number].call, ctx)
        return _answers0[code]

    def cuCtxDetach(self, ctx: Any) -> tuple[Any, ...]:
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        code, _ = _cuCtxDetach(self._callers[_own.number].call, ctx)
        return _answers0[code]

    def cuCtxDisablePeerAccess(self, peerContext: Any) -> tuple[Any, ...]:
        peerContext = int(peerContext) if type(peerContext) is CUcontext else peerContext if type(peerContext) is int and not peerContext >> 64 else _handle(peerContext)
        code, _ = _cuCtxDisablePeerAccess(self._callers[_own.number].call, peerContext)
        return _answers0[code]

    def cuCtxEnablePeerAccess(self, peerContext: Any, Flags: Any) -> tuple[Any, ...]:
        if type(Flags) is not int or Flags >> 32:
            Flags = _unsigned_int(Flags)
        peerContext = int(peerContext) if type(peerContext) is CUcontext else peerContext if type(peerContext) is int and not peerContext >> 64 else _handle(peerContext)
        code, _ = _cuCtxEnablePeerAccess(self._callers[_own.number].call, peerContext, Flags)
        return _answers0[code]

    def cuCtxGetApiVersion(self, ctx: Any) -> tuple[Any, ...]:
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        code, out = _cuCtxGetApiVersion(self._callers[_own.number].call, ctx)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuCtxGetCacheConfig(self) -> tuple[Any, ...]:
        code, out = _cuCtxGetCacheConfig(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, CUfunc_cache(out)

    def cuCtxGetCurrent(self) -> tuple[Any, ...]:
        code, out = _cuCtxGetCurrent(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, CUcontext(out)

    def cuCtxGetDevice(self) -> tuple[Any, ...]:
        code, out = _cuCtxGetDevice(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, CUdevice(out)

    def cuCtxGetDevice_v2(self, ctx: Any) -> tuple[Any, ...]:
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        code, out = _cuCtxGetDevice_v2(self._callers[_own.number].call, ctx)
        if code:
            return _answers1[code]
        return SUCCESS, CUdevice(out)

    def cuCtxGetExecAffinity(self, typename: Any) -> tuple[Any, ...]:
        if typename is None:
            _given(typename, "typename")
        typename = +typename if type(typename) is CUexecAffinityType else _CUexecAffinityType(typename)
        code, out = _cuCtxGetExecAffinity(self._callers[_own.number].call, typename)
        if code:
            return _answers1[code]
        return SUCCESS, _CUexecAffinityParam_made(out)

    def cuCtxGetFlags(self) -> tuple[Any, ...]:
        code, out = _cuCtxGetFlags(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuCtxGetId(self, ctx: Any) -> tuple[Any, ...]:
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        code, out = _cuCtxGetId(self._callers[_own.number].call, ctx)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuCtxGetLimit(self, limit: Any) -> tuple[Any, ...]:
        if limit is None:
            _given(limit, "limit")
        limit = +limit if type(limit) is CUlimit else _CUlimit(limit)
        code, out = _cuCtxGetLimit(self._callers[_own.number].call, limit)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuCtxGetSharedMemConfig(self) -> tuple[Any, ...]:
        code, out = _cuCtxGetSharedMemConfig(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, CUsharedconfig(out)

    def cuCtxGetStreamPriorityRange(self) -> tuple[Any, ...]:
        code, out = _cuCtxGetStreamPriorityRange(self._callers[_own.number].call)
        if code:
            return _answers2[code]
        leastPriority, greatestPriority = out
        return SUCCESS, leastPriority, greatestPriority

    def cuCtxPopCurrent(self) -> tuple[Any, ...]:
        code, out = _cuCtxPopCurrent(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, CUcontext(out)

    def cuCtxPushCurrent(self, ctx: Any) -> tuple[Any, ...]:
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        code, _ = _cuCtxPushCurrent(self._callers[_own.number].call, ctx)
        return _answers0[code]

    def cuCtxRecordEvent(self, hCtx: Any, hEvent: Any) -> tuple[Any, ...]:
        hEvent = int(hEvent) if type(hEvent) is CUevent else hEvent if type(hEvent) is int and not hEvent >> 64 else _handle(hEvent)
        hCtx = int(hCtx) if type(hCtx) is CUcontext else hCtx if type(hCtx) is int and not hCtx >> 64 else _handle(hCtx)
        code, _ = _cuCtxRecordEvent(self._callers[_own.number].call, hCtx, hEvent)
        return _answers0[code]

    def cuCtxResetPersistingL2Cache(self) -> tuple[Any, ...]:
        code, _ = _cuCtxResetPersistingL2Cache(self._callers[_own.number].call)
        return _answers0[code]

    def cuCtxSetCacheConfig(self, config: Any) -> tuple[Any, ...]:
        if config is None:
            _given(config, "config")
        config = +config if type(config) is CUfunc_cache else _CUfunc_cache(config)
        code, _ = _cuCtxSetCacheConfig(self._callers[_own.number].call, config)
        return _answers0[code]

    def cuCtxSetCurrent(self, ctx: Any) -> tuple[Any, ...]:
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        code, _ = _cuCtxSetCurrent(self._callers[_own.number].call, ctx)
        return _answers0[code]

    def cuCtxSetFlags(self, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, _ = _cuCtxSetFlags(self._callers[_own.number].call, flags)
        return _answers0[code]

    def cuCtxSetLimit(self, limit: Any, value: Any) -> tuple[Any, ...]:
        if type(value) is not int or value >> 64:
            value = _size_t(value)
        if limit is None:
            _given(limit, "limit")
        limit = +limit if type(limit) is CUlimit else _CUlimit(limit)
        code, _ = _cuCtxSetLimit(self._callers[_own.number].call, limit, value)
        return _answers0[code]

    def cuCtxSetSharedMemConfig(self, config: Any) -> tuple[Any, ...]:
        if config is None:
            _given(config, "config")
        config = +config if type(config) is CUsharedconfig else _CUsharedconfig(config)
        code, _ = _cuCtxSetSharedMemConfig(self._callers[_own.number].call, config)
        return _answers0[code]

    def cuCtxSynchronize(self) -> tuple[Any, ...]:
        code, _ = _cuCtxSynchronize(self._callers[_own.number].call)
        return _answers0[code]

    def cuCtxSynchronize_v2(self, ctx: Any) -> tuple[Any, ...]:
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        code, _ = _cuCtxSynchronize_v2(self._callers[_own.number].call, ctx)
        return _answers0[code]

    def cuCtxWaitEvent(self, hCtx: Any, hEvent: Any) -> tuple[Any, ...]:
        hEvent = int(hEvent) if type(hEvent) is CUevent else hEvent if type(hEvent) is int and not hEvent >> 64 else _handle(hEvent)
        hCtx = int(hCtx) if type(hCtx) is CUcontext else hCtx if type(hCtx) is int and not hCtx >> 64 else _handle(hCtx)
        code, _ = _cuCtxWaitEvent(self._callers[_own.number].call, hCtx, hEvent)
        return _answers0[code]

    def cuDeviceCanAccessPeer(self, dev: Any, peerDev: Any) -> tuple[Any, ...]:
        peerDev = int(peerDev) if type(peerDev) is CUdevice else _device(peerDev)
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, out = _cuDeviceCanAccessPeer(self._callers[_own.number].call, dev, peerDev)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuDeviceComputeCapability(self, dev: Any) -> tuple[Any, ...]:
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, out = _cuDeviceComputeCapability(self._callers[_own.number].call, dev)
        if code:
            return _answers2[code]
        major, minor = out
        return SUCCESS, major, minor

    def cuDeviceGet(self, ordinal: Any) -> tuple[Any, ...]:
        if type(ordinal) is not int or (ordinal + 0x80000000) >> 32:
            ordinal = _signed(ordinal)
        code, out = _cuDeviceGet(self._callers[_own.number].call, ordinal)
        if code:
            return _answers1[code]
        return SUCCESS, CUdevice(out)

    def cuDeviceGetAttribute(self, attrib: Any, dev: Any) -> tuple[Any, ...]:
        if attrib is None:
            _given(attrib, "attrib")
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        attrib = +attrib if type(attrib) is CUdevice_attribute else _CUdevice_attribute(attrib)
        code, out = _cuDeviceGetAttribute(self._callers[_own.number].call, attrib, dev)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuDeviceGetByPCIBusId(self, pciBusId: Any) -> tuple[Any, ...]:
        pciBusId = _text(pciBusId)
        code, out = _cuDeviceGetByPCIBusId(self._callers[_own.number].call, pciBusId)
        if code:
            return _answers1[code]
        return SUCCESS, CUdevice(out)

    def cuDeviceGetCount(self) -> tuple[Any, ...]:
        code, out = _cuDeviceGetCount(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuDeviceGetDefaultMemPool(self, dev: Any) -> tuple[Any, ...]:
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, out = _cuDeviceGetDefaultMemPool(self._callers[_own.number].call, dev)
        if code:
            return _answers1[code]
        return SUCCESS, CUmemoryPool(out)

    def cuDeviceGetExecAffinitySupport(self, typename: Any, dev: Any) -> tuple[Any, ...]:
        if typename is None:
            _given(typename, "typename")
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        typename = +typename if type(typename) is CUexecAffinityType else _CUexecAffinityType(typename)
        code, out = _cuDeviceGetExecAffinitySupport(self._callers[_own.number].call, typename, dev)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuDeviceGetGraphMemAttribute(self, device: Any, attr: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        device = int(device) if type(device) is CUdevice else _device(device)
        attr = +attr if type(attr) is CUgraphMem_attribute and attr in _CUgraphMem_attribute_known else _CUgraphMem_attribute_by_value(attr)
        code, out = _cuDeviceGetGraphMemAttribute(self._callers[_own.number].call, device, attr)
        if code:
            return _answers1[code]
        return SUCCESS, cuuint64_t(out)

    def cuDeviceGetHostAtomicCapabilities(self, operations: Any, count: Any, dev: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        operations = _enums(operations, "operations", CUatomicOperation)
        operations = _measured(operations, count)
        code, out = _cuDeviceGetHostAtomicCapabilities(self._callers[_own.number].call, operations, count, dev)
        if code:
            return _answers1[code]
        return SUCCESS, list(out)

    def cuDeviceGetLuid(self, dev: Any) -> tuple[Any, ...]:
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, out = _cuDeviceGetLuid(self._callers[_own.number].call, dev)
        if code:
            return _answers2[code]
        luid, deviceNodeMask = out
        return SUCCESS, luid, deviceNodeMask

    def cuDeviceGetMemPool(self, dev: Any) -> tuple[Any, ...]:
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, out = _cuDeviceGetMemPool(self._callers[_own.number].call, dev)
        if code:
            return _answers1[code]
        return SUCCESS, CUmemoryPool(out)

    def cuDeviceGetName(self, length: Any, dev: Any) -> tuple[Any, ...]:
        if type(length) is not int or (length + 0x80000000) >> 32:
            length = _signed(length)
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, out = _cuDeviceGetName(self._callers[_own.number].call, length, dev)
        if code:
            return _answers1[code]
        return SUCCESS, _name(out, length)

    def cuDeviceGetP2PAtomicCapabilities(self, operations: Any, count: Any, srcDevice: Any, dstDevice: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdevice else _device(dstDevice)
        srcDevice = int(srcDevice) if type(srcDevice) is CUdevice else _device(srcDevice)
        operations = _enums(operations, "operations", CUatomicOperation)
        operations = _measured(operations, count)
        code, out = _cuDeviceGetP2PAtomicCapabilities(self._callers[_own.number].call, operations, count, srcDevice, dstDevice)
        if code:
            return _answers1[code]
        return SUCCESS, list(out)

    def cuDeviceGetP2PAttribute(self, attrib: Any, srcDevice: Any, dstDevice: Any) -> tuple[Any, ...]:
        if attrib is None:
            _given(attrib, "attrib")
        dstDevice = int(dstDevice) if type(dstDevice) is CUdevice else _device(dstDevice)
        srcDevice = int(srcDevice) if type(srcDevice) is CUdevice else _device(srcDevice)
        attrib = +attrib if type(attrib) is CUdevice_P2PAttribute else _CUdevice_P2PAttribute(attrib)
        code, out = _cuDeviceGetP2PAttribute(self._callers[_own.number].call, attrib, srcDevice, dstDevice)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuDeviceGetPCIBusId(self, length: Any, dev: Any) -> tuple[Any, ...]:
        if type(length) is not int or (length + 0x80000000) >> 32:
            length = _signed(length)
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, out = _cuDeviceGetPCIBusId(self._callers[_own.number].call, length, dev)
        if code:
            return _answers1[code]
        return SUCCESS, _padded(out, length)

    def cuDeviceGetProperties(self, dev: Any) -> tuple[Any, ...]:
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, out = _cuDeviceGetProperties(self._callers[_own.number].call, dev)
        if code:
            return _answers1[code]
        return SUCCESS, _CUdevprop_made(out)

    def cuDeviceGetTexture1DLinearMaxWidth(self, pformat: Any, numChannels: Any, dev: Any) -> tuple[Any, ...]:
        if type(numChannels) is not int or numChannels >> 32:
            numChannels = _unsigned_int(numChannels)
        if pformat is None:
            _given(pformat, "pformat")
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        pformat = +pformat if type(pformat) is CUarray_format else _CUarray_format(pformat)
        code, out = _cuDeviceGetTexture1DLinearMaxWidth(self._callers[_own.number].call, pformat, numChannels, dev)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuDeviceGetUuid(self, dev: Any) -> tuple[Any, ...]:
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, out = _cuDeviceGetUuid(self._callers[_own.number].call, dev)
        if code:
            return _answers1[code]
        return SUCCESS, _CUuuid_made(out)

    def cuDeviceGraphMemTrim(self, device: Any) -> tuple[Any, ...]:
        device = int(device) if type(device) is CUdevice else _device(device)
        code, _ = _cuDeviceGraphMemTrim(self._callers[_own.number].call, device)
        return _answers0[code]

    def cuDevicePrimaryCtxGetState(self, dev: Any) -> tuple[Any, ...]:
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, out = _cuDevicePrimaryCtxGetState(self._callers[_own.number].call, dev)
        if code:
            return _answers2[code]
        flags, active = out
        return SUCCESS, flags, active

    def cuDevicePrimaryCtxRelease(self, dev: Any) -> tuple[Any, ...]:
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, _ = _cuDevicePrimaryCtxRelease(self._callers[_own.number].call, dev)
        return _answers0[code]

    def cuDevicePrimaryCtxReset(self, dev: Any) -> tuple[Any, ...]:
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, _ = _cuDevicePrimaryCtxReset(self._callers[_own.number].call, dev)
        return _answers0[code]

    def cuDevicePrimaryCtxRetain(self, dev: Any) -> tuple[Any, ...]:
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, out = _cuDevicePrimaryCtxRetain(self._callers[_own.number].call, dev)
        if code:
            return _answers1[code]
        return SUCCESS, CUcontext(out)

    def cuDevicePrimaryCtxSetFlags(self, dev: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, _ = _cuDevicePrimaryCtxSetFlags(self._callers[_own.number].call, dev, flags)
        return _answers0[code]

    def cuDeviceSetGraphMemAttribute(self, device: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        device = int(device) if type(device) is CUdevice else _device(device)
        attr = +attr if type(attr) is CUgraphMem_attribute and attr in _CUgraphMem_attribute_known else _CUgraphMem_attribute_by_value(attr)
        value = _size_word(value)
        code, _ = _cuDeviceSetGraphMemAttribute(self._callers[_own.number].call, device, attr, value)
        return _answers0[code]

    def cuDeviceSetMemPool(self, dev: Any, pool: Any) -> tuple[Any, ...]:
        pool = int(pool) if type(pool) is CUmemoryPool else pool if type(pool) is int and not pool >> 64 else _handle(pool)
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, _ = _cuDeviceSetMemPool(self._callers[_own.number].call, dev, pool)
        return _answers0[code]

    def cuDeviceTotalMem(self, dev: Any) -> tuple[Any, ...]:
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        code, out = _cuDeviceTotalMem(self._callers[_own.number].call, dev)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuDriverGetVersion(self) -> tuple[Any, ...]:
        code, out = _cuDriverGetVersion(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuEventCreate(self, Flags: Any) -> tuple[Any, ...]:
        if type(Flags) is not int or Flags >> 32:
            Flags = _unsigned_int(Flags)
        code, out = _cuEventCreate(self._callers[_own.number].call, Flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUevent(out)

    def cuEventDestroy(self, hEvent: Any) -> tuple[Any, ...]:
        hEvent = int(hEvent) if type(hEvent) is CUevent else hEvent if type(hEvent) is int and not hEvent >> 64 else _handle(hEvent)
        code, _ = _cuEventDestroy(self._callers[_own.number].call, hEvent)
        return _answers0[code]

    def cuEventElapsedTime(self, hStart: Any, hEnd: Any) -> tuple[Any, ...]:
        hEnd = int(hEnd) if type(hEnd) is CUevent else hEnd if type(hEnd) is int and not hEnd >> 64 else _handle(hEnd)
        hStart = int(hStart) if type(hStart) is CUevent else hStart if type(hStart) is int and not hStart >> 64 else _handle(hStart)
        code, out = _cuEventElapsedTime(self._callers[_own.number].call, hStart, hEnd)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuEventQuery(self, hEvent: Any) -> tuple[Any, ...]:
        hEvent = int(hEvent) if type(hEvent) is CUevent else hEvent if type(hEvent) is int and not hEvent >> 64 else _handle(hEvent)
        code, _ = _cuEventQuery(self._callers[_own.number].call, hEvent)
        return _answers0[code]

    def cuEventRecord(self, hEvent: Any, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        hEvent = int(hEvent) if type(hEvent) is CUevent else hEvent if type(hEvent) is int and not hEvent >> 64 else _handle(hEvent)
        code, _ = _cuEventRecord(self._callers[_own.number].call, hEvent, hStream)
        return _answers0[code]

    def cuEventRecordWithFlags(self, hEvent: Any, hStream: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        hEvent = int(hEvent) if type(hEvent) is CUevent else hEvent if type(hEvent) is int and not hEvent >> 64 else _handle(hEvent)
        code, _ = _cuEventRecordWithFlags(self._callers[_own.number].call, hEvent, hStream, flags)
        return _answers0[code]

    def cuEventSynchronize(self, hEvent: Any) -> tuple[Any, ...]:
        hEvent = int(hEvent) if type(hEvent) is CUevent else hEvent if type(hEvent) is int and not hEvent >> 64 else _handle(hEvent)
        code, _ = _cuEventSynchronize(self._callers[_own.number].call, hEvent)
        return _answers0[code]

    def cuFlushGPUDirectRDMAWrites(self, target: Any, scope: Any) -> tuple[Any, ...]:
        if target is None:
            _given(target, "target")
        if scope is None:
            _given(scope, "scope")
        target = +target if type(target) is CUflushGPUDirectRDMAWritesTarget else _CUflushGPUDirectRDMAWritesTarget(target)
        scope = +scope if type(scope) is CUflushGPUDirectRDMAWritesScope else _CUflushGPUDirectRDMAWritesScope(scope)
        code, _ = _cuFlushGPUDirectRDMAWrites(self._callers[_own.number].call, target, scope)
        return _answers0[code]

    def cuFuncGetAttribute(self, attrib: Any, hfunc: Any) -> tuple[Any, ...]:
        if attrib is None:
            _given(attrib, "attrib")
        hfunc = int(hfunc) if type(hfunc) is CUfunction else hfunc if type(hfunc) is int and not hfunc >> 64 else _handle(hfunc)
        attrib = +attrib if type(attrib) is CUfunction_attribute else _CUfunction_attribute(attrib)
        code, out = _cuFuncGetAttribute(self._callers[_own.number].call, attrib, hfunc)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuFuncGetModule(self, hfunc: Any) -> tuple[Any, ...]:
        hfunc = int(hfunc) if type(hfunc) is CUfunction else hfunc if type(hfunc) is int and not hfunc >> 64 else _handle(hfunc)
        code, out = _cuFuncGetModule(self._callers[_own.number].call, hfunc)
        if code:
            return _answers1[code]
        return SUCCESS, CUmodule(out)

    def cuFuncGetName(self, hfunc: Any) -> tuple[Any, ...]:
        hfunc = int(hfunc) if type(hfunc) is CUfunction else hfunc if type(hfunc) is int and not hfunc >> 64 else _handle(hfunc)
        code, out = _cuFuncGetName(self._callers[_own.number].call, hfunc)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuFuncGetParamInfo(self, func: Any, paramIndex: Any) -> tuple[Any, ...]:
        if type(paramIndex) is not int or paramIndex >> 64:
            paramIndex = _size_t(paramIndex)
        func = int(func) if type(func) is CUfunction else func if type(func) is int and not func >> 64 else _handle(func)
        code, out = _cuFuncGetParamInfo(self._callers[_own.number].call, func, paramIndex)
        if code:
            return _answers2[code]
        paramOffset, paramSize = out
        return SUCCESS, paramOffset, paramSize

    def cuFuncIsLoaded(self, function: Any) -> tuple[Any, ...]:
        function = int(function) if type(function) is CUfunction else function if type(function) is int and not function >> 64 else _handle(function)
        code, out = _cuFuncIsLoaded(self._callers[_own.number].call, function)
        if code:
            return _answers1[code]
        return SUCCESS, CUfunctionLoadingState(out)

    def cuFuncLoad(self, function: Any) -> tuple[Any, ...]:
        function = int(function) if type(function) is CUfunction else function if type(function) is int and not function >> 64 else _handle(function)
        code, _ = _cuFuncLoad(self._callers[_own.number].call, function)
        return _answers0[code]

    def cuFuncSetAttribute(self, hfunc: Any, attrib: Any, value: Any) -> tuple[Any, ...]:
        if type(value) is not int or (value + 0x80000000) >> 32:
            value = _signed(value)
        if attrib is None:
            _given(attrib, "attrib")
        hfunc = int(hfunc) if type(hfunc) is CUfunction else hfunc if type(hfunc) is int and not hfunc >> 64 else _handle(hfunc)
        attrib = +attrib if type(attrib) is CUfunction_attribute else _CUfunction_attribute(attrib)
        code, _ = _cuFuncSetAttribute(self._callers[_own.number].call, hfunc, attrib, value)
        return _answers0[code]

    def cuFuncSetCacheConfig(self, hfunc: Any, config: Any) -> tuple[Any, ...]:
        if config is None:
            _given(config, "config")
        hfunc = int(hfunc) if type(hfunc) is CUfunction else hfunc if type(hfunc) is int and not hfunc >> 64 else _handle(hfunc)
        config = +config if type(config) is CUfunc_cache else _CUfunc_cache(config)
        code, _ = _cuFuncSetCacheConfig(self._callers[_own.number].call, hfunc, config)
        return _answers0[code]

    def cuFuncSetSharedMemConfig(self, hfunc: Any, config: Any) -> tuple[Any, ...]:
        if config is None:
            _given(config, "config")
        hfunc = int(hfunc) if type(hfunc) is CUfunction else hfunc if type(hfunc) is int and not hfunc >> 64 else _handle(hfunc)
        config = +config if type(config) is CUsharedconfig else _CUsharedconfig(config)
        code, _ = _cuFuncSetSharedMemConfig(self._callers[_own.number].call, hfunc, config)
        return _answers0[code]

    def cuGetErrorName(self, error: Any) -> tuple[Any, ...]:
        if error is None:
            _given(error, "error")
        error = +error if type(error) is CUresult else _CUresult(error)
        code, out = _cuGetErrorName(self._callers[_own.number].call, error)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuGetErrorString(self, error: Any) -> tuple[Any, ...]:
        if error is None:
            _given(error, "error")
        error = +error if type(error) is CUresult else _CUresult(error)
        code, out = _cuGetErrorString(self._callers[_own.number].call, error)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuGetProcAddress(self, symbol: Any, cudaVersion: Any, flags: Any) -> tuple[Any, ...]:
        symbol = _text(symbol)
        if type(cudaVersion) is not int or (cudaVersion + 0x80000000) >> 32:
            cudaVersion = _signed(cudaVersion)
        flags = int(flags) if type(flags) is cuuint64_t else _flags(flags)
        code, out = _cuGetProcAddress(self._callers[_own.number].call, symbol, cudaVersion, flags)
        if code:
            return _answers2[code]
        pfn, symbolStatus = out
        return SUCCESS, pfn, CUdriverProcAddressQueryResult(symbolStatus)

    def cuGraphAddBatchMemOpNode(self, hGraph: Any, dependencies: Any, numDependencies: Any, nodeParams: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if nodeParams is not None and not isinstance(nodeParams, CUDA_BATCH_MEM_OP_NODE_PARAMS):
            raise _wrong_type(nodeParams, "nodeParams", CUDA_BATCH_MEM_OP_NODE_PARAMS)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        dependencies = _plain_pointers(dependencies, numDependencies)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUDA_BATCH_MEM_OP_NODE_PARAMS_plain(nodeParams)
        code, out = _cuGraphAddBatchMemOpNode(self._callers[_own.number].call, hGraph, dependencies, numDependencies, nodeParams)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphNode(out)

    def cuGraphAddChildGraphNode(self, hGraph: Any, dependencies: Any, numDependencies: Any, childGraph: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        childGraph = int(childGraph) if type(childGraph) is CUgraph else childGraph if type(childGraph) is int and not childGraph >> 64 else _handle(childGraph)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        dependencies = _plain_pointers(dependencies, numDependencies)
        code, out = _cuGraphAddChildGraphNode(self._callers[_own.number].call, hGraph, dependencies, numDependencies, childGraph)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphNode(out)

    def cuGraphAddDependencies(self, hGraph: Any, from_: Any, to: Any, edgeData: Any, numDependencies: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        edgeData = _structs(edgeData, "edgeData", CUgraphEdgeData)
        to = _structs(to, "to", CUgraphNode)
        from_ = _structs(from_, "from_", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        from_ = _plain_pointers(from_, len(from_))
        to = _plain_pointers(to, len(to))
        edgeData = _counted(edgeData, len(edgeData), _CUgraphEdgeData_plain)
        code, _ = _cuGraphAddDependencies(self._callers[_own.number].call, hGraph, from_, to, edgeData, numDependencies)
        return _answers0[code]

    def cuGraphAddEmptyNode(self, hGraph: Any, dependencies: Any, numDependencies: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        dependencies = _plain_pointers(dependencies, numDependencies)
        code, out = _cuGraphAddEmptyNode(self._callers[_own.number].call, hGraph, dependencies, numDependencies)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphNode(out)

    def cuGraphAddEventRecordNode(self, hGraph: Any, dependencies: Any, numDependencies: Any, event: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        event = int(event) if type(event) is CUevent else event if type(event) is int and not event >> 64 else _handle(event)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        dependencies = _plain_pointers(dependencies, numDependencies)
        code, out = _cuGraphAddEventRecordNode(self._callers[_own.number].call, hGraph, dependencies, numDependencies, event)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphNode(out)

    def cuGraphAddEventWaitNode(self, hGraph: Any, dependencies: Any, numDependencies: Any, event: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        event = int(event) if type(event) is CUevent else event if type(event) is int and not event >> 64 else _handle(event)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        dependencies = _plain_pointers(dependencies, numDependencies)
        code, out = _cuGraphAddEventWaitNode(self._callers[_own.number].call, hGraph, dependencies, numDependencies, event)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphNode(out)

    def cuGraphAddHostNode(self, hGraph: Any, dependencies: Any, numDependencies: Any, nodeParams: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if nodeParams is not None and not isinstance(nodeParams, CUDA_HOST_NODE_PARAMS):
            raise _wrong_type(nodeParams, "nodeParams", CUDA_HOST_NODE_PARAMS)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        dependencies = _plain_pointers(dependencies, numDependencies)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUDA_HOST_NODE_PARAMS_plain(nodeParams)
        code, out = _cuGraphAddHostNode(self._callers[_own.number].call, hGraph, dependencies, numDependencies, nodeParams)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphNode(out)

    def cuGraphAddKernelNode(self, hGraph: Any, dependencies: Any, numDependencies: Any, nodeParams: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if nodeParams is not None and not isinstance(nodeParams, CUDA_KERNEL_NODE_PARAMS):
            raise _wrong_type(nodeParams, "nodeParams", CUDA_KERNEL_NODE_PARAMS)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        dependencies = _plain_pointers(dependencies, numDependencies)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUDA_KERNEL_NODE_PARAMS_plain(nodeParams)
        code, out = _cuGraphAddKernelNode(self._callers[_own.number].call, hGraph, dependencies, numDependencies, nodeParams)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphNode(out)

    def cuGraphAddMemAllocNode(self, hGraph: Any, dependencies: Any, numDependencies: Any, nodeParams: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if nodeParams is not None and not isinstance(nodeParams, CUDA_MEM_ALLOC_NODE_PARAMS):
            raise _wrong_type(nodeParams, "nodeParams", CUDA_MEM_ALLOC_NODE_PARAMS)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        dependencies = _plain_pointers(dependencies, numDependencies)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUDA_MEM_ALLOC_NODE_PARAMS_plain(nodeParams)
        code, out = _cuGraphAddMemAllocNode(self._callers[_own.number].call, hGraph, dependencies, numDependencies, nodeParams)
        if held_nodeParams is not None and out is not None:
            _CUDA_MEM_ALLOC_NODE_PARAMS_told(held_nodeParams, out[1])
        if code:
            return _answers1[code]
        phGraphNode, _ = out
        return SUCCESS, CUgraphNode(phGraphNode)

    def cuGraphAddMemFreeNode(self, hGraph: Any, dependencies: Any, numDependencies: Any, dptr: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        dptr = int(dptr) if type(dptr) is CUdeviceptr else dptr if type(dptr) is int and not dptr >> 64 else _handle(dptr)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        dependencies = _plain_pointers(dependencies, numDependencies)
        code, out = _cuGraphAddMemFreeNode(self._callers[_own.number].call, hGraph, dependencies, numDependencies, dptr)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphNode(out)

    def cuGraphAddMemcpyNode(self, hGraph: Any, dependencies: Any, numDependencies: Any, copyParams: Any, ctx: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if copyParams is not None and not isinstance(copyParams, CUDA_MEMCPY3D):
            raise _wrong_type(copyParams, "copyParams", CUDA_MEMCPY3D)
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        dependencies = _plain_pointers(dependencies, numDependencies)
        copyParams = None if copyParams is None else _CUDA_MEMCPY3D_plain(copyParams)
        code, out = _cuGraphAddMemcpyNode(self._callers[_own.number].call, hGraph, dependencies, numDependencies, copyParams, ctx)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphNode(out)

    def cuGraphAddMemsetNode(self, hGraph: Any, dependencies: Any, numDependencies: Any, memsetParams: Any, ctx: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if memsetParams is not None and not isinstance(memsetParams, CUDA_MEMSET_NODE_PARAMS):
            raise _wrong_type(memsetParams, "memsetParams", CUDA_MEMSET_NODE_PARAMS)
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        dependencies = _plain_pointers(dependencies, numDependencies)
        memsetParams = None if memsetParams is None else _CUDA_MEMSET_NODE_PARAMS_plain(memsetParams)
        code, out = _cuGraphAddMemsetNode(self._callers[_own.number].call, hGraph, dependencies, numDependencies, memsetParams, ctx)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphNode(out)

    def cuGraphAddNode(self, hGraph: Any, dependencies: Any, dependencyData: Any, numDependencies: Any, nodeParams: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if nodeParams is not None and not isinstance(nodeParams, CUgraphNodeParams):
            raise _wrong_type(nodeParams, "nodeParams", CUgraphNodeParams)
        dependencyData = _structs(dependencyData, "dependencyData", CUgraphEdgeData)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        dependencies = _plain_pointers(dependencies, len(dependencies))
        dependencyData = _counted(dependencyData, len(dependencyData), _CUgraphEdgeData_plain)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUgraphNodeParams_plain(nodeParams)
        code, out = _cuGraphAddNode(self._callers[_own.number].call, hGraph, dependencies, dependencyData, numDependencies, nodeParams)
        if held_nodeParams is not None and out is not None:
            _node_told(held_nodeParams, out[1])
        if code:
            return _answers1[code]
        phGraphNode, _ = out
        return SUCCESS, CUgraphNode(phGraphNode)

    def cuGraphBatchMemOpNodeGetParams(self, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, out = _cuGraphBatchMemOpNodeGetParams(self._callers[_own.number].call, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_BATCH_MEM_OP_NODE_PARAMS_made(out)

    def cuGraphBatchMemOpNodeSetParams(self, hNode: Any, nodeParams: Any) -> tuple[Any, ...]:
        if nodeParams is not None and not isinstance(nodeParams, CUDA_BATCH_MEM_OP_NODE_PARAMS):
            raise _wrong_type(nodeParams, "nodeParams", CUDA_BATCH_MEM_OP_NODE_PARAMS)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUDA_BATCH_MEM_OP_NODE_PARAMS_plain(nodeParams)
        code, _ = _cuGraphBatchMemOpNodeSetParams(self._callers[_own.number].call, hNode, nodeParams)
        return _answers0[code]

    def cuGraphChildGraphNodeGetGraph(self, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, out = _cuGraphChildGraphNodeGetGraph(self._callers[_own.number].call, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraph(out)

    def cuGraphClone(self, originalGraph: Any) -> tuple[Any, ...]:
        originalGraph = int(originalGraph) if type(originalGraph) is CUgraph else originalGraph if type(originalGraph) is int and not originalGraph >> 64 else _handle(originalGraph)
        code, out = _cuGraphClone(self._callers[_own.number].call, originalGraph)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraph(out)

    def cuGraphConditionalHandleCreate(self, hGraph: Any, ctx: Any, defaultLaunchValue: Any, flags: Any) -> tuple[Any, ...]:
        if type(defaultLaunchValue) is not int or defaultLaunchValue >> 32:
            defaultLaunchValue = _unsigned_int(defaultLaunchValue)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        code, out = _cuGraphConditionalHandleCreate(self._callers[_own.number].call, hGraph, ctx, defaultLaunchValue, flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphConditionalHandle(out)

    def cuGraphCreate(self, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _cuGraphCreate(self._callers[_own.number].call, flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraph(out)

    def cuGraphDebugDotPrint(self, hGraph: Any, path: Any, flags: Any) -> tuple[Any, ...]:
        path = _text(path)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        code, _ = _cuGraphDebugDotPrint(self._callers[_own.number].call, hGraph, path, flags)
        return _answers0[code]

    def cuGraphDestroy(self, hGraph: Any) -> tuple[Any, ...]:
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        code, _ = _cuGraphDestroy(self._callers[_own.number].call, hGraph)
        return _answers0[code]

    def cuGraphDestroyNode(self, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, _ = _cuGraphDestroyNode(self._callers[_own.number].call, hNode)
        return _answers0[code]

    def cuGraphEventRecordNodeGetEvent(self, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, out = _cuGraphEventRecordNodeGetEvent(self._callers[_own.number].call, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, CUevent(out)

    def cuGraphEventRecordNodeSetEvent(self, hNode: Any, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is CUevent else event if type(event) is int and not event >> 64 else _handle(event)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, _ = _cuGraphEventRecordNodeSetEvent(self._callers[_own.number].call, hNode, event)
        return _answers0[code]

    def cuGraphEventWaitNodeGetEvent(self, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, out = _cuGraphEventWaitNodeGetEvent(self._callers[_own.number].call, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, CUevent(out)

    def cuGraphEventWaitNodeSetEvent(self, hNode: Any, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is CUevent else event if type(event) is int and not event >> 64 else _handle(event)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, _ = _cuGraphEventWaitNodeSetEvent(self._callers[_own.number].call, hNode, event)
        return _answers0[code]

    def cuGraphExecBatchMemOpNodeSetParams(self, hGraphExec: Any, hNode: Any, nodeParams: Any) -> tuple[Any, ...]:
        if nodeParams is not None and not isinstance(nodeParams, CUDA_BATCH_MEM_OP_NODE_PARAMS):
            raise _wrong_type(nodeParams, "nodeParams", CUDA_BATCH_MEM_OP_NODE_PARAMS)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUDA_BATCH_MEM_OP_NODE_PARAMS_plain(nodeParams)
        code, _ = _cuGraphExecBatchMemOpNodeSetParams(self._callers[_own.number].call, hGraphExec, hNode, nodeParams)
        return _answers0[code]

    def cuGraphExecChildGraphNodeSetParams(self, hGraphExec: Any, hNode: Any, childGraph: Any) -> tuple[Any, ...]:
        childGraph = int(childGraph) if type(childGraph) is CUgraph else childGraph if type(childGraph) is int and not childGraph >> 64 else _handle(childGraph)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, _ = _cuGraphExecChildGraphNodeSetParams(self._callers[_own.number].call, hGraphExec, hNode, childGraph)
        return _answers0[code]

    def cuGraphExecDestroy(self, hGraphExec: Any) -> tuple[Any, ...]:
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, _ = _cuGraphExecDestroy(self._callers[_own.number].call, hGraphExec)
        return _answers0[code]

    def cuGraphExecEventRecordNodeSetEvent(self, hGraphExec: Any, hNode: Any, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is CUevent else event if type(event) is int and not event >> 64 else _handle(event)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, _ = _cuGraphExecEventRecordNodeSetEvent(self._callers[_own.number].call, hGraphExec, hNode, event)
        return _answers0[code]

    def cuGraphExecEventWaitNodeSetEvent(self, hGraphExec: Any, hNode: Any, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is CUevent else event if type(event) is int and not event >> 64 else _handle(event)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, _ = _cuGraphExecEventWaitNodeSetEvent(self._callers[_own.number].call, hGraphExec, hNode, event)
        return _answers0[code]

    def cuGraphExecGetFlags(self, hGraphExec: Any) -> tuple[Any, ...]:
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, out = _cuGraphExecGetFlags(self._callers[_own.number].call, hGraphExec)
        if code:
            return _answers1[code]
        return SUCCESS, cuuint64_t(out)

    def cuGraphExecHostNodeSetParams(self, hGraphExec: Any, hNode: Any, nodeParams: Any) -> tuple[Any, ...]:
        if nodeParams is not None and not isinstance(nodeParams, CUDA_HOST_NODE_PARAMS):
            raise _wrong_type(nodeParams, "nodeParams", CUDA_HOST_NODE_PARAMS)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUDA_HOST_NODE_PARAMS_plain(nodeParams)
        code, _ = _cuGraphExecHostNodeSetParams(self._callers[_own.number].call, hGraphExec, hNode, nodeParams)
        return _answers0[code]

    def cuGraphExecKernelNodeSetParams(self, hGraphExec: Any, hNode: Any, nodeParams: Any) -> tuple[Any, ...]:
        if nodeParams is not None and not isinstance(nodeParams, CUDA_KERNEL_NODE_PARAMS):
            raise _wrong_type(nodeParams, "nodeParams", CUDA_KERNEL_NODE_PARAMS)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUDA_KERNEL_NODE_PARAMS_plain(nodeParams)
        code, _ = _cuGraphExecKernelNodeSetParams(self._callers[_own.number].call, hGraphExec, hNode, nodeParams)
        return _answers0[code]

    def cuGraphExecMemcpyNodeSetParams(self, hGraphExec: Any, hNode: Any, copyParams: Any, ctx: Any) -> tuple[Any, ...]:
        if copyParams is not None and not isinstance(copyParams, CUDA_MEMCPY3D):
            raise _wrong_type(copyParams, "copyParams", CUDA_MEMCPY3D)
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        copyParams = None if copyParams is None else _CUDA_MEMCPY3D_plain(copyParams)
        code, _ = _cuGraphExecMemcpyNodeSetParams(self._callers[_own.number].call, hGraphExec, hNode, copyParams, ctx)
        return _answers0[code]

    def cuGraphExecMemsetNodeSetParams(self, hGraphExec: Any, hNode: Any, memsetParams: Any, ctx: Any) -> tuple[Any, ...]:
        if memsetParams is not None and not isinstance(memsetParams, CUDA_MEMSET_NODE_PARAMS):
            raise _wrong_type(memsetParams, "memsetParams", CUDA_MEMSET_NODE_PARAMS)
        ctx = int(ctx) if type(ctx) is CUcontext else ctx if type(ctx) is int and not ctx >> 64 else _handle(ctx)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        memsetParams = None if memsetParams is None else _CUDA_MEMSET_NODE_PARAMS_plain(memsetParams)
        code, _ = _cuGraphExecMemsetNodeSetParams(self._callers[_own.number].call, hGraphExec, hNode, memsetParams, ctx)
        return _answers0[code]

    def cuGraphExecNodeSetParams(self, hGraphExec: Any, hNode: Any, nodeParams: Any) -> tuple[Any, ...]:
        if nodeParams is not None and not isinstance(nodeParams, CUgraphNodeParams):
            raise _wrong_type(nodeParams, "nodeParams", CUgraphNodeParams)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUgraphNodeParams_plain(nodeParams)
        code, _ = _cuGraphExecNodeSetParams(self._callers[_own.number].call, hGraphExec, hNode, nodeParams)
        return _answers0[code]

    def cuGraphExecUpdate(self, hGraphExec: Any, hGraph: Any) -> tuple[Any, ...]:
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, out = _cuGraphExecUpdate(self._callers[_own.number].call, hGraphExec, hGraph)
        if code:
            return _answers1[code]
        return SUCCESS, _CUgraphExecUpdateResultInfo_made(out)

    def cuGraphGetEdges(self, hGraph: Any, numEdges: Any = 0) -> tuple[Any, ...]:
        if type(numEdges) is not int or numEdges >> 64:
            numEdges = _size_t(numEdges)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        _room(numEdges)
        call = self._callers[_own.number].call
        if not numEdges:
            call = call.without(frozenset({"from_", "to", "edgeData"}))
        code, out = _cuGraphGetEdges(call, hGraph, numEdges)
        if code:
            return _answers4[code]
        from_, to, edgeData, numEdges = out
        return SUCCESS, [CUgraphNode(one) for one in from_], [CUgraphNode(one) for one in to], [_CUgraphEdgeData_made(one) for one in edgeData], numEdges

    def cuGraphGetNodes(self, hGraph: Any, numNodes: Any = 0) -> tuple[Any, ...]:
        if type(numNodes) is not int or numNodes >> 64:
            numNodes = _size_t(numNodes)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        _room(numNodes)
        call = self._callers[_own.number].call
        if not numNodes:
            call = call.without(frozenset({"nodes"}))
        code, out = _cuGraphGetNodes(call, hGraph, numNodes)
        if code:
            return _answers2[code]
        nodes, numNodes = out
        return SUCCESS, [CUgraphNode(one) for one in nodes], numNodes

    def cuGraphGetRootNodes(self, hGraph: Any, numRootNodes: Any = 0) -> tuple[Any, ...]:
        if type(numRootNodes) is not int or numRootNodes >> 64:
            numRootNodes = _size_t(numRootNodes)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        _room(numRootNodes)
        call = self._callers[_own.number].call
        if not numRootNodes:
            call = call.without(frozenset({"rootNodes"}))
        code, out = _cuGraphGetRootNodes(call, hGraph, numRootNodes)
        if code:
            return _answers2[code]
        rootNodes, numRootNodes = out
        return SUCCESS, [CUgraphNode(one) for one in rootNodes], numRootNodes

    def cuGraphHostNodeGetParams(self, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, out = _cuGraphHostNodeGetParams(self._callers[_own.number].call, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_HOST_NODE_PARAMS_made(out)

    def cuGraphHostNodeSetParams(self, hNode: Any, nodeParams: Any) -> tuple[Any, ...]:
        if nodeParams is not None and not isinstance(nodeParams, CUDA_HOST_NODE_PARAMS):
            raise _wrong_type(nodeParams, "nodeParams", CUDA_HOST_NODE_PARAMS)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUDA_HOST_NODE_PARAMS_plain(nodeParams)
        code, _ = _cuGraphHostNodeSetParams(self._callers[_own.number].call, hNode, nodeParams)
        return _answers0[code]

    def cuGraphInstantiate(self, hGraph: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        code, out = _cuGraphInstantiate(self._callers[_own.number].call, hGraph, flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphExec(out)

    def cuGraphInstantiateWithParams(self, hGraph: Any, instantiateParams: Any) -> tuple[Any, ...]:
        if instantiateParams is not None and not isinstance(instantiateParams, CUDA_GRAPH_INSTANTIATE_PARAMS):
            raise _wrong_type(instantiateParams, "instantiateParams", CUDA_GRAPH_INSTANTIATE_PARAMS)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        held_instantiateParams = instantiateParams
        instantiateParams = None if instantiateParams is None else _CUDA_GRAPH_INSTANTIATE_PARAMS_plain(instantiateParams)
        code, out = _cuGraphInstantiateWithParams(self._callers[_own.number].call, hGraph, instantiateParams)
        if held_instantiateParams is not None and out is not None:
            _CUDA_GRAPH_INSTANTIATE_PARAMS_told(held_instantiateParams, out[1])
        if code:
            return _answers1[code]
        phGraphExec, _ = out
        return SUCCESS, CUgraphExec(phGraphExec)

    def cuGraphKernelNodeCopyAttributes(self, dst: Any, src: Any) -> tuple[Any, ...]:
        src = int(src) if type(src) is CUgraphNode else src if type(src) is int and not src >> 64 else _handle(src)
        dst = int(dst) if type(dst) is CUgraphNode else dst if type(dst) is int and not dst >> 64 else _handle(dst)
        code, _ = _cuGraphKernelNodeCopyAttributes(self._callers[_own.number].call, dst, src)
        return _answers0[code]

    def cuGraphKernelNodeGetAttribute(self, hNode: Any, attr: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        attr = +attr if type(attr) is CUkernelNodeAttrID else _CUkernelNodeAttrID(attr)
        code, out = _cuGraphKernelNodeGetAttribute(self._callers[_own.number].call, hNode, attr)
        if code:
            return _answers1[code]
        return SUCCESS, _CUkernelNodeAttrValue_made(out)

    def cuGraphKernelNodeGetParams(self, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, out = _cuGraphKernelNodeGetParams(self._callers[_own.number].call, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_KERNEL_NODE_PARAMS_made(out)

    def cuGraphKernelNodeSetAttribute(self, hNode: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        if value is not None and not isinstance(value, CUkernelNodeAttrValue):
            raise _wrong_type(value, "value", CUkernelNodeAttrValue)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        attr = +attr if type(attr) is CUkernelNodeAttrID else _CUkernelNodeAttrID(attr)
        value = None if value is None else _CUkernelNodeAttrValue_plain(value)
        code, _ = _cuGraphKernelNodeSetAttribute(self._callers[_own.number].call, hNode, attr, value)
        return _answers0[code]

    def cuGraphKernelNodeSetParams(self, hNode: Any, nodeParams: Any) -> tuple[Any, ...]:
        if nodeParams is not None and not isinstance(nodeParams, CUDA_KERNEL_NODE_PARAMS):
            raise _wrong_type(nodeParams, "nodeParams", CUDA_KERNEL_NODE_PARAMS)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUDA_KERNEL_NODE_PARAMS_plain(nodeParams)
        code, _ = _cuGraphKernelNodeSetParams(self._callers[_own.number].call, hNode, nodeParams)
        return _answers0[code]

    def cuGraphLaunch(self, hGraphExec: Any, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, _ = _cuGraphLaunch(self._callers[_own.number].call, hGraphExec, hStream)
        return _answers0[code]

    def cuGraphMemAllocNodeGetParams(self, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, out = _cuGraphMemAllocNodeGetParams(self._callers[_own.number].call, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_MEM_ALLOC_NODE_PARAMS_made(out)

    def cuGraphMemFreeNodeGetParams(self, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, out = _cuGraphMemFreeNodeGetParams(self._callers[_own.number].call, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, CUdeviceptr(out)

    def cuGraphMemcpyNodeGetParams(self, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, out = _cuGraphMemcpyNodeGetParams(self._callers[_own.number].call, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_MEMCPY3D_made(out)

    def cuGraphMemcpyNodeSetParams(self, hNode: Any, nodeParams: Any) -> tuple[Any, ...]:
        if nodeParams is not None and not isinstance(nodeParams, CUDA_MEMCPY3D):
            raise _wrong_type(nodeParams, "nodeParams", CUDA_MEMCPY3D)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        nodeParams = None if nodeParams is None else _CUDA_MEMCPY3D_plain(nodeParams)
        code, _ = _cuGraphMemcpyNodeSetParams(self._callers[_own.number].call, hNode, nodeParams)
        return _answers0[code]

    def cuGraphMemsetNodeGetParams(self, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, out = _cuGraphMemsetNodeGetParams(self._callers[_own.number].call, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_MEMSET_NODE_PARAMS_made(out)

    def cuGraphMemsetNodeSetParams(self, hNode: Any, nodeParams: Any) -> tuple[Any, ...]:
        if nodeParams is not None and not isinstance(nodeParams, CUDA_MEMSET_NODE_PARAMS):
            raise _wrong_type(nodeParams, "nodeParams", CUDA_MEMSET_NODE_PARAMS)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        nodeParams = None if nodeParams is None else _CUDA_MEMSET_NODE_PARAMS_plain(nodeParams)
        code, _ = _cuGraphMemsetNodeSetParams(self._callers[_own.number].call, hNode, nodeParams)
        return _answers0[code]

    def cuGraphNodeFindInClone(self, hOriginalNode: Any, hClonedGraph: Any) -> tuple[Any, ...]:
        hClonedGraph = int(hClonedGraph) if type(hClonedGraph) is CUgraph else hClonedGraph if type(hClonedGraph) is int and not hClonedGraph >> 64 else _handle(hClonedGraph)
        hOriginalNode = int(hOriginalNode) if type(hOriginalNode) is CUgraphNode else hOriginalNode if type(hOriginalNode) is int and not hOriginalNode >> 64 else _handle(hOriginalNode)
        code, out = _cuGraphNodeFindInClone(self._callers[_own.number].call, hOriginalNode, hClonedGraph)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphNode(out)

    def cuGraphNodeGetDependencies(self, hNode: Any, numDependencies: Any = 0) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        _room(numDependencies)
        call = self._callers[_own.number].call
        if not numDependencies:
            call = call.without(frozenset({"dependencies", "edgeData"}))
        code, out = _cuGraphNodeGetDependencies(call, hNode, numDependencies)
        if code:
            return _answers3[code]
        dependencies, edgeData, numDependencies = out
        return SUCCESS, [CUgraphNode(one) for one in dependencies], [_CUgraphEdgeData_made(one) for one in edgeData], numDependencies

    def cuGraphNodeGetDependentNodes(self, hNode: Any, numDependentNodes: Any = 0) -> tuple[Any, ...]:
        if type(numDependentNodes) is not int or numDependentNodes >> 64:
            numDependentNodes = _size_t(numDependentNodes)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        _room(numDependentNodes)
        call = self._callers[_own.number].call
        if not numDependentNodes:
            call = call.without(frozenset({"dependentNodes", "edgeData"}))
        code, out = _cuGraphNodeGetDependentNodes(call, hNode, numDependentNodes)
        if code:
            return _answers3[code]
        dependentNodes, edgeData, numDependentNodes = out
        return SUCCESS, [CUgraphNode(one) for one in dependentNodes], [_CUgraphEdgeData_made(one) for one in edgeData], numDependentNodes

    def cuGraphNodeGetEnabled(self, hGraphExec: Any, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, out = _cuGraphNodeGetEnabled(self._callers[_own.number].call, hGraphExec, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuGraphNodeGetType(self, hNode: Any) -> tuple[Any, ...]:
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        code, out = _cuGraphNodeGetType(self._callers[_own.number].call, hNode)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraphNodeType(out)

    def cuGraphNodeSetEnabled(self, hGraphExec: Any, hNode: Any, isEnabled: Any) -> tuple[Any, ...]:
        if type(isEnabled) is not int or isEnabled >> 32:
            isEnabled = _unsigned_int(isEnabled)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, _ = _cuGraphNodeSetEnabled(self._callers[_own.number].call, hGraphExec, hNode, isEnabled)
        return _answers0[code]

    def cuGraphNodeSetParams(self, hNode: Any, nodeParams: Any) -> tuple[Any, ...]:
        if nodeParams is not None and not isinstance(nodeParams, CUgraphNodeParams):
            raise _wrong_type(nodeParams, "nodeParams", CUgraphNodeParams)
        hNode = int(hNode) if type(hNode) is CUgraphNode else hNode if type(hNode) is int and not hNode >> 64 else _handle(hNode)
        held_nodeParams = nodeParams
        nodeParams = None if nodeParams is None else _CUgraphNodeParams_plain(nodeParams)
        code, _ = _cuGraphNodeSetParams(self._callers[_own.number].call, hNode, nodeParams)
        return _answers0[code]

    def cuGraphReleaseUserObject(self, graph: Any, object: Any, count: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        object = int(object) if type(object) is CUuserObject else object if type(object) is int and not object >> 64 else _handle(object)
        graph = int(graph) if type(graph) is CUgraph else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        code, _ = _cuGraphReleaseUserObject(self._callers[_own.number].call, graph, object, count)
        return _answers0[code]

    def cuGraphRemoveDependencies(self, hGraph: Any, from_: Any, to: Any, edgeData: Any, numDependencies: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        edgeData = _structs(edgeData, "edgeData", CUgraphEdgeData)
        to = _structs(to, "to", CUgraphNode)
        from_ = _structs(from_, "from_", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        from_ = _plain_pointers(from_, len(from_))
        to = _plain_pointers(to, len(to))
        edgeData = _counted(edgeData, len(edgeData), _CUgraphEdgeData_plain)
        code, _ = _cuGraphRemoveDependencies(self._callers[_own.number].call, hGraph, from_, to, edgeData, numDependencies)
        return _answers0[code]

    def cuGraphRetainUserObject(self, graph: Any, object: Any, count: Any, flags: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        object = int(object) if type(object) is CUuserObject else object if type(object) is int and not object >> 64 else _handle(object)
        graph = int(graph) if type(graph) is CUgraph else graph if type(graph) is int and not graph >> 64 else _handle(graph)
        code, _ = _cuGraphRetainUserObject(self._callers[_own.number].call, graph, object, count, flags)
        return _answers0[code]

    def cuGraphUpload(self, hGraphExec: Any, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        hGraphExec = int(hGraphExec) if type(hGraphExec) is CUgraphExec else hGraphExec if type(hGraphExec) is int and not hGraphExec >> 64 else _handle(hGraphExec)
        code, _ = _cuGraphUpload(self._callers[_own.number].call, hGraphExec, hStream)
        return _answers0[code]

    def cuInit(self, Flags: Any) -> tuple[Any, ...]:
        if type(Flags) is not int or Flags >> 32:
            Flags = _unsigned_int(Flags)
        code, _ = _cuInit(self._callers[_own.number].call, Flags)
        return _answers0[code]

    def cuIpcCloseMemHandle(self, dptr: Any) -> tuple[Any, ...]:
        dptr = int(dptr) if type(dptr) is CUdeviceptr else dptr if type(dptr) is int and not dptr >> 64 else _handle(dptr)
        code, _ = _cuIpcCloseMemHandle(self._callers[_own.number].call, dptr)
        return _answers0[code]

    def cuIpcGetEventHandle(self, event: Any) -> tuple[Any, ...]:
        event = int(event) if type(event) is CUevent else event if type(event) is int and not event >> 64 else _handle(event)
        code, out = _cuIpcGetEventHandle(self._callers[_own.number].call, event)
        if code:
            return _answers1[code]
        return SUCCESS, _CUipcEventHandle_made(out)

    def cuIpcGetMemHandle(self, dptr: Any) -> tuple[Any, ...]:
        dptr = int(dptr) if type(dptr) is CUdeviceptr else dptr if type(dptr) is int and not dptr >> 64 else _handle(dptr)
        code, out = _cuIpcGetMemHandle(self._callers[_own.number].call, dptr)
        if code:
            return _answers1[code]
        return SUCCESS, _CUipcMemHandle_made(out)

    def cuIpcOpenEventHandle(self, handle: Any) -> tuple[Any, ...]:
        if not isinstance(handle, CUipcEventHandle):
            raise _wrong_type(handle, "handle", CUipcEventHandle)
        handle = _CUipcEventHandle_plain(handle)
        code, out = _cuIpcOpenEventHandle(self._callers[_own.number].call, handle)
        if code:
            return _answers1[code]
        return SUCCESS, CUevent(out)

    def cuIpcOpenMemHandle(self, handle: Any, Flags: Any) -> tuple[Any, ...]:
        if type(Flags) is not int or Flags >> 32:
            Flags = _unsigned_int(Flags)
        if not isinstance(handle, CUipcMemHandle):
            raise _wrong_type(handle, "handle", CUipcMemHandle)
        handle = _CUipcMemHandle_plain(handle)
        code, out = _cuIpcOpenMemHandle(self._callers[_own.number].call, handle, Flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUdeviceptr(out)

    def cuKernelGetAttribute(self, attrib: Any, kernel: Any, dev: Any) -> tuple[Any, ...]:
        if attrib is None:
            _given(attrib, "attrib")
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        kernel = int(kernel) if type(kernel) is CUkernel else kernel if type(kernel) is int and not kernel >> 64 else _handle(kernel)
        attrib = +attrib if type(attrib) is CUfunction_attribute else _CUfunction_attribute(attrib)
        code, out = _cuKernelGetAttribute(self._callers[_own.number].call, attrib, kernel, dev)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuKernelGetFunction(self, kernel: Any) -> tuple[Any, ...]:
        kernel = int(kernel) if type(kernel) is CUkernel else kernel if type(kernel) is int and not kernel >> 64 else _handle(kernel)
        code, out = _cuKernelGetFunction(self._callers[_own.number].call, kernel)
        if code:
            return _answers1[code]
        return SUCCESS, CUfunction(out)

    def cuKernelGetLibrary(self, kernel: Any) -> tuple[Any, ...]:
        kernel = int(kernel) if type(kernel) is CUkernel else kernel if type(kernel) is int and not kernel >> 64 else _handle(kernel)
        code, out = _cuKernelGetLibrary(self._callers[_own.number].call, kernel)
        if code:
            return _answers1[code]
        return SUCCESS, CUlibrary(out)

    def cuKernelGetName(self, hfunc: Any) -> tuple[Any, ...]:
        hfunc = int(hfunc) if type(hfunc) is CUkernel else hfunc if type(hfunc) is int and not hfunc >> 64 else _handle(hfunc)
        code, out = _cuKernelGetName(self._callers[_own.number].call, hfunc)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuKernelGetParamInfo(self, kernel: Any, paramIndex: Any) -> tuple[Any, ...]:
        if type(paramIndex) is not int or paramIndex >> 64:
            paramIndex = _size_t(paramIndex)
        kernel = int(kernel) if type(kernel) is CUkernel else kernel if type(kernel) is int and not kernel >> 64 else _handle(kernel)
        code, out = _cuKernelGetParamInfo(self._callers[_own.number].call, kernel, paramIndex)
        if code:
            return _answers2[code]
        paramOffset, paramSize = out
        return SUCCESS, paramOffset, paramSize

    def cuKernelSetAttribute(self, attrib: Any, val: Any, kernel: Any, dev: Any) -> tuple[Any, ...]:
        if type(val) is not int or (val + 0x80000000) >> 32:
            val = _signed(val)
        if attrib is None:
            _given(attrib, "attrib")
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        kernel = int(kernel) if type(kernel) is CUkernel else kernel if type(kernel) is int and not kernel >> 64 else _handle(kernel)
        attrib = +attrib if type(attrib) is CUfunction_attribute else _CUfunction_attribute(attrib)
        code, _ = _cuKernelSetAttribute(self._callers[_own.number].call, attrib, val, kernel, dev)
        return _answers0[code]

    def cuKernelSetCacheConfig(self, kernel: Any, config: Any, dev: Any) -> tuple[Any, ...]:
        if config is None:
            _given(config, "config")
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        kernel = int(kernel) if type(kernel) is CUkernel else kernel if type(kernel) is int and not kernel >> 64 else _handle(kernel)
        config = +config if type(config) is CUfunc_cache else _CUfunc_cache(config)
        code, _ = _cuKernelSetCacheConfig(self._callers[_own.number].call, kernel, config, dev)
        return _answers0[code]

    def cuLaunchCooperativeKernel(self, f: Any, gridDimX: Any, gridDimY: Any, gridDimZ: Any, blockDimX: Any, blockDimY: Any, blockDimZ: Any, sharedMemBytes: Any, hStream: Any, kernelParams: Any) -> tuple[Any, ...]:
        if type(gridDimX) is not int or gridDimX >> 32:
            gridDimX = _unsigned_int(gridDimX)
        if type(gridDimY) is not int or gridDimY >> 32:
            gridDimY = _unsigned_int(gridDimY)
        if type(gridDimZ) is not int or gridDimZ >> 32:
            gridDimZ = _unsigned_int(gridDimZ)
        if type(blockDimX) is not int or blockDimX >> 32:
            blockDimX = _unsigned_int(blockDimX)
        if type(blockDimY) is not int or blockDimY >> 32:
            blockDimY = _unsigned_int(blockDimY)
        if type(blockDimZ) is not int or blockDimZ >> 32:
            blockDimZ = _unsigned_int(blockDimZ)
        if type(sharedMemBytes) is not int or sharedMemBytes >> 32:
            sharedMemBytes = _unsigned_int(sharedMemBytes)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        f = int(f) if type(f) is CUfunction else f if type(f) is int and not f >> 64 else _handle(f)
        if type(kernelParams) is not int or kernelParams >> 64:
            kernelParams, held_kernelParams = _kernel_params(kernelParams)
        code, _ = _cuLaunchCooperativeKernel(self._callers[_own.number].call, f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream, kernelParams)
        return _answers0[code]

    def cuLaunchHostFunc(self, hStream: Any, fn: Any, userData: Any) -> tuple[Any, ...]:
        fn = (int(fn) if type(fn) is CUhostFn else fn if type(fn) is int and not fn >> 64 else _handle(fn)) or CALLS_NULL
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        if type(userData) is not int or userData >> 64:
            userData, held_userData = _host(userData)
        code, _ = _cuLaunchHostFunc(self._callers[_own.number].call, hStream, fn, userData)
        return _answers0[code]

    def cuLaunchKernel(self, f: Any, gridDimX: Any, gridDimY: Any, gridDimZ: Any, blockDimX: Any, blockDimY: Any, blockDimZ: Any, sharedMemBytes: Any, hStream: Any, kernelParams: Any, extra: Any) -> tuple[Any, ...]:
        if type(gridDimX) is not int or gridDimX >> 32:
            gridDimX = _unsigned_int(gridDimX)
        if type(gridDimY) is not int or gridDimY >> 32:
            gridDimY = _unsigned_int(gridDimY)
        if type(gridDimZ) is not int or gridDimZ >> 32:
            gridDimZ = _unsigned_int(gridDimZ)
        if type(blockDimX) is not int or blockDimX >> 32:
            blockDimX = _unsigned_int(blockDimX)
        if type(blockDimY) is not int or blockDimY >> 32:
            blockDimY = _unsigned_int(blockDimY)
        if type(blockDimZ) is not int or blockDimZ >> 32:
            blockDimZ = _unsigned_int(blockDimZ)
        if type(sharedMemBytes) is not int or sharedMemBytes >> 32:
            sharedMemBytes = _unsigned_int(sharedMemBytes)
        if type(extra) is not int or extra >> 64:
            extra = _unsigned_long(extra)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        f = int(f) if type(f) is CUfunction else f if type(f) is int and not f >> 64 else _handle(f)
        if type(kernelParams) is not int or kernelParams >> 64:
            kernelParams, held_kernelParams = _kernel_params(kernelParams)
        code, _ = _cuLaunchKernel(self._callers[_own.number].call, f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, hStream, kernelParams, extra)
        return _answers0[code]

    def cuLaunchKernelEx(self, config: Any, f: Any, kernelParams: Any, extra: Any) -> tuple[Any, ...]:
        if type(extra) is not int or extra >> 64:
            extra = _unsigned_long(extra)
        if config is not None and not isinstance(config, CUlaunchConfig):
            raise _wrong_type(config, "config", CUlaunchConfig)
        f = int(f) if type(f) is CUfunction else f if type(f) is int and not f >> 64 else _handle(f)
        config = None if config is None else _CUlaunchConfig_plain(config)
        if type(kernelParams) is not int or kernelParams >> 64:
            kernelParams, held_kernelParams = _kernel_params(kernelParams)
        code, _ = _cuLaunchKernelEx(self._callers[_own.number].call, config, f, kernelParams, extra)
        return _answers0[code]

    def cuLibraryEnumerateKernels(self, numKernels: Any, lib: Any) -> tuple[Any, ...]:
        if type(numKernels) is not int or numKernels >> 32:
            numKernels = _unsigned_int(numKernels)
        lib = int(lib) if type(lib) is CUlibrary else lib if type(lib) is int and not lib >> 64 else _handle(lib)
        call = self._callers[_own.number].call
        if not numKernels:
            call = call.without(frozenset({"kernels"}))
        code, out = _cuLibraryEnumerateKernels(call, numKernels, lib)
        if code:
            return _answers1[code]
        return SUCCESS, [CUkernel(one) for one in out]

    def cuLibraryGetGlobal(self, library: Any, name: Any) -> tuple[Any, ...]:
        name = _text(name)
        library = int(library) if type(library) is CUlibrary else library if type(library) is int and not library >> 64 else _handle(library)
        code, out = _cuLibraryGetGlobal(self._callers[_own.number].call, library, name)
        if code:
            return _answers2[code]
        dptr, bytes = out
        return SUCCESS, CUdeviceptr(dptr), bytes

    def cuLibraryGetKernel(self, library: Any, name: Any) -> tuple[Any, ...]:
        name = _text(name)
        library = int(library) if type(library) is CUlibrary else library if type(library) is int and not library >> 64 else _handle(library)
        code, out = _cuLibraryGetKernel(self._callers[_own.number].call, library, name)
        if code:
            return _answers1[code]
        return SUCCESS, CUkernel(out)

    def cuLibraryGetKernelCount(self, lib: Any) -> tuple[Any, ...]:
        lib = int(lib) if type(lib) is CUlibrary else lib if type(lib) is int and not lib >> 64 else _handle(lib)
        code, out = _cuLibraryGetKernelCount(self._callers[_own.number].call, lib)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuLibraryGetManaged(self, library: Any, name: Any) -> tuple[Any, ...]:
        name = _text(name)
        library = int(library) if type(library) is CUlibrary else library if type(library) is int and not library >> 64 else _handle(library)
        code, out = _cuLibraryGetManaged(self._callers[_own.number].call, library, name)
        if code:
            return _answers2[code]
        dptr, bytes = out
        return SUCCESS, CUdeviceptr(dptr), bytes

    def cuLibraryGetModule(self, library: Any) -> tuple[Any, ...]:
        library = int(library) if type(library) is CUlibrary else library if type(library) is int and not library >> 64 else _handle(library)
        code, out = _cuLibraryGetModule(self._callers[_own.number].call, library)
        if code:
            return _answers1[code]
        return SUCCESS, CUmodule(out)

    def cuLibraryGetUnifiedFunction(self, library: Any, symbol: Any) -> tuple[Any, ...]:
        symbol = _text(symbol)
        library = int(library) if type(library) is CUlibrary else library if type(library) is int and not library >> 64 else _handle(library)
        code, out = _cuLibraryGetUnifiedFunction(self._callers[_own.number].call, library, symbol)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuLibraryLoadData(self, code: Any, jitOptions: Any, jitOptionsValues: Any, numJitOptions: Any, libraryOptions: Any, libraryOptionValues: Any, numLibraryOptions: Any) -> tuple[Any, ...]:
        if type(numJitOptions) is not int or numJitOptions >> 32:
            numJitOptions = _unsigned_int(numJitOptions)
        if type(numLibraryOptions) is not int or numLibraryOptions >> 32:
            numLibraryOptions = _unsigned_int(numLibraryOptions)
        libraryOptions = _enums(libraryOptions, "libraryOptions", CUlibraryOption)
        jitOptions = _enums(jitOptions, "jitOptions", CUjit_option)
        if type(code) is not bytes:
            code, held_code = _host(code)
        jitOptions, jitOptionsValues, held_jitOptionsValues = _options(jitOptions, jitOptionsValues, numJitOptions, of_library=True)
        libraryOptions, libraryOptionValues, held_libraryOptionValues = _options(libraryOptions, libraryOptionValues, numLibraryOptions, of_library=True)
        code = _image(code)
        code, out = _cuLibraryLoadData(self._callers[_own.number].call, code, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues, numLibraryOptions)
        if code:
            return _answers1[code]
        return SUCCESS, CUlibrary(out)

    def cuLibraryLoadFromFile(self, fileName: Any, jitOptions: Any, jitOptionsValues: Any, numJitOptions: Any, libraryOptions: Any, libraryOptionValues: Any, numLibraryOptions: Any) -> tuple[Any, ...]:
        fileName = _text(fileName)
        if type(numJitOptions) is not int or numJitOptions >> 32:
            numJitOptions = _unsigned_int(numJitOptions)
        if type(numLibraryOptions) is not int or numLibraryOptions >> 32:
            numLibraryOptions = _unsigned_int(numLibraryOptions)
        libraryOptions = _enums(libraryOptions, "libraryOptions", CUlibraryOption)
        jitOptions = _enums(jitOptions, "jitOptions", CUjit_option)
        jitOptions, jitOptionsValues, held_jitOptionsValues = _options(jitOptions, jitOptionsValues, numJitOptions, of_library=True)
        libraryOptions, libraryOptionValues, held_libraryOptionValues = _options(libraryOptions, libraryOptionValues, numLibraryOptions, of_library=True)
        code, out = _cuLibraryLoadFromFile(self._callers[_own.number].call, fileName, jitOptions, jitOptionsValues, numJitOptions, libraryOptions, libraryOptionValues, numLibraryOptions)
        if code:
            return _answers1[code]
        return SUCCESS, CUlibrary(out)

    def cuLibraryUnload(self, library: Any) -> tuple[Any, ...]:
        library = int(library) if type(library) is CUlibrary else library if type(library) is int and not library >> 64 else _handle(library)
        code, _ = _cuLibraryUnload(self._callers[_own.number].call, library)
        return _answers0[code]

    def cuLinkAddData(self, state: Any, typename: Any, data: Any, size: Any, name: Any, numOptions: Any, options: Any, optionValues: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        name = _text(name)
        if type(numOptions) is not int or numOptions >> 32:
            numOptions = _unsigned_int(numOptions)
        if typename is None:
            _given(typename, "typename")
        options = _enums(options, "options", CUjit_option)
        state = int(state) if type(state) is CUlinkState else state if type(state) is int and not state >> 64 else _handle(state)
        typename = +typename if type(typename) is CUjitInputType else _CUjitInputType(typename)
        if type(data) is not bytes:
            data, held_data = _host(data)
        options, optionValues, held_optionValues = _options(options, optionValues, numOptions)
        data = _image(data)
        code, _ = _cuLinkAddData(self._callers[_own.number].call, state, typename, data, size, name, numOptions, options, optionValues)
        return _answers0[code]

    def cuLinkAddFile(self, state: Any, typename: Any, path: Any, numOptions: Any, options: Any, optionValues: Any) -> tuple[Any, ...]:
        path = _text(path)
        if type(numOptions) is not int or numOptions >> 32:
            numOptions = _unsigned_int(numOptions)
        if typename is None:
            _given(typename, "typename")
        options = _enums(options, "options", CUjit_option)
        state = int(state) if type(state) is CUlinkState else state if type(state) is int and not state >> 64 else _handle(state)
        typename = +typename if type(typename) is CUjitInputType else _CUjitInputType(typename)
        options, optionValues, held_optionValues = _options(options, optionValues, numOptions)
        code, _ = _cuLinkAddFile(self._callers[_own.number].call, state, typename, path, numOptions, options, optionValues)
        return _answers0[code]

    def cuLinkComplete(self, state: Any) -> tuple[Any, ...]:
        state = int(state) if type(state) is CUlinkState else state if type(state) is int and not state >> 64 else _handle(state)
        code, out = _cuLinkComplete(self._callers[_own.number].call, state)
        if code:
            return _answers2[code]
        cubinOut, sizeOut = out
        return SUCCESS, cubinOut, sizeOut

    def cuLinkCreate(self, numOptions: Any, options: Any, optionValues: Any) -> tuple[Any, ...]:
        if type(numOptions) is not int or numOptions >> 32:
            numOptions = _unsigned_int(numOptions)
        options = _enums(options, "options", CUjit_option)
        options, optionValues, held_optionValues = _options(options, optionValues, numOptions)
        code, out = _cuLinkCreate(self._callers[_own.number].call, numOptions, options, optionValues)
        if code:
            return _answers1[code]
        return SUCCESS, _linker(out, held_optionValues)

    def cuLinkDestroy(self, state: Any) -> tuple[Any, ...]:
        state = int(state) if type(state) is CUlinkState else state if type(state) is int and not state >> 64 else _handle(state)
        code, _ = _cuLinkDestroy(self._callers[_own.number].call, state)
        return _answers0[code]

    def cuMemAddressFree(self, ptr: Any, size: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        ptr = int(ptr) if type(ptr) is CUdeviceptr else ptr if type(ptr) is int and not ptr >> 64 else _handle(ptr)
        code, _ = _cuMemAddressFree(self._callers[_own.number].call, ptr, size)
        return _answers0[code]

    def cuMemAddressReserve(self, size: Any, alignment: Any, addr: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(alignment) is not int or alignment >> 64:
            alignment = _size_t(alignment)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        addr = int(addr) if type(addr) is CUdeviceptr else addr if type(addr) is int and not addr >> 64 else _handle(addr)
        code, out = _cuMemAddressReserve(self._callers[_own.number].call, size, alignment, addr, flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUdeviceptr(out)

    def cuMemAdvise(self, devPtr: Any, count: Any, advice: Any, location: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if advice is None:
            _given(advice, "advice")
        if not isinstance(location, CUmemLocation):
            raise _wrong_type(location, "location", CUmemLocation)
        devPtr = int(devPtr) if type(devPtr) is CUdeviceptr else devPtr if type(devPtr) is int and not devPtr >> 64 else _handle(devPtr)
        advice = +advice if type(advice) is CUmem_advise else _CUmem_advise(advice)
        location = _CUmemLocation_plain(location)
        code, _ = _cuMemAdvise(self._callers[_own.number].call, devPtr, count, advice, location)
        return _answers0[code]

    def cuMemAlloc(self, bytesize: Any) -> tuple[Any, ...]:
        if type(bytesize) is not int or bytesize >> 64:
            bytesize = _size_t(bytesize)
        code, out = _cuMemAlloc(self._callers[_own.number].call, bytesize)
        if code:
            return _answers1[code]
        return SUCCESS, CUdeviceptr(out)

    def cuMemAllocAsync(self, bytesize: Any, hStream: Any) -> tuple[Any, ...]:
        if type(bytesize) is not int or bytesize >> 64:
            bytesize = _size_t(bytesize)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cuMemAllocAsync(self._callers[_own.number].call, bytesize, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, CUdeviceptr(out)

    def cuMemAllocFromPoolAsync(self, bytesize: Any, pool: Any, hStream: Any) -> tuple[Any, ...]:
        if type(bytesize) is not int or bytesize >> 64:
            bytesize = _size_t(bytesize)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        pool = int(pool) if type(pool) is CUmemoryPool else pool if type(pool) is int and not pool >> 64 else _handle(pool)
        code, out = _cuMemAllocFromPoolAsync(self._callers[_own.number].call, bytesize, pool, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, CUdeviceptr(out)

    def cuMemAllocHost(self, bytesize: Any) -> tuple[Any, ...]:
        if type(bytesize) is not int or bytesize >> 64:
            bytesize = _size_t(bytesize)
        code, out = _cuMemAllocHost(self._callers[_own.number].call, bytesize)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuMemAllocManaged(self, bytesize: Any, flags: Any) -> tuple[Any, ...]:
        if type(bytesize) is not int or bytesize >> 64:
            bytesize = _size_t(bytesize)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        code, out = _cuMemAllocManaged(self._callers[_own.number].call, bytesize, flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUdeviceptr(out)

    def cuMemAllocPitch(self, WidthInBytes: Any, Height: Any, ElementSizeBytes: Any) -> tuple[Any, ...]:
        if type(WidthInBytes) is not int or WidthInBytes >> 64:
            WidthInBytes = _size_t(WidthInBytes)
        if type(Height) is not int or Height >> 64:
            Height = _size_t(Height)
        if type(ElementSizeBytes) is not int or ElementSizeBytes >> 32:
            ElementSizeBytes = _unsigned_int(ElementSizeBytes)
        code, out = _cuMemAllocPitch(self._callers[_own.number].call, WidthInBytes, Height, ElementSizeBytes)
        if code:
            return _answers2[code]
        dptr, pPitch = out
        return SUCCESS, CUdeviceptr(dptr), pPitch

    def cuMemCreate(self, size: Any, prop: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        if prop is not None and not isinstance(prop, CUmemAllocationProp):
            raise _wrong_type(prop, "prop", CUmemAllocationProp)
        prop = None if prop is None else _CUmemAllocationProp_plain(prop)
        code, out = _cuMemCreate(self._callers[_own.number].call, size, prop, flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUmemGenericAllocationHandle(out)

    def cuMemDiscardAndPrefetchBatchAsync(self, dptrs: Any, sizes: Any, count: Any, prefetchLocs: Any, prefetchLocIdxs: Any, numPrefetchLocs: Any, flags: Any, hStream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(numPrefetchLocs) is not int or numPrefetchLocs >> 64:
            numPrefetchLocs = _size_t(numPrefetchLocs)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        _numbers(prefetchLocIdxs, "prefetchLocIdxs")
        prefetchLocs = _structs(prefetchLocs, "prefetchLocs", CUmemLocation)
        _numbers(sizes, "sizes")
        dptrs = _structs(dptrs, "dptrs", CUdeviceptr)
        dptrs = _plain_pointers(dptrs, count)
        sizes = _plain_numbers(sizes, count)
        prefetchLocs = _counted(prefetchLocs, numPrefetchLocs, _CUmemLocation_plain)
        prefetchLocIdxs = _plain_numbers(prefetchLocIdxs, numPrefetchLocs)
        code, _ = _cuMemDiscardAndPrefetchBatchAsync(self._callers[_own.number].call, dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, hStream)
        return _answers0[code]

    def cuMemDiscardBatchAsync(self, dptrs: Any, sizes: Any, count: Any, flags: Any, hStream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        _numbers(sizes, "sizes")
        dptrs = _structs(dptrs, "dptrs", CUdeviceptr)
        dptrs = _plain_pointers(dptrs, count)
        sizes = _plain_numbers(sizes, count)
        code, _ = _cuMemDiscardBatchAsync(self._callers[_own.number].call, dptrs, sizes, count, flags, hStream)
        return _answers0[code]

    def cuMemExportToShareableHandle(self, handle: Any, handleType: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        if handleType is None:
            _given(handleType, "handleType")
        handle = int(handle) if type(handle) is CUmemGenericAllocationHandle else handle if type(handle) is int and not handle >> 64 else _handle(handle)
        handleType = +handleType if type(handleType) is CUmemAllocationHandleType and handleType in _CUmemAllocationHandleType_known else _CUmemAllocationHandleType_by_value(handleType)
        code, out = _cuMemExportToShareableHandle(self._callers[_own.number].call, handle, handleType, flags)
        if code:
            return _answers1[code]
        return SUCCESS, _filled(CUmemFabricHandle, out) if type(out) is bytes else out

    def cuMemFree(self, dptr: Any) -> tuple[Any, ...]:
        dptr = int(dptr) if type(dptr) is CUdeviceptr else dptr if type(dptr) is int and not dptr >> 64 else _handle(dptr)
        code, _ = _cuMemFree(self._callers[_own.number].call, dptr)
        return _answers0[code]

    def cuMemFreeAsync(self, dptr: Any, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        dptr = int(dptr) if type(dptr) is CUdeviceptr else dptr if type(dptr) is int and not dptr >> 64 else _handle(dptr)
        code, _ = _cuMemFreeAsync(self._callers[_own.number].call, dptr, hStream)
        return _answers0[code]

    def cuMemFreeHost(self, p: Any) -> tuple[Any, ...]:
        if type(p) is not int or p >> 64:
            p, held_p = _host(p)
        code, _ = _cuMemFreeHost(self._callers[_own.number].call, p)
        return _answers0[code]

    def cuMemGetAccess(self, location: Any, ptr: Any) -> tuple[Any, ...]:
        if location is not None and not isinstance(location, CUmemLocation):
            raise _wrong_type(location, "location", CUmemLocation)
        ptr = int(ptr) if type(ptr) is CUdeviceptr else ptr if type(ptr) is int and not ptr >> 64 else _handle(ptr)
        location = None if location is None else _CUmemLocation_plain(location)
        code, out = _cuMemGetAccess(self._callers[_own.number].call, location, ptr)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuMemGetAddressRange(self, dptr: Any) -> tuple[Any, ...]:
        dptr = int(dptr) if type(dptr) is CUdeviceptr else dptr if type(dptr) is int and not dptr >> 64 else _handle(dptr)
        code, out = _cuMemGetAddressRange(self._callers[_own.number].call, dptr)
        if code:
            return _answers2[code]
        pbase, psize = out
        return SUCCESS, CUdeviceptr(pbase), psize

    def cuMemGetAllocationGranularity(self, prop: Any, option: Any) -> tuple[Any, ...]:
        if prop is not None and not isinstance(prop, CUmemAllocationProp):
            raise _wrong_type(prop, "prop", CUmemAllocationProp)
        if option is None:
            _given(option, "option")
        prop = None if prop is None else _CUmemAllocationProp_plain(prop)
        option = +option if type(option) is CUmemAllocationGranularity_flags else _CUmemAllocationGranularity_flags(option)
        code, out = _cuMemGetAllocationGranularity(self._callers[_own.number].call, prop, option)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuMemGetAllocationPropertiesFromHandle(self, handle: Any) -> tuple[Any, ...]:
        handle = int(handle) if type(handle) is CUmemGenericAllocationHandle else handle if type(handle) is int and not handle >> 64 else _handle(handle)
        code, out = _cuMemGetAllocationPropertiesFromHandle(self._callers[_own.number].call, handle)
        if code:
            return _answers1[code]
        return SUCCESS, _CUmemAllocationProp_made(out)

    def cuMemGetDefaultMemPool(self, location: Any, typename: Any) -> tuple[Any, ...]:
        if location is not None and not isinstance(location, CUmemLocation):
            raise _wrong_type(location, "location", CUmemLocation)
        if typename is None:
            _given(typename, "typename")
        location = None if location is None else _CUmemLocation_plain(location)
        typename = +typename if type(typename) is CUmemAllocationType else _CUmemAllocationType(typename)
        code, out = _cuMemGetDefaultMemPool(self._callers[_own.number].call, location, typename)
        if code:
            return _answers1[code]
        return SUCCESS, CUmemoryPool(out)

    def cuMemGetHandleForAddressRange(self, dptr: Any, size: Any, handleType: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        if handleType is None:
            _given(handleType, "handleType")
        dptr = int(dptr) if type(dptr) is CUdeviceptr else dptr if type(dptr) is int and not dptr >> 64 else _handle(dptr)
        handleType = +handleType if type(handleType) is CUmemRangeHandleType else _CUmemRangeHandleType(handleType)
        code, out = _cuMemGetHandleForAddressRange(self._callers[_own.number].call, dptr, size, handleType, flags)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuMemGetInfo(self) -> tuple[Any, ...]:
        code, out = _cuMemGetInfo(self._callers[_own.number].call)
        if code:
            return _answers2[code]
        free, total = out
        return SUCCESS, free, total

    def cuMemGetMemPool(self, location: Any, typename: Any) -> tuple[Any, ...]:
        if location is not None and not isinstance(location, CUmemLocation):
            raise _wrong_type(location, "location", CUmemLocation)
        if typename is None:
            _given(typename, "typename")
        location = None if location is None else _CUmemLocation_plain(location)
        typename = +typename if type(typename) is CUmemAllocationType else _CUmemAllocationType(typename)
        code, out = _cuMemGetMemPool(self._callers[_own.number].call, location, typename)
        if code:
            return _answers1[code]
        return SUCCESS, CUmemoryPool(out)

    def cuMemHostAlloc(self, bytesize: Any, Flags: Any) -> tuple[Any, ...]:
        if type(bytesize) is not int or bytesize >> 64:
            bytesize = _size_t(bytesize)
        if type(Flags) is not int or Flags >> 32:
            Flags = _unsigned_int(Flags)
        code, out = _cuMemHostAlloc(self._callers[_own.number].call, bytesize, Flags)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuMemHostGetDevicePointer(self, p: Any, Flags: Any) -> tuple[Any, ...]:
        if type(Flags) is not int or Flags >> 32:
            Flags = _unsigned_int(Flags)
        if type(p) is not int or p >> 64:
            p, held_p = _host(p)
        code, out = _cuMemHostGetDevicePointer(self._callers[_own.number].call, p, Flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUdeviceptr(out)

    def cuMemHostGetFlags(self, p: Any) -> tuple[Any, ...]:
        if type(p) is not int or p >> 64:
            p, held_p = _host(p)
        code, out = _cuMemHostGetFlags(self._callers[_own.number].call, p)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuMemHostRegister(self, p: Any, bytesize: Any, Flags: Any) -> tuple[Any, ...]:
        if type(bytesize) is not int or bytesize >> 64:
            bytesize = _size_t(bytesize)
        if type(Flags) is not int or Flags >> 32:
            Flags = _unsigned_int(Flags)
        if type(p) is not int or p >> 64:
            p, held_p = _host(p)
        code, _ = _cuMemHostRegister(self._callers[_own.number].call, p, bytesize, Flags)
        return _answers0[code]

    def cuMemHostUnregister(self, p: Any) -> tuple[Any, ...]:
        if type(p) is not int or p >> 64:
            p, held_p = _host(p)
        code, _ = _cuMemHostUnregister(self._callers[_own.number].call, p)
        return _answers0[code]

    def cuMemImportFromShareableHandle(self, osHandle: Any, shHandleType: Any) -> tuple[Any, ...]:
        if shHandleType is None:
            _given(shHandleType, "shHandleType")
        if type(osHandle) is not int or osHandle >> 64:
            osHandle, held_osHandle = _host(osHandle)
        shHandleType = +shHandleType if type(shHandleType) is CUmemAllocationHandleType else _CUmemAllocationHandleType(shHandleType)
        osHandle = _shared(osHandle, shHandleType)
        code, out = _cuMemImportFromShareableHandle(self._callers[_own.number].call, osHandle, shHandleType)
        if code:
            return _answers1[code]
        return SUCCESS, CUmemGenericAllocationHandle(out)

    def cuMemMap(self, ptr: Any, size: Any, offset: Any, handle: Any, flags: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(offset) is not int or offset >> 64:
            offset = _size_t(offset)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        handle = int(handle) if type(handle) is CUmemGenericAllocationHandle else handle if type(handle) is int and not handle >> 64 else _handle(handle)
        ptr = int(ptr) if type(ptr) is CUdeviceptr else ptr if type(ptr) is int and not ptr >> 64 else _handle(ptr)
        code, _ = _cuMemMap(self._callers[_own.number].call, ptr, size, offset, handle, flags)
        return _answers0[code]

    def cuMemMapArrayAsync(self, mapInfoList: Any, count: Any, hStream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        mapInfoList = _structs(mapInfoList, "mapInfoList", CUarrayMapInfo)
        mapInfoList = _counted(mapInfoList, count, _CUarrayMapInfo_plain)
        code, _ = _cuMemMapArrayAsync(self._callers[_own.number].call, mapInfoList, count, hStream)
        return _answers0[code]

    def cuMemPoolCreate(self, poolProps: Any) -> tuple[Any, ...]:
        if poolProps is not None and not isinstance(poolProps, CUmemPoolProps):
            raise _wrong_type(poolProps, "poolProps", CUmemPoolProps)
        poolProps = None if poolProps is None else _CUmemPoolProps_plain(poolProps)
        code, out = _cuMemPoolCreate(self._callers[_own.number].call, poolProps)
        if code:
            return _answers1[code]
        return SUCCESS, CUmemoryPool(out)

    def cuMemPoolDestroy(self, pool: Any) -> tuple[Any, ...]:
        pool = int(pool) if type(pool) is CUmemoryPool else pool if type(pool) is int and not pool >> 64 else _handle(pool)
        code, _ = _cuMemPoolDestroy(self._callers[_own.number].call, pool)
        return _answers0[code]

    def cuMemPoolExportPointer(self, ptr: Any) -> tuple[Any, ...]:
        ptr = int(ptr) if type(ptr) is CUdeviceptr else ptr if type(ptr) is int and not ptr >> 64 else _handle(ptr)
        code, out = _cuMemPoolExportPointer(self._callers[_own.number].call, ptr)
        if code:
            return _answers1[code]
        return SUCCESS, _CUmemPoolPtrExportData_made(out)

    def cuMemPoolExportToShareableHandle(self, pool: Any, handleType: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        if handleType is None:
            _given(handleType, "handleType")
        pool = int(pool) if type(pool) is CUmemoryPool else pool if type(pool) is int and not pool >> 64 else _handle(pool)
        handleType = +handleType if type(handleType) is CUmemAllocationHandleType and handleType in _CUmemAllocationHandleType_known else _CUmemAllocationHandleType_by_value(handleType)
        code, out = _cuMemPoolExportToShareableHandle(self._callers[_own.number].call, pool, handleType, flags)
        if code:
            return _answers1[code]
        return SUCCESS, _filled(CUmemFabricHandle, out) if type(out) is bytes else out

    def cuMemPoolGetAccess(self, memPool: Any, location: Any) -> tuple[Any, ...]:
        if location is not None and not isinstance(location, CUmemLocation):
            raise _wrong_type(location, "location", CUmemLocation)
        memPool = int(memPool) if type(memPool) is CUmemoryPool else memPool if type(memPool) is int and not memPool >> 64 else _handle(memPool)
        location = None if location is None else _CUmemLocation_plain(location)
        code, out = _cuMemPoolGetAccess(self._callers[_own.number].call, memPool, location)
        if code:
            return _answers1[code]
        return SUCCESS, CUmemAccess_flags(out)

    def cuMemPoolGetAttribute(self, pool: Any, attr: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        pool = int(pool) if type(pool) is CUmemoryPool else pool if type(pool) is int and not pool >> 64 else _handle(pool)
        attr = +attr if type(attr) is CUmemPool_attribute and attr in _CUmemPool_attribute_known else _CUmemPool_attribute_by_value(attr)
        code, out = _cuMemPoolGetAttribute(self._callers[_own.number].call, pool, attr)
        if code:
            return _answers1[code]
        return SUCCESS, _pool_value(attr, out)

    def cuMemPoolImportFromShareableHandle(self, handle: Any, handleType: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        if handleType is None:
            _given(handleType, "handleType")
        if type(handle) is not int or handle >> 64:
            handle, held_handle = _host(handle)
        handleType = +handleType if type(handleType) is CUmemAllocationHandleType else _CUmemAllocationHandleType(handleType)
        handle = _shared(handle, handleType)
        code, out = _cuMemPoolImportFromShareableHandle(self._callers[_own.number].call, handle, handleType, flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUmemoryPool(out)

    def cuMemPoolImportPointer(self, pool: Any, shareData: Any) -> tuple[Any, ...]:
        if shareData is not None and not isinstance(shareData, CUmemPoolPtrExportData):
            raise _wrong_type(shareData, "shareData", CUmemPoolPtrExportData)
        pool = int(pool) if type(pool) is CUmemoryPool else pool if type(pool) is int and not pool >> 64 else _handle(pool)
        shareData = None if shareData is None else _CUmemPoolPtrExportData_plain(shareData)
        code, out = _cuMemPoolImportPointer(self._callers[_own.number].call, pool, shareData)
        if code:
            return _answers1[code]
        return SUCCESS, CUdeviceptr(out)

    def cuMemPoolSetAccess(self, pool: Any, map: Any, count: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        map = _structs(map, "map", CUmemAccessDesc)
        pool = int(pool) if type(pool) is CUmemoryPool else pool if type(pool) is int and not pool >> 64 else _handle(pool)
        map = _counted(map, count, _CUmemAccessDesc_plain)
        code, _ = _cuMemPoolSetAccess(self._callers[_own.number].call, pool, map, count)
        return _answers0[code]

    def cuMemPoolSetAttribute(self, pool: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        pool = int(pool) if type(pool) is CUmemoryPool else pool if type(pool) is int and not pool >> 64 else _handle(pool)
        attr = +attr if type(attr) is CUmemPool_attribute and attr in _CUmemPool_attribute_known else _CUmemPool_attribute_by_value(attr)
        value = _pool_word(value, attr)
        code, _ = _cuMemPoolSetAttribute(self._callers[_own.number].call, pool, attr, value)
        return _answers0[code]

    def cuMemPoolTrimTo(self, pool: Any, minBytesToKeep: Any) -> tuple[Any, ...]:
        if type(minBytesToKeep) is not int or minBytesToKeep >> 64:
            minBytesToKeep = _size_t(minBytesToKeep)
        pool = int(pool) if type(pool) is CUmemoryPool else pool if type(pool) is int and not pool >> 64 else _handle(pool)
        code, _ = _cuMemPoolTrimTo(self._callers[_own.number].call, pool, minBytesToKeep)
        return _answers0[code]

    def cuMemPrefetchAsync(self, devPtr: Any, count: Any, location: Any, flags: Any, hStream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if not isinstance(location, CUmemLocation):
            raise _wrong_type(location, "location", CUmemLocation)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        devPtr = int(devPtr) if type(devPtr) is CUdeviceptr else devPtr if type(devPtr) is int and not devPtr >> 64 else _handle(devPtr)
        location = _CUmemLocation_plain(location)
        code, _ = _cuMemPrefetchAsync(self._callers[_own.number].call, devPtr, count, location, flags, hStream)
        return _answers0[code]

    def cuMemPrefetchBatchAsync(self, dptrs: Any, sizes: Any, count: Any, prefetchLocs: Any, prefetchLocIdxs: Any, numPrefetchLocs: Any, flags: Any, hStream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(numPrefetchLocs) is not int or numPrefetchLocs >> 64:
            numPrefetchLocs = _size_t(numPrefetchLocs)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        _numbers(prefetchLocIdxs, "prefetchLocIdxs")
        prefetchLocs = _structs(prefetchLocs, "prefetchLocs", CUmemLocation)
        _numbers(sizes, "sizes")
        dptrs = _structs(dptrs, "dptrs", CUdeviceptr)
        dptrs = _plain_pointers(dptrs, count)
        sizes = _plain_numbers(sizes, count)
        prefetchLocs = _counted(prefetchLocs, numPrefetchLocs, _CUmemLocation_plain)
        prefetchLocIdxs = _plain_numbers(prefetchLocIdxs, numPrefetchLocs)
        code, _ = _cuMemPrefetchBatchAsync(self._callers[_own.number].call, dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, hStream)
        return _answers0[code]

    def cuMemRangeGetAttribute(self, dataSize: Any, attribute: Any, devPtr: Any, count: Any) -> tuple[Any, ...]:
        if type(dataSize) is not int or dataSize >> 64:
            dataSize = _size_t(dataSize)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if attribute is None:
            _given(attribute, "attribute")
        devPtr = int(devPtr) if type(devPtr) is CUdeviceptr else devPtr if type(devPtr) is int and not devPtr >> 64 else _handle(devPtr)
        attribute = +attribute if type(attribute) is CUmem_range_attribute and attribute in _CUmem_range_attribute_known else _CUmem_range_attribute_by_value(attribute)
        code, out = _cuMemRangeGetAttribute(self._callers[_own.number].call, dataSize, attribute, devPtr, count)
        if code:
            return _answers1[code]
        return SUCCESS, _range_value(out)

    def cuMemRangeGetAttributes(self, dataSizes: Any, attributes: Any, numAttributes: Any, devPtr: Any, count: Any) -> tuple[Any, ...]:
        if type(numAttributes) is not int or numAttributes >> 64:
            numAttributes = _size_t(numAttributes)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        devPtr = int(devPtr) if type(devPtr) is CUdeviceptr else devPtr if type(devPtr) is int and not devPtr >> 64 else _handle(devPtr)
        attributes = _enums(attributes, "attributes", CUmem_range_attribute)
        dataSizes = _CUmem_range_attribute_sizes(dataSizes, "dataSizes", numAttributes, attributes)
        attributes = _whole(attributes, numAttributes)
        code, out = _cuMemRangeGetAttributes(self._callers[_own.number].call, dataSizes, attributes, numAttributes, devPtr, count)
        if code:
            return _answers1[code]
        return SUCCESS, _range_values(attributes, dataSizes, out)

    def cuMemRelease(self, handle: Any) -> tuple[Any, ...]:
        handle = int(handle) if type(handle) is CUmemGenericAllocationHandle else handle if type(handle) is int and not handle >> 64 else _handle(handle)
        code, _ = _cuMemRelease(self._callers[_own.number].call, handle)
        return _answers0[code]

    def cuMemRetainAllocationHandle(self, addr: Any) -> tuple[Any, ...]:
        if type(addr) is not int or addr >> 64:
            addr, held_addr = _host(addr)
        code, out = _cuMemRetainAllocationHandle(self._callers[_own.number].call, addr)
        if code:
            return _answers1[code]
        return SUCCESS, CUmemGenericAllocationHandle(out)

    def cuMemSetAccess(self, ptr: Any, size: Any, desc: Any, count: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        desc = _structs(desc, "desc", CUmemAccessDesc)
        ptr = int(ptr) if type(ptr) is CUdeviceptr else ptr if type(ptr) is int and not ptr >> 64 else _handle(ptr)
        desc = _counted(desc, count, _CUmemAccessDesc_plain)
        code, _ = _cuMemSetAccess(self._callers[_own.number].call, ptr, size, desc, count)
        return _answers0[code]

    def cuMemSetMemPool(self, location: Any, typename: Any, pool: Any) -> tuple[Any, ...]:
        if location is not None and not isinstance(location, CUmemLocation):
            raise _wrong_type(location, "location", CUmemLocation)
        if typename is None:
            _given(typename, "typename")
        pool = int(pool) if type(pool) is CUmemoryPool else pool if type(pool) is int and not pool >> 64 else _handle(pool)
        location = None if location is None else _CUmemLocation_plain(location)
        typename = +typename if type(typename) is CUmemAllocationType else _CUmemAllocationType(typename)
        code, _ = _cuMemSetMemPool(self._callers[_own.number].call, location, typename, pool)
        return _answers0[code]

    def cuMemUnmap(self, ptr: Any, size: Any) -> tuple[Any, ...]:
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        ptr = int(ptr) if type(ptr) is CUdeviceptr else ptr if type(ptr) is int and not ptr >> 64 else _handle(ptr)
        code, _ = _cuMemUnmap(self._callers[_own.number].call, ptr, size)
        return _answers0[code]

    def cuMemcpy(self, dst: Any, src: Any, ByteCount: Any) -> tuple[Any, ...]:
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        src = int(src) if type(src) is CUdeviceptr else src if type(src) is int and not src >> 64 else _handle(src)
        dst = int(dst) if type(dst) is CUdeviceptr else dst if type(dst) is int and not dst >> 64 else _handle(dst)
        code, _ = _cuMemcpy(self._callers[_own.number].call, dst, src, ByteCount)
        return _answers0[code]

    def cuMemcpy2D(self, pCopy: Any) -> tuple[Any, ...]:
        if pCopy is not None and not isinstance(pCopy, CUDA_MEMCPY2D):
            raise _wrong_type(pCopy, "pCopy", CUDA_MEMCPY2D)
        pCopy = None if pCopy is None else _CUDA_MEMCPY2D_plain(pCopy)
        code, _ = _cuMemcpy2D(self._callers[_own.number].call, pCopy)
        return _answers0[code]

    def cuMemcpy2DAsync(self, pCopy: Any, hStream: Any) -> tuple[Any, ...]:
        if pCopy is not None and not isinstance(pCopy, CUDA_MEMCPY2D):
            raise _wrong_type(pCopy, "pCopy", CUDA_MEMCPY2D)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        pCopy = None if pCopy is None else _CUDA_MEMCPY2D_plain(pCopy)
        code, _ = _cuMemcpy2DAsync(self._callers[_own.number].call, pCopy, hStream)
        return _answers0[code]

    def cuMemcpy2DUnaligned(self, pCopy: Any) -> tuple[Any, ...]:
        if pCopy is not None and not isinstance(pCopy, CUDA_MEMCPY2D):
            raise _wrong_type(pCopy, "pCopy", CUDA_MEMCPY2D)
        pCopy = None if pCopy is None else _CUDA_MEMCPY2D_plain(pCopy)
        code, _ = _cuMemcpy2DUnaligned(self._callers[_own.number].call, pCopy)
        return _answers0[code]

    def cuMemcpy3D(self, pCopy: Any) -> tuple[Any, ...]:
        if pCopy is not None and not isinstance(pCopy, CUDA_MEMCPY3D):
            raise _wrong_type(pCopy, "pCopy", CUDA_MEMCPY3D)
        pCopy = None if pCopy is None else _CUDA_MEMCPY3D_plain(pCopy)
        code, _ = _cuMemcpy3D(self._callers[_own.number].call, pCopy)
        return _answers0[code]

    def cuMemcpy3DAsync(self, pCopy: Any, hStream: Any) -> tuple[Any, ...]:
        if pCopy is not None and not isinstance(pCopy, CUDA_MEMCPY3D):
            raise _wrong_type(pCopy, "pCopy", CUDA_MEMCPY3D)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        pCopy = None if pCopy is None else _CUDA_MEMCPY3D_plain(pCopy)
        code, _ = _cuMemcpy3DAsync(self._callers[_own.number].call, pCopy, hStream)
        return _answers0[code]

    def cuMemcpy3DPeer(self, pCopy: Any) -> tuple[Any, ...]:
        if pCopy is not None and not isinstance(pCopy, CUDA_MEMCPY3D_PEER):
            raise _wrong_type(pCopy, "pCopy", CUDA_MEMCPY3D_PEER)
        pCopy = None if pCopy is None else _CUDA_MEMCPY3D_PEER_plain(pCopy)
        code, _ = _cuMemcpy3DPeer(self._callers[_own.number].call, pCopy)
        return _answers0[code]

    def cuMemcpy3DPeerAsync(self, pCopy: Any, hStream: Any) -> tuple[Any, ...]:
        if pCopy is not None and not isinstance(pCopy, CUDA_MEMCPY3D_PEER):
            raise _wrong_type(pCopy, "pCopy", CUDA_MEMCPY3D_PEER)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        pCopy = None if pCopy is None else _CUDA_MEMCPY3D_PEER_plain(pCopy)
        code, _ = _cuMemcpy3DPeerAsync(self._callers[_own.number].call, pCopy, hStream)
        return _answers0[code]

    def cuMemcpyAsync(self, dst: Any, src: Any, ByteCount: Any, hStream: Any) -> tuple[Any, ...]:
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        src = int(src) if type(src) is CUdeviceptr else src if type(src) is int and not src >> 64 else _handle(src)
        dst = int(dst) if type(dst) is CUdeviceptr else dst if type(dst) is int and not dst >> 64 else _handle(dst)
        code, _ = _cuMemcpyAsync(self._callers[_own.number].call, dst, src, ByteCount, hStream)
        return _answers0[code]

    def cuMemcpyAtoA(self, dstArray: Any, dstOffset: Any, srcArray: Any, srcOffset: Any, ByteCount: Any) -> tuple[Any, ...]:
        if type(dstOffset) is not int or dstOffset >> 64:
            dstOffset = _size_t(dstOffset)
        if type(srcOffset) is not int or srcOffset >> 64:
            srcOffset = _size_t(srcOffset)
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        srcArray = int(srcArray) if type(srcArray) is CUarray else srcArray if type(srcArray) is int and not srcArray >> 64 else _handle(srcArray)
        dstArray = int(dstArray) if type(dstArray) is CUarray else dstArray if type(dstArray) is int and not dstArray >> 64 else _handle(dstArray)
        code, _ = _cuMemcpyAtoA(self._callers[_own.number].call, dstArray, dstOffset, srcArray, srcOffset, ByteCount)
        return _answers0[code]

    def cuMemcpyAtoD(self, dstDevice: Any, srcArray: Any, srcOffset: Any, ByteCount: Any) -> tuple[Any, ...]:
        if type(srcOffset) is not int or srcOffset >> 64:
            srcOffset = _size_t(srcOffset)
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        srcArray = int(srcArray) if type(srcArray) is CUarray else srcArray if type(srcArray) is int and not srcArray >> 64 else _handle(srcArray)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemcpyAtoD(self._callers[_own.number].call, dstDevice, srcArray, srcOffset, ByteCount)
        return _answers0[code]

    def cuMemcpyAtoH(self, dstHost: Any, srcArray: Any, srcOffset: Any, ByteCount: Any) -> tuple[Any, ...]:
        if type(srcOffset) is not int or srcOffset >> 64:
            srcOffset = _size_t(srcOffset)
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        srcArray = int(srcArray) if type(srcArray) is CUarray else srcArray if type(srcArray) is int and not srcArray >> 64 else _handle(srcArray)
        if type(dstHost) is not int or dstHost >> 64:
            dstHost, held_dstHost = _host(dstHost)
        code, _ = _cuMemcpyAtoH(self._callers[_own.number].call, dstHost, srcArray, srcOffset, ByteCount)
        return _answers0[code]

    def cuMemcpyAtoHAsync(self, dstHost: Any, srcArray: Any, srcOffset: Any, ByteCount: Any, hStream: Any) -> tuple[Any, ...]:
        if type(srcOffset) is not int or srcOffset >> 64:
            srcOffset = _size_t(srcOffset)
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        srcArray = int(srcArray) if type(srcArray) is CUarray else srcArray if type(srcArray) is int and not srcArray >> 64 else _handle(srcArray)
        if type(dstHost) is not int or dstHost >> 64:
            dstHost, held_dstHost = _host(dstHost)
        code, _ = _cuMemcpyAtoHAsync(self._callers[_own.number].call, dstHost, srcArray, srcOffset, ByteCount, hStream)
        return _answers0[code]

    def cuMemcpyBatchAsync(self, dsts: Any, srcs: Any, sizes: Any, count: Any, attrs: Any, attrsIdxs: Any, numAttrs: Any, hStream: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 64:
            count = _size_t(count)
        if type(numAttrs) is not int or numAttrs >> 64:
            numAttrs = _size_t(numAttrs)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        _numbers(attrsIdxs, "attrsIdxs")
        attrs = _structs(attrs, "attrs", CUmemcpyAttributes)
        _numbers(sizes, "sizes")
        srcs = _structs(srcs, "srcs", CUdeviceptr)
        dsts = _structs(dsts, "dsts", CUdeviceptr)
        dsts = _plain_pointers(dsts, count)
        srcs = _plain_pointers(srcs, count)
        sizes = _plain_numbers(sizes, count)
        attrs = _counted(attrs, numAttrs, _CUmemcpyAttributes_plain)
        attrsIdxs = _plain_numbers(attrsIdxs, numAttrs)
        code, _ = _cuMemcpyBatchAsync(self._callers[_own.number].call, dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, hStream)
        return _answers0[code]

    def cuMemcpyDtoA(self, dstArray: Any, dstOffset: Any, srcDevice: Any, ByteCount: Any) -> tuple[Any, ...]:
        if type(dstOffset) is not int or dstOffset >> 64:
            dstOffset = _size_t(dstOffset)
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        srcDevice = int(srcDevice) if type(srcDevice) is CUdeviceptr else srcDevice if type(srcDevice) is int and not srcDevice >> 64 else _handle(srcDevice)
        dstArray = int(dstArray) if type(dstArray) is CUarray else dstArray if type(dstArray) is int and not dstArray >> 64 else _handle(dstArray)
        code, _ = _cuMemcpyDtoA(self._callers[_own.number].call, dstArray, dstOffset, srcDevice, ByteCount)
        return _answers0[code]

    def cuMemcpyDtoD(self, dstDevice: Any, srcDevice: Any, ByteCount: Any) -> tuple[Any, ...]:
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        srcDevice = int(srcDevice) if type(srcDevice) is CUdeviceptr else srcDevice if type(srcDevice) is int and not srcDevice >> 64 else _handle(srcDevice)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemcpyDtoD(self._callers[_own.number].call, dstDevice, srcDevice, ByteCount)
        return _answers0[code]

    def cuMemcpyDtoDAsync(self, dstDevice: Any, srcDevice: Any, ByteCount: Any, hStream: Any) -> tuple[Any, ...]:
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        srcDevice = int(srcDevice) if type(srcDevice) is CUdeviceptr else srcDevice if type(srcDevice) is int and not srcDevice >> 64 else _handle(srcDevice)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemcpyDtoDAsync(self._callers[_own.number].call, dstDevice, srcDevice, ByteCount, hStream)
        return _answers0[code]

    def cuMemcpyDtoH(self, dstHost: Any, srcDevice: Any, ByteCount: Any) -> tuple[Any, ...]:
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        srcDevice = int(srcDevice) if type(srcDevice) is CUdeviceptr else srcDevice if type(srcDevice) is int and not srcDevice >> 64 else _handle(srcDevice)
        if type(dstHost) is not int or dstHost >> 64:
            dstHost, held_dstHost = _host(dstHost)
        code, _ = _cuMemcpyDtoH(self._callers[_own.number].call, dstHost, srcDevice, ByteCount)
        return _answers0[code]

    def cuMemcpyDtoHAsync(self, dstHost: Any, srcDevice: Any, ByteCount: Any, hStream: Any) -> tuple[Any, ...]:
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        srcDevice = int(srcDevice) if type(srcDevice) is CUdeviceptr else srcDevice if type(srcDevice) is int and not srcDevice >> 64 else _handle(srcDevice)
        if type(dstHost) is not int or dstHost >> 64:
            dstHost, held_dstHost = _host(dstHost)
        code, _ = _cuMemcpyDtoHAsync(self._callers[_own.number].call, dstHost, srcDevice, ByteCount, hStream)
        return _answers0[code]

    def cuMemcpyHtoA(self, dstArray: Any, dstOffset: Any, srcHost: Any, ByteCount: Any) -> tuple[Any, ...]:
        if type(dstOffset) is not int or dstOffset >> 64:
            dstOffset = _size_t(dstOffset)
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        dstArray = int(dstArray) if type(dstArray) is CUarray else dstArray if type(dstArray) is int and not dstArray >> 64 else _handle(dstArray)
        if type(srcHost) is not int or srcHost >> 64:
            srcHost, held_srcHost = _host(srcHost)
        code, _ = _cuMemcpyHtoA(self._callers[_own.number].call, dstArray, dstOffset, srcHost, ByteCount)
        return _answers0[code]

    def cuMemcpyHtoAAsync(self, dstArray: Any, dstOffset: Any, srcHost: Any, ByteCount: Any, hStream: Any) -> tuple[Any, ...]:
        if type(dstOffset) is not int or dstOffset >> 64:
            dstOffset = _size_t(dstOffset)
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        dstArray = int(dstArray) if type(dstArray) is CUarray else dstArray if type(dstArray) is int and not dstArray >> 64 else _handle(dstArray)
        if type(srcHost) is not int or srcHost >> 64:
            srcHost, held_srcHost = _host(srcHost)
        code, _ = _cuMemcpyHtoAAsync(self._callers[_own.number].call, dstArray, dstOffset, srcHost, ByteCount, hStream)
        return _answers0[code]

    def cuMemcpyHtoD(self, dstDevice: Any, srcHost: Any, ByteCount: Any) -> tuple[Any, ...]:
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        if type(srcHost) is not int or srcHost >> 64:
            srcHost, held_srcHost = _host(srcHost)
        code, _ = _cuMemcpyHtoD(self._callers[_own.number].call, dstDevice, srcHost, ByteCount)
        return _answers0[code]

    def cuMemcpyHtoDAsync(self, dstDevice: Any, srcHost: Any, ByteCount: Any, hStream: Any) -> tuple[Any, ...]:
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        if type(srcHost) is not int or srcHost >> 64:
            srcHost, held_srcHost = _host(srcHost)
        code, _ = _cuMemcpyHtoDAsync(self._callers[_own.number].call, dstDevice, srcHost, ByteCount, hStream)
        return _answers0[code]

    def cuMemcpyPeer(self, dstDevice: Any, dstContext: Any, srcDevice: Any, srcContext: Any, ByteCount: Any) -> tuple[Any, ...]:
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        srcContext = int(srcContext) if type(srcContext) is CUcontext else srcContext if type(srcContext) is int and not srcContext >> 64 else _handle(srcContext)
        srcDevice = int(srcDevice) if type(srcDevice) is CUdeviceptr else srcDevice if type(srcDevice) is int and not srcDevice >> 64 else _handle(srcDevice)
        dstContext = int(dstContext) if type(dstContext) is CUcontext else dstContext if type(dstContext) is int and not dstContext >> 64 else _handle(dstContext)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemcpyPeer(self._callers[_own.number].call, dstDevice, dstContext, srcDevice, srcContext, ByteCount)
        return _answers0[code]

    def cuMemcpyPeerAsync(self, dstDevice: Any, dstContext: Any, srcDevice: Any, srcContext: Any, ByteCount: Any, hStream: Any) -> tuple[Any, ...]:
        if type(ByteCount) is not int or ByteCount >> 64:
            ByteCount = _size_t(ByteCount)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        srcContext = int(srcContext) if type(srcContext) is CUcontext else srcContext if type(srcContext) is int and not srcContext >> 64 else _handle(srcContext)
        srcDevice = int(srcDevice) if type(srcDevice) is CUdeviceptr else srcDevice if type(srcDevice) is int and not srcDevice >> 64 else _handle(srcDevice)
        dstContext = int(dstContext) if type(dstContext) is CUcontext else dstContext if type(dstContext) is int and not dstContext >> 64 else _handle(dstContext)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemcpyPeerAsync(self._callers[_own.number].call, dstDevice, dstContext, srcDevice, srcContext, ByteCount, hStream)
        return _answers0[code]

    def cuMemsetD16(self, dstDevice: Any, us: Any, N: Any) -> tuple[Any, ...]:
        if type(us) is not int or us >> 16:
            us = _unsigned_short(us)
        if type(N) is not int or N >> 64:
            N = _size_t(N)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemsetD16(self._callers[_own.number].call, dstDevice, us, N)
        return _answers0[code]

    def cuMemsetD16Async(self, dstDevice: Any, us: Any, N: Any, hStream: Any) -> tuple[Any, ...]:
        if type(us) is not int or us >> 16:
            us = _unsigned_short(us)
        if type(N) is not int or N >> 64:
            N = _size_t(N)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemsetD16Async(self._callers[_own.number].call, dstDevice, us, N, hStream)
        return _answers0[code]

    def cuMemsetD2D16(self, dstDevice: Any, dstPitch: Any, us: Any, Width: Any, Height: Any) -> tuple[Any, ...]:
        if type(dstPitch) is not int or dstPitch >> 64:
            dstPitch = _size_t(dstPitch)
        if type(us) is not int or us >> 16:
            us = _unsigned_short(us)
        if type(Width) is not int or Width >> 64:
            Width = _size_t(Width)
        if type(Height) is not int or Height >> 64:
            Height = _size_t(Height)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemsetD2D16(self._callers[_own.number].call, dstDevice, dstPitch, us, Width, Height)
        return _answers0[code]

    def cuMemsetD2D16Async(self, dstDevice: Any, dstPitch: Any, us: Any, Width: Any, Height: Any, hStream: Any) -> tuple[Any, ...]:
        if type(dstPitch) is not int or dstPitch >> 64:
            dstPitch = _size_t(dstPitch)
        if type(us) is not int or us >> 16:
            us = _unsigned_short(us)
        if type(Width) is not int or Width >> 64:
            Width = _size_t(Width)
        if type(Height) is not int or Height >> 64:
            Height = _size_t(Height)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemsetD2D16Async(self._callers[_own.number].call, dstDevice, dstPitch, us, Width, Height, hStream)
        return _answers0[code]

    def cuMemsetD2D32(self, dstDevice: Any, dstPitch: Any, ui: Any, Width: Any, Height: Any) -> tuple[Any, ...]:
        if type(dstPitch) is not int or dstPitch >> 64:
            dstPitch = _size_t(dstPitch)
        if type(ui) is not int or ui >> 32:
            ui = _unsigned_int(ui)
        if type(Width) is not int or Width >> 64:
            Width = _size_t(Width)
        if type(Height) is not int or Height >> 64:
            Height = _size_t(Height)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemsetD2D32(self._callers[_own.number].call, dstDevice, dstPitch, ui, Width, Height)
        return _answers0[code]

    def cuMemsetD2D32Async(self, dstDevice: Any, dstPitch: Any, ui: Any, Width: Any, Height: Any, hStream: Any) -> tuple[Any, ...]:
        if type(dstPitch) is not int or dstPitch >> 64:
            dstPitch = _size_t(dstPitch)
        if type(ui) is not int or ui >> 32:
            ui = _unsigned_int(ui)
        if type(Width) is not int or Width >> 64:
            Width = _size_t(Width)
        if type(Height) is not int or Height >> 64:
            Height = _size_t(Height)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemsetD2D32Async(self._callers[_own.number].call, dstDevice, dstPitch, ui, Width, Height, hStream)
        return _answers0[code]

    def cuMemsetD2D8(self, dstDevice: Any, dstPitch: Any, uc: Any, Width: Any, Height: Any) -> tuple[Any, ...]:
        if type(dstPitch) is not int or dstPitch >> 64:
            dstPitch = _size_t(dstPitch)
        if type(uc) is not int or uc >> 8:
            uc = _unsigned_char(uc)
        if type(Width) is not int or Width >> 64:
            Width = _size_t(Width)
        if type(Height) is not int or Height >> 64:
            Height = _size_t(Height)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemsetD2D8(self._callers[_own.number].call, dstDevice, dstPitch, uc, Width, Height)
        return _answers0[code]

    def cuMemsetD2D8Async(self, dstDevice: Any, dstPitch: Any, uc: Any, Width: Any, Height: Any, hStream: Any) -> tuple[Any, ...]:
        if type(dstPitch) is not int or dstPitch >> 64:
            dstPitch = _size_t(dstPitch)
        if type(uc) is not int or uc >> 8:
            uc = _unsigned_char(uc)
        if type(Width) is not int or Width >> 64:
            Width = _size_t(Width)
        if type(Height) is not int or Height >> 64:
            Height = _size_t(Height)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemsetD2D8Async(self._callers[_own.number].call, dstDevice, dstPitch, uc, Width, Height, hStream)
        return _answers0[code]

    def cuMemsetD32(self, dstDevice: Any, ui: Any, N: Any) -> tuple[Any, ...]:
        if type(ui) is not int or ui >> 32:
            ui = _unsigned_int(ui)
        if type(N) is not int or N >> 64:
            N = _size_t(N)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemsetD32(self._callers[_own.number].call, dstDevice, ui, N)
        return _answers0[code]

    def cuMemsetD32Async(self, dstDevice: Any, ui: Any, N: Any, hStream: Any) -> tuple[Any, ...]:
        if type(ui) is not int or ui >> 32:
            ui = _unsigned_int(ui)
        if type(N) is not int or N >> 64:
            N = _size_t(N)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemsetD32Async(self._callers[_own.number].call, dstDevice, ui, N, hStream)
        return _answers0[code]

    def cuMemsetD8(self, dstDevice: Any, uc: Any, N: Any) -> tuple[Any, ...]:
        if type(uc) is not int or uc >> 8:
            uc = _unsigned_char(uc)
        if type(N) is not int or N >> 64:
            N = _size_t(N)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemsetD8(self._callers[_own.number].call, dstDevice, uc, N)
        return _answers0[code]

    def cuMemsetD8Async(self, dstDevice: Any, uc: Any, N: Any, hStream: Any) -> tuple[Any, ...]:
        if type(uc) is not int or uc >> 8:
            uc = _unsigned_char(uc)
        if type(N) is not int or N >> 64:
            N = _size_t(N)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        dstDevice = int(dstDevice) if type(dstDevice) is CUdeviceptr else dstDevice if type(dstDevice) is int and not dstDevice >> 64 else _handle(dstDevice)
        code, _ = _cuMemsetD8Async(self._callers[_own.number].call, dstDevice, uc, N, hStream)
        return _answers0[code]

    def cuMipmappedArrayCreate(self, pMipmappedArrayDesc: Any, numMipmapLevels: Any) -> tuple[Any, ...]:
        if type(numMipmapLevels) is not int or numMipmapLevels >> 32:
            numMipmapLevels = _unsigned_int(numMipmapLevels)
        if pMipmappedArrayDesc is not None and not isinstance(pMipmappedArrayDesc, CUDA_ARRAY3D_DESCRIPTOR):
            raise _wrong_type(pMipmappedArrayDesc, "pMipmappedArrayDesc", CUDA_ARRAY3D_DESCRIPTOR)
        pMipmappedArrayDesc = None if pMipmappedArrayDesc is None else _CUDA_ARRAY3D_DESCRIPTOR_plain(pMipmappedArrayDesc)
        code, out = _cuMipmappedArrayCreate(self._callers[_own.number].call, pMipmappedArrayDesc, numMipmapLevels)
        if code:
            return _answers1[code]
        return SUCCESS, CUmipmappedArray(out)

    def cuMipmappedArrayDestroy(self, hMipmappedArray: Any) -> tuple[Any, ...]:
        hMipmappedArray = int(hMipmappedArray) if type(hMipmappedArray) is CUmipmappedArray else hMipmappedArray if type(hMipmappedArray) is int and not hMipmappedArray >> 64 else _handle(hMipmappedArray)
        code, _ = _cuMipmappedArrayDestroy(self._callers[_own.number].call, hMipmappedArray)
        return _answers0[code]

    def cuMipmappedArrayGetLevel(self, hMipmappedArray: Any, level: Any) -> tuple[Any, ...]:
        if type(level) is not int or level >> 32:
            level = _unsigned_int(level)
        hMipmappedArray = int(hMipmappedArray) if type(hMipmappedArray) is CUmipmappedArray else hMipmappedArray if type(hMipmappedArray) is int and not hMipmappedArray >> 64 else _handle(hMipmappedArray)
        code, out = _cuMipmappedArrayGetLevel(self._callers[_own.number].call, hMipmappedArray, level)
        if code:
            return _answers1[code]
        return SUCCESS, CUarray(out)

    def cuMipmappedArrayGetMemoryRequirements(self, mipmap: Any, device: Any) -> tuple[Any, ...]:
        device = int(device) if type(device) is CUdevice else _device(device)
        mipmap = int(mipmap) if type(mipmap) is CUmipmappedArray else mipmap if type(mipmap) is int and not mipmap >> 64 else _handle(mipmap)
        code, out = _cuMipmappedArrayGetMemoryRequirements(self._callers[_own.number].call, mipmap, device)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_ARRAY_MEMORY_REQUIREMENTS_made(out)

    def cuMipmappedArrayGetSparseProperties(self, mipmap: Any) -> tuple[Any, ...]:
        mipmap = int(mipmap) if type(mipmap) is CUmipmappedArray else mipmap if type(mipmap) is int and not mipmap >> 64 else _handle(mipmap)
        code, out = _cuMipmappedArrayGetSparseProperties(self._callers[_own.number].call, mipmap)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_ARRAY_SPARSE_PROPERTIES_made(out)

    def cuModuleEnumerateFunctions(self, numFunctions: Any, mod: Any) -> tuple[Any, ...]:
        if type(numFunctions) is not int or numFunctions >> 32:
            numFunctions = _unsigned_int(numFunctions)
        mod = int(mod) if type(mod) is CUmodule else mod if type(mod) is int and not mod >> 64 else _handle(mod)
        call = self._callers[_own.number].call
        if not numFunctions:
            call = call.without(frozenset({"functions"}))
        code, out = _cuModuleEnumerateFunctions(call, numFunctions, mod)
        if code:
            return _answers1[code]
        return SUCCESS, [CUfunction(one) for one in out]

    def cuModuleGetFunction(self, hmod: Any, name: Any) -> tuple[Any, ...]:
        name = _text(name)
        hmod = int(hmod) if type(hmod) is CUmodule else hmod if type(hmod) is int and not hmod >> 64 else _handle(hmod)
        code, out = _cuModuleGetFunction(self._callers[_own.number].call, hmod, name)
        if code:
            return _answers1[code]
        return SUCCESS, CUfunction(out)

    def cuModuleGetFunctionCount(self, mod: Any) -> tuple[Any, ...]:
        mod = int(mod) if type(mod) is CUmodule else mod if type(mod) is int and not mod >> 64 else _handle(mod)
        code, out = _cuModuleGetFunctionCount(self._callers[_own.number].call, mod)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuModuleGetGlobal(self, hmod: Any, name: Any) -> tuple[Any, ...]:
        name = _text(name)
        hmod = int(hmod) if type(hmod) is CUmodule else hmod if type(hmod) is int and not hmod >> 64 else _handle(hmod)
        code, out = _cuModuleGetGlobal(self._callers[_own.number].call, hmod, name)
        if code:
            return _answers2[code]
        dptr, bytes = out
        return SUCCESS, CUdeviceptr(dptr), bytes

    def cuModuleGetLoadingMode(self) -> tuple[Any, ...]:
        code, out = _cuModuleGetLoadingMode(self._callers[_own.number].call)
        if code:
            return _answers1[code]
        return SUCCESS, CUmoduleLoadingMode(out)

    def cuModuleGetSurfRef(self, hmod: Any, name: Any) -> tuple[Any, ...]:
        name = _text(name)
        hmod = int(hmod) if type(hmod) is CUmodule else hmod if type(hmod) is int and not hmod >> 64 else _handle(hmod)
        code, out = _cuModuleGetSurfRef(self._callers[_own.number].call, hmod, name)
        if code:
            return _answers1[code]
        return SUCCESS, CUsurfref(out)

    def cuModuleGetTexRef(self, hmod: Any, name: Any) -> tuple[Any, ...]:
        name = _text(name)
        hmod = int(hmod) if type(hmod) is CUmodule else hmod if type(hmod) is int and not hmod >> 64 else _handle(hmod)
        code, out = _cuModuleGetTexRef(self._callers[_own.number].call, hmod, name)
        if code:
            return _answers1[code]
        return SUCCESS, CUtexref(out)

    def cuModuleLoad(self, fname: Any) -> tuple[Any, ...]:
        fname = _text(fname)
        code, out = _cuModuleLoad(self._callers[_own.number].call, fname)
        if code:
            return _answers1[code]
        return SUCCESS, CUmodule(out)

    def cuModuleLoadData(self, image: Any) -> tuple[Any, ...]:
        if type(image) is not bytes:
            image, held_image = _host(image)
        image = _image(image)
        code, out = _cuModuleLoadData(self._callers[_own.number].call, image)
        if code:
            return _answers1[code]
        return SUCCESS, CUmodule(out)

    def cuModuleLoadDataEx(self, image: Any, numOptions: Any, options: Any, optionValues: Any) -> tuple[Any, ...]:
        if type(numOptions) is not int or numOptions >> 32:
            numOptions = _unsigned_int(numOptions)
        options = _enums(options, "options", CUjit_option)
        if type(image) is not bytes:
            image, held_image = _host(image)
        options, optionValues, held_optionValues = _options(options, optionValues, numOptions)
        image = _image(image)
        code, out = _cuModuleLoadDataEx(self._callers[_own.number].call, image, numOptions, options, optionValues)
        if code:
            return _answers1[code]
        return SUCCESS, CUmodule(out)

    def cuModuleLoadFatBinary(self, fatCubin: Any) -> tuple[Any, ...]:
        if type(fatCubin) is not bytes:
            fatCubin, held_fatCubin = _host(fatCubin)
        fatCubin = _image(fatCubin)
        code, out = _cuModuleLoadFatBinary(self._callers[_own.number].call, fatCubin)
        if code:
            return _answers1[code]
        return SUCCESS, CUmodule(out)

    def cuModuleUnload(self, hmod: Any) -> tuple[Any, ...]:
        hmod = int(hmod) if type(hmod) is CUmodule else hmod if type(hmod) is int and not hmod >> 64 else _handle(hmod)
        code, _ = _cuModuleUnload(self._callers[_own.number].call, hmod)
        return _answers0[code]

    def cuMulticastAddDevice(self, mcHandle: Any, dev: Any) -> tuple[Any, ...]:
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        mcHandle = int(mcHandle) if type(mcHandle) is CUmemGenericAllocationHandle else mcHandle if type(mcHandle) is int and not mcHandle >> 64 else _handle(mcHandle)
        code, _ = _cuMulticastAddDevice(self._callers[_own.number].call, mcHandle, dev)
        return _answers0[code]

    def cuMulticastBindAddr(self, mcHandle: Any, mcOffset: Any, memptr: Any, size: Any, flags: Any) -> tuple[Any, ...]:
        if type(mcOffset) is not int or mcOffset >> 64:
            mcOffset = _size_t(mcOffset)
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        memptr = int(memptr) if type(memptr) is CUdeviceptr else memptr if type(memptr) is int and not memptr >> 64 else _handle(memptr)
        mcHandle = int(mcHandle) if type(mcHandle) is CUmemGenericAllocationHandle else mcHandle if type(mcHandle) is int and not mcHandle >> 64 else _handle(mcHandle)
        code, _ = _cuMulticastBindAddr(self._callers[_own.number].call, mcHandle, mcOffset, memptr, size, flags)
        return _answers0[code]

    def cuMulticastBindMem(self, mcHandle: Any, mcOffset: Any, memHandle: Any, memOffset: Any, size: Any, flags: Any) -> tuple[Any, ...]:
        if type(mcOffset) is not int or mcOffset >> 64:
            mcOffset = _size_t(mcOffset)
        if type(memOffset) is not int or memOffset >> 64:
            memOffset = _size_t(memOffset)
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        if type(flags) is not int or flags >> 64:
            flags = _unsigned_long_long(flags)
        memHandle = int(memHandle) if type(memHandle) is CUmemGenericAllocationHandle else memHandle if type(memHandle) is int and not memHandle >> 64 else _handle(memHandle)
        mcHandle = int(mcHandle) if type(mcHandle) is CUmemGenericAllocationHandle else mcHandle if type(mcHandle) is int and not mcHandle >> 64 else _handle(mcHandle)
        code, _ = _cuMulticastBindMem(self._callers[_own.number].call, mcHandle, mcOffset, memHandle, memOffset, size, flags)
        return _answers0[code]

    def cuMulticastCreate(self, prop: Any) -> tuple[Any, ...]:
        if prop is not None and not isinstance(prop, CUmulticastObjectProp):
            raise _wrong_type(prop, "prop", CUmulticastObjectProp)
        prop = None if prop is None else _CUmulticastObjectProp_plain(prop)
        code, out = _cuMulticastCreate(self._callers[_own.number].call, prop)
        if code:
            return _answers1[code]
        return SUCCESS, CUmemGenericAllocationHandle(out)

    def cuMulticastGetGranularity(self, prop: Any, option: Any) -> tuple[Any, ...]:
        if prop is not None and not isinstance(prop, CUmulticastObjectProp):
            raise _wrong_type(prop, "prop", CUmulticastObjectProp)
        if option is None:
            _given(option, "option")
        prop = None if prop is None else _CUmulticastObjectProp_plain(prop)
        option = +option if type(option) is CUmulticastGranularity_flags else _CUmulticastGranularity_flags(option)
        code, out = _cuMulticastGetGranularity(self._callers[_own.number].call, prop, option)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuMulticastUnbind(self, mcHandle: Any, dev: Any, mcOffset: Any, size: Any) -> tuple[Any, ...]:
        if type(mcOffset) is not int or mcOffset >> 64:
            mcOffset = _size_t(mcOffset)
        if type(size) is not int or size >> 64:
            size = _size_t(size)
        dev = int(dev) if type(dev) is CUdevice else _device(dev)
        mcHandle = int(mcHandle) if type(mcHandle) is CUmemGenericAllocationHandle else mcHandle if type(mcHandle) is int and not mcHandle >> 64 else _handle(mcHandle)
        code, _ = _cuMulticastUnbind(self._callers[_own.number].call, mcHandle, dev, mcOffset, size)
        return _answers0[code]

    def cuOccupancyAvailableDynamicSMemPerBlock(self, func: Any, numBlocks: Any, blockSize: Any) -> tuple[Any, ...]:
        if type(numBlocks) is not int or (numBlocks + 0x80000000) >> 32:
            numBlocks = _signed(numBlocks)
        if type(blockSize) is not int or (blockSize + 0x80000000) >> 32:
            blockSize = _signed(blockSize)
        func = int(func) if type(func) is CUfunction else func if type(func) is int and not func >> 64 else _handle(func)
        code, out = _cuOccupancyAvailableDynamicSMemPerBlock(self._callers[_own.number].call, func, numBlocks, blockSize)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuOccupancyMaxActiveBlocksPerMultiprocessor(self, func: Any, blockSize: Any, dynamicSMemSize: Any) -> tuple[Any, ...]:
        if type(blockSize) is not int or (blockSize + 0x80000000) >> 32:
            blockSize = _signed(blockSize)
        if type(dynamicSMemSize) is not int or dynamicSMemSize >> 64:
            dynamicSMemSize = _size_t(dynamicSMemSize)
        func = int(func) if type(func) is CUfunction else func if type(func) is int and not func >> 64 else _handle(func)
        code, out = _cuOccupancyMaxActiveBlocksPerMultiprocessor(self._callers[_own.number].call, func, blockSize, dynamicSMemSize)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(self, func: Any, blockSize: Any, dynamicSMemSize: Any, flags: Any) -> tuple[Any, ...]:
        if type(blockSize) is not int or (blockSize + 0x80000000) >> 32:
            blockSize = _signed(blockSize)
        if type(dynamicSMemSize) is not int or dynamicSMemSize >> 64:
            dynamicSMemSize = _size_t(dynamicSMemSize)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        func = int(func) if type(func) is CUfunction else func if type(func) is int and not func >> 64 else _handle(func)
        code, out = _cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(self._callers[_own.number].call, func, blockSize, dynamicSMemSize, flags)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuOccupancyMaxActiveClusters(self, func: Any, config: Any) -> tuple[Any, ...]:
        if config is not None and not isinstance(config, CUlaunchConfig):
            raise _wrong_type(config, "config", CUlaunchConfig)
        func = int(func) if type(func) is CUfunction else func if type(func) is int and not func >> 64 else _handle(func)
        config = None if config is None else _CUlaunchConfig_plain(config)
        code, out = _cuOccupancyMaxActiveClusters(self._callers[_own.number].call, func, config)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuOccupancyMaxPotentialBlockSize(self, func: Any, blockSizeToDynamicSMemSize: Any, dynamicSMemSize: Any, blockSizeLimit: Any) -> tuple[Any, ...]:
        if type(dynamicSMemSize) is not int or dynamicSMemSize >> 64:
            dynamicSMemSize = _size_t(dynamicSMemSize)
        if type(blockSizeLimit) is not int or (blockSizeLimit + 0x80000000) >> 32:
            blockSizeLimit = _signed(blockSizeLimit)
        blockSizeToDynamicSMemSize = int(blockSizeToDynamicSMemSize) if type(blockSizeToDynamicSMemSize) is CUoccupancyB2DSize else blockSizeToDynamicSMemSize if type(blockSizeToDynamicSMemSize) is int and not blockSizeToDynamicSMemSize >> 64 else _handle(blockSizeToDynamicSMemSize)
        func = int(func) if type(func) is CUfunction else func if type(func) is int and not func >> 64 else _handle(func)
        code, out = _cuOccupancyMaxPotentialBlockSize(self._callers[_own.number].call, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit)
        if code:
            return _answers2[code]
        minGridSize, blockSize = out
        return SUCCESS, minGridSize, blockSize

    def cuOccupancyMaxPotentialBlockSizeWithFlags(self, func: Any, blockSizeToDynamicSMemSize: Any, dynamicSMemSize: Any, blockSizeLimit: Any, flags: Any) -> tuple[Any, ...]:
        if type(dynamicSMemSize) is not int or dynamicSMemSize >> 64:
            dynamicSMemSize = _size_t(dynamicSMemSize)
        if type(blockSizeLimit) is not int or (blockSizeLimit + 0x80000000) >> 32:
            blockSizeLimit = _signed(blockSizeLimit)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        blockSizeToDynamicSMemSize = int(blockSizeToDynamicSMemSize) if type(blockSizeToDynamicSMemSize) is CUoccupancyB2DSize else blockSizeToDynamicSMemSize if type(blockSizeToDynamicSMemSize) is int and not blockSizeToDynamicSMemSize >> 64 else _handle(blockSizeToDynamicSMemSize)
        func = int(func) if type(func) is CUfunction else func if type(func) is int and not func >> 64 else _handle(func)
        code, out = _cuOccupancyMaxPotentialBlockSizeWithFlags(self._callers[_own.number].call, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit, flags)
        if code:
            return _answers2[code]
        minGridSize, blockSize = out
        return SUCCESS, minGridSize, blockSize

    def cuOccupancyMaxPotentialClusterSize(self, func: Any, config: Any) -> tuple[Any, ...]:
        if config is not None and not isinstance(config, CUlaunchConfig):
            raise _wrong_type(config, "config", CUlaunchConfig)
        func = int(func) if type(func) is CUfunction else func if type(func) is int and not func >> 64 else _handle(func)
        config = None if config is None else _CUlaunchConfig_plain(config)
        code, out = _cuOccupancyMaxPotentialClusterSize(self._callers[_own.number].call, func, config)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuPointerGetAttribute(self, attribute: Any, ptr: Any) -> tuple[Any, ...]:
        if attribute is None:
            _given(attribute, "attribute")
        ptr = int(ptr) if type(ptr) is CUdeviceptr else ptr if type(ptr) is int and not ptr >> 64 else _handle(ptr)
        attribute = +attribute if type(attribute) is CUpointer_attribute and attribute in _CUpointer_attribute_known else _CUpointer_attribute_by_value(attribute)
        code, out = _cuPointerGetAttribute(self._callers[_own.number].call, attribute, ptr)
        if code:
            return _answers1[code]
        return SUCCESS, _pointer_value(attribute, out)

    def cuPointerGetAttributes(self, numAttributes: Any, attributes: Any, ptr: Any) -> tuple[Any, ...]:
        if type(numAttributes) is not int or numAttributes >> 32:
            numAttributes = _unsigned_int(numAttributes)
        ptr = int(ptr) if type(ptr) is CUdeviceptr else ptr if type(ptr) is int and not ptr >> 64 else _handle(ptr)
        attributes = _enums(attributes, "attributes", CUpointer_attribute)
        attributes = _CUpointer_attribute_whole(attributes, numAttributes)
        code, out = _cuPointerGetAttributes(self._callers[_own.number].call, numAttributes, attributes, ptr)
        if code:
            return _answers1[code]
        return SUCCESS, _pointer_values(attributes, out)

    def cuPointerSetAttribute(self, value: Any, attribute: Any, ptr: Any) -> tuple[Any, ...]:
        if attribute is None:
            _given(attribute, "attribute")
        ptr = int(ptr) if type(ptr) is CUdeviceptr else ptr if type(ptr) is int and not ptr >> 64 else _handle(ptr)
        value = _word(value, attribute, _CUpointer_attribute_known)
        attribute = +attribute if type(attribute) is CUpointer_attribute and attribute in _CUpointer_attribute_known else _CUpointer_attribute_by_value(attribute)
        code, _ = _cuPointerSetAttribute(self._callers[_own.number].call, value, attribute, ptr)
        return _answers0[code]

    def cuProfilerStart(self) -> tuple[Any, ...]:
        code, _ = _cuProfilerStart(self._callers[_own.number].call)
        return _answers0[code]

    def cuProfilerStop(self) -> tuple[Any, ...]:
        code, _ = _cuProfilerStop(self._callers[_own.number].call)
        return _answers0[code]

    def cuStreamAddCallback(self, hStream: Any, callback: Any, userData: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        callback = (int(callback) if type(callback) is CUstreamCallback else callback if type(callback) is int and not callback >> 64 else _handle(callback)) or CALLS_NULL
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        if type(userData) is not int or userData >> 64:
            userData, held_userData = _host(userData)
        code, _ = _cuStreamAddCallback(self._callers[_own.number].call, hStream, callback, userData, flags)
        return _answers0[code]

    def cuStreamAttachMemAsync(self, hStream: Any, dptr: Any, length: Any, flags: Any) -> tuple[Any, ...]:
        if type(length) is not int or length >> 64:
            length = _size_t(length)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        dptr = int(dptr) if type(dptr) is CUdeviceptr else dptr if type(dptr) is int and not dptr >> 64 else _handle(dptr)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, _ = _cuStreamAttachMemAsync(self._callers[_own.number].call, hStream, dptr, length, flags)
        return _answers0[code]

    def cuStreamBatchMemOp(self, stream: Any, count: Any, paramArray: Any, flags: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        paramArray = _structs(paramArray, "paramArray", CUstreamBatchMemOpParams)
        stream = int(stream) if type(stream) is CUstream else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        paramArray = _counted(paramArray, count, _CUstreamBatchMemOpParams_plain)
        code, _ = _cuStreamBatchMemOp(self._callers[_own.number].call, stream, count, paramArray, flags)
        return _answers0[code]

    def cuStreamBeginCapture(self, hStream: Any, mode: Any) -> tuple[Any, ...]:
        if mode is None:
            _given(mode, "mode")
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        mode = +mode if type(mode) is CUstreamCaptureMode else _CUstreamCaptureMode(mode)
        code, _ = _cuStreamBeginCapture(self._callers[_own.number].call, hStream, mode)
        return _answers0[code]

    def cuStreamBeginCaptureToGraph(self, hStream: Any, hGraph: Any, dependencies: Any, dependencyData: Any, numDependencies: Any, mode: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if mode is None:
            _given(mode, "mode")
        dependencyData = _structs(dependencyData, "dependencyData", CUgraphEdgeData)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hGraph = int(hGraph) if type(hGraph) is CUgraph else hGraph if type(hGraph) is int and not hGraph >> 64 else _handle(hGraph)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        dependencies = _plain_pointers(dependencies, numDependencies)
        dependencyData = _counted(dependencyData, len(dependencyData), _CUgraphEdgeData_plain)
        mode = +mode if type(mode) is CUstreamCaptureMode else _CUstreamCaptureMode(mode)
        code, _ = _cuStreamBeginCaptureToGraph(self._callers[_own.number].call, hStream, hGraph, dependencies, dependencyData, numDependencies, mode)
        return _answers0[code]

    def cuStreamCopyAttributes(self, dst: Any, src: Any) -> tuple[Any, ...]:
        src = int(src) if type(src) is CUstream else src if type(src) is int and not src >> 64 else _handle(src)
        dst = int(dst) if type(dst) is CUstream else dst if type(dst) is int and not dst >> 64 else _handle(dst)
        code, _ = _cuStreamCopyAttributes(self._callers[_own.number].call, dst, src)
        return _answers0[code]

    def cuStreamCreate(self, Flags: Any) -> tuple[Any, ...]:
        if type(Flags) is not int or Flags >> 32:
            Flags = _unsigned_int(Flags)
        code, out = _cuStreamCreate(self._callers[_own.number].call, Flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUstream(out)

    def cuStreamCreateWithPriority(self, flags: Any, priority: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        if type(priority) is not int or (priority + 0x80000000) >> 32:
            priority = _signed(priority)
        code, out = _cuStreamCreateWithPriority(self._callers[_own.number].call, flags, priority)
        if code:
            return _answers1[code]
        return SUCCESS, CUstream(out)

    def cuStreamDestroy(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, _ = _cuStreamDestroy(self._callers[_own.number].call, hStream)
        return _answers0[code]

    def cuStreamEndCapture(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cuStreamEndCapture(self._callers[_own.number].call, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, CUgraph(out)

    def cuStreamGetAttribute(self, hStream: Any, attr: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        attr = +attr if type(attr) is CUstreamAttrID else _CUstreamAttrID(attr)
        code, out = _cuStreamGetAttribute(self._callers[_own.number].call, hStream, attr)
        if code:
            return _answers1[code]
        return SUCCESS, _stream_value_made(CUstreamAttrValue, attr, out)

    def cuStreamGetCaptureInfo(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cuStreamGetCaptureInfo(self._callers[_own.number].call, hStream)
        if code:
            return _answers6[code]
        captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out, numDependencies_out = out
        return SUCCESS, CUstreamCaptureStatus(captureStatus_out), cuuint64_t(id_out), CUgraph(graph_out), [CUgraphNode(one) for one in dependencies_out], [_CUgraphEdgeData_made(one) for one in edgeData_out], numDependencies_out

    def cuStreamGetCtx(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cuStreamGetCtx(self._callers[_own.number].call, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, CUcontext(out)

    def cuStreamGetDevice(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cuStreamGetDevice(self._callers[_own.number].call, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, CUdevice(out)

    def cuStreamGetFlags(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cuStreamGetFlags(self._callers[_own.number].call, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuStreamGetId(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cuStreamGetId(self._callers[_own.number].call, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuStreamGetPriority(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cuStreamGetPriority(self._callers[_own.number].call, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, out

    def cuStreamIsCapturing(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, out = _cuStreamIsCapturing(self._callers[_own.number].call, hStream)
        if code:
            return _answers1[code]
        return SUCCESS, CUstreamCaptureStatus(out)

    def cuStreamQuery(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, _ = _cuStreamQuery(self._callers[_own.number].call, hStream)
        return _answers0[code]

    def cuStreamSetAttribute(self, hStream: Any, attr: Any, value: Any) -> tuple[Any, ...]:
        if attr is None:
            _given(attr, "attr")
        if value is not None and not isinstance(value, CUstreamAttrValue):
            raise _wrong_type(value, "value", CUstreamAttrValue)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        attr = +attr if type(attr) is CUstreamAttrID else _CUstreamAttrID(attr)
        value = None if value is None else _stream_value(value, attr)
        code, _ = _cuStreamSetAttribute(self._callers[_own.number].call, hStream, attr, value)
        return _answers0[code]

    def cuStreamSynchronize(self, hStream: Any) -> tuple[Any, ...]:
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, _ = _cuStreamSynchronize(self._callers[_own.number].call, hStream)
        return _answers0[code]

    def cuStreamUpdateCaptureDependencies(self, hStream: Any, dependencies: Any, dependencyData: Any, numDependencies: Any, flags: Any) -> tuple[Any, ...]:
        if type(numDependencies) is not int or numDependencies >> 64:
            numDependencies = _size_t(numDependencies)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        dependencyData = _structs(dependencyData, "dependencyData", CUgraphEdgeData)
        dependencies = _structs(dependencies, "dependencies", CUgraphNode)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        dependencies = _plain_pointers(dependencies, len(dependencies))
        dependencyData = _counted(dependencyData, len(dependencyData), _CUgraphEdgeData_plain)
        code, _ = _cuStreamUpdateCaptureDependencies(self._callers[_own.number].call, hStream, dependencies, dependencyData, numDependencies, flags)
        return _answers0[code]

    def cuStreamWaitEvent(self, hStream: Any, hEvent: Any, Flags: Any) -> tuple[Any, ...]:
        if type(Flags) is not int or Flags >> 32:
            Flags = _unsigned_int(Flags)
        hEvent = int(hEvent) if type(hEvent) is CUevent else hEvent if type(hEvent) is int and not hEvent >> 64 else _handle(hEvent)
        hStream = int(hStream) if type(hStream) is CUstream else hStream if type(hStream) is int and not hStream >> 64 else _handle(hStream)
        code, _ = _cuStreamWaitEvent(self._callers[_own.number].call, hStream, hEvent, Flags)
        return _answers0[code]

    def cuStreamWaitValue32(self, stream: Any, addr: Any, value: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        value = int(value) if type(value) is cuuint32_t else _value32(value)
        addr = int(addr) if type(addr) is CUdeviceptr else addr if type(addr) is int and not addr >> 64 else _handle(addr)
        stream = int(stream) if type(stream) is CUstream else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        code, _ = _cuStreamWaitValue32(self._callers[_own.number].call, stream, addr, value, flags)
        return _answers0[code]

    def cuStreamWaitValue64(self, stream: Any, addr: Any, value: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        value = int(value) if type(value) is cuuint64_t else _flags(value)
        addr = int(addr) if type(addr) is CUdeviceptr else addr if type(addr) is int and not addr >> 64 else _handle(addr)
        stream = int(stream) if type(stream) is CUstream else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        code, _ = _cuStreamWaitValue64(self._callers[_own.number].call, stream, addr, value, flags)
        return _answers0[code]

    def cuStreamWriteValue32(self, stream: Any, addr: Any, value: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        value = int(value) if type(value) is cuuint32_t else _value32(value)
        addr = int(addr) if type(addr) is CUdeviceptr else addr if type(addr) is int and not addr >> 64 else _handle(addr)
        stream = int(stream) if type(stream) is CUstream else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        code, _ = _cuStreamWriteValue32(self._callers[_own.number].call, stream, addr, value, flags)
        return _answers0[code]

    def cuStreamWriteValue64(self, stream: Any, addr: Any, value: Any, flags: Any) -> tuple[Any, ...]:
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        value = int(value) if type(value) is cuuint64_t else _flags(value)
        addr = int(addr) if type(addr) is CUdeviceptr else addr if type(addr) is int and not addr >> 64 else _handle(addr)
        stream = int(stream) if type(stream) is CUstream else stream if type(stream) is int and not stream >> 64 else _handle(stream)
        code, _ = _cuStreamWriteValue64(self._callers[_own.number].call, stream, addr, value, flags)
        return _answers0[code]

    def cuSurfObjectCreate(self, pResDesc: Any) -> tuple[Any, ...]:
        if pResDesc is not None and not isinstance(pResDesc, CUDA_RESOURCE_DESC):
            raise _wrong_type(pResDesc, "pResDesc", CUDA_RESOURCE_DESC)
        pResDesc = None if pResDesc is None else _CUDA_RESOURCE_DESC_plain(pResDesc)
        code, out = _cuSurfObjectCreate(self._callers[_own.number].call, pResDesc)
        if code:
            return _answers1[code]
        return SUCCESS, CUsurfObject(out)

    def cuSurfObjectDestroy(self, surfObject: Any) -> tuple[Any, ...]:
        surfObject = int(surfObject) if type(surfObject) is CUsurfObject else surfObject if type(surfObject) is int and not surfObject >> 64 else _handle(surfObject)
        code, _ = _cuSurfObjectDestroy(self._callers[_own.number].call, surfObject)
        return _answers0[code]

    def cuSurfObjectGetResourceDesc(self, surfObject: Any) -> tuple[Any, ...]:
        surfObject = int(surfObject) if type(surfObject) is CUsurfObject else surfObject if type(surfObject) is int and not surfObject >> 64 else _handle(surfObject)
        code, out = _cuSurfObjectGetResourceDesc(self._callers[_own.number].call, surfObject)
        if code:
            return _answers1[code]
        return SUCCESS, _resource_made(out)

    def cuTensorMapEncodeIm2col(self, tensorDataType: Any, tensorRank: Any, globalAddress: Any, globalDim: Any, globalStrides: Any, pixelBoxLowerCorner: Any, pixelBoxUpperCorner: Any, channelsPerPixel: Any, pixelsPerColumn: Any, elementStrides: Any, interleave: Any, swizzle: Any, l2Promotion: Any, oobFill: Any) -> tuple[Any, ...]:
        if tensorDataType is None:
            _given(tensorDataType, "tensorDataType")
        if interleave is None:
            _given(interleave, "interleave")
        if swizzle is None:
            _given(swizzle, "swizzle")
        if l2Promotion is None:
            _given(l2Promotion, "l2Promotion")
        if oobFill is None:
            _given(oobFill, "oobFill")
        elementStrides = _structs(elementStrides, "elementStrides", cuuint32_t)
        pixelsPerColumn = int(pixelsPerColumn) if type(pixelsPerColumn) is cuuint32_t else _value32(pixelsPerColumn)
        channelsPerPixel = int(channelsPerPixel) if type(channelsPerPixel) is cuuint32_t else _value32(channelsPerPixel)
        _numbers(pixelBoxUpperCorner, "pixelBoxUpperCorner")
        _numbers(pixelBoxLowerCorner, "pixelBoxLowerCorner")
        globalStrides = _structs(globalStrides, "globalStrides", cuuint64_t)
        globalDim = _structs(globalDim, "globalDim", cuuint64_t)
        tensorRank = int(tensorRank) if type(tensorRank) is cuuint32_t else _value32(tensorRank)
        tensorDataType = +tensorDataType if type(tensorDataType) is CUtensorMapDataType else _CUtensorMapDataType(tensorDataType)
        if type(globalAddress) is not int or globalAddress >> 64:
            globalAddress, held_globalAddress = _host(globalAddress)
        globalDim = _plain_pointers(globalDim, len(globalDim))
        globalStrides = _plain_pointers(globalStrides, len(globalStrides))
        pixelBoxLowerCorner = tuple([_signed(one) for one in pixelBoxLowerCorner])
        pixelBoxUpperCorner = tuple([_signed(one) for one in pixelBoxUpperCorner])
        elementStrides = _plain_pointers(elementStrides, len(elementStrides))
        interleave = +interleave if type(interleave) is CUtensorMapInterleave else _CUtensorMapInterleave(interleave)
        swizzle = +swizzle if type(swizzle) is CUtensorMapSwizzle else _CUtensorMapSwizzle(swizzle)
        l2Promotion = +l2Promotion if type(l2Promotion) is CUtensorMapL2promotion else _CUtensorMapL2promotion(l2Promotion)
        oobFill = +oobFill if type(oobFill) is CUtensorMapFloatOOBfill else _CUtensorMapFloatOOBfill(oobFill)
        code, out = _cuTensorMapEncodeIm2col(self._callers[_own.number].call, tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, pixelBoxLowerCorner, pixelBoxUpperCorner, channelsPerPixel, pixelsPerColumn, elementStrides, interleave, swizzle, l2Promotion, oobFill)
        if code:
            return _answers1[code]
        return SUCCESS, _CUtensorMap_made(out)

    def cuTensorMapEncodeIm2colWide(self, tensorDataType: Any, tensorRank: Any, globalAddress: Any, globalDim: Any, globalStrides: Any, pixelBoxLowerCornerWidth: Any, pixelBoxUpperCornerWidth: Any, channelsPerPixel: Any, pixelsPerColumn: Any, elementStrides: Any, interleave: Any, mode: Any, swizzle: Any, l2Promotion: Any, oobFill: Any) -> tuple[Any, ...]:
        if type(pixelBoxLowerCornerWidth) is not int or (pixelBoxLowerCornerWidth + 0x80000000) >> 32:
            pixelBoxLowerCornerWidth = _signed(pixelBoxLowerCornerWidth)
        if type(pixelBoxUpperCornerWidth) is not int or (pixelBoxUpperCornerWidth + 0x80000000) >> 32:
            pixelBoxUpperCornerWidth = _signed(pixelBoxUpperCornerWidth)
        if tensorDataType is None:
            _given(tensorDataType, "tensorDataType")
        if interleave is None:
            _given(interleave, "interleave")
        if mode is None:
            _given(mode, "mode")
        if swizzle is None:
            _given(swizzle, "swizzle")
        if l2Promotion is None:
            _given(l2Promotion, "l2Promotion")
        if oobFill is None:
            _given(oobFill, "oobFill")
        elementStrides = _structs(elementStrides, "elementStrides", cuuint32_t)
        pixelsPerColumn = int(pixelsPerColumn) if type(pixelsPerColumn) is cuuint32_t else _value32(pixelsPerColumn)
        channelsPerPixel = int(channelsPerPixel) if type(channelsPerPixel) is cuuint32_t else _value32(channelsPerPixel)
        globalStrides = _structs(globalStrides, "globalStrides", cuuint64_t)
        globalDim = _structs(globalDim, "globalDim", cuuint64_t)
        tensorRank = int(tensorRank) if type(tensorRank) is cuuint32_t else _value32(tensorRank)
        tensorDataType = +tensorDataType if type(tensorDataType) is CUtensorMapDataType else _CUtensorMapDataType(tensorDataType)
        if type(globalAddress) is not int or globalAddress >> 64:
            globalAddress, held_globalAddress = _host(globalAddress)
        globalDim = _plain_pointers(globalDim, len(globalDim))
        globalStrides = _plain_pointers(globalStrides, len(globalStrides))
        elementStrides = _plain_pointers(elementStrides, len(elementStrides))
        interleave = +interleave if type(interleave) is CUtensorMapInterleave else _CUtensorMapInterleave(interleave)
        mode = +mode if type(mode) is CUtensorMapIm2ColWideMode else _CUtensorMapIm2ColWideMode(mode)
        swizzle = +swizzle if type(swizzle) is CUtensorMapSwizzle else _CUtensorMapSwizzle(swizzle)
        l2Promotion = +l2Promotion if type(l2Promotion) is CUtensorMapL2promotion else _CUtensorMapL2promotion(l2Promotion)
        oobFill = +oobFill if type(oobFill) is CUtensorMapFloatOOBfill else _CUtensorMapFloatOOBfill(oobFill)
        code, out = _cuTensorMapEncodeIm2colWide(self._callers[_own.number].call, tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, pixelBoxLowerCornerWidth, pixelBoxUpperCornerWidth, channelsPerPixel, pixelsPerColumn, elementStrides, interleave, mode, swizzle, l2Promotion, oobFill)
        if code:
            return _answers1[code]
        return SUCCESS, _CUtensorMap_made(out)

    def cuTensorMapEncodeTiled(self, tensorDataType: Any, tensorRank: Any, globalAddress: Any, globalDim: Any, globalStrides: Any, boxDim: Any, elementStrides: Any, interleave: Any, swizzle: Any, l2Promotion: Any, oobFill: Any) -> tuple[Any, ...]:
        if tensorDataType is None:
            _given(tensorDataType, "tensorDataType")
        if interleave is None:
            _given(interleave, "interleave")
        if swizzle is None:
            _given(swizzle, "swizzle")
        if l2Promotion is None:
            _given(l2Promotion, "l2Promotion")
        if oobFill is None:
            _given(oobFill, "oobFill")
        elementStrides = _structs(elementStrides, "elementStrides", cuuint32_t)
        boxDim = _structs(boxDim, "boxDim", cuuint32_t)
        globalStrides = _structs(globalStrides, "globalStrides", cuuint64_t)
        globalDim = _structs(globalDim, "globalDim", cuuint64_t)
        tensorRank = int(tensorRank) if type(tensorRank) is cuuint32_t else _value32(tensorRank)
        tensorDataType = +tensorDataType if type(tensorDataType) is CUtensorMapDataType else _CUtensorMapDataType(tensorDataType)
        if type(globalAddress) is not int or globalAddress >> 64:
            globalAddress, held_globalAddress = _host(globalAddress)
        globalDim = _plain_pointers(globalDim, len(globalDim))
        globalStrides = _plain_pointers(globalStrides, len(globalStrides))
        boxDim = _plain_pointers(boxDim, len(boxDim))
        elementStrides = _plain_pointers(elementStrides, len(elementStrides))
        interleave = +interleave if type(interleave) is CUtensorMapInterleave else _CUtensorMapInterleave(interleave)
        swizzle = +swizzle if type(swizzle) is CUtensorMapSwizzle else _CUtensorMapSwizzle(swizzle)
        l2Promotion = +l2Promotion if type(l2Promotion) is CUtensorMapL2promotion else _CUtensorMapL2promotion(l2Promotion)
        oobFill = +oobFill if type(oobFill) is CUtensorMapFloatOOBfill else _CUtensorMapFloatOOBfill(oobFill)
        code, out = _cuTensorMapEncodeTiled(self._callers[_own.number].call, tensorDataType, tensorRank, globalAddress, globalDim, globalStrides, boxDim, elementStrides, interleave, swizzle, l2Promotion, oobFill)
        if code:
            return _answers1[code]
        return SUCCESS, _CUtensorMap_made(out)

    def cuTensorMapReplaceAddress(self, tensorMap: Any, globalAddress: Any) -> tuple[Any, ...]:
        if tensorMap is not None and not isinstance(tensorMap, CUtensorMap):
            raise _wrong_type(tensorMap, "tensorMap", CUtensorMap)
        tensorMap = 0 if tensorMap is None else tensorMap.getPtr()
        if type(globalAddress) is not int or globalAddress >> 64:
            globalAddress, held_globalAddress = _host(globalAddress)
        code, _ = _cuTensorMapReplaceAddress(self._callers[_own.number].call, tensorMap, globalAddress)
        return _answers0[code]

    def cuTexObjectCreate(self, pResDesc: Any, pTexDesc: Any, pResViewDesc: Any) -> tuple[Any, ...]:
        if pResDesc is not None and not isinstance(pResDesc, CUDA_RESOURCE_DESC):
            raise _wrong_type(pResDesc, "pResDesc", CUDA_RESOURCE_DESC)
        if pTexDesc is not None and not isinstance(pTexDesc, CUDA_TEXTURE_DESC):
            raise _wrong_type(pTexDesc, "pTexDesc", CUDA_TEXTURE_DESC)
        if pResViewDesc is not None and not isinstance(pResViewDesc, CUDA_RESOURCE_VIEW_DESC):
            raise _wrong_type(pResViewDesc, "pResViewDesc", CUDA_RESOURCE_VIEW_DESC)
        pResDesc = None if pResDesc is None else _CUDA_RESOURCE_DESC_plain(pResDesc)
        pTexDesc = None if pTexDesc is None else _CUDA_TEXTURE_DESC_plain(pTexDesc)
        pResViewDesc = None if pResViewDesc is None else _CUDA_RESOURCE_VIEW_DESC_plain(pResViewDesc)
        code, out = _cuTexObjectCreate(self._callers[_own.number].call, pResDesc, pTexDesc, pResViewDesc)
        if code:
            return _answers1[code]
        return SUCCESS, CUtexObject(out)

    def cuTexObjectDestroy(self, texObject: Any) -> tuple[Any, ...]:
        texObject = int(texObject) if type(texObject) is CUtexObject else texObject if type(texObject) is int and not texObject >> 64 else _handle(texObject)
        code, _ = _cuTexObjectDestroy(self._callers[_own.number].call, texObject)
        return _answers0[code]

    def cuTexObjectGetResourceDesc(self, texObject: Any) -> tuple[Any, ...]:
        texObject = int(texObject) if type(texObject) is CUtexObject else texObject if type(texObject) is int and not texObject >> 64 else _handle(texObject)
        code, out = _cuTexObjectGetResourceDesc(self._callers[_own.number].call, texObject)
        if code:
            return _answers1[code]
        return SUCCESS, _resource_made(out)

    def cuTexObjectGetResourceViewDesc(self, texObject: Any) -> tuple[Any, ...]:
        texObject = int(texObject) if type(texObject) is CUtexObject else texObject if type(texObject) is int and not texObject >> 64 else _handle(texObject)
        code, out = _cuTexObjectGetResourceViewDesc(self._callers[_own.number].call, texObject)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_RESOURCE_VIEW_DESC_made(out)

    def cuTexObjectGetTextureDesc(self, texObject: Any) -> tuple[Any, ...]:
        texObject = int(texObject) if type(texObject) is CUtexObject else texObject if type(texObject) is int and not texObject >> 64 else _handle(texObject)
        code, out = _cuTexObjectGetTextureDesc(self._callers[_own.number].call, texObject)
        if code:
            return _answers1[code]
        return SUCCESS, _CUDA_TEXTURE_DESC_made(out)

    def cuThreadExchangeStreamCaptureMode(self, mode: Any) -> tuple[Any, ...]:
        if mode is None:
            _given(mode, "mode")
        mode = +mode if type(mode) is CUstreamCaptureMode else _CUstreamCaptureMode(mode)
        code, out = _cuThreadExchangeStreamCaptureMode(self._callers[_own.number].call, mode)
        if code:
            return _answers1[code]
        return SUCCESS, CUstreamCaptureMode(out & 0xFFFFFFFF)

    def cuUserObjectCreate(self, ptr: Any, destroy: Any, initialRefcount: Any, flags: Any) -> tuple[Any, ...]:
        if type(initialRefcount) is not int or initialRefcount >> 32:
            initialRefcount = _unsigned_int(initialRefcount)
        if type(flags) is not int or flags >> 32:
            flags = _unsigned_int(flags)
        destroy = int(destroy) if type(destroy) is CUhostFn else destroy if type(destroy) is int and not destroy >> 64 else _handle(destroy)
        if type(ptr) is not int or ptr >> 64:
            ptr, held_ptr = _host(ptr)
        code, out = _cuUserObjectCreate(self._callers[_own.number].call, ptr, destroy, initialRefcount, flags)
        if code:
            return _answers1[code]
        return SUCCESS, CUuserObject(out)

    def cuUserObjectRelease(self, object: Any, count: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        object = int(object) if type(object) is CUuserObject else object if type(object) is int and not object >> 64 else _handle(object)
        code, _ = _cuUserObjectRelease(self._callers[_own.number].call, object, count)
        return _answers0[code]

    def cuUserObjectRetain(self, object: Any, count: Any) -> tuple[Any, ...]:
        if type(count) is not int or count >> 32:
            count = _unsigned_int(count)
        object = int(object) if type(object) is CUuserObject else object if type(object) is int and not object >> 64 else _handle(object)
        code, _ = _cuUserObjectRetain(self._callers[_own.number].call, object, count)
        return _answers0[code]
