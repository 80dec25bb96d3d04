"""A small world in which every modelled call can be made."""

from __future__ import annotations

import atexit
import ctypes
import mmap
import os
import re
import tempfile
import weakref
from dis import get_instructions
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar

from conformance.cases.driver.module.fixtures import SHARED
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
"""Classes with other values in each world, compared by order of appearance."""
DESCRIPTORS = {"cuMemExportToShareableHandle", "cuMemGetHandleForAddressRange", "cuMemPoolExportToShareableHandle"}
"""Calls that return a new descriptor."""
ADDRESS = re.compile(r"<CU\w+ (\d{9,}|0x[0-9a-f]{8,})>")
"""An address or a handle inside a displayed struct."""
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


class Lazily:
    """Objects in groups, which methods ``_set_up_*`` make on first use."""

    _makers: ClassVar[dict[str, Callable[[Any], None]]]
    """The functions that make objects, by name."""

    def __init_subclass__(cls) -> None:
        """Read which objects each method makes."""
        makers = [one for name, one in vars(cls).items() if name.startswith("_set_up_")]
        cls._makers = {
            step.argval: one for one in makers for step in get_instructions(one) if step.opname == "STORE_ATTR"
        }

    def __getattr__(self, name: str) -> Any:
        """Make the group of an object, and return the object."""
        if (make := self._makers.get(name)) is None:
            raise AttributeError(name)
        make(self)
        return vars(self)[name]


class World(Lazily):
    """Objects of one process, made through one driver.

    Args:
        driver: The module or the look-alike of it.

    Attributes:
        driver: The same.
    """

    def __init__(self, driver: Any) -> None:
        self.driver = d = driver
        self.seen: dict[tuple[str, int], int] = {}
        self.captured: Any = None
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
        self.close_later(self.descriptor)
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
        self.pages = mmap.mmap(-1, 2 * SIZE)
        self.page = ctypes.addressof(ctypes.c_char.from_buffer(self.pages))
        d.cuMemHostRegister(self.page + SIZE, SIZE, 0)
        self.function = ctypes.cast(ctypes.CDLL(None)["abs"], ctypes.c_void_p).value
        self.host = ctypes.create_string_buffer(bytes(range(100)), SIZE)

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
        self.close_later(self.pool_descriptor)
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
        """Return a new stream, which is captured into the graph. The capture before it ends."""
        if self.captured is not None:
            self.driver.cuStreamEndCapture(self.captured)
        stream = self.captured = self.made(self.driver.cuStreamCreate(1))
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
        self.unmap = d.CUarrayMapInfo()
        self.unmap.resourceType = d.CUresourcetype(0)
        self.unmap.resource.array = self.later(128)
        self.unmap.memOperationType = d.CUmemOperationType(2)
        self.unmap.deviceBitMask = 1
        self.texture = self.made(d.cuTexObjectCreate(self.resource, self.sampling, None))
        self.surface = self.made(d.cuSurfObjectCreate(self.resource))

    def later(self, flags: int, levels: int = 0) -> Any:
        """Return a new array that is mapped later; with levels, a mipmapped array."""
        d, described = self.driver, self.driver.CUDA_ARRAY3D_DESCRIPTOR()
        described.Width, described.Height, described.NumChannels, described.Flags = 512, 512, 1, flags
        described.Format = d.CUarray_format(1)
        return self.made(d.cuMipmappedArrayCreate(described, levels) if levels else d.cuArray3DCreate(described))

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

    def close_later(self, descriptor: int) -> None:
        """Close an exported descriptor at the end of the world: the driver leaves that to its user."""
        weakref.finalize(self, os.close, descriptor)

    def shown(self, name: str, value: Any) -> Any:
        """Return a result in a form that compares between worlds: its type and what of it is no accident."""
        kind = type(value).__name__
        if kind == "list":
            return [self.shown(name, part) for part in value]
        if kind in FRESH or (kind == "int" and name in ADDRESSES):
            number = self.seen.setdefault((kind, int(value)), len(self.seen)) if int(value) else None
            return kind, number
        if name in DESCRIPTORS and kind == "int":
            self.close_later(value)
            return kind
        return kind, ADDRESS.sub(
            lambda found: f"address {self.seen.setdefault(('', int(found[1], 0)), len(self.seen))}", repr(value)
        )
