"""cuCtxSetFlags: replace the changeable flags of the current context.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__CTX.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.context.fixtures import BLOCKING, FLAG, MAP_HOST, SPIN, YIELD, accept_flags, flags_of_it
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    return w.process().call("cuCtxSetFlags", flags=BLOCKING)


entry = Entry("cuCtxSetFlags", valid, flags_of_it)
entry.breaks("FLAGS_ARE_KNOWN", flags=256)
entry.breaks("FLAGS_ARE_KNOWN", "two scheduling flags", flags=SPIN | YIELD)
entry.breaks("FLAGS_ARE_KNOWN", "the highest bit", flags=1 << 31)
accept_flags(entry)
entry.also("a scheduling flag and others", then=flags_of_it, flags=SPIN | MAP_HOST | FLAG["LMEM_RESIZE_TO_MAX"])


@entry.undefined("CONTEXT_IS_THERE", code=Result.CONTEXT_IS_DESTROYED)
def destroyed(w: World, i: Invocation) -> None:
    i.process.thread(w.thread_name()).ok.cuCtxDestroy(i.process.context)


@entry.also("it replaces what was set", then=flags_of_it)
def replaced(_w: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxSetFlags(SPIN | FLAG["SYNC_MEMOPS"])
    assert i.process.ok.cuCtxGetFlags() == SPIN | FLAG["SYNC_MEMOPS"]
    return i.evolve(flags=0)


@entry.also("some flags stay as the context was created", then=flags_of_it)
def kept(_w: World, i: Invocation) -> Invocation:
    for flags in (MAP_HOST, FLAG["COREDUMP_ENABLE"], MAP_HOST | FLAG["LMEM_RESIZE_TO_MAX"]):
        i.process.ok.cuCtxCreate(None, flags, 0)
        i.process.ok.cuCtxSetFlags(0)
        assert i.process.ok.cuCtxGetFlags() == flags & ~FLAG["LMEM_RESIZE_TO_MAX"]
    return i


@entry.also("other contexts keep theirs")
def others(_w: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, YIELD, 0)
    i.process.ok.cuCtxSetFlags(SPIN)
    i.process.ok.cuCtxPopCurrent()
    assert i.process.ok.cuCtxGetFlags() == 0


@entry.also("a primary context's state keeps its flags", then=flags_of_it)
def primary(_w: World, i: Invocation) -> None:
    a = i.process
    a.ok.cuCtxSetCurrent(a.ok.cuDevicePrimaryCtxRetain(0))
    a.ok.cuCtxSetFlags(BLOCKING)
    assert a.ok.cuCtxGetFlags() == BLOCKING | MAP_HOST
    assert a.ok.cuDevicePrimaryCtxGetState(0) == (0, 1)


test_ctx_set_flags = entry.test()
