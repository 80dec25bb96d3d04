"""The text of the prompt's ``history``: the recorded calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fakecuda.explain.reports.call import named
from fakecuda.explain.reports.text import GAP, SMALL, caller, columns, shown, size, wrapped
from fakecuda.prompt.objects import KINDS, found, quoted, value_of, variables
from fakecuda.rules.registry import api_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fakecuda.machine.call_record import CallRecord
    from fakecuda.machine.machine import Machine
    from fakecuda.prompt.record import Calls
    from fakecuda.spec.description import Param


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
        numbered = [(number, record) for number, record in numbered if mentions(record, value, ranges)]
    if not numbered:
        return "no calls"
    names = Names(calls.machine, scope or {})
    pads = len(str(numbered[-1][0])), max(len(caller(record.process, record.thread)) for _, record in numbered)
    indent = " " * (sum(pads) + len(GAP) * 2 + 2)
    lines = []
    for number, record in numbered:
        lines += wrapped(line_of(number, record, names, pads), width, indent)
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


def line_of(number: int, record: CallRecord, names: Names | None = None, pads: tuple[int, int] = (0, 0)) -> str:
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


def mentions(record: CallRecord, value: int | bytes, ranges: list[tuple[int, int]]) -> bool:
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
