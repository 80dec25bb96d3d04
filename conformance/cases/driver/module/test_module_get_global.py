"""cuModuleGetGlobal: the address of a module's variable.

https://docs.nvidia.com/cuda/cuda-driver-api/
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.module.fixtures import SHARED, module, refuse_module
from conformance.cases.driver.va.fixtures import content
from conformance.kit.case import Entry

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

IS_MANAGED = 8
"""CU_POINTER_ATTRIBUTE_IS_MANAGED."""


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuModuleGetGlobal", hmod=module(a), name=b"counter")


def begins(_w: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check the variable's initial value."""
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


@entry.also("managed and not")
def managed_or_not(_w: World, i: Invocation) -> Invocation:
    a = i.process
    code = module(a, SHARED + b".visible .global .u32 own = 4;\n")
    for name, managed in ((b"shared", 1), (b"own", 0)):
        place, _ = a.ok.cuModuleGetGlobal(code, name)
        assert a.ok.cuPointerGetAttribute(IS_MANAGED, place) == managed
    assert content(a, place) == (4).to_bytes(4, "little")
    return i.evolve(hmod=code, name=b"own")


test_module_get_global = entry.test()
