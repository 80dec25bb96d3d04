"""cuCtxResetPersistingL2Cache: reset persisting lines of the L2 cache.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import described, without
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxResetPersistingL2Cache")


entry = Entry("cuCtxResetPersistingL2Cache", valid)

test_ctx_reset_persisting_l2cache = entry.test()


def test_cache_can_persist() -> None:
    with described(without("MAX_PERSISTING_L2_CACHE_SIZE")) as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuCtxResetPersistingL2Cache() == (Result.NOT_SUPPORTED,)
