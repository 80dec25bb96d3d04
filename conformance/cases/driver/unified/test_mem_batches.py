"""Batches of managed ranges: prefetches, discards, and both.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from attrs import evolve

from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.stream.fixtures import LEGACY, NON_BLOCKING, PER_THREAD, block, elsewhere, refuse, stream
from conformance.cases.driver.unified.fixtures import CONCURRENT, CPU, GPU, SIZE, asked, managed, without
from conformance.cases.driver.va.fixtures import HOST, HOST_NUMA, NOWHERE, content, on_model
from conformance.kit.case import Entry
from conformance.kit.program import FORKED
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

LAST = "LAST_PREFETCH_LOCATION"
MISSING = 99


def discarding(w: World) -> Invocation:
    a = w.process()
    return a.call(
        "cuMemDiscardBatchAsync",
        dptrs=(managed(a), managed(a)),
        sizes=(SIZE, SIZE),
        count=2,
        flags=0,
        hStream=PER_THREAD,
    )


def prefetching(call: str, w: World) -> Invocation:
    a = w.process()
    return a.call(
        call,
        dptrs=(managed(a), managed(a)),
        sizes=(SIZE, SIZE),
        count=2,
        prefetchLocs=(GPU, (HOST, 0)),
        prefetchLocIdxs=(0, 1),
        numPrefetchLocs=2,
        flags=0,
        hStream=PER_THREAD,
    )


def sent(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check the last prefetch location of each range."""
    assert [asked(i.process, LAST, one) for one in i.args["dptrs"]] == [0, CPU]


def common(entry: Entry) -> None:
    """Add the common cases of batches."""
    entry.breaks("FLAGS_ARE_ZERO", flags=1)
    entry.breaks("STREAM_IS_NOT_LEGACY", hStream=0)
    entry.breaks("STREAM_IS_NOT_LEGACY", "by its name", hStream=LEGACY)
    entry.breaks("ARRAYS_ARE_GIVEN", "dptrs", dptrs=None)
    entry.breaks("ARRAYS_ARE_GIVEN", "sizes", sizes=None)
    entry.breaks("RANGE_IS_NOT_EMPTY", sizes=(SIZE, 0))
    entry.breaks("RANGE_IS_MANAGED", dptrs=lambda i: (i.args["dptrs"][0], NOWHERE))
    entry.also("created", hStream=lambda i: stream(i.process))
    entry.also("of another context", hStream=lambda i: elsewhere(i.process)[0])
    refuse(entry)

    @entry.also("it is part of the stream's work")
    def queued(w: World, i: Invocation) -> None:
        a = i.process
        waiting, event = stream(a, NON_BLOCKING), a.ok.cuEventCreate(2)
        unblock = block(w, a, waiting)
        i.evolve(hStream=waiting).run()
        a.ok.cuEventRecord(event, waiting)
        assert a.c.cuEventQuery(event) == (Result.NOT_READY,)
        unblock()
        a.ok.cuEventSynchronize(event)


def forked(_: World, i: Invocation) -> Invocation:
    """Return the call in a fork, with a created stream."""
    return evolve(i.evolve(hStream=stream(i.process)), thread=FORKED)


def places(entry: Entry) -> None:
    """Add the common cases of batches with locations."""
    entry.breaks("ARRAYS_ARE_GIVEN", "prefetchLocs", prefetchLocs=None)
    entry.breaks("ARRAYS_ARE_GIVEN", "prefetchLocIdxs", prefetchLocIdxs=None)
    entry.breaks("EVERY_RANGE_HAS_A_LOCATION", "none", numPrefetchLocs=0)
    entry.breaks("EVERY_RANGE_HAS_A_LOCATION", "too many", count=1)
    entry.breaks("FIRST_INDEX_IS_ZERO", prefetchLocIdxs=(1, 2))
    entry.breaks("INDICES_INCREASE", prefetchLocIdxs=(0, 2))
    entry.breaks("LOCATION_IS_KNOWN", prefetchLocs=(GPU, (0, 0)))
    entry.breaks("NODE_IS_THERE", prefetchLocs=(GPU, (HOST_NUMA, MISSING)))
    entry.breaks("unified.mem_batches.DEVICE_IS_THERE", prefetchLocs=((1, MISSING), GPU))
    entry.undefined("PROCESS_IS_NOT_FORKED", code=Result.NOT_INITIALIZED)(forked)
    entry.also("a location of no ranges", prefetchLocIdxs=(0, 0))
    entry.also("one place for both", prefetchLocs=(GPU,), prefetchLocIdxs=(0,), numPrefetchLocs=1)


prefetch = Entry("cuMemPrefetchBatchAsync", lambda w: prefetching("cuMemPrefetchBatchAsync", w), sent)
both = Entry("cuMemDiscardAndPrefetchBatchAsync", lambda w: prefetching("cuMemDiscardAndPrefetchBatchAsync", w), sent)
discard = Entry("cuMemDiscardBatchAsync", discarding)
for one in (prefetch, both, discard):
    common(one)
for one in (prefetch, both):
    places(one)
discard.breaks("THERE_ARE_RANGES", count=0)


@prefetch.also("pages hold what they held")
def kept(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["dptrs"][0]
    a.ok.cuMemsetD8(ptr, 7, SIZE)
    i.run()
    a.ok.cuCtxSynchronize()
    assert content(a, ptr + PAGE, 4) == b"\7" * 4


test_mem_prefetch_batch_async = prefetch.test()
test_mem_discard_and_prefetch_batch_async = both.test()
test_mem_discard_batch_async = discard.test()


@pytest.mark.parametrize("entry", [prefetch, both], ids=lambda entry: entry.call)
def test_access_is_concurrent(entry: Entry) -> None:
    """A prefetch needs the target device's concurrent managed access."""
    on_model(entry, "ACCESS_IS_CONCURRENT", Result.INVALID_DEVICE, lambda *_: None, **without(CONCURRENT, 0))
