"""What is known of machines that have ended, so that a value of theirs which is used later tells which machine it was of.

Machines draw their addresses and handles: two that were not there at once may have had some of the same. Then the later
one counts, and a machine that is there has its values for its own.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, evolve

from fakecuda.model.memory.addresses import AddressMap

if TYPE_CHECKING:
    from collections.abc import Iterable

KEPT = 1000
"""How many machines are known again; of earlier ones nothing is left."""


class Former(NamedTuple):
    """A machine that has ended.

    Attributes:
        maker: What made it; None where uses of its values are not told.
        ranges: Addresses and handles (start, end) that were its own.
        shares: The IPC handles that it gave out.
    """

    maker: str | None
    ranges: tuple[tuple[int, int], ...]
    shares: frozenset[bytes]


@define(eq=False)
class Part:
    """Values that a former machine had last."""

    start: int
    end: int
    former: Former


class Formers:
    """The machines that have ended, the last ``KEPT`` of them: a look-up costs the same however many there are."""

    def __init__(self) -> None:
        self._known: deque[Former] = deque()
        self._parts: AddressMap[Part] = AddressMap()
        self._shares: dict[bytes, Former] = {}

    def add(self, maker: str | None, ranges: Iterable[tuple[int, int]], shares: Iterable[bytes]) -> None:
        """Note that a machine has ended; see :class:`Former` for the arguments."""
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
        """Return what made the machine that a value was of; None where it is not known, or not told."""
        if isinstance(value, bytes):
            former = self._shares.get(value)
        else:
            part = self._parts.at(value) if isinstance(value, int) else None
            former = part.former if part else None
        return former.maker if former else None

    def _forget(self, former: Former) -> None:
        for start, end in former.ranges:
            for part in [one for one in self._parts.within(start, end) if one.former is former]:
                self._parts.remove(part)
        for share in former.shares:
            if self._shares.get(share) is former:
                del self._shares[share]
