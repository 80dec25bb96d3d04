"""Texts of the prompt's ``history`` and ``why``.

The recorded calls, and why a call failed.
"""

from __future__ import annotations

from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.explain.reports.call import named, named_by
from fakecuda.explain.reports.report import Told, caller_lines, rule_lines, told_of_rule
from fakecuda.explain.reports.text import GAP, SMALL, caller, columns, shown, size, wrapped
from fakecuda.model import history
from fakecuda.model.hooks import COUNT, RECORD
from fakecuda.model.machine import CALLS_KEPT
from fakecuda.near import nearest
from fakecuda.prompt.objects import KINDS, OWN_FRAME, found, history_of, quoted, value_of, variables
from fakecuda.rules.registry import EVERY_OP, api_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from fakecuda.simulated.machine import CallRecord, Machine
    from fakecuda.spec.description import Param


@define(eq=False)
class Calls:
    """A machine's calls by number, starting at 1.

    Attributes:
        machine: The machine. Its calls are recorded here from now on.
        made: The number of all calls, including those that the machine has dropped.
        refused: For calls that broke a rule, by number: the stack, and the objects that the arguments name.
    """

    machine: Machine
    made: int = field(init=False)
    refused: dict[int, tuple[history.Stack, tuple[Any, ...]]] = field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self.made = len(self.machine.calls)
        RECORD.put(self.machine, COUNT, lambda record: partial(self._record, record))

    def _record(self, write: Callable[[tuple[Any, ...]], None], entry: tuple[Any, ...]) -> None:
        write(entry)
        self.made += 1
        thread, _, args, _, _, rule, _ = entry
        if rule is not None:
            self.refused[self.made] = history.whole(), tuple(named_by(thread.process, args))
            if len(self.refused) > CALLS_KEPT:
                del self.refused[next(iter(self.refused))]

    def numbered(self) -> list[tuple[int, CallRecord]]:
        """Return the calls that the machine has kept, oldest first, each with its number."""
        with self.machine.lock:
            log = self.machine.log
            return list(zip(count(self.made - len(log) + 1), log, strict=False))


def why_text(calls: Calls, what: int | str = -1, width: int | None = None) -> str:
    """Return why a call failed.

    The text has the rule, its source, the state that broke it, and a fix.

    Args:
        calls: The calls.
        what: The call's number; -1 for the last failed call, -2 for the one before; the name of a call, for its last
            failure; or the id of a rule.
        width: Columns of text; the terminal's by default.
    """
    width = width or columns()
    numbered = calls.numbered()
    failed = [pair for pair in numbered if _has_failed(pair[1])]
    if isinstance(what, str):
        return _why_named(calls, what, failed, width)
    if what < 0:
        if not failed:
            return "no call broke a rule"
        if -what > len(failed):
            return f"{len(failed)} calls broke a rule: why(-1) explains the last, why(-{len(failed)}) the first"
        return _why(calls, *failed[what], width)
    chosen = [pair for pair in numbered if pair[0] == what]
    if not chosen:
        known = f"calls {numbered[0][0]} to {numbered[-1][0]} are known" if numbered else "no call was made"
        return f"there is no call {what}: {known}"
    return _why(calls, *chosen[0], width)


def _has_failed(record: CallRecord) -> bool:
    return record.rule is not None or "caller" in (record.facts or {})


def _why_named(calls: Calls, name: str, failed: list[tuple[int, CallRecord]], width: int) -> str:
    """Return why the last call with a name failed, or the report on a rule."""
    if "." in name:
        rules = {rule.id: rule for op in EVERY_OP.values() for rule in op.rules}
        return told_of_rule(rules[name], width) if name in rules else nearest(name, rules, "rule")
    of_name = [pair for pair in failed if pair[1].call == name]
    if of_name:
        return _why(calls, *of_name[-1], width)
    if name not in EVERY_OP:
        return nearest(name, EVERY_OP, "call")
    return f'no call of {name} broke a rule; rules("{name}") lists what it checks'


def _why(calls: Calls, number: int, record: CallRecord, width: int) -> str:
    told = wrapped(_line(number, record), width, "    ")
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


