"""Effects that create and destroy contexts with all of their contents."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model.code import module_effects
from fakecuda.model.context import MAP_HOST, Context, Retain
from fakecuda.model.effect import effect
from fakecuda.model.memory import array, blocks, memory_effects, pool_effects, texture
from fakecuda.model.memory.memory import Import, Placed, Registered
from fakecuda.model.memory.narrow import FIRST, ROOM, Narrow
from fakecuda.model.os import handles
from fakecuda.model.work import waiting
from fakecuda.model.work.event import INTERPROCESS, Event
from fakecuda.model.work.stream import LEGACY, Stream
from fakecuda.spec import orders

if TYPE_CHECKING:
    from fakecuda.model.context import Device, PrimaryContext
    from fakecuda.model.graph.capture import Gate
    from fakecuda.model.history import Stack
    from fakecuda.model.os.process import Process
    from fakecuda.model.os.thread import Thread


@effect(makes="Context")
def create(process: Process, device: Device, flags: int, stack: Stack, narrow: Narrow | None = None) -> Context:
    """Create a context of a process, at 32-bit addresses if there are any.

    The caller has checked that the device's memory has room.
    """
    context = Context(
        process.machine.territory.new_handle(),
        process,
        device,
        flags,
        next(process.context_identities),
        narrow=narrow,
        created=stack,
    )
    process.contexts[context.handle] = context
    process.memory_of(device).used += process.machine.profile.context_memory
    return context


@effect(makes="Context")
def activate(process: Process, device: Device, primary: PrimaryContext, stack: Stack) -> Context:
    """Activate a device's primary context, and return it.

    Its handle is always the same in a process.
    """
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
    # If the old context is still on stacks, the handle names the new one there, too.
    for thread in list(process.threads.values()):  # a thread of another OS process may end meanwhile
        if old in thread.stack:
            thread.stack[:] = [context if item is old else item for item in thread.stack]
    return context


@effect()
def retain(process: Process, device: Device, primary: PrimaryContext, stack: Stack, thread: str) -> Context:
    """Add a reference to a device's primary context, and return it.

    The first reference activates it.

    Args:
        process: The process.
        device: The device.
        primary: The primary context.
        stack: The stack that retains it. ``NOWHERE`` for a reference from an earlier machine.
        thread: The name of the calling thread.
    """
    context = primary.context
    if context is None or not primary.active:
        context = activate(process, device, primary, stack)
    primary.references += 1
    primary.retains.append(Retain(thread, stack))
    return context


@effect()
def hold(process: Process, device: Device, primary: PrimaryContext, stack: Stack) -> Context:
    """Return a device's active primary context for the runtime API.

    The runtime API's first use of the context adds a reference.
    """
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
    """Release a reference to a device's primary context; the last one destroys it.

    Args:
        process: The process.
        primary: The primary context.
        stack: The stack that releases it.
        thread: The name of the calling thread. Its last retain is dropped, or else the last retain of any thread.

    Raises:
        FakeCudaError: Its work does not end.
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
    """Destroy a device's primary context if it is active, and clear its flags.

    Its references stay, except for the runtime API's if ``held`` is true and the context is active.

    Args:
        process: The process.
        primary: The primary context.
        stack: The stack that resets it.
        held: Whether the runtime API resets it, and drops its own reference.

    Raises:
        FakeCudaError: Its work does not end.
    """
    _settle(primary)
    if primary.active:
        if held and primary.held:
            primary.held = False
            primary.references -= 1
        deactivate(process, primary, stack)
    primary.flags = 0


def _settle(primary: PrimaryContext) -> None:
    """Wait for the work of a primary context, if it is active."""
    if primary.active:
        assert primary.context is not None
        waiting.release(primary.context)


@effect()
def deactivate(process: Process, primary: PrimaryContext, stack: Stack) -> None:
    """Destroy a device's primary context; its references remain."""
    assert primary.context is not None
    destroy(process, primary.context, stack)
    primary.context.flags = primary.flags = 0
    primary.active = False


@effect()
def enter(thread: Thread, device: Device, flags: int, stack: Stack) -> Context:
    """Create a context, push it onto a thread's stack, and return it.

    The device's memory has room for it.
    """
    context = create(thread.process, device, flags, stack)
    thread.push_context(context)
    return context


