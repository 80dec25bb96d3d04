"""The effort of the benchmarks.

It is enough for a figure, or a single round that only shows that they run.
"""

from __future__ import annotations


class Effort:
    """The effort that all benchmarks share.

    Attributes:
        once: Whether each benchmark does a single round.
    """

    __slots__ = ("once",)

    def __init__(self) -> None:
        self.once = False

    def of(self, count: int, single: int = 1) -> int:
        """Return the number of rounds, calls or objects to use.

        Args:
            count: The number that a figure needs.
            single: The number for a single round.
        """
        return min(count, single) if self.once else count


EFFORT = Effort()
