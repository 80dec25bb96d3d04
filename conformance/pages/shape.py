"""Shared parts of the pages: links, files, and bars of counts."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from attrs import frozen

from conformance.pages.cells import KINDS, UNDEFINED
from fakecuda.explain.html.markup import Html, joined, tag
from fakecuda.explain.html.shell import SCRIPTS, STYLES, page_of_many, together
from fakecuda.explain.ledger.checks import page_of as rules_page
from fakecuda.rules.registry import api_of, chapter

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conformance.pages.cells import Cell, Chapter
    from fakecuda.rules.core import Rule

HERE = Path(__file__).parent
STYLE, SCRIPT = "pages.css", "pages.js"
FRONT = "index.html"
BREAK = tag("wbr")
"""Places in an id where a line may break."""
PAGES = {
    FRONT: "Overview",
    "machines.html": "Machines",
    "differences.html": "Differences",
    "mutants.html": "Mutants",
    "run.html": "This run",
}
"""The pages besides the chapters, by file name."""


@frozen
class Site:
    """The location of the pages.

    Attributes:
        home: The way from them to the site's pages, ``../``; empty where there is no site.
        has_run: Whether they tell of a run.
    """

    home: str = ""
    has_run: bool = False

    def call(self, name: str) -> Html:
        """Return a call's name, as a link if the site has a page of it."""
        api = api_of(name)
        if not self.home or name not in api.ops:
            return tag("code", name)
        return tag("a", tag("code", name), href=f"{self.home}calls/{api.name}/{name}.html")

    def rule(self, rule: Rule) -> Html:
        """Return a rule's id, as a link if the site has a page of it."""
        name = tag("code", joined(rule.id.split("."), f".{BREAK}"))
        if not self.home:
            return name
        page = rules_page(chapter(rule.module)).removesuffix(".md")
        return tag("a", name, href=f"{self.home}{page}.html#{rule.id}")

    def page(self, name: str, title: str, body: Sequence[object], more: Sequence[tuple[str, str]] = ()) -> str:
        """Return a page.

        Args:
            name: The file's name.
            title: Its title.
            body: What stands in it.
            more: Further links of its navigation, each as words and file.
        """
        links = [(words, file) for file, words in PAGES.items() if self.has_run or file != "run.html"]
        links = [("fakecuda", f"{self.home}index.html")] * bool(self.home) + links + list(more)
        inner = [tag("a", words, href=file, aria_current="page" if file == name else None) for words, file in links]
        head = [tag("a", "To the content", href="#main", class_="skip"), tag("nav", *inner, aria_label="pages")]
        whole = f"{title} · conformance of fakecuda"
        return page_of_many(whole, body, style=STYLE, script=SCRIPT, head=joined(head))


def shared() -> dict[str, str]:
    """Return the files that all pages share, by name."""
    return {STYLE: together(*STYLES, HERE / STYLE), SCRIPT: together(*SCRIPTS, HERE / SCRIPT)}


def counts_of(chapters: Iterable[Chapter]) -> Counter[str]:
    """Return the number of cells of each kind."""
    return Counter(cell.kind for one in chapters for cell in one.cells)


def bar(counts: Counter[str]) -> Html:
    """Return the documented codes of calls as a bar with a part for each kind."""
    total = sum(counts[kind] for kind, one in KINDS.items() if one.documented)
    parts = [
        tag("span", class_=f"k-{kind}", style=f"flex-grow: {counts[kind]}")
        for kind, one in KINDS.items()
        if one.documented and counts[kind]
    ]
    told = ", ".join(f"{counts[kind]} {kind}" for kind, one in KINDS.items() if one.documented and counts[kind])
    return tag("span", *parts, class_="bar", role="img", aria_label=told) if total else Html("")


def legend(counts: Counter[str], *, pressable: bool = False) -> Html:
    """Return the legend with counts of cells, optionally with buttons as filters."""
    rows = []
    for kind, one in KINDS.items():
        if not counts[kind]:
            continue
        words = [
            tag("span", one.mark, class_=f"mark k-{kind}", aria_hidden="true"),
            tag("b", f"{counts[kind]:,}"),
            tag("span", one.words),
        ]
        if pressable:
            rows.append(tag("button", *words, type="button", data_kind=kind, aria_pressed="false"))
        else:
            rows.append(tag("p", *words))
    return tag("div", *rows, class_="legend")


def code_words(cell: Cell) -> str:
    """Return a cell's code for readers: its full name in its API."""
    if cell.kind == UNDEFINED:
        return "undefined behaviour"
    return api_of(cell.call).cname(int(api_of(cell.call).code(cell.code)))
