"""Streams of HIP."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.hip.fixtures import (
    ALL,
    NEW,
    SIZE,
    ended,
    entries,
    event,
    gone,
    memory,
    new,
    stream,
    waiting,
)
from conformance.kit.case import suite

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

NOT_BLOCKING = 1
every = entries(
    {
        **dict.fromkeys(
            ("hipDeviceGetStreamPriorityRange", "hipDeviceReset", "hipDeviceSynchronize", "hipStreamCreate")
        ),
        "hipStreamCreateWithFlags": lambda _: (NOT_BLOCKING,),
        "hipStreamCreateWithPriority": lambda _: (NOT_BLOCKING, 0),
        **{
            f"hipStream{does}": lambda a: (stream(a),)
            for does in (
                *("Destroy", "GetDevice", "GetFlags", "GetId", "GetPriority", "IsCapturing", "Query", "Synchronize"),
            )
        },
        "hipStreamWaitEvent": lambda a: (stream(a), event(a), 0),
    }
)
every["hipStreamCreateWithFlags"].breaks("stream.FLAGS_ARE_KNOWN", "others", flags=0xFF)
every["hipStreamDestroy"].breaks("STREAM_IS_CREATED", stream=0)
every["hipStreamGetFlags"].breaks("STREAM_TO_ASK_IS_GIVEN", stream=0)


def unfinished(w: World, i: Invocation) -> None:
    """Have the stream's work wait."""
    waiting(w)
    i.process.ok.hipMemsetAsync(memory(i.process), 0, SIZE, i.args["stream"])


for call in ("hipStreamQuery", "hipStreamQuery_spt"):
    every[call].also("work is not done", rule="WORK_IS_DONE")(unfinished)
for call in ("hipStreamWaitEvent", "hipStreamWaitEvent_spt"):
    wait = every[call]
    wait.breaks("WAIT_FLAGS_ARE_ZERO", flags=2)
    wait.breaks("STREAM_IS_CAPTURED", flags=1)
    wait.only(NEW, "STREAM_IS_CAPTURED")
    wait.breaks("EVENT_IS_THERE", event=0)
    wait.breaks("EVENT_TO_AWAIT_IS_KNOWN", event=new(ended))
    wait.breaks("STREAM_TO_WAIT_IS_LIVE", stream=ALL)
    wait.breaks("STREAM_TO_WAIT_IS_LIVE", "destroyed", stream=new(gone))

test_stream = suite(*every.values())
