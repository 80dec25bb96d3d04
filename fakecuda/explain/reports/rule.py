"""The source of a rule, and the evidence for it."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.explain.evidence import of_rule
from fakecuda.explain.ledger import cited, rules
from fakecuda.explain.ledger.codes import SILENT
from fakecuda.rules.registry import EVERY_API

if TYPE_CHECKING:
    from fakecuda.rules.core import Rule

PROGRAMS = re.compile(r"(?: (?:to|in) \d+ calls)? \((?:programs? |questions/)[^)]*\)")
"""Matches names and counts of programs in a note."""
ALONE = {
    "manual": "the manual alone",
    "undefined": "the manual alone",
    "observed": "observed on a driver",
    "source": "the source of ROCm/clr; no card was asked",
    "hip-tests": "the tests of ROCm/hip-tests; no card was asked",
}
"""The evidence text by grade, for rules without notes."""
UNRECORDED = "no recorded answer"
"""The evidence text for unrecorded rules about which the manual is silent."""
NAMED = {"clr": "source", "hip-tests": "hip-tests", "driver 580": "observed", "lib": "observed"}
"""Words of a source on which the manual is silent, with the grade they imply."""
ANSWERS = ", and answers "
MOST = 4
"""The maximum number of a driver's answers in a report."""
RELEASE = re.compile(r"\d{3}\b")
LIBRARY = "libamdhip64 "
"""The first words of an answer of AMD's library."""
CARD = "H200"
"""The card that notes by hand refer to."""


@frozen
class Known:
    """The source of a rule, and the evidence for it.

    Attributes:
        source: The clause of the manual, or another source.
        evidence: What drivers answered if it was broken, and how that differs from the manual.
    """

    source: str
    evidence: str


def rules_by_id() -> dict[str, Rule]:
    """Return every rule by its id, including the rules of faults."""
    return {rule.id: rule for rule in rules(*EVERY_API.values())}


@cache
def known_of(rule: Rule) -> Known:
    """Return a rule's source, evidence and fix."""
    entries = of_rule(rule.id)
    told = [
        (entry.one("card") or CARD, text) for entry in entries if entry.kind == "note" for text in entry.all("driver")
    ]
    differs = [text for entry in entries if entry.kind == "note" for text in entry.all("differs")]
    heard = [f"on {card}, driver {plain(text)}" for card, text in told if RELEASE.match(text)]
    heard += [f"on an {card}, {plain(text)}" for card, text in told if text.startswith(LIBRARY)]
    evidence = [*(heard or [_alone(rule)]), *map(plain, differs)]
    return Known(cited(rule), "; ".join(evidence))


def _alone(rule: Rule) -> str:
    """Return the evidence for a rule without notes."""
    if rule.grade != "undefined" or not rule.source.quote.startswith(SILENT):
        return ALONE[rule.grade]
    return next((ALONE[grade] for word, grade in NAMED.items() if word in rule.source.quote), UNRECORDED)


def plain(text: str) -> str:
    """Return a note without program names and counts, and with few answers."""
    first, *others = PROGRAMS.sub("", text).replace("`", "").split(ANSWERS)
    left = len(others) + 1 - MOST
    listed = [first, *others[: MOST - 1], *([f"{left} other codes"] if left > 1 else others[MOST - 1 :])]
    return ", or answers ".join(listed).replace(", and crashes", ", or crashes")
