"""Markdown with a limited line width, for generated pages."""

from __future__ import annotations

import re

WIDTH = 120
TOKEN = re.compile(r"(?:`[^`]*`|<[^>]*>|\S)+")
MARKS = re.compile(r"[-+*#>|=]+|\d+[.)]")
"""Matches tokens that start a list, a heading or a table at the beginning of a line."""


def wrapped(text: str, width: int = WIDTH) -> str:
    """Return Markdown in lines of limited width.

    Text in backticks and tags is not broken.
    Further lines of a list item are indented. No line begins with a token that would start a list or a heading.
    """
    lines: list[str] = []
    indent = "  " if text.startswith("- ") else ""
    for token in TOKEN.findall(text):
        if lines and (len(lines[-1]) + 1 + len(token) <= width or MARKS.fullmatch(token) or lines[-1] == "-"):
            lines[-1] += f" {token}"
        else:
            lines.append(indent + token if lines else token)
    return "\n".join(lines)