def history_text(calls: Calls, what: Any = 20, scope: Mapping[str, Any] | None = None, width: int | None = None) -> str:
    """Return calls as text.

    A call has its number, caller, arguments, code, results and broken rule.

    Args:
        calls: The calls.
        what: The number of last calls; or an address, a handle or an IPC handle, for the calls that mention its object.
        scope: Variables. An address or a handle that a variable holds is shown by the variable's name.
        width: Columns of text; the terminal's by default.
    """
    width = width or columns()
    value = value_of(what)
    if value is None:
        return f"{what!r} is not a number of calls, an address or a handle"
    numbered = calls.numbered()
    if isinstance(value, int) and value <= SMALL:
        numbered = numbered[-value:] if value > 0 else []
    else:
        ranges = [(item.start, item.end) for _, item in found(calls.machine, value) if hasattr(item, "end")]
        numbered = [(number, record) for number, record in numbered if _mentions(record, value, ranges)]
    if not numbered:
        return "no calls"
    names = Names(calls.machine, scope or {})
    pads = len(str(numbered[-1][0])), max(len(caller(record.process, record.thread)) for _, record in numbered)
    indent = " " * (sum(pads) + len(GAP) * 2 + 2)
    lines = []
    for number, record in numbered:
        lines += wrapped(_line(number, record, names, pads), width, indent)
        facts = record.facts or {}
        if "injected" in facts:
            lines += wrapped(f"{indent}injected by {facts['injected']}", width)
        elif record.rule:
            lines += wrapped(f"{indent}breaks {record.rule.id}", width)
        elif "caller" in facts:
            lines += wrapped(f"{indent}not modelled, called at {quoted(str(facts['caller']))}", width)
    if names.used:
        lines += wrapped(
            f"where {', '.join(f'{name}={shown(value)}' for name, value in names.used.items())}", width, "  "
        )
    return "\n".join(lines)


class Names:
    """The variables that hold an address or a handle, for showing these by name.

    Args:
        machine: The machine.
        scope: Variables.

    Attributes:
        used: The variables that were shown.
    """

    def __init__(self, machine: Machine, scope: Mapping[str, Any]) -> None:
        self.used: dict[str, int | bytes] = {}
        self._names: dict[int | bytes, str] = {}
        self._spans: list[tuple[int, int, str]] = []
        for name, _, value in variables(scope):
            self._names.setdefault(value, name)
            ends = (ranged.end for _, ranged in found(machine, value) if hasattr(ranged, "end"))
            if isinstance(value, int):
                self._spans.append((value, max(ends, default=value), name))

    def of(self, value: Any) -> str:
        """Return the variable that holds a value, with an offset if needed.

        The result is empty without one.
        """
        if not isinstance(value, int | bytes):
            return ""
        if value in self._names:
            self.used[self._names[value]] = value
            return self._names[value]
        for start, end, name in self._spans:
            if isinstance(value, int) and start < value < end:
                self.used[name] = start
                return f"{name}+{size(value - start)}"
        return ""


def _line(number: int, record: CallRecord, names: Names | None = None, pads: tuple[int, int] = (0, 0)) -> str:
    """Return a call as one line."""

    def variable(param: Param, value: Any) -> str:
        holds = param.type in KINDS or param.type == "void" or param.kind == "any"
        return names.of(value) if names and holds else ""

    api = api_of(record.call)
    call = api.calls.get(record.call)
    inputs, outputs = (call.inputs, call.outputs) if call else ((), ())
    arguments = ", ".join(named(api, inputs, record.args, variable))
    code = "undefined" if record.code is None else api.short(record.code)
    outs = record.outs if len(outputs) > 1 else (record.outs,)
    answer = ", ".join([code, *(named(api, outputs, outs, variable) if record.code == 0 else [])])
    who = caller(record.process, record.thread)
    return f"{number:>{pads[0]}}  {who:{pads[1]}}  {record.call}({arguments}) -> {answer}"


def _mentions(record: CallRecord, value: int | bytes, ranges: list[tuple[int, int]]) -> bool:
    """Return whether a call's arguments or results have a value.

    An address in one of the ranges counts, too.
    """
    return any(
        plain == value or (isinstance(plain, int) and any(start <= plain < end for start, end in ranges))
        for plain in _flat((record.args, record.outs))
    )


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, tuple):
        for item in value:
            yield from _flat(item)
    else:
        yield value
