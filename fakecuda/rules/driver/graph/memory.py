"""Nodes that allocate and free memory, and the restrictions of their graphs.

The memory of a node has the same addresses with each launch. It exists from a launch until it is
freed: by a node of the same graph, by one of another graph, by cuMemFree or cuMemFreeAsync, or by the next launch of an
executable graph that frees automatically.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.model.graph import graph, graph_memory
from fakecuda.model.graph.graph import MEM_ALLOC, MEM_FREE
from fakecuda.model.history import here
from fakecuda.model.memory.pool import MANAGED, READ_WRITE, PoolProps
from fakecuda.model.memory.space import bytes_at
from fakecuda.model.memory.va import Location
from fakecuda.model.os.system import OWN
from fakecuda.rules.core import Broken, Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.device.pool import pooling as supporting
from fakecuda.rules.driver.graph.add_node import DEPENDENCIES_DIFFER, differing, ready_beside
from fakecuda.rules.driver.graph.node import of_kind, require_node_without_init
from fakecuda.rules.driver.graph.params import PARAMETERS_ARE_GIVEN
from fakecuda.rules.driver.graph.without_memory import growing
from fakecuda.rules.driver.pool.kind import WIDE
from fakecuda.rules.driver.pool.mem_alloc_async import MEMORY_SUFFICES
from fakecuda.rules.driver.va.properties import DEVICE, HOST, HOST_NUMA, PINNED
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.graph.executables import Executable
    from fakecuda.model.graph.graph import Graph, Node
    from fakecuda.model.graph.graph_memory import Access, Planned

    Params = tuple[Any, int, int, int, int]
    """CUDA_MEM_ALLOC_NODE_PARAMS: pool properties, access descriptors, size, address."""
    Dependencies = tuple[int, ...] | None

HANDLE_TYPES = 0b1111
"""All flags of CUmemAllocationHandleType."""
DESCRIPTION = struct.Struct("3i")
"""A CUmemAccessDesc in memory: location type, location id, and flags."""

TYPE_IS_PINNED_OR_MANAGED = Rule(
    "`poolProps.allocType` is CU_MEM_ALLOCATION_TYPE_PINNED, or since driver 13.0 also CU_MEM_ALLOCATION_TYPE_MANAGED",
    Result.INVALID_VALUE,
    observed(
        "cuGraphAddMemAllocNode",
        "the driver allocates managed memory on a device, and answers INVALID_VALUE to the allocation types 0 and 99",
    ),
    fix="set poolProps.allocType to CU_MEM_ALLOCATION_TYPE_PINNED",
)
HANDLE_TYPES_ARE_KNOWN = Rule(
    "`poolProps.handleTypes` has only bits of CUmemAllocationHandleType",
    Result.INVALID_VALUE,
    observed("cuGraphAddMemAllocNode", "the driver answers INVALID_VALUE to handle type 99"),
    fix="set poolProps.handleTypes to 0",
)
MANAGED_MEMORY_IS_PLAIN = Rule(
    "`poolProps.handleTypes`, `poolProps.maxSize` and `poolProps.usage` are 0 for managed memory",
    Result.INVALID_VALUE,
    observed(
        "cuGraphAddMemAllocNode",
        "for managed memory the driver answers INVALID_VALUE to a handle type, a maximum size and a usage",
    ),
    fix="set handleTypes, maxSize and usage to 0 for CU_MEM_ALLOCATION_TYPE_MANAGED",
)
HANDLE_TYPES_ARE_NONE = Rule(
    "`poolProps.handleTypes` is 0",
    Result.NOT_SUPPORTED,
    observed("cuGraphAddMemAllocNode", "the driver answers NOT_SUPPORTED to every handle type"),
    fix="set poolProps.handleTypes to 0",
)
LOCATION_IS_A_DEVICE = Rule(
    "`poolProps.location` is a device, not the host or a host NUMA node",
    Result.NOT_SUPPORTED,
    observed(
        "cuGraphAddMemAllocNode",
        "the driver answers NOT_SUPPORTED to the host and to a host NUMA node, and for managed memory to every "
        "location that is not a device",
    ),
    fix="set poolProps.location to a device",
)
DEVICE_IS_THERE = Rule(
    "`poolProps.location` is a device that the process sees",
    Result.INVALID_VALUE,
    manual("cuGraphAddMemAllocNode", "CUDA_ERROR_INVALID_VALUE"),
    fix="set poolProps.location.id to a number below the count that cuDeviceGetCount returns",
)
SOMETHING_IS_ALLOCATED = Rule(
    "`bytesize` is not 0",
    Result.INVALID_VALUE,
    observed("cuGraphAddMemAllocNode", "the driver answers INVALID_VALUE to 0 bytes"),
    fix="set bytesize to the number of bytes that the node allocates",
)
DESCRIPTIONS_ARE_FEW = Rule(
    "`accessDescCount` is not greater than the number of devices that the process sees",
    Result.INVALID_VALUE,
    observed("cuGraphAddMemAllocNode", "the driver answers INVALID_VALUE to more descriptors than there are devices"),
    fix="describe each other device once, with CU_MEM_ACCESS_FLAGS_PROT_READWRITE",
)
DESCRIPTIONS_ARE_GIVEN = Rule(
    "`accessDescs` is not null if `accessDescCount` is not 0",
    Result.INVALID_VALUE,
    undefined(
        "cuGraphAddMemAllocNode",
        "the manual says nothing about a null pointer; driver 580 crashes (segmentation fault)",
    ),
    fix="set accessDescs to an array of accessDescCount descriptors",
)
ACCESS_IS_OF_A_DEVICE = Rule(
    "each device in `accessDescs` is a device that the process sees",
    Result.INVALID_DEVICE,
    observed("cuGraphAddMemAllocNode", "the driver answers INVALID_DEVICE to a descriptor of a missing device"),
    fix="describe only devices that the process sees",
)
ACCESS_IS_A_DEVICE_S = Rule(
    "each entry of `accessDescs` is for the host, the memory's device, or, with READWRITE, a device capable of peer "
    "access",
    Result.INVALID_VALUE,
    manual("cuGraphAddMemAllocNode", "CUDA_ERROR_INVALID_VALUE"),
    fix="describe only devices that can access the memory, with CU_MEM_ACCESS_FLAGS_PROT_READWRITE",
)
ADDRESSES_SUFFICE = Rule(
    "with this node, the process's graph memory on the device takes up at most twice the size of the device's memory",
    Result.OUT_OF_MEMORY,
    observed(
        "cuGraphAddMemAllocNode",
        "the nodes of one or several graphs get addresses for at most twice the card's memory",
    ),
    fix="allocate less, or free reservations first",
)
MEMORY_IS_OF_A_GRAPH = Rule(
    "`dptr` is the address that a memory allocation node of this process returned",
    Result.INVALID_VALUE,
    manual("cuGraphAddMemFreeNode", "an address that was not returned by an allocation node"),
    fix="pass the start address of memory that a node of an existing graph allocates",
)
MEMORY_IS_FREED_ONCE = Rule(
    "no other node of the graph frees the memory at `dptr`",
    Result.INVALID_VALUE,
    manual("cuGraphAddMemFreeNode", "an allocation twice in the same graph"),
    fix="add only one node that frees the memory to a graph",
)
FREE_COMES_BEFORE_EXECUTABLES = Rule(
    "a graph that also has the allocation node of `dptr` has not been instantiated since it got that node",
    Result.INVALID_VALUE,
    observed(
        "cuGraphAddMemFreeNode",
        "the driver answers INVALID_VALUE to memory of the graph itself after the graph was instantiated with its node, also "
        "after cuGraphExecDestroy",
    ),
    fix="add the free node before you instantiate the graph, or free the memory in another graph",
)
ONE_SIDE_FREES = Rule(
    "`dptr` is freed either by the graph that allocates it or by other graphs, not by both",
    Result.INVALID_VALUE,
    manual("cuGraphAddMemAllocNode", "It is not possible to free an allocation in both the owning graph and"),
    fix="free the memory in the graph that allocates it, or only in other graphs",
)
MEMORY_WAS_FREED = Rule(
    "memory of earlier launches of the graph has been freed, or the graph was instantiated with AUTO_FREE_ON_LAUNCH",
    Result.INVALID_VALUE,
    manual("cuGraphLaunch", "If any allocations created by `hGraphExec` remain unfreed"),
    fix="free the memory that the last launch allocated, or set CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH",
)
MEMORY_IS_ALLOCATED = Rule(
    "memory that the graph frees but does not allocate is allocated when the call is made",
    Result.INVALID_VALUE,
    observed(
        "cuGraphLaunch",
        "the driver answers INVALID_VALUE to a second launch of a graph that frees memory of another graph",
    ),
    fix="launch the graph that allocates the memory before each launch of the graph that frees it",
)
OF_FREES = (MEMORY_IS_OF_A_GRAPH, MEMORY_IS_FREED_ONCE, FREE_COMES_BEFORE_EXECUTABLES, ONE_SIDE_FREES)
"""Rules of free nodes whose violation still marks the graph as one with memory."""


@guard
def freed(call: Call, of: Graph, pointer: int) -> Planned:
    """Return the memory that a new free node frees.

    Args:
        call: The call.
        of: The graph.
        pointer: The memory's first address.
    """
    growing(of)
    memory = graph_memory.at(call.process, pointer)
    if memory is None:
        raise MEMORY_IS_OF_A_GRAPH.broken(pointer=pointer, found=call.process.memory.at(pointer))
    if of in memory.frees:
        raise MEMORY_IS_FREED_ONCE.broken(memory=memory, graph=of)
    if memory.graph is of and memory.instantiated:
        raise FREE_COMES_BEFORE_EXECUTABLES.broken(memory=memory, graph=of)
    others = [one for one in memory.frees if not one.ended]
    if others and memory.graph in {of, *others}:
        raise ONE_SIDE_FREES.broken(memory=memory, graph=of, freed_in=others[0])
    return memory


@guard
def freeing(call: Call, of: Graph, pointer: int) -> Planned:
    """Check a new free node; even on failure, mark the graph as one with memory nodes."""
    growing(of)
    try:
        return freed(call, of, pointer)
    except Broken:
        of.refuse(MEM_FREE)
        raise


@guard
def launchable(executable: Executable, *, frees: bool) -> list[Planned]:
    """Check a launch's allocations and frees; return what it must free first.

    Args:
        executable: The executable graph.
        frees: Whether its launches free what was not freed.
    """
    own = graph_memory.of_steps(executable, MEM_ALLOC)
    left = [memory for memory in own if memory.is_allocated]
    if left and not frees:
        raise MEMORY_WAS_FREED.broken(memory=left[0], executable=executable)
    for memory in graph_memory.of_steps(executable, MEM_FREE):
        if memory not in own and not memory.is_allocated:
            raise MEMORY_IS_ALLOCATED.broken(memory=memory, executable=executable)
    return left


@guard
def given(target: Graph, after: list[Node], size: int, device: Device, props: PoolProps, access: Access) -> Planned:
    """Reserve addresses for an allocation node; mark its graph."""
    differing(after, MEM_ALLOC)
    memory = graph_memory.plan(target, size, device, props, access, here(), after)
    if memory is None:
        target.refuse(MEM_ALLOC)
        raise ADDRESSES_SUFFICE.broken(size=size)
    return memory


@guard
def room_for(call: Call, executable: Executable) -> None:
    """Reserve memory for what a launch of an executable graph allocates."""
    state = call.process.graph_memory
    if state is not None and not graph_memory.bind(state, executable):
        raise MEMORY_SUFFICES.broken(executable=executable)


@guard
def wanted(call: Call, params: Params | None) -> tuple[int, Device, PoolProps, Access]:
    """Return the size, device, pool properties and access of an allocation node."""
    if params is None:
        raise PARAMETERS_ARE_GIVEN.broken()
    (kind, handle_types, location, _, most, usage, _), place, count, size, _ = params
    managed = kind == MANAGED and call.machine.profile.driver_version >= WIDE
    if kind != PINNED and not managed:
        raise TYPE_IS_PINNED_OR_MANAGED.broken(type=kind)
    if handle_types & ~HANDLE_TYPES:
        raise HANDLE_TYPES_ARE_KNOWN.broken(handle_types=handle_types)
    if managed and (handle_types or most or usage):
        raise MANAGED_MEMORY_IS_PLAIN.broken(handle_types=handle_types, most=most, usage=usage)
    if handle_types:
        raise HANDLE_TYPES_ARE_NONE.broken(handle_types=handle_types)
    devices = call.process.devices
    if managed and location[0] != DEVICE:
        raise LOCATION_IS_A_DEVICE.broken(location=location)
    if location[0] in {HOST, HOST_NUMA}:
        raise LOCATION_IS_A_DEVICE.broken(location=location)
    if location[0] != DEVICE or not 0 <= location[1] < len(devices):
        raise DEVICE_IS_THERE.broken(location=location)
    device = devices[location[1]]
    supporting(device)
    if not size:
        raise SOMETHING_IS_ALLOCATED.broken()
    if count > len(devices):
        raise DESCRIPTIONS_ARE_FEW.broken(count=count)
    if count and not place:
        call.undefined(DESCRIPTIONS_ARE_GIVEN, count=count)
        raise DESCRIPTIONS_ARE_GIVEN.broken(count=count)
    others = [row for row in described(call, place, count) if row[:2] != (DEVICE, location[1]) and row[0] != HOST]
    for where, number, flags in others:
        if where == DEVICE and not 0 <= number < len(devices):
            raise ACCESS_IS_OF_A_DEVICE.broken(location=(where, number))
        granted = where == DEVICE and flags == READ_WRITE
        link = call.machine.profile.peers.get((devices[number].ordinal, device.ordinal)) if granted else None
        if link is None or not link.can_access:
            raise ACCESS_IS_A_DEVICE_S.broken(location=(where, number), flags=flags)
    access = tuple((number, flags) for _, number, flags in others)
    return size, device, PoolProps(kind, 0, Location(*location), most, usage), access


def described(call: Call, place: int, count: int) -> list[tuple[int, int, int]]:
    """Return access descriptors from memory: location type, location id, flags.

    Raises:
        Unreadable: They cannot be read.
        FakeCudaError: The caller is another OS process, whose memory is not read.
    """
    if count and call.process.system is not OWN:
        msg = (
            "adding an allocation node with access descriptors is not modelled for an OS process that has attached "
            "to another process's machine: add the node in the OS process that made the machine"
        )
        raise FakeCudaError(msg)
    return list(DESCRIPTION.iter_unpack(bytes_at(place, count * DESCRIPTION.size))) if count else []


def told(memory: Planned) -> Params:
    """Return the CUDA_MEM_ALLOC_NODE_PARAMS of a node, which owns its descriptors."""
    kind, handle_types, location, most, usage = memory.props
    props = (kind, handle_types, tuple(location), 0, most, usage, 0)
    return props, memory.descriptions(), len(memory.others), memory.size, memory.start


@DRIVER.op(
    "cuGraphAddMemAllocNode",
    acts_before=(DEPENDENCIES_DIFFER, ADDRESSES_SUFFICE),
    several="the addresses are there before the node",
)
def graph_add_mem_alloc_node(
    call: Call, handle: int, dependencies: Dependencies, count: int, params: Params | None
) -> tuple[int, Params]:
    """Add an allocation node, and return it with its parameters and address.

    Args:
        call: The call.
        handle: The graph.
        dependencies: The nodes that it depends on.
        count: Their number.
        params: How much where, a CUDA_MEM_ALLOC_NODE_PARAMS.
    """
    # CHECK
    target, after = ready_beside(call, handle, dependencies, count)
    size, device, props, access = wanted(call, params)
    growing(target)
    # EFFECT
    memory = given(target, after, size, device, props, access)
    assert params is not None
    return graph.add_node(target, MEM_ALLOC, memory, after, here()).handle, (*params[:4], memory.start)


@DRIVER.op("cuGraphMemAllocNodeGetParams")
def graph_mem_alloc_node_get_params(call: Call, handle: int) -> Params:
    """Return the parameters of an allocation node."""
    # CHECK
    node = of_kind(require_node_without_init(call, handle), MEM_ALLOC)
    # EFFECT
    return told(node.params)


@DRIVER.op("cuGraphAddMemFreeNode", acts_before=(DEPENDENCIES_DIFFER, *OF_FREES))
def graph_add_mem_free_node(call: Call, handle: int, dependencies: Dependencies, count: int, pointer: int) -> int:
    """Add a free node, and return it.

    Args:
        call: The call.
        handle: The graph.
        dependencies: The nodes that it depends on.
        count: Their number.
        pointer: The first address of memory that a node allocates, of this graph or another.
    """
    # CHECK
    target, after = ready_beside(call, handle, dependencies, count)
    growing(target)
    differing(after, MEM_FREE)
    memory = freeing(call, target, pointer)
    # EFFECT
    return graph.add_node(target, MEM_FREE, memory, after, here()).handle


@DRIVER.op("cuGraphMemFreeNodeGetParams")
def graph_mem_free_node_get_params(call: Call, handle: int) -> int:
    """Return the address that a free node frees."""
    # CHECK
    node: Any = of_kind(require_node_without_init(call, handle), MEM_FREE)
    # EFFECT
    start: int = node.params.start
    return start
