"""cuStreamAddCallback: a stream calls a host function with its status.

The function is the C library's sigprocmask: given null for its second argument, which is the status, it writes 64 bits to
where the third points. Among them that of SIGKILL is never set, since nobody can block that.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import evolve

from conformance.cases.driver.stream.fixtures import EQUAL, NON_BLOCKING, accept, block, page_locked, refuse, stream
from conformance.cases.driver.stream.mem_ops import NOR
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

OTHERS = (1 << 64) - 1 - (1 << 8)
"""The bits of all signals except SIGKILL."""


def valid(w: World) -> Invocation:
    a = w.process()
    place, function = page_locked(a, 0xFF), a.c_function("sigprocmask")
    return a.call("cuStreamAddCallback", hStream=0, callback=function, userData=place, flags=0)


def await_call(a: Process, place: int) -> None:
    """Wait until the function was called and the bit is cleared."""
    waiting = stream(a, NON_BLOCKING)
    a.ok.cuStreamWaitValue64(waiting, place, OTHERS, NOR)
    a.ok.cuStreamSynchronize(waiting)


def called(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the function was called with SUCCESS and the data."""
    await_call(i.process, i.args["userData"])
    i.process.ok.cuStreamSynchronize(i.args["hStream"])


entry = Entry("cuStreamAddCallback", valid, called)
refuse(entry)
accept(entry, then=called)
entry.breaks("FLAGS_ARE_ZERO", flags=1)
entry.breaks("FLAGS_ARE_ZERO", "highest bit", flags=1 << 31)
entry.undefined("CALLBACK_IS_GIVEN", code=Result.INVALID_VALUE, callback=0)


@entry.also("it is called after the work before it, and blocks the work behind it")
def in_order(w: World, i: Invocation) -> None:
    a, place = i.process, i.args["userData"]
    working, behind = stream(a, NON_BLOCKING), page_locked(a)
    unblock = block(w, a, working)
    a.ok.cuStreamAddCallback(working, i.args["callback"], place, 0)
    a.ok.cuStreamWaitValue64(working, place, OTHERS, NOR)
    a.ok.cuStreamWriteValue32(working, behind, 7, 0)
    assert a.c.cuStreamQuery(working) == (Result.NOT_READY,)
    assert content(a, behind) == bytes(4)
    assert content(a, place, 8) == bytes([0xFF] * 8)
    unblock()
    assert content(a, behind) == bytes([7, 0, 0, 0])


@entry.also("functions of both kinds")
def both_kinds(_w: World, i: Invocation) -> None:
    a, place = i.process, i.args["userData"]
    working, counter, post = stream(a, NON_BLOCKING), page_locked(a), a.c_function("sem_post")
    a.ok.cuLaunchHostFunc(working, post, counter)
    a.ok.cuStreamAddCallback(working, i.args["callback"], place, 0)
    a.ok.cuLaunchHostFunc(working, post, counter)
    a.ok.cuStreamWaitValue32(working, counter, 2, EQUAL)
    a.ok.cuStreamWaitValue64(working, place, OTHERS, NOR)
    a.ok.cuStreamSynchronize(working)


@entry.world("FLAGS_ARE_ZERO", "before cuInit")
def uninitialized(w: World, i: Invocation) -> Invocation:
    return evolve(i.evolve(flags=1), process=w.process(init=False))


test_stream_add_callback = entry.test()
