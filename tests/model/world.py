"""Fixtures of the model's tests: small machines, processes, and memory."""

from __future__ import annotations

import ctypes
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from fakecuda.model.memory import space
from fakecuda.model.memory.backing import DeviceMemory
from fakecuda.model.memory.space import Space
from fakecuda.profiles import DeviceProfile, Profile, load

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda import Machine, Process
    from fakecuda.model.memory.backing import Extent

GRANULE = 2 << 20
READ_WRITE = 3
POSIX = 1
LAZY = 1


def small(total: int, *, devices: int = 2, context: int = 0, **changes: Any) -> Profile:
    """Return a profile of cards of ``total`` bytes whose contexts take ``context`` bytes."""
    profile = load("h200-x2").with_devices(devices)
    cards = tuple(attrs.evolve(card, total_memory=total, free_memory=total) for card in profile.devices)
    return attrs.evolve(profile, devices=cards, context_memory=context, **changes)


def card(total: int, *, usable: int | None = None, cap: int = 1 << 40) -> DeviceMemory:
    """Return the memory of one card; more than ``total`` can be ``usable``, for the file is larger than the card."""
    return DeviceMemory(DeviceProfile("card", bytes(16), "0000:01:00.0", total, usable or total, {}), cap)


@contextmanager
def addresses(size: int, smallest: int) -> Iterator[Space]:
    """Have machines take their addresses from a space of so many bytes, and of the smallest where no more is free.

    It is given back at the end: what lies where the space of all machines should begin would move that elsewhere.
    """
    with pytest.MonkeyPatch.context() as patch:
        made = Space()
        for name, value in {"REGION": size, "SMALLEST_REGION": smallest, "SPACE": made}.items():
            patch.setattr(space, name, value)
        yield made
        if made.end:
            space.libc.munmap(made.end - size, size)


def started(machine: Machine, device: int = 0, name: str | None = None) -> Process:
    """Return a new process with a current context on a device."""
    process = machine.spawn(name)
    done(process.c.cuInit(0))
    done(process.c.cuCtxCreate(None, 0, device))
    return process


def done(answer: tuple[Any, ...]) -> Any:
    """Return the results of a call that must succeed: none, the one, or a tuple."""
    code, *outs = answer
    assert code == 0, answer
    return outs[0] if len(outs) == 1 else tuple(outs) or None


def pinned(device: int = 0, handle_types: int = POSIX) -> tuple[Any, ...]:
    """Return the properties of pinned memory of a device."""
    return (1, handle_types, (1, device), 0, (0, 0, 0))


def created(process: Process, size: int = GRANULE, device: int = 0) -> int:
    """Return a new allocation handle."""
    return int(done(process.c.cuMemCreate(size, pinned(device), 0)))


def mapped(process: Process, handle: int, size: int = GRANULE, device: int = 0) -> int:
    """Return the address of a new mapping of a handle that a device can read and write."""
    start = int(done(process.c.cuMemAddressReserve(size, 0, 0, 0)))
    done(process.c.cuMemMap(start, size, 0, handle, 0))
    done(process.c.cuMemSetAccess(start, size, (((1, device), READ_WRITE),), 1))
    return start


def contents(process: Process, address: int, size: int) -> bytes:
    """Return bytes of device memory."""
    room = bytearray(size)
    done(process.c.cuMemcpyDtoH(room, address, size))
    return bytes(room)


def stored(extent: Extent) -> bytes:
    """Return the bytes of an extent."""
    return ctypes.string_at(extent.memory.address(extent), extent.size)
