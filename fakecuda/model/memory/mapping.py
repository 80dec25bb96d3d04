"""Effects that create and end reservations, allocation handles and mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.effect import effect
from fakecuda.model.memory.files import hide
from fakecuda.model.memory.va import Handle, Mapping, Physical, Reservation

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.model.context import Device
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.va import Prop
    from fakecuda.model.os.process import Process


@effect(makes="Reservation")
def reserve(process: Process, size: int, alignment: int, stack: Stack) -> Reservation | None:
    """Reserve addresses, and return the reservation; None if no addresses are left."""
    start = process.addresses.take(size, alignment)
    if not start:
        return None
    reservation = Reservation(start, start + size, stack)
    process.reservations.add(reservation)
    return reservation


@effect(ends="reservation")
def unreserve(process: Process, reservation: Reservation, stack: Stack) -> None:
    """End a reservation without mappings."""
    start = reservation.start
    process.reservations.remove(reservation)
    reservation.ended = stack
    process.note_freed(start, reservation)
    process.addresses.give(start, reservation.end - start)


@effect(makes="Handle")
def create(
    process: Process, device: Device, size: int, prop: Prop, stack: Stack, *, tiles: bool = False
) -> Handle | None:
    """Allocate physical memory, and return its handle with one reference.

    None if the device has too little memory.

    Args:
        process: The process.
        device: The device, or the host.
        size: Bytes.
        prop: The properties that the driver reports.
        stack: The stack that creates it.
        tiles: Whether the memory is for tiles of sparse arrays.
    """
    memory = device.memory if process.checkpoint is None else process.memory_of(device)
    extent = memory.take(size) or process.machine.exchange.take_reaped(memory, size)
    if extent is None:
        return None
    return _handle(process, Physical(extent, device, size, prop.handle_types, tiles), prop, stack)


@effect(makes="Handle")
def create_multicast(process: Process, size: int, prop: Prop, wanted: int, stack: Stack) -> Handle | None:
    """Create a multicast object, and return its handle.

    None if there is no room for the object.

    The handle has one reference.

    Args:
        process: The process.
        size: Bytes.
        prop: The properties that the driver reports.
        wanted: How many devices the object's team will have.
        stack: The stack that creates it.
    """
    made = process.machine.fabric.create(process.devices[0], size, prop.handle_types, wanted)
    return None if made is None else _handle(process, made, prop, stack)


@effect(makes="Handle")
def import_(process: Process, physical: Physical, prop: Prop, stack: Stack) -> Handle:
    """Return an allocation handle with one reference for exported memory."""
    process.stays()
    physical.extent.references += 1
    handle = _handle(process, physical, prop, stack)
    handle.imported = True
    return handle


def _handle(process: Process, physical: Physical, prop: Prop, stack: Stack) -> Handle:
    """Return a new allocation handle.

    The caller has counted its reference to the memory.
    """
    handle = Handle(process.machine.territory.new_handle(), physical, prop, stack)
    process.handles[handle.value] = handle
    return handle


@effect()
def retain(handle: Handle) -> None:
    """Add a reference to an allocation handle, even if only mappings hold it."""
    if not handle.references:
        handle.physical.extent.references += 1
    handle.references += 1


@effect()
def release(process: Process, handle: Handle, stack: Stack) -> None:
    """Release a reference to an allocation handle.

    Memory without references and mappings is freed.
    """
    handle.references -= 1
    if not handle.references:
        handle.ended = stack
        handle.physical.extent.release()
        if not handle.mappings:
            process.forget(handle)


@effect(makes="Mapping")
def enter(process: Process, reservation: Reservation, start: int, size: int, handle: Handle, stack: Stack) -> Mapping:
    """Map an allocation without access for any device, and return the mapping."""
    extent = handle.physical.extent
    host_access = 0 if extent.memory is process.machine.host.memory else None
    mapping = Mapping(start, start + size, handle, extent, next(process.identities), stack, {}, host_access)
    extent.references += 1
    handle.mappings += 1
    reservation.add(mapping)
    process.memory.add(mapping)
    return mapping


@effect(ends="mappings")
def leave(process: Process, mappings: Sequence[Mapping], stack: Stack) -> None:
    """Unmap mappings. Memory without references and mappings is freed."""
    for mapping in mappings:
        start = mapping.start
        reservation = process.reservations.at(start)
        assert reservation is not None
        reservation.remove(mapping)
        process.memory.remove(mapping)
        mapping.ended = stack
        process.note_freed(start, mapping)
        if mapping.host_access:
            hide(start, mapping.size)
        handle = mapping.handle
        handle.mappings -= 1
        mapping.extent.release()
        if not handle.mappings and not handle.references:
            process.forget(handle)
