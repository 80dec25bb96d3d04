"""Where programs that this OS process starts find its machines: one socket, and the libraries beside it, for all of them.

The reception opens with the first machine that is offered, and waits in a thread that sleeps. What a machine costs beside is
its number. Only when a process greets is the rest made that sharing takes: :mod:`~fakecuda.reach.remote.owner.endpoint`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING
from weakref import finalize

from fakecuda.errors import FakeCudaError
from fakecuda.model.memory.space import libc
from fakecuda.model.os.scarcity import scarcity
from fakecuda.model.os.threads import SERVANTS
from fakecuda.reach.native.library import PREFIX
from fakecuda.reach.remote.owner.listener import NO_THREAD, Listener
from fakecuda.reach.remote.protocol.frames import Kind, Line, LineClosed, Malformed, close_all, give_up, refuse
from fakecuda.reach.remote.protocol.liveness import peer

if TYPE_CHECKING:
    import socket

    from fakecuda.reach.remote.owner.endpoint import Offer

GREETING = 10.0
"""Seconds within which who connects has to say what it wants."""
HELLO_PARTS = 6
PR_SET_TIMERSLACK = 29
SOCKET = "machine"
"""The socket in a directory."""
YOUNG = 3600
"""Seconds for which a directory without a socket is left alone."""
REMEMBERED = 10_000
"""Machines that have ended of which it is known whose they were."""


class Reception:
    """The socket of this OS process, and the directory that it lies in.

    Attributes:
        directory: The directory, which nobody else can enter.
        listener: What waits at the socket.

    Raises:
        OSError: The system gives no directory or no socket.
    """

    def __init__(self) -> None:
        self.directory = Path(tempfile.mkdtemp(prefix=PREFIX))
        self._closing = finalize(self, _remove, self.directory, os.getpid())
        self._socket = self.directory / SOCKET
        self._places: dict[tuple[bool, bool], Path] = {}
        self._offers: dict[int, Offer] = {}
        self._ended: dict[int, str] = {}
        self._count = 0
        self._lock = threading.Lock()
        self._held = -1
        try:
            self._held = _hold(self.directory)
            self.listener = Listener(self._socket, self._greet)
        except BaseException:
            self._forget()
            _remove(self.directory, os.getpid())
            raise
        sweep(self.directory.parent, self.directory)

    def place(self, *, hip: bool, linked: bool = False) -> Path:
        """Return the socket, beside which lie the libraries for a machine's programs: with HIP's, which not every machine has.

        Args:
            hip: Whether it has.
            linked: Whether programs without Python find a client there, and the runtime library.

        Raises:
            FakeCudaError: There are no stubs for this processor, or there is no client: no C compiler has built it.
        """
        from fakecuda.reach.native import objects  # noqa: PLC0415 - it needs ctypes' callbacks
        from fakecuda.reach.native.library import write_library  # noqa: PLC0415 - likewise
        from fakecuda.reach.remote.linked import build  # noqa: PLC0415 - likewise

        with self._lock:
            key = hip, linked
            if key not in self._places:
                new = Path(tempfile.mkdtemp(dir=self.directory))
                try:
                    for kind in (*objects.every(), *([objects.hip()] if hip else [])):
                        write_library(new, kind)
                    if linked:
                        build.place(new)
                    (new / self._socket.name).symlink_to(self._socket)
                except BaseException:
                    shutil.rmtree(new, ignore_errors=True)
                    raise
                self._places[key] = new / self._socket.name
            return self._places[key]

    def enter(self, offer: Offer) -> int:
        """Return the number under which a machine is found from now on."""
        self.listener.revive()
        with self._lock:
            self._count += 1
            self._offers[self._count] = offer
            return self._count

    def leave(self, offer: Offer) -> None:
        """Note that a machine is offered no more."""
        with self._lock:
            if self._offers.pop(offer.number, None) is not None:
                self._ended[offer.number] = offer.maker
                if len(self._ended) > REMEMBERED:
                    del self._ended[next(iter(self._ended))]

    def abandon(self) -> None:
        """Forget it in a forked child: it is the parent's."""
        self._closing.detach()
        self.listener.abandon()
        self._forget()

    def _forget(self) -> None:
        if self._held >= 0:
            with contextlib.suppress(OSError):
                os.close(self._held)

    def _greet(self, connection: socket.socket) -> None:
        """Hear what a connection is for, and serve it."""
        hurry()
        line, number = Line(connection), threading.get_native_id()
        SERVANTS.add(number)
        try:
            process, user = peer(connection)
            if user not in {os.getuid(), 0}:
                refuse(line, f"the machine is user {os.getuid()}'s, and you are {user}: start both as one user")
                return
            kind, value, descriptors = line.receive(time.monotonic() + GREETING)
            close_all(descriptors)
            if kind != Kind.HELLO or type(value) is not tuple or len(value) != HELLO_PARTS:
                refuse(line, "the first frame is no greeting of this protocol")
                return
            digest, role, token, key, machine, flag = value
            offer = self._offered(machine, process)
            if offer is not None:
                offer.admit(line, digest, role, token, key, flag)
            elif type(machine) is int and machine in self._ended:
                refuse(line, f"the machine of {self._ended[machine]} has ended", ended=True)
            else:
                refuse(line, "no machine is offered there now", ended=True)
        except (Malformed, FakeCudaError) as error:
            refuse(line, str(error))
        except LineClosed as error:
            give_up(line, error)
        except TimeoutError:
            return
        except (OSError, MemoryError, RuntimeError) as error:
            refuse(line, f"the owner's process cannot serve it: {scarcity(error)}")
        finally:
            SERVANTS.discard(number)
            line.close()

    def _offered(self, number: object, process: int) -> Offer | None:
        """Return what a number means that a process tells; without one, the machine that was offered last."""
        with self._lock:
            last = next(reversed(self._offers.values()), None)
            if number is None:
                return last
            if (
                type(number) is int
                and number in self._ended
                and last is not None
                and last.children.has_of_fork_server(process)
            ):
                return last
            return self._offers.get(number) if type(number) is int else None


