"""The text of findings, refused calls and broken rules, in one form.

It has the call and its place, the state and the objects that mattered, each with the lines where it was made and ended, and the
fix. The rule with its source and evidence comes last.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from attrs import frozen

from fakecuda.explain.ledger import documented, pairs
from fakecuda.explain.reports import race
from fakecuda.explain.reports.call import called
from fakecuda.explain.reports.names import named_for
from fakecuda.explain.reports.rule import known_of
from fakecuda.explain.reports.text import SMALL, exactly, shown, wrapped
from fakecuda.model import history
from fakecuda.model.history import Lifetime
from fakecuda.model.memory.memory import Allocation, Share
from fakecuda.model.memory.va import Reservation
from fakecuda.model.work.accesses import Access
from fakecuda.rules.registry import api_of, below, home

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from fakecuda.model.finding import Finding
    from fakecuda.model.history import Stack
    from fakecuda.rules.core import Rule

WIDTH = 76
"""The width of a report in columns."""
LABEL = 9
OWN = "fakecuda"
"""The source of rules about limits of fakecuda itself."""
RAISED = "raised"
"""The fact with the text of an exception."""
MOST = 3
"""The maximum number of mappings and importers in a report."""
SIZES = frozenset({"size", "granularity", "alignment", "free", "offset", "span", "length", "pitch", "width", "total"})
"""Facts that are sizes in bytes."""


@frozen
class Told:
    """The contents of a report.

    Attributes:
        call: The function.
        args: Its arguments as plain values; None if they are unknown.
        process: The name of the calling process.
        command: The command line of a process that another OS process is, with its number; empty for this one.
        code: What it answered; None for undefined behaviour.
        rule: The broken rule; None if the call is not modelled.
        facts: What broke it.
        stack: The stack that called.
        items: Objects that the arguments name.
        libraries: The C libraries that called, the nearest first.
        alive: The ``id`` of objects that lived when the call was made; the report says which have ended since.
    """

    call: str
    args: tuple[Any, ...] | None
    process: str
    command: str
    code: int | None
    rule: Rule | None
    facts: dict[str, Any]
    stack: Stack = history.NOWHERE
    items: tuple[Any, ...] = ()
    libraries: tuple[str, ...] = ()
    alive: frozenset[int] = frozenset()


def of_finding(finding: Finding) -> str:
    """Return the report of a finding, before layout."""
    return composed(
        Told(
            finding.call,
            finding.made[1] if finding.made else None,
            finding.process,
            finding.command,
            None,
            finding.rule,
            finding.facts,
            finding.stack,
            libraries=finding.libraries,
        )
    )


def composed(told: Told, width: int = WIDTH) -> str:
    """Return a report.

    Args:
        told: Its contents.
        width: Columns of text; ids and paths are never broken.
    """
    where = f"{told.call} in process {told.process}"
    answer = "" if told.code is None else f" -> {api_of(told.call).short(told.code)}"
    if _fault(told) is not None:
        head = f"{where}{answer}: a fault was injected"
    elif told.rule is None:
        head = f"{where}{answer}: fakecuda does not model the call"
    else:
        head = f"{where}{answer}: breaks the rule: {told.rule.statement}"
    rows = [("call", called(told.call, told.args))] if told.args is not None else []
    return "\n".join([head, *labelled(rows, width), *caller_lines(told, width), *rule_lines(told, width)])


def caller_lines(told: Told, width: int) -> list[str]:
    """Return the lines on the place and the process of a call."""
    first, *beneath = history.places(told.stack) or [""]
    places = [("at", first)] * bool(first) + [("by", line) for line in beneath]
    lines = [f"  {label:{LABEL}}  {line}" for label, line in places]
    if any(isinstance(one, Access) for one in told.facts.values()):
        lines[1:1] = race.source(first, " " * (LABEL + 4))
    command = [("process", f"{told.process}, {told.command}")] if told.command else []
    return lines + labelled([*(("library", name) for name in told.libraries), *command], width)


def told_of_rule(rule: Rule, width: int = WIDTH) -> str:
    """Return the report on a rule without a call."""
    known = known_of(rule)
    rows = [("rule", f"{rule.id} ({rule.grade})"), ("source", known.source), ("evidence", known.evidence)]
    return "\n".join([rule.statement, *labelled([*rows, ("fix", rule.fix)], width)])


def rule_lines(told: Told, width: int, history_of: Callable[[Any, int, str], list[str]] | None = None) -> list[str]:
    """Return the lines on the broken rule and its facts.

    Args:
        told: The contents of the report.
        width: Columns of text.
        history_of: Returns the lines of an object's history, of that width and behind that indent; its own by default.
    """
    if told.rule is None:
        return labelled([("fix", f"leave {told.call} out of this test, or run the test on a card only")], width)
    if (fault := _fault(told)) is not None:
        return labelled([("fault", str(fault))], width) + [f"  {'set at':{LABEL}}  {fault.line}"] * bool(fault.line)
    code = [] if told.code is None else [("code", _code(told.call, told.code, told.rule))]
    lines = labelled([*code, *_state(told.facts)], width)
    for name, value in told.facts.items():
        if _is_text(value):
            lines += [f"  {name}", *(f"    {line}" for line in value.splitlines())]
    for item in _objects(told):
        indent, (_, ended) = " " * (LABEL + 6), getattr(item, "words", Lifetime.words)
        alive, earlier = id(item) in told.alive, isinstance(item, Access)
        lines += labelled(
            [("earlier" if earlier else "object", str(item).removeprefix("destroyed ") if alive else str(item))], width
        )
        if history_of is not None:
            lines += history_of(item, width, indent)
            continue
        when = "" if told.code is None or not ended else f"{ended} {'after' if alive else 'before'} this call at"
        past = [indent + (line.replace(f"{ended} at", when, 1) if when else line) for line in item.history()]
        if earlier:
            past[1:1] = race.source(past[0], indent) if past else []
        lines += past
    if told.rule.source.call == OWN:
        rows = [(name, value) for name, value in told.facts.items() if name == RAISED and not _is_text(value)]
        return lines + labelled([*rows, ("fix", told.rule.fix), ("rule", told.rule.id)], width)
    known = known_of(told.rule)
    rows = [
        ("fix", named_for(api_of(told.call), race.fix(told.call, told.process, told.facts) or told.rule.fix)),
        ("rule", f"{told.rule.id} ({told.rule.grade})"),
        ("source", known.source),
        *_beneath(told.call, told.rule),
        ("evidence", known.evidence),
    ]
    return lines + labelled(rows, width)


def _fault(told: Told) -> Any:
    """Return the injected fault; None if a rule is broken."""
    return told.facts.get("injected")


def labelled(rows: Iterable[tuple[str, str]], width: int) -> list[str]:
    """Return labelled rows as lines, without breaking words such as paths."""
    return [line for label, text in rows for line in wrapped(f"  {label:{LABEL}}  {text}", width, " " * (LABEL + 4))]


def _code(call: str, code: int, rule: Rule) -> str:
    """Return the name of the code in the call's API, and the driver's name if it differs."""
    api, lower = api_of(call), home(rule.module)
    return api.cname(code) if lower is api else f"{api.cname(code)}, which is {lower.cname(rule.code)} of {lower.title}"


def _beneath(call: str, rule: Rule) -> Iterator[tuple[str, str]]:
    """Yield rows on a call's lower rule, and whether the call's manual has the code."""
    api = api_of(call)
    if not api.lower or call not in api.ops:
        return
    lower = home(rule.module)
    if lower is not api:
        calls = [op.name for op in below(api.ops[call]) if rule in op.rules]
        yield "beneath", f"{call} calls {calls[-1]}, which checks it" if calls else f"a rule of {lower.title}"
    row = next((row for row in pairs(call) if row.rule is rule), None)
    if row and row.status == "undocumented":
        names = ", ".join(api.cname(code) for name, code in documented(api) if name == call) or "no code"
        yield "manual", f"{call} names {names}, but not this one: {row.reason}"


def _state(facts: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the numbers and words that broke a rule."""
    plain = [
        _named(name.replace("_", " "), _plain(name, value))
        for name, value in facts.items()
        if value is not None and name != RAISED and not _each(value) and not _is_text(value)
    ]
    if plain:
        yield "state", ", ".join(plain)


