"""What to say of a name that is unknown."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def nearest(name: str, names: Iterable[str], what: str) -> str:
    """Return one line that says that there is no such name, and which ones are near."""
    names = list(names)
    lower = {known.lower(): known for known in names}
    near = [lower[found] for found in difflib.get_close_matches(name.lower(), lower, 3, 0.5)]
    return f"{name!r} is no {what}; " + (f"near it: {', '.join(near)}" if near else f"one of: {', '.join(names)}")
