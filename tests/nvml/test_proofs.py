"""Cards were recorded to break most rules of NVML; every rule is broken by a case."""

from __future__ import annotations

from fakecuda.explain import evidence
from fakecuda.rules.registry import NVML, every_rule


def test_cards_were_heard() -> None:
    """Of most rules a recorded card has shown the answer."""
    rules = {rule.id for rule in every_rule(NVML)}
    told = {rule for rule in evidence.answers() if rule.startswith("nvml.")}
    assert told <= rules
    assert len(told) > len(rules) // 2
