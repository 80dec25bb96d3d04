"""cuCtxGetCurrent: the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.os.process import READY
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuCtxGetCurrent")
def ctx_get_current(call: Call) -> int:
    """Return the handle of the calling thread's current context. 0 if no context is current."""
    # CHECK
    if call.process.state != READY or call.thread.in_function:
        require_initialized(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    return call.thread.stack[-1].handle if call.thread.stack else 0
