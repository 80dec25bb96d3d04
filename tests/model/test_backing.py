"""The contents of device memory: sparse, aliased, and forgotten when freed."""

from __future__ import annotations

import ctypes
import gc
import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.model.memory import backing, files, space, transfer
from fakecuda.model.memory.backing import FILE, PAGE, PUNCH, SMALL

from .world import GRANULE, card, contents, done, mapped, small, started, stored

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.memory.backing import DeviceMemory, Extent

H200 = 150_120_235_008
needs_memfd = pytest.mark.skipif(not hasattr(os, "memfd_create"), reason="the system has no memfd")


@pytest.fixture
def memory() -> Iterator[DeviceMemory]:
    """Return the memory of a card as large as a real one."""
    made = card(H200)
    yield made
    made.close()


def held(memory: DeviceMemory) -> int:
    """Return the bytes that the file takes of the system."""
    return os.fstat(memory._descriptor).st_blocks * 512 if memory._descriptor >= 0 else 0


def put(extent: Extent, data: bytes) -> None:
    """Write bytes to the beginning of an extent."""
    source = ctypes.create_string_buffer(data, len(data))
    transfer.write([(extent, 0, len(data))], ctypes.addressof(source))


def taken(memory: DeviceMemory, size: int) -> Extent:
    """Return an extent of a card that has room for it."""
    extent = memory.take(size)
    assert extent is not None
    return extent


@needs_memfd
def test_an_untouched_card_takes_nothing(memory: DeviceMemory) -> None:
    """A card of 141 GB is a sparse file: it costs what is written."""
    extent = taken(memory, 64 << 30)
    assert memory.address(extent)
    assert held(memory) == 0
    put(extent, b"x")
    assert 0 < held(memory) <= PAGE


def test_the_file_is_made_when_first_needed(memory: DeviceMemory) -> None:
    """A machine that moves no bytes opens no file."""
    extent = taken(memory, PAGE)
    assert memory._descriptor == -1
    extent.release()
    assert memory._descriptor == -1


