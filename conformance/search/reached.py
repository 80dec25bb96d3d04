"""What programs of the search have reached."""

from __future__ import annotations

from collections import Counter

from attrs import define, field


@define
class Reached:
    """What programs have reached.

    Attributes:
        programs: How many there were.
        steps: How many steps they had.
        calls: How often each call was made.
        pairs: Calls that came one after the other, in whatever process.
        rules: Rules that a call broke.
        answers: How often each call answered each code.
        situations: How often each situation of :mod:`conformance.search.situations` was met.
        undefined: Calls that were not made, since what they do is undefined.
    """

    programs: int = 0
    steps: int = 0
    calls: Counter[str] = field(factory=Counter)
    pairs: set[tuple[str, str]] = field(factory=set)
    rules: set[str] = field(factory=set)
    undefined: int = 0
    answers: Counter[tuple[str, int]] = field(factory=Counter)
    situations: Counter[str] = field(factory=Counter)

    def add(self, other: Reached) -> None:
        """Add what other programs have reached."""
        self.programs += other.programs
        self.steps += other.steps
        self.calls.update(other.calls)
        self.pairs |= other.pairs
        self.rules |= other.rules
        self.undefined += other.undefined
        self.answers.update(other.answers)
        self.situations.update(other.situations)

    @property
    def succeeded(self) -> set[str]:
        """Calls that have succeeded."""
        return {call for call, code in self.answers if not code}
