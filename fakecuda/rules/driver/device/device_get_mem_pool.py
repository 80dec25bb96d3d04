"""cuDeviceGetMemPool: the current memory pool of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.pool import current_pool, owner, pooling
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDeviceGetMemPool")
def device_get_mem_pool(call: Call, dev: int) -> int:
    """Return the pool that cuDeviceSetMemPool set last, or the default pool."""
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    device = owner(call, dev)
    pooling(device)
    # EFFECT
    return current_pool(call, device).handle
