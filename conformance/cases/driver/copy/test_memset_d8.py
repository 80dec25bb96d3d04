"""cuMemsetD8: device memory is filled with a byte.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import in_its_turn
from conformance.cases.driver.va.fixtures import NOWHERE, READ, content, freed, half_mapped
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

SIZE = 64
ROOM = 3 * GRANULE


def valid(w: World) -> Invocation:
    a = w.process()
    dst = a.ok.cuMemAlloc(ROOM)
    a.ok.cuMemsetD8(dst, 1, 2 * SIZE)
    return a.call("cuMemsetD8", dstDevice=dst, uc=0xFF, N=SIZE)


def filled(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """As many bytes as are said."""
    assert content(i.process, i.args["dstDevice"] + SIZE - 2) == b"\xff\xff\1\1"


entry = Entry("cuMemsetD8", valid, filled)
entry.breaks("RANGE_IS_ALLOCATED", dstDevice=NOWHERE)
entry.breaks("RANGE_IS_ALLOCATED", "null", dstDevice=0)
entry.breaks("RANGE_IS_ALLOCATED", "past the end", dstDevice=lambda i: i.args["dstDevice"] + ROOM - 8)
entry.breaks("RANGE_IS_ALLOCATED", "past the mapping", dstDevice=lambda i: half_mapped(i.process) + GRANULE - 8)
entry.breaks("RANGE_IS_ALLOCATED", "freed", dstDevice=lambda i: freed(i.process))
entry.breaks("RANGE_IS_ALLOCATED", "reserved", dstDevice=lambda i: half_mapped(i.process) + GRANULE)
entry.breaks("ACCESS_IS_GRANTED", dstDevice=lambda i: half_mapped(i.process, 0))
entry.breaks("ACCESS_IS_GRANTED", "to read", dstDevice=lambda i: half_mapped(i.process, READ))

entry.also("a mapping", dstDevice=lambda i: half_mapped(i.process))
entry.also("no bytes", N=0)
entry.also("no bytes at null", dstDevice=0, N=0)


def on_the_other_device(w: World, i: Invocation, *, enable: bool) -> Invocation:
    """Return the memset of memory of device 1 from a context on device 0."""
    w.needs_devices(2)
    peer = i.process.ok.cuCtxCreate(None, 0, 1)
    dst = i.process.ok.cuMemAlloc(SIZE)
    i.process.ok.cuCtxPopCurrent()
    if enable:
        i.process.ok.cuCtxEnablePeerAccess(peer, 0)
    return i.evolve(dstDevice=dst)


@entry.world("PEER_IS_ENABLED")
def peer_not_enabled(w: World, i: Invocation) -> Invocation:
    return on_the_other_device(w, i, enable=False)


@entry.also("memory of a peer")
def peer_enabled(w: World, i: Invocation) -> Invocation:
    return on_the_other_device(w, i, enable=True)


in_its_turn(entry, "dstDevice", b"\xff\xff")

test_memset_d8 = entry.test()
