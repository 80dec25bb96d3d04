"""Common functions of the programs: checks, logs, contexts, memory properties."""

from __future__ import annotations

import logging
from typing import Any

from cuda.bindings import driver

LOG = logging.getLogger(__name__)
LAZY = driver.CUipcMem_flags.CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS
DESCRIPTOR = driver.CUmemAllocationHandleType.CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR
MIB = 1 << 20


def checked(answer: tuple[Any, ...]) -> Any:
    """Return the results of a call; raise an exception if it was refused."""
    code, *results = answer
    if int(code):
        raise RuntimeError(code.name)
    return results[0] if len(results) == 1 else tuple(results)


def logged(answer: tuple[Any, ...]) -> bool:
    """Log a refused call and continue, as teardown code does."""
    if int(answer[0]):
        LOG.warning("%s, ignored", answer[0])
    return not int(answer[0])


def context(api: Any, device: int = 0) -> Any:
    """Return a new context, current to the thread."""
    checked(api.cuInit(0))
    return checked(api.cuCtxCreate(None, 0, device))


def properties(device: int = 0, *, shared: bool = False) -> driver.CUmemAllocationProp:
    """Return properties for cuMemCreate, exportable if the memory is shared."""
    prop = driver.CUmemAllocationProp()
    prop.type = driver.CUmemAllocationType.CU_MEM_ALLOCATION_TYPE_PINNED
    prop.location.type = driver.CUmemLocationType.CU_MEM_LOCATION_TYPE_DEVICE
    prop.location.id = device
    if shared:
        prop.requestedHandleTypes = DESCRIPTOR
    return prop


def granularity(api: Any, device: int = 0) -> int:
    """Return the granularity of such memory."""
    minimum = driver.CUmemAllocationGranularity_flags.CU_MEM_ALLOC_GRANULARITY_MINIMUM
    return int(checked(api.cuMemGetAllocationGranularity(properties(device), minimum)))


def open_to(api: Any, address: int, size: int, *devices: int) -> None:
    """Give devices read and write access to a range of mappings."""
    wanted = []
    for device in devices:
        access = driver.CUmemAccessDesc()
        access.location = properties(device).location
        access.flags = driver.CUmemAccess_flags.CU_MEM_ACCESS_FLAGS_PROT_READWRITE
        wanted.append(access)
    checked(api.cuMemSetAccess(address, size, wanted, len(wanted)))


def mapped(api: Any, size: int, handle: Any, device: int = 0) -> int:
    """Return a new reservation with a mapped allocation, and access for its device."""
    address = int(checked(api.cuMemAddressReserve(size, 0, 0, 0)))
    checked(api.cuMemMap(address, size, 0, handle, 0))
    open_to(api, address, size, device)
    return address


def unmapped(api: Any, address: int, size: int) -> None:
    """Free the result of :func:`mapped`."""
    checked(api.cuMemUnmap(address, size))
    checked(api.cuMemAddressFree(address, size))
