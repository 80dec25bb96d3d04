"""Memory that one process exports and others open or import: how long it lives, by descriptors, mappings and handles."""

from __future__ import annotations

import array
import mmap
import os
import socket
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.model.memory.memory import Import
from fakecuda.spec.codes import Result
from tests.model.test_machine import UNKNOWN, exported, used

from .world import GRANULE, POSIX, contents, created, done, mapped, pinned, started

if TYPE_CHECKING:
    from pathlib import Path

    from fakecuda import Process


def test_others_keep_what_they_map(machine: Machine) -> None:
    """The exporter is killed; its bytes stay for as long as somebody has them."""
    a, b = started(machine), started(machine)
    before = used(machine)[0]
    pointer = done(a.c.cuMemAlloc(4096))
    done(a.c.cuMemsetD8(pointer, 7, 4096))
    opened = done(b.c.cuIpcOpenMemHandle(done(a.c.cuIpcGetMemHandle(pointer)), 1))
    a.kill()
    machine.check_invariants()
    assert used(machine)[0] == before - machine.profile.context_memory + GRANULE
    assert contents(b, opened, 4096) == b"\x07" * 4096
    done(b.c.cuIpcCloseMemHandle(opened))
    assert used(machine)[0] == before - machine.profile.context_memory


def test_a_handle_of_freed_memory_opens_while_other_memory_lies_in_its_block(permissive: Machine) -> None:
    """The manual calls it undefined; an H200 showed that it opens what is left there."""
    a, b, c = started(permissive), started(permissive), started(permissive, device=1)
    other, pointer = (done(a.c.cuMemAlloc(4096)) for _ in range(2))
    handle = done(a.c.cuIpcGetMemHandle(pointer))
    done(a.c.cuMemsetD8(pointer, 4, 8))
    opened = done(b.c.cuIpcOpenMemHandle(handle, 1))
    done(a.c.cuMemFree(pointer))
    second = done(c.c.cuIpcOpenMemHandle(handle, 1))
    done(b.c.cuIpcCloseMemHandle(opened))
    assert contents(c, second, 8) == b"\x04" * 8
    done(c.c.cuIpcCloseMemHandle(second))
    done(a.c.cuMemFree(other))
    assert b.c.cuIpcOpenMemHandle(handle, 1) == (1, None)
    permissive.check_invariants()


def test_a_handle_of_a_killed_exporter_opens_no_more(machine: Machine) -> None:
    """Even while another importer keeps the memory."""
    a, b, c = started(machine), started(machine), started(machine)
    handle = done(a.c.cuIpcGetMemHandle(done(a.c.cuMemAlloc(4096))))
    done(b.c.cuIpcOpenMemHandle(handle, 1))
    a.kill()
    before = machine.snapshot()
    assert c.c.cuIpcOpenMemHandle(handle, 1) == (400, None)
    assert machine.snapshot() == before


def test_a_killed_importer_leaves_the_exporters_list(machine: Machine) -> None:
    """The exporter can free without breaking the manual's word."""
    a, b = started(machine), started(machine)
    pointer = done(a.c.cuMemAlloc(4096))
    opened = done(b.c.cuIpcOpenMemHandle(done(a.c.cuIpcGetMemHandle(pointer)), 1))
    assert isinstance(b.memory.at(opened), Import)
    b.kill()
    done(a.c.cuMemFree(pointer))
    assert not machine.findings


def test_imported_memory_outlives_its_exporter(machine: Machine) -> None:
    """The importer's handle and its mapping hold it, one after the other."""
    a, b = started(machine), started(machine)
    handle = created(a)
    start = mapped(a, handle)
    done(a.c.cuMemsetD8(start, 5, 16))
    descriptor = exported(a, handle)
    imported = done(b.c.cuMemImportFromShareableHandle(descriptor, POSIX))
    os.close(descriptor)
    a.kill()
    before = used(machine)[0]
    other = mapped(b, imported)
    done(b.c.cuMemRelease(imported))
    assert contents(b, other, 16) == b"\x05" * 16
    assert used(machine)[0] == before
    done(b.c.cuMemUnmap(other, GRANULE))
    machine.exchange.reap()
    assert used(machine)[0] == before - GRANULE
    machine.check_invariants()


