"""The order of calls and stream work, and the effects of calls on memory that this work uses.

Calls without a stream act in the default stream of a context.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.model import context_effects
from fakecuda.model.memory import transfer
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.memory.memory import Allocation, Import, Placed, Registered
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.space import READ, SPACE, WRITE
from fakecuda.model.memory.va import Mapping
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import Needs
from fakecuda.model.work.waiting import finish, wait
from fakecuda.rules.core import Rule, guard, undefined
from fakecuda.rules.driver.context.current import failed
from fakecuda.rules.driver.execution import skipped
from fakecuda.rules.driver.pool.handle import MEMORY_IS_ALLOCATED
from fakecuda.rules.driver.stream import race, value_races
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Sequence

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.memory.transfer import Piece
    from fakecuda.model.work.stream import Memory, Stream
    from fakecuda.model.work.value import Value
    from fakecuda.spec.orders import Order

    Range = tuple[int, int]

OF_CONTEXTS = Placed, Registered, Import
"""Types of memory that calls free after all work of the memory's context."""
EVERY = range(1 << 16)
"""All device ordinals."""
SMALL = 4096
"""The largest memset in bytes that fails like a value write, not like a copy."""

MEMORY_IS_AT_REST = Rule(
    "no in-flight work uses memory that the call unmaps or makes inaccessible",
    Result.SUCCESS,
    undefined(
        "cuMemUnmap",
        "the manual says nothing about this; the call does not wait, and then the work and the process fail in "
        "driver 580",
    ),
    fix="call cuStreamSynchronize before you unmap the memory or take away its access",
)


@guard
def launch(call: Call, context: Context, act: Callable[[], None], *ranges: Range, as_host: bool = False) -> None:
    """Have the default stream do some work, for a call without a stream.

    The host waits where some of the memory is its own, or where the program has said so: another memset or copy that
    touches no more than devices is under way when the call returns.

    Args:
        call: The call.
        context: The context.
        act: Does it.
        ranges: The memory that it uses: first addresses and bytes; the first one is written.
        as_host: Whether the call takes some of it as host memory, whatever it is.
    """
    machine = call.machine
    if not (machine.scheduler.pending or machine.scheduler.manual):
        act()
        return
    stream = context_effects.default_stream(context, call.default_stream, call.thread.name)
    places = [used(call, [place]) for place in ranges]
    for place in places:
        allocated(call, stream, place)
    copies = len(ranges) > 1
    on_device, *others = (
        _is_of_devices(call, start, place, copies=copies) for (start, _), place in zip(ranges, places, strict=True)
    )
    said = race.is_synchronous(context, (item for place in places for item in place), copies=copies)
    if on_device and all(others) and not said and not as_host:
        stream_scheduler.leave(stream, act, needs(call, context, ranges, copies=len(ranges) - 1))
    else:
        # Other threads may queue work while the call waits: an H200 makes these two copies behind it, others before it.
        target, source = places[0], places[-1]
        by = orders.STAGED if on_device and not source and not said else orders.COPIED
        settle(call, context, by, all_of_it=not target or any(_is_pinned(item) for item in source))
        act()


def _is_of_devices(call: Call, start: int, items: Sequence[Memory], *, copies: bool) -> bool:
    """Return whether a call leaves a range to a stream, as device memory."""
    if items:
        return all(
            race.is_of_devices(call, item.extent.memory) or (copies and race.is_pool_of_managed(item)) for item in items
        )
    return SPACE.start <= start < SPACE.end


def _is_pinned(item: Memory) -> bool:
    return isinstance(item.extent.memory, HostMemory)


@guard
def enqueue(
    call: Call,
    stream: Stream,
    act: Callable[[], None],
    *ranges: Range,
    copies: int = 0,
) -> None:
    """Have a stream do some work, for a call with a stream.

    Args:
        call: The call.
        stream: The stream.
        act: Does it.
        ranges: The memory that it uses: first addresses and bytes.
        copies: How many of the ranges, the first ones, are written by copies; 0 for a memset.
    """
    machine = call.machine
    if machine.scheduler.pending or machine.scheduler.manual or stream.taken is not False:
        allocated(call, stream, used(call, ranges))
        stream_scheduler.send(stream, act, None, needs(call, stream.context, ranges, copies=copies))
    else:
        act()


@orders.makes(orders.AWAITED_VALUE, orders.POLLED_VALUE)
def attend(
    call: Call,
    stream: Stream,
    act: Callable[[], None],
    place: Range,
    ready: Value | None = None,
    value: int | None = None,
) -> None:
    """Have a stream wait for a value, or change one.

    Args:
        call: The call.
        stream: The stream.
        act: Changes it, if the device may write it then.
        place: Where it stands, in memory of no pool: its address and bytes.
        ready: The awaited value, or None.
        value: The value that is written. None if that is not known, or if a value is awaited.
    """
    machine = call.machine
    races = machine.races
    items = () if races is None else used(call, [place])
    there = ready is None or ready()
    shown = False
    written = wait = None
    if races is not None and items:
        piece = piece_of(items[0], place)
        if ready is None:
            written = value_races.value_written(call, stream, place, piece, value)
            shown = any(_is_pinned(item) for item in items)
        else:
            wait = value_races.value_awaited(call, stream, place, piece, ready.holds, at_once=there)

    def attended() -> None:
        if machine.unknown is not None and ready is not None:
            skipped.waited(stream, ready)
        if written is not None:
            written[1].find(transfer.content(piece))
        act()
        machine.clock.launched()
        if races is not None and written is not None:
            write, word = written
            word.end(write, transfer.content(piece))
            if shown:
                races.values.reveal(write.order, races.seen)

    if machine.scheduler.pending or machine.scheduler.manual or stream.taken is not False or not there:
        changed = () if ready else (place,)
        stream_scheduler.send(
            stream, attended, ready, needs(call, stream.context, [place], access=READ)._replace(written=changed)
        )
    else:
        attended()
    if races is not None and wait is not None and not there and stream.work:
        races.wonder_about(stream, stream.work[-1], wait)


