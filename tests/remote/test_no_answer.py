"""Processes that greet an owner and get no answer, or lack descriptors or memory for it."""

from __future__ import annotations

import errno
import os
import resource
import socket
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import FakeCudaError, MachineClosed, NotAdmitted
from fakecuda.reach.remote.client import connecting
from fakecuda.reach.remote.client.client import RemoteMachine
from fakecuda.reach.remote.owner import children
from fakecuda.reach.remote.owner.children import Children
from fakecuda.reach.remote.protocol import frames
from fakecuda.reach.remote.protocol.frames import MISSING, Kind, Line
from tests.remote.test_listener import short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from fakecuda.reach.remote.owner.endpoint import Offer

__all__ = ["short"]


class Deaf:
    """A socket without a process that answers.

    Args:
        path: Where it lies.
        backlog: How many may wait.
    """

    def __init__(self, path: Path, backlog: int) -> None:
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.bind(str(path))
        self.socket.listen(backlog)


@pytest.fixture
def deaf(tmp_path: Path) -> Iterator[Deaf]:
    """Return one that one may wait at."""
    made = Deaf(tmp_path / "m", 0)
    yield made
    made.socket.close()


def test_an_owner_that_does_not_answer(deaf: Deaf, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who greets it waits for a while, and so does who is one too many; the error names the owner."""
    monkeypatch.setattr(connecting, "GREETED", 0.05)
    remote = RemoteMachine(deaf.path)
    for who in (rf" \(OS process {os.getpid()}\)", ""):
        with pytest.raises(
            FakeCudaError, match=f"{deaf.path}{who} has not answered within 0.05 s: a debugger or SIGSTOP"
        ):
            remote.here.c.cuInit(0)
    assert not remote.lost


def answering(deaf: Deaf, act: Callable[[Line], None]) -> threading.Thread:
    """Have a thread answer the next connection."""

    def run() -> None:
        line = Line(deaf.socket.accept()[0])
        act(line)
        line.close()

    thread = threading.Thread(target=run)
    thread.start()
    return thread


def test_an_owner_that_hangs_up(deaf: Deaf) -> None:
    """It says nothing, or a refusal before it has heard anything: that is heard."""
    remote = RemoteMachine(deaf.path)
    thread = answering(deaf, lambda _: None)
    with pytest.raises(MachineClosed, match="has closed the connection without an answer: it has ended"):
        remote.here.c.cuInit(0)
    thread.join()
    thread = answering(deaf, lambda line: frames.refuse(line, "not now"))
    with pytest.raises(NotAdmitted, match="not now"):
        remote.here.c.cuInit(0)
    thread.join()


def test_a_child_without_descriptors(sharing: Offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It hears so, at each of its own calls, and can call again."""
    remote = RemoteMachine(sharing.path)

    def fail(*_: object) -> None:
        raise OSError(errno.EMFILE, "Too many open files")

    with monkeypatch.context() as patch:
        patch.setattr(socket, "SocketType", fail)
        with pytest.raises(
            FakeCudaError, match=r"cannot connect to the machine at .* now: .*EMFILE.*; then call again"
        ):
            remote.here.c.cuInit(0)
    with monkeypatch.context() as patch:
        patch.setattr(connecting, "_connect", fail)
        with pytest.raises(FakeCudaError, match=r"cannot connect"):
            remote.here.c.cuInit(0)
    real = Line.receive

    def receive(line: Line, limit: float | None = None) -> tuple[int, Any, list[int]]:
        kind, value, arrived = real(line, limit)
        if kind == Kind.WELCOME and arrived:
            frames.close_all(arrived)
            arrived = [MISSING]
        return kind, value, arrived

    with monkeypatch.context() as patch:
        patch.setattr(Line, "receive", receive)
        with pytest.raises(
            FakeCudaError, match=r"no free file descriptors for the files of the machine at socket .*ulimit -n"
        ):
            remote.here.c.cuInit(0)
    assert remote.here.c.cuInit(0) == (0,)
    remote.close()


def test_a_descriptor_that_cannot_be_taken() -> None:
    """It is -1, and the frame that it came with is whole."""
    one, other = map(Line, socket.socketpair())
    received = other.socket
    read, write = os.pipe()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (received.fileno() + 1, hard))
    try:
        one.send(Kind.NOTE, ("text",), (read,))
        kind, value, arrived = other.receive()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert (kind, value, arrived) == (Kind.NOTE, ("text",), [MISSING])
    for descriptor in (read, write):
        os.close(descriptor)
    for line in (one, other):
        line.close()


@pytest.mark.parametrize("call", ["glob", "read_text", "read_bytes"])
def test_children_are_suspected_without_descriptors(call: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that cannot look ends no wait that a child may end."""
    looks = Children("an address")

    def fail(*_: object, **__: object) -> list[Path]:
        raise OSError(errno.EMFILE, "Too many open files")

    monkeypatch.setattr(Path, call, fail)
    if call == "read_bytes":
        assert looks._has_left_any(set())
        return
    assert children._children(os.getpid()).count(0)
    assert call == "read_text" or looks._has_left_any(set())


def test_names_that_are_not_text_travel() -> None:
    """As the bytes that they are."""
    one, other = map(Line, socket.socketpair())
    name = os.fsdecode(b"\xff\xfe")
    one.send(Kind.NOTE, (name, "ünï"))
    assert other.receive()[1] == (name, "ünï")
    for line in (one, other):
        line.close()
