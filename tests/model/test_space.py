"""The reserved range of device addresses, which nobody touches, and the addresses of a process."""

from __future__ import annotations

import ctypes
import errno
import mmap
import signal
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fakecuda.model.memory import space
from fakecuda.model.memory.address_ranges import Territory
from fakecuda.model.memory.files import MAP_FIXED
from fakecuda.model.memory.space import (
    PROT_NONE,
    READ,
    SPACE,
    WINDOW,
    WRITE,
    Addresses,
    Space,
    access_of,
    libc,
    map_memory,
)
from fakecuda.model.os.rng import Chance
from fakecuda.model.os.system import System
from fakecuda.rules.driver.va.mem_address_reserve import LAST_ADDRESS

from .world import done, started

if TYPE_CHECKING:
    from fakecuda import Machine

ROOT = Path(__file__).parents[2]
DEREFERENCE = """
import ctypes, faulthandler, fakecuda
faulthandler.enable()
a = fakecuda.Machine("h200").spawn()
a.c.cuInit(0)
a.c.cuCtxCreate(None, 0, 0)
code, pointer = a.c.cuMemAlloc(4096)
a.c.cuMemsetD8(pointer, 1, 4096)
print("allocated", flush=True)
ctypes.string_at(pointer, 1)
print("survived", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="there are no POSIX signals")
def test_a_host_dereference_faults() -> None:
    """A device pointer read by the host ends the process as on a real machine, with the stack told."""
    run = subprocess.run([sys.executable, "-c", DEREFERENCE], cwd=ROOT, capture_output=True, text=True, check=False)
    assert run.stdout == "allocated\n"
    assert run.returncode == -signal.SIGSEGV
    assert "Segmentation fault" in run.stderr


def test_host_pointers_are_no_device_pointers(machine: Machine) -> None:
    """The system gives nobody else a piece of the reserved range."""
    a = started(machine)
    device = done(a.c.cuMemAlloc(4096))
    assert SPACE.start <= device < SPACE.end
    buffers = [ctypes.create_string_buffer(size) for size in (16, 4096, 64 << 20)]
    assert not any(SPACE.start <= ctypes.addressof(buffer) < SPACE.end for buffer in buffers)


@pytest.mark.parametrize(
    ("protection", "access"), [(mmap.PROT_READ, READ), (mmap.PROT_READ | mmap.PROT_WRITE, WRITE), (PROT_NONE, 0)]
)
def test_the_host_uses_what_it_has_mapped(protection: int, access: int, machine: Machine) -> None:
    """As it is protected, to a range's last byte, wherever in a page it begins; device addresses are not the host's."""
    page = mmap.PAGESIZE
    start = map_memory(4 * page, protection, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    libc.munmap(start + 3 * page, page)
    try:
        assert access_of(start, 3 * page) == access
        assert access_of(start + page - 1, 2) == access
        assert access_of(start, 1) == access
        assert not access_of(start, 3 * page + 1)
        assert not access_of(start + 3 * page, 1)
        assert not access_of(start, (1 << 64) - start + 1)
    finally:
        libc.munmap(start, 3 * page)
    address = int(done(started(machine).c.cuMemHostAlloc(page, 0)))
    assert not access_of(address, 1)
    assert not access_of(SPACE.end - 1, 1)
    assert not access_of(SPACE.start - 1, 2)


@pytest.mark.parametrize(
    ("protection", "access"), [(mmap.PROT_READ, READ), (PROT_NONE, 0), (mmap.PROT_READ | mmap.PROT_WRITE, WRITE)]
)
def test_a_wide_range_is_used_as_its_least_page(protection: int, access: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its ends do not tell what lies between them, but where nothing lists that."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | space.MAP_NORESERVE
    size, page = 2 * space.WIDE, mmap.PAGESIZE
    start = map_memory(size, mmap.PROT_READ | mmap.PROT_WRITE, flags)
    between = start + size // 2
    assert map_memory(page, protection, flags | MAP_FIXED, -1, between) == between
    try:
        assert access_of(start, size) == access
        assert access_of(start, size // 2) == WRITE
        assert access_of(between + page, size // 2 - page) == WRITE
        monkeypatch.setattr(space, "maps", str)
        assert access_of(start, size) == WRITE
    finally:
        libc.munmap(start, size)


def test_where_nothing_is_listed_there_are_no_mappings(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other systems have no such file."""
    assert "[heap]" in space.maps()

    def missing(*_: object, **__: object) -> str:
        raise FileNotFoundError

    monkeypatch.setattr(Path, "read_text", missing)
    assert not space.maps()


