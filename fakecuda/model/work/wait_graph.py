"""Which threads and processes can still wake a waiting call.

All work that can be done is done when a call begins to wait. After that it can be woken by

- the host, if a stream waits for a value in memory that the host can write without a call;
- a host function that runs;
- another thread that has made or called the machine, or began after the machine was made: it may call. One that is older
  and never called it (a library's) is a stranger, of which hardly anybody expects that. The receiver of a pytest-xdist worker
  is not even that: :mod:`fakecuda.model.work.bystander` says why;
- a handler of a signal, which calls as rarely;
- another OS process, of a machine that is shared.

A machine that serves several tests looks at the processes of one test, a group, if those have given nothing to other processes and
taken nothing from them: who cannot reach the memory and the events of a group ends no wait for its work.

Who waits in the machine itself can wake no other call, and neither can a thread that is blocked until one of those goes on, as
:mod:`fakecuda.model.work.blocked` tells. Where no other thread is left, each waits for the others, and all of them end.
"""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING, NamedTuple, Protocol

from attrs import define, field

from fakecuda.model import history
from fakecuda.model.os.threads import SERVANTS, running
from fakecuda.model.work import blocked, bystander, remedy
from fakecuda.model.work.blocked import FOREVER, Held, Look

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fakecuda.model.machine import Machine
    from fakecuda.model.os.process import Process
    from fakecuda.model.work.deadlock import Deadlock
    from fakecuda.model.work.waiting import Wait
    from fakecuda.model.work.worker import Worker

FEW = 100
SIGNALS = sorted(signal.valid_signals())


def no_group(_: Process) -> None:
    """Return the group of a process if the machine serves one test."""


class Turns(Protocol):
    """The scheduler of threads that take turns."""

    def mine(self) -> bool:
        """Return whether the calling thread takes turns.

        Streams then execute work only when it is their turn, even if a call waits for the work.
        """

    def give(self) -> None:
        """Give up the turn, and return when the wait may be over.

        An exception ends the wait.
        """

    def threads(self, kernel: str) -> int:
        """Return the number of the order in which a launch's threads run. 0 for the usual order."""


@define(eq=False)
class WaitGraph:
    """The threads that call a machine, and the calls that wait in it.

    Attributes:
        older: The OS's ids of the threads that ran before the machine was made.
        maker: That of the thread that made it.
        callers: Those of the threads that have called it.
        enough: How many callers there are when those are forgotten that have ended.
        waiting: The calls that wait, by the ids of their threads.
        alone: Whether it is known that no other call comes while a call waits, whatever threads and processes there are.
        look: The look that is under way, for ``outside`` to note who is blocked.
        standing: The calls that wait, with their text, since it was seen that nothing can wake them before a limit is over.
    """

    older: frozenset[int] = field(factory=lambda: running())  # noqa: PLW0108 - tests say who runs
    maker: int = field(factory=threading.get_native_id)
    callers: set[int] = field(factory=set)
    enough: int = field(default=FEW, init=False)
    waiting: dict[int, Wait] = field(factory=dict)
    group: Callable[[Process], object] = no_group
    """Hook: returns what is the same for the processes of one test. Set while one machine serves several tests.

    Called with the process of a call that waits, with the lock held. It must not wait. Waits of other groups are not reported
    beside the call.
    """
    members: Callable[[object], list[str]] = lambda _: []
    """Hook: returns which OS processes of a group may call, in words. Set while one machine serves several tests.

    Called with what ``group`` returns, with the lock held. It must not call the driver.
    """
    outside: Callable[[], list[str]] = list
    """Hook: returns which other OS processes may call, in words. Set by an offer of the machine until it is closed.

    Called without arguments for each look at who could wake a call, with the lock held. It must not call the driver.
    """
    attend: Callable[[], None] | None = None
    """Hook: serves the calls of the waiting thread's own client. Set while processes are attached, else None.

    Called without arguments between two looks of a call that waits, without the lock. What it raises ends the wait. It must not
    keep the lock.
    """
    turns: Turns | None = None
    """Hook: gives the turn away for a call that waits. Set while the program of a schedule runs, else None.

    ``mine`` is called with the lock held, ``give`` without it. What ``give`` raises ends the wait. Neither must call the driver.
    """
    alone: bool = False
    look: Look = field(factory=lambda: Look(FOREVER), init=False)
    standing: Deadlock | None = field(default=None, init=False)

    def calls(self, number: int) -> None:
        """Record a thread that has called, by its native id.

        Sometimes remove ended threads.
        """
        self.callers.add(number)
        if len(self.callers) > self.enough:
            self.callers &= running()
            self.enough = FEW + 2 * len(self.callers)

    @property
    def grouped(self) -> bool:
        """Whether the machine serves several tests."""
        return self.group is not no_group

    def of_group(self, group: object) -> dict[int, Wait]:
        """Return the waiting calls of a group by thread id; all calls for the group None."""
        return {
            number: one
            for number, one in self.waiting.items()
            if group is None or (one.thread is not None and self.group(one.thread.process) == group)
        }

    def fork(self) -> None:
        """Start again in a forked child, which has only the forking thread."""
        self.older, self.maker = running(), threading.get_native_id()
        self.callers.clear()
        self.waiting.clear()


