"""The README as pages: what begins with a heading of the second level is a page, and each recipe is one."""

from __future__ import annotations

import re
from typing import NamedTuple

from tools.site.links import outside_code, slug

FIRST = ("Install", "A first test")
"""What stands on the first page, behind the README's introduction."""
RECIPES = "Recipes"
LEFT_OUT = ("Licence",)
NAMED = {"What it cannot do": "limits", "Machines": "machines", "At a prompt": "prompt", "On a GPU machine": "gpu"}
"""Pages that have another name than that of their heading."""


class Part(NamedTuple):
    """A page of the README.

    Attributes:
        path: Where it lies in the site.
        title: Its heading.
        text: Its text.
    """

    path: str
    title: str
    text: str


def parts(text: str) -> list[Part]:
    """Return the pages of the README."""
    sections = _split(text, 2)
    found = [Part("index.md", "Start", "".join(body for title, body in sections if not title or title in FIRST))]
    for title, body in sections:
        if title == RECIPES:
            first, *guides = _split(body, 3)
            listed = [(name, f"recipes/{slug(name)}.md", _raised(guide, 2)) for name, guide in guides]
            lines = "".join(f"- [{name}]({path.removeprefix('recipes/')})\n" for name, path, _ in listed)
            found.append(Part("recipes/index.md", RECIPES, f"{_raised(first[1], 1)}\n{lines}"))
            found += [Part(path, name, guide) for name, path, guide in listed]
        elif title and title not in (*FIRST, *LEFT_OUT):
            found.append(Part(f"{NAMED.get(title, slug(title))}.md", title, _raised(body, 1)))
    return found


def _split(text: str, level: int) -> list[tuple[str, str]]:
    """Return the sections of a text below headings of a level, the first one without."""
    mark = "#" * level + " "
    found: list[tuple[str, list[str]]] = [("", [])]
    for line, is_text in outside_code(text):
        if is_text and line.startswith(mark):
            found.append((line.removeprefix(mark).strip(), []))
        found[-1][1].append(line)
    return [(title, "".join(lines)) for title, lines in found]


def _raised(text: str, levels: int) -> str:
    """Return a text whose headings are so many levels higher."""
    return "".join(
        re.sub(rf"^#{{{levels}}}(#+ )", r"\1", line) if is_text else line for line, is_text in outside_code(text)
    )
