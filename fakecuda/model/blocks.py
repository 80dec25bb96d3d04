"""How linear memory is laid out: blocks of 2 MiB that small allocations share, and blocks of their own for large ones.

The driver maps and accounts whole blocks. That is why a freed small allocation stays readable while its block lives,
why the free memory moves in steps, and what an IPC handle of a small allocation really maps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

if TYPE_CHECKING:
    from fakecuda.model.backing import Extent
    from fakecuda.model.context import Context
    from fakecuda.model.process import Process

BLOCK = 2 << 20
LARGEST_SMALL = 1 << 20
UNIT = 512


@define(eq=False)
class Block:
    """A mapped piece of device memory.

    Attributes:
        start: Its first address, a multiple of 2 MiB.
        end: The address after its last.
        extent: The physical memory.
        identity: Its memory block id.
        next: The first address that was never given out.
        live: How many allocations lie in it.
        holes: Addresses of freed allocations, with their spans.
    """

    start: int
    end: int
    extent: Extent = field(repr=False)
    identity: int
    next: int
    live: int = 0
    holes: dict[int, int] = field(factory=dict, repr=False)

    @property
    def size(self) -> int:
        """Bytes."""
        return self.end - self.start


def take(process: Process, context: Context, size: int) -> tuple[int, Block] | None:
    """Return the address and the block for an allocation, or None when memory or addresses are exhausted."""
    span = -(-size // UNIT) * UNIT
    if span > LARGEST_SMALL:
        block = _new(process, context, -(-size // BLOCK) * BLOCK)
        if block is None:
            return None
        start = block.start
    else:
        holes = context.holes.get(span)
        if holes:
            start, block = holes.popitem()
            del block.holes[start]
        else:
            opened = context.open_block
            block = opened if opened is not None and opened.next + span <= opened.end else None
            if block is None:
                block = _new(process, context, BLOCK)
                if block is None:
                    return None
                context.open_block = block
                if opened is not None and not opened.live:
                    _release(process, context, opened)
            start = block.next
            block.next += span
    block.live += 1
    return start, block


def give(process: Process, context: Context, start: int, size: int, block: Block) -> None:
    """Give an allocation's place back; a block without allocations is released."""
    block.live -= 1
    span = -(-size // UNIT) * UNIT
    if not block.live and block is not context.open_block:
        _release(process, context, block)
    elif process.addresses.reuse:
        block.holes[start] = span
        context.holes.setdefault(span, {})[start] = block


def release_all(process: Process, context: Context) -> None:
    """Release every block of a context that ends."""
    context.open_block = None
    for block in list(context.blocks.values()):
        _release(process, context, block)


def _new(process: Process, context: Context, size: int) -> Block | None:
    memory = context.device.memory
    extent = memory.take(size)
    if extent is None:
        process.machine.reap()
        extent = memory.take(size)
        if extent is None:
            return None
    start = process.addresses.take(size, BLOCK)
    if not start:
        extent.release()
        return None
    block = context.blocks[start] = Block(start, start + size, extent, next(process.block_identities), start)
    return block


def _release(process: Process, context: Context, block: Block) -> None:
    del context.blocks[block.start]
    for start, span in block.holes.items():
        del context.holes[span][start]
    block.holes.clear()
    process.addresses.give(block.start, block.size)
    block.extent.release()
