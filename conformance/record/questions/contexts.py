"""Questions about contexts: which calls count where their ids are numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.record.questions.fixtures import question

if TYPE_CHECKING:
    from conformance.kit.world import World


@question()
def which_calls_give_an_id(w: World) -> None:
    """Ids count contexts: which calls that fail, or that make none, count as well."""
    w.needs_devices(2)
    a = w.process()

    def next_id() -> None:
        context = a.ok.cuCtxCreate(None, 0, 0)
        a.c.cuCtxGetId(context)
        a.ok.cuCtxDestroy(context)

    next_id()
    a.c.cuCtxCreate(None, 99, 0)
    next_id()
    a.c.cuCtxCreate(None, 0, 99)
    next_id()
    a.c.cuCtxCreate((0, 1, 0), 0, 0)
    next_id()
    a.c.cuCtxCreate(None, 0, 0, null="pctx")
    next_id()
    a.c.cuDevicePrimaryCtxSetFlags(1, 4)
    next_id()
    a.c.cuDevicePrimaryCtxReset(1)
    next_id()
    a.c.cuDevicePrimaryCtxRelease(1)
    next_id()
    primary = a.ok.cuDevicePrimaryCtxRetain(1)
    a.c.cuCtxGetId(primary)
    next_id()
    a.c.cuDevicePrimaryCtxRelease(1)
    next_id()
    a.c.cuDeviceGetDefaultMemPool(1)
    next_id()
    pool = a.ok.cuMemPoolCreate((1, 0, (1, 1), 0, 0, 0, 0))
    next_id()
    a.c.cuMemAllocFromPoolAsync(4096, pool, 0)
    next_id()
    a.c.cuMemCreate(2 << 20, (1, 0, (1, 1), 0, (0, 0, 0)), 0)
    next_id()
    a.c.cuMemGetAllocationGranularity((1, 0, (1, 1), 0, (0, 0, 0)), 0)
    next_id()
    managed = a.ok.cuMemAllocManaged(4096, 1)
    next_id()
    a.c.cuMemAdvise(managed, 4096, 3, (1, 1))
    next_id()
    a.c.cuMemPrefetchAsync(managed, 4096, (1, 1), 0, 0)
    next_id()
    a.c.cudaSetDevice(0)
    next_id()
    a.c.cudaDeviceReset()
    next_id()


@question()
def ids_of_threads_and_of_refused_contexts(w: World) -> None:
    """The same where a process has none, in a fork, and after its only context has gone."""
    a = w.process(context=False)
    a.c.cuCtxCreate(None, 99, 0)
    a.c.cuCtxCreate(None, 0, 0, null="pctx")
    first = a.ok.cuCtxCreate(None, 0, 0)
    a.c.cuCtxGetId(first)
    a.ok.cuCtxDestroy(first)
    a.c.cuCtxGetCurrent()
    a.c.cuMemAlloc(4096)
    second = a.ok.cuCtxCreate(None, 0, 0)
    a.c.cuCtxGetId(second)
    a.ok.cuCtxPopCurrent()
    a.c.cuMemAlloc(4096)
    third = a.thread("second").ok.cuCtxCreate(None, 0, 0)
    a.c.cuCtxGetId(third)
