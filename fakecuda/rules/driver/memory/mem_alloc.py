"""cuMemAlloc: linear memory on the current device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

SIZE_IS_POSITIVE = Rule(
    "the size is not 0",
    Result.INVALID_VALUE,
    manual("cuMemAlloc", "If bytesize is 0, cuMemAlloc() returns CUDA_ERROR_INVALID_VALUE"),
    fix="skip the allocation if the size is 0",
)
MEMORY_SUFFICES = Rule(
    "the current device has enough free memory",
    Result.OUT_OF_MEMORY,
    manual("cuMemAlloc", "CUDA_ERROR_OUT_OF_MEMORY"),
    fix="free memory first, or allocate less",
)

OURS = history.OURS + 1
"""The number of fakecuda's stack frames in a call, including :func:`allocate`."""


@DRIVER.op("cuMemAlloc")
def mem_alloc(call: Call, bytesize: int) -> int:
    """Allocate device memory; it is freed when the current context ends.

    Args:
        call: The call.
        bytesize: Bytes.

    Returns:
        The address, aligned to 512 bytes, to 2 MiB above 1 MiB.
    """
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if not bytesize:
        raise SIZE_IS_POSITIVE.broken()
    # EFFECT
    return allocate(context, bytesize)


@guard
def allocate(context: Context, size: int) -> int:
    """Allocate ``size`` bytes if the device has enough memory, and return the address."""
    allocation = memory_effects.allocate(context, size, history.here(OURS))
    if allocation is None:
        raise MEMORY_SUFFICES.broken(size=size, free=context.card.memory.total - context.card.memory.used)
    return allocation.start
