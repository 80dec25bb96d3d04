"""Asynchronous copies of a thread: groups, and what is not made yet."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.threads import Lane

MOST = 128
"""The most copies of a thread that are not made; one more has the oldest made."""


class Copy(NamedTuple):
    """A copy that is not made: addresses in shared and in global memory, its bytes, and how many of them are read."""

    target: int
    source: int
    size: int
    read: int

    def make(self, lane: Lane) -> None:
        """Make the copy. Bytes that are not read become 0."""
        memory, data = lane.block.memory, lane.block.shared.data
        for place in range(self.size):
            data[self.target + place] = memory.load(self.source + place, 1) if place < self.read else 0
        if lane.block.races is not None:
            lane.block.races.end(self.target, self.size)


class Made(Protocol):
    """A copy that is not made."""

    def make(self, lane: Lane) -> None:
        """Make the copy."""


class Tracked(NamedTuple):
    """Copies that an mbarrier tracks: its address, their thread, the copies, and what becomes of the mbarrier behind them."""

    address: int
    lane: Lane
    copies: Sequence[Made]
    change: Callable[[int, Instruction], int]


@define(eq=False)
class Copies:
    """The copies of a thread that are not made.

    Attributes:
        begun: Those that are not in a group yet.
        groups: The groups, the oldest first.
    """

    begun: list[Made] = field(factory=list)
    groups: list[list[Made]] = field(factory=list)

    def add(self, lane: Lane, one: Made) -> None:
        """Add a copy."""
        lists = [*self.groups, self.begun]
        if sum(map(len, lists)) == MOST:
            next(one for one in lists if one).pop(0).make(lane)
        self.begun.append(one)

    def commit(self) -> None:
        """Make a group of the copies that are in none."""
        self.groups.append(self.begun)
        self.begun = []

    def wait(self, lane: Lane, left: int) -> None:
        """Make the copies of all groups but the latest ones."""
        while len(self.groups) > left:
            for one in self.groups.pop(0):
                one.make(lane)
