"""Moving bytes between host and device, within and across mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

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


def test_bytes_cross_the_seam_of_two_mappings(machine: Machine) -> None:
    """Written, read and filled as one range."""
    a = started(machine)
    seam = adjoining(a) + GRANULE - SEAM
    put(a, seam, PATTERN)
    assert contents(a, seam, 2 * SEAM) == PATTERN
    assert contents(a, seam + SEAM, SEAM) == PATTERN[SEAM:]
    done(a.c.cuMemsetD8(seam + SEAM - 2, 0xEE, 4))
    assert contents(a, seam, 2 * SEAM) == PATTERN[: SEAM - 2] + b"\xee" * 4 + PATTERN[SEAM + 2 :]


@pytest.mark.parametrize(("source", "target"), [(True, True), (True, False), (False, True), (False, False)])
def test_copies_between_whole_and_pieced_ranges(machine: Machine, *, source: bool, target: bool) -> None:
    """Whichever of the two lies across a seam."""
    a = started(machine)
    places = [
        adjoining(a) + GRANULE - SEAM if pieced else done(a.c.cuMemAlloc(2 * SEAM)) for pieced in (source, target)
    ]
    put(a, places[0], PATTERN)
    done(a.c.cuMemcpyDtoD(places[1], places[0], 2 * SEAM))
    assert contents(a, places[1], 2 * SEAM) == contents(a, places[0], 2 * SEAM) == PATTERN


@pytest.mark.parametrize("shift", [1, SEAM, -1, -SEAM])
@pytest.mark.parametrize("pieced", [False, True])
def test_overlapping_copies_read_before_they_write(machine: Machine, shift: int, *, pieced: bool) -> None:
    """The target holds what the source held."""
    a = started(machine)
    start = adjoining(a) + GRANULE - 2 * SEAM if pieced else done(a.c.cuMemAlloc(8 * SEAM)) + 2 * SEAM
    put(a, start, PATTERN)
    done(a.c.cuMemcpyDtoD(start + shift, start, len(PATTERN)))
    assert contents(a, start + shift, len(PATTERN)) == PATTERN


def test_unified_addressing_follows_device_pointers(machine: Machine) -> None:
    """A host argument that is a device pointer is read and written as device memory."""
    a = started(machine)
    first, second, third = (done(a.c.cuMemAlloc(64)) for _ in range(3))
    put(a, first, PATTERN)
    done(a.c.cuMemcpyDtoH(second, first, len(PATTERN)))
    done(a.c.cuMemcpyHtoD(third, second, len(PATTERN)))
    assert contents(a, third, len(PATTERN)) == PATTERN


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


def test_copies_go_from_card_to_card(machine: Machine) -> None:
    """A mapping of another device's memory is written where it lies."""
    a = started(machine)
    here = done(a.c.cuMemAlloc(64))
    there = mapped(a, created(a, device=1))
    put(a, here, PATTERN)
    done(a.c.cuMemcpyDtoD(there, here, len(PATTERN)))
    assert contents(a, there, len(PATTERN)) == PATTERN
    assert machine.devices[1].memory._base
