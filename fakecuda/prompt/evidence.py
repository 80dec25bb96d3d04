"""The evidence for rules: ``python -m fakecuda rules --evidence``.

The product knows a rule's statement, code and source, and which calls of each API check it. The conformance suite knows
the cases that break it, the recorded programs of drivers, and the mutants. If the suite is not installed, the command
says so and prints the rest.
"""

from __future__ import annotations

import inspect
import linecache
import re
import sys
from fnmatch import fnmatchcase
from functools import cache
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attrs import asdict, field, frozen

from fakecuda.explain.evidence import entries, of_rule
from fakecuda.explain.ledger import cited
from fakecuda.explain.ledger.checks import anchor_of
from fakecuda.explain.ledger.codes import MASKED
from fakecuda.explain.reports.text import GAP, columns, wrapped
from fakecuda.rules.registry import APIS, DRIVER, EVERY_API, EVERY_OP, FORMS, HIP, NVML, api_of, every_rule, home
from fakecuda.spec.codes import CRASH, HANG

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from fakecuda.rules.core import Rule
    from fakecuda.rules.registry import Api

ROOT = Path(__file__).parents[2]
"""The checkout, or site-packages."""
FIRST = 5
"""Maximum number of recorded programs listed for a rule. The others are counted."""
MOST = 12
"""Maximum number of cases listed for a rule and an API."""
MANY = 30
"""Maximum number of rules per command."""
UNDEFINED = "undefined behaviour; with strict=False the call answers "
"""The prefix of the code of a rule whose violation is undefined."""
LABEL = 13
WORD = re.compile(r"[^\W_]+")


@frozen
class Proof:
    """A case of the conformance suite that breaks a rule.

    Attributes:
        call: The call that breaks it.
        name: The name of the case.
        place: Where the case is written, as ``file:line``.
    """

    call: str
    name: str
    place: str


@frozen
class Heard:
    """A recorded program in which a driver answered a call that breaks the rule.

    Attributes:
        recording: The recording's path below the folder of recordings, such as ``h200-x2/cases``.
        program: The program's name.
        call: The call that broke the rule.
        code: What the driver answered.
        about: What the program asks; empty if its name says it.
    """

    recording: str
    program: str
    call: str
    code: int
    about: str = ""


@frozen
class Evidence:
    """The conformance suite's evidence for a rule.

    Attributes:
        proofs: The cases that break it.
        heard: The recorded programs that break it.
        left: Number of recorded programs with a matching answer that were not run to find out which rule they break.
        mutants: The number of mutants of the rule.
        known: Remarks in the suite's files, each as file and reason.
    """

    proofs: tuple[Proof, ...] = ()
    heard: tuple[Heard, ...] = ()
    left: int = 0
    mutants: int = 0
    known: tuple[tuple[str, str], ...] = ()


@frozen
class Answer:
    """A rule and its evidence.

    Attributes:
        id: The rule's id.
        statement: The condition, in positive wording.
        code: The name of the code: the driver's, or that of the rule's own API.
        number: The code.
        grade: The grade of its source.
        source: The source in words.
        fix: What to change in code that breaks the rule.
        sentences: The sentences of manuals that it tests, each with its call.
        place: Where it is declared, as ``file:line``.
        page: Its page and anchor in the documentation.
        calls: For each API, the calls that check it, with their answers.
        masked: Why no call of a higher API can break it; otherwise empty.
        known: Remarks in fakecuda's own files, each as file and reason.
        evidence: What the suite knows; None if the suite is not installed.
    """

    id: str
    statement: str
    code: str
    number: int
    grade: str
    source: str
    fix: str
    sentences: tuple[str, ...]
    place: str
    page: str
    calls: dict[str, dict[str, str]]
    masked: str
    known: tuple[tuple[str, str], ...]
    evidence: Evidence | None = field(default=None)


