"""A run of a program whose actors take turns.

One at a time goes on, from one of its calls to the next.
Each actor has an OS thread, which waits for its turn. When an actor is about to make a call, waits, or ends, a chooser
picks what comes next: an actor, a stream that does its oldest work, or a process that dies. So a run is one order of
steps, and the same choices repeat the run.

The machine's calls come here through its lock, which :class:`MachineLock` replaces. Calls that wait come here through
the ``turns`` of the machine's census. A machine without orders pays nothing for this.
"""

from __future__ import annotations

import math
import threading
from collections import Counter
from contextlib import contextmanager, suppress
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any

from fakecuda.errors import EndlessWait, FakeCudaError
from fakecuda.machine.orders import touching
from fakecuda.machine.orders.actor import Actor, Halt, goes_on, nobody_can, nothing
from fakecuda.machine.orders.lock import MachineLock
from fakecuda.machine.orders.step import ALL, THREADS, USUAL, Step, Strayed
from fakecuda.machine.orders.streams import Streams
from fakecuda.model import history
from fakecuda.model.hooks import LOCK, TURNS
from fakecuda.model.work.stream import Stream
from fakecuda.model.work.stream_scheduler import can_advance, do_oldest
from fakecuda.model.work.waiting import GLANCE, is_first

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Machine, Process
    from fakecuda.machine.orders.step import Choose
    from fakecuda.model.effect import Act
    from fakecuda.model.os import process as process_state

BEGINS, OTHERS, ENDS = "begins", "waits for the other actors", "ends"
OWN = frozenset({BEGINS, OTHERS, ENDS})
"""The key of what the program does outside its own lines."""
UNWINDS = 1.0
"""Seconds for the actors to end if one of them is stuck outside of calls."""
STUCK = (
    "{name} has made no call for {wait_timeout:g} s: if it waits for another actor in Python code, let it wait with "
    "orders.wait(), so that the other actor can run"
)


