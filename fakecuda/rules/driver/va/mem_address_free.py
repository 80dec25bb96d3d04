"""cuMemAddressFree: free an address reservation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import mapping
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

RANGE_IS_A_RESERVATION = Rule(
    "`ptr` and `size` are the start and the whole size of a reservation of cuMemAddressReserve",
    Result.INVALID_VALUE,
    manual("cuMemAddressFree", "The size must match what was given to memAddressReserve and the ptr given must match"),
    fix="pass the address and the size of the whole reservation, once",
)
NOTHING_IS_MAPPED = Rule(
    "no mapping of cuMemMap is left in the reservation at `ptr`",
    Result.INVALID_VALUE,
    manual("cuMemAddressFree", "CUDA_ERROR_INVALID_VALUE"),
    fix="call cuMemUnmap on all mappings before cuMemAddressFree",
)


@DRIVER.op("cuMemAddressFree")
def mem_address_free(call: Call, ptr: int, size: int) -> None:
    """Free an address reservation, given by its start address and its size in bytes."""
    # CHECK
    process = supported(call)
    reservation = process.reservations.at(ptr)
    if reservation is None or reservation.start != ptr or reservation.end != ptr + size:
        raise RANGE_IS_A_RESERVATION.broken(pointer=ptr, size=size, found=reservation or process.freed.get(ptr))
    if reservation.mappings:
        raise NOTHING_IS_MAPPED.broken(reservation=reservation)
    # EFFECT
    mapping.unreserve(process, reservation, history.here())