def select(text: str) -> list[Rule]:
    """Return the rules that a text selects, in the order of the calls that check them.

    The first match counts: an id, its last part, or a pattern of either; the name or number of a result code in any
    API; a part of an id; words that all occur in the statement or in the code's name.

    Raises:
        LookupError: The text selects no rule, or too many; the message says what to write.
    """
    rules = list(every_rule(*EVERY_API.values()))
    if its := [rule for rule in rules if rule.id == text]:
        return its
    low = text.strip().lower()
    words = set(WORD.findall(low))
    ways: tuple[Callable[[Rule], bool], ...] = (
        lambda rule: any(fnmatchcase(name, text) for name in (rule.id, rule.id.rpartition(".")[2])),
        lambda rule: low in _codes(rule),
        lambda rule: bool(low) and low in rule.id.lower(),
        lambda rule: bool(words) and words <= _words(rule),
    )
    for way in ways:
        found = [rule for rule in rules if way(rule)]
        if len(found) > MANY:
            msg = (
                f"{text!r} selects {len(found)} rules, more than {MANY}: write more of an id, such as one of "
                f"{', '.join(rule.id for rule in found)}"
            )
            raise LookupError(msg)
        if found:
            return found
    msg = (
        f"{text!r} selects no rule: write an id, a part or a pattern of it ('*.PEER_IS_NOT_ENABLED'), a result code by "
        "name or number (PEER_ACCESS_ALREADY_ENABLED, 704), or words of its statement"
    )
    raise LookupError(msg)


def answers(rules: Sequence[Rule], found: dict[str, Evidence] | None) -> list[Answer]:
    """Return the evidence for rules.

    Args:
        rules: The rules.
        found: What the suite knows, by rule id; None if the suite is not installed.
    """
    return [_answer(rule, None if found is None else found[rule.id]) for rule in rules]


def as_json(answer: Answer) -> dict[str, Any]:
    """Return the evidence for a rule as plain data."""
    return asdict(answer)


def evidence_text(found: Iterable[Answer], width: int | None = None) -> str:
    """Return the evidence for rules as text, with a block for each rule."""
    width = width or columns()
    return "\n\n".join("\n".join(_block(answer, width)) for answer in found)


@cache
def calls_of(rule: Rule) -> tuple[str, ...]:
    """Return the calls of all APIs that check a rule.

    A call checks it directly or in a call that it makes.
    """
    return _checkers().get(rule, ())


@cache
def _checkers() -> dict[Rule, tuple[str, ...]]:
    found: dict[Rule, list[str]] = {}
    for name, op in EVERY_OP.items():
        for rule in op.rules:
            found.setdefault(rule, []).append(name)
    order = list(EVERY_API.values())
    return {rule: tuple(sorted(calls, key=lambda call: order.index(api_of(call)))) for rule, calls in found.items()}


def _codes(rule: Rule) -> set[str]:
    """Return the names and numbers of all codes for a broken rule, in lower case."""
    number = int(rule.code)
    names = {rule.code.name, rule.code.cname, str(number)}
    checking = {api_of(call) for call in calls_of(rule)}
    for api in EVERY_API.values():
        if api in checking:
            code = api.code(rule.code)
            names |= {code.name, api.cname(int(code)), str(int(code))}
        elif api in _counting_alike(rule) and api.codes.get(number, number) == number:  # another name for the code
            names.add(api.cname(number))
    return {name.lower() for name in names}


def _counting_alike(rule: Rule) -> tuple[Api, ...]:
    """Return the APIs that use the same code numbers as a rule's API.

    NVML has its own numbers.
    """
    return (NVML,) if home(rule.module) is NVML else tuple(APIS.values())


def _words(rule: Rule) -> set[str]:
    return set(WORD.findall(f"{rule.statement} {rule.code.name}".lower().replace("_", " ")))


def _answer(rule: Rule, evidence: Evidence | None) -> Answer:
    calls: dict[str, dict[str, str]] = {name: {} for name in EVERY_API}
    for call in calls_of(rule):
        api = api_of(call)
        code = api.code(rule.code)
        calls[api.name][call] = f"{api.cname(int(code))} ({int(code)})" if rule.code else "undefined behaviour"
    known = [
        (f"documented as {name}", entry.one("reason"))
        for entry in entries("otherwise", of=(rule.id, *calls_of(rule)))
        if rule.id in entry.all("rule")
        for _, name in product(entry.all("call"), entry.all("code"))
    ]
    own = of_rule(rule.id)
    known += [
        ("a code that the manual does not name", entry.one("reason")) for entry in own if entry.kind == "undocumented"
    ]
    notes = [entry for entry in own if entry.kind == "note"]
    known += [(key, text) for entry in notes for key in ("driver", "differs") for text in entry.all(key)]
    return Answer(
        id=rule.id,
        statement=rule.statement,
        code=home(rule.module).code(rule.code).name,
        number=int(rule.code),
        grade=rule.grade,
        source=cited(rule),
        fix=rule.fix,
        sentences=tuple(
            f"{call}: “{says}”"
            for entry in entries("sentence", of=(rule.id, *calls_of(rule)))
            if rule.id in entry.all("by")
            for call, says in product(entry.all("call"), entry.all("says"))
        ),
        place=_place(rule),
        page=anchor_of(rule),
        calls=calls,
        masked=MASKED.get(rule.id, ""),
        known=tuple(known),
        evidence=evidence,
    )