class Turns:
    """The actors of a run, and their turns.

    Args:
        machine: The machine of the run.
        choose: Chooses what comes next.
        most: The maximum number of steps.

    Attributes:
        machine: The machine.
        steps: The steps so far.
    """

    def __init__(self, machine: Machine, choose: Choose, most: float = math.inf) -> None:
        self.machine = machine
        self._most = most
        self.steps: list[Step] = []
        self._failure: BaseException | None = None
        self._choose = choose
        self.main = Actor("main", machine.here, nothing)
        self.actors = {"main": self.main}
        self._own = {threading.get_ident(): self.main}
        self.mortal: dict[str, Process] = {}
        self._streams = Streams()
        self._over = False
        self._limit = machine.scheduler.wait_timeout
        self._unwound = threading.Semaphore(0)
        self._left: Actor | None = None
        self._launches: Counter[str] = Counter()
        if machine.races is not None:
            machine.races.watch_host(machine)

    def caller(self, what: str) -> Actor:
        """Return the actor that runs in the calling thread.

        Raises:
            FakeCudaError: The thread runs no actor; the text says where to make the call.
            Halt: The actor has to end.
        """
        actor = self._own.get(threading.get_ident())
        if actor is None:
            msg = (
                f"orders.{what}() was called in a thread of your own: call it in the explored program, or in a "
                "function that orders.start() runs"
            )
            raise FakeCudaError(msg)
        self._go_on(actor)
        return actor

    def _go_on(self, actor: Actor) -> None:
        """Return if an actor may go on.

        Raises:
            Halt: Its process has died, or the run is over.
            BaseException: In the main actor: the exception that ended the run.
        """
        if actor is self.main and self._failure is not None:
            raise self._failure
        if self._over or actor.dead:
            raise Halt

    def others(self, caller: Actor) -> tuple[Actor, ...]:
        """Return all actors except one and the program itself."""
        return tuple(one for one in self.actors.values() if one not in {caller, self.main})

    def join_all(self, what: str, caller: Actor, awaited: tuple[Actor, ...]) -> None:
        """Wait, in a step with a text, until actors have ended."""
        self.turn(caller, what, lambda: all(one.ended for one in awaited))
        self.steps[-1].after += [one.last for one in awaited]

    @contextmanager
    def taken(self) -> Iterator[None]:
        """Run the block as the program.

        After it, the actors run to their ends and streams finish their work.

        Raises:
            BaseException: An actor's exception, which ends the run.
        """
        main = self.main
        with self._installed():
            try:
                self.turn(main, BEGINS)
                yield
                self.join_all(OTHERS, main, self.others(main))
                self.turn(main, ENDS, lambda: not any(map(can_advance, self.machine.scheduler.pending)))
            except BaseException as error:  # noqa: BLE001 - the run's outcome
                self._fail(error)
            self._over = True
            main.end()
            main.answered(self.steps, self._record())
            for actor in self.actors.values():
                if not actor.ended:
                    self._unwind(actor)
            for actor in self.actors.values():
                if actor.thread is not None:
                    actor.thread.join(self._limit)
            self._lead([])
        if self._failure is not None:
            raise self._failure

    @contextmanager
    def _installed(self) -> Iterator[None]:
        """Direct the machine's calls to the turns during the block."""
        machine = self.machine
        take = LOCK.put(machine, TURNS, partial(MachineLock, turns=self))
        machine.scheduler.census.turns = self
        try:
            yield
        finally:
            machine.scheduler.census.turns = None
            take()

    def act(self, actor: Actor) -> None:
        """Run an actor when its first turn comes, and pass the turn on."""
        actor.gate.acquire()
        self._see_off()
        self._own[threading.get_ident()] = actor
        try:
            if not (self._over or actor.dead):
                self._lead(actor.acting)
                actor.function()
        except Halt:
            pass
        except BaseException as error:  # noqa: BLE001 - the run's outcome
            if not actor.dead:
                self._fail(error)
        actor.end()
        actor.answered(self.steps, self._record())
        following = self.main
        if not (self._over or actor.awaited):
            with suppress(Halt):
                following = self._next(actor)
        del self._own[threading.get_ident()]
        if actor.awaited:
            self._unwound.release()
        else:
            self._left = actor
            following.gate.release()

    def _see_off(self) -> None:
        """Wait for the OS thread of an actor that has ended.

        Objects that only that thread holds, also in C, call the driver when the thread ends.
        """
        left, self._left = self._left, None
        if left is not None:
            left.await_end(self._limit)

    def _fail(self, error: BaseException) -> None:
        """End the run with an exception; only the first exception counts."""
        if not self._over:
            self._failure, self._over = error, True

    def _unwind(self, actor: Actor) -> None:
        """End an actor that waits for its turn, and wait for its end."""
        actor.awaited = True
        actor.gate.release()
        if self._unwound.acquire(timeout=self._limit):
            actor.await_end(self._limit)

    def arrive(self, process: process_state.Process, call: str, args: tuple[Any, ...]) -> None:
        """Wait for the turn of an actor that is about to make a call.

        Other threads make their calls at once.
        """
        actor = self._own.get(threading.get_ident())
        if actor is not None:
            self.turn(actor, (call, args), caller=process)

    def mine(self) -> bool:
        """Return whether the calling thread runs an actor."""
        return threading.get_ident() in self._own

    def give(self) -> None:
        """Give the turn away in a call that waits, until the call can go on."""
        actor = self._own[threading.get_ident()]
        waits = self.machine.scheduler.census.waiting[threading.get_native_id()]

        def ready() -> bool:
            return waits.done() and is_first(self.machine, waits)

        self.turn(actor, f"waits in a call for {waits.what}", ready, caller=actor.caller, waits=True)

    def turn(
        self,
        actor: Actor,
        what: str | tuple[str, tuple[Any, ...]],
        ready: Callable[[], bool] | None = None,
        *,
        key: object = None,
        caller: process_state.Process | None = None,
        waits: bool = False,
    ) -> None:
        """Give the turn away, and return when the turn comes back.

        Args:
            actor: The actor that has the turn.
            what: What it does next: a call's name and arguments, or a text.
            ready: Returns whether it can.
            key: What it touches besides; None for nothing.
            caller: The calling process; None if the next step is not a call.
            waits: Whether its last call has not returned, but waits.

        Raises:
            Halt: Its process has died, or the run is over.
        """
        self._go_on(actor)
        if not waits:
            actor.answered(self.steps, self._record())
        actor.what, actor.ready, actor.key, actor.caller, actor.waits = what, ready, key, caller, waits
        actor.line = () if what in OWN else history.here(1)
        actor.acting = list(self.machine.acting)
        with suppress(Halt):
            following = self._next(actor)
            if following is not actor:
                following.gate.release()
                self._await(actor)
                self._see_off()
        self._lead(actor.acting)
        self._go_on(actor)

    def threads(self, kernel: str) -> int:
        """Return the number of the order in which a launch's threads run. 0 for the usual order."""
        name = self._choose(place := f"{kernel}@{self._launches[kernel]}", THREADS, USUAL)
        self._launches[kernel] += 1
        if name in THREADS:
            self.steps[-1].launches.append((place, name))
            return THREADS.index(name)
        self._fail(Strayed(place, name))
        return 0

    def _await(self, actor: Actor) -> None:
        """Wait for the turn. The main actor also checks that the others make progress."""
        wait_timeout = self.machine.scheduler.wait_timeout if actor is self.main else None
        seen = -1
        while not actor.gate.acquire(timeout=wait_timeout):
            if seen == (seen := len(self.steps)):
                self._limit = UNWINDS
                self._fail(EndlessWait(STUCK.format(name=self.steps[-1].name, wait_timeout=wait_timeout)))
                return

    def _next(self, giver: Actor) -> Actor:
        """Return the next actor.

        The work of streams and the deaths that come before it are done first.

        Raises:
            Halt: The run is over, because no actor can go on; or the giver's process has died.
        """
        while True:
            self._settle()
            with self.machine.lock:
                options = self._options()
            if not options:
                self._fail(EndlessWait(nobody_can(self.actors.values(), self.machine.scheduler.pending)))
                raise Halt
            if len(self.steps) >= self._most:
                self._fail(
                    EndlessWait(
                        f"the explored program has made {self._most:,} steps and has not ended: let it end, or wait "
                        "with orders.wait() instead of polling"
                    )
                )
                raise Halt
            default = goes_on(self.actors, giver, options, self.steps)
            name = self._choose(giver.place, tuple(options), default)
            if name not in options:
                self._fail(Strayed(giver.place, name))
                raise Halt
            step = Step(name, giver.place, tuple(options), default)
            if step.is_switch and isinstance(usual := options[default], Actor):
                step.usual = usual.what, usual.line
            self.steps.append(step)
            chosen = options[name]
            if isinstance(chosen, Actor):
                step.by_actor = True
                chosen.begin(step, len(self.steps) - 1, self._record())
                return chosen
            if isinstance(chosen, Stream):
                step.what = f"does its oldest work ({chosen})"
                step.after += self._streams.before(chosen)
                touching.work(step, chosen.work[0])
                with self.machine.lock:
                    do_oldest(self.machine, chosen)
            else:
                step.what = "dies"
                step.writes(ALL)
                self._kill(chosen)
                if giver.dead and not giver.ended:
                    raise Halt

    def _options(self) -> dict[str, Actor | Stream | Process]:
        """Return the possible next steps by name."""
        found: dict[str, Actor | Stream | Process] = {}
        for name, actor in self.actors.items():
            if not actor.can_go_on():
                actor.woken_by = len(self.steps)
            else:
                found[name] = actor
        pending = list(self.machine.scheduler.pending)
        self._streams.note(pending, self.steps)
        found |= {self._streams.names[stream]: stream for stream in pending if can_advance(stream)}
        if any(isinstance(one, Actor) for one in found.values()):
            found |= {name: process for name, process in self.mortal.items() if process.alive}
        return found

    def _record(self) -> Any:
        """Return the record of the last call."""
        return self.machine.calls[-1] if self.machine.calls else None

    def note(self, act: Act) -> None:
        """Note what an effect of the current step touches."""
        outer: Act | None = act
        while outer is not None and outer.effect.name != touching.WORK:
            outer = outer.outer
        if self.steps:
            touching.act(self.steps[-1], act, called=outer is None)

    def _kill(self, process: Process) -> None:
        """Make a process die, with its actors."""
        self.machine.end(process)
        giver = self._own.get(threading.get_ident())
        for actor in self.actors.values():
            if actor.process is process and not actor.ended:
                actor.dead = True
                if actor is not giver:
                    self._unwind(actor)

    def _settle(self) -> None:
        """Wait until running host functions have returned."""
        machine = self.machine
        limit = monotonic() + machine.scheduler.wait_timeout
        while any(worker.busy for worker in machine.scheduler.workers):
            with machine.lock:
                machine.scheduler.progress.wait(GLANCE)
            if monotonic() > limit:
                self._fail(EndlessWait("a host function that a stream has called does not return"))
                raise Halt

    def _lead(self, wanted: list[Process]) -> None:
        """Run code of this OS process as an actor's processes, the innermost last."""
        machine = self.machine
        if machine.lead is not None and machine.acting != wanted:
            while machine.acting:
                machine.lead(None)
            for process in wanted:
                machine.lead(process)
