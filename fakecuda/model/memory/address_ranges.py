"""The addresses and handles of one machine within its OS process.

All machines of an OS process share its range of device addresses and its numbers for handles. Each machine draws where
its own begin. They therefore depend on its seed and its test alone, and not on earlier machines. Two live machines
never share an address or a handle: a machine that draws those of another draws again, and notes that. A machine that
has ended, or that was garbage collected, holds none.
"""

from __future__ import annotations

import gc
from bisect import bisect
from itertools import count
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

from fakecuda.model.memory import space
from fakecuda.model.memory.space import WINDOW

if TYPE_CHECKING:
    from collections import deque
    from collections.abc import Callable, Iterable, Iterator

    from fakecuda.model.memory.space import Space
    from fakecuda.model.os.rng import Chance

    Run = tuple[int, int]

BEGINNINGS = 1 << 43
"""The range of first addresses, which leaves room for large reservations."""
HANDLES = 0x7100_0000_0000
"""The first of all handles. No device addresses are there."""
LASTING = 0x70F0_0000_0000
"""The first handle of those that one OS process has on all of its machines. They lie below the handles of each
machine."""
HANDLE, HANDLES_EACH, MACHINES = 0x1000, 1 << 24, 0xD0000
"""The step between handles, the distance between machines, the number of machines."""
DRAWS = 8
"""The number of random places to try before the first free one."""


class Territory:
    """The addresses and handles of one machine.

    Args:
        chance: The machine's random numbers.

    Attributes:
        runs: The addresses that it has taken, as (start, end). Adjoining windows are one run.
        retired: The addresses of its ended processes, sorted, as (start, end). Adjoining windows are one run. They are
            used again only if nothing else is left.
        notes: A sentence for each time that it had to draw again.
        held: Whether a ``with`` statement is known to hold the machine.
        ended: Handles of destroyed objects that new ones get, by the process or context and the kind.
        reused: Whether a new object got one of them.
    """

    __slots__ = (
        "__weakref__",
        "_chance",
        "_first_handle",
        "_handles",
        "_next",
        "ended",
        "held",
        "notes",
        "retired",
        "reused",
        "runs",
    )

    def __init__(self, chance: Chance) -> None:
        self._chance = chance
        self._next = self._first_handle = 0
        self.runs: list[Run] = []
        self.retired: list[Run] = []
        self.notes: list[str] = []
        self.held = False
        self._handles: Iterator[int] | None = None
        self.ended: dict[tuple[Any, str], deque[int]] = {}
        self.reused = False
        _live[id(self)] = self

    def window(self, size: int) -> Run | None:
        """Return a free range (start, end) of at least ``size`` bytes.

        None if no such range is left.
        """
        here = space.SPACE
        here.reserve()
        size = -(-max(size, WINDOW) // WINDOW) * WINDOW
        for start in self._wishes(here):
            end = start + size
            if end <= here.end and not _overlap(self.runs, start, end):
                if self._take(start, end):
                    return start, end
                self.notes.append(f"the addresses at {start:#x} belong to another machine, so fakecuda chose others")
        taken = [run for territory in _there() for run in territory.runs]
        for start in sorted({here.first, *(end for _, end in taken)}):
            end = start + size
            if here.first <= start and end <= here.end and not _overlap(taken, start, end):
                self._take(start, end)
                return start, end
        fitting = [window for window in self.retired if window[1] - window[0] >= size]
        if not fitting:
            return None
        start, end = best = min(fitting, key=lambda window: window[1] - window[0])
        self.retired.remove(best)
        if start + size < end:
            self.retire((start + size, end))
        return start, start + size

    def retire(self, window: Run) -> None:
        """Take a window back from an ended process."""
        start, end = window
        place = bisect(self.retired, window)
        if place < len(self.retired) and self.retired[place][0] == end:
            end = self.retired.pop(place)[1]
        if place and self.retired[place - 1][1] == start:
            place -= 1
            start = self.retired.pop(place)[0]
        self.retired.insert(place, (start, end))

    def new_handle(self) -> int:
        """Return a handle that the machine has not used yet."""
        if self._handles is None:
            self._handles = self._begin_handles()
        return next(self._handles)

    def taken(self) -> list[Run]:
        """Return the ranges of the machine's addresses and handles.

        By these ranges its values are recognised after it has ended.
        """
        first = self._first_handle
        return [*self.runs, (first, self.new_handle())] if first else self.runs

    def owns(self, value: int) -> bool:
        """Return whether a value is an address or a handle of the machine."""
        first = self._first_handle
        return _overlap(self.runs, value, value + 1) or first <= value < first + HANDLES_EACH

    def close(self) -> None:
        """Release all addresses and handles, because the machine has ended."""
        _live.pop(id(self), None)

    def _wishes(self, here: Space) -> Iterator[int]:
        """Yield candidate starts of the next window.

        The end of the last window comes first, then drawn places.
        """
        if self._next:
            yield self._next
        places = max(min(BEGINNINGS, (here.end - here.first) // 2) // WINDOW, 1)
        for number in range(DRAWS):
            yield here.first + self._chance.below(places, f"addresses {number}") * WINDOW

    def _take(self, start: int, end: int) -> bool:
        """Take a range that the machine does not hold yet.

        Return False if another machine holds part of it.
        """
        runs = self.runs
        joined = bool(runs) and runs[-1][1] == start
        # Machines have separate locks. Each takes the range first and checks then, so two machines cannot both keep it.
        self.runs = [*runs[:-1], (runs[-1][0], end)] if joined else [*runs, (start, end)]
        if not _is_free(self, lambda other: _overlap(other.runs, start, end)):
            self.runs = runs
            return False
        self._next = end
        return True

    def _begin_handles(self) -> Iterator[int]:
        """Return the machine's handles, away from those of other live machines."""

        def begins_here(other: Territory) -> bool:
            return other._first_handle == self._first_handle

        draws = (self._chance.below(MACHINES, f"handles {number}") for number in count())
        while True:
            first = self._first_handle = HANDLES + next(draws) * HANDLES_EACH
            if _is_free(self, begins_here):
                return count(first, HANDLE)
            self.notes.append(f"the handles at {first:#x} belong to another machine, so fakecuda chose others")


_live: WeakValueDictionary[int, Territory] = WeakValueDictionary()


def _there() -> list[Territory]:
    """Return the territories of all live machines."""
    return [made for one in _live.valuerefs() if (made := one()) is not None]


def _overlap(runs: Iterable[Run], start: int, end: int) -> bool:
    return any(first < end and start < last for first, last in runs)


def _is_free(own: Territory, has: Callable[[Territory], bool]) -> bool:
    """Return whether no other live machine holds a range.

    Machines without references count only until the garbage collector has run.
    """

    def found() -> list[Territory]:
        return [other for other in _there() if other is not own and has(other)]

    there = found()
    if not there or any(other.held for other in there):
        return not there
    gc.collect()  # takes seconds in a process with many objects
    return not found()
