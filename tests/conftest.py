"""Shared fixtures of all tests: wait timeouts, other processes, and time."""

from __future__ import annotations

import gc
import os
import signal
import threading
from typing import TYPE_CHECKING

import pytest

from conformance.runner.wait_timeout import conformance_wait_timeout
from fakecuda.model.os import threads
from fakecuda.model.os.async_exceptions import machines
from fakecuda.model.work import wait_graph, waiting

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["conformance_wait_timeout"]

os.environ["FAKECUDA_KERNEL_CACHE"] = "0"  # a test may break what writes code

_outlasted = waiting.outlasted


@pytest.fixture
def by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide the threads that a test runner has, and its handlers of signals; ask for it before a machine."""
    before = threads.running() - {threading.get_native_id()}
    monkeypatch.setattr(wait_graph, "running", lambda: threads.running() - before)
    monkeypatch.setattr(wait_graph, "SIGNALS", [])


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Have SIGINT and SIGHUP end what they end, here and in children: a shell's background jobs, and nohup, hand on that they are ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler), signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    for number, handler in zip((signal.SIGINT, signal.SIGHUP), before, strict=True):
        signal.signal(number, handler)


@pytest.fixture
def broken_machines() -> Iterator[None]:
    """Forget the machines of a test that breaks some: their locks may be held for ever, and exceptions would wait for them."""
    before = set(machines)
    yield
    for machine in set(machines) - before:
        machines.discard(machine)


@pytest.fixture(scope="module")
def uncollected() -> Iterator[None]:
    """Switch the garbage collector off for tests that read all sources or recordings: it would look at them again and again."""
    gc.disable()
    yield
    gc.enable()


class Clock:
    """The clock of wait timeouts, which advances by a second with each look.

    Attributes:
        now: Seconds.
    """

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        """Return the time."""
        self.now += 1
        return self.now


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a wait timeout end in a test."""
    monkeypatch.setattr(waiting, "outlasted", _outlasted)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, impatient: None) -> Clock:  # noqa: ARG001 - for what it lets
    """Return the time, in a test in which a wait timeout may end."""
    made = Clock()
    monkeypatch.setattr(waiting, "monotonic", made)
    return made
