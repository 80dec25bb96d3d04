"""Global memory of a compiled kernel: its own bytes for each written chunk.

A kernel reads the model's memory until it writes, and the model's memory stays as it is until the run is committed. Each word has
a mark for each way to use it, with a bit for each of its bytes. What one launch has used as memory, the next one uses again.
"""

from __future__ import annotations

import ctypes
import re
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.kernels.compiled import rooms
from fakecuda.kernels.compiled.layout import CHUNK, PART, READABLE, STATES, WRITABLE, Answer, Entry
from fakecuda.kernels.compiled.rooms import ALIGNED, Room
from fakecuda.kernels.spaces import KINDS, READS
from fakecuda.model.code.kernel_run import Run, reaches
from fakecuda.model.memory import transfer
from fakecuda.model.memory.memory import Allocation
from fakecuda.model.memory.space import READ, WRITE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.model.code.device_heap import Heap
    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.transfer import Pieces
    from fakecuda.model.work.stream import Memory

ENTRY, BASE = len(Entry), int(Entry.BASE)
WORD, BITS = 4, 15
"""The bytes that share a mark, and the mark of all of them."""
OWN = 0
"""The byte of a chunk's state for its own bytes."""
SIZE = 1 << CHUNK
FULL = bytes([BITS]) * (SIZE // WORD)
"""The marks of a chunk that was used completely."""
MARKED = re.compile(b"\x0f+|[^\x00\x0f]", re.DOTALL)
TEXELS = re.compile(b"\x01+")
KEPT = 128 << 20
"""The most bytes that the next launch gets."""
MOST = 8
"""The most allocations that the next launch finds without a search."""
SMALL = 1 << 14
"""The most bytes of marks of an allocation that are compared with those of the launch before."""


class Unknown(Exception):  # noqa: N818 - a fact about a launch
    """An exception: only the reference can run this launch."""


class Mixed(Exception):  # noqa: N818 - a fact about a launch
    """An exception: loads and then writes of shared memory happened in an epoch."""


def _base(item: Memory | Heap, extent: Extent, origin: int) -> int:
    """Return where native code reads an allocation in the model's memory, from an address before it on."""
    if extent.written:
        return extent.memory.address(extent) + origin - item.origin
    return rooms.zeros(item.end - origin + ALIGNED)


def flags_of(run: Run, item: Memory | Heap) -> int:
    """Return how a kernel may use an allocation."""
    if isinstance(item, Allocation) and item.context is run.context:
        return READABLE | WRITABLE  # as nearly always
    if reaches(run.context, item, WRITE):
        return READABLE | WRITABLE
    return READABLE * reaches(run.context, item, READ)


def _runs(marks: bytes) -> Iterator[tuple[int, int]]:
    """Yield where bytes begin and end that have marks, in ascending order; what adjoins may come in several pieces."""
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
        room: What its own bytes, marks and states lie in.
        stated: Where its states lie in the room.
        noted: Where its marks and states lie there. None if they are many.
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
    room: Room
    stated: slice
    noted: slice | None
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

    def uses(self, how: int) -> list[tuple[int, int]]:
        """Return the first and the last address of what was used in a way, in ascending order. The only chunk was."""
        marks = self.marks + self.gap * how - self.room.start
        spans = [(0, self.item.start, self.item.end)] if len(self.states) == STATES else self.chunks(1 + how, 1)
        found = []
        for _, low, high in spans:
            first = (low - self.origin) // WORD
            start = self.origin + first * WORD
            words = self.room.held[marks + first : marks - (self.origin - high) // WORD]
            if FULL.startswith(words):
                found.append((start, start + len(words) * WORD))
            else:
                found += [(start + one, start + end) for one, end in _runs(words)]
        return found

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
        listed: What :meth:`PrivateRun.listed` keeps for launches that use the same bytes in the same ways.
        places: What :meth:`PrivateRun.write` keeps for them.
    """

    run: Run = field(init=False)
    parts: list[Part] = field(factory=list)
    error: BaseException | None = None
    table: Any = field(factory=ctypes.c_uint64 * (ENTRY * MOST))
    listed: Any = None
    places: dict[tuple[int, int], list[tuple[Pieces, int]]] = field(factory=dict)
    _noted: list[bytes] = field(factory=list)
    _uses: tuple[list[tuple[int, int]], ...] = ()
    _rooms: list[Room] = field(factory=list)
    _ordered: list[Part] = field(factory=list)
    _name: object = field(factory=object)

    def begin(self, run: Run) -> None:
        """Begin a run, with the allocations of the last one if all of them are as they were."""
        self.run, self.error = run, None
        room = rooms.left() if self.parts else None
        if room is not None:
            self._rooms = [room]
            if room.last is self._name and self._is_current():
                return
            room.used = 0
        self.parts, self._ordered, self._noted = [], [], []

    def _is_current(self) -> bool:
        """Return whether the run may use the allocations of the last one in the same way, and forget what that did to them."""
        run, at = self.run, BASE
        for part in self.parts:
            item, extent = part.item, part.item.extent
            if run.at(item.start) is not item or flags_of(run, item) != part.flags or not extent.memory.near:
                return False
            part.base = self.table[at] = _base(item, extent, part.origin)
            part.texels = None
            part.room.held[part.stated] = bytes(len(part.states))
            at += ENTRY
        return True

    def is_current(self) -> bool:
        """Return whether the allocations are as they were when the run found them."""
        run = self.run
        return all(
            run.at(part.item.start) is part.item and flags_of(run, part.item) == part.flags for part in self.parts
        )

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
        flags = flags_of(self.run, item)
        if flags & need != need:
            return Answer.FAULT
        self._add(item, flags)
        return Answer.FOUND

    def ordered(self) -> list[Part]:
        """Return the allocations by address."""
        if len(self._ordered) != len(self.parts):
            self._ordered = sorted(self.parts, key=lambda one: one.item.start)
        return self._ordered

    def _take(self, size: int) -> int:
        """Return the address of free bytes."""
        if not self._rooms:
            self._rooms.append(rooms.left() or Room(rooms.ROOM))
            self._rooms[0].used = 0
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
        many = (end - 1 >> CHUNK) - (start >> CHUNK) + 1
        data = self._take(size + gap * KINDS + STATES * many)
        states = (ctypes.c_uint8 * (STATES * many)).from_address(data + size + gap * KINDS)
        ctypes.memset(states, 0, len(states))
        if item.extent.memory.near:
            base = _base(item, item.extent, origin)
        else:
            base = data
            transfer.read([(item.extent, start - item.origin, end - start)], data + start - origin)
            states[::STATES] = [1] * many
        room, marks = self._rooms[-1], data + size - self._rooms[-1].start
        stated = slice(marks + gap * KINDS, marks + gap * KINDS + len(states))
        noted = slice(marks, stated.stop) if stated.stop - marks <= SMALL else None
        self.parts.append(Part(item, flags, origin, base, data, data + size, gap, states, room, stated, noted))
        if len(self.parts) * ENTRY > len(self.table):
            longer = (ctypes.c_uint64 * (2 * len(self.table)))()
            ctypes.memmove(longer, self.table, ctypes.sizeof(self.table))
            self.table = longer
        at = (len(self.parts) - 1) * ENTRY
        self.table[at : at + ENTRY] = start, end, flags, origin, base, data, data + size, gap, data + size + gap * KINDS

    def read(self, address: int, size: int) -> bytes | None:
        """Return bytes and mark them as read; None if no used allocation has them."""
        for part in self.parts:
            if part.item.start <= address and address + size <= part.item.end and part.flags & READABLE:
                return part.read(address, size)
        return None

    def uses(self) -> tuple[list[tuple[int, int]], ...]:
        """Return the ranges that were used in each way, merged and in order, as first address and bytes."""
        noted = [b"" if part.noted is None or part.texels else part.room.held[part.noted] for part in self.parts]
        if noted and noted == self._noted and b"" not in noted:
            return self._uses
        made: tuple[list[tuple[int, int]], ...] = ([], [], [], [])
        self._noted, self._uses, self.listed, self.places = noted, made, None, {}
        for part in self.ordered():
            states = bytes(part.states)
            for how, found in enumerate(made):
                used = states[1 + how] if len(states) == STATES else 1 in states[1 + how :: STATES]
                ranges = part.uses(how) if used else []
                if how == READS and part.texels is not None:
                    ranges = sorted([*ranges, *part.sampled()])
                for start, end in ranges:
                    if found and start <= sum(found[-1]):
                        first, length = found.pop()
                        found.append((first, max(end - first, length)))
                    else:
                        found.append((start, end - start))
        return made

    def let_go(self) -> None:
        """Keep the memory for the next launch, unless it is large, and the allocations, unless there are many."""
        if not self._rooms:
            return
        (room, *others), self._rooms = self._rooms, []
        room.last = self._name
        if others or room.used > KEPT or len(self.parts) > MOST:
            states = b"".join([bytes(part.states) for part in self.parts])
            touched = states.count(1) + (WORD - 1) * states[::STATES].count(1)
            self.parts, self._ordered = [], []
            if touched * SIZE // WORD > KEPT:
                return
        rooms.leave(room)


@define(eq=False)
class PrivateRun(Run):
    """A run whose pending writes lie in private memory.

    Attributes:
        spare: What runs before have left, and this one leaves to the next.
        memory: The memory.
    """

    spare: list[PrivateMemory] = field(factory=list)
    memory: PrivateMemory = field(init=False)

    def __attrs_post_init__(self) -> None:
        """Begin with what the run before has left."""
        self.memory = self.spare.pop() if self.spare else PrivateMemory()
        self.memory.begin(self)

    def listed(self, made: Callable[[Run], Any]) -> Any:
        """Return what a function makes of the ranges: once for launches that use the same ones, and no arrays."""
        if self.arrays:
            return made(self)
        self.memory.listed = self.memory.listed or made(self)
        return self.memory.listed

    def pieces(self, address: int, size: int, access: int = 0) -> Pieces:
        """Return the memory of a range, as another run does: what the kernel has used is found already.

        Raises:
            Stray: Part of the range has no memory, or the kernel has no such access to it.
        """
        end = address + size
        for part in () if access else self.memory.parts:
            item = part.item
            if item.start <= address and end <= item.end:
                return [(item.extent, address - item.origin, size)]
        return super().pieces(address, size, access)

    def _places(self, address: int, size: int) -> Iterator[tuple[int, int, int]]:
        """Yield where the kernel's own bytes of a range lie, their address and how many there are."""
        for part in self.memory.ordered():
            low, high = max(address, part.item.start), min(address + size, part.item.end)
            if low < high:
                yield part.data + low - part.origin, low, high - low

    def pending(self, address: int, size: int) -> bytes:
        """Return the bytes of a range as the kernel left them."""
        return b"".join(ctypes.string_at(place, length) for place, _, length in self._places(address, size))

    def write(self, address: int, size: int) -> None:
        """Write the pending bytes of a range to memory."""
        places, given = self.memory.places, (address, size)
        if given not in places:
            places[given] = [(self.pieces(start, length), place) for place, start, length in self._places(*given)]
        for pieces, place in places[given]:
            transfer.write(pieces, place)

    def commit(self) -> None:
        """Write the pending writes to memory, and keep their own for the next launch."""
        super().commit()
        self.memory.let_go()
        self.spare[:] = [self.memory]
