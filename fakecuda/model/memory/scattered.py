"""Memory with bytes in several other places, or in none.

Bytes that lie nowhere read as zeros, and a write to them changes nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from ctypes import memmove, memset
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.model.memory.backing import Extent


class Scattered(ABC):
    """The memory of extents whose bytes are in several places.

    Attributes:
        near: False, because no single address has the bytes.
    """

    __slots__ = ()
    near = False

    @abstractmethod
    def parts(self, extent: Extent, offset: int, size: int) -> Iterable[tuple[int, Extent, int, int]]:
        """Return the parts of a range that have memory.

        Returns:
            For each, the offset in the range, the memory, the offset in the memory, and the bytes.
        """

    def meet(self, offset: int, other: Extent, there: int) -> None:  # noqa: B027 - most memory can be copied at any time
        """Prepare for a copy with other memory, by both offsets; fail if the memory cannot be copied."""

    def before_write(self, extent: Extent, offset: int, size: int) -> None:
        """Announce a write to a range to the memory of each part.

        Raises:
            FakeCudaError: A device's memory would exceed its cap; nothing was written.
        """
        for _, memory, start, length in self.parts(extent, offset, size):
            memory.memory.before_write(memory, start, length)

    def put(self, extent: Extent, offset: int, source: int, size: int) -> None:
        """Copy bytes from a host address to a range, to each part."""
        for at, memory, start, length in self.parts(extent, offset, size):
            memmove(memory.memory.address(memory) + start, source + at, length)

    def get(self, extent: Extent, offset: int, target: int, size: int) -> None:
        """Copy bytes of a range to host address ``target``."""
        memset(target, 0, size)
        for at, memory, start, length in self.parts(extent, offset, size):
            if memory.written:
                memmove(target + at, memory.memory.address(memory) + start, length)
            else:
                memset(target + at, 0, length)

    def fill(self, extent: Extent, offset: int, value: int, size: int) -> None:
        """Fill a range with a byte, in each part."""
        for _, memory, start, length in self.parts(extent, offset, size):
            memory.memory.fill(memory, start, value, length)
