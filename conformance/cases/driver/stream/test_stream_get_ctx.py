"""cuStreamGetCtx: the context of a stream.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__STREAM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.stream.captured_calls import told_of_captures
from conformance.cases.driver.stream.fixtures import LEGACY, PER_THREAD, accept, elsewhere, refuse, stream
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuStreamGetCtx", hStream=0)


def current(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (i.process.ok.cuCtxGetCurrent(),)


entry = Entry("cuStreamGetCtx", valid, current)
entry.null("pctx", "RESULT_IS_GIVEN")
refuse(entry)
accept(entry)
told_of_captures(entry)
for name, handle in {"that of the legacy default stream": LEGACY, "that of the thread's": PER_THREAD}.items():
    entry.also(name, then=current, hStream=handle)
entry.also("that in which it was created", then=current, hStream=lambda i: stream(i.process))


def other(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert results != (i.process.context,)


entry.also("one that is not current", then=other, hStream=lambda i: elsewhere(i.process)[0])


@entry.also("while none is current")
def none_current(_w: World, i: Invocation) -> Invocation:
    created = stream(i.process)
    i.process.ok.cuCtxPopCurrent()
    return i.evolve(hStream=created)


@entry.also("of a default stream it is the current one", then=current)
def default_elsewhere(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


test_stream_get_ctx = entry.test()
