"""Machines for the tests of the model."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine
from tests.model.desk import Desk

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@pytest.fixture
def machine() -> Iterator[Machine]:
    """Return a strict machine, whole when the test ends."""
    with Machine("h200-x2", seed=1) as made:
        yield made
        made.check_invariants()


@pytest.fixture
def permissive() -> Iterator[Machine]:
    """Return a machine that answers as the driver does, whole when the test ends."""
    with Machine("h200-x2", strict=False, seed=1) as made:
        yield made
        made.check_invariants()


@pytest.fixture
def handled() -> Iterator[list[Callable[[], Any]]]:
    """Handle a signal, SIGUSR2, by the functions in a list."""
    functions: list[Callable[[], Any]] = []
    former = signal.signal(signal.SIGUSR2, lambda *_: [one() for one in functions])
    yield functions
    signal.signal(signal.SIGUSR2, former)


@pytest.fixture
def patient(by_itself: None) -> Iterator[Machine]:
    """Return a machine whose wait timeout never ends, without anybody beside the test: a wait that ends was proven endless."""
    del by_itself
    with Machine("h200-x2", strict=False, seed=1, wait_timeout=float("inf")) as made:
        yield made
        made.check_invariants()


@pytest.fixture
def desk() -> Iterator[Desk]:
    """Return a process on a strict machine that skips launches."""
    with Machine("h200-x2", seed=1, kernels="skip") as machine:
        yield Desk(machine)
        machine.check_invariants()


@pytest.fixture
def late() -> Iterator[Desk]:
    """Return a process whose streams leave their work."""
    with Machine("h200-x2", seed=1, kernels="skip", completion="manual") as machine:
        yield Desk(machine)
