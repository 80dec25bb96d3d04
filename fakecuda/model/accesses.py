"""Who has used which bytes last: what an access has to come after.

A range that is written is the writer's alone: whoever was there before came before the write, so that what comes after the
write comes after them, too. A range that is read keeps its readers beside the writer. So there is no more to keep than there
are ranges in use.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any

from attrs import define

from fakecuda.model import history, transfer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.backing import Extent
    from fakecuda.model.stream import Stream
    from fakecuda.model.transfer import Pieces

    Rows = tuple[int, int, int, int, int]
    """Bytes of a row, rows of a slice, slices, bytes from row to row and from slice to slice."""
    Use = tuple[str, int, int, Pieces, Rows | None]
    """What is done, the first address and the bytes from there to the last, the memory behind them, and its rows, if not all."""

MOST, MOST_EXTENTS = 10_000, 10_000
"""Ranges of an extent that are kept, and extents: where there are more, all of them are forgotten."""
MOST_ROWS = 256
"""Rows of which each is looked at by itself."""
READS, WRITES, ALLOCATES = "reads", "writes", "allocates"
"""What work does to memory."""


class Operation:
    """Work of a stream, and the memory that it uses.

    Args:
        stream: The stream.
        number: Its place among all work.
        uses: What it does to which memory.
        stack: The stack that called.
        before: The last record of a call that there was then, by which the record of this one is found.
    """

    __slots__ = ("before", "number", "stack", "stream", "uses")

    def __init__(
        self, stream: Stream, number: int, uses: tuple[Use, ...], stack: history.Stack, before: tuple[Any, ...] | None
    ) -> None:
        self.stream = stream
        self.number = number
        self.uses = uses
        self.stack = stack
        self.before = before

    @property
    def seen(self) -> bool:
        """Whether the host knows that it is done."""
        order = self.stream.order
        return order is None or self.number <= order.seen

    def is_loose(self, stream: Stream, after: dict[Stream, int]) -> bool:
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
            for does, address, size, pieces, rows in self.uses
            if (does == READS) == reads
            for found, start, length in bytes_of(pieces, rows)
            if found is extent and start <= offset < start + length
        )

    def within(self, extent: Extent, start: int, end: int) -> Iterator[Access]:
        """Yield what it does to some memory by a range of addresses, but for its allocation."""
        for does, address, size, pieces, _ in self.uses:
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


class Cell:
    """A range of bytes that all have the same last writer and readers.

    Args:
        end: The offset after its last byte.
        write: What has written it last.
        reads: What has read it since.
        only: The stream of all of them; None for several streams.
    """

    __slots__ = ("end", "only", "reads", "write")

    def __init__(self, end: int, write: Operation | None, reads: tuple[Operation, ...], only: Stream | None) -> None:
        self.end = end
        self.write = write
        self.reads = reads
        self.only = only

    def read(self, operation: Operation, after: dict[Stream, int]) -> None:
        """Note one more reader: it stands for those that it comes after."""
        stream = operation.stream
        if self.only is stream:
            self.reads = (operation,)
        else:
            self.reads = (*(one for one in self.reads if one.is_loose(stream, after)), operation)
            self.only = None

    def loose(self, stream: Stream, after: dict[Stream, int], does: str) -> tuple[Operation, int, bool] | None:
        """Return what has used it and a byte of it, as :meth:`Cells.conflict`."""
        one = self.write
        if one is not None and one.is_loose(stream, after):
            return one, self.end - 1, False
        if does != READS:
            for one in self.reads:
                if one.is_loose(stream, after):
                    return one, self.end - 1, True
        return None


class Cells:
    """The ranges of an extent that are in use, none of which overlap, by their first offsets."""

    __slots__ = ("_starts", "at")

    def __init__(self) -> None:
        self._starts: list[int] = []
        """In order."""
        self.at: dict[int, Cell] = {}

    def conflict(
        self, start: int, end: int, stream: Stream, after: dict[Stream, int], does: str
    ) -> tuple[Operation, int, bool] | None:
        """Return what has used a range and does not come before another one though it has to; None where there is none.

        Args:
            start: The first offset.
            end: The offset after the last.
            stream: The other one's stream.
            after: What that stream's work comes after.
            does: What the other one does.

        Returns:
            The operation, the offset of a byte that it uses, and whether it reads that.
        """
        found = (cell.loose(stream, after, does) for cell in self._over(start, end))
        return next((one for one in found if one is not None), None)

    def within(self, start: int, end: int) -> Iterator[Operation]:
        """Yield what has used a range."""
        for cell in self._over(start, end):
            if cell.write is not None:
                yield cell.write
            yield from cell.reads

    def _over(self, start: int, end: int) -> list[Cell]:
        """Return the cells that have bytes of a range."""
        starts, cells = self._starts, self.at
        first = bisect_right(starts, start) - 1
        if first < 0 or cells[starts[first]].end <= start:
            first += 1
        return [cells[one] for one in starts[first : bisect_left(starts, end, first)]]

    def enter(self, start: int, end: int, operation: Operation, after: dict[Stream, int], does: str) -> None:
        """Note that a range is used; the arguments are those of :meth:`conflict`, which has found none."""
        starts, cells, stream = self._starts, self.at, operation.stream
        self._cut(start)
        self._cut(end)
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        made = {}
        if does != READS:
            made[start] = Cell(end, operation, (), stream)
        else:
            at = start
            for found in starts[first:last]:
                if at < found:
                    made[at] = Cell(found, None, (operation,), stream)
                cell = made[found] = cells[found]
                cell.read(operation, after)
                at = cell.end
            if at < end:
                made[at] = Cell(end, None, (operation,), stream)
        for found in starts[first:last]:
            del cells[found]
        starts[first:last] = made
        cells.update(made)
        if len(starts) > MOST:
            starts.clear()
            cells.clear()

    def _cut(self, at: int) -> None:
        """Have no cell reach over an offset."""
        index = bisect_left(self._starts, at)
        if index:
            cell = self.at[self._starts[index - 1]]
            if cell.end > at:
                self._starts.insert(index, at)
                self.at[at] = Cell(cell.end, cell.write, cell.reads, cell.only)
                cell.end = at


class Memory:
    """Who has used which bytes of a machine last."""

    __slots__ = ("_extents",)

    def __init__(self) -> None:
        self._extents: dict[Extent, Cells] = {}

    def conflict(self, operation: Operation, after: dict[Stream, int]) -> Access | None:
        """Return an access that an operation does not come after though it has to; None where there is none.

        Args:
            operation: The operation.
            after: What it comes after.
        """
        extents, stream = self._extents, operation.stream
        for does, _, _, pieces, rows in operation.uses:
            for extent, offset, size in pieces if rows is None else bytes_of(pieces, rows):
                cells = extents.get(extent)
                if cells is None:
                    continue
                cell = cells.at.get(offset)
                if cell is None or cell.end < offset + size:
                    found = cells.conflict(offset, offset + size, stream, after, does)
                elif cell.only is stream:
                    continue
                else:
                    found = cell.loose(stream, after, does)
                if found is not None:
                    earlier, at, reads = found
                    return earlier.at(extent, at, reads=reads)
        return None

    def keep(self, operation: Operation, uses: tuple[Use, ...], after: dict[Stream, int]) -> None:
        """Note some of what an operation does; the arguments are those of :meth:`conflict`, which has found none."""
        extents, stream = self._extents, operation.stream
        for does, _, _, pieces, rows in uses:
            for extent, offset, size in pieces if rows is None else bytes_of(pieces, rows):
                cells = extents.get(extent)
                if cells is None:
                    if len(extents) >= MOST_EXTENTS:
                        extents.clear()
                    cells = extents[extent] = Cells()
                cell = cells.at.get(offset)
                if cell is None or cell.end != offset + size:
                    cells.enter(offset, offset + size, operation, after, does)
                elif does == READS:
                    cell.read(operation, after)
                else:
                    cell.write = operation
                    cell.reads = ()
                    cell.only = stream

    def within(self, pieces: Pieces) -> Iterator[tuple[Extent, Operation]]:
        """Yield what has used some memory."""
        for extent, offset, size in pieces:
            cells = self._extents.get(extent)
            if cells is not None:
                for operation in cells.within(offset, offset + size):
                    yield extent, operation

    def clear(self) -> None:
        """Forget all."""
        self._extents.clear()


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
