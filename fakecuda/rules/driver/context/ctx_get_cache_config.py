"""cuCtxGetCacheConfig: get the preferred split of L1 cache and shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.driver.context.current import current
from fakecuda.rules.driver.core.initialized import RESULT_IS_GIVEN
from fakecuda.rules.registry import DRIVER

if TYPE_CHECKING:
    from fakecuda.model.call import Call


@DRIVER.op("cuCtxGetCacheConfig")
def ctx_get_cache_config(call: Call) -> int:
    """Return the CUfunc_cache of the current context."""
    # CHECK
    context = current(call)
    if call.nulls:
        raise RESULT_IS_GIVEN.broken(nulls=call.nulls)
    # EFFECT
    return context.cache_config
