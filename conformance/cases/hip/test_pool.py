"""Memory pools of HIP: allocation in stream order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.both import both
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
    gone,
    host,
    memory,
    new,
    pool,
    pooled,
    stream,
)
from conformance.kit.case import suite

if TYPE_CHECKING:
    from conformance.cases.hip.both import Calls
    from conformance.kit.world import Invocation, Process, World

LARGEST = 1 << 29
NONE = 0
PER_THREAD = 2
RELEASE_THRESHOLD, RESERVED, RESERVED_HIGH, USED, USED_HIGH = 4, 5, 6, 7, 8
"""Each a hipMemPoolAttr."""


def limited(a: Process) -> int:
    """Return a pool with a maximum size, whose memory was allocated and freed."""
    made = pool(a, largest=2 * LARGEST)
    a.ok.hipFreeAsync(a.ok.hipMallocFromPoolAsync(LARGEST, made, 0), 0)
    a.ok.hipDeviceSynchronize()
    return made


def given_back(a: Process) -> int:
    """Return the address of freed memory of a pool."""
    address = pooled(a)
    a.ok.hipFreeAsync(address, 0)
    a.ok.hipStreamSynchronize(0)
    return address


def destroyed(a: Process, *, used: bool) -> int:
    """Return a destroyed pool, with or without live memory."""
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
    every[call].breaks("DEVICE_HAS_A_POOL", "negative", device=-1)
for number in (-1, 2):
    every["hipDeviceGetDefaultMemPool"].breaks("active.DEVICE_IS_THERE", f"{number}", device=number)
every["hipDeviceSetMemPool"].breaks("POOL_IS_THE_DEVICE_S", mem_pool=new(default_pool, 1))

free = every["hipFreeAsync"]
free.breaks("pool.POINTER_IS_A_BASE", dev_ptr=NOWHERE)
free.breaks("pool.POINTER_IS_A_BASE", "the host's", dev_ptr=new(host))
free.breaks("pool.POINTER_IS_A_BASE", "further in", dev_ptr=lambda i: i.args["dev_ptr"] + 8)
free.breaks("STREAM_TO_USE_IS_LIVE", stream=new(gone))
free.breaks("STREAM_TO_USE_IS_LIVE", "never was", stream=ALL)
free.breaks("pool.POINTER_IS_A_BASE", "freed", dev_ptr=new(given_back))
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
for attribute in (9, 99):
    every["hipMemPoolGetAttribute"].breaks("pool.ATTRIBUTE_IS_KNOWN", f"{attribute}", attr=attribute)

grant = every["hipMemPoolSetAccess"]
grant.breaks("pool.DESCRIPTIONS_ARE_GIVEN", desc_list=None)
grant.breaks("COUNT_FITS_THE_DEVICES", count=3)
grant.breaks("COUNT_FITS_THE_DEVICES", "with their descriptions", desc_list=((THERE, READ_WRITE),) * 3, count=3)
grant.breaks("LOCATION_TO_OPEN_IS_A_DEVICE", desc_list=(((0, 1), READ_WRITE),))
grant.breaks("LOCATION_TO_OPEN_IS_A_DEVICE", "before its flags", desc_list=(((2, 9), 9),))
grant.breaks("active.DEVICE_IS_THERE", desc_list=(((1, 2), READ_WRITE),))
grant.breaks("active.DEVICE_IS_THERE", "negative", desc_list=(((1, -1), READ_WRITE),))
grant.breaks("active.DEVICE_IS_THERE", "before its flags", desc_list=(((1, 2), 9),))
for access in (5, 9):
    grant.breaks("pool.FLAGS_ARE_KNOWN", f"{access}", desc_list=((THERE, access),))
grant.breaks("OWNER_KEEPS_ACCESS", desc_list=((HERE, NONE),))
grant.breaks("OWNER_KEEPS_ACCESS", "nor does another device", desc_list=((THERE, NONE),))
grant.only(OLD, "OWNER_KEEPS_ACCESS-nor-does-another-device")
grant.breaks("OWNER_KEEPS_WRITING", desc_list=((HERE, READ),))

change = every["hipMemPoolSetAttribute"]
change.breaks("pool.ATTRIBUTE_IS_KNOWN", value=None)
change.breaks("pool.ATTRIBUTE_IS_KNOWN", "9", attr=9)
change.breaks("ATTRIBUTE_CAN_BE_SET", attr=RESERVED)
for attribute in (RESERVED_HIGH, USED_HIGH):
    change.breaks("MARK_IS_RESET", f"{attribute}", attr=attribute, value=1)
    change.also(f"reset {attribute}", attr=attribute, value=0)
every["hipMemPoolTrimTo"].breaks("POOL_IS_KNOWN", mem_pool=UNKNOWN)


@both("MallocAsync", "of each device")
def on_each_device(c: Calls, _address: int) -> None:
    for number in (1, 0):
        c.SetDevice(number)
        c.used()


@both("MallocAsync", "in each stream, and freed at once")
def in_each_stream(c: Calls, _address: int) -> None:
    for queue in (c.StreamCreate(), c.StreamCreate(), 0, PER_THREAD):
        c.used(stream=queue)
    c.Free(c.MallocAsync(SIZE, 0))


@both("MallocFromPoolAsync", "in each stream")
def of_each_pool(c: Calls, _address: int) -> None:
    """Check that freed memory is reused in its stream, for each kind of pool."""
    for queue in (c.StreamCreate(), 0, PER_THREAD):
        for giving in (c.pool(), c.kept(), c.DeviceGetDefaultMemPool(0)):
            c.used(giving, queue)
    giving, queue = c.kept(), c.StreamCreate()
    assert c.used(giving, queue) == c.used(giving, queue)


@both("MemPoolSetAttribute", "as it was set")
def set_and_got(c: Calls) -> None:
    """Check a new pool's policies, threshold and sizes, and allocation after changes."""
    giving = c.pool()
    assert [c.attribute(giving, which) for which in range(1, 9)] == [1, 1, 1, 0, 0, 0, 0, 0]
    for which in range(1, RELEASE_THRESHOLD + 1):
        for value in (0, 1):
            assert c.attribute(giving, which, value) == value
            c.used(giving, c.StreamCreate())


