"""Copies and memsets of HIP: of ranges and rows, in all directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.both import both
from conformance.cases.hip.fixtures import (
    ALL,
    NEW,
    OLD,
    SIZE,
    entries,
    gone,
    host,
    mapped,
    memory,
    new,
    reset,
    stream,
    there,
)
from conformance.kit.case import suite

if TYPE_CHECKING:
    from conformance.cases.hip.both import Calls
    from conformance.kit.world import Invocation, World

HOST_TO_DEVICE, DEVICE_TO_DEVICE = 1, 3
RANGES = entries(
    {
        "hipMemcpy": lambda a: (memory(a), memory(a), SIZE, DEVICE_TO_DEVICE),
        **{
            f"hipMemcpy{end}": lambda a: (memory(a), memory(a), SIZE, DEVICE_TO_DEVICE, stream(a))
            for end in ("Async", "WithStream")
        },
        "hipMemcpyDtoD": lambda a: (memory(a), memory(a), SIZE),
        "hipMemcpyDtoDAsync": lambda a: (memory(a), memory(a), SIZE, stream(a)),
        "hipMemcpyDtoH": lambda a: (host(a), memory(a), SIZE),
        "hipMemcpyDtoHAsync": lambda a: (host(a), memory(a), SIZE, stream(a)),
        "hipMemcpyHtoD": lambda a: (memory(a), host(a), SIZE),
        "hipMemcpyHtoDAsync": lambda a: (memory(a), host(a), SIZE, stream(a)),
        "hipMemcpyPeer": lambda a: (there(a), 1, memory(a), 0, SIZE),
        "hipMemcpyPeerAsync": lambda a: (there(a), 1, memory(a), 0, SIZE, stream(a)),
    }
)
ROWS = entries(
    {
        "hipMemcpy2D": lambda a: (memory(a), 64, memory(a), 64, 16, 4, DEVICE_TO_DEVICE),
        "hipMemcpy2DAsync": lambda a: (memory(a), 64, memory(a), 64, 16, 4, DEVICE_TO_DEVICE, stream(a)),
    }
)


for one in RANGES.values():
    one.breaks(
        "DIRECTION_FITS",
        dst=new(host),
        src=new(host),
        **({"kind": HOST_TO_DEVICE} if "kind" in one.inputs else {}),
    )
    target, source = (name for name in one.inputs if name in {"dst", "dest", "src"})
    one.breaks("POINTERS_ARE_GIVEN", "no target", **{target: 0})
    one.breaks("POINTERS_ARE_GIVEN", "no source", **{source: 0})
    if "HtoD" in one.call:
        one.breaks("ACCESS_IS_GIVEN", dst=new(mapped))
    if "kind" in one.inputs:
        one.breaks("KIND_IS_KNOWN", kind=5)
    one.also("no bytes", sizeBytes=0)
RANGES["hipMemcpy"].breaks("POINTERS_ARE_GIVEN", "before the kind", dst=0, kind=5)
RANGES["hipMemcpyAsync"].breaks("KIND_IS_KNOWN", "of no bytes", sizeBytes=0, kind=5)
RANGES["hipMemcpyPeer"].breaks("copy.DEVICE_IS_THERE", "of no bytes", dstDeviceId=2, sizeBytes=0)
for call in ("hipMemcpyPeer", "hipMemcpyPeerAsync"):
    for place, label in {1: "the target's", 3: "the source's"}.items():
        RANGES[call].breaks("copy.DEVICE_IS_THERE", label, **{RANGES[call].inputs[place]: 2})
RANGES["hipMemcpyPeerAsync"].breaks("STREAM_IS_LIVE", stream=new(gone))
RANGES["hipMemcpyPeerAsync"].breaks("STREAM_IS_LIVE", "never was", stream=ALL)
RANGES["hipMemcpy"].also("nothing, of an unknown kind", dst=0, src=0, sizeBytes=0, kind=9)


@both("MemcpyPeerAsync", "in a stream of the other device")
def copied_there(c: Calls) -> None:
    source = c.Malloc(SIZE)
    c.Memset(source, 7, SIZE)
    c.DeviceSynchronize()
    c.SetDevice(1)
    target, working = c.Malloc(SIZE), c.StreamCreate()
    c.MemcpyPeerAsync(target, 1, source, 0, SIZE, working)
    c.StreamSynchronize(working)
    assert c.holds(target, 7)


for name in ("hipMemcpy", "hipMemcpyAsync", "hipMemcpyWithStream"):

    @RANGES[name].also("no device admits contexts", rule="DEVICE_ADMITS_CONTEXTS")
    def prohibited(w: World, i: Invocation) -> Invocation:
        for number in range(len(w.model.devices)):
            w.model.set_compute_mode(number, "PROHIBITED")
        b = w.process(context=False)
        return b.call(
            i.call,
            **{**i.args, "dst": host(b), "src": host(b), "kind": 0, **({"stream": 0} if "stream" in i.args else {})},
        )


for one in ROWS.values():
    one.breaks("ADDRESS_IS_GIVEN", dst=0)
    one.breaks("shape.MEMORY_IS_KNOWN", src=new(host))
    one.breaks("SPAN_FITS", height=65)
    one.breaks("END_FITS", src=lambda i: i.args["src"] + 3900, height=4)
    one.also("no rows", height=0)
for name in ("hipMemcpy2DAsync", "hipMemcpy2DAsync_spt"):
    ROWS[name].breaks("STREAM_IS_LIVE", stream=new(gone))
    ROWS[name].breaks("STREAM_OUTLIVES_NO_RESET", stream=new(reset))
    ROWS[name].only(NEW, "STREAM_IS_LIVE", "STREAM_OUTLIVES_NO_RESET")
    ROWS[name].breaks("STREAM_OF_ROWS_IS_LIVE", stream=new(gone))
    ROWS[name].breaks("STREAM_OF_ROWS_IS_LIVE", "of no bytes", stream=ALL, width=0)
    ROWS[name].only(OLD, "STREAM_OF_ROWS_IS_LIVE")
ROWS["hipMemcpy2D"].breaks("copy.PITCH_SPANS_THE_ROW", "of null", dst=0, src=0, dpitch=15)

test_copy = suite(*RANGES.values(), *ROWS.values())
