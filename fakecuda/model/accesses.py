"""Who has used which bytes last: what an access has to come after.

A range that is written is the writer's alone: whoever was there before came before the write, so that what comes after the
write comes after them, too. A range that is read keeps its readers beside the writer. So there is no more to keep than there
are ranges in use.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.model import history

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.stream import Stream

MOST = 10_000
"""Ranges of an extent that are kept: where there are more, all of them are forgotten."""
READS, WRITES, ALLOCATES = "reads", "writes", "allocates"
"""What work does to memory."""


@define(eq=False)
class Access:
    """What work of a stream does to memory.

    Attributes:
        stream: The stream.
        number: Its place among all work.
        does: ``READS``, ``WRITES`` or ``ALLOCATES``.
        address: The first address, as the stream's process has it.
        size: Bytes, from the first to the last.
        stack: The stack that called.
        before: The last record of a call that there was then, by which the record of this one is found.
        call: The call, once somebody has asked.
    """

    stream: Stream
    number: int
    does: str
    address: int
    size: int
    stack: history.Stack = field(repr=False)
    before: tuple[Any, ...] | None = field(repr=False)
    call: str = ""

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
        return own is not stream and after.get(own, 0) < self.number and not self.seen

    def lies_in(self, start: int, end: int) -> bool:
        """Return whether it has used some of a range of addresses of its process."""
        return self.address < end and start < self.address + self.size

    def history(self) -> list[str]:
        """Return where it was called."""
        return history.story(self.stack, history.NOWHERE, ("called", ""))

    def __str__(self) -> str:
        of = f"stream {self.stream.handle:#x} of {self.stream.context.process}"
        return f"{self.call or 'work'} in {of}, which {self.does} {self.address:#x}+{self.size:#x}"


class Cell:
    """A range of bytes that all have the same last writer and readers.

    Args:
        end: The offset after its last byte.
        write: The last write.
        reads: What has read it since.
    """

    __slots__ = ("end", "reads", "write")

    def __init__(self, end: int, write: Access | None, reads: tuple[Access, ...]) -> None:
        self.end = end
        self.write = write
        self.reads = reads


class Cells:
    """The ranges of an extent that are in use, none of which overlap, by their first offsets in order."""

    __slots__ = ("_cells", "_starts")

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._cells: list[Cell] = []

    def conflict(self, start: int, end: int, access: Access, after: dict[Stream, int]) -> Access | None:
        """Return an access of a range that another one does not come after though it has to; None where there is none.

        Args:
            start: The first offset.
            end: The offset after the last.
            access: The other one.
            after: What its stream's work comes after.
        """
        stream, writes = access.stream, access.does != READS
        for cell in self._over(start, end):
            one = cell.write
            if one is not None and one.is_loose(stream, after):
                return one
            if writes:
                for one in cell.reads:
                    if one.is_loose(stream, after):
                        return one
        return None

    def within(self, start: int, end: int) -> Iterator[Access]:
        """Yield what has used a range."""
        for cell in self._over(start, end):
            if cell.write is not None:
                yield cell.write
            yield from cell.reads

    def _over(self, start: int, end: int) -> list[Cell]:
        """Return the cells that have bytes of a range."""
        starts = self._starts
        first = bisect_right(starts, start) - 1
        if first < 0 or self._cells[first].end <= start:
            first += 1
        return self._cells[first : bisect_left(starts, end, first)]

    def enter(self, start: int, end: int, access: Access, after: dict[Stream, int]) -> None:
        """Note that a range is used; the arguments are those of :meth:`conflict`, which has found none."""
        starts, cells = self._starts, self._cells
        reads = access.does == READS
        first = bisect_left(starts, start)
        if first < len(starts) and starts[first] == start and cells[first].end == end:
            cell = cells[first]
            if reads:
                cell.reads = _latest(cell.reads, access, after)
            else:
                cell.write, cell.reads = access, ()
            return
        self._cut(start)
        self._cut(end)
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        if not reads:
            starts[first:last] = [start]
            cells[first:last] = [Cell(end, access, ())]
        else:
            found = list(zip(starts[first:last], cells[first:last], strict=True))
            starts[first:last], cells[first:last] = _filled(start, end, found, access, after)
        if len(starts) > MOST:
            starts.clear()
            cells.clear()

    def _cut(self, at: int) -> None:
        """Have no cell reach over an offset."""
        index = bisect_left(self._starts, at)
        if index and self._cells[index - 1].end > at:
            cell = self._cells[index - 1]
            self._starts.insert(index, at)
            self._cells.insert(index, Cell(cell.end, cell.write, cell.reads))
            cell.end = at


def _filled(
    start: int, end: int, found: list[tuple[int, Cell]], access: Access, after: dict[Stream, int]
) -> tuple[list[int], list[Cell]]:
    """Return where the cells of a range begin, and the cells, once all of it is read."""
    starts: list[int] = []
    cells: list[Cell] = []
    for first, cell in found:
        if start < first:
            starts.append(start)
            cells.append(Cell(first, None, (access,)))
        cell.reads = _latest(cell.reads, access, after)
        starts.append(first)
        cells.append(cell)
        start = cell.end
    if start < end:
        starts.append(start)
        cells.append(Cell(end, None, (access,)))
    return starts, cells


def _latest(reads: tuple[Access, ...], access: Access, after: dict[Stream, int]) -> tuple[Access, ...]:
    """Return the readers of a range that has one more: it stands for those that it comes after."""
    return (*(one for one in reads if one.is_loose(access.stream, after)), access)
