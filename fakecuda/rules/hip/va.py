"""Virtual memory management: as in the driver, with HIP's checks.

clr-2024 let much pass: what is mapped where nothing was reserved, or over another mapping, is in no table then, and the
call succeeds all the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import mapping
from fakecuda.model.memory.va import Mapping
from fakecuda.rules.core import Rule, guard, hip_tests, source, undefined
from fakecuda.rules.driver.stream import order, race
from fakecuda.rules.hip.active import DEVICE, active, answering, device_of, does, entered, refuse
from fakecuda.rules.hip.handle import HANDLE_IS_GIVEN, HOSTS, handle_of, mapping_at, node_there
from fakecuda.rules.registry import HIP
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.os.process import Process

LAST_ADDRESS = 1 << 47
NONE, READ, READ_WRITE = 0, 1, 3
ENDS_THE_MAPPING = "hipMemUnmap.ends-the-mapping"
FOLLOWS_NOTHING = "hipMemAddressFree.follows-nothing"
SEES_DEVICES_ALONE = "hipMemSetAccess.sees-devices-alone"

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    source("hipMemAddressReserve", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass 0 for the flags of hipMemAddressReserve",
)
SIZE_IS_ALIGNED = Rule(
    "`size` is a positive multiple of the minimum allocation granularity, and `alignment` is 0 or a power of two",
    Result.INVALID_VALUE,
    source(
        "hipMemAddressReserve",
        "clr of 2026 answers hipErrorInvalidValue; earlier releases answer hipErrorMemoryAllocation",
    ),
    fix="round the size up to the granularity (hipMemGetAllocationGranularity), and align to a power of two",
)
ADDRESSES_SUFFICE = Rule(
    "the process has enough free addresses",
    Result.OUT_OF_MEMORY,
    source("hipMemAddressReserve", "clr answers hipErrorOutOfMemory when its backend returns nothing"),
    fix="call hipMemAddressFree on unused reservations, or reserve less",
)
RANGE_IS_GIVEN = Rule(
    "the address is not null and the size is not 0",
    Result.INVALID_VALUE,
    hip_tests(
        "hipMemAddressFree",
        "HIP answers hipErrorInvalidValue to a null address and to a size of 0, also in hipMemMap, hipMemUnmap, "
        "hipMemSetAccess, hipMemAdvise and prefetches",
    ),
    fix="pass the range's address and its size; neither may be 0",
)
RANGE_IS_A_RESERVATION = Rule(
    "`devPtr` lies in a reservation of hipMemAddressReserve",
    Result.INVALID_VALUE,
    source("hipMemAddressFree", "clr of 2026 answers hipErrorInvalidValue if this rule is broken"),
    fix="pass the address that hipMemAddressReserve returned, once",
)
RESERVATION_IS_FOLLOWED = Rule(
    "`devPtr` lies in a reservation of hipMemAddressReserve",
    Result.INVALID_VALUE,
    undefined(
        "hipMemAddressFree",
        "the manual says nothing about any other value; clr of 2024 reads from a null pointer (segmentation fault)",
    ),
    fix="call hipMemAddressFree once for each hipMemAddressReserve",
)
NOTHING_IS_MAPPED = Rule(
    "the reservation that `devPtr` lies in has no mappings",
    Result.UNKNOWN,
    source("hipMemAddressFree", "clr answers hipErrorUnknown if this rule is broken"),
    fix="call hipMemUnmap on all mappings before hipMemAddressFree",
)
OFFSET_IS_ZERO = Rule(
    "`offset` and `flags` are 0",
    Result.INVALID_VALUE,
    source("hipMemMap", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="map from offset 0, and pass 0 for the flags of hipMemMap",
)
PIECE_IS_ALIGNED = Rule(
    "`size` is a multiple of the minimum granularity of hipMemGetAllocationGranularity",
    Result.INVALID_VALUE,
    source("hipMemMap", "clr of 2026 answers hipErrorInvalidValue if this rule is broken"),
    fix="map a multiple of the granularity (hipMemGetAllocationGranularity)",
)
PIECE_IS_ALLOCATED = Rule(
    "`size` is not greater than the size of the memory of `handle`",
    Result.INVALID_VALUE,
    undefined("hipMemMap", "the manual says nothing about a size above the size of the allocation"),
    fix="map at most the bytes that hipMemCreate allocated",
)
RANGE_IS_FREE = Rule(
    "the range lies in one reservation of hipMemAddressReserve and has no mappings yet",
    Result.INVALID_VALUE,
    source("hipMemMap", "clr of 2026 refuses it; earlier releases do not check it"),
    fix="map inside one reservation, and first call hipMemUnmap on the existing mappings in the range",
)
MAPPING_IS_FOLLOWED = Rule(
    "`ptr` lies in a mapping of hipMemMap",
    Result.INVALID_VALUE,
    undefined(
        "hipMemUnmap",
        "the manual says nothing about addresses without a mapping; clr of 2024 reads from a null pointer "
        "(segmentation fault)",
    ),
    fix="call hipMemUnmap once for each hipMemMap, with its address",
)
MAPPINGS_ARE_WHOLE = Rule(
    "the range consists of whole mappings, without gaps",
    Result.INVALID_VALUE,
    hip_tests(
        "hipMemUnmap",
        "HIP answers hipErrorInvalidValue to a part of a mapping, to a second unmap and to addresses "
        "that were never mapped",
    ),
    fix="pass the address and the size of whole mappings, before hipMemUnmap",
)
DESCRIPTIONS_ARE_GIVEN = Rule(
    "`desc` is not null and `count` is not 0",
    Result.INVALID_VALUE,
    hip_tests("hipMemSetAccess", "HIP answers hipErrorInvalidValue to null and a count of 0"),
    fix="pass at least one hipMemAccessDesc, and the number of descriptors for count",
)
LOCATION_IS_KNOWN = Rule(
    "each location in `desc` is a device that the process sees, or the host; HIP 6.3 takes each location for a device",
    Result.INVALID_VALUE,
    hip_tests(
        "hipMemSetAccess",
        "HIP answers hipErrorInvalidValue to an unknown location type, to the device -1 and to the number of devices",
    ),
    fix="pass a device number below what hipGetDeviceCount returns, or the host",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` of each entry of `desc` is ProtNone, ProtRead or ProtReadWrite",
    Result.INVALID_VALUE,
    hip_tests("hipMemSetAccess", "HIP answers hipErrorInvalidValue to -1"),
    fix="set flags to hipMemAccessFlagsProtReadWrite, hipMemAccessFlagsProtRead or hipMemAccessFlagsProtNone",
)


@HIP.op("hipMemAddressReserve")
def address_reserve(call: Call, size: int, alignment: int, addr: int, flags: int) -> int:
    """Reserve addresses; ``addr`` is only a hint.

    Args:
        call: The call.
        size: Bytes, a multiple of the granularity.
        alignment: A power of two in bytes, or 0.
        addr: Where the range should start, or 0.
        flags: 0.
    """
    # CHECK
    process = answering(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    profile = call.machine.profile
    if not size or size % profile.granularity or alignment & (alignment - 1):
        refuse(call, SIZE_IS_ALIGNED, size=size, alignment=alignment, granularity=profile.granularity)
    if size >= LAST_ADDRESS:
        raise ADDRESSES_SUFFICE.broken(size=size, hint=addr)
    # EFFECT
    reservation = mapping.reserve(process, size, max(alignment, profile.recommended), history.here())
    if reservation is None:
        raise ADDRESSES_SUFFICE.broken(size=size, hint=addr)
    return reservation.start


@guard
def range_given(ptr: int, size: int) -> None:
    """Check that a range is not null and not empty."""
    if not ptr or not size:
        raise RANGE_IS_GIVEN.broken(pointer=ptr, size=size)


@HIP.op("hipMemAddressFree")
def address_free(call: Call, ptr: int, size: int) -> None:
    """Free the whole address reservation that an address lies in."""
    # CHECK
    process = entered(call)
    range_given(ptr, size)
    reservation = process.reservations.at(ptr)
    if reservation is None:
        if does(call, FOLLOWS_NOTHING):
            call.undefined(RESERVATION_IS_FOLLOWED, pointer=ptr, found=process.freed.get(ptr))
            raise RESERVATION_IS_FOLLOWED.broken(pointer=ptr, found=process.freed.get(ptr))
        raise RANGE_IS_A_RESERVATION.broken(pointer=ptr, found=process.freed.get(ptr))
    if reservation.mappings:
        raise NOTHING_IS_MAPPED.broken(reservation=reservation)
    # EFFECT
    mapping.unreserve(process, reservation, history.here())


@HIP.op("hipMemMap")
def memory_map(call: Call, ptr: int, size: int, offset: int, value: int, flags: int) -> None:
    """Map an allocation, or its first part, into a reservation, without access.

    Args:
        call: The call.
        ptr: The first address.
        size: Bytes, a multiple of the granularity.
        offset: 0.
        value: The allocation handle.
        flags: 0.
    """
    # CHECK
    process = entered(call)
    range_given(ptr, size)
    if not value:
        raise HANDLE_IS_GIVEN.broken()
    if offset or flags:
        raise OFFSET_IS_ZERO.broken(offset=offset, flags=flags)
    handle = handle_of(call, value)
    if size % call.machine.profile.granularity:
        refuse(call, PIECE_IS_ALIGNED, size=size, granularity=call.machine.profile.granularity)
    if size > handle.physical.size:
        call.undefined(PIECE_IS_ALLOCATED, size=size, handle=handle)
        raise PIECE_IS_ALLOCATED.broken(size=size, handle=handle)
    reservation = process.reservations.at(ptr)
    if reservation is None or ptr + size > reservation.end or reservation.within(ptr, ptr + size):
        return refuse(call, RANGE_IS_FREE, pointer=ptr, size=size, found=reservation or process.freed.get(ptr))
    # EFFECT
    mapping.enter(process, reservation, ptr, size, handle, history.here())
    return None


@guard
def mappings_in(process: Process, ptr: int, size: int) -> list[Mapping]:
    """Return the whole mappings that make up a range."""
    item = process.memory.at(ptr)
    if isinstance(item, Mapping) and item.start == ptr and item.end == ptr + size:  # nearly always
        return [item]
    reservation, end = process.reservations.at(ptr), ptr + size
    mappings = reservation.within(ptr, end) if reservation else []
    while reservation and reservation.end < end:
        reservation = process.reservations.at(reservation.end)
        mappings += reservation.within(reservation.start, end) if reservation else []
    if not mappings or sum(one.size for one in mappings) != size or mappings[0].start != ptr:
        raise MAPPINGS_ARE_WHOLE.broken(pointer=ptr, size=size, found=process.freed.get(ptr))
    return mappings


@guard
def mappings_over(process: Process, ptr: int, size: int) -> list[Mapping]:
    """Return the adjoining mappings from an address on that cover a size."""
    found: list[Mapping] = []
    start = ptr
    while start < ptr + size:
        item = process.memory.at(start)
        if not isinstance(item, Mapping) or item.start != start:
            raise MAPPINGS_ARE_WHOLE.broken(pointer=start, size=size, found=item or process.freed.get(start))
        found, start = [*found, item], item.end
    return found


@HIP.op("hipMemUnmap")
def memory_unmap(call: Call, ptr: int, size: int) -> None:
    """Unmap whole mappings after the work of their streams is done. In HIP 6.3 a part names its whole mapping."""
    # CHECK
    process = entered(call)
    range_given(ptr, size)
    if does(call, ENDS_THE_MAPPING):
        item = process.memory.at(ptr)
        if item is None:
            call.undefined(MAPPING_IS_FOLLOWED, pointer=ptr, found=process.freed.get(ptr))
            raise MAPPING_IS_FOLLOWED.broken(pointer=ptr, found=process.freed.get(ptr))
        size = item.size if isinstance(item, Mapping) and item.start == ptr and size < item.size else size
    mappings = mappings_in(process, ptr, size)
    # EFFECT
    if call.machine.scheduler.pending:
        drain(call)
        mappings = mappings_in(process, ptr, size)  # other threads' calls went on meanwhile
    race.seen_in(call, *process.contexts.values(), by=orders.ENDED)
    mapping.leave(process, mappings, history.here())


@guard
def drain(call: Call) -> None:
    """Wait for the work of all streams of the process."""
    for context in list(call.process.contexts.values()):
        order.waited(context, by=orders.ENDED)


@HIP.op(
    "hipMemSetAccess",
    acts_before=(LOCATION_IS_KNOWN, FLAGS_ARE_KNOWN),
    several="one description takes effect after the other, as in the library",
)
def set_access(
    call: Call, ptr: int, size: int, desc: tuple[tuple[tuple[int, int], int], ...] | None, count: int
) -> None:
    """Set which devices may access whole mappings. Descriptors before a wrong descriptor stay in effect.

    Args:
        call: The call.
        ptr: The first address.
        size: Bytes.
        desc: For each location ((type, id), flags).
        count: Their number.
    """
    # CHECK
    process = entered(call)
    range_given(ptr, size)
    if desc is None or not count:
        raise DESCRIPTIONS_ARE_GIVEN.broken(count=count)
    alone = does(call, SEES_DEVICES_ALONE)
    mappings = mappings_over(process, ptr, size) if alone else mappings_in(process, ptr, size)
    # EFFECT
    for location, flags in desc[:count]:
        kind, number = (DEVICE, location[1]) if alone else location
        if kind not in HOSTS and not (kind == DEVICE and 0 <= number < len(process.devices)):
            raise LOCATION_IS_KNOWN.broken(location=location)
        node_there(call, (kind, number))
        if flags not in {NONE, READ, READ_WRITE}:
            raise FLAGS_ARE_KNOWN.broken(flags=flags)
        for one in mappings:
            if kind == DEVICE:
                one.grant(process.devices[number].ordinal, flags)
            elif one.host_access is not None:
                one.grant_host(flags)


@HIP.op("hipMemGetAccess")
def get_access(call: Call, location: tuple[int, int] | None, ptr: int) -> int:
    """Return the access flags of a device for the mapping that holds ``ptr``."""
    # CHECK
    answering(call)
    device = device_of(call, location)
    found = mapping_at(call, ptr)
    # EFFECT
    return found.access.get(device.ordinal, NONE)


@HIP.op("hipMemMapArrayAsync")
def map_array_async(call: Call, infos: object, count: int, _stream: int) -> None:
    """Refuse the call, which is not supported."""
    active(call)
    if not infos or not count:
        raise INFOS_ARE_GIVEN.broken(count=count)
    raise ARRAYS_ARE_IMPLEMENTED.broken()


INFOS_ARE_GIVEN = Rule(
    "`mapInfoList` is not null and `count` is not 0",
    Result.INVALID_VALUE,
    source("hipMemMapArrayAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass at least one hipArrayMapInfo, and their number for count",
)
ARRAYS_ARE_IMPLEMENTED = Rule(
    "HIP supports sparse arrays (HIP does not, so the call always fails)",
    Result.NOT_SUPPORTED,
    source("hipMemMapArrayAsync", "clr answers hipErrorNotSupported to every call"),
    fix="map linear memory with hipMemMap instead; HIP does not implement sparse arrays",
)
