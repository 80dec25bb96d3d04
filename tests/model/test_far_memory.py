"""Memory that this OS process cannot touch: copies, fills and waits reach it through its own ways."""

from __future__ import annotations

import ctypes
import os
import threading
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.model.memory import files, transfer
from fakecuda.model.memory.backing import Extent
from fakecuda.model.memory.files import sparse_file
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.memory.space import SPACE, Space
from fakecuda.model.os.system import System
from fakecuda.model.work.value import Value

from .world import done

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


UNTOLD = 0xFF


class Far(HostMemory):
    """Memory that is copied as if it were in another process."""

    near = False

    def put(self, extent: Extent, offset: int, source: int, size: int) -> None:
        """Copy to it."""
        ctypes.memmove(extent.offset + offset, source, size)

    def get(self, extent: Extent, offset: int, target: int, size: int) -> None:
        """Copy from it."""
        ctypes.memmove(target, extent.offset + offset, size)

    def within(self, target: int, source: int, size: int) -> None:
        """Copy within it."""
        ctypes.memmove(target, source, size)

    def told(self, extent: Extent, offset: int, size: int) -> bytes | None:
        """Return what is there, unless the first byte is 0xFF."""
        content = ctypes.string_at(extent.offset + offset, size)
        return None if content[0] == UNTOLD else content

    def change(self, extent: Extent, offset: int, size: int, function: Callable[[bytes], bytes]) -> None:
        """Change it."""
        content = function(ctypes.string_at(extent.offset + offset, size))
        ctypes.memmove(extent.offset + offset, content, size)


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
    """One move is enough for each piece at hand, and none goes through it where both sides are far."""
    transfer.copy([(near[0], 0, 256)], [(far[0], 0, 256)])
    assert near[1].raw == bytes(range(256))
    transfer.copy([(far[0], 0, 128)], [(near[0], 128, 128)])
    assert far[1].raw[:128] == bytes(range(128, 256))
    transfer.copy([(far[0], 128, 128)], [(far[0], 0, 128)])
    assert far[1].raw == bytes(range(128, 256)) * 2
    assert transfer.content((far[0], 1, 4)) == bytes(range(129, 133))
    transfer.copy([(near[0], 0, 4), (near[0], 16, 4)], [(far[0], 0, 8)])
    assert near[1].raw[:4] + near[1].raw[16:20] == bytes(range(128, 136))


def test_values_change_in_place(far: tuple[Extent, Any], near: tuple[Extent, Any]) -> None:
    """What does not fit into the bytes that there are is left out, near and far."""
    for extent, buffer in (far, near):
        buffer[:4] = (0xFE, 0xFF, 0xFF, 5)
        transfer.change((extent, 0, 3), lambda value: value + 2 + (7 << 24))
        assert buffer[:4] == b"\0\0\0\5"


def test_a_value_that_is_not_told_is_waited_for(far: tuple[Extent, Any]) -> None:
    """It is none that could be right."""
    value = Value((far[0], 0, 4), far[0].offset, "anything but {}", 7, lambda number: number != 7)
    assert value()
    far[1][0] = UNTOLD
    assert not value()


def test_what_a_far_process_reads_reaches_every_device() -> None:
    """Its bytes go to whatever is bound to a multicast object."""
    buffer = ctypes.create_string_buffer(bytes(range(64)), 64)
    source = Extent(Far(0, 0), ctypes.addressof(buffer), 64)
    with Machine("h200-x2") as machine:
        a = machine.spawn()
        done(a.c.cuInit(0))
        done(a.c.cuCtxCreate(None, 0, 0))
        team = done(a.c.cuMulticastCreate((2, 2 << 20, 1, 0)))
        for device in (0, 1):
            done(a.c.cuMulticastAddDevice(team, device))
        parts = []
        for device in (0, 1):
            part = done(a.c.cuMemCreate(2 << 20, (1, 1, (1, device), 0, (0, 0, 0)), 0))
            done(a.c.cuMulticastBindMem(team, 0, part, 0, 2 << 20, 0))
            parts.append(a.handles[part].physical.extent)
        transfer.copy([(a.handles[team].physical.extent, 8, 64)], [(source, 0, 64)])
        assert [transfer.content((part, 8, 64)) for part in parts] == [bytes(range(64))] * 2


def test_memory_that_is_being_moved_is_nobody_elses() -> None:
    """A range that is freed while another OS process moves bytes there is given out, and zero, when they are moved."""
    with Machine() as machine:
        memory = machine.devices[0].memory
        kept, other = memory.take(4096), memory.take(4096)
        assert kept is not None
        assert other is not None
        transfer.fill([(kept, 0, 4096)], 5)
        memory.hold(kept.offset, kept.offset + 8)
        for extent in (kept, other):
            extent.release()
        assert memory.used == 0
        taken = [memory.take(4096) for _ in range(2)]
        assert kept.offset not in {one.offset for one in taken if one}
        ctypes.memset(memory.address(kept), 6, 8)
        memory.let_go(kept.offset, kept.offset + 8)
        assert memory.used == 2 * 4096
        again = memory.take(4096)
        assert again is not None
        assert again.offset == kept.offset
        assert transfer.content((again, 0, 4096)) == bytes(4096)


class Slow(System):
    """A system that leaves work after each stream operation."""

    def __init__(self) -> None:
        super().__init__()
        self.go = threading.Event()

    def collect(self, act: Callable[[], None]) -> Callable[[], None]:
        """Have the rest wait until it may go on."""
        act()

        def rest() -> None:
            self.go.wait()

        return rest


def test_work_is_done_when_its_rest_is() -> None:
    """The rest is done without the machine's lock, by the worker of the context."""
    with Machine() as machine:
        a = machine.spawn()
        done(a.c.cuInit(0))
        done(a.c.cuCtxCreate(None, 0, 0))
        stream, word = done(a.c.cuStreamCreate(1)), done(a.c.cuMemAlloc(4))
        a.system = slow = Slow()
        done(a.c.cuStreamWaitValue32(stream, word, 1, 1))
        done(a.c.cuMemsetD32Async(word, 2, 1, stream))
        done(a.c.cuMemsetD32(word, 1, 1))
        assert a.c.cuStreamQuery(stream) == (600,)
        slow.go.set()
        done(a.c.cuStreamSynchronize(stream))
        memory = a.memory.at(word)
        assert memory is not None
        assert transfer.content((memory.extent, 0, 4)) == b"\2\0\0\0"


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

    files.watchers.append(watcher)
    yield told
    files.watchers.remove(watcher)


def test_pages_on_a_shelf(seen: list[tuple[int, int, int, int]]) -> None:
    """Pinned and managed memory can lie in a file, at the offset of its address; what is freed there is zero again."""
    SPACE.reserve()
    with Machine() as machine:
        shelf = sparse_file(SPACE.end - SPACE.start)
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
    assert (machine.exchange.exports, machine.processes) == ({}, {})
    os.close(descriptor)


def test_a_device_has_a_file() -> None:
    """It is made when it is first asked for, and is the memory that calls write."""
    with Machine() as machine:
        memory = machine.devices[0].memory
        descriptor, base, size = memory.file()
        assert os.fstat(descriptor).st_size == size
        assert memory.file() == (descriptor, base, size)
