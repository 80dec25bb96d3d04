"""The page of rules, ``docs/spec_notes.md``: what follows from the rules and the ledger, and what was written by hand."""

from __future__ import annotations

import re
import sys
from functools import cache
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fakecuda.api import APIS, DRIVER, HIP, api_of, home, module_at, op_of
from fakecuda.ledger.codes import SILENT, Row, cited, modelled, pairs, rules
from fakecuda.ledger.sentences import Account, accounts
from fakecuda.rules.core import Rule, place
from fakecuda.rules.dispatch import Op
from fakecuda.rules.hip import active as hip_active
from fakecuda.rules.reading import parts_of
from fakecuda.rules.runtime import active as runtime_active

if TYPE_CHECKING:
    from collections.abc import Callable

    from fakecuda.api import Api

NOTES = Path(__file__).parents[2] / "docs" / "spec_notes.md"
NOT_ASKED = "- Driver: not asked yet"
AS_ABOVE = "- Driver: as above"
NO_CARD = "- Driver: not asked, for no AMD card is at hand"
DEFAULTS = {"", NOT_ASKED, AS_ABOVE, NO_CARD}
"""What a section holds while nobody has written of it."""
UNPLACED = "unplaced"
UNPLACED_TITLE = f"## {UNPLACED}\n\nWritten for rules or calls that are no more: move it to its new place, or drop it."
SECTION = re.compile(r'(?:#{2,3} |<a id=")([\w.]+)')


def notes(old: str, asked: dict[str, str] | None = None) -> str:
    """Return ``docs/spec_notes.md`` anew: the rules as they are now, with what was written by hand in ``old``.

    A section is a chapter (``## va``), a call or a family of shared rules (``### cuMemMap``), or a rule (its anchor).
    The heading and the paragraph below it, and the three lines of a rule, follow from the rules; the rest is written
    by hand. What was written for a section that is no more is kept at the end, under ``## unplaced``.

    Args:
        old: The page as it was.
        asked: By rule id, what the driver answered, for rules of which the page says nothing yet.
    """
    chapters = _chapters()
    start = re.search(rf"^## ({'|'.join(chapters)})$", old, re.MULTILINE)
    hand = _by_hand(old[start.start() :] if start else "")
    parts = [old[: start.start()].strip() if start else old.strip()]

    def add(key: str, text: str, gap: str = "\n\n", default: str = "") -> None:
        kept = hand.pop(key, "")
        kept = default if kept in DEFAULTS else kept
        parts.append(text + gap + kept if kept else text)

    for chapter, families in chapters.items():
        links = ", ".join(f"[{name}](#{name.lower().replace('.', '')})" for name in families)
        add(chapter, f"## {chapter}\n\n{_doc(sys.modules[module_at(chapter)]).rstrip('.')}: {links}.")
        for name, found in families.items():
            op = op_of(name)
            add(name, f"### {name}\n\n{_call(op) if op else _module(name)}")
            for rule in found:
                add(rule.id, _rule(rule), "\n", _driver(rule, (asked or {}).get(rule.id)))
    kept = hand.pop(UNPLACED, "")
    lost = [f"- {key}:\n\n{text}" for key, text in hand.items() if text not in DEFAULTS]
    if kept or lost:
        parts.append("\n\n".join(filter(None, [UNPLACED_TITLE, kept, *lost])))
    return "\n\n".join(parts) + "\n"


def _chapters() -> dict[str, dict[str, list[Rule]]]:
    """Return by chapter: by call, or by module of shared rules, the rules that are declared there."""
    homes: dict[str, list[str]] = {}
    found: dict[str, dict[str, list[Rule]]] = {}
    for api in APIS.values():
        for function in modelled(api):
            path = place(api.ops[function].module)
            homes.setdefault(path, []).append(function)
            found.setdefault(path.partition(".")[0], {})[function] = []
    for rule in rules(*APIS.values()):
        path = place(rule.module)
        # The rules of a module of one call are the call's; those of a module of several stand under its name.
        calls = homes.get(path, [path])
        under = calls[0] if home(rule.module) is DRIVER else path
        found[path.partition(".")[0]].setdefault(under, []).append(rule)
    return found


def _by_hand(old: str) -> dict[str, str]:
    """Return what was written by hand, by section."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    generated = 0
    for line in old.splitlines():
        if match := SECTION.match(line):
            lines = found.setdefault(match[1], [])
            # Still to be skipped: a rule's three lines, or a heading, the blank below it and a paragraph.
            generated = 3 if line.startswith("<a") else -2
        if generated > 0:
            generated -= 1
        elif generated < 0:
            generated += not line
        else:
            lines.append(line)
    return {key: "\n".join(lines).strip() for key, lines in found.items()}


def _doc(item: Any) -> str:  # noqa: ANN401 - whatever has a docstring
    return str(item.__doc__).strip().partition("\n")[0].replace("``", "`")


def _call(op: Op) -> str:
    """Return a call's paragraph: what it does, what it checks, and what the manual names beside that."""
    lines = [_doc(op.function), f"- Checks, in order: {', '.join(_checks(op)) or 'nothing'}."]
    settled: dict[str, list[str]] = {}
    for row in pairs(op.name):
        if row.status in ENDS:
            settled.setdefault(_settled(row), []).append(f"`{row.code.name}`")
    for ending, codes in settled.items():
        verb = "is" if len(dict.fromkeys(codes)) == 1 else "are"
        lines.append(f"- {', '.join(dict.fromkeys(codes))} {verb} {ending}.")
    return "\n".join([*lines, *_sentences(op)])


