"""How arrays that are mapped later divide into pages of 64 KiB: the tiles of sparse arrays, their tails, their sizes.

A level of a sparse array that spans a tile in every dimension is made of tiles, each of one page. The other levels of
an array lie together in its tail. The tiles and sizes are those of an H200.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from fakecuda.model.memory.array import CUBEMAP, LAYERED, ROW, grouped, room, room_of_levels, whole

if TYPE_CHECKING:
    from fakecuda.model.memory.array import Element, Shape

PAGE = 1 << 16
"""Bytes of a tile, and the alignment of memory that is mapped to an array."""
FLAT = {1: (256, 256, 1), 2: (256, 128, 1), 4: (128, 128, 1), 8: (128, 64, 1), 16: (64, 64, 1)}
"""Width, height and depth of a tile of two dimensions, by bytes of an element."""
SOLID = {1: (64, 32, 32), 2: (32, 32, 32), 4: (32, 32, 16), 8: (32, 16, 16), 16: (16, 16, 16)}
"""The same of a tile of three dimensions."""


class Tail(NamedTuple):
    """The levels of a sparse array that lie together.

    Attributes:
        first: The first of these levels. Without one, the number of levels, and 0 of an array that is not mipmapped.
        size: Bytes of a layer's tail, whole pages; of all layers if the tail is the whole array. 0 without a tail.
        single: Whether the tail is the whole array.
    """

    first: int
    size: int
    single: bool


def layers_of(shape: Shape) -> int:
    """Return the number of layers of an array; 1 if it is not layered."""
    return shape.depth if shape.flags & (LAYERED | CUBEMAP) else 1


def tile_of(shape: Shape, element: Element) -> tuple[int, int, int]:
    """Return width, height and depth of a tile, in elements."""
    solid = shape.depth and not shape.flags & (LAYERED | CUBEMAP)
    width, height, depth = (SOLID if solid else FLAT)[element.size]
    return width * element.side, height * element.side, depth


def tail_of(shape: Shape, element: Element, levels: int, *, mipmapped: bool) -> Tail:
    """Return the tail of a sparse array.

    Args:
        shape: The array's shape.
        element: Its elements.
        levels: How many levels it has.
        mipmapped: Whether it is a mipmapped array.
    """
    tile = tile_of(shape, element)
    first = next((number for number in range(levels) if _is_small(shape.level(number), tile)), levels)
    if not first:
        return Tail(0, requirement(shape, element, levels), single=True)
    together = tile[1] // element.side, tile[2]
    layer = sum(room(shape.level(number), element, together) for number in range(first, levels)) // layers_of(shape)
    return Tail(first if mipmapped else 0, whole(layer, PAGE), single=False)


def _is_small(level: Shape, tile: tuple[int, int, int]) -> bool:
    """Return whether a level does not span a tile."""
    return level.width < tile[0] or level.height < tile[1] or (tile[2] > 1 and level.depth < tile[2])


def requirement(shape: Shape, element: Element, levels: int) -> int:
    """Return the bytes of memory that an array with so many levels is mapped to."""
    layers = layers_of(shape)
    layer = room_of_levels(shape, element, range(levels)) // layers
    if layers > 1:
        layer = whole(layer, ROW * grouped(shape, element)[0])
    return whole(layer * layers, PAGE)
