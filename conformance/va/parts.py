"""What worlds with device memory are made of: properties, reservations, mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.api import ENUMS

if TYPE_CHECKING:
    from conformance.case import Process

G = 2 << 20
"""The minimum granularity of the machines that were asked."""
NOWHERE = 0x3FF0_0000_0000
"""An address that no driver gives out."""

LOCATION = {name.removeprefix("CU_MEM_LOCATION_TYPE_"): value for name, value in ENUMS["CUmemLocationType"].items()}
DEVICE = LOCATION["DEVICE"]
HANDLE = {name.removeprefix("CU_MEM_HANDLE_TYPE_"): n for name, n in ENUMS["CUmemAllocationHandleType"].items()}
POSIX = HANDLE["POSIX_FILE_DESCRIPTOR"]
NO_ACCESS, READ, READ_WRITE = 0, 1, 3


def properties(  # noqa: PLR0913 - the fields of the struct
    *,
    kind: int = 1,
    handle_types: int = POSIX,
    location: tuple[int, int] = (DEVICE, 0),
    compression: int = 0,
    rdma: int = 0,
    usage: int = 0,
) -> tuple[Any, ...]:
    """Return a CUmemAllocationProp: pinned, exportable memory of device 0 where nothing else is said."""
    return (kind, handle_types, location, 0, (compression, rdma, usage))


def create(a: Process, size: int = G, **changed: Any) -> int:  # noqa: ANN401 - fields of the properties
    """Return the handle of new memory of the process."""
    return int(a.c.cuMemCreate(size, properties(**changed), 0)[1])


def reserve(a: Process, size: int = 2 * G) -> int:
    """Return the start of a new reservation of the process."""
    return int(a.c.cuMemAddressReserve(size, 0, 0, 0)[1])


def permit(a: Process, ptr: int, flags: int = READ_WRITE, device: int = 0, size: int = G) -> None:
    """Give a device access to mappings."""
    a.c.cuMemSetAccess(ptr, size, (((DEVICE, device), flags),), 1)


def mapped(a: Process, flags: int = READ_WRITE, **changed: Any) -> tuple[int, int]:  # noqa: ANN401 - as in create
    """Return start and handle of a mapping of ``G`` bytes, at the start of a reservation twice as large.

    Args:
        a: The process.
        flags: The access of device 0.
        changed: Fields of the properties.
    """
    ptr, handle = reserve(a), create(a, **changed)
    a.c.cuMemMap(ptr, G, 0, handle, 0)
    if flags != NO_ACCESS:
        permit(a, ptr, flags)
    return ptr, handle


def alloc(a: Process, size: int = 4096) -> int:
    """Return the address of new linear memory of the process's current context."""
    return int(a.c.cuMemAlloc(size)[1])


def freed(a: Process, size: int = 4096) -> int:
    """Return the address of linear memory that was freed."""
    ptr = alloc(a, size)
    a.c.cuMemFree(ptr)
    return ptr


def content(a: Process, ptr: int, size: int = 4) -> bytes:
    """Return bytes of device memory."""
    room = bytearray(size)
    a.c.cuMemcpyDtoH(room, ptr, size)
    return bytes(room)


def shared(a: Process, ptr: int) -> bytes:
    """Return the IPC handle of an allocation of the process."""
    return bytes(a.c.cuIpcGetMemHandle(ptr)[1])


def imported(importer: Process, exporter: Process, size: int = 4096) -> tuple[int, int]:
    """Return the importer's and the exporter's address of memory that one shares with the other."""
    ptr = alloc(exporter, size)
    return int(importer.c.cuIpcOpenMemHandle(shared(exporter, ptr), 1)[1]), ptr
