"""What HIP's processes share, and what its virtual memory and its pools do, where clr of one year differs from another's."""

from __future__ import annotations

import ctypes
import os
from typing import Any

import attrs
import pytest

import fakecuda
from fakecuda.profiles import load
from tests.rules.hip_world import CODES, DEVICE, INVALID, NEW, NOT_SUPPORTED, OLD, POINTER, SIZE, got, on

BOTH = pytest.mark.parametrize("profile", [OLD, NEW])
MEMORY, UNKNOWN = CODES["hipErrorOutOfMemory"], CODES["hipErrorUnknown"]
DESCRIPTOR, FABRIC = 1, 8
ON_DEVICE, ON_HOST, ON_NODE, ON_THIS_NODE = 1, 2, 3, 4
READ_WRITE = 3
ORDINAL = 9
"""HIP_POINTER_ATTRIBUTE_DEVICE_ORDINAL."""
G = 2 << 20


def prop(location: tuple[int, int] = (ON_DEVICE, 0), handles: int = DESCRIPTOR, kind: int = 1) -> Any:
    """Return a hipMemAllocationProp."""
    return kind, handles, location, 0, (0, 0, 0)


def three(c: Any, ptr: int) -> bytes:
    """Return the first three bytes at an address."""
    place = ctypes.create_string_buffer(3)
    got(c, "hipMemcpy", ctypes.addressof(place), ptr, 3, 4)
    return place.raw


def pair(profile: str) -> Any:
    """Return a lax machine, whose first processes are exporter and importer."""
    return fakecuda.Machine(profile, strict=False)


@BOTH
def test_an_address_further_in_closes_a_mapping(profile: str) -> None:
    """What lies in it is looked for, and counts as once."""
    with pair(profile) as machine:
        a, b = machine.spawn(), machine.spawn()
        handle = got(a.c, "hipIpcGetMemHandle", got(a.c, "hipMalloc", SIZE))
        ptr = got(b.c, "hipIpcOpenMemHandle", handle, 1)
        other = got(b.c, "hipIpcOpenMemHandle", handle, 1)
        assert (other == ptr) is (profile == NEW)
        got(b.c, "hipIpcCloseMemHandle", ptr + SIZE - 1)
        got(b.c, "hipIpcCloseMemHandle", other + 1)
        assert [b.c.hipIpcCloseMemHandle(one) for one in (ptr, other)] == [(INVALID,)] * 2


def test_memory_that_is_mapped_again_each_time() -> None:
    """In 2024 each open has an address and an end of its own, in whichever order."""
    with pair(OLD) as machine:
        a, b = machine.spawn(), machine.spawn()
        handle = got(a.c, "hipIpcGetMemHandle", got(a.c, "hipMalloc", SIZE))
        opened = [got(b.c, "hipIpcOpenMemHandle", handle, 1) for _ in range(3)]
        assert len(set(opened)) == 3
        for ptr in (opened[2], opened[0], opened[1]):
            got(b.c, "hipIpcCloseMemHandle", ptr)
            assert b.c.hipIpcCloseMemHandle(ptr) == (INVALID,)
        assert got(b.c, "hipIpcOpenMemHandle", handle, 1)


@BOTH
def test_memory_that_is_opened_again_is_of_the_device_that_opens_it(profile: str) -> None:
    """Each open says so anew."""
    with pair(profile) as machine:
        a, b = machine.spawn(), machine.spawn()
        handle = got(a.c, "hipIpcGetMemHandle", got(a.c, "hipMalloc", SIZE))
        ptr = got(b.c, "hipIpcOpenMemHandle", handle, 1)
        assert got(b.c, "hipPointerGetAttribute", ORDINAL, ptr) == 0
        got(b.c, "hipSetDevice", 1)
        again = got(b.c, "hipIpcOpenMemHandle", handle, 1)
        assert (again == ptr) is (profile == NEW)
        ptr = again
        assert got(b.c, "hipPointerGetAttribute", ORDINAL, ptr) == got(b.c, "hipPointerGetAttributes", ptr)[1] == 1
        if profile == NEW:
            context = got(b.c, "hipDevicePrimaryCtxRetain", 1)
            assert got(b.c, "hipPointerGetAttribute", 1, ptr) == context


