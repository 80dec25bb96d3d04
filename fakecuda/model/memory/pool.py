"""Memory pools: what stream-ordered allocations come from."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.model.memory import blocks
from fakecuda.model.memory.backing import hide
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
"""Bytes of which an allocation takes multiples."""
FOLLOW_EVENTS, OPPORTUNISTIC, INTERNAL = 1, 2, 3
"""The policies by CUmemPool_attribute."""


class PoolProps(NamedTuple):
    """CUmemPoolProps, as far as a pool is told by them."""

    type: int
    handle_types: int
    location: Location
    max_size: int = 0
    usage: int = 0


Kind = tuple[int, int, int]
"""What a pool is for: an allocation type, and the type and id of a location."""


@define(eq=False)
class Pool(history.Lifetime):
    """A memory pool of a process.

    Attributes:
        handle: The CUmemoryPool.
        process: The process.
        device: The device that its memory lies on, or the host.
        props: What it was created with.
        arena: What its blocks are made in.
        default: Whether it is the default pool of its location.
        source: The pool of the exporting process that an imported one stands for.
        references: How many times it was imported and not destroyed; 1 for one that was created.
        policies: Whether each of ``FOLLOW_EVENTS``, ``OPPORTUNISTIC`` and ``INTERNAL`` is enabled.
        threshold: The reserved bytes that synchronising does not give back.
        access: Access flags by device ordinal; the host's is -1. Of managed memory they are what was set, for everything
            can access that.
        exported: Whether a descriptor of it was made, which other processes need before its memory.
        descriptor: The descriptor that stands for it in HIP, which makes one alone; -1 before.
        handed: The access of other devices when that was made, which imported pools begin with.
        chunks: Its blocks by their addresses.
        imports: What was imported into it, by the 64 bytes that named it.
        count: How many allocations there are.
        used: Their bytes.
        used_high: The most of them since that was reset.
        reserved: Bytes of its blocks.
        reserved_high: The most of them since that was reset.
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
        """What it is for."""
        return self.props.type, *self.props.location

    def flags(self, ordinal: int) -> int:
        """Return what a device can do with its memory, or the host for -1."""
        return READ_WRITE if self.props.type == MANAGED else self.access.get(ordinal, 0)

    @property
    def decompresses(self) -> bool:
        """Whether its memory is for hardware decompression."""
        return bool(self.props.usage & HW_DECOMPRESS)

    @property
    def untouched(self) -> bool:
        """Whether it is as a default pool is that was only looked at."""
        return (
            self.default
            and not self.reserved_high
            and not self.threshold
            and len(self.access) <= 1
            and all(self.policies.values())
        )

    @effect()
    def set_policy(self, policy: int, *, enabled: bool) -> None:
        """Enable ``FOLLOW_EVENTS``, ``OPPORTUNISTIC`` or ``INTERNAL``, or disable it."""
        self.policies[policy] = int(enabled)

    @effect()
    def set_threshold(self, size: int) -> None:
        """Set the reserved bytes that synchronising does not give back."""
        self.threshold = size

    @effect()
    def reset_reserved_high(self) -> None:
        """Have the mark of the reserved bytes begin again with what there is."""
        self.reserved_high = self.reserved

    @effect()
    def reset_used_high(self) -> None:
        """Have the mark of the used bytes begin again with what there is."""
        self.used_high = self.used

    @effect()
    def clear_reserved_high(self) -> None:
        """Have the mark of the reserved bytes begin again with 0, until more is reserved."""
        self.reserved_high = 0

    @effect()
    def clear_used_high(self) -> None:
        """Have the mark of the used bytes begin again with 0, until more is used."""
        self.used_high = 0

    @effect()
    def set_access(self, access: Mapping[int, int]) -> None:
        """Set access flags by device ordinal; the host's is -1."""
        self.access.update(access)

    @effect()
    def export(self, stack: history.Stack) -> int:
        """Return a new descriptor that stands for it."""
        self.exported = True
        return self.process.machine.exchange.export(self, self.process, stack)

    @effect()
    def export_once(self, stack: history.Stack) -> int:
        """Return the one descriptor that stands for it in HIP, and keep what others than its device can access by now."""
        if self.descriptor < 0:
            self.descriptor = self.export(stack)
            self.handed = {ordinal: flags for ordinal, flags in self.access.items() if ordinal != self.device.ordinal}
        return self.descriptor

    @effect()
    def retain(self) -> None:
        """Import it once more."""
        self.references += 1

    def keep(self, chunk: Chunk) -> None:
        """Enter a block that was reserved."""
        self.chunks[chunk.block.start] = chunk
        self.reserved += chunk.size
        self.reserved_high = max(self.reserved, self.reserved_high)

    def drop(self, chunk: Chunk) -> None:
        """Give a block back."""
        del self.chunks[chunk.block.start]
        self.reserved -= chunk.size
        if self.on_host:
            hide(chunk.block.start, chunk.block.size)
        blocks.release(self.process, chunk.block)

    @property
    def on_host(self) -> bool:
        """Whether it is memory of the host that does not move."""
        return self.arena.memory is self.process.machine.host.memory

    def show(self, chunk: Chunk) -> None:
        """Let the host use a block, if it is memory of the host that does not move."""
        if self.on_host:
            memory = self.process.machine.host.memory
            memory.show(chunk.block.extent, chunk.block.start, chunk.block.size)

    @effect()
    def trim(self, keep: int) -> None:
        """Give idle blocks back, and keep at least some bytes."""
        if self.reserved <= keep:
            return
        for chunk in list(self.chunks.values()):
            if chunk.idle and self.reserved - chunk.size >= keep:
                self.drop(chunk)
            elif not self.on_host and self.source is None:
                self.reserved -= chunk.cut(self.reserved - keep)

    @effect()
    def reclaim(self) -> None:
        """Give everything back when the pool was destroyed and nothing of it is in use."""
        gone = self.process.retired_pools.get(self.handle) is self
        if gone and not self.count and all(hole.done for chunk in self.chunks.values() for hole in chunk.holes):
            for chunk in list(self.chunks.values()):
                self.drop(chunk)
            del self.process.retired_pools[self.handle]

    def __repr__(self) -> str:
        return f"memory pool {self.handle:#x} on {self.device}"


