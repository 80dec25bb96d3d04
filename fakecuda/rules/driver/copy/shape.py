"""Rules of structs that describe copies of rows: where source and destination lie.

A row has a width in bytes. From one row to the next it is a pitch, and from one slice to the next a height's pitches;
x, y and z tell the first byte. A pitch of 0 is not specified: rows follow each other at once; so do slices where their
height is 0. A copy of no bytes, no rows or no slices looks at nothing of that.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.array import Array
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.space import READ, WRITE
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.copy.memcpy_peer import between, through
from fakecuda.rules.driver.copy.plan import Plan, on_host
from fakecuda.rules.driver.copy.range import POINTERS_ARE_GIVEN, of_a_device, pieces, wherever, written
from fakecuda.rules.driver.unified.managed import is_managed
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.memory.transfer import Shape
    from fakecuda.rules.driver.copy.range import Piece

Copy = tuple[int, ...] | None
"""The members of a copy struct; None for a null pointer."""
Side = tuple[int, int, int, int, int, int, int, int, int]
"""A side of a copy: type, host address, address, array, x, y, z, pitch, height."""
HOST, DEVICE, ARRAY, UNIFIED = 1, 2, 3, 4
"""Values of CUmemorytype."""
TARGET = 11
"""The number of members of a 3D struct per side: first the source's."""
KIND, ADDRESS, OWN = 4, 6, 8
"""Indices in a side: memory type, address, and context (or a reserved member)."""
WRAP = 1 << 64
"""Addresses wrap at this number, so rows may precede the base address."""

