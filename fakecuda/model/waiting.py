"""Calls that wait: for work of streams, for functions of the host, for devices of a multicast object.

What can be done is done first; then other threads' calls go on until one of them, a function of the host or the host
itself has brought about what the call waits for. A wait that nobody can end, which :mod:`fakecuda.model.wakers` decides,
ends at once; others end when the machine's patience does.
"""

from __future__ import annotations

import threading
from time import monotonic
from typing import TYPE_CHECKING

from attrs import define, field

from fakecuda.errors import EndlessWait
from fakecuda.model import queueing, wakers
from fakecuda.model.call import under_way
from fakecuda.model.queueing import advance_one, before, unfinished

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from fakecuda.model.context import Context
    from fakecuda.model.machine import Machine
    from fakecuda.model.stream import Stream, Work
    from fakecuda.model.wakers import Wakers

GLANCE = 0.001
"""Seconds between two looks at what a call waits for: the host can write memory without a call."""
CENSUS = 0.05
"""Seconds between two looks at who could wake it: threads and processes end without a call."""
STRANGERS = 30
"""What a machine's patience is divided by where nobody could wake a call but those who never called the machine."""


@define(eq=False)
class Wait:
    """A call that waits.

    Attributes:
        what: What it waits for.
        done: Whether that has come.
        who: The call, its thread and its process.
        began: When it began to wait, seconds of the system's clock.
        census: When it looks next at who could wake it.
        end: The error that ends it, since another call has found that each waits for the others.
    """

    what: object
    done: Callable[[], bool]
    who: str
    began: float = field(factory=lambda: monotonic())  # noqa: PLW0108 - tests replace the clock
    census: float = 0.0
    end: EndlessWait | None = None

    def __str__(self) -> str:
        return f"{self.who} waits for {self.what}"


def wait(
    machine: Machine,
    what: object,
    done: Callable[[], bool],
    streams: Callable[[], Iterable[Stream]] = tuple,
) -> None:
    """Return when something is so; other threads' calls go on meanwhile.

    Args:
        machine: The machine; the caller holds its lock.
        what: What is waited for, as an error shows it.
        done: Whether it is so.
        streams: Yields those whose work brings it about; their work comes first where completion is manual.

    Raises:
        EndlessWait: Nobody can bring it about, or nobody has in the time that the machine's patience leaves.
    """

    def over() -> bool:
        while not done():
            if not any(advance_one(machine, stream) for stream in list(streams())):
                queueing.advance(machine)
                return done()
        return True

    if over():
        return
    call = under_way()
    who = f"{call[1].name} in thread {call[0].thread.name} of {call[0].process}" if call else "the program"
    number, this = threading.get_native_id(), Wait(what, done, who)
    outer = machine.census.waiting.get(number)  # a signal's handler may call while a call waits
    try:
        machine.census.waiting[number] = this
        while True:
            _go_on(machine, this)
            machine.progress.wait(GLANCE)
            if this.end is None and over():
                return
    finally:
        machine.census.waiting.pop(number, None)
        if outer is not None:
            machine.census.waiting[number] = outer


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
    found = wakers.find(machine)
    if not (found.callers or found.strangers):
        for other in machine.census.waiting.values():
            other.end = EndlessWait(wakers.proof(machine, other))
        machine.progress.notify_all()
        assert this.end is not None
        raise this.end
    patience = machine.patience if found.callers else machine.patience / STRANGERS
    if now - this.began > patience:
        raise outlasted(machine, this, patience, found)


def outlasted(machine: Machine, this: Wait, patience: float, found: Wakers) -> Exception:
    """Return what ends a wait that has outlasted the machine's patience, of so many seconds."""
    return EndlessWait(wakers.surmise(machine, this, patience, found))


def finish(context: Context, stream: Stream | None = None) -> None:
    """Wait for the work of a stream and what comes before it, or of a whole context."""
    machine = context.process.machine
    if not machine.pending:
        return

    if stream is None:
        wait(machine, context, lambda: not _of(context), lambda: _of(context))
    else:
        wait(machine, stream, lambda: not unfinished(stream), lambda: [*before(stream), stream])


def release(context: Context) -> None:
    """Wait for the work of a context, and for that of others that uses its memory.

    Raises:
        EndlessWait: It does not come to be done.
    """
    machine = context.process.machine

    def using() -> list[Stream]:
        return [
            stream
            for stream in machine.pending
            if stream.context is context
            or any(getattr(item, "context", None) is context for work in stream.work for item in work.needs.memory)
        ]

    wait(machine, context, lambda: not using(), using)


def drop_work(machine: Machine, *contexts: Context) -> None:
    """Forget the work of contexts that end; what waited for it goes on.

    Functions of the host that were begun return first, for they may use memory that goes with the contexts.

    Raises:
        EndlessWait: One does not return.
    """
    begun: list[Work] = []
    for context in contexts:
        own = [stream for stream in machine.pending if stream.context is context]
        worker, context.worker = context.worker, None
        if worker is not None:
            worker.stop()
            if worker.thread is not threading.current_thread():
                begun += [work for stream in own for work in stream.work if work.begun]
        for stream in own:
            for work in stream.work:
                work.done = True
            stream.work.clear()
            del machine.pending[stream]
    if begun:
        wait(machine, "functions of the host that run", lambda: not any(work.begun for work in begun))
    queueing.look(machine)


def _of(context: Context) -> list[Stream]:
    """Return the streams of a context that have work left."""
    return [stream for stream in context.process.machine.pending if stream.context is context]
