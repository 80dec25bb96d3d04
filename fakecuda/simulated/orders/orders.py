"""What a program calls whose actors take turns."""

from __future__ import annotations

import re
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING

from fakecuda.errors import FakeCudaError
from fakecuda.simulated.orders.actor import Actor
from fakecuda.simulated.orders.step import ALL, DEATH, chosen_by, text_of
from fakecuda.simulated.orders.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda import Machine, Process

NAME = re.compile(r"[^\s@:!]+")


class Lock:
    """A lock of actors, taken by ``with``.

    Attributes:
        held: Whether somebody holds it.
    """

    def __init__(self, orders: Orders) -> None:
        self.held = False
        self._orders = orders

    def __enter__(self) -> None:
        """Take it, when nobody else holds it."""
        self._orders.take(self)
        self.held = True

    def __exit__(self, *_: object) -> None:
        """Let it go."""
        self.held = False


@contextmanager
def scheduled(machine: Machine, schedule: int | str) -> Iterator[None]:
    """Have the calling thread, the actors that it starts, and the streams of a machine take turns, as a schedule says.

    Args:
        machine: The machine.
        schedule: A seed, or the text of an order.

    Raises:
        FakeCudaError: It is neither.
    """
    machine.turns = Orders(machine, chosen_by(schedule))
    try:
        with machine.turns.taken():
            yield
    except Exception as error:
        error.add_note(f"with schedule={schedule!r}: {machine.turns.text!r}")
        raise


class Orders(Turns):
    """What a program starts its actors with; :func:`fakecuda.explore` gives it to the program.

    The program itself is the first actor, ``main``.
    """

    @property
    def text(self) -> str:
        """The order until now, as ``schedule`` takes it: its switches."""
        return text_of(self.steps)

    def start(
        self, function: Callable[..., object], *args: object, process: Process | None = None, name: str | None = None
    ) -> Actor:
        """Start an actor: a function that takes turns with the others from now on.

        Args:
            function: The function.
            args: What it is called with.
            process: The simulated process as which its code runs; by default the caller's. Actors of one process are threads of it.
            name: What it is called in orders; the function's name by default, with a number where that is taken.

        Raises:
            FakeCudaError: The name is taken, or is none; the process has ended.
        """
        starter = self.caller("start")
        label = getattr(function, "__name__", "actor").strip("<>") if name is None else name
        if not isinstance(label, str) or NAME.fullmatch(label) is None or (name is not None and name in self.actors):
            msg = f"start(name={name!r}): give each actor its own name, a word without '@', ':' and '!'"
            raise FakeCudaError(msg)
        taken = sum(one.partition(".")[0] == label for one in self.actors)
        actor = Actor(f"{label}.{taken + 1}" if taken else label, process or starter.process, lambda: function(*args))
        actor.process.lives()
        actor.acting = [] if actor.process is self.main.process else [actor.process]
        actor.started_by = starter.last
        self.actors[actor.name] = actor
        actor.thread = threading.Thread(target=self.act, args=(actor,), name=f"actor {actor.name}", daemon=True)
        actor.thread.start()
        return actor

    def join(self, *actors: Actor) -> None:
        """Wait until actors have ended: all others by default."""
        caller = self.caller("join")
        self.join_all("join", caller, actors or self.others(caller))

    def wait(self, condition: Callable[[], object], what: str = "a condition") -> None:
        """Wait until something is so, that another actor's code in Python brings about.

        Args:
            condition: Says whether it is so. It makes no calls.
            what: What is waited for, as a report tells it.
        """
        self.turn(self.caller("wait"), f"waits for {what}", lambda: bool(condition()), key=ALL)
        condition()

    def point(self) -> None:
        """Let others come first here, where no call is made: code in Python that others may see half-done."""
        self.turn(self.caller("point"), "point", key=ALL)

    def lock(self) -> Lock:
        """Return a lock, which one actor at a time holds: it stands for a ``threading.Lock``, at which actors would wait for ever."""
        return Lock(self)

    def take(self, lock: Lock) -> None:
        """Take a lock, when nobody holds it."""
        self.turn(self.caller("lock"), "takes a lock", lambda: not lock.held, key=("lock", lock))

    def may_die(self, process: Process) -> None:
        """Let a process die in some of the orders, as SIGKILL has it, and with it the actors that run as it.

        Raises:
            FakeCudaError: It is the program's own process.
        """
        self.caller("may_die")
        if process is self.main.process:
            msg = f"may_die({process}): the program itself runs as this process: spawn another one and start an actor there"
            raise FakeCudaError(msg)
        self.mortal[f"{DEATH}{process.name}"] = process
