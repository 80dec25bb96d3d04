"""Which rules the suite has seen broken, and which it has seen held.

Every call that a model makes in the run is noted. A call that breaks a rule has seen that one broken, and those checked
before it held; a success has seen all of its rules held.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import fakecuda.spec  # noqa: F401 - declares the operations
from fakecuda.model import machine as state
from fakecuda.rule import OPS

if TYPE_CHECKING:
    from fakecuda.rule import Op, Rule

IMPOSSIBLE = {
    # The guard asks for a live context only where there is one.
    ("cuMemFree", "context.current.CONTEXT_IS_CURRENT"),
}
"""Pairs of call and rule that no call can break."""


class Seen:
    """What was seen in one run.

    Attributes:
        broken: Pairs of call and rule.
        held: The same.
    """

    def __init__(self) -> None:
        self.broken: set[tuple[str, str]] = set()
        self.held: set[tuple[str, str]] = set()
        self._succeeded: set[Op] = set()

    def note(self, op: Op, rule: Rule | None) -> None:
        """Note a call and the rule that it broke."""
        if rule is None:
            if op not in self._succeeded:
                self._succeeded.add(op)
                self.held.update((op.name, one.id) for one in op.rules)
        elif (op.name, rule.id) not in self.broken:
            self.broken.add((op.name, rule.id))
            rules = op.rules
            before = rules[: rules.index(rule)] if rule in rules else ()
            self.held.update((op.name, one.id) for one in before)

    def watch(self) -> None:
        """Note the calls of every machine that is made from now on."""
        make = state.Machine.__init__

        def watched(machine: state.Machine, *args: Any, **keywords: Any) -> None:  # noqa: ANN401 - as they come
            make(machine, *args, **keywords)
            append = machine.record

            def record(entry: tuple[Any, ...]) -> None:
                self.note(entry[1], entry[5])
                append(entry)

            machine.record = record

        state.Machine.__init__ = watched  # type: ignore[assignment, method-assign]

    def missing(self) -> list[str]:
        """Return a line for each pair of call and rule that was not seen both ways."""
        pairs = {(op.name, rule.id) for op in OPS.values() for rule in op.rules} - IMPOSSIBLE
        never_broken = [f"{call}: {rule} was never broken" for call, rule in pairs - self.broken]
        never_held = [f"{call}: {rule} never held" for call, rule in pairs - self.held]
        return sorted(never_broken + never_held)


SEEN = Seen()
"""Of the run under way."""
