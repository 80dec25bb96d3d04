"""Exceptions that the owner of a machine has sent, made again for the caller."""

from __future__ import annotations

from functools import cache
from typing import Any

from fakecuda.api import OPS
from fakecuda.codes import Result
from fakecuda.errors import EndlessWait, FakeCudaError, MachineClosed, ProcessDied, UndefinedBehaviour
from fakecuda.model.finding import Finding
from fakecuda.rules.core import Rule, Source

EXCEPTIONS = {kind.__name__: kind for kind in (EndlessWait, FakeCudaError, MachineClosed, ProcessDied)}


class Interrupted(FakeCudaError):  # noqa: N818 - a fact about the call
    """A call waited, and was interrupted in the process that made it, which hears nothing of this."""


class Told:
    """A fact of a finding, as the owner has told it.

    Args:
        text: What it is.
        lines: Its history.
    """

    def __init__(self, text: str, lines: tuple[str, ...]) -> None:
        self._text = text
        self._lines = lines

    def __str__(self) -> str:
        return self._text

    def history(self) -> list[str]:
        """Return where it came from, a line each."""
        return list(self._lines)


def raised(value: Any) -> FakeCudaError:  # noqa: ANN401 - what the owner has sent
    """Return the exception that a call has raised in the owner."""
    if value[1] == "undefined":
        _, _, rule, call, process, facts = value
        told = {key: fact if isinstance(fact, int) else Told(*fact) for key, fact in facts}
        return UndefinedBehaviour(Finding(_rule(rule), call, process, told))
    return EXCEPTIONS.get(value[2], FakeCudaError)(value[3])


@cache
def _rule(name: str) -> Rule:
    """Return the rule of that id."""
    for op in OPS.values():
        for rule in op.rules:
            if rule.id == name:
                return rule
    return Rule(name, Result.UNKNOWN, Source("source", "fakecuda", "the owner has this rule, this release has not"))
