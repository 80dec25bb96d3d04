"""cuDeviceGetDefaultMemPool: the default memory pool of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.device.ordinal import device_of
from fakecuda.rules.driver.device.pool import default_pool, pooling
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuDeviceGetDefaultMemPool")
def device_get_default_mem_pool(call: Call, dev: int) -> int:
    """Return the device's default pool in the calling process."""
    # CHECK
    require_initialized(call)
    device = device_of(call, dev)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    pooling(device)
    # EFFECT
    return default_pool(call, device).handle
