"""cuEventRecord: an event captures the work of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.codes import Result
from fakecuda.rule import Rule, guard, manual, op, undefined
from fakecuda.spec.context.current import current
from fakecuda.spec.event.valid import usable_event_of

if TYPE_CHECKING:
    from fakecuda.model.context import Context
    from fakecuda.model.event import Event
    from fakecuda.model.process import Thread

STREAMS = (0, 1, 2)
"""The default streams: that of the calling convention, CU_STREAM_LEGACY and CU_STREAM_PER_THREAD."""

STREAM_IS_KNOWN = Rule(
    "the stream is a default stream of the current context",
    Result.INVALID_HANDLE,
    undefined("cuEventRecord", "silent about other values; no driver was asked, for it would follow them"),
)
EVENT_IS_THE_STREAM_S = Rule(
    "event and stream are of one context",
    Result.INVALID_HANDLE,
    manual(
        "cuEventRecord",
        "hEvent and hStream must be from the same context otherwise CUDA_ERROR_INVALID_HANDLE is returned",
    ),
)


@guard
def on_stream(call: Thread, event: Event, stream: int, context: Context, name: str) -> None:
    """Check that an event is of a stream's context; the default streams are the current context's."""
    if stream not in STREAMS:
        call.undefined(STREAM_IS_KNOWN, name, stream=stream)
        raise STREAM_IS_KNOWN.broken(stream=stream)
    if event.context is not context:
        raise EVENT_IS_THE_STREAM_S.broken(event=event, context=context)


@op("cuEventRecord")
def event_record(call: Thread, event: int, stream: int) -> None:
    """Capture a stream's work in an event; the last record counts.

    Args:
        call: The calling thread.
        event: An event of the current context.
        stream: A default stream: 0, CU_STREAM_LEGACY (1) or CU_STREAM_PER_THREAD (2).
    """
    # CHECK
    context = current(call)
    recorded = usable_event_of(call, event, "cuEventRecord")
    on_stream(call, recorded, stream, context, "cuEventRecord")
    # EFFECT
    recorded.record()