class Wakers(NamedTuple):
    """The threads and processes that can wake the waiting calls, as descriptions.

    Attributes:
        callers: Those that are expected to call.
        strangers: Those that are older than the machine and never called it.
        held: Those that are blocked and cannot wake a call.
        timed: Those that are blocked until a time limit of their own is over.
        marks: A value that changes once one of ``held`` has run.
        alert: Whether one of the callers is not blocked.
    """

    callers: list[str]
    strangers: list[str]
    held: list[Held]
    timed: list[Held]
    marks: object
    alert: bool


def find(machine: Machine, limit: float = FOREVER, group: object = None) -> Wakers:
    """Return which threads and processes can wake the waiting calls.

    The caller holds the lock.

    Args:
        machine: The machine.
        limit: How many seconds from now a thread must stay blocked to count as unable to wake a call.
        group: Whose calls, as ``WaitGraph.group`` returns it; None for all calls.
    """
    census = machine.scheduler.census
    waiting = census.of_group(group)
    workers = {worker.thread.native_id or 0: worker for worker in machine.scheduler.workers if worker.thread.is_alive()}
    # A function may return meanwhile, without the lock: what is idle before the waits are looked at has ended those it can end.
    idle = {number for number, worker in workers.items() if not worker.busy}
    callers = [*_hosts(machine, group)]
    callers += [f"{other.who}, whose wait is over" for other in waiting.values() if other.done()]
    look = census.look = Look(limit)
    if census.alone:
        busy = workers.keys() - waiting.keys() - idle
        callers += [f"{worker.name}, which run" for number, worker in workers.items() if number in busy]
        return Wakers(callers, [], look.held, look.timed, look.marks, bool(callers))
    look.alert = bool(callers)
    if group is None:
        callers += census.outside()
        inside = look.members.get(os.getpid(), set())
        numbers = (running() - SERVANTS | workers.keys()) - waiting.keys() - inside - idle
        silent = _own(machine, callers, numbers, workers)
    else:
        callers += [*census.members(group), *_strangers(machine, group, waiting.values())]
        own = {number: one for number, one in workers.items() if census.group(one.process) == group}
        silent = _own(machine, callers, frozenset(own.keys() - waiting.keys() - idle), own)
    callers += look.free()
    bystanders = bystander.are(silent.keys())
    strangers = [who for number, who in silent.items() if number not in bystanders]
    if group is None and not (callers or strangers):
        strangers += _handlers()
    return Wakers(callers, strangers, look.held, look.timed, look.marks, look.alert)


def _own(machine: Machine, callers: list[str], numbers: frozenset[int], workers: dict[int, Worker]) -> dict[int, str]:
    """Return threads of this OS process that never called the machine.

    Args:
        machine: The machine.
        callers: Descriptions of threads that can wake a call.
        numbers: The threads.
        workers: The threads that run host functions.
    """
    census = machine.scheduler.census
    look, silent = census.look, dict[int, str]()
    names = {thread.native_id: thread.name for thread in threading.enumerate()}
    frames = blocked.frames()
    for number in sorted(numbers):
        frame = frames.get(number)
        name = f"thread {names.get(number, 'of no Python')} ({number})"
        if number in workers:
            name = workers[number].name
        by = blocked.why(number, frame)
        if look.takes(name, by, history.of(frame)) or (by is None and blocked.idle_service(number, os.getpid())):
            continue
        called = number in workers or number in {census.maker, *census.callers} or number not in census.older
        look.alert |= called and by is None
        if number in workers:
            callers.append(f"{name}, which run")
        elif number in census.callers:
            callers.append(f"{name}, which has called the machine")
        elif number == census.maker:
            callers.append(f"{name}, which made the machine")
        elif number not in census.older:
            callers.append(f"{name}, which began after the machine was made")
        else:
            silent[number] = f"{name}, which never called the machine"
    return silent


def _strangers(machine: Machine, group: object, waits: Iterable[Wait]) -> Iterator[str]:
    """Yield how processes of other groups can end waits of a group.

    They have none of its memory and events, if none of its processes has given or taken any. Then they can end no wait for
    its work, but other waits: for an event of a card, or for a process that another one unlocks.
    """
    yield from (f"another process, which can end the wait for {one.what}" for one in waits if isinstance(one.what, str))
    for process in machine.processes.values():
        if machine.scheduler.census.group(process) == group and process.ipc.shares:
            yield f"another process, which can have memory or events of {process}"


def _hosts(machine: Machine, group: object) -> Iterator[str]:
    """Yield the values that the host can write to end waits of a group."""
    hidden = [device.memory for device in machine.devices]
    for stream in machine.scheduler.pending:
        if group is not None and machine.scheduler.census.group(stream.context.process) != group:
            continue
        value = remedy.value_of(stream.work[0])
        if value is not None and not (value.endless or any(value.memory is memory for memory in hidden)):
            yield f"the host, which can write {value}"


def _cancels(function: object) -> bool:
    """Return whether a signal handler is ``asyncio.run``'s handler of Ctrl-C."""
    return getattr(function, "__module__", "") == "asyncio.runners"


def _handlers() -> Iterator[str]:
    for number in SIGNALS:
        handler = signal.getsignal(number)
        function = getattr(handler, "func", handler)
        if callable(handler) and function is not signal.default_int_handler and not _cancels(function):
            yield f"the handler of {signal.Signals(number).name}"
