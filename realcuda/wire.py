"""The connection between parent and child: messages with descriptors.

It also carries values of ``cuda.bindings.driver``.

A message is a pickle of plain values. Descriptors travel with its first packet (SCM_RIGHTS). A packet arrives as a
whole or not at all, and says where it belongs in its message. An exception of a signal handler between two packets
therefore loses one message and no later one. Both ends are ours, so pickle is safe. Objects of the bindings travel as
(tag, type name, content). The receiver rebuilds them with its own classes, so parent and child may have different
versions.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import socket
import struct
from typing import Any

HEADER = struct.Struct("=QQ")
"""The head of a packet: the bytes of its message before it, and the bytes of the whole message."""
MOST_DESCRIPTORS = 4
CHUNK = 1 << 16
"""The bytes of a message in one packet. A packet must fit into the system's buffer."""
SIMPLE = (bool, int, float, complex, str, bytes)


class LineClosed(ConnectionError):  # noqa: N818 - a fact about the line
    """An exception: the other end has closed the connection."""


class MissingFunction(AttributeError):  # noqa: N818 - a fact about the library
    """An exception: the library lacks a function, or has another prototype of it."""


class Descriptor:
    """A file descriptor among arguments; the receiver gets a number of its own."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


def pair() -> tuple[socket.socket, socket.socket]:
    """Return both ends of a new line."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def send(line: socket.socket, message: object, descriptors: list[int] | tuple[int, ...] = ()) -> None:
    """Send one message with descriptors.

    Raises:
        LineClosed: The other end is closed.
    """
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    try:
        for start in range(0, len(body), CHUNK):
            head = HEADER.pack(start, len(body))
            socket.send_fds(line, [head, body[start : start + CHUNK]], () if start else list(descriptors))
    except (BrokenPipeError, ConnectionResetError) as error:
        raise LineClosed from error


def receive(line: socket.socket) -> tuple[Any, list[int]]:
    """Return a message and its descriptors, which now belong to the caller.

    Raises:
        LineClosed: The other end is closed.
        TimeoutError: Nothing arrived within the line's time limit.
    """
    body, descriptors = bytearray(), list[int]()
    while True:
        try:
            packet, arrived, _, _ = socket.recv_fds(line, HEADER.size + CHUNK, MOST_DESCRIPTORS)
        except ConnectionResetError as error:
            raise LineClosed from error
        if not packet:
            raise LineClosed
        start, size = HEADER.unpack_from(packet)
        if start == 0:  # earlier packets belong to a message whose sender was interrupted
            for number in descriptors:
                os.close(number)
            for number in arrived:
                os.set_inheritable(number, False)
            body, descriptors = bytearray(), arrived
        elif start != len(body):
            continue  # it belongs to a message whose receiver was interrupted
        body += packet[HEADER.size :]
        if len(body) == size:
            return pickle.loads(body), descriptors  # noqa: S301 - the other end is ours


Shapes = dict[str, tuple[int, tuple[int, ...]]]
"""For each struct type, its bytes and the offsets of its pointers to other structs."""


def encode(value: object, shapes: Shapes, descriptors: list[int]) -> Any:
    """Return a value of the bindings as plain data.

    Args:
        value: None, a number, text, bytes, a buffer, an enum member, a handle, a struct, or a list of these.
        shapes: The struct types.
        descriptors: A list to which the descriptors to send are added.

    Raises:
        TypeError: The value cannot be sent; the text names its type.
    """
    kind = type(value)
    if value is None or kind in SIMPLE:
        return value
    if isinstance(value, Descriptor):
        descriptors.append(value.number)
        return ("descriptor", "", len(descriptors) - 1)
    if isinstance(value, (list, tuple)):
        return (kind.__name__, "", [encode(item, shapes, descriptors) for item in value])
    if isinstance(value, int):
        return ("enum", kind.__name__, int(value))
    if hasattr(value, "getPtr"):
        size, pointers = next((shapes[base.__name__] for base in kind.__mro__ if base.__name__ in shapes), (0, ()))
        if size:
            content = ctypes.string_at(int(value.getPtr()), size)
            if any(any(content[offset : offset + 8]) for offset in pointers):
                msg = f"a {kind.__name__} that points to other structs cannot be passed to another process"
                raise TypeError(msg)
            return ("struct", kind.__name__, content)
        if hasattr(value, "__int__"):
            return ("handle", kind.__name__, int(value))
    elif not isinstance(value, type):
        try:
            view = memoryview(value)  # type: ignore[arg-type]
        except TypeError:
            pass
        else:
            return ("bytes" if view.readonly else "buffer", "", view.tobytes())
    msg = f"a value of type {kind.__name__} cannot be passed to another process"
    raise TypeError(msg)


class Unknown(int):
    """A member of an enum that this release of the bindings does not have.

    It has a value and a name.
    """

    @property
    def value(self) -> int:
        """The number."""
        return int(self)

    @property
    def name(self) -> str:
        """The number as text."""
        return str(int(self))


def decode(data: Any, driver: Any, descriptors: list[int]) -> Any:
    """Return the value of plain data, rebuilt with classes of the module ``driver``."""
    if not isinstance(data, tuple):
        return data
    tag, name, content = data
    if tag == "descriptor":
        return descriptors[content]
    if tag in {"list", "tuple"}:
        items = [decode(item, driver, descriptors) for item in content]
        return items if tag == "list" else tuple(items)
    if tag == "bytes":
        return content
    if tag == "buffer":
        return bytearray(content)
    if tag == "enum":
        try:
            return getattr(driver, name)(content)
        except (AttributeError, ValueError):  # this release of the bindings does not have the enum or the member
            return Unknown(content)
    kind = getattr(driver, name)
    if tag == "handle":
        return kind(content)
    made = kind()
    ctypes.memmove(int(made.getPtr()), content, len(content))
    return made
