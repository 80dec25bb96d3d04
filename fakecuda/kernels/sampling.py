"""Results of textures and surfaces, as an H200 returns them.

Coordinates become texels as in :mod:`fakecuda.kernels.addressing`. Weights are whole numbers of 256ths, whose sum is 1. A sum is that of
:mod:`fakecuda.kernels.filtering`. Elements become numbers as the driver's manual says. Whatever no recording shows is :class:`Undefined`.
"""

from __future__ import annotations

import math
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import frozen

from fakecuda.kernels.addressing import BORDER, CLAMP, axis_of, modes_of, place_of
from fakecuda.kernels.filtering import ONE, bits_of, number, shared, summed, weights_of
from fakecuda.kernels.floats import F16, F32, converted
from fakecuda.kernels.integers import signed
from fakecuda.kernels.threads import Undefined
from fakecuda.model.code.array_bytes import ArrayBytes
from fakecuda.model.memory.array import CUBEMAP, LAYERED, Array
from fakecuda.model.memory.blocks import Block
from fakecuda.spec.resources import ARRAY, LINEAR, PITCHED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fakecuda.model.memory.texture import Texture

BYTE = 8
LINEARLY = 1
"""CU_TR_FILTER_MODE_LINEAR."""
AS_INTEGER, NORMALIZED, SRGB, SEAMLESS = 1, 2, 16, 32
"""CU_TRSF_READ_AS_INTEGER, _NORMALIZED_COORDINATES, _SRGB and CU_TRSF_SEAMLESS_CUBEMAP."""
SIGNED_BYTES = 8
"""CU_AD_FORMAT_SIGNED_INT8, which filters round to 15 bits."""
UNSIGNED, SIGNED = {1: 1, 2: 2, 3: 4}, {8: 1, 9: 2, 10: 4}
HALF, SINGLE = 16, 32
BYTES = {**UNSIGNED, **SIGNED, HALF: 2, SINGLE: 4}
"""The size of a component by CUarray_format."""
WORD, WIDEST = 0xFFFFFFFF, 32


class Shape(NamedTuple):
    """The elements of a row, the rows, the slices, and the geometry."""

    width: int
    height: int
    depth: int
    geometry: str


@frozen(eq=False)
class Image:
    """The texels of a texture object.

    Attributes:
        shape: Its shape.
        format: The CUarray_format of a component.
        channels: The components of a texel.
        load: Returns the bytes of a texel by its place.
        seen: The texture object.
    """

    shape: Shape
    format: int
    channels: int
    load: Callable[[int, int, int], int]
    seen: Texture


def geometry_of(array: Array) -> str:
    """Return an array's geometry in instructions; empty for a layered cubemap."""
    shape = array.shape
    if shape.flags & CUBEMAP:
        return "" if shape.flags & LAYERED else "cube"
    if shape.flags & LAYERED:
        return "a2d" if shape.height else "a1d"
    return "3d" if shape.depth else "2d" if shape.height else "1d"


def array_of(frame: Any, seen: Any) -> ArrayBytes:
    """Return the bytes of an object's array, as the kernel sees them."""
    run = frame.lane.block.grid.memory.run
    handle = seen.resource[1][0]
    array = run.context.process.arrays.get(handle)
    if not isinstance(array, Array):
        msg = f"uses {seen}, whose array {handle:#x} is destroyed"
        raise Undefined(msg)
    if not isinstance(array.block, Block):
        msg = f"uses {array}, a sparse or deferred array: fakecuda runs no kernels with these"
        raise Undefined(msg)
    found: ArrayBytes | None = run.arrays.get(handle)
    if found is None:
        found = run.arrays[handle] = ArrayBytes(array)
    return found


def object_of(frame: Any, handle: int, table: str) -> Any:
    """Return the texture or surface object of a handle."""
    context = frame.lane.block.grid.memory.run.context
    found = getattr(context, table).get(handle)
    if found is None:
        msg = f"uses {handle:#x}, which is not a {'texture' if table == 'textures' else 'surface'} object of {context}"
        raise Undefined(msg)
    return found


def image_of(frame: Any, handle: int) -> Image:
    """Return the texels of a texture object."""
    seen = object_of(frame, handle, "textures")
    kind = seen.resource[0]
    if any(seen.view) or seen.sampling[2] & SRGB:
        msg = f"uses {seen}, which has a resource view or CU_TRSF_SRGB: fakecuda runs no kernels with these"
        raise Undefined(msg)
    if kind == ARRAY:
        held = array_of(frame, seen)
        row, rows, slices = held.array.extents
        shape, size = held.array.shape, held.array.element.size

        def load(x: int, y: int, z: int) -> int:
            return held.load((z * rows + y) * row + x * size, size)

        width = Shape(shape.width, rows, slices, geometry_of(held.array))
        found = Image(width, shape.format, shape.channels, load, seen)
    elif kind in {LINEAR, PITCHED}:
        found = _in_memory(frame, seen)
    else:
        msg = f"uses {seen} of a mipmapped array: fakecuda runs no kernels with these"
        raise Undefined(msg)
    if found.format not in BYTES:
        msg = f"uses {seen} with the CUarray_format {found.format}: fakecuda runs no kernels with this format"
        raise Undefined(msg)
    return found


