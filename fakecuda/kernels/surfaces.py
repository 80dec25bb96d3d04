"""Reads and writes of surfaces, as on an H200.

Whatever no recording shows is :class:`Undefined`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.kernels.floats import F16, F32, NEAREST, ZERO, converted, is_nan
from fakecuda.kernels.integers import signed
from fakecuda.kernels.sampling import BYTES, HALF, SIGNED, UNSIGNED, array_of, geometry_of, object_of
from fakecuda.kernels.spaces import Fault
from fakecuda.kernels.threads import Undefined
from fakecuda.model.memory.array import SURFACE
from fakecuda.spec.codes import Result
from fakecuda.spec.resources import ARRAY

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.code.array_bytes import ArrayBytes

BYTE, WORD = 8, 32
WORDS = 3, 10
"""CU_AD_FORMAT_UNSIGNED_INT32 and _SIGNED_INT32."""
NAN, QUIET = 0x7FC00000, 0x7E00
"""The canonical NaN, as ``f32`` and as ``half``."""
DIMENSIONS = {"1d": 1, "2d": 2, "3d": 3, "a1d": 2, "a2d": 3}
"""The number of coordinates of each surface geometry."""


def seen_as(frame: Any, handle: int, geometry: str) -> ArrayBytes:
    """Return the bytes of a surface's array."""
    held = array_of(frame, object_of(frame, handle, "surfaces"))
    known = geometry_of(held.array).replace("cube", "a2d")
    if known != geometry or not held.array.shape.flags & SURFACE:
        msg = f"uses {held.array} as a surface, which has the geometry {known}, or was made without CUDA_ARRAY3D_SURFACE_LDST"
        raise Undefined(msg)
    return held


def place_of(held: ArrayBytes, coordinates: list[int], geometry: str, whole: int, beyond: str) -> int | None:
    """Return the offset of an array's byte; None outside, if outside is ignored.

    Args:
        held: The array.
        coordinates: A byte of a row, the row, the slice; a layer first. Each may be negative.
        geometry: The geometry of the instruction.
        whole: Bytes that it uses.
        beyond: What becomes of places beyond the surface.
    """
    place = list(coordinates)
    if geometry in {"a1d", "a2d"}:
        place = [*place[1:], *[0] * (3 - len(place)), place[0]]
    place += [0] * (3 - len(place))
    if place[0] % whole:
        msg = f"uses {whole} bytes at byte {place[0]} of a row, a misaligned place"
        if beyond == "trap":
            raise Fault(Result.MISALIGNED_ADDRESS, msg)
        raise Undefined(msg)
    row, rows, slices = held.array.extents
    most = row - whole, rows - 1, slices - 1
    if not all(0 <= at <= last for at, last in zip(place, most, strict=True)):
        if beyond == "zero":
            return None
        if beyond == "trap":
            msg = f"uses {held.array} at {tuple(place)}, beyond it"
            raise Fault(Result.ILLEGAL_ADDRESS, msg)
        if row % whole:
            msg = f"uses {held.array} at {tuple(place)}, beyond it: no recording shows what a card answers"
            raise Undefined(msg)
        place = [min(max(at, 0), last) for at, last in zip(place, most, strict=True)]
    x, y, z = place
    return (z * rows + y) * row + x


def moved(frame: Any, values: list[int], *, geometry: str, size: int, count: int, beyond: str) -> list[int]:
    """Read as suld does, or write as sust does.

    Args:
        frame: The thread's frame.
        values: The surface object, the coordinates, and the values to write; none for suld.
        geometry: The geometry of the instruction.
        size: Bytes of a value.
        count: How many values there are.
        beyond: What becomes of places beyond the surface.
    """
    handle, *rest = values
    held, number_of, bits = seen_as(frame, handle, geometry), DIMENSIONS[geometry], size * BYTE
    spot, given = [signed(one, WORD) for one in rest[:number_of]], rest[number_of:]
    at = place_of(held, spot, geometry, size * count, beyond)
    if at is None:
        return [0] * (0 if given else count)
    if given:
        held.store(at, size * count, sum((one & (1 << bits) - 1) << bits * n for n, one in enumerate(given)))
        return []
    raw = held.load(at, size * count)
    return [raw >> bits * n & (1 << bits) - 1 for n in range(count)]


