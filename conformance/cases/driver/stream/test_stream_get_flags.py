"""cuStreamGetFlags: the creation flags of a stream.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import NON_BLOCKING, accept, refuse, stream
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamGetFlags", hStream=0)


def none(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (0,)


def unblocking(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (NON_BLOCKING,)


entry = Entry("cuStreamGetFlags", valid, none)
entry.null("flags", "RESULT_IS_GIVEN")
refuse(entry)
accept(entry)
entry.also("as it was created", then=unblocking, hStream=lambda i: stream(i.process, NON_BLOCKING))
entry.also("created without", then=none, hStream=lambda i: stream(i.process))


entry.also(
    "created with a priority",
    then=unblocking,
    hStream=lambda i: i.process.ok.cuStreamCreateWithPriority(NON_BLOCKING, -1),
)


test_stream_get_flags = entry.test()
