"""Frames on a Unix socket.

A fixed header, a body in MessagePack, and descriptors with the first byte.
The header has the size of the body, the version of the protocol and the kind of the frame. Its layout is the same in
every version. A body contains numbers, bytes, text, None and arrays of these. Nothing in it is ever executed.
"""

from __future__ import annotations

import array
import contextlib
import os
import select
import socket
import time
from enum import IntEnum
from struct import Struct
from typing import Any

import msgpack

from fakecuda.model.os.scarcity import is_scarce, patiently, scarcity

PROTOCOL = 6
HEADER = Struct("<IHH")
"""Size of the body in bytes, version, kind."""
MOST = 8 << 20
"""Maximum size of a body in bytes."""
PLAIN = 1 << 12
"""The body size in bytes up to which arrays are not checked first."""
REST = 10.0
"""Seconds to wait for the rest of a frame."""
MOST_DESCRIPTORS = 32
AT_ONCE = 1 << 16
ANCILLARY = socket.CMSG_SPACE(MOST_DESCRIPTORS * array.array("i").itemsize)
CLOEXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
MISSING = -1
"""A stand-in for received descriptors that this process could not take."""
ANY = "surrogateescape"
"""Python's encoding of file names and variables that are not valid text."""


PROCESS, THREAD = "process", "thread"
"""Roles of a connection: the first connection of a process, or the connection of a thread."""


class Kind(IntEnum):
    """The kind of a frame."""

    HELLO = 1
    """The greeting of a process that attaches, or of a thread of an attached process."""
    WELCOME = 2
    REFUSED = 3
    """The owner refuses; the text says why. The connection ends."""
    CALL = 4
    RESULT = 5
    RAISED = 6
    """A call raised an exception: its class and its text."""
    QUESTION = 7
    """A request of the owner: see :mod:`fakecuda.reach.remote.protocol.questions`."""
    ANSWER = 8
    NOTE = 9
    """A message of the process."""
    NOTED = 10
    """The owner has handled a note, if the process waits for that."""
    ENDED = 11
    """The machine has ended; the text names its maker. The connection ends."""


class LineClosed(ConnectionError):  # noqa: N818 - a fact about the line
    """The other end has closed the connection.

    Or the connection cannot be used any more.
    """


class Malformed(ValueError):  # noqa: N818 - a fact about a frame
    """The received data is not a frame of this protocol; the text says what is wrong."""


