"""Allocation handles of HIP: memory without an address, which can be exported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from conformance.cases.hip.fixtures import (
    ALL,
    HUGE,
    NEW,
    NOWHERE,
    OLD,
    POSIX,
    UNKNOWN,
    G,
    entries,
    exported,
    given,
    handle,
    holds,
    mapped,
    memory,
    new,
    open_to,
    prop,
    put,
    reserved,
    unmapped,
    usable,
)
from conformance.kit.case import suite
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from conformance.kit.program import Plain
    from conformance.kit.world import Invocation, Process, World

FABRIC = 8


def imported(a: Process) -> int:
    """Return an imported handle."""
    made: int = a.ok.hipMemImportFromShareableHandle(exported(a), POSIX)
    return made


def released(a: Process) -> int:
    """Return a released handle of mapped memory."""
    address, made = reserved(a), handle(a)
    a.ok.hipMemMap(address, G, 0, made, 0)
    a.ok.hipMemRelease(made)
    return made


every = entries(
    {
        "hipMemCreate": lambda _: (G, prop(), 0),
        "hipMemExportToShareableHandle": lambda a: (handle(a), POSIX, 0),
        "hipMemGetAllocationGranularity": lambda _: (prop(), 0),
        "hipMemGetAllocationPropertiesFromHandle": lambda a: (handle(a),),
        "hipMemImportFromShareableHandle": lambda a: (exported(a), POSIX),
        "hipMemRelease": lambda a: (handle(a),),
        "hipMemRetainAllocationHandle": lambda a: (mapped(a),),
    }
)
create = every["hipMemCreate"]
create.breaks("PROPERTIES_MAKE_SENSE", prop=None)
create.breaks("PROPERTIES_MAKE_SENSE", "no bytes", size=0)
create.breaks("PROPERTIES_MAKE_SENSE", "no kind", prop=prop(kind=0))
create.breaks("PROPERTIES_MAKE_SENSE", "no location", prop=prop(where=0))
create.breaks("handle.DEVICE_IS_THERE", prop=prop(number=2))
create.breaks("handle.DEVICE_IS_THERE", "negative", prop=prop(number=-1))
create.breaks("HANDLE_TYPE_IS_SUPPORTED", prop=prop(handles=9))
create.breaks("HANDLE_TYPE_IS_SUPPORTED", "of Windows", prop=prop(handles=2))
create.breaks("NODE_IS_THERE", prop=prop(where=3, number=1))
create.breaks("PAGES_ARE_WHOLE", size=G + 2048)
create.breaks("SIZE_IS_ALIGNED", size=G + 1)
create.breaks("SIZE_IS_ALIGNED", "a byte less", size=G - 1)
create.only(NEW, "NODE_IS_THERE")
create.also("uncached", prop=prop(kind=0x40000000, handles=0))
create.only(NEW, "uncached")
for label, size in {"": HUGE, "of a petabyte": 1 << 50, "all": ALL}.items():
    create.breaks("MEMORY_SUFFICES", label, size=size)

export = every["hipMemExportToShareableHandle"]
export.breaks("FLAGS_ARE_ZERO", flags=1)
export.breaks("TYPE_WAS_REQUESTED", handle=new(handle, handles=0))
export.breaks("TYPE_WAS_REQUESTED", "none", handleType=0)
export.breaks("TYPE_WAS_REQUESTED", "of Windows", handleType=2)
export.breaks("MEMORY_IS_ITS_OWN", handle=new(imported))
export.breaks("FABRIC_IS_THERE", handle=new(handle, handles=FABRIC), handleType=FABRIC)
export.only(NEW, "FABRIC_IS_THERE")

ask = every["hipMemGetAllocationGranularity"]
ask.breaks("ARGUMENTS_MAKE_SENSE", option=9)
ask.breaks("ARGUMENTS_MAKE_SENSE", "the next option", option=2)
for label, wrong in {"null": None, "kind": prop(kind=0), "location": prop(where=0)}.items():
    ask.breaks("ARGUMENTS_MAKE_SENSE", label, prop=wrong)
for number in (-1, 2):
    ask.breaks("ARGUMENTS_MAKE_SENSE", f"device {number}", prop=prop(number=number))

every["hipMemImportFromShareableHandle"].breaks("HANDLE_IS_EXPORTED_MEMORY", osHandle=0)
every["hipMemRelease"].breaks("HANDLE_IS_HELD", handle=UNKNOWN)
every["hipMemRelease"].breaks("HANDLE_IS_HELD", "mapped", handle=new(released))

retain = every["hipMemRetainAllocationHandle"]
retain.breaks("POINTER_IS_MAPPED", addr=NOWHERE)
retain.breaks("POINTER_IS_MAPPED", "null", addr=0)
retain.breaks("POINTER_IS_MAPPED", "reserved", addr=new(reserved))
retain.breaks("POINTER_IS_MAPPED", "unmapped", addr=new(unmapped))
retain.breaks("MEMORY_IS_MAPPED", addr=new(memory))
retain.only(OLD, "MEMORY_IS_MAPPED")


@create.after("multiples of the granularity")
def multiples(_w: World, i: Invocation, _r: tuple[int]) -> None:
    for number in range(1, 6):
        i.process.ok.hipMemRelease(handle(i.process, number * G))


@ask.after("powers of two")
def granularities(_w: World, i: Invocation, _r: tuple[int]) -> None:
    for option in (0, 1):
        for number in (0, 1):
            assert i.process.ok.hipMemGetAllocationGranularity(prop(number=number), option).bit_count() == 1


@every["hipMemGetAllocationPropertiesFromHandle"].after("as it was made")
def properties(_w: World, i: Invocation, _r: tuple[Plain]) -> None:
    found = i.process.ok.hipMemGetAllocationPropertiesFromHandle(handle(i.process, number=1))
    assert found == prop(number=1)


@retain.after("the handle that was mapped")
def retained(_w: World, i: Invocation, _r: tuple[int]) -> None:
    made = handle(i.process)
    address = open_to(i.process, 0, reserved(i.process), made)
    assert i.process.ok.hipMemRetainAllocationHandle(address) == made


@every["hipMemImportFromShareableHandle"].after("in another process")
def shared(w: World, i: Invocation, _r: tuple[int]) -> None:
    """Check that the memory has the exporter's bytes."""
    a, b = i.process, w.process_of(i.call)
    address = usable(a)
    put(a, address, 7)
    descriptor = a.ok.hipMemExportToShareableHandle(a.ok.hipMemRetainAllocationHandle(address), POSIX, 0)
    theirs = b.ok.hipMemImportFromShareableHandle(given(b, descriptor), POSIX)
    assert holds(b, open_to(b, 0, reserved(b), theirs), 7)


@every["hipMemImportFromShareableHandle"].also("without a place, any number", code=Result.INVALID_VALUE)
def placeless(_w: World, i: Invocation) -> Invocation:
    return attrs.evolve(i.evolve(osHandle=3), null="handle")


test_handle = suite(*every.values())
