"""Copies of contiguous bytes, by the host and by streams.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import fakecuda
from conformance.cases.driver.copy.fixtures import (
    LATER,
    NEW,
    OLD,
    ROOM,
    SIZE,
    any_side,
    blocked,
    device_side,
    filled,
    host,
    host_side,
    in_stream,
    left_to_the_stream,
    on_host,
    waits_for_managed_memory,
    with_peers,
)
from conformance.cases.driver.memory.fixtures import PAGE, registered
from conformance.cases.driver.stream.fixtures import in_its_turn
from conformance.cases.driver.va.fixtures import NOWHERE, READ, adjoining, content, freed, half_mapped, imported
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, access, pinned
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def entry_of(call: str, dst: str, src: str) -> Entry:
    """Return the entry of a copy.

    Args:
        call: The call.
        dst: The target, by its C name.
        src: The source, likewise.
    """

    def valid(w: World) -> Invocation:
        a = w.process()
        sides: dict[str, Any] = {
            dst: bytearray(SIZE) if dst == "dstHost" else filled(a, OLD),
            src: bytes([NEW]) * SIZE if src == "srcHost" else filled(a, NEW),
        }
        if queued:
            sides["hStream"] = 0
        return a.call(call, **sides, ByteCount=SIZE)

    def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
        """Check that the bytes arrived, on the host before the call returned."""
        if dst == "dstHost":
            assert i.args[dst] == bytes([NEW]) * SIZE
            return
        i.process.ok.cuCtxSynchronize()
        assert content(i.process, i.args[dst] + SIZE - 2) == bytes([NEW, NEW, OLD, OLD])

    queued = call.endswith("Async")
    entry = Entry(call, valid, arrived)
    if queued:
        in_stream(entry)
    if queued and dst != "dstHost":
        left_to_the_stream(entry, lambda i: i.args[dst])
    return entry


def to_peer(entry: Entry, dst: str) -> None:
    """Add the case of a target on another device."""

    @entry.also("to another device without peer access", then=entry.then)
    def without_access(w: World, i: Invocation) -> Invocation:
        return with_peers(w, i, dst, enable=False)


def between(entry: Entry, dst: str, src: str) -> None:
    """Add the cases of a copy between two device addresses, by their C names."""
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
    to_peer(entry, dst)


def with_host(entry: Entry, device: str, own: str) -> None:
    """Add the cases of a copy between a device and the host, by C names."""
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


either = entry_of("cuMemcpy", "dst", "src")
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
either.also("from the host", src=lambda i: host(i.process, NEW), then=either.then)
either.also("inside of the host's memory", src=lambda i: host(i.process, NEW) + 8, ByteCount=SIZE - 8)


@either.also("to the host")
def to_the_host(_: World, i: Invocation) -> None:
    target = i.process.host_memory(PAGE)
    i.process.ok.cuMemcpy(target, i.args["src"], SIZE)
    i.process.ok.cuMemcpy(i.args["dst"], target, SIZE)
    assert content(i.process, i.args["dst"], SIZE) == bytes([NEW]) * SIZE


@either.also("from host to host")
def host_to_host(_: World, i: Invocation) -> None:
    source, target = host(i.process, NEW), i.process.host_memory(PAGE)
    i.process.ok.cuMemcpy(target, source, SIZE)
    i.process.ok.cuMemcpy(i.args["dst"], target, SIZE)
    assert content(i.process, i.args["dst"], SIZE) == bytes([NEW]) * SIZE


@either.also("across mappings that adjoin")
def across(_: World, i: Invocation) -> None:
    middle = adjoining(i.process) + GRANULE - 8
    i.process.ok.cuMemcpy(middle, i.args["src"], 16)
    assert content(i.process, middle, 16) == bytes([NEW]) * 16


@either.also("from and to pinned memory", then=either.then)
def pinned_memory(_: World, i: Invocation) -> Invocation:
    middle = i.process.ok.cuMemHostAlloc(PAGE, 0)
    i.process.ok.cuMemcpy(middle, i.args["src"], SIZE)
    return i.evolve(src=middle)


devices = entry_of("cuMemcpyDtoD", "dstDevice", "srcDevice")
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


for source, target in ((True, True), (True, False), (False, True)):

    @devices.also(f"across mappings that adjoin, {source} and {target}")
    def in_pieces(_: World, i: Invocation, sides: tuple[bool, bool] = (source, target)) -> None:
        a, pattern = i.process, bytes(range(16))
        src, dst = (adjoining(a) + GRANULE - 8 if pieced else filled(a, OLD) for pieced in sides)
        a.ok.cuMemcpyHtoD(src, pattern, 16)
        a.ok.cuMemcpyDtoD(dst, src, 16)
        assert content(a, dst, 16) == pattern


@devices.also("into memory of another process")
def opened(w: World, i: Invocation) -> None:
    b = w.process()
    ours, theirs = imported(i.process, b)
    i.process.ok.cuMemcpyDtoD(ours, i.args["srcDevice"], SIZE)
    i.process.ok.cuCtxSynchronize()
    assert content(b, theirs) == bytes([NEW]) * 4


out = entry_of("cuMemcpyDtoH", "dstHost", "srcDevice")
host_side(out, "dstHost", writes=True)
with_host(out, "srcDevice", "dstHost")


@out.also("read access suffices", then=out.then)
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


@out.also("from another device without peer access", then=out.then)
def from_peer(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    src = filled(i.process, NEW)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(srcDevice=src)


def arrived_whole(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    assert content(i.process, i.args["dstDevice"], SIZE) == i.args["srcHost"]


into = entry_of("cuMemcpyHtoD", "dstDevice", "srcHost")
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


def changing_sources(entry: Entry, dst: str, src: str) -> None:
    """Add the cases of host memory that changes before the stream runs."""

    def copied(w: World, i: Invocation, source: int) -> bytes:
        later = filled(i.process, LATER)
        i, unblock = blocked(w, i)
        assert i.evolve(**{src: source}).run() == (0,)
        i.process.ok.cuMemcpyDtoH(source, later, SIZE)
        unblock()
        return content(i.process, i.args[dst])

    @entry.also("from host memory that changes while the stream waits")
    def staged(w: World, i: Invocation) -> None:
        assert copied(w, i, host(i.process, NEW)) == bytes([NEW]) * 4

    @entry.also("from pinned memory that changes while the stream waits")
    def not_staged(w: World, i: Invocation) -> None:
        assert copied(w, i, i.process.ok.cuMemAllocHost(PAGE)) == bytes([LATER]) * 4


def to_page_locked(entry: Entry, dst: str, kind: str, made: Callable[[Invocation], Any]) -> None:
    """Add the case of host memory that the device can access.

    Args:
        entry: The entry.
        dst: The target, by its C name.
        kind: How it is page-locked.
        made: Makes it.
    """

    @entry.also(f"to {kind} memory: it is left to the stream")
    def left(w: World, i: Invocation) -> None:
        target, room = made(i), i.process.ok.cuMemAlloc(SIZE)
        i.process.ok.cuMemcpyDtoH(target, filled(i.process, OLD), SIZE)
        i, unblock = blocked(w, i)
        assert i.evolve(**{dst: target}).run() == (0,)
        assert i.c.cuStreamQuery(i.args["hStream"]) == (Result.NOT_READY,)
        assert on_host(i.process, target, room) == bytes([OLD]) * SIZE
        unblock()
        assert on_host(i.process, target, room) == bytes([NEW]) * SIZE


queued_either = entry_of("cuMemcpyAsync", "dst", "src")
any_side(queued_either, "dst", writes=True)
any_side(queued_either, "src")
queued_either.breaks("RANGE_IS_ALLOCATED", "dst past the end", dst=lambda i: i.args["dst"] + ROOM - 8)
queued_either.breaks("RANGE_IS_ALLOCATED", "src past the end", src=lambda i: i.args["src"] + ROOM - 8)
queued_either.also("no bytes between nulls", dst=0, src=0, ByteCount=0)
queued_either.also("from the host", src=lambda i: host(i.process, NEW), then=queued_either.then)
queued_either.also("from registered memory", src=lambda i: registered(i.process))
queued_either.also("to managed memory", dst=lambda i: i.process.ok.cuMemAllocManaged(SIZE, 1))
changing_sources(queued_either, "dst", "src")
to_page_locked(queued_either, "dst", "pinned", lambda i: i.process.ok.cuMemAllocHost(PAGE))
to_peer(queued_either, "dst")


@queued_either.also("to the host: it has arrived when the call returns")
def waited_for(_w: World, i: Invocation) -> None:
    target = host(i.process, OLD)
    assert i.evolve(dst=target).run() == (0,)
    assert on_host(i.process, target) == bytes([NEW]) * SIZE


@queued_either.also("from host to host: it has arrived when the call returns")
def waited_for_on_the_host(_w: World, i: Invocation) -> None:
    target = host(i.process, OLD)
    assert i.evolve(dst=target, src=host(i.process, NEW)).run() == (0,)
    assert on_host(i.process, target) == bytes([NEW]) * SIZE


queued_devices = entry_of("cuMemcpyDtoDAsync", "dstDevice", "srcDevice")
device_side(queued_devices, "dstDevice", writes=True)
device_side(queued_devices, "srcDevice")
for side in ("dstDevice", "srcDevice"):
    queued_devices.breaks(
        "RANGE_IS_ALLOCATED", f"{side} past the end", **{side: lambda i, s=side: i.args[s] + ROOM - 8}
    )
queued_devices.also("no bytes between nulls", dstDevice=0, srcDevice=0, ByteCount=0)
to_peer(queued_devices, "dstDevice")

queued_out = entry_of("cuMemcpyDtoHAsync", "dstHost", "srcDevice")
device_side(queued_out, "srcDevice")
host_side(queued_out, "dstHost", writes=True)
waits_for_managed_memory(queued_out, lambda i, place: i.evolve(dstHost=place))
queued_out.breaks("HOST_IS_GIVEN", dstHost=None)
queued_out.breaks("RANGE_IS_ALLOCATED", "past the end", srcDevice=lambda i: i.args["srcDevice"] + ROOM - 8)
queued_out.also("no bytes to null", dstHost=None, srcDevice=0, ByteCount=0)
to_page_locked(queued_out, "dstHost", "pinned", lambda i: i.process.ok.cuMemAllocHost(PAGE))
to_page_locked(queued_out, "dstHost", "registered", lambda i: registered(i.process))

queued_into = entry_of("cuMemcpyHtoDAsync", "dstDevice", "srcHost")
device_side(queued_into, "dstDevice", writes=True)
host_side(queued_into, "srcHost")
waits_for_managed_memory(queued_into, lambda i, place: i.evolve(srcHost=place))
queued_into.breaks("HOST_IS_GIVEN", srcHost=None)
queued_into.breaks("RANGE_IS_ALLOCATED", "past the end", dstDevice=lambda i: i.args["dstDevice"] + ROOM - 8)
queued_into.also("no bytes from null", dstDevice=0, srcHost=None, ByteCount=0)
changing_sources(queued_into, "dstDevice", "srcHost")

test_memcpy = either.test()
test_memcpy_dtod = devices.test()
test_memcpy_dtoh = out.test()
test_memcpy_htod = into.test()
test_memcpy_async = queued_either.test()
test_memcpy_dtod_async = queued_devices.test()
test_memcpy_dtoh_async = queued_out.test()
test_memcpy_htod_async = queued_into.test()


@pytest.mark.parametrize(
    ("call", "stream"), [("cuMemcpyDtoH", ()), ("cuMemcpyHtoD", ()), ("cuMemcpyHtoDAsync", (0,))], ids=str
)
def test_host_pointers_may_lie_on_the_device(call: str, stream: tuple[int, ...]) -> None:
    """A host pointer may be a device address, because of unified addressing."""
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
