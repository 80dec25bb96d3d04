"""cuLibraryUnload: unload a library.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.library.fixtures import library, refuse_library
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    handle = library(a)
    a.ok.cuLibraryGetModule(handle)
    return a.call("cuLibraryUnload", library=handle)


entry = Entry("cuLibraryUnload", valid)
refuse_library(entry)


@entry.also("its variables are gone")
def variables(_w: World, i: Invocation) -> None:
    a = i.process
    other = library(a)
    place, _ = a.ok.cuLibraryGetGlobal(other, b"counter")
    function = a.ok.cuKernelGetFunction(a.ok.cuLibraryGetKernel(other, b"empty"))
    a.ok.cuLibraryUnload(other)
    a.c.cuMemGetAddressRange(place)
    a.c.cuFuncGetAttribute(0, function)


test_library_unload = entry.test()
