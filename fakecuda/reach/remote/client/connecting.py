"""How a process reaches the owner of a machine: it connects and greets, and waits for neither without end."""

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
"""Seconds that an owner is given to take a connection, and to answer its first frame."""


def proc_is_foreign() -> bool:
    """Return whether /proc knows this process by another number than this process knows itself by."""
    try:
        return os.readlink("/proc/self") != str(os.getpid())  # noqa: PTH115 - a path is not wanted
    except OSError:
        return False


def connected(path: Path) -> Line:
    """Return a connection to the socket of an owner.

    Raises:
        FakeCudaError: This process is short of something, or the owner takes no connection in time.
        OSError: There is no owner.
    """
    try:
        # Not the class of Python's: test runners put another in its place, which refuses to be made.
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
    """Connect to a socket; where as many wait as it takes, wait in time."""
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(GREETED))
    while True:
        connection.connect(name)
        try:
            connection.getpeername()
        except OSError as error:
            if error.errno != errno.ENOTCONN:
                raise
            continue  # a signal has come between, which Python takes for a connection under way
        break
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_SNDTIMEO, _timeval(0.0))


def _timeval(seconds: float) -> bytes:
    return pack("ll", int(seconds), int(seconds % 1 * 1_000_000))


def greeted(line: Line, path: Path, greeting: tuple[Any, ...]) -> tuple[int, Any, list[int]]:
    """Say what a connection is for; return the kind of the answer, the answer, and the descriptors that came with it.

    Args:
        line: The connection.
        path: The socket, for errors.
        greeting: The body of the first frame.

    Raises:
        FakeCudaError: The owner does not answer in time, or this process has no room for the machine's files.
        MachineClosed: The owner is gone.
        Malformed: Its answer is no frame of the protocol.
    """
    limit = time.monotonic() + GREETED
    try:
        line.send(Kind.HELLO, greeting)  # an owner that refuses at once may not read it
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
            f"the owner of the machine at {path} has closed the connection without an answer: it has ended meanwhile, was "
            "killed, or is short of descriptors or memory; start this program from one that has a machine"
        )
        raise MachineClosed(msg) from error
    if MISSING in files:
        close_all(files)
        msg = f"this process has no descriptors free for the files of the machine at {path}: {ADVICE[errno.EMFILE]}"
        raise FakeCudaError(msg)
    return kind, value, files


def unanswered(path: Path, line: Line | None = None) -> FakeCudaError:
    """Return what is raised where an owner does not answer."""
    try:
        number = peer(line.socket)[0] if line is not None else 0
    except OSError:
        number = 0
    who = f", process {number}," if number else ""
    return FakeCudaError(
        f"the owner of the machine at {path}{who} has not answered within {GREETED:g} s: it is stopped (by a debugger, or by "
        "SIGSTOP), or has no thread to answer; continue it, or end it and start this program again"
    )


def _short(path: Path, error: OSError) -> FakeCudaError:
    return FakeCudaError(
        f"this process cannot connect to the machine at {path} now: {scarcity(error)}; then call again"
    )
