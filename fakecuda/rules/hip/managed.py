"""Managed memory: advice, prefetches, and queries of their effects.

clr checks little and leaves the rest to the kernel driver: advice is for managed memory and for ordinary host memory,
for which the model keeps nothing. A prefetch of other memory is queued and fails there without a visible error.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from fakecuda.model import context_effects
from fakecuda.model.memory.advice import NOTHING, State
from fakecuda.model.memory.memory import Managed, Pinned
from fakecuda.model.memory.va import Location
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import LEGACY
from fakecuda.rules.core import Rule, guard, hip_tests, source
from fakecuda.rules.driver.unified.managed import is_managed
from fakecuda.rules.driver.unified.mem_advise import ADVICE, PAGEABLE, change_of
from fakecuda.rules.driver.unified.range_attributes import ACCESSED_BY, WIDTH, value_of
from fakecuda.rules.hip.active import arrived, context_on, does, entered
from fakecuda.rules.hip.memory import COHERENT, NON_COHERENT
from fakecuda.rules.hip.stream import stream_of
from fakecuda.rules.hip.va import range_given
from fakecuda.rules.registry import HIP
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.call import Call
    from fakecuda.model.work.stream import Stream

DEVICE, HOST, HOST_NUMA, CURRENT_NODE = 1, 2, 3, 4
HOSTS = frozenset({HOST, HOST_NUMA, CURRENT_NODE})
"""Location types of the host (hipMemLocationType)."""
CPU = -1
"""hipCpuDeviceId."""
READ_MOSTLY = frozenset({ADVICE["SET_READ_MOSTLY"], ADVICE["UNSET_READ_MOSTLY"]})
UNSET_ACCESS = ADVICE["UNSET_ACCESSED_BY"]
SET_COARSE, UNSET_COARSE = 100, 101
"""hipMemAdviseSetCoarseGrain, _UnsetCoarseGrain; other advice has CUDA's numbers."""
COHERENCY = 100
"""hipMemRangeAttributeCoherencyMode; other attributes have CUDA's numbers."""
ATTRIBUTES = frozenset({1, 2, ACCESSED_BY, 4, COHERENCY})
"""hipMemRangeAttribute."""
FINE, COARSE, MIXED = 0, 1, 2
"""hipMemRangeCoherencyMode."""
DEVICE_COMES_FIRST = "hipMemAdvise.looks-at-the-device-first"

