"""The 64 KiB tiles and tails of sparse and deferred-mapping arrays.

A level of a sparse array that spans a tile in every dimension is made of tiles, each of one page. The other levels of
an array lie together in its tail. The tiles and sizes are those of an H200.
"""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING, NamedTuple

from fakecuda.model.memory.array import CUBEMAP, LAYERED, ROW, extents_of, grouped, room, room_of_levels, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.model.memory.array import Element, Grid, Shape
    from fakecuda.model.memory.pages import Key

PAGE = 1 << 16
"""The size of a tile, and the alignment of memory mapped to an array."""
FLAT = {1: (256, 256, 1), 2: (256, 128, 1), 4: (128, 128, 1), 8: (128, 64, 1), 16: (64, 64, 1)}
"""Width, height and depth of a 2D tile, by element size."""
SOLID = {1: (64, 32, 32), 2: (32, 32, 32), 4: (32, 32, 16), 8: (32, 16, 16), 16: (16, 16, 16)}
"""Width, height and depth of a 3D tile, by element size."""


class Tail(NamedTuple):
    """The levels of a sparse array that share tiles.

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
    """Return width, height and depth of a tile in elements."""
    solid = shape.depth and not shape.flags & (LAYERED | CUBEMAP)
    width, height, depth = (SOLID if solid else FLAT)[element.size]
    return width * element.side, height * element.side, depth


def tail_of(shape: Shape, element: Element, levels: int, *, mipmapped: bool) -> Tail:
    """Return the mip tail of a sparse array.

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
    """Return whether a level is smaller than a tile."""
    return level.width < tile[0] or level.height < tile[1] or (tile[2] > 1 and level.depth < tile[2])


def requirement(shape: Shape, element: Element, levels: int) -> int:
    """Return the size of the memory to map to an array with several levels."""
    layers = layers_of(shape)
    layer = room_of_levels(shape, element, range(levels)) // layers
    if layers > 1:
        layer = whole(layer, ROW * grouped(shape, element)[0])
    return whole(layer * layers, PAGE)


TAIL = -1
"""The level in the key of a tail's page."""


def tiles_in(
    level: int, tile: tuple[int, int, int], at: tuple[int, int, int], size: tuple[int, int, int]
) -> Iterator[Key]:
    """Yield the pages of a box in a level, row by row.

    Args:
        level: The level.
        tile: Width, height and depth of a tile.
        at: Where the box begins in x, y and z: at a tile, or in z at a layer.
        size: Its width, height and depth.
    """
    x, y, z = (
        range(start // unit, -(-(start + count) // unit)) for start, count, unit in zip(at, size, tile, strict=True)
    )
    return ((level, slice_, row, column) for slice_ in z for row in y for column in x)


def pages_of_tail(layer: int, offset: int, size: int) -> Iterator[Key]:
    """Yield the pages in a part of a layer's tail."""
    return ((TAIL, layer, page) for page in range(offset // PAGE, (offset + size) // PAGE))


def located_whole(offset: int) -> tuple[Key, int, int]:
    """Return the page and offset of a byte: a deferred-mapping array has one page."""
    return (), offset, 1 << 64


def located_in(grid: Grid, levels: int, *, mipmapped: bool) -> Callable[[int], tuple[Key, int, int]]:
    """Return a function that locates a byte of a sparse array.

    Which bytes of an image lie where in a page is the device's secret: here they lie row by row.
    """
    shape, element = grid.shape, grid.element
    tail = tail_of(shape, element, levels, mipmapped=mipmapped)
    first = 0 if tail.single else tail.first if mipmapped else levels
    layered = shape.flags & (LAYERED | CUBEMAP) and not tail.single
    width, height, depth = tile_of(shape, element)
    across, down = width // element.side * element.size, height // element.side
    starts = [room_of_levels(shape, element, range(number)) for number in range(levels)]
    boxes = [extents_of(shape.level(number), element) for number in range(levels)]
    before = [
        sum(x * y * (1 if layered else z) for x, y, z in boxes[first:number]) for number in range(levels)
    ]  # bytes of a layer's tail before each level

    def located(offset: int) -> tuple[Key, int, int]:
        level = bisect_right(starts, offset) - 1
        pitch, rows, _ = boxes[level]
        line, x = divmod(offset - starts[level], pitch)
        z, y = divmod(line, rows)
        if level >= first:
            layer, slice_ = (z, 0) if layered else (0, z)
            page, inside = divmod(before[level] + (slice_ * rows + y) * pitch + x, PAGE)
            return (TAIL, layer, page), inside, min(PAGE - inside, pitch - x)
        column, left = divmod(x, across)
        inside = (z % depth * down + y % down) * across + left
        return (level, z // depth, y // down, column), inside, min(across - left, pitch - x)

    return located
