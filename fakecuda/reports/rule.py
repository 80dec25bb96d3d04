"""What is known of a rule that was broken: the clause that it rests on, and what drivers answered."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from attrs import frozen

from fakecuda.evidence import of_rule
from fakecuda.ledger import cited, rules
from fakecuda.rules.registry import EVERY_API

if TYPE_CHECKING:
    from fakecuda.rules.core import Rule

PROGRAMS = re.compile(r"(?: (?:to|in) \d+ calls)? \((?:programs? |questions/)[^)]*\)")
"""Where a note names programs of the suite, and counts the calls that they make."""
ALONE = {
    "manual": "the manual alone",
    "undefined": "the manual alone",
    "observed": "observed on a driver",
    "source": "read in the source, ROCm/clr; no card was asked",
    "hip-tests": "stated by the authors' tests, ROCm/hip-tests; no card was asked",
}
"""By grade what a rule rests on of which nothing is noted."""
RELEASE = re.compile(r"\d{3}\b")
CARD = "H200"
"""The card that notes by hand tell of."""


@frozen
class Known:
    """What is known of a rule.

    Attributes:
        source: The clause of the manual, or what else it rests on.
        evidence: What drivers answered where it was broken, and how far that differs from the manual.
    """

    source: str
    evidence: str


def rules_by_id() -> dict[str, Rule]:
    """Return every rule by its id, those of faults, which are no call's own, too."""
    return {rule.id: rule for rule in rules(*EVERY_API.values())}


def known_of(rule: Rule) -> Known:
    """Return what is known of a rule."""
    entries = of_rule(rule.id)
    told = [
        (entry.one("card") or CARD, text) for entry in entries if entry.kind == "note" for text in entry.all("driver")
    ]
    differs = [text for entry in entries if entry.kind == "note" for text in entry.all("differs")]
    heard = [f"on {card}, driver {_plain(text)}" for card, text in told if RELEASE.match(text)]
    evidence = [*(heard or [ALONE[rule.grade]]), *map(_plain, differs)]
    return Known(cited(rule), "; ".join(evidence))


def _plain(text: str) -> str:
    """Return a note without programs and counts of calls, which change with each recording."""
    return PROGRAMS.sub("", text).replace("`", "")