def spot_of(held: ArrayBytes, coordinates: list[int], geometry: str, *, elements: bool) -> list[int]:
    """Return coordinates whose row position is in bytes.

    Args:
        held: The array.
        coordinates: The coordinates.
        geometry: The geometry of the instruction.
        elements: Whether the place in a row is an element.
    """
    found = [signed(one, WORD) for one in coordinates]
    found[geometry in {"a1d", "a2d"}] *= held.array.element.size if elements else 1
    return found


def changed(
    frame: Any,
    values: list[int],
    *,
    geometry: str,
    size: int,
    beyond: str,
    function: Callable[[int, int], int],
    elements: bool,
) -> list[int]:
    """Change an element, as sured does.

    Args:
        frame: The thread's frame.
        values: The surface object, the coordinates, and the operand.
        geometry: The geometry of the instruction.
        size: Bytes of the element.
        beyond: What becomes of places beyond the surface.
        function: Returns what an element and the operand become.
        elements: Whether the place in a row is an element.
    """
    handle, *place, operand = values
    held = seen_as(frame, handle, geometry)
    if elements and (held.array.shape.format not in WORDS or held.array.shape.channels != 1):
        msg = f"changes elements of {held.array}, which are not words: no recording shows what a card answers"
        raise Undefined(msg)
    at = place_of(held, spot_of(held, place, geometry, elements=elements), geometry, size, beyond)
    if at is not None:
        held.store(at, size, function(held.load(at, size), operand))
    return []


def formatted(frame: Any, values: list[int], *, geometry: str, count: int, beyond: str) -> list[int]:
    """Write the components of an element in the array's format, as sust.p does.

    Args:
        frame: The thread's frame.
        values: The surface object, the coordinates, and the components.
        geometry: The geometry of the instruction.
        count: How many components there are.
        beyond: What becomes of places beyond the surface.
    """
    handle, *rest = values
    held, number_of = seen_as(frame, handle, geometry), DIMENSIONS[geometry]
    form, channels = held.array.shape.format, held.array.shape.channels
    if form not in BYTES or channels != count:
        msg = f"writes {count} components of {held.array}, which has {channels} of the CUarray_format {form}"
        raise Undefined(msg)
    size, bits = BYTES[form] * count, BYTES[form] * BYTE
    at = place_of(held, spot_of(held, rest[:number_of], geometry, elements=True), geometry, size, beyond)
    if at is not None:
        held.store(at, size, sum(component(one, form) << bits * n for n, one in enumerate(rest[number_of:])))
    return []


def component(word: int, form: int) -> int:
    """Return a component in a format, clamped.

    Args:
        word: The word.
        form: The CUarray_format.

    Raises:
        Undefined: A number lies between two of ``half``, or is infinite or another NaN than the usual one.
    """
    bits = BYTES[form] * BYTE
    if form == HALF:
        near, cut = (converted(word, F32, F16, mode) for mode in (NEAREST, ZERO))
        if word == NAN:
            return QUIET
        if (
            is_nan(word, F32)
            or (near != cut and near & F16.infinity != F16.infinity)
            or cut & F16.infinity == F16.infinity
        ):
            msg = f"writes {word:#010x} as half, rounded: no recording shows what a card answers"
            raise Undefined(msg)
        return cut
    if form in UNSIGNED:
        return min(word, (1 << bits) - 1)
    if form in SIGNED:
        most = (1 << bits - 1) - 1
        return min(max(signed(word, WORD), -most - 1), most) & (1 << bits) - 1
    return word


def size_of(frame: Any, values: list[int], *, name: str, table: str) -> list[int]:
    """Return a size of an array that txq or suq reads: width, height or depth.

    Args:
        frame: The thread's frame.
        values: The object.
        name: What is asked.
        table: The objects of the context.
    """
    seen = object_of(frame, values[0], table)
    if seen.resource[0] != ARRAY:
        msg = f"asks for the {name} of {seen}, which is not an array: no recording shows what a card answers"
        raise Undefined(msg)
    held = array_of(frame, seen)
    shape, known = held.array.shape, geometry_of(held.array)
    if known not in {"1d", "2d", "3d", "a2d"}:
        msg = f"asks for the {name} of {held.array}: no recording shows what a card answers"
        raise Undefined(msg)
    rows = 1 if known == "1d" and table == "textures" else shape.height
    return [{"width": shape.width, "height": rows, "depth": shape.depth}[name]]
