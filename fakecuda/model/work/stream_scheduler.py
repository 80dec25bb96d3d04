"""How streams are given work, and when it is done.

Work is done as soon as nothing that it waits for is left, usually in the call that submits it; then nothing is queued at
all. It stays queued while what is before it in its stream does: a wait for a value that nobody has written yet, for an
event of such work, for a function of the host that still runs, for bytes that another OS process moves. On a machine whose completion is manual it stays until
somebody waits for it. Functions of the host are called by a thread that their context has for them, without the
machine's lock. Work of a default stream and of the streams that block on it keeps its order across them.
"""

from __future__ import annotations

from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.model.effect import effect
from fakecuda.model.work.stream import LEGACY, NON_BLOCKING, NOTHING, Needs, Stream, Work, tick
from fakecuda.model.work.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.model.context import Context
    from fakecuda.model.machine import Machine
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.stream import Condition


@effect()
def submit(
    stream: Stream,
    act: Callable[[], None],
    ready: Condition | None = None,
    needs: Needs = NOTHING,
) -> Work | None:
    """Have a stream do something; return the work, or None when it is done already, or never will be.

    Args:
        stream: The stream.
        act: Does it; called with the machine's lock held.
        ready: What it waits for; None for nothing.
        needs: What it must find there still.
    """
    machine = stream.context.process.machine
    if not machine.scheduler.pending and not machine.scheduler.manual and (ready is None or ready()):
        act()
        return None
    work = _queue(Work(stream, act, ready, needs=needs))
    return None if work.done else work


@effect()
def send(stream: Stream, act: Callable[[], None], ready: Condition | None, needs: Needs) -> None:
    """Have a stream do something, if the device does what the stream is given next; see :func:`submit`.

    Raises:
        FakeCudaError: The machine may hold no more bytes; nothing was done, and no place was taken.
    """
    whose = stream.origin or stream
    taken = whose.taken, whose.context.taken
    if _arrives(stream):
        try:
            submit(stream, act, ready, needs)
        except FakeCudaError:
            whose.taken, whose.context.taken = taken
            raise


def _arrives(stream: Stream) -> bool:
    """Return whether the device does what a stream is given next, which takes a place in a queue.

    A stream has a queue from its first work on. Where that is and what its next place is stand in memory of the process,
    of which a fork has a copy: its work takes the place that the process's next work takes too, in the queue that the next
    stream gets where its own has none yet. A device does what comes to a place first, and passes over the rest.
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
def call(stream: Stream, function: Callable[[], None], *, stays: bool = False) -> None:
    """Have a stream call a host function; work behind it waits until that has returned.

    Args:
        stream: The stream.
        function: It is called by the context's worker, without the machine's lock.
        stays: Whether it is called also when other work of the context has failed.

    Raises:
        FakeCudaError: No thread can be started; nothing was done.
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
    """Do all work of a machine that can be done."""
    before = -1
    while machine.scheduler.pending and before != (
        before := sum(len(stream.work) for stream in machine.scheduler.pending)
    ):
        for stream in list(machine.scheduler.pending):
            advance_one(machine, stream)


@effect(beside="a call that waits has work done")
def do(work: Work) -> None:
    """Do work; when memory or access that it needs has gone, it fails, and with it the process."""
    context = work.stream.context
    if work.needs.met(context):
        work.act()
    else:
        fail(context.process, work.needs.fault)


@effect()
def look(machine: Machine) -> None:
    """Do what can be done by now, for somebody asks: the host can write memory without a call."""
    if machine.scheduler.pending and not machine.scheduler.manual:
        advance(machine)


def advance_one(machine: Machine, stream: Stream) -> bool:
    """Do the work of one stream as far as that goes; return whether there was any that could be done."""
    before = len(stream.work)
    while can_advance(stream):
        do_oldest(machine, stream)
    if not stream.work:
        machine.scheduler.pending.pop(stream, None)
    return len(stream.work) != before


