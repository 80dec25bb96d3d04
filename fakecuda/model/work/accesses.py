"""Memory accesses of work, for records and reports."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.memory import transfer
from fakecuda.model.memory.memory import Import
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.va import Mapping

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Sequence
    from collections.abc import Mapping as Table

    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.cells import Cell
    from fakecuda.model.memory.transfer import Pieces
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.stream import Stream, Work
    from fakecuda.model.work.stream_order import Captured

    Rows = tuple[int, int, int, int, int]
    """Bytes of a row, rows of a slice, slices, row pitch, slice pitch."""
    Use = tuple[str, tuple[int, int], Pieces, Rows | None]
    """A memory use: kind, first address and size, memory, rows (None for all bytes)."""
    Place = tuple[Stream, int, int]
    """A stream, and the start addresses of the first and last memory use of work."""

MOST_ROWS = 256
"""The maximum number of rows that are examined one by one."""
READS, WRITES, ALLOCATES, DISCARDS = "reads", "writes", "allocates", "discards"
"""Kinds of memory access by work."""
UPDATES, POLLS = "updates", "polls"
"""Strong accesses: by atomic operations and strong stores of PTX and writes of values; by strong loads and waits for values."""
VALUE = ("value",)
"""The key of work that writes a value or waits for one. It is never recognised when it is repeated."""
BESIDE: dict[str, frozenset[str]] = {
    READS: frozenset({READS, POLLS}),
    POLLS: frozenset({READS, POLLS, UPDATES}),
    UPDATES: frozenset({POLLS, UPDATES}),
    DISCARDS: frozenset({DISCARDS}),
}
"""By kind of access, the kinds that need no order with it."""
QUIET = frozenset({READS, POLLS})
"""Accesses that change nothing."""
LOUD = frozenset({WRITES, ALLOCATES, DISCARDS, UPDATES})
"""The others."""
STRONG = frozenset({UPDATES, POLLS})
"""Accesses by which other work may learn how far work has come."""


class Operation:
    """The memory uses of stream work, which may repeat.

    Args:
        place: Its stream, and the first addresses of its first and last uses.
        what: A key from the call's arguments. Work with an equal key is the same work.
        uses: The memory that it uses, and how.

    Attributes:
        stream: Its stream.
        number: Its latest number among all work. This and the next three are unset before it is kept.
        after: What it comes after: the number in each other stream.
        stack: The stack of its latest call.
        before: The last record in the log before that call, by which the record of the call is found.
        current: Whether no other stream has changed the records of its bytes since.
        cells: Each access with its range and the end of that. Only work that was repeated with ranges of its own has
            them. None before it is entered.
    """

    __slots__ = ("after", "before", "cells", "current", "number", "place", "stack", "stream", "uses", "what")
    number: int
    after: Table[Stream, int]
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
        """Whether the host knows that the work is done."""
        order = self.stream.order
        return order is None or self.number <= order.seen

    @property
    def is_copy(self) -> bool:
        """Whether it is a copy: copies name what they write first, and kernels what they read."""
        return [does for does, *_ in self.uses] == [WRITES, READS]

    def is_loose(self, stream: Stream | None, after: Table[Stream, int]) -> bool:
        """Return whether work of another stream may overlap with the operation.

        Args:
            stream: The stream of the other work. None for any.
            after: The work that the other work comes after, as a number for each stream.
        """
        own = self.stream
        if own is stream or after.get(own, 0) >= self.number:
            return False
        order = own.order
        return order is not None and self.number > order.seen

    def at(self, extent: Extent, offset: int, *, reads: bool) -> Access:
        """Return the access to a byte: a read if ``reads``, else any other access."""
        return next(
            Access(self, does, address, size)
            for does, (address, size), pieces, rows in self.uses
            if (does == READS) == reads
            for found, start, length in bytes_of(pieces, rows)
            if found is extent and start <= offset < start + length
        )

    def writes(self, extent: Extent, start: int, size: int, kinds: Container[str] = LOUD) -> bool:
        """Return whether the work writes any of ``size`` bytes from offset ``start``, by accesses of some kinds."""
        return any(
            does in kinds and found is extent and at < start + size and start < at + length
            for does, _, pieces, _ in self.uses
            for found, at, length in pieces
        )

    @property
    def order(self) -> Captured:
        """What comes after the work comes after this: the work, too."""
        return {**self.after, self.stream: self.number}, ()

    def within(self, extent: Extent, start: int, end: int) -> Iterator[Access]:
        """Yield the accesses to memory in a range of addresses."""
        for does, (address, size), pieces, _ in self.uses:
            if address < end and start < address + size and any(found is extent for found, _, _ in pieces):
                yield Access(self, does, address, size)


class Poll(Operation):
    """A wait for a value, which accesses it when it ends.

    Attributes:
        work: The work that waits. None if it need not wait.
    """

    __slots__ = ("work",)

    def __init__(self, place: Place, what: tuple[Any, ...], uses: tuple[Use, ...]) -> None:
        super().__init__(place, what, uses)
        self.work: Work | None = None

    def is_loose(self, stream: Stream | None, after: Table[Stream, int]) -> bool:
        """Return whether another stream's work may overlap with the end of the wait, as far as that has come."""
        return (self.work is None or self.work.done) and super().is_loose(stream, after)