BEGINNINGS = {
    "runtime": {"with a context": runtime_active.active, "with a driver": runtime_active.initialised},
    "hip": {"with a context": hip_active.active, "with a driver": hip_active.entered},
}
"""What the calls of a higher API begin with, by name: the longest first."""
ENDS = {"contradicted", "unreachable", "otherwise", "undecided"}


def _module(name: str) -> str:
    """Return the paragraph of a module of shared rules, with the checks of the beginnings that stand there."""
    api, _, rest = name.partition(".")
    lines = [_doc(sys.modules[module_at(name)])]
    for title, function in BEGINNINGS.get(api, {}).items() if rest == "active" else ():
        lines.append(f"- The beginning, {title}: {', '.join(map(_part, _beginning(APIS[api], function)))}.")
    return "\n".join(lines)


def _part(part: Rule | Op) -> str:
    if isinstance(part, Op):
        return f"what [{part.name}](#{part.name.lower()}) checks"
    return f"[{part.statement}](#{part.id})"


@cache
def _beginning(api: Api, function: Callable[..., Any]) -> tuple[Rule | Op, ...]:
    return parts_of(function, api.beneath())


def _checks(op: Op) -> list[str]:
    """Return what a call checks; of a higher API, the beginning and the calls beneath stand for their rules."""
    parts: tuple[Rule | Op, ...] = op.rules if api_of(op.name) is DRIVER else op.parts
    told: list[str] = []
    for name, function in BEGINNINGS.get(api_of(op.name).name, {}).items():
        beginning = _beginning(api_of(op.name), function)
        if not told and parts[: len(beginning)] == beginning:
            told, parts = (
                [f"[the beginning, {name}](#{place(op.module.rpartition('.')[0])}active)"],
                parts[len(beginning) :],
            )
    return [*told, *map(_part, parts)]


def _settled(row: Row) -> str:
    """Return what is said of a documented code that no rule of the call gives."""
    if row.status == "unreachable":
        return f"unreachable: {row.reason}"
    if row.status == "undecided" or row.entry is None:
        return "documented, and undecided yet"
    if row.entry.rule:
        rule = next(rule for rule in rules(*APIS.values()) if rule.id == row.entry.rule)
        return f"answered otherwise: `{rule.code.name}`, {row.reason} ([{rule.statement}](#{rule.id}))"
    assert row.entry.answers is not None
    beneath = "" if row.entry.function == row.function else f" {row.entry.function} beneath"
    where = f"`{row.entry.recording}`, program `{row.entry.program}`"
    return f"contradicted: the driver answers `{row.entry.answers.name}`{beneath and ' to' + beneath}, {row.reason} ({where})"


def _sentences(op: Op) -> list[str]:
    """Return the lines that say what accounts for the sentences of a call's manual."""
    found = accounts().get(op.name, [])
    statements = {rule.id: rule.statement for rule in rules()} if found else {}

    def line(account: Account) -> str:
        words = ", ".join(f'<a id="{op.name}.s{next(numbers)}"></a>“{words}”' for words in account.says)
        words = words.replace("*", r"\*")
        cases = [f"`{_case(by, op.name)}`" for by in account.by if by not in statements]
        parts = [
            ", ".join(f"[{statements[by]}](#{by})" for by in account.by if by in statements),
            f"case{'s' * (len(cases) > 1)} {', '.join(cases)}" if cases else "",
            account.beyond and f"beyond the model ({account.beyond})",
            account.describes and f"nothing to test ({account.describes})",
        ]
        return f"  - {words}: {'; '.join(filter(None, parts))}"

    numbers = count(1)
    return ["- The manual's sentences, and what holds the driver to them:", *map(line, found)] if found else []


def _case(name: str, call: str) -> str:
    """Return a case's id, or what stands in its brackets where it is one of the call."""
    return name.removeprefix(f"{call}[").removesuffix("]") if name.startswith(f"{call}[") else name


def _rule(rule: Rule) -> str:
    """Return a rule's three lines: its anchor, what it says, and where it comes from."""
    statement = rule.statement if rule.statement.startswith("cu") else rule.statement[:1].upper() + rule.statement[1:]
    otherwise = (
        f"`{rule.code.name}`" if rule.grade != "undefined" else f"undefined; a lax machine answers `{rule.code.name}`"
    )
    return f'<a id="{rule.id}"></a>\n**{statement}**, else {otherwise}\n- {rule.grade.capitalize()}, {cited(rule)}'


def _driver(rule: Rule, answer: str | None) -> str:
    """Return what stands of the driver below a rule while nobody has written of it."""
    if answer:
        return f"- Driver: {answer}"
    if home(rule.module) is HIP:
        return NO_CARD
    return AS_ABOVE if rule.grade == "observed" or rule.source.quote.startswith(SILENT) else NOT_ASKED
