"""Prompt detection of dead processes.

A machine's lock that looks for them whenever it is taken.
"""

from __future__ import annotations

import contextlib
import os
import select
import socket
import struct
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

PEER = struct.Struct("iII")
SO_PEERPIDFD = 77
"""Linux 6.5: the option for a descriptor of the process at the other end, which works across PID namespaces."""
SWITCH = 20e-6
"""Thread switch interval of a busy owner's interpreter in seconds, while processes are attached."""


def peer(connection: socket.socket) -> tuple[int, int]:
    """Return the pid of the connected process, or 0 if unknown, and its user id."""
    content = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size)
    number, user, _ = PEER.unpack(content)
    return number, user


def process_descriptor(connection: socket.socket) -> int:
    """Return a descriptor that becomes readable when a process ends.

    The process is the connected one. The result is -1 without a descriptor.
    """
    with contextlib.suppress(OSError):
        return connection.getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD)
    with contextlib.suppress(OSError, AttributeError):
        return os.pidfd_open(peer(connection)[0])
    return -1


class WatchfulLock:
    """A machine's lock that first ends processes that have died.

    Args:
        lock: The machine's own lock, which this one takes.
        look: Ends the processes of some descriptors. The caller holds the lock.
    """

    def __init__(self, lock: Any, look: Callable[[list[int]], None]) -> None:
        self._lock = lock
        self._look = look
        self._poll = select.epoll()
        self.release = lock.release
        # threading.Condition uses these.
        self._is_owned = lock._is_owned  # noqa: SLF001 - as conditions do
        self._release_save = lock._release_save  # noqa: SLF001 - as conditions do
        self._acquire_restore = lock._acquire_restore  # noqa: SLF001 - as conditions do

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002 - as in threading.Lock
        """Take the lock. If it was not held before, processes that have died are ended."""
        first = not self._is_owned()
        taken: bool = self._lock.acquire(blocking, timeout)
        if first and taken:
            try:
                ready = self._poll.poll(0)
            except (OSError, ValueError):  # closed meanwhile: no process is attached any more
                return taken
            if ready:
                try:
                    self._look([descriptor for descriptor, _ in ready])
                except BaseException:
                    self._lock.release()
                    raise
        return taken

    def watch(self, descriptor: int, events: int) -> None:
        """Start watching a descriptor."""
        self._poll.register(descriptor, events)

    def forget(self, descriptor: int) -> None:
        """Stop watching a descriptor."""
        with contextlib.suppress(OSError, ValueError):
            self._poll.unregister(descriptor)

    def close(self) -> None:
        """Stop watching."""
        self._poll.close()

    def __repr__(self) -> str:
        return repr(self._lock)  # it shows how often the lock is held

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class Haste:
    """Shortens the interpreter's thread switch interval for prompt answers.

    It is short while processes are attached.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._usual = 0.0

    def more(self) -> None:
        """Count a process that attached."""
        with self._lock:
            if not self._count:
                self._usual = sys.getswitchinterval()
                sys.setswitchinterval(min(SWITCH, self._usual))
            self._count += 1

    def less(self) -> None:
        """Count a process that ended."""
        with self._lock:
            self._count -= 1
            if not self._count:
                sys.setswitchinterval(self._usual)


HASTE = Haste()
