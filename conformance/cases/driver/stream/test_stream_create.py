"""cuStreamCreate: create a stream in the current context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import described, room_for_one
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, stream
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamCreate", Flags=0)


def idle(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that a new stream has no work and accepts some."""
    (created,) = results
    i.process.ok.cuStreamQuery(created)
    i.process.ok.cuEventRecord(i.process.ok.cuEventCreate(0), created)
    i.process.ok.cuStreamSynchronize(created)
    i.process.ok.cuStreamDestroy(created)


entry = Entry("cuStreamCreate", valid, idle)
entry.null("phStream", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_KNOWN", Flags=2)
entry.breaks("FLAGS_ARE_KNOWN", "with one that is", Flags=3)
entry.breaks("FLAGS_ARE_KNOWN", "highest bit", Flags=1 << 31)
entry.world("FLAGS_ARE_KNOWN", "before cuInit")(lambda w, _: w.process(init=False).call("cuStreamCreate", Flags=2))
entry.also("non-blocking", Flags=NON_BLOCKING, then=idle)


@entry.also("each has a handle of its own")
def many(_w: World, i: Invocation) -> None:
    assert len({stream(i.process) for _ in range(3)}) == 3


test_stream_create = entry.test()


def test_memory_suffices() -> None:
    """A card filled by a context has no memory for a stream."""
    with described(room_for_one(left=0)) as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuStreamCreate(0) == (Result.OUT_OF_MEMORY, None)
    with described(room_for_one(left=1)) as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuStreamCreate(0)[0] == Result.SUCCESS
