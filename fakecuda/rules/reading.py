"""The rules that a function checks, in their order, read from its source."""

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
    """Return the rules in a function's source, each once, in their order, including those of guards."""
    return tuple(part for part in parts_of(function, {}) if isinstance(part, Rule))


def parts_of(function: Callable[..., Any], named: Mapping[Callable[..., Any], T]) -> tuple[Rule | T, ...]:
    """Return the rules in a function's source, with replacements for some of the functions that it calls.

    Args:
        function: The function.
        named: By function, the replacement for its rules.
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
    """Return the rules and guards in a function's source, in their order."""
    if (guards := getattr(function, "guards", None)) is not None:
        return tuple(one for one in guards if isinstance(one, Rule) or one in GUARDS)
    plain = inspect.unwrap(function)
    scope, code = scope_of(plain), plain.__code__
    values = (scope.get(name) for name in _names(code.co_filename)[code.co_firstlineno])
    return tuple(one for one in values if isinstance(one, Rule) or (callable(one) and one in GUARDS))


def scope_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Return the scope of a function's source: the names of its enclosing function and of its module."""
    cells = zip(function.__code__.co_freevars, function.__closure__ or (), strict=True)
    return ChainMap({name: cell.cell_contents for name, cell in cells}, function.__globals__)


@cache
def _names(file: str) -> dict[int, list[str]]:
    """Return the names in the body of each function of a file, in the order of the text, by the function's first line.

    A file is parsed once: its functions have the rules of every case, and there are hundreds of them.
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
