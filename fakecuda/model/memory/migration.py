"""GPU migration: a checkpointed process is restored on other cards.

To the process each device keeps its number and its place on the bus; only its UUID changes. The memory that the process
holds on the device lies on the other card.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from fakecuda.model.effect import effect
from fakecuda.model.memory.backing import DeviceMemory
from fakecuda.model.memory.holding import extents_of
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.memory.pool import pools_of
from fakecuda.model.os import checkpoint

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fakecuda.model.context import Device
    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.memory.blocks import Arena
    from fakecuda.model.os.process import Process


def uuids(process: Process) -> set[bytes]:
    """Return the UUIDs of all cards of a process's host.

    Cards that the process does not see are included.
    """
    return {device.profile.uuid for device in process.machine.devices}


def onto(process: Process, named: Mapping[bytes, bytes]) -> dict[Device, Device]:
    """Return the new card of each device that changes its card.

    Args:
        process: The process that moves.
        named: The UUID of the new card, by that of the card before.
    """
    cards = {device.profile.uuid: device for device in process.machine.devices}
    found = {device: cards[named[process.card_of(device).profile.uuid]] for device in cards.values()}
    return {device: card for device, card in found.items() if card is not device}


def sizes_on(process: Process, onto: Mapping[Device, Device]) -> dict[DeviceMemory, int]:
    """Return how much of each card's memory a checkpointed process needs.

    Args:
        process: The process.
        onto: The new card of each device. Devices that are missing keep their card.
    """
    moves = _moves(process, onto)
    return {moves.get(memory, memory): size for memory, size in checkpoint.of(process).away.items()}


def shared(process: Process) -> Extent | None:
    """Return memory that other processes share, or that is on several devices.

    None without any.
    """
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
    """Restore a process on other cards.

    Args:
        process: The process.
        onto: The new card of each device. Devices that are missing keep their card.
    """
    moves, size = _moves(process, onto), process.machine.profile.context_memory
    checkpoint.restore(process)
    for extent in set(extents_of(process)):
        memory = extent.memory
        if isinstance(memory, DeviceMemory) and moves.get(memory, memory) is not memory:
            memory.move(extent, moves[memory])
    for arena in _arenas_of(process):
        arena.memory = moves.get(arena.memory, arena.memory)
    checkpoint.of(process).onto = dict(onto)
    for context in process.contexts.values():
        context.card.memory.used -= size
        context.card = process.card_of(context.device)
        context.card.memory.used += size


def _moves(process: Process, onto: Mapping[Device, Device]) -> dict[Any, DeviceMemory]:
    """Return the memory of each device's new card, by that of its present card."""
    devices = process.machine.devices
    return {process.memory_of(device): onto.get(device, device).memory for device in devices}


def _arenas_of(process: Process) -> Iterator[Arena]:
    """Yield the arenas of a process's blocks."""
    for context in process.contexts.values():
        yield from (context.linear, *context.arenas.values())
    yield from (pool.arena for pool in pools_of(process))
