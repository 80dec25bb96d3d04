"""Arrays and mipmapped arrays: device memory with a shape and without an address.

Their bytes lie row by row in blocks of their own. Their size follows a card's layout. Rows are multiples of 64 bytes.
Groups of 8, 16 and up to 128 rows of a slice lie together, and in three dimensions groups of up to 16 slices, of fewer
rows. An H200's memory information showed this, and the memory requirements of its arrays.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from attrs import define, evolve, field

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.model.memory import blocks, pages
from fakecuda.model.memory.blocks import Block, InBlock
from fakecuda.model.memory.pages import APART, FLAT, SOLID, Pages
from fakecuda.model.os import handles
from fakecuda.model.os.process import FORKED

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fakecuda.model.context import Context
    from fakecuda.model.history import Stack
    from fakecuda.model.os.process import Process

LAYERED, SURFACE, CUBEMAP, GATHER, SPARSE, DEFERRED = 1, 2, 4, 8, 64, 128
"""CUDA_ARRAY3D_LAYERED, _SURFACE_LDST, _CUBEMAP, _TEXTURE_GATHER, _SPARSE and _DEFERRED_MAPPING."""
ROW, ROWS = 64, 8
"""The size in bytes and the rows of the smallest tile of an array."""
MOST_TILES = 16
"""The maximum tiles that are stored together, in a slice or across slices."""


class Shape(NamedTuple):
    """The shape and format of an array: a CUDA_ARRAY3D_DESCRIPTOR.

    Attributes:
        width: Elements of a row.
        height: Rows of a slice; 0 for one dimension.
        depth: Slices, or layers; 0 for fewer dimensions.
        format: CUarray_format.
        channels: Components of an element.
        flags: CUDA_ARRAY3D_*.
    """

    width: int
    height: int
    depth: int
    format: int
    channels: int
    flags: int

    def level(self, number: int) -> Shape:
        """Return the shape of a mip level."""
        width, height = max(self.width >> number, 1), self.height and max(self.height >> number, 1)
        layers = self.flags & (LAYERED | CUBEMAP)
        depth = self.depth if layers else self.depth and max(self.depth >> number, 1)
        return self._replace(width=width, height=height, depth=depth)


class Element(NamedTuple):
    """An element of an array's format.

    Attributes:
        size: Bytes.
        side: How many elements of the descriptor it covers in width and in height: 4 for block-compressed formats.
    """

    size: int
    side: int = 1


@define(eq=False)
class Grid(InBlock, history.Lifetime):
    """An array or a mipmapped array.

    Attributes:
        handle: CUarray or CUmipmappedArray.
        context: The context that it ends with.
        shape: Its shape and format.
        element: Its elements.
        start: Its address in the process, which no call returns.
        room: Bytes that it takes. 0 if it has no memory of its own.
        block: The block that it lies in, or the pages that are mapped later.
    """

    handle: int
    context: Context
    shape: Shape
    element: Element
    start: int
    room: int
    block: Block | Pages = field(repr=False)

    @property
    def form(self) -> int:
        """How the slices of an array lie; 0 of a mipmapped array. Copies use its levels."""
        return 0

    @property
    def end(self) -> int:
        """The address after its last byte."""
        return self.start + self.room


@define(eq=False)
class Array(Grid):
    """An array, or a level of a mipmapped array.

    Attributes:
        level_of: The mipmapped array that it is a level of. None for an array.
    """

    words = ("created", "destroyed")
    level_of: Mipmapped | None = field(default=None, repr=False)

    @property
    def extents(self) -> tuple[int, int, int]:
        """The bytes of a row, the rows of a slice, and the slices."""
        return extents_of(self.shape, self.element)

    @property
    def form(self) -> int:
        """How its slices lie."""
        if not self.shape.flags & (LAYERED | CUBEMAP):
            return SOLID if self.shape.depth > 1 else FLAT
        return FLAT if self.shape.height and self.level_of is None else APART

    def __repr__(self) -> str:
        what = "array" if self.level_of is None else "level"
        return f"{what} {self.handle:#x} of {_told(self.shape)} elements on {self.context.device}"


@define(eq=False)
class Mipmapped(Grid):
    """A mipmapped array.

    Attributes:
        count: Its levels of detail.
        levels: The levels that were requested, by number.
    """

    words = ("created", "destroyed")
    count: int
    levels: dict[int, Array] = field(factory=dict, repr=False)

    def __repr__(self) -> str:
        return f"mipmapped array {self.handle:#x} of {_told(self.shape)} elements on {self.context.device}"


def _told(shape: Shape) -> str:
    return " x ".join(str(one) for one in shape[:3] if one)


def extents_of(shape: Shape, element: Element) -> tuple[int, int, int]:
    """Return the bytes of a row, the rows of a slice, and the slices of an array."""
    width, height = -(-shape.width // element.side), -(-max(shape.height, 1) // element.side)
    return width * element.size, height, max(shape.depth, 1)


def grouped(shape: Shape, element: Element) -> tuple[int, int]:
    """Return how many rows and how many slices of an array are stored together."""
    _, height, depth = extents_of(shape, element)
    slices = 1 if shape.flags & (LAYERED | CUBEMAP) else min(MOST_TILES, _power(depth))
    return ROWS * min(MOST_TILES // slices, _power(-(-height // ROWS))), slices


def room(shape: Shape, element: Element, most: tuple[int, int]) -> int:
    """Return the memory size of an array or a mip level.

    Args:
        shape: Its shape.
        element: Its elements.
        most: How many rows and slices lie together at most: those of the largest level.
    """
    width, height, depth = extents_of(shape, element)
    rows, slices = min(most[0], ROWS * _power(-(-height // ROWS))), min(most[1], _power(depth))
    return whole(width, ROW) * whole(height, rows) * whole(depth, slices)


def room_of_levels(shape: Shape, element: Element, levels: range) -> int:
    """Return the memory size of the levels of an array."""
    most = grouped(shape, element)
    return sum(room(shape.level(number), element, most) for number in levels)


def _power(count: int) -> int:
    """Return the smallest power of two that is at least ``count``."""
    return 1 << (count - 1).bit_length()


def whole(size: int, unit: int) -> int:
    """Round a size up to whole units."""
    return -(-size // unit) * unit


@effect(makes="Array")
def create(context: Context, shape: Shape, element: Element, stack: Stack) -> Array | None:
    """Create an array in a context, and return it.

    None if the device has too little memory.
    """
    place = _place(context, shape, room_of_levels(shape, element, range(1)))
    if place is None:
        return None
    made = Array(handles.new_handle(context.process, "array"), context, shape, element, *place, created=stack)
    _keep(made)
    return made


@effect(makes="Mipmapped")
def create_mipmapped(context: Context, shape: Shape, element: Element, count: int, stack: Stack) -> Mipmapped | None:
    """Create a mipmapped array in a context, and return it.

    None if the device has too little memory.
    """
    place = _place(context, shape, room_of_levels(shape, element, range(count)))
    if place is None:
        return None
    handle = context.process.machine.territory.new_handle()
    made = Mipmapped(handle, context, shape, element, *place, count, created=stack)
    _keep(made)
    return made


@effect(beside="a look-up makes it")
def level(mipmapped: Mipmapped, number: int) -> Array:
    """Return a level of a mipmapped array, the same each time."""
    known = mipmapped.levels.get(number)
    if known is None:
        shape, element = mipmapped.shape, mipmapped.element
        known = mipmapped.levels[number] = Array(
            mipmapped.context.process.machine.territory.new_handle(),
            mipmapped.context,
            shape.level(number),
            element,
            mipmapped.start + room_of_levels(shape, element, range(number)),
            room_of_levels(shape, element, range(number, number + 1)),
            mipmapped.block,
            level_of=mipmapped,
            created=mipmapped.created,
        )
        _keep(known)
    return known


def _place(context: Context, shape: Shape, size: int) -> tuple[int, int, Block | Pages] | None:
    """Return the address, size and block of a new array's memory.

    None if the device has too little memory.
    """
    if shape.flags & (SPARSE | DEFERRED):
        later = pages.of_array(context.process, size, faults=bool(shape.flags & DEFERRED))
        return later.start, 0, later
    place = blocks.take(context.process, context.arena("array"), size)
    return None if place is None else (place[0], size, place[1])


def _keep(grid: Grid) -> None:
    grid.context.arrays[grid.handle] = grid.context.process.arrays[grid.handle] = grid


def is_level(grid: Grid) -> bool:
    """Return whether an array is a level of a mipmapped array."""
    return isinstance(grid, Array) and grid.level_of is not None


def later_of(process: Process) -> Iterator[Pages]:
    """Yield a process's arrays with deferred mapping or sparse memory."""
    return (one.block for one in process.arrays.values() if isinstance(one.block, Pages) and not is_level(one))


