"""The codes that the manual names, compared with the codes of the rules.

The manual names for each function the error codes that it may return. Each such pair (function, code) is

- ``broken``: a rule of the function gives the code, and conformance breaks the rule;
- ``unreachable``: no program gets the code, for a reason in the chapter's evidence;
- ``contradicted``: the driver answers something else there, as a recorded program named there shows;
- ``otherwise``: an implementation without recordings answers something else there, by a rule that was read in it;
- ``undecided``: none of these yet, which the ledger's tests refuse.

A rule may also give a code that the manual does not name for the function (``undocumented``, with its reason), or no error at all where the manual calls a breach undefined (``undefined``).

The accounts of all APIs are kept in the same way. A call of the runtime API or of HIP gives the codes of its own
rules and those of the rules of the operations that it makes of the APIs beneath, as its API translates them; what is decided
of the pairs of those holds for its own. What is decided stands in the :mod:`fakecuda.explain.evidence` of the call's chapter.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.explain import evidence
from fakecuda.rules.core import TOGETHER
from fakecuda.rules.driver.context.current import CONTEXT_IS_CURRENT, CONTEXT_IS_SOUND
from fakecuda.rules.driver.context.fault import FAULTS
from fakecuda.rules.hip import device as hip_device
from fakecuda.rules.registry import DRIVER, FORMS, Api, api_of, below, chapter, every_rule, home
from fakecuda.rules.runtime import error as runtime_error
from fakecuda.rules.runtime.active import initialised

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.rules.core import Rule
    from fakecuda.spec.codes import Code

_API = Path(__file__).parents[2] / "spec"
DOCUMENTS = {
    "driver": _API / "generated" / "driver.documented.json",
    "runtime": _API / "generated" / "runtime.documented.json",
    "hip": _API / "hip.documented.json",
    "nvml": _API / "generated" / "nvml.documented.json",
}
"""The codes that each API's manual names.

The manual describes only the newest form of a function. Its codes count for the older forms, too.
"""
HANDS_ON = frozenset({runtime_error.NO_CALL_HAS_FAILED, hip_device.NO_CALL_HAS_FAILED})
"""Rules whose violation returns the code of an earlier call."""
MASKED = {
    "core.init.FLAGS_ARE_ZERO": "the library passes 0",
    "core.initialized.DRIVER_IS_INITIALIZED": "the library initialises the driver",
    "context.current.CONTEXT_IS_CURRENT": "the library makes the context of the thread's device current",
}
"""Driver rules that no call of a higher API can break, with the reason."""
IN_FORKS = frozenset({"core.initialized.DRIVER_IS_INITIALIZED"})
"""Rules that only a fork can break."""
DECIDED = ("unreachable", "contradicted", "otherwise")
"""The kinds of evidence that account for a pair without a rule."""
SILENT = "the manual says nothing"
"""The first words of a source's text if the manual says nothing to quote."""


@frozen
class Entry:
    """The reason why no rule gives a documented pair.

    Attributes:
        kind: ``unreachable``, ``contradicted`` or ``otherwise``.
        function: The function.
        code: The error code.
        reason: Why.
        answers: What the driver answers instead, where the pair is contradicted.
        recording: The file that shows it, below ``conformance/data/recordings``.
        program: The program in that file.
        rule: The id of the rule whose code is answered instead, where no program shows it.
    """

    kind: str
    function: str
    code: Code
    reason: str
    answers: Code | None = None
    recording: str = ""
    program: str = ""
    rule: str = ""


