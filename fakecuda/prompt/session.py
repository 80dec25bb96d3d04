"""The typed statements of a prompt, as a test: ``save("test_it.py")``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from attrs import frozen

import fakecuda
from fakecuda.spec.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

ASKING = frozenset({"help", "history", "replay", "rules", "save", "show", "undo", "why"})
"""The prompt's functions for queries, which a saved test leaves out."""
INDENT = " " * 4


@frozen
class Typed:
    """A typed statement.

    Attributes:
        source: The statement.
        code: The code that its call answered; None if it returned no code.
        said: The name of the code, or of the exception; otherwise empty.
        raised: Whether it raised an exception.
    """

    source: str
    code: int | None = None
    said: str = ""
    raised: bool = False

    @property
    def asks(self) -> bool:
        """Whether the statement only queries the prompt."""
        return _is_asking(ast.parse(self.source).body)


def as_test(typed: Iterable[Typed], options: Mapping[str, Any]) -> str:
    """Return a test that runs the typed statements and asserts the printed codes.

    Args:
        typed: The statements.
        options: Arguments of the test's mark.
    """
    parsed = [(one, ast.parse(one.source).body) for one in typed]
    kept = [(one, body) for one, body in parsed if not _is_asking(body)]
    names = [node for _, body in kept for part in body for node in ast.walk(part) if isinstance(node, ast.Name)]
    used = {node.id for node in names}
    # At a prompt, _ is the last result, unless a statement assigns to it.
    last = (
        "_ = " if "_" in used and not any(node.id == "_" and isinstance(node.ctx, ast.Store) for node in names) else ""
    )
    lines: list[str] = []
    for one, body in kept:
        if one.code is not None and len(body) == 1:
            lines.append(f"{last}answer = {ast.unparse(body[0])}")
            lines.append(f"assert answer[0] == {one.code}")
            continue
        written = [line for part in body for line in _written(part, last)]
        lines += ["with pytest.raises(Exception):", *(INDENT + line for line in written)] if one.raised else written
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


def _written(statement: ast.stmt, last: str) -> list[str]:
    """Return a statement as lines, without comments."""
    return f"{last if isinstance(statement, ast.Expr) else ''}{ast.unparse(statement)}".splitlines()


def _is_asking(body: Sequence[ast.stmt]) -> bool:
    """Return whether a statement only queries the prompt."""
    value = getattr(body[0], "value", None) if len(body) == 1 else None
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ASKING