class Line:
    """A connection for frames.

    Args:
        connection: The socket. The line owns it.

    Attributes:
        socket: The socket.
        rest_timeout: Seconds for the rest of a frame to arrive.
    """

    __slots__ = ("_descriptors", "_rest", "rest_timeout", "socket")

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.rest_timeout = REST
        self._rest = b""
        self._descriptors: list[int] = []

    def send(self, kind: Kind, value: object, descriptors: tuple[int, ...] = ()) -> None:
        """Send a frame.

        Args:
            kind: The kind.
            value: The body, of plain values.
            descriptors: Descriptors to send with it. The sender keeps its own.

        Raises:
            LineClosed: The other end has closed the connection.
            Malformed: The body is too long.
        """
        body = _packed(value)
        if len(body) > MOST:
            msg = (
                f"a message of {len(body)} bytes is too long to send to another process of the machine: at most "
                f"{MOST} bytes fit, so pass less data in one call"
            )
            raise Malformed(msg)
        frame = HEADER.pack(len(body), PROTOCOL, kind) + body
        try:
            try:
                sent = socket.send_fds(self.socket, [frame], descriptors) if descriptors else self.socket.send(frame)
            except OSError as error:
                if not is_scarce(error):
                    raise
                sent = patiently(lambda: socket.send_fds(self.socket, [frame], descriptors))
            while sent < len(frame):
                rest = memoryview(frame)[sent:]
                sent += patiently(lambda: self.socket.send(rest))  # noqa: B023 - called at once
        except OSError as error:
            self.shut()  # so that the other end does not wait for the rest
            raise LineClosed(str(error)) from error

    def ready(self, timeout: int | None = 0) -> bool:
        """Return whether data has arrived or the other end has closed.

        It reads nothing, so handlers may raise here.

        Args:
            timeout: Milliseconds to wait; None to wait without limit.

        Raises:
            LineClosed: The line was closed on this side.
        """
        return bool(self._rest) or self._can_read(timeout)

    def _can_read(self, timeout: float | None) -> bool:
        poll = select.poll()  # a new one each time: a signal handler may poll during another poll
        try:
            poll.register(self.socket, select.POLLIN)
        except ValueError as error:  # another thread has closed it
            raise LineClosed(str(error)) from error
        try:
            return bool(poll.poll(timeout))
        except OSError as error:
            if not is_scarce(error):
                raise
        try:
            return bool(patiently(lambda: poll.poll(timeout)))
        except OSError as error:
            raise LineClosed(str(error)) from error

    def is_whole(self) -> bool:
        """Return whether a whole frame has arrived, without waiting.

        A part of a frame is kept.

        Raises:
            LineClosed: The other end has closed the connection.
            Malformed: The data is not a frame of this protocol.
        """
        while len(self._rest) < HEADER.size or len(self._rest) < _header(self._rest)[1]:
            if not self._can_read(0):
                return False
            self._rest += self._more(self._descriptors, None)
        return True

    def receive(self, limit: float | None = None) -> tuple[int, Any, list[int]]:
        """Return the kind, the body and the descriptors of the next frame.

        The caller owns the descriptors.
        A descriptor of -1 stands for descriptors that this process could not take, because it had none free.

        Args:
            limit: The time limit for the whole frame, in seconds of the monotonic clock; None for no limit.

        Raises:
            LineClosed: The other end has closed the connection.
            Malformed: The data is not a whole frame of this protocol; no descriptor is left open.
            TimeoutError: The frame was not there by the limit.
        """
        arrived, self._descriptors = self._descriptors, []
        try:
            data = self._rest or self._more(arrived, limit)
            if len(data) < HEADER.size or len(data) < _header(data)[1]:
                data = self._completed(data, arrived, limit)
            kind, end = _header(data)
            self._rest = data[end:]
            return kind, _unpacked(data[HEADER.size : end]), arrived
        except BaseException:
            close_all(arrived)
            raise

    def _completed(self, data: bytes, arrived: list[int], limit: float | None) -> bytes:
        """Return a whole frame, waiting for its missing bytes.

        Raises:
            Malformed: The bytes do not come within the line's ``rest_timeout``, and there is no other limit.
        """
        end = limit
        if limit is None and self.rest_timeout != float("inf"):
            end = time.monotonic() + self.rest_timeout
        try:
            while len(data) < HEADER.size:
                data += self._more(arrived, end)
            parts = [data]
            missing = _header(data)[1] - len(data)
            while missing > 0:
                parts.append(self._more(arrived, end))
                missing -= len(parts[-1])
        except TimeoutError as error:
            if limit is not None:
                raise
            msg = (
                f"the rest of a message from another process has not arrived within {self.rest_timeout:g} s: "
                "if that process is stopped, continue it or end it, and run the program again"
            )
            raise Malformed(msg) from error
        return b"".join(parts)

    def _more(self, arrived: list[int], limit: float | None) -> bytes:
        """Return the next bytes, and collect their descriptors."""
        if limit is not None and not self._can_read(max(0.0, 1000 * (limit - time.monotonic()))):
            msg = "no message of another process has arrived in time: if that process is stopped, continue or end it"
            raise TimeoutError(msg)
        try:
            try:
                data, ancillary, flags, _ = self.socket.recvmsg(AT_ONCE, ANCILLARY, CLOEXEC)
            except OSError as error:
                if not is_scarce(error):
                    raise
                data, ancillary, flags, _ = patiently(lambda: self.socket.recvmsg(AT_ONCE, ANCILLARY, CLOEXEC))
        except OSError as error:
            raise LineClosed(str(error)) from error
        before = len(arrived)
        for level, kind, content in ancillary:
            if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
                numbers = array.array("i")
                numbers.frombytes(content[: len(content) - len(content) % numbers.itemsize])
                arrived += numbers
        if flags & socket.MSG_CTRUNC and len(arrived) - before < MOST_DESCRIPTORS:
            arrived.append(MISSING)
        elif flags & socket.MSG_CTRUNC or len(arrived) > MOST_DESCRIPTORS:
            msg = (
                f"a message from another process has more than {MOST_DESCRIPTORS} file descriptors, the limit: "
                "install the same release of fakecuda in both processes"
            )
            raise Malformed(msg)
        if not data:
            msg = (
                "the other process of this connection has ended, was killed, or has closed the connection: look in the "
                "output of that process for the reason"
            )
            raise LineClosed(msg)
        return data

    def shut(self) -> None:
        """End the connection, also for waiting threads, but keep its descriptor."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the connection, also for waiting threads. A second call does nothing."""
        self.shut()
        self.socket.close()

    def __del__(self) -> None:
        self.socket.close()
        close_all(self._descriptors)