@effect()
def enter_narrow(thread: Thread, device: Device, flags: int, gate: Gate, stack: Stack) -> Context | None:
    """Create and push a context of CUDA 3.1; None without enough 32-bit addresses.

    The device's memory has room for it. The process has no context of another kind.

    Args:
        thread: The thread.
        device: The device.
        flags: CUctx_flags.
        gate: What makes the calls of the process while it has such contexts.
        stack: The stack that creates it.
    """
    process = thread.process
    narrow = process.narrow
    room = FIRST - ROOM if narrow is None else narrow.take(ROOM)
    if not room:
        return None
    if narrow is None:
        narrow = process.narrow = Narrow(gate)
        process.turn_gate()
    context = create(process, device, flags, stack, narrow)
    narrow.rooms[context] = room
    thread.push_context(context)
    return context


@effect()
def leave(thread: Thread, context: Context, stack: Stack) -> None:
    """Destroy a context, and pop it if it is current to a thread.

    Raises:
        FakeCudaError: Its work does not end; the context then stays, also on the stack.
    """
    destroy(context.process, context, stack)
    if thread.stack and thread.stack[-1] is context:
        thread.stack.pop()


@effect(ends="context")
def destroy(process: Process, context: Context, stack: Stack) -> None:
    """Destroy a context with its memory, IPC mappings and events, after its work.

    Work of other contexts that uses its memory is also waited for. The ended context may stay on stacks of threads.

    Raises:
        FakeCudaError: The work does not end.
    """
    waiting.release(context)
    context.destroyed = True
    machine = process.machine
    races = machine.races
    if races is not None and races.takes(orders.CONTEXT_ENDED):
        races.seen_context(context)
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
    context.heap = None
    del process.contexts[context.handle]
    process.dead_contexts[context.handle] = context
    context.card.memory.used -= machine.profile.context_memory
    if context.narrow is not None:
        context.narrow.give(context.narrow.rooms.pop(context), ROOM)
        if not context.narrow.rooms:
            process.narrow = None
            process.turn_gate()


@effect(makes="Event")
def create_event(context: Context, flags: int, stack: Stack, exported: Event | None = None) -> Event:
    """Create an event of a context, and return it.

    ``exported`` is another process's event that it opens.
    """
    event = Event(handles.new_handle(context.process, "event"), context, flags, stack)
    event.exported = exported
    context.process.ipc.shares |= exported is not None
    context.events[event.handle] = context.process.events[event.handle] = event
    if flags & INTERPROCESS and exported is None:
        event.place = _place(context, event)
    return event


def _place(context: Context, event: Event) -> int:
    """Return the slot of a new interprocess event: a free or a new slot."""
    shared = context.shared_events
    if not context.free_places:
        shared.append(event)
        return len(shared) - 1
    place = context.free_places.pop()
    shared[place] = event
    return place


@effect(ends="event")
def end_event(process: Process, event: Event, stack: Stack, *, destroyed: bool = False, again: bool = False) -> None:
    """Destroy an event, directly or with its context; see :func:`end_stream`."""
    event.destroyed = destroyed
    event.ended = stack
    if event.place >= 0:
        event.context.free_places.append(event.place)
    del event.context.events[event.handle]
    del process.events[event.handle]
    process.note_freed(event.handle, event)
    if again:
        handles.give_again(process, "event", event.handle)


@effect(makes="Stream")
def create_stream(context: Context, flags: int, priority: int, stack: Stack) -> Stream:
    """Create a stream of a context, and return it."""
    process = context.process
    handle = handles.new_handle(process, "stream", context)
    stream = Stream(handle, context, flags, priority, next(process.stream_identities), stack)
    context.streams[stream.handle] = process.streams[stream.handle] = stream
    return stream


def default_stream(context: Context, handle: int, thread: str) -> Stream:
    """Return the default stream of a context: the legacy or a per-thread stream.

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
def end_stream(process: Process, stream: Stream, stack: Stack, *, destroyed: bool = False, again: bool = False) -> None:
    """Destroy a stream, directly or with its context.

    Its remaining work is still executed.

    Args:
        process: The process.
        stream: The stream.
        stack: The stack that ends it.
        destroyed: Whether the stream itself is destroyed.
        again: Whether a driver gives its handle to a new stream. The machine's ``handles`` decides whether the machine does.
    """
    stream.destroyed = destroyed
    stream.ended = stack
    del stream.context.streams[stream.handle]
    del process.streams[stream.handle]
    process.note_freed(stream.handle, stream)
    if again:
        handles.give_again(process, "stream", stream.handle, stream.context)
