"""cuCtxPopCurrent: pop the current context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxPopCurrent")


def rest(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    i.c.cuCtxGetCurrent()


entry = Entry("cuCtxPopCurrent", valid, rest)
entry.null("pctx", None)


@entry.also("a context that was destroyed", then=rest)
def destroyed(w: World, i: Invocation) -> None:
    i.process.thread(w.thread_name()).ok.cuCtxDestroy(i.process.context)


@entry.also("it may be made current to another thread")
def moved(w: World, i: Invocation) -> Invocation:
    other = i.process.thread(w.thread_name())
    other.ok.cuCtxPushCurrent(i.process.ok.cuCtxPopCurrent())
    assert other.ok.cuCtxGetCurrent() == i.process.context
    return other.call("cuCtxPopCurrent")


@entry.also("the context before is current again")
def previous(_w: World, i: Invocation) -> None:
    a, context = i.process, i.process.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuCtxPushCurrent(a.context)
    assert [a.ok.cuCtxPopCurrent(), a.ok.cuCtxPopCurrent()] == [a.context, context]
    assert a.ok.cuCtxGetCurrent() == a.context


@entry.also("popping destroys nothing")
def alive(_w: World, i: Invocation) -> None:
    a = i.process
    ptr = a.ok.cuMemAlloc(4096)
    a.ok.cuCtxPushCurrent(a.ok.cuCtxPopCurrent())
    a.ok.cuMemFree(ptr)


test_ctx_pop_current = entry.test()
