"""Messages for unknown names."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 50
"""The maximum number of names in a message."""


def near(name: str, names: Iterable[str]) -> list[str]:
    """Return at most three names similar to an unknown one, the nearest first."""
    lower = {known.lower(): known for known in names}
    return [lower[found] for found in difflib.get_close_matches(name.lower(), lower, 3, 0.5)]


def nearest(name: str, names: Iterable[str], what: str) -> str:
    """Return a line that says that a name is unknown.

    The line has similar names, or all known names.
    """
    article = "an" if what.startswith(("a", "e", "i", "o")) else "a"
    return f"{name!r} is not {article} {what}; {suggestion(name, names)}"


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return a clause with the names similar to an unknown one, or with all known names.

    Of more than ``MOST`` names the clause has one.
    """
    names = list(names)
    if found := near(name, names):
        return f"did you mean: {', '.join(found)}"
    return f"one of: {', '.join(names)}" if len(names) <= MOST else f"there are {len(names)}, such as {names[0]}"
