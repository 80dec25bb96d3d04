"""Memory pools: their books, the addresses of their memory, and which memory is used again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine, UndefinedBehaviour
from fakecuda.model.memory.chunk import GRANULE
from fakecuda.model.memory.pool import Pools
from fakecuda.model.memory.space import Addresses
from fakecuda.spec.codes import Result

from .world import POSIX, done, small, started

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
    done(process.c.cuStreamSynchronize(0))
    done(process.c.cuStreamWaitValue32(stream, gate, 1, 1))
    return gate


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
    assert a.pools == Pools()
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
