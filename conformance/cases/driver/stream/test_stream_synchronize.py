"""cuStreamSynchronize: wait for a stream's work.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import EQUAL, NON_BLOCKING, accept, block, refuse, stream, word
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamSynchronize", hStream=0)


def idle(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that the stream has no work."""
    i.process.ok.cuStreamQuery(i.args["hStream"])


entry = Entry("cuStreamSynchronize", valid, idle)
refuse(entry)
accept(entry)


@entry.also("another stream waits")
def another_waits(w: World, i: Invocation) -> Invocation:
    block(w, i.process, stream(i.process))
    return i.evolve(hStream=stream(i.process, NON_BLOCKING))


@entry.also("work was written")
def written(_w: World, i: Invocation) -> Invocation:
    a = i.process
    working, place = stream(a), word(a)
    a.ok.cuStreamWriteValue32(working, place, 0x01020304, 0)
    a.ok.cuStreamSynchronize(working)
    assert content(a, place) == bytes([4, 3, 2, 1])
    return i.evolve(hStream=working)


@entry.also("what it waits for comes", then=idle)
def comes(_w: World, i: Invocation) -> Invocation:
    a = i.process
    gate, blocked, opener = word(a), stream(a, NON_BLOCKING), stream(a, NON_BLOCKING)
    a.ok.cuStreamWaitValue32(blocked, gate, 1, EQUAL)
    a.ok.cuStreamWriteValue32(opener, gate, 1, 0)
    return i.evolve(hStream=blocked)


test_stream_synchronize = entry.test()
