"""Copies that the call makes, copies that a stream makes, and when the host waits.

A device cannot access host memory that is not page-locked, nor a host pool that grants it no access. The call reads its
bytes before it returns, and a copy to it returns when the bytes are there. A copy between page-locked memory and a device is
left to the stream, and so is a copy between devices; a copy from host to host is not. A call that takes managed memory as
host memory returns when the stream has made the copy.
"""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from fakecuda.model import context_effects, history
from fakecuda.model.finding import Finding
from fakecuda.model.memory import transfer
from fakecuda.model.memory.backing import DeviceMemory
from fakecuda.model.memory.host_memory import HostMemory
from fakecuda.model.memory.memory import Allocation
from fakecuda.model.memory.pool import Pooled
from fakecuda.model.memory.space import ADDRESS_BITS, READ, WRITE
from fakecuda.model.os.system import Whole
from fakecuda.model.work import across, timed
from fakecuda.model.work.accesses import READS, WRITES, Operation
from fakecuda.rules.core import Rule, guard, undefined
from fakecuda.rules.driver.context.current import failed
from fakecuda.rules.driver.copy.range import ADDRESS_IS_KNOWN, is_device, pieces, written
from fakecuda.rules.driver.execution import skipped
from fakecuda.rules.driver.stream import race
from fakecuda.rules.driver.stream.order import enqueue, launch, waited
from fakecuda.spec import orders
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Sequence

    from fakecuda.model.call import Call
    from fakecuda.model.context import Context
    from fakecuda.model.memory.transfer import Pieces, Shape
    from fakecuda.model.work.accesses import Use
    from fakecuda.model.work.stream import Stream
    from fakecuda.rules.driver.copy.range import Piece
    from fakecuda.spec.orders import Order

    Move = tuple[Pieces, Pieces, Shape | None, list[tuple[int, int, int]]]

ASKED = race.ASKED + 1
"""The number of stack frames of an operation that queues copies."""
UNSAID, IN_ORDER, DURING_THE_CALL, ANY = range(4)
"""CUmemcpySrcAccessOrder, when a source is read; 0 for calls without one."""

MEMORY_IS_THERE = Rule(
    "the caller's memory stays mapped until the stream has copied it",
    Result.SUCCESS,
    undefined(
        "cuMemcpyAsync",
        "the manual says nothing about memory that is unmapped earlier; the device then accesses unmapped memory",
    ),
    fix="synchronize the stream before you unmap or free the memory",
)
"""No operation breaks the rule: the stream detects the violation when it copies."""


class Plan(NamedTuple):
    """A copy that has passed its checks.

    Attributes:
        dst: The first address that is written, and how many bytes lie from there to the last.
        src: The same of what is read.
        targets: The memory that is written.
        sources: The memory that is read.
        shape: Its rows, or None if all bytes are copied.
        order: When the source is read.
        waits: Whether the call returns only after the copy, for any memory.
    """

    dst: tuple[int, int]
    src: tuple[int, int]
    targets: Pieces
    sources: Pieces
    shape: Shape | None = None
    order: int = UNSAID
    waits: bool = False

    def move(self, call: Call) -> None:
        """Make the copy during the call."""
        machine = call.machine
        if machine.unknown is not None:
            skipped.handed(call, self.targets, self.sources, self.shape)
        timed.move(machine, self.targets, self.sources, self.shape)


@guard
def on_host(call: Call, context: Context, start: int, size: int, access: int) -> list[Piece]:
    """Return the memory behind a host address: registered memory, or any host memory.

    Args:
        call: The call.
        context: The context that copies.
        start: The first address; one of a device is followed there.
        size: Bytes.
        access: ``READ`` or ``WRITE``.
    """
    process = call.process
    known = process.memory.at(start) if process.registered or is_device(start) else None
    if known is None:
        system = process.system
        if is_device(start) or (start + size) >> ADDRESS_BITS or not system.can_be_followed(start, size, access):
            call.undefined(ADDRESS_IS_KNOWN, pointer=start, size=size)
            raise ADDRESS_IS_KNOWN.broken(pointer=start, size=size)
        return system.pieces(start, size)
    if access == WRITE:
        return written(call, context, start, size, known)
    return pieces(call, context, start, size, access, known)


