"""The contents of device memory: one sparse file per device, mapped once.

An allocation is an extent of the file. Two mappings of one extent see each other's bytes; a card of 141 GB costs
nothing until something is written. Where the system has no memfd, an unnamed temporary file stands in; where a file
can have no holes, zeros are written.
"""

from __future__ import annotations

import ctypes
import mmap
import os
import tempfile
from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.space import MAP_NORESERVE, PROT_NONE, libc, map_memory

if TYPE_CHECKING:
    from fakecuda.profiles import DeviceProfile

PAGE = 2 << 20
SMALL = 512
FILE = 4
"""The file is this many times as large as the card: room against fragmentation costs nothing."""
PUNCH = 1 << 20
MAP_FIXED = 0x10
PUNCH_HOLE = 3  # FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE


class Extent:
    """A range of a device's physical memory.

    Attributes:
        memory: The memory that it is part of.
        offset: Its first byte in a device's file, or its address in the host's memory.
        size: Bytes, rounded up to what the device accounts.
        references: How many allocations, handles, mappings, descriptors or importers hold it.
        written: Whether anything was ever written to it.
    """

    __slots__ = ("memory", "offset", "references", "size", "written")

    def __init__(self, memory: DeviceMemory | HostMemory, offset: int, size: int) -> None:
        self.memory = memory
        self.offset = offset
        self.size = size
        self.references = 1
        self.written = False

    def release(self) -> None:
        """Drop a reference; the last one frees the memory."""
        self.references -= 1
        if not self.references:
            self.memory.give(self)


