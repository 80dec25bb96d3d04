"""cuMemcpyDtoD: device memory to device memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import in_its_turn
from conformance.cases.driver.va.fixtures import NOWHERE, READ, adjoining, content, freed, half_mapped, imported
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, pinned

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

SIZE = 64
ROOM = 3 * GRANULE


def valid(w: World) -> Invocation:
    a = w.process()
    dst, src = a.ok.cuMemAlloc(ROOM), a.ok.cuMemAlloc(ROOM)
    a.ok.cuMemsetD8(dst, 1, 2 * SIZE)
    a.ok.cuMemsetD8(src, 5, SIZE)
    return a.call("cuMemcpyDtoD", dstDevice=dst, srcDevice=src, ByteCount=SIZE)


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """As many bytes as are said."""
    assert content(i.process, i.args["dstDevice"] + SIZE - 2) == b"\5\5\1\1"


entry = Entry("cuMemcpyDtoD", valid, arrived)
for side in ("dstDevice", "srcDevice"):
    entry.breaks("RANGE_IS_ALLOCATED", f"{side} nowhere", **{side: NOWHERE})
    entry.breaks("RANGE_IS_ALLOCATED", f"{side} null", **{side: 0})
    entry.breaks("RANGE_IS_ALLOCATED", f"{side} past the end", **{side: lambda i, s=side: i.args[s] + ROOM - 8})
    entry.breaks("RANGE_IS_ALLOCATED", f"{side} freed", **{side: lambda i: freed(i.process)})
    entry.breaks("RANGE_IS_ALLOCATED", f"{side} reserved", **{side: lambda i: half_mapped(i.process) + GRANULE})
    entry.breaks("ACCESS_IS_GRANTED", f"{side} without access", **{side: lambda i: half_mapped(i.process, 0)})
entry.breaks("ACCESS_IS_GRANTED", "dstDevice to read", dstDevice=lambda i: half_mapped(i.process, READ))

entry.also("from memory to read", srcDevice=lambda i: half_mapped(i.process, READ))
entry.also("overlapping", srcDevice=lambda i: i.args["dstDevice"] + 8)
entry.also("no bytes", ByteCount=0)
entry.also("no bytes between nulls", dstDevice=0, srcDevice=0, ByteCount=0)


@entry.also("memory that has two addresses")
def aliased(_: World, i: Invocation) -> None:
    handle = i.process.ok.cuMemCreate(GRANULE, pinned(), 0)
    ptr = adjoining(i.process, (handle, handle))
    i.process.ok.cuMemcpyDtoD(ptr, i.args["srcDevice"], SIZE)
    assert content(i.process, ptr + GRANULE) == b"\5" * 4


@entry.also("into memory of another process")
def opened(w: World, i: Invocation) -> None:
    b = w.process()
    ours, theirs = imported(i.process, b)
    i.process.ok.cuMemcpyDtoD(ours, i.args["srcDevice"], SIZE)
    i.process.ok.cuCtxSynchronize()
    assert content(b, theirs) == b"\5" * 4


@entry.also("to another device without peer access")
def to_peer(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    dst = i.process.ok.cuMemAlloc(SIZE)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(dstDevice=dst)


in_its_turn(entry, "dstDevice", b"\5\5")

test_memcpy_dtod = entry.test()
