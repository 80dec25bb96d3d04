"""The advice on managed memory, and the place of its last prefetch.

A range of pages is a list of parts, each with one state. Parts without advice are left out, and neighbours with equal
states are joined. Equal advice is therefore an equal list, in whatever order it was given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from fakecuda.model.effect import effect

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.memory.va import Location

PAGE = 4096
"""The size of a host page."""


class State(NamedTuple):
    """The advice on some pages.

    Attributes:
        read_mostly: Whether they are mostly read.
        preferred: Their preferred location. None without one.
        accessed_by: The ordinals of the devices that will access them, in order. The host's ordinal, -1, is the last.
        prefetched: The location of their last prefetch. None without one.
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
    """The advice on the pages of a block of managed memory.

    Attributes:
        unadvised: The state of pages without advice. Pages of a pool prefer the pool's location.
        parts: The pages with advice, sorted by address.
    """

    unadvised: State = NOTHING
    parts: list[Part] = field(factory=list)

    def within(self, start: int, end: int) -> list[Part]:
        """Return the parts of the pages that a range touches, with and without advice."""
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
        """Return the distinct states of the pages that a range touches."""
        return {part.state for part in self.within(start, end)}

    def shown(self, start: int, end: int) -> set[State]:
        """Return the states that CUDA's driver reports for a range.

        The driver looks no further than a part with advice that holds the range's first page and has as many bytes as the
        range's pages.
        """
        first, last = _pages(start, end)
        for part in self.parts:
            if part.start <= first < part.end and part.end - part.start >= last - first:
                return {part.state}
        return self.states(start, end)

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
        """Remove the advice on all pages that a range touches.

        Other memory may share these pages.
        """
        self.change(start, end, lambda _: self.unadvised)

    def _joined(self, parts: list[Part]) -> list[Part]:
        """Return parts without those that have no advice.

        Join neighbours with equal states.
        """
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
