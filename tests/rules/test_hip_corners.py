"""What few programs of HIP bring about: memory that is gone for all, work under way, and what is used in an odd order."""

from __future__ import annotations

import ctypes
from itertools import pairwise

import attrs
import pytest

import fakecuda
from fakecuda.model.code import library
from fakecuda.model.code.library import HIP_LIBRARY
from fakecuda.profiles import load
from fakecuda.rules.driver.unified.mem_advise import PAGEABLE
from fakecuda.rules.hip import device, entry_point
from fakecuda.rules.hip.entry_point import located
from fakecuda.spec.hip import NAMES

NEW, OLD = "hip-clr-2026", "hip-clr-2024"
G = 2 << 20
PROP = (1, 1, (1, 0), 0, (0, 0, 0))
DEVICE_TO_DEVICE = 3


def machine_with(profile: str = NEW, completion: str = "eager") -> fakecuda.Machine:
    """Return a machine."""
    return fakecuda.Machine(profile, strict=False, completion=completion)


def test_what_is_kept_is_what_is_read() -> None:
    """Names of codes and functions, and the addresses that functions have where no library is loaded: each its own."""
    assert device._names.__wrapped__() == NAMES
    assert entry_point.known.__wrapped__() == entry_point.known()
    assert library._reserved_of_hip.__wrapped__() == library._reserved_of_hip()
    addresses = {library.reserved_of_hip(name) for name in library._reserved_of_hip()}
    assert len(addresses) == len(library._reserved_of_hip())
    assert not addresses & set(library._reserved().values())


def reserved(c: object, size: int = G) -> int:
    """Return reserved addresses."""
    return int(c.hipMemAddressReserve(size, 0, 0, 0)[1])  # type: ignore[attr-defined] # calls by name


def test_a_device_without_memory_gives_none() -> None:
    """To handles, and to pools."""
    with machine_with() as machine:
        c = machine.spawn().c
        pool = c.hipDeviceGetDefaultMemPool(0)[1]
        c.hipMalloc(64)
        machine.exhaust_memory(0)
        assert c.hipMemCreate(G, PROP, 0) == (2, None)
        assert c.hipMallocFromPoolAsync(64 << 20, pool, 0) == (2, None)
        assert c.hipMallocAsync(64 << 20, 0) == (2, None)


def test_a_pool_that_has_less_than_is_asked_for() -> None:
    """As much as the device has in all, where a part is taken."""
    with machine_with() as machine:
        c = machine.spawn().c
        assert c.hipMallocAsync(64, 0)[0] == 0
        _, _, total = c.hipMemGetInfo()
        assert c.hipMallocAsync(total - (1 << 20), 0) == (2, None)


def test_a_handle_is_retained_and_released() -> None:
    """One that nothing but a mapping holds is held again; several references are given back one by one."""
    with machine_with() as machine:
        c = machine.spawn().c
        handle, ptr = c.hipMemCreate(G, PROP, 0)[1], reserved(c)
        assert c.hipMemMap(ptr, G, 0, handle, 0) == (0,)
        assert c.hipMemRelease(handle) == (0,)
        assert c.hipMemRetainAllocationHandle(ptr) == (0, handle)
        assert c.hipMemRetainAllocationHandle(ptr) == (0, handle)
        assert c.hipMemRelease(handle) == (0,)
        assert c.hipMemRelease(handle) == (0,)
        machine.check_invariants()


def test_a_descriptor_of_nothing_is_refused() -> None:
    """A number that is no memory's."""
    with machine_with() as machine:
        assert machine.spawn().c.hipMemImportFromShareableHandle(9999, 1) == (1, None)


def test_an_event_is_exported_twice() -> None:
    """It has one handle."""
    with machine_with() as machine:
        c = machine.spawn().c
        event = c.hipEventCreateWithFlags(6)[1]
        assert c.hipIpcGetEventHandle(event) == c.hipIpcGetEventHandle(event)


def test_memory_that_its_exporter_freed_while_others_hold_it() -> None:
    """It can be opened as long as they do."""
    with machine_with() as machine:
        a, b = machine.spawn().c, machine.spawn().c
        ptr = a.hipMalloc(G)[1]
        handle = a.hipIpcGetMemHandle(ptr)[1]
        first = b.hipIpcOpenMemHandle(handle, 1)
        assert first[0] == 0
        assert a.hipFree(ptr) == (0,)
        assert machine.spawn().c.hipIpcOpenMemHandle(handle, 1)[0] == 0
        assert b.hipIpcCloseMemHandle(first[1]) == (0,)


def test_a_handle_is_given_and_opened_twice() -> None:
    """It is one, and each opening counts."""
    with machine_with() as machine:
        a, b = machine.spawn().c, machine.spawn().c
        ptr = a.hipMalloc(G)[1]
        handle = a.hipIpcGetMemHandle(ptr)[1]
        assert a.hipIpcGetMemHandle(ptr) == (0, handle)
        first = b.hipIpcOpenMemHandle(handle, 1)
        assert b.hipIpcOpenMemHandle(handle, 1) == first
        assert b.hipIpcCloseMemHandle(first[1]) == (0,)
        assert b.hipIpcCloseMemHandle(first[1]) == (0,)
        assert b.hipIpcCloseMemHandle(first[1]) == (1,)


