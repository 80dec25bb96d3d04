"""What ``history`` and ``why`` tell of the calls that were made."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING, Any

from attrs import define, field

from fakecuda.api import api_of, below, home
from fakecuda.ledger import cited, documented, pairs
from fakecuda.prompt.objects import KINDS, found, history_of, value_of, variables
from fakecuda.prompt.text import GAP, SMALL, caller, columns, shown, size, wrapped

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fakecuda.api import Api
    from fakecuda.api.description import Param
    from fakecuda.simulated.machine import CallRecord, Machine

KIBIBYTE = 1024


@define(eq=False)
class Calls:
    """A machine's calls by number; the first that was made is number 1.

    Attributes:
        machine: The machine; its records are counted from now on.
        made: How many calls were made, those that the machine has forgotten included.
    """

    machine: Machine
    made: int = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.made = len(self.machine.calls)
        self.machine.record = self._record

    def _record(self, entry: tuple[Any, ...]) -> None:
        self.machine.calls.append(entry)
        self.made += 1

    def numbered(self) -> list[tuple[int, CallRecord]]:
        """Return the calls that the machine remembers, oldest first, each with its number."""
        with self.machine.lock:
            log = self.machine.log
            return list(zip(count(self.made - len(log) + 1), log, strict=False))


def why_text(calls: Calls, n: int = -1, width: int | None = None) -> str:
    """Return why a call failed: the rule, its code and source, and the state that broke it.

    Args:
        calls: The calls.
        n: The call's number, or -1 for the last failing call, -2 for the one before it.
        width: Columns of text; the terminal's by default.
    """
    numbered = calls.numbered()
    failed = [pair for pair in numbered if pair[1].rule is not None]
    if n < 0:
        if not failed:
            return "no call has broken a rule"
        if -n > len(failed):
            return f"{len(failed)} calls have broken a rule: why(-1) is about the last, why(-{len(failed)}) about the first"
        number, record = failed[n]
    else:
        chosen = [pair for pair in numbered if pair[0] == n]
        if not chosen:
            known = f"calls {numbered[0][0]} to {numbered[-1][0]} are known" if numbered else "no call was made"
            return f"there is no call {n}: {known}"
        number, record = chosen[0]
    width = width or columns()
    told = wrapped(_line(number, record), width, "    ")
    if record.rule is None:
        return "\n".join([*told, f'  it broke no rule; rules("{record.call}") lists what it checked'])
    facts = [
        ("rule", record.rule.id),
        ("statement", record.rule.statement),
        ("code", _code(record)),
        ("source", cited(record.rule)),
        ("grade", record.rule.grade),
        *_beneath(record),
    ]
    for label, text in facts:
        told += wrapped(f"  {label:9}  {text}", width, " " * 13)
    for name, value in (record.facts or {}).items():
        told += wrapped(f"  state      {name.replace('_', ' ')}: {shown(value)}", width, " " * 13)
        told += history_of(value, width, " " * 15)
    return "\n".join(told)


def _code(record: CallRecord) -> str:
    """Return the name of the code in the call's API; with the driver's, where that has another."""
    assert record.rule is not None
    api, code = api_of(record.call), record.rule.code
    name = api.cname(api.code(code) if record.code is None else record.code)
    lower = home(record.rule.module)
    return name if lower is api else f"{name}, which is {lower.cname(code)} of {lower.title}"


def _beneath(record: CallRecord) -> Iterator[tuple[str, str]]:
    """Yield what is to be told of a call of a higher API: whose rule it is, and whether its own manual names the code."""
    api = api_of(record.call)
    if not api.lower:
        return
    assert record.rule is not None
    rule, lower = record.rule, home(record.rule.module)
    if lower is not api:
        calls = [op.name for op in below(api.ops[record.call]) if rule in op.rules]
        yield "beneath", f"{record.call} calls {calls[-1]}, which checks it" if calls else f"a rule of {lower.title}"
    row = next((row for row in pairs(record.call) if row.rule is rule), None)
    names = ", ".join(api.cname(code) for call, code in documented(api) if call == record.call) or "no code"
    reason = f", and not this one: {row.reason}" if row and row.status == "undocumented" else ""
    yield "manual", f"{record.call} names {names}{reason}"


def history_text(calls: Calls, what: Any = 20, scope: Mapping[str, Any] | None = None, width: int | None = None) -> str:  # noqa: ANN401 - whatever was typed
    """Return calls as text, a line or more each: number, caller, arguments by name, code, results and the broken rule.

    Args:
        calls: The calls.
        what: How many of the last, or an address, a handle or an IPC handle: the calls that mention what it names.
        scope: Variables; an address or a handle that one of them holds is shown by its name.
        width: Columns of text; the terminal's by default.
    """
    width = width or columns()
    value = value_of(what)
    if value is None:
        return f"{what!r} is neither a number of calls nor an address or a handle"
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
        if record.rule:
            lines += wrapped(f"{indent}breaks {record.rule.id}", width)
    if names.used:
        lines += wrapped(
            f"where {', '.join(f'{name}={shown(value)}' for name, value in names.used.items())}", width, "  "
        )
    return "\n".join(lines)


class Names:
    """The variables that hold an address or a handle.

    Args:
        machine: The machine.
        scope: Variables.

    Attributes:
        used: Those that were shown.
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

    def of(self, value: Any) -> str:  # noqa: ANN401 - any plain value
        """Return the variable that holds a value, with the offset for an address in its range; empty for none."""
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

    def shows(params: tuple[Param, ...], values: tuple[Any, ...]) -> list[str]:
        told = []
        for param, value in zip(params, values, strict=False):
            named = param.type in KINDS or param.type == "void" or param.kind == "any"
            name = names.of(value) if names and named else ""
            told.append(f"{param.keyword or param.name}={name or _argument(api, param, value)}")
        return told

    api = api_of(record.call)
    call = api.calls[record.call]
    arguments = ", ".join(shows(call.inputs, record.args))
    code = "undefined" if record.code is None else api.short(record.code)
    outs = record.outs if len(call.outputs) > 1 else (record.outs,)
    answer = ", ".join([code, *(shows(call.outputs, outs) if record.code == 0 else [])])
    who = caller(record.process, record.thread)
    return f"{number:>{pads[0]}}  {who:{pads[1]}}  {record.call}({arguments}) -> {answer}"


def _argument(api: Api, param: Param, value: Any) -> str:  # noqa: ANN401 - any plain value
    """Return an argument or a result as short text: enums by name, sizes for people, the rest in hexadecimal."""
    if isinstance(value, tuple):
        return f"({', '.join(_argument(api, param, item) for item in value)})"
    if isinstance(value, bytes):
        text = value.rstrip(b"\0")
        return repr(text.decode()) if param.kind == "string" and text.isascii() else shown(value)
    if not isinstance(value, int):
        return str(value)
    if (members := api.description.ENUMS.get(param.type)) is not None:
        return next((label for label, number in reversed(members.items()) if number == value), str(value))
    if param.type == "size_t" and value >= KIBIBYTE:
        return size(value)
    return hex(value) if value > SMALL else str(int(value))


def _mentions(record: CallRecord, value: int | bytes, ranges: list[tuple[int, int]]) -> bool:
    """Return whether a call was given or returned the value, or an address in one of the ranges."""
    return any(
        plain == value or (isinstance(plain, int) and any(start <= plain < end for start, end in ranges))
        for plain in _flat((record.args, record.outs))
    )


def _flat(value: Any) -> Iterator[Any]:  # noqa: ANN401 - nested tuples
    if isinstance(value, tuple):
        for item in value:
            yield from _flat(item)
    else:
        yield value
