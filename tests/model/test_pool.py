"""Memory pools: their books, the addresses of their memory, and which memory is used again."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from fakecuda import Machine, UndefinedBehaviour
from fakecuda.model.memory.addresses import AddressMap
from fakecuda.model.memory.chunk import GRANULE
from fakecuda.model.memory.space import Addresses
from fakecuda.model.work.stream import PER_THREAD
from fakecuda.profiles import load
from fakecuda.spec.codes import Result

from .world import POSIX, READ_WRITE, contents, done, small, started

if TYPE_CHECKING:
    from fakecuda import Process

PINNED, MANAGED = 1, 2
NONE, DEVICE, HOST, HOST_NUMA = 0, 1, 2, 3
THRESHOLD, RESERVED, USED = 4, 5, 7
NON_BLOCKING = 1
SIZE = 4096
FOREVER = 1 << 60


def pool(
    process: Process, kind: int = PINNED, location: tuple[int, int] = (DEVICE, 0), types: int = 0, limit: int = 0
) -> int:
    """Return a new pool."""
    return int(done(process.c.cuMemPoolCreate((kind, types, location, 0, limit, 0, 0))))


def memory(process: Process, source: int, size: int = SIZE, stream: int = 0) -> int:
    """Return new memory of a pool."""
    return int(done(process.c.cuMemAllocFromPoolAsync(size, source, stream)))


def books(process: Process, of: int) -> tuple[int, int]:
    """Return the bytes that a pool has reserved, and those in use."""
    return done(process.c.cuMemPoolGetAttribute(of, RESERVED)), done(process.c.cuMemPoolGetAttribute(of, USED))


def held(process: Process, stream: int) -> int:
    """Have a stream wait for a value; return the address at which it is awaited."""
    gate = int(done(process.c.cuMemAlloc(SIZE)))
    done(process.c.cuMemsetD8(gate, 0, SIZE))
    done(process.c.cuStreamWaitValue32(stream, gate, 1, 1))
    return gate


def test_another_pool_becomes_current(machine: Machine) -> None:
    """For its device and process alone; the default pool stays what it was."""
    a, b = machine.spawn(), machine.spawn()
    for process in (a, b):
        process.c.cuInit(0)
    default, made = done(a.c.cuDeviceGetDefaultMemPool(0)), pool(a)
    assert a.c.cuDeviceSetMemPool(0, made) == (Result.SUCCESS,)
    assert a.c.cuDeviceGetMemPool(0) == (Result.SUCCESS, made)
    assert a.c.cuDeviceGetDefaultMemPool(0) == (Result.SUCCESS, default)
    assert a.c.cuDeviceGetMemPool(1) == a.c.cuDeviceGetDefaultMemPool(1)
    assert b.c.cuDeviceGetMemPool(0)[1] not in {made, default}
    assert str(a.pools[made]) == f"memory pool {made:#x} on {machine.devices[0]}"
    assert a.pools[made].history()[0].startswith("created")


def test_a_look_at_a_default_pool_is_no_change(machine: Machine) -> None:
    """It is made by the look; one that was used or set is another machine."""
    a = started(machine)
    before = machine.snapshot()
    default = done(a.c.cuDeviceGetDefaultMemPool(0))
    done(a.c.cuMemGetDefaultMemPool((NONE, 0), MANAGED))
    assert machine.snapshot() == before
    done(a.c.cuMemPoolSetAttribute(default, THRESHOLD, 1))
    assert machine.snapshot() != before


def test_the_end_of_a_process_is_the_end_of_its_pools(machine: Machine) -> None:
    """Nothing of them is left, of destroyed ones neither; the devices have their memory back."""
    before = machine.devices[0].memory.used
    a = started(machine)
    for location in ((DEVICE, 0), (HOST, 0), (HOST_NUMA, 0)):
        memory(a, pool(a, location=location))
    memory(a, pool(a, MANAGED))
    memory(a, gone := pool(a))
    done(a.c.cuMemPoolDestroy(gone))
    done(a.c.cuDeviceSetMemPool(0, done(a.c.cuDeviceGetDefaultMemPool(0))))
    machine.check_invariants()
    a.exit()
    assert (a.pools, a.default_pools, a.current_pools, a.retired_pools) == ({}, {}, {}, {})
    assert (machine.devices[0].memory.used, machine.host.memory.used, machine.managed.used) == (before, 0, 0)


def test_no_address_is_used_again_where_that_is_reported(machine: Machine, permissive: Machine) -> None:
    """The memory is, and so the books are alike; only a machine that answers as the driver gives the same address."""
    for made, same in ((machine, False), (permissive, True)):
        a = started(made)
        source = pool(a)
        first = memory(a, source)
        done(a.c.cuMemFreeAsync(first, 0))
        second = memory(a, source)
        assert (first == second) is same
        assert books(a, source) == (GRANULE, SIZE)


def test_the_use_of_freed_memory_is_reported(machine: Machine) -> None:
    """With the history of the memory."""
    a = started(machine)
    ptr = memory(a, pool(a))
    found = a.memory.at(ptr)
    assert str(found).startswith(f"allocation {ptr:#x}+0x1000 of memory pool")
    done(a.c.cuMemFreeAsync(ptr, 0))
    for call, args in (
        ("cuMemsetD8", (ptr, 0, 1)),
        ("cuPointerGetAttribute", (1, ptr)),
        ("cuPointerGetAttributes", (1, (1,), ptr)),
    ):
        with pytest.raises(UndefinedBehaviour, match="lies in pool memory that an earlier call freed") as raised:
            getattr(a.c, call)(*args)
        assert "freed" in str(raised.value)


def test_the_use_of_memory_before_its_allocation_is_reported(machine: Machine) -> None:
    """Unless the default stream comes after the stream of the allocation, or after a wait for a value that may."""
    a = started(machine)
    first, second = (done(a.c.cuStreamCreate(flags)) for flags in (NON_BLOCKING, 0))
    gates = [held(a, first)]
    early = memory(a, pool(a), stream=first)
    with pytest.raises(UndefinedBehaviour, match="complete, or comes before the call in stream order"):
        a.c.cuMemsetD8(early, 0, 1)
    gates.append(held(a, second))
    late = memory(a, pool(a), stream=second)
    assert a.c.cuMemsetD8(late, 0, 1) == (0,)
    assert a.c.cuMemsetD8(early, 0, 1) == (0,)
    for gate in gates:
        done(a.c.cuStreamWriteValue32(done(a.c.cuStreamCreate(NON_BLOCKING)), gate, 1, 0))
    done(a.c.cuCtxSynchronize())
    assert a.c.cuMemsetD8(early, 0, 1) == (0,)


@pytest.mark.parametrize(("kind", "location"), [(PINNED, (HOST, 0)), (PINNED, (HOST_NUMA, 0)), (MANAGED, (DEVICE, 0))])
def test_the_host_uses_memory_of_its_own(machine: Machine, kind: int, location: tuple[int, int]) -> None:
    """At the addresses by which devices know it."""
    a = started(machine)
    source = pool(a, kind, location)
    ptr = memory(a, source)
    ctypes.memset(ptr, 7, SIZE)
    if kind == PINNED:
        assert a.c.cuMemsetD8(ptr, 9, SIZE) == (Result.INVALID_VALUE,)
        done(a.c.cuMemPoolSetAccess(source, (((DEVICE, 0), READ_WRITE),), 1))
        assert a.c.cuMemcpyDtoH(bytearray(4), ptr, 4) == (Result.INVALID_VALUE,)  # it is no device's
    else:
        assert contents(a, ptr, 4) == b"\7" * 4
    done(a.c.cuMemsetD8(ptr, 9, SIZE))
    done(a.c.cuCtxSynchronize())
    assert ctypes.string_at(ptr, 4) == b"\t" * 4
    done(a.c.cuMemFree(ptr))
    done(a.c.cuMemPoolDestroy(source))


@pytest.mark.parametrize(("location", "place"), [((DEVICE, 0), (0, DEVICE, 0)), ((HOST_NUMA, 0), (-1, HOST_NUMA, 0))])
def test_managed_memory_of_a_pool_prefers_its_location(
    machine: Machine, location: tuple[int, int], place: tuple[int, ...]
) -> None:
    """An H200 showed it in random programs, of devices and of NUMA nodes."""
    a = started(machine)
    ptr = memory(a, pool(a, MANAGED, location))
    assert tuple(done(a.c.cuMemRangeGetAttribute(4, attribute, ptr, SIZE)) for attribute in (2, 5, 6)) == place


def test_addresses_are_exhausted(machine: Machine, permissive: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it is the block or the allocation that needs one, nothing changes."""
    original = Addresses.take
    for made in (permissive, machine):
        a = started(made)
        source = pool(a)
        for missing in (SIZE, GRANULE) if made is machine else (GRANULE,):
            before = made.snapshot()
            with monkeypatch.context() as patch:
                patch.setattr(
                    Addresses,
                    "take",
                    lambda self, size, alignment, missing=missing, **options: (
                        0 if size == missing else original(self, size, alignment, **options)
                    ),
                )
                assert a.c.cuMemAllocFromPoolAsync(SIZE, source, 0) == (Result.OUT_OF_MEMORY, None)
            assert made.snapshot() == before


