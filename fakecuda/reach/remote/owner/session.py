"""The owner's side of an attached process.

It has the simulated process, and the threads that answer its calls.
"""

from __future__ import annotations

import select
import threading
from contextlib import contextmanager
from itertools import count
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.model.memory.pool import Pools
from fakecuda.model.os.process import FORKED
from fakecuda.reach.process import Process
from fakecuda.reach.remote.owner.awaited_values import Values
from fakecuda.reach.remote.owner.deferred_copies import acting
from fakecuda.reach.remote.owner.remote_memory import FarSystem, Gone
from fakecuda.reach.remote.protocol import findings, registered
from fakecuda.reach.remote.protocol.frames import Kind, LineClosed, Malformed, close_all, give_up, refuse
from fakecuda.reach.remote.protocol.questions import Note, Report, What

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.model.code.program import Binary
    from fakecuda.model.os.thread import Thread
    from fakecuda.reach.remote.owner.owner import Sharing
    from fakecuda.reach.remote.protocol.frames import Line

NO_ANSWER = "an attached process sent an answer to no request: install the same release of fakecuda in both processes"
Change = tuple[int, int, int, int]
"""A mapping at a device address: address, size, file or -1, offset in the file."""


@define(eq=False)
class Attached(Process):
    """A simulated process that is another OS process.

    Attributes:
        session: Its session.
        is_fork: Whether it was forked from another process of the machine.
        forked_from: The process that it was forked from, if the driver had been initialised there.
        forked_thread: The thread that forked there, whose state the runtime library has in the fork's first one.
        starter: The name of the attached process that has started it, if one has.
        above: The OS processes above it when it attached: its parent, that one's parent, and so on.
        holding: How often the machine's lock is held around the call that it makes.
    """

    session: Session | None = field(default=None, repr=False)
    is_fork: bool = False
    forked_thread: Thread | None = field(default=None, repr=False)
    forked_from: Process | None = field(default=None, repr=False)
    starter: str = ""
    above: tuple[int, ...] = ()
    holding: int = 0

    @contextmanager
    def borrowing(self) -> Iterator[None]:
        """Give a fork the parent's memory and pools during its call.

        This is for a fork without a working driver.
        """
        origin = self.forked_from
        if origin is None or self.state != FORKED:
            yield
            return
        with self.machine.lock:
            self.memory, self.pools = origin.memory, origin.pools.in_fork()
            self.holding = 1
            try:
                yield
            finally:
                self.holding = 0
                self.give_back()

    def give_back(self) -> None:
        """Take back the parent's memory and pools.

        Then the end of this process does not end them.
        """
        self.memory, self.pools = type(self.memory)(), Pools()


