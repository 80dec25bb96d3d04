"""cuLaunchHostFunc: a stream calls a host function.

The functions are the C library's: sem_post adds 1 to the 32 bits that its argument points to, usleep takes its time.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__EXEC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import EQUAL, NON_BLOCKING, accept, block, page_locked, refuse, stream
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

WHILE = 300_000
"""Microseconds of a host function that another call should observe."""


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuLaunchHostFunc", hStream=0, fn=a.c_function("sem_post"), userData=page_locked(a))


def called(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the function was called once when the stream is done."""
    i.process.ok.cuStreamSynchronize(i.args["hStream"])
    assert content(i.process, i.args["userData"]) == bytes([1, 0, 0, 0])


entry = Entry("cuLaunchHostFunc", valid, called)
refuse(entry)
accept(entry, then=called)
entry.undefined("FUNCTION_IS_GIVEN", code=Result.INVALID_VALUE, fn=0)


entry.also("without data", fn=lambda i: i.process.c_function("abs"), userData=0)


@entry.also("it is called after the work before it, and blocks the work behind it")
def in_order(w: World, i: Invocation) -> None:
    a, post, place = i.process, i.args["fn"], i.args["userData"]
    working = stream(a, NON_BLOCKING)
    unblock = block(w, a, working)
    a.ok.cuStreamWriteValue32(working, place, 4, 0)
    a.ok.cuLaunchHostFunc(working, post, place)
    a.ok.cuStreamWaitValue32(working, place, 5, EQUAL)
    a.ok.cuStreamWriteValue32(working, place, 9, 0)
    a.ok.cuLaunchHostFunc(working, post, place)
    assert a.c.cuStreamQuery(working) == (Result.NOT_READY,)
    assert content(a, place) == bytes(4)
    unblock()
    assert content(a, place) == bytes([10, 0, 0, 0])


@entry.also("work behind it waits until it has returned")
def returns(_w: World, i: Invocation) -> None:
    a, place = i.process, i.args["userData"]
    working, follower, event = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING), a.ok.cuEventCreate(0)
    a.ok.cuLaunchHostFunc(working, a.c_function("usleep"), WHILE)
    a.ok.cuStreamWriteValue32(working, place, 1, 0)
    a.ok.cuEventRecord(event, working)
    a.ok.cuStreamWaitEvent(follower, event, 0)
    for name, waiting in (("cuStreamQuery", working), ("cuEventQuery", event), ("cuStreamQuery", follower)):
        assert getattr(a.c, name)(waiting) == (Result.NOT_READY,)
    assert content(a, place) == bytes(4)
    a.ok.cuEventSynchronize(event)
    assert content(a, place) == bytes([1, 0, 0, 0])
    a.ok.cuStreamSynchronize(follower)


@entry.also("streams that wait for each other's functions")
def crossing(_w: World, i: Invocation) -> None:
    a, post, place = i.process, i.args["fn"], i.args["userData"]
    first, second = stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    a.ok.cuStreamWaitValue32(first, place, 1, EQUAL)
    a.ok.cuLaunchHostFunc(first, post, place)
    a.ok.cuLaunchHostFunc(second, post, place)
    a.ok.cuStreamWaitValue32(second, place, 2, EQUAL)
    a.ok.cuLaunchHostFunc(second, post, place)
    a.ok.cuCtxSynchronize()
    assert content(a, place) == bytes([3, 0, 0, 0])


@entry.also("the default stream waits for a function of a stream that blocks on it")
def default_stream(_w: World, i: Invocation) -> None:
    a, place = i.process, i.args["userData"]
    a.ok.cuLaunchHostFunc(stream(a), a.c_function("usleep"), WHILE)
    assert a.c.cuStreamQuery(0) == (Result.NOT_READY,)
    a.ok.cuMemsetD8(place, 0, 4)
    a.ok.cuStreamSynchronize(0)


@entry.also("a stream that is destroyed calls it all the same")
def destroyed(_w: World, i: Invocation) -> None:
    a, place = i.process, i.args["userData"]
    ending = stream(a, NON_BLOCKING)
    a.ok.cuLaunchHostFunc(ending, a.c_function("usleep"), WHILE)
    a.ok.cuLaunchHostFunc(ending, i.args["fn"], place)
    a.ok.cuStreamDestroy(ending)
    a.ok.cuCtxSynchronize()
    assert content(a, place) == bytes([1, 0, 0, 0])


test_launch_host_func = entry.test()
