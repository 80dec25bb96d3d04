"""A shared machine with attached OS processes."""

from __future__ import annotations

import json
import os
import signal
import socket
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from fakecuda.reach.remote.client.client import RemoteMachine

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from fakecuda.reach.remote.owner.endpoint import Offer

BYTES = "hex"


class Child:
    """A forked, attached process that makes calls on request.

    Args:
        path: The machine's socket.

    Attributes:
        pid: Its number.
    """

    def __init__(self, path: Path) -> None:
        ours, theirs = socket.socketpair()
        self.pid = os.fork()
        if not self.pid:
            try:
                ours.close()
                _obey(RemoteMachine(path), theirs)
            finally:
                os._exit(0)
        theirs.close()
        self._line = ours.makefile("rwb")
        ours.close()
        self.ended = False

    def call(self, name: str, *args: Any, wait: bool = True) -> Any:
        """Make a call at the C level; return its answer, or nothing where nobody waits for it."""
        self._line.write(json.dumps([name, _packed(args)]).encode() + b"\n")
        self._line.flush()
        return self.answer() if wait else None

    def answer(self) -> Any:
        """Return the answer to a call that nobody has waited for."""
        return _unpacked(json.loads(self._line.readline()))

    def kill(self) -> None:
        """End it with SIGKILL; it is gone when this returns."""
        if not self.ended:
            self.ended = True
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
            self._line.close()


def _obey(machine: RemoteMachine, line: socket.socket) -> None:
    buffers: dict[str, bytearray] = {}
    with line.makefile("rwb") as told:
        for text in told:
            name, args = json.loads(text)
            values = [
                buffers.setdefault(one, bytearray(4 << 20)) if isinstance(one, str) else _unpacked(one) for one in args
            ]
            if name == "state":
                answer: Any = [bytes(buffers[one][:64]) for one in args]
            elif name == "fork":
                answer = _in_fork(machine)
            else:
                answer = getattr(machine.here.c, name)(*values)
            told.write(json.dumps(_packed(answer)).encode() + b"\n")
            told.flush()


def _in_fork(machine: RemoteMachine) -> list[int]:
    """Return what some calls answer in a fork of the child."""
    ours, theirs = os.pipe()
    pid = os.fork()
    if not pid:
        codes = [
            machine.here.c.cuInit(0)[0],
            machine.here.c.cuDeviceGetCount()[0],
            machine.here.c.cuDriverGetVersion()[0],
        ]
        os.write(theirs, bytes(codes))
        os._exit(0)
    os.close(theirs)
    codes = list(os.read(ours, 3))
    os.close(ours)
    os.waitpid(pid, 0)
    return codes


def _packed(value: Any) -> Any:
    if isinstance(value, bytes):
        return {BYTES: value.hex()}
    return [_packed(one) for one in value] if isinstance(value, list | tuple) else value


def _unpacked(value: Any) -> Any:
    if isinstance(value, dict):
        return bytes.fromhex(value[BYTES])
    return tuple(_unpacked(one) for one in value) if isinstance(value, list) else value


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Return a machine that answers as the driver does."""
    with Machine(strict=False) as made:
        yield made
        made.check_invariants()


@pytest.fixture
def sharing(machine: Machine) -> Iterator[Offer]:
    """Return the machine's offer."""
    with machine.shared(export=False) as made:
        yield made


@pytest.fixture
def start(sharing: Offer) -> Iterator[Callable[[], Child]]:
    """Return what starts a process that is attached."""
    children: list[Child] = []

    def started() -> Child:
        children.append(Child(sharing.path))
        return children[-1]

    yield started
    for child in children:
        child.kill()
