"""cuMemcpyDtoHAsync: a stream copies device memory to host memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conformance.cases.driver.copy.fixtures import (
    NEW,
    OLD,
    ROOM,
    SIZE,
    blocked,
    device_side,
    filled,
    host_side,
    in_stream,
    on_host,
    waits_for_managed_memory,
)
from conformance.cases.driver.memory.fixtures import PAGE, registered
from conformance.kit.case import Entry
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemcpyDtoHAsync", dstHost=bytearray(SIZE), srcDevice=filled(a, NEW), ByteCount=SIZE, hStream=0)


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """It has when the call returns."""
    assert i.args["dstHost"] == bytes([NEW]) * SIZE


entry = Entry("cuMemcpyDtoHAsync", valid, arrived)
in_stream(entry)
device_side(entry, "srcDevice")
host_side(entry, "dstHost", writes=True)
waits_for_managed_memory(entry, lambda i, place: i.evolve(dstHost=place))
entry.breaks("HOST_IS_GIVEN", dstHost=None)
entry.breaks("RANGE_IS_ALLOCATED", "past the end", srcDevice=lambda i: i.args["srcDevice"] + ROOM - 8)
entry.also("no bytes to null", dstHost=None, srcDevice=0, ByteCount=0)

for kind, made in {
    "pinned": lambda i: i.process.ok.cuMemAllocHost(PAGE),
    "registered": lambda i: registered(i.process),
}.items():

    @entry.also(f"to {kind} memory: it is left to the stream")
    def to_page_locked(w: World, i: Invocation, made: Any = made) -> None:  # noqa: ANN401 - makes memory
        target, room = made(i), i.process.ok.cuMemAlloc(SIZE)
        i.process.ok.cuMemcpyDtoH(target, filled(i.process, OLD), SIZE)
        i, unblock = blocked(w, i)
        assert i.evolve(dstHost=target).run() == (0,)
        assert i.c.cuStreamQuery(i.args["hStream"]) == (Result.NOT_READY,)
        assert on_host(i.process, target, room) == bytes([OLD]) * SIZE
        unblock()
        assert on_host(i.process, target, room) == bytes([NEW]) * SIZE


test_memcpy_dtoh_async = entry.test()
