"""Memory pools, the source of stream-ordered allocations."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.model.memory import blocks
from fakecuda.model.memory.files import hide
from fakecuda.model.memory.memory import Span
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from fakecuda.model.context import Device
    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.blocks import Arena, Block
    from fakecuda.model.memory.chunk import Chunk
    from fakecuda.model.memory.memory import Share
    from fakecuda.model.memory.va import Location
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.stream import Work

MANAGED = ENUMS["CUmemAllocationType"]["CU_MEM_ALLOCATION_TYPE_MANAGED"]
READ_WRITE = ENUMS["CUmemAccess_flags"]["CU_MEM_ACCESS_FLAGS_PROT_READWRITE"]
HW_DECOMPRESS = 2
"""CU_MEM_POOL_CREATE_USAGE_HW_DECOMPRESS."""
UNIT = 512
"""The granularity of allocations in bytes."""
FOLLOW_EVENTS, OPPORTUNISTIC, INTERNAL = 1, 2, 3
"""The reuse policies, by CUmemPool_attribute."""


class PoolProps(NamedTuple):
    """The fields of CUmemPoolProps that matter to a pool."""

    type: int
    handle_types: int
    location: Location
    max_size: int = 0
    usage: int = 0


Kind = tuple[int, int, int]
"""The purpose of a pool: an allocation type, and the type and id of a location."""


@define(eq=False)
class Pool(history.Lifetime):
    """A memory pool of a process.

    Attributes:
        handle: The CUmemoryPool.
        process: The process.
        device: The device that its memory is on, or the host.
        props: The properties that it was created with.
        arena: The arena of its blocks.
        default: Whether it is the default pool of its location.
        source: For an imported pool, the exporting process's pool.
        references: How many times it was imported and not destroyed. 1 for a pool that was created.
        policies: Whether each of ``FOLLOW_EVENTS``, ``OPPORTUNISTIC`` and ``INTERNAL`` is enabled.
        threshold: The reserved bytes that synchronising does not give back.
        access: Access flags by device ordinal; the host's ordinal is -1. For managed memory they are only what was set:
            all devices and the host can access that.
        exported: Whether a descriptor of the pool was made. Other processes need it before they import memory of the
            pool.
        descriptor: The pool's only descriptor in HIP, which makes one at most. -1 before that.
        handed: The access of other devices when that descriptor was made. Imported pools begin with it.
        chunks: Its blocks by address.
        imports: The memory that was imported into it, by the 64 bytes that name the memory.
        count: How many allocations it has.
        used: Bytes of its allocations.
        used_high: The highest value of ``used`` since the mark was reset.
        reserved: Bytes of its blocks.
        reserved_high: The highest value of ``reserved`` since the mark was reset.
    """

    handle: int
    process: Process = field(repr=False)
    device: Device
    props: PoolProps
    arena: Arena = field(repr=False)
    default: bool = False
    source: Pool | None = field(default=None, repr=False)
    references: int = 1
    policies: dict[int, int] = field(factory=lambda: {FOLLOW_EVENTS: 1, OPPORTUNISTIC: 1, INTERNAL: 1}, repr=False)
    threshold: int = 0
    access: dict[int, int] = field(factory=dict, repr=False)
    exported: bool = field(default=False, repr=False)
    descriptor: int = field(default=-1, repr=False)
    handed: dict[int, int] = field(factory=dict, repr=False)
    chunks: dict[int, Chunk] = field(factory=dict, repr=False)
    imports: dict[bytes, Pooled] = field(factory=dict, repr=False)
    count: int = 0
    used: int = 0
    used_high: int = 0
    reserved: int = 0
    reserved_high: int = 0

    @property
    def kind(self) -> Kind:
        """The purpose of the pool."""
        return self.props.type, *self.props.location

    def flags(self, ordinal: int) -> int:
        """Return the access flags of a device ordinal, or of the host for -1."""
        return READ_WRITE if self.props.type == MANAGED else self.access.get(ordinal, 0)

    @property
    def decompresses(self) -> bool:
        """Whether the pool's memory is for hardware decompression."""
        return bool(self.props.usage & HW_DECOMPRESS)

    @property
    def untouched(self) -> bool:
        """Whether the pool is a default pool that no call has used or changed."""
        return (
            self.default
            and not self.reserved_high
            and not self.threshold
            and len(self.access) <= 1
            and all(self.policies.values())
        )

    @effect()
    def set_policy(self, policy: int, *, enabled: bool) -> None:
        """Enable or disable ``FOLLOW_EVENTS``, ``OPPORTUNISTIC`` or ``INTERNAL``."""
        self.policies[policy] = int(enabled)

    @effect()
    def set_threshold(self, size: int) -> None:
        """Set the release threshold: reserved bytes that synchronising keeps."""
        self.threshold = size

    @effect()
    def reset_reserved_high(self) -> None:
        """Reset the high-water mark of reserved bytes to the current value."""
        self.reserved_high = self.reserved

    @effect()
    def reset_used_high(self) -> None:
        """Reset the high-water mark of used bytes to the current value."""
        self.used_high = self.used

    @effect()
    def clear_reserved_high(self) -> None:
        """Reset the high-water mark of reserved bytes to 0, until the pool reserves more."""
        self.reserved_high = 0

    @effect()
    def clear_used_high(self) -> None:
        """Reset the high-water mark of used bytes to 0, until the pool is used again."""
        self.used_high = 0

    @effect()
    def set_access(self, access: Mapping[int, int]) -> None:
        """Set access flags by device ordinal; the host's ordinal is -1."""
        self.access.update(access)

    @effect()
    def export(self, stack: history.Stack) -> int:
        """Return a new descriptor of the pool."""
        self.exported = True
        return self.process.machine.exchange.export(self, self.process, stack)

    @effect()
    def export_once(self, stack: history.Stack) -> int:
        """Return the pool's only descriptor in HIP.

        The first call also stores the access that other devices have then.
        """
        if self.descriptor < 0:
            self.descriptor = self.export(stack)
            self.handed = {ordinal: flags for ordinal, flags in self.access.items() if ordinal != self.device.ordinal}
        return self.descriptor

    @effect()
    def retain(self) -> None:
        """Count one more import of the pool."""
        self.references += 1

    def keep(self, chunk: Chunk) -> None:
        """Add a reserved block."""
        self.chunks[chunk.block.start] = chunk
        self.reserved += chunk.size
        self.reserved_high = max(self.reserved, self.reserved_high)

    def drop(self, chunk: Chunk) -> None:
        """Release a block."""
        del self.chunks[chunk.block.start]
        self.reserved -= chunk.size
        if self.on_host:
            hide(chunk.block.start, chunk.block.size)
        blocks.release(self.process, chunk.block)

    @property
    def on_host(self) -> bool:
        """Whether the pool's memory is host memory that does not migrate."""
        return self.arena.memory is self.process.machine.host.memory

    def show(self, chunk: Chunk) -> None:
        """Let the host use a block, if the pool has host memory that does not migrate."""
        if self.on_host:
            memory = self.process.machine.host.memory
            memory.show(chunk.block.extent, chunk.block.start, chunk.block.size)

    @effect()
    def trim(self, keep: int) -> None:
        """Release idle blocks while at least ``keep`` bytes stay reserved."""
        if self.reserved <= keep:
            return
        for chunk in list(self.chunks.values()):
            if chunk.idle and self.reserved - chunk.size >= keep:
                self.drop(chunk)
            elif not self.on_host and self.source is None:
                self.reserved -= chunk.cut(self.reserved - keep)

    @effect()
    def reclaim(self) -> None:
        """Release all blocks of a destroyed pool when none of its memory is in use."""
        gone = self.process.pools.retired.get(self.handle) is self
        if gone and not self.count and all(hole.done for chunk in self.chunks.values() for hole in chunk.holes):
            for chunk in list(self.chunks.values()):
                self.drop(chunk)
            del self.process.pools.retired[self.handle]

    def __repr__(self) -> str:
        return f"memory pool {self.handle:#x} on {self.device}"


