"""Copies of bytes that lie one behind the other: those that the host makes; :mod:`.test_memcpy_async` has those of streams.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.copy.fixtures import NEW, OLD, ROOM, SIZE, filled, host, host_side, with_peers
from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.stream.fixtures import in_its_turn
from conformance.cases.driver.va.fixtures import NOWHERE, READ, adjoining, content, freed, half_mapped, imported
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, access, pinned
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

ARRIVED = bytes([NEW, NEW, OLD, OLD])
"""What stands around the end of a target."""


def anywhere(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemcpy", dst=filled(a, OLD), src=filled(a, NEW), ByteCount=SIZE)


def on_devices(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemcpyDtoD", dstDevice=filled(a, OLD), srcDevice=filled(a, NEW), ByteCount=SIZE)


def to_host(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemcpyDtoH", dstHost=bytearray(SIZE), srcDevice=filled(a, NEW), ByteCount=SIZE)


def from_host(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemcpyHtoD", dstDevice=a.ok.cuMemAlloc(ROOM), srcHost=b"x" * SIZE, ByteCount=SIZE)


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """As many bytes as are said."""
    assert content(i.process, i.args["dst"] + SIZE - 2) == ARRIVED


def arrived_there(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """As many bytes as are said."""
    assert content(i.process, i.args["dstDevice"] + SIZE - 2) == ARRIVED


def arrived_here(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    assert i.args["dstHost"] == bytes([NEW]) * SIZE


def arrived_whole(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    assert content(i.process, i.args["dstDevice"], SIZE) == i.args["srcHost"]


def between(entry: Entry, dst: str, src: str) -> None:
    """Add the cases of a copy whose two addresses may both be a device's, by their C names."""
    for side in (dst, src):
        entry.breaks("RANGE_IS_ALLOCATED", f"{side} past the end", **{side: lambda i, s=side: i.args[s] + ROOM - 8})
        entry.breaks("ACCESS_IS_GRANTED", f"{side} without access", **{side: lambda i: half_mapped(i.process, 0)})
    entry.breaks("ACCESS_IS_GRANTED", f"{dst} to read", **{dst: lambda i: half_mapped(i.process, READ)})
    others: dict[str, dict[str, Any]] = {
        "from memory to read": {src: lambda i: half_mapped(i.process, READ)},
        "overlapping": {src: lambda i: i.args[dst] + 8},
        "no bytes": {"ByteCount": 0},
        "no bytes between nulls": {"ByteCount": 0, dst: 0, src: 0},
    }
    for name, changed in others.items():
        entry.also(name, **changed)
    in_its_turn(entry, dst, bytes([NEW, NEW]))

    @entry.also("to another device without peer access")
    def to_peer(w: World, i: Invocation) -> Invocation:
        return with_peers(w, i, dst, enable=False)


def with_host(entry: Entry, device: str, own: str) -> None:
    """Add the cases of a copy between a device and the host, by the C names of its addresses."""
    entry.breaks("HOST_IS_GIVEN", **{own: None})
    entry.breaks("RANGE_IS_ALLOCATED", **{device: NOWHERE})
    for name, address in {
        "null": 0,
        "past the end": lambda i: i.args[device] + ROOM - 8,
        "past the mapping": lambda i: half_mapped(i.process) + GRANULE - 8,
        "freed": lambda i: freed(i.process),
        "the padding of a few bytes": lambda i: i.process.ok.cuMemAlloc(SIZE - 1),
        "reserved": lambda i: half_mapped(i.process) + GRANULE,
    }.items():
        entry.breaks("RANGE_IS_ALLOCATED", name, **{device: address})
    entry.breaks("ACCESS_IS_GRANTED", **{device: lambda i: half_mapped(i.process, 0)})
    entry.also("no bytes", ByteCount=0)
    nulls: dict[str, Any] = {device: 0, own: None}
    for side, null in nulls.items():
        entry.also(f"no bytes {'to' if side.startswith('dst') else 'from'} null", ByteCount=0, **{side: null})


either = Entry("cuMemcpy", anywhere, arrived)
between(either, "dst", "src")
for side in ("dst", "src"):
    either.breaks("POINTERS_ARE_GIVEN", side, **{side: 0})
    for name, unknown in {
        "nowhere": NOWHERE,
        "freed": lambda i: freed(i.process),
        "reserved": lambda i: half_mapped(i.process) + GRANULE,
        "at the end of what there is": (1 << 64) - 8,
    }.items():
        either.undefined("ADDRESS_IS_KNOWN", f"{side} {name}", code=Result.INVALID_VALUE, **{side: unknown})
either.breaks(
    "RANGE_IS_ALLOCATED", "too many bytes for the host's", src=lambda i: host(i.process, 7), ByteCount=ROOM + 1
)
either.also("from the host", src=lambda i: host(i.process, NEW), then=arrived)
either.also("inside of the host's memory", src=lambda i: host(i.process, NEW) + 8, ByteCount=SIZE - 8)


@either.also("to the host")
def to_the_host(_: World, i: Invocation) -> None:
    target = i.process.host_memory(PAGE)
    i.process.ok.cuMemcpy(target, i.args["src"], SIZE)
    i.process.ok.cuMemcpy(i.args["dst"], target, SIZE)
    arrived(_, i, ())


@either.also("from host to host")
def host_to_host(_: World, i: Invocation) -> None:
    source, target = host(i.process, NEW), i.process.host_memory(PAGE)
    i.process.ok.cuMemcpy(target, source, SIZE)
    i.process.ok.cuMemcpy(i.args["dst"], target, SIZE)
    arrived(_, i, ())


