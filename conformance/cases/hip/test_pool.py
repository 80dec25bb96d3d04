"""Pools of HIP: memory that is allocated in the order of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import (
    ALL,
    HERE,
    NEW,
    NOWHERE,
    OLD,
    READ,
    READ_WRITE,
    SIZE,
    THERE,
    UNKNOWN,
    default_pool,
    entries,
    host,
    new,
    pool,
    pooled,
    stream,
)
from conformance.kit.case import suite

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, Process, World

LARGEST = 1 << 29
NONE = 0
RELEASE_THRESHOLD, RESERVED, RESERVED_HIGH, USED_HIGH = 4, 5, 6, 8
"""Each a hipMemPoolAttr."""


def limited(a: Process) -> int:
    """Return a pool that has given out most of what it may have, and has it back."""
    made = pool(a, largest=2 * LARGEST)
    a.ok.hipFreeAsync(a.ok.hipMallocFromPoolAsync(LARGEST, made, 0), 0)
    a.ok.hipDeviceSynchronize()
    return made


def destroyed(a: Process, *, used: bool) -> int:
    """Return a pool that was destroyed, while memory that it gave out keeps it, or not."""
    made = pool(a)
    if used:
        a.ok.hipMallocFromPoolAsync(SIZE, made, 0)
    a.ok.hipMemPoolDestroy(made)
    return made


every = entries(
    {
        "hipDeviceGetDefaultMemPool": lambda _: (0,),
        "hipDeviceGetMemPool": lambda _: (0,),
        "hipDeviceSetMemPool": lambda a: (0, pool(a)),
        "hipFreeAsync": lambda a: (pooled(a), stream(a)),
        "hipMallocAsync": lambda a: (SIZE, stream(a)),
        "hipMallocFromPoolAsync": lambda a: (SIZE, pool(a), stream(a)),
        "hipMemPoolCreate": lambda _: ((1, 1, HERE, 0, 0),),
        "hipMemPoolDestroy": lambda a: (pool(a),),
        "hipMemPoolGetAccess": lambda a: (default_pool(a), HERE),
        "hipMemPoolGetAttribute": lambda a: (default_pool(a), RELEASE_THRESHOLD),
        "hipMemPoolSetAccess": lambda a: (default_pool(a), ((THERE, READ_WRITE),), 1),
        "hipMemPoolSetAttribute": lambda a: (default_pool(a), RELEASE_THRESHOLD, SIZE),
        "hipMemPoolTrimTo": lambda a: (default_pool(a), 0),
    }
)
for call in ("hipDeviceGetMemPool", "hipDeviceSetMemPool"):
    every[call].breaks("DEVICE_HAS_A_POOL", device=2)
every["hipDeviceSetMemPool"].breaks("POOL_IS_THE_DEVICE_S", mem_pool=new(default_pool, 1))

free = every["hipFreeAsync"]
free.breaks("pool.POINTER_IS_A_BASE", dev_ptr=NOWHERE)
free.breaks("pool.POINTER_IS_A_BASE", "the host's", dev_ptr=new(host))
free.breaks("pool.POINTER_IS_A_BASE", "further in", dev_ptr=lambda i: i.args["dev_ptr"] + 8)
free.breaks("pool.POINTER_IS_A_BASE", "null", dev_ptr=0)
free.only(OLD, "POINTER_IS_A_BASE-null")
free.also("null", dev_ptr=0)
free.only(NEW, "null")

for call in ("hipMallocAsync", "hipMallocFromPoolAsync"):
    every[call].breaks("STREAM_TO_USE_IS_LIVE", "of no bytes", size=0, stream=ALL)


@every["hipMallocAsync"].world("LIMIT_SUFFICES")
def current(_w: World, i: Invocation) -> Invocation:
    i.process.ok.hipDeviceSetMemPool(0, limited(i.process))
    return i.evolve(size=LARGEST + LARGEST // 8)


every["hipMallocFromPoolAsync"].breaks("LIMIT_SUFFICES", mem_pool=new(limited), size=LARGEST + LARGEST // 8)

create = every["hipMemPoolCreate"]
create.breaks("pool.PROPERTIES_MAKE_SENSE", pool_props=None)
create.breaks("pool.PROPERTIES_MAKE_SENSE", "managed", pool_props=(2, 0, HERE, 0, 0))
create.only(OLD, "PROPERTIES_MAKE_SENSE-managed")

destroy = every["hipMemPoolDestroy"]
destroy.breaks("POOL_IS_NO_DEFAULT", mem_pool=new(default_pool))
destroy.breaks("POOL_TO_END_IS_KNOWN", mem_pool=new(destroyed, used=False))
destroy.breaks("POOL_IS_KNOWN", mem_pool=new(destroyed, used=True))

for label, place in {"null": None, "the host": (2, 0), "no device": (1, 2)}.items():
    every["hipMemPoolGetAccess"].breaks("LOCATION_IS_A_DEVICE", label, location=place)
every["hipMemPoolGetAttribute"].breaks("pool.ATTRIBUTE_IS_KNOWN", attr=99)

grant = every["hipMemPoolSetAccess"]
grant.breaks("pool.DESCRIPTIONS_ARE_GIVEN", desc_list=None)
grant.breaks("COUNT_FITS_THE_DEVICES", count=3)
grant.breaks("LOCATION_TO_OPEN_IS_A_DEVICE", desc_list=(((0, 1), READ_WRITE),))
grant.breaks("LOCATION_TO_OPEN_IS_A_DEVICE", "before its flags", desc_list=(((2, 9), 9),))
grant.breaks("active.DEVICE_IS_THERE", desc_list=(((1, 2), READ_WRITE),))
grant.breaks("active.DEVICE_IS_THERE", "before its flags", desc_list=(((1, 2), 9),))
grant.breaks("pool.FLAGS_ARE_KNOWN", desc_list=((THERE, 9),))
grant.breaks("OWNER_KEEPS_ACCESS", desc_list=((HERE, NONE),))
grant.breaks("OWNER_KEEPS_ACCESS", "nor does another device", desc_list=((THERE, NONE),))
grant.only(OLD, "OWNER_KEEPS_ACCESS-nor-does-another-device")
grant.breaks("OWNER_KEEPS_WRITING", desc_list=((HERE, READ),))

change = every["hipMemPoolSetAttribute"]
change.breaks("pool.ATTRIBUTE_IS_KNOWN", value=None)
change.breaks("ATTRIBUTE_CAN_BE_SET", attr=RESERVED)
for attribute in (RESERVED_HIGH, USED_HIGH):
    change.breaks("MARK_IS_RESET", f"{attribute}", attr=attribute, value=1)
    change.also(f"reset {attribute}", attr=attribute, value=0)
every["hipMemPoolTrimTo"].breaks("POOL_IS_KNOWN", mem_pool=UNKNOWN)

test_pool = suite(*every.values())