@BOTH
def test_memory_of_a_pool_has_handles(profile: str) -> None:
    """It is opened as other memory is, until it is freed; managed memory and mappings have none."""
    with pair(profile) as machine:
        a, b = machine.spawn(), machine.spawn()
        got(a.c, "hipMallocAsync", SIZE, 0)
        pooled = got(a.c, "hipMallocAsync", SIZE, 0)
        got(a.c, "hipMemset", pooled, ord("a"), SIZE)
        handle = got(a.c, "hipIpcGetMemHandle", pooled + 1)
        assert got(a.c, "hipIpcGetMemHandle", pooled)[:32] == handle[:32]
        ptr = got(b.c, "hipIpcOpenMemHandle", handle, 1)
        assert three(b.c, ptr) == b"aaa"
        assert got(b.c, "hipMemGetAddressRange", ptr)[1] == SIZE
        assert a.c.hipIpcOpenMemHandle(handle, 1) == (CODES["hipErrorInvalidContext"], None)
        got(b.c, "hipIpcCloseMemHandle", ptr)
        got(a.c, "hipFree", pooled)
        assert b.c.hipIpcOpenMemHandle(handle, 1)[0] in {0, POINTER}
        assert a.c.hipIpcGetMemHandle(got(a.c, "hipMallocManaged", SIZE, 1)) == (INVALID, None)
        machine.check_invariants()
    with fakecuda.Machine(profile) as machine:
        a, b = machine.spawn(), machine.spawn()
        pooled = got(a.c, "hipMallocAsync", SIZE, 0)
        handle = got(a.c, "hipIpcGetMemHandle", pooled)
        got(a.c, "hipFree", pooled)
        with pytest.raises(fakecuda.UndefinedBehaviour, match="EXPORTER_HAS_IT"):
            b.c.hipIpcOpenMemHandle(handle, 1)
        machine.findings.clear()


@pytest.mark.parametrize(
    ("name", "code"),
    [(b"/hip_1_2", 0), (b"anything", 0), (b"", INVALID), (b"/", INVALID), (b"a/b", INVALID), (b"..", INVALID)],
)
def test_names_of_events(name: bytes, code: int) -> None:
    """In 2024 a name that nobody has exported makes an event, if it can name shared memory; since 2026 none does."""

    def program(a: Any) -> Any:
        answer, event = a.c.hipIpcOpenEventHandle(name.ljust(64, b"\0"))
        if not answer:
            got(a.c, "hipEventQuery", event)
        return answer

    assert on(OLD, program) == code
    assert on(NEW, program) == INVALID


@BOTH
def test_an_address_further_in_frees_a_reservation(profile: str) -> None:
    """All of it, once."""

    def program(a: Any) -> None:
        start = got(a.c, "hipMemAddressReserve", 2 * G, 0, 0, 0)
        got(a.c, "hipMemAddressFree", start + G + 1, 1)
        if profile == NEW:
            assert a.c.hipMemAddressFree(start, 2 * G) == (INVALID,)
            assert a.c.hipMemUnmap(start, G) == (INVALID,)

    on(profile, program)


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda a: a.c.hipMemAddressFree(G, G), "hip.va.RESERVATION_IS_FOLLOWED"),
        (lambda a: a.c.hipMemUnmap(G, G), "hip.va.MAPPING_IS_FOLLOWED"),
        (
            lambda a: a.c.hipMemRetainAllocationHandle(got(a.c, "hipMalloc", SIZE)),
            "hip.handle.MEMORY_IS_MAPPED",
        ),
        (lambda a: a.c.hipGetProcAddress(None, 600, 0), "hip.entry_point.SYMBOL_IS_READ"),
    ],
)
def test_null_that_was_followed(call: Any, rule: str) -> None:
    """What clr of 2024 did there ended the process; a lax machine refuses the call, as clr of 2026 does."""
    with fakecuda.Machine(OLD) as machine:
        with pytest.raises(fakecuda.UndefinedBehaviour) as raised:
            call(machine.spawn())
        assert raised.value.finding.rule.id == rule
        machine.findings.clear()
    assert on(OLD, call, strict=False)[0] == INVALID
    assert on(NEW, call)[0] == INVALID


