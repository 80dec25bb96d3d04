"""Cases that break rules, as source text; the module runs nothing."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from conformance.kit.case import ENTRIES
from conformance.record.recorder import load_cases
from fakecuda.prompt.evidence import place_of

if TYPE_CHECKING:
    from fakecuda.rules.core import Rule

MOST = 14
"""The maximum number of lines of a case to show."""


@frozen
class Proof:
    """A case that breaks a rule in a call.

    Attributes:
        label: What it is called.
        place: Its file and line.
        text: How it is written; empty where all calls have it.
    """

    label: str
    place: str
    text: str


def proofs(call: str, rule: Rule) -> list[Proof]:
    """Return the cases that break a rule in a call; none if inner calls show it."""
    return [
        Proof(label, place_of(*place), "" if place == ENTRIES[call].place else _statement(*place))
        for label, place in _singles().get((call, rule.id), ())
    ]


@cache
def _singles() -> dict[tuple[str, str], list[tuple[str, tuple[str, int]]]]:
    """Return the cases that name a rule, by call and rule: label, file and line."""
    load_cases()
    found: dict[tuple[str, str], list[tuple[str, tuple[str, int]]]] = {}
    for call, entry in ENTRIES.items():
        for case in entry.singles():
            for twist in case.twists:
                if twist.rule is not None:
                    found.setdefault((call, twist.rule.id), []).append((case.id, twist.place))
    return found


def _statement(file: str, line: int) -> str:
    """Return the statement that begins in a line."""
    lines = _lines(file)
    end = _ends(file).get(line, line)
    told = lines[line - 1 : min(end, line - 1 + MOST)]
    indent = min((len(one) - len(one.lstrip()) for one in told if one.strip()), default=0)
    more = ["…"] if end > line - 1 + MOST else []
    return "\n".join([*(one[indent:] for one in told), *more])


@cache
def _lines(file: str) -> list[str]:
    return Path(file).read_text(encoding="utf-8").splitlines()


@cache
def _ends(file: str) -> dict[int, int]:
    """Return the last line of each outermost statement, by its first line."""
    found: dict[int, int] = {}
    for node in ast.walk(ast.parse("\n".join(_lines(file)))):
        if isinstance(node, ast.FunctionDef):
            for line in (node.lineno, *(one.lineno for one in node.decorator_list)):
                found[line] = node.end_lineno or line
        elif isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign):
            found.setdefault(node.lineno, node.end_lineno or node.lineno)
    return found
