"""Differences between the model and drivers, and between drivers and the manual."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conformance.pages.programs import code_name
from conformance.targets.divergences import load
from fakecuda.explain import evidence
from fakecuda.explain.html.markup import Html, coded, joined, table, tag
from fakecuda.explain.ledger import entries
from fakecuda.explain.reports.rule import rules_by_id
from fakecuda.rules.registry import home

if TYPE_CHECKING:
    from conformance.pages.shape import Site
    from conformance.runner.report import Report
    from conformance.targets.divergences import Divergence
    from fakecuda.rules.core import Rule

CALL = "cuInit"
"""A call for the names of codes in differences without a call."""


def page(report: Report | None, site: Site) -> str:
    """Return the page of differences.

    Args:
        report: What a run has shown; None where none was made.
        site: Where the pages lie.
    """
    known, rules = load(), rules_by_id()
    contradicted = [one for one in entries() if one.kind == "contradicted"]
    rows = [
        [
            site.call(one.function),
            one.code.name,
            one.answers.name if one.answers else "",
            one.reason,
            _recorded(one.recording, one.program),
        ]
        for one in contradicted
    ]
    body = [
        tag("h1", "Differences"),
        tag("h2", "Of the model from a driver, unexplained"),
        *_unexplained(report),
        tag("h2", f"Of the model from a driver, explained: {len(known)}"),
        table(
            ["what", "the driver", "the model", "reason", "validated"],
            [_explained(one, site, rules.get(one.rule)) for one in known],
            class_="stacked",
        ),
        tag("h2", f"Of a driver from the manual, where a code is named that it does not answer: {len(rows)}"),
        table(["call", "the manual", "the driver", "reason", "recorded"], rows, class_="stacked"),
        tag("h2", "Of a driver from the manual, rule by rule"),
        _noted(site, rules),
    ]
    return site.page("differences.html", "Differences", body)


def _unexplained(report: Report | None) -> list[Html]:
    if report is None:
        return [
            tag("p", "No run stands behind these pages; the suite fails by each difference that nobody has explained.")
        ]
    if not report.failed:
        return [tag("p", f"None, in {report.counts['answers']:,} answers that were compared in this run.")]
    parts = []
    for one in sorted(report.failed, key=lambda one: one.id):
        parts += [tag("h3", one.id), tag("pre", one.text, tabindex="0")]
    return parts


def _explained(one: Divergence, site: Site, rule: Rule | None) -> list[object]:
    """Return the cells of a known difference and its rule."""
    what: list[object] = [site.rule(rule)] if rule else []
    what += [site.call(one.call)] if one.call else []
    what += [f"rules of the grade {one.grade}"] if one.grade else []
    what += [f"result {one.out}"] if one.out else []
    what += [tag("code", one.program)] if one.program else []
    call = one.call or CALL
    codes = ["any" if code is None else code_name(call, code) for code in (one.driver_code, one.model_code)]
    return [joined(what, " "), *codes, one.reason, str(one.validated)]


def _recorded(file: str, program: str) -> Html:
    return tag("code", f"{file}, {program}") if file else Html("")


def _noted(site: Site, rules: dict[str, Rule]) -> Html:
    """Return the notes of rules on drivers that differ from the manual."""
    rows: list[list[object]] = []
    for entry in evidence.entries("note"):
        for name in entry.all("rule"):
            rule = rules.get(name)
            if rule is None:
                continue
            code = "undefined" if rule.grade == "undefined" else home(rule.module).code(rule.code).name
            rows += [
                [site.rule(rule), coded(rule.statement), code, text.replace("`", "")] for text in entry.all("differs")
            ]
    return table(["rule", "what must hold", "else", "the difference"], rows, class_="stacked")
