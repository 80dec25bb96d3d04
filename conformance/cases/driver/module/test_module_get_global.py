"""cuModuleGetGlobal: where a variable of a module lies.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import module, refuse_module
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuModuleGetGlobal", hmod=module(a), name=b"counter")


def begins(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """It holds what the image says."""
    a, (place, _size) = i.process, results
    value = bytearray(4)
    a.ok.cuMemcpyDtoH(value, place, 4)
    a.ok.cuMemGetAddressRange(place)


entry = Entry("cuModuleGetGlobal", valid, begins)
entry.null("dptr bytes", "RESULT_IS_GIVEN")
entry.null("dptr", None)
entry.null("bytes", None)
refuse_module(entry)
entry.breaks("NAME_IS_GIVEN", name=None)
entry.breaks("VARIABLE_IS_IN_THE_MODULE", name=b"none")
entry.breaks("VARIABLE_IS_NO_KERNEL", name=b"store")
entry.also("an array", name=b"table")
test_module_get_global = entry.test()
