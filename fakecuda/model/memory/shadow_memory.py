"""Which work has last used which bytes. An access must come after it.

A write takes a range for the writer alone. The earlier users came before the write, so work after the write comes after
them, too. A read adds a reader beside the last writer. The records are therefore no more than the ranges in use.

Streams often repeat work. Repeated work keeps its order to all other work, if no other work has used its bytes since.
It only gets a new number. While a single stream has work, its new work is only noted. It is entered when another
stream gets work. Work on bytes beyond all bytes in use can have no conflict either. It is deferred until other work
uses bytes before the end of those.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any

from fakecuda.model.work.accesses import READS, Operation, bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fakecuda.model.history import Stack
    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.transfer import Pieces
    from fakecuda.model.work.accesses import Access, Place, Use
    from fakecuda.model.work.stream import Stream

    PutBy = tuple[Place, tuple[Any, ...], tuple[Use, ...], int, Stack, tuple[Any, ...] | None]
    """Deferred work: the parts of an operation, its number, its stack, and the record before it."""

MOST, MOST_EXTENTS = 10_000, 10_000
"""The most ranges of an extent, and the most extents. Beyond that all of them are dropped."""
MOST_NOTED = 48
"""The most operations that are noted before they are entered. More would cause a run of the garbage collector."""
MOST_KNOWN, MOST_READERS = 1_000, 8
"""The most operations that are recognised when repeated, and the most readers of one stream for the same bytes."""


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

    def loose(self, stream: Stream, after: Mapping[Stream, int], does: str) -> tuple[Operation, int, bool] | None:
        """Return a conflicting user of the range, as :meth:`Cells.conflict` does."""
        one = self.write
        if one is not None:
            theirs = one.stream
            if theirs is not stream and after.get(theirs, 0) < one.number and one.is_loose(stream, after):
                return one, self.end - 1, False
        if does != READS:
            for one in self.reads:
                if after.get(one.stream, 0) < one.number and one.is_loose(stream, after):
                    return one, self.end - 1, True
        return None


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
        """Return earlier work on a range that other work must come after, but does not.

        None without any.

        Args:
            start: The first offset.
            end: The offset after the last.
            stream: The stream of the other work.
            after: The work that the other work comes after, as a number for each stream.
            does: Whether the other work reads or writes.

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
        """Yield the work that has used a range."""
        for cell in self.over(start, end):
            if cell.write is not None:
                yield cell.write
            yield from cell.reads

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
        if first == len(starts) or starts[first] != start or cells[first].end != end:
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
        return cell if cell.end == end else None

    def _enter_over(self, start: int, end: int, operation: Operation, after: Mapping[Stream, int], does: str) -> None:
        """Record the use of a range that overlaps other cells, as :meth:`enter` does."""
        starts, cells = self.starts, self.cells
        self._cut(start)
        self._cut(end)
        first, last = bisect_left(starts, start), bisect_left(starts, end)
        made = {}
        if does != READS:
            made[start] = _cell(end, operation, does)
            for cell in cells[first:last]:
                cell.leave()
                cell.end = 0
        else:
            at = start
            for found, cell in zip(starts[first:last], cells[first:last], strict=True):
                if at < found:
                    made[at] = _cell(found, operation, does)
                made[found] = cell
                cell.read(operation, after)
                at = cell.end
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
                self.cells.insert(index, Cell(cell.end, cell.write, cell.reads, cell.only))
                cell.end = at


def _cell(end: int, operation: Operation, does: str) -> Cell:
    """Return a new range for its first use."""
    if does == READS:
        return Cell(end, None, (operation,), operation.stream)
    return Cell(end, operation, (), operation.stream)


UNUSED = Cells()
"""The ranges of unused memory."""


