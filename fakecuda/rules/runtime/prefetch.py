"""cudaMemPrefetchBatchAsync: a stream prefetches many ranges, in any order.

Locations belong to ranges by the index of the first: ``prefetchLocIdxs`` of 0 and 4 send the ranges 0 to 3 to the first
location, and the others to the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import RUNTIME
from fakecuda.codes import Result
from fakecuda.model import queueing
from fakecuda.model.stream import LEGACY
from fakecuda.rules.core import Rule, manual, observed
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.unified.managed import known_place, node_at
from fakecuda.rules.driver.unified.mem_prefetch_async import sent
from fakecuda.rules.driver.va.properties import DEVICE, HOST_NUMA
from fakecuda.rules.runtime.active import active

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.call import Call

    Integers = tuple[int, ...]
    Location = tuple[int, int]

FLAGS_ARE_ZERO = Rule(
    "the flags are 0",
    Result.INVALID_VALUE,
    manual("cudaMemPrefetchBatchAsync", "Flags reserved for future use. Must be zero."),
)
STREAM_IS_NOT_LEGACY = Rule(
    "the stream is not the legacy default stream",
    Result.INVALID_VALUE,
    manual("cudaMemPrefetchBatchAsync", "Must not be legacy NULL"),
)
ARRAYS_ARE_GIVEN = Rule(
    "no array is null",
    Result.INVALID_VALUE,
    manual("cudaMemPrefetchBatchAsync", "Both arrays must be of the same length as specified by"),
)
EVERY_RANGE_HAS_A_LOCATION = Rule(
    "there are locations, and no more than ranges",
    Result.INVALID_VALUE,
    manual("cudaMemPrefetchBatchAsync", "`numPrefetchLocs` must be lesser than or equal to `count`"),
)
FIRST_INDEX_IS_ZERO = Rule(
    "the first location belongs to the first range",
    Result.INVALID_VALUE,
    manual("cudaMemPrefetchBatchAsync", "must always be 0"),
)
INDICES_INCREASE = Rule(
    "no index is less than the one before, and the last is less than the number of ranges",
    Result.INVALID_VALUE,
    manual("cudaMemPrefetchBatchAsync", "the last entry should be less than `count`"),
)
DEVICE_IS_THERE = Rule(
    "a location that is a device is one that the process sees",
    Result.INVALID_VALUE,
    observed("cudaMemPrefetchBatchAsync", "cudaErrorInvalidValue for a device that there is none of"),
)


@RUNTIME.op("cudaMemPrefetchBatchAsync", several="each range is work of its own")
def prefetch_batch_async(
    call: Call,
    dptrs: Integers | None,
    sizes: Integers | None,
    count: int,
    locations: tuple[Location, ...] | None,
    indices: Integers | None,
    location_count: int,
    flags: int,
    stream: int,
) -> None:
    """Have a stream prefetch the pages of ranges of managed memory.

    Args:
        call: The call.
        dptrs: The first address of each range.
        sizes: Its bytes.
        count: How many ranges.
        locations: Where to: cudaMemLocation, (type, id).
        indices: The first range that each of them belongs to.
        location_count: How many locations.
        flags: 0.
        stream: The stream.
    """
    # CHECK
    active(call)
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if (stream or call.default_stream) == LEGACY:
        raise STREAM_IS_NOT_LEGACY.broken(stream=stream)
    working = stream_of(call, stream, "cudaMemPrefetchBatchAsync")
    if dptrs is None or sizes is None or locations is None or indices is None:
        raise ARRAYS_ARE_GIVEN.broken()
    if not 0 < location_count <= count:
        raise EVERY_RANGE_HAS_A_LOCATION.broken(locations=location_count, ranges=count)
    if indices[0]:
        raise FIRST_INDEX_IS_ZERO.broken(index=indices[0])
    ends = (*indices[1:], count)
    for first, end in zip(indices, ends, strict=True):
        if first > end or first >= count:
            raise INDICES_INCREASE.broken(indices=indices, ranges=count)
    for location in locations:
        known_place(location)
        if location[0] == DEVICE and not 0 <= location[1] < len(call.process.devices):
            raise DEVICE_IS_THERE.broken(device=location[1])
        if location[0] == HOST_NUMA:
            node_at(location[1])
    prefetches = [
        sent(call, working, ptr, size, location)
        for ptr, size, location in zip(dptrs, sizes, _each(locations, indices, count), strict=True)
    ]
    # EFFECT
    for prefetch in prefetches:
        prefetch()
    queueing.submit(working, call.machine.clock.launched)


def _each(locations: tuple[Location, ...], indices: Integers, count: int) -> Iterator[Location]:
    """Return the location of each range; one whose index the location before it has, too, is never come to."""
    place = 0
    for number in range(count):
        if number and place + 1 < len(indices) and indices[place + 1] == number:
            place += 1
        yield locations[place]
