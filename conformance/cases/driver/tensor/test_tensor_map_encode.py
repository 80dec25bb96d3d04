"""Tensor maps of tiles and of image columns (im2col).

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.tensor.fixtures import BASE, FLOAT16, FLOAT32, INTERLEAVED, LOOKS, refuse
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import CALLS

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

IMAGE: dict[str, Any] = {
    "tensorDataType": FLOAT16,
    "tensorRank": 4,
    "globalAddress": BASE,
    "globalDim": (64, 32, 32, 8),
    "globalStrides": (128, 4096, 131072),
    "channelsPerPixel": 64,
    "pixelsPerColumn": 64,
    "elementStrides": (1, 1, 1, 1),
    **LOOKS,
}
"""Images of 32 by 32 pixels with 64 channels."""


def tiled(w: World) -> Invocation:
    return w.process().call(
        "cuTensorMapEncodeTiled",
        tensorDataType=FLOAT16,
        tensorRank=2,
        globalAddress=BASE,
        globalDim=(256, 128),
        globalStrides=(512,),
        boxDim=(64, 16),
        elementStrides=(1, 1),
        **LOOKS,
    )


def columns(w: World) -> Invocation:
    return w.process().call("cuTensorMapEncodeIm2col", pixelBoxLowerCorner=(0, 0), pixelBoxUpperCorner=(0, 0), **IMAGE)


def rows(w: World) -> Invocation:
    return w.process().call(
        "cuTensorMapEncodeIm2colWide", pixelBoxLowerCornerWidth=0, pixelBoxUpperCornerWidth=0, mode=0, **IMAGE
    )


tile = Entry("cuTensorMapEncodeTiled", tiled)
refuse(tile, 2, "boxDim")
tile.breaks("EXTENTS_ARE_GIVEN", "boxDim", boxDim=None)
for box in ((0, 16), (64, 0), (257, 1), (64, 257)):
    tile.breaks("BOX_IS_WITHIN_LIMITS", f"{box[0]} by {box[1]}", boxDim=box)
tile.breaks("BOX_FITS", tensorDataType=FLOAT32, boxDim=(256, 256))
tile.breaks("RANK_IS_POSSIBLE", "interleaved", interleave=INTERLEAVED)
cube: dict[str, Any] = {
    "tensorRank": 3,
    "globalDim": (64, 64, 64),
    "globalStrides": (1024, 65536),
    "boxDim": (8, 8, 8),
    "elementStrides": (1, 1, 1),
    "interleave": INTERLEAVED,
}
tile.also("interleaved", **cube)
column_of_sixteen: dict[str, Any] = {**cube, "interleave": 1}
tile.also("interleaved by 16", **column_of_sixteen)
tile.also("interleaved, by 16", rule="ADDRESS_IS_ALIGNED", globalAddress=BASE + 16, **cube)
tile.also("interleaved, strides by 16", rule="STRIDES_ARE_ALIGNED", **{**cube, "globalStrides": (1024, 48)})
tile.also("one dimension", tensorRank=1, globalDim=(256,), globalStrides=(16,), boxDim=(64,), elementStrides=(1,))
for extents in ((256, 227, 2), (256, 228, 2), (256, 256, 2), (256, 64, 8)):
    size: dict[str, Any] = {**cube, "interleave": 0, "boxDim": extents}
    told = extents[0] * extents[1] * extents[2] * 2
    name = f"a box of {told} bytes"
    if told > 233472:
        tile.also(name, rule="BOX_FITS", **size)
    else:
        tile.also(name, **size)
test_tensor_map_encode_tiled = tile.test()

column = Entry("cuTensorMapEncodeIm2col", columns)
refuse(column, 4, "channelsPerPixel")
for name in ("pixelBoxLowerCorner", "pixelBoxUpperCorner"):
    column.undefined("CORNERS_ARE_GIVEN", name, code=Result.INVALID_VALUE, **{name: None})
column.breaks("RANK_IS_POSSIBLE", "two", tensorRank=2)
for low in ((-129, 0), (128, 0), (0, 32)):
    column.breaks("CORNERS_ARE_NEAR", f"{low[0]} and {low[1]}", pixelBoxLowerCorner=low)
column.also("corners", pixelBoxLowerCorner=(-128, 31), pixelBoxUpperCorner=(127, 0))

row = Entry("cuTensorMapEncodeIm2colWide", rows)
refuse(row, 4, "channelsPerPixel")
row.breaks("RANK_IS_POSSIBLE", "two", tensorRank=2)
for width in (-129, 32, 128):
    row.breaks("CORNERS_ARE_NEAR", f"{width}", pixelBoxLowerCornerWidth=width)
row.also("interleaved: the width is the first dimension", interleave=1, pixelBoxLowerCornerWidth=32)
row.breaks("MODE_IS_KNOWN", mode=2)
row.also("128 pixels", mode=1)

for entry in (column, row):
    for channels in (0, 257):
        entry.breaks("CHANNELS_ARE_WITHIN_LIMITS", f"{channels}", channelsPerPixel=channels)
    for pixels in (0, 1025):
        entry.breaks("PIXELS_ARE_WITHIN_LIMITS", f"{pixels}", pixelsPerColumn=pixels)
    entry.breaks("BOX_FITS", pixelsPerColumn=1024, channelsPerPixel=256)

ENTRIES = (tile, column, row)
PACKED_8, PACKED_16, SIX_BITS = 13, 14, 15
"""Packed elements: 4 bits in 8 bytes, 4 bits in 16 bytes, and 6 bits."""


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.call)
def test_an_older_device_has_no_tensor_maps(entry: Entry) -> None:
    """An older device refuses tensor maps, with any arguments."""
    with fakecuda.Machine("a100-40gb") as machine:
        c = ready(machine)
        inputs = [None if param.array else 0 for param in CALLS[entry.call].inputs]
        assert getattr(c, entry.call)(*inputs)[0] == Result.INVALID_VALUE
        assert machine.log[-1].rule is entry.rule("TENSOR_MAPS_ARE_SUPPORTED")


def ready(machine: fakecuda.Machine) -> Any:
    """Return the calls of a process with a context."""
    c = machine.spawn().c
    c.cuInit(0)
    c.cuCtxCreate(None, 0, 0)
    return c


@pytest.mark.parametrize(
    ("changed", "rule"),
    [
        ({}, None),
        ({"kind": PACKED_8, "dims": (130, 128)}, None),
        ({"kind": PACKED_8, "dims": (131, 128)}, "DIMENSIONS_ARE_WITHIN_LIMITS"),
        ({"kind": PACKED_16}, None),
        ({"dims": (192, 128)}, "DIMENSIONS_ARE_WITHIN_LIMITS"),
        ({"address": BASE + 16}, "ADDRESS_IS_ALIGNED"),
        ({"strides": (112,)}, "STRIDES_ARE_ALIGNED"),
        ({"box": (64, 16)}, "ROW_IS_WHOLE"),
        ({"interleave": 1}, "INTERLEAVE_IS_KNOWN"),
        ({"swizzle": 3}, None),
        ({"swizzle": 6}, None),
        ({"swizzle": 2}, "SWIZZLE_IS_KNOWN"),
        ({"kind": PACKED_16, "swizzle": 6}, "SWIZZLE_IS_KNOWN"),
        ({"fill": 1}, "FILL_SUITS"),
    ],
)
def test_packed_elements_of_a_newer_device(changed: dict[str, Any], rule: str | None) -> None:
    """Newer devices support packed elements, by the manual; no recorded card does."""
    given: dict[str, Any] = {
        "kind": SIX_BITS,
        "rank": 2,
        "address": BASE,
        "dims": (256, 128),
        "strides": (128,),
        "box": (128, 16),
        "steps": (1, 1),
        "interleave": 0,
        "swizzle": 0,
        "promotion": 0,
        "fill": 0,
        **changed,
    }
    with fakecuda.Machine("b200") as machine:
        code, _ = ready(machine).cuTensorMapEncodeTiled(*given.values())
        assert machine.log[-1].rule is (tile.rule(rule) if rule else None)
        assert code == (Result.INVALID_VALUE if rule else 0)


test_tensor_map_encode_im2col = column.test()
test_tensor_map_encode_im2col_wide = row.test()
