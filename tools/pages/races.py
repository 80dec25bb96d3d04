"""Writes the tables of ``docs/races.md``: what counts as an access, what orders two of them, and which calls do so.

They come from the rows of :mod:`fakecuda.spec.orders`, and the calls from the code that names them. The rest of the page is
written by hand.
"""

from __future__ import annotations

import dis
import inspect
from collections import defaultdict
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

from fakecuda.model.work.event import Event
from fakecuda.rules.registry import EVERY_OP
from fakecuda.rules.rule_discovery import scope_of
from fakecuda.spec import orders
from fakecuda.spec.orders import MADE, Access, Order
from tools.pages.markdown import wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PAGE = Path(__file__).parents[2] / "docs" / "races.md"
BEGIN, END = "<!-- written by python -m tools.codegen races: {} -->\n", "<!-- by hand again -->\n"
METHODS = {function.__name__: function for function in (Event.precede, Event.precede_all)}
"""The methods with rows in the tables, which have unique names."""
FORMS = ("_v1", "_v2", "_spt")
"""Endings of forms of a call, which the page leaves out."""


def files() -> dict[Path, str]:
    """Return the page, by its path."""
    text = PAGE.read_text()
    for name, table in (("accesses", _accesses()), ("orders", _orders()), ("calls", _calls())):
        before, begin, rest = text.partition(BEGIN.format(name))
        _, end, after = rest.partition(END)
        if not begin or not end:
            msg = f"docs/races.md has no comments around its table of {name}: {BEGIN.format(name).strip()} and {END.strip()}"
            raise ValueError(msg)
        text = f"{before}{begin}\n{table}\n{end}{after}"
    return {PAGE: text}


def calls_of() -> dict[str, list[str]]:
    """Return the modelled calls whose operations reach each row, by row."""
    found: dict[str, list[str]] = defaultdict(list)
    for call in sorted(EVERY_OP):
        for name in rows_of(call):
            found[name].append(call)
    return found


def rows_of(call: str) -> set[str]:
    """Return the rows that a call's operation reaches."""
    names = {id(row): name for name, row in orders.rows().items()}
    return {
        names[id(row)]
        for function in reached(call)
        for row in _own(function)
        if isinstance(row, Access) or call.startswith(row.calls)
    }


def reached(call: str) -> set[Callable[..., Any]]:
    """Return the functions of fakecuda that a call's operation names, recursively."""
    found: set[Callable[..., Any]] = set()
    waiting: list[Callable[..., Any]] = [inspect.unwrap(EVERY_OP[call].function)]
    while waiting:
        one = waiting.pop()
        if one not in found:
            found.add(one)
            waiting += _called(one)
    return found


@cache
def _own(function: Callable[..., Any]) -> list[Order | Access]:
    """Return the rows of a function: its own declaration, and those it names."""
    return [*MADE.get(function, ()), *(value for value in _named(function) if isinstance(value, Order | Access))]


@cache
def _called(function: Callable[..., Any]) -> list[Callable[..., Any]]:
    """Return the functions that a function names, also in tables."""
    found: list[Any] = []
    for value in _named(function):
        found += value.values() if isinstance(value, dict) else [value]
    return [
        inspect.unwrap(value)
        for value in found
        if isinstance(value, FunctionType) and value.__module__.startswith("fakecuda.")
    ]


def _named(function: Callable[..., Any]) -> Iterator[Any]:
    """Yield the values that a function names: globals, free variables, attributes."""
    scope = scope_of(function)
    for code in _codes(function.__code__):
        value: Any = None
        for step in dis.get_instructions(code):
            if step.opname in {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF"}:
                value = scope.get(str(step.argval))
            elif step.opname in {"LOAD_ATTR", "LOAD_METHOD"}:
                name = str(step.argval)
                value = getattr(value, name, None) if isinstance(value, ModuleType) else METHODS.get(name)
            else:
                continue
            yield value


def _codes(code: CodeType) -> Iterator[CodeType]:
    """Yield the codes of a function and of its nested functions."""
    yield code
    for value in code.co_consts:
        if isinstance(value, CodeType):
            yield from _codes(value)


def _accesses() -> str:
    lines = ["| access | by | bytes | clause of the manual |", "|---|---|---|---|"]
    for row in orders.rows().values():
        if isinstance(row, Access):
            clause = f'`{row.says}`: "{row.words}"' if row.says else ""
            lines.append(f"| {row.what} | {row.by} | {row.extent} | {clause} |")
    return "\n".join(lines)


def _orders() -> str:
    lines = ["| the first access comes first if | clause of the manual | `strict` |", "|---|---|---|"]
    for row in orders.rows().values():
        if isinstance(row, Order):
            source = row.says if row.says in orders.PAGES else f"`{row.says}`"
            clause = "; ".join(filter(None, (f'{source}: "{row.words}"' if row.says else "", row.note)))
            lines.append(f"| {row.when} | {clause} | {'yes' if row.promised else 'no'} |")
    return "\n".join(lines)


def _calls() -> str:
    found, lines = calls_of(), []
    for name, row in orders.rows().items():
        if row in {orders.IN_STREAM, orders.LEGACY_STREAM}:  # all that copy, fill or launch
            continue
        calls = dict.fromkeys(_plain(call) for call in found[name])
        what = row.what if isinstance(row, Access) else row.when
        lines.append(wrapped(f"- {what}: {', '.join(f'`{one}`' for one in calls)}"))
    return "\n".join(lines)


def _plain(call: str) -> str:
    """Return the name of a call without the suffix of its form."""
    for ending in FORMS:
        if call.endswith(ending) and call.removesuffix(ending) in EVERY_OP:
            return call.removesuffix(ending)
    return call
