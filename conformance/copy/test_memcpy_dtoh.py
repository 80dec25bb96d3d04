"""cuMemcpyDtoH: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html"""

from __future__ import annotations

from conformance.case import Entry, Invocation, World
from conformance.va.parts import NO_ACCESS, NOWHERE, READ, G, alloc, content, create, freed, mapped, permit, reserve

SIZE = 64


def valid(w: World) -> Invocation:
    a = w.process()
    src = alloc(a, 3 * G)
    a.c.cuMemsetD8(src, 5, SIZE)
    return a.call("cuMemcpyDtoH", dstHost=bytearray(SIZE), srcDevice=src, ByteCount=SIZE)


entry = Entry("cuMemcpyDtoH", valid)
entry.breaks("HOST_IS_GIVEN", dstHost=None)
entry.breaks("RANGE_IS_ALLOCATED", srcDevice=NOWHERE)
entry.breaks("RANGE_IS_ALLOCATED", "null", srcDevice=0)
entry.breaks("RANGE_IS_ALLOCATED", "past the end", srcDevice=lambda i: i.args["srcDevice"] + 3 * G - 8)
entry.breaks("RANGE_IS_ALLOCATED", "past the mapping", srcDevice=lambda i: mapped(i.process)[0] + G - 8)
entry.breaks("RANGE_IS_ALLOCATED", "merely reserved", srcDevice=lambda i: mapped(i.process)[0] + G)
entry.breaks("ACCESS_IS_GRANTED", srcDevice=lambda i: mapped(i.process, NO_ACCESS)[0])


@entry.world("MEMORY_IS_LIVE")
def freed_in_a_live_block(_w: World, i: Invocation) -> Invocation:
    """The bytes of an unwritten block are zero on the machines that were asked."""
    alloc(i.process)
    return i.evolve(srcDevice=freed(i.process))


entry.also("no bytes", ByteCount=0)


@entry.also("no bytes come from null")
def nothing_from_null(_w: World, i: Invocation) -> Invocation:
    return i.evolve(dstHost=None, srcDevice=0, ByteCount=0)


@entry.also("read access suffices")
def read_only(_w: World, i: Invocation) -> Invocation:
    ptr, _ = mapped(i.process)
    i.process.c.cuMemsetD8(ptr, 3, SIZE)
    permit(i.process, ptr, READ)
    return i.evolve(srcDevice=ptr)


@entry.also("the bytes that were set")
def arrives(_w: World, i: Invocation) -> None:
    assert content(i.process, i.args["srcDevice"] + SIZE - 4) == b"\5" * 4


@entry.also("across two mappings that adjoin")
def across(_w: World, i: Invocation) -> None:
    a, ptr = i.process, reserve(i.process)
    for start in (ptr, ptr + G):
        a.c.cuMemMap(start, G, 0, create(a), 0)
    permit(a, ptr, size=2 * G)
    a.c.cuMemsetD8(ptr + G - 8, 1, 8)
    a.c.cuMemsetD8(ptr + G, 2, 8)
    assert content(a, ptr + G - 2) == b"\1\1\2\2"


@entry.also("from another device, without peer access")
def from_peer(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    c = i.process.c
    c.cuCtxCreate(None, 0, 1)
    ptr = alloc(i.process)
    c.cuMemsetD8(ptr, 9, 4)
    c.cuCtxPopCurrent()
    assert content(i.process, ptr) == b"\x09" * 4


test_memcpy_dtoh = entry.test()
