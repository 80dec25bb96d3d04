"""How contexts come and go, with all that is in them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import blocks
from fakecuda.model.context import Context
from fakecuda.model.event import Event
from fakecuda.model.memory import Allocation, Import, Managed, Pinned, Placed, Registered
from fakecuda.model.pooling import seen_of_context
from fakecuda.model.stream import LEGACY, Stream
from fakecuda.model.waiting import drop_work, release

if TYPE_CHECKING:
    from fakecuda.model.context import Device, PrimaryContext
    from fakecuda.model.history import Stack
    from fakecuda.model.memory import Share
    from fakecuda.model.process import Process

PORTABLE, DEVICE_MAP, WRITE_COMBINED = 1, 2, 4
"""CU_MEMHOSTALLOC_PORTABLE, _DEVICEMAP and _WRITECOMBINED; the first two register memory, too."""
READ_ONLY = 8
"""CU_MEMHOSTREGISTER_READ_ONLY."""
MAP_HOST = 8
"""CU_CTX_MAP_HOST: a primary context always supports pinned allocations."""


def create(process: Process, device: Device, flags: int, stack: Stack) -> Context:
    """Return a new context of the process; the device's memory has room for it."""
    context = Context(
        process.machine.territory.new_handle(), process, device, flags, next(process.context_identities), created=stack
    )
    process.contexts[context.handle] = context
    device.memory.used += process.machine.profile.context_memory
    return context


def activate(process: Process, device: Device, primary: PrimaryContext, stack: Stack) -> None:
    """Make a device's primary context active; its handle is the same as ever in this process."""
    old = primary.context
    context = Context(
        old.handle if old else process.machine.territory.new_handle(),
        process,
        device,
        primary.flags | MAP_HOST,
        next(process.context_identities),
        primary=True,
        unheld=True,
        created=stack,
    )
    primary.context = context
    primary.active = True
    process.contexts[context.handle] = context
    process.dead_contexts.pop(context.handle, None)
    device.memory.used += process.machine.profile.context_memory
    # Where the old one lingers on stacks, the handle names the new one again.
    for thread in list(process.threads.values()):  # one of another OS process may end meanwhile
        if old in thread.stack:
            thread.stack[:] = [context if item is old else item for item in thread.stack]


def deactivate(process: Process, primary: PrimaryContext, stack: Stack) -> None:
    """Destroy a device's primary context; its references stay."""
    assert primary.context is not None
    destroy(process, primary.context, stack)
    primary.context.flags = primary.flags = 0
    primary.active = False


def destroy(process: Process, context: Context, stack: Stack) -> None:
    """End a context once its work is done, and other work with its memory: that goes, with IPC mappings and events.

    It lingers on stacks.

    Raises:
        FakeCudaError: Its work does not come to be done.
    """
    release(context)
    context.destroyed = True
    machine = process.machine
    if context.worker is not None:
        drop_work(machine, context)
    context.flags = context.first_flags
    context.ended = stack
    for start in [*context.allocations, *context.imports]:
        item = process.memory.at(start)
        assert isinstance(item, Placed | Registered | Import)
        free(process, item, stack)
    for event in list(context.events.values()):
        end_event(process, event, stack)
    if context.frees:
        seen_of_context(context)
    for stream in list(context.streams.values()):
        end_stream(process, stream, stack)
    for other in process.contexts.values():
        other.peers.discard(context)
    context.peers.clear()
    for arena in (context.linear, *context.arenas.values()):
        blocks.release_all(process, arena)
    del process.contexts[context.handle]
    process.dead_contexts[context.handle] = context
    context.device.memory.used -= machine.profile.context_memory


def create_event(context: Context, flags: int, stack: Stack, exported: Event | None = None) -> Event:
    """Return a new event of a context: one of its own, or what stands for an event that another process exported."""
    event = Event(context.process.machine.territory.new_handle(), context, flags, exported=exported, created=stack)
    context.events[event.handle] = context.process.events[event.handle] = event
    return event


def end_event(process: Process, event: Event, stack: Stack) -> None:
    """End an event."""
    event.ended = stack
    del event.context.events[event.handle]
    del process.events[event.handle]
    process.note_freed(event.handle, event)


def create_stream(context: Context, flags: int, priority: int, stack: Stack) -> Stream:
    """Return a new stream of a context."""
    process = context.process
    stream = Stream(
        process.machine.territory.new_handle(), context, flags, priority, next(process.stream_identities), created=stack
    )
    context.streams[stream.handle] = process.streams[stream.handle] = stream
    return stream


