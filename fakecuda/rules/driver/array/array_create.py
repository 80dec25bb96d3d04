"""cuArrayCreate, cuArray3DCreate and cuMipmappedArrayCreate: device memory with a shape and without an address.

The format, the dimensions and the device's limits for textures decide what is possible. The limits for surfaces also
count if the array allows surfaces. A sparse array, or one with deferred mapping, has no memory until cuMemMapArrayAsync.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import array
from fakecuda.model.memory.array import CUBEMAP, DEFERRED, GATHER, LAYERED, SPARSE, SURFACE, Element, Shape
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.memory.mem_alloc import MEMORY_SUFFICES
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context, Device

ENCODED = 256
"""CUDA_ARRAY3D_VIDEO_ENCODE_DECODE."""
FLAGS = LAYERED | SURFACE | CUBEMAP | GATHER | SPARSE | DEFERRED | ENCODED
FACES = 6
"""The number of faces of a cube."""
PLAIN = {1: 1, 2: 2, 3: 4, 8: 1, 9: 2, 10: 4, 16: 2, 32: 4}
"""Bytes of a component, by formats that have one, two or four channels."""
FIXED = {
    80: (4, 4),
    **{
        first + number: (size << number, 1 << number)
        for first, size in ((192, 1), (195, 2), (198, 1), (201, 2))
        for number in range(3)
    },
}
"""Bytes of an element and its channels, by formats with a fixed channel count."""
COMPRESSED = {
    **dict.fromkeys((145, 146), (8, 4)),
    **dict.fromkeys((147, 148, 149, 150, 157, 158), (16, 4)),
    **dict.fromkeys((151, 152), (8, 1)),
    **dict.fromkeys((153, 154), (16, 2)),
    **dict.fromkeys((155, 156), (16, 3)),
}
"""Bytes of a 4x4 block and its channels, by compressed formats."""
_ATTRIBUTES = ENUMS["CUdevice_attribute"]

DESCRIPTOR_IS_GIVEN = Rule(
    "the array descriptor is not null",
    Result.INVALID_VALUE,
    manual("cuArray3DCreate", "Creates a CUDA array according to the CUDA_ARRAY3D_DESCRIPTOR structure"),
    fix="pass the address of a CUDA_ARRAY_DESCRIPTOR or CUDA_ARRAY3D_DESCRIPTOR",
)
FORMAT_IS_KNOWN = Rule(
    "the format is a CUarray_format of one plane, with 1, 2 or 4 channels or the number that the format prescribes",
    Result.INVALID_VALUE,
    manual("cuArray3DCreate", "it may be 1, 2, or 4"),
    fix="set NumChannels to 1, 2 or 4, or to what a compressed or normalized Format requires",
)
SURFACES_ARE_NOT_COMPRESSED = Rule(
    "an array with CUDA_ARRAY3D_SURFACE_LDST does not have a block-compressed format",
    Result.NOT_SUPPORTED,
    observed("cuArray3DCreate", "the driver answers NOT_SUPPORTED to CUDA_ARRAY3D_SURFACE_LDST with a BC format"),
    fix="leave out CUDA_ARRAY3D_SURFACE_LDST, or use a format that is not compressed",
)
FLAGS_ARE_KNOWN = Rule(
    "`Flags` has only bits of CUDA_ARRAY3D, and not CUDA_ARRAY3D_DEPTH_TEXTURE or CUDA_ARRAY3D_COLOR_ATTACHMENT",
    Result.INVALID_VALUE,
    manual("cuArray3DCreate", "Flags may be set to"),
    fix="set Flags to bits of CUDA_ARRAY3D only",
)
FLAGS_GO_TOGETHER = Rule(
    "flags with CUDA_ARRAY3D_SPARSE do not have CUDA_ARRAY3D_DEFERRED_MAPPING, _SURFACE_LDST or _CUBEMAP",
    Result.INVALID_VALUE,
    observed(
        "cuArray3DCreate", "the driver answers INVALID_VALUE to CUDA_ARRAY3D_SPARSE with any of the three other flags"
    ),
    fix="leave out CUDA_ARRAY3D_SPARSE, or the flags that exclude it",
)
SHAPE_IS_POSSIBLE = Rule(
    "width, height and depth describe a 1D, 2D or 3D array, a layered array or a cubemap, as the flags say",
    Result.INVALID_VALUE,
    manual("cuArray3DCreate", "the following types of CUDA arrays can be allocated"),
    fix="set Height and Depth to 0 for fewer dimensions; set Depth to the layers, or to 6 square faces for a cubemap",
)
SHAPE_IS_WITHIN_LIMITS = Rule(
    "width, height and depth do not exceed the device's limits for this kind of array",
    Result.INVALID_VALUE,
    manual("cuArray3DCreate", "must meet certain size requirements as listed in the following table"),
    fix="keep each extent within the device's limits for textures, and for surfaces if the array allows them",
)


@DRIVER.op("cuArrayCreate")
def array_create(call: Call, descriptor: tuple[int, int, int, int] | None) -> int:
    """Create an array of one or two dimensions; it is freed when the current context ends.

    Args:
        call: The call.
        descriptor: CUDA_ARRAY_DESCRIPTOR: width, height, format, channels.
    """
    # CHECK
    context = current(call)
    if descriptor is None:
        raise DESCRIPTOR_IS_GIVEN.broken()
    width, height, form, channels = descriptor
    shape = Shape(width, height, 0, form, channels, 0)
    element = possible(call, context, shape)
    # EFFECT
    return made(context, array.create(context, shape, element, history.here()))


@DRIVER.op("cuArray3DCreate")
def array3d_create(call: Call, descriptor: tuple[int, int, int, int, int, int] | None) -> int:
    """Create an array; it is freed when the current context ends.

    Args:
        call: The call.
        descriptor: CUDA_ARRAY3D_DESCRIPTOR: width, height, depth, format, channels, flags.
    """
    # CHECK
    context = current(call)
    if descriptor is None:
        raise DESCRIPTOR_IS_GIVEN.broken()
    shape = Shape(*descriptor)
    element = possible(call, context, shape)
    # EFFECT
    return made(context, array.create(context, shape, element, history.here()))


@DRIVER.op("cuMipmappedArrayCreate")
def mipmapped_array_create(call: Call, descriptor: tuple[int, int, int, int, int, int] | None, levels: int) -> int:
    """Create a mipmapped array; it is freed when the current context ends.

    Args:
        call: The call.
        descriptor: CUDA_ARRAY3D_DESCRIPTOR of the largest level.
        levels: The number of levels, clamped to the possible maximum.
    """
    # CHECK
    context = current(call)
    if descriptor is None:
        raise DESCRIPTOR_IS_GIVEN.broken()
    shape = Shape(*descriptor)
    element = possible(call, context, shape, mipmapped=True)
    layers = shape.flags & (LAYERED | CUBEMAP)
    most = max(shape.width, shape.height, 0 if layers else shape.depth).bit_length()
    # EFFECT
    count = max(1, min(levels, most))
    return made(context, array.create_mipmapped(context, shape, element, count, history.here()))


@guard
def made(context: Context, grid: array.Grid | None) -> int:
    """Create an array and return its handle, if the device has enough memory."""
    if grid is None:
        raise MEMORY_SUFFICES.broken(free=context.card.memory.total - context.card.memory.used)
    return grid.handle


@guard
def possible(call: Call, context: Context, shape: Shape, *, mipmapped: bool = False) -> Element:
    """Return the element of an array whose shape the device supports."""
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    element = element_of(shape.format, shape.channels)
    if shape.width and shape.flags & SURFACE and element.side > 1:
        raise SURFACES_ARE_NOT_COMPRESSED.broken(format=shape.format)
    if shape.flags & ~FLAGS:
        raise FLAGS_ARE_KNOWN.broken(flags=shape.flags)
    if shape.flags & SPARSE and shape.flags & (DEFERRED | SURFACE | CUBEMAP):
        raise FLAGS_GO_TOGETHER.broken(flags=shape.flags)
    if not _is_possible(shape, element):
        raise SHAPE_IS_POSSIBLE.broken(width=shape.width, height=shape.height, depth=shape.depth, flags=shape.flags)
    sizes = shape.width, shape.height, shape.depth
    for limits in _limits(shape, mipmapped=mipmapped):
        if not any(_within(context.device, sizes, names) for names in limits):
            raise SHAPE_IS_WITHIN_LIMITS.broken(width=shape.width, height=shape.height, depth=shape.depth)
    return element


@guard
def element_of(form: int, channels: int) -> Element:
    """Return the element of arrays with this format and number of channels."""
    found = known_element(form, channels)
    if found is None:
        raise FORMAT_IS_KNOWN.broken(format=form, channels=channels)
    return found


def known_element(form: int, channels: int) -> Element | None:
    """Return the element of arrays with this format and number of channels. None if the format is unknown."""
    if form in PLAIN and channels in {1, 2, 4}:
        return Element(PLAIN[form] * channels)
    for known, side in ((FIXED, 1), (COMPRESSED, 4)):
        size, count = known.get(form, (0, 0))
        if count and count == channels:
            return Element(size, side)
    return None


def _is_possible(shape: Shape, element: Element) -> bool:
    """Return whether the extents and the flags of an array are valid together."""
    width, height, depth, flags = shape.width, shape.height, shape.depth, shape.flags
    if not width or (element.side > 1 and not height):
        return False
    if flags & CUBEMAP:
        faces = depth and not depth % FACES if flags & LAYERED else depth == FACES
        return bool(faces) and width == height and not flags & GATHER
    if flags & GATHER:
        return bool(height) and not depth
    if flags & SPARSE and not height:
        return False
    if flags & LAYERED:
        return bool(depth)
    return bool(height) or not depth


def _limits(shape: Shape, *, mipmapped: bool) -> Iterator[tuple[tuple[str, ...], ...]]:
    """Yield groups of limits, by attribute names. An array must satisfy one limit of each group."""
    flags = shape.flags
    if flags & CUBEMAP:
        kind = "CUBEMAP_LAYERED" if flags & LAYERED else "CUBEMAP"
        layers = (f"{kind}_LAYERS",) if flags & LAYERED else ()
    else:
        kind = f"{3 if shape.depth and not flags & LAYERED else 2 if shape.height else 1}D"
        layers = ()
        if flags & LAYERED:
            kind, layers = f"{kind}_LAYERED", (f"{kind}_LAYERED_LAYERS",)
    extents = {
        "1D": ("WIDTH",), "2D": ("WIDTH", "HEIGHT"), "3D": ("WIDTH", "HEIGHT", "DEPTH"),
        "1D_LAYERED": ("WIDTH", ""), "2D_LAYERED": ("WIDTH", "HEIGHT"),
        "CUBEMAP": ("WIDTH", ""), "CUBEMAP_LAYERED": ("WIDTH", ""),
    }[kind]  # fmt: skip
    names = (*(f"{kind}_{one}" if one else "" for one in extents), *layers)
    textures = tuple(f"TEXTURE{one}" if one else "" for one in names)
    if mipmapped and kind in {"1D", "2D"}:
        textures = tuple(one.replace(f"{kind}_", f"{kind}_MIPMAPPED_") for one in textures)
    elif flags & GATHER:
        textures = ("TEXTURE2D_GATHER_WIDTH", "TEXTURE2D_GATHER_HEIGHT")
    others = tuple(f"{one}_ALTERNATE" for one in textures) if kind == "3D" else textures
    yield textures, others
    if flags & SURFACE:
        yield (tuple(f"SURFACE{one}" if one else "" for one in names),)


def _within(device: Device, sizes: tuple[int, int, int], names: tuple[str, ...]) -> bool:
    """Return whether extents are within the limits of the named attributes."""
    told = device.profile.attributes
    return all(
        not name or size <= told[_ATTRIBUTES[f"CU_DEVICE_ATTRIBUTE_MAXIMUM_{name}"]]
        for size, name in zip(sizes, names, strict=False)
    )
