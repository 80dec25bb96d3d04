"""What a file of this repository imports when it runs, read from its text."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1] / "fakecuda"
Function = ast.FunctionDef | ast.AsyncFunctionDef


def imports(path: Path) -> dict[str, bool]:
    """Return the modules that a file imports, and the names in modules, each with whether functions alone do so.

    What is imported for a type checker is left out.

    Args:
        path: The file.

    Raises:
        ValueError: A name is relative; the text names it.
    """
    found: dict[str, bool] = {}
    for node, lazy in _nodes(ast.parse(path.read_text(), path).body, lazy=False):
        if isinstance(node, ast.ImportFrom) and node.level:
            msg = f"{path} imports {'.' * node.level}{node.module or ''}: name it in full"
            raise ValueError(msg)
        base = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            found[base + alias.name] = found.get(base + alias.name, True) and lazy
    return found


DIVIDED = {"explain", "reach", "simulated"}
"""Packages of the product whose subpackages count as packages."""


@cache
def package(module: str) -> str:
    """Return the package of a module of the product, such as ``model`` or ``reach.native``; elsewhere its top, ``realcuda``."""
    top, *rest = module.split(".")
    if top != "fakecuda" or not rest:
        return top
    if rest[0] in DIVIDED and ROOT.joinpath(*rest[:2]).is_dir():
        return ".".join(rest[:2])
    return rest[0]


def _nodes(body: list[ast.stmt], *, lazy: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield the statements of a body that import, each with whether it stands in a function."""
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, lazy
        elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from _nodes(node.orelse, lazy=lazy)
        else:
            yield from _nodes(_statements(node), lazy=lazy or isinstance(node, Function))


def _statements(node: ast.stmt) -> list[ast.stmt]:
    """Return the statements right below one, those of its handlers and cases too."""
    found: list[ast.stmt] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            found.append(child)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            found += child.body
    return found
