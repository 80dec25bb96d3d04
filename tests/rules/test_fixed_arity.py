"""Functions that are made once for each number of their arguments."""

from __future__ import annotations

import ast
import inspect
import traceback
from typing import TYPE_CHECKING, Any

import pytest

from fakecuda.rules.dispatch import _invoker
from fakecuda.rules.fixed_arity import with_fixed_arity
from fakecuda.rules.registry import EVERY_OP

if TYPE_CHECKING:
    from collections.abc import Callable


def made(prefix: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that passes its arguments on, whole and one by one."""

    def call(first: object, *args: object) -> Any:
        return prefix, first, args, function(first, *args)

    return call


@pytest.mark.parametrize("count", [0, 1, 2, 7])
def test_it_does_what_the_other_does(count: int) -> None:
    """With so many arguments, and with no other number."""
    rest = range(count)
    call = with_fixed_arity(made, count)("a", max)
    assert call(8, *rest) == made("a", max)(8, *rest) if count else call("b") == ("a", "b", (), "b")
    with pytest.raises(TypeError, match="positional argument"):
        call(8, *rest, 9)


def test_its_lines_are_the_others() -> None:
    """So that tracebacks, debuggers and coverage show them."""
    with pytest.raises(ZeroDivisionError) as caught:
        with_fixed_arity(made, 2)("a", lambda first, *_: first / 0)(1, 2, 3)
    frame = traceback.extract_tb(caught.tb)[1]
    assert (frame.filename, frame.line) == (__file__, "return prefix, first, args, function(first, *args)")


def test_no_tree_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    """A call may be the first of its operation in a finaliser, within an ast.parse that a second one would break."""
    monkeypatch.setattr(ast, "parse", None)
    assert with_fixed_arity.__wrapped__(made, 3)("a", max)(1, 2, 3, 4) == ("a", 1, (2, 3, 4), 4)


def test_without_source_it_is_the_other_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in a program that was frozen."""
    monkeypatch.setattr(inspect, "getsourcelines", lambda _: (_ for _ in ()).throw(OSError))
    assert with_fixed_arity(_invoker, -1) is _invoker


def test_operations_take_the_arguments_that_they_name() -> None:
    """All but those that serve several calls."""
    for name in ("cuDriverGetVersion", "cuMemMap", "cudaMalloc", "hipMalloc"):
        op = EVERY_OP[name]
        assert op.invoke.__code__.co_argcount == op.function.__code__.co_argcount, name
