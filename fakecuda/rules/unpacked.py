"""Functions with ``*args``, specialised by the number of arguments: Python calls these in two thirds of the time."""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

STARRED = re.compile(r"\*args\b(: \w+)?")
"""``*args`` as a parameter, with its type, and as an argument."""
WHOLE = re.compile(r"\bargs\b")
"""The tuple itself."""


@cache
def unpacked(maker: Callable[..., Any], count: int) -> Callable[..., Any]:
    """Return a maker of the same function with a fixed number of arguments. Its lines are those of the original.

    Args:
        maker: A function of a module, in which ``args`` is the name of the inner one's ``*args`` alone. It is returned
            itself where there is no source, as in a program that was frozen.
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
    # The source text is changed, not a tree: a finalizer may make a call within another ast.parse, which the
    # second one in a thread breaks (SystemError in Python 3.11).
    exec(compile(text, inspect.getfile(maker), "exec"), vars(sys.modules[maker.__module__]), scope)  # noqa: S102 - its own
    made: Callable[..., Any] = scope[maker.__name__]
    return made
