"""The memory pools of a location, for device memory or for managed memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.memory import pool_lifetime
from fakecuda.rules.core import Rule, guard, source
from fakecuda.rules.hip.active import DEVICE, arrived, device_of, given
from fakecuda.rules.hip.pool import MANAGED, PINNED, POOL_IS_GIVEN
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.memory.pool import Kind

TYPE_HAS_A_POOL = Rule(
    "`type` is hipMemAllocationTypePinned or hipMemAllocationTypeManaged",
    Result.INVALID_VALUE,
    source("hipMemGetMemPool", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass hipMemAllocationTypePinned or hipMemAllocationTypeManaged",
)
POOL_IS_VALID = Rule(
    "`pool` is a pool of this process that has not been destroyed",
    Result.INVALID_VALUE,
    source("hipMemSetMemPool", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass a pool that hipMemPoolCreate or hipDeviceGetDefaultMemPool returned, before hipMemPoolDestroy",
)
POOL_MATCHES = Rule(
    "`pool` has the location `location` and the allocation type `type`",
    Result.INVALID_VALUE,
    source("hipMemSetMemPool", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass a pool that was created with this location and allocation type",
)


@guard
def kind_at(call: Call, location: tuple[int, int] | None, allocation_type: int) -> tuple[Kind, Device]:
    """Return the kind of pools at a location, and the device."""
    device = device_of(call, location)
    if allocation_type not in {PINNED, MANAGED}:
        raise TYPE_HAS_A_POOL.broken(type=allocation_type)
    return (allocation_type, DEVICE, call.process.number_of(device)), device


@HIP.op("hipMemGetDefaultMemPool")
def get_default_at(call: Call, location: tuple[int, int] | None, allocation_type: int) -> int:
    """Return the default pool of a location for an allocation type."""
    process = arrived(call, "hipMemGetDefaultMemPool")
    given(call)
    return pool_lifetime.default_pool(process, *kind_at(call, location, allocation_type)).handle


@HIP.op("hipMemGetMemPool")
def get_at(call: Call, location: tuple[int, int] | None, allocation_type: int) -> int:
    """Return the current pool of a location for an allocation type."""
    process = arrived(call, "hipMemGetMemPool")
    given(call)
    return pool_lifetime.current_pool(process, *kind_at(call, location, allocation_type)).handle


@HIP.op("hipMemSetMemPool")
def set_at(call: Call, location: tuple[int, int] | None, allocation_type: int, handle: int) -> None:
    """Set the current pool of a location for an allocation type. No call allocates from the managed pool."""
    # CHECK
    process = arrived(call, "hipMemSetMemPool")
    if not handle:
        raise POOL_IS_GIVEN.broken()
    kind, _ = kind_at(call, location, allocation_type)
    pool = process.pools.live.get(handle)
    if pool is None:
        raise POOL_IS_VALID.broken(pool=handle, found=process.freed.get(handle))
    if pool.kind != kind:
        raise POOL_MATCHES.broken(pool=pool, location=location, type=allocation_type)
    # EFFECT
    pool_lifetime.use_pool(process, kind, pool)