def _packed(value: object) -> bytes:
    try:
        return msgpack.packb(value)  # type: ignore[no-any-return]
    except UnicodeEncodeError:  # paths and variables may not be valid text: their bytes are sent unchanged
        return msgpack.packb(value, unicode_errors=ANY)  # type: ignore[no-any-return]


def _unpacked(body: bytes) -> Any:
    try:
        if len(body) > PLAIN:
            _check_arrays(body)
        try:
            return msgpack.unpackb(body, use_list=False, max_map_len=0, max_ext_len=0)
        except UnicodeDecodeError:
            return msgpack.unpackb(body, use_list=False, max_map_len=0, max_ext_len=0, unicode_errors=ANY)
    except (ValueError, msgpack.UnpackException, RecursionError) as error:
        msg = (
            f"a message from another process cannot be read ({error or type(error).__name__}): install the same "
            "release of fakecuda in both processes"
        )
        raise Malformed(msg) from error


def _check_arrays(body: bytes) -> None:
    """Check that a body is long enough for the members of its arrays.

    The check comes before memory is allocated for them.

    Raises:
        Malformed: The body is too short.
    """
    at, end, members = 0, len(body), 1
    while members:
        if members > end - at:
            msg = (
                f"a message from another process announces {members} values, but has only {end - at} bytes for them: "
                "install the same release of fakecuda in both processes"
            )
            raise Malformed(msg)
        first = body[at]
        at, members = at + 1, members - 1
        if first in COUNTS:
            behind = at + COUNTS[first]
            count = int.from_bytes(body[at:behind], "big")
            if first in ARRAYS:
                at, members = behind, members + count
            else:
                at = behind + count
        elif first in SHORT_ARRAYS:
            members += first - SHORT_ARRAYS.start
        elif first in SHORT_TEXTS:
            at += first - SHORT_TEXTS.start
        else:
            at += NUMBERS.get(first, 0)


# First bytes of MessagePack values. The decoder refuses all others.
COUNTS = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4, 0xDC: 2, 0xDD: 4}
"""Number of bytes of the lengths of byte strings, texts and arrays."""
ARRAYS = {0xDC, 0xDD}
SHORT_ARRAYS, SHORT_TEXTS = range(0x90, 0xA0), range(0xA0, 0xC0)
NUMBERS = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
"""Number of bytes of longer numbers."""


def _header(data: bytes) -> tuple[int, int]:
    """Return the kind and the end of the first frame in some bytes.

    The bytes contain at least the frame's header.

    Raises:
        Malformed: The header does not belong to this protocol.
    """
    length, version, kind = HEADER.unpack_from(data)
    msg = ""
    if version != PROTOCOL:
        msg = (
            f"the two processes use versions {version} and {PROTOCOL} of fakecuda's protocol: install the same "
            "release of fakecuda in both processes"
        )
    elif length > MOST:
        msg = (
            f"a message from another process has {length} bytes, but the limit is {MOST}: install the same release "
            "of fakecuda in both processes"
        )
    if msg:
        raise Malformed(msg)
    return kind, HEADER.size + length


def refuse(line: Line, reason: str, *, ended: bool = False) -> None:
    """Send the reason for closing a connection, if the other end still reads.

    Args:
        line: The connection.
        reason: The reason.
        ended: Whether the reason is that the machine has ended.
    """
    with contextlib.suppress(ConnectionError, Malformed, OSError):
        line.send(Kind.ENDED if ended else Kind.REFUSED, reason)


def give_up(line: Line, error: LineClosed) -> None:
    """Send the reason for closing a failed connection.

    It is sent if a resource of this process is short.
    """
    if is_scarce(error.__cause__):
        refuse(line, f"the process that made the machine cannot continue this connection: {scarcity(error.__cause__)}")


def close_all(descriptors: list[int]) -> None:
    """Close received descriptors."""
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
