"""cuMemcpy: memory to memory; the addresses tell which of them is the host's.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import in_its_turn
from conformance.cases.driver.va.fixtures import NOWHERE, READ, adjoining, content, freed, half_mapped
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

SIZE = 64
ROOM = 3 * GRANULE
PAGE = 4096


def valid(w: World) -> Invocation:
    a = w.process()
    dst, src = a.ok.cuMemAlloc(ROOM), a.ok.cuMemAlloc(ROOM)
    a.ok.cuMemsetD8(dst, 1, 2 * SIZE)
    a.ok.cuMemsetD8(src, 5, SIZE)
    return a.call("cuMemcpy", dst=dst, src=src, ByteCount=SIZE)


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """As many bytes as are said."""
    assert content(i.process, i.args["dst"] + SIZE - 2) == b"\5\5\1\1"


def host(a: Process, value: int) -> int:
    """Return the address of a page of the host's memory that begins with a value, said often."""
    address = a.host_memory(PAGE)
    a.ok.cuMemcpyDtoH(address, filled(a, value), SIZE)
    return address


def filled(a: Process, value: int) -> int:
    """Return the address of device memory that is filled with a value."""
    ptr: int = a.ok.cuMemAlloc(SIZE)
    a.ok.cuMemsetD8(ptr, value, SIZE)
    return ptr


UNKNOWN = {
    "nowhere": NOWHERE,
    "freed": lambda i: freed(i.process),
    "reserved": lambda i: half_mapped(i.process) + GRANULE,
    "at the end of what there is": (1 << 64) - 8,
}

entry = Entry("cuMemcpy", valid, arrived)
for side in ("dst", "src"):
    entry.breaks("POINTERS_ARE_GIVEN", side, **{side: 0})
    entry.breaks("RANGE_IS_ALLOCATED", f"{side} past the end", **{side: lambda i, s=side: i.args[s] + ROOM - 8})
    entry.breaks("ACCESS_IS_GRANTED", f"{side} without access", **{side: lambda i: half_mapped(i.process, 0)})
    for name, unknown in UNKNOWN.items():
        entry.undefined("ADDRESS_IS_KNOWN", f"{side} {name}", code=Result.INVALID_VALUE, **{side: unknown})
entry.breaks("ACCESS_IS_GRANTED", "dst to read", dst=lambda i: half_mapped(i.process, READ))
entry.breaks(
    "RANGE_IS_ALLOCATED", "too many bytes for the host's", src=lambda i: host(i.process, 7), ByteCount=ROOM + 1
)

entry.also("from memory to read", src=lambda i: half_mapped(i.process, READ))
entry.also("overlapping", src=lambda i: i.args["dst"] + 8)
entry.also("no bytes", ByteCount=0)
entry.also("no bytes between nulls", dst=0, src=0, ByteCount=0)
entry.also("from the host", src=lambda i: host(i.process, 5), then=arrived)
entry.also("inside of the host's memory", src=lambda i: host(i.process, 5) + 8, ByteCount=SIZE - 8)


@entry.also("to the host")
def to_host(_: World, i: Invocation) -> None:
    target = i.process.host_memory(PAGE)
    i.process.ok.cuMemcpy(target, i.args["src"], SIZE)
    i.process.ok.cuMemcpy(i.args["dst"], target, SIZE)
    arrived(_, i, ())


@entry.also("from host to host")
def host_to_host(_: World, i: Invocation) -> None:
    source, target = host(i.process, 5), i.process.host_memory(PAGE)
    i.process.ok.cuMemcpy(target, source, SIZE)
    i.process.ok.cuMemcpy(i.args["dst"], target, SIZE)
    arrived(_, i, ())


@entry.also("across mappings that adjoin")
def across(_: World, i: Invocation) -> None:
    middle = adjoining(i.process) + GRANULE - 8
    i.process.ok.cuMemcpy(middle, i.args["src"], 16)
    assert content(i.process, middle, 16) == b"\5" * 16


@entry.also("to another device without peer access")
def to_peer(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    dst = i.process.ok.cuMemAlloc(SIZE)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(dst=dst)


@entry.also("from and to pinned memory", then=arrived)
def pinned_memory(_: World, i: Invocation) -> Invocation:
    middle = i.process.ok.cuMemHostAlloc(PAGE, 0)
    i.process.ok.cuMemcpy(middle, i.args["src"], SIZE)
    return i.evolve(src=middle)


in_its_turn(entry, "dst", b"\5\5")

test_memcpy = entry.test()
