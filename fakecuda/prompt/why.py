"""The text of the prompt's ``why``: why a call was refused, or what a finding means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from fakecuda.explain.reports.report import Told, caller_lines, rule_lines, told_of_rule
from fakecuda.explain.reports.text import SMALL, columns, wrapped
from fakecuda.machine.call_record import CallRecord
from fakecuda.model import history
from fakecuda.model.finding import Finding
from fakecuda.model.work.deadlock import Deadlock
from fakecuda.near import nearest
from fakecuda.prompt.calls import line_of, mentions
from fakecuda.prompt.manual import call_of
from fakecuda.prompt.objects import OWN_FRAME, history_of, quoted, value_of
from fakecuda.prompt.show import saying
from fakecuda.reach.process import Process, ThreadDoor
from fakecuda.rules.registry import EVERY_API, EVERY_OP, api_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from fakecuda.prompt.record import Calls

    Numbered: TypeAlias = tuple[int, CallRecord]
    Failure: TypeAlias = tuple[int, CallRecord | Finding | Deadlock]


def why_text(calls: Calls, what: Any = -1, width: int | None = None) -> str:
    """Return why a call failed.

    The text has the rule, its source, the state that broke it, and a fix.

    Args:
        calls: The calls.
        what: The call's number. -1 for the last refused call or finding, -2 for the one before. A call, by its name or
            the function: its last failure. A code, by its name or the enum: the last call that answered it. An answer of a
            call: its code. The id of a rule. An address or a handle: the last failure that mentions it. A process: its last failure.
            A finding.
        width: Columns of text; the terminal's by default.
    """
    width = width or columns()
    if isinstance(what, tuple) and what:
        what = what[0]
    numbered = calls.numbered()
    failed = [pair for pair in numbered if _has_failed(pair[1])]
    name = what if isinstance(what, str) else ""
    if isinstance(what, int) and hasattr(what, "name"):  # the enums of the bindings need not be Python's
        name = what.name
    elif not name and not isinstance(what, int) and (call := call_of(what)):
        name = call.name
    if name:
        return _why_named(calls, name, failed, width)
    if hasattr(what, "report") or isinstance(what, Finding | Deadlock):
        return str(getattr(what, "report", what))
    if isinstance(what, Process | ThreadDoor):
        process = what.process if isinstance(what, ThreadDoor) else what
        own = [pair for pair in failed if pair[1].process == process.name]
        return _why(calls, *own[-1], width) if own else f"no call of process {process.name} broke a rule"
    value = value_of(what)
    if value is None:
        known = "a number of a call, a call, a code, a rule, a process, a handle or a finding"
        return "\n".join(wrapped(f"{saying(what)} is not {known}", width))
    if isinstance(value, bytes) or value > SMALL:
        mentioned = [pair for pair in failed if mentions(pair[1], value, [])]
        return _why(calls, *mentioned[-1], width) if mentioned else "no call that mentions it broke a rule"
    return _why_numbered(calls, value, numbered, failed, width)


def _why_numbered(calls: Calls, what: int, numbered: list[Numbered], failed: list[Numbered], width: int) -> str:
    """Return why a call with a number failed; a number below 0 counts failures from the last."""
    if what < 0:
        every = sorted([*failed, *_found(calls, failed)], key=lambda pair: pair[0])
        if not every:
            return "no call broke a rule"
        if -what > len(every):
            return f"{len(every)} calls broke a rule: why(-1) explains the last, why(-{len(every)}) the first"
        return _why(calls, *every[what], width)
    chosen = [pair for pair in numbered if pair[0] == what]
    if not chosen:
        known = f"calls {numbered[0][0]} to {numbered[-1][0]} are known" if numbered else "no call was made"
        return f"there is no call {what}: {known}"
    return _why(calls, *chosen[0], width)


def _found(calls: Calls, failed: list[Numbered]) -> Iterator[Failure]:
    """Yield the findings and deadlocks that are not the failure of one recorded call."""
    for before, last, one in calls.found:
        rules = {record.rule for number, record in failed if before < number <= last}
        if isinstance(one, Deadlock) or one.rule not in rules:
            yield last, one


def _has_failed(record: CallRecord) -> bool:
    return record.rule is not None or "caller" in (record.facts or {})


def _why_named(calls: Calls, name: str, failed: list[Numbered], width: int) -> str:
    """Return why the last call with a name or a code failed, or the report on a rule."""
    if "." in name:
        rules = {rule.id: rule for op in EVERY_OP.values() for rule in op.rules}
        return told_of_rule(rules[name], width) if name in rules else nearest(name, rules, "rule")
    of_name = [pair for pair in failed if name == pair[1].call or name in _names(pair[1])]
    if of_name:
        return _why(calls, *of_name[-1], width)
    codes = {
        known for api in EVERY_API.values() for code in api.own for one in code for known in (one.name, api.cname(one))
    }
    if name in codes:
        return f"no call answered {name}"
    if name not in EVERY_OP:
        return nearest(name, [*EVERY_OP, *codes], "call or a code")
    return f'no call of {name} broke a rule; rules("{name}") lists what it checks'


def _names(record: CallRecord) -> set[str]:
    """Return the names of the code that a call answered."""
    api = api_of(record.call)
    return set() if record.code is None else {api.short(record.code), api.cname(record.code)}


def _why(calls: Calls, number: int, record: CallRecord | Finding | Deadlock, width: int) -> str:
    if not isinstance(record, CallRecord):
        return str(record)
    told = wrapped(line_of(number, record), width, "    ")
    if not _has_failed(record):
        return "\n".join([*told, f'  it broke no rule; rules("{record.call}") lists what it checked'])
    stack, items = calls.refused.get(number, (history.NOWHERE, ()))
    facts = {name: fact for name, fact in (record.facts or {}).items() if name != "caller"}
    one = Told(record.call, record.args, record.process, "", record.code, record.rule, facts, _typed(stack), items)
    if record.rule is not None and "injected" not in facts:
        told += wrapped(f"  statement  {record.rule.statement}", width, " " * 13)
    told += [quoted(line) for line in caller_lines(one, width)]
    return "\n".join([*told, *rule_lines(one, width, history_of)])


def _typed(stack: history.Stack) -> history.Stack:
    """Return a stack without the prompt's own frames."""
    frames = zip(stack[::2], stack[1::2], history.lines(stack), strict=False)
    return tuple(part for code, place, line in frames if not OWN_FRAME.search(line) for part in (code, place))
