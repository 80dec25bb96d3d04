"""The ledger: what the manual promises, set beside what the rules give.

The manual names for each function the error codes that it may return. Each such pair (function, code) is

- ``broken``: a rule of the function gives the code, and conformance breaks the rule;
- ``unreachable``: no program brings the code about, for a reason that ``spec/ledger.toml`` states;
- ``contradicted``: the driver answers something else there, as a recorded program named in ``spec/ledger.toml`` shows;
- ``undecided``: none of these yet, which the ledger's tests refuse.

A rule may also give a code that the manual does not name for the function (``undocumented``, with its reason in
``conformance/undocumented.toml``), or no error at all where the manual calls a breach undefined (``undefined``).

``python -m fakecuda.ledger`` prints the count of each and the undecided pairs; ``--regenerate`` writes
``spec/documented.json`` from the docstrings of the installed cuda.bindings; ``--notes`` writes what follows from the
rules into ``docs/spec_notes.md`` and keeps what was written there by hand.
"""

from __future__ import annotations

import argparse
import importlib
import json
import re
import sys
import tomllib
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

import fakecuda.spec  # noqa: F401 - declares the operations
from fakecuda.codes import Result
from fakecuda.rule import OPS, SPEC, Op, Rule

if TYPE_CHECKING:
    from collections.abc import Iterator

HERE = Path(__file__).parent
DOCUMENTED = HERE / "spec" / "documented.json"
LEDGER = HERE / "spec" / "ledger.toml"
UNDOCUMENTED = HERE.parent / "conformance" / "undocumented.toml"
NOTES = HERE.parent / "docs" / "spec_notes.md"

KEYS = {
    "unreachable": {"function", "code", "reason"},
    "contradicted": {"function", "code", "reason", "answers", "recording", "program"},
    "undocumented": {"rule", "reason"},
}
"""The keys of an entry of each kind; ``function`` is a name or a list of names."""
SILENT = "silent"
"""The first word of a source's text where the manual has none to quote."""


@frozen
class Entry:
    """Why no rule gives a documented pair.

    Attributes:
        kind: ``unreachable`` or ``contradicted``.
        function: The function.
        code: The error code.
        reason: Why.
        answers: What the driver answers instead, where the pair is contradicted.
        recording: The file that shows it, below ``conformance/recordings``.
        program: The program in that file.
    """

    kind: str
    function: str
    code: Result
    reason: str
    answers: Result | None = None
    recording: str = ""
    program: str = ""


@frozen
class Row:
    """A line of the ledger: a function, a code that it may answer, and the rule that gives it.

    Attributes:
        function: The function.
        code: The code.
        status: ``broken``, ``unreachable``, ``contradicted``, ``undecided``, ``undocumented`` or ``undefined``.
        rule: The rule; None for a documented code that no rule gives.
        reason: Why the pair is unreachable, contradicted or undocumented, where somebody has said so.
        entry: What the ledger says of an unreachable or contradicted pair.
    """

    function: str
    code: Result
    status: str
    rule: Rule | None = None
    reason: str = ""
    entry: Entry | None = None

    @property
    def grade(self) -> str:
        """The grade of the rule's evidence; what is documented without a rule has the manual's."""
        return self.rule.grade if self.rule else "manual"

    def as_json(self) -> dict[str, Any]:
        """Return the row as plain data; a kind of entry is a key where it applies."""
        rule, entry = self.rule, self.entry
        source = (rule.source.call, rule.source.quote) if rule else (self.function, self.code.cname)
        row: dict[str, Any] = {
            "function": self.function,
            "code": self.code.name,
            "id": rule.id if rule else None,
            "statement": rule.statement if rule else None,
            "source": dict(zip(("call", "quote"), source, strict=True)),
            "grade": self.grade,
            "status": self.status,
        }
        if self.status in KEYS:
            row[self.status] = {"reason": self.reason}
        if entry and entry.answers is not None:
            row[self.status] |= {"answers": entry.answers.name, "recording": entry.recording, "program": entry.program}
        return row


@lru_cache
def _codes() -> dict[str, tuple[Result, ...]]:
    found = json.loads(DOCUMENTED.read_text())["codes"]
    return {function: tuple(Result[code] for code in codes) for function, codes in found.items()}


def documented() -> tuple[tuple[str, Result], ...]:
    """Return every pair (function, error code) that the manual names, in the manual's order."""
    return tuple((function, code) for function, codes in _codes().items() for code in codes)


def modelled() -> list[str]:
    """Return the functions that have an operation, in the manual's order."""
    order = {function: number for number, function in enumerate(_codes())}
    return sorted(OPS, key=lambda function: (order.get(function, len(order)), function))


def entries(path: Path | None = None) -> list[Entry]:
    """Return what the ledger says of documented pairs that no rule gives.

    Args:
        path: The ledger's file; the one that ships with fakecuda by default.

    Raises:
        ValueError: An entry lacks a key, has a key too many, or names a code that there is not; the text says which.
    """
    path = path or LEDGER
    found = []
    for kind, item in _items(path):
        codes = {key: item[key] for key in ("code", "answers") if key in item}
        if wrong := [code for code in codes.values() if code not in Result.__members__]:
            msg = f"{path.name}: [[{kind}]] of {item['function']}: {wrong[0]!r} is no member of Result"
            raise ValueError(msg)
        functions = item["function"] if isinstance(item["function"], list) else [item["function"]]
        answers = Result[codes["answers"]] if "answers" in codes else None
        rest = (item["reason"], answers, item.get("recording", ""), item.get("program", ""))
        found += [Entry(kind, function, Result[codes["code"]], *rest) for function in functions]
    return found


