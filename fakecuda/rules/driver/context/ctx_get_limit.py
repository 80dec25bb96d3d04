"""cuCtxGetLimit: a limit of the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.context.limit import supported
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuCtxGetLimit")
def ctx_get_limit(call: Call, limit: int) -> int:
    """Return the value of a limit of the current context. The default comes from the device.

    Args:
        call: The call.
        limit: CUlimit.

    Returns:
        Bytes, or a count, as the limit says.
    """
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    default = supported(context, limit)
    # EFFECT
    return context.limits.get(limit, default)