def test_where_the_system_does_not_tell_mapped_memory_is_writable(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may lack the call, or a sandbox forbid it."""
    start = map_memory(2 * mmap.PAGESIZE, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    def forbidden(*_: object) -> int:
        ctypes.set_errno(errno.EPERM)
        return -1

    for copy_memory in (None, forbidden):
        monkeypatch.setattr(space, "copy_memory", copy_memory)
        assert access_of(start, 8) == access_of(start, mmap.PAGESIZE + 8) == WRITE
    libc.munmap(start, 2 * mmap.PAGESIZE)


def test_ranges_that_are_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is read whole, or the first that cannot be read is named, also if the system copies nothing."""
    page = mmap.PAGESIZE
    start = map_memory(3 * page, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    ctypes.memmove(start, bytes(range(256)) * (2 * page // 256), 2 * page)
    libc.munmap(start + 2 * page, page)
    lone = start + 2 * page
    readable = (start + 3, 2), (start + page - 2, 4), (lone - 1, 1), (start, page - 7)
    for copy_memory in (space.copy_memory, None):
        monkeypatch.setattr(space, "copy_memory", copy_memory)
        assert space.all_bytes() == ()
        assert space.all_bytes(*readable) == tuple(ctypes.string_at(*one) for one in readable)
        for one, size in ((lone, 1), (lone - 1, 2), (-8, 8), (1 << 64, 8), ((1 << 64) - 4, 8)):
            with pytest.raises(space.Unreadable) as raised:
                space.all_bytes((start, 8), (one, size))
            assert raised.value.facts == {"pointer": one, "size": size}
    libc.munmap(start, 2 * page)


def test_an_array_of_pointers_is_followed_together_with_what_it_points_to(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each time as it is then: with other values, other pointers, or a null pointer."""
    system = System()
    page = map_memory(mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    values = (ctypes.c_uint32 * 2)(1, 2)
    first, second = ctypes.addressof(values), ctypes.addressof(values) + 4
    array = (ctypes.c_uint64 * 2)(first, second)
    start = ctypes.addressof(array)
    calls: list[tuple[tuple[int, int], ...]] = []
    load = space.all_bytes

    def counted(*places: tuple[int, int]) -> tuple[bytes, ...]:
        calls.append(places)
        return load(*places)

    monkeypatch.setattr("fakecuda.model.os.system.all_bytes", counted)

    def follow(*sizes: int) -> list[int] | None:
        found = system.follow(start, sizes)
        return None if found is None else [int.from_bytes(one, "little") for one in found]

    assert (follow(4, 4), follow(4, 4), len(calls)) == ([1, 2], [1, 2], 4)
    values[0] = 3
    assert (follow(4, 4), len(calls)) == ([3, 2], 4)
    array[0] = second
    assert (follow(4, 4), len(calls)) == ([2, 2], 6)
    assert (follow(4, 2), follow(4, 4), follow(4, 4), len(calls)) == ([2, 2], [2, 2], [2, 2], 10)
    array[1] = page
    assert (follow(4, 4), follow(4, 4), follow(4, 4), len(calls)) == ([2, 0], [2, 0], [2, 0], 14)
    libc.munmap(page, mmap.PAGESIZE)
    with pytest.raises(space.Unreadable):
        follow(4, 4)
    array[1] = 0
    assert follow(4, 4) is None
    array[1] = second
    monkeypatch.setattr(space, "copy_memory", None)
    assert follow(4, 4) == follow(4, 4) == follow(4, 4) == [2, 2]
    monkeypatch.setattr("fakecuda.model.os.system.KEPT", 1)
    assert follow(4, 1) == follow(4, 1) == follow(4, 1) == [2, 2]


@pytest.mark.parametrize("refused", [1, 3])
def test_a_smaller_range_is_reserved_where_a_large_one_is_refused(
    monkeypatch: pytest.MonkeyPatch, refused: int
) -> None:
    """Each refusal halves the wish."""
    sizes: list[int] = []

    def grudging(size: int, protection: int, flags: int, descriptor: int, near: int) -> int:
        assert (protection, descriptor, near) == (PROT_NONE, -1, space.BOTTOM)
        assert flags & mmap.MAP_PRIVATE
        sizes.append(size)
        return 0x1000 if len(sizes) > refused else 0

    monkeypatch.setattr(space, "map_memory", grudging)
    made = Space()
    made.reserve()
    assert (made.start, made.first) == (WINDOW, 2 * WINDOW)
    assert sizes == [space.REGION >> halved for halved in range(refused + 1)]
    assert made.end == 0x1000 + sizes[-1]


def test_without_any_reservation_addresses_are_unlikely_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sandbox that refuses every reservation still runs."""
    monkeypatch.setattr(space, "map_memory", lambda *_: 0)
    made = Space()
    made.reserve()
    assert made.start == 0x7000_0000_0000
    assert space.SMALLEST_REGION // 2 < made.end - made.start <= space.SMALLEST_REGION


def test_a_mapping_without_room_has_no_address() -> None:
    """The system's refusal is 0, not its -1."""
    assert map_memory(1 << 62, PROT_NONE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) == 0


def test_the_region_is_free_in_every_process() -> None:
    """AddressSanitizer's shadow ends below it; above it are executables, from two thirds of 47 bits on, libraries and stacks."""
    shadow_ends, executables_begin = 0x1000_7FFF_8000, (1 << 47) * 2 // 3
    assert shadow_ends <= space.BOTTOM
    assert space.BOTTOM + space.REGION <= executables_begin // mmap.PAGESIZE * mmap.PAGESIZE < LAST_ADDRESS


def test_memory_is_mapped_where_it_is_wished() -> None:
    """If nothing is there."""
    flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS
    taken = map_memory(WINDOW, PROT_NONE, flags)
    assert map_memory(WINDOW, PROT_NONE, flags, -1, taken) not in {0, taken}
    space.libc.munmap(taken, WINDOW)
    assert map_memory(WINDOW, PROT_NONE, flags, -1, taken) == taken


@pytest.mark.parametrize("alignment", [1, 512, 2 << 20, 1 << 30])
def test_ranges_are_aligned_and_disjoint(alignment: int) -> None:
    """Whatever the alignment asked for."""
    addresses = Addresses(Territory(Chance(1)), reuse=False)
    starts = [addresses.take(3 * 512, alignment) for _ in range(5)]
    assert all(start % alignment == 0 for start in starts)
    assert all(b - a >= 3 * 512 for a, b in pairwise(starts))
    addresses.close()


def test_freed_ranges_come_again_where_their_alignment_suits() -> None:
    """The last freed one of the size first; one that is not aligned enough stays for another."""
    addresses = Addresses(Territory(Chance(1)), reuse=True)
    first, second = addresses.take(512, 1 << 20), addresses.take(512, 512)
    addresses.give(first, 512)
    addresses.give(second, 512)
    assert addresses.take(512, 1 << 20) == first
    assert addresses.take(512, 1 << 20) not in {first, second}
    assert addresses.take(1024, 512) not in {first, second}
    assert addresses.take(512, 512) == second
    addresses.close()


def test_freed_ranges_are_quarantined_on_a_strict_machine() -> None:
    """They come again with their window, when all else is used up."""
    addresses = Addresses(Territory(Chance(1)), reuse=False)
    first = addresses.take(512, 512)
    addresses.give(first, 512)
    assert addresses.take(512, 512) != first
    addresses.close()


def test_closed_addresses_begin_anew() -> None:
    """What is given back belongs to the machine."""
    territory = Territory(Chance(1))
    addresses = Addresses(territory, reuse=True)
    first = addresses.take(512, 512)
    addresses.give(first, 512)
    (window,) = addresses.windows
    addresses.close()
    assert list(territory.retired) == [window]
    assert not addresses.windows
    assert addresses.take(512, 512) != first
    addresses.close()


def test_functions_lie_before_all_windows() -> None:
    """Each at an address of its own, where no machine begins."""
    driver, hip = SPACE.function(1), SPACE.function((1 << 20) + 1)
    assert SPACE.start < driver < hip < SPACE.first