DESCRIPTION_IS_GIVEN = Rule(
    "the pointer to the description of the copy is not null",
    Result.INVALID_VALUE,
    manual("cuMemcpy2D", "Perform a 2D memory copy according to the parameters specified in pCopy"),
    fix="pass the address of the CUDA_MEMCPY2D or CUDA_MEMCPY3D that the call takes",
)
DESCRIPTION_IS_READ = Rule(
    "`pCopy` is not null",
    Result.INVALID_VALUE,
    undefined(
        "cuMemcpy3DPeer",
        "the manual says nothing about this; driver 580 reads from the null pointer before every check "
        "(segmentation fault)",
    ),
    fix="pass the address of a CUDA_MEMCPY3D_PEER to cuMemcpy3DPeer",
)
CONTEXT_OF_A_HOST_POOL_IS_GIVEN = Rule(
    "srcContext or dstContext is not null if both sides are CU_MEMORYTYPE_UNIFIED and lie in memory of a pool of the host",
    Result.INVALID_VALUE,
    undefined(
        "cuMemcpy3DPeer",
        "the manual says nothing about it; driver 580 looks for a context that this memory does not have (segmentation fault)",
    ),
    fix="pass the current context as srcContext and dstContext, or call cuMemcpy3D",
)
LEVEL_IS_ZERO = Rule(
    "`srcLOD` is 0 if the source is not an array, and `dstLOD` is 0 if the destination is not an array",
    Result.SUCCESS,
    undefined("cuMemcpy3D", "members of the CUDA_MEMCPY3D structure must be set to 0"),
    fix="set srcLOD and dstLOD to 0",
)
RESERVED_IS_NULL = Rule(
    "`reserved0` and `reserved1` are null",
    Result.SUCCESS,
    undefined(
        "cuMemcpy3D",
        "the manual says nothing about the reserved members; cuda.h says that they must be NULL, and driver "
        "580 does not check them",
    ),
    fix="zero the CUDA_MEMCPY3D before you set its members",
)
HEIGHT_SPANS_THE_SLICE = Rule(
    "on each side that is not an array, y plus the rows is below 2**64, and at most srcHeight or dstHeight unless 0",
    Result.INVALID_VALUE,
    manual("cuMemcpy3D", "srcHeight must be greater than or equal to Height + srcY"),
    fix="set srcHeight and dstHeight to 0, or to at least Height plus srcY or dstY",
)
MEMORY_TYPE_IS_KNOWN = Rule(
    "the memory types of the source and of the destination are members of CUmemorytype",
    Result.INVALID_VALUE,
    manual("cuMemcpy2D", "srcMemoryType and dstMemoryType specify the type of memory of the source and destination"),
    fix="set srcMemoryType and dstMemoryType to a CUmemorytype; 0 is not valid",
)
ARRAY_IS_GIVEN = Rule(
    "each side of the copy that is an array has an array handle that is not null",
    Result.INVALID_VALUE,
    manual("cuMemcpy2D", "srcArray specifies the handle of the source data"),
    fix="set srcArray or dstArray, or a memory type other than CU_MEMORYTYPE_ARRAY",
)
ARRAY_IS_KNOWN = Rule(
    "each array of the copy exists in this process and has not been destroyed",
    Result.INVALID_VALUE,
    undefined(
        "cuMemcpy2D",
        "the manual says nothing about any other value, which a driver uses as a pointer (segmentation fault)",
    ),
    fix="pass an array of this process that has not been destroyed",
)
LEVEL_OF_AN_ARRAY_IS_ZERO = Rule(
    "`srcLOD` is 0 if the source is an array, and `dstLOD` is 0 if the destination is an array",
    Result.INVALID_VALUE,
    observed("cuMemcpy3D", "the driver answers INVALID_VALUE to another level if the side is an array"),
    fix="set srcLOD and dstLOD to 0, and pass the array of the mipmap level",
)
BLOCKS_ARE_WHOLE = Rule(
    "on each side that is a block-compressed array, offset and width in bytes are multiples of the size of a block",
    Result.INVALID_VALUE,
    observed("cuMemcpy2D", "an offset or a width of 1, 4 or 12 bytes answers INVALID_VALUE for blocks of 8 bytes"),
    fix="copy whole blocks of 4 x 4 elements, in 8 or 16 bytes",
)
BLOCKS_ARE_ALIKE = Rule(
    "a block of a block-compressed array has as many bytes as a block, or an element, of the array on the other side",
    Result.INVALID_VALUE,
    observed(
        "cuMemcpy2D",
        "between an array of blocks of 8 bytes and one of elements of 1 byte the driver answers INVALID_VALUE, of 8 bytes SUCCESS",
    ),
    fix="copy between arrays whose blocks or elements have the same number of bytes, or through other memory",
)
BOX_IS_IN_THE_ARRAY = Rule(
    "the copied region lies within the array, on each side that is an array",
    Result.INVALID_VALUE,
    observed(
        "cuMemcpy3D",
        "the driver answers INVALID_VALUE if the region passes the end of a row, of the rows or of the slices",
    ),
    fix="keep offset plus size within the width, height and depth of the array",
)
PITCH_SPANS_THE_ROW = Rule(
    "on each side that is not an array, the pitch is 0 or at least x in bytes plus the width in bytes",
    Result.INVALID_VALUE,
    manual("cuMemcpy2D", "srcPitch must be greater than or equal to WidthInBytes + srcXInBytes"),
    fix="pass a pitch that is at least the size of a row",
)


@guard
def flat(call: Call, context: Context, copy: Copy) -> Plan | None:
    """Return the copy that a CUDA_MEMCPY2D describes; None for an empty copy."""
    if copy is None:
        raise DESCRIPTION_IS_GIVEN.broken()
    sx, sy, s_kind, s_host, s_device, s_array, s_pitch, dx, dy, d_kind, d_host, d_device, d_array, d_pitch = copy[:-2]
    dst = d_kind, d_host, d_device, d_array, dx, dy, 0, d_pitch, 0
    src = s_kind, s_host, s_device, s_array, sx, sy, 0, s_pitch, 0
    return planned(call, context, dst, src, (copy[-2], copy[-1], 1))


