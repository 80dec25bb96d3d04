"""Copies of bytes that lie one behind the other, made by a stream.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from fakecuda.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable

    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def entry_of(call: str, dst: str, src: str) -> Entry:
    """Return the entry of a copy, with the cases that all have.

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
        return a.call(call, **sides, ByteCount=SIZE, hStream=0)

    def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
        """As many bytes as are said; on the host they are when the call returns."""
        if dst == "dstHost":
            assert i.args[dst] == bytes([NEW]) * SIZE
            return
        i.process.ok.cuCtxSynchronize()
        assert content(i.process, i.args[dst] + SIZE - 2) == bytes([NEW, NEW, OLD, OLD])

    entry = Entry(call, valid, arrived)
    in_stream(entry)
    if dst != "dstHost":
        left_to_the_stream(entry, lambda i: i.args[dst])
    return entry


def to_peer(entry: Entry, dst: str) -> None:
    """Add the case of a target on another device."""

    @entry.also("to another device without peer access", then=entry.then)
    def without_access(w: World, i: Invocation) -> Invocation:
        return with_peers(w, i, dst, enable=False)


def changing_sources(entry: Entry, dst: str, src: str) -> None:
    """Add the cases of memory of the host that changes before the stream gets there."""

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
    """Add the case of memory of the host that the device reaches by itself.

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


either = entry_of("cuMemcpyAsync", "dst", "src")
any_side(either, "dst", writes=True)
any_side(either, "src")
either.breaks("RANGE_IS_ALLOCATED", "dst past the end", dst=lambda i: i.args["dst"] + ROOM - 8)
either.breaks("RANGE_IS_ALLOCATED", "src past the end", src=lambda i: i.args["src"] + ROOM - 8)
either.also("no bytes between nulls", dst=0, src=0, ByteCount=0)
either.also("from the host", src=lambda i: host(i.process, NEW), then=either.then)
either.also("from registered memory", src=lambda i: registered(i.process))
either.also("to managed memory", dst=lambda i: i.process.ok.cuMemAllocManaged(SIZE, 1))
changing_sources(either, "dst", "src")
to_page_locked(either, "dst", "pinned", lambda i: i.process.ok.cuMemAllocHost(PAGE))
to_peer(either, "dst")


@either.also("to the host: it has arrived when the call returns")
def to_host(_w: World, i: Invocation) -> None:
    target = host(i.process, OLD)
    assert i.evolve(dst=target).run() == (0,)
    assert on_host(i.process, target) == bytes([NEW]) * SIZE


@either.also("from host to host: it has arrived when the call returns")
def host_to_host(_w: World, i: Invocation) -> None:
    target = host(i.process, OLD)
    assert i.evolve(dst=target, src=host(i.process, NEW)).run() == (0,)
    assert on_host(i.process, target) == bytes([NEW]) * SIZE


devices = entry_of("cuMemcpyDtoDAsync", "dstDevice", "srcDevice")
device_side(devices, "dstDevice", writes=True)
device_side(devices, "srcDevice")
for side in ("dstDevice", "srcDevice"):
    devices.breaks("RANGE_IS_ALLOCATED", f"{side} past the end", **{side: lambda i, s=side: i.args[s] + ROOM - 8})
devices.also("no bytes between nulls", dstDevice=0, srcDevice=0, ByteCount=0)
to_peer(devices, "dstDevice")

out = entry_of("cuMemcpyDtoHAsync", "dstHost", "srcDevice")
device_side(out, "srcDevice")
host_side(out, "dstHost", writes=True)
waits_for_managed_memory(out, lambda i, place: i.evolve(dstHost=place))
out.breaks("HOST_IS_GIVEN", dstHost=None)
out.breaks("RANGE_IS_ALLOCATED", "past the end", srcDevice=lambda i: i.args["srcDevice"] + ROOM - 8)
out.also("no bytes to null", dstHost=None, srcDevice=0, ByteCount=0)
to_page_locked(out, "dstHost", "pinned", lambda i: i.process.ok.cuMemAllocHost(PAGE))
to_page_locked(out, "dstHost", "registered", lambda i: registered(i.process))

into = entry_of("cuMemcpyHtoDAsync", "dstDevice", "srcHost")
device_side(into, "dstDevice", writes=True)
host_side(into, "srcHost")
waits_for_managed_memory(into, lambda i, place: i.evolve(srcHost=place))
into.breaks("HOST_IS_GIVEN", srcHost=None)
into.breaks("RANGE_IS_ALLOCATED", "past the end", dstDevice=lambda i: i.args["dstDevice"] + ROOM - 8)
into.also("no bytes from null", dstDevice=0, srcHost=None, ByteCount=0)
changing_sources(into, "dstDevice", "srcHost")

test_memcpy_async = either.test()
test_memcpy_dtod_async = devices.test()
test_memcpy_dtoh_async = out.test()
test_memcpy_htod_async = into.test()
