"""A small world that every modelled call of the runtime API can be made in, and valid arguments for each."""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.library.test_library_get_managed import SHARED
from conformance.kit.kernels import PTX
from fakecuda.reach.bindings.fallback_classes import binding
from fakecuda.reach.bindings.installed import INSTALLED, RULES
from fakecuda.reach.bindings.runtime import MODULE
from fakecuda.spec.runtime import ENUMS
from tests.bindings.world import SIZE, World, code_file

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.reach.process import Process
    from fakecuda.spec.description import Function, Param

POSIX, PINNED, DEVICE, READ_WRITE = 1, 1, 1, 3


class RuntimeWorld:
    """Objects of one process, made through its runtime API.

    Args:
        process: The process.

    Attributes:
        driver: The look-alike of the runtime module, or the module that calls are compared with.
    """

    def __init__(self, process: Process) -> None:
        self.driver = r = process.runtime
        made = World.made
        self.pointer = made(r.cudaMalloc(SIZE))
        self.freed = made(r.cudaMalloc(SIZE))
        self.managed = made(r.cudaMallocManaged(SIZE, 1))
        self.pinned = made(r.cudaHostAlloc(SIZE, 0))
        self.stream = made(r.cudaStreamCreateWithFlags(1))
        self.event = made(r.cudaEventCreateWithFlags(6))
        self.timed = made(r.cudaEventCreate())
        r.cudaEventRecord(self.timed, 0)
        self.ipc = made(r.cudaIpcGetMemHandle(self.pointer))
        self.ipc_event = made(r.cudaIpcGetEventHandle(self.event))
        self.pool = made(r.cudaDeviceGetDefaultMemPool(0))
        self.props = r.cudaMemPoolProps()
        self.props.allocType = r.cudaMemAllocationType(PINNED)
        self.props.handleTypes = r.cudaMemAllocationHandleType(POSIX)
        self.props.location.type = r.cudaMemLocationType(DEVICE)
        self.location = self.props.location
        self.shared_pool = made(r.cudaMemPoolCreate(self.props))
        self.pooled = made(r.cudaMallocFromPoolAsync(SIZE, self.shared_pool, 0))
        posix = self.props.handleTypes
        self.descriptor = made(r.cudaMemPoolExportToShareableHandle(self.shared_pool, posix, 0))
        self.pool_data = made(r.cudaMemPoolExportPointer(self.pooled))
        self.imported_pool = made(r.cudaMemPoolImportFromShareableHandle(self.descriptor, posix, 0))
        self.access = r.cudaMemAccessDesc()
        self.access.location = self.location
        self.access.flags = r.cudaMemAccessFlags(READ_WRITE)
        self.policy = r.cudaStreamAttrValue()
        self.policy.syncPolicy = r.cudaSynchronizationPolicy(2)
        self.attributes = r.cudaMemcpyAttributes()
        self.attributes.srcAccessOrder = r.cudaMemcpySrcAccessOrder(1)
        self.pages = mmap.mmap(-1, 2 * SIZE)
        self.page = ctypes.addressof(ctypes.c_char.from_buffer(self.pages))
        r.cudaHostRegister(self.page + SIZE, SIZE, 0)
        self.function = ctypes.cast(ctypes.CDLL(None)["abs"], ctypes.c_void_p).value
        self.host = ctypes.create_string_buffer(bytes(range(100)), SIZE)
        self.properties = r.cudaDeviceProp()
        self.pitched = made(r.cudaMalloc3D(r.make_cudaExtent(64, 4, 2)))
        self.extent = r.make_cudaExtent(16, 2, 2)
        self.box = r.cudaMemcpy3DParms()
        self.box.srcPtr = self.box.dstPtr = self.pitched
        self.box.kind = r.cudaMemcpyKind(3)
        self.peers = r.cudaMemcpy3DPeerParms()
        self.peers.srcPtr = self.peers.dstPtr = self.pitched

        self.managing = made(r.cudaLibraryLoadData(SHARED, [], [], 0, [], [], 0))
        r.cudaLibraryGetGlobal(self.managing, b"shared")
        self.library = made(r.cudaLibraryLoadData(PTX, [], [], 0, [], [], 0))
        self.kernel = made(r.cudaLibraryGetKernel(self.library, b"store"))
        self._set_up_graphs()
        self._set_up_arrays()

    def _set_up_arrays(self) -> None:
        r, made = self.driver, World.made
        self.channels = r.cudaChannelFormatDesc()
        self.channels.x, self.channels.f = 8, r.cudaChannelFormatKind(1)
        self.array = made(r.cudaMallocArray(self.channels, 64, 16, 0))
        self.mipmapped = made(r.cudaMallocMipmappedArray(self.channels, r.make_cudaExtent(64, 16, 0), 3, 0))
        self.resource, self.sampling, self.view = r.cudaResourceDesc(), r.cudaTextureDesc(), r.cudaResourceViewDesc()
        self.resource.res.array.array = self.array
        self.sampling.maxMipmapLevelClamp = 1.5
        self.view.format, self.view.width, self.view.height = r.cudaResourceViewFormat(1), 64, 16
        self.texture = made(r.cudaCreateTextureObject(self.resource, self.sampling, self.view))
        self.surface = made(r.cudaCreateSurfaceObject(self.resource))

    def _set_up_graphs(self) -> None:
        r, made = self.driver, World.made
        self.graph, self.inner_graph = (made(r.cudaGraphCreate(0)) for _ in range(2))
        self.node = made(r.cudaGraphAddEmptyNode(self.graph, None, 0))
        self.filled, self.called, self.edge = r.cudaMemsetParams(), r.cudaHostNodeParams(), r.cudaGraphEdgeData()
        self.filled.dst, self.filled.elementSize, self.filled.width, self.filled.height = self.pointer, 1, 16, 1
        self.called.fn, self.called.userData = self.function, 0
        self.solid = r.cudaMemcpy3DParms()
        self.solid.srcPtr = self.solid.dstPtr = self.pitched
        self.solid.extent, self.solid.kind = self.extent, r.cudaMemcpyKind(3)
        self.filling = made(r.cudaGraphAddMemsetNode(self.graph, [self.node], 1, self.filled))
        self.copying = made(r.cudaGraphAddMemcpyNode(self.graph, None, 0, self.solid))
        self.calling = made(r.cudaGraphAddHostNode(self.graph, None, 0, self.called))
        self.recording = made(r.cudaGraphAddEventRecordNode(self.graph, None, 0, self.event))
        self.waiting = made(r.cudaGraphAddEventWaitNode(self.graph, None, 0, self.event))
        self.child = made(r.cudaGraphAddChildGraphNode(self.graph, None, 0, self.inner_graph))
        kind = r.cudaMemcpyKind(3)
        self.row = made(r.cudaGraphAddMemcpyNode1D(self.graph, None, 0, self.pointer, self.pointer + 64, 16, kind))
        self.launching = r.cudaKernelNodeParams()
        self.launching.func = int(made(r.cudaLibraryGetKernel(self.library, b"empty")))
        for sides in (self.launching.gridDim, self.launching.blockDim):
            sides.x = sides.y = sides.z = 1
        self.running = made(r.cudaGraphAddKernelNode(self.graph, None, 0, self.launching))
        self.clone = made(r.cudaGraphClone(self.graph))
        self.executable = made(r.cudaGraphInstantiate(self.inner_graph, 0))
        self.whole = made(r.cudaGraphInstantiate(self.graph, 0))
        self.thing = made(r.cudaUserObjectCreate(0, self.function, 2, 1))
        r.cudaGraphRetainUserObject(self.graph, self.thing, 1, 0)
        self.instantiating = r.cudaGraphInstantiateParams()
        self.described = self.attribute_value = None
        if INSTALLED:  # no stand-in has it
            self.attribute_value = r.cudaKernelNodeAttrValue()
            self.described = r.cudaGraphNodeParams()
            self.described.type = r.cudaGraphNodeType.cudaGraphNodeTypeMemset
            self.described.memset.dst, self.described.memset.elementSize = self.pointer, 1
            self.described.memset.width = self.described.memset.height = 1

    def allocation(self) -> Any:
        """Return an allocation on the first device."""
        made = self.driver.cudaMemAllocNodeParams()
        made.poolProps.allocType = self.driver.cudaMemAllocationType(1)
        made.poolProps.location.type = self.driver.cudaMemLocationType(1)
        made.bytesize = 4096
        return made

    def graph_memory(self) -> tuple[Any, int]:
        """Return a node of a new graph that allocates, and the address of the memory."""
        params = self.allocation()
        graph = World.made(self.driver.cudaGraphCreate(0))
        return World.made(self.driver.cudaGraphAddMemAllocNode(graph, None, 0, params)), int(params.dptr)

    def capturing(self) -> Any:
        """Return a new stream, which is captured into the graph."""
        stream = World.made(self.driver.cudaStreamCreateWithFlags(1))
        mode = self.driver.cudaStreamCaptureMode(2)
        (code,) = self.driver.cudaStreamBeginCaptureToGraph(stream, self.graph, None, None, 0, mode)
        assert code == 0, code
        return stream

    def blocked(self) -> Any:
        """Return null in place of a stream: what it is to call is never called."""
        return self.stream


