"""Calls that wait for streams, host functions or devices of a multicast object.

Work that can be executed is executed first. Then other threads make calls until the wait is over. One of them, a host
function or the host itself can end it. If :mod:`fakecuda.model.work.wait_graph` finds that nothing can end a
wait, it ends at once. Other waits end when the machine's wait timeout is over. :mod:`fakecuda.model.work.deadlock` reports
both.

A call's checks may be outdated after its wait: its process may have ended, its machine may be closed, or its memory may
be freed. A call that acts after waiting is therefore run again (:class:`~fakecuda.model.call.RetryCall`). It does not
wait again for the same stream or context. A call that only waits is not run again. An H200 returns success for it,
whatever was destroyed meanwhile (``conformance/data/recordings/h200/waits.jsonl.gz``). A call waits for the work that existed when the wait
began.
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
"""Seconds between two checks of a wait's condition: hosts write without calls."""
CENSUS = 0.05
"""Seconds between two checks for threads and processes that could wake a call."""
DEFERENCE = 100
"""The number of checks for which an ended wait lets earlier waits go first."""
STRANGERS = 30
"""The divisor of the wait timeout if only unknown threads could wake a call."""


@define(eq=False)
class Wait:
    """A waiting call.

    Attributes:
        what: What it waits for.
        done: Returns whether the wait is over.
        who: The call, its thread and its process.
        late: Whether calls that wait at the same time go first, even if they began later.
        began: When it began to wait, in seconds of the system's clock.
        within: The most seconds that it waits. None for the machine's wait timeout.
        census: When it looks next at who could wake it.
        end: The exception that ends it, after another call has found a deadlock.
        stack: The stack that called.
        thread: The thread of the model that calls. None for the program itself.
        marks: A value from the last look, which changes once a blocked thread has run.
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
        """The process id and command line of another OS process; empty for this one."""
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
    """Wait for a condition, while other threads make calls; earlier waits end first.

    Args:
        machine: The machine; the caller holds its lock.
        what: What is waited for, as errors show it.
        done: Returns whether the condition holds.
        streams: Yields the streams whose work makes it hold. With manual completion their work is executed first.
        last: Whether the call does not act after the wait, so that it need not run again.
        late: Whether all other calls whose waits are over go first. Calls in a context that is destroyed do so.
        within: The most seconds to wait. None for no limit of the caller's.

    Raises:
        RetryCall: The condition holds, and other calls were made meanwhile.
        EndlessWait: The condition can never hold, or did not hold before the machine's wait timeout was over.
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
    """Return whether no other waiting call whose wait is over goes first."""
    waits = list(machine.scheduler.census.waiting.values())
    earlier = waits[: waits.index(this)]
    before = earlier + [one for one in waits if not one.late] if this.late else [one for one in earlier if not one.late]
    return not any(one.done() for one in before if one is not this)


def glance(machine: Machine) -> None:
    """Let other threads' calls and signal handlers run for a moment.

    The caller holds the machine's lock.

    Meanwhile an attached process may call in the thread of the waiting call, or end the wait.
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
            lock._acquire_restore(held)  # noqa: SLF001 - as conditions do
    machine.scheduler.progress.wait(GLANCE)


def give_turn(machine: Machine, turns: Turns) -> None:
    """Give up the turn, without the machine's lock, until the wait may be over.

    The caller holds the lock.
    """
    lock: Any = machine.lock
    held = lock._release_save()  # noqa: SLF001 - as conditions do
    try:
        turns.give()
    finally:
        lock._acquire_restore(held)  # noqa: SLF001 - as conditions do


WAITING.update((glance.__code__, give_turn.__code__, await_ending.__code__))


def _go_on(machine: Machine, this: Wait) -> None:
    """Return if a call may keep waiting; raise an exception otherwise.

    Raises:
        EndlessWait: The wait has to end.
    """
    if this.end is not None:
        raise this.end
    now = monotonic()
    if now < this.census:
        return
    this.census = now + CENSUS
    census = machine.scheduler.census
    group = census.group(this.thread.process) if this.thread else None
    waits = list(census.of_group(group).values())
    found = wait_graph.find(machine, _left(machine, now, waits), group)
    stuck = not (found.callers or found.strangers)
    over = this.within is not None and now - this.began > this.within
    if over and (this.within == 0 or threading.get_native_id() not in machine.scheduler.untimed):
        raise EndlessWait(str(this))  # the caller handles it
    if stuck:
        same, this.marks = found.marks == this.marks, found.marks
        sure = same or not found.held  # otherwise a blocked thread may have just been woken
        if sure and this.within is not None:
            raise EndlessWait(str(this))  # the caller handles it
        # A call that stops waiting may wake this one.
        if sure and not any(one.within is not None for one in waits):
            _end_all(machine, waits, found)
            assert this.end is not None
            raise this.end
    elif found.timed and not found.alert and not census.grouped:
        deadlock.stands(machine, found)
    wait_timeout = machine.scheduler.wait_timeout
    if found.strangers and not found.callers:
        wait_timeout /= STRANGERS
    if now - this.began > wait_timeout:
        raise outlasted(machine, this, wait_timeout, found)


def _left(machine: Machine, now: float, waits: Iterable[Wait]) -> float:
    """Return the remaining seconds of the wait timeout, for the latest wait.

    The result is at least the wait timeout over ``STRANGERS``, so that no thread polls for longer.
    """
    latest = max(one.began for one in waits)
    wait_timeout = machine.scheduler.wait_timeout
    return max(latest + wait_timeout - now, wait_timeout / STRANGERS)


def _end_all(machine: Machine, waits: list[Wait], found: Wakers) -> None:
    """End waiting calls of a machine that nothing else can end."""
    made = deadlock.proved(machine, waits, found)
    others = "the calls wait for each other: " if len(waits) > 1 else ""
    limited = any(one.by.left < FOREVER for one in found.held)
    time = (
        f" within the machine's time limit for waits (wait_timeout={machine.scheduler.wait_timeout:g} s)"
        if limited
        else ""
    )
    for other in waits:
        other.end = made.error(machine, other, f"{others}no other thread or process can end the wait{time}")
    machine.scheduler.progress.notify_all()


def outlasted(machine: Machine, this: Wait, wait_timeout: float, found: Wakers) -> Exception:
    """Return the exception that ends a wait after ``wait_timeout`` seconds."""
    made = deadlock.outlasted(machine, this, wait_timeout, found)
    return made.error(machine, this, f"nothing has ended the wait within {wait_timeout:g} s")


def finish(
    context: Context,
    stream: Stream | None = None,
    *,
    last: bool = False,
    all_of_it: bool = False,
    within: float | None = None,
) -> None:
    """Wait for the current work of a stream, or of a context.

    Args:
        context: The context.
        stream: The stream; None for all of the context.
        last: As for :func:`wait`.
        all_of_it: Whether to wait also for work that is queued during the wait.
        within: As for :func:`wait`.

    Raises:
        FakeCudaError: As for :func:`wait`.
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
    """Wait for the work of a context, and other work on the context's memory.

    Raises:
        EndlessWait: The work does not end.
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
    """Drop the work of contexts that end, and continue work that waited for it.

    Host functions that have begun return first, because they may use memory of the contexts.

    Raises:
        EndlessWait: A host function does not return.
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
        wait(machine, "running host functions", lambda: not any(work.begun for work in begun), last=True)
    stream_scheduler.look(machine)


def _of(context: Context) -> list[Stream]:
    """Return the streams of a context that have work."""
    return [stream for stream in context.process.machine.scheduler.pending if stream.context is context]
