"""The socket for other OS processes, and the thread that accepts them.

The thread accepts them also when the system is short of resources.
If the owner has no free descriptors, memory or threads, it accepts waiting processes a little later. If the shortage
lasts, it refuses them with the reason. It keeps one descriptor in reserve for that.
"""

from __future__ import annotations

import _thread
import contextlib
import errno
import os
import select
import socket
import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from fakecuda.model.os.scarcity import NO_DESCRIPTORS, THREADS, scarcity
from fakecuda.model.os.threads import SERVANTS, running
from fakecuda.reach.remote.protocol.frames import Line, refuse

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

BACKLOG = 512
LONGEST_PATH = 100
PAUSES: tuple[float, ...] = (0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0)
"""Seconds between retries while a resource is short; the last pause repeats."""
OVER = frozenset({errno.EBADF, errno.ENOTSOCK, errno.EINVAL, errno.EOPNOTSUPP})
"""Errors of a closed socket: the program has closed all descriptors."""
NO_THREAD = f"the process that made the machine cannot start a thread: {THREADS}"


class Listener:
    """The listening socket of this OS process, and its thread.

    Args:
        path: The path of the socket.
        greet: Serves a connection. It runs in its own thread.

    Raises:
        OSError: The system provides no socket, descriptor or thread.
    """

    def __init__(self, path: Path, greet: Callable[[socket.socket], None]) -> None:
        self._greet = greet
        self._lock = threading.Lock()
        self._forks = 0
        self._thread = 0
        self._scarce = 0
        self._over = _thread.allocate_lock()
        with ExitStack() as undo:
            # Not socket.socket: test runners replace that class, and the new class refuses connections.
            self._socket: Any = socket.SocketType(socket.AF_UNIX, socket.SOCK_STREAM)
            undo.callback(self._socket.close)
            with reachable(path) as name:
                self._socket.bind(name)
            path.chmod(0o600)
            self._socket.listen(BACKLOG)
            self._wake, self._waker = os.pipe()
            undo.callback(os.close, self._wake)
            undo.callback(os.close, self._waker)
            self._spare = _spare()
            undo.callback(self._close_spare)
            if not self.resume():
                raise OSError(errno.EAGAIN, "cannot start a thread for connections of other programs")
            undo.pop_all()

    def pause(self) -> None:
        """End the thread before a fork.

        The child would not have it, and Python warns about it.
        """
        with self._lock:
            self._forks += 1
            if self._forks > 1 or not self._thread:
                return
            try:
                os.write(self._waker, b"\0")
            except OSError:  # the program has closed all descriptors, which ends the thread, too
                return
            self._over.acquire()
            os.read(self._wake, 1)
            while self._thread in running():  # the OS thread ends a moment after its last line
                time.sleep(0)
            SERVANTS.discard(self._thread)
            self._thread = 0

    def resume(self) -> bool:
        """Start the thread after a fork.

        Return whether it runs or will run after other forks in progress.
        """
        with self._lock:
            self._forks = max(self._forks - 1, 0)
            return bool(self._forks or self._thread) or self._start()

    def revive(self) -> None:
        """Start the thread if it could not be started after a fork."""
        with self._lock:
            if not self._forks and not self._thread:
                self._start()

    def abandon(self) -> None:
        """Forget the socket in a forked child: it belongs to the parent."""
        self._socket.close()
        self._close_spare()
        for descriptor in (self._wake, self._waker):
            with contextlib.suppress(OSError):
                os.close(descriptor)

    def _start(self) -> bool:
        """Start the thread, with some tries; return whether it runs."""
        for pause in (*PAUSES, None):
            # Not threading.Thread: the program may count the threads of that module.
            begun = _thread.allocate_lock()
            begun.acquire()
            self._over = _thread.allocate_lock()
            self._over.acquire()
            try:
                _thread.start_new_thread(self._listen, (begun, self._over))
            except RuntimeError:
                if pause is not None:
                    time.sleep(pause)
                continue
            begun.acquire()
            return True
        return False

    def _listen(self, begun: Any, over: Any) -> None:
        self._thread = threading.get_native_id()
        SERVANTS.add(self._thread)
        begun.release()
        pause: float | None = 0.0
        try:
            while pause is not None:
                try:
                    pause = self._accept() if self._arrived(pause) else None
                except MemoryError:
                    pause = PAUSES[-1]
        finally:
            over.release()

    def _arrived(self, pause: float) -> bool:
        """Wait, after a pause, until a process connects.

        Return False if the thread has to end.
        """
        while True:
            poll = select.poll()
            poll.register(self._wake, select.POLLIN)
            try:
                if pause and poll.poll(1000 * pause):
                    return False
                poll.register(self._socket.fileno(), select.POLLIN)
                ready = dict(poll.poll())
            except OSError:  # the system has no memory for the poll
                if self._forks:
                    return False
                time.sleep(PAUSES[0])
                continue
            # Another event means that the program has closed all descriptors.
            return self._wake not in ready and all(event == select.POLLIN for event in ready.values())

    def _accept(self) -> float | None:
        """Accept a waiting process.

        Return the seconds until the next try, or None if the socket is closed.
        """
        try:
            connection = self._connection()
        except OSError as error:
            if error.errno in OVER:
                return None
            self._scarce += 1
            if self._scarce <= len(PAUSES):
                return PAUSES[self._scarce - 1]
            return self._refuse(error)
        self._scarce = 0
        if self._spare < 0:
            self._spare = _spare()
        try:
            threading.Thread(target=self._greet, args=(connection,), name="fakecuda line", daemon=True).start()
        except RuntimeError:
            _send_away(connection, NO_THREAD)
        return 0.0

    def _refuse(self, error: OSError) -> float:
        """Refuse a waiting process, using the spare descriptor.

        Return the seconds until the next try.
        """
        if error.errno not in NO_DESCRIPTORS or self._spare < 0:
            self._spare = _spare() if self._spare < 0 else self._spare
            return PAUSES[-1]
        self._close_spare()
        try:
            connection = self._connection()
        except OSError:
            return PAUSES[-1]
        finally:
            self._spare = _spare()
        _send_away(connection, f"the process that made the machine has no free file descriptors: {scarcity(error)}")
        self._spare = _spare() if self._spare < 0 else self._spare
        return 0.0

    def _connection(self) -> Any:
        """Return the connection of a waiting process.

        Raises:
            OSError: The system provides no descriptor.
        """
        number, _ = self._socket._accept()  # noqa: SLF001 - accept() would make a socket.socket
        return socket.SocketType(socket.AF_UNIX, socket.SOCK_STREAM, 0, number)

    def _close_spare(self) -> None:
        if self._spare >= 0:
            with contextlib.suppress(OSError):
                os.close(self._spare)
            self._spare = -1


def _send_away(connection: socket.socket, reason: str) -> None:
    """Refuse a connection that cannot be served."""
    line = Line(connection)
    refuse(line, reason)
    line.close()


def _spare() -> int:
    """Return a spare descriptor, to be closed when one is needed.

    The result is -1 if the system has none.
    """
    try:
        return os.open(os.devnull, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return -1


@contextlib.contextmanager
def reachable(path: Path) -> Iterator[str]:
    """Yield a name of a socket that is short enough for the system.

    The length of its path does not matter.

    Raises:
        OSError: The system provides no descriptor for the directory.
    """
    name = str(path)
    if len(os.fsencode(name)) <= LONGEST_PATH:
        yield name
        return
    directory = os.open(path.parent, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield f"/proc/self/fd/{directory}/{path.name}"
    finally:
        os.close(directory)
