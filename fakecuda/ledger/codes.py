"""The codes that the manual names, set beside those that the rules give.

The manual names for each function the error codes that it may return. Each such pair (function, code) is

- ``broken``: a rule of the function gives the code, and conformance breaks the rule;
- ``unreachable``: no program brings the code about, for a reason that ``spec/ledger.toml`` states;
- ``contradicted``: the driver answers something else there, as a recorded program named in ``spec/ledger.toml`` shows;
- ``undecided``: none of these yet, which the ledger's tests refuse.

A rule may also give a code that the manual does not name for the function (``undocumented``, with its reason in
``conformance/undocumented.toml``), or no error at all where the manual calls a breach undefined (``undefined``).
"""

from __future__ import annotations

import importlib
import importlib.metadata
import json
import re
import tomllib
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

import fakecuda.spec  # noqa: F401 - declares the operations
from fakecuda.codes import Code, Result
from fakecuda.rule import OPS, Rule
from fakecuda.spec.context.current import CONTEXT_IS_SOUND
from fakecuda.spec.context.fault import FAULTS

if TYPE_CHECKING:
    from collections.abc import Iterator

SPEC_FILES = Path(__file__).parents[1] / "spec"
DOCUMENTED = SPEC_FILES / "documented.json"
LEDGER = SPEC_FILES / "ledger.toml"
UNDOCUMENTED = Path(__file__).parents[2] / "conformance" / "undocumented.toml"

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
    code: Code
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


def version() -> str:
    """Return the version of cuda-bindings whose docstrings are the manual."""
    return str(json.loads(DOCUMENTED.read_text())["from"]).rpartition(" ")[2]


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

    A function's rules come first, in the order of their checks, then the documented codes that none of these gives: those
    of faults, which every call gives that needs a sound context, and the others.
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
            if code in FAULTS and CONTEXT_IS_SOUND in given:
                rows.append(Row(function, code, "broken", FAULTS[code]))
            elif all(rule.code is not code for rule in given):
                entry = known.get((function, code))
                status, reason = (entry.kind, entry.reason) if entry else ("undecided", "")
                rows.append(Row(function, code, status, None, reason, entry))
    return rows


def cited(rule: Rule) -> str:
    """Return a rule's source as text: the manual's words in quotation marks, a note without."""
    source = rule.source
    if source.quote == rule.code.cname:
        return f"{source.call} names {source.quote}, without saying when"
    if rule.grade in {"observed", "source"} or source.quote.startswith(SILENT):
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


def docstring(function: object) -> str:
    """Return a function's docstring without the indentation that some of the package's have kept."""
    text = function.__doc__ or ""
    return re.sub(r"^ {4}", "", text, flags=re.MULTILINE) if "\n    Returns\n" in text else text


def render() -> str:
    """Return the text of ``spec/documented.json`` for the installed cuda.bindings."""
    driver = importlib.import_module("cuda.bindings.driver")
    installed = importlib.metadata.version("cuda-bindings")
    lines = []
    # The module defines its functions in the manual's order.
    for name, function in vars(driver).items():
        if re.match(r"cu[A-Z]", name):
            _, _, returns = docstring(function).partition("Returns\n-------\nCUresult\n")
            codes = re.findall(r"CUDA_ERROR_(\w+)", returns.partition("\n")[0])
            lines.append(f"  {json.dumps(name)}: {json.dumps(list(dict.fromkeys(codes)))}")
    return (
        f'{{\n "from": "the docstrings of cuda-bindings {installed}",\n "codes": {{\n' + ",\n".join(lines) + "\n }\n}\n"
    )


def regenerate() -> None:
    """Write ``spec/documented.json`` for the installed cuda.bindings."""
    DOCUMENTED.write_text(render())
    _codes.cache_clear()


def rules() -> list[Rule]:
    """Return every rule of every modelled call, each once, in the manual's order of the calls, and those of faults."""
    return [*dict.fromkeys(rule for function in modelled() for rule in OPS[function].rules), *FAULTS.values()]
