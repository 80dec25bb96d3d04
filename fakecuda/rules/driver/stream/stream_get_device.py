"""cuStreamGetDevice: the device of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuStreamGetDevice")
def stream_get_device(call: Call, stream: int) -> int:
    """Return the process's ordinal of a stream's device."""
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    asked = stream_of(call, stream, "cuStreamGetDevice")
    # EFFECT
    return call.process.number_of(asked.context.device)
