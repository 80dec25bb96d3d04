"""cuMemSetMemPool: set the current memory pool of a location."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import pool_lifetime
from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.device.pool import owner
from fakecuda.rules.driver.pool.handle import POOL_IS_GIVEN, own_pool_of
from fakecuda.rules.driver.pool.kind import given, supported
from fakecuda.rules.driver.va.properties import DEVICE
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POOL_MATCHES = Rule(
    "the pool was created with the location and the allocation type that are passed",
    Result.INVALID_VALUE,
    manual("cuMemSetMemPool", "The location and allocation type specified must match those of the pool otherwise"),
    fix="pass a pool that was created with this location and allocation type",
)


@DRIVER.op("cuMemSetMemPool")
def mem_set_mem_pool(call: Call, location: tuple[int, int] | None, allocation_type: int, pool: int) -> None:
    """Set the process's pool for stream-ordered allocations at a location.

    Args:
        call: The call.
        location: ((type, id)); of a device it is what cuDeviceSetMemPool sets.
        allocation_type: CUmemAllocationType.
        pool: A pool of that location and type.
    """
    # CHECK
    process = require_initialized(call)
    if not pool:
        raise POOL_IS_GIVEN.broken()
    kind = given(call, location, allocation_type)
    if kind[1] == DEVICE:
        owner(call, kind[2])
    supported(call, kind)
    chosen = own_pool_of(call, pool)
    if chosen.kind != kind:
        raise POOL_MATCHES.broken(pool=chosen, location=location, type=allocation_type)
    # EFFECT
    pool_lifetime.use_pool(process, kind, chosen)
