"""Blocks that a pool has reserved, and their free parts."""

from __future__ import annotations

from bisect import bisect_left
from operator import attrgetter
from typing import TYPE_CHECKING

from attrs import define, evolve, field

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.memory.blocks import Block
    from fakecuda.model.work.stream import Stream, Work

GRANULE = 32 << 20
"""The granularity of a pool's reservations in bytes."""


@define(eq=False)
class Hole:
    """A free part of a block.

    Attributes:
        start: The offset of its first byte in the block.
        end: The offset after its last byte.
        stream: The stream in which it was freed. None once the host has seen that the free is done.
        number: The number of the free, in the order in which all work was submitted.
        work: The free itself. None once it is done.
    """

    start: int
    end: int
    stream: Stream | None = None
    number: int = 0
    work: Work | None = field(default=None, repr=False)

    @property
    def done(self) -> bool:
        """Whether the stream has executed the free."""
        return self.work is None or self.work.done

    def absorb(self, after: Hole) -> bool:
        """Merge the next hole into this hole if possible; return whether it was merged.

        Holes merge if they adjoin, belong to the same stream and are both done.
        """
        if self.end != after.start or self.stream is not after.stream or not (self.done and after.done):
            return False
        self.end = after.end
        self.number = max(self.number, after.number)
        return True


_start = attrgetter("start")


@define(eq=False)
class Chunk:
    """A block that a pool has reserved.

    Attributes:
        block: The block.
        holes: Its free parts, sorted by address. An imported block has none: the exporter keeps them.
    """

    block: Block
    holes: list[Hole] = field(factory=list, repr=False)

    @property
    def idle(self) -> bool:
        """Whether the whole block is free, and the host knows it."""
        holes = self.holes
        if len(holes) == 1 and not self.block.extent.away:
            return holes[0].stream is None and holes[0].end - holes[0].start == self.block.size
        return sum(hole.end - hole.start for hole in holes if hole.stream is None) == self.size

    @property
    def size(self) -> int:
        """The reserved bytes of the block that were not released."""
        return self.block.size - self.block.extent.away

    def cut(self, most: int) -> int:
        """Release free granules of the block to the device, and return their size.

        Only holes whose free the host has seen are given back.

        Args:
            most: The most bytes to give back.
        """
        given = 0
        for hole in list(self.holes) if self.block.size > GRANULE and self.block.extent.references == 1 else ():
            start = -(-hole.start // GRANULE) * GRANULE
            end = min(hole.end, start + most - given) // GRANULE * GRANULE
            if hole.stream is None and start < end:
                place = self.holes.index(hole)
                rest = [Hole(*part) for part in ((hole.start, start), (end, hole.end)) if part[0] < part[1]]
                self.holes[place : place + 1] = rest
                given += end - start
        self.block.extent.part_with(given)
        return given

    def add(self, hole: Hole) -> None:
        """Add a hole, and merge it with adjoining holes of the same stream."""
        holes = self.holes
        place = bisect_left(holes, hole.start, key=_start)
        if place and holes[place - 1].absorb(hole):
            place -= 1
        else:
            holes.insert(place, hole)
        if place + 1 < len(holes) and holes[place].absorb(holes[place + 1]):
            del holes[place + 1]

    def join(self) -> None:
        """Merge adjoining holes that now belong to the same stream."""
        joined = self.holes[:1]
        for hole in self.holes[1:]:
            if not joined[-1].absorb(hole):
                joined.append(hole)
        self.holes = joined

    def take(self, size: int, usable: Callable[[Hole], bool]) -> tuple[int, list[Hole]] | None:
        """Take bytes from the first run of adjoining usable holes that is large enough.

        Args:
            size: Bytes.
            usable: Returns whether the allocation may use a hole.

        Returns:
            The offset of the bytes in the block, and the holes that they came from. None if no run is large enough.
        """
        holes = self.holes
        first = 0
        for number, hole in enumerate(holes):
            if not usable(hole):
                first = number + 1
                continue
            if number > first and holes[number - 1].end != hole.start:
                first = number
            start = holes[first].start
            if hole.end - start >= size:
                run = holes[first : number + 1]
                stays = hole.end - start > size
                if stays:
                    hole.start = start + size
                del holes[first : number + (not stays)]
                return start, run
        return None

    def occupy(self, start: int, end: int) -> list[Hole]:
        """Take a free range of any stream, and return the holes that contained it."""
        run = [hole for hole in self.holes if start < hole.end and hole.start < end]
        for hole in run:
            place = self.holes.index(hole)
            ends = (hole.start, min(start, hole.end)), (max(end, hole.start), hole.end)
            self.holes[place : place + 1] = [evolve(hole, start=one, end=two) for one, two in ends if one < two]
        return run