@frozen
class Row:
    """A line of the ledger: a function, an error code, and the rule for it.

    Attributes:
        function: The function.
        code: The code.
        status: ``broken``, ``unreachable``, ``contradicted``, ``otherwise``, ``undecided``, ``undocumented`` or
            ``undefined``.
        rule: The rule; None for a documented code that no rule gives.
        reason: Why the pair is unreachable, contradicted or undocumented, if the evidence says so.
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
        """The grade of the rule's evidence, or the manual's."""
        return self.rule.grade if self.rule else "manual"

    def as_json(self) -> dict[str, Any]:
        """Return the row as plain data."""
        rule, entry = self.rule, self.entry
        source = (
            (rule.source.call, rule.source.quote) if rule else (self.function, api_of(self.function).cname(self.code))
        )
        row: dict[str, Any] = {
            "function": self.function,
            "code": self.code.name,
            "id": rule.id if rule else None,
            "statement": rule.statement if rule else None,
            "source": dict(zip(("call", "quote"), source, strict=True)),
            "grade": self.grade,
            "status": self.status,
        }
        if self.status in {*DECIDED, "undocumented"}:
            row[self.status] = {"reason": self.reason}
        if entry and entry.answers is not None:
            row[self.status] |= {"answers": entry.answers.name, "recording": entry.recording, "program": entry.program}
        return row


def version(api: Api = DRIVER) -> str:
    """Return the release of the package whose texts are the manual."""
    return str(json.loads(DOCUMENTS[api.name].read_text(encoding="utf-8"))["from"]).rpartition(" ")[2]


@lru_cache
def _codes(api: Api = DRIVER) -> dict[str, tuple[Code, ...]]:
    if api is FORMS:
        newest = _codes(DRIVER)
        return {form: newest.get(row["base"], ()) for form, row in FORMS.description.DESCRIPTION.rows.items()}
    data = json.loads(DOCUMENTS[api.name].read_text(encoding="utf-8"))
    found = {}
    for function, names in data.get("codes", data).items():
        codes = [api.member(name) or api.named(name) for name in names]
        found[function] = tuple(dict.fromkeys(code for code in codes if code))
    return found


def documented(api: Api = DRIVER) -> tuple[tuple[str, Code], ...]:
    """Return every documented pair of function and error code, in manual order."""
    return tuple((function, code) for function, codes in _codes(api).items() for code in codes)


def modelled(api: Api = DRIVER) -> list[str]:
    """Return the modelled functions of an API, in manual order."""
    order = {function: number for number, function in enumerate(_codes(api))}
    return sorted(api.ops, key=lambda function: (order.get(function, len(order)), function))


@lru_cache
def entries() -> tuple[Entry, ...]:
    """Return the entries about documented pairs without a rule.

    Raises:
        EvidenceError: A file is malformed, or names a code that there is not; the text says which.
    """
    return tuple(one for item in evidence.entries(*DECIDED) for one in _decided_by(item))


@lru_cache
def _known() -> dict[tuple[str, Code], Entry]:
    """Return the entries by function and code."""
    return {(entry.function, entry.code): entry for entry in entries()}


def _decided_by(item: evidence.Entry) -> Iterator[Entry]:
    if item.all("call") == (evidence.EVERY,):
        for function, code in _left(item.chapter):
            if code.name in item.all("code"):
                yield Entry(item.kind, function, code, item.one("reason"))
        return
    for function in item.all("call"):
        answers = _member(item, function, item.one("answers")) if item.all("answers") else None
        rest = (item.one("reason"), answers, item.one("recording"), item.one("program"), item.one("rule"))
        for name in item.all("code"):
            yield Entry(item.kind, function, _member(item, function, name), *rest)


def _left(name: str) -> Iterator[tuple[str, Code]]:
    """Yield the documented pairs of a chapter's calls that no rule gives."""
    api = home(name)
    for function in modelled(api):
        op = api.ops[function]
        given = {api.code(rule.code) for rule in op.rules}
        if chapter(op.module) == name:
            yield from ((function, code) for code in _codes(api).get(function, ()) if code not in given)


def _member(item: evidence.Entry, function: str, name: str) -> Code:
    api = api_of(function)
    if (code := api.member(name)) is None:
        msg = (
            f"{item.place}: {name!r} is not a member of {api.own[0].__name__}: write the name of a member, such as "
            f"{', '.join(list(api.own[0].__members__)[:3])}"
        )
        raise evidence.EvidenceError(msg)
    return code


@lru_cache
def undocumented() -> dict[str, str]:
    """Return by rule why its code is not in the function's manual."""
    return {rule: item.one("reason") for item in evidence.entries("undocumented") for rule in item.all("rule")}


def is_masked(rule: Rule, function: str) -> bool:
    """Return whether no call of a higher API can break a driver rule."""
    api = api_of(function)
    if rule.id not in MASKED or api in {DRIVER, FORMS}:
        return False
    # A call that is the driver's, and makes no context current before, breaks the rule, as an H200 showed.
    return rule is not CONTEXT_IS_CURRENT or initialised not in getattr(api.ops[function].function, "guards", ())


