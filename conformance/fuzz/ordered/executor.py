"""Enumerates the interleavings of a program's operations, as a machine that the manual describes may choose them.

The executor knows queues, not clocks: which operations must be complete before another one starts, which values streams
wait for, and what the host waits for. A state is how far the host is, which operations are complete, and the values in
memory. Each state is visited once. An operation overlaps with another one if it can start in a state in which the other
one is not complete.
"""

from __future__ import annotations

from functools import reduce
from operator import and_
from typing import TYPE_CHECKING

from attrs import define, field, frozen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_STATES = 20_000
"""The maximum number of states of a program; beyond it there is no answer."""


@frozen
class Use:
    """Memory that an operation uses.

    Attributes:
        does: ``reads``, ``writes``, ``discards``, ``prefetches``, ``allocates``, ``frees``, ``ends``: a call ends what a process has at
            addresses; ``updates`` or ``polls``: a stream writes a value, or waits for one.
        memory: The name of the memory.
        name: By what a process has it: its name there, and the process.
        bytes: The bytes: a bit for each.
    """

    does: str
    memory: str
    name: tuple[str, int]
    bytes: int

    def conflicts(self, other: Use) -> bool:
        """Return whether two uses conflict."""
        both = {self.does, other.does}
        if both & {"ends", "frees"}:
            return self.name == other.name
        if both <= {"updates", "polls"} or both == {"reads", "polls"}:
            return False
        if both in ({"reads"}, {"discards"}) or ("prefetches" in both and both != {"prefetches", "discards"}):
            return False
        return self.memory == other.memory and bool(self.bytes & other.bytes)


@define(eq=False)
class Operation:
    """An operation of a stream or of the host.

    Attributes:
        bit: Its bit in sets of operations.
        step: The step that makes it.
        after: The operations that must be complete before it starts.
        uses: The memory that it uses.
        writes: The place that it writes a value to, and the value.
        awaits: The place of the value that it waits for, and whether a value meets the condition.
        early: The operations that may have written this value. 0 for all.
        waits: Whether it may wait for what no operation of the program does: a value, or a host function's end.
        either: Sets of operations: one of these must be complete before it starts. Empty for no such condition.
    """

    bit: int
    step: int
    after: int
    uses: tuple[Use, ...] = ()
    writes: tuple[str, int] | None = None
    awaits: tuple[str, Callable[[int], bool]] | None = None
    early: int = 0
    waits: bool = False
    either: tuple[int, ...] = ()

    def follows(self, done: int) -> bool:
        """Return whether it may start after complete operations, apart from value waits."""
        if self.after & ~done:
            return False
        return not self.either or any(not one & ~done for one in self.either)


@define
class Passing:
    """The host's transition to the step with this index.

    Attributes:
        complete: The operations that must be complete.
        pending: Of these operations at least one must not be complete. 0 for no such condition.
    """

    complete: int = 0
    pending: int = 0


@define
class Interleavings:
    """Results of all interleavings.

    Attributes:
        overlaps: For each operation, by its place, the operations that are not complete in some state in which it starts.
        starts: The operations that start in some state.
        states: How many states there are.
    """

    overlaps: list[int] = field(factory=list)
    starts: int = 0
    states: int = 0


class TooMany(Exception):  # noqa: N818 - it is no error of the program
    """A program has more states than the limit."""


def explored(operations: Sequence[Operation], passing: Sequence[Passing], free: int = 0) -> Interleavings:
    """Return which operations overlap.

    Args:
        operations: The operations, the earlier made ones first.
        passing: When the host goes on to each step.
        free: Waits for values that anything may end at any time.

    Raises:
        TooMany: There are more than ``MOST_STATES`` states.
    """

    def ends(one: Operation, writer: int) -> bool:
        """Return whether the value of an operation, or the first one of all, ends a wait."""
        assert one.awaits is not None
        written = operations[writer].writes if writer >= 0 else None
        if one.early and written is not None and not one.early & operations[writer].bit:
            return False
        return one.awaits[1](0 if written is None else written[1])

    places = sorted(
        {one.writes[0] for one in operations if one.writes} | {one.awaits[0] for one in operations if one.awaits}
    )
    index = {place: number for number, place in enumerate(places)}
    every = (1 << len(operations)) - 1
    found = Interleavings([0] * len(operations))
    issued = [sum(one.step <= step for one in operations) for step in range(len(passing))]
    start = (0, 0, (-1,) * len(places))  # for each place, the operation that has written its value
    seen, left = {start}, [start]
    while left:
        state = left.pop()
        host, done, values = state
        following: list[tuple[int, int, tuple[int, ...]]] = []
        if host + 1 < len(passing):
            gate = passing[host + 1]
            if not gate.complete & ~done and (not gate.pending or gate.pending & ~done):
                following.append((host + 1, done, values))
        for number in range(issued[host]):
            one = operations[number]
            if done & one.bit or not one.follows(done):
                continue
            if one.awaits is not None and not free & one.bit and not ends(one, values[index[one.awaits[0]]]):
                continue
            found.starts |= one.bit
            found.overlaps[number] |= every & ~done & ~one.bit
            after = values
            if one.writes is not None:
                place = index[one.writes[0]]
                after = (*values[:place], number, *values[place + 1 :])
            following.append((host, done | one.bit, after))
        for one_state in following:
            if one_state not in seen:
                seen.add(one_state)
                left.append(one_state)
        if len(seen) > MOST_STATES:
            raise TooMany
    found.states = len(seen)
    return found


def closed(operations: Sequence[Operation], mask: int, how: Callable[[int, int], int] = and_) -> int:
    """Return operations with all their predecessors, or (``or_``) possible ones."""
    for operation in reversed(operations):
        if operation.bit & mask:
            mask |= operation.after
            if operation.either:
                mask |= reduce(how, (closed(operations, one, how) for one in operation.either))
    return mask


def overlap(found: Interleavings, operations: Sequence[Operation], first: int, second: int) -> bool:
    """Return whether neither of two operations is complete before the other one starts, in each interleaving."""
    return bool(found.overlaps[second] & operations[first].bit) and bool(found.overlaps[first] & operations[second].bit)
