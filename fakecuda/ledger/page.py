"""The page of rules, ``docs/spec_notes.md``: what follows from the rules and the ledger, and what was written by hand."""

from __future__ import annotations

import re
import sys
from itertools import count
from pathlib import Path
from typing import Any

from fakecuda.ledger.codes import SILENT, cited, modelled, pairs, rules
from fakecuda.ledger.sentences import Account, accounts
from fakecuda.rule import OPS, SPEC, Op, Rule

NOTES = Path(__file__).parents[2] / "docs" / "spec_notes.md"
NOT_ASKED = "- Driver: not asked yet"
AS_ABOVE = "- Driver: as above"
DEFAULTS = {"", NOT_ASKED, AS_ABOVE}
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
        add(chapter, f"## {chapter}\n\n{_doc(sys.modules[SPEC + chapter]).rstrip('.')}: {links}.")
        for name, found in families.items():
            add(name, f"### {name}\n\n{_call(OPS[name]) if name in OPS else _doc(sys.modules[SPEC + name])}")
            for rule in found:
                add(rule.id, _rule(rule), "\n", _driver(rule, (asked or {}).get(rule.id)))
    kept = hand.pop(UNPLACED, "")
    lost = [f"- {key}:\n\n{text}" for key, text in hand.items() if text not in DEFAULTS]
    if kept or lost:
        parts.append("\n\n".join(filter(None, [UNPLACED_TITLE, kept, *lost])))
    return "\n\n".join(parts) + "\n"


def _chapters() -> dict[str, dict[str, list[Rule]]]:
    """Return by chapter: by call, or by module of shared rules, the rules that are declared there."""
    homes: dict[str, str] = {}
    found: dict[str, dict[str, list[Rule]]] = {}
    for function in modelled():
        path = OPS[function].module.removeprefix(SPEC)
        homes.setdefault(path, function)
        found.setdefault(path.partition(".")[0], {})[function] = []
    for rule in rules():
        path = rule.module.removeprefix(SPEC)
        home = homes.get(path, path)
        found[path.partition(".")[0]].setdefault(home, []).append(rule)
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
    checks = ", ".join(f"[{rule.statement}](#{rule.id})" for rule in op.rules) or "nothing"
    lines = [_doc(op.function), f"- Checks, in order: {checks}."]
    undecided = []
    for row in pairs(op.name):
        if row.status == "contradicted" and row.entry and row.entry.answers is not None:
            where = f"`{row.entry.recording}`, program `{row.entry.program}`"
            lines.append(
                f"- `{row.code.name}` is contradicted: the driver answers `{row.entry.answers.name}`, {row.reason} ({where})."
            )
        elif row.status == "unreachable":
            lines.append(f"- `{row.code.name}` is unreachable: {row.reason}.")
        elif row.status == "undecided":
            undecided.append(f"`{row.code.name}`")
    if undecided:
        lines.append(f"- Documented, and undecided yet: {', '.join(undecided)}.")
    return "\n".join([*lines, *_sentences(op)])


def _sentences(op: Op) -> list[str]:
    """Return the lines that say what accounts for the sentences of a call's manual."""
    statements = {rule.id: rule.statement for rule in rules()}

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
    found = accounts().get(op.name, [])
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
    return AS_ABOVE if rule.grade == "observed" or rule.source.quote.startswith(SILENT) else NOT_ASKED
