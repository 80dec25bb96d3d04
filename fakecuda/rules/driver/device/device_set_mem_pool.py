"""cuDeviceSetMemPool: set the current memory pool of a device."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import pool_lifetime
from fakecuda.rules.core import Rule, manual, observed, undefined
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.device.pool import owner
from fakecuda.rules.driver.pool.handle import POOL_ALLOCATES
from fakecuda.rules.driver.va.properties import DEVICE
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

POOL_IS_GIVEN = Rule(
    "the memory pool is not null",
    Result.INVALID_VALUE,
    observed("cuDeviceSetMemPool", "the driver answers INVALID_VALUE to a null pool"),
    fix="pass a pool; cuDeviceGetDefaultMemPool returns the default one",
)
POOL_IS_KNOWN = Rule(
    "the memory pool belongs to this process and has not been destroyed",
    Result.INVALID_VALUE,
    undefined(
        "cuDeviceSetMemPool", "the manual says nothing about invalid handles, which crash the process in driver 580"
    ),
    fix="pass a pool of cuMemPoolCreate or cuDeviceGetDefaultMemPool that has not been destroyed",
)
POOL_IS_LOCAL = Rule(
    "the location of the memory pool is the device that is passed",
    Result.INVALID_VALUE,
    manual("cuDeviceSetMemPool", "The memory pool must be local to the specified device"),
    fix="pass a pool that cuMemPoolCreate created with this device as its location",
)


@DRIVER.op("cuDeviceSetMemPool")
def device_set_mem_pool(call: Call, dev: int, pool: int) -> None:
    """Set the pool of stream-ordered allocations on a device, in the calling process.

    Args:
        call: The call.
        dev: The device's number.
        pool: A pool that lies there; a managed one is then the device's current pool of managed memory.
    """
    # CHECK
    process = require_initialized(call)
    owner(call, dev)
    if not pool:
        raise POOL_IS_GIVEN.broken()
    known = process.pools.live.get(pool)
    if known is None:
        call.undefined(POOL_IS_KNOWN, pool=pool)
        raise POOL_IS_KNOWN.broken(pool=pool)
    if known.source is not None:
        raise POOL_ALLOCATES.broken(pool=known)
    if known.props.location != (DEVICE, dev):
        raise POOL_IS_LOCAL.broken(pool=known, device=dev)
    # EFFECT
    pool_lifetime.use_pool(process, known.kind, known)
