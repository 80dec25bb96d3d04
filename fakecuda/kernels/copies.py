"""Asynchronous copies of a thread: groups, and pending copies."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Protocol

from attrs import define, field

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from fakecuda.kernels.program import Instruction
    from fakecuda.kernels.threads import Lane

MOST = 128
"""The maximum pending copies of a thread; one more makes the oldest."""


class Copy(NamedTuple):
    """A pending copy: shared and global address, size, and bytes to read."""

    target: int
    source: int
    size: int
    read: int

    def make(self, lane: Lane) -> None:
        """Make the copy; bytes that are not read become 0."""
        memory, data = lane.block.memory, lane.block.shared.data
        for place in range(self.size):
            data[self.target + place] = memory.load(self.source + place, 1) if place < self.read else 0
        if lane.block.races is not None:
            lane.block.races.end(self.target, self.size)


class Made(Protocol):
    """The interface of a pending copy."""

    def make(self, lane: Lane) -> None:
        """Make the copy."""


class Tracked(NamedTuple):
    """Copies that an mbarrier tracks, with their thread and their arrival."""

    address: int
    lane: Lane
    copies: Sequence[Made]
    change: Callable[[int, Instruction], int]


@define(eq=False)
class Copies:
    """The pending copies of a thread.

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
        """Close the current group of copies."""
        self.groups.append(self.begun)
        self.begun = []

    def wait(self, lane: Lane, left: int) -> None:
        """Make the copies of all groups but the latest."""
        while len(self.groups) > left:
            for one in self.groups.pop(0):
                one.make(lane)
