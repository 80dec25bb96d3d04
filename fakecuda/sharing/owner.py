"""The owner of a shared machine: it offers the machine on a Unix socket and keeps the books of who is attached."""

from __future__ import annotations

import contextlib
import os
import secrets
import select
import shutil
import socket
import struct
import tempfile
import threading
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from fakecuda.doors.loading import CONTENT, FILE
from fakecuda.errors import FakeCudaError, HookMissingWarning
from fakecuda.model import backing
from fakecuda.model.backing import sparse_file
from fakecuda.model.process import FORKED
from fakecuda.model.space import SPACE, libc
from fakecuda.sharing import VARIABLE, schema
from fakecuda.sharing.attached import Attached, Serving, Session, watch_events
from fakecuda.sharing.calls import FOREIGN_PROC, READY_NOW, STARTED, refuse
from fakecuda.sharing.frames import PROCESS, THREAD, Kind, Line, LineClosed, Malformed, close_all
from fakecuda.sharing.hook import installed
from fakecuda.sharing.watch import HASTE, WatchfulLock, peer, process_descriptor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.simulated.machine import Machine
    from fakecuda.simulated.process import Process

GREETING = 10.0
"""Seconds within which who connects has to say what it wants."""
BACKLOG = 512
LIBRARY_PATH = "LD_LIBRARY_PATH"
TOKEN = 16
LONGEST_PATH = 100
HELLO_PARTS = 6
SEND_PATIENCE = struct.pack("ll", 30, 0)
"""How long the system tries to send to a process that does not read: seconds, microseconds."""
PR_SET_TIMERSLACK = 29


class Fork(NamedTuple):
    """Where a forked process comes from.

    Attributes:
        parent: The process that it was forked from; None for the owner.
        key: What that one's thread is known by that forked.
        known: What was known of it then.
    """

    parent: Session | None
    key: Any
    known: int

    def give(self, origin: Process, process: Attached) -> None:
        """Give the process what it has of the one that it was forked from."""
        process.visible_devices = origin.visible_devices
        if self.known & READY_NOW:
            origin.give_to(process)
            process.state = FORKED
            process.forked_from = origin
            process.give_back()
        process.started = bool(self.known & STARTED)
        process.forked_thread = origin.threads.get(self.key) if type(self.key) in {int, str} else None


