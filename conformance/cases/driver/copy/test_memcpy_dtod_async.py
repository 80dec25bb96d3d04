"""cuMemcpyDtoDAsync: a stream copies device memory to device memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.copy.fixtures import (
    NEW,
    OLD,
    ROOM,
    SIZE,
    device_side,
    filled,
    in_stream,
    left_to_the_stream,
    with_peers,
)
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemcpyDtoDAsync", dstDevice=filled(a, OLD), srcDevice=filled(a, NEW), ByteCount=SIZE, hStream=0)


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """As many bytes as are said."""
    i.process.ok.cuCtxSynchronize()
    assert content(i.process, i.args["dstDevice"] + SIZE - 2) == bytes([NEW, NEW, OLD, OLD])


entry = Entry("cuMemcpyDtoDAsync", valid, arrived)
in_stream(entry)
device_side(entry, "dstDevice", writes=True)
device_side(entry, "srcDevice")
for side in ("dstDevice", "srcDevice"):
    entry.breaks("RANGE_IS_ALLOCATED", f"{side} past the end", **{side: lambda i, s=side: i.args[s] + ROOM - 8})
left_to_the_stream(entry, lambda i: i.args["dstDevice"])
entry.also("no bytes between nulls", dstDevice=0, srcDevice=0, ByteCount=0)


@entry.also("to another device without peer access", then=arrived)
def to_peer(w: World, i: Invocation) -> Invocation:
    return with_peers(w, i, "dstDevice", enable=False)


test_memcpy_dtod_async = entry.test()
