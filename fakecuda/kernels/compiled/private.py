"""Global memory as a compiled kernel sees it: a private copy of each allocation that it uses.

A large allocation of a device is the device's file once more, mapped privately: the system copies the pages that the kernel
writes, and the model's memory stays as it is until the run is committed. Behind the bytes lie marks of how each was used.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.kernels.compiled.layout import PART, READABLE, WRITABLE, Answer, Entry
from fakecuda.kernels.spaces import KINDS, READS, USED
from fakecuda.model.code.device_heap import Heap
from fakecuda.model.code.kernel_run import Run, reaches
from fakecuda.model.memory import transfer
from fakecuda.model.memory.backing import DeviceMemory
from fakecuda.model.memory.files import MAP_FIXED
from fakecuda.model.memory.space import MAP_NORESERVE, READ, WRITE, libc

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.work.stream import Memory

SMALL = 1 << 20
"""Allocations of up to so many bytes are copied."""
PAGE = mmap.PAGESIZE


class Unknown(Exception):  # noqa: N818 - a fact about a launch
    """Only the reference can run this launch."""


def _runs(marks: bytes) -> Iterator[tuple[int, int]]:
    """Yield where marks begin and end."""
    start = marks.find(1)
    while start >= 0:
        end = marks.find(0, start)
        yield start, end if end >= 0 else len(marks)
        start = marks.find(1, end) if end >= 0 else -1


@define(eq=False)
class Part:
    """An allocation that the kernel uses.

    Attributes:
        item: The allocation.
        held: Its bytes, its marks and the bytes that say which parts have marks.
        skip: How many bytes stand before its first, so that it is aligned as its address is.
        stride: From its bytes to each kind of marks.
        host: The address of its first byte here.
        flags: How the kernel may use it.
    """

    item: Memory | Heap
    held: mmap.mmap
    skip: int
    stride: int
    host: int
    flags: int


@define(eq=False)
class PrivateMemory:
    """The allocations that a kernel has used.

    Attributes:
        run: The run of the kernel.
        parts: The allocations.
        error: What a search has raised.
    """

    run: Run
    parts: list[Part] = field(factory=list)
    error: BaseException | None = None
    table: Any = field(factory=ctypes.c_uint64 * (len(Entry) * 16))

    def find(self, address: int, size: int, need: int) -> int:
        """Return whether an access has its memory now, or is a fault, or whether only the reference knows."""
        try:
            return self._find(address, size, need)
        except OSError:  # the system has no room for a copy
            return Answer.UNKNOWN
        except BaseException as error:  # noqa: BLE001 - native code has called; the grid raises it again
            self.error = error
            return Answer.UNKNOWN

    def _find(self, address: int, size: int, need: int) -> int:
        item = self.run.at(address)
        if item is None:
            return Answer.FAULT
        if address + size > item.end:
            return Answer.UNKNOWN
        context = self.run.context
        flags = READABLE * reaches(context, item, READ) | WRITABLE * reaches(context, item, WRITE)
        if flags & need != need:
            return Answer.FAULT
        self._add(item, flags)
        return Answer.FOUND

    def _add(self, item: Memory | Heap, flags: int) -> None:
        """Copy an allocation, or map it, and add it to the table that native code searches."""
        size = item.end - item.start
        skip = item.start % PAGE
        stride = -(-(skip + size) // PAGE) * PAGE
        parts = (size >> PART) + 1
        whole = stride * (1 + KINDS) + parts
        held = mmap.mmap(-1, whole, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
        base = ctypes.addressof(ctypes.c_char.from_buffer(held))
        host = base + skip
        extent, offset = item.extent, item.start - item.origin
        first = extent.offset + offset - skip
        memory = extent.memory
        if isinstance(memory, DeviceMemory) and size > SMALL and first % PAGE == 0 and first >= 0:
            if extent.written:
                _map(base, stride, memory.file()[0], first)
        else:
            transfer.read([(extent, offset, item.filled if isinstance(item, Heap) else size)], host)
        part = Part(item, held, skip, stride, host, flags)
        self.parts.append(part)
        words = len(Entry)
        if len(self.parts) * words > len(self.table):
            longer = (ctypes.c_uint64 * (2 * len(self.table)))()
            ctypes.memmove(longer, self.table, ctypes.sizeof(self.table))
            self.table = longer
        at = (len(self.parts) - 1) * words
        dirty = base + stride * (1 + KINDS)
        self.table[at : at + words] = [item.start, item.end, host, stride, dirty, flags]

    def read(self, address: int, size: int) -> bytes | None:
        """Return bytes, which count as read. None if no allocation that the kernel has used has them."""
        for part in self.parts:
            first = address - part.item.start
            if part.item.start <= address and address + size <= part.item.end and part.flags & READABLE:
                marks = part.stride * (1 + READS) + part.skip + first
                part.held[marks : marks + size] = USED[size]
                part.held[part.stride * (1 + KINDS) + (first >> PART)] = 1
                return part.held[part.skip + first : part.skip + first + size]
        return None

    def uses(self, how: int) -> list[tuple[int, int]]:
        """Return the ranges that were used in a way, merged and in order, as first address and bytes."""
        found: list[tuple[int, int]] = []
        for part in sorted(self.parts, key=lambda one: one.item.start):
            marks = part.stride * (1 + how) + part.skip
            size = part.item.end - part.item.start
            dirty = part.held[part.stride * (1 + KINDS) :]
            for touched in _runs(dirty):
                for number in range(*touched):
                    first = number << PART
                    data = part.held[marks + first : marks + min(first + (1 << PART), size)]
                    for low, high in _runs(data):
                        start = part.item.start + first + low
                        if found and sum(found[-1]) == start:
                            found[-1] = found[-1][0], found[-1][1] + high - low
                        else:
                            found.append((start, high - low))
        return found


def _map(address: int, size: int, descriptor: int, offset: int) -> None:
    """Map a part of a file at an address, so that writes stay private.

    Raises:
        OSError: The system has no room.
    """
    protection, flags = mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | MAP_NORESERVE | MAP_FIXED
    if libc.mmap(address, size, protection, flags, descriptor, offset) != address:
        msg = "no room for a private mapping"
        raise OSError(msg)


@define(eq=False)
class PrivateRun(Run):
    """A run whose pending writes lie in private memory."""

    memory: PrivateMemory = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Begin without memory."""
        self.memory = PrivateMemory(self)

    def pending(self, address: int, size: int) -> bytes:
        """Return the bytes of a range as the kernel has left them."""
        found = []
        end = address + size
        for part in sorted(self.memory.parts, key=lambda one: one.item.start):
            low, high = max(address, part.item.start), min(end, part.item.end)
            if low < high:
                first = part.skip + low - part.item.start
                found.append(part.held[first : first + high - low])
        return b"".join(found)
