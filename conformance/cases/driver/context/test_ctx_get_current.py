"""cuCtxGetCurrent: the current context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxGetCurrent")


entry = Entry("cuCtxGetCurrent", valid)
entry.null("pctx", "RESULT_IS_GIVEN")


@entry.also("null where none is bound")
def none(w: World, i: Invocation) -> Invocation:
    other = i.process.thread(w.thread_name())
    assert other.ok.cuCtxGetCurrent() == 0
    return other.call("cuCtxGetCurrent")


@entry.also("what cuCtxCreate returned")
def created(_w: World, i: Invocation) -> None:
    assert i.process.ok.cuCtxGetCurrent() == i.process.context


@entry.also("a destroyed context that is still bound")
def destroyed(w: World, i: Invocation) -> None:
    i.process.thread(w.thread_name()).ok.cuCtxDestroy(i.process.context)
    assert i.process.ok.cuCtxGetCurrent() == i.process.context


@entry.also("a primary context")
def primary(_w: World, i: Invocation) -> None:
    context = i.process.ok.cuDevicePrimaryCtxRetain(0)
    i.process.ok.cuCtxSetCurrent(context)
    assert i.process.ok.cuCtxGetCurrent() == context


test_ctx_get_current = entry.test()