def pairs(*functions: str) -> list[Row]:
    """Return the ledger of functions, by default of all modelled driver functions.

    A function's rules come first, in the order of their checks, then the documented codes that none of these gives: those
    of faults, which every call gives that needs a sound context, those that are handed on, and the others.
    """
    known, reasons = _known(), undocumented()
    rows = []
    for function in functions or modelled():
        api = api_of(function)
        codes = _codes(api).get(function, ())
        given = [rule for rule in api.ops[function].rules if not is_masked(rule, function)]
        for rule in given:
            code = api.code(rule.code)
            status = "broken" if code in codes else "undocumented" if code else "undefined"
            reason = _told(rule, api, reasons) if status == "undocumented" else ""
            if (entry := known.get((function, code))) is not None:  # no program of this call breaks the rule
                status, reason = entry.kind, entry.reason
            rows.append(Row(function, code, status, rule, reason, entry))
        faults = {api.code(rule.code): rule for rule in FAULTS.values()} if CONTEXT_IS_SOUND in given else {}
        handed = {code: rule for rule in given if rule in HANDS_ON for code in _answered(api)}
        for code in codes:
            if (fault := faults.get(code) or handed.get(code)) is not None:
                rows.append(Row(function, code, "broken", fault))
            elif all(api.code(rule.code) is not code for rule in given):
                entry = next((known[one] for one in _same(function, code) if one in known), None)
                status, reason = (entry.kind, entry.reason) if entry else ("undecided", "")
                rows.append(Row(function, code, status, None, reason, entry))
    return rows


def _same(function: str, code: Code) -> Iterator[tuple[str, Code]]:
    """Yield a pair, and the same pair of the lower calls."""
    yield function, code
    api = api_of(function)
    for op in below(api.ops[function]):
        yield from ((op.name, one) for one in _codes(api_of(op.name)).get(op.name, ()) if api.code(one) is code)


def _told(rule: Rule, api: Api, reasons: dict[str, str]) -> str:
    """Return why a call gives an undocumented code."""
    if (lower := home(rule.module)) is not api:
        return f"a rule of {lower.title}, whose code the call hands on"
    return reasons.get(rule.id) or (rule.source.quote if rule.grade in {"source", "hip-tests"} else "")


@lru_cache
def _answered(api: Api) -> frozenset[Code]:
    """Return the codes that calls of an API can return."""
    return frozenset(api.code(rule.code) for rule in every_rule(api))


def cited(rule: Rule) -> str:
    """Return a rule's source as text, with the manual's words in quotation marks."""
    source = rule.source
    if source.quote == api_of(source.call).cname(rule.code):
        return f"{source.call} names {source.quote}, without saying when"
    if rule.grade in {"observed", "source", "hip-tests"} or source.quote.startswith(SILENT):
        return f"{source.call}: {source.quote}"
    return f"{source.call}: “{source.quote}”"


def counts(rows: list[Row]) -> Counter[str]:
    """Return the number of pairs of function and code by status."""
    return Counter(status for _, _, status in {(row.function, row.code, row.status) for row in rows})


def summary(rows: list[Row]) -> str:
    """Return a line with the number of documented pairs by status."""
    found = counts(rows)
    names = ("broken", "unreachable", "contradicted", "otherwise", "undecided")
    kinds = [f"{found[kind]} {kind}" for kind in names if found[kind] or kind != "otherwise"]
    total = sum(found[kind.split()[1]] for kind in kinds)
    functions = {row.function for row in rows}
    text = f"calls: {len(functions)}; documented pairs: {total} ({', '.join(kinds)})"
    return f"{text}; undocumented pairs: {found['undocumented']}"


def beyond(api: Api) -> tuple[int, int]:
    """Return the number of unmodelled calls in the manual, and of their pairs."""
    others = {function: codes for function, codes in _codes(api).items() if function not in api.ops}
    return len(others), sum(map(len, others.values()))


def docstring(function: object) -> str:
    """Return a function's docstring without indentation."""
    text = function.__doc__ or ""
    return re.sub(r"^ {4}", "", text, flags=re.MULTILINE) if "\n    Returns\n" in text else text


def rules(*apis: Api) -> list[Rule]:
    """Return every rule of modelled calls, once, in manual order.

    Args:
        apis: The APIs; the driver's alone by default.
    """
    found = dict.fromkeys(
        rule for api in apis or (DRIVER,) for function in modelled(api) for rule in api.ops[function].rules
    )
    return [*found, *FAULTS.values(), *TOGETHER]
