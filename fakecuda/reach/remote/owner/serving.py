"""The service of one thread of an attached process."""

from __future__ import annotations

import time
from itertools import count
from typing import TYPE_CHECKING, Any

from fakecuda.model.os.thread import forbid
from fakecuda.reach.remote.owner import handle_call
from fakecuda.reach.remote.owner.deferred_copies import acting
from fakecuda.reach.remote.owner.remote_memory import Gone
from fakecuda.reach.remote.owner.session import NO_ANSWER, Change, Session
from fakecuda.reach.remote.protocol.exceptions import Interrupted
from fakecuda.reach.remote.protocol.frames import Kind, LineClosed, Malformed, close_all, give_up, refuse
from fakecuda.reach.remote.protocol.questions import Note, Report, What

if TYPE_CHECKING:
    from fakecuda.reach.remote.protocol.call_sites import Place
    from fakecuda.reach.remote.protocol.frames import Line

LAST_ERRORS = {Note.LAST_ERROR: ("last_error", "failed"), Note.HIP_ERROR: ("hip_error", "hip_failed")}
"""The attributes for a thread's last errors, by note."""
EVERYTHING = Report.FINDINGS | Report.LEAKS | Report.ERRORS


def attend() -> None:
    """Handle frames that arrived during an attached process's waiting call.

    The call waits in the current thread.
    """
    if acting.serving is not None:
        acting.serving.attend()


class Serving:
    """Answers the calls of one thread of an attached process.

    Args:
        session: The process.
        line: The thread's connection.
        key: The id or name of the simulated thread.
        in_function: Whether the thread runs host functions for streams.

    Attributes:
        numbers: The numbers of its calls in progress, the outermost first.
        stacks: The places of its calls, by number, which its process has numbered.
    """

    def __init__(self, session: Session, line: Line, key: int | str, *, in_function: bool) -> None:
        self.session = session
        self.line = line
        self.key = key
        self.changes: list[Change] = []
        self.numbers: list[int] = []
        self.stacks: dict[int, tuple[Place, ...]] = {}
        self._numbers = count(1)
        self._closed = False
        process = session.process
        if in_function:
            assert isinstance(key, int)
            forbid(process, key)
        self.thread = process.thread_of(key)
        parent = process.forked_thread
        if parent is not None:
            process.forked_thread = None
            self.thread.follow(parent)

    def serve(self) -> None:
        """Answer calls until the connection ends with its thread."""
        line, session = self.line, self.session
        acting.serving = self
        try:
            while True:
                kind, value, descriptors = line.receive()
                try:
                    self._take(kind, value, descriptors)
                finally:
                    close_all(descriptors)
        except LineClosed as error:
            give_up(line, error)
        except Malformed as error:
            refuse(line, str(error))
        finally:
            acting.serving = None
            session.lines.discard(line)
            line.close()
            if not session.gone:
                session.process.threads.pop(self.key, None)

    def attend(self) -> None:
        """Handle frames that arrive while a call waits.

        Calls of a signal handler, or the end of the wait.

        Raises:
            Interrupted: The wait has to end.
        """
        while not self._closed:
            try:
                if not self.line.is_whole():
                    return
                kind, value, descriptors = self.line.receive()
                try:
                    self._take(kind, value, descriptors, waits=True)
                finally:
                    close_all(descriptors)
            except (LineClosed, Malformed):
                self._closed = True  # the process has ended or counts as dead, which ends the wait elsewhere

    def _take(self, kind: int, value: Any, descriptors: list[int], *, waits: bool = False) -> None:
        if kind == Kind.CALL:
            handle_call.answer(self, value, descriptors)
        elif kind == Kind.NOTE:
            if type(value) is tuple and len(value) == 2 and value[0] in LAST_ERRORS:  # noqa: PLR2004 - as above
                error, failed = LAST_ERRORS[value[0]]
                setattr(self.thread, error, value[1] if type(value[1]) is int else 0)
                setattr(self.thread, failed, None)  # a call that is not modelled, which the owner does not see
                return
            if type(value) is tuple and len(value) == 2 and value[0] == Note.CANCEL:  # noqa: PLR2004 - as above
                if waits and self.numbers and value[1] == self.numbers[-1]:
                    raise Interrupted
                return  # the call has already been answered
            self.session.note(value)
            if value[0] == Note.TEAR_DOWN:
                self.line.send(Kind.NOTED, ())
            elif value[0] in {Note.OUTCOME, Note.ORIGINS}:
                self.line.send(Kind.NOTED, self.session.sharing.report(self.session, value[0] == Note.ORIGINS))
            elif value[0] == Note.STORY:
                self.line.send(Kind.NOTED, self.session.sharing.story(self.session))
            elif value[0] == Note.REPORT:
                self.line.send(Kind.NOTED, (self.session.report(Report(value[1] & EVERYTHING)),))
        else:
            msg = (
                f"a thread of an attached process sent a message of unknown kind {kind}: install the same release of "
                "fakecuda in both processes"
            )
            raise Malformed(msg)

    def ask(self, what: What, *arguments: object) -> Any:
        """Send a request to the calling thread.

        The thread may make another call before it answers.

        Raises:
            Gone: The process has ended, or has not answered within the machine's wait timeout.
        """
        line, wait_timeout = self.line, self.session.sharing.machine.scheduler.wait_timeout
        limit = None if wait_timeout == float("inf") else time.monotonic() + wait_timeout
        number = next(self._numbers)
        try:
            line.send(Kind.QUESTION, (number, what, *arguments))
            while True:
                kind, value, descriptors = line.receive(limit)
                if kind == Kind.ANSWER:
                    close_all(descriptors)
                    return _answer_to(number, value)
                try:
                    self._take(kind, value, descriptors)
                finally:
                    close_all(descriptors)
        except (LineClosed, Malformed, OSError) as error:
            # After a failure, the frames of a connection cannot be told apart any more.
            late = (
                f"this thread has not answered a request of the process that made the machine within {wait_timeout:g} s "
                "(the machine's wait_timeout)"
            )
            refuse(line, late if isinstance(error, TimeoutError) else str(error))
            line.shut()
            raise Gone from error


def _answer_to(number: int, value: Any) -> Any:
    """Return the answer to the request with a number.

    Raises:
        Malformed: The value is not an answer to it.
    """
    if type(value) is tuple and len(value) == 2 and value[0] == number:  # noqa: PLR2004 - as above
        return value[1]
    raise Malformed(NO_ANSWER)
