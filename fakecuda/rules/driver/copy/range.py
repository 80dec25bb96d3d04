"""Rules of copies and memsets: they use memory of the process that the current context can access."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.machine import HOST
from fakecuda.model.memory.memory import Allocation, Import, Registered, is_foreign
from fakecuda.model.memory.multicast import Multicast
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.space import SPACE, WRITE
from fakecuda.model.memory.va import Mapping
from fakecuda.model.work import stream_scheduler
from fakecuda.rules.core import Rule, Source, guard, manual, observed, undefined
from fakecuda.rules.driver.pool.handle import not_freed
from fakecuda.rules.driver.pool.kind import uses_pools_of_the_host
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.memory.backing import Extent
    from fakecuda.model.work.stream import Memory

POINTERS_ARE_GIVEN = Rule(
    "neither the source nor the destination address is null",
    Result.INVALID_VALUE,
    manual("cuMemcpy", "dst and src are base pointers of the destination and source, respectively"),
    fix="pass an address for both the source and the destination",
)
ADDRESS_IS_KNOWN = Rule(
    "each address lies in memory that CUDA allocated, mapped or imported, or in host memory that the process can "
    "access",
    Result.INVALID_VALUE,
    undefined(
        "cuMemcpy",
        "the manual says nothing about other addresses; driver 580 treats them as host addresses (segmentation "
        "fault), or writes to freed memory that is still mapped",
    ),
    fix="pass an address inside allocated or mapped memory, and free the memory after its last use",
)
MEMORY_IS_WRITABLE = Rule(
    "the call writes no memory that was registered with CU_MEMHOSTREGISTER_READ_ONLY",
    Result.INVALID_VALUE,
    manual(
        "cuMemHostRegister", "The pointer is treated as pointing to memory that is considered read-only by the device"
    ),
    fix="register the memory without CU_MEMHOSTREGISTER_READ_ONLY",
)
RANGE_IS_ALLOCATED = Rule(
    "each range of device addresses lies in one allocation or in adjoining mappings of cuMemMap",
    Result.INVALID_VALUE,
    manual("cuMemcpyDtoD", "dstDevice and srcDevice are the base pointers of the destination and source"),
    fix="use memory before it is freed, and do not pass the end of its allocation",
)
ACCESS_IS_GRANTED = Rule(
    "cuMemSetAccess gave the current device read access to mappings that the call reads, write access to those it "
    "writes",
    Result.INVALID_VALUE,
    manual(
        "cuMemMap",
        "does not make the address accessible, the caller needs to update accessibility … by calling cuMemSetAccess",
    ),
    fix="call cuMemSetAccess for the current device before you use the mapping, with READWRITE for writes",
)
HOST_POOLS_ARE_SUPPORTED = Rule(
    "the current device supports host memory pools if the call uses memory of a host pool",
    Result.INVALID_VALUE,
    Source(
        "source",
        "cuMemPoolCreate",
        "a device without host memory pools creates such a pool and allocates from it, and fails the first copy of "
        "its memory (NVIDIA/cuda-python#2486)",
    ),
    fix="use cuMemHostAlloc if CU_DEVICE_ATTRIBUTE_HOST_MEMORY_POOLS_SUPPORTED (for NUMA nodes, HOST_NUMA_…) is 0",
)
MEMORY_IS_A_DEVICE_S = Rule(
    "no device address among the arguments lies in memory of a pool whose location is the host",
    Result.INVALID_VALUE,
    observed(
        "cuMemcpyDtoD",
        "a call that takes device addresses answers INVALID_VALUE to memory of a host pool, even if the device has "
        "access; cuMemcpy accepts this memory",
    ),
    fix="use cuMemcpy or cuMemcpyAsync, which detect the memory type; memory of a host pool is host memory",
)
POOL_GRANTS_ACCESS = Rule(
    "each pool whose memory the call uses grants the current device access, or, if the call copies, grants the host "
    "access",
    Result.INVALID_VALUE,
    manual("cuMemPoolSetAccess", "Controls visibility of pools between devices"),
    fix="call cuMemPoolSetAccess for the current device before you use the memory",
)
MAPPINGS_SHARE_A_DEVICE = Rule(
    "adjoining mappings in one range have memory of the same device",
    Result.LAUNCH_FAILED,
    undefined(
        "cuMemcpyDtoH",
        "the manual says nothing about this; in driver 580 the copy fails with LAUNCH_FAILED, and the context is lost",
    ),
    fix="copy the part on each device in a separate call",
)

MULTICAST_IS_LEFT_ALONE = Rule(
    "the call does not use addresses that a multicast object is mapped to",
    Result.SUCCESS,
    undefined(
        "cuMulticastCreate",
        "the manual says nothing about copies and memsets on the mapping; in fakecuda they write the memory of "
        "every device, and read the memory of the first device",
    ),
    fix="copy to a mapping of each device's own memory, not to a mapping of the multicast object",
)

Piece = tuple["Extent", int, int]
"""Memory, an offset in it, and a size in bytes."""


@guard
def pieces(
    call: Call, context: Context, start: int, size: int, access: int, known: Memory | None = None
) -> list[Piece]:
    """Return the memory behind a device range, in order.

    Args:
        call: The call.
        context: The current context.
        start: The range's first address.
        size: Bytes.
        access: ``READ`` or ``WRITE``.
        known: What lies at the first address, if that was looked up.
    """
    end = start + size
    linear = known or call.process.memory.at(start)
    if type(linear) is Allocation and end <= linear.end:
        block = linear.block
        return [(block.extent, start - block.start, size)]
    found: list[Piece] = []
    while True:
        item = memory_at(call, context, start, end - start, access)
        if isinstance(item, Mapping) and isinstance(item.handle.physical, Multicast):
            call.undefined(MULTICAST_IS_LEFT_ALONE, mapping=item)
        if end <= item.end:
            found.append((item.extent, start - item.origin, end - start))
            if len(found) > 1:
                _one_device(call, context, found)
            return found
        if not isinstance(item, Mapping):
            raise RANGE_IS_ALLOCATED.broken(pointer=start, size=end - start, found=item)
        found.append((item.extent, start - item.origin, item.end - start))
        start = item.end


@guard
def memory_at(call: Call, context: Context, start: int, size: int, access: int) -> Memory:
    """Return the memory object at the start of a device range.

    Args:
        call: The call.
        context: The context that uses it.
        start: The range's first address.
        size: Bytes.
        access: ``READ`` or ``WRITE``.

    Raises:
        FakeCudaError: The caller has unmapped memory that is still registered.
    """
    item = call.process.memory.at(start)
    if item is None:
        not_freed(call, start)
        raise RANGE_IS_ALLOCATED.broken(pointer=start, size=size, found=call.process.freed.get(start))
    if isinstance(item, Mapping) and item.access.get(context.device.ordinal, 0) & access != access:
        raise ACCESS_IS_GRANTED.broken(
            mapping=item, device=context.device.ordinal, access="to write" if access == WRITE else "to read"
        )
    if isinstance(item, Pooled):
        pool = item.pool
        if pool.on_host and not uses_pools_of_the_host(call, context.device, pool.kind):
            raise HOST_POOLS_ARE_SUPPORTED.broken(memory=item, device=context.device)
        if not pool.flags(HOST):
            pool_grants(context, item, access)
    if isinstance(item, Registered):
        registered_still(item, start, min(size, item.end - start))
    return item


def registered_still(item: Registered, start: int, size: int) -> None:
    """Check that the caller has not unmapped a part of registered memory.

    Raises:
        FakeCudaError: It has.
    """
    if not item.context.process.system.access_of(start, size):
        msg = (
            f"the host memory of {item} was unmapped while it was registered: call cuMemHostUnregister before you "
            "unmap it"
        )
        raise FakeCudaError(msg)


@guard
def pool_grants(context: Context, memory: Pooled, access: int) -> None:
    """Check that a pool grants the device of a context access to its memory.

    Args:
        context: The context.
        memory: The memory.
        access: ``READ`` or ``WRITE``.
    """
    if memory.pool.flags(context.device.ordinal) & access != access:
        raise POOL_GRANTS_ACCESS.broken(memory=memory, device=context.device)


@guard
def written(call: Call, context: Context, start: int, size: int, known: Memory | None = None) -> list[Piece]:
    """Return the memory behind a device range to write; see :func:`pieces`."""
    item = known or call.process.memory.at(start)
    if isinstance(item, Registered) and item.read_only:
        raise MEMORY_IS_WRITABLE.broken(memory=item)
    return pieces(call, context, start, size, WRITE, item)


@guard
def of_a_device(call: Call, *starts: int) -> None:
    """Check that ranges that a copy takes for device memory are not in a host pool.

    Args:
        call: The call.
        starts: Where the ranges begin, one of them in host memory.
    """
    for start in starts:
        item = call.process.memory.at(start)
        if isinstance(item, Pooled) and item.pool.on_host:
            raise MEMORY_IS_A_DEVICE_S.broken(memory=item)


@guard
def wherever(call: Call, context: Context, start: int, size: int, access: int) -> list[Piece]:
    """Return the memory behind a range of device or host addresses.

    Args:
        call: The call.
        context: The context that copies.
        start: The range's first address.
        size: Bytes.
        access: ``READ`` or ``WRITE``.
    """
    item = call.process.memory.at(start)
    if item is not None and access == WRITE:
        return written(call, context, start, size, item)
    if item is not None:
        return pieces(call, context, start, size, access, item)
    return hosted(call, start, size, access)


@guard
def hosted(call: Call, start: int, size: int, access: int) -> list[Piece]:
    """Return the memory behind a host range that does not start in device memory.

    Args:
        call: The call.
        start: The range's first address.
        size: Bytes.
        access: ``READ`` or ``WRITE``.
    """
    process = call.process
    not_freed(call, start)
    if not process.system.reaches(start, size, access):
        found = process.freed.get(start)
        call.undefined(ADDRESS_IS_KNOWN, pointer=start, size=size, found=found)
        raise ADDRESS_IS_KNOWN.broken(pointer=start, size=size, found=found)
    return process.system.pieces(start, size)


@guard
def _one_device(call: Call, context: Context, found: list[Piece]) -> None:
    """Check that all pieces of a range lie on one device; otherwise, lose the context."""
    if len({id(extent.memory) for extent, _, _ in found}) > 1:
        call.undefined(MAPPINGS_SHARE_A_DEVICE, pieces=len(found), context=context)
        stream_scheduler.lose(context, MAPPINGS_SHARE_A_DEVICE.code)
        raise MAPPINGS_SHARE_A_DEVICE.broken(context=context)


def accessible(item: Memory, context: Context) -> bool:
    """Return whether kernels of a context can access the memory.

    That is linear memory of its device, all that lies in an enabled peer, what it has itself opened by an IPC handle,
    mappings and pools that grant its device access, and all managed, pinned and registered memory. A context of CUDA 3.1
    has its own alone, and host memory only by its addresses for devices.
    """
    if is_foreign(item, context):
        return False
    if isinstance(item, Allocation):
        return item.context.device is context.device or item.context in context.peers
    if isinstance(item, Pooled):
        return bool(item.pool.flags(context.device.ordinal))
    if isinstance(item, Mapping):
        return bool(item.access.get(context.device.ordinal))
    return not isinstance(item, Import) or item.context is context or item.context in context.peers


def is_device(address: int) -> bool:
    """Return whether a host pointer is among unified addressing's device addresses."""
    return SPACE.start <= address < SPACE.end
