"""Multicast objects: memory of several devices that is reached at one address.

An object has a team of devices, and on each of them memory that is bound to ranges of it. What is written at a place of
the object is written to the memory that is bound there on every device. An object counts what holds it as memory does
(handles, mappings, open descriptors), and holds the memory that is bound to it.
"""

from __future__ import annotations

from collections import Counter
from ctypes import memmove, memset
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from fakecuda.errors import FakeCudaError
from fakecuda.model.effect import effect
from fakecuda.model.memory.backing import Extent
from fakecuda.model.memory.va import Physical
from fakecuda.model.work.waiting import wait

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.context import Device
    from fakecuda.model.machine import Machine


class Binding(NamedTuple):
    """Memory of a device that is bound to a range of a multicast object.

    Attributes:
        device: The device.
        start: The range's offset in the object.
        size: Bytes.
        physical: The memory.
        offset: The first byte in it.
        room: Bytes of the object that are taken: more than the size where the memory is not aligned.
    """

    device: Device
    start: int
    size: int
    physical: Physical
    offset: int
    room: int


@define(eq=False)
class Multicast(Physical):
    """A multicast object, whichever process holds it.

    Attributes:
        wanted: How many devices its team will have.
        fabric: The objects of its machine.
        team: Them, as they were added.
        bindings: What is bound to it, as it came.
    """

    wanted: int = field(kw_only=True)
    fabric: Fabric = field(kw_only=True, repr=False)
    team: list[Device] = field(factory=list)
    bindings: list[Binding] = field(factory=list, repr=False)

    def __repr__(self) -> str:
        return f"multicast object of {self.size:#x} bytes with {len(self.team)} of {self.wanted} devices"

    @property
    def complete(self) -> bool:
        """Whether all devices were added."""
        return len(self.team) == self.wanted

    @effect()
    def add_device(self, device: Device, machine: Machine) -> None:
        """Add a device, which calls may wait for; the first one stands for the object where a device is asked for."""
        self.team.append(device)
        self.device = self.team[0]
        self.fabric.teams[device] += 1
        machine.scheduler.progress.notify_all()

    def wait(self, machine: Machine) -> None:
        """Return when all devices were added; other threads' calls go on meanwhile.

        Args:
            machine: The machine; the caller holds its lock.

        Raises:
            EndlessWait: They do not come.
        """
        wait(machine, f"the other devices of a {self}", lambda: self.complete)

    def bound(self, device: Device, start: int, size: int) -> list[Binding]:
        """Return the bindings of a device that a range touches."""
        return [
            one
            for one in self.bindings
            if one.device is device and one.start < start + size and start < one.start + one.room
        ]

    @effect()
    def bind(self, binding: Binding) -> None:
        """Bind memory to a range that is free on its device."""
        binding.physical.extent.references += 1
        self.bindings.append(binding)
        self.fabric.count(binding, 1)

    @effect()
    def unbind(self, binding: Binding) -> None:
        """Take memory from the object again."""
        self.bindings.remove(binding)
        self.fabric.count(binding, -1)
        binding.physical.extent.release()

    def parts(self, offset: int, size: int) -> Iterator[tuple[int, Extent, int, int]]:
        """Yield what is bound to a range: how far into it, the memory, the offset in that, and the bytes.

        Memory of the team's first device comes last.
        """
        for device in reversed(self.team):
            for one in self.bound(device, offset, size):
                start, end = max(offset, one.start), min(offset + size, one.start + one.size)
                if start < end:
                    yield start - offset, one.physical.extent, one.offset + start - one.start, end - start


class Fabric:
    """The multicast objects of a machine, as the memory that their extents are part of.

    Attributes:
        near: False: its bytes lie in several places.
        total: Bytes that all objects together can have.
        used: Bytes that they have.
        objects: Them by their extents.
        teams: How many teams each device is part of.
        bindings: How many pieces of each device's memory are bound.
        unaligned: How many of them take more of an object than their size.
    """

    __slots__ = ("bindings", "objects", "teams", "total", "unaligned", "used")
    near = False

    def __init__(self, total: int) -> None:
        self.total = total
        self.used = 0
        self.objects: dict[Extent, Multicast] = {}
        self.teams: Counter[Device] = Counter()
        self.bindings: Counter[Device] = Counter()
        self.unaligned: Counter[Device] = Counter()

    def create(self, device: Device, size: int, handle_types: int, wanted: int) -> Multicast | None:
        """Return a new object, or None when there is no room for it.

        Args:
            device: What stands for it until a device was added.
            size: Bytes.
            handle_types: The handle types that it exports.
            wanted: How many devices its team will have.
        """
        if self.used + size > self.total:
            return None
        self.used += size
        extent = Extent(self, 0, size)
        extent.written = True
        made = self.objects[extent] = Multicast(extent, device, size, handle_types, wanted=wanted, fabric=self)
        return made

    def give(self, extent: Extent) -> None:
        """End an object; the memory that was bound to it is its own again."""
        made = self.objects.pop(extent)
        self.used -= extent.size
        self.teams.subtract(made.team)
        for binding in list(made.bindings):
            made.unbind(binding)

    def parts(self, extent: Extent, offset: int, size: int) -> Iterator[tuple[int, Extent, int, int]]:
        """Yield what is bound to a range of an object; see :meth:`Multicast.parts`."""
        return self.objects[extent].parts(offset, size)

    def before_write(self, extent: Extent, offset: int, size: int) -> None:
        """Note that a range of an object is about to be written, on every device.

        Raises:
            FakeCudaError: More than a cap would be held; nothing was written.
        """
        for _, memory, start, length in self.parts(extent, offset, size):
            memory.memory.before_write(memory, start, length)

    @staticmethod
    def address(extent: Extent) -> int:
        """Refuse to say where an object's bytes lie: they lie in several places.

        Raises:
            FakeCudaError: Always.
        """
        msg = f"a value in a multicast object of {extent.size:#x} bytes is read alone: use the address of what is bound to it"
        raise FakeCudaError(msg)

    def put(self, extent: Extent, offset: int, source: int, size: int) -> None:
        """Copy ``size`` bytes from host address ``source`` to a range of an object, on every device."""
        for at, memory, start, length in self.parts(extent, offset, size):
            memmove(memory.memory.address(memory) + start, source + at, length)

    def get(self, extent: Extent, offset: int, target: int, size: int) -> None:
        """Copy ``size`` bytes of an object's range to host address ``target``; where nothing is bound there are zeros."""
        memset(target, 0, size)
        for at, memory, start, length in self.parts(extent, offset, size):
            if memory.written:
                memmove(target + at, memory.memory.address(memory) + start, length)
            else:
                memset(target + at, 0, length)

    def fill(self, extent: Extent, offset: int, value: int, size: int) -> None:
        """Set a range of an object to a value, on every device."""
        for _, memory, start, length in self.parts(extent, offset, size):
            memory.memory.fill(memory, start, value, length)

    def count(self, binding: Binding, change: int) -> None:
        """Count one binding more or less of its device."""
        self.bindings[binding.device] += change
        self.unaligned[binding.device] += change * (binding.room > binding.size)
