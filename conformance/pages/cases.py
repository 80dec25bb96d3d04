"""The cases that break rules, as they are written: nothing is run to find them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from conformance.evidence import keys_in
from conformance.kit.case import ENTRIES
from conformance.record.recorder import load_cases
from fakecuda.prompt.evidence import place_of
from fakecuda.rules.registry import HIP, NVML, api_of

if TYPE_CHECKING:
    from fakecuda.rules.core import Rule

HIP_CASES = Path(__file__).parents[1] / "cases" / "hip"
COMMON = "entry = "
"""How a statement begins that gives a call the cases that every call has."""
MOST = 14
"""Lines of a case that are shown."""


@frozen
class Proof:
    """A case that breaks a rule in a call.

    Attributes:
        label: What it is called; empty for a line of a table.
        place: Its file and line.
        text: How it is written; empty where all calls have it.
    """

    label: str
    place: str
    text: str


def proofs(call: str, rule: Rule) -> list[Proof]:
    """Return the cases that break a rule in a call; none where calls beneath prove it, or tests that are run whole."""
    api = api_of(call)
    if api is NVML:
        return []
    if api is HIP:
        return _of_hip(call, rule)
    cases = _singles().get((call, rule.id), ())
    found = []
    for label, file, line in cases:
        text = _statement(file, line)
        found.append(Proof(label, place_of(file, line), "" if text.startswith(COMMON) else text))
    return found


@cache
def _singles() -> dict[tuple[str, str], list[tuple[str, str, int]]]:
    """Return by call and rule the cases that name it: label, file and line."""
    load_cases()
    found: dict[tuple[str, str], list[tuple[str, str, int]]] = {}
    for call, entry in ENTRIES.items():
        for case in entry.singles():
            for twist in case.twists:
                if twist.rule is not None:
                    found.setdefault((call, twist.rule.id), []).append((case.id, *twist.place))
    return found


def _of_hip(call: str, rule: Rule) -> list[Proof]:
    """Return the lines of HIP's tables that break a rule in a call."""
    constant, name = rule.id.rpartition(".")[2], rule.id.partition(".")[2]
    found = []
    for path in sorted(HIP_CASES.glob("*.py")):
        for key, line in keys_in(path).items():
            if (key[:-1] == (call,) and key[-1].partition("/")[0] == constant) or key == (name,):
                found.append(Proof("", place_of(str(path), line), _statement(str(path), line)))
    return found


def _statement(file: str, line: int) -> str:
    """Return what is written from a line on: the statement, or the entry of a table, that begins there."""
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
    """Return by its first line where a statement ends, or the value of a table's key; the outermost ones count."""
    found: dict[int, int] = {}
    for node in ast.walk(ast.parse("\n".join(_lines(file)))):
        if isinstance(node, ast.FunctionDef):
            for line in (node.lineno, *(one.lineno for one in node.decorator_list)):
                found[line] = node.end_lineno or line
        elif isinstance(node, ast.Expr | ast.Assign | ast.AnnAssign):
            found.setdefault(node.lineno, node.end_lineno or node.lineno)
        elif isinstance(node, ast.Dict):
            for key, value in zip(node.keys, node.values, strict=True):
                if key is not None and not isinstance(value, ast.Dict):
                    found.setdefault(key.lineno, value.end_lineno or key.lineno)
    return found
