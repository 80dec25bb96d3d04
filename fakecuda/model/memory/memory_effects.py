"""Effects that create and end memory of contexts, and IPC mappings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import history
from fakecuda.model.effect import effect
from fakecuda.model.memory import blocks
from fakecuda.model.memory.memory import (
    Allocation,
    Import,
    Managed,
    ManagedStatic,
    Mapped,
    Pinned,
    Placed,
    Registered,
    Share,
    Static,
)
from fakecuda.model.memory.narrow import PAGE
from fakecuda.model.work import stream_scheduler

if TYPE_CHECKING:
    from fakecuda.model.context import Context, Device
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.narrow import Narrow
    from fakecuda.model.memory.pool import Pooled
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.stream import Memory, Stream

PORTABLE, DEVICE_MAP, WRITE_COMBINED = 1, 2, 4
"""CU_MEMHOSTALLOC_PORTABLE, _DEVICEMAP and _WRITECOMBINED. The first two are also flags of registered memory."""
READ_ONLY = 8
"""CU_MEMHOSTREGISTER_READ_ONLY."""


@effect(makes="Allocation")
def allocate(context: Context, size: int, stack: Stack) -> Allocation | None:
    """Allocate linear memory in a context, and return it.

    None if the device has too little memory.
    """
    process = context.process
    place = blocks.take(process, context.linear, size)
    if place is None:
        return None
    start, block = place
    allocation = Allocation(start, start + size, context, block, next(process.identities), stack)
    process.memory.add(allocation)
    context.allocations[start] = None
    return allocation


@effect(makes="Static")
def place_variable(context: Context, size: int, stack: Stack) -> Static | None:
    """Allocate zeroed memory for a variable of a module, and return it.

    None if there is too little memory.

    Args:
        context: The module's context.
        size: Bytes.
        stack: The stack that loads the module.

    Raises:
        FakeCudaError: The memory would exceed its cap; nothing has changed.
    """
    process = context.process
    place = blocks.take(process, context.arena("variables"), size, zeroed=True)
    if place is None:
        return None
    start, block = place
    made = Static(start, start + size, context, block, next(process.identities), stack)
    _keep(made)
    return made


@effect(makes="ManagedStatic")
def place_managed_variable(context: Context, size: int, stack: Stack) -> ManagedStatic | None:
    """Allocate zeroed managed memory for a variable; see :func:`place_variable`."""
    process = context.process
    place = blocks.take(process, context.arena("managed"), size, zeroed=True)
    if place is None:
        return None
    start, block = place
    made = ManagedStatic(start, start + size, context, block, next(process.identities), stack, sync_memops=True)
    _keep(made)
    return made


@effect()
def allocate_rows(context: Context, size: int, rows: tuple[int, int, int], stack: Stack) -> Allocation | None:
    """Allocate linear memory for rows, and return it; see :func:`allocate`.

    Args:
        context: The context that the memory ends with.
        size: Bytes.
        rows: Bytes from row to row, rows of a slice, slices.
        stack: The stack that allocates it.
    """
    allocation = allocate(context, size, stack)
    if allocation is not None:
        allocation.rows = rows
    return allocation


@effect(makes="Pinned")
def pin(context: Context, size: int, flags: int, stack: Stack, *, told: int | None = None) -> Pinned | None:
    """Allocate page-locked memory, and return it; None without enough memory.

    Args:
        context: The context that the memory ends with.
        size: Bytes.
        flags: ``PORTABLE``, ``DEVICE_MAP`` and ``WRITE_COMBINED``.
        stack: The stack that allocates it.
        told: The flags that cuMemHostGetFlags reports. Without them it reports those of the block, as the driver does.
    """
    process = context.process
    arena = context.arena("write_combined" if flags & WRITE_COMBINED else "pinned")
    place = blocks.take(process, arena, size, flags)
    if place is None:
        return None
    start, block = place
    told = block.flags | DEVICE_MAP if told is None else told
    pinned = Pinned(start, start + size, context, block, next(process.identities), stack, told)
    _keep(pinned)
    _map(pinned, flags, stack)
    return pinned


@effect(makes="Managed")
def manage(context: Context, size: int, stack: Stack) -> Managed | None:
    """Allocate managed memory in a context, and return it.

    None if addresses are exhausted.
    """
    process = context.process
    place = blocks.take(process, context.arena("managed"), size)
    if place is None:
        return None
    start, block = place
    managed = Managed(start, start + size, context, block, next(process.identities), stack, sync_memops=True)
    _keep(managed)
    return managed


@effect(makes="Registered")
def register(context: Context, start: int, size: int, flags: int, stack: Stack) -> Registered:
    """Register host memory until its context ends, and return the registration.

    Args:
        context: The context.
        start: The memory's address.
        size: Bytes.
        flags: ``PORTABLE``, ``DEVICE_MAP`` and ``READ_ONLY``.
        stack: The stack that registers it.
    """
    process = context.process
    registered = Registered(
        start,
        start + size,
        context,
        process.system.registered(process.machine.pinned, start, size),
        next(process.identities),
        next(process.identities),
        flags & PORTABLE | DEVICE_MAP
        if context.narrow is None
        else flags & known_flags(context.narrow) & ~WRITE_COMBINED,
        read_only=bool(flags & READ_ONLY),
        created=stack,
    )
    process.registered += 1
    _keep(registered)
    _map(registered, flags, stack)
    return registered


def known_flags(narrow: Narrow) -> int:
    """Return the flags of page-locked memory that contexts of CUDA 3.1 support."""
    return DEVICE_MAP | WRITE_COMBINED | (PORTABLE if len(narrow.rooms) > 1 else 0)


def _map(host: Pinned | Registered, flags: int, stack: Stack) -> None:
    """Map page-locked memory into a CUDA 3.1 context's addresses, if flags ask for it.

    Args:
        host: The memory.
        flags: ``DEVICE_MAP`` and others.
        stack: The stack that makes it.
    """
    narrow = host.context.narrow
    if narrow is not None and flags & DEVICE_MAP:
        inside = host.start % PAGE
        start = narrow.take(inside + host.size) + inside
        mapped = narrow.mapped[host] = Mapped(
            start, start + host.size, host.context, host, host.identity, created=stack
        )
        host.context.process.memory.add(mapped)


def _unmap(host: Pinned | Registered, stack: Stack) -> None:
    """Unmap page-locked memory from a CUDA 3.1 context's addresses."""
    narrow, process = host.context.narrow, host.context.process
    mapped = narrow.mapped.pop(host, None) if narrow is not None else None
    if mapped is not None:
        assert narrow is not None
        process.memory.remove(mapped)
        mapped.ended = stack
        process.note_freed(mapped.start, mapped)
        inside = mapped.start % PAGE
        narrow.give(mapped.start - inside, mapped.size + inside)


