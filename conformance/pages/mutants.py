"""The page of mutants: counts by chapter, and the survivors with reasons."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conformance.mutate import survivors
from conformance.mutate.mutation import CODE, DROPPED, KINDS, UNREPORTED, every_mutant
from fakecuda.explain.html.markup import table, tag
from fakecuda.explain.ledger import modelled
from fakecuda.rules.registry import EVERY_API, api_of, chapter

if TYPE_CHECKING:
    from conformance.pages.shape import Site

TITLES = {DROPPED: "the rule is not checked", UNREPORTED: "a breach is not reported", CODE: "another code is answered"}


def page(site: Site) -> str:
    """Return the page of the mutants."""
    every = every_mutant()
    left = survivors.load(every)
    by_chapter: dict[str, Counter[str]] = {}
    for one in every:
        counts = by_chapter.setdefault(chapter(api_of(one.call).ops[one.call].module), Counter())
        counts[one.kind] += 1
        counts["left"] += one in left
    order = [chapter(op.module) for api in EVERY_API.values() for op in (api.ops[name] for name in modelled(api))]
    rows = [[name, *_numbers(by_chapter[name])] for name in sorted(by_chapter, key=order.index)]
    total = sum(by_chapter.values(), Counter[str]())
    rows.append([tag("b", "all"), *_numbers(total)])
    listed = [[site.call(one.call), tag("code", one.rule), TITLES[one.kind], reason] for one, reason in left.items()]
    body = [
        tag("h1", f"{len(every):,} mutants"),
        tag(
            "p",
            "A mutant is an operation with one rule changed. The suite has to tell each from the operation, or say why it cannot: "
            "an unexplained survivor fails ",
            tag("code", "python -m conformance.mutate"),
            ", which runs them. Nothing is run for this page.",
        ),
        table(["chapter", *TITLES.values(), "all", "cannot be told apart", "to be killed"], rows, class_="counts"),
        tag("h2", f"Those that no program tells apart: {len(left)}"),
        table(["call", "rule", "what is changed", "reason"], listed, class_="stacked"),
    ]
    return site.page("mutants.html", "Mutants", body)


def _numbers(counts: Counter[str]) -> list[str]:
    number = sum(counts[kind] for kind in KINDS)
    return [
        *(str(counts[kind] or "") for kind in KINDS),
        str(number),
        str(counts["left"] or ""),
        f"{1 - counts['left'] / number:.1%}",
    ]
