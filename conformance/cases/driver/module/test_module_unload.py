"""cuModuleUnload: unload a module with its functions and variables.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import module, refuse_module
from conformance.kit.case import Entry
from conformance.kit.kernels import PTX

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuModuleUnload", hmod=module(a))


def gone(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    """Check that nothing of the module is left."""
    i.process.c.cuModuleGetFunction(i.args["hmod"], b"empty")


entry = Entry("cuModuleUnload", valid, gone)
refuse_module(entry)


@entry.world("MODULE_IS_ITS_OWN", "a library's", "hmod")
def of_a_library(_w: World, i: Invocation) -> Invocation:
    a = i.process
    library = a.ok.cuLibraryLoadData(PTX, None, None, 0, None, None, 0)
    return i.evolve(hmod=a.ok.cuLibraryGetModule(library))


@entry.after("its variables are gone")
def variables(_w: World, i: Invocation, _results: tuple[Plain, ...]) -> None:
    a = i.process
    other = module(a)
    place, _ = a.ok.cuModuleGetGlobal(other, b"counter")
    a.ok.cuMemGetAddressRange(place)
    a.c.cuMemFree(place)
    a.ok.cuModuleUnload(other)
    a.c.cuMemGetAddressRange(place)


test_module_unload = entry.test()
