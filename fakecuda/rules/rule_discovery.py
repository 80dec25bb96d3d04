"""Discovery of the rules that a function checks, from its source text."""

from __future__ import annotations

import dis
import inspect
from collections import ChainMap
from functools import cache
from operator import itemgetter
from types import CodeType
from typing import TYPE_CHECKING, Any, TypeVar

from fakecuda.rules.core import GUARDS, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

T = TypeVar("T")


def rules_of(function: Callable[..., Any]) -> tuple[Rule, ...]:
    """Return the rules that a function's text names, in order and without repetition.

    The rules of its guards are included.
    """
    return tuple(part for part in parts_of(function, {}) if isinstance(part, Rule))


def parts_of(function: Callable[..., Any], named: Mapping[Callable[..., Any], T]) -> tuple[Rule | T, ...]:
    """Return the rules that a function's text names, with stand-ins for functions.

    Args:
        function: The function.
        named: The stand-in for each such function, in place of its rules.
    """
    return tuple(dict.fromkeys(_parts_of(function, named)))


def _parts_of(function: Callable[..., Any], named: Mapping[Callable[..., Any], T]) -> list[Rule | T]:
    parts: list[Rule | T] = []
    for one in named_by(function):
        if isinstance(one, Rule):
            parts.append(one)
        elif one in named:
            parts.append(named[one])
        elif one is not function:
            parts += _parts_of(one, named)
    return parts


@cache
def named_by(function: Callable[..., Any]) -> tuple[Rule | Callable[..., Any], ...]:
    """Return the rules and the guards that a function's text names, in order."""
    if (guards := getattr(function, "guards", None)) is not None:
        return tuple(one for one in guards if isinstance(one, Rule) or one in GUARDS)
    plain = inspect.unwrap(function)
    scope = scope_of(plain)
    values = (scope.get(name) for name in _names(plain.__code__))
    return tuple(one for one in values if isinstance(one, Rule) or (callable(one) and one in GUARDS))


def scope_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the values of the names in a function's source text.

    They are those of the enclosing function and of the module.
    """
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return ChainMap({name: cell.cell_contents for name, cell in cells}, function.__globals__)


GLOBAL, NAME = dis.opmap["LOAD_GLOBAL"], dis.opmap["LOAD_NAME"]
CELLS = {dis.opmap[name] for name in ("LOAD_DEREF", "LOAD_CLASSDEREF") if name in dis.opmap}


def _names(code: CodeType) -> list[str]:
    """Return the outside names that a function's code loads, in text order.

    The units of the code are read here: ``dis`` takes ten times as long for them, and the text longer still.
    """
    return [name for *_, name in sorted(_loaded(code), key=itemgetter(0, 1))]


def _loaded(code: CodeType) -> Iterator[tuple[int, int, str]]:
    """Yield each load of a name with its line and column."""
    cells = (*code.co_varnames, *(name for name in code.co_cellvars if name not in code.co_varnames), *code.co_freevars)
    extended = 0
    positions: list[tuple[int | None, ...]] = []
    for place, (unit, low) in enumerate(zip(code.co_code[::2], code.co_code[1::2], strict=True)):
        argument = extended | low
        extended = argument << 8 if unit == dis.EXTENDED_ARG else 0
        if unit == GLOBAL:
            name = code.co_names[argument >> 1]  # the lowest bit says that the name is called
        elif unit == NAME:
            name = code.co_names[argument]
        elif unit in CELLS:
            name = cells[argument]
        else:
            continue
        positions = positions or list(code.co_positions())
        line, _, column, _ = positions[place]
        yield line or 0, column or 0, name
    for one in code.co_consts:
        if isinstance(one, CodeType):
            yield from _loaded(one)
