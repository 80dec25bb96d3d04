"""Copies and fills of device memory and host memory."""

from __future__ import annotations

import ctypes
import mmap
from ctypes import memmove
from typing import TYPE_CHECKING, Any

from fakecuda.model.effect import FIRST, effect
from fakecuda.model.memory.backing import Extent
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.memory.scattered import Scattered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Piece = tuple[Extent, int, int]
    Pieces = list[Piece]
    Shape = tuple[int, int, int, int, int, int, int]

UNPLACED = HostMemory(0, 0)
"""Host memory that the driver did not allocate."""
CHUNK = 4096
"""The maximum size of a pattern that is built at once."""


def write(pieces: Pieces, source: int) -> None:
    """Copy from host address ``source`` to device memory.

    Check all caps before the first byte.
    """
    for extent, offset, size in pieces:
        extent.memory.before_write(extent, offset, size)
    for extent, offset, size in pieces:
        if extent.memory.near:
            memmove(extent.memory.address(extent) + offset, source, size)
        else:
            _far(extent).put(extent, offset, source, size)
        source += size


def read(pieces: Pieces, target: int) -> None:
    """Copy from device memory to host address ``target``."""
    for extent, offset, size in pieces:
        if not extent.memory.near:
            _far(extent).get(extent, offset, target, size)
        elif extent.written:
            memmove(target, extent.memory.address(extent) + offset, size)
        else:
            ctypes.memset(target, 0, size)  # reading would make the system hold pages
        target += size


def _far(extent: Extent) -> Any:
    """Return memory that this OS process cannot access, with its copy methods."""
    return extent.memory


@effect(reads="sources", writes="targets")
def copy(targets: Pieces, sources: Pieces) -> None:
    """Copy between pieces; copies with several mappings go through a buffer."""
    extent, offset, _ = sources[0]
    target, place, _ = targets[0]
    if not (extent.memory.near and target.memory.near):
        for one, here, other, there in ((extent, offset, target, place), (target, place, extent, offset)):
            if isinstance(one.memory, Scattered):
                one.memory.meet(here, other, there)
    if len(targets) == len(sources) == 1 and extent.memory.near:
        if extent.written:
            write(targets, extent.memory.address(extent) + offset)
        else:
            fill(targets, 0)  # reading would make the system hold pages
        return
    if is_far(extent):
        _fetch(targets, extent, offset)
        return
    buffer = _buffer(sum(size for _, _, size in sources))
    read(sources, ctypes.addressof(buffer))
    write(targets, ctypes.addressof(buffer))


def _buffer(size: int) -> Any:
    """Return a buffer of host memory with ``size`` bytes."""
    return ctypes.create_string_buffer(size)


FIRST.add(_buffer.__code__)


def bytes_address(data: bytes) -> int:
    """Return the address of a bytes object, which the caller keeps alive."""
    address = ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value
    assert address is not None  # bytes lie somewhere
    return address


def is_far(extent: Extent) -> bool:
    """Return whether only another OS process can access memory."""
    return not (extent.memory.near or isinstance(extent.memory, Scattered))


def _fetch(targets: Pieces, source: Extent, offset: int) -> None:
    """Copy from another OS process's memory."""
    memory = _far(source)
    for target, there, size in targets:
        target.memory.before_write(target, there, size)
        if is_far(target):
            memory.within(target.offset + there, source.offset + offset, size)
        else:
            parts = [(0, target, there, size)]
            if isinstance(target.memory, Scattered):
                parts = list(target.memory.parts(target, there, size))
            for at, extent, start, length in parts:
                memory.get(source, offset + at, extent.memory.address(extent) + start, length)
        offset += size


@effect(reads="sources", writes="targets")
def copy_rows(targets: Pieces, sources: Pieces, shape: Shape) -> None:
    """Copy rows between pieces.

    Args:
        targets: Memory from the first row's first byte to the last row's last.
        sources: As ``targets``.
        shape: Bytes of a row, rows of a slice, slices; then the target's bytes from row to row and from slice to slice,
            and the same of the source.
    """
    width = shape[0]
    places = list(row_places(shape))
    near = all(extent.memory.near for extent, _, _ in (targets[0], sources[0]))
    if len(targets) == len(sources) == 1 and sources[0][0].written and near:
        extent, offset, _ = targets[0]
        for there, _ in places:
            extent.memory.before_write(extent, offset + there, width)
        target = extent.memory.address(extent) + offset
        source = sources[0][0].memory.address(sources[0][0]) + sources[0][1]
        for there, here in places:
            memmove(target + there, source + here, width)
        return
    for there, here in places:
        copy(part(targets, there, width), part(sources, here, width))


def row_places(shape: Shape) -> Iterator[tuple[int, int]]:
    """Yield the offsets of each row in the target and in the source."""
    _, height, depth, target_pitch, target_slice, source_pitch, source_slice = shape
    for z in range(depth):
        for y in range(height):
            yield z * target_slice + y * target_pitch, z * source_slice + y * source_pitch


