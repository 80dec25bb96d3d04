"""cuCtxSetCurrent: replace the top of the context stack.

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
    return a.call("cuCtxSetCurrent", ctx=a.context)


entry = Entry("cuCtxSetCurrent", valid)
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, ctx=GARBAGE)
entry.also("null unbinds", ctx=0)


@entry.also("a destroyed context passes", then=ended)
@entry.undefined("CONTEXT_IS_USABLE", code=Result.SUCCESS)
def destroyed(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxDestroy(i.args["ctx"])


@entry.also("it replaces the top of the stack")
def replaced(_w: World, i: Invocation) -> None:
    a, context = i.process, i.process.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuCtxPushCurrent(a.context)
    a.ok.cuCtxSetCurrent(context)
    assert [a.c.cuCtxPopCurrent()[0] for _ in range(4)] == [0, 0, 0, 201]


@entry.also("on an empty stack it is the only one")
def empty(w: World, i: Invocation) -> None:
    other = i.process.thread(w.thread_name())
    other.ok.cuCtxSetCurrent(i.process.context)
    assert other.ok.cuCtxPopCurrent() == i.process.context
    assert other.ok.cuCtxGetCurrent() == 0


@entry.also("null pops the top")
def popped(_w: World, i: Invocation) -> None:
    a, context = i.process, i.process.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuCtxPushCurrent(a.context)
    a.ok.cuCtxSetCurrent(0)
    assert a.ok.cuCtxGetCurrent() == context


@entry.also("null on an empty stack is a no-op")
def nothing_to_pop(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(ctx=0)


@entry.also("other threads keep theirs")
def threads(w: World, i: Invocation) -> None:
    other = i.process.thread(w.thread_name())
    other.ok.cuCtxSetCurrent(i.process.context)
    i.process.ok.cuCtxSetCurrent(0)
    assert other.ok.cuCtxGetCurrent() == i.process.context


test_ctx_set_current = entry.test()
