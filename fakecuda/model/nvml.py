"""NVML in a process: how often it is initialised, and what waits for events of cards. And the cards, as NVML counts them.

A card is what is plugged in: where it is split (MIG), the driver's devices are its instances. Handles of cards, of instances and
of event sets are numbers of their own, the same on every machine: what a program has kept of a former one is valid on the next.
"""

from __future__ import annotations

from collections import deque
from itertools import count
from typing import TYPE_CHECKING, NamedTuple

from attrs import define, field, frozen

from fakecuda.model.effect import effect
from fakecuda.model.memory.memory import Import, Placed, Registered
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
"""Where their handles begin."""
STEP = 0x100
PER_CARD = 16
"""How many handles of instances a card has."""


@frozen(eq=False)
class Card:
    """A card of the machine.

    Attributes:
        index: Its number, in the order of the bus.
        devices: The driver's devices on it: itself, or its instances.
        instance: The one of them that this stands for; None for the whole card.
        place: The number of that among them.
    """

    index: int
    devices: tuple[Device, ...]
    instance: Device | None = None
    place: int = 0

    @property
    def handle(self) -> int:
        """By which NVML knows it."""
        if self.instance is None:
            return CARDS + self.index * STEP
        return INSTANCES + (self.index * PER_CARD + self.place) * STEP

    @property
    def split(self) -> bool:
        """Whether it is split into instances."""
        return self.devices[0].profile.mig

    @property
    def facts(self) -> Facts:
        """What is known of cards of its kind."""
        return facts_of(self.devices[0].profile.name)

    @property
    def instances(self) -> tuple[Card, ...]:
        """What it is split into."""
        return tuple(Card(self.index, self.devices, one, place) for place, one in enumerate(self.devices) if self.split)

    @property
    def seen(self) -> tuple[Device, ...]:
        """The driver's devices that this stands for."""
        return self.devices if self.instance is None else (self.instance,)


def cards_of(devices: Sequence[Device]) -> tuple[Card, ...]:
    """Return the cards that devices are on, in the order of the bus."""
    by_bus: dict[str, list[Device]] = {}
    for device in devices:
        by_bus.setdefault(device.profile.pci, []).append(device)
    return tuple(Card(index, tuple(by_bus[bus])) for index, bus in enumerate(sorted(by_bus)))


class Event(NamedTuple):
    """Something that has happened to a card.

    Attributes:
        card: The card's number.
        type: One bit of what can be registered for.
        data: What is told of it: the Xid.
    """

    card: int
    type: int
    data: int


@define(eq=False)
class EventSet:
    """What a program waits for.

    Attributes:
        handle: By which the program knows it.
        types: The events that are registered for, as bits, by the number of the card.
        events: What has happened and was not told yet, the oldest first.
    """

    handle: int
    types: dict[int, int] = field(factory=dict)
    events: deque[Event] = field(factory=deque)

    @effect()
    def register(self, card: int, types: int) -> None:
        """Wait for events of a card, too."""
        self.types[card] = self.types.get(card, 0) | types

    @effect()
    def tell_oldest(self) -> Event:
        """Return the oldest event, which is told with that."""
        return self.events.popleft()


@define(eq=False)
class SystemEventSet:
    """What a program waits for events of the system with; none ever comes: no simulated card is bound to the driver or unbound.

    Attributes:
        handle: By which the program knows it.
        sound: Whether it can be used: after a registration that has failed it can only be freed.
    """

    handle: int
    sound: bool = True

    @effect()
    def spoil(self) -> None:
        """Make it one that can only be freed."""
        self.sound = False