def part(pieces: Pieces, start: int, size: int) -> Pieces:
    """Return a part of pieces: ``size`` bytes from the offset ``start``."""
    found = []
    for extent, offset, length in pieces:
        if start < length and size:
            taken = min(length - start, size)
            found.append((extent, offset + start, taken))
            size -= taken
            start = 0
        else:
            start -= min(start, length)
    return found


def stage(pieces: Pieces, shape: Shape | None) -> tuple[Pieces, Shape | None]:
    """Return a snapshot of host memory, and the shape of a copy from the snapshot.

    Args:
        pieces: Host memory.
        shape: As :func:`copy_rows` takes it, or None for all of the memory.
    """
    if shape is None:
        buffer = Staged(sum(size for _, _, size in pieces))
        staged: Pieces = [(buffer, 0, buffer.size)]
        copy(staged, pieces)
        return staged, None
    width, height, depth, pitch, slice_, _, _ = shape
    buffer = Staged(width * height * depth)
    staged = [(buffer, 0, buffer.size)]
    copy_rows(staged, pieces, (width, height, depth, width, width * height, *shape[5:]))
    return staged, (width, height, depth, pitch, slice_, width, width * height)


class Staged(Extent):
    """Host memory with bytes that a stream will copy.

    Args:
        size: Bytes.
    """

    __slots__ = ("_buffer",)

    def __init__(self, size: int) -> None:
        self._buffer = _buffer(size)
        super().__init__(UNPLACED, ctypes.addressof(self._buffer), size)
        self.written = True


@effect(writes="pieces")
def fill_rows(pieces: Pieces, value: int, width: int, row: int, rows: int, pitch: int) -> None:
    """Fill rows with a repeated value.

    Args:
        pieces: Memory from the first row's first byte to the last row's last.
        value: The value. Bits beyond its width are ignored.
        width: Its bytes.
        row: Bytes of a row, a whole number of values.
        rows: How many.
        pitch: Bytes from row to row.
    """
    if row == pitch or rows == 1:
        fill(pieces, value, width)
        return
    extent, offset, _ = pieces[0]
    if len(pieces) > 1 or not value or not extent.memory.near:
        for number in range(rows):
            fill(part(pieces, number * pitch, row), value, width)
        return
    _before_rows(extent, offset, row, range(0, rows * pitch, pitch))
    start = extent.memory.address(extent) + offset
    source: int | bytes = start
    if row <= CHUNK:
        source = _pattern(value, width) * (row // width)
    else:
        fill([(extent, offset, row)], value, width)
    for place in range(start, start + rows * pitch, pitch):
        memmove(place, source, row)


def _before_rows(extent: Extent, offset: int, row: int, places: range) -> None:
    """Announce a write of rows to their memory.

    Rows that share pages count with the bytes between them.
    """
    if places.step - row < mmap.PAGESIZE:
        extent.memory.before_write(extent, offset, places[-1] + row)
        return
    for there in places:
        extent.memory.before_write(extent, offset + there, row)


@effect(writes="pieces")
def fill(pieces: Pieces, value: int, width: int = 1) -> None:
    """Fill memory with a repeated value.

    Args:
        pieces: The memory, each piece a whole number of values.
        value: The value. Bits beyond its width are ignored.
        width: Its bytes.
    """
    pattern = _pattern(value, width)
    if pattern.count(pattern[0]) == width:
        for extent, offset, size in pieces:
            extent.memory.fill(extent, offset, pattern[0], size)
        return
    memory = pieces[0][0].memory
    if isinstance(memory, Scattered):
        pieces = [part[1:] for one in pieces for part in memory.parts(*one)]
    for extent, offset, size in pieces:
        extent.memory.before_write(extent, offset, size)
    for extent, offset, size in pieces:
        if not extent.memory.near:
            buffer = ctypes.create_string_buffer(pattern * (size // width), size)
            write([(extent, offset, size)], ctypes.addressof(buffer))
            continue
        start = extent.memory.address(extent) + offset
        done = min(CHUNK, size)
        memmove(start, pattern * (done // width), done)
        while done < size:
            more = min(done, size - done)
            memmove(start + done, start, more)
            done += more


def content(piece: Piece) -> bytes | None:
    """Return the bytes of a small piece.

    None if another OS process has them and has not sent them yet.
    """
    extent, offset, size = piece
    if is_far(extent):
        told: bytes | None = _far(extent).told(extent, offset, size)
        return told
    return ctypes.string_at(extent.memory.address(extent) + offset, size)


@effect(writes="piece")
def change(piece: Piece, function: Callable[[int], int]) -> None:
    """Replace a value in a small piece by the result of a function.

    Bits of the result that do not fit are ignored.
    """
    extent, offset, size = piece

    def changed(before: bytes) -> bytes:
        return _pattern(function(int.from_bytes(before, "little")), size)

    before = None if is_far(extent) else content(piece)
    if before is None:
        _far(extent).change(extent, offset, size, changed)
    else:
        fill([piece], int.from_bytes(changed(before), "little"), size)


def _pattern(value: int, width: int) -> bytes:
    """Return the lowest ``width`` bytes of a value."""
    return (value & (1 << 8 * width) - 1).to_bytes(width, "little")