def test_a_short_card_takes_what_pools_keep(permissive: Machine) -> None:
    """If that helps; what is in use stays."""
    del permissive
    with Machine(small(4 * GRANULE, devices=1), strict=False) as made:
        a = started(made)
        source, other, shared = pool(a), pool(a), pool(a, types=POSIX)
        for each in (source, other, shared):
            done(a.c.cuMemPoolSetAttribute(each, THRESHOLD, FOREVER))
        for each in (source, other, shared):
            done(a.c.cuMemFreeAsync(memory(a, each), 0))
        done(a.c.cuCtxSynchronize())
        before = made.snapshot()
        assert a.c.cuMemAllocFromPoolAsync(5 * GRANULE, other, 0) == (Result.OUT_OF_MEMORY, None)
        assert made.snapshot() == before
        memory(a, other, 4 * GRANULE)
        assert [books(a, each)[0] for each in (source, other, shared)] == [0, 4 * GRANULE, 0]
        made.check_invariants()


def test_a_pool_gives_parts_of_a_block_back(permissive: Machine) -> None:
    """Those beside what is in use, as far as they are more than is to be kept; nothing comes to be there again."""
    a = started(permissive)
    source = pool(a)
    done(a.c.cuMemPoolSetAttribute(source, THRESHOLD, FOREVER))
    done(a.c.cuMemFreeAsync(memory(a, source, 5 * GRANULE), 0))
    done(a.c.cuCtxSynchronize())
    free = done(a.c.cuMemGetInfo())[0]
    held = [memory(a, source, GRANULE), memory(a, source, GRANULE + SIZE)]
    for keep, kept in ((4 * GRANULE, 4), (3 * GRANULE + 1, 4), (0, 3)):
        done(a.c.cuMemPoolTrimTo(source, keep))
        assert books(a, source)[0] == kept * GRANULE
        permissive.check_invariants()
    assert done(a.c.cuMemGetInfo())[0] == free + 2 * GRANULE
    memory(a, source, 2 * GRANULE)
    assert books(a, source)[0] == 5 * GRANULE
    for ptr in held:
        done(a.c.cuMemFreeAsync(ptr, 0))
    done(a.c.cuCtxSynchronize())
    done(a.c.cuMemPoolTrimTo(source, 0))
    assert books(a, source)[0] == 2 * GRANULE
    permissive.check_invariants()


