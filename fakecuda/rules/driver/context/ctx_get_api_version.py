"""cuCtxGetApiVersion: the version of the interface that a context was made with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, observed
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.context.handle import context_of
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_initialized
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.call import Call

API_VERSION = 3020
"""The API version of contexts since CUDA 3.2, the last to break compatibility."""
EARLIEST = 3010
"""The API version of a context that the oldest form of cuCtxCreate made."""

CONTEXT_HAS_A_VERSION = Rule(
    "`ctx` has not been destroyed",
    Result.INVALID_CONTEXT,
    observed(
        "cuCtxGetApiVersion", "cuCtxGetApiVersion answers INVALID_CONTEXT to a destroyed context; cuCtxGetId does not"
    ),
    fix="call cuCtxGetApiVersion before cuCtxDestroy",
)


@DRIVER.op("cuCtxGetApiVersion")
def ctx_get_api_version(call: Call, ctx: int) -> int:
    """Return the API version of a context. Null stands for the current context.

    Args:
        call: The call.
        ctx: The CUcontext, or 0.

    Returns:
        1000 * major + 10 * minor.
    """
    # CHECK
    require_initialized(call)
    context = context_of(call, ctx) if ctx else current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    if context.destroyed:
        raise CONTEXT_HAS_A_VERSION.broken(context=context)
    # EFFECT
    return API_VERSION if context.narrow is None else EARLIEST
