"""cuStreamGetDevice: the device of a stream.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.fixtures import accept, elsewhere, refuse
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamGetDevice", hStream=0)


def first(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (0,)


entry = Entry("cuStreamGetDevice", valid, first)
entry.null("device", "RESULT_IS_GIVEN")
refuse(entry)
accept(entry)


def second(_w: World, _i: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (1,)


@entry.also("another device's", then=second)
def other_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(hStream=elsewhere(i.process, device=1)[0])


@entry.also("of a default stream it is the current one", then=second)
def current_device(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)


test_stream_get_device = entry.test()
