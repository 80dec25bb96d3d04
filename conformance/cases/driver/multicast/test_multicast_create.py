"""cuMulticastCreate: create one address for the memory of several devices.

https://docs.nvidia.com/cuda/cuda-driver-api/group__CUDA__MULTICAST.html
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.cases.driver.multicast.fixtures import (
    SIZE,
    bound,
    check_described,
    described,
    empty,
    holds,
    mapped,
    memory,
    team,
)
from conformance.cases.driver.va.fixtures import on_model
from conformance.kit.case import Entry
from conformance.kit.world import GRANULE, POSIX, access
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, World

WIN32, KMT, FABRIC, UNKNOWN = 2, 4, 8, 16


def valid(w: World) -> Invocation:
    w.needs_multicast()
    return w.process().call("cuMulticastCreate", prop=described())


def usable(_: World, i: Invocation, results: tuple[Plain, ...]) -> None:
    """Check that devices can be added, one reference exists, and no memory is used."""
    a, (handle,) = i.process, results
    a.ok.cuMulticastAddDevice(handle, 0)
    a.ok.cuMemRelease(handle)


entry = Entry("cuMulticastCreate", valid, usable)
entry.null("mcHandle", "RESULT_IS_GIVEN")
entry.breaks("PROPERTIES_ARE_GIVEN", prop=None)
entry.breaks("FLAGS_ARE_ZERO", prop=described(flags=1))
entry.breaks("DEVICES_ARE_COUNTED", prop=described(0))
for label, size in {"nothing": 0, "a byte more": SIZE + 1, "half a granule": GRANULE // 2}.items():
    entry.breaks("SIZE_IS_ALIGNED", label, prop=described(size=size))
for label, types in {"win32": WIN32, "kmt": KMT, "and another": POSIX | WIN32}.items():
    entry.breaks("HANDLE_TYPES_ARE_SUPPORTED", label, prop=described(handle_types=types))
entry.breaks("FABRIC_IS_PERMITTED", prop=described(handle_types=FABRIC))
entry.breaks("DEVICES_SUFFICE", prop=described(99))
entry.also("for one device", prop=described(1), then=usable)
entry.also("that is not shared", prop=described(handle_types=0), then=usable)
entry.also("of one granule", prop=described(size=GRANULE), then=usable)


@entry.also("it takes no memory of a device")
def no_memory(_: World, i: Invocation) -> None:
    before = i.process.ok.cuMemGetInfo()
    i.process.ok.cuMulticastCreate(described())
    assert i.process.ok.cuMemGetInfo() == before


@entry.also("it is exported as what was asked for")
def exported(_: World, i: Invocation) -> None:
    a = i.process
    a.ok.cuMemExportToShareableHandle(a.ok.cuMulticastCreate(described()), POSIX, 0)
    private = a.ok.cuMulticastCreate(described(handle_types=0))
    assert a.c.cuMemExportToShareableHandle(private, POSIX, 0) == (Result.INVALID_VALUE, None)


@entry.also("another process joins the team")
def shared(w: World, i: Invocation) -> None:
    a, b = i.process, w.process(1)
    theirs = empty(w, a)
    ours = b.ok.cuMemImportFromShareableHandle(a.ok.cuMemExportToShareableHandle(theirs, POSIX, 0), POSIX)
    a.ok.cuMulticastAddDevice(theirs, 0)
    b.ok.cuMulticastAddDevice(ours, 1)
    places = [(process, memory(process, device)) for device, process in enumerate((a, b))]
    for (process, handle), object_ in zip(places, (theirs, ours), strict=True):
        process.ok.cuMulticastBindMem(object_, 0, handle, 0, SIZE, 0)
    spots = [(process, mapped(process, handle)) for process, handle in places]
    a.ok.cuMemsetD8(mapped(a, theirs), 5, SIZE)
    a.ok.cuCtxSynchronize()
    for process, spot in spots:
        holds(process, [spot], b"\5" * 4)


@entry.also("it lives as long as a mapping of it")
def kept(w: World, i: Invocation) -> None:
    a = i.process
    ptr, places = bound(w, a)
    handle = a.ok.cuMemRetainAllocationHandle(ptr)
    a.ok.cuMemRelease(handle)
    a.ok.cuMemRelease(handle)
    a.ok.cuMemsetD8(ptr, 6, SIZE)
    holds(a, places, b"\6" * 4)
    a.ok.cuMemUnmap(ptr, SIZE)
    assert a.c.cuMemSetAccess(ptr, SIZE, (access(),), 1)[0] == Result.INVALID_VALUE


@entry.also("it keeps memory whose handle is released")
def keeps_memory(w: World, i: Invocation) -> None:
    a = i.process
    object_ = team(w, a, 1)
    handle = memory(a)
    a.ok.cuMulticastBindMem(object_, 0, handle, 0, SIZE, 0)
    free = a.ok.cuMemGetInfo()[0]
    a.ok.cuMemRelease(handle)
    assert a.ok.cuMemGetInfo()[0] == free
    a.ok.cuMemRelease(object_)
    assert a.ok.cuMemGetInfo()[0] == free + SIZE


test_multicast_create = entry.test()


def test_resources_suffice() -> None:
    """Released objects make room, also after the last descriptor is closed."""
    check_described(entry, "RESOURCES_SUFFICE", Result.OUT_OF_MEMORY, memory=SIZE - 1)

    def used_up(_: World, i: Invocation) -> None:
        a = i.process
        for _round in range(2):
            a.ok.cuMemRelease(a.ok.cuMulticastCreate(described()))
        a.ok.cuMulticastCreate(described(size=GRANULE))

    check_described(entry, "RESOURCES_SUFFICE", Result.OUT_OF_MEMORY, used_up, memory=SIZE)


def test_room_is_made_by_closing_a_descriptor() -> None:
    """A closed descriptor makes room for the next object without notice."""

    def closed(w: World, i: Invocation) -> Invocation:
        a = i.process
        handle = a.ok.cuMulticastCreate(described())
        descriptor = a.ok.cuMemExportToShareableHandle(handle, POSIX, 0)
        a.ok.cuMemRelease(handle)
        assert a.c.cuMulticastCreate(described())[0] == Result.OUT_OF_MEMORY
        w.close_descriptor(descriptor)
        a.ok.cuMulticastCreate(described())
        return i

    check_described(entry, "RESOURCES_SUFFICE", Result.OUT_OF_MEMORY, closed, memory=SIZE)


def test_fabric_handles_bring_devices_of_other_machines() -> None:
    """With an IMEX channel, a team may have more devices than the machine."""

    def wide(_: World, i: Invocation) -> Invocation:
        i.process.ok.cuMulticastCreate(described(99, handle_types=FABRIC))
        i.process.ok.cuMulticastCreate(described(handle_types=FABRIC | UNKNOWN))
        return i.evolve(prop=described(99))

    on_model(entry, "DEVICES_SUFFICE", Result.INVALID_DEVICE, wide, fabric=True)
