"""cuCtxAttach: increment the usage count of the current context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX__DEPRECATED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxAttach", flags=0)


entry = Entry("cuCtxAttach", valid)
entry.null("pctx", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_ZERO", flags=1)


@entry.after("the current context is returned")
def returned(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (i.process.context,)
    assert i.process.ok.cuCtxGetCurrent() == i.process.context


@entry.also("cuCtxDestroy ends it whatever the count")
def ended(_w: World, i: Invocation) -> None:
    a, context = i.process, i.process.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuCtxAttach(0)
    a.ok.cuCtxAttach(0)
    a.ok.cuCtxDestroy(context)
    assert a.ok.cuCtxGetCurrent() == a.context


@entry.also("a primary context is retained no more than before")
def primary(_w: World, i: Invocation) -> None:
    a = i.process
    context = a.ok.cuDevicePrimaryCtxRetain(0)
    a.ok.cuCtxSetCurrent(context)
    assert a.ok.cuCtxAttach(0) == context
    a.ok.cuDevicePrimaryCtxRelease(0)
    a.c.cuDevicePrimaryCtxGetState(0)
    a.ok.cuDevicePrimaryCtxRetain(0)


test_ctx_attach = entry.test()
