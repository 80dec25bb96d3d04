"""cuMemcpyHtoDAsync: a stream copies host memory to device memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import fakecuda
from conformance.cases.driver.copy.fixtures import (
    LATER,
    NEW,
    OLD,
    ROOM,
    SIZE,
    blocked,
    device_side,
    filled,
    host,
    host_side,
    in_stream,
    left_to_the_stream,
    waits_for_managed_memory,
)
from conformance.cases.driver.memory.fixtures import PAGE
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    source = bytes([NEW]) * SIZE
    return a.call("cuMemcpyHtoDAsync", dstDevice=filled(a, OLD), srcHost=source, ByteCount=SIZE, hStream=0)


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """As many bytes as are said."""
    i.process.ok.cuCtxSynchronize()
    assert content(i.process, i.args["dstDevice"] + SIZE - 2) == bytes([NEW, NEW, OLD, OLD])


entry = Entry("cuMemcpyHtoDAsync", valid, arrived)
in_stream(entry)
device_side(entry, "dstDevice", writes=True)
host_side(entry, "srcHost")
entry.breaks("HOST_IS_GIVEN", srcHost=None)
entry.breaks("RANGE_IS_ALLOCATED", "past the end", dstDevice=lambda i: i.args["dstDevice"] + ROOM - 8)
waits_for_managed_memory(entry, lambda i, place: i.evolve(srcHost=place))
left_to_the_stream(entry, lambda i: i.args["dstDevice"])
entry.also("no bytes from null", dstDevice=0, srcHost=None, ByteCount=0)


@entry.also("from host memory that changes while the stream waits")
def staged(w: World, i: Invocation) -> None:
    source, later = host(i.process, NEW), filled(i.process, LATER)
    i, unblock = blocked(w, i)
    assert i.evolve(srcHost=source).run() == (0,)
    i.process.ok.cuMemcpyDtoH(source, later, SIZE)
    unblock()
    assert content(i.process, i.args["dstDevice"]) == bytes([NEW]) * 4


@entry.also("from pinned memory that changes while the stream waits")
def not_staged(w: World, i: Invocation) -> None:
    source, later = i.process.ok.cuMemAllocHost(PAGE), filled(i.process, LATER)
    i, unblock = blocked(w, i)
    assert i.evolve(srcHost=source).run() == (0,)
    i.process.ok.cuMemcpyDtoH(source, later, SIZE)
    unblock()
    assert content(i.process, i.args["dstDevice"]) == bytes([LATER]) * 4


test_memcpy_htod_async = entry.test()


def test_source_on_the_device() -> None:
    """Unified addressing follows a host pointer to the device; its value would mean nothing in a recording."""
    with fakecuda.Machine() as machine:
        c = machine.spawn().c
        c.cuInit(0)
        c.cuCtxCreate(None, 0, 0)
        source, target = c.cuMemAlloc(SIZE)[1], c.cuMemAlloc(SIZE)[1]
        c.cuMemsetD8(source, 5, SIZE)
        room = bytearray(SIZE)
        assert c.cuMemcpyHtoDAsync(target, source, SIZE, 0) == (Result.SUCCESS,)
        assert c.cuMemcpyDtoH(room, target, SIZE) == (Result.SUCCESS,)
    assert room == b"\5" * SIZE
