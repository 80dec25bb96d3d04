"""cuMemGetAddressRange: https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MEM.html"""

from __future__ import annotations

from conformance.case import Entry, Invocation, World
from conformance.va.parts import NOWHERE, G, alloc, freed, imported, mapped


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemGetAddressRange", dptr=alloc(a) + 100)


entry = Entry("cuMemGetAddressRange", valid)
entry.breaks("POINTER_IS_IN_AN_ALLOCATION", dptr=NOWHERE)
entry.breaks("POINTER_IS_IN_AN_ALLOCATION", "null", dptr=0)
entry.breaks("POINTER_IS_IN_AN_ALLOCATION", "just behind", dptr=lambda i: i.args["dptr"] - 100 + 4096)
entry.breaks("POINTER_IS_IN_AN_ALLOCATION", "freed", dptr=lambda i: freed(i.process))
entry.breaks("POINTER_IS_IN_AN_ALLOCATION", "reserved", dptr=lambda i: mapped(i.process)[0] + G)
entry.null("pbase", None)
entry.null("psize", None)
entry.null("pbase psize", None)


@entry.also("base and size are those of the allocation")
def as_allocated(_w: World, i: Invocation) -> None:
    assert i.process.c.cuMemGetAddressRange(i.args["dptr"]) == (0, i.args["dptr"] - 100, 4096)


@entry.also("a mapping, not its reservation")
def mapping(_w: World, i: Invocation) -> None:
    ptr, _ = mapped(i.process)
    assert i.process.c.cuMemGetAddressRange(ptr + 5) == (0, ptr, G)


@entry.also("what another process allocated")
def opened(w: World, i: Invocation) -> None:
    ptr, _ = imported(i.process, w.process(), 100)
    assert i.process.c.cuMemGetAddressRange(ptr + 5) == (0, ptr, 100)


@entry.also("nothing is asked, so nothing is checked")
def nothing_asked(w: World, _i: Invocation) -> None:
    assert w.process(init=False).c.cuMemGetAddressRange(NOWHERE, null="pbase psize") == (0, None, None)


test_mem_get_address_range = entry.test()
