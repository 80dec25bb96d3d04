"""cuCtxDetach: decrement the current context's usage count; destroy it at 0.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX__DEPRECATED.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuCtxDetach", ctx=a.ok.cuCtxCreate(None, 0, 0))


def current_of_it(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Query the current context, and whether it is alive."""
    i.c.cuCtxGetCurrent()
    i.c.cuCtxSynchronize()


entry = Entry("cuCtxDetach", valid, current_of_it)
entry.breaks("CONTEXT_IS_THE_CURRENT_ONE", "null", ctx=0)


@entry.world("CONTEXT_IS_THE_CURRENT_ONE", "destroyed")
def destroyed(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxDestroy(i.args["ctx"])


@entry.world("CONTEXT_IS_THE_CURRENT_ONE", "detached before")
def detached(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxDetach(i.args["ctx"])


@entry.world("CONTEXT_IS_THE_CURRENT_ONE", "not on the stack")
def popped(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPopCurrent()


@entry.world("CONTEXT_IS_THE_CURRENT_ONE", "lower on the stack")
def lower(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPushCurrent(i.process.context)


@entry.also("an attached context lives on", then=current_of_it)
def attached(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxAttach(0)


@entry.also("once for each use it ends", then=current_of_it)
def used_up(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxAttach(0)
    i.process.ok.cuCtxDetach(i.args["ctx"])


@entry.also("twice on the stack it is popped once", then=current_of_it)
def twice(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPushCurrent(i.args["ctx"])


@entry.also("any thread may whose current context it is")
def other_thread(w: World, i: Invocation) -> Invocation:
    other = w.thread_name()
    i.process.thread(other).ok.cuCtxPushCurrent(i.args["ctx"])
    return i.on_thread(other)


@entry.also("it remains current to other threads")
def lingers(w: World, i: Invocation) -> None:
    a, context = i.process, i.process.ok.cuCtxCreate(None, 0, 0)
    other = a.thread(w.thread_name())
    other.ok.cuCtxPushCurrent(context)
    other.ok.cuCtxDetach(context)
    assert other.ok.cuCtxGetCurrent() == 0
    assert a.c.cuCtxSynchronize() == (Result.CONTEXT_IS_DESTROYED,)
    a.ok.cuCtxPopCurrent()


@entry.also("its memory ends with it")
def memory(_w: World, i: Invocation) -> None:
    a, context = i.process, i.process.ok.cuCtxCreate(None, 0, 0)
    pointer = a.ok.cuMemAlloc(4096)
    a.ok.cuCtxDetach(context)
    assert a.c.cuMemGetAddressRange(pointer)[0] != Result.SUCCESS


def state(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert i.process.ok.cuDevicePrimaryCtxGetState(0) == (0, 1)


@entry.also("a primary context stays active", then=state)
def primary(_w: World, i: Invocation) -> Invocation:
    context = i.process.ok.cuDevicePrimaryCtxRetain(0)
    i.process.ok.cuCtxSetCurrent(context)
    i.process.ok.cuCtxAttach(0)
    i.process.ok.cuCtxDetach(context)
    return i.evolve(ctx=context)


test_ctx_detach = entry.test()
