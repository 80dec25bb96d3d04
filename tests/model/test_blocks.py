"""Linear memory in blocks of 2 MiB: sharing, stepwise accounts, holes and their reuse."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from fakecuda import Machine
from fakecuda.model.memory.blocks import BLOCK, LARGEST_SMALL, UNIT
from fakecuda.model.memory.space import WINDOW

from .world import addresses, created, done, small, started

if TYPE_CHECKING:
    from fakecuda import Process
    from fakecuda.model.memory.blocks import Block


def alloc(process: Process, size: int) -> int:
    """Return the address of a new allocation."""
    return int(done(process.c.cuMemAlloc(size)))


def free(process: Process, address: int) -> None:
    """Free an allocation."""
    done(process.c.cuMemFree(address))


def blocks(process: Process) -> list[Block]:
    """Return the blocks of the only context of a process."""
    (context,) = process.contexts.values()
    return list(context.linear.blocks.values())


def used(machine: Machine) -> int:
    """Return the bytes in use on the first device."""
    return machine.devices[0].memory.used


def test_small_allocations_share_a_block(machine: Machine) -> None:
    """They stand side by side, each a multiple of 512 bytes; the account moves by the block."""
    a = started(machine)
    before = used(machine)
    first, second, third = alloc(a, 1), alloc(a, UNIT + 1), alloc(a, UNIT)
    assert (second - first, third - second) == (UNIT, 2 * UNIT)
    assert first % BLOCK == 0
    (block,) = blocks(a)
    assert (block.live, block.size, block.next) == (3, BLOCK, third + UNIT)
    assert used(machine) - before == BLOCK


@pytest.mark.parametrize(
    ("size", "taken"), [(LARGEST_SMALL, BLOCK), (LARGEST_SMALL + 1, BLOCK), (BLOCK + 1, 2 * BLOCK)]
)
def test_large_allocations_have_a_block_of_their_own(machine: Machine, size: int, taken: int) -> None:
    """From above 1 MiB the block is as long as the allocation, in units of 2 MiB."""
    a = started(machine)
    before = used(machine)
    address = alloc(a, size)
    assert address % BLOCK == 0
    assert used(machine) - before == taken
    assert bool(a.memory.at(address + size - 1))
    assert a.memory.at(address + size) is None


def test_a_full_block_is_followed_by_another(machine: Machine) -> None:
    """The next block opens when the rest of this one is too short."""
    a = started(machine)
    first, second = alloc(a, LARGEST_SMALL), alloc(a, LARGEST_SMALL)
    third = alloc(a, UNIT)
    assert second == first + LARGEST_SMALL
    assert len(blocks(a)) == 2
    assert third % BLOCK == 0


def test_a_block_goes_with_its_last_allocation(machine: Machine) -> None:
    """The open block alone stays when it is empty, until another opens."""
    a = started(machine)
    before = used(machine)
    first, second = alloc(a, LARGEST_SMALL), alloc(a, LARGEST_SMALL)
    third = alloc(a, LARGEST_SMALL)
    free(a, first)
    assert len(blocks(a)) == 2
    free(a, second)
    assert len(blocks(a)) == 1
    free(a, third)
    assert used(machine) - before == BLOCK
    alloc(a, LARGEST_SMALL)
    alloc(a, LARGEST_SMALL)
    assert used(machine) - before == 2 * BLOCK


def test_an_empty_open_block_goes_when_the_next_opens(machine: Machine) -> None:
    """On a strict machine its places are not given out again, so that it runs full while nothing lives in it."""
    a = started(machine)
    before = used(machine)
    for _ in range(5):
        free(a, alloc(a, LARGEST_SMALL))
        assert len(blocks(a)) == 1
    assert used(machine) - before == BLOCK


def test_a_large_block_goes_at_once(machine: Machine) -> None:
    """It was never the open one."""
    a = started(machine)
    before = used(machine)
    free(a, alloc(a, BLOCK))
    assert used(machine) == before
    assert not blocks(a)


def test_freed_places_are_given_out_again(permissive: Machine) -> None:
    """The driver fills the hole of the same span that was made last."""
    a = started(permissive)
    places = [alloc(a, 1000) for _ in range(4)]
    free(a, places[0])
    free(a, places[2])
    assert alloc(a, 512) not in places
    assert [alloc(a, 600), alloc(a, 1024)] == [places[2], places[0]]
    assert alloc(a, 1000) > places[3]


def test_freed_places_are_quarantined(machine: Machine) -> None:
    """On a strict machine a stale pointer names nothing for as long as can be."""
    a = started(machine)
    seen = set()
    for size in [700] * 20 + [BLOCK] * 20:
        address = alloc(a, size)
        assert address not in seen
        seen.add(address)
        free(a, address)


def test_the_holes_of_a_released_block_are_gone(permissive: Machine) -> None:
    """No allocation is put where no block is."""
    a = started(permissive)
    first = [alloc(a, LARGEST_SMALL) for _ in range(2)]
    keep = alloc(a, LARGEST_SMALL)
    for address in first:
        free(a, address)
    permissive.check_invariants()
    (context,) = a.contexts.values()
    assert not any(context.linear.holes.values())
    alloc(a, LARGEST_SMALL)
    assert {block.start for block in blocks(a)} == {keep}


def test_addresses_of_managed_memory_become_managed_memory_s_alone(permissive: Machine) -> None:
    """An H200 gave the addresses of an unloaded library's managed variable to the next one, and not to a module's variables."""
    a = started(permissive)
    managed = done(a.c.cuMemAllocManaged(BLOCK, 1))
    free(a, managed)
    assert alloc(a, BLOCK) != managed
    assert done(a.c.cuMemAllocManaged(BLOCK, 1)) == managed


def test_contexts_share_no_block(machine: Machine) -> None:
    """A block dies with its context, so another's allocations are elsewhere."""
    a = started(machine)
    first = alloc(a, UNIT)
    context = done(a.c.cuCtxCreate(None, 0, 0))
    second = alloc(a, UNIT)
    assert first // BLOCK != second // BLOCK
    before = used(machine)
    done(a.c.cuCtxDestroy(context))
    assert before - used(machine) == BLOCK + machine.profile.context_memory
    assert a.memory.at(second) is None
    assert a.memory.at(first) is not None


