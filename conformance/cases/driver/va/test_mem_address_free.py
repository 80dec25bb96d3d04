"""cuMemAddressFree: free an address reservation.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.va.fixtures import NOWHERE, half_mapped, prop
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


SIZE = 2 * GRANULE


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemAddressFree", ptr=a.ok.cuMemAddressReserve(SIZE, 0, 0, 0), size=SIZE)


entry = Entry("cuMemAddressFree", valid)
entry.breaks("RANGE_IS_A_RESERVATION", ptr=NOWHERE)
entry.breaks("RANGE_IS_A_RESERVATION", "null", ptr=0)
entry.breaks("RANGE_IS_A_RESERVATION", "inside", ptr=lambda i: i.args["ptr"] + GRANULE)
entry.breaks("RANGE_IS_A_RESERVATION", "allocated", ptr=lambda i: i.process.ok.cuMemAlloc(SIZE))
entry.breaks("RANGE_IS_A_RESERVATION", "no bytes", size=0)
entry.breaks("RANGE_IS_A_RESERVATION", "a part", size=GRANULE)
entry.breaks("RANGE_IS_A_RESERVATION", "a byte more", size=SIZE + 1)
entry.breaks("RANGE_IS_A_RESERVATION", "twice as much", size=2 * SIZE)
entry.breaks("NOTHING_IS_MAPPED", ptr=lambda i: half_mapped(i.process))


@entry.world("RANGE_IS_A_RESERVATION", "freed")
def freed(_: World, i: Invocation) -> None:
    i.run()


@entry.also("after all was unmapped")
def unmapped(_: World, i: Invocation) -> None:
    a, ptr = i.process, i.args["ptr"]
    a.ok.cuMemMap(ptr, SIZE, 0, a.ok.cuMemCreate(SIZE, prop(), 0), 0)
    a.ok.cuMemUnmap(ptr, SIZE)


test_mem_address_free = entry.test()