def default_stream(context: Context, handle: int, thread: str) -> Stream:
    """Return a default stream of a context: the one for all threads, or a thread's own.

    Args:
        context: The context.
        handle: ``LEGACY`` or ``PER_THREAD``.
        thread: The name of the thread whose stream PER_THREAD is.
    """
    key = LEGACY if handle == LEGACY else thread
    stream = context.default_streams.get(key)
    if stream is None:
        stream = context.default_streams[key] = Stream(handle, context, 0, 0)
    return stream


def end_stream(process: Process, stream: Stream, stack: Stack) -> None:
    """End a stream; work that it has left is done all the same."""
    stream.ended = stack
    del stream.context.streams[stream.handle]
    del process.streams[stream.handle]
    process.note_freed(stream.handle, stream)


def pin(context: Context, size: int, flags: int, stack: Stack) -> Pinned | None:
    """Return new page-locked memory, or None when there is not so much.

    Args:
        context: The context that it dies with.
        size: Bytes.
        flags: ``PORTABLE``, ``DEVICE_MAP`` and ``WRITE_COMBINED``.
        stack: The stack that allocates it.
    """
    process = context.process
    arena = context.arena("write_combined" if flags & WRITE_COMBINED else "pinned")
    place = blocks.take(process, arena, size, flags)
    if place is None:
        return None
    start, block = place
    # The driver tells the flags of the block, and maps all of it.
    pinned = Pinned(
        start, start + size, context, block, next(process.identities), block.flags | DEVICE_MAP, created=stack
    )
    _keep(pinned)
    return pinned


def manage(context: Context, size: int, stack: Stack) -> Managed | None:
    """Return new managed memory of ``size`` bytes that dies with the context, or None when addresses are exhausted."""
    process = context.process
    place = blocks.take(process, context.arena("managed"), size)
    if place is None:
        return None
    start, block = place
    managed = Managed(start, start + size, context, block, next(process.identities), sync_memops=True, created=stack)
    _keep(managed)
    return managed


def register(context: Context, start: int, size: int, flags: int, stack: Stack) -> None:
    """Register memory of the host until its context ends.

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
        next(process.block_identities),
        flags & PORTABLE | DEVICE_MAP,
        read_only=bool(flags & READ_ONLY),
        created=stack,
    )
    process.registered += 1
    _keep(registered)


def _keep(item: Placed | Registered) -> None:
    """Enter memory of a context where it is looked for."""
    item.context.process.memory.add(item)
    item.context.allocations[item.start] = None


def attach(context: Context, share: Share, start: int, stack: Stack) -> Import:
    """Map what an IPC handle names into a process, until its context ends.

    Args:
        context: The context that opens it.
        share: What the handle names.
        start: The address that it will have.
        stack: The stack that opens it.
    """
    process, allocation = context.process, share.allocation
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
    _, count = process.ipc_lines.get(line, (context, 0))
    process.ipc_lines[line] = context, count + 1
    share.extent.references += 1
    share.importers.append(opened)
    process.imports[share.handle, context.device.ordinal] = opened
    process.memory.add(opened)
    context.imports[start] = None
    return opened


def detach(process: Process, opened: Import, stack: Stack) -> None:
    """Close an IPC mapping once; the last close ends it."""
    opened.references -= 1
    if not opened.references:
        free(process, opened, stack)


def free(process: Process, item: Placed | Registered | Import, stack: Stack) -> None:
    """End memory of a context or an IPC mapping of the process."""
    process.memory.remove(item)
    item.ended = stack
    process.note_freed(item.start, item)
    if isinstance(item, Placed):
        process.leaving.pop(item.start, None)
        del item.context.allocations[item.start]
        if isinstance(item, Allocation) and item.share is not None:
            item.share.live = False
        if isinstance(item, Managed):
            item.block.advice.clear(item.start, item.end)
        blocks.give(process, item.start, item.end - item.start, item.block)
    elif isinstance(item, Registered):
        process.registered -= 1
        del item.context.allocations[item.start]
    else:
        del item.context.imports[item.start]
        item.share.importers.remove(item)
        context, count = process.ipc_lines.pop(item.line)
        if count > 1:
            process.ipc_lines[item.line] = context, count - 1
        del process.imports[item.share.handle, item.context.device.ordinal]
        process.addresses.give(item.start, item.end - item.start)
        item.extent.release()
