"""The results of trials: number, counts and failures."""

from __future__ import annotations

from collections import Counter
from typing import Any

from attrs import define, field


@define
class Trials:
    """The sum of trials of one kind.

    Attributes:
        counts: The number of trials, and of those with a property, by name: ``points``, ``torn``.
        outcomes: What calls answered and what processes heard, with the number of trials of each.
        wrong: What does not hold, a line each.
    """

    counts: Counter[str] = field(factory=Counter)
    outcomes: Counter[str] = field(factory=Counter)
    wrong: list[str] = field(factory=list)

    @classmethod
    def of(cls, data: dict[str, Any]) -> Trials:
        """Return the trials that another process wrote as JSON."""
        return cls(Counter(data["counts"]), Counter(data["outcomes"]), data["wrong"])