@pytest.mark.parametrize(
    ("asked", "given"),
    [(1, SMALL), (SMALL, SMALL), (SMALL + 1, 2 * SMALL), (PAGE // 2, PAGE // 2), (PAGE // 2 + 1, PAGE)],
)
def test_sizes_are_rounded_to_the_unit_of_account(memory: DeviceMemory, asked: int, given: int) -> None:
    """Small extents count in 512 bytes, others in 2 MiB."""
    assert taken(memory, asked).size == given
    assert memory.used == given


@needs_memfd
@pytest.mark.parametrize("size", [SMALL, 4 * SMALL, 8 * SMALL, PAGE])
def test_freed_memory_comes_back_zeroed(memory: DeviceMemory, size: int) -> None:
    """What one test wrote is never what the next reads."""
    extent = taken(memory, size)
    put(extent, b"\xff" * size)
    extent.release()
    again = taken(memory, size)
    assert again.offset == extent.offset
    assert stored(again) == bytes(size)


class Rigid:
    """A C library without sparse files."""

    def __init__(self, **functions: object) -> None:
        vars(self).update(functions)

    def __getattr__(self, name: str) -> object:
        if name == "fallocate":
            raise AttributeError(name)
        return getattr(space.libc, name)


@pytest.mark.parametrize("libc", [Rigid(), Rigid(fallocate=lambda *_: -1)], ids=["unknown", "failing"])
def test_without_holes_zeros_are_written(memory: DeviceMemory, libc: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a file cannot give bytes back, freed and zeroed memory reads as zeros all the same."""
    monkeypatch.setattr(files, "libc", libc)
    extent = taken(memory, 2 * PAGE)
    put(extent, b"\xff" * 2 * PAGE)
    memory.fill(extent, 0, 0, PAGE)
    assert stored(extent) == bytes(PAGE) + b"\xff" * PAGE
    extent.release()
    assert stored(taken(memory, 2 * PAGE)) == bytes(2 * PAGE)


@needs_memfd
def test_freeing_gives_the_bytes_back_to_the_system(memory: DeviceMemory) -> None:
    """A hole is punched where the extent was."""
    extent = taken(memory, PAGE)
    put(extent, b"\xff" * PAGE)
    assert held(memory) == PAGE
    extent.release()
    assert held(memory) == 0


@needs_memfd
def test_a_large_zero_fill_punches_a_hole(memory: DeviceMemory) -> None:
    """Zeroes of a mebibyte and more are kept as nothing."""
    extent = taken(memory, 2 * PAGE)
    memory.fill(extent, 0, 7, 2 * PAGE)
    memory.fill(extent, PAGE, 0, PUNCH)
    assert held(memory) == 2 * PAGE - PUNCH
    assert stored(extent) == b"\x07" * PAGE + bytes(PUNCH) + b"\x07" * (PAGE - PUNCH)


def test_a_small_zero_fill_writes(memory: DeviceMemory) -> None:
    """Below that size it is a memset like any other."""
    extent = taken(memory, PAGE)
    memory.fill(extent, 0, 7, 8)
    memory.fill(extent, 2, 0, 4)
    assert stored(extent)[:8] == b"\x07\x07\0\0\0\0\x07\x07"


def test_a_zero_fill_of_a_fresh_card_is_zero(memory: DeviceMemory) -> None:
    """The hole can come before the file."""
    extent = taken(memory, PAGE)
    memory.fill(extent, 0, 0, PAGE)
    assert stored(extent) == bytes(PAGE)


def test_a_card_is_exhausted_by_its_usable_memory() -> None:
    """None is the answer; nothing is taken."""
    memory = card(4 * PAGE, usable=3 * PAGE)
    kept = [taken(memory, PAGE) for _ in range(2)]
    assert memory.take(2 * PAGE) is None
    assert memory.used == 2 * PAGE
    kept.pop().release()
    assert memory.take(2 * PAGE) is not None


def full() -> tuple[DeviceMemory, list[Extent]]:
    """Return a card of one page whose file, four pages long, is used up by extents of a page."""
    memory = card(PAGE, usable=FILE * PAGE)
    return memory, [taken(memory, PAGE) for _ in range(FILE)]


def test_neighbours_are_joined_when_the_file_is_used_up() -> None:
    """Two freed pages side by side are room for two pages."""
    memory, pages = full()
    pages[1].release()
    pages[2].release()
    joined = taken(memory, 2 * PAGE)
    assert (joined.offset, joined.size) == (PAGE, 2 * PAGE)
    assert memory.used == memory.total


def test_what_is_left_of_joined_room_is_kept() -> None:
    """The first range that fits is cut, the others stay as they are."""
    memory, pages = full()
    for page in (pages[0], pages[1], pages[3]):
        page.release()
    small_one = taken(memory, PAGE)
    small_one.release()
    half = taken(memory, PAGE + 1)
    assert (half.offset, half.size) == (0, 2 * PAGE)
    assert taken(memory, PAGE).offset == 3 * PAGE
    assert memory.take(SMALL) is None


def test_a_range_larger_than_the_wish_is_cut() -> None:
    """The rest of it can be taken next."""
    memory, pages = full()
    for page in pages[:3]:
        page.release()
    assert taken(memory, 2 * PAGE).offset == 0
    assert taken(memory, PAGE).offset == 2 * PAGE


def test_scattered_room_does_not_join() -> None:
    """Pages that do not adjoin cannot hold two pages, yet each still holds one."""
    memory, pages = full()
    pages[0].release()
    pages[2].release()
    assert memory.take(2 * PAGE) is None
    assert {taken(memory, PAGE).offset, taken(memory, PAGE).offset} == {0, 2 * PAGE}
    assert memory.take(PAGE) is None


def test_a_temporary_file_stands_in_for_memfd(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no memfd, contents, aliasing and forgetting are the same."""
    monkeypatch.delattr(os, "memfd_create", raising=False)
    memory = card(8 * PAGE, cap=4 * PAGE)
    extent = taken(memory, PAGE)
    memory.fill(extent, 0, 7, PAGE)
    assert stored(extent) == b"\x07" * PAGE
    memory.fill(extent, 0, 0, PAGE)
    assert stored(extent) == bytes(PAGE)
    put(extent, b"\x01" * PAGE)
    extent.release()
    assert stored(taken(memory, PAGE)) == bytes(PAGE)
    with pytest.raises(FakeCudaError, match="now writes to 10 MiB more"):
        memory.before_write(extent, 0, 5 * PAGE)
    memory.close()
    memory.close()


def test_a_lack_of_address_space_is_said(memory: DeviceMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the size and the fix."""
    extent = taken(memory, PAGE)
    monkeypatch.setattr(backing, "map_memory", lambda *_: 0)
    with pytest.raises(
        FakeCudaError,
        match=r"no address space left for a simulated device of 559 GiB: raise the limit of the process \(ulimit -v unlimited\)",
    ):
        memory.address(extent)


def test_dropped_machines_make_room(memory: DeviceMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Before the error the collector is asked, and the system once more."""
    map_memory, collected = space.map_memory, []
    monkeypatch.setattr(gc, "collect", lambda: collected.append(True))
    monkeypatch.setattr(backing, "map_memory", lambda *given: map_memory(*given) if collected else 0)
    assert memory.address(taken(memory, PAGE))


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="the system does not list open descriptors")
def test_a_lack_of_address_space_leaks_no_descriptor(memory: DeviceMemory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Asking again opens nothing that close() does not close."""
    before = len(list(Path("/proc/self/fd").iterdir()))
    extent = taken(memory, PAGE)
    monkeypatch.setattr(backing, "map_memory", lambda *_: 0)
    for _ in range(3):
        with pytest.raises(FakeCudaError):
            memory.address(extent)
    memory.close()
    assert len(list(Path("/proc/self/fd").iterdir())) == before


def test_memory_of_an_ended_process_is_zero_for_the_next() -> None:
    """A card of one granule is given from process to process, without its contents."""
    with Machine(small(GRANULE)) as machine:
        for _ in range(3):
            a = started(machine)
            pointer = done(a.c.cuMemAlloc(GRANULE))
            assert contents(a, pointer, GRANULE) == bytes(GRANULE)
            done(a.c.cuMemsetD8(pointer, 1, GRANULE))
            a.kill()


def test_the_host_sees_host_memory_without_memfd(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the device writes is what the host reads at the same address, whatever stands behind it."""
    monkeypatch.delattr(os, "memfd_create", raising=False)
    with Machine("h200") as machine:
        a = started(machine)
        start = mapped(a, done(a.c.cuMemCreate(GRANULE, (1, 0, (2, 0), 0, (0, 0, 0)), 0)))
        done(a.c.cuMemSetAccess(start, GRANULE, (((2, 0), 3),), 1))
        done(a.c.cuMemsetD8(start, 6, 16))
        assert ctypes.string_at(start, 16) == b"\x06" * 16


@needs_memfd
def test_a_fork_goes_on_with_a_copy() -> None:
    """The same bytes at the same addresses, in a file of its own; holes stay holes."""
    memory = card(PAGE * 8)
    extent = taken(memory, 4 * PAGE)
    memory.fill(extent, PAGE + 10, 7, 100)
    memory.fill(extent, 3 * PAGE, 8, PAGE)
    other, base, size = os.dup(memory._descriptor), memory.address(extent), held(memory)
    memory.fork()
    assert (memory.address(extent), held(memory)) == (base, size)
    assert stored(extent)[PAGE : PAGE + 110] == bytes(10) + b"\x07" * 100
    assert stored(extent)[3 * PAGE :] == b"\x08" * PAGE
    memory.fill(extent, 3 * PAGE, 9, 1)
    assert os.pread(other, 1, extent.offset + 3 * PAGE) == b"\x08"
    os.close(other)
    memory.close()


def test_a_fork_of_untouched_memory_makes_no_file() -> None:
    """There is nothing to copy."""
    memory = card(PAGE * 8)
    memory.fork()
    assert memory._descriptor == -1
