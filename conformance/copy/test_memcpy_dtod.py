"""cuMemcpyDtoD: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html"""

from __future__ import annotations

from conformance.case import Entry, Invocation, World
from conformance.va.parts import NO_ACCESS, NOWHERE, READ, G, alloc, content, create, freed, imported, mapped, permit, reserve

SIZE = 64


def valid(w: World) -> Invocation:
    a = w.process()
    dst, src = alloc(a, 3 * G), alloc(a, 3 * G)
    a.c.cuMemsetD8(src, 5, SIZE)
    return a.call("cuMemcpyDtoD", dstDevice=dst, srcDevice=src, ByteCount=SIZE)


entry = Entry("cuMemcpyDtoD", valid)
for side in ("dstDevice", "srcDevice"):
    entry.breaks("RANGE_IS_ALLOCATED", f"{side} nowhere", **{side: NOWHERE})
    entry.breaks("RANGE_IS_ALLOCATED", f"{side} null", **{side: 0})
    entry.breaks("RANGE_IS_ALLOCATED", f"{side} past the end", **{side: lambda i, s=side: i.args[s] + 3 * G - 8})
    entry.breaks("RANGE_IS_ALLOCATED", f"{side} past the mapping", **{side: lambda i: mapped(i.process)[0] + G - 8})
    entry.breaks("RANGE_IS_ALLOCATED", f"{side} merely reserved", **{side: lambda i: mapped(i.process)[0] + G})
    entry.breaks("ACCESS_IS_GRANTED", f"{side} without access", **{side: lambda i: mapped(i.process, NO_ACCESS)[0]})
entry.breaks("ACCESS_IS_GRANTED", "dstDevice to write", dstDevice=lambda i: mapped(i.process, READ)[0])


@entry.world("MEMORY_IS_LIVE")
def freed_in_a_live_block(_w: World, i: Invocation) -> Invocation:
    alloc(i.process)
    return i.evolve(dstDevice=freed(i.process))


entry.also("from a mapping with read access", srcDevice=lambda i: mapped(i.process, READ)[0])
entry.also("overlapping ranges", srcDevice=lambda i: i.args["dstDevice"] + 8)
entry.also("no bytes", ByteCount=0)


@entry.also("no bytes between nulls")
def nothing(_w: World, i: Invocation) -> Invocation:
    return i.evolve(dstDevice=0, srcDevice=0, ByteCount=0)


@entry.also("the bytes arrive, no more of them")
def arrives(_w: World, i: Invocation) -> None:
    c, dst, src = i.process.c, i.args["dstDevice"], i.args["srcDevice"]
    c.cuMemsetD8(dst, 1, 2 * SIZE)
    c.cuMemcpyDtoD(dst, src, SIZE)
    assert content(i.process, dst + SIZE - 2) == b"\5\5\1\1"


@entry.also("one memory at two addresses")
def aliased(_w: World, i: Invocation) -> None:
    a, ptr, handle = i.process, reserve(i.process), create(i.process)
    for start in (ptr, ptr + G):
        a.c.cuMemMap(start, G, 0, handle, 0)
    permit(a, ptr, size=2 * G)
    a.c.cuMemcpyDtoD(ptr, i.args["srcDevice"], SIZE)
    assert content(a, ptr + G) == b"\5" * 4


@entry.also("to what another process allocated")
def opened(w: World, i: Invocation) -> None:
    b = w.process()
    ptr, theirs = imported(i.process, b)
    i.process.c.cuMemcpyDtoD(ptr, i.args["srcDevice"], SIZE)
    i.process.c.cuCtxSynchronize()
    assert content(b, theirs) == b"\5" * 4


@entry.also("to another device, without peer access")
def to_peer(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    i.process.c.cuCtxCreate(None, 0, 1)
    ptr = alloc(i.process)
    i.process.c.cuCtxPopCurrent()
    return i.evolve(dstDevice=ptr)


test_memcpy_dtod = entry.test()