RANGE_FITS = Rule(
    "the range does not pass the end of the allocation that it begins in",
    Result.INVALID_VALUE,
    hip_tests(
        "hipMemPrefetchAsync",
        "HIP answers hipErrorInvalidValue to a range one byte too long; clr does so in hipMemAdvise",
    ),
    fix="pass at most the bytes from the address to the end of its allocation",
)
DEVICE_IS_THERE = Rule(
    "the device is the host or a device that the process sees; advice that sets or unsets read-mostly ignores the device",
    Result.INVALID_DEVICE,
    hip_tests("hipMemPrefetchAsync", "HIP answers hipErrorInvalidDevice to hipInvalidDeviceId, also in hipMemAdvise"),
    fix="pass hipCpuDeviceId, or a number below the count that hipGetDeviceCount returns",
)
LOCATION_IS_KNOWN = Rule(
    "`location.type` is a device, the host, a host NUMA node or the current host NUMA node",
    Result.INVALID_VALUE,
    source("hipMemAdvise_v2", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="set type in the hipMemLocation to hipMemLocationTypeDevice, the host or a host NUMA node",
)
ADVICE_IS_KNOWN = Rule(
    "`advice` is a hipMemoryAdvise",
    Result.INVALID_VALUE,
    hip_tests("hipMemAdvise", "HIP answers hipErrorInvalidValue to -1"),
    fix="pass a hipMemoryAdvise, such as hipMemAdviseSetReadMostly",
)
RANGE_IS_MANAGED = Rule(
    "the range lies in managed memory, or in host memory that HIP neither allocated nor registered",
    Result.INVALID_VALUE,
    hip_tests("hipMemAdvise", "HIP answers hipErrorInvalidValue to memory of hipMalloc"),
    fix="allocate with hipMallocManaged; memory of hipMalloc takes no advice and has no range attributes",
)
FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    source("hipMemPrefetchAsync_v2", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass 0 for the flags of hipMemPrefetchAsync_v2",
)
DEVICE_REACHES_IT = Rule(
    "memory not from HIP (allocated or registered) is prefetched to the host, or to a device with pageableMemoryAccess",
    Result.NOT_SUPPORTED,
    source("hipMemPrefetchAsync", "clr answers hipErrorNotSupported if this rule is broken"),
    fix="allocate with hipMallocManaged if hipDeviceAttributePageableMemoryAccess is 0",
)
ARGUMENTS_ARE_GIVEN = Rule(
    "no array is null, `num_prefetch_locs` is 1 to `count`, `flags` is 0, and `stream` is not null",
    Result.INVALID_VALUE,
    source("hipMemPrefetchBatchAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass all arrays, at most as many locations as ranges, a created stream, and 0 for the flags",
)
INDICES_INCREASE = Rule(
    "`prefetch_loc_idxs` begins with 0, strictly increases, and stays below `count`",
    Result.INVALID_VALUE,
    source("hipMemPrefetchBatchAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="begin prefetch_loc_idxs with 0, sort it without duplicates, and keep the last entry below count",
)
RANGES_ARE_ALLOCATED = Rule(
    "each range is not empty and lies in memory that HIP allocated, registered, mapped or imported in this process",
    Result.INVALID_VALUE,
    source("hipMemPrefetchBatchAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="pass ranges of at least one byte that end inside their allocations",
)
DEVICE_OF_A_BATCH_IS_THERE = Rule(
    "each device in `prefetch_locs` is a device that the process sees",
    Result.INVALID_VALUE,
    source("hipMemPrefetchBatchAsync", "clr answers hipErrorInvalidValue to any other device"),
    fix="set id in each hipMemLocation to a number below the count that hipGetDeviceCount returns",
)
MEMORY_IS_SHARED = Rule(
    "each range lies in managed memory or in host memory that HIP allocated, or device 0 has pageableMemoryAccess",
    Result.INVALID_VALUE,
    source("hipMemPrefetchBatchAsync", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="allocate the ranges with hipMallocManaged or hipHostMalloc; memory of hipMalloc cannot be prefetched",
)
ATTRIBUTE_IS_KNOWN = Rule(
    "each attribute is a hipMemRangeAttribute",
    Result.INVALID_VALUE,
    hip_tests("hipMemRangeGetAttribute", "HIP answers hipErrorInvalidValue to any other value"),
    fix="pass a hipMemRangeAttribute, such as hipMemRangeAttributeReadMostly",
)
DATA_IS_GIVEN = Rule(
    "no pointer is null, and no size, `count` or number of attributes is 0",
    Result.INVALID_VALUE,
    hip_tests(
        "hipMemRangeGetAttribute",
        "hipMemRangeGetAttribute and hipMemRangeGetAttributes answer hipErrorInvalidValue to null and to a size of 0",
    ),
    fix="pass addresses for the results, the range's address, and sizes above 0",
)
SIZE_IS_THE_ATTRIBUTES = Rule(
    "each data size is 4, or a multiple of 4 for hipMemRangeAttributeAccessedBy",
    Result.INVALID_VALUE,
    hip_tests("hipMemRangeGetAttribute", "HIP answers hipErrorInvalidValue to any other value"),
    fix="pass 4 for data_size, or 4 bytes for each device with hipMemRangeAttributeAccessedBy",
)
MEMORY_IS_HIPS = Rule(
    "`dev_ptr` lies in managed memory or in host memory that HIP allocated",
    Result.INVALID_VALUE,
    source("hipMemRangeGetAttributes", "clr answers hipErrorInvalidValue if this rule is broken"),
    fix="call hipMemRangeGetAttributes only for memory of hipMallocManaged or hipHostMalloc",
)


def location_of(number: int) -> tuple[int, int]:
    """Return the location of a device number or hipCpuDeviceId."""
    return (HOST, CPU) if number == CPU else (DEVICE, number)


@guard
def device_there(call: Call, location: tuple[int, int]) -> None:
    """Check that the device of a location exists."""
    if location[0] not in HOSTS and not 0 <= location[1] < len(call.process.devices):
        raise DEVICE_IS_THERE.broken(location=location)


@guard
def fitting(call: Call, ptr: int, size: int) -> object:
    """Return the memory of a range. None if HIP has not allocated it."""
    item = call.process.memory.at(ptr)
    if item is not None and ptr + size > item.end:
        raise RANGE_FITS.broken(pointer=ptr, size=size, found=item)
    return item


@guard
def shared(call: Call, item: object, ptr: int, size: int) -> None:
    """Check that memory is managed, or pageable host memory."""
    if not is_managed(item) and (item is not None or not call.process.system.access_of(ptr, size)):
        raise RANGE_IS_MANAGED.broken(pointer=ptr, size=size, found=item or call.process.freed.get(ptr))


@guard
def advisable(call: Call, ptr: int, size: int, advice: int, location: tuple[int, int]) -> None:
    """Check the range that advice is for; some runtimes check the device first."""
    if advice not in READ_MOSTLY and does(call, DEVICE_COMES_FIRST):
        device_there(call, location)
    range_given(ptr, size)


@guard
def advised(call: Call, ptr: int, size: int, advice: int, location: tuple[int, int]) -> None:
    """Give advice on the pages of a range."""
    # CHECK
    if advice not in READ_MOSTLY:
        device_there(call, location)
    item = fitting(call, ptr, size)
    if advice not in ADVICE.values() and advice not in {SET_COARSE, UNSET_COARSE}:
        raise ADVICE_IS_KNOWN.broken(advice=advice)
    shared(call, item, ptr, size)
    # EFFECT
    if is_managed(item):
        item.block.advice.change(ptr, ptr + size, _change(advice, location))


def _change(advice: int, location: tuple[int, int]) -> Callable[[State], State]:
    """Return the change that advice makes to pages; for the host, clr clears device 0."""
    if advice in {SET_COARSE, UNSET_COARSE}:
        return lambda state: state._replace(coarse=advice == SET_COARSE)
    on_host = location[0] in HOSTS
    if advice == UNSET_ACCESS and on_host:
        return change_of(advice, (DEVICE, 0))
    return change_of(advice, (HOST, 0) if on_host else location)


@HIP.op("hipMemAdvise")
def advise(call: Call, ptr: int, size: int, advice: int, number: int) -> None:
    """Give advice on the pages of a range, for a device number or hipCpuDeviceId."""
    entered(call)
    location = location_of(number)
    advisable(call, ptr, size, advice, location)
    advised(call, ptr, size, advice, location)


@HIP.op("hipMemAdvise_v2")
def advise_v2(call: Call, ptr: int, size: int, advice: int, location: tuple[int, int]) -> None:
    """Give advice on the pages of a range."""
    arrived(call, "hipMemAdvise_v2")
    advisable(call, ptr, size, advice, location)
    if location[0] != DEVICE and location[0] not in HOSTS:
        raise LOCATION_IS_KNOWN.broken(location=location)
    advised(call, ptr, size, advice, location)


@guard
def prefetched(call: Call, ptr: int, size: int, location: tuple[int, int], handle: int) -> None:
    """Have a stream prefetch the pages of a range; null is the target device's stream."""
    # CHECK
    range_given(ptr, size)
    stream: Stream = stream_of(call, handle)
    item = fitting(call, ptr, size)
    device_there(call, location)
    if location[0] not in HOSTS:
        device = call.process.devices[location[1]]
        if item is None and not device.profile.attributes.get(PAGEABLE):
            raise DEVICE_REACHES_IT.broken(pointer=ptr, found=call.process.freed.get(ptr))
        if handle <= LEGACY:
            stream = context_effects.default_stream(context_on(call, device), LEGACY, call.thread.name)
    # EFFECT
    sent(item, ptr, size, location)
    stream_scheduler.occupy(stream)


def sent(item: object, ptr: int, size: int, location: tuple[int, int]) -> None:
    """Record where managed memory was prefetched to."""
    place = Location(HOST, 0) if location[0] in HOSTS else Location(DEVICE, location[1])
    if is_managed(item):
        item.block.advice.change(ptr, ptr + size, lambda state: state._replace(prefetched=place))


@HIP.op("hipMemPrefetchAsync", several="what is asked for counts at once, the stream's work takes its time")
def prefetch_async(call: Call, ptr: int, size: int, number: int, stream: int) -> None:
    """Have a stream prefetch a range to a device, or to hipCpuDeviceId."""
    entered(call)
    prefetched(call, ptr, size, location_of(number), stream)


@HIP.op("hipMemPrefetchAsync_v2", several="what is asked for counts at once, the stream's work takes its time")
def prefetch_async_v2(call: Call, ptr: int, size: int, location: tuple[int, int], flags: int, stream: int) -> None:
    """Have a stream prefetch a range to the host or to a device."""
    arrived(call, "hipMemPrefetchAsync_v2")
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    prefetched(call, ptr, size, location, stream)


@HIP.op("hipMemPrefetchBatchAsync", several="each range is work of its own")
def prefetch_batch_async(
    call: Call,
    pointers: tuple[int, ...] | None,
    sizes: tuple[int, ...] | None,
    count: int,
    locations: tuple[tuple[int, int], ...] | None,
    indices: tuple[int, ...] | None,
    location_count: int,
    flags: int,
    stream: int,
) -> None:
    """Have a stream prefetch several ranges.

    Args:
        call: The call.
        pointers: The first addresses.
        sizes: Bytes of each.
        count: How many ranges.
        locations: Where to; what is no device is the host.
        indices: The first range that each of them is for.
        location_count: How many locations.
        flags: 0.
        stream: The stream.
    """
    # CHECK
    process = arrived(call, "hipMemPrefetchBatchAsync")
    given = not (pointers is None or sizes is None or locations is None or indices is None)
    if not given or not 0 < location_count <= count or flags or not stream:
        raise ARGUMENTS_ARE_GIVEN.broken(ranges=count, locations=location_count, flags=flags, stream=stream)
    assert pointers is not None
    assert sizes is not None
    assert locations is not None
    assert indices is not None
    taken = indices[:location_count]
    if taken[0] or taken[-1] >= count or any(one >= other for one, other in pairwise(taken)):
        raise INDICES_INCREASE.broken(indices=indices, ranges=count)
    working = stream_of(call, stream)
    ranges = list(zip(pointers[:count], sizes[:count], strict=True))
    items = [process.memory.at(ptr) if ptr and size else None for ptr, size in ranges]
    for (ptr, size), item in zip(ranges, items, strict=True):
        if item is None or ptr + size > item.end:
            raise RANGES_ARE_ALLOCATED.broken(pointer=ptr, size=size, found=item)
    for location in locations[:location_count]:
        if location[0] == DEVICE and not 0 <= location[1] < len(process.devices):
            raise DEVICE_OF_A_BATCH_IS_THERE.broken(location=location)
    for item in items:
        if not (is_managed(item) or isinstance(item, Pinned)) and not process.devices[0].profile.attributes.get(
            PAGEABLE
        ):
            raise MEMORY_IS_SHARED.broken(found=item)
    # EFFECT
    for number, ((ptr, size), item) in enumerate(zip(ranges, items, strict=True)):
        location = locations[max(which for which, first in enumerate(taken) if first <= number)]
        sent(item, ptr, size, location if location[0] == DEVICE else (HOST, CPU))
    stream_scheduler.occupy(working)


@guard
def attribute_of(call: Call, item: object, attribute: int, size: int, ptr: int, count: int) -> int | tuple[int, ...]:
    """Return an attribute that all pages of a range have in common."""
    if attribute not in ATTRIBUTES:
        raise ATTRIBUTE_IS_KNOWN.broken(attribute=attribute)
    coherent = isinstance(item, Pinned) and (item.flags & COHERENT or not item.flags & NON_COHERENT)
    if attribute != COHERENCY or item is None or is_managed(item):
        shared(call, item, ptr, count)
    if is_managed(item) and ptr + count > item.end:
        raise RANGE_IS_MANAGED.broken(pointer=ptr, size=count, found=item)
    if size != WIDTH and (attribute != ACCESSED_BY or size % WIDTH):
        raise SIZE_IS_THE_ATTRIBUTES.broken(attribute=attribute, size=size)
    states = item.block.advice.states(ptr, ptr + count) if is_managed(item) else {NOTHING}
    if attribute != COHERENCY:
        return value_of(call, attribute, size, states)
    if item is not None and not isinstance(item, Managed) and not is_managed(item):
        return FINE if coherent else COARSE
    modes = {COARSE if state.coarse else FINE for state in states}
    return modes.pop() if len(modes) == 1 else MIXED


@HIP.op("hipMemRangeGetAttribute")
def range_get_attribute(call: Call, size: int, attribute: int, ptr: int, count: int) -> int | tuple[int, ...]:
    """Return an attribute that all pages of a range have in common.

    Args:
        call: The call.
        size: Bytes of the result.
        attribute: hipMemRangeAttribute.
        ptr: The first address.
        count: Bytes.

    Returns:
        An int; of the devices that access it as many as there is room for, hipInvalidDeviceId behind the last.
    """
    process = entered(call)
    if call.nulls or not (size and ptr and count):
        raise DATA_IS_GIVEN.broken(size=size, pointer=ptr, count=count)
    return attribute_of(call, process.memory.at(ptr), attribute, size, ptr, count)


@HIP.op("hipMemRangeGetAttributes")
def range_get_attributes(
    call: Call, sizes: tuple[int, ...] | None, attributes: tuple[int, ...] | None, number: int, ptr: int, count: int
) -> tuple[int | tuple[int, ...], ...]:
    """Return attributes that all pages of a range have in common.

    Args:
        call: The call.
        sizes: Bytes of each result.
        attributes: hipMemRangeAttribute values.
        number: Their number.
        ptr: The first address.
        count: Bytes.
    """
    process = entered(call)
    if call.nulls or sizes is None or attributes is None or not (number and ptr and count):
        raise DATA_IS_GIVEN.broken(sizes=sizes, attributes=attributes, pointer=ptr, count=count)
    item = process.memory.at(ptr)
    if not isinstance(item, Pinned) and not is_managed(item):
        raise MEMORY_IS_HIPS.broken(pointer=ptr, found=item or process.freed.get(ptr))
    asked = zip(attributes[:number], sizes, strict=False)
    return tuple([attribute_of(call, item, attribute, size, ptr, count) for attribute, size in asked])
