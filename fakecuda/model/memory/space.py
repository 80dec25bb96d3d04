"""The range of addresses for simulated device pointers.

The OS process reserves the range once, without access. So no host pointer can be mistaken for a device pointer, and a
host dereference faults as on a real machine. Each machine takes windows of the range for its processes: see
:mod:`fakecuda.model.memory.address_ranges`. The first window is for the functions of libraries that are not loaded.
"""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import struct
import sys
from itertools import chain
from pathlib import Path
from struct import pack
from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError

if TYPE_CHECKING:
    from fakecuda.model.memory.address_ranges import Territory

REGION = 3 << 44
SMALLEST_REGION = 1 << 36
WINDOW = 1 << 28
FUNCTION = 16
"""The distance in bytes between two functions of a library."""
PROT_NONE = 0
BOTTOM = 0x1100_0000_0000
"""The preferred start of the region, above AddressSanitizer's shadow.

The region ends below the addresses of executables and libraries, position-independent or not, so that other processes
can reserve it, too.
"""
MAP_NORESERVE = {"darwin": 0x40}.get(sys.platform, 0x4000)

libc = ctypes.CDLL(None, use_errno=True)
libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
libc.munmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
libc.msync.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
libc.mincore.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
MS_ASYNC = 1
copy_memory = getattr(libc, "process_vm_readv", None)
"""The system call that copies memory between processes; None if it is unavailable."""
if copy_memory is not None:  # pragma: no branch - not on macOS
    _ranges, _count = ctypes.c_void_p, ctypes.c_ulong
    copy_memory.argtypes = [ctypes.c_int, _ranges, _count, _ranges, _count, _count]
READ, WRITE = 1, 3
WIDE = 1 << 26
"""From this size on all mappings of a range are examined; of a smaller range, only its two ends."""
MOST_AT_ONCE = 1024
"""The most ranges that the system copies at once."""
UNTOLD = {errno.ENOSYS, errno.EPERM}
"""Errors of a sandbox that forbids ``process_vm_readv``."""
ADDRESS_BITS = 64
MEMORY = (ctypes.c_char * sys.maxsize).from_address(0)
"""All memory of this OS process, for struct access by address."""
MAP_FAILED = ctypes.c_void_p(-1).value


def map_memory(size: int, protection: int, flags: int, descriptor: int = -1, near: int = 0) -> int:
    """Map memory, at ``near`` if possible, and return its address.

    0 if the system has no room.
    """
    address = libc.mmap(near, size, protection, flags, descriptor, 0)
    return 0 if address in (None, MAP_FAILED) else int(address)


