"""Exceptions, findings and refused calls in frames.

Conversion to plain values and back.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from fakecuda.errors import EndlessWait, FakeCudaError, MachineClosed, ProcessDied, UndefinedBehaviour
from fakecuda.explain.reports import told as _report  # noqa: F401 - it sets the hook of findings
from fakecuda.model import history
from fakecuda.model.finding import Finding
from fakecuda.reach.native.callbacks import ARRAY_IS_THERE, CALL_IS_ANSWERED, CALL_IS_MODELLED
from fakecuda.rules.core import Rule, Source
from fakecuda.rules.registry import EVERY_API, EVERY_OP, every_rule
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from fakecuda.model.work.deadlock import Deadlock
    from fakecuda.reach.remote.client.client import RemoteMachine
    from fakecuda.rules.dispatch import Op

EXCEPTIONS: dict[str, type[Exception]] = {
    kind.__name__: kind for kind in (EndlessWait, FakeCudaError, MachineClosed, MemoryError, ProcessDied)
}


PARTS = {"error": 4, "undefined": 6, "deadlock": 5}
"""The number of parts of an exception of this kind."""


class Interrupted(FakeCudaError):  # noqa: N818 - a fact about the call
    """A waiting call was interrupted in its process.

    The process does not see this exception.
    """


class Told:
    """A fact of a finding, as received from the owner.

    Args:
        text: The fact as text.
        lines: The fact's history.
    """

    def __init__(self, text: str, lines: tuple[str, ...]) -> None:
        self._text = text
        self._lines = lines

    def __str__(self) -> str:
        return self._text

    def history(self) -> list[str]:
        """Return the history, as lines."""
        return list(self._lines)


def can_be_raised(value: tuple[Any, ...]) -> bool:
    """Return whether a frame's content is an exception."""
    if len(value) != PARTS.get(value[1] if len(value) > 1 and type(value[1]) is str else ""):
        return False
    if value[1] != "undefined":
        return all(type(one) is str for one in value[2:4]) and all(map(is_deadlock, value[4:]))
    return all(type(one) is str for one in value[2:-1]) and value[3] in EVERY_OP and are_facts(value[-1])


def can_be_why(value: Any) -> bool:
    """Return whether a frame's content is the reason of a refused call, or empty."""
    return value == () or (
        type(value) is tuple and len(value) == 2 and type(value[0]) is str and are_facts(value[1])  # noqa: PLR2004 - as below
    )


def why(value: tuple[Any, ...]) -> tuple[Rule | None, dict[str, Any]]:
    """Return the rule that a refused call broke, and the facts."""
    return (rule_of(value[0]), facts_of(value[1])) if value else (None, {})


def told_facts(facts: dict[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Return the facts of a finding or a refused call as plain values."""
    return tuple((key, _told(fact)) for key, fact in facts.items())


def _told(fact: Any) -> Any:
    """Return a fact as a plain value.

    A number if a frame can hold it, otherwise text and history.
    """
    if isinstance(fact, int) and -(1 << 63) <= fact < 1 << 64:
        return int(fact)
    history = getattr(fact, "history", None)
    return str(fact), tuple(history()) if history else ()


def are_facts(value: Any) -> bool:
    """Return whether a value is the facts of a finding or a refused call."""
    return type(value) is tuple and all(map(_is_fact, value))


def _is_fact(pair: Any) -> bool:
    """Return whether a value is a fact: its name, and a number or a text with history."""
    if type(pair) is not tuple or len(pair) != 2 or type(pair[0]) is not str:  # noqa: PLR2004 - name and fact
        return False
    fact = pair[1]
    return type(fact) is int or (
        type(fact) is tuple and tuple(map(type, fact)) == (str, tuple) and all(type(line) is str for line in fact[1])
    )


def told_deadlock(one: Deadlock) -> tuple[Any, ...]:
    """Return the parts of a deadlock for a frame: its number and its report."""
    return id(one), one.head, one.lines


def is_deadlock(value: Any) -> bool:
    """Return whether a value is a deadlock in a frame."""
    return (
        type(value) is tuple
        and tuple(map(type, value)) == (int, str, tuple)
        and all(type(line) is str for line in value[2])
    )


def deadlock_of(value: tuple[Any, ...], known: dict[int, Deadlock]) -> Deadlock:
    """Return the deadlock in a frame.

    Args:
        value: What it has told.
        known: Those that it has told before, by their numbers; this one is added.
    """
    from fakecuda.model.work.deadlock import Deadlock  # noqa: PLC0415 - most children meet none

    number, head, lines = value
    return known.setdefault(number, Deadlock(head, lines))


def raised(value: Any, machine: RemoteMachine, op: Op, args: tuple[Any, ...]) -> Exception:
    """Return the exception that a call has raised in the machine's owner."""
    if value[1] == "deadlock":
        return deadlock_of(value[4], machine.waited).raised(machine, value[3])
    if value[1] == "undefined":
        _, _, rule, call, process, facts = value
        made = (op, args) if call == op.name else None  # the rest is what work met that was queued before
        return UndefinedBehaviour(Finding(rule_of(rule), call, process, facts_of(facts), history.here(), made))
    return EXCEPTIONS.get(value[2], FakeCudaError)(value[3])


def facts_of(pairs: tuple[Any, ...]) -> dict[str, Any]:
    """Return the facts of plain values."""
    return {key: fact if isinstance(fact, int) else Told(*fact) for key, fact in pairs}


def rule_of(name: str) -> Rule:
    """Return the rule with an id."""
    found = _rules().get(name)
    if found is None:
        found = Rule(
            name,
            Result.UNKNOWN,
            Source("source", "fakecuda", "the owner has this rule, this release does not"),
            fix="install the owner's release of fakecuda here, too",
        )
        found._id = name  # noqa: SLF001 - it belongs to no module
    return found


@cache
def _rules() -> dict[str, Rule]:
    """Return all rules by id.

    Their modules import operations and most of the model, which an attached process does without.
    """
    from fakecuda.rules.driver.context.fault import FAULTS  # noqa: PLC0415 - few processes need them
    from fakecuda.rules.driver.copy.plan import MEMORY_IS_THERE  # noqa: PLC0415 - few processes need them
    from fakecuda.rules.driver.execution.submitted import KERNEL_RETURNS  # noqa: PLC0415 - few processes need them
    from fakecuda.rules.driver.graph.by_device import LAUNCHES_END  # noqa: PLC0415 - few processes need them
    from fakecuda.rules.driver.graph.choice import CONDITION_IS_KNOWN  # noqa: PLC0415 - few processes need them
    from fakecuda.rules.gated import GATED  # noqa: PLC0415 - few processes need them
    from fakecuda.rules.injected import NO_FAULT_IS_INJECTED  # noqa: PLC0415 - few processes need them

    alone = (
        *FAULTS.values(),
        MEMORY_IS_THERE,
        KERNEL_RETURNS,
        CONDITION_IS_KNOWN,
        LAUNCHES_END,
        NO_FAULT_IS_INJECTED,
        ARRAY_IS_THERE,
        CALL_IS_ANSWERED,
        CALL_IS_MODELLED,
        *GATED,
    )
    return {rule.id: rule for rule in (*every_rule(*EVERY_API.values()), *alone)}