class DeviceMemory:
    """The physical memory of one device.

    Attributes:
        total: Bytes of the card that allocations and contexts can use.
        used: Bytes in use.
        cap: Bytes that may be written before a clear error stops the test.
    """

    __slots__ = ("_base", "_checked", "_descriptor", "_free", "_next", "_size", "cap", "total", "used")

    def __init__(self, profile: DeviceProfile, cap: int) -> None:
        self.total = profile.free_memory
        self.used = 0
        self.cap = cap
        self._size = -(-profile.total_memory // PAGE) * PAGE * FILE
        self._next = 0
        self._free: dict[int, list[int]] = {}
        self._base = 0
        self._descriptor = -1
        self._checked = 0

    def take(self, size: int) -> Extent | None:
        """Return a new extent of at least ``size`` bytes, or None when the card is exhausted."""
        unit = SMALL if size <= PAGE // 2 else PAGE
        size = -(-size // unit) * unit
        if self.used + size > self.total:
            return None
        offset = self._place(size)
        if offset < 0:
            return None
        self.used += size
        return Extent(self, offset, size)

    def _place(self, size: int) -> int:
        free = self._free.get(size)
        if free:
            return free.pop()
        if self._next + size <= self._size:
            self._next += size
            return self._next - size
        return self._place_joined(size)

    def _place_joined(self, size: int) -> int:
        """Join neighbouring free ranges and take the first that fits, or -1; only a file used up comes here."""
        ranges = sorted((offset, length) for length, offsets in self._free.items() for offset in offsets)
        joined: list[tuple[int, int]] = []
        for offset, length in ranges:
            if joined and joined[-1][0] + joined[-1][1] == offset:
                joined[-1] = (joined[-1][0], joined[-1][1] + length)
            else:
                joined.append((offset, length))
        self._free = {}
        found = -1
        for start, room in joined:
            offset, length = start, room
            if found < 0 and length >= size:
                found = offset
                offset, length = offset + size, length - size
            if length:
                self._free.setdefault(length, []).append(offset)
        return found

    def give(self, extent: Extent) -> None:
        """Free an extent; what was written is forgotten."""
        self.used -= extent.size
        if extent.written:
            self._forget(extent.offset, extent.size)
        self._free.setdefault(extent.size, []).append(extent.offset)

    @staticmethod
    def place(_extent: Extent, _address: int) -> bool:
        """Give an extent its device address: nothing to do, for the host cannot touch it; return True."""
        return True

    def address(self, extent: Extent) -> int:
        """Return where the extent's bytes lie in this OS process."""
        if not self._base:
            self._map()
        return self._base + extent.offset

    def _map(self) -> None:
        descriptor = _sparse_file()
        os.ftruncate(descriptor, self._size)
        flags = mmap.MAP_SHARED | MAP_NORESERVE
        self._base = map_memory(self._size, mmap.PROT_READ | mmap.PROT_WRITE, flags, descriptor)
        if not self._base:
            os.close(descriptor)
            msg = f"no address space for a device of {self._size >> 30} GiB: raise the limit (ulimit -v unlimited)"
            raise FakeCudaError(msg)
        self._descriptor = descriptor

    def _forget(self, offset: int, size: int) -> None:
        if self._base and (size < SMALL * 8 or not _punched(self._descriptor, offset, size)):
            ctypes.memset(self._base + offset, 0, size)

    def before_write(self, extent: Extent, offset: int, size: int) -> None:
        """Note that ``size`` bytes from ``offset`` of the extent are about to be written.

        Raises:
            FakeCudaError: More than the cap would be held; nothing was written.
        """
        extent.written = True
        self._checked += size
        if self._checked > self.cap >> 3:
            self._checked = size
            held = os.fstat(self._descriptor).st_blocks * 512 if self._descriptor >= 0 else 0
            if held + size > self.cap and held + size - self._held(extent.offset + offset, size) > self.cap:
                msg = (
                    f"the test has written {held >> 20} MiB of simulated device memory and wants {size >> 20} MiB more: "
                    f"the cap is {self.cap >> 20} MiB; raise it with Machine(memory_cap=bytes)"
                )
                raise FakeCudaError(msg)

    def _held(self, start: int, size: int) -> int:
        """Return how many bytes of a range of the file are held already."""
        held, end = 0, start + size
        while start < end and self._descriptor >= 0:
            try:
                data = os.lseek(self._descriptor, start, os.SEEK_DATA)
            except OSError:
                break
            hole = os.lseek(self._descriptor, data, os.SEEK_HOLE)
            held += max(0, min(hole, end) - data)
            start = hole
        return held

    def fill(self, extent: Extent, offset: int, value: int, size: int) -> None:
        """Set ``size`` bytes from ``offset`` of the extent to a value; large zero fills punch holes."""
        if value == 0 and size >= PUNCH and self._descriptor >= 0:
            self._forget(extent.offset + offset, size)
            return
        self.before_write(extent, offset, size)
        ctypes.memset(self.address(extent) + offset, value, size)

    def show(self, extent: Extent, address: int, size: int) -> None:
        """Map an extent at a device address, so that the host can use it there."""
        self.address(extent)
        protection = mmap.PROT_READ | mmap.PROT_WRITE
        libc.mmap(address, size, protection, mmap.MAP_SHARED | MAP_FIXED, self._descriptor, extent.offset)
        extent.written = True

    def close(self) -> None:
        """Unmap the file and close it."""
        if self._base:
            libc.munmap(self._base, self._size)
            self._base = 0
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


class HostMemory:
    """Memory of the host at the addresses by which devices know it, too: pinned, managed and registered.

    Attributes:
        total: Bytes that can be allocated.
        used: Bytes in use.
    """

    __slots__ = ("total", "used")

    def __init__(self, total: int) -> None:
        self.total = total
        self.used = 0

    def take(self, size: int) -> Extent | None:
        """Return a new extent that has no address yet, or None when there is not so much memory."""
        if self.used + size > self.total:
            return None
        self.used += size
        return Extent(self, 0, size)

    @staticmethod
    def place(extent: Extent, address: int) -> bool:
        """Map zeroes at an address that the process has reserved; return whether the system lets us."""
        protection = mmap.PROT_READ | mmap.PROT_WRITE
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED
        if libc.mmap(address, extent.size, protection, flags, -1, 0) != address:
            return False
        extent.offset = address
        extent.written = True
        return True

    def registered(self, address: int, size: int) -> Extent:
        """Return an extent of memory that the caller owns; it is neither accounted nor ever given back."""
        extent = Extent(self, address, size)
        extent.written = True
        return extent

    def give(self, extent: Extent) -> None:
        """Free an extent: the address is untouchable again."""
        self.used -= extent.size
        if extent.offset:
            hide(extent.offset, extent.size)

    @staticmethod
    def address(extent: Extent) -> int:
        """Return where the extent's bytes lie in this OS process."""
        return extent.offset

    @staticmethod
    def before_write(extent: Extent, offset: int, size: int) -> None:
        """Note that bytes of the extent are about to be written: nothing, for they are the host's own."""

    @staticmethod
    def fill(extent: Extent, offset: int, value: int, size: int) -> None:
        """Set ``size`` bytes from ``offset`` of the extent to a value."""
        ctypes.memset(extent.offset + offset, value, size)


def hide(address: int, size: int) -> None:
    """Make a device address untouchable for the host again."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED
    libc.mmap(address, size, PROT_NONE, flags, -1, 0)


def _sparse_file() -> int:
    """Return the descriptor of a new empty file that has no name."""
    if hasattr(os, "memfd_create"):
        return os.memfd_create("fakecuda-device")
    with tempfile.TemporaryFile() as file:
        return os.dup(file.fileno())


def _punched(descriptor: int, offset: int, size: int) -> bool:
    """Give a range of a file back to the system, to be read as zeros; return whether the system can do that."""
    try:
        return bool(libc.fallocate(descriptor, PUNCH_HOLE, ctypes.c_long(offset), ctypes.c_long(size)) == 0)
    except AttributeError:
        return False