def _named(name: str, value: str) -> str:
    """Return a fact with its name, unless its text contains the name."""
    return value if value.startswith(f"{name} ") else f"{name} {value}"


def _is_text(value: Any) -> bool:
    """Return whether a fact is multi-line text, such as a traceback."""
    return isinstance(value, str) and "\n" in value


def _plain(name: str, value: Any) -> str:
    if type(value) is int and (name in SIZES or value > SMALL):
        return exactly(value) if name in SIZES else hex(value)
    return shown(value)


def _objects(told: Told) -> list[Any]:
    """Return the objects involved: of the rule, related objects, and of the arguments."""
    found = [item for value in told.facts.values() for item in _each(value)]
    items = [*found, *(other for item in found for other in _belonging(item)), *told.items]
    return list({id(item): item for item in items}.values())


def _each(value: Any) -> list[Any]:
    """Return the objects with a history in a fact."""
    if hasattr(value, "history"):
        return [value]
    return [item for item in value if hasattr(item, "history")][:MOST] if isinstance(value, list | tuple) else []


def _belonging(item: Any) -> list[Any]:
    """Return objects that belong to an object, such as mappings of a reservation."""
    if isinstance(item, Access):
        return [item.stream]
    mappings = item.mappings if isinstance(item, Reservation) else ()
    share = item.share if isinstance(item, Allocation) else item
    importers = share.importers if isinstance(share, Share) else ()
    return [*islice(mappings, MOST), *importers[:MOST]]
