"""GPU migration: a process that was put away is brought back on other cards.

To the process each device is what it was, with its number and its place on the bus, but for its UUID. What the process holds
of it lies on the other card.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from fakecuda.model.effect import effect
from fakecuda.model.memory.backing import DeviceMemory, HostMemory
from fakecuda.model.memory.holding import extents_of
from fakecuda.model.memory.pool import pools_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fakecuda.model.context import Device
    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.blocks import Arena
    from fakecuda.model.os.process import Process


def uuids(process: Process) -> set[bytes]:
    """Return the UUIDs of every card of a process's host, whether it sees them or not."""
    return {device.profile.uuid for device in process.machine.devices}


def onto(process: Process, named: Mapping[bytes, bytes]) -> dict[Device, Device]:
    """Return the card that each device is to be, but for those that are themselves.

    Args:
        process: The process that goes there.
        named: The UUIDs of new cards by those of the cards that are left.
    """
    cards = {device.profile.uuid: device for device in process.machine.devices}
    found = {device: cards[named[process.card_of(device).profile.uuid]] for device in cards.values()}
    return {device: card for device, card in found.items() if card is not device}


def sizes_on(process: Process, onto: Mapping[Device, Device]) -> dict[DeviceMemory, int]:
    """Return how much of each card's memory a process needs that was put away.

    Args:
        process: The process.
        onto: The card that each device is to be; those that are missing are themselves.
    """
    moves = _moves(process, onto)
    return {moves.get(memory, memory): size for memory, size in process.away.items()}


def shared(process: Process) -> Extent | None:
    """Return memory of a process that others hold, too, or that several devices have; None where there is none."""
    return next(
        (
            extent
            for extent, count in Counter(extents_of(process)).items()
            if not isinstance(extent.memory, HostMemory)
            and (extent.references != count or not isinstance(extent.memory, DeviceMemory))
        ),
        None,
    )


@effect()
def restore(process: Process, onto: Mapping[Device, Device]) -> None:
    """Bring a process back on other cards, which have room for what it alone holds.

    Args:
        process: The process.
        onto: The card that each device is to be; those that are missing are themselves.
    """
    moves, size = _moves(process, onto), process.machine.profile.context_memory
    process.restore()
    for extent in set(extents_of(process)):
        memory = extent.memory
        if isinstance(memory, DeviceMemory) and moves.get(memory, memory) is not memory:
            memory.move(extent, moves[memory])
    for arena in _arenas_of(process):
        arena.memory = moves.get(arena.memory, arena.memory)
    process.onto = dict(onto)
    for context in process.contexts.values():
        context.card.memory.used -= size
        context.card = process.card_of(context.device)
        context.card.memory.used += size


def _moves(process: Process, onto: Mapping[Device, Device]) -> dict[Any, DeviceMemory]:
    """Return the memory of the card that each device is to be, by that of the one that it is."""
    devices = process.machine.devices
    return {process.memory_of(device): onto.get(device, device).memory for device in devices}


def _arenas_of(process: Process) -> Iterator[Arena]:
    """Yield what a process makes its blocks in."""
    for context in process.contexts.values():
        yield from (context.linear, *context.arenas.values())
    yield from (pool.arena for pool in pools_of(process))
