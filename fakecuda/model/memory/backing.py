"""The contents of device memory: one sparse file for each device, mapped once.

An allocation is an extent of the file. Two mappings of one extent see each other's bytes. A card of 141 GB costs
nothing until something is written. A system without memfd gets an unnamed temporary file. If a file can have no holes,
zeros are written.
"""

from __future__ import annotations

import ctypes
import gc
import mmap
import os
from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.memory.files import FILES, MAP_FIXED, data_in, punched, sparse_file, tell
from fakecuda.model.memory.space import MAP_NORESERVE, libc, map_memory

if TYPE_CHECKING:
    from fakecuda.model.memory.host_memory import HostMemory
    from fakecuda.model.memory.multicast import Fabric
    from fakecuda.profiles import DeviceProfile

PAGE = 2 << 20
SMALL = 512
FILE = 4
"""The size of the file as a multiple of the card's memory, against fragmentation."""
PUNCH = 1 << 20
SPARSE = 1 << 14
"""A zero fill of this many bytes leaves holes alone. Below it, searching for a hole takes as long as writing the
zeros."""


class Extent:
    """A range of a device's physical memory.

    Attributes:
        memory: The memory that it is part of.
        offset: The offset of its first byte in a device's file. For host memory, its address.
        size: Bytes, rounded up to the device's unit of accounting.
        references: How many allocations, handles, mappings, descriptors or importers hold it.
        written: Whether anything was ever written to it.
        away: Bytes that were already given back to the memory, because nothing uses them any more.
    """

    __slots__ = ("away", "memory", "offset", "references", "size", "written")

    def __init__(self, memory: DeviceMemory | HostMemory | Fabric, offset: int, size: int) -> None:
        self.memory = memory
        self.offset = offset
        self.size = size
        self.references = 1
        self.written = False
        self.away = 0

    @property
    def held(self) -> int:
        """The number of bytes that the memory accounts for the extent."""
        return self.size - self.away

    def part_with(self, size: int) -> None:
        """Release bytes of an extent that nothing uses any more."""
        self.away += size
        self.memory.used -= size

    def release(self) -> None:
        """Drop a reference; the last one frees the memory."""
        self.references -= 1
        if not self.references:
            self.memory.give(self)


