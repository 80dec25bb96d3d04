"""cuMemMap: map the memory of an allocation handle into a reservation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import mapping
from fakecuda.model.memory.multicast import Multicast
from fakecuda.model.memory.va import Handle
from fakecuda.rules.core import Rule, guard, manual, observed, undefined
from fakecuda.rules.driver.va.handle import handle_of
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    manual("cuMemMap", "flags for future use, must be zero now"),
    fix="pass 0 for the flags of cuMemMap",
)
POINTER_IS_GIVEN = Rule(
    "`ptr` is not null",
    Result.INVALID_VALUE,
    manual("cuMemMap", "Address where memory will be mapped"),
    fix="pass the address that cuMemAddressReserve returned, or a later address in the reservation",
)
SIZE_IS_POSITIVE = Rule(
    "`size` is not 0",
    Result.INVALID_VALUE,
    manual("cuMemMap", "Size of the memory mapping"),
    fix="map the whole allocation of cuMemCreate",
)
SIZE_IS_THAT_OF_A_RELEASED_HANDLE = Rule(
    "if `handle` has been released, `size` is the size of its memory and `offset` is 0",
    Result.NOT_SUPPORTED,
    undefined(
        "cuMemMap",
        "the manual says nothing about released handles; driver 580 reads freed memory, and crashes if "
        "`size` is the size of the memory",
    ),
    fix="call cuMemRelease after the last cuMemMap of the handle",
)
TILES_ARE_ARRAYS = Rule(
    "the memory of `handle` was created without CU_MEM_CREATE_USAGE_TILE_POOL",
    Result.INVALID_VALUE,
    observed(
        "cuMemMap",
        "the driver answers INVALID_VALUE to memory created with CU_MEM_CREATE_USAGE_TILE_POOL, "
        "whatever the size and the offset are",
    ),
    fix="create memory for cuMemMap without CU_MEM_CREATE_USAGE_TILE_POOL",
)
SYSTEM_IS_LEGAL = Rule(
    "if `handle` is a multicast object, the system's configuration is valid and the driver daemons it needs "
    "run properly",
    Result.ILLEGAL_STATE,
    manual(
        "cuMemMap",
        "When handle represents a multicast object, this call may return CUDA_ERROR_ILLEGAL_STATE if the system "
        "configuration is in an illegal state",
    ),
    fix="let the administrator repair the fabric (Fabric Manager) before you map a multicast object, or copy to each "
    "device",
)
ALLOCATION_IS_MAPPED_WHOLE = Rule(
    "`offset` is 0 and `size` is the whole size of the memory of `handle`",
    Result.NOT_SUPPORTED,
    observed("cuMemMap", "the driver answers NOT_SUPPORTED to any other offset or size, before it checks the range"),
    fix="map the whole allocation of cuMemCreate, from offset 0",
)
POINTER_IS_ALIGNED = Rule(
    "`ptr` is a multiple of the minimum granularity of the allocation or multicast object `handle`",
    Result.INVALID_VALUE,
    manual(
        "cuMemMap", "Both ptr, size, and offset must be a multiple of the value given via cuMemGetAllocationGranularity"
    ),
    fix="map at a multiple of the granularity (cuMemGetAllocationGranularity)",
)
RANGE_IS_RESERVED = Rule(
    "`ptr` lies in an address range that cuMemAddressReserve returned",
    Result.INVALID_VALUE,
    manual("cuMemMap", "This range must be an address reservation previously reserved with cuMemAddressReserve"),
    fix="call cuMemAddressReserve first, and map inside what it returned",
)
RANGE_ENDS_IN_THE_RESERVATION = Rule(
    "`ptr` plus `size` does not pass the end of the reservation that `ptr` lies in",
    Result.INVALID_VALUE,
    undefined("cuMemMap", "the manual says nothing about this; driver 580 also maps addresses that are not reserved"),
    fix="reserve as many bytes as you map, or map at most the size of the reservation",
)
RANGE_IS_NOT_MAPPED = Rule(
    "no part of the `size` bytes at `ptr` is already mapped",
    Result.INVALID_VALUE,
    manual("cuMemMap", "can only create mappings on VA range reservations that are not currently mapped"),
    fix="call cuMemUnmap on the mapping in the range, or map elsewhere in the reservation",
)


@DRIVER.op("cuMemMap")
def mem_map(call: Call, ptr: int, size: int, offset: int, value: int, flags: int) -> None:
    """Map an allocation into a reservation, without access.

    Args:
        call: The call.
        ptr: The first address, a multiple of the granularity.
        size: Bytes, those of the allocation.
        offset: 0.
        value: The allocation handle.
        flags: 0.
    """
    # CHECK
    process = supported(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if not ptr:
        raise POINTER_IS_GIVEN.broken()
    if not size:
        raise SIZE_IS_POSITIVE.broken()
    if value not in process.handles:
        _released(call, value, size, offset)
    handle = mappable(call, value)
    if offset or size != handle.physical.size:
        raise ALLOCATION_IS_MAPPED_WHOLE.broken(offset=offset, size=size, handle=handle)
    profile = call.machine.profile
    own = isinstance(handle.physical, Multicast)
    granularity = profile.multicast.granularity if own else profile.granularity
    if ptr % granularity:
        raise POINTER_IS_ALIGNED.broken(pointer=ptr, granularity=granularity)
    reservation = process.reservations.at(ptr)
    if reservation is None:
        raise RANGE_IS_RESERVED.broken(pointer=ptr, size=size, found=process.freed.get(ptr))
    if ptr + size > reservation.end:
        call.undefined(RANGE_ENDS_IN_THE_RESERVATION, pointer=ptr, size=size, reservation=reservation)
        raise RANGE_ENDS_IN_THE_RESERVATION.broken(pointer=ptr, size=size, reservation=reservation)
    if reservation.within(ptr, ptr + size):
        raise RANGE_IS_NOT_MAPPED.broken(mapping=reservation.within(ptr, ptr + size)[0])
    # EFFECT
    mapping.enter(process, reservation, ptr, size, handle, history.here())


@guard
def _released(call: Call, value: int, size: int, offset: int) -> None:
    """Check that an unknown handle is not a released one with another size."""
    found = call.process.freed.get(value)
    if isinstance(found, Handle) and (offset or size != found.physical.size):
        call.undefined(SIZE_IS_THAT_OF_A_RELEASED_HANDLE, value=value, found=found, size=size, offset=offset)
        raise SIZE_IS_THAT_OF_A_RELEASED_HANDLE.broken(value=value, found=found, size=size, offset=offset)


@guard
def mappable(call: Call, value: int) -> Handle:
    """Return a handle that can be mapped; wait for a multicast object's devices."""
    handle = handle_of(call, value)
    if not isinstance(handle.physical, Multicast):
        if handle.physical.tiles:
            raise TILES_ARE_ARRAYS.broken(handle=handle)
        return handle
    if call.machine.profile.multicast.state == "illegal":
        raise SYSTEM_IS_LEGAL.broken(object=handle.physical)
    handle.physical.wait(call.machine)
    return handle
