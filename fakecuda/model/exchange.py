"""The exchange of memory between processes: IPC handles and descriptors."""

from __future__ import annotations

import os
import select
from hashlib import blake2b
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.model.effect import effect
from fakecuda.model.memory.files import new_pipe
from fakecuda.model.memory.pool import Pool

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.context import Context, Device
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.backing import DeviceMemory, Extent
    from fakecuda.model.memory.host_memory import HostMemory
    from fakecuda.model.memory.memory import Import, Share
    from fakecuda.model.memory.pool import Pooled
    from fakecuda.model.memory.va import Physical
    from fakecuda.model.os.process import Process
    from fakecuda.model.os.rng import Chance
    from fakecuda.model.work.event import Event

MARK = 8
"""Bytes of an IPC handle that identify the machine."""


@define(eq=False)
class Export:
    """A descriptor of exported memory or an exported pool, alive while a copy is open.

    Attributes:
        physical: The memory or the pool.
        descriptor: Our end of the pipe.
        process: The process that has made it.
        created: The stack that has.
    """

    physical: Physical | Pool
    descriptor: int
    process: Process
    created: Stack = field(repr=False)

    def __repr__(self) -> str:
        what = self.physical if isinstance(self.physical, Pool) else f"memory of {self.physical.size:#x} bytes"
        return f"exported file descriptor of {what}"


@define(eq=False)
class Ipc:
    """The IPC imports and exports of a process.

    Attributes:
        imports: Memory that it has opened, by the handle and the device of the opening context.
        lines: The one context that may open handles and how many it has open, by exporting process, its device and the
            opening device.
        exports: The handles under which others know its memory and events.
        shares: Whether it has ever given memory or an event to another process, or taken one.
    """

    imports: dict[tuple[bytes, int], Import] = field(factory=dict)
    lines: dict[tuple[str, int, int], tuple[Context, int]] = field(factory=dict)
    exports: list[bytes] = field(factory=list)
    shares: bool = False


@define(eq=False)
class Exchange:
    """The exchange of a machine: its exported memory by handle.

    Attributes:
        shares: What legacy IPC handles name, by their 64 bytes.
        exported_events: What IPC event handles name, by their 64 bytes; they outlive the events and their processes.
        pool_shares: Memory of pools that other processes import, by the 64 bytes that name it.
        exports: Exported memory and pools by the descriptor's device and inode.
        fabric_handles: What fabric handles name, by their 64 bytes: the memory and the exporter's IMEX channels.
        poller: Watches our ends of the pipes.
        remains: Stands for the contexts that forgotten processes had on a device.
        random_bytes: Draws bytes that only the seed predicts.
    """

    _chance: Chance = field(repr=False)
    random_bytes: Callable[[int], bytes] = field(repr=False)
    shares: dict[bytes, Share] = field(factory=dict, init=False, repr=False)
    exported_events: dict[bytes, Event] = field(factory=dict, init=False, repr=False)
    pool_shares: dict[bytes, Pooled] = field(factory=dict, init=False, repr=False)
    exports: dict[tuple[int, int], Export] = field(factory=dict, init=False, repr=False)
    fabric_handles: dict[bytes, tuple[Physical, tuple[int, ...]]] = field(factory=dict, init=False, repr=False)
    poller: select.poll = field(factory=select.poll, init=False, repr=False)
    remains: dict[Device, Context] = field(factory=dict, init=False, repr=False)
    _key: bytes | None = field(default=None, init=False, repr=False)

    def new_name(self, process: Process, size: int) -> bytes:
        """Return an unpredictable handle of ``size`` bytes for exported memory."""
        drawn = self.random_bytes(size - MARK)
        name = drawn + self._mark(drawn)
        process.ipc.exports.append(name)
        return name

    def has_named(self, name: bytes) -> bool:
        """Return whether bytes are a handle that a process exported here at any time."""
        return name[-MARK:] == self._mark(name[:-MARK])

    def _mark(self, drawn: bytes) -> bytes:
        if self._key is None:
            self._key = self._chance.below(1 << 64, "handles of memory").to_bytes(8, "little")
        return blake2b(drawn, digest_size=MARK, key=self._key).digest()

    @effect()
    def export(self, physical: Physical | Pool, process: Process, stack: Stack) -> int:
        """Return a new descriptor of exported memory or of a pool.

        Args:
            physical: The memory or the pool.
            process: The process that makes it.
            stack: The stack that does.
        """
        theirs, ours = new_pipe()
        process.stays()
        # On some systems the two ends have inodes of their own, and a poll for nothing tells nothing.
        status = os.fstat(theirs)
        self.exports[status.st_dev, status.st_ino] = Export(physical, ours, process, stack)
        self.poller.register(ours, select.POLLHUP)
        if not isinstance(physical, Pool):
            physical.extent.references += 1
        return theirs

    def exported(self, descriptor: int) -> Physical | Pool | None:
        """Return the memory or the pool of a descriptor; None for any other descriptor."""
        try:
            status = os.fstat(descriptor)
        except (OSError, OverflowError):  # a pointer's number is wider than a descriptor's
            return None
        entry = self.exports.get((status.st_dev, status.st_ino))
        return entry.physical if entry else None

    @effect()
    def share(self, physical: Physical, channels: tuple[int, ...]) -> bytes:
        """Return the fabric handle of memory, the same each time.

        Args:
            physical: The memory.
            channels: The IMEX channels by which processes may open it.
        """
        for handle, (known, _) in list(self.fabric_handles.items()):
            if known is physical:
                return handle
            if not known.extent.references:
                del self.fabric_handles[handle]  # as unknown as any other
        handle = self.random_bytes(64)
        self.fabric_handles[handle] = physical, channels
        return handle

    @effect(beside="it says what happened outside")
    def take_reaped(self, memory: DeviceMemory | HostMemory, size: int) -> Extent | None:
        """Retry an allocation after freeing unreferenced exports; None if it still fails."""
        self.reap()
        return memory.take(size)

    def reap(self) -> None:
        """Free exported memory whose descriptors are all closed."""
        if not self.exports:
            return
        # Our end of a pipe reports an error once no other is open.
        events = self.poller.poll(0)
        if events:
            inodes = {exported.descriptor: inode for inode, exported in self.exports.items()}
            for ours, _ in events:
                physical = self.exports.pop(inodes[ours]).physical
                self.poller.unregister(ours)
                os.close(ours)
                if not isinstance(physical, Pool):
                    physical.extent.release()

    def close(self) -> None:
        """Close all descriptors at the end of the machine, without releasing exports."""
        for exported in self.exports.values():
            os.close(exported.descriptor)
        self.exports.clear()