def _keep(item: Placed | Registered) -> None:
    """Enter memory into the tables of its process and its context."""
    item.context.process.memory.add(item)
    item.context.allocations[item.start] = None


@effect()
def share(allocation: Allocation, size: int) -> Share:
    """Export an allocation under an IPC handle of ``size`` bytes.

    If an earlier allocation at the same place of the block had a handle, that handle is used again. A block that was
    empty in between begins with new handles.
    """
    known = allocation.share
    if known is None:
        place, names = (allocation.start, allocation.size, 0), _names(allocation)
        known = allocation.share = _named(allocation.context.process, allocation, size, names.get(place))
        names[place] = known.handle
    return known


@effect()
def share_through(allocation: Allocation, context: Context, size: int) -> bytes:
    """Return an allocation's IPC handle for an export while a context is current.

    Each context has its own handle for the same memory. Importers open the same memory with each.
    """
    known = share(allocation, size)
    if context is allocation.context:
        return known.handle
    handle = known.through.get(context.identity)
    if handle is None:
        process, names = context.process, _names(allocation)
        place = allocation.start, allocation.size, context.identity
        handle = names[place] = names.get(place) or process.machine.exchange.new_name(process, size)
        process.machine.exchange.shares[handle] = known
        known.through[context.identity] = handle
    return handle


def _names(allocation: Allocation) -> dict[tuple[int, int, int], bytes]:
    """Return the IPC handles of an allocation's block, as :class:`Block` keeps them."""
    block = allocation.block
    names = block.names = block.names or {}
    return names


