"""cuStreamIsCapturing: whether a stream's work goes into a graph.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import NON_BLOCKING, accept, block, refuse, stream
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamIsCapturing", hStream=0)


def not_capturing(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    """CU_STREAM_CAPTURE_STATUS_NONE."""
    assert results == (0,)


entry = Entry("cuStreamIsCapturing", valid, not_capturing)
entry.null("captureStatus", "RESULT_IS_GIVEN")
refuse(entry)
accept(entry)


@entry.also("while it waits", then=not_capturing)
def waits(w: World, i: Invocation) -> Invocation:
    blocked = stream(i.process, NON_BLOCKING)
    block(w, i.process, blocked)
    return i.evolve(hStream=blocked)


test_stream_is_capturing = entry.test()
