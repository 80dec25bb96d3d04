"""How contexts come and go, with all that is in them, and memory pools."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import module_effects
from fakecuda.model.context import MAP_HOST, Context, Retain
from fakecuda.model.effect import effect
from fakecuda.model.history import NOWHERE
from fakecuda.model.memory import array, blocks, memory_effects, pool_effects, texture
from fakecuda.model.memory.blocks import Arena
from fakecuda.model.memory.memory import Import, Placed, Registered
from fakecuda.model.memory.pool import MANAGED, READ_WRITE, Pool, PoolProps
from fakecuda.model.memory.va import Location
from fakecuda.model.work import waiting
from fakecuda.model.work.event import INTERPROCESS, Event
from fakecuda.model.work.stream import LEGACY, Stream

if TYPE_CHECKING:
    from fakecuda.model.context import Device, PrimaryContext
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.pool import Kind
    from fakecuda.model.os.process import Process
    from fakecuda.model.os.thread import Thread


@effect(makes="Context")
def create(process: Process, device: Device, flags: int, stack: Stack) -> Context:
    """Return a new context of the process; the device's memory has room for it."""
    context = Context(
        process.machine.territory.new_handle(), process, device, flags, next(process.context_identities), created=stack
    )
    process.contexts[context.handle] = context
    process.memory_of(device).used += process.machine.profile.context_memory
    return context


