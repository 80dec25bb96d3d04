"""cuMemPoolGetAccess: a location's access to the memory of a pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.machine import HOST as HOST_ORDINAL
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.driver.pool.handle import pool_of
from fakecuda.rules.driver.va.properties import DEVICE, HOSTS
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

LOCATION_IS_GIVEN = Rule(
    "`location` is not null",
    Result.INVALID_VALUE,
    manual("cuMemPoolGetAccess", "the location accessing the pool"),
    fix="pass cuMemPoolGetAccess the address of a CUmemLocation",
)
LOCATION_IS_KNOWN = Rule(
    "`location` is a device that the process sees, the host or a host NUMA node",
    Result.INVALID_VALUE,
    manual("cuMemPoolGetAccess", "the location accessing the pool"),
    fix="set location to a device number below the count that cuDeviceGetCount returns, the host, or a host NUMA node",
)


@DRIVER.op("cuMemPoolGetAccess")
def mem_pool_get_access(call: Call, pool: int, location: tuple[int, int] | None) -> int:
    """Return the access flags that a location ((type, id)) was given to the memory of a pool.

    Managed memory can be accessed without.
    """
    # CHECK
    require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    return granted(call, pool, location)


@guard
def granted(call: Call, pool: int, location: tuple[int, int] | None) -> int:
    """Return a location's access to a pool; see :func:`mem_pool_get_access`."""
    asked = pool_of(call, pool)
    if location is None:
        raise LOCATION_IS_GIVEN.broken()
    kind, number = location
    devices = call.process.devices
    if kind not in HOSTS and not (kind == DEVICE and 0 <= number < len(devices)):
        raise LOCATION_IS_KNOWN.broken(location=location)
    return asked.access.get(devices[number].ordinal if kind == DEVICE else HOST_ORDINAL, 0)
