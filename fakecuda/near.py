"""What to say of a name that is unknown."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def near(name: str, names: Iterable[str]) -> list[str]:
    """Return the names that are near, three at the most, the nearest first."""
    lower = {known.lower(): known for known in names}
    return [lower[found] for found in difflib.get_close_matches(name.lower(), lower, 3, 0.5)]


def nearest(name: str, names: Iterable[str], what: str) -> str:
    """Return one line that says that there is no such name, and which ones are near."""
    names = list(names)
    found = near(name, names)
    return f"{name!r} is no {what}; " + (f"near it: {', '.join(found)}" if found else f"one of: {', '.join(names)}")
