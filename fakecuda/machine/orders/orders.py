"""The methods that a program uses to start and control its actors."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.machine.orders.actor import Actor
from fakecuda.machine.orders.step import ALL, DEATH, chosen_by, text_of
from fakecuda.machine.orders.turns import Turns
from fakecuda.model import history

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Machine, Process

NAME = re.compile(r"[^\s@:!]+")


class Lock:
    """A lock between actors, for use in a ``with`` statement.

    Attributes:
        held: Whether an actor holds it.
    """

    def __init__(self, orders: Orders) -> None:
        self.held = False
        self._orders = orders

    def __enter__(self) -> None:
        """Take the lock when no other actor holds it."""
        self._orders.take(self)
        self.held = True

    def __exit__(self, *_: object) -> None:
        """Release the lock."""
        self.held = False


@contextmanager
def scheduled(machine: Machine, schedule: int | str) -> Iterator[None]:
    """Make actors and streams take turns, as a schedule says.

    These are the calling thread, the actors that it starts and a machine's streams.

    Args:
        machine: The machine.
        schedule: A random seed, or a schedule string.

    Raises:
        FakeCudaError: The schedule is neither.
    """
    machine.turns = Orders(machine, chosen_by(schedule))
    try:
        with machine.turns.taken():
            yield
    except Exception as error:
        error.add_note(f"with schedule={schedule!r}: {machine.turns.text!r}")
        raise


class Orders(Turns):
    """Starts and controls the actors of a program.

    :func:`fakecuda.explore` passes it to the program.
    The program itself is the first actor, ``main``.
    """

    @property
    def text(self) -> str:
        """The schedule string of the order so far: its switches."""
        return text_of(self.steps)

    def start(
        self, function: Callable[..., object], *args: object, process: Process | None = None, name: str | None = None
    ) -> Actor:
        """Start an actor: a function that takes turns with the other actors.

        Args:
            function: The function.
            args: Its arguments.
            process: The simulated process of its code; by default the caller's. Actors of one process are its threads.
            name: Its name in orders. The default is the function's name, with a number if it is taken.

        Raises:
            FakeCudaError: The name is taken or not a word, or the process has ended.
        """
        starter = self.caller("start")
        label = getattr(function, "__name__", "actor").strip("<>") if name is None else name
        if not isinstance(label, str) or NAME.fullmatch(label) is None or (name is not None and name in self.actors):
            msg = (
                f"start(name={name!r}): the name must be a word without '@', ':' and '!' that no other started "
                "function has"
            )
            raise FakeCudaError(msg)
        taken = sum(one.partition(".")[0] == label for one in self.actors)
        actor = Actor(f"{label}.{taken + 1}" if taken else label, process or starter.process, lambda: function(*args))
        actor.process.lives()
        actor.acting = [] if actor.process is self.main.process else [actor.process]
        actor.started_by, actor.line = starter.last, history.here(1)
        self.actors[actor.name] = actor
        actor.thread = threading.Thread(target=self.act, args=(actor,), name=f"actor {actor.name}", daemon=True)
        actor.thread.start()
        return actor

    def join(self, *actors: Actor) -> None:
        """Wait until actors have ended; by default all other actors."""
        caller = self.caller("join")
        self.join_all("join", caller, actors or self.others(caller))

    def wait(self, condition: Callable[[], object], what: str = "a condition") -> None:
        """Wait for a condition that another actor's Python code fulfils.

        Args:
            condition: Returns whether the condition holds. It must not make calls.
            what: A text that names the condition in reports.
        """
        self.turn(self.caller("wait"), f"waits for {what}", lambda: bool(condition()), key=ALL)
        condition()

    def point(self) -> None:
        """Let other actors come first here, between two calls.

        For Python code that others may see half-done.
        """
        self.turn(self.caller("point"), "point", key=ALL)

    def lock(self) -> Lock:
        """Return a lock for actors.

        Use it instead of ``threading.Lock``, which would block all actors for ever.
        """
        return Lock(self)

    def take(self, lock: Lock) -> None:
        """Take a lock when no actor holds it."""
        self.turn(self.caller("lock"), "takes a lock", lambda: not lock.held, key=("lock", lock))

    def may_die(self, process: Process) -> None:
        """Let a process die in some of the orders, as by SIGKILL; its actors die with it.

        Raises:
            FakeCudaError: It is the program's own process.
        """
        self.caller("may_die")
        if process is self.main.process:
            msg = (
                f"may_die({process}): the explored program itself runs as this process: spawn another process, and "
                "start a function in it with orders.start()"
            )
            raise FakeCudaError(msg)
        self.mortal[f"{DEATH}{process.name}"] = process
