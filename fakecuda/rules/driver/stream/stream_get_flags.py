"""cuStreamGetFlags: the flags of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuStreamGetFlags")
def stream_get_flags(call: Call, stream: int) -> int:
    """Return the CUstream_flags of a stream, 0 for a default stream."""
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    asked = stream_of(call, stream, "cuStreamGetFlags")
    # EFFECT
    return asked.flags
