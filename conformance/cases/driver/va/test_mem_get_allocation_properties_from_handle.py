"""cuMemGetAllocationPropertiesFromHandle: the properties of an allocation handle.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.multicast.fixtures import team
from conformance.cases.driver.va.fixtures import HOST_NUMA, half_mapped, prop, released
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, POSIX
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemGetAllocationPropertiesFromHandle", handle=a.ok.cuMemCreate(GRANULE, prop(), 0))


def as_created(_: World, __: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (prop(),)


entry = Entry("cuMemGetAllocationPropertiesFromHandle", valid, as_created)
entry.null("prop", "RESULT_IS_GIVEN")
entry.breaks("HANDLE_IS_GIVEN", handle=0)
entry.undefined("HANDLE_WAS_NOT_RELEASED", code=Result.SUCCESS, handle=lambda i: released(i.process))
entry.undefined("HANDLE_IS_HELD", code=Result.INVALID_VALUE, handle=1 << 40)

for label, asked in {
    "no handle types": prop(handle_types=0),
    "for GPUDirect RDMA": prop(capabilities=(0, 1, 0)),
    "compressible": prop(capabilities=(1, 0, 0)),
    "a usage without a name": prop(capabilities=(0, 0, 0x80)),
    "a handle type without a name": prop(handle_types=16),
    "on a NUMA node": prop(location=(HOST_NUMA, 0)),
}.items():
    entry.also(label, handle=lambda i, asked=asked: i.process.ok.cuMemCreate(GRANULE, asked, 0))


@entry.undefined("HANDLE_IS_MEMORY", code=Result.INVALID_VALUE)
def multicast(w: World, i: Invocation) -> Invocation:
    return i.evolve(handle=team(w, i.process))


entry.also(
    "by the handle behind an address",
    then=as_created,
    handle=lambda i: i.process.ok.cuMemRetainAllocationHandle(half_mapped(i.process)),
)


@entry.also("of imported memory")
def imported(w: World, i: Invocation) -> Invocation:
    """Pass an import, which has no handle types as it cannot be exported."""
    b = w.process()
    descriptor = b.ok.cuMemExportToShareableHandle(b.ok.cuMemCreate(GRANULE, prop(), 0), POSIX, 0)
    handle = i.process.ok.cuMemImportFromShareableHandle(descriptor, POSIX)
    assert i.process.ok.cuMemGetAllocationPropertiesFromHandle(handle) == prop(handle_types=0)
    return i.evolve(handle=handle)


test_mem_get_allocation_properties_from_handle = entry.test()