@guard
def solid(call: Call, context: Context, copy: Copy) -> Plan | None:
    """Return the copy that a CUDA_MEMCPY3D describes; None for an empty copy."""
    if copy is None:
        raise DESCRIPTION_IS_GIVEN.broken()
    if copy[TARGET + OWN] or copy[OWN]:
        call.undefined(RESERVED_IS_NULL, reserved0=copy[OWN], reserved1=copy[TARGET + OWN])
    return planned(call, context, *_sides(call, copy), (copy[-3], copy[-2], copy[-1]))


@guard
def described(call: Call, copy: Copy) -> tuple[int, ...]:
    """Return a CUDA_MEMCPY3D_PEER, which must not be null."""
    if copy is None:
        call.undefined(DESCRIPTION_IS_READ)
        raise DESCRIPTION_IS_READ.broken()
    return copy


@guard
def across(call: Call, context: Context, copy: tuple[int, ...]) -> Plan | None:
    """Return the copy that a CUDA_MEMCPY3D_PEER describes; None for an empty copy."""
    between(call, *(copy[side + OWN] for side in (TARGET, 0) if copy[side + KIND] != ARRAY))
    own = copy[TARGET + OWN], copy[OWN]
    if not any(own) and copy[KIND] == copy[TARGET + KIND] == UNIFIED and all(copy[-3:]):
        items = [call.process.memory.at(copy[side + ADDRESS]) for side in (TARGET, 0)]
        if all(isinstance(item, Pooled) and item.pool.on_host for item in items):
            call.undefined(CONTEXT_OF_A_HOST_POOL_IS_GIVEN, memory=items[0])
            raise CONTEXT_OF_A_HOST_POOL_IS_GIVEN.broken(memory=items[0])
    return planned(call, context, *_sides(call, copy), (copy[-3], copy[-2], copy[-1]), own)


@guard
def _sides(call: Call, copy: tuple[int, ...]) -> tuple[Side, Side]:
    """Return the destination and the source of a 3D copy struct."""
    sides = []
    for x, y, z, level, kind, host, device, array, _, pitch, rows in (copy[TARGET : 2 * TARGET], copy[:TARGET]):
        if level and kind != ARRAY:
            call.undefined(LEVEL_IS_ZERO, level=level)
        elif level and all(copy[-3:]):
            raise LEVEL_OF_AN_ARRAY_IS_ZERO.broken(level=level)
        sides.append((kind, host, device, array, x, y, z, pitch, rows))
    return sides[0], sides[1]


@guard
def planned(
    call: Call,
    context: Context,
    dst: Side,
    src: Side,
    size: tuple[int, int, int],
    own: tuple[int, int] = (0, 0),
) -> Plan | None:
    """Return a copy between two sides; None for an empty copy.

    Args:
        call: The call.
        context: The context that copies.
        dst: Where to.
        src: Where from.
        size: Bytes of a row, rows of a slice, slices.
        own: The contexts that are named for the target and the source, or 0.
    """
    width, height, depth = size
    if not (width and height and depth):
        return None
    for kind, _, _, _, x, y, _, pitch, rows in (dst, src):
        if not HOST <= kind <= UNIFIED:
            raise MEMORY_TYPE_IS_KNOWN.broken(memory_type=kind)
        if kind == ARRAY:
            continue
        if pitch and pitch < x + width:
            raise PITCH_SPANS_THE_ROW.broken(pitch=pitch, x=x, width=width)
        if y + height >= WRAP or (rows and rows < y + height):
            raise HEIGHT_SPANS_THE_SLICE.broken(height=rows, y=y, rows=height)
    if dst[0] == src[0] == ARRAY:
        alike(array_at(call, dst[3]), array_at(call, src[3]))
    written_, targets, *into = _memory(call, context, dst, size, WRITE, own[0])
    read, sources, *out_of = _memory(call, context, src, size, READ, own[1])
    waits = any(side[0] == HOST and is_managed(call.process.memory.at(side[1])) for side in (dst, src))
    return Plan(written_, read, targets, sources, _shape(width, height, depth, *into, *out_of), waits=waits)


