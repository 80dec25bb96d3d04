"""Connecting to the owner of a machine and greeting it, with time limits."""

from __future__ import annotations

import errno
import os
import socket
import time
from struct import pack
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError, MachineClosed
from fakecuda.model.os.scarcity import ADVICE, is_scarce, scarcity
from fakecuda.reach.remote.owner.listener import reachable
from fakecuda.reach.remote.protocol.frames import MISSING, Kind, Line, LineClosed, close_all
from fakecuda.reach.remote.protocol.liveness import peer

if TYPE_CHECKING:
    from pathlib import Path

GREETED = 120.0
"""Seconds to wait for a connection, and for the first answer."""


def proc_is_foreign() -> bool:
    """Return whether /proc shows another pid than ``os.getpid`` for this process."""
    try:
        return os.readlink("/proc/self") != str(os.getpid())  # noqa: PTH115 - the result need not be a path
    except OSError:
        return False


def connected(path: Path) -> Line:
    """Return a connection to an owner's socket.

    Raises:
        FakeCudaError: This process lacks a resource, or the owner does not accept the connection in time.
        OSError: There is no owner.
    """
    try:
        # Not socket.socket: test runners replace that class, and the new class refuses connections.
        connection: Any = socket.SocketType(socket.AF_UNIX, socket.SOCK_STREAM)
    except OSError as error:
        raise _short(path, error) from error
    line = Line(connection)
    try:
        with reachable(path) as name:
            _connect(connection, name)
    except OSError as error:
        line.close()
        if error.errno == errno.EAGAIN:
            raise unanswered(path) from error
        if is_scarce(error):
            raise _short(path, error) from error
        raise
    except BaseException:
        line.close()
        raise
    return line


def _connect(connection: socket.socket, name: str) -> None:
    """Connect to a socket; if its backlog is full, wait with a time limit."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(GREETED))
    while True:
        connection.connect(name)
        try:
            connection.getpeername()
        except OSError as error:
            if error.errno != errno.ENOTCONN:
                raise
            continue  # after a signal, Python takes the connection for one in progress
        break
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(0.0))


def _timeval(seconds: float) -> bytes:
    return pack("ll", int(seconds), int(seconds % 1 * 1_000_000))


def greeted(line: Line, path: Path, greeting: tuple[Any, ...]) -> tuple[int, Any, list[int]]:
    """Send the greeting.

    Return the kind of the answer, the answer, and its descriptors.

    Args:
        line: The connection.
        path: The socket, for errors.
        greeting: The content of the first frame.

    Raises:
        FakeCudaError: The owner does not answer in time, or this process has no free descriptors for the files.
        MachineClosed: The owner has ended.
        Malformed: The answer is not a frame of the protocol.
    """
    limit = time.monotonic() + GREETED
    try:
        line.send(Kind.HELLO, greeting)  # an owner that refuses at once may close without reading it
    except LineClosed as error:
        if is_scarce(error.__cause__):
            raise _short(path, error.__cause__) from error
    try:
        kind, value, files = line.receive(limit)
    except TimeoutError as error:
        raise unanswered(path, line) from error
    except LineClosed as error:
        if is_scarce(error.__cause__):
            raise _short(path, error.__cause__) from error
        msg = (
            f"the process that made the machine at socket {path} has closed the connection without an answer: it has "
            "ended, was killed, or ran out of file descriptors or memory. Start this program from a test with a "
            "machine"
        )
        raise MachineClosed(msg) from error
    if MISSING in files:
        close_all(files)
        msg = (
            f"this process has no free file descriptors for the files of the machine at socket {path}: "
            f"{ADVICE[errno.EMFILE]}"
        )
        raise FakeCudaError(msg)
    return kind, value, files


def unanswered(path: Path, line: Line | None = None) -> FakeCudaError:
    """Return the exception for an owner that does not answer."""
    try:
        number = peer(line.socket)[0] if line is not None else 0
    except OSError:
        number = 0
    who = f" (OS process {number})" if number else ""
    return FakeCudaError(
        f"the process that made the machine at socket {path}{who} has not answered within {GREETED:g} s: a debugger "
        "or SIGSTOP has stopped it, or it cannot start a thread. Continue it, or end it and start this program again"
    )


def _short(path: Path, error: OSError) -> FakeCudaError:
    return FakeCudaError(
        f"this process cannot connect to the machine at socket {path} now: {scarcity(error)}; then call again"
    )