@pytest.mark.parametrize("size", [UNIT, LARGEST_SMALL + 1])
def test_an_exhausted_card_has_no_block(size: int) -> None:
    """The answer is OUT_OF_MEMORY, and nothing has changed."""
    with Machine(small(BLOCK)) as machine:
        a = started(machine)
        alloc(a, BLOCK)
        before = machine.snapshot()
        assert a.c.cuMemAlloc(size) == (2, None)
        assert machine.snapshot() == before
        machine.check_invariants()


def test_an_exhausted_space_has_no_block() -> None:
    """Memory without an address is given back."""
    with addresses(3 * WINDOW, 3 * WINDOW), Machine() as machine:
        a = started(machine)
        before = used(machine)
        assert a.c.cuMemAlloc(4 * WINDOW) == (2, None)
        assert used(machine) == before
        machine.check_invariants()


def test_a_failure_for_lack_of_addresses_changes_nothing() -> None:
    """A failed call leaves an equal machine, whichever of its resources ran out."""
    with addresses(3 * WINDOW, 3 * WINDOW), Machine() as machine:
        a = started(machine)
        before = machine.snapshot()
        assert a.c.cuMemAlloc(4 * WINDOW) == (2, None)
        assert machine.snapshot() == before


def test_closed_descriptors_make_room() -> None:
    """Memory that only descriptors held is freed when an allocation needs it."""
    with Machine(small(BLOCK)) as machine:
        a = started(machine)
        handle = created(a, BLOCK)
        descriptor = done(a.c.cuMemExportToShareableHandle(handle, 1, 0))
        done(a.c.cuMemRelease(handle))
        assert a.c.cuMemAlloc(UNIT) == (2, None)
        os.close(descriptor)
        alloc(a, UNIT)
        machine.check_invariants()
