"""cuEventRecordWithFlags: record the work of a stream in an event."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.event.event_record import entered, on_stream
from fakecuda.rules.driver.event.handle import usable_event_of
from fakecuda.rules.registry import DRIVER
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

EXTERNAL = 1
"""CU_EVENT_RECORD_EXTERNAL."""

FLAGS_ARE_KNOWN = Rule(
    "`flags` has only bits of CUevent_record_flags",
    Result.INVALID_VALUE,
    manual("cuEventRecordWithFlags", "flags include"),
    fix="pass CU_EVENT_RECORD_DEFAULT for the flags of cuEventRecordWithFlags",
)
STREAM_IS_CAPTURING = Rule(
    "the stream is being captured if an event is recorded with CU_EVENT_RECORD_EXTERNAL",
    Result.ILLEGAL_STATE,
    manual("cuEventRecordWithFlags", "This flag is invalid outside of stream capture"),
    fix="pass CU_EVENT_RECORD_DEFAULT; CU_EVENT_RECORD_EXTERNAL is only for a captured stream",
)


@DRIVER.op("cuEventRecordWithFlags")
@orders.makes(orders.AWAITED_EVENT)
def event_record_with_flags(call: Call, event: int, stream: int, flags: int) -> None:
    """Record the work so far of a stream in an event, as cuEventRecord does.

    Args:
        call: The call.
        event: An event of the stream's context.
        stream: A stream, as of cuEventRecord.
        flags: CU_EVENT_RECORD_DEFAULT (0); the other flag is for a stream that is being captured.
    """
    # CHECK
    entered(call, stream)
    recorded = usable_event_of(call, event)
    if flags & ~EXTERNAL:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    if flags:
        raise STREAM_IS_CAPTURING.broken(flags=flags)
    captured = on_stream(call, recorded, stream, "cuEventRecordWithFlags")
    # EFFECT
    recorded.record(captured)
