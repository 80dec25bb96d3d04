"""cuMemGetAddressRange: the allocation that holds a pointer.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.memory.fixtures import PAGE, memory
from conformance.cases.driver.va.fixtures import NOWHERE, freed, half_mapped, imported
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

SIZE, INSIDE = 4096, 100


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemGetAddressRange", dptr=a.ok.cuMemAlloc(SIZE) + INSIDE)


def as_allocated(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (i.args["dptr"] - INSIDE, SIZE)


entry = Entry("cuMemGetAddressRange", valid, as_allocated)
entry.breaks("POINTER_IS_IN_AN_ALLOCATION", dptr=NOWHERE)
entry.breaks("POINTER_IS_IN_AN_ALLOCATION", "null", dptr=0)
entry.breaks("POINTER_IS_IN_AN_ALLOCATION", "just behind", dptr=lambda i: i.args["dptr"] - INSIDE + SIZE)
entry.breaks("POINTER_IS_IN_AN_ALLOCATION", "freed", dptr=lambda i: freed(i.process))
entry.breaks("POINTER_IS_IN_AN_ALLOCATION", "reserved", dptr=lambda i: half_mapped(i.process) + GRANULE)
entry.breaks("MEMORY_IS_ACCESSIBLE", dptr=lambda i: half_mapped(i.process, 0))
entry.null("pbase", None)
entry.null("psize", None)
entry.null("pbase psize", None)


@entry.world("MEMORY_IS_ACCESSIBLE", "of another device")
def another_device(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    i.process.ok.cuCtxCreate(None, 0, 1)


@entry.also("a mapping, not its reservation")
def mapping(_: World, i: Invocation) -> None:
    ptr = half_mapped(i.process)
    assert i.c.cuMemGetAddressRange(ptr + 5) == (Result.SUCCESS, ptr, GRANULE)


@entry.also("page-locked, registered and managed memory")
def of_the_host(_: World, i: Invocation) -> None:
    for kind in ("pinned", "registered", "managed"):
        ptr = memory(i.process, kind)
        assert i.c.cuMemGetAddressRange(ptr + INSIDE) == (Result.SUCCESS, ptr, PAGE)
        assert i.c.cuMemGetAddressRange(ptr + PAGE)[0] == Result.NOT_FOUND


@entry.also("they are accessible in every context")
def in_every_context(w: World, i: Invocation) -> None:
    w.needs_devices(2)
    a = i.process
    pointers = [memory(a, kind) for kind in ("pinned", "registered", "managed")]
    a.ok.cuCtxCreate(None, 0, 1)
    for ptr in pointers:
        assert a.c.cuMemGetAddressRange(ptr) == (Result.SUCCESS, ptr, PAGE)
    a.ok.cuCtxPopCurrent()


@entry.also("memory of another process")
def opened(w: World, i: Invocation) -> None:
    ptr, _ = imported(i.process, w.process(), 100)
    assert i.c.cuMemGetAddressRange(ptr + 5) == (Result.SUCCESS, ptr, 100)


@entry.also("nothing asked of a process that is not initialised")
def nothing_asked(w: World, _: Invocation) -> None:
    bare = w.process(init=False, context=False)
    assert bare.c.cuMemGetAddressRange(NOWHERE, null="pbase psize") == (Result.SUCCESS, None, None)


test_mem_get_address_range = entry.test()
