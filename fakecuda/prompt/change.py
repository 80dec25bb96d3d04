"""The changes of the machine by one statement at the prompt."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from attrs import define, field, frozen

if TYPE_CHECKING:
    from fakecuda.model.finding import Finding
    from fakecuda.model.work.deadlock import Deadlock
    from fakecuda.prompt.record import Calls


@frozen
class Done:
    """The changes by a statement.

    Attributes:
        changed: Whether it changed the machine.
        calls: How many calls it made.
        refused: The codes of its refused calls, by their names in the API.
        findings: The ids of the undefined-behaviour rules that it broke.
    """

    changed: bool = False
    calls: int = 0
    refused: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()


@define(eq=False)
class Watch:
    """Watches a machine while a statement runs.

    A statement has changed the machine if the machine is not equal to what it was. What was made and ended meanwhile, and
    work of a stream, leave their traces in the machine's counters and its clock. Other machines do not count.

    Attributes:
        calls: The machine's calls.
    """

    calls: Calls
    _made: int = field(init=False)
    _found: int = field(init=False)
    _stuck: int = field(init=False)
    _before: Any = field(init=False)

    def __attrs_post_init__(self) -> None:
        machine = self.calls.machine
        self._made, self._found, self._stuck = self.calls.made, len(machine.findings), len(machine.deadlocks)
        self._before = self._state()

    def end(self) -> Done:
        """Stop watching, and return what the statement did."""
        machine, made = self.calls.machine, self.calls.made - self._made
        last = list(islice(reversed(machine.calls), made))[::-1]
        refused = [op.api.cname(code) for _, op, _, code, _, rule, _ in last if code and rule is not None]
        found = machine.findings[self._found :]
        every: list[Finding | Deadlock] = [*found, *machine.deadlocks[self._stuck :]]
        self.calls.found += [(self._made, self.calls.made, one) for one in every]
        return Done(
            self._state() != self._before,
            made,
            tuple(dict.fromkeys(refused)),
            tuple(dict.fromkeys(one.rule.id for one in found)),
        )

    def _state(self) -> Any:
        """Return the machine's state and its faults, for a comparison."""
        machine = self.calls.machine
        return machine.snapshot(), list(machine.guard.listeners) if machine.guard is not None else []
