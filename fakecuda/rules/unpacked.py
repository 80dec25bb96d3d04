"""A function that takes ``*args``, once for each number of them: Python calls it so in two thirds of the time."""

from __future__ import annotations

import ast
import inspect
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable


@cache
def unpacked(maker: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Return what makes a function as another one does, but of so many arguments; its lines are the other one's.

    Args:
        maker: A function of a module, in which ``args`` is the name of the inner one's ``*args`` alone. It is returned
            itself where there is no source, as in a program that was frozen.
        count: How many arguments there are.
    """
    try:
        lines, first = inspect.getsourcelines(maker)
    except OSError:
        return maker
    tree = _Unpack(count).visit(ast.parse("".join(lines)))
    scope: dict[str, Any] = {}
    code = compile(ast.increment_lineno(ast.fix_missing_locations(tree), first - 1), inspect.getfile(maker), "exec")
    exec(code, vars(sys.modules[maker.__module__]), scope)  # noqa: S102 - it is the module's own
    made: Callable[..., Any] = scope[maker.__name__]
    return made


class _Unpack(ast.NodeTransformer):
    """Writes names in the place of ``args``."""

    def __init__(self, count: int) -> None:
        self.names = [f"arg{number}" for number in range(count)]

    def visit_arguments(self, node: ast.arguments) -> ast.arguments:
        """Take them by their names."""
        if node.vararg is not None:
            node.args += [ast.arg(name) for name in self.names]
            node.vararg = None
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """Pass them on."""
        if node.args and isinstance(node.args[-1], ast.Starred):
            node.args[-1:] = [ast.Name(name, ast.Load()) for name in self.names]
        return self.generic_visit(node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        """Put them into a tuple."""
        if node.id != "args":
            return node
        return ast.copy_location(ast.Tuple([ast.Name(name, ast.Load()) for name in self.names], ast.Load()), node)
