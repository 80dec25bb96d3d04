"""How reservations, allocation handles and mappings come and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.va import Handle, Mapping, Reservation

if TYPE_CHECKING:
    from fakecuda.model.history import Stack
    from fakecuda.model.process import Process
    from fakecuda.model.va import Physical, Prop


def reserve(process: Process, start: int, size: int, stack: Stack) -> None:
    """Make a reservation of addresses that the process has taken."""
    process.reservations.add(Reservation(start, start + size, created=stack))


def unreserve(process: Process, reservation: Reservation, stack: Stack) -> None:
    """End a reservation in which nothing is mapped."""
    process.reservations.remove(reservation)
    reservation.ended = stack
    process.note_freed(reservation.start, reservation)
    process.addresses.give(reservation.start, reservation.size)


def hold(process: Process, physical: Physical, prop: Prop, stack: Stack) -> Handle:
    """Return a new allocation handle of the process, with one reference, whose hold on the memory is counted already."""
    handle = Handle(process.machine.territory.new_handle(), physical, prop, created=stack)
    process.handles[handle.value] = handle
    return handle


def retain(handle: Handle) -> None:
    """Add a reference to an allocation handle, to one that nothing but mappings keeps, too."""
    if not handle.references:
        handle.physical.extent.references += 1
    handle.references += 1


def release(process: Process, handle: Handle, stack: Stack) -> None:
    """Drop a reference to an allocation handle; memory without references and mappings is freed."""
    handle.references -= 1
    if not handle.references:
        handle.ended = stack
        handle.physical.extent.release()
        if not handle.mappings:
            process.forget(handle)


def enter(process: Process, reservation: Reservation, start: int, size: int, handle: Handle, stack: Stack) -> Mapping:
    """Return a new mapping of an allocation into a reservation; nobody has access to it yet."""
    extent = handle.physical.extent
    mapping = Mapping(start, start + size, handle, extent, next(process.identities), created=stack)
    extent.references += 1
    handle.mappings += 1
    reservation.mappings.insert(reservation.index(start), mapping)
    process.memory.add(mapping)
    return mapping