def _hold(directory: Path) -> int:
    """Return a descriptor by which a directory is this process's, for as long as it lives."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    with contextlib.suppress(OSError):  # some file systems have no locks
        fcntl.flock(descriptor, fcntl.LOCK_EX)
    return descriptor


def sweep(place: Path, own: Path | None = None) -> None:
    """Remove what processes have left behind that could not do so themselves, for they were killed.

    Args:
        place: The temporary folder.
        own: This process's own directory, which its file system may have no lock for.
    """
    found: list[Path] = []
    with contextlib.suppress(OSError):  # it cannot be listed now
        found += place.glob(f"{PREFIX}*")
    for directory in found:
        if directory == own:
            continue
        with contextlib.suppress(OSError):  # another user's, or somebody else removes it
            descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                status = os.fstat(descriptor)
                # One without a socket is about to have one, or a library is being loaded from it.
                settled = (directory / SOCKET).exists() or status.st_mtime < time.time() - YOUNG
                if settled and status.st_uid == os.getuid():
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(directory, ignore_errors=True)
            finally:
                os.close(descriptor)


def _remove(directory: Path, owner: int) -> None:
    if os.getpid() == owner:  # a fork may end as its parent does
        shutil.rmtree(directory, ignore_errors=True)


_lock = threading.Lock()
_reception: list[Reception] = []


def reception() -> Reception:
    """Return the reception of this OS process; the first call opens it.

    Raises:
        OSError: The system gives no directory or no socket.
    """
    with _lock:
        if not _reception or not _reception[-1].directory.exists():  # a cleaner of temporary folders has removed it
            _reception.append(Reception())
        return _reception[-1]


def _before_fork() -> None:
    for one in _reception:
        one.listener.pause()


def _in_parent() -> None:
    for one in _reception:
        if not one.listener.resume():
            warnings.warn(
                f"{NO_THREAD}; until the next fork or machine no program can attach", RuntimeWarning, stacklevel=2
            )


def _in_child() -> None:
    global _lock  # noqa: PLW0603 - a thread that is not there may hold the old one
    _lock = threading.Lock()
    SERVANTS.clear()
    for one in _reception:
        one.abandon()
    _reception.clear()


os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)


def hurry() -> None:
    """Let the current thread wake up in time: the system otherwise adds 50 microseconds to short waits."""
    with contextlib.suppress(AttributeError, OSError):
        libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
