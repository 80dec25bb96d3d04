"""cuStreamIsCapturing: whether a stream's work goes into a graph; no modelled call begins that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.api import DRIVER
from fakecuda.api.driver import ENUMS
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, up
from fakecuda.rules.driver.stream.handle import stream_of

if TYPE_CHECKING:
    from fakecuda.model.call import Call

NONE = ENUMS["CUstreamCaptureStatus"]["CU_STREAM_CAPTURE_STATUS_NONE"]


@DRIVER.op("cuStreamIsCapturing")
def stream_is_capturing(call: Call, stream: int) -> int:
    """Return CU_STREAM_CAPTURE_STATUS_NONE."""
    # CHECK
    up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    stream_of(call, stream, "cuStreamIsCapturing")
    # EFFECT
    return NONE
