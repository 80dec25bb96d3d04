"""Whether an address of the host can be followed is asked of the system, each time."""

from __future__ import annotations

import ctypes
import mmap

import pytest

from fakecuda import Machine
from fakecuda.model.memory import pointers
from fakecuda.model.memory.pointers import first_of_heap, reaches
from fakecuda.model.memory.space import PROT_NONE, READ, WRITE, libc, map_memory

from .world import done, started

PAGE = mmap.PAGESIZE
ANONYMOUS = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS


def test_memory_of_any_kind_is_mapped() -> None:
    """What an attached process has among the addresses of devices, too."""
    with Machine("h200") as machine:
        pinned = done(started(machine).c.cuMemHostAlloc(PAGE, 0))
        mapped = map_memory(PAGE, mmap.PROT_READ, ANONYMOUS)
        assert pointers.is_mapped(mapped, PAGE, READ)
        assert not pointers.is_mapped(mapped, PAGE, WRITE)
        libc.munmap(mapped, PAGE)
        assert not pointers.is_mapped(mapped, PAGE, READ)
        assert pointers.is_mapped(pinned, PAGE, WRITE)
        assert pointers.is_mapped(pointers.HEAP, 8, WRITE)


def test_memory_is_found_unmapped_after_it_was_asked_about() -> None:
    """In its midst, at its end, and all of it."""
    start = map_memory(4 * PAGE, mmap.PROT_READ | mmap.PROT_WRITE, ANONYMOUS)
    libc.munmap(start + 3 * PAGE, PAGE)
    assert all(reaches(start + at, 3 * PAGE - at, WRITE) for at in (8, 8, 2 * PAGE))
    assert not reaches(start, 3 * PAGE + 1, READ)
    libc.munmap(start + PAGE, PAGE)
    assert not reaches(start, 3 * PAGE, WRITE)
    assert reaches(start + 8, 8, WRITE)
    libc.munmap(start, 3 * PAGE)
    assert not reaches(start + 8, 8, READ)


@pytest.mark.parametrize(("protection", "read"), [(mmap.PROT_READ, True), (PROT_NONE, False)])
def test_what_a_page_permits_counts(protection: int, read: bool) -> None:  # noqa: FBT001 - a parameter of the test
    """Memory that can be read alone is none to copy to."""
    start = map_memory(PAGE, protection, ANONYMOUS)
    assert [reaches(start, 8, READ), reaches(start, 8, WRITE)] == [read, False]
    libc.munmap(start, PAGE)


def test_nothing_is_asked_of_the_heap(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is mapped from its first byte to its end, and not behind that."""
    monkeypatch.setattr(pointers, "access_of", lambda *_: 0)
    monkeypatch.setattr(pointers, "HEAP", 1 << 20)
    monkeypatch.setattr(pointers, "_break", ctypes.c_size_t(2 << 20))
    assert reaches(1 << 20, 1 << 20, WRITE)
    assert not reaches((1 << 20) - 1, 8, READ)
    assert not reaches(1 << 20, (1 << 20) + 1, READ)


def test_where_the_heap_begins() -> None:
    """Where it is told; where it is not, no address lies in it."""
    assert first_of_heap("1000-2000 r-xp /bin/x\n3000-5000 rw-p 0 00:00 0   [heap]\n") == 0x3000
    assert first_of_heap("1000-2000 r-xp /bin/x\n") == 1 << 64


@pytest.mark.parametrize("protection", [mmap.PROT_READ, PROT_NONE])
def test_memory_that_is_mapped_anew_with_fewer_rights_is_found(protection: int) -> None:
    """At the same address: a copy that trusted what was asked before would end the process."""
    start = map_memory(PAGE, mmap.PROT_READ | mmap.PROT_WRITE, ANONYMOUS)
    assert reaches(start, 8, WRITE)
    libc.munmap(start, PAGE)
    assert map_memory(PAGE, protection, ANONYMOUS, near=start) == start
    assert not reaches(start, 8, WRITE)
    libc.munmap(start, PAGE)
