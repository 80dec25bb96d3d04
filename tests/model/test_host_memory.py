"""Pinned, managed and registered memory: the host and the devices see the same bytes, as long as it lives."""

from __future__ import annotations

import ctypes
import mmap
import os
import resource
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.errors import FakeCudaError, UndefinedBehaviour
from fakecuda.model.memory import host_memory
from fakecuda.model.memory.blocks import BLOCK
from fakecuda.model.memory.memory import Pinned, Registered
from fakecuda.rules.registry import DRIVER
from fakecuda.spec.codes import Result

from .world import contents, done, started

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda import Process

PAGE = 4096
MIB = 1 << 20
MAKERS: dict[str, Callable[[Process, int], int]] = {
    "pinned": lambda process, size: int(done(process.c.cuMemHostAlloc(size, 0))),
    "write-combined": lambda process, size: int(done(process.c.cuMemHostAlloc(size, 4))),
    "managed": lambda process, size: int(done(process.c.cuMemAllocManaged(size, 1))),
}
kinds = pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)


def registered(process: Process, size: int, flags: int = 0) -> int:
    """Return the address of memory of the host that was registered."""
    address = process.host_memory(size)
    done(process.c.cuMemHostRegister(address, size, flags))
    return address


def readable(address: int) -> bool:
    """Return whether the host can read a byte at an address, without being killed for trying."""
    reader, writer = os.pipe()
    try:
        libc = ctypes.CDLL(None)
        libc.write.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_size_t]
        return bool(libc.write(writer, address, 1) == 1)
    finally:
        os.close(reader)
        os.close(writer)


def free(process: Process, address: int) -> None:
    """Free memory of whichever kind."""
    if process.c.cuMemFree(address)[0]:
        done(process.c.cuMemFreeHost(address))


@kinds
def test_new_memory_is_zeros(make: Callable[[Process, int], int], machine: Machine) -> None:
    """For the host and for devices."""
    a = started(machine)
    address = make(a, 3 * MIB)
    assert ctypes.string_at(address, 3 * MIB) == bytes(3 * MIB)
    assert contents(a, address, 8) == bytes(8)


@kinds
def test_copies_between_all_kinds(make: Callable[[Process, int], int], machine: Machine) -> None:
    """A strict machine sees no race with device memory."""
    a = started(machine)
    address, device = make(a, PAGE), int(done(a.c.cuMemAlloc(PAGE)))
    ctypes.memmove(address, b"host", 4)
    done(a.c.cuMemcpyDtoD(device, address, 4))
    done(a.c.cuMemcpyDtoD(address + 4, device, 4))
    assert ctypes.string_at(address, 8) == b"hosthost"


def _destroy(process: Process) -> None:
    done(process.c.cuCtxDestroy(done(process.c.cuCtxGetCurrent())))


ENDS: dict[str, Callable[[Process], None]] = {
    "context": _destroy,
    "exit": lambda process: process.exit(),
    "begin_exit": lambda process: process.begin_exit(),
    "kill": lambda process: process.kill(),
}


@pytest.mark.parametrize("end", ENDS.values(), ids=ENDS)
@kinds
def test_memory_ends_with_its_context_and_its_process(
    make: Callable[[Process, int], int], end: Callable[[Process], None], machine: Machine
) -> None:
    """It is given back, and the host cannot touch its addresses any more."""
    a = started(machine)
    addresses = [make(a, PAGE), make(a, PAGE), make(a, 3 * MIB)]
    page = registered(a, PAGE)
    assert all(readable(address) for address in addresses)
    assert machine.pinned.used + machine.managed.used == BLOCK + 2 * BLOCK
    end(a)
    machine.check_invariants()
    assert not any(readable(address) for address in addresses)
    assert machine.pinned.used == machine.managed.used == 0
    assert readable(page)  # it is the caller's own


@kinds
def test_freed_memory_is_hidden_with_its_block(make: Callable[[Process, int], int], machine: Machine) -> None:
    """A large one at once, small ones when nothing else is in their block."""
    a = started(machine)
    large, first, second = make(a, 3 * MIB), make(a, PAGE), make(a, PAGE)
    free(a, large)
    assert not readable(large)
    free(a, first)
    assert readable(first)
    free(a, second)
    assert not readable(first)
    assert not readable(second)
    assert readable(make(a, PAGE))