def _place(rule: Rule) -> str:
    """Return where a rule is declared, as ``file:line``."""
    file = inspect.getfile(sys.modules[rule.module])
    name = rule.id.rpartition(".")[2]
    lines = linecache.getlines(file)
    number = next((number for number, line in enumerate(lines, 1) if line.startswith(f"{name} =")), 1)
    return place_of(file, number)


def place_of(file: str, number: int) -> str:
    """Return a line of a file as ``file:line``, relative to the checkout's root."""
    path = Path(file)
    return f"{path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path}:{number}"


def _block(answer: Answer, width: int) -> Iterator[str]:
    """Yield the lines of a rule."""
    yield answer.id
    yield from wrapped(f"  {answer.statement}", width)
    evidence = answer.evidence
    parts: list[tuple[str, list[str]]] = [
        ("code", [f"{UNDEFINED if answer.grade == 'undefined' else ''}{answer.code} ({answer.number})"]),
        ("source", [f"{answer.grade}: {answer.source}"]),
        ("fix", [answer.fix]),
        *([("sentences", list(answer.sentences))] if answer.sentences else []),
        ("declared", [answer.place]),
        ("page", [answer.page]),
    ]
    apis = (NVML,) if answer.calls[NVML.name] else (*APIS.values(), *([FORMS] if answer.calls[FORMS.name] else []))
    for api in apis:
        calls = answer.calls[api.name]
        same = {code: [call for call, other in calls.items() if other == code] for code in calls.values()}
        told = [f"{', '.join(those)}: {code}" for code, those in same.items()]
        parts.append((f"{api.name} calls", told or ["none"]))
    if answer.masked:
        parts.append(("but", [f"no call of a higher API can break it: {answer.masked}"]))
    if evidence:
        for api in apis:
            cases = [f"{one.place} {one.name}" for one in evidence.proofs if api_of(one.call) is api]
            cases = list(dict.fromkeys(cases))
            more = [f"and {len(cases) - MOST} more, which --json lists"] if len(cases) > MOST else []
            if answer.calls[api.name]:
                parts.append((f"{api.name} cases", [*cases[:MOST], *more] or [_no_case(answer, api)]))
        parts.append(("recordings", _recordings(answer, evidence)))
        if NVML not in apis:
            parts.append(("mutants", [f"{evidence.mutants} changes of its check, which the suite has to notice"]))
    parts += [
        ("known", [f"{kind}: {reason}"]) for kind, reason in (*answer.known, *(evidence.known if evidence else ()))
    ]
    for label, lines in parts:
        for number, line in enumerate(lines):
            first = f"  {label if number == 0 else '':{LABEL}}{GAP}"
            yield from wrapped(first + line, width, " " * len(first))


def _no_case(answer: Answer, api: Api) -> str:
    if api in {DRIVER, NVML}:
        return "none"
    return f"none: {answer.masked}" if answer.masked else "none; the cases of the driver calls beneath prove it"


def _recordings(answer: Answer, evidence: Evidence) -> list[str]:
    """Return the lines about recorded programs that break a rule."""
    if not evidence.heard:
        of = [name for name, calls in answer.calls.items() if calls]
        return ["none: AMD's library was not asked; see the source" if of == [HIP.name] else "none"]
    count, calls = len(evidence.heard), dict.fromkeys(one.call for one in evidence.heard)
    number = f"{'at least ' if evidence.left else ''}{count} answers of drivers to {', '.join(calls)}"
    left = f" ({evidence.left} further programs may break it and were not run)" if evidence.left else ""
    lines = [f"{number}{left}{f'; the first {FIRST}' if count > FIRST else ''}:"]
    return [
        *lines,
        *(
            f"{one.recording} {one.program}: {one.call} answers {_short(one)}{one.about and f' ({one.about})'}"
            for one in evidence.heard[:FIRST]
        ),
    ]


def _short(one: Heard) -> str:
    ends = {CRASH: "with a crash", HANG: "never"}
    return ends.get(one.code) or f"{api_of(one.call).cname(one.code)} ({one.code})"