@pytest.mark.parametrize("location", [(ON_HOST, -7), (ON_NODE, 0), (ON_THIS_NODE, 99)])
def test_memory_of_the_host(location: tuple[int, int]) -> None:
    """It has handles, mappings, access by the host and by devices, and descriptors; in 2024 there was none."""

    def program(a: Any) -> None:
        c = a.c
        assert got(c, "hipMemGetAllocationGranularity", prop(location), 1) == G
        handle, start = got(c, "hipMemCreate", G, prop(location), 0), got(c, "hipMemAddressReserve", G, 0, 0, 0)
        assert got(c, "hipMemGetAllocationPropertiesFromHandle", handle)[2] == location
        got(c, "hipMemMap", start, G, 0, handle, 0)
        got(c, "hipMemSetAccess", start, G, (((ON_HOST, 0), READ_WRITE), ((ON_DEVICE, 0), READ_WRITE)), 2)
        ctypes.memmove(start, b"abc", 3)
        assert three(c, start) == b"abc"
        descriptor = got(c, "hipMemExportToShareableHandle", handle, DESCRIPTOR, 0)
        imported = got(c, "hipMemImportFromShareableHandle", descriptor, DESCRIPTOR)
        assert got(c, "hipMemGetAllocationPropertiesFromHandle", imported)[2] == (ON_HOST, 0)
        os.close(descriptor)
        assert c.hipMemExportToShareableHandle(imported, DESCRIPTOR, 0) == (INVALID, None)
        got(c, "hipMemUnmap", start, G)

    on(NEW, program)
    assert on(OLD, lambda a: a.c.hipMemCreate(G, prop(location), 0)) == (INVALID, None)
    assert on(OLD, lambda a: a.c.hipMemGetAllocationGranularity(prop(location), 0)) == (INVALID, None)


def test_nodes_of_the_host() -> None:
    """The number is that of a node where a node is meant; granularities look at none."""

    def program(a: Any) -> None:
        c = a.c
        for number in (-1, 1):
            assert c.hipMemCreate(G, prop((ON_NODE, number)), 0) == (INVALID, None)
            assert got(c, "hipMemGetAllocationGranularity", prop((ON_NODE, number)), 0) == SIZE
        start = got(c, "hipMemAddressReserve", G, 0, 0, 0)
        got(c, "hipMemMap", start, G, 0, got(c, "hipMemCreate", G, prop(), 0), 0)
        for location, code in (((ON_NODE, 1), INVALID), ((ON_NODE, 0), 0), ((ON_HOST, 9), 0), ((ON_THIS_NODE, -1), 0)):
            assert c.hipMemSetAccess(start, G, ((location, READ_WRITE),), 1) == (code,)

    on(NEW, program)


@BOTH
def test_sizes_of_memory(profile: str) -> None:
    """What clr looks at is 2048 bytes, its backend at a page, whatever the granularity is that it tells."""

    def program(a: Any) -> None:
        c = a.c
        got(c, "hipMemCreate", SIZE, prop(), 0)
        assert c.hipMemCreate(SIZE + 1, prop(), 0) == (INVALID, None)
        assert c.hipMemCreate(SIZE + 2048, prop(), 0) == (MEMORY, None)

    on(profile, program)


def test_types_of_handles() -> None:
    """A fabric's can be asked for since 2026, and is exported by cards that have them; no type is a descriptor, too."""

    def program(a: Any) -> None:
        c = a.c
        memory = got(c, "hipMemCreate", G, prop(handles=FABRIC), 0)
        assert c.hipMemExportToShareableHandle(memory, FABRIC, 0) == (INVALID, None)
        assert c.hipMemExportToShareableHandle(memory, DESCRIPTOR, 0) == (INVALID, None)
        assert c.hipMemCreate(G, prop(handles=FABRIC | DESCRIPTOR), 0) == (NOT_SUPPORTED, None)
        untyped = got(c, "hipMemCreate", G, prop(handles=0), 0)
        descriptor = got(c, "hipMemExportToShareableHandle", untyped, 0, 0)
        imported = got(c, "hipMemImportFromShareableHandle", descriptor, 0)
        assert got(c, "hipMemGetAllocationPropertiesFromHandle", imported)[1] == 0
        os.close(descriptor)

    on(NEW, program)
    assert on(OLD, lambda a: a.c.hipMemCreate(G, prop(handles=FABRIC), 0)) == (NOT_SUPPORTED, None)
    assert on(OLD, lambda a: a.c.hipMemCreate(G, prop(kind=0x40000000), 0)) == (INVALID, None)