def test_handles_of_two_allocations_are_opened() -> None:
    """Each has an address of its own."""
    with machine_with() as machine:
        a, b = machine.spawn().c, machine.spawn().c
        handles = [a.hipIpcGetMemHandle(a.hipMalloc(G)[1])[1] for _ in range(2)]
        first, second = (b.hipIpcOpenMemHandle(handle, 1) for handle in handles)
        assert (first[0], second[0]) == (0, 0)
        assert first[1] != second[1]
        assert b.hipIpcOpenMemHandle(handles[1], 1) == second


def test_copies_of_no_rows_and_between_addresses_of_the_host() -> None:
    """Nothing is copied of no rows; a kind says nothing wrong of the host's own memory where devices reach it, as here."""
    profile = load(NEW)
    device = profile.devices[0]
    reaching = attrs.evolve(device, attributes={**device.attributes, PAGEABLE: 1})
    with fakecuda.Machine(attrs.evolve(profile, devices=(reaching,), peers={}), strict=False) as machine:
        process = machine.spawn()
        one, other = process.host_memory(4096), process.host_memory(4096)
        assert process.c.hipMemcpy(one, other, 16, DEVICE_TO_DEVICE) == (0,)
        ptr = process.c.hipMalloc(4096)[1]
        assert process.c.hipMemcpy2DAsync(ptr, 64, ptr, 64, 0, 2, DEVICE_TO_DEVICE, 0) == (0,)


def test_a_copy_between_addresses_of_the_host_is_of_that_kind() -> None:
    """Where no device reaches the host's own memory."""
    with machine_with() as machine:
        process = machine.spawn()
        one, other = process.host_memory(4096), process.host_memory(4096)
        assert process.c.hipMemcpy(one, other, 16, DEVICE_TO_DEVICE) == (1,)


def test_work_under_way_is_awaited() -> None:
    """By the end of a mapping, of a range, and by copies."""
    with machine_with(completion="manual") as machine:
        a, b = machine.spawn().c, machine.spawn().c
        mine = b.hipIpcOpenMemHandle(a.hipIpcGetMemHandle(a.hipMalloc(G)[1])[1], 1)[1]
        stream, other = b.hipStreamCreate()[1], b.hipMalloc(G)[1]
        b.hipMemsetAsync(other, 1, 64, stream)
        assert b.hipIpcCloseMemHandle(mine) == (0,)
        b.hipMemsetAsync(other, 1, 64, stream)
        assert b.hipMemcpy(other, other + 4096, 64, DEVICE_TO_DEVICE) == (0,)
        params = (
            0,
            (0, 0, 0),
            (other, 64, 64, 1),
            0,
            (0, 0, 0),
            (other + 4096, 64, 64, 1),
            (16, 1, 1),
            DEVICE_TO_DEVICE,
        )
        assert b.hipMemcpy3D(params) == (0,)
        ptr = reserved(b)
        b.hipMemMap(ptr, G, 0, b.hipMemCreate(G, PROP, 0)[1], 0)
        b.hipMemsetAsync(other, 1, 64, stream)
        assert b.hipMemUnmap(ptr, G) == (0,)
        assert b.hipStreamQuery(stream) == (0,)


def test_mappings_that_adjoin_are_unmapped_at_once() -> None:
    """A range ends with as many as it is made of."""
    with machine_with() as machine:
        c = machine.spawn().c
        ptr = c.hipMemAddressReserve(2 * G, 0, 0, 0)[1]
        handle = c.hipMemCreate(G, PROP, 0)[1]
        assert [c.hipMemMap(ptr + offset, G, 0, handle, 0) for offset in (0, G)] == [(0,), (0,)]
        assert c.hipMemUnmap(ptr, 2 * G) == (0,)
        assert c.hipMemUnmap(ptr, G) == (1,)


