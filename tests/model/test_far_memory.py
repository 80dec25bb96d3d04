"""Memory that this OS process cannot touch: copies, fills and waits reach it through its own ways."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.model import backing, transfer
from fakecuda.model.backing import Extent, HostMemory, sparse_file
from fakecuda.model.space import SPACE, Space
from fakecuda.model.system import System

from .world import done

if TYPE_CHECKING:
    from collections.abc import Iterator


class Far(HostMemory):
    """Memory that is moved as if it were far away."""

    near = False

    def put(self, extent: Extent, offset: int, source: int, size: int) -> None:
        """Copy to it."""
        ctypes.memmove(extent.offset + offset, source, size)

    def get(self, extent: Extent, offset: int, target: int, size: int) -> None:
        """Copy from it."""
        ctypes.memmove(target, extent.offset + offset, size)


@pytest.fixture
def far() -> tuple[Extent, Any]:
    """Return an extent of far memory, and its bytes."""
    buffer = ctypes.create_string_buffer(bytes(range(256)), 256)
    extent = Extent(Far(0, 0), ctypes.addressof(buffer), 256)
    extent.written = True
    return extent, buffer


@pytest.fixture
def near() -> tuple[Extent, Any]:
    """Return an extent of memory at hand, and its bytes."""
    buffer = ctypes.create_string_buffer(256)
    return transfer.UNPLACED.registered(ctypes.addressof(buffer), 256), buffer


def test_bytes_go_there_and_back(far: tuple[Extent, Any], near: tuple[Extent, Any]) -> None:
    """One move is enough where one side is at hand; two far sides meet in between."""
    transfer.copy([(near[0], 0, 256)], [(far[0], 0, 256)])
    assert near[1].raw == bytes(range(256))
    transfer.copy([(far[0], 0, 128)], [(near[0], 128, 128)])
    assert far[1].raw[:128] == bytes(range(128, 256))
    transfer.copy([(far[0], 128, 128)], [(far[0], 0, 128)])
    assert far[1].raw == bytes(range(128, 256)) * 2
    assert transfer.content((far[0], 1, 4)) == bytes(range(129, 133))


def test_rows_go_one_by_one(far: tuple[Extent, Any], near: tuple[Extent, Any]) -> None:
    """Rows of far memory have the bytes between them left alone."""
    transfer.copy_rows([(near[0], 0, 200)], [(far[0], 0, 200)], (8, 4, 1, 64, 256, 64, 256))
    assert near[1].raw[64:72] == bytes(range(64, 72))
    assert near[1].raw[72:128] == bytes(56)


def test_fills_of_patterns(far: tuple[Extent, Any]) -> None:
    """A pattern is written as often as there is room for it."""
    transfer.fill([(far[0], 0, 256)], 0x01020304, 4)
    assert far[1].raw == b"\4\3\2\1" * 64
    transfer.fill_rows([(far[0], 0, 72)], 0x0506, 2, 8, 2, 64)
    assert far[1].raw[:10] == b"\6\5" * 4 + b"\4\3"


def test_a_process_has_the_memory_of_its_system() -> None:
    """What is registered, and what calls copy from, is the process's own memory."""
    buffer = ctypes.create_string_buffer(b"x" * 64, 64)
    with Machine() as machine:
        a = machine.spawn()
        a.system = System(Far(0, 0))
        done(a.c.cuInit(0))
        done(a.c.cuCtxCreate(None, 0, 0))
        device = done(a.c.cuMemAlloc(64))
        done(a.c.cuMemcpyHtoD(device, ctypes.addressof(buffer), 64))
        done(a.c.cuMemsetD8(device, 7, 32))
        done(a.c.cuMemcpyDtoH(ctypes.addressof(buffer), device, 64))
    assert buffer.raw == b"\7" * 32 + b"x" * 32


@pytest.fixture
def seen() -> Iterator[list[tuple[int, int, int, int]]]:
    """Return what watchers of device addresses are told."""
    told: list[tuple[int, int, int, int]] = []

    def watcher(*change: int) -> None:
        told.append(change)  # type: ignore[arg-type]

    backing.watchers.append(watcher)
    yield told
    backing.watchers.remove(watcher)


def test_pages_on_a_shelf(seen: list[tuple[int, int, int, int]]) -> None:
    """Pinned and managed memory can lie in a file, at the offset of its address; what is freed there is zero again."""
    SPACE.reserve()
    with Machine() as machine:
        shelf = sparse_file()
        os.ftruncate(shelf, SPACE.end - SPACE.start)
        machine.pinned.shelf = machine.managed.shelf = shelf
        a = machine.spawn()
        done(a.c.cuInit(0))
        context = done(a.c.cuCtxCreate(None, 0, 0))
        pinned = done(a.c.cuMemHostAlloc(4 << 20, 0))
        assert seen == [(pinned, 4 << 20, shelf, pinned - SPACE.start)]
        ctypes.memset(pinned, 5, 4 << 20)
        assert os.pread(shelf, 3, pinned - SPACE.start) == b"\5\5\5"
        done(a.c.cuMemsetD8(pinned, 0, 4 << 20))
        assert os.pread(shelf, 3, pinned - SPACE.start) == bytes(3)
        done(a.c.cuMemFreeHost(pinned))
        assert seen[1] == (pinned, 4 << 20, -1, 0)
        done(a.c.cuCtxDestroy(context))
        os.close(shelf)
        machine.pinned.shelf = machine.managed.shelf = None


def test_a_range_of_another_process() -> None:
    """Whoever takes over a range gives out none of its lower half."""
    space = Space()
    space.share(1 << 44, 3 << 44)
    assert (space.start, space.end) == (1 << 44, 3 << 44)
    assert space.first == 2 << 44


def test_an_abandoned_machine_gives_nothing_back() -> None:
    """A fork of the owner leaves the machine's files and exports to the owner."""
    machine = Machine()
    a = machine.spawn()
    done(a.c.cuInit(0))
    done(a.c.cuCtxCreate(None, 0, 0))
    memory = done(a.c.cuMemCreate(2 << 20, (1, 1, (1, 0), 0, (0, 0, 0)), 0))
    descriptor = done(a.c.cuMemExportToShareableHandle(memory, 1, 0))
    machine.abandon()
    assert machine.closed
    assert (machine.exports, machine.processes) == ({}, {})
    os.close(descriptor)


def test_a_device_has_a_file() -> None:
    """It is made when it is first asked for, and is the memory that calls write."""
    with Machine() as machine:
        memory = machine.devices[0].memory
        descriptor, base, size = memory.file()
        assert os.fstat(descriptor).st_size == size
        assert memory.file() == (descriptor, base, size)
