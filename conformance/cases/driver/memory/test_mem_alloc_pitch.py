"""cuMemAllocPitch: allocate linear memory for aligned rows.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

ROW, ROWS = 512, 10
MIB = 1 << 20


def valid(w: World) -> Invocation:
    return w.process().call("cuMemAllocPitch", WidthInBytes=100, Height=ROWS, ElementSizeBytes=4)


def pitched(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the pitch, a multiple of 512 bytes, and the size of the range."""
    start, pitch = results
    assert pitch == -(-i.args["WidthInBytes"] // ROW) * ROW
    assert start % ROW == 0
    assert i.c.cuMemGetAddressRange(start) == (Result.SUCCESS, start, pitch * i.args["Height"])


entry = Entry("cuMemAllocPitch", valid, pitched)
entry.breaks("AREA_IS_POSITIVE", "width", WidthInBytes=0)
entry.breaks("AREA_IS_POSITIVE", "height", Height=0)
for element in (0, 1, 2, 3, 32):
    entry.breaks("ELEMENT_SIZE_IS_COALESCED", str(element), ElementSizeBytes=element)
entry.breaks("SIZE_IS_A_SIZE_T", WidthInBytes=1 << 63, Height=4)
entry.breaks("SIZE_IS_A_SIZE_T", "both are large", WidthInBytes=1 << 45, Height=1 << 45)
entry.breaks("SIZE_IS_A_SIZE_T", "many rows", WidthInBytes=1 << 31, Height=1 << 45)
entry.breaks("MEMORY_SUFFICES", "more than there are addresses", WidthInBytes=1 << 62, Height=7)
entry.also("what 64 bits keep of the product", WidthInBytes=(1 << 62) + 512, Height=4)
entry.breaks("SIZE_IS_A_SIZE_T", "by the padding of its rows", WidthInBytes=1, Height=1 << 55)
entry.breaks("MEMORY_SUFFICES", WidthInBytes=1 << 45)
entry.breaks("MEMORY_SUFFICES", "many rows", Height=1 << 45)
for null in ("dptr", "pPitch", "dptr pPitch"):
    entry.null(null, "RESULT_IS_GIVEN")

for element in (8, 16):
    entry.also(f"elements of {element} bytes", ElementSizeBytes=element, then=pitched)
for width in (1, 511, 512, 513, MIB, MIB + 1):
    entry.also(f"rows of {width} bytes", WidthInBytes=width, then=pitched)
entry.also("one row", Height=1, then=pitched)


@entry.also("it is linear memory")
def linear(_: World, i: Invocation) -> None:
    start, pitch = i.process.ok.cuMemAllocPitch(100, ROWS, 4)
    i.process.ok.cuMemsetD8(start, 1, pitch * ROWS)
    assert i.c.cuMemsetD8(start, 1, pitch * ROWS + 1) == (Result.INVALID_VALUE,)
    i.process.ok.cuIpcGetMemHandle(start)
    i.process.ok.cuMemFree(start)
    assert i.c.cuMemGetAddressRange(start) == (Result.NOT_FOUND, None, None)


@entry.also("it dies with its context")
def dies_with_its_context(_: World, i: Invocation) -> None:
    context = i.process.ok.cuCtxCreate(None, 0, 0)
    start, _pitch = i.process.ok.cuMemAllocPitch(MIB, 4, 4)
    i.process.ok.cuCtxDestroy(context)
    assert i.c.cuMemGetAddressRange(start) == (Result.NOT_FOUND, None, None)


test_mem_alloc_pitch = entry.test()
