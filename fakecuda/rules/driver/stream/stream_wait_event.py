"""cuStreamWaitEvent: have a stream wait for an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.work.event import INTERPROCESS
from fakecuda.rules.core import Rule, manual, undefined
from fakecuda.rules.driver.event.handle import usable_event_of
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

EXTERNAL = 1
"""CU_EVENT_WAIT_EXTERNAL."""

FLAGS_ARE_KNOWN = Rule(
    "the flags have only bits of CUevent_wait_flags",
    Result.INVALID_VALUE,
    manual("cuStreamWaitEvent", "flags include"),
    fix="pass CU_EVENT_WAIT_DEFAULT for the flags of cuStreamWaitEvent",
)
STREAM_IS_CAPTURING = Rule(
    "the stream is being captured if the flags have CU_EVENT_WAIT_EXTERNAL",
    Result.ILLEGAL_STATE,
    manual("cuStreamWaitEvent", "This flag is invalid outside of stream capture"),
    fix="pass CU_EVENT_WAIT_DEFAULT; CU_EVENT_WAIT_EXTERNAL is only for a captured stream",
)
EVENT_IS_OF_THE_CONTEXT = Rule(
    "an interprocess event that this process created belongs to the context of the stream",
    Result.INVALID_HANDLE,
    undefined(
        "cuStreamWaitEvent",
        "the manual says nothing about interprocess events of another context; driver 580 crashes (segmentation fault)",
    ),
    fix="create the interprocess event in the stream's context",
)


@DRIVER.op("cuStreamWaitEvent")
def stream_wait_event(call: Call, stream: int, event: int, flags: int) -> None:
    """Have later work of a stream wait for the work that an event has recorded.

    Args:
        call: The call.
        stream: The stream.
        event: An event of any context. An event that was never recorded causes no wait.
        flags: CU_EVENT_WAIT_DEFAULT (0); the other flag is for a stream that is being captured.
    """
    # CHECK
    waiting = stream_of(call, stream, "cuStreamWaitEvent")
    if flags & ~EXTERNAL:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    awaited = usable_event_of(call, event)
    if flags:
        raise STREAM_IS_CAPTURING.broken(flags=flags)
    if awaited.flags & INTERPROCESS and awaited.exported is None and awaited.context is not waiting.context:
        call.undefined(EVENT_IS_OF_THE_CONTEXT, event=awaited, stream=waiting)
        raise EVENT_IS_OF_THE_CONTEXT.broken(event=awaited, stream=waiting)
    # EFFECT
    awaited.precede(waiting)
