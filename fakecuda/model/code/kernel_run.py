"""One run of a kernel: its reads, and its writes until it returns."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

from fakecuda.model.code.device_heap import Heap, heap_of
from fakecuda.model.memory import transfer
from fakecuda.model.memory.memory import Allocation, Import, Registered, is_foreign
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.space import READ, WRITE
from fakecuda.model.memory.va import Mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.model.code.array_bytes import ArrayBytes
    from fakecuda.model.code.device_heap import Places
    from fakecuda.model.context import Context
    from fakecuda.model.graph.conditional import Condition
    from fakecuda.model.graph.executables import Executable
    from fakecuda.model.graph.graph_run import GraphRun
    from fakecuda.model.memory.transfer import Pieces
    from fakecuda.model.memory.unknown import Unknown, UnknownBytes
    from fakecuda.model.work.stream import Memory
    from fakecuda.spec.codes import Result

CHUNK = 4096


class Stray(Exception):  # noqa: N818 - a fact about an address
    """An exception: a kernel used an illegal address.

    Args:
        address: The address.
    """

    def __init__(self, address: int) -> None:
        super().__init__(f"a kernel has used {address:#x}, an illegal address")
        self.address = address


@frozen(eq=False)
class SharedRace:
    """An exception: two unordered accesses of a block's threads to shared memory.

    Attributes:
        block: The block.
        memory: The bytes, as an offset of a variable.
        earlier: The access that came first in this run.
        later: The other one.
        missing: The order that is missing.
    """

    block: tuple[int, ...]
    memory: str
    earlier: str
    later: str
    missing: str


@define(eq=False)
class Run:
    """One run of a kernel, with its reads and its pending writes.

    Attributes:
        context: The context that it runs in.
        read: The ranges that it has read, as first address and bytes, in order.
        written: The ranges of its pending writes, as first address and bytes, in order.
        unknown: The first bytes that it has read although a skipped launch may have written them. None without any.
        arrays: The arrays that it has used through textures and surfaces, by handle. Also pending.
        updated: The ranges that it has changed by atomic operations and strong stores. Also pending.
        polled: The ranges that it has read by strong loads.
        fault: The code with which the process's contexts fail. None without a fault.
        text: What a kernel from PTX says of the fault.
        fenced: Whether the kernel has a fence, or acquires or releases, for other kernels or the host.
        printed: What it has printed.
        race: The first race in shared memory of a kernel from PTX. None without any.
        graph: The graph run that the kernel is part of. None for a kernel that was launched by itself.
        places: What of the context's heap is taken after the run. None if the kernel has not used ``malloc`` and ``free``.
        conditions: The conditions to set after the run, with their values.
        launched: The graphs to launch after the run, and how.
    """

    context: Context
    graph: GraphRun | None = None
    read: list[tuple[int, int]] = field(factory=list)
    written: list[tuple[int, int]] = field(factory=list)
    unknown: Unknown | None = None
    arrays: dict[int, ArrayBytes] = field(factory=dict)
    updated: list[tuple[int, int]] = field(factory=list)
    polled: list[tuple[int, int]] = field(factory=list)
    fault: Result | None = None
    text: str = ""
    fenced: bool = False
    printed: list[str] = field(factory=list)
    race: SharedRace | None = None
    places: Places | None = None
    conditions: dict[Condition, int] = field(factory=dict)
    launched: list[tuple[Executable, int]] = field(factory=list)
    _chunks: dict[int, bytearray] = field(factory=dict, repr=False)
    _heap: Heap | None = field(default=None, repr=False)

    def listed(self, made: Callable[[Run], Any]) -> Any:
        """Return what a function makes of the ranges that the run uses. A run may know it from one that used the same."""
        return made(self)

    def heap(self) -> Places:
        """Return the used parts of the context's heap, for a change."""
        if self.places is None:
            self._heap = self.context.heap or heap_of(self.context)
            self.places = self._heap.places.copy()
        return self.places

    def set_condition(self, handle: int, value: int) -> str:
        """Set a condition of the run's graph after the run. Return why it cannot; empty if it can."""
        condition = None if self.graph is None else self.graph.conditions.get(handle)
        if condition is None or condition.context is not self.context:
            return (
                f"{handle} is not the handle of a condition of this kernel's graph in {self.context}: pass the handle "
                "that cuGraphConditionalHandleCreate returned for this graph"
            )
        self.conditions[condition] = value & 0xFFFFFFFF
        return ""

    def at(self, address: int) -> Memory | Heap | None:
        """Return the memory at an address, of the process or the heap, or None."""
        heap = self._heap or self.context.heap
        if heap is not None and heap.start <= address < heap.end:
            return heap
        return self.context.process.memory.at(address)

    def pieces(self, address: int, size: int, access: int = 0) -> Pieces:
        """Return the memory of a range, in one allocation or in several that adjoin.

        Raises:
            Stray: Part of the range has no memory, or the kernel has no such access to it.
        """
        end, found = address + size, []
        while address < end:
            item = self.at(address)
            if item is None or not reaches(self.context, item, access):
                raise Stray(address)
            found.append((item.extent, address - item.origin, min(end, item.end) - address))
            address = item.end
        return found

    def get(self, address: int, size: int) -> bytes:
        """Return bytes as the kernel sees them."""
        pieces = self.pieces(address, size, READ)
        marks = self.context.process.machine.unknown
        if marks is not None and self.unknown is None:
            self.unknown = self._first_unknown(marks, address, pieces)
        _note(self.read, address, size)
        return b"".join(bytes(chunk[start:end]) for chunk, start, end in self._parts(address, size))

    def _first_unknown(self, marks: UnknownBytes, address: int, pieces: Pieces) -> Unknown | None:
        """Return the first unknown bytes that the kernel has not written, or None."""
        end = address + sum(size for _, _, size in pieces)
        for start, size in sorted(self.written):
            if start > address and (found := marks.first(transfer.part(pieces, 0, min(start, end) - address))):
                return found
            passed = max(0, min(start + size, end) - address)
            pieces, address = transfer.part(pieces, passed, end - address - passed), address + passed
        return marks.first(pieces)

    def put(self, address: int, data: bytes) -> None:
        """Write bytes, which other work sees after the run."""
        self.pieces(address, len(data), WRITE)
        _note(self.written, address, len(data))
        at = 0
        for chunk, start, end in self._parts(address, len(data)):
            chunk[start:end] = data[at : at + end - start]
            at += end - start

    def _parts(self, address: int, size: int) -> list[tuple[bytearray, int, int]]:
        """Return the chunks of a range, each with the range's part in it."""
        end = address + size
        return [
            (self.chunk(first), max(address - first, 0), min(end - first, CHUNK))
            for first in range(address - address % CHUNK, end, CHUNK)
        ]

    def chunk(self, first: int) -> bytearray:
        """Return a chunk of bytes as the kernel sees them; missing memory reads as zeros."""
        chunk = self._chunks.get(first)
        if chunk is None:
            chunk = self._chunks[first] = bytearray(CHUNK)
            heap = self.at(first)
            items = self.context.process.memory.within(first, first + CHUNK)
            found: Iterable[Memory | Heap] = [heap] if isinstance(heap, Heap) else items
            for item in found:
                start, end = max(item.start, first), min(item.end, first + CHUNK)
                buffer = (ctypes.c_char * (end - start)).from_buffer(chunk, start - first)
                transfer.read([(item.extent, start - item.origin, end - start)], ctypes.addressof(buffer))
        return chunk

    def pending(self, address: int, size: int) -> bytes:
        """Return the bytes of a range as the kernel left them."""
        return b"".join(bytes(chunk[start:end]) for chunk, start, end in self._parts(address, size))

    def write(self, address: int, size: int) -> None:
        """Write the pending bytes of a range to memory."""
        data = self.pending(address, size)
        transfer.write(self.pieces(address, size), transfer.bytes_address(data))

    def commit(self) -> None:
        """Write the pending writes to memory, and set the conditions."""
        marks = self.context.process.machine.unknown
        for condition, value in self.conditions.items():
            condition.set(value)
        for address, size in (*self.written, *self.updated):
            self.write(address, size)
            if marks is not None:
                marks.clear(self.pieces(address, size))
        for one in self.arrays.values():
            one.commit()
        if self._heap is not None and self.places is not None:
            self._heap.places = self.places
            self.context.heap = self._heap


def _note(places: list[tuple[int, int]], address: int, size: int) -> None:
    """Add a range to a list, and merge it with the last range if they adjoin."""
    if places:
        last, length = places[-1]
        if last <= address <= last + length:
            places[-1] = last, max(length, address + size - last)
            return
    places.append((address, size))


def reaches(context: Context, item: Memory | Heap, access: int) -> bool:
    """Return whether kernels of a context have any access to memory."""
    if is_foreign(item, context):
        return False
    ordinal = context.device.ordinal
    if isinstance(item, Pooled):
        return item.pool.flags(ordinal) & access == access
    if isinstance(item, Mapping):
        return item.access.get(ordinal, 0) & access == access
    if isinstance(item, Registered):
        return access == READ or not item.read_only
    if isinstance(item, Allocation):
        return item.context.device is context.device or item.context in context.peers
    return not isinstance(item, Import) or item.context is context or item.context in context.peers
