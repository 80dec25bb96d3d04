"""Invariants of a machine: references, counts and tables agree."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import TYPE_CHECKING

from fakecuda.model.memory.array import is_level
from fakecuda.model.memory.backing import DeviceMemory, Extent
from fakecuda.model.memory.blocks import Block
from fakecuda.model.memory.holding import extents_of
from fakecuda.model.memory.memory import Import, Mapped, Placed, Registered
from fakecuda.model.memory.pool import Pool, Pooled, pools_of
from fakecuda.model.memory.va import Mapping
from fakecuda.model.os.process import CHECKPOINTED, FORKED

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.context import Context
    from fakecuda.model.machine import Machine
    from fakecuda.model.memory.multicast import Fabric, Multicast
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.stream import Stream


def _check_memory(process: Process) -> None:
    """Check the memory at the addresses of a process."""
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
            assert process.ipc.imports[item.share.handle, item.context.device.ordinal].share is item.share
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
        if process.checkpoint is not None:
            assert process.state == CHECKPOINTED or not process.checkpoint.away
            away.update(process.checkpoint.away)
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
        assert pool.count or not pool.handle or pool.handle in process.pools.live or last
        for chunk in pool.chunks.values():
            taken = [(item.offset, item.offset + item.span) for item in mine if item.chunk is chunk]
            parts = sorted(taken + [(hole.start, hole.end) for hole in chunk.holes])
            assert all(end <= start for (_, end), (start, _) in itertools.pairwise(parts))
            assert pool.source or sum(end - start for start, end in parts) == chunk.size
        for item in mine:
            assert item.live
            assert item.source is None or item in item.source.importers
