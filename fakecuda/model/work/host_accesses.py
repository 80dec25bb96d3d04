"""Host accesses to memory that stream work still uses, for race detection.

That is page-locked, managed and registered memory, and memory of host pools.

Pages that copies and memsets use are protected between calls: from writes if the work reads them, from all accesses if it
writes them. The signal of the host's first access shows its line, and the access goes on. The first bytes that a copy reads
at its call are kept, too. If they have changed when the host has waited, or at the next copy from there, the host has written them. This
also finds writes of other OS processes, and to pages that cannot be protected.
"""

from __future__ import annotations

import ctypes
import mmap
from typing import TYPE_CHECKING, Any, ClassVar

from fakecuda.model import history
from fakecuda.model.call import under_way
from fakecuda.model.hooks import GUARD, RECORD
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.space import PROT_NONE, SPACE, WRITE, mapped_access
from fakecuda.model.memory.va import Mapping
from fakecuda.model.os.page_guards import GUARDS, Guard
from fakecuda.model.os.system import Whole
from fakecuda.model.work.accesses import READS, Access, Operation, bytes_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.history import Stack
    from fakecuda.model.machine import Machine
    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.accesses import Use
    from fakecuda.model.work.happens_before import Races
    from fakecuda.model.work.stream import Stream

    Key = tuple[Stream, str, int, int]
    """A watched use: stream, access kind, start and end address."""
    Latest = tuple[int, Stack, tuple[Any, ...] | None]
    """The number of work, the stack of its call, and the record before the call."""

COMPARED = 4096
"""How many bytes at the start of a copy's source are compared."""
MOST = 256
"""The maximum number of watched ranges; beyond it, the oldest is dropped."""


class Watched(Guard):
    """Host memory that work of a stream uses.

    Args:
        stream: The stream.
        use: What the work does to which memory.
        extent: The memory.
        start: The first address.
        end: The address after the last.
        offset: The offset of the first byte in the memory.

    Attributes:
        content: The first bytes, if a copy has read them at its call and no work writes them later. None otherwise.
        latest: The latest work that uses it so.
    """

    __slots__ = ("content", "extent", "latest", "offset", "stream", "use")
    content: bytes | None
    latest: Latest

    def __init__(self, stream: Stream, use: Use, extent: Extent, start: int, end: int, offset: int) -> None:
        super().__init__(start, end, mmap.PROT_READ if use[0] == READS else PROT_NONE)
        self.stream = stream
        self.use = use
        self.extent = extent
        self.offset = offset

    @property
    def seen(self) -> bool:
        """Whether the host knows that the work is done."""
        order = self.stream.order
        return order is None or self.latest[0] <= order.seen

    @property
    def is_there(self) -> bool:
        """Whether the memory has not been freed."""
        if not isinstance(self.extent.memory, HostMemory):
            return _is_shown(self.stream.context.process, self.start, self.extent)
        if self.is_drivers:
            return self.extent.references > 0
        return mapped_access(self.start, self.end - self.start) > 0

    @property
    def is_drivers(self) -> bool:
        """Whether the driver allocated the memory, and not the program."""
        return SPACE.start <= self.start < SPACE.end

    def first_bytes(self, most: int) -> bytes:
        """Return the first bytes of the memory, up to a limit."""
        GUARDS.open(self.start, self.end)
        return ctypes.string_at(self.start, min(self.end - self.start, most))

    def access(self) -> Access:
        """Return the access of the work."""
        does, (address, size), *_ = self.use
        operation = Operation((self.stream, address, address), (), (self.use,))
        operation.number, operation.stack, operation.before = self.latest
        return Access(operation, does, address, size)

    def touched(self, address: int) -> None:
        """Report a host access that a signal has detected.

        The model's own accesses do not count, and between the rows of work the host may use the memory.
        """
        at = address - self.start + self.offset
        rows = bytes_of(self.use[2], self.use[3])
        if under_way() is not None or not any(first <= at < first + size for _, first, size in rows):
            return
        self.content = None
        does = "writes" if self.use[0] == READS else "uses"
        HostAccesses.report(
            self.access(), f"{does} {address:#x} before it waits for the work that uses this memory", history.whole()
        )


