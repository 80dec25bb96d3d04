"""Failure of tests in which a wait ends because of the machine's wait timeout."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from fakecuda.model.work import deadlock, waiting

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.model.machine import Machine
    from fakecuda.model.work.wait_graph import Wakers
    from fakecuda.model.work.waiting import Wait


@contextmanager
def endless() -> Iterator[None]:
    """Fail if a wait timeout of a machine of this OS process ends a wait.

    Raises:
        AssertionError: One did; the text says what it waited for, and who could have woken it.
    """
    ended: list[str] = []

    def outlasted(machine: Machine, this: Wait, wait_timeout: float, found: Wakers) -> Exception:
        ended.append(str(deadlock.outlasted(machine, this, wait_timeout, found)))
        return AssertionError(ended[-1])

    before, waiting.outlasted = waiting.outlasted, outlasted
    try:
        yield
    finally:
        waiting.outlasted = before
    assert not ended, ended[0]


@pytest.fixture(autouse=True)
def conformance_wait_timeout() -> Iterator[None]:
    """Apply :func:`endless` to all tests."""
    with endless():
        yield
