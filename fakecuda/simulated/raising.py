"""Blocks of tests that expect an exception: ``pytest.raises`` and unittest's ``assertRaises``.

A wrapper of the driver turns the code of a refused call into an exception, which such a block expects. So a call that is
refused within the block is expected, too. The block is found on the stack: by the source of the function that has it, or,
if a function was passed to ``raises``, by the frame of ``raises``.
"""

from __future__ import annotations

import ast
import linecache
import sys
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

NAMES = frozenset({"raises", "RaisesGroup", "assertRaises", "assertRaisesRegex"})
"""Names of functions that expect an exception."""
OWN = {"raises": "_pytest.", "handle": "unittest.case"}
"""The functions that call a function passed to one of them, with the beginning of their module's name."""
BOTTOM = {"pytest_pyfunc_call": "_pytest.", "_callTestMethod": "unittest.case"}
"""The functions that call a test, in the same form: no frame below them is the test's."""
SPECIAL = OWN | BOTTOM
NO_WRAPPER = "AssertionError"
"""An exception that wrappers do not raise, but tests and fakecuda's own checks."""
FILES = 128
"""Maximum number of files whose blocks are kept."""


def is_expected() -> bool:
    """Return whether a block that expects an exception is on the stack of this thread."""
    frame: FrameType | None = sys._getframe(1)  # noqa: SLF001 - the cheapest stack there is
    while frame is not None:
        code = frame.f_code
        if not NAMES.isdisjoint(code.co_names) and _is_in_block(code.co_filename, frame.f_lineno):
            return True
        name = code.co_name
        if name in SPECIAL and str(frame.f_globals.get("__name__")).startswith(SPECIAL[name]):
            return name in OWN
        frame = frame.f_back
    return False


def _is_in_block(file: str, line: int) -> bool:
    try:
        return any(first <= line <= last for first, last in _blocks(file))
    except (SyntaxError, ValueError, SystemError, RecursionError):  # no Python; a finaliser within another ast.parse
        return False


@lru_cache(FILES)
def _blocks(file: str) -> tuple[tuple[int, int], ...]:
    """Return the first and the last line of each block of a file that expects an exception.

    Raises:
        SyntaxError: The file is not Python.
        SystemError: The function was called within another ``ast.parse``, which Python 3.11 does not allow.
    """
    tree = ast.parse("".join(linecache.getlines(file)))
    blocks = [node for node in ast.walk(tree) if isinstance(node, ast.With)]
    return tuple(
        (one.lineno, one.end_lineno or one.lineno)
        for one in blocks
        if any(_expects(item.context_expr) for item in one.items)
    )


def _expects(manager: ast.expr) -> bool:
    """Return whether a context manager expects an exception that a wrapper of the driver may raise."""
    if not isinstance(manager, ast.Call) or _name(manager.func) not in NAMES:
        return False
    return not manager.args or _name(manager.args[0]) != NO_WRAPPER


def _name(function: ast.expr) -> str:
    """Return the last part of a function's name; an empty text if it has none."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""
