"""Calls that wait: for work of streams, for functions of the host, for devices of a multicast object.

What can be done is done first; then other threads' calls go on until one of them, a function of the host or the host
itself has brought about what the call waits for. A wait that nothing can end, which :mod:`fakecuda.model.work.wait_graph` decides,
ends at once; others end when the machine's patience does. What is told of it is :mod:`fakecuda.model.work.deadlock`'s.

What a call has checked before it waited may be so no longer: its process has ended, its machine is closed, the memory is
freed. So a call that goes on to act is made again (:class:`~fakecuda.model.call.RetryCall`); what it has waited for in a
stream or a context is not waited for again. A call that only waits is not made again: an H200 answers it success, whatever
was destroyed meanwhile (``conformance/data/waits``). What is waited for is the work that there was when the wait began.
"""

from __future__ import annotations

import gc
import sys
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.errors import EndlessWait, MachineClosed
from fakecuda.model import history
from fakecuda.model.call import WAITING, RetryCall, has_paused, under_way
from fakecuda.model.os.interruption import deferred, run_deferred
from fakecuda.model.os.threads import await_ending
from fakecuda.model.work import deadlock, stream_scheduler, wait_graph
from fakecuda.model.work.blocked import FOREVER
from fakecuda.model.work.stream_scheduler import advance_one, before, unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.model.context import Context
    from fakecuda.model.machine import Machine
    from fakecuda.model.os.thread import Thread
    from fakecuda.model.work.stream import Stream, Work
    from fakecuda.model.work.wait_graph import Turns, Wakers

GLANCE = 0.001
"""Seconds between two looks at what a call waits for: the host can write memory without a call."""
CENSUS = 0.05
"""Seconds between two looks at who could wake it: threads and processes end without a call."""
DEFERENCE = 100
"""How many looks a call whose wait is over leaves to those that began to wait before it."""
STRANGERS = 30
"""What a machine's patience is divided by if only threads that never called the machine could wake a call."""


@define(eq=False)
class Wait:
    """A call that waits.

    Attributes:
        what: What it waits for.
        done: Whether that has come.
        who: The call, its thread and its process.
        late: Whether calls that waited beside it go first, whenever they began.
        began: When it began to wait, seconds of the system's clock.
        within: For how many seconds it waits at most; None for as long as the machine's patience lasts.
        census: When it looks next at who could wake it.
        end: The error that ends it, since another call has found that each waits for the others.
        stack: The stack that called.
        thread: The thread of the model that calls; None for the program itself.
        marks: What the last look at who could wake it has told of those who cannot.
    """

    what: object
    done: Callable[[], bool]
    who: str
    late: bool = False
    within: float | None = None
    began: float = field(factory=lambda: monotonic())  # noqa: PLW0108 - tests replace the clock
    census: float = 0.0
    end: EndlessWait | None = None
    stack: history.Stack = field(default=history.NOWHERE, repr=False)
    thread: Thread | None = field(default=None, repr=False)
    marks: object = field(default=(), repr=False)

    @property
    def command(self) -> str:
        """The number and the command line of the OS process, where that is another one."""
        return self.thread.process.command if self.thread else ""

    def __str__(self) -> str:
        return f"{self.who} waits for {self.what}"


