"""The time of a machine: what events record.

It is virtual. It begins at 0, and nothing moves it on but the machine's work and the test, so that a program gets the same
times whenever and wherever it runs:

- a copy or a memset takes ``LAUNCH``, and its bytes over a bandwidth of the profile. A copy within a card reads and writes
  its memory, which takes twice the bytes; one between cards that can access each other goes over their link; whatever
  else touches the host's memory goes over the bus;
- a function of the host, a write of a value or a wait for one, and a prefetch take ``LAUNCH``;
- a record of an event takes a tick.

Nothing else takes time, and streams do not share it: work of two streams takes as long as that of one. With
``clock="real"`` the time is that of the system, and work takes what it takes.
"""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING, Any

from fakecuda.errors import FakeCudaError
from fakecuda.model.effect import effect

if TYPE_CHECKING:
    from fakecuda.profiles import Profile

VIRTUAL, REAL = "virtual", "real"
SECOND = 1_000_000_000
"""Nanoseconds."""
TICK = 500
"""Nanoseconds between two times that differ: the resolution of recorded times, as the manual's."""
LAUNCH = 2_000
"""Nanoseconds that work of a stream takes whatever it does: a convention, of the order of what cards take."""


class Rates(dict[tuple[Any, Any], int]):
    """Bytes per second of work, by the memory that it writes and the one that it reads, or None where it reads none.

    Args:
        profile: The machine's profile.
        cards: The memory of each device, in ordinal order.
    """

    __slots__ = ("_cards", "_profile")

    def __init__(self, profile: Profile, cards: list[object]) -> None:
        self._profile = profile
        self._cards = cards

    def __missing__(self, pair: tuple[Any, Any]) -> int:
        """Return the rate between two memories; that of cards, and of this OS process's memory, is kept."""
        cards, bandwidth = self._cards, self._profile.bandwidth
        written, read = pair
        if not written.near or (read is not None and not read.near):
            return bandwidth.bus
        if written not in cards or (read is not None and read not in cards):
            rate = bandwidth.bus
        elif read is None:
            rate = bandwidth.memory
        elif read is written:
            rate = bandwidth.memory // 2
        else:
            link = self._profile.peers.get((cards.index(written), cards.index(read)))
            rate = bandwidth.link if link and link.can_access else bandwidth.bus
        self[pair] = rate
        return rate


class Clock:
    """The time of one machine.

    Args:
        rates: How fast its work moves bytes.
        real: Whether it shows the system's time.

    Attributes:
        rates: The same.
        real: The same.
        worked: Nanoseconds that the machine's work has taken.
        skipped: Nanoseconds that the test has let pass.
    """

    __slots__ = ("rates", "real", "skipped", "worked")

    def __init__(self, rates: Rates, *, real: bool = False) -> None:
        self.rates = rates
        self.real = real
        self.worked = self.skipped = 0

    @property
    def now(self) -> float:
        """Seconds since the machine was made; of a real clock, since the system's began."""
        return self.nanoseconds / SECOND

    @property
    def nanoseconds(self) -> int:
        """The same, in whole nanoseconds."""
        return (time.monotonic_ns() if self.real else self.worked) + self.skipped

    def advance(self, seconds: float) -> None:
        """Let time pass: what is recorded from now on is later by so much.

        Args:
            seconds: How much, 0 or more.

        Raises:
            FakeCudaError: It is negative, infinite or no number; time has not moved.
        """
        if not isinstance(seconds, int | float) or not 0 <= seconds < math.inf:
            msg = f"clock.advance({seconds!r}): time goes forward only, by a finite number of seconds, as 0.5"
            raise FakeCudaError(msg)
        self.skipped += round(seconds * SECOND)

    def record(self) -> int:
        """Return the time that an event records, in ticks; on a virtual clock it is later than any that was told before."""
        self.worked += TICK
        return self.nanoseconds // TICK

    @effect(beside="time passes")
    def launched(self) -> None:
        """Let pass what work takes that moves no bytes to speak of."""
        self.worked += LAUNCH

    @effect()
    def moved(self, target: object, source: object, size: int) -> None:
        """Let pass what a copy or a memset takes.

        Args:
            target: The memory that was written.
            source: The memory that was read, or None.
            size: Bytes.
        """
        self.worked += LAUNCH + size * SECOND // self.rates[target, source]
