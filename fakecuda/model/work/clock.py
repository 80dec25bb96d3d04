"""The virtual time of a machine, which events record.

The time is virtual. It begins at 0, and only the machine's work and the test advance it. A program therefore gets the
same times whenever and wherever it runs:

- A copy or a memset takes ``LAUNCH``, and the time for its bytes at a bandwidth of the profile. A copy within a card
reads
  and writes its memory, so its bytes count twice. A copy between cards with peer access uses their link. All other
  copies to or from host memory use the bus.
- A host function, a write of a value, a wait for a value and a prefetch take ``LAUNCH``.
- A record of an event takes a tick.

Nothing else takes time. Streams do not run in parallel: the work of two streams takes as long as the same work in one.
With ``clock="real"`` the time is the system's, and work takes as long as the model needs.
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
"""Nanoseconds in a second."""
TICK = 500
"""Nanoseconds between recordable times: the resolution in the manual."""
LAUNCH = 2_000
"""The minimum nanoseconds of any stream work, by convention."""


class Rates(dict[tuple[Any, Any], int]):
    """Bytes per second of work, by the memories that it writes and reads.

    The memory that it reads is None for a memset.

    Args:
        profile: The machine's profile.
        cards: The memory of each device, in ordinal order.
    """

    __slots__ = ("_cards", "_profile")

    def __init__(self, profile: Profile, cards: list[object]) -> None:
        self._profile = profile
        self._cards = cards

    def __missing__(self, pair: tuple[Any, Any]) -> int:
        """Return the rate between two memories, and cache it if possible."""
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
    """The virtual clock of one machine.

    Args:
        rates: The speed of its copies and memsets.
        real: Whether it shows the system's time.

    Attributes:
        rates: The speed of its copies and memsets.
        real: Whether it shows the system's time.
        worked: Nanoseconds that the machine's work has taken.
        advanced: Nanoseconds that the test has added by ``advance``.
    """

    __slots__ = ("advanced", "rates", "real", "worked")

    def __init__(self, rates: Rates, *, real: bool = False) -> None:
        self.rates = rates
        self.real = real
        self.worked = self.advanced = 0

    @property
    def now(self) -> float:
        """Seconds since the machine was made.

        With a real clock, since the system's clock began.
        """
        return self.nanoseconds / SECOND

    @property
    def nanoseconds(self) -> int:
        """The time in whole nanoseconds."""
        return (time.monotonic_ns() if self.real else self.worked) + self.advanced

    def advance(self, seconds: float) -> None:
        """Advance the time.

        Args:
            seconds: The seconds to advance by, 0 or more.

        Raises:
            FakeCudaError: The number is negative or not finite, or it is not a number; the time is unchanged.
        """
        if not isinstance(seconds, int | float) or not 0 <= seconds < math.inf:
            msg = f"clock.advance({seconds!r}): pass a finite number of seconds, 0 or more, such as 0.5"
            raise FakeCudaError(msg)
        self.advanced += round(seconds * SECOND)

    def record(self) -> int:
        """Return the current time in ticks, for an event record.

        A virtual clock never returns the same time twice.
        """
        self.worked += TICK
        return self.nanoseconds // TICK

    @effect(beside="time passes")
    def launched(self) -> None:
        """Advance the time for work that moves hardly any bytes."""
        self.worked += LAUNCH

    @effect()
    def moved(self, target: object, source: object, size: int) -> None:
        """Advance the time for a copy or a memset.

        Args:
            target: The memory that was written.
            source: The memory that was read. None for a memset.
            size: Bytes.
        """
        self.worked += LAUNCH + size * SECOND // self.rates[target, source]
