"""cuMemMap: a handle's memory appears in a reservation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry
from conformance.world import GRANULE, pinned

if TYPE_CHECKING:
    from conformance.program import Plain
    from conformance.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    pointer = a.ok.cuMemAddressReserve(2 * GRANULE, 0, 0, 0)
    handle = a.ok.cuMemCreate(GRANULE, pinned(), 0)
    return a.call("cuMemMap", ptr=pointer, size=GRANULE, offset=0, handle=handle, flags=0)


def look(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    i.c.cuMemGetAddressRange(i.args["ptr"] + 1)
    i.c.cuMemRetainAllocationHandle(i.args["ptr"] + 1)


entry = Entry("cuMemMap", valid, look)
entry.breaks("FLAGS_ARE_ZERO", flags=1)
entry.breaks("POINTER_IS_GIVEN", ptr=0)
entry.breaks("SIZE_IS_POSITIVE", size=0)
entry.breaks("HANDLE_IS_GIVEN", handle=0)
entry.breaks("ALLOCATION_IS_MAPPED_WHOLE", "offset", offset=GRANULE)
entry.breaks("ALLOCATION_IS_MAPPED_WHOLE", "size", size=2 * GRANULE)
entry.breaks("POINTER_IS_ALIGNED", ptr=lambda i: i.args["ptr"] + GRANULE // 2)


@entry.world("HANDLE_IS_HELD")
def released(_: World, i: Invocation) -> None:
    i.process.ok.cuMemRelease(i.args["handle"])


@entry.world("RANGE_IS_RESERVED")
def freed(_: World, i: Invocation) -> None:
    i.process.ok.cuMemAddressFree(i.args["ptr"], 2 * GRANULE)


@entry.world("RANGE_IS_NOT_MAPPED")
def mapped(_: World, i: Invocation) -> None:
    i.run()


entry.also("second half", ptr=lambda i: i.args["ptr"] + GRANULE)


@entry.also("twice in one reservation")
def twice(_: World, i: Invocation) -> Invocation:
    i.run()
    return i.evolve(ptr=i.args["ptr"] + GRANULE)


@entry.after("the memory outlives its handle")
def outlives(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    i.process.ok.cuMemRelease(i.args["handle"])
    assert i.process.ok.cuMemRetainAllocationHandle(i.args["ptr"]) == i.args["handle"]


test_mem_map = entry.test()