def _in_memory(frame: Any, seen: Texture) -> Image:
    """Return the texels of a texture object of linear or pitched memory."""
    kind, (address, form, channels, *sizes), _ = seen.resource
    size = BYTES.get(form, 0) * channels
    if kind == LINEAR:
        sizes = [sizes[0] // max(size, 1), 1, 0]
    width, height, pitch = sizes

    def load(x: int, y: int, _z: int) -> int:
        memory, place = frame.resolve(address + y * pitch + x * size)
        return int(memory.load(place, size))

    return Image(Shape(width, height, 1, "1d" if kind == LINEAR else "2d"), form, channels, load, seen)


def texel(frame: Any, values: list[int], *, geometry: str, type_: str, whole: bool, wanted: int) -> list[int]:
    """Return the four components that tex returns.

    Args:
        frame: The thread's frame.
        values: The texture object and the coordinates.
        geometry: The geometry of the instruction.
        type_: The type of the results.
        whole: Whether coordinates are integers.
        wanted: How many components the kernel uses.
    """
    handle, *coordinates = values
    image = image_of(frame, handle)
    if image.shape.geometry != geometry or (wanted > image.channels and image.seen.resource[0] != ARRAY):
        what = f"has {image.channels} components and the geometry {image.shape.geometry or 'acube'}"
        msg = f"uses {wanted} components of {image.seen}, which {what}"
        raise Undefined(msg)
    if whole or image.seen.resource[0] == LINEAR:
        found = _element(image, coordinates[0], type_, whole=whole)
    else:
        taps = _taps(image, geometry, coordinates)
        exact = len(taps) == 1 and not (image.format == SIGNED_BYTES and image.seen.sampling[1] == LINEARLY)
        found = _at(image, taps[0][1], type_) if exact else _filtered(image, taps, type_, max(wanted, 1))
    return (found + [0] * 4)[:4]


def gathered(frame: Any, values: list[int], *, geometry: str, type_: str, component: int) -> list[int]:
    """Return a component of four neighbouring texels, as tld4 does.

    Args:
        frame: The thread's frame.
        values: The texture object and the coordinates.
        geometry: The geometry of the instruction.
        type_: The type of the results.
        component: The number of the component.
    """
    handle, *coordinates = values
    image = image_of(frame, handle)
    if image.shape.geometry != geometry or image.seen.resource[0] != ARRAY:
        msg = f"gathers texels of {image.seen}, which has the geometry {image.shape.geometry or 'acube'}, or is not an array"
        raise Undefined(msg)
    layer, (across, down) = _axes(image, geometry, coordinates, linear=True)
    spots = [_spot((across[x], down[y], 0), layer) for x, y in ((0, 1), (1, 1), (1, 0), (0, 0))]
    return [([*_at(image, spot, type_), 0, 0, 0])[component] for spot in spots]


def _element(image: Image, coordinate: int, type_: str, *, whole: bool) -> list[int]:
    """Return the components of an element of linear memory by its index."""
    if not whole or image.seen.resource[0] != LINEAR:
        msg = f"reads {image.seen} with {'integers' if whole else 'floats'}: linear memory takes integer coordinates, others floats"
        raise Undefined(msg)
    at = signed(coordinate, 32)
    if not 0 <= at < image.shape.width:
        msg = f"reads element {at} of {image.seen}, which has {image.shape.width} elements"
        raise Undefined(msg)
    return _at(image, (at, 0, 0), type_)


Spot = tuple[int, int, int]
Tap = tuple[int, "Spot | None"]


def _filtered(image: Image, taps: list[Tap], type_: str, count: int) -> list[int]:
    """Return the weighted sums of the components of texels."""
    form, count = image.format, min(count, image.channels)
    if type_ != "f32":
        msg = f"filters {image.seen}, whose texels it reads as integers"
        raise Undefined(msg)
    weights = [weight for weight, _ in taps]
    if form not in {HALF, SINGLE}:
        return _shares(image, taps, count)
    several = [_at(image, spot, type_)[:count] if weight else [0] * count for weight, spot in taps]
    if not all(math.isfinite(number(one)) for each in several for one in each):
        msg = f"filters texels of {image.seen} that are infinite or NaN"
        raise Undefined(msg)
    return [summed(weights, list(component), half=form == HALF) for component in zip(*several, strict=True)]


def _shares(image: Image, taps: list[Tap], count: int) -> list[int]:
    """Return the weighted sums of integer components, normalised to 1."""
    form = image.format
    bits, negative = BYTES[form] * BYTE, form in SIGNED
    mask, most = (1 << bits) - 1, (1 << bits - negative) - 1
    edge = [int(min(max(one, -negative), 1) * most) & mask for one in image.seen.sampling[-1][: image.channels]]
    border = sum(one << bits * at for at, one in enumerate(edge))
    texels = [(weight, border if spot is None else image.load(*spot)) for weight, spot in taps if weight]
    found = []
    for at in range(count):
        parts = [(weight, raw >> bits * at & mask) for weight, raw in texels]
        total = sum(weight * (signed(part, bits) if negative else part) for weight, part in parts)
        found.append(bits_of(shared(total, bits, negative=negative)))
    return found


def _taps(image: Image, geometry: str, coordinates: list[int]) -> list[Tap]:
    """Return texels with their weights: one, or 8. None stands for the border."""
    layer, axes = _axes(image, geometry, coordinates, linear=image.seen.sampling[1] == LINEARLY)
    first, second, shares = zip(*axes, *[(0, 0, 0)] * (3 - len(axes)), strict=True)
    if not any(shares):
        return [(ONE, _spot(first, layer))]
    ends = [
        [other if more else one for one, other, more in zip(first, second, (x, y, z), strict=True)]
        for z, y, x in product((0, 1), repeat=3)
    ]
    return [(weight, _spot(end, layer)) for weight, end in zip(weights_of(*shares), ends, strict=True)]


def _axes(
    image: Image, geometry: str, coordinates: list[int], *, linear: bool
) -> tuple[int, list[tuple[int | None, int | None, int]]]:
    """Return the layer or face, and two texels and a weight for each dimension."""
    modes, _, flags, aniso, *_ = image.seen.sampling
    if aniso > 1:
        msg = f"uses {image.seen} with anisotropic filtering, which fakecuda does not run"
        raise Undefined(msg)
    layer = 0
    if geometry in {"a1d", "a2d"}:
        layer, *coordinates = coordinates
        layer = min(layer, image.shape.depth - 1)
    scaled = bool(flags & NORMALIZED) or geometry == "cube"
    modes = modes_of(modes, scaled=scaled)
    if geometry == "cube":
        layer, *places = _face(image, *map(number, coordinates))
        if flags & SEAMLESS or any(mode != CLAMP for mode in modes[:2]):
            modes = [BORDER] * 2
    else:
        places = [place_of(bits, mode) for bits, mode in zip(coordinates, modes, strict=False)]
    if geometry in {"1d", "a1d"} and linear and BORDER in modes[:2]:
        if geometry == "a1d" or modes[0] != modes[1]:
            msg = f"filters {image.seen} with a border: no recording shows what a card answers"
            raise Undefined(msg)
        places.append(0.0)  # a row has borders above and below
    axes = [
        axis_of(place, side, mode, scaled=scaled, linear=linear)
        for place, side, mode in zip(places, image.shape[:3], modes, strict=False)
    ]
    if geometry == "cube" and any(at is None for axis in axes for at in axis[:2]):
        msg = f"filters {image.seen} across an edge of a face, with other modes than CLAMP: no recording shows what a card answers"
        raise Undefined(msg)
    return layer, axes


def _spot(ats: Sequence[int | None], layer: int) -> Spot | None:
    """Return a place in an array; None beyond a border."""
    x, y, z = ats
    return None if x is None or y is None or z is None else (x, y, z or layer)


def _face(image: Image, x: float, y: float, z: float) -> tuple[int, float, float]:
    """Return the cube face of a direction, and the place on the face."""
    sides = [(abs(z), z, 4, (x, -y), (-x, -y)), (abs(y), y, 2, (x, z), (x, -z)), (abs(x), x, 0, (-z, -y), (z, -y))]
    most, along, face, ahead, behind = max(sides, key=lambda one: one[0])
    if not all(map(math.isfinite, (x, y, z))) or not most:
        msg = f"reads {image.seen} in the direction ({x}, {y}, {z}): no recording shows what a card answers"
        raise Undefined(msg)
    s, t = behind if along < 0 else ahead
    return face + (along < 0), (s / most + 1) / 2, (t / most + 1) / 2


def kind_of(image: Image) -> str:
    """Return the result type of texels."""
    form, flags = image.format, image.seen.sampling[2]
    whole = form < HALF and (flags & AS_INTEGER or BYTES[form] * BYTE == WIDEST)
    return "f32" if not whole else "s32" if form in SIGNED else "u32"


def _at(image: Image, spot: Spot | None, type_: str) -> list[int]:
    """Return the components of a texel or of the border."""
    form, border, kind = image.format, image.seen.sampling[-1], kind_of(image)
    bits, whole = BYTES[form] * BYTE, kind != "f32"
    if type_ != kind or (spot is None and whole and any(border)):
        msg = f"reads .{type_} of {image.seen}, whose texels are .{kind}, with the border {list(border)}"
        raise Undefined(msg)
    if spot is None:
        return [bits_of(one) if kind == "f32" else 0 for one in border[: image.channels]]
    raw = image.load(*spot)
    parts = [raw >> bits * number & (1 << bits) - 1 for number in range(image.channels)]
    if form == SINGLE or (whole and form in UNSIGNED):
        return parts
    if form == HALF:
        return [converted(one, F16, F32) for one in parts]
    if form in UNSIGNED:
        return [bits_of(one / ((1 << bits) - 1)) for one in parts]
    signs = [signed(one, bits) for one in parts]
    if whole:
        return [one & WORD for one in signs]
    return [bits_of(max(one / ((1 << bits - 1) - 1), -1.0)) for one in signs]
