"""Graph memory: fixed addresses that have memory from a launch to a free.

An allocation node has its addresses from its creation on. A launch allocates physical memory for them. The memory comes
from pools that programs do not see, one for each device and each set of devices with access. An executable graph keeps
the block of its memory, so that its next launch uses it again. Empty blocks are given back when a program trims graph
memory.
"""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.model.effect import effect
from fakecuda.model.graph.executables import Executable
from fakecuda.model.graph.graph import CHILD, MEM_ALLOC, MEM_FREE
from fakecuda.model.memory import pool_effects
from fakecuda.model.memory.addresses import AddressMap
from fakecuda.model.memory.backing import Extent
from fakecuda.model.memory.blocks import Arena, Block
from fakecuda.model.memory.chunk import GRANULE, Chunk
from fakecuda.model.memory.memory import Span
from fakecuda.model.memory.pool import MANAGED, READ_WRITE, UNIT, Pool, Pooled, PoolProps
from fakecuda.spec import orders

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fakecuda.model.context import Device
    from fakecuda.model.graph.graph import Graph, Node
    from fakecuda.model.history import Stack
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.stream import Stream

    Access = tuple[tuple[int, int], ...]
    Layout = dict["GraphPool", tuple[int, dict["Planned", int]]]

NODES = frozenset({MEM_ALLOC, MEM_FREE})
"""The kinds of allocation and free nodes."""
EVERYTHING = (1 << 64) - 1
DEVICE = 1
"""CU_MEM_LOCATION_TYPE_DEVICE."""


@define(eq=False)
class GraphPool(Pool):
    """A pool of graph memory without a handle, which synchronising does not trim.

    Attributes:
        associated_high: The highest value of the bytes associated with graphs, since it was reset.
    """

    threshold: int = EVERYTHING
    associated_high: int = 0

    def __repr__(self) -> str:
        return f"graph memory on {self.device}"

    def keep(self, chunk: Chunk) -> None:
        """Add a reserved block."""
        Pool.keep(self, chunk)
        self.associated_high = max(self.associated_high, self.reserved)

    @effect()
    def give_back(self) -> None:
        """Release empty blocks whose work is done."""
        for chunk in list(self.chunks.values()):
            if is_free(chunk) and all(hole.done for hole in chunk.holes):
                self.drop(chunk)

    @effect()
    def reset(self, *, associated: bool) -> None:
        """Reset a high-water mark of used or reserved bytes to the current value."""
        if associated:
            self.associated_high = self.reserved
        else:
            self.reserved_high = self.reserved


@define(eq=False)
class Planned(Span):
    """Memory that a graph allocates at the same addresses with each launch.

    Attributes:
        pool: The pool that it comes from.
        span: Bytes that it takes of a block.
        props: The properties of a pool for such memory, as they were given: their maximum limits nothing.
        others: The other devices with access, by number, each with its flags.
        graph: The graph with the node that allocates it.
        frees: The graphs with a node that frees it.
        instantiated: Whether its graph was instantiated with the node that allocates it.
        place: The block of its executable graph, and the offset there.
        item: The present allocation, or the last one. None before the first launch.
        laid: The memory of its access descriptors. None before a call has asked for their address.
        again: Whether it has the addresses of memory that the graph has freed by then.
        overlaid: The allocation that was there when another executable graph of its graph was uploaded. None without one.
    """

    pool: GraphPool
    span: int
    props: PoolProps
    others: Access
    graph: Graph
    frees: dict[Graph, None] = field(factory=dict, repr=False)
    instantiated: bool = False
    place: tuple[Chunk, int] | None = field(default=None, repr=False)
    item: Pooled | None = field(default=None, repr=False)
    laid: Any = field(default=None, repr=False)
    again: bool = False
    overlaid: Pooled | None = field(default=None, repr=False)

    @property
    def is_allocated(self) -> bool:
        """Whether a launch has allocated the memory, and nothing has freed it since."""
        return self.item is not None and self.item.live

    def descriptions(self) -> int:
        """Return the address of the CUmemAccessDesc array of other devices."""
        if self.laid is None:
            rows = [number for ordinal, flags in self.others for number in (DEVICE, ordinal, flags)]
            self.laid = (ctypes.c_int32 * max(len(rows), 1))(*rows)
        return ctypes.addressof(self.laid)

    @property
    def is_nameable(self) -> bool:
        """Whether new nodes can name it: no node of its own graph frees its address, and its graph has not ended."""
        return not self.again and self.graph not in self.frees and not self.graph.ended

    def foreseen(self) -> Pooled:
        """Return a stand-in for a future allocation, for calls that inspect the memory."""
        pool = self.pool
        extent = Extent(pool.arena.memory, 0, self.span)
        block = Block(pool.arena, self.start, self.start + self.span, extent, 0, self.start)
        return Pooled(self.start, self.end, pool, Chunk(block), 0, self.span, 0)

    def __repr__(self) -> str:
        return f"memory {self.start:#x}+{self.size:#x} of {self.graph}"


