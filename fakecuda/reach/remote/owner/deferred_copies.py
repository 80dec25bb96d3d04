"""What calls leave an attached process to do in its memory, which it alone can touch.

An operation holds the machine's lock, and no process is waited for under it: one that is slow or stopped would keep all
others waiting. So what is to be moved is noted while an operation acts. It is done behind that, before the process gets its
answer; what a stream does is done by the worker of its context, and is under way until then.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.errors import FakeCudaError
from fakecuda.reach.remote.protocol.questions import AT_ONCE, LARGE, What

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.memory.backing import DeviceMemory
    from fakecuda.reach.remote.owner.session import Serving, Session

    Question = tuple[Any, ...]
    Task = tuple[Session, Question, int]


@define(eq=False)
class Errands:
    """What is left to do.

    Attributes:
        tasks: Questions, each with the process and how many bytes it moves, and functions, in order.
        held: The ranges of device memory that it is done with.
    """

    tasks: list[Task | Callable[[], None]] = field(factory=list)
    held: list[tuple[DeviceMemory, int, int]] = field(factory=list)

    def hold(self, memory: DeviceMemory, start: int, size: int) -> None:
        """Keep a range of device memory until all is done."""
        memory.hold(start, start + size)
        self.held.append((memory, start, start + size))

    def carry_out(self, lock: Any) -> None:
        """Do all of it, without the machine's lock.

        Raises:
            Gone: The process has ended, or does not answer.
        """
        try:
            do(self.tasks)
        finally:
            self.give_up(lock)

    def give_up(self, lock: Any) -> None:
        """Do nothing more, and keep no memory."""
        self.tasks = []
        if self.held:
            with lock:
                for memory, start, end in self.held:
                    memory.let_go(start, end)
                self.held = []


def do(tasks: list[Task | Callable[[], None]]) -> None:
    """Have processes do what was noted, many small things for one question.

    Raises:
        Gone: One has ended, or does not answer.
    """
    batch: list[Question] = []
    asked: Session | None = None
    moved = 0
    for task in tasks:
        session, question, size = (None, (), 0) if callable(task) else task
        if batch and (session is not asked or moved + size > LARGE or len(batch) == AT_ONCE):
            _ask(asked, batch)
            batch, moved = [], 0
        if callable(task):
            task()
        else:
            asked, moved = session, moved + size
            batch.append(question)
    if batch:
        _ask(asked, batch)


def _ask(session: Session | None, batch: list[Question]) -> None:
    assert session is not None
    session.ask(*(batch[0] if len(batch) == 1 else (What.EACH, tuple(batch))))


class _Acting(threading.local):
    """The line whose call the current thread makes, and what is left to do for it; None where nobody would do it."""

    serving: Serving | None = None
    errands: Errands | None = None


acting = _Acting()


def left() -> Errands:
    """Return where is noted what is left to do.

    Raises:
        FakeCudaError: Nobody would do it.
    """
    if acting.errands is None:
        msg = "the memory of an attached process is reached by calls that this process itself makes"
        raise FakeCudaError(msg)
    return acting.errands
