"""Bytes with unknown content, which a skipped launch may have written.

A machine with ``kernels="skip"`` skips the launches of kernels without a Python function. Such a kernel may write all
memory that its arguments name. A copy carries these marks to its target, and any other write removes them. The marks
belong to physical memory, so all of its mappings in all processes share them.

The host can write page-locked memory without a call. A copy from there to a device therefore carries no marks. A copy
to host memory that is not managed hands the bytes to the host, and leaves no marks there either.

No call's answer depends on the marks. A machine has none before its first skipped launch.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple

from attrs import define

from fakecuda.model import history
from fakecuda.model.memory import transfer
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.memory.scattered import Scattered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.transfer import Piece, Pieces, Shape
    from fakecuda.model.work.stream import Stream

MOST = 1_000
"""The maximum number of marked extents; beyond it, freed extents lose their marks."""


@define(eq=False)
class Skipped(history.Lifetime):
    """A skipped launch.

    Attributes:
        kernel: The kernel's name.
        stream: The stream.
    """

    words = ("launched", "")
    kernel: str
    stream: Stream

    def __str__(self) -> str:
        return f"skipped launch of kernel {self.kernel} in {self.stream}"


class Unknown(NamedTuple):
    """A range of bytes with unknown content.

    Attributes:
        piece: The memory.
        launch: The launch that may have written it.
    """

    piece: Piece
    launch: Skipped


class Part(NamedTuple):
    """A marked range of an extent.

    Attributes:
        start: Its first offset.
        end: The offset after its last byte.
        launch: The launch that may have written it.
    """

    start: int
    end: int
    launch: Skipped


_start, _end = itemgetter(0), itemgetter(1)


class UnknownBytes:
    """The bytes of a machine that skipped launches may have written.

    Args:
        managed: The machine's managed memory, which copies treat as memory of a device.
    """

    __slots__ = ("_managed", "_parts")

    def __init__(self, managed: HostMemory) -> None:
        self._managed = managed
        self._parts: dict[Extent, list[Part]] = {}

    def mark(self, pieces: Pieces, launch: Skipped) -> None:
        """Mark memory that a skipped launch may have written."""
        if len(self._parts) > MOST:
            self._parts = {extent: parts for extent, parts in self._parts.items() if extent.references > 0}
        for _, extent, start, size in _each(pieces):
            self._put(extent, start, start + size, launch)

    def clear(self, pieces: Pieces) -> None:
        """Remove the marks of memory that is new or written."""
        for _, extent, start, size in _each(pieces):
            self._put(extent, start, start + size, None)

    def clear_rows(self, pieces: Pieces, row: int, rows: int, pitch: int) -> None:
        """Remove the marks of rows; see :func:`fakecuda.model.memory.transfer.fill_rows`."""
        if self._has(pieces):
            for number in range(rows):
                self.clear(transfer.part(pieces, number * pitch, row))

    def copied(self, targets: Pieces, sources: Pieces, shape: Shape | None = None) -> None:
        """Copy marks as a copy of bytes does; see :func:`...transfer.copy_rows`."""
        if not (self._has(targets) or self._has(sources)):
            return
        carries = not (self._is_host(targets) or self._is_host(sources))
        taken = []
        for target, source in _rows(targets, sources, shape):
            if carries:
                taken += [(transfer.part(target, at, one.piece[2]), one.launch) for at, one in self._over(source)]
            # All of the source is looked at first: the two may overlap.
        for target, _ in _rows(targets, sources, shape):
            self.clear(target)
        for pieces, launch in taken:
            self.mark(pieces, launch)

    def handed(self, targets: Pieces, sources: Pieces, shape: Shape | None = None) -> Unknown | None:
        """Return the first unknown bytes that a copy hands to the host, or None."""
        if not self._is_host(targets) or not self._has(sources):
            return None
        return next((one for _, source in _rows(targets, sources, shape) for _, one in self._over(source)), None)

    def first(self, pieces: Pieces) -> Unknown | None:
        """Return the first unknown bytes of memory, or None."""
        return next((one for _, one in self._over(pieces)), None)

    def _over(self, pieces: Pieces) -> Iterator[tuple[int, Unknown]]:
        """Yield the unknown bytes of memory with their position in the pieces."""
        for position, extent, start, size in _each(pieces):
            for part in self._within(self._parts.get(extent, []), start, start + size):
                first, end = max(part.start, start), min(part.end, start + size)
                yield position + first - start, Unknown((extent, first, end - first), part.launch)

    @staticmethod
    def _within(parts: list[Part], start: int, end: int) -> list[Part]:
        return parts[bisect_right(parts, start, key=_end) : bisect_left(parts, end, key=_start)]

    def _put(self, extent: Extent, start: int, end: int, launch: Skipped | None) -> None:
        """Replace the marks of a range by those of a launch, or remove them."""
        parts = self._parts.get(extent)
        if parts is None:
            if launch is None:
                return
            parts = self._parts[extent] = []
        first, last = bisect_right(parts, start, key=_end), bisect_left(parts, end, key=_start)
        over = parts[first:last]
        made = [] if launch is None else [Part(start, end, launch)]
        if over and over[0].start < start:
            made.insert(0, over[0]._replace(end=start))
        if over and over[-1].end > end:
            made.append(over[-1]._replace(start=end))
        parts[first:last] = made
        if not parts:
            del self._parts[extent]

    def _has(self, pieces: Pieces) -> bool:
        """Return whether any extent of the memory has marks."""
        return any(extent in self._parts for _, extent, _, _ in _each(pieces))

    def _is_host(self, pieces: Pieces) -> bool:
        """Return whether memory is host memory, pageable or pinned."""
        memory = pieces[0][0].memory
        return isinstance(memory, HostMemory) and memory is not self._managed


def _each(pieces: Pieces) -> Iterable[tuple[int, Extent, int, int]]:
    """Yield the memory of pieces with its position; scattered memory by its parts."""
    position = 0
    for extent, offset, size in pieces:
        if isinstance(extent.memory, Scattered):
            for at, memory, start, length in extent.memory.parts(extent, offset, size):
                yield position + at, memory, start, length
        else:
            yield position, extent, offset, size
        position += size


def _rows(targets: Pieces, sources: Pieces, shape: Shape | None) -> Iterator[tuple[Pieces, Pieces]]:
    """Yield the destination and the source of each row of a copy."""
    if shape is None:
        yield targets, sources
        return
    for there, here in transfer.row_places(shape):
        yield transfer.part(targets, there, shape[0]), transfer.part(sources, here, shape[0])
