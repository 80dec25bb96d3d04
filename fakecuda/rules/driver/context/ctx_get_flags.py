"""cuCtxGetFlags: the flags of the current context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import top
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN, require_driver_up
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuCtxGetFlags")
def ctx_get_flags(call: Call) -> int:
    """Return the flags of the current context, even if that context is destroyed."""
    # CHECK
    require_driver_up(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    context = top(call)
    # EFFECT
    return context.flags
