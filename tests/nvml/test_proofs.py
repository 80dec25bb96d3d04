"""Cards were recorded to break most rules of NVML; every rule is broken by a case."""

from __future__ import annotations

import pytest

from conformance.record.nvml import replay
from fakecuda.reach.native.stubs import NATIVE, NEEDS
from fakecuda.rules.registry import NVML, every_rule


@pytest.mark.skipif(not NATIVE, reason=f"the native door needs {NEEDS}")
def test_cards_were_heard() -> None:
    """Of most rules a recorded card has shown the answer, each told once."""
    told = replay.heard()
    assert len(set(told)) == len(told)
    rules = {rule.id for rule in every_rule(NVML)}
    assert {rule for rule, *_ in told} <= rules
    assert len({rule for rule, *_ in told}) > len(rules) // 2
