"""The addresses of a process's contexts of CUDA 3.1, which lie below 4 GiB."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fakecuda.model.context import Context
    from fakecuda.model.graph.capture import Gate
    from fakecuda.model.memory.memory import Mapped, Pinned, Registered

FIRST, END = 0xC40_0000, 1 << 32
"""The first address, as on an H200, and the end of addresses."""
GRANULE = 2 << 20
"""The granularity of addresses in bytes."""
ROOM = 0x740_0000
"""The bytes of addresses that a context reserves for itself on an H200."""
PAGE = 4096
"""The page size: mapped host memory has the same page offset for the device."""


class Narrow:
    """The addresses of the contexts of CUDA 3.1. The lowest free range is taken first, as by a driver.

    A strict machine uses freed ranges again, too: 4 GiB would soon be used up otherwise.

    Args:
        gate: What makes the calls of the process while it has such contexts.

    Attributes:
        rooms: Where the addresses begin that each context takes for itself.
        mapped: The addresses of page-locked memory.
        chosen: Threads that have called cudaSetDevice: the runtime API then wants a primary context beside these.
    """

    __slots__ = ("_free", "chosen", "gate", "mapped", "rooms")

    def __init__(self, gate: Gate) -> None:
        self.gate = gate
        self.rooms: dict[Context, int] = {}
        self.chosen = set[object]()
        self.mapped: dict[Pinned | Registered, Mapped] = {}
        self._free = [(FIRST, END)]

    @property
    def unused(self) -> int:
        """The number of free bytes of addresses."""
        return sum(end - start for start, end in self._free)

    def fits(self, size: int) -> bool:
        """Return whether there is a free range of ``size`` bytes."""
        return any(end - start >= -(-size // GRANULE) * GRANULE for start, end in self._free)

    def take(self, size: int, _alignment: int = GRANULE) -> int:
        """Return the start of a free range of ``size`` bytes; 0 if none is large enough."""
        size = -(-size // GRANULE) * GRANULE
        for place, (start, end) in enumerate(self._free):
            if end - start >= size:
                self._free[place : place + 1] = [(start + size, end)] if start + size < end else []
                return start
        return 0

    def give(self, start: int, size: int) -> None:
        """Free a range, and join it with its free neighbours."""
        joined: list[tuple[int, int]] = []
        for one in sorted([*self._free, (start, start - (-size // GRANULE) * GRANULE)]):
            if joined and joined[-1][1] == one[0]:
                joined[-1] = joined[-1][0], one[1]
            else:
                joined.append(one)
        self._free = joined
