"""The pages that people read."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from tests.docs.blocks import ROOT

if TYPE_CHECKING:
    from pathlib import Path

HEADING = re.compile(r"^#+ +(.*?) *#*$")
ANCHOR = re.compile(r'<a id="([^"]*)"></a>')
SPAN = re.compile(r"`[^`]*`")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]*)\)")


def names() -> list[str]:
    """Return the names of all pages, from the checkout's root."""
    return [
        "README.md",
        "CONTRIBUTING.md",
        *sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")),
    ]


def text_of(name: str) -> str:
    """Return a page's text."""
    return (ROOT / name).read_text(encoding="utf-8")


def prose(text: str) -> str:
    """Return a page's text without its code blocks."""
    return "".join(text.split("```")[::2])


def links(name: str) -> list[str]:
    """Return what a page links to inside the checkout; what stands in code is no link."""
    found: list[str] = LINK.findall(SPAN.sub("", prose(text_of(name))))
    return [target for target in found if "://" not in target and not target.startswith("mailto:")]


@cache
def anchors(path: Path) -> frozenset[str]:
    """Return what a link into a page may name behind ``#``: its headings as GitHub names them, and its anchors."""
    text = path.read_text(encoding="utf-8")
    headings = [found[1] for line in prose(text).splitlines() if (found := HEADING.match(line))]
    return frozenset([*map(slug, headings), *ANCHOR.findall(text)])


def slug(heading: str) -> str:
    """Return the anchor that GitHub gives a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
