"""A small world that every modelled call can be made in, and valid arguments for each."""

from __future__ import annotations

import atexit
import ctypes
import mmap
import os
import re
import tempfile
from functools import cache
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.library.test_library_get_managed import SHARED
from conformance.kit.kernels import PTX

if TYPE_CHECKING:
    from collections.abc import Callable

SIZE = 4096
DEVICE, PINNED, POSIX, READ_WRITE = 1, 1, 1, 3
DEVICE_MEMORY = 2
FRESH = {
    "CUarray",
    "CUcontext",
    "CUdeviceptr",
    "CUevent",
    "CUfunction",
    "CUgraph",
    "CUgraphExec",
    "CUgraphNode",
    "CUuserObject",
    "CUkernel",
    "CUlibrary",
    "CUlinkState",
    "CUmemGenericAllocationHandle",
    "CUmemoryPool",
    "CUmipmappedArray",
    "CUmodule",
    "CUstream",
    "CUsurfObject",
    "CUtexObject",
}
"""Classes whose values differ between two worlds; they are compared by the order of their first appearance."""
DESCRIPTORS = {"cuMemExportToShareableHandle", "cuMemGetHandleForAddressRange", "cuMemPoolExportToShareableHandle"}
"""Calls that return a new descriptor."""
ADDRESS = re.compile(r"<CU\w+ (\d{9,}|0x[0-9a-f]{8,})>")
"""An address, or a handle, in a struct as it is shown."""
ADDRESSES = {"cuLinkComplete", "cuMemAllocHost", "cuMemHostAlloc"}
"""Calls whose results are addresses as plain ints."""


@cache
def code_file() -> bytes:
    """Return the path of a file of code, which goes at the end."""
    descriptor, path = tempfile.mkstemp(suffix=".ptx")
    os.write(descriptor, PTX)
    os.close(descriptor)
    atexit.register(os.unlink, path)
    return os.fsencode(path)