class HostAccesses:
    """The host memory that in-flight copies and memsets use.

    Args:
        races: The order of accesses.
        machine: Its machine.
    """

    report: ClassVar[Callable[[Access, str, Stack], None]]
    """Hook: keeps a finding on an access of the host. Set when ``rules.driver.stream.race`` is loaded.

    Called with the access of the work, what the host does, and a stack, perhaps without the lock. It must not call the driver.
    """
    __slots__ = ("_calls", "_pools", "_races", "_scheduler", "_watched")

    def __init__(self, races: Races, machine: Machine) -> None:
        self._races = races
        self._calls = machine.calls
        self._scheduler = machine.scheduler
        self._pools = machine.host.memory
        self._watched: dict[Key, Watched] = {}

        def around(record: Callable[[tuple[Any, ...]], None]) -> Callable[[tuple[Any, ...]], None]:
            def recorded(one: tuple[Any, ...]) -> None:
                record(one)
                self.close()

            return recorded

        RECORD.put(machine, GUARD, around)

    def watch(self, stream: Stream, uses: tuple[Use, ...], stack: Stack) -> None:
        """Watch the host memory that the latest work of a stream uses.

        Args:
            stream: The stream.
            uses: What the work does to which memory.
            stack: The stack that called.
        """
        order = stream.order
        if order is None or order.unsure:
            return
        latest = order.last, stack, self._calls[-1] if self._calls else None
        for use in uses:
            at = use[1][0]
            for extent, offset, size in use[2]:
                memory = extent.memory
                if type(memory) is HostMemory and not isinstance(extent, Whole):
                    start = extent.offset + offset
                    self._enter(Watched(stream, use, extent, start, start + size, offset), latest)
                elif memory is self._pools and _is_shown(stream.context.process, at, extent):
                    self._enter(Watched(stream, use, extent, at, at + size, offset), latest)
                at += size

    def close(self) -> None:
        """Protect watched pages before the program or a host function continues."""
        if self._watched:
            GUARDS.close()

    def _enter(self, one: Watched, latest: Latest) -> None:
        """Watch memory, instead of an earlier use of the same kind."""
        key = one.stream, one.use[0], one.start, one.end
        content = None
        if one.use[0] != READS:
            for other in self._watched.values():
                if other.start < one.end and one.start < other.end:
                    other.content = None
        elif one.use[3] is None and not (self._scheduler.pending or self._scheduler.manual):
            content = one.first_bytes(COMPARED)
        before = self._watched.get(key)
        if before is not None:
            one = before
            if one.content is not None and one.content != (content or one.first_bytes(COMPARED)):
                self._changed(one)
        else:
            self._watched[key] = one
            if len(self._watched) > MOST:
                self._drop(next(iter(self._watched)))
        one.content, one.latest = content, latest
        if one.is_drivers or mapped_access(one.start, one.end - one.start) == WRITE:
            GUARDS.guard(one, shared=one.is_drivers)

    def look(self) -> None:
        """Compare the bytes of work that is now known to be done, and stop watching it."""
        for key, one in list(self._watched.items()):
            if one.seen:
                self._drop(key)
                content = one.content
                if content is not None and one.is_there and one.first_bytes(len(content)) != content:
                    self._changed(one)

    def _drop(self, key: Key) -> None:
        GUARDS.remove(self._watched.pop(key))

    def _changed(self, one: Watched) -> None:
        """Report that the host wrote bytes that a copy reads, unless work may have."""
        first, size, number = one.offset, len(one.content or b""), one.latest[0]
        if not _may_have_written(self._races, one.extent, first, size, number):
            HostAccesses.report(
                one.access(),
                f"wrote to {one.start:#x} before it waited for the copy that reads this memory",
                history.whole(),
            )


def _is_shown(process: Process, address: int, extent: Extent) -> bool:
    """Return whether the host may access driver-mapped memory at an address."""
    item = process.memory.at(address)
    if item is None or item.extent is not extent:
        return False
    return bool(item.host_access) if isinstance(item, Mapping) else isinstance(item, Pooled)


def _may_have_written(races: Races, extent: Extent, start: int, size: int, number: int) -> bool:
    """Return whether work may have written bytes after other work has read them.

    Args:
        races: What is known of the order of accesses.
        extent: The memory.
        start: The offset of the first byte.
        size: Bytes.
        number: The number of the other work.
    """
    races.memory.enter()
    return (
        races.blind
        or races.values.written_in(extent, start, size)
        or any(
            operation.number > number and operation.writes(extent, start, size)
            for _, operation in races.memory.within([(extent, start, size)])
        )
    )
