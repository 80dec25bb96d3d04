"""cuStreamCreateWithPriority: create a stream with a priority."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.rules.driver.context.ctx_get_stream_priority_range import clamped
from fakecuda.rules.driver.stream.stream_create import streamable
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuStreamCreateWithPriority")
def stream_create_with_priority(call: Call, flags: int, priority: int) -> int:
    """Create a stream in the current context, and return it.

    Args:
        call: The call.
        flags: CUstream_flags, as of cuStreamCreate.
        priority: Lower is more urgent; beyond the range of cuCtxGetStreamPriorityRange it is clamped.
    """
    # CHECK
    context = streamable(call, flags)
    # EFFECT
    return context_effects.create_stream(context, flags, clamped(call, context, priority), history.here()).handle
