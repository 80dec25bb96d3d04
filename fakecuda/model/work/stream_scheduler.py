"""Effects that submit work to streams and execute it.

Work is executed as soon as it waits for nothing, usually in the call that submits it. Then nothing is queued. Work
stays queued behind other queued work of its stream. The oldest work of a stream is queued while it waits: for a value,
for an event after queued work, for a running host function, or for a copy by another OS process. On a machine with
manual completion work stays queued until a call waits for it. A thread of the context calls host functions, without the
machine's lock. Work of the legacy stream and of the streams that block on it keeps its order across them.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.effect import effect
from fakecuda.model.work.stream import LEGACY, NON_BLOCKING, NOTHING, After, Needs, Stream, Work, tick
from fakecuda.model.work.worker import Worker
from fakecuda.spec import orders

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.model.context import Context
    from fakecuda.model.history import Lifetime
    from fakecuda.model.machine import Machine
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.stream import Condition


@effect()
def submit(
    stream: Stream, act: Callable[[], None], ready: Condition | None = None, needs: Needs = NOTHING
) -> Work | None:
    """Submit work to a stream, and execute it at once if possible.

    Args:
        stream: The stream.
        act: Executes the work, with the machine's lock held.
        ready: The condition that the work waits for. None without one.
        needs: What the work needs when it is executed.

    Returns:
        The work; None if it is done or dropped already.
    """
    machine = stream.context.process.machine
    if not machine.scheduler.pending and not machine.scheduler.manual and (ready is None or ready()):
        act()
        return None
    work = _queue(Work(stream, act, ready, needs=needs))
    return None if work.done else work


@effect()
def leave(stream: Stream, act: Callable[[], None], needs: Needs) -> None:
    """Submit the work of a synchronous call; arguments as for :func:`submit`."""
    if work := submit(stream, act, needs=needs):
        work.left = True


@effect()
def occupy(stream: Stream, *, beside: bool = False) -> None:
    """Submit work that takes time, optionally beside the legacy stream's work."""
    machine = stream.context.process.machine
    if machine.races is not None:
        machine.races.pass_through(stream)
    if beside and stream.handle != LEGACY and not stream.work:
        machine.clock.launched()
    else:
        submit(stream, machine.clock.launched)


@effect()
def send(stream: Stream, act: Callable[[], None], ready: Condition | None, needs: Needs) -> None:
    """Submit work as :func:`submit` does, unless a fork's work took its place.

    The device passes over work whose place in the queue is taken.

    Args:
        stream: The stream.
        act: Executes the work, with the machine's lock held.
        ready: The condition that the work waits for. None without one.
        needs: What the work needs when it is executed.

    Raises:
        FakeCudaError: The machine's memory would exceed its cap; nothing was done, and no place was taken.
    """
    whose, races = stream.origin or stream, stream.context.process.machine.races
    if races is not None:
        races.pass_through(stream)
    taken = whose.taken, whose.context.taken
    if _arrives(stream):
        try:
            submit(stream, act, ready, needs)
        except FakeCudaError:
            whose.taken, whose.context.taken = taken
            raise


def _arrives(stream: Stream) -> bool:
    """Take the next place in a stream's queue; return whether to execute the work.

    A stream gets a queue with its first work. The queue and its next place are recorded in memory of the process, and a
    fork has a copy of that. Work of the fork therefore takes the place that the process's next work takes, too. If the
    stream has no queue yet, it takes the place in the queue that the next stream gets. A device executes the first work
    that arrives at a place, and passes over the rest.
    """
    origin = stream.origin
    if origin is not None:
        holder = origin.context if origin.taken is None else origin
        lost, holder.taken = holder.taken, True
    elif stream.taken is None:
        lost, stream.context.taken, stream.taken = stream.context.taken, False, False
    else:
        lost, stream.taken = stream.taken, False
    return not lost