def wait(
    machine: Machine,
    what: object,
    done: Callable[[], bool],
    streams: Callable[[], Iterable[Stream]] = tuple,
    *,
    last: bool = False,
    late: bool = False,
    within: float | None = None,
) -> None:
    """Return when something is so; other threads' calls go on meanwhile, and those that began to wait earlier go first.

    Args:
        machine: The machine; the caller holds its lock.
        what: What is waited for, as an error shows it.
        done: Whether it is so.
        streams: Yields those whose work brings it about; their work comes first where completion is manual.
        last: Whether the call does nothing after it but answer, so that it need not look again.
        late: Whether all calls whose waits are over go first, as those in a context that is destroyed do.
        within: For how many seconds the caller waits at most; None where it sets no limit.

    Raises:
        RetryCall: It is so, and others' calls went on meanwhile.
        EndlessWait: It can never come, or it has not come before the machine's patience was over.
        MachineClosed: The machine was closed meanwhile.
        ProcessDied: The process has ended meanwhile.
    """
    turns = machine.scheduler.census.turns
    paced = turns is not None and turns.mine()

    def over() -> bool:
        while not (paced or done()):
            if not any(advance_one(machine, stream) for stream in list(streams())):
                stream_scheduler.advance(machine)
                return done()
        return not paced or done()

    if over():
        return
    call, op = under_way() or (None, None)
    state = call and call.process.state
    who = f"{op.name} in thread {call.thread.name} of {call.process}" if call and op else "the program"
    number, this = threading.get_native_id(), Wait(what, done, who, late, within)
    this.stack, this.thread = history.whole(), call.thread if call else None
    outer = machine.scheduler.census.waiting.get(number)  # a signal's handler may call while a call waits
    patient, paused = DEFERENCE, has_paused()
    try:
        machine.scheduler.census.waiting[number] = this
        if paused:
            gc.enable()
        while True:
            if turns is not None and paced:
                give_turn(machine, turns)
            else:
                _go_on(machine, this)
                glance(machine)
            if call is not None and call.process.state != state:
                break
            if this.end is None and over():
                patient -= 1
                if patient < 0 or is_first(machine, this):
                    break
    finally:
        if paused:
            gc.disable()
        machine.scheduler.census.waiting.pop(number, None)
        if outer is not None:
            machine.scheduler.census.waiting[number] = outer
    standing = machine.scheduler.census.standing
    if standing is not None and this in standing.waits and (call is None or call.process.state == state):
        machine.scheduler.census.standing = None
    if call is not None:
        try:
            call.process.lives()
        except MachineClosed as error:
            error.waited = True
            raise
        if not last or call.process.state != state:
            raise RetryCall(what)


def is_first(machine: Machine, this: Wait) -> bool:
    """Return whether no call waits still whose wait is over and that goes first."""
    waits = list(machine.scheduler.census.waiting.values())
    earlier = waits[: waits.index(this)]
    before = earlier + [one for one in waits if not one.late] if this.late else [one for one in earlier if not one.late]
    return not any(one.done() for one in before if one is not this)


def glance(machine: Machine) -> None:
    """Let other threads' calls and handlers of signals go on for a moment; the caller holds the machine's lock.

    An attached process may call meanwhile in the thread whose call waits, or end the wait.
    """
    attend = machine.scheduler.census.attend
    if deferred or attend is not None:
        lock: Any = machine.lock
        held = lock._release_save()  # noqa: SLF001 - as conditions do
        try:
            if deferred:
                run_deferred(sys._getframe())  # noqa: SLF001 - as call.under_way
            if attend is not None:
                attend()
        finally:
            lock._acquire_restore(held)  # noqa: SLF001 - likewise
    machine.scheduler.progress.wait(GLANCE)


def give_turn(machine: Machine, turns: Turns) -> None:
    """Give the turn away, without the machine's lock, until what a call waits for may have come; the caller holds the lock."""
    lock: Any = machine.lock
    held = lock._release_save()  # noqa: SLF001 - as conditions do
    try:
        turns.give()
    finally:
        lock._acquire_restore(held)  # noqa: SLF001 - likewise


WAITING.update((glance.__code__, give_turn.__code__, await_ending.__code__))


def _go_on(machine: Machine, this: Wait) -> None:
    """Return if a call may wait on.

    Raises:
        EndlessWait: It may not.
    """
    if this.end is not None:
        raise this.end
    now = monotonic()
    if now < this.census:
        return
    this.census = now + CENSUS
    found = wait_graph.find(machine, _left(machine, now))
    stuck = not (found.callers or found.strangers)
    if this.within is not None and now - this.began > this.within:
        raise EndlessWait(str(this))  # its caller answers
    if stuck:
        same, this.marks = found.marks == this.marks, found.marks
        sure = same or not found.held  # else one of them may have been about to run
        if sure and this.within is not None:
            raise EndlessWait(str(this))  # its caller answers
        # A call that gives up may wake it.
        if sure and not any(one.within is not None for one in machine.scheduler.census.waiting.values()):
            _end_all(machine, found)
            assert this.end is not None
            raise this.end
    elif found.timed and not found.alert:
        deadlock.stands(machine, found)
    patience = (
        machine.scheduler.patience / STRANGERS if found.strangers and not found.callers else machine.scheduler.patience
    )
    if now - this.began > patience:
        raise outlasted(machine, this, patience, found)


