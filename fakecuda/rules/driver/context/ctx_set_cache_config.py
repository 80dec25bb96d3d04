"""cuCtxSetCacheConfig: set the preferred split of L1 cache and shared memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.rules.core import Rule, manual
from fakecuda.rules.driver.context.current import current
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from fakecuda.model.call import Call

CONFIGS = set(ENUMS["CUfunc_cache"].values())

CONFIG_IS_KNOWN = Rule(
    "the cache configuration is a CUfunc_cache",
    Result.INVALID_VALUE,
    manual("cuCtxSetCacheConfig", "CUDA_ERROR_INVALID_VALUE"),
    fix="pass a CUfunc_cache, such as CU_FUNC_CACHE_PREFER_NONE",
)


@DRIVER.op("cuCtxSetCacheConfig")
def ctx_set_cache_config(call: Call, config: int) -> None:
    """Set the cache preference (CUfunc_cache) of the current context."""
    # CHECK
    context = current(call)
    if config not in CONFIGS:
        raise CONFIG_IS_KNOWN.broken(config=config)
    # EFFECT
    context.set_cache_config(config)
