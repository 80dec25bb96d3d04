"""A map from address ranges to objects, with look-ups in constant time.

Ranges are kept by size class. A class divides the address space into blocks of one size, at least as large as its
ranges. A range therefore touches at most two blocks, and a block has a short sorted list of first addresses. A look-up
asks each class once, after a table of units that finds addresses near the start of a range. A range enters its class at
the first look-up of an address where no new range begins: most ranges come and go without one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

SHIFTS = (14, 24, 34, 64)
"""Blocks of 16 KiB, 16 MiB, 16 GiB and of the whole address space."""
UNIT = 9
"""Units of 512 bytes. The unit numbers of addresses that are multiples of 512 fill a table without collisions."""


class Range(Protocol):
    """A range of addresses; ``end`` is the address after its last."""

    start: int
    end: int


R = TypeVar("R", bound=Range)


class AddressMap(Generic[R]):
    """Disjoint ranges, each found by any address in it."""

    __slots__ = ("_classes", "_entering", "_items", "_new", "_units")

    def __init__(self) -> None:
        self._items: dict[int, R] = {}
        self._new: dict[int, R] = {}
        self._units: dict[int, R] = {}
        self._entering = False
        self._classes: tuple[tuple[int, dict[int, list[int]]], ...] = tuple((shift, {}) for shift in SHIFTS)

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[R]:
        """Iterate over the ranges in the order in which they were added."""
        return iter(self._items.values())

    def at(self, address: int) -> R | None:
        """Return the range that holds the address. None if no range does."""
        items = self._items
        if self._new:
            item = items.get(address)
            if item is not None:
                return item
            self._enter()
        item = self._units.get(address >> UNIT)
        if item is not None and item.start <= address < item.end:
            return item
        for shift, blocks in self._classes:
            starts = blocks.get(address >> shift)
            if starts is not None:
                index = bisect_right(starts, address)
                if index:
                    item = items[starts[index - 1]]
                    if address < item.end:
                        return item
        return None

    def first(self, start: int, end: int) -> R | None:
        """Return the lowest range that overlaps the addresses from ``start`` to ``end``.

        Returns:
            The range; None if no range overlaps them.
        """
        items = self._items
        item = items.get(start)
        if item is not None:
            return item
        if self._new:
            self._enter()
        found = end
        for shift, blocks in self._classes:
            low = start >> shift
            starts = blocks.get(low)
            if starts is not None:
                index = bisect_right(starts, start)
                if index and start < (item := items[starts[index - 1]]).end:
                    return item
                if index < len(starts):
                    found = min(found, starts[index])
            more = ((end - 1) >> shift) - low
            if more and blocks:
                # A long range has more blocks than the class uses.
                for number in blocks if more >= len(blocks) else range(low + 1, low + more + 1):
                    starts = blocks.get(number)
                    if starts is not None:
                        index = bisect_right(starts, start)
                        if index < len(starts):
                            found = min(found, starts[index])
        return items[found] if found < end else None

    def within(self, start: int, end: int) -> Iterator[R]:
        """Yield the ranges that overlap the addresses from ``start`` to ``end``, in order."""
        while start < end and (item := self.first(start, end)) is not None:
            yield item
            start = item.end

    def add(self, item: R) -> None:
        """Add a range, which must not overlap another."""
        start = item.start
        self._items[start] = self._new[start] = item

    def remove(self, item: R) -> None:
        """Remove a range of the map."""
        start = item.start
        del self._items[start]
        if self._new.pop(start, None) is None or self._entering:
            self._leave(item)

    def _enter(self) -> None:
        """Enter new ranges into their size classes.

        If an exception interrupts that, the next look-up repeats it.
        """
        self._entering = True
        for start, item in self._new.items():
            self._units[start >> UNIT] = item  # if two ranges begin in one unit, the classes find the other
            last = item.end - 1
            shift, blocks = self._class_of(last - start)
            # A range that crosses into the next block is listed in both.
            for number in range(start >> shift, (last >> shift) + 1):
                starts = blocks.get(number)
                if starts is None:
                    blocks[number] = [start]
                elif starts[-1] < start:
                    starts.append(start)
                else:
                    place = bisect_left(starts, start)
                    if starts[place] != start:
                        starts.insert(place, start)
        self._new = {}
        self._entering = False

    def _leave(self, item: R) -> None:
        """Remove a range from its unit and its size class.

        It may be missing there if an exception interrupted :meth:`_enter`.
        """
        start, last = item.start, item.end - 1
        if self._units.get(start >> UNIT) is item:
            del self._units[start >> UNIT]
        shift, blocks = self._class_of(last - start)
        for number in range(start >> shift, (last >> shift) + 1):
            starts = blocks.get(number, [])
            place = bisect_left(starts, start)
            if starts[place : place + 1] == [start]:
                del starts[place]
                if not starts:
                    del blocks[number]

    def _class_of(self, reach: int) -> tuple[int, dict[int, list[int]]]:
        """Return the shift and the blocks of the size class for a range.

        The last address of each range is at most ``reach`` after its first.
        """
        for pair in self._classes:
            if not reach >> pair[0]:
                return pair
        raise AssertionError(reach)
