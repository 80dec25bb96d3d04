"""The rules that a function checks, in order, as its source text names them."""

from __future__ import annotations

import ast
import inspect
import linecache
from bisect import bisect_left
from collections import ChainMap
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from fakecuda.rules.core import GUARDS, Rule

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

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
    scope, code = scope_of(plain), plain.__code__
    values = (scope.get(name) for name in _names(code.co_filename)[code.co_firstlineno])
    return tuple(one for one in values if isinstance(one, Rule) or (callable(one) and one in GUARDS))


def scope_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the values of the names in a function's text.

    They are those of the enclosing function and of the module.
    """
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return ChainMap({name: cell.cell_contents for name, cell in cells}, function.__globals__)


@cache
def _names(file: str) -> dict[int, list[str]]:
    """Return the names in the body of each function of a file, by its first line.

    A file is parsed only once, because its functions are needed for every case.
    """
    nodes = list(ast.walk(ast.parse("".join(linecache.getlines(file)))))
    places = sorted((node.lineno, node.col_offset, node.id) for node in nodes if isinstance(node, ast.Name))
    found = {}
    for node in nodes:
        if isinstance(node, ast.FunctionDef):
            first, last = node.body[0], node.body[-1]
            begin = bisect_left(places, (first.lineno, first.col_offset))
            end = bisect_left(places, (last.end_lineno, last.end_col_offset))
            start = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            found[start] = [name for *_, name in places[begin:end]]
    return found
