"""The random numbers of a machine, for addresses, handles and names.

They depend only on the seed and on the id of the test that makes the machine. So a test gets the same values whatever
ran before it. Machines without a seed are numbered in each phase of a test. They draw from the test's id, the phase and
their number. A fixture of a wider scope makes its machine in the setup of the first test. So it does not shift the
machines of the test itself. Outside of tests the system's randomness is used.
"""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

TEST = "PYTEST_CURRENT_TEST"
"""The environment variable with a test's id and, in brackets, its phase: setup, call or teardown."""


def current_test() -> str:
    """Return the id of the running test; an empty text outside of tests."""
    return os.environ.get(TEST, "").rpartition(" (")[0]


class Chance:
    """The random numbers of one machine.

    Args:
        seed: The machine's seed. None without one.

    """

    __slots__ = ("_bytes", "_root")

    def __init__(self, seed: int | None) -> None:
        phase = os.environ.get(TEST, "")
        self._bytes: Callable[[int], bytes] | None = None
        if seed is None and not phase:
            self._root, self._bytes = os.urandom(32).hex(), os.urandom
        elif seed is None:
            self._root = f"number {_made.next_of(phase)} of {phase}"
        else:
            self._root = f"seed {seed} of {current_test()}"

    def randbytes(self, size: int) -> bytes:
        """Return the next ``size`` random bytes, unpredictable without the seed."""
        if self._bytes is None:  # making the generator takes longer than all other draws of a machine
            self._bytes = random.Random(self._root).randbytes  # noqa: S311 - for tests only
        return self._bytes(size)

    def below(self, limit: int, purpose: str) -> int:
        """Return a random number below a limit, the same each time for one purpose."""
        return random.Random(f"{self._root} {purpose}").randrange(limit)  # noqa: S311 - for tests only


class _Made:
    """A counter of the machines without a seed in the present phase of a test."""

    __slots__ = ("_count", "_phase")

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        self._phase, self._count = "", 0

    def next_of(self, phase: str) -> int:
        if phase != self._phase:
            self._phase, self._count = phase, 0
        self._count += 1
        return self._count


_made = _Made()
restart = _made.restart
"""Restart the numbers at the beginning of a test, which may repeat the last one."""
