"""cuCtxSynchronize_v2: a context's work is done."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rule import op
from fakecuda.spec.context.current import current, sound
from fakecuda.spec.context.valid import live_context_of
from fakecuda.spec.core.initialized import ready

if TYPE_CHECKING:
    from fakecuda.model.process import Thread


@op("cuCtxSynchronize_v2")
def ctx_synchronize_v2(call: Thread, ctx: int) -> None:
    """Wait for a context, for the current one when null; work completes eagerly here, so there is nothing to wait for.

    Args:
        call: The calling thread.
        ctx: The CUcontext, or 0.
    """
    # CHECK
    ready(call)
    if ctx:
        sound(live_context_of(call, ctx, "cuCtxSynchronize_v2"))
    else:
        current(call)