VALID: dict[str, Callable[[RuntimeWorld], tuple[Any, ...]]] = {
    "cudaArrayGetInfo": lambda w: (w.array,),
    "cudaArrayGetMemoryRequirements": lambda w: (w.array, 0),
    "cudaArrayGetPlane": lambda w: (w.array, 0),
    "cudaArrayGetSparseProperties": lambda w: (w.array,),
    "cudaChooseDevice": lambda w: (w.properties,),
    "cudaCtxResetPersistingL2Cache": lambda _: (),
    "cudaDeviceCanAccessPeer": lambda _: (0, 1),
    "cudaDeviceDisablePeerAccess": lambda _: (1,),
    "cudaDeviceEnablePeerAccess": lambda _: (1, 0),
    "cudaDeviceFlushGPUDirectRDMAWrites": lambda w: (
        w.driver.cudaFlushGPUDirectRDMAWritesTarget(0),
        w.driver.cudaFlushGPUDirectRDMAWritesScope(100),
    ),
    "cudaDeviceGetAttribute": lambda w: (w.driver.cudaDeviceAttr(75), 0),
    "cudaDeviceGetByPCIBusId": lambda w: (w.driver.cudaDeviceGetPCIBusId(20, 0)[1],),
    "cudaDeviceGetCacheConfig": lambda _: (),
    "cudaDeviceGetDefaultMemPool": lambda _: (0,),
    "cudaDeviceGetGraphMemAttribute": lambda w: (0, w.driver.cudaGraphMemAttributeType(0)),
    "cudaDeviceGetHostAtomicCapabilities": lambda w: ([w.driver.cudaAtomicOperation(0)], 1, 0),
    "cudaDeviceGetLimit": lambda w: (w.driver.cudaLimit(0),),
    "cudaDeviceGetMemPool": lambda _: (0,),
    "cudaDeviceGetP2PAtomicCapabilities": lambda w: ([w.driver.cudaAtomicOperation(0)], 1, 0, 1),
    "cudaDeviceGetP2PAttribute": lambda w: (w.driver.cudaDeviceP2PAttr(2), 0, 1),
    "cudaDeviceGetPCIBusId": lambda _: (20, 0),
    "cudaDeviceGetSharedMemConfig": lambda _: (),
    "cudaDeviceGetStreamPriorityRange": lambda _: (),
    "cudaDeviceGraphMemTrim": lambda _: (0,),
    "cudaDeviceReset": lambda _: (),
    "cudaDeviceSetCacheConfig": lambda w: (w.driver.cudaFuncCache(1),),
    "cudaDeviceSetGraphMemAttribute": lambda w: (0, w.driver.cudaGraphMemAttributeType(1), binding.cuuint64_t(0)),
    "cudaDeviceSetLimit": lambda w: (w.driver.cudaLimit(0), 2048),
    "cudaDeviceSetMemPool": lambda w: (0, w.pool),
    "cudaDeviceSetSharedMemConfig": lambda w: (w.driver.cudaSharedMemConfig(1),),
    "cudaDeviceSynchronize": lambda _: (),
    "cudaDriverGetVersion": lambda _: (),
    "cudaEventCreate": lambda _: (),
    "cudaEventCreateWithFlags": lambda _: (0,),
    "cudaEventDestroy": lambda w: (w.event,),
    "cudaEventElapsedTime": lambda w: (w.timed, w.timed),
    "cudaEventQuery": lambda w: (w.event,),
    "cudaEventRecord": lambda w: (w.event, 0),
    "cudaEventRecordWithFlags": lambda w: (w.event, 0, 0),
    "cudaEventSynchronize": lambda w: (w.event,),
    "cudaFree": lambda w: (w.freed,),
    "cudaFreeArray": lambda w: (w.array,),
    "cudaFreeAsync": lambda w: (w.pooled, 0),
    "cudaFreeHost": lambda w: (w.pinned,),
    "cudaFreeMipmappedArray": lambda w: (w.mipmapped,),
    "cudaFuncGetAttributes": lambda w: (int(w.kernel),),
    "cudaFuncSetAttribute": lambda w: (int(w.kernel), w.driver.cudaFuncAttribute(8), 1000),
    "cudaFuncSetCacheConfig": lambda w: (int(w.kernel), w.driver.cudaFuncCache(1)),
    "cudaFuncSetSharedMemConfig": lambda w: (int(w.kernel), w.driver.cudaSharedMemConfig(1)),
    "cudaGetChannelDesc": lambda w: (w.array,),
    "cudaGetDevice": lambda _: (),
    "cudaGetDeviceCount": lambda _: (),
    "cudaGetDeviceFlags": lambda _: (),
    "cudaGetDeviceProperties": lambda _: (0,),
    "cudaGetDriverEntryPoint": lambda _: (b"cuMemAlloc", 0),
    "cudaGetDriverEntryPointByVersion": lambda _: (b"cuMemAlloc", 13000, 0),
    "cudaGetErrorName": lambda w: (w.driver.cudaError_t(1),),
    "cudaGetErrorString": lambda w: (w.driver.cudaError_t(1),),
    "cudaGetLastError": lambda _: (),
    "cudaGetMipmappedArrayLevel": lambda w: (w.mipmapped, 1),
    "cudaGraphAddChildGraphNode": lambda w: (w.graph, [w.node], 1, w.inner_graph),
    "cudaGraphAddDependencies": lambda w: (w.graph, [w.node], [w.child], [w.edge], 1),
    "cudaGraphAddEmptyNode": lambda w: (w.graph, [w.node], 1),
    "cudaGraphAddEventRecordNode": lambda w: (w.graph, [w.node], 1, w.event),
    "cudaGraphAddEventWaitNode": lambda w: (w.graph, [w.node], 1, w.event),
    "cudaGraphAddHostNode": lambda w: (w.graph, [w.node], 1, w.called),
    "cudaGraphAddKernelNode": lambda w: (w.graph, [w.node], 1, w.launching),
    "cudaGraphAddMemAllocNode": lambda w: (w.graph, [w.node], 1, w.allocation()),
    "cudaGraphAddMemFreeNode": lambda w: (w.graph, [w.node], 1, w.graph_memory()[1]),
    "cudaGraphAddNode": lambda w: (w.graph, [w.node], [w.edge], 1, w.described),
    "cudaGraphKernelNodeCopyAttributes": lambda w: (w.running, w.running),
    "cudaGraphKernelNodeGetAttribute": lambda w: (w.running, w.driver.cudaKernelNodeAttrID(2)),
    "cudaGraphKernelNodeSetAttribute": lambda w: (w.running, w.driver.cudaKernelNodeAttrID(2), w.attribute_value),
    "cudaGraphNodeSetParams": lambda w: (w.filling, w.described),
    "cudaGraphExecNodeSetParams": lambda w: (w.whole, w.filling, w.described),
    "cudaGraphConditionalHandleCreate": lambda w: (w.graph, 1, 1),
    "cudaGraphConditionalHandleCreate_v2": lambda w: (w.graph, w.driver.cudaExecutionContext_t(0), 1, 1),
    "cudaGraphMemAllocNodeGetParams": lambda w: (w.graph_memory()[0],),
    "cudaGraphMemFreeNodeGetParams": lambda w: (
        World.made(w.driver.cudaGraphAddMemFreeNode(w.graph, None, 0, w.graph_memory()[1])),
    ),
    "cudaMipmappedArrayGetMemoryRequirements": lambda w: (w.mipmapped, 0),
    "cudaMipmappedArrayGetSparseProperties": lambda w: (w.mipmapped,),
    "cudaStreamGetCaptureInfo": lambda w: (w.stream,),
    "cudaThreadExchangeStreamCaptureMode": lambda w: (w.driver.cudaStreamCaptureMode(0),),
    "cudaGraphAddMemcpyNode": lambda w: (w.graph, [w.node], 1, w.solid),
    "cudaGraphAddMemcpyNode1D": lambda w: (
        *(w.graph, [w.node], 1, w.pointer, w.pointer + 64),
        *(16, w.driver.cudaMemcpyKind(3)),
    ),
    "cudaGraphAddMemsetNode": lambda w: (w.graph, [w.node], 1, w.filled),
    "cudaGraphChildGraphNodeGetGraph": lambda w: (w.child,),
    "cudaGraphClone": lambda w: (w.graph,),
    "cudaGraphCreate": lambda _: (0,),
    "cudaGraphDestroy": lambda w: (w.graph,),
    "cudaGraphDestroyNode": lambda w: (w.node,),
    "cudaGraphEventRecordNodeGetEvent": lambda w: (w.recording,),
    "cudaGraphEventRecordNodeSetEvent": lambda w: (w.recording, w.timed),
    "cudaGraphEventWaitNodeGetEvent": lambda w: (w.waiting,),
    "cudaGraphEventWaitNodeSetEvent": lambda w: (w.waiting, w.timed),
    "cudaGraphExecDestroy": lambda w: (w.executable,),
    "cudaGraphHostNodeGetParams": lambda w: (w.calling,),
    "cudaGraphHostNodeSetParams": lambda w: (w.calling, w.called),
    "cudaGraphInstantiate": lambda w: (w.graph, 0),
    "cudaGraphInstantiateWithFlags": lambda w: (w.graph, 0),
    "cudaGraphKernelNodeGetParams": lambda w: (w.running,),
    "cudaGraphKernelNodeSetParams": lambda w: (w.running, w.launching),
    "cudaGraphLaunch": lambda w: (w.executable, w.stream),
    "cudaGraphMemcpyNodeGetParams": lambda w: (w.copying,),
    "cudaGraphMemcpyNodeSetParams": lambda w: (w.copying, w.solid),
    "cudaGraphMemcpyNodeSetParams1D": lambda w: (w.copying, w.pointer, w.pointer + 64, 16, w.driver.cudaMemcpyKind(3)),
    "cudaGraphMemsetNodeGetParams": lambda w: (w.filling,),
    "cudaGraphMemsetNodeSetParams": lambda w: (w.filling, w.filled),
    "cudaGraphNodeFindInClone": lambda w: (w.node, w.clone),
    "cudaGraphNodeGetType": lambda w: (w.calling,),
    "cudaGraphRemoveDependencies": lambda w: (w.graph, [w.node], [w.filling], [w.edge], 1),
    "cudaGraphUpload": lambda w: (w.executable, w.stream),
    "cudaGraphDebugDotPrint": lambda w: (w.graph, b"/dev/null", 1),
    "cudaGraphExecChildGraphNodeSetParams": lambda w: (w.whole, w.child, w.inner_graph),
    "cudaGraphExecEventRecordNodeSetEvent": lambda w: (w.whole, w.recording, w.timed),
    "cudaGraphExecEventWaitNodeSetEvent": lambda w: (w.whole, w.waiting, w.timed),
    "cudaGraphExecGetFlags": lambda w: (w.executable,),
    "cudaGraphExecHostNodeSetParams": lambda w: (w.whole, w.calling, w.called),
    "cudaGraphExecKernelNodeSetParams": lambda w: (w.whole, w.running, w.launching),
    "cudaGraphExecMemcpyNodeSetParams": lambda w: (w.whole, w.copying, w.solid),
    "cudaGraphExecMemcpyNodeSetParams1D": lambda w: (
        *(w.whole, w.row, w.pointer, w.pointer + 64),
        *(16, w.driver.cudaMemcpyKind(3)),
    ),
    "cudaGraphExecMemsetNodeSetParams": lambda w: (w.whole, w.filling, w.filled),
    "cudaGraphExecUpdate": lambda w: (w.whole, w.graph),
    "cudaGraphGetEdges": lambda w: (w.graph, 3),
    "cudaGraphGetNodes": lambda w: (w.graph, 3),
    "cudaGraphGetRootNodes": lambda w: (w.graph, 3),
    "cudaGraphInstantiateWithParams": lambda w: (w.graph, w.instantiating),
    "cudaGraphNodeGetDependencies": lambda w: (w.filling, 3),
    "cudaGraphNodeGetDependentNodes": lambda w: (w.node, 3),
    "cudaGraphNodeGetEnabled": lambda w: (w.whole, w.filling),
    "cudaGraphNodeSetEnabled": lambda w: (w.whole, w.filling, 1),
    "cudaGraphReleaseUserObject": lambda w: (w.graph, w.thing, 1),
    "cudaGraphRetainUserObject": lambda w: (w.graph, w.thing, 1, 0),
    "cudaUserObjectCreate": lambda w: (0, w.function, 1, 1),
    "cudaUserObjectRelease": lambda w: (w.thing, 1),
    "cudaUserObjectRetain": lambda w: (w.thing, 1),
    "cudaHostAlloc": lambda _: (SIZE, 0),
    "cudaHostGetDevicePointer": lambda w: (w.pinned, 0),
    "cudaHostGetFlags": lambda w: (w.pinned,),
    "cudaHostRegister": lambda w: (w.page, SIZE, 0),
    "cudaHostUnregister": lambda w: (w.page + SIZE,),
    "cudaInitDevice": lambda _: (0, 0, 0),
    "cudaIpcCloseMemHandle": lambda w: (w.pointer,),
    "cudaIpcGetEventHandle": lambda w: (w.event,),
    "cudaIpcGetMemHandle": lambda w: (w.pointer,),
    "cudaIpcOpenEventHandle": lambda w: (w.ipc_event,),
    "cudaIpcOpenMemHandle": lambda w: (w.ipc, 1),
    "cudaKernelSetAttributeForDevice": lambda w: (w.kernel, w.driver.cudaFuncAttribute(8), 1000, 0),
    "cudaLaunchHostFunc": lambda w: (w.stream, w.function, 0),
    "cudaLaunchHostFunc_v2": lambda w: (w.stream, w.function, 0, 0),
    "cudaLibraryEnumerateKernels": lambda w: (2, w.library),
    "cudaLibraryGetGlobal": lambda w: (w.library, b"counter"),
    "cudaLibraryGetKernel": lambda w: (w.library, b"empty"),
    "cudaLibraryGetKernelCount": lambda w: (w.library,),
    "cudaLibraryLoadData": lambda _: (PTX, [], [], 0, [], [], 0),
    "cudaLibraryGetManaged": lambda w: (w.managing, b"shared"),
    "cudaLibraryGetUnifiedFunction": lambda w: (w.library, b"empty"),
    "cudaLibraryLoadFromFile": lambda _: (code_file(), [], [], 0, [], [], 0),
    "cudaProfilerStart": lambda _: (),
    "cudaProfilerStop": lambda _: (),
    "cudaCreateSurfaceObject": lambda w: (w.resource,),
    "cudaCreateTextureObject": lambda w: (w.resource, w.sampling, w.view),
    "cudaDestroySurfaceObject": lambda w: (w.surface,),
    "cudaDestroyTextureObject": lambda w: (w.texture,),
    "cudaGetSurfaceObjectResourceDesc": lambda w: (w.surface,),
    "cudaGetTextureObjectResourceDesc": lambda w: (w.texture,),
    "cudaGetTextureObjectResourceViewDesc": lambda w: (w.texture,),
    "cudaGetTextureObjectTextureDesc": lambda w: (w.texture,),
    "cudaDeviceGetTexture1DLinearMaxWidth": lambda w: (w.channels, 0),
    "cudaLibraryUnload": lambda w: (w.library,),
    "cudaMalloc": lambda _: (SIZE,),
    "cudaMalloc3D": lambda w: (w.extent,),
    "cudaMalloc3DArray": lambda w: (w.channels, w.extent, 0),
    "cudaMallocArray": lambda w: (w.channels, 64, 16, 0),
    "cudaMallocAsync": lambda _: (SIZE, 0),
    "cudaMallocFromPoolAsync": lambda w: (SIZE, w.shared_pool, 0),
    "cudaMallocHost": lambda _: (SIZE,),
    "cudaMallocManaged": lambda _: (SIZE, 1),
    "cudaMallocMipmappedArray": lambda w: (w.channels, w.extent, 2, 0),
    "cudaMallocPitch": lambda _: (100, 10),
    "cudaMemAdvise": lambda w: (w.managed, SIZE, w.driver.cudaMemoryAdvise(5), w.location),
    "cudaMemGetDefaultMemPool": lambda w: (w.location, w.props.allocType),
    "cudaMemGetInfo": lambda _: (),
    "cudaMemGetMemPool": lambda w: (w.location, w.props.allocType),
    "cudaMemPoolCreate": lambda w: (w.props,),
    "cudaMemPoolDestroy": lambda w: (w.shared_pool,),
    "cudaMemPoolExportPointer": lambda w: (w.pooled,),
    "cudaMemPoolExportToShareableHandle": lambda w: (w.shared_pool, w.props.handleTypes, 0),
    "cudaMemPoolGetAccess": lambda w: (w.pool, w.location),
    "cudaMemPoolGetAttribute": lambda w: (w.pool, w.driver.cudaMemPoolAttr(4)),
    "cudaMemPoolImportFromShareableHandle": lambda w: (w.descriptor, w.props.handleTypes, 0),
    "cudaMemPoolImportPointer": lambda w: (w.imported_pool, w.pool_data),
    "cudaMemPoolSetAccess": lambda w: (w.pool, [w.access], 1),
    "cudaMemPoolSetAttribute": lambda w: (w.pool, w.driver.cudaMemPoolAttr(1), 1),
    "cudaMemPoolTrimTo": lambda w: (w.pool, 0),
    "cudaMemPrefetchAsync": lambda w: (w.managed, SIZE, w.location, 0, 0),
    "cudaMemDiscardAndPrefetchBatchAsync": lambda w: ([w.managed], [SIZE], 1, [w.location], [0], 1, 0, w.stream),
    "cudaMemDiscardBatchAsync": lambda w: ([w.managed], [SIZE], 1, 0, w.stream),
    "cudaMemPrefetchBatchAsync": lambda w: ([w.managed], [SIZE], 1, [w.location], [0], 1, 0, w.stream),
    "cudaMemRangeGetAttribute": lambda w: (4, w.driver.cudaMemRangeAttribute(1), w.managed, SIZE),
    "cudaMemRangeGetAttributes": lambda w: (
        [4, 4],
        [w.driver.cudaMemRangeAttribute(1), w.driver.cudaMemRangeAttribute(2)],
        2,
        w.managed,
        SIZE,
    ),
    "cudaMemSetMemPool": lambda w: (w.location, w.props.allocType, w.pool),
    "cudaMemcpy": lambda w: (w.pointer, w.pointer, 0, w.driver.cudaMemcpyKind(4)),
    "cudaMemcpy2D": lambda w: (w.pointer, 64, w.pointer, 64, 0, 0, w.driver.cudaMemcpyKind(4)),
    "cudaMemcpy2DArrayToArray": lambda w: (w.array, 0, 0, w.array, 0, 0, 0, 0, w.driver.cudaMemcpyKind(4)),
    "cudaMemcpy2DFromArray": lambda w: (w.pointer, 64, w.array, 0, 0, 0, 0, w.driver.cudaMemcpyKind(4)),
    "cudaMemcpy2DFromArrayAsync": lambda w: (w.pointer, 64, w.array, 0, 0, 0, 0, w.driver.cudaMemcpyKind(4), 0),
    "cudaMemcpy2DToArray": lambda w: (w.array, 0, 0, w.pointer, 64, 0, 0, w.driver.cudaMemcpyKind(4)),
    "cudaMemcpy2DToArrayAsync": lambda w: (w.array, 0, 0, w.pointer, 64, 0, 0, w.driver.cudaMemcpyKind(4), 0),
    "cudaMemcpyArrayToArray": lambda w: (w.array, 0, 0, w.array, 0, 0, 0, w.driver.cudaMemcpyKind(4)),
    "cudaMemcpyFromArray": lambda w: (w.pointer, w.array, 0, 0, 0, w.driver.cudaMemcpyKind(4)),
    "cudaMemcpyFromArrayAsync": lambda w: (w.pointer, w.array, 0, 0, 0, w.driver.cudaMemcpyKind(4), 0),
    "cudaMemcpyToArray": lambda w: (w.array, 0, 0, w.pointer, 0, w.driver.cudaMemcpyKind(4)),
    "cudaMemcpyToArrayAsync": lambda w: (w.array, 0, 0, w.pointer, 0, w.driver.cudaMemcpyKind(4), 0),
    "cudaMemcpy2DAsync": lambda w: (w.pointer, 64, w.pointer, 64, 0, 0, w.driver.cudaMemcpyKind(4), 0),
    "cudaMemcpy3D": lambda w: (w.box,),
    "cudaMemcpy3DAsync": lambda w: (w.box, 0),
    "cudaMemcpy3DPeer": lambda w: (w.peers,),
    "cudaMemcpy3DPeerAsync": lambda w: (w.peers, 0),
    "cudaMemcpyAsync": lambda w: (w.pointer, w.pointer, 0, w.driver.cudaMemcpyKind(4), 0),
    "cudaMemcpyBatchAsync": lambda w: ([w.pointer], [w.pointer], [1], 1, [w.attributes], [0], 1, w.stream),
    "cudaMemcpyPeer": lambda w: (w.pointer, 0, w.pointer, 0, 0),
    "cudaMemcpyPeerAsync": lambda w: (w.pointer, 0, w.pointer, 0, 0, 0),
    "cudaMemcpyWithAttributesAsync": lambda w: (w.pointer, w.pointer + SIZE // 2, 16, w.attributes, w.stream),
    "cudaMemset": lambda w: (w.pointer, 7, SIZE),
    "cudaMemset2D": lambda w: (w.pointer, 64, 7, 32, 4),
    "cudaMemset2DAsync": lambda w: (w.pointer, 64, 7, 32, 4, 0),
    "cudaMemset3D": lambda w: (w.pitched, 7, w.extent),
    "cudaMemset3DAsync": lambda w: (w.pitched, 7, w.extent, 0),
    "cudaMemsetAsync": lambda w: (w.pointer, 7, SIZE, 0),
    "cudaOccupancyAvailableDynamicSMemPerBlock": lambda w: (int(w.kernel), 1, 32),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": lambda w: (int(w.kernel), 32, 0),
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": lambda w: (int(w.kernel), 32, 0, 0),
    "cudaPeekAtLastError": lambda _: (),
    "cudaPointerGetAttributes": lambda w: (w.pointer,),
    "cudaRuntimeGetVersion": lambda _: (),
    "cudaSetDevice": lambda _: (0,),
    "cudaSetDeviceFlags": lambda _: (0,),
    "cudaStreamAddCallback": lambda w: (w.stream, w.function, 0, 0),
    "cudaStreamAttachMemAsync": lambda w: (w.stream, w.managed, 0, 1),
    "cudaStreamBeginCapture": lambda w: (w.stream, w.driver.cudaStreamCaptureMode(2)),
    "cudaStreamBeginCaptureToGraph": lambda w: (w.stream, w.graph, None, None, 0, w.driver.cudaStreamCaptureMode(2)),
    "cudaStreamCopyAttributes": lambda w: (w.stream, 0),
    "cudaStreamCreate": lambda _: (),
    "cudaStreamCreateWithFlags": lambda _: (0,),
    "cudaStreamCreateWithPriority": lambda _: (1, -1),
    "cudaStreamDestroy": lambda w: (w.stream,),
    "cudaStreamEndCapture": lambda w: (w.capturing(),),
    "cudaStreamGetAttribute": lambda w: (w.stream, w.driver.cudaStreamAttrID(1)),
    "cudaStreamGetDevice": lambda w: (w.stream,),
    "cudaStreamGetFlags": lambda w: (w.stream,),
    "cudaStreamGetId": lambda w: (w.stream,),
    "cudaStreamGetPriority": lambda w: (w.stream,),
    "cudaStreamIsCapturing": lambda w: (w.stream,),
    "cudaStreamQuery": lambda w: (w.stream,),
    "cudaStreamSetAttribute": lambda w: (w.stream, w.driver.cudaStreamAttrID(3), w.policy),
    "cudaStreamSynchronize": lambda w: (w.stream,),
    "cudaStreamUpdateCaptureDependencies": lambda w: (w.capturing(), [w.node], [w.edge], 1, 0),
    "cudaStreamWaitEvent": lambda w: (w.stream, w.event, 0),
}
"""Arguments with which each call succeeds; copies copy nothing, so that wrong host addresses are never read."""
LISTS = {"dptrs", "sizes", "prefetchLocs", "prefetchLocIdxs", "opList", "resources", "groupParams"}
COUNTED = {"cudaDevSmResourceSplit", "cudaDevSmResourceSplitByCount"}


def arguments(r: Any, call: Function) -> list[Any]:
    """Return arguments that the binding takes for a call that is not modelled."""
    args = [_argument(r, call, param) for param in call.params if param.keyword]
    if "input_" in MODULE.keywords_of(call):
        args.insert(1, None)
    return args


def _argument(r: Any, call: Function, param: Param) -> Any:
    if param.keyword in LISTS:
        return None if param.keyword in RULES.single_structs else []
    if call.name == "cudaDeviceSetGraphMemAttribute" and param.keyword == "value":
        return binding.cuuint64_t(0)
    if call.name == "cudaThreadExchangeStreamCaptureMode":
        return r.cudaStreamCaptureMode(0)
    if param.keyword == "size":
        return 0
    if param.type == "char":
        return b"x"
    if param.type in ENUMS and not param.pointer:
        return getattr(r, param.type)(next(iter(ENUMS[param.type].values())))
    if param.kind in {"struct", "bytes"} and not param.pointer:
        return getattr(r, param.type)()
    if call.name in COUNTED and param.type in {"size_t", "unsigned int"}:
        return 0
    return None if param.pointer or param.type.startswith("cuda") else 0
