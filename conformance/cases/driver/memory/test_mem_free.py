"""cuMemFree: free linear memory.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import ATTACH_GLOBAL, PAGE, pointers
from conformance.cases.driver.pool import fixtures as pools
from conformance.cases.driver.stream.fixtures import NON_BLOCKING, block, stream
from conformance.cases.driver.va.fixtures import NOWHERE, freed, half_mapped, imported
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemFree", dptr=a.ok.cuMemAlloc(4096))


def forgotten(_: World, i: Invocation, __: tuple[Plain, ...]) -> None:
    """Check that the pointer is unknown afterwards."""
    assert i.c.cuMemGetAddressRange(i.args["dptr"]) == (Result.NOT_FOUND, None, None)


entry = Entry("cuMemFree", valid, forgotten)
entry.without("no_context")  # none is needed
entry.breaks("POINTER_IS_A_BASE", dptr=lambda i: i.args["dptr"] + 512)
entry.breaks("POINTER_IS_A_BASE", "nowhere", dptr=NOWHERE)
entry.breaks("POINTER_IS_A_BASE", "reserved", dptr=lambda i: i.process.ok.cuMemAddressReserve(2 << 20, 0, 0, 0))
entry.breaks("POINTER_IS_A_BASE", "mapped", dptr=lambda i: half_mapped(i.process))
for kind, args in pointers("dptr", "pinned", "registered", "plain"):
    entry.breaks("POINTER_IS_A_BASE", kind, **args)
entry.breaks(
    "POINTER_IS_A_BASE", "inside managed", dptr=lambda i: i.process.ok.cuMemAllocManaged(PAGE, ATTACH_GLOBAL) + 16
)


@entry.world("POINTER_IS_A_BASE", "freed")
def freed_before(_: World, i: Invocation) -> None:
    i.process.ok.cuMemFree(i.args["dptr"])


@entry.world("POINTER_IS_A_BASE", "opened")
def opened(w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=imported(i.process, w.process())[0])


@entry.undefined("NO_IMPORTER_IS_OPEN", "reported by a strict machine", code=Result.SUCCESS)
@entry.world("NO_IMPORTER_IS_OPEN")
def open_elsewhere(w: World, i: Invocation) -> None:
    w.process().ok.cuIpcOpenMemHandle(i.process.ok.cuIpcGetMemHandle(i.args["dptr"]), 1)


@entry.undefined("NO_IMPORTER_HAS_IT", code=Result.SUCCESS)
def imported_elsewhere(w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=pools.opened(w.process(), i.process)[1])


entry.also("memory of a pool", then=forgotten, dptr=lambda i: pools.memory(i.process))


@entry.also("an import of memory of a pool", then=forgotten)
def imported_of_a_pool(w: World, i: Invocation) -> Invocation:
    return i.evolve(dptr=pools.opened(i.process, w.process())[0])


@entry.also("memory of a pool while a stream waits", then=forgotten)
def pooled_and_waiting(w: World, i: Invocation) -> Invocation:
    a, waiting = i.process, stream(i.process, NON_BLOCKING)
    ptr = pools.memory(a, stream=waiting)
    block(w, a, waiting)
    return i.evolve(dptr=ptr)


@entry.also("a pool can use memory again at once")
def used_again(_: World, i: Invocation) -> None:
    a, source = i.process, pools.pool(i.process)
    a.ok.cuMemFree(pools.memory(a, source, pools.CHUNK, stream(a)))
    pools.memory(a, source, pools.CHUNK, stream(a, NON_BLOCKING))
    assert pools.books(a, source)[0] == pools.CHUNK


entry.also("null", dptr=0)
for kind, args in pointers("dptr", "managed"):
    entry.also(kind, then=forgotten, **args)


@entry.also("after another")
def after_another(_: World, i: Invocation) -> None:
    freed(i.process)


@entry.also("from a thread without a context")
def bare_thread(_: World, i: Invocation) -> Invocation:
    return i.on_thread("bare")


@entry.also("in another context of the device")
def other_context(_: World, i: Invocation) -> None:
    i.process.ok.cuCtxCreate(None, 0, 0)


@entry.also("the importer has closed")
def closed(w: World, i: Invocation) -> None:
    b = w.process()
    b.ok.cuIpcCloseMemHandle(b.ok.cuIpcOpenMemHandle(i.process.ok.cuIpcGetMemHandle(i.args["dptr"]), 1))


@entry.also("the importer was killed")
def importer_killed(w: World, i: Invocation) -> None:
    b = w.process()
    b.ok.cuIpcOpenMemHandle(i.process.ok.cuIpcGetMemHandle(i.args["dptr"]), 1)
    b.kill()


test_mem_free = entry.test()
