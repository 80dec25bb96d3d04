"""cuMemPoolTrimTo: release unused memory of a pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.pool.handle import booked_pool_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemPoolTrimTo")
def mem_pool_trim_to(call: Call, pool: int, min_bytes_to_keep: int) -> None:
    """Release unused blocks of a pool to the device, and keep at least `minBytesToKeep` bytes reserved.

    A block stays as long as something of it is in use, or was freed and the host has not synchronised since.
    """
    # CHECK
    require_initialized(call)
    trimmed = booked_pool_of(call, pool)
    # EFFECT
    trimmed.trim(min_bytes_to_keep)
