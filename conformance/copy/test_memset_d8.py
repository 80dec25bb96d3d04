"""cuMemsetD8: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html"""

from __future__ import annotations

from conformance.case import Entry, Invocation, World
from conformance.va.parts import NO_ACCESS, NOWHERE, READ, G, alloc, content, freed, mapped

SIZE = 64


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemsetD8", dstDevice=alloc(a, 3 * G), uc=7, N=SIZE)


entry = Entry("cuMemsetD8", valid)
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


def on_the_other_device(w: World, i: Invocation, *, enable: bool) -> Invocation:
    """Return the memset of memory of device 1 from a context on device 0."""
    w.needs_devices(2)
    c = i.process.c
    _, peer = c.cuCtxCreate(None, 0, 1)
    ptr = alloc(i.process)
    c.cuCtxPopCurrent()
    if enable:
        c.cuCtxEnablePeerAccess(peer, 0)
    return i.evolve(dstDevice=ptr)


@entry.world("PEER_IS_ENABLED")
def peer_not_enabled(w: World, i: Invocation) -> Invocation:
    return on_the_other_device(w, i, enable=False)


@entry.also("memory of a peer")
def peer_enabled(w: World, i: Invocation) -> Invocation:
    return on_the_other_device(w, i, enable=True)


entry.also("a mapping", dstDevice=lambda i: mapped(i.process)[0])
entry.also("no bytes", N=0)


@entry.also("no bytes at null")
def nothing(_w: World, i: Invocation) -> Invocation:
    return i.evolve(dstDevice=0, N=0)


@entry.also("N bytes, no more")
def as_many(_w: World, i: Invocation) -> None:
    c, dst = i.process.c, i.args["dstDevice"]
    c.cuMemsetD8(dst, 1, 2 * SIZE)
    c.cuMemsetD8(dst, 0xFF, SIZE)
    assert content(i.process, dst + SIZE - 2) == b"\xff\xff\1\1"


test_memset_d8 = entry.test()
