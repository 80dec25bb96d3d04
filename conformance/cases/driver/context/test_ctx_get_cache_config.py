"""cuCtxGetCacheConfig: the preferred division of L1 cache and shared memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxGetCacheConfig")


entry = Entry("cuCtxGetCacheConfig", valid)
entry.null("pconfig", "RESULT_IS_GIVEN")


@entry.also("each context has its own")
def own(_w: World, i: Invocation) -> None:
    a = i.process
    a.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuCtxSetCacheConfig(1)
    assert a.ok.cuCtxGetCacheConfig() == 1
    a.ok.cuCtxPopCurrent()


test_ctx_get_cache_config = entry.test()
