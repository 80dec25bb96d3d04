"""cuMemRelease: release a reference to an allocation handle.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.array.fixtures import later
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.cases.driver.va.fixtures import content, half_mapped, maps, most, pool, prop, released
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemRelease", handle=a.ok.cuMemCreate(GRANULE, prop(), 0))


entry = Entry("cuMemRelease", valid)
entry.breaks("HANDLE_IS_GIVEN", handle=0)
entry.undefined("HANDLE_IS_HELD", code=Result.INVALID_VALUE, handle=lambda i: released(i.process))


@entry.world("REFERENCE_IS_LEFT")
def mappings_alone(_: World, i: Invocation) -> None:
    a = i.process
    a.ok.cuMemMap(a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0), GRANULE, 0, i.args["handle"], 0)
    i.run()


@entry.undefined("MAPS_ARE_DONE", code=Result.SUCCESS)
def while_a_stream_maps_it(w: World, i: Invocation) -> Invocation:
    """Release the handle before a stream has mapped it to an array's tile."""
    a, waiting = i.process, stream(i.process, NON_BLOCKING)
    target, memory = later(a), pool(a)
    block(w, a, waiting)
    a.ok.cuMemMapArrayAsync(maps(target, memory), 1, waiting)
    return i.evolve(handle=memory)


@entry.also("while it is mapped")
def mapped(_: World, i: Invocation) -> None:
    a = i.process
    a.ok.cuMemMap(a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0), GRANULE, 0, i.args["handle"], 0)


@entry.also("the mapping goes on")
def mapping_goes_on(_: World, i: Invocation) -> None:
    a, ptr = i.process, half_mapped(i.process)
    a.ok.cuMemsetD8(ptr, 4, 4)
    handle = a.ok.cuMemRetainAllocationHandle(ptr)
    a.ok.cuMemRelease(handle)
    a.ok.cuMemRelease(handle)
    assert content(a, ptr) == b"\4" * 4
    assert a.c.cuMemRelease(handle) == (Result.INVALID_VALUE,)


@entry.also("once for each reference")
def counted(_: World, i: Invocation) -> Invocation:
    a, ptr = i.process, half_mapped(i.process)
    for _round in range(3):
        handle = a.ok.cuMemRetainAllocationHandle(ptr)
    for _round in range(3):
        a.ok.cuMemRelease(handle)
    return i.evolve(handle=handle)


@entry.also("once for each import")
def imported(w: World, i: Invocation) -> Invocation:
    b = w.process()
    descriptor = b.ok.cuMemExportToShareableHandle(b.ok.cuMemCreate(GRANULE, prop(), 0), 1, 0)
    handles = [i.process.ok.cuMemImportFromShareableHandle(descriptor, 1) for _round in range(2)]
    i.process.ok.cuMemRelease(handles[0])
    return i.evolve(handle=handles[1])


@entry.also("the importer keeps the memory")
def importer_keeps(w: World, i: Invocation) -> None:
    a, b = i.process, w.process()
    theirs = a.ok.cuMemCreate(GRANULE, prop(), 0)
    ours = b.ok.cuMemImportFromShareableHandle(a.ok.cuMemExportToShareableHandle(theirs, 1, 0), 1)
    a.ok.cuMemRelease(theirs)
    b.ok.cuMemMap(b.ok.cuMemAddressReserve(GRANULE, 0, 0, 0), GRANULE, 0, ours, 0)


@entry.also("its memory is free again")
def free_again(_: World, i: Invocation) -> None:
    a = i.process
    size = most(a)
    a.ok.cuMemRelease(a.ok.cuMemCreate(size, prop(), 0))
    a.ok.cuMemRelease(a.ok.cuMemCreate(size, prop(), 0))


entry.alone("its-memory-is-free-again")

test_mem_release = entry.test()