def levels_of(grid: Grid) -> int:
    """Return the number of levels of an array or a mipmapped array."""
    return grid.count if isinstance(grid, Mipmapped) else 1


def in_fork(context: Context, grids: Mapping[int, Grid]) -> dict[int, Grid]:
    """Return a fork's copies of a context's arrays, with the same handles.

    Args:
        context: The context as the fork has it.
        grids: The arrays and mipmapped arrays by their handles.
    """
    twins = {grid: evolve(grid, context=context) for grid in grids.values()}
    for twin in twins.values():
        if isinstance(twin, Mipmapped):
            twin.levels = {number: cast("Array", twins[one]) for number, one in twin.levels.items()}
        elif isinstance(twin, Array) and twin.level_of is not None:
            twin.level_of = cast("Mipmapped", twins[twin.level_of])
    return {grid.handle: twin for grid, twin in twins.items()}


@effect(ends="grid")
def end(process: Process, grid: Grid, stack: Stack, *, again: bool = False) -> None:
    """Destroy an array, or a mipmapped array with its levels.

    A level alone gives no memory back. ``again`` gives an array's handle to a new one, if the machine's ``handles`` says so.
    """
    for one in list(grid.levels.values()) if isinstance(grid, Mipmapped) else ():
        end(process, one, stack)
    grid.ended = stack
    del grid.context.arrays[grid.handle]
    del process.arrays[grid.handle]
    process.note_freed(grid.handle, grid)
    if again:
        handles.give_again(process, "array", grid.handle)
    if isinstance(grid, Array) and grid.level_of is not None:
        number = next(number for number, one in grid.level_of.levels.items() if one is grid)
        del grid.level_of.levels[number]
    elif process.state != FORKED:  # a fork ends what it has a copy of
        if isinstance(grid.block, Block):
            blocks.give(process, grid.start, grid.room, grid.block)
        else:
            pages.let_go(grid.block)
