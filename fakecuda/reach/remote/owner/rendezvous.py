"""The meeting point of this OS process's machines and its programs.

One socket, and the libraries beside it.
It opens with the first offered machine and waits in a sleeping thread. A further machine costs only a number. The rest
of sharing is prepared when a process greets: :mod:`~fakecuda.reach.remote.owner.endpoint`.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
import sys
import tempfile
import threading
import time
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from fakecuda.errors import FakeCudaError
from fakecuda.model.memory.space import libc
from fakecuda.model.os.interruption import unbroken
from fakecuda.model.os.scarcity import scarcity
from fakecuda.model.os.threads import SERVANTS, running
from fakecuda.reach.native import folder
from fakecuda.reach.native.folder import PREFIX, Folder
from fakecuda.reach.remote.owner.listener import NO_THREAD, Listener
from fakecuda.reach.remote.protocol.frames import Kind, Line, LineClosed, Malformed, close_all, give_up, refuse
from fakecuda.reach.remote.protocol.liveness import peer

if TYPE_CHECKING:
    import socket

    from fakecuda.reach.remote.owner.endpoint import Offer

GREETING = 10.0
"""Seconds to wait for a new connection's greeting."""
HELLO_PARTS = 6
PR_SET_TIMERSLACK = 29
SOCKET = "machine"
"""The name of the socket in its directory."""
YOUNG = 3600
"""Seconds for which an empty directory is kept."""
REMEMBERED = 10_000
"""Number of ended machines whose makers are kept."""


class Reception:
    """The socket of this OS process and its directory.

    Attributes:
        directory: The directory, which only this user can enter.
        listener: The listener at the socket.

    Raises:
        OSError: The system provides no directory or socket.
    """

    def __init__(self) -> None:
        shared = folder.own()
        self._folder = Folder() if (shared.path / SOCKET).exists() else shared
        self.directory = self._folder.path
        self._socket = self.directory / SOCKET
        self._places: dict[tuple[bool, bool], Path] = {}
        self._offers: dict[int, Offer] = {}
        self._ended: dict[int, str] = {}
        self._count = 0
        self._lock = threading.Lock()
        try:
            self.listener = Listener(self._socket, self._greet)
        except BaseException:
            self._socket.unlink(missing_ok=True)
            if self._folder is not shared or not any(shared.path.iterdir()):  # else it has the loaded libraries
                self._folder.remove()
            raise
        sweep(self.directory.parent, self.directory)

    def place(self, *, hip: bool, linked: bool = False) -> Path:
        """Return the path of the socket.

        The libraries for a machine's programs are beside it.

        Args:
            hip: Include HIP's library. Not every machine has it.
            linked: Include the client for programs without Python, and the runtime library.

        Raises:
            FakeCudaError: There are no stubs for this processor; or there is no client, and no C compiler to build it.
        """
        from fakecuda.reach.native import objects  # noqa: PLC0415 - it imports ctypes
        from fakecuda.reach.native.library import place  # noqa: PLC0415 - it imports ctypes
        from fakecuda.reach.remote.linked import build  # noqa: PLC0415 - it imports ctypes

        with self._lock:
            key = hip, linked
            if key not in self._places:
                new = Path(tempfile.mkdtemp(dir=self.directory))
                try:
                    if linked:
                        build.place(new)
                    for kind in (*([] if linked else objects.every()), *([objects.hip()] if hip else [])):
                        place(new, kind)
                    (new / self._socket.name).symlink_to(self._socket)
                except BaseException:
                    shutil.rmtree(new, ignore_errors=True)
                    raise
                self._places[key] = new / self._socket.name
            return self._places[key]

    def new_number(self) -> int:
        """Return a new machine number."""
        with self._lock:
            self._count += 1
            return self._count

    def enter(self, offer: Offer) -> None:
        """Make a machine findable by its number."""
        self.listener.revive()
        with self._lock:
            self._offers[offer.number] = offer

    @unbroken
    def leave(self, offer: Offer) -> None:
        """Note that a machine is no longer offered."""
        with self._lock:
            if self._offers.pop(offer.number, None) is not None:
                self._ended[offer.number] = offer.maker
                if len(self._ended) > REMEMBERED:
                    del self._ended[next(iter(self._ended))]

    def abandon(self) -> None:
        """Forget the socket in a forked child: it belongs to the parent."""
        self.listener.abandon()
        self._folder.abandon()

    def _greet(self, connection: socket.socket) -> None:
        """Receive the greeting of a connection, and serve it."""
        hurry()
        line, number = Line(connection), threading.get_native_id()
        SERVANTS.add(number)
        try:
            process, user = peer(connection)
            if user not in {os.getuid(), 0}:
                refuse(
                    line,
                    f"the machine belongs to a process of user id {os.getuid()}, but this process has user id "
                    f"{user}: run both as the same user",
                )
                return
            kind, value, descriptors = line.receive(time.monotonic() + GREETING)
            close_all(descriptors)
            if kind != Kind.HELLO or type(value) is not tuple or len(value) != HELLO_PARTS:
                refuse(
                    line,
                    "the first message of this process does not begin a connection: install the same release of "
                    "fakecuda in both processes",
                )
                return
            digest, role, token, key, machine, flag = value
            offer = self._offered(machine, process)
            if offer is not None:
                offer.admit(line, digest, role, token, key, flag)
            elif type(machine) is int and machine in self._ended:
                reason = f"the machine of {self._ended[machine]} has ended: call the driver while the machine is open"
                refuse(line, reason, ended=True)
            else:
                reason = (
                    "the process that made the machine has no shared machine now: call the driver while the machine is "
                    "open"
                )
                refuse(line, reason, ended=True)
        except (Malformed, FakeCudaError) as error:
            refuse(line, str(error))
        except LineClosed as error:
            give_up(line, error)
        except TimeoutError:
            return
        except (OSError, MemoryError, RuntimeError) as error:
            refuse(line, f"the process that made the machine cannot serve this process: {scarcity(error)}")
        finally:
            SERVANTS.discard(number)
            line.close()

    def _offered(self, number: object, process: int) -> Offer | None:
        """Return the offer with a number that a process sent.

        Without a number, return the last offer.
        """
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


