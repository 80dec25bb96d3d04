"""Files are read and written as UTF-8, whatever the locale of a program is."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

pytestmark = pytest.mark.usefixtures("uncollected")

ROOT = Path(__file__).parents[2]
TEXT = {"read_text", "write_text"}


def silent(source: str) -> list[int]:
    """Return the lines of calls that read or write a text, and leave its encoding to the locale."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in TEXT
        and "encoding" not in {word.arg for word in node.keywords}
    ]


@pytest.mark.parametrize("package", ["fakecuda", "realcuda"])
def test_each_text_names_its_encoding(package: str) -> None:
    """A path in a C locale is not ASCII, nor is a profile of a user's."""
    found = {path: silent(path.read_text(encoding="utf-8")) for path in (ROOT / package).rglob("*.py")}
    assert {str(path): lines for path, lines in found.items() if lines} == {}


def test_a_call_without_one_is_found() -> None:
    """In whatever form it stands."""
    assert silent("a.read_text()\nb.write_text('x', encoding='utf-8')\nPath(c).write_text(d)") == [1, 3]
