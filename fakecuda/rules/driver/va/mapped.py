"""Rules about the mappings in a range of addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory.va import Mapping
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.va import Reservation

RANGE_IS_RESERVED = Rule(
    "`size` is not 0 and `ptr` lies in an address range that cuMemAddressReserve returned",
    Result.INVALID_VALUE,
    manual("cuMemUnmap", "The range must be the entire contiguous address range that was mapped to"),
    fix="pass an address in a reservation that has not been freed",
)
MAPPINGS_ARE_WHOLE = Rule(
    "each mapping of cuMemMap that overlaps the `size` bytes at `ptr` lies wholly in those bytes",
    Result.INVALID_VALUE,
    manual("cuMemUnmap", "cannot unmap a sub-range of an address range mapped by cuMemCreate / cuMemMap"),
    fix="pass the address and the size of whole mappings",
)
RANGE_IS_FILLED = Rule(
    "mappings of cuMemMap fill the `size` bytes at `ptr` without a gap",
    Result.INVALID_VALUE,
    manual("cuMemSetAccess", "The range must be a fully mapped address range containing all allocations"),
    fix="pass a range that mappings fill without a gap",
)


@guard
def mappings_of(call: Call, ptr: int, size: int) -> list[Mapping]:
    """Return the mappings in a range, in order, across adjoining reservations."""
    process, end = call.process, ptr + size
    exact = process.memory.at(ptr)
    if isinstance(exact, Mapping) and exact.start == ptr and exact.end == end:
        return [exact]  # as for nearly all ranges
    reservations = process.reservations
    reservation = reservations.at(ptr)
    if reservation is None or not size:
        raise RANGE_IS_RESERVED.broken(pointer=ptr, size=size, found=process.freed.get(ptr))
    mappings = reservation.within(ptr, end)
    following: Reservation | None = reservation
    while following is not None and following.end < end:
        following = reservations.at(following.end)
        if following is not None:
            mappings += following.within(following.start, end)
    if mappings and (mappings[0].start < ptr or mappings[-1].end > end):
        raise MAPPINGS_ARE_WHOLE.broken(pointer=ptr, size=size, mappings=mappings)
    return mappings


@guard
def filled(call: Call, ptr: int, size: int) -> list[Mapping]:
    """Return the mappings in a range that they fill, in order."""
    mappings = mappings_of(call, ptr, size)
    left = size
    for mapping in mappings:
        left -= mapping.end - mapping.start
    if left:
        raise RANGE_IS_FILLED.broken(pointer=ptr, size=size, mappings=mappings)
    return mappings
