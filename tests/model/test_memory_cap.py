"""The cap on the simulated memory that a machine holds: what counts, and what the error says."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.errors import FakeCudaError
from fakecuda.model.memory import transfer
from fakecuda.model.memory.backing import PAGE
from tests.model.test_backing import held, memory, needs_memfd, taken

from .world import card, contents, done, started

if TYPE_CHECKING:
    from fakecuda.model.memory.backing import DeviceMemory

__all__ = ["memory"]


@needs_memfd
def test_the_cap_stops_a_test_that_writes_too_much() -> None:
    """The error says how much was written, how much is wanted, where the cap is and how to raise it."""
    with Machine("h200", memory_cap=8 << 20) as machine:
        a = started(machine)
        first = done(a.c.cuMemAlloc(6 << 20))
        second = done(a.c.cuMemAlloc(6 << 20))
        done(a.c.cuMemsetD8(first, 1, 6 << 20))
        with pytest.raises(FakeCudaError) as caught:
            a.c.cuMemsetD8(second, 1, 6 << 20)
        assert str(caught.value) == (
            "the test has written to 6 MiB of simulated device memory and now writes to 6 MiB more, "
            "but the limit is memory_cap=8 MiB: pass a larger memory_cap, in bytes, to the machine"
        )
        assert contents(a, second, 64) == bytes(64)
        machine.check_invariants()
        done(a.c.cuMemFree(first))
        done(a.c.cuMemsetD8(second, 1, 6 << 20))


@needs_memfd
def test_reading_takes_nothing(memory: DeviceMemory) -> None:
    """Memory that nobody wrote is read as zeroes, and still costs nothing."""
    extent = taken(memory, PAGE)
    room = ctypes.create_string_buffer(PAGE)
    transfer.read([(extent, 0, PAGE)], ctypes.addressof(room))
    assert room.raw == bytes(PAGE)
    assert held(memory) == 0


@needs_memfd
def test_writing_again_what_is_held_stays_within_the_cap() -> None:
    """The cap is on what is held: a buffer written over and over holds no more than once."""
    memory = card(PAGE * 8, cap=8 << 20)
    extent = taken(memory, 6 << 20)
    for value in (1, 2, 3):
        memory.fill(extent, 0, value, 6 << 20)
    assert held(memory) == 6 << 20
    memory.close()


@needs_memfd
def test_only_what_is_held_in_the_same_place_is_written_again() -> None:
    """Bytes held elsewhere leave no room under the cap."""
    memory = card(PAGE * 8, cap=PAGE)
    extent = taken(memory, 6 * PAGE)
    memory.fill(extent, 4 * PAGE, 1, PAGE)
    with pytest.raises(FakeCudaError, match="now writes to 2 MiB more"):
        memory.fill(extent, 0, 1, PAGE)
    memory.fill(extent, 4 * PAGE, 2, PAGE)
    memory.close()


def test_memory_that_was_never_mapped_is_freed_without_a_file() -> None:
    """A write that the cap refused has made no file to forget in."""
    memory = card(PAGE * 4, cap=PAGE)
    extent = taken(memory, 2 * PAGE)
    with pytest.raises(FakeCudaError, match="now writes to 4 MiB more"):
        memory.fill(extent, 0, 1, 2 * PAGE)
    extent.release()
    assert memory.used == 0
    assert memory._descriptor == -1


def test_small_writes_are_counted_together() -> None:
    """The cap is looked at once an eighth of it was written, however small the writes."""
    memory = card(PAGE * 4, cap=PAGE)
    extent = taken(memory, 3 * PAGE)

    def fill() -> None:
        for offset in range(0, 3 * PAGE, 4096):
            memory.fill(extent, offset, 1, 4096)

    with pytest.raises(FakeCudaError, match="limit is memory_cap=2 MiB"):
        fill()
    memory.close()


def test_a_zero_fill_of_what_was_never_written_is_free() -> None:
    """It is zero already: no cap stops it, no file is made for it, however large it is."""
    memory = card(PAGE * 8, cap=PAGE)
    extent = taken(memory, 6 * PAGE)
    memory.fill(extent, 0, 0, 6 * PAGE)
    memory.fill(extent, 8, 0, 8)
    assert memory._descriptor == -1
