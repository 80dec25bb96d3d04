"""Findings about unordered accesses to memory: see docs/races.md.

Memory calls check this before they act. It is not a guard of a single call, because two calls break the rule together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.model import context_effects, history
from fakecuda.model.finding import Finding
from fakecuda.model.memory.backing import DeviceMemory
from fakecuda.model.memory.memory import Import, Placed, Registered
from fakecuda.model.memory.pool import MANAGED, Pooled
from fakecuda.model.os.system import Whole
from fakecuda.model.work.accesses import Operation, same_bytes
from fakecuda.model.work.host_accesses import HostAccesses
from fakecuda.rules.core import TOGETHER, Rule, undefined
from fakecuda.spec import orders
from fakecuda.spec.codes import Result
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.history import Stack
    from fakecuda.model.memory.array import Grid
    from fakecuda.model.memory.transfer import Pieces
    from fakecuda.model.memory.va import Mapping
    from fakecuda.model.work.accesses import Access, Place, Use
    from fakecuda.model.work.happens_before import Races
    from fakecuda.model.work.stream import Memory, Stream
    from fakecuda.model.work.stream_order import Order

ACCESSES_ARE_ORDERED = Rule(
    "two accesses to the same bytes are ordered if one of them writes or frees the memory",
    Result.SUCCESS,
    undefined(
        "cuStreamCreate",
        "the manual says nothing about memory that two streams use without an order: work in one may run concurrently "
        "with work in the other",
    ),
    fix=(
        "call cuEventRecord after the earlier access and cuStreamWaitEvent before the later access, or synchronize in "
        "between"
    ),
)
"""Any call that uses memory may break the rule, after earlier calls."""
TOGETHER.append(ACCESSES_ARE_ORDERED)
SYNC_MEMOPS = ENUMS["CUctx_flags"]["CU_CTX_SYNC_MEMOPS"]
ASKED = history.OURS + 1
"""The number of stack frames of an operation that checks for races itself."""


def is_synchronous(context: Context, items: Iterable[Memory | None], *, copies: bool) -> bool:
    """Return whether synchronous calls on some memory wait, by SYNC_MEMOPS.

    On an H200, copies of a pool's memory do not heed what was said of that, as memsets do.
    """
    return bool(context.flags & SYNC_MEMOPS) or any(
        item is not None and item.sync_memops and not (copies and isinstance(item, Pooled)) for item in items
    )


def is_pool_of_managed(item: Memory | None) -> bool:
    """Return whether memory is from a pool of managed memory.

    It has SYNC_MEMOPS. An H200 waits for memsets without a stream there, but not for copies between it and devices.
    """
    return isinstance(item, Pooled) and item.pool.props.type == MANAGED


def synchronised(call: Call) -> None:
    """Note that some memory has SYNC_MEMOPS set."""
    if call.machine.races is not None:
        call.machine.races.synchronise()


@orders.makes(orders.COPIED, orders.STAGED, orders.SYNCHRONOUS)
def at_once(call: Call, context: Context, *uses: Use, as_host: bool = False) -> None:
    """Check the accesses of a synchronous call for races, as default stream work.

    It leaves to that what touches no more than devices, and waits for the rest. By the manual's word, a copy from memory
    that is not page-locked to a device waits only for earlier work.

    Args:
        call: The call.
        context: The context.
        uses: What it does to which memory.
        as_host: Whether the call takes one side as host memory, whatever that is.
    """
    races = call.machine.races
    if races is None:
        return
    waits = managed = False
    for use in uses:
        memory = use[2][0][0].memory
        if not is_of_devices(call, memory):
            waits = True
            managed = managed or memory is call.machine.managed
    if managed and len(uses) > 1 and not as_host:
        waits = not all(
            is_of_devices(call, use[2][0][0].memory) or is_pool_of_managed(call.process.memory.at(use[1][0]))
            for use in uses
        )
    if waits and not races.streams and not races.strict:
        return
    stream = context_effects.default_stream(context, call.default_stream, call.thread.name)
    said = bool(context.flags & SYNC_MEMOPS) or (
        races.synchronous
        and is_synchronous(context, (call.process.memory.at(use[1][0]) for use in uses), copies=len(uses) > 1)
    )
    if said:
        waits = True
    elif waits and races.strict and _is_staged(call, uses):
        if races.sure(stream, races.step(stream)):  # otherwise the call waits first
            races.seen_stream(stream)
        early(call, uses[-1][2])
        uses, waits = uses[:1], races.takes(orders.STAGED)
    in_stream(call, stream, uses, waits=waits, depth=ASKED + 1)
    if not waits and stream.order is not None:
        stream.order.left(uses)


def seen_left(call: Call, stream: Stream, item: Placed | Registered | Import) -> None:
    """Note that a call waited for work that synchronous calls left to a stream."""
    races, order = call.machine.races, stream.order
    if races is not None and order is not None and order.now and races.takes(orders.SYNCHRONOUS_SET):
        left = [one for start, one in order.now.items() if item.start <= start < item.end]
        if left:
            last, (after, unsure) = left[-1]
            races.seen(({**after, stream: last}, unsure))


def is_of_devices(call: Call, memory: object) -> bool:
    """Return whether memory is a device's, and not a host pool's."""
    return isinstance(memory, DeviceMemory) and memory is not call.machine.host.memory


def _is_staged(call: Call, uses: tuple[Use, ...]) -> bool:
    """Return whether a call copies pageable host memory to a device."""
    memory = [use[2][0][0] for use in uses]
    return is_of_devices(call, memory[0].memory) and isinstance(memory[-1], Whole)


@orders.makes(orders.IN_STREAM, orders.LEGACY_STREAM)
def in_stream(
    call: Call,
    stream: Stream,
    uses: tuple[Use, ...],
    *,
    waits: bool = False,
    depth: int = ASKED,
    watched: bool = True,
) -> None:
    """Check the accesses of new stream work for races, and keep them.

    Args:
        call: The call.
        stream: The stream.
        uses: What it does to which memory.
        waits: Whether the call returns when it is done.
        depth: How many frames of the stack are fakecuda's at least.
        watched: Whether the host must not use the memory meanwhile; kernels may share it with the host.
    """
    races = call.machine.races
    if races is not None and (not waits or (races.streams and not races.is_free(stream, uses))):
        place = stream, uses[0][1][0], uses[-1][1][0]
        known = races.memory.known(place, uses)
        if waits:
            judge_done(call, races, known or Operation(place, uses, uses))
            return
        if known is not None:
            judge(call, races, known, depth + 1)
        elif not is_put_by(races, place, uses, uses, depth):
            judge(call, races, Operation(place, uses, uses), depth + 1)
        if races.host is not None and watched:
            races.host.watch(stream, uses, history.here(depth))


def is_put_by(races: Races, place: Place, what: tuple[Any, ...], uses: tuple[Use, ...], depth: int) -> bool:
    """Defer the check of new work if only its stream can have used the bytes.

    Args:
        races: The order of accesses.
        place: Its stream, and where its first and its last use begin.
        what: What it does, as the call has it.
        uses: What it does to which memory.
        depth: How many frames of the caller's stack are fakecuda's at least.
    """
    stream = place[0]
    alone = stream.order is None or len(races.streams) == 1
    if alone or not races.memory.is_behind(uses):
        return False
    order = races.step(stream)
    if not order.unsure or races.sure(stream, order):
        races.put_by(place, what, uses, order, history.here(depth + 1))
    return True


def judge(call: Call, races: Races, operation: Operation, depth: int) -> None:
    """Check new stream work for races, and keep it; see :func:`in_stream`."""
    stream = operation.stream
    order = races.step(stream)
    if order.unsure and not races.sure(stream, order):
        return
    if operation.current:
        races.repeat(operation, order, history.here(depth))
        return
    earlier = races.memory.conflict(operation, order.after) if len(races.streams) > 1 else None
    if earlier is not None:
        _report(call, earlier, stream, operation)
    races.keep(operation, order, history.here(depth))
    if earlier is not None:
        races.doubt(operation)


def judge_done(call: Call, races: Races, operation: Operation) -> None:
    """Check stream work that is done when the call returns; see :func:`judge`."""
    stream = operation.stream
    order = races.step(stream)
    if (not order.unsure or races.sure(stream, order)) and len(races.streams) > 1:
        earlier = races.memory.conflict(operation, order.after)
        if earlier is not None:
            _report(call, earlier, stream, operation)
    # Behind a wait that is not over, the call waits first, and then it is known what came before the wait's end.
    if not (order.unsure and call.machine.scheduler.pending):
        races.seen_stream(stream)


def foreseen(call: Call, stream: Stream, uses: Iterable[Use], order: Order) -> None:
    """Check work that a stream is about to get for races, without keeping it.

    Args:
        call: The call.
        stream: The stream.
        uses: What the work does to which memory.
        order: The order of the stream's next work.
    """
    assert call.machine.races is not None
    known = tuple(use for use in uses if not isinstance(use[2][0][0], Whole))
    if known:
        operation = Operation((stream, known[0][1][0], known[-1][1][0]), known, known)
        earlier = call.machine.races.memory.conflict(operation, order.after)
        if earlier is not None:
            _report(call, earlier, stream, operation)


@orders.makes(orders.EARLY)
def early(call: Call, sources: Pieces) -> None:
    """Check memory that a stream may read before its earlier work for races."""
    races = call.machine.races
    if races is not None and races.streams:
        earlier = races.memory.unfinished(sources)
        if earlier is not None:
            _report(call, earlier, None)


@orders.makes(orders.POOL_FREE)
def freed(call: Call, memory: Pooled, stream: Stream | None) -> None:
    """Check a free of pool memory, in a stream or at once, for races."""
    races = call.machine.races
    if races is None or not races.streams:
        return
    found = races.memory.of(call.process, memory.start, memory.end, [(memory.extent, memory.offset, memory.span)])
    if stream is None:
        _end(call, found, None)
        return
    order = races.step(stream)
    if races.sure(stream, order):
        _end(call, (one for one in found if one.operation.is_loose(stream, order.after)), stream)


@orders.makes(orders.END)
def ended(call: Call, memory: Placed | Registered | Import | Grid) -> None:
    """Check a free of memory for races with in-flight work of other contexts.

    The call has waited for the memory's own context alone.
    """
    races = call.machine.races
    if races is not None and races.streams:
        _end(call, _uses_of(call, races, memory), None)


@orders.makes(orders.END)
def destroyed(call: Call, context: Context) -> None:
    """Check the end of a context's memory for races, unless the call waits."""
    races = call.machine.races
    if races is not None and not races.takes(orders.CONTEXT_ENDED):
        for start in (*context.allocations, *context.imports):
            item = call.process.memory.at(start)
            assert isinstance(item, Placed | Registered | Import)
            ended(call, item)


