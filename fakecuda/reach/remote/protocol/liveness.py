"""Seeing at once that a process has ended: the lock of a machine that looks before anything else happens under it."""

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
"""Linux 6.5: a descriptor of the process at the other end, whatever its number is worth here."""
SWITCH = 20e-6
"""Seconds after which a busy owner's interpreter lets another thread run, while processes are attached."""


def peer(connection: socket.socket) -> tuple[int, int]:
    """Return the number of the process that has connected, 0 where it is not known here, and its user."""
    content = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, PEER.size)
    number, user, _ = PEER.unpack(content)
    return number, user


def process_descriptor(connection: socket.socket) -> int:
    """Return a descriptor that is readable once the process at the other end has ended, or -1 where there is none."""
    with contextlib.suppress(OSError):
        return connection.getsockopt(socket.SOL_SOCKET, SO_PEERPIDFD)
    with contextlib.suppress(OSError, AttributeError):
        return os.pidfd_open(peer(connection)[0])
    return -1


class WatchfulLock:
    """A machine's lock that ends processes which have died, before the operation that it is taken for.

    Args:
        lock: The machine's own lock; it is the one that is held.
        look: Ends those of some descriptors; called with the lock held.
    """

    def __init__(self, lock: Any, look: Callable[[list[int]], None]) -> None:
        self._lock = lock
        self._look = look
        self._poll = select.epoll()
        self.release = lock.release
        # A condition waits and goes on with these.
        self._is_owned = lock._is_owned  # noqa: SLF001 - as conditions do
        self._release_save = lock._release_save  # noqa: SLF001 - likewise
        self._acquire_restore = lock._acquire_restore  # noqa: SLF001 - likewise

    def acquire(self, blocking: bool = True, timeout: float = -1) -> bool:  # noqa: FBT001, FBT002 - as locks have it
        """Take the lock; who takes it first finds the dead gone."""
        first = not self._is_owned()
        taken: bool = self._lock.acquire(blocking, timeout)
        if first and taken:
            try:
                ready = self._poll.poll(0)
            except (OSError, ValueError):  # it was closed meanwhile: nobody is attached any more
                return taken
            if ready:
                try:
                    self._look([descriptor for descriptor, _ in ready])
                except BaseException:
                    self._lock.release()
                    raise
        return taken

    def watch(self, descriptor: int, events: int) -> None:
        """Look at a descriptor from now on."""
        self._poll.register(descriptor, events)

    def forget(self, descriptor: int) -> None:
        """Look at a descriptor no longer."""
        with contextlib.suppress(OSError, ValueError):
            self._poll.unregister(descriptor)

    def close(self) -> None:
        """Look at nothing any more."""
        self._poll.close()

    def __repr__(self) -> str:
        return repr(self._lock)  # which says how often it is held

    def __enter__(self) -> bool:
        return self.acquire()

    def __exit__(self, *_: object) -> None:
        self.release()


class Haste:
    """Lets a busy owner answer soon: its interpreter switches threads more often while processes are attached."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._count = 0
        self._usual = 0.0

    def more(self) -> None:
        """Note that a process has attached."""
        with self._lock:
            if not self._count:
                self._usual = sys.getswitchinterval()
                sys.setswitchinterval(min(SWITCH, self._usual))
            self._count += 1

    def less(self) -> None:
        """Note that a process has gone."""
        with self._lock:
            self._count -= 1
            if not self._count:
                sys.setswitchinterval(self._usual)


HASTE = Haste()
