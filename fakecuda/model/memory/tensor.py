"""The 128-byte layout of a tensor map, as an H200's driver writes it."""

from __future__ import annotations

import ctypes
from itertools import starmap
from struct import Struct

from attrs import frozen

from fakecuda.model.effect import effect

LAYOUT = Struct("<16Q")
WORD, TYPES, NO_TYPE = 0xFFFFFFFF, 10, 16
"""Half a word, the number of types with their own format, and an unused number."""
HALF, STEP = 32, 3
"""The bits of half a word, and of an element stride."""
UNIT = 16
"""The unit of strides, in bytes."""
INTERLEAVED = 2
"""CU_TENSOR_MAP_INTERLEAVE_32B."""
SWIZZLES = {1: 256, 2: 512}
"""The alignment of a box in shared memory by CUtensorMapSwizzle, or :data:`WIDE`."""
PLAIN, WIDE = 16, 1024
FORMATS = {**{kind: kind for kind in range(8)}, 8: 9, 9: 10, 10: 8, 11: 7, 12: 8}
"""The numbers of the formats, by CUtensorMapDataType."""
WIDTHS = {**dict.fromkeys((0, 13, 14, 15), 1), **dict.fromkeys((1, 6, 9), 2), **dict.fromkeys((4, 5, 8), 8)}
"""The size of an element by CUtensorMapDataType; 4 for other types."""
TENSOR_FLOATS = frozenset({11, 12})
"""The data types that are read as TF32."""


def width_of(kind: int) -> int:
    """Return the size of an element of a CUtensorMapDataType."""
    return WIDTHS.get(kind, 4)


@frozen
class TensorMap:
    """The fields of a tensor map.

    Attributes:
        address: The address of the tensor.
        kind: CUtensorMapDataType.
        width: Bytes of an element.
        dims: Elements along each dimension.
        strides: Bytes from one element to the next along each dimension but the first.
        steps: The element strides: every how many elements one is taken, along each dimension.
        box: Elements of a box along each dimension. For an image, its channels.
        interleave: CUtensorMapInterleave.
        swizzle: CUtensorMapSwizzle.
        promotion: CUtensorMapL2promotion.
        fill: CUtensorMapFloatOOBfill.
        corners: The lower and the upper corner of an image's pixels, along each of its dimensions. Empty for a tile.
        pixels: Pixels of a column of an image.
    """

    address: int
    kind: int
    width: int
    dims: tuple[int, ...]
    strides: tuple[int, ...]
    steps: tuple[int, ...]
    box: tuple[int, ...]
    interleave: int = 0
    swizzle: int = 0
    promotion: int = 0
    fill: int = 0
    corners: tuple[tuple[int, ...], ...] = ()
    pixels: int = 1

    @property
    def size(self) -> int:
        """The size of a box in shared memory."""
        size = self.width * self.pixels
        for extent, step in zip(self.box, self.steps, strict=False):
            size *= extent if self.corners else extent // step
        return size

    def words(self) -> tuple[int, ...]:
        """Return the sixteen 64-bit words of the tensor map."""
        strides = [*(stride // UNIT for stride in self.strides), *[0] * 4]
        dims = [*(one - 1 for one in self.dims), *[0] * 5]
        steps = sum((step - 1) << STEP * place for place, step in enumerate(self.steps))
        high = sum((stride >> HALF) << 4 * place for place, stride in enumerate(strides))
        halves = (
            *((self._flags(), strides[0]), (strides[1], strides[2]), (strides[3], high)),
            *((dims[0], dims[1]), (dims[2], dims[3]), (dims[4], steps | (self.box[0] - 1) << 24)),
        )
        aligned = SWIZZLES.get(self.swizzle, WIDE) if self.swizzle else PLAIN
        return (self.address, *starmap(_word, halves), self._extents(), self.size, aligned, *[0] * 6)

    @classmethod
    def tile(cls, words: tuple[int, ...]) -> TensorMap | None:
        """Return the tiled tensor map with these words, or None."""
        flags, low, high = words[1] & WORD, words[2:4], words[4:7]
        rank = (flags >> 4 & 7) + 1
        halves = [words[1] >> HALF, *(one >> at & WORD for one in low for at in (0, HALF))]
        strides = [((halves[4] >> 4 * n & 15) << HALF | halves[n]) * UNIT for n in range(4)]
        dims = [(one >> at & WORD) + 1 for one in high for at in (0, HALF)]
        last = words[6] >> HALF
        steps = [(last >> STEP * n & 7) + 1 for n in range(5)]
        box = [(last >> 24) + 1, *((words[7] >> 8 * n & 255) + 1 for n in range(4))]
        kind = {number: kind for kind, number in FORMATS.items() if kind < TYPES}.get(flags >> 7 & 15, NO_TYPE)
        found = cls(
            words[0],
            kind,
            width_of(kind),
            tuple(dims[:rank]),
            tuple(strides[: rank - 1]),
            tuple(steps[:rank]),
            tuple(box[:rank]),
            interleave=flags >> 11 & 3,
            swizzle=flags >> 13 & 3,
            promotion=flags >> 17 & 3,
            fill=flags >> 15 & 1,
        )
        return found if found.words() == words else None

    def _flags(self) -> int:
        return (
            bool(self.corners)
            | (len(self.dims) - 1) << 4
            | FORMATS.get(self.kind, self.kind) << 7
            | self.interleave << 11
            | self.swizzle << 13
            | self.fill << 15
            | (self.kind in TENSOR_FLOATS) << 16
            | self.promotion << 17
        )

    def _extents(self) -> int:
        """Return the word with the rest of the box, or with corners and pixels."""
        if not self.corners:
            return sum((one - 1) << 8 * place for place, one in enumerate(self.box[1:]))
        lower, upper = map(_packed, self.corners)
        return lower | upper << 16 | (self.pixels - 1) << HALF


@effect()
def replace(place: int, address: int) -> None:
    """Replace the address of a tensor map in host memory."""
    ctypes.c_uint64.from_address(place).value = address


def _packed(corner: tuple[int, ...]) -> int:
    """Return the coordinates of a corner, packed into 16 bits."""
    bits = 16 // len(corner)
    return sum((one & ((1 << bits) - 1)) << bits * place for place, one in enumerate(corner))


def _word(low: int, high: int) -> int:
    return (low & 0xFFFFFFFF) | (high & 0xFFFFFFFF) << HALF
