"""What was typed at a prompt, as a test: ``save("test_it.py")``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from attrs import frozen

import fakecuda
from fakecuda.api.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ASKING = frozenset({"history", "rules", "save", "show", "undo", "why"})
"""Functions of the prompt itself, of which a test has none."""
INDENT = " " * 4


@frozen
class Typed:
    """A statement that was typed.

    Attributes:
        source: Its text.
        code: What the call answered that it is; None where it is something else.
        raised: Whether it has raised.
    """

    source: str
    code: int | None = None
    raised: bool = False


def as_test(typed: Iterable[Typed], options: Mapping[str, Any]) -> str:
    """Return a test that does what was typed, and asserts the codes that were printed.

    Args:
        typed: The statements.
        options: What the mark of the test says of the machine.
    """
    lines: list[str] = []
    used: set[str] = set()
    for one in typed:
        parsed = ast.parse(one.source)
        if _is_asking(parsed.body):
            continue
        used |= {node.id for node in ast.walk(parsed) if isinstance(node, ast.Name)}
        written = [line for statement in parsed.body for line in _written(statement)]
        lines += ["with pytest.raises(Exception):", *(INDENT + line for line in written)] if one.raised else written
        lines += [f"assert _[0] == {one.code}"] if one.code is not None else []
    head = [
        '"""Saved from a prompt."""',
        "",
        "import pytest",
        "",
        "",
        f"@pytest.mark.fakecuda({', '.join(f'{name}={value!r}' for name, value in options.items())})",
        "def test_session(fakecuda):",
        f"{INDENT}machine = fakecuda.machine",
        f'{INDENT}a, b = (fakecuda.spawn(name) for name in "ab")',
        *(f"{INDENT}{name} = a.{name}" for name in ("driver", "c") if name in used),
        *(f"{INDENT}{name} = a.driver.{name}" for name in sorted(used & ENUMS.keys())),
        *(f"{INDENT}{name} = fakecuda.{name}" for name in sorted(used & set(fakecuda.__all__))),
    ]
    return "\n".join([*head, *(f"{INDENT}{line}" if line else "" for line in lines)]) + "\n"


def _written(statement: ast.stmt) -> list[str]:
    """Return a statement's lines: without comments, and what it is kept in ``_``, as at the prompt."""
    kept = f"_ = {ast.unparse(statement.value)}" if isinstance(statement, ast.Expr) else ast.unparse(statement)
    return kept.splitlines()


def _is_asking(body: Sequence[ast.stmt]) -> bool:
    """Return whether a statement asks the prompt for something."""
    value = getattr(body[0], "value", None) if len(body) == 1 else None
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ASKING
