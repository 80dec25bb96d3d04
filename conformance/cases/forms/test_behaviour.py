"""Forms that check more than the newest form, or wait.

https://docs.nvidia.com/cuda/cuda-driver-api/index.html
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conformance.cases.forms.fixtures import older
from conformance.kit.case import Entry, suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

UNSUPPORTED = int(Result.NOT_SUPPORTED)
YIELD = 2


def floating(w: World) -> Invocation:
    a = w.process()
    a.ok.cuCtxPopCurrent()
    return a.call("cuCtxPushCurrent_v1", ctx=a.context)


push = Entry("cuCtxPushCurrent_v1", floating)
push.without("no_context", "destroyed_context")
push.breaks("CONTEXT_IS_GIVEN", ctx=0)
push.also("a primary context", ctx=lambda i: i.process.ok.cuDevicePrimaryCtxRetain(0))


@push.world("CONTEXT_IS_FLOATING", "current here")
def current_here(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPushCurrent(i.process.context)


@push.world("CONTEXT_IS_FLOATING", "beneath")
def beneath(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPushCurrent(i.process.context)
    i.process.ok.cuCtxCreate(None, 0, 0)


@push.world("CONTEXT_IS_FLOATING", "current to another thread")
def current_elsewhere(w: World, i: Invocation) -> None:
    i.process.thread(w.thread_name()).ok.cuCtxPushCurrent(i.process.context)


@push.world("CONTEXT_IS_USED_ONCE", "attached")
def attached_twice(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPushCurrent(i.process.context)
    i.process.ok.cuCtxAttach(0)
    i.process.ok.cuCtxPopCurrent()


@push.also("primary, and attached")
def attached_to_the_primary(_w: World, i: Invocation) -> Invocation:
    a = i.process
    a.ok.cuCtxPushCurrent(a.ok.cuDevicePrimaryCtxRetain(0))
    a.ok.cuCtxAttach(0)
    return i.evolve(ctx=a.ok.cuCtxPopCurrent())


@push.world("CONTEXT_IS_USED_ONCE", "released", "ctx")
def released(_w: World, i: Invocation) -> Invocation:
    a = i.process
    ctx = a.ok.cuDevicePrimaryCtxRetain(0)
    a.ok.cuDevicePrimaryCtxRelease(0)
    return i.evolve(ctx=ctx)


@push.world("CONTEXT_IS_USED_ONCE", "retained twice", "ctx")
def retained_twice(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cuDevicePrimaryCtxRetain(0)
    return i.evolve(ctx=i.process.ok.cuDevicePrimaryCtxRetain(0))


@push.also("another one is current")
def beside(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


pop = older("cuCtxPopCurrent_v1")
pop.null("pctx", None)


def again(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    i.c.cuCtxGetCurrent()
    i.c.cuCtxPopCurrent()


@pop.also("attached", then=again)
def attached_here(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxAttach(0)


@pop.also("retained twice", then=again)
def retained_here(_w: World, i: Invocation) -> None:
    for _ in range(2):
        i.process.ok.cuCtxSetCurrent(i.process.ok.cuDevicePrimaryCtxRetain(0))


@pop.also("a context that was destroyed", then=again)
def destroyed_here(w: World, i: Invocation) -> None:
    i.process.thread(w.thread_name()).ok.cuCtxDestroy(i.process.context)


def own(w: World) -> Invocation:
    a = w.process()
    return a.call("cuCtxDestroy_v1", ctx=a.ok.cuCtxCreate(None, 0, 0))


destroy = Entry("cuCtxDestroy_v1", own)
destroy.without("no_context", "destroyed_context", "not_initialized", "second_thread", "forked", "inside_function")
destroy.breaks("CONTEXT_IS_GIVEN", ctx=0)
destroy.breaks("CONTEXT_IS_NOT_PRIMARY", ctx=lambda i: i.process.ok.cuDevicePrimaryCtxRetain(0))


@destroy.also("destroyed", rule="CONTEXT_IS_LIVE")
def destroyed(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxDestroy(i.args["ctx"])


@destroy.world("CONTEXT_IS_NOT_BENEATH")
def under_another(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


@destroy.world("CONTEXT_IS_USED_HERE_ALONE")
def used_elsewhere(w: World, i: Invocation) -> None:
    i.process.thread(w.thread_name()).ok.cuCtxPushCurrent(i.args["ctx"])
    i.process.ok.cuCtxPopCurrent()


@destroy.world("CONTEXT_IS_ATTACHED_ONCE")
def attached(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxAttach(0)


@destroy.also("current to another thread, too")
def shared(w: World, i: Invocation) -> None:
    i.process.thread(w.thread_name()).ok.cuCtxPushCurrent(i.args["ctx"])


@destroy.also("current to none")
def popped(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPopCurrent()


def retained(w: World, call: str) -> Invocation:
    a = w.process()
    a.ok.cuDevicePrimaryCtxRetain(0)
    return a.call(call, dev=0)


release, reset = (
    Entry(call, partial(retained, call=call)) for call in ("cuDevicePrimaryCtxRelease_v1", "cuDevicePrimaryCtxReset_v1")
)
for one in (release, reset):
    one.breaks("DEVICE_IS_VALID", dev=99)

    @one.also("not retained")
    def not_retained(_w: World, i: Invocation) -> None:
        i.process.ok.cuDevicePrimaryCtxRelease(0)


@reset.after("a reference is dropped")
def dropped(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert i.c.cuDevicePrimaryCtxRelease(0) == (Result.INVALID_CONTEXT,)


@reset.also("retained twice")
def held_twice(_w: World, i: Invocation) -> None:
    i.process.ok.cuDevicePrimaryCtxRetain(0)


def inactive(w: World) -> Invocation:
    return w.process().call("cuDevicePrimaryCtxSetFlags_v1", dev=0, flags=YIELD)


flags = Entry("cuDevicePrimaryCtxSetFlags_v1", inactive)
flags.breaks("DEVICE_IS_VALID", dev=99)
flags.breaks("FLAGS_ARE_KNOWN", flags=1 << 20)


@flags.world("CONTEXT_IS_INACTIVE")
def active(_w: World, i: Invocation) -> None:
    i.process.ok.cuDevicePrimaryCtxRetain(0)


@flags.also("active and unknown flags", rule="FLAGS_ARE_KNOWN")
def active_unknown(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cuDevicePrimaryCtxRetain(0)
    return i.evolve(flags=1 << 20)


event = older("cuEventDestroy_v1")
event.breaks("EVENT_IS_GIVEN", hEvent=0)
stream = older("cuStreamDestroy_v1")
stream.breaks("STREAM_IS_GIVEN", hStream=0)

opened = older("cuIpcOpenMemHandle_v1", thens=False)
opened.breaks("FLAGS_ARE_LAZY", Flags=0)


@opened.world("MEMORY_IS_NOT_OPEN")
def open_already(_w: World, i: Invocation) -> None:
    i.run()


@opened.world("MEMORY_IS_NOT_OPEN", "by the newest form")
def open_by_the_newest(_w: World, i: Invocation) -> None:
    i.process.ok.cuIpcOpenMemHandle(i.args["handle"], i.args["Flags"])


operations = [
    older(form, answers=UNSUPPORTED, thens=False)
    for form in (
        "cuStreamWaitValue32_v1",
        "cuStreamWaitValue64_v1",
        "cuStreamWriteValue32_v1",
        "cuStreamWriteValue64_v1",
        "cuStreamBatchMemOp_v1",
    )
]
for one in operations:
    one.also("on a device of today", rule="OPERATIONS_ARE_SUPPORTED")(lambda _w, _i: None)
operations[-1].breaks("OPERATIONS_ARE_FEW", count=256)

test_behaviour = suite(push, pop, destroy, release, reset, flags, event, stream, opened, *operations)
