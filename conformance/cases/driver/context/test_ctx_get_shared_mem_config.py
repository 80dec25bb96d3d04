"""cuCtxGetSharedMemConfig: the bank width of shared memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX__DEPRECATED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxGetSharedMemConfig")


entry = Entry("cuCtxGetSharedMemConfig", valid)
entry.null("pConfig", "RESULT_IS_GIVEN")

test_ctx_get_shared_mem_config = entry.test()
