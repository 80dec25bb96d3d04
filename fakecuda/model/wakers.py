"""Who can still wake a call that waits, and what its error says.

All work that can be done is done when a call begins to wait. From then on it can be woken by

- the host, where a stream waits for a value in memory that the host can write, which needs no call;
- a function of the host that runs;
- another thread that has called the machine, or began after the machine was made: it may call. One that is older and
  never called it (a test runner's, a library's) is a stranger, of which hardly anybody expects that;
- a handler of a signal, which calls as rarely;
- another OS process, of a machine that is shared.

Who waits in the machine itself can wake nobody: where nobody else is left, each waits for the others, and all of them end.
"""

from __future__ import annotations

import signal
import threading
from typing import TYPE_CHECKING, NamedTuple, Protocol

from attrs import define, field

from fakecuda.model.threads import SERVANTS, running

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.model.machine import Machine
    from fakecuda.model.waiting import Wait

ENDLESS = (
    "no memory that the host can write is waited for, no function of the host runs, no process is attached, and no other "
    "thread has called the machine or began after it: bring it about before the call, or from another thread"
)
FEW = 100
SIGNALS = sorted(signal.valid_signals())


class Turns(Protocol):
    """By whose leave threads go on that take turns."""

    def mine(self) -> bool:
        """Return whether the calling thread takes turns: streams then do their work when theirs has come, also for a call that waits."""

    def give(self) -> None:
        """Let others come, and return when what the calling thread waits for may be there; what it raises ends the wait."""


@define(eq=False)
class Census:
    """Who calls a machine, and who waits in it.

    Attributes:
        older: The OS's ids of the threads that ran before the machine was made.
        callers: Those of the threads that have called it.
        enough: How many callers there are when those are forgotten that have ended.
        waiting: The calls that wait, by the ids of their threads.
        outside: Returns which other OS processes may call, in words.
        attend: Called between two looks of a call that waits, without the machine's lock; None for nothing. What it raises
            ends the wait.
        turns: By whose leave calls go on that wait; None where each looks for itself.
        alone: Whether it is known that nobody calls while a call waits, whatever threads and processes there are.
    """

    older: frozenset[int] = field(factory=lambda: running())  # noqa: PLW0108 - tests say who runs
    callers: set[int] = field(factory=set)
    enough: int = field(default=FEW, init=False)
    waiting: dict[int, Wait] = field(factory=dict)
    outside: Callable[[], list[str]] = list
    attend: Callable[[], None] | None = None
    turns: Turns | None = None
    alone: bool = False

    def calls(self, number: int) -> None:
        """Note that the OS thread of that id has called; those that have ended are forgotten, at times."""
        self.callers.add(number)
        if len(self.callers) > self.enough:
            self.callers &= running()
            self.enough = FEW + 2 * len(self.callers)

    def fork(self) -> None:
        """Go on in a forked child of the OS process, of whose threads only the one that forked is there."""
        self.older = running()
        self.callers.clear()
        self.waiting.clear()


class Wakers(NamedTuple):
    """Who can wake the calls that wait, in words.

    Attributes:
        callers: Those of whom it must be expected.
        strangers: Those who never called the machine and were there before it.
    """

    callers: list[str]
    strangers: list[str]


def find(machine: Machine) -> Wakers:
    """Return who can wake the calls that wait in a machine; its lock is held."""
    census = machine.census
    waiting = census.waiting
    workers = {worker.thread.native_id: worker for worker in machine.workers if worker.thread.is_alive()}
    callers = [*_hosts(machine)]
    callers += [
        f"{worker.name}, which run" for number, worker in workers.items() if worker.busy and number not in waiting
    ]
    strangers: list[str] = []
    if census.alone:
        return Wakers(callers, strangers)
    callers += [f"{other.who}, whose wait is over" for other in waiting.values() if other.done()]
    callers += census.outside()
    names = {thread.native_id: thread.name for thread in threading.enumerate()}
    for number in sorted(running() - waiting.keys() - workers.keys() - SERVANTS):
        name = f"thread {names.get(number, 'of no Python')} ({number})"
        if number in census.callers:
            callers.append(f"{name}, which has called the machine")
        elif number not in census.older:
            callers.append(f"{name}, which began after the machine was made")
        else:
            strangers.append(f"{name}, which never called the machine")
    if not (callers or strangers):
        strangers += _handlers()
    return Wakers(callers, strangers)


def _hosts(machine: Machine) -> Iterator[str]:
    """Yield the values that streams wait for in memory that is not the devices' alone."""
    hidden = [device.memory for device in machine.devices]
    for stream in machine.pending:
        ready = stream.work[0].ready
        if ready is not None and ready.memory is not None and not any(ready.memory is memory for memory in hidden):
            yield f"the host, which can write {ready}"


def _handlers() -> Iterator[str]:
    for number in SIGNALS:
        handler = signal.getsignal(number)
        if callable(handler) and handler is not signal.default_int_handler:
            yield f"the handler of {signal.Signals(number).name}"


def proof(machine: Machine, this: Wait) -> str:
    """Return the text of the error for a wait that nobody can end."""
    others = [str(other) for other in machine.census.waiting.values() if other is not this]
    told = "each call waits for the others, and nobody else" if others else "nobody"
    return "\n  ".join([f"{this}, and {told} can bring that about", *others, *_streams(machine), ENDLESS])


def surmise(machine: Machine, this: Wait, patience: float, found: Wakers) -> str:
    """Return the text of the error for a wait that has outlasted a patience of so many seconds."""
    return "\n  ".join(
        [
            f"{this}, and nobody has brought that about in {patience:g} s",
            *_streams(machine),
            *(f"could have: {who}" for who in [*found.callers, *found.strangers]),
            f"bring it about, or give the machine more than patience={machine.patience:g}, in seconds, if it takes longer",
        ]
    )


def _streams(machine: Machine) -> Iterator[str]:
    """Yield what each stream that has work left waits for."""
    for stream in machine.pending:
        work = stream.work[0]
        if work.running:
            what = "a function of the host that has not returned"
        elif work.ready is not None and not work.ready():
            what = str(work.ready)
        else:
            what = "work that comes before its own"
        yield f"{stream} waits for {what}"
