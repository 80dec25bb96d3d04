"""Exceptions that the owner of a machine has sent, made again for the caller."""

from __future__ import annotations

from functools import cache
from typing import Any

from fakecuda.api import EVERY_OP, OPS
from fakecuda.codes import Result
from fakecuda.errors import EndlessWait, FakeCudaError, MachineClosed, ProcessDied, UndefinedBehaviour
from fakecuda.model.finding import Finding
from fakecuda.rules.core import Rule, Source

EXCEPTIONS = {kind.__name__: kind for kind in (EndlessWait, FakeCudaError, MachineClosed, ProcessDied)}


PARTS = {"error": 4, "undefined": 6}
"""How many parts an exception has that is of this kind."""


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


def can_be_raised(value: tuple[Any, ...]) -> bool:
    """Return whether what an owner has sent is an exception."""
    if len(value) != PARTS.get(value[1] if len(value) > 1 and type(value[1]) is str else ""):
        return False
    if value[1] == "error":
        return all(type(one) is str for one in value[2:])
    known = all(type(one) is str for one in value[2:-1]) and value[3] in EVERY_OP
    return known and type(value[-1]) is tuple and all(map(_is_fact, value[-1]))


def _is_fact(pair: Any) -> bool:  # noqa: ANN401 - whatever arrived
    """Return whether something is the name of a fact, and a number or a text with the lines of its history."""
    if type(pair) is not tuple or len(pair) != 2 or type(pair[0]) is not str:  # noqa: PLR2004 - name and fact
        return False
    fact = pair[1]
    return type(fact) is int or (
        type(fact) is tuple and tuple(map(type, fact)) == (str, tuple) and all(type(line) is str for line in fact[1])
    )


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