@effect(makes="Context")
def activate(process: Process, device: Device, primary: PrimaryContext, stack: Stack) -> Context:
    """Make a device's primary context active, and return it; its handle is the same as ever in this process."""
    old = primary.context
    context = Context(
        old.handle if old else process.handle_of(device.ordinal),
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
    process.memory_of(device).used += process.machine.profile.context_memory
    # Where the old one lingers on stacks, the handle names the new one again.
    for thread in list(process.threads.values()):  # one of another OS process may end meanwhile
        if old in thread.stack:
            thread.stack[:] = [context if item is old else item for item in thread.stack]
    return context


@effect()
def retain(process: Process, device: Device, primary: PrimaryContext, stack: Stack, thread: str) -> Context:
    """Add a reference to a device's primary context, which the first one makes active, and return it.

    Args:
        process: The process.
        device: The device.
        primary: The primary context.
        stack: The stack that retains it; ``NOWHERE`` for a reference that an earlier machine has left.
        thread: The name of the thread that does.
    """
    context = primary.context
    if context is None or not primary.active:
        context = activate(process, device, primary, stack)
    primary.references += 1
    primary.retains.append(Retain(thread, stack))
    return context


@effect()
def hold(process: Process, device: Device, primary: PrimaryContext, stack: Stack) -> Context:
    """Return a device's primary context, active; the runtime API's first use of it is a reference."""
    context = primary.context
    if context is None or not primary.active:
        context = activate(process, device, primary, stack)
    context.unheld = False
    if not primary.held:
        primary.held = True
        primary.references += 1
    return context


@effect()
def release(process: Process, primary: PrimaryContext, stack: Stack, thread: str) -> None:
    """Drop a reference to a device's primary context; the last one destroys it.

    Args:
        process: The process.
        primary: The primary context.
        stack: The stack that releases it.
        thread: The name of the thread that does, whose last retain it ends, or else the last one of all.

    Raises:
        FakeCudaError: Its work does not come to be done.
    """
    if primary.references == 1:
        _settle(primary)
    primary.references -= 1
    if primary.retains:
        own = [place for place, retain in enumerate(primary.retains) if retain.thread == thread]
        del primary.retains[own[-1] if own else -1]
    if not primary.references:
        primary.held = False
        if primary.active:
            deactivate(process, primary, stack)


@effect()
def reset(process: Process, primary: PrimaryContext, stack: Stack, *, held: bool = False) -> None:
    """Destroy a device's primary context if it is active, and clear its flags; its references stay, but for the runtime API's.

    Args:
        process: The process.
        primary: The primary context.
        stack: The stack that resets it.
        held: Whether the runtime API resets it, and gives its reference back.

    Raises:
        FakeCudaError: Its work does not come to be done.
    """
    _settle(primary)
    if held and primary.held:
        primary.held = False
        primary.references -= 1
    if primary.active:
        deactivate(process, primary, stack)
    primary.flags = 0


def _settle(primary: PrimaryContext) -> None:
    """Wait for the work of a primary context, if it is active, before it ends."""
    if primary.active:
        assert primary.context is not None
        waiting.release(primary.context)


@effect()
def deactivate(process: Process, primary: PrimaryContext, stack: Stack) -> None:
    """Destroy a device's primary context; its references stay."""
    assert primary.context is not None
    destroy(process, primary.context, stack)
    primary.context.flags = primary.flags = 0
    primary.active = False


@effect()
def enter(thread: Thread, device: Device, flags: int, stack: Stack) -> Context:
    """Return a new context, current to a thread; the device's memory has room for it."""
    context = create(thread.process, device, flags, stack)
    thread.push_context(context)
    return context


@effect()
def leave(thread: Thread, context: Context, stack: Stack) -> None:
    """Destroy a context, and pop it from a thread's stack if it is current there.

    Raises:
        FakeCudaError: Its work does not come to be done; then it stays, and current.
    """
    destroy(context.process, context, stack)
    if thread.stack and thread.stack[-1] is context:
        thread.stack.pop()


@effect(ends="context")
def destroy(process: Process, context: Context, stack: Stack) -> None:
    """End a context once its work is done, and other work with its memory: that goes, with IPC mappings and events.

    It lingers on stacks.

    Raises:
        FakeCudaError: Its work does not come to be done.
    """
    waiting.release(context)
    context.destroyed = True
    machine = process.machine
    if machine.races is not None:
        machine.races.seen_context(context)
    if context.worker is not None:
        waiting.drop_work(machine, context)
    context.flags = context.first_flags
    context.ended = stack
    for module in list(context.modules.values()):
        module_effects.unload(process, module, stack)
    for start in [*context.allocations, *context.imports]:
        item = process.memory.at(start)
        assert isinstance(item, Placed | Registered | Import)
        memory_effects.free(process, item, stack)
    for grid in [one for one in context.arrays.values() if not array.is_level(one)]:
        array.end(process, grid, stack)
    for seen in (*context.textures.values(), *context.surfaces.values()):
        texture.end(seen, stack)
    for event in list(context.events.values()):
        end_event(process, event, stack)
    if context.frees:
        pool_effects.seen_of_context(context)
    for stream in list(context.streams.values()):
        end_stream(process, stream, stack)
    for other in process.contexts.values():
        other.peers.discard(context)
        other.connected.pop(context, None)
    context.peers.clear()
    context.connected.clear()
    for arena in (context.linear, *context.arenas.values()):
        blocks.release_all(process, arena)
    del process.contexts[context.handle]
    process.dead_contexts[context.handle] = context
    context.card.memory.used -= machine.profile.context_memory


@effect(makes="Event")
def create_event(context: Context, flags: int, stack: Stack, exported: Event | None = None) -> Event:
    """Return a new event of a context: one of its own, or what stands for an event that another process exported."""
    event = Event(context.process.machine.territory.new_handle(), context, flags, stack)
    event.exported = exported
    context.events[event.handle] = context.process.events[event.handle] = event
    if flags & INTERPROCESS and exported is None:
        event.place = _place(context, event)
    return event


def _place(context: Context, event: Event) -> int:
    """Return the place that an event has from now on among those that other processes can open: a free one, if there is."""
    shared = context.shared_events
    if not context.free_places:
        shared.append(event)
        return len(shared) - 1
    place = context.free_places.pop()
    shared[place] = event
    return place


@effect(ends="event")
def end_event(process: Process, event: Event, stack: Stack, *, destroyed: bool = False) -> None:
    """End an event, because it is destroyed or its context is."""
    event.destroyed = destroyed
    event.ended = stack
    if event.place >= 0:
        event.context.free_places.append(event.place)
    del event.context.events[event.handle]
    del process.events[event.handle]
    process.note_freed(event.handle, event)


@effect(makes="Stream")
def create_stream(context: Context, flags: int, priority: int, stack: Stack) -> Stream:
    """Return a new stream of a context."""
    process = context.process
    handle, identity = process.machine.territory.new_handle(), next(process.stream_identities)
    stream = Stream(handle, context, flags, priority, identity, stack)
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


@effect(ends="stream")
def end_stream(process: Process, stream: Stream, stack: Stack, *, destroyed: bool = False) -> None:
    """End a stream, because it is destroyed or its context is; work that it has left is done all the same."""
    stream.destroyed = destroyed
    stream.ended = stack
    del stream.context.streams[stream.handle]
    del process.streams[stream.handle]
    process.note_freed(stream.handle, stream)


@effect(makes="Pool")
def create_pool(
    process: Process,
    props: PoolProps,
    device: Device,
    stack: Stack,
    *,
    default: bool = False,
    source: Pool | None = None,
) -> Pool:
    """Return a new pool.

    Args:
        process: The process.
        props: What it is like.
        device: The device that its memory lies on, or the host.
        stack: The stack that creates it.
        default: Whether it is a default pool.
        source: The pool of another process that it stands for.
    """
    machine = process.machine
    memory = machine.managed if props.type == MANAGED else process.memory_of(device)
    access = {} if props.type == MANAGED else {device.ordinal: READ_WRITE}
    pool = Pool(
        process.handle_of((props.type, *props.location)) if default else machine.territory.new_handle(),
        process,
        device,
        props,
        Arena(memory),
        default,
        source,
        access=access,
        created=stack,
    )
    process.pools[pool.handle] = pool
    return pool


@effect(beside="a look-up makes it")
def default_pool(process: Process, kind: Kind, device: Device) -> Pool:
    """Return the default pool of a kind, made when it is first asked for; it lies on a device, or the host."""
    pool = process.default_pools.get(kind)
    if pool is None:
        props = PoolProps(kind[0], 0, Location(*kind[1:]))
        pool = process.default_pools[kind] = create_pool(process, props, device, NOWHERE, default=True)
    return pool


def current_pool(process: Process, kind: Kind, device: Device) -> Pool:
    """Return the pool of a kind that was set last, or the default one."""
    return process.current_pools.get(kind) or default_pool(process, kind, device)


@effect()
def use_pool(process: Process, kind: Kind, pool: Pool) -> None:
    """Have a pool be the one that allocations of a kind come from."""
    process.current_pools[kind] = pool


@effect()
def release_pool(pool: Pool, stack: Stack) -> None:
    """Destroy a pool; one that was imported several times ends with the last time."""
    pool.references -= 1
    if not pool.references:
        end_pool(pool, stack)


@effect(ends="pool")
def end_pool(pool: Pool, stack: Stack) -> None:
    """End a pool; what was allocated from it stays until it is freed."""
    process = pool.process
    pool.ended = stack
    del process.pools[pool.handle]
    process.note_freed(pool.handle, pool)
    process.retired_pools[pool.handle] = pool
    for place in [place for place, current in process.current_pools.items() if current is pool]:
        del process.current_pools[place]
    pool.reclaim()