class Sharing:
    """A machine that other OS processes can attach to.

    Args:
        machine: The machine.

    Attributes:
        machine: The machine.
        path: The socket.
        own: The token of the owner's own process, for forks of it.
        sessions: Who is or was attached, by tokens.
        files: What is mapped by both sides: (descriptor, where the owner has it, bytes); the first one is the host's.
        known: Whether others than the programs that this process starts may know the machine: whoever was told the
            environment variables, and what a fork of this process leaves behind.
    """

    def __init__(self, machine: Machine) -> None:
        before: Sharing | None = machine.sharing
        if before is not None:
            msg = f"the machine is shared already: its socket is {before.path}"
            raise FakeCudaError(msg)
        self.machine = machine
        self.own = secrets.token_bytes(TOKEN)
        self.sessions: dict[bytes, Session] = {}
        self._directory = tempfile.mkdtemp(prefix="fakecuda-")
        self.path: Path = Path(self._directory) / "machine"
        self._environ: dict[str, str | None] = {}
        self._lock = threading.Lock()
        self._closed = False
        self.known = False
        self._watched: dict[int, Session] = {}
        self._open_files()
        self._plain_lock = machine.lock
        self._guard = WatchfulLock(machine.lock, self._look)
        machine.lock = self._guard  # type: ignore[assignment]
        machine.progress = threading.Condition(self._guard)  # type: ignore[arg-type]
        machine.census.outside = self._outside
        machine.sharing = self
        backing.watchers.append(self._changed)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with reachable(self.path) as name:
            self._listener.bind(name)
        self.path.chmod(0o600)
        self._listener.listen(BACKLOG)
        threading.Thread(target=self._listen, name="fakecuda sharing", daemon=True).start()

    def environ(self) -> dict[str, str]:
        """Return the environment variables with which a program finds the machine, and the driver library.

        Raises:
            FakeCudaError: There are no stubs for this processor.
        """
        self.known = True
        return self._variables()

    def _variables(self) -> dict[str, str]:
        from fakecuda.native.library import write_library  # noqa: PLC0415 - it needs ctypes' callbacks

        if not (Path(self._directory) / "libcuda.so.1").exists():
            write_library(self._directory)
            (Path(self._directory) / FILE).write_text(CONTENT)
        before = os.environ.get(LIBRARY_PATH, "")
        return {
            VARIABLE: str(self.path),
            LIBRARY_PATH: os.pathsep.join(part for part in (self._directory, before) if part),
        }

    def export(self) -> None:
        """Have the programs that this process starts from now on find the machine; say so when they could not use it."""
        if not installed():
            warnings.warn(
                "Pythons of this environment do not fill the driver library when they start: python -m "
                "fakecuda.sharing.hook puts the hook there (a wheel of fakecuda brings it); forks need none",
                HookMissingWarning,
                stacklevel=4,
            )
        for name, value in self._variables().items():
            self._environ[name] = os.environ.get(name)
            os.environ[name] = value

    def close(self) -> None:
        """Take the offer back: who is attached is held for dead, and no file or socket is left."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
        for name, value in self._environ.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for session in list(self.sessions.values()):
            session.end()
        backing.watchers.remove(self._changed)
        with self._guard:
            self.machine.lock = self._plain_lock
            self.machine.progress = threading.Condition(self._plain_lock)
        self._guard.close()
        self.machine.census.outside = list
        self.machine.sharing = None
        shutil.rmtree(self._directory, ignore_errors=True)

    def abandon(self) -> None:
        """Forget the offer in a forked child of the owner: the owner goes on with it."""
        self._closed = True
        self._listener.close()
        for session in list(self.sessions.values()):
            for line in list(session.lines):
                line.socket.close()
            if session.watched >= 0:
                with contextlib.suppress(OSError):
                    os.close(session.watched)
        self.sessions = {}
        self._guard.close()
        with contextlib.suppress(ValueError):
            backing.watchers.remove(self._changed)

    def place(self, address: int, size: int) -> tuple[int, int] | None:
        """Return the file and the offset in it of a range of this process's memory; None for memory in no file."""
        if SPACE.start <= address < SPACE.end:
            return 0, address - SPACE.start
        for number, (_, start, length) in enumerate(self.files):
            if number and start <= address and address + size <= start + length:
                return number, address - start
        return None

    def forget(self, session: Session) -> None:
        """Note that a session has ended."""
        if self._watched.pop(session.line_number, None) is not None:
            HASTE.less()
        for descriptor in (session.line_number, session.watched):
            if descriptor >= 0:
                self._guard.forget(descriptor)
                self._watched.pop(descriptor, None)
        watched, session.watched = session.watched, -1  # a fork may happen between any two lines
        if watched >= 0:
            os.close(watched)

    def _open_files(self) -> None:
        SPACE.reserve()
        host = self.machine.pinned.shelf  # of an earlier offer
        if host is None:
            host = sparse_file()
            os.ftruncate(host, SPACE.end - SPACE.start)
            self.machine.pinned.shelf = self.machine.managed.shelf = host
        self.files = [(host, 0, 0)]
        self.files += [device.memory.file() for device in (*self.machine.devices, self.machine.host)]
        self._numbers = {descriptor: number for number, (descriptor, _, _) in enumerate(self.files)}

    def _changed(self, address: int, size: int, descriptor: int, offset: int) -> None:
        """Have the process whose device address it is map a file there, or nothing."""
        for session in list(self.sessions.values()):
            windows = session.process.addresses.windows
            if not session.gone and any(start <= address < end for start, end in windows):
                session.changed((address, size, self._numbers.get(descriptor, -1), offset))
                return

    def _look(self, descriptors: list[int]) -> None:
        """End the processes that have died; the machine's lock is held."""
        for descriptor in descriptors:
            session = self._watched.get(descriptor)
            if session is not None:
                session.end()

    def _outside(self) -> list[str]:
        """Return which other OS processes may call, in words."""
        if found := [f"{session.process}, which is attached" for session in self.sessions.values() if not session.gone]:
            return found
        if self.known:
            return ["whoever knows the machine's socket"]
        return ["a program that finds the machine in its environment"] if descendants(self.path) else []

    def _listen(self) -> None:
        self.machine.census.servants.add(threading.get_native_id())
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            threading.Thread(target=self._greet, args=(connection,), name="fakecuda line", daemon=True).start()

    def _greet(self, connection: socket.socket) -> None:
        """Hear what a connection is for, and serve it."""
        hurry()
        line, number = Line(connection), threading.get_native_id()
        try:
            self.machine.census.servants.add(number)
            user = peer(connection)[1]
            if user not in {os.getuid(), 0}:
                refuse(line, f"the machine is user {os.getuid()}'s, and you are {user}: start both as one user")
                return
            connection.settimeout(GREETING)
            kind, value, descriptors = line.receive()
            close_all(descriptors)
            connection.settimeout(None)
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, SEND_PATIENCE)
            if kind != Kind.HELLO or type(value) is not tuple or len(value) != HELLO_PARTS:
                refuse(line, "the first frame is no greeting of this protocol")
                return
            self._admit(line, *value)
        except Malformed as error:
            refuse(line, str(error))
        except (LineClosed, OSError):
            return
        finally:
            self.machine.census.servants.discard(number)
            line.close()

    def _admit(self, line: Line, digest: object, role: object, token: object, *others: object) -> None:
        """Serve a connection as what it says it is."""
        if digest != schema.DIGEST:
            refuse(line, "it numbers the calls otherwise: install the same release of fakecuda in both")
            return
        if self._closed or self.machine.closed:
            refuse(line, "the machine is closed: its test has ended")
            return
        session = self.sessions.get(token) if type(token) is bytes else None
        key, name, flag = others
        if role == THREAD and session is not None and type(key) in {int, str} and not session.gone:
            if flag and type(key) is not int:
                refuse(line, "a thread that runs functions has a number")
                return
            session.lines.add(line)
            serving = Serving(session, line, key, in_function=bool(flag))  # type: ignore[arg-type]
            line.send(Kind.WELCOME, ())
            serving.serve()
        elif role == PROCESS and (token == b"" or session is not None or token == self.own):
            known = flag if type(flag) is int else 0
            fork = Fork(session, key, known) if token else None
            self._attach(line, name if type(name) is str else None, fork, known)
        else:
            refuse(line, "the process is not attached, or has ended")

    def _attach(self, line: Line, name: str | None, fork: Fork | None, known: int) -> None:
        """Let a process take part until its connection ends."""
        machine = self.machine
        token = secrets.token_bytes(TOKEN)
        watched = process_descriptor(line.socket)
        with machine.lock:
            taken = name in machine.processes and machine.processes[name].alive if name else True
            process: Any = machine.adopt(Attached, None if taken else name)
            session = Session(self, process, line, token, watched)
            process.is_fork = fork is not None
            process.foreign_proc = bool(known & FOREIGN_PROC)
            if fork is not None:
                fork.give(fork.parent.process if fork.parent else machine.here, process)
            self.sessions[token] = session
            self._watched[session.line_number] = session
            HASTE.more()
            self._guard.watch(session.line_number, watch_events())
            if watched >= 0:
                self._watched[watched] = session
                self._guard.watch(watched, select.EPOLLIN)
        facts = (token, process.name, machine.profile.name, machine.profile.driver_version, SPACE.start, SPACE.end)
        try:
            line.send(Kind.WELCOME, facts, tuple(descriptor for descriptor, _, _ in self.files))
        except LineClosed:
            session.end()
            return
        session.serve()


def descendants(path: Path) -> bool:
    """Return whether this process has children, ended ones that it has not waited for included, or they left some behind.

    Args:
        path: The socket of a machine, which those have in their environment.
    """
    with contextlib.suppress(ChildProcessError):
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
        return True
    variable = os.fsencode(f"{VARIABLE}={path}")
    for environ in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):  # another user's, or one that has ended
            if variable in environ.read_bytes().split(b"\0"):
                return True
    return False


def hurry() -> None:
    """Let the current thread wake up in time: the system otherwise adds 50 microseconds to short waits."""
    with contextlib.suppress(AttributeError, OSError):
        libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)


@contextlib.contextmanager
def reachable(path: Path) -> Iterator[str]:
    """Yield a name of a socket that is short enough for the system, whatever its path."""
    name = str(path)
    if len(os.fsencode(name)) <= LONGEST_PATH:
        yield name
        return
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)