@define(eq=False)
class Management:
    """NVML in one process.

    Attributes:
        references: Initialisations without a shutdown.
        inherited: Those of the process that this one was forked from: they can be taken back, and do not count.
        sets: Event sets by handle.
        system_sets: Those for events of the system.
        listening: The handle of the one of these that is registered, be it freed since; 0 without one.
        numbers: The numbers of those to come, of both kinds.
    """

    references: int = 0
    inherited: int = 0
    sets: dict[int, EventSet] = field(factory=dict)
    system_sets: dict[int, SystemEventSet] = field(factory=dict)
    listening: int = 0
    numbers: count[int] = field(factory=count)

    @effect()
    def initialise(self) -> None:
        """Initialise it, once more."""
        self.references += 1
        self.inherited = 0

    @effect()
    def shut_down(self) -> None:
        """Take one initialisation back; with the last one nothing is left."""
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
        """Return a new event set."""
        made = EventSet(SETS + next(self.numbers) * STEP)
        self.sets[made.handle] = made
        return made

    @effect()
    def make_system_set(self) -> SystemEventSet:
        """Return a new event set for events of the system."""
        made = SystemEventSet(SETS + next(self.numbers) * STEP)
        self.system_sets[made.handle] = made
        return made

    @effect()
    def listen(self, held: SystemEventSet) -> None:
        """Register a set for events of the system: the one of the process until it shuts the library down."""
        self.listening = held.handle

    @effect()
    def free_system_set(self, held: SystemEventSet) -> None:
        """Forget such a set."""
        del self.system_sets[held.handle]

    def fork(self, child: Management) -> None:
        """Give a fork what it has of this: the library is not initialised there."""
        child.references, child.inherited = 0, self.references + self.inherited

    def forget_events(self) -> None:
        """Forget what has happened: the machine that it happened on is gone."""
        for held in self.sets.values():
            held.events.clear()

    @effect()
    def free_set(self, held: EventSet) -> None:
        """Forget an event set."""
        del self.sets[held.handle]


XIDS = {
    Result.ILLEGAL_ADDRESS: 31,
    Result.ECC_UNCORRECTABLE: 48,
    Result.NVLINK_UNCORRECTABLE: 74,
    Result.CONTAINED: 94,
}
"""The Xid of what has happened to work, by the code that its context answers (https://docs.nvidia.com/deploy/xid-errors/)."""
OTHER_XID = 13
"""That of other exceptions."""
XID = 8
"""nvmlEventTypeXidCriticalError."""


def tell(machine: Machine, device: Device, code: int) -> None:
    """Tell every event set that waits for it of an Xid of a device's card; the machine's lock is held."""
    [card] = [card for card in machine.cards if device in card.devices]
    event = Event(card.index, XID, XIDS.get(Result(code), OTHER_XID))
    for process in machine.living:
        for held in process.nvml.sets.values():
            if held.types.get(card.index, 0) & XID:
                held.events.append(event)


REFRESH = 100_000_000
"""Nanoseconds after which the meter of a card's energy tells something new, as an H200 was seen to."""


@effect()
def read_meter(machine: Machine, card: int) -> int:
    """Return how often the meter of a card's energy has told something new.

    On a virtual clock it is more often each time, as if who asks again had waited for it: nothing else lets time pass there.
    """
    told = machine.clock.nanoseconds // REFRESH
    if not machine.clock.real:
        told = machine.meters[card] = max(told, machine.meters.get(card, 0) + 1)
    return told


def memory_of(process: Process, device: Device) -> int:
    """Return how many bytes of a device's memory a process has: its allocations, not what it has opened by IPC, and its contexts."""
    extents = [item.extent for item in process.memory if not isinstance(item, Import | Placed | Registered)]
    extents += [handle.physical.extent for handle in process.handles.values()]
    extents += [block.extent for context in process.contexts.values() for block in context.linear.blocks.values()]
    extents += [chunk.block.extent for pool in pools_of(process) for chunk in pool.chunks.values()]
    contexts = sum(context.card is device for context in process.contexts.values())
    own = {id(extent): extent.held for extent in extents if extent.memory is device.memory}
    return sum(own.values()) + contexts * process.machine.profile.context_memory
