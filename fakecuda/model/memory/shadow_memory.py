"""Records of the work that last used each byte, for race detection.

A write takes a range for the writer alone. The earlier users came before the write, so work after the write comes after
them, too. A read adds a reader beside the last writer. A discard or an atomic operation, which another one need not come
after, adds itself in the same way. The records are therefore no more than the ranges in use.

Streams often repeat work. Repeated work keeps its order to all other work, if no other work has used its bytes since.
It only gets a new number. While a single stream has work, its new work is only noted. It is entered when another
stream gets work. Work on bytes beyond all bytes in use can have no conflict either. It is deferred until other work
uses bytes before the end of those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model.memory.cells import MOST, SHARED, UNUSED, Cell, Cells
from fakecuda.model.work.accesses import READS, Operation, bytes_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fakecuda.model.history import Stack
    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.transfer import Pieces
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.accesses import Access, Place, Use
    from fakecuda.model.work.stream import Stream

    PutBy = tuple[Place, tuple[Any, ...], tuple[Use, ...], int, Mapping[Stream, int], Stack, tuple[Any, ...] | None]
    """Deferred work: the parts of an operation, its number, what it comes after, its stack, its record."""

MOST_EXTENTS = 10_000
"""The maximum number of extents; beyond it, all records are dropped."""
MOST_KNOWN = 1_000
"""The maximum number of operations that are recognised when repeated."""
MOST_NOTED = 48
"""The maximum number of operations that are noted before they are entered."""


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
        """Return the earlier operation of the same work, or None.

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
        """Enter all noted work, oldest first, except for work that is done."""
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
        """Return an earlier access that lacks an order with an operation.

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

    def unfinished(self, pieces: Pieces) -> Access | None:
        """Return a write to memory that the host does not know to be done, or None."""
        self.enter()
        if self.put_by:
            self._fetch()
        for extent, offset, size in pieces:
            for cell in self._extents.get(extent, UNUSED).over(offset, offset + size):
                found = cell.loose(None, {}, READS)
                if found is not None:
                    return found[0].at(extent, found[1], reads=False)
        return None

    def is_behind(self, uses: tuple[Use, ...]) -> bool:
        """Return whether work uses only bytes beyond all used bytes, and mark them used.

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
        for place, what, uses, number, after, stack, before in put_by:
            order = place[0].order
            if order is not None and number > order.seen:
                operation = Operation(place, what, uses)
                operation.number, operation.after, operation.stack, operation.before = number, after, stack, before
                operation.current = True
                self._enter(operation, {})

    def keep(self, operation: Operation, after: Mapping[Stream, int]) -> None:
        """Record the memory use of an operation.

        Args:
            operation: The operation.
            after: The work that it comes after, as a number for each stream.
        """
        operation.current = True
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
        """Enter an operation into the cells of its memory.

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
                if offset >= cells.end and len(cells.starts) < MOST and does not in SHARED:  # the usual case
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
        """Return whether any work has used memory."""
        if self.noted:
            self.enter()
        cells = self._extents.get(extent, UNUSED)
        if offset >= cells.far:
            return False
        if self.put_by:
            self._fetch()
        return bool(cells.over(offset, offset + size))

    def within(self, pieces: Pieces) -> Iterator[tuple[Extent, Operation]]:
        """Yield the work that used memory."""
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

    def of(self, process: Process, start: int, end: int, pieces: Pieces) -> Iterator[Access]:
        """Yield a process's accesses to addresses that may not be done.

        Args:
            process: The process.
            start: The first address.
            end: The address after the last.
            pieces: The memory behind them.
        """
        self.enter()
        for extent, operation in self.within(pieces):
            if operation.stream.context.process is process and not operation.seen:
                yield from operation.within(extent, start, end)
