"""cuCtxGetId: the id of a context, unique in the process.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE, accept_given, destroyed, inactive_primary
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxGetId", ctx=0)


entry = Entry("cuCtxGetId", valid)
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, ctx=GARBAGE)
entry.null("ctxId", "RESULT_IS_GIVEN")
entry.world("CONTEXT_IS_LIVE")(destroyed)
entry.world("CONTEXT_IS_LIVE", "inactive primary context")(inactive_primary)
accept_given(entry)


@entry.also("the current one's, given or not")
def same(_w: World, i: Invocation) -> None:
    assert i.process.ok.cuCtxGetId(0) == i.process.ok.cuCtxGetId(i.process.context)


@entry.also("an id is never given again")
def anew(_w: World, i: Invocation) -> None:
    a, ids = i.process, []
    for _ in range(3):
        context = a.ok.cuCtxCreate(None, 0, 0)
        ids.append(a.ok.cuCtxGetId(context))
        a.ok.cuCtxDestroy(context)
    assert len({*ids, a.ok.cuCtxGetId(0)}) == 4


@entry.also("a primary context that is activated anew has another one")
def activated(_w: World, i: Invocation) -> None:
    a, ids = i.process, []
    for _ in range(2):
        ids.append(a.ok.cuCtxGetId(a.ok.cuDevicePrimaryCtxRetain(0)))
        a.ok.cuDevicePrimaryCtxRelease(0)
    assert ids[0] != ids[1]


test_ctx_get_id = entry.test()
