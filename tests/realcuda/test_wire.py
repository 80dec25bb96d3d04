"""Messages between the parent and a child: an interruption costs the message under way and none behind it."""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from realcuda import wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONG = bytes(range(256)) * (3 * wire.CHUNK // 256)
"""A size of more than three packets."""
PACKETS = 4

Line = tuple[socket.socket, socket.socket]


@pytest.fixture
def line() -> Iterator[Line]:
    """Return both ends of a line that waits for nobody."""
    ours, theirs = wire.pair()
    for end in (ours, theirs):
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 21)
        end.settimeout(5)
    with ours, theirs:
        yield ours, theirs


def interrupted(function: Callable[..., Any], step: int, *, after: bool) -> Callable[..., Any]:
    """Return a function that is interrupted before, or after, it does what it does for that time."""
    calls = 0

    def call(*args: object) -> object:
        nonlocal calls
        calls += 1
        if calls == step and not after:
            raise KeyboardInterrupt
        result = function(*args)
        if calls == step:
            raise KeyboardInterrupt
        return result

    return call


def opened() -> int:
    """Return how many descriptors this process has."""
    return len(list(Path("/proc/self/fd").iterdir()))


@pytest.mark.parametrize("size", [0, 1, wire.CHUNK - 1, wire.CHUNK, wire.CHUNK + 1, len(LONG)])
def test_a_message_arrives(line: Line, size: int) -> None:
    """Of any size, with what travels along."""
    ours, theirs = line
    wire.send(ours, LONG[:size], [ours.fileno()])
    message, [arrived] = wire.receive(theirs)
    assert message == LONG[:size]
    assert os.fstat(arrived).st_ino == os.fstat(ours.fileno()).st_ino
    assert not os.get_inheritable(arrived)
    os.close(arrived)


@pytest.mark.parametrize("step", range(1, PACKETS + 1))
@pytest.mark.parametrize("after", [False, True])
def test_an_interrupted_sender(line: Line, monkeypatch: pytest.MonkeyPatch, step: int, *, after: bool) -> None:
    """What it sends next is understood, and nothing is left open of what it began."""
    ours, theirs = line
    with monkeypatch.context() as patch:
        patch.setattr(socket, "send_fds", interrupted(socket.send_fds, step, after=after))
        with pytest.raises(KeyboardInterrupt):
            wire.send(ours, LONG, [0])
    wire.send(ours, "next")
    before = opened()
    if step == PACKETS and after:  # all of it had been sent
        message, [arrived] = wire.receive(theirs)
        assert message == LONG
        os.close(arrived)
    assert wire.receive(theirs) == ("next", [])
    assert opened() == before


@pytest.mark.parametrize("step", range(1, PACKETS + 1))
@pytest.mark.parametrize("after", [False, True])
def test_an_interrupted_receiver(line: Line, monkeypatch: pytest.MonkeyPatch, step: int, *, after: bool) -> None:
    """It gets the next message and no part of the one before."""
    ours, theirs = line
    wire.send(ours, LONG)
    wire.send(ours, "next")
    with monkeypatch.context() as patch:
        patch.setattr(socket, "recv_fds", interrupted(socket.recv_fds, step, after=after))
        with pytest.raises(KeyboardInterrupt):
            wire.receive(theirs)
    if step == 1 and not after:  # nothing of it had been taken
        assert wire.receive(theirs) == (LONG, [])
    assert wire.receive(theirs) == ("next", [])


def test_a_line_that_has_ended(line: Line) -> None:
    """It is said so at both ends."""
    ours, theirs = line
    theirs.close()
    with pytest.raises(wire.LineClosed):
        wire.receive(ours)
    with pytest.raises(wire.LineClosed):
        wire.send(ours, "next")
