"""Values that streams write to memory and wait for, for race detection."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from fakecuda.model.work.accesses import QUIET
from fakecuda.model.work.stream_order import NOTHING, Order, joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.shadow_memory import Memory
    from fakecuda.model.work.stream import Stream, Work
    from fakecuda.model.work.stream_order import Captured, Cell, Passing

    Holds = Callable[[int], bool]
    """A function that returns whether a value ends a wait."""
    Ended = tuple[list[Captured], Iterable[Stream]]
    """What may have ended a wait: fitting writes, and streams that wrote there."""

MOST_VALUES = 16
"""The maximum number of distinct values at one place in memory."""
MOST_PLACES = 1_000
"""The maximum number of places with values, and of waits; beyond it, all drop."""


class WrittenValues:
    """The values that streams have written, and the waits for values.

    Attributes:
        written: By place what each value's write comes after. None is a value that is not known.
        awaited: The place of each wait, and whether a value ends it.
        past: By place the values that work has written which the host knows to be done, for MOST_PLACES places at most.
    """

    __slots__ = ("awaited", "past", "written")

    def __init__(self) -> None:
        self.written: dict[Cell, dict[int | None, Captured]] = {}
        self.awaited: dict[Work | Passing, tuple[Cell, Holds]] = {}
        self.past: dict[Cell, frozenset[int | None]] = {}

    def write(self, captured: Captured, place: Cell, value: int | None) -> None:
        """Record that a stream writes a value.

        Args:
            captured: What the write comes after, with itself.
            place: Where the value is.
            value: The value. None if it is not known.
        """
        values = self.written.get(place)
        if values is None:
            if len(self.written) >= MOST_PLACES:
                self.written.clear()
            values = self.written[place] = {}
        if value not in values and len(values) >= MOST_VALUES:
            values[None] = joined([captured, *values.values()])
            for one in [one for one in values if one is not None]:
                del values[one]
        else:
            values[value] = joined([captured, values[value]]) if value in values else captured

    def wait(self, work: Work, place: Cell, holds: Holds) -> None:
        """Record that work waits for a value."""
        if len(self.awaited) >= MOST_PLACES:
            self.awaited.clear()
        self.awaited[work] = place, holds

    def ended_by(self, place: Cell, holds: Holds, memory: Memory) -> Ended | None:
        """Return what may have ended a wait for a value; None if nothing known has.

        Args:
            place: Where the value is.
            holds: Returns whether a value ends the wait.
            memory: The accesses of work.
        """
        values = self.written.get(place, {})
        found = [captured for value, captured in values.items() if value is None or holds(value)]
        if any(value is None or holds(value) for value in self.past.get(place, ())):
            found.append((NOTHING, ()))
        writers = {
            operation.stream: None
            for _, operation in memory.within([(*place, 1)])
            if any(does not in QUIET for does, *_ in operation.uses)
        }
        return (found, writers) if found or writers else None

    def before(
        self, captured: Captured, ended_by: Callable[[Cell, Holds], Ended | None], streams: Iterable[Stream]
    ) -> Mapping[Stream, int]:
        """Return what comes before something, with the writes that ended its waits.

        Args:
            captured: What it comes after otherwise.
            ended_by: Returns what may have ended a wait; None if anything may have.
            streams: All streams with work.
        """
        order = Order()
        order.follow(captured)
        known: set[Work | Passing] = set()
        while left := [work for work in order.unsure if work.done and work in self.awaited and work not in known]:
            known.update(left)
            for work in left:
                found, writers = ended_by(*self.awaited[work]) or ([], streams)
                for one in found:
                    order.follow(one)
                for writer in writers:
                    order.join(writer)
        return order.after

    def written_in(self, extent: Extent, start: int, size: int) -> bool:
        """Return whether a stream has written a value into some bytes."""
        return any(place is extent and start <= offset < start + size for place, offset in self.written)

    def clear(self) -> None:
        """Forget all values and waits, because the work is done."""
        done = {place: frozenset(values) for place, values in self.written.items()}
        older = {place: values for place, values in self.past.items() if place not in done}
        self.past = dict(islice((done | older).items(), MOST_PLACES))
        self.written.clear()
        self.awaited.clear()