@effect()
@orders.makes(orders.HOST_FUNCTION)
def call(stream: Stream, function: Callable[[], None], *, stays: bool = False) -> None:
    """Submit a host function to a stream.

    Later work of the stream waits until it has returned.

    Args:
        stream: The stream.
        function: The host function. The context's worker calls it without the machine's lock.
        stays: Whether it is called even if other work of the context has failed.

    Raises:
        FakeCudaError: The system cannot start a thread; nothing was done.
    """
    enlist(stream.context)
    work = Work(stream, function, hosted=True, stays=stays)
    races = stream.context.process.machine.races
    if races is not None:
        work.order = races.captured(stream)
    _queue(work)
    if races is not None:
        races.wonder(stream, work)


def _queue(work: Work) -> Work:
    machine = work.stream.context.process.machine
    work.stream.work.append(work)
    machine.scheduler.pending[work.stream] = None
    if not machine.scheduler.manual:
        advance(machine)
    return work


@effect(beside="a call that waits has work done")
def advance(machine: Machine) -> None:
    """Execute all executable work of a machine."""
    before = -1
    while machine.scheduler.pending and before != (
        before := sum(len(stream.work) for stream in machine.scheduler.pending)
    ):
        for stream in list(machine.scheduler.pending):
            advance_one(machine, stream)


@effect(beside="a call that waits has work done")
def do(work: Work) -> None:
    """Execute work; its process fails if required memory or access is missing."""
    context = work.stream.context
    if work.needs.met(context):
        work.act()
    else:
        fail(context.process, work.needs.fault)


@effect()
def look(machine: Machine) -> None:
    """Execute work that has become ready.

    The host can write memory that work waits for without a call.
    """
    if machine.scheduler.pending and not machine.scheduler.manual:
        advance(machine)


def advance_one(machine: Machine, stream: Stream) -> bool:
    """Execute as much work of a stream as possible; return whether there was any."""
    before = len(stream.work)
    while can_advance(stream):
        do_oldest(machine, stream)
    if not stream.work:
        machine.scheduler.pending.pop(stream, None)
    return len(stream.work) != before


def can_advance(stream: Stream) -> bool:
    """Return whether a stream's oldest work can run and is not running."""
    return bool(stream.work) and not stream.work[0].running and _can(stream.work[0])


def do_oldest(machine: Machine, stream: Stream) -> None:
    """Execute a stream's oldest work, or start it on a worker thread."""
    work, system = stream.work[0], stream.context.process.system
    if work.hosted:
        worker = enlist(stream.context)
        work.running = True
        worker.run(partial(_call, work), partial(_returned, work))
        return
    if not system.whole.memory.near:
        enlist(stream.context)  # for copies that may remain; without a thread nothing is done
    left = system.collect(partial(do, work))
    if left is None:
        _leave(machine, work)
    else:
        work.running = work.begun = True
        enlist(stream.context).run(left, partial(_returned, work))


def _leave(machine: Machine, work: Work) -> None:
    """Remove a stream's oldest work, which is done."""
    if not work.done:  # failed work was removed with all work of its stream
        work.done = True
        work.stream.work.popleft()
    if not work.stream.work:
        machine.scheduler.pending.pop(work.stream, None)


def enlist(context: Context) -> Worker:
    """Return the thread for a context's host functions, started on first use.

    Raises:
        FakeCudaError: The system cannot start a thread.
    """
    if context.worker is None:
        machine = context.process.machine
        context.worker = Worker(context.process, f"functions of {context} of {context.process}")
        machine.scheduler.workers = [
            *(worker for worker in machine.scheduler.workers if worker.thread.is_alive()),
            context.worker,
        ]
    return context.worker


def _call(work: Work) -> None:
    """Call a host function, unless its context has ended."""
    machine = work.stream.context.process.machine
    with machine.lock:
        work.begun = not work.done
        if work.begun:
            machine.clock.launched()
            races = machine.races
            if races is not None:
                if work.order is not None:
                    races.seen(work.order)
                if races.host is not None:
                    races.host.close()
    if work.begun:
        work.act()