def test_a_part_of_a_mapping_in_2024() -> None:
    """It ends all of the mapping; what is not mapped is nothing to unmap."""
    with machine_with(OLD) as machine:
        c = machine.spawn().c
        ptr = reserved(c)
        c.hipMemMap(ptr, G, 0, c.hipMemCreate(G, PROP, 0)[1], 0)
        assert c.hipMemUnmap(ptr, G // 2) == (0,)
        assert c.hipMemUnmap(ptr, G) == (1,)


@pytest.mark.parametrize(("profile", "code"), [(OLD, 1), (NEW, 709)])
def test_rows_in_a_stream_that_was_destroyed(profile: str, code: int) -> None:
    """Each year has a code of its own."""
    with machine_with(profile) as machine:
        c = machine.spawn().c
        stream, ptr = c.hipStreamCreate()[1], c.hipMalloc(4096)[1]
        c.hipStreamDestroy(stream)
        assert c.hipMemcpy2DAsync(ptr, 64, ptr + 2048, 64, 16, 2, DEVICE_TO_DEVICE, stream) == (code,)


def test_fills_of_mappings_that_do_not_adjoin() -> None:
    """The range ends where the first of them does."""
    with machine_with() as machine:
        c = machine.spawn().c
        ptr = reserved(c, 2 * G)
        c.hipMemMap(ptr, G, 0, c.hipMemCreate(G, PROP, 0)[1], 0)
        c.hipMemSetAccess(ptr, G, (((1, 0), 3),), 1)
        assert c.hipMemset(ptr, 1, G) == (0,)
        other = c.hipMalloc(4 * G)[1]
        assert c.hipMemset(ptr, 1, 2 * G) == (1,)
        assert c.hipMemcpyDtoD(other, ptr, 2 * G) == (1,)
        assert c.hipMemsetD8(ptr, 1, 2 * G) == (1,)


def test_flags_of_managed_memory() -> None:
    """They are none."""
    with machine_with() as machine:
        c = machine.spawn().c
        assert c.hipHostGetFlags(c.hipMallocManaged(4096, 1)[1]) == (0, 0)


def test_a_context_of_another_thread_is_there_already() -> None:
    """A thread that has used the device finds what another one reset made anew."""
    with machine_with() as machine:
        process = machine.spawn()
        assert process.c.hipMalloc(64)[0] == 0
        assert process.thread("other").c.hipDeviceReset() == (0,)
        assert process.c.hipMalloc(64)[0] == 0
        assert process.c.hipMalloc(64)[0] == 0


def test_unified_addresses_of_the_host_are_read() -> None:
    """Memory that the program has by itself."""
    with machine_with() as machine:
        c = machine.spawn().c
        room = ctypes.create_string_buffer(64)
        assert c.hipMemcpy(c.hipMalloc(64)[1], ctypes.addressof(room), 64, 4) == (0,)


def test_memory_of_hip_malloc_is_freed_in_a_stream_s_order() -> None:
    """It stays until the stream has come to it, and is freed once."""
    with machine_with(completion="manual") as machine:
        c = machine.spawn().c
        stream, ptr = c.hipStreamCreate()[1], c.hipMalloc(4096)[1]
        assert c.hipMemsetAsync(ptr, 1, 4096, stream) == (0,)
        assert c.hipFreeAsync(ptr, stream) == (0,)
        assert c.hipFreeAsync(ptr, stream) == (1,)
        assert c.hipMemPtrGetInfo(ptr) == (0, 4096)
        assert c.hipStreamSynchronize(stream) == (0,)
        assert c.hipMemPtrGetInfo(ptr) == (1, None)
        machine.check_invariants()


def test_an_imported_pool_is_one_like_others() -> None:
    """Its attributes are asked and set, it is trimmed, and it is destroyed while imports of it are open, which stay."""
    with machine_with() as machine:
        a, b = machine.spawn().c, machine.spawn().c
        pool = a.hipMemPoolCreate((1, 1, (1, 0), 0, 0))[1]
        ptr = a.hipMallocFromPoolAsync(4096, pool, 0)[1]
        shared = a.hipMemPoolExportToShareableHandle(pool, 1, 0)[1]
        data = a.hipMemPoolExportPointer(ptr)[1]
        other = b.hipMemPoolImportFromShareableHandle(shared, 1, 0)[1]
        here = b.hipMemPoolImportPointer(other, data)[1]
        assert b.hipMemPoolSetAttribute(other, 4, 1 << 30) == (0,)
        assert b.hipMemPoolGetAttribute(other, 4) == (0, 1 << 30)
        assert b.hipMemPoolTrimTo(other, 0) == (0,)
        assert b.hipMemPoolDestroy(other) == (0,)
        machine.check_invariants()
        assert b.hipMemset(here, 7, 4096) == (0,)
        assert b.hipFree(here) == (0,)
        machine.check_invariants()
        assert a.hipFree(ptr) == (0,)


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        (("hipGetProcAddress", b"hipGetDeviceProperties", 700, 0), "hipGetDevicePropertiesR0600"),
        (("hipGetProcAddress_spt", b"hipMemcpy", 700, 0), "hipMemcpy_spt"),
        (("hipGetDriverEntryPoint", b"hipMemcpy", 0), "hipMemcpy"),
        (("hipGetDriverEntryPoint", b"hipMemcpy", 2), "hipMemcpy_spt"),
    ],
)
def test_an_attached_process_finds_functions_where_it_has_them(asked: tuple[str, bytes, int, int], found: str) -> None:
    """What the owner's call has found is looked for again in the process's own library."""
    call, symbol, *version, flags = asked
    assert located(call, symbol, *version, flags=flags) == HIP_LIBRARY.locate(found)


def test_a_memset_past_the_end_of_its_memory() -> None:
    """Another allocation that begins right there does not count."""
    with fakecuda.Machine(NEW) as machine:
        c = machine.spawn().c
        size = 2 << 20
        places = sorted(c.hipMalloc(size)[1] for _ in range(8))
        ptr = next(one for one, following in pairwise(places) if following == one + size)
        assert c.hipMemset(ptr, 1, size) == (0,)
        assert c.hipMemset(ptr, 1, size + 8) == (1,)
