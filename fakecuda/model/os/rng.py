"""What a machine draws: where its addresses and handles begin, and bytes that nobody can guess.

A seed rules all of it, together with the id of the test that makes the machine, so that a test gets the same values
whatever ran before it. In a test a machine without a seed draws from the test's id, the phase that the test is in and its
number among the machines that are made so in that phase: a fixture of a wider scope makes its machine in the setup of the
test that comes first, and then shifts no machine of the test itself. Elsewhere the system's randomness is drawn from.
"""

from __future__ import annotations

import os
import random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

TEST = "PYTEST_CURRENT_TEST"
"""The environment variable that holds a test's id and, in brackets, its phase: setup, call or teardown."""


def current_test() -> str:
    """Return the id of the test that runs, or an empty text outside of tests."""
    return os.environ.get(TEST, "").rpartition(" (")[0]


class Chance:
    """What one machine draws.

    Args:
        seed: The machine's seed, or None.

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
        """Return so many bytes that nobody can guess without the seed; others each time."""
        if self._bytes is None:  # to begin takes longer than all else that a machine draws
            self._bytes = random.Random(self._root).randbytes  # noqa: S311 - a test's
        return self._bytes(size)

    def below(self, limit: int, purpose: str) -> int:
        """Return a number from 0 up to, not including, a limit: the same one each time for one purpose."""
        return random.Random(f"{self._root} {purpose}").randrange(limit)  # noqa: S311 - likewise


class _Made:
    """Counts the machines that were made without a seed in the phase under way of a test."""

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
"""Called when a test begins, which may be the one that ran last once more."""
