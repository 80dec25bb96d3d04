"""Cells: the work that last used each part of an extent, for race detection."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from fakecuda.model.work.accesses import BESIDE, DISCARDS, POLLS, QUIET, READS, UPDATES, Operation

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fakecuda.model.work.stream import Stream


MOST = 10_000
"""The maximum ranges of an extent; beyond it, all records are dropped."""
MOST_READERS = 8
"""The maximum readers of one stream for the same bytes."""
SHARED = frozenset({DISCARDS, UPDATES, POLLS})
"""Kinds of access that need no order among each other."""


class Cell:
    """A range of bytes with the same last writer and the same readers.

    Args:
        end: The offset after its last byte.
        write: The last writer.
        reads: The readers since that write.
        only: The stream of all of these. None for several streams.
    """

    __slots__ = ("end", "only", "reads", "write")

    def __init__(self, end: int, write: Operation | None, reads: tuple[Operation, ...], only: Stream | None) -> None:
        self.end = end
        self.write = write
        self.reads = reads
        self.only = only

    def written(self, operation: Operation) -> None:
        """Record a writer, which replaces all earlier users."""
        write = self.write
        if write is not None and write is not operation:
            write.current = False
        for one in self.reads:
            one.current = False
        self.write = operation
        self.reads = ()
        self.only = operation.stream

    def read(self, operation: Operation, after: Mapping[Stream, int]) -> None:
        """Record a reader, which replaces the readers that it comes after.

        A few readers of its own stream stay, so that they are recognised when repeated.
        """
        stream = operation.stream
        stay: tuple[Operation, ...] = (operation,)
        if self.only is not stream:
            self.only = None
            if self.write is not None:
                self.write.current = False
        for one in self.reads:
            if (one.stream is stream and len(stay) < MOST_READERS) or one.is_loose(stream, after):
                stay += (one,)
            else:
                one.current = False
        self.reads = stay

    def leave(self) -> None:
        """Mark the range as changed for its writer and its readers."""
        if self.write is not None:
            self.write.current = False
        for one in self.reads:
            one.current = False

    def loose(
        self, stream: Stream | None, after: Mapping[Stream, int], does: str
    ) -> tuple[Operation, int, bool] | None:
        """Return an unordered user of the range, of a stream or of any stream."""
        one = self.write
        if one is not None:
            theirs = one.stream
            if theirs is not stream and after.get(theirs, 0) < one.number and one.is_loose(stream, after):
                return one, self.end - 1, False
        if does not in QUIET:
            for one in self.reads:
                if after.get(one.stream, 0) < one.number and one.is_loose(stream, after):
                    return one, self.end - 1, True
        return None

    def users(self) -> tuple[Operation, ...]:
        """Return the last writer of the range and all later users."""
        return self.reads if self.write is None else (self.write, *self.reads)

    def copied(self) -> Cell:
        """Return a copy of the cell with the same users."""
        return Cell(self.end, self.write, self.reads, self.only)


class Shared(Cell):
    """A range that work has discarded, updated or polled since its last write.

    Such an access must come after the last writer, and a discard or an update after its readers, too: all of these stay.

    Attributes:
        others: These accesses, without those that a later one of the same kind comes after.
    """

    __slots__ = ("others",)

    def __init__(self, end: int, write: Operation | None, reads: tuple[Operation, ...], only: Stream | None) -> None:
        super().__init__(end, write, reads, only)
        self.others: tuple[tuple[str, Operation], ...] = ()

    def share(self, does: str, operation: Operation, after: Mapping[Stream, int]) -> None:
        """Record an access, which replaces earlier accesses of its kind."""
        if self.only is not operation.stream:
            self.only = None
            super().leave()
        stay: tuple[tuple[str, Operation], ...] = ((does, operation),)
        for kind, one in self.others:
            if kind != does or one.is_loose(operation.stream, after):
                stay += ((kind, one),)
            elif one is not operation:
                one.current = False
        self.others = stay

    def written(self, operation: Operation) -> None:
        """Record a writer, which replaces all earlier users."""
        self.leave()
        self.others = ()
        super().written(operation)

    def read(self, operation: Operation, after: Mapping[Stream, int]) -> None:
        """Record a reader."""
        for _, one in self.others:
            if one.stream is not operation.stream:
                one.current = False
        super().read(operation, after)

    def leave(self) -> None:
        """Mark the range as changed for all its users."""
        super().leave()
        for _, one in self.others:
            one.current = False

    def loose(
        self, stream: Stream | None, after: Mapping[Stream, int], does: str
    ) -> tuple[Operation, int, bool] | None:
        """Return an unordered user of the range, as :meth:`Cells.conflict` does."""
        beside = BESIDE.get(does, ())
        for kind, one in self.others:
            if kind not in beside and one.is_loose(stream, after):
                return one, self.end - 1, False
        return super().loose(stream, after, does)

    def users(self) -> tuple[Operation, ...]:
        """Return the last writer of the range and all later users."""
        return (*super().users(), *(one for _, one in self.others))

    def copied(self) -> Shared:
        """Return a copy of the cell with the same users."""
        made = Shared(self.end, self.write, self.reads, self.only)
        made.others = self.others
        return made


class Cells:
    """The ranges of an extent in use, sorted and disjoint.

    Attributes:
        starts: The first offsets of the ranges.
        cells: The ranges.
        end: An offset after all of them.
        far: An offset after all of them and after all deferred work.
    """

    __slots__ = ("cells", "end", "far", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.cells: list[Cell] = []
        self.end = self.far = 0

    def conflict(
        self, start: int, end: int, stream: Stream, after: Mapping[Stream, int], does: str
    ) -> tuple[Operation, int, bool] | None:
        """Return earlier work on a range that lacks an order with new work.

        None without any.

        Args:
            start: The first offset.
            end: The offset after the last.
            stream: The stream of the other work.
            after: The work that the other work comes after, as a number for each stream.
            does: What the other work does.

        Returns:
            The earlier operation, the offset of a byte that it uses, and whether it reads that byte.
        """
        for cell in self.over(start, end):
            if cell.only is not stream:
                found = cell.loose(stream, after, does)
                if found is not None:
                    return found
        return None

    def within(self, start: int, end: int) -> Iterator[Operation]:
        """Yield the work that used a range."""
        for cell in self.over(start, end):
            yield from cell.users()

    def over(self, start: int, end: int) -> list[Cell]:
        """Return the cells that overlap a range."""
        starts = self.starts
        first = bisect_right(starts, start)
        if first and self.cells[first - 1].end > start:
            first -= 1
        return self.cells[first : bisect_left(starts, end, first)]

    def enter(self, start: int, end: int, operation: Operation, after: Mapping[Stream, int], does: str) -> Cell | None:
        """Record the use of a range.

        The arguments are those of :meth:`conflict`, which has found no conflict.

        Returns:
            The cell, if it is exactly the operation's range. None otherwise.
        """
        starts, cells = self.starts, self.cells
        first = bisect_left(starts, start)
        if first == len(starts) or starts[first] != start or cells[first].end != end or does in SHARED:
            self._enter_over(start, end, operation, after, does)
            self.end = max(self.end, end)
            self.far = max(self.far, end)
            cell = cells[bisect_left(starts, start)]
        elif does == READS:
            cell = cells[first]
            cell.read(operation, after)
        else:
            cell = cells[first]
            cell.written(operation)
        if len(starts) > MOST:
            for one in cells:
                one.leave()
                one.end = 0
            starts.clear()
            cells.clear()
            self.end = 0
            return None
        return cell if cell.end == end and does not in SHARED else None

    def _enter_over(self, start: int, end: int, operation: Operation, after: Mapping[Stream, int], does: str) -> None:
        """Record the use of a range that overlaps other cells, as :meth:`enter` does."""
        starts, cells = self.starts, self.cells
        self._cut(start)
        self._cut(end)
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        made = {}
        if does != READS and does not in SHARED:
            made[start] = _cell(end, operation, does)
            for cell in cells[first:last]:
                cell.leave()
                cell.end = 0
        else:
            at = start
            for found, cell in zip(starts[first:last], cells[first:last], strict=True):
                if at < found:
                    made[at] = _cell(found, operation, does)
                at = cell.end
                made[found] = cell
                if does == READS:
                    cell.read(operation, after)
                else:
                    made[found] = _shared(cell, does, operation, after)
            if at < end:
                made[at] = _cell(end, operation, does)
        starts[first:last] = made
        cells[first:last] = made.values()

    def _cut(self, at: int) -> None:
        """Split the cell that contains an offset, so that a cell begins there."""
        index = bisect_left(self.starts, at)
        if index:
            cell = self.cells[index - 1]
            if cell.end > at:
                self.starts.insert(index, at)
                self.cells.insert(index, cell.copied())
                cell.end = at


def _cell(end: int, operation: Operation, does: str) -> Cell:
    """Return a new range for its first use."""
    if does == READS:
        return Cell(end, None, (operation,), operation.stream)
    if does in SHARED:
        return _shared(Cell(end, None, (), operation.stream), does, operation, {})
    return Cell(end, operation, (), operation.stream)


def _shared(cell: Cell, does: str, operation: Operation, after: Mapping[Stream, int]) -> Shared:
    """Return a range with its next discard, update or poll."""
    if not isinstance(cell, Shared):
        cell, before = Shared(cell.end, cell.write, cell.reads, cell.only), cell
        before.end = 0
    cell.share(does, operation, after)
    return cell


UNUSED = Cells()
"""The cells of unused memory."""
