"""Snapshots of a machine's whole state for comparison, and its invariants."""

from __future__ import annotations

import itertools
from collections import Counter, deque
from collections.abc import Callable, Sequence
from operator import attrgetter
from typing import TYPE_CHECKING, Any

import attrs

from fakecuda.model.context import PrimaryContext
from fakecuda.model.finding import Finding
from fakecuda.model.memory.addresses import AddressMap
from fakecuda.model.memory.array import is_level
from fakecuda.model.memory.backing import DeviceMemory, Extent
from fakecuda.model.memory.blocks import Arena, Block
from fakecuda.model.memory.holding import extents_of
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.memory.memory import Import, Mapped, Placed, Registered
from fakecuda.model.memory.multicast import Fabric
from fakecuda.model.memory.narrow import Narrow
from fakecuda.model.memory.pool import Pool, Pooled, pools_of
from fakecuda.model.memory.space import Addresses
from fakecuda.model.memory.va import Mapping
from fakecuda.model.os.process import CHECKPOINTED, FORKED
from fakecuda.model.os.thread import Thread
from fakecuda.model.work.clock import Clock
from fakecuda.model.work.stream import PER_THREAD, Stream
from fakecuda.profiles import DeviceProfile, Profile

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fakecuda.model.context import Context
    from fakecuda.model.machine import Machine
    from fakecuda.model.memory.multicast import Multicast
    from fakecuda.model.os.process import Process

# Logs, derived values and values for reports are not state.
LEFT_OUT = {
    "calls",
    "deadlocks",
    "findings",
    "lock",
    "layers",
    "progress",
    "worker",
    "workers",
    "wait_timeout",
    "census",
    "inside",
    "act",
    "begun",
    "ready",
    "uses",
    "number",
    "identity",
    "stream_identities",
    "acting",
    "call",
    "native",
    "per_thread",
    "gates",
    "follows",
    "captured",
    "order",
    "races",
    "skipped",
    "unknown",
    "pid",
    "numbers",
    "poller",
    "record",
    "random_bytes",
    "territory",
    "created",
    "queued",
    "command",
    "connected",
    "retains",
    "left",
    "refused",
    "ended",
    "identities",
    "context_identities",
    "driver",
    "runtime",
    "forked",
    "_doors",
    "_functions",
    "_maps",
    "_cudart",
    "hip_error",
    "last_error",
    "refused_text",
    "failed",
    "hip_failed",
    "invalidated_by",
    "of_node",
    "freed_by",
    "started",
    "failed_at",
    "laid",
    "destroyer",
    "c",
    "remote",
    "session",
    "forked_thread",
    "forked_stack",
    "forked_from",
    "system",
    "lasting",
    "holding",
    "living",
    "dead",
    "exports",
    "is_own",
    "_chance",
    "_key",
    "remains",
    "shared",
    "shares",
}
OPAQUE = (Profile, DeviceProfile, Finding)
FIELDS: dict[type, tuple[str, ...]] = {
    Extent: ("size", "references"),
    DeviceMemory: ("total", "used"),
    HostMemory: ("total", "used"),
    Fabric: ("total", "used"),
    Addresses: ("reuse",),
    Narrow: ("unused",),
    Clock: ("worked", "advanced"),
}
"""The attributes that are state, for classes that manage free space: where free space lies is not state."""
PLAIN: set[type] = set()
"""Classes whose objects are compared by value."""
NAMED: set[type] = set()
"""Classes whose objects are represented by their class only."""
TABLES = {dict, list, set, deque, AddressMap}
"""Classes of tables, which are mostly empty."""
Reader = Callable[[Any], Sequence[Any]]
READERS: dict[type, Reader] = {}
"""A function that returns the parts of an object, by class. A snapshot has hundreds of objects."""
BLANK: dict[type, Callable[[Any], bool]] = {
    Thread: lambda thread: not thread.stack,
    Arena: lambda arena: not arena.blocks,
    Pool: lambda pool: pool.untouched,
    Stream: lambda stream: stream.handle <= PER_THREAD and not stream.work and not stream.attributes,
    PrimaryContext: lambda primary: primary.context is None and not primary.references and not primary.flags,
}
"""Whether an object is as a look-up has made it, without changes."""


def snapshot(machine: Machine) -> list[Any]:
    """Return the machine's state as a flat list, which is equal for equal machines.

    Each object is listed as the number of its parts, and the parts. A part that is listed later is represented by its
    class. An object that was listed before is represented by its number, so that shared objects differ from equal ones.
    """
    machine.exchange.reap()  # a descriptor that was closed is no effect of the next call
    told: list[Any] = []
    tell = told.append
    seen: dict[int, int] = {}
    waiting: list[Any] = [machine]
    _reader(machine)
    while waiting:
        item = waiting.pop()
        number = seen.get(id(item))
        if number is not None:
            tell(number)
            continue
        seen[id(item)] = len(seen)
        parts = READERS[type(item)](item)
        tell(len(parts))
        for part in parts:
            kind = type(part)
            if kind in PLAIN:
                tell(part)
            elif kind in TABLES and not (part and (kind is not dict or _changed(part))):
                tell(0)
            elif kind in NAMED:
                tell(kind)
            elif kind in READERS or _reader(part):
                tell(kind)
                waiting.append(part)
            else:
                tell(part if kind in PLAIN else kind)
    return told


