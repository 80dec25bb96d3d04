"""cuStreamCreate: create a stream in the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects, history
from fakecuda.model.work.stream import NON_BLOCKING
from fakecuda.rules.core import Rule, guard, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call
    from fakecuda.model.context import Context

FLAGS_ARE_KNOWN = Rule(
    "the flags argument is CU_STREAM_DEFAULT or CU_STREAM_NON_BLOCKING",
    Result.INVALID_VALUE,
    manual("cuStreamCreate", "Valid values for Flags are"),
    fix="pass CU_STREAM_DEFAULT or CU_STREAM_NON_BLOCKING",
)
MEMORY_SUFFICES = Rule(
    "the current device has free memory left",
    Result.OUT_OF_MEMORY,
    manual("cuStreamCreate", "CUDA_ERROR_OUT_OF_MEMORY"),
    fix="free memory of the device first: each stream takes up device memory",
)


@guard
def streamable(call: Call, flags: int) -> Context:
    """Return the current context, in which a stream with these flags can be created."""
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if flags & ~NON_BLOCKING:
        raise FLAGS_ARE_KNOWN.broken(flags=flags)
    context = current(call)
    memory = context.card.memory
    if memory.used >= memory.total:
        raise MEMORY_SUFFICES.broken(device=context.device)
    return context


@DRIVER.op("cuStreamCreate")
def stream_create(call: Call, flags: int) -> int:
    """Create a stream of the current context, with the default priority.

    Args:
        call: The call.
        flags: CUstream_flags: with CU_STREAM_NON_BLOCKING its work keeps no order with that of the legacy default stream.
    """
    # CHECK
    context = streamable(call, flags)
    # EFFECT
    return context_effects.create_stream(context, flags, 0, history.here()).handle
