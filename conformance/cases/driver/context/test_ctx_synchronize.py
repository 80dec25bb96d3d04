"""cuCtxSynchronize: wait for the current context's work.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import BLOCKING, lose
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxSynchronize")


entry = Entry("cuCtxSynchronize", valid)


@entry.world("CONTEXT_IS_ALIVE", "reset primary context")
def reset(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxSetCurrent(i.process.ok.cuDevicePrimaryCtxRetain(0))
    i.process.ok.cuDevicePrimaryCtxReset(0)


@entry.world("CONTEXT_IS_SOUND")
def lost(w: World, i: Invocation) -> None:
    lose(w, i.process)


entry.model_only("CONTEXT_IS_SOUND", code=Result.LAUNCH_FAILED)  # a fault of the card, which nobody needs to see twice


@entry.also("after work")
def work(_w: World, i: Invocation) -> None:
    i.process.ok.cuMemsetD8(i.process.ok.cuMemAlloc(4096), 7, 4096)


@entry.also("a context that blocks")
def blocking(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, BLOCKING, 0)


@entry.also("a primary context")
def primary(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxSetCurrent(i.process.ok.cuDevicePrimaryCtxRetain(0))


test_ctx_synchronize = entry.test()
