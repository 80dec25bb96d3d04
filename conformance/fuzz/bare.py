"""An attached process that sends and receives single frames, for tests."""

from __future__ import annotations

import socket
from typing import TYPE_CHECKING, Any

from fakecuda.reach.remote.protocol import schema
from fakecuda.reach.remote.protocol.frames import PROCESS, THREAD, Kind, Line, close_all

if TYPE_CHECKING:
    from pathlib import Path

    from fakecuda.reach.remote.protocol.questions import What

LONG = 600.0
"""Seconds within which an owner sends an expected message."""


def connected(path: Path) -> Line:
    """Return a new connection to an owner, before any message."""
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
        """Send a call; the user handles the frames that follow."""
        self._number += 1
        self.thread.send(Kind.CALL, (self._number, schema.NUMBERS[name], 0, 0, args, ()))

    def take(self, line: Line | None = None) -> tuple[int, Any]:
        """Return the kind and the body of the next frame, of the thread's line by default."""
        kind, value, descriptors = (line or self.thread).receive()
        close_all(descriptors)
        return kind, value

    def question(self, line: Line | None = None) -> tuple[int, What, tuple[Any, ...]]:
        """Return the number, the kind and the arguments of the next question."""
        kind, value = self.take(line)
        assert kind == Kind.QUESTION, (kind, value)
        number, what, *arguments = value
        return number, what, tuple(arguments)

    def answer(self, number: int, value: object, line: Line | None = None) -> None:
        """Answer a question."""
        (line or self.thread).send(Kind.ANSWER, (number, value))

    def result(self) -> Any:
        """Return the next code and results."""
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
        """End as a killed process does."""
        self.thread.close()
        self.process.close()


def greeted(path: Path, role: str, token: bytes, flag: int = 0) -> tuple[Line, Any]:
    """Return a process's or thread's accepted connection, and the owner's greeting."""
    line = connected(path)
    line.send(Kind.HELLO, (schema.DIGEST, role, token, 1, None, flag))
    kind, facts, descriptors = line.receive()
    close_all(descriptors)
    assert kind == Kind.WELCOME, facts
    return line, facts
