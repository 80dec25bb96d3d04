"""NVML's state in a process, and the cards as NVML counts them.

A card is a physical card. If MIG splits it, its instances are the driver's devices. Handles of cards, instances and
event sets are fixed numbers, the same on every machine. A handle from an earlier machine is therefore valid on the next
one.
"""

from __future__ import annotations

from collections import deque
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field, frozen

from fakecuda.model.effect import effect
from fakecuda.model.memory.memory import Import, Mapped, Placed, Registered
from fakecuda.model.memory.pool import pools_of
from fakecuda.profiles.cards import facts_of
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.model.context import Device
    from fakecuda.model.machine import Machine
    from fakecuda.model.os.process import Process
    from fakecuda.profiles.cards import Facts

CARDS, INSTANCES, SETS = 0x6E76_0001_0000, 0x6E76_0002_0000, 0x6E76_0003_0000
"""The first handle of cards, MIG instances and event sets."""
STEP = 0x100
PER_CARD = 16
"""The number of handles for MIG instances per card."""


@frozen(eq=False)
class Card:
    """A card of the machine, or a MIG instance.

    Attributes:
        index: Its number, in bus order.
        devices: The driver's devices on it: the card itself, or its instances.
        instance: The instance. None for the whole card.
        place: The number of the instance on its card.
    """

    index: int
    devices: tuple[Device, ...]
    instance: Device | None = None
    place: int = 0

    @property
    def handle(self) -> int:
        """The NVML handle of the card."""
        if self.instance is None:
            return CARDS + self.index * STEP
        return INSTANCES + (self.index * PER_CARD + self.place) * STEP

    @property
    def split(self) -> bool:
        """Whether MIG splits the card into instances."""
        return self.devices[0].profile.mig

    @property
    def facts(self) -> Facts:
        """Facts about the card's model."""
        return facts_of(self.devices[0].profile.name)

    @property
    def instances(self) -> tuple[Card, ...]:
        """The MIG instances of the card."""
        return tuple(Card(self.index, self.devices, one, place) for place, one in enumerate(self.devices) if self.split)

    @property
    def seen(self) -> tuple[Device, ...]:
        """The CUDA devices of the card."""
        return self.devices if self.instance is None else (self.instance,)


def cards_of(devices: Sequence[Device]) -> tuple[Card, ...]:
    """Return the cards of some devices, in bus order."""
    by_bus: dict[str, list[Device]] = {}
    for device in devices:
        by_bus.setdefault(device.profile.pci, []).append(device)
    return tuple(Card(index, tuple(by_bus[bus])) for index, bus in enumerate(sorted(by_bus)))


class Event(NamedTuple):
    """An event of a card.

    Attributes:
        card: The card's number.
        type: The bit of its type, among the types that can be registered.
        data: Its data: the Xid.
    """

    card: int
    type: int
    data: int


@define(eq=False)
class EventSet:
    """A set of events that a program waits for.

    Attributes:
        handle: Its NVML handle.
        types: The registered types as bits, by the card's number.
        events: The events that have happened and were not returned yet, the oldest first.
    """

    handle: int
    types: dict[int, int] = field(factory=dict)
    events: deque[Event] = field(factory=deque)

    @effect()
    def register(self, card: int, types: int) -> None:
        """Register event types of a card."""
        self.types[card] = self.types.get(card, 0) | types

    @effect()
    def tell_oldest(self) -> Event:
        """Remove and return the oldest event."""
        return self.events.popleft()


@define(eq=False)
class SystemEventSet:
    """A set of system events that a program waits for.

    None ever happens: simulated cards are never bound to the driver or unbound.

    Attributes:
        handle: Its NVML handle.
        sound: Whether it can be used. After a failed registration it can only be freed.
    """

    handle: int
    sound: bool = True

    @effect()
    def spoil(self) -> None:
        """Mark the set as unusable; it can only be freed."""
        self.sound = False


