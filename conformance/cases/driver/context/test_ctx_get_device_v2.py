"""cuCtxGetDevice_v2: the device of a context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE, accept_given, inactive_primary
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxGetDevice_v2", ctx=0)


entry = Entry("cuCtxGetDevice_v2", valid)
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, ctx=GARBAGE)
entry.null("device", "RESULT_IS_GIVEN")


@entry.also("a destroyed context passes")
@entry.undefined("CONTEXT_IS_USABLE", code=Result.SUCCESS)
def destroyed(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    context = i.process.ok.cuCtxCreate(None, 0, 1)
    i.process.ok.cuCtxDestroy(context)
    return i.evolve(ctx=context)


@entry.also("a destroyed context that is current passes")
def current_one(w: World, i: Invocation) -> None:
    i.process.thread(w.thread_name()).ok.cuCtxDestroy(i.process.context)


entry.also("an inactive primary context passes")(inactive_primary)
accept_given(entry)

test_ctx_get_device_v2 = entry.test()
