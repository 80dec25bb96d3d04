"""Global memory of a compiled kernel: its own bytes for each written chunk.

A kernel reads the model's memory until it writes, and the model's memory stays as it is until the run is committed. Each word has
a mark for each way to use it, with a bit for each of its bytes. What one launch has used as memory, the next one uses again.
"""

from __future__ import annotations

import ctypes
import mmap
import re
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.kernels.compiled.layout import CHUNK, PART, READABLE, STATES, WRITABLE, Answer, Entry
from fakecuda.kernels.spaces import KINDS, READS
from fakecuda.model.code.kernel_run import Run, reaches
from fakecuda.model.memory import transfer
from fakecuda.model.memory.space import MAP_NORESERVE, READ, WRITE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from fakecuda.model.code.device_heap import Heap
    from fakecuda.model.work.stream import Memory

ALIGNED = 64
WORD, BITS = 4, 15
"""The bytes that share a mark, and the mark of all of them."""
OWN = 0
"""The byte of a chunk's state for its own bytes."""
SIZE = 1 << CHUNK
FULL = bytes([BITS]) * (SIZE // WORD)
"""The marks of a chunk that was used completely."""
MARKED = re.compile(b"\x0f+|[^\x00\x0f]", re.DOTALL)
TEXELS = re.compile(b"\x01+")
ROOM = 1 << 30
"""The address space of a launch's memory; larger allocations are separate."""
KEPT = 128 << 20
"""The maximum size of memory that the next launch reuses."""


class Unknown(Exception):  # noqa: N818 - a fact about a launch
    """An exception: only the reference can run this launch."""


class Mixed(Exception):  # noqa: N818 - a fact about a launch
    """An exception: loads and then writes of shared memory happened in an epoch."""


class Room:
    """Reserved memory for launches, which is allocated when it is used.

    Args:
        size: Its addresses.

    Attributes:
        start: Its first address.
        size: Its addresses.
        used: How many bytes of it are taken.
    """

    def __init__(self, size: int) -> None:
        self._held = mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | MAP_NORESERVE)
        self.start = ctypes.addressof(ctypes.c_char.from_buffer(self._held))
        self.size = size
        self.used = 0

    def take(self, size: int) -> int:
        """Return the address of free bytes; 0 without room."""
        size = -(-size // ALIGNED) * ALIGNED
        if self.used + size > self.size:
            return 0
        self.used += size
        return self.start + self.used - size


ROOMS: list[Room] = []
"""Memory that the next launches reuse."""
ZEROS: list[Room] = []
"""Memory that is never written."""


def _zeros(size: int) -> int:
    """Return the address of zeros."""
    if not ZEROS or ZEROS[-1].size < size:
        ZEROS.append(Room(max(2 * size, ROOM)))  # launches use the last one still
    return ZEROS[-1].start


def _runs(marks: bytes) -> Iterator[tuple[int, int]]:
    """Yield the marked byte ranges in ascending order; some may adjoin."""
    if FULL.startswith(marks):
        yield 0, len(marks) * WORD
        return
    for match in MARKED.finditer(marks):
        at, bits = match.start(), marks[match.start()]
        if bits == BITS:
            yield at * WORD, match.end() * WORD
        else:
            yield from ((at * WORD + byte, at * WORD + byte + 1) for byte in range(WORD) if bits >> byte & 1)


@define(eq=False)
class Part:
    """An allocation that the kernel uses.

    Attributes:
        item: The allocation.
        flags: How the kernel may use it.
        origin: The address from which places are counted.
        base: Where the model's bytes lie from there on.
        data: Where the kernel's own bytes lie.
        marks: The marks that words were read; those of other uses follow.
        gap: From the marks of one use to those of the next.
        states: Bytes of each chunk: whether it has its own bytes, and whether it has marks of each use.
        texels: Marks of bytes that were read as texels, and for each part of them whether it has marks. None without any.
    """

    item: Memory | Heap
    flags: int
    origin: int
    base: int
    data: int
    marks: int
    gap: int
    states: Any
    texels: tuple[Any, Any] | None = None

    def chunks(self, which: int, value: int) -> Iterator[tuple[int, int, int]]:
        """Yield the chunks with a state value: state place, first address, end address."""
        states = bytes(self.states)[which::STATES]
        number = states.find(value)
        while number >= 0:
            low = (self.item.start >> CHUNK) + number << CHUNK
            yield number * STATES, max(low, self.item.start), min(low + SIZE, self.item.end)
            number = states.find(value, number + 1)

    def hold(self) -> tuple[Any, Any]:
        """Give each chunk its own bytes, and return marks for texels."""
        for at, low, high in self.chunks(OWN, 0):
            ctypes.memmove(self.data + low - self.origin, self.base + low - self.origin, high - low)
            self.states[at] = 1
        if self.texels is None:
            size = self.item.end - self.item.start
            self.texels = (ctypes.c_char * size)(), (ctypes.c_char * ((size >> PART) + 1))()
        return self.texels

    def read(self, address: int, size: int) -> bytes:
        """Return aligned bytes of one chunk, which count as read."""
        at = STATES * ((address >> CHUNK) - (self.item.start >> CHUNK))
        low, high = max(address >> CHUNK << CHUNK, self.item.start), min((address >> CHUNK) + 1 << CHUNK, self.item.end)
        marks = self.marks + (low - self.origin) // WORD
        count = -(-(high - self.origin) // WORD) - (low - self.origin) // WORD
        if not self.states[at + 1 + READS]:
            self.states[at + 1 + READS] = 1
            ctypes.memset(marks, 0, count)
        words = (ctypes.c_uint8 * count).from_address(marks)
        for one in range(address - self.origin, address - self.origin + size):
            words[one // WORD - (low - self.origin) // WORD] |= 1 << one % WORD
        return ctypes.string_at((self.data if self.states[at] else self.base) + address - self.origin, size)

    def uses(self, how: int) -> Iterator[tuple[int, int]]:
        """Yield the used ranges of a kind in ascending order."""
        marks = self.marks + self.gap * how
        for _, low, high in self.chunks(1 + how, 1):
            first = (low - self.origin) // WORD
            count = -(-(high - self.origin) // WORD) - first
            start = self.origin + first * WORD
            for one, end in _runs(ctypes.string_at(marks + first, count)):
                yield start + one, start + end

    def sampled(self) -> Iterator[tuple[int, int]]:
        """Yield the ranges that were read as texels."""
        marks, dirty = self.texels or (b"", b"")
        for touched in TEXELS.finditer(bytes(dirty)):
            for number in range(*touched.span()):
                first = number << PART
                for match in TEXELS.finditer(marks[first : first + (1 << PART)]):
                    yield self.item.start + first + match.start(), self.item.start + first + match.end()


@define(eq=False)
class PrivateMemory:
    """The allocations that a kernel has used.

    Attributes:
        run: The run of the kernel.
        parts: The allocations.
        error: What a search has raised.
        table: The allocations as native code searches them.
    """

    run: Run
    parts: list[Part] = field(factory=list)
    error: BaseException | None = None
    table: Any = field(factory=ctypes.c_uint64 * (len(Entry) * 16))
    _rooms: list[Room] = field(factory=list)

    def find(self, address: int, size: int, need: int) -> int:
        """Return whether an access has memory now, is a fault, or needs the reference."""
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

    def _take(self, size: int) -> int:
        """Return the address of free bytes."""
        if not self._rooms:
            self._rooms.append(ROOMS.pop() if ROOMS else Room(ROOM))
        place = self._rooms[0].take(size)
        if not place:
            self._rooms.append(Room(size + ALIGNED))
            place = self._rooms[-1].take(size)
        return place

    def _add(self, item: Memory | Heap, flags: int) -> None:
        """Add an allocation to the table, copied if native code cannot read it in place."""
        start, end = item.start, item.end
        origin = start - start % ALIGNED
        size = -(-(end - origin) // ALIGNED) * ALIGNED
        gap = size // WORD
        count = STATES * ((end - 1 >> CHUNK) - (start >> CHUNK) + 1)
        data = self._take(size + gap * KINDS + count)
        states = (ctypes.c_uint8 * count).from_address(data + size + gap * KINDS)
        ctypes.memset(ctypes.addressof(states), 0, count)
        extent, offset = item.extent, start - item.origin
        if not extent.memory.near:
            base = data
            transfer.read([(extent, offset, end - start)], data + start - origin)
            states[::STATES] = [1] * (count // STATES)
        elif extent.written:
            base = extent.memory.address(extent) + offset - (start - origin)
        else:
            base = _zeros(size)
        self.parts.append(Part(item, flags, origin, base, data, data + size, gap, states))
        words = len(Entry)
        if len(self.parts) * words > len(self.table):
            longer = (ctypes.c_uint64 * (2 * len(self.table)))()
            ctypes.memmove(longer, self.table, ctypes.sizeof(self.table))
            self.table = longer
        at = (len(self.parts) - 1) * words
        row = [start, end, flags, origin, base, data, data + size, gap, data + size + gap * KINDS]
        self.table[at : at + words] = row

    def read(self, address: int, size: int) -> bytes | None:
        """Return bytes and mark them as read; None if no used allocation has them."""
        for part in self.parts:
            if part.item.start <= address and address + size <= part.item.end and part.flags & READABLE:
                return part.read(address, size)
        return None

    def uses(self, how: int) -> list[tuple[int, int]]:
        """Return the used ranges of a kind, merged and in order."""
        found: list[tuple[int, int]] = []
        for part in sorted(self.parts, key=lambda one: one.item.start):
            if len(part.states) == STATES and not part.states[1 + how] and part.texels is None:
                continue  # nearly always: one chunk, which is not used so
            ranges: Iterable[tuple[int, int]] = part.uses(how)
            if how == READS and part.texels is not None:
                ranges = sorted([*ranges, *part.sampled()])
            for start, end in ranges:
                if found and start <= sum(found[-1]):
                    first, length = found.pop()
                    found.append((first, max(end - first, length)))
                else:
                    found.append((start, end - start))
        return found

    def let_go(self) -> None:
        """Keep the memory for the next launch, unless it is large."""
        states = b"".join([bytes(part.states) for part in self.parts])
        touched = states.count(1) + (WORD - 1) * states[::STATES].count(1)
        if self._rooms and touched * SIZE // WORD <= KEPT:
            self._rooms[0].used = 0
            ROOMS.append(self._rooms[0])
        self._rooms, self.parts = [], []


@define(eq=False)
class PrivateRun(Run):
    """A run of a kernel whose pending writes are in private memory."""

    memory: PrivateMemory = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Begin without memory."""
        self.memory = PrivateMemory(self)

    def _places(self, address: int, size: int) -> Iterator[tuple[int, int, int]]:
        """Yield the own bytes of a range: place, address and size."""
        for part in sorted(self.memory.parts, key=lambda one: one.item.start):
            low, high = max(address, part.item.start), min(address + size, part.item.end)
            if low < high:
                yield part.data + low - part.origin, low, high - low

    def pending(self, address: int, size: int) -> bytes:
        """Return the bytes of a range as the kernel left them."""
        return b"".join(ctypes.string_at(place, length) for place, _, length in self._places(address, size))

    def write(self, address: int, size: int) -> None:
        """Write the pending bytes of a range to memory."""
        for place, start, length in self._places(address, size):
            transfer.write(self.pieces(start, length), place)

    def commit(self) -> None:
        """Write the pending writes to memory, and keep their own for the next launch."""
        super().commit()
        self.memory.let_go()
