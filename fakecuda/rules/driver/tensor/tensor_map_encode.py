"""cuTensorMapEncode* calls: tensor maps of tiles and of image columns (im2col).

The memory behind the address is not looked at.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.tensor import TensorMap
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.tensor.region import (
    fitting,
    given,
    mapping,
    region_of,
    row_suits,
)
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.rules.driver.tensor.region import Extents, Region

    Made = tuple[tuple[int, ...]]

MOST, MOST_PIXELS = 256, 1024
"""The maximum box elements along a dimension (or channels), and pixels per column."""
CORNERS = {1: 1 << 15, 2: 1 << 7, 3: 1 << 4}
"""The maximum distance of image corners from the tensor's, by image dimensions."""
IMAGE = 3
"""The minimum rank of an image tensor: channels, pixels and images."""

MODE_IS_KNOWN = Rule(
    "`mode` is a CUtensorMapIm2ColWideMode",
    Result.INVALID_VALUE,
    observed("cuTensorMapEncodeIm2colWide", "the driver answers INVALID_VALUE to the value 2"),
    fix="pass a CUtensorMapIm2ColWideMode",
)
CORNERS_ARE_GIVEN = Rule(
    "`pixelBoxLowerCorner` and `pixelBoxUpperCorner` are not null",
    Result.INVALID_VALUE,
    undefined(
        "cuTensorMapEncodeIm2col",
        "the manual says nothing about a null argument; driver 580 reads from the null pointer (segmentation fault)",
    ),
    fix="pass both corners of the pixel box",
)
BOX_IS_WITHIN_LIMITS = Rule(
    "each of `boxDim` is 1 to 256",
    Result.INVALID_VALUE,
    manual("cuTensorMapEncodeTiled", "must be non-zero and less than or equal to 256"),
    fix="choose a box of 1 to 256 elements in each dimension",
)
CORNERS_ARE_NEAR = Rule(
    "corners are signed 16-, 8- or 5-bit numbers for `tensorRank` 3, 4 or 5, and dimension + upper - lower is "
    "at least 1",
    Result.INVALID_VALUE,
    observed(
        "cuTensorMapEncodeIm2col",
        "the driver answers INVALID_VALUE to corners of more than 16, 8 or 5 bits, and to "
        "corners without a pixel between them",
    ),
    fix="pass corners with at least one pixel of the image between the lower and the upper corner",
)
CHANNELS_ARE_WITHIN_LIMITS = Rule(
    "`channelsPerPixel` is 1 to 256",
    Result.INVALID_VALUE,
    manual(
        "cuTensorMapEncodeIm2col",
        "which specifies the number of elements which must be accessed along C dimension, must be less than or equal to 256",
    ),
    fix="pass 1 to 256 channels",
)
PIXELS_ARE_WITHIN_LIMITS = Rule(
    "`pixelsPerColumn` is 1 to 1024",
    Result.INVALID_VALUE,
    manual(
        "cuTensorMapEncodeIm2col",
        "which specifies the number of elements that must be accessed along the {N, D, H, W} dimensions, must be less than or equal to 1024",
    ),
    fix="pass 1 to 1024 pixels",
)


@DRIVER.op("cuTensorMapEncodeTiled")
def tensor_map_encode_tiled(
    call: Call,
    kind: int,
    rank: int,
    address: int,
    dims: Extents,
    strides: Extents,
    box: Extents,
    steps: Extents,
    interleave: int,
    swizzle: int,
    promotion: int,
    fill: int,
) -> Made:
    """Return a tensor map of tiles.

    Args:
        call: The call.
        kind: CUtensorMapDataType.
        rank: How many dimensions the tensor has.
        address: Where it begins.
        dims: Elements along each dimension.
        strides: Bytes from one to the next along each dimension but the first.
        box: Elements of a tile along each dimension.
        steps: Of how many elements one is taken, along each dimension.
        interleave: CUtensorMapInterleave.
        swizzle: CUtensorMapSwizzle.
        promotion: CUtensorMapL2promotion.
        fill: CUtensorMapFloatOOBfill.
    """
    # CHECK
    context = mapping(call)
    looks = interleave, swizzle, promotion, fill
    region = region_of(context, (kind, rank, address), (dims, strides, steps), looks)
    tile = given(box, rank)
    if not all(0 < one <= MOST for one in tile):
        raise BOX_IS_WITHIN_LIMITS.broken(box=tile)
    row_suits(region, tile[0])
    return fitting(context, _made(region, tile))


