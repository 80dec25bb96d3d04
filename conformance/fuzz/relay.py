"""A relay between an attached process and its owner, which can damage one frame."""

from __future__ import annotations

import array
import contextlib
import select
import shutil
import socket
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from attrs import define, field

from fakecuda.reach.remote.protocol.frames import ANCILLARY, CLOEXEC, HEADER, Kind, close_all

if TYPE_CHECKING:
    from collections.abc import Callable
    from socket import socket as Socket  # noqa: N812 - a class

AT_ONCE = 1 << 18
TO_OWNER, TO_CLIENT = "to the owner", "to the client"


class Place(NamedTuple):
    """The place of a frame in an exchange.

    Attributes:
        line: The connection, by the order in which they were made.
        way: ``TO_OWNER`` or ``TO_CLIENT``.
        number: How many came before it on this way of the connection.
    """

    line: int
    way: str
    number: int


class Frame(NamedTuple):
    """A frame that has passed the relay.

    Attributes:
        place: Which one it was.
        content: Its bytes, as they were sent.
    """

    place: Place
    content: bytes

    @property
    def kind(self) -> Kind:
        """The kind of the frame."""
        return Kind(HEADER.unpack_from(self.content)[2])

    def __str__(self) -> str:
        return f"{self.kind.name} {self.place.number} {self.place.way} on line {self.place.line}"


@define(eq=False)
class _End:
    """One end of a relayed connection.

    Attributes:
        socket: What it is read from.
        other: What that is written to.
        line: The connection's number.
        way: Where its frames go.
        data: What has come of a frame that is not whole yet.
        descriptors: Those that came with it.
        count: How many frames were whole.
    """

    socket: Socket
    other: Socket
    line: int
    way: str
    data: bytes = b""
    descriptors: list[int] = field(factory=list)
    count: int = 0


class Relay:
    """A socket to which processes attach instead of the owner's socket.

    Args:
        target: The owner's socket.

    Attributes:
        path: The socket.
        frames: What has passed since the last :meth:`begin`.
    """

    def __init__(self, target: Path) -> None:
        self._target = target
        self._directory = Path(tempfile.mkdtemp(prefix="relay-"))
        self.path = self._directory / "machine"
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(str(self.path))
        self._listener.listen()
        self._wake, self._waker = socket.socketpair()
        self._poll = select.poll()
        for one in (self._listener, self._wake):
            self._poll.register(one, select.POLLIN)
        self._ends: dict[int, _End] = {}
        self._lock = threading.Lock()
        self._closing = False
        self.frames: list[Frame] = []
        self._lines = 0
        self._at: Place | None = None
        self._do: Callable[[bytes], tuple[bytes, bool]] = lambda content: (content, False)
        self._over = False
        self._thread = threading.Thread(target=self._run, name="relay", daemon=True)
        self._thread.start()

    def begin(self, at: Place | None = None, do: Callable[[bytes], tuple[bytes, bool]] | None = None) -> None:
        """Restart the count of frames, and cut existing connections.

        Args:
            at: A frame to which something is done.
            do: Returns what is sent instead of it, and whether the connection is cut behind that.
        """
        with self._lock:
            for end in list(self._ends.values()):
                self._cut(end)
            self.frames, self._lines, self._at, self._over = [], 0, at, False
            if do is not None:
                self._do = do

    def end(self) -> None:
        """Cut all connections, including new ones, until :meth:`begin`."""
        self._over = True
        for end in list(self._ends.values()):
            self._cut(end)

    def close(self) -> None:
        """Close the relay with all connections."""
        self._closing = True
        self._waker.send(b"\0")
        self._thread.join()
        for one in (self._listener, self._wake, self._waker):
            one.close()
        shutil.rmtree(self._directory)

    def _run(self) -> None:
        while not self._closing:
            for number, _ in self._poll.poll():
                with self._lock:
                    if number == self._listener.fileno():
                        self._accept()
                    elif (end := self._ends.get(number)) is not None:
                        self._pass(end)
        with self._lock:
            for end in list(self._ends.values()):
                self._cut(end)

    def _accept(self) -> None:
        client, _ = self._listener.accept()
        owner = socket.socket(socket.AF_UNIX)
        if self._over:
            client.close()
            owner.close()
            return
        owner.connect(str(self._target))
        for one, other, way in ((client, owner, TO_OWNER), (owner, client, TO_CLIENT)):
            self._ends[one.fileno()] = _End(one, other, self._lines, way)
            self._poll.register(one, select.POLLIN)
        self._lines += 1

    def _cut(self, end: _End) -> None:
        """Cut a connection in both directions."""
        for one in (end.socket, end.other):
            gone = self._ends.pop(one.fileno(), None)
            if gone is not None:
                self._poll.unregister(one)
                close_all(gone.descriptors)
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)  # the thread that polls it keeps it open
            one.close()

    def _pass(self, end: _End) -> None:
        """Pass on received frames."""
        try:
            data, ancillary, _, _ = end.socket.recvmsg(AT_ONCE, ANCILLARY, CLOEXEC)
        except OSError:
            data, ancillary = b"", []
        end.descriptors += _descriptors(ancillary)
        end.data += data
        over = not data
        while not over and not self._over and len(end.data) >= HEADER.size:
            size = HEADER.size + HEADER.unpack_from(end.data)[0]
            if len(end.data) < size:
                break
            content, end.data = end.data[:size], end.data[size:]
            over = self._send(end, content)
        if over:
            self._cut(end)

    def _send(self, end: _End, content: bytes) -> bool:
        """Send a frame; return whether the connection is cut."""
        place = Place(end.line, end.way, end.count)
        end.count += 1
        self.frames.append(Frame(place, content))
        over = False
        if place == self._at:
            content, over = self._do(content)
        descriptors, end.descriptors = end.descriptors, []
        with contextlib.suppress(OSError):  # whoever it is for may have ended
            sent = socket.send_fds(end.other, [content], descriptors) if content else 0
            end.other.sendall(content[sent:])
        close_all(descriptors)
        return over


def _descriptors(ancillary: list[Any]) -> list[int]:
    numbers = array.array("i")
    for level, kind, content in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            numbers.frombytes(content[: len(content) - len(content) % numbers.itemsize])
    return list(numbers)
