"""How contexts come and go: primary ones with one handle for ever, and all that dies with a context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .world import LAZY, done, started

if TYPE_CHECKING:
    from fakecuda import Machine

DESTROYED = 709


def used(machine: Machine, device: int = 0) -> int:
    """Return the bytes in use on a device."""
    return machine.devices[device].memory.used


def test_a_primary_context_has_one_handle_for_ever(machine: Machine) -> None:
    """However often it is reset; where it lingers on a stack, it lives again."""
    a = machine.spawn()
    done(a.c.cuInit(0))
    handle = done(a.c.cuDevicePrimaryCtxRetain(0))
    done(a.c.cuCtxSetCurrent(handle))
    done(a.thread("t2").c.cuCtxSetCurrent(handle))
    first = a.contexts[handle]
    done(a.c.cuDevicePrimaryCtxReset(0))
    assert a.c.cuCtxSynchronize() == (DESTROYED,)
    assert a.dead_contexts == {handle: first}
    machine.check_invariants()
    assert done(a.c.cuDevicePrimaryCtxRetain(0)) == handle
    assert a.contexts[handle] is not first
    assert not a.dead_contexts
    for door in (a.c, a.thread("t2").c):
        assert done(door.cuCtxGetCurrent()) == handle
        done(door.cuCtxSynchronize())
    machine.check_invariants()


def test_a_primary_context_lives_by_its_references(machine: Machine) -> None:
    """The last release ends it; resets leave the references as they are."""
    a = machine.spawn()
    done(a.c.cuInit(0))
    before = used(machine)
    for _ in range(2):
        done(a.c.cuDevicePrimaryCtxRetain(0))
    assert used(machine) == before + machine.profile.context_memory
    done(a.c.cuDevicePrimaryCtxRelease(0))
    assert done(a.c.cuDevicePrimaryCtxGetState(0)) == (0, 1)
    done(a.c.cuDevicePrimaryCtxReset(0))
    assert a.primary(0).references == 1
    assert used(machine) == before
    done(a.c.cuDevicePrimaryCtxReset(0))
    done(a.c.cuDevicePrimaryCtxRelease(0))
    assert a.c.cuDevicePrimaryCtxRelease(0) == (201,)


def test_all_that_is_in_a_context_dies_with_it(machine: Machine) -> None:
    """Allocations of both sizes, IPC mappings, and its place in the tables of its peers."""
    a, b = started(machine), started(machine)
    handle = done(a.c.cuIpcGetMemHandle(done(a.c.cuMemAlloc(4096))))
    kept = done(b.c.cuMemAlloc(1))
    first = done(b.c.cuCtxGetCurrent())
    before = used(machine, 0), used(machine, 1)
    context = done(b.c.cuCtxCreate(None, 0, 1))
    inside = [done(b.c.cuMemAlloc(size)) for size in (1, 4096, 3 << 20)]
    opened = done(b.c.cuIpcOpenMemHandle(handle, LAZY))
    done(b.c.cuCtxEnablePeerAccess(first, 0))
    done(b.c.cuCtxSetCurrent(first))
    done(b.c.cuCtxEnablePeerAccess(context, 0))
    machine.check_invariants()
    done(b.c.cuCtxDestroy(context))
    assert [b.memory.at(address) for address in (*inside, opened)] == [None] * 4
    assert b.memory.at(kept) is not None
    assert not b.contexts[first].peers
    assert not b.ipc.imports
    assert not next(iter(machine.exchange.shares.values())).importers
    assert (used(machine, 0), used(machine, 1)) == before
    machine.check_invariants()
    assert b.dead_contexts[context].ended


def test_a_detached_context_takes_all_that_is_in_it_along(machine: Machine) -> None:
    """With the last of its uses, and not before; where and when is told of it."""
    a = machine.spawn()
    done(a.c.cuInit(0))
    before = used(machine)
    handle = done(a.c.cuCtxCreate(None, 0, 0))
    context = a.contexts[handle]
    done(a.c.cuMemAlloc(4096))
    done(a.c.cuCtxAttach(0))
    done(a.c.cuCtxDetach(handle))
    assert used(machine) > before
    machine.check_invariants()
    done(a.c.cuCtxDetach(handle))
    assert used(machine) == before
    assert a.dead_contexts == {handle: context}
    assert any(line.startswith("destroyed") for line in context.history())
    machine.check_invariants()
