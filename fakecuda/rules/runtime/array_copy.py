"""Copies from and to arrays in the runtime API: rows, or bytes that continue in the next row of the array.

What lies in an array is a device's, so that the kind of a copy says where the other side lies.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.copy.memcpy_rows import memcpy2d_async, memcpy2d_unaligned
from fakecuda.rules.driver.copy.range import MAPPINGS_SHARE_A_DEVICE
from fakecuda.rules.driver.copy.shape import ARRAY, BOX_IS_IN_THE_ARRAY, HOST, array_at, flat
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import RUNTIME
from fakecuda.rules.runtime.active import active
from fakecuda.rules.runtime.copy import PITCH_SPANS_THE_ROW, SIDES, kind_of
from fakecuda.spec.codes import Error, Result

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

    Flat = tuple[int, ...]
    """A CUDA_MEMCPY2D."""
    Place = tuple[int, int, int]
    """An array, a byte in its rows, and a row."""

COPIED = "the rest of a row, all whole rows and the rest after them are copies of their own"
ARRAY_IS_OF_THE_DEVICE = Rule(
    "`kind` is cudaMemcpyDefault, or names the device, not the host, for each side that is an array",
    Error.INVALID_MEMCPY_DIRECTION,
    manual("cudaMemcpy2DToArray", "cudaErrorInvalidMemcpyDirection"),
    fix="pass cudaMemcpyDefault, or the kind in which the array's side is the device",
)
KIND_IS_ONE = Rule(
    "`kind` is a cudaMemcpyKind",
    Result.SUCCESS,
    undefined(
        "cudaMemcpyToArray",
        "the manual says nothing about any other value; driver 580 then succeeds and copies nothing, whatever "
        "the array is",
    ),
    fix="pass a cudaMemcpyKind: with another number, the call copies nothing",
)
ARRAY_IS_GIVEN = Rule(
    "no array argument is null",
    Result.INVALID_HANDLE,
    observed(
        "cudaMemcpyToArray",
        "the library answers cudaErrorInvalidResourceHandle to a null array, after it has checked pitch and kind and "
        "before it checks the region; cudaMemcpy2DArrayToArray does so for the source alone",
    ),
    fix="pass the array that cudaMallocArray returned",
)


@guard
def types(kind: int, *arrays: int) -> tuple[int, int]:
    """Return the memory types of source and destination, for a known copy kind."""
    return known_types(kind_of(kind), *arrays)


@guard
def known_types(kind: int, *arrays: int) -> tuple[int, int]:
    """Return the memory types of source and destination.

    Args:
        kind: A known cudaMemcpyKind.
        arrays: Which sides are arrays: 0 for the source, 1 for the target.
    """
    sides = list(SIDES[kind])
    for one in arrays:
        if sides[one] == HOST:
            raise ARRAY_IS_OF_THE_DEVICE.broken(kind=kind)
        sides[one] = ARRAY
    return sides[0], sides[1]


@guard
def given(array: int) -> int:
    """Return an array handle, which must not be null."""
    if not array:
        raise ARRAY_IS_GIVEN.broken()
    return array


def end(kind: int, pointer: int, pitch: int) -> tuple[int, ...]:
    """Return the memory side of a CUDA_MEMCPY2D."""
    return (0, 0, kind, *((pointer, 0) if kind == HOST else (0, pointer)), 0, pitch)


def inside(place: Place) -> tuple[int, ...]:
    """Return the array side of a CUDA_MEMCPY2D."""
    array, x, y = place
    return x, y, ARRAY, 0, 0, array, 0


@guard
def to_array(place: Place, src: int, pitch: int, size: tuple[int, int], kind: int) -> tuple[int, ...]:
    """Return the CUDA_MEMCPY2D for a copy of rows to an array."""
    if size[1] > 1 and size[0] > pitch:
        raise PITCH_SPANS_THE_ROW.broken(pitch=pitch, width=size[0])
    source, _ = types(kind, 1)
    given(place[0])
    return (*end(source, src, pitch), *inside(place), *size)


@guard
def from_array(dst: int, pitch: int, place: Place, size: tuple[int, int], kind: int) -> tuple[int, ...]:
    """Return the CUDA_MEMCPY2D for a copy of rows from an array."""
    if size[1] > 1 and size[0] > pitch:
        raise PITCH_SPANS_THE_ROW.broken(pitch=pitch, width=size[0])
    _, target = types(kind, 0)
    given(place[0])
    return (*inside(place), *end(target, dst, pitch), *size)


@RUNTIME.op("cudaMemcpy2DToArray", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d_to_array(
    call: Call, dst: int, x: int, y: int, src: int, pitch: int, width: int, height: int, kind: int
) -> None:
    """Copy rows to an array.

    Args:
        call: The call.
        dst: The array.
        x: The byte of its rows.
        y: The row.
        src: Where they lie.
        pitch: Bytes from row to row there.
        width: Bytes of a row.
        height: Rows.
        kind: cudaMemcpyKind.
    """
    active(call)
    if width and height:
        memcpy2d_unaligned(call, to_array((dst, x, y), src, pitch, (width, height), kind))


@RUNTIME.op("cudaMemcpy2DToArrayAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d_to_array_async(
    call: Call, dst: int, x: int, y: int, src: int, pitch: int, width: int, height: int, kind: int, stream: int
) -> None:
    """Have a stream copy rows to an array, as cudaMemcpy2DToArray does."""
    active(call)
    if width and height:
        memcpy2d_async(call, to_array((dst, x, y), src, pitch, (width, height), kind), stream)


@RUNTIME.op("cudaMemcpy2DFromArray", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d_from_array(
    call: Call, dst: int, pitch: int, src: int, x: int, y: int, width: int, height: int, kind: int
) -> None:
    """Copy rows from an array; arguments as for cudaMemcpy2DToArray, with source and target exchanged."""
    active(call)
    if width and height:
        memcpy2d_unaligned(call, from_array(dst, pitch, (src, x, y), (width, height), kind))


@RUNTIME.op("cudaMemcpy2DFromArrayAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d_from_array_async(
    call: Call, dst: int, pitch: int, src: int, x: int, y: int, width: int, height: int, kind: int, stream: int
) -> None:
    """Have a stream copy rows from an array, as cudaMemcpy2DFromArray does."""
    active(call)
    if width and height:
        memcpy2d_async(call, from_array(dst, pitch, (src, x, y), (width, height), kind), stream)


@RUNTIME.op("cudaMemcpy2DArrayToArray", acts_before=(MAPPINGS_SHARE_A_DEVICE,))
def memcpy2d_array_to_array(
    call: Call, dst: int, dx: int, dy: int, src: int, sx: int, sy: int, width: int, height: int, kind: int
) -> None:
    """Copy rows from one array to another."""
    active(call)
    if width and height:
        types(kind, 0, 1)
        given(src)
        memcpy2d_unaligned(call, (*inside((src, sx, sy)), *inside((dst, dx, dy)), width, height))


def _pieces(count: int, *sides: tuple[int, int]) -> Iterator[tuple[int, int, int, list[tuple[int, int]]]]:
    """Yield the pieces of a copy across rows: size, rows, bytes before, and places.

    A piece lies in one row of all sides, or has all whole rows that follow each other.

    Args:
        count: Bytes.
        sides: Of each the bytes of a row, and the byte where it begins, counted from the first row.
    """
    done = 0
    while done < count:
        places = [divmod(start + done, row) for row, start in sides]
        size = min(count - done, *(row - x for (row, _), (_, x) in zip(sides, places, strict=True)))
        height = (count - done) // size if {row for row, _ in sides if row != count} == {size} else 1
        yield size, height, done, [(x, y) for y, x in places]
        done += size * height


@guard
def _row(call: Call, place: Place, kind: int, count: int) -> tuple[int, int]:
    """Return a side's row size in bytes and the copy's start; memory is one row.

    A byte right behind a row is the next row's first; what lies further behind is in no row.
    """
    base, x, y = place
    if kind != ARRAY:
        return count, 0
    array = array_at(call, given(base))
    row, rows, _ = array.extents
    start = y * row + x
    if x > row or start + count > row * rows:
        raise BOX_IS_IN_THE_ARRAY.broken(array=array, first=start, count=count)
    return row, start


@guard
def _copies(call: Call, context: Context, dst: Place, src: Place, kinds: tuple[int, int], count: int) -> list[Flat]:
    """Return the CUDA_MEMCPY2Ds of a copy whose bytes continue in the next row.

    Args:
        call: The call.
        context: The context that copies.
        dst: Where to: an array with a byte and a row, or an address and zeros.
        src: Where from.
        kinds: The types of memory of the source and of the target.
        count: Bytes.
    """
    source, target = kinds
    of = _row(call, src, source, count)
    rows = of, _row(call, dst, target, count)
    made: list[Flat] = [
        (*_side(source, src[0], done, from_, size), *_side(target, dst[0], done, to, size), size, height)
        for size, height, done, (from_, to) in _pieces(count, *rows)
    ]
    for one in made:
        flat(call, context, one)
    return made


def _side(kind: int, base: int, done: int, place: tuple[int, int], pitch: int) -> tuple[int, ...]:
    """Return one side of a piece: a place in an array, or a memory address."""
    return inside((base, *place)) if kind == ARRAY else end(kind, base + done, pitch)


@guard
def _sides(call: Call, kind: int, array: int) -> tuple[int, int] | None:
    """Return the memory types of a copy with an array; None for an invalid kind."""
    if kind not in SIDES:
        call.undefined(KIND_IS_ONE, kind=kind)
        return None
    return known_types(kind, array)


@RUNTIME.op("cudaMemcpyToArray", acts_before=(MAPPINGS_SHARE_A_DEVICE,), several=COPIED)
def memcpy_to_array(call: Call, dst: int, x: int, y: int, src: int, count: int, kind: int) -> None:
    """Copy bytes to an array, from a byte offset in a row."""
    # CHECK
    context = active(call)
    kinds = _sides(call, kind, 1) if count else None
    copies = [] if kinds is None else _copies(call, context, (dst, x, y), (src, 0, 0), kinds, count)
    # EFFECT
    for copy in copies:
        memcpy2d_unaligned(call, copy)


@RUNTIME.op("cudaMemcpyFromArray", acts_before=(MAPPINGS_SHARE_A_DEVICE,), several=COPIED)
def memcpy_from_array(call: Call, dst: int, src: int, x: int, y: int, count: int, kind: int) -> None:
    """Copy bytes from an array, from a byte offset in a row."""
    # CHECK
    context = active(call)
    kinds = _sides(call, kind, 0) if count else None
    copies = [] if kinds is None else _copies(call, context, (dst, 0, 0), (src, x, y), kinds, count)
    # EFFECT
    for copy in copies:
        memcpy2d_unaligned(call, copy)


@RUNTIME.op("cudaMemcpyArrayToArray", acts_before=(MAPPINGS_SHARE_A_DEVICE,), several=COPIED)
def memcpy_array_to_array(
    call: Call, dst: int, dx: int, dy: int, src: int, sx: int, sy: int, count: int, kind: int
) -> None:
    """Copy bytes from one array to another, from a byte offset in a row of each."""
    # CHECK
    context = active(call)
    copies = _copies(call, context, (dst, dx, dy), (src, sx, sy), types(kind, 0, 1), count) if count else []
    # EFFECT
    for copy in copies:
        memcpy2d_unaligned(call, copy)


@RUNTIME.op("cudaMemcpyToArrayAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,), several=COPIED)
def memcpy_to_array_async(call: Call, dst: int, x: int, y: int, src: int, count: int, kind: int, stream: int) -> None:
    """Have a stream copy bytes to an array."""
    # CHECK
    active(call)
    working = stream_of(call, stream, "cudaMemcpyToArrayAsync")
    kinds = _sides(call, kind, 1) if count else None
    copies = [] if kinds is None else _copies(call, working.context, (dst, x, y), (src, 0, 0), kinds, count)
    # EFFECT
    for copy in copies:
        memcpy2d_async(call, copy, stream)


@RUNTIME.op("cudaMemcpyFromArrayAsync", acts_before=(MAPPINGS_SHARE_A_DEVICE,), several=COPIED)
def memcpy_from_array_async(call: Call, dst: int, src: int, x: int, y: int, count: int, kind: int, stream: int) -> None:
    """Have a stream copy bytes from an array."""
    # CHECK
    active(call)
    working = stream_of(call, stream, "cudaMemcpyFromArrayAsync")
    kinds = _sides(call, kind, 0) if count else None
    copies = [] if kinds is None else _copies(call, working.context, (dst, 0, 0), (src, x, y), kinds, count)
    # EFFECT
    for copy in copies:
        memcpy2d_async(call, copy, stream)
