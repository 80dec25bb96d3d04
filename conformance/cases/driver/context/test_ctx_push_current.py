"""cuCtxPushCurrent: push a context and make it current.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE, ended
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuCtxPushCurrent", ctx=a.context)


entry = Entry("cuCtxPushCurrent", valid)
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, ctx=GARBAGE)
entry.breaks("CONTEXT_IS_GIVEN", ctx=0)


@entry.also("a destroyed context passes", then=ended)
@entry.undefined("CONTEXT_IS_USABLE", code=Result.SUCCESS)
def destroyed(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxDestroy(i.args["ctx"])


@entry.also("it is current")
def current(_w: World, i: Invocation) -> None:
    a, context = i.process, i.process.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuCtxPushCurrent(a.context)
    assert a.ok.cuCtxGetCurrent() == a.context
    assert a.ok.cuCtxPopCurrent() == a.context
    assert a.ok.cuCtxGetCurrent() == context


@entry.also("destroying it restores the previous one")
def restored(_w: World, i: Invocation) -> None:
    a, context = i.process, i.process.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuCtxPopCurrent()
    a.ok.cuCtxPushCurrent(context)
    a.ok.cuCtxDestroy(context)
    assert a.ok.cuCtxGetCurrent() == a.context


@entry.also("a stack may hold it many times")
def many(_w: World, i: Invocation) -> None:
    a = i.process
    for _ in range(3):
        a.ok.cuCtxPushCurrent(a.context)
    assert [a.c.cuCtxPopCurrent()[0] for _ in range(5)] == [0, 0, 0, 0, 201]


@entry.also("it may be current to several threads")
def threads(w: World, i: Invocation) -> None:
    other = i.process.thread(w.thread_name())
    other.ok.cuCtxPushCurrent(i.process.context)
    assert other.ok.cuCtxGetCurrent() == i.process.ok.cuCtxGetCurrent()


entry.also("a primary context", ctx=lambda i: i.process.ok.cuDevicePrimaryCtxRetain(0))


test_ctx_push_current = entry.test()
