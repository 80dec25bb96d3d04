"""Actors: functions of a program that take turns."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.machine.orders import touching
from fakecuda.machine.orders.step import PYTHON
from fakecuda.model.os.threads import await_ending
from fakecuda.model.work.stream import Stream
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from fakecuda import Process
    from fakecuda.machine.orders.step import Step
    from fakecuda.model.history import Stack
    from fakecuda.model.os import process as process_state


class Halt(BaseException):
    """Ends an actor whose process has died or whose run is over.

    Attributes:
        ends_thread: True. A call through C answers UNKNOWN then, and is no mistake of the simulator.
    """

    ends_thread = True


def nothing() -> None:
    """Do nothing: the function of the main actor, and of an ended actor."""


@define(eq=False)
class Actor:
    """A function that makes its calls in turns.

    Attributes:
        name: Its name in orders.
        process: The simulated process of its code.
        function: The function.
        steps: The number of steps it has made.
        what: What it does next.
        line: The stack of its next step.
        ready: Returns whether it can go on; None if it always can.
        key: What its next step touches besides its call; None for nothing.
        ended: Whether the function has returned.
        dead: Whether its process has died.
        polled: Whether its last call answered NOT_READY.
        waits: Whether it waits in a call.
        caller: The process that makes the call of its last or next step; None if that is not a call.
        gate: The semaphore at which it waits for its turn.
        acting: The processes as which code ran when it gave its turn away, the innermost last.
        thread: Its OS thread.
        last: The number of its last step.
        awaited: Whether another thread waits for its end.
        started_by: The number of the step that started it, until its first step.
        woken_by: The number of the step that unblocked it; None if it was never blocked.
        record: The record of the last call at the beginning of its last step.
    """

    name: str
    process: Process = field(repr=False)
    function: Callable[[], object] = field(repr=False)
    steps: int = 0
    what: str | tuple[str, tuple[Any, ...]] = field(default="begins", repr=False)
    line: Stack = field(default=(), repr=False)
    ready: Callable[[], bool] | None = field(default=None, repr=False)
    key: Any = field(default=None, repr=False)
    ended: bool = False
    dead: bool = False
    polled: bool = field(default=False, repr=False)
    waits: bool = field(default=False, repr=False)
    caller: process_state.Process | None = field(default=None, repr=False)
    gate: threading.Semaphore = field(factory=lambda: threading.Semaphore(0), repr=False)
    acting: list[Process] = field(factory=list, repr=False)
    thread: threading.Thread | None = field(default=None, repr=False)
    last: int = field(default=-1, repr=False)
    awaited: bool = field(default=False, repr=False)
    started_by: int | None = field(default=None, repr=False)
    woken_by: int | None = field(default=None, repr=False)
    record: Any = field(default=None, repr=False)

    @property
    def place(self) -> str:
        """The actor's name and number of steps, as in schedules."""
        return f"{self.name}@{self.steps}"

    def can_go_on(self) -> bool:
        """Return whether the actor can make its next step.

        A condition that raises counts as true and raises again there.
        """
        if self.ended or self.dead:
            return False
        try:
            return self.ready is None or bool(self.ready())
        except Exception:  # noqa: BLE001 - the condition is the program's
            return True

    def begin(self, step: Step, place: int, record: Any) -> None:
        """Note the actor's next step, and the objects of the step.

        Args:
            step: The step.
            place: Its number.
            record: The record of the last call.
        """
        step.what, step.line = self.what, self.line
        if self.started_by is not None:
            step.after.append(self.started_by)
            self.started_by = None
        if self.woken_by is not None:
            step.after.append(self.woken_by)
            self.woken_by = None
        step.writes((PYTHON, self.process))
        if self.key is not None:
            step.writes(self.key)
        if isinstance(self.what, tuple) and self.caller is not None:
            touching.call(step, self.caller, *self.what)
        elif self.caller is not None:
            step.writes((PYTHON, self.caller))
        self.steps += 1
        self.last = place
        self.record = record

    def answered(self, steps: Sequence[Step], record: Any) -> None:
        """Note the answer of the call in the actor's last step.

        Args:
            steps: The steps so far.
            record: The record of the last call.
        """
        self.polled = False
        if self.caller is not None:
            code = None if record is self.record else record[3]
            touching.answered(steps[self.last], code)
            self.polled = code == Result.NOT_READY
            self.caller = None

    def end(self) -> None:
        """Mark the actor as ended, and drop its function and its condition.

        Both refer back to the actor.
        """
        self.ended, self.function, self.ready = True, nothing, None

    def await_end(self, limit: float) -> None:
        """Wait until the actor's OS thread has ended, with its C destructors."""
        assert self.thread is not None
        self.thread.join(limit)
        await_ending()


def goes_on(
    actors: Iterable[str], giver: Actor, options: Mapping[str, Actor | Stream | Process], steps: Sequence[Step]
) -> str:
    """Return which actor makes the next step without a switch.

    The current actor, unless its last call answered NOT_READY.

    Args:
        actors: The names of the actors, oldest first.
        giver: The actor that gives the turn away.
        options: The actors, streams and processes that can come next, by name.
        steps: The steps so far.
    """
    names = list(actors)
    turn = names.index(giver.name)
    able = [name for name in (*names[turn:], *names[:turn]) if name in options]
    streams = [name for name, one in options.items() if isinstance(one, Stream)]
    if steps and steps[-1].name in streams:
        return steps[-1].name
    if giver.polled and giver.name in options:
        able = [*able[1:], able[0]]
    if giver.polled or (giver.waits and giver.name not in options):
        return (streams or able)[0]
    return (able or streams)[0]


def nobody_can(actors: Iterable[Actor], pending: Iterable[Stream]) -> str:
    """Return the message for a deadlock of actors.

    It says what each actor and each stream waits for.
    """
    told = [f"{actor.name} {actor.what}" for actor in actors if not (actor.ended or actor.dead)]
    told += [f"{stream} waits for {stream.work[0].ready or 'work that comes before its own'}" for stream in pending]
    return "\n  ".join(["no actor can go on", *told])
