"""Memory pools: the model's pools, with HIP's checks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.memory import memory_effects, pool_effects, pool_lifetime
from fakecuda.model.memory.chunk import GRANULE
from fakecuda.model.memory.memory import Allocation
from fakecuda.model.memory.pool import Pool, Pooled, PoolProps
from fakecuda.model.memory.va import Location
from fakecuda.rules.core import Rule, guard, hip_tests, source, undefined
from fakecuda.rules.driver.context.current import require_usable_context
from fakecuda.rules.driver.device.pool import current_pool, default_pool, kind_of
from fakecuda.rules.driver.memory.mem_free import unimported
from fakecuda.rules.driver.pool.attribute import CHANGEABLE, MARKS, POLICIES, RESERVED_HIGH, THRESHOLD, VALUES
from fakecuda.rules.driver.pool.handle import release
from fakecuda.rules.hip.active import DEVICE, DEVICE_IS_THERE, answering, device_of, does, entered, refuse
from fakecuda.rules.hip.stream import stream_at
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Device
    from fakecuda.model.work.stream import Stream

PINNED, MANAGED = 1, 2
NONE, READ, READ_WRITE = 0, 1, 3
FREEABLE = (Pooled, Allocation)
ATTRIBUTES = range(1, 9)
"""hipMemPoolAttr, with CUDA's numbers."""
REFUSES_NULL = "hipFreeAsync.refuses-null"
GOES_ONE_BY_ONE = "hipMemPoolSetAccess.goes-one-by-one"
REFUSES_NONE = "hipMemPoolSetAccess.refuses-none"
HAS_NO_MANAGED_POOLS = "hipMemPoolCreate.has-no-managed-pools"

