"""cuCtxDestroy: destroy a context with all its objects.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import GARBAGE, described, inactive_primary
from conformance.cases.driver.pool.fixtures import CHUNK, books, memory, pool
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    context = a.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuCtxPopCurrent()
    return a.call("cuCtxDestroy", ctx=context)


entry = Entry("cuCtxDestroy", valid)
entry.without("not_initialized")  # to such a process the handle is garbage, which the driver follows
entry.breaks("CONTEXT_IS_GIVEN", ctx=0)
entry.undefined("CONTEXT_IS_KNOWN", code=Result.INVALID_CONTEXT, ctx=GARBAGE)


@entry.also("memory that a stream of it freed goes back")
def freed_in_it(_w: World, i: Invocation) -> Invocation:
    a = i.process
    context, source, working = a.ok.cuCtxCreate(None, 0, 0), pool(a), stream(a, NON_BLOCKING)
    a.ok.cuMemFreeAsync(memory(a, source, stream=working), working)
    assert books(a, source) == (CHUNK, 0)
    a.ok.cuCtxDestroy(context)
    assert books(a, source) == (0, 0)
    return i


@entry.world("CONTEXT_IS_NOT_PRIMARY")
def primary(_w: World, i: Invocation) -> Invocation:
    return i.evolve(ctx=i.process.ok.cuDevicePrimaryCtxRetain(0))


entry.world("CONTEXT_IS_NOT_PRIMARY", "inactive primary context")(inactive_primary)


@entry.world("CONTEXT_IS_LIVE")
def destroyed(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxDestroy(i.args["ctx"])


def current_of_it(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Query the current context, and whether it is alive."""
    i.c.cuCtxGetCurrent()
    i.c.cuCtxSynchronize()


@entry.also("current to the caller it is popped", then=current_of_it)
def current(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPushCurrent(i.args["ctx"])


@entry.also("twice on the stack it is popped once", then=current_of_it)
def twice(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPushCurrent(i.args["ctx"])
    i.process.ok.cuCtxPushCurrent(i.args["ctx"])


@entry.also("below the top it lingers")
def below(_w: World, i: Invocation) -> None:
    a, context = i.process, i.process.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuCtxPushCurrent(a.context)
    a.ok.cuCtxDestroy(context)
    assert a.ok.cuCtxPopCurrent() == a.context
    assert a.ok.cuCtxGetCurrent() == context
    assert a.c.cuCtxSynchronize() == (Result.CONTEXT_IS_DESTROYED,)
    assert a.ok.cuCtxPopCurrent() == context


@entry.also("it remains current to other threads")
def other_threads(w: World, i: Invocation) -> None:
    context, other = i.process.ok.cuCtxCreate(None, 0, 0), i.process.thread(w.thread_name())
    other.ok.cuCtxSetCurrent(context)
    i.process.ok.cuCtxDestroy(context)
    assert i.process.ok.cuCtxGetCurrent() == i.process.context
    assert other.ok.cuCtxGetCurrent() == context
    assert other.c.cuMemAlloc(4096) == (Result.CONTEXT_IS_DESTROYED, None)


@entry.also("the other contexts of the device live on")
def others(_w: World, i: Invocation) -> None:
    a = i.process
    ptr = a.ok.cuMemAlloc(4096)
    a.ok.cuCtxDestroy(a.ok.cuCtxCreate(None, 0, 0))
    assert a.c.cuMemFree(ptr) == (Result.SUCCESS,)


@entry.also("a refused primary context stays active")
def refused(_w: World, i: Invocation) -> None:
    a = i.process
    assert a.c.cuCtxDestroy(a.ok.cuDevicePrimaryCtxRetain(0)) == (Result.INVALID_CONTEXT,)
    assert a.ok.cuDevicePrimaryCtxGetState(0) == (0, 1)


test_ctx_destroy = entry.test()


def test_driver_is_initialized() -> None:
    with described(init=False) as c:
        assert c.cuCtxDestroy(GARBAGE) == (Result.NOT_INITIALIZED,)
