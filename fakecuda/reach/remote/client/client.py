"""The attached process.

The doors use it like a machine, and the owner answers its calls.
Each thread has its own connection. The first call of a process opens another one, which lives as long as the process.
The owner notices by it that the process has ended. The owner also uses it for requests outside of a thread's calls.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any
from weakref import WeakSet, finalize

from fakecuda.errors import FakeCudaError, MachineClosed, NotAdmitted
from fakecuda.model.memory.headroom import heed_limits
from fakecuda.model.os.async_exceptions import put_off_thrown
from fakecuda.model.os.interruption import put_off
from fakecuda.model.os.process import DEINITIALIZED
from fakecuda.model.os.tracing import put_off_traces
from fakecuda.reach.remote import VARIABLE
from fakecuda.reach.remote.client.connecting import connected, greeted, proc_is_foreign
from fakecuda.reach.remote.client.remote_process import RemoteProcess, caller_of
from fakecuda.reach.remote.client.service import Service
from fakecuda.reach.remote.owner.handle_call import FOREIGN_PROC, known_of
from fakecuda.reach.remote.protocol import schema
from fakecuda.reach.remote.protocol.frames import PROCESS, THREAD, Kind, Line, LineClosed, Malformed, close_all

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.model.finding import Finding
    from fakecuda.model.work.deadlock import Deadlock

NUMBERED = re.compile(r"#\d+\Z")
STAY = "in the test or the `with` block that starts this process, wait until this process ends"
TIMEOUT = 2.0
"""Seconds to wait for the owner's message that a machine has ended."""
LEAVING = 60.0
"""Seconds to wait for the owner to tear down a leaving process."""
FACTS = (int, str, bytes, str, str, int, int, int)
"""Types of an owner's welcome: the machine's number and maker, the process's token and name, the profile, the driver
version, the range of addresses."""
NEWEST = 1 << 30
"""The driver version until the owner has sent it, above all functions."""


