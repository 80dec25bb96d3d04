"""cuCtxGetLimit: a limit of the current context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import LIMIT
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxGetLimit", limit=LIMIT["STACK_SIZE"])


entry = Entry("cuCtxGetLimit", valid)
entry.null("pvalue", "RESULT_IS_GIVEN")
entry.breaks("LIMIT_IS_KNOWN", limit=LIMIT["MAX"])
entry.breaks("LIMIT_IS_KNOWN", "per-block memory", limit=LIMIT["PER_BLOCK_MEMORY_SIZE"])
entry.breaks("LIMIT_IS_KNOWN", "far away", limit=99)
entry.breaks("LIMIT_IS_SUPPORTED", limit=LIMIT["DEV_RUNTIME_SYNC_DEPTH"])
entry.breaks("LIMIT_IS_SUPPORTED", "CIG fallback", limit=LIMIT["CIG_SHMEM_FALLBACK_ENABLED"])
for name in (
    "PRINTF_FIFO_SIZE",
    "MALLOC_HEAP_SIZE",
    "DEV_RUNTIME_PENDING_LAUNCH_COUNT",
    "MAX_L2_FETCH_GRANULARITY",
    "PERSISTING_L2_CACHE_SIZE",
    "SHMEM_SIZE",
    "CIG_ENABLED",
):
    entry.also(name, limit=LIMIT[name])


@entry.also("what was set")
def set_before(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxSetLimit(i.args["limit"], 2048)
    assert i.process.ok.cuCtxGetLimit(i.args["limit"]) == 2048


@entry.also("a new context has the default")
def new(_w: World, i: Invocation) -> None:
    a, limit = i.process, i.args["limit"]
    default = a.ok.cuCtxGetLimit(limit)
    a.ok.cuCtxSetLimit(limit, 2048)
    a.ok.cuCtxCreate(None, 0, 0)
    assert a.ok.cuCtxGetLimit(limit) == default


@entry.also("a primary context that is activated anew has the default")
def activated(_w: World, i: Invocation) -> None:
    a, limit = i.process, i.args["limit"]
    a.ok.cuCtxSetCurrent(a.ok.cuDevicePrimaryCtxRetain(0))
    default = a.ok.cuCtxGetLimit(limit)
    a.ok.cuCtxSetLimit(limit, 2048)
    a.ok.cuDevicePrimaryCtxReset(0)
    a.ok.cuDevicePrimaryCtxRetain(0)
    assert a.ok.cuCtxGetLimit(limit) == default


test_ctx_get_limit = entry.test()