def sweep(place: Path, own: Path | None = None) -> None:
    """Remove directories that killed processes have left behind.

    Args:
        place: The temporary folder.
        own: This process's own directory. Its file system may not support locks.
    """
    found: list[Path] = []
    with contextlib.suppress(OSError):  # the folder cannot be listed now
        found += place.glob(f"{PREFIX}*")
    for directory in found:
        if directory == own:
            continue
        with contextlib.suppress(OSError):  # another user's, or another process removes it
            descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
            try:
                status = os.fstat(descriptor)
                # An empty directory may be new, and not be locked yet.
                settled = any(directory.iterdir()) or status.st_mtime < time.time() - YOUNG
                if settled and status.st_uid == os.getuid():
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    shutil.rmtree(directory, ignore_errors=True)
            finally:
                os.close(descriptor)


_lock = threading.Lock()
COUNTS_LATE = 3, 13
"""Whether Python warns about threads after fork hooks have run (3.13.0)."""
_UNTOLD = "ignore", re.compile("This process .* is multi-threaded, use of fork"), DeprecationWarning, None, 0
"""A filter for the fork warning, which a fork without threads adds."""
_reception: list[Reception] = []


def reception() -> Reception:
    """Return the meeting point of this OS process, which the first call opens.

    Raises:
        OSError: The system provides no directory or socket.
    """
    with _lock:
        if (
            not _reception or not _reception[-1].directory.exists()
        ):  # a cleaner of temporary folders may have removed it
            _reception.append(Reception())
        return _reception[-1]


def _before_fork() -> None:
    for one in _reception:
        one.listener.pause()


def _in_parent() -> None:
    filters = cast("list[Any]", warnings.filters)
    if _UNTOLD in filters:
        filters.remove(_UNTOLD)
    if _reception and sys.version_info[:2] == COUNTS_LATE and len(running()) == 1:
        filters.insert(0, _UNTOLD)
    for one in _reception:
        if not one.listener.resume():
            warnings.warn(
                f"{NO_THREAD}; until this process forks again or makes another machine, no other program can use its "
                "machines",
                RuntimeWarning,
                stacklevel=2,
            )


def _in_child() -> None:
    global _lock  # noqa: PLW0603 - a thread that the child does not have may hold the old lock
    _lock = threading.Lock()
    SERVANTS.clear()
    for one in _reception:
        one.abandon()
    _reception.clear()


os.register_at_fork(before=_before_fork, after_in_parent=_in_parent, after_in_child=_in_child)


def hurry() -> None:
    """Remove the current thread's timer slack.

    The system otherwise adds 50 microseconds to short waits.
    """
    with contextlib.suppress(AttributeError, OSError):
        libc.prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0)
