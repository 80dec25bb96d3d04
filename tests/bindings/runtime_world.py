"""A small world in which every modelled runtime call can be made."""

from __future__ import annotations

import ctypes
import mmap
import os
import weakref
from typing import TYPE_CHECKING, Any

from conformance.cases.driver.module.fixtures import SHARED
from conformance.kit.kernels import PTX
from fakecuda.reach.bindings.installed import INSTALLED
from tests.bindings.world import SIZE, Lazily, World

if TYPE_CHECKING:
    from fakecuda.reach.process import Process

POSIX, PINNED, DEVICE, READ_WRITE = 1, 1, 1, 3


class RuntimeWorld(Lazily):
    """Objects of one process, made through its runtime API.

    Args:
        process: The process.

    Attributes:
        driver: The look-alike of the runtime module, or the module that calls are compared with.
    """

    captured: Any = None

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
        self.access = r.cudaMemAccessDesc()
        self.access.location.type = r.cudaMemLocationType(DEVICE)
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

    def _set_up_pools(self) -> None:
        r, made = self.driver, World.made
        self.props = r.cudaMemPoolProps()
        self.props.allocType = r.cudaMemAllocationType(PINNED)
        self.props.handleTypes = r.cudaMemAllocationHandleType(POSIX)
        self.props.location.type = r.cudaMemLocationType(DEVICE)
        self.location = self.props.location
        self.shared_pool = made(r.cudaMemPoolCreate(self.props))
        self.pooled = made(r.cudaMallocFromPoolAsync(SIZE, self.shared_pool, 0))
        self.descriptor = made(r.cudaMemPoolExportToShareableHandle(self.shared_pool, self.props.handleTypes, 0))
        weakref.finalize(self, os.close, self.descriptor)
        self.pool_data = made(r.cudaMemPoolExportPointer(self.pooled))
        self.imported_pool = made(r.cudaMemPoolImportFromShareableHandle(self.descriptor, self.props.handleTypes, 0))

    def _set_up_code(self) -> None:
        r, made = self.driver, World.made
        self.managing = made(r.cudaLibraryLoadData(SHARED, [], [], 0, [], [], 0))
        r.cudaLibraryGetGlobal(self.managing, b"shared")
        self.library = made(r.cudaLibraryLoadData(PTX, [], [], 0, [], [], 0))
        self.kernel = made(r.cudaLibraryGetKernel(self.library, b"store"))

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

    def later(self, flags: int, levels: int = 0) -> Any:
        """Return a new array that is mapped later; with levels, a mipmapped array."""
        r = self.driver
        extent = r.make_cudaExtent(512, 512, 0)
        if levels:
            return World.made(r.cudaMallocMipmappedArray(self.channels, extent, levels, flags))
        return World.made(r.cudaMalloc3DArray(self.channels, extent, flags))

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
        """Return a new stream, which is captured into the graph. The capture before it ends."""
        if self.captured is not None:
            self.driver.cudaStreamEndCapture(self.captured)
        stream = self.captured = World.made(self.driver.cudaStreamCreateWithFlags(1))
        mode = self.driver.cudaStreamCaptureMode(2)
        (code,) = self.driver.cudaStreamBeginCaptureToGraph(stream, self.graph, None, None, 0, mode)
        assert code == 0, code
        return stream

    def blocked(self) -> Any:
        """Return null in place of a stream: what it is to call is never called."""
        return self.stream