def test_memory_whose_descriptor_was_closed_serves_a_new_handle(machine: Machine) -> None:
    """Descriptors are looked at when the memory does not suffice otherwise."""
    a = started(machine)
    memory = machine.devices[0].memory
    handle = created(a)
    descriptor = exported(a, handle)
    done(a.c.cuMemRelease(handle))
    created(a, (memory.total - memory.used) // GRANULE * GRANULE)
    assert a.c.cuMemCreate(GRANULE, pinned(), 0)[0] == Result.OUT_OF_MEMORY
    os.close(descriptor)
    assert created(a) != handle


def test_memory_lives_until_the_last_copy_of_a_descriptor_is_closed(machine: Machine) -> None:
    """A duplicate counts like the original."""
    a = started(machine)
    before = used(machine)[0]
    handle = created(a)
    first = exported(a, handle)
    second = os.dup(first)
    third = exported(a, handle)
    assert not os.get_inheritable(first)
    a.kill()
    for descriptor in (first, third):
        os.close(descriptor)
        machine.exchange.reap()
        machine.check_invariants()
        assert used(machine)[0] == before - machine.profile.context_memory + GRANULE
    b = started(machine)
    done(b.c.cuMemRelease(done(b.c.cuMemImportFromShareableHandle(second, POSIX))))
    os.close(second)
    assert done(b.c.cuMemGetInfo())[0] == machine.devices[0].memory.total - used(machine)[0]
    assert used(machine)[0] == before
    assert not machine.exchange.exports


def test_a_dma_buf_is_its_callers(machine: Machine) -> None:
    """It is a descriptor that nothing can be read from or mapped by, it keeps no memory, and nobody else closes it."""
    a = started(machine)
    pointer = done(a.c.cuMemAlloc(GRANULE))
    before = used(machine)
    descriptor = done(a.c.cuMemGetHandleForAddressRange(pointer, GRANULE, 1, 0))
    done(a.c.cuMemFree(pointer))
    assert used(machine) == [before[0] - GRANULE, before[1]]
    a.kill()
    assert not machine.exchange.exports
    os.set_blocking(descriptor, False)
    assert os.read(descriptor, 1) == b""
    with pytest.raises(OSError, match="No such device"):
        mmap.mmap(descriptor, GRANULE, mmap.MAP_SHARED, mmap.PROT_READ)
    os.close(descriptor)


def test_a_descriptor_in_flight_keeps_the_memory(machine: Machine) -> None:
    """It may be between two processes, in a message that nobody has read yet."""
    a, b = started(machine), started(machine)
    handle = created(a)
    done(a.c.cuMemsetD8(mapped(a, handle), 3, 8))
    descriptor = exported(a, handle)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        rights = array.array("i", [descriptor])
        ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
        os.close(descriptor)
        a.kill()
        machine.exchange.reap()
        assert len(machine.exchange.exports) == 1
        _, ancillary, *_ = theirs.recvmsg(1, socket.CMSG_SPACE(4))
        received = int.from_bytes(ancillary[0][2][:4], "little")
    assert contents(b, mapped(b, done(b.c.cuMemImportFromShareableHandle(received, POSIX))), 8) == b"\x03" * 8
    os.close(received)
    machine.exchange.reap()
    assert not machine.exchange.exports


def test_other_descriptors_stand_for_nothing(machine: Machine, tmp_path: Path) -> None:
    """Closed ones, files, pipes of somebody else, and a machine's own for another machine."""
    a = started(machine)
    ours, theirs = os.pipe()
    file = os.open(tmp_path / "file", os.O_CREAT | os.O_RDWR)
    with Machine() as other:
        foreign = exported(other.here, _initialised(other.here))
        for descriptor in (ours, theirs, file, foreign, -1, 1 << 20):
            assert a.c.cuMemImportFromShareableHandle(descriptor, POSIX) == (UNKNOWN, None)
    os.close(foreign)
    os.close(ours)
    os.close(theirs)
    os.close(file)
    assert a.c.cuMemImportFromShareableHandle(foreign, POSIX) == (UNKNOWN, None)


def _initialised(process: Process) -> int:
    done(process.c.cuInit(0))
    return created(process)


def test_a_named_pipe_of_the_same_inode_stands_for_nothing(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inodes are numbered by each file system for itself: the device belongs to the name of a file."""
    a = started(machine)
    descriptor = exported(a, created(a))
    real = os.fstat(descriptor)
    fields = list(real)
    fields[2] += 1  # st_dev
    monkeypatch.setattr(os, "fstat", lambda _: os.stat_result(fields))
    answer = a.c.cuMemImportFromShareableHandle(descriptor, POSIX)
    monkeypatch.undo()
    os.close(descriptor)
    assert answer == (UNKNOWN, None)


def test_reaping_without_exports_does_nothing(machine: Machine) -> None:
    """Most machines export nothing."""
    before = machine.snapshot()
    machine.exchange.reap()
    assert machine.snapshot() == before