@define(eq=False)
class Pooled(Span):
    """Memory from a pool: an allocation, or an import of an allocation.

    Attributes:
        pool: The pool.
        chunk: The block that the memory lies in.
        offset: The offset of its first byte in the block.
        span: Bytes that it takes of its block.
        identity: The buffer id, unique in the process.
        made: The allocation as work of its stream. None once that is done.
        source: For an import, the exporter's allocation.
        importers: The imports in other processes.
        share: The 64 bytes by which other processes import it. Empty before its first export.
        named: Its export by an IPC memory handle of HIP. None before the first such export.
        live: Whether it has not been freed.
        of_node: The memory of the graph node that allocated it. None for memory that a call allocated.
        freed_by: The graph node that freed it. None if no node has.
        sync_memops: Whether synchronous memory operations on it always synchronise.
    """

    words = ("allocated", "freed")
    pool: Pool
    chunk: Chunk = field(repr=False)
    offset: int = field(repr=False)
    span: int = field(repr=False)
    identity: int
    made: Work | None = field(default=None, repr=False)
    source: Pooled | None = field(default=None, repr=False)
    importers: list[Pooled] = field(factory=list, repr=False)
    share: bytes = field(default=b"", repr=False)
    named: Share | None = field(default=None, repr=False)
    live: bool = True
    sync_memops: bool = False
    of_node: history.Lifetime | None = field(default=None, repr=False)
    freed_by: history.Lifetime | None = field(default=None, repr=False)

    @effect()
    def export(self) -> bytes:
        """Return the 64 bytes of export data for the memory, the same each time."""
        if not self.share:
            process = self.pool.process
            machine = process.machine
            self.share = machine.exchange.new_name(process, 64)
            machine.exchange.pool_shares[self.share] = self
        return self.share

    @property
    def device(self) -> Device:
        """The device that the memory is on."""
        return self.pool.device

    @property
    def block(self) -> Block:
        """The block that contains the memory."""
        return self.chunk.block

    @property
    def extent(self) -> Extent:
        """The physical memory of the block."""
        return self.chunk.block.extent

    @property
    def origin(self) -> int:
        """The address of the extent's first byte."""
        return self.start - self.offset

    def history(self) -> list[str]:
        """Return where the memory was allocated and freed, or launched by a graph."""
        words = self.words if self.source is None else ("imported", "freed")
        made, gone = history.story(self.created, (), words), history.story((), self.ended, words)
        return [*made, *_added(self.of_node), *gone, *_added(self.freed_by)]

    def __repr__(self) -> str:
        return f"{'import' if self.source else 'allocation'} {self.start:#x}+{self.size:#x} of {self.pool}"


