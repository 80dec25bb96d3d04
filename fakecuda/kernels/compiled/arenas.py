"""The memory of blocks in native code."""

from __future__ import annotations

import ctypes

from fakecuda.kernels.compiled import layout
from fakecuda.kernels.compiled.layout import Block

ALIGNED = 64


class Arena:
    """The memory of a block in native code.

    Args:
        held: What keeps it.
        address: Where it lies.
    """

    def __init__(self, held: bytearray, address: int) -> None:
        self.held, self.address = held, address
        self.words = (ctypes.c_uint64 * (layout.HEAD // layout.WORD)).from_address(address)

    @property
    def live(self) -> bool:
        """Return whether a thread has not ended."""
        return bool(self.words[Block.LIVE])


def arenas(count: int, size: int) -> list[Arena]:
    """Return the memory of a cluster's blocks, one after another."""
    held = bytearray(count * size + ALIGNED)
    start = ctypes.addressof(ctypes.c_char.from_buffer(held))
    first = -(-start // ALIGNED) * ALIGNED
    return [Arena(held, first + number * size) for number in range(count)]
