"""cuStreamGetPriority: the priority of a stream.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.captured_calls import told_of_captures
from conformance.cases.driver.stream.fixtures import accept, refuse, stream
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamGetPriority", hStream=0)


def default(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (0,)


entry = Entry("cuStreamGetPriority", valid, default)
entry.null("priority", "RESULT_IS_GIVEN")
refuse(entry)
accept(entry)
told_of_captures(entry)
entry.also("created without one", then=default, hStream=lambda i: stream(i.process))


def within(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    least, greatest = i.process.ok.cuCtxGetStreamPriorityRange()
    assert greatest <= results[0] <= least


for name, priority in {"urgent": -1, "beyond the most urgent": -1000, "beyond the least urgent": 1000}.items():

    @entry.also(name, then=within)
    def created(_w: World, i: Invocation, priority: int = priority) -> Invocation:
        return i.evolve(hStream=i.process.ok.cuStreamCreateWithPriority(0, priority))


test_stream_get_priority = entry.test()
