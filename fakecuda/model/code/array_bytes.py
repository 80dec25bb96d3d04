"""The bytes of an array as a kernel sees them: a copy, whose changes other work sees after the run."""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model.memory import transfer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.memory.array import Array
    from fakecuda.model.memory.transfer import Pieces

RUNS = re.compile(b"\x01+")


@define(eq=False)
class ArrayBytes:
    """An array that a kernel reads through a texture or a surface, or writes through a surface.

    Attributes:
        array: The array.
        data: Its bytes, row by row.
        read: For each byte, 1 if it was read.
        written: For each byte, 1 if it was written.
    """

    array: Array
    data: bytearray = field(init=False, repr=False)
    read: bytearray = field(init=False, repr=False)
    written: bytearray = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Copy the bytes."""
        row, rows, slices = self.array.extents
        size = row * rows * slices
        self.data, self.read, self.written = bytearray(size), bytearray(size), bytearray(size)
        transfer.read(self.pieces(0, size), ctypes.addressof(ctypes.c_char.from_buffer(self.data)))

    def pieces(self, at: int, size: int) -> Pieces:
        """Return the memory of a range of the bytes."""
        return [(self.array.extent, self.array.start - self.array.block.start + at, size)]

    def load(self, at: int, size: int) -> int:
        """Return bytes as an integer."""
        self.read[at : at + size] = b"\1" * size
        return int.from_bytes(self.data[at : at + size], "little")

    def store(self, at: int, size: int, value: int) -> None:
        """Write the bytes of an integer."""
        self.written[at : at + size] = b"\1" * size
        self.data[at : at + size] = value.to_bytes(size, "little")

    def uses(self, marks: bytearray) -> Iterator[tuple[tuple[int, int], Pieces]]:
        """Yield address, size and memory of the marked bytes."""
        for match in RUNS.finditer(marks):
            at, size = match.start(), match.end() - match.start()
            yield (self.array.start + at, size), self.pieces(at, size)

    def commit(self) -> None:
        """Write the pending writes to memory."""
        for (address, size), pieces in self.uses(self.written):
            data = bytes(self.data[address - self.array.start :][:size])
            transfer.write(pieces, transfer.bytes_address(data))
