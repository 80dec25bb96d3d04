"""cuMemPoolSetAccess: which devices can access the memory of a pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.model.machine import HOST as HOST_ORDINAL
from fakecuda.model.pool import MANAGED
from fakecuda.rule import Rule, guard, manual, op, undefined
from fakecuda.spec.core.initialized import ready
from fakecuda.spec.pool.valid import pool_of
from fakecuda.spec.va.mem_set_access import FLAGS
from fakecuda.spec.va.properties import DEVICE, HOSTS, READ_WRITE

if TYPE_CHECKING:
    from fakecuda.model.pool import Pool
    from fakecuda.model.process import Thread

Description = tuple[tuple[int, int], int]

COUNT_IS_POSITIVE = Rule(
    "there is one description at least",
    Result.INVALID_VALUE,
    manual("cuMemPoolSetAccess", "CUDA_ERROR_INVALID_VALUE"),
)
DESCRIPTIONS_ARE_GIVEN = Rule(
    "the descriptions are given",
    Result.INVALID_VALUE,
    undefined("cuMemPoolSetAccess", "silent about a null array, which no driver has been asked"),
)
FLAGS_ARE_KNOWN = Rule(
    "the access flags are none, read or read and write",
    Result.INVALID_VALUE,
    manual("cuMemPoolSetAccess", "CUDA_ERROR_INVALID_VALUE"),
)
LOCATION_SUITS_THE_POOL = Rule(
    "each location is a device, or the host for a pool of the host, and the pool is not managed",
    Result.NOT_SUPPORTED,
    manual("cuMemPoolSetAccess", "CUDA_ERROR_NOT_SUPPORTED"),
)
DEVICE_IS_THERE = Rule(
    "each device is one of the machine's",
    Result.INVALID_DEVICE,
    manual("cuMemPoolSetAccess", "Each descriptor instructs the access to enable for a single gpu"),
)
OWNER_KEEPS_ACCESS = Rule(
    "where the pool's memory lies, all access stays",
    Result.INVALID_DEVICE,
    manual("cuMemPoolCreate", "the pool's memory will be accessible from the device it is allocated on"),
)
DEVICE_IS_REACHABLE = Rule(
    "each device can access the pool's",
    Result.INVALID_DEVICE,
    manual("cuMemPoolSetAccess", "Each descriptor instructs the access to enable for a single gpu"),
)


@guard
def _suits(call: Thread, pool: Pool, description: Description) -> int:
    """Return whom a description is about: a device's ordinal, or the host's; its access can be set so."""
    (kind, number), flags = description
    if flags not in FLAGS:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    home = pool.device.ordinal
    if pool.props.type == MANAGED or not (kind == DEVICE or (kind in HOSTS and home == HOST_ORDINAL)):
        raise LOCATION_SUITS_THE_POOL.broken(location=(kind, number), pool=pool)
    if kind != DEVICE:
        number = HOST_ORDINAL
    elif not 0 <= number < len(call.process.devices):
        raise DEVICE_IS_THERE.broken(device=number)
    else:
        number = call.process.devices[number].ordinal
    if number == home and flags != READ_WRITE:
        raise OWNER_KEEPS_ACCESS.broken(pool=pool, flags=flags)
    link = call.machine.profile.peers.get((number, home))
    if HOST_ORDINAL not in {number, home} and number != home and (link is None or not link.can_access):
        raise DEVICE_IS_REACHABLE.broken(device=number, pool=pool)
    return number


@op("cuMemPoolSetAccess")
def mem_pool_set_access(call: Thread, pool: int, map_: tuple[Description, ...] | None, count: int) -> None:
    """Set which devices may access all memory of a pool, what it has given out already included.

    Args:
        call: The calling thread.
        pool: The pool.
        map_: For each location ((type, id), flags).
        count: How many there are.
    """
    # CHECK
    ready(call)
    changed = pool_of(call, pool, "cuMemPoolSetAccess")
    if not count:
        raise COUNT_IS_POSITIVE.broken()
    if map_ is None:
        call.undefined(DESCRIPTIONS_ARE_GIVEN, "cuMemPoolSetAccess", count=count)
        raise DESCRIPTIONS_ARE_GIVEN.broken(count=count)
    access = {_suits(call, changed, description): description[1] for description in map_[:count]}
    # EFFECT
    changed.access |= access