def undocumented(path: Path | None = None) -> dict[str, str]:
    """Return by rule id why the rule gives a code that the manual does not name for the function.

    Args:
        path: The file; the conformance suite's by default. Where that is not installed, no reason is known.

    Raises:
        ValueError: An entry lacks a key, or has a key too many; the text says which.
    """
    path = path or UNDOCUMENTED
    return {item["rule"]: item["reason"] for _, item in _items(path)} if path.exists() else {}


def _items(path: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    for kind, items in tomllib.loads(path.read_text()).items():
        for item in items:
            if set(item) != KEYS.get(kind):
                msg = f"{path.name}: [[{kind}]] has {sorted(item)}; it takes {sorted(KEYS.get(kind, KEYS))}"
                raise ValueError(msg)
            yield kind, item


def pairs(*functions: str) -> list[Row]:
    """Return the ledger of these functions, of all that are modelled by default.

    A function's rules come first, in the order of their checks, then the documented codes that no rule gives.
    """
    known = {(entry.function, entry.code): entry for entry in entries()}
    reasons = undocumented()
    rows = []
    for function in functions or modelled():
        codes = _codes().get(function, ())
        given = OPS[function].rules
        for rule in given:
            status = "broken" if rule.code in codes else "undocumented" if rule.code else "undefined"
            reason = reasons.get(rule.id, "") if status == "undocumented" else ""
            rows.append(Row(function, rule.code, status, rule, reason))
        for code in codes:
            if all(rule.code is not code for rule in given):
                entry = known.get((function, code))
                status, reason = (entry.kind, entry.reason) if entry else ("undecided", "")
                rows.append(Row(function, code, status, None, reason, entry))
    return rows


def cited(rule: Rule) -> str:
    """Return a rule's source as text: the manual's words in quotation marks, a note without."""
    source = rule.source
    if source.quote == rule.code.cname:
        return f"{source.call} names {source.quote}, without saying when"
    if rule.grade == "observed" or source.quote.startswith(SILENT):
        return f"{source.call}: {source.quote}"
    return f"{source.call}: “{source.quote}”"


def counts(rows: list[Row]) -> Counter[str]:
    """Return how many pairs (function, code) have each status."""
    return Counter(status for _, _, status in {(row.function, row.code, row.status) for row in rows})


def summary(rows: list[Row]) -> str:
    """Return one line that says how many documented pairs there are and how they stand."""
    found = counts(rows)
    kinds = [f"{found[kind]} {kind}" for kind in ("broken", "unreachable", "contradicted", "undecided")]
    total = sum(found[kind.split()[1]] for kind in kinds)
    calls = len({row.function for row in rows})
    return (
        f"calls: {calls}; documented pairs: {total} ({', '.join(kinds)}); undocumented pairs: {found['undocumented']}"
    )


def render() -> str:
    """Return the text of ``spec/documented.json`` for the installed cuda.bindings."""
    driver = importlib.import_module("cuda.bindings.driver")
    version = importlib.import_module("importlib.metadata").version("cuda-bindings")
    lines = []
    # The module defines its functions in the manual's order.
    for name, function in vars(driver).items():
        if re.match(r"cu[A-Z]", name):
            _, _, returns = (function.__doc__ or "").partition("Returns\n-------\nCUresult\n")
            codes = re.findall(r"CUDA_ERROR_(\w+)", returns.partition("\n")[0])
            lines.append(f"  {json.dumps(name)}: {json.dumps(list(dict.fromkeys(codes)))}")
    return (
        f'{{\n "from": "the docstrings of cuda-bindings {version}",\n "codes": {{\n' + ",\n".join(lines) + "\n }\n}\n"
    )


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


def rules() -> list[Rule]:
    """Return every rule of every modelled call, each once, in the manual's order of the calls."""
    return list(dict.fromkeys(rule for function in modelled() for rule in OPS[function].rules))


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
    return "\n".join(lines)


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


def main(arguments: list[str] | None = None) -> int:
    """Run ``python -m fakecuda.ledger``; return the exit status: 1 when a pair is undecided."""
    parser = argparse.ArgumentParser(prog="python -m fakecuda.ledger", description="What the manual promises, counted.")
    parser.add_argument("--regenerate", action="store_true", help="write spec/documented.json from the docstrings")
    parser.add_argument(
        "--notes", action="store_true", help="write what follows from the rules into docs/spec_notes.md"
    )
    parser.add_argument("--asked", type=Path, help="with --notes: JSON, what the driver answered by rule id")
    options = parser.parse_args(arguments)
    if options.regenerate:
        DOCUMENTED.write_text(render())
        _codes.cache_clear()
    if options.notes:
        asked = json.loads(options.asked.read_text()) if options.asked else {}
        NOTES.write_text(notes(NOTES.read_text(), asked))
    rows = pairs()
    undecided = [f"{row.function} {row.code.name}" for row in rows if row.status == "undecided"]
    sys.stdout.write("\n".join([summary(rows), *undecided]) + "\n")
    return 1 if undecided else 0


if __name__ == "__main__":
    sys.exit(main())
