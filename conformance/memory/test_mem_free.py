"""cuMemFree: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html"""

from __future__ import annotations

from conformance.case import Entry, Invocation, World
from conformance.va.parts import NOWHERE, alloc, freed, imported, mapped, reserve, shared
from fakecuda.codes import Result


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemFree", dptr=alloc(a))


entry = Entry("cuMemFree", valid)
entry.breaks("POINTER_IS_A_BASE", dptr=lambda i: i.args["dptr"] + 512)
entry.breaks("POINTER_IS_A_BASE", "nowhere", dptr=NOWHERE)
entry.breaks("POINTER_IS_A_BASE", "freed", dptr=lambda i: freed(i.process))
entry.breaks("POINTER_IS_A_BASE", "reserved", dptr=lambda i: reserve(i.process))
entry.breaks("POINTER_IS_A_BASE", "mapped", dptr=lambda i: mapped(i.process)[0])


@entry.world("POINTER_IS_A_BASE")
def opened(w: World, i: Invocation) -> Invocation:
    """What cuIpcOpenMemHandle returned is for cuIpcCloseMemHandle."""
    return i.evolve(dptr=imported(i.process, w.process())[0])


@entry.world("NO_IMPORTER_IS_OPEN")
def open_elsewhere(w: World, i: Invocation) -> None:
    b = w.process()
    b.c.cuIpcOpenMemHandle(shared(i.process, i.args["dptr"]), 1)


entry.also("null is freed", dptr=0)


@entry.also("without a context of the thread")
def other_thread(_w: World, i: Invocation) -> Invocation:
    return i.on_thread("bare")


@entry.also("in another context")
def other_context(_w: World, i: Invocation) -> Invocation:
    i.process.c.cuCtxCreate(None, 0, 0)
    return i


@entry.also("the pointer is no memory afterwards")
def forgotten(_w: World, i: Invocation) -> None:
    c, dptr = i.process.c, i.args["dptr"]
    c.cuMemFree(dptr)
    assert c.cuMemGetAddressRange(dptr)[0] == Result.NOT_FOUND


@entry.also("importers have closed")
def closed(w: World, i: Invocation) -> Invocation:
    b = w.process()
    _, dptr = b.c.cuIpcOpenMemHandle(shared(i.process, i.args["dptr"]), 1)
    b.c.cuIpcCloseMemHandle(dptr)
    return i


test_mem_free = entry.test()