@define(eq=False)
class Pooled(Span):
    """Memory from a pool: an allocation, or the import of one.

    Attributes:
        pool: The pool.
        chunk: The block that it lies in.
        offset: Its first byte there.
        span: Bytes that it takes of its block.
        identity: The buffer id, unique in the process.
        made: The allocation in its stream, None when that is done.
        source: The exporter's allocation that an import stands for.
        importers: The imports in other processes.
        share: The 64 bytes by which other processes import it; none before somebody asked.
        named: What other processes see of it by HIP's handles of memory; None before somebody asked.
        live: Whether it has not been freed.
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

    @effect()
    def export(self) -> bytes:
        """Return the 64 bytes by which other processes import it, the same each time."""
        if not self.share:
            process = self.pool.process
            machine = process.machine
            self.share = machine.exchange.new_name(process, 64)
            machine.exchange.pool_shares[self.share] = self
        return self.share

    @property
    def device(self) -> Device:
        """The device that its memory lies on."""
        return self.pool.device

    @property
    def block(self) -> Block:
        """The block that it lies in."""
        return self.chunk.block

    @property
    def extent(self) -> Extent:
        """The physical memory that it lies in."""
        return self.chunk.block.extent

    @property
    def origin(self) -> int:
        """The address of the extent's first byte."""
        return self.start - self.offset

    def __repr__(self) -> str:
        return f"{'import' if self.source else 'allocation'} {self.start:#x}+{self.size:#x} of {self.pool}"


def pools_of(process: Process) -> Iterable[Pool]:
    """Yield the pools of a process, destroyed ones too of which something is left, and those of graphs."""
    yield from list(process.pools.values())
    yield from list(process.retired_pools.values())
    if process.graph_memory is not None:
        yield from list(process.graph_memory.pools.values())


def end(process: Process) -> None:
    """Give all memory of a process's pools back, for it ends."""
    for item in process.memory:
        if isinstance(item, Pooled):
            item.live = False
            if item.source is not None:
                item.source.importers.remove(item)
    for pool in pools_of(process):
        for chunk in list(pool.chunks.values()):
            pool.drop(chunk)
