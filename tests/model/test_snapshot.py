"""Snapshots tell two states apart; invariants catch a state that cannot be."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING, Any

import attrs
import pytest
from attrs import define, field

from fakecuda import Machine, Process
from fakecuda.model import snapshot
from fakecuda.model.memory.addresses import AddressMap
from fakecuda.model.memory.memory import Allocation, Import
from fakecuda.model.memory.va import Handle, Mapping, Reservation
from fakecuda.model.snapshot import BLANK, FIELDS, LEFT_OUT, OPAQUE

from .world import GRANULE, LAZY, POSIX, READ_WRITE, created, done, mapped, pinned, started

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.model.context import Context
    from fakecuda.model.memory.blocks import Block


@define
class World:
    """A machine with an object of each kind.

    Attributes:
        machine: The machine.
        a: A process with allocations, mappings and two contexts; the first is current.
        b: A process that has opened one of its allocations.
        contexts: The contexts of the first process.
        pointer: An allocation that the second process has open.
        opened: Where it has it.
        handle: An allocation handle, mapped once.
        start: Where it is mapped, in a reservation that is twice as long.
        descriptor: What the handle was exported as.
    """

    machine: Machine
    a: Process = field(init=False)
    b: Process = field(init=False)
    contexts: tuple[int, int] = field(init=False)
    pointer: int = field(init=False)
    opened: int = field(init=False)
    handle: int = field(init=False)
    start: int = field(init=False)
    descriptor: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.a, self.b = started(self.machine), started(self.machine)
        first = done(self.a.c.cuCtxGetCurrent())
        self.contexts = (first, done(self.a.c.cuCtxCreate(None, 0, 1)))
        done(self.a.c.cuCtxSetCurrent(first))
        done(self.a.c.cuDevicePrimaryCtxRetain(0))
        self.pointer = done(self.a.c.cuMemAlloc(4096))
        self.opened = done(self.b.c.cuIpcOpenMemHandle(done(self.a.c.cuIpcGetMemHandle(self.pointer)), LAZY))
        self.handle = created(self.a)
        self.start = done(self.a.c.cuMemAddressReserve(2 * GRANULE, 0, 0, 0))
        done(self.a.c.cuMemMap(self.start, GRANULE, 0, self.handle, 0))
        done(self.a.c.cuMemSetAccess(self.start, GRANULE, (((1, 0), READ_WRITE),), 1))
        self.descriptor = done(self.a.c.cuMemExportToShareableHandle(self.handle, POSIX, 0))

    @property
    def allocation(self) -> Allocation:
        """The first process's allocation."""
        item = self.a.memory.at(self.pointer)
        assert isinstance(item, Allocation)
        return item

    @property
    def imported(self) -> Import:
        """The second process's mapping of it."""
        item = self.b.memory.at(self.opened)
        assert isinstance(item, Import)
        return item

    @property
    def block(self) -> Block:
        """The block of the allocation."""
        return self.allocation.block

    @property
    def context(self) -> Context:
        """The context of the allocation."""
        return self.allocation.context

    @property
    def mapping(self) -> Mapping:
        """The mapping."""
        item = self.a.memory.at(self.start)
        assert isinstance(item, Mapping)
        return item

    @property
    def reservation(self) -> Reservation:
        """The reservation of the mapping."""
        item = self.a.reservations.at(self.start)
        assert item is not None
        return item

    @property
    def held(self) -> Handle:
        """The allocation handle."""
        return self.a.handles[self.handle]


@pytest.fixture
def world() -> Iterator[World]:
    """Return a populated world; tests that spoil it leave it so."""
    with Machine("h200-x2", seed=1) as machine:
        made = World(machine)
        machine.check_invariants()
        yield made
        os.close(made.descriptor)