class RemoteMachine:
    """A machine that another OS process owns.

    Args:
        address: The value of :data:`~fakecuda.reach.remote.VARIABLE`: a socket, with the machine's number behind ``#``.
            Without a number, it is the last machine that the owner has offered.
        parent: For a forked process, the token of its parent; otherwise empty.
        known: The parent's ``READY_NOW`` and ``STARTED`` flags.
        forking: The id of the parent's thread that forked.
        attached: Called with the driver version, once it is known.

    Attributes:
        path: The socket.
        profile: The name and driver version of its profile, as far as known.
        here: This process.
        elsewhere: True: another OS process owns it.
        strict: True: what is undefined is the owner's to tell.
        log: Empty: the owner keeps it.
        notes: Empty: they are the owner's.
        waited: The deadlocks that the owner has told, by its numbers.
        refused: Told of each call of this process that is refused; None while nobody listens.
        record: Takes the record of each call of this process; None if it keeps none.
        lost: Whether the owner is gone.
        told: Whether the program has been told why its calls do not reach the machine.
    """

    def __init__(
        self,
        address: str | Path,
        parent: bytes = b"",
        *,
        known: int = 0,
        forking: int = 0,
        attached: Callable[[int], None] = lambda version: None,  # noqa: ARG005 - nothing to do by default
    ) -> None:
        put_off()
        put_off_traces()
        put_off_thrown()
        heed_limits()
        path, _, number = str(address).rpartition("#") if NUMBERED.search(str(address)) else (str(address), "", "")
        self.path = Path(path)
        self._number = int(number) if number else None
        self._maker = ""
        self._left: Path | None = None
        self.strict = True
        self.elsewhere = True
        self.refused: Callable[..., None] | None = None
        self.record: Callable[[tuple[Any, ...]], None] | None = None
        self.lost = False
        self.told = False
        self.findings: list[Finding] = []
        self.log: list[Any] = []
        self.notes: list[str] = []
        self.waited: dict[int, Deadlock] = {}
        self.profile = SimpleNamespace(name="", driver_version=NEWEST)
        self.here = RemoteProcess(self)
        self.in_functions: set[int] = set()
        self.registered = 0
        self.token = b""
        self.service: Service | None = None
        self._parent = parent
        self._known = known
        self._forking = forking
        self._tell = attached
        self._lock = threading.RLock()
        _machines.add(self)

    @property
    def deadlocks(self) -> list[Deadlock]:
        """The deadlocks that have ended calls of this process."""
        return list(self.waited.values())

    def attach(self) -> None:
        """Attach this process to the machine, if it is not attached yet.

        Raises:
            MachineClosed: The machine does not exist any more.
            NotAdmitted: The machine does not admit this process; the text says why.
            FakeCudaError: The owner's answer is malformed, or the machine's addresses are not free in this process.
        """
        if not self.token:
            with self._lock:  # two threads may make the first call at once
                self._join()

    def _join(self) -> None:
        if self.token:
            return
        known = self._known | (FOREIGN_PROC if proc_is_foreign() else 0)
        line, facts, files = self.greet(PROCESS, self._parent, self._forking, known)
        if type(facts) is not tuple or tuple(map(type, facts)) != FACTS:
            line.close()
            close_all(files)
            msg = "the first answer does not describe a machine: install the same release of fakecuda in both processes"
            raise self.garbled(msg)
        self._number, self._maker, token, name, profile, version, start, end = facts
        try:
            self.service = Service(line, files, (start, end), self.in_functions)
        except BaseException:
            line.close()
            close_all(files)
            raise
        finalize(self, self.service.close).atexit = False
        self.profile = SimpleNamespace(name=profile, driver_version=version)
        self.here.name = name
        self.token = token
        self._tell(version)

    def greet(self, role: str, token: bytes, key: int | str, flag: int) -> tuple[Line, Any, list[int]]:
        """Open a connection and return it with the owner's answer and descriptors.

        Args:
            role: ``PROCESS`` or ``THREAD``.
            token: For a forked process, its parent's token; for a thread, its process's token.
            key: For a thread, its id or name; for a forked process, the parent's thread that forked.
            flag: For a process, what is known of its and its parent's state; for a thread, whether it runs functions.

        Raises:
            MachineClosed: No owner answers, or the machine has ended.
            NotAdmitted: The owner refuses the process; the text says why.
            FakeCudaError: The answer is malformed or late, or this process lacks a resource.
        """
        line: Line | None = None
        try:
            line = connected(self.path)
            greeting = schema.DIGEST, role, token, key, self._number, flag
            kind, value, files = greeted(line, self.path, greeting)
        except BaseException as error:
            if line is not None:
                line.close()
            if isinstance(error, Malformed):
                raise self.garbled(str(error)) from error
            if isinstance(error, OSError):
                self.lost = True
                raise MachineClosed(self._gone(error)) from error
            raise
        if kind != Kind.WELCOME:
            line.close()
            close_all(files)
            if kind == Kind.ENDED:
                self.lost = True
                msg = (
                    f"{value}. This process was started for the machine at socket {self.path}, but calls the driver "
                    f"only now: {STAY}"
                )
                raise MachineClosed(msg)
            msg = f"this process cannot use the machine at socket {self.path}: {value}"
            raise NotAdmitted(msg)
        return line, value, files

    def ended(self) -> FakeCudaError:
        """Return the exception for a call after the connection was closed.

        The owner has ended or has closed it.
        """
        if self.service is not None and not self._left and (why := self.service.refusal(TIMEOUT)):
            self.lost = True
            return FakeCudaError(f"the machine at socket {self.path} {why}")
        self.lost = True
        return MachineClosed(self._gone())

    def garbled(self, reason: str) -> FakeCudaError:
        """Return the exception for an invalid answer."""
        return FakeCudaError(f"this process cannot read an answer of the machine at socket {self.path}: {reason}")

    def _gone(self, error: OSError | None = None) -> str:
        """Return the message for a lost machine.

        It says which machine, why it cannot be reached, and what to do.
        """
        if self._left:
            return (
                f"this process has detached from the machine at socket {self._left}, because the test has ended: call "
                "the driver during a test"
            )
        if not self._maker:
            why = f" ({error.strerror})" if error is not None and error.strerror else ""
            return (
                f"no machine answers at socket {self.path}{why}: the process that made it has ended or was killed. "
                f"Start this program from a test with a machine, or without the environment variable {VARIABLE}"
            )
        told, answer = f"the machine of {self._maker}, to which this process was attached, has ended", self._answer()
        if answer in {Kind.WELCOME, Kind.REFUSED}:
            return (
                f"the process that made the machine of {self._maker} (socket {self.path}) has closed the connection "
                "of this process: it ran out of file descriptors or memory, or its test has ended this process. "
                "Start this program again"
            )
        if answer is not None:
            return f"{told} (socket {self.path}): {STAY}"
        return (
            f"{told}: the process that made the machine (socket {self.path}) has ended or was killed. Look in the "
            "output of that process for the reason"
        )

    def _answer(self) -> int | None:
        """Return the kind of the owner's answering frame.

        The result is None without an answer; 0 if it is late.
        """
        try:
            line = connected(self.path)
        except (FakeCudaError, OSError):
            return None
        try:
            line.send(Kind.HELLO, (schema.DIGEST, THREAD, self.token, 0, self._number, 0))
            kind, _, descriptors = line.receive(time.monotonic() + TIMEOUT)
            close_all(descriptors)
        except TimeoutError:
            return 0
        except OSError:
            return None
        finally:
            line.close()
        return kind

    def keep(self, finding: Finding) -> None:
        """Send the owner a finding about a call that was not sent.

        Without an owner the finding is dropped.
        """
        if self.token and not self.lost:
            with contextlib.suppress(FakeCudaError, LineClosed):
                caller_of(self.here.current_thread()).tell(finding)

    def leave(self) -> None:
        """Notify the owner that exit handlers have run.

        Later calls answer CUDA_ERROR_DEINITIALIZED.
        """
        self.here.state = DEINITIALIZED
        if self.token and not self.lost:
            with contextlib.suppress(FakeCudaError, LineClosed, Malformed, TimeoutError):
                caller_of(self.here.current_thread()).tear_down(time.monotonic() + LEAVING)

    def close(self) -> None:
        """Leave the machine.

        There this process has ended, and later calls raise MachineClosed.
        """
        self._left, self.path = self.path, Path(os.devnull)
        for thread in list(self.here.threads.values()):
            caller_of(thread).line.close()
        if self.service is not None:
            self.service.close()
        self.lost = True

    def forked(self) -> None:
        """Continue in a forked child as a new process, which attaches at its first call."""
        for thread in self.here.threads.values():
            caller_of(thread).line.socket.close()
        self.here.threads.clear()
        if self.service is not None:
            self.service.abandon()
        self.in_functions.clear()
        self.registered = 0
        if self.token:
            here = self.here
            self._parent, self._forking = self.token, _forking[0]
            self._known = known_of(here) or self._known
        self.token, self.service = b"", None
        self._lock = threading.RLock()


_machines: WeakSet[RemoteMachine] = WeakSet()

_forking: list[int] = [0]


def _before_fork() -> None:
    _forking[0] = threading.get_native_id()


def _forked() -> None:
    for machine in list(_machines):
        machine.forked()


os.register_at_fork(before=_before_fork, after_in_child=_forked)
