"""Frames on a Unix socket: a header of fixed layout, a body in MessagePack, and descriptors beside the first byte.

The header says how long the body is, which version of the protocol wrote it and what kind of frame it is; it stays as it
is in every version. A body holds numbers, bytes, text, None and arrays of those: nothing in it is ever executed.
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

PROTOCOL = 5
HEADER = Struct("<IHH")
"""Bytes of the body, version, kind."""
MOST = 8 << 20
"""Bytes of a body at most."""
PLAIN = 1 << 12
"""Bytes of a body whose arrays are read unseen: they can claim little room."""
REST = 10.0
"""Seconds within which the rest of a frame comes that has begun."""
MOST_DESCRIPTORS = 32
AT_ONCE = 1 << 16
ANCILLARY = socket.CMSG_SPACE(MOST_DESCRIPTORS * array.array("i").itemsize)
CLOEXEC = getattr(socket, "MSG_CMSG_CLOEXEC", 0)
MISSING = -1
"""Stands for descriptors that this process could not take."""
ANY = "surrogateescape"
"""How Python has names of files and variables that are no text."""


PROCESS, THREAD = "process", "thread"
"""What a connection is: a process's first one, or that of a thread."""


class Kind(IntEnum):
    """What a frame is."""

    HELLO = 1
    """A process attaches, or a thread of one that has."""
    WELCOME = 2
    REFUSED = 3
    """The text says why; the connection ends."""
    CALL = 4
    RESULT = 5
    RAISED = 6
    """A call raised: the class of the exception and what it says."""
    QUESTION = 7
    """The owner wants something of the process: see :mod:`fakecuda.reach.remote.protocol.questions`."""
    ANSWER = 8
    NOTE = 9
    """The process tells something."""
    NOTED = 10
    """The owner has acted on it, where the process waits for that."""
    ENDED = 11
    """There is no such machine any more: the text says whose it was; the connection ends."""


class LineClosed(ConnectionError):  # noqa: N818 - a fact about the line
    """The other end is gone, or the line cannot be used any more."""


class Malformed(ValueError):  # noqa: N818 - a fact about a frame
    """What arrived is no frame of this protocol; the text says what is wrong."""