@guard
@orders.makes(orders.COPY)
def perform(call: Call, context: Context, plan: Plan, by: Order = orders.ACROSS_DEVICES) -> None:
    """Make a copy without a stream; the default stream makes it if work is pending.

    Args:
        call: The call.
        context: The context.
        plan: The copy.
        by: How the default streams of other contexts order it.
    """
    machine = call.machine
    beside = begin_across(call, context, plan[2:4], (plan.dst[0], plan.src[0]), by)
    race.at_once(call, context, *uses_of(plan))
    if not machine.scheduler.pending and not machine.scheduler.manual:
        plan.move(call)
    else:
        launch(call, context, partial(plan.move, call), plan.dst, plan.src)
    end_across(call, context, beside, by)
    if context.lost and _is_waited_for(plan):
        failed(context)


@orders.makes(orders.BETWEEN_DEVICES, orders.ACROSS_DEVICES)
def begin_across(
    call: Call, context: Context, sides: tuple[Pieces, Pieces], addresses: tuple[int, int], by: Order
) -> tuple[Stream, ...]:
    """Have a copy without a stream come after the default streams of the other contexts whose memory it uses.

    On one device that holds for copies of its own memory.

    Args:
        call: The call.
        context: The context of the copy.
        sides: The memory that it uses.
        addresses: The first addresses of these.
        by: The order that this is.

    Returns:
        These streams, for :func:`end_across`.
    """
    found: tuple[Stream, ...] = ()
    own, memories = context.device.memory, [side[0][0].memory for side in sides]
    is_within = len(call.process.contexts) > 1 and all(memory is own for memory in memories)
    for memory, address in zip(memories, addresses, strict=True):
        if isinstance(memory, DeviceMemory) and (is_within or memory is not own):
            item = call.process.memory.at(address)
            if isinstance(item, Allocation) and item.context is not context:
                found += (context_effects.default_stream(item.context, call.default_stream, call.thread.name),)
    for stream in found:
        across.follow(context_effects.default_stream(context, call.default_stream, call.thread.name), stream, by)
    return found


def end_across(call: Call, context: Context, streams: tuple[Stream, ...], by: Order) -> None:
    """Order these streams after a copy without a stream."""
    for stream in streams:
        across.follow(stream, context_effects.default_stream(context, call.default_stream, call.thread.name), by)


@guard
@orders.makes(orders.COPY, orders.IN_STREAM, orders.LEGACY_STREAM)
def queue(call: Call, stream: Stream, name: str, plan: Plan) -> None:
    """Have a stream make a copy.

    Args:
        call: The call.
        stream: The stream.
        name: The call.
        plan: The copy.
    """
    machine = call.machine
    races = machine.races
    if races is not None:
        if races.strict:
            read_staged(call, plan)
        place = stream, plan[0][0], plan[1][0]
        known = races.memory.known(place, plan)  # none that a call has waited for
        if known is not None:
            race.judge(call, races, known, ASKED)
            if races.host is not None:
                races.host.watch(stream, known.uses, history.here(ASKED - 1))
        else:
            uses, waits = _noted(call, stream, plan)
            if not waits:
                if not race.is_put_by(races, place, plan, uses, ASKED - 1):
                    race.judge(call, races, Operation(place, plan, uses), ASKED)
                if races.host is not None:
                    races.host.watch(stream, uses, history.here(ASKED - 1))
            elif races.streams:
                race.in_stream(call, stream, uses, waits=True)
    if machine.scheduler.pending or machine.scheduler.manual or stream.taken is not False:
        _leave(call, stream, name, (plan,))
    else:
        plan.move(call)