@define(eq=False)
class GraphMemory:
    """The memory of a process's graphs.

    Attributes:
        planned: The memory that graphs allocate, by address.
        pools: The pools of that memory, by device, other devices with access, and whether it is managed.
        blocks: The blocks of executable graphs by pool.
    """

    planned: AddressMap[Planned] = field(factory=AddressMap)
    pools: dict[tuple[Device, Access, bool], GraphPool] = field(factory=dict)
    blocks: dict[Executable, dict[GraphPool, Chunk]] = field(factory=dict)

    def of(self, device: Device) -> Iterator[GraphPool]:
        """Yield the pools of a device."""
        return (pool for pool in self.pools.values() if pool.device is device)


def executable_of(of: Graph, *, early: bool = True) -> Executable | None:
    """Return the executable graph of a graph with memory nodes; None without one.

    There is at most one, besides those that were made before the graph had such nodes.

    Args:
        of: The graph.
        early: Whether those count.
    """
    made = (item for item in of.process.graphs.values() if isinstance(item, Executable) and (early or item.has_memory))
    return next(
        (one for one in made if one.graph is of or any(step.node.graph is of for step in one.body.every())), None
    )


def has_memory(of: Graph) -> bool:
    """Return whether a graph has, or has refused, memory nodes, in child graphs too.

    Conditional bodies do not count.
    """
    graphs = (graph for node in of.nodes if node.kind == CHILD for graph in node.embedded())
    return of.remembers or any(node.kind in NODES for node in of.nodes) or any(has_memory(graph) for graph in graphs)


def is_free(chunk: Chunk) -> bool:
    """Return whether a block is empty."""
    return sum(hole.end - hole.start for hole in chunk.holes) == chunk.size


def of_steps(executable: Executable, kind: int) -> list[Planned]:
    """Return the memory of an executable graph's allocation nodes or free nodes."""
    return [step.params for step in executable.body.every() if step.kind == kind]


