"""Effects that allocate memory from pools and free it.

A pool reserves blocks of memory and gives out pieces of them. A piece that was freed in a stream becomes a hole. That
stream can fill the hole at once. Every stream can after the host has seen that the free is done. The pool's policies
say which other streams can fill it earlier. Blocks without pieces go back to the device when the program synchronises
or trims the pool.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from fakecuda.model.effect import effect
from fakecuda.model.memory import blocks
from fakecuda.model.memory.advice import State
from fakecuda.model.memory.backing import DeviceMemory
from fakecuda.model.memory.blocks import Block
from fakecuda.model.memory.chunk import GRANULE, Chunk, Hole
from fakecuda.model.memory.pool import FOLLOW_EVENTS, INTERNAL, MANAGED, OPPORTUNISTIC, UNIT, Pooled
from fakecuda.model.work import stream_scheduler
from fakecuda.model.work.stream import LEGACY, NON_BLOCKING, After, nothing, tick
from fakecuda.spec import orders

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.context import Context
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.pool import Pool
    from fakecuda.model.memory.unknown import UnknownBytes
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.event import Event
    from fakecuda.model.work.stream import Stream, Work


@effect(makes="Pooled")
@orders.makes(orders.POOL_ALLOCATION)
def allocate(pool: Pool, size: int, stream: Stream, stack: Stack) -> Pooled | None:
    """Allocate memory from a pool, and return it; None without memory or addresses.

    Args:
        pool: The pool.
        size: Bytes.
        stream: The stream that the allocation is ordered in.
        stack: The stack that allocates it.
    """
    span = -(-size // UNIT) * UNIT
    if span > pool.arena.memory.total:
        return None
    start = _address(pool, span)
    place = None if start is None else _place(pool, span, stream)
    if start is None or place is None:
        return None
    chunk, offset, awaited = place
    start = start or chunk.block.start + offset
    item = Pooled(
        start,
        start + size,
        pool,
        chunk,
        offset,
        span,
        next(pool.process.identities),
        sync_memops=pool.props.type == MANAGED,
        created=stack,
    )
    enter(item)
    begin(item, stream, awaited)
    return item


@effect(beside="the allocation's place in its stream")
def begin(item: Pooled, stream: Stream, awaited: list[Work]) -> None:
    """Put the allocation of new memory into a stream.

    An H200 makes it at once in a stream without work, also beside work of the legacy stream, and it is no work there. It is
    work where a test has the machine do work step by step.

    Args:
        item: The memory.
        stream: The stream that the allocation is ordered in.
        awaited: Unfinished work that has used the memory's bytes, which the allocation waits for.
    """
    machine = stream.context.process.machine
    act = nothing if machine.unknown is None else partial(_renew, machine.unknown, item)
    if awaited or stream.work or machine.scheduler.manual:
        item.made = stream_scheduler.submit(stream, act, After(awaited) if awaited else None)
    else:
        act()
    if machine.races is not None:
        machine.races.allocated(item, stream)


def room(pool: Pool, size: int) -> int:
    """Return the address of free memory in a pool's blocks, or 0, without taking it."""
    for chunk in pool.chunks.values():
        for hole in chunk.holes:
            if hole.done and hole.end - hole.start >= size:
                return chunk.block.start + hole.start
    return 0


def _renew(marks: UnknownBytes, item: Pooled) -> None:
    """Remove the marks of unknown bytes from new memory of a pool."""
    marks.clear([(item.extent, item.offset, item.span)])


def _address(pool: Pool, span: int) -> int | None:
    """Return a fresh address for pool memory if addresses are not reused.

    Returns:
        The address; 0 if the memory's address is its place in the block; None if addresses are exhausted.
    """
    addresses = pool.process.addresses
    if addresses.reuse or pool.on_host or not isinstance(pool.arena.memory, DeviceMemory):
        return 0
    return addresses.take(span, UNIT) or None


def enter(item: Pooled) -> None:
    """Count memory of a pool for its process."""
    pool = item.pool
    pool.process.memory.add(item)
    pool.count += 1
    pool.used += item.size
    pool.used_high = max(pool.used_high, pool.used)


