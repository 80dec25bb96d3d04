"""cuStreamQuery: whether a stream's work is complete.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import LEGACY, NON_BLOCKING, PER_THREAD, accept, block, refuse, stream
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamQuery", hStream=0)


entry = Entry("cuStreamQuery", valid)
refuse(entry)
accept(entry)


@entry.world("WORK_IS_DONE")
def waits(w: World, i: Invocation) -> Invocation:
    blocked = stream(i.process)
    block(w, i.process, blocked)
    return i.evolve(hStream=blocked)


@entry.world("WORK_IS_DONE", "non-blocking")
def waits_alone(w: World, i: Invocation) -> Invocation:
    blocked = stream(i.process, NON_BLOCKING)
    block(w, i.process, blocked)
    return i.evolve(hStream=blocked)


@entry.world("WORK_IS_DONE", "legacy")
def legacy_waits(w: World, i: Invocation) -> None:
    block(w, i.process, LEGACY)


@entry.world("WORK_IS_DONE", "per thread")
def per_thread_waits(w: World, i: Invocation) -> Invocation:
    block(w, i.process, PER_THREAD)
    return i.evolve(hStream=PER_THREAD)


@entry.world("WORK_IS_DONE", "waits for an event of another stream")
def waits_for_another(w: World, i: Invocation) -> Invocation:
    a = i.process
    blocked, event = stream(a, NON_BLOCKING), a.ok.cuEventCreate(0)
    block(w, a, blocked)
    a.ok.cuEventRecord(event, blocked)
    follower = stream(a, NON_BLOCKING)
    a.ok.cuStreamWaitEvent(follower, event, 0)
    return i.evolve(hStream=follower)


@entry.world("WORK_IS_DONE", "behind the legacy stream")
def behind_the_legacy_stream(w: World, i: Invocation) -> Invocation:
    """Query a stream with work after the legacy stream's; an idle one does not wait."""
    a, idle = i.process, stream(i.process)
    block(w, a, LEGACY)
    a.ok.cuStreamSynchronize(idle)
    assert a.c.cuStreamQuery(idle) == (Result.SUCCESS,)
    a.ok.cuEventRecord(a.ok.cuEventCreate(0), idle)
    return i.evolve(hStream=idle)


for first in (0, PER_THREAD):

    @entry.also(f"the legacy stream has waited for {first or 'one'} that blocks on it, and others have for it")
    def in_order(w: World, i: Invocation, first: int = first) -> None:
        a, other, free = i.process, stream(i.process), stream(i.process, NON_BLOCKING)
        unblock = block(w, a, first or stream(a))
        a.ok.cuStreamSynchronize(other)
        events = [a.ok.cuEventCreate(0) for _ in range(3)]
        for event, working in zip(events, (LEGACY, other, free), strict=True):
            a.ok.cuEventRecord(event, working)
        a.ok.cuStreamSynchronize(free)
        assert [a.c.cuEventQuery(one) for one in events] == [
            (Result.NOT_READY,),
            (Result.NOT_READY,),
            (Result.SUCCESS,),
        ]
        unblock()
        assert [a.c.cuEventQuery(one) for one in events] == [(Result.SUCCESS,)] * 3


@entry.also("the legacy stream of another context waits")
def another_legacy_stream(w: World, i: Invocation) -> None:
    a = i.process
    block(w, a, stream(a))
    a.ok.cuCtxCreate(None, 0, 0)
    a.ok.cuMemsetD8(a.ok.cuMemAlloc(4), 7, 4)
    a.ok.cuStreamSynchronize(LEGACY)
    a.ok.cuCtxPopCurrent()
    assert a.c.cuStreamQuery(LEGACY) == (Result.NOT_READY,)
    a.ok.cuCtxCreate(None, 0, 0)


@entry.also("another stream waits")
def another_waits(w: World, i: Invocation) -> Invocation:
    block(w, i.process, stream(i.process))
    return i.evolve(hStream=stream(i.process))


@entry.also("a stream that does not block on it waits")
def independent(w: World, i: Invocation) -> None:
    block(w, i.process, stream(i.process, NON_BLOCKING))


@entry.also("its value came")
def unblocked(w: World, i: Invocation) -> Invocation:
    blocked = stream(i.process)
    block(w, i.process, blocked)()
    return i.evolve(hStream=blocked)


test_stream_query = entry.test()
