"""cuMemsetD32: device memory is filled with a value of 32 bits.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.copy.test_memset_d8 import ROOM, SIZE, on_the_other_device
from conformance.cases.driver.stream.fixtures import in_its_turn
from conformance.cases.driver.va.fixtures import NOWHERE, READ, adjoining, content, freed, half_mapped
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

WIDTH = 4
VALUE = 0x12345678
BYTES = VALUE.to_bytes(WIDTH, "little")


def valid(w: World) -> Invocation:
    a = w.process()
    dst = a.ok.cuMemAlloc(ROOM)
    a.ok.cuMemsetD8(dst, 1, 2 * SIZE)
    return a.call("cuMemsetD32", dstDevice=dst, ui=VALUE, N=SIZE // WIDTH)


def filled(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """As many values as are said, the lowest byte first."""
    assert content(i.process, i.args["dstDevice"], SIZE + 2) == BYTES * (SIZE // WIDTH) + b"\1\1"


entry = Entry("cuMemsetD32", valid, filled)
entry.breaks("RANGE_IS_ALLOCATED", dstDevice=NOWHERE)
entry.breaks("RANGE_IS_ALLOCATED", "null", dstDevice=0)
entry.breaks("RANGE_IS_ALLOCATED", "past the end", N=ROOM // WIDTH + 1)
entry.breaks("RANGE_IS_ALLOCATED", "past the mapping", dstDevice=lambda i: half_mapped(i.process) + GRANULE - 8)
entry.breaks("RANGE_IS_ALLOCATED", "freed", dstDevice=lambda i: freed(i.process))
entry.breaks("RANGE_IS_ALLOCATED", "reserved", dstDevice=lambda i: half_mapped(i.process) + GRANULE)
entry.breaks("ACCESS_IS_GRANTED", dstDevice=lambda i: half_mapped(i.process, 0))
entry.breaks("ACCESS_IS_GRANTED", "to read", dstDevice=lambda i: half_mapped(i.process, READ))
for offset in (1, 2, 3):
    entry.breaks("POINTER_IS_ALIGNED", f"by {offset}", dstDevice=lambda i, o=offset: i.args["dstDevice"] + o)

entry.also("a mapping", dstDevice=lambda i: half_mapped(i.process))
entry.also("the whole allocation", N=ROOM // WIDTH)
entry.also("one value", N=1)
entry.also("at a multiple of the value's size", dstDevice=lambda i: i.args["dstDevice"] + WIDTH)
entry.also("no values", N=0)
entry.also("no values at null", dstDevice=0, N=0)


@entry.also("across mappings that adjoin")
def across(_: World, i: Invocation) -> None:
    middle = adjoining(i.process) + GRANULE
    i.process.ok.cuMemsetD32(middle - 4, VALUE, 2)
    assert content(i.process, middle - 4, 8) == BYTES * 2


@entry.world("PEER_IS_ENABLED")
def peer_not_enabled(w: World, i: Invocation) -> Invocation:
    return on_the_other_device(w, i, enable=False)


@entry.also("memory of a peer")
def peer_enabled(w: World, i: Invocation) -> Invocation:
    return on_the_other_device(w, i, enable=True)


in_its_turn(entry, "dstDevice", BYTES)

test_memset_d32 = entry.test()
