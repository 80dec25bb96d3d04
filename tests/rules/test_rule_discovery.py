"""The rules of an operation are those that its code loads, in the order of its text."""

from __future__ import annotations

import dis
import inspect
from types import CodeType
from typing import TYPE_CHECKING, Any

from fakecuda.rules.core import GUARDS, Rule, Source
from fakecuda.rules.registry import EVERY_OP
from fakecuda.rules.rule_discovery import named_by, rules_of, scope_of
from fakecuda.spec.codes import Result

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LOADS = {"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF"}


def rule() -> Rule:
    """Return a rule of this module."""
    return Rule("it holds", Result.INVALID_VALUE, Source("manual", "cuInit", "it does"), fix="do it")


ONE, TWO, THREE, FOUR = rule(), rule(), rule(), rule()


def closed(given: Rule) -> Callable[[], object]:
    """Return a function that names rules in every way."""

    def named(argument: object = None) -> object:
        class Inner:
            first = TWO
            second = given

        later = [ONE for _ in (argument, given)]
        return Inner, later, lambda: (argument, TWO, THREE)

    return named


def test_names_in_each_part_of_a_function() -> None:
    """In a class, a comprehension and a function inside of it, and of the function around it.

    From Python 3.12 on the code of a comprehension is its function's, and comes earlier.
    """
    found = rules_of(closed(FOUR))
    assert len(found) == 4
    assert set(found) == {TWO, FOUR, ONE, THREE}


def test_functions_of_many_names() -> None:
    """Numbers above 255 take two units of the code."""
    names = [f"name{number}" for number in range(600)]
    scope: dict[str, Any] = dict.fromkeys(names, 0) | {"name500": ONE, "name3": TWO}
    exec(f"def many(): return ({', '.join(reversed(names))})", scope)  # noqa: S102 - the text is above
    assert rules_of(scope["many"]) == (ONE, TWO)


def test_the_code_of_operations() -> None:
    """It is read as ``dis`` reads it."""
    for op in EVERY_OP.values():
        if hasattr(op.function, "guards"):
            continue
        function = inspect.unwrap(op.function)
        values = [scope_of(function).get(name) for *_, name in sorted(set(_loaded(function.__code__)))]
        named = [one for one in values if isinstance(one, Rule) or (callable(one) and one in GUARDS)]
        assert [*dict.fromkeys(named_by(op.function))] == [*dict.fromkeys(named)], op.name


def _loaded(code: CodeType) -> Iterator[tuple[int, int, str]]:
    for one in dis.get_instructions(code):
        if one.opname in LOADS:
            assert one.positions is not None
            yield one.positions.lineno or 0, one.positions.col_offset or 0, one.argval
        elif isinstance(one.argval, CodeType):
            yield from _loaded(one.argval)
