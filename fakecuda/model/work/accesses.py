"""What work does to memory, as it is kept and as it is told."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define

from fakecuda.model import history
from fakecuda.model.memory import transfer

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.shadow_memory import Cell
    from fakecuda.model.memory.transfer import Pieces
    from fakecuda.model.work.stream import Stream

    Rows = tuple[int, int, int, int, int]
    """Bytes of a row, rows of a slice, slices, bytes from row to row and from slice to slice."""
    Use = tuple[str, tuple[int, int], Pieces, Rows | None]
    """What is done, the first address and the bytes from there to the last, the memory behind them, and its rows, if not all."""
    Place = tuple[Stream, int, int]
    """A stream, and the first addresses of the first and the last use of work."""

MOST_ROWS = 256
"""Rows of which each is looked at by itself."""
READS, WRITES, ALLOCATES = "reads", "writes", "allocates"
"""What work does to memory."""


class Operation:
    """Work that a stream was given, once or again and again, and the memory that it uses.

    Args:
        place: Its stream, and where its first and its last use begin.
        what: What it does, as the call has it: where this is equal it is the same work.
        uses: What it does to which memory.

    Attributes:
        stream: Its stream.
        number: Its place among all work, the last time; like the next two it has none before it is kept.
        stack: The stack that called then.
        before: The last record of a call that there was then, by which the record of this one is found.
        current: Whether all bytes that it has used are as it left them, but for what its own stream has done there.
        cells: What it does to which ranges, and where these ended, if each was its own and it came a second time; None before
            it is entered.
    """

    __slots__ = ("before", "cells", "current", "number", "place", "stack", "stream", "uses", "what")
    number: int
    stack: history.Stack
    before: tuple[Any, ...] | None

    def __init__(self, place: Place, what: tuple[Any, ...], uses: tuple[Use, ...]) -> None:
        self.place = place
        self.what = what
        self.uses = uses
        self.stream = place[0]
        self.current = False
        self.cells: Sequence[tuple[str, Cell, int]] | None = None

    @property
    def seen(self) -> bool:
        """Whether the host knows that it is done."""
        order = self.stream.order
        return order is None or self.number <= order.seen

    def is_loose(self, stream: Stream, after: Mapping[Stream, int]) -> bool:
        """Return whether work of another stream has no order to it, and the host does not know that it is done.

        Args:
            stream: The other one's stream.
            after: What the other one comes after.
        """
        own = self.stream
        if own is stream or after.get(own, 0) >= self.number:
            return False
        order = own.order
        return order is not None and self.number > order.seen

    def at(self, extent: Extent, offset: int, *, reads: bool) -> Access:
        """Return what it does to a byte, of which it is a reader, or else the last writer."""
        return next(
            Access(self, does, address, size)
            for does, (address, size), pieces, rows in self.uses
            if (does == READS) == reads
            for found, start, length in bytes_of(pieces, rows)
            if found is extent and start <= offset < start + length
        )

    def within(self, extent: Extent, start: int, end: int) -> Iterator[Access]:
        """Yield what it does to some memory by a range of addresses, but for its allocation."""
        for does, (address, size), pieces, _ in self.uses:
            touches = does != ALLOCATES and address < end and start < address + size
            if touches and any(found is extent for found, _, _ in pieces):
                yield Access(self, does, address, size)


@define(eq=False)
class Access:
    """What an operation does to memory, as it is told.

    Attributes:
        operation: The operation.
        does: ``READS``, ``WRITES`` or ``ALLOCATES``.
        address: The first address, as the stream's process has it.
        size: Bytes, from the first to the last.
        call: The call, once somebody has asked.
    """

    operation: Operation
    does: str
    address: int
    size: int
    call: str = ""

    @property
    def stream(self) -> Stream:
        """The operation's stream."""
        return self.operation.stream

    def history(self) -> list[str]:
        """Return where it was called."""
        return history.story(self.operation.stack, history.NOWHERE, ("called", ""))

    def __str__(self) -> str:
        of = f"stream {self.stream.handle:#x} of {self.stream.context.process}"
        return f"{self.call or 'work'} in {of}, which {self.does} {self.address:#x}+{self.size:#x}"


def bytes_of(pieces: Pieces, rows: Rows | None) -> Pieces:
    """Return the bytes that rows have of some memory; those of many rows are not looked at.

    Args:
        pieces: From the first row's first byte to the last row's last.
        rows: Which bytes are rows; None for all.
    """
    if rows is None:
        return pieces
    width, height, depth, pitch, slice_ = rows
    if (height == 1 or pitch == width) and (depth == 1 or slice_ == pitch * height):
        return pieces
    if height * depth > MOST_ROWS:
        return []
    return [
        piece
        for z in range(depth)
        for y in range(height)
        for piece in transfer.part(pieces, z * slice_ + y * pitch, width)
    ]
