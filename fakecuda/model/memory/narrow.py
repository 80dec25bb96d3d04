"""The addresses of a context of CUDA 3.1, which lie below 4 GiB."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakecuda.model.graph.capture import Gate

FIRST, END = 0xC40_0000, 1 << 32
"""The first address, which an H200 gave, and the address after the last."""
GRANULE = 2 << 20
"""Addresses are taken in units of so many bytes."""


class Narrow:
    """The addresses of a context of CUDA 3.1. The lowest free range is taken first, as by a driver.

    A strict machine uses freed ranges again, too: 4 GiB would soon be used up otherwise.

    Args:
        gate: What makes the calls of the process while it has the context.
    """

    __slots__ = ("_free", "gate")

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self._free = [(FIRST, END)]

    @property
    def unused(self) -> int:
        """How many bytes of addresses are free."""
        return sum(end - start for start, end in self._free)

    def take(self, size: int, _alignment: int = GRANULE) -> int:
        """Return the start of a free range of ``size`` bytes, rounded up to ``GRANULE``; 0 if no range is large enough."""
        size = -(-size // GRANULE) * GRANULE
        for place, (start, end) in enumerate(self._free):
            if end - start >= size:
                self._free[place : place + 1] = [(start + size, end)] if start + size < end else []
                return start
        return 0

    def give(self, start: int, size: int) -> None:
        """Give a range back, and join it with its free neighbours."""
        joined: list[tuple[int, int]] = []
        for one in sorted([*self._free, (start, start - (-size // GRANULE) * GRANULE)]):
            if joined and joined[-1][1] == one[0]:
                joined[-1] = joined[-1][0], one[1]
            else:
                joined.append(one)
        self._free = joined
