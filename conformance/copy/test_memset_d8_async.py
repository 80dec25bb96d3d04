"""cuMemsetD8Async: a stream fills device memory with a byte.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.case import Entry
from conformance.copy.parts import OLD, ROOM, SIZE, device_side, filled, in_stream, left_to_the_stream, with_peers
from conformance.va.parts import content

if TYPE_CHECKING:
    from conformance.program import Plain
    from conformance.world import Invocation, World

WIDTH = 1
VALUE = 0xFF
BYTES = VALUE.to_bytes(WIDTH, "little")


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemsetD8Async", dstDevice=filled(a, OLD), uc=VALUE, N=SIZE // WIDTH, hStream=0)


def filled_up(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """As many values as are said, the lowest byte first."""
    i.process.ok.cuCtxSynchronize()
    assert content(i.process, i.args["dstDevice"], SIZE + 2) == BYTES * (SIZE // WIDTH) + bytes([OLD, OLD])


entry = Entry("cuMemsetD8Async", valid, filled_up)
in_stream(entry)
device_side(entry, "dstDevice", writes=True)
entry.breaks("RANGE_IS_ALLOCATED", "past the end", N=ROOM // WIDTH + 1)
left_to_the_stream(entry, lambda i: i.args["dstDevice"])
entry.also("the whole allocation", N=ROOM // WIDTH)
entry.also("no values at null", dstDevice=0, N=0)


@entry.world("PEER_IS_ENABLED")
def peer_not_enabled(w: World, i: Invocation) -> Invocation:
    return with_peers(w, i, "dstDevice", enable=False)


@entry.also("memory of a peer", then=filled_up)
def peer_enabled(w: World, i: Invocation) -> Invocation:
    return with_peers(w, i, "dstDevice")


test_memset_d8_async = entry.test()
