"""Which object holds an address: a map from address ranges to objects with constant-time look-ups.

Ranges are kept by size class. A class covers the address space with blocks of one size, no smaller than its ranges, so
that a range touches two blocks at most and a block holds a short sorted list. A look-up asks each class once.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

SHIFTS = (17, 24, 34, 64)
"""Blocks of 128 KiB, 16 MiB, 16 GiB and of everything."""


class Range(Protocol):
    """An object that covers the addresses from start up to, not including, end."""

    start: int
    end: int


R = TypeVar("R", bound=Range)


class AddressMap(Generic[R]):
    """Disjoint ranges, found by any address inside."""

    __slots__ = ("_classes", "_count")

    def __init__(self) -> None:
        self._classes: tuple[tuple[int, dict[int, tuple[list[int], list[R]]]], ...] = tuple((s, {}) for s in SHIFTS)
        self._count = 0

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[R]:
        """Iterate over the ranges, each once."""
        for shift, blocks in self._classes:
            for number, (_, items) in blocks.items():
                yield from (item for item in items if item.start >> shift == number)

    def at(self, address: int) -> R | None:
        """Return the range that holds the address."""
        for shift, blocks in self._classes:
            if blocks:
                block = blocks.get(address >> shift)
                if block is not None:
                    starts, items = block
                    index = bisect_right(starts, address)
                    if index:
                        item = items[index - 1]
                        if address < item.end:
                            return item
        return None

    def add(self, item: R) -> None:
        """Add a range that overlaps no other."""
        start, last = item.start, item.end - 1
        shift, blocks = self._class_of(last - start)
        number, other = start >> shift, last >> shift
        _insert(blocks, number, start, item)
        if other != number:
            _insert(blocks, other, start, item)
        self._count += 1

    def remove(self, item: R) -> None:
        """Remove a range that is in the map."""
        start, last = item.start, item.end - 1
        shift, blocks = self._class_of(last - start)
        number, other = start >> shift, last >> shift
        _delete(blocks, number, start)
        if other != number:
            _delete(blocks, other, start)
        self._count -= 1

    def _class_of(self, reach: int) -> tuple[int, dict[int, tuple[list[int], list[R]]]]:
        """Return the shift and the blocks of ranges whose last address is ``reach`` after their first."""
        for pair in self._classes:
            if not reach >> pair[0]:
                return pair
        raise AssertionError(reach)


def _insert(blocks: dict[int, tuple[list[int], list[R]]], number: int, start: int, item: R) -> None:
    block = blocks.get(number)
    if block is None:
        blocks[number] = ([start], [item])
    else:
        starts, items = block
        index = bisect_left(starts, start)
        starts.insert(index, start)
        items.insert(index, item)


def _delete(blocks: dict[int, tuple[list[int], list[R]]], number: int, start: int) -> None:
    starts, items = blocks[number]
    index = bisect_left(starts, start)
    del starts[index], items[index]
    if not starts:
        del blocks[number]
