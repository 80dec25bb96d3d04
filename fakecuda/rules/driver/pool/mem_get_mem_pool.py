"""cuMemGetMemPool: the current memory pool of a location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import pool_lifetime
from fakecuda.rules.driver.pool.kind import require_pool_location
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemGetMemPool")
def mem_get_mem_pool(call: Call, location: tuple[int, int] | None, allocation_type: int) -> int:
    """Return the pool that was set last for a location ((type, id)) and an allocation type, or the default pool."""
    # CHECK
    kind, device = require_pool_location(call, location, allocation_type)
    # EFFECT
    return pool_lifetime.current_pool(call.process, kind, device).handle
