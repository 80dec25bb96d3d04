"""Pools of several processes: imports and their ends, descriptors, and what a fork keeps of pools."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING

from fakecuda.model.memory.chunk import GRANULE
from fakecuda.model.memory.space import Addresses
from fakecuda.spec.codes import Result
from tests.model.test_pool import memory, pool

from .world import POSIX, contents, done, started

if TYPE_CHECKING:
    import pytest

    from fakecuda import Machine, Process

HOST = 2
SIZE = 4096


def opened(importer: Process, exporter: Process, size: int = SIZE) -> tuple[int, int]:
    """Return the importer's and the exporter's address of memory that one shares with the other."""
    source = pool(exporter, types=POSIX)
    ptr = memory(exporter, source, size)
    descriptor = done(exporter.c.cuMemPoolExportToShareableHandle(source, POSIX, 0))
    into = done(importer.c.cuMemPoolImportFromShareableHandle(descriptor, POSIX, 0))
    os.close(descriptor)
    return done(importer.c.cuMemPoolImportPointer(into, done(exporter.c.cuMemPoolExportPointer(ptr)))), ptr


def test_addresses_are_exhausted_for_an_import(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """The block may have one when the memory in it has none."""
    a, b = started(machine), started(machine)
    ours, theirs = opened(a, b)
    found = a.memory.at(ours)
    assert str(found).startswith(f"import {ours:#x}+0x1000")
    into = done(a.c.cuPointerGetAttribute(17, ours))
    data = done(b.c.cuMemPoolExportPointer(memory(b, done(b.c.cuPointerGetAttribute(17, theirs)))))
    monkeypatch.setattr(Addresses, "take", lambda *_: 0)
    assert a.c.cuMemPoolImportPointer(into, data) == (Result.OUT_OF_MEMORY, None)


def test_an_import_ends_with_its_process(machine: Machine) -> None:
    """And the exporter's memory is nobody's affair then; the other way round, the importer's bytes stay."""
    a, b, c = (started(machine) for _ in range(3))
    (first, theirs), (_, other) = opened(a, b), opened(c, b)
    done(b.c.cuMemsetD8(theirs, 3, SIZE))
    done(b.c.cuCtxSynchronize())
    c.kill()
    done(b.c.cuMemFree(other))
    b.kill()
    assert contents(a, first, 4) == b"\3" * 4
    machine.check_invariants()
    a.kill()
    assert machine.devices[0].memory.used == 0


def test_an_import_says_where_it_was_imported(machine: Machine) -> None:
    """Its exporter alone has allocated it."""
    a, b = started(machine), started(machine)
    ours, theirs = opened(a, b)
    for process, address, word in ((a, ours, "imported"), (b, theirs, "allocated")):
        item = process.memory.at(address)
        assert item is not None
        assert item.history()[0].startswith(f"{word} at ")


def test_an_exported_pool_keeps_no_memory(machine: Machine) -> None:
    """A descriptor of it stands for the pool alone, and is forgotten when it is closed."""
    a = started(machine)
    source = pool(a, types=POSIX)
    descriptor = done(a.c.cuMemPoolExportToShareableHandle(source, POSIX, 0))
    machine.check_invariants()
    os.close(descriptor)
    machine.exchange.reap()
    assert machine.exchange.exports == {}


def test_a_forked_machine_shows_the_hosts_memory(permissive: Machine) -> None:
    """At the addresses that the host knows."""
    a = started(permissive)
    ptr = memory(a, pool(a, location=(HOST, 0)))
    ctypes.memset(ptr, 7, 16)
    memory(a, pool(a))
    child = os.fork()
    if not child:
        permissive.fork(os.getppid())
        os._exit(0 if ctypes.string_at(ptr, 4) == b"\7" * 4 else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_a_fork_allocates_what_is_there(permissive: Machine) -> None:
    """With a stream that was created; it reserves nothing, and what it does the parent does not see."""
    a = started(permissive)
    working, source = done(a.c.cuStreamCreate(0)), pool(a)
    ptr, linear = memory(a, source), done(a.c.cuMemAlloc(SIZE))
    before = permissive.snapshot()
    assert done(a.forked.cuMemAllocFromPoolAsync(SIZE, source, working)) not in {0, ptr}
    assert a.forked.cuMemAllocFromPoolAsync(0, source, working) == (Result.SUCCESS, 0)
    assert a.forked.cuMemAllocFromPoolAsync(GRANULE, source, working) == (Result.OUT_OF_MEMORY, None)
    assert a.forked.cuMemAllocAsync(SIZE, working) == (Result.OUT_OF_MEMORY, None)
    for freed in (ptr, linear):
        assert a.forked.cuMemFreeAsync(freed, working) == (Result.SUCCESS,)
    assert a.forked.cuMemFreeAsync(ptr + 1, working) == (Result.INVALID_VALUE,)
    assert a.forked.cuMemFreeAsync(ptr, 0) == (Result.NOT_INITIALIZED,)
    assert permissive.snapshot() == before
    permissive.check_invariants()


def test_a_fork_that_comes_first_keeps_what_it_makes_to_itself(permissive: Machine) -> None:
    """Its parent has called nothing yet, and has none of the memory, of a pool or not, when the fork has ended."""
    a = permissive.spawn()
    before = permissive.snapshot()
    for call, *args in (("cudaMalloc", SIZE), ("cudaMallocAsync", SIZE, 0), ("cudaMallocHost", SIZE)):
        assert getattr(a.forked, call)(*args)[0] == 0
        permissive.check_invariants()
    assert list(a.memory) == []
    assert permissive.snapshot() == before
