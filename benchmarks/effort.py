"""How much the benchmarks do: as much as a figure needs, or a single round, which only tells that they run."""

from __future__ import annotations


class Effort:
    """What all of them share.

    Attributes:
        once: Whether each does a single round.
    """

    __slots__ = ("once",)

    def __init__(self) -> None:
        self.once = False

    def of(self, count: int, single: int = 1) -> int:
        """Return how many rounds, calls or objects to have, of as many as a figure needs.

        Args:
            count: That many.
            single: How many a single round has.
        """
        return min(count, single) if self.once else count


EFFORT = Effort()
