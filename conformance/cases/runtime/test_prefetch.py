"""cudaMemPrefetchBatchAsync: prefetch ranges of managed memory to locations.

https://docs.nvidia.com/cuda/cuda-runtime-api/group__CUDART__MEMORY.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.runtime.fixtures import HERE, PAGE, managed, memory, stream
from conformance.kit.case import Entry, suite

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

LEGACY = 1
MISSING = 99
HOST, NODE = 2, 3
PLACE, NUMBER = 3, 4
"""cudaMemRangeAttributeLastPrefetchLocation and cudaMemRangeAttributeLastPrefetchLocationType, which are 4 and its like."""

prefetch = Entry.of(
    "cudaMemPrefetchBatchAsync",
    lambda a: ((managed(a), managed(a)), (PAGE, PAGE), 2, (HERE, (HOST, 0)), (0, 1), 2, 0, stream(a)),
)
prefetch.breaks("unified.mem_batches.FLAGS_ARE_ZERO", flags=1)
prefetch.breaks("unified.mem_batches.STREAM_IS_NOT_LEGACY", stream=0)
prefetch.breaks("unified.mem_batches.STREAM_IS_NOT_LEGACY", "by its name", stream=LEGACY)
for array in ("dptrs", "sizes", "prefetchLocs", "prefetchLocIdxs"):
    prefetch.breaks("unified.mem_batches.ARRAYS_ARE_GIVEN", array, **{array: None})
prefetch.breaks("unified.mem_batches.EVERY_RANGE_HAS_A_LOCATION", "none", numPrefetchLocs=0)
prefetch.breaks("unified.mem_batches.EVERY_RANGE_HAS_A_LOCATION", "too many", count=1)
prefetch.breaks("unified.mem_batches.FIRST_INDEX_IS_ZERO", prefetchLocIdxs=(1, 2))
prefetch.also("a location of no ranges", prefetchLocIdxs=(0, 0))
prefetch.breaks("unified.mem_batches.INDICES_INCREASE", "too large", prefetchLocIdxs=(0, 2))
prefetch.breaks("unified.managed.RANGE_IS_NOT_EMPTY", sizes=(PAGE, 0))
prefetch.breaks("unified.managed.LOCATION_IS_KNOWN", prefetchLocs=(HERE, (0, 0)))
prefetch.breaks("unified.managed.NODE_IS_THERE", prefetchLocs=(HERE, (NODE, MISSING)))
prefetch.breaks("unified.mem_batches.DEVICE_IS_THERE", prefetchLocs=((1, MISSING), HERE))
prefetch.breaks("unified.managed.RANGE_IS_MANAGED", dptrs=lambda i: (i.args["dptrs"][0], memory(i.process)))
prefetch.also("one place for both", prefetchLocs=(HERE,), prefetchLocIdxs=(0,), numPrefetchLocs=1)
prefetch.also("per thread", stream=2)


@prefetch.after("each goes where it is sent")
def sent(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    for number, pointer in enumerate(i.args["dptrs"]):
        assert i.c.cudaMemRangeGetAttribute(4, 4, pointer, PAGE) == (0, (0, -1)[number])


test_prefetch = suite(prefetch)

both = Entry.of(
    "cudaMemDiscardAndPrefetchBatchAsync",
    lambda a: ((managed(a), managed(a)), (PAGE, PAGE), 2, (HERE, (HOST, 0)), (0, 1), 2, 0, stream(a)),
)
both.breaks("unified.mem_batches.FLAGS_ARE_ZERO", flags=1)
both.breaks("unified.mem_batches.EVERY_RANGE_HAS_A_LOCATION", numPrefetchLocs=0)
both.also("per thread", stream=2)

test_discard_and_prefetch = suite(both)

discard = Entry.of("cudaMemDiscardBatchAsync", lambda a: ((managed(a), managed(a)), (PAGE, PAGE), 2, 0, stream(a)))
discard.breaks("unified.mem_batches.FLAGS_ARE_ZERO", flags=1)
discard.breaks("unified.mem_batches.STREAM_IS_NOT_LEGACY", stream=0)
discard.breaks("unified.mem_batches.ARRAYS_ARE_GIVEN", dptrs=None)
discard.breaks("unified.managed.RANGE_IS_MANAGED", dptrs=lambda i: (i.args["dptrs"][0], memory(i.process)))

test_discard = suite(discard)
