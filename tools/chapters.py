"""Places of driver calls among the rules.

Chapters, and modules with several calls; from ``chapters.toml``.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

FILE = Path(__file__).with_suffix(".toml")
_TABLES: dict[str, dict[str, str]] = tomllib.loads(FILE.read_text())
CHAPTERS, FAMILIES = _TABLES["chapters"], _TABLES["families"]
"""Patterns of calls, by chapter and by module."""


def chapter_of(call: str) -> str:
    """Return the chapter of a call of the driver API; empty if no pattern fits."""
    return next((chapter for chapter, calls in CHAPTERS.items() if re.fullmatch(calls, _plain(call))), "")


def in_family(call: str, module: str) -> bool:
    """Return whether a call belongs to a module that declares several calls.

    Args:
        call: The call.
        module: The module with its chapter, such as ``copy.memset``.
    """
    return module in FAMILIES and re.fullmatch(FAMILIES[module], _plain(call)) is not None


def _plain(call: str) -> str:
    return call.removeprefix("cu").replace("_v", "V")
