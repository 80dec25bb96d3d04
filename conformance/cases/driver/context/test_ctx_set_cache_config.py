"""cuCtxSetCacheConfig: set the preferred split of L1 cache and shared memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


CONFIG = ENUMS["CUfunc_cache"]


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxSetCacheConfig", config=CONFIG["CU_FUNC_CACHE_PREFER_L1"])


def config_of_it(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    i.c.cuCtxGetCacheConfig()


entry = Entry("cuCtxSetCacheConfig", valid, config_of_it)
entry.breaks("CONFIG_IS_KNOWN", config=4)
entry.breaks("CONFIG_IS_KNOWN", "far away", config=99)
for name in ("PREFER_NONE", "PREFER_SHARED", "PREFER_EQUAL"):
    entry.also(name, then=config_of_it, config=CONFIG[f"CU_FUNC_CACHE_{name}"])

test_ctx_set_cache_config = entry.test()
