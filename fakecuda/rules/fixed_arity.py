"""Copies of functions with ``*args`` for a fixed number of arguments.

Python calls the copies in two thirds of the time.
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

STARRED = re.compile(r"\*args\b(: \w+)?")
"""``*args`` in source text: as a typed parameter, and as an argument."""
WHOLE = re.compile(r"\bargs\b")
"""The tuple ``args`` in source text."""


@cache
def with_fixed_arity(maker: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Return a copy of a function's maker for ``count`` arguments.

    The copy has the line numbers of the original.

    Args:
        maker: A function of a module. In it ``args`` must be only the name of the inner function's ``*args``. It is
            returned unchanged if its source is not available, as in a frozen program.
        count: The number of arguments.
    """
    try:
        lines, first = inspect.getsourcelines(maker)
    except OSError:
        return maker
    names = [f"arg{number}" for number in range(count)]
    text = STARRED.sub(", ".join(names), "\n" * (first - 1) + "".join(lines))
    text = WHOLE.sub(f"({''.join(f'{name}, ' for name in names)})", text)
    scope: dict[str, Any] = {}
    # The text is changed and not the syntax tree. A finaliser that the collector runs may make a call within an
    # ast.parse of the program. A second ast.parse in the thread then fails (SystemError in Python 3.11).
    exec(compile(text, inspect.getfile(maker), "exec"), vars(sys.modules[maker.__module__]), scope)  # noqa: S102 - its own
    made: Callable[..., Any] = scope[maker.__name__]
    return made
