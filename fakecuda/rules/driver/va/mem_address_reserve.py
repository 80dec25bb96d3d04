"""cuMemAddressReserve: reserve a range of addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import mapping
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.va.supported import supported
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

LAST_ADDRESS = 1 << 47
"""The end of user addresses on x86-64."""

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    manual("cuMemAddressReserve", "Currently unused, must be zero"),
    fix="pass 0 for the flags of cuMemAddressReserve",
)
SIZE_IS_POSITIVE = Rule(
    "`size` is not 0",
    Result.INVALID_VALUE,
    manual("cuMemAddressReserve", "CUDA_ERROR_INVALID_VALUE"),
    fix="reserve a positive multiple of the granularity (cuMemGetAllocationGranularity)",
)
SIZE_IS_ALIGNED = Rule(
    "`size` is a multiple of the minimum granularity of cuMemGetAllocationGranularity, which is equal for all "
    "properties",
    Result.INVALID_VALUE,
    manual("cuMemAddressReserve", "The size and address parameters must be a multiple of the host page size"),
    fix="round the size up to the granularity (cuMemGetAllocationGranularity)",
)
ALIGNMENT_IS_A_POWER_OF_TWO = Rule(
    "`alignment` is 0 or a power of two",
    Result.INVALID_VALUE,
    manual("cuMemAddressReserve", "the alignment must be a power of two or zero for default alignment"),
    fix="pass 0 or a power of two for the alignment",
)
HINT_IS_ALIGNED = Rule(
    "`addr` is a multiple of `alignment` and of the minimum allocation granularity, which is the same for all "
    "properties",
    Result.INVALID_VALUE,
    manual("cuMemAddressReserve", "The size and address parameters must be a multiple of the host page size"),
    fix="pass 0 for the address, or a multiple of the granularity",
)
ADDRESSES_SUFFICE = Rule(
    "the process has `size` free adjoining addresses and `addr` plus `size` does not exceed 2^47",
    Result.OUT_OF_MEMORY,
    manual("cuMemAddressReserve", "CUDA_ERROR_OUT_OF_MEMORY"),
    fix="call cuMemAddressFree on unused reservations, or reserve less",
)


@DRIVER.op("cuMemAddressReserve")
def mem_address_reserve(call: Call, size: int, alignment: int, addr: int, flags: int) -> int:
    """Reserve addresses.

    Args:
        call: The call.
        size: Bytes, a multiple of the granularity.
        alignment: A power of two in bytes, or 0.
        addr: Where the range should start, or 0; a hint.
        flags: 0.

    Returns:
        The first address.
    """
    # CHECK
    process = supported(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    granularity = call.machine.profile.granularity
    unit = max(alignment, granularity)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if not size:
        raise SIZE_IS_POSITIVE.broken()
    if size % granularity:
        raise SIZE_IS_ALIGNED.broken(size=size, granularity=granularity)
    if alignment & (alignment - 1):
        raise ALIGNMENT_IS_A_POWER_OF_TWO.broken(alignment=alignment)
    if addr % unit:
        raise HINT_IS_ALIGNED.broken(hint=addr, alignment=alignment, granularity=granularity)
    if addr + size > LAST_ADDRESS:
        raise ADDRESSES_SUFFICE.broken(size=size)
    # EFFECT
    reservation = mapping.reserve(process, size, unit, history.here())
    if reservation is None:
        raise ADDRESSES_SUFFICE.broken(size=size)
    return reservation.start