def test_fabric_handles() -> None:
    """They are 64 bytes, found at an address."""
    profile = load(NEW)
    devices = tuple(attrs.evolve(one, hip={**one.hip, "HandleTypeFabricSupported": 1}) for one in profile.devices)
    with fakecuda.Machine(attrs.evolve(profile, devices=devices)) as machine:
        a, b = machine.spawn(), machine.spawn()
        handle = got(a.c, "hipMemCreate", G, prop(handles=FABRIC), 0)
        name = got(a.c, "hipMemExportToShareableHandle", handle, FABRIC, 0)
        assert name == got(a.c, "hipMemExportToShareableHandle", handle, FABRIC, 0)
        place = ctypes.create_string_buffer(name, 64)
        imported = got(b.c, "hipMemImportFromShareableHandle", ctypes.addressof(place), FABRIC)
        assert got(b.c, "hipMemGetAllocationPropertiesFromHandle", imported)[1:3] == (FABRIC, (ON_DEVICE, 0))
        assert b.c.hipMemExportToShareableHandle(imported, FABRIC, 0) == (INVALID, None)
        place[0] = bytes([name[0] ^ 1])
        for address in (ctypes.addressof(place), 1):
            assert b.c.hipMemImportFromShareableHandle(address, FABRIC) == (INVALID, None)


@pytest.mark.parametrize(("profile", "device"), [(OLD, 0), (NEW, 1)])
def test_the_device_of_imported_memory(profile: str, device: int) -> None:
    """In 2024 it was told to be the thread's, whosever the memory was."""

    def program(a: Any) -> None:
        handle = got(a.c, "hipMemCreate", G, prop((ON_DEVICE, 1)), 0)
        descriptor = got(a.c, "hipMemExportToShareableHandle", handle, DESCRIPTOR, 0)
        place = ctypes.c_int(descriptor)
        shared = ctypes.addressof(place) if profile == OLD else descriptor
        imported = got(a.c, "hipMemImportFromShareableHandle", shared, DESCRIPTOR)
        assert got(a.c, "hipMemGetAllocationPropertiesFromHandle", imported)[2] == (ON_DEVICE, device)
        os.close(descriptor)

    on(profile, program)


def test_access_in_2024() -> None:
    """Of a location the number counts alone, and a size that ends in a mapping stands for all of it."""

    def program(a: Any) -> None:
        c = a.c
        start = got(c, "hipMemAddressReserve", 2 * G, 0, 0, 0)
        for address in (start, start + G):
            got(c, "hipMemMap", address, G, 0, got(c, "hipMemCreate", G, prop(), 0), 0)
        got(c, "hipMemSetAccess", start, G + 1, (((ON_HOST, 1), READ_WRITE),), 1)
        assert [got(c, "hipMemGetAccess", (ON_DEVICE, 1), address) for address in (start, start + G)] == [3, 3]
        assert c.hipMemSetAccess(start, G, (((0, 2), READ_WRITE),), 1) == (INVALID,)
        for address, size in ((start + 1, G), (start + G, G + 1), (SIZE, G)):
            assert c.hipMemSetAccess(address, size, (((ON_DEVICE, 1), READ_WRITE),), 1) == (INVALID,)

    on(OLD, program)


def test_a_limit_counts_the_most_there_ever_was() -> None:
    """What was freed counts on, unless it is given out again; the mark can be set to 0."""

    def program(a: Any) -> None:
        c, half = a.c, 512 << 20
        pool = got(c, "hipMemPoolCreate", (1, 0, (ON_DEVICE, 0), 0, 2 * half))
        first = got(c, "hipMallocFromPoolAsync", half, pool, 0)
        got(c, "hipFreeAsync", first, 0)
        got(c, "hipDeviceSynchronize")
        assert c.hipMallocFromPoolAsync(600 << 20, pool, 0) == (MEMORY, None)
        got(c, "hipMallocFromPoolAsync", half, pool, 0)
        again = got(c, "hipMemPoolCreate", (1, 0, (ON_DEVICE, 0), 0, 2 * half))
        got(c, "hipFreeAsync", got(c, "hipMallocFromPoolAsync", half, again, 0), 0)
        got(c, "hipMallocFromPoolAsync", half, again, 0)
        third = got(c, "hipMemPoolCreate", (1, 0, (ON_DEVICE, 0), 0, 2 * half))
        got(c, "hipFreeAsync", got(c, "hipMallocFromPoolAsync", half, third, 0), 0)
        got(c, "hipDeviceSynchronize")
        got(c, "hipMemPoolSetAttribute", third, 6, 0)
        assert got(c, "hipMemPoolGetAttribute", third, 6) == 0
        got(c, "hipMallocFromPoolAsync", 600 << 20, third, 0)

    on(NEW, program)


