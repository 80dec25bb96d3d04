"""cuMemcpyHtoD: host memory to device memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import fakecuda
from conformance.cases.driver.copy.fixtures import host_side
from conformance.cases.driver.va.fixtures import NOWHERE, READ, content, freed, half_mapped
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

SIZE = 64
ROOM = 3 * GRANULE


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemcpyHtoD", dstDevice=a.ok.cuMemAlloc(ROOM), srcHost=b"x" * SIZE, ByteCount=SIZE)


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    assert content(i.process, i.args["dstDevice"], SIZE) == i.args["srcHost"]


entry = Entry("cuMemcpyHtoD", valid, arrived)
entry.breaks("HOST_IS_GIVEN", srcHost=None)
entry.breaks("RANGE_IS_ALLOCATED", dstDevice=NOWHERE)
entry.breaks("RANGE_IS_ALLOCATED", "null", dstDevice=0)
entry.breaks("RANGE_IS_ALLOCATED", "past the end", dstDevice=lambda i: i.args["dstDevice"] + ROOM - 8)
entry.breaks("RANGE_IS_ALLOCATED", "past the mapping", dstDevice=lambda i: half_mapped(i.process) + GRANULE - 8)
entry.breaks("RANGE_IS_ALLOCATED", "freed", dstDevice=lambda i: freed(i.process))
entry.breaks("RANGE_IS_ALLOCATED", "the padding of a few bytes", dstDevice=lambda i: i.process.ok.cuMemAlloc(SIZE - 1))
entry.breaks("RANGE_IS_ALLOCATED", "reserved", dstDevice=lambda i: half_mapped(i.process) + GRANULE)
entry.breaks("ACCESS_IS_GRANTED", dstDevice=lambda i: half_mapped(i.process, 0))
entry.breaks("ACCESS_IS_GRANTED", "to read", dstDevice=lambda i: half_mapped(i.process, READ))

host_side(entry, "srcHost")

entry.also("a mapping", dstDevice=lambda i: half_mapped(i.process), then=arrived)
entry.also("inside", dstDevice=lambda i: i.args["dstDevice"] + 7, then=arrived)
entry.also("no bytes", ByteCount=0)
entry.also("no bytes to null", dstDevice=0, ByteCount=0)
entry.also("no bytes from null", srcHost=None, ByteCount=0)


@entry.also("as many bytes as are said")
def as_many(_: World, i: Invocation) -> None:
    dst = i.args["dstDevice"]
    i.process.ok.cuMemsetD8(dst, 0, 8)
    i.process.ok.cuMemcpyHtoD(dst + 2, b"abcdef", 4)
    assert content(i.process, dst, 8) == b"\0\0abcd\0\0"


@entry.also("a copy that fails writes nothing")
def all_or_nothing(_: World, i: Invocation) -> None:
    last = i.args["dstDevice"] + ROOM - 8
    i.process.ok.cuMemsetD8(last, 7, 8)
    assert i.c.cuMemcpyHtoD(last, b"x" * 16, 16) == (Result.INVALID_VALUE,)
    assert content(i.process, last, 8) == b"\7" * 8


test_memcpy_htod = entry.test()


def test_source_on_the_device() -> None:
    """Unified addressing follows a host pointer to the device; its value would mean nothing in a recording."""
    with fakecuda.Machine() as machine:
        c = machine.spawn().c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        source, target = c.cuMemAlloc(SIZE)[1], c.cuMemAlloc(SIZE)[1]
        c.cuMemsetD8(source, 5, SIZE)
        room = bytearray(SIZE)
        assert c.cuMemcpyHtoD(target, source, SIZE) == c.cuMemcpyDtoH(room, target, SIZE) == (Result.SUCCESS,)
    assert room == b"\5" * SIZE
