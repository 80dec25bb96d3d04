"""Moving bytes between host and device, within and across mappings."""

from __future__ import annotations

import mmap
import os
from typing import TYPE_CHECKING

import pytest

from fakecuda import UndefinedBehaviour
from fakecuda.model.memory.space import libc, map_memory

from .world import GRANULE, READ_WRITE, contents, created, done, mapped, started

if TYPE_CHECKING:
    from fakecuda import Machine, Process

SEAM = 8
PATTERN = bytes(range(1, 2 * SEAM + 1))


def adjoining(process: Process) -> int:
    """Return the address of two mappings side by side."""
    start = int(done(process.c.cuMemAddressReserve(2 * GRANULE, 0, 0, 0)))
    for offset in (0, GRANULE):
        done(process.c.cuMemMap(start + offset, GRANULE, 0, created(process), 0))
    done(process.c.cuMemSetAccess(start, 2 * GRANULE, (((1, 0), READ_WRITE),), 1))
    return start


def put(process: Process, address: int, data: bytes) -> None:
    """Write bytes to device memory."""
    done(process.c.cuMemcpyHtoD(address, data, len(data)))


@pytest.mark.parametrize("shift", [1, SEAM, -1, -SEAM])
@pytest.mark.parametrize("pieced", [False, True])
def test_overlapping_copies_read_before_they_write(machine: Machine, shift: int, *, pieced: bool) -> None:
    """The target holds what the source held."""
    a = started(machine)
    start = adjoining(a) + GRANULE - 2 * SEAM if pieced else done(a.c.cuMemAlloc(8 * SEAM)) + 2 * SEAM
    put(a, start, PATTERN)
    done(a.c.cuMemcpyDtoD(start + shift, start, len(PATTERN)))
    assert contents(a, start + shift, len(PATTERN)) == PATTERN


def test_fills_keep_to_their_range(machine: Machine) -> None:
    """Not a byte more on either side, large zero fills included."""
    a = started(machine)
    start = done(a.c.cuMemAlloc(4 * GRANULE))
    done(a.c.cuMemsetD8(start, 0x11, 4 * GRANULE))
    done(a.c.cuMemsetD8(start + 3, 0, 2 * GRANULE + 1))
    assert contents(a, start, 5) == b"\x11\x11\x11\0\0"
    assert contents(a, start + 2 * GRANULE + 2, 4) == b"\0\0\x11\x11"
    done(a.c.cuMemsetD8(start + 1, 0x1FF, 1))
    assert contents(a, start, 3) == b"\x11\xff\x11"


@pytest.mark.parametrize("width", [2, 4])
def test_fills_repeat_a_value_within_their_range(machine: Machine, width: int) -> None:
    """Also where the value's bytes differ, and over a seam; a value's excess is left out."""
    a = started(machine)
    seam = adjoining(a) + GRANULE - SEAM
    done(a.c.cuMemsetD8(seam - 1, 0xEE, 2 * SEAM + 2))
    value = 0xAA0807060504030201
    fill = {2: a.c.cuMemsetD16, 4: a.c.cuMemsetD32}[width]
    done(fill(seam, value, 2 * SEAM // width))
    assert contents(a, seam - 1, 2 * SEAM + 2) == b"\xee" + PATTERN[:width] * (2 * SEAM // width) + b"\xee"
    done(fill(seam, 0, 3))
    assert contents(a, seam, 4 * width) == bytes(3 * width) + PATTERN[:width]
    done(fill(seam, value, 3))
    assert contents(a, seam, 4 * width) == PATTERN[:width] * 4
    fresh = mapped(a, created(a))
    done(fill(fresh, value, 3))
    assert contents(a, fresh, 4 * width) == PATTERN[:width] * 3 + bytes(width)


@pytest.mark.parametrize("value", [0, 0x01020304], ids=["zero", "pattern"])
@pytest.mark.parametrize(("row", "pitch"), [(32, 64), (32, 16384), (8192, 12288)])
def test_rows_are_filled_and_gaps_are_not(machine: Machine, row: int, pitch: int, value: int) -> None:
    """However far apart they lie, and however long they are."""
    a, rows = started(machine), 3
    address = int(done(a.c.cuMemAlloc(rows * pitch)))
    done(a.c.cuMemsetD8(address, 0xAA, rows * pitch))
    done(a.c.cuMemsetD2D32(address, pitch, value, row // 4, rows))
    filled = value.to_bytes(4, "little") * (row // 4)
    assert contents(a, address, rows * pitch) == (filled + b"\xaa" * (pitch - row)) * rows


def test_a_copy_needs_addresses_that_somebody_knows(machine: Machine) -> None:
    """The driver would crash: a strict machine says what was there, and nothing is touched."""
    a = started(machine)
    device, freed = (done(a.c.cuMemAlloc(64)) for _ in range(2))
    done(a.c.cuMemFree(freed))
    page = map_memory(2 * mmap.PAGESIZE, mmap.PROT_READ | mmap.PROT_WRITE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    end = page + mmap.PAGESIZE
    libc.munmap(end, mmap.PAGESIZE)
    done(a.c.cuMemcpy(end - 2, device, 2))
    for unknown in (freed, 1, end, end - 1, (1 << 64) - 2):
        for arguments in ((unknown, device, 2), (device, unknown, 2)):
            with pytest.raises(UndefinedBehaviour) as caught:
                a.c.cuMemcpy(*arguments)
            assert caught.value.finding.facts["found"] is a.freed.get(unknown)
            assert "cuMemcpy" in str(caught.value)
    with pytest.raises(UndefinedBehaviour):
        a.c.cuMemcpy(page, page + 1, (1 << 64) - 1)
    libc.munmap(page, mmap.PAGESIZE)


def test_a_copy_of_what_was_never_written_holds_no_memory(machine: Machine) -> None:
    """Zeros arrive, and the source stays a hole."""
    a = started(machine)
    source, target = (done(a.c.cuMemAlloc(4 * GRANULE)) for _ in range(2))
    done(a.c.cuMemsetD8(target, 1, 4 * GRANULE))
    memory = machine.devices[0].memory
    before = os.fstat(memory._descriptor).st_blocks
    done(a.c.cuMemcpyDtoD(target + 3, source, 3 * GRANULE))
    assert contents(a, target, 5) == b"\1\1\1\0\0"
    assert contents(a, target + 3 + 3 * GRANULE - 1, 2) == b"\0\1"
    assert os.fstat(memory._descriptor).st_blocks < before


def test_copies_go_from_card_to_card(machine: Machine) -> None:
    """A mapping of another device's memory is written where it lies."""
    a = started(machine)
    here = done(a.c.cuMemAlloc(64))
    there = mapped(a, created(a, device=1))
    put(a, here, PATTERN)
    done(a.c.cuMemcpyDtoD(there, here, len(PATTERN)))
    assert contents(a, there, len(PATTERN)) == PATTERN
    assert machine.devices[1].memory._base