class World:
    """Objects of one process, made through one driver.

    Args:
        driver: The module or the look-alike of it.

    Attributes:
        driver: The same.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = d = driver
        self.seen: dict[tuple[str, int], int] = {}
        d.cuInit(0)
        self.context = self.made(d.cuDevicePrimaryCtxRetain(0))
        d.cuCtxSetCurrent(self.context)
        self.other = self.made(d.cuCtxCreate(None, 0, 1))
        d.cuCtxPopCurrent()
        self.pointer = self.made(d.cuMemAlloc(SIZE))
        self.prop = d.CUmemAllocationProp()
        self.prop.type = d.CUmemAllocationType(PINNED)
        self.prop.requestedHandleTypes = d.CUmemAllocationHandleType(POSIX)
        self.prop.location.type = d.CUmemLocationType(DEVICE)
        self.granularity = self.made(d.cuMemGetAllocationGranularity(self.prop, d.CUmemAllocationGranularity_flags(0)))
        self.handle = self.made(d.cuMemCreate(self.granularity, self.prop, 0))
        self.range = self.made(d.cuMemAddressReserve(self.granularity, 0, 0, 0))
        self.empty = self.made(d.cuMemAddressReserve(self.granularity, 0, 0, 0))
        d.cuMemMap(self.range, self.granularity, 0, self.handle, 0)
        self.access = d.CUmemAccessDesc()
        self.access.location = self.prop.location
        self.access.flags = d.CUmemAccess_flags(READ_WRITE)
        d.cuMemSetAccess(self.range, self.granularity, [self.access], 1)
        self.descriptor = self.made(d.cuMemExportToShareableHandle(self.handle, d.CUmemAllocationHandleType(POSIX), 0))
        self.ipc = self.made(d.cuIpcGetMemHandle(self.pointer))
        self.event = self.made(d.cuEventCreate(6))
        self.timed = self.made(d.cuEventCreate(0))
        d.cuEventRecord(self.timed, 0)
        self.ipc_event = self.made(d.cuIpcGetEventHandle(self.event))
        self.stream = self.made(d.cuStreamCreate(0))
        self.policy = d.CUstreamAttrValue()
        self.policy.syncPolicy = d.CUsynchronizationPolicy(2)
        self.pinned = self.made(d.cuMemHostAlloc(SIZE, 0))
        self.managed = self.made(d.cuMemAllocManaged(SIZE, 1))
        self.pool = self.made(d.cuDeviceGetDefaultMemPool(0))
        self._set_up_team()
        self._set_up_pools()
        self.pages = mmap.mmap(-1, 2 * SIZE)
        self.page = ctypes.addressof(ctypes.c_char.from_buffer(self.pages))
        d.cuMemHostRegister(self.page + SIZE, SIZE, 0)
        self.function = ctypes.cast(ctypes.CDLL(None)["abs"], ctypes.c_void_p).value
        self.host = ctypes.create_string_buffer(bytes(range(100)), SIZE)
        self._set_up_copies()
        self._set_up_code()
        self._set_up_graphs()
        self._set_up_arrays()

    def _set_up_team(self) -> None:
        d = self.driver
        self.team = d.CUmulticastObjectProp()
        self.team.numDevices, self.team.size = 1, 2 * self.granularity
        self.multicast = self.made(d.cuMulticastCreate(self.team))
        self.joining: list[Any] = []
        d.cuMulticastAddDevice(self.multicast, 0)
        d.cuMulticastBindMem(self.multicast, self.granularity, self.handle, 0, self.granularity, 0)

    def _set_up_pools(self) -> None:
        d = self.driver
        self.pool_props = d.CUmemPoolProps()
        self.pool_props.allocType = self.prop.type
        self.pool_props.handleTypes = self.prop.requestedHandleTypes
        self.pool_props.location = self.prop.location
        self.shared_pool = self.made(d.cuMemPoolCreate(self.pool_props))
        self.pooled = self.made(d.cuMemAllocFromPoolAsync(SIZE, self.shared_pool, 0))
        posix = d.CUmemAllocationHandleType(POSIX)
        self.pool_descriptor = self.made(d.cuMemPoolExportToShareableHandle(self.shared_pool, posix, 0))
        self.pool_data = self.made(d.cuMemPoolExportPointer(self.pooled))
        self.imported_pool = self.made(d.cuMemPoolImportFromShareableHandle(self.pool_descriptor, posix, 0))

    def _set_up_code(self) -> None:
        d = self.driver
        self.module = self.made(d.cuModuleLoadData(PTX))
        self.kernel_function = self.made(d.cuModuleGetFunction(self.module, b"empty"))
        self.library = self.made(d.cuLibraryLoadData(PTX, [], [], 0, [], [], 0))
        self.kernel = self.made(d.cuLibraryGetKernel(self.library, b"store"))
        self.linker = self.made(d.cuLinkCreate(0, [], []))
        self.managing = self.made(d.cuLibraryLoadData(SHARED, [], [], 0, [], [], 0))
        self.made(d.cuLibraryGetModule(self.managing))
        self.file = code_file()
        self.attribute = d.CUfunction_attribute(8)
        self.cache = d.CUfunc_cache(1)
        self.launch, cluster = d.CUlaunchConfig(), d.CUlaunchAttribute()
        for side in "XYZ":
            setattr(self.launch, f"gridDim{side}", 2)
            setattr(self.launch, f"blockDim{side}", 1)
        cluster.id = d.CUlaunchAttributeID(4)
        cluster.value.clusterDim.x, cluster.value.clusterDim.y, cluster.value.clusterDim.z = 2, 1, 1
        self.launch.attrs, self.launch.numAttrs = [cluster], 1

    def _set_up_copies(self) -> None:
        d = self.driver
        self.rows, self.slices, self.shared_slices = d.CUDA_MEMCPY2D(), d.CUDA_MEMCPY3D(), d.CUDA_MEMCPY3D_PEER()
        for copy in (self.rows, self.slices, self.shared_slices):
            copy.srcMemoryType = copy.dstMemoryType = d.CUmemorytype(DEVICE_MEMORY)
            copy.srcDevice = copy.dstDevice = self.pointer
        self.attributes = d.CUmemcpyAttributes()
        self.attributes.srcAccessOrder = d.CUmemcpySrcAccessOrder(1)

    def _set_up_graphs(self) -> None:
        d = self.driver
        self.graph, self.inner_graph = (self.made(d.cuGraphCreate(0)) for _ in range(2))
        self.node = self.made(d.cuGraphAddEmptyNode(self.graph, None, 0))
        self.filled, self.copied, self.edge = d.CUDA_MEMSET_NODE_PARAMS(), d.CUDA_MEMCPY3D(), d.CUgraphEdgeData()
        self.filled.dst, self.filled.elementSize, self.filled.width, self.filled.height = self.pointer, 1, 16, 1
        self.copied.srcMemoryType = self.copied.dstMemoryType = d.CUmemorytype(DEVICE_MEMORY)
        self.copied.srcDevice = self.copied.dstDevice = self.pointer
        self.copied.WidthInBytes, self.copied.Height, self.copied.Depth = 16, 1, 1
        self.filling = self.made(d.cuGraphAddMemsetNode(self.graph, [self.node], 1, self.filled, self.context))
        self.copying = self.made(d.cuGraphAddMemcpyNode(self.graph, None, 0, self.copied, self.context))
        self.calling = self.made(d.cuGraphAddHostNode(self.graph, None, 0, self.host_params()))
        self.recording = self.made(d.cuGraphAddEventRecordNode(self.graph, None, 0, self.event))
        self.waiting = self.made(d.cuGraphAddEventWaitNode(self.graph, None, 0, self.event))
        self.child = self.made(d.cuGraphAddChildGraphNode(self.graph, None, 0, self.inner_graph))
        self.thing = self.made(d.cuUserObjectCreate(0, self.function, 2, 1))
        d.cuGraphRetainUserObject(self.graph, self.thing, 1, 0)
        self.launching = d.CUDA_KERNEL_NODE_PARAMS()
        self.launching.func = self.kernel_function
        for side in "XYZ":
            setattr(self.launching, f"gridDim{side}", 1)
            setattr(self.launching, f"blockDim{side}", 1)
        self.described = getattr(d, "CUgraphNodeParams", lambda: None)()  # no stand-in has it
        if self.described is not None:
            self.described.type = d.CUgraphNodeType(2)
            for name in ("dst", "elementSize", "width", "height", "value"):
                setattr(self.described.memset, name, getattr(self.filled, name))
        self.attribute_value = getattr(d, "CUkernelNodeAttrValue", lambda: None)()  # no stand-in has it
        self.running = self.made(d.cuGraphAddKernelNode(self.graph, None, 0, self.launching))
        self.clone = self.made(d.cuGraphClone(self.graph))
        self.executable = self.made(d.cuGraphInstantiate(self.inner_graph, 0))
        self.whole = self.made(d.cuGraphInstantiate(self.graph, 0))
        self.instantiating = d.CUDA_GRAPH_INSTANTIATE_PARAMS()

    def capturing(self) -> Any:
        """Return a new stream, which is captured into the graph."""
        stream = self.made(self.driver.cuStreamCreate(1))
        mode = self.driver.CUstreamCaptureMode(2)
        (code,) = self.driver.cuStreamBeginCaptureToGraph(stream, self.graph, None, None, 0, mode)
        assert code == 0, code
        return stream

    def batch(self) -> Any:
        """Return a batch of one operation, a barrier."""
        made, one = self.driver.CUDA_BATCH_MEM_OP_NODE_PARAMS(), self.driver.CUstreamBatchMemOpParams()
        one.operation = self.driver.CUstreamBatchMemOpType(6)
        made.ctx, made.count, made.paramArray = self.context, 1, [one]
        return made

    def batching(self, graph: Any) -> Any:
        """Return a new node of a batch."""
        return self.made(self.driver.cuGraphAddBatchMemOpNode(graph, None, 0, self.batch()))

    def batching_executable(self) -> tuple[Any, Any]:
        """Return a new executable graph of a batch, and its node."""
        graph = self.made(self.driver.cuGraphCreate(0))
        node = self.batching(graph)
        return self.made(self.driver.cuGraphInstantiate(graph, 0)), node

    def allocation(self) -> Any:
        """Return an allocation on the first device."""
        made = self.driver.CUDA_MEM_ALLOC_NODE_PARAMS()
        made.poolProps.allocType = self.driver.CUmemAllocationType(PINNED)
        made.poolProps.location.type = self.driver.CUmemLocationType(DEVICE)
        made.bytesize = SIZE
        return made

    def graph_memory(self) -> Any:
        """Return memory that a new graph allocates."""
        stream = self.made(self.driver.cuStreamCreate(1))
        (code,) = self.driver.cuStreamBeginCapture(stream, self.driver.CUstreamCaptureMode(2))
        assert code == 0, code
        memory = self.made(self.driver.cuMemAllocAsync(SIZE, stream))
        self.made(self.driver.cuStreamEndCapture(stream))
        return memory

    def host_params(self) -> Any:
        """Return a call of a function of the host."""
        made = self.driver.CUDA_HOST_NODE_PARAMS()
        made.fn, made.userData = self.function, 0
        return made

    def _set_up_arrays(self) -> None:
        d = self.driver
        self.flat, self.solid = d.CUDA_ARRAY_DESCRIPTOR(), d.CUDA_ARRAY3D_DESCRIPTOR()
        for descriptor in (self.flat, self.solid):
            descriptor.Width, descriptor.Height, descriptor.NumChannels = 64, 16, 1
            descriptor.Format = d.CUarray_format(1)
        self.array = self.made(d.cuArrayCreate(self.flat))
        self.mipmapped = self.made(d.cuMipmappedArrayCreate(self.solid, 3))
        self.resource, self.sampling, self.view = (
            d.CUDA_RESOURCE_DESC(),
            d.CUDA_TEXTURE_DESC(),
            d.CUDA_RESOURCE_VIEW_DESC(),
        )
        self.resource.res.array.hArray = self.array
        self.sampling.maxMipmapLevelClamp = 1.5
        self.view.format, self.view.width, self.view.height = d.CUresourceViewFormat(1), 64, 16
        self.texture = self.made(d.cuTexObjectCreate(self.resource, self.sampling, None))
        self.surface = self.made(d.cuSurfObjectCreate(self.resource))

    def tile_map(self) -> tuple[Any, ...]:
        """Return the arguments of a tensor map of tiles."""
        d = self.driver
        u64, u32 = d.cuuint64_t, d.cuuint32_t
        extents = [u64(256), u64(128)], [u64(512)], [u32(64), u32(16)], [u32(1), u32(1)]
        return (d.CUtensorMapDataType(6), 2, 1 << 30, *extents, *self._looks())

    def _looks(self) -> tuple[Any, ...]:
        d = self.driver
        kinds = d.CUtensorMapInterleave, d.CUtensorMapSwizzle, d.CUtensorMapL2promotion, d.CUtensorMapFloatOOBfill
        return tuple(kind(0) for kind in kinds)

    def image_map(self, lower: Any, upper: Any, *mode: Any) -> tuple[Any, ...]:
        """Return the arguments of a tensor map of columns of images.

        Args:
            lower: The lower corner.
            upper: The upper one.
            mode: CUtensorMapIm2ColWideMode, where the call takes it.
        """
        d = self.driver
        dims = [d.cuuint64_t(extent) for extent in (64, 32, 32, 8)]
        strides = [d.cuuint64_t(stride) for stride in (128, 4096, 131072)]
        steps = [d.cuuint32_t(1)] * 4
        interleave, *looks = self._looks()
        begins = d.CUtensorMapDataType(6), 4, 1 << 30, dims, strides, lower, upper, 64, 64, steps
        return (*begins, interleave, *mode, *looks)

    def blocked(self) -> Any:
        """Return a stream whose work waits for what never comes: what it is to call may be anything."""
        stream = self.made(self.driver.cuStreamCreate(1))
        self.driver.cuStreamWaitValue32(stream, self.pointer, 0xFFFFFFFF, 1)
        return stream

    def mem_op(self) -> Any:
        """Return an operation that writes a value of 64 bits."""
        made = self.driver.CUstreamBatchMemOpParams()
        made.operation = self.driver.CUstreamBatchMemOpType(5)
        made.writeValue.address = self.pointer
        made.writeValue.value64 = 1 << 40
        return made

    @staticmethod
    def made(answer: tuple[Any, ...]) -> Any:
        """Return the result of a call that has succeeded."""
        code, value = answer
        assert code == 0, answer
        return value

    def new_team(self) -> Any:
        """Return a multicast object without devices; the one before it is released."""
        for handle in self.joining:
            self.driver.cuMemRelease(handle)
        self.joining = [self.made(self.driver.cuMulticastCreate(self.team))]
        return self.joining[0]

    def new_linker(self) -> Any:
        """Return a linker without inputs; the one before it is destroyed."""
        self.driver.cuLinkDestroy(self.linker)
        self.linker = self.made(self.driver.cuLinkCreate(0, [], []))
        return self.linker

    def shown(self, name: str, value: Any) -> Any:
        """Return a result in a form that compares between worlds: its type and what of it is no accident."""
        kind = type(value).__name__
        if kind == "list":
            return [self.shown(name, part) for part in value]
        if kind in FRESH or (kind == "int" and name in ADDRESSES):
            number = self.seen.setdefault((kind, int(value)), len(self.seen)) if int(value) else None
            return kind, number
        if name in DESCRIPTORS and kind == "int":
            return kind
        return kind, ADDRESS.sub(
            lambda found: f"address {self.seen.setdefault(('', int(found[1], 0)), len(self.seen))}", repr(value)
        )


VALID: dict[str, Callable[[World], tuple[Any, ...]]] = {
    "cuCtxAttach": lambda _: (0,),
    "cuCtxCreate": lambda _: (None, 0, 0),
    "cuCtxDestroy": lambda w: (w.other,),
    "cuCtxDetach": lambda w: (w.context,),
    "cuCtxDisablePeerAccess": lambda w: (w.other,),
    "cuCtxEnablePeerAccess": lambda w: (w.other, 0),
    "cuCtxGetApiVersion": lambda w: (w.context,),
    "cuCtxGetCacheConfig": lambda _: (),
    "cuCtxGetCurrent": lambda _: (),
    "cuCtxGetDevice": lambda _: (),
    "cuCtxGetDevice_v2": lambda w: (w.other,),
    "cuCtxGetExecAffinity": lambda w: (w.driver.CUexecAffinityType(0),),
    "cuCtxGetFlags": lambda _: (),
    "cuCtxGetId": lambda w: (w.context,),
    "cuCtxGetLimit": lambda w: (w.driver.CUlimit(0),),
    "cuCtxGetSharedMemConfig": lambda _: (),
    "cuCtxGetStreamPriorityRange": lambda _: (),
    "cuCtxPopCurrent": lambda _: (),
    "cuCtxPushCurrent": lambda w: (w.other,),
    "cuCtxRecordEvent": lambda w: (w.context, w.event),
    "cuCtxResetPersistingL2Cache": lambda _: (),
    "cuCtxSetCacheConfig": lambda w: (w.driver.CUfunc_cache(1),),
    "cuCtxSetCurrent": lambda w: (w.context,),
    "cuCtxSetFlags": lambda _: (4,),
    "cuCtxSetLimit": lambda w: (w.driver.CUlimit(0), 2048),
    "cuCtxSetSharedMemConfig": lambda w: (w.driver.CUsharedconfig(1),),
    "cuCtxSynchronize": lambda _: (),
    "cuCtxSynchronize_v2": lambda w: (w.other,),
    "cuCtxWaitEvent": lambda w: (w.context, w.event),
    "cuDeviceCanAccessPeer": lambda _: (0, 1),
    "cuDeviceComputeCapability": lambda _: (0,),
    "cuDeviceGet": lambda _: (1,),
    "cuDeviceGetAttribute": lambda w: (w.driver.CUdevice_attribute(75), 0),
    "cuDeviceGetByPCIBusId": lambda w: (w.driver.cuDeviceGetPCIBusId(20, 0)[1],),
    "cuDeviceGetCount": lambda _: (),
    "cuDeviceGetDefaultMemPool": lambda _: (0,),
    "cuDeviceGetExecAffinitySupport": lambda w: (w.driver.CUexecAffinityType(0), 0),
    "cuDeviceGetHostAtomicCapabilities": lambda w: ([w.driver.CUatomicOperation(0)], 1, 0),
    "cuDeviceGetLuid": lambda _: (0,),
    "cuDeviceGetMemPool": lambda _: (0,),
    "cuDeviceGetName": lambda _: (64, 0),
    "cuDeviceGetP2PAtomicCapabilities": lambda w: ([w.driver.CUatomicOperation(0)], 1, 0, 1),
    "cuDeviceGetP2PAttribute": lambda w: (w.driver.CUdevice_P2PAttribute(2), 0, 1),
    "cuDeviceGetPCIBusId": lambda w: (20, w.driver.CUdevice(0)),
    "cuDeviceGetProperties": lambda _: (0,),
    "cuDeviceGetGraphMemAttribute": lambda w: (0, w.driver.CUgraphMem_attribute(0)),
    "cuDeviceSetGraphMemAttribute": lambda w: (0, w.driver.CUgraphMem_attribute(1), w.driver.cuuint64_t(0)),
    "cuDeviceGraphMemTrim": lambda _: (0,),
    "cuDeviceGetUuid": lambda _: (0,),
    "cuDevicePrimaryCtxGetState": lambda _: (0,),
    "cuDevicePrimaryCtxRelease": lambda _: (1,),
    "cuDevicePrimaryCtxReset": lambda _: (1,),
    "cuDevicePrimaryCtxRetain": lambda _: (1,),
    "cuDevicePrimaryCtxSetFlags": lambda _: (1, 0),
    "cuDeviceSetMemPool": lambda w: (0, w.pool),
    "cuDeviceTotalMem": lambda _: (0,),
    "cuDriverGetVersion": lambda _: (),
    "cuEventCreate": lambda _: (0,),
    "cuEventDestroy": lambda w: (w.event,),
    "cuEventElapsedTime": lambda w: (w.timed, w.timed),
    "cuEventQuery": lambda w: (w.event,),
    "cuEventRecord": lambda w: (w.event, 0),
    "cuEventRecordWithFlags": lambda w: (w.event, 0, 0),
    "cuEventSynchronize": lambda w: (w.event,),
    "cuGraphAddChildGraphNode": lambda w: (w.graph, [w.node], 1, w.inner_graph),
    "cuGraphAddDependencies": lambda w: (w.graph, [w.node], [w.child], [w.edge], 1),
    "cuGraphAddEmptyNode": lambda w: (w.graph, [w.node], 1),
    "cuGraphAddEventRecordNode": lambda w: (w.graph, [w.node], 1, w.event),
    "cuGraphAddEventWaitNode": lambda w: (w.graph, [w.node], 1, w.event),
    "cuGraphAddHostNode": lambda w: (w.graph, [w.node], 1, w.host_params()),
    "cuGraphAddBatchMemOpNode": lambda w: (w.graph, [w.node], 1, w.batch()),
    "cuGraphBatchMemOpNodeGetParams": lambda w: (w.batching(w.graph),),
    "cuGraphBatchMemOpNodeSetParams": lambda w: (w.batching(w.graph), w.batch()),
    "cuGraphExecBatchMemOpNodeSetParams": lambda w: (*w.batching_executable(), w.batch()),
    "cuGraphAddMemAllocNode": lambda w: (w.graph, [w.node], 1, w.allocation()),
    "cuGraphMemAllocNodeGetParams": lambda w: (
        w.made(w.driver.cuGraphAddMemAllocNode(w.graph, None, 0, w.allocation())),
    ),
    "cuGraphAddMemFreeNode": lambda w: (w.graph, [w.node], 1, w.graph_memory()),
    "cuGraphMemFreeNodeGetParams": lambda w: (
        w.made(w.driver.cuGraphAddMemFreeNode(w.graph, None, 0, w.graph_memory())),
    ),
    "cuGraphAddKernelNode": lambda w: (w.graph, [w.node], 1, w.launching),
    "cuGraphAddMemcpyNode": lambda w: (w.graph, [w.node], 1, w.copied, w.context),
    "cuGraphAddMemsetNode": lambda w: (w.graph, [w.node], 1, w.filled, w.context),
    "cuGraphConditionalHandleCreate": lambda w: (w.graph, w.context, 1, 1),
    "cuGraphAddNode": lambda w: (w.graph, [w.node], [w.edge], 1, w.described),
    "cuGraphExecNodeSetParams": lambda w: (w.whole, w.filling, w.described),
    "cuGraphNodeSetParams": lambda w: (w.filling, w.described),
    "cuGraphChildGraphNodeGetGraph": lambda w: (w.child,),
    "cuGraphClone": lambda w: (w.graph,),
    "cuGraphCreate": lambda _: (0,),
    "cuGraphDestroy": lambda w: (w.graph,),
    "cuGraphDestroyNode": lambda w: (w.node,),
    "cuGraphEventRecordNodeGetEvent": lambda w: (w.recording,),
    "cuGraphEventWaitNodeGetEvent": lambda w: (w.waiting,),
    "cuGraphEventRecordNodeSetEvent": lambda w: (w.recording, w.event),
    "cuGraphEventWaitNodeSetEvent": lambda w: (w.waiting, w.event),
    "cuGraphDebugDotPrint": lambda w: (w.graph, b"/dev/null", 1),
    "cuGraphExecChildGraphNodeSetParams": lambda w: (w.whole, w.child, w.inner_graph),
    "cuGraphExecEventRecordNodeSetEvent": lambda w: (w.whole, w.recording, w.event),
    "cuGraphExecEventWaitNodeSetEvent": lambda w: (w.whole, w.waiting, w.event),
    "cuGraphExecHostNodeSetParams": lambda w: (w.whole, w.calling, w.host_params()),
    "cuGraphExecKernelNodeSetParams": lambda w: (w.whole, w.running, w.launching),
    "cuGraphExecMemcpyNodeSetParams": lambda w: (w.whole, w.copying, w.copied, w.context),
    "cuGraphExecMemsetNodeSetParams": lambda w: (w.whole, w.filling, w.filled, w.context),
    "cuGraphExecUpdate": lambda w: (w.whole, w.graph),
    "cuGraphInstantiateWithParams": lambda w: (w.graph, w.instantiating),
    "cuGraphNodeGetEnabled": lambda w: (w.whole, w.filling),
    "cuGraphNodeSetEnabled": lambda w: (w.whole, w.filling, 1),
    "cuGraphExecDestroy": lambda w: (w.executable,),
    "cuGraphExecGetFlags": lambda w: (w.executable,),
    "cuGraphGetEdges": lambda w: (w.graph, 3),
    "cuGraphGetNodes": lambda w: (w.graph, 3),
    "cuGraphGetRootNodes": lambda w: (w.graph, 3),
    "cuGraphHostNodeGetParams": lambda w: (w.calling,),
    "cuGraphHostNodeSetParams": lambda w: (w.calling, w.host_params()),
    "cuGraphKernelNodeCopyAttributes": lambda w: (w.running, w.running),
    "cuGraphKernelNodeGetAttribute": lambda w: (w.running, w.driver.CUkernelNodeAttrID(2)),
    "cuGraphKernelNodeSetAttribute": lambda w: (w.running, w.driver.CUkernelNodeAttrID(2), w.attribute_value),
    "cuGraphKernelNodeGetParams": lambda w: (w.running,),
    "cuGraphKernelNodeSetParams": lambda w: (w.running, w.launching),
    "cuGraphInstantiate": lambda w: (w.graph, 0),
    "cuGraphLaunch": lambda w: (w.executable, 0),
    "cuGraphMemcpyNodeGetParams": lambda w: (w.copying,),
    "cuGraphMemsetNodeGetParams": lambda w: (w.filling,),
    "cuGraphMemcpyNodeSetParams": lambda w: (w.copying, w.copied),
    "cuGraphMemsetNodeSetParams": lambda w: (w.filling, w.filled),
    "cuGraphNodeFindInClone": lambda w: (w.node, w.clone),
    "cuGraphNodeGetDependencies": lambda w: (w.filling, 3),
    "cuGraphNodeGetDependentNodes": lambda w: (w.node, 3),
    "cuGraphNodeGetType": lambda w: (w.node,),
    "cuGraphReleaseUserObject": lambda w: (w.graph, w.thing, 1),
    "cuGraphRetainUserObject": lambda w: (w.graph, w.thing, 1, 0),
    "cuUserObjectCreate": lambda w: (0, w.function, 1, 1),
    "cuUserObjectRelease": lambda w: (w.thing, 1),
    "cuUserObjectRetain": lambda w: (w.thing, 1),
    "cuGraphRemoveDependencies": lambda w: (w.graph, [w.node], [w.filling], [w.edge], 1),
    "cuGraphUpload": lambda w: (w.executable, 0),
    "cuFlushGPUDirectRDMAWrites": lambda w: (
        w.driver.CUflushGPUDirectRDMAWritesTarget(0),
        w.driver.CUflushGPUDirectRDMAWritesScope(100),
    ),
    "cuFuncGetAttribute": lambda w: (w.attribute, w.kernel_function),
    "cuFuncGetModule": lambda w: (w.kernel_function,),
    "cuFuncGetName": lambda w: (w.kernel_function,),
    "cuFuncGetParamInfo": lambda w: (w.made(w.driver.cuModuleGetFunction(w.module, b"store")), 1),
    "cuFuncIsLoaded": lambda w: (w.kernel_function,),
    "cuFuncLoad": lambda w: (w.kernel_function,),
    "cuFuncSetAttribute": lambda w: (w.kernel_function, w.attribute, 1000),
    "cuFuncSetCacheConfig": lambda w: (w.kernel_function, w.cache),
    "cuFuncSetSharedMemConfig": lambda w: (w.kernel_function, w.driver.CUsharedconfig(1)),
    "cuKernelGetAttribute": lambda w: (w.attribute, w.kernel, 0),
    "cuKernelGetFunction": lambda w: (w.kernel,),
    "cuKernelGetLibrary": lambda w: (w.kernel,),
    "cuKernelGetName": lambda w: (w.kernel,),
    "cuKernelGetParamInfo": lambda w: (w.kernel, 1),
    "cuKernelSetAttribute": lambda w: (w.attribute, 1000, w.kernel, 0),
    "cuKernelSetCacheConfig": lambda w: (w.kernel, w.cache, 0),
    "cuLaunchKernelEx": lambda w: (w.launch, w.kernel_function, 0, 0),
    "cuLaunchCooperativeKernel": lambda w: (w.kernel_function, 1, 1, 1, 1, 1, 1, 0, 0, 0),
    "cuLaunchKernel": lambda w: (w.kernel_function, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0),
    "cuLibraryEnumerateKernels": lambda w: (2, w.library),
    "cuLibraryGetGlobal": lambda w: (w.library, b"counter"),
    "cuLibraryGetKernel": lambda w: (w.library, b"empty"),
    "cuLibraryGetKernelCount": lambda w: (w.library,),
    "cuLibraryGetModule": lambda w: (w.library,),
    "cuLibraryGetManaged": lambda w: (w.managing, b"shared"),
    "cuLibraryGetUnifiedFunction": lambda w: (w.library, b"empty"),
    "cuLibraryLoadFromFile": lambda w: (w.file, [], [], 0, [], [], 0),
    "cuLibraryLoadData": lambda _: (PTX, [], [], 0, [], [], 0),
    "cuLibraryUnload": lambda w: (w.library,),
    "cuCheckpointProcessCheckpoint": lambda _: (os.getpid(), None),
    "cuCheckpointProcessGetRestoreThreadId": lambda _: (os.getpid(),),
    "cuCheckpointProcessGetState": lambda _: (os.getpid(),),
    "cuCheckpointProcessLock": lambda _: (os.getpid(), None),
    "cuCheckpointProcessRestore": lambda _: (os.getpid(), None),
    "cuCheckpointProcessUnlock": lambda _: (os.getpid(), None),
    "cuLinkAddData": lambda w: (w.linker, w.driver.CUjitInputType(1), PTX, len(PTX), b"ptx", 0, [], []),
    "cuLinkAddFile": lambda w: (w.linker, w.driver.CUjitInputType(1), w.file, 0, [], []),
    "cuLinkComplete": lambda w: (w.linker,),
    "cuLinkCreate": lambda _: (0, [], []),
    "cuLinkDestroy": lambda w: (w.linker,),
    "cuDeviceGetTexture1DLinearMaxWidth": lambda w: (w.driver.CUarray_format(32), 1, 0),
    "cuModuleGetSurfRef": lambda w: (w.module, b"empty"),
    "cuModuleGetTexRef": lambda w: (w.module, b"empty"),
    "cuModuleEnumerateFunctions": lambda w: (2, w.module),
    "cuModuleGetFunction": lambda w: (w.module, b"empty"),
    "cuModuleGetFunctionCount": lambda w: (w.module,),
    "cuModuleGetGlobal": lambda w: (w.module, b"counter"),
    "cuModuleGetLoadingMode": lambda _: (),
    "cuModuleLoad": lambda w: (w.file,),
    "cuModuleLoadData": lambda _: (PTX,),
    "cuModuleLoadDataEx": lambda _: (PTX, 0, [], []),
    "cuModuleLoadFatBinary": lambda _: (PTX,),
    "cuModuleUnload": lambda w: (w.module,),
    "cuOccupancyAvailableDynamicSMemPerBlock": lambda w: (w.kernel_function, 8, 32),
    "cuOccupancyMaxActiveClusters": lambda w: (w.kernel_function, w.launch),
    "cuOccupancyMaxPotentialClusterSize": lambda w: (w.kernel_function, w.launch),
    "cuOccupancyMaxActiveBlocksPerMultiprocessor": lambda w: (w.kernel_function, 96, 0),
    "cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": lambda w: (w.kernel_function, 96, 0, 0),
    "cuOccupancyMaxPotentialBlockSize": lambda w: (w.kernel_function, w.driver.CUoccupancyB2DSize(0), 0, 0),
    "cuOccupancyMaxPotentialBlockSizeWithFlags": lambda w: (w.kernel_function, w.driver.CUoccupancyB2DSize(0), 0, 0, 0),
    "cuProfilerStart": lambda _: (),
    "cuProfilerStop": lambda _: (),
    "cuTensorMapEncodeIm2col": lambda w: w.image_map([0, 0], [0, 0]),
    "cuTensorMapEncodeIm2colWide": lambda w: w.image_map(0, 0, w.driver.CUtensorMapIm2ColWideMode(0)),
    "cuTensorMapEncodeTiled": lambda w: w.tile_map(),
    "cuTensorMapReplaceAddress": lambda w: (w.made(w.driver.cuTensorMapEncodeTiled(*w.tile_map())), 1 << 30),
    "cuGetErrorName": lambda w: (w.driver.CUresult(1),),
    "cuGetErrorString": lambda w: (w.driver.CUresult(1),),
    "cuGetProcAddress": lambda _: (b"cuMemAlloc", 13000, 0),
    "cuInit": lambda _: (0,),
    "cuIpcCloseMemHandle": lambda w: (w.pointer,),
    "cuIpcGetEventHandle": lambda w: (w.event,),
    "cuIpcGetMemHandle": lambda w: (w.pointer,),
    "cuIpcOpenEventHandle": lambda w: (w.ipc_event,),
    "cuIpcOpenMemHandle": lambda w: (w.ipc, 1),
    "cuLaunchHostFunc": lambda w: (w.blocked(), w.function, 0),
    "cuMemAddressFree": lambda w: (w.empty, w.granularity),
    "cuMemAddressReserve": lambda w: (w.granularity, 0, 0, 0),
    "cuMemAdvise": lambda w: (w.managed, SIZE, w.driver.CUmem_advise(5), w.prop.location),
    "cuMemAlloc": lambda _: (SIZE,),
    "cuMemAllocAsync": lambda _: (SIZE, 0),
    "cuMemAllocFromPoolAsync": lambda w: (SIZE, w.shared_pool, 0),
    "cuMemAllocHost": lambda _: (SIZE,),
    "cuMemAllocManaged": lambda _: (SIZE, 1),
    "cuMemAllocPitch": lambda _: (100, 10, 4),
    "cuMemCreate": lambda w: (w.granularity, w.prop, 0),
    "cuMemExportToShareableHandle": lambda w: (w.handle, w.driver.CUmemAllocationHandleType(POSIX), 0),
    "cuMemFree": lambda w: (w.pointer,),
    "cuMemFreeAsync": lambda w: (w.pooled, 0),
    "cuMemFreeHost": lambda w: (w.pinned,),
    "cuMemGetAccess": lambda w: (w.prop.location, w.range),
    "cuMemGetAddressRange": lambda w: (w.pointer,),
    "cuMemGetAllocationGranularity": lambda w: (w.prop, w.driver.CUmemAllocationGranularity_flags(1)),
    "cuMemGetAllocationPropertiesFromHandle": lambda w: (w.handle,),
    "cuMemGetDefaultMemPool": lambda w: (w.prop.location, w.prop.type),
    "cuMemGetHandleForAddressRange": lambda w: (w.pointer, SIZE, w.driver.CUmemRangeHandleType(1), 0),
    "cuMemGetInfo": lambda _: (),
    "cuMemGetMemPool": lambda w: (w.prop.location, w.prop.type),
    "cuMemHostAlloc": lambda _: (SIZE, 0),
    "cuMemHostGetDevicePointer": lambda w: (w.pinned, 0),
    "cuMemHostGetFlags": lambda w: (w.pinned,),
    "cuMemHostRegister": lambda w: (w.page, SIZE, 0),
    "cuMemHostUnregister": lambda w: (w.page + SIZE,),
    "cuMemImportFromShareableHandle": lambda w: (w.descriptor, w.driver.CUmemAllocationHandleType(POSIX)),
    "cuMemMap": lambda w: (w.empty, w.granularity, 0, w.handle, 0),
    "cuMemPoolCreate": lambda w: (w.pool_props,),
    "cuMemPoolDestroy": lambda w: (w.shared_pool,),
    "cuMemPoolExportPointer": lambda w: (w.pooled,),
    "cuMemPoolExportToShareableHandle": lambda w: (w.shared_pool, w.prop.requestedHandleTypes, 0),
    "cuMemPoolGetAccess": lambda w: (w.pool, w.prop.location),
    "cuMemPoolGetAttribute": lambda w: (w.pool, w.driver.CUmemPool_attribute(4)),
    "cuMemPoolImportFromShareableHandle": lambda w: (w.pool_descriptor, w.prop.requestedHandleTypes, 0),
    "cuMemPoolImportPointer": lambda w: (w.imported_pool, w.pool_data),
    "cuMemPoolSetAccess": lambda w: (w.pool, [w.access], 1),
    "cuMemPoolSetAttribute": lambda w: (w.pool, w.driver.CUmemPool_attribute(1), 1),
    "cuMemPoolTrimTo": lambda w: (w.pool, 0),
    "cuArrayCreate": lambda w: (w.flat,),
    "cuArray3DCreate": lambda w: (w.solid,),
    "cuSurfObjectCreate": lambda w: (w.resource,),
    "cuSurfObjectDestroy": lambda w: (w.surface,),
    "cuSurfObjectGetResourceDesc": lambda w: (w.surface,),
    "cuTexObjectCreate": lambda w: (w.resource, w.sampling, w.view),
    "cuTexObjectDestroy": lambda w: (w.texture,),
    "cuTexObjectGetResourceDesc": lambda w: (w.texture,),
    "cuTexObjectGetResourceViewDesc": lambda w: (w.texture,),
    "cuTexObjectGetTextureDesc": lambda w: (w.texture,),
    "cuArrayGetMemoryRequirements": lambda w: (w.array, 0),
    "cuArrayGetPlane": lambda w: (w.array, 0),
    "cuArrayGetSparseProperties": lambda w: (w.array,),
    "cuMipmappedArrayGetMemoryRequirements": lambda w: (w.mipmapped, 0),
    "cuMipmappedArrayGetSparseProperties": lambda w: (w.mipmapped,),
    "cuArrayGetDescriptor": lambda w: (w.array,),
    "cuArray3DGetDescriptor": lambda w: (w.array,),
    "cuArrayDestroy": lambda w: (w.made(w.driver.cuArrayCreate(w.flat)),),
    "cuMipmappedArrayCreate": lambda w: (w.solid, 3),
    "cuMipmappedArrayGetLevel": lambda w: (w.mipmapped, 1),
    "cuMipmappedArrayDestroy": lambda w: (w.made(w.driver.cuMipmappedArrayCreate(w.solid, 3)),),
    "cuMemcpyAtoH": lambda w: (bytearray(8), w.array, 0, 8),
    "cuMemcpyHtoA": lambda w: (w.array, 0, bytes(8), 8),
    "cuMemcpyAtoD": lambda w: (w.pointer, w.array, 0, 8),
    "cuMemcpyDtoA": lambda w: (w.array, 0, w.pointer, 8),
    "cuMemcpyAtoA": lambda w: (w.array, 8, w.array, 0, 8),
    "cuMemcpyAtoHAsync": lambda w: (bytearray(8), w.array, 0, 8, 0),
    "cuMemcpyHtoAAsync": lambda w: (w.array, 0, bytes(8), 8, 0),
    "cuMemPrefetchBatchAsync": lambda w: ([w.managed], [SIZE], 1, [w.prop.location], [0], 1, 0, 2),
    "cuMemDiscardBatchAsync": lambda w: ([w.managed], [SIZE], 1, 0, 2),
    "cuMemDiscardAndPrefetchBatchAsync": lambda w: ([w.managed], [SIZE], 1, [w.prop.location], [0], 1, 0, 2),
    "cuMemPrefetchAsync": lambda w: (w.managed, SIZE, w.prop.location, 0, 0),
    "cuMemRangeGetAttribute": lambda w: (4, w.driver.CUmem_range_attribute(1), w.managed, SIZE),
    "cuMemRangeGetAttributes": lambda w: (
        [4, 4],
        [w.driver.CUmem_range_attribute(1), w.driver.CUmem_range_attribute(2)],
        2,
        w.managed,
        SIZE,
    ),
    "cuMemRelease": lambda w: (w.handle,),
    "cuMemRetainAllocationHandle": lambda w: (w.range,),
    "cuMemSetAccess": lambda w: (w.range, w.granularity, [w.access], 1),
    "cuMemSetMemPool": lambda w: (w.prop.location, w.prop.type, w.pool),
    "cuMemUnmap": lambda w: (w.range, w.granularity),
    "cuMemcpy": lambda w: (w.pointer, w.pointer, 0),
    "cuMemcpy2D": lambda w: (w.rows,),
    "cuMemcpy2DAsync": lambda w: (w.rows, 0),
    "cuMemcpy2DUnaligned": lambda w: (w.rows,),
    "cuMemcpy3D": lambda w: (w.slices,),
    "cuMemcpy3DAsync": lambda w: (w.slices, 0),
    "cuMemcpy3DPeer": lambda w: (w.shared_slices,),
    "cuMemcpy3DPeerAsync": lambda w: (w.shared_slices, 0),
    "cuMemcpyAsync": lambda w: (w.pointer, w.pointer, 0, 0),
    "cuMemcpyBatchAsync": lambda w: ([w.pointer], [w.pointer], [1], 1, [w.attributes], [0], 1, 2),
    "cuMemcpyDtoD": lambda w: (w.pointer, w.pointer, 0),
    "cuMemcpyDtoDAsync": lambda w: (w.pointer, w.pointer, 0, 0),
    "cuMemcpyDtoH": lambda w: (w.host, w.pointer, 0),
    "cuMemcpyDtoHAsync": lambda w: (w.host, w.pointer, 0, 0),
    "cuMemcpyHtoD": lambda w: (w.pointer, w.host, 0),
    "cuMemcpyHtoDAsync": lambda w: (w.pointer, w.host, 0, 0),
    "cuMemcpyPeer": lambda w: (w.pointer, w.context, w.pointer, w.context, 0),
    "cuMemcpyPeerAsync": lambda w: (w.pointer, w.context, w.pointer, w.context, 0, 0),
    "cuMemsetD16": lambda w: (w.pointer, 7, SIZE // 2),
    "cuMemsetD16Async": lambda w: (w.pointer, 7, SIZE // 2, 0),
    "cuMemsetD2D16": lambda w: (w.pointer, 64, 7, 16, 4),
    "cuMemsetD2D16Async": lambda w: (w.pointer, 64, 7, 16, 4, 0),
    "cuMemsetD2D32": lambda w: (w.pointer, 64, 7, 8, 4),
    "cuMemsetD2D32Async": lambda w: (w.pointer, 64, 7, 8, 4, 0),
    "cuMemsetD2D8": lambda w: (w.pointer, 64, 7, 32, 4),
    "cuMemsetD2D8Async": lambda w: (w.pointer, 64, 7, 32, 4, 0),
    "cuMemsetD32": lambda w: (w.pointer, 7, SIZE // 4),
    "cuMemsetD32Async": lambda w: (w.pointer, 7, SIZE // 4, 0),
    "cuMemsetD8": lambda w: (w.pointer, 7, SIZE),
    "cuMemsetD8Async": lambda w: (w.pointer, 7, SIZE, 0),
    "cuMulticastAddDevice": lambda w: (w.new_team(), 0),
    "cuMulticastBindAddr": lambda w: (w.multicast, 0, w.range, w.granularity, 0),
    "cuMulticastBindMem": lambda w: (w.multicast, 0, w.handle, 0, w.granularity, 0),
    "cuMulticastCreate": lambda w: (w.team,),
    "cuMulticastGetGranularity": lambda w: (w.team, w.driver.CUmulticastGranularity_flags(1)),
    "cuMulticastUnbind": lambda w: (w.multicast, 0, w.granularity, w.granularity),
    "cuPointerGetAttribute": lambda w: (w.driver.CUpointer_attribute(1), w.pointer),
    "cuPointerGetAttributes": lambda w: (
        2,
        [w.driver.CUpointer_attribute(1), w.driver.CUpointer_attribute(7)],
        w.pointer,
    ),
    "cuPointerSetAttribute": lambda w: (True, w.driver.CUpointer_attribute(6), w.pointer),
    "cuStreamAddCallback": lambda w: (w.blocked(), w.function, 0, 0),
    "cuStreamAttachMemAsync": lambda w: (w.stream, w.managed, 0, 1),
    "cuStreamBatchMemOp": lambda w: (0, 1, [w.mem_op()], 0),
    "cuStreamCopyAttributes": lambda w: (w.stream, 0),
    "cuStreamCreate": lambda _: (0,),
    "cuStreamCreateWithPriority": lambda _: (1, -1),
    "cuStreamDestroy": lambda w: (w.stream,),
    "cuStreamGetAttribute": lambda w: (w.stream, w.driver.CUstreamAttrID(1)),
    "cuStreamGetCtx": lambda w: (w.stream,),
    "cuStreamGetDevice": lambda w: (w.stream,),
    "cuStreamGetFlags": lambda w: (w.stream,),
    "cuStreamGetId": lambda w: (w.stream,),
    "cuStreamGetPriority": lambda w: (w.stream,),
    "cuStreamBeginCapture": lambda w: (w.stream, w.driver.CUstreamCaptureMode(2)),
    "cuStreamBeginCaptureToGraph": lambda w: (
        w.stream,
        w.graph,
        [w.node],
        [w.edge],
        1,
        w.driver.CUstreamCaptureMode(2),
    ),
    "cuStreamEndCapture": lambda w: (w.capturing(),),
    "cuStreamGetCaptureInfo": lambda w: (w.capturing(),),
    "cuThreadExchangeStreamCaptureMode": lambda w: (w.driver.CUstreamCaptureMode(0),),
    "cuStreamIsCapturing": lambda w: (w.stream,),
    "cuStreamUpdateCaptureDependencies": lambda w: (w.capturing(), [w.node], [w.edge], 1, 0),
    "cuStreamQuery": lambda w: (w.stream,),
    "cuStreamSetAttribute": lambda w: (w.stream, w.driver.CUstreamAttrID(3), w.policy),
    "cuStreamSynchronize": lambda w: (w.stream,),
    "cuStreamWaitEvent": lambda w: (w.stream, w.event, 0),
    "cuStreamWaitValue32": lambda w: (w.stream, w.pointer, 0, 3),
    "cuStreamWaitValue64": lambda w: (0, w.pointer, 0, 0),
    "cuStreamWriteValue32": lambda w: (w.stream, w.pointer, 7, 0),
    "cuStreamWriteValue64": lambda w: (0, w.pointer, 7, 0),
}
"""Arguments with which each call succeeds; copies copy nothing, so that wrong host addresses are never read."""


class Indexed:
    """Has ``__index__`` and no ``__int__``."""

    def __index__(self) -> int:
        return 1


class Worded:
    """Has an ``__int__`` that returns no int."""

    def __int__(self) -> int:
        return "x"  # type: ignore[return-value] # that is the point


class Raising:
    """Has an ``__int__`` that raises."""

    def __int__(self) -> int:
        msg = "mine"
        raise KeyError(msg)


class Valued:
    """Has a ``value``, as an enum has, and is none.

    Args:
        value: It.
    """

    def __init__(self, value: Any) -> None:
        self.value = value


WRONG: list[Callable[[Any], Any]] = [
    lambda _: None,
    lambda _: "x",
    lambda _: "5",
    # Calls write into it. The literal may be Python's only object for that byte, from which the parser reads the number 5.
    lambda _: bytes((53,)),
    lambda _: bytearray(b"x\0y"),
    lambda _: memoryview(b"ab"),
    lambda _: 1.0,
    lambda _: 2.5,
    lambda _: float("nan"),
    lambda _: float("inf"),
    lambda _: 1j,
    lambda _: True,
    lambda _: -1,
    lambda _: 300,
    lambda _: -(1 << 30),
    lambda _: 1 - (1 << 30),
    lambda _: -(1 << 31),
    lambda _: -(1 << 31) - 1,
    lambda _: -(1 << 63) - 1,
    lambda _: (1 << 31) - 1,
    lambda _: 1 << 31,
    lambda _: (1 << 32) - 1,
    lambda _: 1 << 32,
    lambda _: 1 << 63,
    lambda _: 1 << 64,
    lambda _: 1 << 200,
    lambda _: object(),
    lambda _: int,
    lambda _: [],
    lambda _: [1],
    lambda _: {"a": 1},
    lambda _: Indexed(),
    lambda _: Worded(),
    lambda _: Raising(),
    lambda _: Valued(1),
    lambda _: Valued(99),
    lambda _: Valued("x"),
    lambda d: d.CUcontext(5),
    lambda d: d.CUdevice(1),
    lambda d: d.CUdeviceptr(5),
    lambda d: d.CUmemGenericAllocationHandle(5),
    lambda d: d.CUdevice_attribute(1),
    lambda d: d.CUdevice_attribute(99),
    lambda d: d.CUresult(1),
    lambda d: d.CUuuid(),
    lambda d: d.CUmemLocation(),
    lambda d: d.CUmemPool_attribute(4),
    lambda d: d.CUmemPoolProps(),
    lambda d: d.CUmemPoolPtrExportData(),
    lambda d: d.CUmemoryPool(5),
    lambda d: d.cuuint64_t(5),
    lambda d: [d.CUmemAccessDesc()],
    lambda d: (d.CUmemAccessDesc(), d.CUmemAccessDesc()),
    lambda d: [d.CUmemAccessDesc(), None],
    lambda d: {d.CUmemAccessDesc(): 1},
    lambda d: {d.CUmemAccessDesc()},
    lambda d: [d.CUstreamBatchMemOpParams(), d.CUstreamBatchMemOpParams()],
    lambda d: d.CUhostFn(5),
]
"""Makers of arguments of every kind, most of them wrong for most parameters."""
