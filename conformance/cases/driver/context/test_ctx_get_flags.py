"""cuCtxGetFlags: the flags of the current context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import BLOCKING, MAP_HOST
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxGetFlags")


entry = Entry("cuCtxGetFlags", valid)
entry.null("flags", "RESULT_IS_GIVEN")


@entry.also("those it was created with")
def created(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, BLOCKING, 0)
    assert i.process.ok.cuCtxGetFlags() == BLOCKING


@entry.also("a primary context supports pinned allocations")
def primary(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxSetCurrent(i.process.ok.cuDevicePrimaryCtxRetain(0))
    assert i.process.ok.cuCtxGetFlags() == MAP_HOST


@entry.also("a primary context's may change")
def changed(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxSetCurrent(i.process.ok.cuDevicePrimaryCtxRetain(0))
    i.process.ok.cuDevicePrimaryCtxSetFlags(0, BLOCKING)
    assert i.process.ok.cuCtxGetFlags() == BLOCKING | MAP_HOST


@entry.also("of a destroyed context")
def destroyed(w: World, i: Invocation) -> None:
    i.process.thread(w.thread_name()).ok.cuCtxDestroy(i.process.context)


@entry.also("a reset primary context has none")
def reset(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxSetCurrent(i.process.ok.cuDevicePrimaryCtxRetain(0))
    i.process.ok.cuDevicePrimaryCtxReset(0)
    assert i.process.ok.cuCtxGetFlags() == 0


test_ctx_get_flags = entry.test()