def test_holes_that_do_not_adjoin(permissive: Machine) -> None:
    """An allocation goes where there is room for it in one piece."""
    a = started(permissive)
    source = pool(a)
    pieces = [memory(a, source, GRANULE // 4) for _ in range(4)]
    for number in (0, 2):
        done(a.c.cuMemFreeAsync(pieces[number], 0))
    memory(a, source, GRANULE // 2)
    assert books(a, source) == (2 * GRANULE, GRANULE)
    assert memory(a, source, GRANULE // 4) == pieces[0]


def test_holes_that_the_host_has_seen_adjoin(permissive: Machine) -> None:
    """Whoever freed them, all streams may use them as one, and those that memory parts stay apart."""
    a = started(permissive)
    source = pool(a)
    done(a.c.cuMemPoolSetAttribute(source, THRESHOLD, GRANULE))
    mine, other = (done(a.c.cuStreamCreate(NON_BLOCKING)) for _ in range(2))
    pieces = [memory(a, source, GRANULE // 4) for _ in range(4)]
    for ptr, stream in zip(pieces, (mine, None, mine, other), strict=True):
        if stream is not None:
            done(a.c.cuMemFreeAsync(ptr, stream))
    done(a.c.cuCtxSynchronize())
    (chunk,) = next(
        found for found in permissive.processes[a.name].pools.values() if found.handle == source
    ).chunks.values()
    assert [hole.start for hole in chunk.holes] == [0, GRANULE // 2]
    assert memory(a, source, GRANULE // 2) == pieces[2]


def test_holes_of_other_streams_lie_between(permissive: Machine) -> None:
    """What a stream may not use splits what it may."""
    a = started(permissive)
    source = pool(a)
    for policy in (1, 2, 3):
        done(a.c.cuMemPoolSetAttribute(source, policy, 0))
    mine, other = (done(a.c.cuStreamCreate(NON_BLOCKING)) for _ in range(2))
    pieces = [memory(a, source, GRANULE // 4) for _ in range(4)]
    for ptr, stream in zip(pieces, (mine, other, mine, mine), strict=True):
        done(a.c.cuMemFreeAsync(ptr, stream))
    assert memory(a, source, GRANULE // 2, mine) == pieces[2]
    assert memory(a, source, GRANULE // 4, mine) == pieces[0]
    assert memory(a, source, GRANULE // 4, other) == pieces[1]


def test_linear_memory_that_a_stream_frees_ends_with_its_context(machine: Machine) -> None:
    """The stream finds nothing to free then."""
    a = started(machine)
    context = done(a.c.cuCtxGetCurrent())
    other = done(a.c.cuCtxCreate(None, 0, 0))
    stream = done(a.c.cuStreamCreate(NON_BLOCKING))
    gate = held(a, stream)
    done(a.c.cuCtxSetCurrent(context))
    ptr = done(a.c.cuMemAlloc(SIZE))
    done(a.c.cuMemFreeAsync(ptr, stream))
    done(a.c.cuMemFree(ptr))
    assert not a.leaving
    done(a.c.cuCtxSetCurrent(other))
    done(a.c.cuStreamWriteValue32(done(a.c.cuStreamCreate(NON_BLOCKING)), gate, 1, 0))
    done(a.c.cuCtxSynchronize())


def test_the_end_of_a_context_shows_that_its_frees_are_done(machine: Machine) -> None:
    """The pool's blocks go back then."""
    a = started(machine)
    source = pool(a)
    done(a.c.cuMemFreeAsync(memory(a, source), 0))
    assert books(a, source) == (GRANULE, 0)
    done(a.c.cuCtxDestroy(done(a.c.cuCtxGetCurrent())))
    assert books(a, source) == (0, 0)


def test_a_range_of_pool_memory_has_a_descriptor() -> None:
    """As far as its block goes."""
    with Machine(load("h200"), strict=False) as machine:
        a = started(machine)
        ptr = memory(a, pool(a))
        os.close(done(a.c.cuMemGetHandleForAddressRange(ptr, GRANULE, 1, 0)))
        assert a.c.cuMemGetHandleForAddressRange(ptr, 2 * GRANULE, 1, 0) == (Result.INVALID_VALUE, None)


def test_pointers_into_pools(permissive: Machine) -> None:
    """They are as others but for IPC handles."""
    a = started(permissive)
    source = pool(a)
    ptr = memory(a, source)
    assert a.c.cuPointerSetAttribute(1, 6, ptr) == (Result.SUCCESS,)
    assert len(done(a.c.cuPointerGetAttribute(5, ptr))) == len(bytes(16))
    assert a.c.cuIpcGetMemHandle(ptr) == (Result.INVALID_VALUE, None)
    asked: Any = tuple(number for number in range(1, 21) if number != 5)
    values = dict(zip(asked, done(a.c.cuPointerGetAttributes(len(asked), asked, ptr)), strict=True))
    assert values[17] == source
    assert (values[11], values[12]) == (ptr, SIZE)
    assert isinstance(a.memory, AddressMap)
    assert attrs.has(type(a.pools[source]))


def test_a_context_that_ends_leaves_no_free_behind(machine: Machine) -> None:
    """What was freed in a stream of it, a destroyed one too, goes back to the device."""
    a = started(machine)
    source = pool(a)
    context = done(a.c.cuCtxCreate(None, 0, 0))
    stream = done(a.c.cuStreamCreate(NON_BLOCKING))
    done(a.c.cuMemFreeAsync(memory(a, source, stream=stream), stream))
    done(a.c.cuStreamDestroy(stream))
    assert books(a, source) == (GRANULE, 0)
    done(a.c.cuCtxDestroy(context))
    assert books(a, source) == (0, 0)


def test_no_pool_on_the_stream_of_a_thread(machine: Machine) -> None:
    """The context is looked at first: one that was destroyed is told."""
    a = started(machine)
    assert a.c.cuMemAllocFromPoolAsync(SIZE, 0, PER_THREAD)[0] == Result.INVALID_VALUE
    done(a.c.cuCtxDestroy(done(a.c.cuCtxGetCurrent())))
    assert a.c.cuMemAllocFromPoolAsync(SIZE, 0, PER_THREAD)[0] == Result.INVALID_CONTEXT