def _reader(item: Any) -> Reader | None:
    """Return the function that returns an object's parts.

    None for an object that is compared by its value or its class alone.
    """
    kind = type(item)
    if kind in READERS:
        return READERS[kind]
    if item is None or isinstance(item, int | float | str | bytes):
        PLAIN.add(kind)
        return None
    if isinstance(item, OPAQUE) or callable(item):
        NAMED.add(kind)
        return None
    if isinstance(item, dict):
        reader: Reader = _changed
    elif isinstance(item, AddressMap):
        reader = _by_address
    elif isinstance(item, set):
        reader = _numbers
    elif isinstance(item, tuple | list) or hasattr(item, "popleft"):
        reader = tuple
    else:
        names = [a.name for a in attrs.fields(kind)] if attrs.has(kind) else FIELDS[kind]
        # The class makes at least two names: attrgetter returns no tuple for one.
        reader = attrgetter("__class__.__name__", *(name for name in names if name not in LEFT_OUT))
    READERS[kind] = reader
    return reader


def _changed(table: dict[Any, Any]) -> list[Any]:
    """Return the keys and values of a table, without unchanged objects of look-ups."""
    return [
        part
        for key, one in table.items()
        if (blank := BLANK.get(type(one))) is None or not blank(one)
        for part in (key, one)
    ]


def _by_address(ranges: Iterable[Any]) -> list[Any]:
    """Return ranges sorted by address."""
    return sorted(ranges, key=attrgetter("start"))


def _numbers(ones: set[Any]) -> list[int]:
    """Return the handles of a context's peers, or the numbers of devices, sorted."""
    return sorted(one if isinstance(one, int) else one.handle for one in ones)


def _check_memory(process: Process) -> None:
    """Check what lies at the addresses of a process."""
    assert process.registered == sum(isinstance(item, Registered) for item in process.memory)
    for item in process.memory:
        assert item.start < item.end
        assert process.memory.at(item.start) is item
        assert process.memory.at(item.end - 1) is item
        if isinstance(item, Placed | Registered):
            assert item.start in item.context.allocations
            assert not item.context.destroyed
        elif isinstance(item, Mapped):
            assert process.memory.at(item.host.start) is item.host
        elif isinstance(item, Import):
            assert item.references > 0
            assert process.imports[item.share.handle, item.context.device.ordinal].share is item.share
            assert item in item.share.importers
        elif isinstance(item, Mapping):
            assert item.handle.mappings > 0


def check(machine: Machine) -> None:
    """Assert the invariants of a machine.

    Raises:
        AssertionError: An invariant is broken.
    """
    held: dict[int, int] = {}
    extents: dict[int, Extent] = {}

    def hold(extent: Extent) -> None:
        extents[id(extent)] = extent
        held[id(extent)] = held.get(id(extent), 0) + 1

    contexts = dict.fromkeys((*machine.devices, machine.host), 0)
    away = Counter[DeviceMemory]()
    for process in machine.processes.values():
        _check_memory(process)
        mappings = [item for item in process.memory if isinstance(item, Mapping)]
        assert len(mappings) == sum(len(reservation.mappings) for reservation in process.reservations)
        shown = Counter(id(mapping.handle) for mapping in mappings)
        for handle in process.handles.values():
            assert handle.references or handle.mappings
            assert handle.mappings == shown[id(handle)]
        _check_reservations(process)
        for context in () if process.state == FORKED else process.contexts.values():  # a fork has its parent's
            assert not context.destroyed
            assert all(not peer.destroyed for peer in context.peers)
            contexts[context.card] += 1
        for context in _givers(process):
            lives = Counter(
                item.block.start for item in process.memory if isinstance(item, Placed) and item.context is context
            )
            lives.update(
                grid.block.start
                for grid in context.arrays.values()
                if isinstance(grid.block, Block) and not is_level(grid)
            )
            for arena in (context.linear, *context.arenas.values()):
                for block in arena.blocks.values():
                    assert block.live == lives.pop(block.start, 0)
            assert not lives
        _check_queues(process)
        _check_pools(process)
        for extent in extents_of(process):
            hold(extent)
        assert process.state == CHECKPOINTED or not process.away
        away.update(process.away)
        for primary in process.primaries.values():
            assert primary.active == (primary.context is not None and not primary.context.destroyed)
    for exported in machine.exchange.exports.values():
        if not isinstance(exported.physical, Pool):
            hold(exported.physical.extent)
    _check_fabric(machine.fabric, extents, hold)
    for number, extent in extents.items():
        assert extent.references == held[number], extent
    for memory in (machine.pinned, machine.managed):
        assert memory.used == sum(extent.held for extent in extents.values() if extent.memory is memory)
    for device in (*machine.devices, machine.host):
        sizes = [extent.held for extent in extents.values() if extent.memory is device.memory]
        held_by_contexts = contexts[device] * machine.profile.context_memory
        assert device.memory.used == sum(sizes) + held_by_contexts - away[device.memory]
        assert 0 <= device.memory.used <= device.memory.total
    for stream in machine.scheduler.pending:
        _check_work(stream)


