"""cuMemAllocPitch: allocate linear memory for aligned rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.memory.mem_alloc import allocate
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

PITCH = 512
"""The alignment in bytes that a row's size is rounded up to."""
WRAP = 1 << 64
"""The number of values of a size_t."""
ELEMENT_SIZES = {4, 8, 16}

AREA_IS_POSITIVE = Rule(
    "the width and the height are not 0",
    Result.INVALID_VALUE,
    observed(
        "cuMemAllocPitch",
        "the driver answers INVALID_VALUE to a width or a height of 0, as cuMemAlloc does to a size of 0",
    ),
    fix="skip the allocation if the width or the height is 0",
)
ELEMENT_SIZE_IS_COALESCED = Rule(
    "the element size is 4, 8 or 16 bytes",
    Result.INVALID_VALUE,
    manual("cuMemAllocPitch", "ElementSizeBytes may be 4, 8 or 16"),
    fix="pass 4, 8 or 16 for ElementSizeBytes",
)
SIZE_IS_A_SIZE_T = Rule(
    "the pitch times the height, modulo 2**64, is not 0",
    Result.INVALID_VALUE,
    observed(
        "cuMemAllocPitch",
        "the driver answers INVALID_VALUE to a size of 2**63 times 4, and OUT_OF_MEMORY to 2**62 times 7; it "
        "allocates 2048 bytes for 2**62 + 512 times 4",
    ),
    fix="lower WidthInBytes or Height: the width, rounded up to 512 bytes, times the height must fit 64 bits",
)


@DRIVER.op("cuMemAllocPitch")
def mem_alloc_pitch(call: Call, width: int, height: int, element_size: int) -> tuple[int, int]:
    """Allocate device memory for rows; it is freed by cuMemFree or when the current context ends.

    Args:
        call: The call.
        width: Bytes of a row.
        height: Rows.
        element_size: Bytes of the largest access: 4, 8 or 16; nothing follows from it.

    Returns:
        The address, as cuMemAlloc's, and the pitch: the bytes from one row to the next.
    """
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not width or not height:
        raise AREA_IS_POSITIVE.broken(width=width, height=height)
    if element_size not in ELEMENT_SIZES:
        raise ELEMENT_SIZE_IS_COALESCED.broken(element_size=element_size)
    pitch = -(-width // PITCH) * PITCH % WRAP
    size = pitch * height % WRAP
    if not size:
        raise SIZE_IS_A_SIZE_T.broken(pitch=pitch, height=height)
    # EFFECT
    return allocate(context, size), pitch