def _returned(work: Work) -> None:
    """Remove work that a worker thread has done, and execute the work after it."""
    machine = work.stream.context.process.machine
    with machine.lock:
        work.begun = False
        if not work.done:
            _leave(machine, work)
        if not machine.scheduler.manual:
            with suppress(FakeCudaError):  # the next call that waits raises it again
                advance(machine)
        machine.scheduler.progress.notify_all()


def _can(work: Work) -> bool:
    """Return whether a stream's oldest work can be executed now.

    No earlier work may be left before it, and its condition must hold.
    """
    gates = work.stream.context.gates
    if gates:
        gates[:] = [gate for gate in gates if not gate[1].done]
        if any(number < work.number for number, _ in gates):
            return False
    return all(other.work[0].number > work.number for other in before(work.stream)) and (
        work.ready is None or work.ready()
    )


@effect()
def close_gate(context: Context, work: Work) -> None:
    """Make all later work of a context wait for some work."""
    context.gates.append((tick(), work))


def before(stream: Stream) -> Iterable[Stream]:
    """Yield streams whose older work comes before a stream's, by the legacy stream."""
    if stream.flags & NON_BLOCKING:
        return
    for other in stream.context.process.machine.scheduler.pending:
        legacy = LEGACY in (stream.handle, other.handle)
        if other is not stream and legacy and other.context is stream.context and not other.flags & NON_BLOCKING:
            yield other


def unfinished(stream: Stream) -> list[Stream]:
    """Return a stream if it has work.

    For the legacy stream, also the streams that block on it.
    """
    return [other for other in (stream, *(before(stream) if stream.handle == LEGACY else ())) if other.work]


def is_behind(stream: Stream, work: Work) -> bool:
    """Return whether a stream's next work comes after unfinished work.

    Queues, events and the legacy stream order it so. A wait for a value may, and so may a host function.

    Args:
        stream: The stream.
        work: The unfinished work.
    """
    seen: set[int] = set()
    left = _previous(stream, None)
    while left:
        one = left.pop()
        if one is work or one.hosted or not isinstance(one.ready, After | None):
            return True
        if one.number not in seen:
            seen.add(one.number)
            left += _previous(one.stream, one.number)
            left += [other for other in one.ready.work if not other.done] if one.ready else ()
    return False


def _previous(stream: Stream, number: int | None) -> list[Work]:
    """Return the unfinished work that comes directly before work of a stream.

    Args:
        stream: The stream.
        number: The number of the work. None for the next work.
    """
    gates = [(gate, work) for gate, work in stream.context.gates if not work.done]
    queued = [(work.number, work) for other in (stream, *before(stream)) for work in other.work]
    return [work for place, work in (*gates, *queued) if number is None or place < number]


@effect()
def lose(context: Context, code: int) -> None:
    """Record a failure of a context's work, and drop the remaining work.

    Work that stays is not dropped.

    Args:
        context: The context.
        code: The code that calls in the context return from now on.
    """
    machine = context.process.machine
    context.lost = code
    for stream in [stream for stream in machine.scheduler.pending if stream.context is context]:
        kept = [work for work in stream.work if work.running or work.stays]
        for work in stream.work:
            work.done = work not in kept
        stream.work = deque(kept)
        if not kept:
            del machine.scheduler.pending[stream]
    look(machine)


@effect()
def fail(process: Process, code: int, cause: Lifetime | None = None) -> None:
    """Record work with an illegal address, which fails all contexts of the process.

    Args:
        process: The process.
        code: The code that calls in its contexts return from now on, and calls that create a context.
        cause: The work, if reports can name it.
    """
    if not process.fault:
        process.fault, process.cause = code, cause
    for context in list(process.contexts.values()):
        if not context.lost:
            lose(context, code)


def running(machine: Machine) -> bool:
    """Return whether a host function is running."""
    return any(stream.work[0].running for stream in machine.scheduler.pending)


def forked(machine: Machine) -> None:
    """Adapt to a forked child, where the parent's host functions do not run."""
    machine.scheduler.workers = []
    for process in machine.processes.values():
        for context in process.contexts.values():
            context.worker = None
    for work in [stream.work[0] for stream in machine.scheduler.pending]:
        if work.running:
            _leave(machine, work)
