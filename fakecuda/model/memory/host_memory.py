"""Host memory with device addresses: pages of this OS process."""

from __future__ import annotations

import ctypes
import mmap

from fakecuda.model.memory.backing import PUNCH, Extent, over
from fakecuda.model.memory.files import MAP_FIXED, hide, punched, tell
from fakecuda.model.memory.space import MAP_NORESERVE, SPACE, libc
from fakecuda.model.os.page_guards import GUARDS

RESIDENT_AT_ONCE = 1 << 16
"""The number of pages in one query to the system."""


class HostMemory:
    """Host memory with device addresses: pinned, managed and registered memory.

    Attributes:
        near: Whether this OS process can touch the memory, at ``address``.
        total: Bytes that can be allocated.
        used: Bytes in use.
        shelf: The file of new pages, if other OS processes are to map them. A page's offset in it is its address minus
            the first device address. None if pages are private to this process.
        cap: Bytes that calls may write before an error stops the test. Registered memory does not count.
    """

    __slots__ = ("_checked", "_placed", "_shelved", "cap", "shelf", "total", "used")
    near = True

    def __init__(self, total: int, cap: int) -> None:
        self.shelf: int | None = None
        self.total = total
        self.used = 0
        self.cap = cap
        self._checked = 0
        self._placed: dict[int, int] = {}
        self._shelved: set[int] = set()

    def take(self, size: int) -> Extent | None:
        """Return a new extent without an address; None without enough host memory."""
        if self.used + size > self.total:
            return None
        self.used += size
        return Extent(self, 0, size)

    def place(self, extent: Extent, address: int) -> bool:
        """Map zeros at an address that the process has reserved.

        Return whether the system allows that.
        """
        if not self._zeroes(address, extent.size, shelved=self.shelf is not None):
            return False
        self._placed[address] = extent.size
        if self.shelf is not None:
            self._shelved.add(address)
        extent.offset = address
        extent.written = True
        return True

    def registered(self, address: int, size: int) -> Extent:
        """Return an extent of memory that the caller owns.

        It is neither accounted nor given back.
        """
        extent = Extent(self, address, size)
        extent.written = True
        return extent

    def give(self, extent: Extent) -> None:
        """Free an extent, and make its addresses inaccessible again."""
        self.used -= extent.held
        self.address(extent)
        if extent.offset:
            del self._placed[extent.offset]
            hide(extent.offset, extent.size)
            if self.shelf is not None and extent.offset in self._shelved:
                self._shelved.remove(extent.offset)
                punched(self.shelf, extent.offset - SPACE.start, extent.size)

    @staticmethod
    def address(extent: Extent) -> int:
        """Return the address of the extent's bytes in this OS process."""
        if GUARDS.closed:
            GUARDS.open(extent.offset, extent.offset + extent.size)
        return extent.offset

    def before_write(self, extent: Extent, offset: int, size: int) -> None:
        """Note that ``size`` bytes from ``offset`` of the extent are about to be written.

        Raises:
            FakeCudaError: The memory would exceed its cap; nothing was written.
        """
        if extent.offset not in self._placed:
            return
        self._checked += size
        if self._checked > self.cap >> 3:
            self._checked = size
            held = sum(_resident(start, length) for start, length in self._placed.items())
            if held + size > self.cap and held + size - _resident(extent.offset + offset, size) > self.cap:
                raise over(self.cap, held, size)

    def fill(self, extent: Extent, offset: int, value: int, size: int) -> None:
        """Set ``size`` bytes from ``offset`` of the extent to a value.

        Large zero fills give pages back.
        """
        start = self.address(extent) + offset
        if not value and size >= PUNCH and extent.offset in self._placed:
            first, last = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE, (start + size) // mmap.PAGESIZE * mmap.PAGESIZE
            ctypes.memset(start, 0, first - start)
            ctypes.memset(last, 0, start + size - last)
            shelved = extent.offset in self._shelved  # the memory may be older than the shelf
            if self.shelf is None or not shelved or not punched(self.shelf, first - SPACE.start, last - first):
                self._zeroes(first, last - first, shelved=shelved)
            return
        self.before_write(extent, offset, size)
        ctypes.memset(start, value, size)

    def _zeroes(self, address: int, size: int, *, shelved: bool) -> bool:
        """Map zeros over an address range, and return whether that worked."""
        flags = MAP_NORESERVE | MAP_FIXED
        shelf, offset = -1, 0
        if self.shelf is not None and shelved:
            flags |= mmap.MAP_SHARED
            shelf, offset = self.shelf, address - SPACE.start
        else:
            flags |= mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
        if libc.mmap(address, size, mmap.PROT_READ | mmap.PROT_WRITE, flags, shelf, offset) != address:
            return False
        tell(address, size, shelf, offset)
        return True


def _resident(start: int, size: int) -> int:
    """Return how many bytes of a mapped range the system has in memory."""
    held, end = 0, start + size
    pages = (ctypes.c_ubyte * RESIDENT_AT_ONCE)()
    start -= start % mmap.PAGESIZE
    while start < end:
        count = min(RESIDENT_AT_ONCE, -(-(end - start) // mmap.PAGESIZE))
        libc.mincore(start, count * mmap.PAGESIZE, pages)
        held += sum(page & 1 for page in pages[:count])
        start += count * mmap.PAGESIZE
    return held * mmap.PAGESIZE