class Space:
    """The reserved range of device addresses.

    Attributes:
        start: Its first address. 0 until it is reserved.
        first: The lowest address where a machine's first window may begin.
        end: The address after its last.
    """

    __slots__ = ("end", "first", "start")

    def __init__(self) -> None:
        self.start = self.first = self.end = 0

    def share(self, start: int, end: int) -> None:
        """Use a range that another OS process manages.

        This process gives out only addresses of the range's upper half.
        """
        self.start, self.end = start, end
        self.first = start + (end - start) // 2 // WINDOW * WINDOW

    def reserve(self) -> None:
        """Reserve the range, unless it is reserved already."""
        if self.end:
            return
        size = REGION
        flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE
        while not (start := map_memory(size, PROT_NONE, flags, -1, BOTTOM)) and size > SMALLEST_REGION:
            size //= 2
        # Without a reservation the host is merely unlikely to use these addresses.
        self.start = -(-(start or 0x7000_0000_0000) // WINDOW) * WINDOW
        self.end = (start or 0x7000_0000_0000) + size
        self.first = self.start + WINDOW

    def function(self, number: int) -> int:
        """Return the address of a library function by its number.

        Each number has its own address.
        """
        self.reserve()
        return self.start + FUNCTION * number


SPACE = Space()


def access_of(start: int, size: int) -> int:
    """Return how the host may access a range: ``READ``, ``WRITE`` or 0.

    The answer is 0 unless all of the range is host memory.

    Device addresses are not host memory, and neither are unmapped ones. Only the first and the last page are examined.
    """
    if start < SPACE.end and SPACE.start < start + size:
        return 0
    return mapped_access(start, size)


class Unreadable(FakeCudaError):  # noqa: N818 - a fact about memory
    """An exception: a call names more memory than exists.

    Attributes:
        facts: The address and the bytes, by name.
    """

    def __init__(self, pointer: int, size: int) -> None:
        super().__init__(
            f"cannot read all of the {size} bytes at {pointer:#x}: a real driver crashes the process there"
        )
        self.facts = {"pointer": pointer, "size": size}


def bytes_at(start: int, size: int) -> bytes:
    """Return the bytes of a range of memory.

    Raises:
        Unreadable: Part of the range cannot be read.
    """
    if not mapped_access(start, size):
        raise Unreadable(start, size)
    return ctypes.string_at(start, size)


def all_bytes(*places: tuple[int, int]) -> tuple[bytes, ...]:
    """Return the bytes of ranges, by their first addresses and sizes.

    The system copies all of them at once if they are small.

    Raises:
        Unreadable: Part of a range cannot be read.
    """
    sizes = [size for _, size in places]
    whole, count = sum(sizes), len(places)
    if 0 < whole <= mmap.PAGESIZE and count <= MOST_AT_ONCE and copy_memory is not None:
        room = (ctypes.c_char * whole)()
        try:
            there = pack(f"{2 * count}N", *chain.from_iterable(places))
        except struct.error:  # a number that is not an address
            there = b""
        if there and copy_memory(os.getpid(), pack("NN", ctypes.addressof(room), whole), 1, there, count, 0) == whole:
            return struct.unpack("s".join([*map(str, sizes), ""]), room.raw)
    return tuple([bytes_at(start, size) for start, size in places])


class Followed:
    """An array of pointers with the bytes that they point to, which the system copies together.

    Args:
        start: The array.
        places: Its pointers, with the bytes of each.
    """

    __slots__ = ("_array", "_count", "_form", "_here", "_room", "_there", "_whole")

    def __init__(self, start: int, places: list[tuple[int, int]]) -> None:
        self._array = pack(f"{len(places)}N", *[place for place, _ in places])
        all_places = (start, len(self._array)), *places
        self._count, self._whole = len(all_places), sum(size for _, size in all_places)
        self._form = struct.Struct("s".join([*(str(size) for _, size in all_places), ""]))
        self._there = pack(f"{2 * self._count}N", *chain.from_iterable(all_places))
        self._room = ctypes.create_string_buffer(self._whole)
        self._here = pack("NN", ctypes.addressof(self._room), self._whole)

    def read(self) -> tuple[bytes, ...] | None:
        """Return what the pointers point to; None if the array has other pointers now, or not all can be copied at once."""
        if copy_memory is None or copy_memory(os.getpid(), self._here, 1, self._there, self._count, 0) != self._whole:
            return None
        array, *found = self._form.unpack(self._room)
        return tuple(found) if array == self._array else None


def mapped_access(start: int, size: int) -> int:
    """Return how the host may access any range, even of device addresses."""
    end = start + size
    if start < 0 or end >> ADDRESS_BITS:
        return 0
    page = start - start % mmap.PAGESIZE
    if end - page <= 2 * mmap.PAGESIZE and _is_writable(start, end):
        return WRITE  # each of its pages contains its first or its last byte
    if libc.msync(page, end - page, MS_ASYNC):  # writes nothing; fails if a page is not mapped
        return 0
    if end - page <= mmap.PAGESIZE:
        return _access_of_byte(start)
    if size >= WIDE and (listed := maps()):
        return _access_of_mappings(start, end, listed)
    if _is_writable(start, end):
        return WRITE
    return min(_access_of_byte(start), _access_of_byte(end - 1))


def _is_writable(start: int, end: int) -> bool:
    """Return whether the host may write the first and the last byte of a range.

    False if the system cannot say.
    """
    if copy_memory is None:
        return False
    both = pack("NNNN", start, 1, end - 1, 1)
    return bool(copy_memory(os.getpid(), both, 2, both, 2, 0) == 2)  # noqa: PLR2004 - both of them


def maps() -> str:
    """Return the mappings of this process, as Linux lists them.

    An empty string on other systems.
    """
    try:
        return Path("/proc/self/maps").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _access_of_mappings(start: int, end: int, listed: str) -> int:
    """Return how the host may access a fully mapped range, by the list of mappings."""
    access = WRITE
    for line in listed.splitlines():
        bounds, rights, *_ = line.split(maxsplit=2)
        first, behind = (int(bound, 16) for bound in bounds.split("-"))
        if first < end and start < behind:
            access = min(access, WRITE if "w" in rights else READ if "r" in rights else 0)
    return access


def _access_of_byte(address: int) -> int:
    """Return how the host may access a byte of mapped memory.

    ``WRITE`` if the system cannot say.
    """
    if copy_memory is None:
        return WRITE
    # The system reports a failed copy as an error; a plain access would crash the process.
    byte = pack("NN", address, 1)
    if copy_memory(os.getpid(), byte, 1, byte, 1, 0) == 1 or ctypes.get_errno() in UNTOLD:
        return WRITE
    room = ctypes.create_string_buffer(1)
    return READ if copy_memory(os.getpid(), pack("NN", ctypes.addressof(room), 1), 1, byte, 1, 0) == 1 else 0


class Addresses:
    """The device addresses of one simulated process.

    Args:
        territory: The addresses of its machine.

    Attributes:
        reuse: Whether freed addresses are given out again. A strict machine does not reuse them.
        windows: The ranges taken from the machine's territory.
        exhausted: Whether no more windows can be taken.
    """

    __slots__ = ("_end", "_free", "_next", "_territory", "exhausted", "reuse", "windows")

    def __init__(self, territory: Territory, *, reuse: bool) -> None:
        self._territory = territory
        self.reuse = reuse
        self.windows: list[tuple[int, int]] = []
        self.exhausted = False
        self._next = self._end = 0
        self._free: dict[tuple[int, bool], list[int]] = {}

    def take(self, size: int, alignment: int, *, managed: bool = False) -> int:
        """Return the start of a free range of ``size`` bytes with an alignment.

        0 if no range is left. A driver reuses addresses of managed memory for managed memory alone.
        """
        free = self._free.get((size, managed))
        if free:
            for index in range(len(free) - 1, -1, -1):
                if free[index] % alignment == 0:
                    return free.pop(index)
        start = -(-self._next // alignment) * alignment
        if start + size > self._end:
            window = None if self.exhausted else self._territory.window(size + alignment)
            if window is None:
                return 0
            self.windows.append(window)
            start = -(-window[0] // alignment) * alignment
            self._end = window[1]
        self._next = start + size
        return start

    def give(self, start: int, size: int, *, managed: bool = False) -> None:
        """Release a range of addresses."""
        if self.reuse:
            self._free.setdefault((size, managed), []).append(start)

    def exhaust(self) -> None:
        """Stop allocating addresses."""
        self.exhausted = True
        self._end = self._next

    def close(self) -> None:
        """Release all windows, to be used again as a last resort."""
        for window in self.windows:
            self._territory.retire(window)
        self.windows = []
        self._free = {}
        self._next = self._end = 0
