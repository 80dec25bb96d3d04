"""cuStreamGetId: the id of a stream, unique in the process.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import LEGACY, PER_THREAD, accept, refuse, stream
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamGetId", hStream=0)


def unlike_others(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that the id is constant and unique, also among destroyed streams."""
    a = i.process
    gone = stream(a)
    ids = {a.ok.cuStreamGetId(gone)}
    a.ok.cuStreamDestroy(gone)
    others = [LEGACY, PER_THREAD, stream(a), stream(a)]
    ids |= {a.ok.cuStreamGetId(other) for other in others}
    assert len(ids) == len(others) + 1
    assert a.ok.cuStreamGetId(i.args["hStream"]) == results[0]


entry = Entry("cuStreamGetId", valid, unlike_others)
entry.null("streamId", "RESULT_IS_GIVEN")
refuse(entry)
accept(entry)
entry.also("a created one's", then=unlike_others, hStream=lambda i: stream(i.process))


@entry.also("null is the legacy default stream", then=unlike_others)
def same_as_legacy(_w: World, i: Invocation) -> None:
    assert i.process.ok.cuStreamGetId(0) == i.process.ok.cuStreamGetId(LEGACY)


@entry.also("default streams of two contexts differ")
def two_contexts(_w: World, i: Invocation) -> None:
    a = i.process
    mine = a.ok.cuStreamGetId(LEGACY)
    a.ok.cuCtxCreate(None, 0, 0)
    assert a.ok.cuStreamGetId(LEGACY) != mine
    a.ok.cuCtxPopCurrent()


test_stream_get_id = entry.test()
