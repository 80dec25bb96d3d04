"""cuEventRecord: record the work of a stream in an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.work.stream import PER_THREAD
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import require_driver_up
from fakecuda.rules.driver.event.handle import usable_event_of
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream

EVENT_IS_THE_STREAM_S = Rule(
    "the recorded event and the stream belong to the same context",
    Result.INVALID_HANDLE,
    manual(
        "cuEventRecord",
        "hEvent and hStream must be from the same context otherwise CUDA_ERROR_INVALID_HANDLE is returned",
    ),
    fix="create the event in the stream's context",
)


@guard
def on_stream(call: Call, event: Event, handle: int, name: str) -> Stream:
    """Return the stream of a handle, which is in the event's context."""
    stream = stream_of(call, handle, name)
    if event.context is not stream.context:
        raise EVENT_IS_THE_STREAM_S.broken(event=event, stream=stream)
    return stream


@guard
def entered(call: Call, handle: int) -> None:
    """Check that a context is current if the handle is a default stream."""
    if handle <= PER_THREAD:
        current(call)
    else:
        require_driver_up(call)


@DRIVER.op("cuEventRecord", several="an event that a capture had recorded is taken out of the capture")
@orders.makes(orders.AWAITED_EVENT)
def event_record(call: Call, event: int, stream: int) -> None:
    """Record the work so far of a stream in an event. A later record replaces an earlier one.

    Args:
        call: The call.
        event: An event of the stream's context.
        stream: A stream; 0, CU_STREAM_LEGACY (1) and CU_STREAM_PER_THREAD (2) are default streams of the current context.
    """
    # CHECK
    entered(call, stream)
    recorded = usable_event_of(call, event)
    captured = on_stream(call, recorded, stream, "cuEventRecord")
    # EFFECT
    recorded.record(captured)
