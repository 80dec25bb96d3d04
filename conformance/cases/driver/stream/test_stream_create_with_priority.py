"""cuStreamCreateWithPriority: create a stream with a priority.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import described, room_for_one
from conformance.cases.driver.stream.fixtures import NON_BLOCKING
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.case import Then
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamCreateWithPriority", flags=0, priority=0)


entry = Entry("cuStreamCreateWithPriority", valid)
entry.null("phStream", "RESULT_IS_GIVEN")
entry.breaks("FLAGS_ARE_KNOWN", flags=2)
entry.also("non-blocking", flags=NON_BLOCKING)


def has(asked: int) -> Then:
    """Return a check that the stream has the priority, clamped to the range."""

    def check(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
        least, greatest = i.process.ok.cuCtxGetStreamPriorityRange()
        assert i.process.ok.cuStreamGetPriority(results[0]) == max(greatest, min(asked, least))

    return check


for name, priority in {"urgent": -1, "beyond the most urgent": -1000, "beyond the least urgent": 1000}.items():
    entry.also(name, priority=priority, then=has(priority))

test_stream_create_with_priority = entry.test()


def test_memory_suffices() -> None:
    """A card filled by a context has no memory for a stream."""
    with described(room_for_one(left=0)) as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuStreamCreateWithPriority(0, 0) == (Result.OUT_OF_MEMORY, None)
    with described(room_for_one(left=1)) as c:
        c.cuCtxCreate(None, 0, 0)
        assert c.cuStreamCreateWithPriority(0, 0)[0] == Result.SUCCESS
