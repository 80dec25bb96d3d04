"""The places of matrix elements in the registers of a warp."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.kernels.row import bits_of
from fakecuda.kernels.threads import WARP

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

WORD = 32
GROUP, ROWS = 4, 8
"""The lanes that share a row of a tile, and the rows of a tile."""


@frozen(eq=False, slots=False)
class Fragment:
    """A matrix in the registers of a warp.

    Attributes:
        type: The type of its elements.
        held: For each register, the elements of each lane, from the lowest bits on. The matrix lies row by row.
    """

    type: str
    held: tuple[tuple[tuple[int, ...], ...], ...]

    @property
    def width(self) -> int:
        """The bits of a register."""
        return max(bits_of(self.type), WORD)

    @cached_property
    def places(self) -> list[tuple[int, int, int]]:
        """The lane, the register and the lowest bit of each element."""
        bits = bits_of(self.type)
        found: dict[int, tuple[int, int, int]] = {}
        for register, lanes in enumerate(self.held):
            for lane, elements in enumerate(lanes):
                for number, element in enumerate(elements):
                    found.setdefault(element, (lane, register, bits * number))
        return [found[element] for element in range(len(found))]

    def elements(self, registers: Sequence[Sequence[int]]) -> list[int]:
        """Return the elements of the registers of each lane."""
        mask = (1 << bits_of(self.type)) - 1
        return [registers[lane][register] >> start & mask for lane, register, start in self.places]

    def registers(self, elements: Sequence[int]) -> list[list[int]]:
        """Return the registers of each lane, from its elements."""
        bits = bits_of(self.type)
        return [
            [
                sum(elements[element] << bits * number for number, element in enumerate(lanes[lane]))
                for lanes in self.held
            ]
            for lane in range(WARP)
        ]


def made(type_: str, count: int, element: Callable[[int, int, int], int]) -> Fragment:
    """Return the fragment of a number of registers.

    Args:
        type_: The type.
        count: The number of registers of a lane.
        element: Returns the element by its register, its lane and its number there.
    """
    each = max(WORD // bits_of(type_), 1)
    return Fragment(
        type_,
        tuple(
            tuple(tuple(element(register, lane, number) for number in range(each)) for lane in range(WARP))
            for register in range(count)
        ),
    )


def factor(outer: int, depth: int, type_: str, *, first: bool) -> Fragment:
    """Return the fragment of mma's factor ``a`` or ``b``."""
    each, tiles = max(WORD // bits_of(type_), 1), outer // ROWS

    def element(register: int, lane: int, number: int) -> int:
        along = (register // tiles * GROUP + lane % GROUP) * each + number
        across = lane // GROUP + register % tiles * ROWS
        return across * depth + along if first else along * outer + across

    return made(type_, outer * depth // WARP // each, element)


def sums(rows: int, columns: int, type_: str) -> Fragment:
    """Return the fragment of mma's ``c`` or ``d``."""
    each = max(WORD // bits_of(type_), 1)

    def element(register: int, lane: int, number: int) -> int:
        place = register * each + number
        return (lane // GROUP + place // 2 * ROWS) * columns + lane % GROUP * 2 + place % 2

    return made(type_, rows * columns // WARP // each, element)


def joined(tiles: Sequence[Fragment], columns: int) -> Fragment:
    """Return the fragment of adjoining tiles.

    Args:
        tiles: The tiles, which are alike.
        columns: The columns of all of them together. 0 if the tiles lie one below the other.
    """
    size = len(tiles[0].places)
    width = columns // len(tiles)

    def place(tile: int, element: int) -> int:
        if not columns:
            return tile * size + element
        row, column = divmod(element, width)
        return row * columns + tile * width + column

    held = tuple(
        tuple(tuple(place(number, element) for element in elements) for elements in lanes)
        for number, tile in enumerate(tiles)
        for lanes in tile.held
    )
    return Fragment(tiles[0].type, held)


def turned(fragment: Fragment, columns: int) -> Fragment:
    """Return the transpose of a fragment with a number of columns."""
    rows = len(fragment.places) // columns

    def place(element: int) -> int:
        row, column = divmod(element, columns)
        return column * rows + row

    return Fragment(
        fragment.type,
        tuple(tuple(tuple(map(place, elements)) for elements in lanes) for lanes in fragment.held),
    )