@define
class Access:
    """An access of an operation to memory, for reports.

    Attributes:
        operation: The operation.
        does: ``READS``, ``WRITES``, ``ALLOCATES``, ``DISCARDS``, ``UPDATES`` or ``POLLS``.
        address: The first address in the stream's process.
        size: Bytes from the first to the last.
        call: The name of the call. Empty before a report asks for it.
    """

    operation: Operation
    does: str
    address: int
    size: int
    call: str = field(default="", eq=False)

    @property
    def stream(self) -> Stream:
        """The stream of the operation."""
        return self.operation.stream

    def history(self) -> list[str]:
        """Return where the call was made."""
        return history.story(self.operation.stack, history.NOWHERE, ("called", ""))

    def __str__(self) -> str:
        of = f"stream {self.stream.handle:#x} of {self.stream.context.process}"
        return f"{self.call or 'work'} in {of}, which {self.does} {self.address:#x}+{self.size:#x}"


@define(eq=False)
class SameBytes:
    """Bytes that two processes access, for reports.

    Attributes:
        places: The process of each access, and the address of the first such byte there; the earlier access comes first.
    """

    places: tuple[tuple[Process, int], ...]

    def history(self) -> list[str]:
        """Return how each process got the shared bytes."""
        return [line for process, address in self.places for line in _had(process, process.memory.at(address))]

    def __str__(self) -> str:
        return f"{' and '.join(f'{address:#x} in {process}' for process, address in self.places)} are one memory"


def _had(process: Process, item: Any) -> list[str]:
    """Return how a process got the memory of an object; empty if it has ended."""
    if item is None:
        return []
    rows = [f"{process} has it by {item}", *(f"  {line}" for line in item.history())]
    if isinstance(item, Import):
        rows.append(f"  of {item.share}")
    elif isinstance(item, Mapping):
        words = "handle imported" if item.handle.imported else "handle created"
        rows += [f"  {line}" for line in history.story(item.handle.created, history.NOWHERE, (words, ""))]
    elif isinstance(item, Pooled) and item.source is not None:
        rows.append(f"  of {item.source} in {item.source.pool.process}")
    return rows


def same_bytes(earlier: Access, operation: Operation) -> SameBytes | None:
    """Return bytes that an access shares with another process's operation, or None."""
    theirs = [use for use in earlier.operation.uses if use[1][0] == earlier.address]
    for _, (first, _), pieces, _ in theirs:
        for _, (start, _), own, _ in operation.uses:
            for place, other in _common(pieces, own):
                where = (earlier.stream, first + place), (operation.stream, start + other)
                return SameBytes(tuple((stream.context.process, address) for stream, address in where))
    return None


def _common(one: Pieces, other: Pieces) -> Iterator[tuple[int, int]]:
    """Yield the positions of memory that is in both of two lists of pieces."""
    passed = 0
    for extent, offset, size in one:
        before = 0
        for found, start, length in other:
            if found is extent and start < offset + size and offset < start + length:
                first = max(start, offset)
                yield passed + first - offset, before + first - start
            before += length
        passed += size


def bytes_of(pieces: Pieces, rows: Rows | None) -> Pieces:
    """Return the memory of rows; empty for too many rows.

    Args:
        pieces: The memory from the first row's first byte to the last row's last.
        rows: The rows. None for all bytes.
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