class Session:
    """The connection to an attached process.

    Args:
        sharing: The attached processes of the machine.
        process: The simulated process.
        line: The process's first connection.
        token: The token that its threads send.
        watched: A descriptor that becomes readable when the process ends; or -1.
    """

    def __init__(self, sharing: Sharing, process: Attached, line: Line, token: bytes, watched: int) -> None:
        self.sharing = sharing
        self.process = process
        self.line = line
        self.token = token
        self.watched = watched
        self.line_number = line.socket.fileno()
        self.gone = False
        self.lines: set[Line] = {line}
        self.changes: list[Change] = []
        self._numbers = count(1)
        self._answers: dict[int, tuple[What, Callable[[Any], object]]] = {}
        self._lock = threading.Lock()
        self._sending = threading.Lock()
        self._reported: dict[int, object] = {}
        self.values = Values(self)
        self.binaries: dict[int, Binary] = {}
        self.system = process.system = FarSystem(self)
        process.session = self

    def ask(self, what: What, *arguments: object) -> Any:
        """Send the process a request and return the answer.

        The caller must not hold the machine's lock.

        Raises:
            Gone: The process has ended, or has not answered within the machine's wait timeout and counts as dead.
        """
        lock: Any = self.sharing.machine.lock
        assert not lock._is_owned()  # noqa: SLF001 - as threading.Condition does
        serving = acting.serving
        if serving is not None and serving.session is self:
            return serving.ask(what, *arguments)
        return self._ask_aside(self.sharing.machine.scheduler.wait_timeout, what, *arguments)

    def load(self, address: int, size: int) -> bytes:
        """Return bytes of the process's memory.

        Raises:
            Gone: As for :meth:`ask`.
        """
        content = self.ask(What.LOAD, address, size)
        if type(content) is bytes and len(content) == size:
            return content
        raise Gone

    def ask_later(self, take: Callable[[Any], object], what: What, *arguments: object) -> bool:
        """Send a small request without waiting for the answer.

        Return whether it could be sent at once.

        Args:
            take: Called with the answer.
            what: The kind of request.
            arguments: The arguments of the request.
        """
        if not self._sending.acquire(blocking=False):
            return False
        try:
            return self._send(take, what, *arguments) > 0
        except Gone:
            return False
        finally:
            self._sending.release()

    def run(self, letters: str, address: int, args: tuple[object, ...]) -> None:
        """Run a function of the process.

        Return when the function has returned or the process has ended.
        """
        try:
            self._ask_aside(None, What.RUN, threading.get_native_id(), letters, address, *args)
        except Gone:
            return

    def _ask_aside(self, wait_timeout: float | None, what: What, *arguments: object) -> Any:
        """Send a request over the first connection.

        The process serves it besides its calls.
        """
        answers: SimpleQueue[Any] = SimpleQueue()
        with self._sending:
            self._send(answers.put, what, *arguments)
        try:
            answer = answers.get(timeout=None if wait_timeout == float("inf") else wait_timeout)
        except Empty:
            self.line.shut()
            raise Gone from None
        if isinstance(answer, Gone):
            raise answer
        return answer

    def _send(self, take: Callable[[Any], object], what: What, *arguments: object) -> int:
        """Send a request, and return its number.

        Raises:
            Gone: The process has ended.
        """
        number = next(self._numbers)
        with self._lock:
            if self.gone:
                raise Gone
            self._answers[number] = what, take
        try:
            self.line.send(Kind.QUESTION, (number, what, *arguments))
        except LineClosed:
            raise Gone from None
        return number

    def serve(self) -> None:
        """Handle the answers and notes of the first connection until it ends."""
        try:
            while True:
                kind, value, descriptors = self.line.receive()
                close_all(descriptors)
                self._take(kind, value)
        except LineClosed as error:
            give_up(self.line, error)
        except Malformed as error:
            refuse(self.line, str(error))
        finally:
            self.end()

    def _take(self, kind: int, value: Any) -> None:
        if kind == Kind.NOTE:
            self.note(value)
            return
        if kind != Kind.ANSWER:
            msg = (
                f"an attached process sent a message of unknown kind {kind}: install the same release of fakecuda in "
                "both processes"
            )
            raise Malformed(msg)
        known = type(value) is tuple and len(value) == 2 and type(value[0]) is int  # noqa: PLR2004 - number and answer
        asked = self._answers.pop(value[0], None) if known else None
        if asked is None:
            raise Malformed(NO_ANSWER)
        asked[1](value[1])

    def note(self, value: Any) -> None:
        """Handle a note of the process.

        Raises:
            Malformed: The note is unknown.
        """
        known = type(value) is tuple and len(value) == 2  # noqa: PLR2004 - what and its argument
        is_text = known and (value[1] is None or type(value[1]) is str)
        if is_text and value[0] == Note.VISIBLE_DEVICES:
            self.process.visible_devices = value[1]
        elif is_text and value[0] == Note.MODULE_LOADING:
            self.process.module_loading = value[1]
        elif known and value[0] == Note.TEAR_DOWN:
            self.process.begin_exit()
        elif known and (
            value[0] in {Note.OUTCOME, Note.STORY, Note.ORIGINS} or (value[0] == Note.REPORT and type(value[1]) is int)
        ):
            return
        elif known and value[0] == Note.PROGRAM and registered.fits(value[1]):
            with self.sharing.machine.lock:
                registered.keep(self.process.system.program, self.binaries, value[1])
        elif known and value[0] == Note.FOUND and findings.fits(value[1]):
            findings.keep(self.process, value[1])
        else:
            msg = (
                f"an attached process sent an unknown notice, {value!r}: install the same release of fakecuda in "
                "both processes"
            )
            raise Malformed(msg)

    def report(self, what: Report) -> str:
        """Return the report on a process and its children since the last report.

        Args:
            what: What to report. Only that counts as reported.
        """
        machine = self.sharing.machine
        with machine.lock:
            family = self.sharing.family(self)
        return machine.report_on(family, what, self._reported)

    def end(self) -> None:
        """Note that the process has ended.

        Requests to it fail, and its resources are freed.
        """
        with self._lock:
            first, self.gone = not self.gone, True
        if first:
            for _, take in list(self._answers.values()):
                take(Gone())
            for line in list(self.lines):
                # The first connection stays open until the end: another thread may find it ended meanwhile.
                (line.shut if line is self.line else line.close)()
        # Several threads may come here and wait for the lock. The first one does the rest.
        machine = self.sharing.machine
        with machine.lock:
            if self.process.alive and not machine.closed:
                machine.end(self.process)
            self.sharing.forget(self)
        self.line.close()

    def owes(self) -> bool:
        """Return whether the process has unanswered requests.

        Requests to run functions do not count.
        """
        return any(what != What.RUN for what, _ in list(self._answers.values()))

    def changed(self, change: Change) -> None:
        """Queue a mapping, to be sent with the current or next answer."""
        serving = acting.serving
        (serving.changes if serving is not None and serving.session is self else self.changes).append(change)


def watch_events() -> int:
    """Return the poll events of a process's first connection."""
    return select.EPOLLRDHUP | select.EPOLLHUP