DEVICE_HAS_A_POOL = Rule(
    "`device` is a device that the process sees",
    Result.INVALID_VALUE,
    hip_tests("hipDeviceGetMemPool", "HIP answers hipErrorInvalidValue to an invalid device"),
    fix="pass a device number below the count that hipGetDeviceCount returns in this process",
)
POOL_IS_GIVEN = Rule(
    "the pool is not null",
    Result.INVALID_VALUE,
    hip_tests("hipMemPoolTrimTo", "every call that takes a pool answers hipErrorInvalidValue to a null pool"),
    fix="pass a pool that hipMemPoolCreate or hipDeviceGetDefaultMemPool returned",
)
POOL_IS_KNOWN = Rule(
    "the pool is a pool of this process that has not been destroyed",
    Result.INVALID_VALUE,
    undefined("hipMemPoolTrimTo", "the manual says nothing about any other value; clr uses the value as a pointer"),
    fix="call hipMemPoolDestroy once, after the last use of the pool",
)
POOL_IS_THE_DEVICE_S = Rule(
    "`mem_pool` allocates memory on `device`",
    Result.INVALID_DEVICE,
    source("hipDeviceSetMemPool", "clr answers hipErrorInvalidDevice to a pool of another device"),
    fix="pass a pool that hipMemPoolCreate created with this device as its location",
)
MEMORY_SUFFICES = Rule(
    "the device has enough free memory",
    Result.OUT_OF_MEMORY,
    source("hipMallocAsync", "clr answers hipErrorOutOfMemory if this rule is broken"),
    fix="free memory with hipFreeAsync or trim the pool (hipMemPoolTrimTo) first, or allocate less",
)
LIMIT_SUFFICES = Rule(
    "`size` plus the pool's reserved high-water mark is at most maxSize (if not 0), or fits a freed block that can be reused",
    Result.OUT_OF_MEMORY,
    source("hipMallocFromPoolAsync", "clr answers hipErrorOutOfMemory, even if enough memory has been freed since"),
    fix="raise maxSize for hipMemPoolCreate, or reset hipMemPoolAttrReservedMemHigh to 0 after frees",
)
POINTER_IS_A_BASE = Rule(
    "`dev_ptr` is null (not in HIP 6.3), or the start of device memory of hipMalloc or a pool that has not been freed",
    Result.INVALID_VALUE,
    hip_tests(
        "hipFreeAsync",
        "a second free of the same address answers hipErrorInvalidValue; in HIP 6.3 so does null",
    ),
    fix="pass the address that hipMallocAsync returned, once and without an offset",
)
PROPERTIES_MAKE_SENSE = Rule(
    "`pool_props` describes pinned memory, or in HIP 7.2 managed memory, on a device that the process sees",
    Result.INVALID_VALUE,
    source("hipMemPoolCreate", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="set allocType to hipMemAllocationTypePinned, and location to a device below the count of hipGetDeviceCount",
)
DESCRIPTIONS_ARE_GIVEN = Rule(
    "`desc_list` is not null",
    Result.INVALID_VALUE,
    hip_tests("hipMemPoolSetAccess", "HIP answers hipErrorInvalidValue to a null argument"),
    fix="pass an array of hipMemAccessDesc, and its length for count",
)
COUNT_FITS_THE_DEVICES = Rule(
    "`count` is not greater than the number of devices that the process sees",
    Result.INVALID_DEVICE,
    hip_tests("hipMemPoolSetAccess", "HIP answers hipErrorInvalidDevice to one descriptor more than there are devices"),
    fix="pass at most one hipMemAccessDesc for each device that the process sees",
)
LOCATION_TO_OPEN_IS_A_DEVICE = Rule(
    "each location in `desc_list` is a device",
    Result.INVALID_VALUE,
    hip_tests("hipMemPoolSetAccess", "HIP answers hipErrorInvalidValue to any other location type"),
    fix="set location.type in each hipMemAccessDesc to hipMemLocationTypeDevice",
)
FLAGS_ARE_KNOWN = Rule(
    "`flags` of each entry of `desc_list` is 0 (no access), 1 (read), 3 (read and write) or 2, which HIP also accepts",
    Result.INVALID_VALUE,
    hip_tests("hipMemPoolSetAccess", "HIP answers hipErrorInvalidValue to any other flags; clr also accepts 2"),
    fix="set flags to hipMemAccessFlagsProtReadWrite, hipMemAccessFlagsProtRead or hipMemAccessFlagsProtNone",
)
OWNER_KEEPS_ACCESS = Rule(
    "no entry of `desc_list` has flags 0 (no access) for the pool's own device, or in HIP 6.3 for any device",
    Result.INVALID_DEVICE,
    hip_tests("hipMemPoolSetAccess", "flags 0 for the pool's device get hipErrorInvalidDevice, clr of 2024: for all"),
    fix="do not pass hipMemAccessFlagsProtNone for the pool's own device, and in ROCm of 2024 for any device",
)
OWNER_KEEPS_WRITING = Rule(
    "no entry of `desc_list` gives the pool's own device access for reading only",
    Result.NOT_SUPPORTED,
    source(
        "hipMemPoolSetAccess",
        "clr of 2026 answers hipErrorNotSupported to read-only access, which clr of 2024 ignores",
    ),
    fix="grant the pool's own device hipMemAccessFlagsProtReadWrite, or leave it out",
)
ATTRIBUTE_IS_KNOWN = Rule(
    "`attr` is a hipMemPoolAttr, and `value` is not null",
    Result.INVALID_VALUE,
    hip_tests("hipMemPoolSetAttribute", "HIP answers hipErrorInvalidValue to the attribute 9 and to a null value"),
    fix="pass a hipMemPoolAttr, such as hipMemPoolAttrReleaseThreshold, and the address of its value",
)
ATTRIBUTE_CAN_BE_SET = Rule(
    "`attr` is a reuse policy, the release threshold or a high-water mark",
    Result.INVALID_VALUE,
    source("hipMemPoolSetAttribute", "clr answers hipErrorInvalidValue to read-only attributes"),
    fix="set only reuse policies, hipMemPoolAttrReleaseThreshold and high-water marks",
)
MARK_IS_RESET = Rule(
    "the number at `value` is 0 if `attr` is a high-water mark",
    Result.INVALID_VALUE,
    source("hipMemPoolSetAttribute", "clr answers hipErrorInvalidValue for another value of a high-water mark"),
    fix="pass 0 for a high-water mark: a program can only reset it",
)
POOL_TO_END_IS_KNOWN = Rule(
    "`mem_pool` is a pool of this process that has not been destroyed",
    Result.INVALID_VALUE,
    source("hipMemPoolDestroy", "clr looks the pool up, and answers hipErrorInvalidValue to an unknown pool"),
    fix="call hipMemPoolDestroy once for each hipMemPoolCreate",
)
POOL_IS_NO_DEFAULT = Rule(
    "the pool is not the default pool of its device",
    Result.INVALID_VALUE,
    source("hipMemPoolDestroy", "clr answers hipErrorInvalidValue for the default pool"),
    fix="do not destroy default pools; hipMemPoolTrimTo releases their unused memory",
)


@guard
def pool_of(call: Call, handle: int) -> Pool:
    """Return the pool of a handle; any other value is undefined."""
    if not handle:
        raise POOL_IS_GIVEN.broken()
    pool = call.process.pools.live.get(handle)
    if pool is None:
        call.undefined(POOL_IS_KNOWN, pool=handle, found=call.process.freed.get(handle))
        raise POOL_IS_KNOWN.broken(pool=handle)
    return pool


@guard
def owner(call: Call, number: int) -> Device:
    """Return the device with an ordinal."""
    devices = entered(call).devices
    if not 0 <= number < len(devices):
        raise DEVICE_HAS_A_POOL.broken(device=number)
    return devices[number]


@HIP.op("hipDeviceGetDefaultMemPool")
def get_default(call: Call, number: int) -> int:
    """Return a device's default pool."""
    devices = answering(call).devices
    if not 0 <= number < len(devices):
        raise DEVICE_IS_THERE.broken(device=number)
    return default_pool(call, devices[number]).handle


@HIP.op("hipDeviceGetMemPool")
def get_current(call: Call, number: int) -> int:
    """Return the current memory pool of a device."""
    answering(call)
    return current_pool(call, owner(call, number)).handle


@HIP.op("hipDeviceSetMemPool")
def set_current(call: Call, number: int, handle: int) -> None:
    """Set the current memory pool of a device."""
    # CHECK
    device = owner(call, number)
    pool = pool_of(call, handle)
    if pool.device is not device:
        raise POOL_IS_THE_DEVICE_S.broken(pool=pool, device=device)
    # EFFECT
    pool_lifetime.use_pool(call.process, kind_of(call, device), pool)


def reused(pool: Pool, size: int, stream: Stream) -> bool:
    """Return whether an allocation can reuse freed memory of a pool."""
    holes = (hole for chunk in pool.chunks.values() for hole in chunk.holes)
    return any(hole.end - hole.start >= size and (hole.done or hole.stream is stream) for hole in holes)


@guard
def taken(pool: Pool, size: int, stream: Stream) -> int:
    """Allocate memory from a pool, and return its address."""
    if size > pool.device.memory.total:
        raise MEMORY_SUFFICES.broken(size=size, pool=pool)
    limit = pool.props.max_size
    if limit and pool.reserved_high + size > limit and not reused(pool, size, stream):
        raise LIMIT_SUFFICES.broken(size=size, most=pool.reserved_high, limit=limit, pool=pool)
    memory = pool_effects.allocate(pool, size, stream, history.here())
    if memory is None:
        raise MEMORY_SUFFICES.broken(size=size, pool=pool)
    return memory.start


@HIP.op("hipMallocAsync")
def malloc_async(call: Call, size: int, handle: int) -> int:
    """Allocate memory of a stream's device in stream order. The address is 0 for 0 bytes."""
    answering(call)
    stream = stream_at(call, handle)
    return taken(current_pool(call, stream.context.device), size, stream) if size else 0


@HIP.op("hipMallocFromPoolAsync")
def malloc_from_pool_async(call: Call, size: int, pool: int, handle: int) -> int:
    """Allocate memory of a pool in stream order. The address is 0 for 0 bytes."""
    answering(call)
    source_pool = pool_of(call, pool)
    stream = stream_at(call, handle)
    return taken(source_pool, size, stream) if size else 0


@HIP.op("hipFreeAsync")
def free_async(call: Call, ptr: int, handle: int) -> None:
    """Free memory in stream order."""
    # CHECK
    process = entered(call)
    if not ptr and does(call, REFUSES_NULL):
        raise POINTER_IS_A_BASE.broken(pointer=ptr)
    stream = stream_at(call, handle)
    if not ptr:
        return
    item = process.memory.at(ptr)
    if not isinstance(item, FREEABLE) or item.start != ptr or ptr in process.leaving:
        raise POINTER_IS_A_BASE.broken(pointer=ptr, found=item or process.freed.get(ptr))
    require_usable_context(stream.context)
    if isinstance(item, Pooled):
        release(call, item, stream)
        return
    unimported(call, item)
    # EFFECT
    memory_effects.free_later(item, stream, history.here())


@HIP.op("hipMemPoolCreate")
def create(call: Call, props: tuple[int, int, tuple[int, int], int, int] | None) -> int:
    """Create a pool of a device, and return it."""
    process = answering(call)
    kinds = {PINNED} if does(call, HAS_NO_MANAGED_POOLS) else {PINNED, MANAGED}
    devices = process.devices
    if props is None or props[0] not in kinds or props[2][0] != DEVICE or not 0 <= props[2][1] < len(devices):
        raise PROPERTIES_MAKE_SENSE.broken(properties=props)
    kind, handle_types, location, _, limit = props
    wanted = PoolProps(kind, handle_types, Location(*location), -(-limit // GRANULE) * GRANULE)
    return pool_lifetime.create_pool(process, wanted, devices[location[1]], history.here()).handle


@HIP.op("hipMemPoolDestroy")
def destroy(call: Call, handle: int) -> None:
    """Destroy a pool. Allocations of a destroyed pool stay until they are freed."""
    # CHECK
    process = entered(call)
    if not handle:
        raise POOL_IS_GIVEN.broken()
    pool = process.pools.live.get(handle) or process.pools.retired.get(handle)
    if pool is None:
        raise POOL_TO_END_IS_KNOWN.broken(pool=handle, found=process.freed.get(handle))
    if handle not in process.pools.live:  # memory that it gave out keeps it
        call.undefined(POOL_IS_KNOWN, pool=handle, found=pool)
        raise POOL_IS_KNOWN.broken(pool=handle)
    if pool.default:
        raise POOL_IS_NO_DEFAULT.broken(pool=pool)
    # EFFECT
    pool_lifetime.end_pool(pool, history.here())


@HIP.op("hipMemPoolTrimTo")
def trim_to(call: Call, handle: int, size: int) -> None:
    """Release unused memory of a pool to the device, down to a given size."""
    entered(call)
    pool_of(call, handle).trim(size)


@guard
def attribute_known(call: Call, attribute: int, *, is_given: bool) -> None:
    """Check that a pool attribute is known, and can be read or written."""
    if attribute not in ATTRIBUTES or not is_given:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute, nulls=call.nulls)


@HIP.op("hipMemPoolGetAttribute")
def get_attribute(call: Call, handle: int, attribute: int) -> int:
    """Return an attribute of a pool."""
    entered(call)
    pool = pool_of(call, handle)
    attribute_known(call, attribute, is_given=not call.nulls)
    return VALUES[attribute](pool)


@HIP.op("hipMemPoolSetAttribute")
def set_attribute(call: Call, handle: int, attribute: int, value: int | None) -> None:
    """Set an attribute of a pool. A high-water mark can only be reset to 0."""
    # CHECK
    entered(call)
    pool = pool_of(call, handle)
    attribute_known(call, attribute, is_given=value is not None)
    if attribute not in CHANGEABLE:
        raise ATTRIBUTE_CAN_BE_SET.broken(attribute=attribute)
    if attribute in MARKS and value:
        raise MARK_IS_RESET.broken(attribute=attribute, value=value)
    # EFFECT
    assert value is not None
    if attribute in POLICIES:
        pool.set_policy(attribute, enabled=bool(value & 1))  # clr keeps a bit of it
    elif attribute == THRESHOLD:
        pool.set_threshold(value)
    elif attribute == RESERVED_HIGH:
        pool.clear_reserved_high()
    else:
        pool.clear_used_high()


@guard
def suited(call: Call, pool: Pool, description: tuple[tuple[int, int], int]) -> int:
    """Return the device ordinal of an access descriptor."""
    (kind, number), flags = description
    if kind != DEVICE:
        raise LOCATION_TO_OPEN_IS_A_DEVICE.broken(location=(kind, number))
    if not 0 <= number < len(call.process.devices):
        raise DEVICE_IS_THERE.broken(device=number)
    if not NONE <= flags <= READ_WRITE:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    device = call.process.devices[number]
    if flags == NONE and (device is pool.device or does(call, REFUSES_NONE)):
        raise OWNER_KEEPS_ACCESS.broken(pool=pool, device=device)
    if device is pool.device and flags == READ:
        refuse(call, OWNER_KEEPS_WRITING, pool=pool)
    return device.ordinal


@HIP.op(
    "hipMemPoolSetAccess",
    acts_before=(
        LOCATION_TO_OPEN_IS_A_DEVICE,
        DEVICE_IS_THERE,
        FLAGS_ARE_KNOWN,
        OWNER_KEEPS_ACCESS,
        OWNER_KEEPS_WRITING,
    ),
)
def set_access(call: Call, handle: int, desc: tuple[tuple[tuple[int, int], int], ...] | None, count: int) -> None:
    """Set which devices may access the memory of a pool."""
    # CHECK
    process = entered(call)
    pool = pool_of(call, handle)
    if desc is None:
        raise DESCRIPTIONS_ARE_GIVEN.broken(count=count)
    if count > len(process.devices):
        raise COUNT_FITS_THE_DEVICES.broken(count=count)
    # EFFECT
    own = {pool.device.ordinal: READ_WRITE}
    if does(call, GOES_ONE_BY_ONE):
        for description in desc[:count]:
            pool.set_access({suited(call, pool, description): description[1]} | own)
    else:
        pool.set_access({suited(call, pool, description): description[1] for description in desc[:count]} | own)


@HIP.op("hipMemPoolGetAccess")
def get_access(call: Call, handle: int, location: tuple[int, int] | None) -> int:
    """Return the access of a device to the memory of a pool."""
    answering(call)
    pool = pool_of(call, handle)
    return pool.flags(device_of(call, location).ordinal)