def _place(pool: Pool, span: int, stream: Stream) -> tuple[Chunk, int, list[Work]] | None:
    """Return a block with room, the offset there, and the frees to wait for.

    Holes of its own stream come first, then holes of other streams that the pool's policies allow. A new block comes
    next. Only if no new block can be reserved does the allocation wait for another stream's free.
    """

    def own(hole: Hole) -> bool:
        return hole.stream is None or hole.stream is stream

    for chunk in pool.chunks.values():
        taken = chunk.take(span, own)
        if taken is not None:
            return chunk, taken[0], []
    policies = pool.policies

    def ordered(hole: Hole) -> bool:
        if policies[FOLLOW_EVENTS] and comes_after(stream, hole.stream, hole.number):
            return True
        return own(hole) or bool(policies[OPPORTUNISTIC] and hole.done)

    for chunk in pool.chunks.values():
        taken = chunk.take(span, ordered)
        if taken is not None:
            return chunk, taken[0], []
    parts = _parts(pool, span, ordered)
    reserved = reserve(pool, max(sum(chunk.size for chunk in parts), -(-span // GRANULE) * GRANULE), parts)
    if reserved is not None:
        reserved.take(span, own)
        return reserved, 0, []
    for chunk in pool.chunks.values() if policies[INTERNAL] else ():
        taken = chunk.take(span, lambda _: True)
        if taken is not None:
            start, holes = taken
            return chunk, start, [hole.work for hole in holes if hole.work and not hole.done and not ordered(hole)]
    return None


def _parts(pool: Pool, span: int, usable: Callable[[Hole], bool]) -> list[Chunk]:
    """Return as many idle blocks as an allocation needs."""
    size, parts = 0, []
    for chunk in pool.chunks.values():
        free = sum(hole.end - hole.start for hole in chunk.holes if hole.done and usable(hole))
        if size < span and free == chunk.size and chunk.block.extent.references == 1:
            size += free
            parts.append(chunk)
    return parts


def reserve(pool: Pool, size: int, parts: list[Chunk]) -> Chunk | None:
    """Reserve a block, and return it; None without enough memory.

    If memory is short, idle blocks of the process's pools are given back first, provided that this is enough.

    Args:
        pool: The pool.
        size: Bytes.
        parts: Blocks of the pool whose memory the new block takes over. Only the missing bytes are reserved.
    """
    process, memory = pool.process, pool.arena.memory
    process.machine.exchange.reap()
    missing = size - sum(chunk.size for chunk in parts)
    limit, helpers = pool.props.max_size, []
    if limit and pool.reserved + missing > limit:
        return None
    if memory.used + missing > memory.total:
        helpers = [other for other in process.pools.live.values() if other.arena.memory is memory]
        if memory.used + missing - sum(_idle(other, parts) for other in helpers) > memory.total:
            return None
    for chunk in parts:
        pool.drop(chunk)
    for other in helpers:
        other.trim(0)
    block = blocks.new(process, pool.arena, size)
    if block is None:
        return None
    if pool.props.type == MANAGED and pool.props.location.type:
        block.advice.unadvised = State(preferred=pool.props.location)
    chunk = Chunk(block, [Hole(0, size)])
    pool.keep(chunk)
    pool.show(chunk)
    return chunk


def _idle(pool: Pool, parts: list[Chunk]) -> int:
    """Return how many bytes a pool can release to the device, except some blocks."""
    idle = [chunk for chunk in pool.chunks.values() if chunk.idle and chunk not in parts]
    return sum(chunk.size for chunk in idle if chunk.block.extent.references == 1)


def comes_after(stream: Stream, other: Stream | None, number: int) -> bool:
    """Return whether a stream's next work comes after other work.

    An event or the legacy stream can order it so.

    Args:
        stream: The stream.
        other: The stream of the other work. None for work that the host has seen done.
        number: The number of the other work.
    """
    if other is None or other is stream or number <= stream.follows.get(other, 0):
        return True
    blocking = not (other.flags | stream.flags) & NON_BLOCKING
    return blocking and other.context is stream.context and LEGACY in {other.handle, stream.handle}


@effect(ends="item")
def free(item: Pooled, stream: Stream | None, stack: Stack) -> None:
    """Free memory of a pool, or an import of it; its range becomes a hole.

    Args:
        item: The memory.
        stream: The stream that the free is ordered in. None for cuMemFree, which frees at once. After that the driver
            still counts the bytes as used.
        stack: The stack that frees it.
    """
    pool = item.pool
    process = pool.process
    process.memory.remove(item)
    process.note_freed(item.start, item)
    item.ended = stack
    item.live = False
    pool.count -= 1
    if stream is not None:
        pool.used -= item.size
    if pool.props.type == MANAGED:
        item.block.advice.clear(item.start, item.end)
    if item.source is not None:
        item.source.importers.remove(item)
        del pool.imports[item.source.share]
    else:
        if stream is not None:
            stream.context.frees = True
        number = tick()
        work = None if stream is None else stream_scheduler.submit(stream, pool.reclaim)
        item.chunk.add(Hole(item.offset, item.offset + item.span, stream, number, work))
        if stream is None:
            pool.trim(pool.threshold)
    pool.reclaim()


@effect(makes="Pooled")
def import_(pool: Pool, source: Pooled, stack: Stack) -> Pooled | None:
    """Import another process's allocation into a pool, and return the import.

    None if addresses are exhausted.
    """
    process, extent = pool.process, source.extent
    process.stays()
    source.pool.process.stays()
    own = _address(pool, source.span)
    if own is None:
        return None
    gone = not extent.references
    again = pool.arena.memory.take(extent.size) if gone else extent  # memory that the exporter gave back is replaced
    if again is None:
        return None
    extent = again
    chunk = next((known for known in pool.chunks.values() if known.block.extent is extent), None)
    if chunk is None:
        start = process.addresses.take(extent.size, blocks.BLOCK)
        if not start:
            return None
        identity = next(process.identities)
        chunk = Chunk(Block(pool.arena, start, start + extent.size, extent, identity, start))
        pool.arena.blocks[start] = chunk.block
        if gone:
            pool.arena.memory.place(extent, start)
        else:
            extent.references += 1
        pool.keep(chunk)
    start = own or chunk.block.start + source.offset
    item = Pooled(
        start,
        start + source.size,
        pool,
        chunk,
        source.offset,
        source.span,
        next(process.identities),
        source=source,
        created=stack,
    )
    source.importers.append(item)
    pool.imports[source.share] = item
    enter(item)
    return item


@effect()
def seen(process: Process, free: Callable[[Hole], bool]) -> None:
    """Record that the host knows frees to be done, and release idle blocks.

    Args:
        process: The process.
        free: Returns whether the host has seen the free of a hole.
    """
    retired = process.pools.retired
    for pool in (*process.pools.live.values(), *retired.values()):
        for chunk in pool.chunks.values():
            news = [hole for hole in chunk.holes if hole.stream is not None and hole.done and free(hole)]
            for hole in news:
                hole.stream = hole.work = None
            if news:
                chunk.join()
        pool.trim(pool.threshold)
        if retired:
            pool.reclaim()


@effect(beside="what has been waited for is given back")
def seen_of_stream(stream: Stream) -> None:
    """Record that the host has waited for a stream."""
    seen(stream.context.process, lambda hole: comes_after(stream, hole.stream, hole.number))


@effect(beside="what has been waited for is given back")
def seen_of_context(context: Context) -> None:
    """Record that the host has waited for all work of a context."""
    seen(context.process, lambda hole: hole.stream is not None and hole.stream.context is context)


@effect(beside="what has been waited for is given back")
def seen_of_event(process: Process, event: Event) -> None:
    """Record that the host has waited for an event."""
    captured = (event.exported or event).captured
    seen(process, lambda hole: hole.stream is not None and hole.number <= captured.get(hole.stream, 0))