@effect(makes="Planned")
def plan(
    of: Graph, size: int, device: Device, props: PoolProps, others: Access, stack: Stack, after: Iterable[Node] = ()
) -> Planned | None:
    """Reserve addresses for memory of a graph: those of memory that a node before it frees, or new ones.

    None if its device has no addresses left for graphs.

    Args:
        of: The graph.
        size: Bytes.
        device: The device that the memory will be on.
        props: The properties of a pool for such memory.
        others: The other devices with access, by number in the process, each with its flags.
        stack: The stack that asks for it.
        after: The nodes that its node depends on.
    """
    process = of.process
    managed = props.type == MANAGED
    span = -(-size // UNIT) * UNIT
    state = process.graph_memory or GraphMemory()
    pool = state.pools.get((device, others, managed))
    every: dict[Planned, None] = dict.fromkeys(memory for node in after for memory in node.behind)
    freed = [one for one in every if one.pool is pool and one.span >= span and state.planned.at(one.start) is one]
    if freed:
        return _take_over(state, min(freed, key=lambda memory: memory.start), size, stack)
    start = 0
    if _has_addresses(state, device, span, managed=managed):
        start = _given_back(state, span) or process.addresses.take(span, UNIT)
    if not start:
        return None
    process.graph_memory = state
    if pool is None:
        access = {process.devices[number].ordinal: flags for number, flags in others} | {device.ordinal: READ_WRITE}
        arena = Arena(process.machine.managed if managed else process.memory_of(device))
        pool = GraphPool(0, process, device, PoolProps(props.type, 0, props.location), arena, access=access)
        state.pools[device, others, managed] = pool
    made = Planned(start, start + size, pool, span, props, others, of, created=stack)
    state.planned.add(made)
    return made


def _take_over(state: GraphMemory, freed: Planned, size: int, stack: Stack) -> Planned:
    """Return new memory at the addresses of memory that the graph has freed by then."""
    start, own = freed.start, (freed.pool, freed.span, freed.props, freed.others, freed.graph)
    made = Planned(start, start + size, *own, created=stack, again=True)
    state.planned.remove(freed)
    state.planned.add(made)
    return made


def _given_back(state: GraphMemory, span: int) -> int:
    """Return free addresses of an ended graph's memory with a size; 0 without any."""
    for one in state.planned:
        if one.span == span and one.graph.ended and not one.is_allocated and executable_of(one.graph) is None:
            state.planned.remove(one)
            return one.start
    return 0


def _has_addresses(state: GraphMemory, device: Device, span: int, *, managed: bool) -> bool:
    """Return whether a device has addresses left for a node's memory.

    A device has twice as many addresses as bytes for graphs.
    """
    every = (one for one in state.planned if one.pool.device is device and not one.graph.ended)
    spans = [span, *(one.span for one in every if (one.pool.props.type == MANAGED) is managed)]
    large = sum(-(-one // GRANULE) for one in spans if one >= GRANULE)
    small = -(-sum(one for one in spans if one < GRANULE) // GRANULE)
    return large + small <= 2 * -(-device.memory.total // GRANULE)


def layout(executable: Executable) -> Layout:
    """Return the layout of an executable graph's memory in blocks of the pool.

    For each pool it has the bytes of the block, and the offset of each allocation.
    """
    found: Layout = {}
    ends: dict[GraphPool, list[tuple[int, int]]] = {}
    for step in executable.body.every():
        if step.kind not in NODES:
            continue
        memory = step.params
        taken = ends.setdefault(memory.pool, [])
        size, places = found.get(memory.pool, (0, {}))
        if step.kind == MEM_FREE:
            taken[:] = [one for one in taken if one[0] != places.get(memory, -1)]
            continue
        start = 0
        for first, end in sorted(taken):
            if first - start >= memory.span:
                break
            start = end
        taken.append((start, start + memory.span))
        places[memory] = start
        found[memory.pool] = max(size, start + memory.span), places
    return found


def _is_idle(chunk: Chunk) -> bool:
    """Return whether a block is empty, and its former work is done."""
    return is_free(chunk) and all(hole.done for hole in chunk.holes)


def _is_lent(state: GraphMemory, executable: Executable, chunk: Chunk) -> bool:
    """Return whether another executable graph has memory in a block."""
    own = {id(memory.item) for memory in of_steps(executable, MEM_ALLOC)}
    return any(
        memory.item is not None and memory.item.live and memory.item.chunk is chunk and id(memory.item) not in own
        for memory in state.planned
    )


@effect()
def bind(state: GraphMemory, executable: Executable) -> bool:
    """Assign blocks to the memory of an executable graph.

    Return whether there was enough memory.

    Without enough memory nothing has changed.
    """
    wanted = layout(executable)
    if not wanted:
        return True
    own = dict(state.blocks.get(executable, {}))
    reserved: list[tuple[GraphPool, Chunk, tuple[int, int]]] = []
    for pool, (size, _) in wanted.items():
        chunk = own.get(pool)
        if chunk is not None and pool.chunks.get(chunk.block.start) is chunk and not _is_lent(state, executable, chunk):
            continue
        chunk = next((one for one in pool.chunks.values() if _is_idle(one) and one.size >= size), None)
        if chunk is None:
            marks = pool.reserved_high, pool.associated_high
            chunk = pool_effects.reserve(pool, -(-size // GRANULE) * GRANULE, [])
            if chunk is None:
                for one, block, before in reserved:
                    one.drop(block)
                    one.reserved_high, one.associated_high = before
                return False
            reserved.append((pool, chunk, marks))
        own[pool] = chunk
    state.blocks = {it: blocks for it, blocks in state.blocks.items() if not it.ended} | {executable: own}
    for pool, (_, places) in wanted.items():
        for memory, offset in places.items():
            memory.place = own[pool], offset
    return True


@effect(makes="Pooled")
@orders.makes(orders.POOL_ALLOCATION)
def allocate(memory: Planned, stream: Stream, stack: Stack) -> Pooled:
    """Allocate memory of a graph during a launch.

    Args:
        memory: The memory.
        stream: The stream that the allocation is ordered in.
        stack: The stack that launches it.
    """
    pool = memory.pool
    assert memory.place is not None
    chunk, offset = memory.place
    process = pool.process
    awaited = [
        hole.work
        for hole in chunk.occupy(offset, offset + memory.span)
        if hole.work and not hole.done and not pool_effects.comes_after(stream, hole.stream, hole.number)
    ]
    identity = next(process.identities)
    item = Pooled(memory.start, memory.end, pool, chunk, offset, memory.span, identity, created=stack, of_node=memory)
    pool_effects.enter(item)
    pool_effects.begin(item, stream, awaited)
    memory.item = item
    return item


@effect(beside="reports name the node")
def freed(memory: Planned, node: Node) -> None:
    """Note that a node has freed memory of a graph."""
    assert memory.item is not None
    memory.item.freed_by = node


def at(process: Process, address: int) -> Planned | None:
    """Return memory of a graph by its first address.

    None if it is not allocated and no graph can allocate it.
    """
    state = process.graph_memory
    found = None if state is None else state.planned.at(address)
    if found is None or found.start != address:
        return None
    there = found.is_allocated or not found.graph.ended or executable_of(found.graph) is not None
    return found if there else None