@orders.makes(orders.END)
def unloaded(call: Call, variables: Iterable[Placed]) -> None:
    """Check the end of variables for races with work that the call does not wait for."""
    for variable in variables:
        ended(call, variable)


@orders.makes(orders.UNMAPPING)
def disconnected(call: Call, context: Context, peer: Context) -> None:
    """Check the end of a context's access to a peer for races. Copies need no such access."""
    races = call.machine.races
    if races is None or not races.streams:
        return
    for item in map(call.process.memory.at, peer.allocations):
        assert isinstance(item, Placed)
        found = _uses_of(call, races, item)
        _end(call, (one for one in found if one.stream.context is context and not one.operation.is_copy), None)


@orders.makes(orders.UNMAPPING)
def unmapped(call: Call, mappings: Iterable[Mapping], devices: Container[int]) -> None:
    """Check an unmapping, or a loss of access, for races with work of some devices."""
    races = call.machine.races
    if races is None or not races.streams:
        return
    for mapping in mappings:
        start, end, extent = mapping.start, mapping.end, mapping.extent
        if races.memory.knows(extent, 0, end - start):
            found = races.memory.of(call.process, start, end, [(extent, 0, end - start)])
            _end(call, (one for one in found if one.stream.context.device.ordinal in devices), None)


def _uses_of(call: Call, races: Races, memory: Placed | Registered | Import | Grid) -> Iterator[Access]:
    """Return the process's accesses to memory that may not be done."""
    start, end = memory.start, memory.end
    return races.memory.of(call.process, start, end, [(memory.extent, start - memory.origin, end - start)])


