"""Who has used which bytes last: what an access has to come after.

A range that is written is the writer's alone: whoever was there before came before the write, so that what comes after the
write comes after them, too. A range that is read keeps its readers beside the writer. So there is no more to keep than there
are ranges in use.

Streams do the same again and again. Work that was done before, to bytes that nobody has used otherwise since, has the same
order to all others as it had: it gets a new number, and that is all. While one stream alone has work, nobody asks for it: new
work is only noted, and entered when another stream comes. Likewise nobody can ask for what lies behind all bytes of its memory
that are in use: such work is put by, and entered when other work comes to bytes before that.
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
    """Work that is put by: what an operation is made of, its number, its stack, and the record before it."""

MOST, MOST_EXTENTS = 10_000, 10_000
"""Ranges of an extent that are kept, and extents: where there are more, all of them are forgotten."""
MOST_NOTED = 48
"""Works that are noted before they are entered: with many of them the collector would be due for what they keep."""
MOST_KNOWN, MOST_READERS = 1_000, 8
"""Works that are known again, and those of one stream that read the same bytes."""


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

    def written(self, operation: Operation) -> None:
        """Note a writer: it stands for all who were there."""
        write = self.write
        if write is not None and write is not operation:
            write.current = False
        for one in self.reads:
            one.current = False
        self.write = operation
        self.reads = ()
        self.only = operation.stream

    def read(self, operation: Operation, after: Mapping[Stream, int]) -> None:
        """Note a reader: it stands for those that it comes after, though some of its stream stay, to be known again."""
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
        """Note that it is no longer as its writer and its readers left it."""
        if self.write is not None:
            self.write.current = False
        for one in self.reads:
            one.current = False

    def loose(self, stream: Stream, after: Mapping[Stream, int], does: str) -> tuple[Operation, int, bool] | None:
        """Return what has used it and a byte of it, as :meth:`Cells.conflict`."""
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
    """The ranges of an extent that are in use, in order, none of which overlap.

    Attributes:
        starts: Their first offsets.
        cells: The ranges.
        end: An offset behind which there are none.
        far: The same, with those of work that is put by.
    """

    __slots__ = ("cells", "end", "far", "starts")

    def __init__(self) -> None:
        self.starts: list[int] = []
        self.cells: list[Cell] = []
        self.end = self.far = 0

    def conflict(
        self, start: int, end: int, stream: Stream, after: Mapping[Stream, int], does: str
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
        for cell in self.over(start, end):
            if cell.only is not stream:
                found = cell.loose(stream, after, does)
                if found is not None:
                    return found
        return None

    def within(self, start: int, end: int) -> Iterator[Operation]:
        """Yield what has used a range."""
        for cell in self.over(start, end):
            if cell.write is not None:
                yield cell.write
            yield from cell.reads

    def over(self, start: int, end: int) -> list[Cell]:
        """Return the cells that have bytes of a range."""
        starts = self.starts
        first = bisect_right(starts, start)
        if first and self.cells[first - 1].end > start:
            first -= 1
        return self.cells[first : bisect_left(starts, end, first)]

    def enter(self, start: int, end: int, operation: Operation, after: Mapping[Stream, int], does: str) -> Cell | None:
        """Note that a range is used; the arguments are those of :meth:`conflict`, which has found none.

        Returns:
            The range, if it is the operation's own.
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
        """Note that a range is used which may have bytes of others, as :meth:`enter`."""
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
        """Have no cell reach over an offset."""
        index = bisect_left(self.starts, at)
        if index:
            cell = self.cells[index - 1]
            if cell.end > at:
                self.starts.insert(index, at)
                self.cells.insert(index, Cell(cell.end, cell.write, cell.reads, cell.only))
                cell.end = at


def _cell(end: int, operation: Operation, does: str) -> Cell:
    """Return a range that nobody has used before; its end, and what uses it."""
    if does == READS:
        return Cell(end, None, (operation,), operation.stream)
    return Cell(end, operation, (), operation.stream)


UNUSED = Cells()
"""Those of memory that nobody has used."""


class Memory:
    """Who has used which bytes of a machine last.

    Attributes:
        noted: Work of one stream after the other that is not yet entered; while there is some, no other work is known again.
        put_by: Work of which :meth:`is_behind` was true, until somebody comes to bytes before those.
    """

    __slots__ = ("_entered", "_extents", "_known", "noted", "put_by")

    def __init__(self) -> None:
        self._extents: dict[Extent, Cells] = {}
        self._entered = 0
        self._known: dict[Place, Operation] = {}
        self.noted: list[Operation] = []
        self.put_by: list[PutBy] = []

    def known(self, place: Place, what: tuple[Any, ...]) -> Operation | None:
        """Return the same work, if it was done before and is known; arguments as of :class:`Operation`."""
        operation = self._known.get(place)
        return operation if operation is not None and operation.what == what else None

    def tell(self, operation: Operation) -> None:
        """Have what is told of an operation stay so: the same work is another one from now on."""
        self._known.pop(operation.place, None)

    def note(self, operation: Operation) -> None:
        """Note an operation that nobody asks for yet, when no other stream has work."""
        if len(self.noted) >= MOST_NOTED:
            self.enter()
        if not self.noted:
            self._known.clear()
        self.noted.append(operation)
        self._known[operation.place] = operation
        operation.current = True
        operation.cells = None

    def enter(self) -> None:
        """Keep what was only noted, the oldest first, but for what is done."""
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
        """Return an access that an operation does not come after though it has to; None where there is none.

        Args:
            operation: The operation.
            after: What it comes after.
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
        """Return whether work uses bytes that lie behind all that are in use: nobody else can have used them, and from now on it has.

        Args:
            uses: What it does to which memory, all of it.
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
        """Enter what was put by, but for what is done: nobody else has used its bytes, so that it is no matter what it comes after."""
        put_by, self.put_by = self.put_by, []
        for place, what, uses, number, stack, before in put_by:
            order = place[0].order
            if order is not None and number > order.seen:
                operation = Operation(place, what, uses)
                operation.number, operation.stack, operation.before = number, stack, before
                operation.current = True
                self._enter(operation, {})

    def keep(self, operation: Operation, after: Mapping[Stream, int], *, ordered: bool = True) -> None:
        """Note what an operation does.

        Args:
            operation: The operation.
            after: What it comes after.
            ordered: Whether :meth:`conflict` has found none.
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
        """Enter an operation into the ranges of its memory; arguments as of :meth:`keep`."""
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
                if offset >= cells.end and len(cells.starts) < MOST:  # behind all that are in use, as most new ones are
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
        """Return whether anything has used some memory."""
        if self.noted:
            self.enter()
        cells = self._extents.get(extent, UNUSED)
        if offset >= cells.far:
            return False
        if self.put_by:
            self._fetch()
        return bool(cells.over(offset, offset + size))

    def within(self, pieces: Pieces) -> Iterator[tuple[Extent, Operation]]:
        """Yield what has used some memory."""
        if self.put_by:
            self._fetch()
        for extent, offset, size in pieces:
            for operation in self._extents.get(extent, UNUSED).within(offset, offset + size):
                yield extent, operation

    def relax(self) -> None:
        """Have no memory of what was done, which is all done by now; what little there is stays, for it may be done again."""
        if self._entered + len(self.put_by) > MOST_NOTED:
            self.clear()

    def clear(self) -> None:
        """Have no memory of what was done."""
        self._extents.clear()
        self._entered = 0
        self._known.clear()
        self.noted.clear()
        self.put_by.clear()
