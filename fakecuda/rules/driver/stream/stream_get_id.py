"""cuStreamGetId: the id of a stream, unique in the process."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuStreamGetId")
def stream_get_id(call: Call, stream: int) -> int:
    """Return the id of a stream, which is unique in the process."""
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    asked = stream_of(call, stream, "cuStreamGetId")
    # EFFECT
    return asked.identify()