def _added(node: history.Lifetime | None) -> list[str]:
    """Return a line for where a graph node was added; None without a node."""
    return (
        []
        if node is None
        else [f"  by a graph node that was added at {line}" for line in history.places(node.created)[:1]]
    )


@define
class Pools:
    """The memory pools of a process.

    Attributes:
        live: Pools that are not destroyed, by handle.
        retired: Destroyed pools with memory in use, by handle.
        defaults: The default pools that were used, by allocation type and location.
        current: The pools that were set as current, by allocation type and location.
    """

    live: dict[int, Pool] = field(factory=dict)
    retired: dict[int, Pool] = field(factory=dict)
    defaults: dict[Kind, Pool] = field(factory=dict)
    current: dict[Kind, Pool] = field(factory=dict)

    def in_fork(self) -> Pools:
        """Return the pools of a fork: the parent's, which the fork does not change."""
        return Pools(dict(self.live), {}, dict(self.defaults), dict(self.current))


def pools_of(process: Process) -> Iterable[Pool]:
    """Yield the live pools of a process, destroyed pools with memory, and graph pools."""
    yield from list(process.pools.live.values())
    yield from list(process.pools.retired.values())
    if process.graph_memory is not None:
        yield from list(process.graph_memory.pools.values())


def end(process: Process) -> None:
    """Release all memory of a process's pools at the end of the process."""
    for item in process.memory:
        if isinstance(item, Pooled):
            item.live = False
            if item.source is not None:
                item.source.importers.remove(item)
    for pool in pools_of(process):
        for chunk in list(pool.chunks.values()):
            pool.drop(chunk)