def can_advance(stream: Stream) -> bool:
    """Return whether a stream's oldest work can be done, and nobody does it."""
    return bool(stream.work) and not stream.work[0].running and _can(stream.work[0])


def do_oldest(machine: Machine, stream: Stream) -> None:
    """Do a stream's oldest work; what a worker does has only begun."""
    work, system = stream.work[0], stream.context.process.system
    if work.hosted:
        worker = enlist(stream.context)
        work.running = True
        worker.run(partial(_call, work), partial(_returned, work))
        return
    if not system.whole.memory.near:
        enlist(stream.context)  # for what may be left: where there is no thread, nothing is done
    left = system.collect(partial(do, work))
    if left is None:
        _leave(machine, work)
    else:
        work.running = work.begun = True
        enlist(stream.context).run(left, partial(_returned, work))


def _leave(machine: Machine, work: Work) -> None:
    """Take work that is done from its stream, of which it is the oldest."""
    if not work.done:  # else it has failed, and what its stream has left is dropped
        work.done = True
        work.stream.work.popleft()
    if not work.stream.work:
        machine.scheduler.pending.pop(work.stream, None)


def enlist(context: Context) -> Worker:
    """Return the thread that calls host functions for a context, made when it is first needed.

    Raises:
        FakeCudaError: No thread can be started.
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
    """Call a host function, unless its context ended meanwhile."""
    machine = work.stream.context.process.machine
    with machine.lock:
        work.begun = not work.done
        if work.begun:
            machine.clock.launched()
            if machine.races is not None and work.order is not None:
                machine.races.seen(work.order)
    if work.begun:
        work.act()


def _returned(work: Work) -> None:
    """Go on with what comes behind work that a worker has done."""
    machine = work.stream.context.process.machine
    with machine.lock:
        work.begun = False
        if not work.done:
            _leave(machine, work)
        if not machine.scheduler.manual:
            with suppress(FakeCudaError):  # the next call that waits meets it
                advance(machine)
        machine.scheduler.progress.notify_all()


def _can(work: Work) -> bool:
    """Return whether nothing is before a stream's oldest work, and what it waits for is there."""
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
    """Have all later work of a context wait for some work."""
    context.gates.append((tick(), work))


def before(stream: Stream) -> Iterable[Stream]:
    """Yield the streams with work whose older work comes before that of a stream, for one of them is the legacy stream."""
    if stream.flags & NON_BLOCKING:
        return
    for other in stream.context.process.machine.scheduler.pending:
        legacy = LEGACY in (stream.handle, other.handle)
        if other is not stream and legacy and other.context is stream.context and not other.flags & NON_BLOCKING:
            yield other


def unfinished(stream: Stream) -> list[Stream]:
    """Return a stream if it has work left, and for the legacy one those that block on it, too."""
    return [other for other in (stream, *(before(stream) if stream.handle == LEGACY else ())) if other.work]


@effect()
def lose(context: Context, code: int) -> None:
    """Note that work of a context has failed for good: what it has left is dropped, but for what stays.

    Args:
        context: The context.
        code: What it answers from now on.
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
def fail(process: Process, code: int) -> None:
    """Note that work has used an address that it may not: every context of the process has failed.

    Args:
        process: The process.
        code: What its contexts answer from now on, and whoever would create another one.
    """
    process.fault = code
    for context in list(process.contexts.values()):
        if not context.lost:
            lose(context, code)


def running(machine: Machine) -> bool:
    """Return whether a host function is being called."""
    return any(stream.work[0].running for stream in machine.scheduler.pending)


def forked(machine: Machine) -> None:
    """Go on in a forked child of the OS process: functions that run do so in the parent."""
    machine.scheduler.workers = []
    for process in machine.processes.values():
        for context in process.contexts.values():
            context.worker = None
    for work in [stream.work[0] for stream in machine.scheduler.pending]:
        if work.running:
            _leave(machine, work)
