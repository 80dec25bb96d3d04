"""The layout of memory in blocks.

Small allocations share blocks of 2 MiB, and a large allocation has a block of its own.

The driver maps and accounts whole blocks. A freed small allocation therefore stays readable while its block lives. Free
memory changes in steps. An IPC handle of a small allocation maps its whole block. A context has an arena of blocks for
each kind of memory: linear, pinned, write-combined, managed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.model.memory.advice import Advice

if TYPE_CHECKING:
    from fakecuda.model.memory.backing import DeviceMemory, Extent
    from fakecuda.model.memory.host_memory import HostMemory
    from fakecuda.model.memory.narrow import Narrow
    from fakecuda.model.os.process import Process

BLOCK = 2 << 20
LARGEST_SMALL = 1 << 20
UNIT = 512


@define(eq=False)
class Block:
    """A mapped range of memory.

    Attributes:
        arena: The arena that it is part of.
        start: Its first address, a multiple of 2 MiB.
        end: The address after its last.
        extent: The physical memory.
        identity: Its memory block id.
        next: The first address that was never given out.
        flags: The flags of the allocation that the block was made for.
        live: How many allocations lie in the block.
        names: The IPC handles of allocations that have lain in the block since it was last empty. None without any. A
            key is the allocation's first address, its bytes and the identity of the context that exported it. The
            identity is 0 for the block's own context.

        holes: Addresses of freed allocations, with their bytes.
        advice: The advice on the block's pages, for managed memory.
    """

    arena: Arena = field(repr=False)
    start: int
    end: int
    extent: Extent = field(repr=False)
    identity: int
    next: int
    flags: int = 0
    live: int = 0
    names: dict[tuple[int, int, int], bytes] | None = field(default=None, repr=False)
    holes: dict[int, int] = field(factory=dict, repr=False)
    advice: Advice = field(factory=Advice, repr=False)

    def __repr__(self) -> str:
        return f"memory block {self.start:#x}+{self.size:#x}"

    @property
    def size(self) -> int:
        """The size of the block in bytes."""
        return self.end - self.start


class InBlock:
    """Memory that is part of a block."""

    __slots__ = ()
    block: Any

    @property
    def extent(self) -> Extent:
        """The physical memory of the block."""
        return self.block.extent  # type: ignore[no-any-return]

    @property
    def origin(self) -> int:
        """The address of the first byte of the extent."""
        return self.block.start  # type: ignore[no-any-return]


@define(eq=False)
class Arena:
    """The blocks of a context for one kind of memory.

    Attributes:
        memory: The memory that the blocks are part of.
        keeps_empty: Whether the open block stays when its last allocation is freed.
        blocks: The blocks by address.
        open_block: The block that new small allocations go to.
        holes: Free places in blocks, by bytes, then address, with their block.
        addresses: Where the blocks lie. None for the addresses of the process.
    """

    memory: DeviceMemory | HostMemory = field(repr=False)
    keeps_empty: bool = False
    blocks: dict[int, Block] = field(factory=dict, repr=False)
    open_block: Block | None = field(default=None, repr=False)
    holes: dict[int, dict[int, Block]] = field(factory=dict, repr=False)
    addresses: Narrow | None = field(default=None, repr=False)


def take(
    process: Process, arena: Arena, size: int, flags: int = 0, *, zeroed: bool = False
) -> tuple[int, Block] | None:
    """Return the address and the block for an allocation.

    None if memory or addresses are exhausted.

    Args:
        process: The process.
        arena: The arena.
        size: Bytes.
        flags: The flags of the allocation. They affect only a new block.
        zeroed: Whether the bytes are to be zeros. New bytes are zeros anyway, so only a reused hole is filled.

    Raises:
        FakeCudaError: Filling the hole would exceed the memory's cap; nothing has changed.
    """
    span = -(-size // UNIT) * UNIT
    if span > LARGEST_SMALL:
        block = new(process, arena, -(-size // BLOCK) * BLOCK, flags)
        if block is None:
            return None
        start = block.start
    elif arena.holes and (holes := arena.holes.get(span)):
        start, block = next(reversed(holes.items()))
        if zeroed:
            block.extent.memory.fill(block.extent, start - block.start, 0, span)
        del holes[start]
        if not holes:
            del arena.holes[span]
        del block.holes[start]
    else:
        block = opened = arena.open_block
        if block is None or block.next + span > block.end:
            block = new(process, arena, BLOCK, flags)
            if block is None:
                return None
            arena.open_block = block
            if opened is not None and not opened.live:
                release(process, opened)
        start = block.next
        block.next = start + span
    block.live += 1
    return start, block


def give(process: Process, start: int, size: int, block: Block) -> None:
    """Free an allocation's part of a block; an empty block is released."""
    block.live -= 1
    arena = block.arena
    if not block.live:
        block.names = None
    if not block.live and not (arena.keeps_empty and block is arena.open_block):
        if block is arena.open_block:
            arena.open_block = None
        release(process, block)
    elif process.addresses.reuse:
        span = -(-size // UNIT) * UNIT
        block.holes[start] = span
        arena.holes.setdefault(span, {})[start] = block


def release_all(process: Process, arena: Arena) -> None:
    """Release every block of an arena, because its context ends."""
    arena.open_block = None
    for block in list(arena.blocks.values()):
        release(process, block)


def new(process: Process, arena: Arena, size: int, flags: int = 0) -> Block | None:
    """Return a new block of an arena. None if memory or addresses are exhausted."""
    memory = arena.memory
    extent = memory.take(size) or process.machine.exchange.take_reaped(memory, size)
    if extent is None:
        return None
    start = _addressed(process, arena, size)
    if not start:
        extent.release()
        return None
    if not memory.place(extent, start):
        _give_back(process, arena, start, size)
        extent.release()
        return None
    block = Block(arena, start, start + size, extent, next(process.identities), start, flags)
    arena.blocks[start] = block
    return block


def release(process: Process, block: Block) -> None:
    """Release a block's memory and addresses."""
    arena = block.arena
    del arena.blocks[block.start]
    for start, span in block.holes.items():
        holes = arena.holes[span]
        del holes[start]
        if not holes:
            del arena.holes[span]
    block.holes.clear()
    _give_back(process, arena, block.start, block.size)
    block.extent.release()


def _addressed(process: Process, arena: Arena, size: int) -> int:
    """Return addresses for a block; 0 if no addresses are left."""
    if arena.addresses is not None:
        return arena.addresses.take(size, BLOCK)
    return process.addresses.take(size, BLOCK, managed=arena.memory is process.machine.managed)


def _give_back(process: Process, arena: Arena, start: int, size: int) -> None:
    """Release a block's addresses."""
    if arena.addresses is not None:
        arena.addresses.give(start, size)
    else:
        process.addresses.give(start, size, managed=arena.memory is process.machine.managed)
