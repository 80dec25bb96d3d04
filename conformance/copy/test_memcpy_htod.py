"""cuMemcpyHtoD: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html"""

from __future__ import annotations

from conformance.case import Entry, Invocation, World
from conformance.va.parts import NO_ACCESS, NOWHERE, READ, G, alloc, content, freed, mapped
from fakecuda.codes import Result

SIZE = 64


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemcpyHtoD", dstDevice=alloc(a, 3 * G), srcHost=b"x" * SIZE, ByteCount=SIZE)


entry = Entry("cuMemcpyHtoD", valid)
entry.breaks("HOST_IS_GIVEN", srcHost=None)
entry.breaks("RANGE_IS_ALLOCATED", dstDevice=NOWHERE)
entry.breaks("RANGE_IS_ALLOCATED", "null", dstDevice=0)
entry.breaks("RANGE_IS_ALLOCATED", "past the end", dstDevice=lambda i: i.args["dstDevice"] + 3 * G - 8)
entry.breaks("RANGE_IS_ALLOCATED", "past the mapping", dstDevice=lambda i: mapped(i.process)[0] + G - 8)
entry.breaks("RANGE_IS_ALLOCATED", "merely reserved", dstDevice=lambda i: mapped(i.process)[0] + G)
entry.breaks("ACCESS_IS_GRANTED", dstDevice=lambda i: mapped(i.process, NO_ACCESS)[0])
entry.breaks("ACCESS_IS_GRANTED", "to write", dstDevice=lambda i: mapped(i.process, READ)[0])


@entry.world("MEMORY_IS_LIVE")
def freed_in_a_live_block(_w: World, i: Invocation) -> Invocation:
    alloc(i.process)
    return i.evolve(dstDevice=freed(i.process))


entry.also("a mapping", dstDevice=lambda i: mapped(i.process)[0])
entry.also("no bytes", ByteCount=0)


@entry.also("no bytes go to null")
def nothing_to_null(_w: World, i: Invocation) -> Invocation:
    return i.evolve(dstDevice=0, srcHost=None, ByteCount=0)


@entry.also("the bytes arrive")
def arrives(_w: World, i: Invocation) -> None:
    c, dst = i.process.c, i.args["dstDevice"]
    c.cuMemsetD8(dst, 0, 8)
    c.cuMemcpyHtoD(dst + 2, b"abcd", 4)
    assert content(i.process, dst, 8) == b"\0\0abcd\0\0"


@entry.also("the bytes after a failed copy are those before")
def all_or_nothing(_w: World, i: Invocation) -> None:
    end = i.args["dstDevice"] + 3 * G
    i.process.c.cuMemsetD8(end - 8, 7, 8)
    assert i.process.c.cuMemcpyHtoD(end - 8, b"x" * 16, 16) == (Result.INVALID_VALUE,)
    assert content(i.process, end - 8, 8) == b"\7" * 8


test_memcpy_htod = entry.test()