UNCHANGING: dict[str, Callable[[World], Any]] = {
    "a getter": lambda w: w.a.c.cuMemGetInfo(),
    "a look-up": lambda w: w.a.c.cuMemGetAddressRange(w.pointer),
    "another thread's look": lambda w: w.a.thread("new").c.cuCtxGetCurrent(),
    "the state of a primary context": lambda w: w.b.c.cuDevicePrimaryCtxGetState(1),
    "the handle of an allocation that has one": lambda w: w.a.c.cuIpcGetMemHandle(w.pointer),
    "a read": lambda w: w.a.c.cuMemcpyDtoH(bytearray(8), w.pointer, 0),
    "a failed allocation": lambda w: w.a.c.cuMemAlloc(0),
    "a failed mapping": lambda w: w.a.c.cuMemMap(w.start, GRANULE, 0, w.handle, 0),
    "a failed creation": lambda w: w.a.c.cuMemCreate(GRANULE + 1, pinned(), 0),
    "a failed context": lambda w: w.a.c.cuCtxCreate(None, 0, 9),
    "a failed free": lambda w: w.a.c.cuMemFree(w.pointer + 1),
    "a failed import": lambda w: w.b.c.cuMemImportFromShareableHandle(-1, POSIX),
    "a failed close": lambda w: w.b.c.cuIpcCloseMemHandle(w.pointer),
}
CHANGING: dict[str, Callable[[World], Any]] = {
    "an allocation": lambda w: done(w.a.c.cuMemAlloc(1)),
    "a large allocation": lambda w: done(w.a.c.cuMemAlloc(2 * GRANULE)),
    "a new process": lambda w: w.machine.spawn(),
    "an initialisation": lambda w: done(w.machine.here.c.cuInit(0)),
    "the end of a process": lambda w: w.b.kill(),
    "a context": lambda w: done(w.a.c.cuCtxCreate(None, 0, 0)),
    "a destroyed context": lambda w: done(w.a.c.cuCtxDestroy(w.contexts[1])),
    "the current context": lambda w: done(w.a.c.cuCtxSetCurrent(w.contexts[1])),
    "a popped context": lambda w: done(w.a.c.cuCtxPopCurrent()),
    "another thread's context": lambda w: done(w.a.thread("t2").c.cuCtxSetCurrent(w.contexts[0])),
    "a primary context": lambda w: done(w.a.c.cuDevicePrimaryCtxRetain(1)),
    "a reference to a primary context": lambda w: done(w.a.c.cuDevicePrimaryCtxRetain(0)),
    "the flags of a primary context": lambda w: done(w.a.c.cuDevicePrimaryCtxSetFlags(1, 1)),
    "a peer": lambda w: done(w.a.c.cuCtxEnablePeerAccess(w.contexts[1], 0)),
    "a handle to share": lambda w: done(w.a.c.cuIpcGetMemHandle(done(w.a.c.cuMemAlloc(1)))),
    "a second opening": lambda w: done(w.b.c.cuIpcOpenMemHandle(w.imported.share.handle, LAZY)),
    "a closing": lambda w: done(w.b.c.cuIpcCloseMemHandle(w.opened)),
    "a reservation": lambda w: done(w.a.c.cuMemAddressReserve(GRANULE, 0, 0, 0)),
    "an allocation handle": lambda w: created(w.a),
    "a reference to a handle": lambda w: done(w.a.c.cuMemRetainAllocationHandle(w.start)),
    "a released handle": lambda w: done(w.a.c.cuMemRelease(w.handle)),
    "a mapping": lambda w: done(w.a.c.cuMemMap(w.start + GRANULE, GRANULE, 0, w.handle, 0)),
    "an access": lambda w: done(w.a.c.cuMemSetAccess(w.start, GRANULE, (((1, 1), 1),), 1)),
    "an end of mapping": lambda w: done(w.a.c.cuMemUnmap(w.start, GRANULE)),
    "an import": lambda w: done(w.b.c.cuMemImportFromShareableHandle(w.descriptor, POSIX)),
}


@pytest.mark.parametrize("change", UNCHANGING.values(), ids=UNCHANGING.keys())
def test_what_changes_nothing_leaves_an_equal_machine(world: World, change: Callable[[World], Any]) -> None:
    """Getters, and calls that fail."""
    before = world.machine.snapshot()
    change(world)
    assert world.machine.snapshot() == before
    world.machine.check_invariants()


@pytest.mark.parametrize("change", CHANGING.values(), ids=CHANGING.keys())
def test_every_change_shows_in_the_snapshot(world: World, change: Callable[[World], Any]) -> None:
    """Calls that succeed, and processes that come and go."""
    before = world.machine.snapshot()
    change(world)
    assert world.machine.snapshot() != before
    world.machine.check_invariants()


def parts(item: Any) -> Iterator[tuple[str, Any]]:
    """Yield the fields of an object that are state, by their names, or the parts of a container."""
    if isinstance(item, dict):
        yield from (("", value) for value in item.values() if not BLANK.get(type(value), lambda _: False)(value))
    elif isinstance(item, tuple | list | AddressMap):
        yield from (("", value) for value in item)
    elif attrs.has(type(item)) or type(item) in FIELDS:
        names = [one.name for one in attrs.fields(type(item))] if attrs.has(type(item)) else FIELDS[type(item)]
        yield from ((name, getattr(item, name)) for name in names if name not in LEFT_OUT)


