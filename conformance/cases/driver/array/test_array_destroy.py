"""cuArrayDestroy and cuMipmappedArrayDestroy.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.anywhere import anywhere
from conformance.cases.driver.array.fixtures import GARBAGE, array, gone, mipmapped
from conformance.kit.case import Entry
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World

flat = Entry("cuArrayDestroy", lambda w: (a := w.process()).call("cuArrayDestroy", hArray=array(a)))
levels = Entry(
    "cuMipmappedArrayDestroy",
    lambda w: (a := w.process()).call("cuMipmappedArrayDestroy", hMipmappedArray=mipmapped(a)),
)
for entry, name in ((flat, "hArray"), (levels, "hMipmappedArray")):
    entry.breaks("ARRAY_IS_GIVEN", **{name: 0})
    entry.undefined("ARRAY_IS_KNOWN", code=Result.INVALID_HANDLE, **{name: GARBAGE})
    anywhere(entry)
flat.undefined("ARRAY_IS_LIVE", code=Result.CONTEXT_IS_DESTROYED, hArray=lambda i: gone(i.process))


@levels.undefined("ARRAY_IS_LIVE", code=Result.CONTEXT_IS_DESTROYED)
def twice(_: World, i: Invocation) -> Invocation:
    i.run()
    return i


@flat.also("a level alone")
def level(_: World, i: Invocation) -> Invocation:
    return i.evolve(hArray=i.process.ok.cuMipmappedArrayGetLevel(mipmapped(i.process), 1))


@levels.also("with its levels")
def whole(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuMipmappedArrayGetLevel(i.args["hMipmappedArray"], 1)
    return i


@flat.also("without a context")
def alone(_: World, i: Invocation) -> Invocation:
    i.process.ok.cuCtxPopCurrent()
    return i


test_array_destroy = flat.test()
test_mipmapped_array_destroy = levels.test()
