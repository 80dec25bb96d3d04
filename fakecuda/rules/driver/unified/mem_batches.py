"""Batches of ranges of managed memory: a stream prefetches them, discards them, or both, in any order.

Locations belong to ranges by the index of the first: ``prefetchLocIdxs`` of 0 and 4 send the ranges 0 to 3 to the first
location, and the others to the second. The content of a discarded range is indeterminate until it is written; in the
model it keeps its content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.accesses import DISCARDS
from fakecuda.model.work.stream import LEGACY
from fakecuda.rules.core import Rule, guard, manual, observed
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.driver.unified.managed import RANGE_IS_NOT_EMPTY, advice_at, is_managed, known_place, node_at
from fakecuda.rules.driver.unified.mem_prefetch_async import sent
from fakecuda.rules.driver.va.properties import DEVICE, HOST_NUMA
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.model.call import Call
    from fakecuda.model.work.accesses import Use
    from fakecuda.model.work.stream import Stream

    Integers = tuple[int, ...]
    Location = tuple[int, int]

FLAGS_ARE_ZERO = Rule(
    "`flags` is 0",
    Result.INVALID_VALUE,
    manual("cuMemPrefetchBatchAsync", "Flags reserved for future use. Must be zero."),
    fix="pass 0 for the flags",
)
STREAM_IS_NOT_LEGACY = Rule(
    "the stream is not the legacy default stream",
    Result.INVALID_VALUE,
    manual("cuMemPrefetchBatchAsync", "Must not be legacy NULL"),
    fix="pass a created stream or the per-thread default stream; null is the legacy default stream",
)
ARRAYS_ARE_GIVEN = Rule(
    "no array argument is null",
    Result.INVALID_VALUE,
    manual("cuMemPrefetchBatchAsync", "Both arrays must be of the same length as specified by"),
    fix="pass all arrays: dptrs and sizes, and for a prefetch prefetchLocs and prefetchLocIdxs",
)
THERE_ARE_RANGES = Rule(
    "`count` is not 0",
    Result.INVALID_VALUE,
    observed("cuMemDiscardBatchAsync", "the driver answers INVALID_VALUE to a count of 0"),
    fix="skip the call if there is nothing to discard",
)
EVERY_RANGE_HAS_A_LOCATION = Rule(
    "`numPrefetchLocs` is at least 1 and at most `count`",
    Result.INVALID_VALUE,
    manual("cuMemPrefetchBatchAsync", "numPrefetchLocs must be lesser than or equal to count"),
    fix="pass from 1 to count locations; one location with index 0 applies to all ranges",
)
FIRST_INDEX_IS_ZERO = Rule(
    "`prefetchLocIdxs[0]` is 0",
    Result.INVALID_VALUE,
    manual("cuMemPrefetchBatchAsync", "must always be 0"),
    fix="set prefetchLocIdxs[0] to 0",
)
INDICES_INCREASE = Rule(
    "no entry of `prefetchLocIdxs` is less than the previous one, and the last is less than `count`",
    Result.INVALID_VALUE,
    manual("cuMemPrefetchBatchAsync", "the last entry should be less than count"),
    fix="sort prefetchLocIdxs, and keep the last entry below count",
)
DEVICE_IS_THERE = Rule(
    "each device in `prefetchLocs` is a device that the process sees",
    Result.INVALID_VALUE,
    observed("cuMemPrefetchBatchAsync", "the driver answers INVALID_VALUE for a missing device"),
    fix="set id in each location to a number below the count of devices",
)


@orders.makes(orders.DISCARD)
def discard(call: Call, working: Stream, dptrs: Integers, sizes: Integers) -> None:
    """Check ranges that a stream discards for races with other work and the host."""
    uses: list[Use] = []
    for start, count in zip(dptrs, sizes, strict=True):
        item = call.process.memory.at(start)
        assert is_managed(item)
        size = min(count, item.end - start)
        uses.append((DISCARDS, (start, size), [(item.extent, start - item.origin, size)], None))
    race.in_stream(call, working, tuple(uses), depth=race.ASKED + 1)


def _prefetching(name: str, does: str, before: Callable[..., None] | None = None) -> Callable[..., None]:
    """Declare a call that prefetches ranges, and optionally discards them first."""

    @DRIVER.op(name, several="each range is work of its own", does=does)
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
        """Have a stream {does} ranges of managed memory.

        Args:
            call: The call.
            dptrs: The first address of each range.
            sizes: Its bytes.
            count: How many ranges.
            locations: Where to: CUmemLocation, (type, id).
            indices: The first range that each of them belongs to.
            location_count: How many locations.
            flags: 0.
            stream: The stream.
        """
        # CHECK
        working = working_of(call, name, flags, stream)
        prefetches = prefetched(call, working, (dptrs, sizes, count), (locations, indices, location_count))
        # EFFECT
        if before is not None:
            before(call, working, dptrs or (), sizes or ())
        for prefetch in prefetches:
            prefetch()
        stream_scheduler.occupy(working)

    return prefetch_batch_async


@DRIVER.op("cuMemDiscardBatchAsync")
def mem_discard_batch_async(
    call: Call, dptrs: Integers | None, sizes: Integers | None, count: int, flags: int, stream: int
) -> None:
    """Have a stream discard the content of ranges of managed memory."""
    # CHECK
    working = working_of(call, "cuMemDiscardBatchAsync", flags, stream)
    discarded(call, dptrs, sizes, count)
    # EFFECT
    discard(call, working, dptrs or (), sizes or ())
    stream_scheduler.occupy(working, beside=True)


mem_prefetch_batch_async = _prefetching("cuMemPrefetchBatchAsync", "prefetch")
mem_discard_and_prefetch_batch_async = _prefetching(
    "cuMemDiscardAndPrefetchBatchAsync", "discard and prefetch", discard
)


@guard
def working_of(call: Call, name: str, flags: int, stream: int) -> Stream:
    """Return the stream of a batch, which must not be the legacy default stream."""
    if flags:
        raise FLAGS_ARE_ZERO.broken(flags=flags)
    if (stream or call.default_stream) == LEGACY:
        raise STREAM_IS_NOT_LEGACY.broken(stream=stream)
    return stream_of(call, stream, name)


@guard
def discarded(call: Call, dptrs: Integers | None, sizes: Integers | None, count: int) -> None:
    """Check that all ranges to discard are managed memory."""
    if dptrs is None or sizes is None:
        raise ARRAYS_ARE_GIVEN.broken()
    if not count:
        raise THERE_ARE_RANGES.broken()
    for start, size in zip(dptrs, sizes, strict=True):
        if not size:
            raise RANGE_IS_NOT_EMPTY.broken(pointer=start)
        advice_at(call, start, size)


@guard
def prefetched(
    call: Call,
    working: Stream,
    ranges: tuple[Integers | None, Integers | None, int],
    places: tuple[tuple[Location, ...] | None, Integers | None, int],
) -> list[Callable[[], None]]:
    """Return a function that moves the ranges of a batch to their locations.

    Args:
        call: The call.
        working: The stream.
        ranges: The first addresses, the sizes, and how many ranges there are.
        places: The locations, the first range of each, and how many locations there are.
    """
    dptrs, sizes, count = ranges
    locations, indices, location_count = places
    if dptrs is None or sizes is None or locations is None or indices is None:
        raise ARRAYS_ARE_GIVEN.broken()
    if not 0 < location_count <= count:
        raise EVERY_RANGE_HAS_A_LOCATION.broken(locations=location_count, ranges=count)
    if indices[0]:
        raise FIRST_INDEX_IS_ZERO.broken(index=indices[0])
    for first, end in zip(indices, (*indices[1:], count), strict=True):
        if first > end or first >= count:
            raise INDICES_INCREASE.broken(indices=indices, ranges=count)
    for location in locations:
        known_place(location)
        if location[0] == DEVICE and not 0 <= location[1] < len(call.process.devices):
            raise DEVICE_IS_THERE.broken(device=location[1])
        if location[0] == HOST_NUMA:
            node_at(call, location[1])
    return [
        sent(call, working, start, size, location)
        for start, size, location in zip(dptrs, sizes, _each(locations, indices, count), strict=True)
    ]


def _each(locations: tuple[Location, ...], indices: Integers, count: int) -> Iterator[Location]:
    """Yield each range's location; repeated indices hide earlier locations."""
    place = 0
    for number in range(count):
        if number and place + 1 < len(indices) and indices[place + 1] == number:
            place += 1
        yield locations[place]