@define(eq=False)
class Management:
    """NVML in one process.

    Attributes:
        references: Initialisations minus shutdowns.
        inherited: Initialisations of the process that this one was forked from. They can be shut down, but do not
            count.
        sets: Event sets by handle.
        system_sets: System event sets by handle.
        listening: The handle of the registered system event set, even after it was freed. 0 without one.
        numbers: The numbers of future sets of both kinds.
    """

    references: int = 0
    inherited: int = 0
    sets: dict[int, EventSet] = field(factory=dict)
    system_sets: dict[int, SystemEventSet] = field(factory=dict)
    listening: int = 0
    numbers: count[int] = field(factory=count)

    @effect()
    def initialise(self) -> None:
        """Add an initialisation."""
        self.references += 1
        self.inherited = 0

    @effect()
    def shut_down(self) -> None:
        """Remove an initialisation; the last one clears the state."""
        if self.inherited:
            self.inherited -= 1
            return
        self.references -= 1
        if not self.references:
            self.sets.clear()
            self.system_sets.clear()
            self.listening = 0

    @effect()
    def make_set(self) -> EventSet:
        """Create an event set, and return it."""
        made = EventSet(SETS + next(self.numbers) * STEP)
        self.sets[made.handle] = made
        return made

    @effect()
    def make_system_set(self) -> SystemEventSet:
        """Create a system event set, and return it."""
        made = SystemEventSet(SETS + next(self.numbers) * STEP)
        self.system_sets[made.handle] = made
        return made

    @effect()
    def listen(self, held: SystemEventSet) -> None:
        """Register the process's only system event set, until NVML is shut down."""
        self.listening = held.handle

    @effect()
    def free_system_set(self, held: SystemEventSet) -> None:
        """Free a system event set."""
        del self.system_sets[held.handle]

    def fork(self, child: Management) -> None:
        """Reset the state in a forked child, where NVML is not initialised."""
        child.references, child.inherited = 0, self.references + self.inherited

    def forget_events(self) -> None:
        """Drop all events, because their machine has ended."""
        for held in self.sets.values():
            held.events.clear()

    @effect()
    def free_set(self, held: EventSet) -> None:
        """Free an event set."""
        del self.sets[held.handle]


XIDS = {
    Result.ILLEGAL_ADDRESS: 31,
    Result.ECC_UNCORRECTABLE: 48,
    Result.NVLINK_UNCORRECTABLE: 74,
    Result.CONTAINED: 94,
}
"""The Xid of a failure, by the sticky error of the context.

https://docs.nvidia.com/deploy/xid-errors/
"""
OTHER_XID = 13
"""The Xid of other exceptions."""
XID = 8
"""nvmlEventTypeXidCriticalError."""


def tell(machine: Machine, device: Device, code: int) -> None:
    """Add an Xid event of a device's card to all event sets that registered for it.

    The caller holds the machine's lock.
    """
    [card] = [card for card in machine.cards if device in card.devices]
    event = Event(card.index, XID, XIDS.get(Result(code), OTHER_XID))
    for process in machine.living:
        for held in process.nvml.sets.values():
            if held.types.get(card.index, 0) & XID:
                held.events.append(event)


REFRESH = 100_000_000
"""Nanoseconds between updates of a card's energy meter on an H200."""


@effect()
def read_meter(machine: Machine, card: int) -> int:
    """Return the number of updates of a card's energy meter.

    On a virtual clock each call returns a larger number, as if the caller had waited for an update: no other event lets
    time pass there.
    """
    updates = machine.clock.nanoseconds // REFRESH
    if not machine.clock.real:
        updates = machine.meters[card] = max(updates, machine.meters.get(card, 0) + 1)
    return updates


def memory_of(process: Process, device: Device) -> int:
    """Return the bytes of a device's memory that a process uses.

    The memory of its contexts counts. Memory that it has opened by IPC does not.
    """
    extents = [item.extent for item in process.memory if not isinstance(item, Import | Placed | Registered | Mapped)]
    extents += [handle.physical.extent for handle in process.handles.values()]
    extents += [block.extent for context in process.contexts.values() for block in context.linear.blocks.values()]
    extents += [chunk.block.extent for pool in pools_of(process) for chunk in pool.chunks.values()]
    contexts = sum(context.card is device for context in process.contexts.values())
    own = {id(extent): extent.held for extent in extents if extent.memory is device.memory}
    return sum(own.values()) + contexts * process.machine.profile.context_memory
