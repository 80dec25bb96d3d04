"""Values that streams write to memory and wait for, and what a wait comes after that such a value has ended.

Any write of a fitting value may have ended a wait, unless another write comes after it and before the wait. So may a value
that was there before. What comes after the wait comes after what is before all of these. A copy, a memset or a kernel may
have written any value: the wait counts as after it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model.memory import transfer
from fakecuda.model.work.accesses import VALUE, Operation, Poll
from fakecuda.model.work.stream_order import Order, common, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fakecuda.model.memory.shadow_memory import Memory
    from fakecuda.model.work.stream import Stream, Work
    from fakecuda.model.work.stream_order import Captured, Cell, Passing

    Written = tuple["Write", "Word"]
    """A write of a value, and its place."""
    EndedBy = Callable[["Wait"], list[Captured] | None]
    """Returns what may have ended a wait; None if anything may have."""

MOST_VALUES = 16
"""The most writes that are kept apart at one place in memory. Beyond that, a wait comes after all of them."""
MOST_PLACES = 1_000
"""The maximum number of places with values, and of waits; beyond it, all drop."""


@define(eq=False)
class Write:
    """A write of a value by a stream.

    Attributes:
        operation: The access.
        captured: What comes before it.
        value: The value. None if it is not known.
        over: The earlier writes at its place that it comes after.
        done: Whether it is done.
    """

    operation: Operation
    captured: Captured
    value: bytes | None
    over: frozenset[Write] = frozenset()
    done: bool = False

    @property
    def order(self) -> Captured:
        """What comes after it comes after this: itself, too."""
        after, unsure = self.captured
        return {**after, self.operation.stream: self.operation.number}, unsure

    def is_before(self, after: Mapping[Stream, int]) -> bool:
        """Return whether something comes after it that comes after some work."""
        return after.get(self.operation.stream, 0) >= self.operation.number


@define(eq=False)
class Wait:
    """A wait for a value by a stream.

    Attributes:
        operation: The access.
        captured: What comes before it.
        place: Where the value is.
        width: The bytes of the value.
        holds: Returns whether a value ends it.
        behind: The writes at its place that it comes after, as far as that is known at its call.
        at_once: Whether memory held such a value at its call.
    """

    operation: Poll
    captured: Captured
    place: Cell
    width: int
    holds: Callable[[int], bool]
    behind: frozenset[Write] = frozenset()
    at_once: bool = True

    def may_hold(self, value: bytes) -> bool:
        """Return whether a value ends it; of a value that is shorter than its own, memory has the rest."""
        rest = transfer.content((*self.place, self.width)) if len(value) < self.width else b""
        return rest is None or self.holds(int.from_bytes((value + rest[len(value) :])[: self.width], "little"))

    def may_end_by(self, write: Write) -> bool:
        """Return whether a write has such a value, or one that is not known, and does not come after the wait."""
        if write.value is not None and not self.may_hold(write.value):
            return False
        one, other = self.operation, write.operation
        if one.stream is other.stream:
            return other.number < one.number
        return write.captured[0].get(one.stream, 0) < one.number


@define(eq=False)
class Word:
    """A place in memory where streams write values.

    Attributes:
        earlier: The value before all writes that are kept. None if it is not known.
        left: The value that the last write has left that is done. None for none.
        writes: The writes.
        every: What comes after writes that are not kept. None if all are.
    """

    earlier: bytes | None
    left: bytes | None = None
    writes: list[Write] = field(factory=list)
    every: Captured | None = None

    def add(self, write: Write) -> None:
        """Record a write that a stream is given."""
        if len(self.writes) >= MOST_VALUES:
            self.every = joined([one.order for one in self.writes] + ([] if self.every is None else [self.every]))
            self.writes.clear()
        write.over = self.before(write.captured[0])
        self.writes.append(write)

    def before(self, after: Mapping[Stream, int]) -> frozenset[Write]:
        """Return the writes before something that comes after some work, and after what the host knows to be done."""
        return frozenset(one for one in self.writes if one.operation.seen or one.is_before(after))

    def find(self, value: bytes | None) -> None:
        """Take in the value in memory: if no write here has left it, something else has, after all writes that are done."""
        if (
            self.left is not None
            and value is not None
            and not (value.startswith(self.left) or self.left.startswith(value))
        ):
            self.writes = [one for one in self.writes if not one.done]
            self.earlier, self.left = value, None

    def end(self, write: Write, left: bytes | None) -> None:
        """Record that a write is done, and the value that it has left."""
        write.done, self.left = True, left

    def ended_by(self, wait: Wait, resolved: Callable[[Captured], Captured]) -> list[Captured] | None:
        """Return what a wait comes after that a value here has ended; None if no value that is known here has.

        Args:
            wait: The wait.
            resolved: Returns a capture in which the waits that have ended stand for what may have ended them.
        """
        after = resolved(wait.captured)[0]
        behind = {one for one in self.writes if one in wait.behind or one.is_before(after)}
        hidden = {one for later in behind for one in later.over}
        found = [one for one in self.writes if one not in hidden and wait.may_end_by(one)]
        if self.every is not None or any(one.value is None for one in found):
            return [one.order for one in found] + ([] if self.every is None else [self.every])
        if not behind and self.earlier is not None and wait.may_hold(self.earlier):
            return []
        orders = [resolved(one.order) for one in found]
        return [common([one for one in orders if not one[1]] or orders)] if orders else None


class WrittenValues:
    """The values that streams have written, and the waits for values.

    Attributes:
        words: The places that streams write values to.
        awaited: The waits, by their work.
        shown: What came before values that the host can see, while a launch gives work to its lanes. None at other times.
    """

    __slots__ = ("_dropped", "_resolving", "awaited", "shown", "words")

    def __init__(self) -> None:
        self.words: dict[Cell, Word] = {}
        self.awaited: dict[Work | Passing, Wait] = {}
        self._dropped = False
        self._resolving: set[Wait] = set()
        self.shown: list[Captured] | None = None

    def write(self, place: Cell, write: Write, found: bytes | None) -> Word:
        """Record that a stream writes a value.

        Args:
            place: Where the value is.
            write: The write.
            found: The value that memory holds now. None if it is not known.

        Returns:
            The place, which takes in what the write finds and leaves.
        """
        word = self.words.get(place)
        if word is None:
            if len(self.words) >= MOST_PLACES:
                self.words.clear()
                self._dropped = True
            word = self.words[place] = Word(found)
        word.add(write)
        return word

    def reveal(self, captured: Captured, seen: Callable[[Captured], None]) -> None:
        """Let the host see a value, but not before a launch has given work to all its lanes.

        Args:
            captured: What came before the value.
            seen: Records that this is done.
        """
        if self.shown is None:
            seen(captured)
        else:
            self.shown.append(captured)

    def begin(self, wait: Wait, found: bytes | None) -> None:
        """Record what a wait is behind, and the value that memory holds then."""
        word = self.words.get(wait.place)
        if word is not None:
            word.find(found)
            wait.behind = word.before(wait.captured[0])

    def wait(self, work: Work, wait: Wait) -> None:
        """Record that work waits for a value."""
        if len(self.awaited) >= MOST_PLACES:
            self.awaited.clear()
        self.awaited[work] = wait
        wait.operation.work = work

    def ended_by(self, wait: Wait, memory: Memory, resolved: Callable[[Captured], Captured]) -> list[Captured] | None:
        """Return what may have ended a wait for a value; None if nothing known has.

        Args:
            wait: The wait.
            memory: The accesses of work.
            resolved: As for :meth:`Word.ended_by`.
        """
        if wait in self._resolving:
            return []
        fills = [
            operation.order
            for _, operation in memory.within([(*wait.place, wait.width)])
            if not operation.seen
            and operation.writes(*wait.place, wait.width)
            and not (operation.what is VALUE and operation.uses[0][2][0][:2] == wait.place)
        ]
        word, found = self.words.get(wait.place), None
        if word is not None:
            self._resolving.add(wait)
            found = word.ended_by(wait, resolved)
            self._resolving.discard(wait)
        elif wait.at_once and not self._dropped:
            found = []
        return None if found is None and not fills else [*(found or ()), *fills]

    def before(self, captured: Captured, ended_by: EndedBy, streams: Iterable[Stream]) -> Mapping[Stream, int]:
        """Return what something comes after, with what came before the values that have ended its waits.

        Args:
            captured: What it comes after otherwise.
            ended_by: Returns what may have ended a wait.
            streams: All streams with work.
        """
        order = Order()
        order.follow(captured)
        known: set[Work | Passing] = set()
        while left := [work for work in order.unsure if work.done and work in self.awaited and work not in known]:
            known.update(left)
            for work in left:
                found = ended_by(self.awaited[work])
                for one in found or ():
                    order.follow(one)
                for stream in streams if found is None else ():
                    order.join(stream)
        return order.after

    def written_in(self, extent: object, start: int, size: int) -> bool:
        """Return whether a stream has written a value into some bytes of an extent."""
        return any(place is extent and start <= offset < start + size for place, offset in self.words)

    def clear(self) -> None:
        """Forget all values and waits: the work is done."""
        self.words.clear()
        self.awaited.clear()
        self._dropped = False
