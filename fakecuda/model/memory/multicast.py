"""Multicast objects: memory of several devices behind one address.

An object has a team of devices. Memory of each device is bound to ranges of the object. A write to the object goes to
the memory that is bound there on every device. The object has references, as memory does: handles, mappings and open
descriptors. It holds a reference to the memory that is bound to it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from fakecuda.errors import FakeCudaError
from fakecuda.model.effect import effect
from fakecuda.model.memory.backing import Extent
from fakecuda.model.memory.scattered import Scattered
from fakecuda.model.memory.va import Physical
from fakecuda.model.work.waiting import wait

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.context import Device
    from fakecuda.model.machine import Machine


class Binding(NamedTuple):
    """Memory of a device, bound to a range of a multicast object.

    Attributes:
        device: The device.
        start: The range's offset in the object.
        size: Bytes.
        physical: The memory.
        offset: The offset of the first bound byte in the memory.
        room: Bytes of the object that the binding takes: more than the size if the memory is not aligned.
    """

    device: Device
    start: int
    size: int
    physical: Physical
    offset: int
    room: int

    def __str__(self) -> str:
        return f"binding {self.start:#x}+{self.size:#x} of {self.physical}"


@define(eq=False)
class Multicast(Physical):
    """A multicast object, shared by all processes that hold it.

    Attributes:
        wanted: How many devices its team will have.
        fabric: All multicast objects of its machine.
        team: The devices, in the order in which they were added.
        bindings: The bindings, in the order in which they were made.
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
        """Add a device to the team, and wake waiting calls.

        The first device also stands for the object where calls need a device.
        """
        self.team.append(device)
        self.device = self.team[0]
        self.fabric.teams[device] += 1
        machine.scheduler.progress.notify_all()

    def wait(self, machine: Machine) -> None:
        """Wait until all devices were added, while other threads make calls.

        Args:
            machine: The machine; the caller holds its lock.

        Raises:
            EndlessWait: The devices were not added in time.
        """
        wait(machine, f"the other devices of a {self}", lambda: self.complete)

    def bound(self, device: Device, start: int, size: int) -> list[Binding]:
        """Return the bindings of a device that overlap a range."""
        return [
            one
            for one in self.bindings
            if one.device is device and one.start < start + size and start < one.start + one.room
        ]

    @effect()
    def bind(self, binding: Binding) -> None:
        """Bind memory to a free range of the object on its device."""
        binding.physical.extent.references += 1
        self.bindings.append(binding)
        self.fabric.count(binding, 1)

    @effect()
    def unbind(self, binding: Binding) -> None:
        """Remove a binding from the object."""
        self.bindings.remove(binding)
        self.fabric.count(binding, -1)
        binding.physical.extent.release()

    def parts(self, offset: int, size: int) -> Iterator[tuple[int, Extent, int, int]]:
        """Yield the bound parts of a range.

        Memory of the team's first device comes last.

        Yields:
            The offset in the range, the memory, the offset in the memory, and the bytes.
        """
        for device in reversed(self.team):
            for one in self.bound(device, offset, size):
                start, end = max(offset, one.start), min(offset + size, one.start + one.size)
                if start < end:
                    yield start - offset, one.physical.extent, one.offset + start - one.start, end - start


class Fabric(Scattered):
    """The multicast objects of a machine, as the memory of their extents.

    Attributes:
        total: The most bytes of all objects together.
        used: Bytes of all objects.
        objects: The objects by their extents.
        teams: How many teams each device is part of.
        bindings: How many pieces of each device's memory are bound.
        unaligned: How many of these bindings take more of an object than their size.
    """

    __slots__ = ("bindings", "objects", "teams", "total", "unaligned", "used")

    def __init__(self, total: int) -> None:
        self.total = total
        self.used = 0
        self.objects: dict[Extent, Multicast] = {}
        self.teams: Counter[Device] = Counter()
        self.bindings: Counter[Device] = Counter()
        self.unaligned: Counter[Device] = Counter()

    def create(self, device: Device, size: int, handle_types: int, wanted: int) -> Multicast | None:
        """Create a multicast object, and return it; None without room.

        Args:
            device: The device that stands for the object until one is added.
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
        """Destroy an object, and release its bound memory."""
        made = self.objects.pop(extent)
        self.used -= extent.size
        self.teams.subtract(made.team)
        for binding in list(made.bindings):
            made.unbind(binding)

    def parts(self, extent: Extent, offset: int, size: int) -> Iterator[tuple[int, Extent, int, int]]:
        """Yield the bound parts of an object's range, as :meth:`Multicast.parts` does."""
        return self.objects[extent].parts(offset, size)

    @staticmethod
    def address(extent: Extent) -> int:
        """Raise an error, because the bytes of an object are in several places.

        Raises:
            FakeCudaError: Always.
        """
        msg = (
            f"fakecuda cannot read one value from a multicast object ({extent.size:#x} bytes), because the object has "
            "memory of several devices: pass the address of memory that is bound to the object"
        )
        raise FakeCudaError(msg)

    def count(self, binding: Binding, change: int) -> None:
        """Add ``change`` to the number of bindings of a binding's device."""
        self.bindings[binding.device] += change
        self.unaligned[binding.device] += change * (binding.room > binding.size)
