"""The heap of a context, from which kernels allocate by ``malloc``."""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.model.memory.memory import OfContext
from fakecuda.model.memory.space import MAP_NORESERVE
from fakecuda.model.memory.transfer import UNPLACED
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.context import Context
    from fakecuda.model.memory.backing import Extent

LIMIT = ENUMS["CUlimit"]["CU_LIMIT_MALLOC_HEAP_SIZE"]
FIRST, ROOM, HEAPS = 1 << 52, 1 << 42, 1 << 16
"""The first heap address of a process, the addresses per heap, number of heaps."""
UNIT = 16
"""The alignment of ``malloc`` in a kernel."""


@define(eq=False)
class Places:
    """The used and free parts of a heap.

    Attributes:
        start: The first address of the heap.
        end: The address after its last byte.
        next: The first address that was never taken.
        taken: Taken memory, by address, with its bytes.
        holes: Addresses of freed memory, by its bytes.
    """

    start: int
    end: int
    next: int
    taken: dict[int, int] = field(factory=dict)
    holes: dict[int, list[int]] = field(factory=dict)

    def copy(self) -> Places:
        """Return a copy."""
        holes = {size: places[:] for size, places in self.holes.items()}
        return Places(self.start, self.end, self.next, self.taken.copy(), holes)

    def take(self, size: int) -> int:
        """Allocate bytes, and return the address; 0 without room."""
        size += -size % UNIT
        places = self.holes.get(size)
        if places:
            start = places.pop()
        elif self.next + size <= self.end:
            start = self.next
            self.next += size
        else:
            start = self._joined(size)
        if start:
            self.taken[start] = size
        return start

    def give(self, start: int) -> bool:
        """Free memory; return whether the address was allocated."""
        size = self.taken.pop(start, 0)
        if size:
            self.holes.setdefault(size, []).append(start)
        return bool(size)

    def _joined(self, size: int) -> int:
        """Join neighbouring holes; return the first that is large enough, or 0."""
        found, low = 0, self.start
        self.holes, self.next = {}, self.end
        for start, length in [*sorted(self.taken.items()), (self.end, 0)]:
            if not found and start - low >= size:
                found, low = low, low + size
            if start > low:
                self.holes.setdefault(start - low, []).append(low)
            low = start + length
        return found


@define(eq=False)
class Heap(OfContext):
    """The heap of a context.

    Attributes:
        places: What of it is taken after the last kernel.
        extent: Its bytes.
    """

    places: Places = field(init=False, repr=False)
    extent: Extent = field(init=False, repr=False)
    _bytes: Any = field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        """Begin with zeros."""
        self.places = Places(self.start, self.end, self.start)
        self._bytes = mmap.mmap(-1, self.size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
        self.extent = UNPLACED.registered(ctypes.addressof(ctypes.c_char.from_buffer(self._bytes)), self.size)

    @property
    def origin(self) -> int:
        """The address of the first byte of the extent."""
        return self.start


def heap_of(context: Context) -> Heap:
    """Return a new heap for a context, with the size of its limit."""
    size = context.limits.get(LIMIT) or context.device.profile.limits[LIMIT] or UNIT
    start = FIRST + ROOM * (context.identity % HEAPS)
    return Heap(start, start + size, context)