@both("MemPoolGetAttribute", "what is in use, and was most")
def usage(c: Calls, _found: int) -> None:
    """Check that high-water marks can be reset to the current value, in HIP to 0."""
    giving = c.kept()
    taken = [c.MallocFromPoolAsync(1 << 20, giving, 0) for _ in range(3)]
    assert c.attribute(giving, USED) == c.attribute(giving, USED_HIGH) == 3 << 20
    held = c.attribute(giving, RESERVED)
    assert held == c.attribute(giving, RESERVED_HIGH) >= 3 << 20
    for address in taken:
        c.FreeAsync(address, 0)
    c.StreamSynchronize(0)
    assert [c.attribute(giving, which) for which in (RESERVED, USED, USED_HIGH)] == [held, 0, 3 << 20]
    c.MemPoolSetAttribute(giving, USED_HIGH, 0)
    c.MemPoolSetAttribute(giving, RESERVED_HIGH, 0)
    assert c.attribute(giving, USED_HIGH) == 0
    assert c.attribute(giving, RESERVED_HIGH) == (0 if c.api == "hip" else held)


@both("MemPoolTrimTo", "what is not in use is given back")
def trimmed(c: Calls) -> None:
    """Check that trimming keeps the requested size."""
    for number in (1, 0):
        c.SetDevice(number)
        giving = c.pool(device=number)
        c.attribute(giving, RELEASE_THRESHOLD, ALL)
        for size in (ALL, 1 << 20, 0):
            c.used(giving)
            c.MemPoolTrimTo(giving, size)
        assert c.attribute(giving, RESERVED) == 0


@both("MemPoolGetAccess", "as it was set")
def opened(c: Calls, _found: int) -> None:
    giving = c.pool()
    assert c.MemPoolGetAccess(giving, HERE) == READ_WRITE
    assert c.MemPoolGetAccess(giving, THERE) == NONE
    for place in (HERE, THERE):
        c.MemPoolSetAccess(giving, ((place, READ_WRITE),), 1)
        assert c.MemPoolGetAccess(giving, place) == READ_WRITE


@every["hipMemPoolGetAttribute"].after("memory of no pool")
def apart(_w: World, i: Invocation, _r: tuple[int]) -> None:
    """Check that hipMalloc does not allocate from the default pool."""
    asked = [(i.args["mem_pool"], which) for which in (USED, RESERVED)]
    before = [i.process.ok.hipMemPoolGetAttribute(*one) for one in asked]
    assert memory(i.process)
    assert [i.process.ok.hipMemPoolGetAttribute(*one) for one in asked] == before


@both("DeviceSetMemPool", "seen by every thread, until it is destroyed")
def is_current(c: Calls) -> None:
    for number in (1, 0):
        giving = c.pool(device=number)
        c.DeviceSetMemPool(number, giving)
        assert c.of_thread("other").DeviceGetMemPool(number) == giving
        c.attribute(giving, RELEASE_THRESHOLD, ALL)
        c.SetDevice(number)
        c.MallocAsync(SIZE, 0)
        assert c.attribute(giving, USED) == SIZE
        c.MemPoolDestroy(giving)
        assert c.DeviceGetMemPool(number) == c.DeviceGetDefaultMemPool(number)


test_pool = suite(*every.values())
