"""Markdown in short lines, for pages that are written by code."""

from __future__ import annotations

import re

WIDTH = 120
TOKEN = re.compile(r"(?:`[^`]*`|<[^>]*>|\S)+")
MARKS = re.compile(r"[-+*#>|=]+|\d+[.)]")
"""What begins a list, a heading or a table where a line begins with it."""


def wrapped(text: str, width: int = WIDTH) -> str:
    """Return Markdown in lines of at most this width: what stands in backticks or in a tag is not broken.

    The lines of an item of a list are indented. No line begins with what would be a mark of a list or a heading there.
    """
    lines: list[str] = []
    indent = "  " if text.startswith("- ") else ""
    for token in TOKEN.findall(text):
        if lines and (len(lines[-1]) + 1 + len(token) <= width or MARKS.fullmatch(token) or lines[-1] == "-"):
            lines[-1] += f" {token}"
        else:
            lines.append(indent + token if lines else token)
    return "\n".join(lines)