def _made(
    region: Region, box: tuple[int, ...], corners: tuple[tuple[int, ...], ...] = (), pixels: int = 1
) -> TensorMap:
    return TensorMap(
        region.address,
        region.kind,
        region.width,
        region.dims,
        region.strides,
        region.steps,
        box,
        *region.looks,
        corners,
        pixels,
    )


@guard
def columns(
    region: Region, corners: tuple[tuple[int, ...], tuple[int, ...]], channels: int, pixels: int, first: int = 1
) -> Made:
    """Return the value of a tensor map of image columns.

    Args:
        region: The region.
        corners: The lower and the upper corner of the pixels, along each dimension of the image that the call tells of.
        channels: Channels of a pixel.
        pixels: Pixels of a column.
        first: The dimension of the first corners.
    """
    far = CORNERS[len(region.dims) - IMAGE + 1]
    for low, high, extent in zip(*corners, region.dims[first:], strict=False):
        if not -far <= min(low, high) <= max(low, high) < far or extent + high - low <= 0:
            raise CORNERS_ARE_NEAR.broken(corners=corners, dims=region.dims)
    if not 0 < channels <= MOST:
        raise CHANNELS_ARE_WITHIN_LIMITS.broken(channels=channels)
    if not 0 < pixels <= MOST_PIXELS:
        raise PIXELS_ARE_WITHIN_LIMITS.broken(pixels=pixels)
    row_suits(region, channels)
    return fitting(region.context, _made(region, (channels,), corners, pixels))


@DRIVER.op("cuTensorMapEncodeIm2col")
def tensor_map_encode_im2col(
    call: Call,
    kind: int,
    rank: int,
    address: int,
    dims: Extents,
    strides: Extents,
    lower: Extents,
    upper: Extents,
    channels: int,
    pixels: int,
    steps: Extents,
    interleave: int,
    swizzle: int,
    promotion: int,
    fill: int,
) -> Made:
    """Return a tensor map of image columns (im2col); other arguments as for cuTensorMapEncodeTiled.

    Args:
        call: The call.
        kind: See above.
        rank: See above.
        address: See above.
        dims: Channels, pixels along each dimension of an image, and images.
        strides: See above.
        lower: How far the first pixel lies from an image's first, along each of its dimensions.
        upper: How far the last pixel lies from an image's last.
        channels: Channels of a pixel.
        pixels: Pixels of a column.
        steps: See above.
        interleave: See above.
        swizzle: See above.
        promotion: See above.
        fill: See above.
    """
    # CHECK
    context = mapping(call)
    looks = interleave, swizzle, promotion, fill
    region = region_of(context, (kind, rank, address), (dims, strides, steps), looks, IMAGE)
    if lower is None or upper is None:
        call.undefined(CORNERS_ARE_GIVEN)
        raise CORNERS_ARE_GIVEN.broken(lower=lower, upper=upper)
    corners = given(lower, rank - 2), given(upper, rank - 2)
    return columns(region, corners, channels, pixels)


@DRIVER.op("cuTensorMapEncodeIm2colWide")
def tensor_map_encode_im2col_wide(
    call: Call,
    kind: int,
    rank: int,
    address: int,
    dims: Extents,
    strides: Extents,
    lower: int,
    upper: int,
    channels: int,
    pixels: int,
    steps: Extents,
    interleave: int,
    mode: int,
    swizzle: int,
    promotion: int,
    fill: int,
) -> Made:
    """Return a tensor map of image columns along the width.

    Arguments as for cuTensorMapEncodeIm2col, corners are widths.
    """
    # CHECK
    context = mapping(call)
    if mode not in ENUMS["CUtensorMapIm2ColWideMode"].values():
        raise MODE_IS_KNOWN.broken(mode=mode)
    looks = interleave, swizzle, promotion, fill
    region = region_of(context, (kind, rank, address), (dims, strides, steps), looks, IMAGE)
    others = (0,) * (rank - IMAGE)
    first = 0 if interleave else 1
    return columns(region, ((lower, *others), (upper, *others)), channels, pixels, first)
