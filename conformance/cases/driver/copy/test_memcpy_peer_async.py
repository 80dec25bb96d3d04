"""cuMemcpyPeerAsync: a stream copies device memory to device memory, of two contexts.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.driver.context.fixtures import GARBAGE
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
from conformance.cases.driver.copy.test_memcpy_peer import destroyed
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from fakecuda.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call(
        "cuMemcpyPeerAsync",
        dstDevice=filled(a, OLD),
        dstContext=a.context,
        srcDevice=filled(a, NEW),
        srcContext=a.context,
        ByteCount=SIZE,
        hStream=0,
    )


def arrived(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """As many bytes as are said."""
    i.process.ok.cuCtxSynchronize()
    assert content(i.process, i.args["dstDevice"] + SIZE - 2) == bytes([NEW, NEW, OLD, OLD])


entry = Entry("cuMemcpyPeerAsync", valid, arrived)
entry.without("not_initialized")  # the driver follows the contexts before it looks
in_stream(entry)


@entry.world("DRIVER_IS_INITIALIZED")
def before_init(w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i, process=w.process(init=False)).evolve(dstContext=0, srcContext=0)


for side in ("dst", "src"):
    device, context = f"{side}Device", f"{side}Context"
    entry.breaks("POINTERS_ARE_GIVEN", side, **{device: 0})
    entry.breaks("RANGE_IS_ALLOCATED", f"{device} past the end", **{device: lambda i, s=device: i.args[s] + ROOM - 8})
    entry.undefined(
        "CONTEXTS_ARE_LIVE", context, code=Result.INVALID_CONTEXT, **{context: lambda i: destroyed(i.process)}
    )
    entry.undefined("CONTEXT_IS_KNOWN", context, code=Result.INVALID_CONTEXT, **{context: GARBAGE})
    device_side(entry, device, writes=side == "dst", null="")
left_to_the_stream(entry, lambda i: i.args["dstDevice"])
entry.also("no contexts", dstContext=0, srcContext=0, then=arrived)
entry.also("no bytes between nulls", dstDevice=0, srcDevice=0, ByteCount=0)


@entry.also("between devices without peer access", then=arrived)
def between_devices(w: World, i: Invocation) -> Invocation:
    return with_peers(w, i, "dstDevice", enable=False)


test_memcpy_peer_async = entry.test()
