"""cuMemRetainAllocationHandle: retain the handle of a mapped address.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.va.fixtures import NOWHERE, half_mapped, prop
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemRetainAllocationHandle", addr=half_mapped(a))


def counted(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that there are exactly two references."""
    answers = [i.c.cuMemRelease(results[0]) for _round in range(3)]
    assert answers == [(Result.SUCCESS,), (Result.SUCCESS,), (Result.INVALID_VALUE,)]


entry = Entry("cuMemRetainAllocationHandle", valid, counted)
entry.null("handle", "RESULT_IS_GIVEN")
entry.breaks("POINTER_IS_MAPPED", addr=NOWHERE)
entry.breaks("POINTER_IS_MAPPED", "null", addr=0)
entry.breaks("POINTER_IS_MAPPED", "reserved", addr=lambda i: i.args["addr"] + GRANULE)
entry.breaks("POINTER_IS_MAPPED", "allocated", addr=lambda i: i.process.ok.cuMemAlloc(4096))

entry.also("inside", addr=lambda i: i.args["addr"] + 5, then=counted)


@entry.world("POINTER_IS_MAPPED", "unmapped")
def unmapped(_: World, i: Invocation) -> None:
    i.process.ok.cuMemUnmap(i.args["addr"], GRANULE)


@entry.also("the value that it was mapped with")
def same_value(_: World, i: Invocation) -> None:
    a = i.process
    handle = a.ok.cuMemCreate(GRANULE, prop(), 0)
    ptr = a.ok.cuMemAddressReserve(GRANULE, 0, 0, 0)
    a.ok.cuMemMap(ptr, GRANULE, 0, handle, 0)
    assert a.ok.cuMemRetainAllocationHandle(ptr) == handle


@entry.also("after its release")
def after_release(_: World, i: Invocation) -> None:
    """Check that a mapping keeps the handle, which is valid again with its properties."""
    a = i.process
    handle = a.ok.cuMemRetainAllocationHandle(i.args["addr"])
    a.ok.cuMemRelease(handle)
    a.ok.cuMemRelease(handle)
    assert a.ok.cuMemRetainAllocationHandle(i.args["addr"]) == handle
    assert a.ok.cuMemGetAllocationPropertiesFromHandle(handle) == prop()


test_mem_retain_allocation_handle = entry.test()