@BOTH
def test_marks_and_policies(profile: str) -> None:
    """A mark that is reset is 0 though memory is in use; of a policy's value the lowest bit counts."""

    def program(a: Any) -> None:
        c = a.c
        pool = got(c, "hipDeviceGetDefaultMemPool", 0)
        got(c, "hipMallocAsync", SIZE, 0)
        for mark in (6, 8):
            got(c, "hipMemPoolSetAttribute", pool, mark, 0)
            assert got(c, "hipMemPoolGetAttribute", pool, mark) == 0
        got(c, "hipMallocAsync", SIZE, 0)
        assert got(c, "hipMemPoolGetAttribute", pool, 8) == 2 * SIZE
        for value in (2, 3):
            got(c, "hipMemPoolSetAttribute", pool, 2, value)
            assert got(c, "hipMemPoolGetAttribute", pool, 2) == value & 1
        got(c, "hipMemPoolSetAttribute", pool, 4, SIZE)
        assert got(c, "hipMemPoolGetAttribute", pool, 4) == SIZE

    on(profile, program)


@BOTH
def test_access_to_pools(profile: str) -> None:
    """Flags of 2 pass; the own device's access stays, and in 2024 it could be asked to read alone, for nothing."""

    def program(a: Any) -> None:
        c = a.c
        pool = got(c, "hipDeviceGetDefaultMemPool", 0)
        got(c, "hipMemPoolSetAccess", pool, (((ON_DEVICE, 1), 2),), 1)
        assert got(c, "hipMemPoolGetAccess", pool, (ON_DEVICE, 1)) == 2
        assert c.hipMemPoolSetAccess(pool, (((ON_DEVICE, 1), 4),), 1) == (INVALID,)
        own = c.hipMemPoolSetAccess(pool, (((ON_DEVICE, 0), 1),), 1)
        assert own == ((0,) if profile == OLD else (NOT_SUPPORTED,))
        got(c, "hipMemPoolSetAccess", pool, (((ON_DEVICE, 0), 2),), 1)
        assert got(c, "hipMemPoolGetAccess", pool, (ON_DEVICE, 0)) == READ_WRITE

    on(profile, program)


@BOTH
def test_a_pool_has_one_descriptor(profile: str) -> None:
    """Who imports it has the access that devices had when it was made."""
    with fakecuda.Machine(profile) as machine:
        a, b = machine.spawn(), machine.spawn()
        pool = got(a.c, "hipMemPoolCreate", (1, DESCRIPTOR, (ON_DEVICE, 0), 0, 0))
        got(a.c, "hipMemPoolSetAccess", pool, (((ON_DEVICE, 1), READ_WRITE),), 1)
        descriptor = got(a.c, "hipMemPoolExportToShareableHandle", pool, DESCRIPTOR, 0)
        got(a.c, "hipMemPoolSetAccess", pool, (((ON_DEVICE, 1), 1),), 1)
        assert got(a.c, "hipMemPoolExportToShareableHandle", pool, DESCRIPTOR, 0) == descriptor
        imported = got(b.c, "hipMemPoolImportFromShareableHandle", descriptor, DESCRIPTOR, 0)
        assert got(b.c, "hipMemPoolGetAccess", imported, (ON_DEVICE, 1)) == READ_WRITE
        assert b.c.hipMemPoolImportFromShareableHandle(descriptor, DESCRIPTOR, 1) == (INVALID, None)
        os.close(descriptor)


@BOTH
def test_a_pool_ends_once(profile: str) -> None:
    """It is looked for, unless memory that it gave out keeps it."""

    def program(a: Any) -> None:
        pool = got(a.c, "hipMemPoolCreate", (1, 0, (ON_DEVICE, 0), 0, 0))
        got(a.c, "hipMemPoolDestroy", pool)
        assert a.c.hipMemPoolDestroy(pool) == a.c.hipMemPoolDestroy(12345) == a.c.hipMemPoolDestroy(0) == (INVALID,)

    on(profile, program)
    with fakecuda.Machine(profile) as machine:
        c = machine.spawn().c
        pool = got(c, "hipMemPoolCreate", (1, 0, (ON_DEVICE, 0), 0, 0))
        got(c, "hipMallocFromPoolAsync", SIZE, pool, 0)
        got(c, "hipMemPoolDestroy", pool)
        with pytest.raises(fakecuda.UndefinedBehaviour, match="POOL_IS_KNOWN"):
            c.hipMemPoolDestroy(pool)
        machine.findings.clear()


def test_lists_of_devices_came_later() -> None:
    """The function was there in 2024, and refused whatever was given."""
    assert on(OLD, lambda a: a.c.hipSetValidDevices((0, 9), 2)) == (NOT_SUPPORTED,)
    assert on(NEW, lambda a: a.c.hipSetValidDevices((0, 9), 2)) == (DEVICE,)
