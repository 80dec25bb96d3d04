"""cuMemGetDefaultMemPool: the default memory pool of a location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import pool_lifetime
from fakecuda.rules.driver.pool.kind import require_pool_location
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuMemGetDefaultMemPool")
def mem_get_default_mem_pool(call: Call, location: tuple[int, int] | None, allocation_type: int) -> int:
    """Return the default pool of a location ((type, id)) for an allocation type, one in each process."""
    # CHECK
    kind, device = require_pool_location(call, location, allocation_type)
    # EFFECT
    return pool_lifetime.default_pool(call.process, kind, device).handle
