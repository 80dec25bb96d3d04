"""Descriptors of arrays.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.anywhere import anywhere
from conformance.cases.driver.array.fixtures import ROW, ROWS, UINT8, array, mipmapped, refuse, solid
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def two(_: World, __: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == ((ROW, ROWS, UINT8, 1),)


def three(_: World, __: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == ((ROW, ROWS, 4, UINT8, 1, 0),)


flat = Entry("cuArrayGetDescriptor", lambda w: (a := w.process()).call("cuArrayGetDescriptor", hArray=array(a)), two)
deep = Entry(
    "cuArray3DGetDescriptor", lambda w: (a := w.process()).call("cuArray3DGetDescriptor", hArray=solid(a)), three
)
level = Entry(
    "cuMipmappedArrayGetLevel",
    lambda w: (a := w.process()).call("cuMipmappedArrayGetLevel", hMipmappedArray=mipmapped(a), level=1),
)
flat.null("pArrayDescriptor", "RESULT_IS_GIVEN")
deep.null("pArrayDescriptor", "RESULT_IS_GIVEN")
level.null("pLevelArray", "RESULT_IS_GIVEN")
for entry in (flat, deep, level):
    anywhere(entry)
    entry.without("not_initialized")  # to such a process the array is garbage, which the driver follows
flat.also("of three dimensions", hArray=lambda i: solid(i.process))
for entry in (flat, deep):
    refuse(entry, "hArray")


@deep.also("of two dimensions")
def shallow(_: World, i: Invocation) -> None:
    assert i.c.cuArray3DGetDescriptor(array(i.process)) == (0, (ROW, ROWS, 0, UINT8, 1, 0))


level.breaks("ARRAY_IS_GIVEN", hMipmappedArray=0)
level.undefined("ARRAY_IS_KNOWN", code=Result.INVALID_HANDLE, hMipmappedArray=lambda i: array(i.process))
level.breaks("LEVEL_IS_THERE", level=3)


@level.undefined("ARRAY_IS_LIVE", code=Result.CONTEXT_IS_DESTROYED)
def ended(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuMipmappedArrayDestroy(i.args["hMipmappedArray"])
    return i


@level.after("it is the same each time")
def same(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    assert i.run() == (0, *results)


test_array_get_descriptor = flat.test()
test_array3d_get_descriptor = deep.test()
test_mipmapped_array_get_level = level.test()