class Memory:
    """The last users of all bytes of a machine.

    Attributes:
        noted: Work of a single stream that is not entered yet. While there is some, no other work is recognised.
        put_by: Deferred work, for which :meth:`is_behind` was true, until other work uses bytes before it.
    """

    __slots__ = ("_entered", "_extents", "_known", "noted", "put_by")

    def __init__(self) -> None:
        self._extents: dict[Extent, Cells] = {}
        self._entered = 0
        self._known: dict[Place, Operation] = {}
        self.noted: list[Operation] = []
        self.put_by: list[PutBy] = []

    def known(self, place: Place, what: tuple[Any, ...]) -> Operation | None:
        """Return the operation of the same work, done before.

        None if it is not recognised.

        The arguments are those of :class:`Operation`.
        """
        operation = self._known.get(place)
        return operation if operation is not None and operation.what == what else None

    def tell(self, operation: Operation) -> None:
        """Forget an operation that a report names; its repetition becomes a new operation."""
        self._known.pop(operation.place, None)

    def note(self, operation: Operation) -> None:
        """Note an operation without entering it, while no other stream has work."""
        if len(self.noted) >= MOST_NOTED:
            self.enter()
        if not self.noted:
            self._known.clear()
        self.noted.append(operation)
        self._known[operation.place] = operation
        operation.current = True
        operation.cells = None

    def enter(self) -> None:
        """Enter all noted work, the oldest first, except for work that is done."""
        if not self.noted:
            return
        noted = sorted(self.noted, key=lambda operation: operation.number)
        self.noted.clear()
        for operation in noted:
            order = operation.stream.order
            if order is not None and operation.number > order.seen:
                self.keep(operation, order.after)
            else:
                operation.current = False

    def conflict(self, operation: Operation, after: Mapping[Stream, int]) -> Access | None:
        """Return an access that an operation must come after, but does not.

        None without any.

        Args:
            operation: The operation.
            after: The work that it comes after, as a number for each stream.
        """
        stream = operation.stream
        if operation.cells:
            for does, cell, end in operation.cells:
                if cell.end != end or (cell.only is not stream and cell.loose(stream, after, does)):
                    operation.cells = ()
                    break
            else:
                return None
        extents = self._extents
        for does, _, pieces, rows in operation.uses:
            for extent, offset, size in pieces if rows is None else bytes_of(pieces, rows):
                cells = extents.get(extent)
                if cells is not None and offset < cells.far:
                    if self.put_by:
                        self._fetch()
                    found = cells.conflict(offset, offset + size, stream, after, does)
                    if found is not None:
                        earlier, at, reads = found
                        return earlier.at(extent, at, reads=reads)
        return None

    def is_behind(self, uses: tuple[Use, ...]) -> bool:
        """Return whether work uses only bytes beyond all bytes in use, and mark them used.

        Such work conflicts with no earlier work.

        Args:
            uses: All memory that the work uses, and how.
        """
        if len(self.put_by) >= MOST:
            return False
        extents = self._extents
        before: Cells | None = None
        began = 0
        for _, _, pieces, rows in uses:
            if rows is not None:
                return False
            for extent, offset, size in pieces:
                cells = extents.get(extent)
                if cells is None:
                    if len(extents) >= MOST_EXTENTS:
                        return False
                    cells = extents[extent] = Cells()
                far, end = cells.far, offset + size
                if offset < far and (cells is not before or offset < began):
                    return False
                if cells is not before:
                    before, began = cells, far
                if end > far:
                    cells.far = end
        return True

    def _fetch(self) -> None:
        """Enter deferred work, except for work that is done.

        No other work has used its bytes, so its order does not matter.
        """
        put_by, self.put_by = self.put_by, []
        for place, what, uses, number, stack, before in put_by:
            order = place[0].order
            if order is not None and number > order.seen:
                operation = Operation(place, what, uses)
                operation.number, operation.stack, operation.before = number, stack, before
                operation.current = True
                self._enter(operation, {})

    def keep(self, operation: Operation, after: Mapping[Stream, int], *, ordered: bool = True) -> None:
        """Record what an operation uses.

        Args:
            operation: The operation.
            after: The work that it comes after, as a number for each stream.
            ordered: Whether :meth:`conflict` has found no conflict.
        """
        operation.current = ordered
        if operation.cells:
            for does, cell, _ in operation.cells:
                if does != READS:
                    if cell.write is not operation or cell.reads:
                        cell.written(operation)
                elif operation not in cell.reads:
                    cell.read(operation, after)
            return
        if self.put_by:
            self._fetch()
        self._enter(operation, after)

    def _enter(self, operation: Operation, after: Mapping[Stream, int]) -> None:
        """Enter an operation into the ranges of its memory.

        The arguments are those of :meth:`keep`.
        """
        extents, again, stream = self._extents, operation.cells is not None, operation.stream
        used: list[tuple[str, Cell, int]] = []
        for does, _, pieces, rows in operation.uses:
            for extent, offset, size in pieces if rows is None else bytes_of(pieces, rows):
                cells = extents.get(extent)
                if cells is None:
                    if len(extents) >= MOST_EXTENTS:
                        self.clear()
                        again = operation.current = False
                    cells = extents[extent] = Cells()
                end = offset + size
                cell: Cell | None
                if offset >= cells.end and len(cells.starts) < MOST:  # beyond all ranges in use, the usual case
                    cell = Cell(end, None, (operation,), stream) if does == READS else Cell(end, operation, (), stream)
                    cells.starts.append(offset)
                    cells.cells.append(cell)
                    cells.end = end
                    cells.far = max(cells.far, end)
                else:
                    cell = cells.enter(offset, end, operation, after, does)
                if cell is None:
                    again = False
                elif again:
                    used.append((does, cell, end))
        operation.cells = used if again else ()
        self._entered += 1
        if len(self._known) >= MOST_KNOWN:
            self._known.clear()
        self._known[operation.place] = operation

    def knows(self, extent: Extent, offset: int, size: int) -> bool:
        """Return whether any work has used some memory."""
        if self.noted:
            self.enter()
        cells = self._extents.get(extent, UNUSED)
        if offset >= cells.far:
            return False
        if self.put_by:
            self._fetch()
        return bool(cells.over(offset, offset + size))

    def within(self, pieces: Pieces) -> Iterator[tuple[Extent, Operation]]:
        """Yield the work that has used some memory."""
        if self.put_by:
            self._fetch()
        for extent, offset, size in pieces:
            for operation in self._extents.get(extent, UNUSED).within(offset, offset + size):
                yield extent, operation

    def relax(self) -> None:
        """Drop all records, because all work is done.

        A few records stay, because work may repeat.
        """
        if self._entered + len(self.put_by) > MOST_NOTED:
            self.clear()

    def clear(self) -> None:
        """Drop all records."""
        self._extents.clear()
        self._entered = 0
        self._known.clear()
        self.noted.clear()
        self.put_by.clear()
