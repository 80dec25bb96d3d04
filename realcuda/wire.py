"""The line between the parent and a child: messages with descriptors, and values of ``cuda.bindings.driver``.

A message is a pickle of plain values and, beside its first packet, descriptors (SCM_RIGHTS). It travels in packets, each
of which arrives whole or not at all and says where in its message it stands: an exception that a signal's handler raises
between two of them costs that message and none behind it. Both ends are ours, so pickle is safe. Objects of the bindings
travel as (tag, type name, content) and are rebuilt with the receiver's own classes, so parent and child may hold
different versions of them.
"""

from __future__ import annotations

import ctypes
import os
import pickle
import socket
import struct
from typing import Any

HEADER = struct.Struct("=QQ")
"""What a packet begins with: the bytes of its message that came before it, and those of the whole message."""
MOST_DESCRIPTORS = 4
CHUNK = 1 << 16
"""Bytes of a message in one packet; more than the system's buffer holds can't be sent in one."""
SIMPLE = (bool, int, float, complex, str, bytes)


class LineClosed(ConnectionError):  # noqa: N818 - a fact about the line
    """The other end is gone."""


class MissingFunction(AttributeError):  # noqa: N818 - a fact about the library
    """The library has no such function, or had it with another prototype when it was made."""


class Descriptor:
    """A file descriptor among arguments; the receiver's own number takes its place."""

    __slots__ = ("number",)

    def __init__(self, number: int) -> None:
        self.number = number


def pair() -> tuple[socket.socket, socket.socket]:
    """Return both ends of a new line."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def send(line: socket.socket, message: object, descriptors: list[int] | tuple[int, ...] = ()) -> None:
    """Send one message with descriptors.

    Raises:
        LineClosed: The other end is gone.
    """
    body = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    try:
        for start in range(0, len(body), CHUNK):
            head = HEADER.pack(start, len(body))
            socket.send_fds(line, [head, body[start : start + CHUNK]], () if start else list(descriptors))
    except (BrokenPipeError, ConnectionResetError) as error:
        raise LineClosed from error


def receive(line: socket.socket) -> tuple[Any, list[int]]:
    """Return one message and the descriptors that came with it, which now belong to the caller.

    Raises:
        LineClosed: The other end is gone.
        TimeoutError: Nothing came within the line's time limit.
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
        if start == 0:  # what came before is of a message whose sender was interrupted
            for number in descriptors:
                os.close(number)
            for number in arrived:
                os.set_inheritable(number, False)
            body, descriptors = bytearray(), arrived
        elif start != len(body):
            continue  # the rest of a message whose receiver was interrupted
        body += packet[HEADER.size :]
        if len(body) == size:
            return pickle.loads(body), descriptors  # noqa: S301 - the other end is ours


Shapes = dict[str, tuple[int, tuple[int, ...]]]
"""For each struct type its bytes, and the offsets of its pointers to other structs."""


def encode(value: object, shapes: Shapes, descriptors: list[int]) -> Any:
    """Return a value of the bindings as plain data.

    Args:
        value: None, a number, text, bytes, a buffer, an enum member, a handle, a struct, or a list of those.
        shapes: The struct types.
        descriptors: Receives the descriptors that are to travel along.

    Raises:
        TypeError: The value cannot cross; the text names its type.
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
    """A member of an enum that this release of the bindings has not; some read a member by its value and name."""

    @property
    def value(self) -> int:
        """The number."""
        return int(self)

    @property
    def name(self) -> str:
        """The number, in words."""
        return str(int(self))


def decode(data: Any, driver: Any, descriptors: list[int]) -> Any:
    """Return the value that plain data stands for, rebuilt with the classes of the module ``driver``."""
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
        except (AttributeError, ValueError):  # this release of the bindings has no such enum, or no such member
            return Unknown(content)
    kind = getattr(driver, name)
    if tag == "handle":
        return kind(content)
    made = kind()
    ctypes.memmove(int(made.getPtr()), content, len(content))
    return made