def piece_of(item: Memory, place: Range) -> Piece:
    """Return what some memory has of a range that begins in it."""
    start, size = place
    return item.extent, start - item.origin, min(size, item.end - start)


@guard
def allocated(call: Call, stream: Stream, items: Iterable[Memory]) -> None:
    """Report a use of pool memory, in a stream, that is not ordered after its allocation."""
    for item in items:
        made = item.made if isinstance(item, Pooled) else None
        if made is not None and not made.done and not stream_scheduler.is_behind(stream, made):
            call.undefined(MEMORY_IS_ALLOCATED, memory=item, stream=stream)


def used(call: Call, ranges: Iterable[Range]) -> tuple[Memory, ...]:
    """Return the device memory and shared host memory in some ranges."""
    memory = call.process.memory
    return tuple(item for start, size in ranges for item in memory.within(start, start + size))


def needs(call: Call, context: Context, ranges: Sequence[Range], *, copies: int = 0, access: int = WRITE) -> Needs:
    """Return what work needs when it runs: memory, access, and peers.

    Args:
        call: The call.
        context: The work's context.
        ranges: The memory that it uses: first addresses and bytes.
        copies: How many of the ranges, the first ones, are written by copies, which read the others; 0 for other work.
        access: What work needs that does not copy.
    """
    uses = [(item, number) for number, place in enumerate(ranges) for item in used(call, [place])]
    return Needs(
        tuple(item for item, _ in uses if not isinstance(item, Pooled)),
        tuple(
            (item, READ if copies and number >= copies else access)
            for item, number in uses
            if isinstance(item, Mapping)
        ),
        # Copies need no access to a peer.
        ()
        if copies
        else tuple(
            item.context
            for item, _ in uses
            if isinstance(item, Allocation) and item.context.device is not context.device
        ),
        Result.ILLEGAL_ADDRESS if copies or any(size > SMALL for _, size in ranges) else Result.LAUNCH_FAILED,
        tuple(ranges[:copies] if copies else ranges),
    )


@guard
def at_rest(call: Call, items: Sequence[Mapping], devices: Container[int] = EVERY) -> None:
    """Check that no in-flight work uses memory that is about to be unmapped.

    Args:
        call: The call.
        items: The mappings.
        devices: The devices whose work must not use them.
    """
    for stream in call.machine.scheduler.pending:
        for work in stream.work if stream.context.device.ordinal in devices else ():
            for item in items:
                if item in work.needs.memory:
                    call.undefined(MEMORY_IS_AT_REST, memory=item, stream=stream)
    race.unmapped(call, items, devices)


@guard
def waited(
    context: Context, stream: Stream | None = None, *, by: Order, last: bool = False, all_of_it: bool = False
) -> None:
    """Wait for the work of a stream or of a context, which may fail during the wait.

    Args:
        context: The context.
        stream: The stream; None for all of the context.
        by: The order that the wait makes.
        last: Whether the call does nothing after it.
        all_of_it: Whether work is waited for, too, that is queued meanwhile.
    """
    finish(context, stream, last=last, all_of_it=all_of_it)
    races = context.process.machine.races
    if races is not None and races.streams and races.takes(by):
        if stream is None:
            races.seen_context(context)
        else:
            races.seen_stream(stream)
    if context.lost:
        failed(context)


@guard
def settle(call: Call, context: Context, by: Order, *, all_of_it: bool) -> None:
    """Wait for the work of the default stream, and optionally for later work too."""
    if call.machine.scheduler.pending:
        stream = context_effects.default_stream(context, call.default_stream, call.thread.name)
        waited(context, stream, by=by, all_of_it=all_of_it)


def finished(call: Call, item: Placed | Registered | Import) -> None:
    """Wait for work on some memory that synchronous calls left to the default stream."""
    stream = context_effects.default_stream(item.context, call.default_stream, call.thread.name)
    works = [work for work in stream.work if work.left and item in work.needs.memory]
    if works:
        wait(call.machine, stream, lambda: works[-1].done, lambda: [*stream_scheduler.before(stream), stream])
    race.seen_left(call, stream, item)


def settled(call: Call, address: int, by: Order) -> Memory | None:
    """Return the memory at an address, after the work that a free must wait for.

    Args:
        call: The call.
        address: The address.
        by: The order that the wait makes.
    """
    item = call.process.memory.at(address)
    machine = call.machine
    if not call.thread.stack and isinstance(item, OF_CONTEXTS) and item.context.lost:
        failed(item.context)
    if (machine.scheduler.pending or (machine.races is not None and machine.races.streams)) and isinstance(
        item, OF_CONTEXTS
    ):
        emptied(call, item.context, by)
    return item


def emptied(call: Call, context: Context, by: Order) -> None:
    """Wait for all work of a context.

    Args:
        call: The call.
        context: The context.
        by: The order that the wait makes.
    """
    finish(context)
    race.seen_in(call, context, by=by)