def test_every_field_shows_in_the_snapshot(world: World) -> None:
    """Of every object that a machine has: a number or a name that changes alone makes another machine."""
    done(world.a.c.cuMemAlloc(1))  # two of a kind, of which each shows
    before = world.machine.snapshot()
    seen, found, changed = {id(world.machine): world.machine}, [world.machine], Counter[str]()
    for item in found:
        for name, value in parts(item):
            if name and isinstance(value, int | str):
                other = f"{value}'" if isinstance(value, str) else value + 1
                setattr(item, name, other)
                assert world.machine.snapshot() != before, (item, name)
                setattr(item, name, value)
                changed[type(item).__name__] += 1
            elif id(value) not in seen and not isinstance(value, OPAQUE):
                seen[id(value)] = value
                found.append(value)
    assert world.machine.snapshot() == before
    assert changed.keys() >= {"Machine", "Process", "Context", "Device", "Allocation", "Mapping", "Extent", "Thread"}


def test_what_was_exported_shows_in_the_snapshot(world: World) -> None:
    """Of pools and of events: what is left out, by its name, is left out of every class that has it."""
    done(world.a.c.cuMemAllocAsync(512, 0))
    pool = next(iter(world.a.pools.defaults.values()))
    before = world.machine.snapshot()
    pool.exported = not pool.exported
    assert world.machine.snapshot() != before
    assert "exported" not in LEFT_OUT


def test_listed_fields_are_in_the_snapshot() -> None:
    """A name that is left out for one class would hide the state of another."""
    assert LEFT_OUT.isdisjoint(name for names in FIELDS.values() for name in names)


def test_keys_show_in_the_snapshot(world: World) -> None:
    """What is known under another handle is another state."""
    before, known = world.machine.snapshot(), world.a.handles
    world.a.handles = {handle + 1: item for handle, item in known.items()}
    assert world.machine.snapshot() != before
    world.a.handles = known


def test_what_is_shared_shows_in_the_snapshot(world: World) -> None:
    """Two tables that are alike are another state than one that two have; while they are empty nothing tells them apart."""
    done(world.a.c.cuEventCreate(0))
    own, world.b.events = world.b.events, dict(world.a.events)
    before = world.machine.snapshot()
    world.b.events = world.a.events
    assert world.machine.snapshot() != before
    world.b.events = own


def test_a_process_that_begins_anew_shows_no_more(world: World) -> None:
    """What is undone leaves a machine that is equal but for the order in which addresses come."""
    before = world.machine.snapshot()
    done(world.a.c.cuCtxPushCurrent(world.contexts[1]))
    assert world.machine.snapshot() != before
    done(world.a.c.cuCtxPopCurrent())
    assert world.machine.snapshot() == before


def test_peers_of_each_other_have_a_snapshot(machine: Machine) -> None:
    """Two contexts that name each other, as every pair of cards is set up."""
    a = started(machine)
    first = done(a.c.cuCtxGetCurrent())
    second = done(a.c.cuCtxCreate(None, 0, 1))
    done(a.c.cuCtxEnablePeerAccess(first, 0))
    one_way = machine.snapshot()
    done(a.c.cuCtxSetCurrent(first))
    done(a.c.cuCtxEnablePeerAccess(second, 0))
    assert machine.snapshot() != one_way
    assert machine.snapshot() == machine.snapshot()
    machine.check_invariants()


def test_the_order_in_which_peers_were_enabled_is_no_state() -> None:
    """A table of peers has none."""

    def enabled(order: tuple[int, int]) -> Any:
        with Machine("h200-x8", seed=1) as machine:
            a = started(machine)
            first = done(a.c.cuCtxGetCurrent())
            others = [done(a.c.cuCtxCreate(None, 0, device)) for device in (1, 2)]
            done(a.c.cuCtxSetCurrent(first))
            before = machine.snapshot()
            for index in order:
                done(a.c.cuCtxEnablePeerAccess(others[index], 0))
            after = machine.snapshot()
            for index in order:
                done(a.c.cuCtxDisablePeerAccess(others[index]))
            assert machine.snapshot() == before
            for index in reversed(order):
                done(a.c.cuCtxEnablePeerAccess(others[index], 0))
            assert machine.snapshot() == after

    enabled((0, 1))
    enabled((1, 0))


def test_a_closed_machine_differs_from_an_open_one() -> None:
    """Closing is a change like any other."""
    machine = Machine()
    before = machine.snapshot()
    machine.close()
    assert machine.snapshot() != before


def assign(name: str, value: Any) -> Callable[[Any], None]:
    """Return what sets an attribute."""
    return lambda item: setattr(item, name, value)


def _second_mapping(reservation: Reservation) -> None:
    mapping = reservation.mappings[0]
    reservation.mappings.append(Mapping(mapping.start, mapping.end, mapping.handle, mapping.extent, 99))


