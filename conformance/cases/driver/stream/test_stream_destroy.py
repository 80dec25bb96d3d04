"""cuStreamDestroy: destroy a stream; its work still runs.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from conformance.cases.driver.pool.fixtures import CHUNK, books, memory, pool
from conformance.cases.driver.stream.fixtures import (
    LEGACY,
    NON_BLOCKING,
    PER_THREAD,
    block,
    elsewhere,
    refuse,
    stream,
    word,
)
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from conformance.kit.program import FORKED, INSIDE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuStreamDestroy", hStream=stream(a))


entry = Entry("cuStreamDestroy", valid)
entry.without("not_initialized")  # to such a process the handle is garbage, which the driver follows
entry.without("no_context", "destroyed_context")  # a created stream needs none that is current
entry.without("forked")  # see below
entry.without("inside_function")  # a created stream is enough there, too
refuse(entry)
entry.breaks("STREAM_IS_GIVEN", hStream=0)
entry.breaks("STREAM_IS_CREATED", "legacy", hStream=LEGACY)
entry.breaks("STREAM_IS_CREATED", "per thread", hStream=PER_THREAD)
entry.also("of another context", hStream=lambda i: elsewhere(i.process)[0])


@entry.world("DRIVER_IS_INITIALIZED", "of a default one")
def uninitialized(w: World, _i: Invocation) -> Invocation:
    return w.process(init=False).call("cuStreamDestroy", hStream=LEGACY)


@entry.world("STREAM_IS_GIVEN", "before cuInit")
def null_before(w: World, _i: Invocation) -> Invocation:
    return w.process(init=False).call("cuStreamDestroy", hStream=0)


@entry.undefined("PROCESS_IS_NOT_FORKED", code=Result.NOT_INITIALIZED)
def forked(_w: World, i: Invocation) -> Invocation:
    return evolve(i, thread=FORKED)


@entry.world("CALLS_ARE_PERMITTED", "of a default one")
def default_inside(_w: World, i: Invocation) -> Invocation:
    return evolve(i.evolve(hStream=LEGACY), thread=INSIDE)


@entry.also("inside of a function of the host")
def inside(_w: World, i: Invocation) -> Invocation:
    return evolve(i, thread=INSIDE)


@entry.world("CONTEXT_IS_CURRENT", "of a default one")
def default_of_nothing(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(hStream=LEGACY)


@entry.world("CONTEXT_IS_ALIVE", "of a default one")
def default_of_the_dead(w: World, i: Invocation) -> Invocation:
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    i.process.thread(w.thread_name()).ok.cuCtxDestroy(context)
    return i.evolve(hStream=LEGACY)


@entry.also("no context is current")
def no_context(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxPopCurrent()


@entry.also("what it has left is done all the same")
def work_left(w: World, i: Invocation) -> None:
    a = i.process
    ending, place = stream(a, NON_BLOCKING), word(a)
    unblock = block(w, a, ending)
    a.ok.cuStreamWriteValue32(ending, place, 7, 0)
    event = a.ok.cuEventCreate(0)
    a.ok.cuEventRecord(event, ending)
    a.ok.cuStreamDestroy(ending)
    assert a.c.cuEventQuery(event) == (Result.NOT_READY,)
    unblock()
    a.ok.cuEventSynchronize(event)
    assert content(a, place) == bytes([7, 0, 0, 0])


@entry.also("memory that it freed goes back to its pool's device")
def freed_in_it(w: World, i: Invocation) -> None:
    a = i.process
    for blocks in (False, True):
        source, ending = pool(a), stream(a, NON_BLOCKING)
        freed = memory(a, source, stream=ending)
        unblock = block(w, a, ending) if blocks else None
        a.ok.cuMemFreeAsync(freed, ending)
        assert books(a, source) == (CHUNK, 0)
        a.ok.cuStreamDestroy(ending)
        assert books(a, source) == (CHUNK if blocks else 0, 0)
        if unblock is not None:
            unblock()


test_stream_destroy = entry.test()