class DeviceMemory:
    """The physical memory of one device.

    Attributes:
        near: Whether this OS process can touch the memory, at ``address``.
        total: Bytes of the card that allocations and contexts can use.
        used: Bytes in use.
        cap: Bytes that may be written before an error stops the test.
    """

    __slots__ = (
        "_base",
        "_busy",
        "_checked",
        "_closing",
        "_descriptor",
        "_free",
        "_late",
        "_next",
        "_readers",
        "_seen",
        "_size",
        "cap",
        "total",
        "used",
    )
    near = True

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
        self._busy: list[tuple[int, int]] = []
        self._late: list[Extent] = []
        self._readers: list[int] = []
        self._closing = False
        self._seen: set[tuple[Extent, int, int]] = set()

    def take(self, size: int) -> Extent | None:
        """Return a new extent of at least ``size`` bytes.

        None if the card has too little memory.
        """
        unit = SMALL if size <= PAGE // 2 else PAGE
        size = -(-size // unit) * unit
        if self.used + size > self.total:
            return None
        free = self._free.get(size)
        if free:
            offset = free.pop()
        elif (offset := self._next) + size <= self._size:
            self._next = offset + size
        elif (offset := self._place_joined(size)) < 0:
            return None
        self.used += size
        return Extent(self, offset, size)

    def move(self, extent: Extent, other: DeviceMemory) -> None:
        """Move an extent and its contents to another card of the same size.

        The caller has checked that the other card has room.
        """
        other.used, used = 0, other.used
        place = other.take(extent.size)
        assert place is not None  # a file has room for four cards
        other.used = used + extent.held
        if extent.written:
            source, target = self.address(extent), other.address(place)
            for start, end in data_in(self._descriptor, extent.offset, extent.offset + extent.size):
                ctypes.memmove(target + start - extent.offset, source + start - extent.offset, end - start)
        place.offset, extent.offset = extent.offset, place.offset
        place.memory, place.written, place.away = self, extent.written, extent.away
        extent.memory = other
        self.give(place)

    def _place_joined(self, size: int) -> int:
        """Join neighbouring free ranges and take the first that fits.

        Only a file without room at its end needs this.

        Returns:
            The offset of the range; -1 if none fits.
        """
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
        """Free an extent and drop its contents."""
        self.used -= extent.size - extent.away
        if self._busy and any(start < extent.offset + extent.size and extent.offset < end for start, end in self._busy):
            self._late.append(extent)
            return
        if extent.written:
            self._forget(extent.offset, extent.size)
        free = self._free.get(extent.size)
        if free is None:
            self._free[extent.size] = [extent.offset]
        else:
            free.append(extent.offset)

    def enter(self) -> None:
        """Keep the file mapped while a kernel of this OS process reads it without the machine's lock."""
        self._readers.append(os.getpid())

    def leave(self) -> set[tuple[Extent, int, int]]:
        """End what :meth:`enter` began; return the ranges that were written since the first kernel began to read."""
        self._readers.pop()
        seen = self._seen
        if not self._readers:
            self._seen = set()
        if self._closing:
            self.close()
        return seen

    def hold(self, start: int, end: int) -> None:
        """Reserve a range of the file while another OS process copies its bytes, or a kernel reads them."""
        self._busy.append((start, end))

    def let_go(self, start: int, end: int) -> None:
        """End a reservation by :meth:`hold`."""
        self._busy.remove((start, end))
        late, self._late = self._late, []
        for extent in late:
            self.used += extent.held
            self.give(extent)

    @staticmethod
    def place(_extent: Extent, _address: int) -> bool:
        """Return True: the host cannot access an extent at its device address."""
        return True

    def address(self, extent: Extent) -> int:
        """Return the address of the extent's bytes in this OS process."""
        if not self._base:
            self._map()
        return self._base + extent.offset

    def file(self) -> tuple[int, int, int]:
        """Return the file's descriptor, mapped address and size."""
        if not self._base:
            self._map()
        return self._descriptor, self._base, self._size

    def _map(self) -> None:
        descriptor = sparse_file(self._size)
        access, flags = mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_SHARED | MAP_NORESERVE
        self._base = map_memory(self._size, access, flags, descriptor)
        if not self._base:  # dropped machines may still have address space
            gc.collect()
            self._base = map_memory(self._size, access, flags, descriptor)
        if not self._base:
            os.close(descriptor)
            msg = (
                f"OS process {os.getpid()} has no address space left for a simulated device of {self._size >> 30} "
                "GiB: raise the limit of the process (ulimit -v unlimited)"
            )
            raise FakeCudaError(msg)
        self._descriptor = descriptor
        FILES.count(1)

    def _forget(self, offset: int, size: int) -> None:
        if self._base and (size < SMALL * 8 or not punched(self._descriptor, offset, size)):
            ctypes.memset(self._base + offset, 0, size)

    def before_write(self, extent: Extent, offset: int, size: int) -> None:
        """Note that ``size`` bytes from ``offset`` of the extent are about to be written.

        Raises:
            FakeCudaError: The memory would exceed its cap; nothing was written.
        """
        extent.written = True
        if self._readers:
            self._seen.add((extent, offset, offset + size))
        self._checked += size
        if self._checked > self.cap >> 3:
            self._checked = size
            held = os.fstat(self._descriptor).st_blocks * 512 if self._descriptor >= 0 else 0
            if held + size > self.cap and held + size - self._held(extent.offset + offset, size) > self.cap:
                raise over(self.cap, held, size)

    def _held(self, start: int, size: int) -> int:
        """Return how many bytes of a file range the system has allocated."""
        return sum(end - start for start, end in data_in(self._descriptor, start, start + size))

    def fill(self, extent: Extent, offset: int, value: int, size: int) -> None:
        """Set ``size`` bytes from ``offset`` of the extent to a value.

        Zeros take no memory, and large zero fills punch holes.
        """
        if not value and not extent.written:
            return
        if not value and size >= PUNCH:
            self._forget(extent.offset + offset, size)
            return
        if not value and size >= SPARSE:
            first = extent.offset + offset
            for start, end in data_in(self._descriptor, first, first + size):  # holes already read as zeros
                ctypes.memset(self._base + start, 0, end - start)
            return
        self.before_write(extent, offset, size)
        ctypes.memset(self.address(extent) + offset, value, size)

    def show(self, extent: Extent, address: int, size: int) -> None:
        """Map an extent at a device address, so that the host can access it."""
        self.address(extent)
        protection = mmap.PROT_READ | mmap.PROT_WRITE
        libc.mmap(address, size, protection, mmap.MAP_SHARED | MAP_FIXED, self._descriptor, extent.offset)
        extent.written = True
        tell(address, size, self._descriptor, extent.offset)

    def fork(self) -> None:
        """Copy the file in a forked child of the OS process, at the same address."""
        if self._base:
            copy = sparse_file(self._size)
            for start, end in data_in(self._descriptor, 0, self._size):
                for at in range(start, end, PAGE):
                    os.pwrite(copy, os.pread(self._descriptor, min(PAGE, end - at), at), at)
            os.close(self._descriptor)
            self._descriptor = copy
            flags = mmap.MAP_SHARED | MAP_NORESERVE | MAP_FIXED
            libc.mmap(self._base, self._size, mmap.PROT_READ | mmap.PROT_WRITE, flags, copy, 0)

    def close(self) -> None:
        """Unmap the file and close it, once no kernel reads it."""
        self._closing = os.getpid() in self._readers
        if self._closing:
            return
        if self._base:
            libc.munmap(self._base, self._size)
            self._base = 0
            FILES.count(-1)
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1


def over(cap: int, held: int, size: int) -> FakeCudaError:
    """Return the error about a write beyond the memory limit; arguments in bytes."""
    return FakeCudaError(
        f"the test has written to {held >> 20} MiB of simulated device memory and now writes to {size >> 20} MiB "
        f"more, but the limit is memory_cap={cap >> 20} MiB: pass a larger memory_cap, in bytes, to the machine"
    )