class Line:
    """A connection on which frames travel.

    Args:
        connection: The socket; it belongs to the line.

    Attributes:
        socket: The socket.
        patience: Seconds within which the rest of a frame comes that has begun.
    """

    __slots__ = ("_descriptors", "_rest", "patience", "socket")

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.patience = REST
        self._rest = b""
        self._descriptors: list[int] = []

    def send(self, kind: Kind, value: object, descriptors: tuple[int, ...] = ()) -> None:
        """Send a frame.

        Args:
            kind: Its kind.
            value: Its body, of plain values.
            descriptors: What travels along; the sender keeps its own.

        Raises:
            LineClosed: The other end is gone.
            Malformed: The body is too long.
        """
        body = _packed(value)
        if len(body) > MOST:
            msg = f"a frame of {len(body)} bytes cannot be sent: {MOST} are the limit"
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
                sent += patiently(lambda: self.socket.send(rest))  # noqa: B023 - it is called at once
        except OSError as error:
            self.shut()  # the other end waits for no rest
            raise LineClosed(str(error)) from error

    def ready(self, patience: int | None = 0) -> bool:
        """Return whether something has arrived, or the other end is gone; nothing is taken, so that handlers may raise here.

        Args:
            patience: Milliseconds; None to return when it is so.

        Raises:
            LineClosed: It was closed here.
        """
        return bool(self._rest) or self._can_read(patience)

    def _can_read(self, patience: float | None) -> bool:
        poll = select.poll()  # one that waits can be asked no second time, as a signal's handler would
        try:
            poll.register(self.socket, select.POLLIN)
        except ValueError as error:  # another thread has closed it
            raise LineClosed(str(error)) from error
        try:
            return bool(poll.poll(patience))
        except OSError as error:
            if not is_scarce(error):
                raise
        try:
            return bool(patiently(lambda: poll.poll(patience)))
        except OSError as error:
            raise LineClosed(str(error)) from error

    def is_whole(self) -> bool:
        """Return whether a whole frame has arrived, without waiting for one; a part of one is kept.

        Raises:
            LineClosed: The other end is gone.
            Malformed: What came is no frame of this protocol.
        """
        while len(self._rest) < HEADER.size or len(self._rest) < _header(self._rest)[1]:
            if not self._can_read(0):
                return False
            self._rest += self._more(self._descriptors, None)
        return True

    def receive(self, limit: float | None = None) -> tuple[int, Any, list[int]]:
        """Return the kind and the body of the next frame, and the descriptors that came with it, now the caller's.

        Args:
            limit: Until when all of it has to be there, in seconds of the monotonic clock; None for ever.

        A descriptor of -1 stands for those that came, and that this process could not take: it had none free.

        Raises:
            LineClosed: The other end is gone.
            Malformed: What came is no frame of this protocol, or no whole one; no descriptor is left open.
            TimeoutError: It was not there by the limit.
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
        """Return a frame of which some bytes have come, once all have.

        Raises:
            Malformed: They have not in the line's patience, where there is no other limit.
        """
        end = limit
        if limit is None and self.patience != float("inf"):
            end = time.monotonic() + self.patience
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
            msg = f"a frame has begun, and its rest has not come within {self.patience:g} s"
            raise Malformed(msg) from error
        return b"".join(parts)

    def _more(self, arrived: list[int], limit: float | None) -> bytes:
        """Return what comes next, and note the descriptors that come with it."""
        if limit is not None and not self._can_read(max(0.0, 1000 * (limit - time.monotonic()))):
            msg = "nothing came in time"
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
            msg = f"more descriptors came with a frame than the {MOST_DESCRIPTORS} that one can have"
            raise Malformed(msg)
        if not data:
            msg = "the other end has closed the connection"
            raise LineClosed(msg)
        return data

    def shut(self) -> None:
        """End the connection, also for who waits on it, and keep its descriptor."""
        with contextlib.suppress(OSError):
            self.socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """End the connection, also for who waits on it; closing it again does nothing."""
        self.shut()
        self.socket.close()

    def __del__(self) -> None:
        self.socket.close()
        close_all(self._descriptors)


def _packed(value: object) -> bytes:
    try:
        return msgpack.packb(value)  # type: ignore[no-any-return]
    except UnicodeEncodeError:  # paths and variables need not be text: their bytes travel as they are
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
        msg = f"the body of a frame cannot be read ({error or type(error).__name__})"
        raise Malformed(msg) from error


def _check_arrays(body: bytes) -> None:
    """Check that the arrays of a body have the members that they claim, for each of which room is made first.

    Raises:
        Malformed: They have not.
    """
    at, end, members = 0, len(body), 1
    while members:
        if members > end - at:
            msg = "an array claims more members than the frame has bytes"
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


# What MessagePack's values begin with; what is not among it is refused when it is read.
COUNTS = {0xC4: 1, 0xC5: 2, 0xC6: 4, 0xD9: 1, 0xDA: 2, 0xDB: 4, 0xDC: 2, 0xDD: 4}
"""The bytes that the counts of bytes, texts and arrays take."""
ARRAYS = {0xDC, 0xDD}
SHORT_ARRAYS, SHORT_TEXTS = range(0x90, 0xA0), range(0xA0, 0xC0)
NUMBERS = {0xCA: 4, 0xCB: 8, 0xCC: 1, 0xCD: 2, 0xCE: 4, 0xCF: 8, 0xD0: 1, 0xD1: 2, 0xD2: 4, 0xD3: 8}
"""The bytes that longer numbers take."""


def _header(data: bytes) -> tuple[int, int]:
    """Return the kind of the first frame of some bytes, of which the header is there, and where it ends.

    Raises:
        Malformed: The header is none of this protocol.
    """
    length, version, kind = HEADER.unpack_from(data)
    msg = ""
    if version != PROTOCOL:
        msg = (
            f"the other end speaks version {version} of the protocol, this one version {PROTOCOL}: install the same "
            "release of fakecuda in both"
        )
    elif length > MOST:
        msg = f"a frame of {length} bytes is announced: {MOST} are the limit"
    if msg:
        raise Malformed(msg)
    return kind, HEADER.size + length


def refuse(line: Line, reason: str, *, ended: bool = False) -> None:
    """Say why a connection ends, if the other end still hears it.

    Args:
        line: The connection.
        reason: Why.
        ended: Whether it is that the machine has ended.
    """
    with contextlib.suppress(ConnectionError, Malformed, OSError):
        line.send(Kind.ENDED if ended else Kind.REFUSED, reason)


def give_up(line: Line, error: LineClosed) -> None:
    """Say why a connection ends that has failed, if it is this process's own shortage."""
    if is_scarce(error.__cause__):
        refuse(line, f"the owner's process cannot go on with this connection: {scarcity(error.__cause__)}")


def close_all(descriptors: list[int]) -> None:
    """Close descriptors that arrived."""
    for descriptor in descriptors:
        with contextlib.suppress(OSError):
            os.close(descriptor)