def _left(machine: Machine, now: float) -> float:
    """Return how many seconds of patience are left for the last of the calls that wait; never so few that a thread polls for longer."""
    latest = max(one.began for one in machine.scheduler.census.waiting.values())
    return max(latest + machine.scheduler.patience - now, machine.scheduler.patience / STRANGERS)


def _end_all(machine: Machine, found: Wakers) -> None:
    """End all calls that wait in a machine, for nothing can."""
    waits = machine.scheduler.census.waiting.values()
    made = deadlock.proved(machine, found)
    reason = "each call waits for the others, and nobody else" if len(waits) > 1 else "nobody"
    limited = any(one.by.left < FOREVER for one in found.held)
    time = f" in the {machine.scheduler.patience:g} s of the machine's patience" if limited else ""
    for other in waits:
        other.end = made.error(machine, other, f"{reason} can bring that about{time}")
    machine.scheduler.progress.notify_all()


def outlasted(machine: Machine, this: Wait, patience: float, found: Wakers) -> Exception:
    """Return what ends a wait that has outlasted the machine's patience, of so many seconds."""
    made = deadlock.outlasted(machine, this, patience, found)
    return made.error(machine, this, f"nobody has brought that about in {patience:g} s")


def finish(
    context: Context,
    stream: Stream | None = None,
    *,
    last: bool = False,
    all_of_it: bool = False,
    within: float | None = None,
) -> None:
    """Wait for the work that a stream has by now and what comes before it, or a whole context.

    Args:
        context: The context.
        stream: The stream; None for all of the context.
        last: As :func:`wait` has it.
        all_of_it: Whether work is waited for, too, that is queued meanwhile.
        within: As :func:`wait` has it.

    Raises:
        FakeCudaError: As :func:`wait` does.
    """
    machine = context.process.machine
    if not machine.scheduler.pending:
        return
    call = under_way()
    if call is not None and (stream or context) in call[0].awaited and not all_of_it:
        return

    def streams() -> list[Stream]:
        return _of(context) if stream is None else [*before(stream), stream]

    work = [one for each in (_of(context) if stream is None else unfinished(stream)) for one in each.work]
    wait(machine, stream or context, lambda: all(one.done for one in work), streams, last=last, within=within)


def release(context: Context) -> None:
    """Wait for the work of a context, and for that of others that uses its memory.

    Raises:
        EndlessWait: It does not come to be done.
    """
    machine = context.process.machine

    def using() -> list[Stream]:
        return [
            stream
            for stream in machine.scheduler.pending
            if stream.context is context
            or any(getattr(item, "context", None) is context for work in stream.work for item in work.needs.memory)
        ]

    wait(machine, context, lambda: not using(), using, late=True)


def drop_work(machine: Machine, *contexts: Context) -> None:
    """Forget the work of contexts that end; what waited for it goes on.

    Functions of the host that were begun return first, for they may use memory that goes with the contexts.

    Raises:
        EndlessWait: One does not return.
    """
    begun: list[Work] = []
    for context in contexts:
        own = [stream for stream in machine.scheduler.pending if stream.context is context]
        worker, context.worker = context.worker, None
        if worker is not None:
            worker.stop()
            if worker.thread is not threading.current_thread():
                begun += [work for stream in own for work in stream.work if work.begun]
        for stream in own:
            for work in stream.work:
                work.done = True
            stream.work.clear()
            del machine.scheduler.pending[stream]
    if begun:
        wait(machine, "functions of the host that run", lambda: not any(work.begun for work in begun), last=True)
    stream_scheduler.look(machine)


def _of(context: Context) -> list[Stream]:
    """Return the streams of a context that have work left."""
    return [stream for stream in context.process.machine.scheduler.pending if stream.context is context]
