"""Errors with tracebacks at the user's lines, after their calls have returned.

pytest shows the source of these lines, as if the call had raised the error.
"""

from __future__ import annotations

from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn

from fakecuda.model import history

if TYPE_CHECKING:
    from collections.abc import Callable

    import pytest

_TEMPLATE = (lambda: inner()).__code__  # type: ignore[name-defined] # noqa: F821, PLW0108 - a global of each function
_UNITS = len(_TEMPLATE.co_code) // 2
_LINE_ALONE = bytes(part for first in range(0, _UNITS, 8) for part in (0x80 | 13 << 3 | min(_UNITS - first, 8) - 1, 0))
"""A ``co_linetable`` that puts each instruction on the first line, no column."""


def raise_at(error: BaseException, item: pytest.Item | None) -> NoReturn:
    """Raise an error at the user's lines of its finding or deadlock.

    Args:
        error: The error. If no line of the user is known, the test's first line is shown.
        item: The test.
    """
    __tracebackhide__ = True
    about = getattr(error, "finding", None) or getattr(error, "deadlock", None)
    lines = [] if about is None else [one for one in history.user_lines(about.stack) if Path(one[0]).is_file()]

    def raising() -> NoReturn:
        __tracebackhide__ = True
        raise error.with_traceback(None)

    call: Callable[[], Any] = raising
    for file, line, name in lines or _first_line(item):
        call = _at(file, line, name, call)
    call()
    raise AssertionError


def _first_line(item: pytest.Item | None) -> list[tuple[str, int, str]]:
    """Return the first line of a test's function; empty without one."""
    code = getattr(getattr(item, "function", None), "__code__", None)
    return [] if code is None else [(code.co_filename, code.co_firstlineno, code.co_name)]


def _at(file: str, line: int, name: str, call: Callable[[], Any]) -> Callable[[], Any]:
    """Return a function with the code location of a place, which calls its argument."""
    code = _TEMPLATE.replace(
        co_filename=file, co_firstlineno=line, co_name=name, co_qualname=name, co_linetable=_LINE_ALONE
    )
    return FunctionType(code, {"inner": call})