@either.also("across mappings that adjoin")
def across(_: World, i: Invocation) -> None:
    middle = adjoining(i.process) + GRANULE - 8
    i.process.ok.cuMemcpy(middle, i.args["src"], 16)
    assert content(i.process, middle, 16) == bytes([NEW]) * 16


@either.also("from and to pinned memory", then=arrived)
def pinned_memory(_: World, i: Invocation) -> Invocation:
    middle = i.process.ok.cuMemHostAlloc(PAGE, 0)
    i.process.ok.cuMemcpy(middle, i.args["src"], SIZE)
    return i.evolve(src=middle)


devices = Entry("cuMemcpyDtoD", on_devices, arrived_there)
between(devices, "dstDevice", "srcDevice")
for side in ("dstDevice", "srcDevice"):
    devices.breaks("RANGE_IS_ALLOCATED", f"{side} nowhere", **{side: NOWHERE})
    devices.breaks("RANGE_IS_ALLOCATED", f"{side} null", **{side: 0})
    devices.breaks("RANGE_IS_ALLOCATED", f"{side} freed", **{side: lambda i: freed(i.process)})
    devices.breaks("RANGE_IS_ALLOCATED", f"{side} reserved", **{side: lambda i: half_mapped(i.process) + GRANULE})


@devices.also("memory that has two addresses")
def aliased(_: World, i: Invocation) -> None:
    handle = i.process.ok.cuMemCreate(GRANULE, pinned(), 0)
    ptr = adjoining(i.process, (handle, handle))
    i.process.ok.cuMemcpyDtoD(ptr, i.args["srcDevice"], SIZE)
    assert content(i.process, ptr + GRANULE) == bytes([NEW]) * 4


@devices.also("into memory of another process")
def opened(w: World, i: Invocation) -> None:
    b = w.process()
    ours, theirs = imported(i.process, b)
    i.process.ok.cuMemcpyDtoD(ours, i.args["srcDevice"], SIZE)
    i.process.ok.cuCtxSynchronize()
    assert content(b, theirs) == bytes([NEW]) * 4


out = Entry("cuMemcpyDtoH", to_host, arrived_here)
host_side(out, "dstHost", writes=True)
with_host(out, "srcDevice", "dstHost")


@out.also("read access suffices", then=arrived_here)
def read_only(_: World, i: Invocation) -> Invocation:
    src = half_mapped(i.process)
    i.process.ok.cuMemsetD8(src, NEW, SIZE)
    i.process.ok.cuMemSetAccess(src, GRANULE, (access(flags=READ),), 1)
    return i.evolve(srcDevice=src)


@out.also("across mappings that adjoin")
def read_across(_: World, i: Invocation) -> None:
    middle = adjoining(i.process) + GRANULE
    i.process.ok.cuMemsetD8(middle - 8, 1, 8)
    i.process.ok.cuMemsetD8(middle, 2, 8)
    assert content(i.process, middle - 2) == b"\1\1\2\2"


@out.also("from another device without peer access", then=arrived_here)
def from_peer(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    src = filled(i.process, NEW)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(srcDevice=src)


into = Entry("cuMemcpyHtoD", from_host, arrived_whole)
with_host(into, "dstDevice", "srcHost")
host_side(into, "srcHost")
into.breaks("ACCESS_IS_GRANTED", "to read", dstDevice=lambda i: half_mapped(i.process, READ))
into.also("a mapping", dstDevice=lambda i: half_mapped(i.process), then=arrived_whole)
into.also("inside", dstDevice=lambda i: i.args["dstDevice"] + 7, then=arrived_whole)


@into.also("as many bytes as are said")
def as_many(_: World, i: Invocation) -> None:
    dst = i.args["dstDevice"]
    i.process.ok.cuMemsetD8(dst, 0, 8)
    i.process.ok.cuMemcpyHtoD(dst + 2, b"abcdef", 4)
    assert content(i.process, dst, 8) == b"\0\0abcd\0\0"


@into.also("a copy that fails writes nothing")
def all_or_nothing(_: World, i: Invocation) -> None:
    last = i.args["dstDevice"] + ROOM - 8
    i.process.ok.cuMemsetD8(last, 7, 8)
    assert i.c.cuMemcpyHtoD(last, b"x" * 16, 16) == (Result.INVALID_VALUE,)
    assert content(i.process, last, 8) == b"\7" * 8


test_memcpy = either.test()
test_memcpy_dtod = devices.test()
test_memcpy_dtoh = out.test()
test_memcpy_htod = into.test()


@pytest.mark.parametrize(
    ("call", "stream"), [("cuMemcpyDtoH", ()), ("cuMemcpyHtoD", ()), ("cuMemcpyHtoDAsync", (0,))], ids=str
)
def test_host_pointers_may_lie_on_the_device(call: str, stream: tuple[int, ...]) -> None:
    """Unified addressing follows a host pointer to the device; its value would mean nothing in a recording."""
    with fakecuda.Machine() as machine:
        c = machine.spawn().c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        source, target = c.cuMemAlloc(SIZE)[1], c.cuMemAlloc(SIZE)[1]
        c.cuMemsetD8(source, NEW, SIZE)
        room = bytearray(SIZE)
        assert getattr(c, call)(target, source, SIZE, *stream) == (Result.SUCCESS,)
        assert c.cuMemcpyDtoH(room, target, SIZE) == (Result.SUCCESS,)
    assert room == bytes([NEW]) * SIZE
