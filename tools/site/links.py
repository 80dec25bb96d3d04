"""Links between pages: those of the checkout become those of the site."""

from __future__ import annotations

import posixpath
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

FENCE = re.compile(r"^\s*(```|~~~)")
SAID = re.compile(r"^(```\w+) \w+$", re.MULTILINE)
"""What opens a block with a word for the tests, which mkdocs does not know."""
LINK = re.compile(r"(`[^`]*`)|(!?)\[((?:[^\[\]`]|`[^`]*`|\[[^\]]*\])*)\]\(([^)\s]*)\)")
"""A link, or code, in which there is none."""


def outside_code(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the lines of a text, and whether each is text: what stands in a fence is code."""
    fenced = False
    for line in text.splitlines(keepends=True):
        fence = bool(FENCE.match(line))
        yield line, not (fenced or fence)
        fenced ^= fence


def relinked(text: str, source: str, page: str, homes: Mapping[str, str]) -> str:
    """Return a page's text with links of the site; of a link to a file that the site lacks only the words stay.

    Args:
        text: The text.
        source: Where it lies in the checkout, ``docs/races.md``.
        page: Where it lies in the site, ``races.md``.
        homes: Where pages of the checkout lie in the site.
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
    """Yield stretches of text and of code."""
    held: list[str] = []
    kind = True
    for line, is_text in outside_code(text):
        if is_text != kind:
            yield "".join(held), kind
            held = []
        kind = is_text
        held.append(line)
    yield "".join(held), kind
