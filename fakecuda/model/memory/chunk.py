"""Blocks that pools have reserved, and the free parts of them."""

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
"""Bytes of which a pool reserves multiples."""


@define(eq=False)
class Hole:
    """A free part of a block.

    Attributes:
        start: Its first byte in the block.
        end: The byte after its last.
        stream: The stream in which it was freed; None once the host has seen that it is free.
        number: The place of the free among all work.
        work: The free, None when it is done.
    """

    start: int
    end: int
    stream: Stream | None = None
    number: int = 0
    work: Work | None = field(default=None, repr=False)

    @property
    def done(self) -> bool:
        """Whether the stream has come to the free."""
        return self.work is None or self.work.done

    def absorb(self, after: Hole) -> bool:
        """Take in the next hole if that adjoins and is free to the same streams; return whether it did."""
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
        holes: Its free parts in the order of their addresses; those of an imported one are the exporter's affair.
    """

    block: Block
    holes: list[Hole] = field(factory=list, repr=False)

    @property
    def idle(self) -> bool:
        """Whether all of it is free, and the host has seen that."""
        holes = self.holes
        if len(holes) == 1 and not self.block.extent.away:
            return holes[0].stream is None and holes[0].end - holes[0].start == self.block.size
        return sum(hole.end - hole.start for hole in holes if hole.stream is None) == self.size

    @property
    def size(self) -> int:
        """Bytes that are reserved."""
        return self.block.size - self.block.extent.away

    def cut(self, most: int) -> int:
        """Give granules of its free parts back, those that the host has seen; return the bytes.

        Args:
            most: The most bytes.
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
        """Add a hole, as a part of those that it adjoins where they are free to the same streams."""
        holes = self.holes
        place = bisect_left(holes, hole.start, key=_start)
        if place and holes[place - 1].absorb(hole):
            place -= 1
        else:
            holes.insert(place, hole)
        if place + 1 < len(holes) and holes[place].absorb(holes[place + 1]):
            del holes[place + 1]

    def join(self) -> None:
        """Make one of adjoining holes that are free to the same streams by now."""
        joined = self.holes[:1]
        for hole in self.holes[1:]:
            if not joined[-1].absorb(hole):
                joined.append(hole)
        self.holes = joined

    def take(self, size: int, usable: Callable[[Hole], bool]) -> tuple[int, list[Hole]] | None:
        """Take the first bytes that adjoining usable holes have room for; return their place and the holes."""
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
        """Take bytes that are free, whoever has freed them; return the holes that they were part of."""
        run = [hole for hole in self.holes if start < hole.end and hole.start < end]
        for hole in run:
            place = self.holes.index(hole)
            ends = (hole.start, min(start, hole.end)), (max(end, hole.start), hole.end)
            self.holes[place : place + 1] = [evolve(hole, start=one, end=two) for one, two in ends if one < two]
        return run