def _end(call: Call, found: Iterator[Access], stream: Stream | None) -> None:
    """Report the first access that has no order with the end of its memory, if any."""
    earlier = next(found, None)
    if earlier is not None:
        _report(call, earlier, stream)


def seen(call: Call, stream: Stream, by: orders.Order) -> None:
    """Note that the host comes after the work of a stream, by some order."""
    races = call.machine.races
    if races is not None and races.takes(by):
        races.seen_stream(stream)


def seen_in(call: Call, *contexts: Context, by: orders.Order) -> None:
    """Note that the host comes after the work of contexts, by some order."""
    races = call.machine.races
    if races is not None and races.takes(by):
        for context in contexts:
            races.seen_context(context)


def _memory_of(access: Access) -> object:
    """Return the memory or the array of an access, for a report."""
    process, address = access.stream.context.process, access.address
    item: object = process.memory.at(address)
    return item or next((one for one in process.arrays.values() if one.start <= address < one.end), None)


def _report_host(access: Access, does: str, stack: Stack) -> None:
    """Keep a finding about a host access that races with stream work."""
    stream = access.stream
    process = stream.context.process
    machine = process.machine
    assert machine.races is not None
    machine.races.name(access)
    facts = {"earlier": access, "memory": _memory_of(access), "host": does}
    machine.keep(Finding(ACCESSES_ARE_ORDERED, access.call, process.name, facts, stack, machine=machine))


HostAccesses.report = staticmethod(_report_host)


def _report(call: Call, earlier: Access, stream: Stream | None, operation: Operation | None = None) -> None:
    """Report that a call does something unordered with an earlier access.

    Args:
        call: The call.
        earlier: The access.
        stream: The stream that does it. None if the call itself does.
        operation: What the stream does. None for the end of memory.
    """
    assert call.machine.races is not None
    call.machine.races.name(earlier)
    theirs = earlier.stream
    if stream is None or stream.context.process is not theirs.context.process:
        missing = f"a wait for stream {theirs.handle:#x} of {theirs.context.process} before this call"
    else:
        missing = (
            f"an order: stream {stream.beside(theirs)} does not wait for that work of stream {theirs.beside(stream)}"
        )
    memory = _memory_of(earlier)
    if operation is not None and call.process is not theirs.context.process:
        memory = same_bytes(earlier, operation)
    call.undefined(ACCESSES_ARE_ORDERED, earlier=earlier, stream=stream, memory=memory, missing=missing)