@effect()
def share_pooled(item: Pooled, size: int) -> Share:
    """Export memory of a pool; the handle is the same each time."""
    known = item.named
    if known is None:
        known = item.named = _named(item.pool.process, item, size)
    return known


def _named(process: Process, memory: Allocation | Pooled, size: int, name: bytes | None = None) -> Share:
    """Export memory under the given name, or under a new name of ``size`` bytes."""
    process.stays()
    machine = process.machine
    made = Share(name or machine.exchange.new_name(process, size), process, memory, memory.extent, memory.origin)
    made.created = history.here(history.OURS + 1)
    machine.exchange.shares[made.handle] = made
    return made


@effect(makes="Import")
def attach(context: Context, share: Share, alignment: int, stack: Stack) -> Import | None:
    """Map an exported allocation, and return the mapping; None without addresses.

    Args:
        context: The context that opens the mapping, which ends with it.
        share: The exported allocation.
        alignment: The alignment of its address, in bytes.
        stack: The stack that opens it.
    """
    process, allocation = context.process, share.allocation
    process.stays()
    share.process.stays()
    start = (context.narrow or process.addresses).take(allocation.size, alignment)
    if not start:
        return None
    line = share.process.name, allocation.device.ordinal, context.device.ordinal
    origin = start - (allocation.start - share.origin)
    opened = Import(
        start,
        start + allocation.size,
        context,
        share,
        share.extent,
        next(process.identities),
        origin,
        line,
        created=stack,
    )
    _, count = process.ipc.lines.get(line, (context, 0))
    process.ipc.lines[line] = context, count + 1
    share.extent.references += 1
    share.importers.append(opened)
    process.ipc.imports[share.handle, context.device.ordinal] = opened
    process.memory.add(opened)
    context.imports[start] = None
    return opened


@effect()
def attach_again(opened: Import, device: Device | None = None) -> None:
    """Count another open of an IPC mapping, and set the device that HIP reports."""
    opened.references += 1
    opened.told = device


@effect()
def detach(process: Process, opened: Import, stack: Stack) -> None:
    """Close an IPC mapping once; the last close unmaps it."""
    opened.references -= 1
    if not opened.references:
        free(process, opened, stack)


@effect(ends="item")
def free(process: Process, item: Placed | Registered | Import, stack: Stack) -> None:
    """Free memory of a context, or unmap an IPC mapping."""
    start = item.start
    if isinstance(item, Pinned | Registered):
        _unmap(item, stack)
    process.memory.remove(item)
    item.ended = stack
    process.note_freed(start, item)
    if isinstance(item, Placed):
        if process.leaving:
            process.leaving.pop(start, None)
        del item.context.allocations[start]
        if isinstance(item, Allocation):
            if item.share is not None:
                item.share.live = False
        elif isinstance(item, Managed):
            item.block.advice.clear(start, item.end)
        blocks.give(process, start, item.end - start, item.block)
    elif isinstance(item, Registered):
        process.registered -= 1
        del item.context.allocations[start]
    else:
        del item.context.imports[start]
        item.share.importers.remove(item)
        context, count = process.ipc.lines.pop(item.line)
        if count > 1:
            process.ipc.lines[item.line] = context, count - 1
        others = [one for one in item.share.importers if one.context is item.context]
        if others:  # HIP of 2024 maps an allocation once more each time
            process.ipc.imports[item.share.handle, item.context.device.ordinal] = others[-1]
        else:
            del process.ipc.imports[item.share.handle, item.context.device.ordinal]
        (item.context.narrow or process.addresses).give(start, item.end - start)
        item.extent.release()


@effect()
def free_later(allocation: Allocation, stream: Stream, stack: Stack) -> None:
    """Free linear memory when a stream reaches the free, unless it is freed earlier."""
    process = allocation.context.process

    def act() -> None:
        if process.memory.at(allocation.start) is allocation:
            free(process, allocation, stack)

    process.leaving[allocation.start] = None
    stream_scheduler.submit(stream, act)


@effect()
def synchronise(item: Memory, always: int) -> None:
    """Set whether synchronous operations on memory always synchronize.

    0 means no.
    """
    item.sync_memops = bool(always)