def _givers(process: Process) -> list[Context]:
    """Return the contexts, and their stand-in, whose blocks hold a process's memory.

    None for a fork.
    """
    givers = (*process.contexts.values(), process.shared)
    return [one for one in givers if one is not None and process.state != FORKED]


def _check_reservations(process: Process) -> None:
    """Assert that a process's mappings lie sorted and disjoint in its reservations."""
    for reservation in process.reservations:
        ends = [reservation.start]
        for mapping in reservation.mappings:
            assert isinstance(mapping, Mapping)
            assert process.memory.at(mapping.start) is mapping
            assert ends[-1] <= mapping.start
            ends.append(mapping.end)
        assert ends[-1] <= reservation.end


def _check_fabric(fabric: Fabric, extents: dict[int, Extent], hold: Callable[[Extent], None]) -> None:
    """Assert that multicast objects are valid, counted and referenced.

    Args:
        fabric: The multicast objects.
        extents: The extents with references so far.
        hold: Counts a reference to an extent.
    """
    assert {id(extent) for extent in fabric.objects} <= extents.keys()
    objects = fabric.objects.values()
    for one in objects:
        _check_team(one)
    bindings = [binding for one in objects for binding in one.bindings]
    assert fabric.used == sum(extent.size for extent in fabric.objects) <= fabric.total
    assert fabric.teams == Counter(device for one in objects for device in one.team)
    assert fabric.bindings == Counter(binding.device for binding in bindings)
    assert fabric.unaligned == Counter(one.device for one in bindings if one.room > one.size)
    for binding in bindings:
        hold(binding.physical.extent)


def _check_team(team: Multicast) -> None:
    """Assert that a multicast object's bindings are inside it, valid and disjoint."""
    assert len(set(team.team)) == len(team.team) <= team.wanted
    assert team.complete or not team.bindings
    for binding in team.bindings:
        assert binding.device in team.team
        assert binding.start + binding.room <= team.size
        assert binding.offset + binding.size <= binding.physical.size
        assert team.bound(binding.device, binding.start, binding.room) == [binding]


def _check_queues(process: Process) -> None:
    """Assert that a process and its contexts list the same events and streams."""
    contexts = process.contexts.values()
    events = {handle: event for context in contexts for handle, event in context.events.items()}
    assert events == {handle: event for handle, event in process.events.items() if not event.destroyed}
    assert process.arrays == {handle: grid for context in contexts for handle, grid in context.arrays.items()}
    assert process.streams == {handle: stream for context in contexts for handle, stream in context.streams.items()}


def _check_work(stream: Stream) -> None:
    """Assert that a stream's work is unfinished, and only its oldest is running."""
    assert stream.work
    assert not stream.context.destroyed
    assert not any(work.done for work in stream.work)
    assert not any(work.running for work in list(stream.work)[1:])


def _check_pools(process: Process) -> None:
    """Assert that the counts of a process's pools are right."""
    pieces = [item for item in process.memory if isinstance(item, Pooled)]
    assert {id(item.pool) for item in pieces} <= {id(pool) for pool in pools_of(process)}
    for pool in pools_of(process):
        mine = [item for item in pieces if item.pool is pool]
        assert pool.count == len(mine)
        assert pool.used >= sum(item.size for item in mine)
        assert pool.reserved == sum(chunk.size for chunk in pool.chunks.values())
        assert pool.used_high >= pool.used or not pool.used_high
        assert pool.reserved_high >= pool.reserved or not pool.reserved_high
        # The pool of graphs, which has no handle, stays.
        last = any(not hole.done for chunk in pool.chunks.values() for hole in chunk.holes)
        assert pool.count or not pool.handle or pool.handle in process.pools or last
        for chunk in pool.chunks.values():
            taken = [(item.offset, item.offset + item.span) for item in mine if item.chunk is chunk]
            parts = sorted(taken + [(hole.start, hole.end) for hole in chunk.holes])
            assert all(end <= start for (_, end), (start, _) in itertools.pairwise(parts))
            assert pool.source or sum(end - start for start, end in parts) == chunk.size
        for item in mine:
            assert item.live
            assert item.source is None or item in item.source.importers
