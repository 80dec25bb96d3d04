"""cuMemPoolDestroy: destroy a memory pool.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MALLOC__ASYNC.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.pool.fixtures import CHUNK, HOST, exported, imported, memory, pool, refuse, shared
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry
from conformance.kit.world import PINNED, POSIX

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process(context=False)
    return a.call("cuMemPoolDestroy", pool=pool(a))


entry = Entry("cuMemPoolDestroy", valid)
refuse(entry)
entry.breaks("POOL_IS_NO_DEFAULT", pool=lambda i: i.process.ok.cuDeviceGetDefaultMemPool(0))
entry.breaks("POOL_IS_NO_DEFAULT", "of the host", pool=lambda i: i.process.ok.cuMemGetDefaultMemPool((HOST, 0), PINNED))


@entry.after("another can be made")
def another(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    assert pool(i.process) != i.args["pool"]


@entry.also("it was current")
def current(_: World, i: Invocation) -> None:
    a, gone = i.process, pool(i.process)
    a.ok.cuDeviceSetMemPool(0, gone)
    a.ok.cuMemPoolDestroy(gone)
    assert a.ok.cuDeviceGetMemPool(0) == a.ok.cuDeviceGetDefaultMemPool(0)


@entry.also("it is current, and another location's pool stays")
def others(_: World, i: Invocation) -> Invocation:
    a, host = i.process, pool(i.process, location=(HOST, 0))
    a.ok.cuMemSetMemPool((HOST, 0), PINNED, host)
    a.ok.cuDeviceSetMemPool(0, i.args["pool"])
    a.ok.cuMemPoolDestroy(i.args["pool"])
    assert a.ok.cuMemGetMemPool((HOST, 0), PINNED) == host
    return i.evolve(pool=host)


@entry.also("its memory stays")
def in_use(w: World, i: Invocation) -> Invocation:
    a = w.process()
    gone = pool(a)
    ptr = memory(a, gone)
    a.ok.cuMemsetD8(ptr, 3, 16)
    a.ok.cuMemPoolDestroy(gone)
    assert content(a, ptr) == b"\3" * 4
    a.ok.cuMemFreeAsync(ptr, 0)
    a.ok.cuCtxSynchronize()
    return i


@entry.also("the last free gives its memory back")
def given_back(w: World, i: Invocation) -> Invocation:
    a = w.process()
    gone, before = pool(a), a.ok.cuMemGetInfo()[0]
    ptr = memory(a, gone, 8 * CHUNK)
    a.ok.cuMemPoolDestroy(gone)
    assert a.ok.cuMemGetInfo()[0] < before
    a.ok.cuMemFree(ptr)
    assert a.ok.cuMemGetInfo()[0] == before
    return i


@entry.also("a free is not done")
def free_is_not_done(w: World, i: Invocation) -> Invocation:
    a = w.process()
    gone, waiting, before = pool(a), stream(a, NON_BLOCKING), a.ok.cuMemGetInfo()[0]
    ptr = memory(a, gone, 8 * CHUNK, waiting)
    unblock = block(w, a, waiting)
    a.ok.cuMemFreeAsync(ptr, waiting)
    a.ok.cuMemPoolDestroy(gone)
    assert a.ok.cuMemGetInfo()[0] < before
    unblock()
    return i


@entry.also("an imported pool")
def import_(w: World, i: Invocation) -> Invocation:
    return i.evolve(pool=imported(i.process, w.process())[0])


@entry.also("a pool that was imported twice, each time")
def import_twice(w: World, i: Invocation) -> Invocation:
    a, (_, descriptor) = i.process, exported(w.process())
    first, second = (a.ok.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0) for _ in range(2))
    assert first == second
    a.ok.cuMemPoolDestroy(first)
    return i.evolve(pool=second)


@entry.world("IMPORTS_ARE_FREED")
def import_in_use(w: World, i: Invocation) -> Invocation:
    into, source = imported(i.process, b := w.process())
    i.process.ok.cuMemPoolImportPointer(into, shared(b, source)[1])
    return i.evolve(pool=into)


@entry.also("an imported pool of which all is freed")
def import_freed(w: World, i: Invocation) -> Invocation:
    a = w.process()
    into, source = imported(a, b := w.process())
    first, second = (a.ok.cuMemPoolImportPointer(into, shared(b, source)[1]) for _round in range(2))
    a.ok.cuMemFreeAsync(first, 0)
    a.ok.cuMemFree(second)
    a.ok.cuMemPoolDestroy(into)
    return i


entry.alone("the-last-free-gives-its-memory-back", "a-free-is-not-done")

test_mem_pool_destroy = entry.test()
