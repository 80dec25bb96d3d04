"""The first page: counts, a legend, all chapters, and an index of calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.mutate import survivors
from conformance.mutate.mutation import every_mutant
from conformance.pages.cells import ANSWERED, CASE, KINDS, NOT_MODELLED
from conformance.pages.shape import FRONT, bar, counts_of, legend
from conformance.targets.divergences import load as load_divergences
from fakecuda.explain.html.markup import Html, joined, table, tag
from fakecuda.rules.registry import EVERY_API

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Sequence

    from conformance.pages.answers import Answers
    from conformance.pages.cells import Chapter
    from conformance.pages.shape import Site
    from conformance.runner.report import Report


def page(chapters: Sequence[Chapter], answers: Answers, report: Report | None, site: Site) -> str:
    """Return the first page.

    Args:
        chapters: All chapters.
        answers: What was recorded.
        report: What a run has shown; None where none was made.
        site: Where the pages lie.
    """
    counts = counts_of(chapters)
    search = tag(
        "input",
        type="search",
        id="search",
        placeholder="a call",
        aria_label="a call",
        autocomplete="off",
        data_always=True,
    )
    found = [
        tag("li", tag("a", call, href=f"{one.file}#{call}"), data_call=call.lower(), hidden=True)
        for one in chapters
        for call in one.calls
    ]
    body = [
        tag("h1", "Conformance"),
        tag("p", "Each error code that a manual names for a call, and what shows that the call answers it."),
        tag(
            "ul",
            *(tag("li", tag("b", number), words) for number, words in _figures(chapters, answers, report)),
            class_="figures",
        ),
        legend(counts),
        search,
        tag("ul", *found, class_="found"),
        *(
            _api(title, [one for one in chapters if one.api is api])
            for api, title in ((api, _capital(api.title)) for api in EVERY_API.values())
        ),
    ]
    return site.page(FRONT, "Overview", body)


def _figures(chapters: Sequence[Chapter], answers: Answers, report: Report | None) -> Iterable[tuple[str, str]]:
    """Yield numbers with their captions."""
    counts = counts_of(one for one in chapters if one.name != NOT_MODELLED)
    named = sum(counts[kind] for kind, one in KINDS.items() if one.documented)
    calls = sum(len(one.calls) for one in chapters if one.name != NOT_MODELLED)
    yield f"{calls:,}", f"calls modelled, of {sum(len(one.calls) for one in chapters):,}"
    yield f"{named:,}", "documented codes of these"
    yield f"{counts[ANSWERED]:,}", "of them answered by a driver"
    yield f"{counts[CASE]:,}", "shown by a case on the model alone"
    yield f"{sum(one.programs for one in answers.machines.values()):,}", "programs recorded"
    yield (
        f"{sum(one.answers for one in answers.machines.values()):,}",
        f"answers of drivers, on {len(answers.machines)} machines",
    )
    mutants = every_mutant()
    yield (
        f"{1 - len(survivors.load(mutants)) / len(mutants):.1%}",
        f"of {len(mutants):,} mutants to be killed; the others have a reason",
    )
    yield f"{len(load_divergences())}", "explained differences from a driver"
    if report is not None:
        yield f"{len(report.failed)}", f"unexplained in this run, of {report.counts['cases']:,} checks"


def _api(title: str, chapters: Sequence[Chapter]) -> Html:
    total = counts_of(chapters)
    kinds = [kind for kind in KINDS if total[kind]]
    rows = [_row(one, kinds) for one in chapters]
    calls = str(sum(len(one.calls) for one in chapters))
    rows.append([tag("b", "all"), "", calls, str(_named(total)), bar(total), *_numbers(total, kinds)])
    signs = [
        tag("span", KINDS[kind].mark, class_=f"mark k-{kind}", title=KINDS[kind].words, role="img", aria_label=kind)
        for kind in kinds
    ]
    head = ["chapter", "what it is about", "calls", "named", "", *signs]
    return joined([tag("h2", title), table(head, rows, class_="chapters")])


def _row(chapter: Chapter, kinds: Sequence[str]) -> list[object]:
    counts = counts_of([chapter])
    link = tag("a", chapter.name, href=chapter.file)
    return [link, chapter.title, str(len(chapter.calls)), str(_named(counts)), bar(counts), *_numbers(counts, kinds)]


def _named(counts: Counter[str]) -> int:
    return sum(counts[kind] for kind, one in KINDS.items() if one.documented)


def _numbers(counts: Counter[str], kinds: Sequence[str]) -> list[str]:
    return [str(counts[kind] or "") for kind in kinds]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
