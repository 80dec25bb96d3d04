"""Deferred copies.

What calls have to do in an attached process's memory, which only that process can access.
An operation holds the machine's lock. It must not wait for a process, because a slow or stopped process would block all
others. So an operation only notes copies, which are done after it, before the process gets its answer. For the work of
a stream, its context's worker does the copies, and the work is in flight until then.
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
    from fakecuda.reach.remote.owner.serving import Serving
    from fakecuda.reach.remote.owner.session import Session

    Question = tuple[Any, ...]
    Task = tuple[Session, Question, int]


@define(eq=False)
class Errands:
    """Deferred copies of one call or of one piece of work.

    Attributes:
        tasks: Functions, and requests with their process and the number of bytes that they move, in order.
        held: The ranges of device memory that the tasks use.
    """

    tasks: list[Task | Callable[[], None]] = field(factory=list)
    held: list[tuple[DeviceMemory, int, int]] = field(factory=list)

    def hold(self, memory: DeviceMemory, start: int, size: int) -> None:
        """Keep a range of device memory until all tasks are done."""
        memory.hold(start, start + size)
        self.held.append((memory, start, start + size))

    def carry_out(self, lock: Any) -> None:
        """Do all tasks, without the machine's lock.

        Raises:
            Gone: The process has ended or does not answer.
        """
        try:
            do(self.tasks)
        finally:
            self.give_up(lock)

    def give_up(self, lock: Any) -> None:
        """Drop the tasks, and release the memory."""
        self.tasks = []
        if self.held:
            with lock:
                for memory, start, end in self.held:
                    memory.let_go(start, end)
                self.held = []


def do(tasks: list[Task | Callable[[], None]]) -> None:
    """Do tasks. Small requests to the same process are sent together.

    Raises:
        Gone: A process has ended or does not answer.
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
    """The connection and the deferred copies of the current thread's call.

    The result is None if copies cannot be deferred.
    """

    serving: Serving | None = None
    errands: Errands | None = None


acting = _Acting()


def left() -> Errands:
    """Return the deferred copies of the current thread's call.

    Raises:
        FakeCudaError: The current thread cannot defer copies.
    """
    if acting.errands is None:
        msg = (
            "this call uses host memory of an attached process, but another process makes the call: make the call in "
            "the attached process"
        )
        raise FakeCudaError(msg)
    return acting.errands
