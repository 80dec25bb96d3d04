"""A process that is attached to a machine and sends and takes single frames: what a real one does is left to its user."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from fakecuda.reach.remote.protocol import schema
from fakecuda.reach.remote.protocol.frames import PROCESS, THREAD, Kind, Line, close_all

if TYPE_CHECKING:
    from pathlib import Path

    from fakecuda.reach.remote.protocol.questions import What

LONG = 600.0
"""Seconds within which an owner sends something, however busy the system is."""


def connected(path: Path) -> Line:
    """Return a line to an owner that has heard nothing yet."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(str(path))
    connection.settimeout(LONG)
    return Line(connection)


class Bare:
    """An attached process with one thread.

    Args:
        path: The machine's socket.
        parent: The token of the process that it was forked from; none by default.
        known: What was known of that one.

    Attributes:
        process: The first connection.
        thread: That of the thread.
        facts: What the owner has told of the machine.
    """

    def __init__(self, path: Path, parent: bytes = b"", known: int = 0) -> None:
        self.process, self.facts = greeted(path, PROCESS, parent, known)
        self.thread, _ = greeted(path, THREAD, self.facts[2])
        self._number = 0

    def call(self, name: str, *args: object) -> None:
        """Send a call; the frames that follow are up to the user."""
        self._number += 1
        self.thread.send(Kind.CALL, (self._number, schema.NUMBERS[name], 0, 0, args, ()))

    def take(self, line: Line | None = None) -> tuple[int, Any]:
        """Return the kind and the body of the next frame on a line, the thread's by default."""
        kind, value, descriptors = (line or self.thread).receive()
        close_all(descriptors)
        return kind, value

    def question(self, line: Line | None = None) -> tuple[int, What, tuple[Any, ...]]:
        """Return the number, the kind and the arguments of the question that comes next."""
        kind, value = self.take(line)
        assert kind == Kind.QUESTION, (kind, value)
        number, what, *arguments = value
        return number, what, tuple(arguments)

    def answer(self, number: int, value: object, line: Line | None = None) -> None:
        """Answer a question."""
        (line or self.thread).send(Kind.ANSWER, (number, value))

    def result(self) -> Any:
        """Return the code and the results that come next."""
        kind, value = self.take()
        assert kind == Kind.RESULT, (kind, value)
        return value[1], value[2]

    def make(self, name: str, *args: object) -> Any:
        """Make a call that asks nothing and succeeds, and return its results."""
        self.call(name, *args)
        code, outs = self.result()
        assert code == 0, (name, code)
        return outs

    def end(self) -> None:
        """End as a process does that is killed."""
        self.thread.close()
        self.process.close()


def greeted(path: Path, role: str, token: bytes, flag: int = 0) -> tuple[Line, Any]:
    """Return a line on which an owner has let a process or a thread of one take part, and what it has told."""
    line = connected(path)
    line.send(Kind.HELLO, (schema.DIGEST, role, token, 1, None, flag))
    kind, facts, descriptors = line.receive()
    close_all(descriptors)
    assert kind == Kind.WELCOME, facts
    return line, facts
