"""Conversion of links between pages from the checkout to the site."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FENCE = re.compile(r"^\s*(```|~~~)")
SAID = re.compile(r"^(```\w+) \w+$", re.MULTILINE)
"""Matches the opening of a block with a word for the tests, which mkdocs does not know."""
LINK = re.compile(r"(`[^`]*`)|(!?)\[((?:[^\[\]`]|`[^`]*`|\[[^\]]*\])*)\]\(([^)\s]*)\)")
"""Matches a link, or code, in which links do not count."""


def outside_code(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a text, each with whether it is outside of code blocks."""
    fenced = False
    for line in text.splitlines(keepends=True):
        fence = bool(FENCE.match(line))
        yield line, not (fenced or fence)
        fenced ^= fence


def relinked(text: str, source: str, page: str, homes: Mapping[str, str]) -> str:
    """Return a page's text with the site's links.

    Links to files that the site lacks become plain text.

    Args:
        text: The text.
        source: The path of the page in the checkout, such as ``docs/races.md``.
        page: The path of the page in the site, such as ``races.md``.
        homes: The paths of pages in the site, by their paths in the checkout.
    """

    def changed(match: re.Match[str]) -> str:
        code, picture, words, target = match.groups()
        if code or "://" in target or target.startswith("mailto:"):
            return match[0]
        path, _, anchor = target.partition("#")
        wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path)) if path else source
        home = homes.get(wanted)
        if home is None:
            return str(words)
        relative = "" if home == page else posixpath.relpath(home, posixpath.dirname(page) or ".")
        return f"{picture}[{words}]({relative}{f'#{anchor}' if anchor else ''})"

    told = "".join(LINK.sub(changed, stretch) if is_text else stretch for stretch, is_text in _stretches(text))
    return SAID.sub(r"\1", told)


def _stretches(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a text, each with whether it is outside of code blocks."""
    held: list[str] = []
    kind = True
    for line, is_text in outside_code(text):
        if is_text != kind:
            yield "".join(held), kind
            held = []
        kind = is_text
        held.append(line)
    yield "".join(held), kind