def _beyond(reservation: Reservation) -> None:
    mapping = reservation.mappings[0]
    reservation.mappings.append(Mapping(reservation.end, reservation.end + 1, mapping.handle, mapping.extent, 99))


def _foreign_import(w: World) -> None:
    w.b.ipc.imports.clear()


def _dead_peer(w: World) -> None:
    dead = w.a.contexts[w.contexts[1]]
    w.context.peers.add(dead)
    del w.a.contexts[w.contexts[1]]
    dead.destroyed = True
    dead.device.memory.used -= w.machine.profile.context_memory


def _lost_block(w: World) -> None:
    del w.context.linear.blocks[w.block.start]


TAMPERING: dict[str, Callable[[World], Any]] = {
    "an allocation that ends before it begins": lambda w: assign("end", w.pointer - 1)(w.allocation),
    "an allocation that its context does not know": lambda w: w.context.allocations.clear(),
    "an allocation in a destroyed context": lambda w: assign("destroyed", True)(w.context),
    "a block that counts one too many": lambda w: assign("live", 2)(w.block),
    "a block that its context has lost": _lost_block,
    "an IPC mapping that nobody opened": lambda w: assign("references", 0)(w.imported),
    "an IPC mapping that is not in the table": _foreign_import,
    "an IPC mapping that the exporter does not know": lambda w: w.imported.share.importers.clear(),
    "a mapping that its handle does not count": lambda w: assign("mappings", 0)(w.held),
    "a handle that counts too many mappings": lambda w: assign("mappings", 2)(w.held),
    "a handle that nothing keeps": lambda w: (assign("references", 0)(w.held), assign("mappings", 0)(w.held)),
    "a reservation with a range mapped twice": lambda w: _second_mapping(w.reservation),
    "a mapping beyond its reservation": lambda w: _beyond(w.reservation),
    "a mapping that its reservation has lost": lambda w: w.reservation.mappings.clear(),
    "a mapping that no address finds": lambda w: w.a.memory.remove(w.mapping),
    "a peer that is destroyed": _dead_peer,
    "a destroyed context among the live": lambda w: assign("destroyed", True)(w.a.contexts[w.contexts[1]]),
    "a primary context that is not what it says": lambda w: assign("active", False)(w.a.primaries[0]),
    "an extent held once too often": lambda w: assign("references", 9)(w.block.extent),
    "an export that nobody counted": lambda w: w.machine.exchange.exports.clear(),
    "a card that has used more than is there": lambda w: assign("used", 0)(w.machine.devices[0].memory),
    "a card that has used more than it has": lambda w: assign("total", 1)(w.machine.devices[0].memory),
    "memory of the host that nobody has": lambda w: assign("used", 1)(w.machine.host.memory),
}


@pytest.mark.parametrize("spoil", TAMPERING.values(), ids=TAMPERING.keys())
def test_tampering_is_caught(world: World, spoil: Callable[[World], Any]) -> None:
    """Each invariant is one that can be broken."""
    exports, importers = dict(world.machine.exchange.exports), world.imported.share.importers
    known = list(importers)
    spoil(world)
    with pytest.raises((AssertionError, KeyError)):
        world.machine.check_invariants()
    # What closing the machine needs is put back.
    world.machine.exchange.exports.update(exports)
    importers[:] = known


def test_a_whole_machine_is_whole(world: World) -> None:
    """With memory that only a mapping, only a descriptor or only an importer keeps, too."""
    done(world.a.c.cuMemRelease(world.handle))
    world.machine.check_invariants()
    done(world.a.c.cuMemUnmap(world.start, GRANULE))
    world.machine.check_invariants()
    other = done(world.b.c.cuMemImportFromShareableHandle(world.descriptor, POSIX))
    mapped(world.b, other)
    world.a.kill()
    world.machine.check_invariants()


def test_peers_show_in_the_snapshot(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever was read before: what gives the parts of a class is looked for once in an OS process."""
    monkeypatch.setattr(snapshot, "READERS", {})
    monkeypatch.setattr(snapshot, "PLAIN", set())
    monkeypatch.setattr(snapshot, "NAMED", set())
    with Machine("h200-x2") as machine:
        a = started(machine)
        first = done(a.c.cuCtxGetCurrent())
        done(a.c.cuCtxCreate(None, 0, 1))
        before = machine.snapshot()
        done(a.c.cuCtxEnablePeerAccess(first, 0))
        assert machine.snapshot() != before
        done(a.c.cuCtxDisablePeerAccess(first))
        assert machine.snapshot() == before
