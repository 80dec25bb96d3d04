"""cuMemAlloc: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html"""

from __future__ import annotations

from conformance.case import Entry, Invocation, World
from conformance.va.parts import alloc, freed
from fakecuda.codes import Result

MIB = 1 << 20


def valid(w: World) -> Invocation:
    return w.process().call("cuMemAlloc", bytesize=4096)


entry = Entry("cuMemAlloc", valid)
entry.breaks("SIZE_IS_POSITIVE", bytesize=0)
entry.breaks("MEMORY_SUFFICES", bytesize=1 << 40)
entry.null("dptr", "RESULT_IS_GIVEN")

entry.also("a byte", bytesize=1)
entry.also("more than the address space", code=Result.OUT_OF_MEMORY, bytesize=(1 << 64) - 1)


@entry.also("suitably aligned")
def aligned(_w: World, i: Invocation) -> None:
    assert [alloc(i.process, size) % 512 for size in (1, 1, 512, 513, MIB)] == [0] * 5


@entry.also("memory above 1 MiB starts at 2 MiB")
def large(_w: World, i: Invocation) -> None:
    assert [alloc(i.process, size) % (2 * MIB) for size in (MIB + 1, 2 * MIB, 2 * MIB + 1)] == [0] * 3


@entry.also("the range is as long as requested")
def as_requested(_w: World, i: Invocation) -> None:
    sizes = (1, 513, MIB + 1)
    assert [i.process.c.cuMemGetAddressRange(alloc(i.process, size))[2] for size in sizes] == list(sizes)


@entry.also("a freed address is given out again")
def reused(_w: World, i: Invocation) -> Invocation:
    freed(i.process)
    return i


@entry.also("it dies with its context")
def dies_with_context(_w: World, i: Invocation) -> None:
    c = i.process.c
    _, context = c.cuCtxCreate(None, 0, 0)
    ptr = alloc(i.process, 4 * MIB)
    c.cuCtxDestroy(context)
    assert c.cuMemGetAddressRange(ptr)[0] == Result.NOT_FOUND


@entry.also("another context of the device may use it")
def other_context(_w: World, i: Invocation) -> None:
    c = i.process.c
    c.cuCtxCreate(None, 0, 0)
    ptr = alloc(i.process)
    c.cuCtxPopCurrent()
    assert c.cuMemsetD8(ptr, 1, 16) == (Result.SUCCESS,)


@entry.also("a card that is full")
def exhausted(_w: World, i: Invocation) -> None:
    c = i.process.c
    _, most = c.cuMemAlloc(100 << 30)
    assert c.cuMemAlloc(100 << 30)[0] == Result.OUT_OF_MEMORY
    c.cuMemFree(most)


test_mem_alloc = entry.test()
