"""cuCtxPopCurrent: pop the current context; the context below becomes current."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import CONTEXT_IS_CURRENT
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuCtxPopCurrent")
def ctx_pop_current(call: Call) -> int:
    """Pop the calling thread's stack and return the handle popped; a destroyed context pops too."""
    # CHECK
    require_initialized(call)
    thread = call.thread
    if not thread.stack:
        raise CONTEXT_IS_CURRENT.broken(thread=thread.name)
    # EFFECT
    return thread.pop_context().handle
