"""cuCtxSetCurrent: replace the top of the context stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.handle import usable_context_of
from fakecuda.rules.driver.core.initialized import require_initialized
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuCtxSetCurrent")
def ctx_set_current(call: Call, ctx: int) -> None:
    """Replace the calling thread's current context, or pop it when ``ctx`` is null."""
    # CHECK
    require_initialized(call)
    context = usable_context_of(call, ctx) if ctx else None
    # EFFECT
    call.thread.make_current(context)
