"""Machines for the tests of the model."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda import Machine

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
