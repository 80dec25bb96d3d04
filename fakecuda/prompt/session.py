"""What was typed at a prompt, as a test: ``save("test_it.py")``."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import fakecuda
from fakecuda.api.driver import ENUMS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ASKING = frozenset({"history", "rules", "save", "show", "undo", "why"})
"""Functions of the prompt itself, of which a test has none."""
INDENT = " " * 4


def as_test(typed: Iterable[tuple[str, int | None]], profile: str) -> str:
    """Return a test that does what was typed, and asserts the codes that it was answered.

    Args:
        typed: Statements, each with the code of the call that it is, or None where it is no call of an API alone.
        profile: The machine's profile.
    """
    lines: list[str] = []
    used: set[str] = set()
    for source, code in typed:
        parsed = ast.parse(source)
        if _is_asking(parsed.body):
            continue
        used |= {node.id for node in ast.walk(parsed) if isinstance(node, ast.Name)}
        text = source.rstrip("\n")
        lines += [f"assert ({text})[0] == {code}"] if code is not None else text.splitlines()
    head = [
        '"""Saved from a prompt."""',
        "",
        "import pytest",
        "",
        "",
        f'@pytest.mark.fakecuda(profile="{profile}")',
        "def test_session(fakecuda):",
        f"{INDENT}machine = fakecuda.machine",
        f'{INDENT}a, b = (fakecuda.spawn(name) for name in "ab")',
        *(f"{INDENT}{name} = a.{name}" for name in ("driver", "c") if name in used),
        *(f"{INDENT}{name} = a.driver.{name}" for name in sorted(used & ENUMS.keys())),
        *(f"{INDENT}{name} = fakecuda.{name}" for name in sorted(used & set(fakecuda.__all__))),
    ]
    return "\n".join([*head, *(f"{INDENT}{line}" if line else "" for line in lines)]) + "\n"


def _is_asking(body: Sequence[ast.stmt]) -> bool:
    """Return whether a statement asks the prompt for something."""
    value = getattr(body[0], "value", None) if len(body) == 1 else None
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in ASKING