@kinds
def test_addresses_of_a_strict_machine_do_not_come_again(make: Callable[[Process, int], int], machine: Machine) -> None:
    """A pointer that was freed names nothing for ever."""
    a = started(machine)
    make(a, PAGE)
    seen = set()
    for _round in range(8):
        address = make(a, PAGE)
        free(a, address)
        seen.add(address)
    assert len(seen) == 8


def test_managed_memory_may_exceed_the_card(permissive: Machine) -> None:
    """What is not touched costs nothing, neither on the card nor on the host."""
    a = started(permissive)
    card = permissive.devices[0].memory
    used = card.used
    address = MAKERS["managed"](a, 2 * card.total)
    ctypes.memmove(address + card.total, b"far", 3)
    assert contents(a, address + card.total, 3) == b"far"
    assert card.used == used


@kinds
def test_the_system_may_refuse_to_map(
    make: Callable[[Process, int], int], machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The call answers OUT_OF_MEMORY, and nothing is held."""
    a = started(machine)
    before = machine.snapshot()

    class Refusing:
        """A C library that refuses to map memory."""

        @staticmethod
        def mmap(*_: object) -> int:
            return (1 << 64) - 1

    with monkeypatch.context() as patch:
        patch.setattr(host_memory, "libc", Refusing)
        for call, flags in (("cuMemHostAlloc", 0), ("cuMemHostAlloc", 4), ("cuMemAllocManaged", 1)):
            assert getattr(a.c, call)(PAGE, flags) == (Result.OUT_OF_MEMORY, None)
    assert machine.snapshot() == before
    assert readable(make(a, PAGE))


def test_processes_register_the_same_memory_each(machine: Machine) -> None:
    """A simulated process has registrations of its own; that the memory is one is the test's doing."""
    a, b = started(machine), started(machine)
    address = registered(a, PAGE)
    done(b.c.cuMemHostRegister(address, PAGE, 0))
    b.kill()
    assert a.c.cuMemHostGetFlags(address) == (Result.SUCCESS, 2)
    assert b.machine.pinned.used == 0


def test_memory_tells_where_it_came_from(machine: Machine) -> None:
    """A finding tells where memory was made and where it ended, as it does for device memory."""
    a = started(machine)
    pinned, page = MAKERS["pinned"](a, PAGE), registered(a, PAGE)
    items = [a.memory.at(pinned), a.memory.at(page)]
    free(a, pinned)
    done(a.c.cuMemHostUnregister(page))
    for item, words in zip(items, (("allocated", "freed"), ("registered", "unregistered")), strict=True):
        assert isinstance(item, Pinned | Registered)
        story = [line for line in item.history() if not line.startswith(" ")]
        assert [line.split(" at ")[0] for line in story] == list(words)
        assert all("test_host_memory.py" in line or "world.py" in line for line in story)
    assert a.freed[pinned] is items[0]


def test_memory_says_what_it_is(machine: Machine) -> None:
    """Kind, address and size in bytes: findings and the prompt show it so."""
    a = started(machine)
    pinned, managed, page = MAKERS["pinned"](a, 100), MAKERS["managed"](a, 100), registered(a, PAGE)
    for address, words, size in (
        (pinned, "pinned memory", 100),
        (managed, "managed memory", 100),
        (page, "registered memory", PAGE),
    ):
        item = a.memory.at(address)
        assert item is not None
        assert item.size == size
        assert repr(item) == f"{words} {address:#x}+{size:#x}"


@kinds
def test_the_cap_holds_for_the_hosts_memory(make: Callable[[Process, int], int]) -> None:
    """What calls write counts once, however often; what is freed counts no more."""
    with Machine("h200", memory_cap=8 * MIB) as machine:
        a = started(machine)
        first, second = make(a, 6 * MIB), make(a, 6 * MIB)
        for value in (1, 2, 3):
            done(a.c.cuMemsetD8(first, value, 6 * MIB))
        with pytest.raises(
            FakeCudaError, match="has written to 6 MiB of simulated device memory and now writes to 6 MiB more"
        ):
            a.c.cuMemsetD8(second, 1, 6 * MIB)
        assert ctypes.string_at(second, 64) == bytes(64)
        machine.check_invariants()
        free(a, first)
        done(a.c.cuMemsetD8(second, 1, 6 * MIB))


def test_registered_memory_is_no_matter_of_the_cap() -> None:
    """It is the caller's, who holds it already."""
    with Machine("h200", memory_cap=MIB) as machine:
        a = started(machine)
        done(a.c.cuMemsetD8(registered(a, 2 * MIB), 1, 2 * MIB))


@kinds
def test_a_large_zero_fill_gives_pages_back(make: Callable[[Process, int], int]) -> None:
    """Its ends lie within pages; no cap stops it."""
    with Machine("h200", memory_cap=8 * MIB) as machine:
        a = started(machine)
        address = make(a, 6 * MIB)
        done(a.c.cuMemsetD8(address, 7, 6 * MIB))
        for size in (4 * MIB, 64 * MIB):
            large = make(a, size)
            done(a.c.cuMemsetD8(large, 0, size))
        done(a.c.cuMemsetD8(address + 100, 0, 2 * MIB))
        assert ctypes.string_at(address, 2 * MIB + 101) == b"\x07" * 100 + bytes(2 * MIB) + b"\x07"


def test_registered_memory_that_was_unmapped_first_is_said(machine: Machine) -> None:
    """Touching it would end the test run."""
    a = started(machine)
    pages = mmap.mmap(-1, 2 * PAGE)
    view = ctypes.c_char.from_buffer(pages)
    address = ctypes.addressof(view)
    done(a.c.cuMemHostRegister(address, 2 * PAGE, 0))
    device = done(a.c.cuMemAlloc(PAGE))
    del view
    pages.close()
    for name, args in (
        ("cuMemsetD8", (address, 1, PAGE)),
        ("cuMemcpyDtoD", (device, address, PAGE)),
        ("cuMemcpy", (address, device, PAGE)),
    ):
        with pytest.raises(FakeCudaError, match="was unmapped while it was registered: call cuMemHostUnregister"):
            getattr(a.c, name)(*args)
    done(a.c.cuMemHostUnregister(address))


def test_a_copy_of_protected_memory_is_a_finding(machine: Machine) -> None:
    """Neither what cannot be read nor what cannot be written is touched."""
    a = started(machine)
    device = done(a.c.cuMemAlloc(PAGE))
    address = a.host_memory(PAGE)
    protect = ctypes.CDLL(None).mprotect
    for protection, target in ((mmap.PROT_READ, True), (0, False), (0, True)):
        assert protect(ctypes.c_void_p(address), ctypes.c_size_t(PAGE), protection) == 0
        with pytest.raises(UndefinedBehaviour, match="host memory that the process can access"):
            a.c.cuMemcpy(*((address, device) if target else (device, address)), 8)
    assert protect(ctypes.c_void_p(address), ctypes.c_size_t(PAGE), mmap.PROT_READ) == 0
    done(a.c.cuMemcpy(device, address, 8))


def test_no_descriptor_left_is_said(machine: Machine) -> None:
    """With what to do; nothing has happened."""
    a = started(machine)
    pointer = done(a.c.cuMemAlloc(2 * MIB))
    handle = done(a.c.cuMemCreate(2 * MIB, (1, 1, (1, 0), 0, (0, 0, 0)), 0))
    for name in ("cuMemGetHandleForAddressRange", "cuMemExportToShareableHandle"):
        assert DRIVER.ops[name].rules  # its module is read before no file can be opened
    lowest = os.dup(0)
    os.close(lowest)
    before, limits = machine.snapshot(), resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, limits[1]))
    try:
        for name, args in (
            ("cuMemGetHandleForAddressRange", (pointer, PAGE, 1, 0)),
            ("cuMemExportToShareableHandle", (handle, 1, 0)),
        ):
            with pytest.raises(FakeCudaError, match="cannot create a file descriptor for a shareable handle"):
                getattr(a.c, name)(*args)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    assert machine.snapshot() == before
