"""The end of processes: release of their resources, and what is kept of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code.linking import blocks_of, let_go
from fakecuda.model.context import Context
from fakecuda.model.effect import effect
from fakecuda.model.memory import pages
from fakecuda.model.memory.array import later_of
from fakecuda.model.memory.files import hide
from fakecuda.model.memory.memory import Mapped, Placed, Registered
from fakecuda.model.memory.pool import Pooled, Pools, pools_of
from fakecuda.model.memory.pool import end as end_pools
from fakecuda.model.memory.va import Mapping
from fakecuda.model.os import checkpoint
from fakecuda.model.os.process import CHECKPOINTED, DEINITIALIZED, FORKED, NOT_INITIALIZED, Process
from fakecuda.model.work.waiting import drop_work

if TYPE_CHECKING:
    from fakecuda.model.context import Device
    from fakecuda.model.machine import Machine

DEAD_KEPT = 1000
"""How many dead processes are kept in full; older ones keep only their handles."""


def bury(machine: Machine, process: Process) -> None:
    """Note that a process has ended, and forget an older one that is not needed."""
    if machine.processes.get(process.name) is not process:
        return
    machine.dead.append(process)
    for _ in range(len(machine.dead) - DEAD_KEPT):
        oldest = machine.dead.popleft()
        if not _forget(machine, oldest):
            machine.dead.append(oldest)


def _forget(machine: Machine, process: Process) -> bool:
    """Forget an ended process and its handles; return whether that was possible."""
    exchange = machine.exchange
    if process.is_own or any(
        exchange.shares[name].importers for name in process.ipc.exports if name in exchange.shares
    ):
        return False
    if any(pool.source and pool.source.process is process for other in machine.living for pool in pools_of(other)):
        return False
    for name in process.ipc.exports:
        exchange.shares.pop(name, None)
        exchange.pool_shares.pop(name, None)
        if name in exchange.exported_events:  # which can be opened and used for ever
            event = exchange.exported_events[name]
            event.context = _remain(machine, event.context.device)
    if machine.processes.get(process.name) is process:
        del machine.processes[process.name]
    return True


def _remain(machine: Machine, device: Device) -> Context:
    """Return a stand-in for the contexts of forgotten processes on a device."""
    remains = machine.exchange.remains
    if device not in remains:
        process = Process(machine, "that ended long ago", state=DEINITIALIZED, alive=False)
        remains[device] = Context(0, process, device, 0, 0)
    return remains[device]


@effect(ends="process")
def tear_down(machine: Machine, process: Process) -> None:
    """Release all that a process holds; its driver then answers DEINITIALIZED.

    Args:
        machine: The machine.
        process: The process.
    """
    if process.state == NOT_INITIALIZED:
        return  # no exit handler was set, nothing is held
    if process.state == FORKED:
        process.contexts.clear()  # they are its parent's, which goes on with them
        let_go(process)
        process.loaded.clear()
        process.arrays.clear()
    if process.state == CHECKPOINTED:
        checkpoint.restore(process)
    process.state = DEINITIALIZED
    process.drop_gate()
    drop_work(machine, *process.contexts.values())
    if machine.races is not None:
        machine.races.end(process)
    for thread in list(process.threads.values()):  # one of another OS process may end meanwhile
        thread.stack.clear()
    _release_memory(process)
    for name in process.ipc.exports:
        if name in machine.exchange.shares:
            machine.exchange.shares[name].live = False
    _forget_objects(process)


def _release_memory(process: Process) -> None:
    """Release the memory of a process, except what other processes still map."""
    for item in list(process.memory):
        if not isinstance(item, Placed | Registered | Mapped | Pooled):
            if isinstance(item, Mapping) and item.host_access:
                hide(item.start, item.size)
            item.extent.release()
    for mapping in list(process.ipc.imports.values()):
        mapping.share.importers.remove(mapping)
    end_pools(process)
    for handle in process.handles.values():
        if handle.references:
            handle.physical.extent.release()
    for context in process.contexts.values():
        context.card.memory.used -= process.machine.profile.context_memory
        for arena in (context.linear, *context.arenas.values()):
            for block in arena.blocks.values():
                block.extent.release()
    for block in blocks_of(process):
        block.extent.release()
    for later in later_of(process):
        pages.let_go(later)


def _forget_objects(process: Process) -> None:
    """Forget the objects of a process, and close its address ranges."""
    for table in (
        process.contexts,
        process.handles,
        process.ipc.imports,
        process.primaries,
        process.ipc.lines,
        process.arrays,
        process.events,
        process.streams,
        process.graphs,
        process.user_objects.live,
        process.loaded,
        process.leaving,
    ):
        table.clear()
    process.memory = type(process.memory)()
    process.pools = Pools()
    process.graph_memory = process.shared = None
    process.registered = 0
    process.reservations = type(process.reservations)()
    process.addresses.close()
