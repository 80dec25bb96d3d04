"""cuMemcpyDtoH: device memory to host memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import fakecuda
from conformance.cases.driver.copy.fixtures import host_side
from conformance.cases.driver.va.fixtures import NOWHERE, READ, adjoining, content, freed, half_mapped
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, access
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

SIZE = 64
ROOM = 3 * GRANULE


def valid(w: World) -> Invocation:
    a = w.process()
    src = a.ok.cuMemAlloc(ROOM)
    a.ok.cuMemsetD8(src, 5, SIZE)
    return a.call("cuMemcpyDtoH", dstHost=bytearray(SIZE), srcDevice=src, ByteCount=SIZE)


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    assert i.args["dstHost"] == b"\5" * SIZE


entry = Entry("cuMemcpyDtoH", valid, arrived)
entry.breaks("HOST_IS_GIVEN", dstHost=None)
host_side(entry, "dstHost", writes=True)
entry.breaks("RANGE_IS_ALLOCATED", srcDevice=NOWHERE)
entry.breaks("RANGE_IS_ALLOCATED", "null", srcDevice=0)
entry.breaks("RANGE_IS_ALLOCATED", "past the end", srcDevice=lambda i: i.args["srcDevice"] + ROOM - 8)
entry.breaks("RANGE_IS_ALLOCATED", "past the mapping", srcDevice=lambda i: half_mapped(i.process) + GRANULE - 8)
entry.breaks("RANGE_IS_ALLOCATED", "freed", srcDevice=lambda i: freed(i.process))
entry.breaks("RANGE_IS_ALLOCATED", "the padding of a few bytes", srcDevice=lambda i: i.process.ok.cuMemAlloc(SIZE - 1))
entry.breaks("RANGE_IS_ALLOCATED", "reserved", srcDevice=lambda i: half_mapped(i.process) + GRANULE)
entry.breaks("ACCESS_IS_GRANTED", srcDevice=lambda i: half_mapped(i.process, 0))

entry.also("no bytes", ByteCount=0)
entry.also("no bytes from null", srcDevice=0, ByteCount=0)
entry.also("no bytes to null", dstHost=None, ByteCount=0)


@entry.also("read access suffices", then=arrived)
def read_only(_: World, i: Invocation) -> Invocation:
    src = half_mapped(i.process)
    i.process.ok.cuMemsetD8(src, 5, SIZE)
    i.process.ok.cuMemSetAccess(src, GRANULE, (access(flags=READ),), 1)
    return i.evolve(srcDevice=src)


@entry.also("across mappings that adjoin")
def across(_: World, i: Invocation) -> None:
    middle = adjoining(i.process) + GRANULE
    i.process.ok.cuMemsetD8(middle - 8, 1, 8)
    i.process.ok.cuMemsetD8(middle, 2, 8)
    assert content(i.process, middle - 2) == b"\1\1\2\2"


@entry.also("from another device without peer access", then=arrived)
def from_peer(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    src = i.process.ok.cuMemAlloc(SIZE)
    i.process.ok.cuMemsetD8(src, 5, SIZE)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(srcDevice=src)


test_memcpy_dtoh = entry.test()


def test_target_on_the_device() -> None:
    """Unified addressing follows a host pointer to the device; its value would mean nothing in a recording."""
    with fakecuda.Machine() as machine:
        c = machine.spawn().c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        source, target = c.cuMemAlloc(SIZE)[1], c.cuMemAlloc(SIZE)[1]
        c.cuMemsetD8(source, 5, SIZE)
        room = bytearray(SIZE)
        assert c.cuMemcpyDtoH(target, source, SIZE) == c.cuMemcpyDtoH(room, target, SIZE) == (Result.SUCCESS,)
    assert room == b"\5" * SIZE
