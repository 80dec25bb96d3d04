"""cuMemGetAccess: the access of a location to a mapping.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__VA.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.va.fixtures import HOST, HOST_NUMA, HOST_NUMA_CURRENT, NOWHERE, READ, half_mapped
from conformance.kit.case import Entry
from conformance.kit.world import DEVICE, GRANULE, READ_WRITE

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World


def valid(w: World) -> Invocation:
    a = w.process()
    return a.call("cuMemGetAccess", location=(DEVICE, 0), ptr=half_mapped(a))


def all_access(_: World, __: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (READ_WRITE,)


def no_access(_: World, __: Invocation, results: tuple[Plain, ...]) -> None:
    assert results == (0,)


entry = Entry("cuMemGetAccess", valid, all_access)
entry.null("flags", "RESULT_IS_GIVEN")
entry.breaks("LOCATION_IS_GIVEN", location=None)
entry.breaks("POINTER_IS_GIVEN", ptr=0)
for kind in (0, HOST_NUMA_CURRENT, 9):
    entry.breaks("LOCATION_IS_KNOWN", f"location {kind}", location=(kind, 0))
entry.breaks("LOCATION_IS_KNOWN", "a device beyond the last", location=(DEVICE, 99))
entry.breaks("LOCATION_IS_KNOWN", "a negative device", location=(DEVICE, -1))
entry.breaks("POINTER_IS_MAPPED", ptr=NOWHERE)
entry.breaks("POINTER_IS_MAPPED", "reserved", ptr=lambda i: i.args["ptr"] + GRANULE)

entry.also("inside", ptr=lambda i: i.args["ptr"] + 5, then=all_access)
entry.also("before any was set", ptr=lambda i: half_mapped(i.process, 0), then=no_access)
entry.also("of linear memory", ptr=lambda i: i.process.ok.cuMemAlloc(4096), then=no_access)
entry.also("of the host", location=(HOST, 0))
entry.also("of a NUMA node", location=(HOST_NUMA, 0))


@entry.also("as it was set last")
def set_last(_: World, i: Invocation) -> None:
    a = i.process
    for flags in (READ, 0, READ_WRITE, READ):
        a.ok.cuMemSetAccess(i.args["ptr"], GRANULE, (((DEVICE, 0), flags),), 1)
        assert a.ok.cuMemGetAccess((DEVICE, 0), i.args["ptr"]) == flags


@entry.also("of a device that was not named", then=no_access)
def another_device(w: World, i: Invocation) -> Invocation:
    w.needs_devices(2)
    return i.evolve(location=(DEVICE, 1))


@entry.world("POINTER_IS_MAPPED", "unmapped")
def unmapped(_: World, i: Invocation) -> None:
    i.process.ok.cuMemUnmap(i.args["ptr"], GRANULE)


test_mem_get_access = entry.test()
