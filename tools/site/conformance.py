"""The conformance report as a part of the site.

A page in the navigation, which leads to the report's pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.pages.cells import KINDS, NOT_MODELLED
from conformance.pages.shape import FRONT, PAGES, counts_of
from conformance.pages.write import known, write
from fakecuda.rules.registry import EVERY_API

if TYPE_CHECKING:
    from collections import Counter
    from pathlib import Path

PAGE, FOLDER = "conformance.md", "conformance"
"""The page in the navigation, and the folder of the report's pages."""
LEFT_OUT = "run.html"
"""A page of the report that the site does not have, because nothing is run for the site."""


def text() -> str:
    """Return the page in the navigation.

    It has counts by chapter, with links to the chapters' pages.
    """
    _, chapters = known()
    others = ", ".join(f"[{words}]({FOLDER}/{name})" for name, words in PAGES.items() if name not in {FRONT, LEFT_OUT})
    lines = [
        "# Conformance",
        "",
        "Each error code that a manual names for a call, and what shows that the call answers it: the rule, the program that was",
        f"recorded on a card, or the case. [The whole report]({FOLDER}/{FRONT}) has it cell by cell, and {others}.",
        "",
        *(f"- {kind.mark} {kind.words}" for name, kind in KINDS.items() if counts_of(chapters)[name]),
    ]
    for api in EVERY_API.values():
        mine = [one for one in chapters if one.api is api]
        counts = counts_of(mine)
        kinds = [name for name in KINDS if counts[name] and name != NOT_MODELLED]
        lines += [
            "",
            f"## {api.title[:1].upper()}{api.title[1:]}",
            "",
            _row("chapter", "calls", *(KINDS[name].mark for name in kinds)),
        ]
        lines.append(_row(*["---"] * (2 + len(kinds))))
        lines += [
            _row(f"[{one.name}]({FOLDER}/{one.file})", len(one.calls), *_numbers(counts_of([one]), kinds))
            for one in mine
        ]
    return "\n".join(lines) + "\n"


def _numbers(counts: Counter[str], kinds: list[str]) -> list[str]:
    return [str(counts[name] or "") for name in kinds]


def _row(*cells: object) -> str:
    return f"| {' | '.join(map(str, cells))} |"


def place(folder: Path) -> None:
    """Write the report's pages into the folder of the site's pages."""
    write(folder / FOLDER, home="../")
