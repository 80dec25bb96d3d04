"""The imports of a file of this repository, read from its source."""

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
    """Return a file's imported modules and names.

    Each comes with whether only functions import it.
    Imports for a type checker are left out.

    Args:
        path: The file.

    Raises:
        ValueError: An import is relative; the text names it.
    """
    found: dict[str, bool] = {}
    for node, lazy in _nodes(ast.parse(path.read_text(), path).body, lazy=False):
        if isinstance(node, ast.ImportFrom) and node.level:
            msg = f"{path} imports {'.' * node.level}{node.module or ''}: write the full name"
            raise ValueError(msg)
        base = f"{node.module}." if isinstance(node, ast.ImportFrom) else ""
        for alias in node.names:
            found[base + alias.name] = found.get(base + alias.name, True) and lazy
    return found


DIVIDED = {"explain", "reach", "machine"}
"""Packages of fakecuda whose subpackages count as packages."""


@cache
def package(module: str) -> str:
    """Return the package of a module: ``model`` or ``reach.native``.

    Outside of fakecuda, return the top package.
    """
    top, *rest = module.split(".")
    if top != "fakecuda" or not rest:
        return top
    if rest[0] in DIVIDED and ROOT.joinpath(*rest[:2]).is_dir():
        return ".".join(rest[:2])
    return rest[0]


def _nodes(body: list[ast.stmt], *, lazy: bool) -> Iterator[tuple[ast.Import | ast.ImportFrom, bool]]:
    """Yield the import statements of a body.

    Each comes with whether it is inside a function.
    """
    for node in body:
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield node, lazy
        elif isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            yield from _nodes(node.orelse, lazy=lazy)
        else:
            yield from _nodes(_statements(node), lazy=lazy or isinstance(node, Function))


def _statements(node: ast.stmt) -> list[ast.stmt]:
    """Return the statements directly inside a statement.

    Those of handlers and cases are included.
    """
    found: list[ast.stmt] = []
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt):
            found.append(child)
        elif isinstance(child, ast.ExceptHandler | ast.match_case):
            found += child.body
    return found
