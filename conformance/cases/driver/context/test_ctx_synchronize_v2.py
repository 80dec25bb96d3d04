"""cuCtxSynchronize_v2: wait for a context's work.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE, accept_given, destroyed, inactive_primary, lose
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxSynchronize_v2", ctx=0)


entry = Entry("cuCtxSynchronize_v2", valid)
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, ctx=GARBAGE)
entry.world("CONTEXT_IS_LIVE")(destroyed)
entry.world("CONTEXT_IS_LIVE", "inactive primary context")(inactive_primary)


@entry.world("CONTEXT_IS_SOUND")
def lost(w: World, i: Invocation) -> Invocation:
    lose(w, i.process)
    return i.evolve(ctx=i.process.context)


entry.model_only("CONTEXT_IS_SOUND", code=Result.LAUNCH_FAILED)  # a fault of the card, which nobody needs to see twice


accept_given(entry)


@entry.also("after work")
def work(_w: World, i: Invocation) -> None:
    i.process.ok.cuMemsetD8(i.process.ok.cuMemAlloc(4096), 7, 4096)


test_ctx_synchronize_v2 = entry.test()
