"""What managed memory was advised of, and where it was last prefetched to.

A range of pages is a list of parts, each with one state; parts that say nothing are left out and neighbours that say the
same are one, so that equal advice is an equal list, however it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from fakecuda.model.effect import effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.memory.va import Location

PAGE = 4096
"""Bytes of a page of the host."""


class State(NamedTuple):
    """What is known of some pages.

    Attributes:
        read_mostly: Whether they are mostly read.
        preferred: Where they should be; None for nowhere in particular.
        accessed_by: The ordinals of the devices that will access them, in order; the host's, -1, is the last.
        prefetched: Where they were last prefetched to; None for never.
        coarse: Whether HIP was advised that devices need not see each other's writes before a kernel ends.
    """

    read_mostly: bool = False
    preferred: Location | None = None
    accessed_by: tuple[int, ...] = ()
    prefetched: Location | None = None
    coarse: bool = False


NOTHING = State()


class Part(NamedTuple):
    """Pages with one state.

    Attributes:
        start: The first address.
        end: The address after the last.
        state: Their state.
    """

    start: int
    end: int
    state: State


@define(eq=False)
class Advice:
    """What the pages of a block of managed memory were advised of.

    Attributes:
        unadvised: The state of pages that nobody has advised: those of a pool's memory prefer the pool's location.
        parts: The others, in the order of their addresses.
    """

    unadvised: State = NOTHING
    parts: list[Part] = field(factory=list)

    def within(self, start: int, end: int) -> list[Part]:
        """Return the parts of the pages that a range touches, those without advice included."""
        at, end = _pages(start, end)
        if len(self.parts) == 1 and self.parts[0].start <= at and end <= self.parts[0].end:
            return [Part(at, end, self.parts[0].state)]
        found: list[Part] = []
        for part in self.parts:
            if part.start < end and at < part.end:
                if at < part.start:
                    found.append(Part(at, part.start, self.unadvised))
                at, last = max(at, part.start), min(part.end, end)
                found.append(Part(at, last, part.state))
                at = last
        if at < end:
            found.append(Part(at, end, self.unadvised))
        return found

    def states(self, start: int, end: int) -> set[State]:
        """Return the different states of the pages that a range touches."""
        return {part.state for part in self.within(start, end)}

    @effect()
    def change(self, start: int, end: int, new: Callable[[State], State]) -> None:
        """Change the state of the pages that a range touches."""
        start, end = _pages(start, end)
        only = self.parts[0] if self.parts else Part(start, end, self.unadvised)
        if len(self.parts) <= 1 and only.start == start and only.end == end:
            self.parts = self._joined([Part(start, end, new(only.state))])
            return
        changed = [part._replace(state=new(part.state)) for part in self.within(start, end)]
        before = [part._replace(end=min(part.end, start)) for part in self.parts if part.start < start]
        after = [part._replace(start=max(part.start, end)) for part in self.parts if part.end > end]
        self.parts = self._joined([*before, *changed, *after])

    def clear(self, start: int, end: int) -> None:
        """Forget what is known of the pages that a range touches, also those that other memory shares."""
        self.change(start, end, lambda _: self.unadvised)

    def _joined(self, parts: list[Part]) -> list[Part]:
        """Return parts without those that nobody has advised, neighbours that say the same as one."""
        found: list[Part] = []
        for part in parts:
            if part.state == self.unadvised:
                continue
            if found and found[-1].end == part.start and found[-1].state == part.state:
                found[-1] = found[-1]._replace(end=part.end)
            else:
                found.append(part)
        return found


def _pages(start: int, end: int) -> tuple[int, int]:
    return start - start % PAGE, end + -end % PAGE
