"""cuMemcpyAsync: a stream copies memory to memory; the addresses tell which of them is the host's.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.copy.fixtures import (
    LATER,
    NEW,
    OLD,
    ROOM,
    SIZE,
    any_side,
    blocked,
    filled,
    host,
    in_stream,
    left_to_the_stream,
    on_host,
)
from conformance.cases.driver.memory.fixtures import PAGE, registered
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemcpyAsync", dst=filled(a, OLD), src=filled(a, NEW), ByteCount=SIZE, hStream=0)


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """As many bytes as are said."""
    i.process.ok.cuCtxSynchronize()
    assert content(i.process, i.args["dst"] + SIZE - 2) == bytes([NEW, NEW, OLD, OLD])


entry = Entry("cuMemcpyAsync", valid, arrived)
in_stream(entry)
any_side(entry, "dst", writes=True)
any_side(entry, "src")
entry.breaks("RANGE_IS_ALLOCATED", "dst past the end", dst=lambda i: i.args["dst"] + ROOM - 8)
entry.breaks("RANGE_IS_ALLOCATED", "src past the end", src=lambda i: i.args["src"] + ROOM - 8)
left_to_the_stream(entry, lambda i: i.args["dst"])

entry.also("no bytes between nulls", dst=0, src=0, ByteCount=0)
entry.also("from the host", src=lambda i: host(i.process, NEW), then=arrived)
entry.also("from registered memory", src=lambda i: registered(i.process))
entry.also("to managed memory", dst=lambda i: i.process.ok.cuMemAllocManaged(SIZE, 1))


@entry.also("to the host: it has arrived when the call returns")
def to_host(_w: World, i: Invocation) -> None:
    target = host(i.process, OLD)
    assert i.evolve(dst=target).run() == (0,)
    assert on_host(i.process, target) == bytes([NEW]) * SIZE


@entry.also("from host to host: it has arrived when the call returns")
def host_to_host(_w: World, i: Invocation) -> None:
    target = host(i.process, OLD)
    assert i.evolve(dst=target, src=host(i.process, NEW)).run() == (0,)
    assert on_host(i.process, target) == bytes([NEW]) * SIZE


@entry.also("from host memory that changes while the stream waits")
def staged(w: World, i: Invocation) -> None:
    source, later = host(i.process, NEW), filled(i.process, LATER)
    i, unblock = blocked(w, i)
    assert i.evolve(src=source).run() == (0,)
    i.process.ok.cuMemcpyDtoH(source, later, SIZE)
    unblock()
    assert content(i.process, i.args["dst"]) == bytes([NEW]) * 4


@entry.also("from pinned memory that changes while the stream waits")
def not_staged(w: World, i: Invocation) -> None:
    source, later = i.process.ok.cuMemAllocHost(PAGE), filled(i.process, LATER)
    i, unblock = blocked(w, i)
    assert i.evolve(src=source).run() == (0,)
    i.process.ok.cuMemcpyDtoH(source, later, SIZE)
    unblock()
    assert content(i.process, i.args["dst"]) == bytes([LATER]) * 4


@entry.also("to pinned memory: it is left to the stream")
def to_pinned(w: World, i: Invocation) -> None:
    target, room = i.process.ok.cuMemAllocHost(PAGE), i.process.ok.cuMemAlloc(SIZE)
    i.process.ok.cuMemcpy(target, filled(i.process, OLD), SIZE)
    i, unblock = blocked(w, i)
    assert i.evolve(dst=target).run() == (0,)
    assert i.c.cuStreamQuery(i.args["hStream"]) == (Result.NOT_READY,)
    assert on_host(i.process, target, room) == bytes([OLD]) * SIZE
    unblock()
    assert on_host(i.process, target, room) == bytes([NEW]) * SIZE


@entry.also("to another device without peer access", then=arrived)
def to_peer(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)
    dst = filled(i.process, OLD)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(dst=dst)


test_memcpy_async = entry.test()
