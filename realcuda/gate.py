"""A gate that limits how many processes create contexts at a time.

The kernel makes contexts one after the other anyway.

Its places are locks on files, so a process that dies gives its place back.
"""

from __future__ import annotations

import fcntl
import os
import random
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Gate:
    """A gate for each card, shared by all forks of the process that made it.

    A process that holds a place must not fork.

    Args:
        most: How many processes may pass the gate of a card at a time.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._directory = Path(tempfile.mkdtemp(prefix="realcuda-gate-"))
        self._owner = os.getpid()

    @contextmanager
    def passing(self, card: int) -> Iterator[None]:
        """Wait for a slot at a card's gate, and hold it for a block."""
        place = self._free(card)
        try:
            yield
        finally:
            os.close(place)

    def close(self) -> None:
        """Remove the files, if this process made the gate."""
        if os.getpid() == self._owner:
            shutil.rmtree(self._directory, ignore_errors=True)

    def _free(self, card: int) -> int:
        """Return the descriptor of a free slot, which the process now holds."""
        order = random.sample(range(self._most), self._most)  # spreads the waiting processes over the places
        for number in order:
            place = self._open(card, number)
            try:
                fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                os.close(place)
            else:
                return place
        place = self._open(card, order[0])
        fcntl.flock(place, fcntl.LOCK_EX)
        return place

    def _open(self, card: int, number: int) -> int:
        path = self._directory / f"{card}-{number}"
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
