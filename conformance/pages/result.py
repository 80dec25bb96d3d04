"""The page of a run: results by chapter, failures and skips."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fakecuda.explain.html.markup import table, tag

if TYPE_CHECKING:
    from conformance.pages.shape import Site
    from conformance.runner.report import Report

COUNTS = {
    "cases": "checks",
    "failed": "failed",
    "skipped": "skipped",
    "pairs": "pairs",
    "steps": "drawn steps",
    "programs": "programs",
    "answers": "answers",
    "differences": "differences",
    "explained": "explained",
}
"""Counted outcomes: the report's names and their captions."""


def page(report: Report, what: str, site: Site) -> str:
    """Return the page of a run.

    Args:
        report: What it has shown.
        what: What was run, and whether it was cut off.
        site: Where the pages lie.
    """
    rows = []
    for name, chapter in sorted(report.chapters.items()):
        broken, held = chapter.rules()
        counts = [f"{chapter.counts[key]:,}" if chapter.counts[key] else "" for key in COUNTS]
        rows.append([name, str(len(chapter.calls)), *counts, f"{len(broken)} / {len(held)}"])
    rows.append([tag("b", "all"), "", *(f"{report.counts[key]:,}" for key in COUNTS), ""])
    failed = [
        tag("section", tag("h3", one.id), tag("pre", one.text, tabindex="0"))
        for one in sorted(report.failed, key=lambda one: one.id)
    ]
    skipped = [[chapter, str(count), reason] for (chapter, reason), count in sorted(report.skipped.items())]
    body = [
        tag("h1", f"This run: {len(report.failed)} of {report.counts['cases']:,} checks failed"),
        tag("p", what, class_="beside"),
        table(["chapter", "calls", *COUNTS.values(), "rules broken / held"], rows, class_="counts"),
        tag("h2", "What failed") if failed else "",
        *failed,
        *(
            [tag("h2", "What was skipped"), table(["chapter", "checks", "reason"], skipped, class_="stacked")]
            if skipped
            else []
        ),
        *(
            [tag("h2", "What differs as expected"), table(["check", "reason"], sorted(report.expected.items()))]
            if report.expected
            else []
        ),
    ]
    return site.page("run.html", "This run", body)
