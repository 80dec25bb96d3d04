"""cuMemPoolSetAccess: set which devices can access the memory of a pool."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.machine import HOST as HOST_ORDINAL
from fakecuda.model.memory.pool import MANAGED
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.driver.pool.handle import pool_of
from fakecuda.rules.driver.va.mem_set_access import FLAGS
from fakecuda.rules.driver.va.properties import DEVICE, HOSTS, READ_WRITE
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.memory.pool import Pool

Description = tuple[tuple[int, int], int]
NO_ACCESS = 0

DESCRIPTIONS_ARE_GIVEN = Rule(
    "the array of access descriptors is not null",
    Result.INVALID_VALUE,
    observed("cuMemPoolSetAccess", "the driver answers INVALID_VALUE to a null array"),
    fix="pass an array of CUmemAccessDesc, and its length for count",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` of each access descriptor is PROT_NONE, PROT_READ or PROT_READWRITE",
    Result.INVALID_VALUE,
    manual("cuMemPoolSetAccess", "CUDA_ERROR_INVALID_VALUE"),
    fix="set flags to a CUmemAccess_flags: CU_MEM_ACCESS_FLAGS_PROT_READWRITE or CU_MEM_ACCESS_FLAGS_PROT_NONE",
)
ACCESS_IS_WHOLE = Rule(
    "`flags` of each access descriptor is PROT_NONE or PROT_READWRITE, not PROT_READ",
    Result.NOT_SUPPORTED,
    observed(
        "cuMemPoolSetAccess",
        "the driver answers NOT_SUPPORTED to read-only access, whatever the pool and the location are",
    ),
    fix="grant CU_MEM_ACCESS_FLAGS_PROT_READWRITE; a pool cannot be read-only",
)
LOCATION_SUITS_THE_POOL = Rule(
    "if the pool lies on a device and is not managed, each access descriptor has a device as its location",
    Result.NOT_SUPPORTED,
    manual("cuMemPoolSetAccess", "CUDA_ERROR_NOT_SUPPORTED"),
    fix="name only devices (CU_MEM_LOCATION_TYPE_DEVICE); the host cannot access a device's pool",
)
LOCATION_IS_KNOWN = Rule(
    "each location in the access descriptors is a device, the host or a host NUMA node",
    Result.INVALID_VALUE,
    manual("cuMemPoolSetAccess", "CUDA_ERROR_INVALID_VALUE"),
    fix="set location.type to CU_MEM_LOCATION_TYPE_DEVICE, CU_MEM_LOCATION_TYPE_HOST or CU_MEM_LOCATION_TYPE_HOST_NUMA",
)
DEVICE_IS_THERE = Rule(
    "each device in the access descriptors is a device that the process sees",
    Result.INVALID_DEVICE,
    manual("cuMemPoolSetAccess", "Each descriptor instructs the access to enable for a single gpu"),
    fix="set location.id in each CUmemAccessDesc to a number below the count that cuDeviceGetCount returns",
)
OWNER_KEEPS_ACCESS = Rule(
    "no access descriptor takes access to a pinned pool from the device that the pool lies on",
    Result.INVALID_DEVICE,
    manual("cuMemPoolCreate", "the pool's memory will be accessible from the device it is allocated on"),
    fix="leave out the pool's own device, or grant it CU_MEM_ACCESS_FLAGS_PROT_READWRITE",
)
HOST_KEEPS_ACCESS = Rule(
    "no access descriptor takes access from the host if the pool lies on the host",
    Result.NOT_SUPPORTED,
    observed("cuMemPoolSetAccess", "the driver answers NOT_SUPPORTED if the host would lose access to its own pool"),
    fix="leave out the host for its own pool, or grant it CU_MEM_ACCESS_FLAGS_PROT_READWRITE",
)
DEVICE_IS_REACHABLE = Rule(
    "each device in the access descriptors has the pool's memory, or is capable of peer access to the pool's device",
    Result.INVALID_DEVICE,
    manual("cuMemPoolSetAccess", "Each descriptor instructs the access to enable for a single gpu"),
    fix="call cuDeviceCanAccessPeer first, and create a separate pool on each device that cannot access it",
)


@guard
def _suits(call: Call, pool: Pool, description: Description) -> int:
    """Check an access descriptor; return its device ordinal, or the host's."""
    (kind, number), flags = description
    if flags not in FLAGS:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    if flags not in {NO_ACCESS, READ_WRITE}:
        raise ACCESS_IS_WHOLE.broken(flags=flags)
    managed = pool.props.type == MANAGED
    home = pool.device.ordinal
    if kind != DEVICE:
        if not managed and home != HOST_ORDINAL:
            raise LOCATION_SUITS_THE_POOL.broken(location=(kind, number), pool=pool)
        if kind not in HOSTS:
            raise LOCATION_IS_KNOWN.broken(location=(kind, number))
        number = HOST_ORDINAL
    elif not 0 <= number < len(call.process.devices):
        raise DEVICE_IS_THERE.broken(device=number)
    else:
        number = call.process.devices[number].ordinal
    if managed:
        return number
    if number == home and flags != READ_WRITE:
        if home != HOST_ORDINAL:
            raise OWNER_KEEPS_ACCESS.broken(pool=pool)
        raise HOST_KEEPS_ACCESS.broken(pool=pool)
    link = call.machine.profile.peers.get((number, home))
    if HOST_ORDINAL not in {number, home} and number != home and (link is None or not link.can_access):
        raise DEVICE_IS_REACHABLE.broken(device=number, pool=pool)
    return number


@DRIVER.op("cuMemPoolSetAccess")
def mem_pool_set_access(call: Call, pool: int, map_: tuple[Description, ...] | None, count: int) -> None:
    """Set which devices may access all memory of a pool, including memory that is already allocated.

    Managed memory can be accessed whatever is set.

    Args:
        call: The call.
        pool: The pool.
        map_: For each location ((type, id), flags).
        count: How many there are; with none nothing changes.
    """
    # CHECK
    require_initialized(call)
    changed = pool_of(call, pool)
    if map_ is None:
        raise DESCRIPTIONS_ARE_GIVEN.broken(count=count)
    access = {_suits(call, changed, description): description[1] for description in map_[:count]}
    # EFFECT
    changed.set_access(access)
