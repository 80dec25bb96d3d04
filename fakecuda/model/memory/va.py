"""Virtual memory management: reservations, allocation handles and mappings."""

from __future__ import annotations

from bisect import bisect_right
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.model.memory.files import hide
from fakecuda.model.memory.memory import Span

if TYPE_CHECKING:
    from fakecuda.model.context import Device
    from fakecuda.model.memory.backing import Extent


_start = attrgetter("start")


class AllocFlags(NamedTuple):
    """CUmemAllocationProp.allocFlags."""

    compression: int
    rdma: int
    usage: int


class Location(NamedTuple):
    """CUmemLocation."""

    type: int
    id: int

    def __str__(self) -> str:
        return f"type {self.type}, id {self.id}"


class Prop(NamedTuple):
    """CUmemAllocationProp."""

    type: int
    handle_types: int
    location: Location
    metadata: int
    flags: AllocFlags


@define(eq=False)
class Physical:
    """Physical memory behind the allocation handles of any process.

    Attributes:
        extent: The physical memory. Its references count handles, mappings and open descriptors.
        device: The device that the memory is on.
        size: Bytes.
        handle_types: The handle types that it can be exported as.
        tiles: Whether the memory is for tiles of sparse arrays. It can then be mapped only to such tiles.
    """

    extent: Extent = field(repr=False)
    device: Device
    size: int
    handle_types: int = 0
    tiles: bool = False

    def __repr__(self) -> str:
        return f"physical memory of {self.size:#x} bytes on {self.device}"


@define(eq=False)
class Handle(history.Lifetime):
    """An allocation handle of one process.

    Attributes:
        value: The CUmemGenericAllocationHandle.
        physical: The memory.
        prop: The properties that the driver reports. An imported handle has no handle types.
        references: Creates, imports and retains, minus releases. At 0 only its mappings keep the handle.
        mappings: How many mappings were made with the handle.
        imported: Whether the handle came from an import.
    """

    words = ("created", "released")
    value: int
    physical: Physical
    prop: Prop
    created: history.Stack = field(default=history.NOWHERE, repr=False)  # positional arguments are faster
    references: int = 1
    mappings: int = 0
    imported: bool = False

    def __repr__(self) -> str:
        return f"allocation handle {self.value:#x} of {self.physical.size:#x} bytes, {history.counted(self.references, 'reference')}"


@define(eq=False)
class Mapping(Span):
    """A range of a reservation with an allocation mapped into it.

    Attributes:
        handle: The allocation handle that was mapped.
        extent: The physical memory.
        identity: The buffer id, unique in the process.
        created: The stack that mapped it.
        access: Access flags by device ordinal. A device without an entry has no access.
        host_access: The host's access flags, if the memory is host memory. None for device memory.
        sync_memops: Whether synchronous memory operations on the mapping always synchronise.
    """

    words = ("mapped", "unmapped")
    handle: Handle
    extent: Extent = field(repr=False)
    identity: int
    created: history.Stack = field(default=history.NOWHERE, repr=False)
    access: dict[int, int] = field(factory=dict)
    host_access: int | None = None
    sync_memops: bool = False

    @property
    def device(self) -> Device:
        """The device of the mapped memory."""
        return self.handle.physical.device

    @property
    def origin(self) -> int:
        """The address of the extent's first byte."""
        return self.start

    @effect()
    def grant(self, ordinal: int, flags: int) -> None:
        """Set a device's access to the mapping, as CUmemAccess_flags."""
        self.access[ordinal] = flags

    @effect()
    def grant_host(self, flags: int) -> None:
        """Let the host access host memory at the mapping's addresses.

        With flags of 0, end that.
        """
        if flags:
            self.device.memory.show(self.extent, self.start, self.size)
        elif self.host_access:
            hide(self.start, self.size)
        self.host_access = flags

    def __repr__(self) -> str:
        return f"mapping {self.start:#x}+{self.size:#x} of {self.handle}"


@define(eq=False)
class Reservation(Span):
    """A range of addresses from cuMemAddressReserve.

    Attributes:
        mappings: The mappings in the reservation, sorted by address.
    """

    words = ("reserved", "freed")
    created: history.Stack = field(default=history.NOWHERE, repr=False)  # positional arguments are faster
    mappings: list[Mapping] = field(factory=list, repr=False)

    def index(self, address: int) -> int:
        """Return the index of the first mapping that starts after the address."""
        return bisect_right(self.mappings, address, key=_start)

    def add(self, mapping: Mapping) -> None:
        """Insert a mapping in address order."""
        mappings = self.mappings
        if not mappings or mappings[-1].start < mapping.start:
            mappings.append(mapping)
        else:
            mappings.insert(self.index(mapping.start), mapping)

    def remove(self, mapping: Mapping) -> None:
        """Remove a mapping from the reservation."""
        mappings = self.mappings
        if mappings[-1] is mapping:
            mappings.pop()
        else:
            del mappings[self.index(mapping.start) - 1]

    def within(self, start: int, end: int) -> list[Mapping]:
        """Return the mappings that overlap the range."""
        if not self.mappings:
            return []
        first = self.index(start)
        if first and self.mappings[first - 1].end > start:
            first -= 1
        last = self.index(end - 1)
        return self.mappings[first:last]

    def __repr__(self) -> str:
        return f"reservation {self.start:#x}+{self.size:#x} with {history.counted(len(self.mappings), 'mapping')}"