@guard
def read_early(call: Call, plans: Sequence[Plan]) -> None:
    """Check sources that copies may read out of stream order for races."""
    for plan in plans:
        if plan.order in {DURING_THE_CALL, ANY} and not is_pageable(plan.sources):
            race.early(call, plan.sources)
        else:
            read_staged(call, plan)


def read_staged(call: Call, plan: Plan) -> None:
    """Check a source that a strict call may read before earlier work of its stream."""
    races = call.machine.races
    pageable = is_pageable(plan.sources) and plan.order in {UNSAID, DURING_THE_CALL}
    if races is not None and races.strict and pageable and isinstance(plan.targets[0][0].memory, DeviceMemory):
        race.early(call, plan.sources)


@guard
@orders.makes(orders.COPY)
def queue_all(call: Call, stream: Stream, name: str, plans: list[Plan]) -> None:
    """Have a stream make copies, in any order; arguments as for :func:`queue`."""
    machine = call.machine
    if machine.races is not None and plans:
        read_early(call, plans)
        noted = [_noted(call, stream, plan) for plan in plans]
        uses = tuple(use for one, _ in noted for use in one)
        race.in_stream(call, stream, uses, waits=any(waits for _, waits in noted), depth=ASKED)
    if machine.scheduler.pending or machine.scheduler.manual or stream.taken is not False:
        _leave(call, stream, name, plans)
        return
    for plan in plans:
        plan.move(call)


def _is_waited_for(plan: Plan) -> bool:
    """Return whether a call without a stream answers the fault of its copy: with host or managed memory that is not read early."""
    ends = (plan.targets,) if is_pageable(plan.sources) else (plan.targets, plan.sources)
    return any(isinstance(end[0][0].memory, HostMemory) for end in ends)


@guard
def _leave(call: Call, stream: Stream, name: str, plans: Sequence[Plan]) -> None:
    """Queue copies behind the work of a stream, and wait for some of them."""
    machine = call.machine
    told = machine.unknown is not None and not (machine.scheduler.pending or machine.scheduler.manual)
    if told:  # the stream copies at once
        for plan in plans:
            skipped.handed(call, plan.targets, plan.sources, plan.shape)
    act = partial(_move_all, stream, name, [_later(call, stream, plan) for plan in plans], told=told)
    used = [plan.dst for plan in plans] + [plan.src for plan in plans if not _is_early(call, stream, plan)]
    enqueue(call, stream, act, *used, copies=len(plans))
    made = [by for plan in plans if (by := _awaited(call, stream, plan)) is not None]
    if made:
        waited(stream.context, stream, by=max(made, key=attrgetter("promised")), last=True)


def move_now(call: Call, stream: Stream, name: str, plan: Plan) -> None:
    """Make a copy that a stream has reached; arguments as for :func:`queue`."""
    _move_all(stream, name, [_later(call, stream, plan)])


def _awaited(call: Call, stream: Stream, plan: Plan) -> Order | None:
    """Return the order by which the call waits for a copy; None if it does not wait."""
    if _is_host(call, plan.targets) and (
        _is_host(call, plan.sources) or is_out_of_reach(call, stream, plan.sources, plan.src[0])
    ):
        return orders.COPIED
    if plan.waits or (plan.order == UNSAID and is_out_of_reach(call, stream, plan.targets, plan.dst[0])):
        return orders.COPIED_BY_HIP if call.machine.profile.hip.version else orders.PAGEABLE
    return None


def _waits(call: Call, stream: Stream, plan: Plan) -> bool:
    """Return whether the call waits for a copy, so that later stream work follows it."""
    by, races = _awaited(call, stream, plan), call.machine.races
    return by is not None and races is not None and races.takes(by)


def uses_of(plan: Plan) -> tuple[Use, Use]:
    """Return the memory uses of a copy: a write and a read."""
    dst, src, targets, sources, shape, _, _ = plan
    if shape is None:
        return (WRITES, dst, targets, None), (READS, src, sources, None)
    size = shape[:3]
    return (WRITES, dst, targets, (*size, *shape[3:5])), (READS, src, sources, (*size, *shape[5:]))


