"""cuMemAllocHost: allocate page-locked host memory, without flags."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.driver.memory.page_locked import page_locked
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemAllocHost")
def mem_alloc_host(call: Call, bytesize: int) -> int:
    """Allocate page-locked memory for all contexts; it is freed when the current context ends.

    Args:
        call: The call.
        bytesize: Bytes; for 0 the call succeeds and returns null.

    Returns:
        The address, the same for host and devices, aligned to 512 bytes, to 2 MiB above 1 MiB.
    """
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    return page_locked(context, bytesize, 0)