@guard
def array_at(call: Call, handle: int) -> Array:
    """Return the array that a copy names by its handle."""
    if not handle:
        raise ARRAY_IS_GIVEN.broken()
    found = call.process.arrays.get(handle)
    if not isinstance(found, Array):
        call.undefined(ARRAY_IS_KNOWN, array=found or call.process.freed.get(handle) or handle)
        raise ARRAY_IS_KNOWN.broken(array=handle)
    return found


@guard
def alike(dst: Array, src: Array) -> None:
    """Check that one array can be copied to another."""
    if dst.element.size != src.element.size and max(dst.element.side, src.element.side) > 1:
        raise BLOCKS_ARE_ALIKE.broken(dst=dst, src=src)


@guard
def box(
    array: Array, place: tuple[int, int, int], size: tuple[int, int, int]
) -> tuple[tuple[int, int], list[Piece], int, int]:
    """Return the memory of a box in an array, with its row and slice pitch.

    Args:
        array: The array.
        place: The first byte of a row, the first row and the first slice.
        size: Bytes of a row, rows of a slice, slices.
    """
    if array.element.side > 1 and (place[0] % array.element.size or size[0] % array.element.size):
        raise BLOCKS_ARE_WHOLE.broken(array=array, first=place[0], count=size[0])
    for first, count, most in zip(place, size, array.extents, strict=True):
        if first + count > most:
            raise BOX_IS_IN_THE_ARRAY.broken(array=array, first=first, count=count)
    pitch, rows, _ = array.extents
    slice_ = pitch * rows
    offset = array.start - array.block.start + place[2] * slice_ + place[1] * pitch + place[0]
    span = (size[2] - 1) * slice_ + (size[1] - 1) * pitch + size[0]
    return (array.block.start + offset, span), [(array.extent, offset, span)], pitch, slice_


@guard
def _memory(
    call: Call, context: Context, side: Side, size: tuple[int, int, int], access: int, own: int
) -> tuple[tuple[int, int], list[Piece], int, int]:
    """Return the memory of one side of a copy, with its row and slice pitch.

    Returns:
        The first address and the bytes, the memory, the bytes from row to row, and those from slice to slice.
    """
    width, height, depth = size
    kind, host, device, array, x, y, z, pitch, rows = side
    if kind == ARRAY:
        return box(array_at(call, array), (x, y, z), size)
    base = host if kind == HOST else device
    if kind != DEVICE and not base:
        raise POINTERS_ARE_GIVEN.broken(memory_type=kind)
    pitch = (pitch or x + width) % WRAP
    slice_ = pitch * (rows or y + height) % WRAP
    start = (base + z * slice_ + y * pitch + x) % WRAP
    span = (depth - 1) * slice_ + (height - 1) * pitch + width
    context = through(call, context, start, own, own)
    if kind == UNIFIED:
        found = wherever(call, context, start, span, access)
    elif kind == HOST:
        found = on_host(call, context, start, span, access)
    elif access == WRITE:
        found = written(call, context, start, span)
    else:
        found = pieces(call, context, start, span, access)
    if kind == DEVICE and found[0][0].memory is call.machine.host.memory:
        of_a_device(call, start)
    return (start, span), found, pitch, slice_


def _shape(width: int, height: int, depth: int, *steps: int) -> Shape | None:
    """Return the shape of a copy in as few rows as possible; None for a single row.

    Args:
        width: Bytes of a row.
        height: Rows of a slice.
        depth: Slices.
        steps: The target's bytes from row to row and from slice to slice; the source's.
    """
    d_pitch, d_slice, s_pitch, s_slice = steps
    if height > 1 and not d_pitch == s_pitch == width:
        return width, height, depth, d_pitch, d_slice, s_pitch, s_slice
    if depth == 1 or d_slice == s_slice == width * height:
        return None
    return width * height, depth, 1, d_slice, 0, s_slice, 0
