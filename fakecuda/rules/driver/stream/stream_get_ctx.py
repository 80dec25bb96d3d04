"""cuStreamGetCtx: the context of a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.driver.stream.handle import stream_of
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuStreamGetCtx")
def stream_get_ctx(call: Call, stream: int) -> int:
    """Return the CUcontext of a stream. A default stream belongs to the current context."""
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    asked = stream_of(call, stream, "cuStreamGetCtx")
    # EFFECT
    return asked.context.handle
