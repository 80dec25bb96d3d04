"""Former machines.

Finds the machine of a value that is used after the machine's end.
Addresses and handles are random: two machines may have had the same value, if they did not exist at once. Then the
later machine counts. The current machine's own values count as its own.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, evolve

from fakecuda.model.memory.addresses import AddressMap

if TYPE_CHECKING:
    from collections.abc import Iterable

KEPT = 1000
"""Number of former machines that are kept."""


class Former(NamedTuple):
    """A former machine.

    Attributes:
        maker: What made it; None if uses of its values are not reported.
        ranges: Its addresses and handles, as start and exclusive end.
        shares: Its IPC handles.
    """

    maker: str | None
    ranges: tuple[tuple[int, int], ...]
    shares: frozenset[bytes]


@define(eq=False)
class Part:
    """A range of values that a former machine used last."""

    start: int
    end: int
    former: Former


class Formers:
    """The last ``KEPT`` former machines.

    A lookup costs the same for any number of them.
    """

    def __init__(self) -> None:
        self._known: deque[Former] = deque()
        self._parts: AddressMap[Part] = AddressMap()
        self._shares: dict[bytes, Former] = {}

    def add(self, maker: str | None, ranges: Iterable[tuple[int, int]], shares: Iterable[bytes]) -> None:
        """Add a machine that has ended; see :class:`Former` for the arguments."""
        former = Former(maker, tuple(ranges), frozenset(shares))
        for start, end in former.ranges:
            for part in list(self._parts.within(start, end)):
                self._parts.remove(part)
                for left in (evolve(part, end=start), evolve(part, start=end)):
                    if left.start < left.end:
                        self._parts.add(left)
            self._parts.add(Part(start, end, former))
        self._shares.update(dict.fromkeys(former.shares, former))
        self._known.append(former)
        if len(self._known) > KEPT:
            self._forget(self._known.popleft())

    def maker_of(self, value: object) -> str | None:
        """Return the maker of a value's former machine; None if unknown or not reported."""
        former = self._former_of(value)
        return former.maker if former else None

    def is_unreported(self, value: object) -> bool:
        """Return whether a value is a former machine's with unreported late uses."""
        former = self._former_of(value)
        return former is not None and former.maker is None

    def _former_of(self, value: object) -> Former | None:
        if isinstance(value, bytes):
            return self._shares.get(value)
        part = self._parts.at(value) if isinstance(value, int) else None
        return part.former if part else None

    def _forget(self, former: Former) -> None:
        for start, end in former.ranges:
            for part in [one for one in self._parts.within(start, end) if one.former is former]:
                self._parts.remove(part)
        for share in former.shares:
            if self._shares.get(share) is former:
                del self._shares[share]
