"""A chapter's page: the matrix, and each cell's rules, recording and cases."""

from __future__ import annotations

import inspect
from collections import Counter
from typing import TYPE_CHECKING

from conformance.pages import programs
from conformance.pages.cases import proofs
from conformance.pages.cells import BEYOND, BEYOND_CASE, CONTRADICTED, KINDS, NOT_MODELLED, UNDEFINED
from conformance.pages.shape import code_words, counts_of, legend
from fakecuda.explain.html.markup import Html, coded, joined, tag
from fakecuda.explain.ledger import cited
from fakecuda.explain.reports.rule import known_of
from fakecuda.explain.reports.text import times
from fakecuda.rules.registry import api_of, home

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conformance.pages.answers import Answers, Place
    from conformance.pages.cells import Cell, Chapter
    from conformance.pages.shape import Site
    from fakecuda.explain.ledger import Row

FEW = 2
"""The maximum number of a rule's cases to show in full; the others are named."""


def page(chapter: Chapter, neighbours: Sequence[Chapter | None], answers: Answers, site: Site) -> str:
    """Return the page of a chapter.

    Args:
        chapter: The chapter.
        neighbours: The one before it and the one behind it; None where there is none.
        answers: What was recorded.
        site: Where the pages lie.
    """
    search = tag("input", type="search", id="search", placeholder="a call", aria_label="a call", autocomplete="off")
    told = ["/", " search, ", "←↑→↓", " from cell to cell, ", "Enter", " what stands behind it, ", "Esc", " back"]
    body = [
        tag("h1", chapter.name),
        tag("p", chapter.title),
        tag(
            "p",
            f"{len(chapter.calls)} calls of {chapter.api.title}. A column is a code; a cell says what shows it.",
            class_="beside",
        ),
        legend(counts_of([chapter]), pressable=True),
        search,
        tag("p", *(tag("kbd", one) if number % 2 == 0 else one for number, one in enumerate(told)), class_="keys"),
        matrix(chapter),
        *(
            _call(name, cells, answers, site)
            for name, cells in chapter.calls.items()
            if any(cell.rows for cell in cells)
        ),
    ]
    before, behind = neighbours
    more = [(f"← {before.name}", before.file)] if before else []
    more += [(f"{behind.name} →", behind.file)] if behind else []
    return site.page(chapter.file, chapter.name, body, more)


def matrix(chapter: Chapter) -> Html:
    """Return the table of calls and codes."""
    columns = chapter.columns
    head = [tag("th", "call", scope="col"), *(tag("th", tag("span", name), scope="col") for name in columns)]
    rows = []
    for call, cells in chapter.calls.items():
        by_name = {cell.name: cell for cell in cells}
        told = any(cell.rows for cell in cells)
        named = tag("a", call, href=f"#{call}") if told else call
        filled = [_square(by_name[name]) if name in by_name else tag("td") for name in columns]
        anchor = None if told else call
        rows.append(tag("tr", tag("th", named, scope="row"), *filled, data_call=call.lower(), id=anchor))
    table = tag("table", tag("thead", tag("tr", *head)), tag("tbody", *rows), class_="matrix")
    return tag("div", table, class_="wide grid", id="matrix", tabindex="0", role="region", aria_label="calls by codes")


def _square(cell: Cell) -> Html:
    kind = KINDS[cell.kind]
    if not cell.rows:
        return tag("td", kind.mark, class_=f"k-{cell.kind}")
    link = tag("a", kind.mark, href=f"#{cell.id}", aria_label=cell.kind)
    return tag("td", link, class_=f"k-{cell.kind}")


def _call(call: str, cells: list[Cell], answers: Answers, site: Site) -> Html:
    """Return the details of a call's cells."""
    op = api_of(call).ops[call]
    first = " ".join((inspect.getdoc(op.function) or "").partition("\n\n")[0].split())
    heading = tag("h2", site.call(call), id=call, tabindex="-1")
    inner = [_article(cell, answers, site) for cell in cells if cell.kind not in {NOT_MODELLED, BEYOND_CASE}]
    if beyond := [cell for cell in cells if cell.kind == BEYOND_CASE]:
        inner.append(_beyond(beyond, site))
    return tag("section", heading, tag("p", first), *inner, class_="call", data_call=call.lower())