def _noted(call: Call, stream: Stream, plan: Plan) -> tuple[tuple[Use, ...], bool]:
    """Return the memory uses of a stream's copy, and whether the call waits for it."""
    dst, src, targets, sources, shape, order, waits = plan
    uses: tuple[Use, ...]
    uses = ((WRITES, dst, targets, None), (READS, src, sources, None)) if shape is None else uses_of(plan)
    races, source = call.machine.races, sources[0][0]
    is_host = isinstance(source, Whole)
    if source.memory is call.machine.host.memory and races is not None:
        is_host = not races.strict  # the manual does not promise that the call has read it
    if order == DURING_THE_CALL or (is_host and _is_early(call, stream, plan)):
        uses = uses[:1]
    # Most copies are to devices, for which no call waits by itself.
    target = targets[0][0].memory
    may_wait = waits or not isinstance(target, DeviceMemory) or target is call.machine.host.memory
    return uses, may_wait and _waits(call, stream, plan)


def _move_all(stream: Stream, name: str, moves: list[Move], *, told: bool = False) -> None:
    """Make queued copies; skip a copy whose host memory was unmapped.

    Args:
        stream: The stream.
        name: The call.
        moves: The copies.
        told: Whether the call has reported unknown bytes that they hand to the host.
    """
    process = stream.context.process
    for targets, sources, shape, owned in moves:
        if process.machine.unknown is not None and not told:
            skipped.handed_later(stream, name, targets, sources, shape)
        act = partial(timed.move, process.machine, targets, sources, shape)
        process.system.use(owned, act, partial(_note_gone, stream, name))


def _note_gone(stream: Stream, name: str, pointer: int, size: int) -> None:
    process = stream.context.process
    if process.machine.strict:  # no caller is at hand to whom this could be said at once
        facts = {"pointer": pointer, "size": size, "stream": stream}
        process.machine.keep(Finding(MEMORY_IS_THERE, name, process.name, facts))


def _later(call: Call, stream: Stream, plan: Plan) -> Move:
    """Return what a stream needs to copy later, and the caller's memory that it uses."""
    owned = [(*plan.dst, WRITE)] if _is_callers(plan.targets) else []
    if _is_early(call, stream, plan):
        staged = partial(transfer.stage, plan.sources, plan.shape)
        kept = call.process.system.stage(plan.src, plan.shape, staged) if is_pageable(plan.sources) else staged()
        return plan.targets, *kept, owned
    owned += [(*plan.src, READ)] if _is_callers(plan.sources) else []
    return plan.targets, plan.sources, plan.shape, owned


def _is_early(call: Call, stream: Stream, plan: Plan) -> bool:
    """Return whether the source is read before the call returns."""
    return plan.order in {UNSAID, DURING_THE_CALL} and is_out_of_reach(call, stream, plan.sources, plan.src[0])


def is_out_of_reach(call: Call, stream: Stream, memory: Pieces, address: int) -> bool:
    """Return whether an address is host memory that the stream's device cannot access."""
    if is_pageable(memory):
        return True
    if memory[0][0].memory is not call.machine.host.memory:
        return False
    item = call.process.memory.at(address)
    return isinstance(item, Pooled) and not item.pool.flags(stream.context.device.ordinal)


def is_pageable(memory: Pieces) -> bool:
    """Return whether memory is pageable host memory."""
    return isinstance(memory[0][0], Whole)


def _is_host(call: Call, memory: Pieces) -> bool:
    """Return whether memory is host memory, pageable or pinned."""
    kind = memory[0][0].memory
    return isinstance(kind, HostMemory) and kind is not call.machine.managed


def _is_callers(memory: Pieces) -> bool:
    """Return whether the caller has mapped the memory itself and may unmap it."""
    extent, offset, _ = memory[0]
    return isinstance(extent.memory, HostMemory) and not is_device(extent.offset + offset)
