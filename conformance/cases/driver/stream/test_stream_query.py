"""cuStreamQuery: whether a stream's work is done.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import LEGACY, NON_BLOCKING, PER_THREAD, accept, block, refuse, stream
from conformance.kit.case import Entry

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