def _article(cell: Cell, answers: Answers, site: Site) -> Html:
    """Return the details of a cell."""
    kind = KINDS[cell.kind]
    heading = _heading(cell.kind, cell.call, code_words(cell))
    told = [tag("p", f"{kind.words[0].upper()}{kind.words[1:]}", _often(cell), ".")]
    shown: set[Place] = set()
    rows = [row for row in cell.rows if row.rule is not None]
    decided = joined([_decided(row, answers) for row in cell.rows if row.rule is None])
    rules = [tag("li", _rule(row, cell, answers, site, shown)) for row in rows]
    listed = tag("ol", *rules, class_="rules") if rules else ""
    best = cell.heard.best if cell.heard else None
    program = programs.shown(best) if best is not None and not shown else ""
    return tag("article", heading, *told, decided, listed, program, id=cell.id, class_="cell", tabindex="-1")


def _beyond(cells: list[Cell], site: Site) -> Html:
    """Return the details of a call's undocumented codes that only the model returns."""
    call = cells[0].call
    rules = [
        tag(
            "li",
            tag("code", cell.name),
            ": ",
            coded(row.rule.statement),
            " ",
            tag("span", site.rule(row.rule), class_="beside"),
        )
        for cell in cells
        for row in cell.rows
        if row.rule is not None
    ]
    words = KINDS[BEYOND_CASE].words
    heading = _heading(BEYOND_CASE, call, "codes beyond the manual")
    told = tag("p", f"{words[0].upper()}{words[1:]}.")
    return tag("article", heading, told, tag("ul", *rules), id=cells[0].id, class_="cell", tabindex="-1")


def _heading(kind: str, call: str, words: str) -> Html:
    mark = tag("span", KINDS[kind].mark, class_=f"mark k-{kind}", aria_hidden="true")
    return tag("h3", mark, tag("span", f"{call} → {words}"), tag("a", "close", href=f"#{call}", class_="close"))


def _often(cell: Cell) -> str:
    """Return how often machines have answered the code."""
    if not cell.heard:
        return ""
    return ": " + ", ".join(f"{times(count)} on {machine}" for machine, count in sorted(cell.heard.counts.items()))


def _decided(row: Row, answers: Answers) -> Html:
    """Return why a documented code has no rule, and the actual answer of a program."""
    entry = row.entry
    parts = [tag("p", f"{row.reason[0].upper()}{row.reason[1:]}.")] if row.reason else []
    if entry is not None and entry.answers is not None and row.status == CONTRADICTED:
        parts.append(tag("p", "Answered instead: ", tag("b", api_of(row.function).code(entry.answers).name), "."))
        place = answers.find(entry.recording, entry.program, row.function, int(entry.answers))
        parts.append(
            programs.shown(place)
            if place
            else tag("p", f"Recorded: {entry.recording}, {entry.program}", class_="beside")
        )
    return joined(parts)


def _rule(row: Row, cell: Cell, answers: Answers, site: Site, shown: set[Place]) -> Html:
    """Return a rule of a code, with its source and its proofs in the call.

    Args:
        row: The ledger's.
        cell: The cell.
        answers: What was recorded.
        site: Where the pages lie.
        shown: The programs that the cell shows already.
    """
    rule = row.rule
    assert rule is not None
    parts: list[object] = [tag("p", coded(rule.statement), " ", tag("span", site.rule(rule), class_="beside"))]
    if cell.kind == BEYOND:
        reason = f" {row.reason}." if row.reason else ""
        return joined([*parts, tag("p", f"Known from: {rule.grade}.{reason}", class_="beside")])
    found = proofs(cell.call, rule)
    asked = [(one.label, int(cell.code)) for one in found]
    place = next((answers.cases[one] for one in asked if one in answers.cases), None)
    rows = [(f"source, {rule.grade}", cited(rule))]
    rows += [("driver", known_of(rule).evidence)] if place is None else []
    parts.append(tag("dl", joined(joined([tag("dt", name), tag("dd", text)]) for name, text in rows)))
    if place is not None and place not in shown and cell.kind != UNDEFINED:
        shown.add(place)
        parts.append(programs.shown(place))
    for proof in found[:FEW]:
        label = f"Case {proof.label}, " if proof.label else "Case "
        parts.append(tag("p", label, tag("code", proof.place), class_="beside"))
        parts += [tag("pre", proof.text, tabindex="0")] if proof.text else []
    if len(found) > FEW:
        places = Counter(one.place for one in found[FEW:])
        parts.append(tag("p", "Further cases: ", ", ".join(places), class_="beside"))
    if not found and place is None:
        parts.append(tag("p", _without(home(rule.module) is not api_of(cell.call)), class_="beside"))
    return joined(parts)


def _without(beneath: bool) -> str:  # noqa: FBT001 - one fact
    """Return the proof of a rule that no case of the call names."""
    return (
        "Case: those of the calls beneath break it."
        if beneath
        else "Case: a test of the call that names no rule breaks it."
    )
