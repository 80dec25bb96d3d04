"""Liveness analysis: the registers that a thread must keep while it waits."""

from __future__ import annotations

from attrs import define, field


@define(eq=False)
class Flow:
    """The reads, writes and successors of each piece of code.

    Attributes:
        at: The piece that is written.
        sure: Whether each execution of the piece executes what is written now.
    """

    at: int = 0
    sure: bool = True
    _reads: dict[int, set[str]] = field(factory=dict)
    _writes: dict[int, set[str]] = field(factory=dict)
    _next: dict[int, set[int]] = field(factory=dict)
    _live: dict[int, set[str]] = field(factory=dict)

    def begin(self, number: int) -> None:
        """Begin a piece."""
        self.at, self.sure = number, True
        self._reads[number], self._writes[number], self._next[number] = set(), set(), set()

    def read(self, register: str) -> None:
        """Note that a register is read."""
        if register not in self._writes.setdefault(self.at, set()):
            self._reads.setdefault(self.at, set()).add(register)

    def write(self, register: str) -> None:
        """Note that a register is written."""
        if self.sure:
            self._writes.setdefault(self.at, set()).add(register)

    def follow(self, number: int) -> None:
        """Note a possible successor of the current piece."""
        self._next.setdefault(self.at, set()).add(number)

    def live(self, number: int) -> set[str]:
        """Return the live registers at the beginning of a piece."""
        if not self._live:
            self._live = {one: set(reads) for one, reads in self._reads.items()}
            changes = True
            while changes:
                changes = False
                for one in sorted(self._next, reverse=True):
                    found = set().union(*(self._live[other] for other in self._next[one])) - self._writes[one]
                    changes = changes or not found <= self._live[one]
                    self._live[one] |= found
        return self._live[number]
